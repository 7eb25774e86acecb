"""What each file of a study holds: votes in one of four forms, gold labels, scores."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from crowdgold.reading.columns import (
    ALIASES,
    ENOUGH,
    FEW_ROWS,
    MOST_LABELS,
    NO_COLUMN,
    check_repeats,
    columns_of,
    is_running,
    normal,
    ours_named,
)
from crowdgold.reading.label_words import PAIRS, plain, positive_labels
from crowdgold.reading.options import REFUSE
from crowdgold.reading.sheets import ANONYMOUS, COUNTS, LONG, WIDE, Sheet
from crowdgold.types.clusters import CLUSTER
from crowdgold.types.columns import list_guessed, list_names, to_numbers
from crowdgold.types.errors import InputError
from crowdgold.types.gold_draw import BATCH, COLUMNS, FOR_PEOPLE

GOLD_FILE = re.compile(r"gold|expert|truth|adjudicat", re.IGNORECASE)
NO_GOLD_FILE = re.compile(  # names of files of labels that a model gave, or that were made of votes
    r"pred|model|gpt|llm|claude|gemini|llama|bert|classif|output|major|aggreg|consensus|merged",
    re.IGNORECASE,
)
TRUTHS = (  # names of columns of labels that can be gold, or a model's, and are no one annotator's
    *ALIASES["gold"], "truth", "true", "target", "correct", "actual", "reference", "answer_key",
    "y", "final", "final_label", "consensus", "adjudicated", "correct_label", "majority",
)  # fmt: skip
NO_LABELS = (  # columns of two values that are no annotator's
    *TRUTHS, "pred", "predicted", "prediction", "is_gold", "oracle", "tie_break", "split", "fold",
)  # fmt: skip
CHOSEN = re.compile(r"pred|class|label", re.IGNORECASE)  # names of columns of a model's classes
HALF = 0.5  # the least probability of the likelier of two classes
SLIPS = 0.05  # share of the filled cells of a column of numbers that are taken for slips, at most
FORMS = (
    "item, annotator, label (a row a label); item, votes_positive, votes_total (a row an item); or "
    "item and a column vote_NAME for each annotator"
)


OF_VOTES = ("annotator", "votes_positive", "votes_negative", "votes_total")
"""Columns of files of votes alone."""


def leftover(sheet: Sheet) -> list[str]:
    """The columns whose names say nothing of what they hold."""
    # Of files of `crowdgold sample`, for batches and for second opinions.
    known = FOR_PEOPLE if sheet.has(BATCH) or sheet.has("expert", "label") else ()
    return [name for name in sheet.columns if not (ours_named(name) or name in known)]


def _with_kind(sheet: Sheet) -> Sheet:
    """The sheet with the form of its votes, as its columns show it."""
    if sheet.has("votes_positive") and (sheet.has("votes_total") or sheet.has("votes_negative")):
        return replace(sheet, kind=COUNTS)
    if sheet.has("annotator", "label"):
        return replace(sheet, kind=LONG)
    return replace(sheet, kind=WIDE if sheet.starting("vote") else None)


def _with_votes(sheets: Sequence[Sheet], positive: Sequence[str], notes: list[str]) -> list[Sheet]:
    """The sheets with the forms of their votes; annotators of a file called gold can be experts."""
    found = list(map(_with_kind, sheets))
    several = sum(sheet.kind is not None for sheet in found) > 1
    for place, sheet in enumerate(found):
        gold = GOLD_FILE.search(sheet.name) and not sheet.has("expert")
        if sheet.kind == LONG and several and gold:
            notes.append(f"{sheet.name}: its annotators are read as experts, as the file is named")
            found[place] = _with_kind(sheet.renamed({"annotator": "expert"}))
    if any(sheet.kind is not None for sheet in found):
        return found

    def labelled(sheet: Sheet, column: str) -> bool:
        """Whether a column may be an annotator's: two known labels, or a positive one."""
        values = {plain(str(one)) for one in sheet.known(column).dropna().unique()[:50]}
        wanted = positive_labels(positive, values).keys() & values
        return bool(values and (wanted or any(values <= set(pair) for pair in PAIRS)))

    for place, sheet in enumerate(found):
        columns = [
            name
            for name in leftover(sheet)
            if normal(name).casefold() not in NO_LABELS
            and not NO_COLUMN["vote"].fullmatch(normal(name))
            and labelled(sheet, name)
        ]
        if sheet.has("item") and len(columns) > 1:
            notes.append(
                f"{sheet.name}: a column an annotator, guessed by their labels: "
                f"{list_guessed(columns)}"
            )
            names = {name: f"vote_{name}" for name in columns}
            found[place] = replace(sheet.renamed(names), kind=WIDE)
            continue
        bare = sheet.has("item", "label") and not sheet.has("expert")
        if bare and sheet.frame["item"].duplicated().any():
            notes.append(f"{sheet.name}: labels without annotators; each row is a vote")
            found[place] = replace(sheet, kind=ANONYMOUS)
    return found


