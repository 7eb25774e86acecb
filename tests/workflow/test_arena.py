"""Every method in one world: what cannot be fitted says why."""

import itertools

import pytest

from crowdgold.datasets import DATASETS
from crowdgold.experiment import plan
from crowdgold.experiment.drawing import drawn_replicates, simulate_block
from crowdgold.experiment.estimating import estimate_block
from crowdgold.methods import registry
from crowdgold.models.stan import StanModels

from .conftest import Checkout
from .test_configuration import BASE

REVIEWERS = {"n": 80, "prevalence": 0.4, "n_reviewers": 6, "tpr": 0.8, "tnr": 0.9}
METHODS = ["MV", "GT", "CLARA", "PEC", "Rogan-Gladen", "AutoEval", "ORACLE", "votes-R"]


def arena():
    return {name: one for name, one in BASE["experiments"].items() if one["paper"] == "Arena"}


def whole(**changes):
    block = {
        "paper": "Arena", "title": "t", "simulator": "clara", "parameters": REVIEWERS,
        "as_items": {"n_gold": 40}, "methods": METHODS, "inapplicable": "explain",
        "method_settings": {"CLARA": {"chains": 2, "warmup": 10, "draws": 20}},
        "metrics": ["prevalence", "TPR_H"], "replicates": 2,
    }  # fmt: skip
    return {
        "seed": 1, "experiments": {"e": {**block, **changes}}, "methods": {}, "imputations": 9,
        "bootstrap": 20, "level": 0.9,
    }  # fmt: skip


def run(folder, config):
    task = plan.experiment_task(config, "e")
    simulate_block(task, folder / "data.parquet", {})
    rows, _ = estimate_block(task, folder / "data.parquet", StanModels(), "version")
    return dict(iter(rows.groupby(["method", "metric"])))


def test_a_method_that_cannot_be_fitted_says_why_and_the_others_are(tmp_path):
    """Where an experiment does not ask for reasons, the same world ends with an error."""
    found = run(tmp_path, config := whole())
    for method, metric in itertools.product(METHODS, ("prevalence", "TPR_H")):
        own = found[method, metric]
        assert len(own) == 2
        assert own["truth"].notna().all()
        assert (own["estimate"].isna() == (own["note"] != "")).all()
    no_scores = {"it needs scores of a model; there are none"}
    assert set(found["AutoEval", "prevalence"]["note"]) == no_scores
    assert "P(Y | V)" in found["ORACLE", "TPR_H"]["note"].iloc[0]
    assert set(found["Rogan-Gladen", "TPR_H"]["note"]) == {"it estimates prevalence only"}
    for method in ("MV", "GT", "CLARA", "PEC", "Rogan-Gladen", "votes-R"):
        assert found[method, "prevalence"]["estimate"].notna().all(), method
    del config["experiments"]["e"]["inapplicable"]
    with pytest.raises(ValueError, match="scores"):
        run(tmp_path, config)


def test_experts_who_err_give_gold_and_no_truth(tmp_path):
    """The truth is that of the same experiment with gold that is true; only one method corrects."""
    methods, parameters = ["GT", "logistic-R", "logistic-E", "votes-R"], {**REVIEWERS, "n": 600}
    common = {"methods": methods, "parameters": parameters, "as_items": {"n_gold": 300}}
    erring = run(tmp_path / "one", whole(**common, experts={"error": 0.2}))
    right = run(tmp_path / "two", whole(**common))
    for method in methods[:2]:
        one, other = erring[method, "prevalence"], right[method, "prevalence"]
        assert list(one["truth"]) == list(other["truth"])
        assert (one["estimate"].to_numpy() != other["estimate"].to_numpy()).all()
    assert erring["logistic-E", "prevalence"]["estimate"].notna().all()
    (reason,) = set(right["logistic-E", "prevalence"]["note"])
    assert reason.startswith("it needs to know how often experts err")


def test_experts_err_together_and_are_asked_at_random_where_an_experiment_says_so():
    """Of shared errors a second expert finds none: the first two differ on fewer items."""
    config = whole(parameters={**REVIEWERS, "n": 3000}, as_items={"n_gold": 3000}, replicates=1)
    differ = {}
    for shared in (0.0, 1.0):
        experts = {"error": 0.2, "shared": shared, "second": "random"}
        config["experiments"]["e"]["experts"] = experts
        task = plan.data_task(config, "e", plan.ALL, "0-0")
        ((_, _, drawn),) = drawn_replicates(task, None)
        labels = drawn.table.opinions.labels
        asked = labels[:, 1] >= 0
        assert asked.mean() == pytest.approx(1 / 3, abs=0.05)
        assert (labels[:, 0] != drawn.table.truth).mean() == pytest.approx(0.2, abs=0.03)
        differ[shared] = (labels[asked, 0] != labels[asked, 1]).mean()
        assert drawn.reference is drawn.table
    assert differ[1.0] == 0 < differ[0.0]


def test_a_package_that_is_not_there_stops_only_what_does_not_explain():
    for block, can in ((whole(), True), (whole(inapplicable="refuse"), False)):
        block["experiments"]["e"]["methods"] = ["Snorkel"]
        if plan.missing_packages(block, "e"):
            assert plan.can_run(block, "e") is can


def test_the_arena_has_few_enough_jobs(tmp_path):
    with_gold = [name for name, dataset in DATASETS.items() if dataset.gold]
    checkout = Checkout.whole(tmp_path / "checkout", with_gold)
    jobs = checkout.jobs("--configfile", "config/paper.yaml", "--", "arena")
    assert 100 < sum(jobs.values()) < 1000
    # Every real dataset with gold is a world.
    assert {one["dataset"] for one in arena().values() if "dataset" in one} == set(with_gold)


def test_all_worlds_have_the_same_methods_and_the_figures_all_worlds():
    worlds, drawn = arena(), []
    assert len(worlds) >= 13
    assert len({tuple(one["methods"]) for one in worlds.values()}) == 1
    assert all(one["inapplicable"] == "explain" for one in worlds.values())
    for figure in (BASE["figures"][name] for name in ("arena", "arena_other_metrics")):
        assert set(figure["experiments"]) == set(figure["options"]["labels"]) == set(worlds)
        drawn += figure["options"]["metrics"]
    asked = {one.partition("@")[0] for world in worlds.values() for one in world["metrics"]}
    assert sorted(drawn) == sorted(asked)


def test_every_method_of_items_is_in_the_arena_or_a_variant_that_a_figure_shows():
    """A variant whose method an experiment fits is drawn beside what it is a variant of."""
    entered = set(next(iter(arena().values()))["methods"])
    of_items = {name: one for name, one in registry.METHODS.items() if one.of_items}
    variants = {name: one.variant_of for name, one in of_items.items() if one.variant_of}
    assert of_items.keys() - entered == variants.keys()
    assert entered <= of_items.keys()
    assert set(variants.values()) <= entered
    drawn = {name for one in BASE["figures"].values() for name in one.get("experiments", [])}
    fitted = {name: set(one.get("methods", [])) for name, one in BASE["experiments"].items()}
    for variant, parent in variants.items():
        if any(variant in methods for methods in fitted.values()):
            assert any({variant, parent} <= fitted[name] for name in drawn), variant
