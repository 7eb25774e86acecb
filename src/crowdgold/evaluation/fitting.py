"""The work of a job: its methods fitted to the items of a stratum, and what they say of a model.

Posterior predictive checks of MAVEN: would its model give votes and rankings like these?

Under each of some posterior draws data are drawn anew, given what the model takes as known:

votes   of as many items of each gold class and number of votes: how many have how many positive
wins    the ranking, given votes and gold labels: how often items of one vote set are ranked above
        items of another, a tie counted half

Where what was observed is outside the interval of what was drawn, the model does not fit there.
"""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.checking.scores import of_complete_scores, scored, why_nothing
from crowdgold.evaluation.jobs import Job, Stratum, annotations_of, is_quick, items_of, stream
from crowdgold.evaluation.questions import Settings, questions_of
from crowdgold.inference.agents import evaluate_annotations
from crowdgold.inference.engine import sample_of
from crowdgold.inference.estimate import Estimate
from crowdgold.inference.interval import central_interval
from crowdgold.inference.labels import Fit
from crowdgold.inference.questions import Named, Questions, View
from crowdgold.inference.rectified import OWN, Request, Streams
from crowdgold.inference.samples import Sample, Stated
from crowdgold.methods.method import CORRECTED
from crowdgold.methods.needs import GOLD
from crowdgold.methods.registry import METHODS, fit
from crowdgold.metrics.curves import RECALLS, never_falling
from crowdgold.models.stan import SamplingError, StanModels
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.models.vote_sets import VoteParameters, VoteSets, find_vote_sets, win_counts
from crowdgold.reading.study import Study
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD, NO_PREDICTOR, Items, Ranking, Table

VOTES, WINS = CHECKS = ("votes", "wins")
DRAWS = 100
MOST_ITEMS = 20_000
"""Rankings of more items than that are checked on a part of them, chosen evenly."""
MOST_TOTALS = 6
MOST_SETS = 12
"""Numbers of votes, and vote sets, that are checked: those with the most items."""
FEWEST = 5
"""Vote sets with fewer items are left out."""

COLUMNS = (
    "check", "gold", "votes_total", "votes_positive", "against_gold", "against_votes_total",
    "against_votes_positive", "items", "observed", "expected", "lower", "upper",
)  # fmt: skip
"""A count of items for `votes`; for `wins` a share of pairs, of a vote set against another."""


def _vote_parameters(draws: Mapping[str, np.ndarray], chosen: np.ndarray) -> VoteParameters:
    a, d = (np.stack([draws[f"{name}{y}"] for y in (0, 1)], axis=1)[chosen] for name in "ad")
    return VoteParameters(draws["phi"][chosen], a, d)


def _interval(values: np.ndarray, level: float) -> dict[str, float]:
    lower, upper = central_interval(values, level)
    return {"expected": float(values.mean()), "lower": float(lower), "upper": float(upper)}


def _gold(value: int) -> int | None:
    return None if value == NO_GOLD else int(value)


def _most(values: np.ndarray, most: int) -> np.ndarray:
    """The most frequent values, sorted."""
    found, times = np.unique(values, return_counts=True)
    return np.sort(found[np.argsort(-times, kind="stable")[:most]])


def check_votes(
    vote: VoteParameters, items: Items, rng: np.random.Generator, level: float
) -> Iterator[dict[str, Any]]:
    """Draw how many items have each number of positive votes."""
    for total in _most(items.votes_total, MOST_TOTALS).tolist():
        positive = np.arange(total + 1)
        every = np.full(total + 1, total)
        patterns = VoteSets(
            positive, every, every, every, positive, positive, pattern_positive=positive,
            pattern_total=every,
        )  # fmt: skip
        by_label = np.exp(vote.pattern_log_likelihood(patterns))
        share = np.stack([1 - vote.phi, vote.phi], axis=1)
        chances = {0: by_label[..., 0], 1: by_label[..., 1]}
        chances[NO_GOLD] = (by_label * share[:, None, :]).sum(axis=-1)
        for gold, chance in chances.items():
            own = items.votes_positive[(items.gold == gold) & (items.votes_total == total)]
            if len(own) < FEWEST:
                continue
            drawn = rng.multinomial(len(own), chance / chance.sum(axis=1, keepdims=True))
            observed = np.bincount(own, minlength=total + 1)
            for number in positive.tolist():
                yield {
                    "check": VOTES, "gold": _gold(gold), "votes_total": total,
                    "votes_positive": number, "items": len(own),
                    "observed": float(observed[number]), **_interval(drawn[:, number], level),
                }  # fmt: skip


