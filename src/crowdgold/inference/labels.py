"""What a method gives back, each kind with how metrics are estimated from it.

A method returns one (`Fit.labels`); nothing else asks of which kind it is. For draws of label
probabilities (MAVEN, section 3.4): per draw, impute labels, compute each metric, and take mean and
quantiles over the draws. Predictors that are compared share, per draw and item, the uniform number
that decides the label. For labels taken for the truth in the papers' figures: the percentile
bootstrap over labelled items, the same resamples for all predictors.

`evaluate` is the one way from a fit to estimates. Every kind says what it knows of metrics as one
predictor ranks the items; a difference of two predictors is taken from what is known of each,
before anything is summarised.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Literal, Self

import numpy as np

from crowdgold.inference import annotator_rates
from crowdgold.inference.design import Design, drawn_from, sample_of_population
from crowdgold.inference.estimate import Draws, Estimate, Named, Questions, Sample, Stated, View
from crowdgold.inference.power_tuned_mean import estimate_means, power_tuned_mean
from crowdgold.inference.rectified import (
    LABELS,
    NEW_ITEMS,
    OWN,
    POPULATION,
    RESAMPLED,
    Request,
    Streams,
    of_labels,
    rectify,
)
from crowdgold.metrics.agents import level_shares
from crowdgold.metrics.binary import parse_metric
from crowdgold.metrics.metric import Asked
from crowdgold.metrics.reviewers import PREVALENCE, ReviewerMetric, parse_reviewer_metric
from crowdgold.models.judge_error import INTERVALS, KEEP, JudgementCounts, correct_rate
from crowdgold.models.majority import NO_LABEL
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.system.kernels import kernel
from crowdgold.system.packages import need
from crowdgold.types.annotations import Annotations
from crowdgold.types.display import Shown, ShownFacts
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_PREDICTOR, Items
from crowdgold.types.notes import Note
from crowdgold.types.parameters import LEVEL, Settings

if TYPE_CHECKING:
    import xarray

LabelProbability = Callable[[int, str, np.random.Generator], np.ndarray]
"""(draw, predictor, rng) -> P(Y_i = 1) of each item, (n,), under that draw."""
PREVALENCE_ONLY = Note("estimates_others", {"metrics": [PREVALENCE]})
UNLIKE = "gives nothing that these metrics are made of"
PREDICTION_DRAWS = 100
"""Posterior draws behind a mean prediction; more do not make the intervals narrower."""


def as_dataset(posterior: Mapping[str, np.ndarray], chains: int) -> "xarray.Dataset":
    """The draws, chain after chain, as variables over (chain, draw, ...), of one chain where chains
    cannot be told apart; `mu:A`, the value of `mu` for predictor A, becomes a part of `mu`.
    """
    need("xarray", "a dataset of draws")
    import xarray  # here: it takes a second to load

    by_name: dict[str, dict[str, np.ndarray]] = {}
    for name, draws in posterior.items():
        variable, _, predictor = name.partition(":")
        by_name.setdefault(variable, {})[predictor] = draws
    variables = {}
    for name, parts in by_name.items():
        inner: list[str] = []
        coordinates: dict[str, list[str]] = {}
        if "" in parts:
            values = parts[""]
            inner = [f"{name}_dim_{place}" for place in range(values.ndim - 1)]
        else:
            values = np.stack(list(parts.values()), axis=1)
            inner, coordinates = ["predictor"], {"predictor": list(parts)}
        of_chains = chains if chains and len(values) % chains == 0 else 1
        shaped = values.reshape(of_chains, -1, *values.shape[1:])
        variables[name] = xarray.DataArray(shaped, coordinates, ["chain", "draw", *inner])
    return xarray.Dataset(variables)


@kernel()
def _counts(picked: np.ndarray, size: int) -> np.ndarray:
    counts = np.zeros(size, dtype=np.uint8)  # small, for the cache; none comes near to 255
    for item in picked:
        counts[item] += 1
    return counts


def draw_times(
    size: int, rng: np.random.Generator, cluster: np.ndarray | None = None
) -> np.ndarray:
    """How often each item (n,), or its cluster, is in a resample of all, with replacement."""
    if cluster is not None:
        return draw_times(int(cluster.max()) + 1, rng)[cluster]
    return _counts(rng.integers(0, size, size, dtype=np.uint32), size)


def impute(
    probability: LabelProbability, draws: int, view: View, questions: Questions, request: Request
) -> Draws:
    """Values of the data sets that are imputed under each draw. About the population each is
    resampled, items with their labels: with W such weights and Y labels, var M(W, Y) = E var(M | Y)
    + var E(M | Y), the sampling variance of a fully labelled table, and what is not known of its
    labels (Rubin, 1987, within and between imputations). Estimates are the mean of the values
    before that.
    """
    streams, size = request.streams, len(view)
    label_rng, own_rng = streams.make(LABELS, ""), streams.make(OWN, view.predictor)
    times_rng = streams.make(NEW_ITEMS, "") if request.target == POPULATION else None
    ranking, cluster = view.ranking(), view.items.cluster
    order = ranking.order
    if cluster is not None:
        cluster = np.unique(cluster, return_inverse=True)[1]
    in_order, ranking = view.take(order), ranking.in_sequence()
    values, resampled, total, uniform = [], [], np.zeros(size), np.empty(size)
    for draw in range(draws):
        share = probability(draw, view.predictor, own_rng)
        total += share
        # Labels and counts stay bytes, which are several times quicker than floats.
        labels = (label_rng.random(out=uniform) < share)[order].view(np.uint8)
        values.append(questions.values(in_order.mass(labels), ranking))
        if times_rng is not None:
            times = draw_times(size, times_rng, cluster)[order]
            resampled.append(questions.values(in_order.mass(labels, times), ranking))
    found = np.array(values)
    if not resampled:
        return Draws(found, probability=total / draws)
    known = np.isfinite(found)
    mean = np.full(found.shape[1], np.nan)
    whole = np.where(known, found, 0.0).sum(axis=0)
    np.divide(whole, known.sum(axis=0), out=mean, where=known.any(axis=0))
    return Draws(np.array(resampled), mean, total / draws)


def resample(
    share: np.ndarray, view: View, questions: Questions, rng: np.random.Generator, resamples: int,
    design: Design,
) -> Draws:  # fmt: skip
    """Values of bootstrap resamples of labelled items, and of the items themselves."""
    ranking, share = view.ranking(), share.astype(float)
    values = [
        questions.values(view.mass(share, design.times(rng)), ranking) for _ in range(resamples)
    ]
    return Draws(np.array(values), questions.values(view.mass(share), ranking))


class Labels:
    """What a method gives back. A kind overrides what it can say something of."""

    of_items = True  # whether it says something of each item's label
    parameters: Mapping[str, np.ndarray] = MappingProxyType({})  # draws of model parameters by name

    @property
    def posterior(self) -> Mapping[str, np.ndarray]:
        """Draws of all that was drawn, by name: (draws, ...), chain after chain."""
        return self.parameters

    def sample(self, view: View, questions: Questions, request: Request) -> Sample:
        """What it says of metrics of items as a predictor ranks them."""
        raise InputError(UNLIKE)

    def take(self, rows: np.ndarray) -> "Labels":
        """What it says of the items at some positions."""
        raise InputError("it says nothing of some of the items alone")

    def probabilities(self, view: View, rng: np.random.Generator) -> np.ndarray:
        """P(Y_i = 1) of each item, (n,), given a predictor's scores; NaN without a label."""
        raise InputError(UNLIKE)

    def predictions(
        self, items: Items, rng: np.random.Generator, most: int = PREDICTION_DRAWS
    ) -> dict[str, np.ndarray]:
        """A prediction of each item's label without its own gold label: predictor -> (n,)."""
        raise InputError(UNLIKE)

    def rates_of_annotators(
        self, annotations: Annotations, metric: ReviewerMetric, rng: np.random.Generator,
        level: float, resamples: int,
    ) -> list[Estimate]:  # fmt: skip
        """Estimates of a metric of annotators: one, or one for each."""
        raise InputError(UNLIKE)

    def level_shares(self, categories: int) -> np.ndarray:
        """What each category counts of each item of Annotations, (I, K)."""
        raise InputError(UNLIKE)

    @property
    def levels(self) -> "LevelPosterior | None":
        """Matrices and draws of the levels of Annotations; None where it has neither."""
        return None


