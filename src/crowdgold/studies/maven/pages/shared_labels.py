"""Two models compared by labels that are shared, or not (docs/coverage.md)."""

import numpy as np
import pandas as pd

from crowdgold.documents.markdown import markdown_table, with_error
from crowdgold.evaluation.fits import gate_sentence
from crowdgold.evaluation.summaries import share_error
from crowdgold.studies.maven.shared_labels import METRIC

__all__ = ["METRIC", "by_way", "gates"]

BASELINE = "independent"


def gates(table: pd.DataFrame) -> str:
    """How many fits failed their gate, in a sentence without its full stop."""
    fits = table.drop_duplicates(["score_likelihood", "replicate"])
    return gate_sentence(int((~fits["diagnostics_passed"].astype(bool)).sum()), len(fits))


def by_way(table: pd.DataFrame) -> str:
    """The table of width, bias and coverage of a difference by each way of imputing labels.

    Args:
        table: rows of `maven.shared_labels`, of all score likelihoods.
    """
    rows = []
    for likelihood, group in table.groupby("score_likelihood", sort=False):
        wide = group.assign(width=group["upper"] - group["lower"])
        widths = wide.pivot_table(index="replicate", columns="labels", values="width")
        for way, own in group.groupby("labels", sort=False):
            error = own["estimate"] - own["truth"]
            inside = (own["lower"] <= own["truth"]) & (own["truth"] <= own["upper"])
            ratio = widths[way] / widths[BASELINE]
            size = len(own)
            rows.append(
                [
                    str(likelihood),
                    str(way),
                    with_error(ratio.mean(), ratio.std(ddof=1) / np.sqrt(size)),
                    with_error(error.mean(), error.std(ddof=1) / np.sqrt(size)),
                    with_error(inside.mean(), share_error(float(inside.mean()), size)),
                ]
            )
    head = ["score likelihood", "labels", f"width / {BASELINE}", "bias", "coverage"]
    return markdown_table(head, rows)
