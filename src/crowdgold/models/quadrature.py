"""Gauss quadrature for beta densities, and for the difference of two beta variables.

Nodes come from the three-term recurrence of the orthogonal polynomials by Golub and Welsch: the
eigenvalues of the Jacobi matrix, with weights from the first entries of its eigenvectors.
"""

import numba
import numpy as np


def _from_recurrence(diagonal: np.ndarray, off_diagonal: np.ndarray) -> tuple[np.ndarray, ...]:
    """Turn recurrence coefficients (..., J), (..., J - 1) into nodes and weights (..., J)."""
    nodes = diagonal.shape[-1]
    matrix = np.zeros((*diagonal.shape, nodes))
    index = np.arange(nodes)
    matrix[..., index, index] = diagonal
    matrix[..., index[1:], index[:-1]] = off_diagonal  # eigh reads the lower triangle only
    values, vectors = np.linalg.eigh(matrix)
    return values, vectors[..., 0, :] ** 2


def gauss_jacobi(
    alpha: np.ndarray, beta: np.ndarray, nodes: int
) -> tuple[np.ndarray, np.ndarray]:
    """Give Gauss-Jacobi nodes and weights for Beta(alpha, beta) densities on [0, 1].

    The recurrence of the Jacobi polynomials is written in the shape parameters themselves. In the
    usual exponents (alpha - 1, beta - 1) shapes near 0 lose all their digits; here moments hold to
    1e-12 down to shapes of 1e-6.

    Args:
        alpha, beta: (...,) positive shape parameters, broadcast against each other.
        nodes: number of nodes J; polynomials up to degree 2 J - 1 are integrated exactly.

    Returns:
        nodes in [0, 1] and weights that sum to 1, each (..., J).
    """
    p, q = np.broadcast_arrays(np.asarray(alpha, float), np.asarray(beta, float))
    p, q = p[..., None], q[..., None]
    s = p + q
    k = np.arange(1, nodes)
    diagonal = np.concatenate(
        [p / s, 0.5 + (p - q) / s * (s - 2) * s / (2 * (2 * k + s - 2) * (2 * k + s))], axis=-1
    )
    # The factor (k + s - 2) / (2 k + s - 3) is 1 at k = 1, where both vanish for s = 1.
    ratio = np.where(k == 1, 1.0, (k + s - 2) / np.where(k == 1, 1.0, 2 * k + s - 3))
    spread = k * (k + q - 1) * (k + p - 1) * ratio / ((2 * k + s - 2) ** 2 * (2 * k + s - 1))
    points, weights = _from_recurrence(diagonal, np.sqrt(spread))
    return np.clip(points, 0.0, 1.0), weights


@numba.njit(cache=True)
def _lanczos(points: np.ndarray, weights: np.ndarray, nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Give the recurrence coefficients of discrete measures (D, N), fully reorthogonalised."""
    measures, size = points.shape
    diagonal = np.zeros((measures, nodes))
    off_diagonal = np.zeros((measures, max(nodes - 1, 0)))
    basis = np.zeros((nodes, size))
    for d in range(measures):
        basis[0] = np.sqrt(weights[d])
        for k in range(nodes):
            vector = points[d] * basis[k]
            diagonal[d, k] = np.dot(vector, basis[k])
            if k + 1 == nodes:
                break
            for _ in range(2):
                for j in range(k + 1):
                    vector -= np.dot(vector, basis[j]) * basis[j]
            norm = np.sqrt(np.dot(vector, vector))
            if norm < 1e-13:  # a measure on k + 1 points: the rest of the nodes get weight 0
                break
            off_diagonal[d, k] = norm
            basis[k + 1] = vector / norm
    return diagonal, off_diagonal


def difference_quadrature(
    first: tuple[np.ndarray, np.ndarray], second: tuple[np.ndarray, np.ndarray], nodes: int
) -> tuple[np.ndarray, np.ndarray]:
    """Give Gauss nodes and weights for the difference P - Q of independent P and Q.

    The win probability of the score model depends on two vote probabilities through their
    difference only. The product of their two rules is a measure on the differences; its own Gauss
    rule with fewer nodes replaces the double sum, exactly for polynomials up to degree 2 J - 1.

    Args:
        first, second: nodes and weights, each (D, I), of P and of Q.
        nodes: number of nodes J for the difference.

    Returns:
        nodes in [-1, 1] and weights, each (D, J).
    """
    size = first[0].shape[-1] * second[0].shape[-1]
    points = (first[0][:, :, None] - second[0][:, None, :]).reshape(-1, size)
    weights = (first[1][:, :, None] * second[1][:, None, :]).reshape(-1, size)
    return _from_recurrence(*_lanczos(points, weights, nodes))
