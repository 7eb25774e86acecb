"""Prevalences and judges' rates that agree with moments of votes without labels.

With phi the prevalence, a_jy the chance of a positive vote of judge j on an item of label y,
D_j = a_j1 - a_j0, e_jk the covariance of two judges' errors given the label, q_j the judge's share
of the votes, and D = sum_j q_j D_j:

    cov(v_j, v_k) = phi (1 - phi) D_j D_k + e_jk
    var(v_j)      = phi (1 - phi) D_j^2 + s_j,       s_j the variance given the label

Averages over two judges and over one, C and S, can be seen (`vote_moments`). With m = 1 / sum q^2,
the number of judges where each votes equally often, and w = sum_j q_j D_j^2 - D^2, how unequal the
judges are:

    C = phi (1 - phi) (D^2 - w / (m - 1)) + rho s,    s = S - phi (1 - phi) (D^2 + w)

rho is the correlation of errors given the label, as `shared_errors` has it. (Where q_j differ, two
judges are taken to meet as often as by chance, and w is m sum_j q_j^2 D_j^2 - D^2.)

Judges by name: each is at least as often positive on positive items as on negative ones, so that
0 <= D_j <= min(p_j / phi, (1 - p_j) / (1 - phi)), and rho is from 0 to a most that is assumed. The
largest D is that of rho = 0 and the largest w: all D_j at their ends but one. The least D is that
of the most rho and w = 0. w is free between: nothing is assumed of how unequal judges are.

Voters who are not known: p_j and w cannot be seen. They are taken to be alike (w = 0, p_j = p), as
they are, too, where each item has others of many: then m is their number, and w / (m - 1) is small.
`LEAST` is a margin for that. Of few judges who all vote it is too small, and ranges need names.

Any phi for which some D gives such a rho, and right votes on at least a share `right` of the items
of each label, is allowed.
"""

from dataclasses import dataclass

import numpy as np

from crowdgold.inference.vote_moments import VoteMoments

LEAST = -0.05
"""Of rho, where it is not known who voted."""
_RARE = np.geomspace(1e-5, 0.0025, 9)[:-1]
PREVALENCES = np.concatenate([_RARE, np.linspace(0.0025, 0.9975, 200), 1 - _RARE[::-1]])
STEPS = np.linspace(0, 1, 25)


@dataclass(frozen=True)
class Allowed:
    """Values (draws, prevalences, steps) that agree with the moments; NaN where none do.

    Attributes:
        rho, spread: the largest correlation of errors, and the root of s that goes with it.
    """

    phi: np.ndarray
    distance: np.ndarray
    rho: np.ndarray
    spread: np.ndarray


def _most_distance(moments: VoteMoments, ends: np.ndarray) -> np.ndarray:
    """The largest D (draws, prevalences): of known judges, the best are as good as can be.

    Args:
        ends: (draws, prevalences, m) the largest q_j D_j, the largest first.
    """
    each, alone = PREVALENCES * (1 - PREVALENCES), (moments.weight**2).sum()
    # D^2 - sum_j (q_j D_j)^2, which is linear in D between one judge at the end and the next.
    wanted = moments.covariance[:, None] * (1 - alone) / each
    distance, reached = np.zeros(wanted.shape), np.zeros(wanted.shape)
    for end in np.moveaxis(ends, -1, 0):
        with np.errstate(divide="ignore", invalid="ignore"):
            step = np.where(distance > 0, (wanted - reached) / (2 * distance), end)
        step = np.clip(step, 0, end)
        reached, distance = reached + 2 * distance * step, distance + step
    return np.where(wanted < 0, -1.0, distance)


def _unequal(moments: VoteMoments, ends: np.ndarray, distance: np.ndarray) -> np.ndarray:
    """The largest w of known judges whose D is a `distance` (draws, prevalences, steps)."""
    left, squares = distance, np.zeros(distance.shape)
    for end in np.moveaxis(ends, -1, 0):
        own = np.clip(left, 0, end[..., None])
        left, squares = left - own, squares + own**2
    return np.asarray(squares / (moments.weight**2).sum() - distance**2)


def allowed_rates(moments: VoteMoments, most: float, right: float) -> Allowed:
    """Prevalences and distances D that agree with moments."""
    p, total, covariance = (
        one[:, None] for one in (moments.share, moments.variance, moments.covariance)
    )
    phi, of_judge, alone = PREVALENCES[None], moments.of_judge, (moments.weight**2).sum()
    each = phi * (1 - phi)
    # phi (1 - phi) D^2 is (C - rho S) / (1 - rho) where judges are alike, which falls in rho.
    ends = [np.maximum(covariance - rho * total, 0) / (1 - rho) for rho in (most, LEAST)]
    least = np.maximum.reduce(
        [np.sqrt(ends[0] / each), (right - p) / (1 - phi), (p - 1 + right) / phi]
    )
    top = np.minimum.reduce([np.sqrt(ends[1] / each), (1 - p) / (1 - phi), p / phi])
    if of_judge is not None:
        single = np.minimum(
            of_judge[:, None] / phi[..., None], (1 - of_judge[:, None]) / (1 - phi)[..., None]
        )
        single = -np.sort(-single * moments.weight, axis=-1)
        top = _most_distance(moments, single)
    with np.errstate(invalid="ignore"):
        found = np.where(least <= top, 1.0, np.nan)[..., None]
    distance = found * (least[..., None] + STEPS * (top - least)[..., None])
    between = each[..., None] * distance**2
    spread, shared = total[..., None] - between, covariance[..., None] - between
    if of_judge is not None:
        unequal = each[..., None] * _unequal(moments, single, distance)
        fewer = alone / (1 - alone)
        unequal = np.clip(unequal, 0, np.maximum(most * spread - shared, 0) / (most + fewer))
        spread, shared = spread - unequal, shared + fewer * unequal
    with np.errstate(divide="ignore", invalid="ignore"):
        rho = np.where(spread > 1e-9, shared / spread, most)
    phi = found * phi[..., None]
    return Allowed(phi, distance, np.clip(rho, 0, most), np.sqrt(np.maximum(spread, 0)))
