"""Which items are sent to experts: strata, what their labels tell, and who gets how many."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from crowdgold.cli.sample import ABOUT
from crowdgold.inference.estimate import View
from crowdgold.metrics.binary import parse_metric
from crowdgold.planning.batch import (
    ENOUGH_FOR_ALL,
    STRATA,
    item_shares,
    next_batch,
    predictions,
    strata_by_rate,
    stratum_shares,
    variances,
    with_labels,
)
from crowdgold.planning.more_labels import metrics_for
from crowdgold.simulate.design import share_out
from crowdgold.types.annotations import NO_OPINION, Opinions
from crowdgold.types.errors import InputError
from crowdgold.types.gold_draw import GoldDraw
from crowdgold.types.items import NO_GOLD
from unit.made_items import draw_items
from unit.reference import make_items

AUC = [parse_metric("AUC")]
PAGE = Path(__file__).resolve().parents[2] / "docs/how-to/templates/gold-where-it-counts.md"


def table(seed=0, **changed):
    return draw_items([9, seed], n=800, **changed)


def test_one_metric_alone_has_neymans_allocation_and_a_share_goes_by_size():
    size, spread = np.array([900, 90, 10]), np.array([0.1, 0.5, 0.4])
    cost = (size * spread)[:, None] ** 2
    best = size * spread / (size * spread).sum()
    np.testing.assert_allclose(stratum_shares(cost, size, 0.0), best)
    np.testing.assert_allclose(stratum_shares(cost, size, 0.25), 0.25 * size / 1000 + 0.75 * best)
    np.testing.assert_allclose(stratum_shares(np.zeros((3, 1)), size), size / 1000)


def test_of_several_metrics_the_product_of_shares_is_least():
    """Against every allocation of three strata on a grid of 1/200, up to what its step makes."""
    rng = np.random.default_rng(1)
    for _ in range(5):
        cost = rng.exponential(size=(3, 4)) ** 2

        def product(part, cost=cost):
            return np.log((cost / part[:, None]).sum(axis=0)).sum()

        grid = [
            np.array([one, two, 200 - one - two]) / 200
            for one in range(1, 199)
            for two in range(1, 200 - one)
        ]
        least = min(map(product, grid))
        assert product(stratum_shares(cost, np.ones(3), 0.0)) < least + 0.0005
        assert product(np.full(3, 1 / 3)) > least + 0.001  # the control: it matters


def test_items_are_drawn_as_often_as_strata_of_their_own_would_be():
    """Also where the metrics' weights are found from some of the items: 10 % of 20,000 rates."""
    rng = np.random.default_rng(2)
    few = rng.exponential(size=(40, 3)) ** 2
    np.testing.assert_allclose(item_shares(few), stratum_shares(few, np.ones(40)), rtol=1e-9)
    many = rng.exponential(size=(20_000, 3)) ** 2
    np.testing.assert_allclose(item_shares(many), stratum_shares(many, np.ones(20_000)), rtol=0.1)
    np.testing.assert_allclose(item_shares(np.zeros((5, 2))), 0.2)


def test_labels_are_shared_out_so_that_more_take_none_away():
    part, size = np.array([0.6, 0.3, 0.1]), np.array([5, 40, 55])
    order = share_out(part, size)
    assert np.bincount(order).tolist() == size.tolist()
    assert sorted(order[:6]) == [0, 0, 1, 1, 2, 2]
    counts = np.stack([np.bincount(order[:n], minlength=3) for n in range(101)])
    assert np.diff(counts, axis=0).min() == 0
    assert counts.max(axis=0).tolist() == size.tolist()
    assert abs(counts[8] - 8 * part).max() <= 1.3


