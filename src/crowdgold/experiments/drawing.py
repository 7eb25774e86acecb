"""The work of a simulate job: a block of replicates drawn from a simulator or a dataset."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.data import Annotations
from crowdgold.experiments.data_tables import Drawn, write_replicates
from crowdgold.experiments.tasks import named, replicates, task_rng
from crowdgold.simulate import Replicate, as_items, resample, simulate


def _draw(
    task: Mapping[str, Any],
    parameters: Mapping[str, Any],
    rng: np.random.Generator,
    dataset: pd.DataFrame | None,
    replicate: int,
) -> Replicate[Any]:
    """Draw one replicate from the task's simulator or dataset; Annotations are all of a dataset."""
    if dataset is None:
        drawn = simulate(task["simulator"], parameters, rng)
        return as_items(drawn, task["as_items"], rng) if "as_items" in task else drawn
    from crowdgold.data.datasets import DATASETS

    source = DATASETS[task["dataset"]]
    own = {**parameters, "seed": replicate} if source.numbered else parameters
    full = source.draw_task(dataset, own, rng)
    if isinstance(full, Annotations):
        return Replicate(full, full)
    truth_of = parameters.get("truth_of", "left_over")
    return resample(full, parameters["n"], parameters["n_gold"], rng, truth_of)


def drawn_replicates(
    task: Mapping[str, Any], dataset: pd.DataFrame | None
) -> Iterator[tuple[str, int, Drawn]]:
    """Draw the replicates of a task: the setting's name, the number, the tables."""
    for setting, replicate in replicates(task):
        with named(task, setting["name"], replicate):
            rng = task_rng(task, setting, replicate, "data")
            new = _draw(task, setting["parameters"], rng, dataset, replicate)
        yield setting["name"], replicate, Drawn(new.table, new.reference, new.parameters)


def simulate_block(
    task: Mapping[str, Any],
    output: Path,
    metadata: Mapping[str, Any],
    dataset: pd.DataFrame | None = None,
) -> None:
    """Draw the replicates of a block and write their data table.

    Args:
        task: what to draw, from `plan.data_task`.
        output: the parquet file to write.
        metadata: provenance to store with it.
        dataset: the prepared dataset, where the task names one.

    Raises:
        ValueError: where a replicate cannot be drawn; a note names it.
    """
    write_replicates(output, drawn_replicates(task, dataset), metadata)
