"""What makes jobs run again: a changed file or value that they use, and nothing else."""

import pytest

from .conftest import module_path

EVERY_ESTIMATE = {"estimate": 2, "summarise": 1, "figure_tiny": 1, "all": 1}


def test_a_second_run_does_nothing_and_says_so(finished):
    assert "Nothing to be done" in finished.run()


@pytest.mark.parametrize(
    ("path", "jobs"),
    [
        (module_path("simulator", "maven"), {"simulate": 2, **EVERY_ESTIMATE}),
        (module_path("simulator", "irt"), {}),
        (module_path("method", "GT"), EVERY_ESTIMATE),
        (module_path("method", "ORACLE"), EVERY_ESTIMATE),
        (module_path("method", "MAVEN"), {}),
        ("src/crowdgold/experiment/drawing.py", {"simulate": 2, **EVERY_ESTIMATE}),
        ("src/crowdgold/experiment/estimating.py", EVERY_ESTIMATE),
        (module_path("plot", "error_and_width"), {"figure_tiny": 1, "all": 1}),
        ("src/crowdgold/experiment/computation.py", {}),
        ("scripts/summarise.py", {"summarise": 1, "figure_tiny": 1, "all": 1}),
        ("scripts/compute.py", {}),
    ],
)
def test_an_edited_file_reruns_exactly_the_rules_that_import_it(finished, path, jobs):
    finished.edit(path)
    assert finished.jobs() == jobs


def test_touching_without_a_change_reruns_nothing(finished):
    for folder in ("src", "scripts", "stan", "toolchain", "workflow"):
        for file in (finished.folder / folder).rglob("*.*"):
            file.touch()
    assert finished.jobs() == {}


def test_a_moved_folder_reruns_nothing(finished, tmp_path):
    assert finished.copy(tmp_path / "moved").jobs() == {}


@pytest.mark.parametrize(
    ("before", "after", "jobs"),
    [
        ("title: A run", "title: One run", {}),
        ("n: 200", "n: 210", {"simulate": 2, **EVERY_ESTIMATE}),
        ("[TNR_H, AUC,", "[AUC,", EVERY_ESTIMATE),
        ("[0.3, 0.6]", "[0.3, 0.6, 0.9]", {"simulate": 1, **EVERY_ESTIMATE, "estimate": 1}),
    ],
)
def test_a_changed_value_reruns_exactly_the_jobs_that_use_it(finished, before, after, jobs):
    path = finished.folder / "config/experiments/maven.yaml"
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))
    assert finished.jobs() == jobs


def test_the_sampler_concerns_only_the_methods_that_sample(finished):
    path = finished.folder / "config.yaml"
    path.write_text(path.read_text().replace("draws: 500", "draws: 400"))
    assert finished.jobs() == {}


def test_the_bootstrap_concerns_every_estimate(finished):
    path = finished.folder / "config.yaml"
    path.write_text(path.read_text().replace("bootstrap: 1000", "bootstrap: 300"))
    assert finished.jobs() == EVERY_ESTIMATE
