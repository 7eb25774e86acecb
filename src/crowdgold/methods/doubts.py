"""What speaks against a method on a user's data, for `crowdgold check`; shared by several methods.

What a method cannot do without is among its needs (`needs`); a doubt that concerns a single method
stands in that method's file.
"""

from collections.abc import Callable
from dataclasses import dataclass

from crowdgold.inference.estimate import FEWEST
from crowdgold.methods.needs import FIRST_GOLD, MORE_GOLD, Has
from crowdgold.types.columns import counted

USABLE, WEAK, NOT_USABLE = VERDICTS = ("usable", "weak", "not usable")
MEASURED_GOLD = 20
"""The fewest gold labels with which the coverage of intervals was measured (docs/answer.md)."""
CHOSEN = 0.01
"""p-value below which gold is possibly chosen: a warning, which one random sample in 100 has."""
SURELY_CHOSEN = 0.001
"""p-value below which gold is surely chosen, and nothing rests on it: one sample in 1,000."""
ENOUGH_ITEMS = 100  # Items that a model of votes or scores needs to say more than its priors
LEAST_ERROR = 0.005  # Errors of experts that are no longer for rounding
FEW_LABELS = 10  # Fewer labels say too little of an annotator
RANDOM_SAMPLE = (
    "are a simple random sample of the items, or were drawn with the chances that the table gives,"
)
WITH_GOLD = f"as long as the gold items {RANDOM_SAMPLE} and their labels are right."
"""What everything that gold labels correct takes for granted."""
RANDOM_GOLD = "have an expert label items that are drawn at random"
DRAW_ANEW = "have an expert label 50 items that `crowdgold sample` draws"
CHOSEN_MEND = (
    f"Set these labels aside and {DRAW_ANEW}. Or "
    "have `crowdgold sample --poststratify` weigh them by votes and scores: right only if among "
    "items of the same votes and scores the labelled ones are like the others"
)
"""What can be done about gold that was chosen without known chances."""


@dataclass(frozen=True, kw_only=True)
class Facts(Has):
    """What the verdicts rest on, beside what methods need; NaN of what is not known."""

    items: int  # n
    several: float  # share of items with two or more votes
    positive_votes: float  # share of positive votes
    alpha: float  # agreement
    alpha_upper: float  # the upper end of its interval
    gold_p: float  # p-value of gold being a random sample, or fitting its given chances
    gold_share: float  # share of positive gold labels, by what each counts; NaN without gold
    tpr: float  # share of gold positives that the majority gets right; a tie counts half
    tnr: float  # of gold negatives
    median_labels: float  # the middle annotator's labels
    adversarial: int  # annotators who look adversarial
    experts_err: float = float("nan")  # how often, on the class where they err more
    errors_shared: float = float("nan")  # lower end for the correlation of voters' errors
    misfit: str = "gold does not look like a random sample of the items"

    @property
    def majority_error(self) -> float:
        """Share of gold items on which the majority errs, NaN without gold."""
        if not self.gold:
            return float("nan")
        of_class = ((self.tpr, self.gold_share), (self.tnr, 1 - self.gold_share))
        return 1 - sum(rate * share for rate, share in of_class if share)


@dataclass(frozen=True)
class Finding:
    """One thing that speaks against a method, how much, and how to mend it."""

    verdict: str
    why: str
    mend: str


Doubt = Callable[[Facts], list[Finding]]


def few_gold(facts: Facts) -> list[Finding]:
    """Doubt intervals that rest on few gold labels."""
    if facts.fewer < FEWEST:
        why = f"of a class; below {FEWEST} some metrics get no interval"
        return [Finding(WEAK, f"{counted(facts.fewer, 'gold label')} {why}", MORE_GOLD)]
    if facts.gold < MEASURED_GOLD:
        why = f"how often intervals are right was measured with {MEASURED_GOLD} or more"
        return [Finding(WEAK, f"{counted(facts.gold, 'gold label')}; {why}", MORE_GOLD)]
    return []


def chosen_gold(facts: Facts) -> list[Finding]:
    """Doubt that gold is a random sample, for a method that is wrong where it is not."""
    if not facts.gold_p < CHOSEN:
        return []
    verdict = NOT_USABLE if facts.gold_p < SURELY_CHOSEN else WEAK
    return [Finding(verdict, f"{facts.misfit} (p = {facts.gold_p:.2g})", RANDOM_GOLD)]


def chosen_for_models(facts: Facts) -> list[Finding]:
    """Doubt the same for a model of votes and scores, which can take some of it."""
    return [Finding(WEAK, one.why, one.mend) for one in chosen_gold(facts)]


def gold_for_true(facts: Facts) -> list[Finding]:
    """Doubt what takes gold labels for true, where experts are known to err."""
    if not facts.experts_err >= LEAST_ERROR:
        return []
    why = f"takes gold labels for true; experts err on {100 * facts.experts_err:.2g} % of a class"
    return [Finding(WEAK, why, "take a method that corrects experts' errors")]


def few_items(facts: Facts) -> list[Finding]:
    """Doubt a model of few items."""
    if facts.items >= ENOUGH_ITEMS:
        return []
    why = f"{counted(facts.items, 'item')}; below {ENOUGH_ITEMS} the priors say too much"
    return [Finding(WEAK, why, "add items")]


def unknown_errors(facts: Facts) -> list[Finding]:
    """Doubt a model of votes whose errors gold may or may not show."""
    found = few_items(facts)
    if not facts.gold:
        if facts.most_votes < 3:
            why = "without gold the votes' errors are known only where items have three votes"
            return [Finding(NOT_USABLE, why, f"add votes, or {FIRST_GOLD}")]
        found.append(
            Finding(WEAK, "without gold it takes votes to be right more often than not", FIRST_GOLD)
        )
    elif facts.most_votes < 2:
        why = "one vote an item: how votes of an item agree follows the prior"
        found.append(Finding(WEAK, why, "have some items labelled by several annotators"))
    if facts.alpha_upper <= 0:
        why = "votes agree no more than at random"
        found.append(Finding(WEAK, why, "look at the annotators and at their instructions"))
    return found


def shared_errors(facts: Facts) -> list[Finding]:
    """Doubt a model in which the votes of an item err independently, where gold shows otherwise."""
    if not facts.errors_shared > 0:
        return []
    why = (
        f"judges err together here (correlation of their errors {facts.errors_shared:.2f} or "
        "more), and it takes them to err independently"
    )
    return [Finding(WEAK, why, "take a method that gold labels correct")]


OF_GOLD = (few_gold, chosen_gold)  # Of what gold labels correct
OF_MODELS = (unknown_errors, chosen_for_models)  # Of a model of votes, with scores or without
OF_INDEPENDENT = (*OF_MODELS, shared_errors)
"""Of a model in which the votes of an item err independently."""
