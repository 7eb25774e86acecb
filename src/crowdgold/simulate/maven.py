"""The process that MAVEN assumes (MAVEN, appendix A, Algorithm 1), also with tied scores.

Y_i ~ Bernoulli(phi)
P_i ~ Beta(a_y d_y, (1 - a_y) d_y),  y = Y_i
X_i ~ Normal(mu Y_i + delta P_i, 1)     for each predictor, independent given Y_i and P_i
V_i ~ Binomial(c_i, P_i)

A judge that answers yes or no, or rates from 1 to 5, and a classifier that gives most items nothing
leave most pairs of items tied. A judge whose verdict is a vote and a score at once leaves the score
to say what the votes say.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from scipy.special import betaln, expit

from crowdgold.simulate import design
from crowdgold.simulate.generator import Generator, Replicate
from crowdgold.types.items import Items
from crowdgold.types.parameters import Above, Between, Each, Given, Range, Settings

OWN = ("cuts", "least", "of_votes")


@dataclass(frozen=True, kw_only=True)
class VotesGiven(Settings):
    """Labels, and chances of a positive vote that differ by item."""

    phi: Annotated[float, Above(0, 1), "Probability of a positive label."]
    a0: Annotated[float, Above(0, 1), "Mean probability of a positive vote on a negative item."]
    a1: Annotated[float, Above(0, 1), "Mean probability of a positive vote on a positive item."]
    d0: Annotated[float, Above(0), "Concentration of that probability on negative items."]
    d1: Annotated[float, Above(0), "Concentration of that probability on positive items."]


@dataclass(frozen=True, kw_only=True)
class MavenParameters(design.Predicted, VotesGiven):
    """Algorithm 1 of the MAVEN paper, the process that MAVEN assumes."""


def draw_maven(values: Mapping[str, Any], rng: np.random.Generator) -> Replicate[Items]:
    """Draw a replicate by Algorithm 1; a0 is at most a1."""
    return _drawn(Given("generator maven", values, MavenParameters), rng, design.draw_scores)


def _drawn(
    parameters: Given, rng: np.random.Generator,
    draw_scores: Callable[..., dict[str, np.ndarray]],
) -> Replicate[Items]:  # fmt: skip
    """A replicate by Algorithm 1, whose scores are drawn as by `design.draw_scores`."""
    parameters.check_names()
    vote = read_vote_parameters(parameters)
    predictors = design.read_predictors(parameters)
    n = design.read_n(parameters)
    n_gold, how = design.read_n_gold(parameters, n), design.read_gold_design(parameters)
    truth, chance = draw_labels(vote, (n,), rng)
    scores = draw_scores(predictors, truth, chance, rng)
    votes_total = design.draw_votes_total(parameters, n, rng)
    votes_positive = rng.binomial(votes_total, chance)
    oracle = probability_given_votes(vote, votes_positive, votes_total)
    items = design.assemble(votes_positive, votes_total, scores, truth, oracle, n_gold, rng, how)
    return Replicate(items, items, vote | design.true_parameters(predictors))


def draw_labels(
    vote: Mapping[str, float], shape: tuple[int, ...], rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw true labels Y_i, 0 or 1, and chances P_i of a positive vote, each of this shape."""
    truth = (rng.random(shape) < vote["phi"]).astype(np.int8)
    mean = np.where(truth == 1, vote["a1"], vote["a0"])
    concentration = np.where(truth == 1, vote["d1"], vote["d0"])
    return truth, rng.beta(mean * concentration, (1 - mean) * concentration)


def read_vote_parameters(parameters: Given) -> dict[str, float]:
    """Phi, a0, a1, d0, d1, each in its range and a0 <= a1."""
    vote = {name: parameters.real(name) for name in ("phi", "a0", "a1", "d0", "d1")}
    if vote["a0"] > vote["a1"]:
        raise parameters.fault("a0", f"at most a1, which is {vote['a1']:g}")
    return vote


