"""The stand-ins for private tasks: what the paper prints of them holds in what is drawn.

Monte Carlo comparisons are judged in standard errors, at most 5; the unit is the replicate where
its voters are shared.
"""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from scipy.special import comb, expit

from crowdgold.data import NO_GOLD, InputError
from crowdgold.experiments import configuration
from crowdgold.simulate import simulate
from crowdgold.simulate.stand_in import (
    Voting,
    calibrated,
    derive_voting,
    excess_agreement,
    rates,
)

ROOT = Path(__file__).resolve().parents[2]
EXPERIMENTS = configuration.load(ROOT / "config/experiments/maven.yaml")["experiments"]
TASK_1 = EXPERIMENTS["maven_fig1"]["parameters"] | {"n_gold": 400}
TASK_2 = EXPERIMENTS["maven_task_2"]["parameters"]
TASKS = {"Task 1": TASK_1, "Task 2": TASK_2}


def draw(task, seed=1, **changes):
    return simulate("stand_in", task | changes, np.random.default_rng(seed))


def measured(items):
    """TPR_H, TNR_H, and the excess agreement of two of an item's voters, taken at random."""
    c, v, y = items.votes_total, items.votes_positive, items.truth
    tpr, tnr = (v / c)[y == 1].mean(), (1 - v / c)[y == 0].mean()
    agree = ((comb(v, 2) + comb(c - v, 2)) / comb(c, 2)).mean()
    rate = np.where(y == 1, tpr, tnr)
    return tpr, tnr, agree / np.mean(rate**2 + (1 - rate) ** 2) - 1


def deviations(found, expected):
    """How many standard errors the means over replicates (k, m) lie from what is expected (m,)."""
    found = np.asarray(found)
    return np.abs(found.mean(axis=0) - expected) / (found.std(axis=0, ddof=1) / np.sqrt(len(found)))


@pytest.mark.parametrize("name", TASKS)
def test_the_printed_rates_and_agreement_hold_in_what_is_drawn(name):
    """12 replicates of 20,000 items; the control has the same rates and items of one difficulty,
    so that its votes are independent given the label, and must be told apart."""
    task = TASKS[name]
    expected = [task["TPR_H"], task["TNR_H"], task["excess_agreement"]]
    drawn = [draw(task, seed, n=20_000, n_labelled=500).table for seed in range(12)]
    assert np.all(deviations([measured(items) for items in drawn], expected) < 5)
    base_rates = [[items.truth.mean()] for items in drawn]
    assert np.all(deviations(base_rates, [task["phi"]]) < 5)
    independent = [
        measured(draw(task, seed, n=20_000, n_labelled=500, excess_agreement=1e-4).table)
        for seed in range(12)
    ]
    off = deviations(independent, expected)
    assert np.all(off[:2] < 5)
    assert off[2] > 5


@pytest.mark.parametrize("name", TASKS)
def test_the_derivation_solves_the_printed_equations(name):
    task = TASKS[name]
    printed = [task[key] for key in ("phi", "TPR_H", "TNR_H", "excess_agreement")]
    for sigma_s in (0.3, 1.0, 2.0):
        voting = derive_voting(*printed, sigma_s)
        np.testing.assert_allclose(rates(voting), printed[1:3], atol=1e-10)
        assert excess_agreement(voting, task["phi"]) == pytest.approx(printed[3], abs=1e-7)


def test_rates_and_agreement_against_another_rule():
    """Trapezoids on a grid of 2,001 x 2,001 points to 10 standard deviations, where the rule is
    exponentially accurate; to 1e-9."""
    voting = Voting(1.5, -0.7, 0.8, 1.7)
    points = np.linspace(-10, 10, 2001)
    weights = stats.norm.pdf(points) * (points[1] - points[0])
    agree = independent = 0.0
    for prior, shift, found in zip((0.3, 0.7), (0.8, 2.2), rates(voting), strict=True):
        chance = expit(shift + 0.8 * points[None, :] - 1.7 * points[:, None]) @ weights
        rate = weights @ chance
        assert found == pytest.approx(rate, abs=1e-9)
        agree += prior * (weights @ (chance**2 + (1 - chance) ** 2))
        independent += prior * (rate**2 + (1 - rate) ** 2)
    assert excess_agreement(voting, 0.3) == pytest.approx(agree / independent - 1, abs=1e-9)


