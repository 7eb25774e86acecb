"""Gauss quadrature against exact moments, and against another implementation."""

from fractions import Fraction

import numpy as np
import pytest

from crowdgold.models.quadrature import gauss_jacobi, gauss_of_atoms

SHAPES = [1e-6, 1e-3, 0.01, 0.5, 1.0, 1.5, 3.0, 20.0, 110.0]


def exact_moments(alpha, beta, most):
    """E P^k for k = 0 .. most: products of (alpha + i) / (alpha + beta + i), in fractions."""
    alpha, beta = Fraction(alpha), Fraction(beta)
    moments = [Fraction(1)]
    for i in range(most):
        moments.append(moments[-1] * (alpha + i) / (alpha + beta + i))
    return np.array([float(moment) for moment in moments])


@pytest.mark.parametrize("alpha", SHAPES)
@pytest.mark.parametrize("nodes", [2, 6, 12, 22, 50])
def test_moments_are_exact_up_to_degree_2j_minus_1(alpha, nodes):
    """Within 1e-12 (1e-11 for a sum of shapes below 0.01); at degree 2 J the rule must fail."""
    for beta in SHAPES:
        points, weights = gauss_jacobi(np.array(alpha), np.array(beta), nodes)
        assert np.all((points >= 0) & (points <= 1))
        assert np.all(weights >= 0)
        assert np.all(np.diff(points) >= 0)
        powers = np.arange(2 * nodes)
        for at, first, second in ((points, alpha, beta), (1 - points, beta, alpha)):
            found = weights @ at[:, None] ** powers
            error = np.abs(found - exact_moments(first, second, 2 * nodes - 1)).max()
            assert error < (1e-12 if alpha + beta >= 0.01 else 1e-11)
        if nodes == 2 and alpha == beta == 1.0:
            beyond = float(weights @ points**4)
            assert abs(beyond - exact_moments(alpha, beta, 4)[4]) > 1e-3


def chebyshev_sums(atoms, mass, low, high, most):
    """sum_i mass_i T_k(place_i) for k = 0 .. most - 1, places brought to [-1, 1]."""
    angle = np.arccos(np.clip((2 * np.asarray(atoms) - low - high) / (high - low), -1, 1))
    return np.cos(np.arange(most)[:, None] * angle) @ mass


ATOMS = {
    "normal": lambda rng: rng.normal(size=5000),
    "heavy tails": lambda rng: rng.standard_t(2, 5000),
    "one far atom": lambda rng: np.append(rng.normal(size=500), 1e6),
    "as many again": lambda rng: rng.random(13),
    "away from 0": lambda rng: 5 + rng.random(300),
}


@pytest.mark.parametrize("nodes", [1, 2, 6, 12, 32, 64])
@pytest.mark.parametrize("name", ATOMS)
def test_sums_over_atoms_are_exact_up_to_degree_2j_minus_1(name, nodes):
    """Chebyshev sums within 1e-11 of the mass; at degree 2 J the rule must fail, where that is
    seen.
    """
    rng = np.random.default_rng(3)
    atoms = np.unique(ATOMS[name](rng))
    mass = rng.integers(1, 5, len(atoms)).astype(float)
    points, weights = gauss_of_atoms(atoms, mass, nodes)
    low, high = atoms[0], atoms[-1]
    assert len(points) == min(nodes, len(atoms))
    assert points.min() >= low
    assert points.max() <= high
    assert np.all(weights > 0)
    exact = chebyshev_sums(atoms, mass, low, high, 2 * nodes + 1) / mass.sum()
    found = chebyshev_sums(points, weights, low, high, 2 * nodes + 1) / mass.sum()
    assert np.abs(found - exact)[:-1].max() < 1e-11
    if name == "normal":
        assert abs(found[-1] - exact[-1]) > 1e-9


def test_few_atoms_are_their_own_quadrature():
    points, weights = gauss_of_atoms(np.array([0.3, 2.0]), np.array([5, 1]), 2)
    assert (points.tolist(), weights.tolist()) == ([0.3, 2.0], [5, 1])


def test_atoms_that_all_but_coincide_need_few_nodes():
    """Three clusters narrower than rounding carry no more than degree 5."""
    atoms = np.concatenate([place + 1e-15 * np.arange(20) for place in (0.25, 0.5, 0.875)])
    atoms = np.unique(atoms)
    assert len(atoms) > 12
    points, weights = gauss_of_atoms(atoms, np.ones(len(atoms)), 12)
    assert np.sum(weights > 1e-12) == 3
    assert np.all(np.isfinite(points))
    for degree in range(6):
        assert weights @ points**degree == pytest.approx((atoms**degree).sum(), rel=1e-12)
