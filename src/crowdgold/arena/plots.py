"""The arena as heat maps: coverage of each method in each world, and width over the baseline's."""

import textwrap
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.collections import PatchCollection
from matplotlib.colors import LinearSegmentedColormap, to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle

from crowdgold.arena.table import INSIDE, LONG, NONE, SHORT, arena_cells, by_fewest_short, judged
from crowdgold.methods.registry import baseline as gold_alone
from crowdgold.metrics import label_of
from crowdgold.plotting.plot import Plot
from crowdgold.plotting.series import count_replicates
from crowdgold.plotting.style import new_figure

COVERS, UNSURE, COVERS_TOO_MUCH, EMPTY = "#DCE9F5", "#FFF3B0", "#9CC4E4", "#F4F4F4"
LESS = 0.05
"""Coverage that is less than nominal by more than this is not shown as coverage, though too few
replicates may leave it inside its band."""
HATCH = "#C0662D"
SHORTFALL = LinearSegmentedColormap.from_list("shortfall", ["#FDAE6B", "#E6550D", "#7F2704"])
"""Colours of coverage below its band, from just below to none."""
WIDEST = 4.0
"""Ratio of widths at which the colours end; a quarter at the other end."""
CELL, GAP = 0.145, 0.42
"""Inches of a row, and of what is above and below the rows of a metric."""
MOST_UPRIGHT = 20
"""Settings up to which numbers stand upright in their cells; of more they are turned."""
FOLD = 88
"""Characters of a line below a panel."""

WORDS = {
    "it needs gold labels": "gold",
    "it needs scores": "score",
    "the metric needs scores": "score",
    "it needs to know whose": "agent",
    "it needs to know who": "who",
    "it needs to know how often experts": "experts",
    "it needs items with several": "votes",
    "it needs P(Y | V)": "truth",
    "it needs the package": "package",
    "it estimates": "metric",
}
"""How a reason begins -> the word for it in cells."""
OTHER = "other"


def word_of(reason: str) -> str:
    """The word that stands in cells for a reason; `OTHER` for one that is not known."""
    return next((word for start, word in WORDS.items() if reason.startswith(start)), OTHER)


def _is_unsure(cell: Mapping[str, Any]) -> bool:
    """Whether coverage is clearly less than nominal and yet not clear of its band."""
    return cell["verdict"] == INSIDE and cell["coverage"] < cell["level"] - LESS


def colour_of_coverage(cell: Mapping[str, Any]) -> Any:
    """The colour of a cell's coverage."""
    if cell["verdict"] == SHORT:
        return SHORTFALL(float(1 - cell["coverage"] / cell["band_low"]))
    if cell["verdict"] == LONG:
        return COVERS_TOO_MUCH
    return UNSURE if _is_unsure(cell) else COVERS


def _colour_of_width(cell: Mapping[str, Any]) -> Any:
    if not np.isfinite(cell["width_ratio"]):
        return EMPTY
    place = np.log(max(cell["width_ratio"], 1e-3)) / np.log(WIDEST)
    # Green where narrower, purple where wider: told apart by the colour-blind.
    return mpl.colormaps["PRGn"](float(np.clip(0.5 - 0.4 * place, 0.1, 0.9)))


def _ink(colour: Any) -> str:
    """Black or white, whichever can be read on a colour."""
    red, green, blue = to_rgb(colour)
    return "#000000" if 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 else "#FFFFFF"


def _percent(share: float) -> str:
    return f"{100 * share:.0f}" if np.isfinite(share) else "–"


def _write(axes: Axes, x: float, y: int, text: str, **look: Any) -> None:
    """Write in a cell; texts are many, and no part of the layout."""
    axes.text(x, y, text, ha="center", va="center", **look).set_in_layout(False)


