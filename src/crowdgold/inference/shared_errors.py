"""How many independent votes the votes of judges who err together are worth, from gold labels.

v_j: the vote of judge j on an item, y its gold label, w_y the share of gold items of label y, and
S_y the covariance matrix of the m judges' votes on items of label y (unbiased, over the items that
two judges both labelled). Errors given the label:

    var = (1/m) sum_j sum_y w_y S_y,jj
    cov = mean over j < k of sum_y w_y S_y,jk
    rho = cov / var                                    correlation of errors given the label
    n_eff = m / (1 + (m - 1) rho)                      effective number of votes

n_eff is the variance of one vote given the label over that of the mean of m: m where judges err
independently, 1 where they are copies, above m where they on average err apart (rho < 0). Where it
is not known who voted, voters are exchangeable, and an item's V of c votes give

    var = a - a^2,   cov = mean V (V - 1) / (c (c - 1)) - a^2,   a = mean V / c       in each class

with a^2 estimated without bias; m is the mean number of votes of an item. An item of weight w has
the mass w of its gold label, or, where a prediction g stands for it, w g of one label and
w (1 - g) of the other. Covariances are those of pairs of items whose masses are multiplied.

The interval is that of 1 / n_eff = (1 + (m - 1) rho) / m, a ratio of variances, on the scale of its
logarithm; for a pair of judges it is on Fisher's scale, atanh(rho). What a gold item contributes is
found by leaving it out (delete-one jackknife), and the variance of the sum is that of the design by
which gold was drawn (`design`). Student's t has the degrees of freedom that the
kurtosis of the contributions r leaves, 2 n / (kurt(r) - 1), at most n - 1, and where items belong
together at most the design's. The pair that is most alike is chosen for it: of P pairs of judges
who err independently one is the most alike, too. So its interval has Sidak's level, level^(1/P):
its half widths are longer as a normal quantile is. (Student's, of few degrees of freedom, would
make it say nothing of two judges who differ on an item or two.)

Where gold items count unequally that is not enough: judges who err together are unanimous and wrong
on few items, and where such items were seldom drawn a few of large weight, or none, show it. Then
a regression on votes and scores predicts every label and the gold labels correct it, as for any
metric (`rectified`). The variance is never taken below what the prediction expects.

Where it is known how often the experts of the gold labels err (`Corrected`), an item counts for Z
of the positive label and 1 - Z of the negative one: its corrected value (`expert_errors`) has the
mean of its true label Y given Y. Sums, and sums over pairs of items, are then without bias, as long
as experts err independently of votes given the label. What each item adds to the experts'
sensitivity and specificity, or the uncertainty of these where they are given, is among what it
contributes. The interval is on the scale of log(1 + rho): the estimate of 1 / n_eff can be below 0
here, and where it is, or the end of its interval, n_eff has no upper end. There is no interval
where gold items count unequally: few of them show there which judges err together, and the
prediction that makes up for it would learn from erring labels.
"""

from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

import numpy as np
from scipy.special import ndtri, stdtrit

from crowdgold.inference.design import LEAST, Design, SimpleRandom, drawn_from, of_items
from crowdgold.inference.estimate import Named, View
from crowdgold.inference.expert_errors import ExpertErrors, judged
from crowdgold.inference.rectified import REDRAWN, Rectified, drawn_labels, spread_of, where_known
from crowdgold.metrics.metric import Scale
from crowdgold.models.logistic import cross_fit, features
from crowdgold.types.annotations import MISSING
from crowdgold.types.gold_draw import kish
from crowdgold.types.items import NO_GOLD, NO_PREDICTOR, Items
from crowdgold.types.parameters import LEVEL

FEWEST = 3  # Gold items of each label that two judges have in common, below which nothing is said
ROUNDING = 1e-9
PAIR = 2.0  # Votes of which 1 / n_eff is (1 + rho) / 2, above 0 whatever rho is
NEARLY = 1 - 1e-12  # The largest correlation on Fisher's scale
FAR = 4.0
"""Standard errors by which a covariance has to be below 0; by chance once in 30,000 judges."""
FEWEST_CONTRARY_JUDGES = 3
"""Of two judges who contradict each other neither can be told to be the one."""
NO_SPREAD = 1e-8
"""Half the width of an interval below which the gold items do not differ, and there is none."""


