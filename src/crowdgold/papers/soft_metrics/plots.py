"""The figures of the metrics of judgement distributions (HLV, figure 1, tables 2 and B.1)."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from crowdgold.papers.soft_metrics.claims import KEYS, SETTING, printed_values
from crowdgold.plots.style import Plot, legend_above, new_figure, require, value_text


def draw_soft_metric_correlations(
    table: pd.DataFrame, *, printed: Sequence[Mapping[str, Any]] = ()
) -> tuple[Figure, pd.DataFrame]:
    """Draw a panel for each setting of table 2; `printed` has {classes, alpha, beta, values} in the
    order of the pairs.
    """
    require(table, ("pair", "drawn", "expected", "low", "high", *SETTING))
    known = printed_values(table, printed)
    shown = table.astype(known.dtypes[SETTING]).merge(known, on=KEYS, how="left")
    mixes = list(dict.fromkeys(zip(shown["alpha"], shown["beta"], strict=True)))
    sizes = list(dict.fromkeys(shown["classes"]))
    figure, axes = new_figure(len(sizes), len(mixes), 0.9 + 1.7 * len(sizes))
    for line, classes in zip(axes, sizes, strict=True):
        for panel, (alpha, beta) in zip(line, mixes, strict=True):
            own: pd.Series = (shown["classes"] == classes) & (shown["alpha"] == alpha)
            rows = shown[own & (shown["beta"] == beta)]
            at = np.arange(len(rows))
            panel.vlines(at, rows["low"], rows["high"], color="#bbbbbb", linewidth=5, label="band")
            panel.plot(at, rows["expected"], "_", color="#000000", markersize=9, label="expected")
            panel.plot(at - 0.16, rows["drawn"], "o", color="#0072B2", label="drawn")
            panel.plot(at + 0.16, rows["printed"], "D", color="#D55E00", label="printed")
            panel.axhline(0, color="#666666", linewidth=0.8, zorder=0.5)
            panel.set_xticks(at, [f"{pair[0]}-{pair[1]}" for pair in rows["pair"]])
            panel.set_ylim(-0.3, 1.05)
            panel.set_title(rf"$K$ {classes:g}, $\alpha$ {alpha:g}, $\beta$ {beta:g}", fontsize=8)
        line[0].set_ylabel("Pearson's $r$")
    figure.supxlabel(
        "A accuracy, J PO-JSD, E entropy correlation, S soft accuracy; "
        f"{int(shown['matrices'].iloc[0])} matrices of {int(shown['rows'].iloc[0])} rows",
        fontsize=7,
    )
    legend_above(figure, axes[0][0], 4)
    return figure, shown


PLOT = Plot("soft_metric_correlations", draw_soft_metric_correlations)
HIGH = 0.9
"""What the paper calls strongly correlated (section 3.3)."""


def draw_excluded_metrics(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Draw the correlations of each excluded metric, a mark for each setting of table 2."""
    require(table, ("metric", "kept", "r", "low", "high", *SETTING))
    metrics, settings = list(dict.fromkeys(table["metric"])), table[SETTING].drop_duplicates()
    figure, ((panel,),) = new_figure(1, 1, 3.4)
    looks = (("#0072B2", "o", -0.18), ("#D55E00", "s", 0.18))
    for (kept, own), (colour, marker, above) in zip(
        table.groupby("kept", sort=False), looks, strict=True
    ):
        place = own["metric"].map(metrics.index) + above
        number = own[SETTING].apply(tuple, axis=1).map(
            {setting: k for k, setting in enumerate(settings.itertuples(index=False, name=None))}
        )  # fmt: skip
        place = place + 0.04 * (number - (len(settings) - 1) / 2)
        panel.hlines(place, own["low"], own["high"], color=colour, linewidth=0.8)
        panel.plot(own["r"], place, marker, color=colour, markersize=3, label=f"with {kept}")
    panel.axvline(HIGH, color="#666666", linewidth=0.8, linestyle="--")
    panel.axvline(0, color="#666666", linewidth=0.8)
    panel.set_yticks(range(len(metrics)), metrics)
    panel.set_ylim(len(metrics) - 0.5, -0.5)
    panel.set_xlim(min(-0.3, float(table["low"].min()) - 0.05), 1.03)
    panel.set_xlabel("Pearson's $r$ over random judgement distributions")
    figure.supxlabel(
        f"a mark for each of the {len(settings)} settings of table 2, with 95 % interval; "
        f"dashed: $r$ = {HIGH:g}",
        fontsize=7,
    )
    legend_above(figure, panel, 2)
    return figure, table


EXCLUDED_PLOT = Plot("excluded_metrics", draw_excluded_metrics)


