"""A long run in pieces: what is left, in which order, and that it goes on where it ended."""

import subprocess
import sys
import time

import pandas as pd
import pytest

from crowdgold.experiment import plan
from crowdgold.experiment.pieces import (
    DONE,
    FAILED,
    OUT_OF_TIME,
    pieces,
    published_at,
    run,
    run_pieces,
)

COSTS = pd.DataFrame(
    {
        "experiment": ["long", "short", "there", "elsewhere"],
        "target": ["figures", "figures", "figures", "validate"],
        "core_hours": [8.0, 0.5, 1.0, 0.1],
    }
)
PROGRAM = [sys.executable, "-m", "crowdgold.experiment.pieces", "--cores", "2"]


@pytest.fixture
def left(tmp_path):
    table = tmp_path / plan.table("there")
    table.parent.mkdir()
    table.touch()
    return pieces(COSTS, "figures", tmp_path)


def test_what_is_left_is_the_targets_and_not_there_the_cheapest_first(left):
    assert list(left["experiment"]) == ["short", "long"]


def test_what_is_published_of_the_scale_comes_last(tmp_path):
    record = tmp_path / "published.yaml"
    record.write_text("published: {short: paper, long: default}\n")
    assert published_at("paper", tmp_path / "none.yaml") == set()
    of_paper, of_default = (published_at(scale, record) for scale in ("paper", "default"))
    found = [list(pieces(COSTS, "figures", tmp_path, own)["experiment"])
             for own in (of_paper, of_default)]  # fmt: skip
    assert found == [["there", "long", "short"], ["short", "there", "long"]]


def test_each_experiment_is_told_with_what_is_left(left, capsys):
    ended = run_pieces(left, 60, 2, lambda name, seconds: DONE)
    assert ended == {"short": DONE, "long": DONE}
    first, second = capsys.readouterr().out.splitlines()
    assert first == (
        "short: 8.5 core hours are left, some 4.2 hours on 2 cores, and 2 of the experiments"
    )
    assert second == (
        "long: 8.0 core hours are left, some 4.0 hours on 2 cores, and 1 of the experiments"
    )


@pytest.mark.parametrize(("what", "begun"), [(OUT_OF_TIME, ["short"]), (FAILED, ["short", "long"])])
def test_the_next_is_begun_after_a_failure_but_not_out_of_time(left, what, begun):
    assert run_pieces(left, 60, 2, lambda name, seconds: what) == dict.fromkeys(begun, what)


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
    return subprocess.run(
        [*command, *checkout.command("--quiet", "rules", "progress", "host", "reason")],
        cwd=checkout.folder, env=checkout.environment, capture_output=True, text=True, timeout=400,
    )  # fmt: skip


def test_a_second_piece_goes_on_with_what_the_first_left(checkout):
    """One experiment is in no configuration: it fails, is named, and holds up no other."""
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
    done = subprocess.run(
        [*PROGRAM, "--results", "results", "--hours", hours, "--costs", costs, "--", "true"],
        cwd=tmp_path, capture_output=True, text=True, timeout=60,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith(said)
    assert not (tmp_path / "results").exists()


def test_a_target_without_experiments_is_refused(checkout):
    """A table of costs that knows none of them would otherwise look like a run that is done."""
    refused = piece(checkout, ["tiny"], target="validate")
    assert refused.returncode == 1
    assert refused.stderr.startswith("Error: costs.csv has no experiment of the target figures; ")
