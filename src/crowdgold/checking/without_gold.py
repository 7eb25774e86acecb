"""What can be said of items without gold labels: ranges, what they assume, and both in words."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdgold.inference.shared_errors import contrary, votes_of
from crowdgold.inference.without_gold import WANTED, Range, Ranges, ranges
from crowdgold.types.annotations import Annotations, labels_by_judge
from crowdgold.types.items import Items
from crowdgold.types.notes import Note
from crowdgold.types.parameters import LEVEL

LEAST_DIGITS = 2  # of an end of a range; more where the range is narrower than the last of them


@dataclass(frozen=True)
class Allowed:
    """What the votes of items allow to say without gold."""

    ranges: Ranges  # of the votes of those who do not vote against the others
    contrary: tuple[str, ...]  # judges who do, and are left out


def has_ranges(items: Items) -> bool:
    """Whether two items or more have two votes."""
    return bool((items.votes_total > 1).sum() > 1)


def allowed(
    items: Items, judges: Annotations | None, rng: np.random.Generator, level: float = LEVEL,
    weights: np.ndarray | None = None,
) -> Allowed:  # fmt: skip
    """What the votes of items with `has_ranges` allow; `level` is that of sampling error.

    `judges` gave each vote, where annotators are few; else they are None.
    """
    positive, total, table = items.votes_positive, items.votes_total, None
    names: tuple[str, ...] = ()
    if judges is not None:
        labels = labels_by_judge(judges)
        out = contrary(labels)
        kept = votes_of(labels, ~out)
        # Several votes of one judge on an item, where no item has two judges, are counted alone.
        if out.any() or (kept[1] > 1).sum() > 1:
            positive, total = kept
            table, names = labels[:, ~out], tuple(map(str, judges.annotator[out]))
    scores = {name: np.asarray(values) for name, values in items.scores.items()}
    found = ranges(positive, total, scores, rng, level=level, weights=weights,
                   cluster=items.cluster, table=table)  # fmt: skip
    return Allowed(found, names)


def ends_in_words(lower: float, upper: float) -> str:
    """The two ends of a range."""
    width, digits = upper - lower, LEAST_DIGITS
    if 0 < width < 1:
        digits = max(LEAST_DIGITS, 1 - math.floor(math.log10(width)))
    return f"{lower:.{digits}f} to {upper:.{digits}f}"


def gold_in_words(number: int) -> str:
    """What so many gold labels would give; all items can be too few for the width."""
    return (
        f"{number:,} gold labels of a random sample give an interval of width {WANTED:g}, or as "
        "near to it as the items allow, whatever the labels are. Label 100 first and look again"
    )


def in_short(found: Mapping[str, Any]) -> str:
    """A range in words, from JSON with the keys lower and upper, null where there is none."""
    return "no range" if found["lower"] is None else ends_in_words(found["lower"], found["upper"])


def assumed_in_words(found: Ranges) -> str:
    """What ranges assume of the votes, as the condition of a sentence."""
    who = "no judge is positive more often where the label is negative"
    if found.alike:
        who = "judges are alike, or many who take turns"
    scores = ", and a score errs with them no more than they do together" if found.auc else ""
    return (
        f"if {who}, votes are right on {found.right:g} or more of each class on average and their "
        f"errors correlate by 0 to {found.most:g}{scores}"
    )


def ranges_if(found: Allowed) -> Note:
    """What ranges hold under, and whom they leave out."""
    values = {"assumed": assumed_in_words(found.ranges), "left_out": left_out_in_words(found)}
    return Note("ranges_without" if found.contrary else "ranges_if", values)


def left_out_in_words(found: Allowed) -> str:
    """Who is left out of the ranges; empty where no one is."""
    return f"{' and '.join(found.contrary)}, who vote against the others" if found.contrary else ""


def _named(found: Ranges) -> dict[str, Range]:
    of_models = {f"AUC of {name}": one for name, one in found.auc.items()}
    return {"prevalence": found.prevalence, **of_models}


def allowed_in_short(found: Ranges) -> str:
    """Each range, or that there is none, in a few words."""
    return ", ".join(
        f"{name} {'no range' if one.why else ends_in_words(one.lower, one.upper)}"
        for name, one in _named(found).items()
    )


def in_words(found: Allowed) -> Iterator[str]:
    """What the data allow without gold labels, and under which assumptions."""
    if found.contrary:
        yield f"without {left_out_in_words(found)}:"
    own = found.ranges
    least, most = own.effective.lower, own.effective.upper
    yield f"without gold labels an item's votes may be worth {least:.2g} to {most:.2g}"
    yield f"{assumed_in_words(own)}, the data allow:"
    for name, one in _named(own).items():
        if one.why:
            yield f"{name}: no answer, {one.why.text}; {one.gold:,} gold labels would give one"
            continue
        little = f", which says little; {one.gold:,} gold labels would say more" if one.gold else ""
        yield f"{name} from {ends_in_words(one.lower, one.upper)}{little}"
