"""Are results as their jobs wrote them? Every file is held against the checksum of its making.

    python -m crowdgold.experiment.integrity results

which is `make checksums`, names what differs and changes nothing. Tables are held against the
configuration of the results, too: one of another seed, or of other settings, is whole and yet not
theirs. A run compares bytes and places before it looks which files are there, and takes away what
differs, so that it is made again.

Tables, records of figures and verdicts hold their own checksum (`seals`). A figure's files and the
text beside a summary have theirs in the file that their job wrote last: FIGURE.json, and the
record of the summary's table.
"""

import argparse
import json
import sys
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from crowdgold.experiment import plan
from crowdgold.experiment.configuration import load
from crowdgold.experiment.settings import Plain
from crowdgold.record.record import (
    ENDINGS,
    FILES,
    TABLES,
    check_seed,
    jobs,
    place_of,
    read_record,
)
from crowdgold.record.seals import DamagedTable, check_seal, content_hash, file_hash, set_aside
from crowdgold.types.columns import counted
from crowdgold.types.errors import InputError

FIGURES, SUMMARIES = "figures", "summaries"
FOLDERS = (*TABLES, FIGURES)


class Damage(NamedTuple):
    """A file that is not as its job wrote it."""

    path: Path
    why: str
    made_with: tuple[Path, ...] = ()  # whole files of the job, which have to go for it to run again


class Comparison(NamedTuple):
    """What was found: how many files were compared, which differ, and which are not of a job."""

    compared: int
    damaged: list[Damage]
    strangers: list[Path]


class Asked(NamedTuple):
    """What a configuration asks of the tables that are made with it."""

    seed: int | None
    known: Mapping[str, str]  # `configurations`


NOTHING_ASKED = Asked(None, {})


def configurations(config: Plain) -> dict[str, str]:
    """Place of each table that a job of a configuration makes of no other's blocks -> the hash of
    what it depends on, as the table's record has it. Not of experiments that are none today.
    """
    found = {}
    for name, block in config.get("experiments", {}).items():
        with suppress(InputError, KeyError):  # kept by an older version
            if config["together"]:
                found[plan.table(name)] = content_hash(plan.experiment_task(config, name))
                continue
            is_check = plan.source(block) == "check"
            for setting, replicates in plan.batches(config, name):
                task = content_hash(plan.data_task(config, name, setting, replicates))
                kind = "checks" if is_check else "data"
                found[f"{kind}/{name}/{setting}/{replicates}.parquet"] = task
                for group in () if is_check else plan.groups(config, name):
                    place = f"estimates/{name}/{setting}/{group}/{replicates}.parquet"
                    own = plan.estimate_task(config, name, setting, group, replicates)
                    found[place] = content_hash(own)
    return found


def _fault(path: Path, written: str | None = None, asked: Asked = NOTHING_ASKED) -> str:
    """What is wrong with a file, by the checksum that was written for it or by its own, and by what
    its record says: its place, the seed, and the configuration of each job that made it.
    """
    try:
        if path.suffix == ".parquet":
            record = read_record(path)
            check_seed(path, record, asked.seed)
            for where, job in jobs(str(path), record):
                place = place_of(where).removeprefix("times/")
                if job.get("configuration") != asked.known.get(place, job.get("configuration")):
                    return (
                        f"{where} was made with another configuration than that of these results, "
                        "or other optional packages"
                    )
        elif written is None:
            check_seal(path)
        elif file_hash(path) != written:
            return "its bytes are not those that were written (sha256)"
    except DamagedTable as error:
        return error.found
    except InputError as error:
        return str(error)
    except OSError as error:
        return f"it cannot be read ({error.strerror})"
    return ""


