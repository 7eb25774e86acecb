"""The answers of a user's own study against an assumed share of wrong gold labels."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from crowdgold.inference.samples import ONLY_GOLD
from crowdgold.own.evaluation.assumed_errors import ERROR, that_say_something
from crowdgold.own.evaluation.questions import HUMANS, plain_metric
from crowdgold.own.report.answers import headlines_of_all
from crowdgold.own.report.estimates_figure import LOOKS, MOST
from crowdgold.own.report.folder import StudyFolder
from crowdgold.own.report.inline_figures import StudyFigure, drawn_names, literal
from crowdgold.own.report.words import Numbers, percent, words_of
from crowdgold.plotting.style import new_figure

ACROSS, MOST_PANELS = 3, 12
"""Panels in a row, and in all; every metric is in expert_errors.csv."""
PANEL_HEIGHT = 1.75
"""Inches."""
OF_ITEMS = ("#333333", "-")
"""Colour and line of what is of the items, and of no model."""
PANEL, ANSWER = "panel", "answer"


def _panel(metric: str) -> str:
    """The words of a metric, with its threshold."""
    plain, at = plain_metric(metric)
    return words_of(plain).title + (f" at {at}" if at else "")


def _drawn(study: StudyFolder) -> pd.DataFrame:
    """The rows that are drawn: of the first models, where an interval says something."""
    table, names = study.tables["expert_errors"], drawn_names(study.models)
    models = ["", *study.models[:MOST]]
    table = that_say_something(table[table["model"].isin(models)]).copy()
    answers = {
        (row["model"], row["metric"]): row["estimate"]
        for row in headlines_of_all(study)
        if row["against"] in ("", HUMANS)
    }
    keys = zip(table["model"], table["metric"], strict=True)
    table[ANSWER] = [answers.get(key) for key in keys]
    table[PANEL] = [_panel(metric) for metric in table["metric"]]
    table["model"] = [names.get(model, model) for model in table["model"]]
    return table[table[PANEL].isin(list(dict.fromkeys(table[PANEL]))[:MOST_PANELS])]


def _draw_panel(axes: Axes, rows: pd.DataFrame, looks: Mapping[str, tuple[str, str]]) -> None:
    for model, own in rows.groupby("model", sort=False):
        colour, line = looks[str(model)]
        by_gold = own["note"].fillna("").str.startswith(ONLY_GOLD)
        joined, apart = own[~by_gold], own[by_gold]
        error, ends = 100 * joined[ERROR], (joined["lower"], joined["upper"])
        axes.fill_between(error, *ends, color=colour, alpha=0.18, linewidth=0)
        axes.plot(error, joined["estimate"], color=colour, linestyle=line, linewidth=1.3,
                  marker="o", markersize=2.5)  # fmt: skip
        axes.vlines(100 * apart[ERROR], apart["lower"], apart["upper"], color=colour, alpha=0.4)
        axes.plot(100 * apart[ERROR], apart["estimate"], color=colour, linestyle="none", marker="o",
                  markersize=3.5, markerfacecolor="white")  # fmt: skip
        answer = own[ANSWER].iloc[0]
        if pd.notna(answer):
            axes.axhline(float(answer), color=colour, linestyle=":", linewidth=0.9)


def draw_study_errors(
    table: pd.DataFrame, options: Mapping[str, Any]
) -> tuple[Figure, pd.DataFrame]:
    """Draw a panel for each metric, and in it a line and its band for each model.

    Args:
        table: rows with panel, model ("" for none), expert_error, estimate, lower, upper and
            answer, the study's answer, or none; and note, which says what rests on gold alone.
        options: `models`, the names of those that have a line, in order; at most `MOST`.

    Raises:
        ValueError: where there are no rows.
    """
    panels = list(dict.fromkeys(table[PANEL]))
    if not panels:
        raise ValueError("no metric has an estimate")
    looks = {"": OF_ITEMS, **dict(zip(options["models"], LOOKS, strict=False))}
    down = math.ceil(len(panels) / ACROSS)
    figure, grid = new_figure(down, ACROSS, 0.5 + PANEL_HEIGHT * down)
    places = [axes for row in grid for axes in row]
    for axes, panel in zip(places, panels, strict=False):
        _draw_panel(axes, table[table[PANEL] == panel], looks)
        axes.set_title(panel, fontsize=8)
        axes.set_xlim(-0.5, 100 * table[ERROR].max() + 0.5)
    for axes in places[len(panels) :]:
        axes.set_visible(False)
    figure.supxlabel("wrong gold labels, assumed (%)", fontsize=8)
    if options["models"]:
        lines = [
            Line2D([], [], color=colour, linestyle=line, label=literal(model))
            for model, (colour, line) in looks.items()
            if model
        ]
        figure.legend(handles=lines, loc="outside upper right", ncols=len(lines), frameon=False,
                      fontsize=7)  # fmt: skip
    return figure, table


def _described(rows: pd.DataFrame) -> str:
    """The two ends of each line in words."""
    texts = []
    for (panel, model), own in rows.groupby([PANEL, "model"], sort=False):
        ends = [own.iloc[0], own.iloc[-1]]
        said = (
            f"{Numbers({**one, 'against': ''}).point} with {100 * one[ERROR]:g} % wrong"
            for one in ends
        )
        texts.append(f"{panel}{f' of {model}' if model else ''}: {', '.join(said)}")
    return "; ".join(texts) + "."


def error_figures(study: StudyFolder) -> Iterator[StudyFigure]:
    """Draw the answers against an assumed share of wrong gold labels, where there are any."""
    rows = _drawn(study)
    if rows.empty:
        return
    names = drawn_names(study.models)
    models: Sequence[str] = [names[one] for one in study.models[:MOST]]
    figure, drawn = draw_study_errors(rows, {"models": models})
    title = "Were some gold labels wrong"
    caption = (
        "What the answer would be, were so many gold labels wrong on positive and on negative "
        "items alike. Errors that all experts make on the same items cannot be seen in their "
        f"labels. Bands: {percent(study.level)} intervals; open points: from the "
        "gold labels alone. Dotted: the answer. A line ends where "
        "the gold labels contradict the error, or an interval says next to nothing."
    )
    left = len(study.models) - MOST
    caption += f" {left} more models in expert_errors.csv." if left > 0 else ""
    yield StudyFigure("wrong-gold", title, caption, f"{title}. {_described(drawn)}", figure)
