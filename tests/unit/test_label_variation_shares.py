"""The paper's footnotes counted against its text; what a share of few datasets' settings says."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from crowdgold.claims.verdicts import FAILS, HOLDS, NOT_DECIDED
from crowdgold.experiment.configuration import load
from crowdgold.papers.label_variation.ranks import (
    END_LEVEL,
    SETTING,
    datasets_needed,
    judged_share,
    listed_settings,
    named_settings,
    observations,
    printed_settings,
    share_interval,
    share_verdict,
)

SAID = load(Path(__file__).resolve().parents[2] / "config/printed/label_variation.yaml")[
    "section_5_2"
]
LISTS = [(share, whose) for share, about in SAID["shares"].items() for whose in about["exceptions"]]


@pytest.mark.parametrize(("share", "whose"), LISTS)
def test_a_footnotes_exceptions_leave_the_texts_count(share, whose):
    """Each item of the list has the number printed behind it; none is there twice."""
    about = SAID["shares"][share]
    items = about["exceptions"][whose]
    for one in items:
        assert len(listed_settings([one])) == one["settings"]
    listed = listed_settings(items)
    found = printed_settings(SAID, share, whose)
    assert set(listed) <= set(found.index)
    assert len(set(listed)) == len(listed) == (~found).sum()
    assert (len(found), found.sum()) == (about["settings"], about["count"])
    assert round(100 * found.mean(), 1) == about["percent"]


def of_datasets(*counts, settings=6):
    """Settings of datasets, of each as many found as its count."""
    index = pd.MultiIndex.from_product(
        [[f"d{number}" for number in range(len(counts))], ["e"], range(settings)], names=SETTING
    )
    return pd.Series([k < count for count in counts for k in range(settings)], index=index)


def test_the_interval_is_clopper_and_pearsons_of_datasets():
    """Four of five: the ends at which 4 or more, or 4 or fewer, have a probability of 5%."""
    low, high = share_interval(0.8, 5)
    assert stats.binom.sf(3, 5, low) == pytest.approx(1 - END_LEVEL)
    assert stats.binom.cdf(4, 5, high) == pytest.approx(1 - END_LEVEL)
    assert share_interval(1.0, 5) == (pytest.approx(0.05 ** (1 / 5)), 1)
    assert share_interval(0.0, 5) == (0, pytest.approx(1 - 0.05 ** (1 / 5)))
    assert observations(of_datasets(1, 2, 3, 4, 5)) == 5
    unequal = pd.concat([of_datasets(1, 1), of_datasets(0, 0, 2, settings=2).loc[["d2"]]])
    assert observations(unequal) == pytest.approx(14**2 / (36 + 36 + 4))


@pytest.mark.parametrize("datasets", [4, 5, 6, 9])
@pytest.mark.parametrize("together", [0.01, 0.1, 0.3, 0.5, 0.8, 0.99])
def test_the_interval_holds_the_share_however_settings_go_together(datasets, together):
    """Of six settings a dataset, beta-binomial with that correlation: each end is wrong in at most
    5% of cases. All cases are counted, not drawn, so that the bound has no error of its own."""
    settings = 6
    total = datasets * settings
    ends = np.array([share_interval(k / total, datasets) for k in range(total + 1)])
    for share in np.linspace(0.02, 0.98, 49):
        spread = 1 / together - 1
        one = stats.betabinom.pmf(
            np.arange(settings + 1), settings, share * spread, (1 - share) * spread
        )
        chance = np.ones(1)
        for _ in range(datasets):
            chance = np.convolve(chance, one)
        assert chance[ends[:, 0] > share].sum() <= 1 - END_LEVEL
        assert chance[ends[:, 1] < share].sum() <= 1 - END_LEVEL


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (0.85, 0.95, HOLDS), (0.81, 0.99, HOLDS), (0.55, 0.95, NOT_DECIDED),
        (0.85, 1.01, NOT_DECIDED), (0.4, 0.81, NOT_DECIDED), (0.2, 0.79, FAILS),
        (1.01, 1.02, FAILS),
    ],
)  # fmt: skip
def test_a_printed_share_is_met_where_the_whole_interval_is_near_it(low, high, verdict):
    assert share_verdict(low, high, 0.9, 0.1) == verdict


def test_a_share_is_judged_with_its_settings_named():
    low, high = share_interval(0.8, datasets_needed(0.8, 0.1))
    assert (high - low) / 2 == pytest.approx(0.1, rel=0.2)
    printed = of_datasets(6, 6, 0)
    found = judged_share(of_datasets(6, 6, 5, 6, 6), printed, 0.1, "; more")
    low, high = share_interval(29 / 30, 5)
    assert found.values == f"29 of 30 (97%; {low:.0%} to {high:.0%}); more"
    assert found.reason == "not: d2 5; printed of these datasets: 12 of 18"
    needed = datasets_needed(2 / 3, 0.1)
    assert found.verdict == NOT_DECIDED
    assert found.replicates == f"5 datasets; some {needed} needed"
    assert judged_share(of_datasets(), printed, 0.1).verdict == NOT_DECIDED
    many = named_settings(of_datasets(0, 0, 0).index)
    assert many.endswith("d1 5 and 6 more")
