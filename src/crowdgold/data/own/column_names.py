"""Which column of a file is what: as the user says, by its own name, or guessed and said."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from crowdgold.data.checks import FEW, list_guessed, list_names, repeated
from crowdgold.data.errors import InputError
from crowdgold.data.own.sheets import Sheet, read_sheet
from crowdgold.data.parameters import did_you_mean, unknown

IGNORE = "ignore"
PREFIXES = ("score", "gold", "stratum", "vote")
"""Columns of which there can be several, as PREFIX_NAME."""

ALIASES: dict[str, tuple[str, ...]] = {
    "item": (
        "item", "item_id", "itemid", "task_id", "task", "example_id", "example", "document_id",
        "doc_id", "document", "doc", "text_id", "question_id", "sample_id", "unit_id", "unit",
        "uid", "id", "key",
    ),
    "annotator": (
        "annotator", "annotator_id", "worker", "worker_id", "workerid", "rater", "rater_id",
        "coder", "coder_id", "labeler", "labeller", "labeler_id", "reviewer", "reviewer_id",
        "judge", "judge_id", "user", "user_id", "username", "completed_by",
    ),
    "expert": ("expert", "expert_id", "adjudicator", "expert_name"),
    "gold": (
        "gold", "gold_label", "expert_label", "ground_truth", "true_label", "y_true", "reference",
    ),
    "votes_positive": (
        "votes_positive", "positive_votes", "votes_yes", "yes_votes", "n_positive",
        "num_positive", "n_yes", "upvotes",
    ),
    "votes_negative": (
        "votes_negative", "negative_votes", "votes_no", "no_votes", "n_negative", "num_negative",
        "n_no", "downvotes",
    ),
    "votes_total": (
        "votes_total", "total_votes", "n_votes", "num_votes", "votes", "n_raters", "num_raters",
        "n_annotators", "num_annotators",
    ),
    "score": (
        "score", "model_score", "prediction", "probability", "prob", "proba", "p_positive",
        "confidence", "logit",
    ),
    "label": (
        "label", "vote", "answer", "annotation", "rating", "judgement", "judgment", "choice",
        "verdict", "class",
    ),
    "model": ("model", "model_name", "predictor", "classifier", "system"),
    "stratum": ("stratum", "strata", "segment", "slice"),
    "weight": ("weight", "weights", "sampling_weight", "design_weight"),
    "group": ("group",),
    "cluster": ("cluster", "cluster_id"),
    "gold_probability": (
        "gold_probability", "inclusion_probability", "sampling_probability",
        "selection_probability",
    ),
    "gold_stratum": ("gold_stratum", "sampling_stratum"),
    "gold_stratum_size": ("gold_stratum_size", "sampling_stratum_size"),
    "gold_batch": ("gold_batch",),
    "gold_probability_estimated": ("gold_probability_estimated",),
}  # fmt: skip
"""Column of a study -> the names it is guessed from, likeliest first."""

OF_ANNOTATORS = ("confidence", "probability", "prediction")
"""Names of a score that are no model's where each row is an annotator's."""
PATTERNS = (
    (re.compile(r"(?i:gold|expert)_(\w+)"), "gold"),
    (re.compile(r"(?i:score)_(\w+)"), "score"),
    (re.compile(r"(?i:prob|proba|probability|prediction|pred)_(\w+)"), "score"),
    (re.compile(r"(\w+)_(?i:score|prob|proba|probability|prediction|pred)"), "score"),
    (re.compile(r"(?i:stratum|strata)_(\w+)"), "stratum"),
    (
        re.compile(r"(?i:vote|annotator|rater|coder|worker|judge|reviewer|label)_?(\d+|(?<=_)\w+)"),
        "vote",
    ),
)
"""Names of columns of which there can be several."""
NO_VOTE = re.compile(r".*_(?:id|name|time|comments?|notes?|at|text|count|total)", re.IGNORECASE)
"""Names that the last pattern would find, and that are no annotator's votes."""


def ours_named(name: str) -> bool:
    """Say whether a study has a column of this name."""
    stem, _, rest = name.partition("_")
    return name in ALIASES or name == IGNORE or (stem in PREFIXES and rest != "")


def _normal(name: str) -> str:
    return re.sub(r"[\s\-./]+", "_", name.strip())


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


