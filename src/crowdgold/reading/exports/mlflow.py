"""MLflow's evaluation results: each metric or scorer is a grader of each row's answer.

The table of `mlflow.evaluate` (JSON or CSV, columns `NAME/v1/score`), that of
`mlflow.genai.evaluate` (columns `NAME/value`), or traces with their assessments, as JSON; what a
person said there is a gold label, unless it overrides a grader's. An item is named by a column
`item`, `item_id`, `id` or `question_id`, else by the trace or the row.

On error: an assessment has an `error`, within its feedback or beside it, and a table an empty cell:
no vote.
On skip: there is no assessment, or an empty cell: no vote.
On retry: nothing is written of the tries before the last.
Partial credit: a number; a few of an annotator are passed over, else they are scores.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from crowdgold.reading.exports.export import (
    Export,
    Found,
    Records,
    Verdict,
    answer_columns,
    answers_in_words,
    as_object,
    objects,
    table_of_verdicts,
)

SCORED, VALUED = re.compile(r"(.+)/v\d+/score"), re.compile(r"(.+)/value")
"""The column of a grader, in the table of each of the two functions."""
TRACE = "trace_id"
NAMES = ("item", "item_id", "id", "question_id", "client_request_id", TRACE)
ASKED = ("inputs", "request")
OF_ANSWERS = {"outputs": "model_answer", "response": "model_answer", "targets": "target"}
EXPECTED = "columns NAME/v1/score or NAME/value, or assessments with a feedback"


def _graders(row: Mapping[str, Any]) -> dict[str, str]:
    """The columns of graders -> their names."""
    form = VALUED if TRACE in row else SCORED
    return {name: match[1] for name in row if (match := form.fullmatch(str(name)))}


def _rows(records: Records) -> Records:
    """The rows of a table, which may be written as its columns and its data."""
    (one, *others) = records or [{}]
    columns, data = one.get("columns"), one.get("data")
    if others or not (isinstance(columns, list) and isinstance(data, list)):
        return records
    rows = [row for row in data if isinstance(row, list) and len(row) == len(columns)]
    names = [str(name) for name in columns]
    return [dict(zip(names, row, strict=True)) for row in rows] or [dict.fromkeys(names)]


def _is_it(records: Records) -> bool:
    first = next(iter(_rows(records)), {})
    traced = TRACE in first and isinstance(first.get("assessments"), list)
    return bool(_graders(first)) or traced


def _item(rows: Records) -> str | None:
    """The column that names items: there in all rows, with as many values."""
    for name in NAMES:
        values = [one.get(name) for one in rows]
        if all(isinstance(one, str | int) and one != "" for one in values) and (
            len(set(values)) == len(values)
        ):
            return name
    return None


def _assessed(row: Mapping[str, Any], where: str) -> Iterator[tuple[str, Any, bool]]:
    """Who says what in the assessments of a trace; an expectation is no verdict."""
    for one in objects(row.get("assessments"), where):
        human = as_object(one.get("source")).get("source_type") == "HUMAN"
        # People change what is wrong: what they changed is no sample, and the grader said it.
        if "feedback" in one and not (human and one.get("overrides")):
            by = one["source"].get("source_id") if human else one.get("assessment_name")
            feedback = as_object(one["feedback"])
            failed = feedback.get("error") or one.get("error")
            yield str(by), None if failed else feedback.get("value"), human


def _verdicts(rows: Records, key: str | None, where: str) -> Iterator[Verdict]:
    for number, row in enumerate(rows, 1):
        item = str(row[key]) if key else f"row {number}"
        asked = next((row[name] for name in ASKED if name in row), None)
        answer = answer_columns(
            asked, **{ours: row[name] for name, ours in OF_ANSWERS.items() if name in row}
        )
        found = (
            _assessed(row, f"{where}, row {number}, assessments")
            if isinstance(row.get("assessments"), list)
            else ((by, row.get(name), False) for name, by in _graders(row).items())
        )
        for by, value, human in found:
            yield Verdict(number, item, by, value, human=human, answer=answer)


def _read(records: Records, path: Path) -> Found:
    rows = _rows(records)
    key = _item(rows)
    what = (
        f"evaluation results of MLflow: {answers_in_words(len(rows), [])}, items named by "
        f"{key or 'the number of the row'}"
    )
    found = list(_verdicts(rows, key, str(path)))
    return table_of_verdicts(found, path, what, EXPECTED, len(rows))


MLFLOW = Export("MLflow", _is_it, _read, is_object=True, number=TRACE)
