"""Gold that was drawn in batches: what its items count, against brute force, and how it is read."""

from dataclasses import replace
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest

from crowdgold.experiment.data_tables import row_of, table_of
from crowdgold.inference.design import KnownChances, drawn_from
from crowdgold.inference.estimate import View
from crowdgold.types.errors import InputError
from crowdgold.types.gold_draw import (
    GoldDraw,
    batch_weights,
    in_batches,
    note_on_draw,
    notes_on_skipped,
    read_gold_draw,
)
from crowdgold.types.items import NO_GOLD
from unit.reference import make_items

Z = np.array([3.0, 1.0, 4.0, 1.0, 5.0, 9.0, 2.0, 6.0])
"""Anything of eight items."""


def second_strata(first):
    """Two strata of the six items that are left, which depend on what the first batch showed."""
    rest = sorted((one for one in range(8) if one not in first), key=lambda one: Z[one])
    low = 2 if Z[list(first)].sum() > 6 else 3
    return [rest[:low], rest[low:]]


def every_sample():
    """Each way to draw two items at random, then two from each stratum: (chance, draw)."""
    for first in combinations(range(8), 2):
        strata = second_strata(first)
        ways = list(product(*(combinations(one, 2) for one in strata)))
        for chosen in ways:
            stratum, chance = np.full(8, -1), np.full(8, np.nan)
            stratum[list(first)], chance[list(first)] = 0, 2 / 8
            for number, (own, rows) in enumerate(zip(strata, chosen, strict=True), 1):
                stratum[list(rows)], chance[list(rows)] = number, 2 / len(own)
            draw = GoldDraw(chance, stratum, np.array([2, 2, 2]))
            yield 1 / 28 / len(ways), draw, np.array([0, 1, 1])


def total(draw):
    rows = np.flatnonzero(draw.stratum >= 0)
    return (draw.counts[rows] * Z[rows]).sum(), rows


def test_a_total_is_right_on_average_whatever_the_first_batch_showed_and_so_is_its_variance():
    """All ways to draw two batches, the second by what the first showed: the mean of the estimated
    totals and of their estimated variances are exact. Control: labelled items that count alike."""
    mean = estimated = alike = 0.0
    found = []
    for chance, draw, batch in every_sample():
        one = in_batches(draw, batch)
        value, rows = total(one)
        assert np.nansum(one.counts) == pytest.approx(8)
        assert np.nanmax(one.by_chance) <= 1
        assert one.weights(rows).mean() == pytest.approx(1)
        found.append((chance, value))
        mean += chance * value
        influence = (one.counts[rows] / one.counts[rows].mean() * Z[rows])[:, None]
        spread = KnownChances.of(one.take(rows), 8).deviations(influence)
        estimated += chance * 8**2 * (spread**2).sum() / (len(spread) - 1) / len(rows)
        alike += chance * 8 * Z[rows].mean()
    variance = sum(chance * (value - Z.sum()) ** 2 for chance, value in found)
    assert mean == pytest.approx(Z.sum(), abs=1e-9)
    assert estimated == pytest.approx(variance, rel=1e-9)
    assert abs(alike - Z.sum()) > 0.1


def test_random_batches_count_as_one_random_sample():
    drawn = np.array([20, 50, 30])
    stratum = np.full(400, -1)
    stratum[:100] = np.repeat(np.arange(3), drawn)
    chance = np.array([20 / 400, 50 / 380, 30 / 330])
    draw = GoldDraw(np.where(stratum < 0, np.nan, chance[stratum]), stratum, drawn)
    found = in_batches(draw, np.arange(3))
    np.testing.assert_allclose(found.counts[:100], 4)
    assert batch_weights(drawn, 400).sum() == pytest.approx(1)
    assert batch_weights(np.array([100, 300]), 400).tolist() == [0, 1]


def frame(**changed):
    """Ten items: a and b labelled at random, then c, d and e of two strata; f came back empty."""
    columns = {
        "gold_batch": ["", "", "2", "2", "2", "2", *[""] * 4],
        "gold_stratum": ["", "", "x", "x", "y", "y", *[""] * 4],
        "gold_stratum_size": ["", "", "5", "5", "3", "3", *[""] * 4],
    }
    return {
        name: pd.Series(changed.get(name, one), dtype="string") for name, one in columns.items()
    }


GOLD = np.array([1, 0, 1, 0, 1, -1, -1, -1, -1, -1])
ITEM = np.array(list("abcdefghij"), dtype=object)


def test_columns_of_batches_are_read():
    found = read_gold_draw(frame(), GOLD, ITEM)
    np.testing.assert_allclose(found.chance[:5], [0.2, 0.2, 0.4, 0.4, 1 / 3])
    assert np.isnan(found.chance[5:]).all()
    assert found.drawn.tolist() == [2, 2, 1]
    assert found.batch.tolist() == [0, 1, 1]
    assert "in 2 batches of 2, 3" in note_on_draw(found, GOLD).text
    (said,) = notes_on_skipped(frame(), GOLD)
    assert said.text.startswith("1 of 4 items that were sent to experts came back without a label")
    # Of ties the note on the majority of the experts tells, once.
    assert not notes_on_skipped(frame(), GOLD, ITEM == "f")
    assert found.sent[2:6].tolist() == [1, 1, 2, 2]
    assert found.take(np.array([5, 6])).sent.tolist() == [2, -1]
    # A batch of which nothing came back yet is passed over.
    later = frame(gold_batch=["", "", "2", "2", "2", "", "3", "", "", ""],
                  gold_stratum=["", "", "x", "x", "y", "", "1", "", "", ""],
                  gold_stratum_size=["", "", "5", "5", "3", "", "5", "", "", ""])  # fmt: skip
    again = read_gold_draw(later, GOLD, ITEM)
    np.testing.assert_array_equal(again.counts, found.counts)
    assert not notes_on_skipped(later, GOLD)
    assert read_gold_draw(frame(), np.full(10, -1), ITEM) is None


