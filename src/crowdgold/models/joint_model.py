"""Models of votes and raw scores (MAVEN, appendix C): what DS+S and H-AI share, and DS+S.

Given the label y, an item's votes and score have the density P(Y = y) p(V, X | y). The label is
summed out where no expert gave it: log L = sum_i log sum_y T_i^(y) P(Y = y) p(V_i, X_i | y). Stan
samples with few points in the place of all items.

DS+S (appendix C.2) is Dawid-Skene votes and a mixture of normal scores: Y_i ~ Bernoulli(phi),
V_i | Y_i = y ~ Binomial(c_i, a_y), X_i | Y_i = y ~ Normal(mu_y, sigma), votes and score independent
given the label.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from scipy.special import expit

from crowdgold.models.score_points import ScorePoints, compress_scores, each_score
from crowdgold.models.stan import SamplerSettings, StanModels, stan_seed
from crowdgold.models.stan_fit import Diagnostics, StanFit
from crowdgold.models.vote_sets import VoteParameters, VoteSets, start_votes

CHECKED = 20  # Posterior draws at which the compressed likelihood is held against that of all items
NODES = (6, 8, 11, 16, 22, 32, 45, 64, 90, 128)  # tried, fewest first; then every score
PILOT = {"chains": 1, "warmup": 150, "draws": CHECKED}  # its draws say how many nodes do
TOLERANCE = 0.02
"""Log-likelihoods of draws may differ by this much, up to a constant, before more nodes are taken:
their weights then change by 2 % at most, and means by a few thousandths of a deviation."""
ADAPT_DELTA = 0.8  # CmdStan's own; twice as many small steps are no better
MARGIN = 4.0  # In the pilot they may differ by this much less, since other draws may differ by more


class JointDraws(Protocol):
    """D draws of the parameters of a model of votes and scores."""

    def __len__(self) -> int: ...

    def select(self, draws: np.ndarray) -> Self:
        """The draws at these positions."""

    def log_joint(
        self, draw: int, score: np.ndarray, member: np.ndarray, sets: VoteSets
    ) -> np.ndarray:
        """The log of [P(Y = y) p(V, X | y)] (P, 2) of scores (P,) and their vote sets."""

    def named(self) -> dict[str, np.ndarray]:
        """The draws of each parameter by the paper's name, (D,) each."""


def log_likelihood(draws: JointDraws, points: ScorePoints, sets: VoteSets) -> np.ndarray:
    """The log-likelihood of weighted scores and their votes and gold labels: (D,)."""
    allowed = sets.allowed[points.member]
    values = np.empty(len(draws))
    for draw in range(len(draws)):
        joint = draws.log_joint(draw, points.score, points.member, sets)
        joint = np.where(allowed, joint, -np.inf)
        values[draw] = np.logaddexp(joint[:, 0], joint[:, 1]) @ points.weight
    return values


def label_probability(
    draws: JointDraws, draw: int, score: np.ndarray, sets: VoteSets, gold_known: bool = True
) -> np.ndarray:
    """P(Y_i = 1 | V_i, X_i, theta) of each item (n,) at a draw; 0 or 1 where gold is known."""
    joint = draws.log_joint(draw, score, sets.member, sets)
    probability = expit(joint[:, 1] - joint[:, 0])
    if not gold_known:
        return probability
    allowed = sets.allowed[sets.member]
    return np.where(allowed.all(axis=1), probability, allowed[:, 1].astype(float))


def point_data(points: ScorePoints, sets: VoteSets, pointwise: bool) -> dict[str, Any]:
    """The data that both Stan programs take; `pointwise` asks for log_lik of each point."""
    return {
        "m": len(sets), "votes_positive": sets.votes_positive.tolist(),
        "votes_total": sets.votes_total.tolist(), "gold": sets.gold.tolist(), "points": len(points),
        "x": points.score.tolist(), "weight": points.weight.tolist(),
        "vote_set": (points.member + 1).tolist(), "pointwise": int(pointwise),
    }  # fmt: skip


