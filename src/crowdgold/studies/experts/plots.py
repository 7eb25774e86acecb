"""How often intervals hold where experts err, and how wide they are, by how gold is read."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from crowdgold.declared import LEVEL
from crowdgold.plotting.plot import Plot, require
from crowdgold.plotting.style import COLOURS, new_figure
from crowdgold.studies.experts.check import CORRECTED, FIRST, FREE, MAJORITY, OF_EXPERTS, VERDICT

LOOKS = {
    FIRST: (COLOURS[6], "v", "one opinion, taken for true"),
    MAJORITY: (COLOURS[1], "s", "majority, taken for true"),
    VERDICT: (COLOURS[4], "^", "likelier label, taken for true"),
    CORRECTED: (COLOURS[0], "o", "corrected for experts' errors"),
}
"""Reading -> its colour, marker, and words."""
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


def draw_experts(
    table: pd.DataFrame,
    *,
    by: Sequence[str],
    titles: Mapping[str, str],
    words: Mapping[str, str] | None = None,
) -> tuple[Figure, pd.DataFrame]:
    """Draw a row of panels for coverage and one for width, a column for each metric.

    Args:
        table: what the check `experts` gives.
        by: columns of the settings: which items get a second opinion, then the experts.
        titles: metric -> its words, of those that are drawn.
        words: of values of the settings.
    """
    found = read_experts(table, by)
    protocol, experts = by
    names, drawn = list(dict.fromkeys(found[experts])), list(dict.fromkeys(found[protocol]))
    called = dict(words or {})
    texts = [called.get(one, one) for one in names]
    figure, axes = new_figure(2 * len(drawn), len(titles), 0.6 + 3.2 * len(drawn))
    for place, one in enumerate(drawn):
        for column, metric in enumerate(titles):
            own = found[(found[protocol] == one) & (found["metric"] == metric)]
            upper, lower = axes[2 * place][column], axes[2 * place + 1][column]
            upper.axhline(LEVEL, color="#666666", linewidth=0.7)
            lower.axhline(1, color="#666666", linewidth=0.7)
            for reading, (colour, marker, label) in LOOKS.items():
                of_it = own[own["reading"] == reading].set_index(experts).reindex(names)
                for panel, value in ((upper, "coverage"), (lower, "width")):
                    panel.plot(
                        range(len(names)), of_it[value], color=colour, marker=marker, label=label,
                        linewidth=0.9, markersize=4,
                    )  # fmt: skip
            upper.set_title(f"\n{titles[metric]}")
            upper.set_ylim(-0.03, 1.03)
            lower.set_yscale("log")
            lower.set_ylim(0.8, MOST_WIDTH)
            lower.set_yticks([1, 1.5, 2, 4], ["1", "1.5", "2", "4"])
            lower.minorticks_off()
            for panel in (upper, lower):
                panel.set_xticks(range(len(names)), texts, rotation=35, ha="right")
        # Above its row: it is as long as two panels.
        axes[2 * place][0].set_title(f"Second opinions {called.get(one, one)}\n", loc="left")
        axes[2 * place][0].set_ylabel("Coverage")
        axes[2 * place + 1][0].set_ylabel("Width / error-free")
    axes[1][0].legend(frameon=False, fontsize="x-small")
    return figure, found


PLOT = Plot("experts", draw_experts)
