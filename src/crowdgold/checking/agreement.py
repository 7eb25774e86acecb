"""How far judges agree beyond chance: with each other, and with gold.

Krippendorff's alpha of labels without order, with n_uk labels k of item u, n_u of them in all, and
n of items that have two or more (Krippendorff, Computing Krippendorff's alpha-reliability, 2011,
section C; an item with one label is left out):

    D_o = (1 / n) sum_u [n_u^2 - sum_k n_uk^2] / (n_u - 1)          observed disagreement
    D_e = [n^2 - sum_k n_k^2] / (n (n - 1))                          that of labels paired at random
    alpha = 1 - D_o / D_e

Cohen's kappa of two judges (Cohen, 1960), p_ab the share of items that one calls a and the other b:

    kappa = (sum_k p_kk - sum_k p_k. p_.k) / (1 - sum_k p_k. p_.k)

Fleiss's kappa of several labels an item (Fleiss, 1971), of U items, p_k the share of label k:

    P = (1/U) sum_u [sum_k n_uk^2 - n_u] / [n_u (n_u - 1)]
    kappa = (P - sum_k p_k^2) / (1 - sum_k p_k^2)

Both kappas are as printed where each item has equally many labels; where not, items count alike.
Intervals are percentile bootstrap intervals over items, or over clusters of items that belong
together, each with all that it has. Cohen's without clusters are quantiles of a Dirichlet
distribution of p: two judges who agree on all of few items may still differ on others, which no
resample of these items shows. Its prior is worth `PRIOR` items. Where all resamples are the same
there is no interval. Of a judge and gold labels that were drawn with known chances, or in clusters,
kappa weighs gold items as estimates do, and the interval is theirs (`inference.shared_errors`), on
the scale of atanh kappa. So is that of the difference of two judges' kappa with gold, on its own
scale, however gold was drawn. Where it is known how often experts err, both are those of the true
labels (`shared_errors`), on their own scale.

An annotator's labels are each held against the majority of the others' labels of the item; where
they are tied, or there are none, it is not. With k of m labels of an annotator agreeing, q the
share of positive labels among the m and r that of the majorities, labels given without looking
would agree with the chance c = q r + (1 - q)(1 - r). The p-value of an adversary is
P(Bin(m, c) <= k), exact for a c that is known; q and r are the annotator's own, which makes it
conservative: c (1 - c) is at least 4 q (1 - q) r (1 - r), m times the variance of k / m where q and
r are held. One who always gives label y is constant with the p-value of that happening by chance,
s^n, s the share of y among the others' labels. Both are corrected for the number of annotators by
Holm's method.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from scipy.special import bdtr

from crowdgold.inference.estimate import FEWEST
from crowdgold.inference.expert_errors import ExpertErrors
from crowdgold.inference.interval import central_interval, holm
from crowdgold.inference.shared_errors import (
    NEARLY,
    NO_SPREAD,
    Corrected,
    Labelled,
    all_and_without,
)
from crowdgold.methods.needs import FEW_LABELS
from crowdgold.types.annotations import MISSING, Annotations
from crowdgold.types.items import NO_GOLD, Items
from crowdgold.types.parameters import LEVEL

MOST_NUMBERS = 4_000_000  # numbers of clusters drawn that are held at a time
SIGNIFICANT = 0.01  # of the tests, over all annotators together
RESAMPLES = 1000
PRIOR = 4 / 3  # items, spread evenly over two judges' table: a third in each of four cells


def times_drawn(
    kind: np.ndarray, kinds: int, cluster: np.ndarray | None, rng: np.random.Generator,
    resamples: int,
) -> np.ndarray:  # fmt: skip
    """How often each kind is in each resample of items or clusters, (resamples, kinds).

    `kind` (n,) numbers that of each item, below `kinds`; `cluster` (n,) is None where none are.
    """
    code = None if cluster is None else np.unique(cluster, return_inverse=True)[1]
    if code is None or code.max() + 1 == len(kind):
        share = np.bincount(kind, minlength=kinds) / len(kind)
        return rng.multinomial(len(kind), share, size=resamples).astype(float)
    number = int(code.max()) + 1
    held = np.bincount(code * kinds + kind, minlength=number * kinds).reshape(number, kinds)
    block, even = max(1, MOST_NUMBERS // number), np.full(number, 1 / number)
    return np.concatenate(
        [
            rng.multinomial(number, even, size=min(block, resamples - start)) @ held.astype(float)
            for start in range(0, resamples, block)
        ]
    )


def interval_of(
    value: float, values: np.ndarray, cluster: np.ndarray | None, level: float = LEVEL
) -> tuple[float, float]:
    """The ends of the interval of a value by those of resamples; NaN of too few clusters (n,)."""
    known = values[np.isfinite(values)]
    few = cluster is not None and len(np.unique(cluster)) < FEWEST
    if not np.isfinite(value) or len(known) < 2 or few:
        return np.nan, np.nan
    lower, upper = central_interval(known, level)
    return float(lower), float(upper)


@dataclass(frozen=True, eq=False)
class AnnotatorCheck:
    """How A annotators agree with the others, and which label against them or without looking."""

    annotator: np.ndarray  # (A,) identifiers
    labels: np.ndarray  # (A,) labels of each
    compared: np.ndarray  # (A,) those held against a majority
    agreed: np.ndarray  # (A,) those of them that agree with it
    chance: np.ndarray  # (A,) agreement of one who does not look
    p_adversarial: np.ndarray  # (A,) corrected p-values; 1 where there is nothing to test
    p_constant: np.ndarray  # (A,) the same of always giving one label

    @property
    def few(self) -> np.ndarray:
        """Those with fewer than `FEW_LABELS` labels: (A,)."""
        return self.labels < FEW_LABELS

    @property
    def adversarial(self) -> np.ndarray:
        """Those who agree with the others less than chance does: (A,)."""
        return self.p_adversarial < SIGNIFICANT

    @property
    def constant(self) -> np.ndarray:
        """Those who always give the same label, where others do not: (A,)."""
        return self.p_constant < SIGNIFICANT


def check_annotators(annotations: Annotations) -> AnnotatorCheck:
    """Each annotator's labels, the second category positive, against the others' majority."""
    size, who = len(annotations.annotator), annotations.annotator_of
    yes = annotations.label == 1
    votes = annotations.votes()[annotations.item_of]
    lead = votes[:, 1] - votes[:, 0] - np.where(yes, 1, -1)
    against, majority = lead != 0, lead > 0

    def by_annotator(chosen: np.ndarray) -> np.ndarray:
        return np.bincount(who[chosen], minlength=size)

    labels, positive = np.bincount(who, minlength=size), by_annotator(yes)
    compared, agreed = by_annotator(against), by_annotator(against & (majority == yes))
    q = by_annotator(against & yes) / np.maximum(compared, 1)
    r = by_annotator(against & majority) / np.maximum(compared, 1)
    chance = q * r + (1 - q) * (1 - r)
    p_adversarial = np.where(compared > 0, bdtr(agreed, compared, chance), 1.0)
    others = len(yes) - labels
    share = (int(yes.sum()) - positive) / np.maximum(others, 1)
    same = np.where(positive == labels, share, np.where(positive == 0, 1 - share, 1.0))
    tested = (labels >= FEW_LABELS) & (others > 0)
    p_constant = np.where(tested, same ** np.maximum(labels, 1), 1.0)
    return AnnotatorCheck(
        annotations.annotator, labels, compared, agreed, chance, holm(p_adversarial),
        holm(p_constant),
    )  # fmt: skip


@dataclass(frozen=True)
class Agreement:
    """Krippendorff's alpha: 1 where labels agree, 0 where they do as if drawn at random."""

    alpha: float  # NaN where no item has two labels, or all labels are the same
    lower: float  # percentile bootstrap interval over items, or over their clusters
    upper: float
    items: int  # items with two or more labels
    level: float  # of the interval