class CountedLabels(Labels):
    """Labels, or shares of items, that a method takes for the truth."""

    is_gold = False  # whether they are gold labels alone, drawn as the table says

    @property
    def share(self) -> np.ndarray:
        """What counts of each item as positive, (n,); negative where it has no label."""
        raise NotImplementedError

    def sample(self, view: View, questions: Questions, request: Request) -> Sample:
        """What the labelled items contribute, or resamples of them where these are asked for."""
        rows = np.flatnonzero(self.share >= 0)
        share, known = self.share[rows], view.take(rows)
        # Labels that are no gold are of a sample of the population, whatever they are asked.
        known, design = (
            drawn_from(view, rows) if self.is_gold else (known, sample_of_population(known))
        )
        if request.resamples:
            rng = request.streams.make(RESAMPLED, "")
            return resample(share, known, questions, rng, request.resamples, design)
        target, among = (request.target, view) if self.is_gold else (POPULATION, None)
        return of_labels(share, known, questions, target, design, among=among, level=request.level)

    def probabilities(self, view: View, rng: np.random.Generator) -> np.ndarray:
        """The share of each item."""
        return np.where(self.share < 0, np.nan, self.share.astype(float))


@dataclass(frozen=True)
class FixedLabels(CountedLabels):
    """Labels that a method takes for the truth."""

    labels: np.ndarray  # (n,) 0 or 1, or a category's position; `NO_LABEL` of none

    @property
    def share(self) -> np.ndarray:
        """The labels themselves."""
        return self.labels

    def take(self, rows: np.ndarray) -> "FixedLabels":
        """The labels of the items at some positions."""
        return replace(self, labels=self.labels[rows])

    def level_shares(self, categories: int) -> np.ndarray:
        """One for the category of each item's label."""
        return level_shares(self.labels, categories)

    def rates_of_annotators(
        self, annotations: Annotations, metric: ReviewerMetric, rng: np.random.Generator,
        level: float, resamples: int,
    ) -> list[Estimate]:  # fmt: skip
        """Shares of right labels, by the percentile bootstrap over items."""
        return annotator_rates.of_labels(self.labels, annotations, metric, rng, level, resamples)


