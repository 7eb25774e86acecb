"""What methods need of a table, in one list: for fits, for jobs, and for `crowdgold check`."""

import importlib.util
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass

from crowdgold.inference.expert_errors import why_unknown
from crowdgold.types.items import Items, Table
from crowdgold.types.notes import Note

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
    if has.gold >= 2:
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
