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

from crowdgold.data.annotations import NO_GROUP, Annotations
from crowdgold.data.errors import InputError
from crowdgold.data.parameters import Parameters

OWNER = "dataset stableval_synthetic"
CONFIGURATION, SEED = NAMES = ("configuration", "seed")

CONFIGURATIONS, SEEDS, AGENTS, ITEMS_PER_AGENT = 24, 100, 6, 500
CREDIT = {"0": 0.0, "1": 0.5, "2": 1.0}
KINDS = ("truth", "annotators", "labels")
"""What the files of a configuration hold."""


def prepare(folder: Path) -> pd.DataFrame:
    """Make the prepared table: one row a configuration and seed.

    Args:
        folder: holds index.json and the files that it names.

    Returns:
        Columns configuration, seed, n_labels, and truth, annotators and labels: strings of base-36
        characters as in the files.

    Raises:
        InputError: where the files do not hold the configurations, seeds and values that are known.
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
        for file in parts.values():
            if file not in values:
                values[file] = _read(folder / file)
        labels = AGENTS * ITEMS_PER_AGENT * entry["labels_per_item"]
        sizes = {"truth": AGENTS * ITEMS_PER_AGENT, "annotators": labels, "labels": labels}
        for kind, file in parts.items():
            _check(file, values[file], sizes[kind])
        columns = {kind: [values[file][s] for s in range(SEEDS)] for kind, file in parts.items()}
        shared = {CONFIGURATION: name, SEED: range(SEEDS), "n_labels": entry["labels_per_item"]}
        frames.append(pd.DataFrame({**shared, **columns}))
    return pd.concat(frames, ignore_index=True)


def _read(path: Path) -> dict[int, str]:
    """Read a file of values: seed -> its string."""
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

    Args:
        parameters: `configuration`, one of the table's, and `seed`, 0 to 99.
        rng: not used.
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
        annotator=annotators.astype(str).astype(object),
        group=np.array([NO_GROUP], dtype=object),
        category=np.array(list(CREDIT), dtype=object),
        item_of=np.repeat(np.arange(len(level)), row["n_labels"]),
        annotator_of=annotator_of,
        group_of=np.zeros(len(label), dtype=np.int64),
        label=label,
        truth=level,
        agent=np.array([f"A{one + 1}" for one in range(AGENTS)], dtype=object),
        agent_of=np.repeat(np.arange(AGENTS), ITEMS_PER_AGENT),
        credit=np.array(list(CREDIT.values())),
    )


CHECKSUMS = {
    "annotators_L3.jsonl":
        "13e41556c699ec01ab68e0b650372b2c76b92841672d62cb7a7acf540c1bbfdc",
    "annotators_L5_hard00.jsonl":
        "a3a8ad243cbc157745ce1d361ff9e3e07d953238e82f20d2bd4c87c2cfceb8e1",
    "annotators_L5_hard10.jsonl":
        "232d130cd8f08f8463b075678bd2b71eabd999c752f7d24055b5bc4b767885eb",
    "annotators_L5_hard20.jsonl":
        "5083b0f093fca09c9b06e63ff173306937137627e58234089998b7fd81dab069",
    "annotators_L7.jsonl":
        "64da04c0f1847fc9a114705ee79ef076951a78897caec8030e814232db3886b9",
    "annotators_L9.jsonl":
        "7cc57e87dd17597cfe8add39ea4aa70d980958df4800a89a8140514c2e774525",
    "index.json":
        "144e98eeb3167fe48b8e5e2b5c911a776333e6e75a753fd7aec8b3a64e35d0a7",
    "labels_adv_00.jsonl":
        "c67be270f4bba7558a473afa8769f720b2196862dd89d6a5732fbe1339fce5f9",
    "labels_adv_10.jsonl":
        "e57c8865679190eba8b50c0f036b422c7da1208926afec25fa6b70caf5d7848a",
    "labels_adv_20.jsonl":
        "e3cecc7aaa69a7872038a2ac1c262c5cf53bf16036b87d1e22af2ee2faabf19b",
    "labels_adv_30.jsonl":
        "38a71962379881ea0c246ee38a83b9406aefbfac055202e3342a3eea2b309692",
    "labels_adv_40.jsonl":
        "05823d69e139fd123d8a0be37379bbc399ce5c1022c65225a892e92d9adf97a7",
    "labels_gaps_tight.jsonl":
        "c24afcb87f16393fe7f3824a3c71406ada1e49de34bd32f2c3514633da5dbc94",
    "labels_gaps_wide.jsonl":
        "d4f367ea9b0bf5b034a4c77f1f5e258c0ec6b563563907b8766279f041c199f2",
    "labels_hard_00.jsonl":
        "21a2821ecb4fc448748a28b6a60b282f5ea5f0bede585accca9142bbd711337a",
    "labels_hard_10.jsonl":
        "5d040ed4a46ec4c887b5e9596b84a0128675de47352661a5e3ca3fa7aae9b3fe",
    "labels_labels_3.jsonl":
        "e6c39f7ee0c6cc404501bbb69bb240b442786e50c6692ca52d69c5b80a0e5847",
    "labels_labels_7.jsonl":
        "2049ff5cee431723a270006f8be99c2d19640217460b04250d71565779f660d8",
    "labels_labels_9.jsonl":
        "d935859403f7d08fecb45508972c6a611a6113438714179555d675f437d3910f",
    "labels_lenient_00.jsonl":
        "22c657566f7e6f34907f7026e3c93a94d6f627ee6128adda8e7e49c1ac0d8f63",
    "labels_lenient_10.jsonl":
        "2f92666db4e6543eabc524809a4a3c534ff02bfbfb52a44a62617e4178f6372e",
    "labels_lenient_20.jsonl":
        "4075110956293709f68a1edf177b3b92bd1508c0639df7edf606c3f5b2999838",
    "labels_lenient_30.jsonl":
        "6302bad220d43ee6d212d978c741b9eccaec83673d9d697078a2d9dce7a08542",
    "labels_lenient_40.jsonl":
        "74cb7f29d50465591d35d29dd94496b074958bee5b8ef5718c1f9d90bc434c12",
    "labels_strict_00.jsonl":
        "e1352ad4cec805ad9dda726e6c6a1db924ce85c185eb0046ac24266e5bfd80c2",
    "labels_strict_10.jsonl":
        "f28f280d1bfdf90505d9147669cd91c5922315ccb332e2a41fc1fa9759cc1dcd",
    "labels_strict_30.jsonl":
        "4785648923b1918db7a15696fe80fcecf9a0fed268bdc5b8eed4683d616c366a",
    "labels_strict_40.jsonl":
        "89feda5a2cedaabd45bd35e9e182ffced738d192b7ad281183c4ac4368e0e4f8",
    "truth_tight.jsonl":
        "a390be984bbfb3c827c89f404e04705d7e1383ca993731821e221e8322909d69",
    "truth_wide.jsonl":
        "4d16d78f690770293193133c41b7b14210a5d9bfda0a31fb335e1f1d22f18b3d",
}  # fmt: skip
