"""Values of a few known classes as JSON and arrays: what a job found, in a file without code in it.

A file begins with the sha256 of the rest, so that a damaged one is none.
"""

import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.data.outputs import unfinished
from crowdgold.inference.clustered import Clustered
from crowdgold.inference.design import KnownChances, SimpleRandom
from crowdgold.inference.estimate import Estimate
from crowdgold.inference.questions import Named
from crowdgold.inference.rectified import Rectified
from crowdgold.inference.samples import Draws, Stated
from crowdgold.metrics import Scale
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.own.evaluation.fitting import Found

CLASSES = {
    one.__name__: one
    for one in (
        Found, Named, Draws, Rectified, SimpleRandom, KnownChances, Clustered, Stated, Estimate,
        Diagnostics, Scale,
    )
}  # fmt: skip
"""All that is made from a file."""
TEXT = "text"
DIGEST = 64
"""Digits of a sha256."""


def plain_of(value: Any, arrays: list[np.ndarray]) -> Any:
    """A value as JSON has it: a dictionary has one key, which says what it stands for.

    Args:
        value: of a dataclass, say.
        arrays: those within are added to them, and stand as their place there.
    """
    if isinstance(value, np.ndarray):
        arrays.append(value)
        return {"array": len(arrays) - 1}
    if isinstance(value, np.generic):
        return value.item()
    if value is pd.NA:
        return None
    if isinstance(value, Enum):
        return {type(value).__name__: {"value": value.value}}
    if is_dataclass(value):
        own = [one.name for one in fields(value) if one.init]
        return {
            type(value).__name__: {name: plain_of(getattr(value, name), arrays) for name in own}
        }
    if isinstance(value, pd.DataFrame):
        columns = [[name, str(column.dtype), column.tolist()] for name, column in value.items()]
        return {"table": plain_of(columns, arrays)}
    if isinstance(value, Mapping):
        return {"mapping": [[key, plain_of(one, arrays)] for key, one in value.items()]}
    if isinstance(value, tuple):
        return {"tuple": plain_of(list(value), arrays)}
    if isinstance(value, list):
        return [plain_of(one, arrays) for one in value]
    return value


def _value_of(stored: Any, arrays: Mapping[str, np.ndarray]) -> Any:
    """The value that `plain_of` was given."""
    if isinstance(stored, list):
        return [_value_of(one, arrays) for one in stored]
    if not isinstance(stored, dict):
        return stored
    ((kind, content),) = stored.items()
    if kind == "array":
        return arrays[str(content)]
    if kind == "tuple":
        return tuple(_value_of(content, arrays))
    if kind == "mapping":
        return {key: _value_of(one, arrays) for key, one in content}
    if kind == "table":
        return pd.DataFrame({name: pd.Series(own, dtype=dtype) for name, dtype, own in content})
    return CLASSES[kind](**{name: _value_of(one, arrays) for name, one in content.items()})


def write_found(found: Sequence[Found], path: Path) -> None:
    """Write what a job found, to a temporary name first.

    Raises:
        OSError: where it cannot be written.
        TypeError: where it holds something else than `CLASSES`, numbers and texts.
    """
    arrays: list[np.ndarray] = []
    text = json.dumps(plain_of(list(found), arrays)).encode()
    if any(one.dtype.hasobject for one in arrays):
        raise TypeError("an array of objects cannot be stored")
    named = {str(place): one for place, one in enumerate(arrays)}
    whole = io.BytesIO()
    np.savez(whole, **{TEXT: np.frombuffer(text, np.uint8)}, **named)  # type: ignore[arg-type]
    content = whole.getvalue()
    with unfinished(path) as own:
        own.write_bytes(hashlib.sha256(content).hexdigest().encode() + content)


def read_found(path: Path) -> list[Found] | None:
    """What a job found; None where there is no file, or a damaged one."""
    try:
        whole = path.read_bytes()
    except OSError:
        return None
    digest, content = whole[:DIGEST], whole[DIGEST:]
    if hashlib.sha256(content).hexdigest().encode() != digest:
        return None
    with np.load(io.BytesIO(content), allow_pickle=False) as held:
        arrays = {name: held[name] for name in held.files}
    found: list[Found] = _value_of(json.loads(arrays[TEXT].tobytes()), arrays)
    return found
