"""Run time against the number of items: DS, DS+S, H-AI and MAVEN, and peers (MAVEN, figure 5).

Data come from Algorithm 1, three votes an item and a tenth of gold labels. Every row is one run of
one method at one n, on one core, on data of its own: seconds of inference, and of imputation (one
data set a draw, AUC), apart, and the smallest effective number of draws of a parameter. Chains that
miss their gate grow to `--longest` times their draws at most. A method is timed after a warm-up
at a small n in the same process; compilation is not in it. Each method has the same time: first one
run at every n that it lets, smallest first, then further runs of each.

The models of votes and scores run with the score of each item, as printed, and compressed to few
points. MAVEN is nested Stan fits, as printed, one for each draw that the others are asked for;
MAVEN-exact draws from the same densities directly.
Peers are the same models in NumPyro, with the same chains and as many iterations as ours at least;
they are left out, and that is said, where it is not installed.
"""

import argparse
import importlib.util
import multiprocessing
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import linregress

from crowdgold.inference.labels import evaluate
from crowdgold.methods.registry import fit
from crowdgold.models.stan import StanModels
from crowdgold.record.imports import library_files, named_hashes
from crowdgold.record.record import provenance
from crowdgold.record.results import write_table
from crowdgold.simulate import simulate

PARAMETERS = {
    "phi": 0.3, "a0": 0.2, "a1": 0.6, "d0": 1.5, "d1": 1.5, "votes_total": 3,
    "gold_fraction": 0.1, "predictors": {"A": {"mu": 1.0, "delta": 1.0}},
}  # fmt: skip
SMALL = 200
VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "DS": ("DS", {}),
    "DS+S": ("DS+S", {"scores": "each"}),
    "DS+S, compressed": ("DS+S", {"scores": "compressed"}),
    "H-AI": ("H-AI", {"scores": "each"}),
    "H-AI, compressed": ("H-AI", {"scores": "compressed"}),
    "MAVEN": ("MAVEN", {"cut": "nested"}),
    "MAVEN-exact": ("MAVEN-exact", {}),
}
"""Row of the table -> method and its own settings."""
Timer = Callable[[int, int], dict[str, Any]]
"""(n, run) -> seconds, and whether the chains passed their gate."""
PEERS = {"DS, NumPyro": "DS", "DS+S, NumPyro": "DS+S", "H-AI, NumPyro": "H-AI"}


def _items(n: int, run: int) -> Any:
    return simulate("maven", {**PARAMETERS, "n": n}, np.random.default_rng([n, run])).table


def timer(name: str, arguments: argparse.Namespace) -> Timer:
    """What times one method of ours, which a small fit has warmed up."""
    stan = StanModels.compiled(arguments.models, arguments.toolchain)
    method, own = VARIANTS[name]
    sampler = {name: getattr(arguments, name) for name in ("chains", "warmup", "draws", "longest")}
    draws = arguments.chains * arguments.draws
    settings = {"sampler": sampler, "imputations": draws, "threads": 1, **own}

    def measure(n: int, run: int) -> dict[str, Any]:
        items, rng = _items(n, run), np.random.default_rng([1, n, run])
        fitted = fit(method, items, rng, settings, stan)
        start = time.perf_counter()
        evaluate(fitted, items, ["AUC"], rng, target="items")
        return {
            "inference": fitted.seconds["inference"],
            "imputation": time.perf_counter() - start,
            "passed": fitted.diagnostics.passed,
            # Of MAVEN those of the vote model: given these, (mu, delta) are drawn independently.
            "effective": fitted.diagnostics.ess_bulk,
        }

    measure(SMALL, 0)
    return measure


def peer_timer(name: str, arguments: argparse.Namespace) -> Timer:
    """What times a NumPyro model; the first of the two runs that it makes compiles it."""
    from numpyro_models import seconds_of

    chosen = (arguments.chains, arguments.warmup, arguments.draws)

    def measure(n: int, run: int) -> dict[str, Any]:
        seconds = seconds_of(PEERS[name], _items(n, run), "A", 1 + run, *chosen)
        return {"inference": seconds, "imputation": np.nan, "passed": True, "effective": np.nan}

    return measure


def measure_all(name: str, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Time one method, as many n and runs as its seconds let; the smallest n once at least."""
    measure = (peer_timer if name in PEERS else timer)(name, arguments)
    left, found = arguments.seconds, []
    taken: dict[int, float] = {}
    for run in range(arguments.runs):
        for n in sorted(arguments.n):
            # A run takes what the last one at this n took; at a larger n at most like n.
            nearest = max((one for one in taken if one <= n), default=0)
            if taken and taken[nearest] * n / nearest > left:
                if run == 0:
                    print(f"{name}: n = {n:,} and more take too long", file=sys.stderr)
                break
            start = time.perf_counter()
            row = {"method": name, "n": n, "run": run, **measure(n, run)}
            taken[n] = time.perf_counter() - start
            left -= taken[n]
            print(f"{name}, n = {n:,}: {row['inference']:.2f} s", file=sys.stderr, flush=True)
            found.append(row)
    return found


def with_exponents(table: pd.DataFrame) -> pd.DataFrame:
    """Add how inference grows with n, for each method: the power of n, by least squares.

    `exponent_se` is its standard error, from the residuals; neither is known from too few n.
    """
    slopes = {}
    for name, own in table.groupby("method", sort=False):
        if own["n"].min() < own["n"].max():
            line = linregress(np.log(own["n"]), np.log(own["inference"]))
            slopes[name] = (line.slope, line.stderr if len(own) > 2 else np.nan)
    columns = ("exponent", "exponent_se")
    found = [slopes.get(name, (np.nan, np.nan)) for name in table["method"]]
    return table.assign(**dict(zip(columns, np.array(found).T, strict=True)))


def main() -> None:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, nargs="+", default=[500, 1_000, 2_000, 5_000, 10_000])
    parser.add_argument("--runs", type=int, default=5, help="at each n, at most")
    parser.add_argument("--seconds", type=float, default=60, help="of each method")
    parser.add_argument("--chains", type=int, default=4)
    parser.add_argument("--warmup", type=int, default=300)
    parser.add_argument("--draws", type=int, default=125, help="kept per chain, at least")
    parser.add_argument("--longest", type=int, default=8, help="times the draws, at most")
    parser.add_argument("--methods", nargs="+", choices=VARIANTS, help="these alone, no peers")
    parser.add_argument("--models", type=Path, help="folder of compiled models")
    parser.add_argument("--toolchain", type=Path, help="toolchain.json that made them")
    parser.add_argument("--output", type=Path, help="write the table here as parquet")
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    names = [name for name in VARIANTS if name in (arguments.methods or VARIANTS)]
    if importlib.util.find_spec("numpyro") is not None and not arguments.methods:
        names += PEERS
    elif not arguments.methods:
        print("no peers: NumPyro is not installed (make peers)", file=sys.stderr)
    rows: list[dict[str, Any]] = []
    # Each in a process of its own.
    with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        for name in names:
            rows += pool.apply(measure_all, (name, arguments))
    table = with_exponents(pd.DataFrame(rows))
    print(table.round(2).to_string(index=False))
    if arguments.output:
        paths = ("models", "toolchain", "output")
        chosen = {key: value for key, value in vars(arguments).items() if key not in paths}
        code = named_hashes(library_files(Path(__file__)))
        programs = sorted(Path("stan").glob("*.stan*"))
        made = provenance(Path.cwd(), chosen, code, programs, arguments.toolchain)
        write_table(table, arguments.output, made)


if __name__ == "__main__":
    main()
