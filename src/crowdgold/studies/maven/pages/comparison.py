"""The tables that hold MAVEN against gold labels alone."""

import pandas as pd

from crowdgold.documents.markdown import pivot
from crowdgold.evaluation.ratios import compare
from crowdgold.methods.maven import PUBLISHED
from crowdgold.methods.votes_and_gold import GOLD_ALONE

AXIS = "gold_fraction"
LABELS = {
    "error": "Mean absolute error",
    "width": "Interval width",
    "finite": "Interval width, GT corrected for the finite number of items",
}


def ratio_tables(results: pd.DataFrame) -> dict[str, str]:
    """Title -> ratios of error and width, MAVEN over GT, by metric and share of gold labels.

    Args:
        results: the long results table of an experiment.
    """
    table = compare(results, [AXIS], PUBLISHED.name, GOLD_ALONE.name)
    finite = (1 - table[AXIS]) ** 0.5
    table = table.assign(
        finite_ratio=table["width_ratio"] / finite,
        finite_ratio_se=table["width_ratio_se"] / finite,
    )
    return {
        label: pivot(table, f"{name}_ratio", f"{name}_ratio_se", AXIS, "metric")
        for name, label in LABELS.items()
    }
