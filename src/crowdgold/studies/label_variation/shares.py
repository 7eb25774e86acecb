"""Shares of settings: what the paper's footnotes leave of them, and what ours say (HLV, 5.2).

Settings of one dataset share its items and its annotators, and go together; and we have few
datasets. A share's interval therefore counts datasets, not settings: Clopper and Pearson's interval
of a proportion, at as many observations as there are datasets (where these have unequally many
settings, Kish's effective number). Of independent values between 0 and 1 with a given mean none
vary more than those that are 0 or 1, so that this is the worst case, in which all settings of a
dataset go the same way. Each end is at 5%.

The printed share is met where this whole interval lies within the claim's margin of it; the claim
does not hold where the whole interval lies outside, and is not decided where neither is so.
"""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from crowdgold.documents.verdicts import NOT_DECIDED, Judgement, verdict_of
from crowdgold.studies.label_variation.ranks import CLEAR, SETTING

LEVEL = 0.95
"""Of each end of an interval."""


def listed_settings(items: list[Mapping[str, Any]]) -> list[tuple[str, str, str]]:
    """The settings (dataset, encoder, metric) that a footnote's list is of."""
    return [
        setting
        for one in items
        for setting in product(one["datasets"], [one["encoder"]], one["metrics"])
    ]


def printed_settings(section: Mapping[str, Any], share: str, *whose: str) -> pd.Series:
    """Whether each of the paper's settings is none of a footnote's exceptions.

    Args:
        section: `section_5_2` of config/printed/label_variation.yaml.
        share: one of its `shares`.
        whose: those of its lists of exceptions that count.
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
    """Count the datasets of settings; the effective number where they have unequally many."""
    sizes = found.groupby("dataset").size()
    return float(sizes.sum() ** 2 / (sizes**2).sum())


def share_interval(share: float, size: float) -> tuple[float, float]:
    """The ends, each at `LEVEL`, of a share of `size` observations (Clopper and Pearson)."""
    count = share * size
    low = stats.beta.ppf(1 - LEVEL, count, size - count + 1) if share > 0 else 0.0
    high = stats.beta.ppf(LEVEL, count + 1, size - count) if share < 1 else 1.0
    return float(low), float(high)


def share_verdict(low: float, high: float, printed: float, margin: float) -> str:
    """Judge a printed share by the interval of ours."""
    first, last = printed - margin, printed + margin
    return verdict_of(first <= low and high <= last, high < first or low > last)


def datasets_needed(printed: float, margin: float) -> int:
    """The datasets of which an interval about the printed share is no wider than the margin."""
    reach = stats.norm.ppf(LEVEL) / margin
    return int(np.ceil(printed * (1 - printed) * reach**2))


def chances(runs: int) -> tuple[float, float]:
    """The least and largest chance of one of two equal methods to be substantially above the other.

    By Student's t; of the best of many methods above another it is larger.
    """
    least, most = (stats.t.sf(CLEAR, degrees) for degrees in (2 * runs - 2, runs - 1))
    return float(least), float(most)


def in_words(found: pd.Series) -> str:
    """How many of the settings, and their share, in words."""
    return f"{int(found.sum())} of {len(found)} settings ({found.mean():.1%})"


def judged_share(found: pd.Series, printed: pd.Series, margin: float, more: str = "") -> Judgement:
    """Hold the share of our settings in which something was found against the printed one.

    Args:
        found, printed: whether, by `SETTING`.
        margin: how far ours may be from the printed share.
        more: what else to say of ours.
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
    return Judgement(text + more, verdict, "; ".join(reasons), replicates)


def named_settings(settings: pd.Index, most: int = 12) -> str:
    """Name settings by dataset and metric, the first of many."""
    names = [
        f"{dataset} {metric}"
        for dataset, metric in zip(
            settings.get_level_values("dataset"), settings.get_level_values("metric"), strict=True
        )
    ]
    shown = ", ".join(names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")
