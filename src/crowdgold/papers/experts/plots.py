"""How often intervals hold where experts err, and how wide they are, by how gold is read."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crowdgold.papers.experts.check import CORRECTED, FIRST, FREE, MAJORITY, OF_EXPERTS, VERDICT
from crowdgold.plots.style import COLOURS, Plot, legend_above, new_figure, require
from crowdgold.types.parameters import LEVEL

LOOKS = {
    FIRST: ("#888888", "v", "one opinion, taken for true"),
    MAJORITY: (COLOURS[1], "s", "majority, taken for true"),
    VERDICT: (COLOURS[4], "^", "likelier label, taken for true"),
    CORRECTED: (COLOURS[0], "o", "corrected for experts' errors"),
}
"""Reading -> its colour, marker, and words."""
SHIFT = 0.11
"""Between the marks of two readings, where experts are 1 apart."""
MOST_WIDTH = 6
"""Of the axis of relative widths."""


def read_experts(table: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Coverage and width of each reading.

    Args:
        table: what the check `experts` gives.
        by: columns of the settings.

    Returns:
        a row for each setting, metric and reading: `coverage` of intervals that there are, `share`
        of studies that have one, and `width`, the median ratio to error-free gold's in the study.
    """
    require(table, [*by, "reading", "metric", "truth", "estimate", "lower", "upper", "replicate"])
    found = []
    for (*setting, metric), own in table.groupby([*by, "metric"], sort=False):
        own = own.assign(
            width=own["upper"] - own["lower"],
            inside=(own["lower"] <= own["truth"]) & (own["truth"] <= own["upper"]),
        )
        free = own[own["reading"] == FREE].set_index("replicate")["width"]
        for reading, part in own.groupby("reading", sort=False):
            known = part[np.isfinite(part["width"])]
            ratio = known["width"].to_numpy() / known["replicate"].map(free).to_numpy(dtype=float)
            width = float(np.median(ratio)) if reading != OF_EXPERTS and len(known) else np.nan
            share = len(known) / len(part)
            found.append((*setting, metric, reading, known["inside"].mean(), share, width))
    return pd.DataFrame(found, columns=[*by, "metric", "reading", "coverage", "share", "width"])


def _reading(
    panel: Axes, own: pd.Series, line: Sequence[str], reading: str, names: Sequence[str]
) -> None:
    """A reading's marks in a panel, and a line through those of experts who differ in one number.

    Args:
        own: the values by the experts, all of `names`.
        line: experts whose marks are joined, in their order.
    """
    colour, marker, label = LOOKS[reading]
    place = names.index(line[0]) if line else 0
    shift = SHIFT * (list(LOOKS).index(reading) - (len(LOOKS) - 1) / 2)
    at = np.arange(len(names)) + shift
    joined = at[place : place + len(line)]
    panel.plot(joined, own.loc[list(line)], color=colour, linewidth=0.9)
    panel.plot(at, own, color=colour, marker=marker, linestyle="none", markersize=3.5, label=label)


def _axes(upper: Axes, lower: Axes) -> None:
    """Scales and lines of a panel of coverage and of the one of width below it."""
    upper.axhline(LEVEL, color="#666666", linewidth=0.7)
    lower.axhline(1, color="#666666", linewidth=0.7)
    upper.set_ylim(-0.05, 1.05)
    lower.set_yscale("log")
    lower.set_ylim(0.8, MOST_WIDTH)
    lower.set_yticks([1, 1.5, 2, 4], ["1", "1.5", "2", "4"])
    lower.minorticks_off()


def _heading(panel: Axes, text: str, above_title: bool) -> None:
    """Head a row of panels from its first: as long as several, so that no room is made for it."""
    offset = (0, 19 if above_title else 6)
    panel.annotate(
        text, (0, 1), offset, xycoords="axes fraction", textcoords="offset points", fontsize=9
    ).set_in_layout(False)


def draw_experts(
    table: pd.DataFrame,
    *,
    by: Sequence[str],
    titles: Mapping[str, str],
    words: Mapping[str, str] | None = None,
    drawn: Sequence[str] | None = None,
    joined: Sequence[str] | None = None,
    label: str = "",
) -> tuple[Figure, pd.DataFrame]:
    """Draw a row of panels for coverage and one for width, a column for each metric.

    Args:
        table: what the check `experts` gives.
        by: columns of the settings: which items get a second opinion, then the experts.
        titles: metric -> its words, of those that are drawn.
        words: of values of the settings.
        drawn: those of the first column that are drawn; all where not given.
        joined: those of the second that a line joins, neighbours in the table; all where not given.
        label: of the horizontal axes.
    """
    found, (protocol, experts) = read_experts(table, by), by
    drawn = list(drawn or dict.fromkeys(found[protocol]))
    found = found[found[protocol].isin(drawn)].reset_index(drop=True)
    names, called = list(dict.fromkeys(found[experts])), dict(words or {})
    figure, axes = new_figure(2 * len(drawn), len(titles), 1.0 + 2.6 * len(drawn))
    for row, column in np.ndindex(len(drawn), len(titles)):
        upper, lower = axes[2 * row][column], axes[2 * row + 1][column]
        metric = list(titles)[column]
        own = found[(found[protocol] == drawn[row]) & (found["metric"] == metric)]
        for reading in LOOKS:
            of_it = own[own["reading"] == reading].set_index(experts).reindex(names)
            for panel, value in ((upper, "coverage"), (lower, "width")):
                _reading(panel, of_it[value], joined or names, reading, names)
        _axes(upper, lower)
        upper.set_title(f"\n{titles[metric]}" if row == 0 else " ")
        upper.set_xticks(range(len(names)), [])
        texts = [called.get(one, one) for one in names] if row == len(drawn) - 1 else []
        lower.set_xticks(range(len(names)), texts, rotation=40, ha="right")
    for row, one in enumerate(drawn):
        _heading(axes[2 * row][0], f"Second opinions {called.get(one, one)}", row == 0)
        axes[2 * row][0].set_ylabel("Coverage")
        axes[2 * row + 1][0].set_ylabel("Width / error-free")
    figure.supxlabel(label, fontsize=8)
    legend_above(figure, axes[0][0], 2)
    return figure, found


PLOT = Plot("experts", draw_experts)
