"""What speaks against a method on a user's data, for `crowdgold check`; shared by several methods.

What a method cannot do without is among its needs (`needs`); a doubt that concerns a single method
stands in that method's file.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from crowdgold.inference.estimate import FEWEST
from crowdgold.methods.needs import Has
from crowdgold.types.notes import FATAL, WEIGHTS, Note

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


def gravest(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Those that weigh most of what speaks against a method, each once."""
    found = list(notes)
    least = min((WEIGHTS.index(one.weight) for one in found), default=0)
    most = [one for one in found if WEIGHTS.index(one.weight) == least]
    return tuple({one.text: one for one in most}.values())


def verdict_of(against: Sequence[Note]) -> str:
    """One of `VERDICTS`, by what speaks against a method."""
    if not against:
        return USABLE
    return NOT_USABLE if any(one.weight == FATAL for one in against) else WEAK


Doubt = Callable[[Facts], list[Note]]
"""What speaks against a method; a note that is fatal says that it is not usable."""


def few_gold(facts: Facts) -> list[Note]:
    """Doubt intervals that rest on few gold labels."""
    if facts.fewer < FEWEST:
        return [Note("few_of_rarer", {"gold": facts.fewer, "fewest": FEWEST})]
    if facts.gold < MEASURED_GOLD:
        return [Note("fewer_than_measured", {"gold": facts.gold, "measured": MEASURED_GOLD})]
    return []


def chosen_gold(facts: Facts) -> list[Note]:
    """Doubt that gold is a random sample, for a method that is wrong where it is not."""
    surely = [replace(one, weight=FATAL) for one in chosen_for_models(facts)]
    return surely if facts.gold_p < SURELY_CHOSEN else chosen_for_models(facts)


def chosen_for_models(facts: Facts) -> list[Note]:
    """Doubt the same for a model of votes and scores, which can take some of it."""
    if not facts.gold_p < CHOSEN:
        return []
    return [Note("gold_chosen", {"misfit": facts.misfit, "p": facts.gold_p})]


def gold_for_true(facts: Facts) -> list[Note]:
    """Doubt what takes gold labels for true, where experts are known to err."""
    err = facts.experts_err >= LEAST_ERROR
    return [Note("gold_taken_for_true", {"errors": 100 * facts.experts_err})] if err else []


def few_items(facts: Facts) -> list[Note]:
    """Doubt a model of few items."""
    few = facts.items < ENOUGH_ITEMS
    return [Note("few_items", {"items": facts.items, "enough": ENOUGH_ITEMS})] if few else []


def unknown_errors(facts: Facts) -> list[Note]:
    """Doubt a model of votes whose errors gold may or may not show."""
    found = few_items(facts)
    if not facts.gold:
        if facts.most_votes < 3:
            return [Note("fewer_than_three_votes")]
        found.append(Note("votes_trusted"))
    elif facts.most_votes < 2:
        found.append(Note("one_vote"))
    if facts.alpha_upper <= 0:
        found.append(Note("votes_at_random"))
    return found


def shared_errors(facts: Facts) -> list[Note]:
    """Doubt a model in which the votes of an item err independently, where gold shows otherwise."""
    together = facts.errors_shared > 0
    return [Note("errors_together", {"correlation": facts.errors_shared})] if together else []


OF_GOLD = (few_gold, chosen_gold)  # Of what gold labels correct
OF_MODELS = (unknown_errors, chosen_for_models)  # Of a model of votes, with scores or without
OF_INDEPENDENT = (*OF_MODELS, shared_errors)
"""Of a model in which the votes of an item err independently."""
