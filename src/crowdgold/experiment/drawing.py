"""The work of a simulate job: a block of replicates drawn from a simulator or a dataset."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.experiment.data_tables import Drawn, write_replicates
from crowdgold.experiment.population import (
    ITEMS,
    TRUTH_OF,
    asks_for_population,
    population_of_dataset,
    population_of_simulator,
)
from crowdgold.experiment.settings import named, replicates, task_rng
from crowdgold.simulate import resample, simulate
from crowdgold.simulate.expert_opinions import RARER, Erring, with_opinions
from crowdgold.simulate.resample import as_items
from crowdgold.types.annotations import Annotations
from crowdgold.types.items import Items


def _from_simulator(
    task: Mapping[str, Any], setting: Mapping[str, Any], rng: np.random.Generator
) -> Drawn:
    """One replicate of the task's simulator."""
    given = setting["parameters"]
    own = {name: value for name, value in given.items() if name != TRUTH_OF}
    new = simulate(task["simulator"], own, rng)
    if "as_items" in task:
        new = as_items(new, task["as_items"], rng)
    population = population_of_simulator(task, setting) if asks_for_population(given) else {}
    return Drawn(new.table, new.reference, new.parameters, population)


def _from_dataset(
    task: Mapping[str, Any],
    parameters: Mapping[str, Any],
    rng: np.random.Generator,
    dataset: pd.DataFrame,
    replicate: int,
) -> Drawn:
    """One replicate of the task's dataset; Annotations are all of it."""
    from crowdgold.datasets import DATASETS

    source = DATASETS[task["dataset"]]
    own = {**parameters, "seed": replicate} if source.numbered else parameters
    full = source.draw_task(dataset, own, rng)
    if isinstance(full, Annotations):
        return Drawn(full, full, {})
    whole = asks_for_population(parameters)
    truth_of = ITEMS if whole else parameters.get(TRUTH_OF, "left_over")
    new = resample(full, parameters["n"], parameters["n_gold"], rng, truth_of)
    population = population_of_dataset(full, task["metrics"]) if whole else {}
    return Drawn(new.table, new.reference, new.parameters, population)


def _with_experts(drawn: Drawn, experts: Mapping[str, Any], rng: np.random.Generator) -> Drawn:
    """The replicate with gold labels of experts who err; what is true stays as it was."""
    assert isinstance(drawn.table, Items)
    protocol = experts.get("second", RARER)
    table = with_opinions(drawn.table, Erring.of(experts), protocol, rng)
    same = drawn.reference is drawn.table
    return replace(drawn, table=table, reference=table if same else drawn.reference)


def drawn_replicates(
    task: Mapping[str, Any], dataset: pd.DataFrame | None
) -> Iterator[tuple[str, int, Drawn]]:
    """Draw the replicates of a task: the setting's name, the number, the tables."""
    for setting, replicate in replicates(task):
        with named(task, setting["name"], replicate):
            rng = task_rng(task, setting, replicate, "data")
            if dataset is None:
                drawn = _from_simulator(task, setting, rng)
            else:
                drawn = _from_dataset(task, setting["parameters"], rng, dataset, replicate)
            if "experts" in task:
                drawn = _with_experts(drawn, task["experts"], rng)
        yield setting["name"], replicate, drawn


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
