"""Is it entailment? 100 labels an item, a few of them as votes, the majority of the rest as truth.

The task is made as MAVEN, section 5.2, makes one of the Wikipedia comments: votes drawn out of an
item's labels, the truth from the labels not drawn. The score is a fine-tuned model's probability.

With its texts (HLV, 5.1): does the premise entail the hypothesis? Only the parts from SNLI and
MNLI, each of which is cross-validated by itself. Nobody's name is known, so that equal labels of an
item are one row with their number.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.datasets.dataset import (
    CHAOSNLI_TEXTS,
    JUDGED_COLUMNS,
    STUDY,
    check_table_4,
    draw_votes,
    folds,
    items_of,
)
from crowdgold.datasets.source import read_lines
from crowdgold.types.errors import InputError
from crowdgold.types.items import Items
from crowdgold.types.parameters import Parameters

OWNER = "dataset chaosnli"
CLASSES = {"entailment": "e", "neutral": "n", "contradiction": "c"}
SUBSETS = {"snli": 1_514, "mnli_m": 1_599}  # items of each
LABELS = 100  # of each item
DEFAULTS = {
    "target": "entailment", "subset": "both", "votes_total": 3, "model": "roberta-base", "seed": 0,
}  # fmt: skip
NAMES = (*DEFAULTS, "predictors")


def prepare(folder: Path) -> pd.DataFrame:
    """The prepared table, one row an item.

    Columns: item, subset, count_e, count_n, count_c (they sum to 100), and MODEL:SEED:CLASS, a
    probability, empty where the model has no prediction for the item.
    `folder` holds chaosNLI_snli.jsonl, chaosNLI_mnli_m.jsonl and predictions.csv.
    """
    parts = [read_labels(folder / f"chaosNLI_{subset}.jsonl", subset) for subset in SUBSETS]
    items = pd.concat(parts, ignore_index=True)
    for subset, expected in SUBSETS.items():
        found = int((items["subset"] == subset).sum())
        if found != expected:
            raise InputError(f"{OWNER}: found {found:,} items of {subset}, expected {expected:,}")
    predictions = pd.read_csv(folder / "predictions.csv", dtype={"uid": str})
    return join_predictions(items, predictions)


def read_labels(path: Path, subset: str) -> pd.DataFrame:
    """The label counts of a subset's items, 100 each."""
    records, classes = map(json.loads, read_lines(path)), ["count_e", "count_n", "count_c"]
    counts = pd.DataFrame(
        [(record["uid"], subset, *record["label_count"]) for record in records],
        columns=["item", "subset", *classes],
    )
    total = counts[classes].sum(axis=1)
    if (total != LABELS).any():
        first = counts["item"][total != LABELS].iloc[0]
        raise InputError(f"{OWNER}: {path.name}: item {first} has not {LABELS} labels")
    return counts


def join_predictions(items: pd.DataFrame, predictions: pd.DataFrame) -> pd.DataFrame:
    """The items with a column MODEL:SEED:CLASS for each model, seed and class."""
    values = [f"p_{key}" for key in CLASSES.values()]
    wide = predictions.pivot_table(index=["set", "uid"], columns=["model", "seed"], values=values)
    names = wide.columns.to_frame(index=False)
    wide.columns = names["model"] + ":" + names["seed"].astype(str) + ":" + names[0].str[-1]
    rows = pd.MultiIndex.from_frame(items[["subset", "item"]])
    columns = wide.reindex(rows).reset_index(drop=True)
    return pd.concat([items, columns], axis=1)


