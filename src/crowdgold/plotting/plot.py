"""What a plot is: its name, and a function that draws it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

import pandas as pd
from matplotlib.figure import Figure


@dataclass(frozen=True)
class Plot:
    """A kind of figure. A file that holds `X = Plot("NAME", draw_...)` offers it to configurations.

    Attributes:
        name: as configurations write it.
        draw: (table, options by keyword) -> the figure, and the rows that it shows. Its
            keyword-only parameters are the options; one without a default has to be given. It
            raises `ValueError` where the table lacks what it shows.
        asks: a dataclass of the options, of a function that takes them as one.
    """

    name: str
    draw: Callable[..., tuple[Figure, pd.DataFrame]]
    asks: type | None = None

    @property
    def options(self) -> dict[str, bool]:
        """Option -> whether it has to be given."""
        parameters = signature(self.asks or self.draw).parameters.values()
        own = [one for one in parameters if one.kind is one.KEYWORD_ONLY]
        return {one.name: one.default is one.empty for one in own}

    def __call__(
        self, table: pd.DataFrame, options: Mapping[str, Any]
    ) -> tuple[Figure, pd.DataFrame]:
        """The figure of a table, and the rows that it shows."""
        if self.asks:
            return self.draw(table, self.asks(**options))
        return self.draw(table, **options)


def require(table: pd.DataFrame, columns: Iterable[str]) -> None:
    """Raise `ValueError` where a table lacks columns that a plot shows."""
    missing = [name for name in columns if name not in table]
    if missing:
        raise ValueError(f"the table has no columns {missing}")
