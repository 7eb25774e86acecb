"""Weighted scores that stand for the raw scores of all items in likelihoods of votes and scores.

Such a likelihood is, for each vote set k, a sum of one smooth function f_k(x_i) over its items. The
sum is kept nearly exactly by few points: the Gauss quadrature of the scores in the vote set, which
is exact for polynomials. A fit then costs the number of vote sets, not n. Far scores would stretch
the nodes over a range that is mostly empty, so that they are grouped by their distance first.
"""

from dataclasses import dataclass

import numpy as np

from crowdgold.data import NO_GOLD
from crowdgold.models.quadrature import EXHAUSTED, gauss_of_atoms
from crowdgold.models.vote_sets import VoteSets

CORE = 4.0
"""Half the width of the innermost group, in standard deviations of the bulk of a vote set's scores;
each further group reaches twice as far from the centre."""

QUARTILES_OF_NORMAL = 1.349
"""The distance between the quartiles of a normal distribution, in its standard deviations."""


@dataclass(frozen=True)
class ScorePoints:
    """P scores with the vote set and the number of items that each stands for.

    Attributes:
        score: (P,) the scores.
        weight: (P,) positive; sums to the number of items in each vote set.
        member: (P,) vote set of each point, by position.
    """

    score: np.ndarray
    weight: np.ndarray
    member: np.ndarray

    def __len__(self) -> int:
        return len(self.score)


def each_score(scores: np.ndarray, sets: VoteSets) -> ScorePoints:
    """Every item's score (n,) as a point of weight 1."""
    return ScorePoints(np.asarray(scores, float), np.ones(len(scores)), sets.member)


def compress_scores(scores: np.ndarray, sets: VoteSets, nodes: int) -> ScorePoints:
    """Few points that stand for all items.

    In a vote set, scores within `CORE` deviations of the median are one group; those beyond, on
    either side, are grouped by the power of two of their distance. A group of more than `nodes`
    distinct scores becomes its Gauss quadrature; the scores of a smaller one are kept. Where gold
    is known a third of the nodes does: the likelihood is one smooth term then, not the log of a
    sum.

    Args:
        scores: (n,) finite scores.
        nodes: nodes J of each group without gold, at least 2; polynomials up to degree 2 J - 1
            are summed exactly, so J = 2 holds mean and variance of each group.
    """
    order = np.argsort(sets.member, kind="stable")
    by_set = np.split(np.asarray(scores, float)[order], np.cumsum(sets.count)[:-1])
    found: list[tuple[int, np.ndarray, np.ndarray]] = []
    for member, own in enumerate(by_set):
        wanted = nodes if sets.gold[member] == NO_GOLD else max(2, (nodes + 2) // 3)
        atoms, mass = np.unique(own, return_counts=True)
        group = _group_by_distance(atoms, own)
        starts = np.flatnonzero(np.diff(group, prepend=group[0] - 1))
        for part in np.split(np.arange(len(atoms)), starts[1:]):
            points, weights = gauss_of_atoms(atoms[part], mass[part], wanted)
            used = weights > EXHAUSTED * mass[part].sum()
            found.append((member, points[used], weights[used]))
    members, places, masses = zip(*found, strict=True)
    sizes = [len(place) for place in places]
    return ScorePoints(
        np.concatenate(places), np.concatenate(masses), np.repeat(np.array(members), sizes)
    )


def _group_by_distance(atoms: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Number the groups of ascending atoms (N,): 0 around the median, and outwards from there."""
    lower, centre, upper = np.quantile(scores, [0.25, 0.5, 0.75])
    width = CORE * (upper - lower) / QUARTILES_OF_NORMAL
    if width == 0:  # half of the scores are equal: what the others are like decides
        width = CORE * float(np.std(atoms)) or 1.0
    distance = np.abs(atoms - centre) / width
    group = np.ceil(np.log2(np.maximum(distance, 1.0)))
    return np.asarray(np.sign(atoms - centre) * group, dtype=int)