def draw_task(
    frame: pd.DataFrame, parameters: Mapping[str, Any], rng: np.random.Generator
) -> Items:
    """Votes drawn for every item that all the predictors have a score of.

    Parameters: `target`, entailment, neutral or contradiction; `subset`, snli, mnli_m, or both;
    `votes_total`, 1 to 99 of the 100 labels; `model` and `seed` of the predictor named `score`, or
    `predictors`: {NAME: {model: , seed: }} for several.
    """
    given = Parameters(OWNER, DEFAULTS | dict(parameters))
    given.check_names((*NAMES, *STUDY))
    target = CLASSES[given.choice("target", CLASSES)]
    subset = given.choice("subset", (*SUBSETS, "both"))
    votes_total = given.whole("votes_total", at_least=1, at_most=LABELS - 1)
    subsets = list(SUBSETS) if subset == "both" else [subset]
    frame = frame[frame["subset"].isin(subsets)]
    predictors = _predictors(given).items()
    columns = {name: _score_column(frame, predictor, target) for name, predictor in predictors}
    frame = frame[frame[list(columns.values())].notna().all(axis=1)]

    count = frame[f"count_{target}"].to_numpy()
    votes_positive, truth = draw_votes(count, np.full(len(count), LABELS), votes_total, rng)
    return items_of(frame, votes_positive, votes_total, truth, columns, rng)


def _predictors(given: Parameters) -> dict[str, Parameters]:
    """Each predictor's each parameters, model and seed."""
    if "predictors" not in given:
        return {"score": given}
    predictors = given.values["predictors"]
    if not isinstance(predictors, Mapping) or not predictors:
        raise given.fault("predictors", "at least one, as {NAME: {model: name, seed: number}}")
    each = {}
    for name, values in predictors.items():
        owner = f"{OWNER}, predictor {name!r}"
        if not isinstance(values, Mapping):
            raise InputError(f"{owner}: found {values!r}, expected {{model: name, seed: number}}")
        each[str(name)] = Parameters(owner, {"seed": DEFAULTS["seed"]} | dict(values))
        each[str(name)].check_names(("model", "seed"))
    return each


def _score_column(frame: pd.DataFrame, predictor: Parameters, target: str) -> str:
    """The column of a predictor; each subset in the frame must have predictions."""
    offered = [column.rsplit(":", 2) for column in frame.columns if column.endswith(f":{target}")]
    model = predictor.choice("model", sorted({name for name, _, _ in offered}))
    seeds = sorted(int(seed) for name, seed, _ in offered if name == model)
    seed = predictor.whole("seed", at_least=0)
    if seed not in seeds:
        raise predictor.fault("seed", f"one of {seeds}, the seeds of {model}")
    column = f"{model}:{seed}:{target}"
    for subset, values in frame.groupby("subset")[column]:
        if values.isna().all():
            raise InputError(
                f"{predictor.owner}: {model} with seed {seed} has no predictions for {subset}; "
                "expected another model, or another `subset`"
            )
    return column


def read_subset(path: Path, subset: str) -> pd.DataFrame:
    """A subset's items, with folds of their own: a row for each class that an item was given."""
    owner, rows = CHAOSNLI_TEXTS.owner, []
    lines = read_lines(path)
    if len(lines) != SUBSETS[subset]:
        raise InputError(
            f"{owner}: {path.name}: found {len(lines):,} items, expected {SUBSETS[subset]:,}"
        )
    for number, (line, fold) in enumerate(zip(lines, folds(len(lines)), strict=True), start=1):
        try:
            item = json.loads(line)
            texts = item["example"]["premise"], item["example"]["hypothesis"]
            given = dict(zip(CHAOSNLI_TEXTS.classes, item["label_count"], strict=True))
            named = str(item["uid"])
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{owner}: {path.name}, line {number}: expected uid, label_count of three classes, "
                f"and an example with premise and hypothesis ({error!r})"
            ) from error
        rows += [
            (f"{subset}_{named}", str(fold), *texts, "", label, count)
            for label, count in given.items()
            if count
        ]
    return pd.DataFrame(rows, columns=JUDGED_COLUMNS).assign(subset=subset)


def prepare_texts(folder: Path) -> pd.DataFrame:
    """The prepared table of chaosNLI_snli.jsonl and chaosNLI_mnli_m.jsonl, with `subset`."""
    parts = [read_subset(folder / f"chaosNLI_{subset}.jsonl", subset) for subset in SUBSETS]
    frame = pd.concat(parts, ignore_index=True)
    subsets = frame["subset"].astype("string")
    return check_table_4(CHAOSNLI_TEXTS, frame).assign(subset=subsets)
