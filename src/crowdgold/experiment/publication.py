"""What is published: tables of finished runs in docs/results, of which pages and figures are made.

    make publish
    make docs
    make restore, which is python -m crowdgold.experiment.publication
    make verify RESULTS=results/restored

`make publish` copies tables as their jobs wrote them (large ones with fewer digits), and keeps in
`config/published.csv` each experiment's scale, its commits and a hash of its part of the
configuration. `make docs` runs nothing: a figure or page of which a table is not published, or is
of a block that is another now, stays as it is. A published table is its blocks' rows, one block
after the other, and its record has theirs: `make restore` writes the blocks of the papers' scale
anew, so that `make verify` can compare with them where they were never run.
"""

import argparse
import csv
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pandas as pd
import yaml

from crowdgold.experiment import configuration, plan
from crowdgold.experiment.integrity import configurations, fault
from crowdgold.experiment.settings import Plain, parse_setting
from crowdgold.experiment.wiring import Drawn, Jobs
from crowdgold.reading.outputs import write_text
from crowdgold.record.record import ROUNDED, Record, blocks_of, place_of, read_record
from crowdgold.record.results import DIGITS, read_table, rounded, write_csv, write_table
from crowdgold.record.seals import DamagedTable, content_hash
from crowdgold.system.temporary import unfinished
from crowdgold.types.columns import list_names
from crowdgold.types.errors import InputError

KEY, FOLDER = "published", Path("docs/results")
RECORD = Path("config/published.csv")
COLUMNS = ["experiment", "scale", "commit", "configuration"]
SCALES = "smoke", "default", "paper"
"""The scales, from the smallest."""
_, DEFAULT, PAPER = SCALES
RESTORED = Path("results/restored")
"""Where `make restore` writes the blocks of published tables."""
TAKEN = FOLDER / "benchmarks/hours.csv"
"""What published experiments took, where the run that made them is known."""
VERIFIED = FOLDER / "benchmarks/verified.csv"
"""Blocks of published experiments that `make verify` made again."""
COMPARED = "verify/compared.csv"
"""What it compared, in the folder of results: a row a block."""
PAGES = "pages"
"""Stands for the target of experiments that pages alone tell of."""
LARGE = 5_000_000
"""Bytes of a table above which its numbers are published with few digits."""
RUN = "<results>/"
"""How a path of a run begins."""
EQUAL = 1e-4
"""Relative distance below which a varied fraction is the setting's: a large table's are rounded."""


def read_published(record: Path) -> dict[str, dict[str, str]]:
    """What config/published.csv says of each experiment, or benchmark, by its name."""
    if not record.is_file():
        return {}
    with record.open(encoding="utf-8", newline="") as file:
        return {row["experiment"]: row for row in csv.DictReader(file)}


def kind_of(config: Plain, name: str) -> str:
    """Whether a name of what is published is one of `experiments` or `benchmarks`."""
    return "benchmarks" if name in config.get("benchmarks", {}) else "experiments"


def whole_block(config: Plain, name: str) -> dict[str, Any]:
    """The block of an experiment, or a benchmark, with what it takes from its scale."""
    block: dict[str, Any] = config[kind_of(config, name)].get(name, {})
    if not block.get("methods"):
        return block
    of_scale = {
        key: block.get(key, config[key])
        for key in ("bootstrap", "imputations", "sampler")
        if key in config
    }
    settings = {one: configuration.settings_of(config, name, one) for one in block["methods"]}
    of_methods = {one: own for one, own in settings.items() if own}
    return {**block, **of_scale, **({"method_settings": of_methods} if of_methods else {})}


def block_hash(config: Plain, name: str) -> str:
    """A hash of all of the configuration that numbers of an experiment, or a benchmark, depend on:
    not its title, nor the size of its jobs.
    """
    block = whole_block(config, name)
    shared = {key: config.get(key) for key in ("seed", "level")}
    return content_hash(
        {**shared, **{key: block[key] for key in sorted({*block} - {"title", "block"})}}
    )


