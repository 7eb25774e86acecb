"""What a user must know of a study's data before believing a number, the gravest first."""

from collections.abc import Mapping

import numpy as np
from scipy.special import ndtr

from crowdgold.data import NO_GOLD, Items
from crowdgold.data.checks import counted, has_or_have
from crowdgold.own.check.annotator_check import AnnotatorCheck
from crowdgold.own.check.described import NAMED
from crowdgold.own.check.drawn_units import mid_ranks
from crowdgold.own.check.gold_likeness import GoldSample
from crowdgold.own.check.score_check import Scores, warn_of_missing, warn_of_ties

OPPOSITE = 0.01
"""Probability of so few agreements by chance, below which votes are the wrong way round."""
TIES = 0.02
"""Share of the items that experts labelled from which on their ties are warned of."""


def warn_of_gold(sample: GoldSample, within: GoldSample | None, gold: int, tied: int) -> list[str]:
    """Say where gold items are no random sample.

    Args:
        tied: items on which experts are tied, where the answer does not count them.
    """
    found = []
    if sample.chosen:
        found.append(sample.doubt)
    if within is not None and sample.chosen and not within.chosen and np.isfinite(within.p):
        found.append(
            f"within the strata nothing speaks against the gold labels (p = {within.p:.2g}): the "
            "numbers of each stratum can be relied on, those of all items cannot"
        )
    if within is not None and within.chosen and not sample.chosen:
        found.append(
            f"within the strata {within.told.misfit} (p = {within.p:.2g}): the numbers of a "
            "stratum may be wrong"
        )
    if tied > TIES * (gold + tied):
        found.append(
            f"{counted(tied, 'item')} that experts labelled "
            f"{has_or_have(tied)} no gold label, since they are tied: "
            f"{100 * tied / (gold + tied):.0f} % of those they looked at, and the hard ones. Gold "
            "is easier than the items are, and estimates look better than they should; have "
            "another expert decide"
        )
    return found


def warn_of_annotators_and_scores(
    annotators: AnnotatorCheck | None, scores: Mapping[str, Scores], items: Items
) -> list[str]:
    """Say in plain words what a user must know before believing a number."""
    found = []
    if annotators is not None:
        for chosen, what in (
            (annotators.adversarial, "labelling against the majority of the others (swapped?)"),
            (annotators.constant, "always giving the same label, where others do not"),
        ):
            if chosen.any():
                names = [str(name) for name in annotators.annotator[chosen]]
                more = ", ..." if len(names) > NAMED else ""
                found.append(
                    f"{counted(len(names), 'annotator')} {what}: {', '.join(names[:NAMED])}{more}"
                )
    found.extend(warn_of_ties(scores))
    found.extend(warn_of_missing(items))
    return found


def warn_of_opposites(items: Items) -> list[str]:
    """Say where votes or scores are higher on items that gold labels call negative.

    By the rank sum's normal approximation, whose variance is that without ties: it is at most that.
    """
    share = items.votes_positive / items.votes_total
    told = {"votes": share, **{f"scores of {name}": own for name, own in items.scores.items()}}
    found = []
    for what, values in told.items():
        known = np.isfinite(values) & (items.gold != NO_GOLD)
        positive, ranks = items.gold[known] == 1, mid_ranks(values[known])
        several, others = positive.sum(), (~positive).sum()
        if not several * others:
            continue
        excess = ranks[positive].sum() - several * (several + others + 1) / 2
        p = float(ndtr(excess / np.sqrt(several * others * (several + others + 1) / 12)))
        if p < OPPOSITE:
            found.append(
                f"{what} are higher on items whose gold label is negative (p = {p:.2g}). Make sure "
                "that all files mean the same by a positive label (--positive)"
            )
    return found
