"""One answer in a line that is short enough for a badge: AUC large 0.93 (0.90 to 0.96)."""

import math
from collections.abc import Mapping
from typing import Any

from crowdgold.own.check.without_gold import ends_in_words
from crowdgold.own.evaluation.conditions import Key

LEAST = 2
"""Decimals; more where the interval is narrower than the last of them."""


def badge(key: Key, answer: Mapping[str, Any] | None) -> str:
    """The line of an answer.

    Args:
        key: which answer it is.
        answer: its estimate and interval, or its range; None where there is none.
    """
    name = " ".join(filter(None, [key.metric, key.who]))
    if answer is None:
        return f"{name} no answer"
    if answer["estimate"] is None:
        return f"{name} {ends_in_words(answer['lower'], answer['upper'])} without gold"
    width = answer["upper"] - answer["lower"]
    digits = max(LEAST, -math.floor(math.log10(width))) if width > 0 else LEAST
    value, lower, upper = (f"{answer[one]:.{digits}f}" for one in ("estimate", "lower", "upper"))
    return f"{name} {value} ({lower} to {upper})"
