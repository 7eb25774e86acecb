"""Time and memory of CLARA's Gibbs samplers, an item and a sweep, on one core.

Labels are those of the paper's simulations: two reviewers an item and a third where they differ
(section 4.1: 2,000 items, 3 reviewers; section 4.2.1: 50,000 items, 1,000 reviewers), with normal
scores through a sigmoid (section 7.3) in some rows. A row is one sampler: one chain, run several
times after a run that compiles it; the smallest and the largest time are given, and what the
paper's 12,000 sweeps take at the smallest. Memory is that of a process of its own: its peak, and
that before the labels are made. The peers are the published algorithm, written anew from the
printed equations, item by item: in NumPy, and as a plain Python loop over lists, which is faster
where items have few labels. They are timed for a part of the sweeps in the same run.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.models.clara.gibbs import ClaraSettings, sample_clara
from crowdgold.models.clara.model import ClaraPrior, empirical_prior
from crowdgold.models.majority import majority_shares
from crowdgold.record.results import write_csv
from crowdgold.simulate.clara import draw_clara
from crowdgold.types.annotations import Annotations

PAPER = 12_000
"""Sweeps of the paper: 2,000 thrown away, then 2,000 draws 5 apart."""
SMALL = {"items": 2_000, "annotators": 3, "sweeps": PAPER}
LARGE = {"items": 50_000, "annotators": 1_000, "sweeps": PAPER}
CASES: dict[str, dict[str, Any]] = {
    "blocked, shared": {**SMALL, "confusion": "shared"},
    "blocked, each": {**SMALL, "confusion": "annotator"},
    "blocked, shared, scores": {**SMALL, "confusion": "shared", "scores": True},
    "collapsed, shared": {**SMALL, "confusion": "shared", "sampler": "collapsed"},
    "collapsed, each": {**SMALL, "confusion": "annotator", "sampler": "collapsed"},
    "collapsed, shared, scores":
        {**SMALL, "confusion": "shared", "sampler": "collapsed", "scores": True},
    "blocked, 1,000 reviewers": {**LARGE, "confusion": "annotator"},
    "blocked, 1,000 reviewers, twice the items":
        {**LARGE, "items": 100_000, "sweeps": 3_000, "confusion": "annotator"},
    "collapsed, 1,000 reviewers":
        {**LARGE, "sweeps": 3_000, "confusion": "annotator", "sampler": "collapsed"},
    "peer: NumPy, item by item, each": {**SMALL, "sweeps": 12, "confusion": "annotator"},
    "peer: plain Python loop, each": {**SMALL, "sweeps": 120, "confusion": "annotator"},
}  # fmt: skip
"""Row of the table -> items, annotators, sweeps that are timed, and settings."""


def draw_annotations(items: int, annotators: int, scores: bool) -> Annotations:
    """Draw labels with prevalence 0.2, TPR 0.8 and TNR 0.9, a third where two differ."""
    parameters = {
        "n": items, "n_reviewers": annotators, "prevalence": 0.2, "tpr": 0.8, "tnr": 0.9,
        **({"scores": {"sd": 2}, "separation": "1"} if scores else {}),
    }  # fmt: skip
    drawn: Annotations = draw_clara(parameters, np.random.default_rng(items)).table
    return drawn


def published_sweeps(annotations: Annotations, prior: ClaraPrior, sweeps: int) -> np.ndarray:
    """Make sweeps of algorithm 1 item by item, equation 1 as printed; give the true labels (I,)."""
    rng = np.random.default_rng(1)
    start = np.searchsorted(annotations.item_of, np.arange(len(annotations.item) + 1))
    y = majority_shares(annotations).argmax(axis=1)
    n, m = np.bincount(y, minlength=2), np.zeros((len(annotations.annotator), 2, 2))
    np.add.at(m, (annotations.annotator_of, y[annotations.item_of], annotations.label), 1)
    for _ in range(sweeps):
        for i in range(len(y)):
            own = slice(start[i], start[i + 1])
            who, label = annotations.annotator_of[own], annotations.label[own]
            n[y[i]] -= 1
            m[who, y[i], label] -= 1
            weight = prior.theta + n
            above = prior.psi[:, label].T + m[who, :, label]
            weight = weight * (above / (prior.psi.sum(axis=1) + m[who].sum(axis=2))).prod(axis=0)
            y[i] = rng.random() < weight[1] / weight.sum()
            n[y[i]] += 1
            m[who, y[i], label] += 1
    return y


def plain_loop_sweeps(annotations: Annotations, prior: ClaraPrior, sweeps: int) -> list[int]:
    """Make the same sweeps with lists and numbers of Python alone; give the true labels (I,)."""
    rng, categories = np.random.default_rng(1), range(len(annotations.category))
    labels: list[list[tuple[int, int]]] = [[] for _ in annotations.item]
    whole = (annotations.item_of, annotations.annotator_of, annotations.label)
    for i, a, r in zip(*(part.tolist() for part in whole), strict=True):
        labels[i].append((a, r))
    y = majority_shares(annotations).argmax(axis=1).tolist()
    n, psi = prior.theta.tolist(), prior.psi.tolist()
    above = [[list(row) for row in psi] for _ in annotations.annotator]
    below = [[sum(row) for row in psi] for _ in annotations.annotator]

    def count(own: list[tuple[int, int]], k: int, change: int) -> None:
        n[k] += change
        for a, r in own:
            above[a][k][r] += change
            below[a][k] += change

    for own, k in zip(labels, y, strict=True):
        count(own, k, 1)
    for _ in range(sweeps):
        for i, left in enumerate(rng.random(len(y)).tolist()):
            own = labels[i]
            count(own, y[i], -1)
            weight = []
            for k in categories:
                mass = n[k]
                for a, r in own:
                    mass *= above[a][k][r] / below[a][k]
                weight.append(mass)
            left *= sum(weight)
            k = len(weight) - 1
            while k > 0 and left >= weight[k]:
                left -= weight[k]
                k -= 1
            y[i] = k
            count(own, k, 1)
    return y


PEERS = {"NumPy": published_sweeps, "plain Python loop": plain_loop_sweeps}
"""First words of a peer's name after `peer: ` -> its sweeps."""


