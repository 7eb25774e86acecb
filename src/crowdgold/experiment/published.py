"""What is published: tables of finished runs in docs/results, of which pages and figures are made.

    make publish
    make docs
    make restore, which is python -m crowdgold.experiment.published
    make verify RESULTS=results/restored

`make publish` copies the tables, as their jobs wrote them (large ones with fewer digits), and keeps
in `config/published.yaml` how each experiment was run and at which scale. With that file as the
scale (`make docs`) nothing is run: a figure or page of which a table is not published stays as it
is. A published table is its blocks' rows, one block after the other, and its metadata are theirs:
`make restore` writes the blocks of the papers' scale anew, so that a clone has all that
`make verify` compares with, without the run that made it.
"""

import argparse
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from crowdgold.experiment import configuration, plan
from crowdgold.experiment.settings import Plain, parse_setting
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
_, DEFAULT, PAPER = SCALES
RESTORED = Path("results/restored")
"""Where `make restore` writes the blocks of published tables."""
TAKEN = FOLDER / "benchmarks/hours.csv"
"""What published experiments took, where the run that made them is known."""
VERIFIED = FOLDER / "benchmarks/verified.csv"
"""Blocks of published experiments that `make verify` made again."""
PAGES = "pages"
"""Stands for the target of experiments that pages alone tell of."""
LARGE = 5_000_000
"""Bytes of a table above which its numbers are published with few digits."""
RUN = "<results>/"
"""How a path of a run begins."""
EQUAL = 1e-4
"""Relative distance below which a varied fraction is the setting's: a large table's are rounded."""


def kept(path: str) -> str:
    """Where a file of a run, or one that all scales share, is published; others as they are."""
    for start in (RUN, "results/"):
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


def _keep(source: Path, to: Path) -> bool:
    """Publish a file as it is; a large table with numbers of few digits, which its metadata say.

    Whether it is not what was published before.
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


def _keep_verified(
    scales: Mapping[str, str], tables: Iterable[Path], now: Path, since: Path
) -> None:
    """Put what `make verify` compared last (`now`; it may not be there) into the table of it.

    Of experiments whose published table was written later than the file `since` nothing is known.
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


def publish(
    files: Iterable[str], config: Plain, scale: str, record: Path, hours: Mapping[str, float]
) -> tuple[list[str], list[str], list[str]]:
    """The files that are published now, those that the run has not made, and those left.

    A run of a smaller scale leaves what is published of a larger one. Files are given as the rules
    name them, `<results>/tables/NAME.parquet`; `record` is `config/published.yaml`; `hours` are
    what experiments took, where the run knows.
    """
    results = config["pathvars"]["results"]
    sources = {path: Path(path.replace(RUN, f"{results}/")) for path in dict.fromkeys(files)}
    before = configuration.load(record) if record.is_file() else {}
    made = {path: source for path, source in sources.items() if source.is_file()}
    larger = SCALES[SCALES.index(scale) + 1 :] if scale in SCALES else ()
    left = [path for path in made if before.get(KEY, {}).get(made[path].stem) in larger]
    made = {path: source for path, source in made.items() if path not in left}
    anew = set()
    for path, source in made.items():
        to = Path(kept(path))
        to.parent.mkdir(parents=True, exist_ok=True)
        if _keep(source, to):
            anew.add(source.stem)
    stems = {source.stem for source in made.values()}
    experiments = config["experiments"]
    names, timed = stems & set(experiments), stems & set(config.get("benchmarks", {}))
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
    head = "# How what is in docs/results was run; `make publish` writes it.\n\n"
    write_text(head + yaml.safe_dump(text, sort_keys=False, allow_unicode=True), record)

    # One of unknown hours keeps what is known of it while its tables are as they were.
    rows = [
        (
            experiments[name]["paper"],
            plan.drawn_by(config, name)[0] or PAGES,
            name,
            scale,
            round(hours[name], 4),
        )
        for name in sorted(names)
        if name in hours
    ]
    taken = pd.DataFrame(rows, columns=["paper", "target", "experiment", "scale", "core_hours"])
    known = pd.read_csv(TAKEN) if TAKEN.is_file() else taken[:0]
    others = known[~known.experiment.isin({*taken.experiment, *anew})]
    TAKEN.parent.mkdir(parents=True, exist_ok=True)
    write_csv(pd.concat([others, taken]).sort_values("experiment"), TAKEN)

    # What was compared of experiments whose tables are others now is forgotten.
    if VERIFIED.is_file():
        write_csv(pd.read_csv(VERIFIED).query("experiment not in @anew"), VERIFIED)
    compared = Path(results) / COMPARED
    _keep_verified(dict.fromkeys(names, scale), made.values(), compared, since=compared)
    tables = (FOLDER / plan.table(one) for one in scales)
    _keep_verified(scales, tables, RESTORED / COMPARED, since=RESTORED / "config.yaml")
    lacking = [path for path in sources if path not in made and path not in left]
    return list(made), lacking, left


