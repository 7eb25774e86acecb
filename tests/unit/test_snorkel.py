"""Snorkel's label model: what it is given, what is made of its probabilities, and without it.

A stand-in with the package's interface does the arithmetic of known accuracies, so that all but the
package itself is tested where it is not installed; the last test takes the package where it is.
"""

import importlib.util
import sys
from types import ModuleType

import numpy as np
import pandas as pd
import pytest

from crowdgold.experiment import plan
from crowdgold.inference.agents import evaluate_annotations
from crowdgold.inference.labels import ProbableLabels
from crowdgold.methods.registry import fit
from crowdgold.models import snorkel_labels
from crowdgold.models.clara.labelling import LabelsSoFar
from crowdgold.papers.clara import experiments as labelling_frontier
from crowdgold.planning.labelling import majority_when_confident
from crowdgold.simulate import simulate
from crowdgold.types.annotations import annotations_from_frame
from crowdgold.types.errors import InputError

ACCURACY = 0.8
FRONTIER = {
    "n": 200, "n_train": 200, "prevalence": 0.2, "design": "all", "n_reviewers": 3, "n_labels": 3,
    "tpr": 0.8, "tnr": 0.8, "warmup": 20, "draws": 50, "lag": 1, "snorkel": True,
    "threshold_step": 0.25,
}  # fmt: skip


class StandIn:
    """Categories equally frequent, all annotators right with `ACCURACY`."""

    def __init__(self, cardinality, verbose):
        self.cardinality = cardinality

    def fit(self, labels, seed, progress_bar):
        self.seed = seed

    def predict_proba(self, labels):
        weight = np.ones((len(labels), self.cardinality))
        for k in range(self.cardinality):
            right, given = labels == k, labels != snorkel_labels.ABSTAIN
            weight[:, k] = np.where(given, np.where(right, ACCURACY, 1 - ACCURACY), 1).prod(axis=1)
        return weight / weight.sum(axis=1, keepdims=True)


@pytest.fixture
def installed(monkeypatch):
    for name in ("snorkel", "snorkel.labeling", "snorkel.labeling.model"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    sys.modules["snorkel.labeling.model"].LabelModel = StandIn
    monkeypatch.setattr(snorkel_labels, "is_installed", lambda: True)
    monkeypatch.setattr(labelling_frontier, "is_installed", lambda: True)


@pytest.fixture
def absent(monkeypatch):
    find = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == "snorkel" else find(name)
    )


def rng(seed=1):
    return np.random.default_rng(seed)


def table(rows=(("a", "R1", 0), ("a", "R2", 1), ("b", "R3", 1), ("c", "R1", 1), ("c", "R2", 1))):
    frame = pd.DataFrame(rows, columns=["item", "annotator", "label"]).astype(str)
    return annotations_from_frame(frame, ["0", "1"])


def test_labels_are_laid_out_with_abstentions():
    assert snorkel_labels.label_matrix(table()).tolist() == [[0, 1, -1], [-1, -1, 1], [1, 1, -1]]
    assert snorkel_labels.label_matrix(table(), 1).tolist() == [
        [0, -1, -1], [-1, -1, 1], [1, -1, -1],
    ]  # fmt: skip


def test_probabilities_follow_the_labels_as_they_come():
    """After one label .8, after two that agree .64 / .68, after two that differ a half."""
    model, labels = StandIn(2, False), table()
    after = snorkel_labels.probabilities_by_label(model, labels)[:, 1]
    np.testing.assert_allclose(after, [0.2, 0.5, 0.8, 0.8, 0.64 / 0.68])


def test_the_prevalence_is_the_mean_probability_with_its_bootstrap(installed):
    """The interval against resampling item by item: ends within 5 Monte Carlo errors of a
    quantile, of 2,000 resamples each; the share of positive labels, a control, is elsewhere."""
    drawn = simulate(
        "clara", {"n": 300, "prevalence": 0.2, "n_reviewers": 3, "tpr": 0.8, "tnr": 0.8}, rng()
    ).table
    fitted = fit("Snorkel", drawn, rng())
    assert isinstance(fitted.labels, ProbableLabels)
    (found,) = evaluate_annotations(fitted, drawn, ["prevalence"], rng(), 0.9, 2000)
    positive = fitted.labels.probability[:, 1]
    assert found.estimate == pytest.approx(positive.mean())
    means = rng(2).choice(positive, (2000, len(positive))).mean(axis=1)
    # The density of a normal distribution at its 5 % quantile is .103 / deviation.
    error = np.sqrt(2 * 0.05 * 0.95 / 2000) * means.std() / 0.103
    assert abs(found.lower - np.quantile(means, 0.05)) < 5 * error
    assert abs(found.upper - np.quantile(means, 0.95)) < 5 * error
    assert abs((fitted.labels.labels == 1).mean() - found.estimate) > 5 * error


