"""The page that holds the judge-error post against ours, and its correction against others."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.documents.markdown import markdown_table, with_error
from crowdgold.documents.verdicts import claim_rows
from crowdgold.evaluation.fits import count_gate_failures
from crowdgold.evaluation.summaries import share_error, standard_error
from crowdgold.studies.judge_error.pages.claims import judge_error_claims

COMPARED = {
    "judge_error_by_class": "Gold labels of other items, 20 or 200 of either class",
    "judge_error_grid": "Gold labels of 50 or 200 of the judged items, one judge an item",
    "judge_error_models": "The same beside models of the labels, one judge or three an item "
    "(`make validate`)",
}
"""Experiments in which methods stand side by side -> what stands above their table."""
HEADER = [
    "method", "mean bias", "mean error", "mean width", "coverage", "worst coverage", "none",
    "failed fits",
]  # fmt: skip
SPLIT = {"n_labels": "Judges an item: {}", "quality": "TPR-TNR of the judges: {}"}
"""Settings that have a table for each of their values -> what stands above it."""
MODEL = "CLARA"
DESIGNS = (
    "## Which gold labels will do\n\n"
    "The correction takes TPR and TNR from gold items and applies them to the judged ones. It "
    "holds for known positives and negatives of another set, however many of either; for items "
    "of another set drawn at random, whatever their rate; and for some of the judged items, "
    "drawn at random. In each class the gold items must be as hard as the judged ones. It is "
    "wrong, and the counts do not show it, where gold items were chosen by how they were judged "
    "(an audit of what was flagged: TPR comes out too high and TNR too low), where judges were "
    "unsure of them or disagreed, where they are easy ones such as test questions, and where "
    "the gold labels are the judges' own. PPI++ and MAVEN's vote model need more: a random part "
    "of the judged items.\n"
)


def _settings(table: pd.DataFrame) -> list[str]:
    known = ["prevalence", "gold_positives", "gold_negatives", "n_gold"]
    return [name for name in known if name in table]


def _method_row(method: str, rows: pd.DataFrame, settings: list[str]) -> list[str]:
    """Summarise a method over settings: bias with its sign, error, width, coverage, failures."""
    known = rows[np.isfinite(rows["estimate"]) & np.isfinite(rows["lower"])]
    difference = (known["estimate"] - known["truth"]).to_numpy(float)
    width = (known["upper"] - known["lower"]).to_numpy(float)
    inside = known["truth"].between(known["lower"], known["upper"])
    by_setting = inside.groupby([known[name] for name in settings]).mean()
    worst = by_setting.idxmin()
    values = worst if isinstance(worst, tuple) else (worst,)
    pairs = zip(settings, values, strict=True)
    at = ", ".join(f"{name} {value:g}" for name, value in pairs)
    failed, fits = count_gate_failures(rows)
    return [
        method,
        with_error(float(difference.mean()), standard_error(difference)),
        with_error(float(np.abs(difference).mean()), standard_error(np.abs(difference))),
        with_error(float(width.mean()), standard_error(width)),
        with_error(float(inside.mean()), share_error(float(inside.mean()), len(inside))),
        f"{by_setting.min():.2f} ({at})",
        f"{len(rows) - len(known)} of {len(rows)}",
        f"{failed} of {fits}",
    ]


def method_table(table: pd.DataFrame) -> str:
    """Lay out the methods of an experiment, a line each, over all its settings."""
    rows = table[table["metric"] == "prevalence"]
    settings = _settings(rows)
    lines = [
        _method_row(str(method), own, settings)
        for method, own in rows.groupby("method", sort=False)
    ]
    return markdown_table(HEADER, lines)


def method_tables(table: pd.DataFrame) -> str:
    """Lay out the methods of an experiment; a table for each value of what `SPLIT` names."""
    names = [name for name in SPLIT if name in table]
    if not names:
        return method_table(table)
    parts = []
    for values, rows in table.groupby(names):
        where = [SPLIT[name].format(value) for name, value in zip(names, values, strict=True)]
        parts.append(f"{'. '.join(where)}.\n\n{method_table(rows)}")
    return "\n\n".join(parts)


def _unmixed(tables: Mapping[str, pd.DataFrame]) -> str:
    """Say how often CLARA's chains fail by the number of judges, which decides what it can know."""
    table = tables.get("judge_error_models")
    if table is None:
        return ""
    own, counts = table[table["method"] == MODEL], []
    for judges in sorted({int(one) for one in own["n_labels"]}):
        failed, fits = count_gate_failures(own[own["n_labels"] == judges])
        counts.append(f"{failed} of {fits} fits with {judges} judge{'s' * (judges > 1)} an item")
    return (
        f" {MODEL} has to find out from the labels alone which annotators are right, gold or not. "
        f"Its gate fails {' and '.join(counts)}. With one judge an item that is not identified: "
        "chains do not mix, and where the gate failed the line above is of draws that depend on "
        "where they began, not of its posterior."
    )


def judge_error_page(tables: Mapping[str, pd.DataFrame], printed: Mapping[str, Any]) -> str:
    """Write the page.

    Args:
        tables: results tables (of replicates) by the name of their experiment.
        printed: what the post prints (config/printed/judge_error.yaml).
    """
    rows = claim_rows(judge_error_claims(printed), tables)
    parts = [
        "# Judge error: the post's results and ours\n",
        "Made from the results by `make docs`. The post's simulation is run as its text describes "
        "it and with the two slips of its published code. The expected naive rate is 0.7 x 0.9 + "
        "0.3 x 0.05 = 0.645 exactly; the printed 0.641 is 0.63 + 11 / 1,000, the published run "
        "with 11 false positives in every one of its simulations.\n",
        markdown_table(["where", "printed", "ours", "verdict", "reason"], rows) + "\n",
        "## Beside other methods\n",
        "All methods see the same tables of 1,000 items. MV takes judgements for the truth, the "
        "post's naive rate. Bias, error and width are means over settings and replicates, with "
        "their standard errors; `worst coverage` is that of one setting, and `none` counts tables "
        "without an estimate, where gold labels of a class are missing or the judges look no "
        "better than chance.\n",
    ]
    for name, title in COMPARED.items():
        if name not in tables:
            parts.append(f"### {title}\n\nNot made here: {name}.\n")
            continue
        table = tables[name]
        replicates = int(table["replicate"].nunique())
        parts.append(
            f"### {title}\n\n{method_tables(table)}\n\n{replicates} replicates in each setting. "
            "Fits whose Markov chains had not converged are included.\n"
        )
    parts.append(
        "Where gold labels are of the judged items themselves, they say something of the rate by "
        "themselves, which Rogan and Gladen's formula does not use: the posterior, PPI++ and "
        "MAVEN's vote model do. With one judge an item MAVEN's vote model is the same model as the "
        "posterior, with uniform priors of the judges' rates cut to better than chance."
        f"{_unmixed(tables)}\n"
    )
    parts.append(DESIGNS)
    return "\n".join(parts)
