"""Covers of a density by many boxes, against brute force where no single box holds it.

Brute force and its tests, at level 1e-4 each, are those of `unit.dense_grid`; seeds are fixed.
"""

from dataclasses import replace
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import logsumexp

from crowdgold.models.binned_ranks import BinnedRanks
from crowdgold.models.exact_cut import (
    DEGREES,
    FAR,
    MOST_BOXES,
    Box,
    cover,
    locate,
    log_prior,
    mu_at,
    resolve,
    sample_exact_cut,
    scan,
    settle,
)
from crowdgold.models.priors import PAPER_PRIOR
from crowdgold.models.score_model import ScoreData
from crowdgold.models.vote_sets import find_vote_sets, win_counts
from unit.dense_grid import LEVEL, Brute, p_value, vote_draws
from unit.reference import Theta, algorithm_1

DRAWS = 6000


def made(surprise):
    """A likelihood exp(-surprise(delta, z)), for covers and for brute force."""

    def log_likelihood(mu, delta):
        return -surprise(delta[:, None], 1 / (1 / mu + 1 / FAR))

    return SimpleNamespace(
        prior=PAPER_PRIOR, log_likelihood=log_likelihood, cost=lambda delta: 100.0
    )


def ridge(delta, z):
    """A thin parabola: 20 times as long as it is thick."""
    return ((z - 0.8 - 0.3 * (delta - 2) ** 2) / 0.1) ** 2 / 2 + ((delta - 2) / 2) ** 2 / 2


def two_modes(delta, z):
    near = ((z - 1) / 0.2) ** 2 / 2 + ((delta - 4) / 0.5) ** 2 / 2
    far = ((z - 5) / 0.3) ** 2 / 2 + ((delta + 9) / 0.8) ** 2 / 2
    return -np.logaddexp(-near, -far)


def narrow(delta, z):
    """Normal: eight nodes interpolate its log exactly, however few cells hold it."""
    return ((z - 2.2) / 0.005) ** 2 / 2 + ((delta - 2) / 0.01) ** 2 / 2


def ripples(delta, z):
    """Half a dozen waves in a box of those that are tried first."""
    return 0.9 * np.cos(18 * delta) + ((z - 2) / 0.5) ** 2 / 2 + (delta / 0.6) ** 2 / 2


MADE = {"ridge": ridge, "two modes": two_modes, "narrow": narrow, "ripples": ripples}
OFF = {
    "pairwise": (
        Theta(0.28, (0.12, 0.9), (1.0, 2.6), 1.0, 0.0), 500, 10,
        Theta(0.22, (0.09, 0.77), (1.1, 1.9), 0.0, 0.0),
    ),
    "binned": (
        Theta(0.164, (0.064, 0.735), (0.956, 1.135), 3.0, 3.0), 500, 10,
        Theta(0.254, (0.043, 0.699), (4.232, 1.171), 0.0, 0.0),
    ),
}  # fmt: skip
"""Data with little gold, and a vote draw that explains its scores badly: a curved ridge."""


def problem(likelihood, draws=1):
    true, n, n_gold, off = OFF[likelihood]
    items = algorithm_1(true, n, 3, n_gold, np.random.default_rng(1))
    sets, ranking = find_vote_sets(items), items.ranking("A")
    if likelihood == "binned":
        data = BinnedRanks.of(sets.member, ranking, len(sets))
    else:
        wins = win_counts(sets.member, ranking, len(sets))
        data = ScoreData(wins, sets.count.astype(float), sets.pattern)
    return data, sets, vote_draws(off, draws)


@cache
def case(name):
    """A density, its cover, and brute force."""
    if name in OFF:
        data, sets, vote = problem(name)
        # The ridge of the pairwise likelihood is thin, in a wide box of log mu.
        model, size = data.conditioned(sets, vote, 0), 700 if name == "pairwise" else 140
    else:
        model, size = made(MADE[name]), 700
    return model, cover(model), Brute(model, size, 80)


CURVED = ["ridge", *OFF]
CASES = [*MADE, *OFF]


def transformed(density, brute):
    rng = np.random.default_rng(2)
    delta, z = np.array([density.draw(rng.random(3)) for _ in range(DRAWS)]).T
    return brute.transform(mu_at(np.minimum(z, 2 * FAR - z)), delta)