@pytest.mark.parametrize("text", ["prevalence", "TPR_H", "TNR_H", "AUC", "precision@1", "recall@1"])
def test_what_a_label_adds_is_what_changing_it_does(text):
    """The metric at a prediction, with item i positive and negative instead, for 60 items of 800:
    the squared differences are in proportion to the variances, within 5 %."""
    items, metric = table(), parse_metric(text)
    guess = predictions(items)[0]
    found = variances(items, [metric], guess)[:, 0] / guess / (1 - guess)
    view, rows = View(items, "A"), np.arange(0, 800, 13)
    moved = []
    for row in rows:
        ends = []
        for label in (1.0, 0.0):
            changed = guess.copy()
            changed[row] = label
            ends.append(metric.known.value(view.mass(changed), view.ranking(), metric.threshold))
        moved.append((ends[0] - ends[1]) ** 2)
    moved = np.array(moved)
    large = moved > moved.max() / 100
    ratio = found[rows][large] / moved[large]
    np.testing.assert_allclose(ratio / np.median(ratio), 1, atol=0.05)


def test_a_difference_of_models_has_variances_of_its_own():
    items = table()
    guess = predictions(items)[0]
    texts = ["delta_AUC", "AUC", "AUC:B"]
    found = variances(items, [parse_metric(one) for one in texts], guess)
    np.testing.assert_allclose(found.sum(axis=0), 1)
    same = replace(items, scores=dict.fromkeys("AB", items.scores["A"]))
    assert variances(same, [parse_metric("delta_AUC")], guess).max() == 0
    without = np.where(np.arange(800) < 50, np.nan, items.scores["A"])
    holes = replace(items, scores={"A": without, "B": items.scores["B"]})
    assert variances(holes, AUC, predictions(holes)[0])[:50].max() == 0


def test_strata_are_intervals_of_the_rate_with_about_as_many_labels():
    """An item can have more than a stratum's part of the rates, so that two share one."""
    rate = np.random.default_rng(3).exponential(size=800)
    stratum = strata_by_rate(rate, 200)
    assert len(set(stratum)) == STRATA
    ends = [(rate[stratum == one].min(), rate[stratum == one].max()) for one in range(STRATA)]
    assert all(one[1] < other[0] for one, other in pairwise(ends))
    np.testing.assert_allclose(np.bincount(stratum, rate) / rate.sum(), 1 / STRATA, rtol=0.1)
    assert set(strata_by_rate(rate, 10)) == {0}
    assert set(strata_by_rate(np.full(800, 0.3), 200)) == {0}


def test_a_prediction_rests_on_labels_then_on_a_pilot_then_on_votes_and_ranks():
    items, pilot = table(), table(1)
    half = pilot.with_gold(np.arange(800) < 400)
    (rough, fewer), (guided,) = predictions(items), predictions(items, half)
    assert rough.mean() == pytest.approx((items.votes_positive / 3).mean(), abs=1e-6)
    assert fewer.mean() == pytest.approx(0.3 * rough.mean(), abs=1e-6)
    assert abs(guided.mean() - items.truth.mean()) < 0.03
    own = items.with_gold(np.arange(800) < 100)
    np.testing.assert_array_equal(predictions(own, half), predictions(own))
    weighed = replace(half, draw=GoldDraw(np.where(half.scores["A"] > 1, 0.9, 0.3)))
    by_chances, alike = predictions(items, weighed)
    assert np.abs(by_chances - guided).max() > 0.005
    np.testing.assert_array_equal(alike, guided)
    with pytest.raises(InputError, match="scores of A, the study of A, B"):
        predictions(items, replace(half, scores={"A": half.scores["A"]}))


def test_the_same_seed_gives_the_same_items_and_more_labels_go_on():
    """From 48 on: 30 labels have fewer strata, and other items; help and page name the number."""
    items, least = table(), ENOUGH_FOR_ALL
    few, one, more, other = (
        next_batch(items, AUC, n, seed) for n, seed in ((30, 1), (least, 1), (150, 1), (least, 2))
    )
    np.testing.assert_array_equal(more.rows[:least], one.rows)
    np.testing.assert_array_equal(more.size, one.size)
    assert set(one.rows) != set(other.rows)
    assert len(set(more.rows)) == 150
    assert len(few.size) < len(one.size)
    assert not set(few.rows) <= set(one.rows)
    back = items.take(np.random.default_rng(3).permutation(800))
    assert set(items.item[one.rows]) == set(back.item[next_batch(back, AUC, least, 1).rows])
    assert f"where there were {ENOUGH_FOR_ALL} or more" in " ".join(ABOUT.split())
    assert f"From {ENOUGH_FOR_ALL} on, a larger `--n`" in PAGE.read_text(encoding="utf-8")


