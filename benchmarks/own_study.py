"""Time and memory of `crowdgold evaluate`: the command as it is given, and stage by stage.

A study is the bundled example, or generated: items by Algorithm 1 with three votes each, long, by
1,000 annotators; 300 gold labels; one or two models. The command runs on two cores and writes its
report; its memory is that of all its processes together. Its answer is there when the table's first
line is printed: before version 0.2.0 that was when all models had been sampled. With --before
PYTHON the command of an older version runs, too, on the same files in the same run. The bars:
10,000 items with two models and all methods in 60 s with a report of 5 MB; 1,000,000 items with
logistic-R, MAVEN and GT in 300 s and 4 GB; with --check the exit code is 1 where one is not kept.
An evaluation of a small study comes first, which compiles what there is to compile. Stages run in
one process; their CPU seconds are of it and of what it started, so that they mean the same on a
busy machine. The peer of the reader is pandas.read_csv of the same files, in the same run.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from threading import Thread
from typing import IO, NamedTuple

import numpy as np
import pandas as pd
import psutil

import crowdgold
from crowdgold.checking.study import check_data
from crowdgold.evaluation.assumed_errors import assumed_errors
from crowdgold.evaluation.fitting import Finding, run_job
from crowdgold.evaluation.jobs import plan_study
from crowdgold.evaluation.questions import Settings
from crowdgold.evaluation.study import (
    join_findings,
    load_models,
    with_source,
    write_evaluation,
)
from crowdgold.methods.registry import offered
from crowdgold.models.stan import StanModels
from crowdgold.reading.study import StudyFiles
from crowdgold.record.results import write_csv
from crowdgold.simulate.maven import draw_maven
from crowdgold.types.items import NO_GOLD

ANNOTATORS = 1000
PARAMETERS = {
    "phi": 0.3, "a0": 0.2, "a1": 0.6, "d0": 1.5, "d1": 1.5, "votes_total": 3, "n_gold": 300,
}  # fmt: skip
SCORES = {"large": {"mu": 1.0, "delta": 1.0}, "small": {"mu": 0.5, "delta": 0.5}}


class Bar(NamedTuple):
    """What the command may take: seconds of wall time on two cores, MB of memory and of report."""

    wall: float
    memory: float
    report: float = 5


class Size(NamedTuple):
    """A study: how many items (0: the bundled example) and models, the bar, and the methods.

    Without methods they are the command's own, which are those of `offered`.
    """

    items: int
    models: int
    bar: Bar
    methods: tuple[str, ...] = ()


STUDIES = {
    "example": Size(0, 2, Bar(np.inf, np.inf)),
    "small": Size(10_000, 2, Bar(60, 4000)),
    "large": Size(1_000_000, 1, Bar(300, 4000), ("logistic-R", "GT", "MAVEN")),
}
TINY = Size(400, 2, Bar(np.inf, np.inf))
SINCE_THEN = {"logistic-R"}
"""Methods that the version before lacks, so that its command is not asked for them."""
COMMAND = "crowdgold evaluate --cores 2 --report"
EVERY = 0.5
"""Seconds between two looks at the memory of the command's processes."""


def make_files(folder: Path, n: int, models: int) -> list[Path]:
    """Write votes, gold labels and scores; of 0 items, name those of the bundled example."""
    if not n:
        example = Path(crowdgold.__file__).parent / "example"
        return [example / f"{name}.csv" for name in ("votes", "gold", "scores")]
    predictors = dict(list(SCORES.items())[:models])
    rng = np.random.default_rng(n)
    items = draw_maven({**PARAMETERS, "n": n, "predictors": predictors}, rng).table
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
    """The CPU seconds of this process and of those that it started."""
    kinds = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    return sum(one.ru_utime + one.ru_stime for one in map(resource.getrusage, kinds))


def _memory_of(process: psutil.Process) -> float:
    """The MB that a process and those that it started hold; shared pages count once each."""
    total = 0
    with suppress(psutil.NoSuchProcess):
        for one in (process, *process.children(recursive=True)):
            with suppress(psutil.NoSuchProcess):
                total += one.memory_full_info().pss
    return total / 2**20


def seconds_to_answer(output: IO[bytes], start: float, found: list[float]) -> None:
    """Read what a command prints to its end, and note when its table began."""
    found += [time.perf_counter() - start for line in output if line.startswith(b"metric ")]


