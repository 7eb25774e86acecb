"""What is published: tables of finished runs in docs/results, of which pages and figures are made.

`make publish` copies them there, as their jobs wrote them (large ones with fewer digits), and keeps
in `config/published.yaml` how each experiment was run and at which scale. With that file as the
scale (`make docs`) nothing is run: a figure or page of which a table is not published stays as it
is.

At which scale a figure's experiments were run: what its captions say of one below the papers'.

It follows from the configuration alone, of what is published too, so that no caption has to be
changed when an experiment is published at another scale.

Blocks of published tables, written as the files that they once were, to be verified.

    python -m crowdgold.experiment.published
    make verify RESULTS=results/restored

A published table is its blocks' rows, one block after the other, and its metadata are theirs. So a
clone has all that `make verify` compares with, without the run that made it. `make restore` writes
the blocks of the papers' scale, and the configuration that they were made with. It removes what was
restored before. Blocks that need an optional package which is not installed are left out.
"""

import argparse
import shutil
import sys
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from crowdgold.experiment import configuration, plan
from crowdgold.experiment.configuration import load
from crowdgold.experiment.settings import parse_setting
from crowdgold.experiment.verification import COMPARED
from crowdgold.experiment.wiring import Drawn, Jobs
from crowdgold.reading.outputs import write_text
from crowdgold.record.results import (
    DIGITS,
    ROUNDED,
    read_metadata,
    read_table,
    rounded,
    write_csv,
    write_table,
)
from crowdgold.record.seals import DamagedTable, blocks_of
from crowdgold.system.temporary import unfinished
from crowdgold.types.columns import list_names
from crowdgold.types.errors import InputError

KEY, FOLDER = "published", Path("docs/results")
RECORD = Path("config/published.yaml")
SCALES = "smoke", "default", "paper"
"""The scales, from the smallest."""
RESTORED = Path("results/restored")
"""Where `make restore` writes the blocks of published tables."""
TAKEN = FOLDER / "benchmarks/hours.csv"
"""What published experiments took, where the run that made them is known."""
VERIFIED = FOLDER / "benchmarks/verified.csv"
"""Blocks of published experiments that `make verify` made again."""
HOURS, PAGES = "core_hours", "pages"
"""A column of it, and what stands for the target of experiments that pages alone tell of."""
LARGE = 5_000_000
"""Bytes of a table above which its numbers are published with few digits."""
RUN, ALL_SCALES = "<results>/", "results/"
"""How a path of a run begins, and one of what all scales share."""
HEAD = "# How what is in docs/results was run; `make publish` writes it.\n\n"


def kept(path: str) -> str:
    """Where a file of a run is published; any other path as it is."""
    for start in (RUN, ALL_SCALES):
        if path.startswith(start):
            return str(FOLDER / path.removeprefix(start))
    return path


class Published(Drawn):
    """Figures that are drawn from published tables: those of which all are there."""

    def __init__(self, jobs: Jobs, say: Callable[[str], object]) -> None:
        super().__init__(jobs, say, lambda dataset: "")

    def place(self, path: str) -> str:
        """Where a file of a run is read."""
        return kept(path)

    def _experiments(self, figure: str) -> list[str]:
        """A figure's experiments, without the optional ones that are not published."""
        block = self.block(figure)
        folder = FOLDER / block.get("table", "summaries")
        return [
            name
            for name in block.get("experiments", [])
            if name not in block.get("optional", ()) or (folder / f"{name}.parquet").is_file()
        ]

    def _lacks(self, figure: str) -> list[str]:
        """The tables of a figure that are not published."""
        return [path for path in self.tables_of(figure)(None) if not Path(path).is_file()]

    def available_tables(self, experiments: Iterable[str]) -> list[str]:
        """The tables of experiments, without those of a dataset that are not published."""
        places = {name: kept(f"{RUN}{plan.table(name)}") for name in experiments}
        return [
            path
            for name, path in places.items()
            if Path(path).is_file() or not plan.dataset(self.config["experiments"][name])
        ]

    def gallery(self) -> list[str]:
        """The figures of the gallery, of all targets."""
        blocks = self.config["figures"].values()
        targets = dict.fromkeys(block.get("target", "figures") for block in blocks)
        return [one for target in targets if target != "none" for one in self.figures(target)]


