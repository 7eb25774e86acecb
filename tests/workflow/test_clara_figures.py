"""CLARA's figures in the configuration: all are there, and repeat what stands elsewhere."""

import pytest

from crowdgold.experiment import configuration, plan
from crowdgold.experiment.wiring import Drawn, Jobs

from .conftest import ROOT
from .test_configuration import BASE, SCALES

PRINTED = configuration.load(ROOT / "config/printed/clara.yaml")
OPTIONAL = "clara_fig12"
"""Snorkel's figure: its label model is an optional package, without which it is not drawn."""


def test_every_figure_of_the_paper_is_drawn_with_make_figures():
    drawn = [name for name in plan.figures(BASE, "figures") if name.startswith("clara_")]
    assert {f"clara_fig{k}" for k in (2, 3, 4, 5, 7, 8, 9, 10, 11, 12)} < set(drawn)
    assert len(drawn) == 11


@pytest.mark.parametrize("installed", [True, False])
def test_without_snorkel_its_figure_alone_is_skipped(monkeypatch, installed):
    """Also at the smallest scale, where the paper's other figures share one job."""
    find, there = plan.importlib.util.find_spec, object() if installed else None
    own = lambda name: there if name == "snorkel" else find(name)  # noqa: E731
    monkeypatch.setattr(plan.importlib.util, "find_spec", own)
    said = []
    drawn = Drawn(Jobs(SCALES["smoke"], ROOT), said.append, lambda dataset: "")
    assert (OPTIONAL in drawn.figures("figures")) == installed
    assert any(OPTIONAL in line and "`make snorkel`" in line for line in said) != installed
    for jobs in (drawn.figure_jobs(), drawn.experiment_jobs()):
        (together,) = [own for own in jobs.values() if OPTIONAL in own]
        assert ("clara_fig2" in together) == installed


def test_the_figure_of_recovery_knows_the_parameters_of_its_data():
    for scale, config in SCALES.items():
        block = config["experiments"]["clara_fig3"]["parameters"]
        options = config["figures"]["clara_fig3"]["options"]
        assert all(options[name] == block[name] for name in ("n", "tpr", "tnr")), scale


def test_the_coverage_that_is_judged_is_of_a_setting_of_the_paper():
    """Prevalence and rates are points of figure 2's grid, and so are the methods' settings."""
    judged, grid = (BASE["experiments"][name] for name in ("clara_coverage", "clara_fig2"))
    for name, values in grid["vary"].items():
        assert judged["parameters"][name] in values
    assert grid["parameters"].items() <= judged["parameters"].items()
    assert judged["method_settings"] == grid["method_settings"]
    assert judged["expect"]["misses"]["CLARA-published"] == ["prevalence"]


def test_figures_show_what_is_printed_and_stand_ins_have_the_printed_sizes():
    three, five, seven, eight, nine = (PRINTED[f"figure_{number}"] for number in (3, 5, 7, 8, 9))
    around, at = three["around"]["items"], three["at_100"]
    for name, printed in {
        "clara_fig3": [
            {"metric": one, "items": around, "error": at[one]} for one in ("TPR", "TNR")
        ],
        "clara_fig5": [{"share_of_labels": 1 - five["unused"], "accuracy": five["accuracy"]}],
        "clara_fig9": [{"share_of_labels": 1 - nine["saved"], "accuracy": 1 - nine["loss"]}],
    }.items():
        assert BASE["figures"][name]["options"]["printed"] == printed
    first, second, days, reviewers = (
        BASE["experiments"][f"clara_fig{name}"]["parameters"] for name in ("7_a", "7_b", "8", "9")
    )
    assert {"A": first["n"], "B": second["n"]} == {one: seven["items"][one] for one in "AB"}
    assert second["tpr_drop"]["day"] == seven["changes_from_day"]
    assert days["n"] == eight["items"]
    assert len(BASE["experiments"]["clara_fig8"]["vary"]["day"]) == eight["days"]
    assert reviewers["n_reviewers"] == nine["reviewers"]
    largest = SCALES["paper"]["experiments"]["clara_fig9"]["parameters"]
    assert largest["n_train"] == nine["items"]


def test_captions_of_stand_ins_say_that_they_are():
    for figure in ("clara_fig7", "clara_fig8", "clara_fig9"):
        caption = (ROOT / f"workflow/report/{figure}.rst").read_text()
        assert "simulated stand-in" in " ".join(caption.split()), figure
        assert "Chosen" in caption, figure
