"""Which column of a file is what: as the user says, by its own name, or guessed and said.

A guess from a name can lose against what the columns hold. An item is named by a column, or by
several, that an annotator meets once each. A label differs between annotators now and then. An
annotator has not all rows of each item. A gold label has few values. Where two columns fit equally,
an error shows them to the user. `ours` is a study's name of a column, `theirs` the file's own.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain
from pathlib import Path

import numpy as np
import pandas as pd

from crowdgold.reading.door import STANDARD_INPUT, Reading
from crowdgold.reading.sheets import IGNORE, Sheet, read_sheet
from crowdgold.types.columns import FEW, counted, list_names, repeated, to_numbers
from crowdgold.types.errors import InputError
from crowdgold.types.gold_draw import COLUMNS
from crowdgold.types.notes import GUESSED, Note, texts
from crowdgold.types.parameters import did_you_mean, unknown

PREFIXES = ("score", "gold", "stratum", "vote")
"""Columns of which there can be several, as PREFIX_NAME."""

ALIASES: dict[str, tuple[str, ...]] = {
    ours: tuple(names.split())
    for ours, names in {
        "item":
            "item item_id itemid task_id task example_id example document_id doc_id document doc "
            "text_id question_id sample_id unit_id unit uid id key",
        "annotator":
            "annotator annotator_id worker worker_id workerid rater rater_id coder coder_id "
            "labeler labeller labeler_id reviewer reviewer_id judge judge_id user user_id "
            "username completed_by",
        "expert": "expert expert_id adjudicator expert_name",
        "gold":
            "gold gold_label expert_label ground_truth true_label y_true label_gold label_true "
            "gold_standard",
        "votes_positive":
            "votes_positive positive_votes votes_yes yes_votes n_positive num_positive n_yes "
            "upvotes",
        "votes_negative":
            "votes_negative negative_votes votes_no no_votes n_negative num_negative n_no "
            "downvotes",
        "votes_total":
            "votes_total total_votes n_votes num_votes votes n_raters num_raters n_annotators "
            "num_annotators",
        "score": "score model_score prediction probability prob proba p_positive confidence logit",
        "label": "label vote answer annotation rating judgement judgment choice verdict class",
        "model":
            "model model_name model_id predictor classifier system system_id agent agent_id llm "
            "engine assistant variant",
        "stratum": "stratum strata segment slice",
        "weight": "weight weights sampling_weight design_weight",
        "group": "group",
        "cluster": "cluster cluster_id",
        "gold_probability":
            "gold_probability inclusion_probability sampling_probability selection_probability",
        "gold_stratum": "gold_stratum sampling_stratum",
        "gold_stratum_size": "gold_stratum_size sampling_stratum_size",
        "gold_batch": "gold_batch",
        "gold_probability_estimated": "gold_probability_estimated",
    }.items()
}  # fmt: skip
"""Column of a study -> the names it is guessed from, likeliest first."""

PATTERNS = [  # names of columns of which there can be several
    (re.compile(pattern), ours)
    for pattern, ours in (
        (r"(?i:gold|expert)_(\w+)", "gold"),
        (r"(?i:gold|expert|adjudicator)(\d+)", "gold"),
        (r"(?i:score)_(\w+)", "score"),
        (r"(?i:prob|proba|probability|prediction|pred)_(\w+)", "score"),
        (r"(\w+)_(?i:score|prob|proba|probability|prediction|pred)", "score"),
        (r"(?i:stratum|strata)_(\w+)", "stratum"),
        (r"(?i:vote|annotator|rater|coder|worker|judge|reviewer|label)_?(\d+|(?<=_)\w+)", "vote"),
    )
]
SAID_BESIDE = "comments?|notes?|reason|time|date|at"
"""What names of columns end with that hold a remark, or say when something was done."""
OF_A_LABEL = (  # what names of columns end with that say something of a label, or of who gave it
    f"id|name|no|nr|num|number|{SAID_BESIDE}|text|count|total|type|status|"
    "available|reviewed|question|standard|confidence|sure|certainty|agree|agrees|agreed|agreement|flag|"
    "source|level|score|age|gender|female|male|education|country|language|experience|expertise"
)
NO_COLUMN = {
    ours: re.compile(rf".*_(?:{endings})", re.IGNORECASE)
    for ours, endings in {
        "vote": f"{OF_A_LABEL}|gold|majority|true|truth|final|consensus|model|predicted|prediction|"
        "pred|aggregated|mode|mean|median|verdict",
        "gold": OF_A_LABEL,
        "score": "label|class|id|text|time",
    }.items()
}
"""Names that a pattern would find, and that are no annotator's votes, gold labels or scores."""


