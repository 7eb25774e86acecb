"""The Stan programs' densities and generated quantities against NumPy, at draws of short chains.

`lp__` is the log density of the unconstrained parameters: that of the model plus the log Jacobians
of Stan's transforms, up to a constant. Differences between draws are compared to 1e-8; numbers are
written with 18 digits, so reading them back loses nothing that matters.
"""

import numpy as np
import pytest
from scipy.special import ndtr
from scipy.stats import beta, betabinom, binom, invgamma, kstest, laplace, norm

from crowdgold.models.binned_ranks import BinnedRanks
from crowdgold.models.human_ai import HumanAiProgram
from crowdgold.models.joint_model import ScoreMixtureDraws, ScoreMixtureProgram, log_likelihood
from crowdgold.models.nested_cut import ordinal_data, score_data
from crowdgold.models.priors import PAPER_PRIOR, PhiPrior, ScorePrior
from crowdgold.models.score_model import ConditionedScoreModel, ScoreData
from crowdgold.models.score_points import compress_scores, each_score
from crowdgold.models.vote_sets import VoteParameters, find_vote_sets, vote_data, win_counts
from unit.reference import (
    HumanAi,
    ScoreMixture,
    Theta,
    algorithm_1,
    deviation,
    item_log_likelihoods,
    make_items,
)

THETA = Theta(0.3, (0.2, 0.6), (1.5, 0.8), 1.0, 2.0)
DRAWS = 60
AGREES = 1e-8
PHI_PRIOR = PhiPrior(2.5, 0.7)
SCORE_PRIOR = ScorePrior(2.5, 0.7, 3.0)


def log_score_prior(prior, mu, delta):
    of_mu = invgamma.logpdf(mu, prior.mu_shape, scale=prior.mu_scale)
    return of_mu + laplace.logpdf(delta, scale=prior.delta_scale)


@pytest.fixture(scope="module")
def items():
    """Items with 1, 3 and 4 votes, a third of them gold."""
    rng = np.random.default_rng(21)
    parts = [algorithm_1(THETA, 90, c, 30, rng) for c in (1, 3, 4)]
    votes = (
        np.concatenate([getattr(part, name) for part in parts])
        for name in ("votes_positive", "votes_total", "gold")
    )
    return make_items(*votes, np.concatenate([part.scores["A"] for part in parts]))


def sample(stan, name, data, tmp_path):
    return stan.load(name).sample(
        data, chains=1, iter_warmup=150, iter_sampling=DRAWS, thin=3, seed=5, sig_figs=18,
        show_progress=False, show_console=False, output_dir=tmp_path,
    )  # fmt: skip


def assert_density(fit, log_density):
    """Assert that lp__ less the NumPy log density is one constant, though lp__ is not."""
    lp = fit.method_variables()["lp__"].ravel()
    difference = lp - log_density
    assert np.ptp(lp) > 1
    assert np.ptp(difference) < AGREES


def cell_log_masses(data, phi, label_mass):
    """log P(V, gold label) for each cell; `label_mass(y, v, c)` is P(V = v | Y = y)."""
    values = []
    for c, gold in zip(data["votes_total"], data["gold"], strict=True):
        joint = [(1 - phi) * label_mass(0, np.arange(c + 1), c)]
        joint += [phi * label_mass(1, np.arange(c + 1), c)]
        values.append(np.log(joint[0] + joint[1] if gold < 0 else joint[gold]))
    return np.concatenate(values)


def assert_votes(fit, data, masses, log_jacobian, phi):
    """Check density, log_lik and replicated counts of a model of votes.

    Without the prior of phi the density must be refused.
    """
    log_prior = beta.logpdf(phi, PHI_PRIOR.alpha, PHI_PRIOR.beta)
    count = np.array(data["count"])
    log_mass = np.array(masses)
    assert_density(fit, log_mass @ count + log_jacobian + log_prior)
    with pytest.raises(AssertionError):
        assert_density(fit, log_mass @ count + log_jacobian)
    assert np.ptp(fit.method_variables()["lp__"].ravel() - log_mass @ count) > 100 * AGREES
    assert fit.stan_variable("log_lik") == pytest.approx(log_mass, abs=1e-10)
    replicated = fit.stan_variable("count_rep")
    start, expected, variance = 0, [], []
    for c in data["votes_total"]:
        cells = slice(start, start + c + 1)
        total = count[cells].sum()
        assert np.all(replicated[:, cells].sum(axis=1) == total)
        share = np.exp(log_mass[:, cells])
        share /= share.sum(axis=1, keepdims=True)
        expected.append(total * share.sum(axis=0))
        variance.append(total * (share * (1 - share)).sum(axis=0))
        start += c + 1
    # Sums over draws: independent multinomials, so within 5 standard deviations cell by cell.
    distance = replicated.sum(axis=0) - np.concatenate(expected)
    assert np.all(np.abs(distance) < 5 * np.sqrt(np.concatenate(variance)))