class Voted(Protocol):
    """The votes on n items."""

    @property
    def table(self) -> np.ndarray | None:
        """Votes (n, m) 0 and 1 by judge, or `MISSING`; None where it is not known who voted."""

    def take(self, rows: np.ndarray) -> "Voted":
        """Those on the items at some positions."""

    def moments(self, mass: np.ndarray, without: bool) -> np.ndarray:
        """What they say of P quantities by masses (n, 2) of the labels: (1, P), or (1 + n, P)."""


def all_and_without(values: np.ndarray, without: bool) -> np.ndarray:
    """The sum over values (n, ...), and without each of them where wanted: (1 + n, ...)."""
    total = values.sum(axis=0)[None]
    return np.concatenate([total, total - values]) if without else total


def _log_share(rho: np.ndarray, votes: float) -> np.ndarray:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.log((1 + (votes - 1) * rho) / votes))


def _mean_known(values: np.ndarray) -> np.ndarray:
    """The mean of those that are known along the last axis; NaN, without a warning, of none."""
    known = np.isfinite(values)
    return np.asarray(np.where(known, values, 0.0).sum(axis=-1) / known.sum(axis=-1))


@dataclass(frozen=True, eq=False)
class ByJudge:
    """Votes of known judges."""

    table: np.ndarray  # (n, m) 0 and 1, `MISSING` where there is none
    votes: float  # an item's, on average

    def take(self, rows: np.ndarray) -> "ByJudge":
        """Those on the items at some positions."""
        return ByJudge(self.table[rows], self.votes)

    def covariances(self, mass: np.ndarray, without: bool) -> np.ndarray:
        """Unbiased covariances (1 or 1 + n, m, m) of errors given the label; NaN of few items."""
        seen = (self.table != MISSING).astype(float)
        vote = np.where(seen > 0, self.table, 0).astype(float)

        def sums(one: np.ndarray, other: np.ndarray, mass: np.ndarray) -> np.ndarray:
            if not without:
                return (one.T @ (other * mass[:, None]))[None]
            return all_and_without(one[:, :, None] * other[:, None, :] * mass[:, None, None], True)

        whole, found = all_and_without(mass.sum(axis=1), without), np.zeros(1)
        for own in mass.T:
            both, squares = sums(seen, seen, own), sums(seen, seen, own**2)
            single, product = sums(vote, seen, own), sums(vote, vote, own)
            with np.errstate(divide="ignore", invalid="ignore"):
                apart = product * both - single * single.transpose(0, 2, 1)
                apart = apart / (both**2 - squares)
                # Kish's number: as many items of equal mass.
                enough = both**2 > (FEWEST - 1 - ROUNDING) * squares
            share = all_and_without(own, without) / whole
            found = found + share[:, None, None] * np.where(enough, apart, np.nan)
        return np.asarray(found)

    def moments(self, mass: np.ndarray, without: bool) -> np.ndarray:
        """Logarithm of 1 / n_eff, and atanh of the correlation of each two judges' errors."""
        covariance = self.covariances(mass, without)
        variance = np.diagonal(covariance, axis1=1, axis2=2)
        one, other = np.triu_indices(variance.shape[1], 1)
        with np.errstate(divide="ignore", invalid="ignore"):
            rho = _mean_known(covariance[:, one, other]) / _mean_known(variance)
            spread = np.sqrt(variance[:, one] * variance[:, other])
            pairs = np.clip(covariance[:, one, other] / spread, -NEARLY, NEARLY)
            return np.column_stack([_log_share(rho, self.votes), np.arctanh(pairs)])


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


