"""Tables 4 to 7 of STABLEVAL, cell by cell: printed, on the published labels, on our own draws."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from crowdgold.documents.markdown import markdown_table, with_error
from crowdgold.evaluation.summaries import standard_error
from crowdgold.methods.pec import EXPECTED_CREDIT
from crowdgold.methods.votes_and_gold import MAJORITY
from crowdgold.studies.stableval.ranking_recovery import recovery_values, summarise_recovery

CONFIGURATION = "configuration"
OWN, PUBLISHED = "own", "published"
STUDY = {OWN: "stableval_synthetic", PUBLISHED: "stableval_synthetic_published"}
STABILITY = {
    OWN: "stableval_synthetic_stability",
    PUBLISHED: "stableval_synthetic_stability_published",
}
"""Experiments behind tables 4, 6 and 7, and behind table 5."""
TABLES = {"table_4": STUDY, "table_5": STABILITY, "table_6": STUDY, "table_7": STUDY}
CLEAR = 3.5
"""Joint standard errors: of 228 cells one is further away by chance with probability 0.1."""


class Cell(NamedTuple):
    """A cell: printed, ours on the published labels, ours on our own draws, in the table's unit.

    `error` is the standard error of our own draws, `away` their distance from the published labels'
    (or the printed) number in joint standard errors. What we do not have is NaN.
    """

    configuration: str
    method: str
    printed: float
    published: float
    own: float
    error: float
    away: float


def _values(table: pd.DataFrame | None, quantity: str, scale: float) -> pd.DataFrame:
    """Mean, se and replicates by configuration and method; empty where there is no table."""
    columns = ["mean", "se", "replicates"]
    if table is None:
        return pd.DataFrame(columns=columns)
    found = summarise_recovery(table, [CONFIGURATION])
    rows = found[found["quantity"] == quantity].set_index([CONFIGURATION, "method"])[columns]
    rows[["mean", "se"]] *= scale
    return rows


def cells_of(
    name: str, tables: Mapping[str, pd.DataFrame], printed: Mapping[str, Any]
) -> list[Cell]:
    """The cells of a table.

    Args:
        name: a key of `TABLES`.
        tables: results tables by experiment; those that are missing leave NaN.
        printed: what the paper prints (config/printed/stableval_synthetic.yaml).
    """
    block, cells = printed[name], []
    ours = {
        whose: _values(tables.get(experiment), block["quantity"], block["scale"])
        for whose, experiment in TABLES[name].items()
    }
    for configuration, row in block["rows"].items():
        for method, value in zip(printed["methods"], row, strict=True):
            key = (configuration, method)
            own, given = (
                ours[whose].loc[key] if key in ours[whose].index else None
                for whose in (OWN, PUBLISHED)
            )
            mean, error, number = (np.nan,) * 3 if own is None else own
            centre = value if given is None else given["mean"]
            # By the spread of ours on both sides: seeds that are all right have none.
            other = error * np.sqrt(number / printed["repetitions"])
            joint = float(np.hypot(error, other))
            away = (mean - centre) / joint if joint > 0 else 0.0 if mean == centre else np.nan
            found = np.nan if given is None else float(given["mean"])
            cells.append(Cell(*key, value, found, float(mean), float(error), float(away)))
    return cells


def as_printed(cell: Cell, digits: int) -> bool:
    """Say whether the published labels give the printed digits."""
    return f"{cell.published:.{digits}f}" == f"{cell.printed:.{digits}f}"


def _texts(cell: Cell, digits: int) -> list[str]:
    """What stands in the two columns of a cell's method."""
    first = f"{cell.printed:.{digits}f}"
    if np.isfinite(cell.published) and not as_printed(cell, digits):
        first += f", **{cell.published:.{digits}f}**"
    if not np.isfinite(cell.own):
        return [first, ""]
    more = digits + 1
    away = "" if np.isnan(cell.away) else f" ({cell.away:+.1f})"
    return [first, f"{cell.own:.{more}f} ± {cell.error:.{more}f}{away}"]


