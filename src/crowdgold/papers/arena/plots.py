"""The arena as heat maps: a cell's colour says its coverage, its number the width of intervals."""

import re
import textwrap
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import groupby
from string import Formatter
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from crowdgold.methods.registry import baseline as method_of_gold_alone
from crowdgold.metrics.binary import label_of
from crowdgold.papers.arena.table import (
    INSIDE,
    LONG,
    NONE,
    SHORT,
    arena_cells,
    by_fewest_short,
    judged,
)
from crowdgold.plots.style import PAGE_WIDTH, Plot, count_replicates, new_figure
from crowdgold.types.notes import CATALOGUE

COVERS, UNSURE, COVERS_TOO_MUCH, EMPTY = "#DCE9F5", "#FFF3B0", "#9CC4E4", "#F4F4F4"
GAP = 0.05
"""Coverage that is further than this below the nominal has the colour `UNSURE`, though with few
replicates it may lie inside its band."""
WORDS = {
    "no_gold_labels": "gold", "one_gold_label": "gold", "no_classes": "gold", "one_class": "gold",
    "no_scores": "score", "metric_of_scores": "score", "no_agents": "agent",
    "no_annotators": "who", "no_few_annotators": "who", "not_few_annotators": "who",
    "errors_unknown": "experts", "no_votes": "votes", "no_several": "votes", "no_oracle": "truth",
    "no_package": "package", "estimates_others": "metric",
}  # fmt: skip
"""Code of the reason for an empty cell -> the word that stands in the cell."""
OTHER = "other"


@cache
def word_of(reason: str) -> str:
    """The word that stands in cells for a reason; `OTHER` for one that is not known.

    Summaries have the sentence alone, whose code the catalogue tells.
    """
    for code, word in WORDS.items():
        parts = [re.escape(text) + ".*" * (place is not None)
                 for text, place, *_ in Formatter().parse(CATALOGUE[code].text)]  # fmt: skip
        if re.fullmatch("".join(parts), reason):
            return word
    return OTHER


def _is_unsure(cell: Mapping[str, Any]) -> bool:
    """Whether coverage is clearly less than nominal and yet not clear of its band."""
    return cell["verdict"] == INSIDE and cell["coverage"] < cell["level"] - GAP


def _shortfall(share: float) -> Any:
    """The colour of coverage below its band, from just below (0) to none (1)."""
    return LinearSegmentedColormap.from_list("", ["#FDAE6B", "#E6550D", "#7F2704"])(share)


def colour_of_coverage(cell: Mapping[str, Any]) -> Any:
    """The colour of a cell's coverage."""
    if cell["verdict"] == SHORT:
        return _shortfall(float(1 - cell["coverage"] / cell["band_low"]))
    if cell["verdict"] == LONG:
        return COVERS_TOO_MUCH
    return UNSURE if _is_unsure(cell) else COVERS


def _write(axes: Axes, x: float, y: int, text: str, **look: Any) -> None:
    """Write in a cell; texts are many, and no part of the layout."""
    axes.text(x, y, text, ha="center", va="center", **look).set_in_layout(False)


def _write_reasons(axes: Axes, y: int, reasons: Mapping[int, str], points: float) -> None:
    """Write why cells of a row, so many `points` wide, are empty: the word of each such place,
    once for neighbours that share it.
    """
    # Neighbours have the same distance to their number in the row of empty cells.
    numbered = enumerate(sorted(reasons))
    for _, run in groupby(numbered, lambda one: (one[1] - one[0], reasons[one[1]])):
        places = [place for _, place in run]
        word = reasons[places[0]]
        # A character takes some .6 of its height.
        size = min(5.0, len(places) * points / (0.6 * len(word)))
        _write(
            axes, (places[0] + places[-1]) / 2, y, word, fontsize=size, color="#666666",
            style="italic",
        )  # fmt: skip


def _panel(axes: Axes, cells: pd.DataFrame, worlds: Sequence[str], methods: Sequence[str]) -> None:
    """Draw the heat map of a metric: a row for each of `methods`, a column for each of `worlds`."""
    colours = np.ones((len(methods), len(worlds), 3))
    reasons: list[dict[int, str]] = [{} for _ in methods]
    for cell in cells[cells["method"].isin(methods)].to_dict("records"):
        named = {str(key): value for key, value in cell.items()}
        x, y = worlds.index(named["world"]), methods.index(named["method"])
        if named["verdict"] == NONE:
            colours[y, x] = to_rgb(EMPTY)
            reasons[y][x] = word_of(str(named["reason"]))
            continue
        red, green, blue = colours[y, x] = to_rgb(colour_of_coverage(named))
        width = named["width_ratio"]
        text = f"{100 * width:.0f}" if np.isfinite(width) else "–"
        # Black or white, whichever can be read.
        ink = "#000000" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "#FFFFFF"
        _write(axes, x, y, text, fontsize=6.0, color=ink)
    for y, row in enumerate(reasons):
        # The methods' names take 1.1 inches, left of the cells.
        _write_reasons(axes, y, row, 72 * (PAGE_WIDTH - 1.1) / len(worlds))
    axes.imshow(colours, aspect="auto", interpolation="nearest")
    for edge in np.arange(0.5, len(worlds) - 1):
        axes.axvline(edge, color="white", linewidth=0.6)
    for edge in np.arange(0.5, len(methods) - 1):
        axes.axhline(edge, color="white", linewidth=0.6)
    axes.set_xticks([])
    axes.set_yticks(range(len(methods)), methods, fontsize=7)
    axes.tick_params(length=0)
    axes.grid(False)
    for side in axes.spines.values():
        side.set_visible(False)


