"""How many fits pass their gate, and the seconds they take: MAVEN's vote model, DS, DS+S and H-AI.

Tables are those of figure 4 (`maven_fig4` of config/experiments/maven.yaml) with the gold fractions
asked for. A method is fitted to all predictors of a table, and passes where each of its chains
does. Each `--sampler` is chains, warm-up, draws and how many times the draws chains may grow to:
`2x300+500x1` says what the gate finds where chains are never continued. Seconds are processor time,
Stan's included, so that what else runs on the machine does not count; compilation is not in them.
"""

import argparse
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import yaml

from crowdgold.methods.registry import fit
from crowdgold.models.stan import SamplerSettings, StanModels
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.models.vote_sets import find_vote_sets, fit_votes
from crowdgold.record.results import write_csv
from crowdgold.simulate.irt import draw_irt
from crowdgold.types.items import Items

VOTES = "vote model"
METHODS = (VOTES, "DS", "DS+S", "H-AI")


def read_sampler(text: str) -> dict[str, int]:
    """The settings that a word such as `4x300+1000x8` stands for."""
    found = re.fullmatch(r"(\d+)x(\d+)\+(\d+)x(\d+)", text)
    if not found:
        raise argparse.ArgumentTypeError(f"{text!r}; expected CHAINSxWARMUP+DRAWSxTIMES")
    return dict(
        zip(("chains", "warmup", "draws", "longest"), map(int, found.groups()), strict=True)
    )


def tables(gold_fractions: list[float], count: int) -> Iterator[tuple[float, int, Items]]:
    """Gold fraction, number and items of each simulated table."""
    settings = yaml.safe_load(Path("config/experiments/maven.yaml").read_text())
    parameters = settings["experiments"]["maven_fig4"]["parameters"]
    for fraction in gold_fractions:
        for number in range(count):
            rng = np.random.default_rng([number, round(1000 * fraction)])
            chosen = {**parameters, "gold_fraction": fraction}
            yield fraction, number, draw_irt(chosen, rng).table


def measure(
    method: str, items: Items, rng: np.random.Generator, sampler: dict[str, int], stan: StanModels
) -> tuple[float, Diagnostics]:
    """Seconds of one fit, by this process and those that it started, and what its gate found."""
    start = sum(os.times()[:4])
    if method == VOTES:
        sets = find_vote_sets(items)
        found = fit_votes("vote", sets, rng, stan, SamplerSettings(**sampler)).diagnostics
    else:
        settings = {"sampler": sampler, "imputations": 20, "threads": 1}
        found = fit(method, items, rng, settings, stan).diagnostics
    return sum(os.times()[:4]) - start, found


def rows(arguments: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """One row for each fit."""
    stan = StanModels.compiled(arguments.models, arguments.toolchain)
    for method in arguments.methods:  # once unmeasured: what is imported and loaded is not the fit
        _, _, items = next(tables(arguments.gold, 1))
        sampler = {"chains": 2, "warmup": 10, "draws": 10, "longest": 1}
        measure(method, items, np.random.default_rng(1), sampler, stan)
    for fraction, number, items in tables(arguments.gold, arguments.tables):
        for method in arguments.methods:
            for name in arguments.samplers:
                rng = np.random.default_rng([number, METHODS.index(method)])
                seconds, found = measure(method, items, rng, read_sampler(name), stan)
                yield {
                    "method": method, "sampler": name, "gold": fraction, "table": number,
                    "seconds": seconds, "passed": found.passed, "rhat": found.rhat,
                    "ESS": min(found.ess_bulk, found.ess_tail), "message": found.message,
                }  # fmt: skip
                if not found.passed:
                    print(method, name, fraction, number, found.message, file=sys.stderr)


def main() -> None:
    """Read the command line and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gold", type=float, nargs="+", default=[0.01, 0.02, 0.1, 0.5])
    parser.add_argument("--tables", type=int, default=12, help="of each gold fraction")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument(
        "--samplers", nargs="+", default=["2x300+500x1", "2x300+500x8", "4x300+1000x8"],
        metavar="SAMPLER", help="CHAINSxWARMUP+DRAWSxTIMES",
    )  # fmt: skip
    parser.add_argument("--models", type=Path, help="folder of compiled models")
    parser.add_argument("--toolchain", type=Path, help="toolchain.json that made them")
    parser.add_argument("--output", type=Path, help="write a row for each fit here as CSV")
    arguments = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    table = pd.DataFrame(rows(arguments))
    groups = table.groupby(["method", "sampler"], sort=False)
    summary = groups.agg(
        fits=("passed", "size"),
        passed=("passed", "sum"),
        seconds=("seconds", "mean"),
        longest=("seconds", "max"),
        rhat=("rhat", "max"),
    )
    print(summary.reset_index().round(3).to_string(index=False))
    if arguments.output:
        write_csv(table, arguments.output)


if __name__ == "__main__":
    main()