def ours_named(name: str) -> bool:
    """Whether a study has a column of this name."""
    stem, _, rest = name.partition("_")
    return name in ALIASES or name == IGNORE or (stem in PREFIXES and rest != "")


def normal(name: str) -> str:
    """A name of a column with underscores in the place of spaces, points and strokes."""
    return re.sub(r"[\s\-./]+", "_", name.strip())


REPEATS = 0.05  # share of rows that may repeat an item and its annotator, as slips do
MOST_LABELS = 20  # different values of a column of labels whose name only hints at it
ENOUGH = 20  # items with several rows, from which on that all their rows agree is no chance
FEW_ROWS = 10  # in fewer rows a score may count them by chance
BETWEEN = " | "  # between the parts of an item that several columns name
MOST_PARTS = 4  # columns beside that of the item that may name it
SURE = ("label", "gold", "gold_label", "annotator", "annotator_id")
"""Names that say by themselves what a column is."""
NAMES_THINGS = re.compile(r".+_(?:id|uid|uuid|key)|.+(?<=[a-z])Id")
"""Names of columns that name something, which can be the item."""
MOSTLY = 0.8  # share of rows whose value stands in others too, as names of items do


def names_of(sheet: Sheet) -> dict[str, str]:
    """Normal form of a name -> the column, of those that have no name of ours."""
    found: dict[str, str] = {}
    for column in sheet.columns:
        if not ours_named(column):
            found.setdefault(normal(column).casefold(), column)
    return found


def is_running(values: pd.Series) -> bool:
    """Whether a column only counts the rows."""
    numbers = to_numbers(values)
    return len(values) >= FEW_ROWS and numbers[0] in (0, 1) and bool((np.diff(numbers) == 1).all())


def _few_values(sheet: Sheet, column: str) -> bool:
    """Whether a column can hold labels: it has a name that says so, or few values."""
    sure = normal(column).casefold() in SURE
    return sure or 0 < sheet.known(column).nunique() <= MOST_LABELS


def _column(sheet: Sheet, ours: str) -> str | None:
    """The column that has our name, or the first that it is guessed from; None where none is."""
    if sheet.has(ours):
        return ours
    free = names_of(sheet)
    return next((free[alias] for alias in ALIASES[ours] if alias in free), None)


def _names_items(sheet: Sheet, columns: Sequence[str]) -> bool:
    """Whether no annotator, or model, meets an item twice if these columns name it."""
    others = [_column(sheet, one) for one in ("annotator", "expert", "model")]
    keys = dict.fromkeys([*columns, *filter(None, others)])
    return bool(sheet.frame.duplicated(list(keys)).mean() <= REPEATS)


def _other_role(name: str) -> bool:
    """Whether a column's name says what it is, and that is not the item."""
    return any(name in aliases for ours, aliases in ALIASES.items() if ours != "item") or any(
        pattern.fullmatch(name) for pattern, _ in PATTERNS
    )


def _chosen(sheets: Sequence[Sheet], likely: list[str], telling: bool = True) -> list[str]:
    """The columns that name an item, of `likely` ones in order; `telling` if their names say so."""
    own = [(sheet, names_of(sheet)) for sheet in sheets]
    counting = [
        name for name in likely if all(is_running(one.frame[free[name]]) for one, free in own)
    ]
    kept = [name for name in likely if name not in counting] or likely
    if len(kept) < 2:
        return kept

    def fits(*names: str) -> bool:
        return all(_names_items(one, [free[name] for name in names]) for one, free in own)

    several = any(_column(one, "annotator") is not None for one in sheets)
    judged = several or all(_column(one, "label") is None for one in sheets)
    alone = [name for name in kept if fits(name)]
    if alone and judged:
        # Of two that fit, a name that is another one in each row says less.
        rows = [name for name in alone if all(one.frame[free[name]].is_unique for one, free in own)]
        best = [name for name in alone if name not in rows] or alone
        if telling or len(best) == 1:
            return best[:1]
    if not alone and judged and fits(*kept):
        return kept
    sheet, free = own[0]
    theirs = [free[name] for name in kept]
    shown = ", ".join(
        f"{name!r} ({counted(sheet.frame[name].nunique(), 'value')}, as "
        f"{sheet.frame[name].iloc[0]!r})"
        for name in theirs
    )
    raise InputError(
        f"{sheet.source}: several columns could name the items: {shown}. Say "
        f"which does by --column {theirs[0]}=item, or by --item {','.join(theirs)} that they do so "
        "together"
    )


