"""Experts who err, and who is asked for a second opinion, and a third."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from crowdgold.types.annotations import NO_OPINION, Opinions
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD, Items

RARER, RANDOM = PROTOCOLS = ("rarer", "random")
"""Whom a second expert looks at: all items that the first put into the rarer class and
`OTHERS` of the rest; or `DOUBLED` of all. A third looks at the items where the two differ."""
OTHERS, DOUBLED = 0.1, 1 / 3


class Erring(NamedTuple):
    """How experts err."""

    positive: float  # positive, negative: share of items of the class that an expert gets wrong
    negative: float
    shared: float = 0.0  # of the errors, the share on items that every expert gets wrong

    @classmethod
    def of(cls, experts: Mapping[str, Any]) -> "Erring":
        """Those of an experiment, by its key `experts`."""
        named = {"shared": experts["shared"]} if "shared" in experts else {}
        return cls(experts["error"], experts["error"], **named)


EXPERTS: Mapping[str, Erring] = {
    "right": Erring(0, 0), "err_2": Erring(0.02, 0.02), "err_5": Erring(0.05, 0.05),
    "err_10": Erring(0.1, 0.1), "err_10_and_3": Erring(0.1, 0.03),
    "err_5_shared": Erring(0.05, 0.05, 0.5),
}  # fmt: skip
"""Experts by how many in a hundred items they get wrong, of positive and of negative ones."""


def draw_opinions(
    truth: np.ndarray, experts: Erring, protocol: str, rng: np.random.Generator
) -> np.ndarray:
    """The opinions (n, 3) of three experts on items of known truth (n,), `NO_OPINION` for none."""
    error = np.where(truth == 1, experts.positive, experts.negative)
    alone = error * (1 - experts.shared) / (1 - error * experts.shared)
    all_wrong = rng.random(len(truth)) < error * experts.shared
    wrong = (rng.random((len(truth), 3)) < alone[:, None]) | all_wrong[:, None]
    labels = np.where(wrong, 1 - truth[:, None], truth[:, None]).astype(np.int8)
    positive, drawn = labels[:, 0] == 1, rng.random(len(truth))
    if protocol == RARER:
        second = (labels[:, 0] == int(2 * positive.sum() <= len(truth))) | (drawn < OTHERS)
    else:
        second = drawn < DOUBLED
    third = second & (labels[:, 0] != labels[:, 1])
    labels[~second, 1] = NO_OPINION
    labels[~third, 2] = NO_OPINION
    return labels


def with_opinions(
    items: Items, experts: Erring, protocol: str, rng: np.random.Generator, most: int | None = None
) -> Items:
    """Items whose gold is the majority of `most` experts who err, asked by one of `PROTOCOLS`."""
    if items.truth is None:
        raise InputError(
            "experts: found items without true labels; expected a simulator, or a dataset with them"
        )
    rows = np.flatnonzero(items.gold != NO_GOLD)
    own = draw_opinions(items.truth[rows], experts, protocol, rng)[:, :most]
    labels = np.full((len(items), own.shape[1]), NO_OPINION, dtype=np.int8)
    labels[rows] = own
    gold = np.full(len(items), NO_GOLD, dtype=np.int8)
    lead = (own == 1).sum(axis=1) - (own == 0).sum(axis=1)
    gold[rows] = np.where(lead > 0, 1, np.where(lead < 0, 0, NO_GOLD))
    return replace(items, gold=gold, opinions=Opinions.of(labels))
