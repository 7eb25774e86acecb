"""A tenth of a block of the papers' scale takes no more than docs/cluster.md says."""

import json
import subprocess
import sys

import pandas as pd
import pytest

from crowdgold.experiment import plan
from crowdgold.experiment.pieces import COSTS
from crowdgold.experiment.wiring import unavailable

from .conftest import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

from paper_scale import drawn, paper_scale

CONFIG = paper_scale(ROOT)
PAGE = (ROOT / "docs/cluster.md").read_text(encoding="utf-8")
CASES = ["clara_coverage", "judge_error_grid", "maven_autoeval", "stableval_synthetic"]
# In a process of its own: a fork of this one would count what other tests have left in memory.
MEASURE = """
import json, sys
from pathlib import Path
from paper_scale import StanModels, measured, paper_scale, tasks_of
root, name, replicates = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
cost = measured(tasks_of(paper_scale(root), name, replicates)[-1], StanModels(), None)
print(json.dumps(cost._asdict()))
"""


def stated(paper: str) -> tuple[float, float]:
    """Memory (MB) and disk (GB) of a paper, the largest of its lines of the page's table."""
    cells = [line.split("|") for line in PAGE.splitlines() if line.startswith(f"| {paper} |")]
    return tuple(max(float(row[k].replace(",", "")) for row in cells) for k in (-3, -2))


def measured(experiment: str, replicates: int) -> dict[str, float]:
    """What some replicates take, in a process of their own."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURE, str(ROOT), experiment, str(replicates)],
        cwd=ROOT / "benchmarks",
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout.splitlines()[-1])


def test_every_experiment_whose_data_can_be_had_has_its_hours():
    """`make piece` runs those of the table alone, so that one without hours would never be run."""
    known = set(pd.read_csv(ROOT / COSTS)["experiment"])
    used = {name: plan.dataset(CONFIG["experiments"][name]) for name, _ in drawn(CONFIG)}
    assert [name for name, data in used.items()
            if name not in known and not (data and unavailable(data))] == []  # fmt: skip


@pytest.mark.parametrize("experiment", CASES)
def test_a_tenth_of_a_block_takes_what_the_page_says(experiment):
    """Its memory within a tenth of what is stated, which is less than a job asks for; its disk, as
    much for every block, within what is stated for the whole paper."""
    block = CONFIG["experiments"][experiment]
    measured(experiment, 1)  # compiles models and kernels, where none are kept
    cost = measured(experiment, max(1, block["block"] // 10))
    memory, disk = stated(block["paper"])
    assert 0 < cost["memory"] < 1.1 * memory
    assert 0 < cost["tables"] * 10 * len(plan.batches(CONFIG, experiment)) < 1000 * disk
