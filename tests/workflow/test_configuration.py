"""The configuration: schema and files agree, and slips are named before anything runs."""

import re
import subprocess
import time
from importlib import import_module
from itertools import chain
from types import SimpleNamespace

import jinja2
import jsonschema
import pytest
import yaml
from docutils.core import publish_parts

from crowdgold.datasets import chaosnli, mt_bench, product_pairs
from crowdgold.datasets.dataset import STUDY
from crowdgold.experiment import configuration, plan
from crowdgold.experiment import schema as schema_module
from crowdgold.experiment.registries import known_names, metric_problem
from crowdgold.experiment.schema import page, read_schema
from crowdgold.simulate import clara, judge_error

from .conftest import ROOT

SCHEMA = read_schema(ROOT / "workflow/schemas/config.schema.yaml")
BASE = configuration.overlay(
    *(configuration.load(path) for path in sorted((ROOT / "config/experiments").glob("*.yaml"))),
    configuration.load(ROOT / "config.yaml"),
)
SCALES = {
    "default": BASE,
    "smoke": configuration.overlay(BASE, configuration.load(ROOT / "config/smoke.yaml")),
    "paper": configuration.overlay(BASE, configuration.load(ROOT / "config/paper.yaml")),
}


def keys_in(content, path=()):
    if isinstance(content, dict):
        for key, value in content.items():
            yield (*path, key)
            yield from keys_in(value, (*path, key))


def objects_in(schema):
    if isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        for value in schema.values():
            yield from objects_in(value)


@pytest.mark.parametrize("scale", SCALES)
def test_every_scale_passes_the_check_with_all_that_the_library_offers(scale):
    configuration.check(SCALES[scale], SCHEMA, known_names(), metric_problem)


@pytest.mark.parametrize("scale", [one for one in SCALES if one != "default"])
def test_every_setting_of_the_arena_has_its_replicates_at_every_scale(scale):
    """One that a scale leaves out would stand beside the others with those of the default."""
    arena = {
        name: one for name, one in SCALES[scale]["experiments"].items() if name[:6] == "arena_"
    }
    assert len(arena) > 20
    assert len({one["replicates"] for one in arena.values()}) == 1


def test_more_label_sets_than_draws_are_refused_before_anything_runs():
    """At once, and not by each job when its chains have ended."""
    wanted = {**BASE, "imputations": 100_000}
    with pytest.raises(configuration.ConfigurationError, match=r"imputations 100000, .* at most"):
        configuration.check(wanted, SCHEMA)


@pytest.mark.parametrize("scale", [one for one in SCALES if one != "default"])
def test_an_overlay_changes_only_keys_that_are_there(scale):
    overlay = configuration.load(ROOT / f"config/{scale}.yaml")
    base = set(keys_in(BASE))
    assert [key for key in keys_in(overlay) if key not in base] == []


def test_the_schema_is_valid_and_describes_every_key():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    for block in objects_in(SCHEMA):
        for key, described in block.get("properties", {}).items():
            assert "description" in described or "$ref" in described, key


def test_every_object_of_fixed_keys_is_closed():
    for block in objects_in(SCHEMA):
        if "properties" in block:
            assert block["additionalProperties"] is False


def test_no_key_of_the_schema_is_missing_in_the_default_configuration():
    top = set(SCHEMA["properties"])
    # A scale is asked for on the command line, in the place of a file; few have methods elsewhere;
    # what is published has a file of its own.
    assert top - {"scale", "method_files", "container", "published"} == set(BASE)
    assert set(SCHEMA["$defs"]["methods"]["properties"]) <= set(known_names()["method"])
    for kind in ("simulator", "dataset", "check"):
        described = {
            name.split("_", 1)[1] for name in SCHEMA["$defs"] if name.startswith(f"{kind}_")
        }
        assert described == set(known_names()[kind])


@pytest.mark.parametrize(
    ("described", "names"),
    [
        (
            "simulator_clara",
            (*clara.SHARED, "n_labels", *clara.RATES, "rater_types", *clara.AUDITED),
        ),
        (
            "simulator_judge_error",
            (judge_error.QUALITY, *judge_error.SHARED, *chain(*judge_error.NAMES.values())),
        ),
        ("dataset_product_pairs", (*product_pairs.NAMES, *STUDY)),
        ("dataset_chaosnli", (*chaosnli.NAMES, *STUDY)),
        ("dataset_mt_bench", mt_bench.NAMES),
    ],
)
def test_the_schema_knows_the_parameters_that_the_library_reads(described, names):
    assert set(SCHEMA["$defs"][described]["properties"]) == set(names)


