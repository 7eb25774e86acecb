"""Coverage of intervals from gold labels of experts who err, in small.

The controls leave out what an item adds to what is known of experts' errors, swap the errors on
positive and on negative items, and take differences for errors, or a verdict for the truth; their
intervals must miss the truth too often.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from crowdgold.inference.expert_errors import expert_errors, why_unknown
from crowdgold.inference.labels import evaluate
from crowdgold.methods import logistic
from crowdgold.methods.registry import fit
from crowdgold.metrics.binary import true_value
from crowdgold.papers.experts.experiments import with_opinions
from crowdgold.simulate import simulate
from crowdgold.simulate.expert_opinions import EXPERTS
from crowdgold.types.annotations import NO_OPINION, Opinions
from crowdgold.types.items import NO_GOLD

METRICS = ["prevalence", "TPR_H", "TNR_H", "AUC", "accuracy@1"]
STUDY = {
    "n": 2000, "n_gold": 200, "phi": 0.2, "mu_s": 3.0, "sigma_s": 2.0, "mu_d": 0.5, "sigma_d": 2.0,
    "offset": -1.0, "votes_total": 3, "n_voters": 100, "voters_seed": 1,
    "predictors": {"A": {"mu": 1.5, "delta": 1.0}},
}  # fmt: skip
REPLICATES, LEVEL = 150, 0.95
LEAST = binom.ppf(1e-4, REPLICATES, LEVEL) / REPLICATES
"""A calibrated coverage is below it once in 10,000: once in 1,000 runs of these ten."""


@pytest.fixture(scope="module")
def truth():
    """The metrics of 200,000 items, whose own error is a tenth of an interval's."""
    many = {**STUDY, "n": 200_000, "n_gold": 0}
    items = simulate("irt", many, np.random.default_rng(7)).table
    return np.array([true_value(metric, items) for metric in METRICS])


def doubled(experts, size, rng):
    """A study with two opinions on so many gold items, drawn at random, and one on the others."""
    items = simulate("irt", {**STUDY, "n_gold": 800}, rng).table
    rows = np.flatnonzero(items.gold != NO_GOLD)
    error = EXPERTS[experts].positive
    wrong = rng.random((len(rows), 2)) < error
    labels = np.full((len(items), 2), NO_OPINION)
    labels[rows] = np.where(wrong, 1 - items.truth[rows, None], items.truth[rows, None])
    labels[rng.permutation(rows)[size:], 1] = NO_OPINION
    return replace(items, gold=labels[:, 0].astype(np.int8), opinions=Opinions.of(labels))


def rarer(experts, rng):
    """A study with second opinions on the rarer class, and a third where two differ."""
    return with_opinions(simulate("irt", STUDY, rng).table, experts, "rarer", rng)


def covered(truth, drawn):
    """How often intervals of studies hold the population's values, (metrics,).

    An answer without one, which could have nearly any value, counts by its whole range.
    """
    held, answered, known = np.zeros(len(METRICS)), np.zeros(len(METRICS)), 0
    for replicate in range(REPLICATES):
        rng = np.random.default_rng([61, replicate])
        items = drawn(rng)
        if why_unknown(items):
            continue
        found = evaluate(fit("logistic-E", items, rng), items, METRICS, rng)
        ends = np.array([(one.lower, one.upper) for one in found])
        held += ~((truth < ends[:, 0]) | (ends[:, 1] < truth))
        answered += np.isfinite(ends[:, 0])
        known += 1
    assert answered.min() > 0.8 * REPLICATES
    return held / known


@pytest.mark.parametrize("experts", ["err_5", "err_10_and_3"])
def test_intervals_hold_where_experts_err(experts, truth):
    assert (covered(truth, lambda rng: rarer(experts, rng)) >= LEAST).all()


def test_intervals_hold_where_errors_are_hardly_known_and_not_without_what_these_add(
    truth, monkeypatch
):
    """30 of 800 gold items have two opinions, so that errors make most of intervals."""

    def certain(items):
        found = expert_errors(items)
        return replace(found, contributions=np.zeros_like(found.contributions))

    assert (covered(truth, lambda rng: doubled("err_5", 30, rng)) >= LEAST).all()
    monkeypatch.setattr(logistic, "expert_errors", certain)
    assert covered(truth, lambda rng: doubled("err_5", 30, rng)).min() < LEAST


def test_control_errors_that_are_swapped_miss_the_truth(truth, monkeypatch):
    """Errors of 10 and 3 %: positive items would be called negative less often than they are."""

    def swapped(items):
        found = expert_errors(items)
        return replace(found, sensitivity=found.specificity, specificity=found.sensitivity)

    monkeypatch.setattr(logistic, "expert_errors", swapped)
    assert covered(truth, lambda rng: rarer("err_10_and_3", rng)).min() < LEAST


def shares(truth, rng):
    """Of experts who call an item positive: on a third of the items they differ much."""
    differ = rng.random(len(truth)) < 1 / 3
    return np.where(truth == 1, np.where(differ, 0.6, 0.95), np.where(differ, 0.3, 0.02))


@pytest.fixture(scope="module")
def truth_of_shares():
    """The metrics of 200,000 items with the label of one expert each: shares are its chances."""
    many = {**STUDY, "n": 200_000, "n_gold": 0}
    rng = np.random.default_rng(8)
    items = simulate("irt", many, rng).table
    said = rng.random(len(items)) < shares(items.truth, rng)
    items = replace(items, truth=said.astype(np.int8))
    return np.array([true_value(metric, items) for metric in METRICS])


def differing(how):
    """Studies of items with a second opinion on the rarer class, a third where two differ."""

    def drawn(rng):
        items = simulate("irt", STUDY, rng).table
        rows = np.flatnonzero(items.gold != NO_GOLD)
        labels = (rng.random((len(rows), 3)) < shares(items.truth[rows], rng)[:, None]).astype(int)
        labels[(labels[:, 0] == 0) & (rng.random(len(rows)) < 0.9), 1] = NO_OPINION
        labels[(labels[:, 1] == NO_OPINION) | (labels[:, 0] == labels[:, 1]), 2] = NO_OPINION
        own = np.full((len(items), 3), NO_OPINION)
        own[rows] = labels
        opinions = Opinions.of(own)
        gold = np.full(len(items), NO_GOLD, dtype=np.int8)
        gold[rows] = (opinions.positive > opinions.number / 2)[rows]
        return replace(items, gold=gold, opinions=opinions).with_expert_error(how)

    return drawn


@pytest.mark.parametrize("how", ["mean", "estimate", "0"])
def test_intervals_hold_a_share_of_experts_and_not_where_one_label_is_taken_to_be_true(
    truth_of_shares, how
):
    """Controls: errors that are estimated, and a verdict of experts who never err."""
    holds = covered(truth_of_shares, differing(how)) >= LEAST
    assert holds.all() == (how == "mean"), holds
