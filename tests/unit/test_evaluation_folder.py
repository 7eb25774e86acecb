"""The folder of an evaluation: whole or not there, and nothing of the user's is ever deleted."""

import json
import os

import numpy as np
import pandas as pd
import pytest

from crowdgold.cli import main
from crowdgold.evaluation.folder import WRITTEN, write_folder
from crowdgold.types.errors import InputError
from unit.made_files import EXAMPLE
from unit.test_evaluate_command import ASKED, files


def test_an_evaluation_is_written_whole_or_not_at_all(tmp_path):
    tables, out = {"estimates": pd.DataFrame({"estimate": [0.5]})}, tmp_path / "out"
    # An earlier one is replaced, also by the name that answers had before.
    for name, seconds, found in (("headlines", np.float64("nan"), None), ("answers", 2, 2)):
        known = {"settings": {}, name: []}
        written = {**known, "written": ["check.json", "estimates.csv", "estimates.parquet"]}
        write_folder(tables, {**known, "seconds": seconds}, {}, out)
        assert json.loads((out / "study.json").read_text()) == {**written, "seconds": found}
    with pytest.raises(TypeError):
        write_folder(tables, {**known, "seconds": {1, 2}}, {}, out)
    assert json.loads((out / "study.json").read_text()) == {**written, "seconds": 2}
    assert os.listdir(tmp_path) == ["out"]
    mine = tmp_path / "mine"
    mine.mkdir()
    for number in range(7):
        (mine / f"{number}.txt").write_text("")
    with pytest.raises(InputError, match=r"\(0.txt, 1.txt, 2.txt, 3.txt, 4.txt and 2 more\)"):
        write_folder(tables, {}, {}, mine)
    with pytest.raises(InputError, match="no such folder"):
        write_folder(tables, {}, {}, tmp_path / "no/where")


@pytest.fixture
def earlier(tmp_path):
    """The folder of an evaluation by the command, with its report."""
    out = tmp_path / "mine"
    assert main(["evaluate", *files(EXAMPLE), "--out", str(out), *ASKED, "--report"]) == 0
    return out


@pytest.mark.parametrize("name", ["votes-2026.csv", "curves.csv/mine.txt", ".git/config"])
def test_a_folder_that_holds_anything_else_is_left_alone(earlier, name, capsys):
    """Though an evaluation is there too; a folder under the name of one of its files as well."""
    path = earlier / name
    if path.parent != earlier:
        path.parent.unlink(missing_ok=True)
        path.parent.mkdir()
    path.write_text("mine")
    capsys.readouterr()
    assert main(["evaluate", *files(EXAMPLE), "--out", str(earlier), *ASKED]) == 2
    said = capsys.readouterr().err
    assert f"({name.split('/')[0]}); expected a new folder" in " ".join(said.split())
    assert path.read_text() == "mine"
    path.unlink()
    if path.parent != earlier:
        path.parent.rmdir()
    assert main(["evaluate", *files(EXAMPLE), "--out", str(earlier), *ASKED]) == 0


def test_a_folder_that_holds_an_input_is_left_alone(earlier, capsys):
    """Where its name is one that an evaluation writes, and by whatever path it is given."""
    assert {one.name for one in earlier.iterdir()} == set(WRITTEN) - {".snakemake_timestamp"}
    votes, gold, _ = files(EXAMPLE)
    own = earlier / "items.csv"
    before = own.read_bytes()
    given = str(earlier / ".." / earlier.name / "items.csv")
    assert main(["evaluate", votes, gold, given, "--out", str(earlier), *ASKED]) == 2
    assert "which is to be replaced; give another --out" in capsys.readouterr().err
    assert own.read_bytes() == before
    assert main(["evaluate", votes, gold, "--out", votes, *ASKED]) == 2
    assert f"--out {votes} would overwrite {votes}" in " ".join(capsys.readouterr().err.split())
