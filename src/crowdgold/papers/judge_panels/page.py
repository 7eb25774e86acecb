"""Figures and tables of docs/judges.md, and the rows that its claims use.

They show coverage and width against how far judges err together, effective votes, and ranges
without gold labels.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from crowdgold.claims.cells import Tables, markdown_table, only
from crowdgold.experiment.summaries import share_error
from crowdgold.methods.method import CORRECTED
from crowdgold.methods.registry import METHODS, answering, baseline, with_role
from crowdgold.papers.judge_panels.experiments import COLUMNS, EFFECTIVE, VOTES, WITHOUT
from crowdgold.plots.style import COLOURS, Plot, new_figure, require
from crowdgold.types.parameters import LEVEL

KEYS = ["experiment", "correlation", "n_gold", "method", "metric"]


def _with_correlation(table: pd.DataFrame, by: str) -> pd.DataFrame:
    """The rows, with the setting `by` as column `correlation`; NaN without one."""
    require(table, [*COLUMNS, "experiment", "replicate"])
    found = table[by].astype(float) if by in table else np.nan
    return table.assign(correlation=found)


def measured(table: pd.DataFrame, by: str) -> pd.DataFrame:
    """Coverage and widths of each method, a row for each setting and metric.

    The table is what `judge_panels` gives, `by` its column of the correlation of errors.
    Columns: `KEYS`, `replicates`, `answered` (the share with an interval), `coverage` (of these),
    `width` (median) and `width_ratio` (mean, over that of gold labels alone).
    """
    rows = _with_correlation(table, by)
    width = rows["upper"] - rows["lower"]
    inside = (rows["lower"] <= rows["truth"]) & (rows["truth"] <= rows["upper"])
    there = width.notna()
    rows = rows.assign(width=width, there=there, inside=inside.astype(float).where(there))
    found = (
        rows.groupby(KEYS, sort=False, dropna=False)
        .agg(
            replicates=("there", "size"), answered=("there", "mean"), coverage=("inside", "mean"),
            width=("width", "median"), mean=("width", "mean"),
        )
        .reset_index()
    )  # fmt: skip
    keys = [one for one in KEYS if one != "method"]
    alone = found.loc[found["method"] == baseline(), [*keys, "mean"]]
    both = found.merge(alone.rename(columns={"mean": "alone"}), how="left", on=keys)
    return both.assign(width_ratio=both["mean"] / both["alone"]).drop(columns=["mean", "alone"])


def pooled(found: pd.DataFrame, by: Sequence[str]) -> pd.DataFrame:
    """Means over all keys but those of `by`, such as metrics; `lowest` is the least coverage."""
    groups = found.groupby(list(by), sort=False, dropna=False)
    return groups.agg(
        replicates=("replicates", "max"), answered=("answered", "mean"),
        coverage=("coverage", "mean"), lowest=("coverage", "min"), width=("width", "mean"),
        width_ratio=("width_ratio", "mean"),
    ).reset_index()  # fmt: skip


TITLES = {"prevalence": "Prevalence", "AUC": "AUC of the model"}
ENOUGH = 0.5
"""The median ends of ranges are drawn where at least this share of studies has a range."""


def _coverage(axes: Axes, found: pd.DataFrame) -> None:
    """Coverage of each method, over its metrics and numbers of gold labels.

    Bars are one standard error of a single metric, which that of a mean over metrics is not above.
    """
    axes.axhline(LEVEL, color="#999999", linewidth=0.7)
    own = found[~found["method"].isin([EFFECTIVE, WITHOUT, baseline()])]
    # A method of several experiments is drawn from the one with the most replicates.
    own = own[own["replicates"] == own.groupby("method")["replicates"].transform("max")]
    methods = list(pooled(own, ["method", "correlation"]).groupby("method", sort=False))
    for number, (name, rows) in enumerate(methods):
        style = METHODS[str(name)].style
        assert style is not None
        # So that no mark hides another.
        shift = 0.01 * (number - (len(methods) - 1) / 2)
        error = [share_error(*one) for one in rows[["coverage", "replicates"]].to_numpy()]
        axes.errorbar(
            rows["correlation"] + shift, rows["coverage"], error, fmt=style.line,
            color=style.colour, marker=style.marker, markersize=4, linewidth=1, label=str(name),
        )  # fmt: skip
    axes.set_ylim(-0.02, 1.02)
    axes.set_title("mean over metrics")
    axes.set_ylabel(f"Coverage of {LEVEL:.0%} intervals")
    axes.legend(loc="lower left", frameon=False, fontsize=6)


def _effective(axes: Axes, table: pd.DataFrame) -> None:
    """The effective number of votes beside the truth: medians of the ends of its intervals."""
    own = table[(table["method"] == EFFECTIVE) & (table["metric"] == VOTES)]
    for number, (n_gold, rows) in enumerate(own.groupby("n_gold", sort=True)):
        middle = rows.groupby("correlation")[["lower", "upper", "truth"]].median()
        axes.fill_between(
            middle.index, middle["lower"], middle["upper"], color=COLOURS[number], alpha=0.25,
            linewidth=0, label=f"{n_gold} gold labels",
        )  # fmt: skip
        axes.plot(middle.index, middle["truth"], color="black", linewidth=1)
    axes.set_title("line: truth; bands: median interval")
    axes.set_ylabel("Effective number of votes")
    axes.legend(loc="upper right", frameon=False, fontsize=6)


def _ranges(axes: Axes, table: pd.DataFrame, metric: str) -> None:
    """Ranges without gold labels: medians of their ends, where enough studies have one."""
    own = table[(table["method"] == WITHOUT) & (table["metric"] == metric)]
    by = own.groupby("correlation")
    middle, share = by[["lower", "upper", "truth"]].median(), by["lower"].count() / by.size()
    ends = middle[["lower", "upper"]].where(share >= ENOUGH)
    axes.fill_between(ends.index, ends["lower"], ends["upper"], color="#BBBBBB", linewidth=0)
    # `fill_between` draws no band at a correlation whose neighbours have no range; a line shows it.
    axes.vlines(ends.index, ends["lower"], ends["upper"], color="#999999", linewidth=2)
    axes.plot(middle.index, middle["truth"], color="black", linewidth=1)
    for place in share.index[share < ENOUGH]:
        axes.annotate(
            f"{share[place]:.0%} have\na range", (place, 0.05), fontsize=6,
            ha="left" if place == share.index[0] else "center", color="#444444",
        )  # fmt: skip
    axes.set_ylim(0, 1)
    axes.set_title("no gold labels; line: truth")
    axes.set_ylabel(TITLES[metric])


def draw_judge_panels(table: pd.DataFrame, *, by: str, label: str) -> tuple[Figure, pd.DataFrame]:
    """Draw coverage, effective votes and ranges against the correlation of errors (`measured`)."""
    found, rows = measured(table, by), _with_correlation(table, by)
    many = rows[rows["experiment"] == rows["experiment"].iloc[0]]
    figure, axes = new_figure(2, 2, 4.6)
    panels = [panel for row in axes for panel in row]
    _coverage(panels[0], found)
    _effective(panels[1], many)
    for panel, metric in zip(panels[2:], TITLES, strict=True):
        _ranges(panel, many, metric)
    for panel in panels:
        panel.set_xlabel(label)
    return figure, found


PLOT = Plot("judge_panels", draw_judge_panels)


def ranges_or_all(tables: Tables) -> pd.DataFrame:
    """Ranges without gold, each made endless: its coverage is how often there is a range."""
    rows = only(tables)[only(tables)["method"] == WITHOUT]
    there = rows["lower"].notna()
    ends = {"lower": np.where(there, -np.inf, np.nan), "upper": np.where(there, np.inf, np.nan)}
    return rows.assign(**ends)


def given_ranges(tables: Tables) -> pd.DataFrame:
    """Ranges without gold where there is one; a refused range says nothing of the truth."""
    rows = only(tables)[only(tables)["method"] == WITHOUT]
    return rows[rows["lower"].notna()]


def _share(value: float) -> str:
    return "" if pd.isna(value) else f"{value:.3f}"


def answer_in_words(found: pd.DataFrame) -> dict[str, str]:
    """Numbers of gold labels, and the `least` and `most` coverage of the answer, in per cent."""
    own = pooled(found[found["method"] == answering()], ["correlation", "n_gold"])
    ends = own["coverage"].min(), own["coverage"].max()
    least, most = (f"{100 * end:.1f}" for end in ends)
    return {"gold": f"{own['n_gold'].min()} to {own['n_gold'].max()}", "least": least, "most": most}


def methods_table(found: pd.DataFrame, value: str) -> str:
    """A value of each method by correlation, a column for each metric; mean over gold labels."""
    own = found[~found["method"].isin([EFFECTIVE, WITHOUT])]
    cells = pooled(own, ["method", "correlation", "metric"])
    metrics = list(dict.fromkeys(cells["metric"]))
    rows = []
    for (method, correlation), group in cells.groupby(["method", "correlation"], sort=False):
        known = group.set_index("metric")[value]
        shown = [_share(known.get(metric, float("nan"))) for metric in metrics]
        rows.append([f"`{method}`", f"{correlation:g}", *shown])
    return markdown_table(["method", "correlation", *metrics], rows)


def effective_table(found: pd.DataFrame, labels: Mapping[str, str] | None = None) -> str:
    """Coverage and median width of the interval of the effective votes.

    A line is for a correlation or, with `labels`, for a panel of another kind.
    """
    by = "correlation" if labels is None else "experiment"
    own = found.loc[found["method"] == EFFECTIVE, [by, "n_gold", "coverage", "width"]]
    rows = [
        [f"{one:g}" if labels is None else labels.get(one, one), str(n_gold), _share(coverage),
         f"{width:.2f}"]
        for one, n_gold, coverage, width in own.itertuples(index=False)
    ]  # fmt: skip
    first = "correlation" if labels is None else "panel"
    return markdown_table([first, "gold labels", "coverage", "median width"], rows)


def ranges_table(found: pd.DataFrame, labels: Mapping[str, str]) -> str:
    """How often ranges without gold answer, exclude the truth, and how wide they are.

    An experiment is named by its words, or else by its correlation.
    """
    own = found[found["method"] == WITHOUT]
    excluded = own["answered"] * (1 - own["coverage"].fillna(1))
    named = [
        labels.get(str(name), f"correlation {correlation:g}")
        for name, correlation in zip(own["experiment"], own["correlation"], strict=True)
    ]
    columns = zip(named, own["metric"], own["answered"], excluded, own["width"], strict=True)
    rows = [
        [name, str(metric), f"{1 - answered:.3f}", f"{outside:.3f}", f"{width:.2f}"]
        for name, metric, answered, outside, width in columns
    ]
    header = ["panel", "metric", "refused", "excludes the truth", "median width"]
    return markdown_table(header, rows)


def panels_table(found: pd.DataFrame, labels: Mapping[str, str]) -> str:
    """Panels of other kinds: coverage over metrics, and width over that of gold labels alone."""
    corrected = set(with_role(CORRECTED)) - {baseline()}
    own = pooled(found[found["method"].isin(corrected)], ["experiment", "method", "n_gold"])
    shown = ["experiment", "method", "n_gold", "coverage", "width_ratio"]
    rows = [
        [labels.get(name, name), f"`{method}`", str(n_gold), _share(coverage), f"{ratio:.2f}"]
        for name, method, n_gold, coverage, ratio in own[shown].itertuples(index=False)
    ]
    header = ["panel", "method", "gold labels", "coverage", "width over gold alone"]
    return markdown_table(header, rows)
