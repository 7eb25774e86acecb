"""Folders of `evaluate`, and figures and tables of the workflow, that are damaged."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from crowdgold.record.record import METADATA_KEY
from crowdgold.record.seals import SEAL_KEY, UNSEALED, seal, write_sealed_text
from unit.bad_inputs.case import UNREADABLE, Case, a_folder
from unit.made_study import make_study

Damage = Callable[[Path], object]
"""What is done to a folder of an evaluation."""


def evaluated(damage: Damage) -> Damage:
    """What makes the folder of an evaluation, and damages it."""

    def make(path: Path) -> None:
        make_study(path)
        damage(path)

    return make


def _keyed(name: str, change: Callable[[dict[str, Any]], object]) -> Damage:
    """What changes the content of a JSON file."""

    def damage(folder: Path) -> None:
        content = json.loads((folder / name).read_text())
        change(content)
        (folder / name).write_text(json.dumps(content))

    return damage


def _column(name: str, change: Callable[[pd.DataFrame], pd.DataFrame]) -> Damage:
    """What changes a table."""

    def damage(folder: Path) -> None:
        table = pd.read_csv(folder / name, dtype=object, keep_default_na=False)
        change(table).to_csv(folder / name, index=False)

    return damage


def _set(key: str, value: Any, *path: Any) -> Callable[[dict[str, Any]], None]:
    """What gives a key a value; `...` removes it. The path leads to where the key stands."""

    def change(content: Any) -> None:
        for step in path:
            content = content[step]
        if value is ...:
            del content[key]
        else:
            content[key] = value

    return change


def _cut(path: Path) -> None:
    """Leave a third, and of a table's last row not all cells."""
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 3].rstrip(b",\n"))


def _empty(path: Path) -> None:
    path.write_bytes(b"")


FILES: Mapping[str, Damage] = {
    "empty": _empty,
    "NUL bytes": lambda path: path.write_bytes(bytes(64)),
    "UTF-16": lambda path: path.write_bytes(path.read_text().encode("utf-16")),
    "a picture": lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\n\xff\xfe"),
    "cut short": _cut,
    "a web page": lambda path: path.write_text("<html><body>Please log in</body></html>"),
    "a folder": lambda path: (path.unlink(), a_folder(path)),
    "unreadable": lambda path: (path.unlink(), UNREADABLE(path)),
}
HELD = ("study.json", "check.json", "estimates.csv", "curves.csv", "parameters.csv",
        "annotators.csv", "predictive.csv")  # fmt: skip


def _notes(where: str) -> Iterator[tuple[str, str, Callable[[dict[str, Any]], None]]]:
    """What can be wrong with a note of the first answer: in words, the key, and what changes it."""
    sound = {"code": "too_wide", "weight": "told", "values": {"lower": 0.1, "upper": 0.9}}
    for what, key, wrong in (
        ("a code that is not known", "code", {"code": "none"}),
        ("a weight that is not known", "weight", {"weight": "heavy"}),
        ("a value that is missing", "values", {"values": {"lower": 0.1}}),
        ("a value of another kind", "values", {"values": {"lower": 0.1, "upper": "high"}}),
        ("values of a list", "values", {"values": [0.1, 0.9]}),
        ("no note", "object", "its interval is too wide"),
    ):
        note = {**sound, **wrong} if isinstance(wrong, dict) else wrong
        passed = [{"method": "GT", "why": [note]}]
        held = {"reason": note, "notes": [note], "passed_over": passed}[where]
        yield what, key, _set(where, held, "answers", 0)