def _compare_group(keeper: Path, others: Collection[Path], asked: Asked) -> Iterator[Damage]:
    """What differs of a sealed file and of those beside it that it has the checksums of.

    Where it is itself damaged or gone, nothing is known of the others: they count as damaged too,
    so that what somebody changed by hand is not lost with it.
    """
    why = _fault(keeper, None, asked) if keeper.exists() else "it is gone"
    faults = {keeper: why} if keeper.exists() else {}
    written: Mapping[str, str] = {}
    if not why:
        is_text = keeper.suffix == ".json"
        record = json.loads(keeper.read_text(encoding="utf-8")) if is_text else read_record(keeper)
        written = record.get(FILES, {})
    for path in others:
        if why:
            faults[path] = f"{keeper.name}, which has its checksum, is not whole: {why}"
        elif checksum := written.get(path.name):
            faults[path] = _fault(path, checksum)
        else:
            faults[path] = "it has no checksum"
    whole = tuple(path for path in faults if not faults[path])
    for path in filter(faults.get, faults):
        yield Damage(path, faults[path], whole)


def compare(
    results: Path, config: Plain, shared: Path = Path("results"), of_this_run: bool = False
) -> Comparison:
    """Hold every file of a folder of results, and of what all scales share, against the checksum
    that its job wrote; and tables against the configuration, where all are `of_this_run`.

    A file without one that is named as no figure or experiment of the configuration is a stranger:
    no job made it, and it is left alone.
    """
    asked = Asked(config.get("seed"), configurations(config)) if of_this_run else NOTHING_ASKED
    places = [results / name for name in TABLES if name != SUMMARIES]
    places += [shared / name for name in ("datasets", "benchmarks")]
    sealed = [path for place in dict.fromkeys(places) for path in place.rglob("[!.]*.parquet")]
    sealed += sorted((results / SUMMARIES).glob("[!.]*_verdict.txt"))
    damaged = [
        Damage(path, why)
        for path in sealed
        if (why := _fault(path, None, asked if path.is_relative_to(results) else NOTHING_ASKED))
    ]
    compared = len(sealed)
    strangers: list[Path] = []
    names = {*config.get("figures", {}), *config.get("experiments", {})}
    for name, ending, endings in ((FIGURES, ".json", ENDINGS), (SUMMARIES, ".parquet", ("csv",))):
        # The sealed file of each figure or summary -> the files beside it.
        groups: dict[Path, list[Path]] = {}
        for path in sorted((results / name).glob("[!.]*")):
            if path.suffix == ending:
                groups.setdefault(path, [])
            elif path.suffix.removeprefix(".") in endings:
                groups.setdefault(path.with_suffix(ending), []).append(path)
        for keeper, others in groups.items():
            if not keeper.exists() and keeper.stem not in names:
                strangers += others
                continue
            compared += keeper.exists() + len(others)
            damaged += _compare_group(keeper, others, asked)
    return Comparison(compared, damaged, strangers)


def take_away(damaged: Collection[Damage]) -> None:
    """Set damaged files aside as .NAME.damaged, and remove what their jobs make with them."""
    for damage in damaged:
        set_aside(damage.path)
    for path in {path for damage in damaged for path in damage.made_with}:
        with suppress(OSError):
            path.unlink()


def told(found: Comparison, seconds: float) -> list[str]:
    """Lines that say what differs, which files no job made and, where it took long, how long."""
    lines = [f"{one.path} is damaged: {one.why}" for one in found.damaged]
    if found.strangers:
        some = ", ".join(map(str, found.strangers[:3]))
        more = " and more" if len(found.strangers) > 3 else ""
        lines.append(f"No job made {some}{more}: not compared, and left alone")
    if seconds > 5:
        lines.append(f"{counted(found.compared, 'file')} compared in {seconds:.0f} s")
    return lines


def main() -> int:
    """Compare the results that the command line names, and say what differs."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("results", type=Path, help="folder of the results, such as results/smoke")
    results = parser.parse_args().results
    kept = results / "config.yaml"
    if not kept.is_file():
        print(f"Error: {kept}: no such file; run make figures first, or name another RESULTS")
        return 2
    start = time.monotonic()
    found = compare(results, load(kept), of_this_run=True)
    for line in told(found, time.monotonic() - start):
        print(line)
    print(f"{found.compared - len(found.damaged)} of {counted(found.compared, 'file')} as written")
    return 1 if found.damaged else 0


if __name__ == "__main__":
    sys.exit(main())
