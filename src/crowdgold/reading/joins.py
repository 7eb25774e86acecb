"""Joining files by the names of items, once nothing says that equal names mean other things.

Three things speak against joining two files, and each stops the reading with a message: too many
names of one file are not in the other; names that are not there differ from others in their form
only (leading zeros, case, a date, an ending); the same name stands for another text, or for another
model's answer.
"""

import re
import unicodedata
from collections.abc import Sequence
from contextlib import suppress
from pathlib import PurePosixPath

import numpy as np
import pandas as pd

from crowdgold.reading.columns import (
    ALIASES,
    FEW_ROWS,
    MOST_LABELS,
    NAMES_THINGS,
    REPEATS,
    SAID_BESIDE,
    normal,
    ours_named,
)
from crowdgold.reading.door import DROP, REFUSE
from crowdgold.reading.sheets import ANONYMOUS, LONG, Sheet
from crowdgold.types.columns import counted, has_or_have, to_numbers
from crowdgold.types.errors import InputError
from crowdgold.types.gold_draw import FOR_PEOPLE
from crowdgold.types.notes import Note

NAMED = 3  # items that a message names
LEAST = 0.9  # share of the gold items that must be among the items with votes
OTHERS = 0.5  # share of the items of two files with another text, from which on they are others
FEWEST = 2  # items that say something of a file or a column
UNUSUAL = 0.05  # probability below which labels that are left are no random sample of all
UNSEEN = re.compile("[\u200b-\u200f\u2060\ufeff]")  # characters that have no width
DIGITS = 15  # that a floating point number keeps of a whole number
WHAT_IT_IS = (  # names of columns that say what was judged, though a file has one value alone
    *ALIASES["model"], "task", "question", "prompt", "dataset", "criterion", "aspect", "metric",
)  # fmt: skip
REMARK = re.compile(  # names of columns that say other things of one item in each file
    rf"(?:.*_)?(?:{SAID_BESIDE}|remark|reasoning|explanation|explain|timestamp|datetime|created|"
    r"updated|submitted|started|finished|rationale|highlight|evidence|span|justification|feedback|"
    r"correction|edit|suggestion|suggested|duration|seconds)s?(?:_.*)?",
    re.I,
)
DAY = re.compile(r"(\d{1,2})[-/](\d{1,2})")
DATE = re.compile(r"\d{4}-(\d\d)-(\d\d)(?:[ T]00:00:00)?")
MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
WITH_MONTH = re.compile(rf"(\d{{1,2}})-({'|'.join(MONTHS)})|({'|'.join(MONTHS)})-(\d{{1,2}})")
NUMBER = re.compile(r"[+-]?(\d+)(\.0*)?|[+-]?\d+(\.\d+)?e[+-]?\d+")
SIGNIFICANT = re.compile(r"[+-]?(\d)(?:\.(\d+))?e([+-]?\d+)")
Names = Sequence[str] | np.ndarray | pd.Index | pd.Series  # of items


def some(items: Sequence[object]) -> str:
    """The first few items, for a message."""
    more = ", ..." if len(items) > NAMED else ""
    return ", ".join(map(repr, list(items)[:NAMED])) + more


def _plain(text: str) -> str:
    if not text.isascii():
        with suppress(UnicodeError):  # UTF-8 that was read as Western European
            text = text.encode("cp1252").decode()
    plain = UNSEEN.sub("", unicodedata.normalize("NFKC", text).casefold())
    return re.sub(r"\s+", " ", plain).strip(" '\"")


def form(text: str) -> str:
    """What is left of an item's name without its form.

    Case, accents' encodings, white space, strokes, folders and endings, leading zeros, points of
    whole numbers and digits that a floating point number loses go.
    """
    plain = _plain(text)
    if NUMBER.fullmatch(plain):
        return f"{float(plain):.{DIGITS - 1}e}"
    name = PurePosixPath(plain.replace("\\", "/")).name
    stem, _, ending = name.rpartition(".")
    plain = stem if stem and 2 <= len(ending) <= 4 and ending.isalpha() else name
    plain = re.sub(r"[\s_-]+", "-", plain)
    return re.sub(r"(?<!\d)0+(?=\d)", "", plain)


