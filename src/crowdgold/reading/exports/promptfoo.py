"""promptfoo's results, as JSON or JSON lines: each assertion is a grader of each answer.

An assertion is named by its metric, else by its type. An item is named by `item` or `item_id` of
the tests' variables, else by the test's number, with the provider, and the prompt, where there are
several, and the run, where a test is repeated; a stratum is then a provider. Answers to one test
are a cluster, and tests of the same variables are one: `--repeat` numbers its runs as tests in some
versions. A manual rating is a gold label.

On error: `failureReason` is 2 where the provider or the grading failed; a grader that failed has
`pass` false, `score` 0 and `metadata.graderError`: no vote. Older versions do not mark the latter.
On skip: there is no `gradingResult`: no vote.
On retry: results that ended in an error are run anew, and replaced. Each run of `--repeat` is a
result, and an answer.
Partial credit: `score`, a number beside `pass`: read as a score.
"""

from collections.abc import Iterator, Mapping, Sequence
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
    written_out,
)

HUMAN = "human"
"""The type of the assertion that a manual rating is."""
ERROR = 2
"""The `failureReason` of a result whose provider or grading failed."""
EXPECTED = "results with a grade of an assertion (`gradingResult`)"


def _is_it(records: Records) -> bool:
    one = records[0] if records else {}
    if {"gradingResult", "promptIdx", "testIdx"} <= set(one):
        return True
    found = as_object(one.get("results")).get("results")
    return len(records) == 1 and isinstance(found, list) and ("evalId" in one or "config" in one)


def _results(records: Records, path: Path) -> Records:
    """The results of an object that holds them, or of JSON lines."""
    if "results" not in records[0]:
        return records
    return objects(as_object(records[0]["results"]).get("results"), f"{path}, results")


def _provider(result: Mapping[str, Any]) -> str:
    found = result.get("provider")
    if isinstance(found, dict):
        found = found.get("label") or found.get("id")
    return str(found or "")


def _grades(result: Mapping[str, Any], where: str) -> list[dict[str, Any]]:
    """The grades of an answer: of each assertion, or the only one there is."""
    whole = as_object(result.get("gradingResult"))
    parts = objects(whole.get("componentResults"), f"{where}, componentResults")
    return parts or ([whole] if as_object(whole.get("assertion")) else [])


def _name(grade: Mapping[str, Any]) -> str:
    assertion = as_object(grade.get("assertion"))
    return str(assertion.get("metric") or assertion.get("type") or "assertion")


def _failed(result: Mapping[str, Any], grade: Mapping[str, Any]) -> bool:
    """Whether a grade is no verdict, as its grader did not come to one."""
    return result.get("failureReason") == ERROR or bool(
        as_object(grade.get("metadata")).get("graderError")
    )


def _variables(result: Mapping[str, Any]) -> dict[str, Any]:
    return as_object(result.get("vars")) or as_object(as_object(result.get("testCase")).get("vars"))


def _question(result: Mapping[str, Any]) -> dict[str, Any]:
    """The variables of a test, without those that a run adds."""
    return {k: v for k, v in _variables(result).items() if not str(k).startswith("_")}


def _tests(results: Records, key: str | None) -> tuple[list[str], list[str]]:
    """The names of the results' tests, and the first name of each test's variables."""
    names = [
        str(_variables(one)[key] if key else one.get("testIdx", number))
        for number, one in enumerate(results, 1)
    ]
    first: dict[str, str] = {}
    texts = [written_out(_question(one)) or name for one, name in zip(results, names, strict=True)]
    return names, [first.setdefault(text, name) for text, name in zip(texts, names, strict=True)]


def _items(results: Records, tests: Sequence[str]) -> list[str]:
    """The names of the answers."""
    several = len({_provider(one) for one in results}) > 1
    prompts = len({str(one.get("promptId")) for one in results}) > 1
    names = [
        " ".join(filter(None, [
            test, _provider(one) * several, f"prompt {one.get('promptIdx')}" * prompts,
        ]))
        for one, test in zip(results, tests, strict=True)
    ]  # fmt: skip
    return numbered(names, "run")


def _verdicts(results: Records, key: str | None, where: str) -> Iterator[Verdict]:
    tests, clusters = _tests(results, key)
    together = len(set(clusters)) < len(results)
    several = len({_provider(one) for one in results}) > 1
    parts = zip(results, _items(results, tests), clusters, strict=True)
    for number, (result, item, cluster) in enumerate(parts, 1):
        provider = _provider(result)
        answer = answer_columns(
            _question(result),
            model=provider or None,
            model_answer=as_object(result.get("response")).get("output"),
            stratum_provider=provider if several else None,
            cluster=cluster if together else None,
        )
        grades = _grades(result, f"{where}, result {number}")
        for name, grade in zip(numbered([_name(one) for one in grades]), grades, strict=True):
            if _name(grade) == HUMAN:
                yield Verdict(number, item, HUMAN, grade.get("pass"), human=True, answer=answer)
            else:
                said = {} if _failed(result, grade) else grade
                yield Verdict(number, item, name, said.get("pass"), said.get("score"),
                              answer=answer)  # fmt: skip


def _read(records: Records, path: Path) -> Found:
    results = _results(records, path)
    key = key_of_items([_variables(one) for one in results])
    models = [name for one in results if (name := _provider(one))]
    what = (
        f"results of promptfoo: {answers_in_words(len(results), models)}, items named by "
        f"{f'vars.{key}' if key else 'testIdx'}" + (" and provider" if len(set(models)) > 1 else "")
    )
    found = list(_verdicts(results, key, str(path)))
    return table_of_verdicts(found, path, what, EXPECTED, len(results))


PROMPTFOO = Export("promptfoo", _is_it, _read, is_object=True, number="id")