def laid_over(config: Plain, folder: Path) -> dict[str, Any]:
    """What the scale `published` lays over the default, which is given: the blocks of what is
    published, each at its own scale. `folder` is that of the scales' files.
    """
    scales = {name: row["scale"] for name, row in read_published(folder / RECORD.name).items()}
    laid: dict[str, Any] = {KEY: scales, "experiments": {}, "benchmarks": {}}
    for scale in {*scales.values()} - {DEFAULT}:
        own = configuration.overlay(config, configuration.load(folder / f"{scale}.yaml"))
        for name in (name for name, one in scales.items() if one == scale):
            kind = kind_of(own, name)
            if name in own[kind]:
                laid[kind][name] = whole_block(own, name)
    return laid


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
        rows = read_published(jobs.root / RECORD)
        self.changed = {
            name
            for name, row in rows.items()
            if row["configuration"] != block_hash(self.config, name)
        }
        if self.changed:
            say(
                f"{list_names(sorted(self.changed))}: published with another configuration than "
                f"that of config/ ({RECORD}); figures and pages of it stay as they are. Run and "
                "publish it again, or take the change back"
            )

    def is_there(self, path: str) -> bool:
        """Whether a file is published, and of today's configuration."""
        return super().is_there(path) and Path(path).stem not in self.changed

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
        """The tables of a figure that are not published, or with another configuration."""
        return [path for path in self.tables_of(figure)(None) if not self.is_there(path)]

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
    """Publish a file as it is, a large table with numbers of few digits; whether it is not what was
    published before.
    """
    if source.suffix != ".parquet" or source.stat().st_size <= LARGE:
        if to.is_file() and to.read_bytes() == source.read_bytes():
            return False
        with unfinished(to) as own:
            shutil.copyfile(source, own)
        return True
    table, record = rounded(read_table(source)), {**read_record(source), ROUNDED: DIGITS}
    if to.is_file() and read_record(to) == record and read_table(to).equals(table):
        return False
    write_table(table, to, record)
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
    """The files that are published now, those that the run has not made or that are not as their
    jobs wrote them, and those left.

    A run of a smaller scale leaves what is published of a larger one. Files are given as the rules
    name them, `<results>/tables/NAME.parquet`; `record` is `config/published.csv`; `hours` are
    what experiments took, where the run knows.
    """
    results = config["pathvars"]["results"]
    sources = {path: Path(path.replace(RUN, f"{results}/")) for path in dict.fromkeys(files)}
    before = read_published(record)
    made = {path: source for path, source in sources.items() if source.is_file()}
    larger = SCALES[SCALES.index(scale) + 1 :] if scale in SCALES else ()
    left = [path for path in made if before.get(made[path].stem, {}).get("scale") in larger]
    asked = configurations(config)
    checked = {path: one for path, one in made.items() if one.suffix == ".parquet"}
    faults = {path: why for path, one in checked.items() if (why := fault(one, config, asked))}
    made = {path: made[path] for path in made if path not in left and path not in faults}
    anew = set()
    for path, source in made.items():
        to = Path(kept(path))
        to.parent.mkdir(parents=True, exist_ok=True)
        if _keep(source, to):
            anew.add(source.stem)
    tables = {one.stem: one for one in made.values() if one.suffix == ".parquet"}
    experiments = config["experiments"]
    names = {*tables} & {*experiments}
    rows = dict(before)
    for name in names | ({*tables} & {*config.get("benchmarks", {})}):
        blocks = blocks_of(read_record(tables[name]))
        commits = sorted({str(one["code_version"]) for one in blocks if "code_version" in one})
        own = (name, scale, " ".join(commits), block_hash(config, name))
        rows[name] = dict(zip(COLUMNS, own, strict=True))
    scales = {name: row["scale"] for name, row in rows.items()}
    write_csv(pd.DataFrame(rows.values(), columns=COLUMNS).sort_values("experiment"), record)

    # One of unknown hours keeps what is known of it while its tables are as they were.
    taken = pd.DataFrame(
        {
            "paper": experiments[name]["paper"],
            "target": plan.drawn_by(config, name)[0] or PAGES,
            "experiment": name,
            "scale": scale,
            "core_hours": round(hours[name], 4),
        }
        for name in sorted(names & {*hours})
    ).reindex(columns=["paper", "target", "experiment", "scale", "core_hours"])
    known = pd.read_csv(TAKEN) if TAKEN.is_file() else taken[:0]
    others = known[~known.experiment.isin({*taken.experiment, *anew})]
    TAKEN.parent.mkdir(parents=True, exist_ok=True)
    write_csv(pd.concat([others, taken]).sort_values("experiment"), TAKEN)

    # What was compared of experiments whose tables are others now is forgotten.
    if VERIFIED.is_file():
        write_csv(pd.read_csv(VERIFIED).query("experiment not in @anew"), VERIFIED)
    compared = Path(results) / COMPARED
    _keep_verified(dict.fromkeys(names, scale), made.values(), compared, since=compared)
    whole = (FOLDER / plan.table(one) for one in scales)
    _keep_verified(scales, whole, RESTORED / COMPARED, since=RESTORED / "config.yaml")
    lacking = [path for path in sources if path not in made and path not in left]
    said = [f"{path}: {faults[path]}" if path in faults else path for path in lacking]
    return list(made), said, left


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


