"""What items contribute to metrics: closed forms against the jackknife by brute force."""

import numpy as np
import pytest

from crowdgold.inference.estimate import Questions
from crowdgold.metrics.binary import METRICS, parse_metric
from crowdgold.metrics.metric import At, LabelMass, Metric, RankedItems, Scale, delete_one
from unit.reference import make_items

SMOOTH = (
    "prevalence", "TPR_H", "TNR_H", "AUC", "accuracy@0.1", "precision@0.1", "recall@0.1", "F1@0.1",
    "balanced_accuracy@0.1",
)  # fmt: skip
CROSSING = ("delta_TPR", "precision_at_recall@0.5")


def drawn(rng, size=30, labels=True, tied=False):
    """Items with scores that follow labels, and a mass with weights; tied scores are whole."""
    truth = rng.random(size) < 0.4
    votes = rng.binomial(3, np.where(truth, 0.7, 0.2))
    scores = truth + rng.standard_normal(size)
    items = make_items(votes, 3, -1, {"A": np.round(scores) if tied else scores})
    share = truth.astype(float) if labels else rng.random(size)
    weights = rng.integers(1, 4, size).astype(float)
    return RankedItems.of(items, "A"), LabelMass.of_probability(share, weights)


@pytest.mark.parametrize("text", SMOOTH)
@pytest.mark.parametrize("labels", [True, False])
@pytest.mark.parametrize("tied", [True, False])
def test_the_closed_form_is_the_jackknife(text, labels, tied):
    """To rounding, for labels and for probabilities, with unequal weights, tied or not."""
    asked, rng = parse_metric(text), np.random.default_rng(1)
    for _ in range(3):
        ranked, mass = drawn(rng, labels=labels, tied=tied)
        found = asked.known.influence(mass, ranked, asked.threshold)
        expected = delete_one(asked.known.value)(mass, ranked, asked.threshold)
        np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("tied", [True, False])
def test_inside_a_level_points_of_curves_are_smooth(tied):
    """Of a score that 5 % to 95 % of each class have: the jackknife, but for a move of the line."""
    rng, size = np.random.default_rng(5), 2000
    truth = rng.random(size) < 0.4
    scores = np.where(rng.random(size) < 0.9, 0.0, rng.choice([-1.0, 1.0], size))
    scores = scores if tied else scores + 1e-9 * rng.standard_normal(size)
    items = make_items(rng.binomial(3, np.where(truth, 0.7, 0.4)), 3, -1, {"A": scores})
    ranked, mass = RankedItems.of(items, "A"), LabelMass.of_labels(truth.astype(int))
    for text in CROSSING:
        asked = parse_metric(text)
        found = asked.known.influence(mass, ranked, asked.threshold)
        expected = delete_one(asked.known.value)(mass, ranked, asked.threshold)
        far = np.abs(found - expected).max() / np.abs(expected).max()
        assert (far < 0.01) == tied, text


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("text", [*SMOOTH, *CROSSING])
def test_the_spread_of_what_items_contribute_is_that_of_the_metric(text, tied):
    """Over 400 samples of 200 items, to four standard errors of a variance, sqrt(2 / 399) = 7 %
    each.
    """
    asked, rng = parse_metric(text), np.random.default_rng(2)
    values, spreads = [], []
    for _ in range(400):
        ranked, mass = drawn(rng, 200, tied=tied)
        values.append(asked.known.value(mass, ranked, asked.threshold))
        spreads.append(np.var(asked.known.influence(mass, ranked, asked.threshold), ddof=1) / 200)
    assert np.mean(spreads) == pytest.approx(np.var(values, ddof=1), rel=0.28)


def test_points_of_curves_are_those_of_the_metrics():
    """The curve's influence at a recall of one half is that of precision_at_recall@0.5."""
    ranked, mass = drawn(np.random.default_rng(3), 100)
    asked = parse_metric("precision_at_recall@0.5")
    found = Questions((asked,), curves=True).influence(mass, ranked)
    np.testing.assert_allclose(found[:, 0], found[:, 1 + 49])


def test_a_point_where_nothing_is_flagged_rests_on_no_item():
    ranked, mass = drawn(np.random.default_rng(4), 50)
    found = Questions((), curves=True).influence(mass, ranked)
    assert not found[:, 100].any()  # a false positive rate of 0


def test_a_single_item_of_a_class_has_no_influence_to_speak_of():
    """Without it there is no AUC, which is not 0 but unknown."""
    items = make_items([0, 1, 2], 3, -1, {"A": np.arange(3.0)})
    ranked, mass = RankedItems.of(items, "A"), LabelMass.of_labels(np.array([0, 0, 1]))
    found = METRICS["AUC"].influence(mass, ranked, np.nan)
    assert np.isnan(found[2])
    assert np.isfinite(found[:2]).all()


def test_a_metric_needs_its_range_denominator_scale_and_words():
    """None of them has a default, so that a metric cannot be registered without them."""
    whole = METRICS["AUC"]
    given = {name: getattr(whole, name) for name in whole.__dataclass_fields__}
    for name in ("range", "rests_on", "scale", "influence", "words", "needs_votes"):
        with pytest.raises(TypeError, match=name):
            Metric(**{key: value for key, value in given.items() if key != name})
    for name in ("words", "value", "influence", "rests_on", "scale", "at"):
        for wrong in (None, "logit"):
            with pytest.raises(ValueError, match=f"metric AUC: {name} is {wrong!r}, expected"):
                Metric(**{**given, name: wrong})
    with pytest.raises(ValueError, match="two ends"):
        Metric(**{**given, "range": (0.0, np.inf), "scale": Scale.LOGIT})
    with pytest.raises(ValueError, match=r"expected \(low, high\)"):
        Metric(**{**given, "range": (1.0, 0.0)})
    assert Metric(**{**given, "at": At.SCORE}).at is At.SCORE
