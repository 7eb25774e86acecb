"""lm-eval's samples (`samples_TASK_DATE.jsonl`): each metric is a grader of each document's answer.

A metric of several filters is a grader for each. An item is named by `item` or `item_id` of the
document, else by the document's number.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from crowdgold.data.own.exports.export import Export, Found, Records, as_object, key_of_items
from crowdgold.data.own.exports.verdicts import Verdict, answers_in_words, table_of_verdicts

NO_METRICS = (
    "doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics",
    "doc_hash", "prompt_hash", "target_hash",
)  # fmt: skip
"""What a sample has beside its metrics, which older files do not list."""
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


def _verdicts(samples: Records, key: str | None) -> Iterator[Verdict]:
    several = len({str(one.get("filter")) for one in samples}) > 1
    for number, sample in enumerate(samples, 1):
        item = as_object(sample.get("doc"))[key] if key else sample.get("doc_id", number)
        answer = {
            "model_answer": _first(sample.get("filtered_resps")), "target": sample.get("target")
        }  # fmt: skip
        of = f" ({sample.get('filter')})" if several else ""
        for metric in _metrics(sample):
            yield Verdict(number, str(item), f"{metric}{of}", sample.get(metric), answer=answer)


def _read(records: Records, path: Path) -> Found:
    key = key_of_items([as_object(one.get("doc")) for one in records])
    verdicts = list(_verdicts(records, key))
    what = (
        f"samples of lm-eval: {answers_in_words(len({one.item for one in verdicts}), [])}, items "
        f"named by {f'doc.{key}' if key else 'doc_id'}"
    )
    return table_of_verdicts(verdicts, path, what, EXPECTED)


LM_EVAL = Export("lm-eval", _is_it, _read)
