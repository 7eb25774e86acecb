"""Training methods compared with majority voting over runs, and ranked over settings (HLV, 5.2).

A setting is a dataset, an encoder and a metric. The paper's words leave open what counts; here a
method beats MV substantially where its mean over runs is above MV's by more than `CLEAR` standard
errors of the difference, is among the best where the best one's mean is not substantially above its
own, and on par with a method where that one's is not. Runs differ in the first values of the
weights and the order of the rows, so that these errors are those of training, as the paper's error
bars are; how well the test items stand for others is not in them. A value that is undefined (an
entropy correlation of constant predictions) beats nothing, and ranks last.
"""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from crowdgold.claims.verdicts import NOT_DECIDED, Judgement, verdict_of
from crowdgold.papers.label_variation.judgements import METHODS
from crowdgold.types.columns import list_names

BASELINE = "MV"
SETTING = ["dataset", "encoder", "metric"]
CLEAR = 2.0
"""Standard errors of a difference that make it substantial."""


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
    """Where a method's mean is above another's by more than `CLEAR` standard errors."""
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
    """Whether each of `methods` is on par with the one whose loss is 1 less the setting's metric
    (PO-JSD, soft micro F1): defined, and that one is not substantially above it.

    A row a setting of such a metric in which all of them take part, indexed by `SETTING`.
    """
    by_metric = {one.objective: name for name, one in METHODS.items() if one.objective}
    on_par = {}
    for key, own in over_runs(table).groupby(SETTING, sort=False):
        trained_for = by_metric.get(str(key[2]), "")
        rows = own.set_index("method")
        if trained_for in ("JSD", "SmF1") and {trained_for, *methods} <= set(rows.index):
            chosen = rows.loc[list(methods)]
            above = _clearly_above(rows.loc[[trained_for] * len(methods)], chosen)
            on_par[key] = ~above & chosen["mean"].notna().to_numpy()
    index = pd.MultiIndex.from_tuples(list(on_par), names=SETTING)
    return pd.DataFrame(list(on_par.values()), index=index, columns=list(methods), dtype=bool)


END_LEVEL = 0.95
"""The one-sided level of each end of an interval, which then has 90 %."""


def listed_settings(items: list[Mapping[str, Any]]) -> list[tuple[str, str, str]]:
    """The settings (dataset, encoder, metric) that a footnote's list is of."""
    return [
        setting
        for one in items
        for setting in product(one["datasets"], [one["encoder"]], one["metrics"])
    ]


def printed_settings(section: Mapping[str, Any], share: str, *whose: str) -> pd.Series:
    """Whether each of the paper's settings is none of the exceptions of some of a footnote's lists.

    `section` is `section_5_2` of config/printed/label_variation.yaml, `share` one of its `shares`.
    """
    about = section["shares"][share]
    settings = pd.MultiIndex.from_tuples(
        [
            (dataset, encoder, metric)
            for dataset, encoders in section["encoders"].items()
            for encoder, metric in product(encoders, about["metrics"])
        ],
        names=SETTING,
    )
    exceptions = [one for name in whose for one in listed_settings(about["exceptions"][name])]
    return pd.Series(~settings.isin(exceptions), index=settings)


def observations(found: pd.Series) -> float:
    """The number of datasets of settings; Kish's effective one where some have more settings."""
    sizes = found.groupby("dataset").size()
    return float(sizes.sum() ** 2 / (sizes**2).sum())


def share_interval(share: float, size: float) -> tuple[float, float]:
    """The ends, each at `END_LEVEL`, of a share of `size` observations (Clopper and Pearson).

    Settings of one dataset share its items and its annotators, and go together; and we have few
    datasets. A share's interval therefore counts datasets, not settings. Of independent values
    between 0 and 1 with a given mean none vary more than those that are 0 or 1, so that this is the
    worst case, in which all settings of a dataset go the same way.
    """
    count = share * size
    low = stats.beta.ppf(1 - END_LEVEL, count, size - count + 1) if share > 0 else 0.0
    high = stats.beta.ppf(END_LEVEL, count + 1, size - count) if share < 1 else 1.0
    return float(low), float(high)


def share_verdict(low: float, high: float, printed: float, margin: float) -> str:
    """A printed share is met where the whole interval of ours lies within the margin of it, fails
    where the whole interval lies outside, and is not decided where neither is so.
    """
    first, last = printed - margin, printed + margin
    return verdict_of(first <= low and high <= last, high < first or low > last)


def datasets_needed(printed: float, margin: float) -> int:
    """The datasets of which an interval about the printed share is no wider than the margin."""
    reach = stats.norm.ppf(END_LEVEL) / margin
    return int(np.ceil(printed * (1 - printed) * reach**2))


def chances(runs: int) -> tuple[float, float]:
    """The least and largest chance of one of two equal methods to be substantially above the other.

    By Student's t; of the best of many methods above another it is larger.
    """
    least, most = (stats.t.sf(CLEAR, degrees) for degrees in (2 * runs - 2, runs - 1))
    return float(least), float(most)


def in_words(found: pd.Series) -> str:
    """In how many settings `found` is true, and their share, in words."""
    return f"{int(found.sum())} of {len(found)} settings ({found.mean():.1%})"


def judged_share(found: pd.Series, printed: pd.Series, margin: float, more: str = "") -> Judgement:
    """Judge the share of our settings where `found` is true by the printed one; `more` is added to
    the words on ours.
    """
    if found.empty:
        return Judgement("no such settings", NOT_DECIDED)
    size, share = observations(found), float(printed.mean())
    low, high = share_interval(float(found.mean()), size)
    text = f"{int(found.sum())} of {len(found)} ({found.mean():.0%}; {low:.0%} to {high:.0%})"
    same = printed[printed.index.isin(found.index.unique("dataset"), level="dataset")]
    reasons = [f"printed of these datasets: {int(same.sum())} of {len(same)}"] if len(same) else []
    if not found.all():
        reasons.insert(0, f"not: {named_settings(found.index[~found])}")
    verdict = share_verdict(low, high, share, margin)
    replicates = f"{size:.0f} datasets"
    if verdict == NOT_DECIDED:
        replicates += f"; some {datasets_needed(share, margin)} needed"
    wanted = f"within {100 * margin:.0f} points of {share:.1%}"
    return Judgement(text + more, verdict, "; ".join(reasons), replicates, wanted)


def named_settings(settings: pd.Index) -> str:
    """Name settings by dataset and metric, the first of many."""
    datasets, metrics = map(settings.get_level_values, ("dataset", "metric"))
    return list_names(map("{} {}".format, datasets, metrics), 12)
