"""Experts who err, and who is asked for a second opinion, and a third."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD, Items
from crowdgold.types.opinions import NO_OPINION, Opinions


class Erring(NamedTuple):
    """How experts err.

    Attributes:
        positive, negative: share of positive and of negative items that an expert gets wrong.
        shared: of the errors, the share on items that every expert gets wrong.
    """

    positive: float
    negative: float
    shared: float = 0.0

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
RARER, RANDOM = PROTOCOLS = ("rarer", "random")
"""Whom a second expert looks at: all items that the first put into the rarer class and
`OTHERS` of the rest; or `DOUBLED` of all. A third looks at the items where the two differ."""
OTHERS, DOUBLED = 0.1, 1 / 3


def wanted_second(first: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Whether each item (n,) needs a second opinion, by its first: 0 or 1."""
    rarer = int(2 * (first == 1).sum() <= len(first))
    found: np.ndarray = (first == rarer) | (rng.random(len(first)) < OTHERS)
    return found


def draw_opinions(
    truth: np.ndarray, experts: Erring, protocol: str, rng: np.random.Generator
) -> np.ndarray:
    """The opinions (n, 3) of three experts on items of known truth (n,), `NO_OPINION` for none."""
    error = np.where(truth == 1, experts.positive, experts.negative)
    alone = error * (1 - experts.shared) / (1 - error * experts.shared)
    all_wrong = rng.random(len(truth)) < error * experts.shared
    wrong = (rng.random((len(truth), 3)) < alone[:, None]) | all_wrong[:, None]
    labels = np.where(wrong, 1 - truth[:, None], truth[:, None]).astype(np.int8)
    second = (
        wanted_second(labels[:, 0], rng) if protocol == RARER else rng.random(len(truth)) < DOUBLED
    )
    third = second & (labels[:, 0] != labels[:, 1])
    labels[~second, 1] = NO_OPINION
    labels[~third, 2] = NO_OPINION
    return labels


def with_opinions(
    items: Items, experts: Erring, protocol: str, rng: np.random.Generator, most: int | None = None
) -> Items:
    """Items whose gold labels are the majority of experts who err, and no longer the truth.

    Args:
        items: with the true labels of all of them.
        experts: how they err.
        protocol: one of `PROTOCOLS`.
        rng: draws what the experts say.
        most: opinions of an item; all that were drawn where not given.

    Raises:
        InputError: the items have no true labels.
    """
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
