"""Cells of printed tables beside ours: our number written as the printed one is, and compared."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import pandas as pd

SAME, DIFFERS, ABSENT = "same", "differs", "not made here"
NUMBER = re.compile(r"[+-]?\d[\d,]*(?:\.\d+)?%?")


def written_like(printed: str, values: Sequence[float]) -> str:
    """Write numbers as a printed cell has its own: sign, decimals, thousands and per cent.

    Args:
        printed: the printed cell, such as "79 (8.23%)".
        values: a number for each of those in it; a share where a per cent is printed.

    Raises:
        ValueError: where the cell has another number of numbers.
    """
    found = NUMBER.findall(printed)
    if len(found) != len(values):
        raise ValueError(f"{printed!r} has {len(found)} numbers; expected {len(values)}")
    rest = iter(zip(found, values, strict=True))

    def write(match: re.Match[str]) -> str:
        text, value = next(rest)
        percent = text.endswith("%")
        decimals = len(text.rstrip("%").partition(".")[2])
        shown = round(100 * value if percent else value, decimals)
        sign = "+" if text[0] in "+-" else ""
        # A number that rounds to zero has no sign of its own.
        written = f"{shown if shown else 0.0:{sign},.{decimals}f}"
        return (written if "," in text else written.replace(",", "")) + "%" * percent

    return NUMBER.sub(write, printed)


@dataclass(frozen=True)
class Cell:
    """A printed cell and ours.

    Attributes:
        table: number of the printed table.
        row, column: where it stands.
        printed: its text.
        ours: our numbers, written likewise; empty where we have none.
    """

    table: int
    row: str
    column: str
    printed: str
    ours: str

    @property
    def verdict(self) -> str:
        """Say whether they are the same."""
        return (SAME if self.ours == self.printed else DIFFERS) if self.ours else ABSENT


Values = Mapping[tuple[str, str], Sequence[float]]
"""(row, column) -> our numbers."""


def compare_cells(printed: pd.DataFrame, values: Mapping[int, Values]) -> list[Cell]:
    """Hold printed cells against ours.

    Args:
        printed: columns table, row, column, printed: a row a cell, as text.
        values: table -> our numbers; cells of other tables are not made here.
    """
    cells = []
    for row in printed.itertuples():
        table, where = int(str(row.table)), (str(row.row), str(row.column))
        ours = values.get(table, {}).get(where)
        text = "" if ours is None else written_like(str(row.printed), ours)
        cells.append(Cell(table, *where, str(row.printed), text))
    return cells
