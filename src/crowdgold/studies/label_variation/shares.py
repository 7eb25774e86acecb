"""Shares of settings: what the paper's footnotes leave of them, and what ours say (HLV, 5.2).

Settings of one dataset share its items and its annotators, and go together; and we have few
datasets. A share's interval therefore counts datasets, not settings: Clopper and Pearson's interval
of a proportion, at as many observations as there are datasets (where these have unequally many
settings, Kish's effective number). Of independent values between 0 and 1 with a given mean none
vary more than those that are 0 or 1, so that this is the worst case, in which all settings of a
dataset go the same way. Each end is at 5%: a claim that more than half of the settings do so is
one-sided, and of five datasets five are then just enough for it (1/32).

The verdict is that of two comparisons, with one half and with the printed share, by the rule of
`verdicts`. That the share is more than half can be shown; that it is not below the printed one can
only be contradicted. A wide interval contradicts nothing, so that reaching the printed share alone
is not enough to hold.
"""

from collections.abc import Mapping
from itertools import product
from typing import Any

import pandas as pd
from scipy import stats

from crowdgold.documents.verdicts import FAILS, HOLDS, NOT_CLEAR, PARTLY, Judgement
from crowdgold.studies.label_variation.ranks import CLEAR, SETTING

LEVEL = 0.95
"""Of each end of an interval."""
MAJORITY = 0.5


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


def share_verdict(low: float, high: float, printed: float) -> str:
    """Judge a share by its interval: clearly more than half, and not clearly below the printed."""
    if low > MAJORITY:
        return HOLDS if high >= printed else PARTLY
    return NOT_CLEAR if high >= printed else FAILS


def chances(runs: int) -> tuple[float, float]:
    """The least and largest chance of one of two equal methods to be substantially above the other.

    By Student's t; of the best of many methods above another it is larger.
    """
    least, most = (stats.t.sf(CLEAR, degrees) for degrees in (2 * runs - 2, runs - 1))
    return float(least), float(most)


def in_words(found: pd.Series) -> str:
    """How many of the settings, and their share, in words."""
    return f"{int(found.sum())} of {len(found)} settings ({found.mean():.1%})"


def judged_share(found: pd.Series, printed: pd.Series, more: str = "") -> Judgement:
    """Hold the share of our settings in which something was found against the printed one.

    Args:
        found, printed: whether, by `SETTING`.
        more: what else to say of ours.
    """
    if found.empty:
        return Judgement("no such settings", NOT_CLEAR)
    low, high = share_interval(float(found.mean()), observations(found))
    text = f"{int(found.sum())} of {len(found)} ({found.mean():.0%}; {low:.0%} to {high:.0%})"
    same = printed[printed.index.isin(found.index.unique("dataset"), level="dataset")]
    reasons = [f"printed of these datasets: {int(same.sum())} of {len(same)}"] if len(same) else []
    if not found.all():
        reasons.insert(0, f"not: {named_settings(found.index[~found])}")
    return Judgement(
        text + more, share_verdict(low, high, float(printed.mean())), "; ".join(reasons)
    )


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
