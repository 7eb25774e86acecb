"""A classifier's scores as CLARA simulates them (CLARA, section 7.3).

    x_i ~ Normal(negative_mean, sd) on negatives, Normal(positive_mean, sd) on positives
    s_i = sigmoid(x_i)

The score vector of an item is (1 - s_i, s_i). `separation: m` stands for the means -m and m, and
`separation: none` for no scores, so that an experiment can vary how well the classes separate.
"""

from dataclasses import dataclass
from typing import Annotated

import numpy as np
from scipy.special import expit

from crowdgold.data import InputError
from crowdgold.data.parameters import is_number
from crowdgold.declared import Above, Json, Part, Settings
from crowdgold.given import Given

NAMES = ("scores", "separation")
NO_SCORES = "none"


@dataclass(frozen=True, kw_only=True)
class ScoresGiven(Settings):
    """A classifier's scores: the sigmoid of a normal by class."""

    negative_mean: Annotated[float, "Mean of the raw scores of negatives."]
    positive_mean: Annotated[float, "Mean of the raw scores of positives."]
    sd: Annotated[float, Above(0), "Standard deviation of the raw scores."]


@dataclass(frozen=True, kw_only=True)
class LawGiven(Settings):
    """The distribution of a classifier's scores."""

    scores: Annotated[
        object,
        Part(ScoresGiven, ["sd"]),
        "A classifier's scores: the sigmoid of a normal by class; none where not given.",
    ]
    separation: Annotated[
        object,
        Json({"type": ["number", "string"]}),
        'm for means of -m and m, in the place of those in `scores`; "none" for no scores. '
        'Write numbers as text where "none" is among them.',
    ]


@dataclass(frozen=True)
class ScoreLaw:
    """Means of the raw scores of negatives and positives, and their standard deviation."""

    negative_mean: float
    positive_mean: float
    sd: float


def _read_separation(parameters: Given) -> float | None:
    """The separation, a number above 0; None where there are to be no scores."""
    found = parameters.values["separation"]
    if found == NO_SCORES:
        return None
    try:
        value = float(found)
    except (TypeError, ValueError):
        value = float("nan")
    if isinstance(found, bool) or not (is_number(value) and value > 0):
        raise parameters.fault("separation", f"a number above 0, or {NO_SCORES!r}")
    return value


def read_score_law(parameters: Given) -> ScoreLaw | None:
    """The law of the scores; None where there are none.

    Args:
        parameters: of a generator: `scores`, {negative_mean, positive_mean, sd}, and `separation`,
            which stands for both means where it is given. Without either there are no scores.
    """
    given, named = parameters.values.get("scores"), "separation" in parameters
    separation = _read_separation(parameters) if named else None
    if (named and separation is None) or (given is None and not named):
        return None
    own = parameters.part("scores", ScoresGiven)
    sd = own.real("sd")
    if separation is not None:
        return ScoreLaw(-separation, separation, sd)
    law = ScoreLaw(own.real("negative_mean"), own.real("positive_mean"), sd)
    if law.negative_mean == law.positive_mean:
        raise InputError(f"{own.owner}: both means are {law.positive_mean:g}; expected two")
    return law


def draw_score_vectors(law: ScoreLaw, truth: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw the score vectors (I, 2) of items with true labels (I,), 0 or 1."""
    raw = rng.normal(np.where(truth == 1, law.positive_mean, law.negative_mean), law.sd)
    return np.stack([expit(-raw), expit(raw)], axis=1)
