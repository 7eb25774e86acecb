"""The drawings of a study's report: estimates by each method, curves, votes, and wrong gold labels.

They are SVG inside a page that stands alone, and PDF; names that users chose are made safe in them.
"""

import io
import math
import re
import unicodedata
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from markupsafe import Markup, escape
from matplotlib.axes import Axes
from matplotlib.backends.backend_pdf import FigureCanvasPdf, PdfPages
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont
from matplotlib.ft2font import FT2Font
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from crowdgold.evaluation.answer import Answer, Quantity, Value, quantity_of, value_of
from crowdgold.evaluation.assumed_errors import ERROR, informative_rows
from crowdgold.evaluation.questions import plain_metric
from crowdgold.methods.registry import offered
from crowdgold.plots.style import COLUMN_WIDTH, RC, SVG_METADATA, new_figure, style_of
from crowdgold.presentation.answers import Numbers, percent
from crowdgold.presentation.doubts import count_misses, outside_of, predicted_of
from crowdgold.presentation.folder import StudyFolder, records_of
from crowdgold.types.columns import counted
from crowdgold.types.display import Shown, ShownFacts

# Parts of matplotlib's SVG that do not fit into a page, or make it larger than need be.
PROLOG = re.compile(r"^.*?(?=<svg)", re.DOTALL)
REMARKS = re.compile(r"<!--.*?-->|<metadata>.*?</metadata>", re.DOTALL)
OPENING_TAG = re.compile(r"<svg[^>]*?viewBox=\"([^\"]*)\"[^>]*>", re.DOTALL)
IDENTIFIER = re.compile(r'\bid="([^"]+)"')
REFERENCE = re.compile(r'(url\(#|href="#)([^)"]+)')
SPACES = re.compile(r">\s+<")
FRACTIONS = re.compile(r"(\d+\.\d{3})\d+")


@dataclass(frozen=True, repr=False)
class StudyFigure(Shown):
    """A figure with the words around it."""

    name: str  # its identifier in the page, letters, digits and hyphens
    title: str  # a heading
    caption: str  # what it shows, for readers who see it
    description: str  # what it shows with its numbers, for those who do not
    figure: Figure  # the drawing, whose layout is settled here

    def __post_init__(self) -> None:
        """Lay the figure out for good, so that each format does not find its layout again."""
        with _drawing():
            self.figure.draw_without_rendering()
        self.figure.set_layout_engine("none")

    def facts(self) -> ShownFacts:
        """Its heading, and what it shows."""
        return {"title": self.title, "caption": self.caption}

    def _repr_html_(self) -> str:
        return str(inline_svg(self))


@contextmanager
def _drawing() -> Iterator[None]:
    """Draw in the project's style; letters that the font lacks are boxes, without a warning."""
    with mpl.rc_context(RC), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def inline_svg(drawing: StudyFigure) -> Markup:
    """A figure as SVG that can stand in an HTML page beside others, with its description.

    It scales with the page; its identifiers begin with its name.
    """
    with _drawing():
        written = io.StringIO()
        FigureCanvasSVG(drawing.figure).print_svg(written, metadata=SVG_METADATA)
    drawn = REMARKS.sub("", PROLOG.sub("", written.getvalue()))
    opening = OPENING_TAG.search(drawn)
    assert opening, "matplotlib writes a viewBox"
    body = IDENTIFIER.sub(rf'id="{drawing.name}-\1"', drawn[opening.end() :])
    body = REFERENCE.sub(rf"\1{drawing.name}-\2", body)
    body = FRACTIONS.sub(r"\1", SPACES.sub("><", body))
    return Markup(  # noqa: S704 - matplotlib's own drawing, and words that are escaped here
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'viewBox="{opening[1]}" role="img" '
        f'aria-labelledby="{drawing.name}-title {drawing.name}-desc">'
        f'<title id="{drawing.name}-title">{escape(drawing.title)}</title>'
        f'<desc id="{drawing.name}-desc">{escape(drawing.description)}</desc>{body}'
    )


def pdf_pages(figures: Sequence[StudyFigure], creator: str) -> bytes:
    """Figures as a PDF that names its creator, a page each; equal figures give equal bytes."""
    written = io.BytesIO()
    about = {"Creator": creator, "CreationDate": None}
    with _drawing(), PdfPages(written, metadata=about) as pages:
        for one in figures:
            # `savefig` would draw everything twice.
            FigureCanvasPdf(one.figure).print_pdf(pages)
    return written.getvalue()


