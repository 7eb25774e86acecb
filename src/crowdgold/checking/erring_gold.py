"""What judges' votes are worth where it is known how often the experts of the gold labels err.

The corrected value Z of an item (`inference.expert_errors`) has the mean of its true label Y given
Y, so that an item counts for Z of the positive label and 1 - Z of the negative one. Sums, and sums
over pairs of items, are then without bias, as long as experts err independently of votes given the
label. Of one opinion L, Z = (L - (1 - t)) / (s + t - 1), with the sensitivity s and specificity t.

The interval is that of `inference.shared_errors`, with what each item adds to s and t among what it
contributes, or with the uncertainty of s and t where they are given. It is on the scale of
log(1 + rho): the estimate of 1 / n_eff = (1 + (m - 1) rho) / m can be below 0 here, and where it
is, or the end of its interval, n_eff has no upper end. There is no interval where gold items count
unequally: few of them show there which judges err together, and the prediction that makes up for
it would learn from erring labels.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtrit

from crowdgold.inference.design import Design, SimpleRandom, drawn_from
from crowdgold.inference.estimate import View
from crowdgold.inference.expert_errors import ExpertErrors, expert_errors, judged, why_unknown
from crowdgold.inference.rectified import spread_of
from crowdgold.inference.shared_errors import Ends, Labelled, SharedErrors, Voted
from crowdgold.types.annotations import MISSING
from crowdgold.types.items import NO_GOLD, NO_PREDICTOR, Items
from crowdgold.types.parameters import LEVEL

PAIR = 2.0  # votes of which 1 / n_eff is (1 + rho) / 2, above 0 whatever rho is


def known_errors(items: Items) -> ExpertErrors | None:
    """How often experts err; None where it is not known, or they differ and do not err."""
    if why_unknown(items):
        return None
    found = expert_errors(items)
    return found if np.isfinite(found.sensitivity) else None


@dataclass(frozen=True, eq=False)
class Corrected(Labelled):
    """Gold items of experts who err, each with its likelier label, and the draw of all of them."""

    taken = PAIR
    errors: ExpertErrors  # of the experts
    place: np.ndarray  # (n,) positions of the gold items among those with an opinion

    @classmethod
    def among(
        cls, known: np.ndarray, items: Items, errors: ExpertErrors, level: float = LEVEL
    ) -> "Corrected":
        """The gold items among those where `known` (N,) is true, as of items with votes."""
        of_all = judged(items, errors.verdict)
        opinions = np.flatnonzero(of_all.gold != NO_GOLD)
        place = np.flatnonzero(known[opinions])
        design: Design = SimpleRandom(len(opinions))
        if of_all.draw is not None or of_all.cluster is not None:
            design = drawn_from(View(of_all, NO_PREDICTOR), opinions)[1]
        rows = opinions[place]
        return cls(
            of_all, np.flatnonzero(known), rows, of_all.gold[rows], design, level, errors, place
        )

    @property
    def weight(self) -> np.ndarray:
        """What each gold item counts: (n,)."""
        weights = self.design.weights
        return np.ones(len(self.place)) if weights is None else weights[self.place]

    @property
    def value(self) -> np.ndarray:
        """The corrected value Z of each gold item: (n,)."""
        return self.errors.values[self.place]

    def intervals(self, votes: Voted) -> np.ndarray:
        """Moments of the votes and the ends of their intervals, (3, P); no ends with weights."""
        errors, gold = self.errors, votes.take(self.rows)
        values = gold.moments(self.mass(self.value), without=True)
        if self.design.uneven:
            nothing = np.full_like(values[0], np.nan)
            return np.stack([values[0], nothing, nothing])
        slope = errors.derivatives(
            lambda of_all: gold.moments(self.mass(of_all[self.place]), without=False)[0]
        )
        whole = len(errors.kind)
        influence = whole * errors.contributions @ slope
        influence[self.place] += whole / len(self.place) * self._influence(values)
        deviations, error = spread_of(self.design, influence)
        error = np.sqrt(error**2 + ((errors.spread[:, None] * slope) ** 2).sum(axis=0))
        reach = stdtrit(self._freedom(deviations), (1 + self.level) / 2) * error
        return np.asarray(values[0] + np.array([[0], [-1], [1]]) * reach)

    def shared(self, votes: Voted, mean: float) -> SharedErrors:
        """How far errors are shared, from votes that are taken to be `PAIR` an item."""
        found = super().shared(votes, PAIR)
        of_pair = found.correlation
        rho = np.array([of_pair.value, of_pair.lower, of_pair.upper])
        rho = np.maximum(rho, -1 / (mean - 1))
        with np.errstate(divide="ignore"):
            worth = mean / (1 + (mean - 1) * rho)
        return replace(
            found, votes=mean, effective=Ends(*worth[[0, 2, 1]].tolist()),
            correlation=Ends(*rho.tolist()),
        )  # fmt: skip


def uneven(items: Items, errors: ExpertErrors) -> bool:
    """Whether some gold items count for more than others."""
    return Corrected.among(np.ones(len(items), dtype=bool), items, errors).design.uneven


def of_judges(table: np.ndarray, items: Items, errors: ExpertErrors) -> SharedErrors:
    """How far judges err together, from their votes (n, m): 0, 1, or `MISSING` for none."""
    return Corrected.among((table != MISSING).any(axis=1), items, errors).by_judge(table)


def of_votes(items: Items, errors: ExpertErrors) -> SharedErrors:
    """How far voters err together where it is not known who they are."""
    known = Corrected.among(items.votes_total > 1, items, errors)
    return known.by_count(items.votes_positive, items.votes_total)
