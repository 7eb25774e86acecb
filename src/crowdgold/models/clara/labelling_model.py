"""The fitted model that the online part works with (CLARA, section 5.1).

It holds the posterior means of the prevalence theta and of each confusion matrix psi. The
probability of an item's labels is linear in theta and, where no matrix gives two of them, in each
psi, so that its posterior mean is the product of theirs, but for what correlation the posterior has
between them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from crowdgold.data import Annotations, InputError
from crowdgold.data.annotations import NO_GROUP
from crowdgold.data.parameters import unknown
from crowdgold.models.label_patterns import CONFUSION, matrix_of_label

if TYPE_CHECKING:
    from crowdgold.models.clara.gibbs import ClaraFit

LEAST_LABELS = 1e-9
"""Weight of a matrix in the fallback on top of its labels, so that no weights are all 0."""


@dataclass(frozen=True, eq=False)
class LabellingModel:
    """How often items have each true label, and how often each annotator mistakes it.

    Attributes:
        category: (K,) labels.
        prevalence: (K,) P(true label), positive.
        confusion: whose matrices there are, one of `label_patterns.CONFUSION`.
        name: (M,) annotators or groups that have a matrix; none where one is shared.
        matrix: (M + 1, K, K) P(label given | true label), positive, true labels in rows; the last
            is that of all who have none: a mean of the others, or the shared one.
        made: how the model was made, as plain values: whatever its maker notes.
    """

    category: np.ndarray
    prevalence: np.ndarray
    confusion: str
    name: np.ndarray
    matrix: np.ndarray
    made: Mapping[str, Any] = field(default_factory=dict)

    @property
    def fallback(self) -> np.ndarray:
        """The matrix (K, K) of an annotator or group without one of its own."""
        return np.asarray(self.matrix[-1])


def matrix_names(annotations: Annotations, confusion: str) -> np.ndarray:
    """The names (M,) of those who have a confusion matrix; none where one is shared.

    Raises:
        InputError: where `confusion` is not one of `label_patterns.CONFUSION`, or groups have no
            names.
    """
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
    fit: "ClaraFit",
    annotations: Annotations,
    confusion: str,
    made: Mapping[str, Any] | None = None,
) -> LabellingModel:
    """Make the model of a fit's posterior means.

    The fallback is the mean of the matrices over the labels: row k weighs each matrix by how many
    labels it is expected to have on items whose true label is k. So an unknown annotator is taken
    for one met by way of a label drawn at random.

    Args:
        fit: of CLARA, to these annotations.
        annotations: the labels that it was fitted to.
        confusion: as in the fit's settings.
        made: how the fit was made.

    Raises:
        InputError: as for `matrix_names`.
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
