"""The configuration: schema and files agree, and slips are named before anything runs."""

import re
from importlib import import_module
from itertools import chain

import jsonschema
import pytest
from docutils.core import publish_parts

from crowdgold.datasets import chaosnli, mt_bench, product_pairs
from crowdgold.datasets.dataset import STUDY
from crowdgold.experiment import configuration, plan
from crowdgold.experiment import schema as schema_module
from crowdgold.experiment.registries import known_names, metric_problem
from crowdgold.experiment.schema import page, read_schema
from crowdgold.simulate import clara, judge_error

from .conftest import ROOT, caption

SCHEMA = read_schema(ROOT / "workflow/schemas/config.schema.yaml")
BASE = configuration.overlay(
    *(configuration.load(path) for path in sorted((ROOT / "config/experiments").glob("*.yaml"))),
    configuration.load(ROOT / "config.yaml"),
)
OVERLAYS = {name: configuration.load(ROOT / f"config/{name}.yaml") for name in ("smoke", "paper")}
SCALES = {"default": BASE} | {n: configuration.overlay(BASE, own) for n, own in OVERLAYS.items()}
KNOWN = known_names()


def nested(path, value):
    """The mapping with a value at the keys of a path, which "/" parts."""
    for key in reversed(path.split("/")):
        value = {key: value}
    return value


def refused(path, value, message, **known):
    """Hold that BASE with a value at a path is refused, by that path."""
    said = re.escape(f"{path.replace('/', '.')}{message}")
    config = configuration.overlay(BASE, nested(path, value))
    with pytest.raises(configuration.ConfigurationError, match=said):
        configuration.check(config, SCHEMA, KNOWN, **known)


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
def test_every_scale_passes_the_check_and_changes_only_keys_that_are_there(scale):
    """Settings of the arena stand side by side: none keeps the replicates of another scale."""
    config = SCALES[scale]
    configuration.check(config, SCHEMA, KNOWN, metric_problem)
    if scale != "default":
        assert set(keys_in(OVERLAYS[scale])) <= set(keys_in(BASE))
        arena = [one for name, one in config["experiments"].items() if name[:6] == "arena_"]
        assert len(arena) > 20
        assert len({one["replicates"] for one in arena}) == 1


def test_the_schema_is_valid_closed_and_describes_every_key():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    described = [block for block in objects_in(SCHEMA) if "properties" in block]
    assert all(block["additionalProperties"] is False for block in described)
    bare = [
        key
        for block in described
        for key, own in block["properties"].items()
        if not own.keys() & {"description", "$ref"}
    ]
    assert bare == []


def test_no_key_of_the_schema_is_missing_in_the_default_configuration():
    # A scale is asked for on the command line, in the place of a file; few have methods elsewhere;
    # what is published has a file of its own.
    own = {"scale", "method_files", "container", "published"}
    assert set(SCHEMA["properties"]) - own == set(BASE)
    assert set(SCHEMA["$defs"]["methods"]["properties"]) <= set(KNOWN["method"])
    for kind in ("simulator", "dataset", "computation"):
        found = {one.partition("_")[2] for one in SCHEMA["$defs"] if one.startswith(f"{kind}_")}
        assert found == set(KNOWN[kind])
    for described, names in {
        "simulator_clara": (
            *clara.SHARED, "n_labels", *clara.RATES, "rater_types", *clara.AUDITED
        ),
        "simulator_judge_error": (
            judge_error.QUALITY, *judge_error.SHARED, *chain(*judge_error.NAMES.values())
        ),
        "dataset_product_pairs": (*product_pairs.NAMES, *STUDY),
        "dataset_chaosnli": (*chaosnli.NAMES, *STUDY),
        "dataset_mt_bench": mt_bench.NAMES,
    }.items():  # fmt: skip
        assert set(SCHEMA["$defs"][described]["properties"]) == set(names), described


