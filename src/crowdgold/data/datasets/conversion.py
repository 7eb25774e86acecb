"""From the files that a source publishes to the tables that a dataset is read from.

A conversion gives text whose checksum is pinned, so that the table is the same wherever it is made.
"""

import ast
import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from crowdgold.archives import zip_members
from crowdgold.data.errors import InputError

Converter = Callable[[Sequence[Path], Mapping[str, Path]], str]
"""(files of the source, files of the dataset that are there already, by name) -> text."""

PRODUCT_FIELDS = ["id", "name", "description", "price"]
CLASS_OF_CODE = ("e", "c", "n")
"""The source of the predictions orders its classes entailment, contradiction, neutral."""

CONVERSATION = "_conversation.txt"
MOST_UNPACKED = 20_000_000_000
"""Bytes of one archive of conversations, which are read one at a time."""


def read_lines(path: Path) -> list[str]:
    """Read the lines of a text; unlike `str.splitlines` it keeps the rarer separators in texts."""
    with path.open(encoding="utf-8") as file:
        return [line.rstrip("\n") for line in file]


def _table(rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def products_from_lists(parts: Sequence[Path], files: Mapping[str, Path]) -> str:
    r"""Convert the product records, one Python list a line, to CSV.

    The first line holds the field names. Characters beyond ASCII are written `\xNN`: Latin-1.

    Args:
        parts: the file of the source.
        files: not used.

    Raises:
        InputError: naming the line that is not such a list.
    """
    (path,) = parts
    rows = []
    for number, line in enumerate(read_lines(path), start=1):
        try:
            row = ast.literal_eval(line)
        except (SyntaxError, ValueError) as error:
            raise InputError(f"{path.name}, line {number}: not a list of values") from error
        if not isinstance(row, list) or len(row) != len(PRODUCT_FIELDS):
            raise InputError(f"{path.name}, line {number}: expected the fields {PRODUCT_FIELDS}")
        rows.append(row)
    if not rows or rows[0] != PRODUCT_FIELDS:
        raise InputError(f"{path.name}, line 1: expected the fields {PRODUCT_FIELDS}")
    return _table(rows)


def predictions_from_json_lines(parts: Sequence[Path], files: Mapping[str, Path]) -> str:
    """Convert the model predictions, one JSON object a line, to one CSV of the ChaosNLI items.

    Args:
        parts: files named TASK_SPLIT_MODEL_SEED.json, whose `probs` are in the order entailment,
            contradiction, neutral; rows come out in the order of the file names, then of the lines.
        files: the two files of ChaosNLI, whose items are kept.

    Raises:
        InputError: naming the file and line that is not such an object.
    """
    uids = {
        subset: {json.loads(line)["uid"] for line in read_lines(files[name])}
        for subset, name in (("snli", "chaosNLI_snli.jsonl"), ("mnli_m", "chaosNLI_mnli_m.jsonl"))
    }
    rows: list[list[object]] = [["set", "uid", "model", "seed", "p_e", "p_n", "p_c"]]
    for path in sorted(parts, key=lambda part: part.name):
        task, _, model, seed = path.stem.split("_")
        subset = {"SNLI": "snli", "MNLI": "mnli_m"}[task]
        for number, line in enumerate(read_lines(path), start=1):
            try:
                uid, probabilities = _read_prediction(line)
            except (ValueError, KeyError, TypeError) as error:
                raise InputError(f"{path.name}, line {number}: not a prediction") from error
            if uid in uids[subset]:
                rows.append(
                    [subset, uid, model, seed, *(f"{probabilities[k]:.10g}" for k in "enc")]
                )
    return _table(rows)


def _read_prediction(line: str) -> tuple[str, dict[str, float]]:
    record = json.loads(line)
    return record["uid"], dict(zip(CLASS_OF_CODE, record["probs"], strict=True))


def perspective_from_conversations(parts: Sequence[Path], files: Mapping[str, Path]) -> str:
    """Take the Perspective score of each annotated message from WAC's conversation files.

    A file REVISION_conversation.txt has a JSON object a line, one a message, with `rev_id` and
    `toxicity`; the message with the file's own revision is the annotated one.

    Args:
        parts: folders conversations-part*, or archives of them (.zip).
        files: not used.

    Returns:
        CSV with the columns rev_id and toxicity, in the order of the revisions.

    Raises:
        InputError: naming the file that is not such a conversation.
    """
    found = {}
    for name, text in _conversations(parts):
        revision = name.removesuffix(CONVERSATION)
        try:
            messages = [json.loads(line) for line in text.splitlines() if line.strip()]
            own = [one for one in messages if str(one["rev_id"]) == revision]
            scores = [float(one["toxicity"]) for one in own if one.get("toxicity") is not None]
            number = int(revision)
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise InputError(
                f"{name}: expected a JSON object a line with rev_id and toxicity ({error})"
            ) from error
        if scores:
            found[number] = scores[0]
    if not found:
        raise InputError(f"no file *{CONVERSATION} with a score in {[part.name for part in parts]}")
    rows = "".join(f"{revision},{found[revision]!r}\n" for revision in sorted(found))
    return f"rev_id,toxicity\n{rows}"


def _conversations(parts: Sequence[Path]) -> Iterator[tuple[str, str]]:
    """The name and the text of each conversation file in folders and archives."""
    for part in parts:
        if part.is_dir():
            for path in sorted(part.rglob(f"*{CONVERSATION}")):
                yield path.name, path.read_text(encoding="utf-8")
        elif part.suffix == ".zip":
            for member, content in zip_members(part, MOST_UNPACKED):
                if member.endswith(CONVERSATION):
                    yield member.rsplit("/", 1)[-1], content.decode("utf-8")
