"""lm-eval's samples (`samples_TASK_DATE.jsonl`): each metric is a grader of each document's answer.

A metric of several filters is a grader for each. An item is named by `item` or `item_id` of the
document, else by the document's number. Another response to the same document is another run: an
item of its own, and the document is the cluster of both.

On error: the whole run stops; a metric that cannot be computed is NaN: no vote.
On skip: with `--predict_only` there is no metric but `bypass`, which has no value: no vote.
On retry: nothing is written of the tries before the last. The repeats of a task are one record.
Partial credit: a number; a few of an annotator are passed over, else they are scores.
"""

import re
from collections import Counter
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
    table_of_verdicts,
    written_out,
)
from crowdgold.types.errors import InputError

NO_METRICS = (
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
    "doc_hash", "prompt_hash", "target_hash",
)  # fmt: skip
"""What a sample has beside its metrics, which older files do not list."""
TASK = re.compile(r"samples_(.+?)(?:_\d{4}-\d\d-\d\dT.*)?")
"""The name of a file of samples."""
EXPECTED = "metrics of a document that are 0 or 1, or numbers, as acc or exact_match"


def _is_it(records: Records) -> bool:
    return bool(records) and {"doc_id", "doc", "filtered_resps"} <= set(records[0])


def _metrics(sample: Mapping[str, Any]) -> list[str]:
    named = sample.get("metrics")
    if isinstance(named, list):
        return [one for one in named if isinstance(one, str)]
    return [name for name in sample if name not in NO_METRICS]


def _first(value: Any) -> Any:
    """An answer, of the lists of answers that filters give."""
    while isinstance(value, list) and len(value) == 1:
        (value,) = value
    return value if isinstance(value, str) else None


def _documents(samples: Records, key: str | None, path: Path) -> list[str]:
    """The document that each sample is an answer to.

    Raises:
        InputError: where one name stands for several documents.
    """
    names, known = list[str](), dict[str, str]()
    for number, sample in enumerate(samples, 1):
        name = str(as_object(sample.get("doc"))[key] if key else sample.get("doc_id", number))
        text = written_out(sample.get("doc"))
        if known.setdefault(name, text) != text:
            raise InputError(
                f"{path}, line {number}: {key or 'doc_id'} {name} is another document than before; "
                "expected samples of one task. Give the file of each task by itself"
            )
        names.append(name)
    return names


def _runs(samples: Records, documents: Sequence[str]) -> list[int]:
    """The run that each sample is of; other responses to a document are of another."""
    known: dict[str, dict[str, int]] = {}
    found = []
    for sample, document in zip(samples, documents, strict=True):
        own = known.setdefault(document, {})
        found.append(own.setdefault(written_out(sample.get("resps")), len(own) + 1))
    return found


def _verdicts(samples: Records, documents: Sequence[str], task: str | None) -> Iterator[Verdict]:
    several = len({str(one.get("filter")) for one in samples}) > 1
    runs, seen = _runs(samples, documents), Counter[tuple[str, int, str]]()
    repeated = max(runs) > 1
    parts = zip(samples, documents, runs, strict=True)
    for number, (sample, document, run) in enumerate(parts, 1):
        name = str(sample.get("filter") or "filter")
        seen[document, run, name] += 1
        again = seen[document, run, name]
        of = f" ({name} {again})" if again > 1 else f" ({name})" if several else ""
        answer = answer_columns(
            sample.get("doc"),
            model_answer=_first(sample.get("filtered_resps")),
            target=sample.get("target"),
            task=task,
            cluster=document if repeated else None,
        )
        item = f"{document} run {run}" if run > 1 else document
        for metric in _metrics(sample):
            yield Verdict(number, item, f"{metric}{of}", sample.get(metric), answer=answer)


def _read(records: Records, path: Path) -> Found:
    key = key_of_items([as_object(one.get("doc")) for one in records])
    documents, named = _documents(records, key, path), TASK.fullmatch(path.stem)
    verdicts = list(_verdicts(records, documents, named[1] if named else None))
    what = (
        f"samples of lm-eval: {answers_in_words(len({one.item for one in verdicts}), [])}, items "
        f"named by {f'doc.{key}' if key else 'doc_id'}"
    )
    return table_of_verdicts(verdicts, path, what, EXPECTED)


LM_EVAL = Export("lm-eval", _is_it, _read)
