"""The bundled example: made again byte for byte, small, and what it says it is."""

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from crowdgold.checking.gold_sample import assess_gold_sample
from crowdgold.reading.study import read_study
from crowdgold.reading.tables import read_annotations
from crowdgold.simulate.examples import EXAMPLE as PARAMETERS
from crowdgold.simulate.examples import EXAMPLE_ANNOTATORS as ANNOTATORS
from crowdgold.simulate.examples import draw_example

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "src/crowdgold/example"
FILES = ("votes.csv", "gold.csv", "scores.csv", "truth.csv", "README.md")
MOST_BYTES = 1_000_000


@pytest.fixture(scope="module")
def tables():
    return {name: pd.read_csv(EXAMPLE / f"{name}.csv") for name in ("votes", "gold", "scores",
                                                                    "truth")}  # fmt: skip


def test_it_is_made_again_byte_for_byte(tmp_path):
    script = ROOT / "scripts/make_example.py"
    subprocess.run([sys.executable, script, tmp_path], check=True)
    assert sorted(path.name for path in EXAMPLE.iterdir()) == sorted(FILES)
    for name in FILES:
        assert (tmp_path / name).read_bytes() == (EXAMPLE / name).read_bytes(), name
    assert sum((EXAMPLE / name).stat().st_size for name in FILES) < MOST_BYTES


def test_another_seed_gives_another_example(tables):
    assert not draw_example(7)["truth"].equals(tables["truth"])


def test_gold_is_the_truth_of_some_items(tables):
    gold = tables["gold"].merge(tables["truth"], on="item", validate="one_to_one")
    assert len(gold) == PARAMETERS["n_gold"]
    assert (gold["gold"] == gold["truth"]).all()
    assert set(tables["scores"]["item"]) == set(tables["truth"]["item"])
    scores = tables["scores"].drop(columns="item")
    assert ((scores >= 0) & (scores <= 1)).all().all()


def test_annotators_vote_once_an_item_and_are_alike(tables):
    votes = read_annotations(EXAMPLE / "votes.csv")
    assert len(votes.annotator) == ANNOTATORS
    each = tables["votes"].groupby("item").size().value_counts(normalize=True)
    assert set(each.index) == set(PARAMETERS["votes_total"])
    joined = tables["votes"].merge(tables["truth"], on="item")
    rates = joined.groupby(["truth", "annotator"])["label"].agg(["mean", "size"])
    for truth, name in ((0, "a0"), (1, "a1")):
        # 4 standard errors of a mean of independent labels: 40 rates exceed it once in 400 runs.
        own, rate = rates.loc[truth], PARAMETERS[name]
        error = (rate * (1 - rate) / own["size"]) ** 0.5
        assert ((own["mean"] - rate).abs() < 4 * error).all()


def test_gold_looks_like_a_random_sample_as_the_description_says():
    """With the scores and without: four standard errors of 2,000 permutations, and the rounding."""
    said = (EXAMPLE / "README.md").read_text(encoding="utf-8")
    told = re.search(r"\(p = ([0-9.]+); p = ([0-9.]+) without the scores\)", said)
    for names, expected in zip((FILES[:3], FILES[:2]), map(float, told.groups()), strict=True):
        items = read_study([EXAMPLE / name for name in names]).items
        p = assess_gold_sample(items, np.random.default_rng(1)).p
        assert p > 0.2
        assert abs(p - expected) < 4 * np.sqrt(p * (1 - p) / 2000) + 0.005
