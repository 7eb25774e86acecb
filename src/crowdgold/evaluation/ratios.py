"""Error and interval width of methods relative to a baseline's, on the same data."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from crowdgold.evaluation.fits import setting_keys
from crowdgold.evaluation.summaries import standard_error


def _ratio_of_means(first: np.ndarray, second: np.ndarray) -> tuple[float, float]:
    """mean(first) / mean(second) and its standard error for paired values (delta method)."""
    ratio = float(first.mean() / second.mean())
    return ratio, standard_error((first - ratio * second) / second.mean())


def compare(
    results: pd.DataFrame, settings: Sequence[str], method: str, baseline: str
) -> pd.DataFrame:
    """Compare the absolute error and the interval width of two methods on the same data.

    Args:
        settings: its setting columns.
        method, baseline: the methods; ratios are method / baseline.

    Returns:
        one row for each experiment, setting and metric: `error_ratio` and `width_ratio` with
        standard errors that use the pairing by replicate.
    """
    keys = ["experiment", *settings, "metric"]
    frame = results.assign(
        error=(results["estimate"] - results["truth"]).abs(),
        width=results["upper"] - results["lower"],
    )
    pair = frame[frame["method"] == method].merge(
        frame[frame["method"] == baseline], on=[*keys, "replicate"], suffixes=("", "_baseline")
    )
    pair = pair.dropna(subset=["error", "error_baseline", "width", "width_baseline"])
    rows = []
    for key, group in pair.groupby(keys, sort=False):
        row = dict(zip(keys, key, strict=True))
        for name in ("error", "width"):
            ratio, error = _ratio_of_means(
                group[name].to_numpy(), group[f"{name}_baseline"].to_numpy()
            )
            row |= {f"{name}_ratio": ratio, f"{name}_ratio_se": error}
        rows.append({**row, "method": method, "baseline": baseline, "replicates": len(group)})
    return pd.DataFrame(rows)


def average_over_settings(ratios: pd.DataFrame, axis: str) -> pd.DataFrame:
    """Average ratios of `compare` over the settings of an experiment, each with equal weight.

    Args:
        ratios: rows of `compare`.
        axis: the setting column; the data of its values are independent.

    Returns:
        one row for each experiment and metric, NaN in the setting column; standard errors are those
        of a mean of independent values.
    """
    rows = []
    for (experiment, metric), group in ratios.groupby(["experiment", "metric"], sort=False):
        row = {**group.iloc[0].to_dict(), "experiment": experiment, "metric": metric, axis: np.nan}
        for name in ("error_ratio", "width_ratio"):
            row[name] = group[name].mean()
            row[f"{name}_se"] = np.sqrt((group[f"{name}_se"] ** 2).sum()) / len(group)
        rows.append({**row, "replicates": int(group["replicates"].sum())})
    return pd.DataFrame(rows, columns=ratios.columns)


def relative_to(summary: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Add `width_ratio` to a summary: mean width over the baseline's in the same setting.

    Args:
        summary: of one or several experiments, with any setting columns.
        baseline: the method whose width is 1; rows of settings or metrics without it are left out.

    Raises:
        ValueError: where the summary has no interval of the baseline.
    """
    keys = [*setting_keys(summary), "metric"]
    base = summary[(summary["method"] == baseline) & (summary["width"] > 0)]
    if base.empty:
        raise ValueError(f"the table has no intervals of {baseline!r} to compare widths with")
    # Setting columns of other experiments are empty, and empty equals empty here.
    named = summary.assign(**{name: summary[name].astype(str) for name in keys})
    width = base.assign(**{name: base[name].astype(str) for name in keys})
    width = width[[*keys, "width"]].rename(columns={"width": "baseline_width"})
    joined = named.merge(width, on=keys, how="left")
    found = summary.assign(width_ratio=(joined["width"] / joined["baseline_width"]).to_numpy())
    shown: pd.DataFrame = found[np.isfinite(found["width_ratio"]) & (found["replicates"] > 0)]
    return shown