def test_the_majority_decides_where_the_confidence_is_reached():
    labels = table((("a", "R1", 0), ("a", "R2", 1), ("a", "R3", 1), ("b", "R1", 1), ("b", "R2", 1)))
    so_far = LabelsSoFar(
        np.array([0, 3, 5]), np.array([[0.6, 0.4], [0.5, 0.5], [0.3, 0.7], [0.1, 0.9], [0, 1]])
    )
    for threshold, used, final in ((0.55, [1, 1], [0, 1]), (0.65, [3, 1], [1, 1])):
        done = majority_when_confident(labels, so_far, threshold)
        assert done.used.tolist() == used
        assert done.final.tolist() == final


def test_the_other_policies_are_the_same_with_snorkel(installed):
    """Its own reaches the majority of all labels at the largest threshold, as in the paper."""
    rows = labelling_frontier.compute_labelling_frontier(FRONTIER, rng())
    without = labelling_frontier.compute_labelling_frontier(FRONTIER | {"snorkel": False}, rng())
    own = rows["policy"] == "Snorkel"
    assert own.sum() == 3
    pd.testing.assert_frame_equal(rows[~own].reset_index(drop=True), without)
    last = rows[own].iloc[-1]
    assert last["share_of_labels"] == 1
    assert last["accuracy"] == rows.loc[rows["policy"] == "tie-breaking", "accuracy"].item()


def test_without_the_package_it_is_left_out_or_says_so(absent):
    rows = labelling_frontier.compute_labelling_frontier(FRONTIER, rng())
    assert "Snorkel" not in set(rows["policy"])
    with pytest.raises(InputError, match="make snorkel"):
        fit("Snorkel", table(), rng())
    policy = {"computation": "labelling_frontier", "paper": "CLARA", "replicates": 1}
    block = {"simulator": "clara", "methods": ["CLARA", "Snorkel"], "replicates": 1}
    experiments = {
        "with": {**policy, "parameters": FRONTIER},
        "never": {**policy, "parameters": FRONTIER | {"snorkel": False}},
        "fits": block,
    }
    figures = {name: {"experiments": [name]} for name in experiments}
    config = {"seed": 1, "experiments": experiments, "figures": figures}
    assert plan.data_task(config, "with", "only", "0-0")["missing"] == ["snorkel"]
    assert "missing" not in plan.data_task(config, "never", "only", "0-0")
    assert [plan.can_run(config, name) for name in experiments] == [True, True, False]
    lacking = [plan.figure_without(config, name) for name in figures]
    assert lacking == [{"snorkel": True}, {}, {"snorkel": False}]


def test_two_annotators_are_too_few(installed):
    with pytest.raises(InputError, match="found 2 annotators, expected 3 or more"):
        fit("Snorkel", table((("a", "R1", 0), ("a", "R2", 1))), rng())


@pytest.mark.skipif(not snorkel_labels.is_installed(), reason="make snorkel installs it")
def test_the_package_tells_good_annotators_from_bad_ones():
    """Its labels are better than the majority's where three of five annotators guess."""
    rates = [0.95, 0.95, 0.5, 0.5, 0.5]
    parameters = {
        "n": 1500, "prevalence": 0.5, "design": "all", "n_labels": 5, "n_reviewers": 5,
        "rater_types": rates,
    }  # fmt: skip
    drawn = simulate("clara", parameters, rng()).table
    right = {
        name: (fit(name, drawn, rng()).labels.labels == drawn.truth).mean()
        for name in ("MV", "Snorkel")
    }
    error = np.sqrt(0.25 / 1500)
    assert right["Snorkel"] > right["MV"] + 5 * error
