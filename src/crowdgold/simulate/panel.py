"""Voters and judges who err together (no paper's; ours): `panel`, and `shared_difficulty`.

A panel of named judges, such as language models, who err together:

    Y_i ~ Bernoulli(phi),  U_i ~ Normal(0, 1)                label, and how hard the item is
    D_i ~ Bernoulli(disputed)                                whether it divides the camps
    R_ij = 1 - Y_i where D_i = 1 and judge j is of the other camp, else Y_i
    B_ij = R_ij unless sqrt(c) U_i + sqrt(1 - c) e_ij > Phi^-1(r_jy), y = R_ij, e_ij ~ Normal(0, 1)
    V_ij = B_is with chance `copying` where judge j copies judge s, else B_ij
    X_i = mu Y_i - (2 Y_i - 1) ease U_i + s_y T_i            for each predictor

r_j1 and r_j0 are the judge's `tpr` and `tnr`; a judge below one half is an adversary. c is the
latent correlation for which the errors of two judges, 0 or 1, have the correlation that is asked
for, as `inference.shared_errors` defines it, where no judge copies and no item divides. A predictor
with an `ease` errs on the items on which judges do.

What models of votes and scores leave out: copied votes, difficulty that all share, heavy tails.

    Y_i ~ Bernoulli(phi),  E_i ~ Normal(0, 1)                     label, and how easy the item is
    R_i = sigmoid(logit(r_y) + ease E_i)                          chance of a right vote, y = Y_i
    V_i1 ~ Bernoulli(R_i right);  V_ij = V_i1 with chance `copying`, else drawn as V_i1,  j > 1
    X_i = mu Y_i + (2 Y_i - 1) ease_X E_i + s_y T_i               for each predictor

r_1 and r_0 are the voters' chances of a right vote on an item of middling ease. The T_i are
Student's t, independent of all else, and s_0 and s_1 their spreads: a predictor can be surer of
one class than of the other, and far off now and then.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any

import numpy as np
from scipy.optimize import brentq
from scipy.special import expit, logit, ndtr, ndtri

from crowdgold.simulate import design
from crowdgold.simulate.generator import Generator, Replicate
from crowdgold.simulate.irt import draw_voters
from crowdgold.types.errors import InputError
from crowdgold.types.items import Items, labels_of_items
from crowdgold.types.parameters import (
    Above,
    AtLeast,
    Between,
    Given,
    Named,
    Parameters,
    Range,
    Settings,
)

POINTS = np.linspace(-8, 8, 801)  # Of the difficulty, over which chances are averaged
WEIGHTS = np.exp(-(POINTS**2) / 2) / np.exp(-(POINTS**2) / 2).sum()
MOST_LATENT = 0.999


@dataclass(frozen=True, kw_only=True)
class PredictorGiven(Settings):
    """A simulated predictor."""

    mu: Annotated[float, "How far the score follows the true label."]
    ease: Annotated[float, "How far it follows the item's ease; 0 where not given."] = 0
    spread: Annotated[float, Above(0), "Spread of its noise; 1 where not given."] = 1
    spread_positive: Annotated[float, Above(0),
        "Spread of its noise on positive items; as `spread` where not given."]  # fmt: skip
    freedom: Annotated[float, Above(0),
        "Degrees of freedom of its noise, Student's t; normal where not given."]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class SharedDifficultyParameters(design.InClusters):
    """What models of votes and scores leave out: voters who copy, difficulty that voters and
    predictors share, heavy-tailed scores whose spread depends on the class.
    """

    phi: Annotated[float, Above(0, 1), "Probability of a positive label."]
    right_positive: Annotated[float, Above(0, 1),
        "Chance of a right vote on a positive item of middling difficulty."]  # fmt: skip
    right_negative: Annotated[float, Above(0, 1),
        "Chance of a right vote on a negative item of middling difficulty."]  # fmt: skip
    ease: Annotated[float, AtLeast(0),
        "Standard deviation of a right vote's log odds between items; 0 where not "
        "given."] = 0  # fmt: skip
    copying: Annotated[float, Between(0, 1),
        "Chance that a vote after the first repeats that; 0 where not given."] = 0  # fmt: skip
    predictors: Annotated[object, Named(PredictorGiven, ["mu"]),
        "The predictors by name; the first is the one that metrics are about."]  # fmt: skip


@dataclass(frozen=True)
class Predictor:
    """A predictor: how far it follows the label and the ease, and its noise in each class."""

    mu: float
    ease: float
    spread: np.ndarray
    freedom: float


def draw_shared_difficulty(values: Mapping[str, Any], rng: np.random.Generator) -> Replicate[Items]:
    """Draw a replicate of voters who copy, and difficulty that all share."""
    parameters = Given("generator shared_difficulty", values, SharedDifficultyParameters)
    parameters.check_names()
    phi, *right = (parameters.real(name) for name in ("phi", "right_negative", "right_positive"))
    predictors = read_predictors(parameters)
    n = design.read_n(parameters)
    n_gold, how = design.read_n_gold(parameters, n), design.read_gold_design(parameters)
    clusters = design.read_clusters(parameters, n)
    truth = (clusters.uniform(rng) < phi).astype(np.int8)
    ease = clusters.normal(rng)
    correct = expit(logit(np.array(right))[truth] + parameters.real("ease") * ease)
    votes_total = design.draw_votes_total(parameters, n, rng)
    chance = np.where(truth == 1, correct, 1 - correct)
    votes_positive = draw_votes(chance, votes_total, parameters.real("copying"), rng)
    scores = {name: scores_of(one, truth, ease, rng) for name, one in predictors.items()}
    items = design.assemble(
        votes_positive, votes_total, scores, truth, None, n_gold, rng, how, clusters.cluster
    )
    items = clusters.in_table(items)
    return Replicate(items, items, {"phi": phi})


def draw_votes(
    chance: np.ndarray, votes_total: np.ndarray, copying: float, rng: np.random.Generator
) -> np.ndarray:
    """Positive votes (n,); with the chance `copying` each after the first repeats that one."""
    places = (len(chance), int(votes_total.max()))
    own = rng.random(places) < chance[:, None]
    copied = rng.random(places) < copying
    votes = np.where(copied, own[:, :1], own)
    return np.asarray((votes & (np.arange(places[1]) < votes_total[:, None])).sum(axis=1))


def scores_of(
    predictor: Predictor, truth: np.ndarray, ease: np.ndarray, rng: np.random.Generator
) -> np.ndarray:
    """A predictor's scores (n,)."""
    size, freedom = len(truth), predictor.freedom
    noise = rng.standard_t(freedom, size) if np.isfinite(freedom) else rng.standard_normal(size)
    sides = 2 * truth.astype(float) - 1
    followed = predictor.mu * truth + predictor.ease * sides * ease
    return np.asarray(followed + predictor.spread[truth] * noise)