LONGEST = 22  # characters of a name that are drawn


@cache
def _glyphs() -> frozenset[int]:
    return frozenset(FT2Font(findfont(FontProperties())).get_charmap())


def drawn_names(names: Sequence[str]) -> dict[str, str]:
    """Each of some distinct names as it is drawn: as it is where it is short and can be drawn.

    One whose letters the font lacks, or that cannot be told from another once shortened, is called
    by its number, as `model 2`.
    """
    half, short = (LONGEST - 1) // 2, []
    for name in names:
        drawn = bool(name.strip()) and all(
            ord(letter) in _glyphs() and not unicodedata.category(letter).startswith("C")
            for letter in name
        )
        shorter = name if len(name) <= LONGEST else f"{name[:half]}…{name[-half:]}"
        short.append(shorter if drawn else "")
    return {
        name: one if one and short.count(one) == 1 else f"model {place}"
        for place, (name, one) in enumerate(zip(names, short, strict=True), start=1)
    }


def literal(text: str) -> str:
    """Keep matplotlib from reading mathematics between dollar signs, and from hiding `_names`."""
    shown = text.replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown


MOST_TOTALS = 3  # numbers of votes that have a panel: those with the most items
OBSERVED, EXPECTED, OUTSIDE = "#9FB6CD", "#222222", "#C0392B"


def _draw_expected(
    axes: Axes, rows: pd.DataFrame, x: str, looks: Sequence[tuple[str, str, str]], **style: Any
) -> None:
    """Points and bars of what was expected; `looks` (label, colour, marker) of the rows whose
    observation is inside the interval, then of those outside.
    """
    outside = outside_of(rows)
    for (label, colour, marker), part in zip(looks, (rows[~outside], rows[outside]), strict=True):
        if not part.empty:
            # The mean may lie outside of an interval of few values.
            bars = part["expected"] - part["lower"], part["upper"] - part["expected"]
            axes.errorbar(
                part[x], part["expected"], yerr=[bar.clip(lower=0) for bar in bars],
                color=colour, marker=marker, linestyle="none", label=label, **style,
            )  # fmt: skip


