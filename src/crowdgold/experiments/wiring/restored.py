"""Blocks of published tables, written as the files that they once were, to be verified.

    python -m crowdgold.experiments.wiring.restored results/restored
    make verify RESULTS=results/restored

A published table is its blocks' rows, one block after the other, and its metadata are theirs. So a
clone has all that `make verify` compares with, without the run that made it. `make restore` writes
the blocks of the papers' scale, and the configuration that they were made with.
"""

import argparse
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from crowdgold.data import InputError
from crowdgold.data.outputs import write_text
from crowdgold.experiments import configuration, plan
from crowdgold.experiments.provenance.made_from import blocks_of
from crowdgold.experiments.results import ROUNDED, read_metadata, read_table, write_table
from crowdgold.experiments.settings import parse_setting
from crowdgold.experiments.wiring.published import FOLDER, KEY, RECORD
from crowdgold.experiments.wiring.scales import PAPER

HOW = "path", "sha256"
"""What a table's metadata say of a block beside the block's own."""
EQUAL = 1e-4
"""Relative distance below which a varied number is the setting's: a large table's are rounded."""


def published_run(root: Path, record: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration of what is published at the papers' scale.

    Args:
        root: of the checkout.
        record: what `config/published.yaml` says.
    """
    parts = sorted((root / "config/experiments").glob("*.yaml"))
    files = [*parts, root / "config/config.yaml", root / f"config/{PAPER}.yaml"]
    whole = configuration.overlay({}, *map(configuration.load, files))
    names = [name for name, scale in record[KEY].items() if scale == PAPER]
    ran = {name: record["experiments"][name] for name in names if name in record["experiments"]}
    return {**whole, "scale": PAPER, "experiments": {**whole["experiments"], **ran}}


def _is(column: pd.Series, value: Any) -> pd.Series:
    """Say for each row whether an axis has a setting's value."""
    if isinstance(value, int | float) and pd.api.types.is_numeric_dtype(column):
        near: pd.Series = (column - value).abs() <= EQUAL * abs(value)
        return near
    same: pd.Series = column == value
    return same


def block_rows(table: pd.DataFrame, config: Mapping[str, Any], block: str) -> pd.DataFrame:
    """The rows of a block in its experiment's table, in their order.

    Args:
        table: of the experiment.
        config: which methods a job has.
        block: the path of the block's table in the folder of results (`plan.blocks`).
    """
    kind, experiment, setting, *group, replicates = block.removesuffix(".parquet").split("/")
    own = table["replicate"].isin(list(plan.parse_block(replicates)))
    if setting != plan.ALL:
        for axis, value in parse_setting(setting).items():
            own &= _is(table[axis], value)
    if kind == "estimates":
        own &= table["method"].isin(plan.methods_of(config, experiment, *group))
    return table[own].reset_index(drop=True)


def _blocks_there(path: Path, run: str) -> dict[str, dict[str, Any]]:
    """The blocks of a published table, as paths in the run's folder -> their metadata."""
    return {
        found["path"].removeprefix(f"{run}/"): {
            key: value for key, value in found.items() if key not in HOW
        }
        for found in blocks_of(read_metadata(path))
    }


def _replicates(block: str) -> range:
    return plan.parse_block(Path(block).stem)


def restore(path: Path, config: Mapping[str, Any], run: str, into: Path) -> list[str]:
    """Write the blocks of a published table, without those that the configuration no longer has.

    Args:
        path: of the table.
        config: of the run that made it.
        run: the folder of that run's results.
        into: a folder of results.

    Returns:
        the blocks, as paths in that folder.

    Raises:
        DamagedTable: where the table is not as it was written.
    """
    table, metadata = read_table(path), read_metadata(path)
    few = {ROUNDED: metadata[ROUNDED]} if ROUNDED in metadata else {}
    known = set(plan.blocks(config, path.stem))
    there = {block: own for block, own in _blocks_there(path, run).items() if block in known}
    for block, own in there.items():
        write_table(block_rows(table, config, block), into / block, {**own, **few})
    return list(there)


def restore_all(root: Path, into: Path) -> dict[str, int]:
    """Write all blocks that are published at the papers' scale, in the place of what is there.

    Returns:
        experiment -> how many it has.

    Raises:
        InputError: where nothing is published.
    """
    record = root / RECORD
    if not record.is_file():
        raise InputError(f"{record}: no such file; make publish writes it")
    said = configuration.load(record)
    config = published_run(root, said)
    run, places = config["pathvars"]["results"], {**config["pathvars"], "results": str(into)}
    names = [name for name, scale in said[KEY].items() if scale == PAPER]
    tables = [path for name in names if (path := root / FOLDER / plan.table(name)).is_file()]
    shutil.rmtree(into, ignore_errors=True)
    into.mkdir(parents=True)
    number = {}
    for path in tables:
        # Blocks may have been of another size when it was run, which changes no number.
        size = max(len(_replicates(block)) for block in _blocks_there(path, run))
        config["experiments"][path.stem]["block"] = size
        number[path.stem] = len(restore(path, config, run, into))
    text = yaml.safe_dump({**config, "pathvars": places}, sort_keys=False, allow_unicode=True)
    write_text(text, into / "config.yaml")
    return number


def main() -> None:
    """Read the command line, restore, and say how much."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("into", type=Path, help="a folder; what is in it is removed")
    into = parser.parse_args().into
    try:
        number = restore_all(Path(), into)
    except InputError as error:
        sys.exit(f"Error: {error}")
    print(
        f"{sum(number.values()):,} blocks of {len(number)} experiments are in {into}; "
        f"make verify RESULTS={into} makes a random tenth of them again"
    )


if __name__ == "__main__":
    main()
