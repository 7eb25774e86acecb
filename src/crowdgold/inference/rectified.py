"""The rectified estimator: a prediction of every label, corrected by the gold labels.

For a metric M of label mass (`metrics.metric`) and a prediction g_i of P(Y_i = 1), with the gold
items E a simple random sample of all items, f = n_E / n of them (other designs: `design`):

    theta = M_E(Y) + lambda (M_all(g) - M_E(g))
    se^2  = [(1 - f) V(lambda) + f V(0)] / n_E        the second term for the population only

With y_i and g_i what gold item i contributes to M_E(Y) and M_E(g) (`metrics.delete_one`, centred),
V(lambda) is the variance of r_i = y_i - lambda g_i and lambda = cov(y, g) / var(g) within [0, 1].
For means it is PPI++ (Angelopoulos et al., 2023) and the regression estimator of survey sampling.
A difference between predictors is corrected as a whole. A wrong prediction costs width and not
coverage: lambda goes to 0, and gold alone is left.

Few gold items show little of V. A good prediction leaves a residual on few items only, and none of
those may be among them; V, and the interval, is then too small. Were the prediction right, labels
drawn from it (`drawn_labels`) would leave the residual variance V* on any items. V* counts like
`PSEUDO` gold items, and only where it is larger than V, which counts like all gold items. In the
same way lambda starts from 1, which is best where the prediction is right.

Labels that are all alike show no V at all. One more label, of either class, is imagined among them
(`design.one_more`), in V as in the interval. V of a difference is never taken below what the
prediction expects. Where gold items have uneven weights V counts like as many gold items as it has
degrees of freedom, and V* like `PSEUDO_UNEVEN`, whatever lambda is; the imagined label counts for
1 - lambda there, as what the prediction expects stands in its place. Where experts err
(`expert_errors`) y_i has in it what an item adds to what is known of that, and V is that of the
population: no share of items takes the noise of labels away.
"""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import betaincinv, stdtrit

from crowdgold.inference.design import Design, drawn_from, sample_of_population
from crowdgold.inference.estimate import (
    FEWEST,
    NOTHING_SAID,
    Estimate,
    Named,
    Questions,
    Sample,
    View,
)
from crowdgold.inference.expert_errors import ExpertErrors
from crowdgold.inference.interval import ROUNDING, Ends, from_parts, interval, unseen_share
from crowdgold.metrics.metric import Scale
from crowdgold.types.items import NO_GOLD, Items
from crowdgold.types.notes import Note
from crowdgold.types.parameters import LEVEL

PSEUDO = 10
"""Gold items that what the prediction expects counts for. It was chosen on simulated studies other
than those of docs/answer.md: without it, intervals of TNR_H from 20 gold labels were too short."""
PSEUDO_UNEVEN = 20
"""The same where gold items have uneven weights; they count for their degrees of freedom there.
Both, and that the imagined label counts for 1 - lambda, were chosen on 41 designed samples of other
seeds than those of the tests."""
OF_SUMS = (
    "points", "labelled", "predicted", "expected", "apart", "moved", "own", "of_prediction", "few",
)  # fmt: skip
"""What of a difference is the difference."""
HALF = 0.5  # Share of a range that one stratum may leave open
TINY = 1e-6  # Share of V below which what gold items show of it is nothing
ITEMS, POPULATION = TARGETS = ("items", "population")
"""What an interval is about: these items, or the population that they were drawn from."""
LABELS, RESAMPLED, NEW_ITEMS, OWN = ROLES = ("labels", "resamples", "population", "own")
"""What random numbers are for. Those of labels, of resamples of labelled items and of all items
are the same for all predictors, so that these can be compared; the last is a predictor's own."""


