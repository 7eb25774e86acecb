"""The rectified estimator against plain loops; predictions that are perfect, noise or wrong."""

import numpy as np
import pytest
from scipy.stats import t as student

from crowdgold.data import NO_GOLD
from crowdgold.estimators import Fit, LabelPrediction
from crowdgold.inference import evaluate
from crowdgold.evaluation.rectified import FEW_GOLD, FEWEST, Resampled, rectify, resample_gold
from crowdgold.metrics import LabelMass, RankedItems, parse_metric
from crowdgold.metrics.support import support
from unit.label_mass_reference import metric_value
from unit.reference import make_items

METRICS = [
    "prevalence", "TNR_H", "TPR_H", "AUC", "delta_TPR", "delta_AUC", "precision@0.2",
    "recall@0.2", "accuracy@0.2", "F1@0.2", "precision_at_recall@0.5",
]  # fmt: skip
WITHOUT_VOTES = ("prevalence", "AUC", "delta_AUC", "accuracy@0.2", "precision@0.2")
EACH_PREDICTOR = ("A", "B")


def table(n, n_gold, seed=0, signal=1.0):
    """Labels, votes and scores that know something of each other, and a prediction of each."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    total = rng.integers(2, 5, n)
    scores = {name: rng.normal(signal * y, 1) for name in EACH_PREDICTOR}
    gold = np.full(n, NO_GOLD)
    chosen = rng.permutation(n)[:n_gold]
    gold[chosen] = y[chosen]
    items = make_items(rng.binomial(total, 0.25 + 0.4 * y), total, gold, scores, truth=y)
    prediction = {
        name: 1 / (1 + np.exp(0.8 - x + rng.normal(0, 0.5, n))) for name, x in scores.items()
    }
    return items, prediction


def rectified(items, prediction, metrics, target="items", seed=1, **settings):
    parsed = [parse_metric(text) for text in metrics]
    rng = np.random.default_rng(seed)
    return rectify(LabelPrediction(prediction, target), items, parsed, rng, 0.95, **settings)


def resampled(items, prediction, metrics, seed=1, resamples=300):
    """The resamples that `rectified` uses for the same seed."""
    rows = np.flatnonzero(items.gold != NO_GOLD)
    gold = items.take(rows)
    ranked = {name: RankedItems.of(gold, name) for name in EACH_PREDICTOR}
    here = {name: prediction[name][rows] for name in EACH_PREDICTOR}
    parsed = [parse_metric(text) for text in metrics]
    rng = np.random.default_rng(seed)
    return resample_gold(gold, items.gold[rows], here, parsed, ranked, rng, resamples)


@pytest.mark.parametrize("text", METRICS)
@pytest.mark.parametrize("seed", range(4))
def test_metrics_of_weighted_split_items_by_loops(text, seed):
    """M(w, g) for n = 12, weights 0 to 3 as in a resample, any prediction g, and labels."""
    items, _ = table(12, 12, seed)
    rng = np.random.default_rng([seed, 1])
    metric = parse_metric(text)
    for source in ("prediction", "labels"):
        share = {
            name: rng.random(12) if source == "prediction" else items.truth.astype(float)
            for name in EACH_PREDICTOR
        }
        weights = rng.integers(0, 4, 12).astype(float)
        positive = {name: weights * g for name, g in share.items()}
        negative = {name: weights * (1 - g) for name, g in share.items()}
        names = metric.predictors(items)
        found = metric.value(
            [LabelMass(positive[name], negative[name]) for name in names],
            [RankedItems.of(items, name) for name in names],
        )
        assert found == pytest.approx(metric_value(text, items, positive, negative), abs=1e-9)


def by_loops(text, items, prediction, target, level, resamples, rng):
    """The estimator as DESIGN has it: tY, tG, tA, lambda, se and the interval."""
    rows = np.flatnonzero(items.gold != NO_GOLD)
    gold, n_gold, f = items.take(rows), len(rows), len(rows) / len(items)
    y = dict.fromkeys(EACH_PREDICTOR, items.gold[rows].astype(float))
    here = {name: prediction[name][rows] for name in EACH_PREDICTOR}

    def of(table, share, w):
        positive = {name: w * g for name, g in share.items()}
        negative = {name: w * (1 - g) for name, g in share.items()}
        return metric_value(text, table, positive, negative)

    labelled, predicted = [], []
    for _ in range(resamples):
        w = np.zeros(n_gold)
        for drawn in rng.integers(0, n_gold, n_gold):
            w[drawn] += 1
        labelled.append(of(gold, y, w))
        predicted.append(of(gold, here, w))
    m = resamples - 1
    mean_y, mean_g = np.mean(labelled), np.mean(predicted)
    covariance = sum((a - mean_y) * (b - mean_g) for a, b in zip(labelled, predicted, strict=True))
    slope = max(0.0, covariance / sum((b - mean_g) ** 2 for b in predicted))
    weight = min(1.0, slope)
    if n_gold < 300:
        weight = min((1 + weight) / 2, 2 * slope)
    rest = [a - weight * b for a, b in zip(labelled, predicted, strict=True)]
    variance = (1 - f) * sum((r - np.mean(rest)) ** 2 for r in rest) / m
    if target == "population":
        variance += f * sum((a - mean_y) ** 2 for a in labelled) / m
    ones = np.ones(n_gold)
    theta = of(gold, y, ones) + weight * (
        of(items, prediction, np.ones(len(items))) - of(gold, here, ones)
    )
    reach = student.ppf((1 + level) / 2, n_gold - 1) * np.sqrt(variance)
    return theta, theta - reach, theta + reach, np.sqrt(variance)


@pytest.mark.parametrize("target", ["items", "population"])
@pytest.mark.parametrize("signal", [0.0, 1.5])
def test_the_estimator_by_loops(target, signal):
    """20 resamples of 45 of 80 items; every metric with the same resamples."""
    items, prediction = table(80, 45, seed=3, signal=signal)
    found = rectified(items, prediction, METRICS, target, resamples=20)
    for text, estimate in zip(METRICS, found, strict=True):
        rng = np.random.default_rng(1)
        theta, lower, upper, error = by_loops(text, items, prediction, target, 0.95, 20, rng)
        low, high = parse_metric(text).limits
        assert low < theta < high, "the comparison is of what has not been clipped"
        assert estimate.estimate == pytest.approx(theta, abs=1e-9), text
        assert estimate.standard_error == pytest.approx(error, abs=1e-9)
        assert estimate.lower == pytest.approx(max(lower, low), abs=1e-9)
        assert estimate.upper == pytest.approx(min(upper, high), abs=1e-9)
        assert estimate.note == ""


def test_the_weight_of_the_prediction_by_hand():
    """Slopes -1, 0.25, 0.8 and 2 exactly: clipped to [0, 1] where gold is plenty; drawn half-way to
    1 where it is scarce, but never above twice the slope."""
    g = np.random.default_rng(0).normal(size=50)
    for slope, plenty, scarce in ((-1, 0, 0), (0.25, 0.25, 0.5), (0.8, 0.8, 0.9), (2, 1, 1)):
        found = Resampled(slope * g, g)
        assert found.tune(FEW_GOLD) == pytest.approx(plenty, abs=1e-12)
        assert found.tune(FEW_GOLD - 1) == pytest.approx(scarce, abs=1e-12)
    assert Resampled(g, np.ones(50)).tune(100) == 0
    assert Resampled(g, np.where(g > 0, np.nan, g)).tune(100) == 0


@pytest.mark.parametrize("n_gold", [60, 320])
def test_a_perfect_prediction_gives_the_truth_and_no_width(n_gold):
    """Of these items nothing is left to be known. For the population the sampling of the items
    remains, f var(Y*)."""
    items, _ = table(800, n_gold, seed=4)
    prediction = dict.fromkeys(EACH_PREDICTOR, items.truth.astype(float))
    everything = (
        dict.fromkeys(EACH_PREDICTOR, items.truth),
        dict.fromkeys(EACH_PREDICTOR, 1 - items.truth),
    )
    of_items = rectified(items, prediction, METRICS)
    of_population = rectified(items, prediction, METRICS, "population")
    spread = resampled(items, prediction, METRICS)
    for text, here, there, one in zip(METRICS, of_items, of_population, spread, strict=True):
        parsed = parse_metric(text)
        names = parsed.predictors(items)
        truth = parsed.value(
            [LabelMass(everything[0][n], everything[1][n]) for n in names],
            [RankedItems.of(items, n) for n in names],
        )
        assert here.estimate == pytest.approx(truth, abs=1e-9)
        assert here.upper - here.lower == pytest.approx(0, abs=1e-9)
        expected = np.sqrt(n_gold / 800 * one.labelled.var(ddof=1))
        assert there.standard_error == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("n_gold", [60, 320])
@pytest.mark.parametrize("kind", ["good", "noise", "reversed", "certain and wrong"])
def test_never_wider_than_gold_alone(n_gold, kind):
    """With the same resamples: se^2 <= (1 - f) var(Y*), whatever the prediction, exactly.

    Noise says nothing of the labels, so the width of gold alone is left: a slope from 300 resamples
    has a standard error of 1 / sqrt(300) relative to the spreads, a gain of some tenths of a
    percent in the width; 3 % are allowed. (With noise for labels the votes of the items still are
    known, so that TNR_H, TPR_H, recall and what is made of them gain.) The control: the plain rule
    (1 + lambda) / 2 is wider on the noise, by more than 2 % for AUC.
    """
    items, prediction = table(800, n_gold, seed=5)
    rng = np.random.default_rng(6)
    y = items.truth.astype(float)
    prediction = {
        "good": prediction,
        "noise": {name: rng.random(800) for name in EACH_PREDICTOR},
        "reversed": {name: 1 - g for name, g in prediction.items()},
        "certain and wrong": dict.fromkeys(EACH_PREDICTOR, 1 - y),
    }[kind]
    found = rectified(items, prediction, METRICS)
    for text, estimate, one in zip(
        METRICS, found, resampled(items, prediction, METRICS), strict=True
    ):
        alone = np.sqrt((1 - n_gold / 800) * one.labelled.var(ddof=1))
        assert estimate.standard_error <= alone * (1 + 1e-9)
        if kind == "noise" and text in WITHOUT_VOTES:
            assert estimate.standard_error > 0.97 * alone
            plain = one.variance((1 + min(1.0, one.tune(FEW_GOLD))) / 2, n_gold / 800, "items")
            assert text != "AUC" or plain > 1.02**2 * alone**2
        if kind == "good" and text in ("prevalence", "AUC", "TNR_H"):
            assert estimate.standard_error < 0.97 * alone


def test_the_resampled_weight_of_a_mean_is_the_exact_one():
    """For a mean, cov(Y*, G*) / var(G*) is the regression slope of Y on g among the gold items, and
    var(Y* - lambda G*) the residual variance over n_E.

    6,000 resamples: the slope's standard error is sd(residual) / (sd(g) sqrt(R)), that of a
    variance sqrt(2 / R) of it; 5 of each are allowed.
    """
    items, prediction = table(1500, 400, seed=8)
    (one,) = resampled(items, prediction, ["prevalence"], resamples=6_000)
    gold = items.gold != NO_GOLD
    y, g = items.gold[gold].astype(float), prediction["A"][gold]
    slope = np.cov(y, g, bias=True)[0, 1] / g.var()
    residual = y - slope * g
    weight = one.tune(400)
    assert abs(weight - slope) < 5 * residual.std() / (g.std() * np.sqrt(6_000))
    variance = one.variance(slope, 0.0, "items")
    assert variance == pytest.approx(residual.var() / 400, rel=5 * np.sqrt(2 / 6_000))


def test_metrics_that_rest_on_few_gold_items_have_no_interval_and_say_so():
    """9 positives and 60 negatives of 69: recall, TPR and AUC divide by 9 items."""
    items, prediction = table(400, 400, seed=9)
    gold = np.full(400, NO_GOLD)
    gold[np.flatnonzero(items.truth == 1)[:9]] = 1
    gold[np.flatnonzero(items.truth == 0)[:60]] = 0
    items = make_items(items.votes_positive, items.votes_total, gold, dict(items.scores))
    names = ["prevalence", "TNR_H", "accuracy@0", "TPR_H", "recall@0", "AUC", "delta_AUC"]
    for estimate in rectified(items, prediction, names):
        assert np.isfinite(estimate.estimate)
        if estimate.metric in names[:3]:
            assert np.isfinite([estimate.lower, estimate.upper, estimate.standard_error]).all()
        else:
            assert np.isnan([estimate.lower, estimate.upper]).all()
            assert estimate.note == "no interval: it rests on 9 gold items, expected at least 10"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("prevalence", 7), ("accuracy@0", 7), ("TPR_H", 4), ("recall@4", 4), ("TNR_H", 3),
        ("AUC", 3), ("delta_TPR", 3), ("precision@4", 3), ("precision_at_recall@0.5", 3),
        ("precision_at_recall@1", 4), ("precision@99", 0), ("F1@99", 0), ("F1@1", 4),
    ],
)  # fmt: skip
def test_support_by_hand(text, expected):
    """Labels by falling score: 1 0 1 (at 4) 1 . 0 1 0; half of the positives are among the first
    3, and to find all 4 of them 6 are flagged, so that the 4 positives are fewest."""
    labels = np.array([1, 0, 1, 1, -1, 0, 1, 0])
    items = make_items([1] * 8, 2, -1, [9.0, 8, 4, 3, 2.5, 2, 1, 0])
    metric = parse_metric(text)
    assert support(metric, labels, [RankedItems.of(items, "A")]) == expected
    assert FEWEST == 10


def test_without_a_value_it_says_so_and_a_prediction_without_one_is_not_used():
    """Gold of one class has no AUC. A prediction of 0 for all has no precision at any recall: gold
    alone is left."""
    items, prediction = table(100, 40, seed=2)
    one_class = make_items(
        items.votes_positive, 4, np.where(items.gold == 1, NO_GOLD, items.gold), dict(items.scores)
    )
    (area,) = rectified(one_class, prediction, ["AUC"])
    assert (area.undefined, area.note) == (1.0, "the gold items leave it without a value")
    never = dict.fromkeys(EACH_PREDICTOR, np.zeros(100))
    (found,) = rectified(items, never, ["precision_at_recall@0.5"])
    gold = items.gold != NO_GOLD
    alone = parse_metric("precision_at_recall@0.5").value(
        [LabelMass.of_labels(items.gold[gold])], [RankedItems.of(items.take(gold), "A")]
    )
    assert found.estimate == alone
    assert found.lower < alone < found.upper


def test_estimates_and_intervals_stay_in_the_range():
    """Gold items that are all flagged rightly, and a prediction that thinks better of the others:
    uncorrected the estimate is above 1."""
    y = np.tile([0, 1], 60)
    scores = y + np.linspace(0, 0.5, 120)
    gold = np.where(np.arange(120) < 40, y, NO_GOLD)
    guess = np.where(np.arange(120) < 40, 0.5 + 0.3 * (y - 0.5), y).astype(float)
    items = make_items(np.ones(120, int), 2, gold, scores)
    found = rectified(items, {"A": guess}, ["recall@0.8", "AUC", "accuracy@0.8"])
    for estimate in found:
        assert 0 <= estimate.lower <= estimate.estimate == estimate.upper == 1


def test_evaluate_takes_predictions_and_knows_no_parameters():
    items, prediction = table(100, 50)
    fitted = Fit("test", LabelPrediction(prediction))
    area, mu = evaluate(fitted, items, ["AUC", "mu"], np.random.default_rng(1))
    (expected,) = rectified(items, prediction, ["AUC"])
    assert area == expected
    assert mu.undefined == 1
    with pytest.raises(ValueError, match="target 'item'; expected 'items' or 'population'"):
        LabelPrediction(prediction, "item")