def test_the_parameters_of_a_generator_and_a_check_are_declared_in_their_files_alone(
    tmp_path, monkeypatch
):
    """A new one needs nothing in the schema's file: names and ranges are checked all the same."""
    (tmp_path / "coin.py").write_text(
        "from dataclasses import dataclass\nfrom typing import Annotated\n"
        "from crowdgold.types.parameters import Between, Settings\n"
        "from crowdgold.experiment.computation import Computation\n"
        "from crowdgold.simulate.generator import Generator\n"
        "@dataclass(frozen=True, kw_only=True)\nclass CoinParameters(Settings):\n"
        "    'A coin.'\n    heads: Annotated[float, Between(0, 1), 'Chance of heads.']\n"
        "FLIP = Computation('coin', print, CoinParameters)\n"
        "GENERATOR = Generator('coin', print, parameters=CoinParameters)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    declared = {
        "simulator": {"coin": ("coin", "GENERATOR")},
        "computation": {"coin": ("coin", "FLIP")},
    }
    monkeypatch.setattr(schema_module, "declared", declared.__getitem__)
    load = lambda kind, name: getattr(import_module("coin"), declared[kind][name][1])  # noqa: E731
    monkeypatch.setattr(schema_module, "load", load)
    schema = read_schema(ROOT / "workflow/schemas/config.schema.yaml")
    for kind, more in (("computation", {}), ("simulator", {"methods": ["MV"], "metrics": ["AUC"]})):
        block = {"paper": "MAVEN", "title": "t", kind: "coin", "replicates": 1, **more}

        def check(given, block=block):
            own = {**BASE, "experiments": {"e": {**block, "parameters": given}}, "figures": {}}
            configuration.check(own, schema)

        check({"heads": 0.5})
        for given, problem in (
            ({"heads": 2}, "heads: found 2, expected maximum: 1"),
            ({"head": 0.5}, "head: unknown key; did you mean 'heads'"),
        ):
            with pytest.raises(configuration.ConfigurationError, match=problem):
                check(given)


def test_config_yaml_comments_every_key_and_has_at_most_40_and_its_page_is_current():
    lines = (ROOT / "config.yaml").read_text().splitlines()
    keys = [i for i, line in enumerate(lines) if re.match(r" *[\w+]+:", line)]
    assert len(keys) <= 40
    assert [lines[i] for i in keys if not lines[i - 1].strip().startswith("#")] == []
    written = (ROOT / "config/README.md").read_text()
    assert written == page(SCHEMA, configuration.load(ROOT / "config.yaml"))


def test_every_caption_can_be_rendered():
    strict = {"halt_level": 2, "report_level": 2}
    names = sorted(path.stem for path in (ROOT / "workflow/report").glob("*.rst"))
    assert set(BASE["figures"]) <= set(names)
    for name in names:
        config = BASE | {"figures": {name: BASE["figures"]["maven_fig4"]} | BASE["figures"]}
        found = publish_parts(caption(name, config), writer="html", settings_overrides=strict)
        assert len(found["body"]) > 80, name


