"""The file of a labelling model: JSON that says itself what it holds.

A service in any language can read it, with the keys' meaning in the file (`ABOUT`). The version
changes with the meaning of a key; a reader takes only the version that it knows.
"""

import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from crowdgold.data import InputError
from crowdgold.data.annotations import SUM_TOLERANCE
from crowdgold.data.checks import Problems
from crowdgold.data.json_shapes import read_json
from crowdgold.data.outputs import first_bytes, write_text
from crowdgold.data.parameters import is_number, unknown
from crowdgold.models.clara.labelling_model import LabellingModel
from crowdgold.models.label_patterns import CONFUSION

FORMAT = "crowdgold labelling model"
VERSION = 1
ABOUT = (
    "categories: the labels. prevalence: the share of the items whose true label is each of them.",
    "matrices: name -> confusion matrix, of each annotator or group, as `confusion` says. Rows: "
    "the true label, columns: the label given, both in the order of categories; probabilities.",
    "fallback: the matrix of a label whose annotator or group has none in `matrices`; where "
    "`confusion` is shared, of every label.",
    "P(true label k | the labels of an item) is in proportion to prevalence[k] times the product "
    "of matrix[k][r] over the labels r of the item. Its maximum over k is the confidence.",
    "made: how the model was made.",
)
KEYS = (
    "format", "version", "about", "made", "categories", "prevalence", "confusion", "fallback",
    "matrices",
)  # fmt: skip
MEND = "correct the file, or write it anew with `crowdgold fit-labelling`"
SHOWN = 8
"""Problems of a file that a message lists."""


def _one_a_line(entries: Mapping[str, Any]) -> str:
    lines = (f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}"
             for key, value in entries.items())  # fmt: skip
    return "{\n    " + ",\n    ".join(lines) + "\n  }"


def to_json(model: LabellingModel) -> str:
    """The text of the model's file: JSON, one line a matrix, numbers to their last digit."""
    matrices = zip(map(str, model.name), model.matrix[:-1].tolist(), strict=True)
    plain = {
        "format": FORMAT,
        "version": VERSION,
        "about": list(ABOUT),
        "categories": [str(name) for name in model.category],
        "prevalence": model.prevalence.tolist(),
        "confusion": model.confusion,
        "fallback": model.fallback.tolist(),
    }
    parts = {key: json.dumps(value, ensure_ascii=False) for key, value in plain.items()}
    parts["about"] = json.dumps(list(ABOUT), indent=2).replace("\n", "\n  ")
    parts["made"] = _one_a_line(model.made) if model.made else "{}"
    parts["matrices"] = _one_a_line(dict(matrices)) if len(model.name) else "{}"
    return "{\n" + ",\n".join(f'  "{key}": {parts[key]}' for key in KEYS) + "\n}\n"


def write_labelling_model(model: LabellingModel, path: str | Path) -> None:
    """Write the model's file, to a temporary name, then renamed.

    Raises:
        InputError: where it cannot be written.
    """
    write_text(to_json(model), path)


def is_labelling_model(path: Path) -> bool:
    """Whether a file begins as `to_json` writes it."""
    begins = rf'\s*\{{\s*"format"\s*:\s*"{re.escape(FORMAT)}"'.encode()
    return re.match(begins, first_bytes(path)) is not None


def read_labelling_model(path: str | Path) -> LabellingModel:
    """Read a model from its file.

    Raises:
        InputError: naming the file, and for each key that cannot be used what was found, what was
            expected, and how to mend it.
    """
    if not os.path.lexists(path):
        raise InputError(f"{path}: no such file; `crowdgold fit-labelling` writes one")
    return from_content(read_json(Path(path), MEND), str(path))


