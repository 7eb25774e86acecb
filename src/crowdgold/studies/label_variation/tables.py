"""The larger tables of the page on training with human label variation (HLV, section 5)."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.documents.markdown import markdown_table
from crowdgold.studies.label_variation.ranks import BASELINE, mean_ranks, over_runs

SIGNIFICANT = 0.05


def named_places(table: pd.DataFrame) -> pd.Series:
    """The name of each row's dataset, with its encoder where the dataset has more than one."""
    several = table.groupby("dataset")["encoder"].transform("nunique") > 1
    named: pd.Series = table["dataset"].mask(several, table["dataset"] + ", " + table["encoder"])
    return named.rename("place")


def _by_method(texts: Mapping[tuple[str, str], str], methods: Iterable[str]) -> str:
    """The texts of (method, column) laid out, a line a method in this order."""
    heads = list(dict.fromkeys(head for _, head in texts))
    known = {name for name, _ in texts}
    lines = [
        [name, *(texts.get((name, head), "-") for head in heads)]
        for name in methods
        if name in known
    ]
    return markdown_table(["method", *heads], lines)


def difference_table(table: pd.DataFrame, place: str) -> str:
    """The mean differences to MV in a place (`named_places`), a line a method, by rank."""
    own = over_runs(table[named_places(table) == place]).set_index(["method", "metric"])
    base = own.loc[BASELINE].reindex(own.index.get_level_values("metric"))
    gain = own["mean"] - base["mean"].to_numpy()
    error = np.hypot(own["se"], base["se"].to_numpy())
    pairs = zip(gain, error, strict=True)
    texts = ["undefined" if np.isnan(one) else f"{one:+z.3f} ± {its:.3f}" for one, its in pairs]
    methods = [name for name in mean_ranks(table).index if name != BASELINE]
    return _by_method(dict(zip(own.index, texts, strict=True)), methods)


def share_table(table: pd.DataFrame) -> str:
    """How far class shares are off, of items tested and trained on, by place and rank."""
    groups = table.groupby(["method", named_places(table)], sort=False)
    mean = groups[["share_error", "train_share_error"]].mean()
    texts = [f"{test:.3f} / {train:.3f}" for test, train in mean.to_numpy()]
    return _by_method(dict(zip(mean.index, texts, strict=True)), mean_ranks(table).index)


def dataset_table(table: pd.DataFrame, printed: Iterable[Mapping[str, Any]]) -> str:
    """Table 4: what is counted of each dataset, and in brackets what is printed.

    Args:
        table: what the check `label_variation` gives.
        printed: `table_4` of config/printed/label_variation.yaml.
    """
    lines = []
    for row in printed:
        name = row["dataset"]
        own = table["dataset"].eq(name) | table["dataset"].str.startswith(f"{name} (")
        parts = table[own].drop_duplicates("dataset")
        numbers = [f"({row[key]})" for key in ("thousands", "each", "classes")]
        people, several = "", ""
        if len(parts):
            items, annotations = parts["all_items"].sum(), parts["all_annotations"].sum()
            ours = f"{items:,}", f"{annotations / items:.1f}", f"{parts['classes'].iloc[0]}"
            numbers = [f"{one} {its}" for one, its in zip(ours, numbers, strict=True)]
            count = parts["all_annotators"].max()
            people = f"{count:,}" if count else "not known"
        else:
            several = "private" if row.get("private") else "not had here"
        marks = ["✓" if row[key] else "✗" for key in ("annotators_known", "multilabel")]
        lines.append(
            [
                name,
                row["task"],
                row["language"],
                row["annotators"],
                *numbers,
                people,
                *marks,
                several,
            ]
        )
    heads = ["dataset", "task", "L", "O", "items N (thousands)", "annotations an item J",
             "classes K", "annotators", "I", "M", ""]  # fmt: skip
    return markdown_table(heads, lines)


def correlation_table(table: pd.DataFrame, judge: str) -> str:
    """Table 5 on our runs: a line a dataset, each metric's correlation with a judge's scores.

    Args:
        table: what the check `human_ranking` gives, of all datasets.
        judge: whose choices.
    """
    own = table[table["judge"] == judge].drop_duplicates(["dataset", "encoder", "metric"])
    metrics = list(dict.fromkeys(own["metric"]))
    lines = []
    for (dataset, encoder), rows in own.groupby(["dataset", "encoder"], sort=False):
        of = rows.set_index("metric")
        cells = [_correlation(of.loc[name]) for name in metrics]
        lines.append([str(dataset), str(encoder), f"{of['methods'].max()}", *cells])
    return markdown_table(["dataset", "encoder", "methods", *metrics], lines)


def _correlation(row: pd.Series) -> str:
    """r, with a star where p is below `SIGNIFICANT`, and p."""
    if np.isnan(row["correlation"]):
        return "undefined"
    star = "*" if row["p_value"] < SIGNIFICANT else ""
    return f"{row['correlation']:+.2f}{star} ({row['p_value']:.3f})"


def ranking_table(table: pd.DataFrame, judge: str) -> str:
    """Table 6 on our runs: a line a dataset, its methods by a judge's scores, the best first."""
    own = table[table["judge"] == judge].drop_duplicates(["dataset", "encoder", "method"])
    lines = []
    for dataset, rows in own.groupby("dataset", sort=False):
        best = rows.set_index("method")["score"].sort_values(ascending=False, kind="stable")
        named = ", ".join(f"{name} {value:.3f}" for name, value in best.items())
        lines.append([str(dataset), named])
    return markdown_table(["dataset", "methods and their scores"], lines)
