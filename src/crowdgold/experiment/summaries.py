"""Bias, error, width and coverage over replicates, ratios to a baseline's on the same data, and how
many of the fits behind a table failed their diagnostics gate.

`bias` is the mean of estimate - truth. `error` is the mean of |estimate - truth|, which is what
MAVEN's figures 1 and 4 call bias. `_se` columns are standard errors over replicates.

Where a metric has a value for each annotator, replicates are clusters: means are over a replicate's
annotators first, standard errors over replicates, and `error_sd` is the standard deviation of
estimate - truth among a replicate's annotators, the mean over replicates.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd
from scipy.special import ndtr

from crowdgold.methods.method import FIGURES, in_order
from crowdgold.methods.misfit import flag_misfit
from crowdgold.methods.registry import METHODS
from crowdgold.models.stan_fit import MOST, RHAT_LIMIT
from crowdgold.types.parameters import LEVEL

VALUES = {
    # Of the long results table.
    "annotator", "agent", "item", "truth", "estimate", "lower", "upper", "standard_error",
    "undefined", "note", "diagnostics_passed", "diagnostics_message", "seed",
    "code_version",
    # Of a summary.
    "replicates", "gate_failures", "bias", "bias_se", "error", "error_se", "error_sd",
    "error_sd_se", "intervals", "width", "width_se", "width_ratio", "coverage", "coverage_se",
    "level", "band_low", "band_high", "misfit", "misfit_se",
}  # fmt: skip
"""Columns that hold results; all others but replicate, method and metric name a setting."""
OFTEN = 0.05
"""The share of failed fits from which on a caption names the method that has most."""
BAND_SIGMA = 3.5
"""Width of the coverage band: outside it by chance once in some 2,000 comparisons."""


def setting_keys(table: pd.DataFrame) -> list[str]:
    """The columns that say which experiment and setting a row is of."""
    others = VALUES | {"replicate", "method", "metric"}
    return [str(name) for name in table.columns if name not in others]


def count_gate_failures(table: pd.DataFrame) -> tuple[int, int]:
    """The fits by Markov chains that failed their gate, and all, of results or of a summary.

    Rows that differ in their metric alone are of one fit.
    """
    return _count_failed_fits(with_chains(table[~_fitted_by_em(table)]))


def _count_failed_fits(table: pd.DataFrame) -> tuple[int, int]:
    """How many fits failed, with Markov chains or without, and how many fits there are."""
    keys = [*setting_keys(table), "method"]
    if "gate_failures" in table:
        # A fit without a value of the metric is one of the `undefined`.
        counts = table.assign(fits=table["replicates"] + table["undefined"])
        most = counts.groupby(keys, dropna=False)[["gate_failures", "fits"]].max().sum()
        return int(most["gate_failures"]), int(most["fits"])
    failed = ~table["diagnostics_passed"].astype(bool)
    fits = table.assign(failed=failed).groupby([*keys, "replicate"], dropna=False)["failed"].any()
    return int(fits.sum()), len(fits)


def _samples(method: str) -> bool:
    """Whether a method draws from a posterior by Markov chains."""
    known = METHODS[method]
    return bool(known.models_with({}) or (known.offer and known.offer.work))


def _has_setting(method: str, setting: str) -> bool:
    known = METHODS.get(method)
    return known is not None and any(one.name == setting for one in known.settings.declared())


def fits_by_method(tables: Iterable[pd.DataFrame]) -> pd.DataFrame:
    """Fits of each method that samples, in the order of figures: columns method, fits, passed."""
    fits: Counter[str] = Counter()
    passed: Counter[str] = Counter()
    for table in tables:
        for method, rows in table.groupby("method", sort=False):
            failed, number = _count_failed_fits(rows)
            fits[str(method)] += number
            passed[str(method)] += number - failed
    sampled = in_order(filter(_samples, fits), FIGURES)
    counts = [(name, fits[name], passed[name]) for name in sampled]
    return pd.DataFrame(counts, columns=["method", "fits", "passed"])


def _fitted_by_em(table: pd.DataFrame) -> pd.Series:
    """Whether each row is of a fit by EM, which has no Markov chains, as its message says.

    A summary has no message, and of its methods those count that have no other fit.
    """
    if "diagnostics_message" in table:
        return table["diagnostics_message"].fillna("").astype(str).str.startswith("EM")
    by_em = {name: _has_setting(name, "em") and not _samples(name) for name in set(table["method"])}
    return table["method"].map(by_em).astype(bool)


def with_chains(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of methods that may have Markov chains: that draw by them, or failed a gate."""
    if "gate_failures" in table:
        failed = table["gate_failures"] > 0
    else:
        failed = ~table["diagnostics_passed"].astype(bool)
    names = {
        name: name not in METHODS or _samples(name) or _has_setting(name, "chains")
        for name in set(map(str, table["method"]))
    }
    drawing = table["method"].map(names).astype(bool)
    return table[drawing | failed.groupby(table["method"]).transform("any")]


