"""How often experts err, from their second opinions, and what the label of one who errs says.

An expert calls a positive item positive with chance s, and a negative one negative with chance t,
each time anew. An item with r opinions, k of them positive, has probability

    P(k, r | Y = 1) = c_kr s^k (1 - s)^(r - k)        P(k, r | Y = 0) = c_kr (1 - t)^k t^(r - k)

c_kr is the chance that opinions end there, which follows from how often an item with so many
positive opinions got one more. With w = P(Y = 1 | k, r) and m_y its mean where Y = y,

    Z = (w - m_0) / (m_1 - m_0)        has mean Y given Y

and no other such value varies less. Of one opinion L it is (L - (1 - t)) / (s + t - 1).

s and t are found by EM, with a prior worth half an error in five opinions, which keeps them from 1.
What each item adds to s and t is its score times the inverse of the expected information. Put in
the place of the label Z leaves metrics that are sums, or ratios of sums, over items or pairs of
them without bias.

All experts are taken to err alike, and independently: errors that they share cannot be seen in
their labels.

Where experts do not err but differ, Z is the share of all experts who call the item positive, as
far as its opinions tell, and nothing else has to be known.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import lru_cache

import numpy as np
from scipy.special import expit, logit

from crowdgold.types.annotations import GivenErrors
from crowdgold.types.columns import counted
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD, Items
from crowdgold.types.notes import Note

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


LEAST_ERROR = 1e-6  # Of a given error: experts who never err cannot differ
ENOUGH = RIGHT + WRONG
"""Opinions known to be right or wrong that s and t each have to rest on: as many as the prior."""
CLEARLY = 2.0  # Standard errors by which s + t - 1 has to be above 0
SINGULAR = 1e10  # Condition of the information beyond which it says nothing of some number
NORMAL = 1.959964
REACH, LEAST_STEP, LARGEST_STEP = 1.5, 1e-4, 1.5
"""Standard errors to either side over which differences stand for derivatives, and the ends of such
steps on the scale of log odds. A metric bends within them, AUC above all."""
SHORTER = 8  # How many times shorter a step is where a metric has no value at the end of it
GIVEN, FREE, BY_VOTES, EQUAL = SOURCES = (
    "as given",
    "from items with three opinions",
    "from items with two opinions, where most votes are positive and where they are not",
    "from items with two opinions, taking errors on both classes to be equally frequent",
)
CLASSES = ("errors on positive items", "errors on negative items")
ONE_OPINION = "each gold item has one expert's label"


@dataclass(frozen=True, eq=False)
class ExpertErrors:
    """What is known of experts' errors, and of the labels of m gold items. `directions`: (D, 2)
    what a step in each unknown number adds to s and t, or their log odds.
    """

    sensitivity: float
    specificity: float
    intervals: np.ndarray  # (2, 2) 95 % intervals of them
    source: str  # one of `SOURCES`
    unknown: str  # why they are not identified; empty where they are
    histories: Histories  # of the items
    kind: np.ndarray  # (m,) position of each item's
    share: float  # of positive items
    directions: np.ndarray
    step: np.ndarray  # (D,) sizes of steps, of differences that stand for derivatives
    contributions: np.ndarray  # (m, D) what each item adds to the unknown numbers
    spread: np.ndarray  # (D,) their standard errors where they come from elsewhere than these items
    of_odds: bool = True
    _values: dict[tuple[float, float], np.ndarray] = field(default_factory=dict, repr=False)

    def _corrected(self, s: float, t: float) -> np.ndarray:
        if (s, t) not in self._values:
            self._values[s, t] = self.histories.corrected(s, t, self.share)
        return self._values[s, t][self.kind]

    @property
    def values(self) -> np.ndarray:
        """Z of each item, (m,); it can lie outside of [0, 1]."""
        return self._corrected(self.sensitivity, self.specificity)

    @property
    def probability(self) -> np.ndarray:
        """P(Y = 1) of each item given its opinions alone, (m,)."""
        return self.histories.posterior(self.sensitivity, self.specificity, self.share)[self.kind]

    @property
    def verdict(self) -> np.ndarray:
        """The likelier label of each item, (m,)."""
        return (self.probability > 0.5).astype(np.int8)

    def derivatives(self, quantities: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """How quantities (P,) of the values (m,) move with each unknown number, (D, P)."""

        def at(place: int, step: float) -> np.ndarray:
            first, second = step * self.directions[place]
            s, t = self.sensitivity, self.specificity
            if not self.of_odds:
                return self._corrected(s + first, t + second)
            return self._corrected(float(expit(logit(s) + first)), float(expit(logit(t) + second)))

        def slope(place: int, step: float) -> np.ndarray:
            return np.subtract(quantities(at(place, step)), quantities(at(place, -step))) / (
                2 * step
            )

        slopes = []
        for place, step in enumerate(self.step):
            found = slope(place, step)
            if not np.isfinite(found).all():
                found = np.where(np.isfinite(found), found, slope(place, step / SHORTER))
            slopes.append(found)
        return np.stack(slopes) if slopes else np.zeros((0, len(quantities(self.values))))

    @property
    def note(self) -> Note:
        """What is known of the experts: s and t with their intervals, and how they were found."""
        told = [
            f"{name} {value:.2f}" + (f" ({low:.2f} to {high:.2f})" if low < high else "")
            for name, value, (low, high) in zip(
                ("sensitivity", "specificity"), (self.sensitivity, self.specificity),
                self.intervals, strict=True,
            )
        ]  # fmt: skip
        return Note("experts_err", {"rates": " and ".join(told), "source": self.source})

    def __str__(self) -> str:
        """The same in words."""
        return self.note.text


class ExpertShares(ExpertErrors):
    """Of experts who do not err but differ; Z is a share of experts."""

    def _corrected(self, s: float, t: float) -> np.ndarray:
        return self.histories.mean[self.kind]

    @property
    def probability(self) -> np.ndarray:
        """The share of experts who call an item positive, (m,)."""
        return self.values

    @property
    def note(self) -> Note:
        """What an item counts for."""
        return Note("experts_differ")


def _of_given(given: GivenErrors, labels: np.ndarray) -> ExpertErrors:
    histories, kind, _ = _counted(labels, np.zeros(len(labels), dtype=int))
    s, t = (1 - max(one, LEAST_ERROR) for one in given.error)
    share = float(fit(histories, known=(s, t)).shares[0])
    both = -np.array([[1.0, 1.0]]) if given.same else -np.eye(2)
    spread = np.array(given.spread[:1] if given.same else given.spread)
    unsure = spread > 0
    reach = NORMAL * np.array(given.spread)
    centre = np.array([s, t])
    return ExpertErrors(
        s, t, np.stack([centre - reach, centre + reach], axis=1), GIVEN,
        given.contradicted_by(labels[:, 0]), histories, kind, share, both[unsure],
        REACH * spread[unsure], np.zeros((len(labels), int(unsure.sum()))), spread[unsure],
        of_odds=False,
    )  # fmt: skip


def _of_shares(labels: np.ndarray) -> ExpertShares:
    """What experts say who do not err: there are no errors that are to be known."""
    histories, kind, _ = _counted(labels, np.zeros(len(labels), dtype=int))
    none = np.zeros(0)
    return ExpertShares(
        np.nan, np.nan, np.full((2, 2), np.nan), GIVEN, "", histories, kind, np.nan,
        np.zeros((0, 2)), none, np.zeros((len(labels), 0)), none,
    )  # fmt: skip


def _counted(labels: np.ndarray, stratum: np.ndarray) -> tuple[Histories, np.ndarray, np.ndarray]:
    """The histories, and the position of each item's kind and stratum."""
    histories = Histories.of(labels, stratum)
    table = np.zeros((labels.shape[1] + 1,) * 2, dtype=int)
    table[histories.positive, histories.number] = np.arange(len(histories.number))
    return histories, table[(labels == 1).sum(axis=1), (labels >= 0).sum(axis=1)], stratum


