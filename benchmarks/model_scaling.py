"""Run time against the number of items: DS, DS+S, H-AI and MAVEN, and peers (MAVEN, figure 5).

Data come from Algorithm 1, three votes an item and a tenth of gold labels. Every row is one method
at one n, on one core: seconds of inference, and of imputation (one data set a draw, AUC), apart.
Each is measured after a warm-up at a small n in the same process; compilation is not in it. The
models of votes and scores run with the score of each item, as printed, and compressed to few
points. MAVEN runs with the exact cut and with nested Stan fits, of which a part is timed. Peers
are the same models in NumPyro, with the same chains and iterations; they are left out, and that is
said, where it is not installed.
"""

import argparse
import importlib.util
import multiprocessing
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import linregress

from crowdgold.experiments.provenance.imports import library_files, named_hashes
from crowdgold.experiments.provenance.made_from import fold
from crowdgold.experiments.provenance.record import provenance
from crowdgold.experiments.results import write_table
from crowdgold.inference import evaluate
from crowdgold.methods import fit
from crowdgold.models.stan import StanModels
from crowdgold.simulate import simulate

PARAMETERS = {
    "phi": 0.3, "a0": 0.2, "a1": 0.6, "d0": 1.5, "d1": 1.5, "votes_total": 3,
    "gold_fraction": 0.1, "predictors": {"A": {"mu": 1.0, "delta": 1.0}},
}  # fmt: skip
SMALL = 200
NESTED_DRAWS = 20
"""Nested fits that are timed; their seconds are scaled up to all draws."""

VARIANTS: dict[str, tuple[str, dict[str, Any]]] = {
    "DS": ("DS", {}),
    "DS+S": ("DS+S", {"scores": "each"}),
    "DS+S, compressed": ("DS+S", {"scores": "compressed"}),
    "H-AI": ("H-AI", {"scores": "each"}),
    "H-AI, compressed": ("H-AI", {"scores": "compressed"}),
    "MAVEN": ("MAVEN", {"cut": "exact"}),
    "MAVEN, nested": ("MAVEN", {"cut": "nested"}),
}
"""Row of the table -> method and its own settings."""
CUTS = ["exact", "nested"]
PEERS = {"DS, NumPyro": "DS", "DS+S, NumPyro": "DS+S", "H-AI, NumPyro": "H-AI"}


def _items(n: int) -> Any:
    return simulate("maven", {**PARAMETERS, "n": n}, np.random.default_rng(n)).table


def measure(name: str, sizes: list[int], arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Time one method at every n in this process, after a warm-up at a small n."""
    stan = StanModels.compiled(arguments.models, arguments.toolchain)
    method, own = VARIANTS[name]
    # A run time of as many draws as asked for, whether they are enough or not.
    lengths = ("chains", "warmup", "draws")
    sampler = {**{name: getattr(arguments, name) for name in lengths}, "longest": 1}
    kept = arguments.chains * arguments.draws
    timed = min(NESTED_DRAWS, kept) if own.get("cut") == "nested" else kept
    settings = {"sampler": sampler, "imputations": timed, "threads": 1, **own}
    rng = np.random.default_rng(1)
    for run, n in enumerate([SMALL, *sizes]):
        items = _items(n)
        fitted = fit(method, items, rng, settings, stan)
        start = time.perf_counter()
        evaluate(fitted, items, ["AUC"], rng, target="items")
        imputation = time.perf_counter() - start
        inference = fitted.seconds["inference"]
        if timed < kept:
            inference += fitted.seconds["score model"] * (kept / timed - 1)
        if run > 0:
            yield {
                "method": name, "n": n, "inference": inference,
                "imputation": imputation * kept / timed, "passed": fitted.diagnostics.passed,
            }  # fmt: skip


def measure_peer(
    name: str, sizes: list[int], arguments: argparse.Namespace
) -> Iterator[dict[str, Any]]:
    """Time a NumPyro model at every n in this process; the first of two runs compiles it."""
    from numpyro_models import seconds_of

    chosen = (arguments.chains, arguments.warmup, arguments.draws)
    for n in sizes:
        seconds = seconds_of(PEERS[name], _items(n), "A", 1, *chosen)
        yield {"method": name, "n": n, "inference": seconds, "imputation": np.nan, "passed": True}


def measured(arguments: argparse.Namespace) -> list[str]:
    """The rows of the table to measure."""
    own = [
        name for name, (_, settings) in VARIANTS.items()
        if settings.get("cut", "exact") in arguments.cuts
    ]  # fmt: skip
    if arguments.methods:
        return [name for name in own if name in arguments.methods]
    if importlib.util.find_spec("numpyro") is None:
        print("no peers: NumPyro is not installed (make peers)", file=sys.stderr)
        return own
    return [*own, *PEERS]


def measure_all(name: str, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    """Time one row of the table at each of its n."""
    flat = "compressed" in name or name.startswith("MAVEN")
    sizes = [n for n in arguments.n if flat or n <= arguments.largest]
    found = []
    for row in (measure_peer if name in PEERS else measure)(name, sizes, arguments):
        print(f"{name}, n = {row['n']:,}: {row['inference']:.2f} s", file=sys.stderr, flush=True)
        found.append(row)
    return found


def rows(arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Measure every method, each in a process of its own."""
    context = multiprocessing.get_context("fork")
    with context.Pool(1, maxtasksperchild=1) as pool:
        for name in measured(arguments):
            yield from pool.apply(measure_all, (name, arguments))


def with_exponents(table: pd.DataFrame) -> pd.DataFrame:
    """Add how inference grows with n, for each method: the power of n, by least squares.

    `exponent_se` is its standard error, from the residuals; neither is known from too few n.
    """
    slopes = {}
    for name, own in table.groupby("method", sort=False):
        if len(own) > 1:
            line = linregress(np.log(own["n"]), np.log(own["inference"]))
            slopes[name] = (line.slope, line.stderr if len(own) > 2 else np.nan)
    columns = ("exponent", "exponent_se")
    found = [slopes.get(name, (np.nan, np.nan)) for name in table["method"]]
    return table.assign(**dict(zip(columns, np.array(found).T, strict=True)))


def main() -> None:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--n", type=int, nargs="+", default=[500, 1_000, 2_000, 5_000, 10_000])
    parser.add_argument("--largest", type=int, default=10_000, help="of methods that cost like n")
    parser.add_argument("--chains", type=int, default=4)
    parser.add_argument("--warmup", type=int, default=200)
    parser.add_argument("--draws", type=int, default=50, help="kept per chain")
    parser.add_argument("--cuts", nargs="+", default=CUTS, choices=CUTS, help="MAVEN's cuts")
    parser.add_argument("--methods", nargs="+", choices=VARIANTS, help="these alone, no peers")
    parser.add_argument("--models", type=Path, help="folder of compiled models")
    parser.add_argument("--toolchain", type=Path, help="toolchain.json that made them")
    parser.add_argument("--output", type=Path, help="write the table here as parquet")
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    table = with_exponents(pd.DataFrame(rows(arguments)))
    print(table.round(2).to_string(index=False))
    if arguments.output:
        paths = ("models", "toolchain", "output")
        chosen = {key: value for key, value in vars(arguments).items() if key not in paths}
        code = named_hashes(library_files(Path(__file__)))
        programs = sorted(Path("stan").glob("*.stan*"))
        made = provenance(Path.cwd(), chosen, code, programs, arguments.toolchain)
        write_table(table, arguments.output, fold({str(arguments.output): made}))


if __name__ == "__main__":
    main()
