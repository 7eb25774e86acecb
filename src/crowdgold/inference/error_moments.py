"""How far votes go together given the label, from masses of labels: with all items, without each.

`inference.shared_errors` says what is estimated. An item of weight w has the mass w of its gold
label, or, where a prediction g stands for the label, w g of one label and w (1 - g) of the other.
Means are weighed by the mass of a label, and covariances are those of pairs of items whose masses
are multiplied.
"""

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from crowdgold.data.judge_table import MISSING

FEWEST = 3
"""Gold items of each label that two judges have in common, below which nothing is said."""
ROUNDING = 1e-9
NEARLY = 1 - 1e-12
"""The largest correlation on Fisher's scale."""


class Voted(Protocol):
    """The votes on n items."""

    @property
    def table(self) -> np.ndarray | None:
        """Votes (n, m) 0 and 1 by judge, `MISSING` where there is none; None where it is not known
        who voted.
        """

    def take(self, rows: np.ndarray) -> "Voted":
        """Those on the items at some positions."""

    def moments(self, mass: np.ndarray, without: bool) -> np.ndarray:
        """What they say of P quantities, on the scales of their intervals.

        Args:
            mass: (n, 2) of the labels.
            without: whether the values without each item follow those with all.

        Returns:
            (1, P) or (1 + n, P); NaN of what the items do not tell.
        """


def all_and_without(values: np.ndarray, without: bool) -> np.ndarray:
    """The sum over values (n, ...), and without each of them where wanted: (1 + n, ...)."""
    total = values.sum(axis=0)[None]
    return np.concatenate([total, total - values]) if without else total


def _log_share(rho: np.ndarray, votes: float) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log((1 + (votes - 1) * rho) / votes))


@dataclass(frozen=True, eq=False)
class ByJudge:
    """Votes of known judges.

    Attributes:
        table: (n, m) 0 and 1, `MISSING` where there is none.
        votes: an item's, on average.
    """

    table: np.ndarray
    votes: float

    def take(self, rows: np.ndarray) -> "ByJudge":
        """Those on the items at some positions."""
        return ByJudge(self.table[rows], self.votes)

    def covariances(self, mass: np.ndarray, without: bool) -> np.ndarray:
        """Covariances (1 or 1 + n, m, m) of errors given the label."""
        seen = (self.table != MISSING).astype(float)
        vote = np.where(seen > 0, self.table, 0).astype(float)
        whole, found = all_and_without(mass.sum(axis=1), without), np.zeros(1)
        for own in mass.T:
            apart = _covariance(
                _products(seen, seen, own, without), _products(seen, seen, own**2, without),
                _products(vote, seen, own, without), _products(vote, vote, own, without),
            )  # fmt: skip
            share = all_and_without(own, without) / whole
            found = found + share[:, None, None] * apart
        return np.asarray(found)

    def moments(self, mass: np.ndarray, without: bool) -> np.ndarray:
        """Logarithm of 1 / n_eff, and atanh of the correlation of each two judges' errors."""
        covariance = self.covariances(mass, without)
        rho, variance = correlation(covariance), np.diagonal(covariance, axis1=1, axis2=2)
        one, other = np.triu_indices(variance.shape[1], 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            spread = np.sqrt(variance[:, one] * variance[:, other])
            pairs = np.clip(covariance[:, one, other] / spread, -NEARLY, NEARLY)
            return np.column_stack([_log_share(rho, self.votes), np.arctanh(pairs)])


def _products(one: np.ndarray, other: np.ndarray, mass: np.ndarray, without: bool) -> np.ndarray:
    """Sums of mass-weighted products of columns (n, m): (1 or 1 + n, m, m)."""
    if without:
        return all_and_without(
            one[:, :, None] * other[:, None, :] * mass[:, None, None], without=True
        )
    return np.asarray((one.T @ (other * mass[:, None]))[None])


def _covariance(
    mass: np.ndarray, squares: np.ndarray, one: np.ndarray, product: np.ndarray
) -> np.ndarray:
    """Unbiased covariances from sums (k, m, m) over items that two judges have in common."""
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = (product * mass - one * one.transpose(0, 2, 1)) / (mass**2 - squares)
        # Kish's number: as many items of equal mass.
        return np.where(mass**2 > (FEWEST - 1 - ROUNDING) * squares, apart, np.nan)


def correlation(covariance: np.ndarray) -> np.ndarray:
    """Rho from covariance matrices (k, m, m); pairs without enough items are left out."""
    size = covariance.shape[-1]
    variance = np.nanmean(np.diagonal(covariance, axis1=-2, axis2=-1), axis=-1)
    upper = np.triu_indices(size, 1)
    return np.asarray(np.nanmean(covariance[..., upper[0], upper[1]], axis=-1) / variance)


@dataclass(frozen=True, eq=False)
class ByCount:
    """Votes of voters who are not known, (n,) positive and all; one vote says nothing."""

    positive: np.ndarray
    total: np.ndarray
    votes: float
    table: ClassVar[None] = None

    def take(self, rows: np.ndarray) -> "ByCount":
        """Those on the items at some positions."""
        return ByCount(self.positive[rows], self.total[rows], self.votes)

    def moments(self, mass: np.ndarray, without: bool) -> np.ndarray:
        """Logarithm of 1 / n_eff of exchangeable voters, (..., 1)."""
        share = self.positive / self.total
        pair = self.positive * (self.positive - 1) / (self.total * (self.total - 1))
        variance, covariance = np.zeros(1), np.zeros(1)
        for own in mass.T:
            values = (own, own * share, own * pair, own**2, (own * share) ** 2)
            n, votes, pairs, squares, of_votes = (all_and_without(one, without) for one in values)
            with np.errstate(divide="ignore", invalid="ignore"):
                square = (votes**2 - of_votes) / (n**2 - squares)
            variance = variance + votes - n * square
            covariance = covariance + pairs - n * square
        with np.errstate(divide="ignore", invalid="ignore"):
            return _log_share(covariance / variance, self.votes)[:, None]