def some(column, **cells):
    """The column with other cells, by item."""
    values = frame()[column].tolist()
    for item, cell in cells.items():
        values[list(ITEM).index(item)] = cell
    return {column: values}


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (some("gold_batch", c="one"), "'gold_batch'.*'c'.*whole number from 1"),
        (some("gold_batch", c="0"), "'gold_batch'.*'c'.*whole number from 1"),
        (some("gold_batch", c=""), r"'c'\) with a gold label and a stratum, without a batch"),
        (some("gold_stratum", c=""), r"'c'\) of a batch without a stratum"),
        (some("gold_stratum_size", c=""), r"'c'\) without a whole number from 1"),
        (some("gold_stratum_size", c="6"), "stratum 'x' of batch 2 has 5 items and 6"),
        (some("gold_stratum", e="x", f="z"), "'x' of batch 2 has 3 items and 5"),
        (some("gold_stratum", f="z"), "no gold label in stratum 'z' of batch 2"),
        ({**some("gold_batch", f="2", g="2"), **some("gold_stratum", f="z", g="w"),
          **some("gold_stratum_size", g="4")}, "no gold label in strata 'w', 'z' of batch 2"),
        (some("gold_stratum_size", e="4", f="4"), "of batch 2 have 9 items, and 8 of the table"),
    ],
)  # fmt: skip
def test_columns_that_cannot_be_those_of_batches_are_refused_in_one_line(changed, message):
    with pytest.raises(InputError, match=message) as problem:
        read_gold_draw(frame(**changed), GOLD, ITEM)
    assert "\n" not in str(problem.value)


@pytest.mark.parametrize(("size", "right"), [("3", False), ("4", True), ("5", True), ("6", False)])
def test_an_item_that_experts_are_tied_on_need_not_be_drawn_again(size, right):
    """f of batch 2 has no gold label: of ten items five may be left for batch 3, or four. A label
    added to a batch after the next was drawn is seen."""
    third = frame(gold_batch=["", "", "2", "2", "2", "2", "3", "", "", ""],
                  gold_stratum=["", "", "x", "x", "y", "y", "1", "", "", ""],
                  gold_stratum_size=["", "", "5", "5", "3", "3", size, "", "", ""])  # fmt: skip
    gold = np.where(ITEM == "g", 1, GOLD)
    if right:
        assert read_gold_draw(third, gold, ITEM).drawn.tolist() == [2, 2, 1, 1]
        with pytest.raises(InputError, match="have 8 items, and 7 of the table had no gold label"):
            read_gold_draw(frame(), np.where(ITEM == "j", 1, GOLD), ITEM)
        return
    with pytest.raises(InputError, match=f"batch 3 have {size} items, and 5 of the table"):
        read_gold_draw(third, gold, ITEM)


def test_tables_keep_batches():
    """The row of an experiment's table gives them back, and columns say the same.

    Experts of experiments label all that is sent: their tables do not say what came back empty.
    Nor do they name strata.
    """
    draw = read_gold_draw(frame(), GOLD, ITEM)
    assert draw.names == ("of the first labels", "x of batch 2", "y of batch 2")
    items = make_items(np.arange(10) % 4, 3, GOLD, {})
    items = replace(items, item=ITEM, draw=draw)
    row = row_of(items)
    again = table_of({name: row[name][0] for name in row.column_names}).draw
    for name in set(vars(draw)) - {"sent", "names"}:
        np.testing.assert_array_equal(getattr(again, name), getattr(draw, name))
    columns = {name: pd.Series(one) for name, one in draw.to_columns().items()}
    again = read_gold_draw(columns, GOLD, ITEM)
    np.testing.assert_allclose(again.counts, draw.counts)
    np.testing.assert_array_equal(again.sent, draw.sent)


def test_resamples_vary_what_chance_decides():
    """4,000 resamples of a total; within 5 standard errors of a variance (11 %)."""
    rng = np.random.default_rng(1)
    drawn, sizes = np.array([40, 30, 30]), np.array([2000, 960, 1000])
    stratum = np.full(2000, -1)
    stratum[:100] = np.repeat(np.arange(3), drawn)
    chance = np.where(stratum < 0, np.nan, (drawn / sizes)[stratum])
    draw = in_batches(GoldDraw(chance, stratum, drawn), np.array([0, 1, 1]))
    gold = np.where(stratum < 0, NO_GOLD, rng.integers(0, 2, 2000))
    items = make_items(np.zeros(2000, dtype=int), 3, gold, {})
    known, design = drawn_from(View(replace(items, draw=draw), ""), np.arange(100))
    values = known.weights * gold[:100]
    means = [(design.times(rng) * values).mean() for _ in range(4000)]
    own = values * draw.by_chance[:100]
    expected = sum(
        len(one) / (len(one) - 1) * ((one - one.mean()) ** 2).sum() / 100**2
        for one in (own[stratum[:100] == h] for h in range(3))
    )
    assert np.var(means) == pytest.approx(expected, rel=0.11)