def read_predictors(parameters: Parameters) -> dict[str, Predictor]:
    """The predictors by name; at least one."""
    predictors = {}
    for name, own in design.read_named(parameters, PredictorGiven, "{mu: number}").items():
        spread = own.real("spread")
        positive = own.real("spread_positive") if "spread_positive" in own else spread
        freedom = own.real("freedom") if "freedom" in own else np.inf
        predictors[name] = Predictor(
            own.real("mu"), own.real("ease"), np.array([spread, positive]), freedom
        )
    return predictors


GENERATOR_SHARED_DIFFICULTY = Generator(
    "shared_difficulty", draw_shared_difficulty, parameters=SharedDifficultyParameters
)


@dataclass(frozen=True, kw_only=True)
class JudgeGiven(Settings):
    """A judge."""

    tpr: Annotated[float, Above(0, 1), "Chance of a positive vote on a positive item."]
    tnr: Annotated[float, Above(0, 1), "Chance of a negative vote on a negative item."]
    copies: Annotated[str, "The judge whom this one copies; no one where not given."]
    copying: Annotated[float, Between(0, 1), "Chance that a vote is a copy; 1 where not given."] = 1
    camp: Annotated[bool,
        "Whether the judge reads disputed items the other way; false where not given."]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class PanelParameters(design.Design):
    """A panel of named judges who err together: on the same hard items, by copying one another, or
    in two camps; and predictors who err with them. Items say who gave each vote.
    """

    phi: Annotated[float, Above(0, 1), "Probability of a positive label."]
    judges: Annotated[object, Named(JudgeGiven, ["tpr", "tnr"]),
        "The judges by name, two or more; each item has votes of `votes_total` of them, all sets "
        "equally likely."]  # fmt: skip
    correlation: Annotated[float, Range(least=0, below=1),
        "Correlation of two judges' errors given the label that hard items make, on average over "
        "pairs; 0 where not given."] = 0  # fmt: skip
    disputed: Annotated[float, Range(least=0, below=1),
        "Chance of an item that judges of the other camp read the other way; 0 where not "
        "given."] = 0  # fmt: skip
    predictors: Annotated[object, Named(PredictorGiven, ["mu"]),
        "The predictors by name; the first is the one that metrics are about."]  # fmt: skip


