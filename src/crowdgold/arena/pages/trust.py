"""How far to trust docs/which-method.md: what intervals, choices and nearest worlds can show."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from scipy.stats import binom

from crowdgold.arena.choice import TIED, TOGETHER
from crowdgold.arena.features import StudyFeatures
from crowdgold.arena.nearest_world import coverage_of, foretell, log_width_of
from crowdgold.arena.record import Arena
from crowdgold.evaluation.summaries import coverage_band, share_error

FOUND = (0.9, 0.8, 0.7)
"""True coverages whose chance of being found out is said."""


def _least(size: int, low: float) -> int:
    """The fewest of some intervals that are not too few, by a band's lower end."""
    return int(np.ceil(low * size - 1e-9))


def _blamed(size: int, level: float, low: float) -> str:
    """Say how seldom a method whose coverage is the level is blamed."""
    chance = float(binom.cdf(_least(size, low) - 1, size, level))
    return f"once in {1 / chance:,.0f} times" if chance else "never"


def _chances(size: int, low: float) -> str:
    """Say how often true coverages below the level are found, by a band's lower end."""
    least = _least(size, low)
    chances = (100 * float(binom.cdf(least - 1, size, coverage)) for coverage in FOUND)
    pairs = zip(FOUND, chances, strict=True)
    return ", ".join(f"{coverage:.0%} in {chance:.0f} % of cases" for coverage, chance in pairs)


def how_far(cells: pd.DataFrame, worlds: int) -> list[str]:
    """Say how low a coverage must truly be for a method to be found out."""
    there = cells[cells["intervals"] > 0]
    one = there.iloc[int(there["intervals"].argmax())]
    size, level, low = int(one["intervals"]), float(one["level"]), float(one["band_low"])
    together = coverage_band(worlds * size, level, TOGETHER)[0]
    return [
        f"A method in a world has {size} intervals of a metric, so that a coverage of {level:.0%} "
        f"has a Monte Carlo error of {100 * share_error(level, size):.0f} points. They are too "
        f"short below {low:.0%}. That happens by chance alone {_blamed(size, level, low)}, and "
        f"finds a true coverage of {_chances(size, low)}.",
        f"All worlds together are too short {TOGETHER:.0f} deviations below the level: of {worlds} "
        f"worlds below {together:.1%}. On one metric that blames a method that is right "
        f"{_blamed(worlds * size, level, together)}, and finds a true coverage of "
        f"{_chances(worlds * size, together)}.",
        "A method holds where neither is so, in all worlds in which it has intervals, with gold "
        "labels or without as you have them (both, if it uses none). That is no proof: it has not "
        "been found out.",
        "Of those that hold, one with intervals in more worlds comes before one that is narrower; "
        f"where widths differ by no more than {TIED:.0f} standard errors, the one that covers more "
        "often is chosen. Errors of ratios of widths are those of independent widths: if anything, "
        "too large.",
        "What is chosen for how it did looks better than it is. So each choice is also made "
        "without a world and judged in that world, for all worlds in turn. Worlds that differ in "
        "their gold labels alone are left out together. That is the coverage to expect in a world "
        "like these; of a world unlike them nothing here tells.",
    ]


def what_about(worlds: Mapping[str, StudyFeatures], baseline: str) -> str:
    """Say what intervals are about, and what that makes of the widths."""
    kept = [np.sqrt(1 - one.gold / one.items) for one in worlds.values() if one.gold]
    return (
        "The truth is that of the items at hand, of which some have gold labels. Intervals of "
        f"`{baseline}`, of votes resampled, of Rogan-Gladen and of AutoEval are made for the "
        "population that the items are of, the others for the items. For the items those of "
        f"`{baseline}` could be {min(kept):.2f} to {max(kept):.2f} times as wide as they are "
        "(the root of the share without gold): so much of a smaller width is due to the question."
    )


def what_nearest_tells(arena: Arena, kinds: Mapping[str, str]) -> list[str]:
    """Say how well the nearest world foretells another, from the worlds themselves."""
    lines = []
    for what, quantity in (("width", log_width_of), ("coverage", coverage_of)):
        found = foretell(arena, quantity, kinds)
        if found is None:
            continue
        measure = (
            f"mean coverage is foretold with a mean error of {100 * found.by_nearest:.1f} points, "
            f"by the mean of the other worlds with {100 * found.by_mean:.1f} "
            f"(the nearest errs less by {100 * found.gain:.1f} ± {100 * found.gain_se:.1f})"
            if what == "coverage"
            else f"width over `{arena.baseline}`'s is foretold within a factor of "
            f"{np.exp(found.by_nearest):.2f} in the geometric mean, by the mean of the other "
            f"worlds within {np.exp(found.by_mean):.2f} (in logarithms the nearest errs less by "
            f"{found.gain:.3f} ± {found.gain_se:.3f})"
        )
        lines.append(
            f"A method's {measure}: {found.lines} cases in {found.worlds} worlds, each in turn "
            "taken for a study."
        )
    return lines
