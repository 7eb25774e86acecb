"""Do metrics rank methods as people do? (HLV, section 6)

People's pairwise choices give each method a score (rank centrality); a metric gives it a value. A
metric is as good as its values correlate with the scores (Pearson), and the p-value is that of a
permutation test: how often values dealt out to the methods at random correlate as much, either way.
"""

import numpy as np

from crowdgold.data import InputError

CHUNK = 1000


def _standardised(values: np.ndarray) -> np.ndarray:
    centred = values - values.mean()
    norm = float(np.sqrt((centred**2).sum()))
    if norm <= 1e-12 * max(1.0, float(np.abs(values).max())):
        raise InputError("found values that are all the same, which correlate with nothing")
    return np.asarray(centred / norm)


def permutation_test(
    first: np.ndarray, second: np.ndarray, permutations: int, rng: np.random.Generator
) -> tuple[float, float]:
    """Pearson's r and its two-sided p-value by random permutations.

    Args:
        first, second: (M,) values of the methods, M at least 3.
        permutations: how many; the p-value is (1 + those with |r| as large) / (1 + permutations).

    Raises:
        InputError: where there are fewer than 3 methods, a value is not finite, or all are alike.
    """
    first, second = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    if first.shape != second.shape or first.ndim != 1 or len(first) < 3:
        raise InputError(
            f"found shapes {first.shape} and {second.shape}, expected two of the same (methods,), "
            "3 or more"
        )
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise InputError("found a value that is not finite; leave such methods out")
    if permutations < 1:
        raise InputError(f"permutations: found {permutations}, expected 1 or more")
    x, y = _standardised(first), _standardised(second)
    found, larger = float(x @ y), 0
    for start in range(0, permutations, CHUNK):
        dealt = np.tile(y, (min(CHUNK, permutations - start), 1))
        # Equal correlations differ by rounding.
        larger += int((np.abs(rng.permuted(dealt, axis=1) @ x) >= abs(found) - 1e-12).sum())
    return found, (1 + larger) / (1 + permutations)
