"""CLARA's figures in the configuration: all are there, and repeat what stands elsewhere."""

import pytest

from crowdgold.claims.claims import read_claims
from crowdgold.experiment import configuration, plan
from crowdgold.experiment.wiring import Drawn, Jobs

from .conftest import ROOT
from .test_configuration import BASE, SCALES

PRINTED = configuration.load(ROOT / "config/printed/clara.yaml")
FIGURES = [
    "clara_fig2", "clara_intervals", "clara_prior", "clara_fig3", "clara_fig4", "clara_fig5",
    "clara_fig7", "clara_fig8", "clara_fig9", "clara_fig10", "clara_fig11", "clara_fig11_given",
]  # fmt: skip
STAND_INS = ["clara_fig7", "clara_fig8", "clara_fig9"]
OPTIONAL = "clara_fig12"
"""Snorkel's figure: its label model is an optional package, without which it is not drawn."""


def test_every_figure_of_the_paper_is_drawn_with_make_figures():
    drawn = {name for name in plan.figures(BASE, "figures") if name.startswith("clara_")}
    assert drawn == {*FIGURES, OPTIONAL}


@pytest.mark.parametrize("installed", [True, False])
def test_without_snorkel_its_figure_alone_is_skipped(monkeypatch, installed):
    """Also at the smallest scale, where the paper's other figures share one job."""
    find = plan.importlib.util.find_spec
    monkeypatch.setattr(
        plan.importlib.util,
        "find_spec",
        lambda name: (object() if installed else None) if name == "snorkel" else find(name),
    )
    said = []
    drawn = Drawn(Jobs(SCALES["smoke"], ROOT), said.append, lambda dataset: "")
    assert (OPTIONAL in drawn.figures("figures")) == installed
    assert any(OPTIONAL in line and "`make snorkel`" in line for line in said) != installed
    for jobs in (drawn.figure_jobs(), drawn.experiment_jobs()):
        (together,) = [own for own in jobs.values() if OPTIONAL in own]
        assert ("clara_fig2" in together) == installed


@pytest.mark.parametrize("scale", SCALES)
def test_the_figure_of_recovery_knows_the_parameters_of_its_data(scale):
    block = SCALES[scale]["experiments"]["clara_fig3"]["parameters"]
    options = SCALES[scale]["figures"]["clara_fig3"]["options"]
    assert {name: options[name] for name in ("n", "tpr", "tnr")} == {
        name: block[name] for name in ("n", "tpr", "tnr")
    }


def test_the_coverage_that_is_judged_is_of_a_setting_of_the_paper():
    """Prevalence and rates are points of figure 2's grid, and so are the methods' settings."""
    judged, grid = (BASE["experiments"][name] for name in ("clara_coverage", "clara_fig2"))
    for name, values in grid["vary"].items():
        assert judged["parameters"][name] in values
    assert grid["parameters"].items() <= judged["parameters"].items()
    assert judged["method_settings"]["CLARA"] == grid["method_settings"]["CLARA"]
    assert judged["expect"]["misses"]["CLARA-printed"] == ["prevalence"]


def test_figures_show_what_is_printed():
    three, five, nine = (PRINTED[f"figure_{number}"] for number in (3, 5, 9))
    figures = {name: BASE["figures"][name]["options"]["printed"] for name in ("clara_fig3",
               "clara_fig5", "clara_fig9")}  # fmt: skip
    assert figures["clara_fig3"] == [
        {"metric": metric, "items": three["around"]["items"], "error": three["at_100"][metric]}
        for metric in ("TPR", "TNR")
    ]
    assert figures["clara_fig5"] == [
        {"share_of_labels": 1 - five["unused"], "accuracy": five["accuracy"]}
    ]
    assert figures["clara_fig9"] == [
        {"share_of_labels": 1 - nine["saved"], "accuracy": 1 - nine["loss"]}
    ]


def test_the_stand_ins_have_the_printed_sizes():
    blocks = BASE["experiments"]
    assert blocks["clara_fig7_a"]["parameters"]["n"] == PRINTED["figure_7"]["items"]["A"]
    second = blocks["clara_fig7_b"]["parameters"]
    assert second["n"] == PRINTED["figure_7"]["items"]["B"]
    assert second["tpr_drop"]["day"] == PRINTED["figure_7"]["changes_from_day"]
    assert blocks["clara_fig8"]["parameters"]["n"] == PRINTED["figure_8"]["items"]
    assert len(blocks["clara_fig8"]["vary"]["day"]) == PRINTED["figure_8"]["days"]
    assert blocks["clara_fig9"]["parameters"]["n_reviewers"] == PRINTED["figure_9"]["reviewers"]
    largest = SCALES["paper"]["experiments"]["clara_fig9"]["parameters"]
    assert largest["n_train"] == PRINTED["figure_9"]["items"]


def test_claims_are_judged_from_experiments_that_there_are():
    page = configuration.load(ROOT / "config/pages.yaml")["reproduction_clara"]
    known = {**PRINTED, **dict.fromkeys(page["config"], 1)}
    claims = read_claims(page["claims"], known)
    needed = {name for claim in claims for name in (*claim.needs, *claim.beside)}
    assert needed <= set(BASE["experiments"])
    assert needed == set(page["available"])


@pytest.mark.parametrize("figure", STAND_INS)
def test_captions_of_stand_ins_say_that_they_are(figure):
    caption = (ROOT / f"workflow/report/{figure}.rst").read_text()
    assert "simulated stand-in" in " ".join(caption.split())
    assert "Chosen" in caption
