"""What judges' votes are worth by gold labels of experts whose errors are known."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from crowdgold.checking.agreement import cohen, kappa_gap, kappas_with_gold
from crowdgold.checking.judges import CORRECTED, NO_INTERVALS, TAKEN_FOR_TRUE
from crowdgold.checking.study import majority_right, positive_share
from crowdgold.inference import shared_errors
from crowdgold.inference.expert_errors import known_errors
from crowdgold.inference.shared_errors import Corrected
from crowdgold.notebook import check, read
from crowdgold.types.annotations import GivenErrors, Opinions
from crowdgold.types.gold_draw import GoldDraw
from crowdgold.types.items import Items
from unit.made_files import write_votes

WRONG = 0.05


def items_of(table: np.ndarray, opinions: Opinions) -> Items:
    """Items that judges voted on, with the majority of the opinions for gold."""
    lead = np.sign((opinions.labels == 1).sum(axis=1) - (opinions.labels == 0).sum(axis=1))
    gold = np.array([-1, 1, 0], dtype=np.int8)[lead]
    n, judges = table.shape
    return Items(
        np.arange(n), table.sum(axis=1), np.full(n, judges), gold, {}, np.arange(n) / n,
        opinions=opinions,
    )  # fmt: skip


def judged(table: np.ndarray, items: Items):
    return shared_errors.of_judges(table, items.gold, items=items, errors=known_errors(items))


def of_votes(items: Items, errors):
    counts = items.votes_positive, items.votes_total
    return shared_errors.of_votes(*counts, items.gold, items=items, errors=errors)


def panel(rng, n=200, wrong=WRONG, asked=False, spread=0.0):
    """Truth, votes of five independent judges of accuracy .9, and items with one opinion and its
    error, or second and third ones as `sample --second` asks for them.
    """
    truth = (rng.random(n) < 0.3).astype(int)
    table = truth[:, None] ^ (rng.random((n, 5)) < 0.1)
    labels = (truth[:, None] ^ (rng.random((n, 3)) < wrong)).astype(np.int8)
    if not asked:
        error = GivenErrors((wrong, wrong), (spread, spread))
        return truth, table, items_of(table, replace(Opinions.of(labels[:, :1]), error=error))
    second = (labels[:, 0] == 1) | (rng.random(n) < 0.1)
    labels[~second, 1] = labels[~(second & (labels[:, 0] != labels[:, 1])), 2] = -1
    return truth, table, items_of(table, Opinions.of(labels))


def covers(found, truth) -> bool:
    return bool(found.lower <= truth <= found.upper)


def test_the_correction_by_hand():
    """Sums over pairs of different items of Z, which one opinion gives, and of what votes say."""
    rng = np.random.default_rng(1)
    _, table, items = panel(rng, 60)
    votes, covariance = table[:, :2].astype(float), np.zeros((2, 2))
    z = (items.gold - WRONG) / (1 - 2 * WRONG)
    for mass in (z, 1 - z):
        apart = np.outer(mass, mass) * (1 - np.eye(60))
        product = votes.T @ (apart.sum(axis=1)[:, None] * votes) - votes.T @ apart @ votes
        covariance += mass.mean() * product / apart.sum()
    rho = 2 * covariance[0, 1] / np.trace(covariance)
    found = judged(table[:, :2], items)
    assert found.correlation.value == pytest.approx(rho)
    assert found.effective.value == pytest.approx(2 / (1 + rho))
    assert found.votes == 2


@pytest.mark.parametrize("asked", [False, True])
def test_five_independent_judges_are_worth_five_where_experts_err(asked):
    """89 or more of 100 studies hold 5, and 0 of a pair: fewer at .95 has a chance of .005.
    Controls, gold taken for true: fewer than 30 where there is one opinion.
    """
    rng = np.random.default_rng([2, asked])
    truth, table, _ = panel(rng, 400_000)
    kappa, hits, control = cohen(table[:, 0], truth, rng).value, np.zeros(5), np.zeros(2)
    for _ in range(100):
        _, table, items = panel(rng, asked=asked)
        errors = known_errors(items)
        found = shared_errors.of_judges(table, items.gold, items=items, errors=errors)
        own = kappas_with_gold(table, items.gold, rng, items, errors)
        better = kappa_gap(table[:, :2], items.gold, items, errors)
        hits += [
            covers(found.effective, 5), covers(of_votes(items, errors).effective, 5),
            found.pairs_lower[0, 1] <= 0 <= found.pairs_upper[0, 1], covers(own[0], kappa),
            covers(better, 0),
        ]  # fmt: skip
        plain = shared_errors.of_judges(table, items.gold)
        control += [
            covers(plain.effective, 5), covers(kappas_with_gold(table, items.gold, rng)[0], kappa)
        ]  # fmt: skip
    assert np.all(hits >= 89), hits
    assert asked or (control[0] < 30 and control[1] < 80), control


def test_what_is_not_known_of_experts_widens_intervals():
    """Errors that are given as an interval, or found from second opinions, against a number."""
    rng = np.random.default_rng(3)
    _, table, items = panel(rng, spread=0.02)
    _, other, several = panel(rng, asked=True)
    found = known_errors(several)
    exact = GivenErrors((WRONG, WRONG))
    rates = GivenErrors((1 - found.sensitivity, 1 - found.specificity), same=False)
    for votes, own, error in ((table, items, exact), (other, several, rates)):
        known = replace(own, opinions=replace(own.opinions, error=error))
        wide, narrow = (judged(votes, one).correlation for one in (own, known))
        assert wide.value == pytest.approx(narrow.value, abs=0.02)
        assert wide.upper - wide.lower > 1.05 * (narrow.upper - narrow.lower)


def test_votes_may_be_worth_any_number_more():
    """Where rho may be as low as -1 / (m - 1) there is no upper end of the effective votes."""
    rng = np.random.default_rng(4)
    panels = (panel(rng)[1:] for _ in range(30))
    found = next(
        one for one in (judged(*made) for made in panels) if one.correlation.lower == -0.25
    )
    assert np.isinf(found.effective.upper)
    assert 1 < found.effective.lower < 5


def test_gold_that_counts_unequally_has_values_without_intervals():
    rng = np.random.default_rng(5)
    _, table, items = panel(rng, 300)
    chance = np.where(np.arange(300) % 2, 0.2, 0.8)
    drawn = GoldDraw(chance)
    items = replace(items, draw=drawn, opinions=replace(items.opinions, draw=drawn))
    errors = known_errors(items)
    assert Corrected.among(np.ones(len(items), dtype=bool), items, errors).design.uneven
    found = shared_errors.of_judges(table, items.gold, items=items, errors=errors)
    assert np.isfinite(found.correlation.value)
    assert np.isnan([found.effective.lower, found.effective.upper]).all()
    (one, *_) = kappas_with_gold(table, items.gold, rng, items, errors)
    z = (items.gold - WRONG) / (1 - 2 * WRONG)
    weight = 1 / chance
    right = np.average(np.where(table[:, 0] == 1, z, 1 - z), weights=weight)
    votes, positive = np.average(table[:, 0], weights=weight), np.average(z, weights=weight)
    by_chance = votes * positive + (1 - votes) * (1 - positive)
    assert one.value == pytest.approx((right - by_chance) / (1 - by_chance))
    assert np.isnan(one.lower)


def test_the_majority_is_judged_by_corrected_labels():
    """Within 4 standard errors of the truth, some .015; the control, labels as they are, is not."""
    truth, table, items = panel(np.random.default_rng(6), 20_000)
    majority = table.sum(axis=1) > 2
    expected = [majority[truth == 1].mean(), 1 - majority[truth == 0].mean()]
    assert majority_right(items) == pytest.approx(expected, abs=0.015)
    assert positive_share(items) == pytest.approx(truth.mean(), abs=0.015)
    plain = replace(items, opinions=None)
    assert majority_right(plain)[0] < expected[0] - 0.05


def test_a_check_says_what_gold_labels_count_for(tmp_path):
    _, table, items = panel(np.random.default_rng(7))

    def told(gold, error="estimate"):
        paths = write_votes(tmp_path, table, gold)
        return check(read(*paths), expert_error=error).judges.sentences

    assert told(items.gold)[-1] == TAKEN_FOR_TRUE
    corrected = told(items.gold, "0.05")
    assert corrected[-1] == CORRECTED
    assert corrected[0] != told(items.gold)[0]
    chance = np.where(items.item % 2, 0.2, 0.8)
    known = pd.Series(items.gold).where(np.random.default_rng(8).random(200) <= chance)
    drawn = pd.DataFrame({"gold": known.astype("Int8"), "gold_probability": chance})
    assert NO_INTERVALS in told(drawn, "0.05")
