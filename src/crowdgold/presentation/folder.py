"""The folder that `crowdgold evaluate` writes, as the report on it needs it.

estimates.csv    a row for each stratum, model, comparison, metric and method (needed)
study.json       settings, strata, notes, answers, fits, what was not run (needed)
curves.csv, parameters.csv, annotators.csv, predictive.csv, expert_errors.csv, items.csv
                 where there are any
check.json       the data check, as of `crowdgold check --json`, where it was made
"""

import csv
import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from crowdgold.checking.study import DataCheck
from crowdgold.checking.text import as_json
from crowdgold.evaluation import assumed_errors
from crowdgold.evaluation.answer import NUMBERS as ANSWER_NUMBERS
from crowdgold.evaluation.answer import Answer, answer_of, of_stratum
from crowdgold.evaluation.folder import CHECK, ESTIMATES, STUDY, Evaluation
from crowdgold.evaluation.rows import CURVES, ENDS, PARAMETERS
from crowdgold.inference.rectified import TARGETS
from crowdgold.reading.json_shapes import (
    ANYTHING,
    COUNT,
    FLAG,
    LEVEL,
    NUMBER,
    SHARE,
    TEXT,
    Shape,
    Unfit,
    check_shape,
    keys,
    list_of,
    named,
    optional,
    read_json,
)
from crowdgold.reading.outputs import plain, restored
from crowdgold.reading.tables import check_cells
from crowdgold.types.errors import InputError
from crowdgold.types.notes import CATALOGUE, WEIGHTS, note_of

VALUE = optional(NUMBER)


def _with_ends(shape: Shape) -> Shape:
    """An object with a `lower` and an `upper` end of an interval: two numbers in order, or none."""

    def check(value: Any, where: str) -> None:
        shape(value, where)
        lower, upper = value["lower"], value["upper"]
        if (lower is None) != (upper is None) or (lower is not None and lower > upper):
            raise Unfit(
                f"{where}: found an interval from lower = {lower} to upper = {upper}, expected two "
                "numbers in order, or none"
            )

    return check


def _about(value: Any, where: str) -> None:
    TEXT(value, where)
    if value not in TARGETS:
        raise Unfit(f"{where}: found {value!r}, expected {' or '.join(TARGETS)}")


def _one_of(known: Collection[str], what: str) -> Shape:

    def check(value: Any, where: str) -> None:
        TEXT(value, where)
        if value not in known:
            raise Unfit(f"{where}: found {value!r}, expected {what}")

    return check


_code = _one_of(CATALOGUE, "the code of a note")
_weight = _one_of(WEIGHTS, " or ".join(WEIGHTS))
_KEY = {"stratum": TEXT, "model": TEXT, "against": TEXT, "metric": TEXT}
_STRATUM = keys(
    {"name": TEXT, "items": COUNT, "votes": COUNT, "gold": COUNT, "gold_positive": COUNT,
     "gold_negative": COUNT},
    {"gold_random": optional(FLAG), "ranges_if": TEXT},
)  # fmt: skip
_FLAT = dict.fromkeys(ANSWER_NUMBERS, VALUE)
_NOTE_KEYS = keys(
    {"code": _code, "weight": _weight, "values": named(ANYTHING)}, {"text": TEXT}
)  # fmt: skip


def _NOTE(value: Any, where: str) -> None:
    _NOTE_KEYS(value, where)
    try:
        note_of(value).text  # noqa: B018
    except (KeyError, ValueError, TypeError):
        raise Unfit(f"{where}.values: expected those of the note {value['code']!r}") from None


