"""The votes of a user's own study by gold class, against votes drawn from the fitted model."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

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
