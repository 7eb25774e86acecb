"""Degrees of freedom of a variance, from the spread of what gold items contribute to it.

Of n items that were each drawn by itself, with d_i their deviations, they are

    2 n / (kurtosis of the d_i - 1)         at least 2

and of strata h of n_h items, with v_h the variance that each adds to V,

    V^2 / sum(v_h^2 / (n_h - 1))            of normal d_i (Satterthwaite, 1946)
"""

import numpy as np

LEAST = 2.0


def of_items(deviations: np.ndarray, size: int) -> np.ndarray:
    """Degrees of freedom, (P,), by how uneven the squares of deviations (r, P) are.

    Args:
        size: gold items.
    """
    whole, fourth = (deviations**2).sum(axis=0) ** 2, (deviations**4).sum(axis=0)
    uneven = size * fourth - whole
    found = np.full(deviations.shape[1], size - 1.0)
    np.divide(2 * size * whole, uneven, out=found, where=uneven > 0)
    return np.clip(found, min(LEAST, size - 1.0), max(size - 1.0, 1.0))


def of_strata(
    deviations: np.ndarray, group: np.ndarray, drawn: np.ndarray, size: int
) -> np.ndarray:
    """Degrees of freedom, (P,), of strata.

    Args:
        deviations: (r, P) within strata.
        group: (r,) the stratum of each.
        drawn: (H,) gold items of each stratum.
        size: gold items.
    """
    found = np.full(deviations.shape[1], max(size - 1.0, 1.0))
    parts = np.zeros((len(drawn), len(found)))
    np.add.at(parts, group, deviations**2)
    below = (parts**2 / np.maximum(drawn - 1, 1)[:, None]).sum(axis=0)
    np.divide(parts.sum(axis=0) ** 2, below, out=found, where=below > 0)
    return found