def _is_smaller(scale: str, published: str | None) -> bool:
    """Whether a scale is smaller than that of what is published, if something is."""
    return published in SCALES[SCALES.index(scale) + 1 :] if scale in SCALES else False


def _keep(source: Path, to: Path) -> bool:
    """Publish a file as it is; a large table with numbers of few digits, which its metadata say.

    Returns:
        whether it is not what was published before.
    """
    if source.suffix != ".parquet" or source.stat().st_size <= LARGE:
        if to.is_file() and to.read_bytes() == source.read_bytes():
            return False
        with unfinished(to) as own:
            shutil.copyfile(source, own)
        return True
    table, metadata = rounded(read_table(source)), {**read_metadata(source), ROUNDED: DIGITS}
    if to.is_file() and read_metadata(to) == metadata and read_table(to).equals(table):
        return False
    write_table(table, to, metadata)
    return True


def _keep_hours(
    names: Collection[str],
    anew: Collection[str],
    config: Mapping[str, Any],
    scale: str,
    hours: Mapping[str, float],
) -> None:
    """Put what experiments took into the table of hours.

    One of unknown hours keeps what is known of it while its tables are not `anew`.
    """
    blocks = config["experiments"]
    rows = [
        (
            blocks[name]["paper"],
            plan.drawn_by(config, name)[0] or PAGES,
            name,
            scale,
            round(hours[name], 4),
        )
        for name in sorted(names)
        if name in hours
    ]
    now = pd.DataFrame(rows, columns=["paper", "target", "experiment", "scale", HOURS])
    before = pd.read_csv(TAKEN) if TAKEN.is_file() else now[:0]
    others = before[~before.experiment.isin({*now.experiment, *anew})]
    TAKEN.parent.mkdir(parents=True, exist_ok=True)
    write_csv(pd.concat([others, now]).sort_values("experiment"), TAKEN)


def _keep_verified(
    scales: Mapping[str, str], tables: Iterable[Path], now: Path, since: Path
) -> None:
    """Put what `make verify` compared into the table of it.

    Args:
        scales: experiment -> the scale at which it is published.
        tables: what was compared.
        now: the table of what was compared last; it may not be there.
        since: a file; of a table that was written later than it nothing is known.
    """
    if not now.is_file():
        return
    when = since.stat().st_mtime
    later = {path.stem for path in tables if path.is_file() and path.stat().st_mtime > when}
    compared = pd.read_csv(now)
    compared = compared[compared.experiment.isin({*scales} - later)]
    rows = [pd.read_csv(VERIFIED)] if VERIFIED.is_file() else []
    whole = pd.concat([*rows, compared.assign(scale=compared.experiment.map(scales))])
    whole = whole.drop_duplicates(["scale", "block", "seed"], keep="last")
    write_csv(whole.sort_values(["scale", "block", "seed"]), VERIFIED)


def _forget_verified(anew: Collection[str]) -> None:
    """Take from that table what was compared of experiments whose tables are others now."""
    if VERIFIED.is_file():
        write_csv(pd.read_csv(VERIFIED).query("experiment not in @anew"), VERIFIED)