def draw_study_votes(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """A panel for each number of votes, how many items have how many positive; and what it shows.

    The table has rows of one gold class with votes_total, votes_positive, items, observed, and
    where there is a model expected, lower and upper.
    """
    frequent = table.groupby("votes_total")["items"].first().sort_values(ascending=False)
    totals = sorted(frequent.index[:MOST_TOTALS])
    shown = table[table["votes_total"].isin(totals)]
    figure, panels = new_figure(len(totals), 1, 0.75 + 1.45 * len(totals), COLUMN_WIDTH)
    handles: dict[str, Any] = {}
    for (axes,), total in zip(panels, totals, strict=True):
        rows = shown[shown["votes_total"] == total]
        axes.bar(rows["votes_positive"], rows["observed"], color=OBSERVED, label="observed")
        looks = ("expected", EXPECTED, "o"), ("misses", OUTSIDE, "X")
        drawn = rows[rows["expected"].notna()]
        _draw_expected(axes, drawn, "votes_positive", looks, capsize=2.5, markersize=4.5)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        axes.set_ylabel("items")
        votes = "1 vote" if total == 1 else f"{int(total)} votes"
        axes.set_title(
            f"{votes} an item, {counted(int(rows['items'].iloc[0]), 'item')}", fontsize=8
        )
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    panels[-1][0].set_xlabel("positive votes")
    figure.legend(
        handles.values(), handles.keys(), loc="outside upper center", ncols=3, frameon=False
    )
    return figure, shown


VOTES, WINS = "votes", "wins"
CLASSES = (("negative", 0, "Gold negatives"), ("positive", 1, "Gold positives"),
           ("unlabelled", None, "Items without a gold label"))  # fmt: skip
MOST_MODELS = 12


def votes_of(study: StudyFolder) -> tuple[pd.DataFrame, str]:
    """The votes by gold class, and the method whose fit they are compared with; "" for none."""
    for method, _, check, rows in predicted_of(study):
        if check == VOTES:
            return rows, method
    keys = ["gold", "votes_total", "votes_positive"]
    table = study.items.groupby(keys, dropna=False).size().rename("observed").reset_index()
    items = table.groupby(keys[:2], dropna=False)["observed"].transform("sum")
    return table.assign(items=items, expected=np.nan, lower=np.nan, upper=np.nan), ""


def vote_figures(study: StudyFolder) -> Iterator[StudyFigure]:
    """Draw how many items of each gold class have how many positive votes."""
    if not study.counts["votes"]:
        return
    table, method = votes_of(study)
    for name, value, title in CLASSES:
        rows = table[table["gold"].isna() if value is None else table["gold"] == value]
        if rows.empty:
            continue
        figure, drawn = draw_study_votes(rows)
        caption = "Bars: items observed."
        if method:
            caption = (
                f"Bars: observed; points: drawn from {method}'s fit, {percent(study.level)} "
                "intervals; red: observed outside."
            )
        left = rows["votes_total"].nunique() - drawn["votes_total"].nunique()
        caption += f" {left} less frequent numbers of votes in predictive.csv." if left else ""
        texts = [
            f"{row['votes_positive']:.0f} of {row['votes_total']:.0f}: {row['observed']:.0f}"
            + (f" items, expected {row['lower']:.0f} to {row['upper']:.0f}"
               if pd.notna(row["expected"]) else "")
            for row in records_of(drawn)
        ]  # fmt: skip
        description = f"{title} by their positive votes. {'; '.join(texts)}."
        yield StudyFigure(f"votes-{name}", title, caption, description, figure)


def win_figures(study: StudyFolder) -> Iterator[StudyFigure]:
    """Draw for each model how often items of one vote set are ranked above those of another."""
    names, by_model = drawn_names(study.models), dict[str, tuple[str, pd.DataFrame]]()
    for method, model, check, rows in predicted_of(study):
        if check == WINS:
            by_model.setdefault(model, (method, rows))
    some = list(by_model.items())[:MOST_MODELS]
    for number, (model, (method, rows)) in enumerate(some, start=1):
        figure, ((axes,),) = new_figure(1, 1, 3.3, COLUMN_WIDTH)
        axes.plot([0, 1], [0, 1], color="#777777", linewidth=0.8, linestyle=":")
        looks = ("inside the interval", "#0072B2", "o"), ("outside", OUTSIDE, "X")
        _draw_expected(axes, rows, "observed", looks, elinewidth=0.8, markersize=4, alpha=0.85)
        lowest = float(np.nanmin(rows[["lower", "observed"]]))
        highest = float(np.nanmax(rows[["upper", "observed"]]))
        edge = 0.04 * max(highest - lowest, 0.05)
        ends = (np.floor(100 * (lowest - edge)) / 100, np.ceil(100 * (highest + edge)) / 100)
        axes.set(xlim=ends, ylim=ends, xlabel="observed share of wins", ylabel="share drawn anew")
        axes.set_aspect("equal")
        axes.legend(loc="upper left", frameon=False, fontsize=7)
        outside, _ = count_misses(rows, study.level)
        title = f"Wins by {names.get(model, model)}"
        yield StudyFigure(
            f"wins-{number}", title,
            "A point is a pair of vote sets (gold label, votes): how often the model ranks an item "
            f"of the one above one of the other, observed and drawn from {method}'s fit, with "
            f"{percent(study.level)} intervals.",
            f"{title}: {outside} of {len(rows)} pairs of vote sets are outside their interval.",
            figure,
        )  # fmt: skip


def predictive_words(study: StudyFolder) -> Iterator[str]:
    """How many observations are outside what was drawn."""
    names = {VOTES: "counts of votes by gold class", WINS: "shares of wins"}
    for method, model, check, rows in predicted_of(study):
        outside, many = count_misses(rows, study.level)
        whose = f"{method} with {model}" if len(study.models) > 1 else method
        says = "more than a model that is right would miss" if many else "as chance allows"
        yield (
            f"{whose}: {outside} of {len(rows)} {names.get(check, check)} lie outside the "
            f"{percent(study.level)} interval; {says}."
        )


ROW_HEIGHT = 0.17  # inches
BAND = "#DDE7F0"


def draw_study_estimates(
    table: pd.DataFrame, label: str, zero: bool
) -> tuple[Figure, list[dict[str, Any]]]:
    """A row for each estimate, under a heading for each group; and the rows from top to bottom.

    The table has group (a model, say; "" for none), method, estimate, lower, upper,
    diagnostics_passed, misfit (1 where gold labels contradict the row) and chosen (the answer).
    The axis has a `label`, and a line at 0 where that is asked for by `zero`.
    """
    rows, places, labels, headings, place = list[dict[str, Any]](), [], [], [], 0.0
    for group, own in table.groupby("group", sort=False):
        if group:
            headings.append((place, str(group)))
            place += 1
        for row in records_of(own):
            against = " (contradicted)" if row["misfit"] == 1 else ""
            against = against if row["diagnostics_passed"] else " (not converged)"
            rows.append(row)
            places.append(place)
            labels.append(row["method"] + against)
            place += 1
        place += 0.3
    figure, ((axes,),) = new_figure(1, 1, 0.55 + ROW_HEIGHT * place, COLUMN_WIDTH)
    for at, row in zip(places, rows, strict=True):
        style, ends = style_of(row["method"]), [row["lower"], row["upper"]]
        if row["chosen"]:
            axes.axhspan(at - 0.5, at + 0.5, color=BAND, linewidth=0, zorder=0)
        if np.isfinite(ends).all():
            axes.plot(ends, [at, at], color=style.colour, linewidth=1.6)
        face = style.colour if row["diagnostics_passed"] else "white"
        axes.plot(row["estimate"], at, marker=style.marker, color=style.colour, markersize=5,
                  markerfacecolor=face)  # fmt: skip
    for at, group in headings:
        axes.text(
            0.01, at, literal(group), transform=axes.get_yaxis_transform(), va="center",
            fontsize=7.5, fontweight="bold",
        )  # fmt: skip
    axes.set_yticks(places, labels)
    axes.set_ylim(place - 0.6, -0.7)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.margins(x=0.06)
    if zero:
        axes.axvline(0, color="#444444", linewidth=0.8, linestyle=":")
    axes.set_xlabel(label)
    return figure, rows


INK, PALE = "#0072B2", "#c9ced6"
WITHOUT_GOLD = "Bars: what votes and scores allow without gold labels."
MOST_ANSWERS = 30  # rows of one figure of answers


def draw_study_answers(answers: Sequence[tuple[str, str, Answer]]) -> Figure:
    """A row for each answer, under its heading: its interval, and behind it what gold labels alone
    and the votes alone say; a range without gold labels. Each comes with its heading and label.
    """
    places, labels, headings = list[float](), list[str](), list[tuple[float, str]]()
    place, last = 0.0, ""
    for heading, label, _ in answers:
        if heading != last:
            place += 0.3 * bool(places)
            headings.append((place, heading))
            place, last = place + 1, heading
        places.append(place)
        labels.append(literal(label))
        place += 1
    figure, ((axes,),) = new_figure(1, 1, 0.75 + ROW_HEIGHT * place, COLUMN_WIDTH)
    drawn: dict[str, Any] = {}
    for at, (_, _, answer) in zip(places, answers, strict=True):
        value, alone, allowed = answer.value, answer.alone, answer.allowed
        own = None if value is None else value.method
        if alone is not None and alone.ends and alone.method != own:
            (drawn["gold labels alone"],) = axes.plot(
                alone.ends, [at, at], color=PALE, linewidth=6, solid_capstyle="butt"
            )
        if allowed is not None and allowed.ends:
            (drawn["a range, without gold labels"],) = axes.plot(
                allowed.ends, [at, at], color="#E69F00", linewidth=4, solid_capstyle="butt"
            )
        if value is not None and value.ends and value.estimate is not None and not allowed:
            (drawn["the answer"],) = axes.plot(value.ends, [at, at], color=INK, linewidth=1.6)
            axes.plot(value.estimate, at, marker="o", color=INK, markersize=4.5)
        if answer.votes_alone is not None:
            (drawn["votes taken for the truth"],) = axes.plot(
                answer.votes_alone, at, marker="D", color="#D55E00", markersize=3.6,
                markerfacecolor="none", linestyle="none",
            )  # fmt: skip
    for at, heading in headings:
        axes.text(-0.02, at, literal(heading), transform=axes.get_yaxis_transform(), va="center",
                  ha="right", fontsize=7.5, fontweight="bold")  # fmt: skip
    axes.set_yticks(places, labels)
    axes.set_ylim(place - 0.5, -0.6)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.margins(x=0.04)
    if all(answer.of.is_difference for _, _, answer in answers):
        axes.axvline(0, color="#444444", linewidth=0.8, linestyle=":")
        axes.set_xlabel("difference")
    order = [name for name in ("the answer", "gold labels alone", "a range, without gold labels",
             "votes taken for the truth") if name in drawn]  # fmt: skip
    if order:
        figure.legend([drawn[name] for name in order], order, loc="outside upper left",
                      ncols=2, fontsize=6.5, frameon=False, handlelength=1.6)  # fmt: skip
    return figure


# Colour and line of the first, second ... model.
LOOKS = (("#0072B2", "-"), ("#D55E00", "--"), ("#009E73", "-."), ("#AA4499", ":"))
MOST_LINES = len(LOOKS)  # models that one figure can show
PR, ROC = "PR", "ROC"
AXES = {PR: ("recall", "precision"), ROC: ("false positive rate", "recall (TPR)")}


def _bar(point: Mapping[str, float], side: str) -> list[list[float]] | None:
    """The lengths of a bar to both sides of the point, where it has an interval."""
    if f"{side}_lower" not in point:
        return None
    lower, upper = point[f"{side}_lower"], point[f"{side}_upper"]
    return [[max(0.0, point[side] - lower)], [max(0.0, upper - point[side])]]


def draw_study_curves(
    table: pd.DataFrame, curve: str, voters: Mapping[str, float] | None, chance: float | None
) -> Figure:
    """A curve, PR or ROC, and its band for each of at most `MOST_LINES` models.

    The table has model (as it is named in the figure), at, estimate, lower and upper; `voters` is
    the point x, y of a single voter, with the ends of intervals x_lower, x_upper, y_lower, y_upper
    where there are any; `chance` the precision of a random ranking.
    """
    figure, ((axes,),) = new_figure(1, 1, 3.3, COLUMN_WIDTH)
    if curve == ROC:
        axes.plot([0, 1], [0, 1], color="#777777", linewidth=0.8, linestyle=":")
    elif chance is not None:
        axes.axhline(chance, color="#777777", linewidth=0.8, linestyle=":")
    for model, (colour, line) in zip(dict.fromkeys(table["model"]), LOOKS, strict=False):
        rows = table[table["model"] == model].sort_values("at")
        axes.fill_between(
            rows["at"], rows["lower"], rows["upper"], color=colour, alpha=0.2, linewidth=0
        )
        axes.plot(
            rows["at"], rows["estimate"], color=colour, linestyle=line, label=literal(model),
            linewidth=1.4,
        )  # fmt: skip
    if voters:
        axes.errorbar(
            voters["x"], voters["y"], xerr=_bar(voters, "x"), yerr=_bar(voters, "y"), color="black",
            marker="*", markersize=9, markeredgecolor="white", markeredgewidth=0.5,
            linestyle="none", elinewidth=1.0, capsize=2, label="a single voter", zorder=5,
        )  # fmt: skip
    x, y = AXES[curve]
    axes.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.02), xlabel=x, ylabel=y)
    axes.set_aspect("equal")
    axes.legend(loc="lower right" if curve == ROC else "best", frameon=True, framealpha=0.85,
                edgecolor="none", fontsize=7)  # fmt: skip
    return figure


