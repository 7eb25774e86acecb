"""Are results as their jobs wrote them? Every file is held against the checksum of its making.

    python -m crowdgold.experiment.integrity results

which is `make checksums`, names what differs and changes nothing. A run does the same before it
looks which files are there, and takes away what differs, so that it is made again.

Tables, records of figures and verdicts hold their own checksum (`seals`). A figure's files and the
text beside a summary have theirs in the file that their job wrote last: FIGURE.json, and the
metadata of the summary's table.
"""

import argparse
import json
import sys
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crowdgold.experiment.configuration import load
from crowdgold.record.record import ENDINGS
from crowdgold.record.results import FILES, read_metadata
from crowdgold.record.seals import DamagedTable, check_seal, file_hash, set_aside
from crowdgold.types.columns import counted

TABLES = ("data", "estimates", "checks", "tables", "times", "benchmarks", "datasets")
"""Folders of sealed tables; other files in them are not of a job, or of a machine's one moment."""
FIGURES, SUMMARIES, VERDICT = "figures", "summaries", "_verdict.txt"
FOLDERS = (*TABLES, FIGURES, SUMMARIES)
ROOT, SHARED = Path("results"), ("datasets", "benchmarks")
"""Folders that all scales share, and where they stand."""


@dataclass(frozen=True)
class Damage:
    """A file that is not as its job wrote it.

    Attributes:
        path: the file.
        why: what differs.
        made_with: whole files that the same job makes, which have to go for it to run again.
    """

    path: Path
    why: str
    made_with: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Comparison:
    """What was found: how many files were compared, which differ, and which are not of a job."""

    compared: int
    damaged: list[Damage]
    strangers: list[Path]


def _fault(path: Path, written: str | None = None) -> str:
    """What is wrong with a file, by the checksum that was written for it or by its own."""
    try:
        if written is None:
            check_seal(path)
        elif file_hash(path) != written:
            return "its bytes are not those that were written (sha256)"
    except DamagedTable as error:
        return error.found
    except OSError as error:
        return f"it cannot be read ({error.strerror})"
    return ""


def _vouched(keeper: Path) -> dict[str, str]:
    """The files beside a whole sealed file that it has the checksums of: name -> sha256."""
    known = (
        json.loads(keeper.read_text(encoding="utf-8"))
        if keeper.suffix == ".json"
        else read_metadata(keeper)
    )
    found: dict[str, str] = known.get(FILES, {})
    return found


def _compare_group(keeper: Path, others: Collection[Path]) -> Iterator[Damage]:
    """What differs of a sealed file and of those beside it that it has the checksums of.

    Where it is itself damaged or gone, nothing is known of the others: they count as damaged too,
    so that what somebody changed by hand is not lost with it.
    """
    why = _fault(keeper) if keeper.exists() else "it is gone"
    written = {} if why else _vouched(keeper)
    faults = {keeper: why} if keeper.exists() else {}
    for path in others:
        known = written.get(path.name)
        unknown = (
            f"{keeper.name}, which has its checksum, is not whole: {why}"
            if why
            else "it has no checksum"
        )
        faults[path] = _fault(path, known) if known else unknown
    for path in filter(faults.get, faults):
        whole = tuple(one for one in faults if not faults[one])
        yield Damage(path, faults[path], whole)


def _groups(folder: Path) -> dict[Path, list[Path]]:
    """The sealed file of each figure or summary of a folder -> the files beside it."""
    ending, others = (".json", ENDINGS) if folder.name == FIGURES else (".parquet", ("csv",))
    groups: dict[Path, list[Path]] = {}
    for path in sorted(folder.glob("[!.]*")):
        if path.suffix == ending:
            groups.setdefault(path, [])
        elif path.suffix.removeprefix(".") in others:
            groups.setdefault(path.with_suffix(ending), []).append(path)
    return groups


def compare(results: Path, known: Collection[str], shared: Path = ROOT) -> Comparison:
    """Hold every file of a folder of results against the checksum that its job wrote.

    Args:
        known: names of figures and experiments. A file of another name that nothing has a checksum
            of is a stranger: no job made it, and it is left alone.
        shared: the folder of what all scales share.
    """
    damaged: list[Damage] = []
    strangers: list[Path] = []
    compared = 0
    places = [results / name for name in TABLES]
    places += [shared / name for name in SHARED]
    sealed = [path for place in dict.fromkeys(places) for path in place.rglob("[!.]*.parquet")]
    sealed += sorted((results / SUMMARIES).glob(f"[!.]*{VERDICT}"))
    for path in sealed:
        compared += 1
        if why := _fault(path):
            damaged.append(Damage(path, why))
    for name in (FIGURES, SUMMARIES):
        for keeper, others in _groups(results / name).items():
            if not keeper.exists() and keeper.stem not in known:
                strangers += others
                continue
            compared += keeper.exists() + len(others)
            damaged += _compare_group(keeper, others)
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


def names_of(config: Mapping[str, Any]) -> set[str]:
    """The names of a configuration's figures and experiments."""
    return {*config.get("figures", {}), *config.get("experiments", {})}


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
    found = compare(results, names_of(load(kept)))
    for line in told(found, time.monotonic() - start):
        print(line)
    print(f"{found.compared - len(found.damaged)} of {counted(found.compared, 'file')} as written")
    return 1 if found.damaged else 0


if __name__ == "__main__":
    sys.exit(main())
