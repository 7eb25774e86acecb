"""The samplers that simulation-based calibration runs: a prior draw, data from it, a fit.

Each function draws parameters from the model's own prior (MAVEN, sections 3.2.1, 3.2.2 and appendix
C), simulates data, fits them, and gives the true value and the draws of every parameter and of the
log-likelihood.

Models of votes and scores under simulation-based calibration: DS+S and H-AI.

As in `calibrated_models`: parameters from the model's own prior (MAVEN, appendix C.2 and C.3), data
from the model, a fit; and a planted bug. Scores stay on the scale that they are drawn on.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import ndtr

from crowdgold.data import NO_GOLD, Items
from crowdgold.models.exact_cut import sample_exact_cut
from crowdgold.models.human_ai import EPSILON, HumanAiDraws, HumanAiProgram
from crowdgold.models.joint_fit import JointProgram, fit_votes_and_scores
from crowdgold.models.joint_model import (
    JointDraws,
    ScoreMixtureDraws,
    ScoreMixtureProgram,
    log_likelihood,
)
from crowdgold.models.nested_cut import score_data
from crowdgold.models.priors import PAPER_PRIOR
from crowdgold.models.score_model import (
    ConditionedScoreModel,
    ScoreData,
    nodes_for,
    win_deviation,
)
from crowdgold.models.score_points import each_score
from crowdgold.models.stan import SamplerSettings, StanModels, stan_seed
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.models.vote_fit import fit_votes
from crowdgold.models.vote_sets import VoteParameters, VoteSets, find_vote_sets
from crowdgold.simulate.gold_sample import draw_labelled

LAMBDA_RANGE = (0.01, 0.99)
SCORE_VOTES = VoteParameters(np.array([0.3]), np.array([[0.2, 0.6]]), np.array([[1.5, 1.5]]))
"""The vote draw that the score model is conditioned on here."""
DRAWS = 100
"""Draws of the exact cut; they are independent."""


@dataclass(frozen=True)
class Trial:
    """What a sampler is run with.

    Attributes:
        parameters: n, n_gold and votes_total of the data.
        rng: source of parameters, data and draws.
        stan: the compiled models.
        sampler: settings of the chains.
    """

    parameters: Mapping[str, Any]
    rng: np.random.Generator
    stan: StanModels
    sampler: SamplerSettings


@dataclass(frozen=True)
class Simulated:
    """True values and posterior draws (D,) by quantity, and the diagnostics of the fit."""

    truth: dict[str, float]
    draws: dict[str, np.ndarray]
    diagnostics: Diagnostics


def draw_vote_prior(rng: np.random.Generator, correlated: bool) -> VoteParameters:
    """Draw the vote model's parameters from their prior; Dawid-Skene's without correlation."""
    a = np.sort(rng.random(2))
    d = 1 / rng.uniform(*LAMBDA_RANGE, 2) - 1 if correlated else np.full(2, np.inf)
    return VoteParameters(rng.random(1), a[None], d[None])


def draw_labels(phi: float, trial: Trial) -> tuple[np.ndarray, np.ndarray]:
    """Draw true labels (n,) and the gold labels among them, -1 where no expert looks."""
    n, rng = int(trial.parameters["n"]), trial.rng
    truth = (rng.random(n) < phi).astype(np.int8)
    labelled = draw_labelled(n, int(trial.parameters["n_gold"]), rng)
    return truth, np.where(labelled, truth, NO_GOLD).astype(np.int8)


def items_of(chance: np.ndarray, gold: np.ndarray, trial: Trial) -> Items:
    """Draw votes at each item's chance (n,) of a positive one; items have no scores."""
    n, rng = len(chance), trial.rng
    total = np.full(n, int(trial.parameters["votes_total"]))
    return Items(np.arange(n), rng.binomial(total, chance), total, gold, {}, rng.random(n))


def draw_items(vote: VoteParameters, trial: Trial) -> Items:
    """Draw items, without scores, from the vote model or Dawid-Skene at one draw."""
    truth, gold = draw_labels(vote.phi[0], trial)
    a, d = vote.a[0][truth], vote.d[0][truth]
    chance = a if np.isinf(d).all() else trial.rng.beta(a * d, (1 - a) * d)
    return items_of(chance, gold, trial)


def _quantities(parameters: VoteParameters, sets: VoteSets) -> dict[str, np.ndarray]:
    known = {"phi": parameters.phi, "a0": parameters.a[:, 0], "a1": parameters.a[:, 1]}
    if not np.isinf(parameters.d).all():
        known |= {f"lambda{y}": 1 / (1 + parameters.d[:, y]) for y in (0, 1)}
    return {**known, "log_likelihood": parameters.log_likelihood(sets)}


