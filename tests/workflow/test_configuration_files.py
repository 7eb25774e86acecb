"""Files of the configuration that cannot be used are named, with line and key, before a run."""

import re
import time

import pytest

from crowdgold.experiment import configuration as files

from .test_configuration import BASE, FIG4, ROOT, VARY, refused

HUGE = 10**12
LIMIT = f": found {HUGE}, expected at most 10000000"
NAN, INFINITE = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("level", NAN, ": found nan, expected a finite number"),
        (f"{FIG4}/parameters/mu_s", INFINITE, ": found inf, expected a"),
        (f"{VARY}/offset", [NAN], ".0: found nan, expected a"),
        (f"{FIG4}/parameters/phi", 1, ": found 1, expected exclusiveMaximum"),
        (f"{FIG4}/parameters/phi", 0, ": found 0, expected exclusiveMinimum"),
        (f"{FIG4}/parameters/n_voters", 2, ": found 2, expected at least the 3 of `votes_total`"),
        (f"{FIG4}/parameters", {"votes_total": {"3": 0.5, "101": 0.5}},
         ".n_voters: found 100, expected at least the 101 of `votes_total`"),
        (f"{VARY}/n_voters", [50, 2], ": found 2, expected at least the 3"),
        (f"{FIG4}/parameters/n", HUGE, LIMIT),
        (f"{FIG4}/replicates", HUGE, LIMIT),
        ("imputations", HUGE, LIMIT),
        (FIG4, {"replicates": 10**6, "block": 1}, f": found 54,000,000 jobs (6 settings, 1,000,000 "
         f"blocks of replicates, the methods), expected at most {files.MOST_JOBS:,}"),
        ("figures/maven_fig4/options/xx", 1, ": unknown option; did you mean 'x'?"),
        ("figures/maven_fig4/options/x", "phi", ": found 'phi', which experiment maven_fig4 does "
         "not vary; it varies gold_fraction"),
        ("figures/clara_coverage", {"plot": "arena"}, ".options.metrics: missing; plot arena"),
        ("figures/arena/options/by", ["shapes"], ": found 'shapes', which experiment"),
    ],
)  # fmt: skip
def test_what_no_run_could_use_is_named(path, value, message):
    refused(path, value, message)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("- a list", ""),
        ("3", ""),
        ("seed: 1\na: [\n", ", line 3: is not YAML"),
        ("seed: 1\n\tb: 2\n", ", line 2: is not YAML"),
        ("a: {b: 1}\nc: 1\na: {d: 1}\n", ", line 3: a: stands there twice, first in line 1"),
        ("a:\n  b: 1\n  b: 2\n", r", line 3: a\.b: stands there twice, first in line 2"),
        ("a: " + "[" * 90 + "]" * 90, f", line 1: more than {files.DEEPEST} levels"),
        ("a: " + "[" * 5000, ": more than"),
        ("a: 2026-13-45\n", ": holds a value that is none"),
        ("a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n"
         + "".join(f"{new}: &{new} [{', '.join([f'*{old}'] * 7)}]\n"
                   for old, new in zip("abcdefgh", "bcdefghi", strict=True)),
         ": more than 100,000 keys"),
        ("seed: 1\n".encode("utf-16"), " is not UTF-8 .*; save it as UTF-8"),
    ],
)  # fmt: skip
def test_a_file_that_is_not_plain_yaml_is_named_with_its_line(tmp_path, content, message):
    path = tmp_path / "mine.yaml"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    with pytest.raises(files.ConfigurationError, match=rf"mine\.yaml{message}"):
        files.load(path)


def test_an_experiment_of_two_files_is_refused_and_an_overlay_is_not(tmp_path):
    one, other = tmp_path / "one.yaml", tmp_path / "other.yaml"
    one.write_text("experiments:\n  tiny: {replicates: 1}\n")
    other.write_text("figures: {}\nexperiments:\n  tiny: {replicates: 2}\n")
    message = r"other\.yaml, line 3: experiments\.tiny is defined in .*one\.yaml, line 2 too"
    with pytest.raises(files.ConfigurationError, match=message):
        files.places_of([one, other])
    told = files.place_of("experiments.tiny.replicates: found 0", files.places_of([one], [other]))
    assert told.startswith(f"{other}, line 3: experiments.tiny.replicates")
    places = files.places_of(
        sorted((ROOT / "config/experiments").glob("*.yaml")), [ROOT / "config.yaml"]
    )
    assert all(f"experiments.{name}" in places for name in BASE["experiments"])


def test_merged_keys_stand_where_they_are_written(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text("a: &a\n  x: 1\n  y: 2\nb:\n  <<: *a\n  y: 3\n")
    content, places = files.read(path)
    assert content["b"] == {"x": 1, "y": 3}
    assert [places[key] for key in ("b.x", "b.y")] == [f"{path}, line 2", f"{path}, line 6"]


def test_snakemake_names_file_and_line(checkout):
    """And stops before anything runs, without a traceback."""
    (checkout.folder / "slip.yaml").write_text("seed: 1\n\nexperiments: {tiny: {replicates: 0}}\n")
    start = time.monotonic()
    said = checkout.run("--configfile", "slip.yaml", check=False)
    assert time.monotonic() - start < 60
    assert "slip.yaml, line 3: experiments.tiny.replicates: found 0" in said
    twice = checkout.folder / "config/experiments/more.yaml"
    twice.write_text("experiments: {}\nfigures: {tiny: {paper: MAVEN}}\n")
    more = checkout.run(check=False)
    defined = r"more\.yaml, line 2: figures\.tiny is defined in .*maven\.yaml, line \d+"
    assert re.search(defined, more)
    assert "Traceback" not in said + more
    assert not (checkout.folder / "results/data").exists()


def test_the_value_that_a_sensitivity_shades_is_that_of_all_other_experiments():
    """Each quantity's usual value is among those drawn, and is what it has where another varies."""
    figure = BASE["figures"]["maven_sensitivity"]
    usual = figure["options"]["usual"]
    assert list(usual) == figure["options"]["quantities"]
    for block in (BASE["experiments"][name] for name in figure["experiments"]):
        ((varied, values),) = block["vary"].items()
        assert usual[varied] in values
        for quantity, value in usual.items():
            found = {**block["parameters"], "method_settings": {"MAVEN": BASE["methods"]["MAVEN"]}}
            for key in quantity.split("."):
                found = found[key]
            assert quantity == varied or found == value, (quantity, varied)