def from_content(content: Any, source: str = "the model") -> LabellingModel:
    """Make a model of what its file holds, read as JSON.

    Args:
        content: the file's content.
        source: how messages name it.

    Raises:
        InputError: as for `read_labelling_model`.
    """
    kind = content.get("format") if isinstance(content, dict) else content
    if kind != FORMAT:
        raise InputError(
            f"{source}: key 'format': found {_short(kind)}, expected {FORMAT!r}; name a file that "
            "`crowdgold fit-labelling` wrote"
        )
    if content.get("version") != VERSION:
        raise InputError(
            f"{source}: key 'version': found {_short(content.get('version'))}, expected {VERSION}; "
            "fit the model anew, or use the crowdgold that wrote it"
        )
    problems = Problems(source)
    for key in KEYS:
        if key not in content:
            problems.add(f"key {key!r}: missing")
    for key in set(content) - set(KEYS):
        problems.add(unknown("key", key, KEYS))
    _stop(problems)
    category = _categories(content["categories"], problems)
    _stop(problems)
    size = len(category)
    prevalence = _probabilities(content["prevalence"], size, "key 'prevalence'", problems)
    matrices = _matrices(content, category, problems)
    if not isinstance(content["made"], dict):
        problems.add(f"key 'made': found {_short(content['made'])}, expected keys: values")
    _stop(problems)
    names = np.array(list(content["matrices"]), dtype=object)
    return LabellingModel(
        category, prevalence, content["confusion"], names, matrices, content["made"]
    )


def _stop(problems: Problems) -> None:
    """Raise an `InputError` with the first problems, if any, and what to do."""
    more = len(problems.messages) - SHOWN
    if more > 0:
        problems.messages[SHOWN:] = [f"and {more} more"]
    if problems.messages:
        problems.add(MEND)
    problems.raise_if_any()


def _short(value: Any) -> str:
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"


def _is_name(value: Any) -> bool:
    """Say whether a value can stand in a table of labels, whose texts are stripped."""
    return isinstance(value, str) and value == value.strip() != ""


def _categories(value: Any, problems: Problems) -> np.ndarray:
    names = value if isinstance(value, list) else []
    if len(names) < 2 or not all(map(_is_name, names)) or len(set(names)) < len(names):
        problems.add(
            f"key 'categories': found {_short(value)}, expected a list of two or more different "
            "texts without white space around them"
        )
    return np.array(names, dtype=object)


def _probabilities(value: Any, size: int, where: str, problems: Problems) -> np.ndarray:
    """Check that something is a distribution over the categories; give it, (K,)."""
    if not (isinstance(value, list) and len(value) == size and all(map(is_number, value))):
        problems.add(f"{where}: found {_short(value)}, expected {size} numbers, one a category")
    elif min(value) <= 0:
        problems.add(
            f"{where}: found {min(value)!r}, expected probabilities above 0; give what never "
            "happens a small one, such as 1e-6"
        )
    elif abs(sum(value) - 1) > SUM_TOLERANCE:
        problems.add(f"{where}: found a sum of {sum(value):.7g}, expected 1; divide each by it")
    else:
        return np.array(value, dtype=float)
    return np.full(size, 1 / size)


def _matrix(value: Any, category: np.ndarray, where: str, problems: Problems) -> np.ndarray:
    if not (isinstance(value, list) and len(value) == len(category)):
        problems.add(f"{where}: found {_short(value)}, expected a row for each category")
        return np.full((len(category), len(category)), 1 / len(category))
    rows = [
        _probabilities(row, len(category), f"{where}, row of {true!r}", problems)
        for true, row in zip(category, value, strict=True)
    ]
    return np.array(rows)


def _matrices(content: Mapping[str, Any], category: np.ndarray, problems: Problems) -> np.ndarray:
    """Check whose matrices there are, and each of them; give them, the fallback last."""
    confusion, matrices = content["confusion"], content["matrices"]
    if confusion not in CONFUSION:
        expected = f"one of {', '.join(CONFUSION)}"
        problems.add(f"key 'confusion': found {_short(confusion)}, expected {expected}")
    if not isinstance(matrices, dict):
        problems.add(f"key 'matrices': found {_short(matrices)}, expected names: matrices")
        matrices = {}
    elif (confusion == "shared") != (not matrices):
        expected = "none, as `confusion` is shared" if matrices else "at least one"
        problems.add(f"key 'matrices': found {len(matrices)} of them, expected {expected}")
    for name in matrices:
        if not _is_name(name):
            problems.add(f"key 'matrices': found the name {name!r}, expected one without white "
                         "space around it")  # fmt: skip
    every = {f"key 'matrices', {name!r}": value for name, value in matrices.items()}
    every["key 'fallback'"] = content["fallback"]
    return np.array([_matrix(value, category, key, problems) for key, value in every.items()])