def _estimated(labels: np.ndarray, stratum: np.ndarray, source: str) -> ExpertErrors:
    histories, kind, stratum = _counted(labels, stratum)
    equal, strata = source == EQUAL, len(histories.count)
    found = fit(histories, equal)
    s, t, shares = found.s, found.t, found.shares
    size = histories.count.sum(axis=1)
    # Columns: the shares, then the unknown numbers.
    joined = np.zeros((strata + 2, strata + 2 - equal))
    joined[np.arange(strata), np.arange(strata)] = 1
    directions = np.array([[1.0, 1.0]]) if equal else np.eye(2)
    joined[strata:, strata:] = directions.T
    information = joined.T @ histories.information(s, t, shares) @ joined
    rate = np.array([s, t])
    prior = np.zeros(strata + 2)
    prior[strata:] = (WRONG + RIGHT) * rate * (1 - rate)
    # The inverse; none where the information says nothing of some number.
    scale, alone = np.sqrt(np.diag(information)), None
    if (scale > 0).all() and np.linalg.cond(information / np.outer(scale, scale)) <= SINGULAR:
        alone = np.linalg.inv(information)
    inverse = np.linalg.pinv(information + joined.T @ np.diag(prior) @ joined)
    scores = histories.scores(s, t, shares)[stratum, kind] @ joined
    contributions = (scores @ inverse)[:, strata:]
    spread = np.sqrt(np.diag(directions.T @ inverse[strata:, strata:] @ directions))
    middle = logit(rate)
    return ExpertErrors(
        s, t, expit(np.stack([middle - NORMAL * spread, middle + NORMAL * spread], axis=1)),
        source, _unknown(rate, directions, alone, strata, labels), histories, kind,
        float(size @ shares / size.sum()), directions,
        np.clip(REACH * np.sqrt(np.diag(inverse)[strata:]), LEAST_STEP, LARGEST_STEP),
        contributions - contributions.mean(axis=0), np.zeros(len(directions)),
    )  # fmt: skip


