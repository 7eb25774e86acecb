"""promptfoo's results, as JSON or JSON lines: each assertion is a grader of each answer.

An assertion is named by its metric, else by its type. An item is named by `item` or `item_id` of
the tests' variables, else by the test's number, with the provider, and the prompt, where there are
several; a stratum is then a provider, and answers to one test are a cluster. A manual rating is a
gold label.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from crowdgold.data.checks import counted
from crowdgold.data.own.exports.export import (
    Export,
    Found,
    Records,
    as_object,
    key_of_items,
    objects,
)
from crowdgold.data.own.exports.verdicts import (
    Verdict,
    answers_in_words,
    numbered,
    table_of_verdicts,
)

HUMAN = "human"
"""The type of the assertion that a manual rating is."""
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


def _variables(result: Mapping[str, Any]) -> dict[str, Any]:
    return as_object(result.get("vars")) or as_object(as_object(result.get("testCase")).get("vars"))


def _verdicts(results: Records, key: str | None, where: str) -> Iterator[Verdict]:
    several = len({_provider(one) for one in results}) > 1
    prompts = len({str(one.get("promptId")) for one in results}) > 1
    for number, result in enumerate(results, 1):
        provider = _provider(result)
        test = str(_variables(result)[key] if key else result.get("testIdx", number))
        parts = [test, provider * several, f"prompt {result.get('promptIdx')}" * prompts]
        answer = {
            "model": provider or None,
            "model_answer": as_object(result.get("response")).get("output"),
            **({"stratum_provider": provider} if several else {}),
            **({"cluster": test} if several or prompts else {}),
        }
        item = " ".join(filter(None, parts))
        grades = _grades(result, f"{where}, result {number}")
        for name, grade in zip(numbered([_name(one) for one in grades]), grades, strict=True):
            if _name(grade) == HUMAN:
                yield Verdict(number, item, HUMAN, grade.get("pass"), human=True, answer=answer)
            else:
                yield Verdict(number, item, name, grade.get("pass"), grade.get("score"),
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
    made, rows, notes = table_of_verdicts(found, path, what, EXPECTED)
    if without := len(results) - len({one.number for one in found}):
        notes.append(f"{counted(without, 'result')} without a grade passed over")
    return made, rows, notes


PROMPTFOO = Export("promptfoo", _is_it, _read, is_object=True)
