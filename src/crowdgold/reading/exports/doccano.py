"""doccano's JSON lines of text classification.

Either each record has `label`, a list, and the file is one annotator's (its name is theirs), or it
has `annotations`, a list of objects with `label` and `user`.

On skip: there is no label, as of a text that nobody came to: no vote.
On error: nothing is written.
On retry: a label that was changed is there as it is now. A text that is there again in the same
words is counted once.
Partial credit: there is none.
"""

from pathlib import Path

from crowdgold.reading.exports.export import Export, Found, Numbered, Records, plain, table
from crowdgold.types.columns import counted
from crowdgold.types.errors import InputError


def _is_it(records: Records) -> bool:
    return any(isinstance(one.get("label"), list) or "annotations" in one for one in records) and (
        not any(isinstance(one.get("data"), dict) for one in records)
    )


def _read(records: Records, path: Path) -> Found:
    """A row a label of each text; a text without one has a row all the same."""
    rows: list[Numbered] = []
    bare = 0
    by_user = any("annotations" in one for one in records)
    for number, record in enumerate(records, 1):
        where = f"{path}, line {number}"
        own = plain({k: v for k, v in record.items() if k not in ("label", "annotations")})
        labels = record.get("annotations" if by_user else "label")
        before = len(rows)
        for one in labels if isinstance(labels, list) else [labels]:
            if isinstance(one, dict):
                who, label = one.get("user"), one.get("label")
            else:
                who, label = path.stem, one
            if isinstance(label, dict | list):
                raise InputError(f"{where}: a label is {str(label)[:40]}, expected a class")
            if label is not None:
                rows.append((number, {**own, "annotator": who, "label": label}))
        if len(rows) == before:
            bare += 1
            rows.append((number, own))
    who = "users as they stand" if by_user else f"the annotator is {path.stem!r}, as the file"
    none = f", {bare:,} without a label" if bare else ""
    return *table(rows), [f"an export of doccano: {counted(len(records), 'text')}{none}, {who}"]


DOCCANO = Export("doccano", _is_it, _read)
