"""A made table of `label_variation`: what its figures, ranks and page are tested with."""

import numpy as np
import pandas as pd

from crowdgold.papers.label_variation.judgements import METHODS

METRICS = (
    "micro F1", "macro F1", "entropy correlation", "PO-JSD", "soft micro F1", "soft macro F1",
)  # fmt: skip
DATASETS = {
    "HS-Brexit": ("all-MiniLM-L6-v2, frozen", list(METHODS)),
    "ArMIS": ("TF-IDF", list(METHODS)),
    "ChaosNLI (SNLI)": (
        "all-MiniLM-L6-v2, frozen",
        [name for name, method in METHODS.items() if not method.needs_annotators],
    ),
}
GAIN = {"ReL": 0.05, "SL": 0.04, "JSD": 0.03, "SMF1": 0.02, "LA-min": -0.05}
"""Over MV; other methods have none."""
STEP = 0.004
"""Between the three runs of a method."""


def table_of_runs(runs=3, methods=tuple(METHODS)):
    """Values that are MV's 0.6, a method's gain, and a step a run; one correlation is undefined."""
    rows = [
        {
            "paper": "HLV", "experiment": f"label_variation_{dataset}", "method": method,
            "replicate": run, "dataset": dataset, "encoder": encoder, "items": 100,
            "share_error": 0.2 if method == "AE" else 0.01,
            "train_share_error": 0.04 if method == "SL" else 0.03, "tied": 0.125,
            "annotators": 6 if "AE" in own else 0, "annotations_each": 784.0,
            "annotations": 100.0,
            "all_items": 1120, "all_annotations": 6720, "classes": 2,
            "all_annotators": 6 if "AE" in own else 0,
            "learning_rate": 0.003, "batch_size": 32, "metric": metric,
            "value": 0.6 + GAIN.get(method, 0.0) + STEP * (run - 1), "note": "",
        }
        for dataset, (encoder, own) in DATASETS.items()
        for method in methods if method in own for run in range(runs) for metric in METRICS
    ]  # fmt: skip
    table = pd.DataFrame(rows)
    gone = (
        (table["method"] == "SmF1")
        & (table["dataset"] == "HS-Brexit")
        & (table["metric"] == "entropy correlation")
    )
    table.loc[gone, ["value", "note"]] = np.nan, "undefined"
    return table


def table_of_people():
    """Three methods on ArMIS; of the two judges the scores, and the correlations, differ."""
    scores = {"one": {"SL": 0.5, "MV": 0.3, "AE": 0.2}, "panel": {"SL": 0.2, "MV": 0.3, "AE": 0.5}}
    found = {"one": (0.9, 0.01), "panel": (-0.2, 0.3)}
    rows = [
        {
            "dataset": "ArMIS", "encoder": "TF-IDF", "judge": judge, "metric": metric,
            "methods": 3, "method": method, "score": score,
            "value": {"SL": 0.8, "MV": 0.7, "AE": 0.65}[method],
            "correlation": np.nan if metric == "entropy correlation" else found[judge][0],
            "p_value": np.nan if metric == "entropy correlation" else found[judge][1],
        }
        for judge, own in scores.items() for metric in METRICS for method, score in own.items()
    ]  # fmt: skip
    return pd.DataFrame(rows)
