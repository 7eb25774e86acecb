"""Time and memory of `crowdgold evaluate`, stage by stage, in one process.

The study is generated: items by Algorithm 1 with three votes each, long, by 1,000 annotators; 300
gold labels; one or two models. CPU seconds of each stage are of this process and of what it
started, so that they mean the same on a busy machine. The bars: 10,000 items with two models and
all methods in under 60 s on two cores, 120 s of CPU; 1,000,000 items with MAVEN and GT in under
300 s and 4 GB. The peer of the reader is pandas.read_csv of the same files, in the same run.
"""

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd

from crowdgold.data import NO_GOLD
from crowdgold.evaluation.data_check import check_data
from crowdgold.evaluation.own_study import Settings, Source, write_evaluation
from crowdgold.evaluation.own_study.files import with_source
from crowdgold.evaluation.own_study.fitting import Found, run_job
from crowdgold.evaluation.own_study.questions import METHODS
from crowdgold.evaluation.own_study.study import join_found, load_models, plan_study
from crowdgold.models.stan import StanModels
from crowdgold.simulate import simulate

ANNOTATORS, GOLD = 1000, 300
PARAMETERS = {
    "phi": 0.3, "a0": 0.2, "a1": 0.6, "d0": 1.5, "d1": 1.5, "votes_total": 3, "n_gold": GOLD,
}  # fmt: skip
SCORES = {"large": {"mu": 1.0, "delta": 1.0}, "small": {"mu": 0.5, "delta": 0.5}}
STUDIES = {"small": (10_000, 2, METHODS), "large": (1_000_000, 1, ("GT", "MAVEN"))}
"""Name -> items, models, methods."""


def make_files(folder: Path, n: int, models: int) -> list[Path]:
    """Write votes, gold labels and scores."""
    predictors = dict(list(SCORES.items())[:models])
    rng = np.random.default_rng(n)
    items = simulate("maven", {**PARAMETERS, "n": n, "predictors": predictors}, rng).table
    first = rng.integers(0, ANNOTATORS, n)
    label = np.arange(3) < items.votes_positive[:, None]
    votes = pd.DataFrame(
        {
            "item": np.repeat(np.arange(n), 3),
            "annotator": ((first[:, None] + np.arange(3)) % ANNOTATORS).reshape(-1),
            "label": label.reshape(-1).astype(int),
        }
    )
    known = items.gold != NO_GOLD
    tables = {
        "votes": votes,
        "gold": pd.DataFrame({"item": np.flatnonzero(known), "gold": items.gold[known]}),
        "scores": pd.DataFrame({"item": np.arange(n)}
                               | {f"score_{name}": items.scores[name].round(4)
                                  for name in predictors}),
    }  # fmt: skip
    for name, table in tables.items():
        table.to_csv(folder / f"{name}.csv", index=False)
    return [folder / f"{name}.csv" for name in tables]


def _used() -> float:
    """Give the CPU seconds of this process and of those that it started."""
    kinds = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    return sum(one.ru_utime + one.ru_stime for one in map(resource.getrusage, kinds))


def measure(
    n: int, models: int, methods: tuple[str, ...], stan: StanModels
) -> list[dict[str, float | str]]:
    """Time each stage of one evaluation in this process."""
    rows: list[dict[str, float | str]] = []

    @contextmanager
    def stage(name: str) -> Iterator[None]:
        cpu, wall = _used(), time.perf_counter()
        yield
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        spent = {"cpu": _used() - cpu, "wall": time.perf_counter() - wall, "peak MB": peak}
        rows.append({"stage": name, **spent})
        print(json.dumps(rows[-1]), file=sys.stderr, flush=True)

    with tempfile.TemporaryDirectory() as made:
        folder, settings = Path(made), Settings(methods=methods)
        with stage("making the files"):
            paths = make_files(folder, n, models)
        with stage("pandas.read_csv, the peer"):
            for path in paths:
                pd.read_csv(path, dtype=str)
        source = Source(paths)
        with stage("reading"):
            study = source.read()
        with stage("checking"):
            check = check_data(study, np.random.default_rng(settings.seed))
        with stage("planning"):
            planned = plan_study(study, settings)
            load_models(planned.methods, stan)
        found: list[Found] = []
        for job in planned.jobs:
            with stage(str(job)):
                found += run_job(job, study, settings, planned.strata, stan)
        with stage("joining"):
            joined = join_found(planned, found, check, 0.0)
            evaluation = with_source(joined, check, source, stan)
        with stage("writing"):
            write_evaluation(evaluation, check, folder / "out")
    return rows


def main() -> None:
    """Read the command line and measure, each study in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--study", choices=STUDIES, nargs="+", default=list(STUDIES))
    parser.add_argument("--models", type=Path, help="folder of compiled models")
    parser.add_argument("--toolchain", type=Path, help="toolchain.json that made them")
    parser.add_argument("--output", type=Path, help="write the table here as CSV")
    parser.add_argument("--one", choices=STUDIES, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        stan = StanModels.compiled(arguments.models, arguments.toolchain)
        print(json.dumps(measure(*STUDIES[arguments.one], stan)))
        return
    rows = []
    for name in arguments.study:
        command = [sys.executable, __file__, "--one", name]
        for option in ("models", "toolchain"):
            if getattr(arguments, option):
                command += [f"--{option}", str(getattr(arguments, option))]
        said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        rows += [{"study": name, **row} for row in json.loads(said)]
    table = pd.DataFrame(rows)
    print(table.round(2).to_string(index=False))
    own = table[~table["stage"].str.contains("making|peer")]
    print(own.groupby("study", sort=False).agg({"cpu": "sum", "peak MB": "max"}).round(1))
    if arguments.output:
        arguments.output.parent.mkdir(parents=True, exist_ok=True)
        table.to_csv(arguments.output, index=False)


if __name__ == "__main__":
    main()