@dataclass(frozen=True)
class Panel:
    """What is known of a panel."""

    name: tuple[str, ...]  # (m,) of the judges, sorted
    right: np.ndarray  # (2, m) chance of a right vote on negative and on positive items
    source: np.ndarray  # (m,) the judge whom each copies; itself where no one
    copying: np.ndarray  # (m,) chance of a copy
    camp: np.ndarray  # (m,) whether a judge is of the other camp
    phi: float  # phi, disputed: as the parameters
    disputed: float
    latent: float  # the correlation c

    def chance(self, truth: np.ndarray, hard: np.ndarray, divides: np.ndarray) -> np.ndarray:
        """Chance of a positive vote of each judge's own, (n, m), on items (n,)."""
        read = truth[:, None] ^ (divides[:, None] & self.camp)
        place = ndtri(self.right)[read, np.arange(len(self.name))]
        apart = place - np.sqrt(self.latent) * hard[:, None]
        right = ndtr(apart / np.sqrt(1 - self.latent))
        return np.asarray(np.where(read == 1, right, 1 - right))

    def moments(self, truth: int) -> tuple[np.ndarray, np.ndarray]:
        """Each judge's chance (m,) of a positive vote on items of a label; of each two, (m, m)."""
        known = np.full(len(POINTS), truth)
        first: np.ndarray | float = 0.0
        second: np.ndarray | float = 0.0
        for divides, share in ((False, 1 - self.disputed), (True, self.disputed)):
            own = self.chance(known, POINTS, np.full(len(POINTS), divides))
            each, both = _copied(own, self.source, self.copying)
            first = first + share * (WEIGHTS @ each)
            second = second + share * np.tensordot(WEIGHTS, both, 1)
        return np.asarray(first), np.asarray(second)

    def correlation(self) -> float:
        """Correlation of errors given the label, as `inference.shared_errors` defines it."""
        total = np.zeros((len(self.name), len(self.name)))
        for truth, share in ((0, 1 - self.phi), (1, self.phi)):
            first, second = self.moments(truth)
            total += share * (second - np.outer(first, first))
        above = np.triu_indices(len(total), 1)
        return float(total[above].mean() / np.diagonal(total).mean())


