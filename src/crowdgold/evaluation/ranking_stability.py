"""How far agents' ranks move when other annotators might have judged (STABLEVAL, section 4.1).

The paper calls two quantities stability. Both refit a method to the labels of a random subset of
the annotators:

- expected Kendall tau-b between the ranking by all annotators and that by the subset: higher is
  better, 1 is perfectly stable (the definition of section 4.1);
- rank spread: the standard deviation (n - 1) and the range of each agent's rank among the subsets,
  the mean over the agents: lower is better (tables 9, 14, 20 and 26).

The synthetic study (table 5) takes some of the labels of each response instead, whoever gave them:
3 of m, or 2 of 3.

Proposition 1 says that one item decided by a single vote makes the expected tau-b of majority
votes less than 1. That needs agents whose scores are close, as its sketch of a proof says: with
agents far apart a vote that changes hands moves scores and no rank.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from crowdgold.data import Annotations
from crowdgold.declared import AtLeast, Between, Range, Settings
from crowdgold.metrics.agents import ranks, steps

Score = Callable[[Annotations], np.ndarray]
"""The scores of the agents (S,) from labels; NaN for an agent without any."""


@dataclass(frozen=True)
class Subsampling(Settings):
    """How subsets of annotators are drawn for the stability of a ranking."""

    draws: Annotated[int, AtLeast(2), "Subsets; the method is fitted to each."] = 50
    share: Annotated[
        float,
        Range(above=0, most=1),
        "Share of the annotators in a subset; rounded down to whole ones, at least one.",
    ] = 0.7
    legacy_seed: Annotated[
        int | None,
        Between(0, 2**32 - 1),
        "Seed of NumPy's legacy generator, for the published draws (42); the configuration's seed "
        "where not given.",
    ] = None
    labels: Annotated[
        int,
        AtLeast(1),
        "Labels that each response keeps, for `stability:labels`; one less than it has where it "
        "has no more, but at least one.",
    ] = 3

    def subsets(self, annotators: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
        """Each subset as (A,) true or false; annotators in the order of the table."""
        size = max(1, int(self.share * annotators))
        if self.legacy_seed is None:
            source: np.random.Generator | np.random.RandomState = rng
        else:
            source = np.random.RandomState(self.legacy_seed)
        for _ in range(self.draws):
            chosen = np.zeros(annotators, dtype=bool)
            chosen[source.choice(annotators, size, replace=False)] = True
            yield chosen

    def label_subsets(
        self, annotations: Annotations, rng: np.random.Generator
    ) -> Iterator[np.ndarray]:
        """Each subset of the labels of every response as (L,) true or false."""
        number = annotations.labels_of_item
        size = np.maximum(np.minimum(self.labels, number - 1), 1)[annotations.item_of]
        first = (np.cumsum(number) - number)[annotations.item_of]
        for _ in range(self.draws):
            # Labels in a random order within their items, which stay where they are.
            order = np.lexsort((rng.random(len(annotations)), annotations.item_of))
            chosen = np.empty(len(annotations), dtype=bool)
            chosen[order] = np.arange(len(annotations)) - first < size
            yield chosen


def subsampled_scores(
    score: Score, annotations: Annotations, subsampling: Subsampling, rng: np.random.Generator
) -> np.ndarray:
    """The agents' scores from the labels of each random subset of the annotators: (D, S)."""
    subsets = subsampling.subsets(len(annotations.annotator), rng)
    return np.stack([score(annotations.of_annotators(chosen)) for chosen in subsets])


def scores_of_fewer_labels(
    score: Score, annotations: Annotations, subsampling: Subsampling, rng: np.random.Generator
) -> np.ndarray:
    """The agents' scores from a random subset of the labels of each response: (D, S)."""
    subsets = subsampling.label_subsets(annotations, rng)
    return np.stack([score(annotations.of_labels(chosen)) for chosen in subsets])


def rank_spread(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The standard deviation and the range of each agent's rank: (S,) each of (D, S) scores.

    Subsets that leave an agent without labels do not count for it.
    """
    ranked = ranks(scores)
    known = np.isfinite(ranked)
    number = known.sum(axis=0)
    filled = np.where(known, ranked, 0)
    mean = filled.sum(axis=0) / np.maximum(number, 1)
    squares = (np.where(known, ranked - mean, 0) ** 2).sum(axis=0)
    sd = np.where(number > 1, np.sqrt(squares / np.maximum(number - 1, 1)), np.nan)
    top = np.where(known, ranked, -np.inf).max(axis=0)
    low = np.where(known, ranked, np.inf).min(axis=0)
    return sd, np.where(number > 0, top - low, np.nan)


def tau_b(first: np.ndarray, second: np.ndarray) -> float:
    """Kendall's tau-b of two score vectors (S,); NaN where all agents of one are tied.

    Agents without a score in either are left out.
    """
    from scipy.stats import kendalltau

    known = np.isfinite(first) & np.isfinite(second)
    if known.sum() < 2:
        return float("nan")
    return float(kendalltau(steps(first[known]), steps(second[known]), variant="b").statistic)


@dataclass(frozen=True)
class ExpectedTau:
    """Expected Kendall tau-b under annotator subsampling.

    Attributes:
        mean: the mean over the draws in which it is defined.
        standard_error: its Monte Carlo error.
        undefined: the share of draws in which all agents are tied.
    """

    mean: float
    standard_error: float
    undefined: float


def expected_tau(full: np.ndarray, scores: np.ndarray) -> ExpectedTau:
    """The expected tau-b between the ranking by all annotators and those by subsets.

    Args:
        full: (S,) scores from all annotators.
        scores: (D, S) scores from subsets (`subsampled_scores`).
    """
    values = np.array([tau_b(full, own) for own in scores])
    known = values[np.isfinite(values)]
    undefined = 1 - len(known) / len(values)
    if len(known) == 0:
        return ExpectedTau(float("nan"), float("nan"), undefined)
    error = float(known.std(ddof=1) / np.sqrt(len(known))) if len(known) > 1 else float("nan")
    return ExpectedTau(float(known.mean()), error, undefined)
