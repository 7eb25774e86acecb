"""Ctrl-C, SIGTERM and SIGHUP end every command in time, whatever it is at."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from unit.made_files import EXAMPLE
from unit.test_evaluate_command import files

IN_TIME = 2.0
SLACK = 1.0
"""Seconds more on a machine that others use as well; what hangs takes many."""
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129}
MANY = 1_000_000
GUESSES = ["--prevalence", ".2", "--tpr", ".7", "--tnr", ".9", "--width", ".04"]


def hears_signals():
    """Have a new process hear of signals that the one before ignored: those of a script do so."""
    for one in CODES:
        signal.signal(one, signal.SIG_DFL)


def run(*line, **more):
    """Python as from a terminal."""
    return subprocess.Popen(
        [sys.executable, *map(str, line)], text=True, preexec_fn=hears_signals,
        **{"stdout": subprocess.PIPE, "stderr": subprocess.PIPE} | more,
    )  # fmt: skip


def start(*arguments, options=(), **more):
    """A command as from a terminal."""
    return run(*options, "-m", "crowdgold.cli", *arguments, **more)


def wait_for(process, text):
    """Read what a command says until a line holds a text."""
    said = []
    for line in process.stderr:
        said.append(line)
        if text in line:
            return
    raise AssertionError("".join(said))


def end(process, number=signal.SIGINT, codes=()):
    """What a command says from a signal on, after a look at how it ended and how long that took."""
    begun = time.monotonic()
    process.send_signal(number)
    _, said = process.communicate(timeout=60)
    took = time.monotonic() - begun
    assert process.returncode in (CODES[number], *codes), said
    assert "Traceback" not in said, said
    assert "Exception ignored" not in said, said
    assert took < IN_TIME + SLACK, took
    return said


COMMANDS = {
    "plan": GUESSES, "check": files(EXAMPLE), "evaluate": [*files(EXAMPLE), "--out", "out"],
    "report": ["."], "correct-rate": ["645/1000", "--positives", "180/200", "--negatives",
    "190/200"], "fit-labelling": [files(EXAMPLE)[0], "-o", "model.json"],
    "confidence": ["model.json"], "labelling-threshold": ["model.json", "-o", "f.csv", "val.csv",
    "--accuracy", "1"], "trace": ["figure.svg"],
}  # fmt: skip


LIGHT = "correct-rate"
"""It needs no pandas."""


@pytest.mark.parametrize(
    ("command", "module"),
    [(one, "numpy.") for one in COMMANDS] + [(one, "pandas.") for one in COMMANDS if one != LIGHT],
)
def test_a_command_that_is_interrupted_as_it_loads_says_so_alone(tmp_path, command, module):
    """A library in the midst of its import would swallow an exception, or make another of it."""
    asked = [command, *COMMANDS[command]]
    process = start(*asked, options=["-X", "importtime"], cwd=tmp_path)
    wait_for(process, f" {module}")
    said = end(process).splitlines()
    assert [line for line in said if not line.startswith("import time:")] == ["Interrupted."]
    assert list(tmp_path.iterdir()) == []


SWALLOWING = """
import sys, time
print("loading", file=sys.stderr, flush=True)
try:
    time.sleep(30)
except BaseException:
    pass
print("went on", file=sys.stderr, flush=True)
"""


def test_a_module_that_swallows_exceptions_as_it_loads_is_ended(tmp_path):
    (tmp_path / "swallowing.py").write_text(SWALLOWING)
    lines = "from crowdgold.cli import ended_in_time\nwith ended_in_time(True): "
    process = run("-c", f"{lines}import swallowing", cwd=tmp_path)
    wait_for(process, "loading")
    assert end(process) == "Interrupted.\n"


CALLED_BACK = """
import ctypes, sys, time
from crowdgold.cli import ended_in_time

def called():
    print("called", file=sys.stderr, flush=True)
    time.sleep(30)

with ended_in_time(True):
    ctypes.CFUNCTYPE(None)(called)()
    print("went on", file=sys.stderr, flush=True)
"""


def test_a_function_that_compiled_code_calls_is_ended(tmp_path):
    """As numba's compiler does: an exception there is lost, and the command would go on."""
    process = run("-c", CALLED_BACK, cwd=tmp_path)
    wait_for(process, "called")
    assert end(process) == "Interrupted.\n"


@pytest.mark.parametrize("command", ["plan", "evaluate", "fit-labelling"])
@pytest.mark.parametrize("number", CODES)
@pytest.mark.parametrize("seconds", [1.5, 4.0])
def test_a_command_that_is_ended_leaves_nothing(tmp_path, command, number, seconds):
    """One that has done its work, and is about to end, ends well."""
    long = {"evaluate": [], "fit-labelling": ["--draws", "10000000"], "plan": ["--metric", "AUC"]}
    work = tmp_path / "work"
    work.mkdir()
    environment = {**os.environ, "TMPDIR": str(work)}
    asked = [command, *COMMANDS[command], *long[command]]
    process = start(*asked, cwd=tmp_path, env=environment)
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        end(process, number, codes=[0])
    assert os.listdir(tmp_path) == ["work"] or process.returncode == 0
    assert list(work.iterdir()) == []


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """A million labels of 200,000 items, each by another five of 500 annotators."""
    folder, rng = tmp_path_factory.mktemp("many"), np.random.default_rng(5)
    items = MANY // 5
    truth = rng.random(items) < 0.3
    first, step = rng.integers(0, 500, items), rng.integers(1, 100, items)
    item, place = np.repeat(np.arange(items), 5), np.tile(np.arange(5), items)
    annotator = (first[item] + place * step[item]) % 500
    label = np.where(rng.random(MANY) < 0.8, truth[item], ~truth[item]).astype(int)
    rows = (f"i{i},a{a},{y}" for i, a, y in zip(item, annotator, label, strict=True))
    (folder / "many.csv").write_text("\n".join(["item,annotator,label", *rows]) + "\n")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("number", CODES)
def test_sampling_a_million_labels_is_ended(many, number):
    """The main thread is in compiled code then, and hears of no signal."""
    process = start("fit-labelling", many / "many.csv", "-o", many / "model.json")
    wait_for(process, "sampling; 10 s")
    end(process, number)
    assert os.listdir(many) == ["many.csv"]


def test_a_signal_that_was_ignored_still_is(tmp_path):
    """As under `nohup`, and of what a script starts in the background."""
    process = subprocess.Popen(
        [sys.executable, "-m", "crowdgold.cli", "correct-rate", *COMMANDS["correct-rate"]],
        stdout=subprocess.PIPE,
        preexec_fn=lambda: [signal.signal(one, signal.SIG_IGN) for one in CODES],
    )
    while process.poll() is None:
        for number in CODES:
            process.send_signal(number)
        time.sleep(0.02)
    assert process.returncode == 0
    assert b"0.7000" in process.communicate()[0]