def ratio_ends(own: np.ndarray, guessed: np.ndarray, level: float = LEVEL) -> np.ndarray:
    """Ends of the intervals of V(lambda) / V(0), (2, P): how sure it is what a prediction saves.

    `own` and `guessed`, (r, P), are the deviations y_i and g_i. Were lambda the best one, the
    ratio would be 1 - rho^2, rho their correlation. The interval is one of atanh(rho), whose
    spread depends little on rho; that of log(1 - rho^2) is near 0 where rho is, and intervals on
    that scale are too short there. Its standard error is the jackknife's. A few items may decide
    nearly all of it: with d_i what leaving out item i changes it by, Student's t has (sum d_i^2)^2
    / sum d_i^4 degrees of freedom (Satterthwaite, 1946). A negative rho gains nothing. 0 and 1
    where gold items show nothing.
    """
    products = np.stack([own * guessed, own**2, guessed**2])
    whole = products.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        centre, without = (np.arctanh(one[0] / np.sqrt(one[1] * one[2]))
                           for one in (whole, whole - products))  # fmt: skip
        squares = (without - without.mean(axis=0)) ** 2
        freedom = squares.sum(axis=0) ** 2 / (squares**2).sum(axis=0)
        error = np.sqrt((1 - 1 / len(own)) * squares.sum(axis=0))
        reach = stdtrit(freedom, (1 + level) / 2) * error
        ends = 1 - np.tanh(np.maximum(centre + np.stack([reach, -reach]), 0)) ** 2
    return np.where(np.isfinite(reach), ends, [[0.0], [1.0]])


