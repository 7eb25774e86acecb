"""Stand-ins for MAVEN's private tasks, made of what the paper prints of them (MAVEN, section 5).

Printed are the sizes, the base rate, the voters' TPR and TNR in words, and for Task 2 (section
3.2.1) that the first two voters agree 17 % more often than if votes were conditionally independent.
Votes follow the IRT process (`simulate.irt`), so that MAVEN's own model does not hold: with skills
S ~ Normal(m, sigma_s), difficulties D ~ Normal(0, sigma_d), an offset o, and the chances that a
random voter is right about an item of difficulty D,

    g_1(D) = E_S sigmoid(o + S - D) on positives,    g_0(D) = E_S sigmoid(-o + S - D) on negatives,
    TPR_H = E_D g_1,   TNR_H = E_D g_0,   P(two agree | y) = E_D [g_y^2 + (1 - g_y)^2]

and r_y^2 + (1 - r_y)^2 under conditional independence, r_1 = TPR_H, r_0 = TNR_H. The rates give m
and o for any sigma_d, the printed excess then gives sigma_d. sigma_s is free; nothing is printed.

Replicates follow section 5.1: of the pool's N items n_L have an expert label; D' has n items, n_e
of them labelled, and the n_L - n_e labelled items that are left define the true metrics. Items of
a pool are exchangeable given its voters, so only those that a replicate needs are drawn. Each
replicate has a pool of its own, so that replicates are independent, unlike the paper's.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Annotated, Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit, ndtr

from crowdgold.simulate import design
from crowdgold.simulate.generator import Generator, Replicate
from crowdgold.simulate.irt import draw_irt, normal_quadrature
from crowdgold.simulate.resample import resample
from crowdgold.types.errors import InputError
from crowdgold.types.items import Items
from crowdgold.types.parameters import Above, AtLeast, Given, Part, Settings

PRINTED = ("phi", "TPR_H", "TNR_H", "excess_agreement")
SHARED = ("votes_total", "predictors", "n_voters")
NODES = 256
GRID = 10_001  # Points of the distribution of logits that are near the ends
FARTHEST = 20.0  # Largest separation of logits; their probabilities still differ from 1
SPREADS = (1e-3, 20.0)  # Smallest and largest sigma_d; beyond, votes on an item are all but equal


@dataclass(frozen=True, kw_only=True)
class Extremes(Settings):
    """How scores lie near 0 and 1."""

    separation: Annotated[float, Above(0, FARTHEST),
        "How far the logits' means are from 0, to either side."]  # fmt: skip
    share: Annotated[float, Above(0, 1), "Share of the scores that are near 1."]


@dataclass(frozen=True, kw_only=True)
class StandInParameters(design.Sized):
    """A stand-in for a private task of the MAVEN paper, made of what is printed of it.

    Votes follow Algorithm 2 with parameters derived from that, replicates the protocol of section
    5.1.
    """

    n_pool: Annotated[int, AtLeast(2), "Items of the full dataset."]
    n_labelled: Annotated[int, AtLeast(2), "Those of them that have an expert label."]
    n_reference: Annotated[int, AtLeast(2),
        "Items whose labels define the true metrics; the labelled items left over where not "
        "given."]  # fmt: skip
    phi: Annotated[float, Above(0, 1), "Probability of a positive label."]
    TPR_H: Annotated[float, Above(0, 1), "True positive rate of the voters."]
    TNR_H: Annotated[float, Above(0, 1), "True negative rate of the voters."]
    excess_agreement: Annotated[float, Above(0, 1),
        "How much more often two voters agree than if votes were independent given the label; 0.17 "
        "for 17 % more often. It decides how far items differ in difficulty."]  # fmt: skip
    sigma_s: Annotated[float, Above(0), "Standard deviation of the voters' skills."] = 1.0
    n_voters: Annotated[int, AtLeast(1), "Voters from whom each item's are drawn."] = 500
    extremes: Annotated[object, Part(Extremes, ("separation", "share")),
        "Scores near 0 and 1, whose logits are a mixture of two normal distributions of standard "
        "deviation 1; where not given, scores are calibrated probabilities."]  # fmt: skip
    predictors: design.PredictorsGiven


@dataclass(frozen=True)
class Voting:
    """Parameters of the IRT process: the mean skill (difficulties have mean 0), offset, spreads."""

    mu_s: float
    offset: float
    sigma_s: float
    sigma_d: float


def chance_by_difficulty(shift: float, voting: Voting) -> tuple[np.ndarray, np.ndarray]:
    """g(D) = E_S sigmoid(shift + S - D), S centred, at nodes of D (256,), and their weights."""
    points, weights = normal_quadrature(NODES)
    inside = shift + voting.sigma_s * points[None, :] - voting.sigma_d * points[:, None]
    return expit(inside) @ weights, weights


def rates(voting: Voting) -> tuple[float, float]:
    """TPR_H and TNR_H of a random voter."""
    shifts = voting.mu_s + voting.offset, voting.mu_s - voting.offset
    (positive, weights), (negative, _) = (chance_by_difficulty(shift, voting) for shift in shifts)
    return float(weights @ positive), float(weights @ negative)


def excess_agreement(voting: Voting, phi: float) -> float:
    """P(two agree) / P(two agree, were they independent given the label) - 1; 0.17 means 17 %."""
    agree = independent = 0.0
    for prior, sign in ((phi, 1), (1 - phi, -1)):
        chance, weights = chance_by_difficulty(voting.mu_s + sign * voting.offset, voting)
        rate = float(weights @ chance)
        agree += prior * float(weights @ (chance**2 + (1 - chance) ** 2))
        independent += prior * (rate**2 + (1 - rate) ** 2)
    return agree / independent - 1


def _with_rates(tpr: float, tnr: float, sigma_s: float, sigma_d: float) -> Voting:
    """The mean skill and the offset that give the voters' rates, the spreads given."""
    points, weights = normal_quadrature(NODES)
    spread = np.hypot(sigma_s, sigma_d) * points
    ends = float(np.hypot(sigma_s, sigma_d)) * 12 + 40
    positive, negative = (
        brentq(lambda shift, r=rate: float(weights @ expit(shift + spread)) - r, -ends, ends)
        for rate in (tpr, tnr)
    )
    return Voting((positive + negative) / 2, (positive - negative) / 2, sigma_s, sigma_d)


