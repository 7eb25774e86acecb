"""OpenAI evals' log (JSON lines): what events record of each sample's answer.

A `match` is a grader, and so is each entry of `metrics`. An item is named by its `sample_id`.

On error: an event `error`, without a `match`. A grader whose words are no choice has the choice
`__invalid__` and the lowest score: no vote by any of its entries.
On skip: a sample has no event, or that of the sampling alone: no vote.
On retry: nothing is written of the tries before the last.
Partial credit: a number in `metrics`; a few of an annotator are passed over, else they are scores.
"""

from collections.abc import Iterator
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
    table_of_verdicts,
)

MATCH, METRICS, SAMPLING = "match", "metrics", "sampling"
INVALID = "__invalid__"
"""The choice of a grader whose words are none of the choices."""
EXPECTED = "events `match` with `correct`, or `metrics`"


def _is_it(records: Records) -> bool:
    return any({"run_id", "event_id", "sample_id", "type", "data"} <= set(one) for one in records)


def _spec(records: Records) -> dict[str, Any]:
    """What the first line of a run says of it."""
    return next((as_object(one["spec"]) for one in records if "spec" in one), {})


def _models(records: Records) -> list[str]:
    named = _spec(records).get("completion_fns")
    return [str(one) for one in named] if isinstance(named, list) else []


def _answers(records: Records) -> dict[str, dict[str, Any]]:
    """What is known of each sample's answer: the last that was sampled, and what was expected."""
    found: dict[str, dict[str, Any]] = {}
    for one in records:
        data, own = as_object(one.get("data")), found.setdefault(str(one.get("sample_id")), {})
        if one.get("type") == SAMPLING:
            sampled = data.get("sampled")
            own["model_answer"] = sampled[0] if isinstance(sampled, list) and sampled else sampled
            own["question"] = data.get("prompt")
        if one.get("type") == MATCH:
            own |= {"target": data.get("expected")}
            own.setdefault("model_answer", data.get("picked"))
    return found


def _verdicts(records: Records) -> Iterator[Verdict]:
    models, answers = _models(records), _answers(records)
    of_all = {"model": models[0] if models else None, "task": _spec(records).get("eval_name")}
    for number, one in enumerate(records, 1):
        item, data = str(one.get("sample_id")), as_object(one.get("data"))
        answer = answer_columns(**of_all, **answers[item])
        if one.get("type") == MATCH:
            yield Verdict(number, item, MATCH, data.get("correct"), answer=answer)
        if one.get("type") == METRICS:
            failed = INVALID in data.values()
            for name, value in data.items():
                yield Verdict(number, item, str(name), None if failed else value, answer=answer)


def _read(records: Records, path: Path) -> Found:
    verdicts = list(_verdicts(records))
    number = len({str(one["sample_id"]) for one in records if one.get("sample_id") is not None})
    what = (
        f"a log of OpenAI evals: {answers_in_words(number, _models(records))}, items named by "
        "sample_id"
    )
    return table_of_verdicts(verdicts, path, what, EXPECTED, number)


OPENAI_EVALS = Export("OpenAI evals", _is_it, _read)
