"""Precision-recall curves of scores of many shapes, and the exact ones (MAVEN, figures 3, 7)."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crowdgold.evaluation.fits import gate_note
from crowdgold.plotting.plot import Plot
from crowdgold.plotting.series import count_replicates
from crowdgold.plotting.style import method_order, new_figure, style_of
from crowdgold.studies.maven.score_curves import (
    BASELINE,
    CALIBRATION,
    DENSITIES,
    ITEMS,
    PRECISION,
    curve_distances,
    precision_rows,
)

AXIS = "shape"
TITLES = {
    CALIBRATION: r"$P(Y_i = 1 \mid X_i)$",
    "density": r"Density of $X_i \mid Y_i$",
    PRECISION: "Precision against recall",
    "distance": "Distance",
}
AXES = {PRECISION: "recall", "distance": "integrated over recall"}
CLASSES = (("#0072B2", "-", "$Y_i = 0$"), ("#993377", "--", "$Y_i = 1$"))
GREY = "#666666"
OF_ITEMS = "all labels known"
"""The curve of the items' own true labels, which is every method's where n_e = n."""

ROOM = 1.45
"""Width of the panel of distances over what it shows, for the ratios at its right."""

HIGHEST_DENSITY = 6.0
"""Densities are cut here, so that a pole at 0 or 1 leaves room for the rest."""


def _calibration(panel: Axes, exact: pd.DataFrame) -> None:
    rows = exact[exact["curve"] == CALIBRATION]
    panel.plot(rows["at"], rows["value"], color="black")
    m = float(rows["m"].iloc[0])
    panel.plot([m, m], [0, 0.5], color=GREY, linewidth=0.7, linestyle=":")
    panel.annotate(f"$m$ = {m:.2f}", (m, 0.02), (3, 0), textcoords="offset points", fontsize=6)
    panel.set_ylim(-0.02, 1.02)


def _density(panel: Axes, exact: pd.DataFrame) -> None:
    highest = 0.0
    for name, (colour, line, label) in zip(DENSITIES, CLASSES, strict=True):
        rows = exact[exact["curve"] == name]
        panel.plot(rows["at"], rows["value"], color=colour, linestyle=line, label=label)
        highest = max(highest, float(rows["value"].max()))
    panel.set_ylim(0, min(1.05 * highest, HIGHEST_DENSITY))


def _precision(panel: Axes, exact: pd.DataFrame, fitted: pd.DataFrame) -> None:
    """Draw each method's curve and interval, the exact curve, and that of the items' labels."""
    for method in method_order(fitted["method"]):
        rows = fitted[fitted["method"] == method].sort_values("at")
        style = style_of(method)
        panel.fill_between(
            rows["at"], rows["lower"], rows["upper"], color=style.colour, alpha=0.25, linewidth=0
        )
        panel.plot(
            rows["at"], rows["estimate"], color=style.colour, linestyle=style.line, label=method
        )
    own = fitted.drop_duplicates("at").sort_values("at")
    panel.plot(own["at"], own["truth"], color=GREY, linewidth=0.8, linestyle=":", label=OF_ITEMS)
    rows = exact[exact["curve"] == PRECISION]
    panel.plot(rows["at"], rows["value"], color="black", linewidth=0.9, label="exact")
    panel.set_xlim(0, 1)
    panel.set_ylim(0, 1.02)


def _distance(panel: Axes, distances: pd.DataFrame, widest: float) -> None:
    """Draw how far each method's curve is from the items' own (filled) and the exact (hollow)."""
    known = distances.set_index("method")
    methods = [*method_order(distances.loc[distances["method"] != ITEMS, "method"]), ITEMS]
    for place, method in enumerate(methods):
        row, colour = known.loc[method], GREY if method == ITEMS else style_of(method).colour
        marks = [("distance", "white", 0.12)]
        marks += [("from_items", colour, -0.12)] if method != ITEMS else []
        for name, face, above in marks:
            panel.errorbar(
                row[name], place - above, xerr=row[f"{name}_se"], color=colour, marker="o",
                markersize=3.5, markerfacecolor=face, linewidth=0.8, linestyle="none",
            )  # fmt: skip
        if method not in (ITEMS, BASELINE) and np.isfinite(row["of_gold"]):
            panel.annotate(
                f"× {row['of_gold']:.2f}", (1, place), (-2, 0), xycoords=("axes fraction", "data"),
                textcoords="offset points", fontsize=5.5, ha="right", va="center",
            )  # fmt: skip
    if BASELINE in known.index:
        gold = float(known["from_items"][BASELINE])
        panel.axvline(gold, color=style_of(BASELINE).colour, linewidth=0.7, linestyle="--")
    names = [OF_ITEMS if method == ITEMS else method for method in methods]
    panel.set_yticks(range(len(methods)), names, fontsize=6)
    panel.set_ylim(len(methods) - 0.5, -0.5)
    panel.set_xlim(0, ROOM * widest)


def _chosen(table: pd.DataFrame, wanted: Sequence[str] | None) -> tuple[list[str], pd.DataFrame]:
    """The shapes to draw and the rows of these."""
    if AXIS not in table or "curve" not in table or "metric" not in table:
        raise ValueError("the tables of an experiment and of the check score_curves are needed")
    shapes = list(wanted or dict.fromkeys(table[AXIS]))
    missing = [shape for shape in shapes if shape not in set(table[AXIS])]
    if missing:
        raise ValueError(f"the table has no shapes {missing}")
    return shapes, table[table[AXIS].isin(shapes)]


def _legends(first: Mapping[str, Axes]) -> None:
    """Explain the lines of the first row's densities and curves."""
    if "density" in first:
        panel = first["density"]
        panel.set_ylim(0, 1.35 * panel.get_ylim()[1])  # room for the legend above the curves
        panel.legend(loc="upper right", frameon=False, fontsize=6)
    if PRECISION in first:
        first[PRECISION].legend(loc="lower left", frameon=False, fontsize=6)