def gate_sentence(failed: int, fits: int, longest: int = MOST, called: str = "fits") -> str:
    """What a caption or a page says of fits that missed their gate, without its full stop.

    It begins with a number, so that it can follow a full stop or a semicolon, where there are fits.
    Their chains grew to `longest` times the draws asked for, first; 1 where they did not.
    """
    if not fits:
        return f"none of these {called} has several Markov chains"
    said = f"{failed:,} of {fits:,} {called} had Markov chains that had not converged"
    if not failed:
        return said
    after = f" after {longest} times the draws" if longest > 1 else ""
    return f"{said} (R-hat above {RHAT_LIMIT}, or another check){after}, and are included"


def _most_often(table: pd.DataFrame) -> str:
    """Which of several methods' fits failed most often, where that is often; otherwise empty."""
    counts = {name: _count_failed_fits(own) for name, own in with_chains(table).groupby("method")}
    shares = {str(name): failed / fits for name, (failed, fits) in counts.items()}
    worst = max(shares, key=shares.__getitem__, default="")
    if len(shares) < 2 or shares[worst] < OFTEN:
        return ""
    return f"; most often those of {worst}, {shares[worst]:.0%}"


def gate_note(table: pd.DataFrame, longest: int = MOST) -> str:
    """What a figure's caption says of the fits behind it that missed their gate."""
    by_em = _fitted_by_em(table)
    em, others = table[by_em], table[~by_em]
    if em.empty:
        return gate_sentence(*count_gate_failures(table), longest) + _most_often(table)
    failed, fits = _count_failed_fits(em)
    said = f"{failed:,} of {fits:,} fits by EM had not converged when they stopped"
    if failed:
        # After how many steps they stopped is said where all took as many.
        messages = em.get("diagnostics_message", pd.Series(dtype=str))
        steps = set(messages.str.extract(r"EM not converged: in step (\d+)")[0].dropna())
        after = f", after {steps.pop()} steps," if len(steps) == 1 else ""
        said += f"{after} and are included"
    if with_chains(others).empty:
        return said
    counted = gate_sentence(*count_gate_failures(others), longest, "other fits")
    return f"{said}; {counted}{_most_often(others)}"


def coverage_band(replicates: int, level: float, sigma: float = BAND_SIGMA) -> tuple[float, float]:
    """The two-sided binomial band of coverage under the level, of a normal deviate's tails."""
    from scipy.stats import binom  # here, because it takes most of a second to import

    tail = float(ndtr(-sigma))
    low = float(binom.ppf(tail, replicates, level))
    high = float(binom.isf(tail, replicates, level))
    return low / replicates, high / replicates


def standard_error(values: np.ndarray) -> float:
    """The standard error of a mean; NaN for a single value."""
    return float(values.std(ddof=1) / np.sqrt(len(values))) if len(values) > 1 else float("nan")


def share_error(share: float, size: int) -> float:
    """The standard error of a share, at Jeffreys' estimate: none of n covering still has one."""
    if size == 0:
        return float("nan")
    shrunk = (share * size + 0.5) / (size + 1)
    return float(np.sqrt(shrunk * (1 - shrunk) / size))


def _by_replicate(values: pd.Series, rows: pd.DataFrame) -> np.ndarray:
    """The mean of the values (rows,) in each replicate."""
    series = pd.Series(np.asarray(values, dtype=float))
    return series.groupby(rows["replicate"].to_numpy(), sort=False).mean().to_numpy()


def _mean(values: np.ndarray) -> float:
    """The mean; NaN of nothing."""
    return float(values.mean()) if len(values) else float("nan")


def _summarise_group(group: pd.DataFrame, level: float) -> dict[str, float | str]:
    known = group[np.isfinite(group["estimate"]) & np.isfinite(group["truth"])]
    clustered = bool(group["replicate"].duplicated().any())
    ranged = known[np.isfinite(known["lower"]) & np.isfinite(known["upper"])]
    inside = (ranged["lower"] <= ranged["truth"]) & (ranged["truth"] <= ranged["upper"])
    flags, difference = known["misfit"].dropna(), known["estimate"] - known["truth"]
    signed, absolute = (_by_replicate(one, known) for one in (difference, difference.abs()))
    width = _by_replicate(ranged["upper"] - ranged["lower"], ranged)
    covered = _by_replicate(inside, ranged)
    # Only a replicate with several errors has a spread of them.
    spread = difference.groupby(known["replicate"]).std().dropna().to_numpy()
    intervals, coverage = len(ranged), _mean(covered)
    # Annotators of a replicate are not independent, so that their intervals have no binomial band.
    banded = intervals > 0 and not clustered
    low, high = coverage_band(intervals, level) if banded else (np.nan, np.nan)
    failed = group.loc[~group["diagnostics_passed"].astype(bool), "replicate"]
    notes = pd.Series(dtype=str)
    if "note" in group:
        notes = group.loc[group["lower"].isna() & (group["note"] != ""), "note"]
    return {
        "replicates": len(signed),
        "undefined": group["replicate"].nunique() - len(signed),
        "gate_failures": failed.nunique(),
        "truth": known["truth"].mean(),
        "bias": _mean(signed),
        "bias_se": standard_error(signed),
        "error": _mean(absolute),
        "error_se": standard_error(absolute),
        "error_sd": _mean(spread),
        "error_sd_se": standard_error(spread),
        "intervals": intervals,
        "width": _mean(width),
        "width_se": standard_error(width),
        "coverage": coverage,
        "coverage_se": standard_error(covered) if clustered else share_error(coverage, intervals),
        "level": level,
        "band_low": low,
        "band_high": high,
        "misfit": flags.mean() if len(flags) else np.nan,
        "misfit_se": share_error(flags.mean(), len(flags)),
        "note": str(notes.mode().iloc[0]) if len(notes) else "",
    }


