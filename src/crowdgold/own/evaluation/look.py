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
    labels = int((items.gold != NO_GOLD).sum())
    times = price(settings.level, labels, settings.anytime)
    least = price(settings.level, settings.anytime, settings.anytime)
    return [
        f"intervals hold over all looks at the gold labels as they come in, so that you may stop "
        f"at any: with {labels:,} gold labels they are about {times:.2f} times as wide as those of "
        f"one look ({least:.2f} times at {settings.anytime:,}, for which they are planned; keep "
        "that number). This is not so of the intervals of models"
    ]