def scale_note(config: Plain, figure: str) -> str:
    """A caption's words on the scale, "Default scale: 5 replicates."; empty at the papers'.

    Where some of its experiments alone are below the papers' scale, it names them. It follows from
    the configuration alone, of what is published too, so that no caption has to be changed when an
    experiment is published at another scale.
    """
    block = config["figures"][figure]
    names = [*block.get("experiments", []), *([block["benchmark"]] if "benchmark" in block else [])]
    if KEY in config:
        scales = {name: config[KEY][name] for name in names if name in config[KEY]}
    else:
        scales = dict.fromkeys(names, config.get("scale", DEFAULT))
    said = []
    for scale in dict.fromkeys(scales.values()):
        if scale == PAPER:
            continue
        own = [name for name, one in scales.items() if one == scale]
        which = f" of {list_names(own)}" if len(own) < len(scales) else ""
        blocks = [config["experiments"].get(name, {}) for name in own]
        number = ""
        if replicates := {one["replicates"] for one in blocks if "replicates" in one}:
            least, most = min(replicates), max(replicates)
            counted = f"{most:,}" if least == most else f"{least:,} to {most:,}"
            number = f": {counted} replicate{'s' if most > 1 else ''}"
        said.append(f"{scale.capitalize()} scale{which}{number}.")
    return " ".join(said)


def scale_notes(config: Plain) -> dict[str, str]:
    """The same of every figure, by its name, with the space that parts it from what it follows."""
    notes = {name: scale_note(config, name) for name in config["figures"]}
    return {name: f" {note}" if note else "" for name, note in notes.items()}


def block_rows(table: pd.DataFrame, config: Plain, block: str) -> pd.DataFrame:
    """The rows of a block in its experiment's table, in their order.

    The block is the path of its table in the folder of results (`plan.blocks`); the configuration
    says which methods a job has.
    """
    kind, experiment, setting, *group, replicates = block.removesuffix(".parquet").split("/")
    own = table["replicate"].isin(list(plan.parse_block(replicates)))
    for axis, value in parse_setting(setting).items() if setting != plan.ALL else ():
        column = table[axis]
        if pd.api.types.is_float_dtype(column) and isinstance(value, int | float):
            own &= (column - value).abs() <= EQUAL * abs(value)
        else:
            own &= column == value
    if kind == "estimates":
        own &= table["method"].isin(plan.methods_of(config, experiment, *group))
    return table[own].reset_index(drop=True)


def _blocks_there(path: Path, run: str) -> dict[str, dict[str, Any]]:
    """The blocks of a published table, as paths in the run's folder -> their own metadata."""
    return {
        block["path"].removeprefix(f"{run}/"): {
            key: value for key, value in block.items() if key not in ("path", "sha256")
        }
        for block in blocks_of(read_metadata(path))
    }


def restore(path: Path, config: Plain, run: str, into: Path) -> list[str]:
    """Write the blocks of a published table into a folder of results; their paths in it.

    The configuration is that of the run that made it, and `run` the folder of that run's results.
    DamagedTable where the table is not as it was written, InputError where it has rows of no block
    that the configuration has.
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


def restore_all(root: Path, into: Path = RESTORED) -> tuple[dict[str, int], dict[str, list[str]]]:
    """Write all blocks that are published at the papers' scale, in the place of what is there.

    How many each experiment has; and those left out -> the packages that they lack. InputError
    where nothing is published, or a table is damaged; then nothing is removed.
    """
    record = root / RECORD
    said = configuration.load(record) if record.is_file() else {}
    if not said.get(KEY):
        raise InputError(f"{record}: nothing is published there; make publish writes it")
    names = [name for name, scale in said[KEY].items() if scale == PAPER]
    config = configuration.at_scale(root, PAPER)
    ran = {name: said["experiments"][name] for name in names if name in said["experiments"]}
    config = {**config, "scale": PAPER, "experiments": {**config["experiments"], **ran}}
    run, places = config["pathvars"]["results"], {**config["pathvars"], "results": str(into)}
    lacking = {
        name: packages
        for name in names
        if name in config["experiments"] and (packages := plan.missing_packages(config, name))
    }
    sizes = {}  # table -> how many replicates its largest block has
    for path in (root / FOLDER / plan.table(name) for name in names if name not in lacking):
        if not path.is_file():
            continue  # of its summary alone pages are made
        try:
            blocks = _blocks_there(path, run)
        except DamagedTable as error:
            raise InputError(
                f"{path} is damaged: {error.found}; git checkout {path} brings it back"
            ) from None
        sizes[path] = max(len(plan.parse_block(Path(block).stem)) for block in blocks)
    if not sizes:
        raise InputError(
            f"{root / FOLDER}: no table of the papers' scale; make publish writes them"
        )
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
