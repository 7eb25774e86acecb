"""Rates that agree with moments of votes: against every panel on a grid, and unequal judges."""

from itertools import pairwise, product

import numpy as np
import pytest
from scipy.stats import norm

from crowdgold.inference.without_gold import PREVALENCES, allowed_rates, by_count, by_judge, ranges
from crowdgold.types.annotations import MISSING

MOST, RIGHT = 0.6, 0.7


def exact(rates, phi, latent=0.0):
    """Every pattern of votes (k, m) and its chance (k,), from rates (m, 2) of each label.

    With chance `latent` all judges look up the same random number, else each has its own.
    """
    patterns = np.array(list(product([0, 1], repeat=len(rates))))
    chance = np.zeros(len(patterns))
    for label, share in ((0, 1 - phi), (1, phi)):
        own = rates[:, label]
        alone = np.where(patterns == 1, own, 1 - own).prod(axis=1)
        ends = np.sort(np.concatenate([[0, 1], own]))
        same = sum(
            (high - low) * (patterns == (own > (low + high) / 2)).all(axis=1)
            for low, high in pairwise(ends)
        )
        chance += share * (latent * same + (1 - latent) * alone)
    return patterns, chance


def of_errors(rates, phi, latent):
    """The covariance and the variance of errors given the label, each on average."""
    total = np.zeros((len(rates), len(rates)))
    for label, share in ((0, 1 - phi), (1, phi)):
        patterns, chance = exact(rates, float(label), latent)
        mean = chance @ patterns
        total += share * ((patterns * chance[:, None]).T @ patterns - np.outer(mean, mean))
    above = np.triu_indices(len(rates), 1)
    return total[above].mean(), np.diagonal(total).mean()


def moments_of(rates, phi, latent, how):
    """Moments of the distribution itself, where its patterns are items with weights."""
    patterns, chance = exact(rates, phi, latent)
    rng = np.random.default_rng(0)
    if how is by_judge:
        return by_judge(patterns, [], rng, chance, None)
    return by_count(patterns.sum(axis=1), np.full(len(patterns), 3), [], rng, chance, None)


UNEQUAL = np.array([[0.02, 0.9], [0.3, 0.7], [0.45, 0.6]])


@pytest.mark.parametrize("latent", [0.0, 0.4])
def test_moments_are_those_of_the_model(latent):
    """C and S of votes by judge and by count, from labels, rates and errors: to rounding."""
    phi, rates = 0.3, UNEQUAL
    distance, mean = rates[:, 1] - rates[:, 0], rates @ [1 - phi, phi]
    errors, spread = of_errors(rates, phi, latent)
    unequal, each = distance.var(), phi * (1 - phi)
    covariance = each * (distance.mean() ** 2 - unequal / 2) + errors
    named, counted = (moments_of(rates, phi, latent, how) for how in (by_judge, by_count))
    assert named.covariance[0] == pytest.approx(covariance, abs=1e-12)
    assert named.variance[0] == pytest.approx(
        each * (distance.mean() ** 2 + unequal) + spread, abs=1e-12
    )
    assert named.of_judge[0] == pytest.approx(mean, abs=1e-12)
    assert counted.covariance[0] == pytest.approx(covariance - mean.var() / 2, abs=1e-12)
    assert counted.variance[0] == pytest.approx(named.variance[0] + mean.var(), abs=1e-12)


