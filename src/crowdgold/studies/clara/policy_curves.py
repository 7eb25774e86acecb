"""What policies of labelling cost and give, in the mean over replicates (CLARA, section 4.3)."""

import numpy as np
import pandas as pd

from crowdgold.evaluation.summaries import share_error, standard_error
from crowdgold.studies.clara.labelling_policy import RANDOM, SNORKEL, TIE_BREAKING

SHARE = "share_of_labels"
SETTING = "threshold_or_share"
TRUTH = "prevalence_truth"
COLUMNS = (
    "policy", SETTING, SHARE, "accuracy", "prevalence_estimate", TRUTH, "replicate",
    "items", "diagnostics_passed",
)  # fmt: skip
UNFITTED = (RANDOM, TIE_BREAKING, SNORKEL)
"""Policies without a model, or one that has no diagnostics."""


def policy_curves(table: pd.DataFrame) -> pd.DataFrame:
    """Average over the replicates what each setting of each policy costs and gives.

    Args:
        table: a row for each policy, threshold or share, and replicate.

    Returns:
        a row for each policy and setting: the means `share_of_labels`, `accuracy` and
        `prevalence_error` (estimate less truth), each with a column `_se` over replicates, and
        `replicates`. Of one replicate the accuracy's error is that over its items, the others NaN.
    """
    missing = [name for name in COLUMNS if name not in table]
    if missing:
        raise ValueError(f"the table of the policies has no columns {missing}")
    rows = table.assign(prevalence_error=table["prevalence_estimate"] - table[TRUTH])
    found = []
    for (policy, setting), group in rows.groupby(["policy", SETTING], sort=False, dropna=False):
        row = {"policy": policy, SETTING: setting, "replicates": len(group)}
        for name in (SHARE, "accuracy", "prevalence_error"):
            values = group[name].to_numpy(dtype=float)
            row |= {name: float(np.mean(values)), f"{name}_se": standard_error(values)}
        if len(group) == 1:
            only = group.iloc[0]
            row["accuracy_se"] = share_error(float(only["accuracy"]), int(only["items"]))
        found.append(row)
    return pd.DataFrame(found)


def fits_of(table: pd.DataFrame) -> pd.DataFrame:
    """One row for each fitted model behind a table of policies, for `fits.gate_note`.

    Args:
        table: as for `policy_curves`; with the column `diagnostics_passed`.
    """
    fitted = table[~table["policy"].isin(UNFITTED)].rename(columns={"policy": "method"})
    return fitted[["method", "replicate", "diagnostics_passed"]].drop_duplicates()


def at_share(curves: pd.DataFrame, policy: str, share: float, value: str) -> tuple[float, float]:
    """A policy's value where it uses a share of the labels, between its settings by a line.

    Args:
        curves: from `policy_curves`.
        share: of the labels.
        value: a column that has an `_se`.

    Returns:
        the value and its standard error; NaN outside the shares that the policy has.
    """
    rows = curves[curves["policy"] == policy].sort_values(SHARE)
    x = rows[SHARE].to_numpy()
    if len(x) == 0 or not x[0] <= share <= x[-1]:
        return float("nan"), float("nan")
    value_at, error_at = (
        float(np.interp(share, x, rows[name].to_numpy())) for name in (value, f"{value}_se")
    )
    return value_at, error_at
