"""Training methods compared with majority voting over runs, and ranked over settings (HLV, 5.2).

A setting is a dataset, an encoder and a metric. The paper's words leave open what counts; here:

    difference       of a single run's value to the mean value of MV over its runs
    substantially    a method beats MV where its mean over runs is above MV's by more than `CLEAR`
                     standard errors of the difference of the two means
    among the best   where the best method's mean is not substantially above its own
    on par           the same with the one method in the place of the best

Runs differ in the first values of the weights and the order of the rows, so that these errors are
those of training, as the paper's error bars are; how well the test items stand for others is not in
them. A value that is undefined (an entropy correlation of constant predictions) beats nothing, and
ranks last.
"""

import numpy as np
import pandas as pd

from crowdgold.studies.label_variation.methods import METHODS

BASELINE = "MV"
SETTING = ["dataset", "encoder", "metric"]
CLEAR = 2.0
"""Standard errors."""


def differences(table: pd.DataFrame) -> pd.DataFrame:
    """Add `difference`: a run's value less MV's mean over runs in its setting."""
    baseline = table[table["method"] == BASELINE].groupby(SETTING)["value"].mean()
    reference = baseline.reindex(pd.MultiIndex.from_frame(table[SETTING])).to_numpy()
    return table.assign(difference=table["value"].to_numpy() - reference)


def over_runs(table: pd.DataFrame) -> pd.DataFrame:
    """A row a setting and method: `runs`, `mean`, `sd` and `se` of its value over the runs.

    A method with an undefined run has an undefined mean. With one run, sd and se are undefined.
    """
    grouped = table.groupby([*SETTING, "method"], sort=False)["value"]
    found = grouped.agg(runs="size", defined="count", mean="mean", sd="std").reset_index()
    undefined = found.pop("defined") < found["runs"]
    found[["mean", "sd"]] = found[["mean", "sd"]].mask(undefined)
    return found.assign(se=found["sd"] / np.sqrt(found["runs"]))


def mean_ranks(table: pd.DataFrame) -> pd.Series:
    """Each method's rank, 1 the best, in the mean over the settings it takes part in.

    Methods that share a mean share the mean of their ranks. Sorted, the best first.
    """
    summary = over_runs(table)
    filled = summary["mean"].fillna(-np.inf)
    keys = [summary[name] for name in SETTING]
    rank = filled.groupby(keys).rank(ascending=False, method="average")
    found = rank.groupby(summary["method"]).mean()
    return found.sort_values(kind="stable").rename("mean_rank")


def with_all_methods(table: pd.DataFrame) -> pd.DataFrame:
    """Keep the settings in which all methods take part, where ranks are among as many."""
    present = table.groupby(SETTING)["method"].transform("nunique")
    return table[present == len(METHODS)]


def _clearly_above(first: pd.DataFrame, second: pd.DataFrame) -> np.ndarray:
    """Say where a method's mean is above another's by more than `CLEAR` standard errors."""
    gain = first["mean"].to_numpy() - second["mean"].to_numpy()
    error = np.hypot(first["se"].to_numpy(), second["se"].to_numpy())
    with np.errstate(invalid="ignore"):
        return np.asarray(gain > CLEAR * error)


def compare_with_baseline(table: pd.DataFrame) -> pd.DataFrame:
    """A row a setting and method: whether it `beats` MV, is `among_best`, is `below` MV.

    The columns of `over_runs`, with the three and `best`, the method with the highest mean.
    """
    summary = over_runs(table)
    setting = pd.MultiIndex.from_frame(summary[SETTING])
    baseline = summary[summary["method"] == BASELINE].set_index(SETTING).reindex(setting)
    first = summary.dropna(subset="mean").sort_values("mean", ascending=False, kind="stable")
    best = first.drop_duplicates(SETTING).set_index(SETTING).reindex(setting)
    return summary.assign(
        beats=_clearly_above(summary, baseline),
        below=_clearly_above(baseline, summary),
        among_best=~_clearly_above(best, summary) & summary["mean"].notna().to_numpy(),
        best=best["method"].to_numpy(),
    )


def against_objective(table: pd.DataFrame, methods: tuple[str, ...]) -> pd.DataFrame:
    """Compare methods with the one whose loss is 1 less the setting's metric (PO-JSD, soft micro
    F1).

    Returns:
        a row a setting of such a metric in which all of them take part, indexed by `SETTING`; for
        each of `methods`, whether it is on par: defined, and the method that is trained for the
        metric is not substantially above it.
    """
    by_metric = {one.objective: name for name, one in METHODS.items() if one.objective}
    found = {}
    for key, own in over_runs(table).groupby(SETTING, sort=False):
        trained_for = by_metric.get(str(key[2]), "")
        rows = own.set_index("method")
        if trained_for not in ("JSD", "SmF1") or not {trained_for, *methods} <= set(rows.index):
            continue
        chosen = rows.loc[list(methods)]
        above = _clearly_above(rows.loc[[trained_for] * len(methods)], chosen)
        found[key] = ~above & chosen["mean"].notna().to_numpy()
    index = pd.MultiIndex.from_tuples(list(found), names=SETTING)
    return pd.DataFrame(list(found.values()), index=index, columns=list(methods), dtype=bool)
