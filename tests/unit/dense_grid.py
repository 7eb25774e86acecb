"""Brute force for the cut: the density of (log mu, delta) on a dense grid, and tests of draws.

The grid is narrowed until it fits the density. Draws are judged by their Rosenblatt transform on
it, which is uniform on the unit square if they come from the density: Kolmogorov-Smirnov tests of
both coordinates and of their sum's (triangular) distribution, so of their dependence too.
"""

import numpy as np
from scipy.stats import invgamma, kstest, laplace, norm, triang

from crowdgold.models.vote_sets import VoteParameters

LEVEL = 1e-4


def log_prior_of_mu(prior, mu):
    return invgamma.logpdf(mu, prior.mu_shape, scale=prior.mu_scale)


def vote_draws(theta, draws, rng=None):
    """Repeat one vote draw, or scatter it: by 10 % on the scale of each parameter."""
    scatter = np.zeros((5, draws)) if rng is None else rng.normal(0, 0.1, (5, draws))
    odds = np.array([theta.phi, *theta.a])[:, None]
    odds = odds / (1 - odds) * np.exp(scatter[:3])
    phi, a0, a1 = odds / (1 + odds)
    d = np.array(theta.d)[:, None] * np.exp(scatter[3:])
    return VoteParameters(phi, np.stack([a0, a1], axis=1), d.T.copy())


class Brute:
    """The density of (log mu, delta) given a vote draw, on a dense grid."""

    def __init__(self, model, size=140, coarse=40):
        self.x, self.y = np.linspace(-4, 12, coarse), np.linspace(-30, 30, coarse)
        for size_now in (*[coarse] * 10, size):
            log_density = self._log_density(model)
            # Of a grid that is still too coarse to hold 10 % of its points, the best ones.
            level = min(log_density.max() - 20, np.quantile(log_density, 0.9))
            held = log_density > level
            for axis, name in ((1, "x"), (0, "y")):
                inside = np.flatnonzero(held.any(axis=1 - axis))
                grid = getattr(self, name)
                low, high = max(inside[0] - 1, 0), min(inside[-1] + 1, len(grid) - 1)
                setattr(self, name, np.linspace(grid[low], grid[high], size_now))
        density = np.exp((log_density := self._log_density(model)) - log_density.max())
        self.margin = self._cumulative(density.sum(axis=1), self.y)
        self.given = np.array([self._cumulative(row, self.x) for row in density])

    def _log_density(self, model):
        mu = np.exp(self.x)
        prior = log_prior_of_mu(model.prior, mu) + self.x
        prior = prior + laplace.logpdf(self.y, scale=model.prior.delta_scale)[:, None]
        rows = [model.log_likelihood(mu[None], self.y[i : i + 1])[0] for i in range(len(self.y))]
        return np.array(rows) + prior

    @staticmethod
    def _cumulative(density, at):
        """The distribution function at the grid points, by the trapezoid rule."""
        parts = (density[1:] + density[:-1]) * np.diff(at)
        total = np.concatenate([[0.0], np.cumsum(parts)])
        return total / max(total[-1], 1e-300)

    def transform(self, mu, delta):
        """F(delta) and F(log mu | delta) of draws."""
        x = np.log(mu)
        row = np.clip(np.searchsorted(self.y, delta), 1, len(self.y) - 1)
        share = (delta - self.y[row - 1]) / (self.y[row] - self.y[row - 1])
        low, high = (
            np.array([np.interp(v, self.x, self.given[r]) for v, r in zip(x, rows, strict=True)])
            for rows in (row - 1, row)
        )
        return np.interp(delta, self.y, self.margin), low + share * (high - low)


def p_value(first, second):
    """The smallest p-value of the tests that the transforms are uniform on the square."""
    total = kstest((first + second) / 2, triang(0.5).cdf).pvalue
    return min(kstest(first, "uniform").pvalue, kstest(second, "uniform").pvalue, total)


class BruteSd:
    """The density of (log mu, delta, log sd) given a vote draw: weights of points in a dense box.

    Each cell of the box is stood for by a point drawn uniformly in it. The box starts wide and is
    narrowed to the cells within 14 of the highest log density, so it holds all but 1e-5.
    """

    def __init__(self, model, rng, size=36, coarse=14):
        ranges = np.array([[-1.5, 1.5], [-30.0, 30.0], [-4.0, 12.0]])
        for cells in (*[coarse] * 7, size):
            edge = [np.linspace(*one, cells + 1) for one in ranges]
            self.points, log_density = self._evaluate(model, edge, rng)
            level = min(log_density.max() - 14, np.quantile(log_density, 0.9))
            held = log_density > level
            for axis, one in enumerate(edge):
                inside = np.flatnonzero(held.any(axis=tuple({0, 1, 2} - {axis})))
                ranges[axis] = one[max(inside[0] - 1, 0)], one[min(inside[-1] + 2, cells)]
        self.weight = np.exp(log_density - log_density.max()).ravel()
        self.weight /= self.weight.sum()

    @staticmethod
    def _evaluate(model, edge, rng):
        cells = len(edge[0]) - 1
        step = [one[1] - one[0] for one in edge]
        log_sd = edge[0][:-1] + step[0] * rng.random(cells)
        delta = edge[1][:-1] + step[1] * rng.random((cells, cells))
        log_mu = edge[2][:-1] + step[2] * rng.random((cells, cells, cells))
        log_density = np.empty((cells,) * 3)
        for i in range(cells):
            at = model.with_sd(np.exp(log_sd[i]))
            log_density[i] = at.log_likelihood(np.exp(log_mu[i]), delta[i])
        log_density += norm.logpdf(log_sd, scale=0.5)[:, None, None]
        log_density += laplace.logpdf(delta, scale=model.prior.delta_scale)[..., None]
        log_density += log_prior_of_mu(model.prior, np.exp(log_mu)) + log_mu
        shape = log_density.shape
        points = [log_mu, delta[..., None], log_sd[:, None, None]]
        return np.stack([np.broadcast_to(one, shape).ravel() for one in points]), log_density

    def p_value(self, draws):
        """The smallest p-value of one-sample tests of draws (3, D): of each coordinate, and of
        sums and differences of two, each in units of its deviation."""
        mean = self.points @ self.weight
        spread = np.sqrt(((self.points - mean[:, None]) ** 2) @ self.weight)
        combinations = [*np.eye(3), [1, 1, 0], [1, -1, 0], [1, 0, 1], [1, 0, -1], [0, 1, 1]]
        smallest = 1.0
        for combination in np.array(combinations) / spread:
            values = combination @ self.points
            order = np.argsort(values)
            total = np.cumsum(self.weight[order])
            found = np.interp(combination @ draws, values[order], total - self.weight[order] / 2)
            smallest = min(smallest, kstest(found, "uniform").pvalue)
        return smallest
