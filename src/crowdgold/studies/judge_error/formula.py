"""The corrected rate against the rate that judges find (judge error, "The first formula")."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
import pandas as pd

from crowdgold.declared import AtLeast, Json, Settings
from crowdgold.experiments.check import Check
from crowdgold.models.judge_error import corrected_rate, corrected_variance
from crowdgold.simulate.judge_error import read_quality


@dataclass(frozen=True, kw_only=True)
class JudgeErrorFormulaParameters(Settings):
    """The corrected rate and its standard error against the rate that judges find."""

    quality: Annotated[
        object,
        Json({"type": "string", "pattern": "^[0-9.]+-[0-9.]+$"}),
        "The judges' TPR and TNR as text, `0.9-0.95`.",
    ]
    n: Annotated[int, AtLeast(1), "Judged items."]
    n_gold: Annotated[int, AtLeast(1), "Gold labels of each class."]
    points: Annotated[int, AtLeast(2), "True rates from 0 to 1."]


def check_judge_error_formula(
    parameters: Mapping[str, Any], rng: np.random.Generator
) -> pd.DataFrame:
    """The corrected rate and its standard error for judges of one quality.

    Args:
        parameters: as `JudgeErrorFormulaParameters` declares them.
        rng: not used; nothing is drawn.

    Returns:
        a row for each true rate: `rate`, what judges then find, `judged_rate`, what the formula
        makes of it, `corrected`, and its standard error `error`; `naive_error` is that of the
        judged rate.
    """
    tpr, tnr = read_quality(str(parameters["quality"]))
    n, n_gold = int(parameters["n"]), int(parameters["n_gold"])
    rate = np.linspace(0, 1, int(parameters["points"]))
    judged = rate * tpr + (1 - rate) * (1 - tnr)
    variance = np.asarray(corrected_variance(judged, tpr, tnr, n, n_gold, n_gold))
    return pd.DataFrame(
        {
            "tpr": tpr,
            "tnr": tnr,
            "rate": rate,
            "judged_rate": judged,
            "corrected": corrected_rate(judged, tpr, tnr),
            "error": np.sqrt(variance),
            "naive_error": np.sqrt(judged * (1 - judged) / n),
        }
    )


CHECK = Check("judge_error_formula", check_judge_error_formula, JudgeErrorFormulaParameters)