def _day(text: str) -> tuple[str, str]:
    """The day that a text means, and whether it is a "name" such as 3-4 or a "date"; else empty."""
    plain, day = _plain(text), None
    if match := WITH_MONTH.fullmatch(plain):
        numbers = match[1] or match[4], str(MONTHS.index(match[2] or match[3]) + 1)
    elif match := (day := DAY.fullmatch(plain)) or DATE.fullmatch(plain):
        numbers = match[1], match[2]
    else:
        return "", ""
    return "-".join(sorted(str(int(one)) for one in numbers)), "name" if day else "date"


def by_form(lost: Sequence[str], known: Sequence[str]) -> list[tuple[str, str]]:
    """Lost names that differ from a known one in their form only, each with the other."""
    found = []
    forms = {form(name): name for name in reversed(known)}  # the first of equal ones counts
    days = {_day(name): name for name in reversed(known)}
    for name in lost:
        day, kind = _day(name)
        other = days.get((day, "date" if kind == "name" else "name")) if day else None
        if form(name) in forms or other is not None:
            found.append((name, forms.get(form(name), other or "")))
    numbers = [name for name in known if name.isdecimal() and len(name) > 1]
    rounded: dict[int, dict[str, str]] = {}
    for name in lost:
        match = SIGNIFICANT.fullmatch(name.casefold())
        if not match or form(name) in forms:
            continue
        digits = len((match[2] or "").rstrip("0"))
        if digits not in rounded:
            rounded[digits] = {f"{float(one):.{digits}e}": one for one in reversed(numbers)}
        if (short := f"{float(name):.{digits}e}") in rounded[digits]:
            found.append((name, rounded[digits][short]))
    return found


def places(names: Names, items: Names) -> np.ndarray:
    """Position of each name, (m,), among the items, each there once; -1 of one that is none.

    There may be many more items than names: they are looked up among the names.
    """
    code, found = pd.factorize(np.asarray(names, dtype=object))
    of_items = pd.Index(np.asarray(items, dtype=object), dtype="object")
    own = pd.Index(found, dtype="object").get_indexer(of_items)
    place, known = np.full(len(found), -1), np.flatnonzero(own >= 0)
    place[own[known]] = known
    return place[code]


def check_names(
    what: str, names: Sequence[str], items: Names, unmatched: str, least: float = 0.0,
    of: str = "votes",
) -> list[str]:  # fmt: skip
    """Names of one file, each there once, that are no item.

    `what` stands beside them in messages, as "a gold label", and `of` says what items have. An
    `InputError` where less than the share `least` are items, or some differ from one in their form
    only.
    """
    lost = [names[k] for k in np.flatnonzero(places(names, items) < 0).tolist()]
    if not lost or unmatched == DROP:
        return lost
    mend = (
        "Name items alike in all files. Or go on without those that match nothing, by "
        "--unmatched drop (in Python unmatched='drop')"
    )
    numbers, ends = to_numbers(pd.Series(names, dtype="string")), {str(len(names)), "0"}
    shifted = ends & {*lost} and ends & {*items}  # by one
    if shifted and len(names) >= FEW_ROWS and (np.diff(np.sort(numbers)) == 1).all():
        raise InputError(
            f"items with {what} are named {names[0]!r} to {names[-1]!r}, and {some(lost)} "
            f"{has_or_have(len(lost))} no {of}: the names seem to count rows. {mend}"
        )
    named = set(names)
    if pairs := by_form(lost, [name for name in items if name not in named]):
        shown = ", ".join(f"{one!r} for {other!r}" for one, other in pairs[:NAMED])
        raise InputError(
            f"{counted(len(pairs), 'item')} with {what} {has_or_have(len(pairs))} no "
            f"{of}, and differ from items with {of} in the form of their names only: {shown}. "
            f"{mend}"
        )
    if len(lost) > (1 - least) * len(names):
        raise InputError(
            f"{len(lost):,} of {counted(len(names), 'item')} with {what} have no {of}: "
            f"{some(lost)}; {of} are of {some(list(items))}. {mend}"
        )
    return lost


