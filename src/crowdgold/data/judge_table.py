"""Labels laid out with a column for each annotator."""

import numpy as np

from crowdgold.data.annotations import Annotations

MISSING = -1
"""In a table of labels by annotator: no label."""


def labels_by_judge(annotations: Annotations) -> np.ndarray:
    """The label of each judge on each item: (n, m), `MISSING` where there is none; the first."""
    table = np.full((len(annotations.item), len(annotations.annotator)), MISSING)
    backwards = slice(None, None, -1)
    where = annotations.item_of[backwards], annotations.annotator_of[backwards]
    table[where] = annotations.label[backwards]
    return table
