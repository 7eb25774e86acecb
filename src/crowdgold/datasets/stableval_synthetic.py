"""The simulated labels behind STABLEVAL's tables 4 to 7: 24 configurations, 100 seeds each.

A file of levels, annotators or labels has a JSON object a line, one a seed; its string holds a
base-36 character a value, agent by agent and response by response (labels and annotators: slot by
slot). `index.json` names the three files of a configuration; configurations share files.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.types.annotations import NO_GROUP, Annotations
from crowdgold.types.errors import InputError
from crowdgold.types.parameters import Parameters

OWNER = "dataset stableval_synthetic"
CONFIGURATION, SEED = NAMES = ("configuration", "seed")
CONFIGURATIONS, SEEDS, AGENTS, ITEMS_PER_AGENT = 24, 100, 6, 500
CREDIT = {"0": 0.0, "1": 0.5, "2": 1.0}
KINDS = ("truth", "annotators", "labels")
"""What the three files of a configuration hold: levels, who labelled, and the labels."""


def prepare(folder: Path) -> pd.DataFrame:
    """The prepared table, one row a configuration and seed.

    Columns: configuration, seed, n_labels (of an item), and the strings of the files: truth,
    annotators and labels.
    `folder` holds index.json and the files that it names.
    """
    index = json.loads((folder / "index.json").read_text(encoding="utf-8"))
    if len(index) != CONFIGURATIONS:
        raise InputError(
            f"{OWNER}: index.json: found {len(index)} configurations, expected {CONFIGURATIONS}"
        )
    values: dict[str, dict[int, str]] = {}
    frames = []
    for name, entry in index.items():
        parts = {kind: entry[kind].removesuffix(".gz") for kind in KINDS}
        for kind, file in parts.items():
            each = 1 if kind == "truth" else entry["labels_per_item"]
            if file not in values:
                values[file] = _read(folder / file)
            _check(file, values[file], AGENTS * ITEMS_PER_AGENT * each)
        columns = {kind: [values[file][s] for s in range(SEEDS)] for kind, file in parts.items()}
        shared = {CONFIGURATION: name, SEED: range(SEEDS), "n_labels": entry["labels_per_item"]}
        frames.append(pd.DataFrame({**shared, **columns}))
    return pd.concat(frames, ignore_index=True)


def _read(path: Path) -> dict[int, str]:
    """A file of values: seed -> its string."""
    found = {}
    for number, line in enumerate(path.read_text(encoding="ascii").splitlines(), start=1):
        record = json.loads(line)
        texts = [value for key, value in record.items() if key != "seed"]
        if len(texts) != 1:
            raise InputError(f"{OWNER}: {path.name}, line {number}: expected a seed and one string")
        found[int(record["seed"])] = str(texts[0])
    return found


def _check(file: str, values: Mapping[int, str], size: int) -> None:
    if sorted(values) != list(range(SEEDS)):
        raise InputError(f"{OWNER}: {file}: found {len(values)} seeds, expected 0 to {SEEDS - 1}")
    if wrong := [seed for seed, text in values.items() if len(text) != size]:
        raise InputError(
            f"{OWNER}: {file}, seed {wrong[0]}: found {len(values[wrong[0]]):,} values, expected "
            f"{size:,}"
        )


def _numbers(text: str) -> np.ndarray:
    """Read base-36 characters, 0-9 and a-z: (characters,)."""
    code = np.frombuffer(text.encode("ascii"), dtype=np.uint8).astype(np.int64)
    return np.where(code < ord("a"), code - ord("0"), code - ord("a") + 10)


def draw_task(
    frame: pd.DataFrame, parameters: Mapping[str, Any], rng: np.random.Generator
) -> Annotations:
    """The labels of a configuration and seed, with the true levels.

    Parameters: `configuration`, one of the table's, and `seed`, 0 to 99.
    """
    given = Parameters(OWNER, parameters)
    given.check_names(NAMES)
    chosen = given.choice(CONFIGURATION, dict.fromkeys(frame[CONFIGURATION]))
    seed = given.whole(SEED, at_least=0, at_most=SEEDS - 1)
    row = frame[(frame[CONFIGURATION] == chosen) & (frame[SEED] == seed)].iloc[0]
    level, who, label = (_numbers(row[kind]) for kind in KINDS)
    annotators, annotator_of = np.unique(who, return_inverse=True)
    return Annotations(
        item=np.arange(len(level)).astype(str).astype(object),
        annotator=annotators.astype(str).astype(object), group=np.array([NO_GROUP], dtype=object),
        category=np.array(list(CREDIT), dtype=object),
        item_of=np.repeat(np.arange(len(level)), row["n_labels"]), annotator_of=annotator_of,
        group_of=np.zeros(len(label), dtype=np.int64), label=label, truth=level,
        agent=np.array([f"A{one + 1}" for one in range(AGENTS)], dtype=object),
        agent_of=np.repeat(np.arange(AGENTS), ITEMS_PER_AGENT),
        credit=np.array(list(CREDIT.values())),
    )  # fmt: skip