def _check_twice(sheets: Sequence[Sheet]) -> None:
    """Raise an `InputError` where votes without annotators are there twice, in one file or two."""
    mend = "expected each vote once: leave the copy out"
    sheets = [sheet for sheet in sheets if sheet.kind == ANONYMOUS]
    for place, sheet in enumerate(sheets):
        half, rest = divmod(len(sheet.frame), 2)
        if not rest and half >= FEW_ROWS:
            rows = sheet.frame.reset_index(drop=True)
            if rows[:half].equals(rows[half:].reset_index(drop=True)):
                raise InputError(
                    f"{sheet.source}: rows from {sheet.rows[half]} on are the same as those before "
                    f"them, in the same order; {mend}"
                )
            times = sheet.frame.groupby(["item", "label"]).size()
            if len(times) > sheet.frame["item"].nunique() >= ENOUGH and (times % 2 == 0).all():
                raise InputError(
                    f"{sheet.source}: each item has an even number of each label, as in a file "
                    f"that holds its rows twice; {mend}"
                )
        for before in sheets[:place]:
            if before.frame.equals(sheet.frame):
                raise InputError(f"{before.source} and {sheet.source} hold the same votes; {mend}")


def guessed_gold(sheet: Sheet) -> bool:
    """Whether a file's labels are gold by nothing but that each item has one."""
    says_gold = sheet.has("expert") or GOLD_FILE.search(sheet.name)
    return sheet.has("label") and not sheet.several and not says_gold


def _filled(sheet: Sheet, column: str) -> tuple[np.ndarray, np.ndarray]:
    """Whether each cell (n,) holds something, and whether that is a number."""
    values = sheet.known(column)
    return ~values.isna().to_numpy(), np.isfinite(to_numbers(values))


def _check_confidence(sheet: Sheet) -> None:
    """Refuse scores that seem to be those of the chosen class: none is below one half."""
    if not sheet.has("score") or sheet.has("model"):
        return
    values = to_numbers(sheet.known("score"))
    known = values[np.isfinite(values)]
    if len(known) < FEW_ROWS or not ((known >= HALF) & (known <= 1)).all():
        return
    own = ["label"] * (sheet.has("label") and not sheet.has("annotator"))
    for name in [*own, *filter(CHOSEN.search, leftover(sheet))]:
        if sheet.known(name).nunique() == 2:
            gold = "label=gold, if an expert gave the labels"
            mine = gold if name == "label" else f"{name}=ignore"
            raise InputError(
                f"{sheet.source}: no score is below {HALF:g}, whichever of two classes "
                f"{name!r} says: they seem to be the probability of that class. Expected the "
                "probability of the positive class in all rows, as 1 less the score where the "
                f"class is negative. If they are that, say so by --column {mine}"
            )


def _guess_scores(sheet: Sheet, notes: list[str]) -> Sheet:
    """The sheet with its columns of numbers as models' scores, if it holds nothing else."""
    other = ("score", "gold", "stratum", "weight")
    if sheet.kind or sheet.has("label") or any(sheet.starting(prefix) for prefix in other):
        return sheet
    free = [name for name in leftover(sheet) if not is_running(sheet.frame[name])]
    cells = {name: _filled(sheet, name) for name in free}
    columns = [name for name, (own, number) in cells.items() if own.any() and number[own].all()]
    # A few slips among numbers are refused: the column would be left out as a whole.
    problems = sheet.problems()
    for name, (filled, number) in cells.items():
        bad = filled & ~number
        if 0 < bad.sum() <= SLIPS * filled.sum():
            expected = (
                f"a number or an empty cell, as of a model's scores ({number.sum():,} of "
                f"{filled.sum():,} are numbers). If it is no model's, leave the column out"
            )
            problems.add_rows(name, bad, sheet.frame[name], expected)
    problems.raise_if_any()
    for name in columns:
        values = to_numbers(sheet.known(name).dropna())
        classes = (values == np.floor(values)).all() and len(np.unique(values)) <= MOST_LABELS
        named = GOLD_FILE.search(sheet.name) or normal(name).casefold() in TRUTHS
        if not (named and classes):
            continue
        raise InputError(
            f"{sheet.source}: column {name!r} holds labels, "
            f"{list_names(sorted(set(sheet.known(name).dropna())))}: gold, or the classes of a "
            f"model? Say so by --column {name}=gold (gold_NAME of one of several experts) or "
            f"--column {name}=score_{name}"
        )
    if columns:
        notes.append(f"{sheet.name}: columns read as the scores of models: {list_guessed(columns)}")
    return sheet.renamed({name: f"score_{name}" for name in columns})


