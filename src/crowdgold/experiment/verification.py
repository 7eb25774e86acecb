"""Verification: some of the blocks are made again in a folder of their own, and compared.

    python -m crowdgold.experiment.verification choose results
    snakemake --configfile results/verify/run.yaml -- $(cat results/verify/targets)
    python -m crowdgold.experiment.verification compare results

which is what `make verify` does. The configuration is that which was kept with the results.

On the same machine, toolchain and packages equal code, configuration and data give equal bits.
Elsewhere rounding may differ, and with it the draws of a sampler; two runs whose bits differ are
then held against their Monte Carlo error (`same_numbers`).

Are two tables of the same block the same numbers? Bit by bit, or within Monte Carlo error.
"""

import argparse
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import yaml
from scipy.stats import norm

from crowdgold.experiment import configuration, plan
from crowdgold.reading.outputs import write_text
from crowdgold.record.results import DIGITS, ROUNDED, read_metadata, read_table, rounded, write_csv
from crowdgold.record.seals import blocks_of
from crowdgold.types.columns import list_names
from crowdgold.types.errors import InputError
from crowdgold.types.parameters import LEVEL

COMMIT = "code_version"
"""Column that names the commit for people: of equal code it may be another."""
EFFECTIVE_DRAWS = 200
"""Two chains that pass the diagnostics have at least so many (`models.stan_fit`)."""
FALSE_ALARMS = 0.001
"""Chance that a whole table of right numbers is found to differ."""
ROUNDING = 1e-6
MESSAGES = ("diagnostics_message", "note")
"""Columns of sentences, which may hold numbers."""


def _is_text(column: pd.Series) -> bool:
    return not (pd.api.types.is_numeric_dtype(column) or column.name in MESSAGES)


def _close(one: pd.Series, other: pd.Series, tolerance: Any = 0.0) -> np.ndarray:
    """Say for each row whether values are close enough, none and none being so."""
    mine, yours = one.to_numpy(float), other.to_numpy(float)
    with np.errstate(invalid="ignore"):
        near = np.abs(mine - yours) <= tolerance + ROUNDING * (1 + np.abs(mine))
    both: np.ndarray = near | (np.isnan(mine) & np.isnan(yours)) | (mine == yours)
    return both


def _within_error(one: pd.DataFrame, other: pd.DataFrame, level: float) -> dict[str, np.ndarray]:
    """Hold a results table against another run's: column -> rows that differ.

    A posterior mean of `EFFECTIVE_DRAWS` draws has the standard error sd / sqrt(draws), a quantile
    sqrt(p (1 - p) / draws) / density; sd is that of a normal posterior with the row's interval. The
    limit is that of the largest of all the table's rows. Fits that failed their diagnostics have no
    known error, and are left out.
    """
    z = norm.ppf((1 + level) / 2)
    limit = norm.isf(FALSE_ALARMS / (6 * max(len(one), 1))) * np.sqrt(2 / EFFECTIVE_DRAWS)
    sd = np.nan_to_num((one["upper"] - one["lower"]).to_numpy(float)) / (2 * z)
    share = (1 - level) / 2
    of_quantile = np.sqrt(share * (1 - share)) / norm.pdf(z)
    known = one["diagnostics_passed"].to_numpy(bool) & other["diagnostics_passed"].to_numpy(bool)
    found = {}
    for column, factor in (("estimate", 1.0), ("lower", of_quantile), ("upper", of_quantile)):
        near = _close(one[column], other[column], limit * factor * sd)
        found[column] = np.flatnonzero(known & ~near)
    found["truth"] = np.flatnonzero(~_close(one["truth"], other["truth"]))
    # What is left out is not the same. Half of the fits may fail, not more.
    few = 2 * known.sum() < len(one)
    found["diagnostics_passed"] = np.flatnonzero(~known) if few else np.array([], dtype=int)
    return found


def _means_differ(one: pd.DataFrame, other: pd.DataFrame) -> dict[str, np.ndarray]:
    """Hold a check's table against another run's, by the means of its columns of numbers.

    What is undefined has to be so in both.
    """
    columns = [name for name in map(str, one) if pd.api.types.is_numeric_dtype(one[name])]
    limit = norm.isf(FALSE_ALARMS / (2 * max(len(columns), 1)))
    found = {}
    for name in columns:
        error = np.sqrt((one[name].var() + other[name].var()) / max(len(one), 1))
        mine, yours = (pd.Series([frame[name].mean()]) for frame in (one, other))
        differ = not _close(mine, yours, limit * np.nan_to_num(error))[0]
        undefined = np.flatnonzero(one[name].isna() != other[name].isna())
        found[name] = np.arange(len(one)) if differ else undefined
    return found