def _item_columns(sheets: Sequence[Sheet]) -> Iterator[list[str]]:
    """The columns of each sheet that name its items; none where nothing tells.

    Where no file has a column `item`, a name that all files share is what the user means. Where
    annotators are known, what the columns hold can speak for one that names things by no alias.
    """
    names = [names_of(sheet) for sheet in sheets]
    likely = []
    for sheet, free in zip(sheets, names, strict=True):
        known = [alias for alias in ALIASES["item"] if alias in free]
        if known and _column(sheet, "annotator") is not None:
            others = [one for one, own in free.items() if NAMES_THINGS.fullmatch(normal(own))]
            known += [one for one in others if one not in known and not _other_role(one)]
        likely.append(known)
    if len(sheets) > 1 and not any(sheet.has("item") for sheet in sheets):
        shared = [name for name in names[0] if all(name in one for one in names)]
        telling = [name for name in dict.fromkeys(chain(*likely)) if name in shared]
        if telling or not all(likely):
            found = telling or [name for name in shared if not _other_role(name)]
            if found:
                chosen = _chosen(sheets, found, bool(telling))
                yield from ([one[name] for name in chosen] for one in names)
                return
    for sheet, free, candidates in zip(sheets, names, likely, strict=True):
        yield [] if sheet.has("item") else [free[name] for name in _chosen([sheet], candidates)]


def columns_of(sheets: Sequence[Sheet]) -> str:
    """What each file has, for a message."""
    return "; ".join(f"{one.name} has {list_names(one.in_file)}" for one in sheets)


def _instead(name: str, sheets: Sequence[Sheet]) -> str:
    """What a message adds on a column that no file has: the nearest one, and all that there are."""
    meant = did_you_mean(name, [column for sheet in sheets for column in sheet.columns])
    return f"; {f'{meant} ' * bool(meant)}{columns_of(sheets)}"


def _with_items(sheets: Sequence[Sheet], said: Sequence[str], notes: list[Note]) -> list[Sheet]:
    """The sheets with a column `item`, of columns that the user says, or that are found."""
    for name in said:
        if not any(name in sheet.columns for sheet in sheets):
            mend = _instead(name, sheets)
            raise InputError(f"--item {','.join(said)}: no file has a column {name!r}{mend}")
    if said:
        return [_joined(sheet, said) for sheet in sheets]
    made = []
    for sheet, columns in zip(sheets, _item_columns(sheets), strict=True):
        if len(columns) > 1:
            notes.append(Note("columns_together", {"file": sheet.name, "columns": columns}))
            sheet = _joined(sheet, columns)
        elif columns:
            known = normal(columns[0]).casefold() in ALIASES["item"]
            _check_own_rows(sheet, columns[0])
            values = {"file": sheet.name, "column": columns[0], "ours": "item"}
            notes.append(Note("column_read" if known else "shared_column_read", values))
            sheet = sheet.renamed({columns[0]: "item"})
        made.append(sheet)
    return made


def _check_own_rows(sheet: Sheet, column: str) -> None:
    """Refuse a guess by which each row of labels is its own item, where another column fits too."""
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
                f"{counted(values.nunique(), 'value')}, as {values.iloc[0]!r}, each in several "
                f"rows. Say which one names the items by --column {theirs}=item or --column "
                f"{column}=item"
            )


def _joined(sheet: Sheet, columns: Sequence[str]) -> Sheet:
    """A sheet with items that several columns name together."""
    missing = [name for name in columns if name not in sheet.columns]
    if missing and sheet.has("item") and "item" not in columns:
        return sheet
    if missing:
        raise InputError(
            f"{sheet.source}: no column {missing[0]!r}, which names an item together with others; "
            f"the file has {list_names(sheet.in_file)}"
        )
    parts = [sheet.frame[name] for name in columns]
    item = parts[0].str.cat(sheet.frame[list(columns[1:])], sep=BETWEEN)
    if pd.concat([item, *parts], axis=1).drop_duplicates().iloc[:, 0].dropna().duplicated().any():
        raise InputError(
            f"{sheet.source}: two items would have one name, since a part holds {BETWEEN!r}; "
            "expected names without it"
        )
    # The parts say no more: an item of a model is no score of it.
    models = ALIASES["model"]
    gone = [one for one in columns if not ours_named(one) or normal(one).casefold() in models]
    kept = sheet.without(gone, "item")
    return replace(kept, frame=kept.frame.assign(item=item))