def probability_given_votes(
    vote: Mapping[str, float], votes_positive: np.ndarray, votes_total: np.ndarray
) -> np.ndarray:
    """P(Y_i = 1 | V_i) (n,): the odds of two beta-binomials, given phi, a0, a1, d0, d1."""
    log_odds = np.log(vote["phi"]) - np.log1p(-vote["phi"])
    for sign, mean, concentration in ((1, "a1", "d1"), (-1, "a0", "d0")):
        a = vote[mean] * vote[concentration]
        b = (1 - vote[mean]) * vote[concentration]
        evidence = betaln(a + votes_positive, b + votes_total - votes_positive) - betaln(a, b)
        log_odds = log_odds + sign * evidence
    return np.asarray(expit(log_odds))


GENERATOR = Generator("maven", draw_maven, parameters=MavenParameters)


@dataclass(frozen=True, kw_only=True)
class TiedParameters(MavenParameters):
    """Algorithm 1 of the MAVEN paper, with tied scores."""

    cuts: Annotated[object, Each(float, least=1),
        "Numbers. A score becomes how many of them it reaches, as a rating does. Scores stay as "
        "they are where not given."]  # fmt: skip
    least: Annotated[float, "Scores below it become it; none do where it is not given."]
    of_votes: Annotated[bool,
        "Whether the first predictor's score is the share of positive votes."] = False  # fmt: skip


def draw_tied(values: Mapping[str, Any], rng: np.random.Generator) -> Replicate[Items]:
    """Draw a replicate by Algorithm 1, and then tie its scores."""
    parameters = Given("generator tied", values, TiedParameters)
    parameters.check_names()
    drawn = draw_maven({name: one for name, one in values.items() if name not in OWN}, rng)
    scores = dict(drawn.table.scores)
    if "cuts" in parameters:
        cuts = np.sort(parameters.numbers("cuts", Range()))
        scores = {name: np.searchsorted(cuts, x, "right") * 1.0 for name, x in scores.items()}
    if "least" in parameters:
        scores = {name: np.maximum(x, parameters.real("least")) for name, x in scores.items()}
    if parameters.flag("of_votes"):
        scores[next(iter(scores))] = drawn.table.votes_positive / drawn.table.votes_total
    table = replace(drawn.table, scores=scores)
    return Replicate(table, table, drawn.parameters)


GENERATOR_TIED = Generator("tied", draw_tied, parameters=TiedParameters)


@dataclass(frozen=True, kw_only=True)
class BandParameters(MavenParameters):
    """Algorithm 1 of the MAVEN paper, where the scores of some items of one label are in a band."""

    band_label: Annotated[int, Between(0, 1), "Label of the items with scores in the band."]
    band_share: Annotated[float, design.SHARE, "Chance that the score of such an item is in it."]
    band_at: Annotated[float, "Mean of the scores in the band, beside what follows the votes."]
    band_delta: Annotated[float, "How far the scores in the band follow the votes."]
    band_spread: Annotated[float, Above(0), "Standard deviation of the scores in the band."]


def draw_band(values: Mapping[str, Any], rng: np.random.Generator) -> Replicate[Items]:
    """Draw a replicate by Algorithm 1, with some scores in the band, of each predictor its own."""
    parameters = Given("generator band", values, BandParameters)

    def draw_scores(
        predictors: Mapping[str, design.Predictor], truth: np.ndarray, chance: np.ndarray,
        rng: np.random.Generator,
    ) -> dict[str, np.ndarray]:  # fmt: skip
        of_label = truth == parameters.whole("band_label")
        share, at, delta, spread = (
            parameters.real(f"band_{name}") for name in ("share", "at", "delta", "spread")
        )
        scores = design.draw_scores(predictors, truth, chance, rng)
        for name, score in scores.items():
            inside = of_label & (rng.random(len(truth)) < share)
            scores[name] = np.where(inside, rng.normal(at + delta * chance, spread), score)
        return scores

    drawn = _drawn(parameters, rng, draw_scores)
    # No mu or delta is that of all scores.
    known = {name: one for name, one in drawn.parameters.items() if ":" not in name}
    return replace(drawn, parameters=known)


GENERATOR_BAND = Generator("band", draw_band, parameters=BandParameters)