def _differing_rows(one: pd.Series, other: pd.Series) -> np.ndarray:
    same = (one == other) | (one.isna() & other.isna())
    return np.flatnonzero(~same.to_numpy(bool, na_value=False))


def differences(
    one: pd.DataFrame, other: pd.DataFrame, exact: bool, level: float = LEVEL
) -> list[str]:
    """Say where two tables of the same block differ; nothing where they are the same numbers.

    Args:
        one: a table, of results or of a check.
        other: the same block, made again.
        exact: whether every bit counts; else what is text does, and numbers have an error.
    """
    one, other = (frame.drop(columns=COMMIT, errors="ignore") for frame in (one, other))
    if list(one) != list(other) or len(one) != len(other):
        return [f"{len(one)} rows of {list(one)} have become {len(other)} rows of {list(other)}"]
    if exact:
        found = {name: _differing_rows(one[name], other[name]) for name in map(str, one.columns)}
    else:
        by_error = {"estimate", "lower", "upper", "diagnostics_passed"} <= set(one)
        text = [name for name in map(str, one) if _is_text(one[name])]
        found = {name: _differing_rows(one[name], other[name]) for name in text}
        found |= _within_error(one, other, level) if by_error else _means_differ(one, other)
    lines = []
    for name, rows in found.items():
        if len(rows):
            first = int(rows[0])
            lines.append(
                f"column {name!r} differs in {len(rows)} of {len(one)} rows; row {first}: "
                f"{one[name].iloc[first]!r} became {other[name].iloc[first]!r}"
            )
    return lines


SURROUNDINGS = ("machine", "toolchain", "python", "packages")