KEYS: Mapping[str, Mapping[str, tuple[str, Callable[[dict[str, Any]], None]]]] = {
    "study.json": {
        **{f"without {key}": (key, _set(key, ...)) for key in
           ("settings", "models", "strata", "answers", "fits", "not_run")},
        "settings of a text": ("settings", _set("settings", "all")),
        "no level": ("level", _set("level", ..., "settings")),
        "a level in words": ("level", _set("level", "high", "settings")),
        "a level of nothing": ("level", _set("level", None, "settings")),
        "a level of 95": ("level", _set("level", 95, "settings")),
        "models of a number": ("models", _set("models", 3)),
        "models of nothing": ("models", _set("models", None)),
        "strata of a text": ("strata", _set("strata", "all")),
        "strata of nothing": ("strata", _set("strata", None)),
        "no strata": ("strata", _set("strata", [])),
        "a stratum of a text": ("strata", _set("strata", ["all"])),
        "a stratum without its name": ("name", _set("name", ..., "strata", 0)),
        "items in words": ("items", _set("items", "many", "strata", 0)),
        "items of nothing": ("items", _set("items", None, "strata", 0)),
        "gold in words": ("gold", _set("gold", "few", "strata", 0)),
        "answers of nothing": ("answers", _set("answers", None)),
        "an answer without its value": ("estimate", _set("estimate", ..., "answers", 0)),
        "an answer in words": ("estimate", _set("estimate", "high", "answers", 0)),
        "an interval without its upper end": ("answers", _set("upper", None, "answers", 0)),
        "an end beyond all numbers": ("upper", _set("upper", 1e308, "answers", 0)),
        **{f"{one} of an answer, {what}": (rf"{one}\b.*{key}", change)
           for one in ("reason", "notes", "passed_over") for what, key, change in _notes(one)},
        "fits of a number": ("fits", _set("fits", 4)),
        "a fit without its problems": ("problems", _set("problems", ..., "fits", 0)),
        "problems of a number": ("problems", _set("problems", 3, "fits", 0)),
        "not_run of a text": ("not_run", _set("not_run", "none")),
        "notes of a number": ("notes", _set("notes", 3)),
    },
    "check.json": {
        **{f"without {key}": (key, _set(key, ...)) for key in
           ("about", "verdicts", "gold_sample", "warnings")},
        "words of a text": ("about", _set("about", "3,000 items")),
        "words of a number": ("items", _set("items", [3000], "about")),
        "a verdict of a text": ("verdicts", _set("verdicts", ["usable"])),
        "verdicts of a number": ("verdicts", _set("verdicts", 3)),
        "a gold sample of a text": ("gold_sample", _set("gold_sample", "random")),
        "warnings of a number": ("warnings", _set("warnings", 1)),
    },
}  # fmt: skip
COLUMNS = {
    "estimates.csv": ("estimate", "lower", "method", "stratum", "diagnostics_passed"),
    "curves.csv": ("at", "curve"), "parameters.csv": ("median",), "annotators.csv": ("annotator",),
    "predictive.csv": ("observed",),
}  # fmt: skip
NUMBERS = {
    "estimates.csv": "estimate", "curves.csv": "at", "parameters.csv": "median",
    "annotators.csv": "lower", "predictive.csv": "observed",
}  # fmt: skip


def _damages(name: str) -> Iterator[tuple[str, Damage, str]]:
    """What can be wrong with a file of the folder: in words, what does it, and what is said."""
    some = FILES if name in ("study.json", "check.json", "estimates.csv") else {"empty": _empty}
    for what, change in some.items():
        yield what, lambda at, own=change: own(at / name), name
    if name in ("study.json", "estimates.csv"):
        yield "not there", lambda at: (at / name).unlink(), name
    if name.endswith(".json"):
        text = b"[]" if name == "study.json" else b"3"
        yield "no object", lambda at: (at / name).write_bytes(text), name
    for what, (key, change) in KEYS.get(name, {}).items():
        yield what, _keyed(name, change), rf"{name}.*{key}"
    for each in COLUMNS.get(name, ()):
        dropped = _column(name, lambda table, own=each: table.drop(columns=own))
        yield f"without the column {each}", dropped, f"{name}: no column '{each}'"
    if number := NUMBERS.get(name):
        word = _column(name, lambda table: table.assign(**{number: "x"}))
        yield "a word for a number", word, f"{name}, row 2, column '{number}': found 'x'"


def _reports() -> Iterator[Case]:
    for name in HELD:
        for what, damage, says in _damages(name):
            yield Case("report", name, what, ["mine"], {"mine": evaluated(damage)}, says)
    page = {"mine": evaluated(lambda at: a_folder(at / "report.html"))}
    yield Case("report", "report.html", "a folder in its place", ["mine"], page, "report.html")


RECORD: Mapping[str, Any] = {
    "figure": "f", "files": {"f.svg": "0" * 64}, "tables": [], "mixed_code": "",
    "drawn": {"code_version": "1", "code": {}},
}  # fmt: skip


