"""Intervals that hold over all looks: how often any of a dozen leaves out the truth.

The control is the ordinary interval, of what gold shows and nothing more, at the same looks. It
must be wrong too often.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom
from test_designed_coverage import only_what_gold_shows

from crowdgold.inference.interval import level_of_look, price
from crowdgold.inference.labels import Fit, LabelPrediction, evaluate
from crowdgold.metrics.binary import parse_metric, true_value
from crowdgold.planning.batch import next_batch, with_labels
from crowdgold.simulate import simulate
from crowdgold.types.items import NO_GOLD

METRICS = ["prevalence", "TNR_H", "AUC"]
WORLD = {
    "n": 2000, "n_gold": 0, "votes_total": 3, "phi": 0.3, "a0": 0.2, "a1": 0.6, "d0": 1.5,
    "d1": 1.5, "predictors": {"A": {"mu": 1.5, "delta": 1.0}},
}  # fmt: skip
LOOKS = 12


def shares(items):
    """A prediction: the share of positive votes."""
    share = items.votes_positive / items.votes_total
    return Fit("votes", LabelPrediction(dict.fromkeys(["", "A"], share)))


def at_random(items, order, n):
    gold = np.full(len(items), NO_GOLD, dtype=np.int8)
    gold[order[:n]] = items.truth[order[:n]]
    return replace(items, gold=gold)


def wrong_at_some_look(studies, step, planned, designed, phi=WORLD["phi"]):
    """How often any interval leaves out the truth, ordinary and over all looks: (2, metrics)."""
    missed = np.zeros((2, len(METRICS)))
    asked = [parse_metric(one) for one in METRICS]
    for study in range(studies):
        rng = np.random.default_rng([91, study])
        items = simulate("maven", WORLD | {"phi": phi}, rng).table
        truth = [true_value(metric, items) for metric in METRICS]
        order, outside = rng.permutation(len(items)), np.zeros((2, len(METRICS)), dtype=bool)
        for look in range(1, LOOKS + 1):
            n = look * step
            items = (
                with_labels(items, next_batch(items, asked, step, study))
                if designed
                else at_random(items, order, n)
            )
            fitted = shares(items)
            for place, level in enumerate((0.95, level_of_look(0.95, n, planned))):
                with pytest.MonkeyPatch.context() as control:
                    if place == 0:
                        only_what_gold_shows(control)
                    found = evaluate(fitted, items, METRICS, rng, level, target="items")
                outside[place] |= [
                    one.lower > value or one.upper < value  # no interval leaves nothing out
                    for one, value in zip(found, truth, strict=True)
                ]
        missed += outside
    return missed


def check(missed, studies):
    """At most .05 over all looks, within a binomial band of 99.9 %; the control is beyond it."""
    most = binom.ppf(0.999, studies, 0.05)
    assert missed[1].max() <= most, missed
    assert missed[0].min() > most, missed


def test_no_look_of_twelve_at_random_gold_leaves_out_the_truth_too_often():
    """150 studies, 40 labels more at each look."""
    check(wrong_at_some_look(150, 40, 240, designed=False), 150)


@pytest.mark.slow
@pytest.mark.parametrize(("designed", "planned"), [(True, 240), (True, 60), (False, 60)])
def test_no_look_of_twelve_leaves_out_the_truth_too_often(designed, planned):
    """250 studies, 40 labels more at each look, in batches that the labels before guide, too; and
    planned for fewer labels than there are in the end."""
    check(wrong_at_some_look(250, 40, planned, designed), 250)


@pytest.mark.slow
def test_no_look_of_twelve_leaves_out_the_truth_too_often_where_few_items_are_positive():
    """80 studies with 3 % positive items, 60 labels more at each look, in guided batches."""
    check(wrong_at_some_look(80, 60, 300, designed=True, phi=0.03), 80)


def test_a_brownian_motion_stays_within_at_all_times():
    """4,000 sums of 2,000 normal numbers, looked at after each from the 20th on: at most .05 leave
    the sequence, and one and a half times the ordinary interval is left by more."""
    rng = np.random.default_rng(5)
    n = np.arange(1, 2001)
    away = np.abs(rng.normal(size=(4000, 2000)).cumsum(axis=1) / np.sqrt(n))[:, 19:]
    wide = np.array([price(0.95, one, 500) for one in n[19:]]) * 1.96
    missed = (away > wide).any(axis=1).sum()
    assert 0.01 * 4000 < missed <= binom.ppf(0.999, 4000, 0.05)
    assert (away > 1.3 * 1.96).any(axis=1).sum() > binom.ppf(0.999, 4000, 0.05)


def test_the_price_is_least_near_the_planned_number():
    prices = {n: price(0.95, n, 300) for n in (30, 100, 300, 1000, 3000)}
    assert 1.5 < prices[300] < 1.6
    assert min(prices.values()) == prices[300]
    assert prices[30] < 2.3
    assert prices[3000] < 1.9
