"""The page that holds the figures and tables of the MAVEN paper against ours."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.documents.markdown import markdown_table, with_error
from crowdgold.documents.verdicts import Claim, claim_rows
from crowdgold.studies.maven.pages import claims
from crowdgold.studies.maven.relative_bias import relative_bias
from crowdgold.studies.maven.score_curves import curve_distances

FIGURE_CLAIMS = (
    Claim(
        "Fig. 1",
        "on Task 1 MAVEN's intervals are smaller than those of gold labels alone",
        ("maven_fig1",),
        claims.widths_below_gold("maven_fig1", "n_gold"),
    ),
    Claim(
        "Fig. 1",
        "... at the same bias",
        ("maven_fig1",),
        claims.error_tracks_gold("maven_fig1", "n_gold"),
    ),
    Claim(
        "Fig. 1",
        "majority votes are very biased",
        ("maven_fig1",),
        claims.biased_beside_gold("maven_fig1", "n_gold", "MV"),
    ),
    Claim(
        "Fig. 1, on product pairs",
        "the same three (public data in the place of Task 1): width",
        ("product_pairs",),
        claims.widths_below_gold("product_pairs", "n_gold"),
    ),
    Claim(
        "Fig. 1, on product pairs",
        "... error",
        ("product_pairs",),
        claims.error_tracks_gold("product_pairs", "n_gold"),
    ),
    Claim(
        "Figs. 3 and 7",
        "only MAVEN estimates the precision-recall curve accurately",
        ("maven_fig7", "maven_fig7_exact"),
        claims.only_maven_has_the_curve,
    ),
    Claim(
        "Fig. 4",
        "MAVEN's biases are small and track those of gold labels alone",
        ("maven_fig4",),
        claims.error_tracks_gold("maven_fig4", "gold_fraction"),
    ),
    Claim(
        "Fig. 4",
        "MAVEN's intervals are substantially narrower",
        ("maven_fig4",),
        claims.widths_below_gold("maven_fig4", "gold_fraction"),
    ),
    Claim(
        "Fig. 4",
        "majority votes have large biases",
        ("maven_fig4",),
        claims.biased_beside_gold("maven_fig4", "gold_fraction", "MV"),
    ),
    Claim(
        "Fig. 4",
        "ORACLE estimates TNR_H perfectly, but not the predictor",
        ("maven_fig4",),
        claims.oracle_cannot_judge_scores,
    ),
    Claim(
        "Fig. 4",
        "DS+S and H-AI are generally better than DS in AUC and delta TPR",
        ("maven_fig4",),
        claims.smaller_error(
            "maven_fig4", "gold_fraction", ("DS+S", "H-AI"), "DS", ("AUC", "delta_TPR")
        ),
    ),
    Claim(
        "Fig. 5",
        "MAVEN's run time is almost constant in n; that of DS+S and H-AI grows",
        ("model_scaling",),
        claims.run_time_grows_least,
    ),
    Claim(
        "Fig. 5",
        "... and the lowest",
        ("model_scaling",),
        claims.run_time_is_lowest,
    ),
    Claim(
        "Fig. 6",
        "ranks stand for scores: small differences at n = 100, none from n = 1,000",
        ("maven_fig6",),
        claims.ranks_stand_for_scores,
    ),
)
"""Claims of the figures, in their order."""

SAME = 2.0
"""Joint standard errors within which two numbers count as the same."""


VOTERS = ("TNR_H", "TPR_H")
OF_VOTERS = (
    "rests on how the voters' errors agree item by item, of which the paper prints one number"
)
WHY = {
    "MV": "rests on how far the scores follow the votes and their errors, which is not printed",
    "DS": "labels imputed from votes alone miss what the scores say beyond the votes: how much "
    "that is the paper does not print",
    "H-AI": "rests on how scores and votes go together beyond the truth, which is not printed",
    "DS+S": "rests on the scores' shape and on how they follow the votes, which is not printed",
}
"""Why a cell of table 3a may differ, of metrics of the scores and of the voters: the task is
private, and the stand-in is made of what is printed of it."""


def maven_claims(printed: Mapping[str, Any], labelling: Mapping[str, Any]) -> tuple[Claim, ...]:
    """The claims in the order of the paper.

    Args:
        printed: what the paper prints (config/printed/maven.yaml).
        labelling: options of the figure on labelling efficiency.
    """
    autoeval, efficiency = printed["autoeval"], printed["labelling_efficiency"]
    less, narrower = autoeval["less_absolute_bias"], autoeval["narrower_intervals"]
    return (
        *FIGURE_CLAIMS,
        Claim(
            "Section 6",
            f"AutoEval of Task 1's accuracy from MAVEN's probabilities: {less:.0%} less absolute "
            f"bias, {narrower:.0%} narrower intervals than from raw scores",
            ("maven_autoeval",),
            claims.maven_helps_autoeval(autoeval),
        ),
        Claim(
            "Section 6",
            f"on Task 2 {efficiency['n']:,} items with {efficiency['n_gold']:,} gold labels give "
            f"intervals of delta TPR as wide as all {efficiency['gold_only']:,} gold labels alone, "
            f"and save {efficiency['saving']:.0%} of the labelling",
            ("labelling_efficiency",),
            claims.labelling_saves(efficiency, labelling),
        ),
    )


def _why(method: str, metric: str) -> str:
    """Say on what a cell rests that the paper does not print; nothing for GT and MAVEN."""
    if method not in WHY:
        return ""
    return OF_VOTERS if metric in VOTERS else WHY[method]


def table_3_rows(
    results: pd.DataFrame, printed: Mapping[str, Any], task: str, metrics: Sequence[str]
) -> list[list[str]]:
    """Hold each cell of table 3 against ours: method, metric, printed, ours, difference, verdict,
    reason.

    Args:
        results: the long results table of the task.
        printed: `table_3` of config/printed/maven.yaml.
        task: the task, as printed.
        metrics: its columns.
    """
    cells = {name: row for name, row in printed["tasks"][task].items() if name != "source"}
    ours = relative_bias(results, list(cells), metrics, "GT").set_index(["method", "metric"])
    rows = []
    for method, row in cells.items():
        for metric, (value, error, bold) in zip(metrics, row, strict=True):
            if (method, metric) not in ours.index:
                made = [with_error(value, error), "not made here", "", "", ""]
                rows.append([method, metric, *made])
                continue
            found = ours.loc[(method, metric)]
            joint = float(np.hypot(error, found["relative_se"]))
            away = (found["relative"] - value) / joint if joint > 0 else 0.0
            agree = "the same" if bool(found["within"]) == bold else "the other way round"
            rows.append(
                [
                    method,
                    metric,
                    with_error(value, error) + (" *" if bold else ""),
                    with_error(found["relative"], found["relative_se"])
                    + (" *" if found["within"] else ""),
                    f"{away:+.1f}",
                    f"{'within' if abs(away) <= SAME else 'outside'} {SAME:g} errors, star {agree}",
                    _why(method, metric) if abs(away) > SAME else "",
                ]
            )
    return rows


TABLE_3 = {
    "maven_task_2": ("Task 2", "table 3a, on the simulated stand-in for Task 2"),
    "wikipedia_conversations": (
        "Wikipedia Abusive Conversations",
        "table 3b, on Wikipedia Abusive Conversations",
    ),
}
"""Experiment -> task as printed, and its title."""


def _table_3(tables: Mapping[str, pd.DataFrame], printed: Mapping[str, Any]) -> list[str]:
    """Write both parts of table 3; of one that cannot be made here, why."""
    parts = []
    for name, (task, title) in TABLE_3.items():
        parts.append(f"## MAVEN: {title}\n")
        if name not in tables:
            parts.append(
                "Not made here: its files have to be fetched first, which needs the network ([how]"
                "(datasets.md)).\n"
            )
            continue
        rows = table_3_rows(tables[name], printed["table_3"], task, printed["table_3"]["columns"])
        head = ["method", "metric", "printed", "ours", "difference", "verdict", "reason"]
        parts += [
            "Absolute bias relative to gold labels alone; a star marks what is within a standard "
            "error of them. The difference is in joint standard errors.\n",
            markdown_table(head, rows) + "\n",
        ]
    return parts


def reproduction_page(
    tables: dict[str, pd.DataFrame], printed: Mapping[str, Any], labelling: Mapping[str, Any]
) -> str:
    """Write the page.

    Args:
        tables: results tables (of replicates) by the name of their experiment or benchmark.
        printed: what the paper prints (config/printed/maven.yaml).
        labelling: options of the figure on labelling efficiency.
    """
    if {"maven_fig7", "maven_fig7_exact"} <= set(tables):
        tables = {
            **tables,
            "maven_distances": curve_distances(
                tables["maven_fig7"], tables["maven_fig7_exact"], ["shape"]
            ),
        }
    sizes = {
        name: int(table["replicate"].nunique())
        for name, table in tables.items()
        if "replicate" in table and "method" in table
    }
    parts = [
        "# The paper's results and ours\n",
        "Made from the results by `make docs`. The paper's figures carry no numbers, so that its "
        "sentences about them are judged: a difference counts, for or against, where it is clear "
        "by two standard errors over our replicates ("
        + ", ".join(f"{name} {size}" for name, size in sizes.items())
        + "). The data of Tasks 1 and 2 are private; ours are simulated stand-ins built from what "
        "the paper prints of them, so that a cell that differs says more about the stand-in than "
        "about the paper. The other papers have pages of their own: [CLARA]"
        "(reproduction_clara.md), [STABLEVAL](reproduction_stableval.md), [judge error]"
        "(reproduction_judge_error.md), [soft metrics](reproduction_soft_metrics.md), [label "
        "variation](reproduction_label_variation.md).\n",
        "## MAVEN: figures\n",
        markdown_table(
            ["where", "printed", "ours", "verdict", "reason"],
            claim_rows(maven_claims(printed, labelling), tables),
        )
        + "\n",
    ]
    parts += _table_3(tables, printed)
    return "\n".join(parts)
