"""Judges who vote against the others are found, and nobody else is."""

import numpy as np
import pytest
from scipy.stats import binom

from crowdgold.inference.shared_errors import contrary, votes_of
from crowdgold.types.annotations import MISSING


def panel(rng, right, n=1500, shared=0.0):
    """Votes (n, m) of judges right so often; a share of the items is misread by all of them."""
    truth = rng.random(n) < 0.3
    wrong = rng.random((n, len(right))) > np.array(right)
    wrong ^= (rng.random(n) < shared)[:, None]
    return (truth[:, None] ^ wrong).astype(int)


@pytest.mark.parametrize("missing", [0.0, 0.5])
def test_one_who_gives_the_other_answer_is_found(missing):
    rng = np.random.default_rng(1)
    table = panel(rng, [0.85, 0.8, 0.8, 0.75, 0.25])
    table[rng.random(table.shape) < missing] = MISSING
    assert contrary(table).tolist() == [False] * 4 + [True]
    positive, total = votes_of(table, ~contrary(table))
    assert (positive == (table[:, :4] == 1).sum(axis=1)).all()
    assert (total == (table[:, :4] != MISSING).sum(axis=1)).all()


def test_two_of_five_are_found_one_after_the_other():
    """Against both and three good ones the lesser of the two does not stand out at first."""
    table = panel(np.random.default_rng(2), [0.9, 0.9, 0.9, 0.15, 0.3])
    assert contrary(table).tolist() == [False] * 3 + [True] * 2


@pytest.mark.parametrize("right", [[0.8] * 5, [0.9, 0.9, 0.5], [0.52] * 4])
def test_judges_who_know_little_are_no_contrary_ones(right):
    """Of 200 panels none but by chance: one of 5 x 200 judges in 30,000, twice at the most."""
    found = [
        contrary(panel(np.random.default_rng([3, one]), right, 300, 0.1)).any()
        for one in range(200)
    ]
    assert sum(found) <= binom.ppf(1 - 1e-6, 1000, 1 / 30_000)


def test_an_exact_opposite_is_found_though_nothing_varies():
    """Three judges agree on all of 200 items of each class, and one says the other each time."""
    truth = np.arange(400) % 2
    assert contrary(np.stack([truth, truth, truth, 1 - truth], axis=1)).tolist() == [
        False, False, False, True,
    ]  # fmt: skip


def test_of_two_neither_is_the_one_and_votes_all_alike_say_nothing():
    assert not contrary(panel(np.random.default_rng(4), [0.9, 0.1])).any()
    assert not contrary(np.ones((50, 3), dtype=int)).any()