def left_uneven(labels: pd.Series, kept: np.ndarray) -> list[Note]:
    """A note that the gold labels that are `kept` are no random sample of all; else none."""
    from scipy.stats import fisher_exact  # here: it takes long to load

    positive = labels.to_numpy(dtype=int) == 1
    table = [[int((side & own).sum()) for own in (positive, ~positive)] for side in (kept, ~kept)]
    p = float(fisher_exact(np.array(table)).pvalue)
    if p >= UNUSUAL:
        return []
    left, lost = (100 * one / (one + other) for one, other in table)
    return [Note("gold_left_uneven", {"left": left, "lost": lost, "p": p})]


def check_same_things(sheets: Sequence[Sheet]) -> None:
    """Raise an `InputError` where two files, or rows of one, name other things alike.

    A column of both files tells things apart if it says the same in all rows of an item and differs
    between items (a text, an answer), or has one value in each file (a model, a task).
    """
    for sheet in sheets:
        if sheet.several:
            _check_rows(sheet)
    for place, one in enumerate(sheets):
        for other in sheets[:place]:
            _check_pair(other, one)


def _check_rows(sheet: Sheet) -> None:
    """Raise an `InputError` where rows of one item are of other things, as a column says.

    A text says so if it stands in several rows and of one item only. Models do, and, where nobody
    knows who gave a label, a column with few values that are others in each row of an item: it
    names the annotators, or what was labelled.
    """
    rows = sheet.frame[sheet.frame["item"].duplicated(keep=False).to_numpy(dtype=bool)]
    number = rows["item"].nunique()
    if number < FEWEST:
        return
    for column in sheet.columns:
        model = normal(column).casefold() in ALIASES["model"]
        remark = REMARK.fullmatch(normal(column)) is not None
        if not model and (ours_named(column) or column in FOR_PEOPLE or remark):
            continue
        own = rows[["item", column]].dropna()
        pairs = own.drop_duplicates()
        of_item = pairs["item"].value_counts()
        of_annotators = False
        if sheet.has("annotator"):
            said = sheet.frame[["annotator", column]].dropna().drop_duplicates()
            of_annotators = not said["annotator"].duplicated().any()
        if (of_item > 1).sum() <= OTHERS * number or of_annotators:
            continue
        values = own[column].nunique()
        few = values <= MOST_LABELS and values < number
        apart = sheet.kind == ANONYMOUS and few and len(pairs) >= (1 - REPEATS) * len(rows)
        text = (
            _tells_apart(sheet, column)
            and pairs[column].duplicated().mean() <= REPEATS
            and own[column].duplicated(keep=False).mean() >= OTHERS
        )
        if not (model or apart or text):
            continue
        item = of_item.index[0]
        shown = some(list(pairs[column][pairs["item"] == item]))
        who = f" or by --column {column}=annotator that it says who gave each,"
        who = "" if sheet.kind == LONG else who
        raise InputError(
            f"{sheet.source}: rows of one item are of other things: {column} differs within "
            f"{(of_item > 1).sum():,} of {number:,} items, as {item!r} has {shown}. Say by --item "
            f"item,{column} that both together name an item,{who} or leave it out by "
            f"--column {column}=ignore"
        )


def _tells_apart(sheet: Sheet, column: str) -> bool:
    """Whether a column may say what an item is: a text, a model, a task; no number, no remark."""
    if normal(column).casefold() in WHAT_IT_IS:
        return True
    if ours_named(column) or column in FOR_PEOPLE or REMARK.fullmatch(normal(column)):
        return False
    if NAMES_THINGS.fullmatch(normal(column)):
        return True
    return not np.isfinite(to_numbers(sheet.frame[column].dropna().iloc[:100])).any()


