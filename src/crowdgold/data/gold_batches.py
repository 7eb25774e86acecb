"""Gold items that were drawn in batches, each with an eye on the labels before: what they count.

Batch t is drawn from the items that had no gold label yet: fixed numbers from each of its strata,
which may depend on all earlier labels. Let z_i be anything of an item, T its sum over all N items.
Given the labels before, the earlier ones are known and the batch estimates the rest,

    T_t = sum of z_i over the items labelled before + sum of z_i / pi_ti over batch t,

with pi_ti = n_th / N_th, so that T_t - T has mean 0 whatever was learnt before: these differences
are the increments of a martingale, and do not correlate. With weights a_t that sum to 1 and are
known before batch t is labelled, sum_t a_t T_t is about T too, with the variance sum_t a_t^2 V_t
(V_t: of batch t by itself). This is one sum over the gold items: one of batch s counts for

    w_i = a_s / pi_si + sum of a_t over t > s                        sum of all w_i = N

and only its first part, by chance, adds to the variance (`inference.design`). So every metric that
is made of sums, pairs or ranks of items is estimated as from one designed sample.

The weights are those with which batches drawn at random throughout count as one random sample:

    a_t ~ n_t / (M_t (M_t - n_t))        M_t: items without a gold label before batch t

They depend on the batches' sizes alone. Where a size is set by what earlier labels showed, so that
it stops when the interval is narrow enough, these weights are no longer known before; the interval
that holds over all looks allows for that (`inference.looks`), the ordinary one does not.
"""

from dataclasses import replace

import numpy as np

from crowdgold.data.gold_draw import NO_STRATUM, GoldDraw


def batch_weights(drawn: np.ndarray, n_items: int) -> np.ndarray:
    """The weights a_t of batches, (T,), which sum to 1.

    Args:
        drawn: (T,) gold items of each, in their order.
        n_items: all items, with gold or without.
    """
    before = n_items - (np.cumsum(drawn) - drawn)
    after = before - drawn
    if after[-1] == 0:
        return np.eye(len(drawn))[-1]
    found = drawn / before / after
    scaled: np.ndarray = found / found.sum()
    return scaled


def in_batches(draw: GoldDraw, batch: np.ndarray) -> GoldDraw:
    """What gold items count whose strata are of batches.

    Args:
        draw: their strata, and their chances in the batch in which they were drawn.
        batch: (H,) number of each stratum's batch, from 0 without gaps.
    """
    assert draw.stratum is not None
    assert draw.drawn is not None
    weight = batch_weights(np.bincount(batch, draw.drawn), len(draw.chance))
    later = 1 - np.cumsum(weight)
    own = np.where(draw.stratum == NO_STRATUM, -1, batch[draw.stratum])
    by_chance = np.where(own < 0, np.nan, weight[own] / draw.chance)
    counts = by_chance + np.where(own < 0, 0.0, later[own])
    return replace(draw, batch=batch, counts=counts, by_chance=by_chance / counts)
