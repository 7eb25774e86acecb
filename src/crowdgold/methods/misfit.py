"""The misfit flag: a model's estimate that the rectified estimate of the same data contradicts.

A rectified estimate is right whatever the truth, so that a model's estimate more than two of its
standard errors away from it (|theta_R - theta| > 2 se_R) says that the model does not fit, or that
its estimate suffers from noise that the rectified one does not have. A model that is right is
flagged in fewer than 5 % of the replicates, since the two estimates share their data.
"""

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd
from scipy.special import ndtr

from crowdgold.methods.method import REFERENCE

ROUNDING = 1e-12  # Of two estimates that are the same
FLAGGED_BEYOND = 2.0  # Standard errors of the rectified estimate
BELOW, ABOVE = "error_below", "error_above"
"""Columns: how far its interval reaches to either side, in units of a normal one's 1.96 errors."""


def held_against(methods: Collection[str]) -> str | None:
    """The method that the models' estimates are held against; None where it was not run."""
    from crowdgold.methods.registry import with_role  # here: it imports every module of methods

    return next((name for name in with_role(REFERENCE) if name in methods), None)


def _distance(results: pd.DataFrame, settings: Sequence[str]) -> tuple[pd.Series, pd.Series]:
    """How far each row is from the rectified estimate, and its standard error to that side."""
    from crowdgold.methods.registry import with_role  # here: it imports every module of methods

    nothing = pd.Series(np.nan, index=results.index)
    references = with_role(REFERENCE)
    method = held_against(set(results["method"]))
    if "standard_error" not in results or method is None:
        return nothing, nothing
    keys = ["experiment", *settings, "metric", "replicate"]
    own = results[results["method"] == method]
    sides = {side: own.get(side, own["standard_error"]) for side in (BELOW, ABOVE)}
    rectified = own[keys].assign(held_against=own["estimate"], **sides)
    joined = results[[*keys, "method", "estimate"]].merge(rectified, on=keys, how="left")
    apart = joined["estimate"] - joined["held_against"]
    distance = apart.abs()
    joined["its_error"] = joined[ABOVE].where(apart > 0, joined[BELOW])
    known = distance.notna() & joined["its_error"].notna() & ~joined["method"].isin(references)
    # Less than rounding is nothing: the error is 0 where every item has a gold label.
    distance = distance.where(distance > ROUNDING, 0.0)
    return (
        pd.Series(distance.where(known).to_numpy(), index=results.index),
        pd.Series(joined["its_error"].where(known).to_numpy(), index=results.index),
    )


def flag_misfit(results: pd.DataFrame, settings: Sequence[str]) -> pd.Series:
    """Whether the rectified estimate contradicts each row of a results table: 1.0, or 0.0; NaN
    where there is nothing to hold it against, as for the rectified one itself.
    """
    distance, error = _distance(results, settings)
    return (distance > FLAGGED_BEYOND * error).astype(float).where(distance.notna())


def misfit_p(results: pd.DataFrame, settings: Sequence[str]) -> pd.Series:
    """How often chance alone would put a right model's estimate as far from the rectified one: 2
    Phi(-|theta_R - theta| / se_R), too large since the two share their data; NaN for nothing to
    hold it against.
    """
    distance, error = _distance(results, settings)
    times = np.divide(distance, error, out=np.full(len(distance), np.inf), where=error > 0)
    chance = 2 * ndtr(-np.where(distance > 0, times, 0.0))
    return pd.Series(chance, index=results.index).where(distance.notna())
