"""Soft accuracy and PO-JSD against the predicted share of a class (HLV, figure 1)."""

import pandas as pd
from matplotlib.figure import Figure

from crowdgold.plotting.plot import Plot, require
from crowdgold.plotting.series import value_text
from crowdgold.plotting.style import legend_above, new_figure

LINES = {
    "soft_accuracy": ("soft accuracy", "#0072B2", "-"),
    "po_jsd": ("PO-JSD", "#D55E00", "--"),
}
MARKED = 0.2
"""The prediction that the text names."""


def draw_soft_metric_curve(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Draw a panel for each true share: both metrics of every prediction.

    Args:
        table: what the check `soft_metric_curve` gives.

    Returns:
        the figure and the rows that it shows; the prediction (0.2, 0.8) is marked.
    """
    require(table, ("share", "predicted", *LINES))
    shares = list(dict.fromkeys(table["share"]))
    figure, axes = new_figure(1, len(shares), 2.7)
    for panel, share in zip(axes[0], shares, strict=True):
        rows = table[table["share"] == share]
        nearest = rows.loc[(rows["predicted"] - MARKED).abs().idxmin()]
        for column, (name, colour, line) in LINES.items():
            panel.plot(rows["predicted"], rows[column], color=colour, linestyle=line, label=name)
            panel.plot(nearest["predicted"], nearest[column], "o", color=colour)
            panel.annotate(
                f"{nearest[column]:.3g}",
                (nearest["predicted"], nearest[column]),
                xytext=(5, -9),
                textcoords="offset points",
                fontsize=7,
            )
        panel.set_title(f"true judgements ({value_text(share)}, {value_text(round(1 - share, 6))})")
        panel.set_xlabel("Predicted share of the first class")
        panel.set_ylim(0, 1.02)
    axes[0][0].set_ylabel("Metric")
    figure.supxlabel("exact: nothing is simulated", fontsize=7)
    legend_above(figure, axes[0][0], 2)
    return figure, table


PLOT = Plot("soft_metric_curve", draw_soft_metric_curve)
