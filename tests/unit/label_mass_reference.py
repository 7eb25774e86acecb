"""Metrics of label mass by plain loops, from their definitions; nothing of the library's is used.

An item i has positive mass p_i and negative mass q_i. The curves run through a share s of the
ranking, from 0 to n: items wholly above it count, the one in which it ends counts in part.
"""

import numpy as np


def reached(masses, share):
    """The mass of the `share` highest items; the last one may count in part."""
    return sum(mass * min(max(share - rank, 0.0), 1.0) for rank, mass in enumerate(masses))


def first_share(masses, wanted):
    """Find by bisection the least share of the ranking whose mass is `wanted`."""
    low, high = 0.0, float(len(masses))
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (low, middle) if reached(masses, middle) >= wanted - 1e-13 else (middle, high)
    return high


def rate_of_votes(mass, votes_positive, votes_total):
    return sum(m * v for m, v in zip(mass, votes_positive, strict=True)) / sum(
        m * c for m, c in zip(mass, votes_total, strict=True)
    )


def value(name, threshold, scores, votes_positive, votes_total, positive, negative):
    """A metric of items, ties of scores in AUC alone; arguments are lists of one length."""
    n, falling = len(scores), sorted(range(len(scores)), key=lambda i: -scores[i])
    p, q = [positive[i] for i in falling], [negative[i] for i in falling]
    flagged = [i for i in range(n) if scores[i] >= threshold]
    hits, alarms = sum(positive[i] for i in flagged), sum(negative[i] for i in flagged)
    if name == "prevalence":
        return sum(p) / (sum(p) + sum(q))
    if name in ("TPR_H", "TNR_H"):
        rate = rate_of_votes(positive if name == "TPR_H" else negative, votes_positive, votes_total)
        return rate if name == "TPR_H" else 1 - rate
    if name == "AUC":
        pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
        weight = {(i, j): positive[i] * negative[j] for i, j in pairs}
        won = {(i, j): (scores[i] > scores[j]) + (scores[i] == scores[j]) / 2 for i, j in pairs}
        return sum(weight[pair] * won[pair] for pair in pairs) / sum(weight.values())
    if name in ("precision", "recall"):
        return hits / (hits + alarms if name == "precision" else sum(p))
    if name == "F1":
        return 2 / ((hits + alarms) / hits + sum(p) / hits)
    if name == "accuracy":
        return (hits + sum(q) - alarms) / (sum(p) + sum(q))
    if name == "balanced_accuracy":
        return (hits / sum(p) + 1 - alarms / sum(q)) / 2
    if name == "precision_at_recall":
        share = first_share(p, threshold * sum(p))
        return reached(p, share) / (reached(p, share) + reached(q, share))
    assert name == "delta_TPR"
    human_false = rate_of_votes(negative, votes_positive, votes_total)
    share = first_share(q, human_false * sum(q))
    model = reached(p, share) / sum(p)
    return model - rate_of_votes(positive, votes_positive, votes_total)


def metric_value(text, items, positive, negative):
    """A metric by its name; the differences are those of its values for the predictors."""
    head, _, threshold = text.partition("@")
    at = float(threshold) if threshold else np.nan
    votes = items.votes_positive.tolist(), items.votes_total.tolist()

    def of(name, predictor):
        scores = items.scores[predictor].tolist()
        masses = (mass[predictor].tolist() for mass in (positive, negative))
        return value(name, at, scores, *votes, *masses)

    if head == "delta_AUC":
        first, second = items.predictors[:2]
        return of("AUC", first) - of("AUC", second)
    return of(head, items.predictors[0])