def sealed(record: Mapping[str, Any]) -> Damage:
    """What writes a record as the workflow does, with its checksum."""
    return lambda path: write_sealed_text(
        json.dumps({**record, "checksum": UNSEALED.decode()}), path
    )


RECORDS: Mapping[str, tuple[str, str]] = {
    "edited": (json.dumps({**RECORD, "checksum": UNSEALED.decode()}), "is damaged"),
    "empty": ("", "not a record"),
    "cut short": (json.dumps(RECORD)[:30], "not a record"),
    "a list": ("[]", "not a record"),
    "a number": ("3", "not a record"),
    "of something else": ('{"a": 1}', "not a record"),
    **{
        f"without {key}": (
            json.dumps({k: v for k, v in RECORD.items() if k != key}), "record|drawn"
        )
        for key in ("figure", "files", "tables", "drawn")
    },
    "files of a list": (json.dumps({**RECORD, "files": []}), "files"),
    "tables of a number": (json.dumps({**RECORD, "tables": 3}), "tables"),
    "a table of a text": (json.dumps({**RECORD, "tables": ["t"]}), "tables"),
    "a table without its path": (json.dumps({**RECORD, "tables": [{"sha256": "0"}]}), "path"),
    "drawn by a text": (json.dumps({**RECORD, "drawn": "me"}), "drawn"),
    "nested without end": ("[" * 100_000, "not a record"),
}  # fmt: skip


def _table(metadata: Any, damage: Damage = lambda path: None) -> Damage:
    """What makes a table of the workflow, and damages it."""

    def make(path: Path) -> None:
        known = {METADATA_KEY: json.dumps(metadata).encode(), SEAL_KEY: UNSEALED}
        pq.write_table(pa.table({"x": [1.0, 2.0]}).replace_schema_metadata(known), path)
        seal(path)
        damage(path)

    return make


def _flip(path: Path) -> None:
    """Change one bit in the middle of a file."""
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 1
    path.write_bytes(bytes(content))


TABLES: Mapping[str, tuple[Damage, str]] = {
    "empty": (_empty, "empty"),
    "cut short": (_table({}, lambda p: p.write_bytes(p.read_bytes()[:100])), "damaged"),
    "one bit flipped": (_table({"code_version": "1"}, _flip), "damaged"),
    "a table of something else": (
        lambda path: pd.DataFrame({"x": [1]}).to_parquet(path), "no record"
    ),
    "a picture": (lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\n"), "damaged"),
    "saying nothing": (_table({}), "nothing of where"),
    "a record of a list": (_table([]), "record|nothing"),
    "a record of a text": (_table("made"), "record|nothing"),
    "blocks of a number": (_table({"made_from": 3}), "made_from"),
    "a block of a text": (_table({"made_from": ["x"]}), "made_from"),
    "a block without a path": (_table({"made_from": [{"configuration": "c"}]}), "path"),
    "a block without its configuration": (_table({"made_from": [{"path": "p"}]}), "configuration"),
    "parts of a list": (
        _table({"made_from": [{"path": "p", "configuration": "c", "code": "#1"}], "parts": []}),
        "parts",
    ),
}  # fmt: skip


def _traces() -> Iterator[Case]:
    for what, (text, says) in RECORDS.items():
        files = {"f.svg": "<svg/>", "f.json": text}
        yield Case("trace", "a figure's record", what, ["f.svg"], files, rf"f\.json.*({says})")
    figure = {"f.svg": "<svg/>"}
    for what, own in (("not there", figure), ("a folder", {**figure, "f.json": a_folder})):
        yield Case("trace", "a figure's record", what, ["f.svg"], own, r"f\.svg: no record")
    for what, (make, says) in TABLES.items():
        made, says = {"t.parquet": make}, rf"t\.parquet.*({says})"
        yield Case("trace", "a table of results", what, [*made], made, says)
    for ending in (".html", ".txt", "", ".gz", ".feather"):
        files, says = {f"f{ending}": "x"}, "neither a figure nor a table"
        yield Case("trace", "the ending", ending or "no ending", [*files], files, says)
    files, what = {"f.svg": "<svg/>", "f.json": sealed(RECORD)}, "changed since it was drawn"
    yield Case("trace", "a figure", what, ["f.svg"], files, "changed since", 1)


CASES = [*_reports(), *_traces()]
