"""Vote sets and win counts are exact: equal to counting every pair of items, for any table."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import betaln
from scipy.stats import mannwhitneyu

from crowdgold.models.vote_sets import VoteParameters, find_vote_sets, win_counts
from crowdgold.types.items import NO_GOLD
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
    """1 where item i has the higher score, and 1/2 where both have the same."""
    one, other = items.scores["A"][[i, j]]
    return (1 + np.sign(one - other)) / 2


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
    wins = win_counts(sets.member, items.ranking("A"), len(sets))
    expected = np.zeros((len(sets), len(sets)))
    for i in range(len(items)):
        for j in range(len(items)):
            expected[sets.member[i], sets.member[j]] += beats(items, i, j) * (i != j)
    assert np.array_equal(wins, expected)
    pairs = np.outer(sets.count, sets.count)
    np.fill_diagonal(pairs, sets.count * (sets.count - 1))
    assert np.array_equal(wins + wins.T, pairs)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(tables(), st.data())
def test_win_counts_know_no_order_of_rows(items, data):
    """Nor the numbers that order the rows of equal scores elsewhere."""
    rows = np.array(data.draw(st.permutations(range(len(items)))))
    shuffled = replace(items.take(rows), tie_break=items.tie_break)
    wins = [
        win_counts(sets.member, table.ranking("A"), len(sets))
        for table, sets in ((one, find_vote_sets(one)) for one in (items, shuffled))
    ]
    assert np.array_equal(*wins)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(tables(gold=(0, 1)))
def test_wins_of_positives_are_the_mann_whitney_statistic(items):
    """With gold everywhere, those of positive over negative vote sets; by mid-ranks there."""
    sets = find_vote_sets(items)
    wins = win_counts(sets.member, items.ranking("A"), len(sets))
    won = wins[np.ix_(sets.gold == 1, sets.gold == 0)].sum()
    positive, negative = (items.scores["A"][items.gold == label] for label in (1, 0))
    if len(positive) and len(negative):
        assert won == mannwhitneyu(positive, negative, method="asymptotic").statistic
    else:
        assert won == 0


def test_gold_is_no_part_of_a_vote_pattern():
    items = make_items([1, 1, 1, 2, 1], [3, 3, 3, 3, 1], [NO_GOLD, 0, 1, 1, 1])
    sets = find_vote_sets(items)
    assert sets.pattern.tolist() == [0, 1, 1, 1, 2]
    assert sets.pattern_total.tolist() == [1, 3, 3]
    assert sets.pattern_positive.tolist() == [1, 1, 2]


def best_of(k, chance):
    """The chance of each (positive, total) where votes are asked for until one label has more than
    half of k: every sequence of votes that ends there is added up.
    """
    needed, found = k // 2 + 1, {}
    for votes in itertools.product((0, 1), repeat=k):
        for total in range(1, k + 1):
            positive = sum(votes[:total])
            if max(positive, total - positive) == needed:
                # Sequences that differ after their end are one.
                found.setdefault((positive, total), set()).add(votes[:total])
                break
    return {
        (positive, total): len(sequences) * chance(positive, total)
        for (positive, total), sequences in found.items()
    }


@settings(max_examples=50, deadline=None, derandomize=True)
@given(
    st.sampled_from([1, 3, 5, 7]),
    st.lists(st.tuples(st.floats(0.02, 0.98), st.floats(0.05, 50)), min_size=2, max_size=2),
)
def test_votes_until_a_majority_stands_give_the_same_likelihood(k, parameters):
    """MAVEN, footnote 2: between two parameters the ratio of the chances of what was collected is
    the ratio of the model's likelihoods, although votes stop at different numbers. The chance of a
    sequence, given the label, is E[p^v (1 - p)^(c - v)], p of Beta(a d, (1 - a) d).
    """
    chances = []
    for a, d in parameters:

        def chance(positive, total, a=a, d=d):
            shape = a * d, (1 - a) * d
            return np.exp(betaln(shape[0] + positive, shape[1] + total - positive) - betaln(*shape))

        chances.append(best_of(k, chance))
        assert sum(chances[-1].values()) == pytest.approx(1)
    positive, total = map(np.array, zip(*chances[0], strict=True))
    items = make_items(positive, total, NO_GOLD, np.zeros(len(total)))
    sets = find_vote_sets(items)
    both = VoteParameters(
        np.full(2, 0.5), np.repeat([[a] for a, _ in parameters], 2, 1),
        np.repeat([[d] for _, d in parameters], 2, 1),
    )  # fmt: skip
    likelihood = both.pattern_log_likelihood(sets)[:, sets.pattern[sets.member], 0]
    ratio = np.log(list(chances[0].values())) - np.log(list(chances[1].values()))
    assert likelihood[0] - likelihood[1] == pytest.approx(ratio, abs=1e-9)
    # The control: where the winner's votes alone are written down, the ratio is another.
    kept = [np.log(sum(p for (v, c), p in one.items() if v == k // 2 + 1)) for one in chances]
    winner = find_vote_sets(make_items([k // 2 + 1], [k // 2 + 1], NO_GOLD, np.zeros(1)))
    of_winner = both.pattern_log_likelihood(winner)[:, 0, 0]
    if k > 1 and abs(parameters[0][0] - parameters[1][0]) > 0.1:
        assert abs(of_winner[0] - of_winner[1] - (kept[0] - kept[1])) > 1e-3
