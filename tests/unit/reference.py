"""Independent references for the tests: written from the papers' formulas, by other means.

Nothing here imports the models under test. Import as `from unit.reference import ...`.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from scipy.special import betainc, betaln, expit, log_expit, log_ndtr, logsumexp, ndtr
from scipy.stats import betabinom, binom, multivariate_normal, norm

from crowdgold.types.items import NO_GOLD, Items


def make_items(votes_positive, votes_total, gold, scores=None, tie_break=None, truth=None):
    """Make a table of plain arrays; `scores` is one column, or a mapping from names to columns."""
    votes_positive = np.asarray(votes_positive)
    n = len(votes_positive)
    scores = np.arange(n, dtype=float) if scores is None else scores
    return Items(
        item=np.arange(n).astype(str).astype(object),
        votes_positive=votes_positive,
        votes_total=np.broadcast_to(votes_total, n).copy(),
        gold=np.broadcast_to(gold, n).astype(np.int8),
        scores=scores if isinstance(scores, dict) else {"A": np.asarray(scores, float)},
        tie_break=np.arange(n, dtype=float) if tie_break is None else np.asarray(tie_break),
        truth=None if truth is None else np.asarray(truth, dtype=np.int8),
    )


class Theta(NamedTuple):
    """Parameters of MAVEN (table 1)."""

    phi: float
    a: tuple[float, float]
    d: tuple[float, float]
    mu: float = 1.0
    delta: float = 1.0

    def shapes(self, y, positive=0, total=0):
        """The shapes of P | Y = y, votes (section 3.2.2)."""
        a, d = self.a[y], self.d[y]
        return a * d + positive, (1 - a) * d + total - positive


def algorithm_1(theta, n, votes_total, n_gold, rng):
    """Draw a table by Algorithm 1 (appendix A), its first `n_gold` items labelled by experts."""
    y = (rng.random(n) < theta.phi).astype(int)
    a, d = np.array(theta.a)[y], np.array(theta.d)[y]
    p = rng.beta(a * d, (1 - a) * d)
    x = rng.normal(theta.mu * y + theta.delta * p, 1)
    gold = np.where(np.arange(n) < n_gold, y, NO_GOLD)
    return make_items(rng.binomial(votes_total, p), votes_total, gold, x, rng.random(n), y)


def label_odds(theta, positive, total):
    """P(Y = 1 | votes) by Bayes' rule with scipy's beta-binomial."""
    joint = [
        prior * betabinom.pmf(positive, total, *theta.shapes(y))
        for y, prior in ((0, 1 - theta.phi), (1, theta.phi))
    ]
    return joint[1] / (joint[0] + joint[1])


def beta_rule(alpha, beta, panels=120, order=10, reach=32.0):
    """Points and weights that integrate a smooth function against Beta(alpha, beta).

    Gauss-Legendre panels in s = logit p over [-reach, reach]; what lies outside, where p is within
    exp(-reach) = 1e-14 of an end, goes to that end with its exact mass.
    """
    x, w = np.polynomial.legendre.leggauss(order)
    edges = np.linspace(-reach, reach, panels + 1)
    half = np.diff(edges) / 2
    s = ((edges[:-1] + edges[1:]) / 2)[:, None] + half[:, None] * x
    density = np.exp(alpha * log_expit(s) + beta * log_expit(-s) - betaln(alpha, beta))
    low = betainc(alpha, beta, expit(-reach))
    high = betainc(beta, alpha, expit(-reach))
    points = np.concatenate([[0.0], expit(s.ravel()), [1.0]])
    return points, np.concatenate([[low], (density * half[:, None] * w).ravel(), [high]])


@cache
def beats(mu_shift, delta, first, second):
    """E Phi((mu_shift + delta (P - P')) / sqrt 2), P ~ Beta(first), P' ~ Beta(second)."""
    x, v = beta_rule(*first)
    z, w = beta_rule(*second)
    x, v = x[v > 1e-18], v[v > 1e-18]
    z, w = z[w > 1e-18], w[w > 1e-18]
    return float(v @ ndtr((mu_shift + delta * (x[:, None] - z)) / np.sqrt(2)) @ w)


def win_rate(theta, one, other, q_one, q_other):
    """w_kl (section 3.2.2) for votes (positive, total) and P(Y = 1 | vote set) of each."""
    total = 0.0
    for y in (0, 1):
        for z in (0, 1):
            weight = (q_one if y else 1 - q_one) * (q_other if z else 1 - q_other)
            if weight > 0:
                shapes = theta.shapes(y, *one), theta.shapes(z, *other)
                total += weight * beats(theta.mu * (y - z), theta.delta, *shapes)
    return total


def deviation(w, first, second):
    """The standard deviation of a count of wins after Hanley and McNeil (1982).

    Their formula is of the area: SE^2 = (w (1 - w) + (n_A - 1)(Q_1 - w^2) + (n_N - 1)(Q_2 - w^2))
    / (n_A n_N), Q_1 = w / (2 - w), Q_2 = 2 w^2 / (1 + w), n_A abnormal cases. The count is the area
    times n_A n_N.
    """
    w = np.clip(w, 1 / (2 * first * second), 1 - 1 / (2 * first * second))
    q_1, q_2 = w / (2 - w), 2 * w**2 / (1 + w)
    area = w * (1 - w) + (first - 1) * (q_1 - w**2) + (second - 1) * (q_2 - w**2)
    return np.sqrt(area / (first * second)) * first * second


class HumanAi(NamedTuple):
    """Parameters of H-AI (appendix C.3): base rate, means of lambda_H and lambda_M by label,
    correlation, and standard deviation of lambda_M."""

    phi: float
    mu_human: tuple[float, float]
    mu_model: tuple[float, float]
    rho: float
    sigma: float

    def covariance(self):
        """The covariance of (lambda_H, lambda_M) given the label."""
        return [[1.0, self.rho * self.sigma], [self.rho * self.sigma, self.sigma**2]]

    def log_joint(self, y, positive, total, score, reach=16.0, size=2001):
        """log P(Y = y, V, X = score) of one item: the bivariate density and the binomial,
        summed over a fine grid of lambda_H."""
        human = np.linspace(-reach, reach, size)
        pairs = np.stack([human, np.full(size, score)], axis=-1)
        means = [self.mu_human[y], self.mu_model[y]]
        log_density = multivariate_normal.logpdf(pairs, means, self.covariance())
        log_votes = positive * log_ndtr(human) + (total - positive) * log_ndtr(-human)
        value = log_density + log_votes
        ways = binom.pmf(positive, total, 0.5) * 2.0**total
        prior = self.phi if y else 1 - self.phi
        return logsumexp(value) + np.log((human[1] - human[0]) * ways * prior)

    def draw(self, n, votes_total, n_gold, rng):
        """Draw a table by the model's own process, its first `n_gold` items labelled by experts."""
        y = (rng.random(n) < self.phi).astype(int)
        noise = rng.multivariate_normal([0, 0], self.covariance(), n)
        human = np.array(self.mu_human)[y] + noise[:, 0]
        score = np.array(self.mu_model)[y] + noise[:, 1]
        gold = np.where(np.arange(n) < n_gold, y, NO_GOLD)
        votes = rng.binomial(votes_total, ndtr(human))
        return make_items(votes, votes_total, gold, score, rng.random(n), y)


class ScoreMixture(NamedTuple):
    """Parameters of DS+S (appendix C.2): base rate, chance of a positive vote and mean score by
    label, and standard deviation of scores."""

    phi: float
    a: tuple[float, float]
    mu: tuple[float, float]
    sigma: float

    def log_joint(self, y, positive, total, score):
        """log P(Y = y, V, X = score)."""
        prior = self.phi if y else 1 - self.phi
        votes = binom.logpmf(positive, total, self.a[y])
        return np.log(prior) + votes + norm.logpdf(score, self.mu[y], self.sigma)

    def draw(self, n, votes_total, n_gold, rng):
        """Draw a table by the model's own process, its first `n_gold` items labelled by experts."""
        y = (rng.random(n) < self.phi).astype(int)
        score = rng.normal(np.array(self.mu)[y], self.sigma)
        gold = np.where(np.arange(n) < n_gold, y, NO_GOLD)
        votes = rng.binomial(votes_total, np.array(self.a)[y])
        return make_items(votes, votes_total, gold, score, rng.random(n), y)


def item_log_likelihoods(theta, items, scores):
    """The log-likelihood of each item (n,) under a model with `log_joint`, item by item."""
    values = []
    for positive, total, gold, score in zip(
        items.votes_positive, items.votes_total, items.gold, scores, strict=True
    ):
        labels = (0, 1) if gold == NO_GOLD else (gold,)
        values.append(logsumexp([theta.log_joint(y, positive, total, score) for y in labels]))
    return np.array(values)
