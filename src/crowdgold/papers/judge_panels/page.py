"""Tables of docs/judges.md.

The tables that bars of ranges without gold labels are judged on (`claims.yaml`).
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from crowdgold.claims.cells import Tables, markdown_table, only
from crowdgold.methods.method import CORRECTED
from crowdgold.methods.registry import answering, baseline, with_role
from crowdgold.papers.judge_panels.check import EFFECTIVE, WITHOUT
from crowdgold.papers.judge_panels.plots import measured, pooled

__all__ = ["measured"]
"""What the page calls by this module's name and others make."""


def _ranges(tables: Tables) -> pd.DataFrame:
    table = only(tables)
    return table[table["method"] == WITHOUT]


def answered(tables: Tables) -> pd.DataFrame:
    """Ranges that count as right where there are any."""
    rows = _ranges(tables)
    there = rows["lower"].notna()
    return rows.assign(
        lower=np.where(there, -np.inf, np.nan), upper=np.where(there, np.inf, np.nan)
    )


def given(tables: Tables) -> pd.DataFrame:
    """Ranges that are there: one that is refused says nothing of the truth."""
    rows = _ranges(tables)
    return rows[rows["lower"].notna()]


def _corrected(found: pd.DataFrame) -> list[str]:
    """The methods of a table that gold labels correct, without gold labels alone."""
    here = set(found["method"]) - {baseline()}
    return [name for name in with_role(CORRECTED) if name in here]


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


def effective_table(found: pd.DataFrame) -> str:
    """Coverage and median width of the interval of the effective votes."""
    own = found[found["method"] == EFFECTIVE]
    columns = zip(own["correlation"], own["n_gold"], own["coverage"], own["width"], strict=True)
    rows = [
        [f"{correlation:g}", str(n_gold), _share(coverage), f"{width:.2f}"]
        for correlation, n_gold, coverage, width in columns
    ]
    return markdown_table(["correlation", "gold labels", "coverage", "median width"], rows)


def ranges_table(found: pd.DataFrame, labels: Mapping[str, str]) -> str:
    """How often ranges without gold answer, exclude the truth, and how wide they are.

    Args:
        found: of `measured`.
        labels: experiment -> the words that stand for it; its correlation where it has none.
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
    own = pooled(found[found["method"].isin(_corrected(found))], ["experiment", "method", "n_gold"])
    columns = zip(
        own["experiment"], own["method"], own["n_gold"], own["coverage"], own["width_ratio"],
        strict=True,
    )  # fmt: skip
    rows = [
        [labels.get(name, name), f"`{method}`", str(n_gold), _share(coverage), f"{ratio:.2f}"]
        for name, method, n_gold, coverage, ratio in columns
    ]
    header = ["panel", "method", "gold labels", "coverage", "width over gold alone"]
    return markdown_table(header, rows)


def effective_panels_table(found: pd.DataFrame, labels: Mapping[str, str]) -> str:
    """Coverage of the interval of the effective votes in panels of other kinds."""
    own = found[found["method"] == EFFECTIVE]
    columns = zip(own["experiment"], own["n_gold"], own["coverage"], own["width"], strict=True)
    rows = [
        [labels.get(name, name), str(n_gold), _share(coverage), f"{width:.2f}"]
        for name, n_gold, coverage, width in columns
    ]
    return markdown_table(["panel", "gold labels", "coverage", "median width"], rows)
