"""Labels of designed samples as a share of those of a random sample, and coverage, by metric."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from crowdgold.plotting.plot import Plot, require
from crowdgold.plotting.style import COLOURS, new_figure
from crowdgold.simulate.gold_sample import STRATA
from crowdgold.studies.gold_designs.check import ALONE, BATCHES, FEWEST, RANDOM

LOOKS = {
    STRATA: (COLOURS[5], "s", "by strata of votes and score"),
    BATCHES: (COLOURS[0], "o", "in two batches, for all metrics"),
    ALONE: (COLOURS[1], "^", "in two batches, for the metric alone"),
    FEWEST: (COLOURS[7], "_", "the least that could do"),
}
"""Design -> its colour, marker, and words."""
COLUMNS = 4
TICKS = (0.1, 0.25, 0.5, 1, 2, 4)


def shares(table: pd.DataFrame, by: str) -> pd.DataFrame:
    """How many labels each design needs for the same width, as a share of random ones.

    Args:
        table: what the check `gold_designs` gives.
        by: the column of the settings.

    Returns:
        a row for each setting, metric and design: `share`, the squared ratio of the mean widths,
        with the standard error of its ratio of paired means, and `coverage`.
    """
    require(table, [by, "design", "metric", "truth", "estimate", "lower", "upper", "replicate"])
    rows = []
    for (setting, metric), own in table.groupby([by, "metric"], sort=False):
        width = (
            (own["upper"] - own["lower"])
            .to_frame("width")
            .assign(design=own["design"], replicate=own["replicate"])
        )
        wide = width.set_index(["replicate", "design"])["width"].unstack("design")  # noqa: PD010
        inside = (own["lower"] <= own["truth"]) & (own["truth"] <= own["upper"])
        covered = inside.groupby(own["design"]).mean()
        for design in (RANDOM, *LOOKS):
            if design == FEWEST:
                share = own.loc[own["design"] == design, "estimate"]
                rows.append((setting, metric, design, share.mean(), share.sem(), np.nan))
                continue
            pairs = wide[[RANDOM, design]].dropna().to_numpy()
            ratio = pairs[:, 1].mean() / pairs[:, 0].mean()
            spread = (pairs[:, 1] - ratio * pairs[:, 0]).std(ddof=1) / pairs[:, 0].mean()
            error = 2 * ratio * spread / np.sqrt(len(pairs))
            rows.append((setting, metric, design, ratio**2, error, covered[design]))
    names = [by, "metric", "design", "share", "share_se", "coverage"]
    return pd.DataFrame(rows, columns=names).fillna({"share_se": 0.0})


def draw_gold_designs(
    table: pd.DataFrame, *, by: str, label: str, titles: Mapping[str, str] | None = None
) -> tuple[Figure, pd.DataFrame]:
    """Draw a panel for each metric: the share of labels for equal width against the settings.

    Args:
        table: what the check `gold_designs` gives.
        by: the column of the settings, shares of positive items.
        label: of the horizontal axis.
        titles: metric -> its words.
    """
    found = shares(table, by)
    metrics = list(dict.fromkeys(found["metric"]))
    rows = -(-(len(metrics) + 1) // COLUMNS)
    figure, axes = new_figure(rows, COLUMNS, 0.3 + 1.9 * rows)
    panels = [panel for row in axes for panel in row]
    lowest = float(found["share"].min())
    highest = float((found["share"] + found["share_se"]).max())
    for panel, metric in zip(panels, metrics, strict=False):
        panel.axhline(1, color="#666666", linewidth=0.7)
        for number, (design, (colour, marker, words)) in enumerate(LOOKS.items()):
            own = found[(found["metric"] == metric) & (found["design"] == design)]
            apart = 1.06 ** (number - 1.5)
            panel.errorbar(
                own[by] * apart, own["share"], own["share_se"], color=colour, marker=marker,
                label=words, linewidth=0.9, markersize=8 if marker == "_" else 4,
                linestyle="none" if marker == "_" else "-",
            )  # fmt: skip
        panel.set_title((titles or {}).get(metric, metric))
        panel.set_xscale("log")
        panel.set_xticks(sorted(set(found[by])), [f"{one:g}" for one in sorted(set(found[by]))])
        panel.set_yscale("log")
        panel.set_ylim(0.8 * lowest, 1.2 * highest)
        panel.set_yticks(TICKS, [f"{one:g}" for one in TICKS])
        panel.minorticks_off()
        panel.set_xlabel(label)
    for row in axes:
        row[0].set_ylabel("Share of random labels")
    for panel in panels[len(metrics) :]:
        panel.axis("off")
    handles, labels = panels[0].get_legend_handles_labels()
    panels[len(metrics)].legend(
        handles, [one.replace(", ", ",\n") for one in labels], loc="center left", frameon=False
    )
    return figure, found


PLOT = Plot("gold_designs", draw_gold_designs)
