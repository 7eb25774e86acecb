"""What an object holds, on one screen: as text, and as a table in a notebook."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from html import escape

WIDTH, NAME = 80, 12
"""Columns of what is printed, and of a name in it."""
MOST_LINES = 40
Known = Mapping[str, str | Sequence[str]]


def visible(text: str) -> str:
    r"""A text in which what cannot be printed is written out, as \x1b."""
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def first_lines(lines: Sequence[str], most: int = MOST_LINES) -> str:
    """The lines of a screen, and how many more there are; one more is shown in that place."""
    left = len(lines) - most
    return "\n".join([*lines[:most], f"... {left:,} more"] if left > 1 else lines)


class Shown:
    """An object that is shown by facts about it, and not by the whole of what it holds."""

    most_lines = MOST_LINES

    def facts(self) -> Known:
        """Name -> what is to be known, in one text or several."""
        raise NotImplementedError

    def _texts(self) -> Iterator[tuple[str, list[str]]]:
        for name, told in self.facts().items():
            yield name, [visible(one) for one in ([told] if isinstance(told, str) else told)]

    def __repr__(self) -> str:
        lines = [type(self).__name__]
        for name, texts in self._texts():
            for place, text in enumerate(texts):
                start = f"  {name if place == 0 else '':<{NAME}}"
                after = " " * len(start)
                lines += textwrap.wrap(text, WIDTH, initial_indent=start, subsequent_indent=after)
        return first_lines(lines, self.most_lines)

    def _repr_html_(self) -> str:
        """The same as a table, for notebooks."""
        rows = (
            f"<tr><th>{escape(name)}</th><td>{'<br>'.join(map(escape, texts[:MOST_LINES]))}</td>"
            "</tr>"
            for name, texts in self._texts()
        )
        return f"<table><caption>{type(self).__name__}</caption>{''.join(rows)}</table>"


class Told:
    """An object that is shown by a text about it."""

    @property
    def text(self) -> str:
        """All that is to be said."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return first_lines([visible(line) for line in self.text.split("\n")])

    def _repr_html_(self) -> str:
        """The same, for notebooks."""
        return f"<pre>{escape(repr(self))}</pre>"
