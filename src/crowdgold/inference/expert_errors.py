"""How often experts err, from their second opinions, and what the label of one who errs says.

The model and the corrected value Z of an item are `models.opinion_histories`. Put in the place of
the label Z leaves metrics that are sums, or ratios of sums, over items or pairs of them without
bias. What each item adds to s and t is its score times the inverse of the expected information.

All experts are taken to err alike, and independently: errors that they share cannot be seen in
their labels.

Where experts do not err but differ, Z is the share of all experts who call the item positive, as
far as its opinions tell, and nothing else has to be known.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.special import expit, logit

from crowdgold.models.opinion_histories import RIGHT, WRONG, Histories, fit
from crowdgold.types.columns import counted
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD, Items
from crowdgold.types.notes import Note
from crowdgold.types.opinions import GivenErrors

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


def judged(items: Items, verdict: np.ndarray) -> Items:
    """The items, with a label (m,) for each on which an expert has an opinion; those on which
    experts are tied are among them, so that their draw is that of all opinions.
    """
    opinions = items.opinions
    assert opinions is not None
    gold = np.full(len(items), NO_GOLD, dtype=np.int8)
    gold[opinions.number > 0] = verdict
    return replace(items, gold=gold, draw=opinions.draw)
