"""The batch that is being labelled: it counts once each of its strata has a label.

Before, its labels say nothing of some strata, and no estimate for all items can be made of them.
The file of a batch begins with an item of each stratum, so that few labels are passed over.
"""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from crowdgold.data.checks import counted, list_names, to_numbers
from crowdgold.data.gold_draw import BATCH, STRATUM


def not_begun(
    columns: Mapping[str, pd.Series], has_gold: np.ndarray
) -> tuple[np.ndarray, list[str]]:
    """Which gold items (n,) are of a last batch with strata without a label, and what is said.

    Args:
        columns: those of `data.gold_draw`, (n,) each; others are passed over.
        has_gold: (n,) whether each item has a gold label.
    """
    none = np.zeros(len(has_gold), dtype=bool)
    if not {BATCH, STRATUM} <= set(columns):
        return none, []
    number = to_numbers(columns[BATCH])
    if not np.isfinite(number[has_gold]).any():
        return none, []
    last = np.nanmax(number[has_gold])
    stratum = columns[STRATUM].astype("string").str.strip()
    own = stratum[number == last]
    empty = own[~own.isin(own[has_gold[number == last]])].dropna().drop_duplicates()
    if not len(empty):
        return none, []
    passed = has_gold & (number == last)
    return passed, [
        f"{counted(int(passed.sum()), 'gold label')} of batch {last:.0f} passed over: "
        f"{empty_in_words(empty)}. The batch counts once an expert has labelled an item of each "
        "stratum; the first rows of its file are one of each"
    ]


def empty_in_words(names: pd.Series) -> str:
    """That strata have no gold label, with their names."""
    strata = "strata" if len(names) > 1 else "stratum"
    shown = sorted(map(str, names), key=lambda name: (len(name), name))
    return f"no gold label in {strata} {list_names(map(repr, shown))}"
