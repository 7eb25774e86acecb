"""Time and memory of reading long votes: `crowdgold check`, whole, and what reading takes of it.

A study has three votes an item by 200 annotators, and 200 gold labels, as CSV files. The command
runs in a process of its own, whose CPU seconds and largest memory are measured. With --before
PYTHON the command of an older version runs, too, on the same files in the same run. The peer is
pandas.read_csv of the same files as texts, imports and all.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from crowdgold.record.results import write_csv

VOTES = (100_000, 1_000_000, 10_000_000)
ANNOTATORS, GOLD, EACH = 200, 200, 3
PEER = "pandas.read_csv"
CHECK = "crowdgold check"
READ = "import sys, pandas; [pandas.read_csv(name, dtype=str) for name in sys.argv[1:]]"
MEASURED = """
import json, resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(json.dumps([done.returncode, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]))
"""
"""Runs a command, and says what it took; its own process, so that no other command counts."""


def make_files(folder: Path, votes: int) -> list[str]:
    """Write long votes, rows in any order, and gold labels."""
    rng, items = np.random.default_rng(votes), votes // EACH
    truth = rng.random(items) < 0.3
    item = np.repeat(np.arange(items), EACH)
    first = np.repeat(rng.integers(0, ANNOTATORS, items), EACH)
    annotator = (first + np.tile(np.arange(EACH), items)) % ANNOTATORS
    label = truth[item] ^ (rng.random(len(item)) < 0.15)
    order = rng.permutation(len(item))
    table = pd.DataFrame(
        {
            "item": [f"item{one:08d}" for one in item[order]],
            "annotator": [f"worker_{one:03d}" for one in annotator[order]],
            "label": label[order].astype(int),
        }
    )
    table.to_csv(folder / "votes.csv", index=False)
    chosen = rng.choice(items, GOLD, replace=False)
    gold = {"item": [f"item{one:08d}" for one in chosen], "gold": truth[chosen].astype(int)}
    pd.DataFrame(gold).to_csv(folder / "gold.csv", index=False)
    return [str(folder / "votes.csv"), str(folder / "gold.csv")]


def measure(command: Sequence[str], own_path: bool) -> dict[str, float]:
    """CPU seconds and the largest memory of a command.

    Args:
        own_path: whether it finds crowdgold where this process does.

    Raises:
        subprocess.CalledProcessError: where it fails.
    """
    kept = {name: value for name, value in os.environ.items() if own_path or name != "PYTHONPATH"}
    said = subprocess.check_output([sys.executable, "-c", MEASURED, *command], env=kept)
    code, cpu, memory = json.loads(said)
    if code:
        raise subprocess.CalledProcessError(code, command)
    return {"cpu": cpu, "peak MB": memory}


def main() -> None:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--votes", type=int, nargs="+", default=list(VOTES))
    parser.add_argument("--before", type=Path, help="python of an environment of an older version")
    parser.add_argument("--output", type=Path, help="write the table here as CSV")
    arguments = parser.parse_args()
    commands = {"now": sys.executable}
    if arguments.before:
        commands["before"] = str(arguments.before)
    rows: list[dict[str, object]] = []
    with tempfile.TemporaryDirectory() as made:  # what is compiled at a first run is kept
        for python in commands.values():
            asked = [python, "-m", "crowdgold.cli", "check", *make_files(Path(made), 3000)]
            measure(asked, python == sys.executable)
    for votes in arguments.votes:
        with tempfile.TemporaryDirectory() as made:
            files = make_files(Path(made), votes)
            for version, python in commands.items():
                asked = [python, "-m", "crowdgold.cli", "check", *files]
                measured = measure(asked, python == sys.executable)
                rows.append({"votes": votes, "command": CHECK, "version": version, **measured})
            peer = measure([sys.executable, "-c", READ, *files], own_path=True)
            rows.append({"votes": votes, "command": PEER, "version": "", **peer})
        print(pd.DataFrame(rows).round(2).to_string(index=False), flush=True)
    if arguments.output:
        write_csv(pd.DataFrame(rows), arguments.output)


if __name__ == "__main__":
    main()
