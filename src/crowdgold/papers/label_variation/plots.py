"""Training methods against majority voting, a panel a dataset and metric (HLV, figs. 2 to 4), and
methods' values by each metric against their scores by people's choices (HLV, fig. 5).
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from scipy import stats

from crowdgold.papers.label_variation.judgements import METHODS, ONE, PANEL
from crowdgold.papers.label_variation.ranks import BASELINE, SETTING, differences, mean_ranks
from crowdgold.plots.style import FOOTER_SIZE, Plot, new_figure, require
from crowdgold.types.parameters import LEVEL

COLUMNS = (*SETTING, "method", "replicate", "value", "note")
METRICS = {
    "micro F1": ("accuracy", r"micro $F_1$"),
    "macro F1": (r"macro $F_1$", r"macro $F_1$"),
    "entropy correlation": ("entropy corr.", "entropy corr."),
    "PO-JSD": ("PO-JSD", "PO-JSD"),
    "soft micro F1": ("soft accuracy", r"soft micro $F_1$"),
    "soft macro F1": (r"soft macro $F_1$", r"soft macro $F_1$"),
}
"""Metric -> the title of its panels, where an item has one class, and where it may have several."""
SEVERAL = ("MFRC",)
"""Datasets whose items may have several classes."""
LOOKS = (("#5599BB", "o", "published before"), ("#D55E00", "^", "proposed by the paper"))


def _panel(axes: Axes, rows: pd.DataFrame, order: Sequence[str]) -> None:
    """Draw single runs, their mean, and a bar of one standard deviation; say what is undefined."""
    axes.axvline(0, color="#555555", linewidth=0.8)
    for place, method in enumerate(order):
        own = rows[rows["method"] == method]
        if own.empty:
            continue
        colour, marker, _ = LOOKS[METHODS[method].proposed]
        found = own["difference"].to_numpy(float)
        if not np.isfinite(found).all():
            axes.annotate(
                "undefined", (0.5, place), xycoords=("axes fraction", "data"), fontsize=5.5,
                ha="center", va="center", color=colour,
            )  # fmt: skip
            found = found[np.isfinite(found)]
        if not len(found):
            continue
        axes.plot(found, [place] * len(found), ".", color=colour, markersize=2, alpha=0.6)
        spread = found.std(ddof=1) if len(found) > 1 else 0.0
        axes.errorbar(
            found.mean(), place, xerr=spread, fmt=marker, color=colour, markersize=3, linewidth=0.8
        )
    axes.set_ylim(len(order) - 0.5, -0.5)
    axes.tick_params(axis="x", labelsize=5.5)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=3, steps=[1, 2, 5, 10], min_n_ticks=2))


def draw_label_variation(
    table: pd.DataFrame, *, shown: Sequence[str]
) -> tuple[Figure, pd.DataFrame]:
    """Draw each run's difference to the mean of MV, of the datasets of these titles that the table
    has; it is a ValueError where it has none.

    Methods are sorted by their mean rank over all settings of the table.
    """
    require(table, COLUMNS)
    ranks = mean_ranks(table)
    drawn = differences(table).assign(mean_rank=lambda rows: rows["method"].map(ranks))
    drawn = drawn[drawn["dataset"].isin(shown)]
    pairs = [
        (dataset, encoder)
        for dataset in shown
        for encoder in drawn.loc[drawn["dataset"] == dataset, "encoder"].unique()
    ]
    if not pairs:
        raise ValueError(f"no rows of {', '.join(shown)} in the table")
    order = [name for name in ranks.index if name in set(drawn["method"])]
    figure, axes = new_figure(len(pairs), len(METRICS), 0.65 + 2.15 * len(pairs))
    for panels, (dataset, encoder) in zip(axes, pairs, strict=True):
        own = drawn[(drawn["dataset"] == dataset) & (drawn["encoder"] == encoder)]
        for panel, (metric, titles) in zip(panels, METRICS.items(), strict=True):
            _panel(panel, own[own["metric"] == metric], order)
            panel.set_title(titles[dataset in SEVERAL], fontsize=7)
            panel.set_yticks(range(len(order)), order if panel is panels[0] else [""] * len(order))
        panels[0].set_ylabel(f"{dataset}\n{encoder}", fontsize=7)
    runs = drawn.groupby([*SETTING, "method"]).size().max()
    figure.supxlabel(
        f"difference to the mean of {BASELINE}; a dot is a run ({runs}), a bar one standard "
        "deviation",
        fontsize=FOOTER_SIZE,
    )
    handles = [
        axes[0][0].plot([], [], marker, color=colour, markersize=4, label=label)[0]
        for colour, marker, label in LOOKS
    ]
    encoders = "; ".join(dict.fromkeys(drawn["encoder"]))
    figure.legend(
        handles=handles, loc="outside upper center", ncols=2, frameon=False,
        title=f"Encoder: {encoders}", title_fontsize=9,
    )  # fmt: skip
    return figure, drawn


PLOT = Plot("label_variation", draw_label_variation)


JUDGE_LOOKS = {
    ONE: ("#0072B2", "o", "-", "one annotator chooses"),
    PANEL: ("#D55E00", "^", "--", "an item's annotators choose together"),
}


def line_with_band(x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The least-squares line over the range of x: places, heights, and half of its 95 % band."""
    places = np.linspace(x.min(), x.max(), 50)
    slope, intercept = np.polyfit(x, y, 1)
    left = len(x) - 2
    error = np.sqrt(((y - intercept - slope * x) ** 2).sum() / left)
    spread = ((x - x.mean()) ** 2).sum()
    of_line = error * np.sqrt(1 / len(x) + (places - x.mean()) ** 2 / spread)
    return places, intercept + slope * places, stats.t.ppf((1 + LEVEL) / 2, left) * of_line


