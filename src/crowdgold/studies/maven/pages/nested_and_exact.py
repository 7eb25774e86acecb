"""The tables that hold nested fits against the exact cut, and MAVEN against gold labels alone."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from crowdgold.documents.markdown import markdown_table, pivot, with_error
from crowdgold.evaluation.summaries import compare, standard_error
from crowdgold.methods.maven import EXACT, PUBLISHED
from crowdgold.methods.votes_and_gold import GOLD_ALONE
from crowdgold.studies.maven.nested_lengths import EXACT_AGAIN, PRINTED

NESTED, DIRECT = PUBLISHED.name, EXACT.name
SPREAD, SHIFT = 0.2, 0.25
"""Nested draws may spread so much less or more than exact ones, as a share, and their median may
lie so far off, in standard deviations, to pass for the same. The claim on footnote 5 has the same
margins (claims.yaml). A distance of distribution functions would not do: of 200 draws each two sets
of one distribution lie .08 apart, and a fifth less spread adds little to that."""


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


def _named(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value).replace("_", " ")


def by_length(table: pd.DataFrame, axis: str, title: str, column: str = "distance") -> str:
    """Distance of nested fits from the exact cut by their length, and of two exact cuts.

    Args:
        table: what the check nested_lengths gives.
        title: its name.
        column: `distance`, or `spread`, their standard deviations over the exact cut's.
    """
    keys = [axis, "quantity"]
    mean = table.groupby([*keys, "length"], sort=False)[column].mean().to_dict()
    lengths = sorted(set(table["length"]) - {EXACT_AGAIN})
    header = [title, "of", *(f"b = {length}" for length in lengths), "exact, again"]
    rows = [
        [_named(value), quantity,
         *(f"{mean[value, quantity, length]:.3f}" for length in (*lengths, EXACT_AGAIN))]
        for value, quantity in table[keys].drop_duplicates().itertuples(index=False)
    ]  # fmt: skip
    return markdown_table(header, rows)


def shapes(table: pd.DataFrame, axis: str, title: str) -> str:
    """Modes of the draws and the share of them in tails, by setting: of nested fits as printed, of
    the longest, and exact.

    Args:
        table: what the check nested_lengths gives.
        title: its name.
    """
    lengths = [PRINTED, int(table["length"].max())]
    names = [*(f"b = {length}" for length in lengths), "exact"]
    header = [title, "of", *(f"{what}, {one}" for what in ("modes", "in tails") for one in names)]
    rows = []
    for (value, quantity), group in table.groupby([axis, "quantity"], sort=False):
        own = [group[group["length"] == length] for length in lengths]
        tails = [*(one["far"] for one in own), own[0]["exact_far"]]
        rows.append([
            _named(value), str(quantity),
            *(f"{one['modes'].mean():.1f}" for one in own), f"{own[0]['exact_modes'].mean():.1f}",
            *(with_error(float(one.mean()), standard_error(one.to_numpy())) for one in tails),
        ])  # fmt: skip
    return markdown_table(header, rows)


@dataclass(frozen=True)
class Comparison:
    """How nested fits of b iterations compare with the exact cut, in one setting.

    Attributes:
        words: the setting and the quantity.
        spread: mean over studies of the ratio of standard deviations, nested over exact, and half
            the width of its 95 % interval, by Student's t; infinite with one study.
        shift: the same of the shift of the median, in standard deviations.
    """

    words: str
    spread: tuple[float, float]
    shift: tuple[float, float]

    @property
    def _off(self) -> tuple[tuple[float, float, float], ...]:
        """How far each is off, its reach, and its margin."""
        (spread, reach), (shift, of_shift) = self.spread, self.shift
        return (abs(spread - 1), reach, SPREAD), (abs(shift), of_shift, SHIFT)

    @property
    def same(self) -> bool:
        """Whether both whole intervals lie within the margins."""
        return all(off + reach <= margin for off, reach, margin in self._off)

    @property
    def parted(self) -> bool:
        """Whether a whole interval lies beyond its margin."""
        return any(off - reach > margin for off, reach, margin in self._off)

    @property
    def differs(self) -> bool:
        """Whether the interval of the spread leaves out 1, however little it is off."""
        (off, reach, _), _ = self._off
        return off > reach

    def __str__(self) -> str:
        spread, shift = ("{:.2f} ± {:.2f}".format(*one) for one in (self.spread, self.shift))
        return f"{self.words}: spread {spread} of the exact cut's, shift {shift}"


def _with_reach(values: np.ndarray) -> tuple[float, float]:
    """A mean, and half the width of its 95 % interval."""
    size = len(values)
    reach = standard_error(values) * stdtrit(size - 1, 0.975) if size > 1 else np.inf
    return float(values.mean()), float(reach)


def comparisons(
    tables: Mapping[str, pd.DataFrame], axes: Mapping[str, str], length: int = PRINTED
) -> list[Comparison]:
    """Those of every setting and quantity.

    Args:
        tables: experiment -> what the check nested_lengths gives.
        axes: experiment -> the column that varies.
        length: iterations of the nested fits.
    """
    found = []
    for name in (one for one in axes if one in tables):
        axis, table = axes[name], tables[name]
        own = table[table["length"] == length]
        for (value, quantity), rows in own.groupby([axis, "quantity"], sort=False):
            words = f"{axis.removeprefix('study.').replace('_', ' ')} {value}, {quantity}"
            both = [_with_reach(rows[column].to_numpy(float)) for column in ("spread", "shift")]
            found.append(Comparison(words, *both))
    return found


def longest(tables: Mapping[str, pd.DataFrame], axes: Mapping[str, str]) -> int:
    """The most iterations that every experiment has; 0 where none has more than are printed."""
    most = min((int(tables[one]["length"].max()) for one in axes if one in tables), default=0)
    return most if most > PRINTED else 0


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
