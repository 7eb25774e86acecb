"""A tenth of a block of the papers' scale takes no more than docs/cluster.md says."""

import sys

import pytest

from crowdgold.experiments import plan
from crowdgold.models.stan import StanModels

from .conftest import ROOT

sys.path.insert(0, str(ROOT / "benchmarks"))

from paper_scale import measured, paper_scale, tasks_of

CONFIG = paper_scale(ROOT)
PAGE = (ROOT / "docs/cluster.md").read_text(encoding="utf-8")
CASES = ["clara_coverage", "judge_error_grid", "stableval_synthetic"]


def stated(paper: str) -> tuple[float, float]:
    """Memory (MB) and disk (GB) of a paper, the largest of its lines of the page's table."""
    cells = [line.split("|") for line in PAGE.splitlines() if line.startswith(f"| {paper} |")]
    return tuple(max(float(row[k].replace(",", "")) for row in cells) for k in (-3, -2))


@pytest.mark.parametrize("experiment", CASES)
def test_a_tenth_of_a_block_takes_what_the_page_says(experiment):
    """Its memory within a tenth of what is stated, which is less than a job asks for; its disk, as
    much for every block, within what is stated for the whole paper."""
    block = CONFIG["experiments"][experiment]
    task = tasks_of(CONFIG, experiment, max(1, block["block"] // 10))[-1]
    cost = measured(task, StanModels(), None)
    memory, disk = stated(block["paper"])
    blocks = len(plan.batches(CONFIG, experiment))
    assert cost.memory < 1.1 * memory
    assert cost.tables * 10 * blocks < 1000 * disk
