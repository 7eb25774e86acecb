"""Are results as their jobs wrote them? Every file is held against the checksum of its making.

    python -m crowdgold.experiment.integrity results

which is `make checksums`, names what differs and changes nothing. It holds tables against the
configuration too: one of another seed, or of other settings, is whole and yet not of these results.
A run compares bytes and places before it looks which files are there, and takes away what differs,
so that it is made again.

Tables, records of figures and verdicts hold their own checksum (`seals`). A figure's files, and the
text beside a summary, have theirs in the record that their job wrote last.
"""

import argparse
import json
import sys
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from crowdgold.experiment import plan
from crowdgold.experiment.configuration import load
from crowdgold.experiment.settings import Plain
from crowdgold.record.record import (
    ENDINGS,
    FILES,
    MADE_FROM,
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


def configurations(config: Plain) -> dict[str, dict[str, str]]:
    """Experiment -> the place of each table that a job of it makes itself, not from blocks -> the
    hash of all that it depends on, which its record has too. Experiments that are no longer valid
    are left out.
    """
    found = {}
    for name in config.get("experiments", {}):
        with suppress(InputError, KeyError):  # kept by an older version
            places = plan.blocks(config, name) + plan.data_tables(config, name)
            found[name] = {place: content_hash(_task(config, name, place)) for place in places}
    return found


def _task(config: Plain, name: str, place: str) -> Any:
    kind, _, *of = place.removesuffix(".parquet").split("/")
    if kind == "tables":
        return plan.experiment_task(config, name)
    return (plan.estimate_task if kind == "estimates" else plan.data_task)(config, name, *of)


def _fault_of_sources(path: Path, record: Mapping[str, Any], asked: Mapping[str, str]) -> str:
    """Whether an experiment's table, summary or times are not of the blocks, by their place and
    configuration, that it should be made of (`asked`).
    """
    of_blocks = [one for one in record.get(MADE_FROM, ()) if "/data/" not in f"/{one['path']}"]
    made = {place_of(one["path"]).removeprefix("times/"): one for one in of_blocks}
    made = made or {plan.table(path.stem): record}
    wanted = {place: found for place, found in asked.items() if not place.startswith("data/")}
    if made.keys() != wanted.keys():
        return (
            f"it was made of {counted(len(made), 'block')}, of which "
            f"{len(made.keys() & wanted.keys())} are among the {len(wanted)} of these results"
        )
    for one in of_blocks:
        block = path.parents[1] / place_of(one["path"])
        if block.is_file() and file_hash(block) != one["sha256"]:
            return f"{block} was made anew since"
    return ""


def fault(
    path: Path,
    config: Plain,
    known: Mapping[str, Mapping[str, str]],
    written: str | None = None,
) -> str:
    """What is wrong with a file; empty where nothing is. It is compared with the checksum `written`
    for it, or else with its own; a table also with the seed of `config`, and with the blocks and
    configurations that it should be of by `known` (`configurations`).
    """
    try:
        if written is not None:
            same = file_hash(path) == written
            return "" if same else "its bytes are not those that were written (sha256)"
        if path.suffix != ".parquet":
            check_seal(path)
            return ""
        record = read_record(path)
        check_seed(path, record, config.get("seed"))
        own = path.parent.name in ("tables", SUMMARIES, "times") and path.stem in known
        if own and (why := _fault_of_sources(path, record, known[path.stem])):
            return why
        asked = {place: found for places in known.values() for place, found in places.items()}
        for where, job in jobs(str(path), record):
            place = place_of(where).removeprefix("times/")
            if own and where == str(path):
                place = plan.table(path.stem)  # a summary and times are of the job of the table
            wanted = asked.get(place)
            if wanted is not None and job.get("configuration") != wanted:
                return (
                    f"{where} was made with another configuration than that of these results, or "
                    "other optional packages"
                )
    except DamagedTable as error:
        return error.found
    except InputError as error:
        return str(error)
    except OSError as error:
        return f"it cannot be read ({error.strerror})"
    return ""


def _compare_group(keeper: Path, others: Collection[Path], why: str) -> Iterator[Damage]:
    """The damaged ones of `keeper`, a sealed file, and of the `others` beside it whose checksums it
    holds; `why` says what is wrong with the keeper itself.

    Where it is damaged or gone, nothing is known of the others: they count as damaged too, so that
    what somebody changed by hand is not lost with it.
    """
    faults, written = ({keeper: why} if keeper.exists() else {}), {}
    if others and not why:  # a verdict, a text with its own seal, has none beside it
        is_text = keeper.suffix == ".json"
        record = json.loads(keeper.read_text(encoding="utf-8")) if is_text else read_record(keeper)
        written = record.get(FILES, {})
    for path in others:
        if why:
            faults[path] = f"{keeper.name}, which has its checksum, is not whole: {why}"
        elif path.name in written:
            faults[path] = fault(path, {}, {}, written[path.name])
        else:
            faults[path] = "it has no checksum"
    whole = tuple(path for path in faults if not faults[path])
    for path in filter(faults.get, faults):
        yield Damage(path, faults[path], whole)


def compare(
    results: Path, config: Plain, shared: Path = Path("results"), of_this_run: bool = False
) -> Comparison:
    """Compare every file of a folder of results, and of what all scales share, with the checksum
    that its job wrote; and tables with the configuration, where all are `of_this_run`.

    A file without one that is named as no figure or experiment of the configuration is a stranger:
    no job made it, and it is left alone.
    """
    names = {*config.get("figures", {}), *config.get("experiments", {})}
    asked: Plain = config if of_this_run else {}
    known = configurations(asked)
    folders = [results / name for name in TABLES]
    folders += [shared / name for name in ("datasets", "benchmarks")]
    # Each sealed file -> the files beside it that it has the checksums of.
    groups: dict[Path, list[Path]] = {
        path: [] for folder in dict.fromkeys(folders) for path in folder.rglob("[!.]*.parquet")
    }
    groups |= {path: [] for path in sorted((results / SUMMARIES).glob("[!.]*_verdict.txt"))}
    for name, ending, endings in ((SUMMARIES, ".parquet", ("csv",)), (FIGURES, ".json", ENDINGS)):
        for path in sorted((results / name).glob("[!.]*")):
            if path.suffix == ending:
                groups.setdefault(path, [])
            elif path.suffix.removeprefix(".") in endings:
                groups.setdefault(path.with_suffix(ending), []).append(path)
    compared = 0
    damaged: list[Damage] = []
    strangers: list[Path] = []
    for keeper, others in groups.items():
        if not keeper.exists() and keeper.stem not in names:
            strangers += others
            continue
        own = asked if keeper.is_relative_to(results) else {}
        why = fault(keeper, own, known) if keeper.exists() else "it is gone"
        damaged += _compare_group(keeper, others, why)
        compared += keeper.exists() + len(others)
    return Comparison(compared, damaged, strangers)


def take_away(damaged: Collection[Damage]) -> None:
    """Set damaged files aside as .NAME.damaged, and remove what their jobs make with them."""
    for damage in damaged:
        set_aside(damage.path)
    for path in {path for damage in damaged for path in damage.made_with}:
        with suppress(OSError):
            path.unlink()


def lines_on(found: Comparison, seconds: float) -> list[str]:
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
    for line in lines_on(found, time.monotonic() - start):
        print(line)
    print(f"{found.compared - len(found.damaged)} of {counted(found.compared, 'file')} as written")
    return 1 if found.damaged else 0


if __name__ == "__main__":
    sys.exit(main())
