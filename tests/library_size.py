"""The size of the library by rooms, as the table of docs/contributing.md.

`python tests/library_size.py` counts, and writes the table into the page.
"""

import ast
import re
from collections import Counter
from pathlib import Path

from crowdgold.experiment.dependencies import rule_files
from crowdgold.record.imports import package_root

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs/contributing.md"
KINDS = ("code", "signatures", "words", "imports", "blank")
"""Kinds of lines. Words are docstrings and comments; signatures begin with their decorators."""
NO_ROOM, ALL, DRAWING = "no room", "all", "a job that draws `maven_fig4`"
HEADER = ("room", "files", "lines", *KINDS)
TABLE = re.compile(rf"^\| {HEADER[0]} \|.*\n(?:\|.*\n)+", re.MULTILINE)


def kinds_of(code: str) -> Counter[str]:
    """How many lines of a file are of each kind."""
    lines = code.splitlines()
    kinds = ["code"] * len(lines)

    def mark(first: int, last: int, kind: str) -> None:
        kinds[first - 1 : last] = [kind] * (last - first + 1)

    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Import | ast.ImportFrom):
            mark(node.lineno, node.end_lineno, "imports")
        elif isinstance(node, ast.FunctionDef | ast.ClassDef):
            first = min(one.lineno for one in (node, *node.decorator_list))
            mark(first, node.body[0].lineno - 1, "signatures")
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            mark(node.lineno, node.end_lineno, "words")
    for place, line in enumerate(lines):
        if line.strip().startswith("#") and kinds[place] != "words":
            kinds[place] = "words"
        elif not line.strip() and kinds[place] != "words":
            kinds[place] = "blank"
    return Counter(kinds)


def size_of(files: list[Path]) -> Counter[str]:
    """How many files there are, and their lines, in all and of each kind."""
    kinds = sum((kinds_of(path.read_text(encoding="utf-8")) for path in files), Counter())
    return Counter(kinds, files=len(files), lines=kinds.total())


def sizes() -> dict[str, Counter[str]]:
    """The size of each room, of all, and of what a job that draws data depends on."""
    rooms: dict[str, list[Path]] = {}
    for path in sorted(package_root().rglob("*.py")):
        room, *inside = path.relative_to(package_root()).parts
        rooms.setdefault(room if inside else NO_ROOM, []).append(path)
    ordered = sorted(rooms, key=lambda room: (room == NO_ROOM, room))
    used = {"simulator": ["irt"], "dataset": []}
    return {
        **{room: size_of(rooms[room]) for room in ordered},
        ALL: size_of([path for files in rooms.values() for path in files]),
        DRAWING: size_of(rule_files(ROOT / "scripts/simulate.py", used)),
    }


def off(told: dict[str, Counter[str]], found: dict[str, Counter[str]]) -> list[str]:
    """The numbers of a table that are a tenth off, and more than some lines or files."""
    return [
        f"{room}: {kind}"
        for room in {**told, **found}
        for kind in HEADER[1:]
        for one, other in [(told.get(room, Counter())[kind], found.get(room, Counter())[kind])]
        if abs(one - other) > max(other / 10, 3 if kind == "files" else 50)
    ]


def table_of(found: dict[str, Counter[str]]) -> str:
    """The table of the page."""
    rows = [HEADER, ("---",) * len(HEADER)]
    rows += [(room, *(f"{own[kind]:,}" for kind in HEADER[1:])) for room, own in found.items()]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def printed(page: str) -> dict[str, Counter[str]]:
    """The numbers of the table in a page."""
    _, _, *rows = TABLE.search(page).group().splitlines()
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    return {
        room: Counter({kind: int(one.replace(",", "")) for kind, one in
                       zip(HEADER[1:], own, strict=True)})
        for room, *own in cells
    }  # fmt: skip


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(TABLE.sub(table_of(sizes()), text), encoding="utf-8")