@pytest.mark.parametrize("name", CASES)
def test_draws_from_a_cover_have_the_density_of_the_dense_grid(name):
    """6,000 draws, which know a distribution function to 0.03."""
    _, found, brute = case(name)
    assert found.settled
    assert p_value(*transformed(found, brute)) > LEVEL


@pytest.mark.parametrize("name", [*CURVED, "two modes"])
def test_boxes_without_their_area_are_refused(name):
    """The draws of above, had the area of boxes been forgotten in their mass."""
    _, found, brute = case(name)
    forgotten = [replace(p, log_mass=p.log_mass - np.log(p.box.area())) for p in found.parts]
    total = logsumexp([part.log_mass for part in forgotten])
    assert p_value(*transformed(replace(found, parts=forgotten, log_mass=total), brute)) < LEVEL


@pytest.mark.parametrize("name", CURVED)
def test_one_box_does_not_hold_a_curved_density(name):
    """It does not settle, and what it has is refused: that is what the cover is for."""
    model, _, brute = case(name)
    box, _, settled = settle(model, locate(model, scan(model)), DEGREES[0])
    assert not settled
    assert p_value(*transformed(box, brute)) < LEVEL


def test_one_box_sees_one_mode_of_two():
    """The search settles on the mode where it starts; the cover has both, by their mass."""
    model, found, brute = case("two modes")
    box, _, settled = settle(model, locate(model, scan(model)), DEGREES[0])
    assert settled
    assert p_value(*transformed(box, brute)) < LEVEL
    assert found.log_mass > box.log_mass + 0.1


@pytest.mark.parametrize("name", CASES)
def test_the_mass_of_a_cover_is_that_of_a_fine_grid(name):
    """A midpoint rule of 300 x 300 points; the cover is held to a hundredth."""
    model, found, _ = case(name)
    held = [part for part in found.parts if part.log_mass > found.log_mass - 20]
    delta, z = (
        np.linspace(*ends, 301)[1:] - (ends[1] - ends[0]) / 600
        for ends in (
            (min(p.box.delta[0] for p in held), max(p.box.delta[1] for p in held)),
            (min(p.box.offset[0] for p in held), max(p.box.offset[1] for p in held)),
        )
    )
    log_density = log_prior(model.prior, delta[:, None], z[None])
    for row, at in enumerate(delta):
        log_density[row] += model.log_likelihood(mu_at(z)[None], at[None])[0]
    cell = (delta[1] - delta[0]) * (z[1] - z[0])
    assert abs(logsumexp(log_density) + np.log(cell) - found.log_mass) < 0.01


def test_a_cover_that_ends_too_early_says_so():
    """A density too thin for the boxes that may be tried: not settled, but a draw all the same."""
    tried = []

    def thin(delta, z):
        tried.append(z.size)
        return ((z - 0.8 - 0.3 * np.sin(5 * delta) - delta**2 / 400) / 1e-3) ** 2 / 2

    found = cover(made(thin))
    assert not found.settled
    assert len(tried) / 2 <= MOST_BOXES
    assert np.all(np.isfinite(found.draw(np.full(3, 0.5))))


def test_a_density_that_fits_a_box_is_not_covered():
    """The box's own draws stand, to the last digit; a curved one is covered."""
    model, *_ = case("two modes")
    mode = scan(model)
    box = locate(model, mode)
    density, degree, settled = resolve(model, box, DEGREES[0], mode)
    alone, degree_alone, _ = settle(model, box, DEGREES[0])
    assert settled
    assert degree == degree_alone
    assert np.array_equal(density.draw(np.full(3, 0.3)), alone.draw(np.full(3, 0.3)))
    curved, found, _ = case("ridge")
    covered, _, settled = resolve(curved, Box((-1, 1), (1, 2), 0.0), DEGREES[0], scan(curved))
    assert settled
    assert np.array_equal(covered.draw(np.full(3, 0.3)), found.draw(np.full(3, 0.3)))


@pytest.mark.parametrize("likelihood", OFF)
def test_the_exact_cut_draws_curved_densities_without_a_failure(likelihood):
    """10 draws of one vote draw, none of whose boxes settles."""
    draws = sample_exact_cut(*problem(likelihood, 10), np.random.default_rng(3))
    assert draws.failures == 0
    assert p_value(*case(likelihood)[2].transform(draws.mu, draws.delta)) > LEVEL
