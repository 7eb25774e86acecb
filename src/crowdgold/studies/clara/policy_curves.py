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


def at_share(table: pd.DataFrame, policy: str, shares: pd.Series, value: str) -> pd.Series:
    """A policy's value in each replicate where it uses a share of the labels there.

    Within a replicate, and not on the curve of means: what one threshold leaves may be half of the
    labels in one replicate and none in the next, and a mean of such is of no share.

    Args:
        table: as for `policy_curves`.
        shares: the share of the labels, by `replicate`.
        value: a column of the table.

    Returns:
        the value between the two settings nearest to the share, by a line, for each replicate; NaN
        where the replicate's settings are all on one side of it.
    """
    found = {}
    for replicate, rows in table[table["policy"] == policy].groupby("replicate"):
        x, y = rows.sort_values(SHARE, kind="stable")[[SHARE, value]].to_numpy(dtype=float).T
        found[replicate] = np.interp(shares[replicate], x, y, left=np.nan, right=np.nan)
    return pd.Series(found, dtype=float)
