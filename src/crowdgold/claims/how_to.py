"""A how-to page or tutorial from its template: its commands are run, and their output shown.

A template is Markdown with blocks that are filled, or do something:

    ```data votes.csv gold.csv      the first rows of files, side by side
    ```labelled batch.csv           the same of a file in whose column gold an expert wrote labels,
                                    here from truth.csv
    ```output                       what the `sh` block before it prints: all of it; or, where the
    gold                            block names them, the entries that begin so, with what is
    ...                             indented below; `NAME ...` is its first line alone, and a line
    ```                             of dots stays
    ```sh run                       is run at once, and what it prints is not shown
    ```yaml mine.yaml               is written to that file too
    # output                        in a `python` block: the value of the line before it

Commands of crowdgold are run here, those of Snakemake in a process of its own: in a folder that has
the parts of the clone (`link_clone`).
"""

import contextlib
import io
import json
import shlex
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

FENCE = "```"
ROWS = 2  # rows of a file that are shown below its header
GAP = 4
DOTS = "..."

SNAKEMAKE = ".venv/bin/snakemake"
CLONE = (  # what a run of the workflow reads
    "config", "workflow", "scripts", "src", "stan", "toolchain", "profiles", "benchmarks", "docs",
    "environment.yml",
)  # fmt: skip

Run = Callable[[list[str]], int]


def write_files(contents: Mapping[str, Any], folder: Path) -> None:
    """Write each table as NAME.csv, and what is none as NAME.json."""
    for name, one in contents.items():
        if isinstance(one, pd.DataFrame):
            one.to_csv(folder / f"{name}.csv", index=False)
        else:
            (folder / f"{name}.json").write_text(json.dumps(one), encoding="utf-8")


def link_clone(root: Path, folder: Path) -> None:
    """Link what a run of the workflow reads into a folder, so that its results are there."""
    for name in CLONE:
        (folder / name).symlink_to((root / name).resolve())


def _side_by_side(folder: Path, names: list[str]) -> Iterator[str]:
    columns = []  # the first rows of each file
    for name in names:
        with (folder / name).open(encoding="utf-8") as file:
            lines = [line.rstrip("\n") for line, _ in zip(file, range(ROWS + 1), strict=False)]
        columns.append([name, *lines])
    widths = [max(map(len, column)) + GAP for column in columns]
    for row in zip(*columns, strict=True):
        yield "".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _fill_labels(folder: Path, name: str) -> None:
    sent, truth = (pd.read_csv(folder / one, dtype="string") for one in (name, "truth.csv"))
    known = truth.set_index("item")["gold"]
    sent.assign(gold=known.reindex(sent["item"]).to_numpy()).to_csv(folder / name, index=False)


def _printed_lines(command: str, folder: Path, run: Run) -> list[str]:
    """The lines that a command prints in a folder: of standard error, then of output."""
    program, *arguments = shlex.split(command.replace("\\\n", " "))
    if program == SNAKEMAKE:
        started = [sys.executable, "-m", "snakemake", *arguments]
        done = subprocess.run(started, cwd=folder, capture_output=True, text=True)
        if done.returncode:
            raise ValueError(f"{command!r} failed:\n{done.stdout}{done.stderr}")
        return (done.stderr + done.stdout).splitlines()
    if program != "crowdgold":
        raise ValueError(f"{command!r}: expected a command of crowdgold, or {SNAKEMAKE}")
    error, output = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stderr(error),
        contextlib.redirect_stdout(output),
    ):
        run(arguments)
    lines = (error.getvalue() + output.getvalue()).splitlines()
    # Neither progress nor what is compiled at a first use, which depend on the machine.
    return [one for one in lines if "s so far" not in one and not one.startswith("crowdgold: ")]


def _entries(lines: list[str], name: str) -> list[str]:
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


def _run_python(block: list[str], folder: Path) -> Iterator[str]:
    """Run Python line by line; `# output` becomes the value of the line before it."""
    known: dict[str, object] = {}
    for place, line in enumerate(block):
        if line == "# output":
            with contextlib.chdir(folder):
                exec("\n".join(block[: place - 1]), known)  # noqa: S102 (our own template)
                value = repr(eval(block[place - 1], known))  # noqa: S307
            yield from (f"# {row}".rstrip() for row in value.splitlines())
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


def fill_template(template: str, folder: Path, run: Run) -> str:
    """The page of a template, whose files are in a folder; `run` runs a command's arguments."""
    page: list[str] = []
    command = ""
    for summary in folder.glob("*/study.json"):  # of the page before, another study
        shutil.rmtree(summary.parent)
    for kind, lines in _blocks(template):
        word, *names = kind.split() or [""]
        if not kind:
            page += lines
            continue
        if word == "sh":
            command = "\n".join(lines)
        shown = lines
        if word == "labelled":
            _fill_labels(folder, names[0])
        elif word == "sh" and names:
            _printed_lines(command, folder, run)
        elif word == "yaml" and names:
            (folder / names[0]).write_text("\n".join(lines) + "\n", encoding="utf-8")
        if word in ("data", "labelled"):
            shown = list(_side_by_side(folder, names))
        elif word == "output":
            printed = _printed_lines(command, folder, run)
            shown = [
                line
                for name in lines
                for line in ([name] if name == DOTS else _entries(printed, name))
            ] or printed
        elif word == "python":
            shown = list(_run_python(lines, folder))
        fence = FENCE + (word if word not in ("data", "labelled", "output", "text") else "")
        page += [fence, *shown, FENCE]
    return "\n".join(page) + "\n"