_VALUE = _with_ends(keys({"method": TEXT, **_FLAT, "misfit": optional(FLAG)}))
_RANGE = _with_ends(keys({"lower": VALUE, "upper": VALUE, "gold": COUNT, "why": optional(_NOTE)}))
_PASSED = keys({"method": TEXT, "why": list_of(_NOTE)})
_ANSWER = _with_ends(
    keys({
        **_KEY, "method": optional(TEXT), **_FLAT, "misfit": optional(FLAG), "gold": COUNT,
        "beside": optional(_VALUE), "gold_alone": optional(_VALUE), "votes_alone": VALUE,
        "range": optional(_RANGE), "reason": optional(_NOTE), "notes": list_of(_NOTE),
        "passed_over": list_of(_PASSED),
    }, {"way": optional(TEXT)})
)  # fmt: skip
_FIT = keys(
    {"stratum": TEXT, "method": TEXT, "model": TEXT, "diagnostics_passed": FLAG,
     "problems": list_of(TEXT)},
    {"notes": list_of(TEXT), "rhat": VALUE, "divergences": VALUE, "seconds": NUMBER},
)  # fmt: skip
_NOT_RUN = keys(
    {"stratum": TEXT, "method": TEXT, "reason": TEXT},
    {"model": optional(TEXT), "failed": optional(FLAG)},
)
_STUDY = keys(
    {
        "settings": keys({"level": LEVEL}, {"about": _about}), "models": list_of(TEXT),
        "strata": list_of(_STRATUM), "answers": list_of(_ANSWER), "fits": list_of(_FIT),
        "not_run": list_of(_NOT_RUN),
    },
    {"date": TEXT, "notes": list_of(TEXT), "seconds": VALUE, "written": list_of(TEXT)},
)  # fmt: skip

_VERDICT = keys({"method": TEXT, "verdict": TEXT, "why": TEXT}, {"mend": TEXT})
_CHECK = keys(
    {
        "about": named(list_of(TEXT)), "verdicts": list_of(_VERDICT), "warnings": list_of(TEXT),
        "gold_sample": keys({}, {"p": optional(SHARE), "of": TEXT}),
    },
)  # fmt: skip
"""Of check.json, what the report shows."""

NAMES = (
    "stratum", "model", "against", "metric", "method", "message", "note", "codes", "curve",
    "annotator", "parameter", "check",
)  # fmt: skip
"""Columns of text, in which NA or an empty cell is a name like any other."""
FLAGS = ("diagnostics_passed", "misfit")
COLUMNS: Mapping[str, tuple[str, ...]] = {
    ESTIMATES: (
        "stratum", "model", "against", "metric", "method", "estimate", "lower", "upper",
        "effective_gold", *ENDS, "misfit", "misfit_p", "diagnostics_passed", "message", "note",
    ),
    "curves": CURVES,
    "predictive": (
        "stratum", "model", "method", "check", "gold", "votes_total", "votes_positive", "items",
        "observed", "expected", "lower", "upper",
    ),
    "parameters": PARAMETERS,
    "annotators": ("stratum", "method", "annotator", "metric", "estimate", "lower", "upper"),
    "expert_errors": assumed_errors.COLUMNS,
}  # fmt: skip
"""Table -> the columns that the report reads."""
AGAIN = "expected a folder written by `crowdgold evaluate`; run it again"
TRUTHS = {"true": 1.0, "1": 1.0, "1.0": 1.0, "false": 0.0, "0": 0.0, "0.0": 0.0}


@dataclass(frozen=True)
class StudyFolder:
    """An evaluation as its folder has it, read and checked, or before it is written."""

    summary: Mapping[str, Any]  # study.json
    all_answers: Sequence[Answer]
    tables: Mapping[str, pd.DataFrame]  # by name, with the columns of `COLUMNS`; some are empty
    check: Mapping[str, Any] | None  # check.json; None where there is none
    path: Path | None = None  # None where it was not written

    @property
    def level(self) -> float:
        """The level of the intervals."""
        return float(self.summary["settings"]["level"])

    @property
    def about(self) -> str:
        """The setting that says what intervals are about; before there was one, the items."""
        return str(self.summary["settings"].get("about", "items"))

    @property
    def whole(self) -> str:
        """The name of the stratum that holds every item: the first."""
        return str(self.counts["name"])

    @property
    def notes(self) -> list[str]:
        """The notes of study.json, and the files that it names and that are no longer there."""
        named = [str(name) for name in self.summary.get("written", ())]
        lost = [one for one in named if self.path and not os.path.lexists(self.path / one)]
        return [
            *map(str, self.summary.get("notes", ())),
            *(f"{name} is no longer in the folder: what rests on it is left out" for name in lost),
        ]

    @property
    def counts(self) -> Mapping[str, Any]:
        """The numbers of items, votes and gold labels of all items."""
        return dict(self.summary["strata"][0])

    @cached_property
    def answers(self) -> list[Answer]:
        """Those of all items."""
        return of_stratum(self.all_answers, self.whole)

    @property
    def models(self) -> list[str]:
        """The models' names."""
        return [str(name) for name in self.summary["models"]]

    def of_all(self, table: str) -> pd.DataFrame:
        """The rows of a table that are of all items."""
        rows = self.tables[table]
        return rows[rows["stratum"] == self.whole].reset_index(drop=True)

    @cached_property
    def items(self) -> pd.DataFrame:
        """votes_positive, votes_total and gold of every item; no rows without items.csv."""
        if self.path is None:
            return self.tables["items"]
        return _table(self.path / "items.csv", ("votes_positive", "votes_total", "gold"))


