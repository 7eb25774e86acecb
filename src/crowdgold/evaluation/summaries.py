"""Bias, error, interval width and coverage over replicates, with Monte Carlo errors.

`bias` is the mean of estimate - truth. `error` is the mean of |estimate - truth|, which is what
MAVEN's figures 1 and 4 call bias. `_se` columns are standard errors over replicates.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.special import ndtr

from crowdgold.evaluation.misfit import flag_misfit

KEYS = ["experiment", "method", "metric"]
BAND_SIGMA = 3.5
"""Width of the coverage band: outside it by chance once in some 2,000 comparisons."""


def coverage_band(replicates: int, level: float, sigma: float = BAND_SIGMA) -> tuple[float, float]:
    """Give the two-sided binomial band of observed coverage under the nominal level.

    Args:
        replicates: number of intervals.
        level: nominal coverage.
        sigma: the band's half-width as a normal deviate, which sets its tail probability.
    """
    from scipy.stats import binom  # here, because it takes most of a second to import

    tail = float(ndtr(-sigma))
    low = float(binom.ppf(tail, replicates, level))
    high = float(binom.isf(tail, replicates, level))
    return low / replicates, high / replicates


def standard_error(values: np.ndarray) -> float:
    """Give the standard error of a mean; NaN for a single value."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def share_error(share: float, size: int) -> float:
    """Give the standard error of a share of `size` replicates.

    At Jeffreys' estimate of it, so that no interval covering out of n still has an error.
    """
    if size == 0:
        return float("nan")
    shrunk = (share * size + 0.5) / (size + 1)
    return float(np.sqrt(shrunk * (1 - shrunk) / size))


def _summarise_group(group: pd.DataFrame, level: float) -> dict[str, float]:
    known = group[np.isfinite(group["estimate"]) & np.isfinite(group["truth"])]
    flags = known["misfit"].dropna()
    error = (known["estimate"] - known["truth"]).to_numpy()
    ranged = known[np.isfinite(known["lower"]) & np.isfinite(known["upper"])]
    width = (ranged["upper"] - ranged["lower"]).to_numpy()
    covered = ((ranged["lower"] <= ranged["truth"]) & (ranged["truth"] <= ranged["upper"])).mean()
    size, intervals = len(known), len(ranged)
    low, high = coverage_band(intervals, level) if intervals else (np.nan, np.nan)
    return {
        "replicates": size,
        "undefined": len(group) - size,
        "gate_failures": int((~group["diagnostics_passed"].astype(bool)).sum()),
        "truth": known["truth"].mean(),
        "bias": error.mean() if size else np.nan,
        "bias_se": standard_error(error),
        "error": np.abs(error).mean() if size else np.nan,
        "error_se": standard_error(np.abs(error)),
        "intervals": intervals,
        "width": width.mean() if intervals else np.nan,
        "width_se": standard_error(width),
        "coverage": covered if intervals else np.nan,
        "coverage_se": share_error(covered, intervals),
        "level": level,
        "band_low": low,
        "band_high": high,
        "seconds": known["seconds"].mean(),
        "misfit": flags.mean() if len(flags) else np.nan,
        "misfit_se": share_error(flags.mean(), len(flags)),
    }


def summarise(results: pd.DataFrame, settings: Sequence[str], level: float = 0.95) -> pd.DataFrame:
    """Summarise the results of an experiment over its replicates.

    Args:
        results: the long results table.
        settings: its setting columns.
        level: nominal coverage of its intervals.

    Returns:
        one row for each experiment, setting, method and metric; methods in order of appearance.
        Fits that failed their gate are counted in `gate_failures`, whether they have an estimate or
        not, and stay in the numbers.
        Estimates without an interval count for bias and error only; `intervals` says how many have
        one. `misfit` is the share of estimates that MAVEN-R contradicts (`misfit.flag_misfit`).
    """
    keys = [*KEYS, *settings]
    flagged = results.assign(misfit=flag_misfit(results, settings))
    rows = [
        dict(zip(keys, key, strict=True)) | _summarise_group(group, level)
        for key, group in flagged.groupby(keys, sort=False, dropna=False)
    ]
    summary = pd.DataFrame(rows)
    counts = ["replicates", "undefined", "gate_failures", "intervals"]
    return summary.astype(dict.fromkeys(counts, int))


def check_coverage(
    summary: pd.DataFrame, covers: Mapping[str, Sequence[str]], misses: Mapping[str, Sequence[str]]
) -> list[tuple[str, bool]]:
    """Hold coverage against what is expected of it.

    Args:
        summary: of replicates; each row carries its own binomial band.
        covers: method -> metrics that must lie inside the band.
        misses: method -> metrics that must lie below it: controls.

    Returns:
        a sentence and whether the expectation holds, for each method and metric.
    """
    rows = {(row["method"], row["metric"]): row for row in summary.to_dict("records")}
    verdicts = []
    for expected, wanted in (("inside", covers), ("below", misses)):
        for method, metrics in wanted.items():
            for metric in metrics:
                row = rows[method, metric]
                coverage, low, high = (
                    float(row[name]) for name in ("coverage", "band_low", "band_high")
                )
                found = "below" if coverage < low else "above" if coverage > high else "inside"
                verdicts.append(
                    (
                        f"{method}, {metric}: coverage {coverage:.3f} is {found} the band "
                        f"[{low:.3f}, {high:.3f}]; expected {expected}",
                        found == expected,
                    )
                )
    return verdicts