ACROSS, MOST_PANELS = 3, 12  # panels in a row, and in all; every metric is in expert_errors.csv
PANEL_HEIGHT = 1.75  # inches
PANEL, ANSWER = "panel", "answer"


def draw_study_errors(
    table: pd.DataFrame, options: Mapping[str, Any]
) -> tuple[Figure, pd.DataFrame]:
    """A panel for each metric, and in it a line and its band for each model; and the table.

    The table has panel, model ("" for none), expert_error, estimate, lower, upper, answer (the
    study's, or none) and note, which says what rests on gold alone. The option `models` names those
    that have a line, in order; at most `MOST_LINES`.
    """
    panels = list(dict.fromkeys(table[PANEL]))
    if not panels:
        raise ValueError("no metric has an estimate")
    of_items = ("#333333", "-")  # of no model
    looks = {"": of_items, **dict(zip(options["models"], LOOKS, strict=False))}
    down = math.ceil(len(panels) / ACROSS)
    figure, grid = new_figure(down, ACROSS, 0.5 + PANEL_HEIGHT * down)
    places = [axes for row in grid for axes in row]
    for axes, panel in zip(places, panels, strict=False):
        for model, own in table[table[PANEL] == panel].groupby("model", sort=False):
            colour, line = looks[str(model)]
            by_gold = own["codes"].fillna("").str.contains(r"\bgold_alone\b")
            joined, apart = own[~by_gold], own[by_gold]
            error, alone = 100 * joined[ERROR], 100 * apart[ERROR]
            axes.fill_between(error, joined["lower"], joined["upper"], color=colour, alpha=0.18,
                              linewidth=0)  # fmt: skip
            axes.plot(error, joined["estimate"], color=colour, linestyle=line, linewidth=1.3,
                      marker="o", markersize=2.5)  # fmt: skip
            axes.vlines(alone, apart["lower"], apart["upper"], color=colour, alpha=0.4)
            axes.plot(alone, apart["estimate"], color=colour, linestyle="none", marker="o",
                      markersize=3.5, markerfacecolor="white")  # fmt: skip
            answer = own[ANSWER].iloc[0]
            if pd.notna(answer):
                axes.axhline(float(answer), color=colour, linestyle=":", linewidth=0.9)
        axes.set_title(panel, fontsize=8)
        axes.set_xlim(-0.5, 100 * table[ERROR].max() + 0.5)
    for axes in places[len(panels) :]:
        axes.set_visible(False)
    figure.supxlabel("wrong gold labels, assumed (%)", fontsize=8)
    if options["models"]:
        lines = [Line2D([], [], color=colour, linestyle=line, label=literal(model))
                 for model, (colour, line) in looks.items() if model]  # fmt: skip
        figure.legend(handles=lines, loc="outside upper right", ncols=len(lines), frameon=False,
                      fontsize=7)  # fmt: skip
    return figure, table


