"""DeepEval's test results, as JSON: each metric is a grader of each test case's answer.

A test run that DeepEval keeps (`testCases`, alone or within `testRunData`), or a dictionary of its
`EvaluationResult` (`test_results`). An item is named by `item` or `item_id` of the metadata, else
by the test case's name.

On error: `error` is set, `score` is null and `success` is false: no vote.
On skip: a metric whose inputs are missing is left out of `metricsData`: no vote.
On retry: nothing is written of the tries before the last.
Partial credit: `score`, a number beside `success`: read as a score.
"""

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
    key_of_items,
    numbered,
    objects,
    table_of_verdicts,
)

CASES = ("testCases", "conversationalTestCases", "test_results")
EXPECTED = "test cases with the success of a metric (`metricsData`)"


def _run(record: Mapping[str, Any]) -> Mapping[str, Any]:
    return as_object(record.get("testRunData")) or record


def _is_it(records: Records) -> bool:
    return len(records) == 1 and any(isinstance(_run(records[0]).get(key), list) for key in CASES)


def _either(values: Mapping[str, Any], *names: str) -> Any:
    """An entry under the first of its names that it has: as DeepEval's files or objects name it."""
    return next((values[name] for name in names if values.get(name) is not None), None)


def _verdicts(cases: Records, key: str | None, where: str) -> Iterator[Verdict]:
    names = [str(one.get("name") or f"case {place}") for place, one in enumerate(cases, 1)]
    for number, (case, name) in enumerate(zip(cases, numbered(names), strict=True), 1):
        item = str(as_object(case.get("metadata"))[key] if key else name)
        answer = answer_columns(
            case.get("input"),
            model_answer=_either(case, "actualOutput", "actual_output"),
            target=_either(case, "expectedOutput", "expected_output"),
        )
        place = f"{where}, test case {number}, metrics"
        metrics = objects(_either(case, "metricsData", "metrics_data"), place)
        graders = numbered([str(one.get("name") or "metric") for one in metrics])
        for grader, one in zip(graders, metrics, strict=True):
            said = {} if one.get("error") else one
            yield Verdict(
                number, item, grader, said.get("success"), said.get("score"), answer=answer
            )


def _read(records: Records, path: Path) -> Found:
    run = _run(records[0])
    cases = [one for key in CASES for one in objects(run.get(key), f"{path}, {key}")]
    key = key_of_items([as_object(one.get("metadata")) for one in cases])
    what = (
        f"test results of DeepEval: {answers_in_words(len(cases), [])}, items named by "
        f"{f'metadata.{key}' if key else 'name'}"
    )
    found = list(_verdicts(cases, key, str(path)))
    return table_of_verdicts(found, path, what, EXPECTED, len(cases))


DEEPEVAL = Export("DeepEval", _is_it, _read, is_object=True)
