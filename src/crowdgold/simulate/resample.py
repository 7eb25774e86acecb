"""Replicates from a dataset, and Annotations reduced to the votes, gold labels and scores of Items.

The paper draws D' of n items out of the full dataset D, n_e of them with an expert label, and
computes the true value of a metric on the remaining items with expert labels.

Annotations become Items to which methods of votes can be fitted too, and those of annotators still
can: they keep who gave each vote.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from crowdgold.simulate.design import GOLD, draw_labelled, read_n_gold
from crowdgold.simulate.generator import Replicate
from crowdgold.types.annotations import Annotations
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD, Items, labels_of_items, positive_categories
from crowdgold.types.parameters import Parameters

TRUTH_OF = ("left_over", "items")
NAMES = ("positive", *GOLD)


def resample(
    task: Items, n: int, n_gold: int, rng: np.random.Generator, truth_of: str = "left_over"
) -> Replicate[Items]:
    """Draw n items of a task, n_gold of them gold, and as `reference`, which defines the true value
    of a metric, those `left_over`, as in the paper, or the `items` themselves.
    """
    parameters = Parameters(
        "resampling a dataset", {"n": n, "n_gold": n_gold, "truth_of": truth_of}
    )
    parameters.choice("truth_of", TRUTH_OF)
    n = parameters.whole("n", at_least=2)
    n_gold = parameters.whole("n_gold", at_least=0, at_most=n)
    if task.truth is None:
        raise InputError("a dataset can be resampled only where the truth of its items is known")
    if n >= len(task):
        raise InputError(
            f"resampling a dataset: parameter 'n' is {n}, but the task has {len(task)} items; "
            "expected fewer, because the items left over define the true value of a metric"
        )
    order = rng.permutation(len(task))
    drawn, reference = task.take(order[:n]), task.take(order[n:])
    if reference.truth is None or len(np.unique(reference.truth)) < 2:
        raise InputError(
            f"resampling a dataset: the {len(reference)} items left over by n = {n} are all of one "
            "class; expected a smaller n, so that both classes are there"
        )
    items = drawn.with_gold(draw_labelled(n, n_gold, rng))
    return Replicate(items, items if truth_of == "items" else reference)


def as_items(
    drawn: Replicate[Annotations], values: Mapping[str, Any], rng: np.random.Generator
) -> Replicate[Items]:
    """Annotations with true categories as Items, their own reference, without items that have no
    label. `values`: `positive`, the categories that count so (else the last), and `n_gold` or
    `gold_fraction`.
    """
    parameters = Parameters("as_items", values)
    parameters.check_names(NAMES)
    if drawn.table.truth is None:
        raise InputError("as_items: the true categories are not known; expected a simulation")
    table = drawn.table.of_items(np.flatnonzero(drawn.table.labels_of_item > 0))
    n_gold = read_n_gold(parameters, len(table.item))
    is_positive = positive_categories(table, parameters.values.get("positive", ()))
    votes = table.votes()
    labels = labels_of_items(
        table.item, table.item_of, table.annotator[table.annotator_of], is_positive[table.label]
    )
    items = Items(
        item=table.item,
        votes_positive=votes[:, is_positive].sum(axis=1),
        votes_total=votes.sum(axis=1),
        gold=np.full(len(table.item), NO_GOLD, dtype=np.int8),
        scores={name: parts[:, is_positive].sum(axis=1) for name, parts in table.scores.items()},
        tie_break=rng.random(len(table.item)),
        truth=is_positive[table.truth].astype(np.int8),
        labels=labels,
    )
    found = items.with_gold(draw_labelled(len(items), n_gold, rng))
    return Replicate(found, found, drawn.parameters)
