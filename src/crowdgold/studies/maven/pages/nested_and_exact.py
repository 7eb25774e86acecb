"""The tables that hold nested fits against the exact cut."""

import numpy as np
import pandas as pd

from crowdgold.documents.markdown import markdown_table, with_error
from crowdgold.evaluation.ratios import compare
from crowdgold.methods.maven import EXACT, PUBLISHED
from crowdgold.studies.maven.nested_lengths import EXACT_AGAIN

NESTED, DIRECT = PUBLISHED.name, EXACT.name
PRINTED = 10
"""Iterations of a nested fit in the paper."""


def _covered(rows: pd.DataFrame) -> float:
    known = rows.dropna(subset=["lower", "upper", "truth"])
    return float(((known["lower"] <= known["truth"]) & (known["truth"] <= known["upper"])).mean())


def ratios(results: pd.DataFrame, axis: str) -> pd.DataFrame:
    """Error and width of nested fits over those of the exact cut, by setting and metric.

    Args:
        results: the long results table of an experiment with both.
        axis: the column that varies.

    Returns:
        `error_ratio` and `width_ratio` with standard errors that use the pairing, and `coverage`
        and `seconds` of both.
    """
    table = compare(results, [axis], NESTED, DIRECT)
    for name, method in (("nested", NESTED), ("exact", DIRECT)):
        own = results[results["method"] == method].groupby([axis, "metric"])
        covered = own.apply(_covered, include_groups=False).rename(f"coverage_{name}")
        seconds = own["seconds"].mean().rename(f"seconds_{name}")
        table = table.merge(pd.concat([covered, seconds], axis=1), on=[axis, "metric"])
    return table


def ratio_table(table: pd.DataFrame, axis: str, title: str) -> str:
    """`ratios` as Markdown; of a curve, the mean over its points."""
    table = table.assign(metric=table["metric"].str.partition("@")[0])
    header = [title, "metric", "error", "width", "coverage, nested", "exact", "s, nested", "exact"]
    rows = []
    for (value, metric), own in table.groupby([axis, "metric"], sort=False):
        known = own.drop(columns=[axis, "metric"]).mean()
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
        axis: the column that varies.
        title: its name.
    """
    keys = [axis, "quantity"]
    mean = table.pivot_table("distance", keys, "length", "mean", sort=False)
    lengths = sorted(set(mean) - {EXACT_AGAIN})
    header = [
        title,
        "of",
        *(f"b = {length}" for length in lengths),
        "exact, again",
        "shift, b = 10",
    ]
    shift = table[table["length"] == PRINTED].groupby(keys)["shift"].agg(["mean", "sem"])
    rows = []
    for key, own in mean.iterrows():
        value, quantity = key if isinstance(key, tuple) else (key, "")
        rows.append([
            f"{value:g}" if isinstance(value, (int, float)) else str(value).replace("_", " "),
            str(quantity),
            *(f"{own[length]:.3f}" for length in (*lengths, EXACT_AGAIN)),
            with_error(*shift.loc[key]),
        ])  # fmt: skip
    return markdown_table(header, rows)


def parted(tables: dict[str, pd.DataFrame], axes: dict[str, str], least: float = 0.1) -> list[str]:
    """Where b = 10 is further from the exact cut than chance makes it, in words.

    Args:
        tables: experiment -> what the check nested_lengths gives.
        axes: experiment -> the column that varies.
        least: distance beyond chance that is told.

    Returns:
        a sentence for each such setting, with the distance of the longest nested fits, which says
        which way is right: long fits that come nearer speak for the exact cut.
    """
    found = []
    for name, table in tables.items():
        if name not in axes:
            continue
        keys = [axes[name], "quantity", "replicate"]
        wide = table.pivot_table("distance", keys, "length")
        longest = max(wide)
        beyond = (wide[PRINTED] - wide[EXACT_AGAIN]).groupby(level=[0, 1]).agg(["mean", "sem"])
        for (value, quantity), row in beyond.iterrows():
            if row["mean"] > max(least, 2 * np.nan_to_num(row["sem"])):
                far = wide[longest].groupby(level=[0, 1]).mean()[value, quantity]
                near = wide[PRINTED].groupby(level=[0, 1]).mean()[value, quantity]
                found.append(
                    f"{axes[name].removeprefix('study.').replace('_', ' ')} {value}, {quantity}: "
                    f"{near:.2f} at b = {PRINTED}, {far:.2f} at b = {longest}"
                )
    return found