def error_figures(study: StudyFolder) -> Iterator[StudyFigure]:
    """Draw the answers against an assumed share of wrong gold labels, where there are any.

    They are those of the first models, where an interval says something.
    """
    table, names = study.tables["expert_errors"], drawn_names(study.models)
    first = study.models[:MOST_LINES]
    rows = informative_rows(table[table["model"].isin(["", *first])]).copy()
    answers = {
        (one.of.model, one.of.metric): one.value.estimate
        for one in study.answers
        if one.value and not one.of.is_comparison
    }
    rows[ANSWER] = [answers.get(key) for key in zip(rows["model"], rows["metric"], strict=True)]
    metrics = [plain_metric(metric) for metric in rows["metric"]]
    rows[PANEL] = [
        Quantity(plain).words.title + (f" at {at}" if at else "") for plain, at in metrics
    ]
    rows["model"] = [names.get(model, model) for model in rows["model"]]
    rows = rows[rows[PANEL].isin(list(dict.fromkeys(rows[PANEL]))[:MOST_PANELS])]
    if rows.empty:
        return
    figure, drawn = draw_study_errors(rows, {"models": [names[model] for model in first]})
    texts = []
    for (panel, model), own in drawn.groupby([PANEL, "model"], sort=False):
        shown = [(row, Numbers(Quantity(row["metric"]), value_of(row))) for row in records_of(own)]
        ends = [f"{numbers.point} with {100 * row[ERROR]:g} % wrong"
                for row, numbers in (shown[0], shown[-1])]  # fmt: skip
        texts.append(f"{panel}{f' of {model}' if model else ''}: {', '.join(ends)}")
    title = "Were some gold labels wrong"
    caption = (
        "What the answer would be, were so many gold labels wrong on positive and on negative "
        "items alike. Errors that all experts make on the same items cannot be seen in their "
        f"labels. Bands: {percent(study.level)} intervals; open points: from the "
        "gold labels alone. Dotted: the answer. A line ends where "
        "the gold labels contradict the error, or an interval says next to nothing."
    )
    left = len(study.models) - MOST_LINES
    caption += f" {left} more models in expert_errors.csv." if left > 0 else ""
    yield StudyFigure("wrong-gold", title, caption, f"{title}. {'; '.join(texts)}.", figure)