def measure_command(
    size: Size, python: str = sys.executable, lacks: set[str] | None = None
) -> dict[str, float | str]:
    """What the command of an interpreter's crowdgold takes on a study's files."""
    with tempfile.TemporaryDirectory() as made:
        files = [str(path) for path in make_files(Path(made), size.items, size.models)]
        out = Path(made) / "out"
        asked = [*COMMAND.split()[1:], *files, "--out", str(out)]
        if size.methods:
            asked += ["--methods", *(name for name in size.methods if name not in (lacks or ()))]
        cpu, wall, peak = _used(), time.perf_counter(), 0.0
        answered: list[float] = []
        # Without a path that would give an older version's interpreter this one's code.
        own = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        with subprocess.Popen(
            [python, "-m", "crowdgold.cli", *asked],
            stdout=subprocess.PIPE,
            env=os.environ if python == sys.executable else own,
        ) as run:
            assert run.stdout is not None
            reader = Thread(target=seconds_to_answer, args=(run.stdout, wall, answered))
            reader.start()
            process = psutil.Process(run.pid)
            while run.poll() is None:
                peak = max(peak, _memory_of(process))
                time.sleep(EVERY)
            reader.join()
        wall = time.perf_counter() - wall
        if run.returncode:
            raise subprocess.CalledProcessError(run.returncode, asked)
        report = (out / "report.html").stat().st_size / 2**20
    return {
        "stage": COMMAND,
        "cpu": _used() - cpu,
        "wall": wall,
        "answer": answered[0],
        "peak MB": peak,
        "report MB": report,
        "bar": over_the_bar(wall, peak, report, size.bar),
    }


def over_the_bar(wall: float, memory: float, report: float, bar: Bar) -> str:
    """Say which bars are not kept: `kept` where all are."""
    found = {
        f"{wall:.0f} s, at most {bar.wall:.0f}": wall > bar.wall,
        f"{memory:.0f} MB of memory, at most {bar.memory:.0f}": memory > bar.memory,
        f"{report:.1f} MB of report, at most {bar.report:g}": report > bar.report,
    }
    return "; ".join(text for text, over in found.items() if over) or "kept"


def measure(size: Size, stan: StanModels) -> list[dict[str, float | str]]:
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
        folder, settings = Path(made), Settings(methods=size.methods or offered())
        with stage("making the files"):
            paths = make_files(folder, size.items, size.models)
        with stage("pandas.read_csv, the peer"):
            for path in paths:
                pd.read_csv(path, dtype=str)
        files = StudyFiles(paths)
        with stage("reading"):
            study = files.read()
        with stage("checking"):
            check = check_data(study, np.random.default_rng(settings.seed))
        with stage("planning"):
            planned = plan_study(study, settings)
            load_models(planned.methods, stan)
        found: list[Finding] = []
        for job in planned.jobs:
            with stage(str(job)):
                found += run_job(job, planned, stan)
        with stage("joining"):
            assumed = assumed_errors(planned)
            joined = join_findings(planned, found, check, 0.0, assumed)
            evaluation = with_source(joined, check, files, stan)
        with stage("writing"):
            write_evaluation(evaluation, check, folder / "out")
    return rows


def main() -> None:
    """Read the command line and measure, each study in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--study", choices=STUDIES, nargs="+", default=list(STUDIES))
    parser.add_argument("--models", type=Path, help="folder of compiled models")
    parser.add_argument("--toolchain", type=Path, help="toolchain.json that made them")
    parser.add_argument("--before", type=Path, help="python of an environment of an older version")
    parser.add_argument("--output", type=Path, help="write the table here as CSV")
    parser.add_argument("--check", action="store_true", help="exit with 1 over a bar")
    parser.add_argument("--one", choices=STUDIES, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        stan = StanModels.compiled(arguments.models, arguments.toolchain)
        print(json.dumps(measure(STUDIES[arguments.one], stan)))
        return
    rows: list[dict[str, float | str]] = []
    versions: list[tuple[str, str, set[str]]] = [(version("crowdgold"), sys.executable, set())]
    if arguments.before:
        asked = "from importlib.metadata import version; print(version('crowdgold'), end='')"
        number = subprocess.check_output([arguments.before, "-c", asked], text=True)
        versions.append((number, str(arguments.before), SINCE_THEN))
    for _, python, lacks in versions:
        measure_command(TINY, python, lacks)
    for name in arguments.study:
        for number, python, lacks in versions:
            measured = measure_command(STUDIES[name], python, lacks)
            rows.append({"study": name, "version": number, **measured})
            print(json.dumps(rows[-1]), file=sys.stderr, flush=True)
        command = [sys.executable, __file__, "--one", name]
        for option in ("models", "toolchain"):
            if getattr(arguments, option):
                command += [f"--{option}", str(getattr(arguments, option))]
        said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        rows += [{"study": name, **row} for row in json.loads(said)]
    table = pd.DataFrame(rows)
    print(table.round(2).to_string(index=False))
    own = table[~table["stage"].str.contains("making|peer|crowdgold")]
    print(own.groupby("study", sort=False).agg({"cpu": "sum", "peak MB": "max"}).round(1))
    if arguments.output:
        write_csv(table, arguments.output)
    if arguments.check and not table["bar"].dropna().eq("kept").all():
        sys.exit(1)


if __name__ == "__main__":
    main()
