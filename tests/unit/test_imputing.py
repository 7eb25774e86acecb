"""Imputed values: against label masses in the order of the table."""

from dataclasses import replace

import numpy as np
import pytest

from crowdgold.evaluation.questions import Settings, questions_of
from crowdgold.inference.labels import draw_times, impute
from crowdgold.inference.questions import Questions, View
from crowdgold.inference.rectified import LABELS, NEW_ITEMS, Request, Streams
from crowdgold.metrics.binary import parse_metric
from crowdgold.simulate import simulate
from unit.reference import make_items

PARAMETERS = {
    "n": 60, "phi": 0.4, "a0": 0.2, "a1": 0.7, "d0": 2.0, "d1": 2.0, "votes_total": 3,
    "n_gold": 10, "predictors": {"m": {"mu": 1.0, "delta": 1.0}},
}  # fmt: skip


def request(seed, target="items"):
    """Imputed labels are decided by a generator of this seed."""

    def make(role, predictor):
        return np.random.default_rng(seed if role == LABELS else 6)

    return Request(Streams(make), target=target)


def study(weighted):
    """Items of which many have tied scores, chances of 4 draws, weights, and all metrics asked."""
    rng = np.random.default_rng(3)
    items = simulate("maven", PARAMETERS, rng).table
    items.scores["m"][:] = items.scores["m"].round()
    weights = rng.uniform(0.5, 2, 60) if weighted else None
    chance = rng.random((4, 60))
    questions = questions_of(Settings(thresholds={"": (1.0,)}), items, "m")
    return View(items, "m", weights), chance, questions


@pytest.mark.parametrize("weighted", [False, True])
def test_values_are_those_of_the_labels_in_the_order_of_the_table(weighted):
    """Scores are rounded, so that many are tied; the same uniforms decide the labels."""
    ranked, chance, questions = study(weighted)
    found = impute(lambda draw, model, rng: chance[draw], 4, ranked, questions, request(5))
    uniform, ranking = np.random.default_rng(5), ranked.ranking()
    for draw in range(4):
        labels = (uniform.random(60) < chance[draw]).astype(float)
        assert found.values[draw] == pytest.approx(questions.values(ranked.mass(labels), ranking))
    assert found.probability == pytest.approx(chance.mean(axis=0))
    # The control: labels in another order have other values.
    other = questions.values(ranked.mass(labels[::-1]), ranking)
    assert not np.allclose(found.values[3], other)


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("weighted", [False, True])
def test_resampled_values_are_those_of_masses_item_by_item(weighted, clustered):
    """What is counted in bytes and in the order of the ranking is the same to the last bit."""
    ranked, chance, questions = study(weighted)
    cluster = np.arange(60) // 3 if clustered else None
    ranked = replace(ranked, items=replace(ranked.items, cluster=cluster))
    asked = request(5, "population")
    found = impute(lambda draw, model, rng: chance[draw], 4, ranked, questions, asked)
    uniform, new_items, ranking = (
        asked.streams.make(LABELS, ""), asked.streams.make(NEW_ITEMS, ""), ranked.ranking()
    )  # fmt: skip
    for draw in range(4):
        labels = (uniform.random(60) < chance[draw]).astype(float)
        times = draw_times(60, new_items, cluster).astype(float)
        expected = questions.values(ranked.mass(labels, times), ranking)
        assert np.array_equal(found.values[draw], expected, equal_nan=True)
    assert times.max() > 1
    other = questions.values(ranked.mass(labels, times[::-1]), ranking)
    assert not np.allclose(found.values[3], other)


@pytest.mark.parametrize("shared", [True, False])
def test_models_share_the_uniforms_that_decide_labels(shared):
    """Chances differ by d: by one uniform an item the difference of two shares has the variance sum
    d (1 - d) / n^2; by uniforms of their own, the control, both shares' variances. 5 standard
    errors.
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
