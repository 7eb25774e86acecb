"""What the files of a study hold: which holds votes, gold labels or scores, and what these say.

Votes have one of four forms: a row a label, with its annotator or without, a column an annotator,
or counts by item. To an item belong scores, gold and its draw, cluster, strata and weights.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

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
from crowdgold.reading.door import REFUSE
from crowdgold.reading.joins import check_forms, check_names
from crowdgold.reading.label_words import PAIRS, plain, positive_labels
from crowdgold.reading.sheets import ANONYMOUS, COUNTS, LONG, WIDE, Sheet
from crowdgold.reading.tables import Rows
from crowdgold.types.columns import (
    BELOW_LARGEST,
    LARGEST,
    is_empty,
    list_names,
    to_numbers,
)
from crowdgold.types.errors import InputError
from crowdgold.types.gold_draw import BATCH, CLUSTER, COLUMNS, FOR_PEOPLE, STRATUM, not_begun
from crowdgold.types.items import EQUAL_SCORES
from crowdgold.types.notes import Note

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


def _with_votes(sheets: Sequence[Sheet], positive: Sequence[str], notes: list[Note]) -> list[Sheet]:
    """The sheets with the forms of their votes; annotators of a file called gold can be experts."""
    found = list(map(_with_kind, sheets))
    several = sum(sheet.kind is not None for sheet in found) > 1
    for place, sheet in enumerate(found):
        gold = GOLD_FILE.search(sheet.name) and not sheet.has("expert")
        if sheet.kind == LONG and several and gold:
            notes.append(Note("as_experts", {"file": sheet.name}))
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
            notes.append(Note("as_votes", {"file": sheet.name, "columns": columns}))
            names = {name: f"vote_{name}" for name in columns}
            found[place] = replace(sheet.renamed(names), kind=WIDE)
            continue
        bare = sheet.has("item", "label") and not sheet.has("expert")
        if bare and sheet.frame["item"].duplicated().any():
            notes.append(Note("rows_are_votes", {"file": sheet.name}))
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


def _guess_scores(sheet: Sheet, notes: list[Note]) -> Sheet:
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
        notes.append(Note("as_scores", {"file": sheet.name, "columns": columns}))
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
    sheets: Sequence[Sheet], positive: Sequence[str], notes: list[Note], repeated: str = REFUSE
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
            values = {"file": sheet.name, "columns": unused, "empty": empty}
            notes.append(Note("columns_left_out_empty" if empty else "columns_left_out", values))
    return named


SUMS = r"(?:(?:sub|grand)[ -]?)?totals?(?:\b.*)?$|(?:sum|overall|all)$"
"""Names of rows that hold sums."""


def joined(parts: Sequence[tuple[Sheet, pd.DataFrame, np.ndarray]]) -> Rows:
    """One table of several, each with its sheet and what messages call its rows."""
    if len(parts) == 1:
        ((sheet, frame, rows),) = parts
        return Rows(sheet.source, frame.reset_index(drop=True), rows)
    sheets = list(dict.fromkeys(sheet.source for sheet, _, _ in parts))
    frame = pd.concat([one for _, one, _ in parts], ignore_index=True)
    if len(sheets) == 1:
        return Rows(sheets[0], frame, np.concatenate([rows for _, _, rows in parts]))
    named = [np.array([f"{sheet.name}:{row}" for row in rows], object) for sheet, _, rows in parts]
    return Rows(", ".join(sheets), frame, np.concatenate(named))


def _long(sheet: Sheet, notes: list[Note]) -> tuple[Sheet, pd.DataFrame, np.ndarray]:
    """The sheet, its rows with a vote, and what these are called; labels of experts are gold."""
    label = sheet.known("label")
    expert = sheet.frame.get("expert", pd.Series(pd.NA, label.index)).notna()
    wanted = (label.notna() & ~expert).to_numpy(dtype=bool)
    columns = ["item"]
    if sheet.kind == LONG:
        columns.append("annotator")
        problems = sheet.problems()
        annotator = sheet.frame["annotator"]
        nobody = annotator.isna().to_numpy() & wanted
        problems.add_rows("annotator", nobody, annotator, "who gave the label")
        both = (annotator.notna() & expert).to_numpy(dtype=bool)
        expected = "an annotator or an expert in a row, not both: its label is one's vote or gold"
        problems.add_rows("annotator", both, annotator, expected)
        problems.raise_if_any()
        if bare := int((annotator.notna() & label.isna() & ~expert).sum()):
            notes.append(Note("rows_without_label", {"file": sheet.name, "number": bare}))
        if sheet.has("group"):
            columns.append("group")
    frame = sheet.frame[columns].assign(label=label)
    if wanted.all():
        return sheet, frame, sheet.rows
    return sheet, frame[wanted], sheet.rows[wanted]


def _wide(sheet: Sheet) -> tuple[Sheet, pd.DataFrame, np.ndarray]:
    """The sheet, a row for each cell with a label in the order of the items, and their names."""
    sheet.refuse_repeated()
    names = sheet.starting("vote")
    cells = [sheet.known(column) for column in names.values()]
    frame = pd.DataFrame(
        {
            "item": np.repeat(sheet.frame["item"].to_numpy(dtype=object), len(names)),
            "annotator": np.tile(np.array(list(names), dtype=object), len(sheet.frame)),
            "label": np.stack([one.to_numpy(dtype=object) for one in cells], 1).reshape(-1),
        }
    ).astype("string")
    wanted = frame["label"].notna().to_numpy(dtype=bool)
    return sheet, frame[wanted], np.repeat(sheet.rows, len(names))[wanted]


def read_votes(sheets: Sequence[Sheet], notes: list[Note], unmatched: str) -> Rows:
    """The votes: columns item, label and where known annotator; or item and counts.

    Where no file has votes, the items are those of the files of scores, with counts of 0.
    """
    voted = [sheet for sheet in sheets if sheet.kind is not None]
    if not voted:
        return _none(sheets, notes, unmatched)
    if voted[0].kind == COUNTS:
        return _counts(voted[0], notes)
    wide = any(sheet.kind == WIDE for sheet in voted)
    votes = joined([_wide(one) if one.kind == WIDE else _long(one, notes) for one in voted])
    if "label" in votes.frame:
        check_forms(votes.frame, votes.source, notes, unmatched)
    if not wide and len(votes.frame) == sum(len(one.frame) for one in voted):
        return votes
    # A difference of indexes: `isin` of texts loops over them.
    there = pd.Index(pd.concat([one.frame["item"] for one in voted]).unique())
    none = there.difference(pd.Index(votes.frame["item"].unique()), sort=False)
    if len(none):
        where = ", ".join(one.name for one in voted)
        notes.append(Note("items_without_votes", {"file": where, "number": len(none)}))
    return votes


def _none(sheets: Sequence[Sheet], notes: list[Note], unmatched: str) -> Rows:
    scored = [sheet for sheet in sheets if sheet.starting("score")]
    items = pd.Index([], dtype="string")
    for sheet in scored:
        own = pd.Index(sheet.frame["item"].unique())
        if len(items):
            of = f"rows in {scored[0].name}"
            check_names(f"a score in {sheet.name}", list(own), items, unmatched, of=of)
        items = items.union(own, sort=False)
    found = joined([(sheet, sheet.frame[["item"]], sheet.rows) for sheet in scored])
    found = found.take(~found.frame["item"].duplicated().to_numpy(dtype=bool))
    where = ", ".join(one.name for one in scored)
    notes.append(Note("items_of_scores", {"files": where, "number": len(found.frame)}))
    return Rows(found.source, found.frame.assign(votes_positive=0, votes_total=0), found.rows)


def _counts(sheet: Sheet, notes: list[Note]) -> Rows:
    frame = pd.DataFrame({name: sheet.known(name) for name in sheet.columns})
    problems = sheet.problems()
    if not sheet.has("votes_total"):
        for column in ("votes_positive", "votes_negative"):
            values = to_numbers(frame[column])
            bad = ~(np.isfinite(values) & (values >= 0)) & ~is_empty(frame[column])
            problems.add_rows(column, bad, frame[column], "a whole number from 0")
        problems.raise_if_any()
        counts = [to_numbers(frame[name]) for name in ("votes_positive", "votes_negative")]
        hole = is_empty(frame["votes_positive"]) & is_empty(frame["votes_negative"])
        frame = frame.assign(votes_total=np.where(hole, np.nan, np.nansum(counts, axis=0)))
        frame["votes_positive"] = np.where(hole, np.nan, np.nan_to_num(counts[0]))
    total = sheet.frame["item"].str.match(SUMS, case=False).to_numpy(dtype=bool)
    if total.any():
        row = int(total.argmax())
        raise InputError(
            f"{sheet.source}, row {sheet.rows[row]}: found {sheet.frame['item'].iloc[row]!r} among "
            "items, a row of sums; expected items alone. Leave the row out"
        )
    each = np.stack([to_numbers(frame[name]) for name in ("votes_positive", "votes_total")])
    each = np.where(each < LARGEST, each, 0)
    sums = (2 * each == each.sum(axis=1, keepdims=True)).all(axis=0) & (each[1] > 0)
    if len(frame) >= FEW_ROWS and sums.any():  # in fewer by chance
        row = int(sums.argmax())
        raise InputError(
            f"{sheet.source}, row {sheet.rows[row]}: {sheet.frame['item'].iloc[row]!r} has as many "
            "votes as all other items together, as a row of sums has; expected items alone. "
            "Leave the row out"
        )
    none = is_empty(frame["votes_total"]) & is_empty(frame["votes_positive"])
    none |= to_numbers(frame["votes_total"]) == 0
    if none.any():
        notes.append(Note("items_without_votes", {"file": sheet.name, "number": int(none.sum())}))
    kept = frame.loc[~none, ["item", "votes_positive", "votes_total"]]
    return Rows(sheet.source, kept.reset_index(drop=True), sheet.rows[~none])


def of_item(sheet: Sheet, column: str) -> Sheet:
    """One row for each item that has a value in a column.

    Words for an empty cell count as one in numbers and labels, and are names of a stratum or a
    cluster. Where an item has several rows, as in a file of votes, they must say the same.
    """
    names = column in (CLUSTER, STRATUM, *sheet.starting("stratum").values())
    values = sheet.frame[column] if names else sheet.known(column)
    known = values.notna().to_numpy(dtype=bool)
    table = sheet.take(known)
    item, values = table.frame["item"], values[known]
    if sheet.several:
        first = values.groupby(item.to_numpy(dtype=object)).transform("first")
        other = (values != first).to_numpy(dtype=bool)
        expected = f"what the item's first row has; or leave it out by --column {column}=ignore"
        table.refuse(column, other, expected)
    else:
        table.refuse_repeated()
    return table.take(~item.duplicated().to_numpy(dtype=bool))


def _values(sheet: Sheet, column: str) -> pd.Series:
    """The values of a column by item, where it has one."""
    table = of_item(sheet, column)
    return table.series(table.frame[column].to_numpy(dtype=object))


def read_scores(sheets: Sequence[Sheet]) -> dict[str, pd.Series]:
    """The finite scores: predictor -> scores by item; each predictor has one column."""
    scores: dict[str, pd.Series] = {}
    for sheet in sheets:
        columns = {name: (sheet, column) for name, column in sheet.starting("score").items()}
        if sheet.has("model", "score"):
            model = sheet.frame["model"]
            bad = (model.isna() & sheet.frame["score"].notna()).to_numpy()
            sheet.refuse("model", bad, "whose score it is")
            columns = {
                str(name): (sheet.take((model == name).fillna(False).to_numpy(dtype=bool)), "score")
                for name in model.dropna().unique()
            }
        # All are looked at for repeated items before any for its numbers.
        tables = {name: of_item(own, column) for name, (own, column) in columns.items()}
        for name, table in tables.items():
            column = columns[name][1]
            if name in scores:
                raise InputError(f"{sheet.source}: scores of {name!r} stand in another file too")
            if not len(table.frame):
                raise InputError(
                    f"{sheet.source}: column {column!r}: no number in any row; fill it in, or "
                    "leave it out"
                )
            values = to_numbers(table.frame[column])
            table.refuse(column, ~(np.abs(values) < LARGEST), BELOW_LARGEST)
            _check_thousands(table, column)
            if len(values) > 1 and (values == values[0]).all():
                said = f"column {column!r}: {EQUAL_SCORES.format(values[0])}"
                mend = f"or leave it out by --column {column}=ignore"
                raise InputError(f"{sheet.source}: {said}, {mend}")
            scores[name] = table.series(values)
    return scores


def _check_thousands(table: Sheet, column: str) -> None:
    """Refuse points that mark thousands: 3 digits follow each, and most others have 3 digits."""
    texts = table.frame[column].dropna().astype(str)
    has_point = texts.str.contains(".", regex=False)
    pointed, whole = texts[has_point], texts[~has_point]
    if min(len(pointed), len(whole)) < 2 or (whole.str.len() > 2).mean() <= 0.5:
        return
    marked = pointed.str.fullmatch(r"[+-]?[1-9]\.\d{3}").all()
    if marked and whole.str.fullmatch(r"[+-]?\d{1,3}").all():
        raise InputError(
            f"{table.source}: column {column!r} holds {pointed.iloc[0]!r} beside "
            f"{whole.iloc[0]!r}: the point seems to mark thousands. Expected numbers without such "
            f"a mark; or {pointed.iloc[0]}0, where it is a decimal point"
        )


def read_gold(sheets: Sequence[Sheet], notes: list[Note]) -> Rows | None:
    """The gold labels: columns item, expert and label, one of an expert for an item; or None."""
    parts = []
    for sheet in sheets:
        by_name = sheet.starting("gold").items()
        tables = [(of_item(sheet, column), column, name) for name, column in by_name]
        if sheet.has("label") and (sheet.has("expert") or not sheet.several):
            label = sheet.known("label").notna()
            if sheet.several:
                label &= sheet.frame["expert"].notna()
            elif guessed_gold(sheet):
                notes.append(Note("as_gold", {"file": sheet.name}))
            # "gold" is the expert where a file names none.
            tables.append((sheet.take(label.to_numpy(dtype=bool)), "label", "gold"))
        for table, column, name in tables:
            expert = pd.Series(name, index=table.frame.index, dtype="string")
            if column == "label" and table.has("expert"):
                expert = table.frame["expert"].fillna(name)
            own = {"item": table.frame["item"], "expert": expert, "label": table.known(column)}
            parts.append((table, pd.DataFrame(own), table.rows))
    if not parts:
        return None
    found = joined(parts)
    again = found.frame.duplicated(["item", "expert"], keep=False).to_numpy(dtype=bool)
    if again.any():
        rows, item = found.rows[again], found.frame["item"][again].iloc[0]
        listed = ", ".join(map(str, rows[:8])) + (" ..." if len(rows) > 8 else "")
        drawn = [np.full(len(frame), sheet.has(BATCH)) for sheet, frame, _ in parts]
        if np.concatenate(drawn)[again].all():
            raise InputError(
                f"{found.source}: items have a label in two batches, rows {listed} (item {item!r})."
                " An item that came back without a label can be in a later batch again; expected "
                "its label in the later one only: add no label to a batch once the next is drawn"
            )
        raise InputError(
            f"{found.source}: an expert labels an item again, rows {listed} (item {item!r}); "
            "expected each expert once on an item. Where there are several experts, name them in a "
            "column 'expert'"
        )
    return found if len(found.frame) else None


def of_begun_batches(
    gold: Rows | None, item: np.ndarray, sampling: Mapping[str, pd.Series], notes: list[Note]
) -> tuple[Rows | None, int]:
    """The gold labels without those of a batch that some stratum has none of; and their number."""
    if gold is None or BATCH not in sampling:
        return gold, 0
    passed, told = not_begun(sampling, np.isin(item, gold.frame["item"].to_numpy(dtype=object)))
    notes += told
    kept = ~gold.frame["item"].isin(item[passed]).to_numpy(dtype=bool)
    return gold.take(kept), int((~kept).sum())


def read_strata(sheets: Sequence[Sheet]) -> dict[str, pd.Series]:
    """The strata: name -> stratum by item, one in all files."""
    return _of_all(sheets, lambda sheet: sheet.starting("stratum"))


def _of_all(
    sheets: Sequence[Sheet], columns: Callable[[Sheet], Mapping[str, str]],
    values: Callable[[Sheet, str], pd.Series] = _values,
) -> dict[str, pd.Series]:  # fmt: skip
    """Name -> values by item of the columns of all sheets, which must not contradict each other."""
    found: dict[str, pd.Series] = {}
    for sheet in sheets:
        for name, column in columns(sheet).items():
            both = own = values(sheet, column)
            if name in found:
                both = pd.concat([found[name], own])
                both = both[~pd.MultiIndex.from_arrays([both.index, both]).duplicated()]
            if both.index.duplicated().any():
                item = both.index[both.index.duplicated()][0]
                raise InputError(
                    f"{sheet.source}: column {column!r} stands in another file too, and says other "
                    f"things there, of item {item!r} for one; expected it once"
                )
            found[name] = both
    return found


def _named(column: str) -> Callable[[Sheet], Mapping[str, str]]:
    """For `_of_all`: one column by its name, of the sheets that have it."""
    return lambda sheet: {column: column} if sheet.has(column) else {}


def read_sampling(sheets: Sequence[Sheet]) -> dict[str, pd.Series]:
    """How gold items were drawn, and their clusters: column -> values by item.

    Each batch may stand in a file. An item that came back from one without a label counts for the
    batch that has its label.
    """
    return _draws(sheets) | _of_all(sheets, _named(CLUSTER))


def _draws(sheets: Sequence[Sheet]) -> dict[str, pd.Series]:
    """How gold items were drawn: the columns of `gold_draw`, those that are there."""
    given = [sheet for sheet in sheets if any(map(sheet.has, COLUMNS))]
    in_batches = all(sheet.has(BATCH) for sheet in given)
    tables: list[pd.DataFrame] = []
    for sheet in given:
        columns = [column for column in COLUMNS if sheet.has(column)]
        again = [column for column in columns if any(column in one for one in tables)]
        if again and not in_batches:
            raise InputError(f"{sheet.source}: column {again[0]!r} stands in another file too")
        tables.append(pd.DataFrame({one: _values(sheet, one) for one in columns}))
        gold = [*sheet.starting("gold").values(), *filter(sheet.has, ["label"])]
        known = [_values(sheet, column).index for column in gold] if in_batches else []
        tables[-1]["known"] = np.any([tables[-1].index.isin(one) for one in known], axis=0)
    if in_batches and tables:
        found = pd.concat(tables).sort_values("known", kind="stable")
        tables = [found[~found.index.duplicated(keep="last")]]
    return {str(name): one[name].dropna() for one in tables for name in one.drop(columns="known")}


def read_weights(sheets: Sequence[Sheet]) -> pd.Series | None:
    """The weights by item, above 0; None where there are none."""

    def weights(sheet: Sheet, column: str) -> pd.Series:
        table = of_item(sheet, column)
        values = to_numbers(table.frame[column])
        bad = ~((values > 0) & (values < LARGEST))
        table.refuse(column, bad, f"a number above 0, below {LARGEST:g}")
        return table.series(values)

    return _of_all(sheets, _named("weight"), weights).get("weight")
