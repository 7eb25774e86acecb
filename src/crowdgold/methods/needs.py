"""What methods need of a table of Items, and why one cannot be fitted to a table that lacks it."""

import importlib.util
from collections.abc import Callable, Collection

import numpy as np

from crowdgold.data import NO_GOLD, Items

GOLD, BOTH_CLASSES, SCORES, ANNOTATORS, SEVERAL, ORACLE = (
    "gold labels",
    "gold labels of both classes",
    "scores",
    "annotators",
    "several votes",
    "P(Y | V)",
)


def _gold(items: Items) -> str:
    found = int((items.gold != NO_GOLD).sum())
    return "" if found >= 2 else f"it needs gold labels; there are {found}, expected at least 2"


def _both_classes(items: Items) -> str:
    known = items.gold[items.gold != NO_GOLD]
    if len(np.unique(known)) == 2:
        return ""
    found = f"all {len(known)} are of one class" if len(known) else "there are none"
    return f"it needs gold labels of both classes; {found}"


NO_SCORES = "it needs scores of a model; there are none"


def _scores(items: Items) -> str:
    return "" if items.predictors else NO_SCORES


def _annotators(items: Items) -> str:
    return "" if items.labels is not None else "it needs to know who gave each vote"


def _several(items: Items) -> str:
    several = len(items) > 0 and int(items.votes_total.max()) > 1
    return "" if several else "it needs items with several votes; each has one"


def _oracle(items: Items) -> str:
    known = items.oracle is not None
    return "" if known else "it needs P(Y | V), which only some simulators tell"


NEEDS: dict[str, Callable[[Items], str]] = {
    GOLD: _gold,
    BOTH_CLASSES: _both_classes,
    SCORES: _scores,
    ANNOTATORS: _annotators,
    SEVERAL: _several,
    ORACLE: _oracle,
}
"""What a method can need -> why a table is not enough; empty where it is."""


def what_lacks(needs: Collection[str], package: str, items: Items) -> str:
    """Say why a method cannot be fitted to a table; empty where it can.

    Args:
        needs: of the method, keys of `NEEDS`.
        package: an optional package that it needs; empty where it needs none.
        items: the table.
    """
    if package and importlib.util.find_spec(package) is None:
        return f"it needs the package {package}, which is not installed"
    found = (NEEDS[one](items) for one in NEEDS if one in needs)
    return next(filter(None, found), "")
