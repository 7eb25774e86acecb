"""The page on metrics of judgement distributions: the paper's results and ours, real judgements."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.documents.markdown import markdown_table
from crowdgold.documents.verdicts import claim_rows
from crowdgold.studies.soft_metrics.pages.claims import (
    CORRELATIONS,
    SCORES,
    STUDY,
    soft_metric_claims,
    table_2,
)

SUBSETS = {"snli": "SNLI", "mnli_m": "MNLI"}
LABELS = {"e": "entailment", "n": "neutral", "c": "contradiction"}


def correlation_table(tables: Mapping[str, pd.DataFrame], printed: Mapping[str, Any]) -> str:
    """Lay out table 2: printed, drawn here, and the band of a fresh draw, a line a setting."""
    rows = table_2(tables, printed)
    pairs = list(dict.fromkeys(rows["pair"]))
    lines = []
    for one in printed["rows"]:
        own = rows[(rows[["classes", "alpha", "beta"]] == [one[k] for k in
                    ("classes", "alpha", "beta")]).all(axis=1)].set_index("pair")  # fmt: skip
        if own.empty:
            continue
        cells = [
            f"{own['printed'][pair]:.2f}; {own['drawn'][pair]:.2f} "
            f"({own['low'][pair]:.2f}, {own['high'][pair]:.2f})"
            for pair in pairs
        ]
        lines.append([f"{one['classes']}", f"{one['alpha']:g}", f"{one['beta']:g}", *cells])
    header = ["K", "alpha", "beta", *(f"{pair[0]}-{pair[1]}" for pair in pairs)]
    return markdown_table(header, lines)


def _cell(values: np.ndarray) -> str:
    if not np.isfinite(values).any():
        return "undefined"
    mean = f"{values.mean():.3f}"
    return mean if len(values) == 1 else f"{mean} ± {values.std(ddof=1):.3f}"


def score_table(table: pd.DataFrame, subset: str, printed: Mapping[str, Any]) -> str:
    """Lay out the scores on a subset: a line a predictor, and the paper's own MV last."""
    own = table[(table["subset"] == subset) & (table["label"] == "")]
    metrics = list(dict.fromkeys(own["metric"]))
    lines = []
    for predictor, rows in own.groupby("predictor", sort=False):
        cells = [
            _cell(rows.loc[rows["metric"] == name, "value"].to_numpy(float)) for name in metrics
        ]
        examples = int(rows["examples"].iloc[0])
        lines.append([str(predictor), f"{rows['seed'].nunique()}", f"{examples:,}", *cells])
    known = printed["table_b1"][subset]
    last = [f"{known[name]:.3f}" if name in known else "" for name in metrics]
    lines.append(["printed: MV, RoBERTa", "3", "", *last])
    return markdown_table(["predictor", "seeds", "examples", *metrics], lines)


def class_table(table: pd.DataFrame, subset: str) -> str:
    """Lay out soft precision, recall and F1 of each class: a line a predictor."""
    own = table[(table["subset"] == subset) & (table["label"] != "")]
    columns = list(dict.fromkeys(zip(own["metric"], own["label"], strict=True)))
    lines = []
    for predictor, rows in own.groupby("predictor", sort=False):
        by = rows.groupby(["metric", "label"])["value"]
        lines.append([str(predictor), *(_cell(by.get_group(key).to_numpy()) for key in columns)])
    header = ["predictor", *(f"{metric}, {LABELS[label]}" for metric, label in columns)]
    return markdown_table(header, lines)


def study_table(table: pd.DataFrame) -> str:
    """Lay out what simulated studies find, a line for each true correlation."""
    lines = [
        [
            f"{row['instance_sd']:g}",
            f"{row['correlation']:g}",
            f"{row['mean']:.2f} ({row['lower']:.2f}, {row['upper']:.2f})",
            f"({row['fisher_low']:.2f}, {row['fisher_high']:.2f})",
            f"{row['significant']:.0%}",
            "" if np.isnan(row["ranked_right"]) else f"{row['ranked_right']:.0%}",
        ]
        for row in table.to_dict("records")
    ]
    header = ["instance sd", "true r", "a study finds (95 %)", "interval over the methods",
              "p < .05", "above the one before"]  # fmt: skip
    return markdown_table(header, lines)


def soft_metric_page(tables: Mapping[str, pd.DataFrame], printed: Mapping[str, Any]) -> str:
    """Write the page.

    Args:
        tables: tables of the checks by the name of their experiment.
        printed: what the paper prints (config/printed/soft_metrics.yaml).
    """
    rows = claim_rows(soft_metric_claims(printed), tables)
    parts = [
        "# Human label variation: metrics, the paper's results and ours\n",
        "Made from the results by `make docs`. The paper's study of metrics (section 6) is "
        "private; ours is a simulated stand-in, built from what is printed of it, and says what "
        "such a study can show, not what that one did.\n",
        markdown_table(["where", "printed", "ours", "verdict", "reason"], rows) + "\n",
    ]
    if CORRELATIONS in tables:
        parts += [
            "## Table 2\n",
            "Printed; ours, drawn the same way; and in brackets where a fresh draw of "
            f"{printed['table_2']['matrices']} matrices falls in all but one of 2,000 cases. A "
            "accuracy, J PO-JSD, E entropy correlation, S soft accuracy.\n",
            correlation_table(tables, printed["table_2"]) + "\n",
        ]
    if SCORES in tables:
        parts += [
            "## ChaosNLI\n",
            "Judgements of 100 people an item. The models were fine-tuned by others on one label "
            "an item, on all of SNLI or MNLI; the paper's MV on ChaosNLI itself, so that the last "
            "line is no target. Predictions without a model: `majority` is one-hot at the most "
            "frequent of the 100 labels, `prevalences` the same for every item; five and fifty "
            "labels, and the majority of five, are held against those left. A correlation of "
            "entropies is undefined where a side has none that differ. "
            "± is the standard deviation over training seeds.\n",
            *(
                f"{name}:\n\n{score_table(tables[SCORES], subset, printed)}\n"
                for subset, name in SUBSETS.items()
                if subset in set(tables[SCORES]["subset"])
            ),
            "By class (equations A.1 to A.3): of the probability that is put on a class, the part "
            "that people share, and the other way round.\n",
            *(
                f"{name}:\n\n{class_table(tables[SCORES], subset)}\n"
                for subset, name in SUBSETS.items()
                if subset in set(tables[SCORES]["subset"])
            ),
        ]
    if STUDY in tables:
        one = tables[STUDY].iloc[0]
        own = tables[STUDY].groupby("instance_sd")["scores"].first()
        found = " and ".join(f"{mean:.2f} at {sd:g}" for sd, mean in own.items())
        parts += [
            "## How sure is a correlation with people's scores?\n",
            f"{one['studies']:.0f} simulated studies of {one['methods']:.0f} methods, whose true "
            "scores are those that table 6 prints; `instance sd` is that of what an instance does "
            "to a pair of methods, in log odds, for all who judge it. A study's own scores "
            f"correlate with the true ones, in the mean, by {found}, so that it finds less than "
            "the truth; and with so few methods any correlation has a wide interval. The last "
            "column says how often a metric comes out above the metric of the line before.\n",
            study_table(tables[STUDY]) + "\n",
        ]
    return "\n".join(parts)
