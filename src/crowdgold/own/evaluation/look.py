"""The level of a study's intervals where they are to hold over all looks, and what that costs."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from crowdgold.data import NO_GOLD, Items
from crowdgold.inference.looks import level_of_look, price
from crowdgold.methods.registry import answering
from crowdgold.own.evaluation.fitting import Found
from crowdgold.own.evaluation.questions import Settings


def of_this_look(settings: Settings, items: Items) -> Settings:
    """The settings with the level of this look, where intervals are to hold over all."""
    labels = int((items.gold != NO_GOLD).sum())
    if settings.anytime is None or not labels:
        return settings
    level = level_of_look(settings.level, labels, settings.anytime)
    return replace(settings, one_look=level)


def times_as_wide(settings: Settings, found: Sequence[Found]) -> tuple[float, float] | None:
    """The least and the most times that the answer's intervals are as wide as those of one look.

    None where the method of the answer has no interval of any width.
    """
    ratios = []
    for one in found:
        if one.method != answering() or one.sample is None or one.named is None:
            continue
        wide, usual = (
            np.array([each.upper - each.lower for each in one.sample.estimates(one.named, level)])
            for level in (settings.interval_level, settings.level)
        )
        known = np.isfinite(wide) & (usual > 0)
        ratios += (wide[known] / usual[known]).tolist()
    return (min(ratios), max(ratios)) if ratios else None


def note_looks(settings: Settings, items: Items, found: Sequence[Found]) -> list[str]:
    """Say what intervals that hold over all looks cost.

    Args:
        settings: of this look.
        items: of the study.
        found: what the jobs found.
    """
    if settings.one_look is None or settings.anytime is None:
        return []
    labels, planned = int((items.gold != NO_GOLD).sum()), settings.anytime
    ends = times_as_wide(settings, found)
    here = [] if ends is None else [f"{_between(*ends)} times with {labels:,} gold labels"]
    most = price(settings.level, planned, planned)
    then = [f"{most:.2f} times with {planned:,}, and more where few labels are of a class"]
    wide = "; ".join([*here, *then[: labels < planned or not here]])
    past = (
        f". There are more labels than {planned:,}, which is no harm: intervals still hold, and "
        "are little wider. Only if this is the first look, name the number of labels at which you "
        "now mean to stop"
    )
    return [
        "you may look after every label and stop when you like: intervals hold over all looks. For "
        f"that they are wider than those of one look: {wide}. Keep --anytime {planned}. Intervals "
        f"of models are for one look{past if labels > planned else ''}"
    ]


def _between(least: float, most: float) -> str:
    low, high = f"{least:.2f}", f"{most:.2f}"
    return low if low == high else f"{low} to {high}"
