"""A made arena of two worlds, and cells whose coverage is wanted."""

import numpy as np
import pandas as pd

from crowdgold.experiment.summaries import coverage_band, share_error
from crowdgold.papers.arena.table import arena_cells, judged

SIZE = 20
LABELS = {"one": "first", "two": "second"}


def row(experiment, method, metric, coverage=0.95, width=0.1, note="", size=SIZE, shape=None):
    """A row of a summary; without an interval where there is a note."""
    low, high = coverage_band(size, 0.95) if size else (np.nan, np.nan)
    there = not note
    return {
        "experiment": experiment, "shape": shape, "method": method, "metric": metric,
        "replicates": size if there else 0, "undefined": 0 if there else size,
        "gate_failures": 0, "truth": 0.3, "bias": 0.01, "bias_se": 0.001, "error": 0.02,
        "error_se": 0.001, "intervals": size if there else 0,
        "width": width if there else np.nan, "width_se": 0.01 * width if there else np.nan,
        "coverage": coverage if there else np.nan,
        "coverage_se": share_error(coverage, size) if there else np.nan,
        "level": 0.95, "band_low": low if there else np.nan, "band_high": high if there else np.nan,
        "note": note,
    }  # fmt: skip


def summary(*rows):
    return pd.DataFrame(list(rows))


NEEDS_NAMES = {"note": "it needs to know who gave each vote"}
TWO_WORLDS = summary(
    row("one", "GT", "prevalence", width=0.2),
    row("one", "MV", "prevalence", coverage=0.1, width=0.02),
    row("one", "MAVEN-R", "prevalence", width=0.1),
    row("one", "CLARA", "prevalence", **NEEDS_NAMES),
    row("one", "GT", "AUC", width=0.4),
    row("one", "MV", "AUC", coverage=0.5, width=0.1),
    row("one", "MAVEN-R", "AUC", width=0.3),
    row("one", "CLARA", "AUC", **NEEDS_NAMES),
    row("two", "GT", "prevalence", width=0.2),
    row("two", "MV", "prevalence", coverage=0.9, width=0.05),
    row("two", "MAVEN-R", "prevalence", note="it needs scores of a model; there are none"),
    row("two", "CLARA", "prevalence", coverage=0.85, width=0.04),
)


def cells():
    return judged(arena_cells(TWO_WORLDS, "GT", ["shape"], LABELS))


def cell(table, world, method, metric):
    keys = ["world", "method", "metric"]
    (found,) = (one for _, one in table.iterrows() if [*one[keys]] == [world, method, metric])
    return found
