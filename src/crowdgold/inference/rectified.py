"""The rectified estimator: a prediction of every label, corrected by the gold labels.

For a metric M of label mass (`metrics.ranked`) and a prediction g_i of P(Y_i = 1), with the gold
items E a simple random sample of all items, f = n_E / n of them (other designs: `design`):

    theta = M_E(Y) + lambda (M_all(g) - M_E(g))
    se^2  = [(1 - f) V(lambda) + f V(0)] / n_E        the second term for the population only

With y_i and g_i what gold item i contributes to M_E(Y) and M_E(g) (`metrics.delete_one`, centred),
V(lambda) is the variance of r_i = y_i - lambda g_i and lambda = cov(y, g) / var(g) within [0, 1].
For means it is PPI++ (Angelopoulos et al., 2023) and the regression estimator of survey sampling.
There are no random numbers in it. A difference between predictors is corrected as a whole. Gold
items that were drawn with known chances count by these, and V is that of their design.

A wrong prediction costs width and not coverage: lambda goes to 0, and gold alone is left. So it is
where an interval would be more than `WIDER` times that of gold alone: near the end of a range the
same standard error is a wider interval.

Few gold items show little of V. A good prediction leaves a residual on few items only, and none of
those may be among them; V is then too small, and with it the interval. The prediction says itself
what to expect: were it right, labels drawn from it would leave the residual variance V* on any
items. These labels are spread evenly over the items (`contributions.drawn_labels`). V* counts like
`PSEUDO` gold items, and only where it is larger than V. V counts like all
gold items. In the same way lambda starts from 1, which is best where the prediction is right.

Where gold items have uneven weights (`uneven_classes`), V rests on few. It counts like its
degrees of freedom plus 1, and V* like `PSEUDO_UNEVEN` more of them. Lambda is 0 where V(0) is less.

Where experts err (`expert_errors`) y_i has in it what an item adds to what is known of that, and V
is that of the population: no share of items takes the noise of labels away.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from crowdgold.inference.design import Design
from crowdgold.inference.estimate import Estimate
from crowdgold.inference.interval import Ends, from_parts, interval, unseen_share
from crowdgold.inference.questions import Named
from crowdgold.inference.samples import FEWEST, NO_SPREAD, NO_VALUE, ONLY_GOLD, Sample, too_few
from crowdgold.inference.uneven_classes import UnevenClasses
from crowdgold.metrics import Scale

PSEUDO, PSEUDO_UNEVEN = 10, 5
"""Gold items that what the prediction expects counts for; of gold with uneven weights, degrees of
freedom. Both were chosen on simulated studies other than those of docs/answer.md and
docs/gold-designs.md: without the first, intervals of TNR_H from 20 gold labels were too short,
without the second those of AUC from gold that was drawn in batches, where few are positive."""
WIDER = 1.25
"""How many times as wide as that of gold alone an interval may be, before gold alone is taken. Not
1, since the narrower of two intervals is short more often than either; such intervals are one in a
hundred, and in three settings coverage was the same with 1, 1.25 and 1.5."""
ALIKE = 1e-20
"""Variance of what items contribute, below which they contribute the same but for rounding."""
OF_SUMS = ("points", "labelled", "predicted", "expected", "apart", "moved")
"""What of a difference is the difference."""
ITEMS, POPULATION = TARGETS = ("items", "population")
"""What an interval is about: these items, or the population that they were drawn from."""


@dataclass(frozen=True)
class Rectified:
    """P quantities from gold labels, and from a prediction of all labels that these correct.

    Attributes:
        points: (3, P) M_E(Y), M_E(g) and M_all(g); the last two are NaN without a prediction.
        labelled, predicted: (m, P) what gold items contribute to M_E(Y) and M_E(g), centred; as
            deviations of the design.
        expected: (2, s, P) the same of items whose labels are drawn from the prediction.
        counted: (P,) gold items, or clusters of them, in the smallest denominator.
        fewer: gold items of the class that has fewer.
        design: how they were drawn; those in `labelled` may be some of them.
        effective: (P,) as `counted`, items of equal weight that say as much; None where all have.
        apart: (m, P) what the population adds to V (`design.added`); None where it is a share of V.
        moved: (D, P) by one standard error of given experts' errors; None where none err.
        target: one of `TARGETS`.
        uneven: what classes show where weights are uneven; None where all count alike.
        of_difference: whether it is of differences between two predictors. These rest on the few
            items where the two differ, so that V is never taken below what the prediction expects.
        parts: of a difference, what is known of the two predictors; empty otherwise.
    """

    points: np.ndarray
    labelled: np.ndarray
    predicted: np.ndarray
    expected: np.ndarray
    counted: np.ndarray
    fewer: int
    design: Design
    effective: np.ndarray | None = None
    apart: np.ndarray | None = None
    moved: np.ndarray | None = None
    target: str = POPULATION
    uneven: UnevenClasses | None = None
    of_difference: bool = False
    parts: tuple["Rectified", ...] = ()
    probability: ClassVar[None] = None

    def select(self, columns: Sequence[int]) -> "Rectified":
        """Some of the quantities, in this order."""
        chosen = np.asarray(columns, dtype=int)
        parts = tuple(part.select(columns) for part in self.parts)
        held = {name: getattr(self, name) for name in ("counted", "effective", *OF_SUMS)}
        chosen_of = {name: one[..., chosen] for name, one in held.items() if one is not None}
        uneven = self.uneven and self.uneven.select(chosen)
        return replace(self, parts=parts, uneven=uneven, **chosen_of)

    def minus(self, other: Sample) -> "Rectified | None":
        """The differences to another predictor's; they are corrected as a whole."""
        if not isinstance(other, Rectified):
            return None
        named: dict[str, np.ufunc] = dict.fromkeys(OF_SUMS, np.subtract)
        named |= dict.fromkeys(("counted", "effective"), np.minimum)
        both = {name: (getattr(self, name), getattr(other, name)) for name in named}
        found = {name: named[name](*two) for name, two in both.items() if two[0] is not None}
        uneven = self.uneven and other.uneven and self.uneven.minus(other.uneven)
        return replace(self, of_difference=True, parts=(self, other), uneven=uneven, **found)

    def about_items(self) -> "Rectified":
        """The same about the items at hand; about the population still where experts err."""
        if self.moved is not None:
            return self
        parts = tuple(part.about_items() for part in self.parts)
        return replace(self, target=ITEMS, parts=parts)

    @property
    def weight(self) -> np.ndarray:
        """Lambda of each quantity, (P,); 0 where nothing is to be corrected."""
        size = self.design.size
        expected = self._pseudo * (self.expected[1] ** 2).mean(axis=0)
        together = size * (self.labelled * self.predicted).mean(axis=0) + expected
        predicted = size * (self.predicted**2).mean(axis=0) + expected
        usable = (predicted > 0) & np.isfinite(self.points).all(axis=0) & (self.fewer >= FEWEST)
        slope = np.divide(together, predicted, out=np.zeros(len(predicted)), where=usable)
        return np.clip(slope, 0.0, 1.0)

    @property
    def _pseudo(self) -> int:
        """Gold items that what the prediction expects counts for."""
        return PSEUDO_UNEVEN if self.design.uneven else PSEUDO

    def _found(self, weight: np.ndarray) -> np.ndarray:
        """V of each quantity, (P,), that gold items show at a weight of the prediction."""
        left = self.labelled - weight * self.predicted
        found: np.ndarray = (left**2).sum(axis=0) / (len(left) - 1)
        return found

    def _freedom(self, weight: np.ndarray) -> np.ndarray:
        """Degrees of freedom of V of each quantity, (P,), at a weight of the prediction."""
        left = self.labelled - weight * self.predicted
        freedom = self.design.freedom(left, np.maximum(self._enough, 2))
        freedom = freedom if self.uneven is None else np.minimum(freedom, self.uneven.freedom)
        # What the prediction expects counts too where V has it in it.
        more = self._pseudo if self.design.uneven else 0
        found: np.ndarray = freedom + more * (weight > 0)
        return found

    def _variance(self, weight: np.ndarray) -> np.ndarray:
        """V of each quantity, (P,), at a weight of the prediction."""
        left = self.labelled - weight * self.predicted
        found = self._found(weight)
        expected = ((self.expected[0] - weight * self.expected[1]) ** 2).mean(axis=0)
        largest = np.maximum(found, expected)
        size = self.design.rests_on(left, np.maximum(self._enough, 2))
        pooled = (size * found + self._pseudo * largest) / (size + self._pseudo)
        return np.where(weight > 0, largest if self.of_difference else pooled, found)

    def error(self, weight: np.ndarray) -> np.ndarray:
        """Standard error of each quantity, (P,), at a weight of the prediction."""
        total = self.design.left * self._variance(weight)
        if self.target == POPULATION:
            total = total + self._of_population()
        known = 0.0 if self.moved is None else (self.moved**2).sum(axis=0)
        spread: np.ndarray = np.sqrt(total / self.design.size + known)
        return spread

    def _of_population(self) -> np.ndarray:
        """What is added to V, (P,), since these items are a sample themselves."""
        if self.apart is None:
            alone: np.ndarray = self._variance(np.zeros(len(self.counted)))
            return self.design.fraction * alone
        return self.design.added(self.apart, len(self.labelled))

    @property
    def _enough(self) -> np.ndarray:
        """Items of equal weight in the smallest denominator, (P,)."""
        return self.counted if self.effective is None else self.effective

    def unseen(self, level: float) -> np.ndarray:
        """Share of items, (P,), that may differ where all gold items contribute the same, or 0."""
        alike = self._variance(np.zeros(len(self.counted))) <= ALIKE
        if self.apart is not None and self.design.everyone:
            alike = self._of_population() <= ALIKE
        if self.uneven is not None:
            return np.where(alike, self.uneven.unseen(level), 0.0)
        fraction = 0.0 if self.target == POPULATION else self.design.fraction
        least = np.maximum(self._enough * self.design.evenness, 1)
        return np.where(alike, unseen_share(least, level, fraction), 0.0)

    def chosen_weight(self) -> np.ndarray:
        """Lambda of each quantity, or 0 where gold alone has the smaller standard error.

        Of gold with uneven weights, the smaller V that gold items show. With what is expected in
        one and not in the other, gold alone would be taken where it shows too little.
        """
        weight = self.weight
        size = self._found if self.design.uneven else self.error
        return np.where(size(weight) < size(np.zeros(len(weight))), weight, 0.0)

    def _centre(self, weight: np.ndarray, limits: np.ndarray) -> np.ndarray:
        """Theta of each quantity, (P,), at a weight of the prediction, within its range (P, 2)."""
        labelled, predicted, everywhere = self.points
        correction = np.where(weight > 0, weight * (everywhere - predicted), 0.0)
        # Moved into the range, the estimate is nearer to any truth.
        moved: np.ndarray = np.clip(labelled + correction, *limits.T)
        return moved

    def _ends(
        self, weight: np.ndarray, limits: np.ndarray, scale: Scale, level: float,
        unseen: np.ndarray | float = 0.0, pairs: np.ndarray | bool = False,
    ) -> Ends:  # fmt: skip
        """Ends of the intervals of quantities of one scale, at a weight of the prediction.

        Args:
            pairs: (P,) whether they compare items of two classes.
        """
        count = np.maximum(self._enough, 2)
        error = np.where(np.asarray(unseen) > 0, 0.0, self.error(weight))
        centre, freedom = self._centre(weight, limits), self._freedom(weight)
        freedom = np.where(pairs, np.minimum(freedom, self.design.of_classes(count)), freedom)
        return interval(centre, error, count, freedom, limits, scale, level, unseen)

    def _stretch(self, scale: Scale, limits: np.ndarray, parts: np.ndarray, level: float) -> Ends:
        """How many times as far each end of one difference lies for what its two parts show.

        It is what gold alone shows, (1,) each and at least 1, so that a correction keeps its gain.

        Args:
            scale, limits: of the difference.
            parts: (1, 2) the range of its parts.
            level: of the interval.
        """
        none = np.zeros(1)
        alone = self._ends(none, limits, scale, level)
        centre = self._centre(none, limits)
        shown = from_parts(
            np.stack([part._centre(none, parts) for part in self.parts]),
            np.stack([part.error(none) for part in self.parts]),
            np.stack([part._ends(none, parts, scale, level, pairs=True) for part in self.parts]),
            self.error(none),
        )
        near = [np.abs(centre - end) for end in alone]
        far = [np.abs(centre - end) for end in shown]
        below, above = (
            np.maximum(np.divide(wide, one, out=np.ones(1), where=one > 0), 1.0)
            for wide, one in zip(far, near, strict=True)
        )
        return below, above

    def _all_ends(
        self, named: Named, weight: np.ndarray, level: float, unseen: np.ndarray,
        wanted: np.ndarray,
    ) -> np.ndarray:  # fmt: skip
        """Ends of the intervals, (2, P); NaN of quantities that are not wanted."""
        ends = np.full((2, len(weight)), np.nan)
        scales = np.array([scale.value for scale in named.scales])
        pairs = np.isfinite(named.parts).all(axis=1)
        for scale in set(named.scales):
            at = np.flatnonzero(wanted & (scales == scale.value))
            one, limits = self.select(at.tolist()), named.limits[at]
            of_pairs = False if self.of_difference else pairs[at]
            ends[:, at] = one._ends(weight[at], limits, scale, level, unseen[at], of_pairs)
        if self.of_difference and self.uneven is not None:
            centre, alone = self._centre(weight, named.limits), wanted & ~pairs & (weight == 0)
            ends = self.uneven.widened(ends, centre, named.limits, level, alone)
        skewed = wanted & (unseen == 0) & pairs
        for place in np.flatnonzero(skewed).tolist() if self.parts else ():
            own, at, limits = self.select([place]), weight[[place]], named.limits[[place]]
            reach = own._stretch(named.scales[place], limits, named.parts[[place]], level)
            centre, (low, high) = own._centre(at, limits), limits[0]
            below, above = (times * (ends[side, place] - centre)
                            for side, times in enumerate(reach))  # fmt: skip
            ends[0, place] = np.maximum(centre + below, low)[0]
            ends[1, place] = np.minimum(centre + above, high)[0]
        return ends

    def _answered(
        self, named: Named, level: float, unseen: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Lambda of each quantity, (P,), and the ends of its interval, (2, P)."""
        weight = self.chosen_weight()
        wanted = np.isfinite(self.points[0]) & (self.counted >= FEWEST)
        ends = self._all_ends(named, weight, level, unseen, wanted)
        if not self.design.uneven:
            # A correction that moves an estimate to the end of its range can make it less sure
            # there than gold alone leaves it elsewhere.
            none, corrected = np.zeros(len(weight)), wanted & (weight > 0)
            alone = self._all_ends(named, none, level, unseen, corrected)
            wider = np.subtract(*ends[::-1]) > WIDER * np.subtract(*alone[::-1])
            weight, ends = np.where(wider, 0.0, weight), np.where(wider, alone, ends)
        return weight, ends

    def estimates(self, named: Named, level: float) -> list[Estimate]:
        """An estimate of each quantity, with its interval and standard error."""
        labelled, _, everywhere = self.points
        unseen = self.unseen(level)
        weight, (lower, upper) = self._answered(named, level, unseen)
        centre = self._centre(weight, named.limits)
        error = np.where(unseen > 0, 0.0, self.error(weight))
        found = []
        for place, name in enumerate(named.texts):
            if not np.isfinite(labelled[place]):
                found.append(Estimate.unavailable(name, NO_VALUE))
                continue
            value, spread = float(centre[place]), float(error[place])
            if self.counted[place] < FEWEST:
                note = too_few(int(self.counted[place]), self.design.units)
                found.append(Estimate(name, value, np.nan, np.nan, note=note))
                continue
            if not np.isfinite(spread):
                found.append(Estimate(name, value, np.nan, np.nan, note=NO_SPREAD))
                continue
            known = np.nan if unseen[place] > 0 else spread
            note = ONLY_GOLD if np.isfinite(everywhere[place]) and weight[place] == 0 else ""
            ends = float(lower[place]), float(upper[place])
            found.append(Estimate(name, value, *ends, standard_error=known, note=note))
        return found
