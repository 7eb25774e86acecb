"""Brute force for the cut: the density of (log mu, delta) on a dense grid, and tests of draws.

The grid is narrowed until it fits the density. Draws are judged by their Rosenblatt transform on
it, which is uniform on the unit square if they come from the density: Kolmogorov-Smirnov tests of
both coordinates and of their sum's (triangular) distribution, so of their dependence too.
"""

import numpy as np
from scipy.stats import invgamma, kstest, laplace, triang

from crowdgold.models.vote_model import VoteParameters

LEVEL = 1e-4


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
        prior = invgamma.logpdf(mu, 1) + self.x + laplace.logpdf(self.y, scale=10)[:, None]
        rows = [model.log_likelihood(mu[None], self.y[i : i + 1])[0] for i in range(len(self.y))]
        return np.array(rows) + prior

    @staticmethod
    def _cumulative(density, at):
        """Give the distribution function at the grid points, by the trapezoid rule."""
        parts = (density[1:] + density[:-1]) * np.diff(at)
        total = np.concatenate([[0.0], np.cumsum(parts)])
        return total / max(total[-1], 1e-300)

    def transform(self, mu, delta):
        """Give F(delta) and F(log mu | delta) of draws."""
        x = np.log(mu)
        row = np.clip(np.searchsorted(self.y, delta), 1, len(self.y) - 1)
        share = (delta - self.y[row - 1]) / (self.y[row] - self.y[row - 1])
        low, high = (
            np.array([np.interp(v, self.x, self.given[r]) for v, r in zip(x, rows, strict=True)])
            for rows in (row - 1, row)
        )
        return np.interp(delta, self.y, self.margin), low + share * (high - low)


def p_value(first, second):
    """Give the smallest p-value of the tests that the transforms are uniform on the square."""
    total = kstest((first + second) / 2, triang(0.5).cdf).pvalue
    return min(kstest(first, "uniform").pvalue, kstest(second, "uniform").pvalue, total)