def test_batches_follow_one_another_and_leave_out_what_is_labelled():
    items = table()
    seen: set[int] = set()
    for number in (1, 2, 3):
        batch = next_batch(items, AUC, 60, 1)
        assert batch.number == number
        assert not seen & set(batch.rows)
        assert batch.size.sum() == 800 - len(seen)
        assert batch.drawn.min() >= 2
        seen |= set(batch.rows)
        items = with_labels(items, batch)
        assert items.draw.batch.max() == number - 1
        assert np.nansum(items.draw.counts) == pytest.approx(800)
    assert set(np.flatnonzero(items.gold != NO_GOLD)) == seen
    everyone = with_labels(items, next_batch(items, AUC, 620, 1))
    np.testing.assert_allclose(everyone.draw.counts, 1)


def test_items_on_which_experts_are_tied_are_no_unlabelled_ones():
    """Evaluation counts them as looked at, so that sizes of strata would not agree."""
    items = table()
    labels = np.full((800, 2), NO_OPINION)
    labels[:100] = [[0, 0]] * 90 + [[0, 1]] * 10
    gold = np.where(np.arange(800) < 90, 0, NO_GOLD).astype(np.int8)
    items = replace(items, gold=gold, opinions=Opinions.of(labels))
    batch = next_batch(items, AUC, 60, 1)
    assert batch.size.sum() == 700
    assert min(batch.rows) >= 100


def test_no_batch_follows_gold_of_other_designs_or_has_more_items_than_are_left():
    items = table().with_gold(np.arange(800) % 10 == 0)
    chance = np.full(800, 0.1)
    strata = GoldDraw(chance, np.zeros(800, dtype=int), np.array([80]))
    for draw in (GoldDraw(chance), strata):
        with pytest.raises(InputError, match="no batch can follow"):
            next_batch(replace(items, draw=draw), AUC, 60, 1)
    with pytest.raises(InputError, match="found 721, expected 2 to 720"):
        next_batch(items, AUC, 721, 1)


def test_a_share_by_size_bounds_what_an_item_counts():
    """With a quarter by size no item counts for more than 4 times the average, but for rounding."""
    items = table(phi=0.03)
    items = with_labels(items, next_batch(items, AUC, 100, 1))
    for share, most in ((0.25, 4.4), (1.0, 1.1)):
        batch = next_batch(items, AUC, 200, 1, proportional=share)
        assert (batch.size / batch.drawn).max() / (700 / 200) < most
    bare = next_batch(items, AUC, 200, 1, proportional=0.0)
    assert (bare.size / bare.drawn).max() / (700 / 200) > 1.5


def test_metrics_are_of_each_model_unless_one_is_named():
    items = table()
    texts = [
        one.text for one in metrics_for(items, ["AUC", "prevalence", "recall@1", "recall:B@2"])
    ]
    assert texts == ["AUC:A", "AUC:B", "prevalence", "recall:A@1", "recall:B@1", "recall:B@2"]
    every = [one.text for one in metrics_for(items, [])]
    assert {"prevalence", "AUC:A", "AUC:B", "delta_TPR:B"} <= set(every)
    bare = make_items([0, 1, 2, 3], 3, [NO_GOLD] * 4, {})
    assert [one.text for one in metrics_for(bare, [])] == ["prevalence", "TPR_H", "TNR_H"]
    for texts, message in ((["AUX"], "no metric 'AUX'"), (["phi"], "--for phi"),
                           (["AUC:C"], "no predictor 'C'")):  # fmt: skip
        with pytest.raises(InputError, match=message):
            metrics_for(items, texts)
    with pytest.raises(InputError, match="has no scores"):
        metrics_for(bare, ["AUC"])
