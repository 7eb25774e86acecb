"""Vote sets and win counts are exact: equal to counting every pair of items, for any table."""

from fractions import Fraction

import numpy as np
import pandas as pd
from hypothesis import given, settings
from hypothesis import strategies as st

from crowdgold.data import NO_GOLD, items_from_frame
from crowdgold.metrics import LabelMass, RankedItems, parse_metric
from crowdgold.models.vote_sets import find_vote_sets, win_counts
from unit.reference import make_items


@st.composite
def tables(draw, gold=(-1, 0, 1)):
    """Tables of 1 to 30 items with 1 to 4 votes each, and scores of which most are tied."""
    n = draw(st.integers(1, 30))

    def column(values):
        return np.array(draw(st.lists(values, min_size=n, max_size=n)))

    total = column(st.integers(1, 4))
    share = column(st.floats(0, 1))
    return make_items(
        np.round(share * total).astype(int),
        total,
        column(st.sampled_from(gold)),
        column(st.integers(-2, 2)),
        np.array(draw(st.permutations(range(n)))),
    )


def beats(items, i, j):
    """Say whether item i ranks above item j: by score, among equals by the table's tie-break."""
    scores, tie_break = items.scores["A"], items.tie_break
    return (scores[i], tie_break[i]) > (scores[j], tie_break[j])


@settings(max_examples=150, deadline=None, derandomize=True)
@given(tables())
def test_vote_sets_are_the_distinct_tuples_in_sorted_order(items):
    sets = find_vote_sets(items)
    of_items = list(
        zip(items.votes_total, items.votes_positive, items.gold.astype(int), strict=True)
    )
    of_sets = list(zip(sets.votes_total, sets.votes_positive, sets.gold.astype(int), strict=True))
    assert of_sets == sorted(set(of_items))
    assert [of_sets[k] for k in sets.member] == of_items
    assert [of_items.count(key) for key in of_sets] == sets.count.tolist()
    patterns = list(zip(sets.pattern_total, sets.pattern_positive, strict=True))
    assert patterns == sorted({key[:2] for key in of_sets})
    assert [patterns[p] for p in sets.pattern] == [key[:2] for key in of_sets]
    assert sets.allowed.tolist() == [[gold != 1, gold != 0] for _, _, gold in of_sets]


@settings(max_examples=150, deadline=None, derandomize=True)
@given(tables())
def test_win_counts_are_those_of_every_pair_of_items(items):
    sets = find_vote_sets(items)
    wins = win_counts(sets.member, items.order("A"), len(sets))
    expected = np.zeros((len(sets), len(sets)), dtype=int)
    for i in range(len(items)):
        for j in range(len(items)):
            expected[sets.member[i], sets.member[j]] += beats(items, i, j)
    assert np.array_equal(wins, expected)
    pairs = np.outer(sets.count, sets.count)
    np.fill_diagonal(pairs, sets.count * (sets.count - 1))
    assert np.array_equal(wins + wins.T, pairs)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(tables(gold=(0, 1)))
def test_metrics_and_win_counts_break_ties_in_the_same_order(items):
    """With gold everywhere, the wins of positive over negative vote sets are the AUC: exactly."""
    sets = find_vote_sets(items)
    wins = win_counts(sets.member, items.order("A"), len(sets))
    won = int(wins[np.ix_(sets.gold == 1, sets.gold == 0)].sum())
    pairs = int((items.gold == 1).sum()) * int((items.gold == 0).sum())
    metric = parse_metric("AUC")
    area = metric.value([LabelMass.of_labels(items.gold)], [RankedItems.of(items, "A")])
    if pairs:
        assert area == float(Fraction(won, pairs))
    else:
        assert np.isnan(area)


def test_ties_are_broken_once_and_by_the_seed():
    """One seed gives one order of 199 tied scores, in win counts and metrics; 20 seeds give many.

    With 100 positives and 100 negatives at random, the AUC has the Mann-Whitney standard deviation
    sqrt(201 / (12 x 100 x 100)) = 0.041. The one item on top is a negative, which shifts the mean
    by -1/200 and leaves the deviation; the mean of 20 seeds is within 5 standard errors of that.
    """
    frame = pd.DataFrame(
        {
            "item": np.arange(200),
            "votes_positive": 1,
            "votes_total": 2,
            "gold": np.arange(200) % 2,
            "score": (np.arange(200) == 0).astype(float),
        }
    )

    def area(seed):
        items = items_from_frame(frame, np.random.default_rng(seed))
        sets = find_vote_sets(items)
        wins = win_counts(sets.member, items.order("score"), len(sets))
        mass, ranked = LabelMass.of_labels(items.gold), RankedItems.of(items, "score")
        value = parse_metric("AUC").value([mass], [ranked])
        assert value == wins[1, 0] / 100**2
        return value

    areas = np.array([area(seed) for seed in range(20)])
    assert area(3) == areas[3]
    assert len(set(areas)) > 15
    assert abs(areas.mean() - 0.495) < 5 * np.sqrt(201 / (12 * 100 * 100) / 20)


def test_gold_is_no_part_of_a_vote_pattern():
    items = make_items([1, 1, 1, 2, 1], [3, 3, 3, 3, 1], [NO_GOLD, 0, 1, 1, 1])
    sets = find_vote_sets(items)
    assert sets.pattern.tolist() == [0, 1, 1, 1, 2]
    assert sets.pattern_total.tolist() == [1, 3, 3]
    assert sets.pattern_positive.tolist() == [1, 1, 2]