def start_scores(scores: np.ndarray, sets: VoteSets) -> tuple[float, float, float]:
    """Mean scores of items with few and many positive votes, and the deviation of all."""
    share = (sets.votes_positive / sets.votes_total)[sets.member]
    low, high = np.quantile(scores, [0.25, 0.75])
    many = share > 0.5
    if many.any() and not many.all():
        low, high = np.sort([scores[~many].mean(), scores[many].mean()])
    return float(low), float(high), float(np.std(scores)) or 1.0


@dataclass(frozen=True)
class ScoreMixtureDraws:
    """D draws of the parameters of DS+S."""

    vote: VoteParameters  # phi and a of Dawid-Skene; infinite d
    mu: np.ndarray  # (D, 2) mean score for labels 0 and 1
    sigma: np.ndarray  # (D,) standard deviation of scores given the label, positive

    def __len__(self) -> int:
        return len(self.sigma)

    def select(self, draws: np.ndarray) -> "ScoreMixtureDraws":
        """The draws at these positions."""
        return ScoreMixtureDraws(self.vote.select(draws), self.mu[draws], self.sigma[draws])

    def log_joint(
        self, draw: int, score: np.ndarray, member: np.ndarray, sets: VoteSets
    ) -> np.ndarray:
        """The log of [P(Y = y) p(V, X | y)]: (P, 2); see `JointDraws.log_joint`."""
        vote = self.vote.select(np.array([draw]))
        log_votes = vote.pattern_log_likelihood(sets)[0]
        log_votes += np.log([1 - vote.phi[0], vote.phi[0]])
        z = (score[:, None] - self.mu[draw]) / self.sigma[draw]
        log_density = -(z**2) / 2 - np.log(self.sigma[draw]) - np.log(2 * np.pi) / 2
        return np.asarray(log_votes[sets.pattern[member]] + log_density)

    def named(self) -> dict[str, np.ndarray]:
        """The draws of each parameter by name, (D,) each."""
        return {
            "phi": self.vote.phi, **{f"a{y}": self.vote.a[:, y] for y in (0, 1)},
            **{f"mu{y}": self.mu[:, y] for y in (0, 1)}, "sigma": self.sigma,
        }  # fmt: skip


class ScoreMixtureProgram:
    """stan/dawid_skene_scores.stan: its data, starting points and draws."""

    nodes: ClassVar = 20
    name: ClassVar = "dawid_skene_scores"
    parameters: ClassVar[tuple[str, ...]] = ("phi", "a0", "a1", "mu", "sigma")

    def data(self, points: ScorePoints, sets: VoteSets, pointwise: bool = False) -> dict[str, Any]:
        """Lay weighted scores out as data; `pointwise` asks for log_lik of each point."""
        return point_data(points, sets, pointwise)

    def start(self, scores: np.ndarray, sets: VoteSets, rng: np.random.Generator) -> dict[str, Any]:
        """A chain's starting point: near what the votes say, spread so that R-hat can tell."""
        low, high, spread = start_scores(scores, sets)
        around = rng.normal(0, 0.2 * spread, 2)
        return {
            **start_votes(sets, rng),
            "mu": [low + around[0], high + around[1]],
            "sigma": spread * rng.uniform(0.5, 1.0),
        }

    def read(self, fit: StanFit) -> ScoreMixtureDraws:
        """The draws of a fit, chain after chain."""
        a = np.stack([fit.flat("a0"), fit.flat("a1")], axis=1)
        vote = VoteParameters(fit.flat("phi"), a, np.full_like(a, np.inf))
        return ScoreMixtureDraws(vote, fit.flat("mu"), fit.flat("sigma"))


