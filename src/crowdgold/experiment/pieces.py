"""A long run in pieces: one experiment after the other, the cheapest first, until the time is up.

`make piece SCALE=paper HOURS=3` runs it. Run again, it goes on with what is left. What is published
of this scale already comes last. Before each experiment a line says how much is left, by core hours
that `benchmarks/paper_scale.py` measured.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

import pandas as pd

from crowdgold.experiment import plan
from crowdgold.experiment.publication import PAGES, RECORD, read_published

COSTS = Path("docs/results/benchmarks/paper_scale.csv")
COLUMNS = ["experiment", "target", "core_hours"]
DONE, FAILED, OUT_OF_TIME = "done", "failed", "out of time"


def pieces(
    costs: pd.DataFrame, target: str, results: Path, published: Collection[str] = ()
) -> pd.DataFrame:
    """The experiments of a target whose table is not in the results, the cheapest first, but those
    that are published last. `costs` has a row an experiment, with `COLUMNS`.
    """
    own = costs[costs["target"] == target]
    there = [(results / plan.table(name)).is_file() for name in own["experiment"]]
    left = own[[not one for one in there]].sort_values("core_hours", kind="stable")
    known = left["experiment"].isin(list(published))
    return pd.concat([left[~known], left[known]])


def run(command: Sequence[str], seconds: float) -> str:
    """Whether a command is `DONE`, has `FAILED`, or was `OUT_OF_TIME` after some seconds and asked
    to end: Snakemake then begins no job, and ends those that run.
    """
    with subprocess.Popen(command) as process:
        try:
            return FAILED if process.wait(timeout=max(seconds, 0)) else DONE
        except subprocess.TimeoutExpired:
            process.terminate()
            return OUT_OF_TIME


def run_pieces(
    left: pd.DataFrame, seconds: float, cores: int, make: Callable[[str, float], str]
) -> dict[str, str]:
    """What became of each experiment that was begun; after one that failed the next is begun.

    All have so many seconds together; `make` makes an experiment's table within some, as `run`.
    """
    end, ended = time.monotonic() + seconds, {}
    for place, experiment in enumerate(left["experiment"]):
        hours = left["core_hours"].iloc[place:].sum()
        print(
            f"{experiment}: {hours:.1f} core hours are left, some {hours / cores:.1f} hours on "
            f"{cores} cores, and {len(left) - place} of the experiments",
            flush=True,
        )
        ended[experiment] = make(experiment, end - time.monotonic())
        if ended[experiment] == OUT_OF_TIME:
            break
    return ended


def main() -> None:
    """Read the command line, run what is left, and say what became of it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--results", type=Path, required=True, help="folder of the scale's results")
    parser.add_argument("--target", default="figures", choices=["figures", "validate", PAGES])
    parser.add_argument("--scale", default="default", help="of the run, such as paper")
    parser.add_argument("--hours", type=float, required=True, help="after which no job is begun")
    parser.add_argument("--cores", type=int, required=True)
    parser.add_argument("--costs", type=Path, default=COSTS, help=f"a table (default: {COSTS})")
    parser.add_argument("command", nargs="+", help="of Snakemake; a file is put behind it")
    asked = parser.parse_args()
    if not asked.hours > 0:
        parser.error(f"--hours {asked.hours:g}: expected a number above 0, such as HOURS=3")
    if not asked.costs.is_file():
        parser.error(f"{asked.costs} is not there; git checkout {asked.costs} brings it back")
    costs = pd.read_csv(asked.costs, usecols=COLUMNS)
    if asked.target not in set(costs["target"]):
        sys.exit(
            f"Error: {asked.costs} has no experiment of the target {asked.target}; "
            "benchmarks/paper_scale.py makes it anew"
        )
    published = read_published(RECORD)
    known = [name for name, row in published.items() if row["scale"] == asked.scale]
    left = pieces(costs, asked.target, asked.results, known)

    def make(experiment: str, seconds: float) -> str:
        table = asked.results / plan.table(experiment)
        return run([*asked.command, "--", str(table)], seconds)

    try:
        ended = run_pieces(left, asked.hours * 3600, asked.cores, make)
    except KeyboardInterrupt:
        sys.exit("Stopped; run the same line again, and it goes on")
    failed = [name for name, what in ended.items() if what == FAILED]
    done = sum(what == DONE for what in ended.values())
    print(
        f"{done} of {len(left)} experiments are done; the same line again goes on with the others"
    )
    if failed:
        sys.exit(f"Failed, with the cause above: {', '.join(failed)}")


if __name__ == "__main__":
    main()