def published_blocks(path: Path) -> dict[str, Record]:
    """The blocks of a published table, by their place in a folder of results -> their records."""
    return {
        place_of(block["path"]): {
            key: value for key, value in block.items() if key not in ("path", "sha256")
        }
        for block in blocks_of(read_record(path))
    }


def restore(path: Path, config: Plain, blocks: Mapping[str, Record], into: Path) -> None:
    """Write the `published_blocks` of a table into a folder of results; the configuration is that
    of the run that made them. InputError where it has rows of none that the configuration has.
    """
    table, record = read_table(path), read_record(path)
    few = {ROUNDED: record[ROUNDED]} if ROUNDED in record else {}
    known = {*plan.blocks(config, path.stem)} & {*blocks}
    rows = {block: block_rows(table, config, block) for block in known}
    if sum(map(len, rows.values())) != len(table):
        raise InputError(
            f"{path}: its blocks have {sum(map(len, rows.values())):,} of its {len(table):,} rows; "
            "expected all, by config/. Publish it again, or git checkout both"
        )
    for block in known:
        write_table(rows[block], into / block, {**blocks[block], **few})


def restore_all(root: Path, into: Path = RESTORED) -> tuple[dict[str, int], dict[str, str]]:
    """Write all blocks that are published at the papers' scale, in the place of what is there.

    How many each experiment has; and those left out -> why. InputError where nothing is published,
    or a table is damaged; then nothing is removed.
    """
    published = read_published(root / RECORD)
    if not published:
        raise InputError(f"{root / RECORD}: nothing is published there; make publish writes it")
    config = {**configuration.at_scale(root, PAPER), "scale": PAPER}
    places = {**config["pathvars"], "results": str(into)}
    left_out, tables = {}, {}
    for name, row in published.items():
        path = root / FOLDER / plan.table(name)
        if row["scale"] != PAPER or not path.is_file():  # of a summary alone pages are made
            continue
        if row["configuration"] != block_hash(config, name):
            left_out[name] = f"whose configuration is not that of config/ any more ({RECORD})"
            continue
        if packages := plan.missing_packages(config, name):
            left_out[name] = "; ".join(
                f"made with {one}, a package that is not installed ({plan.how_to_install(one)})"
                for one in packages
            )
            continue
        try:
            tables[path] = published_blocks(path)
        except DamagedTable as error:
            raise InputError(
                f"{path} is damaged: {error.found}; git checkout {path} brings it back"
            ) from None
    if not tables and left_out:
        return {}, left_out
    if not tables:
        raise InputError(
            f"{root / FOLDER}: no table of the papers' scale; make publish writes them"
        )
    if into.is_dir():
        shutil.rmtree(into)
    into.mkdir(parents=True)
    for path, blocks in tables.items():
        # Blocks may have been of another size when it was run, which changes no number.
        size = max(len(plan.parse_block(Path(block).stem)) for block in blocks)
        config["experiments"][path.stem]["block"] = size
        restore(path, config, blocks, into)
    text = yaml.safe_dump({**config, "pathvars": places}, sort_keys=False, allow_unicode=True)
    write_text(text, into / "config.yaml")
    return {path.stem: len(blocks) for path, blocks in tables.items()}, left_out


def main() -> None:
    """Restore, and say how much, and what is left out."""
    argparse.ArgumentParser(
        description=__doc__.partition("\n")[0] if __doc__ else None
    ).parse_args()
    try:
        number, left_out = restore_all(Path())
    except InputError as error:
        sys.exit(f"Error: {error}")
    except OSError as error:
        sys.exit(f"Error: {error.filename} cannot be written: {error.strerror}; remove it")
    for why in dict.fromkeys(left_out.values()):
        names = [name for name, own in left_out.items() if own == why]
        print(f"Left out: {list_names(names)}, {why}")
    print(
        f"{sum(number.values()):,} blocks of {len(number)} experiments are in {RESTORED}; "
        f"make verify RESULTS={RESTORED} makes a random tenth of them again"
    )


if __name__ == "__main__":
    main()
