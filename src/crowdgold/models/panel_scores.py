"""One predictor's ranking given draws of a panel's model: its score model, and labels by it.

    U_i | Y_i, P_i ~ Normal(mean_mu Y_i + delta (P_i - a_y), 1)        y = Y_i

P_i is the panel's chance of a positive vote (`panel_chances`), and a_y its mean given the label.
This is the score model of MAVEN-C with mu = mean_mu - delta (a_1 - a_0). Where judges hardly err
together P_i is nearly a_y: then the data tell mean_mu, but hardly mu and delta each.

A score may be no better than chance, or worse: mean_mu + `BELOW` has the inverse gamma prior that
keeps MAVEN's mu positive. Its mode is at mean_mu = 0, an AUC of .5; one of .24 is its end.

(mean_mu, delta) are drawn by MAVEN's exact cut with the calibrated likelihood, for groups of
patterns of votes. An item's label then has the odds of its own votes, times the ratio of the
densities of its utility under both labels, which is that of its group.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import expit, logit

from crowdgold.data.ranking import Ranking
from crowdgold.models.binned_ranks import BinnedRanks, ConditionedBinnedRanks
from crowdgold.models.exact_cut import ScoreDraws, sample_exact_cut
from crowdgold.models.panel_chances import PanelChances, PatternGroups, group_sets
from crowdgold.models.priors import ScorePrior
from crowdgold.models.utility import UtilityTables, known_of_labels
from crowdgold.models.vote_sets import VoteParameters, VoteSets

if TYPE_CHECKING:
    from crowdgold.data import Items


BELOW = 1.0
"""How far below 0 mean_mu may lie, in deviations of the utilities."""


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
    """A predictor's score model under each draw of a panel's model.

    Attributes:
        sets: groups and gold labels of the items that have a score.
        ranking: of these items.
        pattern: (n,) pattern of votes of each.
        beyond: (D, p) log odds of the label given a pattern less those given its group.
        draws: of (mean_mu, delta).
        tables: of utilities.
    """

    sets: VoteSets
    ranking: Ranking
    pattern: np.ndarray
    beyond: np.ndarray
    draws: ScoreDraws
    tables: UtilityTables

    def probabilities(self, draw: int, gold: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """P(Y_i = 1) of each item (n,) at utilities that agree with the ranking.

        Args:
            gold: (n,) what is known of their labels.
        """
        known = known_of_labels(self.sets.pattern[self.sets.member], gold)
        share = self.tables.of_draw(draw).sample_probabilities(known, self.ranking, rng)
        # 0 and 1, of gold labels, are infinite odds and stay what they are.
        return np.asarray(expit(logit(share) + self.beyond[draw][self.pattern]))


def fit_panel_scores(
    items: "Items", predictor: str, pattern: np.ndarray, groups: PatternGroups,
    chances: PanelChances, log_odds: np.ndarray, prior: ScorePrior, rng: np.random.Generator,
) -> PanelScores:  # fmt: skip
    """The score model of a predictor.

    Args:
        items: those that have its score.
        pattern: (n,) pattern of votes of each.
        groups, chances: of all patterns.
        log_odds: (D, p) of the label given each pattern.
        prior: of (mean_mu + `BELOW`, delta).
    """
    sets, ranking = group_sets(groups.group[pattern], items.gold), items.ranking(predictor)
    ranks = PanelRanks.of(sets.member, ranking, len(sets), prior=prior)
    drawn = sample_exact_cut(ranks, sets, chances, rng)
    draws = replace(drawn, mu=drawn.mu - BELOW)
    mu = draws.mu - draws.delta * class_gap(chances)
    tables = UtilityTables(chances, mu, draws.delta, sets)
    beyond = log_odds - chances.log_odds[:, groups.group]
    return PanelScores(sets, ranking, pattern, beyond, draws, tables)