class GoldLabels(FixedLabels):
    """Gold labels alone, of items that were drawn as the table says."""

    is_gold = True


@dataclass(frozen=True)
class ProbableLabels(FixedLabels):
    """Fixed labels of Annotations with their probabilities, whose mean is the prevalence."""

    probability: np.ndarray  # (I, K) of each category

    @property
    def share(self) -> np.ndarray:
        """The probability of the second category."""
        return self.probability[:, 1]

    def rates_of_annotators(
        self, annotations: Annotations, metric: ReviewerMetric, rng: np.random.Generator,
        level: float, resamples: int,
    ) -> list[Estimate]:  # fmt: skip
        """As of fixed labels, but for the prevalence: the mean probability."""
        if metric.name != PREVALENCE:
            return super().rates_of_annotators(annotations, metric, rng, level, resamples)
        return [annotator_rates.bootstrap_mean(self.share, metric.text, rng, level, resamples)]


@dataclass(frozen=True)
class LabelPosterior(Labels):
    """Draws of P(Y_i = 1), from which labels are imputed, by predictor where the method uses
    scores.
    """

    draws: int  # number of draws
    probability: LabelProbability
    parameters: Mapping[str, np.ndarray] = field(default_factory=dict)  # (draws,): `phi`, `mu:A`
    without_own_gold: LabelProbability | None = None  # as if the item's own label were unknown

    def as_if_no_gold(self) -> "LabelPosterior":
        """The same draws of parameters, which gold labels helped to find; labels are imputed as if
        no gold label were known.
        """
        if self.without_own_gold is None:
            raise InputError("it gives no label without the item's own gold label")
        return replace(self, probability=self.without_own_gold)

    def take(self, rows: np.ndarray) -> "LabelPosterior":
        """The draws for the items at some positions."""

        def probability(draw: int, predictor: str, rng: np.random.Generator) -> np.ndarray:
            return self.probability(draw, predictor, rng)[rows]

        return replace(self, probability=probability, without_own_gold=None)

    def sample(self, view: View, questions: Questions, request: Request) -> Sample:
        """Each metric of each imputed data set."""
        return impute(self.probability, self.draws, view, questions, request)

    def probabilities(self, view: View, rng: np.random.Generator) -> np.ndarray:
        """Mean over the draws."""
        return self._mean(self.probability, range(self.draws), view.predictor, rng)

    def predictions(
        self, items: Items, rng: np.random.Generator, most: int = PREDICTION_DRAWS
    ) -> dict[str, np.ndarray]:
        """Means over few draws, spread evenly, which do for a mean. The item's own label still
        enters through the parameters, as one of all, which is negligible.
        """
        from crowdgold.models.stan import spread_draws

        known = self.without_own_gold
        if known is None:
            return super().predictions(items, rng, most)
        chosen = spread_draws(self.draws, min(most, self.draws)).tolist()
        return {name: self._mean(known, chosen, name, rng) for name in items.predictors}

    @staticmethod
    def _mean(
        known: LabelProbability, draws: Sequence[int], predictor: str, rng: np.random.Generator
    ) -> np.ndarray:
        total = sum(known(draw, predictor, rng) for draw in draws)
        return np.asarray(total / len(draws))


