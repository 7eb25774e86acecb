"""Time and memory of the EM for confusion matrices, beside crowd-kit's `DawidSkene`.

The work: K = 5 levels, 5 labels an item by 1,000 annotators whose accuracies are 0.4 to 0.9, 20 EM
steps at equal settings: no smoothing, every matrix starts with 0.8 on its diagonal, the class prior
with the shares of the labels. Both end with the same posterior of each item, which is compared.
crowd-kit computes its evidence bound in every step, which cannot be turned off; the EM its log
posterior. Another row is one fit of STABLEVAL's synthetic study: 3,000 responses, 5 labels each, 30
annotators, 100 steps. Each row has a process of its own; times are those of the fit, after one of
another table that compiles it, on one core; memory is the peak during the fit above that before.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.models.confusion_em import PRESETS, EmSettings, fit_confusion_em
from crowdgold.record.results import write_csv
from crowdgold.simulate.stableval import draw_stableval
from crowdgold.types.annotations import NO_GROUP, Annotations

LEVELS, LABELS, ANNOTATORS, STEPS = 5, 5, 1_000, 20
DIAGONAL = 0.8
# A floor too small to matter, where crowd-kit cuts counts at 1e-10, which none reaches.
EQUAL = EmSettings(
    alpha_pi=1.0, floor=1e-15, start="labels", diagonal=DIAGONAL, steps=STEPS, tolerance=0.0
)
OURS, PEER, STUDY = "EM", "crowd-kit DawidSkene", "synthetic study, EM"
RUNS = {OURS: 3, PEER: 1, STUDY: 5}
"""Timed runs of a row, of which the least is given."""


def draw_annotations(items: int) -> Annotations:
    """Draw labels of items by `ANNOTATORS`, wrong ones evenly."""
    rng = np.random.default_rng(items)
    truth = rng.integers(LEVELS, size=items)
    # Steps of 1 and 2 from a random annotator, so that no two of an item's are the same.
    who = (rng.integers(ANNOTATORS, size=(items, 1)) + np.cumsum(
        rng.integers(1, 3, size=(items, LABELS)), axis=1)) % ANNOTATORS  # fmt: skip
    accuracy = rng.uniform(0.4, 0.9, ANNOTATORS)
    wrong = (truth[:, None] + rng.integers(1, LEVELS, size=who.shape)) % LEVELS
    label = np.where(rng.random(who.shape) < accuracy[who], truth[:, None], wrong)
    names = [np.arange(size).astype(str).astype(object) for size in (items, ANNOTATORS, LEVELS)]
    return Annotations(
        names[0],
        names[1],
        np.array([NO_GROUP], dtype=object),
        names[2],
        np.repeat(np.arange(items), LABELS),
        who.ravel(),
        np.zeros(who.size, dtype=np.int64),
        label.ravel(),
    )


def as_frame(annotations: Annotations) -> pd.DataFrame:
    """The labels as crowd-kit takes them, with numbers for names."""
    return pd.DataFrame(
        {
            "task": annotations.item_of,
            "worker": annotations.annotator_of,
            "label": annotations.label,
        }
    )


def peer_posterior(frame: pd.DataFrame) -> np.ndarray:
    """Fit crowd-kit's model and give the posterior of each item (I, K)."""
    from crowdkit.aggregation import DawidSkene

    start = np.full((LEVELS, LEVELS), (1 - DIAGONAL) / (LEVELS - 1))
    np.fill_diagonal(start, DIAGONAL)
    names = ["worker", "label"]
    index = pd.MultiIndex.from_product([range(ANNOTATORS), range(LEVELS)], names=names)
    errors = pd.DataFrame(np.tile(start, (ANNOTATORS, 1)), index=index, columns=range(LEVELS))
    model = DawidSkene(STEPS, tol=-np.inf, initial_error_strategy="assign")
    return model.fit_predict_proba(frame, initial_error=errors).sort_index().to_numpy()


def runner(row: str, items: int) -> Callable[[], np.ndarray]:
    """Make the data of a row, and give what fits them."""
    if row == STUDY:
        table = draw_stableval({}, np.random.default_rng(1)).table
        steps = EmSettings(**{**vars(PRESETS["published_synthetic"]), "steps": 100, "tolerance": 0})
        return lambda: fit_confusion_em(table, steps).posterior
    annotations = draw_annotations(items)
    if row == OURS:
        return lambda: fit_confusion_em(annotations, EQUAL).posterior
    frame = as_frame(annotations)
    return lambda: peer_posterior(frame)


def memory(field: str) -> float:
    """Memory of this process in MB: `VmRSS` now, `VmHWM` at its peak."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(float(line.split()[1]) / 1024 for line in lines if line.startswith(field))


def measure(row: str, items: int, posterior: Path) -> dict[str, Any]:
    """Time a row in this process, and keep the posterior that it found."""
    if row != PEER:
        fit_confusion_em(draw_annotations(200), EQUAL)
    fit, seconds = runner(row, items), []
    before = memory("VmRSS")
    Path("/proc/self/clear_refs").write_text("5")  # the peak starts anew
    for _ in range(RUNS[row]):
        begin = time.perf_counter()
        found = fit()
        seconds.append(time.perf_counter() - begin)
    peak = memory("VmHWM")
    np.save(posterior, found)
    return {
        "row": row, "items": len(found), "runs": len(seconds), "seconds": min(seconds),
        "most seconds": max(seconds), "MB of data": before, "MB above": peak - before,
    }  # fmt: skip


def run_one(row: str, items: int, posterior: Path) -> dict[str, Any]:
    """Measure a row in a process of its own."""
    print(f"measuring {row}, {items:,} items ...", file=sys.stderr, flush=True)
    command = [sys.executable, __file__, "--one", row, "--items", str(items),
               "--posterior", str(posterior)]  # fmt: skip
    found = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    measured: dict[str, Any] = json.loads(found)
    return measured


def run_all(sizes: list[int], peers: bool) -> pd.DataFrame:
    """Measure every row; beside crowd-kit's stand the ratio of times and the largest difference."""
    with tempfile.TemporaryDirectory() as folder:
        study, ours, peer = (Path(folder, f"{name}.npy") for name in ("study", "ours", "peer"))
        rows = [run_one(STUDY, 3_000, study)]
        for items in sizes:
            rows.append(run_one(OURS, items, ours))
            if peers:
                own = run_one(PEER, items, peer)
                found = [np.load(path, allow_pickle=False) for path in (ours, peer)]
                difference = float(np.abs(found[0] - found[1]).max())
                ratio = own["seconds"] / rows[-1]["seconds"]
                rows.append({**own, "times ours": ratio, "difference": difference})
    return pd.DataFrame(rows)


def main() -> None:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--without-peers", action="store_true", help="time the EM alone")
    parser.add_argument("--output", type=Path, help="write the table here as CSV")
    parser.add_argument("--one", choices=RUNS, help=argparse.SUPPRESS)
    parser.add_argument("--posterior", type=Path, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    if arguments.one:
        print(json.dumps(measure(arguments.one, arguments.items[0], arguments.posterior)))
        return
    table = run_all(arguments.items, not arguments.without_peers)
    print(table.to_string(index=False, float_format="%.4g"))
    if arguments.output:
        write_csv(table, arguments.output)


if __name__ == "__main__":
    main()
