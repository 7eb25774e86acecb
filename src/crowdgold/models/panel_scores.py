"""One predictor's ranking given draws of a panel's model: its score model, and labels by it.

    U_i | Y_i, P_i ~ Normal(mean_mu Y_i + delta (P_i - a_y), 1)                        y = Y_i
    P_i = 1/m sum_j Phi((b_jy + sqrt(r_y) z_i) / sqrt(1 - r_y))

P_i is the mean chance of a positive vote of the named judges, who have a common effect z_i
(`judge_votes`), whether or not they voted on the item, and a_y its mean given the label. This is
the score model of MAVEN-C with mu = mean_mu - delta (a_1 - a_0). Where judges hardly err together
P_i is nearly a_y: then the data tell mean_mu, but hardly mu and delta each. A score may be no
better than chance, or worse: mean_mu + `BELOW` has the inverse gamma prior that keeps MAVEN's mu
positive. Its mode is at mean_mu = 0, an AUC of .5; one of .24 is its end.

Given votes and label P_i has known masses at the nodes of z. A beta distribution with the same mean
and variance stands for them, as a utility tells the two hardly apart: with |delta| up to 3 its
distribution function is right to 0.003 given the votes, and to 0.01 without, for five judges as in
the tests; over 40 draws of the prior with 2 to 10 judges to 0.018, with |delta| = 10 to 0.09.
Patterns of votes that say nearly the same of the label and of P_i are taken together, so that the
cost does not depend on the number of judges. (mean_mu, delta) are drawn by MAVEN's exact cut with
the calibrated likelihood for these groups. An item's label then has the odds of its own votes,
times the ratio of the densities of its utility under both labels, which is that of its group.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, logit, logsumexp, ndtr

from crowdgold.models.binned_ranks import BinnedRanks, ConditionedBinnedRanks
from crowdgold.models.exact_cut import ScoreDraws, sample_exact_cut
from crowdgold.models.judge_votes import JudgeDraws, log_weights
from crowdgold.models.priors import ScorePrior
from crowdgold.models.stan import spread_draws
from crowdgold.models.utility import UtilityTables, known_of_labels
from crowdgold.models.vote_sets import VoteParameters, VoteSets
from crowdgold.types.items import Ranking

if TYPE_CHECKING:
    from crowdgold.types.items import Items

OF_LABEL, OF_CHANCE = 6, 3  # groups by what patterns say of the label, and parts of each by P_i
MOST_GROUPS = OF_LABEL * OF_CHANCE
GROUPING_DRAWS = 20  # Draws over which is averaged what a pattern says, to find its group
LEAST_CHANCE = 1e-6  # Of a positive and of a negative vote, on average
SCALES = (1e-3, 1e4)
"""Least and largest scale of a beta distribution, the sum of its shapes. Without a common effect
P_i is a constant given the label; at the largest scale its standard deviation is 0.005 at most."""
BELOW = 1.0  # How far below 0 mean_mu may lie, in deviations of the utilities


@dataclass(frozen=True)
class PatternGroups:
    """Patterns of votes in groups that say nearly the same of the label and of P_i."""

    vote: np.ndarray  # (p, m) votes of each pattern, as `JudgeRows` has them
    count: np.ndarray  # (p,) items of each
    group: np.ndarray  # (p,) group of each, numbered by the odds of the label and then by P_i

    def __len__(self) -> int:
        return int(self.group.max()) + 1

    def sum(self, values: np.ndarray) -> np.ndarray:
        """Sums of values (K, p) over the patterns of each group: (K, g)."""
        return np.stack([np.bincount(self.group, one, len(self)) for one in values])


@dataclass(frozen=True)
class PanelChances(VoteParameters):
    """Draws of a panel's model, as of voters who are alike; a group counts as votes. `a` and `d`
    are mean and beta scale of P_i given the label.
    """

    alpha: np.ndarray  # alpha, beta: (D, g, 2) beta shapes of P_i given group and label
    beta: np.ndarray
    log_odds: np.ndarray  # (D, g) of the label given the group

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
    """The group (p,) of each pattern by Ward's rule: nearest neighbours joined to `most`."""
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
    """Patterns (p, m), with items (p,) of each, in at most `parts` groups by the odds of the label,
    and in each by the log odds of the mean of P_i, averaged over labels.
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
    overall, moments, odds, prior = [], [], [], np.exp(log_weights())
    for phi, (place, each) in zip(draws.phi, draws.at_nodes(groups.vote), strict=True):
        chance = ndtr(place).mean(axis=1)
        mean = chance @ prior
        apart = chance - mean[:, None]
        mass = logsumexp(each, axis=-1)
        weight = np.exp(each - mass[..., None])
        log_odds = mass[1] - mass[0] + logit(float(phi))
        items = groups.count * expit(np.stack([-log_odds, log_odds]))  # by label and pattern
        share = groups.sum(items)
        first, second = (
            groups.sum(items * (weight @ moment[..., None])[..., 0]) / share
            for moment in (apart, apart**2)
        )
        overall.append([mean, apart**2 @ prior])
        moments.append([mean[:, None] + first, second - first**2])
        odds.append(np.log(share[1] / share[0]))
    a, d = _shapes(*np.array(overall).swapaxes(0, 1))
    mean, scale = _shapes(*np.array(moments).swapaxes(0, 1))
    shapes = (mean * scale).swapaxes(1, 2), ((1 - mean) * scale).swapaxes(1, 2)
    return PanelChances(draws.phi, a, d, *shapes, np.array(odds))


def score_prior(delta_scale: float) -> ScorePrior:
    """The prior of (mean_mu + `BELOW`, delta)."""
    return ScorePrior(1.0, 2.0 * BELOW, delta_scale)


class PanelRanks(BinnedRanks):
    """One predictor's ranking, binned, whose likelihood is one of (mean_mu + `BELOW`, delta)."""

    def conditioned(
        self, sets: VoteSets, vote: VoteParameters, draw: int
    ) -> "ConditionedPanelRanks":
        """The likelihood given one draw of the panel's model."""
        return ConditionedPanelRanks.at(self, sets, vote, draw)


