"""From fits to estimates: imputed labels, intervals, the bootstrap, and missing values."""

import numpy as np
import pytest
from scipy.stats import binom

from crowdgold.inference.clustered import sample_of_population
from crowdgold.inference.engine import evaluate as evaluate_items
from crowdgold.inference.labels import Fit, FixedLabels, LabelPosterior, impute, resample
from crowdgold.inference.questions import Questions, View
from crowdgold.inference.rectified import Request, Streams
from crowdgold.methods.registry import fit
from crowdgold.metrics.binary import parse_metric
from crowdgold.metrics.ranked import LabelMass, RankedItems
from crowdgold.models.majority import NO_LABEL
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
    """Of 1 positive among 6 gold items a resample has none with (5/6)^6, by binomial 1e-6 bounds.
    """
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


def test_a_metric_without_any_value_is_undefined_as_a_whole():
    """Gold of one class: AUC has no value, prevalence has; undefined is 1, not a silent number."""
    gold = np.where(np.arange(40) < 5, 0, -1)
    items = make_items(table(40).votes_positive, 4, gold, table(40).scores["A"])
    area, prevalence = evaluate(
        fit("GT", items, np.random.default_rng(0)), items, ["AUC", "prevalence"],
        np.random.default_rng(1), resamples=50,
    )  # fmt: skip
    assert area.undefined == 1
    assert np.isnan([area.estimate, area.lower, area.upper]).all()
    assert (prevalence.estimate, prevalence.undefined) == (0, 0)
    never = fixed_posterior(np.zeros(40), 20)
    (area,) = evaluate(never, items, ["AUC"], np.random.default_rng(1))
    assert area.undefined == 1


def test_draws_without_a_value_are_left_out_of_the_mean():
    """P(Y = 1) = 0.1 on each of 2 of 40 items: no positive in 0.81 of the draws."""
    items = table(40)
    p = np.where(np.arange(40) < 2, 0.1, 0.0)
    (found,) = evaluate(fixed_posterior(p, 2000), items, ["TPR_H"], np.random.default_rng(3))
    low, high = binom.ppf([1e-6, 1 - 1e-6], 2000, 0.81)
    assert low <= round(found.undefined * 2000) <= high
    assert 0 <= found.lower <= found.estimate <= found.upper <= 1


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


def weighted_view(n=60):
    """Items of which the positive ones count five times; prevalences with and without weights."""
    items = table(n, seed=4)
    labels = (np.arange(n) % 3 == 0).astype(float)
    weights = np.where(labels == 1, 5.0, 1.0)
    return View(items, "A", weights), labels, np.average(labels, weights=weights), labels.mean()


def test_resamples_count_items_by_their_weights():
    """The mean over 400 resamples, within five standard errors; without weights it is 30 away."""
    view, labels, weighted, plain = weighted_view()
    asked = Questions((parse_metric("prevalence"),))
    request = Request(Streams.of(np.random.default_rng(5)), target="population")
    imputed = impute(lambda draw, name, rng: labels, 400, view, asked, request)
    rng = np.random.default_rng(6)
    known = resample(labels, view, asked, rng, 400, sample_of_population(view))
    for found in (imputed, known):
        values = found.values[:, 0]
        error = values.std(ddof=1) / np.sqrt(len(values))
        assert abs(values.mean() - weighted) < 5 * error
        assert abs(plain - weighted) > 30 * error
    assert imputed.point == pytest.approx(weighted)
