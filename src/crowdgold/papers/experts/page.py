"""Figures and tables of docs/experts.md: coverage and width, by how experts' gold is read."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from crowdgold.claims.cells import Tables, markdown_table, only
from crowdgold.inference.without_gold import WIDE
from crowdgold.papers.experts.experiments import (
    CORRECTED,
    FIRST,
    FREE,
    MAJORITY,
    OF_EXPERTS,
    VERDICT,
)
from crowdgold.plots.style import COLOURS, Plot, legend_above, new_figure, require
from crowdgold.types.parameters import LEVEL

LOOKS = {
    FIRST: ("#888888", "v", "one opinion, taken for true"),
    MAJORITY: (COLOURS[1], "s", "majority, taken for true"),
    VERDICT: (COLOURS[4], "^", "likelier label, taken for true"),
    CORRECTED: (COLOURS[0], "o", "corrected for experts' errors"),
}
"""Reading -> its colour, marker, and words."""


def read_experts(table: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """A row for each setting (columns `by`) of the computation `experts`, metric and reading.

    It has `share`, of the studies that have an interval, `coverage`, of these intervals, and
    `width`, the median ratio to the width with error-free gold in the same study.
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
    drawn: Sequence[str] | None = None,
    joined: Sequence[str] | None = None,
    label: str = "",
) -> tuple[Figure, pd.DataFrame]:
    """Draw a row of panels for coverage and one for width, a column for each metric of `titles`,
    of what the computation `experts` gives.

    `by` are the columns of the settings: which items get a second opinion, of which `drawn` are
    drawn, then the experts, of whom a line joins `joined`, neighbours in the table.
    """
    found, (protocol, experts) = read_experts(table, by), by
    drawn = list(drawn or dict.fromkeys(found[protocol]))
    found = found[found[protocol].isin(drawn)].reset_index(drop=True)
    names, called = list(dict.fromkeys(found[experts])), dict(words or {})
    line = list(joined or names)
    figure, axes = new_figure(2 * len(drawn), len(titles), 1.0 + 2.6 * len(drawn))
    for row, second in enumerate(drawn):
        for column, (metric, title) in enumerate(titles.items()):
            upper, lower = axes[2 * row][column], axes[2 * row + 1][column]
            own = found[(found[protocol] == second) & (found["metric"] == metric)]
            for index, (reading, (colour, marker, words_of)) in enumerate(LOOKS.items()):
                of_it = own[own["reading"] == reading].set_index(experts).reindex(names)
                at = np.arange(len(names)) + 0.11 * (index - (len(LOOKS) - 1) / 2)
                place = names.index(line[0])
                for panel, value in ((upper, "coverage"), (lower, "width")):
                    joint = at[place : place + len(line)]
                    panel.plot(joint, of_it[value].loc[line], color=colour, linewidth=0.9)
                    panel.plot(
                        at, of_it[value], marker, color=colour, markersize=3.5, label=words_of
                    )
            upper.axhline(LEVEL, color="#666666", linewidth=0.7)
            lower.axhline(1, color="#666666", linewidth=0.7)
            upper.set_ylim(-0.05, 1.05)
            lower.set_yscale("log")
            lower.set_ylim(0.8, 6)
            lower.set_yticks([1, 1.5, 2, 4], ["1", "1.5", "2", "4"])
            lower.minorticks_off()
            upper.set_title(f"\n{title}" if row == 0 else " ")
            upper.set_xticks(range(len(names)), [])
            texts = [called.get(one, one) for one in names] if row == len(drawn) - 1 else []
            lower.set_xticks(range(len(names)), texts, rotation=40, ha="right")
        # As long as several panels, so that no room is made for it.
        axes[2 * row][0].annotate(
            f"Second opinions {called.get(second, second)}", (0, 1), (0, 19 if row == 0 else 6),
            xycoords="axes fraction", textcoords="offset points", fontsize=9,
        ).set_in_layout(False)  # fmt: skip
        axes[2 * row][0].set_ylabel("Coverage")
        axes[2 * row + 1][0].set_ylabel("Width / error-free")
    figure.supxlabel(label, fontsize=8)
    legend_above(figure, axes[0][0], 2)
    return figure, found


PLOT = Plot("experts", draw_experts)


def readings(tables: Tables) -> pd.DataFrame:
    """The table with readings in the place of methods, and metrics without their thresholds."""
    table = only(tables)
    return table.assign(method=table["reading"], metric=table["metric"].str.partition("@")[0])


BY = ("second", "experts")
"""The columns of the computation's settings."""


def readings_table(table: pd.DataFrame, second: str, value: str, words: Mapping[str, str]) -> str:
    """The table of a column of `read_experts`: a line for each kind of experts and reading."""
    found = read_experts(table, BY)
    own = found[(found["second"] == second) & found["reading"].isin(list(LOOKS))]
    metrics = list(dict.fromkeys(own["metric"]))
    rows = []
    for (kind, reading), group in own.groupby(["experts", "reading"], sort=False):
        known = group.set_index("metric")[value]
        cells = [f"{known[metric]:.2f}" for metric in metrics]
        *_, reading_words = LOOKS[str(reading)]
        rows.append([words.get(str(kind), str(kind)), reading_words, *cells])
    heads = [metric.partition("@")[0] for metric in metrics]
    return markdown_table(["experts' errors", "gold labels", *heads], rows)


def wide_table(table: pd.DataFrame, second: str, words: Mapping[str, str]) -> str:
    """The share of corrected intervals wider than `WIDE`, a line for each kind of experts."""
    own = table[(table["second"] == second) & (table["reading"] == CORRECTED)]
    own = own[own["lower"].notna() & own["upper"].notna()]
    own = own.assign(wide=own["upper"] - own["lower"] > WIDE)
    share = own.pivot_table("wide", "experts", "metric", sort=False)
    rows = [
        [words.get(str(kind), str(kind)), *(f"{one:.2f}" for one in line)]
        for kind, line in zip(share.index, share.to_numpy(), strict=True)
    ]
    return markdown_table(["experts' errors", *(str(one).partition("@")[0] for one in share)], rows)


def of_auc(table: pd.DataFrame, reading: str) -> dict[str, float]:
    """Kind of experts -> a reading's coverage of AUC, with second opinions on the rarer class.

    Experts who share errors are left out.
    """
    found = read_experts(table, BY).set_index("experts")
    chosen = found["reading"].eq(reading) & found["metric"].eq("AUC") & found["second"].eq("rarer")
    return {
        str(kind): coverage
        for kind, coverage in found.loc[chosen, "coverage"].items()
        if not str(kind).endswith("shared")
    }
