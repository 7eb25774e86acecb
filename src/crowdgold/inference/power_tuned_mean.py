"""AutoEval: the power-tuned, prediction-powered mean (PPI++) of an item-level metric.

Boyeau et al. (2025) estimate the mean of a function of each item and its label; MAVEN, section 6,
gives it raw scores or posterior probabilities. With h_i the function at the label of a labelled
item, H_i its mean under the predicted probability, n labelled and N other items:

    theta = mean(lambda H, others) + mean(h - lambda H, labelled)
    lambda = cov(h, H) / ((1 + n / N) var(H)), clipped to [0, 1]
    se^2 = lambda^2 var(H, others) / N + var(h - lambda H, labelled) / n

The interval is normal, within the metric's range, and aims at the population. Other metrics are no
means of item-level values.

Where gold items were drawn with known chances, or items belong together, labelled means are
weighted, all items stand in the place of the others, lambda is that of `ppi_py` with weights, and
se that of the design (`design`).
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import ndtri

from crowdgold.inference.design import Design, drawn_from
from crowdgold.inference.estimate import Estimate, View
from crowdgold.inference.rectified import HALF
from crowdgold.metrics.metric import Asked
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD
from crowdgold.types.notes import Note

MEANS = ("prevalence", "accuracy")  # Metrics that are means over items


def _tune(labelled: np.ndarray, predicted: np.ndarray, others: np.ndarray) -> float:
    """The lambda of PPI++: the variance is of all items, the covariance of the labelled. With
    weights, values are the weighted distances from the mean that lambda 1 would give.
    """
    spread = float(np.concatenate([predicted, others]).var(ddof=1))
    if spread <= 0 or len(others) == 0:
        return 0.0
    covariance = float(np.mean((labelled - labelled.mean()) * (predicted - predicted.mean())))
    return min(1.0, max(0.0, covariance / ((1 + len(labelled) / len(others)) * spread)))


def power_tuned_mean(
    labelled: np.ndarray, predicted: np.ndarray, others: np.ndarray, level: float
) -> tuple[float, float, float, float]:
    """A mean by PPI++ (Angelopoulos et al., 2023), its interval's ends, and its standard error, as
    `ppi_py.ppi_mean_ci` from values (n,) of labelled items, predictions of them and of the other
    items (N,); without others the classical mean is left.
    """
    weight = _tune(labelled, predicted, others)
    rest = labelled - weight * predicted
    estimate, variance = float(rest.mean()), float(rest.var()) / len(rest)
    if weight > 0:
        estimate += weight * float(others.mean())
        variance += weight**2 * float(others.var()) / len(others)
    error = float(np.sqrt(variance))
    reach = float(ndtri((1 + level) / 2)) * error
    return estimate, estimate - reach, estimate + reach, error


def designed_mean(
    labelled: np.ndarray, predicted: np.ndarray, everyone: np.ndarray, design: Design, level: float
) -> tuple[float, float, float, float]:
    """The same from labelled items with weights, as `ppi_py.ppi_mean_pointestimate` has them."""
    weights = design.counting
    assert weights is not None
    whole = float(everyone.mean() + (weights * (labelled - predicted)).mean())
    tuned = _tune(weights * (labelled - whole), weights * (predicted - whole), everyone - whole)
    rest = labelled - tuned * predicted
    estimate = tuned * float(everyone.mean()) + float((weights * rest).mean())
    influence = np.stack(
        [weights * (one - (weights * one).mean()) for one in (rest, labelled)], axis=1
    )
    sampled, population = design.deviations(influence), design.of_population(influence)
    assert population is not None
    total = design.left * (sampled[:, 0] ** 2).sum() / max(len(sampled) - 1, 1)
    total += design.added(population, len(sampled))[1]
    error = float(np.sqrt(total / design.size))
    reach = float(ndtri((1 + level) / 2)) * error
    return estimate, estimate - reach, estimate + reach, error


def estimate_means(
    prediction: np.ndarray, view: View, asked: Sequence[Asked], level: float
) -> list[Estimate]:
    """Estimates of the metrics that are means over items; of the others, why there is none."""
    if view.weights is not None:
        raise InputError("it takes no weights of items")
    items = view.items
    has_gold = items.gold != NO_GOLD
    _, design = drawn_from(view, np.flatnonzero(has_gold))
    counts = np.ones(design.size) if design.counting is None else design.counting
    estimates = []
    for metric in asked:
        if metric.name not in MEANS:
            others = Note("not_a_mean", {"means": " and ".join(MEANS)})
            estimates.append(Estimate.unavailable(metric.text, others))
            continue
        # Values of each item were its label 1, or 0: one of the two is 1 and the other 0.
        positive = np.ones(len(items))
        if metric.name == "accuracy":
            positive = (items.scores[view.predictor] >= metric.threshold).astype(float)
        negative = 1 - positive
        predicted = prediction * positive + (1 - prediction) * negative
        labelled = np.where(items.gold == 1, positive, negative)[has_gold]
        if design.counting is None:
            found = power_tuned_mean(labelled, predicted[has_gold], predicted[~has_gold], level)
        else:
            found = designed_mean(labelled, predicted[has_gold], predicted, design, level)
        estimate, lower, upper, error = found
        # Moved into the range with its interval, the estimate is nearer to any truth.
        inside = float(np.clip(estimate, 0, 1))
        lower, upper = (float(np.clip(end + (inside - estimate), 0, 1)) for end in (lower, upper))
        own, other = (counts * labelled)[:, None], (counts * (1 - labelled))[:, None]
        left = design.left_open(own, other, level)[0]
        if left > HALF or np.ptp(labelled) == 0 or not error > 0:
            # Gold items that are all alike show no spread, which the method takes for none.
            notes = (Note("left_open" if left > HALF else "all_alike"),)
            estimates.append(Estimate(metric.text, inside, np.nan, np.nan, notes=notes))
            continue
        estimates.append(Estimate(metric.text, inside, lower, upper, standard_error=error))
    return estimates