@dataclass(frozen=True)
class Rectified(Sample):
    """P quantities from gold labels, and from a prediction of all labels that these correct. V of
    differences between two predictors, which rest on the few items where the two differ, is never
    taken below what the prediction expects.
    """

    points: np.ndarray  # (3, P) M_E(Y), M_E(g), M_all(g); NaN without a prediction
    own: np.ndarray  # (m, P) what gold items contribute to M_E(Y), centred
    of_prediction: np.ndarray  # the same of M_E(g)
    other: np.ndarray  # own, were their labels the other ones (`if_flipped`)
    labelled: np.ndarray  # (r, P) own as deviations of the design
    predicted: np.ndarray  # the same of of_prediction
    expected: np.ndarray  # (2, s, P) the same of items whose labels are drawn from the prediction
    foreseen: np.ndarray  # (P,) whether V of gold alone is held against what is expected
    counted: np.ndarray  # (P,) gold items, or clusters of them, in the smallest denominator
    fewer: int  # gold items of the class that has fewer
    design: Design  # how they were drawn; those in `labelled` may be some of them
    effective: np.ndarray | None = None  # (P,) as counted, of equal weight; None: all have
    apart: np.ndarray | None = None  # (m, P) `design.added`; None: a share of V
    moved: np.ndarray | None = None  # (D, P) by one standard error of experts' errors
    target: str = POPULATION  # one of `TARGETS`
    of_difference: bool = False
    parts: tuple["Rectified", ...] = ()  # of a difference, the two predictors
    few: np.ndarray | None = None  # (S, P) moves at the ends of what a stratum's few labels allow
    few_level: float = LEVEL  # of the interval, for which that is

    def select(self, columns: Sequence[int]) -> "Rectified":
        """Some of the quantities, in this order."""
        chosen = np.asarray(columns, dtype=int)
        held = {
            name: getattr(self, name)[..., chosen]
            for name in ("counted", "effective", "other", "foreseen", *OF_SUMS)
            if getattr(self, name) is not None
        }
        return replace(self, parts=tuple(part.select(columns) for part in self.parts), **held)

    def minus(self, other: Sample) -> "Rectified | None":
        """The differences to another predictor's; they are corrected as a whole."""
        if not isinstance(other, Rectified):
            return None
        rules: dict[str, np.ufunc] = dict.fromkeys(OF_SUMS, np.subtract)
        rules |= dict.fromkeys(("counted", "effective", "foreseen"), np.minimum)
        joined = {
            name: rule(getattr(self, name), getattr(other, name))
            for name, rule in rules.items()
            if getattr(self, name) is not None
        }
        neither = np.isnan(self.other) & np.isnan(other.other)
        apart = np.nan_to_num(self.other) - np.nan_to_num(other.other)
        joined["other"] = np.where(neither, np.nan, apart)
        return replace(self, of_difference=True, parts=(self, other), **joined)

    def about_items(self) -> "Rectified":
        """The same about the items at hand; about the population still where experts err."""
        if self.moved is not None:
            return self
        return replace(self, target=ITEMS, parts=tuple(part.about_items() for part in self.parts))

    def saved(self, named: Named, level: float) -> np.ndarray | None:
        """Ends of the ratio of V to that of gold alone, (2, P); NaN where that is the answer."""
        weight, _, _ = self._answer(named, level)
        return np.where(weight > 0, ratio_ends(self.labelled, self.predicted), np.nan)

    @property
    def weight(self) -> np.ndarray:
        """Lambda of each quantity, (P,); 0 where nothing is to be corrected."""
        size = self.design.size
        expected = PSEUDO * (self.expected[1] ** 2).mean(axis=0)
        together = size * (self.labelled * self.predicted).mean(axis=0) + expected
        predicted = size * (self.predicted**2).mean(axis=0) + expected
        usable = (predicted > 0) & np.isfinite(self.points).all(axis=0) & (self.fewer >= FEWEST)
        slope = np.divide(together, predicted, out=np.zeros(len(predicted)), where=usable)
        return np.clip(slope, 0.0, 1.0)

    def _left(self, weight: np.ndarray) -> np.ndarray:
        return self.labelled - weight * self.predicted

    def _found(self, weight: np.ndarray) -> np.ndarray:
        """V of each quantity, (P,), that gold items show at a weight of the prediction."""
        left = self._left(weight)
        return (left**2).sum(axis=0) / max(len(left) - 1, 1)

    def _variance(self, weight: np.ndarray) -> np.ndarray:
        """V of each quantity, (P,), at a weight of the prediction."""
        found = self._found(weight)
        expected = ((self.expected[0] - weight * self.expected[1]) ** 2).mean(axis=0)
        expected = np.where(self.foreseen | (weight > 0), expected, 0.0)
        guessed = weight * self.of_prediction
        more = self.design.one_more(self.own - guessed, self.other - guessed)
        if self.design.uneven:
            left = self._left(weight)
            of_design = self.design.freedom(left, np.maximum(self._enough, 2))
            number = np.minimum(of_design, self.design.as_found(left))
            pseudo = np.full(len(weight), PSEUDO_UNEVEN)
            more = (1 - weight) * more
        elif self.of_difference:
            return np.maximum(found + more, expected)
        else:
            number, pseudo = np.full(len(weight), self.design.size), np.where(weight > 0, PSEUDO, 0)
        return (number * found + pseudo * np.maximum(found, expected)) / (number + pseudo) + more

    def _freedom(self, weight: np.ndarray, pairs: np.ndarray | bool) -> np.ndarray:
        """Degrees of freedom of V, (P,); `pairs`: (P,) whether two classes are compared."""
        left, count = self._left(weight), np.maximum(self._enough, 2)
        design = self.design.freedom(left, count)
        if self.design.uneven:
            return np.maximum(design, 1.0)
        # Where gold items show next to nothing of V, its error is not theirs.
        shown = self._found(weight) > TINY * self._variance(weight)
        both = np.sqrt(design * np.where(shown, self.design.as_found(left), design))
        of_pairs = np.minimum(design, self.design.of_classes(count))
        return np.maximum(np.where(pairs, of_pairs, both), 1.0)

    def error(self, weight: np.ndarray) -> np.ndarray:
        """Standard error of each quantity, (P,), at a weight of the prediction."""
        total = self.design.left * self._variance(weight)
        if self.target == POPULATION:
            # These items are a sample themselves.
            if self.apart is None:
                added = self.design.fraction * self._found(np.zeros(len(self.counted)))
            else:
                added = self.design.added(self.apart, len(self.labelled))
            total = total + (added + self.design.one_more(self.own, self.other, known=True))
        known = 0.0 if self.moved is None else (self.moved**2).sum(axis=0)
        return np.sqrt(total / self.design.size + known)

    @property
    def _enough(self) -> np.ndarray:
        """Items of equal weight in the smallest denominator, (P,)."""
        return self.counted if self.effective is None else self.effective

    def chosen_weight(self) -> np.ndarray:
        """Lambda of each quantity, or 0 where gold alone has the smaller standard error."""
        weight = self.weight
        return np.where(self.error(weight) < self.error(np.zeros(len(weight))), weight, 0.0)

    def _centre(self, weight: np.ndarray, limits: np.ndarray) -> np.ndarray:
        """Theta of each quantity, (P,), at a weight of the prediction, within its range (P, 2)."""
        labelled, predicted, everywhere = self.points
        correction = np.where(weight > 0, weight * (everywhere - predicted), 0.0)
        # Moved into the range, the estimate is nearer to any truth.
        return np.clip(labelled + correction, *limits.T)

    def _ends(
        self, weight: np.ndarray, limits: np.ndarray, scale: Scale, level: float,
        pairs: np.ndarray | bool = False,
    ) -> Ends:  # fmt: skip
        """Ends of the intervals of quantities of one scale, at a weight of the prediction."""
        count, freedom = np.maximum(self._enough, 1), self._freedom(weight, pairs)
        centre, error = self._centre(weight, limits), self.error(weight)
        return interval(
            centre, error, count, freedom, limits, scale, level, pairs, self.counted < FEWEST
        )

    def _stretched(
        self, own: np.ndarray, scale: Scale, limits: np.ndarray, parts: np.ndarray, level: float
    ) -> np.ndarray:
        """How far each end of one difference lies for what its two parts show, (2, 1): as many
        times as far (`own`) as gold alone shows of the difference, at least once, so that a
        correction keeps its gain. `parts`: (1, 2) the range of its parts.
        """
        none = np.zeros(1)
        centre, alone = self._centre(none, limits), self._ends(none, limits, scale, level)
        shown = from_parts(
            np.stack([part._centre(none, parts) for part in self.parts]),
            np.stack([part.error(none) for part in self.parts]),
            np.stack([part._ends(none, parts, scale, level, pairs=True) for part in self.parts]),
            self.error(none),
        )
        near, far = (np.abs(centre - np.stack(ends)) for ends in (alone, shown))
        times = np.divide(far, near, out=np.ones_like(near), where=near > 0)
        return own * np.maximum(times, 1.0)

    def _all_ends(
        self, named: Named, weight: np.ndarray, level: float, wanted: np.ndarray
    ) -> np.ndarray:
        """Ends of the intervals, (2, P); NaN of quantities that are not wanted."""
        ends = np.full((2, len(weight)), np.nan)
        scales = np.array([scale.value for scale in named.scales])
        pairs = np.isfinite(named.parts).all(axis=1)
        for scale in set(named.scales):
            at = np.flatnonzero(wanted & (scales == scale.value))
            one, limits = self.select(at.tolist()), named.limits[at]
            of_pairs = False if self.of_difference or self.design.uneven else pairs[at]
            ends[:, at] = one._ends(weight[at], limits, scale, level, of_pairs)
        for place in np.flatnonzero(wanted & pairs).tolist() if self.parts else ():
            own, at, limits = self.select([place]), weight[[place]], named.limits[[place]]
            own = replace(own, foreseen=own.foreseen | (at > 0))
            centre, (low, high) = own._centre(at, limits), limits[0]
            plain = np.abs(ends[:, [place]] - centre)
            below, above = own._stretched(plain, named.scales[place], limits, named.parts[[place]],
                                          level)  # fmt: skip
            ends[0, place] = np.maximum(centre - below, low)[0]
            ends[1, place] = np.minimum(centre + above, high)[0]
        return ends

    def _printed(
        self, named: Named, weight: np.ndarray, ends: np.ndarray, level: float
    ) -> tuple[np.ndarray, list[Note | None]]:
        """The one rule for when an interval is printed: its ends, (2, P), and why there are none.
        Where no gold item shows a spread they lie at least as far as as many gold items that are
        all alike allow.
        """
        low, high = named.limits.T
        centre = self._centre(weight, named.limits)
        certain = self.design.everyone and self.target == ITEMS
        # Where no gold item differs, votes and scores of others may, which no label says.
        pairs = np.isfinite(named.parts).all(axis=1)
        nothing = (self._found(weight) <= ROUNDING) & (~pairs | self.of_difference)
        flat = nothing | ~(ends[1] - ends[0] > ROUNDING * (high - low))
        flat &= np.isfinite(ends[0]) & np.isfinite(low)
        # Two predictors that agree on all items may still differ on others.
        agree = self.of_difference & ~((self.expected[0] ** 2).mean(axis=0) > ROUNDING)
        alike = np.where(agree, self.design.of_all, np.maximum(self._enough, 1))
        unseen = np.where(flat & ~np.array(certain), unseen_share(alike, level), 0.0)
        lower = np.minimum(ends[0], centre - unseen * np.nan_to_num(centre - low))
        upper = np.maximum(ends[1], centre + unseen * np.nan_to_num(high - centre))
        if self.few is None:
            moves = np.zeros((1, len(weight)))
        else:
            # The exact bound on the share of what was never seen is nearly log((1 - level) / 2).
            of_level = np.log((1 - level) / 2) / np.log((1 - self.few_level) / 2)
            moves = np.nan_to_num(self.few) * of_level
        lower = np.minimum(lower, centre + moves.min(axis=0, initial=0.0))
        upper = np.maximum(upper, centre + moves.max(axis=0, initial=0.0))
        if certain:
            lower, upper = (np.where(np.isfinite(end), centre, end) for end in (lower, upper))
        guessed = weight * self.of_prediction
        left = self.design.left_open(self.own - guessed, self.other - guessed, level)
        says_nothing = ~(upper - lower < NOTHING_SAID * (high - low)) & np.isfinite(low)
        why = [
            Note("left_open") if open_ else Note("vague") if vague else None
            for open_, vague in zip(left > HALF * (high - low), says_nothing, strict=True)
        ]
        said = np.array([reason is None for reason in why])
        ends = np.clip(np.stack([lower, upper]), low, high)
        return np.where(said, np.clip(ends, *named.bounds.T), np.nan), why

    def _answer(
        self, named: Named, level: float
    ) -> tuple[np.ndarray, np.ndarray, list[Note | None]]:
        """Lambda of each quantity, the ends of its interval, (2, P), and why it has none. The ends
        of a difference of metrics of pairs follow from its parts as well; lambda is 0 where gold
        alone has the narrower interval of one.
        """
        wanted = np.isfinite(self.points[0]) & (self.counted > 0)
        of_parts = np.isfinite(named.parts).all(axis=1) & bool(self.parts)

        def printed(weight: np.ndarray) -> tuple[np.ndarray, list[Note | None]]:
            return self._printed(named, weight, self._all_ends(named, weight, level, wanted), level)

        weight = np.where(of_parts, self.weight, self.chosen_weight())
        ends, why = printed(weight)
        compared = of_parts & (weight > 0)
        if compared.any():
            alone, reasons = printed(np.where(compared, 0.0, weight))
            narrower = compared & ~(ends[1] - ends[0] < alone[1] - alone[0])
            narrower &= np.isfinite(alone).all(axis=0)
            weight, ends = np.where(narrower, 0.0, weight), np.where(narrower, alone, ends)
            why = [reasons[k] if narrower[k] else one for k, one in enumerate(why)]
        return weight, ends, why

    def estimates(self, named: Named, level: float) -> list[Estimate]:
        """An estimate of each quantity, with its interval and standard error."""
        weight, (lower, upper), why = self._answer(named, level)
        centre = np.clip(self._centre(weight, named.limits), *named.bounds.T)
        error = self.error(weight)
        estimates = []
        for place, name in enumerate(named.texts):
            value, counted = float(centre[place]), int(self.counted[place])
            few = {"number": counted, "units": self.design.units} if counted < FEWEST else None
            if not np.isfinite(self.points[0, place]):
                estimates.append(Estimate.unavailable(name, Note("no_value")))
            elif reason := why[place]:
                notes = [reason, *([Note("rests_on_few", few)] if few else [])]
                estimates.append(Estimate(name, value, np.nan, np.nan, notes=tuple(notes)))
            else:
                alone = np.isfinite(self.points[2, place]) and weight[place] == 0
                notes = [Note("gold_alone")] * bool(alone)
                notes += [Note("exact_bound", few)] if few else []
                estimates.append(
                    Estimate(
                        name,
                        value,
                        float(lower[place]),
                        float(upper[place]),
                        standard_error=float(error[place]),
                        notes=tuple(notes),
                    )
                )
        return estimates