@dataclass(frozen=True, kw_only=True)
class ImputesGold(Settings):
    """Settings of methods that impute labels under draws of a model's parameters."""

    gold_labels: Annotated[
        Literal["kept", "drawn"],
        "What an imputed data set has for an item with a gold label. `kept`: that label. `drawn`: "
        "a label drawn from the model as if it were not known, so that estimates are of the "
        "model alone. With a gold label of every item nothing else is left to estimate.",
    ] = "kept"

    def imputed(self, posterior: LabelPosterior) -> LabelPosterior:
        """The posterior whose imputed labels these settings ask for."""
        return posterior if self.gold_labels == "kept" else posterior.as_if_no_gold()


@dataclass(frozen=True)
class LabelPrediction(Labels):
    """A prediction of every label, which the gold labels correct (`inference.rectified`)."""

    probability: Mapping[str, np.ndarray]  # predictor -> (n,), without the item's own gold

    @classmethod
    def of_all(cls, items: Items, probability: np.ndarray) -> Self:
        """One prediction (n,), the same for all predictors."""
        return cls(dict.fromkeys([NO_PREDICTOR, *items.predictors], probability))

    def take(self, rows: np.ndarray) -> "LabelPrediction":
        """The prediction for the items at some positions."""
        return replace(self, probability={name: p[rows] for name, p in self.probability.items()})

    def sample(self, view: View, questions: Questions, request: Request) -> Sample:
        """The prediction and what the gold labels make of it."""
        prediction = np.asarray(self.probability[view.predictor], dtype=float)
        return rectify(prediction, view, questions, request.target, level=request.level)

    def probabilities(self, view: View, rng: np.random.Generator) -> np.ndarray:
        """The prediction."""
        return np.array(self.probability[view.predictor], dtype=float)


@dataclass(frozen=True)
class MeanPrediction(LabelPrediction):
    """A prediction of every label, which corrects means of item-level values only (AutoEval)."""

    def sample(self, view: View, questions: Questions, request: Request) -> Sample:
        """PPI++ of the metrics that are means over items."""
        prediction = np.asarray(self.probability[view.predictor], dtype=float)
        return Stated(estimate_means(prediction, view, questions.asked, request.level))


@dataclass(frozen=True, repr=False)
class Fit(Shown):
    """A method fitted to a table."""

    method: str  # the method's short name
    labels: Labels  # what the method gave
    diagnostics: Diagnostics = field(default_factory=Diagnostics)  # good where no chain was run
    seconds: Mapping[str, float] = field(default_factory=dict)  # `inference`: without imputation

    def facts(self) -> ShownFacts:
        """The method, what it gave, and whether its chains had converged."""
        chains = self.diagnostics.chains
        passed = self.diagnostics.message or ("passed" if chains else "no chains were run")
        return {
            "method": self.method,
            "gave": type(self.labels).__name__,
            "draws": ", ".join(self.labels.posterior) or "none",
            "diagnostics": passed,
            "seconds": f"{self.seconds.get('inference', 0.0):.3g}",
        }

    @property
    def draws(self) -> "xarray.Dataset":
        """The posterior draws, by chain, as ArviZ reads them; empty where nothing was drawn."""
        return as_dataset(self.labels.posterior, self.diagnostics.chains)


RATES = {"prevalence": "prevalence", "TPR_H": "TPR", "TNR_H": "TNR"}
"""Metrics of Items -> what they are called of annotators."""


