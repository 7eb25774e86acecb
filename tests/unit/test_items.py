"""Reading, checking and writing the Items table; each message names the column and the rows."""

import numpy as np
import pandas as pd
import pytest

from crowdgold.reading.tables import read_items, write_items
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD, Items, items_from_frame

COLUMNS = {
    "item": ["a", "b", "c", "d"],
    "votes_positive": [1, 0, 2, 3],
    "votes_total": [2, 3, 2, 3],
    "gold": [1, None, 0, None],
    "score": [0.5, 0.1, 0.9, 0.1],
}


def make(rng_seed=0, **columns):
    frame = pd.DataFrame(COLUMNS | columns)
    return items_from_frame(frame, np.random.default_rng(rng_seed))


def error_of(**columns):
    with pytest.raises(InputError) as caught:
        make(**columns)
    return str(caught.value)


def test_a_good_table_becomes_items_with_the_types_that_the_methods_expect():
    items = make(score_other=[4, 3, 2, 1])
    assert len(items) == 4
    assert items.predictors == ["score", "other"]
    assert items.votes_positive.dtype == items.votes_total.dtype == np.int64
    assert items.gold.tolist() == [1, NO_GOLD, 0, NO_GOLD]
    assert items.truth is None
    assert items.oracle is None


@pytest.mark.parametrize(
    ("columns", "parts"),
    [
        ({"votes_positive": [1, -1, 2, -2]}, ["'votes_positive'", "rows 1, 3", "found -1", "0 to"]),
        ({"votes_positive": [0.5, 0, 2, 3]}, ["'votes_positive'", "row 0", "found 0.5", "whole"]),
        ({"votes_positive": ["x", 0, 2, 3]}, ["'votes_positive'", "row 0", "found 'x'", "whole"]),
        ({"votes_positive": [3, 0, 2, 4]}, ["rows 0, 3", "found 3", "at most votes_total"]),
        ({"votes_total": [2, 0, 2, 3]}, ["'votes_total'", "row 1", "found 0", "1 to"]),
        ({"votes_total": [2, 3, 2, 1e30]}, ["'votes_total'", "row 3", "found 1e+30", "2147483648"]),
        ({"gold": [1, 2, 0, None]}, ["'gold'", "row 1", "found 2", "0, 1 or an empty cell"]),
        ({"gold": ["1", "yes", "0", ""]}, ["'gold'", "row 1", "found 'yes'", "0, 1 or an empty"]),
        ({"gold": [1, None, 1, None]}, ["'gold'", "all 2 gold labels are 1", "each class"]),
        ({"score": [0.5, None, 0.9, np.inf]}, ["'score'", "rows 1, 3", "a finite number"]),
        ({"score": ["0.5", "high", "0.9", "1"]}, ["'score'", "row 1", "found 'high'"]),
        ({"score": [2, 2, 2, 2]}, ["'score'", "every score is 2", "cannot be ranked"]),
        ({"item": ["a", "b", "a", "d"]}, ["'item'", "rows 0, 2", "found 'a'", "once"]),
        ({"item": [1, "1", "c", "d"]}, ["'item'", "rows 0, 1", "once"]),
        ({"item": ["a", None, " ", "d"]}, ["'item'", "rows 1, 2", "an identifier"]),
        ({"truth": [1, 0, 0, None]}, ["'truth'", "row 3", "0 or 1"]),
        ({"oracle": [0.1, 1.5, 0, 1]}, ["'oracle'", "row 1", "found 1.5", "a probability"]),
        ({"tie_break": [1, 2, None, 4]}, ["'tie_break'", "row 2", "a finite number"]),
    ],
)
def test_each_check_names_the_column_the_rows_what_it_found_and_what_it_expects(columns, parts):
    message = error_of(**columns)
    for part in parts:
        assert part in message
    assert "\n" not in message, "one fault gives one line"


def test_all_problems_of_a_table_come_in_one_message_and_many_rows_are_counted():
    message = error_of(votes_positive=[-1, 0, 2, 3], gold=[7, None, 0, None], item=["a"] * 4)
    assert message.count("\n  - ") == 3
    frame = pd.DataFrame({"item": range(20), "votes_positive": [5] * 20, "votes_total": [1] * 20})
    for part, said in (
        (frame, r"rows 0, 1, 2, 3, 4, 5, 6, 7 and 12 more"),
        (frame[["item", "votes_positive"]], "'votes_total' is missing; the table has: item, vote"),
        (frame.iloc[:0], "the table has no rows"),
    ):
        with pytest.raises(InputError, match=said):
            items_from_frame(part, np.random.default_rng(0))


def test_gold_of_one_class_is_no_error_in_a_simulated_table():
    items = make(gold=[1, None, 1, None], truth=[1, 0, 1, 0])
    assert items.gold.tolist() == [1, NO_GOLD, 1, NO_GOLD]


@pytest.mark.parametrize("ending", ["csv", "tsv", "parquet"])
def test_a_written_table_reads_back_the_same(tmp_path, ending):
    items = make(
        score_other=[1e-300, 0.1 + 0.2, -1e17, 4], truth=[1, 0, 0, 1], oracle=[0, 1, 0.3, 1]
    )
    write_items(items, tmp_path / f"table.{ending}")
    again = read_items(tmp_path / f"table.{ending}")
    pd.testing.assert_frame_equal(again.to_frame(), items.to_frame(), check_exact=True)
    assert [path.name for path in tmp_path.iterdir()] == [f"table.{ending}"]
    with pytest.raises(InputError, match=r"ends in \.csv, \.tsv or \.parquet"):
        write_items(items, tmp_path / "table.txt")


def test_equal_scores_are_ordered_by_the_tie_breaking_numbers():
    items = make(tie_break=[0.4, 0.3, 0.2, 0.1])
    assert items.order("score").tolist() == [3, 1, 0, 2]


def test_ties_are_broken_by_the_seed_and_by_nothing_else():
    orders = {tuple(make(seed).order("score")) for seed in range(20)}
    assert orders == {(1, 3, 0, 2), (3, 1, 0, 2)}
    assert make(5).order("score").tolist() == make(5).order("score").tolist()


def test_an_unknown_predictor_is_named():
    with pytest.raises(InputError, match="no scores of predictor 'B'"):
        make().order("B")


def test_gold_labels_come_from_the_truth():
    items = make(truth=[1, 0, 0, 1])
    assert items.with_gold(np.array([0, 1, 0, 1], bool)).gold.tolist() == [-1, 0, -1, 1]
    with pytest.raises(InputError, match="only where it is known"):
        make().with_gold(np.ones(4, bool))


def test_a_part_of_a_table_keeps_rows_together_and_forgets_the_old_order():
    items = make(truth=[1, 0, 0, 1], tie_break=[1, 2, 3, 4])
    items.order("score")
    part = items.take(np.array([3, 0]))
    assert isinstance(part, Items)
    assert part.order("score").tolist() == [0, 1]
    pd.testing.assert_frame_equal(
        part.to_frame(), items.to_frame().iloc[[3, 0]].reset_index(drop=True)
    )
