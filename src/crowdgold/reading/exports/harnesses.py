"""Logs of evaluation harnesses: what graders said of a model's answers, as rows of a study.

An item is an answer. A grader who says yes or no of answers is an annotator: 1 is right, 0 is not.
A few other values of an annotator, as partial credit, are passed over. A grader whose values are
other numbers is no annotator; they are scores, in a column `score_GRADER`. A grader that failed
gives no vote. What a person said is a gold label. The rest (texts beside such labels, lists) is
passed over. All of that is said.

A tool is a `Harness`: where its logs have the answers, and each answer its name and its grades.
Where nothing else is said below, nothing is written of the tries before the last.
"""

import hashlib
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

from crowdgold.reading.exports import (
    Export,
    Numbered,
    Records,
    TableRowsNotes,
    as_object,
    at,
    has_value,
    objects,
    table,
    written_out,
)
from crowdgold.types.columns import counted, list_guessed
from crowdgold.types.errors import InputError
from crowdgold.types.notes import Note

WORDS = {  # words of graders for yes and no
    "true": 1.0, "yes": 1.0, "pass": 1.0, "passed": 1.0, "correct": 1.0,
    "false": 0.0, "no": 0.0, "fail": 0.0, "failed": 0.0, "incorrect": 0.0,
}  # fmt: skip
NEARLY_ALL = 0.9  # a grader of whom this share of the values is yes or no is an annotator
LONG = 200  # characters from which on a question is given as its hash
LABELS, SCORES, TEXTS, OTHER = "labels", "scores", "texts", "other"  # kinds of a grader's values

Answer = dict[str, Any]


class Grade(NamedTuple):
    """What a grader, or a person, said of an answer; no value where the grader failed."""

    by: str  # name of the grader or person
    value: Any
    score: Any = None  # a number beside a yes or no
    human: bool = False


@dataclass(frozen=True, kw_only=True)
class Harness(Export):
    """A tool whose logs hold grades of answers."""

    place: str  # what messages call an answer
    grades: Callable[[Answer, str], Iterable[Grade]]
    answers: Callable[[Records, Path], Sequence[Answer]] = lambda records, _: [*map(dict, records)]
    # What is known of an answer -> its place, by which two are told apart.
    columns: Mapping[str, str]
    # From the answers' names and what these are called: the item of each, and more of the answer.
    items: Callable[
        [Sequence[Answer], list[str], str, Path], Iterable[tuple[str | None, Answer]]
    ] = lambda answers, names, named, path: ((name, {}) for name in names)
    models: str = ""  # place of the models' names, in records or answers
    remarks: Callable[[Sequence[Answer]], Iterable[Note]] = lambda answers: ()

    def read(self, records: Records, path: Path) -> TableRowsNotes:
        """A row a label, and one of the scores of an answer."""
        answers = self.answers(records, path)
        names, named = self.names(answers)
        items = [*self.items(answers, [*map(str, names)], named, path)]
        verdicts = []
        for number, (answer, (item, more)) in enumerate(zip(answers, items, strict=True), 1):
            whole = {**answer, **more}
            known = {column: at(whole, place) for column, place in self.columns.items()}
            asked = written_out(known.get("question"))
            if len(asked) > LONG:
                encoded = asked.encode("utf-8", "surrogatepass")
                asked = hashlib.sha1(encoded, usedforsecurity=False).hexdigest()
            known["question"] = asked or None
            known = {column: cell for column, cell in known.items() if cell is not None}
            for grade in self.grades(whole, f"{path}, {self.place} {number}"):
                verdicts.append((number, str(item), known, grade))
        places = [at(one, self.models) for one in (*records, *answers) if self.models]
        given = chain.from_iterable(one if isinstance(one, list) else [one] for one in places)
        models = {model for model in given if isinstance(model, str) and model}
        number = len({item for item, _ in items if item is not None})
        by = " and provider" if "stratum_provider" in self.columns and len(models) > 1 else ""
        of = f" of {list_guessed(sorted(models))}" if models else ""
        counts = counted(number, "answer") + of
        found = {"file": str(path), "kind": self.kind, "records": counts, "named": named + by}
        what = Note("export", found)
        cells, rows, notes = _table_of_verdicts(verdicts, what.text, self.expected)
        if (without := number - len({item for _, item, *_ in verdicts})) > 0:
            notes.append(Note("no_grade", {"number": without}))
        return cells, rows, [what, *notes, *self.remarks(answers)]


