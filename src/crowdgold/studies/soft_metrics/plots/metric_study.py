"""What a study of metrics finds of metrics of known quality, and how often (HLV, section 6)."""

import pandas as pd
from matplotlib.figure import Figure

from crowdgold.plotting.plot import Plot, require
from crowdgold.plotting.style import legend_above, new_figure

COLUMNS = ("correlation", "mean", "lower", "upper", "significant", "fisher_low", "fisher_high")
LOOKS = (("#0072B2", "o", -0.008), ("#D55E00", "s", 0.008))


def draw_metric_study(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Draw two panels against the true correlation: what studies find, and how often it is clear.

    Args:
        table: what the check `metric_study` gives, by `instance_sd`.

    Returns:
        the figure and the rows that it shows. Bars are central 95 % of studies; the grey band is
        Fisher's interval of a correlation over so many methods, without any noise of judgements.
    """
    require(table, (*COLUMNS, "instance_sd", "ranked_right"))
    figure, axes = new_figure(1, 2, 3.0)
    left, right = axes[0]
    one = table[table["instance_sd"] == table["instance_sd"].iloc[0]]
    methods = int(one["methods"].iloc[0])
    left.fill_between(
        one["correlation"], one["fisher_low"], one["fisher_high"], color="#dddddd", linewidth=0,
        label=f"95 % interval over {methods} methods",
    )  # fmt: skip
    left.plot([0, 1], [0, 1], color="#666666", linewidth=0.8)
    groups = table.groupby("instance_sd", sort=False)
    for (instance_sd, rows), (colour, marker, shift) in zip(groups, LOOKS, strict=False):
        bars = [rows["mean"] - rows["lower"], rows["upper"] - rows["mean"]]
        name = f"studies, instance effects of sd {instance_sd:g}"
        place = rows["correlation"] + shift
        left.errorbar(
            place, rows["mean"], yerr=bars, color=colour, marker=marker, linestyle="none",
            capsize=2, label=name,
        )  # fmt: skip
        right.plot(rows["correlation"], rows["significant"], color=colour, marker=marker)
        right.plot(
            rows["correlation"], rows["ranked_right"], color=colour, marker=marker, linestyle=":",
            fillstyle="none",
        )  # fmt: skip
    left.set_ylabel("Correlation that a study finds")
    right.set_ylabel("Share of studies")
    right.set_title("solid: p < .05; dotted: above the metric before it", fontsize=7)
    right.set_ylim(0, 1.02)
    for panel in axes[0]:
        panel.set_xlabel("Correlation with the methods' true scores")
    figure.supxlabel(f"{int(table['studies'].iloc[0])} studies a point", fontsize=7)
    legend_above(figure, left, 3)
    return figure, table


PLOT = Plot("metric_study", draw_metric_study)
