"""What the worlds of the arena look like, from a few of their own replicates; and their kinds."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

import pandas as pd

from crowdgold.experiment.drawing import drawn_replicates
from crowdgold.papers.arena.choice import StudyFeatures, features_of, mean_features
from crowdgold.papers.arena.table import split_worlds
from crowdgold.simulate.expert_opinions import Erring
from crowdgold.types.errors import InputError
from crowdgold.types.items import Items, kind_of

REPLICATES = 3
"""Drawn again, with their own seeds; features differ little from one to the next."""


def _of_experiment(
    task: Mapping[str, Any], dataset: pd.DataFrame | None
) -> list[tuple[dict[str, Any], StudyFeatures]]:
    """The features of each setting of an experiment, with what names it."""
    few = {**task, "replicates": task["replicates"][:REPLICATES]}
    named = {
        one["name"]: {"experiment": task["experiment"], **one["axes"]} for one in task["settings"]
    }
    found: dict[str, list[StudyFeatures]] = {}
    for setting, _, drawn in drawn_replicates(few, dataset):
        if not isinstance(drawn.table, Items):
            raise InputError(
                f"{task['experiment']}: found tables of {kind_of(drawn.table)}, expected Items; "
                "add `as_items` to the experiment, or draw it from a dataset of Items"
            )
        found.setdefault(setting, []).append(features_of(drawn.table))
    together = "experts" in task and Erring.of(task["experts"]).shared > 0
    return [
        (named[name], replace(mean_features(values), together=together))
        for name, values in found.items()
    ]


def world_features(
    tasks: Sequence[Mapping[str, Any]],
    datasets: Mapping[str, pd.DataFrame],
    by: Sequence[str],
    labels: Mapping[str, str],
) -> dict[str, StudyFeatures]:
    """What each world looks like by its name, as `split_worlds` names it.

    Args:
        tasks: of the worlds' experiments, from `plan.data_task`.
        datasets: name -> prepared dataset.
        by: settings whose values are worlds of their own.
        labels: experiment -> the words that stand for it.
    """
    found = [
        one for task in tasks for one in _of_experiment(task, datasets.get(task.get("dataset", "")))
    ]
    named = pd.DataFrame([name for name, _ in found]).reindex(columns=["experiment", *by])
    return {world: found[int(own.index[0])][1] for world, own in split_worlds(named, by, labels)}


def _kind(task: Mapping[str, Any], parameters: Mapping[str, Any]) -> str:
    """Name all that a world is drawn from but its gold labels."""
    source = {name: task[name] for name in ("simulator", "dataset") if name in task}
    without = [
        {name: value for name, value in one.items() if name != "n_gold"}
        for one in (parameters, task.get("as_items", {}))
    ]
    return json.dumps([source, *without], sort_keys=True)


def world_kinds(
    tasks: Sequence[Mapping[str, Any]], by: Sequence[str], labels: Mapping[str, str]
) -> dict[str, str]:
    """Each world's kind: worlds of one kind differ in their gold labels alone.

    Args:
        tasks, by, labels: as above.
    """
    found = [
        ({"experiment": task["experiment"], **one["axes"]}, _kind(task, one["parameters"]))
        for task in tasks
        for one in task["settings"]
    ]
    named = pd.DataFrame([name for name, _ in found]).reindex(columns=["experiment", *by])
    return {world: found[int(own.index[0])][1] for world, own in split_worlds(named, by, labels)}


def worlds_table(worlds: Mapping[str, StudyFeatures], kinds: Mapping[str, str]) -> pd.DataFrame:
    """A row for each world: its name, its kind, and what it looks like."""
    rows = [{"world": name, "kind": kinds.get(name), **asdict(one)} for name, one in worlds.items()]
    return pd.DataFrame(rows)


def read_worlds(table: pd.DataFrame) -> tuple[dict[str, StudyFeatures], dict[str, str]]:
    """The worlds of `worlds_table` by name, and their kinds."""
    rows: dict[str, dict[str, Any]] = {
        str(row["world"]): {str(name): value for name, value in row.items() if name != "world"}
        for row in table.to_dict("records")
    }
    kinds = {name: kind for name, row in rows.items() if pd.notna(kind := row.pop("kind"))}
    return {name: StudyFeatures(**row) for name, row in rows.items()}, kinds