def _against(votes: np.ndarray, others: np.ndarray) -> float:
    """A judge's covariance with the other judges, in standard errors; NaN in a table: no vote."""
    seen = np.isfinite(others).any(axis=1) & np.isfinite(votes)
    if seen.sum() < FEWEST_CONTRARY_JUDGES:
        return 0.0
    own, rest = votes[seen], np.nanmean(others[seen], axis=1)
    terms = (own - own.mean()) * (rest - rest.mean())
    spread = terms.std(ddof=1)
    if spread > 0:
        return float(terms.mean() / spread * np.sqrt(len(terms)))
    return float(np.sign(terms.mean())) * np.inf if terms.any() else 0.0


def contrary(table: np.ndarray) -> np.ndarray:
    """Which judges vote against the others, (m,), the clearest first left out of the others.

    Whatever the labels are, two judges who are right more often than not agree more often than
    their votes would at random, and errors that they share make that more. A judge whose votes
    have a negative covariance with the share of positive votes of the others cannot be such a one,
    as where one has read a question wrongly. `table`: (n, m) labels by judge, `MISSING` where
    there is none.
    """
    votes = np.where(table == MISSING, np.nan, table)
    kept = np.ones(table.shape[1], dtype=bool)
    while kept.sum() >= FEWEST_CONTRARY_JUDGES:
        places = np.flatnonzero(kept)
        found = [_against(votes[:, one], votes[:, places[places != one]]) for one in places]
        if min(found) > -FAR:
            break
        kept[places[int(np.argmin(found))]] = False
    return ~kept


