"""Are two tables of the same block the same numbers? Bit by bit, or within Monte Carlo error."""

from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import norm

from crowdgold.declared import LEVEL

COMMIT = "code_version"
"""Column that names the commit for people: of equal code it may be another."""
EFFECTIVE_DRAWS = 200
"""Two chains that pass the diagnostics have at least so many (`models.stan_fit`)."""
FALSE_ALARMS = 0.001
"""Chance that a whole table of right numbers is found to differ."""
ROUNDING = 1e-6
MESSAGES = ("diagnostics_message", "note")
"""Columns of sentences, which may hold numbers."""


def _is_text(column: pd.Series) -> bool:
    return not (pd.api.types.is_numeric_dtype(column) or column.name in MESSAGES)


def _close(one: pd.Series, other: pd.Series, tolerance: Any = 0.0) -> np.ndarray:
    """Say for each row whether values are close enough, none and none being so."""
    mine, yours = one.to_numpy(float), other.to_numpy(float)
    with np.errstate(invalid="ignore"):
        near = np.abs(mine - yours) <= tolerance + ROUNDING * (1 + np.abs(mine))
    both: np.ndarray = near | (np.isnan(mine) & np.isnan(yours)) | (mine == yours)
    return both


def _within_error(one: pd.DataFrame, other: pd.DataFrame, level: float) -> dict[str, np.ndarray]:
    """Hold a results table against another run's: column -> rows that differ.

    A posterior mean of `EFFECTIVE_DRAWS` draws has the standard error sd / sqrt(draws), a quantile
    sqrt(p (1 - p) / draws) / density; sd is that of a normal posterior with the row's interval. The
    limit is that of the largest of all the table's rows. Fits that failed their diagnostics have no
    known error, and are left out.
    """
    z = norm.ppf((1 + level) / 2)
    limit = norm.isf(FALSE_ALARMS / (6 * max(len(one), 1))) * np.sqrt(2 / EFFECTIVE_DRAWS)
    sd = np.nan_to_num((one["upper"] - one["lower"]).to_numpy(float)) / (2 * z)
    share = (1 - level) / 2
    of_quantile = np.sqrt(share * (1 - share)) / norm.pdf(z)
    known = one["diagnostics_passed"].to_numpy(bool) & other["diagnostics_passed"].to_numpy(bool)
    found = {}
    for column, factor in (("estimate", 1.0), ("lower", of_quantile), ("upper", of_quantile)):
        near = _close(one[column], other[column], limit * factor * sd)
        found[column] = np.flatnonzero(known & ~near)
    found["truth"] = np.flatnonzero(~_close(one["truth"], other["truth"]))
    # What is left out is not the same. Half of the fits may fail, not more.
    few = 2 * known.sum() < len(one)
    found["diagnostics_passed"] = np.flatnonzero(~known) if few else np.array([], dtype=int)
    return found


def _means_differ(one: pd.DataFrame, other: pd.DataFrame) -> dict[str, np.ndarray]:
    """Hold a check's table against another run's, by the means of its columns of numbers.

    What is undefined has to be so in both.
    """
    columns = [name for name in map(str, one) if pd.api.types.is_numeric_dtype(one[name])]
    limit = norm.isf(FALSE_ALARMS / (2 * max(len(columns), 1)))
    found = {}
    for name in columns:
        error = np.sqrt((one[name].var() + other[name].var()) / max(len(one), 1))
        mine, yours = (pd.Series([frame[name].mean()]) for frame in (one, other))
        differ = not _close(mine, yours, limit * np.nan_to_num(error))[0]
        undefined = np.flatnonzero(one[name].isna() != other[name].isna())
        found[name] = np.arange(len(one)) if differ else undefined
    return found


def _differing_rows(one: pd.Series, other: pd.Series) -> np.ndarray:
    same = (one == other) | (one.isna() & other.isna())
    return np.flatnonzero(~same.to_numpy(bool, na_value=False))


def differences(
    one: pd.DataFrame, other: pd.DataFrame, exact: bool, level: float = LEVEL
) -> list[str]:
    """Say where two tables of the same block differ; nothing where they are the same numbers.

    Args:
        one: a table, of results or of a check.
        other: the same block, made again.
        exact: whether every bit counts; else what is text does, and numbers have an error.
    """
    one, other = (frame.drop(columns=COMMIT, errors="ignore") for frame in (one, other))
    if list(one) != list(other) or len(one) != len(other):
        return [f"{len(one)} rows of {list(one)} have become {len(other)} rows of {list(other)}"]
    if exact:
        found = {name: _differing_rows(one[name], other[name]) for name in map(str, one.columns)}
    else:
        by_error = {"estimate", "lower", "upper", "diagnostics_passed"} <= set(one)
        text = [name for name in map(str, one) if _is_text(one[name])]
        found = {name: _differing_rows(one[name], other[name]) for name in text}
        found |= _within_error(one, other, level) if by_error else _means_differ(one, other)
    lines = []
    for name, rows in found.items():
        if len(rows):
            first = int(rows[0])
            lines.append(
                f"column {name!r} differs in {len(rows)} of {len(one)} rows; row {first}: "
                f"{one[name].iloc[first]!r} became {other[name].iloc[first]!r}"
            )
    return lines