def _one_value(sheet: Sheet, column: str) -> bool:
    """Whether all rows of each item say the same, in enough items with several rows."""
    if not sheet.has("item") or column == "item":
        return False
    own = pd.DataFrame({"item": sheet.frame["item"], "value": sheet.known(column)}).dropna()
    several = own["item"].duplicated(keep=False)
    number = own["item"][several].nunique()
    return number >= ENOUGH and len(own[several].drop_duplicates()) == number


def _with_labels(sheet: Sheet, notes: list[Note]) -> Sheet:
    """A sheet with a column `label`, where one was found that is no model's answer."""
    free = names_of(sheet)
    found = [free[alias] for alias in ALIASES["label"] if alias in free]
    found = [name for name in found if _few_values(sheet, name)]
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
        why = "all annotators of each item would agree, as where a column is a model's answer"
        why = "several columns could be the labels" if len(kept) > 1 else why
        raise InputError(
            f"{sheet.source}: {why}: {shown}. Say which are the annotators' labels by --column "
            f"{found[-1]}=label"
        )
    if not kept:
        return sheet
    notes.append(Note("column_read", {"file": sheet.name, "column": kept[0], "ours": "label"}))
    return sheet.renamed({kept[0]: "label"})


def check_repeats(sheet: Sheet, free: Sequence[str]) -> None:
    """Refuse that annotators label items again, where other columns (`free`) tell these apart."""
    keys = ["item", "annotator"]
    others = [name for name in free if not sheet.frame[name].is_unique]
    again = sheet.frame.duplicated(keys)
    if not others or again.mean() <= REPEATS:
        return
    size, repeats, more = len(sheet.frame), int(again.sum()), list[str]()
    while again.any() and len(more) < MOST_PARTS and others:
        left = {name: sheet.frame.duplicated([*keys, *more, name]) for name in others}
        best = min(others, key=lambda name: int(left[name].sum()))
        if left[best].sum() == again.sum():
            return
        again = left[best]
        more.append(best)
        others.remove(best)
    if not again.any() and more:
        raise InputError(
            f"{sheet.source}: in {repeats:,} of {size:,} rows an annotator labels an item again. "
            f"With {list_names(more)} each item is there once for an annotator. Say by --item "
            f"item,{','.join(more)} that these name an item together, or by --repeated first or "
            "last which of the labels counts"
        )


def _renamings(sheets: Sequence[Sheet], columns: Mapping[str, str]) -> list[dict[str, str]]:
    """For each sheet theirs -> ours, as the user says by COLUMN or FILE:COLUMN."""
    found: list[dict[str, str]] = [{} for _ in sheets]
    for theirs, ours in columns.items():
        if not ours_named(ours):
            known = [*ALIASES, *(f"{prefix}_NAME" for prefix in PREFIXES), IGNORE]
            raise InputError(f"column {theirs!r}: {unknown('column', ours, known)}")
        file, colon, column = theirs.partition(":")
        hits = 0
        for sheet, names in zip(sheets, found, strict=True):
            if theirs in sheet.columns:
                names[theirs] = ours
            elif colon and file in (sheet.name, sheet.source) and column in sheet.columns:
                names[column] = ours
            else:
                continue
            hits += 1
        if not hits:
            raise InputError(f"no column {theirs!r}{_instead(theirs, sheets)}")
    return found


def _guess(sheet: Sheet, taken: set[str], others_vote: bool) -> dict[str, str]:
    """Theirs -> ours, guessed from names; no annotator's column where `others_vote`."""
    guessed: dict[str, str] = {}
    free = names_of(sheet)
    for ours, aliases in ALIASES.items():
        known = {*taken, *guessed.values()}
        if ours in (*taken, "item", "label") or (ours == "model" and "score" not in known):
            continue
        names = [alias for alias in aliases if alias in free]
        if ours == "score":  # classes say less than the probability beside them
            names.sort(key=lambda alias: sheet.known(free[alias]).nunique() <= 2)
        # Some names of a score are no model's where each row is an annotator's.
        of_annotator = names and names[0] in ("confidence", "probability", "prediction")
        if not names or (of_annotator and "annotator" in known):
            continue
        if ours != "gold" or _few_values(sheet, free[names[0]]):
            guessed[free.pop(names[0])] = ours
    have = {*taken, *guessed.values()}
    labelled = "label" in have or any(alias in free for alias in ALIASES["label"])
    votes_known = others_vote or "votes_positive" in have or ("annotator" in have and labelled)
    for column in free.values():
        name = normal(column)
        for pattern, ours in PATTERNS:
            match = pattern.fullmatch(name)
            if not match or (ours == "vote" and votes_known):
                continue
            if ours in NO_COLUMN and NO_COLUMN[ours].fullmatch(name):
                continue
            whole = f"{ours}_{match[1]}"
            if whole not in have:
                guessed[column] = whole
                have.add(whole)
            break
    return guessed


