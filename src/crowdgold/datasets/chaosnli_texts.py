"""ChaosNLI with its texts: does the premise entail the hypothesis? 100 labels an item (HLV, 5.1).

Only the parts from SNLI and MNLI, each of which is cross-validated by itself. Nobody's name is
known, so that equal labels of an item are one row with their number.
"""

import json
from pathlib import Path

import pandas as pd

from crowdgold.datasets.chaosnli import SUBSETS
from crowdgold.datasets.dataset import CHAOSNLI_TEXTS, COLUMNS_JUDGED_TEXTS, check_table_4, folds
from crowdgold.datasets.source import read_lines
from crowdgold.types.errors import InputError

SUBSET = "subset"


def read_subset(path: Path, subset: str) -> pd.DataFrame:
    """Read a subset's items, with folds of their own: a row for each class that an item was given.

    Raises:
        InputError: where there are not as many items as are known, or a line is not one.
    """
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
    return pd.DataFrame(rows, columns=COLUMNS_JUDGED_TEXTS).assign(**{SUBSET: subset})


def prepare(folder: Path) -> pd.DataFrame:
    """Make the prepared table of chaosNLI_snli.jsonl and chaosNLI_mnli_m.jsonl.

    Returns:
        the columns of `judged_texts`, and `subset`.

    Raises:
        InputError: where the files do not hold the items and labels that are known.
    """
    parts = [read_subset(folder / f"chaosNLI_{subset}.jsonl", subset) for subset in SUBSETS]
    frame = pd.concat(parts, ignore_index=True)
    checked = check_table_4(CHAOSNLI_TEXTS, frame)
    return checked.assign(**{SUBSET: frame[SUBSET].astype("string")})
