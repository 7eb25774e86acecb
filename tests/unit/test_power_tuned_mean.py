"""AutoEval's mean against ppi-python, and what it says of other metrics."""

import warnings

import numpy as np
import pytest

from crowdgold.inference import power_tuned_mean as auto_eval
from crowdgold.inference.labels import Fit, MeanPrediction, evaluate
from crowdgold.inference.power_tuned_mean import power_tuned_mean
from crowdgold.methods.registry import fit
from crowdgold.types.errors import InputError
from crowdgold.types.gold_draw import GoldDraw
from crowdgold.types.items import NO_GOLD
from crowdgold.types.notes import Note
from unit.reference import make_items

with warnings.catch_warnings():  # it turns all warnings off when it is imported
    import ppi_py


def peer(labelled, predicted, others, level):
    """Estimate, interval and standard error of ppi-python."""
    data = labelled, predicted, others
    estimate = float(np.squeeze(ppi_py.ppi_mean_pointestimate(*data)))
    lower, upper = (float(np.squeeze(x)) for x in ppi_py.ppi_mean_ci(*data, alpha=1 - level))
    return estimate, lower, upper


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("quality", [-1.0, 0.0, 0.3, 1.0, 3.0])
@pytest.mark.parametrize(("n", "others"), [(200, 1800), (40, 30), (7, 1000)])
def test_it_is_the_mean_of_ppi_python(level, quality, n, others):
    """To 1e-10, with predictions on both ends of the clipping of lambda."""
    rng = np.random.default_rng([n, others])
    y = (rng.random(n + others) < 0.3).astype(float)
    predicted = 0.3 + (quality * (y - 0.3) + rng.normal(0, 0.2, n + others)) * 0.3
    data = y[:n], predicted[:n], predicted[n:]
    found = power_tuned_mean(*data, level)
    assert found[:3] == pytest.approx(peer(*data, level), abs=1e-10)


def items_with_scores(seed=0, n=600, n_gold=150):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    scores = 1 / (1 + np.exp(0.8 - rng.normal(1.5 * y, 1)))
    gold = np.where(np.arange(n) < n_gold, y, NO_GOLD)
    return make_items(rng.binomial(3, 0.2 + 0.5 * y), 3, gold, scores)


@pytest.mark.parametrize("text", ["accuracy@0.5", "accuracy@0.8", "prevalence"])
def test_autoeval_of_accuracy_and_prevalence_is_that_of_ppi_python(text):
    """Item-level accuracy 1{(x >= t) = y}; predicted, with P(Y = 1) = x: x above t, else 1 - x."""
    items = items_with_scores()
    x, gold = items.scores["A"], items.gold
    if text == "prevalence":
        values, predicted = gold.astype(float), x
    else:
        t = float(text.partition("@")[2])
        values = ((x >= t) == (gold == 1)).astype(float)
        predicted = np.where(x >= t, x, 1 - x)
    known = gold != NO_GOLD
    fitted = fit("AutoEval", items, np.random.default_rng(0))
    (found,) = evaluate(fitted, items, [text], np.random.default_rng(0), level=0.9)
    expected = peer(values[known], predicted[known], predicted[~known], 0.9)
    assert [found.estimate, found.lower, found.upper] == pytest.approx(expected, abs=1e-10)
    assert found.notes == ()


def test_what_is_no_mean_of_item_values_has_no_estimate_and_a_reason():
    items = items_with_scores()
    fitted = fit("AutoEval", items, np.random.default_rng(0))
    metrics = ["AUC", "TNR_H", "precision@0.5", "phi", "accuracy@0.5"]
    *others, accuracy = evaluate(fitted, items, metrics, np.random.default_rng(0))
    for estimate in others:
        assert np.isnan([estimate.estimate, estimate.lower, estimate.upper]).all()
        assert estimate.undefined == 1
        assert "mean of item-level values" in estimate.note or estimate.metric == "phi"
    assert 0 < accuracy.lower < accuracy.estimate < accuracy.upper < 1