def _unknown(
    rate: np.ndarray, directions: np.ndarray, alone: np.ndarray | None, strata: int,
    labels: np.ndarray,
) -> str:  # fmt: skip
    """Why s and t are not identified; empty where they are."""
    several = int(((labels >= 0).sum(axis=1) > 1).sum())
    head = f"second opinions on {counted(several, 'gold item')} do not tell"
    if alone is None:
        return head
    slope = directions.T * (rate * (1 - rate))[:, None]
    variance = slope @ alone[strata:, strata:] @ slope.T
    worth = rate * (1 - rate) / np.diag(variance)
    enough = ENOUGH if len(directions) == 2 else 2 * ENOUGH
    if not (worth >= enough).all():
        place = int(worth.argmin())
        return (
            f"{head}: of {CLASSES[place]} they say as much as {worth[place]:.2g} opinions known "
            f"to be right or wrong, and {enough:g} are needed"
        )
    if rate.sum() - 1 <= CLEARLY * np.sqrt(max(variance.sum(), 0)):
        return "experts agree hardly more than at random"
    return ""


def expert_errors(items: Items) -> ExpertErrors:
    """What is known of the errors of the experts who labelled some of these items, from the first
    of `SOURCES` that identifies them, the last where none does.
    """
    opinions = items.opinions
    if opinions is None:
        raise InputError(ONE_OPINION)
    rows = np.flatnonzero(opinions.number > 0)
    labels = opinions.labels[rows]
    if opinions.error is not None and len(rows):
        given = opinions.error
        return _of_shares(labels) if given.differ else _of_given(given, labels)
    if not len(rows) or opinions.number.max() < 2:
        raise InputError(ONE_OPINION)
    alone = np.zeros(len(rows), dtype=int)
    leads = 2 * items.votes_positive[rows] > items.votes_total[rows]
    by_votes = np.unique(leads, return_inverse=True)[1]
    sources = [(FREE, alone)] if labels.shape[1] > 2 else []
    sources += [(BY_VOTES, by_votes)] if by_votes.max() else []
    for source, stratum in [*sources, (EQUAL, alone)]:
        found = _estimated(labels, stratum, source)
        if not found.unknown:
            break
    return found


def why_unknown(items: Items) -> str:
    """Why experts' errors are not identified; empty where they are."""
    try:
        return expert_errors(items).unknown
    except InputError as problem:
        return str(problem)


def known_errors(items: Items) -> ExpertErrors | None:
    """How often experts err; None where it is not known, or they differ and do not err."""
    if why_unknown(items):
        return None
    found = expert_errors(items)
    return found if np.isfinite(found.sensitivity) else None


def judged(items: Items, verdict: np.ndarray) -> Items:
    """The items, with a label (m,) for each on which an expert has an opinion; those on which
    experts are tied are among them, so that their draw is that of all opinions.
    """
    opinions = items.opinions
    assert opinions is not None
    gold = np.full(len(items), NO_GOLD, dtype=np.int8)
    gold[opinions.number > 0] = verdict
    return replace(items, gold=gold, draw=opinions.draw)
