"""Which column is what, judged by what the columns hold: a guess from a name can lose.

An item is named by a column, or by several, that an annotator meets once each. A label differs
between annotators now and then. An annotator has not all rows of each item. A gold label has few
values. Where two columns fit equally, the user is asked by an error that shows them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from crowdgold.data.checks import counted, list_names
from crowdgold.data.errors import InputError
from crowdgold.data.own.names import ALIASES, PATTERNS, normal, ours_named
from crowdgold.data.own.sheets import Sheet
from crowdgold.data.parameters import did_you_mean

REPEATS = 0.05
"""Share of rows that may repeat an item and its annotator, as slips do."""
MOST_LABELS = 20
"""Different values of a column of labels whose name only hints at it."""
ENOUGH = 20
"""Items with several rows, from which on that all their rows agree is no chance."""
FEW_ROWS = 10
"""In fewer rows a score may count them by chance."""
BETWEEN = " | "
"""Between the parts of an item that several columns name."""
MOST_PARTS = 4
"""Columns beside that of the item that may name it."""
SURE = ("label", "gold", "gold_label", "annotator", "annotator_id")
"""Names that say by themselves what a column is."""
NAMES_THINGS = re.compile(r".+_(?:id|uid|uuid|key)|.+(?<=[a-z])Id")
"""Names of columns that name something, which can be the item."""
MOSTLY = 0.8
"""Share of rows from which on something is so of most."""


def names_of(sheet: Sheet) -> dict[str, str]:
    """The columns that have no name of ours, by how a name is compared."""
    found: dict[str, str] = {}
    for column in sheet.columns:
        if not ours_named(column):
            found.setdefault(normal(column).casefold(), column)
    return found


def few_values(sheet: Sheet, column: str) -> bool:
    """Whether a column can hold labels: it has a name that says so, or few values."""
    if normal(column).casefold() in SURE:
        return True
    number = sheet.known(column).nunique()
    return 0 < number <= MOST_LABELS


def _column(sheet: Sheet, ours: str) -> str | None:
    """The column of ours, or the first that its name is guessed from."""
    if sheet.has(ours):
        return ours
    free = names_of(sheet)
    return next((free[alias] for alias in ALIASES[ours] if alias in free), None)


def is_running(values: pd.Series) -> bool:
    """Whether a column only counts the rows."""
    if len(values) < FEW_ROWS:
        return False
    numbers = pd.to_numeric(values, errors="coerce").to_numpy(dtype=float)
    return bool(numbers[0] in (0, 1) and (np.diff(numbers) == 1).all())


def _names_items(sheet: Sheet, columns: Sequence[str]) -> bool:
    """Whether no annotator, or model, meets an item twice if these columns name it."""
    others = [_column(sheet, one) for one in ("annotator", "expert", "model")]
    keys = [*columns, *(one for one in others if one is not None and one not in columns)]
    return bool(sheet.frame.duplicated(keys).mean() <= REPEATS)


def _example(sheet: Sheet, columns: Sequence[str]) -> str:
    """Columns with how many values they have and their first, for a message."""
    return ", ".join(
        f"{name!r} ({counted(sheet.frame[name].nunique(), 'value')}, as "
        f"{sheet.frame[name].iloc[0]!r})"
        for name in columns
    )


def _other_role(name: str) -> bool:
    """Whether a column's name says what it is, and that is not the item."""
    others = (aliases for ours, aliases in ALIASES.items() if ours != "item")
    return any(name in aliases for aliases in others) or any(
        pattern.fullmatch(name) for pattern, _ in PATTERNS
    )


def _chosen(sheets: Sequence[Sheet], found: list[str], telling: bool = True) -> list[str]:
    """The columns that name an item in some sheets, of those that may, by how they are compared.

    Args:
        sheets: that name their items alike.
        found: names that may be it, likeliest first.
        telling: whether the names themselves say that they may.

    Raises:
        InputError: where several fit equally well, or none does.
    """
    if len(found) < 2:
        return found
    own = [(sheet, names_of(sheet)) for sheet in sheets]
    counting = [
        name for name in found if all(is_running(one.frame[free[name]]) for one, free in own)
    ]
    kept = [name for name in found if name not in counting] or found
    if len(kept) == 1:
        return kept

    def fits(*names: str) -> bool:
        return all(_names_items(one, [free[name] for name in names]) for one, free in own)

    several = any(_column(one, "annotator") is not None for one in sheets)
    labels = any(_column(one, "label") is not None for one in sheets)
    alone = [name for name in kept if fits(name)]
    if alone and (several or not labels):
        # Of two that fit, a name that is another one in each row says less.
        rows = [name for name in alone if all(one.frame[free[name]].is_unique for one, free in own)]
        best = [name for name in alone if name not in rows] or alone
        if telling or len(best) == 1:
            return best[:1]
    if not alone and (several or not labels) and fits(*kept):
        return kept
    sheet, free = own[0]
    theirs = [free[name] for name in kept]
    raise InputError(
        f"{sheet.source}: several columns could name the items: {_example(sheet, theirs)}. Say "
        f"which does by --column {theirs[0]}=item, or by --item {','.join(theirs)} that they do so "
        "together"
    )


