"""The posterior predictive checks of a study's report, and the figure of votes by gold class."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from crowdgold.own.report.doubts import count_misses, misses_of
from crowdgold.own.report.folder import StudyFolder, records_of
from crowdgold.own.report.inline_figures import StudyFigure, drawn_names
from crowdgold.own.report.words import percent
from crowdgold.plotting.style import COLUMN_WIDTH, new_figure

MOST = 3
"""Numbers of votes that have a panel: those with the most items."""
OBSERVED, EXPECTED, OUTSIDE = "#9FB6CD", "#222222", "#C0392B"


def _bars(rows: pd.DataFrame) -> list[pd.Series]:
    """The lengths of bars from a mean, which an interval of few values may not hold."""
    ends = (rows["expected"] - rows["lower"], rows["upper"] - rows["expected"])
    return [end.clip(lower=0) for end in ends]


def _panel(axes: Axes, rows: pd.DataFrame) -> None:
    axes.bar(rows["votes_positive"], rows["observed"], color=OBSERVED, label="observed")
    drawn = rows[rows["expected"].notna()]
    outside = (drawn["observed"] < drawn["lower"]) | (drawn["observed"] > drawn["upper"])
    parts = (("expected", EXPECTED, "o", drawn[~outside]), ("misses", OUTSIDE, "X", drawn[outside]))
    for label, colour, marker, part in parts:
        if part.empty:
            continue
        axes.errorbar(
            part["votes_positive"], part["expected"],
            yerr=_bars(part),
            color=colour, marker=marker, linestyle="none", capsize=2.5, markersize=4.5, label=label,
        )  # fmt: skip
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_ylabel("items")
    total, items = (int(rows[name].iloc[0]) for name in ("votes_total", "items"))
    votes = "1 vote" if total == 1 else f"{total} votes"
    axes.set_title(f"{votes} an item, {items:,} items", fontsize=8)


def draw_study_votes(
    table: pd.DataFrame, options: Mapping[str, Any]
) -> tuple[Figure, pd.DataFrame]:
    """Draw a panel for each number of votes: how many items have how many positive ones.

    Args:
        table: rows of one gold class with votes_total, votes_positive, items, observed, and where
            there is a model expected, lower and upper.
        options: none.

    Returns:
        the figure and the rows that it shows: of the `MOST` most frequent numbers of votes.

    Raises:
        ValueError: where there are no rows.
    """
    if table.empty:
        raise ValueError("no votes to draw")
    frequent = table.groupby("votes_total")["items"].first().sort_values(ascending=False)
    totals = sorted(frequent.index[:MOST])
    shown = table[table["votes_total"].isin(totals)]
    figure, axes = new_figure(len(totals), 1, 0.75 + 1.45 * len(totals), COLUMN_WIDTH)
    for (panel,), total in zip(axes, totals, strict=True):
        _panel(panel, shown[shown["votes_total"] == total])
    axes[-1][0].set_xlabel("positive votes")
    handles: dict[str, Any] = {}
    for (panel,) in axes:
        for handle, label in zip(*panel.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    figure.legend(
        handles.values(), handles.keys(), loc="outside upper center", ncols=3, frameon=False
    )
    return figure, shown


def draw_study_wins(table: pd.DataFrame, options: Mapping[str, Any]) -> tuple[Figure, pd.DataFrame]:
    """Draw for pairs of vote sets how often the one is ranked above the other.

    Args:
        table: rows with observed, expected, lower and upper: shares of pairs of items.
        options: none.

    Raises:
        ValueError: where there are no rows.
    """
    if table.empty:
        raise ValueError("no wins to draw")
    figure, ((axes,),) = new_figure(1, 1, 3.3, COLUMN_WIDTH)
    outside = (table["observed"] < table["lower"]) | (table["observed"] > table["upper"])
    axes.plot([0, 1], [0, 1], color="#777777", linewidth=0.8, linestyle=":")
    for label, colour, marker, rows in (
        ("inside the interval", "#0072B2", "o", table[~outside]),
        ("outside", OUTSIDE, "X", table[outside]),
    ):
        if rows.empty:
            continue
        axes.errorbar(
            rows["observed"], rows["expected"],
            yerr=_bars(rows), color=colour,
            marker=marker, linestyle="none", elinewidth=0.8, markersize=4, label=label, alpha=0.85,
        )  # fmt: skip
    lowest = float(min(table["lower"].min(), table["observed"].min()))
    highest = float(max(table["upper"].max(), table["observed"].max()))
    edge = 0.04 * max(highest - lowest, 0.05)
    ends = (np.floor(100 * (lowest - edge)) / 100, np.ceil(100 * (highest + edge)) / 100)
    axes.set(xlim=ends, ylim=ends, xlabel="observed share of wins", ylabel="share drawn anew")
    axes.set_aspect("equal")
    axes.legend(loc="upper left", frameon=False, fontsize=7)
    return figure, table


VOTES, WINS = "votes", "wins"
CLASSES = (("negative", 0, "Gold negatives"), ("positive", 1, "Gold positives"),
           ("unlabelled", None, "Items without a gold label"))  # fmt: skip
MOST_MODELS = 12


def _observed_votes(items: pd.DataFrame) -> pd.DataFrame:
    """Count votes by gold class, where there is no fit to hold them against."""
    parts = []
    for _, value, _ in CLASSES:
        own = items[items["gold"].isna() if value is None else items["gold"] == value]
        counted = own.groupby(["votes_total", "votes_positive"]).size().rename("observed")
        table = counted.reset_index()
        table["items"] = table.groupby("votes_total")["observed"].transform("sum")
        parts.append(table.assign(gold=value))
    table = pd.concat(parts, ignore_index=True)
    return table.assign(expected=float("nan"), lower=float("nan"), upper=float("nan"))


def votes_of(study: StudyFolder) -> tuple[pd.DataFrame, str]:
    """The votes by gold class, and whose fit they are held against; "" where no one's."""
    rows = study.of_all("predictive")
    rows = rows[rows["check"] == VOTES]
    if rows.empty:
        return _observed_votes(study.items), ""
    first = rows.iloc[0]
    own = rows[(rows["model"] == first["model"]) & (rows["method"] == first["method"])]
    return own, str(first["method"])