def _guess(sheet: Sheet, taken: set[str]) -> dict[str, str]:
    """Guess columns from their names; `taken` are those of ours that the sheet has."""
    guessed: dict[str, str] = {}
    normal: dict[str, str] = {}
    for column in sheet.columns:
        if column not in taken:
            normal.setdefault(_normal(column).casefold(), column)
    for ours, aliases in ALIASES.items():
        if ours in taken or (ours == "model" and "score" not in {*taken, *guessed.values()}):
            continue
        known = {*taken, *guessed.values()}
        alias = next((alias for alias in aliases if alias in normal), None)
        if alias in OF_ANNOTATORS and "annotator" in known:
            continue
        if alias is not None:
            guessed[normal.pop(alias)] = ours
    have = {*taken, *guessed.values()}
    counted = "votes_positive" in have or {"annotator", "label"} <= have
    for column in normal.values():
        name = _normal(column)
        for pattern, ours in PATTERNS:
            match = pattern.fullmatch(name)
            if not match or (ours == "vote" and (counted or NO_VOTE.fullmatch(name))):
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


def _other_role(name: str) -> bool:
    """Whether a column's name says what it is, and that is not the item."""
    others = (aliases for ours, aliases in ALIASES.items() if ours != "item")
    return any(name in aliases for aliases in others) or any(
        pattern.fullmatch(name) for pattern, _ in PATTERNS
    )


def _shared_item(sheets: Sequence[Sheet]) -> list[str | None]:
    """The column of each sheet that names the items since all files have it; None where none does.

    A name that says so by itself comes first. Where each file has such a name, if another one, that
    is what the user means.

    Raises:
        InputError: where several columns that all files share could be it.
    """
    if len(sheets) < 2 or any(sheet.has("item") for sheet in sheets):
        return [None] * len(sheets)
    names = [
        {_normal(one).casefold(): one for one in sheet.columns if not ours_named(one)}
        for sheet in sheets
    ]
    shared = [name for name in names[0] if all(name in own for own in names)]
    telling = [alias for alias in ALIASES["item"] if alias in shared]
    if not telling and all(any(alias in own for alias in ALIASES["item"]) for own in names):
        return [None] * len(sheets)
    found = telling[:1] or [name for name in shared if not _other_role(name)]
    if len(found) > 1:
        listed = ", ".join(names[0][name] for name in found)
        raise InputError(
            f"column 'item' is missing, and all files share several: {listed}. Say which of them "
            "names the items by --column THEIRS=item"
        )
    return [own[found[0]] if found else None for own in names]


def name_columns(
    sheets: Sequence[Sheet], columns: Mapping[str, str], notes: list[str]
) -> list[Sheet]:
    """The columns of each sheet the names of a study, where they have one.

    Args:
        columns: THEIRS -> OURS, or FILE:THEIRS -> OURS; OURS may be "ignore".
        notes: what was guessed is added to them.

    Raises:
        InputError: for a name of ours that is none, a column that no file has, or two of one name.
    """
    asked = [
        _asked(sheet, said) for sheet, said in zip(sheets, _said(sheets, columns), strict=True)
    ]
    named = []
    for sheet, item in zip(asked, _shared_item(asked), strict=True):
        if item is not None:
            why = "" if _normal(item).casefold() in ALIASES["item"] else ", since all files have it"
            notes.append(f"{sheet.name}: column {item!r} read as item{why}")
            sheet = sheet.renamed({item: "item"})
        guessed = _guess(sheet, {name for name in sheet.columns if ours_named(name)})
        notes.extend(f"{sheet.name}: {line}" for line in _in_words(guessed))
        named.append(sheet.renamed(guessed))
    return named


@contextmanager
def named_sheets(
    paths: Sequence[str | Path], columns: Mapping[str, str], notes: list[str]
) -> Iterator[list[Sheet]]:
    """The files as sheets with the names of a study; an error within says what was guessed.

    Args:
        columns: as for `name_columns`.
        notes: what was guessed is added to them.

    Raises:
        InputError: where there is no file, one cannot be read, or its columns cannot be named.
    """
    if not paths:
        raise InputError("no files; expected one to three: votes, gold labels, scores")
    sheets = [read_sheet(path, notes) for path in paths]
    try:
        yield name_columns(sheets, columns, notes)
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
