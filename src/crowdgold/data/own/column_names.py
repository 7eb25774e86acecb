"""Which column of a file is what: as the user says, by its own name, or guessed and said."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from crowdgold.data.checks import FEW, list_guessed, list_names, repeated
from crowdgold.data.door import STANDARD_INPUT
from crowdgold.data.errors import InputError
from crowdgold.data.gold_draw import COLUMNS as OF_DRAW
from crowdgold.data.own.evidence import (
    few_values,
    names_of,
    with_items,
    with_labels,
    without_authors,
)
from crowdgold.data.own.names import (
    ALIASES,
    IGNORE,
    NO_COLUMN,
    NO_GOLD,
    OF_ANNOTATORS,
    PATTERNS,
    PREFIXES,
    normal,
    ours_named,
)
from crowdgold.data.own.reading import Reading
from crowdgold.data.own.sheets import Sheet, read_sheet
from crowdgold.data.parameters import did_you_mean, unknown

CLASSES = 2
"""Values of a column of scores that are only a class."""


def _said(sheets: Sequence[Sheet], columns: Mapping[str, str]) -> list[dict[str, str]]:
    """For each sheet the renamings that the user said, as COLUMN or FILE:COLUMN."""
    found: list[dict[str, str]] = [{} for _ in sheets]
    for theirs, ours in columns.items():
        if not ours_named(ours):
            known = [*ALIASES, *(f"{prefix}_NAME" for prefix in PREFIXES), IGNORE]
            raise InputError(f"column {theirs!r}: {unknown('column', ours, known)}")
        hits = 0
        for place, sheet in enumerate(sheets):
            file, colon, column = theirs.partition(":")
            if theirs in sheet.columns:
                found[place][theirs] = ours
            elif colon and file in (sheet.name, sheet.source) and column in sheet.columns:
                found[place][column] = ours
            else:
                continue
            hits += 1
        if not hits:
            have = [name for sheet in sheets for name in sheet.columns]
            meant = did_you_mean(theirs, have)
            hint = f"; {meant}" if meant else ""
            lists = "; ".join(f"{one.name} has {list_names(one.columns)}" for one in sheets)
            raise InputError(f"no column {theirs!r}{hint} {lists}")
    return found


def _check_remarks(sheet: Sheet, said: Mapping[str, str]) -> None:
    """Raise an `InputError` where a column would be an expert's by its name, which says otherwise.

    Args:
        said: columns of the file -> the names that the user says.
    """
    for name in sheet.columns:
        known = name in said.values() or name in OF_DRAW
        if name.startswith("gold_") and NO_GOLD.fullmatch(name) and not known:
            raise InputError(
                f"{sheet.source}: column {name!r} could be an expert's labels, or say something "
                f"else of gold labels. Say so by --column {name}={name}, or by "
                f"--column {name}=ignore"
            )


def _votes_by_row(sheet: Sheet) -> bool:
    """Whether the names of a sheet's columns say that it has votes, a row each or counted."""
    known = {normal(name).casefold() for name in sheet.columns}
    has = {ours: bool(known & {ours, *ALIASES[ours]}) for ours in ALIASES}
    return (has["annotator"] and has["label"]) or has["votes_positive"]


def _guess(sheet: Sheet, taken: set[str], others_vote: bool = False) -> dict[str, str]:
    """Guess columns from their names.

    Args:
        taken: those of ours that the sheet has.
        others_vote: whether another file has votes, so that no column is an annotator's here.
    """
    guessed: dict[str, str] = {}
    free = names_of(sheet)
    for ours, aliases in ALIASES.items():
        if ours in (*taken, "item", "label"):
            continue
        if ours == "model" and "score" not in {*taken, *guessed.values()}:
            continue
        known = {*taken, *guessed.values()}
        names = [alias for alias in aliases if alias in free]
        if ours == "score":  # classes say less than the probability beside them
            names.sort(key=lambda alias: sheet.known(free[alias]).nunique() <= CLASSES)
        alias = names[0] if names else None
        if alias in OF_ANNOTATORS and "annotator" in known:
            continue
        if alias is None or (ours == "gold" and not few_values(sheet, free[alias])):
            continue
        guessed[free.pop(alias)] = ours
    have = {*taken, *guessed.values()}
    counted = "votes_positive" in have or (
        "annotator" in have
        and ("label" in have or any(alias in free for alias in ALIASES["label"]))
    )
    counted |= others_vote
    for column in free.values():
        name = normal(column)
        for pattern, ours in PATTERNS:
            match = pattern.fullmatch(name)
            if not match or (ours == "vote" and counted):
                continue
            if ours in NO_COLUMN and NO_COLUMN[ours].fullmatch(name):
                continue
            whole = f"{ours}_{match[1]}"
            if whole not in have:
                guessed[column] = whole
                have.add(whole)
            break
    return guessed


