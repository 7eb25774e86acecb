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
from pathlib import Path
from typing import NamedTuple

from crowdgold.experiment.configuration import load
from crowdgold.record.record import ENDINGS
from crowdgold.record.results import FILES, TABLES, check_seed, read_metadata
from crowdgold.record.seals import DamagedTable, check_seal, file_hash, set_aside
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


def _fault(path: Path, written: str | None = None, seed: int | None = None) -> str:
    """What is wrong with a file, by the checksum that was written for it or by its own, by the
    place that it was written for, and by the seed of the configuration where that is known.
    """
    try:
        if path.suffix == ".parquet":
            check_seed(path, read_metadata(path), seed)
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


def _compare_group(keeper: Path, others: Collection[Path]) -> Iterator[Damage]:
    """What differs of a sealed file and of those beside it that it has the checksums of.

    Where it is itself damaged or gone, nothing is known of the others: they count as damaged too,
    so that what somebody changed by hand is not lost with it.
    """
    why = _fault(keeper) if keeper.exists() else "it is gone"
    faults = {keeper: why} if keeper.exists() else {}
    written: Mapping[str, str] = {}
    if not why and keeper.suffix == ".json":
        written = json.loads(keeper.read_text(encoding="utf-8")).get(FILES, {})
    elif not why:
        written = read_metadata(keeper).get(FILES, {})
    for path in others:
        if why:
            faults[path] = f"{keeper.name}, which has its checksum, is not whole: {why}"
        elif known := written.get(path.name):
            faults[path] = _fault(path, known)
        else:
            faults[path] = "it has no checksum"
    whole = tuple(path for path in faults if not faults[path])
    for path in filter(faults.get, faults):
        yield Damage(path, faults[path], whole)


def compare(
    results: Path,
    known: Collection[str],
    shared: Path = Path("results"),
    seed: int | None = None,
) -> Comparison:
    """Hold every file of a folder of results, and of what all scales share, against the checksum
    that its job wrote.

    A file without one that is named as no figure or experiment that is `known` is a stranger: no
    job made it, and it is left alone.
    """
    places = [results / name for name in TABLES if name != SUMMARIES]
    places += [shared / name for name in ("datasets", "benchmarks")]
    sealed = [path for place in dict.fromkeys(places) for path in place.rglob("[!.]*.parquet")]
    sealed += sorted((results / SUMMARIES).glob("[!.]*_verdict.txt"))
    damaged = [
        Damage(path, why)
        for path in sealed
        if (why := _fault(path, seed=seed if path.is_relative_to(results) else None))
    ]
    compared = len(sealed)
    strangers: list[Path] = []
    for name, ending, endings in ((FIGURES, ".json", ENDINGS), (SUMMARIES, ".parquet", ("csv",))):
        # The sealed file of each figure or summary -> the files beside it.
        groups: dict[Path, list[Path]] = {}
        for path in sorted((results / name).glob("[!.]*")):
            if path.suffix == ending:
                groups.setdefault(path, [])
            elif path.suffix.removeprefix(".") in endings:
                groups.setdefault(path.with_suffix(ending), []).append(path)
        for keeper, others in groups.items():
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
    config = load(kept)
    known = {*config.get("figures", {}), *config.get("experiments", {})}
    found = compare(results, known, seed=config.get("seed"))
    for line in told(found, time.monotonic() - start):
        print(line)
    print(f"{found.compared - len(found.damaged)} of {counted(found.compared, 'file')} as written")
    return 1 if found.damaged else 0


if __name__ == "__main__":
    sys.exit(main())
