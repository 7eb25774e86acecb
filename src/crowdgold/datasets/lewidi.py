"""Three datasets of Learning with Disagreements 2023: HS-Brexit, MD-Agreement, ArMIS (HLV, table
4).

Each has a file for each part, a JSON object of items: `text`, `annotations` and `annotators`, both
joined by commas in the same order. Running numbers begin anew in each part.
"""

import json
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from crowdgold.datasets.dataset import (
    BINARY,
    COLUMNS_JUDGED_TEXTS,
    DEV,
    TABLE_4,
    TEST,
    TRAIN,
    check_table_4,
)
from crowdgold.types.errors import InputError

PARTS = (TRAIN, DEV, TEST)
FILES = {"hs_brexit": "HS-Brexit", "md_agreement": "MD-Agreement", "armis": "ArMIS"}
"""Dataset -> what its files' names begin with."""


def read_part(path: Path, part: str, owner: str) -> Iterator[tuple[object, ...]]:
    """A row for each annotation of a file.

    Raises:
        InputError: naming the file and the item that is not as it should be.
    """
    try:
        items = json.loads(path.read_text(encoding="utf-8"))
        listed = list(items.items())
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


def prepare(name: str, folder: Path) -> pd.DataFrame:
    """Make the prepared table of a dataset of its three files.

    Raises:
        InputError: where a file is not as it should be, or a count is not the known one.
    """
    about, prefix = TABLE_4[name], FILES[name]
    rows = [
        row
        for part in PARTS
        for row in read_part(folder / f"{prefix}_{part}.json", part, about.owner)
    ]
    return check_table_4(about, pd.DataFrame(rows, columns=COLUMNS_JUDGED_TEXTS))


def prepare_hs_brexit(folder: Path) -> pd.DataFrame:
    """Make the prepared table of HS-Brexit; errors as those of `prepare`."""
    return prepare("hs_brexit", folder)


def prepare_md_agreement(folder: Path) -> pd.DataFrame:
    """Make the prepared table of MD-Agreement; errors as those of `prepare`."""
    return prepare("md_agreement", folder)


def prepare_armis(folder: Path) -> pd.DataFrame:
    """Make the prepared table of ArMIS; errors as those of `prepare`."""
    return prepare("armis", folder)