GROUPS_OF_A_FIGURE = 6
APART = (
    "An answer at a threshold is corrected by itself, as each point here is, so that it may lie a "
    "little beside the curve."
)
MOST_GROUPS = 24  # models, or pairs of them, drawn for a metric; all are in estimates.csv


def _in_chunks(values: Sequence[Any], size: int) -> list[Sequence[Any]]:
    """The first `MOST_GROUPS` values in lists of a size."""
    some = values[:MOST_GROUPS]
    return [some[start : start + size] for start in range(0, len(some), size)]


def key_of_names(study: StudyFolder) -> str:
    """Which models figures call by other names than their own, in words; empty if none."""
    names = drawn_names(study.models)
    return "; ".join(f"{ours} is {name}" for name, ours in names.items() if ours != name)


def _group(of: Quantity, names: Mapping[str, str]) -> str:
    """Name the model, or the pair, and the threshold that a number is of."""
    model = names.get(of.model, of.model)
    if of.is_comparison:
        model = f"{model} − {names.get(of.against, of.against)}"
    return f"{model}, from {of.at.replace('|', ' and ')}" if of.at else model


def _drawn(answer: Answer) -> str:
    """What is drawn of an answer that is known: its number, or its range without gold labels."""
    if answer.allowed:
        return Numbers(answer.of, Value("", None, *(answer.allowed.ends or (None, None)))).ends
    return Numbers(answer.of, answer.value).point if answer.value else "none"


