"""What a dataset offers: a table prepared once, and tasks drawn from it.

Votes and truth from a panel of labels: some drawn as votes, the majority of the others as truth.

MAVEN, section 5.2: 3 of 10 annotations, chosen at random, are an item's votes, the majority of the
other 7 is its truth.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.data.kinds import ITEMS, Table

STUDY = ("n", "n_gold", "gold_fraction", "truth_of")
"""Parameters of an experiment that `draw_task` is given too and leaves to the resampling."""

DrawTask = Callable[[pd.DataFrame, Mapping[str, Any], np.random.Generator], Table]


@dataclass(frozen=True)
class Dataset:
    """A public dataset.

    Attributes:
        name: its key.
        title: for the reader of a figure.
        prepare: folder with the files -> the prepared table.
        draw_task: (prepared table, parameters, rng) -> Items with the truth of every item, of which
            replicates are drawn; or Annotations, which are taken as they are.
        parameters: names of the parameters of `draw_task`.
        table: the kind of table that it gives.
        numbered: whether it holds tables of its own by number, of which replicate k is the k-th;
            `draw_task` has the number as the parameter `seed`.
        gold: where an item's true label comes from, apart from its votes; empty where it has none.
        no_gold: why not, or why no study is made of it; empty where it has.
    """

    name: str
    title: str
    prepare: Callable[[Path], pd.DataFrame]
    draw_task: DrawTask
    parameters: tuple[str, ...] = ()
    table: str = ITEMS
    numbered: bool = False
    gold: str = ""
    no_gold: str = ""


def draw_votes(
    positive: np.ndarray, total: np.ndarray, votes_total: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw votes from each item's labels, and take the majority of the rest as truth.

    Args:
        positive: (n,) how many of an item's labels are positive.
        total: (n,) how many labels an item has, above `votes_total`.
        votes_total: how many labels to draw, without replacement.

    Returns:
        Positive votes (n,) and truth (n,).
    """
    votes_positive = rng.hypergeometric(positive, total - positive, votes_total)
    lead = 2 * (positive - votes_positive) - (total - votes_total)
    coin = rng.random(len(positive)) < 0.5
    return votes_positive, np.where(lead == 0, coin, lead > 0).astype(np.int8)
