"""ChaosNLI with its texts: does the premise entail the hypothesis? 100 labels an item (HLV, 5.1).

Only the parts from SNLI and MNLI, each of which is cross-validated by itself. Nobody's name is
known, so that equal labels of an item are one row with their number.
"""

import json
from pathlib import Path

import pandas as pd

from crowdgold.datasets.chaosnli import SUBSETS
from crowdgold.datasets.dataset import CHAOSNLI_TEXTS, JUDGED_COLUMNS, check_table_4, folds
from crowdgold.datasets.source import read_lines
from crowdgold.types.errors import InputError


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


def prepare(folder: Path) -> pd.DataFrame:
    """The prepared table of chaosNLI_snli.jsonl and chaosNLI_mnli_m.jsonl, with `subset`."""
    parts = [read_subset(folder / f"chaosNLI_{subset}.jsonl", subset) for subset in SUBSETS]
    frame = pd.concat(parts, ignore_index=True)
    subsets = frame["subset"].astype("string")
    return check_table_4(CHAOSNLI_TEXTS, frame).assign(subset=subsets)
