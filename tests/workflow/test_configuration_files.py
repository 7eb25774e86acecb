"""Files of the configuration that cannot be used are named, with line and key, before a run."""

import re

import pytest

from crowdgold.experiment import configuration
from crowdgold.experiment.configuration import (
    DEEPEST,
    MOST_JOBS,
    ConfigurationError,
    load,
    place_of,
    places_of,
    read,
)
from crowdgold.experiment.registries import known_names

from .test_configuration import BASE, ROOT, SCHEMA

KNOWN = known_names()

HUGE = 10**12
LIMIT = "expected at most 10000000"


def experiment(**block):
    return {"experiments": {"maven_fig4": block}}


def options(**chosen):
    return {"figures": {"maven_fig4": {"options": chosen}}}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"level": float("nan")}, "level: found nan, expected a finite number"),
        (experiment(parameters={"mu_s": float("inf")}), "parameters.mu_s: found inf, expected a"),
        (experiment(vary={"offset": [float("nan")]}), "vary.offset.0: found nan, expected a"),
        (experiment(parameters={"phi": 1}), "parameters.phi: found 1, expected exclusiveMaximum"),
        (experiment(parameters={"phi": 0}), "parameters.phi: found 0, expected exclusiveMinimum"),
        (
            experiment(parameters={"n_voters": 2}),
            "maven_fig4.parameters.n_voters: found 2, expected at least the 3 of `votes_total`",
        ),
        (
            experiment(parameters={"votes_total": {"3": 0.5, "101": 0.5}}),
            "parameters.n_voters: found 100, expected at least the 101 of `votes_total`",
        ),
        (
            experiment(vary={"n_voters": [50, 2]}),
            "maven_fig4.vary.n_voters: found 2, expected at least the 3",
        ),
        (
            experiment(parameters={"n": HUGE}),
            f"parameters.n: found {HUGE}, {LIMIT}",
        ),
        (
            experiment(replicates=HUGE),
            f"replicates: found {HUGE}, {LIMIT}",
        ),
        ({"imputations": HUGE}, f"imputations: found {HUGE}, {LIMIT}"),
        (
            experiment(replicates=10**6, block=1),
            f"experiments.maven_fig4: found 54,000,000 jobs (6 settings, 1,000,000 blocks of "
            f"replicates, the methods), expected at most {MOST_JOBS:,}",
        ),
        (options(xx=1), "figures.maven_fig4.options.xx: unknown option; did you mean 'x'?"),
        (
            options(x="phi"),
            "figures.maven_fig4.options.x: found 'phi', which experiment maven_fig4 does not vary; "
            "it varies gold_fraction",
        ),
        (
            {"figures": {"clara_coverage": {"plot": "arena"}}},
            "figures.clara_coverage.options.metrics: missing; plot arena cannot do without",
        ),
        (
            {"figures": {"arena": {"options": {"by": ["shapes"]}}}},
            "figures.arena.options.by: found 'shapes', which experiment",
        ),
    ],
)
def test_what_no_run_could_use_is_named(change, message):
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        configuration.check(configuration.overlay(BASE, change), SCHEMA, KNOWN)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("seed: 1\na: [\n", r"mine\.yaml, line 3: is not YAML"),
        ("seed: 1\n\tb: 2\n", r"mine\.yaml, line 2: is not YAML"),
        ("a: {b: 1}\nc: 1\na: {d: 1}\n", r"line 3: a: stands there twice, first in line 1"),
        ("a:\n  b: 1\n  b: 2\n", r"line 3: a\.b: stands there twice, first in line 2"),
        ("a: " + "[" * 90 + "]" * 90, rf"line 1: more than {DEEPEST} levels"),
        ("a: " + "[" * 5000, r"mine\.yaml: more than"),
        ("a: 2026-13-45\n", r"mine\.yaml: holds a value that is none"),
        ("a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
         + "".join(f"{new}: &{new} [*{old}, *{old}, *{old}, *{old}, *{old}, *{old}, *{old}]\n"
                   for old, new in zip("abcdefgh", "bcdefghi", strict=True)),
         r"mine\.yaml: more than 100,000 keys"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_plain_yaml_is_named_with_its_line(tmp_path, content, message):
    path = tmp_path / "mine.yaml"
    path.write_text(content)
    with pytest.raises(ConfigurationError, match=message):
        load(path)


def test_a_file_that_is_not_utf_8_says_how_to_save_it(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_bytes("seed: 1\n".encode("utf-16"))
    with pytest.raises(ConfigurationError, match=r"mine\.yaml is not UTF-8 .*; save it as UTF-8"):
        load(path)


def test_an_experiment_of_two_files_is_refused_and_an_overlay_is_not(tmp_path):
    one, other = tmp_path / "one.yaml", tmp_path / "other.yaml"
    one.write_text("experiments:\n  tiny: {replicates: 1}\n")
    other.write_text("figures: {}\nexperiments:\n  tiny: {replicates: 2}\n")
    message = r"other\.yaml, line 3: experiments\.tiny is defined in .*one\.yaml, line 2 too"
    with pytest.raises(ConfigurationError, match=message):
        places_of([one, other])
    places = places_of([one], [other])
    assert place_of("experiments.tiny.replicates: found 0", places).startswith(
        f"{other}, line 3: experiments.tiny.replicates"
    )


def test_merged_keys_stand_where_they_are_written(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("a: &a\n  x: 1\n  y: 2\nb:\n  <<: *a\n  y: 3\n")
    content, places = read(path)
    assert content["b"] == {"x": 1, "y": 3}
    assert [places[key] for key in ("b.x", "b.y")] == [f"{path}, line 2", f"{path}, line 6"]


def test_every_file_of_the_configuration_has_places_for_its_keys():
    places = places_of(sorted((ROOT / "config/experiments").glob("*.yaml")), [ROOT / "config.yaml"])
    assert all(f"experiments.{name}" in places for name in BASE["experiments"])


def test_snakemake_names_file_and_line(checkout):
    (checkout.folder / "slip.yaml").write_text("seed: 1\n\nexperiments: {tiny: {replicates: 0}}\n")
    said = checkout.run("--configfile", "slip.yaml", check=False)
    assert "slip.yaml, line 3: experiments.tiny.replicates: found 0" in said
    twice = checkout.folder / "config/experiments/more.yaml"
    twice.write_text("experiments: {}\nfigures: {tiny: {paper: MAVEN}}\n")
    said = checkout.run(check=False)
    twice.unlink()
    assert re.search(
        r"more\.yaml, line 2: figures\.tiny is defined in .*maven\.yaml, line \d+", said
    )
    assert "Traceback" not in said


def test_the_value_that_a_sensitivity_shades_is_that_of_all_other_experiments():
    """Each quantity's usual value is among those drawn, and is what it has where another varies."""
    figure = BASE["figures"]["maven_sensitivity"]
    usual = figure["options"]["usual"]
    blocks = [BASE["experiments"][name] for name in figure["experiments"]]
    assert list(usual) == figure["options"]["quantities"]
    for block in blocks:
        ((varied, values),) = block["vary"].items()
        assert usual[varied] in values
        settings = {"MAVEN": BASE["methods"]["MAVEN"]}
        for quantity, value in usual.items():
            if quantity != varied:
                found = {**block["parameters"], "method_settings": settings}
                for key in quantity.split("."):
                    found = found[key]
                assert found == value, (quantity, varied)