def _run_votes(model: str, truth: VoteParameters, trial: Trial) -> Simulated:
    sets = find_vote_sets(draw_items(truth, trial))
    fit = fit_votes(model, sets, trial.rng, trial.stan, trial.sampler)
    true = {name: float(value[0]) for name, value in _quantities(truth, sets).items()}
    return Simulated(true, _quantities(fit.parameters, sets), fit.diagnostics)


def run_vote(trial: Trial) -> Simulated:
    """Run the vote model (section 3.2.1)."""
    truth = draw_vote_prior(trial.rng, correlated=True)
    return _run_votes("vote", truth, trial)


def run_dawid_skene(trial: Trial) -> Simulated:
    """Run Dawid-Skene (appendix C.1)."""
    truth = draw_vote_prior(trial.rng, correlated=False)
    return _run_votes("dawid_skene", truth, trial)


def run_prior_mismatched(trial: Trial) -> Simulated:
    """Plant a bug: rare positives, phi ~ Beta(1, 9), where the model has a uniform prior."""
    drawn = draw_vote_prior(trial.rng, correlated=True)
    truth = VoteParameters(trial.rng.beta(1, 9, 1), drawn.a, drawn.d)
    without_gold = replace(trial, parameters={**trial.parameters, "n_gold": 0})
    return _run_votes("vote", truth, without_gold)


def run_rates_swapped(trial: Trial) -> Simulated:
    """Plant a bug: the sampler reports sensitivity for specificity, and specificity for it."""
    right = run_vote(trial)
    swapped = {**right.draws, "a0": 1 - right.draws["a1"], "a1": 1 - right.draws["a0"]}
    return Simulated(right.truth, swapped, right.diagnostics)


def run_likelihood_dropped(trial: Trial) -> Simulated:
    """Plant a bug: draws of the prior. Only the log-likelihood of the data can tell."""
    truth = draw_vote_prior(trial.rng, correlated=True)
    sets = find_vote_sets(draw_items(truth, trial))
    prior = [draw_vote_prior(trial.rng, correlated=True) for _ in range(DRAWS)]
    draws = VoteParameters(
        np.concatenate([one.phi for one in prior]),
        np.concatenate([one.a for one in prior]),
        np.concatenate([one.d for one in prior]),
    )
    true = {name: float(value[0]) for name, value in _quantities(truth, sets).items()}
    return Simulated(true, _quantities(draws, sets), Diagnostics())


def _draw_scores(trial: Trial) -> tuple[ConditionedScoreModel, float, float]:
    """Draw (mu, delta) from their prior and win counts from the printed normal likelihood."""
    rng = trial.rng
    sets = find_vote_sets(draw_items(SCORE_VOTES, trial))
    mu, delta = 1 / rng.standard_exponential(), rng.laplace(0, PAPER_PRIOR.delta_scale)
    count = sets.count.astype(float)
    empty = ScoreData(np.zeros((len(sets), len(sets))), count, sets.pattern)
    rates = ConditionedScoreModel.at(empty, sets, SCORE_VOTES, 0).win_rates(mu, delta)
    wins = np.zeros_like(rates)
    for k in range(len(sets)):
        for other in range(k):
            comparisons = count[k] * count[other]
            deviation = win_deviation(rates[k, other], count[k], count[other])
            wins[k, other] = rng.normal(comparisons * rates[k, other], deviation)
            wins[other, k] = comparisons - wins[k, other]
    data = ScoreData(wins, count, sets.pattern)
    return ConditionedScoreModel.at(data, sets, SCORE_VOTES, 0), mu, delta


def _scored(
    model: ConditionedScoreModel,
    mu: float,
    delta: float,
    draws: dict[str, np.ndarray],
    diagnostics: Diagnostics,
) -> Simulated:
    known = np.array([model.log_likelihood(m[None, None], d[None])[0, 0] for m, d in zip(
        draws["mu"], draws["delta"], strict=True
    )])  # fmt: skip
    true = float(model.log_likelihood(np.array([[mu]]), np.array([delta]))[0, 0])
    truth = {"mu": float(mu), "delta": float(delta), "log_likelihood": true}
    return Simulated(truth, {**draws, "log_likelihood": known}, diagnostics)


