"""Verification: some of the blocks are made again in a folder of their own, and compared.

    python -m crowdgold.experiment.verification choose results
    snakemake --configfile results/verify/run.yaml -- $(cat results/verify/targets)
    python -m crowdgold.experiment.verification compare results

which is what `make verify` does. The configuration is that which was kept with the results.

On the same machine, toolchain and packages equal code, configuration and data give equal bits.
Elsewhere rounding may differ, and with it the draws of a sampler; two runs whose bits differ are
then held against their Monte Carlo error.
"""

import argparse
import shutil
import sys
from itertools import zip_longest
from pathlib import Path
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import yaml

from crowdgold.experiment import configuration, plan
from crowdgold.experiment.publication import COMPARED
from crowdgold.experiment.settings import Plain
from crowdgold.reading.outputs import write_text
from crowdgold.record.record import MADE_FROM, ROUNDED, Record, contents, read_record
from crowdgold.record.results import DIGITS, read_table, rounded, write_csv
from crowdgold.types.columns import list_names
from crowdgold.types.errors import InputError
from crowdgold.types.parameters import LEVEL

EFFECTIVE_DRAWS = 200
"""Two chains that pass the diagnostics have at least so many (`models.stan_fit`)."""
FALSE_ALARMS = 0.001
"""Chance that a whole table of right numbers is found to differ."""
ROUNDING = 1e-6  # relative difference of numbers that counts as rounding
NORMAL = NormalDist()
FOLDER, TARGETS, RUN = "verify", "targets", "run.yaml"
EXACTLY, NOT_COMPARED = "bit by bit", "not compared"
"""How blocks were compared; the latter where one was not made, or with another configuration."""
TO_DIGITS = f"to {DIGITS} digits"
"""How those of a large published table were compared, which has no more."""


def _close(one: pd.Series, other: pd.Series, tolerance: Any = 0.0) -> np.ndarray:
    """Whether the values of each row are close enough; two missing values are."""
    mine, yours = one.to_numpy(float), other.to_numpy(float)
    with np.errstate(invalid="ignore"):
        near = np.abs(mine - yours) <= tolerance + ROUNDING * (1 + np.abs(mine))
    both: np.ndarray = near | (np.isnan(mine) & np.isnan(yours)) | (mine == yours)
    return both


def _within_error(one: pd.DataFrame, other: pd.DataFrame, level: float) -> dict[str, np.ndarray]:
    """A results table compared with another run's: column -> rows that differ.

    A posterior mean of `EFFECTIVE_DRAWS` draws has the standard error sd / sqrt(draws), a quantile
    sqrt(p (1 - p) / draws) / density; sd is that of a normal posterior with the row's interval. The
    limit is that of the largest of all the table's rows. Fits that failed their diagnostics have no
    known error, and are left out.
    """
    z = NORMAL.inv_cdf((1 + level) / 2)
    limit = -NORMAL.inv_cdf(FALSE_ALARMS / (6 * max(len(one), 1))) * np.sqrt(2 / EFFECTIVE_DRAWS)
    sd = np.nan_to_num((one["upper"] - one["lower"]).to_numpy(float)) / (2 * z)
    share = (1 - level) / 2
    of_quantile = np.sqrt(share * (1 - share)) / NORMAL.pdf(z)
    known = one["diagnostics_passed"].to_numpy(bool) & other["diagnostics_passed"].to_numpy(bool)
    rows = {}
    for column, factor in (("estimate", 1.0), ("lower", of_quantile), ("upper", of_quantile)):
        near = _close(one[column], other[column], limit * factor * sd)
        rows[column] = np.flatnonzero(known & ~near)
    rows["truth"] = np.flatnonzero(~_close(one["truth"], other["truth"]))
    # What is left out is not the same. Half of the fits may fail, not more.
    few = 2 * known.sum() < len(one)
    rows["diagnostics_passed"] = np.flatnonzero(~known) if few else np.array([], dtype=int)
    return rows


def _means_differ(one: pd.DataFrame, other: pd.DataFrame) -> dict[str, np.ndarray]:
    """Computed rows compared with another run's, by means: numeric column -> rows that differ.

    What is undefined has to be so in both.
    """
    columns = [name for name in map(str, one) if pd.api.types.is_numeric_dtype(one[name])]
    limit = -NORMAL.inv_cdf(FALSE_ALARMS / (2 * max(len(columns), 1)))
    rows = {}
    for name in columns:
        error = np.sqrt((one[name].var() + other[name].var()) / max(len(one), 1))
        mine, yours = (pd.Series([frame[name].mean()]) for frame in (one, other))
        differ = not _close(mine, yours, limit * np.nan_to_num(error))[0]
        undefined = np.flatnonzero(one[name].isna() != other[name].isna())
        rows[name] = np.arange(len(one)) if differ else undefined
    return rows