def draw_score_shapes(
    table: pd.DataFrame,
    *,
    shapes: Sequence[str] | None = None,
    panels: Sequence[str] = tuple(TITLES),
    replicate: int = 0,
    not_drawn: Sequence[str] = (),
) -> tuple[Figure, pd.DataFrame]:
    """Draw a row of panels for each shape of the scores.

    Args:
        table: the results of an experiment with precision_at_recall at several recalls that varies
            `shape`, and those of the check score_curves for the same shapes.
        shapes: those drawn (all by default).
        panels: some of calibration, density, precision and distance.
        replicate: whose estimates and intervals are drawn.
        not_drawn: methods whose curves are not drawn, only their distance.

    Returns:
        the figure and the rows that it shows: the exact curves, the estimates of the replicate,
        and the distances over all replicates (`curve_distances`).
    """
    shapes, table = _chosen(table, shapes)
    exact = table[table["curve"].notna()]
    results = precision_rows(table)
    distances = curve_distances(results, exact, [AXIS])
    fitted = results[results["replicate"] == replicate]
    fitted = fitted[~fitted["method"].isin(not_drawn)]
    widest = max(
        float((distances[name] + distances[f"{name}_se"].fillna(0)).max())
        for name in ("distance", "from_items")
    )
    figure, axes = new_figure(len(shapes), len(panels), 0.6 + 1.75 * max(len(shapes), 1.3))
    for row, shape in enumerate(shapes):
        curves, numbers = (part[part[AXIS] == shape] for part in (exact, distances))
        for column, name in enumerate(panels):
            panel = axes[row][column]
            if name == CALIBRATION:
                _calibration(panel, curves)
            elif name == PRECISION:
                _precision(panel, curves, fitted[fitted[AXIS] == shape])
            elif name == "distance":
                _distance(panel, numbers, widest)
            else:
                _density(panel, curves)
            if row == 0:
                panel.set_title(TITLES[name])
            if row < len(shapes) - 1:
                panel.tick_params(labelbottom=False)
            else:
                panel.set_xlabel(AXES.get(name, "score $X_i$"))
        if len(shapes) > 1:
            axes[row][0].set_ylabel(shape.replace("_", " "))
    _legends(dict(zip(panels, axes[0], strict=True)))
    figure.supxlabel(_note(results, distances), fontsize=6.5)
    shown = pd.concat([exact, fitted, distances.assign(curve="distance")], ignore_index=True)
    return figure, shown.dropna(axis="columns", how="all")


def _note(results: pd.DataFrame, distances: pd.DataFrame) -> str:
    return (
        "Distances: from the curve of the items' own labels (filled), from the exact curve "
        f"(hollow); mean ± standard error of {count_replicates(distances['replicates'])}. × "
        "and dashed line: against gold labels alone.\nCurves and bands (intervals): the first "
        f"replicate. {gate_note(results.drop(columns='at'))}"
    )


PLOT = Plot("score_shapes", draw_score_shapes)