def _candidates(sheet: Sheet, names: Mapping[str, str]) -> list[str]:
    """Names of columns that may name the items, likeliest first; none where no alias is there.

    Where annotators are known, what the columns hold can speak for another one that names things.
    """
    known = [alias for alias in ALIASES["item"] if alias in names]
    if not known or _column(sheet, "annotator") is None:
        return known
    others = (name for name, own in names.items() if NAMES_THINGS.fullmatch(normal(own)))
    return [*known, *(one for one in others if one not in known and not _other_role(one))]


def _found(sheets: Sequence[Sheet]) -> Iterator[list[str]]:
    """The columns of each sheet that name its items; none where nothing tells.

    Where no file has a column `item`, a name that all files share is what the user means.
    """
    names = [names_of(sheet) for sheet in sheets]
    own = [_candidates(sheet, one) for sheet, one in zip(sheets, names, strict=True)]
    if len(sheets) > 1 and not any(sheet.has("item") for sheet in sheets):
        shared = [name for name in names[0] if all(name in one for one in names)]
        likely = [name for one in own for name in one]
        telling = [name for name in dict.fromkeys(likely) if name in shared]
        if telling or not all(own):
            found = telling or [name for name in shared if not _other_role(name)]
            if found:
                chosen = _chosen(sheets, found, bool(telling))
                yield from ([one[name] for name in chosen] for one in names)
                return
    for sheet, one, candidates in zip(sheets, names, own, strict=True):
        yield [] if sheet.has("item") else [one[name] for name in _chosen([sheet], candidates)]


def with_items(sheets: Sequence[Sheet], said: Sequence[str], notes: list[str]) -> list[Sheet]:
    """The sheets with a column `item`, where one was found.

    Args:
        said: columns that name an item together, as the user says.
        notes: what was guessed is added to them.

    Raises:
        InputError: where columns that were said are not there, or nothing tells which name items.
    """
    if said:
        _check_said(sheets, said)
        return [_joined(sheet, said) for sheet in sheets]
    made = []
    for sheet, columns in zip(sheets, _found(sheets), strict=True):
        if len(columns) > 1:
            notes.append(f"{sheet.name}: columns {list_names(columns)} together read as item, "
                         "since none of them names one alone")  # fmt: skip
            sheet = _joined(sheet, columns)
        elif columns:
            known = normal(columns[0]).casefold() in ALIASES["item"]
            check_own_rows(sheet, columns[0])
            why = "" if known else ", since all files have it"
            notes.append(f"{sheet.name}: column {columns[0]!r} read as item{why}")
            sheet = sheet.renamed({columns[0]: "item"})
        made.append(sheet)
    return made


def _check_said(sheets: Sequence[Sheet], said: Sequence[str]) -> None:
    """Raise an `InputError` where no file has a column that is said to name items."""
    have = [name for sheet in sheets for name in sheet.columns]
    for name in said:
        if name not in have:
            lists = "; ".join(f"{one.name} has {list_names(one.columns)}" for one in sheets)
            meant = did_you_mean(name, have)
            raise InputError(
                f"--item {','.join(said)}: no file has a column {name!r}"
                f"{f'; {meant}' if meant else ''}. {lists}"
            )


def check_own_rows(sheet: Sheet, column: str) -> None:
    """Raise an `InputError` where each row of labels is its own item, and another column fits too.

    Args:
        column: that is guessed to name the items.
    """
    size = len(sheet.frame)
    if _column(sheet, "annotator") is None or size < FEW_ROWS or not sheet.frame[column].is_unique:
        return
    for name, theirs in names_of(sheet).items():
        values = sheet.frame[theirs]
        several = values.duplicated(keep=False).mean() >= MOSTLY and values.nunique() >= ENOUGH
        if several and not _other_role(name) and _names_items(sheet, [theirs]):
            raise InputError(
                f"{sheet.source}: column {column!r} is another one in each row, so that each of "
                f"{size:,} items would have one label. Column {theirs!r} has "
                f"{counted(sheet.frame[theirs].nunique(), 'value')}, as "
                f"{sheet.frame[theirs].iloc[0]!r}, each in several rows. Say which one names the "
                f"items by --column {theirs}=item or --column {column}=item"
            )


