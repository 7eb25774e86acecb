"""Label Studio's JSON: tasks with `data` and `annotations`.

An item is named by `item` or `item_id` of its data, else by the task's id. Annotations marked as
ground truth are gold labels by their annotator.

On skip: an annotation has `was_cancelled` true, or no result: no vote.
On error: nothing is written; an annotation that was not submitted is a draft, apart from these.
On retry: an annotation that was changed is there as it is now. A task that is there again in the
same words is counted once.
Partial credit: a rating is a label, as it stands.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from crowdgold.reading.exports.export import (
    OF_A_LABEL,
    Export,
    Found,
    Numbered,
    Records,
    as_list,
    as_object,
    key_of_items,
    one_question,
    plain,
    table,
)
from crowdgold.types.columns import counted
from crowdgold.types.errors import InputError


def _is_it(records: Records) -> bool:
    return any("annotations" in one and isinstance(one.get("data"), dict) for one in records)


def _read(records: Records, path: Path) -> Found:
    """A row a label of each task; a task without one has a row all the same."""
    rows: list[Numbered] = []
    skipped, predictions, controls = 0, 0, set()
    data = [as_object(one.get("data")) for one in records]
    key = key_of_items(data)
    for number, (task, known) in enumerate(zip(records, data, strict=True), 1):
        where = f"{path}, task {number}"
        item = known.get(key) if key else task.get("id", number)
        own = plain({k: v for k, v in known.items() if k not in OF_A_LABEL}) | {"item": item}
        predictions += len(as_list(task.get("predictions"), f"{where}, predictions"))
        labels: list[dict[str, Any]] = []
        for one in as_list(task.get("annotations"), f"{where}, annotations"):
            found = _annotation(one, where)
            controls |= set(found)
            skipped += not found
            labels.extend(found.values())
        rows.extend((number, {**own, **label}) for label in labels or [{}])
    one_question(list(controls), path, "results")
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
    return *table(rows), notes


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
    for one in as_list(annotation.get("result"), f"{where}, result"):
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


LABEL_STUDIO = Export("Label Studio", _is_it, _read)