def scalars(fit, *names):
    return [fit.stan_variable(name) for name in names]


def between(x, low, high):
    """The log Jacobian of Stan's transform to the interval (low, high)."""
    return np.log(x - low) + np.log(high - x) - np.log(high - low)


def test_vote_model(stan, items, tmp_path):
    data = vote_data(find_vote_sets(items), PHI_PRIOR)
    fit = sample(stan, "vote", data, tmp_path)
    phi, a0, a1, correlation = scalars(fit, "phi", "a0", "a1", "lambda")
    d = 1 / correlation - 1
    assert fit.stan_variable("d") == pytest.approx(d, rel=1e-12)
    masses = []
    for draw in range(len(phi)):
        theta = Theta(phi[draw], (a0[draw], a1[draw]), tuple(d[draw]))
        masses.append(
            cell_log_masses(
                data, phi[draw], lambda y, v, c, t=theta: betabinom.pmf(v, c, *t.shapes(y))
            )
        )
    jacobian = between(phi, 0, 1) + between(a1, 0, 1) + between(a0, 0, a1)
    jacobian += between(correlation, 0.01, 0.99).sum(axis=1)
    assert_votes(fit, data, masses, jacobian, phi)


def test_dawid_skene(stan, items, tmp_path):
    data = vote_data(find_vote_sets(items), PHI_PRIOR)
    fit = sample(stan, "dawid_skene", data, tmp_path)
    phi, a0, a1 = scalars(fit, "phi", "a0", "a1")
    masses = [
        cell_log_masses(data, p, lambda y, v, c, a=a: binom.pmf(v, c, a[y]))
        for p, a in zip(phi, zip(a0, a1, strict=True), strict=True)
    ]
    jacobian = between(phi, 0, 1) + between(a1, 0, 1) + between(a0, 0, a1)
    assert_votes(fit, data, masses, jacobian, phi)


def score_log_densities(data, mu, delta):
    """w_kl, the mean and deviation of each W_kl, l < k, from the data of stan/score.stan."""
    gap, weight = np.array(data["gap"]), np.array(data["weight"])
    rate, mean, spread, observed = [], [], [], []
    for k in range(data["m"]):
        for l in range(k):
            r, s = data["pattern"][k] - 1, data["pattern"][l] - 1
            w = 0.0
            for y in (0, 1):
                for z in (0, 1):
                    q = data["q"][k] if y else 1 - data["q"][k]
                    q *= data["q"][l] if z else 1 - data["q"][l]
                    # P - P' has nodes of its own for labels 0 and 0, 1 and 1, 1 and 0.
                    if y >= z:
                        x, v = gap[y + (y - z), r, s], weight[y + (y - z), r, s]
                    else:
                        x, v = -gap[2, s, r], weight[2, s, r]
                    w += q * (v @ ndtr((mu * (y - z) + delta * x) / np.sqrt(2)))
            N, M = data["N"][k], data["N"][l]
            rate.append(w)
            mean.append(N * M * w)
            spread.append(deviation(w, N, M))
            observed.append(data["W"][k][l])
    return np.array(rate), np.array(mean), np.array(spread), np.array(observed)


def test_score_model(stan, items, tmp_path):
    sets = find_vote_sets(items)
    wins = win_counts(sets.member, items.ranking("A"), len(sets))
    vote = VoteParameters(np.array([0.35]), np.array([[0.25, 0.55]]), np.array([[1.0, 0.4]]))
    model = ConditionedScoreModel.at(
        ScoreData(wins, sets.count.astype(float), sets.pattern, SCORE_PRIOR), sets, vote, 0
    )
    data = score_data(model, 9, pointwise=True)
    fit = sample(stan, "score", data, tmp_path)
    mu, delta = scalars(fit, "mu", "delta")
    parts = [score_log_densities(data, *draw) for draw in zip(mu, delta, strict=True)]
    rate, mean, spread, observed = (np.array(column) for column in zip(*parts, strict=True))
    log_lik = norm.logpdf(observed, mean, spread)
    prior, other = (log_score_prior(one, mu, delta) for one in (SCORE_PRIOR, PAPER_PRIOR))
    assert_density(fit, log_lik.sum(axis=1) + prior + np.log(mu))
    for wrong in (prior, other + np.log(mu)):  # without the Jacobian; another prior
        with pytest.raises(AssertionError):
            assert_density(fit, log_lik.sum(axis=1) + wrong)
    assert fit.stan_variable("log_lik") == pytest.approx(log_lik, abs=1e-8)
    assert fit.stan_variable("w") == pytest.approx(rate, abs=1e-12)
    # Replicated counts are independent normals: one Kolmogorov-Smirnov test, level 1e-6.
    z = (fit.stan_variable("W_rep") - mean) / spread
    assert kstest(z.ravel(), norm.cdf).pvalue > 1e-6
    # The exact cut's likelihood is the same function, but for the number of nodes: win rates are
    # right to 1e-6 each, which moves this log-likelihood by less than 1e-2.
    grid = model.log_likelihood(mu[:5, None], delta[:5])[:, 0]
    assert np.ptp(grid - log_lik[:5].sum(axis=1)) < 1e-2


