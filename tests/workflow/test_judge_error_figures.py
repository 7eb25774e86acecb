"""Figures of judge error and soft metrics repeat what config/printed says; checks and datasets."""

from crowdgold.experiment import configuration, plan
from crowdgold.system.declarations import load

from .conftest import ROOT
from .test_configuration import BASE, SCALES

PRINTED = {
    name: configuration.load(ROOT / f"config/printed/{name}.yaml")
    for name in ("judge_error", "soft_metrics")
}


def options(figure):
    return BASE["figures"][figure]["options"]


def test_figures_show_what_is_printed():
    soft = PRINTED["soft_metrics"]
    assert options("soft_metric_correlations")["printed"] == soft["table_2"]["rows"]
    assert options("soft_metric_scores")["printed"] == {
        subset: soft["table_b1"][subset] for subset in ("snli", "mnli_m")
    }
    study = BASE["experiments"]["metric_study"]["parameters"]
    assert study["strengths"] == soft["table_6"]["scores"]
    assert abs(sum(study["strengths"]) - 1) < 0.005
    post = PRINTED["judge_error"]["simulation"]
    shown = options("judge_error_simulation")
    assert shown["printed_false_positives"] == post["false_positives"]
    assert shown["prevalence"] == post["prevalence"]


def test_the_printed_run_is_simulated_at_every_scale():
    wrong = PRINTED["judge_error"]["simulation"]["false_positives"]
    for config in SCALES.values():
        vary = config["experiments"]["judge_error_printed_run"]["vary"]
        assert wrong in vary["false_positives"]


def test_a_check_names_its_dataset_and_its_figure_needs_it():
    assert load("computation", "soft_metric_scores").dataset({}) == "chaosnli"
    assert load("computation", "metric_study").dataset({}) == ""
    assert load("computation", "label_variation").dataset({"dataset": "armis"}) == "armis"
    assert plan.datasets(BASE, "soft_metric_scores") == ["chaosnli"]
    assert plan.datasets(BASE, "soft_metric_curve") == []
