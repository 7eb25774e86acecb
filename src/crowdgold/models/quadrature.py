"""Gauss quadrature: Gauss-Jacobi for beta densities, and for the atoms of a discrete measure.

Nodes come from the three-term recurrence of the orthogonal polynomials by Golub and Welsch: the
eigenvalues of the Jacobi matrix, with weights from the first entries of its eigenvectors.
"""

import numpy as np

EXHAUSTED = 1e-13  # what polynomials miss of atoms on [-1, 1] where no higher degree is needed


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
    """Gauss-Jacobi nodes in [0, 1] and weights that sum to 1, each (..., J), of Beta(alpha, beta)
    densities. The recurrence is written in the shapes themselves: in the usual exponents (alpha -
    1, beta - 1) shapes near 0 lose all their digits; here moments hold to 1e-12 down to shapes of
    1e-6, and to 1e-11 where the shapes sum to less than 0.01.
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


def gauss_of_atoms(
    atoms: np.ndarray, mass: np.ndarray, nodes: int
) -> tuple[np.ndarray, np.ndarray]:
    """Gauss quadrature (..., J) of measures of finitely many atoms (..., N) with positive masses.
    Nodes lie between the outermost atoms, and are the atoms where these are no more than J,
    distinct then. Where fewer nodes do, the weights of the others are 0 but for rounding.
    """
    if atoms.shape[-1] <= nodes:
        return np.asarray(atoms, float), np.asarray(mass, float)
    low, high = atoms.min(axis=-1, keepdims=True), atoms.max(axis=-1, keepdims=True)
    centre, half = low / 2 + high / 2, high / 2 - low / 2
    place, mass = (atoms - centre) / half, np.asarray(mass, float)
    # Recurrence coefficients by the Lanczos process on the diagonal matrix of the atoms, started at
    # the square roots of their masses (Golub and Meurant, 2010, section 4.1). Each vector is made
    # orthogonal to all before it, twice: without that the process loses them after few steps. Where
    # the atoms are exhausted the coefficients are 0 from there on, which adds nodes of no weight.
    basis = np.zeros((*place.shape[:-1], nodes, place.shape[-1]))
    basis[..., 0, :] = np.sqrt(mass / mass.sum(axis=-1, keepdims=True))
    diagonal = np.zeros((*place.shape[:-1], nodes))
    off_diagonal = np.zeros((*place.shape[:-1], nodes - 1))
    for step in range(nodes):
        image = place * basis[..., step, :]
        diagonal[..., step] = (image * basis[..., step, :]).sum(axis=-1)
        if step == nodes - 1:
            break
        known = basis[..., : step + 1, :]
        for _ in range(2):
            share = (known @ image[..., None])[..., 0]
            image -= (share[..., None, :] @ known)[..., 0, :]
        length = np.linalg.norm(image, axis=-1, keepdims=True)
        more = length >= EXHAUSTED
        off_diagonal[..., step] = np.where(more, length, 0.0)[..., 0]
        np.divide(image, length, out=basis[..., step + 1, :], where=more)
    points, weights = _from_recurrence(diagonal, off_diagonal)
    return np.clip(centre + half * points, low, high), weights * mass.sum(axis=-1, keepdims=True)


def gauss_of_differences(
    points: np.ndarray, weights: np.ndarray, other: np.ndarray, other_weights: np.ndarray,
    nodes: int,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Gauss quadrature (..., K) of P - P', in [-1, 1] with weights that sum to 1, from quadratures
    (..., I) and (..., J) of both on [0, 1]: a sum over pairs of nodes becomes one over as many as
    the function needs.
    """
    atoms = points[..., :, None] - other[..., None, :]
    mass = weights[..., :, None] * other_weights[..., None, :]
    pairs = (*atoms.shape[:-2], -1)
    return gauss_of_atoms(atoms.reshape(pairs), mass.reshape(pairs), nodes)
