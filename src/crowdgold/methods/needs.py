"""What methods need of a table, in one list: for fits, for jobs, and for `crowdgold check`."""

import importlib.util
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from crowdgold.inference.expert_errors import why_unknown
from crowdgold.types.columns import is_or_are
from crowdgold.types.items import Items, Table

MORE_GOLD = "have an expert label more items, drawn at random"
FIRST_GOLD = "have an expert label items that `crowdgold sample` draws"
"""What is advised where there is no gold label yet."""
HAVE_SEVERAL = "have items labelled by several annotators"
FEWEST_JUDGES, MOST_JUDGES = 3, 15
"""Annotators who are few enough that each, and each two, are looked at alone."""
NO_SCORES = "it needs scores of a model; there are none"
NO_VOTES = "it needs votes; there are none"


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
    lacks: Callable[[Has], str]  # what a table has -> why that is not enough; empty where it is
    mend: str  # what would be
    first: str = ""  # what would be where there is no gold label at all; empty where that is `mend`
    to_fit: bool = True  # else there is a fit, which may estimate nothing
    of_labels: bool = False  # whether it concerns tables of Annotations too, or alone
    of_items: bool = True  # whether it concerns tables of Items
    rarely_met: bool = False  # `crowdgold evaluate` does not say it of each method that lacks it

    def concerns(self, has: Has) -> bool:
        """Whether it concerns such a table."""
        return self.of_items if has.of_items else self.of_labels

    def mend_of(self, has: Has) -> str:
        """What would be enough for such a table."""
        return self.mend if has.gold else self.first or self.mend


def _gold(has: Has) -> str:
    found = f"there {is_or_are(has.gold)} {has.gold}, expected at least 2"
    return "" if has.gold >= 2 else f"it needs gold labels; {found}"


def _both_classes(has: Has) -> str:
    if has.fewer:
        return ""
    found = f"all {has.gold} are of one class" if has.gold else "there are none"
    return f"it needs gold labels of both classes; {found}"


def _votes(has: Has) -> str:
    return "" if has.most_votes else NO_VOTES


def _who(has: Has) -> str:
    return _votes(has) or ("it needs to know who gave each vote" if has.annotators is None else "")


def _several(has: Has) -> str:
    if why := _votes(has):
        return why
    if has.most_votes > 1 and (has.annotators is None or has.annotators > 1):
        return ""
    return "it needs items with several votes; each has one"


def _few(has: Has) -> str:
    if why := _votes(has):
        return why
    if has.annotators is not None and FEWEST_JUDGES <= has.annotators <= MOST_JUDGES:
        return ""
    known = "it needs to know who gave each vote"
    if has.annotators is None:
        return known
    found = f"there {is_or_are(has.annotators)} {has.annotators}"
    return f"{known}, and {FEWEST_JUDGES} to {MOST_JUDGES} annotators in all; {found}"


def _errors(has: Has) -> str:
    # Without a gold label that is what is lacking, and every method that has this need says so.
    if not has.gold or not has.errors_unknown:
        return ""
    return f"it needs to know how often experts err; {has.errors_unknown}"


GOLD = Need("gold labels", _gold, MORE_GOLD, FIRST_GOLD)
BOTH_CLASSES = Need(
    "gold labels of both classes", _both_classes, MORE_GOLD, FIRST_GOLD, to_fit=False
)
SCORES = Need(
    "scores", lambda has: "" if has.scores else NO_SCORES,
    "add a file with the columns item and score",
)  # fmt: skip
VOTES = Need("votes", _votes, "give votes as item, annotator, label")
ANNOTATORS = Need("annotators", _who, VOTES.mend)
FEW_ANNOTATORS = Need(
    "few annotators", _few,
    f"give votes as item, annotator, label, of {FEWEST_JUDGES} to {MOST_JUDGES} annotators",
    rarely_met=True,
)  # fmt: skip
SEVERAL = Need("several votes", _several, HAVE_SEVERAL)
SEVERAL_LABELS = Need("several labels", _several, HAVE_SEVERAL, of_labels=True, of_items=False)
AGENTS = Need(
    "agents",
    lambda has: (
        "" if has.agents else "it needs to know whose response each item is: a column agent"
    ),
    "add a column agent", of_labels=True, of_items=False,
)  # fmt: skip
ORACLE = Need(
    "P(Y | V)",
    lambda has: "" if has.oracle else "it needs P(Y | V), which only some simulators tell: oracle",
    "simulate the data",
)
EXPERTS_ERRORS = Need(
    "experts' errors",
    _errors,
    "have a second expert label some gold items, and a third where the two differ "
    "(`crowdgold sample --second`), or say how often experts err: --expert-error 0.05",
    rarely_met=True,
)
NEEDS = (VOTES, GOLD, BOTH_CLASSES, SCORES, ANNOTATORS, FEW_ANNOTATORS, SEVERAL, SEVERAL_LABELS,
         AGENTS, ORACLE, EXPERTS_ERRORS)  # fmt: skip
"""In the order in which a lack is told."""
OF_VOTES = (VOTES, ANNOTATORS, FEW_ANNOTATORS, SEVERAL)
"""That tables of Items without votes lack."""


def lacking(needs: Collection[Need], has: Has) -> Iterator[tuple[Need, str]]:
    """The needs that a table does not meet, and why."""
    for one in NEEDS:
        if one in needs and one.concerns(has) and (why := one.lacks(has)):
            yield one, why


def lacks_package(package: str) -> str:
    """Why an optional package cannot be had; empty where it can, or none is needed."""
    if not package or importlib.util.find_spec(package):
        return ""
    return f"it needs the package {package}, which is not installed"
