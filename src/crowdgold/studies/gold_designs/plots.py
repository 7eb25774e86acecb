"""Labels of designed samples as a share of those of a random sample, by metric."""

from collections.abc import Mapping

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crowdgold.plotting.plot import Plot
from crowdgold.plotting.style import COLOURS, new_figure
from crowdgold.studies.gold_designs.check import ALONE, BATCHES, FEWEST, ONE
from crowdgold.studies.gold_designs.shares import of_right, shares

LOOKS = {
    ONE: (COLOURS[5], "s", "-", "in one batch"),
    BATCHES: (COLOURS[0], "o", "-", "in two batches"),
    ALONE: (COLOURS[2], "v", "-", "two, for it alone"),
    FEWEST: (COLOURS[7], "_", "none", "the least that could do"),
}
"""Design -> its colour, marker, line, and words."""
MARKERS = "^vDPX"
PANELS = 4
TICKS = (0.1, 0.25, 0.5, 1, 2, 4)


def _draw(panel: Axes, own: pd.DataFrame, worlds: Mapping[str, str]) -> None:
    """The shares of one metric: lines of the main experiment, marks of the other worlds."""
    main = own[~own["experiment"].isin(list(worlds))]
    for number, (design, (colour, marker, line, words)) in enumerate(LOOKS.items()):
        rows = main[main["design"] == design]
        panel.errorbar(
            rows["positive"] * 1.06 ** (number - 1.5), rows["share"], rows["share_se"],
            color=colour, marker=marker, label=words, linewidth=0.9, linestyle=line,
            markersize=8 if marker == "_" else 4,
        )  # fmt: skip
    for marker, (world, words) in zip(MARKERS, worlds.items(), strict=False):
        rows = own[(own["experiment"] == world) & (own["design"] == BATCHES)]
        panel.errorbar(
            rows["positive"], rows["share"], rows["share_se"], color=COLOURS[1], marker=marker,
            markerfacecolor="white", linestyle="none", linewidth=0.9, markersize=4.5,
            label=f"two batches: {words}",
        )  # fmt: skip


def draw_gold_designs(
    table: pd.DataFrame,
    *,
    label: str,
    titles: Mapping[str, str] | None = None,
    worlds: Mapping[str, str] | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """Draw a panel for each metric: the share of labels for equal width against that of positives.

    Args:
        table: what the check `gold_designs` gives.
        label: of the horizontal axis.
        titles: metric -> its words.
        worlds: experiment beside the main one -> its words.
    """
    found = shares(table)
    shown = of_right(found)
    shown = shown[shown["design"].isin(list(LOOKS))]
    metrics = list(dict.fromkeys(shown["metric"]))
    rows = -(-(len(metrics) + 1) // PANELS)
    figure, axes = new_figure(rows, PANELS, 0.3 + 1.9 * rows)
    panels = [panel for row in axes for panel in row]
    lowest = float(shown["share"].min())
    highest = max(1.0, float((shown["share"] + shown["share_se"]).max()))
    for panel, metric in zip(panels, metrics, strict=False):
        panel.axhline(1, color="#666666", linewidth=0.7)
        _draw(panel, shown[shown["metric"] == metric], worlds or {})
        panel.set_title((titles or {}).get(metric, metric))
        panel.set_xscale("log")
        panel.set_xticks([0.01, 0.03, 0.1, 0.4], ["0.01", "0.03", "0.1", "0.4"])
        panel.set_yscale("log")
        panel.set_ylim(0.8 * lowest, 1.2 * highest)
        panel.set_yticks(TICKS, [f"{one:g}" for one in TICKS])
        panel.minorticks_off()
        panel.set_ylim(0.8 * lowest, 1.2 * highest)
        panel.set_xlabel(label)
    for row in axes:
        row[0].set_ylabel("Share of random labels")
    for panel in panels[len(metrics) :]:
        panel.axis("off")
    handles, labels = panels[0].get_legend_handles_labels()
    panels[len(metrics)].legend(
        handles, [one.replace(": ", ":\n") for one in labels], loc="center left", frameon=False
    )
    return figure, found


PLOT = Plot("gold_designs", draw_gold_designs)