@dataclass(frozen=True)
class Streams:
    """Random numbers by what they are for; each call gives the same ones again."""

    make: Callable[[str, str], np.random.Generator]
    """(role, predictor; empty where it is shared) -> a generator, the same at each call."""

    @classmethod
    def of(cls, rng: np.random.Generator) -> "Streams":
        """Streams that a generator decides."""
        entropy = [int(one) for one in rng.integers(0, 2**32, 4)]

        def make(role: str, predictor: str) -> np.random.Generator:
            key = (ROLES.index(role), zlib.crc32(predictor.encode()))
            return np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=key))

        return cls(make)


@dataclass(frozen=True)
class Request:
    """How metrics are estimated."""

    streams: Streams  # random numbers
    level: float = LEVEL  # of the intervals
    target: str = POPULATION  # what intervals are about, one of `TARGETS`
    resamples: int = 0  # above 0: percentile bootstrap, as in the papers' figures

    def __post_init__(self) -> None:
        if self.target not in TARGETS:
            raise ValueError(f"target {self.target!r}; expected {' or '.join(map(repr, TARGETS))}")


MOST_ROWS = 20_000  # Items from which a variance is taken at most; with more, evenly spread ones
EXPECTED_ROWS = 5_000  # Items on which labels are drawn from the prediction at most
DRAWN, REDRAWN = 4, 20
"""Times that labels are drawn from the prediction: of all items, and of gold items where these
stand for all."""
GOLDEN = (np.sqrt(5) - 1) / 2
"""Multiples of it, modulo 1, are spread evenly: any so many that follow each other (Weyl, 1916)."""


