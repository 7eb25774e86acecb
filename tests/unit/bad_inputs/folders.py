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


def without(name: str) -> Damage:
    """What removes a file."""
    return lambda folder: (folder / name).unlink()


def holding(name: str, content: bytes) -> Damage:
    """What gives a file another content."""
    return lambda folder: (folder / name).write_bytes(content)


def halved(name: str) -> Damage:
    """What cuts a file short, within a line."""

    def damage(folder: Path) -> None:
        whole = (folder / name).read_bytes()
        (folder / name).write_bytes(whole[: len(whole) // 2])

    return damage


def keyed(name: str, change: Callable[[dict[str, Any]], object]) -> Damage:
    """What changes the content of a JSON file."""

    def damage(folder: Path) -> None:
        content = json.loads((folder / name).read_text())
        change(content)
        (folder / name).write_text(json.dumps(content))

    return damage


def column(name: str, change: Callable[[pd.DataFrame], pd.DataFrame]) -> Damage:
    """What changes a table."""

    def damage(folder: Path) -> None:
        change(pd.read_csv(folder / name, dtype=object, keep_default_na=False)).to_csv(
            folder / name, index=False
        )

    return damage


def replaced(name: str, make: Callable[[Path], object]) -> Damage:
    """What puts something else in the place of a file."""

    def damage(folder: Path) -> None:
        (folder / name).unlink()
        make(folder / name)

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


FILES: Mapping[str, Damage] = {
    "empty": lambda path: path.write_bytes(b""),
    "NUL bytes": lambda path: path.write_bytes(bytes(64)),
    "UTF-16": lambda path: path.write_bytes(path.read_text().encode("utf-16")),
    "a picture": lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\n\xff\xfe"),
    "cut short": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 3]),
    "a web page": lambda path: path.write_text("<html><body>Please log in</body></html>"),
    "a folder": lambda path: (path.unlink(), a_folder(path)),
    "unreadable": lambda path: (path.unlink(), UNREADABLE(path)),  # type: ignore[operator]
}
HELD = ("study.json", "check.json", "estimates.csv", "curves.csv", "parameters.csv",
        "annotators.csv", "predictive.csv")  # fmt: skip
