"""From the files that a source publishes to the tables that a dataset is read from.

A conversion gives text whose checksum is pinned, so that the table is the same wherever it is made.
"""

import ast
import csv
import io
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from crowdgold.data.checks import InputError

Converter = Callable[[Sequence[Path], Mapping[str, Path]], str]
"""(files of the source, files of the dataset that are there already, by name) -> text."""

PRODUCT_FIELDS = ["id", "name", "description", "price"]
CLASS_OF_CODE = ("e", "c", "n")
"""The source of the predictions orders its classes entailment, contradiction, neutral."""


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
