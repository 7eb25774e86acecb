"""Models of votes and scores under simulation-based calibration: DS+S and H-AI.

As in `calibrated_models`: parameters from the model's own prior (MAVEN, appendix C.2 and C.3), data
from the model, a fit; and a planted bug. Scores stay on the scale that they are drawn on.
"""

import numpy as np
from scipy.special import ndtr

from crowdgold.models.diagnostics import Diagnostics
from crowdgold.models.human_ai import EPSILON, HumanAiDraws, HumanAiProgram
from crowdgold.models.joint_fit import JointProgram, fit_votes_and_scores
from crowdgold.models.joint_model import JointDraws, log_likelihood
from crowdgold.models.score_mixture import ScoreMixtureDraws, ScoreMixtureProgram
from crowdgold.models.score_points import each_score
from crowdgold.models.vote_fit import fit_votes
from crowdgold.models.vote_sets import VoteSets, find_vote_sets
from crowdgold.studies.calibration.calibrated_models import (
    Simulated,
    Trial,
    draw_labels,
    draw_vote_prior,
    items_of,
)


def _quantities(draws: JointDraws, scores: np.ndarray, sets: VoteSets) -> dict[str, np.ndarray]:
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
    true = {name: float(value[0]) for name, value in _quantities(truth, scores, sets).items()}
    return Simulated(true, _quantities(draws, scores, sets), diagnostics)


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
