"""The misfit flag: a model's estimate that the rectified estimate of the same data contradicts.

MAVEN-R is honest whatever the truth, so a model-based estimate more than two of its standard errors
away from it (|theta_R - theta| > 2 se_R) says that the model does not fit, or that its estimate
suffers from noise that MAVEN-R does not have. A model that is right is flagged in fewer than 5 % of
the replicates, since the two estimates share their data.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

RECTIFIED = "MAVEN-R"
FLAGGED_BEYOND = 2.0
"""Standard errors of the rectified estimate."""


def flag_misfit(results: pd.DataFrame, settings: Sequence[str]) -> pd.Series:
    """Say of each row of a results table whether MAVEN-R contradicts it.

    Args:
        results: the long results table.
        settings: its setting columns.

    Returns:
        1.0 where the estimate is flagged, 0.0 where not, in the order of the table; NaN where there
        is nothing to hold it against, as for MAVEN-R itself.
    """
    nothing = pd.Series(np.nan, index=results.index)
    if "standard_error" not in results or RECTIFIED not in set(results["method"]):
        return nothing
    keys = ["experiment", *settings, "metric", "replicate"]
    rectified = results.loc[
        results["method"] == RECTIFIED, [*keys, "estimate", "standard_error"]
    ].rename(columns={"estimate": "held_against", "standard_error": "its_error"})
    joined = results[[*keys, "method", "estimate"]].merge(rectified, on=keys, how="left")
    distance = (joined["estimate"] - joined["held_against"]).abs()
    flagged = (distance > FLAGGED_BEYOND * joined["its_error"]).astype(float)
    known = distance.notna() & joined["its_error"].notna() & (joined["method"] != RECTIFIED)
    return pd.Series(flagged.where(known).to_numpy(), index=results.index)
