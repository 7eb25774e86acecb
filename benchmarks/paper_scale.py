"""What the papers' scale costs: CPU time, memory and disk of its experiments, measured in part.

Each experiment of a figure or a page is run for one replicate in its first and its last setting,
with the settings of config/paper.yaml and all its methods, in a process of its own. Where that
takes less than 10 s it is run for four more replicates, since much of it is its start; else once
again, since the first run may have compiled what a machine compiles once. The mean CPU time of the
two settings (with that of the processes that they start, such as Stan's chains) stands for every
replicate of every setting, so the whole is an extrapolation. Memory is the largest of a process;
disk is what the tables take in the end, and beside it the most that a replicate's temporary files
took.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

import pandas as pd

from crowdgold.experiment import configuration, plan
from crowdgold.experiment.computation import compute_block
from crowdgold.experiment.drawing import simulate_block
from crowdgold.experiment.estimating import estimate_block
from crowdgold.experiment.publication import PAGES, PAPER
from crowdgold.models.stan import StanModels
from crowdgold.record.results import write_csv, write_table

METADATA = {"code_version": "benchmark"}
EVERY = 0.05
"""Seconds between two looks at a task's temporary files."""
MEASURED = [
    "cpu_seconds", "most_seconds", "start_seconds", "memory_mb", "replicate_mb", "scratch_mb",
]  # fmt: skip
"""Columns of what is measured; the others follow from these and config/paper.yaml."""
QUICK, MORE = 10.0, 4
"""A task that takes fewer seconds is run for more replicates as well."""


class Cost(NamedTuple):
    """What a task took: CPU seconds; and in MB its memory, its tables and its temporary files."""

    seconds: float
    memory: float
    tables: float
    scratch: float


def paper_scale(root: Path) -> dict[str, Any]:
    """Read the configuration at the papers' scale."""
    return configuration.at_scale(root, PAPER)


