"""Effective votes and the correlation of errors, by hand and over simulated panels of judges."""

import numpy as np
import pytest
from scipy.stats import norm

from crowdgold.inference.shared_errors import most_alike, of_judges, of_votes

GIVEN = 60


def panel(rng, n, judges, shared, positive=0.3):
    """Truth (n,) and votes (n, m): probit errors, of which one part is common to an item."""
    truth = (rng.random(n) < positive).astype(int)
    common = np.sqrt(shared) * rng.standard_normal((n, 1))
    error = common + np.sqrt(1 - shared) * rng.standard_normal((n, judges))
    right = np.linspace(0.75, 0.92, judges)
    return truth, truth[:, None] ^ (error > norm.ppf(right))


def by_hand(table, gold):
    """rho as the module's docstring defines it, item by item."""
    judges, variance, covariance = table.shape[1], [], []
    classes = [(table[gold == label], np.mean(gold == label)) for label in (0, 1)]
    for j in range(judges):
        for k in range(j, judges):
            value = sum(share * np.cov(own[:, j], own[:, k])[0, 1] for own, share in classes)
            (variance if j == k else covariance).append(value)
    return np.mean(covariance) / np.mean(variance)


def test_a_complete_panel_by_hand():
    rng = np.random.default_rng(1)
    gold, table = panel(rng, 120, 5, 0.5)
    found = of_judges(table, gold)
    rho = by_hand(table, gold)
    assert found.correlation.value == pytest.approx(rho, abs=1e-12)
    assert found.effective.value == pytest.approx(5 / (1 + 4 * rho), abs=1e-12)
    assert found.gold == 120


def test_without_names_it_is_a_ratio_of_variances():
    rng = np.random.default_rng(2)
    gold, table = panel(rng, 400, 6, 0.5)
    positive, m = table.sum(axis=1), 6
    found = of_votes(positive, np.full(400, m), gold)
    mean, one = 0.0, 0.0
    for label in (0, 1):
        own = positive[gold == label] / m
        share = np.mean(gold == label)
        square = own.mean() ** 2 - own.var(ddof=1) / len(own)
        mean, one = mean + share * own.var(ddof=1), one + share * (own.mean() - square)
    assert found.effective.value == pytest.approx(one / mean, abs=1e-10)


def test_copies_are_worth_one_vote_and_independent_judges_all():
    rng = np.random.default_rng(3)
    gold, table = panel(rng, 5000, 8, 0.0)
    alone = of_judges(table, gold).effective
    assert alone.lower < 8 < alone.upper
    copies = of_judges(np.repeat(table[:, :1], 8, axis=1), gold)
    assert copies.effective.value == pytest.approx(1, abs=1e-9)
    assert copies.correlation.value == pytest.approx(1, abs=1e-9)


def test_pairs_find_the_copied_judge():
    rng = np.random.default_rng(4)
    gold, table = panel(rng, 300, 4, 0.0)
    copied = np.where(rng.random(300) < 0.9, table[:, 0], table[:, 3])
    found = of_judges(np.column_stack([table[:, :3], copied]), gold)
    at = np.unravel_index(np.nanargmax(found.pairs), (4, 4))
    assert sorted(at) == [0, 3]
    assert found.pairs_lower[0, 3] > 0.5
    assert found.pairs_lower[1, 2] < 0 < found.pairs_upper[1, 2]


def test_votes_that_are_missing_are_left_out():
    """A tenth of the votes at random: rho within 4 standard errors, some .02, of the whole."""
    rng = np.random.default_rng(5)
    gold, table = panel(rng, 4000, 5, 0.5)
    part = np.where(rng.random(table.shape) < 0.1, -1, table)
    whole, some = of_judges(table, gold), of_judges(part, gold)
    assert some.correlation.value == pytest.approx(whole.correlation.value, abs=0.03)
    assert some.votes == pytest.approx(4.5, abs=0.05)


def test_too_little_gold_is_not_known():
    rng = np.random.default_rng(6)
    gold, table = panel(rng, 50, 5, 0.5)
    for few in (np.full(50, -1), np.where(np.arange(50) < 3, gold, -1)):
        assert np.isnan(of_judges(table, few).effective.value)
        assert np.isnan(of_votes(table.sum(axis=1), np.full(50, 5), few).effective.value)
    assert np.isnan(of_judges(gold[:, None].repeat(5, 1), gold).effective.value)


@pytest.mark.parametrize("shared", [0.0, 0.3, 0.6, 0.8])
def test_the_interval_covers(shared):
    """Of 150 studies of 100 gold items at least 130 cover: chance of fewer at .93 is .003.

    The control, intervals for which judges err independently, must fail where they do not.
    """
    rng = np.random.default_rng([7, int(10 * shared)])
    truth, many = panel(rng, 400_000, 6, shared)
    rho = by_hand(many, truth)
    worth = 6 / (1 + 5 * rho)
    hits = alone = 0
    for _ in range(150):
        gold, table = panel(rng, 100, 6, shared)
        found = of_judges(table, gold).effective
        hits += found.lower <= worth <= found.upper
        shuffled = table.copy()
        for label in (0, 1):
            own = np.flatnonzero(gold == label)
            for judge in range(6):
                shuffled[own, judge] = table[rng.permutation(own), judge]
        control = of_judges(shuffled, gold).effective
        alone += control.lower <= worth <= control.upper
    assert hits >= 130
    assert alone <= GIVEN or shared < 0.5


def test_of_judges_who_err_independently_no_pair_is_alike():
    """The largest of 36 correlations is above 0 in at most 2.5 % of studies where none is: of 100
    studies 7 or fewer, chance of more .004. The control, the interval of a pair that was not
    chosen, is above 0 in more than 7. Where one of the nine copies another in three votes of four,
    it is named, and above 0, in 15 of 20 studies or more.
    """
    rng = np.random.default_rng(8)
    alone = chosen = copies = 0
    for study in range(100):
        gold = (rng.random(100) < 0.3).astype(int)
        table = gold[:, None] ^ (rng.random((100, 9)) < np.linspace(0.1, 0.25, 9))
        found = of_judges(table, gold)
        one, other, ends = most_alike(found)
        assert ends.value == np.nanmax(found.pairs) == found.pairs[one, other]
        alone += found.pairs_lower[one, other] > 0
        chosen += ends.lower > 0
        if study < 20:
            table[:, 5] = np.where(rng.random(100) < 0.25, table[:, 5], table[:, 7])
            one, other, ends = most_alike(of_judges(table, gold))
            copies += (one, other) == (5, 7) and ends.lower > 0
    assert chosen <= 7 < alone
    assert copies >= 15


def test_the_interval_of_a_pair_covers():
    """Two judges who share an item's difficulty: of 150 studies of 100 gold items 135 or more hold
    the correlation (chance of fewer at .95 is .004), and fewer than 75 hold 0, the control."""
    rng = np.random.default_rng(9)
    truth, many = panel(rng, 40_000, 2, 0.6)
    rho = of_judges(many, truth).pairs[0, 1]
    hits = none = 0
    for _ in range(150):
        gold, table = panel(rng, 100, 2, 0.6)
        found = of_judges(table, gold)
        lower, upper = found.pairs_lower[0, 1], found.pairs_upper[0, 1]
        hits += lower <= rho <= upper
        none += lower <= 0 <= upper
    assert hits >= 135
    assert none < 75


def test_the_most_alike_are_not_known_where_pairs_are_not():
    gold = np.zeros(50, dtype=int)
    assert most_alike(of_judges(gold[:, None].repeat(3, 1), gold)) is None
