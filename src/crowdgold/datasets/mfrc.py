"""The Moral Foundations Reddit Corpus: which moral sentiments does a comment have? (HLV, table 4).

A file with a row an annotation: `text`, `annotator` and `annotation`, the sentiments joined by
commas, besides `subreddit`, `bucket` and `confidence`. An item is a text, as in the paper. The
eight classes have the names that stand in the file.
"""

from dataclasses import replace
from pathlib import Path

import pandas as pd

from crowdgold.datasets.dataset import JUDGED_COLUMNS, MFRC, check_table_4, folds
from crowdgold.types.columns import Problems, is_empty
from crowdgold.types.errors import InputError

FILE = "final_mfrc_data.csv"
CLASSES = 8  # as table 4 prints


def read_annotations_of(path: Path) -> pd.DataFrame:
    """The file: a row an annotation, items named in the order in which their texts come."""
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    problems = Problems(f"{MFRC.owner}: {path.name}", first_row=2)
    for name in ("text", "annotator", "annotation"):
        if name not in frame:
            problems.add(f"column {name!r} is missing; found {', '.join(map(str, frame.columns))}")
        else:
            problems.add_rows(name, is_empty(frame[name]), frame[name], "a value")
    problems.raise_if_any()
    number, texts = pd.factorize(frame["text"])
    chosen = frame["annotation"].str.split(",")
    found = frame[["text", "annotator"]].assign(
        item=[f"text_{one}" for one in number],
        part=folds(len(texts))[number].astype(str),
        second="",
        label=[",".join(sorted({name.strip() for name in names})) for names in chosen],
        count=1,
    )
    # Annotations of an item stand together.
    return found.iloc[number.argsort(kind="stable")].reset_index(drop=True)[JUDGED_COLUMNS]


def classes_of(frame: pd.DataFrame) -> tuple[str, ...]:
    """The classes that a prepared table names, in alphabetical order."""
    return tuple(sorted({name for label in frame["label"] for name in str(label).split(",")}))


def prepare(folder: Path) -> pd.DataFrame:
    """The prepared table of final_mfrc_data.csv."""
    frame = read_annotations_of(folder / FILE)
    found = classes_of(frame)
    if len(found) != CLASSES:
        raise InputError(
            f"{MFRC.owner}: classes: found {', '.join(found)}, expected {CLASSES}, as table 4 "
            "prints"
        )
    return check_table_4(replace(MFRC, classes=found), frame)
