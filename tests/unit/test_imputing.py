"""Imputed values of a user's study: against label masses in the order of the table."""

import numpy as np
import pytest

from crowdgold.estimators import LabelPosterior
from crowdgold.evaluation.own_study.imputing import Ranked, impute
from crowdgold.evaluation.own_study.questions import Settings, questions_of
from crowdgold.simulate import simulate

PARAMETERS = {
    "n": 60, "phi": 0.4, "a0": 0.2, "a1": 0.7, "d0": 2.0, "d1": 2.0, "votes_total": 3,
    "n_gold": 10, "predictors": {"m": {"mu": 1.0, "delta": 1.0}},
}  # fmt: skip


@pytest.mark.parametrize("weighted", [False, True])
def test_values_are_those_of_the_labels_in_the_order_of_the_table(weighted):
    """Scores are rounded, so that many are tied; the same uniforms decide the labels."""
    rng = np.random.default_rng(3)
    items = simulate("maven", PARAMETERS, rng).table
    items.scores["m"][:] = items.scores["m"].round()
    weights = rng.uniform(0.5, 2, 60) if weighted else None
    chance = rng.random((4, 60))
    posterior = LabelPosterior(4, lambda draw, model, rng: chance[draw], {})
    questions = questions_of(Settings(thresholds={"": (1.0,)}), items, "m")
    ranked = Ranked(items, "m", weights)
    streams = np.random.default_rng(5), np.random.default_rng(6)
    found, mean = impute(posterior, questions, ranked, *streams)
    uniform, ranking = np.random.default_rng(5), ranked.ranking()
    for draw in range(4):
        labels = (uniform.random(60) < chance[draw]).astype(float)
        assert found.values[draw] == pytest.approx(questions.values(ranked.mass(labels), ranking))
    assert mean == pytest.approx(chance.mean(axis=0))
    # The control: labels in another order have other values.
    other = questions.values(ranked.mass(labels[::-1]), ranking)
    assert not np.allclose(found.values[3], other)
