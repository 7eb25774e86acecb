"""Coverage of logistic-R from gold labels and scores alone, about the population."""

import numpy as np
import pytest
from scipy.stats import binom, norm

from crowdgold.checking.gold_sample import assess_gold_sample
from crowdgold.inference.labels import evaluate
from crowdgold.inference.rectified import POPULATION
from crowdgold.methods.registry import fit
from unit.reference import make_items

SAMPLES, SIZE, GOLD, POSITIVE, SHIFT = 300, 2000, 60, 0.3, 1.5
METRICS = ("prevalence", "AUC")
NOISE = {"normal": np.random.Generator.normal, "heavy tails": np.random.Generator.standard_cauchy}
AREA = {"normal": norm.cdf(SHIFT / np.sqrt(2)), "heavy tails": 0.5 + np.arctan(SHIFT / 2) / np.pi}
"""AUC of the population: the difference of two normal, or two Cauchy, numbers is one again."""


def study(shape, sample, by_score=False):
    """Items without votes, their gold a random sample, or (`by_score`) more of high scores."""
    rng = np.random.default_rng([list(NOISE).index(shape), sample])
    label = rng.random(SIZE) < POSITIVE
    score = NOISE[shape](rng, size=SIZE) + SHIFT * label
    weight = (score.argsort().argsort() + 1.0) ** 6 if by_score else np.ones(SIZE)
    gold = np.full(SIZE, -1)
    chosen = rng.choice(SIZE, GOLD, replace=False, p=weight / weight.sum())
    gold[chosen] = label[chosen]
    return make_items(np.zeros(SIZE, dtype=int), 0, gold, score)


def covered(shape, by_score=False):
    """Of each metric how many intervals hold the truth: (2,)."""
    truth, found = np.array([POSITIVE, AREA[shape]]), []
    for sample in range(SAMPLES):
        items, rng = study(shape, sample, by_score), np.random.default_rng(0)
        fitted = fit("logistic-R", items, rng)
        estimates = evaluate(fitted, items, METRICS, rng, target=POPULATION)
        found.append([(one.lower, one.upper) for one in estimates])
    lower, upper = np.moveaxis(np.array(found), -1, 0)
    return ((lower <= truth) & (truth <= upper)).sum(axis=0)


def band():
    """Between which numbers of 300 intervals 999 of 1,000 worlds lie, at a coverage of .95."""
    return tuple(binom.ppf([0.0005, 0.9995], SAMPLES, 0.95))


@pytest.mark.parametrize("shape", NOISE)
def test_intervals_without_votes_cover(shape):
    """Of 300 samples of 60 gold labels among 2,000 items: binomial bounds 271 to 296.

    Measured: normal .97 (prevalence) and .98 (AUC), heavy tails .94 and .95.
    """
    low, high = band()
    assert (low, high) == (271, 296)
    found = covered(shape)
    assert ((low <= found) & (found <= high)).all()


def test_intervals_from_gold_that_was_chosen_by_score_do_not_cover():
    """The prevalence is missed by far, and the test of gold says why from ranks alone."""
    assert covered("normal", by_score=True)[0] < band()[0] - 30
    for sample in range(5):
        items, rng = study("normal", sample, by_score=True), np.random.default_rng(sample)
        assert assess_gold_sample(items, rng).surely_chosen
