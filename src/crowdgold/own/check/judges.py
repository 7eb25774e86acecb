"""What judges' votes are worth, and which judge agrees best, in numbers and in words.

A judge may stand in for an annotator by the alternative annotator test.

Calderon, Reichart and Dror (2025), The alternative annotator test for LLM-as-a-judge. Each of
three or more annotators j is left out in turn. On each item i that j labelled, with a share of the
other annotators' labels that agree with the judge, s_i, and with annotator j, h_i:

    d_i = [h_i >= s_i] - [s_i >= h_i]                              a tie counts for both
    H0: E d_i >= epsilon,   t = (mean d - epsilon) / (sd(d) / sqrt(n_j)),   one-sided

epsilon: what the judge's lower price is worth. The p-values of all annotators are corrected by
Benjamini and Yekutieli, whose tests may depend on each other. The winning rate omega is the share
of the annotators whose test rejects; the judge may replace one where omega is at least .5. The
t-test needs some 30 items; with fewer for an annotator, no test is made of them.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtr

from crowdgold.data import NO_GOLD, InputError
from crowdgold.data.judge_table import MISSING, labels_by_judge
from crowdgold.data.own import Study
from crowdgold.data.shown import Known, Shown
from crowdgold.inference.shared_errors import SharedErrors, of_judges, of_votes
from crowdgold.inference.without_gold import Ranges
from crowdgold.methods.needs import MOST_JUDGES
from crowdgold.own.check import without_gold
from crowdgold.own.check.kappa import Kappa, between_judges, fleiss, with_gold
from crowdgold.own.check.without_gold import Allowed, allowed, has_ranges

FEWEST_ITEMS = 30
FEWEST_ANNOTATORS = 3
EPSILON = 0.2
"""For experts, as the paper advises; .15 for skilled annotators, .1 for crowd workers."""
RATE = 0.05
"""False discoveries allowed among the annotators' tests."""
WINS = 0.5
"""Winning rate from which on the judge may replace an annotator."""


@dataclass(frozen=True, eq=False)
class Replacement:
    """The alternative annotator test of one judge against h annotators.

    Attributes:
        advantage: mean share of items on which the judge is at least as close to the others as the
            annotator left out is.
        p: (h,) p-values, corrected; NaN where an annotator shares too few items with the judge.
        winning_rate: share of the annotators tested over whom the judge wins.
        passes: whether the winning rate is at least `WINS`.
    """

    advantage: float
    p: np.ndarray
    winning_rate: float
    passes: bool


def _p_value(difference: np.ndarray, epsilon: float) -> float:
    """One-sided p-value of a mean below epsilon."""
    n, spread = len(difference), float(difference.std(ddof=1))
    distance = float(difference.mean()) - epsilon
    if spread == 0:
        return 0.0 if distance < 0 else 1.0
    return float(stdtr(n - 1, distance / (spread / np.sqrt(n))))


def may_replace(
    judge: np.ndarray, annotators: np.ndarray, epsilon: float = EPSILON, rate: float = RATE
) -> Replacement:
    """The alternative annotator test of a judge's labels against those of annotators.

    Args:
        judge: (n,) labels, `MISSING` where there is none.
        annotators: (n, h) labels, h at least 3.
        epsilon: how much less often than the annotator the judge may win.
        rate: of false discoveries.

    Raises:
        InputError: where there are too few annotators, or items that they share with the judge.
    """
    size = annotators.shape[1]
    if size < FEWEST_ANNOTATORS:
        raise InputError(
            f"the alternative annotator test: found {size} annotators, expected "
            f"{FEWEST_ANNOTATORS} or more whose labels the judge is held against"
        )
    p, wins = np.full(size, np.nan), np.full(size, np.nan)
    for left in range(size):
        others = np.delete(annotators, left, axis=1)
        known = (judge != MISSING) & (annotators[:, left] != MISSING)
        known &= (others != MISSING).any(axis=1)
        if known.sum() < FEWEST_ITEMS:
            continue
        labels = np.ma.masked_equal(others[known], MISSING)
        of_judge = np.asarray((labels == judge[known, None]).mean(axis=1))
        of_left = np.asarray((labels == annotators[known, left, None]).mean(axis=1))
        wins[left] = float((of_judge >= of_left).mean())
        p[left] = _p_value((of_left >= of_judge) * 1.0 - (of_judge >= of_left), epsilon)
    tested = np.isfinite(p)
    if not tested.any():
        raise InputError(
            "the alternative annotator test: no annotator shares enough items with the judge and "
            f"another annotator; expected {FEWEST_ITEMS} or more"
        )
    from scipy.stats import false_discovery_control  # half a second that the answer need not wait

    p[tested] = false_discovery_control(p[tested], method="by")
    won = float((p[tested] <= rate).mean())
    return Replacement(float(wins[tested].mean()), p, won, won >= WINS)