def some_rows(items: Items, most: int) -> np.ndarray:
    """Positions of all items, or of at most `most` by their keys: the same choice in any order."""
    if len(items) <= most:
        return np.arange(len(items))
    return np.sort(np.argsort(items.key, kind="stable")[:most])


def centred_influence(questions: Questions, view: View, probability: np.ndarray) -> np.ndarray:
    """What each item of a view contributes, less the mean: (n, P); NaN where it is not known."""
    found = questions.influence(view.mass(probability), view.ranking())
    known = np.isfinite(found).all(axis=0)
    return np.where(known, found - found.mean(axis=0), np.nan)


def if_flipped(
    questions: Questions, view: View, labels: np.ndarray, others: np.ndarray, trace: np.ndarray
) -> np.ndarray:
    """What each gold item would contribute were its label the other one, (m, P), centred: each
    stands in the table twice, with a trace of its mass under the other label, so that any metric's
    own formula says what that moves. NaN where neither label moves a quantity.
    """
    size, rows = len(view), np.tile(np.arange(len(view)), 2)
    weights = np.concatenate([1 - trace, trace])
    if view.weights is not None:
        weights = weights * view.weights[rows]
    twice = View(view.items.take(rows), view.predictor, weights)
    mass = twice.mass(np.concatenate([labels, others]).astype(float))
    found = questions.influence(mass, twice.ranking()) * (size - 1) / (2 * size - 1)
    own, other = found[:size] / (1 - trace)[:, None], found[size:] / trace[:, None]
    touched = np.isfinite(own) & np.isfinite(other) & ((own != 0) | (other != 0))
    return np.where(touched, other - own.mean(axis=0), np.nan)


