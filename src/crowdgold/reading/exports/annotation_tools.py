"""Exports of labelling tools: each person's label of an item is a row.

A tool is an `AnnotationTool`: where its records have the name of an item, and what people said. A
record that is there again in the same words is counted once.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any, NamedTuple

from crowdgold.reading.exports import (
    Export,
    Numbered,
    Records,
    TableRowsNotes,
    as_list,
    as_object,
    at,
    objects,
    table,
)
from crowdgold.types.columns import counted
from crowdgold.types.errors import InputError
from crowdgold.types.notes import Note


class Said(NamedTuple):
    """A person's answer to a question about an item."""

    question: str
    who: Any
    label: Any
    person: str = "annotator"  # or "expert"


@dataclass(frozen=True, kw_only=True)
class AnnotationTool(Export):
    """A tool whose records are items that people label; all labels answer one question.

    `labels` gives what people said of a record (by the record, what messages call it, and the name
    of the file), and a note for what is passed over.
    """

    noun: str  # what notes call a record
    place: str = ""  # what messages call it, where not so
    labels: Callable[[Mapping[str, Any], str, str], Iterable[Said | Note]]
    columns: str | None = None  # place whose entries are columns of the item, beside its labels
    without: tuple[str, ...] = ("annotator", "expert", "label")  # which are of something else
    one_of: str = "labels"  # what to keep of one question, in the tool's words
    read_as: Callable[[str, Records, Path], Note] = lambda question, records, path: Note("export")

    def read(self, records: Records, path: Path) -> TableRowsNotes:
        """A row a label; a record without one has a row all the same."""
        items, named = self.names(records)
        rows, questions, remarks = list[Numbered](), set[str](), Counter[str]()
        for number, (record, item) in enumerate(zip(records, items, strict=True), 1):
            columns = {} if self.columns is None else as_object(at(record, self.columns))
            known = {
                name: cell
                for name, cell in columns.items()
                if name not in self.without and not isinstance(cell, dict | list)
            } | ({"item": item} if self.id else {})
            told = [*self.labels(record, f"{path}, {self.place or self.noun} {number}", path.stem)]
            remarks.update(one.code for one in told if isinstance(one, Note))
            labels = [one for one in told if isinstance(one, Said)]
            questions.update(one.question for one in labels)
            each = [known | {one.person: one.who, "label": one.label} for one in labels]
            rows += [(number, row) for row in each or [known]]
        counts = counted(len(records), self.noun)
        found = {"file": str(path), "kind": self.kind, "records": counts, "named": named}
        if self.expected and not questions:
            said = Note("export", found).text
            raise InputError(f"{said}, without a label; expected {self.expected}")
        if len(questions) > 1:
            raise InputError(
                f"{path}: labels of {len(questions)} questions ({', '.join(sorted(questions))}); "
                f"expected one. Export each by itself, or keep the {self.one_of} of one"
            )
        what = self.read_as(next(iter(questions), ""), records, path)
        notes = [replace(what, values={**found, **what.values})]
        notes += [Note(code, {"number": remarks[code]}) for code in sorted(remarks)]
        return *table(rows), notes


def _one_choice(choices: list[Any], where: str) -> Any:
    """The only choice of an answer; None where there is none."""
    if (size := len(choices)) > 1:
        raise InputError(f"{where}: {size} choices in one answer; expected one choice an item")
    return choices[0] if choices else None


RESPONSES = ".responses"


def _responses(record: Mapping[str, Any], where: str) -> Iterator[tuple[str, Any, Any, Any]]:
    """Question, what was said, by whom, and the status if there is one, of each response."""
    for question, given in as_object(record.get("responses")).items():
        for one in objects(given, f"{where}, {question}"):
            yield question, one.get("value"), one.get("user_id"), one.get("status")
    for name in record:
        if name.endswith(RESPONSES):
            parts = [name, f"{name}.users", f"{name}.status"]
            values, *beside = [as_list(record.get(part), f"{where}, {part}") for part in parts]
            for value, user, status in islice(zip_longest(values, *beside), len(values)):
                yield name.removesuffix(RESPONSES), value, user, status


def _of_argilla(record: Mapping[str, Any], where: str, stem: str) -> Iterator[Said | Note]:
    for question, value, user, status in _responses(record, where):
        if status not in (None, "submitted"):
            yield Note("not_submitted")
            continue
        if status is None:
            yield Note("no_status")
        if isinstance(value, str | int | float):
            if user is None:
                raise InputError(f"{where}: a response has no user; expected who gave it")
            yield Said(question, str(user), value)
        elif value is not None:
            yield Note("no_class")
    flat = [one for name, one in record.items() if name.endswith(".suggestion")]
    suggested = len(as_object(record.get("suggestions"))) + sum(one is not None for one in flat)
    yield from [Note("suggestions")] * suggested


ARGILLA = AnnotationTool(
    name="Argilla",
    kind="records of Argilla",
    recognises=lambda records: (
        bool(records)
        and "_server_id" in records[0]
        and any(f".{name}".endswith(RESPONSES) for one in records for name in one)
    ),
    expected="responses that are one class, as of a label question or a rating",
    own=("", "metadata"),
    id="id|_server_id",
    named="id",
    noun="record",
    labels=_of_argilla,
    columns="metadata",
    one_of="responses",
    read_as=lambda question, *_: Note("responses_read", {"question": question}),
)
"""Argilla's records, as JSON: each response to the one question is a label.

As `records.to_json` writes them (`responses` of each question), or as a flat list
(`QUESTION.responses`), which has the metadata among the rest. Suggestions are passed over. The
`status` of a response that was skipped is discarded, or draft where it was begun: no vote. What
`records.to_json` writes has no status; there all responses count, which is said. A response that
was changed is there as it is now. A rating is a label, as it stands.
"""


