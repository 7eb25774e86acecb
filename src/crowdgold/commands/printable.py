"""Text that a terminal shows and does not obey: names and files may hold its commands."""

import argparse
import re
from typing import IO

CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u061c\u202a-\u202e\u2066-\u2069]")
"""C0 and C1 controls but for tabs and line feeds, other ends of lines, and turns of direction."""


def visible(text: str) -> str:
    r"""A text whose control characters are written out, as \x1b."""
    return CONTROLS.sub(lambda found: ascii(found[0])[1:-1], text)


class Parser(argparse.ArgumentParser):
    """A parser whose messages, which may hold values of a study file, go out as `visible`."""

    def _print_message(self, message: str, file: IO[str] | None = None) -> None:  # type: ignore[override]
        super()._print_message(visible(message or ""), file)
