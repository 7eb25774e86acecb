"""What methods need of a table, in one list: for fits, for jobs, and for `crowdgold check`."""

import importlib.util
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from crowdgold.types.items import Items, Table

MORE_GOLD = "have an expert label more items, drawn at random"
FIRST_GOLD = "have an expert label items that `crowdgold sample` draws"
"""What is advised where there is no gold label yet."""
HAVE_SEVERAL = "have items labelled by several annotators"
FEWEST_JUDGES, MOST_JUDGES = 3, 15
"""Annotators who are few enough that each, and each two, are looked at alone."""


@dataclass(frozen=True, kw_only=True)
class Has:
    """What a table has of what methods need.

    Attributes:
        of_items: whether it is one of Items, whose gold labels and scores are columns.
        gold_positive, gold_negative: gold labels of each class.
        scores: number of models.
        most_votes: the most votes, or labels, of an item.
        annotators: number of annotators; None where they are not known.
        agents: number of agents whose responses the items are.
        oracle: whether P(Y | V) is known.
        errors_unknown: why it is not known how often experts err; empty where it is.
    """

    of_items: bool = True
    gold_positive: int = 0
    gold_negative: int = 0
    scores: int = 0
    most_votes: int = 0
    annotators: int | None = None
    agents: int = 0
    oracle: bool = False
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
    def of(cls, table: "Table") -> "Has":
        """What a table has."""
        from crowdgold.types.items import Items

        if isinstance(table, Items):
            return _of_items(table)
        most = int(table.labels_of_item.max()) if len(table.item) else 0
        annotators, agents = len(table.annotator), len(table.agent)
        return cls(of_items=False, most_votes=most, annotators=annotators, agents=agents)


def _of_items(items: "Items") -> Has:
    from crowdgold.inference.expert_errors import why_unknown

    return Has(
        gold_positive=int((items.gold == 1).sum()),
        gold_negative=int((items.gold == 0).sum()),
        scores=len(items.predictors),
        most_votes=int(items.votes_total.max()) if len(items) else 0,
        annotators=None if items.labels is None else len(items.labels.annotator),
        oracle=items.oracle is not None,
        errors_unknown=why_unknown(items),
    )


@dataclass(frozen=True)
class Need:
    """Something that a method needs.

    Attributes:
        name: what it is.
        lacks: what a table has -> why that is not enough; empty where it is.
        mend: what would be.
        first: what would be where there is no gold label at all; empty where that is `mend`.
        to_fit: whether there is no fit without it; else there is one, which may estimate nothing.
        of_labels: whether it concerns tables of Annotations too, or alone.
        of_items: whether it concerns tables of Items.
        rarely_met: whether few studies have it, so that `crowdgold evaluate` does not say of each
            other one that it lacks it.
    """

    name: str
    lacks: Callable[[Has], str]
    mend: str
    first: str = ""
    to_fit: bool = True
    of_labels: bool = False
    of_items: bool = True
    rarely_met: bool = False

    def concerns(self, has: Has) -> bool:
        """Whether it concerns such a table."""
        return self.of_items if has.of_items else self.of_labels

    def mend_of(self, has: Has) -> str:
        """What would be enough for such a table."""
        return self.mend if has.gold else self.first or self.mend


def _gold(has: Has) -> str:
    found = f"there are {has.gold}, expected at least 2"
    return "" if has.gold >= 2 else f"it needs gold labels; {found}"


def _both_classes(has: Has) -> str:
    if has.fewer:
        return ""
    found = f"all {has.gold} are of one class" if has.gold else "there are none"
    return f"it needs gold labels of both classes; {found}"


NO_SCORES = "it needs scores of a model; there are none"


def _several(has: Has) -> str:
    if has.most_votes > 1 and (has.annotators is None or has.annotators > 1):
        return ""
    return "it needs items with several votes; each has one"


def _few(has: Has) -> str:
    if has.annotators is not None and FEWEST_JUDGES <= has.annotators <= MOST_JUDGES:
        return ""
    known = "it needs to know who gave each vote"
    if has.annotators is None:
        return known
    found = f"there are {has.annotators}"
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
    "scores",
    lambda has: "" if has.scores else NO_SCORES,
    "add a file with the columns item and score",
)
ANNOTATORS = Need(
    "annotators",
    lambda has: "it needs to know who gave each vote" if has.annotators is None else "",
    "give votes as item, annotator, label",
)
FEW_ANNOTATORS = Need(
    "few annotators",
    _few,
    f"give votes as item, annotator, label, of {FEWEST_JUDGES} to {MOST_JUDGES} annotators",
    rarely_met=True,
)
SEVERAL = Need("several votes", _several, HAVE_SEVERAL)
SEVERAL_LABELS = Need("several labels", _several, HAVE_SEVERAL, of_labels=True, of_items=False)
AGENTS = Need(
    "agents",
    lambda has: (
        "" if has.agents else "it needs to know whose response each item is: a column agent"
    ),
    "add a column agent",
    of_labels=True,
    of_items=False,
)
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
NEEDS = (GOLD, BOTH_CLASSES, SCORES, ANNOTATORS, FEW_ANNOTATORS, SEVERAL, SEVERAL_LABELS, AGENTS,
         ORACLE, EXPERTS_ERRORS)  # fmt: skip
"""In the order in which a lack is told."""


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
