"""How well ranks stand for raw scores (MAVEN, appendix A and figure 6).

At known parameters, the log odds of a positive label that MAVEN gives an item from its rank among n
items, beside the log odds from its raw score, for items at chosen percentiles of the scores and
each number of positive votes.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd
from scipy.special import logit

from crowdgold.data import NO_GOLD, Items
from crowdgold.declared import Above, AtLeast, Each
from crowdgold.experiments.check import Check
from crowdgold.models.utility import tabulate_utility
from crowdgold.models.vote_sets import VoteParameters, VoteSets, find_vote_sets
from crowdgold.simulate.design import Predictor, PredictorGiven, draw_scores
from crowdgold.simulate.maven import VotesGiven, draw_labels

EXTREME = 1e-15
COLUMNS = ("n", "percentile", "votes_positive", "source", "mean", "lower", "upper", "datasets")


@dataclass(frozen=True, kw_only=True)
class OrderStatisticsParameters(PredictorGiven, VotesGiven):
    """Posterior probabilities that see only the ranks of the scores, against those that see the
    scores, both at the true parameters (MAVEN, appendix A).
    """

    n: Annotated[int, AtLeast(2), "Items."]
    votes_total: Annotated[int, AtLeast(1), "Votes on each item."]
    percentiles: Annotated[
        object,
        Each(float, Above(0, 100), least=1),
        "Percentiles of the scores at which the probabilities are compared.",
    ]
    datasets: Annotated[int, AtLeast(1), "Simulated data sets."]
    draws: Annotated[int, AtLeast(1), "Draws of the order statistics."]


def _all_vote_sets(votes_total: int) -> VoteSets:
    """One vote set for each number of positive votes, without gold."""
    size = votes_total + 1
    votes = np.arange(size)
    return find_vote_sets(
        Items(votes, votes, np.full(size, votes_total), np.full(size, NO_GOLD), {}, votes)
    )


def _summary(values: np.ndarray) -> dict[str, float]:
    lower, upper = np.quantile(values, [0.025, 0.975])
    return {"mean": float(values.mean()), "lower": float(lower), "upper": float(upper)}


def _simulate_scores(
    parameters: Mapping[str, Any], datasets: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw (datasets, n) scores and votes by Algorithm 1, each row sorted by score."""
    truth, chance = draw_labels(parameters, (datasets, int(parameters["n"])), rng)
    predictor = Predictor(parameters["mu"], parameters["delta"])
    score = draw_scores({"score": predictor}, truth, chance, rng)["score"]
    votes = rng.binomial(int(parameters["votes_total"]), chance)
    order = np.argsort(score, axis=1)
    return np.take_along_axis(score, order, 1), np.take_along_axis(votes, order, 1)


def check_order_statistics(parameters: Mapping[str, Any], rng: np.random.Generator) -> pd.DataFrame:
    """Compare log odds from ranks with log odds from raw scores.

    Args:
        parameters: as `OrderStatisticsParameters` declares them.

    Returns:
        rows with the columns `COLUMNS`: mean and central 95 % of the log odds for each percentile,
        number of positive votes and source, "rank" or "score". For "score" only data sets whose
        item of that rank has those votes count; `datasets` says how many they are.
    """
    vote = VoteParameters(
        np.array([parameters["phi"]]),
        np.array([[parameters["a0"], parameters["a1"]]]),
        np.array([[parameters["d0"], parameters["d1"]]]),
    )
    n, total = int(parameters["n"]), int(parameters["votes_total"])
    sets = _all_vote_sets(total)
    table = tabulate_utility(vote, parameters["mu"], parameters["delta"], sets)
    ranks = np.array([max(1, round(n * share / 100)) for share in parameters["percentiles"]])
    block = max(1, 2_000_000 // n)
    score, votes = [], []
    for start in range(0, int(parameters["datasets"]), block):
        size = min(block, int(parameters["datasets"]) - start)
        some = _simulate_scores(parameters, size, rng)
        score.append(some[0][:, ranks - 1])
        votes.append(some[1][:, ranks - 1])
    true_score, true_votes = np.concatenate(score), np.concatenate(votes)
    rows = []
    for column, (percentile, rank) in enumerate(zip(parameters["percentiles"], ranks, strict=True)):
        # The i-th of n uniform order statistics, a sum of i of n + 1 Dirichlet gaps.
        utility = table.quantile(rng.beta(rank, n + 1 - rank, int(parameters["draws"])))
        for positive in range(total + 1):
            # The table's probabilities can be 0 or 1 to the last digit; log odds stay finite.
            odds = logit(np.clip(table.probability[positive], EXTREME, 1 - EXTREME))
            held = true_votes[:, column] == positive
            known = {"n": n, "percentile": percentile, "votes_positive": positive}
            for source, at in (("rank", utility), ("score", true_score[held, column])):
                if len(at):
                    values = np.interp(at, table.utility, odds)
                    rows.append(
                        {**known, "source": source, **_summary(values), "datasets": len(at)}
                    )
    return pd.DataFrame(rows, columns=list(COLUMNS))


CHECK = Check("order_statistics", check_order_statistics, OrderStatisticsParameters)