def answer_figures(study: StudyFolder) -> Iterator[StudyFigure]:
    """Draw all answers, a row each: first the values, then the differences."""
    names = drawn_names(study.models)
    several = len(study.models) > 1
    for differences in (False, True):
        rows = []
        for answer in study.answers:
            of = answer.of
            if of.is_difference != differences or not answer.is_known:
                continue
            whose = names.get(of.model, of.model)
            if of.is_comparison:
                whose = f"{whose} − {names.get(of.against, of.against)}"
            elif of.against_voters:
                whose = f"{whose} − a voter"
            own = of.model and (several or differences)
            rows.append((of.symbol, whose, answer) if own else ("", of.symbol, answer))
        order = list(dict.fromkeys(heading for heading, _, _ in rows))
        rows.sort(key=lambda row: order.index(row[0]))
        chunks = [rows[at : at + MOST_ANSWERS] for at in range(0, len(rows), MOST_ANSWERS)]
        for number, some in enumerate(chunks, start=1):
            title = "Differences" if differences else "Values"
            title += f" ({number} of {len(chunks)})" if len(chunks) > 1 else ""
            told = [f"{heading} {label}: {_drawn(one)}".strip() for heading, label, one in some]
            kind = "difference" if differences else "value"
            yield StudyFigure(
                f"answer-{kind}-{number}", title,
                WITHOUT_GOLD if any(one.allowed for _, _, one in some)
                else f"Lines: {percent(study.level)} intervals; wide bars: gold labels alone.",
                f"{title}. {'; '.join(told)}.", draw_study_answers(some),
            )  # fmt: skip


def estimate_figures(
    study: StudyFolder, compares: bool, metric: str | None = None
) -> Iterator[StudyFigure]:
    """Draw every method's estimate of each metric, or one; or of the differences of models."""
    rows, names = study.of_all("estimates"), drawn_names(study.models)
    chosen = {(one.of, one.value.method) for one in study.answers if one.value}
    quantities = list(map(quantity_of, records_of(rows)))
    rows = rows.assign(
        group=[_group(of, names) for of in quantities],
        quantity=[of.plain for of in quantities],
        compares=[of.is_comparison for of in quantities],
        chosen=[key in chosen for key in zip(quantities, rows["method"], strict=True)],
    )
    rows = rows[(rows["compares"] == compares) & np.isfinite(rows["estimate"])]
    if metric is not None:
        rows = rows[rows["quantity"] == metric]
    for metric in dict.fromkeys(rows["quantity"]):
        own = rows[rows["quantity"] == metric]
        groups, words = list(dict.fromkeys(own["group"])), Quantity(metric).words
        label = f"difference in {words.symbol}" if compares else words.axis
        zero = compares or Quantity(metric).against_voters
        left = len(groups) - MOST_GROUPS
        caption = "Shaded: the answer. "
        caption += "Right of 0: the first model is ahead. " if compares else ""
        caption += f"{left} more in estimates.csv. " if left > 0 else ""
        chunks = _in_chunks(groups, GROUPS_OF_A_FIGURE)
        for number, some in enumerate(chunks, start=1):
            figure, drawn = draw_study_estimates(own[own["group"].isin(some)], label, zero)
            title = words.title + (", difference" if compares else "")
            if len(chunks) > 1:
                title += f" ({number} of {len(chunks)})"
            texts = []
            for row in drawn:
                numbers = Numbers(quantity_of(row), value_of(row))
                of = f"{row['group']}, " if row["group"] else ""
                texts.append(
                    f"{of}{row['method']}: {numbers.point}, {numbers.interval(study.level)}"
                )
            kind = "difference" if compares else "estimates"
            yield StudyFigure(
                f"{kind}-{metric}-{number}".replace("_", "-"), title,
                f"{caption}Bars: {percent(study.level)} intervals.",
                f"{title} by each method. {'; '.join(texts)}.", figure,
            )  # fmt: skip