def votes_of(table: np.ndarray, judges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The positive votes and all votes (n,) of some judges (m,) on each item."""
    own = table[:, judges]
    return (own == 1).sum(axis=1), (own != MISSING).sum(axis=1)


@dataclass(frozen=True)
class Ends:
    """A value and its interval; NaN where the gold labels do not tell."""

    value: float
    lower: float
    upper: float


NOT_KNOWN = Ends(np.nan, np.nan, np.nan)


@dataclass(frozen=True, eq=False)
class SharedErrors:
    """How far judges err together, and what their votes are worth."""

    votes: float  # an item's, on average: m
    effective: Ends  # number of votes, n_eff
    correlation: Ends  # of errors given the label, rho
    pairs: np.ndarray  # (m, m) of each two judges' errors; empty where not known
    pairs_lower: np.ndarray
    pairs_upper: np.ndarray
    gold: int  # gold items on which this rests
    level: float  # of the intervals


@dataclass(frozen=True, eq=False)
class Labelled:
    """Gold items that have votes, and how they were drawn."""

    taken: ClassVar[float | None] = None  # as how many votes an item's are taken
    items: Items | None  # all of the study; None where gold is a simple random sample of them
    voted: np.ndarray  # positions of those that have votes
    rows: np.ndarray  # (n,) positions of the gold items
    label: np.ndarray  # (n,) 0 or 1
    design: Design  # how they were drawn
    level: float  # of intervals

    @classmethod
    def of(
        cls, known: np.ndarray, gold: np.ndarray, items: Items | None, level: float
    ) -> "Labelled":
        """The gold items among those that have votes (N,)."""
        rows = np.flatnonzero(known & (gold != NO_GOLD))
        design: Design = SimpleRandom(len(rows))
        if items is not None and len(rows):
            design = drawn_from(View(items, NO_PREDICTOR), rows)[1]
        return cls(items, np.flatnonzero(known), rows, gold[rows], design, level)

    @property
    def weight(self) -> np.ndarray:
        """What each counts, of mean 1: (n,)."""
        weights = self.design.weights
        return np.ones(len(self.label)) if weights is None else weights

    @property
    def enough(self) -> bool:
        """Whether there are enough gold items of each label."""
        return min((self.label == 0).sum(), (self.label == 1).sum()) >= FEWEST

    def mean(self, values: np.ndarray) -> float:
        """The weighted mean over values (N,) of all items; NaN without gold items."""
        known = values[self.rows]
        return float(np.average(known, weights=self.weight)) if len(known) else np.nan

    @property
    def value(self) -> np.ndarray:
        """What each counts for as positive: (n,)."""
        return self.label

    def mass(self, share: np.ndarray) -> np.ndarray:
        """What counts of each label, (n, 2), by the share (n,) of the second."""
        return np.stack([1 - share, share], axis=1) * self.weight[:, None]

    def _influence(self, values: np.ndarray) -> np.ndarray:
        """What each contributes, (n, P), from values (1 + n, P): with all, without each."""
        left = 1 - self.weight / self.weight.sum()
        found = len(left) * left[:, None] * (values[0] - values[1:])
        return np.asarray(found - found.mean(axis=0))

    def _freedom(self, deviations: np.ndarray) -> np.ndarray:
        """Degrees of freedom from the kurtosis of deviations (r, P), and of the design."""
        most = self.design.size - 1.0
        found = of_items(deviations, len(deviations))
        if self.design.counting is not None:
            count = np.full(found.shape, max(kish(self.weight), 2.0))
            found = np.minimum(found, self.design.freedom(deviations, count))
        return np.clip(found, LEAST, most)

    def intervals(self, votes: Voted) -> np.ndarray:
        """Moments of the votes and the ends of their intervals, (3, P)."""
        values = votes.take(self.rows).moments(self.mass(self.label), without=True)
        if self.design.uneven:
            return self._corrected(votes, values)
        deviations, error = spread_of(self.design, self._influence(values))
        reach = stdtrit(self._freedom(deviations), (1 + self.level) / 2) * error
        return np.asarray(values[0] + np.array([[0], [-1], [1]]) * reach)

    def _corrected(self, votes: Voted, values: np.ndarray) -> np.ndarray:
        """The same, of a prediction of all labels that gold labels correct."""
        assert self.items is not None
        items, gold, size = self.items, votes.take(self.rows), values.shape[1]
        share = cross_fit(features(items, judged=votes.table), items)

        def adds(labels: np.ndarray) -> np.ndarray:
            return where_known(self._influence(gold.moments(self.mass(labels), without=True)))

        deviations, own = self.design.deviations, share[self.rows]
        masses = np.stack([1 - share, share], axis=1)[self.voted]
        everywhere = votes.take(self.voted).moments(masses, without=False)
        predicted, labelled = adds(own), self._influence(values)
        drawn = drawn_labels(items.take(self.rows), own, REDRAWN)
        expected = np.concatenate(
            [np.stack([deviations(adds(one)), deviations(predicted)]) for one in drawn], axis=1
        )
        fewer = int(min(self.label.sum(), (1 - self.label).sum()))
        heavy = min(kish(self.weight[self.label == one]) for one in (0, 1))
        found = Rectified(
            np.concatenate([values[:1], gold.moments(self.mass(own), without=False), everywhere]),
            labelled, predicted, np.full_like(labelled, np.nan), deviations(labelled),
            deviations(predicted), expected, np.ones(size, dtype=bool), np.full(size, fewer), fewer,
            self.design, np.full(size, heavy), self.design.of_population(labelled),
            of_difference=True,
        )  # fmt: skip
        limits = np.tile([-np.inf, np.inf], (size, 1))
        scales, parts = [Scale.IDENTITY] * size, np.full((size, 2), np.nan)
        named = Named([""] * size, limits, scales, parts, limits)
        ends = [(e.estimate, e.lower, e.upper) for e in found.estimates(named, self.level)]
        return np.array(ends).T

    def shared(self, votes: Voted, mean: float) -> SharedErrors:
        """How far errors are shared."""
        found = self.intervals(votes)
        found[1:, ~(found[2] - found[0] > NO_SPREAD)] = np.nan
        pairs = found.shape[1] - 1
        size = int(np.sqrt(2 * pairs)) + 1 if pairs else 0
        square = np.full((3, size, size), np.nan)
        first, second = np.triu_indices(size, 1)
        square[:, first, second] = square[:, second, first] = np.tanh(found[:, 1:])
        effective = rho = NOT_KNOWN
        if np.isfinite(found[0, 0]):
            ends = np.exp(found[:, 0])  # of 1 / n_eff
            value, lower, upper = (ends * mean - 1) / (mean - 1)
            lower, upper = np.maximum(lower, -1 / (mean - 1)), np.minimum(upper, 1.0)
            effective = Ends(*(1 / ends[[0, 2, 1]]).tolist())
            rho = Ends(float(value), float(lower), float(upper))
        of_pairs, lows, highs = square
        gold = len(self.rows)
        return SharedErrors(mean, effective, rho, of_pairs, lows, highs, gold, self.level)

    def by_judge(self, table: np.ndarray) -> SharedErrors:
        """How far errors are shared, from votes (N, m) of known judges."""
        votes = self.mean((table != MISSING).sum(axis=1))
        if not self.enough or votes <= 1:
            return self.nothing(votes)
        judged = ByJudge(table, self.taken or votes)
        covariance = judged.take(self.rows).covariances(self.mass(self.value), without=False)[0]
        variance, pairs = np.diagonal(covariance), covariance[np.triu_indices(len(covariance), 1)]
        if not np.nansum(variance) > 0 or np.isnan(pairs).all():
            return self.nothing(votes)
        return self.shared(judged, votes)

    def by_count(self, positive: np.ndarray, total: np.ndarray) -> SharedErrors:
        """How far errors are shared, from positive votes and all votes (N,) of each item."""
        votes = self.mean(total)
        if not self.enough:
            return self.nothing(votes)
        counts = positive.astype(float), total.astype(float)
        return self.shared(ByCount(*counts, self.taken or votes), votes)

    def nothing(self, votes: float) -> SharedErrors:
        """Where the gold items do not tell."""
        none, gold = np.empty((0, 0)), len(self.rows)
        return SharedErrors(votes, NOT_KNOWN, NOT_KNOWN, none, none, none, gold, self.level)


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


def _labelled(
    known: np.ndarray, gold: np.ndarray, level: float, items: Items | None,
    errors: ExpertErrors | None,
) -> Labelled:  # fmt: skip
    """The gold items among those where `known` (n,) is true."""
    if errors is None or items is None:
        return Labelled.of(known, gold, items, level)
    return Corrected.among(known, items, errors, level)


def of_judges(
    table: np.ndarray, gold: np.ndarray, level: float = LEVEL, items: Items | None = None,
    errors: ExpertErrors | None = None,
) -> SharedErrors:  # fmt: skip
    """How far known judges err together, from votes (n, m) 0 and 1, `MISSING` where there is none,
    and `gold` (n,), drawn as `items` say, or as a simple random sample; with the experts' errors
    from the opinions of `items`.
    """
    return _labelled((table != MISSING).any(axis=1), gold, level, items, errors).by_judge(table)


def most_alike(found: SharedErrors) -> tuple[int, int, Ends] | None:
    """The two judges whose errors go together most, and their correlation; None where not known."""
    pairs = int(np.isfinite(found.pairs).sum() // 2)
    if not pairs:
        return None
    one, other = sorted(np.unravel_index(np.nanargmax(found.pairs), found.pairs.shape))
    own = [ends[one, other] for ends in (found.pairs, found.pairs_lower, found.pairs_upper)]
    single, sidak = ndtri([(1 + level) / 2 for level in (found.level, found.level ** (1 / pairs))])
    value, *ends = np.arctanh(np.clip(own, -NEARLY, NEARLY))
    lower, upper = np.tanh(value + (np.array(ends) - value) * sidak / single).tolist()
    return int(one), int(other), Ends(float(own[0]), lower, upper)


def of_votes(
    positive: np.ndarray, total: np.ndarray, gold: np.ndarray, level: float = LEVEL,
    items: Items | None = None, errors: ExpertErrors | None = None,
) -> SharedErrors:  # fmt: skip
    """How far voters err together where it is not known who they are; one vote says nothing."""
    return _labelled(total > 1, gold, level, items, errors).by_count(positive, total)