@cache
def derive_voting(phi: float, tpr: float, tnr: float, excess: float, sigma_s: float) -> Voting:
    """The IRT process of what is printed; `InputError` where no spread gives that excess."""

    def missing(sigma_d: float) -> float:
        return excess_agreement(_with_rates(tpr, tnr, sigma_s, sigma_d), phi) - excess

    low, high = missing(SPREADS[0]), missing(SPREADS[1])
    if low > 0 or high < 0:
        raise InputError(
            f"generator stand_in: parameter 'excess_agreement': found {excess:g}, expected a "
            f"number from {low + excess:.2g} to {high + excess:.3g}, which is what two voters of "
            f"TPR_H = {tpr:g} and TNR_H = {tnr:g} can have at phi = {phi:g}"
        )
    return _with_rates(tpr, tnr, sigma_s, float(brentq(missing, *SPREADS, xtol=1e-8)))


def calibrated(scores: np.ndarray, truth: np.ndarray, phi: float) -> np.ndarray:
    """Scores (n,) as the linear discriminant's probabilities, as a trained predictor gives them; an
    increasing function, so that ranks stay.
    """
    means = [float(scores[truth == label].mean()) for label in (0, 1)]
    variance = float(np.mean((scores - np.where(truth == 1, means[1], means[0])) ** 2))
    slope = (means[1] - means[0]) / variance
    return np.asarray(expit(logit(phi) + slope * (scores - sum(means) / 2)))


def near_the_ends(scores: np.ndarray, separation: float, share: float) -> np.ndarray:
    """Scores (n,) as probabilities near 0 and 1, as an LLM's often are, in their order: logits of
    Normal(separation, 1), with this share, and Normal(-separation, 1).
    """
    logits = np.linspace(-separation - 8, separation + 8, GRID)
    below = share * ndtr(logits - separation) + (1 - share) * ndtr(logits + separation)
    ranks = np.empty(len(scores))
    ranks[np.argsort(scores, kind="stable")] = (np.arange(len(scores)) + 0.5) / len(scores)
    return np.asarray(expit(np.interp(ranks, below, logits)))


def draw_stand_in(values: Mapping[str, Any], rng: np.random.Generator) -> Replicate[Items]:
    """Draw n items by section 5.1, and as `reference` the labelled items left over. The predictors'
    mu and delta hold before scores are turned into probabilities.
    """
    parameters = Given("generator stand_in", values, StandInParameters)
    parameters.check_names()
    extremes = None
    if "extremes" in parameters:
        own = parameters.part("extremes", Extremes)
        extremes = own.real("separation"), own.real("share")
    n_labelled = parameters.whole("n_labelled")
    n_pool = parameters.whole("n_pool", at_least=n_labelled)
    n = design.read_n(parameters)
    n_gold = design.read_n_gold(parameters, n)
    if n_gold > n_labelled or n - n_gold > n_pool - n_labelled:
        raise InputError(
            f"generator stand_in: found n = {n} with {n_gold} gold labels; the pool has "
            f"{n_labelled} items with an expert label and {n_pool - n_labelled} without"
        )
    n_reference = n_labelled - n_gold
    if "n_reference" in parameters:
        n_reference = parameters.whole("n_reference")
    elif n_reference < 2:
        raise InputError(
            f"generator stand_in: {n_gold} gold labels leave {n_reference} of "
            f"'n_labelled' = {n_labelled} items to define the true metrics; expected fewer gold "
            "labels, or the parameter 'n_reference'"
        )
    phi, tpr, tnr, excess = (parameters.real(name) for name in PRINTED)
    voting = derive_voting(phi, tpr, tnr, excess, parameters.real("sigma_s"))
    given = {name: parameters.values[name] for name in SHARED if name in parameters}
    size = {"n": n + n_reference, "n_gold": 0}
    drawn = draw_irt({"phi": phi, "mu_d": 0.0, **vars(voting), **size, **given}, rng)
    items = drawn.table
    if items.truth is None or len(np.unique(items.truth)) < 2:
        raise InputError("generator stand_in: items of one class only; expected a larger n")
    scores = {
        name: near_the_ends(raw, *extremes) if extremes else calibrated(raw, items.truth, phi)
        for name, raw in items.scores.items()
    }
    full = replace(items, scores=scores)
    return replace(resample(full, n, n_gold, rng), parameters=drawn.parameters)


GENERATOR = Generator("stand_in", draw_stand_in, parameters=StandInParameters)
