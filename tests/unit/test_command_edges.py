"""Commands at the edges of what a shell can give them: names, closed outputs, levels, variables."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest

import crowdgold as cg
from crowdgold.cli import main
from crowdgold.types.errors import InputError
from unit.made_files import EXAMPLE

FILES = [str(EXAMPLE / f"{name}.csv") for name in ("votes", "gold")]
LEVELS = ("1e-300", "1e-17", "0.9999999")
QUICK = ["--no-models", "--methods", "GT", "--metrics", "prevalence"]


def test_a_name_that_begins_with_a_tilde_is_taken_as_it_stands(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    Path("~").mkdir()
    for name in FILES:
        Path("~", Path(name).name).write_text(Path(name).read_text())
    assert main(["evaluate", "~/votes.csv", "~/gold.csv", *QUICK, "--out", "~/out"]) == 0
    assert Path("~/out/estimates.csv").is_file()
    assert not Path("home").exists()


def test_a_name_that_is_no_text_is_refused_at_once(tmp_path, capsys):
    bad = os.fsdecode(os.fsencode(tmp_path) + b"/o\xff")
    assert main(["evaluate", *FILES, *QUICK, "--out", bad]) == 2
    assert "not UTF-8" in capsys.readouterr().err
    assert main(["check", bad]) == 2


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&-"])
def test_a_closed_stream_is_no_error(closed):
    line = f'"{sys.executable}" -m crowdgold.cli check "{FILES[0]}" "{FILES[1]}" {closed}'
    found = subprocess.run(["bash", "-c", line], capture_output=True, text=True)
    assert found.returncode == 0
    assert "Traceback" not in found.stderr


@pytest.mark.parametrize("value", ["0", "-1", "x", "1.5"])
def test_a_number_of_threads_that_cannot_be_is_named(value):
    given = {**os.environ, "NUMBA_NUM_THREADS": value}
    asked = [sys.executable, "-m", "crowdgold.cli", "check", *FILES]
    found = subprocess.run(asked, capture_output=True, text=True, env=given)
    assert found.returncode == 2
    assert found.stderr.startswith(f"Error: NUMBA_NUM_THREADS: found '{value}', expected a whole")
    assert len(found.stderr.splitlines()) == 1


def test_levels_of_no_interval_are_refused_by_all_commands(tmp_path, capsys):
    """More of them are in `bad_inputs`."""
    taken = ["evaluate", *FILES, *QUICK, "--out", str(tmp_path / "out")]
    guesses = ["plan", "--prevalence", "0.2", "--tpr", "0.8", "--tnr", "0.9", "--width", "0.1"]
    more = ["plan", "--more", "--pilot", *FILES, "--width", "0.1"]
    lines = [(one, level) for one in (taken, guesses, more) for level in LEVELS]
    for line, level in [*lines, (more, "nan"), (more, "95")]:
        assert main([*line, f"--level={level}"]) == 2
        assert "level: found" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
    for good in ("0.01", "0.99999"):
        assert main([*taken, "--level", good]) == 0


def test_a_study_file_repeats_items_of_several_columns_and_standard_input(tmp_path, monkeypatch):
    """Each task numbers its items anew; gold labels come by standard input."""
    rows = [f"t{k % 2},{k // 2},J{who},{(k * who) % 2}" for k in range(80) for who in range(3)]
    (tmp_path / "v.csv").write_text("task,number,judge,label\n" + "\n".join(rows) + "\n")
    gold = "task,number,gold\n" + "".join(f"t{k % 2},{k // 2},{k % 3 % 2}\n" for k in range(40))
    monkeypatch.chdir(tmp_path)
    answers = set()
    for out, arguments in {
        "one": ["v.csv", "-", "--item", "task,number"], "two": ["one/study.yaml"],
        "three": ["v.csv", "-", "--item", "task", "--item", "number"],
    }.items():  # fmt: skip
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gold.encode())))
        assert main(["evaluate", *arguments, *QUICK, "--out", out]) == 0
        answers.add(Path(out, "estimates.csv").read_text())
    assert len(answers) == 1


def test_a_table_in_memory_is_no_file():
    with pytest.raises(InputError, match="found DataFrame, expected names of files"):
        cg.read(pd.DataFrame({"item": ["a"]}))


@pytest.fixture
def put(tmp_path, capsys):
    """Evaluate files into one folder: the exit code, and what is said."""

    def put(files, *more):
        code = main(["evaluate", *map(str, files), *QUICK, *more, "--out", str(tmp_path / "out")])
        return code, " ".join(capsys.readouterr().err.split())

    return put


def test_an_evaluation_of_another_study_is_replaced_by_force_alone(tmp_path, put):
    assert put(FILES)[0] == put(FILES, "--seed", "2")[0] == 0
    other = [tmp_path / "theirs.csv", tmp_path / "gold of theirs.csv"]
    for path, name in zip(other, FILES, strict=True):
        path.write_text(Path(name).read_text())
    assert put([other[0], FILES[1]])[0] == 0  # the gold labels are the same file
    assert put(FILES)[0] == 0
    code, said = put(other)
    assert code == 2
    assert "an evaluation of another study (votes.csv, gold.csv)" in said
    assert put(other, "--force")[0] == 0


def test_files_of_another_folder_are_another_study_while_the_first_are_there(tmp_path, put):
    """Of the same names; files that were moved are still the same study."""
    first, theirs = [], []
    for name, files in (("one", first), ("other", theirs)):
        (tmp_path / name).mkdir()
        for path in map(Path, FILES):
            files.append(tmp_path / name / path.name)
            files[-1].write_text(path.read_text())
    assert put(first)[0] == 0
    code, said = put(theirs)
    assert (code, "an evaluation of another study" in said) == (2, True)
    for path in first:  # the same files, of other items
        lines = path.read_text().splitlines(keepends=True)
        path.write_text(lines[0] + "".join(f"x{line}" for line in lines[1:]))
    code, said = put(first)
    assert (code, "an evaluation of other items" in said) == (2, True)
    (tmp_path / "one").rename(tmp_path / "moved")
    assert put(theirs)[0] == 0
