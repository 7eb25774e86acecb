"""What the compiled Gibbs samplers of CLARA work on: labels, priors, and the state of a chain."""

from typing import NamedTuple

import numpy as np

from crowdgold.data import Annotations
from crowdgold.models.clara.prior import ClaraPrior
from crowdgold.models.label_patterns import LabelPatterns, matrix_of_label
from crowdgold.models.majority import majority_shares

FLIPPED = 0.1
"""Share of the items of every chain but the first that start in a category at random."""


class Labels(NamedTuple):
    """Labels of P patterns of items, one entry a label; those of pattern p start at start[p].

    Attributes:
        items: (P,) items of the pattern.
        start: (P + 1,) first label.
        row: (labels,) m K + r of a label r from matrix m.
        matrix: (labels,) m.
        alike: (labels,) earlier labels r of the same matrix on the item, which the exact
            conditional counts; zeros for the printed one.
        before: (labels,) the same of earlier labels of the matrix, whatever they are.
    """

    items: np.ndarray
    start: np.ndarray
    row: np.ndarray
    matrix: np.ndarray
    alike: np.ndarray
    before: np.ndarray


class Prior(NamedTuple):
    """Dirichlet priors.

    Attributes:
        theta: (K,) alpha theta_0.
        psi: (K, K) gamma_k psi_0,k, turned: label r in rows, true category k in columns.
        ordered: whether it is cut to matrices whose diagonal adds to more than 1.
    """

    theta: np.ndarray
    psi: np.ndarray
    ordered: bool


class State(NamedTuple):
    """What a chain is at; changed in place.

    The shapes are the parameters of the Dirichlet distributions given the true labels: prior plus
    counts. Rows of psi and of its shape are m K + r, columns the true category k.

    Attributes:
        y: (P,) true category, where a pattern is one item.
        theta: (K,) prevalence.
        psi: (M K, K) confusion matrices.
        theta_shape: (K,) alpha_k + n_k.
        psi_shape: (M K, K) gamma_kr + c_mkr.
        sum_shape: (M, K) gamma_k + c_mk; the collapsed sampler alone keeps it up to date.
    """

    y: np.ndarray
    theta: np.ndarray
    psi: np.ndarray
    theta_shape: np.ndarray
    psi_shape: np.ndarray
    sum_shape: np.ndarray


def lay_out(patterns: LabelPatterns, exact: bool) -> Labels:
    """Lay label patterns out for compiled code, one entry a label.

    Args:
        patterns: the labels.
        exact: whether the collapsed sampler's conditional is the exact one, or as printed.
    """
    of_cell = np.repeat(np.arange(len(patterns.times)), patterns.times)
    first_of_cell = np.cumsum(patterns.times) - patterns.times
    start = np.concatenate([[0], np.cumsum(patterns.times)])[patterns.start]
    matrix = patterns.matrix[of_cell]
    position = np.arange(len(of_cell))
    alike = position - first_of_cell[of_cell]
    # Cells of a matrix stand together: its first label on the item is where item or matrix change.
    new = np.concatenate([[True], matrix[1:] != matrix[:-1]])[: len(matrix)]
    new[start[:-1][start[:-1] < len(matrix)]] = True
    before = position - np.maximum.accumulate(np.where(new, position, 0))
    return Labels(
        patterns.count,
        start,
        (matrix * patterns.categories + patterns.label[of_cell]).astype(np.uint32),
        matrix.astype(np.uint32),
        (alike * exact).astype(np.float32),
        (before * exact).astype(np.float32),
    )


def first_categories(
    annotations: Annotations, scattered: bool, rng: np.random.Generator
) -> np.ndarray:
    """Start at the majority votes, ties at random: (I,) categories.

    Args:
        scattered: whether a share of the items, `FLIPPED`, starts in a category at random, so that
            chains start apart.
    """
    shares = majority_shares(annotations)
    K = len(annotations.category)
    shares = np.where(shares.sum(axis=1, keepdims=True) > 0, shares, 1 / K)
    y = (shares.cumsum(axis=1) < rng.random((len(shares), 1))).sum(axis=1).clip(max=K - 1)
    if not scattered:
        return np.asarray(y)
    return np.where(rng.random(len(y)) < FLIPPED, rng.integers(0, K, len(y)), y)


def prior_of(prior: ClaraPrior, ordered: bool) -> Prior:
    """Lay the prior out for compiled code."""
    turned = np.ascontiguousarray(prior.psi.T, dtype=float)
    return Prior(np.array(prior.theta, dtype=float), turned, ordered)


def first_state(
    annotations: Annotations, confusion: str, prior: Prior, y: np.ndarray, patterns: int
) -> State:
    """The state of a chain whose items are in categories y, with counts but without rates.

    Args:
        annotations, confusion: the labels, and whose confusion matrices there are.
        y: (I,) categories.
        patterns: number of label patterns; their own categories are y where each is an item.
    """
    matrix, M = matrix_of_label(annotations, confusion)
    K = len(prior.theta)
    code = (matrix * K + annotations.label) * K + y[annotations.item_of]
    shape = np.bincount(code, minlength=M * K * K).reshape(M, K, K) + prior.psi
    psi = np.broadcast_to((np.full((K, K), 0.5) + 0.5 * K * np.eye(K)) / K, (M, K, K))
    return State(
        y.astype(np.int64) if len(y) == patterns else np.zeros(patterns, dtype=np.int64),
        np.full(K, 1 / K),
        psi.reshape(M * K, K).copy(),
        np.bincount(y, minlength=K) + prior.theta,
        shape.reshape(M * K, K),
        shape.sum(axis=1),
    )
