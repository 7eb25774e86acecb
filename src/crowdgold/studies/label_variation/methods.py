"""The 14 training methods by their short names, and what each needs (HLV, table 3)."""

from dataclasses import dataclass

import pandas as pd

from crowdgold.data.errors import InputError
from crowdgold.data.parameters import unknown


@dataclass(frozen=True)
class TrainingMethod:
    """A way to train on annotations that differ.

    Attributes:
        name: its short name.
        full_name: its name in table 3.
        needs_annotators: whether it must be known who gave which annotation (I).
        multilabel: whether an item may have several classes (M).
        enlarges: whether it trains on more rows than there are items (D).
        proposed: whether the paper proposes it.
        objective: the metric that its loss is 1 less; empty where it is a likelihood.
    """

    name: str
    full_name: str
    needs_annotators: bool = False
    multilabel: bool = True
    enlarges: bool = False
    proposed: bool = False
    objective: str = ""


_ALL = (
    TrainingMethod("ReL", "Repeated labelling", enlarges=True),
    TrainingMethod("MV", "Majority voting"),
    TrainingMethod("AR", "Annotator ranking", needs_annotators=True),
    TrainingMethod("ARh", "Annotator ranking (hard)", needs_annotators=True),
    TrainingMethod("AL", "Ambiguous labelling", multilabel=False, enlarges=True),
    TrainingMethod("SL", "Soft labelling"),
    TrainingMethod("SLMV", "Multitask of SL and MV"),
    TrainingMethod("AE", "Annotator ensemble", needs_annotators=True),
    TrainingMethod("AEh", "Annotator ensemble (hard)", needs_annotators=True),
    TrainingMethod("JSD", "Jensen-Shannon divergence", proposed=True, objective="PO-JSD"),
    TrainingMethod("SmF1", "Soft micro F1", proposed=True, objective="soft micro F1"),
    TrainingMethod("SMF1", "Soft macro F1", proposed=True, objective="soft macro F1"),
    TrainingMethod("LA-min", "Loss aggregation with min", proposed=True),
    TrainingMethod("LA-max", "Loss aggregation with max", proposed=True),
)

METHODS = {method.name: method for method in _ALL}
"""By short name, in the order of table 3."""


def find_method(name: str) -> TrainingMethod:
    """A method by its short name.

    Raises:
        InputError: for an unknown name, with the nearest.
    """
    if name not in METHODS:
        raise InputError(unknown("training method", name, METHODS))
    return METHODS[name]


def overview() -> pd.DataFrame:
    """Table 3: a row a method, indexed by its short name.

    Returns:
        columns `name` (full), `I`, `M` and `D` (bool), and `proposed`.
    """
    return pd.DataFrame(
        [
            (m.full_name, m.needs_annotators, m.multilabel, m.enlarges, m.proposed)
            for m in METHODS.values()
        ],
        columns=["name", "I", "M", "D", "proposed"],
        index=pd.Index(METHODS, name="method"),
    )


def why_left_out(name: str, annotators_known: bool, multilabel: bool) -> str:
    """Say why a method cannot be used on a dataset; empty where it can.

    Args:
        name: the method's short name.
        annotators_known: whether the dataset says who gave which annotation.
        multilabel: whether its items may have several classes.

    Raises:
        InputError: for an unknown name.
    """
    method = find_method(name)
    if method.needs_annotators and not annotators_known:
        return f"{name} needs to know who gave which annotation, which the dataset does not say"
    if multilabel and not method.multilabel:
        return f"{name} was made for items of one class, and these may have several"
    return ""
