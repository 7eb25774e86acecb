"""Ranges without gold labels: they hold the truth, and say so where they cannot."""

import numpy as np
import pytest
from scipy.stats import norm, rankdata

from crowdgold.inference.without_gold import ranges
from crowdgold.types.errors import InputError

JUDGES = 7


def study(rng, n, shared, positive=0.4, right=0.82):
    """Truth, positive votes and scores, which all follow one difficulty of the item."""
    truth = (rng.random(n) < positive).astype(int)
    common = rng.standard_normal(n)
    own = rng.standard_normal((n, JUDGES))
    wrong = np.sqrt(shared) * common[:, None] + np.sqrt(1 - shared) * own > norm.ppf(right)
    ease = (2 * truth - 1) * 0.3 * np.sqrt(shared) * common
    return truth, (truth[:, None] ^ wrong).sum(axis=1), 1.5 * truth - ease + rng.standard_normal(n)


def auc(truth, scores):
    ranks, k = rankdata(scores), truth.sum()
    return (ranks[truth == 1].sum() - k * (k + 1) / 2) / (k * (len(truth) - k))


def found(rng, votes, scores, **options):
    return ranges(votes, np.full(len(votes), JUDGES), {"model": scores}, rng, **options)


@pytest.mark.parametrize("shared", [0.0, 0.3, 0.6])
def test_ranges_hold_the_truth(shared):
    """7 or fewer of 60 studies may exclude it (more: .01). The control, votes that are nearly
    always right, must exclude the truth or refuse.
    """
    rng = np.random.default_rng([26, int(10 * shared)])
    truth, _, scores = study(rng, 300_000, shared)
    true_auc = auc(truth, scores)
    outside = answered = control = 0
    for _ in range(60):
        _, votes, scores = study(rng, 800, shared)
        one = found(rng, votes, scores)
        answered += not one.prevalence.why
        outside += (
            not one.prevalence.why and not one.prevalence.lower <= 0.4 <= one.prevalence.upper
        )
        if not one.auc["model"].why:
            outside += not one.auc["model"].lower <= true_auc <= one.auc["model"].upper
        strict = found(rng, votes, scores, right=0.97).prevalence
        control += not strict.lower <= 0.4 <= strict.upper
    assert outside <= 7
    assert answered >= 48
    assert control >= 48


def test_ranges_hold_the_truth_where_positives_are_very_rare():
    """True prevalence .001: ranges of 20 studies begin at 0, as all positive votes may be errors,
    but where votes are assumed to be right on .995 of each class.
    """
    rng = np.random.default_rng(261)
    for _ in range(20):
        truth, votes, scores = study(rng, 3000, 0.3, positive=0.001, right=0.95)
        one = found(rng, votes, scores).prevalence
        assert (one.lower, one.why) == (0, None)
        assert one.lower <= truth.mean() <= one.upper < 0.2
        other = found(rng, JUDGES - votes, scores).prevalence
        assert other.upper == 1
        assert other.lower < 1 - truth.mean()
    _, votes, scores = study(rng, 3000, 0.0, positive=0.02, right=0.999)
    assert found(rng, votes, scores, right=0.995).prevalence.lower > 0.005


def test_ranges_of_rates_hold_the_truth():
    """TPR_H and TNR_H are .82 in each of 30 studies; 4 or fewer may exclude one (more: .02)."""
    rng, outside = np.random.default_rng(262), 0
    for _ in range(30):
        _, votes, scores = study(rng, 800, 0.3)
        one = found(rng, votes, scores, right=0.75)
        outside += not all(rate.lower <= 0.82 <= rate.upper for rate in (one.tpr, one.tnr))
        assert min(one.tpr.lower, one.tnr.lower) >= 0.74
    assert outside <= 4


