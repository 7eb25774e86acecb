"""A how-to page from its template: commands are run, and what they print stands below them.

A template is Markdown with three kinds of blocks that are filled:

    ```data votes.csv gold.csv      the first rows of files, side by side
    ```labelled batch.csv           the same of a file in whose column gold an expert wrote labels,
                                    here from truth.csv
    ```output                       what the `sh` block before it prints: all of it; or, where the
    gold                            block names them, the entries that begin so, with what is
    ...                             indented below; `NAME ...` is its first line alone, and a line
    ```                             of dots stays
    # output                        in a `python` block: the value of the line before it
"""

import contextlib
import io
import json
import shlex
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

FENCE = "```"
ROWS = 2
"""Rows of a file that are shown below its header."""
GAP = 4
DOTS = "..."

Run = Callable[[list[str]], int]


def write_files(contents: Mapping[str, Any], folder: Path) -> None:
    """Write each table as NAME.csv, and what is none as NAME.json."""
    for name, one in contents.items():
        if isinstance(one, pd.DataFrame):
            one.to_csv(folder / f"{name}.csv", index=False)
        else:
            (folder / f"{name}.json").write_text(json.dumps(one), encoding="utf-8")


def _beside(folder: Path, names: list[str]) -> Iterator[str]:
    """The first rows of files, side by side."""
    columns = []
    for name in names:
        with (folder / name).open(encoding="utf-8") as file:
            lines = [line.rstrip("\n") for line, _ in zip(file, range(ROWS + 1), strict=False)]
        columns.append([name, *lines])
    widths = [max(map(len, column)) + GAP for column in columns]
    for row in zip(*columns, strict=True):
        yield "".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _label(folder: Path, name: str) -> None:
    """Fill the column gold of a file with the labels that truth.csv has."""
    sent, truth = (pd.read_csv(folder / one, dtype="string") for one in (name, "truth.csv"))
    known = truth.set_index("item")["gold"]
    sent.assign(gold=known.reindex(sent["item"]).to_numpy()).to_csv(folder / name, index=False)


def _printed(command: str, folder: Path, run: Run) -> list[str]:
    """Run a command in a folder, and give the lines of standard error, then of output."""
    program, *arguments = shlex.split(command.replace("\\\n", " "))
    if program != "crowdgold":
        raise ValueError(f"{command!r}: expected a command of crowdgold")
    error, output = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stderr(error),
        contextlib.redirect_stdout(output),
    ):
        run(arguments)
    lines = (error.getvalue() + output.getvalue()).splitlines()
    return [line for line in lines if "s so far" not in line]


def _entry(lines: list[str], name: str) -> list[str]:
    """The lines that begin with a name, each with what is indented below it."""
    short = name.endswith(DOTS)
    name = name.removesuffix(DOTS).rstrip() if short else name
    found: list[str] = []
    inside = False
    for line in lines:
        begins = line.startswith(name)
        inside = begins or (inside and line.startswith(" ") and not short)
        if inside:
            found.append(line)
        if begins and short:
            found.append(" " * 14 + DOTS)
            inside = False
    if not found:
        raise ValueError(f"nothing that is printed begins with {name!r}:\n" + "\n".join(lines))
    return found


def _evaluated(block: list[str], folder: Path) -> Iterator[str]:
    """Run Python line by line; `# output` becomes the value of the line before it."""
    known: dict[str, object] = {}
    for place, line in enumerate(block):
        if line == "# output":
            with contextlib.chdir(folder):
                exec("\n".join(block[: place - 1]), known)  # noqa: S102 (our own template)
                yield f"# {eval(block[place - 1], known)!r}"  # noqa: S307
        else:
            yield line


def _blocks(template: str) -> Iterator[tuple[str, list[str]]]:
    """Split a template into (what its fence says, lines); text outside of fences says nothing."""
    kind, lines = "", list[str]()
    inside = False
    for line in template.splitlines():
        if line.startswith(FENCE):
            yield kind, lines
            inside = not inside
            kind, lines = (line.removeprefix(FENCE) or "text" if inside else ""), []
        else:
            lines.append(line)
    yield kind, lines


def make_page(template: str, folder: Path, run: Run) -> str:
    """Fill a template.

    Args:
        template: its text.
        folder: holds the files that it names.
        run: the command line, `crowdgold.commands.main`.

    Raises:
        ValueError: where a command prints nothing of what the template names.
    """
    page: list[str] = []
    command = ""
    for kind, lines in _blocks(template):
        word, *names = kind.split() or [""]
        if not kind:
            page += lines
            continue
        if word == "sh":
            command = "\n".join(lines)
        shown = lines
        if word == "labelled":
            _label(folder, names[0])
        if word in ("data", "labelled"):
            shown = list(_beside(folder, names))
        elif word == "output":
            printed = _printed(command, folder, run)
            shown = [
                line
                for name in lines
                for line in ([name] if name == DOTS else _entry(printed, name))
            ] or printed
        elif word == "python":
            shown = list(_evaluated(lines, folder))
        fence = FENCE + (word if word not in ("data", "labelled", "output", "text") else "")
        page += [fence, *shown, FENCE]
    return "\n".join(page) + "\n"
