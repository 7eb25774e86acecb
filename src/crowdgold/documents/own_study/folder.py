"""The folder that `crowdgold evaluate` writes, as the report on it needs it.

estimates.csv    a row for each stratum, model, comparison, metric and method (needed)
study.json       settings, strata, notes, headlines, fits, what was not run (needed)
curves.csv, parameters.csv, annotators.csv, predictive.csv, items.csv    where there are any
check.json       the data check, as of `crowdgold check --json`, where it was made
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd

from crowdgold.data import InputError
from crowdgold.data.spreadsheet import restored
from crowdgold.evaluation.annotator_check import AnnotatorCheck

ESTIMATES, STUDY, CHECK = "estimates.csv", "study.json", "check.json"
NAMES = (
    "stratum", "model", "against", "metric", "method", "message", "note", "curve", "annotator",
    "parameter", "check",
)  # fmt: skip
"""Columns of text, in which NA or an empty cell is a name like any other."""
FLAGS = ("diagnostics_passed", "misfit")
COLUMNS: Mapping[str, tuple[str, ...]] = {
    "estimates": (
        "stratum", "model", "against", "metric", "method", "estimate", "lower", "upper",
        "effective_gold", "misfit", "misfit_p", "diagnostics_passed", "message", "note",
    ),
    "curves": ("stratum", "model", "method", "curve", "at", "estimate", "lower", "upper"),
    "predictive": (
        "stratum", "model", "method", "check", "gold", "votes_total", "votes_positive", "items",
        "observed", "expected", "lower", "upper",
    ),
    "parameters": ("stratum", "model", "method", "parameter", "median", "lower", "upper"),
    "annotators": ("stratum", "method", "annotator", "metric", "estimate", "lower", "upper"),
}  # fmt: skip
"""Table -> the columns that the report reads."""
KEYS = ("settings", "models", "strata", "headlines", "fits", "not_run")
PARTS: Mapping[str, tuple[str, ...]] = {
    "strata": ("name", "items", "votes", "gold", "gold_positive", "gold_negative"),
    "headlines": (
        "stratum", "model", "against", "metric", "method", "estimate", "lower", "upper",
        "effective_gold", "misfit", "beside", "passed_over", "note", "reason",
    ),
    "fits": ("stratum", "method", "model", "diagnostics_passed", "problems"),
    "not_run": ("stratum", "method", "reason"),
}  # fmt: skip
"""List of study.json -> the keys of each of its entries."""
CHECKED = (
    "items", "votes", "votes_per_item", "positive_votes", "agreement", "annotators",
    "gold_positive", "gold_negative", "gold_sample", "majority_right", "scores", "verdicts",
    "warnings",
)  # fmt: skip
"""Keys of check.json."""
ANNOTATORS = tuple(one.name for one in fields(AnnotatorCheck))
AGAIN = "expected a folder written by `crowdgold evaluate`; run it again"
TRUTHS = {"true": 1.0, "1": 1.0, "1.0": 1.0, "false": 0.0, "0": 0.0, "0.0": 0.0}


@dataclass(frozen=True)
class StudyFolder:
    """What the folder holds.

    Attributes:
        path: the folder.
        summary: study.json.
        tables: name -> table with at least the columns of `COLUMNS`; empty where there is none.
        check: check.json; None where there is none.
    """

    path: Path
    summary: Mapping[str, Any]
    tables: Mapping[str, pd.DataFrame]
    check: Mapping[str, Any] | None

    @property
    def level(self) -> float:
        """Give the level of the intervals."""
        return float(self.summary["settings"]["level"])

    @property
    def about(self) -> str:
        """Give the setting that says what intervals are about; before there was one, the items."""
        return str(self.summary["settings"].get("about", "items"))

    @property
    def whole(self) -> str:
        """Give the name of the stratum that holds every item: the first."""
        return str(self.summary["strata"][0]["name"])

    @property
    def counts(self) -> Mapping[str, Any]:
        """Give the numbers of items, votes and gold labels of all items."""
        found: Mapping[str, Any] = self.summary["strata"][0]
        return found

    @property
    def models(self) -> list[str]:
        """Give the models' names."""
        return [str(name) for name in self.summary["models"]]

    def of_all(self, table: str) -> pd.DataFrame:
        """Give the rows of a table that are of all items."""
        rows = self.tables[table]
        return rows[rows["stratum"] == self.whole].reset_index(drop=True)

    @cached_property
    def items(self) -> pd.DataFrame:
        """Give votes_positive, votes_total and gold of every item; no rows without items.csv."""
        path, columns = self.path / "items.csv", ["votes_positive", "votes_total", "gold"]
        if not path.is_file():
            return pd.DataFrame(columns=columns)
        return _read(path, tuple(columns))