def alpha_of_patterns(counts: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Krippendorff's alpha, (...), of items with one of P patterns of labels; NaN where undefined.

    `counts` (P, K) are labels of each category in a pattern, `times` (..., P) the items of each.
    """
    total = counts.sum(axis=1)
    pairable = total > 1
    counts, total, times = counts[pairable], total[pairable], times[..., pairable]
    apart = (total**2 - (counts**2).sum(axis=1)) / (total - 1)
    of_category = times @ counts
    n = of_category.sum(axis=-1)
    expected = n**2 - (of_category**2).sum(axis=-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected > 0, 1 - (n - 1) * (times @ apart) / expected, np.nan)


def agreement(
    counts: np.ndarray, rng: np.random.Generator, level: float = LEVEL, resamples: int = 1000,
    cluster: np.ndarray | None = None,
) -> Agreement:  # fmt: skip
    """Krippendorff's alpha of labels, (n, K) of each category that each item has."""
    known = counts.sum(axis=1) > 1
    several = counts[known].astype(np.int64)
    if not len(several):
        return Agreement(np.nan, np.nan, np.nan, 0, level)
    patterns, pattern, times = np.unique(several, axis=0, return_inverse=True, return_counts=True)
    patterns = patterns.astype(float)
    alpha = float(alpha_of_patterns(patterns, times.astype(float)))
    of_known = None if cluster is None else cluster[known]
    drawn = times_drawn(pattern.ravel(), len(patterns), of_known, rng, resamples)
    ends = interval_of(alpha, alpha_of_patterns(patterns, drawn), of_known, level)
    return Agreement(alpha, *ends, len(several), level)


@dataclass(frozen=True)
class Kappa:
    """An agreement corrected for chance: 1 where labels agree, 0 where they do as by chance."""

    value: float  # NaN where it is not defined: no item in common, or one label alone
    lower: float  # its interval; NaN where there is none
    upper: float
    items: int  # on which it rests


def _with_interval(
    kappa: Callable[[np.ndarray], np.ndarray], kind: np.ndarray, kinds: int,
    cluster: np.ndarray | None, rng: np.random.Generator,
) -> Kappa:  # fmt: skip
    """The kappa of items of so many kinds, `kind` (n,) of each, with its bootstrap interval."""
    value = float(kappa(np.bincount(kind, minlength=kinds).astype(float)[None])[0])
    drawn = times_drawn(kind, kinds, cluster, rng, RESAMPLES)
    lower, upper = interval_of(value, kappa(drawn), cluster)
    if not upper - lower > NO_SPREAD:
        lower = upper = np.nan
    return Kappa(value, lower, upper, len(kind))


def _beyond_chance(observed: np.ndarray, chance: np.ndarray) -> np.ndarray:
    """Agreement beyond chance as a share of what is possible; NaN where chance makes all agree."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(1 - chance > 1e-12, (observed - chance) / (1 - chance), np.nan)


def cohen(
    one: np.ndarray, other: np.ndarray, rng: np.random.Generator, cluster: np.ndarray | None = None
) -> Kappa:
    """Cohen's kappa of two judges' labels (n,), `MISSING` where one has none."""
    both = (one != MISSING) & (other != MISSING)
    size = int(max(one.max(initial=0), other.max(initial=0))) + 1
    cell = one[both].astype(int) * size + other[both]
    if not both.any():
        return Kappa(np.nan, np.nan, np.nan, 0)

    def kappa(drawn: np.ndarray) -> np.ndarray:
        table = drawn.reshape(-1, size, size) / drawn.sum(axis=1)[:, None, None]
        chance = (table.sum(axis=1) * table.sum(axis=2)).sum(axis=1)
        return _beyond_chance(np.trace(table, axis1=1, axis2=2), chance)

    if cluster is not None and len(np.unique(cluster[both])) < len(cell):
        return _with_interval(kappa, cell, size * size, cluster[both], rng)
    cells = np.bincount(cell, minlength=size * size).astype(float)
    value = float(kappa(cells[None])[0])
    drawn = rng.dirichlet(cells + PRIOR / len(cells), RESAMPLES)
    lower, upper = interval_of(value, kappa(drawn), None)
    return Kappa(value, min(lower, value), max(upper, value), int(cells.sum()))


def fleiss(
    counts: np.ndarray, rng: np.random.Generator, cluster: np.ndarray | None = None
) -> Kappa:
    """Fleiss's kappa of items with counts (n, K) of labels; those with one label are left out."""
    known = counts.sum(axis=1) > 1
    if not known.any():
        return Kappa(np.nan, np.nan, np.nan, 0)
    patterns, pattern = np.unique(counts[known], axis=0, return_inverse=True)
    total = patterns.sum(axis=1)
    alike = ((patterns**2).sum(axis=1) - total) / (total * (total - 1))

    def kappa(drawn: np.ndarray) -> np.ndarray:
        of_label = drawn @ patterns
        share = of_label / of_label.sum(axis=1, keepdims=True)
        return _beyond_chance(drawn @ alike / drawn.sum(axis=1), (share**2).sum(axis=1))

    of_known = None if cluster is None else cluster[known]
    return _with_interval(kappa, pattern.ravel(), len(patterns), of_known, rng)


@dataclass(frozen=True, eq=False)
class _WithGold:
    """Labels of judges held against gold, for the intervals of their kappas with it."""

    table: np.ndarray  # (n, m) 0, 1 or `MISSING`
    of_kappas: Callable[[np.ndarray], np.ndarray]  # their scale, or their difference

    def take(self, rows: np.ndarray) -> "_WithGold":
        """Those of the items at some positions."""
        return replace(self, table=self.table[rows])

    def moments(self, mass: np.ndarray, without: bool) -> np.ndarray:
        """`of_kappas` of the judges' kappas with gold of so much mass, (1 or 1 + n, m)."""
        cells = [mass[:, [y]] * (self.table == label) for y in (0, 1) for label in (0, 1)]
        sums = np.stack([all_and_without(cell, without) for cell in cells], axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            share = (sums / sums.sum(axis=-1, keepdims=True)).reshape(*sums.shape[:-1], 2, 2)
        chance = (share.sum(axis=-1) * share.sum(axis=-2)).sum(axis=-1)
        return self.of_kappas(_beyond_chance(np.trace(share, axis1=-2, axis2=-1), chance))


def _without_flat(found: np.ndarray) -> np.ndarray:
    """Values and ends (3, P), without the ends where the gold items do not differ."""
    _, lower, upper = found
    return np.where([[True], [False], [False]] | (upper - lower > NO_SPREAD), found, np.nan)


def _labelled(
    voted: np.ndarray, gold: np.ndarray, items: Items | None, errors: ExpertErrors | None
) -> Labelled:
    """The gold items among those that have votes, corrected where experts' errors are known."""
    if errors is None or items is None:
        return Labelled.of(voted, gold, items, LEVEL)
    return Corrected.among(voted, items, errors)


def kappas_with_gold(
    table: np.ndarray, gold: np.ndarray, rng: np.random.Generator, items: Items | None = None,
    errors: ExpertErrors | None = None,
) -> list[Kappa]:  # fmt: skip
    """Cohen's kappa of each judge, a column of the table (n, m), with the gold labels (n,).

    `items` say how gold was drawn, a simple random sample where they are None. `errors`, which need
    items, are of the experts; None where gold labels are taken for the truth.
    """
    if errors is None and (items is None or (items.draw is None and items.cluster is None)):
        truth = np.where(gold == NO_GOLD, MISSING, gold)
        return [cohen(labels, truth, rng) for labels in table.T]
    known = _labelled((table != MISSING).any(axis=1), gold, items, errors)
    both = (table[known.rows] != MISSING).sum(axis=0).tolist()
    if not known.enough:
        return [Kappa(np.nan, np.nan, np.nan, number) for number in both]
    if isinstance(known, Corrected):  # whose kappas can be above 1
        found = np.clip(known.intervals(_WithGold(table, np.asarray)), -1, 1)
    else:
        scaled = _WithGold(table, lambda kappas: np.arctanh(np.clip(kappas, -NEARLY, NEARLY)))
        found = np.tanh(known.intervals(scaled))
    return [Kappa(*numbers) for numbers in zip(*_without_flat(found).tolist(), both, strict=True)]


def kappa_gap(
    table: np.ndarray, gold: np.ndarray, items: Items | None = None,
    errors: ExpertErrors | None = None,
) -> Kappa:  # fmt: skip
    """The first judge's kappa with gold less the second's, on the items that both label, (n, 2).

    Judges who label the same items are compared item by item: what makes an item hard for both
    is in both kappas, and not in their difference. The rest is as of `kappas_with_gold`.
    """
    known = _labelled((table != MISSING).all(axis=1), gold, items, errors)
    if not known.enough:
        return Kappa(np.nan, np.nan, np.nan, len(known.rows))
    difference = _WithGold(table, lambda kappas: kappas[:, :1] - kappas[:, 1:])
    value, lower, upper = _without_flat(known.intervals(difference))[:, 0].tolist()
    return Kappa(value, lower, upper, len(known.rows))


def between_judges(
    table: np.ndarray, rng: np.random.Generator, cluster: np.ndarray | None = None
) -> dict[tuple[int, int], Kappa]:
    """Cohen's kappa of each two judges, by their columns in a table (n, m) of labels."""
    pairs = combinations(range(table.shape[1]), 2)
    return {(j, k): cohen(table[:, j], table[:, k], rng, cluster) for j, k in pairs}