def summarise(results: pd.DataFrame, settings: Sequence[str], level: float = LEVEL) -> pd.DataFrame:
    """One row for each experiment, setting, method and metric; methods in order of appearance.

    Fits that failed their gate are counted in `gate_failures`, whether they have an estimate or
    not, and stay in the numbers. Estimates without an interval count for bias and error only;
    `intervals` says how many have one, and `note` why most of the others have none. `misfit` is the
    share of estimates that MAVEN-R contradicts (`methods.misfit.flag_misfit`).
    """
    keys = ["experiment", "method", "metric", *settings]
    flagged = results.assign(misfit=flag_misfit(results, settings))
    rows = [
        dict(zip(keys, key, strict=True)) | _summarise_group(group, level)
        for key, group in flagged.groupby(keys, sort=False, dropna=False)
    ]
    counts = ["replicates", "undefined", "gate_failures", "intervals"]
    return pd.DataFrame(rows).astype(dict.fromkeys(counts, int))


def check_coverage(
    summary: pd.DataFrame, covers: Mapping[str, Sequence[str]], misses: Mapping[str, Sequence[str]]
) -> list[tuple[str, bool]]:
    """A sentence and whether the expectation holds, for each method, metric and setting.

    `covers` is method -> metrics that must lie inside the band, and `misses`, the controls, those
    that must lie below it. KeyError where the summary lacks one of them.
    """
    axes = [name for name in setting_keys(summary) if name not in ("paper", "experiment")]
    by_setting = summary.groupby(axes, sort=False) if axes else [((), summary)]
    verdicts = []
    for values, group in by_setting:
        where = "".join(f", {name} = {value}" for name, value in zip(axes, values, strict=True))
        rows = {(row["method"], row["metric"]): row for row in group.to_dict("records")}
        wanted = [
            (rows[method, metric], expected)
            for expected, asked in (("inside", covers), ("below", misses))
            for method, metrics in asked.items()
            for metric in metrics
        ]
        for row, expected in wanted:
            coverage, low, high = (float(row[one]) for one in ("coverage", "band_low", "band_high"))
            found = "below" if coverage < low else "above" if coverage > high else "inside"
            said = (
                f"{row['method']}, {row['metric']}{where}: coverage {coverage:.3f} is {found} the "
                f"band [{low:.3f}, {high:.3f}]; expected {expected}"
            )
            verdicts.append((said, found == expected))
    return verdicts


def compare(
    results: pd.DataFrame, settings: Sequence[str], method: str, baseline: str
) -> pd.DataFrame:
    """The absolute error and interval width of a method over the baseline's on the same data.

    One row for each experiment, setting and metric: `error_ratio` and `width_ratio`, mean(first) /
    mean(second), with standard errors that use the pairing by replicate (delta method).
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
            first, second = (group[one].to_numpy() for one in (name, f"{name}_baseline"))
            ratio = float(first.mean() / second.mean())
            error = standard_error((first - ratio * second) / second.mean())
            row |= {f"{name}_ratio": ratio, f"{name}_ratio_se": error}
        rows.append({**row, "method": method, "baseline": baseline, "replicates": len(group)})
    return pd.DataFrame(rows)


def average_over_settings(ratios: pd.DataFrame, axis: str) -> pd.DataFrame:
    """Ratios of `compare` averaged over the settings of an experiment, each with equal weight.

    One row for each experiment and metric, NaN in the setting column `axis`, the data of whose
    values are independent: standard errors are those of a mean of independent values.
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
    """A summary with `width_ratio`: mean width over the baseline's in the same setting.

    Rows of settings or metrics without the baseline are left out; ValueError where the summary has
    no interval of it.
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
    ratio = (joined["width"] / joined["baseline_width"]).to_numpy()
    compared = summary.assign(width_ratio=ratio)
    shown: pd.DataFrame = compared[np.isfinite(ratio) & (compared["replicates"] > 0)]
    return shown
