"""A long run in pieces: one experiment after the other, the cheapest first, until the time is up.

    python -m crowdgold.experiments.pieces --scale paper --hours 3

Run again, it goes on with what is left. Before each experiment a line says how much that is, by the
core hours that `benchmarks/paper_scale.py` measured.
"""

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd

COSTS = Path("docs/results/benchmarks/paper_scale.csv")


def pieces(costs: pd.DataFrame, target: str, results: Path) -> pd.DataFrame:
    """The experiments of a target whose table is not there, the cheapest first.

    Args:
        costs: a row an experiment: `experiment`, `target`, `core_hours`.
        target: `figures` or `validate`.
        results: the folder of the scale's results.
    """
    own = costs[costs["target"] == target]
    there = [table_of(name, results).is_file() for name in own["experiment"]]
    return own[[not one for one in there]].sort_values("core_hours", kind="stable")


def table_of(experiment: str, results: Path) -> Path:
    """The table that an experiment ends with."""
    return results / "tables" / f"{experiment}.parquet"


def said(experiment: str, left: pd.DataFrame, cores: int) -> str:
    """The progress line before an experiment: how much is left, with it."""
    hours = left["core_hours"].sum()
    return (
        f"{experiment}: {len(left)} of the experiments and {hours:.1f} core hours are left, "
        f"some {hours / cores:.1f} hours on {cores} cores"
    )


def run(command: list[str], seconds: float) -> bool:
    """Whether a command ended in time; one that does not is asked to end its running jobs.

    Args:
        seconds: it has.

    Raises:
        CalledProcessError: it failed.
    """
    with subprocess.Popen(command) as process:
        try:
            code = process.wait(timeout=max(seconds, 0))
        except subprocess.TimeoutExpired:
            process.terminate()
            process.wait()
            return False
    if code:
        raise subprocess.CalledProcessError(code, command)
    return True


def run_pieces(
    left: pd.DataFrame,
    seconds: float,
    cores: int,
    make: Callable[[str, float], bool],
) -> list[str]:
    """The experiments that were finished in time.

    Args:
        left: as `pieces` gives them.
        seconds: for all together.
        make: makes an experiment's table within some seconds; False where these did not do.
    """
    end, done = time.monotonic() + seconds, []
    for place, experiment in enumerate(left["experiment"]):
        print(said(experiment, left.iloc[place:], cores), flush=True)
        if not make(experiment, end - time.monotonic()):
            break
        done.append(experiment)
    return done


def main() -> None:
    """Read the command line and run what is left."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--scale", default="", help="smoke or paper (default: the default scale)")
    parser.add_argument("--target", default="figures", choices=["figures", "validate"])
    parser.add_argument("--hours", type=float, required=True, help="after which it stops")
    parser.add_argument("--cores", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--costs", type=Path, default=COSTS, help=f"a table (default: {COSTS})")
    options = parser.parse_args()
    if not options.costs.is_file():
        parser.error(f"no {options.costs}: make benchmark measures it")
    results = Path("results", options.scale)

    def make(experiment: str, seconds: float) -> bool:
        asked = [str(Path(sys.executable).with_name("snakemake")), "--nolock", "--cores"]
        asked += [str(options.cores), "--workflow-profile", "profiles/default"]
        asked += ["--config", f"scale={options.scale}"] * bool(options.scale)
        asked += ["--quiet", "rules", "progress", "host", "reason"]  # all would hide errors, too
        return run([*asked, "--", str(table_of(experiment, results))], seconds)

    left = pieces(pd.read_csv(options.costs), options.target, results)
    done = run_pieces(left, options.hours * 3600, options.cores, make)
    print(
        f"{len(done)} of {len(left)} experiments are done; run the same line again for the others"
    )


if __name__ == "__main__":
    main()
