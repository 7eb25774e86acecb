"""Posterior predictive checks of MAVEN: would its model give votes and rankings like these?

Under each of some posterior draws data are drawn anew, given what the model takes as known:

votes   of as many items of each gold class and number of votes: how many have how many positive
wins    the ranking, given votes and gold labels: how often items of one vote set are ranked above
        items of another, a tie counted half

Where what was observed is outside the interval of what was drawn, the model does not fit there.
"""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.data import NO_GOLD, Items
from crowdgold.data.ranking import Ranking
from crowdgold.inference.interval import central_interval
from crowdgold.models.vote_sets import VoteParameters, VoteSets, find_vote_sets, win_counts

VOTES, WINS = CHECKS = ("votes", "wins")
DRAWS = 100
MOST_ITEMS = 20_000
"""Rankings of more items than that are checked on a part of them, chosen evenly."""
MOST_TOTALS = 6
MOST_SETS = 12
"""Numbers of votes, and vote sets, that are checked: those with the most items."""
FEWEST = 5
"""Vote sets with fewer items are left out."""

COLUMNS = (
    "check", "gold", "votes_total", "votes_positive", "against_gold", "against_votes_total",
    "against_votes_positive", "items", "observed", "expected", "lower", "upper",
)  # fmt: skip
"""A count of items for `votes`; for `wins` a share of pairs, of a vote set against another."""


def _vote_parameters(draws: Mapping[str, np.ndarray], chosen: np.ndarray) -> VoteParameters:
    a, d = (np.stack([draws[f"{name}{y}"] for y in (0, 1)], axis=1)[chosen] for name in "ad")
    return VoteParameters(draws["phi"][chosen], a, d)


def _interval(values: np.ndarray, level: float) -> dict[str, float]:
    lower, upper = central_interval(values, level)
    return {"expected": float(values.mean()), "lower": float(lower), "upper": float(upper)}


def _gold(value: int) -> int | None:
    return None if value == NO_GOLD else int(value)


def _most(values: np.ndarray, most: int) -> np.ndarray:
    """The most frequent values, sorted."""
    found, times = np.unique(values, return_counts=True)
    return np.sort(found[np.argsort(-times, kind="stable")[:most]])


def check_votes(
    vote: VoteParameters, items: Items, rng: np.random.Generator, level: float
) -> Iterator[dict[str, Any]]:
    """Draw how many items have each number of positive votes."""
    for total in _most(items.votes_total, MOST_TOTALS).tolist():
        positive = np.arange(total + 1)
        every = np.full(total + 1, total)
        patterns = VoteSets(
            positive, every, every, every, positive, positive, pattern_positive=positive,
            pattern_total=every,
        )  # fmt: skip
        by_label = np.exp(vote.pattern_log_likelihood(patterns))
        share = np.stack([1 - vote.phi, vote.phi], axis=1)
        chances = {0: by_label[..., 0], 1: by_label[..., 1]}
        chances[NO_GOLD] = (by_label * share[:, None, :]).sum(axis=-1)
        for gold, chance in chances.items():
            own = items.votes_positive[(items.gold == gold) & (items.votes_total == total)]
            if len(own) < FEWEST:
                continue
            drawn = rng.multinomial(len(own), chance / chance.sum(axis=1, keepdims=True))
            observed = np.bincount(own, minlength=total + 1)
            for number in positive.tolist():
                yield {
                    "check": VOTES, "gold": _gold(gold), "votes_total": total,
                    "votes_positive": number, "items": len(own),
                    "observed": float(observed[number]), **_interval(drawn[:, number], level),
                }  # fmt: skip


def _drawn_rankings(
    vote: VoteParameters,
    draws: Mapping[str, np.ndarray],
    chosen: np.ndarray,
    sets: VoteSets,
    ranking: Ranking,
    model: str,
    rng: np.random.Generator,
) -> Iterator[Ranking]:
    """Draw rankings of the items of vote sets, one for each posterior draw, tied as those seen."""
    alpha, beta = vote.shapes(sets)
    probability = vote.label_probability(sets)
    pattern = sets.pattern[sets.member]
    for place, draw in enumerate(chosen.tolist()):
        labels = (rng.random(len(pattern)) < probability[place][sets.member]).astype(int)
        chance = rng.beta(alpha[place][pattern, labels], beta[place][pattern, labels])
        mean = draws[f"mu:{model}"][draw] * labels + draws[f"delta:{model}"][draw] * chance
        order = np.argsort(mean + rng.standard_normal(len(pattern)))
        yield Ranking(order, ranking.ends)


def check_wins(
    vote: VoteParameters,
    draws: Mapping[str, np.ndarray],
    chosen: np.ndarray,
    items: Items,
    model: str,
    rng: np.random.Generator,
    level: float,
) -> Iterator[dict[str, Any]]:
    """Draw how often items of each vote set are ranked above those of another."""
    step = -(-len(items) // MOST_ITEMS)
    part = items.take(np.arange(0, len(items), step))
    sets = find_vote_sets(part)
    kept = np.sort(np.argsort(-sets.count, kind="stable")[:MOST_SETS])
    kept = kept[sets.count[kept] >= FEWEST]
    pairs = np.outer(sets.count, sets.count)[np.ix_(kept, kept)]
    size, ranking = len(sets), part.ranking(model)
    drawn = np.array(
        [
            win_counts(sets.member, one, size)[np.ix_(kept, kept)] / pairs
            for one in _drawn_rankings(vote, draws, chosen, sets, ranking, model, rng)
        ]
    )
    observed = win_counts(sets.member, ranking, size)[np.ix_(kept, kept)] / pairs
    for one in range(len(kept)):
        for other in range(one):
            k, other_k = kept[one], kept[other]
            yield {
                "check": WINS, "gold": _gold(sets.gold[k]),
                "votes_total": int(sets.votes_total[k]),
                "votes_positive": int(sets.votes_positive[k]),
                "against_gold": _gold(sets.gold[other_k]),
                "against_votes_total": int(sets.votes_total[other_k]),
                "against_votes_positive": int(sets.votes_positive[other_k]),
                "items": int(min(sets.count[k], sets.count[other_k])),
                "observed": float(observed[one, other]),
                **_interval(drawn[:, one, other], level),
            }  # fmt: skip


def check_predictions(
    draws: Mapping[str, np.ndarray],
    items: Items,
    model: str,
    rng: np.random.Generator,
    level: float,
) -> pd.DataFrame:
    """Check the votes and the ranking of one model's fit.

    Args:
        draws: MAVEN's parameters by name, (D,) each.
        items: what it was fitted to.
        model: the predictor whose scores it used.

    Returns:
        rows with the columns `COLUMNS`.
    """
    size = len(draws["phi"])
    chosen = np.linspace(0, size - 1, min(DRAWS, size)).round().astype(int)
    vote = _vote_parameters(draws, chosen)
    rows = [
        *check_votes(vote, items, rng, level),
        *check_wins(vote, draws, chosen, items, model, rng, level),
    ]
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    whole = [name for name in COLUMNS if "gold" in name or "votes" in name]
    return table.astype(dict.fromkeys(whole, "Int64"))
