"""The model of named judges under simulation-based calibration, and a planted bug.

As in `calibrated_models`: parameters from the model's own prior, data from the model, a fit. Each
item has a vote of each of `votes_total` judges.
"""

from dataclasses import replace

import numpy as np
from scipy.special import ndtr

from crowdgold.models.judge_votes import JudgeDraws, JudgeRows, draw_prior, find_rows, fit_judges
from crowdgold.studies.calibration.calibrated_models import Simulated, Trial, draw_labels


def _draw_rows(truth: JudgeDraws, trial: Trial) -> JudgeRows:
    """Draw items from the model at one draw of its parameters."""
    rng = trial.rng
    label, gold = draw_labels(truth.phi[0], trial)
    shared = truth.r[0][label][:, None]
    effect = truth.b[0][label] + np.sqrt(shared) * rng.standard_normal((len(label), 1))
    vote = rng.random(effect.shape) < ndtr(effect / np.sqrt(1 - shared))
    return find_rows(vote.astype(int), gold)


def _quantities(draws: JudgeDraws, rows: JudgeRows) -> dict[str, np.ndarray]:
    named = {f"b{y}": draws.b[:, y, 0] for y in (0, 1)} | {f"r{y}": draws.r[:, y] for y in (0, 1)}
    return {"phi": draws.phi, **named, "log_likelihood": draws.log_likelihood(rows)}


def _run(truth: JudgeDraws, rows: JudgeRows, trial: Trial) -> Simulated:
    """Fit the model; judges are alike in it, so that the first stands for all."""
    fit = fit_judges(rows, trial.rng, trial.stan, trial.sampler)
    true = {name: float(value[0]) for name, value in _quantities(truth, rows).items()}
    return Simulated(true, _quantities(fit.draws, rows), fit.diagnostics)


def run_judges(trial: Trial) -> Simulated:
    """Run the model of named judges with a common item effect."""
    truth = draw_prior(int(trial.parameters["votes_total"]), trial.rng)
    return _run(truth, _draw_rows(truth, trial), trial)


def run_effect_dropped(trial: Trial) -> Simulated:
    """Plant a bug: votes whose density has no common item effect."""
    truth = draw_prior(int(trial.parameters["votes_total"]), trial.rng)
    return _run(truth, _draw_rows(replace(truth, r=0 * truth.r), trial), trial)
