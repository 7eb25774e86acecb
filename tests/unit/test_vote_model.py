"""The vote model against scipy's beta-binomial and Bayes' rule by enumeration."""

import itertools

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta as beta_distribution
from scipy.stats import betabinom, binom

from crowdgold.models.vote_sets import VoteParameters, find_vote_sets, vote_data
from unit.reference import Theta, algorithm_1, make_items

DRAWS = [
    Theta(0.3, (0.2, 0.6), (1.5, 0.5)),
    Theta(0.02, (0.01, 0.99), (0.0101, 99.0)),
    Theta(0.97, (0.45, 0.5), (30.0, 0.02)),
]


def parameters(draws=DRAWS):
    return VoteParameters(
        *(np.array([getattr(t, name) for t in draws]) for name in ["phi", "a", "d"])
    )


def joint_of(theta, v, c):
    """P(Y = y, V = v), by scipy."""
    prior = 1 - theta.phi, theta.phi
    return [prior[y] * betabinom.pmf(v, c, *theta.shapes(y)) for y in (0, 1)]


def patterns_of(sets):
    pairs = zip(sets.pattern_positive.tolist(), sets.pattern_total.tolist(), strict=True)
    return list(enumerate(pairs))


@pytest.fixture(scope="module")
def items():
    rng = np.random.default_rng(2)
    parts = [algorithm_1(DRAWS[0], 40, c, 12, rng) for c in (1, 3, 4)]
    return make_items(
        *(np.concatenate([getattr(part, name) for part in parts])
          for name in ("votes_positive", "votes_total", "gold"))
    )  # fmt: skip


@pytest.mark.parametrize("draw", range(len(DRAWS)))
def test_likelihood_label_probability_and_shapes_are_those_of_bayes_rule(items, draw):
    """Item by item, without vote sets; sums of 120 terms agree to 1e-10."""
    theta, sets, expected = DRAWS[draw], find_vote_sets(items), 0.0
    for v, c, gold in zip(items.votes_positive, items.votes_total, items.gold, strict=True):
        joint = joint_of(theta, v, c)
        expected += np.log(sum(joint) if gold < 0 else joint[gold])
    assert parameters().log_likelihood(sets)[draw] == pytest.approx(expected, rel=1e-10)
    found = parameters().label_probability(sets)
    assert found.shape == (len(DRAWS), len(sets))
    for k in range(len(sets)):
        joint = joint_of(theta, sets.votes_positive[k], sets.votes_total[k])
        expected = joint[1] / sum(joint) if sets.gold[k] < 0 else float(sets.gold[k])
        assert found[draw, k] == pytest.approx(expected, rel=1e-10)
    alpha, beta = (shape[draw] for shape in parameters().shapes(sets))
    for p, pattern in patterns_of(sets):
        for y in (0, 1):
            assert (alpha[p, y], beta[p, y]) == pytest.approx(theta.shapes(y, *pattern))


def test_dawid_skene_is_the_limit_of_large_d(items):
    """Infinite d is the binomial; the beta-binomial at d differs from it by O(c^2 / d) = 2e-5."""
    sets, theta = find_vote_sets(items), DRAWS[0]
    limit, near, far = (parameters([theta._replace(d=(d, d))]) for d in (np.inf, 1e6, 1e2))
    for p, pattern in patterns_of(sets):
        expected = binom.logpmf(*pattern, theta.a)
        assert limit.pattern_log_likelihood(sets)[0, p] == pytest.approx(expected, rel=1e-12)
    close, apart = (
        np.abs(one.label_probability(sets) - limit.label_probability(sets)).max()
        for one in (near, far)
    )
    assert 0 < close < 5e-5 < 1e-3 < apart
    assert near.log_likelihood(sets) == pytest.approx(limit.log_likelihood(sets), rel=1e-4)


