"""MAVEN on scores of few values: the AUC that they have, whatever the order of the rows."""

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from crowdgold.methods.registry import fit
from unit.reference import Theta, algorithm_1, make_items

THETA = Theta(0.3, (0.2, 0.6), (1.5, 1.5), 1.5, 1.0)
SETTINGS = {"sampler": {"chains": 2, "warmup": 300, "draws": 100}, "imputations": 50}
VALUES = {
    "untied": lambda score: score,
    "one to five": lambda score: np.clip(score.round() + 2, 1, 5),
    "two values": lambda score: (score > 1).astype(float),
    "many zeros": lambda score: np.maximum(score, 1.0),
}


def area(scores, labels):
    """The area under the curve, a tie counted half."""
    won = mannwhitneyu(scores[labels == 1], scores[labels == 0], method="asymptotic").statistic
    return won / ((labels == 1).sum() * (labels == 0).sum())


def fitted(name, items, stan, settings=SETTINGS):
    return fit(name, items, np.random.default_rng(10), settings, stan).labels


def areas(labels, items):
    rng, label_rng = np.random.default_rng(2), np.random.default_rng(3)
    found = []
    for draw in range(labels.draws):
        chance = labels.probability(draw, "A", rng)
        imputed = (label_rng.random(len(items)) < chance).astype(int)
        found.append(area(items.scores["A"], imputed))
    return np.array(found)


def cut(name, items):
    scores = VALUES[name](items.scores["A"])
    return make_items(items.votes_positive, 3, items.gold, scores, truth=items.truth)


@pytest.mark.parametrize("method", ["MAVEN-C", "MAVEN"])
def test_the_area_of_few_values_is_estimated_as_well_as_that_of_many(stan, method):
    """Over 5 tables of 2,000 items with 200 gold labels, whose posterior deviation is 0.02.

    Errors are within 3 such deviations. They share votes, labels and utilities with those of untied
    scores: their mean differs from that of untied scores by 0.015 at most, and that of five values
    by 0.01. The AUC of the uncut scores is not what two values estimate.
    """
    errors, uncut = {name: [] for name in VALUES}, []
    for seed in range(5):
        items = algorithm_1(THETA, 2000, 3, 200, np.random.default_rng([seed, 1]))
        for name in VALUES:
            table = cut(name, items)
            found = areas(fitted(method, table, stan), table).mean()
            errors[name].append(found - area(table.scores["A"], items.truth))
            if name == "two values":
                uncut.append(found - area(items.scores["A"], items.truth))
    mean = {name: np.mean(values) for name, values in errors.items()}
    for name in VALUES:
        assert np.abs(errors[name]).max() < 0.06
        assert abs(mean[name] - mean["untied"]) < (0.01 if name == "one to five" else 0.015)
    assert abs(np.mean(uncut)) > 0.05


@pytest.mark.parametrize("method", ["MAVEN-C", "MAVEN"])
@pytest.mark.parametrize("name", ["one to five", "two values", "many zeros"])
def test_the_order_of_rows_changes_no_probability_of_tied_scores(stan, method, name):
    """Nor any parameter: bit for bit, whether or not some scores are of one item each."""
    items = cut(name, algorithm_1(THETA, 500, 3, 80, np.random.default_rng(4)))
    rows = np.random.default_rng(5).permutation(len(items))
    one, other = (fitted(method, table, stan) for table in (items, items.take(rows)))
    for parameter, draws in one.parameters.items():
        assert np.array_equal(draws, other.parameters[parameter])
    for draw in range(3):
        chance, of_rows = (x.probability(draw, "A", np.random.default_rng(6)) for x in (one, other))
        assert np.array_equal(chance[rows], of_rows)


def test_nested_fits_of_scores_with_many_ties_are_drawn_exactly_and_say_so(stan):
    items = cut("two values", algorithm_1(THETA, 500, 3, 80, np.random.default_rng(4)))
    found = fit("MAVEN", items, np.random.default_rng(1), {**SETTINGS, "cut": "nested"}, stan)
    exact = fit("MAVEN", items, np.random.default_rng(1), {**SETTINGS, "cut": "exact"}, stan)
    assert "score model of A: many equal scores" in found.diagnostics.message
    assert "equal scores" not in exact.diagnostics.message
    assert np.array_equal(found.labels.parameters["mu:A"], exact.labels.parameters["mu:A"])
