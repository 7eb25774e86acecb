"""Characters that no text of a study holds: NUL, and half a character (an unpaired surrogate)."""

import json
import re
from pathlib import Path
from typing import Any

from crowdgold.data.errors import InputError

NUL_WRITTEN = re.compile(r"(?<!\\)(?:\\\\)*\\u0000")
"""In JSON, where a backslash may itself be written by two."""
NUL = "a NUL byte"
HALF = "half a character (an unpaired surrogate)"
ESCAPED = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")
"""How JSON writes them; two halves that follow each other are one good character."""
MEND = "expected text; write the file anew, as UTF-8"
BLOCK = 1 << 20


def check_json_text(text: str, found: Any, where: str) -> None:
    """Raise an `InputError` where JSON holds a character that no text of a study holds.

    Args:
        found: what was read from it.
        where: how messages name it.
    """
    if not ESCAPED.search(text):
        return
    plain = json.dumps(found, ensure_ascii=False)
    if NUL_WRITTEN.search(plain):
        raise InputError(f"{where}: found {NUL}, {MEND}")
    try:
        plain.encode()
    except UnicodeEncodeError:
        raise InputError(f"{where}: found {HALF}, {MEND}") from None


def check_text_file(path: Path) -> None:
    """Raise an `InputError` that names the first line of a file with a NUL byte."""
    lines = 1
    with path.open("rb") as file:
        while block := file.read(BLOCK):
            place = block.find(b"\0")
            if place >= 0:
                lines += block.count(b"\n", 0, place)
                raise InputError(
                    f"{path} cannot be read as {path.suffix[1:]}: line {lines} has {NUL}; save it "
                    "as UTF-8"
                )
            lines += block.count(b"\n")
