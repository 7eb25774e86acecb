"""Metrics of agents, annotators and responses from a fit to Annotations (STABLEVAL, section 3.5).

Intervals of scores and ranks: percentile bootstrap over each agent's responses (algorithm 1, lines
18 to 21), a response drawn several times counting as often; the fit stays as it is. They hold what
other responses would change, and neither what other annotators would nor the error of the
confusion matrices. Methods with draws of the scores have their quantiles instead.

The paper calls two quantities stability (section 4.1). Both refit a method to the labels of a
random subset of the annotators:

- expected Kendall tau-b between the ranking by all annotators and that by the subset: higher is
  better, 1 is perfectly stable (the definition of section 4.1);
- rank spread: the standard deviation (n - 1) and the range of each agent's rank among the subsets,
  the mean over the agents: lower is better (tables 9, 14, 20 and 26).

The synthetic study (table 5) takes some of the labels of each response instead, whoever gave them:
3 of m, or 2 of 3. Proposition 1 says that one item decided by a single vote makes the expected
tau-b of majority votes less than 1. That needs agents whose scores are close, as its sketch of a
proof says: with agents far apart a vote that changes hands moves scores and no rank.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Annotated, Any, cast

import numpy as np

from crowdgold.inference.estimate import Estimate
from crowdgold.inference.labels import AgentDraws, Fit, LevelPosterior
from crowdgold.metrics import agents
from crowdgold.metrics.agents import AgentMetric, agent_scores, level_shares, ranks, steps
from crowdgold.metrics.reviewers import parse_reviewer_metric
from crowdgold.types.annotations import Annotations
from crowdgold.types.errors import InputError
from crowdgold.types.notes import Note
from crowdgold.types.parameters import AtLeast, Between, Each, Range, Settings

Score = Callable[[Annotations], np.ndarray]
"""The scores of the agents (S,) from labels; NaN for an agent without any."""
Refit = Callable[[Annotations], Fit]
"""Fits the same method, with the same settings, to other labels of the same items."""
BLOCK = 2_000_000  # Draws of responses that are held at a time


@dataclass(frozen=True)
class Subsampling(Settings):
    """How subsets of annotators are drawn for the stability of a ranking."""

    draws: Annotated[int, AtLeast(2), "Subsets; the method is fitted to each."] = 50
    share: Annotated[
        float, Range(above=0, most=1),
        "Share of the annotators in a subset; rounded down to whole ones, at least one.",
    ] = 0.7  # fmt: skip
    legacy_seed: Annotated[
        int | None, Between(0, 2**32 - 1),
        "Seed of NumPy's legacy generator, for the published draws (42); the configuration's seed "
        "where not given.",
    ] = None  # fmt: skip
    labels: Annotated[
        int, AtLeast(1),
        "Labels that each response keeps, for `stability:labels`; one less than it has where it "
        "has no more, but at least one.",
    ] = 3  # fmt: skip
    in_turn: Annotated[
        object, Each(str, least=1),
        "Methods that draw these labels one after the other, with the random numbers that drew the "
        "data, as the published study of `stableval_seeds` did; a method that is not named "
        "takes those of the last one. With the configuration's seed where not given.",
    ] = None  # fmt: skip

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
        size = self._kept(number)[annotations.item_of]
        first = (np.cumsum(number) - number)[annotations.item_of]
        for _ in range(self.draws):
            # Labels in a random order within their items, which stay where they are.
            order = np.lexsort((rng.random(len(annotations)), annotations.item_of))
            chosen = np.empty(len(annotations), dtype=bool)
            chosen[order] = np.arange(len(annotations)) - first < size
            yield chosen

    def label_subsets_in_turn(
        self, annotations: Annotations, method: str, state: Mapping[str, Any]
    ) -> Iterator[np.ndarray]:
        """A method's subsets of labels, drawn on from the `state` of the random numbers."""
        items, number = len(annotations.item), np.unique(annotations.labels_of_item)
        if not state or len(number) > 1:
            raise InputError(
                "subsampling.in_turn: expected the data of the simulator stableval_seeds, with "
                "the state of its random numbers and as many labels of each response"
            )
        rng, order = np.random.default_rng(0), cast("list[str]", self.in_turn)
        rng.bit_generator.state = dict(state)
        last = np.arange(number[0])[-self._kept(number)[0] :]
        # The numbers that `rng.choice(number, kept, replace=False)` takes, response by response:
        # Floyd's algorithm, and a shuffle of what it chose.
        bounds = np.tile([*last, *range(len(last) - 1, 0, -1)], (items, 1))
        turn, rows = order.index(method) if method in order else len(order) - 1, np.arange(items)
        for draw in range((turn + 1) * self.draws):
            drawn = rng.integers(bounds, endpoint=True)
            if draw >= turn * self.draws:
                chosen = np.zeros((items, number[0]), dtype=bool)
                for place, one in zip(last, drawn.T[: len(last)], strict=True):
                    chosen[rows, np.where(chosen[rows, one], place, one)] = True
                yield chosen.ravel()

    def _kept(self, number: np.ndarray) -> np.ndarray:
        """How many labels are kept of so many."""
        return np.maximum(np.minimum(self.labels, number - 1), 1)


