"""The work of a simulate job: a block of replicates drawn from a simulator or a dataset."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from crowdgold.experiment.data_tables import Replicate, write_replicates
from crowdgold.experiment.population import (
    ITEMS,
    TRUTH_OF,
    asks_for_population,
    population_of_dataset,
    population_of_simulator,
)
from crowdgold.experiment.settings import Plain, noted_on_error, replicates, task_rng
from crowdgold.simulate import resample, simulate
from crowdgold.simulate.expert_opinions import RARER, Erring, with_opinions
from crowdgold.simulate.resample import as_items
from crowdgold.system.declarations import load
from crowdgold.types.annotations import Annotations
from crowdgold.types.errors import InputError
from crowdgold.types.items import Items


def _from_dataset(
    task: Plain, parameters: Plain, rng: np.random.Generator, dataset: pd.DataFrame
) -> Replicate:
    """One replicate of the task's dataset; Annotations are all of it."""
    from crowdgold.datasets import DATASETS

    source = DATASETS[task["dataset"]]
    full = source.draw_task(dataset, parameters, rng)
    if isinstance(full, Annotations):
        return Replicate(full, full, {})
    whole = asks_for_population(parameters)
    truth_of = ITEMS if whole else parameters.get(TRUTH_OF, "left_over")
    new = resample(full, parameters["n"], parameters["n_gold"], rng, truth_of)
    population = population_of_dataset(full, task["metrics"]) if whole else {}
    return Replicate(new.table, new.reference, new.parameters, population)


def drawn_replicates(
    task: Plain, dataset: pd.DataFrame | None
) -> Iterator[tuple[str, int, Replicate]]:
    """Each replicate of a task: the setting's name, the replicate's number, its tables."""
    for setting, replicate in replicates(task):
        with noted_on_error(task, setting["name"], replicate):
            rng = task_rng(task, setting, replicate, "data")
            if dataset is None:
                given, values = setting["parameters"], {}
                own = {name: value for name, value in given.items() if name != TRUTH_OF}
                if seeds := load("simulator", task["simulator"]).published_seeds:
                    if replicate >= seeds:
                        raise InputError(
                            f"replicate {replicate}: {task['simulator']} has the published seeds 0 "
                            f"to {seeds - 1}; ask for at most {seeds} replicates"
                        )
                    rng = np.random.default_rng(replicate)
                new = simulate(task["simulator"], own, rng)
                if "as_items" in task:
                    new = as_items(new, task["as_items"], rng)
                if asks_for_population(given):
                    values = dict(population_of_simulator(task, setting))
                drawn = Replicate(new.table, new.reference, new.parameters, values, new.state)
            else:
                drawn = _from_dataset(task, setting["parameters"], rng, dataset)
            if "experts" in task:
                # Gold labels are of experts who err; what is true stays as it was.
                assert isinstance(drawn.table, Items)
                experts = task["experts"]
                protocol = experts.get("second", RARER)
                table = with_opinions(drawn.table, Erring.of(experts), protocol, rng)
                same = drawn.reference is drawn.table
                drawn = replace(drawn, table=table, reference=table if same else drawn.reference)
        yield setting["name"], replicate, drawn


def simulate_block(
    task: Plain, output: Path, metadata: Plain, dataset: pd.DataFrame | None = None
) -> None:
    """Draw the replicates of a task (`plan.data_task`) and write their data table.

    The dataset is the prepared one, where the task names one. A note on an error names the
    replicate that cannot be drawn.
    """
    write_replicates(output, drawn_replicates(task, dataset), metadata)
