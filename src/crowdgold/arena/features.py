"""What a study looks like from outside, and how far two studies are from each other.

The features are those that anyone can count: items, votes on each, gold labels, how often votes are
right, how well scores separate, whether annotators are known. A world of the arena and a user's
data have the same, so that the nearest world can be found.

    d^2 = mean of the squared differences of the features that both have

Counts differ by the logarithm of their ratio (of gold labels, each with one added: none is a
count), rates by their log odds, each kept off 0 and 1 by `EDGE`; having scores or not, or known
annotators or not, differs by `ABSENT`. At a distance of 1 counts and odds differ by a factor e.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.arena.worlds import split_worlds
from crowdgold.data import NO_GOLD, InputError, Items, kind_of
from crowdgold.experiments.drawing import drawn_replicates
from crowdgold.metrics import LabelMass, RankedItems, parse_metric

COUNTS = ("items", "votes_per_item", "gold")
RATES = ("base_rate", "tpr", "tnr", "auc")
PRESENT = ("scores", "annotators")
EDGE = 0.005
ABSENT = 2.0
FEWEST = 5
"""Labelled items of a class from which on its rate is a feature."""


@dataclass(frozen=True)
class StudyFeatures:
    """What a study looks like.

    Attributes:
        items: their number.
        votes_per_item: mean.
        gold: gold labels.
        scores: whether there are scores of a model.
        annotators: whether it is known who gave each vote.
        base_rate: share of positives among the labelled items; NaN where too few are labelled.
        tpr, tnr: share of right votes on labelled positives and negatives; NaN likewise.
        auc: of the first model on the labelled items; NaN likewise, and without scores.
    """

    items: float
    votes_per_item: float
    gold: float
    scores: bool
    annotators: bool
    base_rate: float = float("nan")
    tpr: float = float("nan")
    tnr: float = float("nan")
    auc: float = float("nan")


def _rates(items: Items, labels: np.ndarray) -> dict[str, float]:
    """Measure rates on the items that are labelled."""
    known = np.flatnonzero(labels != NO_GOLD)
    positives = int((labels[known] == 1).sum())
    if min(positives, len(known) - positives) < FEWEST:
        return {}
    found = {
        name: _value(metric, replace(items.take(known), scores={}), labels[known])
        for name, metric in (("base_rate", "prevalence"), ("tpr", "TPR_H"), ("tnr", "TNR_H"))
    }
    if items.predictors:
        scored = known[np.isfinite(items.scores[items.predictors[0]][known])]
        if len(np.unique(labels[scored])) == 2:
            found["auc"] = _value("AUC", items.take(scored), labels[scored])
    return found


def _value(metric: str, items: Items, labels: np.ndarray) -> float:
    """The value of a metric of items whose labels are known."""
    parsed = parse_metric(metric)
    ranked = RankedItems.of(items, parsed.predictors(items)[0])
    return parsed.value([LabelMass.of_labels(labels)], [ranked])


def features_of(items: Items, with_truth: bool = False) -> StudyFeatures:
    """Look at a study.

    Args:
        items: votes, gold labels and scores.
        with_truth: whether rates are measured on the true labels of all items, as of a world, and
            not on gold labels.
    """
    labels = items.truth if with_truth and items.truth is not None else items.gold
    return StudyFeatures(
        items=len(items),
        votes_per_item=float(items.votes_total.mean()),
        gold=int((items.gold != NO_GOLD).sum()),
        scores=bool(items.predictors),
        annotators=items.labels is not None,
        **_rates(items, np.asarray(labels)),
    )


def mean_features(of_replicates: list[StudyFeatures]) -> StudyFeatures:
    """Average the features of the replicates of a world."""
    values = [asdict(one) for one in of_replicates]
    means = {name: float(np.mean([one[name] for one in values])) for name in (*COUNTS, *RATES)}
    first = of_replicates[0]
    return StudyFeatures(**means, scores=first.scores, annotators=first.annotators)


def _odds(rate: float) -> float:
    inside = min(max(rate, EDGE), 1 - EDGE)
    return float(np.log(inside / (1 - inside)))


def differences(one: StudyFeatures, other: StudyFeatures) -> dict[str, float]:
    """How far two studies differ in each feature that both have."""
    found = {}
    for field in fields(StudyFeatures):
        name = field.name
        a, b = float(getattr(one, name)), float(getattr(other, name))
        if np.isnan(a) or np.isnan(b):
            continue
        if name in PRESENT:
            found[name] = ABSENT * (a != b)
        elif name in RATES:
            found[name] = _odds(a) - _odds(b)
        else:
            found[name] = float(np.log((a + 1) / (b + 1)) if name == "gold" else np.log(a / b))
    return found


def distance(one: StudyFeatures, other: StudyFeatures) -> float:
    """The distance of two studies: root mean square of `differences`."""
    return float(np.sqrt(np.mean(np.square(list(differences(one, other).values())))))


def nearest(study: StudyFeatures, worlds: Mapping[str, StudyFeatures]) -> list[tuple[str, float]]:
    """Sort worlds by their distance to a study, the nearest first."""
    found = [(name, distance(study, world)) for name, world in worlds.items()]
    return sorted(found, key=lambda one: one[1])


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
        found.setdefault(setting, []).append(features_of(drawn.table, with_truth=True))
    return [(named[name], mean_features(values)) for name, values in found.items()]


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
