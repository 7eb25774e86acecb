"""The larger tables of the page on training with human label variation (HLV, section 5)."""

from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from crowdgold.documents.markdown import markdown_table
from crowdgold.studies.label_variation.ranks import BASELINE, mean_ranks, over_runs


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
