"""Argilla's records, as JSON: each response to the one question is an annotator's label.

As `records.to_json` writes them (`responses` of each question), or as a flat list
(`QUESTION.responses`). An item is named by `item` or `item_id` of the metadata, else by the
record's id. Suggestions are passed over.

On skip: the `status` of a response is discarded, or draft where it was begun: no vote. What
`records.to_json` writes has no status; there all responses count, which is said.
On error: nothing is written.
On retry: a response that was changed is there as it is now. A record that is there again in the
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
    objects,
    one_question,
    plain,
    table,
)
from crowdgold.types.columns import counted
from crowdgold.types.errors import InputError

RESPONSES, SUGGESTION = ".responses", ".suggestion"
SUBMITTED = "submitted"
EXPECTED = "responses that are one class, as of a label question or a rating"


def _is_it(records: Records) -> bool:
    if not records or "_server_id" not in records[0]:
        return False
    return any(
        "responses" in one or any(str(k).endswith(RESPONSES) for k in one) for one in records
    )


def _responses(record: Mapping[str, Any], where: str) -> Iterator[tuple[str, Any, Any, Any]]:
    """Question, what was said, by whom, and the status if there is one, of each response."""
    for question, given in as_object(record.get("responses")).items():
        for one in objects(given, f"{where}, {question}"):
            yield question, one.get("value"), one.get("user_id"), one.get("status")
    for name in record:
        if str(name).endswith(RESPONSES):
            values = as_list(record[name], f"{where}, {name}")
            users = as_list(record.get(f"{name}.users"), f"{where}, {name}.users")
            status = as_list(record.get(f"{name}.status"), f"{where}, {name}.status")
            for place, value in enumerate(values):
                user = users[place] if place < len(users) else None
                state = status[place] if place < len(status) else None
                yield name.removesuffix(RESPONSES), value, user, state


def _suggestions(record: Mapping[str, Any]) -> int:
    flat = [name for name in record if str(name).endswith(SUGGESTION)]
    return len(as_object(record.get("suggestions"))) + sum(
        record[name] is not None for name in flat
    )


def _read(records: Records, path: Path) -> Found:
    metadata = [as_object(one.get("metadata")) for one in records]
    # A flat list has the metadata among the rest.
    key, rows, other = key_of_items(metadata) or key_of_items(records), list[Numbered](), 0
    questions, undone, unknown = set[str](), 0, 0
    for number, (record, nested) in enumerate(zip(records, metadata, strict=True), 1):
        own = {**record, **nested}
        item = own[key] if key else own.get("id") or own.get("_server_id") or number
        where = f"{path}, record {number}"
        labels = []
        for question, value, user, status in _responses(record, where):
            if status not in (None, SUBMITTED):
                undone += 1
                continue
            unknown += status is None
            if not isinstance(value, str | int | float):
                other += value is not None
                continue
            if user is None:
                raise InputError(f"{where}: a response has no user; expected who gave it")
            questions.add(question)
            labels.append({"annotator": str(user), "label": value})
        known = plain({k: v for k, v in nested.items() if k not in OF_A_LABEL}) | {"item": item}
        rows.extend((number, known | one) for one in labels or [{}])
    what = f"records of Argilla: {counted(len(records), 'record')}, items named by {key or 'id'}"
    if not questions:
        raise InputError(f"{path}: {what}, without a label; expected {EXPECTED}")
    one_question(sorted(questions), path, "responses")
    notes = [f"{what}; responses to {next(iter(questions))!r} read as labels of their users"]
    if undone:
        notes.append(f"{counted(undone, 'response')} not submitted, passed over")
    if unknown:
        notes.append(f"{counted(unknown, 'response')} without a status, read as submitted")
    if other:
        notes.append(f"{counted(other, 'response')} passed over that are no single class")
    if suggested := sum(map(_suggestions, records)):
        notes.append(f"{counted(suggested, 'suggestion')} passed over")
    return *table(rows), notes


ARGILLA = Export("Argilla", _is_it, _read)