def _legend(figure: Figure, cells: pd.DataFrame) -> None:
    """Explain the colours that the cells have."""
    there = set(cells["verdict"])
    unsure = any(_is_unsure(dict(cell)) for _, cell in cells.iterrows())
    known: list[tuple[bool, Any, str]] = [
        (True, COVERS, "covers"),
        (unsure, UNSURE, "lower, not clear"),
        (SHORT in there, _shortfall(0.2), "too short (darker: less often right)"),
        (SHORT in there, _shortfall(1.0), "never covers"),
        (LONG in there, COVERS_TOO_MUCH, "covers too often"),
    ]
    handles = [Patch(facecolor=colour, label=words) for shown, colour, words in known if shown]
    figure.legend(
        handles=handles, loc="outside upper center", ncols=len(handles), frameon=False, fontsize=7,
        handlelength=1.2, columnspacing=1.0,
    )  # fmt: skip


def _rowless_methods(cells: pd.DataFrame, methods: Sequence[str]) -> str:
    """Name the methods that have no row, with the words of the reasons."""
    absent = cells[~cells["method"].isin(methods)]
    words = absent.groupby("method", sort=False)["reason"].agg(
        lambda reasons: ", ".join(sorted({word_of(str(one)) for one in reasons}))
    )
    of_words = pd.Series(words.index, index=words.to_numpy()).groupby(level=0)
    parts = [f"{', '.join(own)} ({word})" for word, own in of_words]
    return textwrap.fill(f"no intervals: {'; '.join(parts)}", 130) if parts else ""


def _reasons(cells: pd.DataFrame) -> dict[str, str]:
    """Why cells are empty, each with its word; what follows a semicolon, which differs between
    settings, is cut off.
    """
    found = map(str, cells.loc[cells["verdict"] == NONE, "reason"])
    return {one.partition(";")[0]: word_of(one) for one in found}


def draw_arena(
    table: pd.DataFrame, *, metrics: Sequence[str], baseline: str | None = None,
    by: Sequence[str] = (), labels: Mapping[str, Any] | None = None,
) -> tuple[Figure, pd.DataFrame]:  # fmt: skip
    """Draw coverage, as colours, and width relative to the baseline's of methods in worlds.

    A metric has a panel, named without its threshold, and a method a row where it has an interval
    in some world; those that are too short in fewest cells stand first. The table is a summary;
    other options are those of `arena_cells`. With the figure come all cells, of other metrics, too.
    """
    baseline = baseline or method_of_gold_alone()
    cells = judged(arena_cells(table, baseline, list(by), labels or {}))
    lacking = [one for one in metrics if one not in set(cells["metric"])]
    if lacking:
        there = ", ".join(dict.fromkeys(cells["metric"]))
        raise ValueError(
            f"options.metrics of the figure: no world has {lacking[0]!r}; there are {there}"
        )
    order = by_fewest_short(cells)
    shown = cells[cells["metric"].isin(metrics)].reset_index(drop=True)
    worlds = list(dict.fromkeys(shown["world"]))
    of_metric = {metric: shown[shown["metric"] == metric] for metric in metrics}
    rows = {
        metric: [one for one in order if one in set(own.loc[own["intervals"] > 0, "method"])]
        for metric, own in of_metric.items()
    }
    heights = [max(len(methods), 1) for methods in rows.values()]
    # Inches: a row has 0.15, and what is above and below the rows of a metric 0.35.
    height = 1.8 + 0.08 * len(_reasons(shown)) + 0.35 * len(heights) + 0.15 * sum(heights)
    figure, axes = new_figure(len(heights), 1, height)
    grid = axes[0][0].get_gridspec()
    assert grid is not None
    grid.set_height_ratios(heights)
    # Hinted for another resolution, small texts can be wider than they were laid out.
    figure.set_layout_engine("constrained", w_pad=0.1)
    for (panel,), (metric, own) in zip(axes, of_metric.items(), strict=True):
        _panel(panel, own, worlds, rows[metric])
        what = f"coverage (colour), and width in % of {baseline}'s"
        panel.set_title(f"{label_of(metric)}: {what}", fontsize=8)
        panel.set_xlabel(_rowless_methods(own, rows[metric]), fontsize=6, color="#555555")
    axes[-1][0].set_xticks(range(len(worlds)), worlds, rotation=45, ha="right", fontsize=6.5)
    _legend(figure, shown)
    figure.supxlabel(_footer(shown), fontsize=6)
    return figure, cells


def _footer(shown: pd.DataFrame) -> str:
    """Say what the colours and the words stand for."""
    of_word: dict[str, list[str]] = {}
    for reason, word in _reasons(shown).items():
        of_word.setdefault(word, []).append(reason)
    there = shown[shown["intervals"] > 0]
    fewest = there.iloc[int(there["intervals"].argmax())]
    band = f"{fewest['band_low']:.0%} to {fewest['band_high']:.0%}"
    said = (
        f"{count_replicates(there['replicates'])}; too short: "
        f"below the binomial band at 3.5 deviations ({band} of {fewest['intervals']} intervals); "
        f"covers: inside, and {fewest['level'] - GAP:.0%} or more; lower, not clear: inside, less"
    )
    # A reason that begins with the whole of another one is left out: it only adds to that.
    words = ". ".join(
        f"{word}: {', or '.join(one for one in own if sum(map(one.startswith, own)) == 1)}"
        for word, own in of_word.items()
    )
    return f"{said}\n{words}".strip()


PLOT = Plot("arena", draw_arena)