def panels(of_judge, covariance, phi):
    """D, rho and s of every panel of three judges on a grid that gives these moments."""
    ends = np.minimum(of_judge / phi, (1 - of_judge) / (1 - phi))
    steps = np.linspace(0, 1, 61)
    distance = np.stack(np.meshgrid(*(steps * end for end in ends), indexing="ij"), -1)
    distance = distance.reshape(-1, 3)
    mean, each = distance.mean(axis=1), phi * (1 - phi)
    pairs = (distance.sum(axis=1) ** 2 - (distance**2).sum(axis=1)) / 6
    spread = (of_judge * (1 - of_judge)).mean() - each * (distance**2).mean(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        rho = (covariance - each * pairs) / spread
    negative = of_judge.mean() - phi * mean
    right = (negative + mean >= RIGHT) & (1 - negative >= RIGHT)
    known = right & (spread > 1e-9) & (rho >= 0) & (rho <= MOST)
    return mean[known], rho[known], spread[known]


@pytest.mark.parametrize("latent", [0.0, 0.4])
def test_what_is_allowed_is_every_panel_that_gives_the_votes(latent):
    """Each panel lies inside what is allowed, and the ends are those of panels to .02, a step of
    the grid; where no panel gives the votes, nothing is allowed, but for one step at the ends.
    """
    found = moments_of(UNEQUAL, 0.3, latent, by_judge)
    own = allowed_rates(found, MOST, RIGHT)
    some = np.zeros(len(PREVALENCES), dtype=bool)
    for at in range(12, len(PREVALENCES) - 8, 4):
        phi = PREVALENCES[at]
        mean, rho, spread = panels(found.of_judge[0], found.covariance[0], phi)
        reach = own.distance[0, at]
        some[at] = len(mean) > 0
        if not some[at]:
            assert np.isnan(reach).all() or reach[-1] - reach[0] < 0.1
            continue
        assert reach[0] - 1e-9 <= mean.min()
        assert mean.max() <= reach[-1] + 1e-9
        assert mean.max() == pytest.approx(reach[-1], abs=0.02)
        shared = np.interp(mean, reach, own.rho[0, at] * own.spread[0, at])
        assert (rho * np.sqrt(spread) <= shared + 0.01).all()
    assert some[abs(PREVALENCES - 0.3) < 0.02].any()


def shares_of(moments):
    """Prevalences that exact moments allow."""
    own = allowed_rates(moments, MOST, RIGHT)
    return PREVALENCES[np.isfinite(own.phi[0, :, 0])]


def test_two_unequal_judges_do_not_contradict_themselves():
    """Judges right in .725 and .745: known by name they allow the truth, by count nothing.

    The second is the control: judges who differ, and are taken to be alike.
    """
    rates = np.array([[0.01, 0.5], [0.5, 0.95]])
    patterns, chance = exact(rates, 0.3)
    rng = np.random.default_rng(0)
    named = shares_of(by_judge(patterns, [], rng, chance, None))
    assert named[0] < 0.3 < named[-1]
    counted = by_count(patterns.sum(axis=1), np.full(4, 2), [], rng, chance, None)
    assert not len(shares_of(counted))


def test_judges_who_label_some_items_count_as_those_who_label_all():
    """Two thirds of the votes of 60,000 items, at random: sampling error of C is some .002."""
    rng = np.random.default_rng(12)
    truth = (rng.random(60_000) < 0.3).astype(int)
    votes = (rng.random((60_000, 3)) < UNEQUAL[:, truth].T).astype(int)
    left_out = rng.integers(0, 4, 60_000)
    table = np.where(left_out[:, None] == np.arange(3), MISSING, votes)
    one, ones = by_judge(table, [], rng, np.ones(60_000), None), np.ones(60_000)
    every = by_judge(votes, [], rng, ones, None)
    assert one.covariance[0] == pytest.approx(every.covariance[0], abs=0.006)
    assert one.variance[0] == pytest.approx(every.variance[0], abs=0.006)
    assert one.of_judge[0] == pytest.approx(every.of_judge[0], abs=0.01)


def draws(rng, rates, phi, size=1500, latent=0.0):
    """Votes (n, m) of unequal judges."""
    truth = (rng.random(size) < phi).astype(int)
    place = np.sqrt(latent) * rng.standard_normal((size, 1))
    place = place + np.sqrt(1 - latent) * rng.standard_normal((size, len(rates)))
    return (norm.cdf(place) < rates[:, truth].T).astype(int)


PANELS = [
    ([[0.02, 0.95], [0.25, 0.75], [0.55, 0.55]], 0.3),
    ([[0.02, 0.6], [0.3, 0.75], [0.55, 0.95]], 0.3),
    ([[0.02, 0.55], [0.02, 0.55], [0.55, 0.98], [0.55, 0.98]], 0.3),
    ([[0.01, 0.5], [0.5, 0.95]], 0.3),
    ([[0.02, 0.6], [0.3, 0.75], [0.55, 0.95]], 0.1),
]


@pytest.mark.parametrize(("rates", "phi"), PANELS)
@pytest.mark.parametrize("latent", [0.0, 0.4])
def test_ranges_of_unequal_judges_hold_the_truth(rates, phi, latent):
    """30 studies of judges strict and lenient: each range may miss in 5 %; 4 or fewer, chance of
    more .02. What is assumed is true of each: right in .7 or more on average, rho .6 or less.
    """
    rng, rates = np.random.default_rng([33, int(10 * latent), len(rates)]), np.array(rates)
    true = phi, rates[:, 1].mean(), 1 - rates[:, 0].mean()
    outside, named = np.zeros(3), 0
    for _ in range(30):
        table = draws(rng, rates, phi, latent=latent)
        found = ranges(table.sum(axis=1), np.full(1500, len(rates)), {}, rng, table=table)
        for at, (one, value) in enumerate(
            zip((found.prevalence, found.tpr, found.tnr), true, strict=True)
        ):
            outside[at] += not one.why and not one.lower <= value <= one.upper
        named += not found.prevalence.why
    assert outside.max() <= 4
    assert named >= 26


def test_unequal_judges_who_are_taken_to_be_alike_are_judged_wrongly():
    """The control of the test above: the same judges by count. TPR_H is .765, and its range leaves
    it out in half of the studies; 6 or more of 30 (a chance above .9999 at one half)."""
    rng, rates = np.random.default_rng(34), np.array(PANELS[2][0])
    outside = 0
    for _ in range(30):
        votes = draws(rng, rates, 0.3).sum(axis=1)
        one = ranges(votes, np.full(1500, 4), {}, rng).tpr
        outside += not one.lower <= 0.765 <= one.upper
    assert outside >= 6


def test_unequal_voters_who_take_turns_need_no_names():
    """30 voters as unequal as the panels' judges, of whom 3 vote on each item: as if alike."""
    rng, rates = np.random.default_rng(35), np.repeat(np.array(PANELS[1][0]), 10, axis=0)
    outside = 0
    for _ in range(30):
        table = draws(rng, rates, 0.3)
        turn = rng.permuted(np.tile(np.arange(30), (1500, 1)), axis=1)[:, :3]
        votes = np.take_along_axis(table, turn, axis=1).sum(axis=1)
        found = ranges(votes, np.full(1500, 3), {}, rng)
        outside += not found.prevalence.lower <= 0.3 <= found.prevalence.upper
        outside += not found.tpr.lower <= rates[:, 1].mean() <= found.tpr.upper
    assert outside <= 4


def test_a_judge_with_few_of_the_votes_changes_little():
    """A fourth judge, with a vote on 15 of 3,000 items, moves no end by more than .03."""
    rng = np.random.default_rng(36)
    table = draws(rng, np.array(PANELS[1][0]), 0.3, size=3000)
    few = np.where(np.arange(3000) < 15, 1, MISSING)
    both = []
    for own in (table, np.column_stack([table, few])):
        total = (own != MISSING).sum(axis=1)
        found = ranges((own == 1).sum(axis=1), total, {}, np.random.default_rng(1), table=own)
        both.append([found.prevalence.lower, found.prevalence.upper, found.tpr.upper])
    assert both[0] == pytest.approx(both[1], abs=0.03)


def test_judges_without_votes_are_left_out():
    rng = np.random.default_rng(37)
    table = draws(rng, np.array(PANELS[1][0]), 0.3, size=400)
    wide = np.column_stack([table, np.full(400, MISSING)])
    how = table.sum(axis=1), np.full(400, 3), {}
    one = ranges(*how, np.random.default_rng(1), table=table)
    other = ranges(*how, np.random.default_rng(1), table=wide)
    assert one.prevalence == other.prevalence
