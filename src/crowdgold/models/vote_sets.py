"""Vote sets and win counts (MAVEN, section 3.1): all that inference needs to know of n items.

A vote set is one observed (votes_positive, votes_total, gold) tuple; a vote pattern is what is
left of it without the gold label. Few tuples occur, so models cost the number of vote sets, not n.
"""

from dataclasses import dataclass

import numpy as np

from crowdgold.data import Items
from crowdgold.kernels import kernel


@dataclass(frozen=True)
class VoteSets:
    """The m vote sets of a table and the vote set of each item.

    Attributes:
        votes_positive, votes_total, gold: (m,) the tuple of each vote set, in sorted order.
        count: (m,) items N_k in each; at least 1.
        member: (n,) vote set of each item.
        pattern: (m,) vote pattern of each vote set.
        pattern_positive, pattern_total: (p,) the votes of each vote pattern.
    """

    votes_positive: np.ndarray
    votes_total: np.ndarray
    gold: np.ndarray
    count: np.ndarray
    member: np.ndarray
    pattern: np.ndarray
    pattern_positive: np.ndarray
    pattern_total: np.ndarray

    def __len__(self) -> int:
        return len(self.count)

    @property
    def allowed(self) -> np.ndarray:
        """T^(y) for each vote set: (m, 2), true where the label y is possible."""
        return np.stack([self.gold != 1, self.gold != 0], axis=1)


def _grouped(*columns: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Number the distinct rows of integer columns in sorted order: (first index, group, count).

    The columns are packed into one integer: sorting that is far faster than sorting rows.
    """
    code = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        low = int(column.min())
        code = code * (int(column.max()) - low + 1) + (column.astype(np.int64) - low)
    _, first, group, count = np.unique(
        code, return_index=True, return_inverse=True, return_counts=True
    )
    return first, group, count


def find_vote_sets(items: Items) -> VoteSets:
    """Group items by (votes_total, votes_positive, gold)."""
    first, member, count = _grouped(items.votes_total, items.votes_positive, items.gold)
    positive, total = items.votes_positive[first], items.votes_total[first]
    pattern_first, pattern, _ = _grouped(total, positive)
    return VoteSets(
        votes_positive=positive,
        votes_total=total,
        gold=items.gold[first],
        count=count,
        member=member,
        pattern=pattern,
        pattern_positive=positive[pattern_first],
        pattern_total=total[pattern_first],
    )


@kernel()
def _count_wins(member_in_order: np.ndarray, sets: int) -> np.ndarray:
    below = np.zeros(sets, dtype=np.int64)
    wins = np.zeros((sets, sets), dtype=np.int64)
    for member in member_in_order:
        for other in range(sets):
            wins[member, other] += below[other]
        below[member] += 1
    return wins


def win_counts(member: np.ndarray, order: np.ndarray, sets: int) -> np.ndarray:
    """Count the wins W_kl: pairs with an item of k scored above an item of l.

    One pass over the items from the lowest score to the highest, so O(n log n) with the sorting
    that made `order`.

    Args:
        member: (n,) vote set of each item.
        order: (n,) positions of the items from the lowest to the highest score, ties broken.
        sets: the number of vote sets m.

    Returns:
        (m, m) counts; W_kl + W_lk = N_k N_l for k != l.
    """
    return _count_wins(member[order], sets)
