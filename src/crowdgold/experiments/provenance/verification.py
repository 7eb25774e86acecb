"""Verification: some of the blocks are made again in a folder of their own, and compared.

    python -m crowdgold.experiments.provenance.verification choose results
    snakemake --configfile results/verify/run.yaml -- $(cat results/verify/targets)
    python -m crowdgold.experiments.provenance.verification compare results

which is what `make verify` does. The configuration is that which was kept with the results.
"""

import argparse
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from crowdgold.data import InputError
from crowdgold.data.outputs import write_text
from crowdgold.experiments import configuration, plan
from crowdgold.experiments.provenance.made_from import blocks_of
from crowdgold.experiments.provenance.same_numbers import (
    differences,
    origin_differs,
    surroundings_differ,
)
from crowdgold.experiments.results import read_metadata, read_table

FOLDER, TARGETS, RUN = "verify", "targets", "run.yaml"
FRACTION = 0.1
DIFFER = 1


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
    papers: dict[str, list[str]] = {}
    for name, block in config["experiments"].items():
        there = [path for path in plan.blocks(config, name) if (results / path).is_file()]
        papers.setdefault(block["paper"], []).extend(there)
    rng = np.random.default_rng(seed)
    chosen: list[str] = []
    for paths in filter(None, papers.values()):
        number = int(np.ceil(asked.get("fraction", FRACTION) * len(paths)))
        chosen += sorted(rng.choice(sorted(paths), size=number, replace=False).tolist())
    if not chosen:
        raise InputError(f"{results}: no blocks to make again; run make figures first")
    return chosen


def prepare(results: Path) -> tuple[list[str], int]:
    """Write into `results/verify` which blocks are to be made again, and how; remove what is there.

    The seed of the choice is the configuration's, or drawn anew.

    Returns:
        The chosen blocks, and the seed.

    Raises:
        InputError: where there are no results, or not the configuration that they were made with.
    """
    kept = results / "config.yaml"
    if not kept.is_file():
        raise InputError(f"{kept}: no such file; run make figures first, or name another RESULTS")
    config = configuration.load(kept)
    drawn = int(np.random.SeedSequence().generate_state(1)[0])
    seed = int(config.get("verify", {}).get("seed", drawn))
    chosen = choose(config, results, seed)
    scratch = results / FOLDER
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir()
    again = {**config, "pathvars": {**config["pathvars"], "results": str(scratch)}}
    write_text(yaml.safe_dump(again, sort_keys=False, allow_unicode=True), scratch / RUN)
    write_text("".join(f"{scratch / path}\n" for path in chosen), scratch / TARGETS)
    return chosen, seed


def _block(path: Path) -> dict[str, Any]:
    """The provenance of a block; that of a whole experiment stands one level deeper."""
    metadata = read_metadata(path)
    return blocks_of(metadata)[0] if "made_from" in metadata else metadata


def compare_block(before: Path, after: Path, level: float = 0.95) -> tuple[str, list[str]]:
    """Compare a block with the same made again.

    Returns:
        how they were compared, and where they differ.
    """
    first, second = _block(before), _block(after)
    if changed := origin_differs(first, second):
        return "not compared", [*changed, "run make figures, then verify again"]
    elsewhere = surroundings_differ(first, second)
    how = f"within Monte Carlo error, for another {', '.join(elsewhere)}"
    found = differences(read_table(before), read_table(after), not elsewhere, level)
    return how if elsewhere else "bit by bit", found


def compare(results: Path) -> bool:
    """Compare all chosen blocks, and print what was compared; say whether all are the same."""
    scratch = results / FOLDER
    if not (scratch / TARGETS).is_file():
        raise InputError(f"{scratch / TARGETS}: no such file; run make verify")
    level = configuration.load(scratch / RUN)["level"]
    differ = []
    targets = (scratch / TARGETS).read_text(encoding="utf-8").splitlines()
    for target in targets:
        path = Path(target).relative_to(scratch)
        how, found = compare_block(results / path, Path(target), level)
        print(f"{'differs' if found else 'same   '}  {path} ({how})")
        for line in found:
            print(f"         {line}")
        if found:
            differ.append(str(path))
    print(f"{len(targets) - len(differ)} of {len(targets)} blocks are the same numbers again")
    if differ:
        print(f"Error: {len(differ)} differ: {', '.join(differ)}", file=sys.stderr)
    return not differ


def main() -> int:
    """Read the command line; choose or compare."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("step", choices=["choose", "compare"])
    parser.add_argument("results", type=Path, help="folder of the results, such as results/smoke")
    asked = parser.parse_args()
    try:
        if asked.step == "compare":
            return 0 if compare(asked.results) else DIFFER
        chosen, seed = prepare(asked.results)
        print(f"{len(chosen)} blocks are made again in {asked.results / FOLDER} (seed {seed})")
        return 0
    except InputError as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
