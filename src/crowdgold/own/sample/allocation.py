"""How many labels each stratum gets, so that the worst of several metrics is as good as can be.

With c_hm the size of stratum h times the sum of what its items add to the variance of metric m
(`spread`), n_h labels of it leave the variance V_m = sum_h c_hm / n_h. One metric alone is best
with n_h in proportion to sqrt(c_hm) (Neyman, 1934), which leaves B_m = (sum_h sqrt(c_hm))^2 / n.
For several, weights u_m that sum to 1 are sought with

    n_h ~ sqrt(sum_m u_m c_hm / B_m)        that make the largest V_m / B_m smallest.

There all V_m / B_m with u_m > 0 are equal, and no other is larger. Starting from equal weights,
each is multiplied by its V_m / B_m, until that changes nothing.
"""

import numpy as np

STEPS = 500
PROPORTIONAL = 0.25
"""Share of the labels that strata get by their items alone: no weight is huge where the
expectation is wrong."""


def parts(cost: np.ndarray, size: np.ndarray, proportional: float = PROPORTIONAL) -> np.ndarray:
    """The share of all labels that each stratum is to have, (H,).

    Args:
        cost: (H, M) c_hm; where all are 0 the labels are proportional to the items.
        size: (H,) items.
        proportional: share of the labels that goes by the items alone.
    """
    even: np.ndarray = size / size.sum()
    cost = cost[:, cost.sum(axis=0) > 0]
    if not cost.shape[1]:
        return even
    scaled = cost / np.sqrt(cost).sum(axis=0) ** 2
    weight = np.full(cost.shape[1], 1 / cost.shape[1])
    for _ in range(STEPS):
        wanted = np.sqrt(scaled @ weight)
        share = wanted / wanted.sum()
        left = np.divide(scaled, share[:, None], out=np.zeros_like(scaled), where=scaled > 0)
        weight *= left.sum(axis=0)
        weight /= weight.sum()
    found: np.ndarray = proportional * even + (1 - proportional) * share
    return found
