"""Inspect's eval logs, as JSON: each scorer is a grader of each sample's answer.

An item is named by `item` or `item_id` of the samples' metadata, else by the sample's id. A score
that a person added (an edit with its author) is a gold label. One that a person changed stays the
scorer's own: people change what is wrong, so that such labels are of no random sample.

On error: a sample has an `error`; the score of a grader that gave no grade is NaN, and in older
logs an I whose explanation says so: no vote.
On skip: there is no score: no vote. N is a verdict, 0: the model gave nothing that can be graded.
On retry: the last try alone is a sample; those before are its `error_retries`.
Partial credit: P, which is 0.5, or a number; a few of an annotator are passed over, else they are
scores.
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
    objects,
    table_of_verdicts,
)
from crowdgold.types.columns import counted

GRADES = {"C": 1, "I": 0, "P": 0.5, "N": 0}
"""Correct, incorrect, partially correct, no answer."""
NO_GRADE = "Grade not found in model output"
"""How the explanation of a grader begins that gave no grade."""
EXPECTED = "scores that are C or I, yes or no, or numbers, in `samples`"


def _is_it(records: Records) -> bool:
    (one, *others) = records or [{}]
    return (
        not others and isinstance(one.get("eval"), dict) and {"plan", "samples"} & set(one) != set()
    )


def _value(value: Any) -> Any:
    return GRADES.get(value, value) if isinstance(value, str) else value


def _by_people(score: Mapping[str, Any], where: str) -> tuple[list[Any], list[Any]]:
    """The edits of a score that have an author, and what it was before them."""
    history = objects(score.get("history"), f"{where}, history")
    edits = [one for one in history if as_object(one.get("provenance"))]
    return edits, [one for one in history if one not in edits]


def _graded(scorer: str, score: Mapping[str, Any], where: str) -> Iterator[tuple[str, Any, bool]]:
    """Who says what by a score: the scorer, of each of its values, or who added it."""
    edits, before = _by_people(score, where)
    if edits and not before:
        yield str(as_object(edits[0]["provenance"]).get("author")), _value(score.get("value")), True
        return
    value = before[0].get("value") if edits else score.get("value")
    if str(score.get("explanation")).startswith(NO_GRADE):
        value = None
    if isinstance(value, dict):
        yield from ((f"{scorer} {name}", _value(one), False) for name, one in value.items())
    else:
        yield scorer, _value(value), False


def _verdicts(
    samples: Records, key: str | None, of_all: Mapping[str, Any], where: str
) -> Iterator[Verdict]:
    repeated = any(one.get("epoch", 1) != 1 for one in samples)
    for number, sample in enumerate(samples, 1):
        name = as_object(sample.get("metadata"))[key] if key else sample.get("id", number)
        epoch = sample.get("epoch", 1)
        answer = answer_columns(
            sample.get("input"),
            **of_all,
            target=sample.get("target"),
            model_answer=as_object(sample.get("output")).get("completion"),
            cluster=str(name) if repeated else None,
        )
        item = f"{name} epoch {epoch}" if repeated else str(name)
        for scorer, score in as_object(sample.get("scores")).items():
            place = f"{where}, sample {number}, {scorer}"
            for by, value, human in _graded(scorer, as_object(score), place):
                said = None if sample.get("error") and not human else value
                yield Verdict(number, item, by, said, human=human, answer=answer)


def _read(records: Records, path: Path) -> Found:
    (log,) = records
    samples = objects(log.get("samples"), f"{path}, samples")
    run = as_object(log["eval"])
    of_all = {name: run[name] for name in ("model", "task") if isinstance(run.get(name), str)}
    key = key_of_items([as_object(one.get("metadata")) for one in samples])
    models = [of_all["model"]] if "model" in of_all else []
    what = (
        f"an eval log of Inspect: {answers_in_words(len(samples), models)}, "
        f"items named by {f'metadata.{key}' if key else 'id'}"
    )
    made, rows, notes = table_of_verdicts(
        list(_verdicts(samples, key, of_all, str(path))), path, what, EXPECTED, len(samples)
    )
    changed = sum(
        all(_by_people(as_object(score), str(path)))
        for one in samples
        for score in as_object(one.get("scores")).values()
    )
    if changed:
        notes.append(
            f"{counted(changed, 'score')} that people changed as the scorer gave it; no gold "
            "labels, since people change what is wrong"
        )
    return made, rows, notes


EVAL = "a log of Inspect as JSON, from `inspect log convert --to json --output-dir FOLDER FILE`"
INSPECT = Export("Inspect", _is_it, _read, is_object=True, instead={".eval": EVAL})
