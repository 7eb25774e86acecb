"""Time and memory of one MAVEN estimate against the number of items, part by part, on one core.

Data come from Algorithm 1 with three votes an item and a tenth of gold labels. Parts: `summary`
(vote sets and win counts), `vote model` (Stan), `score model` (the exact cut) and `imputation` (500
imputed data sets, all metrics). Inference is vote model and score model; it should not grow with n.
The peer is the paper's own way, nested fits of the score model by Stan, timed in the same run.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

from crowdgold.inference.labels import evaluate
from crowdgold.methods.registry import fit
from crowdgold.models.stan import StanModels
from crowdgold.record.results import write_csv
from crowdgold.simulate import simulate
from crowdgold.types.items import Items

METRICS = [
    "TNR_H", "TPR_H", "prevalence", "AUC", "delta_TPR", "accuracy@1", "precision@1", "recall@1",
    *(f"precision_at_recall@{recall / 10:g}" for recall in range(1, 10)),
]  # fmt: skip
PARAMETERS = {
    "phi": 0.3, "a0": 0.2, "a1": 0.6, "d0": 1.5, "d1": 1.5, "votes_total": 3,
    "gold_fraction": 0.1, "predictors": {"A": {"mu": 1.0, "delta": 1.0}},
}  # fmt: skip


def _simulated(n: int) -> Items:
    items = simulate("maven", {**PARAMETERS, "n": n}, np.random.default_rng(n)).table
    return items.take(items.order("A"))  # in score order memory is read in sequence


def measure(n: int, stan: StanModels) -> dict[str, float]:
    """Time one estimate at n items in this process, and give its peak memory."""
    rng = np.random.default_rng(1)
    warm = _simulated(1000)
    warm_fit = fit("MAVEN", warm, rng, {"imputations": 20}, stan)
    evaluate(warm_fit, warm, METRICS, rng, target="items")
    items = _simulated(n)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    fitted = fit("MAVEN", items, rng, {}, stan)
    start = time.perf_counter()
    evaluate(fitted, items, METRICS, rng, target="items")
    row = {"n": n, **fitted.seconds, "imputation": time.perf_counter() - start}
    row["total"] = row["summary"] + row["inference"] + row["imputation"]
    row["peak MB"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    row["peak MB before"] = before / 1024
    # The peer: a pilot and a fit for each of 500 draws.
    nested = fit("MAVEN", items, np.random.default_rng(1), {"cut": "nested"}, stan)
    row["nested score model"] = nested.seconds["score model"]
    return row


def run(arguments: argparse.Namespace) -> pd.DataFrame:
    """Measure every n in a process of its own, print the table and write it."""
    rows = []
    for n in arguments.n:
        print(f"measuring n = {n:,} ...", file=sys.stderr, flush=True)
        command = [sys.executable, __file__, "--one", str(n)]
        for name in ("models", "toolchain"):
            if getattr(arguments, name):
                command += [f"--{name}", str(getattr(arguments, name))]
        said = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
        rows.append(json.loads(said))
    table = pd.DataFrame(rows)
    slope = np.polyfit(np.log(table["n"]), np.log(table["inference"]), 1)[0]
    print(table.round(2).to_string(index=False))
    print(f"\ninference grows like n^{slope:.2f}")
    ratio = table["nested score model"] / table["score model"]
    print(
        f"score model: nested Stan fits take {ratio.min():.0f} to {ratio.max():.0f} times as long "
        "as the exact cut"
    )
    return table.assign(inference_exponent=slope)


def main() -> None:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, nargs="+", default=[1_000, 10_000, 100_000, 1_000_000])
    parser.add_argument("--models", type=Path, help="folder of compiled models")
    parser.add_argument("--toolchain", type=Path, help="toolchain.json that made them")
    parser.add_argument("--output", type=Path, help="write the table here as CSV")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    stan = StanModels.compiled(arguments.models, arguments.toolchain)
    if arguments.one:
        print(json.dumps(measure(int(arguments.one), stan)))
    else:
        table = run(arguments)
        if arguments.output:
            write_csv(table, arguments.output)


if __name__ == "__main__":
    main()