def _write_reasons(axes: Axes, y: int, reasons: Mapping[int, str], turn: int) -> None:
    """Write why cells of a row are empty, once for neighbours that share the reason.

    Args:
        axes, y: the panel and the row.
        reasons: place of an empty cell -> its reason's word.
        turn: degrees by which the word of a single cell is turned.
    """
    # Neighbours have the same distance to their number in the row of empty cells.
    numbered = enumerate(sorted(reasons))
    for _, run in groupby(numbered, lambda one: (one[1] - one[0], reasons[one[1]])):
        places = [place for _, place in run]
        alone = len(places) == 1
        middle = (places[0] + places[-1]) / 2
        _write(
            axes, middle, y, reasons[places[0]], fontsize=3.9 if alone else 4.6, color="#666666",
            style="italic", rotation=turn if alone else 0,
        )  # fmt: skip


def _panel(
    axes: Axes,
    cells: pd.DataFrame,
    kind: str,
    worlds: Sequence[str],
    methods: Sequence[str],
) -> None:
    """Draw a heat map of coverage, or of widths."""
    colours = np.ones((len(methods), len(worlds), 3))
    hatched, turn = [], 90 if len(worlds) > MOST_UPRIGHT else 0
    reasons: list[dict[int, str]] = [{} for _ in methods]
    for cell in cells[cells["method"].isin(methods)].to_dict("records"):
        named = {str(key): value for key, value in cell.items()}
        x, y = worlds.index(named["world"]), methods.index(named["method"])
        if named["verdict"] == NONE:
            colours[y, x] = to_rgb(EMPTY)
            reasons[y][x] = word_of(str(named["reason"]))
            continue
        colour = colour_of_coverage(named) if kind == "coverage" else _colour_of_width(named)
        colours[y, x] = to_rgb(colour)
        text, ink = _percent(named[kind]), _ink(colour)
        _write(axes, x, y, text, fontsize=4.6, color=ink, rotation=turn)
        if kind != "coverage" and named["verdict"] == SHORT and np.isfinite(named["width_ratio"]):
            hatched.append(Rectangle((x - 0.5, y - 0.5), 1, 1))
    for y, row in enumerate(reasons):
        _write_reasons(axes, y, row, turn)
    axes.imshow(colours, aspect="auto", interpolation="nearest")
    under = PatchCollection(hatched, facecolor="none", edgecolor=HATCH, hatch="////", linewidth=0)
    axes.add_collection(under)
    for edge in np.arange(0.5, len(worlds) - 1):
        axes.axvline(edge, color="white", linewidth=0.4)
    for edge in np.arange(0.5, len(methods) - 1):
        axes.axhline(edge, color="white", linewidth=0.4)
    axes.set_xticks([])
    axes.set_yticks(range(len(methods)), methods, fontsize=6)
    axes.tick_params(length=0)
    axes.grid(False)
    for side in axes.spines.values():
        side.set_visible(False)


def _legend(figure: Figure, cells: pd.DataFrame, baseline: str) -> None:
    """Explain the colours that are there."""
    there = set(cells["verdict"])
    unsure = any(_is_unsure(dict(cell)) for _, cell in cells.iterrows())
    widths = {ratio: _colour_of_width({"width_ratio": ratio}) for ratio in (0.5, 2.0)}
    narrow = Patch(facecolor="white", edgecolor=HATCH, hatch="////", label="narrow, but too short")
    handles = [
        Patch(facecolor=COVERS, label="covers"),
        *([Patch(facecolor=UNSURE, label="lower, not clear")] if unsure else []),
        *([Patch(facecolor=SHORTFALL(0.2), label="too short")] if SHORT in there else []),
        *([Patch(facecolor=SHORTFALL(1.0), label="never covers")] if SHORT in there else []),
        *([Patch(facecolor=COVERS_TOO_MUCH, label="covers too often")] if LONG in there else []),
        Patch(facecolor=widths[0.5], label=f"narrower than {baseline}"),
        Patch(facecolor=widths[2.0], label="wider"),
        *([narrow] if SHORT in there else []),
    ]
    figure.legend(
        handles=handles, loc="outside upper center", ncols=8, frameon=False, fontsize=6,
        handlelength=1.2, columnspacing=1.0,
    )  # fmt: skip