def publish(
    files: Iterable[str],
    config: Mapping[str, Any],
    scale: str,
    record: Path,
    hours: Mapping[str, float],
) -> tuple[list[str], list[str], list[str]]:
    """The files that are published now, those that the run has not made, and those left.

    A run of a smaller scale leaves what is published of a larger one.

    Args:
        files: as the rules name them, `<results>/tables/NAME.parquet`.
        config: of the run.
        scale: its name.
        record: `config/published.yaml`.
        hours: what experiments took, where the run knows.
    """
    results = config["pathvars"]["results"]
    sources = {path: Path(path.replace(RUN, f"{results}/")) for path in dict.fromkeys(files)}
    before = load(record) if record.is_file() else {}
    found = {path: source for path, source in sources.items() if source.is_file()}
    left = [path for path in found if _is_smaller(scale, before.get(KEY, {}).get(found[path].stem))]
    found = {path: source for path, source in found.items() if path not in left}
    anew = set()
    for path, source in found.items():
        to = Path(kept(path))
        to.parent.mkdir(parents=True, exist_ok=True)
        if _keep(source, to):
            anew.add(source.stem)
    stems = {source.stem for source in found.values()}
    names, timed = stems & set(config["experiments"]), stems & set(config.get("benchmarks", {}))
    scales = {**before.get(KEY, {}), **dict.fromkeys(names | timed, scale)}
    blocks = {
        key: {**before.get(key, {}), **{one: config[key][one] for one in sorted(own)}}
        for key, own in (("benchmarks", timed), ("experiments", names))
    }
    text = {
        KEY: dict(sorted(scales.items())),
        # Who draws what is published cannot run it again: a figure of mixed code says so.
        "mixed_code": "allow",
        "pathvars": {"results": "results/published"},
        **{key: dict(sorted(own.items())) for key, own in blocks.items() if own},
    }
    write_text(HEAD + yaml.safe_dump(text, sort_keys=False, allow_unicode=True), record)
    _keep_hours(names, anew, config, scale, hours)
    _forget_verified(anew)
    now = Path(results) / COMPARED
    _keep_verified(dict.fromkeys(names, scale), found.values(), now, since=now)
    restored, kept_now = RESTORED / COMPARED, (FOLDER / plan.table(one) for one in scales)
    _keep_verified(scales, kept_now, restored, since=RESTORED / "config.yaml")
    lacking = [path for path in sources if path not in found and path not in left]
    return list(found), lacking, left


_, DEFAULT, PAPER = SCALES


def _scales(config: Mapping[str, Any], figure: str) -> dict[str, str]:
    """The scale of each experiment behind a figure; of what is published, without the others."""
    block = config["figures"][figure]
    names = [*block.get("experiments", []), *([block["benchmark"]] if "benchmark" in block else [])]
    if KEY in config:
        known = config[KEY]
        return {name: known[name] for name in names if name in known}
    return dict.fromkeys(names, config.get("scale", DEFAULT))


def _number(config: Mapping[str, Any], names: list[str]) -> str:
    """The replicates of experiments in words; empty where none of them has a number."""
    blocks = [config["experiments"].get(name, {}) for name in names]
    found = sorted({block["replicates"] for block in blocks if "replicates" in block})
    if not found:
        return ""
    least, most = found[0], found[-1]
    counted = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    return f"{counted} replicate{'s' if most > 1 else ''}"


def scale_note(config: Mapping[str, Any], figure: str) -> str:
    """A caption's words on the scale, "Default scale: 5 replicates."; empty at the papers'.

    Where some of its experiments alone are below the papers' scale, it names them.
    """
    scales = _scales(config, figure)
    said = []
    for scale in dict.fromkeys(scales.values()):
        if scale == PAPER:
            continue
        own = [name for name, one in scales.items() if one == scale]
        which = f" of {list_names(own)}" if len(own) < len(scales) else ""
        number = _number(config, own)
        said.append(f"{scale.capitalize()} scale{which}{f': {number}' if number else ''}.")
    return " ".join(said)


def scale_notes(config: Mapping[str, Any]) -> dict[str, str]:
    """The same of every figure, by its name, with the space that parts it from what it follows."""
    notes = {name: scale_note(config, name) for name in config["figures"]}
    return {name: f" {note}" if note else "" for name, note in notes.items()}


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
