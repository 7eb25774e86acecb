"""One look for all figures: a colour and marker for each method, sizes, and byte-stable files."""

import textwrap
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import matplotlib as mpl
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox

from crowdgold.data.files import unfinished
from crowdgold.data.spreadsheet import write_spreadsheet

PAGE_WIDTH = 7.0
"""Inches; a figure that spans two columns."""
COLUMN_WIDTH = 3.6
"""Inches; a figure that spans one column, or a telephone."""
FOOTER_SIZE = 7
"""Points; the lines below a figure."""


class MethodStyle(NamedTuple):
    """How a method looks in every figure."""

    colour: str
    marker: str
    line: str = "-"


METHOD_STYLES = {
    "MV": MethodStyle("#999999", "s", ":"),
    "GT": MethodStyle("#000000", "o"),
    "GT+MV": MethodStyle("#E69F00", "D", ":"),
    "DS": MethodStyle("#56B4E9", "v", "--"),
    "ORACLE": MethodStyle("#CC79A7", "P", "--"),
    "DS+S": MethodStyle("#009E73", "<", "--"),
    "H-AI": MethodStyle("#F0E442", ">", "--"),
    "MAVEN": MethodStyle("#D55E00", "^"),
    "MAVEN-C": MethodStyle("#0072B2", "h"),
    "MAVEN-CS": MethodStyle("#6699CC", "*", ":"),
    "MAVEN-R": MethodStyle("#882255", "d"),
    "score-R": MethodStyle("#AA4499", "X"),
    "votes-R": MethodStyle("#999933", "8"),
    "logistic-R": MethodStyle("#44AA99", "p"),
    "AutoEval": MethodStyle("#661100", "h", ":"),
    "AutoEval+MAVEN": MethodStyle("#332288", "H"),
    "CLARA": MethodStyle("#117733", "o"),
    "CLARA+S": MethodStyle("#88CC66", "s", "--"),
    "CLARA-printed": MethodStyle("#CC6677", "v", "--"),
    "CLARA-ordered": MethodStyle("#004488", "^", "-."),
    "Rogan-Gladen": MethodStyle("#2255AA", "D"),
    "Rogan-Gladen-adjusted": MethodStyle("#33BBCC", "d", "--"),
    "Rogan-Gladen-Bayes": MethodStyle("#771155", "v"),
    "PPI++": MethodStyle("#CC8800", "P", "-."),
    "MAVEN-votes": MethodStyle("#BB4411", "<", "--"),
    "PEC": MethodStyle("#AA3377", "D"),
    "PEC-two-way": MethodStyle("#EE8866", "s", "--"),
    "PEC-posterior": MethodStyle("#225522", "*", "-."),
    "Snorkel": MethodStyle("#DDAA33", "D", "--"),
    "random stratified": MethodStyle("#AA7744", "s", ":"),
    "tie-breaking": MethodStyle("#222255", "X", "none"),
}
"""Colours of Okabe and Ito, and of Tol for what gold corrects: the colour-blind can tell them
apart, with the markers."""

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


def new_figure(
    rows: int, columns: int, height: float, width: float = PAGE_WIDTH
) -> tuple[Figure, list[list[Axes]]]:
    """Make a figure with a grid of panels, as wide as a page where nothing else is said."""
    mpl.rcParams.update(RC)
    figure = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False)
    return figure, [list(row) for row in axes]


def method_order(methods: pd.Series) -> list[str]:
    """The methods of a table in the order of the legend: known ones first, as styled."""
    present = list(dict.fromkeys(methods))
    return [m for m in METHOD_STYLES if m in present] + [
        m for m in present if m not in METHOD_STYLES
    ]


def style_of(method: str) -> MethodStyle:
    """A method's style; a variant `METHOD (how)` looks like its method, dotted."""
    if method in METHOD_STYLES:
        return METHOD_STYLES[method]
    base = METHOD_STYLES.get(method.split(" ")[0], MethodStyle("#0072B2", "X"))
    return base._replace(line=":")


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
