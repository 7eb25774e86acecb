"""Counts of jobs, and what it takes to plan them; rules hold no code."""

import resource
from collections import Counter
from pathlib import PurePath

import pytest

from crowdgold.experiment import plan

from .conftest import ROOT, Checkout
from .test_configuration import SCALES


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
    texts = "hs_brexit", "md_agreement", "armis", "chaosnli_texts"
    checkout = Checkout.whole(tmp_path / "checkout", ("product_pairs", "chaosnli", *texts))
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
    config = SCALES["paper"]
    blocks = [PurePath(one) for name in config["experiments"] for one in plan.blocks(config, name)]
    entries = {path for block in blocks for path in (block, *block.parents)}
    assert len(entries) > 1000
    assert max(Counter(path.parent for path in entries).values()) <= 10_000
