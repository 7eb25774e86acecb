"""How many labels each stratum gets, so that intervals of several metrics are narrow together.

With c_hm the size of stratum h times the sum of what its items add to the variance of metric m
(`spread`), a share r_h of n labels leaves the variance sum_h c_hm / r_h, divided by n. A sample at
random has r_h = N_h / N. Relative to that the variance is

    R_m = sum_h s_hm / r_h        s_hm = c_hm / (N sum_h c_hm / N_h)

and R_m is the share of the labels of a random sample that makes an interval of the same width. One
metric alone is best with r_h in proportion to sqrt(s_hm) (Neyman, 1934). Of several the product of
the R_m is made smallest, a convex problem in log r_h (each R_m is a sum of powers). There

    r_h ~ sqrt(sum_m s_hm / R_m)

so the weight of a metric is 1 / R_m, found by repeating it: a metric that is left with twice the
share of the labels of another counts half as much. To make the largest R_m smallest instead would
spend nearly all labels on the metric that gains least by design, whose R_m rests most on how good
the prediction is. With 3 % positives and seven metrics that rule needed more labels for all of
them, for the worst off as well. A part of the labels goes by the items alone.
"""

import numpy as np

STEPS = 100
PROPORTIONAL = 0.15
"""Share of the labels that strata get by their items alone: no weight is huge where the
expectation is wrong."""
ENOUGH = 5_000
"""Items that weights of metrics are found from, where items stand for themselves."""


def _parts(
    cost: np.ndarray, size: np.ndarray, proportional: float
) -> tuple[np.ndarray, np.ndarray]:
    """The share of all labels that each stratum is to have, (H,), and the metrics' weights."""
    even: np.ndarray = size / size.sum()
    at_random = size.sum() * (cost / size[:, None]).sum(axis=0)
    scaled = np.divide(cost, at_random, out=np.zeros(cost.shape), where=at_random > 0)
    weight = (at_random > 0).astype(float)
    if not weight.any():
        return even, weight
    for _ in range(STEPS):
        wanted = np.sqrt(scaled @ weight)
        share = proportional * even + (1 - proportional) * wanted / wanted.sum()
        left = np.divide(scaled, share[:, None], out=np.zeros_like(scaled), where=scaled > 0)
        # Half-way, in logs: a whole step can go back and forth.
        weight = np.sqrt(
            np.divide(weight, left.sum(axis=0), out=np.zeros_like(weight), where=at_random > 0)
        )
    return share, weight


def parts(cost: np.ndarray, size: np.ndarray, proportional: float = PROPORTIONAL) -> np.ndarray:
    """The share of all labels that each stratum is to have, (H,).

    Args:
        cost: (H, M) c_hm; where all are 0 the labels are proportional to the items.
        size: (H,) items.
        proportional: share of the labels that goes by the items alone.
    """
    return _parts(cost, size, proportional)[0]


def rates(variance: np.ndarray, proportional: float = PROPORTIONAL) -> np.ndarray:
    """The share of all labels that each item would have, were it a stratum of its own, (n,).

    Args:
        variance: (n, M) what its label adds to the variance of each metric.
        proportional: as of `parts`.
    """
    some = variance[:: -(-len(variance) // ENOUGH)]
    weight = _parts(some, np.ones(len(some)), proportional)[1]
    all_of_it = some.sum(axis=0)
    wanted = np.sqrt(variance @ np.divide(weight, all_of_it, out=weight, where=all_of_it > 0))
    total = wanted.sum()
    even = np.full(len(variance), 1 / len(variance))
    return even if total <= 0 else proportional * even + (1 - proportional) * wanted / total