def records_of(table: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table as dictionaries."""
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]


def _table(path: Path, columns: Sequence[str]) -> pd.DataFrame:
    if not os.path.lexists(path):
        return pd.DataFrame(columns=list(columns))
    try:
        check_cells(path, ",", fewer=True)
        texts = dict.fromkeys((*NAMES, *FLAGS), str)
        numbers = {name: [""] for name in columns if name not in texts}
        table = pd.read_csv(path.absolute(), dtype=texts, keep_default_na=False, na_values=numbers)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}; {AGAIN}") from None
    except InputError as error:
        raise InputError(f"{error}; {AGAIN}") from None
    except (ValueError, csv.Error) as error:
        raise InputError(f"{path}: no table ({error}); {AGAIN}") from None
    table, _ = restored(table)
    missing = [name for name in columns if name not in table]
    if missing:
        raise InputError(f"{path}: no column {missing[0]!r}; {AGAIN}")
    for name in columns:
        if name in FLAGS:
            truth = table[name].astype(str).str.strip().str.lower()
            table[name] = truth.map(TRUTHS).astype(float)
        elif name not in NAMES:
            values = pd.to_numeric(table[name], errors="coerce")
            bad = values.isna() & table[name].notna() & (table[name].astype(str) != "nan")
            if bad.any():
                row = int(bad.to_numpy().argmax())
                found = table[name].iloc[row]
                raise InputError(
                    f"{path}, row {row + 2}, column {name!r}: found {found!r}, expected a number; "
                    f"{AGAIN}"
                )
            table[name] = values
    return table[list(columns)]


def _json(path: Path, shape: Shape) -> dict[str, Any]:
    found: dict[str, Any] = read_json(path, AGAIN)
    check_shape(found, shape, path, AGAIN)
    return found


def read_study_folder(path: Path) -> StudyFolder:
    """The folder of an evaluation.

    Raises an `InputError` naming the file, column, row or key that is missing or cannot be read.
    """
    for name in (STUDY, f"{ESTIMATES}.csv"):
        if not os.path.lexists(path / name):
            raise InputError(f"{path}: no file {name}; {AGAIN}")
    summary = _json(path / STUDY, _STUDY)
    if not summary["strata"]:
        raise InputError(f"{path / STUDY}: no strata; {AGAIN}")
    tables = {name: _table(path / f"{name}.csv", columns) for name, columns in COLUMNS.items()}
    check = _json(path / CHECK, _CHECK) if os.path.lexists(path / CHECK) else None
    answers = [answer_of(row) for row in summary["answers"]]
    return StudyFolder(summary, answers, tables, check, path)


def study_shown(evaluation: Evaluation, check: DataCheck) -> StudyFolder:
    """An evaluation that was not written, as its folder would have it."""
    tables = {"items": evaluation.tables["items"]}
    for name, columns in COLUMNS.items():
        numbers = [column for column in columns if column not in NAMES]
        table = evaluation.tables[name].reindex(columns=list(columns))
        tables[name] = table.assign(**{one: pd.to_numeric(table[one]) for one in numbers})
    summary = plain(evaluation.summary.as_json())
    return StudyFolder(summary, evaluation.answers, tables, plain(as_json(check)))