def spread_of(design: Design, influence: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Deviations (r, P) of P quantities, and their standard errors (P,) about the population."""
    deviations = design.deviations(influence)
    variance = (deviations**2).sum(axis=0) / max(len(deviations) - 1, 1)
    apart = design.of_population(influence)
    added = design.fraction * variance
    if apart is not None:
        added = design.added(apart, len(deviations))
    return deviations, np.sqrt((design.left * variance + added) / design.size)


def where_known(influence: np.ndarray) -> np.ndarray:
    """Influences (..., n, P), with 0 where a prediction, of one class alone say, has none."""
    axes = tuple(range(influence.ndim - 1))
    return np.where(np.isfinite(influence).all(axis=axes), influence, 0.0)


def _by_votes_and_scores(items: Items) -> np.ndarray:
    """Positions of the items, (n,), sorted; by their keys where they are alike in all of that."""
    scores = [items.scores[name] for name in sorted(items.scores)]
    return np.lexsort([items.key, *scores, items.votes_total, items.votes_positive])


def drawn_labels(items: Items, share: np.ndarray, times: int) -> np.ndarray:
    """Labels that are 1 as often as a prediction (n,) says: (times, n).

    There are no random numbers in them, and the order of items and of models does not matter. Items
    are sorted by votes and scores; each gets a number in (0, 1) that differs much from its
    neighbours', and is positive where that lies below its share. The numbers are the same for all
    predictors.
    """
    place = np.empty(len(items))
    place[_by_votes_and_scores(items)] = GOLDEN * (np.arange(len(items)) + 1)
    moved = (place + np.arange(times)[:, None] / times) % 1
    return (moved < share).astype(float)


def expected_of(
    view: View, questions: Questions, prediction: np.ndarray, design: Design
) -> np.ndarray:
    """What items contribute whose labels are drawn from the prediction: (2, s, P)."""
    draw = view.items.draw
    if draw is not None and draw.counts is not None:
        # From the gold items: in batches the chances of other items are not known.
        rows = np.flatnonzero(np.isfinite(draw.counts))
        gold, share = view.take(rows), prediction[rows]
        weights = design.weights if gold.weights is None else gold.weights * design.weights
        gold = replace(gold, weights=weights)
        alone = centred_influence(questions, gold, share)
        drawn = drawn_labels(gold.items, share, REDRAWN)
        both = [(centred_influence(questions, gold, one), alone) for one in drawn]
        pairs = [[design.deviations(where_known(one)) for one in pair] for pair in both]
        return np.concatenate(np.array(pairs), axis=1)
    # Every so many of the sorted items, so that their order in the table does not matter.
    places = np.linspace(0, len(view) - 1, min(len(view), EXPECTED_ROWS)).astype(int)
    rows = np.sort(_by_votes_and_scores(view.items)[places])
    some, share = view.take(rows), prediction[rows]

    def adds(one: np.ndarray) -> np.ndarray:
        return design.expected(centred_influence(questions, some, one), some.items.draw)

    alone = adds(share)
    drawn = drawn_labels(some.items, share, DRAWN)
    return np.concatenate([where_known(np.stack([adds(one), alone])) for one in drawn], axis=1)


def moves_of_few(
    known: View, questions: Questions, label: np.ndarray, design: Design, level: float
) -> np.ndarray | None:
    """How far each quantity moves at each end of each cell that has few labels, (S, P), rows the
    same for all predictors; None where there is one cell alone.

    A cell of gold items that stands for many others may hold no positive label, or one or two. Its
    share of positives then has the exact interval (Clopper and Pearson, 1934): 0 of 20 may be up to
    17 %, 1 of 70 from .04 % to 8 %. A metric that divides by a number of positives, such as F1, is
    then far from normal: its interval must reach what it would be were the cell's share at either
    end. Labels are moved within the cell, each of a class alike, and the metric is worked out anew.
    For what divides by a known number the variance of the imagined label (`design.one_more`) is
    enough.
    """
    cell = design.few_labels()
    if cell is None:
        return None
    ranking, divides = known.ranking(), questions.divides_by_positives()
    point = questions.values(known.mass(label.astype(float)), ranking)
    found = [
        np.where(divides, questions.values(known.mass(moved), ranking) - point, 0.0)
        for moved in scenarios(label, cell, design.not_labelled(), level)
    ]
    return np.stack(found) if found else np.zeros((0, len(point)))


def scenarios(
    label: np.ndarray, cell: np.ndarray, left: np.ndarray, level: float
) -> list[np.ndarray]:
    """Labels, (m,) shares, at the ends of a cell's share of positives; `left`: not labelled."""
    found, tail = [], (1 - level) / 2
    for one in np.unique(cell):
        rows = cell == one
        number, positive = int(rows.sum()), int(label[rows].sum())
        negative, of_cell = number - positive, float(left[rows].mean())
        if min(positive, negative) >= FEWEST or of_cell <= 0:
            continue
        if positive:
            lowest = float(betaincinv(positive, negative + 1, tail)) * number / positive
            found.append(np.where(rows & (label == 1), 1 - of_cell * (1 - lowest), label))
        if negative:
            highest = float(betaincinv(negative, positive + 1, tail)) * number / negative
            found.append(np.where(rows & (label == 0), of_cell * (1 - highest), label))
    return found


def of_labels(
    share: np.ndarray, known: View, questions: Questions, target: str,
    design: Design | None = None, errors: ExpertErrors | None = None, among: View | None = None,
    level: float = LEVEL,
) -> Rectified:  # fmt: skip
    """What labels say that are taken for the truth, or those of experts whose errors are known.
    `share`: (m,) what of an item counts as positive; the likelier labels of erring experts.
    """
    hard = (share > 0.5).astype(int)
    share = share.astype(float) if errors is None else errors.values
    ranking, moved = known.ranking(), None
    design = design or sample_of_population(known)
    weights = design.counting
    some = some_rows(known.items, MOST_ROWS if weights is None else len(known))
    influence = centred_influence(questions, known.take(some), share[some])
    if errors is not None:
        slope = errors.derivatives(lambda one: questions.values(known.mass(one), ranking))
        influence = influence + len(known) * errors.contributions[some] @ slope
        moved, target = errors.spread[:, None] * slope, POPULATION
    # A single item of a class says nothing of the spread among such items; one more may.
    influence = where_known(influence)
    flipped = share[some], 1 - share[some], design.trace[some]
    other = if_flipped(questions, known.take(some), *flipped)
    labelled = design.deviations(influence)
    point, nothing = questions.values(known.mass(share), ranking), np.zeros_like(labelled)
    unknown = np.full_like(point, np.nan)
    positive, expected = int(hard.sum()), np.stack([nothing, nothing])
    # A constant says little of how labels follow scores, which pairs are made of.
    foreseen = np.isnan(questions.named.parts).all(axis=1)
    if among is not None:
        counts = np.ones(len(known)) if weights is None else weights
        rate = (counts @ hard / counts.mean() + 0.5) / (len(known) + 1)
        constant = np.full(len(among), float(rate))
        found = expected_of(among, questions, constant, design)
        expected = np.stack([found[0], np.zeros_like(found[0])])
    few = moves_of_few(known, questions, hard, design, level) if errors is None else None
    return Rectified(
        np.stack([point, unknown, unknown]), influence, np.zeros_like(influence), other, labelled,
        nothing, expected, foreseen, questions.counted(hard, ranking),
        min(positive, len(known) - positive), design,
        None if weights is None else questions.counted(hard, ranking, weights),
        design.of_population(influence), moved, target, few=few, few_level=level,
    )  # fmt: skip


def rectify(
    prediction: np.ndarray, view: View, questions: Questions, target: str,
    errors: ExpertErrors | None = None, level: float = LEVEL,
) -> Rectified:  # fmt: skip
    """What a prediction, made without an item's own gold label, says, and gold makes of it."""
    rows = np.flatnonzero(view.items.gold != NO_GOLD)
    (gold, design), share = drawn_from(view, rows), prediction[rows]
    alone = of_labels(gold.items.gold, gold, questions, target, design, errors, level=level)
    some = some_rows(gold.items, MOST_ROWS if design.counting is None else len(rows))
    here = questions.values(gold.mass(share), gold.ranking())
    everywhere = questions.values(view.mass(prediction), view.ranking())
    predicted = where_known(centred_influence(questions, gold.take(some), share[some]))
    return replace(
        alone,
        points=np.stack([alone.points[0], here, everywhere]),
        of_prediction=predicted,
        predicted=design.deviations(predicted),
        expected=expected_of(view, questions, prediction, design),
    )