def _check_pair(first: Sheet, second: Sheet) -> None:
    """Raise an `InputError` where two files say other things of most items that they share."""
    both = [name for name in first.columns if name in second.columns]
    columns = [name for name in both if _tells_apart(first, name)]
    if not columns:
        return
    shared = pd.Index(first.frame["item"].unique()).intersection(second.frame["item"].unique())
    if len(shared) < FEWEST:
        return
    for column in columns:
        said = []
        for sheet in (first, second):
            own = sheet.frame[["item", column]].dropna()
            own = own[own["item"].isin(shared)].drop_duplicates()
            said.append(own.set_index("item")[column])
        if any(one.index.has_duplicates for one in said):  # it says several things of one
            continue
        # What is one in each file, as a source or a round, is of the file and not of items.
        of_file = min(one.nunique() for one in said) < FEWEST
        if of_file and normal(column).casefold() not in WHAT_IT_IS:
            continue
        told = pd.concat(said, axis=1, join="inner", keys=["first", "second"])
        other = told[told["first"] != told["second"]]
        if len(other) < FEWEST or len(other) <= OTHERS * len(told):
            continue
        item = other.index[0]
        here, there = (repr(one if len(one) <= 40 else f"{one[:40]}…") for one in other.iloc[0])
        raise InputError(
            f"{first.name} and {second.name} name {counted(len(shared), 'item')} alike, but "
            f"{column} differs in {len(other):,} of them: {item!r} is {here} in "
            f"{first.name} and {there} in {second.name}. They seem to be other things of "
            f"the same names. Say by --item item,{column} that both together name an item. If the "
            f"items are the same, leave the column out by --column {column}=ignore"
        )


def check_forms(
    frame: pd.DataFrame, source: str, notes: list[Note], unmatched: str = REFUSE
) -> None:
    """Raise an `InputError` where items with votes have two names that differ in form only.

    They are one item where no annotator has labelled both; where annotators are not known, if they
    are half of all items. Annotators with two names are noted. `unmatched` is the rule of
    `Reading`: "drop" takes such names for those of two items.
    """
    if alike := _alike(frame["annotator"]) if "annotator" in frame else []:
        names = "; ".join(f"{one!r} and {other!r}" for one, other in alike[:NAMED])
        more = " ..." if len(alike) > NAMED else ""
        notes.append(Note("names_alike", {"names": names + more}))
    pairs = _alike(frame["item"])
    few = "annotator" not in frame and len(pairs) < OTHERS * frame["item"].nunique() / 2
    if len(pairs) < FEWEST or unmatched == DROP or few:
        return
    first = dict(pairs) | {other: other for _, other in pairs}
    own = frame[frame["item"].isin(first)]
    own = own if "annotator" in own else own.assign(annotator=np.arange(len(own)))
    both = own[["item", "annotator"]].drop_duplicates()
    both = both.assign(item=both["item"].map(first))
    if both.duplicated().sum() > REPEATS * len(pairs):
        return
    shown = ", ".join(f"{one!r} and {other!r}" for one, other in pairs[:NAMED])
    raise InputError(
        f"{source}: {len(pairs):,} items have two names, which differ in form only: {shown}. No "
        "annotator labels both. Expected one name for an item, in all rows and files; if they are "
        "two items each, say so by --unmatched drop (in Python unmatched='drop')"
    )


def _alike(names: pd.Series) -> list[tuple[str, str]]:
    """Pairs of names whose form is the same."""
    unique = pd.Series(names.unique(), dtype="string")
    # Of very many names most are passed over fast.
    short = unique.str.lower().str.replace(r"^.*[/\\]|[\s_-]+|(?<!\d)0+(?=\d)", "", regex=True)
    beyond = np.array([not name.isascii() for name in unique], dtype=bool)
    near = unique[short.duplicated(keep=False).to_numpy() | beyond].astype(str)
    found, pairs = dict[str, str](), []
    for name in near:
        # Names with other endings, as of two languages, are of two items.
        other = found.setdefault(form(name) + PurePosixPath(name).suffix.casefold(), name)
        if other != name:
            pairs.append((name, other))
    return pairs
