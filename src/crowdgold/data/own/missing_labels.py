"""Words for an empty cell among labels. NA is one where the labels are known without it."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

import pandas as pd

from crowdgold.data.checks import counted, list_names
from crowdgold.data.errors import InputError
from crowdgold.data.own.label_words import PAIRS, plain, positive_labels
from crowdgold.data.own.reading import Reading
from crowdgold.data.own.sheets import NOTHING_MISSING, Sheet

UNLABELLED = (
    "n/a", "none", "null", "nil", "unknown", "todo", "tbd", "pending", "skip", "skipped",
    "missing", "unlabeled", "unlabelled", "na", "#n/a", "nan", "unsure", "not sure", "unclear",
    "uncertain", "don't know", "dont know", "idk", "cannot tell", "can't tell", "cant tell",
    "not applicable", "no answer", "abstain", "other/unsure", "refused",
)  # fmt: skip
"""Words that people write for a label that is not there yet, and that could be labels."""


def _label_columns(sheet: Sheet) -> Iterator[str]:
    """The columns of a sheet that hold labels."""
    yield from sheet.starting("vote").values()
    yield from sheet.starting("gold").values()
    if sheet.has("label"):
        yield "label"


def check_missing(sheets: Sequence[Sheet], reading: Reading, notes: list[str]) -> list[Sheet]:
    """The sheets, in which a word for an empty cell is a label where the user says so.

    Args:
        notes: how many cells were taken for empty, and by which words, is added to them.

    Raises:
        InputError: where such a word could be a label: the others are all the same.
    """
    cells = [sheet.frame[column] for sheet in sheets for column in _label_columns(sheet)]
    if reading.missing or not cells:
        return list(sheets)
    labels = pd.concat(cells).dropna()
    words = [word for word in sheets[0].missing if word and (labels == word).any()]
    known = {plain(str(one)) for one in labels.unique() if one not in words}
    wanted = positive_labels(reading.positive, {*known, *map(plain, words)})
    if any(plain(word) in wanted for word in words):
        return [replace(sheet, missing=("",)) for sheet in sheets]
    if reading.positive:  # else two kinds of labels are known, or asked for
        _check_unlabelled(sheets, known - wanted.keys(), labels)
    for word in words:
        number = counted(int((labels == word).sum()), "cell")
        if len(known | wanted.keys()) < 2 and known:
            raise InputError(
                f"labels: found {next(iter(known))!r}, and {word!r} in {number}, which could be "
                f"the other label or empty. Say by --missing {word} that it is empty, or by "
                f"--missing {NOTHING_MISSING} that it is a label (in Python missing=...)"
            )
        notes.append(f"{number} of labels with {word!r} taken for empty (--missing "
                     f"{NOTHING_MISSING} reads it as a label)")  # fmt: skip
    return list(sheets)


def _check_unlabelled(sheets: Sequence[Sheet], negative: set[str], labels: pd.Series) -> None:
    """Raise an `InputError` where one of several negative labels looks like none.

    Such a label is a mark (-, ?), a word of `UNLABELLED`, a number that gold labels alone have, or
    one that is no next one to the others (-1, 9 or 99 beside 0 and 1).

    Args:
        negative: plain labels that would be negative.
        labels: all of them, as they stand.
    """
    votes = {
        plain(str(one))
        for sheet in sheets for column in _label_columns(sheet) if not column.startswith("gold")
        for one in sheet.known(column).dropna().unique()
    }  # fmt: skip
    usual = {word for pair in PAIRS for word in pair}
    known = {plain(str(one)) for one in labels.unique()}
    numbers = sorted(int(one) for one in known if re.fullmatch(r"-?\d{1,4}", one))
    apart = {str(one) for one in numbers if one < 0 or (one > 1 and one - 1 not in numbers)}
    apart = apart if {"0", "1"} <= known else set()
    doubtful = sorted(
        one for one in negative
        if not any(letter.isalnum() for letter in one) or one in UNLABELLED
        or (votes and one not in votes and one.isdecimal() and one not in usual) or one in apart
    )  # fmt: skip
    if not doubtful or len(negative) == len(doubtful):
        return
    spelled = next(str(one) for one in labels.unique() if plain(str(one)) == doubtful[0])
    number = counted(int((labels == spelled).sum()), "cell")
    raise InputError(
        f"labels: found {spelled!r} in {number}, beside "
        f"{list_names(sorted(negative - {*doubtful}))}. It could be a negative label, or stand for "
        f"none. Say by --missing {spelled} that it is empty, or by --missing {NOTHING_MISSING} "
        "that it is a label (in Python missing=...)"
    )
