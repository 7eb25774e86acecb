"""What no schema can say of a configuration: values that are no numbers, sizes, and axes."""

import math
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from crowdgold.data import InputError
from crowdgold.data.parameters import Parameters, did_you_mean
from crowdgold.simulate.design import read_votes_total

MOST_JOBS = 100_000
"""Jobs of one experiment; the largest of the papers' has under a thousand."""
MOST_COUNTED = 10_000_000
"""Items, draws, replicates and whatever else an integer says; a smaller bound is the schema's."""
SEED = "seed"
"""How the keys end whose integers count nothing."""
OPTIONS_OF = "options of "
"""How the kinds begin that list what a plot reads, in what the library offers."""


def number_problems(value: Any, path: str = "") -> Iterator[str]:
    """Problems of numbers that are NaN, infinite, or more than any run counts to, at any depth."""
    if isinstance(value, float) and not math.isfinite(value):
        yield f"{path}: found {value}, expected a finite number"
    if isinstance(value, int) and value > MOST_COUNTED and not path.endswith(SEED):
        yield f"{path}: found {value}, expected at most {MOST_COUNTED}"
    entries: Any = ()
    if isinstance(value, Mapping):
        entries = value.items()
    elif isinstance(value, list):
        entries = enumerate(value)
    for key, one in entries:
        yield from number_problems(one, f"{path}.{key}" if path else str(key))


def size_problems(name: str, block: Mapping[str, Any]) -> Iterator[str]:
    """A problem where an experiment is more jobs than any run ends."""
    replicates = block["replicates"]
    settings = math.prod(len(values) for values in block.get("vary", {}).values())
    blocks = math.ceil(replicates / block.get("block", replicates))
    jobs = settings * blocks * max(1, len(block.get("methods", ())))
    if jobs > MOST_JOBS:
        yield (
            f"experiments.{name}: found {jobs:,} jobs ({settings:,} settings, {blocks:,} blocks of "
            f"replicates, the methods), expected at most {MOST_JOBS:,}; vary less, or give a "
            "larger `block`"
        )


def voter_problems(name: str, block: Mapping[str, Any]) -> Iterator[str]:
    """Problems of a simulator whose voters are fewer than the votes of an item."""
    parameters, vary = block.get("parameters", {}), block.get("vary", {})

    def each(key: str) -> list[Any]:
        return list(vary.get(key, [parameters[key]] if key in parameters else []))

    def place(key: str) -> str:
        return f"experiments.{name}.{'vary' if key in vary else 'parameters'}.{key}"

    most: dict[str, int] = {}
    try:
        for given in each("votes_total"):
            numbers, _ = read_votes_total(Parameters("the simulator", {"votes_total": given}))
            most["votes_total"] = max(most.get("votes_total", 0), int(numbers.max()))
    except InputError as error:
        yield f"{place('votes_total')}: {error}"
    if each("n_labels"):
        most["n_labels"] = max(each("n_labels"))
    for voters, votes in (("n_voters", "votes_total"), ("n_reviewers", "n_labels")):
        fewest = min(each(voters), default=None)
        if fewest is not None and votes in most and fewest < most[votes]:
            yield (
                f"{place(voters)}: found {fewest}, expected at least the {most[votes]} of "
                f"`{votes}`, the most votes of an item"
            )


def options_problems(
    name: str,
    block: Mapping[str, Any],
    experiments: Mapping[str, Mapping[str, Any]],
    known: Mapping[str, Collection[str]],
) -> Iterator[str]:
    """Problems of a figure's options: not its plot's, missing, or an axis that nothing varies."""
    options, plot = block.get("options", {}), block["plot"]
    reads = known.get(f"{OPTIONS_OF}{plot}")
    for key in options:
        if reads is not None and key not in reads:
            meant = did_you_mean(key, reads) or f"{plot} has {', '.join(reads) or 'none'}"
            yield f"figures.{name}.options.{key}: unknown option; {meant}"
    needed = reads.items() if isinstance(reads, Mapping) else ()
    for key in (key for key, is_needed in needed if is_needed):
        if key not in options:
            yield f"figures.{name}.options.{key}: missing; plot {plot} cannot do without"
    drawn = {
        one: experiments[one]
        for one in block.get("experiments", ())
        if one in experiments and "check" not in experiments[one]
    }
    by = options.get("by", [])
    axes = [
        ("x", options.get("x")),
        *(("by", one) for one in ([by] if isinstance(by, str) else by)),
    ]
    for key, axis in axes:
        without = [one for one in drawn if axis not in drawn[one].get("vary", {})]
        # What splits a figure may be there in some of its experiments; its x is in all.
        if axis is not None and without and (key == "x" or len(without) == len(drawn)):
            varied = ", ".join(drawn[without[0]].get("vary", {})) or "nothing"
            yield (
                f"figures.{name}.options.{key}: found {axis!r}, which experiment {without[0]} does "
                f"not vary; it varies {varied}"
            )