def draw_human_ranking(table: pd.DataFrame) -> tuple[Figure, pd.DataFrame]:
    """Draw a panel a dataset and metric: a point a method and judge, with a line and its band."""
    require(table, (
        "dataset", "encoder", "judge", "metric", "method", "score", "value", "correlation",
    ))  # fmt: skip
    places = list(table.groupby(["dataset", "encoder"], sort=False))
    figure, axes = new_figure(len(places), len(METRICS), 0.8 + 1.75 * len(places))
    for panels, ((dataset, encoder), rows) in zip(axes, places, strict=True):
        # Bands of few points go far beyond them.
        low, high = rows["score"].min(), rows["score"].max()
        for panel, (metric, titles) in zip(panels, METRICS.items(), strict=True):
            texts = []
            for judge, (colour, marker, line, _) in JUDGE_LOOKS.items():
                own = rows[(rows["metric"] == metric) & (rows["judge"] == judge)]
                own = own[own["value"].notna()]
                x, y = own["value"].to_numpy(float), own["score"].to_numpy(float)
                panel.plot(x, y, marker, color=colour, markersize=3, alpha=0.8, markeredgewidth=0)
                r = float(own["correlation"].iloc[0]) if len(own) else np.nan
                texts.append(f"{r:.2f}" if np.isfinite(r) else "undefined")
                if np.isfinite(r):
                    at, height, half = line_with_band(x, y)
                    panel.plot(at, height, line, color=colour, linewidth=0.9)
                    panel.fill_between(
                        at, height - half, height + half, color=colour, alpha=0.12, linewidth=0
                    )
            panel.set_title(f"r = {'; '.join(texts)}", fontsize=6, pad=2)
            panel.tick_params(labelsize=5.5)
            panel.xaxis.set_major_locator(MaxNLocator(nbins=2, steps=[1, 2, 5, 10], min_n_ticks=2))
            panel.yaxis.set_major_locator(MaxNLocator(nbins=3))
            panel.set_xlabel(titles[dataset in SEVERAL], fontsize=6, labelpad=1)
            panel.set_ylim(low - 0.1 * (high - low), high + 0.1 * (high - low))
        panels[0].set_ylabel(f"{dataset}\n{encoder}", fontsize=6.5)
    figure.supxlabel(
        "Across: a method's value by the metric. Up: its score by people's choices. r: of the one "
        "annotator; of all together",
        fontsize=FOOTER_SIZE,
    )
    handles = [
        axes[0][0].plot([], [], line + marker, color=colour, markersize=4, label=label)[0]
        for colour, marker, line, label in JUDGE_LOOKS.values()
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=2, frameon=False)
    return figure, table


RANKING_PLOT = Plot("human_ranking", draw_human_ranking)
