"""What the papers' scale costs: CPU time and memory of its experiments, from measured replicates.

Each experiment of a figure is run for one replicate in its first and its last setting, with the
settings of config/paper.yaml and all its methods, in a process of its own. The mean CPU time of the
two (with that of the processes that they start, such as Stan's chains) stands for every replicate
of every setting, so the whole is an extrapolation. Memory is the largest of a process.
"""

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from crowdgold.experiments import configuration, plan
from crowdgold.experiments.checks import check_block
from crowdgold.experiments.drawing import simulate_block
from crowdgold.experiments.estimating import estimate_block
from crowdgold.experiments.results import write_csv
from crowdgold.models.stan import StanModels

METADATA = {"code_version": "benchmark"}


def paper_scale(root: Path) -> dict[str, Any]:
    """Read the configuration at the papers' scale."""
    parts = sorted((root / "config/experiments").glob("*.yaml"))
    files = [*parts, root / "config.yaml", root / "config/paper.yaml"]
    return configuration.overlay({}, *map(configuration.load, files))


def drawn(config: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Give the experiments that a figure of `figures` or `validate` is drawn from."""
    for name in config["experiments"]:
        target, _ = plan.drawn_by(config, name)
        if target and plan.can_run(config, name):
            yield name, target


def tasks_of(config: Mapping[str, Any], name: str) -> list[dict[str, Any]]:
    """Give an experiment's tasks of one replicate, in its first and its last setting."""
    settings = plan.settings(config["experiments"][name])
    chosen = dict.fromkeys((settings[0].name, settings[-1].name))
    if plan.source(config["experiments"][name]) == "check":
        return [plan.data_task(config, name, setting, "0-0") for setting in chosen]
    return [plan.estimate_task(config, name, setting, plan.ALL, "0-0") for setting in chosen]


def run_task(task: Mapping[str, Any], stan: StanModels, dataset: pd.DataFrame | None) -> None:
    """Do a task's work, as its jobs would."""
    if "check" in task:
        check_block(task, stan, dataset)
        return
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder, "data.parquet")
        simulate_block(task, data, METADATA, dataset)
        estimate_block(task, data, stan, METADATA["code_version"], 1)


def measured(
    task: Mapping[str, Any], stan: StanModels, dataset: pd.DataFrame | None
) -> list[float]:
    """Give the CPU seconds and the peak memory (MB) of a task in a process of its own.

    Raises:
        RuntimeError: it failed; what went wrong is on the standard error.
    """
    sys.stdout.flush()
    process = os.fork()
    if process == 0:
        try:
            run_task(task, stan, dataset)
            os._exit(0)
        except BaseException as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr, flush=True)
            os._exit(1)
    _, status, used = os.wait4(process, 0)
    if status:
        raise RuntimeError(f"{task['experiment']} failed")
    return [used.ru_utime + used.ru_stime, used.ru_maxrss / 1024]


def row_of(
    config: Mapping[str, Any], name: str, target: str, stan: StanModels, datasets: Path
) -> dict[str, Any]:
    """Measure an experiment, and say what all of it takes."""
    block = config["experiments"][name]
    used = plan.dataset(block)
    dataset = pd.read_parquet(datasets / f"{used}.parquet") if used else None
    seconds, memory = zip(
        *(measured(task, stan, dataset) for task in tasks_of(config, name)), strict=True
    )
    batches = len(plan.batches(config, name))
    is_check = plan.source(block) == "check"
    replicate = sum(seconds) / len(seconds)
    runs = len(plan.settings(block)) * block["replicates"]
    return {
        "paper": block["paper"],
        "experiment": name,
        "target": target,
        "settings": len(plan.settings(block)),
        "replicates": block["replicates"],
        "jobs": 1 + batches * (1 if is_check else 1 + len(plan.groups(config, name))),
        "cpu_seconds": round(replicate, 2),
        "largest_job_minutes": round(max(seconds) * runs / batches / 60, 1),
        "core_hours": round(replicate * runs / 3600, 2),
        "memory_mb": round(max(memory)),
    }


def main() -> None:
    """Measure every experiment and write the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=Path, required=True, help="folder of compiled models")
    parser.add_argument("--toolchain", type=Path, required=True, help="the toolchain's record")
    parser.add_argument("--datasets", type=Path, required=True, help="folder of prepared datasets")
    parser.add_argument("--output", type=Path, required=True, help="the table (CSV)")
    options = parser.parse_args()
    config = paper_scale(Path(__file__).resolve().parents[1])
    stan = StanModels.compiled(options.models, options.toolchain)
    rows = []
    for name, target in drawn(config):
        used = plan.dataset(config["experiments"][name])
        if used and not (options.datasets / f"{used}.parquet").is_file():
            print(f"{name}: left out, no {options.datasets / used}.parquet", flush=True)
            continue
        began = time.perf_counter()
        rows.append(row_of(config, name, target, stan, options.datasets))
        print(f"{name}: {time.perf_counter() - began:.0f} s, {rows[-1]}", flush=True)
    write_csv(pd.DataFrame(rows), options.output)


if __name__ == "__main__":
    main()