KEYS: Mapping[str, Mapping[str, tuple[str, Callable[[dict[str, Any]], None]]]] = {
    "study.json": {
        **{f"without {key}": (key, _set(key, ...)) for key in
           ("settings", "models", "strata", "headlines", "fits", "not_run")},
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
        "headlines of nothing": ("headlines", _set("headlines", None)),
        "a headline without its value": ("estimate", _set("estimate", ..., "headlines", 0)),
        "a headline in words": ("estimate", _set("estimate", "high", "headlines", 0)),
        "an interval without its upper end": ("headlines", _set("upper", None, "headlines", 0)),
        "an end beyond all numbers": ("upper", _set("upper", 1e308, "headlines", 0)),
        "fits of a number": ("fits", _set("fits", 4)),
        "a fit without its problems": ("problems", _set("problems", ..., "fits", 0)),
        "problems of a number": ("problems", _set("problems", 3, "fits", 0)),
        "not_run of a text": ("not_run", _set("not_run", "none")),
        "notes of a number": ("notes", _set("notes", 3)),
    },
    "check.json": {
        **{f"without {key}": (key, _set(key, ...)) for key in
           ("items", "verdicts", "gold_sample", "agreement", "annotators", "scores", "warnings")},
        "items in words": ("items", _set("items", "many")),
        "votes per item of nothing": ("votes_per_item", _set("votes_per_item", None)),
        "a verdict of a text": ("verdicts", _set("verdicts", ["usable"])),
        "verdicts of a number": ("verdicts", _set("verdicts", 3)),
        "a gold sample of a text": ("gold_sample", _set("gold_sample", "random")),
        "annotators of a list": ("annotators", _set("annotators", [])),
        "annotators without labels": ("labels", _set("labels", ..., "annotators")),
        "an annotator of a list": ("annotator", _set(0, [], "annotators", "annotator")),
        "annotators of two lengths": ("labels", _set("labels", [1], "annotators")),
        "an agreement without its level": ("level", _set("level", ..., "agreement")),
        "scores of a list": ("scores", _set("scores", [])),
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


def _report(where: str, what: str, damage: Damage, says: str) -> Case:
    return Case("report", where, what, ["mine"], {"mine": evaluated(damage)}, says)


def _reports() -> Iterator[Case]:
    for name in HELD:
        for what, change in FILES.items():
            if name not in ("study.json", "check.json", "estimates.csv") and what != "empty":
                continue
            yield _report(name, what, lambda at, n=name, c=change: c(at / n), name)  # type: ignore[misc]
    for name in ("study.json", "estimates.csv"):
        yield _report(name, "not there", without(name), name)
    for name, text in {"study.json": b"[]", "check.json": b"3"}.items():
        yield _report(name, "no object", holding(name, text), name)
    for name, kinds in KEYS.items():
        for what, (key, change) in kinds.items():
            yield _report(name, what, keyed(name, change), rf"{name}.*{key}")
    for name, columns in COLUMNS.items():
        for each in columns:
            yield _report(
                name, f"without the column {each}",
                column(name, lambda t, c=each: t.drop(columns=c)), f"{name}: no column '{each}'",  # type: ignore[misc]
            )  # fmt: skip
    for name, each in NUMBERS.items():
        yield _report(
            name, "a word for a number", column(name, lambda t, c=each: t.assign(**{c: "x"})),  # type: ignore[misc]
            f"{name}, row 2, column '{each}': found 'x'",
        )  # fmt: skip
    yield _report("report.html", "a folder in its place", lambda at: a_folder(at / "report.html"),
                  "report.html")  # fmt: skip


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


def table(metadata: Any, damage: Damage = lambda path: None) -> Damage:
    """What makes a table of the workflow, and damages it."""

    def make(path: Path) -> None:
        known = {METADATA_KEY: json.dumps(metadata).encode(), SEAL_KEY: UNSEALED}
        pq.write_table(pa.table({"x": [1.0, 2.0]}).replace_schema_metadata(known), path)
        seal(path)
        damage(path)

    return make


def flip(path: Path) -> None:
    """Change one bit in the middle of a file."""
    content = bytearray(path.read_bytes())
    content[len(content) // 3] ^= 1
    path.write_bytes(bytes(content))


TABLES: Mapping[str, tuple[Damage, str]] = {
    "empty": (lambda path: path.write_bytes(b""), "empty"),
    "cut short": (table({}, lambda p: p.write_bytes(p.read_bytes()[:100])), "damaged"),
    "one bit flipped": (table({"code_version": "1"}, flip), "damaged"),
    "a table of something else": (
        lambda path: pd.DataFrame({"x": [1]}).to_parquet(path), "no record"
    ),
    "a picture": (lambda path: path.write_bytes(b"\x89PNG\r\n\x1a\n"), "damaged"),
    "saying nothing": (table({}), "nothing of where"),
    "a record of a list": (table([]), "record|nothing"),
    "a record of a text": (table("made"), "record|nothing"),
    "blocks of a number": (table({"made_from": 3}), "made_from"),
    "a block of a text": (table({"made_from": ["x"]}), "made_from"),
    "a block without a path": (table({"made_from": [{"configuration": "c"}]}), "path"),
    "a block without its configuration": (table({"made_from": [{"path": "p"}]}), "configuration"),
    "parts of a list": (
        table({"made_from": [{"path": "p", "configuration": "c", "code": "#1"}], "parts": []}),
        "parts",
    ),
}  # fmt: skip


def _traces() -> Iterator[Case]:
    for what, (text, says) in RECORDS.items():
        files = {"f.svg": "<svg/>", "f.json": text}
        yield Case("trace", "a figure's record", what, ["f.svg"], files, rf"f\.json.*({says})")
    yield Case("trace", "a figure's record", "not there", ["f.svg"], {"f.svg": "<svg/>"},
               r"f\.svg: no record")  # fmt: skip
    yield Case("trace", "a figure's record", "a folder", ["f.svg"],
               {"f.svg": "<svg/>", "f.json": a_folder}, r"f\.svg: no record")  # fmt: skip
    for what, (make, says) in TABLES.items():
        yield Case("trace", "a table of results", what, ["t.parquet"], {"t.parquet": make},
                   rf"t\.parquet.*({says})")  # fmt: skip
    for ending in (".html", ".txt", "", ".gz", ".feather"):
        yield Case("trace", "the ending", ending or "no ending", [f"f{ending}"],
                   {f"f{ending}": "x"}, "neither a figure nor a table")  # fmt: skip
    yield Case("trace", "a figure", "changed since it was drawn", ["f.svg"],
               {"f.svg": "<svg/>", "f.json": sealed(RECORD)}, "changed since", 1)  # fmt: skip


CASES = [*_reports(), *_traces()]
