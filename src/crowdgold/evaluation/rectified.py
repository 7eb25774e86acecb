"""The rectified estimator: a prediction of every label, corrected by the gold labels.

For a metric M of label mass (`metrics.ranked`) and a prediction g_i of P(Y_i = 1), with the gold
items E a simple random sample of all items:

    theta = M_E(Y) + lambda (M_all(g) - M_E(g))
    se^2  = (1 - f) var(Y* - lambda G*)  [+ f var(Y*) for the population]       f = n_E / n

Y* and G* are M_E(Y) and M_E(g) under multinomial resamples of the gold items, the same for all
metrics and predictors, and lambda = cov(Y*, G*) / var(G*) within [0, 1]. For means it is PPI++
(Angelopoulos et al., 2023) and the regression estimator of survey sampling. A difference between
predictors is corrected as a whole.

A wrong prediction costs width and not coverage: lambda goes to 0, and gold alone is left.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from crowdgold.data import NO_GOLD, Items
from crowdgold.estimators import LabelPrediction
from crowdgold.evaluation.estimate import Estimate, metric_values
from crowdgold.metrics import LabelMass, Metric, RankedItems
from crowdgold.metrics.support import support

RESAMPLES = 300
"""Resamples of the gold items; they set a standard error to 1 / sqrt(600) = 4 %."""

FEW_GOLD = 300
"""Below this many gold items lambda is drawn half-way to 1: it is estimated too well on the items
that its variance is taken from."""

FEWEST = 10
"""A metric with fewer gold items in a denominator gets no interval: resampling them cannot show how
uncertain it is."""


@dataclass(frozen=True)
class Resampled:
    """A metric of the gold items under resampling, from labels and from predictions, (R,) each."""

    labelled: np.ndarray
    predicted: np.ndarray

    @property
    def defined(self) -> "Resampled":
        """Give the resamples in which the metric has a value."""
        known = np.isfinite(self.labelled)
        return Resampled(self.labelled[known], self.predicted[known])

    def tune(self, n_gold: int) -> float:
        """Give the weight lambda of the prediction, 0 to 1.

        Where gold is scarce it is (1 + lambda) / 2, but never more than 2 lambda: beyond that the
        correction would make the interval wider than that of gold alone.
        """
        known = np.isfinite(self.predicted)
        if not known.all() or len(known) < 2:
            return 0.0
        covariance = np.cov(self.labelled, self.predicted)
        if covariance[1, 1] <= 0:
            return 0.0
        slope = max(0.0, float(covariance[0, 1] / covariance[1, 1]))
        best = min(1.0, slope)
        return min((1 + best) / 2, 2 * slope) if n_gold < FEW_GOLD else best

    def variance(self, weight: float, fraction: float, target: str) -> float:
        """Give se^2 for a weight of the prediction and a fraction of gold items."""
        rest = self.labelled - weight * self.predicted if weight > 0 else self.labelled
        variance = (1 - fraction) * float(rest.var(ddof=1))
        if target == "population":
            variance += fraction * float(self.labelled.var(ddof=1))
        return variance


def _masses(
    probability: dict[str, np.ndarray], weights: np.ndarray | float = 1.0
) -> dict[str, LabelMass]:
    return {
        name: LabelMass(share * weights, (1 - share) * weights)
        for name, share in probability.items()
    }


def resample_gold(
    gold: Items,
    labels: np.ndarray,
    probability: dict[str, np.ndarray],
    metrics: Sequence[Metric],
    ranked: dict[str, RankedItems],
    rng: np.random.Generator,
    resamples: int = RESAMPLES,
) -> list[Resampled]:
    """Resample the gold items, all metrics at once.

    Args:
        gold: the gold items.
        labels: (n_E,) their labels, 0 or 1.
        probability: predictor -> (n_E,) their predictions.
        metrics: what is computed, from labels and from predictions.
        ranked: the gold items as ranked by each predictor.
        rng: source of the resamples.
        resamples: their number R.

    Returns:
        one `Resampled` a metric, NaN where a resample leaves it without a value.
    """
    size = len(labels)
    values = np.empty((2, resamples, len(metrics)))
    known = dict.fromkeys(probability, labels.astype(float))
    for resample in range(resamples):
        weights = np.bincount(rng.integers(0, size, size), minlength=size).astype(float)
        for source, shares in enumerate((known, probability)):
            masses = _masses(shares, weights)
            values[source, resample] = metric_values(metrics, gold, masses, ranked)
    return [Resampled(values[0, :, m], values[1, :, m]) for m in range(len(metrics))]


def too_few(counted: int) -> str:
    """Say why a metric with fewer gold items than `FEWEST` in a denominator has no interval."""
    return f"no interval: it rests on {counted} gold items, expected at least {FEWEST}"


def corrected_estimate(
    name: str,
    limits: tuple[float, float],
    point: tuple[float, float, float],
    resampled: Resampled,
    counted: int,
    n_gold: int,
    fraction: float,
    target: str,
    level: float,
) -> Estimate:
    """Make the estimate of one metric.

    Args:
        name: the metric, or a difference of metrics.
        limits: its range.
        point: M_E(Y), M_E(g) and M_all(g).
        resampled: the metric under resampling of the gold items.
        counted: gold items in its smallest denominator.
        n_gold: gold items.
        fraction: their share of all items.
        target: these items, or their population.
        level: of the interval.
    """
    labelled, predicted, everywhere = point
    defined = resampled.defined
    undefined = 1 - len(defined.labelled) / len(resampled.labelled)
    if not np.isfinite(labelled) or len(defined.labelled) < 2:
        return Estimate.unavailable(name, "the gold items leave it without a value")
    weight = defined.tune(n_gold) if np.isfinite([predicted, everywhere]).all() else 0.0
    correction = weight * (everywhere - predicted) if weight > 0 else 0.0
    low, high = limits
    # Moved into the range, the estimate is nearer to any truth, so its interval still holds.
    centre = min(max(labelled + correction, low), high)
    if counted < FEWEST:
        return Estimate(name, centre, np.nan, np.nan, undefined, note=too_few(counted))
    error = float(np.sqrt(defined.variance(weight, fraction, target)))
    reach = float(stdtrit(n_gold - 1, (1 + level) / 2)) * error
    lower, upper = max(centre - reach, low), min(centre + reach, high)
    return Estimate(name, centre, lower, upper, undefined, error)


def rectify(
    prediction: LabelPrediction,
    items: Items,
    metrics: Sequence[Metric],
    rng: np.random.Generator,
    level: float,
    resamples: int = RESAMPLES,
) -> list[Estimate]:
    """Estimate metrics from a prediction of every label and the gold labels.

    Args:
        prediction: P(Y_i = 1) by predictor, and what is estimated: these items or a population.
        items: the table; its gold items must be a simple random sample, at least two.
        metrics: none of them a model parameter.
        rng: source of the resamples.
        level: of the intervals, by Student's t with n_E - 1 degrees of freedom.
        resamples: of the gold items.

    Returns:
        one estimate a metric, with a standard error. A metric with fewer than `FEWEST` gold items
        in a denominator has no interval, and its note says so.
    """
    rows = np.flatnonzero(items.gold != NO_GOLD)
    gold, labels = items.take(rows), items.gold[rows]
    names = sorted({name for metric in metrics for name in metric.predictors(items)})
    everywhere = {name: np.asarray(prediction.probability[name], dtype=float) for name in names}
    here = {name: share[rows] for name, share in everywhere.items()}
    ranked = {name: RankedItems.of(gold, name) for name in names}
    ranked_all = {name: RankedItems.of(items, name) for name in names}
    points = zip(
        metric_values(metrics, gold, _masses(dict.fromkeys(names, labels.astype(float))), ranked),
        metric_values(metrics, gold, _masses(here), ranked),
        metric_values(metrics, items, _masses(everywhere), ranked_all),
        strict=True,
    )
    found = resample_gold(gold, labels, here, metrics, ranked, rng, resamples)
    counted = [
        support(metric, labels, [ranked[name] for name in metric.predictors(items)])
        for metric in metrics
    ]
    fraction = len(rows) / len(items)
    return [
        corrected_estimate(
            metric.text,
            metric.limits,
            point,
            one,
            count,
            len(rows),
            fraction,
            prediction.target,
            level,
        )
        for metric, point, one, count in zip(metrics, points, found, counted, strict=True)
    ]
