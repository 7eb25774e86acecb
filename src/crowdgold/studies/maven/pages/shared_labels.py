"""The part of docs/coverage.md on comparing two models by labels that are shared, or not."""

import numpy as np
import pandas as pd

from crowdgold.documents.markdown import markdown_table, with_error
from crowdgold.evaluation.fits import gate_sentence
from crowdgold.evaluation.summaries import share_error
from crowdgold.studies.maven.shared_labels import METRIC

BASELINE = "independent"


def shared_labels_section(table: pd.DataFrame) -> str:
    """Write width, bias and coverage of a difference by each way of imputing labels.

    Args:
        table: rows of `evaluation.shared_labels`, of all score likelihoods.
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
    fits = table.drop_duplicates(["score_likelihood", "replicate"])
    failed = int((~fits["diagnostics_passed"].astype(bool)).sum())
    head = ["score likelihood", "labels", f"width / {BASELINE}", "bias", "coverage"]
    return "\n".join(
        [
            "## Two models and their labels\n",
            f"The difference of two models' AUC (`{METRIC}`), Algorithm 2, "
            f"{table['replicate'].nunique()} replicates. Labels are imputed for each model given "
            "its own ranking. `coupled`, as everywhere here: one random number an item and draw "
            "decides the label for both, so that labels differ only where the rankings speak "
            "differently of an item; `independent`: a number for each; `votes alone`: the very "
            "same labels for both, which then cannot know what a ranking says of an item. "
            f"{gate_sentence(failed, len(fits))}.\n",
            markdown_table(head, rows) + "\n",
        ]
    )
