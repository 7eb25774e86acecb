"""Scores on the scale of a model, and points that stand for them: what they keep and what not."""

import numpy as np
import pytest
from scipy.special import expit

from crowdgold.models.human_ai import HumanAiDraws
from crowdgold.models.joint_model import ScoreMixtureDraws, compression_error, log_likelihood
from crowdgold.models.score_points import compress_scores, each_score, model_scores
from crowdgold.models.vote_sets import VoteParameters, find_vote_sets
from unit.reference import make_items

N = 6000


def table(seed=0, n=N):
    """Votes of three voters that follow the label, a twentieth of it gold; returns label too."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    votes = rng.binomial(3, np.array([0.15, 0.7])[y])
    gold = np.where(rng.random(n) < 0.05, y, -1)
    return find_vote_sets(make_items(votes, 3, gold)), y, rng


SHAPES = {
    "normal": lambda y, rng: rng.normal(1.5 * y, 1),
    "skewed": lambda y, rng: rng.gamma(2, 0.7, len(y)) + y,
    "Student t, 2 degrees": lambda y, rng: rng.standard_t(2, len(y)) + 1.5 * y,
    "Cauchy": lambda y, rng: rng.standard_cauchy(len(y)) + 1.5 * y,
    "rounded": lambda y, rng: rng.normal(1.5 * y, 1).round(1),
    "half of them equal": lambda y, rng: np.where(rng.random(len(y)) < 0.7, 0.0, rng.normal(y, 1)),
    "two values": lambda y, rng: (rng.random(len(y)) < 0.2 + 0.6 * y).astype(float),
    "alike": lambda y, rng: np.full(len(y), 0.25),
}


def around(y, scores, draws, rng):
    """Draws of both models about as wide as a posterior, around what the labels say."""

    def scatter(*shape):
        return rng.normal(0, 1 / np.sqrt(len(y)), (draws, *shape))

    phi = np.clip(y.mean() + scatter(), 0.01, 0.99)
    means = np.array([np.median(scores[y == label]) for label in (0, 1)])
    means = np.sort(means + scatter(2), axis=1)
    spread = np.subtract(*np.quantile(scores, [0.8, 0.2])) / 1.7 + 0.3
    sigma = spread * np.exp(scatter())
    vote = VoteParameters(phi, np.array([0.15, 0.7]) + scatter(2), np.full((draws, 2), np.inf))
    human = np.array([-1.4, 0.7]) + scatter(2)
    return (
        ScoreMixtureDraws(vote, means, sigma),
        HumanAiDraws(phi, human, means, 0.3 + scatter(), sigma),
    )


def test_each_item_is_a_point_of_weight_1_and_with_enough_nodes_the_scores_are_left():
    sets, y, rng = table(n=300)
    scores = SHAPES["normal"](y, rng)
    points = each_score(scores, sets)
    assert points.score.tolist() == scores.tolist()
    assert points.weight.tolist() == [1.0] * 300
    assert points.member.tolist() == sets.member.tolist()
    points = compress_scores(scores, sets, 300)
    assert points.score.tolist() == scores[np.lexsort((scores, sets.member))].tolist()


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("nodes", [2, 3, 16])
def test_counts_means_and_variances_of_a_vote_set_are_kept(shape, nodes):
    """To 1e-10 of the largest score's power: two nodes sum cubes exactly, group by group."""
    sets, y, rng = table()
    scores = SHAPES[shape](y, rng)
    points = compress_scores(scores, sets, nodes)
    assert np.all(points.weight > 0)
    assert len(points) < N / 2
    for k in range(len(sets)):
        own, stand = scores[sets.member == k], points.member == k
        at = points.score[stand]
        assert own.min() <= at.min() <= at.max() <= own.max()
        for power in range(2 * nodes if nodes == 2 else 3):
            close = 1e-10 * (np.abs(own) ** power).sum() + 1e-12
            found = points.weight[stand] @ at**power
            assert found == pytest.approx((own**power).sum(), abs=close)


@pytest.mark.parametrize("shape", SHAPES)
def test_sixteen_nodes_hold_the_likelihood(shape):
    """To 0.02 between draws as far apart as a posterior's, the bound at which a fit asks for more.
    The control: one node a group, which loses the spread of scores, or 3 for DS+S, change it by
    more.
    """
    sets, y, rng = table()
    scores = SHAPES[shape](y, rng)
    for draws in around(y, scores, 20, rng):
        points = compress_scores(scores, sets, 16)
        assert compression_error(draws, scores, points, sets) < 0.02
        if shape in ("normal", "skewed", "Cauchy"):
            nodes = 3 if isinstance(draws, ScoreMixtureDraws) else 1
            few = compress_scores(scores, sets, nodes)
            assert compression_error(draws, scores, few, sets) > 0.02


def test_the_error_is_that_of_differences_between_draws():
    """A constant that all draws share is no error; a change of weights is."""
    sets, y, rng = table()
    scores = SHAPES["normal"](y, rng)
    draws = around(y, scores, 6, rng)[0]
    points = each_score(scores, sets)
    assert compression_error(draws, scores, points, sets) == 0
    doubled = type(points)(points.score, 2 * points.weight, points.member)
    exact = log_likelihood(draws, points, sets)
    found = compression_error(draws, scores, doubled, sets)
    assert found == pytest.approx(np.ptp(exact), rel=1e-9)


def test_points_are_few_whatever_the_number_of_items():
    few, many = (
        len(compress_scores(SHAPES["normal"](y, rng), sets, 16))
        for sets, y, rng in (table(n=20_000), table(n=100_000))
    )
    assert many < min(1.2 * few, 300)


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
