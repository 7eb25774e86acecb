"""Tables of docs/judges.md, and the rows that its claims on ranges without gold labels use."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from crowdgold.claims.cells import Tables, markdown_table, only
from crowdgold.methods.method import CORRECTED
from crowdgold.methods.registry import answering, baseline, with_role
from crowdgold.papers.judge_panels.experiments import EFFECTIVE, WITHOUT
from crowdgold.papers.judge_panels.plots import measured, pooled

__all__ = ["measured"]
"""Made in another module; the page's template calls it by the name of this one."""


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
