"""Blocks of published tables, written as the files that they once were, to be verified.

    python -m crowdgold.experiments.wiring.restored
    make verify RESULTS=results/restored

A published table is its blocks' rows, one block after the other, and its metadata are theirs. So a
clone has all that `make verify` compares with, without the run that made it. `make restore` writes
the blocks of the papers' scale, and the configuration that they were made with. It removes what was
restored before. Blocks that need an optional package which is not installed are left out.
"""

import argparse
import shutil
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from crowdgold.data import InputError
from crowdgold.data.checks import list_names
from crowdgold.data.outputs import write_text
from crowdgold.experiments import configuration, plan
from crowdgold.experiments.provenance.made_from import blocks_of
from crowdgold.experiments.provenance.seals import DamagedTable
from crowdgold.experiments.results import ROUNDED, read_metadata, read_table, write_table
from crowdgold.experiments.settings import parse_setting
from crowdgold.experiments.wiring.published import FOLDER, KEY, RECORD, RESTORED
from crowdgold.experiments.wiring.scales import PAPER

HOW = "path", "sha256"
"""What a table's metadata say of a block beside the block's own."""
EQUAL = 1e-4
"""Relative distance below which a varied fraction is the setting's: a large table's are rounded."""


def published_run(root: Path, record: Mapping[str, Any]) -> dict[str, Any]:
    """The configuration of what is published at the papers' scale.

    Args:
        root: of the checkout.
        record: what `config/published.yaml` says.
    """
    whole = configuration.at_scale(root, PAPER)
    names = [name for name, scale in record[KEY].items() if scale == PAPER]
    ran = {name: record["experiments"][name] for name in names if name in record["experiments"]}
    return {**whole, "scale": PAPER, "experiments": {**whole["experiments"], **ran}}


def _is(column: pd.Series, value: Any) -> pd.Series:
    """Say for each row whether an axis has a setting's value."""
    if pd.api.types.is_float_dtype(column) and isinstance(value, int | float):
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
    """Write the blocks of a published table.

    Args:
        path: of the table.
        config: of the run that made it.
        run: the folder of that run's results.
        into: a folder of results.

    Returns:
        the blocks, as paths in that folder.

    Raises:
        DamagedTable: where the table is not as it was written.
        InputError: where it has rows of no block that the configuration has.
    """
    table, metadata = read_table(path), read_metadata(path)
    few = {ROUNDED: metadata[ROUNDED]} if ROUNDED in metadata else {}
    known = set(plan.blocks(config, path.stem))
    there = {block: own for block, own in _blocks_there(path, run).items() if block in known}
    rows = {block: block_rows(table, config, block) for block in there}
    if sum(map(len, rows.values())) != len(table):
        raise InputError(
            f"{path}: its blocks have {sum(map(len, rows.values())):,} of its {len(table):,} rows; "
            f"expected all, by {RECORD}. Publish it again, or git checkout both"
        )
    for block, own in there.items():
        write_table(rows[block], into / block, {**own, **few})
    return list(there)


def _published(root: Path, config: Mapping[str, Any], names: Iterable[str]) -> dict[Path, int]:
    """The published tables of experiments -> how many replicates their largest block has.

    Raises:
        InputError: where one is not as it was published.
    """
    run, sizes = config["pathvars"]["results"], {}
    for path in (root / FOLDER / plan.table(name) for name in names):
        if not path.is_file():
            continue  # of its summary alone pages are made
        try:
            blocks = list(_blocks_there(path, run))
        except DamagedTable as error:
            raise InputError(
                f"{path} is damaged: {error.found}; git checkout {path} brings it back"
            ) from None
        sizes[path] = max(len(_replicates(block)) for block in blocks)
    if not sizes:
        raise InputError(
            f"{root / FOLDER}: no table of the papers' scale; make publish writes them"
        )
    return sizes


def restore_all(root: Path, into: Path = RESTORED) -> tuple[dict[str, int], dict[str, list[str]]]:
    """Write all blocks that are published at the papers' scale, in the place of what is there.

    Returns:
        experiment -> how many it has; and those left out -> the packages that they lack.

    Raises:
        InputError: where nothing is published, or a table is damaged; then nothing is removed.
    """
    record = root / RECORD
    said = configuration.load(record) if record.is_file() else {}
    if not said.get(KEY):
        raise InputError(f"{record}: nothing is published there; make publish writes it")
    config = published_run(root, said)
    run, places = config["pathvars"]["results"], {**config["pathvars"], "results": str(into)}
    names = [name for name, scale in said[KEY].items() if scale == PAPER]
    lacking = {
        name: packages
        for name in names
        if name in config["experiments"] and (packages := plan.missing_packages(config, name))
    }
    sizes = _published(root, config, (name for name in names if name not in lacking))
    if into.is_dir():
        shutil.rmtree(into)
    into.mkdir(parents=True)
    number = {}
    for path, size in sizes.items():
        # Blocks may have been of another size when it was run, which changes no number.
        config["experiments"][path.stem]["block"] = size
        number[path.stem] = len(restore(path, config, run, into))
    text = yaml.safe_dump({**config, "pathvars": places}, sort_keys=False, allow_unicode=True)
    write_text(text, into / "config.yaml")
    return number, lacking


def main() -> None:
    """Restore, and say how much, and what is left out."""
    argparse.ArgumentParser(
        description=__doc__.partition("\n")[0] if __doc__ else None
    ).parse_args()
    try:
        number, lacking = restore_all(Path())
    except InputError as error:
        sys.exit(f"Error: {error}")
    except OSError as error:
        sys.exit(f"Error: {error.filename} cannot be written: {error.strerror}; remove it")
    for package in dict.fromkeys(one for packages in lacking.values() for one in packages):
        names = [name for name, packages in lacking.items() if package in packages]
        print(
            f"Left out: {list_names(names)}, made with {package}, a package that is not installed "
            f"({plan.how_to_install(package)})"
        )
    print(
        f"{sum(number.values()):,} blocks of {len(number)} experiments are in {RESTORED}; "
        f"make verify RESULTS={RESTORED} makes a random tenth of them again"
    )


if __name__ == "__main__":
    main()