def mostly_one_stratum(labels, seed):
    """600 items; so many gold labels of nine tenths, all negative, not flagged, and 40 others."""
    items = items_with_scores(seed, n_gold=600)
    stratum, drawn_of = (np.arange(600) >= 540).astype(int), np.array([labels, 40])
    rng = np.random.default_rng(seed)
    alike = (stratum == 0) & (items.gold == 0) & (items.scores["A"] < 0.5)
    most = rng.choice(np.flatnonzero(alike), labels, replace=False)
    labelled = np.isin(np.arange(600), [*most, *rng.choice(np.arange(540, 600), 40, replace=False)])
    made = make_items(items.votes_positive, 3, NO_GOLD, items.scores["A"], truth=items.gold)
    return made.with_gold(labelled, GoldDraw((drawn_of / [540, 60])[stratum], stratum, drawn_of))


def test_it_stays_within_the_range_under_a_designed_sample():
    """Also where few labels of a large stratum carry the estimate beyond 1; 40 samples."""
    at_the_end = 0
    for seed in range(40):
        items = mostly_one_stratum(6, seed)
        fitted = fit("AutoEval", items, np.random.default_rng(0))
        for found in evaluate(
            fitted, items, ["accuracy@0.5", "prevalence"], np.random.default_rng(0)
        ):
            assert 0 <= found.lower <= found.estimate <= found.upper <= 1
            assert found.lower < found.upper
            at_the_end += found.estimate in (0, 1)
    assert at_the_end


def test_an_interval_that_is_beyond_the_range_comes_into_it_with_its_width(monkeypatch):
    items = mostly_one_stratum(6, 0)
    monkeypatch.setattr(auto_eval, "designed_mean", lambda *data: (1.3, 1.2, 1.4, 0.05))
    fitted = fit("AutoEval", items, np.random.default_rng(0))
    (found,) = evaluate(fitted, items, ["accuracy@0.5"], np.random.default_rng(0))
    assert (found.estimate, found.lower, found.upper) == (1, pytest.approx(0.9), 1)


def test_too_few_labels_of_a_large_stratum_leave_no_interval():
    items = mostly_one_stratum(3, 0)
    fitted = fit("AutoEval", items, np.random.default_rng(0))
    for found in evaluate(fitted, items, ["accuracy@0.5", "prevalence"], np.random.default_rng(0)):
        assert 0 <= found.estimate <= 1
        assert found.notes == (Note("left_open"),)
        assert np.isnan([found.lower, found.upper]).all()


def test_labels_that_are_all_alike_leave_no_interval_of_a_population():
    """Though every item has one: the intervals are about new items."""
    items = make_items([0, 1, 2, 3] * 10, 3, 1, np.linspace(0, 1, 40))
    fitted = Fit("test", MeanPrediction({"A": items.scores["A"]}))
    (found,) = evaluate(fitted, items, ["prevalence"], np.random.default_rng(0))
    assert (found.estimate, found.notes) == (1, (Note("all_alike"),))
    assert np.isnan([found.lower, found.upper]).all()


def test_gold_for_all_leaves_the_classical_mean():
    items = items_with_scores(n_gold=600)
    fitted = Fit("test", MeanPrediction({"A": items.scores["A"]}))
    (found,) = evaluate(fitted, items, ["prevalence"], np.random.default_rng(0))
    p = items.gold.mean()
    assert found.estimate == pytest.approx(p)
    assert found.standard_error == pytest.approx(np.sqrt(p * (1 - p) / 600))


@pytest.mark.parametrize("method", ["AutoEval", "score-R", "votes-R", "logistic-R", "MAVEN-R"])
def test_without_gold_there_is_nothing_to_correct_by(method):
    items = make_items([0, 1, 2], 3, [1, NO_GOLD, NO_GOLD])
    with pytest.raises(InputError, match=f"{method} needs gold labels; there is 1"):
        fit(method, items, np.random.default_rng(0))