def _drawn_rankings(
    vote: VoteParameters,
    draws: Mapping[str, np.ndarray],
    chosen: np.ndarray,
    sets: VoteSets,
    ranking: Ranking,
    model: str,
    rng: np.random.Generator,
) -> Iterator[Ranking]:
    """Draw rankings of the items of vote sets, one for each posterior draw, tied as those seen."""
    alpha, beta = vote.shapes(sets)
    probability = vote.label_probability(sets)
    pattern = sets.pattern[sets.member]
    for place, draw in enumerate(chosen.tolist()):
        labels = (rng.random(len(pattern)) < probability[place][sets.member]).astype(int)
        chance = rng.beta(alpha[place][pattern, labels], beta[place][pattern, labels])
        mean = draws[f"mu:{model}"][draw] * labels + draws[f"delta:{model}"][draw] * chance
        order = np.argsort(mean + rng.standard_normal(len(pattern)))
        yield Ranking(order, ranking.ends)


def check_wins(
    vote: VoteParameters,
    draws: Mapping[str, np.ndarray],
    chosen: np.ndarray,
    items: Items,
    model: str,
    rng: np.random.Generator,
    level: float,
) -> Iterator[dict[str, Any]]:
    """Draw how often items of each vote set are ranked above those of another."""
    step = -(-len(items) // MOST_ITEMS)
    part = items.take(np.arange(0, len(items), step))
    sets = find_vote_sets(part)
    kept = np.sort(np.argsort(-sets.count, kind="stable")[:MOST_SETS])
    kept = kept[sets.count[kept] >= FEWEST]
    pairs = np.outer(sets.count, sets.count)[np.ix_(kept, kept)]
    size, ranking = len(sets), part.ranking(model)
    drawn = np.array(
        [
            win_counts(sets.member, one, size)[np.ix_(kept, kept)] / pairs
            for one in _drawn_rankings(vote, draws, chosen, sets, ranking, model, rng)
        ]
    )
    observed = win_counts(sets.member, ranking, size)[np.ix_(kept, kept)] / pairs
    for one in range(len(kept)):
        for other in range(one):
            k, other_k = kept[one], kept[other]
            yield {
                "check": WINS, "gold": _gold(sets.gold[k]),
                "votes_total": int(sets.votes_total[k]),
                "votes_positive": int(sets.votes_positive[k]),
                "against_gold": _gold(sets.gold[other_k]),
                "against_votes_total": int(sets.votes_total[other_k]),
                "against_votes_positive": int(sets.votes_positive[other_k]),
                "items": int(min(sets.count[k], sets.count[other_k])),
                "observed": float(observed[one, other]),
                **_interval(drawn[:, one, other], level),
            }  # fmt: skip


def check_predictions(
    draws: Mapping[str, np.ndarray],
    items: Items,
    model: str,
    rng: np.random.Generator,
    level: float,
) -> pd.DataFrame:
    """Check the votes and the ranking of one model's fit.

    Args:
        draws: MAVEN's parameters by name, (D,) each.
        items: what it was fitted to.
        model: the predictor whose scores it used.

    Returns:
        rows with the columns `COLUMNS`.
    """
    size = len(draws["phi"])
    chosen = np.linspace(0, size - 1, min(DRAWS, size)).round().astype(int)
    vote = _vote_parameters(draws, chosen)
    rows = [
        *check_votes(vote, items, rng, level),
        *check_wins(vote, draws, chosen, items, model, rng, level),
    ]
    table = pd.DataFrame(rows, columns=list(COLUMNS))
    whole = [name for name in COLUMNS if "gold" in name or "votes" in name]
    return table.astype(dict.fromkeys(whole, "Int64"))


ANNOTATOR_METRICS = ("TPR:each", "TNR:each")


@dataclass(frozen=True)
class Found:
    """What a method says of a model in a stratum.

    Attributes:
        stratum, model, method: whose it is.
        named: names and ranges of the metrics.
        sample: what it says of them, from which estimates are made.
        common: other model -> the same of the items that both scored, or why there is nothing.
        annotators: estimates of each annotator's rates.
        whole: whether it speaks of every item of the stratum.
        curves: (3, P) points of the curves and the ends of their intervals; None without scores.
        probability: P(Y_i = 1) of each item of the study, NaN where it has none; None in a stratum.
        checks: posterior predictive checks (`predictive.COLUMNS`); None where there are none.
        parameters: (name, median, lower, upper) of each model parameter.
        diagnostics: of the fit.
        seconds: wall time.
        problem: why the method failed; empty where it did not.
    """

    stratum: str
    model: str
    method: str
    named: Named | None = None
    sample: Sample | None = None
    common: Mapping[str, Sample | str] = field(default_factory=dict)
    annotators: Sequence[Estimate] = ()
    whole: bool = True
    curves: np.ndarray | None = None
    probability: np.ndarray | None = None
    checks: pd.DataFrame | None = None
    parameters: Sequence[tuple[str, float, float, float]] = ()
    diagnostics: Diagnostics = field(default_factory=Diagnostics)
    seconds: float = 0.0
    problem: str = ""


@dataclass(frozen=True)
class Work:
    """A method with all that it needs.

    Attributes:
        study, settings: of the evaluation.
        stratum: whose items they are.
        method: its name.
        items: of the stratum.
        stan: compiled models.
        curves: whether curves are asked for.
    """

    study: Study
    settings: Settings
    stratum: Stratum
    method: str
    items: Items
    stan: StanModels
    curves: bool = True

    def rng(self, role: str, method: str = "", model: str = NO_PREDICTOR) -> np.random.Generator:
        """Random numbers of a role; a method's own depend on the model too."""
        return stream(self.settings, self.stratum, role, method, model)

    def request(self) -> Request:
        """How metrics are estimated: models share all random numbers but a method's own."""

        def make(role: str, predictor: str) -> np.random.Generator:
            return self.rng(role, self.method if role == OWN else "", predictor)

        settings = self.settings
        return Request(Streams(make), settings.interval_level, settings.about)

    def weights(self, rows: np.ndarray) -> np.ndarray | None:
        """What the items at some positions of the stratum count, of mean 1; None for all alike."""
        if self.study.weights is None:
            return None
        weights = np.asarray(self.study.weights, dtype=float)[self.stratum.rows][rows]
        scaled: np.ndarray = weights / weights.mean()
        return scaled

    def questions(self, model: str) -> Questions:
        """What is asked of a model; without curves where the method estimates some metrics only."""
        asked = questions_of(self.settings, self.study.items, model)
        if self.curves and not METHODS[self.method].estimates:
            return asked
        return replace(asked, curves=False)

    def fit(self, table: Table) -> Fit:
        """The method fitted to a table, with the settings that it has here."""
        offer = METHODS[self.method].offer
        own = offer.settings if offer else {}
        settings = {"imputations": self.settings.imputations, **own}
        return fit(self.method, table, self.rng("fit"), settings, self.stan)

    def seen(self, rows: np.ndarray) -> Items:
        """Items at some positions of the stratum, with the scores that all of them have."""
        return of_complete_scores(self.items.take(rows))

    def view(self, rows: np.ndarray, model: str) -> View:
        """Items at some positions of the stratum as a model ranks them."""
        return View(self.seen(rows), model, self.weights(rows))


def _curves(questions: Questions, sample: Sample, level: float) -> np.ndarray | None:
    """Points of the curves and the ends of their intervals, (3, P); None where none are asked.

    Each point is corrected by itself. Recall cannot fall where the false positive rate grows, so
    that of the ROC curve its estimates become the nearest ones that do not (`never_falling`).
    """
    size, named = len(questions.asked), questions.named
    points = range(size, len(named.texts))
    if not points:
        return None
    drawn = sample.select(points).estimates(named.select(points), level)
    found = np.array([[one.estimate, one.lower, one.upper] for one in drawn]).T
    roc = slice(len(RECALLS), None)
    found[:, roc] = never_falling(*found[:, roc])
    return found


def _of_study(work: Work, rows: np.ndarray, known: np.ndarray | None) -> np.ndarray | None:
    """Probabilities of all items of the study, NaN where there is none; None in a stratum."""
    if work.stratum.key != 0 or known is None:
        return None
    found = np.full(len(work.items), np.nan)
    found[rows] = known
    return found


def _parameters(
    draws: Mapping[str, np.ndarray], level: float
) -> list[tuple[str, float, float, float]]:
    ends = {name: central_interval(values, level) for name, values in draws.items()}
    return [
        (name, float(np.median(draws[name])), float(lower), float(upper))
        for name, (lower, upper) in ends.items()
    ]


def _rests_on_gold(method: str) -> bool:
    return GOLD in METHODS[method].needs


FitOf = Callable[[np.ndarray], Fit]
"""Positions of items in the stratum -> a method's fit, with the labels of these."""


def _common(work: Work, fit: FitOf, rows: np.ndarray, model: str) -> dict[str, Sample | str]:
    """What a method says of a model on the items that another scored too, or why nothing.

    Args:
        rows: positions of the items that the model scored.
    """
    items = work.items.take(rows)
    found: dict[str, Sample | str] = {}
    made: dict[bytes, Sample] = {}
    questions = replace(work.questions(model), curves=False)
    for other in items.predictors:
        pair = [one for one in items.predictors if one in (model, other)]
        if why := why_nothing(work.items, pair, _rests_on_gold(work.method)):
            found[other] = why
            continue
        shared = rows[scored(items, [other])]
        if shared.tobytes() not in made:
            view = work.view(shared, model)
            made[shared.tobytes()] = sample_of(fit(shared), view, questions, work.request())
        found[other] = made[shared.tobytes()]
    return found


def _says(work: Work, fit: FitOf, rows: np.ndarray, model: str, compared: bool) -> Found:
    """What a method says of a model.

    Args:
        rows: positions of the items that it speaks of here.
        model: a model, or `NO_PREDICTOR`.
        compared: whether models are compared.
    """
    fitted, questions, request = fit(rows), work.questions(model), work.request()
    view, labels = work.view(rows, model), fitted.labels
    sample = sample_of(fitted, view, questions, request)
    asked = range(len(questions.asked))
    draws, checks = labels.parameters, None
    if f"mu:{model}" in draws:
        rng = work.rng("checks", work.method, model)
        checks = check_predictions(draws, view.items, model, rng, work.settings.interval_level)
    known = sample.probability
    if known is None and labels.of_items:
        known = labels.probabilities(view, request.streams.own(model))
    of_pairs = compared and model != NO_PREDICTOR
    return Found(
        work.stratum.name, model, work.method, questions.named.select(asked), sample.select(asked),
        _common(work, fit, rows, model) if of_pairs else {},
        whole=len(rows) == len(work.items),
        curves=_curves(questions, sample, work.settings.interval_level),
        probability=_of_study(work, rows, known), checks=checks,
        parameters=_parameters(draws, work.settings.interval_level), diagnostics=fitted.diagnostics,
    )  # fmt: skip


def _nothing(work: Work, model: str, why: str, problem: str = "") -> Found:
    """That a method says nothing of a model, nor of its differences to others, and why."""
    questions = replace(work.questions(model), curves=False)
    sample = Stated([Estimate.unavailable(text, why) for text in questions.texts])
    pairs: dict[str, Sample | str] = dict.fromkeys(work.items.predictors, why)
    named = questions.named
    return Found(work.stratum.name, model, work.method, named, sample, pairs, problem=problem)


def _failed(work: Work, model: str, error: Exception) -> Found:
    problem = _problem(error)
    return _nothing(work, model, f"it failed: {problem}", problem)


def _of_model(work: Work, fit: FitOf, model: str, compared: bool) -> Found:
    """What a method says of a model, or why it says nothing: the other models have their say."""
    if why := why_nothing(work.items, [model], _rests_on_gold(work.method)):
        return _nothing(work, model, why)
    try:
        return _says(work, fit, scored(work.items, [model]), model, compared)
    except Exception as error:
        return _failed(work, model, error)


def _on_scores(work: Work, model: str, compared: bool) -> Found:
    """What a method that conditions on a model's scores says of it."""
    whole = scored(work.items, [model])

    @cache
    def fitted() -> Fit:
        items = work.items.take(whole)
        return work.fit(replace(items, scores={model: items.scores[model]}))

    def fit(rows: np.ndarray) -> Fit:
        return _part(fitted(), np.searchsorted(whole, rows))

    return _of_model(work, fit, model, compared)


def _part(fitted: Fit, rows: np.ndarray) -> Fit:
    return replace(fitted, labels=fitted.labels.take(rows))


def fit_of(work: Work, made: dict[bytes, Fit]) -> FitOf:
    """The fits of a method whose labels are the same for all models.

    What gold corrects must speak alike of items with gold and without. A model's scores may be of
    some items because these have gold labels, so that a method sees scores that the items all have,
    and is fitted anew to those that a model scored. Others are fitted once.

    Args:
        made: fits that are there already, by rows; new ones are added.
    """
    anew = METHODS[work.method].has_role(CORRECTED) and is_quick([work.method])
    everyone = np.arange(len(work.items))

    def fit(rows: np.ndarray) -> Fit:
        if rows.tobytes() not in made:
            if anew:
                made[rows.tobytes()] = work.fit(work.seen(rows))
            elif len(rows) == len(everyone):
                made[rows.tobytes()] = work.fit(work.items)
            else:
                return _part(fit(everyone), rows)
        return made[rows.tobytes()]

    return fit


def of_each(work: Work, fit: FitOf, compared: bool) -> list[Found]:
    """What a method whose labels are the same for all models says of items and of each model."""
    everyone = np.arange(len(work.items))
    models = work.items.predictors if fit(everyone).labels.of_items else []
    return [
        _says(work, fit, everyone, NO_PREDICTOR, compared),
        *(_of_model(work, fit, model, compared) for model in models),
    ]


def _of_annotators(work: Work) -> list[Found]:
    """Fit a method of annotators to their labels; it says nothing of models."""
    annotations, level = annotations_of(work.study, work.stratum), work.settings.interval_level
    fitted, request = work.fit(annotations), work.request()
    items = replace(work.items, labels=annotations)
    questions = work.questions(NO_PREDICTOR)
    sample = sample_of(fitted, View(items, NO_PREDICTOR), questions, request)
    rng = request.streams.own(NO_PREDICTOR)
    annotators = evaluate_annotations(fitted, annotations, ANNOTATOR_METRICS, rng, level, 0)
    rows = pd.Index(annotations.item.astype(str)).get_indexer(work.items.item.astype(str))
    known = fitted.labels.probabilities(View(items, NO_PREDICTOR), work.rng(OWN))
    probability = np.where(rows >= 0, known[rows], np.nan)
    return [
        Found(
            work.stratum.name, NO_PREDICTOR, work.method, questions.named, sample,
            annotators=annotators, diagnostics=fitted.diagnostics,
            probability=_of_study(work, np.arange(len(work.items)), probability),
        )
    ]  # fmt: skip


def _problem(error: Exception) -> str:
    """Why a method failed; what it does not say itself is named by its type."""
    said = " ".join(str(error).split())
    if isinstance(error, InputError | SamplingError):
        return said
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _run_method(work: Work, model: str) -> list[Found]:
    start = time.perf_counter()
    compared = len(work.items.predictors) > 1
    try:
        if METHODS[work.method].of_annotators:
            found = _of_annotators(work)
        elif METHODS[work.method].needs_scores:
            found = [_on_scores(work, model, compared)]
        else:
            found = of_each(work, fit_of(work, {}), compared)
    except Exception as error:  # whatever it is, the other methods have their say
        alone = METHODS[work.method].needs_scores or METHODS[work.method].of_annotators
        models = [model] if alone else [NO_PREDICTOR, *work.items.predictors]
        found = [_failed(work, one, error) for one in models]
    seconds = (time.perf_counter() - start) / len(found)
    return [replace(one, seconds=seconds) for one in found]


def run_job(
    job: Job, study: Study, settings: Settings, strata: Mapping[str, Stratum], stan: StanModels
) -> list[Found]:
    """What each method of a job says, or why it says nothing.

    Args:
        settings: of the evaluation.
        strata: the study's strata by name.
    """
    stratum = strata[job.stratum]
    items = items_of(study, stratum)
    return [
        one
        for method in job.methods
        for one in _run_method(Work(study, settings, stratum, method, items, stan), job.model)
    ]
