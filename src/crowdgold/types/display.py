"""What an object holds, on one screen: as text, and as a table in a notebook."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from html import escape

WIDTH, NAME_WIDTH = 80, 12
"""Characters of a printed line, and the fewest that a fact's name takes in it."""
MOST_LINES = 40
ShownFacts = Mapping[str, str | Sequence[str]]


def visible(text: str) -> str:
    r"""A text in which what cannot be printed is written out, as \x1b."""
    return "".join(one if one.isprintable() else ascii(one)[1:-1] for one in text)


def first_lines(
    lines: Sequence[str], most: int = MOST_LINES, whole: str = "", indent: int = 0
) -> str:
    """The first lines as one text, and how many more there are; a single one more is shown."""
    left = len(lines) - most
    more = f"{' ' * indent}... {left:,} more {whole}".rstrip()
    return "\n".join([*lines[:most], more] if left > 1 else lines)


class Shown:
    """An object that is shown by facts about it, and not by the whole of what it holds."""

    most_lines = MOST_LINES
    kept: tuple[str, ...] = ()
    """Names of facts, the last ones, that are shown also where others are left out."""
    whole = ""
    """How to see what is left out, in words."""

    def facts(self) -> ShownFacts:
        """What is shown: the name of a fact -> its text, or several."""
        raise NotImplementedError

    def _texts(self) -> Iterator[tuple[str, list[str]]]:
        for name, texts in self.facts().items():
            yield name, [visible(one) for one in ([texts] if isinstance(texts, str) else texts)]

    def __repr__(self) -> str:
        first, kept = [type(self).__name__], list[str]()
        known = list(self._texts())
        wide = max([NAME_WIDTH, *(len(name) + 1 for name, _ in known)])
        for name, texts in known:
            for place, text in enumerate(texts):
                start = f"  {name if place == 0 else '':<{wide}}"
                after = " " * len(start)
                lines = kept if name in self.kept else first
                lines += textwrap.wrap(text, WIDTH, initial_indent=start, subsequent_indent=after)
        most = max(1, self.most_lines - len(kept))
        return "\n".join([first_lines(first, most, self.whole), *kept])

    def _repr_html_(self) -> str:
        """The same as a table, for notebooks."""
        rows = (
            f"<tr><th>{escape(name)}</th><td>{'<br>'.join(map(escape, texts[:MOST_LINES]))}</td>"
            "</tr>"
            for name, texts in self._texts()
        )
        return f"<table><caption>{type(self).__name__}</caption>{''.join(rows)}</table>"


class ShownText:
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
