"""Ranks of simulation-based calibration: distribution functions and their simultaneous bands."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crowdgold.experiment.summaries import gate_sentence
from crowdgold.papers.calibration.simulation_based import distribution_function, uniform_band
from crowdgold.plots.style import COLOURS, Plot, count_replicates, new_figure

DASHES = ("-", "--", ":")
"""The colours again, dashed, where there are more quantities than colours."""
COLUMNS = 3
MODEL_LABELS = {
    "vote": "votes",
    "score": "scores",
    "dawid_skene": "Dawid-Skene",
    "dawid_skene_scores": "Dawid-Skene with scores",
    "human_ai": "Human-AI",
    "judges": "named judges",
}


class Line(NamedTuple):
    """How a quantity looks in every panel."""

    color: str
    linestyle: str


def _difference(table: pd.DataFrame) -> pd.DataFrame:
    """The distribution function of each model and quantity, less that of uniform ranks."""
    frames = []
    for (model, quantity), rows in table.groupby(["model", "quantity"], sort=False):
        largest = int(rows["ranks"].iloc[0])
        uniform = np.arange(1, largest + 1) / (largest + 1)
        low, high = uniform_band(len(rows), largest)
        found = distribution_function(rows["rank"].to_numpy(dtype=int), largest)
        frames.append(
            pd.DataFrame(
                {
                    "model": model,
                    "quantity": quantity,
                    "planted": bool(rows["planted"].iloc[0]),
                    "replicates": len(rows),
                    "gate_failures": int((~rows["diagnostics_passed"]).sum()),
                    "uniform": uniform,
                    "difference": found - uniform,
                    "band_low": low - uniform,
                    "band_high": high - uniform,
                }
            )
        )
    return pd.concat(frames, ignore_index=True)


def _panel(axes: Axes, rows: pd.DataFrame, styles: Mapping[str, Line]) -> None:
    first = rows[rows["quantity"] == rows["quantity"].iloc[0]]
    axes.fill_between(
        first["uniform"], first["band_low"], first["band_high"], color="#dddddd", linewidth=0
    )
    for quantity, line in rows.groupby("quantity", sort=False):
        axes.plot(
            line["uniform"],
            line["difference"],
            drawstyle="steps-post",
            **styles[str(quantity)]._asdict(),
        )
    model = str(rows["model"].iloc[0])
    planted = "planted bug: " if rows["planted"].iloc[0] else ""
    axes.set_title(planted + MODEL_LABELS.get(model, model.replace("_", " ")), size=8)


def draw_rank_uniformity(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Draw a panel for each model, a line for each quantity, over the band of uniform ranks.

    Args:
        table: rows of `check_simulation_based_calibration` over many replicates.

    Returns:
        the figure and the lines that it shows.
    """
    shown = _difference(table)
    models = list(dict.fromkeys(shown["model"]))
    quantities = list(dict.fromkeys(shown["quantity"]))
    looks = [Line(colour, dash) for dash in DASHES for colour in COLOURS]
    styles = dict(zip(quantities, looks, strict=False))
    rows = -(-len(models) // COLUMNS)
    figure, axes = new_figure(rows, COLUMNS, 1.9 * rows + 0.5)
    panels = [panel for row in axes for panel in row]
    for panel, model in zip(panels, models, strict=False):
        _panel(panel, shown[shown["model"] == model], styles)
    for panel in panels[len(models) :]:
        panel.set_axis_off()
    fits = shown.drop_duplicates(["model"])
    figure.supylabel("Share of ranks at or below,\nless the uniform share", fontsize=8)
    replicates = count_replicates(shown["replicates"])
    failed = int(fits["gate_failures"].sum())
    figure.supxlabel(
        "Normalised rank of the prior draw among posterior draws\n"
        f"{replicates}; band: simultaneous, 3.5 deviations; "
        f"{gate_sentence(failed, int(fits['replicates'].sum()), longest=1)}",
        fontsize=7,
    )
    handles = [
        panels[0].plot([], [], label=name.replace("_", "-"), **styles[name]._asdict())[0]
        for name in quantities
    ]
    figure.legend(handles=handles, loc="outside right center", frameon=False)
    return figure, shown


PLOT = Plot("rank_uniformity", draw_rank_uniformity)
