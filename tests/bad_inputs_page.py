"""Writes the tables of bad inputs on docs/reliability.md: the cases, and the command's messages.

`python tests/bad_inputs_page.py` runs the cases of `reading`, and writes both tables into the page.
"""

import contextlib
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from unit.bad_inputs import reading
from unit.bad_inputs.case import Case

PAGE = Path(__file__).resolve().parents[1] / "docs/reliability.md"
ROW_OF_KIND = re.compile(r"^(\|.*\| `(\w+)\.py`)[^|]*\|$", re.MULTILINE)
"""A row of the table of kinds: a module of cases, and how many it has."""
HEADER = "| files | what `crowdgold check` says |\n|---|---|\n"
MESSAGES = re.compile(re.escape(HEADER) + r"(?:\|.*\n)+")
"""The whole table of messages."""
LONGEST = 230
"""Characters of a message that the page shows."""


def _message(case: Case) -> str:
    """The beginning of the error message of a case, run in an empty folder."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        case.make_files(Path())
        _, _, err = case.run()
    message = " ".join(err.split()).removeprefix("Error: ")
    shown = message if len(message) <= LONGEST else message[:LONGEST].rpartition(" ")[0] + " ..."
    return shown.replace("|", r"\|")


def with_tables(page: str) -> str:
    """The page with both tables as they are now."""
    from unit.test_bad_inputs import MODULES  # here: the module imports this one

    number = {module.__name__.rpartition(".")[2]: len(module.CASES) for module in MODULES}
    page = ROW_OF_KIND.sub(lambda row: f"{row[1]}: {number.pop(row[2])} |", page)
    assert not number, f"no row of the page has the cases of {', '.join(number)}"
    rows = [
        f"| {case.where}: {case.what} | {_message(case)} |"
        for case in reading.CASES
        # Other files than gold get the same messages on names.
        if case.command == "check" and case.where not in ("scores", "strata", "weights")
    ]  # fmt: skip
    return MESSAGES.sub(lambda _: HEADER + "\n".join(rows) + "\n", page, count=1)


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
