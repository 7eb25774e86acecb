"""Models of votes and scores under simulation-based calibration: DS+S and H-AI.

As in `calibrated_models`: parameters from the model's own prior (MAVEN, appendix C.2 and C.3), data
from the model, a fit. Scores stay on the scale that they are drawn on.
"""

import numpy as np
from scipy.special import ndtr

from crowdgold.evaluation.calibrated_models import (
    Simulated,
    Trial,
    draw_labels,
    draw_vote_prior,
    items_of,
)
from crowdgold.models.human_ai import EPSILON, HumanAiDraws, HumanAiProgram
from crowdgold.models.joint_fit import JointProgram, fit_votes_and_scores
from crowdgold.models.joint_model import JointDraws, log_likelihood
from crowdgold.models.score_mixture import ScoreMixtureDraws, ScoreMixtureProgram
from crowdgold.models.score_points import each_score
from crowdgold.models.vote_sets import VoteSets, find_vote_sets


def _quantities(draws: JointDraws, scores: np.ndarray, sets: VoteSets) -> dict[str, np.ndarray]:
    known = log_likelihood(draws, each_score(scores, sets), sets)
    return {**draws.named(), "log_likelihood": known}


def _run(
    program: JointProgram,
    truth: JointDraws,
    chance: np.ndarray,
    scores: np.ndarray,
    gold: np.ndarray,
    trial: Trial,
) -> Simulated:
    """Draw votes at each item's chance (n,) of a positive one, and fit votes and scores."""
    sets = find_vote_sets(items_of(chance, gold, trial))
    fit = fit_votes_and_scores(program, scores, sets, trial.rng, trial.stan, trial.sampler)
    true = {name: float(value[0]) for name, value in _quantities(truth, scores, sets).items()}
    return Simulated(true, _quantities(fit.draws, scores, sets), fit.diagnostics)


def run_dawid_skene_scores(trial: Trial) -> Simulated:
    """Run DS+S (appendix C.2)."""
    rng = trial.rng
    vote = draw_vote_prior(rng, correlated=False)
    truth = ScoreMixtureDraws(vote, rng.normal(size=(1, 2)), np.abs(rng.normal(size=1)))
    label, gold = draw_labels(vote.phi[0], trial)
    scores = rng.normal(truth.mu[0, label], truth.sigma[0])
    return _run(ScoreMixtureProgram(), truth, vote.a[0, label], scores, gold, trial)


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
    return _run(HumanAiProgram(), truth, ndtr(latent), scores, gold, trial)
