"""What each estimator can make of a study: usable, weak or not usable, why, and how to mend it.

The limits are those of the estimators themselves: `inference.samples.FEWEST` gold items that a
metric rests on for an interval, and three votes of an item for a mixture of two error rates without
gold.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from crowdgold.data.checks import counted
from crowdgold.inference.samples import FEWEST
from crowdgold.methods import METHODS
from crowdgold.methods.needs import SCORES
from crowdgold.own.check.annotator_check import FEW_LABELS
from crowdgold.own.check.gold_sample import CHOSEN

USABLE, WEAK, NOT_USABLE = VERDICTS = ("usable", "weak", "not usable")
MEASURED_GOLD = 20
"""The fewest gold labels with which the coverage of intervals was measured (docs/answer.md)."""
SURELY_CHOSEN = 0.001
"""p-value below which gold is no random sample; above it, up to `CHOSEN`, that is doubted."""
ENOUGH_ITEMS = 100
"""Items that a model of votes or scores needs to say more than its priors."""
SWAPPED = 0.2
"""TPR + TNR - 1 of the votes below which what they say of a rate is mostly noise."""
RARE = 0.05
"""Share of positive votes below which CLARA may take positives for negatives."""
WRONG_MAJORITY = 0.02
"""Share of gold items on which the majority errs, above which it cannot stand for the truth."""

NOTHING: Mapping[str, str] = MappingProxyType({})
NO_GOLD_LABEL = "there is no gold label"
MORE_GOLD = "have an expert label more items, drawn at random"
RANDOM_GOLD = "have an expert label items that are drawn at random"
GIVE_SCORES = "add a file with the columns item and score"
GIVE_ANNOTATORS = "give votes as item, annotator, label"


@dataclass(frozen=True)
class Facts:
    """What the verdicts rest on.

    Attributes:
        items: n.
        scores: number of models.
        most_votes: the most votes of an item.
        several: share of items with two or more votes.
        positive_votes: share of positive votes.
        alpha, alpha_upper: agreement and the upper end of its interval.
        gold_positive, gold_negative: gold labels of each class.
        gold_p: p-value of gold being a random sample, NaN where there is no test.
        tpr, tnr: share of the gold positives (negatives) that the majority gets right; NaN where
            there are none. A tie counts half.
        annotators: number of annotators; None where they are not known.
        median_labels: the middle annotator's labels.
        adversarial: annotators who look adversarial.
    """

    items: int
    scores: int
    most_votes: int
    several: float
    positive_votes: float
    alpha: float
    alpha_upper: float
    gold_positive: int
    gold_negative: int
    gold_p: float
    tpr: float
    tnr: float
    annotators: int | None
    median_labels: float
    adversarial: int

    @property
    def gold(self) -> int:
        """Gold labels."""
        return self.gold_positive + self.gold_negative

    @property
    def fewer(self) -> int:
        """Gold labels of the class that has fewer."""
        return min(self.gold_positive, self.gold_negative)

    @property
    def majority_error(self) -> float:
        """Share of gold items on which the majority errs, NaN without gold."""
        if not self.gold:
            return np.nan
        right = np.nan_to_num([self.tpr * self.gold_positive, self.tnr * self.gold_negative])
        return 1 - float(right.sum()) / self.gold


@dataclass(frozen=True)
class Finding:
    """One thing that speaks against an estimator, how much, and how to mend it."""

    verdict: str
    why: str
    mend: str


@dataclass(frozen=True)
class Verdict:
    """What an estimator can make of the data.

    Attributes:
        method: the estimator's short name.
        verdict: one of `VERDICTS`.
        why: the reasons.
        mend: what would make it better; empty where nothing is needed.
        arena: what it did in the nearest world of the arena (`evaluation.arena_record`); empty
            where nothing is known of that.
    """

    method: str
    verdict: str
    why: str
    mend: str
    arena: str = ""


Check = Callable[[Facts], list[Finding]]


def _gold(facts: Facts) -> list[Finding]:
    """Judge the gold labels for an estimator that rests on them alone."""
    if facts.gold < 2:
        found = f"there is {counted(facts.gold, 'gold label')}" if facts.gold else NO_GOLD_LABEL
        return [Finding(NOT_USABLE, found, MORE_GOLD)]
    if facts.fewer < FEWEST:
        few = counted(facts.fewer, "gold label")
        why = f"{few} of a class; below {FEWEST} some metrics get no interval"
        return [Finding(WEAK, why, MORE_GOLD)]
    if facts.gold < MEASURED_GOLD:
        few = counted(facts.gold, "gold label")
        why = f"{few}; how often intervals are right was measured with {MEASURED_GOLD} or more"
        return [Finding(WEAK, why, MORE_GOLD)]
    return []


def _gold_of_both_classes(facts: Facts) -> list[Finding]:
    """Judge the gold labels for an estimator that must see errors on either class."""
    if facts.gold and not facts.fewer:
        which = "positive" if facts.gold_positive else "negative"
        return [Finding(NOT_USABLE, f"all {facts.gold} gold labels are {which}", MORE_GOLD)]
    return _gold(facts)


def _random(facts: Facts) -> list[Finding]:
    """Judge whether gold is a random sample, for an estimator that is wrong where it is not."""
    if not facts.gold_p < CHOSEN:
        return []
    why = f"gold does not look like a random sample of the items (p = {facts.gold_p:.2g})"
    verdict = NOT_USABLE if facts.gold_p < SURELY_CHOSEN else WEAK
    return [Finding(verdict, why, RANDOM_GOLD)]


def _chosen_for_models(facts: Facts) -> list[Finding]:
    """Judge the same for a model of votes and scores, which can take some of it."""
    return [Finding(WEAK, one.why, one.mend) for one in _random(facts)]


def _scores(facts: Facts) -> list[Finding]:
    return [] if facts.scores else [Finding(NOT_USABLE, "there are no scores", GIVE_SCORES)]


def _size(facts: Facts) -> list[Finding]:
    """Judge the number of items for a model of them."""
    if facts.items >= ENOUGH_ITEMS:
        return []
    why = f"{counted(facts.items, 'item')}; below {ENOUGH_ITEMS} the priors say too much"
    return [Finding(WEAK, why, "add items")]


def _votes(facts: Facts) -> list[Finding]:
    """Judge the votes for a model of them whose errors gold may or may not show."""
    found = _size(facts)
    if not facts.gold:
        if facts.most_votes < 3:
            why = "without gold the votes' errors are known only where items have three votes"
            return [Finding(NOT_USABLE, why, f"add votes, or {MORE_GOLD}")]
        found.append(
            Finding(WEAK, "without gold it takes votes to be right more often than not", MORE_GOLD)
        )
    elif facts.most_votes < 2:
        why = "one vote an item: how votes of an item agree follows the prior"
        found.append(Finding(WEAK, why, "have some items labelled by several annotators"))
    if facts.alpha_upper <= 0:
        why = "votes agree no more than at random"
        found.append(Finding(WEAK, why, "look at the annotators and at their instructions"))
    return found


def _ground_truth_and_majority(facts: Facts) -> list[Finding]:
    if not facts.gold:
        why = "without gold it is the majority vote, and nothing says how often that is wrong"
        return [Finding(NOT_USABLE, why, MORE_GOLD)]
    if facts.majority_error > WRONG_MAJORITY:
        why = (
            "it takes the majority for the truth, which errs on "
            f"{100 * facts.majority_error:.0f} % of the gold items"
        )
        return [Finding(WEAK, why, "use an estimator that models the votes' errors")]
    return []


def _dawid_skene(facts: Facts) -> list[Finding]:
    return _votes(facts) + _chosen_for_models(facts)


def _maven_calibrated(facts: Facts) -> list[Finding]:
    return _scores(facts) + _votes(facts) + _chosen_for_models(facts)


def _maven(facts: Facts) -> list[Finding]:
    why = "its intervals of AUC and delta TPR are too short, whatever the data"
    return [*_maven_calibrated(facts), Finding(WEAK, why, "read logistic-R or MAVEN-C")]


def _rectified(facts: Facts) -> list[Finding]:
    return _scores(facts) + _gold_alone(facts)


def _auto_eval(facts: Facts) -> list[Finding]:
    return _scores(facts) + _gold(facts) + _random(facts)


def _gold_alone(facts: Facts) -> list[Finding]:
    return _gold(facts) + _random(facts)


def _clara(facts: Facts) -> list[Finding]:
    if facts.annotators is None:
        return [Finding(NOT_USABLE, "nothing says who gave which label", GIVE_ANNOTATORS)]
    again = "have items labelled by several annotators"
    if facts.annotators < 2 or not facts.several:
        return [Finding(NOT_USABLE, "no item has labels of two annotators", again)]
    found = _size(facts)
    if facts.annotators < 3 or facts.most_votes < 3:
        why = "fewer than three labels an item: who is right follows the prior"
        found.append(Finding(WEAK, why, "have items labelled by three or more annotators"))
    if facts.alpha_upper <= 0:
        found.append(Finding(NOT_USABLE, "labels agree no more than at random", again))
    if facts.median_labels < FEW_LABELS:
        why = f"half of the annotators have fewer than {FEW_LABELS} labels"
        found.append(Finding(WEAK, why, "have each annotator label more items"))
    if 2 * facts.adversarial >= facts.annotators:
        why = f"{facts.adversarial} of {facts.annotators} annotators label against the others"
        found.append(Finding(WEAK, why, "check that their labels are not swapped"))
    rare = min(facts.positive_votes, 1 - facts.positive_votes)
    if rare < RARE:
        why = f"{100 * rare:.1f} % of the labels are of one class: labels may come out swapped"
        found.append(Finding(WEAK, why, "use CLARA-ordered"))
    return found


def _rogan_gladen(facts: Facts) -> list[Finding]:
    found = _gold_of_both_classes(facts) + _random(facts)
    if not facts.gold or not facts.fewer:
        return found
    quality = facts.tpr + facts.tnr - 1
    if quality <= 0:
        why = f"TPR + TNR of the majority is {facts.tpr + facts.tnr:.2f}, not above 1"
        found.append(Finding(NOT_USABLE, why, "check that labels are not swapped"))
    elif quality < SWAPPED:
        why = f"TPR + TNR of the majority is {facts.tpr + facts.tnr:.2f}, hardly above 1"
        found.append(Finding(WEAK, why, "have better or more votes"))
    return found


CHECKS: dict[str, tuple[str, Check]] = {
    "logistic-R": ("the answer: votes and scores, corrected by the gold labels", _gold_alone),
    "votes-R": ("vote shares corrected by the gold labels; needs no scores", _gold_alone),
    "GT": ("gold labels alone: right whatever the votes are", _gold_alone),
    "GT+MV": ("gold, and the majority of the votes elsewhere", _ground_truth_and_majority),
    "DS": ("a model of the votes, for rates and the votes' errors", _dawid_skene),
    "MAVEN": ("a model of votes and scores, as published", _maven),
    "MAVEN-C": ("a model of votes and scores, with intervals that suit it", _maven_calibrated),
    "MAVEN-R": ("corrected by the gold labels: right whatever the votes are", _rectified),
    "AutoEval": ("scores corrected by gold, for prevalence and accuracy", _auto_eval),
    "CLARA": ("prevalence and each annotator's errors; needs no gold", _clara),
    "Rogan-Gladen": ("the share of positive majorities, corrected", _rogan_gladen),
}
"""Estimator -> what it is good for, and what speaks against it."""


def verdicts_of(
    facts: Facts, of_scores: Facts, arena: Mapping[str, str] = NOTHING
) -> tuple[Verdict, ...]:
    """The verdict on each estimator, in the order of `CHECKS`.

    Args:
        facts: of the study.
        of_scores: of its items with a score, for the estimators that need one.
        arena: method -> what it did in the nearest world of the arena.
    """
    found = []
    for method, (use, check) in CHECKS.items():
        findings = check(of_scores if SCORES in METHODS[method].needs else facts)
        worst = max((VERDICTS.index(one.verdict) for one in findings), default=0)
        # What only weakens is of no interest where something forbids.
        told = [one for one in findings if VERDICTS.index(one.verdict) == worst]
        why = "; ".join(dict.fromkeys(one.why for one in told)) or use
        mend = "; ".join(dict.fromkeys(one.mend for one in told))
        # What cannot be used here has nothing to say of how it did elsewhere.
        elsewhere = "" if VERDICTS[worst] == NOT_USABLE else arena.get(method, "")
        found.append(Verdict(method, VERDICTS[worst], why, mend, elsewhere))
    return tuple(found)
