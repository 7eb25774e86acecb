"""The tables of the page on training with human label variation (HLV, section 5)."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.documents.markdown import markdown_table
from crowdgold.studies.label_variation.methods import METHODS, overview
from crowdgold.studies.label_variation.ranks import (
    BASELINE,
    compare_with_baseline,
    mean_ranks,
    over_runs,
    with_all_methods,
)

MARKS = {True: "✓", False: "✗"}


def table_3() -> str:
    """Lay out table 3 from the registry of methods."""
    rows = [
        [f"{row['name']} ({name})", *(MARKS[bool(row[mark])] for mark in "IMD")]
        for name, row in overview().iterrows()
    ]
    return markdown_table(["method", "I", "M", "D"], rows)


def _cell(mean: float, sd: float) -> str:
    if np.isnan(mean):
        return "undefined"
    return f"{mean:.3f}" if np.isnan(sd) else f"{mean:.3f} ± {sd:.3f}"


def table_b1(table: pd.DataFrame, printed: Mapping[str, Any]) -> str:
    """Lay out MV's performance: ours, and below it what is printed of the paper's encoders."""
    own = over_runs(table[table["method"] == BASELINE])
    metrics = printed["metrics"]
    lines = []
    for (dataset, encoder), rows in own.groupby(["dataset", "encoder"], sort=False):
        by = rows.set_index("metric")
        cells = [_cell(by.loc[name, "mean"], by.loc[name, "sd"]) for name in metrics]
        lines.append([str(dataset), f"**ours: {encoder}**", *cells])
        for one in printed["rows"]:
            if one["dataset"] == dataset:
                values = zip(one["mean"], one["sd"], strict=True)
                lines.append(["", f"printed: {one['encoder']}", *(_cell(*pair) for pair in values)])
    return markdown_table(["dataset", "encoder", *metrics], lines)


def rank_table(table: pd.DataFrame) -> str:
    """Lay out the methods by mean rank, with how often each beats MV, falls below it, is best.

    Beside it the mean rank over the settings in which all methods take part.
    """
    ranks, found = mean_ranks(table), compare_with_baseline(table)
    among_all = mean_ranks(with_all_methods(table))
    lines = []
    for name, rank in ranks.items():
        own = found[found["method"] == name]
        counts = [f"{int(own[what].sum())}" for what in ("beats", "below", "among_best")]
        undefined = int(own["mean"].isna().sum())
        whole = f"{among_all[str(name)]:.2f}" if name in among_all else "-"
        lines.append(
            [str(name), METHODS[str(name)].full_name, f"{rank:.2f}", whole, f"{len(own)}", *counts,
             f"{undefined}"]
        )  # fmt: skip
    header = ["method", "", "mean rank", "among all methods", "settings", "beats MV", "below MV",
              "among the best", "undefined"]  # fmt: skip
    return markdown_table(header, lines)


def named_places(table: pd.DataFrame) -> pd.Series:
    """Name each row's dataset, and its encoder where the dataset has more than one."""
    several = table.groupby("dataset")["encoder"].transform("nunique") > 1
    named: pd.Series = table["dataset"].mask(several, table["dataset"] + ", " + table["encoder"])
    return named.rename("place")


def difference_table(table: pd.DataFrame, place: str) -> str:
    """Lay out the mean differences to MV in a place (`named_places`), a line a method, by rank."""
    own = over_runs(table[named_places(table) == place])
    metrics = list(dict.fromkeys(own["metric"]))
    wide = {value: own.pivot_table(index="method", columns="metric", values=value, dropna=False)
            for value in ("mean", "se")}  # fmt: skip
    lines = []
    for name in mean_ranks(table).index:
        if name not in wide["mean"].index or name == BASELINE:
            continue
        cells = []
        for metric in metrics:
            mean, se = (wide[value][metric] for value in ("mean", "se"))
            gain, error = mean[name] - mean[BASELINE], np.hypot(se[name], se[BASELINE])
            cells.append("undefined" if np.isnan(gain) else f"{gain:+z.3f} ± {error:.3f}")
        lines.append([str(name), *cells])
    return markdown_table(["method", *metrics], lines)


def training_table(table: pd.DataFrame) -> str:
    """Say how each dataset's models were trained."""
    lines = []
    for (dataset, encoder), own in table.groupby(["dataset", "encoder"], sort=False):
        rates = ", ".join(f"{one:g}" for one in sorted(own["learning_rate"].unique()))
        sizes = ", ".join(f"{one:g}" for one in sorted(own["batch_size"].unique()))
        first, runs = own.iloc[0], own["replicate"].nunique()
        people = f"{first['annotators']:,.0f}" if first["annotators"] else "not known"
        lines.append(
            [str(dataset), str(encoder), f"{first['items']:,}", f"{first['tied']:.1%}", people,
             f"{own['method'].nunique()}", f"{runs}", rates, sizes]
        )  # fmt: skip
    header = ["dataset", "encoder", "items tested", "majorities that are ties",
              "annotators of training items", "methods", "runs", "learning rate",
              "batch size"]  # fmt: skip
    return markdown_table(header, lines)


def share_table(table: pd.DataFrame) -> str:
    """Lay out how far class shares are off, of items tested and trained on, by place and rank."""
    kinds = "share_error", "train_share_error"
    mean = table.groupby([named_places(table), "method"], sort=False)[list(kinds)].mean()
    places = list(mean.index.unique("place"))
    lines = []
    for name in mean_ranks(table).index:
        own = mean.xs(name, level="method").reindex(places)
        cells = ("-" if np.isnan(test) else f"{test:.3f} / {train:.3f}"
                 for test, train in own.to_numpy())  # fmt: skip
        lines.append([str(name), *cells])
    return markdown_table(["method", *places], lines)


def ensembles_table(table: pd.DataFrame) -> str:
    """Lay out, by dataset, what an annotator's model learns from, and how AE does beside SL."""
    lines = []
    own = table[(table["metric"] == "PO-JSD") & (table["annotators"] > 0)]
    for place, rows in own.groupby(named_places(own), sort=False):
        mean = rows.groupby("method")[["value", "share_error"]].mean()
        if not {"SL", "AE"} <= set(mean.index):
            continue
        first = rows.iloc[0]
        lines.append(
            [str(place), f"{first['annotators']:,.0f}", f"{first['annotations_each']:,.0f}",
             *(f"{one:.3f}" for one in mean.loc[["SL", "AE"]].to_numpy().T.ravel())]
        )  # fmt: skip
    header = ["dataset", "annotators of training items", "median of annotations", "PO-JSD of SL",
              "of AE", "class shares off by, of SL", "of AE"]  # fmt: skip
    return markdown_table(header, lines)
