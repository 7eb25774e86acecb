"""Bad inputs of every command: refused with a message that names what is wrong, and good ones not.

The cases are data (`bad_inputs`). Each is run by the command's own `main`, in one process and in an
empty folder. That a message is right cannot be seen from here, only that it names the place.
"""

import contextlib
import os
import re
import signal
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from bad_inputs_page import PAGE, with_tables
from crowdgold.cli import COMMANDS
from unit.bad_inputs import (
    cells,
    controls,
    counts,
    folders,
    formats,
    models,
    naming,
    options,
    places,
    reading,
    study_files,
)  # fmt: skip
from unit.bad_inputs.case import BAD_INPUT

MODULES = (options, formats, cells, naming, reading, places, study_files, models, counts, folders)
CASES = [case for module in MODULES for case in module.CASES]
FEWEST = 500
MOST_SECONDS = 60
LONGEST = 3000
"""Characters of a message."""
PYTHON = re.compile(
    r"Traceback|object at 0x|<class |NoneType|Error\(|\bnot (iterable|subscriptable)"
)
"""What only a programmer should read."""


def _held(folder: Path) -> dict[str, object]:
    """What stands in a folder: links by where they lead, files by their bytes."""
    return {
        str(path.relative_to(folder)): os.readlink(path) if path.is_symlink()
        else path.read_bytes() if path.is_file() else None
        for path in sorted(folder.rglob("*"))
    }  # fmt: skip


@contextlib.contextmanager
def _limited(seconds: int) -> Iterator[None]:
    """End what takes longer by an error."""

    def end(number: int, frame: object) -> None:
        raise TimeoutError(f"more than {seconds} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("case", [pytest.param(c, id=c.name) for c in CASES])
def test_a_bad_input_is_refused_with_what_is_wrong(case, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    case.make_files(tmp_path)
    before = _held(tmp_path)
    with _limited(MOST_SECONDS):
        code, out, err = case.run()
    assert code == case.code, err
    # What is done and not as wanted (exit code 1) is a result: it may stand in the output.
    said = err if case.code == BAD_INPUT else out + err
    assert re.search(case.says, " ".join(said.split())), err
    assert not PYTHON.search(err), err
    assert len(err) < LONGEST, err
    given = " ".join(case.arguments) + " ".join(map(str, case.files.values()))
    if "nan" not in given.casefold():
        assert not re.search(r"\bnan\b", err, re.IGNORECASE), err
    assert _held(tmp_path) == before


@pytest.mark.parametrize("case", [pytest.param(c, id=c.name) for c in controls.CASES])
def test_a_good_input_is_taken(case, tmp_path, monkeypatch):
    """Beside the bad ones, so that a command that refuses everything fails."""
    monkeypatch.chdir(tmp_path)
    case.make_files(tmp_path)
    code, out, err = case.run()
    assert code == 0, err
    assert re.search(case.says, " ".join(out.split())), out


def test_the_page_has_the_cases_and_what_is_said():
    page = PAGE.read_text(encoding="utf-8")
    assert with_tables(page) == page, "python tests/bad_inputs_page.py writes the tables anew"


def test_there_are_enough_bad_inputs_and_no_two_are_alike():
    """By command, place and kind; and no two by what is given, whatever they are called."""
    for about in (
        lambda case: case.name, lambda case: (case.command, *case.arguments, repr(case.files)),
    ):  # fmt: skip
        number = Counter(map(about, CASES))
        assert [case.name for case in CASES if number[about(case)] > 1] == []
    assert len({(case.where, case.what) for case in CASES}) >= FEWEST  # not by the command alone
    assert {case.command for case in CASES} == {*COMMANDS, ""}
    assert {case.command for case in controls.CASES} == set(COMMANDS)
