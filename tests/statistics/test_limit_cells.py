"""The cells of table 3 in the limit, where they are known: in the world that DS+S assumes."""

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.special import comb

from crowdgold.simulate import simulate

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "benchmarks"))
from maven_stand_in import COLUMNS, Sizes, gold_errors, limit_cells

WORLD = {"n": 300_000, "phi": 0.7, "a0": 0.2, "a1": 0.8, "mu0": -0.5, "mu1": 0.5, "sigma": 1.0,
         "votes_total": 3, "n_gold": 0}  # fmt: skip
SIZES = Sizes(n=4000, n_gold=400, n_reference=40_000)


@pytest.fixture(scope="module")
def items():
    return simulate("dawid_skene_scores", WORLD, np.random.default_rng(4)).table


def test_the_errors_of_gold_labels_alone_are_those_of_their_standard_error(items):
    """TNR_H is a mean of 3 independent votes on 120 items, and the truth that of 40,000: 0.8 sd
    in the mean; 750 parts know it to 3 %."""
    deviation = np.sqrt(0.2 * 0.8 / (3 * 0.3)) * np.sqrt(1 / 400 + 1 / 40_000)
    found = gold_errors(items, SIZES)
    assert found["TNR_H"] == pytest.approx(np.sqrt(2 / np.pi) * deviation, rel=0.12)
    smaller = gold_errors(items, Sizes(n=4000, n_gold=100, n_reference=40_000))
    for name in COLUMNS:
        assert smaller[name] == pytest.approx(2 * found[name], rel=0.2)


def test_models_that_hold_have_no_bias_and_the_majority_has_its_own(items):
    """In units of gold labels' error, which 300,000 items know to 0.05. Of the majority TNR_H is
    the mean share of negative votes among items with at most one positive vote."""
    cells = limit_cells(items, SIZES)
    for cell in (("DS", "TNR_H"), *(("DS+S", name) for name in COLUMNS)):
        assert abs(cells[cell]) < 0.25
    # Labels from votes alone say nothing of the scores beyond the votes.
    assert cells["DS", "AUC"] < -1
    votes = np.arange(2)
    share = sum(
        prior * comb(3, votes) * rate**votes * (1 - rate) ** (3 - votes)
        for prior, rate in ((0.7, 0.8), (0.3, 0.2))
    )
    expected = (share @ (1 - votes / 3) / share.sum() - 0.8) / gold_errors(items, SIZES)["TNR_H"]
    assert cells["MV", "TNR_H"] == pytest.approx(expected, abs=0.25)
    assert cells["MV", "AUC"] < -1