def records_of(table: pd.DataFrame) -> list[dict[str, Any]]:
    """Give the rows of a table."""
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]


def _truth(values: pd.Series) -> pd.Series:
    """Read yes, no and nothing as 1, 0 and NaN."""
    return values.astype(str).str.strip().str.lower().map(TRUTHS).astype(float)


def _read(path: Path, columns: tuple[str, ...]) -> pd.DataFrame:
    """Read a table.

    Raises:
        InputError: where it is no CSV file, or lacks a column.
    """
    try:
        texts = dict.fromkeys((*NAMES, *FLAGS), str)
        numbers = {name: [""] for name in columns if name not in texts}
        table = pd.read_csv(path, dtype=texts, keep_default_na=False, na_values=numbers)
    except (ValueError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: no table ({error}); {AGAIN}") from None
    table, _ = restored(table)
    missing = [name for name in columns if name not in table]
    if missing:
        raise InputError(f"{path}: no column {missing[0]!r}; {AGAIN}")
    for name in columns:
        if name in FLAGS:
            table[name] = _truth(table[name])
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


def _json(path: Path) -> dict[str, Any]:
    """Read an object of JSON.

    Raises:
        InputError: where it is none.
    """
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"{path}: no JSON ({error}); {AGAIN}") from None
    if not isinstance(found, dict):
        raise InputError(f"{path}: found {type(found).__name__}, expected an object; {AGAIN}")
    return found


def _require(found: object, keys: tuple[str, ...], path: Path, where: str) -> None:
    """Raise an `InputError` where an object lacks a key."""
    if not isinstance(found, dict):
        raise InputError(
            f"{path}: {where}found {type(found).__name__}, expected an object; {AGAIN}"
        )
    missing = [key for key in keys if key not in found]
    if missing:
        raise InputError(f"{path}: {where}no key {missing[0]!r}; {AGAIN}")


def read_study_folder(path: Path) -> StudyFolder:
    """Read the folder of an evaluation.

    Raises:
        InputError: naming the file, column, row or key that is missing or cannot be read.
    """
    for name in (STUDY, ESTIMATES):
        if not (path / name).is_file():
            raise InputError(f"{path}: no file {name}; expected a folder from `crowdgold evaluate`")
    summary = _json(path / STUDY)
    _require(summary, KEYS, path / STUDY, "")
    _require(summary["settings"], ("level",), path / STUDY, "settings: ")
    for part, keys in PARTS.items():
        for place, entry in enumerate(summary[part]):
            _require(entry, keys, path / STUDY, f"{part}[{place}]: ")
    if not summary["strata"]:
        raise InputError(f"{path / STUDY}: no strata; {AGAIN}")
    tables = {}
    for name, columns in COLUMNS.items():
        file = path / f"{name}.csv"
        there = file.is_file()
        tables[name] = _read(file, columns) if there else pd.DataFrame(columns=list(columns))
    check = _json(path / CHECK) if (path / CHECK).is_file() else None
    if check is not None:
        _require(check, CHECKED, path / CHECK, "")
        if check["annotators"] is not None:
            _require(check["annotators"], ANNOTATORS, path / CHECK, "annotators: ")
    return StudyFolder(path, summary, tables, check)
