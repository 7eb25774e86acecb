"""What each item contributes to a metric, and how many labelled items the metric rests on.

Contributions are closed forms of the jackknife (`metric.delete_one`).

A metric that is a ratio T / W loses t_i and w_i without item i, so that

    (n - 1) (M - M_{-i}) = (n - 1) (t_i - M w_i) / (W - w_i)

For a share of items t and w are sums over items. For AUC they are pairs that the item is in. A
point of a curve moves along the curve when items go: t_i is then taken with the curve's slope
there, from one standard error below the point to one above. The exact jackknife jumps from item to
item there, and its variance is not that of the estimate (Efron, 1979, on the median).

A metric rests on the labelled items in the smallest denominator that it divides by. The degrees of
freedom of a metric's interval come from this number, and a metric that rests on too few gold items
has no interval. Items with weights are as many as Kish's number of equal weight, or as
`RankedItems.counting` says. Where items belong together, clusters are counted in their place.
Labels (n,) are 0, 1, or negative where there is none.
"""

import numpy as np

from crowdgold.metrics.metric import Curve, LabelMass, RankedItems

ROUNDING = 1e-12


def of_ratio(part: np.ndarray, whole: np.ndarray, total_part: float, total: float) -> np.ndarray:
    """Influence of each item, (n,) or (n, P), on a ratio of totals, numbers or (P,), by what it
    takes from them; NaN where nothing is left to divide by without the item.
    """
    part, whole = np.broadcast_arrays(np.asarray(part, float), whole)
    with np.errstate(divide="ignore", invalid="ignore"):
        value = np.divide(total_part, total)
        left = np.asarray(total - whole, dtype=float)
        found = (len(part) - 1) * (part - value * whole) / left
    return np.where(left > ROUNDING * np.abs(total), found, np.nan)