def surroundings_differ(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """Name what can move the last digits and is not the same in two provenances."""
    pairs = [(one, other), (one.get("data") or {}, other.get("data") or {})]
    return [
        key for key in SURROUNDINGS if any(mine.get(key) != yours.get(key) for mine, yours in pairs)
    ]


def asked_otherwise(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Say whether two provenances are of other configurations."""
    return one.get("configuration") != other.get("configuration")


def changed_since(one: Mapping[str, Any], other: Mapping[str, Any]) -> list[str]:
    """The files and datasets of which two provenances had different contents."""
    found = []
    for mine, yours in ((one, other), (one.get("data") or {}, other.get("data") or {})):
        code, now = mine.get("code", {}), yours.get("code", {})
        found += [file for file in {**code, **now} if code.get(file) != now.get(file)]
        held = {name: own["sha256"] for name, own in mine.get("datasets", {}).items()}
        new = {name: own["sha256"] for name, own in yours.get("datasets", {}).items()}
        found += [f"dataset {name}" for name in {**held, **new} if held.get(name) != new.get(name)]
    return list(dict.fromkeys(found))


FOLDER, TARGETS, RUN = "verify", "targets", "run.yaml"
COMPARED = f"{FOLDER}/compared.csv"
"""What was compared, in the folder of results: a row a block, which `make publish` keeps."""
EXACTLY, NOT_COMPARED = "bit by bit", "not compared"
"""How blocks were compared; the latter where one was not made, or with another configuration."""
TO_DIGITS = f"to {DIGITS} digits"
"""How those of a large published table were compared, which has no more."""
SAME = "same"
"""A column of it, beside the experiment, the block, how it was compared, the seed of the choice,
and how many blocks there were to choose from."""
FRACTION, SHOWN = 0.1, 3
"""The part of the blocks that is made again, and how many changed files a line names."""
DIFFER = 1


def blocks_there(config: Mapping[str, Any], results: Path) -> dict[str, list[str]]:
    """The blocks of a configuration that are in a folder of results, by paper."""
    papers: dict[str, list[str]] = {}
    for name, block in config["experiments"].items():
        there = [path for path in plan.blocks(config, name) if (results / path).is_file()]
        papers.setdefault(block["paper"], []).extend(there)
    return papers


def choose(config: Mapping[str, Any], results: Path, seed: int) -> list[str]:
    """Choose blocks at random among those that are there, and at least one of each paper.

    Args:
        config: the configuration that they were made with; `verify` says how many.
        results: their folder.
        seed: of the choice.

    Returns:
        Paths of their tables in `results`.

    Raises:
        InputError: where there is none.
    """
    asked = config.get("verify", {})
    rng = np.random.default_rng(seed)
    chosen: list[str] = []
    for paths in filter(None, blocks_there(config, results).values()):
        number = int(np.ceil(asked.get("fraction", FRACTION) * len(paths)))
        chosen += sorted(rng.choice(sorted(paths), size=number, replace=False).tolist())
    if not chosen:
        raise InputError(f"{results}: no blocks to make again; run make figures first")
    return chosen


def prepare(results: Path, fraction: float | None = None) -> tuple[list[str], int]:
    """Write into `results/verify` which blocks are to be made again, and how; remove what is there.

    The seed of the choice is the configuration's, or drawn anew.

    Args:
        results: the folder.
        fraction: the part of each paper's blocks, in the place of the configuration's.

    Returns:
        The chosen blocks, and the seed.

    Raises:
        InputError: where there are no results, or not the configuration that they were made with.
    """
    kept = results / "config.yaml"
    if not kept.is_file():
        raise InputError(
            f"{kept}: no such file; run make figures first (for RESULTS=results/restored make "
            "restore), or name another RESULTS"
        )
    config = configuration.load(kept)
    asked = {**config.get("verify", {}), **({"fraction": fraction} if fraction else {})}
    drawn = int(np.random.SeedSequence().generate_state(1)[0])
    seed = int(asked.get("seed", drawn))
    chosen = choose({**config, "verify": asked}, results, seed)
    scratch = results / FOLDER
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    again = {
        **config,
        "pathvars": {**config["pathvars"], "results": str(scratch)},
        "verify": {**asked, "seed": seed},
    }
    write_text(yaml.safe_dump(again, sort_keys=False, allow_unicode=True), scratch / RUN)
    write_text("".join(f"{scratch / path}\n" for path in chosen), scratch / TARGETS)
    return chosen, seed


def _block(path: Path) -> dict[str, Any]:
    """The provenance of a block; that of a whole experiment stands one level deeper."""
    metadata = read_metadata(path)
    return blocks_of(metadata)[0] if "made_from" in metadata else metadata


def experiment_of(block: str) -> str:
    """The experiment that a block is of (`plan.blocks`)."""
    kind, name, *_ = block.split("/")
    return name.removesuffix(".parquet") if kind == "tables" else name


class Comparison(NamedTuple):
    """Two tables of a block: how they were compared, what changed since, where they differ."""

    how: str
    changed: list[str]
    differ: list[str]

    def said(self, block: str) -> str:
        """A line on it, and one for each difference."""
        since = f"; changed since: {list_names(self.changed, SHOWN)}" if self.changed else ""
        state = "differs" if self.differ else "same"
        if self.how == NOT_COMPARED:
            return f"{NOT_COMPARED}  {block}: {'; '.join(self.differ)}"
        lines = [f"{state:<12}  {block} ({self.how}{since})"]
        return "\n".join([*lines, *(f"              {line}" for line in self.differ)])


def compare_block(before: Path, after: Path, level: float = LEVEL) -> Comparison:
    """Compare a block with the same made again.

    Equal bits are equal whatever made them: that code changed, or the machine, is no reason not to
    compare, and only where bits differ is Monte Carlo error allowed for another machine.
    """
    if not after.is_file():
        return Comparison(NOT_COMPARED, [], ["it was not made again; the run above says why"])
    first, second = _block(before), _block(after)
    if asked_otherwise(first, second):
        why = "the configuration has changed since, or which optional packages there are"
        return Comparison(NOT_COMPARED, [], [why])
    one, other, how = read_table(before), read_table(after), EXACTLY
    if ROUNDED in first:
        other, how = rounded(other), TO_DIGITS
    elsewhere = surroundings_differ(first, second)
    found = differences(one, other, exact=True)
    if found and elsewhere:
        how = f"within Monte Carlo error, for another {', '.join(elsewhere)}"
        found = differences(one, other, exact=False, level=level)
    return Comparison(how, changed_since(first, second), found)


def compare(results: Path) -> bool:
    """Compare all chosen blocks, print and keep what was compared; say whether all are the same."""
    scratch = results / FOLDER
    if not (scratch / TARGETS).is_file():
        raise InputError(f"{scratch / TARGETS}: no such file; run make verify")
    config = configuration.load(scratch / RUN)
    drawn = (config["verify"]["seed"], sum(map(len, blocks_there(config, results).values())))
    differ: list[str] = []
    rows: list[tuple[object, ...]] = []
    targets = (scratch / TARGETS).read_text(encoding="utf-8").splitlines()
    for target in targets:
        path = Path(target).relative_to(scratch)
        found = compare_block(results / path, Path(target), config["level"])
        if found.how != NOT_COMPARED:
            rows.append((experiment_of(str(path)), str(path), not found.differ, found.how, *drawn))
        print(found.said(str(path)))
        if found.differ:
            differ.append(str(path))
    columns = ["experiment", "block", SAME, "compared", "seed", "drawn_from"]
    write_csv(pd.DataFrame(rows, columns=columns), results / COMPARED)
    print(f"{len(targets) - len(differ)} of {len(targets)} blocks are the same numbers again")
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
            return 0 if compare(asked.results) else DIFFER
        chosen, seed = prepare(asked.results, asked.fraction)
        print(f"{len(chosen)} blocks are made again in {asked.results / FOLDER} (seed {seed})")
        return 0
    except InputError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
