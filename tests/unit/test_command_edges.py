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

EXAMPLE = Path(cg.__file__).parent / "example"
FILES = [str(EXAMPLE / f"{name}.csv") for name in ("votes", "gold")]
COMMAND = [sys.executable, "-m", "crowdgold.cli"]
QUICK = ["--no-models", "--methods", "GT", "--metrics", "prevalence"]


def run(arguments, **options):
    return subprocess.run(COMMAND + arguments, capture_output=True, text=True, **options)


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
    assert "a name that is not UTF-8, expected one that is; rename it" in capsys.readouterr().err
    assert main(["check", bad]) == 2


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&-"])
def test_a_closed_stream_is_no_error(closed):
    line = f'"{sys.executable}" -m crowdgold.cli check "{FILES[0]}" "{FILES[1]}" {closed}'
    found = subprocess.run(["bash", "-c", line], capture_output=True, text=True)
    assert found.returncode == 0
    assert "Traceback" not in found.stderr


@pytest.mark.parametrize("value", ["0", "-1", "x", "1.5"])
def test_a_number_of_threads_that_cannot_be_is_named(value):
    found = run(["check", *FILES], env={**os.environ, "NUMBA_NUM_THREADS": value})
    assert found.returncode == 2
    assert found.stderr.startswith(f"Error: NUMBA_NUM_THREADS: found '{value}', expected a whole")
    assert len(found.stderr.splitlines()) == 1


@pytest.mark.parametrize("level", ["1e-300", "1e-17", "0", "1", "0.9999999", "nan", "-1", "95"])
def test_a_level_of_no_interval_is_refused_by_all_commands(level, tmp_path, capsys):
    out = str(tmp_path / "out")
    for arguments in (
        ["evaluate", *FILES, *QUICK, "--out", out],
        ["plan", "--prevalence", "0.2", "--tpr", "0.8", "--tnr", "0.9", "--width", "0.1"],
        ["plan", "--more", "--pilot", *FILES, "--width", "0.1"],
    ):
        assert main([*arguments, f"--level={level}"]) == 2
        assert "level: found" in capsys.readouterr().err
    assert not Path(out).exists()
    for good in ("0.01", "0.99999"):
        assert main(["evaluate", *FILES, *QUICK, "--out", out, "--level", good]) == 0


def test_a_study_file_repeats_items_of_several_columns_and_standard_input(tmp_path, monkeypatch):
    """Each task numbers its items anew; gold labels come by standard input."""
    rows = [f"t{k % 2},{k // 2},J{who},{(k * who) % 2}" for k in range(80) for who in range(3)]
    (tmp_path / "v.csv").write_text("task,number,judge,label\n" + "\n".join(rows) + "\n")
    gold = "task,number,gold\n" + "".join(f"t{k % 2},{k // 2},{k % 3 % 2}\n" for k in range(40))
    monkeypatch.chdir(tmp_path)
    answers = []
    for arguments in (
        ["v.csv", "-", "--item", "task,number"], ["one/study.yaml"],
        ["v.csv", "-", "--item", "task", "--item", "number"],
    ):  # fmt: skip
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(gold.encode())))
        out = f"{['one', 'two', 'three'][len(answers)]}"
        assert main(["evaluate", *arguments, *QUICK, "--out", out]) == 0
        answers.append(Path(out, "estimates.csv").read_text())
    assert answers[0] == answers[1] == answers[2]


def test_a_table_in_memory_is_no_file():
    with pytest.raises(InputError, match="found DataFrame, expected names of files"):
        cg.read(pd.DataFrame({"item": ["a"]}))


def test_an_evaluation_of_another_study_is_replaced_by_force_alone(tmp_path, capsys):
    out = str(tmp_path / "out")
    assert main(["evaluate", *FILES, *QUICK, "--out", out]) == 0
    assert main(["evaluate", *FILES, *QUICK, "--seed", "2", "--out", out]) == 0
    other = tmp_path / "theirs.csv"
    other.write_text(Path(FILES[0]).read_text())
    capsys.readouterr()
    arguments = ["evaluate", str(other), FILES[1], *QUICK, "--out", out]
    assert main(arguments) == 0  # the gold labels are the same file
    lone = tmp_path / "gold of theirs.csv"
    lone.write_text(Path(FILES[1]).read_text())
    arguments[2] = str(lone)
    assert main(["evaluate", *FILES, *QUICK, "--out", out]) == 0
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert "an evaluation of another study (votes.csv, gold.csv)" in " ".join(said.split())
    assert main([*arguments, "--force"]) == 0


def test_files_of_another_folder_are_another_study_while_the_first_are_there(tmp_path, capsys):
    """Of the same names; files that were moved are still the same study."""
    out = str(tmp_path / "out")
    one, other = tmp_path / "one", tmp_path / "other"
    for folder in (one, other):
        folder.mkdir()
        for path in FILES:
            (folder / Path(path).name).write_text(Path(path).read_text())
    theirs = [str(other / Path(path).name) for path in FILES]
    first = [str(one / Path(path).name) for path in FILES]
    assert main(["evaluate", *first, *QUICK, "--out", out]) == 0
    assert main(["evaluate", *theirs, *QUICK, "--out", out]) == 2
    assert "an evaluation of another study" in " ".join(capsys.readouterr().err.split())
    for path in first:  # the same files, of other items
        lines = Path(path).read_text().splitlines(keepends=True)
        Path(path).write_text(lines[0] + "".join(f"x{line}" for line in lines[1:]))
    assert main(["evaluate", *first, *QUICK, "--out", out]) == 2
    assert "an evaluation of other items" in " ".join(capsys.readouterr().err.split())
    one.rename(tmp_path / "moved")
    assert main(["evaluate", *theirs, *QUICK, "--out", out]) == 0
