"""What each method takes for granted, and what its intervals are about, in plain words."""

from collections.abc import Sequence

from crowdgold.methods import METHODS
from crowdgold.methods.order import ANSWERS, in_order
from crowdgold.own.evaluation.questions import is_of_population

UNKNOWN = "No description; see the documentation of the method."
OF_ITEMS = "Its intervals are about the items at hand, not new ones."
OF_POPULATION = "Its intervals are about the population that the items were drawn from."


def _assumption(name: str, about: str) -> str:
    offer = METHODS[name].offer if name in METHODS else None
    if offer is None:
        return UNKNOWN
    return f"{offer.assumes} {OF_POPULATION if is_of_population(name, about) else OF_ITEMS}"


def assumptions_of(methods: Sequence[str], about: str) -> list[tuple[str, str]]:
    """The assumptions of methods and what their intervals are about, in the order of answers.

    Args:
        about: the setting that says what intervals are about.
    """
    return [(name, _assumption(name, about)) for name in in_order(methods, ANSWERS)]