def _without(cells: pd.DataFrame, methods: Sequence[str]) -> str:
    """Name the methods that have no row, with the words of the reasons."""
    absent = cells[~cells["method"].isin(methods)]
    words = absent.groupby("method", sort=False)["reason"].agg(
        lambda reasons: ", ".join(sorted({word_of(str(one)) for one in reasons}))
    )
    of_words = pd.Series(words.index, index=words.to_numpy()).groupby(level=0)
    parts = [f"{', '.join(own)} ({word})" for word, own in of_words]
    return textwrap.fill(f"no intervals: {'; '.join(parts)}", FOLD) if parts else ""


def _reasons(cells: pd.DataFrame) -> list[str]:
    """Why cells are empty, without what a setting has in its place, behind a semicolon."""
    found = cells.loc[cells["verdict"] == NONE, "reason"]
    return list(dict.fromkeys(str(one).partition(";")[0] for one in found))


def _new_grid(heights: list[int], shown: pd.DataFrame) -> tuple[Figure, Any]:
    """A figure with a line of two panels for each metric, as high as its methods need."""
    reasons = _reasons(shown)
    height = 1.8 + 0.08 * len(reasons) + GAP * len(heights) + CELL * sum(heights)
    figure, axes = new_figure(len(heights), 2, height)
    grid = axes[0][0].get_gridspec()
    assert grid is not None
    grid.set_height_ratios(heights)
    # Hinted for another resolution, small texts can be wider than they were laid out.
    figure.set_layout_engine("constrained", w_pad=0.1)
    return figure, axes


def draw_arena(
    table: pd.DataFrame,
    *,
    metrics: Sequence[str],
    baseline: str | None = None,
    by: Sequence[str] = (),
    labels: Mapping[str, Any] | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """Draw coverage, and width relative to the baseline's, of methods in worlds.

    A method has a row where it has an interval in some world; those that hold in most cells of the
    table stand first.

    Args:
        table: a summary of replicates of the worlds' experiments.
        metrics: a line of panels each, named without thresholds.
        baseline: the method whose widths are compared with.
        by: settings whose values are worlds.
        labels: experiment -> the words that stand for it.

    Returns:
        the figure, and all cells, of other metrics, too (`arena.table.COLUMNS` and `verdict`).

    Raises:
        ValueError: where no world has one of the metrics.
    """
    baseline = baseline or gold_alone()
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
    figure, axes = _new_grid([max(len(methods), 1) for methods in rows.values()], shown)
    for line, (metric, own) in zip(axes, of_metric.items(), strict=True):
        for panel, kind in zip(line, ("coverage", "width_ratio"), strict=True):
            _panel(panel, own, kind, worlds, rows[metric])
            what = "coverage, %" if kind == "coverage" else f"width, % of {baseline}'s"
            panel.set_title(f"{label_of(metric)}: {what}", fontsize=8)
        line[0].set_xlabel(_without(own, rows[metric]), fontsize=5, color="#666666")
        line[1].set_yticklabels([])
    for panel in axes[-1]:
        panel.set_xticks(range(len(worlds)), worlds, rotation=55, ha="right", fontsize=6)
    _legend(figure, shown, baseline)
    figure.supxlabel(_footer(shown), fontsize=6)
    return figure, cells


def _footer(shown: pd.DataFrame) -> str:
    """Say what the colours and the words stand for."""
    of_word: dict[str, list[str]] = {}
    for reason in _reasons(shown):
        of_word.setdefault(word_of(reason), []).append(reason)
    there = shown[shown["intervals"] > 0]
    fewest = there.iloc[int(there["intervals"].argmax())]
    band = f"{fewest['band_low']:.0%} to {fewest['band_high']:.0%}"
    lines = [
        f"{count_replicates(there['replicates'].max(), there['replicates'].min())}; too short: "
        f"below the binomial band at 3.5 deviations ({band} of {fewest['intervals']} intervals); "
        f"covers: inside, and {fewest['level'] - LESS:.0%} or more; lower, not clear: inside, less",
        ". ".join(f"{word}: {', or '.join(reasons)}" for word, reasons in of_word.items()),
    ]
    return "\n".join(filter(None, lines))


PLOT = Plot("arena", draw_arena)
