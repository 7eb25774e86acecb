"""The labelling model (CLARA, section 5.1), its online part, and its file.

The model holds the posterior means of the prevalence theta and of each confusion matrix psi. The
probability of an item's labels is linear in theta and, where no matrix gives two of them, in each
psi, so that its posterior mean is the product of theirs, but for what correlation the posterior has
between them. Online, it says how sure an item's label is, given its labels so far,

    P(y_i = k | r_i1 ... r_ij) ~ theta_k prod_j psi_a_ij,k,r_ij,     confidence = max_k P(y_i = k)

in logarithms, since items can have hundreds of labels. Another label is asked for where the
confidence is below a threshold ("only if it is above a threshold" in section 5.4.2 is a slip). With
two categories it is never below 0.5, where one label is all; and hardly ever 1, where all labels
are asked for.

The file is JSON that says itself what it holds (`ABOUT`), so that a service in any language can
read it. The version changes with the meaning of a key; a reader takes only that which it knows.
"""

import json
import math
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from crowdgold.models.clara.model import CONFUSION, matrix_of_label
from crowdgold.reading.json_shapes import read_json
from crowdgold.reading.outputs import first_bytes, write_text
from crowdgold.types.annotations import NO_GROUP, SUM_TOLERANCE, Annotations
from crowdgold.types.columns import Problems
from crowdgold.types.errors import InputError
from crowdgold.types.parameters import ONE_LABEL, is_number, unknown

if TYPE_CHECKING:
    from crowdgold.models.clara.gibbs import ClaraFit

LEAST_LABELS = 1e-9  # added to the weights of the fallback, so that they are not all 0
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
SHOWN = 8  # Problems of a file that a message lists


@dataclass(frozen=True, eq=False)
class LabellingModel:
    """How often items have each true label, and how often each annotator mistakes it."""

    category: np.ndarray  # (K,) labels
    prevalence: np.ndarray  # (K,) P(true label), positive
    confusion: str  # whose matrices there are, one of `model.CONFUSION`
    name: np.ndarray  # (M,) annotators or groups that have a matrix; none where one is shared
    # (M + 1, K, K) P(label given | true label), positive, true labels in rows; the last is that of
    # all who have none: a mean of the others, or the shared one
    matrix: np.ndarray
    made: Mapping[str, Any] = field(default_factory=dict)  # whatever its maker notes

    @property
    def fallback(self) -> np.ndarray:
        """The matrix (K, K) of an annotator or group without one of its own."""
        return np.asarray(self.matrix[-1])


def matrix_names(annotations: Annotations, confusion: str) -> np.ndarray:
    """The names (M,) of those who have a confusion matrix; none where one is shared."""
    if confusion not in CONFUSION:
        raise InputError(unknown("confusion", confusion, CONFUSION))
    if confusion == "annotator":
        return annotations.annotator
    if confusion == "shared":
        return np.array([], dtype=object)
    if NO_GROUP in annotations.group:
        raise InputError("confusion matrices by group: the table needs a column 'group'")
    return annotations.group


def labelling_model(
    fit: "ClaraFit", annotations: Annotations, confusion: str, made: Mapping[str, Any] | None = None
) -> LabellingModel:
    """The model of a fit's posterior means. Row k of the fallback weighs each matrix by how many
    labels it is expected to have where the truth is k, as of an annotator met by way of a random
    label.
    """
    known = matrix_names(annotations, confusion)
    theta = fit.theta.mean(axis=(0, 1))
    psi = fit.psi.mean(axis=(0, 1), dtype=float)
    psi /= psi.sum(axis=-1, keepdims=True)
    own, matrices = matrix_of_label(annotations, confusion)
    weight = np.full((matrices, len(theta)), LEAST_LABELS)
    np.add.at(weight, own, fit.probability[annotations.item_of])
    weight /= weight.sum(axis=0)
    fallback = np.einsum("mk,mkr->kr", weight, psi)
    matrix = np.concatenate([psi[: len(known)], fallback[None]])
    return LabellingModel(annotations.category, theta, confusion, known, matrix, dict(made or {}))


