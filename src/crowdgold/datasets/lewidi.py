"""Hate, offence and misogyny as several people judge them: three datasets of LeWiDi 2023 (HLV).

HS-Brexit, MD-Agreement and ArMIS of Learning with Disagreements, as in HLV's table 4.

Each has a file for each part, a JSON object of items: `text`, `annotations` and `annotators`, both
joined by commas in the same order. Running numbers begin anew in each part.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pandas as pd

from crowdgold.datasets.dataset import (
    BINARY,
    DEV,
    JUDGED_COLUMNS,
    TABLE_4,
    TEST,
    TRAIN,
    check_table_4,
)
from crowdgold.types.errors import InputError

PARTS = (TRAIN, DEV, TEST)


def read_part(path: Path, part: str, owner: str) -> Iterator[tuple[object, ...]]:
    """A row for each annotation of a file."""
    try:
        listed = list(json.loads(path.read_text(encoding="utf-8")).items())
    except (ValueError, AttributeError) as error:
        raise InputError(
            f"{owner}: {path.name}: expected a JSON object of items: {error}"
        ) from error
    for number, item in listed:
        try:
            labels, people = item["annotations"].split(","), item["annotators"].split(",")
            text = str(item["text"])
        except (KeyError, TypeError, AttributeError) as error:
            raise InputError(
                f"{owner}: {path.name}, item {number}: expected text, annotations and annotators "
                f"({error!r})"
            ) from error
        if len(labels) != len(people) or not set(labels) <= set(BINARY):
            raise InputError(
                f"{owner}: {path.name}, item {number}: found annotations "
                f"{item['annotations']!r} by {len(people)} annotators, expected 0 or 1 from each"
            )
        for label, person in zip(labels, people, strict=True):
            yield f"{part}_{number}", part, text, "", person, label, 1


def _prepare(name: str) -> Callable[[Path], pd.DataFrame]:
    """The function that prepares a dataset of this module, on which its job depends."""

    def prepare(folder: Path) -> pd.DataFrame:
        about = TABLE_4[name]
        parts = {part: folder / f"{about.title}_{part}.json" for part in PARTS}
        rows = [row for part, path in parts.items() for row in read_part(path, part, about.owner)]
        return check_table_4(about, pd.DataFrame(rows, columns=JUDGED_COLUMNS))

    return prepare


prepare_hs_brexit, prepare_md_agreement, prepare_armis = map(
    _prepare, ("hs_brexit", "md_agreement", "armis")
)