class JointProgram(Protocol):
    """A Stan program for a model of votes and scores."""

    name: ClassVar[str]  # of its file
    parameters: ClassVar[tuple[str, ...]]  # variables that are kept and diagnosed
    nodes: ClassVar[int]  # of each group of scores in the pilot: as many as mostly do

    def data(self, points: ScorePoints, sets: VoteSets, pointwise: bool = False) -> dict[str, Any]:
        """Lay weighted scores out as its data."""

    def start(
        self, scores: np.ndarray, sets: VoteSets, rng: np.random.Generator
    ) -> Mapping[str, Any]:
        """A chain's starting point."""

    def read(self, fit: StanFit) -> JointDraws:
        """The draws of a fit."""


@dataclass(frozen=True)
class JointFit:
    """Draws of a model of votes and scores."""

    draws: JointDraws  # chain after chain
    diagnostics: Diagnostics  # of the chains; the notes say where nodes were too few
    points: int  # points that stood for the scores
    error: float  # how much compression changed differences of the log-likelihood, at most
    seconds: float  # time in Stan's warmup and sampling, all chains


def _differences(
    draws: JointDraws, scores: np.ndarray, sets: VoteSets
) -> Callable[[ScorePoints], float]:
    """How much points change differences of log L between `CHECKED` draws, spread over all."""
    size = min(CHECKED, len(draws))
    chosen = draws.select(np.linspace(0, len(draws) - 1, size).round().astype(int))
    exact = log_likelihood(chosen, each_score(scores, sets), sets)
    return lambda points: float(np.ptp(exact - log_likelihood(chosen, points, sets)))


def compression_error(
    draws: JointDraws, scores: np.ndarray, points: ScorePoints, sets: VoteSets
) -> float:
    """How much compression changes differences of the log-likelihood between draws, at most."""
    return _differences(draws, scores, sets)(points)


def fewest_points(
    draws: JointDraws, scores: np.ndarray, sets: VoteSets, above: int = 0
) -> tuple[int, ScorePoints]:
    """The fewest points, of more than `above` nodes, within the tolerance less its margin."""
    error = _differences(draws, scores, sets)
    for nodes in NODES:
        if nodes > above:
            points = compress_scores(scores, sets, nodes)
            if len(points) >= len(scores):
                break
            if error(points) <= TOLERANCE / MARGIN:
                return nodes, points
    return len(scores), each_score(scores, sets)


def fit_votes_and_scores(
    program: JointProgram, scores: np.ndarray, sets: VoteSets, rng: np.random.Generator,
    stan: StanModels, settings: SamplerSettings, compressed: bool = True,
) -> JointFit:  # fmt: skip
    """Sample the posterior, one predictor's scores (n,) on the model's scale. If `compressed`, few
    points stand for them, as many as draws of a pilot ask for, and more where posterior draws find
    the likelihood off by more than `TOLERANCE`.
    """
    # The same seed and starting points, whatever the points.
    seed = stan_seed(rng)
    starts = [dict(program.start(scores, sets, rng)) for _ in range(settings.chains)]

    def sample(points: ScorePoints, settings: SamplerSettings) -> StanFit:
        data, inits = program.data(points, sets), starts[: settings.chains]
        # A dense metric: votes and scores inform the same labels, so that parameters correlate.
        options = {"adapt_delta": ADAPT_DELTA, "inits": inits, "metric": "dense_e"}
        return stan.sample(program.name, data, seed, program.parameters, settings, **options)

    nodes, points, notes = len(scores), each_score(scores, sets), []
    if compressed:
        pilot = sample(compress_scores(scores, sets, program.nodes), replace(settings, **PILOT))
        nodes, points = fewest_points(program.read(pilot), scores, sets)
    while True:
        fit = sample(points, settings)
        draws = program.read(fit)
        error = compression_error(draws, scores, points, sets) if nodes < len(scores) else 0.0
        if error <= TOLERANCE:
            break
        notes.append(
            f"{nodes} nodes for the scores of a group moved the log-likelihood by {error:.2g}: "
            "sampled anew with more"
        )
        nodes, points = fewest_points(draws, scores, sets, above=nodes)
    diagnostics = replace(fit.diagnostics, notes=(*fit.diagnostics.notes, *notes))
    return JointFit(draws, diagnostics, len(points), error, fit.seconds)
