"""One look for all figures: a colour and marker for each method, sizes, and byte-stable files."""

import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import numpy as np
import pandas as pd
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager
from matplotlib.ticker import NullLocator
from matplotlib.transforms import Bbox

from crowdgold.methods.method import FIGURES, Style, in_order
from crowdgold.methods.registry import METHODS
from crowdgold.reading.outputs import write_spreadsheet
from crowdgold.system.temporary import unfinished


@dataclass(frozen=True)
class Plot:
    """A kind of figure. A file that holds `X = Plot("NAME", draw_...)` offers it to configurations.

    `draw` gives the figure and the rows that it shows, and raises `ValueError` where the table
    lacks them. Its keyword-only parameters are the options; or it takes them as one, of the
    dataclass `asks`.
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
        return self.draw(table, self.asks(**options)) if self.asks else self.draw(table, **options)


def require(table: pd.DataFrame, columns: Iterable[str]) -> None:
    """Raise `ValueError` where a table lacks columns that a plot shows."""
    missing = [name for name in columns if name not in table]
    if missing:
        raise ValueError(f"the table has no columns {missing}")


PAGE_WIDTH = 7.0  # Inches; a figure that spans two columns
COLUMN_WIDTH = 3.6  # One column, or a telephone
FOOTER_SIZE = 7  # Points; the lines below a figure

UNKNOWN = Style("#0072B2", "X")
OTHER_STYLES = {
    "random stratified": Style("#AA8866", "s", ":"),
    "tie-breaking": Style("#222255", "X", "none"),
}
"""Of policies that are compared with methods but are none of the registry."""
COLOURS = (
    "#0072B2", "#D55E00", "#008855", "#993377", "#3333BB",
    "#553300", "#5599BB", "#777777", "#888822", "#111155",
)  # fmt: skip
"""Of lines that are no methods', in order. All colours stand out from white by 3 to 1, and the
colour-blind can tell those of a figure apart, with the markers (tests/unit/test_colours.py)."""

AXIS_LABELS = {
    "gold_fraction": "Fraction of items with an expert label",
    "n_gold": "Items with an expert label $n_e$",
    "n": "Items $n$",
}

SVG_METADATA = {"Date": None}
METADATA: dict[str, Any] = {
    "svg": SVG_METADATA, "pdf": {"CreationDate": None}, "png": {"Software": None},
}  # fmt: skip
"""Metadata by format: without dates, so that equal figures give equal bytes."""
NOTE_HEIGHT = 0.16  # Inches; a line of warning at the foot of a figure
DPI = 200  # Of the PNG

RC: Any = {
    "font.size": 8, "axes.titlesize": 9, "axes.labelsize": 8, "legend.fontsize": 8,
    "xtick.labelsize": 7, "ytick.labelsize": 7, "lines.linewidth": 1.1, "lines.markersize": 4,
    "axes.spines.top": False, "axes.spines.right": False,
    "axes.grid": True, "grid.color": "#e5e5e5", "grid.linewidth": 0.5,
    "svg.hashsalt": "crowdgold", "svg.fonttype": "path", "pdf.fonttype": 42,
}  # fmt: skip


@cache
def _prefer_fonts_of_matplotlib() -> None:
    """Its DejaVu Sans comes before a machine's, which may be of another version."""
    fonts = Path(mpl.get_data_path())
    for font in sorted(fonts.glob("fonts/ttf/DejaVuSans*.ttf")):
        fontManager.addfont(font)
    # Of two fonts of one name the first is taken.
    fontManager.ttflist.sort(key=lambda font: fonts not in Path(font.fname).parents)


def new_figure(
    rows: int, columns: int, height: float, width: float = PAGE_WIDTH
) -> tuple[Figure, list[list[Axes]]]:
    """A figure with a grid of panels."""
    _prefer_fonts_of_matplotlib()
    mpl.rcParams.update(RC)
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False)
    return figure, [list(row) for row in axes]


def method_order(methods: pd.Series) -> list[str]:
    """The methods of a table in the order of the legend: known ones first."""
    return in_order(dict.fromkeys(methods), (*FIGURES, *OTHER_STYLES))


def style_of(method: str) -> Style:
    """A method's style; a variant `METHOD (how)` looks like its method, dotted."""
    for name in (method, method.split(" ")[0]):
        known = METHODS.get(name)
        style = OTHER_STYLES.get(name) or (known and known.style)
        if style:
            return style if name == method else style._replace(line=":")
    return UNKNOWN._replace(line=":")


def _fold_footer(figure: Figure) -> None:
    """Break the lines below a figure that are wider than it."""
    if footer := figure.get_supxlabel():
        # A character takes some .6 of its height.
        most = int(figure.get_figwidth() * 72 / (0.6 * FOOTER_SIZE))
        lines = [part for line in footer.split("\n") for part in textwrap.wrap(line, most)]
        if lines != footer.split("\n"):
            figure.supxlabel("\n".join(lines), fontsize=FOOTER_SIZE)


