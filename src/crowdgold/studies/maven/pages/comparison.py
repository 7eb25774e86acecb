"""The page that holds MAVEN against gold labels alone: docs/comparison.md."""

import pandas as pd

from crowdgold.documents.markdown import pivot


def comparison_page(comparisons: dict[str, pd.DataFrame], axis: str) -> str:
    """Write the page that holds MAVEN's error and width against those of gold labels alone.

    Args:
        comparisons: title -> what `evaluation.compare` gives for an experiment.
        axis: the setting that varies, a share of gold labels.
    """
    parts = [
        "# MAVEN against gold labels alone\n",
        "Ratios of mean absolute error and of mean interval width, MAVEN over GT, on the same "
        "simulated data sets; below 1 MAVEN is better. Errors are standard errors over "
        "replicates that use the pairing. This page is made from the results by `make docs`.\n",
        "The truth is the metric on the same items. MAVEN takes gold labels for known; the "
        "bootstrap of GT aims at a population of items, and ignores that a share f of these items "
        "has gold. The last table of each part holds MAVEN's width against GT's times the square "
        "root of 1 - f, which is what GT needs for these items.\n",
        "The paper says of its predictor that MAVEN's error tracks that of GT and that its "
        "intervals are substantially narrower; it does not print the predictor's parameters.\n",
    ]
    for title, table in comparisons.items():
        replicates = int(table["replicates"].max())
        parts.append(f"## {title}\n\n{replicates} replicates in each setting.\n")
        finite = (1 - table[axis]) ** 0.5
        table = table.assign(
            finite_ratio=table["width_ratio"] / finite,
            finite_ratio_se=table["width_ratio_se"] / finite,
        )
        for name, label in (
            ("error", "Mean absolute error"),
            ("width", "Interval width"),
            ("finite", "Interval width, GT corrected for the finite number of items"),
        ):
            ratios = pivot(table, f"{name}_ratio", f"{name}_ratio_se", axis, "metric")
            parts.append(f"{label}, MAVEN / GT:\n\n{ratios}\n")
    return "\n".join(parts)
