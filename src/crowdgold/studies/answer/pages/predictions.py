"""The section of docs/answer.md on which prediction the gold labels should correct."""

from collections.abc import Mapping

import pandas as pd

from crowdgold.documents.markdown import markdown_table
from crowdgold.studies.answer.cells import answer_cells, mean_ratios, pooled_coverage


def predictions_section(results: pd.DataFrame, baseline: str, titles: Mapping[str, str]) -> str:
    """Coverage and width of each method by number of gold labels, over all metrics and worlds.

    Args:
        results: the long results table of the experiments that compare predictions.
        baseline: the method, gold alone, that widths are relative to.
        titles: method -> what it is, in words.
    """
    sizes = sorted(set(results["n_gold"]))
    rows = []
    for method in dict.fromkeys(results["method"]):
        covered = pooled_coverage(results, method, ["n_gold"]).set_index("n_gold")["coverage"]
        ratios = dict.fromkeys(sizes, 1.0)
        if method != baseline:
            cells = answer_cells(results, method, baseline)
            ratios = mean_ratios(cells, ["n_gold"]).set_index("n_gold")["width_ratio"].to_dict()
        cells_of = [f"{covered[size]:.3f}, {ratios[size]:.2f}" for size in sizes]
        rows.append([f"`{method}`", titles[method], *cells_of])
    replicates = results.groupby(["experiment", "n_gold"])["replicate"].nunique().min()
    worlds = results["experiment"].nunique()
    return "\n".join(
        [
            "## Which prediction should gold labels correct?\n",
            f"Coverage, then the mean width over that of `{baseline}`, over all metrics in "
            f"{worlds} worlds, {replicates} replicates each; a column for each number of gold "
            "labels. "
            "Methods whose names end in -R are corrected by gold labels; `MAVEN-C` is a model that "
            "is not.\n",
            markdown_table(["method", "what it is", *map(str, sizes)], rows) + "\n",
        ]
    )