def test_the_parameters_of_a_generator_and_a_check_are_declared_in_their_files_alone(
    tmp_path, monkeypatch
):
    """A new one needs nothing in the schema's file: names and ranges are checked all the same."""
    (tmp_path / "coin.py").write_text(
        "from dataclasses import dataclass\nfrom typing import Annotated\n"
        "from crowdgold.types.parameters import Between, Settings\n"
        "from crowdgold.experiment.check import Check\n"
        "from crowdgold.simulate.generator import Generator\n"
        "@dataclass(frozen=True, kw_only=True)\nclass CoinParameters(Settings):\n"
        "    'A coin.'\n    heads: Annotated[float, Between(0, 1), 'Chance of heads.']\n"
        "FLIP = Check('coin', print, CoinParameters)\n"
        "GENERATOR = Generator('coin', print, parameters=CoinParameters)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    declared = {"simulator": {"coin": ("coin", "GENERATOR")}, "check": {"coin": ("coin", "FLIP")}}
    monkeypatch.setattr(schema_module, "declared", declared.__getitem__)
    monkeypatch.setattr(
        schema_module,
        "load",
        lambda kind, name: getattr(import_module("coin"), declared[kind][name][1]),
    )
    schema = read_schema(ROOT / "workflow/schemas/config.schema.yaml")
    for kind, more in (("check", {}), ("simulator", {"methods": ["MV"], "metrics": ["AUC"]})):
        block = {"paper": "MAVEN", "title": "t", kind: "coin", "replicates": 1, **more}
        for given, problem in (
            ({"heads": 0.5}, None), ({"heads": 2}, "heads: found 2, expected maximum: 1"),
            ({"head": 0.5}, "head: unknown key; did you mean 'heads'"),
        ):  # fmt: skip
            own = {**BASE, "experiments": {"e": {**block, "parameters": given}}, "figures": {}}
            if problem is None:
                configuration.check(own, schema)
            else:
                with pytest.raises(configuration.ConfigurationError, match=problem):
                    configuration.check(own, schema)


def test_config_yaml_comments_every_key_and_has_at_most_40():
    lines = (ROOT / "config.yaml").read_text().splitlines()
    keys = [i for i, line in enumerate(lines) if re.match(r" *[\w+]+:", line)]
    assert len(keys) <= 40
    for i in keys:
        assert lines[i - 1].strip().startswith("#"), lines[i]


def test_the_page_on_the_configuration_is_current():
    written = (ROOT / "config/README.md").read_text()
    assert written == page(SCHEMA, configuration.load(ROOT / "config.yaml")), (
        "make config/README.md"
    )


def test_every_figure_has_a_caption():
    for figure in BASE["figures"]:
        assert (ROOT / "workflow/report" / f"{figure}.rst").is_file(), figure


@pytest.mark.parametrize("path", sorted((ROOT / "workflow/report").glob("*.rst")), ids=str)
def test_every_caption_can_be_rendered(path):
    figures = {"maven_fig4": BASE["figures"]["maven_fig4"]}
    params = SimpleNamespace(figures=figures, scales=dict.fromkeys(BASE["figures"], ""))
    job = SimpleNamespace(config=BASE, params=params)
    text = jinja2.Environment(undefined=jinja2.StrictUndefined).from_string(path.read_text())
    strict = {"halt_level": 2, "report_level": 2}
    page = publish_parts(text.render(snakemake=job), writer="html", settings_overrides=strict)
    assert len(page["body"]) > 80


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sede": 1}, "sede: unknown key; did you mean 'seed'?"),
        (
            {"experiments": {"maven_fig4": {"replicats": 1}}},
            "experiments.maven_fig4.replicats: unknown key; did you mean 'replicates'?",
        ),
        (
            {"experiments": {"maven_fig4": {"parameters": {"sigma": 1}}}},
            "experiments.maven_fig4.parameters.sigma: unknown key; did you mean 'sigma_s'?",
        ),
        (
            {"experiments": {"maven_fig4": {"vary": {"gold_fracton": [0.1]}}}},
            "experiments.maven_fig4.vary.gold_fracton: unknown key; did you mean 'gold_fraction'?",
        ),
        (
            {"experiments": {"maven_fig4": {"vary": {"gold_fraction": [2]}}}},
            "experiments.maven_fig4.vary.gold_fraction: 2 is greater than the maximum of 1",
        ),
        (
            {"experiments": {"maven_fig4": {"vary": {"predictors.A.mo": [2]}}}},
            "experiments.maven_fig4.vary.predictors.A.mo: unknown key; did you mean 'mu'?",
        ),
        (
            {"experiments": {"maven_fig4": {"vary": {"predictors.C.mu": [2]}}}},
            "experiments.maven_fig4.vary.predictors.C.mu: no 'C' in the parameters; expected",
        ),
        (
            {"experiments": {"maven_fig4": {"vary": {"predictors.A.mu": ["x"]}}}},
            "experiments.maven_fig4.vary.predictors.A.mu: 'x' is not of type 'number'",
        ),
        (
            {"experiments": {"maven_fig4": {"vary": {"n.mu": [2]}}}},
            "experiments.maven_fig4.vary.n.mu: unknown key",
        ),
        (
            {"experiments": {"maven_fig4": {"vary": {"method_settings.MAVEN.delta_scal": [2]}}}},
            "vary.method_settings.MAVEN.delta_scal: unknown key; did you mean 'delta_scale'?",
        ),
        (
            {"experiments": {"maven_fig4": {"vary": {"method_settings.MAVEN.delta_scale": [0]}}}},
            "vary.method_settings.MAVEN.delta_scale: 0 is less than or equal to the minimum of 0",
        ),
        (
            {"experiments": {"maven_fig4": {"vary": {"method_settings.MAVEN-C.cut": ["exact"]}}}},
            "vary.method_settings.MAVEN-C.cut: no 'MAVEN-C' in the methods; did you mean 'MAVEN'?",
        ),
        (
            {"methods": {"MAVEN": {"mu_prior": {"shap": 2}}}},
            "methods.MAVEN.mu_prior.shap: unknown key; did you mean 'shape'?",
        ),
        (
            {"methods": {"MAVEN": {"mu_prior": {"shape": 0}}}},
            "methods.MAVEN.mu_prior.shape: found 0, expected minimum: 1 (Its shape.)",
        ),
        (
            {"experiments": {"maven_fig4": {"methods": ["MAVAN"]}}},
            "experiments.maven_fig4.methods: unknown 'MAVAN'; did you mean 'MAVEN'?",
        ),
        (
            {"experiments": {"maven_fig4": {"dataset": "chaosnli"}}},
            "experiments.maven_fig4: found simulator and dataset, expected one of simulator,",
        ),
        (
            {"methods": {"MAVEN": {"cut": "exakt"}}},
            "methods.MAVEN.cut: found 'exakt'; did you mean 'exact'?",
        ),
        (
            {"experiments": {"maven_fig4": {"metrics": ["AUK"]}}},
            "experiments.maven_fig4.metrics: no metric 'AUK'",
        ),
        (
            {"experiments": {"chaosnli": {"methods": ["ORACLE"]}}},
            "experiments.chaosnli.methods: ORACLE needs what only a simulator knows",
        ),
        (
            {"experiments": {"clara_fig2": {"methods": ["CLARA", "MAVEN"]}}},
            "experiments.clara_fig2.methods: MAVEN takes no annotations, which the source gives; "
            "MV, DS, CLARA, CLARA-printed, CLARA-ordered, Rogan-Gladen, ",
        ),
        (
            {"experiments": {"chaosnli": {"methods": ["CLARA"]}}},
            "experiments.chaosnli.methods: CLARA needs to know who gave each vote, which",
        ),
        (
            {"experiments": {"chaosnli": {"methods": ["PEC-two-way"]}}},
            "chaosnli.methods: PEC-two-way takes no items, which the source gives; MV, GT,",
        ),
        (
            {"experiments": {"maven_fig4": {"as_items": {"n_gold": 10}}}},
            "experiments.maven_fig4.as_items: expected a simulator that gives labels: clara,",
        ),
        (
            {"experiments": {"clara_fig2": {"experts": {"error": 0.1}}}},
            "experiments.clara_fig2.experts: expected items with gold labels; add as_items",
        ),
        (
            {"experiments": {"arena_experts": {"experts": {"error": 0.5}}}},
            "experiments.arena_experts.experts.error: found 0.5, expected exclusiveMaximum: 0.5",
        ),
        (
            {"experiments": {"arena_alike": {"inapplicable": "explein"}}},
            "experiments.arena_alike.inapplicable: found 'explein'; did you mean 'explain'?",
        ),
        (
            {"experiments": {"clara_fig2": {"metrics": ["AUC"]}}},
            "experiments.clara_fig2.metrics: no metric 'AUC' of annotations",
        ),
        (
            {"experiments": {"clara_fig2": {"parameters": {"reviewers": 3}}}},
            "experiments.clara_fig2.parameters.reviewers: unknown key; did you mean 'n_reviewers'?",
        ),
        (
            {"methods": {"CLARA": {"confusion": "groups"}}},
            "methods.CLARA.confusion: found 'groups'; did you mean 'group'?",
        ),
        ({"level": 95}, "level: found 95, expected maximum: 0.99999"),
        (
            {"figures": {"maven_fig4": {"experiments": ["maven_fig5"]}}},
            "figures.maven_fig4.experiments: no experiment 'maven_fig5'; did you mean",
        ),
        (
            {"figures": {"maven_fig4": {"plot": "eror_and_width"}}},
            "figures.maven_fig4.plot: unknown 'eror_and_width'; did you mean 'error_and_width'?",
        ),
    ],
)
def test_a_slip_is_named_with_its_path_and_the_nearest_valid_name(change, message):
    with pytest.raises(configuration.ConfigurationError, match=re.escape(message)):
        configuration.check(
            configuration.overlay(BASE, change), SCHEMA, known_names(), metric_problem
        )