FIG4, VARY = "experiments/maven_fig4", "experiments/maven_fig4/vary"


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("sede", 1, ": unknown key; did you mean 'seed'?"),
        ("level", 95, ": found 95, expected maximum: 0.99999"),
        (f"{FIG4}/replicats", 1, ": unknown key; did you mean 'replicates'?"),
        (f"{FIG4}/parameters/sigma", 1, ": unknown key; did you mean 'sigma_s'?"),
        (f"{FIG4}/methods", ["MAVAN"], ": unknown 'MAVAN'; did you mean 'MAVEN'?"),
        (FIG4, {"dataset": "chaosnli"}, ": found simulator and dataset, expected one of"),
        (f"{FIG4}/metrics", ["AUK"], ": no metric 'AUK'"),
        (f"{FIG4}/as_items", {"n_gold": 10}, ": expected a simulator that gives labels: clara,"),
        (f"{VARY}/gold_fracton", [0.1], ": unknown key; did you mean 'gold_fraction'?"),
        (f"{VARY}/gold_fraction", [2], ": 2 is greater than the maximum of 1"),
        (f"{VARY}/predictors.A.mo", [2], ": unknown key; did you mean 'mu'?"),
        (f"{VARY}/predictors.C.mu", [2], ": no 'C' in the parameters; expected"),
        (f"{VARY}/predictors.A.mu", ["x"], ": 'x' is not of type 'number'"),
        (f"{VARY}/n.mu", [2], ": unknown key"),
        (f"{VARY}/method_settings.MAVEN.delta_scal", [2], ": unknown key; did you mean 'delta_s"),
        (f"{VARY}/method_settings.MAVEN.delta_scale", [0], ": 0 is less than or equal to the min"),
        (f"{VARY}/method_settings.MAVEN-C.cut", ["exact"], ": no 'MAVEN-C' in the methods; did"),
        ("methods/MAVEN/mu_prior/shap", 2, ": unknown key; did you mean 'shape'?"),
        ("methods/MAVEN/mu_prior/shape", 0, ": found 0, expected minimum: 1 (Its shape.)"),
        ("methods/MAVEN/cut", "exakt", ": found 'exakt'; did you mean 'exact'?"),
        ("methods/CLARA/confusion", "groups", ": found 'groups'; did you mean 'group'?"),
        ("experiments/chaosnli/methods", ["ORACLE"], ": ORACLE needs what only a simulator knows"),
        ("experiments/chaosnli/methods", ["CLARA"], ": CLARA needs to know who gave each vote"),
        ("experiments/chaosnli/methods", ["PEC-two-way"], ": PEC-two-way takes no items, which the "
         "source gives; MV, GT,"),
        ("experiments/clara_fig2/methods", ["CLARA", "MAVEN"], ": MAVEN takes no annotations, "
         "which the source gives; MV, DS, CLARA-published, CLARA, CLARA-ordered, Rogan-Glad"),
        ("experiments/clara_fig2/experts", {"error": 0.1}, ": expected items with gold labels;"),
        ("experiments/clara_fig2/metrics", ["AUC"], ": no metric 'AUC' of annotations"),
        ("experiments/clara_fig2/parameters/reviewers", 3, ": unknown key; did you mean 'n_review"),
        ("experiments/arena_experts/experts/error", 0.5, ": found 0.5, expected exclusiveMaximum"),
        ("experiments/arena_alike/inapplicable", "explein", ": found 'explein'; did you mean 'exp"),
        ("figures/maven_fig4/experiments", ["maven_fig5"], ": no experiment 'maven_fig5'; did you"),
        ("figures/maven_fig4/plot", "eror_and_width", ": unknown 'eror_and_width'; did you mean "
         "'error_and_width'?"),
    ],
)  # fmt: skip
def test_a_slip_is_named_with_its_path_and_the_nearest_valid_name(path, value, message):
    refused(path, value, message, metric_problem=metric_problem)


def test_a_missing_key_is_named_and_more_label_sets_than_draws_are_refused():
    """At once, and not by each job when its chains have ended."""
    without = {key: value for key, value in BASE.items() if key != "seed"}
    more = {**BASE, "imputations": 100_000}
    for config, message in ((without, "seed: missing"), (more, "imputations 100000, .* at most")):
        with pytest.raises(configuration.ConfigurationError, match=message):
            configuration.check(config, SCHEMA)


def test_the_experiment_in_the_documentation_can_be_run(checkout):
    """It is planned as it stands there: 2 settings of data, each with 2 methods and 2 blocks."""
    (example,) = re.findall(r"```yaml\n(.*?)```", (ROOT / "docs/running.md").read_text(), re.DOTALL)
    (checkout.folder / "five_votes.yaml").write_text(example)
    jobs = checkout.jobs("--configfile", "five_votes.yaml", "--", "results/figures/five_votes.svg")
    assert (jobs["simulate"], jobs["estimate"]) == (4, 8)


def test_overlays_merge_mappings_and_replace_lists():
    merged = configuration.overlay({"a": {"b": 1, "c": [1]}}, {"a": {"c": [2]}}, {"d": 3})
    assert merged == {"a": {"b": 1, "c": [2]}, "d": 3}
    parameters = BASE["experiments"]["maven_fig4_stress"]["parameters"]
    assert list(parameters["predictors"]) == ["B", "A"]
    assert parameters["n"] == BASE["experiments"]["maven_fig4"]["parameters"]["n"]


def test_blocks_cover_every_replicate_once():
    for size in (1, 3, 10, 20):
        blocks = plan.replicate_blocks(10, size)
        assert [r for block in blocks for r in plan.parse_block(block)] == list(range(10))


def test_the_figure_of_autoeval_shows_what_is_printed():
    printed = configuration.load(ROOT / "config/printed/maven.yaml")["autoeval"]
    shown = BASE["figures"]["maven_autoeval"]["options"]["printed"]
    less, narrower = printed["less_absolute_bias"], printed["narrower_intervals"]
    assert shown == pytest.approx({"error_ratio": 1 - less, "width_ratio": 1 - narrower})
