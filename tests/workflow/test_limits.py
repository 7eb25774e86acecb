"""Counts of jobs, and what it takes to plan them; rules hold no code."""

import resource
import subprocess
import sys
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


LOADED = """
import atexit, sys
from crowdgold.system.packages import COMPUTING, postpone
# What stands for a module has no file.
atexit.register(lambda: print("loaded", *(
    name for name in COMPUTING if getattr(sys.modules.get(name), "__file__", ""))))
"""
PLANNED = "from snakemake.cli import main; main(sys.argv[1:])"
USED = """
postpone()
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
import pandas as pd
import pyarrow as pa
from scipy.special import expit
from numba import njit
@njit(cache=True)
def double(x: pd.Series | None): return 2 * x
assert not any(getattr(sys.modules[name], "__file__", "") for name in ("pandas", "scipy", "numba"))
# Snakemake's threads may use two of them at once.
at_once = Barrier(2)
with ThreadPoolExecutor(2) as pool:
    asked = pool.map(lambda one: at_once.wait() >= 2 or isinstance(1, one), (pd.Series, pa.Table))
assert not any(asked)
assert isinstance(pd.DataFrame({"a": [1]}), pd.DataFrame) and not isinstance(1, pd.Series)
assert expit(0) == 0.5
import scipy.stats
assert scipy.stats.norm.cdf(0) == 0.5
"""


def _loaded(code: str, *arguments: str, **options: object) -> set[str]:
    """Of the modules that compute, those that a program has loaded when it ends."""
    command = [sys.executable, "-c", LOADED + code, *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, **options)
    return set(ended.stdout.splitlines()[-1].split()[1:])


@pytest.mark.parametrize("scale", ["smoke", "paper"])
def test_planning_loads_nothing_that_computes(tmp_path, scale):
    checkout = Checkout.whole(tmp_path / "checkout", ("product_pairs", "chaosnli"))
    asked = ("-n", "--cores", "1", "--nolock", "--config", f"scale={scale}", "--", "figures")
    assert _loaded(PLANNED, *asked, cwd=checkout.folder) == set()


def test_a_module_that_waits_is_loaded_when_it_is_used_and_no_other():
    assert _loaded(USED) == {"pandas", "scipy", "pyarrow"}
    assert _loaded("import scipy") == {"scipy"}
