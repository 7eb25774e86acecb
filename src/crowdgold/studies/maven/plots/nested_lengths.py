"""Distance of nested fits from the exact cut, against the length of the nested fits."""

from collections.abc import Mapping, Sequence

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crowdgold.methods.maven import EXACT, PUBLISHED
from crowdgold.plotting.plot import Plot
from crowdgold.plotting.style import new_figure, style_of
from crowdgold.studies.maven.nested_lengths import EXACT_AGAIN, PRINTED

LINES = {"log mu": ("-", r"$\log\mu$", 0.95), "delta": ("--", r"$\delta$", 1.05)}
"""Quantity -> its line, its sign, and a factor of the length, so that no bar hides another."""


def _means(table: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Means over the replicates of a study, by quantity and length, and the distance's error."""
    means = (
        table.groupby([*keys, "quantity", "length"], sort=False, dropna=False)
        .agg(
            distance=("distance", "mean"), distance_se=("distance", "sem"),
            shift=("shift", "mean"), spread=("spread", "mean"), seconds=("seconds", "mean"),
            replicates=("distance", "size"),
        )
        .reset_index()
    )  # fmt: skip
    return means.assign(distance_se=means["distance_se"].fillna(0.0))


def _panel(panel: Axes, study: pd.DataFrame, chance: Sequence[float]) -> None:
    """One study: the band of chance, and a line for each quantity."""
    panel.axhspan(
        *chance, linewidth=0, alpha=0.2, color=style_of(EXACT.name).colour,
        label=f"{EXACT.name} against itself",
    )  # fmt: skip
    style = style_of(PUBLISHED.name)
    for name, (line, label, apart) in LINES.items():
        own = study[(study["quantity"] == name) & (study["length"] != EXACT_AGAIN)]
        panel.errorbar(
            own["length"] * apart, own["distance"], own["distance_se"], linestyle=line,
            color=style.colour, marker=style.marker, markersize=3,
            label=f"{PUBLISHED.name}, {label}",
        )  # fmt: skip
    panel.axvline(PRINTED, color="#666666", linewidth=0.7, linestyle=":")
    panel.set_xscale("log")


def draw_nested_lengths(
    table: pd.DataFrame, *, by: Sequence[str], titles: Mapping[str, str], columns: int = 3
) -> tuple[Figure, pd.DataFrame]:
    """Draw a panel for each study: mean distance, with one standard error, against the length.

    Args:
        table: what the check nested_lengths gives, for several studies.
        by: the columns that tell the studies apart, of which a study has one.
        titles: column -> what stands above a panel, with {} for its value.
        columns: panels side by side.

    Returns:
        the figure and the rows that it shows. The band is the central 95 % of the distances of two
        exact cuts, over all studies: what chance alone makes. The line is the printed length.
    """
    keys = [name for name in by if name in table]
    means = _means(table, keys)
    again = table[table["length"] == EXACT_AGAIN]["distance"]
    chance = again.quantile([0.025, 0.975]).tolist()
    highest = max(0.3, float((means["distance"] + means["distance_se"]).max()))
    studies = list(means.groupby(keys, sort=False, dropna=False))
    rows = -(-len(studies) // columns)
    figure, axes = new_figure(rows, columns, 0.5 + 1.9 * rows)
    panels = [panel for row in axes for panel in row]
    for panel in panels[len(studies) :]:
        panel.set_visible(False)
    for number, (panel, (_, study)) in enumerate(zip(panels, studies, strict=False)):
        _panel(panel, study, chance)
        panel.set_ylim(0, 1.05 * highest)
        panel.set_title(_title(study[keys].iloc[0], titles), fontsize=7)
        if number % columns == 0:
            panel.set_ylabel("distance of distributions")
        if number >= len(studies) - columns:
            panel.set_xlabel("iterations of a nested fit")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower right", ncols=3)
    return figure, means


def _title(values: pd.Series, titles: Mapping[str, str]) -> str:
    """What a panel is of, from the one column that its study varies."""
    ((column, value),) = values.dropna().items()
    shown = f"{value:,g}" if isinstance(value, float | int) else str(value).replace("_", " ")
    return titles[str(column)].format(shown)


PLOT = Plot("nested_lengths", draw_nested_lengths)
