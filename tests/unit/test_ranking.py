"""Rankings in which items of equal scores are one group."""

import numpy as np
import pytest

from crowdgold.types.errors import InputError
from crowdgold.types.items import Ranking
from unit.reference import make_items


def test_equal_scores_are_one_group_in_the_order_of_the_table():
    found = Ranking.of(np.array([2.0, -1.0, 2.0, 0.0, -0.0, 2.0]))
    assert found.order.tolist() == [1, 3, 4, 0, 2, 5]
    assert found.ends.tolist() == [1, 3, 6]
    assert found.sizes.tolist() == [1, 2, 3]
    assert len(found) == 6


def test_without_ties_every_item_is_a_group_and_the_order_is_that_of_the_items():
    scores = np.random.default_rng(1).normal(size=50)
    items = make_items(np.zeros(50, int), 1, -1, scores)
    found = items.ranking("A")
    assert found.ends.tolist() == list(range(1, 51))
    assert np.array_equal(found.order, items.order("A"))
    # An item without a score has no rank.
    items = make_items([0, 0], 1, -1, [1.0, np.nan])
    with pytest.raises(InputError, match="1 item without a score of 'A' cannot be ranked"):
        items.ranking("A")