def test_a_missing_key_is_named():
    config = {key: value for key, value in BASE.items() if key != "seed"}
    with pytest.raises(configuration.ConfigurationError, match="seed: missing"):
        configuration.check(config, SCHEMA)


def test_snakemake_stops_at_a_slip_without_a_traceback(checkout):
    (checkout.folder / "slip.yaml").write_text("experiments: {tiny: {replicats: 3}}\n")
    start = time.monotonic()
    said = checkout.run("--configfile", "slip.yaml", check=False)
    assert "experiments.tiny.replicats: unknown key; did you mean 'replicates'?" in said
    assert "Traceback" not in said
    assert not (checkout.folder / "results/data").exists()
    assert time.monotonic() - start < 60


def test_the_experiment_in_the_documentation_can_be_run(checkout):
    """It is planned as it stands there: 2 settings of data, each with 2 methods and 2 blocks."""
    page = (ROOT / "docs/running.md").read_text()
    (example,) = re.findall(r"```yaml\n(.*?)```", page, re.DOTALL)
    (checkout.folder / "five_votes.yaml").write_text(example)
    jobs = checkout.jobs("--configfile", "five_votes.yaml", "--", "results/figures/five_votes.svg")
    assert jobs["simulate"] == 4
    assert jobs["estimate"] == 8


