"""Prodigy's annotations (`prodigy db-out`, JSON lines): each is an annotator's label of a text.

Of a choice, the label is the option; of one label to accept or reject, it is 1 or 0. An item is
named by `item` or `item_id` of the task or its `meta`, else by `_input_hash`, which is the same for
all annotations of one text. What was reviewed (`versions`) is an expert's. Spans and what was
ignored are passed over.

On skip: `answer` is ignore: no vote. A choice that is rejected names no option: no vote.
On error: nothing is written.
On retry: what was undone is not written. A line that is there again in the same words is counted
once.
Partial credit: there is none.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crowdgold.reading.exports.export import (
    Export,
    Found,
    Numbered,
    Records,
    as_list,
    as_object,
    key_of_items,
    one_question,
    table,
)
from crowdgold.types.columns import counted
from crowdgold.types.errors import InputError

ANSWERS = {"accept": 1, "reject": 0}
WITHIN = ("spans", "relations", "audio_spans")
"""What an annotation has that is of parts of a text."""
EXPECTED = "the option of a choice, or a label that is accepted or rejected"


def _is_it(records: Records) -> bool:
    first = records[0] if records else {}
    known = {"_task_hash", "_input_hash", "_session_id", "_annotator_id"} & set(first)
    return bool(known) and first.get("answer") in (*ANSWERS, "ignore")


def _label(one: Mapping[str, Any], where: str) -> tuple[str, Any] | None:
    """The question that an annotation answers, and the answer; nothing where there is none."""
    answer = one.get("answer")
    if not isinstance(answer, str) or answer not in ANSWERS:
        return None
    if "options" in one or "accept" in one:
        chosen = as_list(one.get("accept"), f"{where}, accept")
        if len(chosen) > 1:
            raise InputError(
                f"{where}: {len(chosen)} choices in one answer; expected one choice an item"
            )
        return ("a choice", chosen[0]) if chosen and answer == "accept" else None
    if any(one.get(part) for part in WITHIN):
        return None
    return str(one.get("label", "the text")), ANSWERS[answer]


def _read(records: Records, path: Path) -> Found:
    own = [{**as_object(one.get("meta")), **one} for one in records]
    key = key_of_items(own) or "_input_hash"
    rows, questions = list[Numbered](), set[str]()
    for number, one in enumerate(own, 1):
        found = _label(one, f"{path}, line {number}")
        item = one.get(key, f"line {number}")
        if found is None:
            rows.append((number, {"item": item}))
            continue
        questions.add(found[0])
        person = "expert" if one.get("versions") else "annotator"
        who = one.get("_annotator_id") or one.get("_session_id") or path.stem
        rows.append((number, {"item": item, person: str(who), "label": found[1]}))
    what = f"annotations of Prodigy: {counted(len(records), 'line')}, items named by {key}"
    if not questions:
        raise InputError(f"{path}: {what}, without a label; expected {EXPECTED}")
    one_question(sorted(questions), path, "annotations")
    (question,) = questions
    notes = [f"{what}; {question} read as the label"]
    if any(row.get("label") in (0, 1) for _, row in rows) and question != "a choice":
        notes[0] += " (accept is 1, reject is 0)"
    if without := sum("label" not in row for _, row in rows):
        notes.append(f"{counted(without, 'line')} ignored or without such a label, passed over")
    if any("expert" in row for _, row in rows):
        notes.append("reviewed annotations are gold labels")
    return *table(rows), notes


PRODIGY = Export("Prodigy", _is_it, _read)