def test_the_rate_of_positives_is_not_that_of_negatives():
    """TPR_H is known to .003 from 20,000 items; nothing but the assumption bounds TNR_H below."""
    rng = np.random.default_rng(264)
    truth = rng.random(20_000) < 0.95
    votes = rng.binomial(JUDGES, np.where(truth, 0.93, 0.25))
    one = found(rng, votes, rng.standard_normal(20_000))
    assert 0.88 < one.tpr.lower <= 0.93 <= one.tpr.upper
    assert one.tnr.lower == pytest.approx(0.7, abs=0.01)
    assert one.tnr.lower <= 0.75 <= one.tnr.upper


def test_an_items_weight_counts_as_so_many_items_and_a_cluster_as_one():
    """Weights of 2 change no end as items twice do; whole clusters widen as fewer items do."""
    rng = np.random.default_rng(263)
    _, votes, scores = study(rng, 600, 0.3)
    heavy = np.where(votes > 3, 3, 1)

    def ends(votes, scores, **options):
        one = ranges(
            votes,
            np.full(len(votes), JUDGES),
            {"model": scores},
            np.random.default_rng(1),
            **options,
        )
        return [one.prevalence.lower, one.prevalence.upper, one.tpr.upper, one.effective.lower]

    plain = ends(votes, scores)
    assert ends(votes, scores, weights=np.full(600, 2.0)) == pytest.approx(plain, abs=1e-9)
    place = np.repeat(np.arange(600), heavy)
    repeated = ends(votes[place], scores[place], cluster=place)
    assert ends(votes, scores, weights=heavy) == pytest.approx(repeated, abs=1e-9)
    doubled = np.repeat(np.arange(600), 2)
    assert ends(votes[doubled], scores[doubled], cluster=doubled) == pytest.approx(plain, abs=1e-9)
    assert ends(votes[doubled], scores[doubled])[0] > plain[0]


def test_more_assumed_gives_a_narrower_range():
    rng = np.random.default_rng(27)
    _, votes, scores = study(rng, 5000, 0.3)

    def width(**options):
        one = found(np.random.default_rng(1), votes, scores, **options).prevalence
        return one.upper - one.lower

    assert width(right=0.8) < width(right=0.75) < width(right=0.7)
    assert width(most=0.2) <= width(most=0.6)


def test_a_refusal_names_the_gold_labels_that_would_end_it():
    rng = np.random.default_rng(28)
    _, votes, scores = study(rng, 500, 0.3)
    one = found(rng, votes, scores, right=0.5)
    assert one.prevalence.why
    assert np.isnan(one.prevalence.lower)
    assert one.prevalence.gold == 97


def test_votes_that_contradict_the_assumptions_are_refused():
    rng = np.random.default_rng(29)
    votes = rng.binomial(JUDGES, 0.5, 2000)
    one = found(rng, votes, rng.standard_normal(2000), right=0.9)
    assert one.prevalence.why.code == "range_contradicted"


@pytest.mark.parametrize(
    ("options", "told"),
    [({"most": 1.0}, "at most 1.0"), ({"right": 0.4}, "at least 0.4"), ({"alike": 2}, "0 to 1")],
)
def test_what_cannot_be_assumed_is_refused(options, told):
    rng = np.random.default_rng(30)
    _, votes, scores = study(rng, 50, 0.3)
    with pytest.raises(InputError, match=told):
        found(rng, votes, scores, **options)


def test_single_votes_are_refused():
    rng = np.random.default_rng(31)
    with pytest.raises(InputError, match="two votes or more"):
        ranges(np.ones(5), np.ones(5), {}, rng)


@pytest.mark.parametrize("vote", [0, 1])
def test_votes_that_are_all_the_same_give_an_answer_or_a_reason(vote):
    one = ranges(np.full(50, 3 * vote), np.full(50, 3), {}, np.random.default_rng(32))
    assert one.prevalence.why or 0 <= one.prevalence.lower <= one.prevalence.upper <= 1
    assert 1 <= one.effective.lower <= 3
