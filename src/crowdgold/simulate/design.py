"""The design of a simulated study: its size, the votes on each item, the gold labels, the scores.

Strata of gold are the shares of positive votes, in four parts, and within them the items that a
model ranks among the highest. A quarter of the labels go to strata in proportion to their items,
the others where labels are expected to vary: in proportion to the items times the deviation of a
label, were the share of positive votes, with a tenth of a vote more, half of it positive, the
chance of a positive one. No stratum is left out.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any, Literal, get_args

import numpy as np
from scipy.special import ndtr

from crowdgold.types.errors import InputError
from crowdgold.types.gold_draw import GoldDraw
from crowdgold.types.items import NO_GOLD, NO_PREDICTOR, Items
from crowdgold.types.parameters import (
    OF_EXPERIMENT,
    Above,
    AtLeast,
    Between,
    Given,
    Json,
    Named,
    Parameters,
    Settings,
    is_number,
    is_whole,
)

GoldDesign = Literal["simple", "strata", "poisson", "clusters", "audit"]
SIMPLE, STRATA, POISSON, CLUSTERS, AUDIT = GOLD_DESIGNS = get_args(GoldDesign)
"""A simple random sample; fixed numbers from each stratum; each item by itself, as likely as its
stratum's are; clusters at random, each of them whole; most labels from what a model flags."""
FLAGGED, OF_FLAGGED = 0.1, 0.8  # of an audit: items ranked highest, and their share of labels
PARTS = 3  # of the range of vote shares, from the middle of the first to that of the last
UPPER = 0.3  # Largest share of items that are ranked among the highest
PROPORTIONAL = 0.25
MORE_VOTES = 0.1
LEAST = 2  # Labels of a stratum, so that its spread is known
GOLD = ("gold_fraction", "n_gold")
DESIGN = "gold_design"
SHARE = Between(0, 1)  # The range of a share, or of a chance
Prevalence = Annotated[float, Above(0, 1), "Probability of a positive item."]


def draw_labelled(n: int, n_gold: int, rng: np.random.Generator) -> np.ndarray:
    """Which items (n,) an expert labels: n_gold of them, without replacement."""
    labelled = np.zeros(n, dtype=bool)
    labelled[rng.choice(n, size=n_gold, replace=False)] = True
    return labelled


def strata_of(items: Items) -> np.ndarray:
    """The number of each item's stratum, (n,), without gaps: by votes and a model's ranking."""
    share = items.votes_positive / items.votes_total
    cell = 2 * np.floor(share * PARTS + 0.5).astype(int)
    if items.predictors:
        upper = round(min(UPPER, float(share.mean())) * len(items))
        order = items.order(next(iter(items.predictors), NO_PREDICTOR))
        cell[order[len(items) - upper :]] += 1
    return np.asarray(np.unique(cell, return_inverse=True)[1])


def share_out(part: np.ndarray, size: np.ndarray) -> np.ndarray:
    """The stratum of the first label, of the second, and so on, (N,), until all items have one,
    given the part of all labels that each stratum (H,) is to have, above 0, and its items. Each
    gets its `LEAST` first, then the one with the fewest labels for its part the next
    (Sainte-Lague's divisors), so that more labels never take one from a stratum.
    """
    stratum = np.repeat(np.arange(len(size)), size)
    before = np.arange(len(stratum)) - np.repeat(np.cumsum(size) - size, size)
    turn = np.where(before < LEAST, 0.0, (before + 0.5) / part[stratum])
    return np.asarray(stratum[np.lexsort((stratum, before, turn))])


def allocate(items: Items, stratum: np.ndarray, n_gold: int) -> np.ndarray:
    """Labels of each stratum, (H,), `n_gold` in all; each has `LEAST`, or an `InputError`."""
    size = np.bincount(stratum)
    guess = (items.votes_positive + MORE_VOTES / 2) / (items.votes_total + MORE_VOTES)
    chance = np.bincount(stratum, guess) / size
    wanted = size * np.sqrt(chance * (1 - chance))
    part = PROPORTIONAL * size / size.sum() + (1 - PROPORTIONAL) * wanted / wanted.sum()
    fewest = np.minimum(LEAST, size).sum()
    if not fewest <= n_gold <= len(items):
        raise InputError(f"n_gold {n_gold}: expected {fewest} to {len(items)}, for all strata")
    return np.bincount(share_out(part, size)[:n_gold], minlength=len(size))


