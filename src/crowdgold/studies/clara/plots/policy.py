"""Accuracy and prevalence against the share of labels, by policy (CLARA, figures 5 and 9)."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crowdgold.evaluation.fits import gate_note
from crowdgold.plotting.plot import Plot
from crowdgold.plotting.series import replicates_text
from crowdgold.plotting.style import legend_above, method_order, new_figure, style_of
from crowdgold.studies.clara.labelling_policy import SNORKEL
from crowdgold.studies.clara.policy_curves import SHARE, fits_of, policy_curves

PANELS = {
    "accuracy": "Share of final labels that are right",
    "prevalence_error": "Estimated less true prevalence",
}


def _curve(axes: Axes, rows: pd.DataFrame, policy: str, value: str) -> None:
    """Draw a policy: a line with a band of one standard error, or a single point."""
    look, rows = style_of(policy), rows.sort_values(SHARE)
    low, high = rows[value] - rows[f"{value}_se"], rows[value] + rows[f"{value}_se"]
    single = len(rows) == 1
    axes.plot(
        rows[SHARE],
        rows[value],
        color=look.colour,
        marker=look.marker,
        markersize=6 if single else 2.5,
        linestyle="none" if single else look.line,
        label=policy,
    )
    axes.fill_between(rows[SHARE], low, high, color=look.colour, alpha=0.2, linewidth=0)


def _bands(shown: pd.DataFrame) -> str:
    """Say how many replicates there are, and what the bands are."""
    if shown["replicates"].max() == 1:
        return "1 replicate; bands are one standard error over its items"
    return replicates_text(shown).replace("bars are", "bands are")


def draw_clara_policy(
    table: pd.DataFrame,
    *,
    panels: Sequence[str] = tuple(PANELS),
    labels: Mapping[str, Any] | None = None,
    printed: Sequence[Mapping[str, float]] = (),
    stand_in: bool = False,
) -> tuple[Figure, pd.DataFrame]:
    """Draw a panel for the accuracy, and one for the error of the prevalence, by policy.

    Args:
        table: what the check of the policies gives, for every replicate.
        panels: some of accuracy and prevalence_error.
        labels: what the panels' vertical axes say.
        printed: {share_of_labels, accuracy} in the paper.
        stand_in: whether the data stand in for private ones.

    Returns:
        the figure and the means over replicates that it shows (`policy_curves`); bands are one
        standard error.

    Raises:
        ValueError: where the table lacks a column or a panel is unknown.
    """
    unknown = [name for name in panels if name not in PANELS]
    if unknown:
        raise ValueError(f"panels: found {unknown}, expected some of {', '.join(PANELS)}")
    shown = policy_curves(table)
    figure, axes = new_figure(1, len(panels), 3.0)
    for panel, value in zip(axes[0], panels, strict=True):
        for policy in method_order(shown["policy"]):
            _curve(panel, shown[shown["policy"] == policy], policy, value)
        panel.set_xlabel("Share of all labels that are used")
        panel.set_ylabel((labels or {}).get(value, PANELS[value]))
    if "prevalence_error" in panels:
        axes[0][panels.index("prevalence_error")].axhline(0, color="#666666", linewidth=0.8)
    for index, point in enumerate(printed if "accuracy" in panels else []):
        axes[0][panels.index("accuracy")].plot(
            point[SHARE],
            point["accuracy"],
            "*",
            color="#D55E00",
            markersize=9,
            label="printed" if index == 0 else None,
        )
    origin = "Simulated stand-in; " if stand_in else ""
    without = "" if SNORKEL in set(shown["policy"]) else f"; without {SNORKEL} (make snorkel)"
    figure.supxlabel(f"{origin}{_bands(shown)}; {gate_note(fits_of(table))}{without}", fontsize=7)
    legend_above(figure, axes[0][0])
    return figure, shown


PLOT = Plot("clara_policy", draw_clara_policy)
