"""How often a study's experts err, as far as second opinions tell, in numbers and in words."""

from dataclasses import dataclass

import numpy as np

from crowdgold.data import NO_GOLD, InputError, Items
from crowdgold.data.checks import counted, has_or_have
from crowdgold.inference.expert_errors import expert_errors, why_unknown
from crowdgold.methods.needs import EXPERTS_ERRORS


@dataclass(frozen=True)
class ExpertCheck:
    """What is known of experts' errors.

    Attributes:
        second, third: gold items with two opinions or more, and with three or more.
        sensitivity, specificity: of an expert; NaN where they are not identified.
        sensitivity_interval, specificity_interval: 95 % intervals.
        source: where they come from, in words; empty where they are not identified.
        unknown: why they are not identified; empty where they are.
        sentences: the same in plain words; none where each item has one opinion and no error is
            given.
    """

    second: int
    third: int
    sensitivity: float
    specificity: float
    sensitivity_interval: tuple[float, float]
    specificity_interval: tuple[float, float]
    source: str
    unknown: str
    sentences: tuple[str, ...]


def check_experts(items: Items) -> ExpertCheck:
    """What is known of the errors of the experts who gave the gold labels."""
    unknown, nothing = why_unknown(items), (np.nan, np.nan)
    number = np.zeros(1) if items.opinions is None else items.opinions.number
    second, third = int((number > 1).sum()), int((number > 2).sum())
    told = [
        f"{second:,} of {counted(int((number > 0).sum()), 'gold item')} {has_or_have(second)} a "
        "second opinion, "
        f"{third:,} a third"
    ]
    if unknown:
        told.insert(0, f"how often experts err is not known: {unknown}; {EXPERTS_ERRORS.mend}")
        told = told if number.any() and items.opinions is not None else []
        return ExpertCheck(
            second, third, np.nan, np.nan, nothing, nothing, "", unknown, tuple(told)
        )
    found = expert_errors(items)
    told = [str(found), *(told if second else [])]
    ends = [(float(low), float(high)) for low, high in found.intervals]
    return ExpertCheck(
        second, third, found.sensitivity, found.specificity, ends[0], ends[1], found.source, "",
        tuple(told),
    )  # fmt: skip


def largest_error(items: Items) -> float:
    """How often experts err on the class where they err more; NaN where it is not known."""
    if why_unknown(items) or not (items.gold != NO_GOLD).any():
        return float("nan")
    found = expert_errors(items)
    return 1 - min(found.sensitivity, found.specificity)


def refuse_contradicted(items: Items) -> None:
    """Raise an `InputError` where gold labels contradict the error that is given."""
    opinions = items.opinions
    given = opinions is not None and opinions.error is not None and opinions.number.any()
    if given and (why := why_unknown(items)):
        raise InputError(f"expert-error: {why}")