def draw_clusters(cluster: np.ndarray, n_gold: int, rng: np.random.Generator) -> np.ndarray:
    """Which items (n,) an expert labels: all of clusters at random; of the last perhaps some."""
    place = rng.permutation(int(cluster.max()) + 1)[cluster]
    labelled = np.zeros(len(cluster), dtype=bool)
    labelled[np.lexsort((rng.random(len(cluster)), place))[:n_gold]] = True
    return labelled


def draw_gold(items: Items, design: str, n_gold: int, rng: np.random.Generator) -> Items:
    """The items with gold labels from their truth, drawn by one of `GOLD_DESIGNS`."""
    if design == SIMPLE:
        return items.with_gold(draw_labelled(len(items), n_gold, rng))
    if design == CLUSTERS:
        if items.cluster is None:
            raise InputError(f"gold_design {CLUSTERS!r}: the items have no clusters")
        return items.with_gold(draw_clusters(items.cluster, n_gold, rng))
    if design == AUDIT:
        flagged = round(FLAGGED * len(items))
        stratum = np.zeros(len(items), dtype=int)
        stratum[items.order(next(iter(items.predictors)))[len(items) - flagged :]] = 1
        upper = min(round(OF_FLAGGED * n_gold), flagged)
        drawn = np.array([n_gold - upper, upper])
    else:
        stratum = strata_of(items)
        drawn = allocate(items, stratum, n_gold)
    chance = (drawn / np.bincount(stratum))[stratum]
    if design == POISSON:
        return items.with_gold(rng.random(len(items)) < chance, GoldDraw(chance))
    labelled = np.zeros(len(items), dtype=bool)
    for h, number in enumerate(drawn):
        labelled[rng.choice(np.flatnonzero(stratum == h), number, replace=False)] = True
    return items.with_gold(labelled, GoldDraw(chance, stratum, drawn))


@dataclass(frozen=True)
class Predictor:
    """A simulated predictor: X ~ Normal(mu Y + delta P, 1), P the chance of a positive vote."""

    mu: float
    delta: float


@dataclass(frozen=True, kw_only=True)
class Sized(Settings):
    """The size of a study, its votes and its gold labels."""

    n: Annotated[int, AtLeast(2), "Items."]
    votes_total: Annotated[object, Json({"type": ["integer", "array", "object"]}),
        "Votes on each item, a number; or a list of equally likely numbers; or numbers with their "
        "probabilities."]  # fmt: skip
    gold_fraction: Annotated[float, SHARE, "Fraction of the items that have a gold label."]
    n_gold: Annotated[int, AtLeast(0), "Items that have a gold label."]


@dataclass(frozen=True, kw_only=True)
class Design(Sized):
    """A study of a generator that knows the truth of a population, its gold drawn by a design."""

    gold_design: Annotated[GoldDesign,
        "How gold items are drawn. Where not given, they are a `simple` random sample. `strata`: "
        "fixed numbers from strata by votes and the first predictor's score, more where labels "
        "vary. `poisson`: each item by itself with the chances of its stratum. `clusters`: whole "
        "clusters, of generators that have them. `audit`: four fifths of them from the tenth of "
        "the items that the first predictor ranks highest, the rest from the others."]  # fmt: skip

    truth_of: Annotated[Literal["items", "population"], OF_EXPERIMENT,
        "What the true metrics are of: the replicate's own `items`, where not given, or the "
        "`population` that it is drawn from, by a million other items. Intervals are about the "
        "same."]  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class InClusters(Design):
    """A study whose items may belong together."""

    cluster_size: Annotated[int, AtLeast(2),
        "Items of a cluster, as answers to one prompt are; none belong together where not given. "
        "The last cluster may have fewer."]  # fmt: skip
    cluster_correlation: Annotated[float, SHARE,
        "Correlation, within a cluster, of the normal numbers behind the items' labels, and of "
        "those behind their difficulty; 0 where not given. That of labels is "
        "less."] = 0  # fmt: skip
    cluster_column: Annotated[
        bool, "Whether the table says which items belong together; true where not given."
    ] = True


