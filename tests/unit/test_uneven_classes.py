"""What gold items of a class show where some count for many times what others do."""

from dataclasses import replace

import numpy as np
import pytest

from crowdgold.data import GoldDraw
from crowdgold.data.gold_draw import kish, spread_shown, usual_weight
from crowdgold.inference import evaluate
from crowdgold.inference.degrees_of_freedom import of_strata
from crowdgold.inference.interval import unseen_share
from crowdgold.inference.uneven_classes import UnevenClasses
from crowdgold.methods import fit
from crowdgold.simulate import simulate

LIGHT, HEAVY = np.full(100, 1.0), np.full(3, 20.0)


def test_light_items_show_little_of_what_heavy_ones_add():
    """By hand: an item at random is stood for by (100 + 3 400) / 160 on average. None of the heavy
    ones shows less than one item; each shows one, but for what the light ones add (.3)."""
    usual = usual_weight(np.r_[LIGHT, HEAVY])
    assert usual == pytest.approx(1300 / 160)
    assert spread_shown(LIGHT, usual) < 6 < kish(LIGHT) == 100
    for number in (1, 2, 3):
        assert spread_shown(np.r_[LIGHT, HEAVY[:number]], 20.0) == pytest.approx(number, abs=0.6)
    assert spread_shown(np.ones(17), 1.0) == pytest.approx(17)
    assert spread_shown(np.ones(0), 3.0) == 0


def test_degrees_of_freedom_of_strata_are_fewer_where_few_items_contribute():
    """As many as Satterthwaite's of normal deviations, within the error of a kurtosis; with one
    item of 40 that contributes, the geometric mean of 39 and 2; all, where normality is taken."""
    group, drawn = np.repeat([0, 1], 40), np.array([40, 40])
    deviations = np.random.default_rng(1).standard_normal((80, 200))
    deviations -= np.repeat(
        [deviations[:40].mean(axis=0), deviations[40:].mean(axis=0)], 40, axis=0
    )
    normal, found = (of_strata(deviations, group, drawn, 80, one) for one in (True, False))
    assert found.mean() == pytest.approx(normal.mean(), rel=0.1)
    one = np.zeros((80, 1))
    one[0], one[1:40] = 39 / 40, -1 / 40
    assert of_strata(one, group, drawn, 80, False) == pytest.approx(np.sqrt(39 * 2), rel=0.05)
    assert of_strata(one, group, drawn, 80, True) == pytest.approx(39)


def test_differences_reach_what_no_item_shows():
    """Only where fewer than three items show a spread, and only as far as the share allows."""
    classes = UnevenClasses(usual=np.array([5.0, 5.0, 0.2]), shown=np.array([2.9, 3.0, 1.0]))
    ends, limits = np.array([[-0.1] * 3, [0.1] * 3]), np.array([[-1.0, 1.0]] * 3)
    wanted = np.array([True, True, True])
    found = classes.widened(ends, np.zeros(3), limits, 0.95, wanted)
    share = unseen_share(np.array([5.0, 1.0]), 0.95)
    np.testing.assert_allclose(found, [[-share[0], -0.1, -share[1]], [share[0], 0.1, share[1]]])
    np.testing.assert_array_equal(classes.widened(ends, np.zeros(3), limits, 0.95, ~wanted), ends)
    np.testing.assert_array_equal(classes.freedom, [2.0, 2.0, 2.0])


def test_recall_of_light_items_alone_reaches_what_heavy_ones_may_be():
    """All positives of an upper fifth are found, and none is among the heavy gold items. Recall is
    1, and its interval reaches as far as heavy ones allow, .025^(1 / k), k the positives counted in
    items of usual weight. Control: with k their number, as before, it would end above .93."""
    models = {"A": {"mu": 2.0, "delta": 1.0}}
    values = {"n": 2000, "n_gold": 0, "votes_total": 3, "phi": 0.2, "predictors": models,
              "a0": 0.2, "a1": 0.6, "d0": 1.5, "d1": 1.5}  # fmt: skip
    items = simulate("maven", values, np.random.default_rng(3)).table
    order = np.argsort(-items.scores["A"])
    upper = np.isin(np.arange(2000), order[:400])
    taken = np.r_[order[:160], order[-40:]]
    gold = np.where(np.isin(np.arange(2000), taken), (items.truth & upper).astype(int), -1)
    chance = np.where(upper, 160 / 400, 40 / 1600)
    drawn = GoldDraw(chance, upper.astype(int), np.array([40, 160]))
    items = replace(items, gold=gold.astype(items.gold.dtype), draw=drawn)
    level = float(items.scores["A"][order[:160]].min())
    (found,) = evaluate(
        fit("GT", items, np.random.default_rng(1)), items, [f"recall@{level}"],
        np.random.default_rng(1), target="items",
    )  # fmt: skip
    weights = 1 / chance[gold >= 0]
    counted = float((1 / chance[gold == 1]).sum()) / usual_weight(weights)
    assert found.estimate == found.upper == 1
    assert found.lower == pytest.approx(0.025 ** (1 / counted))
    assert found.lower < 0.8 < 0.93 < 0.025 ** (1 / (gold == 1).sum())
