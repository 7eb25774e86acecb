"""Sizes that keep the house in order, counts of jobs, and what it takes to plan them."""

import resource
from pathlib import PurePath

import pytest

from crowdgold.experiment import configuration, plan

from .conftest import ROOT, Checkout


def lines_of(path):
    return len(path.read_text().splitlines())


@pytest.mark.parametrize(
    "path",
    [ROOT / "Snakefile", ROOT / "workflow/Snakefile", *sorted((ROOT / "scripts").glob("*.py"))],
    ids=str,
)
def test_snakefile_and_scripts_have_at_most_60_lines(path):
    assert lines_of(path) <= 60


@pytest.mark.parametrize("path", sorted((ROOT / "src").rglob("*.py")), ids=lambda path: path.name)
def test_modules_have_at_most_700_lines(path):
    assert lines_of(path) <= 700


def test_rules_have_no_code_in_them_and_functions_stand_in_one_place():
    for path in sorted((ROOT / "workflow/rules").glob("*.smk")):
        text = path.read_text()
        assert "\n    run:" not in text, path
        assert text.startswith("# What:"), path
        if path.name != "common.smk":
            assert "\ndef " not in text, path
    assert "\ndef " not in (ROOT / "workflow/Snakefile").read_text()


@pytest.mark.parametrize(("scale", "most"), [("smoke", 60), ("paper", 3000)])
def test_a_scale_has_few_enough_jobs(tmp_path, scale, most):
    checkout = Checkout.make(tmp_path / "checkout", experiments=None)
    prepared = checkout.folder / "results/datasets"
    prepared.mkdir(parents=True)
    texts = "hs_brexit", "md_agreement", "armis", "chaosnli_texts"
    for name in ("product_pairs", "chaosnli", *texts):
        (prepared / f"{name}.parquet").touch()
    targets = "figures", "validate", "arena", "answer", "hlv"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    jobs = checkout.jobs("--config", f"scale={scale}", "--", *targets)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert sum(jobs.values()) < most
    # The papers' scale is planned within a minute; in time of the processor, which other
    # work on the machine does not add to.
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 60
    assert "document" not in jobs or scale == "paper", "smoke's numbers say nothing"
    kind = "estimate" if scale == "paper" else "experiment_"
    assert sum(count for job, count in jobs.items() if job.startswith(kind)) > 1


def test_no_folder_holds_over_10_000_entries_at_the_papers_scale():
    """Of tables of blocks, the many: files and folders in each folder of theirs."""
    parts = sorted((ROOT / "config/experiments").glob("*.yaml"))
    files = [*parts, ROOT / "config.yaml", ROOT / "config/paper.yaml"]
    config = configuration.overlay({}, *map(configuration.load, files))
    entries = {
        path
        for name in config["experiments"]
        for block in plan.blocks(config, name)
        for path in (PurePath(block), *PurePath(block).parents)
    }
    assert len(entries) > 1000
    folders = [path.parent for path in entries]
    assert max(map(folders.count, set(folders))) <= 10_000