def subsampled_scores(
    score: Score, annotations: Annotations, subsampling: Subsampling, rng: np.random.Generator
) -> np.ndarray:
    """The agents' scores from the labels of each random subset of the annotators: (D, S)."""
    subsets = subsampling.subsets(len(annotations.annotator), rng)
    return np.stack([score(annotations.of_annotators(chosen)) for chosen in subsets])


def rank_spread(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """SD and range of each agent's rank, (S,) each, over subsets (D, S) that leave it labels."""
    ranked = ranks(scores)
    known = np.isfinite(ranked)
    number = known.sum(axis=0)
    mean = np.where(known, ranked, 0).sum(axis=0) / np.maximum(number, 1)
    squares = (np.where(known, ranked - mean, 0) ** 2).sum(axis=0)
    sd = np.where(number > 1, np.sqrt(squares / np.maximum(number - 1, 1)), np.nan)
    top = np.where(known, ranked, -np.inf).max(axis=0)
    low = np.where(known, ranked, np.inf).min(axis=0)
    return sd, np.where(number > 0, top - low, np.nan)


def tau_b(first: np.ndarray, second: np.ndarray) -> float:
    """Kendall's tau-b of scores (S,) of agents that have both; NaN where all of one are tied."""
    from scipy.stats import kendalltau

    known = np.isfinite(first) & np.isfinite(second)
    if known.sum() < 2:
        return float("nan")
    return float(kendalltau(steps(first[known]), steps(second[known]), variant="b").statistic)


@dataclass(frozen=True)
class ExpectedTau:
    """Expected Kendall tau-b under annotator subsampling."""

    mean: float  # the mean over the draws in which it is defined
    standard_error: float  # its Monte Carlo error
    undefined: float  # the share of draws in which all agents are tied


def expected_tau(full: np.ndarray, scores: np.ndarray) -> ExpectedTau:
    """The expected tau-b between the ranking by all, (S,), and those by subsets, (D, S)."""
    values = np.array([tau_b(full, own) for own in scores])
    known = values[np.isfinite(values)]
    undefined = 1 - len(known) / len(values)
    if len(known) == 0:
        return ExpectedTau(float("nan"), float("nan"), undefined)
    error = float(known.std(ddof=1) / np.sqrt(len(known))) if len(known) > 1 else float("nan")
    return ExpectedTau(float(known.mean()), error, undefined)


def evaluate_annotations(
    fit: Fit, annotations: Annotations, metrics: Sequence[str], rng: np.random.Generator,
    level: float, resamples: int,
) -> list[Estimate]:  # fmt: skip
    """Metrics (`metrics.reviewers`) of annotators: one estimate each, or one for each annotator."""
    if len(annotations.category) != 2:
        raise InputError(
            f"rates of annotators are of two categories; the table has {len(annotations.category)}"
        )
    found: list[Estimate] = []
    for metric in map(parse_reviewer_metric, metrics):
        try:
            found += fit.labels.rates_of_annotators(annotations, metric, rng, level, resamples)
        except InputError as problem:
            raise InputError(f"{fit.method}: {problem}") from None
    return found


def shares_of(fit: Fit, annotations: Annotations) -> np.ndarray:
    """What each level counts of each response: (I, K)."""
    try:
        return fit.labels.level_shares(len(annotations.category))
    except InputError as problem:
        raise InputError(f"{fit.method}: {problem}") from None


def bootstrap_means(values: np.ndarray, rng: np.random.Generator, resamples: int) -> np.ndarray:
    """The means of resamples of the values (n,), at least one: (resamples,)."""
    size, step = len(values), max(1, BLOCK // len(values))
    means = np.empty(resamples)
    for first in range(0, resamples, step):
        drawn = rng.integers(size, size=(min(step, resamples - first), size))
        means[first : first + step] = values[drawn].mean(axis=1)
    return means


@dataclass(frozen=True)
class _Judged:
    """A fit, the labels it is of, and what metrics are made of, each found when it is needed."""

    fit: Fit
    annotations: Annotations
    rng: np.random.Generator
    level: float
    resamples: int
    refit: Refit | None
    subsampling: Subsampling
    state: Mapping[str, Any]

    @cached_property
    def scores(self) -> np.ndarray:
        return agent_scores(shares_of(self.fit, self.annotations), self.annotations)

    @cached_property
    def resampled(self) -> np.ndarray:
        """The scores of draws, or of resamples of each agent's responses: (resamples, S)."""
        table, credit_per_level = self.annotations, agents.credit_of(self.annotations)
        if self.draws is not None:
            return np.asarray(self.draws.shares @ credit_per_level)
        credit = shares_of(self.fit, table) @ credit_per_level
        scores = np.full((self.resamples, len(table.agent)), np.nan)
        for agent in range(len(table.agent)):
            own = credit[(table.labels_of_item > 0) & (table.agent_of == agent)]
            if len(own):
                scores[:, agent] = bootstrap_means(own, self.rng, self.resamples)
        return scores

    @cached_property
    def subsampled(self) -> np.ndarray:
        return subsampled_scores(self.score_of, self.annotations, self.subsampling, self.rng)

    @cached_property
    def of_fewer_labels(self) -> np.ndarray:
        chosen, table = self.subsampling, self.annotations
        if chosen.in_turn is None:
            subsets = chosen.label_subsets(table, self.rng)
        else:
            subsets = chosen.label_subsets_in_turn(table, self.fit.method, self.state)
        return np.stack([self.score_of(table.of_labels(own)) for own in subsets])

    def score_of(self, labels: Annotations) -> np.ndarray:
        """Fit the method to other labels and give the scores (S,)."""
        if self.refit is None:
            raise InputError(f"{self.fit.method}: ranking stability needs to fit it again")
        return agent_scores(shares_of(self.refit(labels), labels), labels)

    @property
    def draws(self) -> AgentDraws | None:
        return self.fit.labels.levels.draws if self.fit.labels.levels else None

    @property
    def posterior(self) -> LevelPosterior | None:
        known = self.fit.labels.levels
        return known if known and known.confusion is not None else None


def _value(metric: AgentMetric, value: float, why: Note | None = None) -> Estimate:
    """Make an estimate without an interval."""
    if not np.isfinite(value):
        return Estimate.unavailable(metric.text, why)
    return Estimate(metric.text, float(value), np.nan, np.nan)


def _of_agents(metric: AgentMetric, judged: _Judged) -> Iterator[Estimate]:
    table = judged.annotations
    if metric.name == "responses":
        counted = (table.labels_of_item > 0) & (table.agent_of >= 0)
        numbers = np.bincount(table.agent_of[counted], minlength=len(table.agent))
        found = [_value(metric, number) for number in numbers]
    elif metric.name in agents.SPREAD:
        values = rank_spread(judged.subsampled)[agents.SPREAD.index(metric.name)]
        found = [_value(metric, value) for value in values]
    else:
        values = ranks(judged.scores) if metric.name == "rank" else judged.scores
        draws = judged.resampled
        if metric.name == agents.EXPECTED and judged.draws is not None:
            draws = np.asarray(judged.draws.expected @ agents.credit_of(table))
            values = draws.mean(axis=0)
        elif metric.name == "rank" and len(draws) > 0:
            draws = ranks(draws)
        found = [
            Estimate.of_draws(metric.text, draws[:, agent], judged.level, float(value))
            if len(draws)
            else _value(metric, value)
            for agent, value in enumerate(values)
        ]
    for name, one in zip(table.agent, found, strict=True):
        notes = () if np.isfinite(one.estimate) else (Note("no_response_labelled"),)
        yield replace(one, agent=str(name), notes=notes)


def _estimates(metric: AgentMetric, judged: _Judged) -> Iterator[Estimate]:
    posterior, table = judged.posterior, judged.annotations
    if metric.name in agents.ANNOTATORS:
        if posterior is None or posterior.confusion is None:
            yield Estimate.unavailable(metric.text, Note("no_matrices"))
            return
        values = agents.annotator_quality(posterior.confusion)[metric.name]
        present = np.bincount(table.annotator_of, minlength=len(table.annotator)) > 0
        values = np.where(present, values, np.nan)
        if not metric.of:
            yield _value(metric, float(np.nanmean(values)))
            return
        for name, value in zip(table.annotator, values, strict=True):
            yield replace(_value(metric, value, Note("no_labels")), annotator=str(name))
    elif metric.name in ("ambiguity", "entropy", "level", "ambiguous"):
        if posterior is None:
            yield Estimate.unavailable(metric.text, Note("no_probabilities"))
            return
        labelled = np.flatnonzero(table.labels_of_item > 0)
        probability = posterior.probability[labelled]
        amount = agents.ambiguity(probability)
        values = {
            "ambiguity": amount,
            "entropy": agents.entropy(probability),
            "level": probability.argmax(axis=1).astype(float),
            "ambiguous": (amount > agents.AMBIGUOUS).astype(float),
        }[metric.name]
        if metric.of != agents.TOP:
            yield _value(metric, float(values.mean()))
            return
        order = np.argsort(-amount, kind="stable")
        least = amount[order[: agents.MOST_AMBIGUOUS][-1]]
        for row in order[: int((amount >= least - agents.ALIKE).sum())]:
            yield replace(_value(metric, values[row]), item=str(table.item[labelled[row]]))
    elif metric.name == agents.STABILITY:
        others = judged.of_fewer_labels if metric.of == agents.LABELS else judged.subsampled
        tau = expected_tau(judged.scores, others)
        tied = Note("all_agents_tied") if tau.undefined == 1 else None
        found = _value(metric, tau.mean, tied)
        yield replace(found, standard_error=tau.standard_error, undefined=tau.undefined)
    elif metric.name in agents.SPREAD and not metric.of:
        values = rank_spread(judged.subsampled)[agents.SPREAD.index(metric.name)]
        yield _value(metric, float(np.mean(values)))
    elif metric.name in agents.TABLE or (metric.name == "responses" and not metric.of):
        yield _value(metric, agents.table_statistic(metric.name, table))
    else:
        yield from _of_agents(metric, judged)


def evaluate_agents(
    fit: Fit, annotations: Annotations, metrics: Sequence[str], rng: np.random.Generator,
    level: float, resamples: int, refit: Refit | None = None,
    subsampling: Subsampling | None = None, state: Mapping[str, Any] | None = None,
) -> list[Estimate]:  # fmt: skip
    """Metrics (`metrics.agents`) of agents, annotators or responses, one for each if asked.

    `state` is that of the random numbers that drew the labels, for `Subsampling.in_turn`.
    """
    if len(annotations.agent) == 0:
        raise InputError("metrics of agents: the table names no agents; expected a column 'agent'")
    chosen = subsampling or Subsampling()
    judged = _Judged(fit, annotations, rng, level, resamples, refit, chosen, state or {})
    return [one for text in metrics for one in _estimates(agents.parse_agent_metric(text), judged)]


def true_values(text: str, annotations: Annotations) -> Mapping[str, float]:
    """Agent -> true score, or rank by scores; empty of other metrics, or without the truth."""
    metric = agents.parse_agent_metric(text)
    if annotations.truth is None or metric.name not in ("score", "rank"):
        return {}
    true = agent_scores(level_shares(annotations.truth, len(annotations.category)), annotations)
    values = ranks(true) if metric.name == "rank" else true
    return dict(zip(map(str, annotations.agent), map(float, values), strict=True))
