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

import pandas as pd

from crowdgold.experiment.summaries import standard_error

NUMBERS = ("error", "error_se", "relative", "relative_se", "paired_se", "baseline_se")


def within_one_error(relative: float, baseline_se: float) -> bool:
    """Whether a relative bias is at most one standard error of the baseline above it."""
    return bool(relative <= 1 + baseline_se)


def relative_bias(
    results: pd.DataFrame, methods: Sequence[str], metrics: Sequence[str], baseline: str
) -> pd.DataFrame:
    """Compare the absolute bias of methods with a baseline's, in one setting of an experiment.

    A row for each metric and method, in the order of `methods`; those without rows are left out:
    `error`, the mean absolute error; `relative`, with `relative_se` as printed and `paired_se`;
    `baseline_se`, the baseline's own printed error; `within`, whether it is bold. Replicates in
    which the method or the baseline has no value are left out of its row, and counted in
    `undefined`.
    """
    if baseline not in set(results["method"]):
        raise ValueError(f"the table has no rows of the baseline {baseline!r}")
    if results.duplicated(["method", "metric", "replicate"]).any():
        raise ValueError("a replicate is there twice; expected one setting of one experiment")
    frame = results.assign(error=(results["estimate"] - results["truth"]).abs())
    rows = []
    for metric in metrics:
        of_metric = frame[frame["metric"] == metric]
        errors = of_metric.pivot_table(
            index="replicate", columns="method", values="error", dropna=False
        )
        for method in (name for name in methods if name in set(of_metric["method"])):
            passed = of_metric.loc[of_metric["method"] == method, "diagnostics_passed"]
            known = errors[list(dict.fromkeys((method, baseline)))].dropna()
            own, base = known[method].to_numpy(), known[baseline].to_numpy()
            size = len(known)
            row = {
                "metric": metric, "method": method, "replicates": size,
                "undefined": len(errors) - size,
                "gate_failures": int((~passed.astype(bool)).sum()),
                **dict.fromkeys(NUMBERS, float("nan")), "within": False,
            }  # fmt: skip
            if size and base.mean() != 0:
                mean = float(base.mean())
                relative = float(own.mean() / base.mean())
                own_se, baseline_se = standard_error(own), standard_error(base) / mean
                row |= {
                    "error": float(own.mean()), "error_se": own_se,
                    "relative": relative, "relative_se": own_se / mean,
                    "paired_se": standard_error((own - relative * base) / base.mean()),
                    "baseline_se": baseline_se, "within": within_one_error(relative, baseline_se),
                }  # fmt: skip
            rows.append(row)
    counts = ("metric", "method", "replicates", "undefined", "gate_failures")
    return pd.DataFrame(rows, columns=[*counts, *NUMBERS, "within"])