def _answer(study: StudyFolder, metric: str) -> Value | None:
    """The answer of a metric of labels alone, if it has a number."""
    values = (one.value for one in study.answers if one.of == Quantity(metric))
    return next((one for one in values if one and one.estimate is not None), None)


def _voters_point(study: StudyFolder, curve: str) -> dict[str, float] | None:
    """A single voter's point on a curve with its intervals, for `draw_study_curves`, or None."""
    tpr, tnr, share = (_answer(study, name) for name in ("TPR_H", "TNR_H", "prevalence"))
    if tpr is None or tnr is None or tpr.estimate is None or tnr.estimate is None:
        return None
    ends = {"lower": tpr.lower, "upper": tpr.upper}
    recall = {name: end for name, end in ends.items() if end is not None}
    if curve == ROC:
        point = {"x": 1 - tnr.estimate, "y": tpr.estimate}
        if tnr.lower is not None and tnr.upper is not None:
            point |= {"x_lower": 1 - tnr.upper, "x_upper": 1 - tnr.lower}
        return point | {f"y_{end}": value for end, value in recall.items()}
    if share is None or share.estimate is None:
        return None
    hits = share.estimate * tpr.estimate
    alarms = (1 - share.estimate) * (1 - tnr.estimate)
    if hits + alarms <= 0:
        return None
    point = {"x": tpr.estimate, "y": hits / (hits + alarms)}
    return point | {f"x_{end}": value for end, value in recall.items()}


def curve_figures(study: StudyFolder) -> Iterator[StudyFigure]:
    """Draw the models' curves, a few models a figure: by the method of the AUC, if it has any."""
    curves, names, methods = study.of_all("curves"), drawn_names(study.models), dict[str, str]()
    aucs = {one.of.model: one.value.method for one in study.answers
            if one.of.metric == "AUC" and one.value}  # fmt: skip
    for model in study.models:
        have = set(curves.loc[(curves["model"] == model) & curves["estimate"].notna(), "method"])
        chosen = [aucs[model]] if model in aucs else []
        if have:
            methods[model] = next(name for name in (*chosen, *offered(), *have) if name in have)
    share, level = _answer(study, "prevalence"), study.level
    for curve, title in ((PR, "Precision and recall"), (ROC, "ROC curve")):
        voters = _voters_point(study, curve)
        chance = None if share is None else share.estimate
        for number, some in enumerate(_in_chunks(list(methods), MOST_LINES), start=1):
            of_models = [
                curves[(curves["model"] == name) & (curves["method"] == methods[name])].assign(
                    model=names[name]
                )
                for name in some
            ]
            rows = pd.concat(of_models)
            rows = rows[(rows["curve"] == curve) & rows["estimate"].notna()]
            if rows.empty:
                continue
            figure = draw_study_curves(rows, curve, voters, chance)
            by = ", ".join(dict.fromkeys(methods[name] for name in some))
            heading = title if len(methods) <= MOST_LINES else f"{title} ({number})"
            bars = "intervals of FPR and TPR" if curve == ROC else "interval of recall"
            point = f"; star: a single voter, with the {bars}" if voters else ""
            caption = f"Bands: pointwise {percent(level)} intervals by {by}{point}."
            if curve == ROC:
                caption += f" {APART}"
            if curve == PR and share is not None:
                caption += " Dotted: a random ranking."
            texts = []
            for drawn_as, own in rows.groupby("model", sort=False):
                near = [own.iloc[(own["at"] - at).abs().argmin()] for at in (0.1, 0.25, 0.5, 0.75)]
                values = (f"{one['estimate']:.2f} at {one['at']:.2f}" for one in near)
                texts.append(f"{drawn_as}: {', '.join(values)}")
            what = "precision at recalls" if curve == PR else "recall at false positive rates"
            yield StudyFigure(
                f"curve-{curve.lower()}-{number}", heading, caption,
                f"{heading}. {what}: {'; '.join(texts)}. Bands are {percent(level)} intervals.",
                figure,
            )  # fmt: skip