class ConditionedPanelRanks(ConditionedBinnedRanks):
    """The binned rank likelihood given one draw of the panel's model."""

    def log_likelihood(self, mu: np.ndarray, delta: np.ndarray) -> np.ndarray:
        """The log-likelihood on a grid of (mean_mu + `BELOW`, delta), as the class above has it."""
        return super().log_likelihood(mu - BELOW - delta[:, None] * class_gap(self.vote), delta)


def class_gap(vote: VoteParameters) -> np.ndarray:
    """How much higher the mean chance of a positive vote is of positive items: (D,)."""
    return np.asarray(vote.a[:, 1] - vote.a[:, 0])


@dataclass(frozen=True)
class PanelScores:
    """A predictor's score model under each draw of a panel's model."""

    sets: VoteSets  # groups and gold labels of the items that have a score
    ranking: Ranking  # of these items
    pattern: np.ndarray  # (n,) pattern of votes of each
    beyond: np.ndarray  # (D, p) log odds of the label given a pattern less those given its group
    draws: ScoreDraws  # of (mean_mu, delta)
    tables: UtilityTables  # of utilities

    def probabilities(self, draw: int, gold: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """P(Y_i = 1) (n,) at utilities that agree with the ranking, and what is known of labels."""
        known = known_of_labels(self.sets.pattern[self.sets.member], gold)
        share = self.tables.of_draw(draw).sample_probabilities(known, self.ranking, rng)
        # 0 and 1, of gold labels, are infinite odds and stay what they are.
        return np.asarray(expit(logit(share) + self.beyond[draw][self.pattern]))


def fit_panel_scores(
    items: "Items", predictor: str, pattern: np.ndarray, groups: PatternGroups,
    chances: PanelChances, log_odds: np.ndarray, prior: ScorePrior, rng: np.random.Generator,
) -> PanelScores:  # fmt: skip
    """The score model of items' predictor, each with its pattern (n,); groups, chances and log odds
    (D, p) are of all patterns; the prior of (mean_mu + `BELOW`, delta).
    """
    sets, ranking = group_sets(groups.group[pattern], items.gold), items.ranking(predictor)
    ranks = PanelRanks.of(sets.member, ranking, len(sets), prior=prior)
    drawn = sample_exact_cut(ranks, sets, chances, rng)
    draws = replace(drawn, mu=drawn.mu - BELOW)
    mu = draws.mu - draws.delta * class_gap(chances)
    tables = UtilityTables(chances, mu, draws.delta, sets)
    beyond = log_odds - chances.log_odds[:, groups.group]
    return PanelScores(sets, ranking, pattern, beyond, draws, tables)
