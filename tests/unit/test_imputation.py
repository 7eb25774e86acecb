"""From fits to estimates: imputed labels, intervals, the bootstrap, and missing values."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from crowdgold.evaluation.questions import Settings, questions_of
from crowdgold.inference.design import sample_of_population
from crowdgold.inference.estimate import Questions, View
from crowdgold.inference.labels import (
    Fit,
    FixedLabels,
    LabelPosterior,
    draw_times,
    impute,
    resample,
)
from crowdgold.inference.labels import evaluate as evaluate_items
from crowdgold.inference.rectified import LABELS, NEW_ITEMS, Request, Streams
from crowdgold.methods.registry import fit
from crowdgold.metrics.binary import parse_metric
from crowdgold.metrics.metric import LabelMass, RankedItems
from crowdgold.models.majority import NO_LABEL
from crowdgold.simulate import simulate
from crowdgold.types.errors import InputError
from unit.reference import make_items


def evaluate(*given, **named):
    """Of the items at hand, as the draws say."""
    return evaluate_items(*given, target="items", **named)


def table(n, seed=0, predictors=("A",), gold=-1):
    rng = np.random.default_rng(seed)
    total = rng.integers(1, 5, n)
    scores = {name: rng.normal(size=n) for name in predictors}
    return make_items(rng.binomial(total, 0.4), total, gold, scores)


def fixed_posterior(probability, draws, **parameters):
    return Fit(
        "test", LabelPosterior(draws, lambda draw, name, rng: probability, parameters)
    )  # fmt: skip


def test_estimates_are_mean_and_central_interval_over_draws():
    """Of labels that are certain mean and ends are exact: of 40 draws, at places 4.1 and 36.9."""
    items = table(50)
    labels = np.random.default_rng(3).integers(0, 2, (40, 50))

    def probability(draw, name, rng):
        return labels[draw].astype(float)

    of_draws = Fit("test", LabelPosterior(40, probability))
    metrics = ["AUC", "TNR_H", "precision@0.5", "delta_TPR"]
    found = evaluate(of_draws, items, metrics, np.random.default_rng(0), level=0.8)
    ranked = RankedItems.of(items, "A")
    for estimate in found:
        metric = parse_metric(estimate.metric)
        values = [metric.value([LabelMass.of_labels(row)], [ranked]) for row in labels]
        expected = [np.mean(values), *np.interp([4.1, 36.9], range(1, 41), np.sort(values))]
        assert [estimate.estimate, estimate.lower, estimate.upper] == pytest.approx(expected)


def test_bootstrap_of_a_prevalence_has_the_binomial_error():
    """300 of 1,000 labels, p +- 1.96 sd, of 4,000 resamples: an end's error is 0.042 sd, 5 of them
    0.21 sd, the lattice's 1 / 1,000. Items without a label must not count: n would be 3,000.
    """
    items = table(3000)
    labels = np.full(3000, NO_LABEL)
    labels[:1000] = np.arange(1000) < 300
    (found,) = evaluate(
        Fit("test", FixedLabels(labels)), items, ["prevalence"], np.random.default_rng(7),
        resamples=4000,
    )  # fmt: skip
    sd = np.sqrt(0.3 * 0.7 / 1000)
    assert found.estimate == 0.3
    for end, sign in ((found.lower, -1), (found.upper, 1)):
        assert abs(end - (0.3 + sign * 1.96 * sd)) < 0.21 * sd + 1e-3
    assert found.upper - found.lower > 3 * sd


def test_resamples_without_a_class_are_counted_and_left_out():
    """By binomial 1e-6 bounds; of 1 positive among 6 gold items none is drawn with (5/6)^6."""
    gold = np.full(60, -1)
    gold[:6] = [1, 0, 0, 0, 0, 0]
    items = make_items(table(60).votes_positive, 4, gold, table(60).scores["A"])
    found = evaluate(
        fit("GT", items, np.random.default_rng(0)), items,
        ["AUC", "TPR_H", "delta_TPR", "prevalence"], np.random.default_rng(1), resamples=2000,
    )  # fmt: skip
    missing = (5 / 6) ** 6
    for estimate, chance in zip(found, (missing, missing, missing, 0.0), strict=True):
        low, high = binom.ppf([1e-6, 1 - 1e-6], 2000, chance) if chance else (0, 0)
        assert low <= round(estimate.undefined * 2000) <= high
        assert np.all(np.isfinite([estimate.estimate, estimate.lower, estimate.upper]))
    # Of imputed labels, P(Y = 1) = .1 on each of 2 items, .81 of the draws have no positive.
    p = np.where(np.arange(60) < 2, 0.1, 0.0)
    (one,) = evaluate(fixed_posterior(p, 2000), items, ["TPR_H"], np.random.default_rng(3))
    low, high = binom.ppf([1e-6, 1 - 1e-6], 2000, 0.81)
    assert low <= round(one.undefined * 2000) <= high
    assert 0 <= one.lower <= one.estimate <= one.upper <= 1


def test_a_metric_without_any_value_is_undefined_as_a_whole():
    """Gold, or imputed labels, of one class: undefined is 1, not a silent number."""
    items = table(40, gold=np.where(np.arange(40) < 5, 0, -1))
    rng = np.random.default_rng(1)
    area, prevalence = evaluate(
        fit("GT", items, rng), items, ["AUC", "prevalence"], rng, resamples=50
    )
    (never,) = evaluate(fixed_posterior(np.zeros(40), 20), items, ["AUC"], rng)
    assert area.undefined == never.undefined == 1
    assert np.isnan([area.estimate, area.lower, area.upper]).all()
    assert (prevalence.estimate, prevalence.undefined) == (0, 0)


def test_parameters_are_medians_and_unknown_ones_have_no_value():
    draws = np.random.default_rng(0).standard_cauchy(2001)
    fitted = fixed_posterior(np.full(30, 0.5), 5, **{"phi": draws, "mu:A": draws + 1})
    items = table(30, predictors=("A", "B"))
    phi, mu, at_a, at_b, d0 = evaluate(
        fitted, items, ["phi", "mu", "mu:A", "mu:B", "d0"], np.random.default_rng(0)
    )
    assert phi.estimate == np.median(draws)
    assert [phi.lower, phi.upper] == pytest.approx(
        np.interp([50.05, 1951.95], range(1, 2002), np.sort(draws))
    )
    assert mu.estimate == at_a.estimate == np.median(draws) + 1
    assert np.isnan(at_b.estimate)
    assert at_b.undefined == d0.undefined == 1
    with pytest.raises(InputError, match="no predictor 'C'"):
        evaluate(fitted, items, ["mu:C"], np.random.default_rng(0))


def test_label_probabilities_are_means_over_draws():
    items = table(4)

    def probability(draw, name, rng):
        return np.array([0.0, 0.25, 1.0, 0.5]) * (draw + 1) / 2

    view, rng = View(items, "A"), np.random.default_rng(0)
    found = LabelPosterior(2, probability).probabilities(view, rng)
    assert found == pytest.approx([0, 0.1875, 0.75, 0.375])
    found = FixedLabels(np.array([1, 0, NO_LABEL, 1])).probabilities(view, rng)
    assert found == pytest.approx([1, 0, np.nan, 1], nan_ok=True)


def test_resamples_of_known_labels_count_items_by_their_weights():
    """The mean over 400 resamples, within five standard errors; without weights it is 30 away."""
    items, labels = table(60, seed=4), (np.arange(60) % 3 == 0).astype(float)
    view = View(items, "A", np.where(labels == 1, 5.0, 1.0))
    asked, rng = Questions((parse_metric("prevalence"),)), np.random.default_rng(6)
    known = resample(labels, view, asked, rng, 400, sample_of_population(view))
    values = known.values[:, 0]
    error = values.std(ddof=1) / np.sqrt(len(values))
    assert abs(values.mean() - np.average(labels, weights=view.weights)) < 5 * error
    assert abs(labels.mean() - values.mean()) > 30 * error


PARAMETERS = {
    "n": 60, "phi": 0.4, "a0": 0.2, "a1": 0.7, "d0": 2.0, "d1": 2.0, "votes_total": 3,
    "n_gold": 10, "predictors": {"m": {"mu": 1.0, "delta": 1.0}},
}  # fmt: skip


def request(seed, target="items"):
    """Imputed labels are decided by a generator of this seed."""

    def make(role, predictor):
        return np.random.default_rng(seed if role == LABELS else 6)

    return Request(Streams(make), target=target)


@pytest.mark.parametrize("target", ["items", "population"])
@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_values_are_those_of_masses_item_by_item(weighted, clustered, target):
    """Many scores are tied. What is counted in bytes and in the order of the ranking is the same to
    the last bit as in fractions and the order of the table; labels in another order are not."""
    rng = np.random.default_rng(3)
    items = simulate("maven", PARAMETERS, rng).table
    items.scores["m"][:] = items.scores["m"].round()
    cluster = np.arange(60) // 3 if clustered else None
    weights, chance = rng.uniform(0.5, 2, 60) if weighted else None, rng.random((4, 60))
    questions = questions_of(Settings(thresholds={"": (1.0,)}), items, "m")
    view, asked = View(replace(items, cluster=cluster), "m", weights), request(5, target)
    found = impute(lambda draw, model, rng: chance[draw], 4, view, questions, asked)
    uniform, new_items, ranking = (
        asked.streams.make(LABELS, ""), asked.streams.make(NEW_ITEMS, ""), view.ranking()
    )  # fmt: skip
    for draw in range(4):
        labels, times = (uniform.random(60) < chance[draw]).astype(float), None
        if target == "population":
            times = draw_times(60, new_items, cluster).astype(float)
        expected = questions.values(view.mass(labels, times), ranking)
        assert np.array_equal(found.values[draw], expected, equal_nan=True)
    assert found.probability == pytest.approx(chance.mean(axis=0))
    other = questions.values(view.mass(labels[::-1], times), ranking)
    assert not np.allclose(found.values[3], other)


@pytest.mark.parametrize("shared", [True, False])
def test_models_share_the_uniforms_that_decide_labels(shared):
    """Chances differ by d: by one uniform an item the difference of two shares has the variance
    sum d (1 - d) / n^2; by uniforms of their own, the control, both shares' variances. To 5 errors.
    """
    rng, n, draws = np.random.default_rng(8), 60, 2000
    chance = {"a": rng.uniform(0.2, 0.6, n)}
    chance["b"] = chance["a"] + rng.uniform(0, 0.1, n)
    items = make_items(np.ones(n, dtype=int), 3, -1, {name: rng.random(n) for name in "ab"})
    asked = Questions((parse_metric("prevalence"),))
    shares = [
        impute(
            lambda draw, model, rng: chance[model], draws, View(items, name), asked, request(seed)
        ).values
        for name, seed in (("a", 1), ("b", 1 if shared else 2))
    ]
    apart = chance["b"] - chance["a"]
    together = (apart * (1 - apart)).sum() / n**2
    alone = sum((one * (1 - one)).sum() for one in chance.values()) / n**2
    assert alone > 5 * together
    found = (shares[1] - shares[0]).var(ddof=1)
    assert found == pytest.approx(together if shared else alone, rel=5 * np.sqrt(2 / draws))