def differences(
    one: pd.DataFrame, other: pd.DataFrame, exact: bool, level: float = LEVEL
) -> list[str]:
    """Where two tables of the same block differ; nothing where they are the same numbers.

    Where not `exact`, by every bit, what is text counts, and numbers have an error.
    """
    # The column that names the commit for people: of equal code it may be another.
    one, other = (frame.drop(columns="code_version", errors="ignore") for frame in (one, other))
    if list(one) != list(other) or len(one) != len(other):
        return [f"{len(one)} rows of {list(one)} have become {len(other)} rows of {list(other)}"]
    # Columns of sentences may hold numbers.
    numbers = [name for name in map(str, one) if pd.api.types.is_numeric_dtype(one[name])]
    no_text = {*numbers, "diagnostics_message", "note"}
    rows = {}
    for name in (column for column in map(str, one) if exact or column not in no_text):
        same = (one[name] == other[name]) | (one[name].isna() & other[name].isna())
        rows[name] = np.flatnonzero(~same.to_numpy(bool, na_value=False))
    if not exact:
        by_error = {"estimate", "lower", "upper", "diagnostics_passed"} <= set(one)
        rows |= _within_error(one, other, level) if by_error else _means_differ(one, other)
    return [
        f"column {name!r} differs in {len(differ)} of {len(one)} rows; row {int(differ[0])}: "
        f"{one[name].iloc[differ[0]]!r} became {other[name].iloc[differ[0]]!r}"
        for name, differ in rows.items()
        if len(differ)
    ]


def _pairs(one: Record, other: Record) -> list[tuple[Record, Record]]:
    return [
        (one, other),
        *zip_longest(one.get(MADE_FROM, []), other.get(MADE_FROM, []), fillvalue={}),
    ]


def surroundings_differ(one: Record, other: Record) -> list[str]:
    """Name what can move the last digits and is not the same in two records."""
    return [
        key
        for key in ("machine", "toolchain", "python", "packages")
        if any(mine.get(key) != yours.get(key) for mine, yours in _pairs(one, other))
    ]


def changed_since(one: Record, other: Record) -> list[str]:
    """The files and datasets of which two records had different contents."""
    changed = []
    for pair in _pairs(one, other):
        before, after = map(contents, pair)
        names = sorted(before | after)
        changed += [name for name in names if before.get(name) != after.get(name)]
    return list(dict.fromkeys(changed))


def blocks_there(config: Plain, results: Path) -> dict[str, list[str]]:
    """The blocks of a configuration that are in a folder of results, by paper."""
    papers: dict[str, list[str]] = {}
    for name, block in config["experiments"].items():
        there = [path for path in plan.blocks(config, name) if (results / path).is_file()]
        papers.setdefault(block["paper"], []).extend(there)
    return papers


def choose(config: Plain, results: Path, seed: int) -> list[str]:
    """Blocks chosen at random among those that are there, as paths in `results`: the fraction that
    `verify` says, and at least one of each paper; InputError where there is none.
    """
    fraction = config.get("verify", {}).get("fraction", 0.1)
    rng = np.random.default_rng(seed)
    chosen: list[str] = []
    for paths in filter(None, blocks_there(config, results).values()):
        number = int(np.ceil(fraction * len(paths)))
        chosen += sorted(rng.choice(sorted(paths), size=number, replace=False).tolist())
    if not chosen:
        raise InputError(f"{results}: no blocks to make again; run make figures first")
    return chosen


def prepare(results: Path, fraction: float | None = None) -> tuple[list[str], int]:
    """Write into `results/verify` which blocks are to be made again, and how; remove what is there.

    The chosen blocks, and the seed of the choice, which is the configuration's or drawn anew.
    InputError where there are no results, or not the configuration that they were made with.
    """
    kept = results / "config.yaml"
    if not kept.is_file():
        raise InputError(
            f"{kept}: no such file; run make figures first (for RESULTS=results/restored make "
            "restore), or name another RESULTS"
        )
    config = configuration.load(kept)
    asked = {**config.get("verify", {}), **({"fraction": fraction} if fraction else {})}
    seed = int(asked.get("seed", np.random.SeedSequence().generate_state(1)[0]))
    chosen = choose({**config, "verify": asked}, results, seed)
    scratch = results / FOLDER
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    places = {**config["pathvars"], "results": str(scratch)}
    again = {**config, "pathvars": places, "verify": {**asked, "seed": seed}}
    write_text(yaml.safe_dump(again, sort_keys=False, allow_unicode=True), scratch / RUN)
    write_text("".join(f"{scratch / path}\n" for path in chosen), scratch / TARGETS)
    return chosen, seed


