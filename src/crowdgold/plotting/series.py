"""Lines of a panel: a method's rows for each value of what else varies, each with its look."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from matplotlib.axes import Axes

from crowdgold.methods.method import Style
from crowdgold.plotting.style import method_order, style_of

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES = ("-", "--", ":", "-.")
FILLS = ("full", "none", "left", "bottom")
"""Line, and filled part of the marker, of each of a method's lines, where it has several."""
OF_A_METHOD = "method_settings."
"""How the names of columns begin that vary a setting of one method, on the same data."""


class Series(NamedTuple):
    """One line: its name in the legend, its look, its rows, and what of its markers is filled."""

    label: str
    look: Style
    rows: pd.DataFrame
    fill: str = FILLS[0]


def value_text(value: object) -> str:
    """Write a value of a setting as a reader would."""
    return f"{value:g}" if isinstance(value, int | float | np.number) else str(value)


def named_value(column: str, value: object, names: Mapping[str, Any]) -> str:
    """Name a value: its own words where `names[column]` maps values, else a word and the value."""
    text, word = value_text(value), names.get(column, column.rpartition(".")[2])
    if isinstance(word, Mapping):
        known = {value_text(key): str(words) for key, words in word.items()}
        return known.get(text, text)
    return f"{word} {text}"


def _by_value(rows: pd.DataFrame, columns: list[str]) -> list[pd.DataFrame]:
    """Split rows by the values of columns, in the order of the table."""
    if not columns:
        return [rows]
    keys = rows[columns].map(value_text).agg("\n".join, axis=1)
    return [rows[keys == key] for key in dict.fromkeys(keys)]


def split_series(table: pd.DataFrame, by: Sequence[str], names: Mapping[str, Any]) -> list[Series]:
    """Split the rows of a table into lines: a method, and a value of each column of `by`.

    Args:
        table: rows with the column `method`.
        by: columns whose values make lines of their own, in the order of the table. One that
            varies another method's setting makes none: its first value stands for all.
        names: column -> the word before its values, or value -> words.

    Returns:
        lines in the order of the legend. Colour and marker are the method's; the line, and how
        much of the marker is filled, are the value's where there are several.
    """
    missing = [name for name in by if name not in table]
    if missing:
        raise ValueError(f"the table has no columns {missing} to make lines of")
    series = []
    for method in method_order(table["method"]):
        prefix = f"{OF_A_METHOD}{method}."
        own = [c for c in by if not c.startswith(OF_A_METHOD) or c.startswith(prefix)]
        rows = table[table["method"] == method]
        for column in set(by) - set(own):
            rows = _by_value(rows, [column])[0]
        parts = _by_value(rows, own)
        for index, part in enumerate(parts):
            words = [named_value(column, part[column].iloc[0], names) for column in own]
            look = style_of(method)
            if len(parts) > 1:
                look = look._replace(line=LINES[index % len(LINES)])
            fill = FILLS[index % len(FILLS)]
            series.append(Series(", ".join([method, *words]), look, part, fill))
    return series


def draw_line(
    axes: Axes, line: Series, x: str, value: str, error: str | None = None, shift: float = 0.0
) -> None:
    """Draw a line with bars of one `error` to each side, at x + shift.

    Args:
        axes: the panel.
        line: what is drawn.
        x, value: columns of its rows.
        error: the column of the bars' half lengths; none where not given.
        shift: how far the line stands to the right, so that bars can be told apart.
    """
    rows = line.rows.sort_values(x)
    axes.errorbar(
        rows[x] + shift,
        rows[value],
        yerr=None if error is None else rows[error],
        color=line.look.colour,
        marker=line.look.marker,
        linestyle=line.look.line,
        fillstyle=line.fill,
        markerfacecoloralt="white",
        markeredgewidth=0.8,
        elinewidth=0.8,
        capsize=1.5,
        label=line.label,
    )


def rows_drawn(table: pd.DataFrame, lines: Sequence[Series]) -> pd.DataFrame:
    """The rows of a table, with an index of its own, that lines were made of."""
    drawn = {row for line in lines for row in line.rows.index}
    kept: pd.DataFrame = table[table.index.isin(drawn)]
    return kept.reset_index(drop=True)


def count_replicates(counts: pd.Series) -> str:
    """How many replicates rows rest on: `1 replicate`, `5 replicates`, `2 to 5 replicates`."""
    least, most = int(counts.min()), int(counts.max())
    number = f"{most}" if least == most else f"{least} to {most}"
    return f"{number} replicate{'s' if most != 1 else ''}"


def replicates_text(shown: pd.DataFrame, each: str = "") -> str:
    """Say how many replicates the rows of a summary rest on, and what their bars are.

    Args:
        shown: rows with the column `replicates`.
        each: words for what has so many: ` a day`.
    """
    bars = (
        "; bars are one standard error"
        if shown["replicates"].max() > 1
        else ", so that there are no bars of its error"
    )
    return f"{count_replicates(shown['replicates'])}{each}{bars}"