def _described(rows: pd.DataFrame) -> str:
    texts = []
    for row in records_of(rows):
        text = f"{row['votes_positive']:.0f} of {row['votes_total']:.0f}: {row['observed']:.0f}"
        if pd.notna(row["expected"]):
            text += f" items, expected {row['lower']:.0f} to {row['upper']:.0f}"
        texts.append(text)
    return "; ".join(texts) + "."


def vote_figures(study: StudyFolder) -> Iterator[StudyFigure]:
    """Draw how many items of each gold class have how many positive votes."""
    table, method = votes_of(study)
    for name, value, title in CLASSES:
        rows = table[table["gold"].isna() if value is None else table["gold"] == value]
        if rows.empty:
            continue
        figure, drawn = draw_study_votes(rows, {})
        caption = "Bars: items observed."
        if method:
            caption = f"Bars: observed; points: drawn from {method}'s fit, {percent(study.level)} "
            caption += "intervals; red: observed outside."
        left = rows["votes_total"].nunique() - drawn["votes_total"].nunique()
        caption += f" {left} less frequent numbers of votes in predictive.csv." if left else ""
        description = f"{title} by their positive votes. {_described(drawn)}"
        yield StudyFigure(f"votes-{name}", title, caption, description, figure)


def win_figures(study: StudyFolder) -> Iterator[StudyFigure]:
    """Draw for each model how often items of one vote set are ranked above those of another."""
    rows, names = study.of_all("predictive"), drawn_names(study.models)
    rows = rows[rows["check"] == WINS]
    for number, model in enumerate(list(dict.fromkeys(rows["model"]))[:MOST_MODELS], start=1):
        own = rows[rows["model"] == model]
        own = own[own["method"] == own["method"].iloc[0]]
        method = own["method"].iloc[0]
        figure, drawn = draw_study_wins(own, {})
        outside, _ = count_misses(drawn, study.level)
        title = f"Wins by {names.get(model, model)}"
        yield StudyFigure(
            f"wins-{number}", title,
            "A point is a pair of vote sets (gold label, votes): how often the model ranks an item "
            f"of the one above one of the other, observed and drawn from {method}'s fit, with "
            f"{percent(study.level)} intervals.",
            f"{title}: {outside} of {len(drawn)} pairs of vote sets are outside their interval.",
            figure,
        )  # fmt: skip


def predictive_words(study: StudyFolder) -> list[str]:
    """Say how many observations are outside what was drawn."""
    names = {VOTES: "counts of votes by gold class", WINS: "shares of wins"}
    words = []
    for one in misses_of(study):
        whose = f"{one.method} with {one.model}" if len(study.models) > 1 else one.method
        says = "more than a model that is right would miss" if one.many else "as chance allows"
        words.append(
            f"{whose}: {one.outside} of {one.checked} {names.get(one.check, one.check)} lie "
            f"outside the {percent(study.level)} interval; {says}."
        )
    return words