def _of_items(sheet: Sheet) -> bool:
    """Whether a file without votes holds something that belongs to items."""
    several = any(sheet.starting(prefix) for prefix in ("score", "gold", "stratum"))
    told = several or any(map(sheet.has, ("label", "weight", CLUSTER, *COLUMNS)))
    return told and not any(map(sheet.has, OF_VOTES))


def _check_without_votes(named: Sequence[Sheet], sheets: Sequence[Sheet]) -> None:
    """Refuse files without votes where there are no scores, or one of them may hold votes."""
    if any(sheet.starting("score") for sheet in named):
        for sheet in filter(guessed_gold, named):
            own = f"--column {sheet.name}:label="
            raise InputError(
                f"{sheet.source}: one label an item, and no file has votes: gold labels, or an "
                f"annotator's votes? Say by {own}gold that an expert gave them, or by "
                f"{own}vote_{Path(sheet.name).stem} that an annotator did"
            )
        if all(map(_of_items, named)):
            return
    labelled = [one.name for one in sheets if one.has("label") and not one.has("expert")]
    each = " ".join(f"--column {name}:label=vote_{Path(name).stem}" for name in labelled)
    hint = f". Where each file is an annotator's, say so by {each}" if " " in each else ""
    raise InputError(
        f"no votes: {columns_of(sheets)}. Expected the columns {FORMS}. Other names are given "
        f"by --column THEIRS=OURS{hint}"
    )


def assign(
    sheets: Sequence[Sheet], positive: Sequence[str], notes: list[str], repeated: str = REFUSE
) -> list[Sheet]:
    """The sheets, with columns named and the forms of their votes."""
    for sheet in sheets:
        if not sheet.has("item"):
            raise InputError(
                f"{sheet.source}: column 'item' is missing; the file has: "
                f"{list_names(sheet.in_file)}. Say which column names the items by --column "
                "THEIRS=item"
            )
        problems = sheet.problems()
        for name, found in sheet.nested.items():
            if ours_named(name) and sheet.has(name):
                problems.add(f"column {name!r}, {found}, expected a text or a number")
        item = sheet.frame["item"]
        problems.add_rows("item", item.isna().to_numpy(), item, "a value")
        problems.raise_if_any()
    named = _with_votes(sheets, positive, notes)
    if not any(sheet.starting("score") for sheet in named):
        named = [_guess_scores(sheet, notes) for sheet in named]
    _check_twice(named)
    for sheet in named:
        # Labels of a file could be a model's, and not gold.
        if sheet.kind or not guessed_gold(sheet):
            continue
        beside = [*sheet.starting("score").values(), *filter(sheet.has, ["model"])]
        beside += [one for one in leftover(sheet) if normal(one).casefold() in ALIASES["model"]]
        if beside or NO_GOLD_FILE.search(sheet.name):
            why = f"beside {beside[0]!r}" if beside else "in a file of this name"
            raise InputError(
                f"{sheet.source}: one label an item, {why}: gold labels, or a "
                f"model's classes? Say by --column {sheet.name}:label=gold that they are gold, or "
                f"leave them out by --column {sheet.name}:label=ignore"
            )
    for sheet in named:
        _check_confidence(sheet)
    voted = [sheet for sheet in named if sheet.kind is not None]
    if not voted:
        _check_without_votes(named, sheets)
    if len(voted) > 1 and any(sheet.kind == COUNTS for sheet in voted):
        raise InputError(
            f"votes stand in more than one file ({', '.join(one.name for one in voted)}), at least "
            "one of them as counts; expected counts in one file and no other votes"
        )
    for sheet in named:
        unused = leftover(sheet)
        if sheet.kind == LONG and repeated == REFUSE:
            check_repeats(sheet, unused)
        empty = [name for name in unused if not _filled(sheet, name)[0].any()]
        if unused:
            why = f" (nothing in {list_names(empty)})" if empty else ""
            notes.append(f"{sheet.name}: columns passed over: {list_names(unused)}{why}")
    return named