@dataclass(frozen=True, eq=False, repr=False)
class Judges(Shown):
    """What votes are worth together, and judges one by one where they are few.

    Attributes:
        fleiss: kappa of the votes.
        shared: how far their errors go together, and the effective number of votes.
        judge: (m,) identifiers; empty where they are not known, or are many.
        with_gold: each judge's kappa with the gold labels.
        between: kappa of each two judges, by "ONE and OTHER".
        replaces: judge -> whether it may stand in for an expert, where three or more experts have
            labelled; a judge who shares too few items with them is not there.
        ranges: what can be said without gold labels; None where there are some, or no item has two
            votes.
        contrary: judges who vote against the others, and are left out of the ranges.
        sentences: the same in plain words.
    """

    fleiss: Kappa
    shared: SharedErrors
    judge: tuple[str, ...]
    with_gold: tuple[Kappa, ...]
    between: dict[str, Kappa]
    replaces: dict[str, Replacement]
    ranges: Ranges | None = None
    contrary: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()

    def facts(self) -> Known:
        """Who they are, and what they are worth in words."""
        return {"judges": ", ".join(self.judge) or "not by name", "said": self.sentences}


def _replacements(
    study: Study, names: tuple[str, ...], table: np.ndarray
) -> dict[str, Replacement]:
    """The alternative annotator test of each judge for whom there are items enough."""
    if len(study.gold_by_expert) < FEWEST_ANNOTATORS:
        return {}
    experts = np.stack(list(study.gold_by_expert.values()), axis=1)
    found = {}
    for name, labels in zip(names, table.T, strict=True):
        try:
            found[name] = may_replace(labels, experts)
        except InputError:
            continue
    return found


def _look(study: Study, rng: np.random.Generator) -> Judges:
    """The numbers alone."""
    items, voters = study.items, study.annotations
    counts = np.stack([items.votes_total - items.votes_positive, items.votes_positive], axis=1)
    overall = fleiss(counts, rng)
    if voters is None or not 1 < len(voters.annotator) <= MOST_JUDGES:
        shared = of_votes(items.votes_positive, items.votes_total, items.gold)
        return Judges(overall, shared, (), (), {}, {})
    names, table = tuple(str(name) for name in voters.annotator), labels_by_judge(voters)
    return Judges(
        overall,
        of_judges(table, items.gold),
        names,
        tuple(with_gold(table, items.gold, rng)) if (items.gold != NO_GOLD).any() else (),
        {f"{names[j]} and {names[k]}": one for (j, k), one in between_judges(table, rng).items()},
        _replacements(study, names, table),
    )


def _ends(value: float, lower: float, upper: float) -> str:
    told = f"{value:.2f}"
    return told + (f" ({lower:.2f} to {upper:.2f})" if np.isfinite(lower) else "")


def _best(names: tuple[str, ...], found: tuple[Kappa, ...]) -> Iterator[str]:
    """Each judge's agreement with gold, the best first."""
    known = [pair for pair in zip(names, found, strict=True) if np.isfinite(pair[1].value)]
    told = [
        f"{name} {_ends(one.value, one.lower, one.upper)}"
        for name, one in sorted(known, key=lambda pair: -pair[1].value)
    ]
    if told:
        yield f"Cohen's kappa with gold: {', '.join(told)}"


def _closest(found: Judges) -> Iterator[str]:
    """The two judges whose errors go together most."""
    pairs = found.shared.pairs
    if not np.isfinite(pairs).any():
        return
    at = np.unravel_index(np.nanargmax(pairs), pairs.shape)
    least, most = found.shared.pairs_lower[at], found.shared.pairs_upper[at]
    first, second = (found.judge[place] for place in sorted(at))
    yield f"most alike in their errors: {first} and {second}, {_ends(pairs[at], least, most)}"


def _in_words(found: Judges) -> Iterator[str]:
    """What votes are worth and which judge agrees best, a sentence each."""
    worth, rho = found.shared.effective, found.shared.correlation
    if np.isfinite(worth.value):
        yield (
            f"an item's {found.shared.votes:.3g} votes are worth "
            f"{_ends(worth.value, worth.lower, worth.upper)} independent ones: correlation of "
            f"errors given the label {_ends(rho.value, rho.lower, rho.upper)}"
        )
        yield from _closest(found)
    if np.isfinite(found.fleiss.value):
        one = found.fleiss
        yield f"Fleiss's kappa {_ends(one.value, one.lower, one.upper)}"
    if found.ranges is not None:
        yield from without_gold.in_words(Allowed(found.ranges, found.contrary))
    if found.with_gold:
        yield from _best(found.judge, found.with_gold)
    if found.replaces:
        may = [name for name, one in found.replaces.items() if one.passes]
        yield (
            "alternative annotator test, epsilon .2: "
            + (f"{', '.join(may)} may replace an expert" if may else "none may replace an expert")
        )


def look_at_judges(study: Study, rng: np.random.Generator, level: float = 0.95) -> Judges:
    """What a study's votes are worth, and how its judges agree; `level` is that of ranges."""
    found = _look(study, rng)
    if has_ranges(study.items):
        voters = study.annotations if found.judge else None
        own = allowed(study.items, voters, rng, level, study.weights)
        found = replace(found, ranges=own.ranges, contrary=own.contrary)
    return replace(found, sentences=tuple(_in_words(found)))