def draw_soft_metric_curve(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Draw a panel for each true share: both metrics of every prediction, of which the one that the
    text names, (0.2, 0.8), is marked.
    """
    lines = {
        "soft_accuracy": ("soft accuracy", "#0072B2", "-"),
        "po_jsd": ("PO-JSD", "#D55E00", "--"),
    }
    require(table, ("share", "predicted", *lines))
    shares = list(dict.fromkeys(table["share"]))
    figure, (panels,) = new_figure(1, len(shares), 2.7)
    for panel, share in zip(panels, shares, strict=True):
        rows = table[table["share"] == share]
        nearest = rows.loc[(rows["predicted"] - 0.2).abs().idxmin()]
        for column, (name, colour, line) in lines.items():
            panel.plot(rows["predicted"], rows[column], color=colour, linestyle=line, label=name)
            panel.plot(nearest["predicted"], nearest[column], "o", color=colour)
            panel.annotate(
                f"{nearest[column]:.3g}", (nearest["predicted"], nearest[column]), xytext=(5, -9),
                textcoords="offset points", fontsize=7,
            )  # fmt: skip
        panel.set_title(f"true judgements ({value_text(share)}, {value_text(round(1 - share, 6))})")
        panel.set_xlabel("Predicted share of the first class")
        panel.set_ylim(0, 1.02)
    panels[0].set_ylabel("Metric")
    figure.supxlabel("exact: nothing is simulated", fontsize=7)
    legend_above(figure, panels[0], 2)
    return figure, table


CURVE_PLOT = Plot("soft_metric_curve", draw_soft_metric_curve)


def draw_metric_study(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Draw two panels against the true correlation: what studies find, and how often it is clear.

    Bars are central 95 % of studies, by `instance_sd`; the grey band is Fisher's interval of a
    correlation over so many methods, without any noise of judgements.
    """
    require(table, (
        "correlation", "mean", "lower", "upper", "significant", "fisher_low", "fisher_high",
        "instance_sd", "ranked_right",
    ))  # fmt: skip
    figure, ((left, right),) = new_figure(1, 2, 3.0)
    one = table[table["instance_sd"] == table["instance_sd"].iloc[0]]
    left.fill_between(
        one["correlation"], one["fisher_low"], one["fisher_high"], color="#dddddd", linewidth=0,
        label=f"95 % interval over {int(one['methods'].iloc[0])} methods",
    )  # fmt: skip
    left.plot([0, 1], [0, 1], color="#666666", linewidth=0.8)
    groups = table.groupby("instance_sd", sort=False)
    looks = (("#0072B2", "o", -0.008), ("#D55E00", "s", 0.008))
    for (instance_sd, rows), (colour, marker, shift) in zip(groups, looks, strict=False):
        at = rows["correlation"]
        left.errorbar(
            at + shift, rows["mean"],
            yerr=[rows["mean"] - rows["lower"], rows["upper"] - rows["mean"]], color=colour,
            marker=marker, linestyle="none", capsize=2,
            label=f"studies, instance effects of sd {instance_sd:g}",
        )  # fmt: skip
        right.plot(at, rows["significant"], color=colour, marker=marker)
        right.plot(
            at, rows["ranked_right"], color=colour, marker=marker, linestyle=":", fillstyle="none"
        )
    left.set_ylabel("Correlation that a study finds")
    right.set_ylabel("Share of studies")
    right.set_title("solid: p < .05; dotted: above the metric before it", fontsize=7)
    right.set_ylim(0, 1.02)
    for panel in (left, right):
        panel.set_xlabel("Correlation with the methods' true scores")
    figure.supxlabel(f"{int(table['studies'].iloc[0])} studies a point", fontsize=7)
    legend_above(figure, left, 3)
    return figure, table


STUDY_PLOT = Plot("metric_study", draw_metric_study)


def draw_soft_metric_scores(
    table: pd.DataFrame, *, printed: Mapping[str, Any] | None = None
) -> tuple[Figure, pd.DataFrame]:
    """Draw a panel a metric: a point for each predictor, training seed and subset.

    `printed` is subset -> metric -> what the paper prints of its own MV. The rows include those
    whose metric is undefined; metrics of a class are in the page's table.
    """
    require(table, ("subset", "predictor", "seed", "metric", "label", "value"))
    table = table[table["label"] == ""]
    order = list(dict.fromkeys(table["predictor"]))
    figure, axes = new_figure(2, 3, 4.4)
    for index, metric in enumerate(dict.fromkeys(table["metric"])):
        panel, rows = axes[index // 3][index % 3], table[table["metric"] == metric]
        for subset, name, colour, marker, shift in (
            ("snli", "SNLI", "#0072B2", "o", -0.13), ("mnli_m", "MNLI", "#D55E00", "s", 0.13),
        ):  # fmt: skip
            own = rows[rows["subset"] == subset]
            at = [order.index(one) + shift for one in own["predictor"]]
            panel.plot(
                own["value"], at, marker, color=colour, label=name, markersize=3.5, alpha=0.8
            )
            values = (printed or {}).get(subset, {})
            if metric in values:
                at_printed = len(order) + shift
                panel.plot(values[metric], at_printed, marker, color=colour, fillstyle="none")
        panel.set_yticks(range(len(order) + 1), [*order, "printed: MV, RoBERTa"])
        panel.set_ylim(len(order) + 0.5, -0.5)
        panel.set_title(metric)
        if index % 3:
            panel.set_yticklabels([])
    figure.supxlabel("a point is a training seed, or one draw of labels", fontsize=7)
    legend_above(figure, axes[0][0], 2)
    return figure, table


SCORES_PLOT = Plot("soft_metric_scores", draw_soft_metric_scores)
