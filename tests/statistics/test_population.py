"""The true values of a population: those of a simulator's process, and of a whole dataset."""

import numpy as np
import pytest
from scipy.stats import norm

from crowdgold.experiment import population
from crowdgold.experiment.data_tables import DataTable, write_replicates
from crowdgold.experiment.drawing import drawn_replicates
from crowdgold.experiment.estimating import true_values
from crowdgold.experiment.plan import data_task, target_of
from crowdgold.metrics.binary import true_value
from crowdgold.types.errors import InputError

BINORMAL = {
    "n": 500,
    "n_gold": 20,
    "phi": 0.2,
    "right_positive": 0.7,
    "right_negative": 0.9,
    "votes_total": 3,
    "predictors": {
        "A": {"mu": 1.5, "spread": 1.0, "spread_positive": 2.0},
        "B": {"mu": 0.5},
    },
}
METRICS = ["prevalence", "TPR_H", "TNR_H", "AUC", "delta_AUC", "accuracy@1", "recall@1"]


def config(truth_of="population", vary=None, **changes):
    block = {
        "paper": "Answer",
        "title": "binormal",
        "simulator": "shared_difficulty",
        "parameters": {**BINORMAL, "truth_of": truth_of, **changes},
        "vary": vary or {},
        "methods": ["GT", "votes-R"],
        "metrics": METRICS,
        "replicates": 2,
    }
    return {
        "seed": 5,
        "experiments": {"binormal": block},
        "methods": {},
        "imputations": 10,
        "sampler": {},
    }


def drawn_of(whole):
    return list(drawn_replicates(data_task(whole, "binormal", "all", "0-1"), None))


def binormal():
    """The metrics of two normals, mu and spread (0, 1) and (1.5, 2)."""
    recall = norm.sf(1, 1.5, 2)
    auc = norm.cdf(1.5 / np.sqrt(5))
    return {
        "prevalence": 0.2,
        "TPR_H": 0.7,
        "TNR_H": 0.9,
        "AUC": auc,
        "delta_AUC": auc - norm.cdf(0.5 / np.sqrt(2)),
        "accuracy@1": 0.2 * recall + 0.8 * norm.cdf(1),
        "recall@1": recall,
    }


def test_the_truth_is_that_of_the_process():
    """Every metric within 5 of its own Monte Carlo errors, of 10 pieces, and these below 0.003."""
    found = drawn_of(config())
    for _, _, drawn in found:
        truths = true_values(METRICS, drawn)
        for metric, expected in binormal().items():
            value, error = drawn.population[metric]
            assert truths[metric, ""] == value
            assert 0 < error < 0.003
            assert abs(value - expected) < 5 * error


def test_it_is_the_same_for_every_replicate_and_every_size(monkeypatch):
    """And another where the process is: settings of another base rate have their own."""
    monkeypatch.setattr(population, "ITEMS_OF_PIECE", 2_000)
    vary = {"n_gold": [20, 50], "phi": [0.2, 0.4]}
    by_setting = {}
    for name, _, drawn in drawn_of(config(vary=vary)):
        by_setting.setdefault(name, []).append(true_values(METRICS, drawn))
    assert all(first == second for first, second in by_setting.values())
    assert by_setting["n_gold=20,phi=0.2"] == by_setting["n_gold=50,phi=0.2"]
    gap = [by_setting[f"n_gold=20,phi={phi}"][0]["prevalence", ""] for phi in (0.2, 0.4)]
    assert gap[1] - gap[0] == pytest.approx(0.2, abs=0.03)


def test_without_it_the_truth_is_the_replicates_own():
    for _, _, drawn in drawn_of(config("items")):
        assert drawn.population == {}
        assert true_values(["AUC"], drawn)["AUC", ""] == true_value("AUC", drawn.table)


def test_the_replicates_are_the_same_whatever_the_truth_is_of():
    for (_, _, one), (_, _, other) in zip(
        drawn_of(config()), drawn_of(config("items")), strict=True
    ):
        np.testing.assert_array_equal(one.table.scores["A"], other.table.scores["A"])
        np.testing.assert_array_equal(one.table.gold, other.table.gold)


def test_a_data_table_keeps_it(tmp_path, monkeypatch):
    monkeypatch.setattr(population, "ITEMS_OF_PIECE", 1_000)
    drawn = drawn_of(config())
    write_replicates(tmp_path / "table.parquet", drawn, {"code_version": "x"})
    name, number, one = drawn[1]
    found = DataTable(tmp_path / "table.parquet").replicate(name, number)
    assert true_values(METRICS, found) == true_values(METRICS, one)


def test_of_a_dataset_it_is_that_of_all_items(monkeypatch):
    from crowdgold import datasets
    from crowdgold.simulate import simulate

    whole = simulate("shared_difficulty", {**BINORMAL, "n": 3_000}, np.random.default_rng(1)).table

    class Source:
        @staticmethod
        def draw_task(frame, parameters, rng):
            return whole

    monkeypatch.setitem(datasets.DATASETS, "made", Source)
    parameters = {"n": 500, "n_gold": 20, "truth_of": "population"}
    task = {
        "seed": 5,
        "experiment": "made",
        "dataset": "made",
        "metrics": METRICS,
        "settings": [{"name": "only", "axes": {}, "parameters": parameters}],
        "replicates": [0],
    }
    ((_, _, drawn),) = drawn_replicates(task, object())
    assert len(drawn.table) == 500
    for metric in METRICS:
        assert true_values([metric], drawn)[metric, ""] == true_value(metric, whole)


def test_intervals_are_about_what_the_truth_is_of():
    targets = {}
    for truth_of in ("population", "items", "left_over", None):
        block = config(truth_of)["experiments"]["binormal"]
        if truth_of is None:
            del block["parameters"]["truth_of"]
        targets[truth_of] = target_of(block)
    assert targets == {
        "population": "population",
        "items": "items",
        "left_over": "population",
        None: "items",
    }


def test_what_has_no_population_is_named(monkeypatch):
    monkeypatch.setattr(population, "ITEMS_OF_PIECE", 50)
    rare = config(phi=1e-9)
    rare["experiments"]["binormal"]["metrics"] = ["recall@1", "AUC", "prevalence"]
    with pytest.raises(InputError, match="population: recall@1, AUC have no value"):
        drawn_of(rare)