def assert_votes_and_scores(fit, data, thetas, items, log_jacobian, log_prior):
    """Check density and log_lik of a model of votes and scores against item-by-item sums.

    Controls: without the Jacobian, and without the prior of one parameter, it must fail.
    """
    values = np.array([item_log_likelihoods(theta, items, items.scores["A"]) for theta in thetas])
    prior = np.sum(list(log_prior.values()), axis=0)
    assert_density(fit, values @ np.array(data["weight"]) + log_jacobian + prior)
    for control in (log_jacobian, *log_prior.values()):
        with pytest.raises(AssertionError):
            assert_density(fit, values.sum(axis=1) + log_jacobian + prior - control)
    assert fit.stan_variable("log_lik") == pytest.approx(values, abs=1e-8)


@pytest.fixture(scope="module", params=[(-1, 0, 1), (-1,), (0, 1)], ids=str)
def few_items(request):
    """Items with 1, 3 and 4 votes, some gold, none, or all; every score is a point of its own."""
    rng = np.random.default_rng(22)
    total = np.repeat([1, 3, 4], 13)
    gold = np.tile(request.param, 39)[:39]
    return make_items(rng.integers(0, total + 1), total, gold, rng.normal(0.5, 1.5, 39))


def test_dawid_skene_scores(stan, few_items, tmp_path):
    sets = find_vote_sets(few_items)
    points = each_score(few_items.scores["A"], sets)
    data = ScoreMixtureProgram().data(points, sets, pointwise=True)
    fit = sample(stan, "dawid_skene_scores", data, tmp_path)
    phi, a0, a1, mu, sigma = scalars(fit, "phi", "a0", "a1", "mu", "sigma")
    a = np.stack([a0, a1], axis=1)
    thetas = [ScoreMixture(*draw) for draw in zip(phi, a, mu, sigma, strict=True)]
    jacobian = between(phi, 0, 1) + between(a1, 0, 1) + between(a0, 0, a1) + np.log(sigma)
    prior = {"mu": norm.logpdf(mu).sum(axis=1), "sigma": norm.logpdf(sigma)}
    assert_votes_and_scores(fit, data, thetas, few_items, jacobian, prior)


def test_human_ai(stan, few_items, tmp_path):
    """Within 1e-8 for each of the 39 items, which is what the table of vote probabilities is right
    to; measured, all of lp__ is within 1e-8."""
    sets = find_vote_sets(few_items)
    points = each_score(few_items.scores["A"], sets)
    data = HumanAiProgram(epsilon=0.02).data(points, sets, pointwise=True)
    fit = sample(stan, "human_ai", data, tmp_path)
    names = ("phi", "mu_H", "mu_M", "rho", "sigma_M")
    phi, mu_human, mu_model, rho, sigma = scalars(fit, *names)
    gap_human, gap_model = scalars(fit, "gap_H", "gap_M")
    assert gap_human == pytest.approx(np.diff(mu_human)[:, 0], abs=1e-12)
    assert gap_model == pytest.approx(np.diff(mu_model)[:, 0], abs=1e-12)
    thetas = [HumanAi(*draw) for draw in zip(phi, mu_human, mu_model, rho, sigma, strict=True)]
    jacobian = between(phi, 0, 1) + between(rho, -0.98, 0.98)
    jacobian += np.log(gap_human) + np.log(gap_model) + np.log(sigma)
    prior = {
        "mu_H": norm.logpdf(mu_human[:, 0]) + norm.logpdf(gap_human),
        "mu_M": norm.logpdf(mu_model[:, 0]) + norm.logpdf(gap_model),
        "sigma_M": norm.logpdf(sigma),
    }
    assert_votes_and_scores(fit, data, thetas, few_items, jacobian, prior)