def _in_words(guessed: Mapping[str, str]) -> Iterator[str]:
    """Which columns were read as what: each by itself, but for many of one kind."""
    kinds: dict[str, list[str]] = {}
    for theirs, ours in guessed.items():
        kinds.setdefault(ours.partition("_")[0] if ours not in ALIASES else ours, []).append(theirs)
    for kind, columns in kinds.items():
        if len(columns) > FEW:
            yield f"columns {list_guessed(columns)} read as {kind}_NAME"
        else:
            yield from (f"column {theirs!r} read as {guessed[theirs]}" for theirs in columns)


def name_columns(sheets: Sequence[Sheet], reading: Reading, notes: list[str]) -> list[Sheet]:
    """The columns of each sheet the names of a study, where they have one.

    Args:
        reading: what the user says of the files.
        notes: what was guessed is added to them.

    Raises:
        InputError: for a name of ours that is none, a column that no file has, two of one name, or
            a guess that the contents of the columns speak against.
    """
    said = _said(sheets, reading.columns)
    asked = [_asked(sheet, own) for sheet, own in zip(sheets, said, strict=True)]
    named = []
    for sheet, own in zip(asked, said, strict=True):
        _check_remarks(sheet, own)
    with_votes = [_votes_by_row(sheet) for sheet in asked]
    for place, sheet in enumerate(with_items(asked, reading.item, notes)):
        others = any(with_votes[:place] + with_votes[place + 1 :])
        guessed = _guess(sheet, {name for name in sheet.columns if ours_named(name)}, others)
        notes.extend(f"{sheet.name}: {line}" for line in _in_words(guessed))
        sheet = without_authors(sheet.renamed(guessed), guessed, notes)
        named.append(with_labels(sheet, notes))
    return named


@contextmanager
def named_sheets(
    paths: Sequence[str | Path], reading: Reading, notes: list[str]
) -> Iterator[list[Sheet]]:
    """The files as sheets with the names of a study; an error within says what was guessed.

    Args:
        reading: what the user says of the files.
        notes: what was guessed is added to them.

    Raises:
        InputError: where there is no file, one cannot be read, or its columns cannot be named.
    """
    if not paths:
        raise InputError("no files; expected one to three: votes, gold labels, scores")
    _check_standard_input(paths)
    sheets = [read_sheet(path, notes, reading.encoding, reading.words) for path in paths]
    try:
        sheets = name_columns(sheets, reading, notes)
        yield sheets
    except InputError as error:
        # Messages name our columns, which need not be those of the files.
        guessed = "; ".join(note for note in notes if " read as " in note)
        gap = "\n" if "\n" in str(error) else " "
        raise InputError(f"{error}{gap}(guessed: {guessed})" if guessed else str(error)) from None


def _asked(sheet: Sheet, said: Mapping[str, str]) -> Sheet:
    """A sheet with the names that the user says, without the columns that are to be ignored."""
    dropped = [theirs for theirs, ours in said.items() if ours == IGNORE]
    kept = {theirs: ours for theirs, ours in said.items() if ours != IGNORE}
    asked = replace(sheet, frame=sheet.frame.drop(columns=dropped)).renamed(kept)
    twice = list(repeated(asked.columns))
    if twice:
        raise InputError(
            f"{sheet.source}: two columns are named {twice[0]!r}; expected one. Leave the "
            f"other out by --column {twice[0]}={IGNORE}, or give one of them another name"
        )
    return asked


def _check_standard_input(paths: Sequence[str | Path]) -> None:
    if sum(str(path) == STANDARD_INPUT for path in paths) > 1:
        raise InputError(f"{STANDARD_INPUT}: standard input is named twice; expected it once")
