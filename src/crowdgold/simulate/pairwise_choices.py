"""People's choices between the results of two methods (a stand-in for HLV's study, section 6.1).

The paper's study is private. It prints: 13 methods, about 8 judgements of each pair, 2.3 judges an
instance, and the methods' scores by rank centrality (table 6). Here a judge is shown an instance
and the results of methods i and j, and

    P(prefers j | decides) = 1 / (1 + exp(-(s_j - s_i + e)))     s: logarithm of a method's strength
    e ~ Normal(0, instance_sd)     what this instance does to the pair, the same for all its judges

and with the chance `undecided` a judge selects both or neither. Without instance effects strengths
that add to 1 are the methods' rank centralities, were there no end of judgements.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from crowdgold.types.errors import InputError


class Choices(NamedTuple):
    """Choices between M methods."""

    wins: np.ndarray  # (M, M) how often the column was preferred to the row
    undecided: np.ndarray  # (M, M) symmetric, judgements that preferred neither


def draw_choices(
    strength: np.ndarray, judgements: int, judges: float, instance_sd: float, undecided: float,
    rng: np.random.Generator,
) -> Choices:  # fmt: skip
    """Draw a study of methods with positive strengths (M,): so many judgements of each pair, by
    `judges` an instance in the mean; `undecided`: the chance that one prefers neither.
    """
    ranges = {
        "strength": bool(len(strength) > 1 and (np.asarray(strength) > 0).all()),
        "judgements": judgements >= 1, "judges": judges >= 1, "instance_sd": instance_sd >= 0,
        "undecided": 0 <= undecided < 1,
    }  # fmt: skip
    for name, good in ranges.items():
        if not good:
            raise InputError(f"{name}: found {locals()[name]!r}, which is out of its range")
    log = np.log(np.asarray(strength, dtype=float))
    first, second = np.triu_indices(len(log), 1)
    wins, ties = np.zeros((len(log), len(log))), np.zeros((len(log), len(log)))
    # The instance of each judgement of a pair: runs of 1 or more, `judges` in the mean.
    new = rng.random((len(first), judgements)) < 1 / judges
    new[:, 0] = True
    instance = np.cumsum(new, axis=1) - 1
    effect = np.take_along_axis(rng.normal(0, instance_sd, instance.shape), instance, axis=1)
    chance = expit((log[second] - log[first])[:, None] + effect)
    decided = rng.random(chance.shape) >= undecided
    prefers_second = rng.random(chance.shape) < chance
    wins[first, second] = (decided & prefers_second).sum(axis=1)
    wins[second, first] = (decided & ~prefers_second).sum(axis=1)
    ties[first, second] = ties[second, first] = (~decided).sum(axis=1)
    return Choices(wins, ties)