def summary_of(cells: list[Cell], digits: int) -> str:
    """Say in a sentence how many cells come out."""
    known = [cell for cell in cells if np.isfinite(cell.published)]
    away = [abs(cell.away) for cell in cells if np.isfinite(cell.away)]
    parts = []
    if known:
        same = sum(as_printed(cell, digits) for cell in known)
        parts.append(
            f"On the published labels {same} of {len(known)} cells have the printed digits"
        )
    if away:
        far = sum(one > CLEAR for one in away)
        parts.append(
            f"of our own draws {far} of {len(away)} cells are more than {CLEAR:g} joint standard "
            f"errors away, the furthest {max(away):.1f}"
        )
    sentences = [f"{part[0].upper()}{part[1:]}." for part in parts]
    return " ".join(sentences) if parts else "Not made here."


def lean_of(name: str, tables: Mapping[str, pd.DataFrame], block: Mapping[str, Any]) -> str:
    """Say in a sentence how far all cells of ours together are from the published labels'.

    A published seed is shared by all configurations, so that the errors of its cells go together:
    what counts is the mean over the cells of a replicate. Empty where there is one of the two only.
    """
    means = {}
    for whose, experiment in TABLES[name].items():
        if experiment not in tables:
            return ""
        rows = recovery_values(tables[experiment], [CONFIGURATION])
        rows = rows[rows["quantity"] == block["quantity"]]
        means[whose] = rows.groupby("replicate")["value"].mean().to_numpy() * block["scale"]
    less = float(means[OWN].mean() - means[PUBLISHED].mean())
    error = float(np.hypot(standard_error(means[OWN]), standard_error(means[PUBLISHED])))
    away = f" ({abs(less) / error:.1f} standard errors)" if error > 0 else ""
    return (
        f" Cells of the published labels share their seeds, so that their errors go together: in "
        f"the mean over all cells ours less theirs is {with_error(less, error)}{away}."
    )


def cell_table(name: str, cells: list[Cell], printed: Mapping[str, Any]) -> str:
    """Write a table, a line a configuration and two columns a method."""
    block, methods = printed[name], printed["methods"]
    header = ["configuration"]
    for method in methods:
        header += [method, f"{method}, own draws"]
    rows = []
    for configuration in block["rows"]:
        own = {cell.method: cell for cell in cells if cell.configuration == configuration}
        texts = [text for method in methods for text in _texts(own[method], block["digits"])]
        rows.append([configuration, *texts])
    return markdown_table(header, rows)


def seconds(times: pd.DataFrame | None) -> str:
    """What the fits to the published labels took, in a sentence; DS and PEC share theirs."""
    if times is None or times.empty:
        return ""
    spent = times[times["method"].isin((MAJORITY.name, EXPECTED_CREDIT.name))]
    fits = int((spent["method"] == EXPECTED_CREDIT.name).sum())
    return (
        f" The {fits:,} fits to the published labels took {spent['seconds'].sum():.0f} s of one "
        "core, DS and PEC by one fit."
    )


def same_cells(tables: Mapping[str, pd.DataFrame], printed: Mapping[str, Any]) -> str:
    """Say in a sentence how many cells of each table the published labels give as printed."""
    parts = []
    for name in TABLES:
        known = [one for one in cells_of(name, tables, printed) if np.isfinite(one.published)]
        same = sum(as_printed(one, printed[name]["digits"]) for one in known)
        if known:
            parts.append(f"{same} of {len(known)} of {name.replace('_', ' ')}")
    return f"Of the cells of the synthetic study the published labels give {', '.join(parts)}."


def sizes(tables: Mapping[str, pd.DataFrame]) -> list[str]:
    """The replicates of our draws and of the published labels, of the study and of table 5."""
    names = [*STUDY.values(), *STABILITY.values()]
    return [str(tables[name]["replicate"].nunique()) if name in tables else "no" for name in names]


def synthetic_table(
    name: str, tables: Mapping[str, pd.DataFrame], printed: Mapping[str, Any]
) -> str:
    """Write a table with its title, and how many of its cells come out."""
    cells = cells_of(name, tables, printed)
    summary = summary_of(cells, printed[name]["digits"]) + lean_of(name, tables, printed[name])
    return f"### {printed[name]['source']}\n\n{summary}\n\n{cell_table(name, cells, printed)}"
