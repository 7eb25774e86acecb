"""A panel's chance of a positive vote on an item, as the score model of MAVEN takes it.

In MAVEN, U_i | Y_i, P_i ~ Normal(mu Y_i + delta P_i, 1) ranks the items; P_i is the chance that a
voter calls the item positive. For named judges with a common effect z_i (`judge_votes`) P_i is the
mean of the judges' chances, whether or not they voted on the item:

    P_i = 1/m sum_j Phi((b_jy + sqrt(r_y) z_i) / sqrt(1 - r_y))        y = Y_i

Given votes and label it has known masses at the nodes of z. A beta distribution with the same mean
and variance stands for them, as a utility tells the two hardly apart: with |delta| up to 3 its
distribution function is right to 0.003 given the votes, and to 0.01 without, for five judges as in
the tests. Over 40 draws of the prior with 2 to 10 judges it was off by 0.018 at most, and by 0.09
with |delta| = 10. What MAVEN's cut and its tables of utilities ask of a vote model, they find here.

Judges give many patterns of votes. Patterns that say nearly the same of the label and of P_i are
taken together, so that the cost does not depend on the number of judges.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logit, logsumexp, ndtr

from crowdgold.models.judge_votes import LOG_WEIGHTS, JudgeDraws
from crowdgold.models.stan import spread_draws
from crowdgold.models.vote_sets import VoteParameters, VoteSets

OF_LABEL, OF_CHANCE = 6, 3
"""Groups of patterns by what they say of the label, and parts of each by what they say of P_i."""
MOST_GROUPS = OF_LABEL * OF_CHANCE
GROUPING_DRAWS = 20
"""Draws over which is averaged what a pattern says, to find its group."""
LEAST_CHANCE = 1e-6
"""Of a positive and of a negative vote, on average."""
SCALES = (1e-3, 1e4)
"""Least and largest scale of a beta distribution, the sum of its shapes. Without a common effect
P_i is a constant given the label; at the largest scale its standard deviation is 0.005 at most."""


@dataclass(frozen=True)
class PatternGroups:
    """Patterns of votes in groups that say nearly the same of the label and of P_i.

    Attributes:
        vote: (p, m) votes of each pattern, as `JudgeRows` has them.
        count: (p,) items of each.
        group: (p,) group of each, numbered by the odds of the label and then by P_i.
    """

    vote: np.ndarray
    count: np.ndarray
    group: np.ndarray

    def __len__(self) -> int:
        return int(self.group.max()) + 1

    def sum(self, values: np.ndarray) -> np.ndarray:
        """Sums of values (K, p) over the patterns of each group: (K, g)."""
        return np.stack([np.bincount(self.group, one, len(self)) for one in values])


@dataclass(frozen=True)
class PanelChances(VoteParameters):
    """Draws of a panel's model, as those of voters who are alike; a group counts as votes.

    `a` and `d` are the mean and the beta scale of P_i given the label alone.

    Attributes:
        alpha, beta: (D, g, 2) beta shapes of P_i given group and label.
        log_odds: (D, g) of the label given the group.
    """

    alpha: np.ndarray
    beta: np.ndarray
    log_odds: np.ndarray

    def select(self, draws: np.ndarray) -> "PanelChances":
        """The draws at these positions."""
        of_label = self.phi[draws], self.a[draws], self.d[draws]
        return PanelChances(*of_label, self.alpha[draws], self.beta[draws], self.log_odds[draws])

    def mean(self) -> "PanelChances":
        """One draw in the middle of all, from which the search for (mu, delta) begins."""
        alike = super().mean()
        shapes = [np.exp(np.log(x).mean(axis=0, keepdims=True)) for x in (self.alpha, self.beta)]
        log_odds = self.log_odds.mean(axis=0, keepdims=True)
        return PanelChances(alike.phi, alike.a, alike.d, shapes[0], shapes[1], log_odds)

    def shapes(self, sets: VoteSets) -> tuple[np.ndarray, np.ndarray]:
        """The beta shapes of P_i given its group and label, each (D, p, 2)."""
        return self.alpha[:, sets.pattern_positive], self.beta[:, sets.pattern_positive]

    def pattern_log_likelihood(self, sets: VoteSets) -> np.ndarray:
        """The log-likelihood of each label given the group, up to a constant: (D, p, 2)."""
        odds = self.log_odds[:, sets.pattern_positive] - logit(self.phi)[:, None]
        return np.stack([np.zeros_like(odds), odds], axis=-1)


def group_by(value: np.ndarray, count: np.ndarray, most: int) -> np.ndarray:
    """The group (p,) of each pattern by Ward's rule: neighbours that differ least are joined.

    Args:
        value: (p,) what patterns of a group have nearly in common.
        count: (p,) items of each.
        most: groups that are left.
    """
    order = np.argsort(value, kind="stable")
    mean, weight = value[order], count[order].astype(float)
    first = np.arange(len(order))
    while len(first) > most:
        total = weight[:-1] + weight[1:]
        at = int(np.argmin(weight[:-1] * weight[1:] / total * np.diff(mean) ** 2))
        mean[at] += weight[at + 1] / total[at] * (mean[at + 1] - mean[at])
        weight[at] = total[at]
        mean, weight, first = (np.delete(x, at + 1) for x in (mean, weight, first))
    group = np.empty(len(order), dtype=int)
    group[order] = np.searchsorted(first, np.arange(len(order)), side="right") - 1
    return group


def group_patterns(
    draws: JudgeDraws, vote: np.ndarray, count: np.ndarray, parts: tuple[int, int] | None = None
) -> PatternGroups:
    """Patterns of votes (p, m), with items (p,) of each, in groups by what they say.

    First by the odds of the label, then by the log odds of the mean of P_i, averaged over labels.

    Args:
        parts: at most so many of both; `OF_LABEL` and `OF_CHANCE` where not given.
    """
    of_label, of_chance = parts or (OF_LABEL, OF_CHANCE)
    some = draws.select(spread_draws(len(draws), min(GROUPING_DRAWS, len(draws))))
    alone = panel_chances(some, PatternGroups(vote, count, np.arange(len(vote))))
    chance = np.log(alone.alpha / alone.beta).mean(axis=(0, 2))
    label = group_by(expit(alone.log_odds).mean(axis=0), count, of_label)
    group = np.empty(len(vote), dtype=int)
    for one in range(label.max() + 1):
        own = label == one
        group[own] = one * of_chance + group_by(chance[own], count[own], of_chance)
    return PatternGroups(vote, count, np.unique(group, return_inverse=True)[1])


def group_sets(group: np.ndarray, gold: np.ndarray) -> VoteSets:
    """Vote sets of items of some groups (n,) with gold labels (n,); a group counts as votes."""
    both = np.column_stack([group, gold])
    found, member, count = np.unique(both, axis=0, return_inverse=True, return_counts=True)
    groups, pattern = np.unique(found[:, 0], return_inverse=True)
    total = np.full(len(found), groups.max())
    return VoteSets(
        found[:, 0], total, found[:, 1], count, member.ravel(), pattern, groups,
        np.full(len(groups), groups.max()),
    )  # fmt: skip


def _shapes(mean: np.ndarray, variance: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean, off 0 and 1, and the scale of the beta distribution with mean and variance."""
    mean = np.clip(mean, LEAST_CHANCE, 1 - LEAST_CHANCE)
    room = mean * (1 - mean)
    scale = room / np.maximum(variance, room / (SCALES[1] + 1)) - 1
    return mean, np.maximum(scale, SCALES[0])


