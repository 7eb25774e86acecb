"""Markdown tables, and values with their errors."""

from collections.abc import Sequence

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
        cells = group.set_index(columns)
        lines.append(
            [str(key)]
            + [
                with_error(float(cells.loc[head, value]), float(cells.loc[head, error]))
                if head in cells.index
                else ""
                for head in heads
            ]
        )
    return markdown_table([rows, *heads], lines)