@dataclass(frozen=True)
class ConfusionPosterior(Labels):
    """Draws of the prevalence and of confusion matrices, given Annotations.

    CLARA's TPR and TNR of all labels are the chance of a right label on positives and negatives,
    which TPR_H and TNR_H are the shares of in the items at hand.
    """

    prevalence: np.ndarray  # (D, K) for its own estimate and interval
    rates_with: np.ndarray  # (E, K) prevalences that belong to the draws of the matrices
    confusion: np.ndarray  # (E, M, K, K) confusion matrices; true category in rows
    matrix_of: np.ndarray  # (L,) the matrix that each label is drawn from
    probability: np.ndarray  # (I, K) P(y_i = k | data)
    swapped: float = 0.0  # share of the posterior in which the diagonals add to less than 1
    warning: Note | None = None  # what a reader of any of its estimates should know

    @property
    def posterior(self) -> dict[str, np.ndarray]:
        """The draws of the matrices, and of the prevalences that belong to them."""
        return {"prevalence": self.rates_with, "confusion": self.confusion}

    def sample(self, view: View, questions: Questions, request: Request) -> Sample:
        """Rates of all labels behind the items' votes; of other metrics, why there is none."""
        found = []
        for metric in questions.asked:
            if metric.name not in RATES:
                others = Note("estimates_others", {"metrics": list(RATES)})
                found.append(Estimate.unavailable(metric.text, others))
                continue
            if view.items.labels is None:
                raise InputError("the table does not say who gave each vote")
            rate = annotator_rates.of_posterior(
                self, view.items.labels, parse_reviewer_metric(RATES[metric.name]), request.level
            )
            found.append(replace(rate[0], metric=metric.text))
        return Stated(found)

    def probabilities(self, view: View, rng: np.random.Generator) -> np.ndarray:
        """The probability of the second category."""
        return self.probability[:, 1]

    def rates_of_annotators(
        self, annotations: Annotations, metric: ReviewerMetric, rng: np.random.Generator,
        level: float, resamples: int,
    ) -> list[Estimate]:  # fmt: skip
        """Means over the draws, and their quantiles."""
        return annotator_rates.of_posterior(self, annotations, metric, level)


@dataclass(frozen=True)
class AgentDraws:
    """Draws of the levels of agents' responses; NaN where an agent has none."""

    shares: np.ndarray  # (D, S, K) among each agent's responses with labels
    expected: np.ndarray  # (D, S, K) among all responses that it could give


@dataclass(frozen=True)
class LevelPosterior(CountedLabels):
    """The probability of each category of each item, given Annotations."""

    probability: np.ndarray  # (I, K) of each category; of no meaning where an item has no label
    hard: bool  # an item counts as of its most probable category, the lowest of equals
    confusion: np.ndarray | None = None  # (A, K, K), the true category in rows
    draws: AgentDraws | None = None  # None where responses are resampled

    @property
    def shares(self) -> np.ndarray:
        """What each category counts of an item: (I, K)."""
        if not self.hard:
            return self.probability
        chosen = self.probability.argmax(axis=1)
        return np.asarray(np.eye(self.probability.shape[1])[chosen])

    @property
    def share(self) -> np.ndarray:
        """What the second category counts of an item, (I,)."""
        return self.shares[:, 1]

    def level_shares(self, categories: int) -> np.ndarray:
        """The shares of the categories."""
        return self.shares

    @property
    def levels(self) -> "LevelPosterior":
        """It is what it says of levels."""
        return self

    def rates_of_annotators(
        self, annotations: Annotations, metric: ReviewerMetric, rng: np.random.Generator,
        level: float, resamples: int,
    ) -> list[Estimate]:  # fmt: skip
        """As of fixed labels, where items count as of their most probable category."""
        if not self.hard:
            raise InputError(UNLIKE)
        labels = np.where(annotations.labels_of_item > 0, self.probability.argmax(axis=1), NO_LABEL)
        return annotator_rates.of_labels(labels, annotations, metric, rng, level, resamples)


@dataclass(frozen=True)
class JudgedRate(Labels):
    """Judgements of a sample and what gold labels say of them, which correct a rate."""

    counts: JudgementCounts  # the judgements and gold labels
    correction: str  # "paper" or "adjusted" (Rogan and Gladen), or "power-tuned" (PPI++)
    outside: str = KEEP  # what becomes of an estimate outside [0, 1]: "keep" it, or "clip" it
    of_items = False

    def sample(self, view: View, questions: Questions, request: Request) -> Sample:
        """The corrected prevalence; of other metrics, why there is none."""
        return Stated(
            [
                of_judged_rate(self, parse_reviewer_metric(PREVALENCE), request.level)
                if metric.name == PREVALENCE
                else Estimate.unavailable(metric.text, PREVALENCE_ONLY)
                for metric in questions.asked
            ]
        )

    def rates_of_annotators(
        self, annotations: Annotations, metric: ReviewerMetric, rng: np.random.Generator,
        level: float, resamples: int,
    ) -> list[Estimate]:  # fmt: skip
        """The corrected prevalence."""
        return [of_judged_rate(self, metric, level)]


