"""Ranks of simulation-based calibration: distribution functions and their simultaneous bands."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from crowdgold.experiment.summaries import gate_sentence
from crowdgold.papers.calibration.simulation_based import distribution_function, uniform_band
from crowdgold.plots.style import COLOURS, Plot, count_replicates, new_figure

MODEL_LABELS = {
    "vote": "votes",
    "score": "scores",
    "dawid_skene": "Dawid-Skene",
    "dawid_skene_scores": "Dawid-Skene with scores",
    "human_ai": "Human-AI",
    "judges": "named judges",
}


def _difference(table: pd.DataFrame) -> pd.DataFrame:
    """The distribution function of each model and quantity, less that of uniform ranks."""
    frames = []
    for (model, quantity), rows in table.groupby(["model", "quantity"], sort=False):
        largest = int(rows["ranks"].iloc[0])
        uniform = np.arange(1, largest + 1) / (largest + 1)
        low, high = uniform_band(len(rows), largest)
        shares = distribution_function(rows["rank"].to_numpy(dtype=int), largest)
        frames.append(pd.DataFrame({
            "model": model, "quantity": quantity, "planted": bool(rows["planted"].iloc[0]),
            "replicates": len(rows), "gate_failures": int((~rows["diagnostics_passed"]).sum()),
            "uniform": uniform, "difference": shares - uniform,
            "band_low": low - uniform, "band_high": high - uniform,
        }))  # fmt: skip
    return pd.concat(frames, ignore_index=True)


def draw_rank_uniformity(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Draw a panel for each model, a line for each quantity, over the band of uniform ranks."""
    shown = _difference(table)
    models = list(dict.fromkeys(shown["model"]))
    quantities = list(dict.fromkeys(shown["quantity"]))
    # The colours again, dashed, where there are more quantities than colours.
    looks = [(colour, dash) for dash in ("-", "--", ":") for colour in COLOURS]
    styles = dict(zip(quantities, looks, strict=False))
    lines = -(-len(models) // 3)
    figure, axes = new_figure(lines, 3, 1.9 * lines + 0.5)
    panels = [panel for row in axes for panel in row]
    for panel, model in zip(panels, models, strict=False):
        rows = shown[shown["model"] == model]
        first = rows[rows["quantity"] == rows["quantity"].iloc[0]]
        panel.fill_between(
            first["uniform"], first["band_low"], first["band_high"], color="#dddddd", linewidth=0
        )
        for quantity, line in rows.groupby("quantity", sort=False):
            colour, dash = styles[quantity]
            how = {"color": colour, "drawstyle": "steps-post"}
            panel.plot(line["uniform"], line["difference"], dash, **how)
        planted = "planted bug: " if rows["planted"].iloc[0] else ""
        panel.set_title(planted + MODEL_LABELS.get(model, model.replace("_", " ")), size=8)
    for panel in panels[len(models) :]:
        panel.set_axis_off()
    fits = shown.drop_duplicates(["model"])
    failed = int(fits["gate_failures"].sum())
    figure.supylabel("Share of ranks at or below,\nless the uniform share", fontsize=8)
    figure.supxlabel(
        "Normalised rank of the prior draw among posterior draws\n"
        f"{count_replicates(shown['replicates'])}; band: simultaneous, 3.5 deviations; "
        f"{gate_sentence(failed, int(fits['replicates'].sum()), longest=1)}",
        fontsize=7,
    )
    handles = [
        panels[0].plot([], [], dash, label=name.replace("_", "-"), color=colour)[0]
        for name, (colour, dash) in styles.items()
    ]
    figure.legend(handles=handles, loc="outside right center", frameon=False)
    return figure, shown


PLOT = Plot("rank_uniformity", draw_rank_uniformity)
