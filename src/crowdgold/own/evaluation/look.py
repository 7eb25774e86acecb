"""The level of a study's intervals where they are to hold over all looks, and what that costs."""

from dataclasses import replace

from crowdgold.data import NO_GOLD, Items
from crowdgold.inference.looks import level_of_look, price
from crowdgold.own.evaluation.questions import Settings


def of_this_look(settings: Settings, items: Items) -> Settings:
    """The settings with the level of this look, where intervals are to hold over all."""
    labels = int((items.gold != NO_GOLD).sum())
    if not settings.anytime or not labels:
        return settings
    level = level_of_look(settings.level, labels, settings.anytime)
    return replace(settings, one_look=level)


def note_looks(settings: Settings, items: Items) -> list[str]:
    """Say what intervals that hold over all looks cost."""
    if settings.one_look is None:
        return []
    labels, planned = int((items.gold != NO_GOLD).sum()), settings.anytime
    times = {one: price(settings.level, one, planned) for one in (labels, planned)}
    wide = " and ".join(f"{value:.2f} times with {one:,}" for one, value in times.items())
    return [
        "you may look after every label and stop when you like: intervals hold over all looks. For "
        f"that they are wider than those of one look, about {wide} gold labels. Keep --anytime "
        f"{planned}. Intervals of models are for one look"
    ]
