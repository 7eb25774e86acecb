"""Numbers of different code in one figure: found file by file, and refused unless asked for.

Jobs of different kinds use different modules, so that two jobs are compared by the files that both
used: a file that held one thing for one job and another for the other makes their numbers a
mixture, whatever the commits are called. A commit that changes none of a job's files (a page, a
caption, another paper's plot) makes no mixture, and neither do settings, which are no code. A
prepared dataset that two jobs saw in different states counts as a file that they both used.

Snakemake runs a job again where its code changed, so that a mixture arises only around it: by other
rerun triggers, by `--touch`, by files that were copied, or by an edit while jobs ran.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from crowdgold.data import InputError
from crowdgold.data.checks import counted, list_names
from crowdgold.experiments.provenance.imports import code_hash, package_root
from crowdgold.experiments.provenance.made_from import blocks_of, makers

SHOWN = 3
"""Files, and tables of a state, that a message names."""
Makers = list[tuple[str, Mapping[str, Any]]]


class MixedCode(InputError):  # noqa: N818 - a state of tables rather than a mistake
    """Tables that were made by different code."""


def _held(maker: Mapping[str, Any]) -> dict[str, str]:
    """What a job used: file or dataset -> its content's hash."""
    datasets = {f"dataset {name}": own["sha256"] for name, own in maker["datasets"].items()}
    return {**maker.get("code", {}), **datasets}


def _makers(tables: Mapping[str, Mapping[str, Any]]) -> Makers:
    """Each job behind tables, with the table that it made."""
    return [
        (maker.get("path", path), {"datasets": {}, **maker})
        for path, metadata in tables.items()
        for maker in makers(metadata)
    ]


def mixtures(tables: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, Makers]]:
    """The files that were not the same for all jobs: file -> content's hash -> the jobs.

    Args:
        tables: path of a table -> its metadata (`made_from.fold`).
    """
    states: dict[str, dict[str, Makers]] = {}
    for path, maker in _makers(tables):
        for file, held in _held(maker).items():
            states.setdefault(file, {}).setdefault(held, []).append((path, maker))
    return {file: states[file] for file in sorted(states) if len(states[file]) > 1}


def _held_now(file: str) -> str:
    """The hash of what a module, script or Stan program holds now; empty where it is gone."""
    for folder in (package_root().parent, Path.cwd()):
        if (folder / file).is_file():
            return code_hash(folder / file)
    return ""


def stale(mixed: Mapping[str, Mapping[str, Makers]]) -> list[str]:
    """The tables that have to be made again, so that none is of other code than the rest.

    They are those that did not see a file as it is now; where it is not known how it is now, those
    that did not see what most jobs saw.

    Args:
        mixed: from `mixtures`.
    """
    found: dict[str, None] = {}
    for file, states in mixed.items():
        kept = _held_now(file) or max(states, key=lambda held: len(states[held]))
        for held, jobs in states.items():
            if held != kept:
                found.update(dict.fromkeys(path for path, _ in jobs))
    return sorted(found)


def _describe(mixed: Mapping[str, Mapping[str, Makers]]) -> list[str]:
    lines = []
    for file, states in list(mixed.items())[:SHOWN]:
        lines.append(f"  {file} was not the same:")
        for held, jobs in states.items():
            commits = sorted({str(job["code_version"]) for _, job in jobs})
            paths = list(dict.fromkeys(path for path, _ in jobs))
            lines.append(
                f"    {held[:16]}: {counted(len(paths), 'table')}, at commit "
                f"{', '.join(commits)}: {list_names(paths, SHOWN)}"
            )
    if len(mixed) > SHOWN:
        lines.append(f"  and {len(mixed) - SHOWN} more files")
    return lines


def look_for_mixture(figure: str, tables: Mapping[str, Mapping[str, Any]], rule: str) -> str:
    """Refuse a figure whose numbers are of different code, or say how many are.

    Args:
        tables: path of each of its tables -> the table's metadata.
        rule: `refuse`, or `allow`, the configuration's key `mixed_code`.

    Returns:
        A note for the figure; empty where all is of the same code.

    Raises:
        MixedCode: where it is not and the rule is `refuse`; it names files and tables, and says how
            to mend it.
    """
    mixed = mixtures(tables)
    if not mixed:
        return ""
    again = stale(mixed)
    number = sum(len(blocks_of(metadata)) for metadata in tables.values())
    if rule == "allow":
        return (
            f"Mixed code: of the tables behind {counted(number, 'block')}, {len(again)} made by "
            f"other code than the rest, by {counted(len(mixed), 'file')}"
        )
    lines = [f"figure {figure} would mix numbers of different code.", *_describe(mixed)]
    lines += [
        f"Make the older tables again: make figures AGAIN='{' '.join(again)}'",
        "Or draw it nonetheless, with a note in the figure: mixed_code: allow in the configuration",
    ]
    raise MixedCode("\n".join(lines))
