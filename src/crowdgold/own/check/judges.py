"""What judges' votes are worth, and which judge agrees best, in numbers and in words."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from crowdgold.data import NO_GOLD, InputError, Items
from crowdgold.data.judge_table import labels_by_judge
from crowdgold.data.own import Study
from crowdgold.data.shown import Known, Shown
from crowdgold.declared import LEVEL
from crowdgold.inference.shared_errors import SharedErrors, of_judges, of_votes
from crowdgold.inference.without_gold import Ranges
from crowdgold.methods.needs import MOST_JUDGES
from crowdgold.own.check import without_gold
from crowdgold.own.check.kappa import Kappa, between_judges, fleiss, with_gold
from crowdgold.own.check.replacement import FEWEST_ANNOTATORS, Replacement, may_replace
from crowdgold.own.check.without_gold import Allowed, allowed, has_ranges

BY_CHANCES = "gold items count here by their chances, in values and in intervals"


@dataclass(frozen=True, eq=False, repr=False)
class Judges(Shown):
    """What votes are worth together, and judges one by one where they are few.

    Attributes:
        fleiss: kappa of the votes.
        shared: how far their errors go together, and the effective number of votes.
        judge: (m,) identifiers; empty where they are not known, or are many.
        with_gold: each judge's kappa with the gold labels.
        between: kappa of each two judges, by "ONE and OTHER".
        replaces: judge -> whether it may stand in for an expert, where three or more experts have
            labelled; a judge who shares too few items with them is not there.
        ranges: what can be said without gold labels; None where there are some, or no item has two
            votes.
        contrary: judges who vote against the others, and are left out of the ranges.
        sentences: the same in plain words.
    """

    fleiss: Kappa
    shared: SharedErrors
    judge: tuple[str, ...]
    with_gold: tuple[Kappa, ...]
    between: dict[str, Kappa]
    replaces: dict[str, Replacement]
    ranges: Ranges | None = None
    contrary: tuple[str, ...] = ()
    sentences: tuple[str, ...] = ()

    def facts(self) -> Known:
        """Who they are, and what they are worth in words."""
        return {"judges": ", ".join(self.judge) or "not by name", "said": self.sentences}


def _drawn(items: Items) -> Items | None:
    """The items where it matters how gold was drawn of them, or None."""
    return None if items.draw is None and items.cluster is None else items


def _replacements(
    study: Study, names: tuple[str, ...], table: np.ndarray
) -> dict[str, Replacement]:
    """The alternative annotator test of each judge for whom there are items enough."""
    if len(study.gold_by_expert) < FEWEST_ANNOTATORS:
        return {}
    experts = np.stack(list(study.gold_by_expert.values()), axis=1)
    found = {}
    for name, labels in zip(names, table.T, strict=True):
        try:
            found[name] = may_replace(labels, experts, items=_drawn(study.items))
        except InputError:
            continue
    return found


def _look(study: Study, rng: np.random.Generator) -> Judges:
    """The numbers alone."""
    items, voters = study.items, study.annotations
    counts = np.stack([items.votes_total - items.votes_positive, items.votes_positive], axis=1)
    overall = fleiss(counts, rng, items.cluster)
    if voters is None or not 1 < len(voters.annotator) <= MOST_JUDGES:
        shared = of_votes(items.votes_positive, items.votes_total, items.gold, items=_drawn(items))
        return Judges(overall, shared, (), (), {}, {})
    names, table = tuple(str(name) for name in voters.annotator), labels_by_judge(voters)
    return Judges(
        overall,
        of_judges(table, items.gold, items=_drawn(items)),
        names,
        tuple(with_gold(table, items.gold, rng, items=_drawn(items)))
        if (items.gold != NO_GOLD).any()
        else (),
        {
            f"{names[j]} and {names[k]}": one
            for (j, k), one in between_judges(table, rng, items.cluster).items()
        },
        _replacements(study, names, table),
    )


def _ends(value: float, lower: float, upper: float) -> str:
    told = f"{value:.2f}"
    return told + (f" ({lower:.2f} to {upper:.2f})" if np.isfinite(lower) else "")


def _best(names: tuple[str, ...], found: tuple[Kappa, ...]) -> Iterator[str]:
    """Each judge's agreement with gold, the best first."""
    known = [pair for pair in zip(names, found, strict=True) if np.isfinite(pair[1].value)]
    told = [
        f"{name} {_ends(one.value, one.lower, one.upper)}"
        for name, one in sorted(known, key=lambda pair: -pair[1].value)
    ]
    if told:
        yield f"Cohen's kappa with gold: {', '.join(told)}"


def _closest(found: Judges) -> Iterator[str]:
    """The two judges whose errors go together most."""
    pairs = found.shared.pairs
    if not np.isfinite(pairs).any():
        return
    at = np.unravel_index(np.nanargmax(pairs), pairs.shape)
    least, most = found.shared.pairs_lower[at], found.shared.pairs_upper[at]
    first, second = (found.judge[place] for place in sorted(at))
    yield f"most alike in their errors: {first} and {second}, {_ends(pairs[at], least, most)}"


def _in_words(found: Judges) -> Iterator[str]:
    """What votes are worth and which judge agrees best, a sentence each."""
    worth, rho = found.shared.effective, found.shared.correlation
    if np.isfinite(worth.value):
        yield (
            f"an item's {found.shared.votes:.3g} votes are worth "
            f"{_ends(worth.value, worth.lower, worth.upper)} independent ones: correlation of "
            f"errors given the label {_ends(rho.value, rho.lower, rho.upper)}"
        )
        yield from _closest(found)
    if np.isfinite(found.fleiss.value):
        one = found.fleiss
        yield f"Fleiss's kappa {_ends(one.value, one.lower, one.upper)}"
    if found.ranges is not None:
        yield from without_gold.in_words(Allowed(found.ranges, found.contrary))
    if found.with_gold:
        yield from _best(found.judge, found.with_gold)
    if found.replaces:
        may = [name for name, one in found.replaces.items() if one.passes]
        yield (
            "alternative annotator test, epsilon .2: "
            + (f"{', '.join(may)} may replace an expert" if may else "none may replace an expert")
        )


def look_at_judges(study: Study, rng: np.random.Generator, level: float = LEVEL) -> Judges:
    """What a study's votes are worth, and how its judges agree; `level` is that of ranges."""
    found, items = _look(study, rng), study.items
    if has_ranges(items):
        voters = study.annotations if found.judge else None
        own = allowed(items, voters, rng, level, study.weights)
        found = replace(found, ranges=own.ranges, contrary=own.contrary)
    told = list(_in_words(found))
    if items.draw is not None and told and (items.gold != NO_GOLD).any():
        told.append(BY_CHANCES)
    return replace(found, sentences=tuple(told))
