"""The exact cut against brute force, and against the nested cut.

Brute force is the dense grid of `unit.dense_grid`, with its tests at level 1e-4 each; all seeds are
fixed.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ks_2samp

from crowdgold.methods.registry import fit
from crowdgold.models.binned_ranks import BinnedRanks
from crowdgold.models.exact_cut import DEGREES, Box, sample_exact_cut, settle
from crowdgold.models.nested_cut import sample_nested_cut
from crowdgold.models.priors import ScorePrior
from crowdgold.models.score_model import ConditionedScoreModel, ScoreData
from crowdgold.models.stan import SamplerSettings
from crowdgold.models.vote_sets import find_vote_sets, win_counts
from unit.dense_grid import LEVEL, Brute, p_value, vote_draws
from unit.reference import Theta, algorithm_1, make_items

TYPICAL = Theta(0.3, (0.2, 0.6), (1.5, 1.5), 1.0, 1.0)
CASES = {
    "typical": (TYPICAL, 2000, 3, 200),
    "few items, 10 gold": (TYPICAL, 200, 3, 10),
    "no gold": (TYPICAL, 1000, 3, 0),
    "one vote": (TYPICAL, 1000, 1, 100),
    "very many items": (TYPICAL, 100_000, 3, 10_000),
    "near-perfect": (TYPICAL._replace(mu=4.5, delta=0.0), 2000, 3, 200),
    "no signal": (TYPICAL._replace(mu=0.0, delta=0.0), 2000, 3, 200),
    "mu against the prior's edge": (TYPICAL._replace(mu=-0.3, delta=0.0), 5000, 3, 1000),
    "follows the votes": (TYPICAL._replace(mu=0.75, delta=8.0), 2000, 3, 200),
    "against the votes": (TYPICAL._replace(mu=3.0, delta=-8.0), 2000, 3, 200),
    "voters alike": (TYPICAL._replace(d=(0.05, 0.1), delta=3.0), 2000, 3, 200),
}


def problem(theta, n, votes, n_gold, seed=1):
    items = algorithm_1(theta, n, votes, n_gold, np.random.default_rng(seed))
    sets = find_vote_sets(items)
    wins = win_counts(sets.member, items.ranking("A"), len(sets))
    return ScoreData(wins, sets.count.astype(float), sets.pattern), sets


@pytest.mark.parametrize("name", CASES)
def test_draws_have_the_density_of_the_dense_grid(name):
    """300 draws of one vote draw. Draws that are shifted in delta by a third of a deviation, or
    stretched in log mu by a factor of two about their median, must be refused."""
    theta, n, votes, n_gold = CASES[name]
    data, sets = problem(theta, n, votes, n_gold)
    vote = vote_draws(theta, 300)
    draws = sample_exact_cut(data, sets, vote, np.random.default_rng(2))
    assert draws.failures == 0
    brute = Brute(ConditionedScoreModel.at(data, sets, vote, 0))
    assert p_value(*brute.transform(draws.mu, draws.delta)) > LEVEL
    shifted = draws.delta + draws.delta.std() / 3
    assert p_value(*brute.transform(draws.mu, shifted)) < LEVEL
    stretched = draws.mu**2 / np.median(draws.mu)
    assert p_value(*brute.transform(stretched, draws.delta)) < LEVEL


PRIORS = {
    "mu near 0": (ScorePrior(4.0, 0.1, 10.0), "no signal"),
    "mu far out": (ScorePrior(1.0, 10.0, 10.0), "few items, 10 gold"),
    "mu known well": (ScorePrior(40.0, 80.0, 10.0), "few items, 10 gold"),
    "delta near 0": (ScorePrior(1.0, 1.0, 0.1), "few items, 10 gold"),
    "delta free": (ScorePrior(3.0, 0.5, 300.0), "few items, 10 gold"),
}


@pytest.mark.parametrize("name", PRIORS)
def test_draws_under_another_prior_have_the_density_of_its_dense_grid(name):
    """200 draws of one vote draw, on a grid with the same prior; draws under the paper's prior must
    be refused there."""
    prior, case = PRIORS[name]
    theta, n, votes, n_gold = CASES[case]
    data, sets = problem(theta, n, votes, n_gold)
    own = replace(data, prior=prior)
    vote = vote_draws(theta, 200)
    draws = sample_exact_cut(own, sets, vote, np.random.default_rng(2))
    assert draws.failures == 0
    brute = Brute(own.conditioned(sets, vote, 0))
    assert p_value(*brute.transform(draws.mu, draws.delta)) > LEVEL
    other = sample_exact_cut(data, sets, vote, np.random.default_rng(2))
    assert p_value(*brute.transform(other.mu, other.delta)) < LEVEL


@pytest.mark.parametrize("name", ["typical", "very many items"])
def test_each_draw_has_the_density_of_its_own_vote_draw(name):
    """24 vote draws that scatter by many deviations of the conditional density.

    The transform of each on its own grid is uniform. On the grid of the first vote draw for all
    they must be refused, or the scatter tests nothing.
    """
    theta, n, votes, n_gold = CASES[name]
    data, sets = problem(theta, n, votes, n_gold)
    vote = vote_draws(theta, 24, np.random.default_rng(3))
    draws = sample_exact_cut(data, sets, vote, np.random.default_rng(4))
    assert draws.failures == 0
    models = [ConditionedScoreModel.at(data, sets, vote, k) for k in range(24)]
    brutes = [Brute(model, 50, 30) for model in models]
    own = [brutes[k].transform(draws.mu[[k]], draws.delta[[k]]) for k in range(24)]
    assert p_value(*np.array(own)[..., 0].T) > LEVEL
    assert p_value(*brutes[0].transform(draws.mu, draws.delta)) < LEVEL


RECORDED = {
    "typical": [
        (1.084761255935, 0.766054962349),
        (1.249301836721, 0.684650529282),
        (1.061265337971, 0.676865583296),
        (1.141994600503, 0.884107220418),
    ],
    "few items, 10 gold": [
        (2.043591795306, 1.584051759485),
        (5.127765095887, 1.075217861746),
        (9.914068089460, 1.109784803961),
        (3.232412211461, 2.135834256516),
    ],
    "follows the votes": [
        (0.582584612679, 7.312597658684),
        (0.680628939373, 6.847284512319),
        (0.923808669811, 6.557814421020),
        (0.733352858420, 7.987392206934),
    ],
}


@pytest.mark.parametrize("name", RECORDED)
def test_pairwise_draws_are_those_of_before_there_was_another_likelihood(name):
    """The numbers were recorded when the cut knew the pairwise likelihood only.

    On the machine where they were recorded they are the same bits; to 1e-6 they must be anywhere,
    as sums may round otherwise. Another seed gives others.
    """
    theta, n, votes, n_gold = CASES[name]
    data, sets = problem(theta, n, votes, n_gold)
    vote = vote_draws(theta, 4, np.random.default_rng(3))
    for seed, same in ((2, True), (3, False)):
        draws = sample_exact_cut(data, sets, vote, np.random.default_rng(seed))
        found = np.array([draws.mu, draws.delta]).T
        assert np.allclose(found, RECORDED[name], rtol=1e-6) is same


NESTED = {
    "typical": (TYPICAL, 1000, 2, 100),
    "few items, 20 gold": (TYPICAL._replace(delta=2.0), 300, 2, 20),
}
PILOT = SamplerSettings(chains=2, warmup=300, draws=300)


def agree(one, other):
    """The smallest p-value of two-sample tests of log mu, delta and their sum."""
    first, second = (np.array([np.log(draws.mu), draws.delta]) for draws in (one, other))
    spread = second.std(axis=1)[:, None]
    pairs = [*zip(first, second, strict=True), ((first / spread).sum(0), (second / spread).sum(0))]
    return min(ks_2samp(a, b).pvalue for a, b in pairs)


@pytest.mark.slow
@pytest.mark.parametrize("name", NESTED)
def test_the_nested_cut_gives_the_draws_of_the_exact_cut(name, stan):
    """100 nested draws of b = 10 against 200 exact ones, each given one of 100 vote draws.

    Three two-sample Kolmogorov-Smirnov tests at 1e-4 each: by chance they refuse once in 3,000
    times, and distributions that differ by more than 0.27 somewhere are refused, a shift of some
    0.7 deviations. Draws given the ranking by another predictor (mu larger by 0.6) must be refused.
    """
    theta, n, votes, n_gold = NESTED[name]
    data, sets = problem(theta, n, votes, n_gold)
    vote = vote_draws(theta, 100, np.random.default_rng(5))
    nested, diagnostics = sample_nested_cut(
        data, sets, vote, np.random.default_rng(6), stan, PILOT, 10, 1
    )
    twice = vote.select(np.tile(np.arange(100), 2))
    exact = sample_exact_cut(data, sets, twice, np.random.default_rng(7))
    assert nested.failures == exact.failures == 0
    assert diagnostics.divergences == 0
    assert agree(nested, exact) > LEVEL
    other, other_sets = problem(theta._replace(mu=theta.mu + 0.6), n, votes, n_gold)
    wrong = sample_exact_cut(other, other_sets, twice, np.random.default_rng(7))
    assert agree(nested, wrong) < LEVEL


@pytest.mark.parametrize("calibrated", [False, True])
def test_the_nested_cut_has_the_prior_of_the_exact_cut(calibrated, stan):
    """50 nested draws of b = 10 against 200 exact ones under mu ~ InvGamma(20, 60) and delta ~
    Laplace(0, 0.5), of few items, for both score likelihoods.

    The tests are those of above; distributions that differ by more than 0.35 somewhere are refused.
    Draws under the paper's prior must be.
    """
    few = TYPICAL, 138, 1, 20
    items = algorithm_1(*few, np.random.default_rng(1))
    data, sets = problem(*few)
    if calibrated:
        data = BinnedRanks.of(sets.member, items.ranking("A"), len(sets))
    own = replace(data, prior=ScorePrior(20.0, 60.0, 0.5))
    vote = vote_draws(TYPICAL, 50, np.random.default_rng(5))
    nested, _ = sample_nested_cut(own, sets, vote, np.random.default_rng(6), stan, PILOT, 10, 1)
    more = vote.select(np.arange(200) % 50)
    exact, wrong = (
        sample_exact_cut(one, sets, more, np.random.default_rng(7)) for one in (own, data)
    )
    assert agree(nested, exact) > LEVEL
    assert agree(nested, wrong) < LEVEL


@pytest.mark.slow
def test_ten_iterations_are_enough(stan, monkeypatch):
    """b = 10 against 4 b = 40, 100 draws each: the sampled distribution does not move, by more than
    0.31 anywhere, or some 0.8 deviations.

    The same tests refuse b = 1 with a step size of a hundredth from one starting point far out (mu
    = 4, delta = -4), as too few iterations would look; and accept two runs of b = 10.
    """
    theta, n, votes, n_gold = NESTED["typical"]
    data, sets = problem(theta, n, votes, n_gold)
    vote = vote_draws(theta, 100, np.random.default_rng(8))

    def nested(b, seed):
        rng = np.random.default_rng(seed)
        return sample_nested_cut(data, sets, vote, rng, stan, PILOT, b, 1)[0]

    ten, forty = nested(10, 1), nested(40, 2)
    assert agree(ten, forty) > LEVEL
    sample = stan.sample

    def far(name, data, seed, parameters, settings, **options):
        if settings.chains == 1:
            options |= {"inits": {"mu": 4.0, "delta": -4.0}}
            options["step_size"] /= 100
        return sample(name, data, seed, parameters, settings, **options)

    monkeypatch.setattr(stan, "sample", far)
    assert agree(nested(1, 3), forty) < LEVEL


def test_scores_never_change_what_is_said_of_the_voters(stan):
    """The cut: with the same seed, the vote parameters' draws are the same bits for any scores.

    The score model's are not, nor are the vote parameters' for other votes.
    """
    items = algorithm_1(TYPICAL, 400, 3, 60, np.random.default_rng(9))
    settings = {"sampler": {"chains": 2, "warmup": 200, "draws": 100}, "imputations": 60}

    def fitted(scores, votes=items.votes_positive):
        table = make_items(votes, items.votes_total, items.gold, scores, items.tie_break)
        return fit("MAVEN", table, np.random.default_rng(10), settings, stan).labels.parameters

    given = fitted(items.scores["A"])
    reverse = fitted({"A": -items.scores["A"]})
    two = fitted({"A": np.random.default_rng(1).normal(size=400), "B": items.scores["A"]})
    for name in ("phi", "a0", "a1", "d0", "d1"):
        assert len(given[name]) == 60
        assert given[name].tobytes() == reverse[name].tobytes() == two[name].tobytes()
    assert not np.any(given["mu:A"] == reverse["mu:A"])
    assert not np.any(given["delta:A"] == two["delta:A"])
    assert not np.any(given["phi"] == fitted(items.scores["A"], 3 - items.votes_positive)["phi"])


@pytest.mark.parametrize("method", ["MAVEN", "MAVEN-C"])
def test_the_priors_of_the_settings_reach_the_fit(stan, method):
    """Priors that say far more than 40 items without gold do: the draws lie about their means, at a
    root mean square distance below 2 prior deviations. Under the paper's priors, which are wider
    than that, none does."""
    items = algorithm_1(TYPICAL, 40, 1, 0, np.random.default_rng(9))
    sampler = {"sampler": {"chains": 2, "warmup": 200, "draws": 100}, "imputations": 60}
    own = {
        "mu_prior": {"shape": 400, "scale": 2000},
        "delta_scale": 0.01,
        "phi_prior": {"alpha": 320, "beta": 80},
    }
    expected = {"mu:A": (5.0, 0.25), "delta:A": (0.0, 0.014), "phi": (0.8, 0.02)}

    def away(**settings):
        fitted = fit(method, items, np.random.default_rng(10), sampler | settings, stan)
        draws = fitted.labels.parameters
        return [
            np.sqrt(np.mean((draws[name] - at) ** 2)) / sd for name, (at, sd) in expected.items()
        ]

    assert max(away(**own)) < 2
    assert min(away()) > 2


@pytest.mark.parametrize(
    "box",
    [
        Box((-2.7, -0.7), (2e15, 2e15), -2e15),
        Box((-1.0, 1.0), (9.0, 12.0), 0.0),
        Box((-1.0, 1.0), (-5.0, -1.0), 0.0),
    ],
)
def test_a_box_without_area_or_prior_mass_does_not_settle(box):
    """A density that lost its way is a failure that is counted, not an error or a NaN."""
    theta, n, votes, n_gold = CASES["typical"]
    data, sets = problem(theta, n, votes, n_gold)
    model = ConditionedScoreModel.at(data, sets, vote_draws(theta, 1), 0)
    density, _, settled = settle(model, box, DEGREES[0])
    assert not settled
    assert np.all(np.isfinite(density.mass))