@dataclass(frozen=True)
class LabelsSoFar:
    """What is known of the true label of each item after each of its labels."""

    start: np.ndarray  # (I + 1,) the labels of item i are start[i] to start[i + 1]
    probability: np.ndarray  # (L, K) P(y = k | the item's labels up to and with this one)

    @property
    def confidence(self) -> np.ndarray:
        """The largest probability after each label."""
        return np.asarray(self.probability.max(axis=1))


def probabilities_so_far(model: LabellingModel, annotations: Annotations) -> LabelsSoFar:
    """P(y = k) after each label, in their order; unknown annotators have the fallback."""
    found, expected = (", ".join(map(str, one.category)) for one in (annotations, model))
    if found != expected:
        raise InputError(
            f"the labels have the categories {found}; expected the model's, {expected}: read them "
            "with categories=model.category"
        )
    names, owner = annotations.annotator, annotations.annotator_of
    if model.confusion == "group":
        names, owner = annotations.group, annotations.group_of
    position = {name: m for m, name in enumerate(model.name)}
    matrix = np.array([position.get(name, len(position)) for name in names])
    log_weight = np.asarray(np.log(model.matrix)[matrix[owner], :, annotations.label])
    start = np.concatenate([[0], np.cumsum(annotations.labels_of_item)])
    place = np.arange(len(annotations)) - start[annotations.item_of]
    order = np.argsort(place, kind="stable")
    before = np.log(model.prevalence)
    # All first labels at once, then all second ones: sums in the order in which labels come.
    for turn in np.split(order, np.cumsum(np.bincount(place))[:-1]) if len(order) else ():
        log_weight[turn] += before if place[turn[0]] == 0 else log_weight[turn - 1]
    weight = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
    return LabelsSoFar(start, weight / weight.sum(axis=1, keepdims=True))


def asks_for_another(
    confidence: float, labels: int, threshold: float, most: int | None = None
) -> bool:
    """Whether an item with so many labels, of this confidence, needs another."""
    return confidence < threshold and (most is None or labels < most)


@dataclass(frozen=True, slots=True)
class ItemSoFar:
    """What is known of an item: its labels so far, the most likely one, and how sure that is."""

    labels: int
    label: str
    confidence: float


@dataclass(slots=True)
class _Item:
    """The labels of an item by annotator, as (matrix, label) positions, and log weights (K,)."""

    given: dict[str, tuple[int, int]] = field(default_factory=dict)
    log_weight: list[float] = field(default_factory=list)


class LabelStream:
    """Labels that come one at a time, in any order, kept in memory as floats: ten times as fast."""

    def __init__(self, model: LabellingModel, repeated: str = "refuse") -> None:
        """Start without labels; `repeated`, of `ONE_LABEL`, rules on second labels."""
        if repeated not in ONE_LABEL:
            raise InputError(f"repeated: {unknown('rule', repeated, ONE_LABEL)}")
        self.model, self.repeated = model, repeated
        self.unknown: dict[str, int] = {}
        """Annotators or groups that the model does not know -> labels of theirs."""
        self._category = {str(name): k for k, name in enumerate(model.category)}
        self._matrix: Mapping[str, int] = {str(name): m for m, name in enumerate(model.name)}
        self._prior: list[float] = np.log(model.prevalence).tolist()
        # By matrix, then by the label given: log probabilities over the true labels.
        self._log: list[list[list[float]]] = np.log(model.matrix).transpose(0, 2, 1).tolist()
        self._items: dict[str, _Item] = {}

    def add(self, item: str, annotator: str, label: str, group: str = "") -> ItemSoFar:
        """What is known of an item with this label; `InputError` for a wrong or repeated one."""
        if label not in self._category:
            expected = ", ".join(self._category)
            raise InputError(f"column 'label': found {label!r}, expected one of {expected}")
        known = self._items.get(item)
        again = known is not None and annotator in known.given
        if again and self.repeated == "refuse":
            raise InputError(
                f"column 'annotator': found {annotator!r} on item {item!r} again, expected each "
                "annotator once on an item"
            )
        if known is None:
            known = self._items[item] = _Item({}, self._prior)
        if not again:
            given = known.given[annotator] = self._find(annotator, group), self._category[label]
            known.log_weight = self._plus(known.log_weight, given)
        elif self.repeated == "last":
            known.given[annotator] = self._find(annotator, group), self._category[label]
            known.log_weight = self._prior
            for given in known.given.values():
                known.log_weight = self._plus(known.log_weight, given)
        largest = max(known.log_weight)
        total = sum(math.exp(w - largest) for w in known.log_weight)
        likeliest = str(self.model.category[known.log_weight.index(largest)])
        return ItemSoFar(len(known.given), likeliest, 1 / total)

    def _find(self, annotator: str, group: str) -> int:
        """Find the matrix of a label; count those who have none of their own."""
        if self.model.confusion == "shared":
            return 0
        name = group if self.model.confusion == "group" else annotator
        matrix = self._matrix.get(name, len(self._matrix))
        if matrix == len(self._matrix):
            self.unknown[name] = self.unknown.get(name, 0) + 1
        return matrix

    def _plus(self, log_weight: list[float], given: tuple[int, int]) -> list[float]:
        more = self._log[given[0]][given[1]]
        return [w + x for w, x in zip(log_weight, more, strict=True)]