def test_make_names_the_profiles_where_one_does_not_exist():
    done = subprocess.run(
        [
            "make",
            "--no-print-directory",
            "--old-file=.venv/.made-from-requirements",
            "figures",
            "PROFILE=slrum",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    assert "no profile slrum" in done.stdout + done.stderr
    assert "default" in done.stdout


@pytest.mark.parametrize("content", ["- a list", "a: [", "3"])
def test_a_file_that_holds_no_mapping_is_named(tmp_path, content):
    path = tmp_path / "mine.yaml"
    path.write_text(content)
    with pytest.raises(configuration.ConfigurationError, match=r"mine\.yaml"):
        configuration.load(path)


def test_overlays_merge_mappings_and_replace_lists():
    merged = configuration.overlay({"a": {"b": 1, "c": [1]}}, {"a": {"c": [2]}}, {"d": 3})
    assert merged == {"a": {"b": 1, "c": [2]}, "d": 3}


def test_the_anchors_of_the_stress_case_put_the_other_predictor_first():
    parameters = BASE["experiments"]["maven_fig4_stress"]["parameters"]
    assert list(parameters["predictors"]) == ["B", "A"]
    assert parameters["n"] == BASE["experiments"]["maven_fig4"]["parameters"]["n"]


def test_blocks_cover_every_replicate_once():
    for size in (1, 3, 10, 20):
        blocks = plan.replicate_blocks(10, size)
        assert [r for block in blocks for r in plan.parse_block(block)] == list(range(10))


def test_every_yaml_file_is_plain():
    for path in ROOT.glob("config/**/*.yaml"):
        assert isinstance(yaml.safe_load(path.read_text()), dict)


def test_the_figure_of_autoeval_shows_what_is_printed():
    printed = configuration.load(ROOT / "config/printed/maven.yaml")["autoeval"]
    shown = BASE["figures"]["maven_autoeval"]["options"]["printed"]
    less, narrower = printed["less_absolute_bias"], printed["narrower_intervals"]
    assert shown == pytest.approx({"error_ratio": 1 - less, "width_ratio": 1 - narrower})