def save_figure(figure: Figure, shown: pd.DataFrame, stem: Path, note: str = "") -> None:
    """Write STEM.svg, .pdf, .png and .csv; equal input gives equal bytes.

    Each is written to a temporary name first, then renamed. A `note` stands below the figure.
    """
    stem.parent.mkdir(parents=True, exist_ok=True)
    # `Figure.savefig` would draw everything twice for each format, once to find the layout again.
    write: dict[str, Callable[..., Any]] = {
        "svg": FigureCanvasSVG(figure).print_svg,
        "pdf": FigureCanvasPdf(figure).print_pdf,
        "png": FigureCanvasAgg(figure).print_png,
    }
    with mpl.rc_context(RC):
        _fold_footer(figure)
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        if note:
            width, height = figure.get_size_inches()
            figure.text(0.01, -NOTE_HEIGHT / 2 / height, note, fontsize=6, color="#AA3300",
                        verticalalignment="center")  # fmt: skip
            page = Bbox([[0, -NOTE_HEIGHT], [width, height]])
            for ending in write:
                write[ending] = partial(figure.savefig, format=ending, bbox_inches=page, dpi=DPI)
        for ending, write_to in write.items():
            figure.dpi = DPI
            with unfinished(stem.with_name(f"{stem.name}.{ending}")) as own:
                write_to(own, metadata=METADATA[ending])
    with unfinished(stem.with_name(f"{stem.name}.csv")) as own:
        write_spreadsheet(shown, own, "%.6g")


def legend_above(figure: Figure, panel: Axes, columns: int = 0) -> None:
    """Name what a panel shows above all panels, in a line or in some columns."""
    handles, labels = panel.get_legend_handles_labels()
    columns = columns or len(labels)
    figure.legend(handles, labels, loc="outside upper center", ncols=columns, frameon=False)


def legend_beside(figure: Figure, *panels: Axes) -> None:
    """Name what panels show to their right, each name once."""
    handles: dict[str, Artist] = {}
    for panel in panels:
        artists, labels = panel.get_legend_handles_labels()
        handles |= dict(zip(labels, artists, strict=True))
    figure.legend(list(handles.values()), list(handles), loc="outside right center", frameon=False)


def draw_points(
    axes: Axes, x: Any, y: Any, error: Any, look: Style, line: str = "none", **more: Any
) -> None:
    """Draw points with bars of one `error` (or two rows of ends) to each side, joined by a line."""
    how = {"linestyle": line, "elinewidth": 0.8, "capsize": 1.5, **more}
    axes.errorbar(x, y, yerr=error, color=look.colour, marker=look.marker, **how)


def draw_band(axes: Axes, x: Any, low: Any, high: Any, colour: str, alpha: float) -> None:
    """Draw a band without edges."""
    axes.fill_between(x, low, high, color=colour, alpha=alpha, linewidth=0)


def log_ticks(axes: Axes, places: Sequence[float], texts: Sequence[str], **how: Any) -> None:
    """Make the horizontal axis logarithmic, with ticks at some places alone."""
    axes.set_xscale("log")
    axes.set_xticks(places, texts, **how)
    axes.xaxis.set_minor_locator(NullLocator())


MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
LINES = ("-", "--", ":", "-.")
FILLS = ("full", "none", "left", "bottom")
"""Line, and filled part of the marker, of each of a method's lines, where it has several."""
OF_A_METHOD = "method_settings."
"""How the names of columns begin that vary a setting of one method, on the same data."""


def numbered_style(index: int) -> Style:
    """Colour and marker of a line that is no method's."""
    return Style(COLOURS[index % len(COLOURS)], MARKERS[index % len(MARKERS)])


class Series(NamedTuple):
    """One line: its legend, its look, its rows, and which part of its markers is filled."""

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
    if not columns:
        return [rows]
    keys = rows[columns].map(value_text).agg("\n".join, axis=1)
    return [rows[keys == key] for key in dict.fromkeys(keys)]


def split_series(table: pd.DataFrame, by: Sequence[str], names: Mapping[str, Any]) -> list[Series]:
    """Split the rows of a table into lines: a method, and a value of each column of `by`.

    Lines are in the order of the legend, values in that of the table. A column that varies another
    method's setting makes no lines: its first value stands for all. Colour and marker are the
    method's; the line, and how much of the marker is filled, are the value's where there are
    several.
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
            look, place = style_of(method), index % len(LINES)
            if len(parts) > 1:
                look = look._replace(line=LINES[place])
            series.append(Series(", ".join([method, *words]), look, part, FILLS[place]))
    return series


def draw_line(
    axes: Axes, line: Series, x: str, value: str, error: str | None = None, shift: float = 0.0
) -> None:
    """Draw a line of columns of its rows, at x + shift so that its bars can be told apart."""
    rows = line.rows.sort_values(x)
    draw_points(
        axes, rows[x] + shift, rows[value], None if error is None else rows[error], line.look,
        line.look.line, fillstyle=line.fill, markerfacecoloralt="white", markeredgewidth=0.8,
        label=line.label,
    )  # fmt: skip


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
    """Say how many replicates (each: ` a day`) a summary rests on, and what its bars are."""
    bars = ", so that there are no bars of its error"
    if shown["replicates"].max() > 1:
        bars = "; bars are one standard error"
    return f"{count_replicates(shown['replicates'])}{each}{bars}"
