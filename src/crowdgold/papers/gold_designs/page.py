"""Tables of docs/gold-designs.md: shares of labels and coverage of every cell."""

from collections.abc import Collection, Mapping

import numpy as np
import pandas as pd

from crowdgold.claims.cells import markdown_table, with_error
from crowdgold.claims.verdicts import CLEAR
from crowdgold.experiment.summaries import share_error
from crowdgold.papers.gold_designs.experiments import (
    BATCHES,
    FOR_ONE_METRIC,
    LEAST,
    ONE_BATCH,
    RIGHT,
)
from crowdgold.papers.gold_designs.plots import shares

MAIN, OTHERWISE = "gold_designs", "Algorithm 2"
"""The main experiment, and the words for an experiment that the page gives none."""
STUDY_KEYS = ["experiment", "positive"]
DESIGNS = {
    ONE_BATCH: "one batch", BATCHES: "two batches", FOR_ONE_METRIC: "two batches, for it alone",
    LEAST: "least possible",
}  # fmt: skip


def found_of(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Shares and coverage of every cell (`shares`) of these experiments."""
    return shares(pd.concat(list(tables.values()), ignore_index=True))


def _by_metric(
    found: pd.DataFrame, keys: list[str], heads: list[str], words: Mapping[str, str], value: str
) -> str:
    """The table of a value, a line for each pair of keys, in these words, a column a metric."""
    metrics = list(dict.fromkeys(found["metric"]))
    rows = []
    for key, group in found.groupby(keys, sort=False):
        known = group.set_index("metric").reindex(metrics)
        errors = known.get(f"{value}_se", pd.Series(0.0, known.index))
        cells = [
            with_error(one, error) if error > 0 else f"{one:.3f}"
            for one, error in zip(known[value], errors, strict=True)
        ]
        names = [
            f"{one:g}" if isinstance(one, float) else words.get(str(one), OTHERWISE) for one in key
        ]
        rows.append([*names, *cells])
    return markdown_table([*heads, *metrics], rows)


def _with_and(parts: list[str]) -> str:
    """Parts as words list them: a, b and c."""
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)


def answer(found: pd.DataFrame, metrics: Mapping[str, str]) -> str:
    """What two batches need where a random sample needs 100 labels, in words.

    It is of the metrics that have words, at the middle one of the shares of positive items.
    """
    own = found[(found["experiment"] == MAIN) & (found["prediction"] == RIGHT)]
    positive = sorted(own["positive"].unique())[own["positive"].nunique() // 2]
    own = own[(own["positive"] == positive) & (own["design"] == BATCHES)].set_index("metric")
    by_width, by_error = (
        _with_and([f"{100 * own[column][one]:.0f} for {words}" for one, words in metrics.items()])
        for column in ("share", "error_share")
    )
    error = np.hypot(own["share_se"], own["error_share_se"])
    clear = own["share"] - own["error_share"] > CLEAR * error
    long = [words for one, words in metrics.items() if clear[one]]
    of_long = f" Intervals of {_with_and(long)} are longer than errors call for." if long else ""
    return (
        f"Where {100 * positive:g} % of items are positive, fewer labels do than the 100 of a "
        f"random sample. For intervals of the same width a sample in two batches needs {by_width}. "
        f"For the same error it needs {by_error}.{of_long}"
    )


def shares_table(found: pd.DataFrame, value: str = "share") -> str:
    """The share of random labels by share of positive items and design, a column a metric.

    `value` is `share`, of labels for equal widths, `population_share`, for those of intervals about
    the population, or `error_share`, for equal errors.
    """
    own = found[(found["experiment"] == MAIN) & (found["prediction"] == RIGHT)]
    own = own[own[value].notna() & own["design"].isin(list(DESIGNS))]
    return _by_metric(own, ["positive", "design"], ["positive", "sample"], DESIGNS, value)


def largest_by_error(found: pd.DataFrame, metrics: Collection[str], positive: float) -> str:
    """The largest share of labels that two batches need for the same error, with its metric.

    Not known where no study has such a share of positive items.
    """
    own = found[(found["experiment"] == MAIN) & (found["prediction"] == RIGHT)]
    own = own[(own["design"] == BATCHES) & own["metric"].isin(metrics)]
    own = own[(own["positive"] - positive).abs() < 0.005]
    if own.empty:
        return "not known here"
    row = own.iloc[int(own["error_share"].to_numpy().argmax())]
    return f"{with_error(row['error_share'], row['error_share_se'])} ({row['metric']})"


def coverage_table(
    found: pd.DataFrame, labels: Mapping[str, str], prediction: str, design: str
) -> str:
    """Coverage of a design by study and share of positive items, a column a metric."""
    own = found[(found["prediction"] == prediction) & (found["design"] == design)]
    return _by_metric(own, STUDY_KEYS, ["study", "positive"], labels, "coverage")


def least_coverage(found: pd.DataFrame, labels: Mapping[str, str]) -> str:
    """The setting, metric, prediction and design in which a designed sample covers least."""
    own = found[found["design"].isin([ONE_BATCH, BATCHES, FOR_ONE_METRIC])]
    row = own.iloc[int(own["coverage"].to_numpy().argmin())]
    where = labels.get(str(row["experiment"]), OTHERWISE)
    error = share_error(float(row["coverage"]), int(row["replicates"]))
    return (
        f"{with_error(float(row['coverage']), error)} ({row['metric']}, {where}, "
        f"{row['positive']:g} positive, {row['prediction']} prediction, "
        f"{DESIGNS[str(row['design'])]})"
    )


def other_shares(found: pd.DataFrame, labels: Mapping[str, str]) -> str:
    """The share of random labels of two batches in the other studies."""
    chosen = (found["experiment"] != MAIN) & found["design"].eq(BATCHES)
    own = found[chosen & found["prediction"].eq(RIGHT)]
    return _by_metric(own, STUDY_KEYS, ["study", "positive"], labels, "share")
