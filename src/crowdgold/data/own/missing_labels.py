"""Words for an empty cell among labels. NA is one where the labels are known without it."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import pandas as pd

from crowdgold.data.checks import counted
from crowdgold.data.errors import InputError
from crowdgold.data.own.label_words import plain, positive_labels
from crowdgold.data.own.reading import Reading
from crowdgold.data.own.sheets import NOTHING_MISSING, Sheet


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
