"""The rectified estimator: a prediction of every label, corrected by the gold labels.

For a metric M of label mass (`metrics.ranked`) and a prediction g_i of P(Y_i = 1), with the gold
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
drawn from it (`contributions.drawn_labels`) would leave the residual variance V* on any items. V*
counts like `PSEUDO` gold items, and only where it is larger than V, which counts like all gold
items. In the same way lambda starts from 1, which is best where the prediction is right.

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
from scipy.special import stdtrit

from crowdgold.inference.design import Design
from crowdgold.inference.estimate import Estimate
from crowdgold.inference.interval import ROUNDING, Ends, from_parts, interval, unseen_share
from crowdgold.inference.questions import Named
from crowdgold.inference.samples import (
    FEWEST,
    NOTHING_SAID,
    Sample,
)
from crowdgold.metrics.metric import Scale
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
    other: np.ndarray  # own, were their labels the other ones (`contributions.if_flipped`)
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
        return np.where(said, np.clip(np.stack([lower, upper]), low, high), np.nan), why

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
        centre, error = self._centre(weight, named.limits), self.error(weight)
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
