"""Resamples of items, or of the clusters that items belong to: how often each kind is in them.

What is said of items depends on how many there are of each kind, of each pattern of labels say.
Where items belong together, clusters are drawn in the place of items, each with all that it has.
"""

import numpy as np

from crowdgold.declared import LEVEL
from crowdgold.inference.interval import central_interval
from crowdgold.inference.samples import FEWEST

MOST_NUMBERS = 4_000_000
"""Numbers of clusters drawn that are held at a time."""


def times_drawn(
    kind: np.ndarray, kinds: int, cluster: np.ndarray | None, rng: np.random.Generator,
    resamples: int,
) -> np.ndarray:  # fmt: skip
    """How often each kind is in each resample, (resamples, kinds).

    Args:
        kind: (n,) number of each item's, below `kinds`.
        cluster: (n,) number of each item's; None where none belong together.
    """
    code = None if cluster is None else np.unique(cluster, return_inverse=True)[1]
    if code is None or code.max() + 1 == len(kind):
        share = np.bincount(kind, minlength=kinds) / len(kind)
        return rng.multinomial(len(kind), share, size=resamples).astype(float)
    number = int(code.max()) + 1
    held = np.bincount(code * kinds + kind, minlength=number * kinds).reshape(number, kinds)
    block, even = max(1, MOST_NUMBERS // number), np.full(number, 1 / number)
    return np.concatenate(
        [
            rng.multinomial(number, even, size=min(block, resamples - start)) @ held.astype(float)
            for start in range(0, resamples, block)
        ]
    )


def interval_of(
    value: float, values: np.ndarray, cluster: np.ndarray | None, level: float = LEVEL
) -> tuple[float, float]:
    """The ends of the interval of a value, from those of resamples; NaN where there is none.

    Args:
        value: of the items.
        values: of the resamples; those that are not finite are left out.
        cluster: (n,) of the items that these were drawn from, or None. With fewer than `FEWEST`
            there is no interval.
    """
    known = values[np.isfinite(values)]
    if not np.isfinite(value) or len(known) < 2:
        return np.nan, np.nan
    if cluster is not None and len(np.unique(cluster)) < FEWEST:
        return np.nan, np.nan
    lower, upper = central_interval(known, level)
    return float(lower), float(upper)