@dataclass(frozen=True)
class Clusters:
    """Items in clusters of equal size."""

    size: int  # n
    cluster: np.ndarray | None = None  # (n,) number of each item's; None where none belong together
    correlation: float = 0.0  # of `normal` within a cluster
    told: bool = True  # whether tables say which items belong together

    def in_table(self, items: Items) -> Items:
        """The items as the table has them."""
        return items if self.told else replace(items, cluster=None)

    def normal(self, rng: np.random.Generator) -> np.ndarray:
        """Standard normal numbers, (n,)."""
        own = rng.standard_normal(self.size)
        if self.cluster is None:
            return own
        shared = rng.standard_normal(int(self.cluster[-1]) + 1)[self.cluster]
        return np.asarray(np.sqrt(self.correlation) * shared + np.sqrt(1 - self.correlation) * own)

    def uniform(self, rng: np.random.Generator) -> np.ndarray:
        """Numbers between 0 and 1, each as likely, (n,)."""
        return rng.random(self.size) if self.cluster is None else np.asarray(ndtr(self.normal(rng)))


@dataclass(frozen=True, kw_only=True)
class PredictorGiven(Settings):
    """A simulated predictor."""

    mu: Annotated[float, "How far the score follows the true label."]
    delta: Annotated[float, "How far the score follows the votes."]


PredictorsGiven = Annotated[
    object,
    Named(PredictorGiven, ("mu", "delta")),
    "The simulated predictors by name; scores are Normal(mu Y + delta P, 1), with Y the true "
    "label and P the probability of a positive vote. The first is the one that metrics are "
    "about.",
]


@dataclass(frozen=True, kw_only=True)
class Predicted(Design):
    """A study with predictors by name."""

    predictors: PredictorsGiven


def read_n(parameters: Parameters) -> int:
    """The number of items, at least 2."""
    return parameters.whole("n", at_least=2)


def read_named(
    parameters: Parameters, declared: type, shape: str, kind: str = "predictor",
    least: tuple[int, str] = (1, "at least one"),
) -> dict[str, Given]:  # fmt: skip
    """The parameters, `declared` by a class, of each predictor or other `kind`, by its name."""
    given = parameters.values.get(f"{kind}s")
    if not isinstance(given, Mapping) or len(given) < least[0]:
        raise parameters.fault(f"{kind}s", f"{least[1]}, as {{NAME: {shape}}}")
    found = {}
    for name, values in given.items():
        owner = f"{parameters.owner}, {kind} {name!r}"
        if not isinstance(values, Mapping):
            raise InputError(f"{owner}: found {values!r}, expected {shape}")
        found[str(name)] = Given(owner, values, declared)
        found[str(name)].check_names()
    return found


def read_predictors(parameters: Parameters) -> dict[str, Predictor]:
    """The predictors by name; at least one, each with a finite `mu` and `delta`."""
    named = read_named(parameters, PredictorGiven, "{mu: number, delta: number}")
    return {name: Predictor(own.real("mu"), own.real("delta")) for name, own in named.items()}


def true_parameters(predictors: Mapping[str, Predictor]) -> dict[str, float]:
    """The predictors' parameters under the names that `Replicate.parameters` uses."""
    return {
        f"{parameter}:{name}": getattr(predictor, parameter)
        for name, predictor in predictors.items()
        for parameter in ("mu", "delta")
    }


