"""Exports of labelling tools as tables: Label Studio's JSON, doccano's JSON lines."""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.data.checks import check_json_text, counted
from crowdgold.data.errors import InputError

Records = Sequence[Mapping[str, Any]]
Found = tuple[pd.DataFrame, int | np.ndarray, list[str]]
"""A table, what messages call its first row or each row, and what to say of it."""
OF_A_LABEL = ("annotator", "expert", "label")
"""Columns of a label, which the data of a task may have for something else."""


def read_json(path: Path) -> Records:
    """Read a JSON file that holds a list of objects.

    Raises:
        InputError: where it holds something else.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        found = json.loads(text)
    except UnicodeDecodeError as error:
        raise InputError(f"{path} cannot be read as UTF-8 ({error}); save it as UTF-8") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: no JSON ({error})") from error
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise InputError(
            f"{path}: expected a list of objects, as Label Studio exports (JSON, JSON-MIN), or a "
            "table as .jsonl, .csv, .tsv or .parquet"
        )
    check_json_text(text, found, str(path))
    return found


def frame_of_records(records: Records, path: Path) -> Found:
    """Make a table of objects: a row a label where they are of a labelling tool, else a row each.

    Raises:
        InputError: where an export holds labels that are no classes of an item.
    """
    if any("annotations" in one and isinstance(one.get("data"), dict) for one in records):
        return _label_studio(records, path)
    if any(isinstance(one.get("label"), list) or "annotations" in one for one in records):
        return _doccano(records, path)
    return pd.DataFrame(list(records), dtype=object), 1, []


def _plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """The entries that can stand in a cell."""
    return {k: v for k, v in values.items() if not isinstance(v, dict | list)}


def _table(rows: list[tuple[int, dict[str, Any]]]) -> tuple[pd.DataFrame, np.ndarray]:
    """Make a table of rows and what they are called: the number of their task or line."""
    numbers = np.array([number for number, _ in rows], dtype=np.int64)
    return pd.DataFrame([row for _, row in rows], dtype=object), numbers


def _object(value: Any) -> dict[str, Any]:
    """An object that an export has, empty where it has none."""
    return value if isinstance(value, dict) else {}


def _list(value: Any, where: str) -> list[Any]:
    """A list that an export has, empty where it has none."""
    if value is None:
        return []
    if not isinstance(value, list):
        raise InputError(f"{where}: found {str(value)[:40]!r}, expected a list")
    return value


def _label_studio(records: Records, path: Path) -> Found:
    """Read Label Studio's JSON: tasks with `data` and `annotations`.

    An item is named by `item` or `item_id` of its data, else by the task's id. Annotations marked
    as ground truth are gold labels by their annotator.
    """
    rows: list[tuple[int, dict[str, Any]]] = []
    skipped, predictions, controls = 0, 0, set()
    data = [_object(one.get("data")) for one in records]
    key = next((name for name in ("item", "item_id") if all(name in one for one in data)), None)
    for number, (task, known) in enumerate(zip(records, data, strict=True), 1):
        where = f"{path}, task {number}"
        item = known.get(key) if key else task.get("id", number)
        own = _plain({k: v for k, v in known.items() if k not in OF_A_LABEL}) | {"item": item}
        predictions += len(_list(task.get("predictions"), f"{where}, predictions"))
        labels: list[dict[str, Any]] = []
        for one in _list(task.get("annotations"), f"{where}, annotations"):
            found = _annotation(one, where)
            controls |= set(found)
            skipped += not found
            labels.extend(found.values())
        rows.extend((number, {**own, **label}) for label in labels or [{}])
    if len(controls) > 1:
        raise InputError(
            f"{path}: labels of {len(controls)} questions ({', '.join(sorted(controls))}); "
            "expected one. Export each by itself, or keep the results of one"
        )
    notes = [
        f"an export of Label Studio: {counted(len(records), 'task')}, items named by "
        + (f"data.{key}" if key else "the task's id")
    ]
    if skipped:
        notes.append(f"{counted(skipped, 'annotation')} cancelled or without a choice, passed over")
    if predictions:
        notes.append(
            f"{counted(predictions, 'prediction')} passed over; scores are read from a file or data"
        )
    return *_table(rows), notes


def _annotation(found: Any, where: str) -> dict[str, dict[str, Any]]:
    """The label of each question of an annotation, and whose it is; none of a cancelled one.

    Raises:
        InputError: where it is no annotation of classes by someone.
    """
    if not isinstance(found, dict):
        raise InputError(f"{where}: found {str(found)[:40]!r}, expected an annotation")
    choices = {} if found.get("was_cancelled") else dict(_choices(found, where))
    if not choices:
        return {}
    person = "expert" if found.get("ground_truth") else "annotator"
    who = _who(found.get("completed_by"), where)
    return {question: {person: who, "label": label} for question, label in choices.items()}


def _choices(annotation: Mapping[str, Any], where: str) -> Iterator[tuple[str, Any]]:
    """Each question of an annotation and its answer: one choice, or a rating."""
    for one in _list(annotation.get("result"), f"{where}, result"):
        value = one.get("value") if isinstance(one, dict) else None
        if not isinstance(value, dict):
            continue
        choices = value.get("choices", value.get("rating"))
        if isinstance(choices, list):
            if len(choices) > 1:
                raise InputError(
                    f"{where}: {len(choices)} choices in one answer; expected one choice an item"
                )
            choices = choices[0] if choices else None
        if choices is not None and not isinstance(choices, dict):
            yield str(one.get("from_name", "")), choices


def _who(found: Any, where: str) -> str:
    """Name who annotated: a number, or the e-mail of a person who is written out."""
    if isinstance(found, dict):
        found = found.get("email") or found.get("id")
    if found is None or isinstance(found, dict | list):
        raise InputError(f"{where}: an annotation has no 'completed_by'; expected who made it")
    return str(found)


def _doccano(records: Records, path: Path) -> Found:
    """Read doccano's JSON lines of text classification.

    Either each record has `label`, a list, and the file is one annotator's (its name is theirs), or
    it has `annotations`, a list of objects with `label` and `user`.
    """
    rows: list[tuple[int, dict[str, Any]]] = []
    by_user = any("annotations" in one for one in records)
    for number, record in enumerate(records, 1):
        where = f"{path}, line {number}"
        own = _plain({k: v for k, v in record.items() if k not in ("label", "annotations")})
        labels = record.get("annotations" if by_user else "label")
        before = len(rows)
        for one in labels if isinstance(labels, list) else [labels]:
            if isinstance(one, dict):
                who, label = one.get("user"), one.get("label")
            else:
                who, label = path.stem, one
            if isinstance(label, dict | list):
                raise InputError(f"{where}: a label is {str(label)[:40]}, expected a class")
            if label is not None:
                rows.append((number, {**own, "annotator": who, "label": label}))
        if len(rows) == before:
            rows.append((number, own))
    who = "users as they stand" if by_user else f"the annotator is {path.stem!r}, as the file"
    return *_table(rows), [f"an export of doccano: {counted(len(records), 'text')}, {who}"]
