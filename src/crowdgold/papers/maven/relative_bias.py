"""Absolute bias of methods relative to a baseline's (MAVEN, table 3).

For a method m and a metric, over R replicates with errors e_m = |estimate - truth|:

    relative = mean(e_m) / mean(e_GT)
    printed error = sd(e_m) / sqrt(R) / mean(e_GT)
    paired error = sd((e_m - relative e_GT) / mean(e_GT)) / sqrt(R)      (delta method)

The printed table takes the baseline's mean for known: its errors of MV are far below the baseline's
own, which a ratio's error could not be. The baseline itself is 1 with its own printed error, and
bold is what is at most one such error above it. Both readings follow from the printed cells.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

NUMBERS = ("error", "error_se", "relative", "relative_se", "paired_se", "baseline_se")
COLUMNS = ("metric", "method", "replicates", "undefined", "gate_failures", *NUMBERS, "within")


def within_one_error(relative: float, baseline_se: float) -> bool:
    """Say whether a relative bias is at most one standard error of the baseline above it."""
    return bool(relative <= 1 + baseline_se)


def relative_bias(
    results: pd.DataFrame, methods: Sequence[str], metrics: Sequence[str], baseline: str
) -> pd.DataFrame:
    """Compare the absolute bias of methods with a baseline's, in one setting of an experiment.

    Args:
        results: rows of the long results table, each (method, metric, replicate) once.
        methods: in the order wanted; those without rows are left out.
        baseline: the method that the others are relative to.

    Returns:
        a row for each metric and method: `error`, the mean absolute error, with its standard error;
        `relative`, with `relative_se` as printed and `paired_se`; `baseline_se`, the baseline's own
        printed error; `within`, whether it is bold. Replicates in which the method or the baseline
        has no value are left out of its row, and counted in `undefined`.

    Raises:
        ValueError: where the baseline has no rows, or a row is there twice.
    """
    if baseline not in set(results["method"]):
        raise ValueError(f"the table has no rows of the baseline {baseline!r}")
    if results.duplicated(["method", "metric", "replicate"]).any():
        raise ValueError("a replicate is there twice; expected one setting of one experiment")
    frame = results.assign(error=(results["estimate"] - results["truth"]).abs())
    rows = []
    for metric in metrics:
        own = frame[frame["metric"] == metric]
        errors = own.pivot_table(index="replicate", columns="method", values="error", dropna=False)
        for method in methods:
            if method in set(own["method"]):
                passed = own.loc[own["method"] == method, "diagnostics_passed"].astype(bool)
                named = {"metric": metric, "method": method, "gate_failures": int((~passed).sum())}
                rows.append(named | _row(errors, method, baseline))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _row(errors: pd.DataFrame, method: str, baseline: str) -> dict[str, float | bool]:
    """The numbers of a method from the errors (replicates, methods)."""
    known = errors[list(dict.fromkeys((method, baseline)))].dropna()
    own, base = known[method].to_numpy(), known[baseline].to_numpy()
    counts = {"replicates": len(known), "undefined": len(errors) - len(known)}
    if len(known) == 0 or base.mean() == 0:
        missing = dict.fromkeys(NUMBERS, float("nan"))
        return {**counts, **missing, "within": False}
    root = np.sqrt(len(known))
    own_se, base_se = (
        float(x.std(ddof=1) / root) if len(x) > 1 else float("nan") for x in (own, base)
    )
    relative = float(own.mean() / base.mean())
    residual = (own - relative * base) / base.mean()
    paired_se = float(residual.std(ddof=1) / root) if len(known) > 1 else float("nan")
    baseline_se = base_se / float(base.mean())
    return {
        **counts,
        "error": float(own.mean()),
        "error_se": own_se,
        "relative": relative,
        "relative_se": own_se / float(base.mean()),
        "paired_se": paired_se,
        "baseline_se": baseline_se,
        "within": within_one_error(relative, baseline_se),
    }
