"""Replicates of a recommended answer with the coverage and width that a test asks for."""

import numpy as np
import pandas as pd

WORLDS = ("answer_one", "answer_two")
SIZES = (50, 200)
METRICS = ("prevalence", "AUC", "accuracy@1")
REPLICATES = 200


def rows_of(method, covered, width, place, intervals=REPLICATES):
    """The replicates of a cell: the first `covered` of those with an interval hold the truth."""
    number = np.arange(REPLICATES)
    holds = number < covered
    reach = width * (1 + 0.1 * np.sin(number + place))
    centre = 0.5 + np.where(holds, 0.1, 1) * reach
    reach[number >= intervals] = np.nan
    return pd.DataFrame(
        {"replicate": number, "method": method, "truth": 0.5, "estimate": centre,
         "lower": centre - reach / 2, "upper": centre + reach / 2}
    )  # fmt: skip


def made_answers(changes=None, answer="mine", sizes=SIZES, worlds=WORLDS):
    """The long results table of two worlds, where 191 of 200 intervals of every cell hold.

    Args:
        changes: (world, metric, n_gold) -> what differs there: `covered`, `width`, `intervals`.
        answer: name of the method that is judged; GT's intervals are 0.2 wide, its own 0.14.
        sizes: numbers of gold labels.
        worlds: experiments.
    """
    parts = []
    cells = [(w, m, n) for w in worlds for m in METRICS for n in sizes]
    for place, (world, metric, n_gold) in enumerate(cells):
        own = {"covered": 191, "width": 0.14} | (changes or {}).get((world, metric, n_gold), {})
        own_rows = rows_of(answer, place=place, **own)
        both = pd.concat([rows_of("GT", 190, 0.2, place), own_rows])
        parts.append(both.assign(experiment=world, metric=metric, n_gold=n_gold))
    return pd.concat(parts, ignore_index=True)
