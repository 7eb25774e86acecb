"""Densities and label probabilities of DS+S and H-AI against item-by-item references."""

import numpy as np
import pytest
from scipy.special import expit

from crowdgold.methods.registry import fit
from crowdgold.models.human_ai import HumanAiDraws, HumanAiProgram
from crowdgold.models.joint_model import (
    ScoreMixtureDraws,
    ScoreMixtureProgram,
    label_probability,
    log_likelihood,
)
from crowdgold.models.score_points import each_score
from crowdgold.models.stan_fit import Diagnostics, worst
from crowdgold.models.vote_sets import VoteParameters, find_vote_sets
from crowdgold.types.errors import InputError
from unit.reference import HumanAi, ScoreMixture, item_log_likelihoods, make_items

MIXTURES = [
    ScoreMixture(0.3, (0.2, 0.7), (-0.4, 1.2), 0.9),
    ScoreMixture(0.05, (0.01, 0.98), (1.0, -2.0), 0.3),
]
HUMAN_AIS = [
    HumanAi(0.3, (-1.1, 0.8), (-0.4, 1.2), 0.4, 0.9),
    HumanAi(0.9, (-0.2, 0.1), (0.0, 2.5), -0.99, 1.7),
    HumanAi(0.02, (-2.5, 2.0), (-1.0, 0.5), 0.93, 0.6),
]


def as_draws(thetas):
    columns = [np.array(column) for column in zip(*thetas, strict=True)]
    if isinstance(thetas[0], HumanAi):
        return HumanAiDraws(*columns)
    phi, a, mu, sigma = columns
    return ScoreMixtureDraws(VoteParameters(phi, a, np.full_like(a, np.inf)), mu, sigma)


@pytest.fixture(scope="module")
def items():
    """Items with 1, 3 and 6 votes, a third of them gold, scores from -4 to 4."""
    rng = np.random.default_rng(8)
    total = rng.choice([1, 3, 6], 60)
    gold = rng.choice([-1, -1, -1, -1, 0, 1], 60)
    return make_items(rng.integers(0, total + 1), total, gold, rng.uniform(-4, 4, 60))


@pytest.mark.parametrize("thetas", [MIXTURES, HUMAN_AIS], ids=["DS+S", "H-AI"])
def test_log_likelihoods_and_label_probabilities(items, thetas):
    """To 1e-8 for each item: the sum of 60 to 6e-7, probabilities by Bayes' rule."""
    sets, scores, draws = find_vote_sets(items), items.scores["A"], as_draws(thetas)
    total = log_likelihood(draws, each_score(scores, sets), sets)
    for d, theta in enumerate(thetas):
        assert total[d] == pytest.approx(item_log_likelihoods(theta, items, scores).sum(), abs=6e-7)
        votes = items.votes_positive, items.votes_total, scores
        joint = np.array([
            [theta.log_joint(y, *row) for y in (0, 1)] for row in zip(*votes, strict=True)
        ])  # fmt: skip
        expected = np.where(items.gold < 0, expit(joint[:, 1] - joint[:, 0]), items.gold)
        found = label_probability(draws, d, scores, sets)
        assert found == pytest.approx(expected, abs=1e-8)
        assert np.all(found[items.gold >= 0] == items.gold[items.gold >= 0])


def test_draws_are_selected_and_named():
    for thetas in (MIXTURES, HUMAN_AIS):
        draws = as_draws(thetas)
        assert len(draws) == len(thetas)
        last = draws.select(np.array([len(thetas) - 1])).named()
        expected = {name: values[-1] for name, values in draws.named().items()}
        assert {name: values[0] for name, values in last.items()} == expected
    assert set(last) == {"phi", "mu_H0", "mu_H1", "mu_M0", "mu_M1", "rho", "sigma_M"}


@pytest.mark.parametrize(
    "table",
    [
        make_items([0, 3], 3, -1, [0.0, 1.0]),
        make_items([3, 3, 3], 3, -1, [0.0, 1.0, 0.5]),
        make_items([0, 1, 0], [1, 1, 2], [-1, 1, 0], [5.0, 5.0, 5.0]),
        make_items([3, 0, 2], 3, [0, 1, -1], [2.0, -1.0, 0.0]),
    ],
    ids=["two items", "all alike", "equal scores", "against the votes"],
)
def test_chains_start_inside_the_bounds(table):
    sets, scores, rng = find_vote_sets(table), table.scores["A"], np.random.default_rng(1)
    for _ in range(20):
        start = ScoreMixtureProgram().start(scores, sets, rng)
        assert 0 < start["phi"] < 1
        assert 0 < start["a0"] < start["a1"] < 1
        assert start["sigma"] > 0
        start = HumanAiProgram().start(scores, sets, rng)
        assert min(start["gap_H"], start["gap_M"], start["sigma_M"], 0.99 - abs(start["rho"])) > 0
        assert np.isfinite(list(start.values())).all()


@pytest.mark.parametrize(
    ("method", "settings", "scores", "message"),
    [
        ("DS+S", {"scores": "all"}, None, r"DS\+S: scores: found 'all', expected one of comp"),
        ("H-AI", {"scores": "none"}, None, "H-AI: scores: found 'none'"),
        ("H-AI", {"epsilon": 1.0}, None, "H-AI: epsilon: found 1.0, expected a number between 0"),
        ("DS+S", {"epsilon": 0.1}, None, "DS\\+S: no setting 'epsilon'"),
        ("H-AI", {"score": "each"}, None, "did you mean 'scores'"),
        ("DS+S", {}, {}, "needs scores"),
        ("H-AI", {}, {}, "needs scores"),
    ],
)
def test_settings_and_scores_are_checked(method, settings, scores, message):
    with pytest.raises(InputError, match=message):
        fit(method, make_items([0, 3], 3, [0, 1], scores), np.random.default_rng(0), settings)


def test_the_worst_of_several_fits():
    one = Diagnostics(1.001, 900, 800, 1, 0, ("failed",), ("noted",), 4)
    other = Diagnostics(1.02, 1000, 300, 2, 5, (), ("noted too",), 4)
    assert worst({"A": one, "B": other}) == Diagnostics(
        1.02, 900, 300, 3, 5, ("A: failed",), ("A: noted", "B: noted too"), 4
    )