def _joined(sheet: Sheet, columns: Sequence[str]) -> Sheet:
    """A sheet with items that several columns name together.

    Raises:
        InputError: where it has not all of them, or two items would have one name.
    """
    missing = [name for name in columns if name not in sheet.columns]
    if missing and sheet.has("item") and "item" not in columns:
        return sheet
    if missing:
        raise InputError(
            f"{sheet.source}: no column {missing[0]!r}, which names an item together with others; "
            f"the file has {list_names(sheet.columns)}"
        )
    parts = [sheet.frame[name] for name in columns]
    item = parts[0].str.cat(sheet.frame[list(columns[1:])], sep=BETWEEN)
    if pd.concat([item, *parts], axis=1).drop_duplicates().iloc[:, 0].dropna().duplicated().any():
        raise InputError(
            f"{sheet.source}: two items would have one name, since a part holds {BETWEEN!r}; "
            "expected names without it"
        )
    # The parts say no more: an item of a model is no score of it.
    parts_of = [
        name
        for name in columns
        if not ours_named(name) or normal(name).casefold() in ALIASES["model"]
    ]
    return replace(sheet, frame=sheet.frame.drop(columns=parts_of).assign(item=item))


def _one_value(sheet: Sheet, column: str) -> bool:
    """Whether all rows of each item say the same, in enough items with several rows."""
    if not sheet.has("item") or column == "item":
        return False
    own = pd.DataFrame({"item": sheet.frame["item"], "value": sheet.known(column)}).dropna()
    several = own["item"].duplicated(keep=False)
    number = own["item"][several].nunique()
    if number < ENOUGH:
        return False
    return len(own[several].drop_duplicates()) == number


def without_authors(sheet: Sheet, guessed: dict[str, str], notes: list[str]) -> Sheet:
    """A sheet whose annotators are none where each item has one alone in all its rows.

    Args:
        guessed: column of the file -> ours.
        notes: what was decided is added to them.
    """
    theirs = next((name for name, ours in guessed.items() if ours == "annotator"), None)
    if theirs is None or normal(theirs).casefold() in SURE or not _one_value(sheet, "annotator"):
        return sheet
    notes.append(f"{sheet.name}: column {theirs!r} is the same in all rows of each item, so that "
                 "it names no annotators")  # fmt: skip
    return sheet.renamed({"annotator": theirs})


def with_labels(sheet: Sheet, notes: list[str]) -> Sheet:
    """A sheet with a column `label`, where one was found.

    Args:
        notes: what was guessed is added to them.

    Raises:
        InputError: where several columns could be it, or the only one is the same for all
            annotators of each item, as a model's answer is.
    """
    free = names_of(sheet)
    found = [free[alias] for alias in ALIASES["label"] if alias in free]
    found = [name for name in found if few_values(sheet, name)]
    if sheet.has("label"):
        if sheet.has("annotator") and _one_value(sheet, "label"):
            for name in (one for one in found if not _one_value(sheet, one)):
                raise InputError(
                    f"{sheet.source}: in column 'label' all annotators of each item agree, as "
                    f"where it belongs to the item, and in {name!r} they do not. Say which are the "
                    f"annotators' labels by --column label=ignore --column {name}=label, or by "
                    f"--column {name}=ignore"
                )
        return sheet
    alike = [name for name in found if sheet.has("annotator") and _one_value(sheet, name)]
    kept = [name for name in found if name not in alike]
    if len(kept) > 1 or (alike and not kept):
        shown = "; ".join(
            f"{name!r} ({list_names(sheet.known(name).dropna().unique(), 5)})" for name in found
        )
        why = (
            "several columns could be the labels"
            if len(kept) > 1
            else "all annotators of each item would agree, as where a column is a model's answer"
        )
        raise InputError(
            f"{sheet.source}: {why}: {shown}. Say which are the annotators' labels by --column "
            f"{found[-1]}=label"
        )
    if not kept:
        return sheet
    notes.append(f"{sheet.name}: column {kept[0]!r} read as label")
    return sheet.renamed({kept[0]: "label"})


def check_repeats(sheet: Sheet, free: Sequence[str]) -> None:
    """Raise an `InputError` where annotators label items again, and other columns tell these apart.

    Args:
        sheet: labels by annotator.
        free: columns of which nothing is known.
    """
    keys = ["item", "annotator"]
    others = [name for name in free if not sheet.frame[name].is_unique]
    if not others:
        return
    again = sheet.frame.duplicated(keys)
    if again.mean() <= REPEATS:
        return
    size, more = len(sheet.frame), list[str]()
    while again.any() and len(more) < MOST_PARTS and others:
        left = {name: sheet.frame.duplicated([*keys, *more, name]) for name in others}
        best = min(others, key=lambda name: int(left[name].sum()))
        if left[best].sum() == again.sum():
            return
        again = left[best]
        more.append(best)
        others.remove(best)
    if again.any() or not more:
        return
    columns = list_names(more)
    raise InputError(
        f"{sheet.source}: in {int(sheet.frame.duplicated(keys).sum()):,} of {size:,} rows an "
        f"annotator labels an item again. With {columns} each item is there once for an annotator. "
        f"Say by --item item,{','.join(more)} that these name an item together, or by --repeated "
        "first or last which of the labels counts"
    )