def _of_doccano(record: Mapping[str, Any], where: str, stem: str) -> Iterator[Said]:
    labels = record["annotations"] if "annotations" in record else record.get("label")
    for one in labels if isinstance(labels, list) else [labels]:
        whole = one if isinstance(one, dict) else {"user": stem, "label": one}
        label = whole.get("label")
        if isinstance(label, dict | list):
            raise InputError(f"{where}: a label is {str(label)[:40]}, expected a class")
        if label is not None:
            yield Said("label", whole.get("user"), label)


def _whose_labels(question: str, records: Records, path: Path) -> Note:
    without = sum(not any(_of_doccano(one, "", "")) for one in records)
    bare = f", {without:,} without a label" if without else ""
    by_user = any("annotations" in one for one in records)
    values = {"bare": bare, "annotator": path.stem}
    return Note("export_of_users" if by_user else "export_of_one", values)


DOCCANO = AnnotationTool(
    name="doccano",
    kind="an export of doccano",
    recognises=lambda records: (
        any(isinstance(one.get("label"), list) or "annotations" in one for one in records)
        and not any(isinstance(one.get("data"), dict) for one in records)
    ),
    noun="text",
    place="line",
    labels=_of_doccano,
    columns="",
    without=("label", "annotations"),
    read_as=_whose_labels,
)
"""doccano's JSON lines of text classification.

Either each record has `label`, a list, and the file is one annotator's (its name is theirs), or it
has `annotations`, a list of objects with `label` and `user`. A text that nobody came to has no
label: no vote. A label that was changed is there as it is now.
"""


def _of_label_studio(task: Mapping[str, Any], where: str, stem: str) -> Iterator[Said | Note]:
    predicted = as_list(task.get("predictions"), f"{where}, predictions")
    yield from [Note("predictions")] * len(predicted)
    for one in objects(task.get("annotations"), f"{where}, annotations", "an annotation"):
        labels: dict[str, Any] = {}
        results = [] if one.get("was_cancelled") else as_list(one.get("result"), f"{where}, result")
        for result in results:
            label = at(result, "value.choices|value.rating")
            if isinstance(label, list):
                label = _one_choice(label, where)
            if label is not None and not isinstance(label, dict):
                labels[str(result.get("from_name", ""))] = label
        if not labels:
            yield Note("cancelled")
            continue
        who = one.get("completed_by")  # a number, or a person who is written out
        if isinstance(who, dict):
            who = who.get("email") or who.get("id")
        if who is None or isinstance(who, dict | list):
            raise InputError(f"{where}: an annotation has no 'completed_by'; expected who made it")
        person = "expert" if one.get("ground_truth") else "annotator"
        yield from (Said(question, str(who), label, person) for question, label in labels.items())


LABEL_STUDIO = AnnotationTool(
    name="Label Studio",
    kind="an export of Label Studio",
    recognises=lambda records: any(
        "annotations" in one and isinstance(one.get("data"), dict) for one in records
    ),
    own=("data",),
    id="id",
    named="the task's id",
    noun="task",
    labels=_of_label_studio,
    columns="data",
    one_of="results",
)
"""Label Studio's JSON: tasks with `data` and `annotations`, of one choice or a rating.

Annotations marked as ground truth are gold labels by their annotator. One that was skipped has
`was_cancelled` true, or no result: no vote. One that was not submitted is a draft, apart from
these, and one that was changed is there as it is now. A rating is a label, as it stands.
"""

ANSWERS = {"accept": 1, "reject": 0}
CHOICE = "a choice"


def _of_prodigy(record: Mapping[str, Any], where: str, stem: str) -> Iterator[Said | Note]:
    one = {**as_object(record.get("meta")), **record}
    answer = one.get("answer")
    label = question = None
    if isinstance(answer, str) and answer in ANSWERS:
        if "options" in one or "accept" in one:
            chosen = _one_choice(as_list(one.get("accept"), f"{where}, accept"), where)
            question, label = CHOICE, chosen if answer == "accept" else None
        # These are of parts of a text.
        elif not any(one.get(part) for part in ("spans", "relations", "audio_spans")):
            question, label = str(one.get("label", "the text")), ANSWERS[answer]
    if question is None or label is None:
        yield Note("ignored")
        return
    who = str(one.get("_annotator_id") or one.get("_session_id") or stem)
    if one.get("versions"):
        yield Said(question, who, label, "expert")
        yield Note("reviewed")
    else:
        yield Said(question, who, label)


PRODIGY = AnnotationTool(
    name="Prodigy",
    kind="annotations of Prodigy",
    recognises=lambda records: any(
        {"_task_hash", "_input_hash", "_session_id", "_annotator_id"} & set(one)
        and one.get("answer") in (*ANSWERS, "ignore")
        for one in records[:1]
    ),
    expected="the option of a choice, or a label that is accepted or rejected",
    own=("meta", ""),
    id="_input_hash",
    unnamed="line {}",
    noun="line",
    labels=_of_prodigy,
    one_of="annotations",
    read_as=lambda question, *_: Note(
        "choice_read" if question == CHOICE else "answers_read", {"question": question}
    ),
)
"""Prodigy's annotations (`prodigy db-out`, JSON lines): each is a label of a text.

Of a choice, the label is the option; of one label to accept or reject, it is 1 or 0. The
`_input_hash`, by which an item is named, is the same for all annotations of one text. What was
reviewed (`versions`) is an expert's. Spans and what was ignored are passed over: where `answer` is
ignore there is no vote, nor by a choice that is rejected, which names no option. What was undone is
not written.
"""
