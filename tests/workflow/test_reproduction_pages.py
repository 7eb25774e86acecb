"""The pages of docs/ are of the replicates and settings that what is published was run with."""

import re

import pytest

from crowdgold.datasets.dataset import TABLE_4
from crowdgold.experiment import configuration
from crowdgold.papers.label_variation.check import TITLES

from .conftest import ROOT
from .test_configuration import BASE

PUBLISHED = configuration.overlay(BASE, configuration.load(ROOT / "config/published.yaml"))
STABLEVAL, JUDGE_ERROR, LABEL_VARIATION = (
    (ROOT / f"docs/reproduction_{name}.md").read_text(encoding="utf-8")
    for name in ("stableval", "judge_error", "label_variation")
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
            [
                "judge_error_by_class",
                "judge_error_grid",
                "judge_error_models",
                "judge_error_one_judge",
            ],
        ),
    ],
)
def test_a_page_has_the_replicates_of_the_configuration(page, pattern, experiments):
    """What stands there was made by the configuration that is kept with the tables."""
    wanted = [PUBLISHED["experiments"][name]["replicates"] for name in experiments]
    assert list(map(int, re.findall(pattern, page))) == wanted


def test_the_page_on_label_variation_is_of_the_configuration():
    """The table of its data: each dataset with its methods, runs, learning rate and batch size.

    Where the published runs searched for the last two, the table has the range that they found.
    """
    own = LABEL_VARIATION.partition("### The data, and how methods are trained")[2]
    first = re.search(r"(?:^\|.*\n)+", own, re.MULTILINE).group()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in first.splitlines()[2:]]
    found = {row[0]: row[-4:] for row in rows}
    wanted = {}
    # Other blocks, over subsets or with a fine-tuned encoder, are judged by themselves.
    for name in BASE["figures"]["label_variation_fig2"]["experiments"]:
        block = PUBLISHED["experiments"][name]
        given = block["parameters"]
        title = TITLES.get(given.get("subset"), TABLE_4[given["dataset"]].title)
        how = [f"{given[key]:g}" for key in ("learning_rate", "batch_size")]
        if given["trials"]:
            how = ["searched", "searched"]
        wanted[title] = [f"{len(block['vary']['method'])}", f"{block['replicates']}", *how]
    for title, (*counts, rate, size) in found.items():
        assert [*counts, rate.split(", ")[-1], size.split(", ")[-1]] == wanted[title]
    assert set(wanted) - set(found) <= {"MFRC"}