def test_probabilities_stay_finite_at_the_ends():
    sets = find_vote_sets(make_items([0, 50, 100], 100, -1))
    ends = parameters([Theta(1e-12, (1e-9, 1 - 1e-9), (99.0, 99.0))])
    assert np.isfinite([*ends.label_probability(sets)[0], *ends.log_likelihood(sets)]).all()


def test_mean_is_that_of_phi_a_and_log_d():
    mean = parameters().mean()
    assert mean.phi == pytest.approx([np.mean([t.phi for t in DRAWS])])
    assert mean.a == pytest.approx(np.mean([t.a for t in DRAWS], axis=0)[None])
    product = np.prod([t.d for t in DRAWS], axis=0) ** (1 / 3)
    assert mean.d == pytest.approx(product[None])


def test_the_data_of_the_stan_models_count_every_item(items):
    data = vote_data(find_vote_sets(items))
    assert sum(data["count"]) == len(items)
    assert len(data["count"]) == data["cells"] == sum(c + 1 for c in data["votes_total"])
    start = 0
    for c, gold in zip(data["votes_total"], data["gold"], strict=True):
        group = (items.votes_total == c) & (items.gold == gold)
        expected = np.bincount(items.votes_positive[group], minlength=c + 1)
        assert data["count"][start : start + c + 1] == expected.tolist()
        start += c + 1


def outcomes_of_best_of_five():
    """Every sequence of votes that ends where one side has three."""
    longer = [votes for size in (3, 4, 5) for votes in itertools.product((0, 1), repeat=size)]

    def decided(votes):
        return max(sum(votes), len(votes) - sum(votes)) >= 3

    return [votes for votes in longer if decided(votes) and not decided(votes[:-1])]


def test_votes_collected_until_a_majority_give_the_same_posterior():
    """Best of five, sequence by sequence, P_i integrated by quadrature (section 3.1, footnote 2).

    The probabilities of all outcomes add to 1, and the log-likelihood differs from ours, which
    takes the total as given, by what no parameter changes; a wrong total does change it.
    """
    rng = np.random.default_rng(8)
    a = np.sort(rng.uniform(0.3, 0.7, (6, 2)), axis=1)
    theta = VoteParameters(rng.random(6), a, rng.uniform(8, 20, (6, 2)))
    outcomes = outcomes_of_best_of_five()
    patterns = sorted({(sum(votes), len(votes)) for votes in outcomes})
    assert patterns == [(0, 3), (1, 4), (2, 5), (3, 3), (3, 4), (3, 5)]
    mass = np.zeros((6, len(patterns), 2))
    for draw, y in np.ndindex(6, 2):
        strength = theta.a[draw, y] * theta.d[draw, y]
        prior_of_p = beta_distribution(strength, theta.d[draw, y] - strength)
        for votes in outcomes:

            def density(p, prior=prior_of_p, votes=votes):
                return prior.pdf(p) * np.prod([p if vote else 1 - p for vote in votes])

            at = patterns.index((sum(votes), len(votes)))
            mass[draw, at, y] += quad(density, 0, 1, epsabs=1e-11)[0]
    np.testing.assert_allclose(mass.sum(axis=1), 1, atol=1e-7)
    chosen = rng.integers(0, len(patterns), 300)
    positive, total = np.array(patterns)[chosen].T
    gold = rng.choice([-1, 0, 1], 300, p=[0.8, 0.1, 0.1])
    prior = np.stack([1 - theta.phi, theta.phi], axis=1)[:, None] * mass
    each = np.where(gold < 0, prior.sum(axis=2)[:, chosen], prior[:, chosen, np.maximum(gold, 0)])
    right, wrong = (
        np.log(each).sum(axis=1)
        - theta.log_likelihood(find_vote_sets(make_items(positive, c, gold)))
        for c in (total, np.where(total == 3, 4, total))
    )
    np.testing.assert_allclose(right, right[0], atol=1e-4)
    assert np.ptp(wrong) > 1