def test_the_tasks_are_as_printed():
    """Section 5 and section 3.2.1; the correlation of votes is the same in both tasks, since the
    paper prints the agreement of one: excess = correlation x (1 - agree) / agree."""
    printed = {
        "Task 1": {"n_pool": 90_000, "n_labelled": 23_000, "phi": 0.1, "n": 4_000},
        "Task 2": {"n_pool": 358_000, "n_labelled": 34_000, "phi": 0.75, "excess_agreement": 0.17},
    }
    correlation = []
    for name, values in printed.items():
        task = TASKS[name]
        assert {key: task[key] for key in values} == values
        rate = np.array([task["TPR_H"], task["TNR_H"]])
        agree = np.array([task["phi"], 1 - task["phi"]]) @ (rate**2 + (1 - rate) ** 2)
        correlation.append(task["excess_agreement"] * agree / (1 - agree))
    assert correlation[0] == pytest.approx(correlation[1], abs=0.005)


def test_a_replicate_follows_the_protocol():
    replicate = draw(TASK_2, n=1_000, n_gold=150, n_labelled=900)
    items, reference = replicate.table, replicate.reference
    assert (len(items), len(reference)) == (1_000, 750)
    assert (items.gold != NO_GOLD).sum() == 150
    assert not set(items.item) & set(reference.item)
    assert len(draw(TASK_2, n=1_000, n_gold=900, n_labelled=900, n_reference=40).reference) == 40


def test_scores_are_probabilities_in_the_order_of_the_predictors_utility():
    """A predictor that does not follow the votes is normal given the label, where the linear
    discriminant is exact: in each of 10 bins the share of positives is the mean probability."""
    items = draw(TASK_1, n=50_000, predictors={"A": {"mu": 1.5, "delta": 0}}).table
    score = items.scores["A"]
    assert np.all((score > 0) & (score < 1))
    for rows in np.array_split(np.argsort(score), 10):
        p = score[rows]
        error = np.sqrt((p * (1 - p)).sum()) / len(rows)
        assert abs(items.truth[rows].mean() - p.mean()) < 5 * error
    raw = np.random.default_rng(0).normal(size=200)
    truth = (raw + np.random.default_rng(1).normal(size=200) > 0).astype(int)
    assert np.array_equal(np.argsort(calibrated(raw, truth, 0.3)), np.argsort(raw))


def test_scores_are_rounded_where_asked():
    scores = draw(TASK_2, resolution=0.05).table.scores["llm"]
    assert set(np.round(scores / 0.05, 9)) <= set(range(21))
    assert scores.min() >= 0
    assert scores.max() == 1


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"excess_agreement": 0.9}, "'excess_agreement': found 0.9, expected a number from .* to"),
        ({"excess_agreement": 0}, "'excess_agreement': found 0, expected a number above 0"),
        ({"TPR_H": 1}, "'TPR_H': found 1, expected a number above 0 and below 1"),
        ({"n_labelled": 1}, "'n_labelled': found 1, expected a whole number at least 2"),
        ({"n_pool": 100}, "'n_pool': found 100, expected a whole number at least 34000"),
        ({"n": 400_000}, "found n = 400000 with 400 gold labels; the pool has 34000 items with"),
        ({"n": 50_000, "n_gold": 40_000}, "with 40000 gold labels; the pool has 34000"),
        ({"n": 34_000, "n_gold": 34_000}, "34000 gold labels leave 0 of 'n_labelled' = 34000"),
        ({"resolution": 0}, "'resolution': found 0, expected a number above 0"),
        ({"pool": 3}, "no parameter 'pool'"),
    ],
)
def test_what_cannot_be_is_named(changes, message):
    with pytest.raises(InputError, match=message):
        draw(TASK_2, **changes)
