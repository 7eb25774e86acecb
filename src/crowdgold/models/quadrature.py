"""Gauss quadrature: Gauss-Jacobi for beta densities, and for the atoms of a discrete measure.

Nodes come from the three-term recurrence of the orthogonal polynomials by Golub and Welsch: the
eigenvalues of the Jacobi matrix, with weights from the first entries of its eigenvectors.
"""

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


def gauss_jacobi(alpha: np.ndarray, beta: np.ndarray, nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Gauss-Jacobi nodes and weights for Beta(alpha, beta) densities on [0, 1].

    The recurrence of the Jacobi polynomials is written in the shape parameters themselves. In the
    usual exponents (alpha - 1, beta - 1) shapes near 0 lose all their digits; here moments hold to
    1e-12 down to shapes of 1e-6, and to 1e-11 where the shapes sum to less than 0.01.

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


EXHAUSTED = 1e-13
"""Atoms on [-1, 1] that polynomials of a degree miss by less than this need no higher degree."""


def gauss_of_atoms(
    atoms: np.ndarray, mass: np.ndarray, nodes: int
) -> tuple[np.ndarray, np.ndarray]:
    """The Gauss quadrature of a measure of finitely many atoms.

    The recurrence comes from the Lanczos process on the diagonal matrix of the atoms, started at
    the square roots of their masses (Golub and Meurant, 2010, section 4.1). Each vector is made
    orthogonal to all before it, twice: without that the process loses them after few steps.

    Args:
        atoms: (N,) distinct places.
        mass: (N,) positive masses.
        nodes: number of nodes J; sums of polynomials up to degree 2 J - 1 over the atoms are exact.

    Returns:
        nodes between the outermost atoms and weights with the sum of the masses, each (J,); the
        atoms themselves where there are no more than J, and fewer nodes where those do as well.
    """
    if len(atoms) <= nodes:
        return np.asarray(atoms, float), np.asarray(mass, float)
    low, high = float(np.min(atoms)), float(np.max(atoms))
    centre, half = low / 2 + high / 2, high / 2 - low / 2
    place, total = (np.asarray(atoms) - centre) / half, float(np.sum(mass))
    basis = np.empty((nodes, len(place)))
    basis[0] = np.sqrt(np.asarray(mass) / total)
    diagonal, off_diagonal = np.zeros(nodes), np.zeros(nodes - 1)
    used = nodes
    for step in range(nodes):
        image = place * basis[step]
        diagonal[step] = image @ basis[step]
        if step == nodes - 1:
            break
        for _ in range(2):
            image -= (basis[: step + 1] @ image) @ basis[: step + 1]
        off_diagonal[step] = np.linalg.norm(image)
        if off_diagonal[step] < EXHAUSTED:
            used = step + 1
            break
        basis[step + 1] = image / off_diagonal[step]
    points, weights = _from_recurrence(diagonal[:used], off_diagonal[: used - 1])
    return np.clip(centre + half * points, low, high), total * weights
