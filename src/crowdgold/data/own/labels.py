"""A user's labels by annotator, of two kinds or more, from files as `study` reads them."""

from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from crowdgold.data.annotations import Annotations, annotations_from_frame
from crowdgold.data.errors import InputError
from crowdgold.data.own.column_names import named_sheets
from crowdgold.data.own.joins import check_same_things
from crowdgold.data.own.label_words import binary_labels, plain
from crowdgold.data.own.missing_labels import check_missing
from crowdgold.data.own.reading import Reading
from crowdgold.data.own.roles import assign
from crowdgold.data.own.votes import Rows, read_votes

KINDS = ("0", "1")
"""The categories of labels some of which were said to be positive."""


def read_labels(
    paths: Sequence[str | Path],
    reading: Reading | None = None,
    categories: Sequence[str] | None = None,
) -> tuple[Annotations, tuple[str, ...]]:
    """The labels of a study's files, and what was guessed, dropped or decided.

    Args:
        paths: as for `read_study`; gold labels and scores in them are passed over.
        reading: what is said of the files. Labels that are positive become 1, all others 0; labels
            stay what they are where none is said to be.
        categories: all labels that there can be; those found where not given.

    Raises:
        InputError: naming the file, column and rows that cannot be used, or where nothing says who
            gave which label.
    """
    notes: list[str] = []
    reading = reading or Reading()
    positive, repeated = reading.positive, reading.repeated
    with named_sheets(paths, reading, notes) as named:
        sheets, kinds = assign(named, positive, notes, repeated)
        check_same_things(sheets, kinds)
        sheets = check_missing(sheets, reading, notes)
        votes = read_votes(sheets, kinds, notes, reading.unmatched)
        if "annotator" not in votes.frame:
            raise InputError(
                f"{votes.source}: nothing says who gave which label; expected the columns item, "
                "annotator and label, or item and a column vote_NAME for each annotator"
            )
        if positive:
            votes, categories = _as_positive(votes, positive, notes), KINDS
        elif categories is None:
            votes = _spelled_alike(votes, notes)
        found = annotations_from_frame(
            votes.frame, categories, repeated, source=votes.source, first_row=votes.rows
        )
    return found, tuple(notes)


def _as_positive(votes: Rows, positive: Sequence[str], notes: list[str]) -> Rows:
    """The votes with the label 1 where it was one of the positive ones, and 0 elsewhere."""
    name = f"{votes.source}, votes"
    labels = binary_labels({name: votes.frame["label"]}, {name: votes.rows}, positive, notes)[name]
    notes.append("the model's labels are 0 and 1, those of a stream must be too")
    return Rows(votes.source, votes.frame.assign(label=labels.astype(str)), votes.rows)


def _spelled_alike(votes: Rows, notes: list[str]) -> Rows:
    """The votes with one spelling of each label, the commonest: Yes and yes are one label."""
    counts = votes.frame["label"].value_counts(sort=True)
    spelling: dict[str, str] = {}
    for text in map(str, counts.index):
        spelling.setdefault(plain(text), text)
    others = {str(text): spelling[plain(str(text))] for text in counts.index}
    changed = {text: kept for text, kept in others.items() if text != kept}
    if not changed:
        return votes
    listed = ", ".join(f"{text!r} as {kept!r}" for text, kept in changed.items())
    notes.append(f"{votes.source}: labels read as others that differ in case alone: {listed}")
    labels: pd.Series = votes.frame["label"].replace(changed)
    return Rows(votes.source, votes.frame.assign(label=labels), votes.rows)
