"""What holds for every Items table, whatever its numbers."""

import io

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from crowdgold.types.columns import LARGEST
from crowdgold.types.items import NO_GOLD, Items, items_from_frame

finite = st.floats(-LARGEST, LARGEST, exclude_min=True, exclude_max=True)


@st.composite
def tables(draw):
    """Tables of 2 to 12 items with a truth, so that gold labels of one class are allowed."""
    n = draw(st.integers(2, 12))
    total = np.array(draw(st.lists(st.integers(1, 9), min_size=n, max_size=n)))
    truth = np.array(draw(st.lists(st.integers(0, 1), min_size=n, max_size=n)), dtype=np.int8)
    labelled = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    scores = draw(st.lists(finite, min_size=n, max_size=n).filter(lambda x: len(set(x)) > 1))
    return Items(
        item=np.array([f"i{k}" for k in range(n)], dtype=object),
        votes_positive=np.array([draw(st.integers(0, int(c))) for c in total]),
        votes_total=total,
        gold=np.where(labelled, truth, NO_GOLD).astype(np.int8),
        scores={"score": np.array(scores)},
        tie_break=np.array(draw(st.lists(finite, min_size=n, max_size=n, unique=True))),
        truth=truth,
    )


@settings(max_examples=60, deadline=None)
@given(tables())
def test_text_keeps_every_number_exactly(items):
    text = io.StringIO(items.to_frame().to_csv(index=False))
    frame = pd.read_csv(text, dtype=str, keep_default_na=False)
    again = items_from_frame(frame, np.random.default_rng(0))
    pd.testing.assert_frame_equal(again.to_frame(), items.to_frame(), check_exact=True)


@settings(max_examples=60, deadline=None)
@given(tables(), st.randoms(use_true_random=False))
def test_the_order_belongs_to_the_items_not_to_their_rows(items, random):
    rows = np.array(random.sample(range(len(items)), len(items)))
    shuffled = items.take(rows)
    assert (
        shuffled.item[shuffled.order("score")].tolist() == items.item[items.order("score")].tolist()
    )


@settings(max_examples=60, deadline=None)
@given(tables())
def test_the_order_is_a_permutation_with_scores_that_never_fall(items):
    order = items.order("score")
    assert sorted(order) == list(range(len(items)))
    assert np.all(items.scores["score"][order][1:] >= items.scores["score"][order][:-1])