def panel_chances(draws: JudgeDraws, groups: PatternGroups) -> PanelChances:
    """The panel's chance of a positive vote under each draw, by group and label."""
    found = [
        _at_draw(float(phi), place, each, groups)
        for phi, (place, each) in zip(draws.phi, draws.at_nodes(groups.vote), strict=True)
    ]
    overall, moments, odds = (np.array(one) for one in zip(*found, strict=True))
    a, d = _shapes(overall[:, 0], overall[:, 1])
    mean, scale = _shapes(moments[:, 0], moments[:, 1])
    shapes = (mean * scale).swapaxes(1, 2), ((1 - mean) * scale).swapaxes(1, 2)
    return PanelChances(draws.phi, a, d, *shapes, odds)


def _at_draw(
    phi: float, place: np.ndarray, each: np.ndarray, groups: PatternGroups
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean and variance of P_i at one draw, and the log odds of the label given the group.

    Args:
        place, each: of `JudgeDraws.at_nodes`.

    Returns:
        mean and variance given the label (2, 2), given label and group (2, 2, g), log odds (g,).
    """
    chance, prior = ndtr(place).mean(axis=1), np.exp(LOG_WEIGHTS)
    mean = chance @ prior
    apart = chance - mean[:, None]
    mass = logsumexp(each, axis=-1)
    weight = np.exp(each - mass[..., None])
    log_odds = mass[1] - mass[0] + logit(phi)
    items = groups.count * expit(np.stack([-log_odds, log_odds]))  # of label 0 and 1, by pattern
    share = groups.sum(items)
    first, second = (
        groups.sum(items * (weight @ moment[..., None])[..., 0]) / share
        for moment in (apart, apart**2)
    )
    overall = np.stack([mean, apart**2 @ prior])
    moments = np.stack([mean[:, None] + first, second - first**2])
    return overall, moments, np.log(share[1] / share[0])
