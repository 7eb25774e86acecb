"""What a claim is about, read from results tables: each quantity gives `Cells`.

A claim names a quantity and its arguments in `of:`. All but a difference are of the rows that
`where` leaves (see `cells.choose`) of the claim's first table, unless `table` names another, or a
function of the tables that makes one: `{own: module:function}`, with its arguments.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.claims.cells import Cells, ClaimError, Tables, cells_of, choose, places_of
from crowdgold.experiment.summaries import (
    average_over_settings,
    compare,
    share_error,
    standard_error,
    summarise,
)

Names = str | Sequence[str]
NUMBERS = ["value", "error", "replicates", "degrees"]  # the columns of cells that are no names


def _listed(value: Names) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _rows(tables: Tables, arguments: dict[str, Any]) -> pd.DataFrame:
    """The rows that a quantity is of, by two of its arguments, which are taken out."""
    table, where = arguments.pop("table", ""), arguments.pop("where", {})
    if isinstance(table, Mapping):
        made = dict(table)
        found = made.pop("own")(tables, **made)
    else:
        found = tables[table] if table else next(iter(tables.values()))
    return choose(found, where)


def ratio(
    rows: pd.DataFrame, value: Names, method: Names, against: str, by: Names = (),
    mean_over: str = "",
) -> Cells:  # fmt: skip
    """Ratios of the mean absolute `error` or the `width` of methods to another's, on the same data.

    One for each metric and each of the values of the settings `by`, or their mean over a setting.
    """
    axes, values, methods = _listed(mean_over or by), _listed(value), _listed(method)
    frames = [cells_of("", [], []).rows]
    for one in methods:
        if (found := compare(rows, axes, one, against)).empty:
            continue
        least = found.groupby("metric")["replicates"].min()
        found = average_over_settings(found, mean_over) if mean_over else found
        several = len(methods) > 1 or len(set(found["metric"])) > 1
        groups = found["metric"] + (f" {one}" if len(methods) > 1 else "")
        places = None if mean_over else places_of(found, axes)
        sizes = found["metric"].map(least) if mean_over else found["replicates"]
        for what in values:
            named = [f"{what} of {one}" if several else what for one in groups]
            named = named if len(values) > 1 else list(groups)
            ratios, errors = found[f"{what}_ratio"], found[f"{what}_ratio_se"]
            frames.append(cells_of("", named, ratios, errors, places, sizes).rows)
    cells: pd.DataFrame = pd.concat(frames[1:] or frames, ignore_index=True)
    numerator = "" if len(methods) > 1 else f"{methods[0]} "
    title = f"{values[0]} {numerator}/ {against}" if len(values) == 1 else f"{numerator}/ {against}"
    at = ""
    if axes and not mean_over and len(set(cells["place"])) == 1:
        at = f" at {', '.join(axes)} {cells['place'].iloc[0]}"
        cells["place"] = ""
    return Cells(title + at + (f", mean over {mean_over}" if mean_over else ""), cells)


def summary(
    rows: pd.DataFrame, value: str, method: Names, by: Names = (), pooled: bool = False,
    size: bool = False, mean_over: str = "", title: str = "",
) -> Cells:  # fmt: skip
    """A column of the summary over replicates: `bias`, `error`, `width`, `coverage`.

    A cell for each method, metric and each of the values of the settings `by`, or their mean over a
    setting. If `pooled`, the table's other settings count as further replicates; with `size` the
    value is without its sign.
    """
    methods, axes = _listed(method), _listed(by)
    rows = choose(rows, {"method": methods})
    if pooled:
        # Settings are independent: each has a replicate of its own.
        rows = rows.assign(replicate=np.arange(len(rows)))
    if rows.empty:
        return cells_of(title or value, [], [])
    found = summarise(rows, [*axes, mean_over] if mean_over else axes)
    if mean_over:
        how: dict[str, Any] = {
            value: "mean", "replicates": "min",
            f"{value}_se": lambda errors: float(np.sqrt((errors**2).sum()) / len(errors)),
        }  # fmt: skip
        found = found.groupby([*axes, "method", "metric"], sort=False).agg(how).reset_index()
    several = len(set(found["metric"])) > 1
    groups = [
        " ".join([str(row["metric"])] * several + [str(row["method"])] * (len(methods) > 1))
        for row in found.to_dict("records")
    ]
    values = found[value].abs() if size else found[value]
    of = "" if len(methods) > 1 else f" of {methods[0]}"
    over = f", mean over {mean_over}" if mean_over else ""
    title = title or f"{'size of the ' * size}{value}{of}{over}"
    # Intervals of one replicate are no independent trials: such a summary has no band.
    shares = value == "coverage" and not mean_over
    trials = found["intervals"].where(found["band_low"].notna()) if shares else np.nan
    errors, sizes = found[f"{value}_se"], found["replicates"]
    return cells_of(title, groups, values, errors, places_of(found, axes), sizes, trials=trials)


def mean(rows: pd.DataFrame, column: str, by: Names = (), title: str = "") -> Cells:
    """The mean of a column and its standard error, over rows that are independent.

    For each of the values of the columns `by`. The title is the column's name where none is given.
    """
    keys = _listed(by)
    named = pd.Series(
        [" ".join(map(str, key)) for key in rows[keys].to_numpy()], index=rows.index, dtype=str
    )
    found = {
        str(name): own[column].dropna().to_numpy(float)
        for name, own in rows.groupby(named, sort=False)
    }
    values = [float(own.mean()) for own in found.values()]
    errors, sizes = [standard_error(own) for own in found.values()], list(map(len, found.values()))
    return cells_of(title or column, list(found), values, errors, None, sizes)


def coverage(
    rows: pd.DataFrame, by: Names, at: Names = (), unit: Names = (), title: str = "coverage"
) -> Cells:
    """The share of intervals that hold the truth; one that is missing does not.

    The columns `by` and `at` name a cell's group and its place. Those of `unit` say which intervals
    go together, so that their mean is one value; else each is by itself.
    """
    keys, axes = _listed(by), _listed(at)
    inside = rows["truth"].between(rows["lower"], rows["upper"]).astype(float)
    rows = rows.assign(inside=inside)
    if unit:
        all_keys = [*keys, *axes, *_listed(unit)]
        rows = rows.groupby(all_keys, sort=False, dropna=False)["inside"].mean().reset_index()
    groups = [" ".join(map(str, one)) for one in rows[keys].to_numpy()]
    named = rows.assign(group=groups, place=places_of(rows, axes))
    found = named.groupby(["group", "place"], sort=False)["inside"]
    share, size = found.mean(), found.size()
    alone = [share_error(*pair) for pair in zip(share, size, strict=True)]
    errors = found.agg(standard_error) if unit else alone
    names, places = (share.index.get_level_values(level).tolist() for level in (0, 1))
    trials = np.nan if unit else size
    return cells_of(title, names, share, errors, places, size, trials=trials)


def column(
    rows: pd.DataFrame, value: str, error: str = "", by: Names = (), at: Names = (),
    title: str = "", replicates: str = "replicates", size: bool = False,
) -> Cells:  # fmt: skip
    """Cells that stand in a table as they are: a column and that of its errors, or exact ones.

    The columns `by` and `at` name a cell's group and its place; the first row of each counts.
    `replicates` is the column of those that the error is over, if there is one. With `size` the
    value is without its sign.
    """
    keys, axes = _listed(by), _listed(at)
    rows = rows.drop_duplicates([*keys, *axes]) if keys or axes else rows
    groups = [" ".join(str(row[key]) for key in keys) for row in rows.to_dict("records")]
    errors = rows[error] if error else None
    places = places_of(rows, axes) if axes else None
    sizes = rows.get(replicates, np.nan)
    values = rows[value].abs() if size else rows[value]
    return cells_of(title or value, groups, values, errors, places, sizes)


def difference(
    tables: Tables, first: Mapping[str, Any], second: Mapping[str, Any], title: str = ""
) -> Cells:
    """The cells of a quantity less those of another of independent data, cell by cell.

    Both are as in `of:`; a second of one cell is taken from all.
    """
    sides = [quantity(tables, side) for side in (first, second)]
    left, right = (replace(one, rows=one.rows.assign(degrees=one.degrees())) for one in sides)
    if len(right.rows) == 1:
        both = left.rows.merge(right.rows[NUMBERS], how="cross", suffixes=("", "_r"))
    else:
        both = left.rows.merge(right.rows, on=["group", "place"], suffixes=("", "_r"))
    rows = both.assign(
        value=both["value"] - both["value_r"],
        error=np.hypot(both["error"], both["error_r"]),
        # Of the side that is the less known; what is exact has none.
        replicates=both[["replicates", "replicates_r"]].min(axis=1),
        degrees=both[["degrees", "degrees_r"]].min(axis=1),
    )
    return Cells(title or f"{left.title} less {right.title}", rows[["group", "place", *NUMBERS]])


def paired(
    rows: pd.DataFrame, value: str, column: str, first: str, second: str, unit: str = "replicate",
    by: Names = (), title: str = "",
) -> Cells:  # fmt: skip
    """The mean difference of two entries of a column on the same units, and its error.

    The first entry of the column, `method` for instance, less the second, in the column `value`;
    `unit` is the column that says what they share. One for each of the values of `by`.
    """
    keys = _listed(by)
    rows = choose(rows, {column: [first, second]})
    values = rows.pivot_table(index=[*keys, unit], columns=column, values=value, sort=False)
    gain = (values[first] - values[second]).dropna().reset_index(name="gain")
    return mean(gain, "gain", keys, title or f"{value} of {first} less {second}'s")


QUANTITIES: dict[str, Callable[..., Cells]] = {
    "ratio": ratio, "summary": summary, "mean": mean, "coverage": coverage, "column": column,
    "difference": difference, "paired": paired,
}  # fmt: skip
"""Name of a quantity in `of:` -> the function; its first argument stands beside the name."""


def quantity(tables: Tables, of: Mapping[str, Any]) -> Cells:
    """The cells that `of:` asks for: a quantity's name -> its first argument, then the others.

    Or `own` -> a function of the tables (the loader has put it there), and its arguments.
    """
    (name, first), *others = of.items()
    rest = dict(others)
    if name == "own":
        return first(tables, **rest)  # type: ignore[no-any-return]
    if name not in QUANTITIES:
        known = ", ".join([*QUANTITIES, "own"])
        raise ClaimError(f"of: begins with {name!r}: expected one of {known}")
    try:
        if name == "difference":
            return difference(tables, *first, **rest)
        return QUANTITIES[name](_rows(tables, rest), first, **rest)
    except TypeError as error:
        raise ClaimError(f"of: {name}: {error}") from error
