"""The scores of predictions of ChaosNLI side by side."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from crowdgold.documents.markdown import markdown_table

LABELS = {"e": "entailment", "n": "neutral", "c": "contradiction"}


def _cell(values: pd.Series) -> str:
    if not np.isfinite(values).any():
        return "undefined"
    mean = f"{values.mean():.3f}"
    return mean if len(values) == 1 else f"{mean} ± {values.std():.3f}"


def score_table(rows: pd.DataFrame, printed: Mapping[str, float] | None = None) -> str:
    """Lay out scores on a subset: a line a predictor, a column for each metric and class.

    Args:
        rows: those of the subset, over all classes or by class.
        printed: the paper's own MV, which then stands last, beside numbers of seeds and examples.
    """
    columns = list(dict.fromkeys(zip(rows["metric"], rows["label"], strict=True)))
    lines = []
    for predictor, own in rows.groupby("predictor", sort=False):
        by = own.groupby(["metric", "label"])["value"]
        sizes = [f"{own['seed'].nunique()}", f"{own['examples'].iloc[0]:,.0f}"]
        cells = [_cell(by.get_group(key)) for key in columns]
        lines.append([str(predictor), *(sizes if printed else []), *cells])
    heads = [f"{metric}, {LABELS[label]}" if label else metric for metric, label in columns]
    if printed is None:
        return markdown_table(["predictor", *heads], lines)
    known = [f"{printed[name]:.3f}" if name in printed else "" for name in heads]
    last = ["printed: MV, RoBERTa", "3", "", *known]
    return markdown_table(["predictor", "seeds", "examples", *heads], [*lines, last])
