"""How far annotators agree (Krippendorff's alpha), and those whose labels cannot help.

Each label is held against the majority of the others' labels of the item; where they are tied, or
there are none, it is not. With k of m labels of an annotator agreeing, q the share of positive
labels among the m and r that of the majorities, labels given without looking would agree with the
chance c = q r + (1 - q)(1 - r). The p-value of an adversary is P(Bin(m, c) <= k), exact for a c
that is known; q and r are the annotator's own, which makes it conservative: c (1 - c) is at least
4 q (1 - q) r (1 - r), m times the variance of k / m where q and r are held. One who always gives
label y is constant with the p-value of that happening by chance, s^n, s the share of y among the
others' labels. Both are corrected for the number of annotators by Holm's method.

Agreement of several labels of an item: Krippendorff's alpha, for labels without order.

With n_uk labels k of item u, n_u of them in all, and n of items that have two or more:

    D_o = (1 / n) sum_u [n_u^2 - sum_k n_uk^2] / (n_u - 1)          observed disagreement
    D_e = [n^2 - sum_k n_k^2] / (n (n - 1))                          that of labels paired at random
    alpha = 1 - D_o / D_e

(Krippendorff, Computing Krippendorff's alpha-reliability, 2011, section C). An item with one label
says nothing of agreement and is left out; who gave a label does not matter.
"""

from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr

from crowdgold.data import Annotations
from crowdgold.declared import LEVEL
from crowdgold.methods.doubts import FEW_LABELS as FEW_LABELS
from crowdgold.own.check.resamples import interval_of, times_drawn

SIGNIFICANT = 0.01
"""Of the tests, over all annotators together."""


@dataclass(frozen=True, eq=False)
class AnnotatorCheck:
    """What is known of A annotators.

    Attributes:
        annotator: (A,) identifiers.
        labels: (A,) labels of each.
        compared, agreed: (A,) those held against a majority, and those of them that agree with it.
        chance: (A,) agreement of one who does not look.
        p_adversarial, p_constant: (A,) corrected p-values; 1 where there is nothing to test.
    """

    annotator: np.ndarray
    labels: np.ndarray
    compared: np.ndarray
    agreed: np.ndarray
    chance: np.ndarray
    p_adversarial: np.ndarray
    p_constant: np.ndarray

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


def holm(p: np.ndarray) -> np.ndarray:
    """Correct p-values (m,) so that the chance of any false finding is held (Holm, 1979)."""
    order = np.argsort(p)
    steps = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    corrected = np.empty(len(p))
    corrected[order] = np.minimum(steps, 1)
    return corrected


def _ratio(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """Divide, 0 where there is nothing to divide by."""
    return part / np.maximum(whole, 1)


def check_annotators(annotations: Annotations) -> AnnotatorCheck:
    """Hold each annotator's labels against the majority of the others'.

    Args:
        annotations: labels of two categories, the second positive.
    """
    size, who = len(annotations.annotator), annotations.annotator_of
    label = annotations.label
    votes = annotations.votes()[annotations.item_of]
    lead = votes[:, 1] - votes[:, 0] - np.where(label == 1, 1, -1)
    against = lead != 0
    majority = lead > 0

    def by_annotator(chosen: np.ndarray) -> np.ndarray:
        return np.bincount(who[chosen], minlength=size)

    labels, positive = np.bincount(who, minlength=size), by_annotator(label == 1)
    compared = by_annotator(against)
    agreed = by_annotator(against & (majority == (label == 1)))
    q = _ratio(by_annotator(against & (label == 1)), compared)
    r = _ratio(by_annotator(against & majority), compared)
    chance = q * r + (1 - q) * (1 - r)
    p_adversarial = np.where(compared > 0, bdtr(agreed, compared, chance), 1.0)
    others = len(label) - labels
    share = _ratio(int((label == 1).sum()) - positive, others)
    same = np.where(positive == labels, share, np.where(positive == 0, 1 - share, 1.0))
    tested = (labels >= FEW_LABELS) & (others > 0)
    p_constant = np.where(tested, same ** np.maximum(labels, 1), 1.0)
    return AnnotatorCheck(
        annotations.annotator, labels, compared, agreed, chance, holm(p_adversarial),
        holm(p_constant),
    )  # fmt: skip


@dataclass(frozen=True)
class Agreement:
    """Krippendorff's alpha: 1 where labels agree, 0 where they do as if drawn at random.

    Attributes:
        alpha: NaN where no item has two labels, or all labels are the same.
        lower, upper: percentile bootstrap interval over items, or over their clusters.
        items: items with two or more labels.
        level: of the interval.
    """

    alpha: float
    lower: float
    upper: float
    items: int
    level: float


def alpha_of_patterns(counts: np.ndarray, times: np.ndarray) -> np.ndarray:
    """Krippendorff's alpha of items that have one of P patterns of labels.

    Args:
        counts: (P, K) labels of each category in a pattern.
        times: (..., P) items of each pattern.

    Returns:
        (...) alpha, NaN where it is not defined.
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
    """Measure the agreement of labels, with an interval over items, or over their clusters.

    Args:
        counts: (n, K) labels of each category that each item has.
        resamples: of the items that have two or more labels.
        cluster: (n,) number of the cluster of each item; None where none belong together.
    """
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
