"""Which command says what to label next: whether `crowdgold plan --more` or `sample` can answer."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from crowdgold.checking.gold_sample import GoldSample
from crowdgold.simulate.design import LEAST
from crowdgold.types.columns import counted
from crowdgold.types.items import NO_GOLD, Items

if TYPE_CHECKING:
    from crowdgold.checking.study import OpenStratum

ENOUGH = 20  # gold labels from which on the prediction of the others rests on them
FEWEST_LEFT = 25  # items without a gold label that more labels are planned for
BATCH_SIZE = 100  # labels of a batch that is advised


def unlabelled(items: Items) -> np.ndarray:
    """Positions of the items that no expert has judged; of tied opinions there is no gold label."""
    left = items.gold == NO_GOLD
    if items.opinions is not None:
        left &= items.opinions.number == 0
    return np.flatnonzero(left)


def sample_command(left: int, files: str = "FILES") -> str:
    """The command that says which of so many items to label."""
    return f"crowdgold sample {files} --n {min(BATCH_SIZE, left)} --out to_label.csv"


@dataclass(frozen=True)
class NextLabels:
    """What can be said of the gold labels to come."""

    left: int  # items that no expert has judged
    no_plan: str  # why `crowdgold plan --more` cannot answer, and what to do; empty where it can
    no_batch: str  # the same of `crowdgold sample`


def next_labels(
    items: Items, sample: GoldSample | None = None, open_strata: Sequence["OpenStratum"] = (),
    passed_over: int = 0,
) -> NextLabels:  # fmt: skip
    """What can be said of the labels to come, by what is known of gold as a `sample`, of strata
    that leave a prevalence open, and of labels `passed_over` since their batch is but begun.
    """
    left, no_batch, no_plan = len(unlabelled(items)), "", ""
    gold = items.gold != NO_GOLD
    if sample is not None and sample.surely_chosen:
        no_batch = sample.doubt.text
    elif items.draw is not None:
        no_batch = items.draw.no_batch
    positive, negative = (int((items.gold == label).sum()) for label in (1, 0))
    rest = f"found {counted(left, 'item')} without a gold label, expected"
    if no_batch:
        no_plan = no_batch
    elif gold.sum() < ENOUGH or not positive * negative:
        do = f"`{sample_command(left)}` says which items an expert should label"
        no_plan = (
            f"found {counted(int(gold.sum()), 'gold label')}, {positive:,} positive and "
            f"{negative:,} negative, expected {ENOUGH} or more, of both classes: "
            f"{do if left >= LEAST else 'add items'}"
        )
    elif items.cluster is not None and len(np.unique(items.cluster[gold])) < 2:
        no_plan = "all gold labels are of one cluster: have an expert label items of others too"
    elif left < FEWEST_LEFT:
        no_plan = f"{rest} {FEWEST_LEFT} or more: have an expert label them all, or add items"
    elif open_strata:
        no_plan = open_strata[0].note.text
    if not no_batch and left < LEAST:
        no_batch = f"{rest} {LEAST} or more: add items"
    elif not no_batch and passed_over:
        no_batch = "a batch is but begun: have an expert label its next items, from the top"
    return NextLabels(left, no_plan, no_batch)
