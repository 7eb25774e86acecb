"""Whether gold items, each weighed by its chance, are like all items: no strata of others needed.

Of m gold items with weights w_i of mean 1 and features z_i, whitened and centred over all N items,

    D = 1/m sum of w_i z_i over the gold items

has mean about 0 over samples, and the design knows its covariance V (`inference.design`). It is
estimated from the gold items, among which a feature that few items have may not vary at all. So a
part of it is replaced by what V would be were weights and features unrelated: V_0 = v_0 I, where
v_0 is the variance of a feature of variance 1 had each item been drawn by itself. With F features

    D' W^-1 D / F        W = (1 - s) V + s V_0

is taken for an F with F and the design's degrees of freedom. A feature in which few items differ
from all others, of which few or none are among the gold items, has no variance there that could be
relied on, and is left out (`COMMON`). Where items were drawn each by itself,
the sum of 1 / chance over the gold items must come near N as well.
"""

from dataclasses import replace

import numpy as np
from scipy import special

from crowdgold.data import GoldDraw
from crowdgold.inference.design import KnownChances
from crowdgold.own.check.drawn_units import OF_CLUSTERS, Units, centred, whitened
from crowdgold.own.check.gold_likeness import GoldSample, Shift

SHRUNK = 0.3
"""Share s of the covariance that does not rest on the features of the gold items."""
FEWEST = 3
"""Gold items that a covariance takes."""
COMMON = 10
"""Gold items that differ from the most frequent value of a feature, or would in a random sample of
as many: with 5, a feature of 2 % of the items made a doubt at .01 in .08 of random samples."""
TESTS = 2
"""Where two tests are made of one question, the smaller p counts so many times."""


def _mean_and_covariance(
    values: np.ndarray, gold: np.ndarray, draw: GoldDraw
) -> tuple[np.ndarray, np.ndarray, float]:
    """D (F,), W (F, F) and the degrees of freedom, of standardised features (N, F)."""
    rows = np.flatnonzero(gold)
    design = KnownChances.of(draw.take(rows), len(gold))
    influence = design.weights[:, None] * values[rows]
    deviations = design.deviations(influence)
    alike = replace(design, by_itself=True).deviations(design.weights[:, None])
    own, of_one = (one.T @ one / (len(one) - 1) / len(rows) for one in (deviations, alike))
    freedom = design.freedom(deviations, np.full(values.shape[1], len(rows)))
    shrunk = (1 - SHRUNK) * own + SHRUNK * of_one * np.eye(len(own))
    return influence.mean(axis=0), shrunk, float(np.median(freedom))


def _p_of_number(chance: np.ndarray, size: int) -> float:
    """The p-value of items with these chances (m,) being all that were drawn of so many."""
    number = float((1 / chance).sum())
    variance = float(((1 - chance) / chance**2).sum()) * size / number
    return float(special.erfc(abs(number - size) / np.sqrt(2 * variance))) if variance else 1.0


def _common(values: np.ndarray, gold: np.ndarray) -> bool:
    """Whether gold items say how much a feature (N,) varies."""
    _, value, times = np.unique(values, return_inverse=True, return_counts=True)
    differs = value != times.argmax()
    return bool(max(differs.mean() * gold.sum(), differs[gold].sum()) >= COMMON)


def of_weighed(units: Units, of: str) -> GoldSample:
    """Whether gold items that were drawn with known chances are like all items.

    Args:
        units: what gold was drawn of, with the chances.
        of: what they are to be a sample of, in words.
    """
    assert units.draw is not None
    if units.of == OF_CLUSTERS:
        why = "how clusters without a gold label could be drawn is not given"
        return GoldSample(np.nan, note=why, of=of)
    if units.gold.sum() < FEWEST:
        return GoldSample(np.nan, note=f"fewer than {FEWEST} gold labels", of=of)
    table = np.stack(list(units.features.values()), axis=1)
    common = np.array([_common(one, units.gold) for one in table.T])
    if units.stratum is not None:
        table = centred(table, units.stratum)
    varies = common & (np.ptp(table, axis=0) > 0)
    if not varies.any():
        return GoldSample(np.nan, note="too few items differ", of=of)
    mean, shrunk, freedom = _mean_and_covariance(whitened(table[:, varies]), units.gold, units.draw)
    if not np.diag(shrunk).all():
        return GoldSample(np.nan, note="no gold item was drawn by chance", of=of)
    each = float(mean @ np.linalg.solve(shrunk, mean)) / len(mean)
    p = float(special.fdtrc(len(mean), freedom, each))
    if units.draw.stratum is None:
        number = _p_of_number(units.draw.chance[units.gold], len(units.gold))
        p = min(1.0, TESTS * min(p, number))
    return GoldSample(p, _shifts(units), of=of)


def _shifts(units: Units) -> tuple[Shift, ...]:
    """Compare the weighed gold items with all items, feature by feature."""
    assert units.draw is not None
    table = np.stack(list(units.features.values()), axis=1)
    middle, spread = table.mean(axis=0), table.std(axis=0)
    mean, shrunk, _ = _mean_and_covariance((table - middle) / spread, units.gold, units.draw)
    columns = (middle + spread * mean, middle, mean / np.sqrt(np.diag(shrunk)))
    found = [Shift(name, *map(float, one))
             for name, *one in zip(units.features, *columns, strict=True)]  # fmt: skip
    return tuple(sorted(found, key=lambda shift: -abs(shift.z)))
