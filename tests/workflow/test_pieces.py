"""A long run in pieces: what is left, in which order, and that it goes on where it ended."""

import subprocess
import sys
import time

import pandas as pd
import pytest

from crowdgold.experiments.pieces import pieces, run, run_pieces, said, table_of

COSTS = pd.DataFrame(
    {
        "experiment": ["long", "short", "there", "elsewhere"],
        "target": ["figures", "figures", "figures", "validate"],
        "core_hours": [8.0, 0.5, 1.0, 0.1],
    }
)


@pytest.fixture
def left(tmp_path):
    table = table_of("there", tmp_path)
    table.parent.mkdir()
    table.touch()
    return pieces(COSTS, "figures", tmp_path)


def test_what_is_left_is_the_targets_and_not_there_the_cheapest_first(left):
    assert list(left["experiment"]) == ["short", "long"]


def test_each_experiment_is_told_with_what_is_left(left, capsys):
    assert run_pieces(left, 60, 2, lambda name, seconds: True) == ["short", "long"]
    first, second = capsys.readouterr().out.splitlines()
    assert first == (
        "short: 2 of the experiments and 8.5 core hours are left, some 4.2 hours on 2 cores"
    )
    assert second == said("long", left.iloc[1:], 2)
    assert "1 of the experiments and 8.0 core hours" in second


def test_nothing_begins_after_one_that_was_not_done_in_time(left):
    asked = []
    assert run_pieces(left, 60, 2, lambda name, seconds: bool(asked.append(name))) == []
    assert asked == ["short"]


def test_a_command_beyond_its_time_is_asked_to_end():
    begun = time.monotonic()
    assert not run([sys.executable, "-c", "import time; time.sleep(60)"], 0.5)
    assert time.monotonic() - begun < 30
    assert run([sys.executable, "-c", ""], 60)
    with pytest.raises(subprocess.CalledProcessError):
        run([sys.executable, "-c", "raise SystemExit(3)"], 60)


def test_a_second_piece_goes_on_with_what_the_first_left(checkout):
    costs = checkout.folder / "costs.csv"
    pd.DataFrame({"experiment": ["tiny"], "target": ["figures"], "core_hours": [1.0]}).to_csv(costs)

    def piece():
        return subprocess.run(
            [sys.executable, "-m", "crowdgold.experiments.pieces", "--hours", "0.1", "--cores",
             "2", "--costs", costs],
            cwd=checkout.folder, env=checkout.environment, capture_output=True, text=True,
            timeout=400, check=True,
        ).stdout.splitlines()  # fmt: skip

    first, last = piece()
    assert (
        first == "tiny: 1 of the experiments and 1.0 core hours are left, some 0.5 hours on 2 cores"
    )
    assert last.startswith("1 of 1 experiments are done")
    assert (checkout.folder / "results/tables/tiny.parquet").is_file()
    assert piece()[-1].startswith("0 of 0 experiments are done")
