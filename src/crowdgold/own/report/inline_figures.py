"""Figures for a page that stands alone, SVG inside HTML and PDF; names that users chose in them."""

import io
import re
import unicodedata
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache

import matplotlib as mpl
from markupsafe import Markup, escape
from matplotlib.backends.backend_pdf import FigureCanvasPdf, PdfPages
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties, findfont
from matplotlib.ft2font import FT2Font

from crowdgold.data.shown import Known, Shown
from crowdgold.plotting.style import RC, SVG_METADATA

PROLOG = re.compile(r"^.*?(?=<svg)", re.DOTALL)
REMARKS = re.compile(r"<!--.*?-->|<metadata>.*?</metadata>", re.DOTALL)
OPENING = re.compile(r"<svg[^>]*?viewBox=\"([^\"]*)\"[^>]*>", re.DOTALL)
NAMED = re.compile(r'\bid="([^"]+)"')
REFERRED = re.compile(r'(url\(#|href="#)([^)"]+)')
SPACES = re.compile(r">\s+<")
FRACTIONS = re.compile(r"(\d+\.\d{3})\d+")


@dataclass(frozen=True, repr=False)
class StudyFigure(Shown):
    """A figure with the words around it.

    Attributes:
        name: its identifier in the page, letters, digits and hyphens.
        title: a heading.
        caption: what it shows, for readers who see it.
        description: what it shows with its numbers, for those who do not.
        figure: the drawing, whose layout is settled here.
    """

    name: str
    title: str
    caption: str
    description: str
    figure: Figure

    def __post_init__(self) -> None:
        """Lay the figure out."""
        settle(self.figure)

    def facts(self) -> Known:
        """Its heading, and what it shows."""
        return {"title": self.title, "caption": self.caption}

    def _repr_html_(self) -> str:
        """The drawing, for notebooks."""
        return str(inline_svg(self))


@contextmanager
def _drawing() -> Iterator[None]:
    """Draw in the project's style; letters that the font lacks are boxes, without a warning."""
    with mpl.rc_context(RC), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        yield


def settle(figure: Figure) -> None:
    """Lay a figure out for good, so that each format does not find its layout again."""
    with _drawing():
        figure.draw_without_rendering()
    figure.set_layout_engine("none")


def inline_svg(one: StudyFigure) -> Markup:
    """Draw a figure as SVG that can stand in an HTML page beside others.

    It scales with the page; its identifiers begin with its name; a title and a description tell
    those who cannot see it what it shows.
    """
    with _drawing():
        written = io.StringIO()
        FigureCanvasSVG(one.figure).print_svg(written, metadata=SVG_METADATA)
    drawn = REMARKS.sub("", PROLOG.sub("", written.getvalue()))
    opening = OPENING.search(drawn)
    assert opening, "matplotlib writes a viewBox"
    body = drawn[opening.end() :]
    body = NAMED.sub(rf'id="{one.name}-\1"', body)
    body = REFERRED.sub(rf"\1{one.name}-\2", body)
    body = FRACTIONS.sub(r"\1", SPACES.sub("><", body))
    names = f"{one.name}-title {one.name}-desc"
    return Markup(  # noqa: S704 - matplotlib's own drawing, and words that are escaped here
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'viewBox="{opening[1]}" role="img" aria-labelledby="{names}">'
        f'<title id="{one.name}-title">{escape(one.title)}</title>'
        f'<desc id="{one.name}-desc">{escape(one.description)}</desc>{body}'
    )


def pdf_pages(figures: Sequence[StudyFigure], creator: str) -> bytes:
    """Figures as a PDF that names its creator, a page each; equal figures give equal bytes."""
    written = io.BytesIO()
    about = {"Creator": creator, "CreationDate": None}
    with _drawing(), PdfPages(written, metadata=about) as pages:
        for one in figures:
            # `savefig` would draw everything twice.
            FigureCanvasPdf(one.figure).print_pdf(pages)
    return written.getvalue()


LONGEST = 22
"""Characters of a name that are drawn."""


@cache
def _glyphs() -> frozenset[int]:
    """The characters that the figures' font has."""
    return frozenset(FT2Font(findfont(FontProperties())).get_charmap())


def _can_be_drawn(name: str) -> bool:
    letters = all(ord(letter) in _glyphs() for letter in name)
    return bool(name.strip()) and letters and all(map(_is_seen, name))


def _is_seen(letter: str) -> bool:
    return not unicodedata.category(letter).startswith("C")


def _shorter(name: str) -> str:
    if len(name) <= LONGEST:
        return name
    half = (LONGEST - 1) // 2
    return f"{name[:half]}…{name[-half:]}"


def drawn_names(names: Sequence[str]) -> dict[str, str]:
    """Each name as it is drawn: as it is where the font has its letters and it is short.

    Args:
        names: distinct names of models; one that cannot be drawn, or not be told from another
            once shortened, is called by its number, as `model 2`.
    """
    short = [_shorter(name) if _can_be_drawn(name) else "" for name in names]
    return {
        name: one if one and short.count(one) == 1 else f"model {place}"
        for place, (name, one) in enumerate(zip(names, short, strict=True), start=1)
    }


def literal(text: str) -> str:
    """Keep matplotlib from reading mathematics between dollar signs, and from hiding `_names`."""
    shown = text.replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown
