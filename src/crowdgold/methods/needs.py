"""What methods need of a user's data, and what speaks against them where they have it.

A need is what a method cannot do without: it says what is lacking. A doubt, for `crowdgold check`,
is here where several methods share it; one that concerns a single method stands in its file.
"""

import importlib.util
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from crowdgold.inference.estimate import FEWEST
from crowdgold.inference.expert_errors import why_unknown
from crowdgold.types.items import FEWEST_GOLD, Items, Table
from crowdgold.types.notes import FATAL, WEIGHTS, Note

FEWEST_JUDGES, MOST_JUDGES = 3, 15
"""Annotators who are few enough that each, and each two, are looked at alone."""


@dataclass(frozen=True, kw_only=True)
class Has:
    """What a table has of what methods need; gold labels by class."""

    of_items: bool = True  # whether it is one of Items, whose gold labels and scores are columns
    gold_positive: int = 0
    gold_negative: int = 0
    scores: int = 0  # number of models
    most_votes: int = 0  # the most votes, or labels, of an item; 0 where there are no votes
    annotators: int | None = None  # number of annotators; None where they are not known
    agents: int = 0  # number of agents whose responses the items are
    oracle: bool = False  # whether P(Y | V) is known
    errors_unknown: str = "each gold item has one expert's label"

    @property
    def gold(self) -> int:
        """Gold labels."""
        return self.gold_positive + self.gold_negative

    @property
    def fewer(self) -> int:
        """Gold labels of the class that has fewer."""
        return min(self.gold_positive, self.gold_negative)

    @classmethod
    def of(cls, table: Table) -> "Has":
        """What a table has."""
        if isinstance(table, Items):
            return cls(
                gold_positive=int((table.gold == 1).sum()),
                gold_negative=int((table.gold == 0).sum()),
                scores=len(table.predictors),
                most_votes=int(table.votes_total.max()) if len(table) else 0,
                annotators=None if table.labels is None else len(table.labels.annotator),
                oracle=table.oracle is not None,
                errors_unknown=why_unknown(table),
            )
        most = int(table.labels_of_item.max()) if len(table.item) else 0
        annotators, agents = len(table.annotator), len(table.agent)
        return cls(of_items=False, most_votes=most, annotators=annotators, agents=agents)


@dataclass(frozen=True)
class Need:
    """Something that a method needs."""

    name: str  # what it is
    lacks: Callable[[Has], Note | None]  # what a table has -> what is not enough; None for nothing
    to_fit: bool = True  # else there is a fit, which may estimate nothing
    of_labels: bool = False  # whether it concerns tables of Annotations too, or alone
    of_items: bool = True  # whether it concerns tables of Items
    rarely_met: bool = False  # `crowdgold evaluate` does not say it of each method that lacks it

    def concerns(self, has: Has) -> bool:
        """Whether it concerns such a table."""
        return self.of_items if has.of_items else self.of_labels


def _gold(has: Has) -> Note | None:
    if has.gold >= FEWEST_GOLD:
        return None
    return Note("one_gold_label", {"gold": has.gold}) if has.gold else Note("no_gold_labels")


def _both_classes(has: Has) -> Note | None:
    if has.fewer:
        return None
    return Note("one_class", {"gold": has.gold}) if has.gold else Note("no_classes")


def _votes(has: Has) -> Note | None:
    return None if has.most_votes else Note("no_votes")


def _who(has: Has) -> Note | None:
    return _votes(has) or (Note("no_annotators") if has.annotators is None else None)


def _several(has: Has) -> Note | None:
    several = has.most_votes > 1 and (has.annotators is None or has.annotators > 1)
    return _votes(has) or (None if several else Note("no_several"))


def _few(has: Has) -> Note | None:
    if (lack := _votes(has)) or (
        has.annotators is not None and FEWEST_JUDGES <= has.annotators <= MOST_JUDGES
    ):
        return lack
    few = {"fewest": FEWEST_JUDGES, "most": MOST_JUDGES}
    if has.annotators is None:
        return Note("no_few_annotators", few)
    return Note("not_few_annotators", {**few, "annotators": has.annotators})


def _errors(has: Has) -> Note | None:
    # Without a gold label that is what is lacking, and every method that has this need says so.
    if not has.gold or not has.errors_unknown:
        return None
    return Note("errors_unknown", {"why": has.errors_unknown})


GOLD = Need("gold labels", _gold)
BOTH_CLASSES = Need("gold labels of both classes", _both_classes, to_fit=False)
SCORES = Need("scores", lambda has: None if has.scores else Note("no_scores"))
VOTES = Need("votes", _votes)
ANNOTATORS = Need("annotators", _who)
FEW_ANNOTATORS = Need("few annotators", _few, rarely_met=True)
SEVERAL = Need("several votes", _several)
SEVERAL_LABELS = Need("several labels", _several, of_labels=True, of_items=False)
AGENTS = Need(
    "agents", lambda has: None if has.agents else Note("no_agents"), of_labels=True, of_items=False
)
ORACLE = Need("P(Y | V)", lambda has: None if has.oracle else Note("no_oracle"))
EXPERTS_ERRORS = Need("experts' errors", _errors, rarely_met=True)
NEEDS = (VOTES, GOLD, BOTH_CLASSES, SCORES, ANNOTATORS, FEW_ANNOTATORS, SEVERAL, SEVERAL_LABELS,
         AGENTS, ORACLE, EXPERTS_ERRORS)  # fmt: skip
"""In the order in which a lack is told."""
OF_VOTES = (VOTES, ANNOTATORS, FEW_ANNOTATORS, SEVERAL)
"""That tables of Items without votes lack."""


def lacking(needs: Collection[Need], has: Has) -> Iterator[tuple[Need, Note]]:
    """The needs that a table does not meet, and what it lacks."""
    for one in NEEDS:
        if one in needs and one.concerns(has) and (lack := one.lacks(has)):
            yield one, lack


def lacks_package(package: str) -> Note | None:
    """That an optional package cannot be had; None where it can, or none is needed."""
    if not package or importlib.util.find_spec(package):
        return None
    return Note("no_package", {"package": package})


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
