"""How well the nearest world of the arena foretells what a method does in another.

Each world is taken for a user's study in turn. What each method did there is foretold twice: by
what it did in the nearest world in which it has intervals, and by its mean over all those worlds,
which takes no notice of what the study looks like. Worlds of the study's own kind do not count.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from crowdgold.arena.features import nearest
from crowdgold.arena.record import Arena, Line
from crowdgold.arena.situations import EACH_ITS_OWN
from crowdgold.arena.table import NARROWEST

Quantity = Callable[[Line], float | None]


@dataclass(frozen=True)
class Foretold:
    """Mean absolute errors of what was foretold.

    Attributes:
        worlds, lines: how many worlds, and methods in them.
        by_nearest: the error where the nearest world foretells; the mean over worlds of the mean
            over methods.
        by_mean: where the mean of the others does.
        gain, gain_se: how much smaller the first is, and its standard error over worlds.
    """

    worlds: int
    lines: int
    by_nearest: float
    by_mean: float
    gain: float
    gain_se: float


def coverage_of(line: Line) -> float:
    """A method's mean coverage over metrics."""
    return line.coverage


def log_width_of(line: Line) -> float | None:
    """The logarithm of its width over the baseline's; None without a baseline."""
    return None if line.width is None else float(np.log(max(line.width, NARROWEST)))


def foretell(
    arena: Arena, quantity: Quantity, kinds: Mapping[str, str] = EACH_ITS_OWN
) -> Foretold | None:
    """Foretell a quantity of each method but the baseline in each world from the other worlds.

    Args:
        arena: what the arena found.
        quantity: of a line; lines without it are passed over.
        kinds: world -> its kind; one that is not there is a kind of its own.

    Returns:
        None where fewer than two worlds can be foretold.
    """
    known = {
        key: value
        for key, line in arena.lines.items()
        if key[1] != arena.baseline and (value := quantity(line)) is not None
    }
    errors = []
    for world, features in arena.worlds.items():
        others = {
            name: one
            for name, one in arena.worlds.items()
            if kinds.get(name, name) != kinds.get(world, world)
        }
        order = [name for name, _ in nearest(features, others)]
        own = []
        for (where, method), value in known.items():
            there = [known[name, method] for name in order if (name, method) in known]
            if where == world and there:
                own.append((abs(there[0] - value), abs(float(np.mean(there)) - value)))
        if own:
            errors.append((len(own), *np.mean(own, axis=0)))
    if len(errors) < 2:
        return None
    lines, by_nearest, by_mean = np.array(errors).T
    gain = by_mean - by_nearest
    return Foretold(
        len(errors), int(lines.sum()), float(by_nearest.mean()), float(by_mean.mean()),
        float(gain.mean()), float(gain.std(ddof=1) / np.sqrt(len(gain))),
    )  # fmt: skip