def test_weighted_points(stan, items, tmp_path):
    """A point of weight w counts as w items: compressed scores give the same density as NumPy's."""
    sets = find_vote_sets(items)
    points = compress_scores(items.scores["A"], sets, 3)
    assert len(points) < len(items)
    program = ScoreMixtureProgram()
    fit = sample(stan, program.name, program.data(points, sets), tmp_path)
    phi, a0, a1, mu, sigma = scalars(fit, "phi", "a0", "a1", "mu", "sigma")
    a = np.stack([a0, a1], axis=1)
    draws = ScoreMixtureDraws(VoteParameters(phi, a, np.full_like(a, np.inf)), mu, sigma)
    outside = between(phi, 0, 1) + between(a1, 0, 1) + between(a0, 0, a1) + np.log(sigma)
    outside += norm.logpdf(mu).sum(axis=1) + norm.logpdf(sigma)
    assert_density(fit, log_likelihood(draws, points, sets) + outside)
    each = log_likelihood(draws, each_score(items.scores["A"], sets), sets)
    with pytest.raises(AssertionError):
        assert_density(fit, each + outside)
    assert "log_lik" not in fit.stan_variables()  # nobody asked for it


def ordinal_log_density(data, mu, delta, cut, sd):
    """The log density of each bin, the item at its upper end included, from the data of
    stan/score_ordinal.stan: (B,)."""
    node, weight = np.array(data["node"]), np.array(data["weight"])
    deviation_of = (1.0, sd)

    def mixture(function, k, t):
        v, q = data["pattern"][k] - 1, data["q"][k]
        return sum(
            share
            * (weight[y, v] @ function(y, (t - mu * y - delta * node[y, v]) / deviation_of[y]))
            for y, share in ((0, 1 - q), (1, q))
        )

    ends = [-np.inf, *cut, np.inf]
    total = np.zeros(data["B"])
    for b, counts in enumerate(data["count"]):
        for k, items in enumerate(counts):
            if items:
                # Phi(high) - Phi(low) on the side where it keeps its digits.
                here = [mixture(lambda y, z: ndtr(z), k, end) for end in ends[b : b + 2]]
                there = [mixture(lambda y, z: ndtr(-z), k, end) for end in ends[b : b + 2]]
                mass = here[1] - here[0] if here[1] < 0.5 else there[0] - there[1]
                total[b] += items * np.log(mass)
        if b < data["B"] - 1:
            k = data["highest"][b] - 1
            total[b] += np.log(mixture(lambda y, z: norm.pdf(z) / deviation_of[y], k, ends[b + 1]))
    return total


@pytest.mark.parametrize("free_sd", [False, True])
def test_score_ordinal(stan, items, tmp_path, free_sd):
    """The masses of bins are differences; to 1e-8 they agree where none is below 1e-7 or so."""
    sets = find_vote_sets(items)
    vote = VoteParameters(np.array([0.35]), np.array([[0.25, 0.55]]), np.array([[1.0, 0.4]]))
    data = BinnedRanks.of(sets.member, items.ranking("A"), len(sets), free_sd, SCORE_PRIOR)
    data = ordinal_data(data.conditioned(sets, vote, 0), 9)
    assert np.sum(data["count"]) == len(items) - data["B"] + 1
    fit = sample(stan, "score_ordinal", data, tmp_path)
    mu, delta = scalars(fit, "mu", "delta")
    cut = fit.stan_variable("cut")
    log_sd = fit.stan_variable("log_sd")[:, 0] if free_sd else np.zeros(len(mu))
    log_lik = np.array(
        [
            ordinal_log_density(data, *draw)
            for draw in zip(mu, delta, cut, np.exp(log_sd), strict=True)
        ]
    )
    log_prior = log_score_prior(SCORE_PRIOR, mu, delta)
    jacobian = np.log(mu) + np.log(np.diff(cut, axis=1)).sum(axis=1)
    if free_sd:
        log_prior += norm.logpdf(log_sd, scale=0.5)
        jacobian += between(log_sd, -1.5, 1.5)
    assert_density(fit, log_lik.sum(axis=1) + log_prior + jacobian)
    with pytest.raises(AssertionError):
        assert_density(fit, log_lik.sum(axis=1) + log_prior)  # without the Jacobians
    assert fit.stan_variable("log_lik") == pytest.approx(log_lik, abs=1e-8)
    replicated = fit.stan_variable("count_rep")
    assert np.array_equal(
        replicated.sum(axis=2), np.tile(np.sum(data["count"], axis=0), (len(mu), 1))
    )