def _copied(
    own: np.ndarray, source: np.ndarray, copying: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Chances of positive votes (p, m), and of two (p, m, m), at p points of difficulty; votes are
    one where both are the same judge's, and else independent given the item.
    """
    judges = np.arange(own.shape[1])
    parts = ((judges, 1 - copying), (source, copying))
    each = sum(own[:, whose] * share for whose, share in parts)
    both = np.zeros((*own.shape, own.shape[1]))
    for whose, share in parts:
        for other, theirs in parts:
            apart = own[:, whose, None] * own[:, None, other]
            same = whose[:, None] == other[None]
            chance = np.where(same, own[:, whose, None], apart)
            both += share[:, None] * theirs[None] * chance
    both[:, judges, judges] = each
    return np.asarray(each), both


def read_panel(parameters: Given) -> Panel:
    """The panel of judges."""
    shape, least = "{tpr: number, tnr: number}", (2, "two or more")
    found = design.read_named(parameters, JudgeGiven, shape, "judge", least)
    judges = dict(sorted(found.items()))
    names, source = list(judges), []
    for name, own in judges.items():
        copied = own.values.get("copies", name)
        if copied != name and (copied not in judges or "copies" in judges[copied]):
            raise own.fault("copies", "another judge, who copies no one")
        source.append(names.index(copied))
    copying = np.array([own.real("copying") for own in judges.values()])
    right = [[own.real(name) for own in judges.values()] for name in ("tnr", "tpr")]
    panel = Panel(
        tuple(judges), np.array(right), np.array(source),
        np.where(source == np.arange(len(source)), 0.0, copying),
        np.array([own.flag("camp") for own in judges.values()]),
        parameters.real("phi"), parameters.real("disputed"), 0.0,
    )  # fmt: skip
    wanted = parameters.real("correlation")
    alone = replace(panel, disputed=0.0, copying=np.zeros(len(names)))

    def missed(latent: float) -> float:
        return replace(alone, latent=latent).correlation() - wanted

    most = missed(MOST_LATENT) + wanted
    if wanted > most:
        raise InputError(
            f"generator panel: parameter 'correlation': found {wanted:g}; judges of these rates "
            f"have errors that correlate by {most:.3f} at most"
        )
    return replace(panel, latent=float(brentq(missed, 0.0, MOST_LATENT)) if wanted else 0.0)


def draw_panel(values: Mapping[str, Any], rng: np.random.Generator) -> Replicate[Items]:
    """Draw a replicate of a panel, of no more votes on an item than judges."""
    parameters = Given("generator panel", values, PanelParameters)
    parameters.check_names()
    panel, predictors = read_panel(parameters), read_predictors(parameters)
    n = design.read_n(parameters)
    n_gold, how = design.read_n_gold(parameters, n), design.read_gold_design(parameters)
    if design.read_votes_total(parameters)[0].max() > len(panel.name):
        raise parameters.fault("votes_total", f"at most {len(panel.name)}, as many as judges")
    truth = (rng.random(n) < panel.phi).astype(np.int8)
    hard, size = rng.standard_normal(n), (n, len(panel.name))
    divides = rng.random(n) < panel.disputed
    own = rng.random(size) < panel.chance(truth, hard, divides)
    votes = np.where(rng.random(size) < panel.copying, own[:, panel.source], own)
    total = design.draw_votes_total(parameters, n, rng)
    who = draw_voters(total, len(panel.name), rng)
    seen = np.zeros(size, dtype=bool)
    seen[np.nonzero(who >= 0)[0], who[who >= 0]] = True
    scores = {name: scores_of(one, truth, -hard, rng) for name, one in predictors.items()}
    positive = (votes & seen).sum(axis=1)
    items = design.assemble(positive, total, scores, truth, None, n_gold, rng, how)
    item, judge = np.nonzero(seen)
    labels = labels_of_items(items.item, item, np.array(panel.name)[judge], votes[seen])
    items = replace(items, labels=labels)
    shared, mean_votes = panel.correlation(), float(total.mean())
    known = {
        "phi": panel.phi, "TPR_H": float(panel.moments(1)[0].mean()),
        "TNR_H": float(1 - panel.moments(0)[0].mean()), "correlation": shared,
        "effective_votes": mean_votes / (1 + (mean_votes - 1) * shared),
    }  # fmt: skip
    for name, one in predictors.items():
        if np.isinf(one.freedom):
            spread = np.sqrt((one.spread**2).sum() + 2 * one.ease**2)
            known[f"AUC:{name}"] = float(ndtr(one.mu / spread))
    return Replicate(items, items, known)


GENERATOR = Generator("panel", draw_panel, parameters=PanelParameters)
