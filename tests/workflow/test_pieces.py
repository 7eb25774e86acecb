"""A long run in pieces: what is left, in which order, and that it goes on where it ended."""

import sys
import time

import pandas as pd
import pytest

from crowdgold.experiment import plan
from crowdgold.experiment.pieces import DONE, FAILED, OUT_OF_TIME, pieces, run
from crowdgold.experiment.pieces import run_pieces as run_them

from .conftest import ended

COSTS = pd.DataFrame(
    [("long", "figures", 8.0), ("short", "figures", 0.5), ("there", "figures", 1.0),
     ("elsewhere", "validate", 0.1)],
    columns=["experiment", "target", "core_hours"],
)  # fmt: skip
PROGRAM = [sys.executable, "-m", "crowdgold.experiment.pieces", "--cores", "2"]


@pytest.fixture
def left(tmp_path):
    table = tmp_path / plan.table("there")
    table.parent.mkdir()
    table.touch()
    return pieces(COSTS, "figures", tmp_path)


def test_what_is_left_is_the_cheapest_first_and_what_is_published_of_the_scale_last(left, tmp_path):
    assert list(left["experiment"]) == ["short", "long"]
    for published, expected in (("short", "there long short"), ("long", "short there long")):
        found = pieces(COSTS, "figures", tmp_path / "none", [published])
        assert list(found["experiment"]) == expected.split()


def test_each_experiment_is_told_with_what_is_left(left, capsys):
    ended = run_them(left, 60, 2, lambda name, seconds: DONE)
    assert ended == {"short": DONE, "long": DONE}
    assert capsys.readouterr().out.splitlines() == [
        "short: 8.5 core hours are left, some 4.2 hours on 2 cores, and 2 of the experiments",
        "long: 8.0 core hours are left, some 4.0 hours on 2 cores, and 1 of the experiments",
    ]


@pytest.mark.parametrize(("what", "begun"), [(OUT_OF_TIME, ["short"]), (FAILED, ["short", "long"])])
def test_the_next_is_begun_after_a_failure_but_not_out_of_time(left, what, begun):
    assert run_them(left, 60, 2, lambda name, seconds: what) == dict.fromkeys(begun, what)


def test_a_command_beyond_its_time_is_asked_to_end():
    begun = time.monotonic()
    assert run([sys.executable, "-c", "import time; time.sleep(60)"], 0.5) == OUT_OF_TIME
    assert time.monotonic() - begun < 30
    assert run([sys.executable, "-c", ""], 60) == DONE
    assert run([sys.executable, "-c", "raise SystemExit(3)"], 60) == FAILED


def piece(checkout, experiments, hours="0.1", target="figures"):
    costs = pd.DataFrame({"experiment": experiments, "target": target, "core_hours": 1.0})
    costs.to_csv(checkout.folder / "costs.csv")
    command = [*PROGRAM, "--results", "results", "--hours", hours, "--costs", "costs.csv", "--"]
    command += checkout.command("--quiet", "rules", "progress", "host", "reason")
    return ended(*command, cwd=checkout.folder, env=checkout.environment)


def test_a_second_piece_goes_on_with_what_the_first_left(checkout):
    """One experiment is in no configuration: it fails, is named, and holds up no other. A table
    of costs that knows none of a target would look like a run that is done: it is refused."""
    refused = piece(checkout, ["tiny"], target="validate")
    assert refused.returncode == 1
    assert refused.stderr.startswith("Error: costs.csv has no experiment of the target figures; ")
    first = piece(checkout, ["nowhere", "tiny"])
    assert first.returncode == 1
    assert "Failed, with the cause above: nowhere" in first.stderr
    assert "Traceback" not in first.stderr
    assert first.stdout.splitlines()[-1].startswith("1 of 2 experiments are done")
    assert (checkout.folder / "results" / plan.table("tiny")).is_file()
    second = piece(checkout, ["tiny"])
    assert second.returncode == 0
    assert second.stdout.startswith("0 of 0 experiments are done")


@pytest.mark.parametrize(
    ("hours", "costs", "said"),
    [
        ("0", "costs.csv", "--hours 0: expected a number above 0, such as HOURS=3"),
        ("1", "none.csv", "none.csv is not there; git checkout none.csv brings it back"),
    ],
)
def test_what_cannot_be_run_is_one_line_that_says_how_to_mend_it(tmp_path, hours, costs, said):
    COSTS.to_csv(tmp_path / "costs.csv")
    asked = ["--results", "results", "--hours", hours, "--costs", costs, "--", "true"]
    done = ended(*PROGRAM, *asked, cwd=tmp_path, timeout=60)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith(said)
    assert not (tmp_path / "results").exists()
