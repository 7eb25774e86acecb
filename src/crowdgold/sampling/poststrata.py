"""Strata for gold that was chosen without known chances: groups of all items by votes and scores.

Items are sorted by the prediction from votes and scores (`strata.predicted`) and cut between gold
items, so that each stratum has about as many of these. Weights by such strata are right only where,
within each, the items with gold are like the others. No data can show that: where gold was chosen
by votes and scores alone, it is nearly so; where hard or striking items were chosen, it is not.
"""

import numpy as np
import pandas as pd

from crowdgold.data import NO_GOLD, InputError, Items
from crowdgold.data.gold_draw import STRATUM
from crowdgold.sampling.strata import LABELS_EACH, STRATA, predicted
from crowdgold.simulate.gold_sample import LEAST

COLUMNS = ("item", STRATUM)


def poststrata(items: Items) -> np.ndarray:
    """The number of each item's stratum, (n,), from 0 without gaps, from the least likely up.

    Raises:
        InputError: where gold is too little for two strata, or was drawn with known chances.
    """
    known = items.gold != NO_GOLD
    if items.draw is not None:
        raise InputError(
            "--poststratify: the table says how gold items were drawn; expected gold without "
            "columns that say so"
        )
    if known.sum() < 2 * LABELS_EACH:
        raise InputError(
            f"--poststratify: found {known.sum()} items with a gold label, expected "
            f"{2 * LABELS_EACH} or more, {LABELS_EACH} for each of two strata"
        )
    guess = np.mean(predicted(items), axis=0)
    parts = min(STRATA, int(known.sum()) // LABELS_EACH)
    cuts = np.unique(np.quantile(guess[known], np.arange(1, parts) / parts))
    cell = np.asarray(np.searchsorted(cuts, guess, side="right"))
    while True:
        labels = np.bincount(cell[known], minlength=int(cell.max()) + 1)
        short = np.flatnonzero(labels < LEAST).tolist()
        if not short:
            break
        # Joined with the next lower one, the first with the next.
        cell = cell - (cell >= max(short[0], 1))
    number: np.ndarray = np.unique(cell, return_inverse=True)[1]
    return number


def to_frame(items: Items, stratum: np.ndarray) -> pd.DataFrame:
    """The table of all items and their strata, which goes along with the study."""
    return pd.DataFrame(dict(zip(COLUMNS, (items.item, stratum + 1), strict=True)))


def in_words(items: Items, stratum: np.ndarray) -> str:
    """The strata, a line each."""
    known = items.gold != NO_GOLD
    size, gold = np.bincount(stratum), np.bincount(stratum[known])
    lines = [f"{'stratum':>7}{'items':>9}{'gold':>7}"]
    lines += [f"{one + 1:>7}{size[one]:>9,}{gold[one]:>7,}" for one in range(len(size))]
    return "\n".join(lines)