def power_tuned_rate(counts: JudgementCounts, level: float) -> tuple[float, float, float, float]:
    """PPI++'s estimate of the rate, its interval's ends, and its standard error."""
    counts.check()
    names = ("true_positives", "false_negatives", "true_negatives", "false_positives")
    sizes = np.array([getattr(counts, name) for name in names], dtype=int)
    if sizes.sum() == 0 or not counts.within:
        raise InputError("PPI++ needs gold labels of some of the judged items; there are none")
    gold, judged = np.repeat([1.0, 1.0, 0.0, 0.0], sizes), np.repeat([1.0, 0.0, 0.0, 1.0], sizes)
    positive = int(counts.positive) - int(judged.sum())
    others = np.repeat([1.0, 0.0], [positive, int(counts.judged) - len(gold) - positive])
    return power_tuned_mean(gold, judged, others, level)


def of_judged_rate(found: JudgedRate, metric: ReviewerMetric, level: float) -> Estimate:
    """The prevalence with its interval; other metrics have no value here.

    Experiments keep estimates as the formulas give them, also outside [0, 1]: to move them inside,
    as for a user, would show as a bias. Where there is none, the note says why.
    """
    if metric.name != PREVALENCE:
        return Estimate.unavailable(metric.text, PREVALENCE_ONLY)
    try:
        if found.correction not in INTERVALS:
            estimate, lower, upper, error = power_tuned_rate(found.counts, level)
        else:
            one = correct_rate(found.counts, level, found.correction, found.outside)
            estimate, lower, upper, error = (
                float(value) for value in (one.estimate, one.lower, one.upper, one.standard_error)
            )
    except InputError as problem:
        return Estimate.unavailable(metric.text, Note("no_rate", {"problem": str(problem)}))
    return Estimate(metric.text, estimate, lower, upper, standard_error=error)


def sample_of(fit: Fit, view: View, questions: Questions, request: Request) -> Sample:
    """What a fit says of metrics of items as a predictor ranks them."""
    try:
        return fit.labels.sample(view, questions, request)
    except InputError as problem:
        raise InputError(f"{fit.method}: {problem}") from None


def difference_of(
    samples: Sequence[Sample], columns: Sequence[int], named: Named, level: float
) -> list[Estimate]:
    """Estimates of the differences between the first and the second of two samples."""
    first, second = (sample.select(columns) for sample in samples)
    found = first.minus(second)
    if found is None:
        return [Estimate.unavailable(name, Note("no_difference")) for name in named.texts]
    return found.estimates(named.differences(), level)


def evaluate(
    fit: Fit, items: Items, metrics: Sequence[str], rng: np.random.Generator, level: float = LEVEL,
    resamples: int = 0, target: str = POPULATION, weights: np.ndarray | None = None,
) -> list[Estimate]:  # fmt: skip
    """Estimates of metrics from a fit, one a metric, in order; parameters by their posterior
    median, NaN where it lacks them. `target`: what the intervals are about, the "population" that
    the items were drawn from or these "items"; `weights`: (n,) what each counts, of mean 1.
    """
    parsed = [parse_metric(text) for text in metrics]
    request = Request(Streams.of(rng), level, target, resamples)
    needed: dict[str, list[Asked]] = {}
    for metric in parsed:
        for name in () if metric.is_parameter else metric.predictors(items):
            needed.setdefault(name, []).append(metric)
    place = {name: {metric.text: k for k, metric in enumerate(own)} for name, own in needed.items()}
    questions = {
        name: Questions(tuple(metric.of_one for metric in own)) for name, own in needed.items()
    }
    samples = {
        name: sample_of(fit, View(items, name, weights), asked, request)
        for name, asked in questions.items()
    }

    def estimate(metric: Asked) -> Estimate:
        if metric.is_parameter:
            known = fit.labels.parameters
            draws = known.get(metric.name)
            if draws is None:
                draws = known.get(f"{metric.name}:{metric.predictors(items)[0]}")
            if draws is None:
                return Estimate.unavailable(metric.text)
            # The median: mu has no mean under its prior.
            return Estimate.of_draws(metric.text, draws, level, float(np.median(draws)))
        names = metric.predictors(items)
        columns = [[place[name][metric.text]] for name in names]
        named = questions[names[0]].named.select(columns[0], [metric.text])
        chosen = [samples[name].select(own) for name, own in zip(names, columns, strict=True)]
        if metric.is_difference:
            return difference_of(chosen, [0], named, level)[0]
        return chosen[0].estimates(named, level)[0]

    return [estimate(metric) for metric in parsed]
