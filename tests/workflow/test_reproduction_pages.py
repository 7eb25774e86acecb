"""The pages of docs/ are of the configuration's replicates, and hold what was once reached."""

import re

import pytest

from .conftest import ROOT
from .test_configuration import BASE

STABLEVAL, JUDGE_ERROR = (
    (ROOT / f"docs/reproduction_{name}.md").read_text(encoding="utf-8")
    for name in ("stableval", "judge_error")
)


@pytest.mark.parametrize(
    ("page", "pattern", "experiments"),
    [
        (STABLEVAL, r"(\d+) replicates of our own draws", ["stableval_synthetic"]),
        (STABLEVAL, r"\((\d+) of their seeds\)", ["stableval_synthetic_published"]),
        (STABLEVAL, r"table 5 from (\d+)", ["stableval_synthetic_stability"]),
        (STABLEVAL, r"table 5 from \d+ and (\d+)", ["stableval_synthetic_stability_published"]),
        (
            STABLEVAL,
            r"; (\d+) replicates in each setting",
            ["stableval_own_world", "stableval_correlated"],
        ),
        (
            JUDGE_ERROR,
            r"(\d+) replicates in each setting",
            ["judge_error_by_class", "judge_error_grid", "judge_error_models"],
        ),
    ],
)
def test_a_page_has_the_replicates_of_the_configuration(page, pattern, experiments):
    """What stands there was made by the configuration that stands here."""
    wanted = [BASE["experiments"][name]["replicates"] for name in experiments]
    assert list(map(int, re.findall(pattern, page))) == wanted


def test_cells_that_came_out_still_do():
    """396 of the 397 printed cells of real data; the other is MT-Bench's. All cells of table 4."""
    same, cells = map(int, re.search(r"(\d+) of (\d+) are the same", STABLEVAL).groups())
    assert same >= cells - 1 == 396
    table_4 = STABLEVAL.partition("### Table 4 (MSE")[2].partition("###")[0]
    assert "72 of 72 cells have the printed digits" in table_4
