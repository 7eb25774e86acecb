"""Names that users chose - of models, say - as figures can draw them."""

import unicodedata
from collections.abc import Sequence
from functools import cache

from matplotlib.font_manager import FontProperties, findfont
from matplotlib.ft2font import FT2Font

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


def drawn_names(names: Sequence[str], what: str = "model") -> dict[str, str]:
    """Each name as it is drawn: as it is where the font has its letters and it is short.

    Args:
        names: distinct names.
        what: the word for one of them; a name that cannot be drawn, or not be told from another
            once shortened, is called by it and its number, as `model 2`.
    """
    short = [_shorter(name) if _can_be_drawn(name) else "" for name in names]
    return {
        name: one if one and short.count(one) == 1 else f"{what} {place}"
        for place, (name, one) in enumerate(zip(names, short, strict=True), start=1)
    }


def literal(text: str) -> str:
    """Keep matplotlib from reading mathematics between dollar signs, and from hiding `_names`."""
    shown = text.replace("$", r"\$")
    return f" {shown}" if shown.startswith("_") else shown
