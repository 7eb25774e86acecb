"""The page on label variation is of the settings that what is published was run with."""

import re

from crowdgold.datasets.dataset import TABLE_4
from crowdgold.experiment import configuration
from crowdgold.experiment.publication import laid_over
from crowdgold.papers.label_variation.experiments import TITLES

from .conftest import ROOT
from .test_configuration import BASE

PUBLISHED = configuration.overlay(BASE, laid_over(BASE, ROOT / "config"))
PAGE = (ROOT / "docs/reproduction_label_variation.md").read_text(encoding="utf-8")


def test_the_page_on_label_variation_is_of_the_configuration():
    """The table of its data: each dataset with its methods, runs, learning rate and batch size.

    Where the published runs searched for the last two, the table has the range that they found.
    """
    own = PAGE.partition("### The data, and how methods are trained")[2]
    first = re.search(r"(?:^\|.*\n)+", own, re.MULTILINE).group()
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in first.splitlines()[2:]]
    found = {row[0]: row[-4:] for row in rows}
    wanted = {}
    # Other blocks, over subsets or with a fine-tuned encoder, are judged by themselves.
    for name in BASE["figures"]["label_variation_fig2"]["experiments"]:
        block = PUBLISHED["experiments"][name]
        given = block["parameters"]
        title = TITLES.get(given.get("subset"), TABLE_4[given["dataset"]].title)
        searched, keys = given["trials"], ("learning_rate", "batch_size")
        how = ["searched" if searched else f"{given[key]:g}" for key in keys]
        wanted[title] = [f"{len(block['vary']['method'])}", f"{block['replicates']}", *how]
    for title, (*counts, rate, size) in found.items():
        assert [*counts, rate.split(", ")[-1], size.split(", ")[-1]] == wanted[title]
    assert set(wanted) - set(found) <= {"MFRC"}
