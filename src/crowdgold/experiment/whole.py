"""A whole experiment in one process: its data, its methods or its check, and its summary."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from crowdgold.experiment.checks import check_block
from crowdgold.experiment.drawing import simulate_block
from crowdgold.experiment.estimating import estimate_block
from crowdgold.experiment.summaries import summarise
from crowdgold.models.stan import StanModels


def run_experiment(
    task: Mapping[str, Any],
    axes: Sequence[str],
    stan: StanModels,
    metadata: Mapping[str, Any],
    dataset: pd.DataFrame | None = None,
    threads: int = 1,
) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """Run an experiment.

    Args:
        task: all that it depends on, from `plan.experiment_task`.
        axes: what varies in it.
        metadata: provenance, with `code_version`.
        dataset: the prepared dataset, where the task or its check needs one.

    Returns:
        the results table, its summary, and the table of times; a check's table is both of the
        first.
    """
    if "check" in task:
        table, times = check_block(task, stan, dataset)
        return table, table, times
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "data.parquet")
        simulate_block(task, data, metadata, dataset)
        table, times = estimate_block(task, data, stan, metadata["code_version"], threads)
    return table, summarise(table, axes, task["level"]), times
