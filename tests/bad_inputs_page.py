"""The tables of bad inputs on docs/reliability.md, from the cases and from what the command says.

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
COUNTED = re.compile(r"^(\|.*\| `(\w+)\.py`)[^|]*\|$", re.MULTILINE)
"""A row of the table of kinds: a module of cases, and how many it has."""
HEADER = "| files | what `crowdgold check` says |\n|---|---|\n"
SAID = re.compile(re.escape(HEADER) + r"(?:\|.*\n)+")
LONGEST = 230
"""Characters of a message that the page shows. Other files than gold are told the same of names."""


def _said(case: Case) -> str:
    """What is said of a case in an empty folder: its first sentences."""
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        case.make_files(Path())
        _, _, err = case.run()
    said = " ".join(err.split()).removeprefix("Error: ")
    shown = said if len(said) <= LONGEST else said[:LONGEST].rpartition(" ")[0] + " ..."
    return shown.replace("|", r"\|")


def with_tables(page: str) -> str:
    """The page with both tables as they are now."""
    from unit.test_bad_inputs import MODULES  # here: the module imports this one

    number = {module.__name__.rpartition(".")[2]: len(module.CASES) for module in MODULES}
    page = COUNTED.sub(lambda row: f"{row[1]}: {number.pop(row[2])} |", page)
    assert not number, f"no row of the page has the cases of {', '.join(number)}"
    rows = [
        f"| {case.where}: {case.what} | {_said(case)} |"
        for case in reading.CASES
        if case.command == "check" and case.where not in ("scores", "strata", "weights")
    ]  # fmt: skip
    return SAID.sub(lambda _: HEADER + "\n".join(rows) + "\n", page, count=1)


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
