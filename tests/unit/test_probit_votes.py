"""P(V | lambda_H ~ Normal(m, s)) against scipy's adaptive quadrature and closed forms."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import comb, log_ndtr, ndtr
from scipy.stats import norm

from crowdgold.models.human_ai import (
    HALF_EDGES,
    evaluate_cells,
    log_vote_probability,
    tabulate_probit_votes,
)

S_LEAST = float(np.sqrt(0.01 * 1.99))
"""sqrt(1 - rho^2) at rho = 1 - 0.01."""


def by_quad(positive, total, mean, s):
    """Integrate over lambda, with a break at its mean and where the chance of a vote turns."""

    def density(x):
        chance = ndtr(x) ** positive * ndtr(-x) ** (total - positive)
        return comb(total, positive) * chance * norm.pdf(x, mean, s)

    ends = sorted([mean - 12 * s - total, mean + 12 * s + total])
    breaks = sorted({mean - s, mean, mean + s, 0.0, mean / (1 + total * s**2)})
    inside = [x for x in breaks if ends[0] < x < ends[1]]
    return np.log(quad(density, *ends, points=inside, epsabs=0, epsrel=1e-12, limit=800)[0])


def from_table(patterns, s_least, s, mean):
    """log G from the table for each pattern: (p, n)."""
    table = tabulate_probit_votes(patterns, s_least)
    cells = table.at(s)
    return np.array([
        evaluate_cells(
            cells, table.edge, table.origin, table.scale, np.full(len(mean), k), mean
        )
        for k in range(len(patterns))
    ])  # fmt: skip


CASES = [
    (v, c, mean, s)
    for v, c in ((0, 1), (1, 1), (0, 3), (1, 3), (3, 3), (2, 5), (9, 9))
    for mean, s in ((0.0, 1.0), (0.7, 0.5), (-3.0, 0.9), (4.0, 0.2), (-7.0, 1.0), (8.0, 0.6))
]


@pytest.mark.parametrize(("positive", "total", "mean", "s"), CASES)
def test_the_trapezoidal_rule_and_the_table_against_quad(positive, total, mean, s):
    """To 1e-10 and 1e-8 in the log."""
    expected = by_quad(positive, total, mean, s)
    found = log_vote_probability(positive, total, np.array(mean), np.array(s))
    assert found == pytest.approx(expected, abs=1e-10)
    table = from_table(((positive, total),), S_LEAST, s, np.array([mean]))
    assert table[0, 0] == pytest.approx(expected, abs=1e-8)


@pytest.mark.parametrize("s_least", [S_LEAST, 0.03])
@pytest.mark.parametrize("total", [1, 2, 3, 5, 9])
def test_the_table_holds_1e_8_over_its_range(total, s_least):
    """At means within 40 of 0 and both ends of s; of one voter E Phi is Phi(m / sqrt(1 + s^2))."""
    rng = np.random.default_rng(total)
    voted = range(0, total + 1, 3 if total > 5 else 1)
    patterns = tuple((v, total) for v in voted)
    mean = np.concatenate([rng.uniform(-10, 10, 150), rng.uniform(-40, 40, 50), [0.0, *HALF_EDGES]])
    mean = mean[np.abs(mean) < 40]
    for s in (s_least, 1.0, *rng.uniform(s_least, 1, 4)):
        found = from_table(patterns, s_least, float(s), mean)
        expected = [log_vote_probability(v, total, mean, np.array(s)) for v in voted]
        assert np.abs(found - np.array(expected)).max() < 1e-8
        if total <= 5:
            assert np.exp(found).sum(axis=0) == pytest.approx(1, abs=1e-7)
        if total == 1:
            assert found[1] == pytest.approx(log_ndtr(mean / np.sqrt(1 + s**2)), abs=1e-8)


def test_many_votes_an_item():
    """With up to 40 votes the table is right to 1e-6."""
    patterns = ((0, 40), (3, 40), (20, 40), (1, 2))
    mean = np.linspace(-9, 9, 61)
    for s in (0.15, 0.4, 1.0):
        found = from_table(patterns, S_LEAST, s, mean)
        expected = [log_vote_probability(v, c, mean, np.array(s)) for v, c in patterns]
        assert np.abs(found - np.array(expected)).max() < 1e-6


def test_the_table_goes_on_beyond_its_cells():
    """Continuously, and near the truth, which is close to a quadratic there: to 1 %."""
    end = HALF_EDGES[-1]
    mean = np.array([end - 1e-7, end + 1e-7, -end - 1e-7, -end + 1e-7, 3 * end, -3 * end])
    patterns = ((0, 3), (1, 3), (3, 3))
    found = from_table(patterns, S_LEAST, 0.5, mean)
    assert found[:, 0] == pytest.approx(found[:, 1], rel=1e-8, abs=1e-6)
    assert found[:, 2] == pytest.approx(found[:, 3], rel=1e-8, abs=1e-6)
    expected = [log_vote_probability(v, c, mean, np.array(0.5)) for v, c in patterns]
    assert found == pytest.approx(np.array(expected), rel=0.01, abs=1e-6)
