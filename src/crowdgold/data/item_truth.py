"""True categories of labelled items, from a column `truth` beside their labels."""

from dataclasses import replace

import numpy as np
import pandas as pd

from crowdgold.data.annotations import Annotations
from crowdgold.data.checks import Problems
from crowdgold.data.errors import InputError

TRUTH = "truth"


def with_truth(
    annotations: Annotations, frame: pd.DataFrame, source: str = "the table", first_row: int = 0
) -> Annotations:
    """Annotations with the true category of each item.

    Args:
        annotations: made of this frame.
        frame: columns item and truth; the truth of an item stands in each of its rows.
        source: how messages name the table.
        first_row: the number messages give the first row.

    Raises:
        InputError: where the column is missing, or naming every row whose truth is no category or
            is not that of the item's other rows.
    """
    if TRUTH not in frame:
        have = ", ".join(map(str, frame.columns))
        raise InputError(f"{source}: column {TRUTH!r} is missing; the table has: {have}")
    problems = Problems(source, first_row)
    text = frame[TRUTH].astype("string").str.strip().fillna("")
    position = pd.Index(annotations.category).get_indexer(pd.Index(text))
    expected = f"one of {', '.join(map(str, annotations.category))}"
    problems.add_rows(TRUTH, position < 0, frame[TRUTH], expected)
    item = pd.Index(annotations.item).get_indexer(frame["item"].astype("string").str.strip())
    truth = np.full(len(annotations.item), -1)
    # Backwards, so that the first row of an item decides.
    truth[item[::-1]] = position[::-1]
    other = (position >= 0) & (position != truth[item])
    problems.add_rows(TRUTH, other, frame[TRUTH], "the truth that the item's first row has")
    problems.raise_if_any()
    return replace(annotations, truth=truth)
