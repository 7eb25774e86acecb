"""Items of a panel whose scores are what `judges` takes them for, and draws of its model."""

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from crowdgold.models.judge_votes import JudgeDraws
from crowdgold.types.annotations import MISSING
from crowdgold.types.items import NO_GOLD, Items, labels_of_items


@dataclass(frozen=True)
class PanelModel:
    """One set of the model's parameters; a score is the utility itself.

    Attributes:
        b: (2, m) as `JudgeDraws` has them.
        r: (2,) likewise.
        seen: chance that a judge votes on an item.
    """

    phi: float
    b: np.ndarray
    r: np.ndarray
    mu: float
    delta: float
    seen: float = 1.0

    def draw(self, n, n_gold, rng):
        """Items with scores of A, and the panel's chance of a positive vote on each."""
        truth = (rng.random(n) < self.phi).astype(np.int8)
        own, shared = self.b[truth], self.r[truth][:, None]
        place = own + np.sqrt(shared) * rng.standard_normal((n, 1))
        chance = ndtr(place / np.sqrt(1 - shared))
        votes = np.where(rng.random(own.shape) < self.seen, rng.random(own.shape) < chance, MISSING)
        votes[votes.max(axis=1) == MISSING, 0] = 0  # no item without a vote
        score = self.mu * truth + self.delta * chance.mean(axis=1) + rng.standard_normal(n)
        gold = np.full(n, NO_GOLD, dtype=np.int8)
        gold[:n_gold] = truth[:n_gold]
        item, judge = np.nonzero(votes != MISSING)
        name = np.array([f"i{k:05}" for k in range(n)], dtype=object)
        labels = labels_of_items(
            name, item, np.array([f"j{k}" for k in range(own.shape[1])])[judge],
            votes[item, judge] == 1,
        )  # fmt: skip
        items = Items(
            item=name, votes_positive=(votes == 1).sum(axis=1),
            votes_total=(votes != MISSING).sum(axis=1), gold=gold, scores={"A": score},
            tie_break=rng.random(n), truth=truth, labels=labels,
        )  # fmt: skip
        return items, chance.mean(axis=1)

    def draws(self, size):
        """The parameters, as so many equal draws of the model of votes."""
        repeat = [np.repeat(x[None], size, axis=0) for x in (self.b, self.r)]
        return JudgeDraws(np.full(size, self.phi), *repeat)

    def class_gap(self):
        """How much higher the mean chance of a positive vote is of positive items."""
        return float(np.diff(ndtr(self.b).mean(axis=1))[0])
