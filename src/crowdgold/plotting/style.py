"""One look for all figures: a colour and marker for each method, sizes, and byte-stable files."""

import textwrap
from functools import partial
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.font_manager import fontManager
from matplotlib.transforms import Bbox

from crowdgold.data.outputs import unfinished
from crowdgold.data.spreadsheet import write_spreadsheet
from crowdgold.methods import METHODS
from crowdgold.methods.method import Style
from crowdgold.methods.order import FIGURES, in_order

PAGE_WIDTH = 7.0
"""Inches; a figure that spans two columns."""
COLUMN_WIDTH = 3.6
"""Inches; a figure that spans one column, or a telephone."""
FOOTER_SIZE = 7
"""Points; the lines below a figure."""


UNKNOWN = Style("#0072B2", "X")
OTHER_STYLES = {
    "random stratified": Style("#AA8866", "s", ":"),
    "tie-breaking": Style("#222255", "X", "none"),
}
"""Of what is compared with methods and is none."""
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
"""Without what would differ from one drawing to the next."""
NOTE_HEIGHT = 0.16
"""Inches; a line of warning at the foot of a figure."""
DPI = 200
"""Resolution of the PNG."""

RC: Any = {
    "font.size": 8,
    "axes.titlesize": 9,
    "axes.labelsize": 8,
    "legend.fontsize": 8,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "lines.linewidth": 1.1,
    "lines.markersize": 4,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#e5e5e5",
    "grid.linewidth": 0.5,
    "svg.hashsalt": "crowdgold",
    "svg.fonttype": "path",
    "pdf.fonttype": 42,
}


def _prefer_own_fonts() -> None:
    """Draw with matplotlib's own DejaVu Sans, since a machine's, of another version, differs."""
    own = Path(mpl.get_data_path())
    for font in sorted(own.glob("fonts/ttf/DejaVuSans*.ttf")):
        fontManager.addfont(font)
    # Of two fonts of one name the first is taken.
    fontManager.ttflist.sort(key=lambda font: own not in Path(font.fname).parents)


_prefer_own_fonts()


def new_figure(
    rows: int, columns: int, height: float, width: float = PAGE_WIDTH
) -> tuple[Figure, list[list[Axes]]]:
    """Make a figure with a grid of panels, as wide as a page where nothing else is said."""
    mpl.rcParams.update(RC)
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False)
    return figure, [list(row) for row in axes]


def method_order(methods: pd.Series) -> list[str]:
    """The methods of a table in the order of the legend: known ones first."""
    return in_order(dict.fromkeys(methods), (*FIGURES, *OTHER_STYLES))


def style_of(method: str) -> Style:
    """A method's style; a variant `METHOD (how)` looks like its method, dotted."""
    if method in OTHER_STYLES:
        return OTHER_STYLES[method]
    known = METHODS.get(method)
    if known and known.style:
        return known.style
    base = METHODS.get(method.split(" ")[0])
    return ((base and base.style) or UNKNOWN)._replace(line=":")


def _fold_footer(figure: Figure) -> None:
    """Break the lines below a figure that are wider than it."""
    if footer := figure.get_supxlabel():
        # A character takes some .6 of its height.
        most = int(figure.get_figwidth() * 72 / (0.6 * FOOTER_SIZE))
        lines = [part for line in footer.split("\n") for part in textwrap.wrap(line, most)]
        if lines != footer.split("\n"):
            figure.supxlabel("\n".join(lines), fontsize=FOOTER_SIZE)


def _page_with_note(figure: Figure, note: str) -> Bbox:
    """Write a note below a figure, and give the page that holds both, in inches."""
    width, height = figure.get_size_inches()
    middle = -NOTE_HEIGHT / 2 / height
    figure.text(0.01, middle, note, fontsize=6, color="#AA3300", verticalalignment="center")
    return Bbox([[0, -NOTE_HEIGHT], [width, height]])


def save_figure(figure: Figure, shown: pd.DataFrame, stem: Path, note: str = "") -> None:
    """Write STEM.svg, .pdf, .png and .csv; equal input gives equal bytes.

    Each is written to a temporary name first, then renamed. A `note` stands below the figure.
    """
    stem.parent.mkdir(parents=True, exist_ok=True)
    # `Figure.savefig` would draw everything twice for each format, once to find the layout again.
    write = {
        "svg": partial(FigureCanvasSVG(figure).print_svg, metadata=METADATA["svg"]),
        "pdf": partial(FigureCanvasPdf(figure).print_pdf, metadata=METADATA["pdf"]),
        "png": partial(FigureCanvasAgg(figure).print_png, metadata=METADATA["png"]),
    }
    with mpl.rc_context(RC):
        _fold_footer(figure)
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        if note:
            page = _page_with_note(figure, note)
            write = {
                ending: partial(
                    figure.savefig,
                    format=ending,
                    bbox_inches=page,
                    dpi=DPI,
                    metadata=METADATA[ending],
                )
                for ending in write
            }
        for ending, write_to in write.items():
            figure.dpi = DPI
            with unfinished(stem.with_name(f"{stem.name}.{ending}")) as own:
                write_to(own)
    with unfinished(stem.with_name(f"{stem.name}.csv")) as own:
        write_spreadsheet(shown, own, "%.6g")


def legend_above(figure: Figure, panel: Axes, columns: int = 0) -> None:
    """Name what a panel shows above all panels, in a line or in some columns."""
    handles, labels = panel.get_legend_handles_labels()
    columns = columns or len(labels)
    figure.legend(handles, labels, loc="outside upper center", ncols=columns, frameon=False)
