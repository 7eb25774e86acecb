"""Experts' labels by how many an item has and how many of these are positive: a model of them.

An expert calls a positive item positive with chance s, and a negative one negative with chance t,
each time anew. An item with r opinions, k of them positive, has probability

    P(k, r | Y = 1) = c_kr s^k (1 - s)^(r - k)        P(k, r | Y = 0) = c_kr (1 - t)^k t^(r - k)

c_kr is the chance that opinions end there, which follows from how often an item with so many
positive opinions got one more. With w = P(Y = 1 | k, r) and m_y its mean where Y = y,

    Z = (w - m_0) / (m_1 - m_0)        has mean Y given Y

and no other such value varies less. Of one opinion L it is (L - (1 - t)) / (s + t - 1).

s and t are found by EM, with a prior worth half an error in five opinions, which keeps them from 1.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

WRONG, RIGHT = 0.5, 4.5  # Opinions of each class that the prior counts for
START, STEPS, SETTLED = 0.9, 3000, 1e-9


@dataclass(frozen=True, eq=False)
class Histories:
    """Items by how many opinions they have and how many of these are positive; C kinds of items."""

    positive: np.ndarray  # positive, number: (C,) k and r
    number: np.ndarray
    chance: np.ndarray  # (C,) c_kr
    began: np.ndarray  # (C,) the part of c_kr of which the first opinion was positive
    count: np.ndarray  # (H, C) items of each stratum

    @classmethod
    def of(cls, labels: np.ndarray, stratum: np.ndarray) -> "Histories":
        """The histories of items with opinions (m, R), in strata (m,)."""
        asked = labels >= 0
        ends = asked.sum(axis=1)
        most = labels.shape[1]
        so_far = np.cumsum(labels == 1, axis=1)
        count = np.zeros((int(stratum.max()) + 1, most + 1, most + 1))
        np.add.at(count, (stratum, (labels == 1).sum(axis=1), ends), 1.0)
        passed = np.zeros((most + 1, most + 1))
        passed[0, 0] = len(labels)
        for place in range(most):
            there = asked[:, place]
            passed[:, place + 1] = np.bincount(so_far[there, place], minlength=most + 1)
        # The chance to end at k positives of r, from what was seen; where no item was, as often as
        # any with so many opinions does.
        ended, seen = count.sum(axis=0), passed.sum(axis=0)
        of_all = np.where(seen > 0, ended.sum(axis=0) / np.maximum(seen, 1), 1.0)
        whole = np.tile(of_all, (len(passed), 1))
        stops = np.divide(ended, passed, out=whole, where=passed > 0)
        chance, began = _ends(stops, 0, 0), _ends(stops, 1, 1)
        kind = positive, number = np.nonzero(chance > 0)
        return cls(positive, number, chance[kind], began[kind], count[:, positive, number])

    @property
    def mean(self) -> np.ndarray:
        """The share of all experts who call an item of each kind positive, without bias, (C,): the
        chance that the first opinion was positive given how many were in the end; k / r where the
        number of opinions does not depend on them (Girshick, Mosteller and Savage 1946).
        """
        return np.asarray(self.began / self.chance)

    def likelihoods(self, s: float, t: float) -> tuple[np.ndarray, np.ndarray]:
        """P(k, r | Y = 1) and P(k, r | Y = 0) but for c_kr, (C,) each."""
        positive, negative = self.positive, self.number - self.positive
        return s**positive * (1 - s) ** negative, (1 - t) ** positive * t**negative

    def posterior(self, s: float, t: float, share: float) -> np.ndarray:
        """P(Y = 1 | k, r), (C,), where such a share of items is positive."""
        one, zero = self.likelihoods(s, t)
        return np.asarray(share * one / (share * one + (1 - share) * zero))

    def corrected(self, s: float, t: float, share: float) -> np.ndarray:
        """Z of each kind of items, (C,)."""
        one, zero = self.likelihoods(s, t)
        w = self.posterior(s, t, share)
        low, high = (self.chance * zero * w).sum(), (self.chance * one * w).sum()
        return np.asarray((w - low) / (high - low))

    def scores(self, s: float, t: float, shares: np.ndarray) -> np.ndarray:
        """Gradient of the log-likelihood by the log odds of shares, s and t: (H, C, H + 2)."""
        w = np.stack([self.posterior(s, t, share) for share in shares])
        size = len(shares)
        found = np.zeros((*w.shape, size + 2))
        for one, share in enumerate(shares):
            found[one, :, one] = w[one] - share
        found[..., size] = w * (self.positive - self.number * s)
        found[..., size + 1] = (1 - w) * (self.number - self.positive - self.number * t)
        return found

    def information(self, s: float, t: float, shares: np.ndarray) -> np.ndarray:
        """The expected information of these, (H + 2, H + 2)."""
        one, zero = self.likelihoods(s, t)
        of_kind = self.chance * (shares[:, None] * one + (1 - shares[:, None]) * zero)
        of_kind = of_kind * self.count.sum(axis=1, keepdims=True)
        scores = self.scores(s, t, shares)
        return np.asarray(np.einsum("hc,hci,hcj->ij", of_kind, scores, scores))


def _ends(stops: np.ndarray, positive: int, number: int) -> np.ndarray:
    """c_kr of items that begin at some opinions, (R + 1, R + 1)."""
    here = np.zeros_like(stops)
    here[positive, number] = 1.0
    for so_far in range(number, len(stops) - 1):
        on = here[:, so_far] * (1 - stops[:, so_far])
        here[:, so_far + 1] = on + np.r_[0.0, on[:-1]]
    return np.asarray(here * stops)


@dataclass(frozen=True)
class Fitted:
    """s and t, and the share of positive items in each stratum."""

    s: float
    t: float
    shares: np.ndarray


@lru_cache(maxsize=256)
def _fitted(
    kinds: tuple[tuple[int, int], ...], count: tuple[tuple[float, ...], ...], equal: bool,
    known: tuple[float, float] | None,
) -> Fitted:  # fmt: skip
    """EM for s, t (unless they are known) and the shares; kept, since several methods ask."""
    k, r = np.array(kinds, dtype=float).T
    number = np.array(count)
    s, t = known or (START, START)
    shares = np.full(len(number), 0.5)
    size = np.maximum(number.sum(axis=1), 1)
    for _ in range(STEPS):
        one, zero = s**k * (1 - s) ** (r - k), (1 - t) ** k * t ** (r - k)
        positive = shares[:, None] * one
        whole = positive + (1 - shares[:, None]) * zero
        of_one = number * np.divide(positive, whole, out=np.zeros_like(whole), where=whole > 0)
        before = np.r_[s, t, shares]
        shares = np.clip(of_one.sum(axis=1) / size, 1e-6, 1 - 1e-6)
        if known is None:
            ones, zeros = of_one.sum(axis=0), (number - of_one).sum(axis=0)
            missed, false = (ones * (r - k)).sum() + WRONG, (zeros * k).sum() + WRONG
            of_ones, of_zeros = (ones * r).sum() + WRONG + RIGHT, (zeros * r).sum() + WRONG + RIGHT
            if equal:
                s = t = 1 - (missed + false) / (of_ones + of_zeros)
            else:
                s, t = 1 - missed / of_ones, 1 - false / of_zeros
        if np.abs(np.r_[s, t, shares] - before).max() < SETTLED:
            break
    return Fitted(float(s), float(t), shares)


def fit(
    histories: Histories, equal: bool = False, known: tuple[float, float] | None = None
) -> Fitted:
    """s, t (s = t where `equal`; both given where `known`), and shares of positive items."""
    kinds = tuple(zip(histories.positive.tolist(), histories.number.tolist(), strict=True))
    return _fitted(kinds, tuple(map(tuple, histories.count.tolist())), equal, known)