def experiment_of(block: str) -> str:
    """The experiment that a block is of (`plan.blocks`)."""
    kind, name, *_ = block.split("/")
    return name.removesuffix(".parquet") if kind == "tables" else name


class BlockComparison(NamedTuple):
    """Two tables of a block: how they were compared, what changed since, where they differ."""

    how: str
    changed: list[str]
    differ: list[str]

    def in_words(self, block: str) -> str:
        """A line on it, and one for each difference."""
        if self.how == NOT_COMPARED:
            return f"{NOT_COMPARED}  {block}: {'; '.join(self.differ)}"
        since = f"; changed since: {list_names(self.changed, 3)}" if self.changed else ""
        state = "differs" if self.differ else "same"
        return f"\n{' ' * 14}".join([f"{state:<12}  {block} ({self.how}{since})", *self.differ])


def compare_block(before: Path, after: Path, level: float = LEVEL) -> BlockComparison:
    """Compare a block with the same made again.

    Equal bits are equal whatever made them: that code changed, or the machine, is no reason not to
    compare, and only where bits differ is Monte Carlo error allowed for another machine.
    """
    if not after.is_file():
        return BlockComparison(NOT_COMPARED, [], ["it was not made again; the run above says why"])
    first, second = read_record(before), read_record(after)
    if first.get("configuration") != second.get("configuration"):
        why = "the configuration has changed since, or which optional packages there are"
        return BlockComparison(NOT_COMPARED, [], [why])
    one, other, how = read_table(before), read_table(after), EXACTLY
    if ROUNDED in first:
        other, how = rounded(other), TO_DIGITS
    elsewhere = surroundings_differ(first, second)
    differ = differences(one, other, exact=True)
    if differ and elsewhere:
        how = f"within Monte Carlo error, for another {', '.join(elsewhere)}"
        differ = differences(one, other, exact=False, level=level)
    return BlockComparison(how, changed_since(first, second), differ)


def compare(results: Path) -> bool:
    """Whether all chosen blocks are the same again; prints and writes each comparison."""
    scratch = results / FOLDER
    if not (scratch / TARGETS).is_file():
        raise InputError(f"{scratch / TARGETS}: no such file; run make verify")
    config = configuration.load(scratch / RUN)
    seed, number = config["verify"]["seed"], sum(map(len, blocks_there(config, results).values()))
    targets = map(Path, (scratch / TARGETS).read_text(encoding="utf-8").splitlines())
    found: dict[str, BlockComparison] = {}
    for target in targets:
        path = target.relative_to(scratch)
        found[str(path)] = compare_block(results / path, target, config["level"])
        print(found[str(path)].in_words(str(path)))
    rows = [
        (experiment_of(path), path, not block.differ, block.how, seed, number)
        for path, block in found.items()
        if block.how != NOT_COMPARED
    ]
    columns = ["experiment", "block", "same", "compared", "seed", "drawn_from"]
    write_csv(pd.DataFrame(rows, columns=columns), results / COMPARED)
    differ = [path for path, block in found.items() if block.differ]
    print(f"{len(found) - len(differ)} of {len(found)} blocks are the same numbers again")
    if differ:
        print(f"Error: {len(differ)} are not: {', '.join(differ)}", file=sys.stderr)
    return not differ


def main() -> int:
    """Read the command line; choose or compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("step", choices=["choose", "compare"])
    parser.add_argument("results", type=Path, help="folder of the results, such as results/smoke")
    parser.add_argument("--fraction", type=float, help="of each paper's blocks (default: verify's)")
    asked = parser.parse_args()
    if asked.fraction is not None and not 0 < asked.fraction <= 1:
        parser.error(f"--fraction {asked.fraction:g}: expected more than 0, and at most 1")
    try:
        if asked.step == "compare":
            return 0 if compare(asked.results) else 1
        chosen, seed = prepare(asked.results, asked.fraction)
        print(f"{len(chosen)} blocks are made again in {asked.results / FOLDER} (seed {seed})")
        return 0
    except InputError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
