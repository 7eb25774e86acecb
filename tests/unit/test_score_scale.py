"""Scores that are probabilities are seen as logits; those at the ends are moved in, and said."""

import numpy as np
import pytest
from scipy.special import expit

from crowdgold.models.score_points import model_scores


@pytest.mark.parametrize("scores", [[-0.1, 0.3, 0.8], [0.2, 1.1]])
def test_real_scores_stay_as_they_are(scores):
    found, notes = model_scores(np.array(scores))
    assert (found.tolist(), notes) == (scores, ())


def test_probabilities_become_logits():
    scores = np.array([0.01, 0.5, 0.9, 1 - 1e-12])
    found, notes = model_scores(scores)
    assert expit(found) == pytest.approx(scores, rel=1e-12)
    assert notes == ("scores in [0, 1] are logit-transformed",)


def test_exact_ends_move_in_by_half_the_smallest_distance():
    """Where the nearest other score is p, logit(p / 2) is log 2 beyond it for small p."""
    found, (note,) = model_scores(np.array([0.0, 0.0, 0.004, 0.5, 0.98, 1.0]))
    assert expit(found) == pytest.approx([0.002, 0.002, 0.004, 0.5, 0.98, 0.99])
    assert note.endswith("logit-transformed; 2 at 0 moved to 0.002; 1 at 1 moved to 1 - 0.01")


@pytest.mark.parametrize(
    "scores",
    [[0.0, 1.0], [0.0, 0.0, 1.0, 1.0, 1.0], [0.0, 0.9999999], [1e-300, 0.5, 1.0],
     [5e-324, 0.0, 1.0], [1 - 2**-53, 1.0, 0.5], [0.0, 0.5, 1.0], [0.0, 0.0, 0.004, 0.98, 1.0]],
)  # fmt: skip
def test_the_transform_is_finite_and_keeps_the_order(scores):
    scores = np.array(scores)
    found, _ = model_scores(scores)
    assert np.all(np.isfinite(found))
    assert np.array_equal(np.less.outer(found, found), np.less.outer(scores, scores))


def test_reflected_scores_have_reflected_logits_and_scores_far_from_the_priors_are_said():
    scores = np.array([0.0, 0.25, 0.5, 0.875, 1.0])
    assert model_scores(1 - scores)[0] == pytest.approx(-model_scores(scores)[0], rel=1e-12)
    assert "priors expect" in model_scores(np.array([100.0, 200.0, 300.0]))[1][0]
