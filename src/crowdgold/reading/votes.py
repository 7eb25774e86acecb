"""The votes of a study: a row a label of long and wide files, or counts by item."""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from crowdgold.reading.columns import FEW_ROWS
from crowdgold.reading.joins import check_forms, check_names
from crowdgold.reading.sheets import COUNTS, LONG, WIDE, Sheet
from crowdgold.reading.tables import Rows
from crowdgold.types.columns import LARGEST, counted, is_empty, to_numbers
from crowdgold.types.errors import InputError

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


def _long(sheet: Sheet, notes: list[str]) -> tuple[Sheet, pd.DataFrame, np.ndarray]:
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
            notes.append(f"{sheet.name}: {counted(bare, 'row')} without a label passed over")
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


def read_votes(sheets: Sequence[Sheet], notes: list[str], unmatched: str) -> Rows:
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
        notes.append(f"{where}: {counted(len(none), 'item')} without votes dropped")
    return votes


def _none(sheets: Sequence[Sheet], notes: list[str], unmatched: str) -> Rows:
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
    notes.append(f"no votes: the items are the {len(found.frame):,} of {where}")
    return Rows(found.source, found.frame.assign(votes_positive=0, votes_total=0), found.rows)


def _counts(sheet: Sheet, notes: list[str]) -> Rows:
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
        notes.append(f"{sheet.name}: {counted(int(none.sum()), 'item')} without votes dropped")
    kept = frame.loc[~none, ["item", "votes_positive", "votes_total"]]
    return Rows(sheet.source, kept.reset_index(drop=True), sheet.rows[~none])
