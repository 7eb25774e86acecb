"""Make one number of maven_fig4, small, and write which files of the library it passed.

A file is passed where one of its functions is given, or gives, an array or a table, or something
that holds one: before the figure is drawn a number is nothing else. It is run by itself: what
another test has made already would not be made again.
"""

import json
import sys
import threading
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.experiment import plan
from crowdgold.experiment.configuration import load
from crowdgold.experiment.drawing import simulate_block
from crowdgold.experiment.estimating import estimate_block
from crowdgold.experiment.summaries import summarise
from crowdgold.models.stan import StanModels
from crowdgold.plots.figure_jobs import draw
from crowdgold.record.results import concatenate, write_summary, write_table

ROOT = Path(__file__).resolve().parents[2]
LIBRARY = f"{ROOT}/src/crowdgold/"
NAME = "maven_fig4"
SMALL = {"n": 200, "votes_total": 3}


def holds(value: Any, depth: int = 3) -> bool:
    """Whether something is, or holds, an array or a table."""
    if isinstance(value, np.ndarray | np.floating | pd.DataFrame | pd.Series):
        return bool(np.size(value))
    if depth == 0:
        return False
    if isinstance(value, dict):
        return any(holds(one, depth - 1) for one in value.values())
    if isinstance(value, list | tuple):
        return any(holds(one, depth - 1) for one in value[:50])
    own = type(value).__module__.startswith("crowdgold") and not isinstance(value, type)
    return own and any(holds(one, depth - 1) for one in getattr(value, "__dict__", {}).values())


class Trace:
    """The files, and the Stan models, that data passed in each stage."""

    def __init__(self) -> None:
        self.passed: dict[str, set[str]] = defaultdict(set)
        self.models: set[str] = set()
        self.stage = ""

    def note(self, frame: FrameType, event: str, given: Any) -> None:
        """What the interpreter calls as a function begins and ends."""
        code = frame.f_code
        if not code.co_filename.startswith(LIBRARY) or code.co_name == "<module>":
            return
        if event == "return":
            seen = holds(given)
        else:
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            seen = event == "call" and any(holds(frame.f_locals.get(name)) for name in names)
        if code.co_qualname == "StanModels.executable":
            self.models.add(f"stan/{frame.f_locals['name']}.stan")
        if seen:
            self.passed[self.stage].add(str(Path(code.co_filename).relative_to(ROOT)))

    @contextmanager
    def of(self, stage: str) -> Iterator[None]:
        """Trace what is done as that of a stage, in all its threads."""
        self.stage = stage
        threading.setprofile(self.note)
        sys.setprofile(self.note)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)  # type: ignore[arg-type]


def small() -> dict[str, Any]:
    """The configuration, the experiment so small that it takes seconds."""
    config = load(ROOT / "config.yaml") | load(ROOT / "config/experiments/maven.yaml")
    block = config["experiments"][NAME]
    block |= {"methods": ["MAVEN"], "metrics": ["AUC"], "replicates": 1, "block": 1}
    block |= {"vary": {"gold_fraction": [0.2]}, "parameters": {**block["parameters"], **SMALL}}
    return config | {"imputations": 4, "sampler": {"chains": 2, "warmup": 100, "draws": 20}}


def trace(stan: StanModels, folder: Path) -> Trace:
    """Make the number as the scripts of the workflow do, and see where it passes."""
    config, found = small(), Trace()
    (setting, block), group = *plan.batches(config, NAME), next(iter(plan.groups(config, NAME)))
    data, rows, summary = (folder / f"{one}.parquet" for one in ("data", "rows", "summary"))
    with found.of("simulate"):
        simulate_block(plan.data_task(config, NAME, setting, block), data, {})
    with found.of("estimate"):
        task = plan.estimate_task(config, NAME, setting, group, block)
        write_table(estimate_block(task, data, stan, "1")[0], rows, {})
    with found.of("summarise"):
        table, _ = concatenate([rows])
        write_summary(summarise(table, ["gold_fraction"], config["level"]), summary, {})
    with found.of("figures"):
        figure = config["figures"][NAME]
        options = {**figure["options"], "metrics": ["AUC"]}
        draw(figure["plot"], concatenate([summary])[0], options, folder / NAME)
    assert (folder / f"{NAME}.svg").is_file()
    return found


if __name__ == "__main__":
    folder = Path(sys.argv[1])
    found = trace(StanModels(folder), folder)
    passed = {stage: sorted(files) for stage, files in found.passed.items()}
    print(json.dumps({**passed, "stan": sorted(found.models)}))
