"""What a study may have, the worlds of the arena that speak to it, and the methods it can use.

A situation is what a study has: gold labels, scores of a model, known annotators. Its worlds have
at least that; where it has no gold the worlds have none either, since methods use what gold there
is. Where gold labels are those of experts who err, with second opinions, the situation is another
one, and says nothing of gold that is true. Worlds whose experts err together are evidence for
nothing: no opinion shows it, and no method can be right. Methods that need more are no candidates.

Worlds of one kind come from the same generator with the same parameters, or the same dataset, and
differ in their gold labels alone: what was chosen with one of them was not chosen without another.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from types import MappingProxyType

from crowdgold.arena.features import StudyFeatures
from crowdgold.methods import METHODS, needs

GOLD, ERRING, SCORES, ANNOTATORS = HAD = (
    needs.GOLD.name, needs.EXPERTS_ERRORS.name, needs.SCORES.name, needs.ANNOTATORS.name,
)  # fmt: skip
"""What a situation may have; the second where second opinions tell how often experts err."""
OF_GOLD = frozenset({GOLD, ERRING})
"""What a situation has in common with all of its evidence."""
EACH_ITS_OWN: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Situation:
    """What a study has, and the worlds that speak to it.

    Attributes:
        has: some of `HAD`.
        worlds: names of those that have at least that.
        evidence: names of all with gold labels that are as true as the study's, or of all without.
        others: names of the rest.
        kinds: world -> its kind; one that is not there is a kind of its own.
    """

    has: tuple[str, ...]
    worlds: tuple[str, ...]
    evidence: tuple[str, ...]
    others: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)

    def _kind(self, world: str) -> str:
        return self.kinds.get(world, world)

    def without(self, world: str) -> "Situation":
        """The same situation as if there were no world of that kind."""
        worlds, evidence, others = (
            tuple(name for name in names if self._kind(name) != self._kind(world))
            for names in (self.worlds, self.evidence, self.others)
        )
        return replace(self, worlds=worlds, evidence=evidence, others=others)

    def only(self, worlds: Collection[str]) -> "Situation":
        """The same situation as if there were no other worlds than these, evidence or not."""
        kept = tuple(name for name in self.worlds if name in worlds)
        return replace(self, worlds=kept, evidence=kept, others=())

    def evidence_of(self, method: str) -> tuple[str, ...]:
        """The worlds that tell how a method does in this situation."""
        known = METHODS.get(method)
        return self.evidence if known is None or known.uses_gold else self.evidence + self.others


def _features(world: StudyFeatures) -> set[str]:
    held = (world.gold > 0, world.experts, world.scores, world.annotators)
    return {name for name, there in zip(HAD, held, strict=True) if there}


def situations(
    worlds: Mapping[str, StudyFeatures], kinds: Mapping[str, str] = EACH_ITS_OWN
) -> list[Situation]:
    """What studies may have, the most first, where some world speaks to it; without gold last.

    Args:
        worlds: name -> what it looks like.
        kinds: name -> kind.
    """
    found = []
    looks = {name: _features(world) for name, world in worlds.items() if not world.together}
    for size in range(len(HAD), -1, -1):
        for has in combinations(HAD, size):
            alike = {
                name: held for name, held in looks.items() if held & OF_GOLD == set(has) & OF_GOLD
            }
            own = tuple(name for name, held in alike.items() if set(has) <= held)
            if own:
                others = tuple(name for name in worlds if name not in alike)
                found.append(Situation(has, own, tuple(alike), others, kinds))
    return sorted(found, key=lambda one: (GOLD not in one.has, ERRING in one.has))


def needs_of(method: str) -> tuple[str, ...]:
    """What a method needs of a table of items, as it declares."""
    known = METHODS[method].needs if method in METHODS else ()
    return tuple(one.name for one in known if one.of_items)


def candidates(has: Sequence[str], methods: Sequence[str]) -> list[str]:
    """The methods that need no more than a study has, and nothing that none has."""
    enough = {*has, needs.SEVERAL.name}
    return [name for name in methods if name in METHODS and set(needs_of(name)) <= enough]