def of_share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Influence of each item on sum(part) / sum(whole), (n,) each."""
    return of_ratio(part, whole, float(part.sum()), float(whole.sum()))


def _above(ranked: RankedItems, at: float) -> np.ndarray:
    """Whether each item (n,) is scored at or above a threshold, as 0 or 1."""
    found = np.zeros(len(ranked.order))
    found[ranked.order[: ranked.above(at)]] = 1
    return found


def prevalence(mass: LabelMass, ranked: RankedItems, at: float) -> np.ndarray:
    """Influence on the share of positive mass."""
    return of_share(mass.positive, mass.positive + mass.negative)


def human_true_positive_rate(mass: LabelMass, ranked: RankedItems, at: float) -> np.ndarray:
    """Influence on TPR_H."""
    return of_share(mass.positive * ranked.votes_positive, mass.positive * ranked.votes_total)


def human_true_negative_rate(mass: LabelMass, ranked: RankedItems, at: float) -> np.ndarray:
    """Influence on TNR_H."""
    negative = ranked.votes_total - ranked.votes_positive
    return of_share(mass.negative * negative, mass.negative * ranked.votes_total)


def precision(mass: LabelMass, ranked: RankedItems, at: float) -> np.ndarray:
    """Influence on the precision at a threshold."""
    above = _above(ranked, at)
    return of_share(mass.positive * above, (mass.positive + mass.negative) * above)


def recall(mass: LabelMass, ranked: RankedItems, at: float) -> np.ndarray:
    """Influence on the recall at a threshold."""
    return of_share(mass.positive * _above(ranked, at), mass.positive)


def accuracy(mass: LabelMass, ranked: RankedItems, at: float) -> np.ndarray:
    """Influence on the accuracy at a threshold."""
    above = _above(ranked, at)
    right = mass.positive * above + mass.negative * (1 - above)
    return of_share(right, mass.positive + mass.negative)


def balanced_accuracy(mass: LabelMass, ranked: RankedItems, at: float) -> np.ndarray:
    """Influence on the balanced accuracy at a threshold."""
    left = of_share(mass.negative * (1 - _above(ranked, at)), mass.negative)
    return (recall(mass, ranked, at) + left) / 2


def f1(mass: LabelMass, ranked: RankedItems, at: float) -> np.ndarray:
    """Influence on F1 at a threshold."""
    above = _above(ranked, at)
    flagged = (mass.positive + mass.negative) * above
    return of_share(2 * mass.positive * above, flagged + mass.positive)


def _in_table(ranked: RankedItems, in_order: np.ndarray) -> np.ndarray:
    """Values (n, ...) of items in the order of the ranking, in the order of the table."""
    found = np.empty(in_order.shape)
    found[ranked.order] = in_order
    return found


def area_under_roc(mass: LabelMass, ranked: RankedItems, at: float) -> np.ndarray:
    """Influence on AUC: the pairs that an item wins, and half of its ties, of those it is in."""
    curve = Curve.of(mass, ranked)
    above, passed = curve.true_positives, curve.false_positives
    positive, negative = mass.positive[ranked.order], mass.negative[ranked.order]
    below, over = ranked.of_level(passed[-1] - passed[1:]), ranked.of_level(above[:-1])
    won = positive * below + negative * over
    if len(ranked.corners) <= len(positive):
        hits, alarms = ranked.of_level(np.diff(above)), ranked.of_level(np.diff(passed))
        won += (positive * (alarms - negative) + negative * (hits - positive)) / 2
    pairs = positive * (passed[-1] - negative) + negative * (above[-1] - positive)
    return _in_table(ranked, of_ratio(won, pairs, curve.won, curve.comparisons))


def flagged_to_reach(cumulative: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """Share of each level (L, P), in order, that is flagged where a mass reaches values (P,);
    `cumulative` (L + 1,) is the mass of the 0 .. L highest levels.
    """
    before, own = cumulative[:-1, None], np.diff(cumulative)[:, None]
    short = wanted[None] * (1 - ROUNDING) - before
    part = np.divide(short, own, out=(short > 0).astype(float), where=own > 0)
    return np.clip(part, 0.0, 1.0)


def slope(along: np.ndarray, other: np.ndarray, at: np.ndarray, total: float) -> np.ndarray:
    """Slope d other / d along of a curve of cumulative masses at values (P,) of `along`, over one
    standard error of a share of `total` to either side.
    """
    least = 0.25 / max(total, 1.0)
    share = np.clip(at / max(total, ROUNDING), least, 1 - least)
    reach = np.sqrt(share * (1 - share) * total)
    low, high = np.clip(at - reach, 0, along[-1]), np.clip(at + reach, 0, along[-1])
    # Where `along` stands still `other` jumps: the jump's middle stands for it.
    step, start = np.unique(along, return_index=True)
    middle = np.add.reduceat(other, start) / np.diff(np.append(start, len(along)))
    rise = np.interp(high, step, middle) - np.interp(low, step, middle)
    return np.divide(rise, high - low, out=np.zeros(len(at)), where=high > low)


def precision_at_recalls(mass: LabelMass, ranked: RankedItems, recalls: np.ndarray) -> np.ndarray:
    """Influence on the precision where recall reaches values (P,): (n, P)."""
    curve = Curve.of(mass, ranked)
    hits, alarms = curve.rising
    positive, negative = mass.positive[ranked.order, None], mass.negative[ranked.order, None]
    wanted = recalls * hits[-1]
    flagged = ranked.of_level(flagged_to_reach(hits, wanted))
    found, missed = recalls * positive, (recalls - flagged) * positive
    wrong = negative * flagged + slope(hits, alarms, wanted, float(hits[-1])) * missed
    false = (negative * flagged).sum(axis=0)
    return _in_table(ranked, of_ratio(found, found + wrong, wanted, wanted + false))


def recall_at_false_positives(
    mass: LabelMass, ranked: RankedItems, rates: np.ndarray, moved: np.ndarray | float = 0.0
) -> np.ndarray:
    """Influence on the recall where the false positive rate reaches values (P,): (n, P), none at a
    rate of 0. `moved` (n,), in the order of the table, is the influence on the rate itself over n -
    1, where that is estimated too.
    """
    curve = Curve.of(mass, ranked)
    hits, alarms = curve.rising
    positive, negative = mass.positive[ranked.order, None], mass.negative[ranked.order, None]
    wanted, total = rates * alarms[-1], float(alarms[-1])
    flagged = ranked.of_level(flagged_to_reach(alarms, wanted))
    shift = np.broadcast_to(moved, len(positive))[ranked.order, None]
    missed = (rates - flagged) * negative + total * shift
    found = positive * flagged + slope(alarms, hits, wanted, total) * missed
    reached = (positive * flagged).sum(axis=0)
    influence = of_ratio(found, np.broadcast_to(positive, found.shape), reached, float(hits[-1]))
    return _in_table(ranked, np.where(rates > 0, influence, 0.0))


def precision_at_recall(mass: LabelMass, ranked: RankedItems, at: float) -> np.ndarray:
    """Influence on the precision where recall reaches a value."""
    return precision_at_recalls(mass, ranked, np.array([at]))[:, 0]


def delta_true_positive_rate(mass: LabelMass, ranked: RankedItems, at: float) -> np.ndarray:
    """Influence on TPR_M(t*) - TPR_H, t* where the model's false positive rate is the voters'."""
    negative = mass.negative
    votes = float((negative * ranked.votes_total).sum())
    if votes <= 0:
        return np.full(len(negative), np.nan)
    rate = float((negative * ranked.votes_positive).sum()) / votes
    moved = -human_true_negative_rate(mass, ranked, at) / (len(negative) - 1)
    model = recall_at_false_positives(mass, ranked, np.array([rate]), moved)[:, 0]
    return model - human_true_positive_rate(mass, ranked, at)


Array = np.ndarray
Weights = Array | None


def number(members: Array, ranked: RankedItems, weights: Weights) -> float:
    """Items, or clusters, where `members` (n,) is true; with weights, as `counting` says."""
    if ranked.cluster is None:
        return int(members.sum()) if weights is None else ranked.counting(weights[members])
    of_all, cluster = np.unique(ranked.cluster[members], return_inverse=True)
    if weights is None:
        return len(of_all)
    return ranked.counting(np.bincount(cluster, weights[members], len(of_all)))


def all_labelled(labels: Array, ranked: RankedItems, at: float, weights: Weights = None) -> float:
    """Number of labelled items."""
    return number(labels >= 0, ranked, weights)


def positives(labels: Array, ranked: RankedItems, at: float, weights: Weights = None) -> float:
    """Number of items labelled positive."""
    return number(labels == 1, ranked, weights)


def negatives(labels: Array, ranked: RankedItems, at: float, weights: Weights = None) -> float:
    """Number of items labelled negative."""
    return number(labels == 0, ranked, weights)


def smaller_class(labels: Array, ranked: RankedItems, at: float, weights: Weights = None) -> float:
    """Number of labelled items of the class that has fewer."""
    return min(one(labels, ranked, at, weights) for one in (positives, negatives))


def voters_errors(labels: Array, ranked: RankedItems, at: float, weights: Weights = None) -> float:
    """Labelled items of the smaller class, or negatives with a positive vote where these are fewer:
    a comparison at the voters' false positive rate rests on the items where voters were wrong.
    """
    wrong = number((labels == 0) & (ranked.votes_positive > 0), ranked, weights)
    return min(smaller_class(labels, ranked, at, weights), wrong)


def highest(labels: Array, ranked: RankedItems, flagged: int, weights: Weights) -> float:
    """Number of labelled items among so many that are ranked highest."""
    members = np.zeros(len(labels), dtype=bool)
    members[ranked.order[:flagged]] = True
    return number(members & (labels >= 0), ranked, weights)


def reached(labels: Array, ranked: RankedItems, recalls: Array, weights: Weights) -> Array:
    """How many items, (P,), are in the levels flagged, in part or whole, at recalls (P,): what is
    known of a level that is flagged in part rests on all its items.
    """
    counts = (labels == 1) * (1.0 if weights is None else weights)
    found = np.cumsum(counts[ranked.order])[ranked.corners[1:] - 1]
    level = np.searchsorted(found, recalls * found[-1]) + 1
    return ranked.corners[np.minimum(level, len(found))]


def flagged(labels: Array, ranked: RankedItems, at: float, weights: Weights = None) -> float:
    """Number of labelled items that are scored at or above a threshold."""
    return highest(labels, ranked, ranked.above(at), weights)


def positives_and_flagged(
    labels: Array, ranked: RankedItems, at: float, weights: Weights = None
) -> float:
    """Number of labelled items that are positive, or scored at or above a threshold, or both."""
    members, above = labels == 1, ranked.order[: ranked.above(at)]
    members[above] |= labels[above] >= 0
    return number(members, ranked, weights)


def positives_or_reached(
    labels: Array, ranked: RankedItems, at: float, weights: Weights = None
) -> float:
    """Number of positives, or of the items flagged to reach a recall where those are fewer."""
    (found,) = reached(labels, ranked, np.array([at]), weights)
    known = highest(labels, ranked, found, weights)
    return min(positives(labels, ranked, at, weights), known)
