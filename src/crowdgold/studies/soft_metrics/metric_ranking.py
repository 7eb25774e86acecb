"""Do metrics rank methods as people do? (HLV, section 6)

People's pairwise choices give each method a score (rank centrality); a metric gives it a value. A
metric is as good as its values correlate with the scores (Pearson), and the p-value is that of a
permutation test: how often values dealt out to the methods at random correlate as much, either way.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from crowdgold.data import InputError

PERMUTATIONS = 9999
CHUNK = 1000


class Agreement(NamedTuple):
    """How a metric agrees with people's scores of the methods.

    Attributes:
        metric: its name.
        correlation: Pearson's r between its values and the scores.
        p_value: two-sided, of the permutation test.
        methods: how many methods it rests on: those for which it is defined.
    """

    metric: str
    correlation: float
    p_value: float
    methods: int


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
        rng: source of the permutations.

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


def judge_metrics(
    values: Mapping[str, np.ndarray],
    scores: np.ndarray,
    rng: np.random.Generator,
    permutations: int = PERMUTATIONS,
) -> list[Agreement]:
    """Hold metrics against people's scores of the same methods.

    Args:
        values: metric -> (M,) its value of each method; NaN where it is undefined, which leaves the
            method out, as the paper does.
        scores: (M,) people's scores (`crowdgold.metrics.rank_centrality`).
        rng: source of the permutations.
        permutations: of each test.

    Raises:
        InputError: naming the metric that cannot be judged.
    """
    found = []
    for metric, given in values.items():
        known = np.isfinite(np.asarray(given, dtype=float))
        if np.shape(given) != np.shape(scores):
            raise InputError(
                f"metric {metric!r}: found shape {np.shape(given)}, expected that of the scores, "
                f"{np.shape(scores)}"
            )
        try:
            pair = np.asarray(given)[known], np.asarray(scores)[known]
            r, p_value = permutation_test(*pair, permutations, rng)
        except InputError as error:
            raise InputError(f"metric {metric!r}: {error}") from None
        found.append(Agreement(metric, r, p_value, int(known.sum())))
    return found
