"""The tables that hold nested fits against the exact cut, and MAVEN against gold labels alone."""

import pandas as pd

from crowdgold.documents.markdown import markdown_table, pivot, with_error
from crowdgold.evaluation.summaries import compare
from crowdgold.methods.maven import EXACT, PUBLISHED
from crowdgold.methods.votes_and_gold import GOLD_ALONE
from crowdgold.studies.maven.nested_lengths import EXACT_AGAIN, PRINTED

NESTED, DIRECT = PUBLISHED.name, EXACT.name


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


def parted(tables: dict[str, pd.DataFrame], axes: dict[str, str], least: float = 0.1) -> list[str]:
    """Where b = 10 is further from the exact cut than a second exact cut is, in words.

    Args:
        tables: experiment -> what the check nested_lengths gives.
        axes: experiment -> the column that varies.
        least: the margin: how much further is told.

    Returns:
        a sentence for each such setting, with the distance of the longest nested fits, which says
        which way is right: long fits that come nearer speak for the exact cut.
    """
    found = []
    for name, table in tables.items():
        if name not in axes:
            continue
        axis, longest = axes[name], int(table["length"].max())
        for (value, quantity), own in table.groupby([axis, "quantity"], sort=False):
            wide = own.pivot_table("distance", "replicate", "length")
            if (wide[PRINTED] - wide[EXACT_AGAIN]).mean() > least:
                words = axis.removeprefix("study.").replace("_", " ")
                found.append(
                    f"{words} {value}, {quantity}: {wide[PRINTED].mean():.2f} at b = {PRINTED}, "
                    f"{wide[longest].mean():.2f} at b = {longest}"
                )
    return found


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
