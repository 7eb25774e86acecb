"""Intervals about the population that the items were drawn from, or about the items at hand."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from crowdgold.cli import main
from crowdgold.evaluation.questions import Settings, check_settings, what_intervals_are_about
from crowdgold.inference.design import SimpleRandom
from crowdgold.inference.estimate import Questions, View
from crowdgold.inference.labels import (
    GoldLabels,
    LabelPosterior,
    LabelPrediction,
    draw_times,
    resample,
)
from crowdgold.inference.rectified import ITEMS, POPULATION, Request, Streams
from crowdgold.methods.misfit import flag_misfit
from crowdgold.metrics.binary import parse_metric
from crowdgold.presentation.answers import OF_ITEMS, OF_POPULATION, assumptions_of
from crowdgold.presentation.doubts import find_doubts
from crowdgold.presentation.folder import read_study_folder
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD
from crowdgold.types.notes import codes
from unit.made_study import changed, make_study
from unit.reference import make_items
from unit.test_evaluate_command import EXAMPLE, files

TEXTS = ("prevalence", "TPR_H", "AUC", "recall@0.5")
ASKED = Questions(tuple(map(parse_metric, TEXTS)))
SHARE = Questions((parse_metric("prevalence"),))


def scored(n, rng, positive=0.4):
    """Items with three votes and a score that know something of the label."""
    truth = (rng.random(n) < positive).astype(np.int8)
    votes = rng.binomial(3, 0.2 + 0.5 * truth)
    return make_items(votes, 3, truth, {"m": rng.normal(truth, 1.0)}), truth


def fixed(chance, draws):
    return LabelPosterior(draws, lambda draw, model, rng: chance)


def drawn(labels, items, seed, asked=ASKED, target=POPULATION):
    """What a kind of labels says of the items, with random numbers by a seed."""
    request = Request(Streams.of(np.random.default_rng(seed)), 0.95, target)
    return labels.sample(View(items, "m"), asked, request)


def errors(sample, asked=ASKED):
    return np.array([one.standard_error for one in sample.estimates(asked.named, 0.95)])


def test_a_resample_is_multinomial():
    """Mean 1, variance 1 - 1/n and covariance -1/n of counts, within 5 errors of 20,000 draws."""
    rng, n, draws = np.random.default_rng(1), 5, 20_000
    times = np.array([draw_times(n, rng) for _ in range(draws)], dtype=float)
    assert (times.sum(axis=1) == n).all()
    one, other = (times - 1).T[:2]
    for product, expected in ((one, 0.0), (one**2, 1 - 1 / n), (one * other, -1 / n)):
        assert abs(product.mean() - expected) < 5 * product.std() / np.sqrt(draws)


def test_the_variance_of_a_population_is_that_of_the_items_and_of_sampling():
    """For a prevalence in closed form: v = sum p (1 - p) / N^2 for the items, (m - m^2 - v) / N, m
    the mean of p, for sampling; for the others that of resamples of one imputed table at a time. A
    variance of D draws is known to sqrt(2 / D): 5 of these, and of the difference of two such."""
    rng, n, draws, tables = np.random.default_rng(2), 150, 4000, 40
    items, _ = scored(n, rng)
    chance = rng.uniform(0.05, 0.8, n)
    of_items, whole = (drawn(fixed(chance, draws), items, 3, target=one)
                       for one in (ITEMS, POPULATION))  # fmt: skip
    inside, both = (one.values.var(axis=0, ddof=1) for one in (of_items, whole))
    labels, mean = (chance * (1 - chance)).sum() / n**2, chance.mean()
    expected = labels + (mean - mean**2 - labels) / n
    band = 5 * np.sqrt(2 / draws)
    assert (inside[0], both[0]) == pytest.approx((labels, expected), rel=band)
    sampling = np.zeros(len(TEXTS))
    for seed in range(tables):
        once = np.random.default_rng([4, seed])
        table = (once.random(n) < chance).astype(np.int8)
        again = resample(table, View(items, "m"), ASKED, once, 100, SimpleRandom(n))
        sampling += again.values.var(axis=0, ddof=1) / tables
    assert both == pytest.approx(inside + sampling, rel=1.5 * band)
    # The control: neither part is small beside the tolerance.
    assert (both * (1 - 1.5 * band) > np.maximum(inside, sampling)).all()
    # The estimate is that of the items, to the last digit.
    assert whole.point == pytest.approx(of_items.values.mean(axis=0))


def test_an_error_about_the_population_is_as_large_as_said():
    """Of 200 studies; within 4 standard errors of a variance, sqrt(2 / 200), and not the other."""
    rng, n, right, studies = np.random.default_rng(5), 200, 0.9, 200
    grid = np.linspace(0.005, 0.995, 199)
    wrong, said = np.empty((2, studies)), np.empty((2, studies))
    for study in range(studies):
        truth = rng.random(n) < 0.3
        vote = np.where(rng.random(n) < right, truth, ~truth)
        items = make_items(vote.astype(int), 1, 0, {"m": np.zeros(n)})
        seen = grid * right + (1 - grid) * (1 - right)
        fit = vote.sum() * np.log(seen) + (n - vote.sum()) * np.log(1 - seen)
        weight = np.exp(fit - fit.max())
        shares = rng.choice(grid, 60, p=weight / weight.sum())

        def chance(draw, model, rng, vote=vote, shares=shares):
            positive = shares[draw] * np.where(vote, right, 1 - right)
            return positive / (positive + (1 - shares[draw]) * np.where(vote, 1 - right, right))

        posterior = LabelPosterior(60, chance)
        for place, target in enumerate((ITEMS, POPULATION)):
            found = drawn(posterior, items, study, SHARE, target)
            (one,) = found.estimates(SHARE.named, 0.95)
            wrong[place, study] = one.estimate - (0.3 if place else truth.mean())
            said[place, study] = one.standard_error**2
    happened, expected = (wrong**2).mean(axis=1), said.mean(axis=1)
    band = 4 * np.sqrt(2 / studies)
    assert happened == pytest.approx(expected, rel=band)
    assert happened[0] < (1 - band) * expected[1]


def test_with_gold_on_every_item_a_population_interval_is_that_of_gold():
    """What gold corrects has exactly the error of gold alone, and none about the items; so has what
    is imputed, whose errors of 1,000 draws are known to 1 / sqrt(2000): the bound is 4 of these."""
    rng, n = np.random.default_rng(6), 400
    items, truth = scored(n, rng)
    gold, known = GoldLabels(truth), fixed(truth.astype(float), 1000)
    chance = np.clip(np.where(truth == 1, 0.8, 0.3) + rng.normal(0, 0.05, n), 0, 1)
    prediction = LabelPrediction({"m": chance})
    alone = errors(drawn(gold, items, 7))
    assert (alone > 0).all()
    for target, factor in ((POPULATION, 1.0), (ITEMS, 0.0)):
        expected = pytest.approx(factor * alone, rel=1e-9, abs=1e-12)
        assert errors(drawn(gold, items, 7, target=target)) == expected
        assert errors(drawn(prediction, items, 9, target=target)) == expected
        imputed = errors(drawn(known, items, 8, target=target))
        assert imputed == pytest.approx(factor * alone, rel=4 / np.sqrt(2000), abs=1e-12)


@pytest.mark.usefixtures("nothing_imagined", "nothing_expected")
def test_weights_count_in_what_a_prediction_contributes():
    """A prediction that is the truth leaves no error about the items, only where its items count as
    the labels do; of the population that of the weighted gold items at their share among all."""
    rng, n = np.random.default_rng(17), 600
    items, truth = scored(n, rng)
    gold = np.where(rng.permutation(n) < 200, truth, NO_GOLD).astype(np.int8)
    view = View(replace(items, gold=gold), "m", rng.choice([0.2, 3.0], n))
    for target, share in ((ITEMS, 0.0), (POPULATION, 1 / 3)):
        request = Request(Streams.of(np.random.default_rng(1)), 0.95, target)
        kinds = LabelPrediction({"m": truth.astype(float)}), GoldLabels(gold)
        found, alone = (errors(one.sample(view, ASKED, request)) for one in kinds)
        assert found == pytest.approx(np.sqrt(share) * alone, rel=1e-6, abs=1e-9)


def test_models_are_compared_on_the_same_resamples():
    """Two models with the same labels and ranking do not differ at all; on resamples of their own,
    the control, they do."""
    rng = np.random.default_rng(10)
    items, _ = scored(100, rng)
    posterior = fixed(rng.random(100), 30)
    one, other = drawn(posterior, items, 11), drawn(posterior, items, 11)
    assert (one.minus(other).values == 0).all()
    assert (one.minus(drawn(posterior, items, 12)).values[:, 0] != 0).any()


def test_what_has_no_value_in_any_draw_has_none():
    items, _ = scored(30, np.random.default_rng(13))
    found = drawn(fixed(np.zeros(30), 5), items, 14)
    said = [codes(one.notes) for one in found.estimates(ASKED.named, 0.9)]
    assert said == ["", *["no_value_of_draws"] * 3]


def test_an_estimate_that_equals_the_rectified_one_is_no_misfit():
    """Where all items have gold the error about them is 0, and rounding is no contradiction."""
    rows = [("logistic-R", 0.3, 0.0), ("MAVEN", 0.1 + 0.2, np.nan), ("DS", 0.31, np.nan)]
    table = pd.DataFrame(rows, columns=["method", "estimate", "standard_error"])
    table = table.assign(experiment="", replicate=0, metric="prevalence")
    assert flag_misfit(table, []).tolist()[1:] == [0.0, 1.0]


@pytest.mark.parametrize("about", ["population", "items"])
def test_what_intervals_are_about_is_said_wherever_they_are(about, tmp_path, capsys):
    out = tmp_path / "mine"
    asked = ["--methods", "GT", "--metrics", "prevalence", "--cores", "1", "--about", about]
    assert main(["evaluate", *files(EXAMPLE), "--out", str(out), *asked, "--report"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    study = json.loads((out / "study.json").read_text())
    (whole,) = study["strata"]
    assert study["settings"]["about"] == about
    assert whole["about"] == what_intervals_are_about(about, whole["items"])
    assert whole["about"] in said
    assert whole["about"] in (out / "report.html").read_text()
    assert ("not new ones" in whole["about"]) == (about == "items")


def test_assumptions_follow_the_setting():
    methods = ["logistic-R", "GT", "DS", "GT+MV"]
    population, items = (dict(assumptions_of(methods, one)) for one in ("population", "items"))
    assert all(text.endswith(OF_POPULATION) for text in [*population.values(), items["GT+MV"]])
    assert all(items[method].endswith(OF_ITEMS) for method in methods[:3])


def test_another_target_is_refused():
    with pytest.raises(InputError, match="about: found 'all', expected 'items' or 'population'"):
        check_settings(Settings(about="all"), [])


@pytest.mark.parametrize(
    ("about", "said"), [("population", "the population"), ("items", "these items")]
)
def test_the_doubt_about_weights_follows_the_setting(tmp_path, about, said):
    settings = read_study_folder(make_study(tmp_path, metrics=("AUC",))).summary["settings"]
    study = changed(tmp_path, weighted=True, settings={**settings, "about": about})
    (doubt,) = [one for one in find_doubts(study) if one.title == "Weights"]
    assert f"Items are weighted: the numbers are of {said}" in doubt.text