def _one_a_line(entries: Mapping[str, Any]) -> str:
    lines = (f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(value, ensure_ascii=False)}"
             for key, value in entries.items())  # fmt: skip
    return "{\n    " + ",\n    ".join(lines) + "\n  }"


def to_json(model: LabellingModel) -> str:
    """The text of the model's file: JSON, one line a matrix, numbers to their last digit."""
    matrices = zip(map(str, model.name), model.matrix[:-1].tolist(), strict=True)
    plain = {
        "format": FORMAT, "version": VERSION, "about": list(ABOUT),
        "categories": [str(name) for name in model.category],
        "prevalence": model.prevalence.tolist(), "confusion": model.confusion,
        "fallback": model.fallback.tolist(),
    }  # fmt: skip
    parts = {key: json.dumps(value, ensure_ascii=False) for key, value in plain.items()}
    parts["about"] = json.dumps(list(ABOUT), indent=2).replace("\n", "\n  ")
    parts["made"] = _one_a_line(model.made) if model.made else "{}"
    parts["matrices"] = _one_a_line(dict(matrices)) if len(model.name) else "{}"
    return "{\n" + ",\n".join(f'  "{key}": {parts[key]}' for key in KEYS) + "\n}\n"


def write_labelling_model(model: LabellingModel, path: str | Path) -> None:
    """Write the model's file, to a temporary name, then renamed."""
    write_text(to_json(model), path)


def is_labelling_model(path: Path) -> bool:
    """Whether a file begins as `to_json` writes it."""
    begins = rf'\s*\{{\s*"format"\s*:\s*"{re.escape(FORMAT)}"'.encode()
    return re.match(begins, first_bytes(path)) is not None


def read_labelling_model(path: str | Path) -> LabellingModel:
    """A model from its file; an `InputError` names each key that cannot be used, and the mend."""
    if not os.path.lexists(path):
        raise InputError(f"{path}: no such file; `crowdgold fit-labelling` writes one")
    return from_content(read_json(Path(path), MEND), str(path))


def from_content(content: Any, source: str = "the model") -> LabellingModel:
    """Make a model of what its file holds, read as JSON; messages name the `source`."""
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
    listed = content["categories"]
    names = listed if isinstance(listed, list) else []
    if len(names) < 2 or not all(map(_is_name, names)) or len(set(names)) < len(names):
        problems.add(
            f"key 'categories': found {_short(listed)}, expected a list of two or more different "
            "texts without white space around them"
        )
    category = np.array(names, dtype=object)
    _stop(problems)
    prevalence = _probabilities(content["prevalence"], len(category), "key 'prevalence'", problems)
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
    parts = []
    for where, value in every.items():
        rows = value if isinstance(value, list) and len(value) == len(category) else []
        if not rows:
            problems.add(f"{where}: found {_short(value)}, expected a row for each category")
        parts.append([
            _probabilities(row, len(category), f"{where}, row of {true!r}", problems)
            for true, row in zip(category, rows, strict=False)
        ])  # fmt: skip
    if not isinstance(content["made"], dict):
        problems.add(f"key 'made': found {_short(content['made'])}, expected keys: values")
    _stop(problems)
    known = np.array(list(matrices), dtype=object)
    return LabellingModel(category, prevalence, confusion, known, np.array(parts), content["made"])


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
