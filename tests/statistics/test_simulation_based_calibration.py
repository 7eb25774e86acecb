"""Simulation-based calibration finds nothing in sound samplers, and each planted bug.

The bands are simultaneous over a line and left by a right sampler once in some 2,000 lines; some
50 lines are judged here. `make validate` does the same with more replicates.
"""

import numpy as np
import pandas as pd
import pytest

from crowdgold.models.stan import StanModels
from crowdgold.papers.calibration.simulation_based import (
    check_uniformity,
    compute_simulation_based_calibration,
)
from crowdgold.types.errors import InputError

SHORT = {"n": 200, "n_gold": 40, "votes_total": 3, "chains": 2, "warmup": 200, "draws": 200}


def ranks(model, replicates, stan, **changes):
    frames = []
    for replicate in range(replicates):
        rng = np.random.default_rng([11, replicate])
        parameters = {**SHORT, **changes, "model": model}
        frame = compute_simulation_based_calibration(parameters, rng, stan)
        frames.append(frame.assign(model=model, replicate=replicate))
    return pd.concat(frames)


@pytest.mark.parametrize(
    ("model", "replicates", "changes"),
    [
        ("dawid_skene", 40, {}),
        ("dawid_skene_scores", 12, {"warmup": 150, "draws": 150}),
        ("human_ai", 8, {"n": 120, "warmup": 150, "draws": 150}),
        ("vote", 25, {}),
        ("score", 10, {"votes_total": 1, "warmup": 100, "draws": 100}),
        ("exact_cut", 15, {"votes_total": 2}),
        ("prior_mismatched", 30, {}),
        ("rates_swapped", 25, {}),
        ("judges", 12, {"n": 120, "n_gold": 30, "warmup": 150, "draws": 150}),
        ("effect_dropped", 12, {"n": 120, "n_gold": 30, "warmup": 150, "draws": 150}),
    ],
)
def test_sound_samplers_have_uniform_ranks_and_planted_bugs_do_not(
    model, replicates, changes, stan
):
    """A line of N uniform ranks leaves its band with probability 0.0005, whatever N is."""
    ((sentence, holds),) = check_uniformity(ranks(model, replicates, stan, **changes))
    assert holds, sentence


@pytest.mark.parametrize(
    ("model", "replicates"), [("likelihood_dropped", 30), ("scores_ignored", 12)]
)
def test_only_the_log_likelihood_sees_that_data_are_dropped(model, replicates, stan):
    """All of them, or the scores: draws given a part of the data are right on average."""
    ((sentence, holds),) = check_uniformity(ranks(model, replicates, stan))
    assert holds, sentence
    assert "outside the band: log_likelihood;" in sentence


def test_an_unknown_model_is_named():
    with pytest.raises(InputError, match="did you mean 'vote'"):
        compute_simulation_based_calibration(
            {**SHORT, "model": "votes"}, np.random.default_rng(1), StanModels()
        )