def drawn(config: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The experiments that a figure of `figures` or `validate` is drawn from, or a page alone."""
    for name in config["experiments"]:
        target = plan.drawn_by(config, name)[0] or PAGES
        if target in ("figures", "validate", PAGES) and plan.can_run(config, name):
            yield name, target


def tasks_of(config: Mapping[str, Any], name: str, replicates: int = 1) -> list[dict[str, Any]]:
    """An experiment's tasks of some replicates, in its first and its last setting."""
    settings = plan.settings(config["experiments"][name])
    chosen = dict.fromkeys((settings[0].name, settings[-1].name))
    block = f"0-{replicates - 1}"
    if plan.source(config["experiments"][name]) == "computation":
        return [plan.data_task(config, name, setting, block) for setting in chosen]
    return [plan.estimate_task(config, name, setting, plan.ALL, block) for setting in chosen]


def size(folder: Path) -> float:
    """The size of all files of a folder (MB), but of those that go while it looks."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with suppress(FileNotFoundError):
                total += Path(place, name).lstat().st_size
    return total / 1e6


def measured(task: Mapping[str, Any], stan: StanModels, dataset: pd.DataFrame | None) -> Cost:
    """What a task's work, as its jobs would do it, takes in a process of its own.

    RuntimeError where it failed; what went wrong is on the standard error.
    """
    sys.stdout.flush()
    with tempfile.TemporaryDirectory() as kept, tempfile.TemporaryDirectory() as scratch:
        process = os.fork()
        if process == 0:
            tempfile.tempdir = scratch
            try:
                if "computation" in task:
                    table, _ = compute_block(task, stan, dataset)
                else:
                    data = Path(kept, "data.parquet")
                    simulate_block(task, data, METADATA, dataset)
                    table, _ = estimate_block(task, data, stan, METADATA["code_version"], 1)
                write_table(table, Path(kept, "found.parquet"), METADATA)
                os._exit(0)
            except BaseException as error:
                print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
                os._exit(1)
        most, ended = 0.0, 0
        while not ended:
            most = max(most, size(Path(scratch)))
            time.sleep(EVERY)
            ended, status, used = os.wait4(process, os.WNOHANG)
        if status:
            raise RuntimeError(f"{task['experiment']} failed")
        seconds = used.ru_utime + used.ru_stime
        return Cost(seconds, used.ru_maxrss / 1024, size(Path(kept)), most)


def of_a_replicate(
    config: Mapping[str, Any], name: str, stan: StanModels, datasets: Path
) -> dict[str, float]:
    """What an experiment takes: a replicate, the start of a job, and their memory."""
    used = plan.dataset(config["experiments"][name])
    dataset = pd.read_parquet(datasets / f"{used}.parquet") if used else None
    costs, starts = [], []
    for one, more in zip(tasks_of(config, name), tasks_of(config, name, 1 + MORE), strict=True):
        cost, start = measured(one, stan, dataset), 0.0
        if cost.seconds >= QUICK:
            again = measured(one, stan, dataset)
            cost = Cost(min(cost.seconds, again.seconds), *map(max, cost[1:], again[1:]))
        if cost.seconds < QUICK:
            together = measured(more, stan, dataset)
            each = max(together.seconds - cost.seconds, 0.0) / MORE
            start = max(cost.seconds - each, 0.0)
            tables = max(together.tables - cost.tables, 0.0) / MORE
            cost = Cost(each, together.memory, tables, together.scratch)
        costs.append(cost)
        starts.append(start)
    return {
        "cpu_seconds": round(mean(one.seconds for one in costs), 2),
        "most_seconds": round(max(one.seconds for one in costs), 2),
        "start_seconds": round(mean(starts), 2),
        "memory_mb": round(max(one.memory for one in costs)),
        "replicate_mb": round(mean(one.tables for one in costs), 4),
        "scratch_mb": round(max(one.scratch for one in costs), 1),
    }


def row_of(
    config: Mapping[str, Any], name: str, target: str, cost: Mapping[str, float]
) -> dict[str, Any]:
    """What all of an experiment takes, from what a replicate and a job's start do."""
    block = config["experiments"][name]
    batches, settings = len(plan.batches(config, name)), len(plan.settings(block))
    is_computation = plan.source(block) == "computation"
    jobs = 1 + batches * (1 if is_computation else 1 + len(plan.groups(config, name)))
    runs = settings * block["replicates"]
    seconds = cost["cpu_seconds"] * runs + cost["start_seconds"] * jobs
    slowest = cost["most_seconds"] * runs / batches + cost["start_seconds"]
    return {
        "paper": block["paper"],
        "experiment": name,
        "target": target,
        "settings": settings,
        "replicates": block["replicates"],
        "jobs": jobs,
        "largest_job_minutes": round(slowest / 60, 1),
        "core_hours": round(seconds / 3600, 2),
        "tables_mb": round(cost["replicate_mb"] * runs),
        **cost,
    }


def main() -> None:
    """Measure every experiment and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, required=True, help="folder of compiled models")
    parser.add_argument("--toolchain", type=Path, required=True, help="the toolchain's record")
    parser.add_argument("--datasets", type=Path, required=True, help="folder of prepared datasets")
    parser.add_argument("--output", type=Path, required=True, help="the table (CSV)")
    parser.add_argument("--experiments", nargs="+", help="some of them (default: all)")
    parser.add_argument(
        "--measured", type=Path, help="an earlier table: what it has is not measured again"
    )
    options = parser.parse_args()
    config = paper_scale(Path(__file__).resolve().parents[1])
    stan = StanModels.compiled(options.models, options.toolchain)
    known: dict[Any, Any] = {}
    if options.measured:
        known = pd.read_csv(options.measured, index_col="experiment")[MEASURED].to_dict("index")
    rows = []
    for name, target in drawn(config):
        if options.experiments and name not in options.experiments:
            continue
        used = plan.dataset(config["experiments"][name])
        if name not in known and used and not (options.datasets / f"{used}.parquet").is_file():
            print(f"{name}: left out, no {options.datasets / used}.parquet", flush=True)
            continue
        began = time.perf_counter()
        cost = known.get(name) or of_a_replicate(config, name, stan, options.datasets)
        rows.append(row_of(config, name, target, cost))
        print(f"{name}: {time.perf_counter() - began:.0f} s, {rows[-1]}", flush=True)
    write_csv(pd.DataFrame(rows), options.output)


if __name__ == "__main__":
    main()