def run_score(trial: Trial) -> Simulated:
    """Run the score model given a vote draw (section 3.2.2), sampled by Stan."""
    model, mu, delta = _draw_scores(trial)
    # Nodes for a wide reach around the truth; more would cost minutes and change nothing.
    data = score_data(model, nodes_for(1.3 * abs(delta) + 5))
    start = [{"mu": 1.0, "delta": float(trial.rng.normal())} for _ in range(trial.sampler.chains)]
    names = ("mu", "delta")
    fit = trial.stan.sample("score", data, stan_seed(trial.rng), names, trial.sampler, inits=start)
    draws = {name: fit.flat(name) for name in names}
    return _scored(model, mu, delta, draws, fit.diagnostics)


def run_exact_cut(trial: Trial) -> Simulated:
    """Run the score model given a vote draw, sampled by the exact cut."""
    model, mu, delta = _draw_scores(trial)
    vote = SCORE_VOTES.select(np.zeros(DRAWS, dtype=int))
    drawn = sample_exact_cut(model.data, model.sets, vote, trial.rng)
    draws = {"mu": drawn.mu, "delta": drawn.delta}
    failures = (f"{drawn.failures} draws did not settle",) if drawn.failures else ()
    return _scored(model, mu, delta, draws, Diagnostics(failures=failures))


def _of_scores(draws: JointDraws, scores: np.ndarray, sets: VoteSets) -> dict[str, np.ndarray]:
    known = log_likelihood(draws, each_score(scores, sets), sets)
    return {**draws.named(), "log_likelihood": known}


def _compared(
    truth: JointDraws,
    draws: JointDraws,
    scores: np.ndarray,
    sets: VoteSets,
    diagnostics: Diagnostics,
) -> Simulated:
    """Every quantity at the truth and at the draws."""
    true = {name: float(value[0]) for name, value in _of_scores(truth, scores, sets).items()}
    return Simulated(true, _of_scores(draws, scores, sets), diagnostics)


def _run(
    program: JointProgram, truth: JointDraws, scores: np.ndarray, sets: VoteSets, trial: Trial
) -> Simulated:
    """Fit votes and scores."""
    fit = fit_votes_and_scores(program, scores, sets, trial.rng, trial.stan, trial.sampler)
    return _compared(truth, fit.draws, scores, sets, fit.diagnostics)


def _prior_of_scores(size: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw mu, (D, 2), and sigma, (D,), of DS+S from their prior."""
    return rng.normal(size=(size, 2)), np.abs(rng.normal(size=size))


def _draw_mixture(trial: Trial) -> tuple[ScoreMixtureDraws, np.ndarray, VoteSets]:
    """Draw the parameters of DS+S, scores (n,), and vote sets."""
    rng = trial.rng
    vote = draw_vote_prior(rng, correlated=False)
    truth = ScoreMixtureDraws(vote, *_prior_of_scores(1, rng))
    label, gold = draw_labels(vote.phi[0], trial)
    scores = rng.normal(truth.mu[0, label], truth.sigma[0])
    return truth, scores, find_vote_sets(items_of(vote.a[0, label], gold, trial))


def run_dawid_skene_scores(trial: Trial) -> Simulated:
    """Run DS+S (appendix C.2)."""
    truth, scores, sets = _draw_mixture(trial)
    return _run(ScoreMixtureProgram(), truth, scores, sets, trial)


def run_scores_ignored(trial: Trial) -> Simulated:
    """Plant a bug: Dawid-Skene's draws, and draws of the prior of mu and sigma, as those of DS+S.

    Every parameter has uniform ranks: draws given a part of the data are right on average. Only the
    log-likelihood of votes and scores can tell.
    """
    truth, scores, sets = _draw_mixture(trial)
    fit = fit_votes("dawid_skene", sets, trial.rng, trial.stan, trial.sampler)
    ignored = _prior_of_scores(len(fit.parameters), trial.rng)
    draws = ScoreMixtureDraws(fit.parameters, *ignored)
    return _compared(truth, draws, scores, sets, fit.diagnostics)


def run_human_ai(trial: Trial) -> Simulated:
    """Run H-AI (appendix C.3)."""
    rng = trial.rng
    low, gap = rng.normal(size=(2, 1)), np.abs(rng.normal(size=(2, 1)))
    human, model = np.concatenate([low, low + gap], axis=1)
    rho, sigma = rng.uniform(EPSILON - 1, 1 - EPSILON), abs(rng.normal())
    truth = HumanAiDraws(
        rng.random(1), human[None], model[None], np.array([rho]), np.array([sigma])
    )
    label, gold = draw_labels(truth.phi[0], trial)
    z = rng.normal(size=(2, len(label)))
    scores = model[label] + sigma * z[0]
    latent = human[label] + rho * z[0] + np.sqrt(1 - rho**2) * z[1]
    sets = find_vote_sets(items_of(ndtr(latent), gold, trial))
    return _run(HumanAiProgram(), truth, scores, sets, trial)
