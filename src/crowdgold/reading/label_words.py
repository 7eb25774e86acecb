"""Two-valued labels from texts: which is positive, and which words stand for no label.

A word such as NA stands for none where two labels are known without it; else the user is asked.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile

import numpy as np
import pandas as pd

from crowdgold.reading.door import NOTHING_MISSING, Reading
from crowdgold.reading.sheets import Sheet
from crowdgold.reading.tables import Rows
from crowdgold.types.columns import counted, is_or_are, list_names
from crowdgold.types.errors import InputError
from crowdgold.types.notes import Note
from crowdgold.types.parameters import did_you_mean

PAIRS = (  # pairs of labels, the second positive, that need no word from the user
    ("0", "1"), ("false", "true"), ("f", "t"), ("no", "yes"), ("n", "y"),
    ("negative", "positive"), ("neg", "pos"), ("incorrect", "correct"), ("fail", "pass"),
    ("failed", "passed"),
)  # fmt: skip
SHOWN = 6  # labels that a message lists


def plain(text: str) -> str:
    """A label in small letters, whole numbers without a point: equal labels are equal texts."""
    text = text.strip().casefold()
    sign, digits = ("-", text[1:]) if text.startswith("-") else ("", text)
    whole, point, rest = digits.partition(".")
    if point and whole.isdecimal() and set(rest) <= {"0"}:
        return sign + whole
    return text


def _listed(table: Rows) -> str:
    """List labels, the commonest first, and where rare ones stand."""
    labels = table.frame["label"]
    counts = labels.value_counts()
    shown = []
    for text, count in counts.head(SHOWN).items():
        first = table.rows[np.flatnonzero((labels == text).to_numpy(dtype=bool))[0]]
        shown.append(f"{str(text)!r} ({counted(int(count), 'time')}, first in row {first})")
    more = f" and {len(counts) - SHOWN} more" if len(counts) > SHOWN else ""
    return ", ".join(shown) + more


def positive_labels(given: Sequence[str], known: Collection[str]) -> dict[str, str]:
    """The positive labels, each with how the user wrote it.

    `given`: labels, or several in one text with commas between them. A text that is itself a label
    is one, whatever commas it holds; `known`: the labels that there are, as `plain` writes them.
    """
    spelling: dict[str, str] = {}
    for text in given:
        parts = [text] if plain(text) in known else text.split(",")
        spelling |= {plain(part): part.strip() for part in parts}
    return spelling


def _slip(one: str, other: str) -> bool:
    """Whether labels differ as by a slip of the hand: by one or two letters, and no digit.

    Further letters alone make another word (safe, unsafe), and so does a label of few letters.
    """
    parts, same = [one, other], 0
    for _ in range(2):  # without what they begin with alike, then what they end with
        alike = sum(1 for _ in takewhile(lambda at: at[0] == at[1], zip(*parts, strict=False)))
        parts, same = [part[alike:][::-1] for part in parts], same + alike
    fewer, more = sorted(map(len, parts))
    letters = not any(letter.isdigit() for part in parts for letter in part)
    return letters and same >= 2 and (more <= 1 or (more == 2 and fewer > 0))


def _check_positive(
    tables: Mapping[str, Rows], wanted: Mapping[str, str], everything: Collection[str]
) -> list[Note]:
    """Notes on positive labels that nobody gave, as on a scale; an `InputError` where none was
    given, or one may be a slip for another label.
    """
    absent = [one for one in wanted if one not in everything]
    for one in absent:
        text, others = wanted[one], [known for known in everything if known not in wanted]
        slip = [known for known in others if _slip(one, known)]
        if len(absent) < len(wanted) and one and not slip:
            continue
        meant = did_you_mean(text, slip or others)
        leave = " If nobody gave it, leave it out" if len(absent) < len(wanted) else ""
        listed = "; ".join(f"{name} has {_listed(table)}" for name, table in tables.items())
        said = " ".join(filter(None, [meant, f"{listed}{'.' * bool(leave)}{leave}"]))
        raise InputError(f"--positive {text}: no label has this value; {said}")
    return [Note("positive_absent", {"label": wanted[one]}) for one in absent]


def binary_labels(
    tables: Mapping[str, Rows], positive: Sequence[str], notes: list[Note]
) -> dict[str, Rows]:
    """Tables with their labels as 0 and 1 (int8), the votes and the gold labels together.

    The tables are by how messages name them; no label is missing. Where labels are no known pair
    (0/1, false/true, no/yes, negative/positive), the positive ones must be named; all others are
    then negative.
    """
    labels = {name: table.frame["label"] for name, table in tables.items()}
    values = {name: {plain(str(one)) for one in texts.unique()} for name, texts in labels.items()}
    everything = set().union(*values.values())
    wanted = positive_labels(positive, everything)
    if wanted and not tables:
        raise InputError(
            f"--positive {', '.join(positive)}: votes are counts, and there are no gold labels"
        )
    notes += _check_positive(tables, wanted, everything)
    found = {}
    for name, texts in labels.items():
        own = values[name]
        positives = wanted.keys() & own
        # Labels that stand beside a positive one elsewhere are negative here too.
        if not positives and not any(own <= one for one in values.values() if wanted.keys() & one):
            pair = next((pair for pair in PAIRS if own <= set(pair)), None)
            if pair is None:
                raise InputError(
                    f"{name}: found the labels {_listed(tables[name])}; expected two, 0 and "
                    "1, false and true, no and yes, or negative and positive. Correct them; say "
                    "which one is positive by --positive VALUE, and all others are negative; or "
                    "say by --missing VALUE which one stands for no label"
                )
            positives = {pair[1]}
        if positives and positives <= wanted.keys():
            rest = sorted(own - positives)
            if len(positives) + len(rest) > 2:
                own_words = ", ".join(repr(wanted[one]) for one in wanted if one in positives)
                some = ", ".join(map(repr, rest[:SHOWN])) + (" ..." if len(rest) > SHOWN else "")
                told = {"file": name, "labels": own_words, "are": is_or_are(len(positives))}
                notes.append(Note("others_negative", told | {"others": some}))
        codes, unique = pd.factorize(texts)
        known = np.array([plain(str(text)) in positives for text in unique], dtype=np.int8)
        coded = known[codes] if len(unique) else np.zeros(0, dtype=np.int8)
        found[name] = replace(tables[name], frame=tables[name].frame.assign(label=coded))
    return found


UNLABELLED = (
    "n/a", "none", "null", "nil", "unknown", "todo", "tbd", "pending", "skip", "skipped",
    "missing", "unlabeled", "unlabelled", "na", "#n/a", "nan", "unsure", "not sure", "unclear",
    "uncertain", "don't know", "dont know", "idk", "cannot tell", "can't tell", "cant tell",
    "not applicable", "no answer", "abstain", "other/unsure", "refused",
)  # fmt: skip
"""Words that people write for a label that is not there yet, and that could be labels."""


def _label_columns(sheet: Sheet) -> list[str]:
    """The columns of a sheet that hold labels."""
    named = [*sheet.starting("vote").values(), *sheet.starting("gold").values()]
    return [*named, *filter(sheet.has, ["label"])]


def check_missing(sheets: Sequence[Sheet], reading: Reading, notes: list[Note]) -> list[Sheet]:
    """The sheets, in which a word for an empty cell is a label where the user says so.

    Notes say how many cells were taken for empty, and by which words. An `InputError` where such a
    word could be a label, since the others are all the same, or where a negative label looks like
    none: a mark (-, ?), a word of `UNLABELLED`, a number that gold labels alone have, or one that
    is no next one to the others (-1, 9 or 99 beside 0 and 1).
    """
    columns = [(sheet, column) for sheet in sheets for column in _label_columns(sheet)]
    if reading.missing or not columns:
        return list(sheets)
    labels = pd.concat([sheet.frame[column] for sheet, column in columns]).dropna()
    words = [word for word in sheets[0].missing if word and (labels == word).any()]
    known = {plain(str(one)) for one in labels.unique() if one not in words}
    wanted = positive_labels(reading.positive, {*known, *map(plain, words)})
    if any(plain(word) in wanted for word in words):
        return [replace(sheet, missing=("",)) for sheet in sheets]
    if reading.positive:  # else two kinds of labels are known, or asked for
        voted = [own.known(column) for own, column in columns if not column.startswith("gold")]
        votes = {plain(str(one)) for values in voted for one in values.dropna().unique()}
        usual = {word for pair in PAIRS for word in pair}
        of_all = {plain(str(one)) for one in labels.unique()}
        numbers = sorted(int(one) for one in of_all if re.fullmatch(r"-?\d{1,4}", one))
        apart = {str(one) for one in numbers if one < 0 or (one > 1 and one - 1 not in numbers)}
        apart = apart if {"0", "1"} <= of_all else set()
        negative = known - wanted.keys()
        doubtful = sorted(
            one for one in negative
            if not any(letter.isalnum() for letter in one) or one in UNLABELLED
            or (votes and one not in votes and one.isdecimal() and one not in usual) or one in apart
        )  # fmt: skip
        if doubtful and len(negative) != len(doubtful):
            spelled = next(str(one) for one in labels.unique() if plain(str(one)) == doubtful[0])
            number = counted(int((labels == spelled).sum()), "cell")
            raise InputError(
                f"labels: found {spelled!r} in {number}, beside "
                f"{list_names(sorted(negative - {*doubtful}))}. It could be a negative label, or "
                f"stand for none. Say by --missing {spelled} that it is empty, or by --missing "
                f"{NOTHING_MISSING} that it is a label (in Python missing=...)"
            )
    two = len(known if wanted.keys() & known else known | wanted.keys()) > 1
    for word in words:
        cells = int((labels == word).sum())
        if known and not two:
            raise InputError(
                f"labels: found {next(iter(known))!r}, and {word!r} in {counted(cells, 'cell')}, "
                f"which could be the other label or empty. Say by --missing {word} that it is "
                f"empty, or by --missing {NOTHING_MISSING} that it is a label (in Python "
                "missing=...)"
            )
        notes.append(Note("taken_for_empty", {"number": cells, "word": word}))
    return list(sheets)