def name_columns(sheets: Sequence[Sheet], reading: Reading, notes: list[Note]) -> list[Sheet]:
    """The sheets with names of a study for their columns; notes tell of guesses."""
    asked, with_votes = [], []
    for sheet, said in zip(sheets, _renamings(sheets, reading.columns), strict=True):
        dropped = [theirs for theirs, ours in said.items() if ours == IGNORE]
        kept = {theirs: ours for theirs, ours in said.items() if ours != IGNORE}
        sheet = sheet.without(dropped, IGNORE).renamed(kept)
        if twice := list(repeated(sheet.columns)):
            raise InputError(
                f"{sheet.source}: two columns are named {twice[0]!r}; expected one. Leave the "
                f"other out by --column {twice[0]}={IGNORE}, or give one of them another name"
            )
        asked.append((sheet, said))
    for sheet, said in asked:
        for name in sheet.columns:
            known = name in said.values() or name in COLUMNS
            if name.startswith("gold_") and NO_COLUMN["gold"].fullmatch(name) and not known:
                raise InputError(
                    f"{sheet.source}: column {name!r} could be an expert's labels, or say "
                    f"something else of gold labels. Say so by --column {name}={name}, or by "
                    f"--column {name}=ignore"
                )
        names = {normal(name).casefold() for name in sheet.columns}
        has = {ours for ours, aliases in ALIASES.items() if names & {ours, *aliases}}
        with_votes.append({"annotator", "label"} <= has or "votes_positive" in has)
    named = []
    for place, sheet in enumerate(_with_items([one for one, _ in asked], reading.item, notes)):
        others = any(with_votes[:place] + with_votes[place + 1 :])
        guessed = _guess(sheet, {name for name in sheet.columns if ours_named(name)}, others)
        kinds: dict[str, list[str]] = {}
        for theirs, ours in guessed.items():
            kind = ours if ours in ALIASES else ours.partition("_")[0]
            kinds.setdefault(kind, []).append(theirs)
        for kind, columns in kinds.items():
            if len(columns) > FEW:
                told = {"file": sheet.name, "columns": columns, "kind": kind}
                notes.append(Note("columns_read", told))
                continue
            notes += [
                Note("column_read", {"file": sheet.name, "column": one, "ours": guessed[one]})
                for one in columns
            ]
        sheet = sheet.renamed(guessed)
        author = next((theirs for theirs, ours in guessed.items() if ours == "annotator"), None)
        if author and normal(author).casefold() not in SURE and _one_value(sheet, "annotator"):
            notes.append(Note("of_items", {"file": sheet.name, "column": author}))
            sheet = sheet.renamed({"annotator": author})
        named.append(_with_labels(sheet, notes))
    return named


@contextmanager
def named_sheets(
    paths: Sequence[str | Path], reading: Reading, notes: list[Note]
) -> Iterator[list[Sheet]]:
    """The files as sheets with the names of a study; an error within says what was guessed."""
    if not paths:
        raise InputError("no files; expected one to three: votes, gold labels, scores")
    if sum(str(path) == STANDARD_INPUT for path in paths) > 1:
        raise InputError(f"{STANDARD_INPUT}: standard input is named twice; expected it once")
    sheets = [read_sheet(path, notes, reading.encoding, reading.words) for path in paths]
    try:
        sheets = name_columns(sheets, reading, notes)
        yield sheets
    except InputError as error:
        # Messages name our columns, which need not be those of the files.
        guessed = texts(note for note in notes if note.weight == GUESSED)
        gap = "\n" if "\n" in str(error) else " "
        raise InputError(f"{error}{gap}(guessed: {guessed})" if guessed else str(error)) from None
