"""Values with their standard errors, one a cell of a comparison: what a predicate judges."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd


def with_error(value: float, error: float) -> str:
    """Write a value and its standard error to the error's second digit at most.

    Without the error where there is none, or where it is below the sixth decimal.
    """
    if not error > 0:
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    if error < 0.5e-6:
        return f"{value:.6f}"
    digits = max(0, min(6, 1 - int(f"{error:e}".split("e")[1])))
    return f"{value:.{digits}f} ± {error:.{digits}f}"


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a Markdown table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def pivot(table: pd.DataFrame, value: str, error: str, rows: str, columns: str) -> str:
    """Lay out a value with its error, a line for each `rows` and a column for each `columns`."""
    heads = list(dict.fromkeys(table[columns]))
    lines = []
    for key, group in table.groupby(rows, sort=False):
        known = group.set_index(columns)
        shown = [
            with_error(float(known.loc[head, value]), float(known.loc[head, error]))
            if head in known.index
            else ""
            for head in heads
        ]
        lines.append([str(key), *shown])
    return markdown_table([rows, *heads], lines)


Numbers = Sequence[float] | np.ndarray | pd.Series
Tables = Mapping[str, pd.DataFrame]  # the tables of a claim by name

SHOWN_EACH = 6  # cells that are shown one by one; of more only the range of each group


class ClaimError(ValueError):
    """A claim that cannot be judged as it is written."""


@dataclass(frozen=True)
class Cells:
    """The values that a claim is about, a row each; the title says in words what they are.

    Rows have `group` and `place`, which name a cell, its `value` and its standard `error`: 0 where
    the value is exact, NaN where its error is not known; the `replicates` that the error is over;
    its `degrees` of freedom where they are not those less one, as of a fit; the `fixed` part of the
    error, such as a printed one, that more replicates leave as it is; and, where the value is the
    share of independent `trials`, their number.
    """

    title: str
    rows: pd.DataFrame

    @property
    def names(self) -> pd.Series:
        """The name of each cell: its group, at its place where the group has several."""
        pairs = zip(self.rows["group"], self.rows["place"], strict=True)
        names_with_values = [f"{one} at {at}" if one and at else one or at for one, at in pairs]
        return pd.Series(names_with_values, index=self.rows.index, dtype=str)

    def degrees(self) -> np.ndarray:
        """The degrees of freedom of each error; infinitely many of a value that is exact."""
        own = self.rows["replicates"] - 1
        found = np.asarray(self.rows["degrees"].fillna(own).clip(lower=1), dtype=float)
        unknown = np.isnan(found)
        lacking = unknown & (self.rows["error"] > 0).to_numpy()
        if lacking.any():
            raise ClaimError(f"{self.title}: an error without replicates or degrees of freedom")
        return np.where(unknown, np.inf, found)

    def trials(self) -> np.ndarray:
        """The independent trials that each value is the share of; NaN where it is no share."""
        own = self.rows.get("trials", pd.Series(np.nan, index=self.rows.index))
        return own.to_numpy(float)

    def names_with_values(self, chosen: np.ndarray) -> str:
        """The names of some of the cells with their values.

        Of many only their number, and the one of the largest value.
        """
        names, values = self.names[chosen], self.rows.loc[chosen, "value"]
        if len(names) > SHOWN_EACH:
            at = values.abs().idxmax()
            worst = with_error(values[at], self.rows.loc[at, "error"])
            return f"{len(names)} of {len(chosen)}, the largest {names[at]} ({worst})"
        pairs = zip(names, values, strict=True)
        return ", ".join(f"{name} ({with_error(value, 0)})" for name, value in pairs)


def cells_of(
    title: str, groups: Sequence[str], values: Numbers, errors: Numbers | None = None,
    places: Sequence[str] | None = None, replicates: float | Numbers = np.nan,
    degrees: float | Numbers = np.nan, fixed: float | Numbers = 0.0,
    trials: float | Numbers = np.nan,
) -> Cells:  # fmt: skip
    """Cells from columns of equal length, or single numbers for all; without errors, exact ones."""
    size = len(values)

    def each(number: float | Numbers) -> np.ndarray:
        return np.broadcast_to(np.asarray(number, dtype=float), size)

    columns = {
        "group": list(groups),
        "place": [""] * size if places is None else list(places),
        "value": np.asarray(values, dtype=float),
        "error": np.zeros(size) if errors is None else np.asarray(errors, dtype=float),
        "replicates": each(replicates), "degrees": each(degrees),
        "fixed": each(fixed), "trials": each(trials),
    }  # fmt: skip
    return Cells(title, pd.DataFrame(columns))


def only(tables: Tables) -> pd.DataFrame:
    """The table of a claim that has one."""
    (table,) = tables.values()
    return table


def places_of(rows: pd.DataFrame, axes: Sequence[str]) -> list[str]:
    """The place of each row: the value of one axis alone, or each axis with its value."""
    single = len(axes) == 1
    return [
        " ".join(f"{_text(row[axis])}" if single else f"{axis} {_text(row[axis])}" for axis in axes)
        for row in rows[list(axes)].to_dict("records")
    ]


def _text(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def choose(table: pd.DataFrame, where: Mapping[str, Any]) -> pd.DataFrame:
    """The rows of a table that are asked for.

    A column is to be a value, one of a list, the `largest` or `smallest` of those that the table
    has, or within bounds: `least` (at least so much), `most`, `above`, `below`, `not` (another
    value) and `begins` (a name that begins so); a bound may be one of the two words, too.
    """
    for column, wanted in where.items():
        if column not in table:
            raise ClaimError(f"no column {column!r}; the table has {', '.join(table.columns)}")
        table = table[_matches(table[column], wanted)]
    return table


def _matches(values: pd.Series, wanted: object) -> pd.Series:
    if isinstance(wanted, Mapping):
        kept = pd.Series(True, index=values.index)
        for bound, limit in wanted.items():
            if bound not in BOUNDS:
                raise ClaimError(f"no bound {bound!r}; expected one of {', '.join(BOUNDS)}")
            kept &= BOUNDS[bound](values, ENDS[limit](values) if limit in ENDS else limit)
        return kept
    if isinstance(wanted, str) and wanted in ENDS:
        return values == ENDS[wanted](values)
    return values.isin(wanted if isinstance(wanted, list) else [wanted])


ENDS = {"largest": pd.Series.max, "smallest": pd.Series.min}
"""Words for the ends of what a column holds."""
BOUNDS = {  # bounds of `choose` by name
    "least": lambda values, limit: values >= limit,
    "most": lambda values, limit: values <= limit,
    "above": lambda values, limit: values > limit,
    "below": lambda values, limit: values < limit,
    "not": lambda values, limit: values != limit,
    "begins": lambda values, limit: values.str.startswith(limit),
}


def show(cells: Cells, how: str = "") -> str:
    """Cells in words: the title, then their numbers.

    How: `each` cell, the `range` of each group, the `ends` of all, the cell of the `largest` or
    `smallest` size, or the `title` alone; where it is not said, each of a few, else the range.
    """
    rows = cells.rows
    if rows.empty:
        return f"{cells.title}: none in the table"
    if how in ENDS:
        sizes = rows["value"].abs()
        alone = Cells(cells.title, rows[sizes == ENDS[how](sizes)].head(1))
        return f"{how} of {len(rows)}, {show(alone)}"
    how = how or ("each" if len(rows) <= SHOWN_EACH else "range")
    if how == "title":
        return cells.title
    if how == "ends":
        return f"{cells.title} {_range(rows['value'])} in {len(rows)} places"
    if how == "range":
        groups = rows.groupby("group", sort=False)["value"]
        parts = [f"{group} {_range(own)}" for group, own in groups]
    else:
        numbers = zip(cells.names, rows["value"], rows["error"], strict=True)
        parts = [f"{name} {with_error(value, error)}" for name, value, error in numbers]
    colon = ":" if any(cells.names) else ""
    return f"{cells.title}{colon} {'; '.join(part.strip() for part in parts)}"


def _range(values: pd.Series) -> str:
    low, high = float(values.min()), float(values.max())
    text = "{:.2f}" if min(abs(low), abs(high)) >= 0.01 else "{:.3g}"
    return f"{text.format(low)} to {text.format(high)}"