def _number(value: Any) -> float | None:
    """A grade as a number; none of a list, or of a word that is neither yes nor no."""
    if isinstance(value, str):
        value = value.strip().casefold()
        value = WORDS.get(value, value)
    if not isinstance(value, str | bool | int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf
    except ValueError:
        return None


def _is_yes_or_no(value: Any) -> bool:
    return _number(value) in (0, 1)


def _are_numbers(values: Sequence[Any]) -> bool:
    return all(one is not None and math.isfinite(one) for one in map(_number, values))


def _kind(values: Sequence[Any]) -> str:
    """Which of the four kinds a grader's values are."""
    if sum(map(_is_yes_or_no, values)) / len(values) >= NEARLY_ALL:
        return LABELS
    if _are_numbers(values):
        return SCORES
    return TEXTS if all(isinstance(one, str) for one in values) else OTHER


def _shown(value: Any) -> str:
    text = repr(value)
    return text[:40] + "…" * (len(text) > 40)


def _table_of_verdicts(
    verdicts: Sequence[tuple[int, str, Mapping[str, Any], Grade]], what: str, expected: str
) -> TableRowsNotes:
    """The rows of a study that grades make, each with its number, item and what else is known."""
    values: dict[tuple[bool, str], list[Any]] = {}
    beside: dict[str, list[Any]] = {}
    silent = Counter[str]()
    for *_, one in verdicts:
        values.setdefault((one.human, one.by), []).extend([one.value] * has_value(one.value))
        if not one.human and has_value(one.score):
            beside.setdefault(one.by, []).append(one.score)
        if not (has_value(one.value) or has_value(one.score)):
            silent[one.by] += 1
    kinds = {who: _kind(own) for who, own in values.items() if own}
    words_are_labels = LABELS not in kinds.values()
    if words_are_labels:  # they are labels where nobody says yes or no
        kinds = {who: LABELS if kind == TEXTS else kind for who, kind in kinds.items()}
    labelling = [who for who, kind in kinds.items() if kind == LABELS]
    scoring = [by for (human, by), kind in kinds.items() if kind == SCORES and not human] + [
        by for by, own in beside.items() if _are_numbers(own) and not all(map(_is_yes_or_no, own))
    ]

    rows: dict[tuple[Any, ...], Numbered] = {}
    scored: dict[str, Numbered] = {}
    for number, item, known, one in verdicts:
        labels = has_value(one.value) and kinds[one.human, one.by] == LABELS
        if labels and (words_are_labels or _is_yes_or_no(one.value)):
            label = int(_number(one.value) or 0) if _is_yes_or_no(one.value) else one.value
            row = {"item": item, "expert" if one.human else "annotator": one.by, "label": label}
            # A person who grades an answer twice, alike, says one thing.
            key = tuple(row.items()) if one.human else (len(rows),)
            rows.setdefault(key, (number, {**row, **known}))
        if not one.human and one.by in scoring:
            score = one.value if kinds.get((False, one.by)) == SCORES else one.score
            if has_value(score) and (score := _number(score)) is not None:
                _, row = scored.setdefault(item, (number, {"item": item, **known}))
                row.setdefault(f"score_{one.by}", score)

    passed_over = [
        f"{by} (as {_shown(own[0])})"
        for (human, by), own in values.items()
        if (kind := kinds.get((human, by))) in (TEXTS, OTHER) or (human and kind == SCORES)
    ]
    failed = [f"{by} ({times:,})" for by, times in silent.items()]
    if not rows and not scored:
        rest = [*passed_over, *(f"{one} without a value" for one in failed)]
        found = f"found {list_guessed(rest)}; " if rest else ""
        raise InputError(f"{what}, and nothing of it can be used: {found}expected {expected}")
    neither = [
        f"{len(rest):,} of {len(values[who]):,} of {who[1]} (as {_shown(rest[0])})"
        for who in labelling
        if not words_are_labels and (rest := [one for one in values[who] if not _is_yes_or_no(one)])
    ]
    graders, people = ([by for human, by in labelling if human == own] for own in (False, True))
    notes = [
        Note("graders_read", {"names": graders}),
        Note("people_read", {"names": people}),
        Note("numbers_read", {"names": scoring}),
        Note("values_left_out", {"names": neither}),
        Note("not_graders", {"names": passed_over}),
        Note("no_verdict", {"names": failed}),
    ]
    told = [one for one in notes if one.values["names"]]
    return *table([*rows.values(), *scored.values()]), told


def _numbered(names: Iterable[str], word: str = "") -> list[str]:
    """Names of which none is there twice: the second `x` is `x 2`, or `x WORD 2`."""
    seen, found, before = Counter[str](), list[str](), f" {word}" if word else ""
    for name in names:
        seen[name] += 1
        found.append(f"{name}{before} {seen[name]}" if seen[name] > 1 else name)
    return found


CASES = ("testCases", "conversationalTestCases", "test_results")


def _run_of_deepeval(records: Records) -> Mapping[str, Any]:
    return as_object(records[0].get("testRunData")) or records[0]


def _metrics(case: Answer, where: str) -> Iterator[Grade]:
    metrics = objects(at(case, "metricsData|metrics_data"), f"{where}, metrics")
    graders = _numbered(str(one.get("name") or "metric") for one in metrics)
    for grader, one in zip(graders, metrics, strict=True):
        said = {} if one.get("error") else one
        yield Grade(grader, said.get("success"), said.get("score"))


DEEPEVAL = Harness(
    name="DeepEval",
    kind="test results of DeepEval",
    recognises=lambda records: (
        len(records) == 1
        and any(isinstance(_run_of_deepeval(records).get(key), list) for key in CASES)
    ),
    expected="test cases with the success of a metric (`metricsData`)",
    is_object=True,
    answers=lambda records, path: [
        case
        for key in CASES
        for case in objects(_run_of_deepeval(records).get(key), f"{path}, {key}")
    ],
    place="test case",
    own=("metadata",),
    id="name",
    unnamed="case {}",
    items=lambda answers, names, named, path: (
        (name, {}) for name in (_numbered(names) if named == "name" else names)
    ),
    columns={
        "model_answer": "actualOutput|actual_output",
        "target": "expectedOutput|expected_output",
        "question": "input",
    },
    grades=_metrics,
)
"""DeepEval's test results, as JSON: each metric is a grader of each test case's answer.

A test run that DeepEval keeps (`testCases`, alone or within `testRunData`), or a dictionary of its
`EvaluationResult` (`test_results`). Where a metric failed, `error` is set, `score` is null and
`success` is false: no vote. One whose inputs are missing is left out of `metricsData`: no vote.
`score`, a number beside `success`, is read as a score.
"""

GRADES = {"C": 1, "I": 0, "P": 0.5, "N": 0}  # correct, incorrect, partially correct, no answer


def _samples(records: Records, path: Path) -> list[Answer]:
    (log,) = records
    run = {name: value for name, value in log["eval"].items() if isinstance(value, str)}
    return [{**one, "eval": run} for one in objects(log.get("samples"), f"{path}, samples")]


def _epochs(
    samples: Sequence[Answer], names: list[str], named: str, path: Path
) -> Iterator[tuple[str, Answer]]:
    epochs = [one.get("epoch", 1) for one in samples]
    repeated = any(epoch != 1 for epoch in epochs)
    for name, epoch in zip(names, epochs, strict=True):
        own = f"{name} epoch {epoch}" if repeated else name
        yield own, {"cluster": name if repeated else None}


def _edits(score: Mapping[str, Any], where: str) -> tuple[list[Any], list[Any]]:
    """The edits of a score that have an author, and what it was before them."""
    history = objects(score.get("history"), f"{where}, history")
    edits = [one for one in history if as_object(one.get("provenance"))]
    return edits, [one for one in history if one not in edits]


def _scores_of_inspect(sample: Answer, where: str) -> Iterator[Grade]:
    """What each scorer says by each of its values, or who added the score."""
    for scorer, score in as_object(sample.get("scores")).items():
        score = as_object(score)
        edits, before = _edits(score, f"{where}, {scorer}")
        added = bool(edits) and not before
        value = before[0].get("value") if before and edits else score.get("value")
        explanation = str(score.get("explanation"))
        if not added and explanation.startswith("Grade not found in model output"):
            value = None
        values = {str(at(edits[0], "provenance.author")) if added else scorer: value}
        if isinstance(value, dict) and not added:
            values = {f"{scorer} {name}": one for name, one in value.items()}
        for by, one in values.items():
            grade = GRADES.get(one, one) if isinstance(one, str) else one
            yield Grade(by, None if sample.get("error") and not added else grade, human=added)


def _changed_scores(samples: Sequence[Answer]) -> Iterator[Note]:
    scores = [one for sample in samples for one in as_object(sample.get("scores")).values()]
    if changed := sum(all(_edits(as_object(score), "scores")) for score in scores):
        yield Note("scores_changed", {"number": changed})


INSPECT = Harness(
    name="Inspect",
    kind="an eval log of Inspect",
    recognises=lambda records: (
        len(records) == 1
        and isinstance(records[0].get("eval"), dict)
        and bool({"plan", "samples"} & set(records[0]))
    ),
    expected="scores that are C or I, yes or no, or numbers, in `samples`",
    is_object=True,
    instead={
        ".eval": "a log of Inspect as JSON, from `inspect log convert --to json --output-dir "
        "FOLDER FILE`"
    },
    answers=_samples,
    place="sample",
    own=("metadata",),
    id="id",
    items=_epochs,
    models="eval.model",
    columns={
        "model": "eval.model",
        "task": "eval.task",
        "target": "target",
        "model_answer": "output.completion",
        "cluster": "cluster",
        "question": "input",
    },
    grades=_scores_of_inspect,
    remarks=_changed_scores,
)
"""Inspect's eval logs, as JSON: each scorer is a grader of each sample's answer.

A score that a person added (an edit with its author) is a gold label. One that a person changed
stays the scorer's own: people change what is wrong, so that such labels are of no random sample. A
sample that failed has an `error`; the score of a grader that gave no grade is NaN, and in older
logs an I whose explanation says so: no vote, as where there is no score. N is a verdict, 0: the
model gave nothing that can be graded. P is 0.5. The last try alone is a sample; those before are
its `error_retries`.
"""

NO_METRICS = (  # what a sample of lm-eval has beside its metrics, which older files do not list
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
    "doc_hash", "prompt_hash", "target_hash",
)  # fmt: skip


def _samples_of_lm_eval(records: Records, path: Path) -> list[Answer]:
    """The samples, with the values of their metrics, and the task, which the file's name has."""
    task = re.fullmatch(r"samples_(.+?)(?:_\d{4}-\d\d-\d\dT.*)?", path.stem)
    found = []
    for one in records:
        listed = one.get("metrics")
        names = listed if isinstance(listed, list) else [n for n in one if n not in NO_METRICS]
        answer = one.get("filtered_resps")
        while isinstance(answer, list) and len(answer) == 1:
            (answer,) = answer
        metrics = {name: one.get(name) for name in names if isinstance(name, str)}
        more = {"answer": answer if isinstance(answer, str) else None, "task": task and task[1]}
        found.append({**one, "metrics": metrics, **more})
    return found


def _runs(
    samples: Sequence[Answer], documents: list[str], named: str, path: Path
) -> Iterator[tuple[str, Answer]]:
    """Other responses to a document are of another run; other filters of one are graders."""
    texts: dict[str, str] = {}
    responses: dict[str, dict[str, int]] = {}
    runs = []
    for number, (sample, document) in enumerate(zip(samples, documents, strict=True), 1):
        text = written_out(sample.get("doc"))
        if texts.setdefault(document, text) != text:
            raise InputError(
                f"{path}, line {number}: {named.removeprefix('doc.')} {document} is another "
                "document than before; expected samples of one task. Give the file of each task by "
                "itself"
            )
        known = responses.setdefault(document, {})
        runs.append(known.setdefault(written_out(sample.get("resps")), len(known) + 1))
    repeated, several = max(runs) > 1, len({str(one.get("filter")) for one in samples}) > 1
    seen = Counter[tuple[str, int, str]]()
    for sample, document, run in zip(samples, documents, runs, strict=True):
        name = str(sample.get("filter") or "filter")
        seen[document, run, name] += 1
        again = seen[document, run, name]
        by = f" ({name} {again})" if again > 1 else f" ({name})" if several else ""
        item = f"{document} run {run}" if run > 1 else document
        yield item, {"by": by, "cluster": document if repeated else None}


LM_EVAL = Harness(
    name="lm-eval",
    kind="samples of lm-eval",
    recognises=lambda records: (
        bool(records) and {"doc_id", "doc", "filtered_resps"} <= set(records[0])
    ),
    expected="metrics of a document that are 0 or 1, or numbers, as acc or exact_match",
    answers=_samples_of_lm_eval,
    place="line",
    own=("doc",),
    id="doc_id",
    items=_runs,
    columns={
        "model_answer": "answer",
        "target": "target",
        "task": "task",
        "cluster": "cluster",
        "question": "doc",
    },
    grades=lambda sample, where: (
        Grade(f"{name}{sample['by']}", value) for name, value in sample["metrics"].items()
    ),
)
"""lm-eval's samples (`samples_TASK_DATE.jsonl`): each metric grades each answer.

A metric of several filters is a grader for each. Another response to the same document is another
run: an item of its own, and the document is the cluster of both. An error stops the whole run; a
metric that cannot be computed is NaN: no vote. With `--predict_only` there is no metric but
`bypass`, which has no value: no vote. The repeats of a task are one record.
"""

TRACE = "trace_id"
NAMES = ("item", "item_id", "id", "question_id", "client_request_id", TRACE)


def _rows_of_mlflow(records: Records) -> list[Answer]:
    """The rows of a table, which may be written as its columns and its data."""
    one = records[0] if len(records) == 1 else {}
    columns, data = one.get("columns"), one.get("data")
    if not (isinstance(columns, list) and isinstance(data, list)):
        return [*map(dict, records)]
    rows = [row for row in data if isinstance(row, list) and len(row) == len(columns)]
    names = [str(name) for name in columns]
    return [dict(zip(names, row, strict=True)) for row in rows] or [dict.fromkeys(names)]


def _is_of_mlflow(records: Records) -> bool:
    first = next(iter(_rows_of_mlflow(records)), {})
    return bool(_graders_of_mlflow(first)) or (
        TRACE in first and isinstance(first.get("assessments"), list)
    )


def _graders_of_mlflow(row: Mapping[str, Any]) -> dict[str, str]:
    """The columns of graders, in the table of each of the two functions -> their names."""
    form = re.compile(r"(.+)/value" if TRACE in row else r"(.+)/v\d+/score")
    return {name: match[1] for name in row if (match := form.fullmatch(str(name)))}


def _key_of_rows(rows: Records) -> str | None:
    """The column that names items: there in all rows, with as many values."""
    for name in NAMES:
        values = [one.get(name) for one in rows]
        named = all(isinstance(one, str | int) and one != "" for one in values)
        if named and len(set(values)) == len(values):
            return name
    return None


def _assessments(row: Answer, where: str) -> Iterator[Grade]:
    """What a table says, or the assessments of a trace; an expectation is no grade."""
    if not isinstance(row.get("assessments"), list):
        yield from (Grade(by, row.get(name)) for name, by in _graders_of_mlflow(row).items())
        return
    for one in objects(row["assessments"], f"{where}, assessments"):
        human = at(one, "source.source_type") == "HUMAN"
        # People change what is wrong: what they changed is no sample, and the grader said it.
        if "feedback" in one and not (human and one.get("overrides")):
            by = at(one, "source.source_id" if human else "assessment_name")
            failed = at(one, "feedback.error") or one.get("error")
            yield Grade(str(by), None if failed else at(one, "feedback.value"), human=human)


MLFLOW = Harness(
    name="MLflow",
    kind="evaluation results of MLflow",
    recognises=_is_of_mlflow,
    expected="columns NAME/v1/score or NAME/value, or assessments with a feedback",
    is_object=True,
    number=TRACE,
    answers=lambda records, path: _rows_of_mlflow(records),
    place="row",
    own=("",),
    key=_key_of_rows,
    named="the number of the row",
    unnamed="row {}",
    columns={"model_answer": "response|outputs", "target": "targets", "question": "inputs|request"},
    grades=_assessments,
)
"""MLflow's evaluation results: each metric or scorer is a grader of each row's answer.

The table of `mlflow.evaluate` (JSON or CSV, columns `NAME/v1/score`), that of
`mlflow.genai.evaluate` (columns `NAME/value`), or traces with their assessments, as JSON; what a
person said there is a gold label, unless it overrides a grader's. An assessment that failed has an
`error`, within its feedback or beside it, and a table an empty cell: no vote. One that was skipped
is not there, or an empty cell.
"""

INVALID = "__invalid__"  # the choice of a grader whose words are none of the choices


def _events(records: Records, path: Path) -> list[Answer]:
    """The events, with what is known of the run, and of the answer that each is about."""
    spec = next((as_object(one["spec"]) for one in records if "spec" in one), {})
    models = spec.get("completion_fns")
    model = str(models[0]) if isinstance(models, list) and models else None
    run = {"model": model, "task": spec.get("eval_name")}
    samples: dict[str, dict[str, Any]] = {}
    for one in records:
        data, sample = as_object(one.get("data")), samples.setdefault(str(one.get("sample_id")), {})
        if one.get("type") == "sampling":
            sampled = data.get("sampled")
            sample["answer"] = sampled[0] if isinstance(sampled, list) and sampled else sampled
            sample["question"] = data.get("prompt")
        if one.get("type") == "match":
            sample["target"] = data.get("expected")
            sample.setdefault("answer", data.get("picked"))
    return [{**one, "run": run, "sample": samples[str(one.get("sample_id"))]} for one in records]


def _grades_of_event(event: Answer, where: str) -> Iterator[Grade]:
    data = as_object(event.get("data"))
    if event.get("type") == "match":
        yield Grade("match", data.get("correct"))
    if event.get("type") == "metrics":
        failed = INVALID in data.values()
        yield from (Grade(str(by), None if failed else value) for by, value in data.items())


OPENAI_EVALS = Harness(
    name="OpenAI evals",
    kind="a log of OpenAI evals",
    recognises=lambda records: any(
        {"run_id", "event_id", "sample_id", "type", "data"} <= set(one) for one in records
    ),
    expected="events `match` with `correct`, or `metrics`",
    answers=_events,
    place="line",
    id="sample_id",
    items=lambda events, names, named, path: (
        (None if event.get("sample_id") is None else name, {})
        for event, name in zip(events, names, strict=True)
    ),
    models="spec.completion_fns",
    columns={
        "model": "run.model",
        "task": "run.task",
        "model_answer": "sample.answer",
        "target": "sample.target",
        "question": "sample.question",
    },
    grades=_grades_of_event,
)
"""OpenAI evals' log (JSON lines): what events record of each sample's answer.

A `match` is a grader, and so is each entry of `metrics`. Of an error there is an event `error`,
without a `match`. A grader whose words are no choice has the choice `__invalid__` and the lowest
score: no vote by any of its entries. A sample that was skipped has no event, or that of the
sampling alone: no vote.
"""

HUMAN = "human"  # the type of the assertion of promptfoo that a manual rating is
ERROR = 2  # the `failureReason` of a result whose provider or grading failed


def _is_of_promptfoo(records: Records) -> bool:
    one = records[0] if records else {}
    if {"gradingResult", "promptIdx", "testIdx"} <= set(one):
        return True
    listed = isinstance(at(one, "results.results"), list)
    return len(records) == 1 and listed and ("evalId" in one or "config" in one)


def _results(records: Records, path: Path) -> list[Answer]:
    """The results with their `model`, and as `question` the test's own variables."""
    if "results" in records[0]:
        records = objects(at(records[0], "results.results"), f"{path}, results")
    found = []
    for one in records:
        provider = one.get("provider")
        if isinstance(provider, dict):
            provider = provider.get("label") or provider.get("id")
        given = as_object(one.get("vars")) or as_object(at(one, "testCase.vars"))
        question = {name: value for name, value in given.items() if not name.startswith("_")}
        more = {"model": str(provider or "") or None, "vars": given, "question": question}
        found.append({**one, **more})
    return found


def _answers_to_tests(
    results: Sequence[Answer], tests: list[str], named: str, path: Path
) -> Iterator[tuple[str, Answer]]:
    """Answers by test, provider (a stratum) and prompt; some versions number repeats as tests."""
    first: dict[str, str] = {}
    clusters = [
        first.setdefault(written_out(one["question"]) or test, test)
        for one, test in zip(results, tests, strict=True)
    ]
    together = len(set(clusters)) < len(results)
    several = len({one["model"] for one in results}) > 1
    prompts = len({str(one.get("promptId")) for one in results}) > 1
    names = []
    for one, test in zip(results, tests, strict=True):
        prompt = f"prompt {one.get('promptIdx')}" if prompts else ""
        names.append(" ".join(filter(None, [test, one["model"] if several else "", prompt])))
    for one, name, cluster in zip(results, _numbered(names, "run"), clusters, strict=True):
        stratum = one["model"] or "" if several else None
        yield name, {"stratum": stratum, "cluster": cluster if together else None}


def _assertions(result: Answer, where: str) -> Iterator[Grade]:
    """The grades of an answer: of each assertion, or the only one there is."""
    whole = as_object(result.get("gradingResult"))
    grades = objects(whole.get("componentResults"), f"{where}, componentResults")
    if not grades and as_object(whole.get("assertion")):
        grades = [whole]
    named = [at(one, "assertion.metric") or at(one, "assertion.type") for one in grades]
    names = [str(name or "assertion") for name in named]
    for name, by, one in zip(names, _numbered(names), grades, strict=True):
        if name == HUMAN:
            yield Grade(HUMAN, one.get("pass"), human=True)
            continue
        failed = result.get("failureReason") == ERROR or at(one, "metadata.graderError")
        said = {} if failed else one
        yield Grade(by, said.get("pass"), said.get("score"))


PROMPTFOO = Harness(
    name="promptfoo",
    kind="results of promptfoo",
    recognises=_is_of_promptfoo,
    expected="results with a grade of an assertion (`gradingResult`)",
    is_object=True,
    number="id",
    answers=_results,
    place="result",
    own=("vars",),
    id="testIdx",
    items=_answers_to_tests,
    models="model",
    columns={
        "model": "model",
        "model_answer": "response.output",
        "stratum_provider": "stratum",
        "cluster": "cluster",
        "question": "question",
    },
    grades=_assertions,
)
"""promptfoo's results, as JSON or JSON lines: each assertion grades each answer.

An assertion is named by its metric, else by its type. A manual rating is a gold label.
`failureReason` is 2 where the provider or the grading failed; a grader that failed has `pass`
false, `score` 0 and `metadata.graderError`: no vote. Older versions do not mark the latter. What
was skipped has no `gradingResult`: no vote. Results that ended in an error are run anew, and
replaced. Each run of `--repeat` is a result, and an answer. `score`, a number beside `pass`, is
read as a score.
"""