def draw_scores(
    predictors: Mapping[str, Predictor], truth: np.ndarray, chance: np.ndarray,
    rng: np.random.Generator,
) -> dict[str, np.ndarray]:  # fmt: skip
    """Draw each predictor's scores (n,), independent given truth (n,) and chance (n,) of a vote."""
    return {
        name: rng.normal(predictor.mu * truth + predictor.delta * chance)
        for name, predictor in predictors.items()
    }


def read_votes_total(parameters: Parameters) -> tuple[np.ndarray, np.ndarray]:
    """The numbers of votes that an item may get, ascending, and their probabilities."""
    given: Any = parameters.values.get("votes_total")
    pairs: list[tuple[Any, Any]]
    if isinstance(given, Mapping):  # some file formats allow only text as keys
        pairs = [
            (int(votes) if isinstance(votes, str) and votes.isdecimal() else votes, share)
            for votes, share in given.items()
        ]
    elif isinstance(given, list | tuple):
        pairs = [(votes, 1 / len(given)) for votes in given]
    else:
        pairs = [(given, 1.0)]
    whole = all(is_whole(votes) and votes >= 1 for votes, _ in pairs)
    chances = all(is_number(share) and share >= 0 for _, share in pairs)
    total = sum(share for _, share in pairs) if chances else 0
    if not (whole and math.isclose(total, 1, abs_tol=1e-9)):
        raise parameters.fault(
            "votes_total",
            "a whole number of votes, at least 1, or {votes: probability} with probabilities that "
            "sum to 1, or a list of numbers of votes",
        )
    votes = np.unique([int(votes) for votes, _ in pairs])
    weight = np.array([sum(s for v, s in pairs if int(v) == votes_i) for votes_i in votes])
    return votes, weight / weight.sum()


def draw_votes_total(parameters: Parameters, n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw the number of votes c (n,) on each item."""
    votes, weight = read_votes_total(parameters)
    return rng.choice(votes, size=n, p=weight) if len(votes) > 1 else np.full(n, votes[0])


def read_n_gold(parameters: Parameters, n: int) -> int:
    """The number of gold labels, 0 to n, from `gold_fraction` or `n_gold`."""
    given = [name for name in GOLD if name in parameters]
    if len(given) != 1:
        found = "both" if given else "neither"
        raise InputError(
            f"{parameters.owner}: found {found} of the parameters 'gold_fraction' and 'n_gold', "
            "expected one of them"
        )
    if given == ["n_gold"]:
        return parameters.whole("n_gold", at_least=0, at_most=n)
    share = parameters.values["gold_fraction"]
    if not (is_number(share) and share in SHARE):
        raise parameters.fault("gold_fraction", "a number from 0 to 1")
    return round(float(share) * n)


def read_gold_design(parameters: Parameters) -> str:
    """How gold is drawn, one of `GOLD_DESIGNS`."""
    return parameters.choice(DESIGN, GOLD_DESIGNS) if DESIGN in parameters else SIMPLE


def read_clusters(parameters: Given, n: int) -> Clusters:
    """Which of n items belong together."""
    if "cluster_size" not in parameters:
        return Clusters(n)
    cluster = np.arange(n) // parameters.whole("cluster_size", at_least=2)
    correlation = parameters.real("cluster_correlation")
    return Clusters(n, cluster, correlation, parameters.flag("cluster_column"))


def assemble(
    votes_positive: np.ndarray, votes_total: np.ndarray, scores: Mapping[str, np.ndarray],
    truth: np.ndarray, oracle: np.ndarray | None, n_gold: int, rng: np.random.Generator,
    gold_design: str = SIMPLE, cluster: np.ndarray | None = None,
) -> Items:  # fmt: skip
    """Make the table of n simulated items, numbered from 0; draw gold labels and tie-breaks."""
    n = len(truth)
    items = Items(
        item=np.arange(n).astype(str).astype(object), votes_positive=votes_positive,
        votes_total=votes_total, gold=np.full(n, NO_GOLD, dtype=np.int8), scores=scores,
        tie_break=rng.random(n), truth=truth.astype(np.int8), oracle=oracle, cluster=cluster,
    )  # fmt: skip
    return draw_gold(items, gold_design, n_gold, rng)
