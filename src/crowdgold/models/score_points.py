"""The scale of raw scores, and weighted scores that stand for them in models of votes and scores.

Such a likelihood is, for each vote set k, a sum of one smooth function f_k(x_i) over its items. The
sum is kept nearly exactly by few points: the Gauss quadrature of the scores in the vote set, which
is exact for polynomials. A fit then costs the number of vote sets, not n. Far scores would stretch
the nodes over a range that is mostly empty, so that they are grouped by their distance first.
"""

from dataclasses import dataclass

import numpy as np

from crowdgold.models.quadrature import EXHAUSTED, gauss_of_atoms
from crowdgold.models.vote_sets import VoteSets
from crowdgold.types.items import NO_GOLD

CORE = 4.0  # half the innermost group's width, in standard deviations of the bulk of scores
QUARTILES_OF_NORMAL = 1.349  # their distance, in standard deviations
FAR = 5.0  # Scores whose centre or spread exceeds this are far from what the models' priors expect


@dataclass(frozen=True)
class ScorePoints:
    """P scores with the vote set and the number of items that each stands for."""

    score: np.ndarray  # (P,) the scores
    weight: np.ndarray  # (P,) positive; sums to the number of items in each vote set
    member: np.ndarray  # (P,) vote set of each point, by position

    def __len__(self) -> int:
        return len(self.score)


def each_score(scores: np.ndarray, sets: VoteSets) -> ScorePoints:
    """Every item's score (n,) as a point of weight 1."""
    return ScorePoints(np.asarray(scores, float), np.ones(len(scores)), sets.member)


def compress_scores(scores: np.ndarray, sets: VoteSets, nodes: int) -> ScorePoints:
    """Few points that stand for all items' finite scores (n,). In a vote set, scores within `CORE`
    deviations of the median are one group; those beyond, on either side, are grouped by the power
    of two of their distance. A group of more than `nodes` J >= 2 distinct scores becomes its Gauss
    quadrature, which sums polynomials up to degree 2 J - 1 exactly (J = 2: mean and variance); the
    scores of a smaller one are kept. Where gold is known a third of the nodes does: the likelihood
    is one smooth term then, not the log of a sum.
    """
    order = np.argsort(sets.member, kind="stable")
    by_set = np.split(np.asarray(scores, float)[order], np.cumsum(sets.count)[:-1])
    found: list[tuple[int, np.ndarray, np.ndarray]] = []
    for member, own in enumerate(by_set):
        wanted = nodes if sets.gold[member] == NO_GOLD else max(2, (nodes + 2) // 3)
        atoms, mass = np.unique(own, return_counts=True)
        # Ascending atoms by distance: 0 around the median, and outwards from there.
        lower, centre, upper = np.quantile(own, [0.25, 0.5, 0.75])
        width = CORE * (upper - lower) / QUARTILES_OF_NORMAL
        if width == 0:  # half of the scores are equal: what the others are like decides
            width = CORE * float(np.std(atoms)) or 1.0
        distance = np.ceil(np.log2(np.maximum(np.abs(atoms - centre) / width, 1.0)))
        group = np.asarray(np.sign(atoms - centre) * distance, dtype=int)
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


def model_scores(scores: np.ndarray) -> tuple[np.ndarray, tuple[str, ...]]:
    """Finite scores (n,) on the scale of the score models (MAVEN, appendix C.2 and C.3), in the
    same order, and notes that say what was done. Scores that all lie in [0, 1] are
    logit-transformed; those of exactly 0 or 1 are first moved inwards by half the smallest distance
    to that end among the others (at most 1/4), which keeps their rank, log 2 beyond the nearest
    other near the end.
    """
    scores = np.asarray(scores, float)
    if scores.min() < 0 or scores.max() > 1:
        centre, spread = float(np.median(scores)), float(np.std(scores))
        if max(abs(centre), spread) <= FAR:
            return scores, ()
        return scores, (
            f"scores with median {centre:.3g} and deviation {spread:.3g}: the priors expect both "
            "to be of order 1",
        )
    at_0, at_1 = scores == 0, scores == 1
    inside = scores[~(at_0 | at_1)]
    low, high = (float(distances.min(initial=0.5)) for distances in (inside, 1 - inside))
    with np.errstate(divide="ignore"):
        logit = np.log(scores) - np.log1p(-scores)
    # By logs of distances: half the smallest may round to 0, and 1 less it to 1.
    logit[at_0] = np.log(low) - np.log(2) - np.log1p(-low / 2)
    logit[at_1] = np.log1p(-high / 2) + np.log(2) - np.log(high)
    said = "scores in [0, 1] are logit-transformed"
    for at, end, place in ((at_0, 0, f"{low / 2:.3g}"), (at_1, 1, f"1 - {high / 2:.3g}")):
        if at.any():
            said += f"; {at.sum()} at {end} moved to {place}"
    return logit, (said,)
