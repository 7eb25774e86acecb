"""The tables that hold nested fits against the exact cut, and MAVEN against gold labels alone."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from crowdgold.documents.markdown import markdown_table, pivot, with_error
from crowdgold.evaluation.summaries import compare
from crowdgold.methods.maven import EXACT, PUBLISHED
from crowdgold.methods.votes_and_gold import GOLD_ALONE
from crowdgold.studies.maven.nested_lengths import EXACT_AGAIN, PRINTED

NESTED, DIRECT = PUBLISHED.name, EXACT.name
MARGIN = 0.1
"""Of a distribution function: no further from the exact cut than this beyond chance is the same."""


def _covers(rows: pd.DataFrame) -> pd.Series:
    """1 where an interval holds the truth, 0 where not; unknown where there is no interval."""
    held = (rows["lower"] <= rows["truth"]) & (rows["truth"] <= rows["upper"])
    return held.astype(float).where(rows[["lower", "upper", "truth"]].notna().all(axis=1))


def ratios(results: pd.DataFrame, times: pd.DataFrame, axis: str) -> pd.DataFrame:
    """Error and width of nested fits over those of the exact cut, by setting and metric.

    Args:
        results: the long results table of an experiment with both.
        times: the seconds of every fit, of this experiment among others.

    Returns:
        `error_ratio` and `width_ratio` with standard errors that use the pairing, and `coverage`
        and median `seconds` of both.
    """
    table = compare(results, [axis], NESTED, DIRECT)
    own_times = times[times["experiment"].isin(results["experiment"])]
    for name, method in (("nested", NESTED), ("exact", DIRECT)):
        own = results[results["method"] == method]
        covered = own.assign(coverage=_covers(own)).groupby([axis, "metric"])["coverage"].mean()
        seconds = own_times[own_times["method"] == method].groupby(axis)["seconds"].median()
        table = table.merge(covered.rename(f"coverage_{name}"), on=[axis, "metric"])
        table = table.merge(seconds.rename(f"seconds_{name}"), on=axis)
    return table


def ratio_table(table: pd.DataFrame, axis: str, title: str) -> str:
    """`ratios` as Markdown; of a curve, the mean over its points, and that of their errors."""
    table = table.assign(metric=table["metric"].str.partition("@")[0])
    header = [title, "metric", "error", "width", "coverage, nested", "exact", "s, nested", "exact"]
    rows = []
    for (value, metric), own in table.groupby([axis, "metric"], sort=False):
        known = own.drop(columns=[axis, "metric"]).mean(numeric_only=True)
        rows.append([
            f"{value:g}" if isinstance(value, float) else str(value).replace("_", " "),
            str(metric),
            with_error(known["error_ratio"], known["error_ratio_se"]),
            with_error(known["width_ratio"], known["width_ratio_se"]),
            *(f"{known[f'coverage_{name}']:.2f}" for name in ("nested", "exact")),
            *(f"{known[f'seconds_{name}']:.1f}" for name in ("nested", "exact")),
        ])  # fmt: skip
    return markdown_table(header, rows)


def by_length(table: pd.DataFrame, axis: str, title: str) -> str:
    """Distance of nested fits from the exact cut by their length, and of two exact cuts.

    Args:
        table: what the check nested_lengths gives.
        title: its name.
    """
    keys = [axis, "quantity"]
    mean = table.groupby([*keys, "length"], sort=False)["distance"].mean().to_dict()
    shift = table[table["length"] == PRINTED].groupby(keys)["shift"].mean()
    lengths = sorted(set(table["length"]) - {EXACT_AGAIN})
    header = [title, "of", *(f"b = {length}" for length in lengths), "exact, again", "shift"]
    rows = []
    for value, quantity in table[keys].drop_duplicates().itertuples(index=False):
        rows.append([
            f"{value:g}" if isinstance(value, int | float) else str(value).replace("_", " "),
            quantity,
            *(f"{mean[value, quantity, length]:.3f}" for length in (*lengths, EXACT_AGAIN)),
            f"{shift[value, quantity]:.2f}",
        ])  # fmt: skip
    return markdown_table(header, rows)


def shapes(table: pd.DataFrame, axis: str, title: str) -> str:
    """Modes of the draws and the share of them in tails, by setting: nested as printed, and exact.

    Args:
        table: what the check nested_lengths gives.
        title: its name.
    """
    own = table[table["length"] == PRINTED]
    header = [title, "of", "modes, nested", "exact", "in tails, nested", "exact"]
    columns = ["modes", "exact_modes", "far", "exact_far"]
    rows = [
        [
            f"{value:g}" if isinstance(value, int | float) else str(value).replace("_", " "),
            str(quantity),
            *(f"{group[one].mean():.1f}" for one in columns[:2]),
            *(f"{group[one].mean():.3f}" for one in columns[2:]),
        ]
        for (value, quantity), group in own.groupby([axis, "quantity"], sort=False)
    ]
    return markdown_table(header, rows)


@dataclass(frozen=True)
class Comparison:
    """How much further b = 10 lies from the exact cut than a second exact cut, in one setting.

    Attributes:
        words: the setting and the quantity.
        more: mean over studies of the difference of the two distances.
        reach: half the width of its 95 % interval, by Student's t; infinite with one study.
        longest: the longest nested fits, and their mean distance, which says which way is right:
            long fits that come nearer speak for the exact cut.
    """

    words: str
    more: float
    reach: float
    longest: tuple[int, float]

    @property
    def same(self) -> bool:
        """Whether the whole interval lies below the margin."""
        return self.more + self.reach <= MARGIN

    @property
    def parted(self) -> bool:
        """Whether the whole interval lies above the margin."""
        return self.more - self.reach > MARGIN

    def __str__(self) -> str:
        return (
            f"{self.words}: {self.more:.2f} ± {self.reach:.2f} further at b = {PRINTED}; "
            f"{self.longest[1]:.2f} from the exact cut at b = {self.longest[0]}"
        )


def comparisons(tables: Mapping[str, pd.DataFrame], axes: Mapping[str, str]) -> list[Comparison]:
    """Those of every setting and quantity.

    Args:
        tables: experiment -> what the check nested_lengths gives.
        axes: experiment -> the column that varies.
    """
    found = []
    for name, axis in axes.items():
        if name not in tables:
            continue
        table = tables[name]
        longest = int(table["length"].max())
        for (value, quantity), own in table.groupby([axis, "quantity"], sort=False):
            wide = own.pivot_table("distance", "replicate", "length")
            more = wide[PRINTED] - wide[EXACT_AGAIN]
            error = more.std(ddof=1) / np.sqrt(len(more))
            reach = error * stdtrit(len(more) - 1, 0.975) if len(more) > 1 else np.inf
            words = f"{axis.removeprefix('study.').replace('_', ' ')} {value}, {quantity}"
            far = (longest, float(wide[longest].mean()))
            found.append(Comparison(words, float(more.mean()), float(reach), far))
    return found


def beyond_chance(table: pd.DataFrame) -> str:
    """How many ratios of error and of width differ from 1, and coverage of both ways, in words.

    Args:
        table: `ratios`.
    """
    told = []
    for name in ("error", "width"):
        ratio, error = table[f"{name}_ratio"], table[f"{name}_ratio_se"]
        reach = error * stdtrit(table["replicates"] - 1, 0.975)
        told.append(f"{int(((ratio - 1).abs() > reach).sum())} of {len(table)} ratios of {name}")
    nested, exact = table["coverage_nested"].mean(), table["coverage_exact"].mean()
    return (
        f"{told[0]} and {told[1]} differ from 1 by more than their 95 % intervals; by chance one "
        f"in 20 would. Over all settings and metrics nested intervals contain the truth in "
        f"{100 * nested:.0f} % of cases and those of the exact cut in {100 * exact:.0f} %."
    )


AXIS = "gold_fraction"
LABELS = {
    "error": "Mean absolute error",
    "width": "Width of the interval",
    "finite": "Width of the interval about these items",
}


def gain(results: pd.DataFrame) -> dict[str, float]:
    """MAVEN over GT: the `narrowest` and `widest` width, and the mean `error`, over all settings.

    Args:
        results: as for `ratio_tables`.
    """
    table = compare(results, [AXIS], PUBLISHED.name, GOLD_ALONE.name)
    width, error = table["width_ratio"], table["error_ratio"]
    return {"narrowest": width.min(), "widest": width.max(), "error": error.mean()}


def ratio_tables(results: pd.DataFrame) -> dict[str, str]:
    """Title -> ratios of error and width, MAVEN over GT, by metric and share of gold labels.

    Args:
        results: the long results table of an experiment.
    """
    table = compare(results, [AXIS], PUBLISHED.name, GOLD_ALONE.name)
    finite = (1 - table[AXIS]) ** 0.5
    table = table.assign(
        finite_ratio=table["width_ratio"] / finite,
        finite_ratio_se=table["width_ratio_se"] / finite,
    )
    return {
        label: pivot(table, f"{name}_ratio", f"{name}_ratio_se", AXIS, "metric")
        for name, label in LABELS.items()
    }