def runner(case: dict[str, Any], annotations: Annotations, name: str) -> Callable[[int], Any]:
    """What makes a number of sweeps of a case of that name."""
    prior = empirical_prior(annotations)
    for words, sweep in PEERS.items():
        if name.startswith(f"peer: {words},"):
            return lambda sweeps: sweep(annotations, prior, sweeps)
    sampler = case.get("sampler", "blocked")

    def run(sweeps: int) -> Any:
        draws = max(sweeps // 6, 1)
        settings = ClaraSettings(
            case["confusion"], sampler, chains=1, warmup=sweeps - 5 * draws, draws=draws
        )
        return sample_clara(annotations, prior, settings, np.random.default_rng(1))

    return run


def measure(name: str, share: float, runs: int) -> dict[str, Any]:
    """Time one case in this process, and give its peak memory."""
    case = CASES[name]
    sweeps = max(12, round(case["sweeps"] * share))
    runner(case, draw_annotations(200, 3, case.get("scores", False)), name)(12)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    annotations = draw_annotations(case["items"], case["annotators"], case.get("scores", False))
    run, seconds = runner(case, annotations, name), []
    for _ in range(runs):
        begin = time.perf_counter()
        run(sweeps)
        seconds.append(time.perf_counter() - begin)
    each = 1e9 / sweeps / case["items"]
    return {
        "case": name, "items": case["items"], "annotators": case["annotators"],
        "labels": len(annotations), "sweeps": sweeps, "runs": runs,
        "least ns": min(seconds) * each, "most ns": max(seconds) * each,
        "least seconds": min(seconds), "most seconds": max(seconds),
        "seconds of 12,000": min(seconds) * PAPER / sweeps,
        "peak MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "peak MB before": before / 1024,
    }  # fmt: skip


def main() -> None:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--share", type=float, default=1.0, help="of each row's sweeps, to be quick"
    )
    parser.add_argument("--runs", type=int, default=3, help="timed runs of a row")
    parser.add_argument("--output", type=Path, help="write the table here as CSV")
    parser.add_argument("--one", choices=CASES, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    if arguments.one:
        print(json.dumps(measure(arguments.one, arguments.share, arguments.runs)))
        return
    rows = []
    for name in CASES:
        print(f"measuring {name} ...", file=sys.stderr, flush=True)
        command = [
            sys.executable, __file__, "--one", name, "--share", str(arguments.share),
            "--runs", str(arguments.runs),
        ]  # fmt: skip
        said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        rows.append(json.loads(said))
    table = pd.DataFrame(rows)
    print(table.round(2).to_string(index=False))
    if arguments.output:
        write_csv(table, arguments.output)


if __name__ == "__main__":
    main()
