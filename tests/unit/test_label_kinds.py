"""A new kind of what methods give is one class: every door takes one that nothing knows of."""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from crowdgold.evaluation.questions import Settings
from crowdgold.evaluation.study import evaluate_study
from crowdgold.experiment.drawing import simulate_block
from crowdgold.experiment.estimating import estimate_block
from crowdgold.inference.agents import evaluate_agents, evaluate_annotations
from crowdgold.inference.estimate import Draws, Estimate
from crowdgold.inference.labels import Fit, Labels, LevelPosterior, evaluate
from crowdgold.methods import registry
from crowdgold.methods.method import MODEL, Method, Offer
from crowdgold.methods.registry import METHODS, fit
from crowdgold.models.stan import StanModels
from crowdgold.reading.study import Study
from crowdgold.types.annotations import annotations_from_frame
from crowdgold.types.errors import InputError
from unit.test_evaluate_study import simulated

NAME = "two-coders"


@dataclass(frozen=True)
class TwoCoders(Labels):
    """Labels of two coders, each of whom is right with one half: a kind that nothing knows of."""

    first: np.ndarray
    second: np.ndarray

    def sample(self, view, questions, request):
        masses = [view.mass(labels) for labels in (self.first, self.second)]
        ranked = view.ranking()
        return Draws(np.array([questions.values(mass, ranked) for mass in masses]))

    def take(self, rows):
        return TwoCoders(self.first[rows], self.second[rows])

    def probabilities(self, view, rng):
        return (self.first + self.second) / 2

    def rates_of_annotators(self, annotations, metric, rng, level, resamples):
        rates = [np.mean(labels) for labels in (self.first, self.second)]
        return [Estimate.of_draws(metric.text, np.array(rates), level)]

    def level_shares(self, categories):
        return np.eye(categories)[[self.first, self.second]].mean(axis=0)

    @property
    def levels(self):
        sure = np.stack([np.eye(2)])
        return LevelPosterior(self.level_shares(2), hard=False, confusion=sure)


def of_items(items, rng, settings, run):
    return Fit("", TwoCoders(items.truth, (items.votes_positive > 1).astype(np.int8)))


def of_labels(annotations, rng, settings, run):
    votes = annotations.votes()
    return Fit("", TwoCoders(annotations.truth, votes.argmax(axis=1)))


@pytest.fixture
def registered(monkeypatch):
    """A method that gives the kind."""
    offer = Offer("its own use", "That its coders are right.", (MODEL,))
    method = Method(name=NAME, title="t", of_items=of_items, of_labels=of_labels, offer=offer)
    monkeypatch.setitem(registry.METHODS, NAME, method)
    assert NAME in METHODS


def rng():
    return np.random.default_rng(1)


def prevalence(items):
    return (items.truth.mean() + (items.votes_positive > 1).mean()) / 2


def test_metrics_and_differences_of_models_are_estimated_from_it(registered):
    items = simulated()
    found = evaluate(fit(NAME, items, rng()), items, ["prevalence", "delta_AUC"], rng())
    assert found[0].estimate == pytest.approx(prevalence(items))
    assert np.isfinite([found[1].estimate, found[1].lower]).all()


def test_a_users_study_is_evaluated_with_it(registered):
    items = simulated()
    asked = Settings(methods=("GT", NAME), metrics=("prevalence",))
    rows = evaluate_study(Study(items), asked, StanModels()).tables["estimates"]
    own = rows[(rows["method"] == NAME) & (rows["metric"] == "prevalence")]
    assert own["estimate"].to_numpy() == pytest.approx(prevalence(items))


def test_annotators_agents_and_responses_are_judged_from_it(registered):
    rows = [(f"i{k}", "ab"[k % 2], "R", str(int(k > 2)), str(k % 2)) for k in range(6)]
    columns = ["item", "agent", "annotator", "label", "truth"]
    frame = pd.DataFrame(rows, columns=columns)
    table = annotations_from_frame(frame.drop(columns="truth"))
    truth = frame["truth"].astype(int).to_numpy()
    table = type(table)(**{**vars(table), "truth": truth})
    fitted = fit(NAME, table, rng())
    (rate,) = evaluate_annotations(fitted, table, ["prevalence"], rng(), 0.9, 0)
    assert rate.estimate == pytest.approx(0.5)
    metrics = ["score:each", "accuracy:each", "ambiguous"]
    first, second, accuracy, unsure = evaluate_agents(fitted, table, metrics, rng(), 0.9, 20)
    assert [first.agent, second.agent] == ["a", "b"]
    assert second.estimate > first.estimate
    assert accuracy.estimate == 1
    assert unsure.estimate == pytest.approx(2 / 6)


def test_an_experiment_compares_it(registered, tmp_path):
    values = {"n": 50, "phi": 0.3, "a0": 0.2, "a1": 0.8, "d0": 3, "d1": 3, "votes_total": 3}
    given = {**values, "n_gold": 20, "predictors": {"A": {"mu": 1, "delta": 1}}}
    task = {
        "seed": 1, "paper": "MAVEN", "experiment": "e", "simulator": "maven",
        "settings": [{"name": "only", "axes": {}, "parameters": given}], "replicates": [0, 1],
        "methods": {NAME: {}, "GT": {}}, "metrics": ["AUC", "prevalence"], "bootstrap": 0,
        "level": 0.95, "target": "population",
    }  # fmt: skip
    simulate_block(task, tmp_path / "data.parquet", {})
    rows, _ = estimate_block(task, tmp_path / "data.parquet", StanModels(), "1")
    assert (rows["method"] == NAME).sum() == 4
    assert rows.loc[rows["method"] == NAME, "estimate"].notna().all()


def test_a_kind_that_says_nothing_of_a_question_is_refused_with_the_methods_name():
    silent = Fit("silent", Labels())
    with pytest.raises(InputError, match="silent: gives nothing that these metrics are made of"):
        evaluate(silent, simulated(), ["AUC"], rng())
    with pytest.raises(InputError, match="gives nothing"):
        silent.labels.predictions(simulated(), rng(), 1)
    assert silent.labels.levels is None
