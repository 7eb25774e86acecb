"""Worlds: the generators and datasets that methods are judged in, each on its own.

A world is an experiment, or a setting of one that varies something that makes it another world,
such as the shape of the scores.
"""

from collections.abc import Mapping, Sequence

import pandas as pd


def split_worlds(
    summary: pd.DataFrame, by: Sequence[str], labels: Mapping[str, str]
) -> list[tuple[str, pd.DataFrame]]:
    """The rows of each world with the words that stand for it, in order of appearance.

    Args:
        summary: of the replicates of one or several experiments.
        by: settings whose values are worlds of their own; an experiment may lack them.
        labels: experiment -> the words that stand for it; its name where it has none.
    """
    worlds = []
    for _, rows in summary.groupby(["experiment", *by], sort=False, dropna=False):
        experiment, *values = rows[["experiment", *by]].iloc[0].dropna().astype(str)
        parts = [labels.get(experiment, experiment), *(value.replace("_", " ") for value in values)]
        worlds.append((", ".join(parts), rows))
    return worlds
