"""The work of a job: its methods fitted to the items of a stratum, and what they say of a model.

Posterior predictive checks of MAVEN tell whether its model would give votes and rankings like the
observed. Under each of some posterior draws data are drawn anew, given what it takes as known:

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
from crowdgold.evaluation.jobs import (
    Job,
    JobPlan,
    Stratum,
    annotations_of,
    is_quick,
    items_of,
    stream,
)
from crowdgold.evaluation.questions import Settings, questions_of
from crowdgold.inference.agents import evaluate_annotations
from crowdgold.inference.annotator_rates import of_gold
from crowdgold.inference.estimate import Estimate, Named, Questions, Sample, Stated, View
from crowdgold.inference.expert_errors import known_errors
from crowdgold.inference.interval import central_interval
from crowdgold.inference.labels import Fit, sample_of
from crowdgold.inference.rectified import OWN, Request, Streams
from crowdgold.methods.method import CORRECTED
from crowdgold.methods.needs import GOLD
from crowdgold.methods.registry import METHODS, baseline, fit
from crowdgold.metrics.binary import RECALLS, never_falling
from crowdgold.models.stan import SamplingError, StanModels
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.models.vote_sets import VoteParameters, VoteSets, find_vote_sets, win_counts
from crowdgold.reading.study import Study
from crowdgold.types.annotations import Annotations
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD, NO_PREDICTOR, Items, Ranking, Table
from crowdgold.types.notes import Note

VOTES, WINS = CHECKS = ("votes", "wins")
DRAWS = 100  # posterior draws under which data are drawn anew
MOST_ITEMS = 20_000  # in a ranking that is checked; of more, as many are chosen evenly
MOST_TOTALS, MOST_SETS = 6, 12  # numbers of votes, and vote sets, checked: of the most items
FEWEST = 5  # items of a vote set that is checked

COLUMNS = (
    "check", "gold", "votes_total", "votes_positive", "against_gold", "against_votes_total",
    "against_votes_positive", "items", "observed", "expected", "lower", "upper",
)  # fmt: skip
"""A count of items for `votes`; for `wins` a share of pairs, of a vote set against another."""


def _rows(
    named: Mapping[str, Any], observed: np.ndarray, drawn: np.ndarray, level: float
) -> pd.DataFrame:
    lower, upper = central_interval(drawn, level)
    numbers = {"observed": observed, "expected": drawn.mean(axis=0), "lower": lower, "upper": upper}
    return pd.DataFrame({**named, **numbers})


def check_votes(
    vote: VoteParameters, items: Items, rng: np.random.Generator, level: float
) -> Iterator[pd.DataFrame]:
    """Items with each number of positive votes, by gold class and number of votes."""
    totals, times = np.unique(items.votes_total, return_counts=True)
    most = np.sort(totals[np.argsort(-times, kind="stable")[:MOST_TOTALS]])
    for total in most.tolist():
        positive, every = np.arange(total + 1), np.full(total + 1, total)
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
            named = {"check": VOTES, "gold": gold, "votes_total": total, "votes_positive": positive}
            observed = np.bincount(own, minlength=total + 1).astype(float)
            yield _rows({**named, "items": len(own)}, observed, drawn, level)


def check_wins(
    vote: VoteParameters, draws: Mapping[str, np.ndarray], chosen: np.ndarray, items: Items,
    model: str, rng: np.random.Generator, level: float,
) -> pd.DataFrame:  # fmt: skip
    """How often items of a vote set are ranked above those of another; ties are as observed.

    `draws` are MAVEN's parameters by name; `vote` has those of the votes at the `chosen` draws.
    """
    part = items.take(np.arange(0, len(items), -(-len(items) // MOST_ITEMS)))
    sets = find_vote_sets(part)
    kept = np.sort(np.argsort(-sets.count, kind="stable")[:MOST_SETS])
    kept = kept[sets.count[kept] >= FEWEST]
    pairs = np.outer(sets.count, sets.count)[np.ix_(kept, kept)]
    size, ranking = len(sets), part.ranking(model)
    alpha, beta = vote.shapes(sets)
    probability, pattern = vote.label_probability(sets), sets.pattern[sets.member]

    def wins(order: Ranking) -> np.ndarray:
        return win_counts(sets.member, order, size)[np.ix_(kept, kept)] / pairs

    shares = []
    for place, draw in enumerate(chosen.tolist()):
        labels = (rng.random(len(pattern)) < probability[place][sets.member]).astype(int)
        chance = rng.beta(alpha[place][pattern, labels], beta[place][pattern, labels])
        mean = draws[f"mu:{model}"][draw] * labels + draws[f"delta:{model}"][draw] * chance
        order = np.argsort(mean + rng.standard_normal(len(pattern)))
        shares.append(wins(Ranking(order, ranking.ends)))
    drawn, observed = np.array(shares), wins(ranking)
    first, second = np.tril_indices(len(kept), -1)
    named: dict[str, Any] = {"check": WINS}
    for whose, which in (("", kept[first]), ("against_", kept[second])):
        for name in ("gold", "votes_total", "votes_positive"):
            named[f"{whose}{name}"] = getattr(sets, name)[which]
    named["items"] = np.minimum(sets.count[kept[first]], sets.count[kept[second]])
    return _rows(named, observed[first, second], drawn[:, first, second], level)


def check_predictions(
    draws: Mapping[str, np.ndarray], items: Items, model: str, rng: np.random.Generator,
    level: float,
) -> pd.DataFrame:  # fmt: skip
    """Checks (`COLUMNS`) of the votes and ranking of MAVEN's fit to items and scores of a model.

    `draws` are its parameters by name, (D,) each.
    """
    size = len(draws["phi"])
    chosen = np.linspace(0, size - 1, min(DRAWS, size)).round().astype(int)
    a, d = (np.stack([draws[f"{name}{y}"] for y in (0, 1)], axis=1)[chosen] for name in "ad")
    vote = VoteParameters(draws["phi"][chosen], a, d)
    votes = list(check_votes(vote, items, rng, level))
    wins = check_wins(vote, draws, chosen, items, model, rng, level)
    table = pd.concat([*votes, wins], ignore_index=True).reindex(columns=list(COLUMNS))
    whole = [name for name in COLUMNS if "gold" in name or "votes" in name]
    table = table.astype(dict.fromkeys(whole, "Int64"))
    return table.replace(dict.fromkeys(("gold", "against_gold"), NO_GOLD), pd.NA)


ANNOTATOR_METRICS = ("TPR:each", "TNR:each")


@dataclass(frozen=True)
class Finding:
    """What a method says of a model in a stratum."""

    stratum: str
    model: str
    method: str
    named: Named | None = None  # names and ranges of the metrics
    sample: Sample | None = None  # what it says of them, from which estimates are made
    # Other model -> the same of the items that both scored, or why there is nothing.
    common: Mapping[str, Sample | Note] = field(default_factory=dict)
    annotators: Sequence[Estimate] = ()  # of each annotator's rates
    whole: bool = True  # whether it speaks of every item of the stratum
    curves: np.ndarray | None = None  # (3, P) points and ends of intervals; None without scores
    probability: np.ndarray | None = None  # P(Y_i = 1) of the study's items or NaN; of all alone
    checks: pd.DataFrame | None = None  # posterior predictive ones, by `COLUMNS`
    parameters: Sequence[tuple[str, float, float, float]] = ()  # (name, median, lower, upper)
    diagnostics: Diagnostics = field(default_factory=Diagnostics)
    seconds: float = 0.0  # wall time
    problem: Note | None = None  # why the method failed; None where it did not


@dataclass(frozen=True)
class MethodRun:
    """A method, the items of a stratum that it is run on, and all that it needs."""

    study: Study
    settings: Settings
    stratum: Stratum
    method: str
    items: Items  # of the stratum
    stan: StanModels
    in_full: bool = True  # whether curves, and differences of models, are asked for

    def rng(self, role: str, method: str = "", model: str = NO_PREDICTOR) -> np.random.Generator:
        """Random numbers of a role, one of `ROLES`; a method's own depend on the model too."""
        return stream(self.settings, self.stratum, role, method, model)

    def request(self) -> Request:
        """How metrics are estimated: models share all random numbers but a method's own."""

        def make(role: str, predictor: str) -> np.random.Generator:
            return self.rng(role, self.method if role == OWN else "", predictor)

        return Request(Streams(make), self.settings.interval_level, self.settings.about)

    def questions(self, model: str) -> Questions:
        """What is asked of a model; without curves where the method estimates some metrics only."""
        asked = questions_of(self.settings, self.study.items, model)
        curves = self.in_full and not METHODS[self.method].estimates
        return asked if curves else replace(asked, curves=False)

    def why_nothing(self, models: Sequence[str]) -> Note | None:
        """Why it can say nothing of a model, or of the difference of two; None where it can."""
        return why_nothing(self.items, models, GOLD in METHODS[self.method].needs)

    def fit(self, table: Table) -> Fit:
        """The method fitted to a table, with the settings that it has here."""
        offer = METHODS[self.method].offer
        settings = {"imputations": self.settings.imputations, **(offer.settings if offer else {})}
        return fit(self.method, table, self.rng("fit"), settings, self.stan)

    def complete_items(self, rows: np.ndarray) -> Items:
        """Items at some positions of the stratum, with the scores that all of them have."""
        return of_complete_scores(self.items.take(rows))

    def view(self, rows: np.ndarray, model: str) -> View:
        """Items at some positions of the stratum as a model ranks them, with weights of mean 1."""
        weights = None
        if self.study.weights is not None:
            weights = np.asarray(self.study.weights, dtype=float)[self.stratum.rows][rows]
            weights = weights / weights.mean()
        return View(self.complete_items(rows), model, weights)

    def spread_over_study(self, rows: np.ndarray, known: np.ndarray | None) -> np.ndarray | None:
        """Probabilities known of some rows, for all items, NaN elsewhere; None in a stratum."""
        if self.stratum.key != 0 or known is None:
            return None
        spread = np.full(len(self.items), np.nan)
        spread[rows] = known
        return spread


FitOfRows = Callable[[np.ndarray], Fit]  # positions of items -> a method's fit, with their labels


def _on_common_items(
    run: MethodRun, fit: FitOfRows, rows: np.ndarray, model: str
) -> dict[str, Sample | Note]:
    """What a method says of a model on the items that another scored too, or why nothing."""
    items = run.items.take(rows)
    made: dict[bytes, Sample] = {}
    questions = replace(run.questions(model), curves=False)

    def against(other: str) -> Sample | Note:
        if why := run.why_nothing([name for name in items.predictors if name in (model, other)]):
            return why
        shared = rows[scored(items, [other])]
        key = shared.tobytes()
        if key not in made:
            made[key] = sample_of(fit(shared), run.view(shared, model), questions, run.request())
        return made[key]

    return {other: against(other) for other in items.predictors}


def _finding(run: MethodRun, fit: FitOfRows, rows: np.ndarray, model: str) -> Finding:
    """What a method says of a model, and of its differences to others on the items of both.

    Each point of a curve is corrected by itself. Recall cannot fall where the false positive rate
    grows, so that of the ROC curve its estimates become the nearest that do not (`never_falling`).
    """
    fitted, questions, request = fit(rows), run.questions(model), run.request()
    view, labels, level = run.view(rows, model), fitted.labels, run.settings.interval_level
    sample, named = sample_of(fitted, view, questions, request), questions.named
    asked, draws, checks = range(len(questions.asked)), labels.parameters, None
    if f"mu:{model}" in draws:
        rng = run.rng("checks", run.method, model)
        checks = check_predictions(draws, view.items, model, rng, level)
    known = sample.probability
    if known is None and labels.of_items:
        known = labels.probabilities(view, request.streams.make(OWN, model))
    compared = len(run.items.predictors) > 1 and model != NO_PREDICTOR and run.in_full
    common = _on_common_items(run, fit, rows, model) if compared else {}
    curves = None
    if points := range(len(asked), len(named.texts)):
        drawn = sample.select(points).estimates(named.select(points), level)
        curves = np.array([[one.estimate, one.lower, one.upper] for one in drawn]).T
        roc = slice(len(RECALLS), None)
        curves[:, roc] = never_falling(*curves[:, roc])
    return Finding(
        run.stratum.name, model, run.method, named.select(asked), sample.select(asked), common,
        whole=len(rows) == len(run.items), curves=curves, checks=checks,
        probability=run.spread_over_study(rows, known),
        parameters=[
            (name, float(np.median(values)), float(lower), float(upper))
            for name, values in draws.items()
            for lower, upper in [central_interval(values, level)]
        ],
        diagnostics=fitted.diagnostics,
    )  # fmt: skip


def _empty_finding(run: MethodRun, model: str, why: Note, failed: bool = False) -> Finding:
    """That a method says nothing of a model, nor of its differences to others, and why."""
    questions = replace(run.questions(model), curves=False)
    sample = Stated([Estimate.unavailable(text, why) for text in questions.texts])
    pairs: dict[str, Sample | Note] = dict.fromkeys(run.items.predictors, why)
    named, problem = questions.named, why if failed else None
    return Finding(run.stratum.name, model, run.method, named, sample, pairs, problem=problem)


def _failed_finding(run: MethodRun, model: str, error: Exception) -> Finding:
    """That a method failed, and why; what an error does not say itself is named by its type."""
    said = " ".join(str(error).split())
    if not isinstance(error, InputError | SamplingError):
        kind = type(error).__name__
        said = f"{kind}: {said}" if said else kind
    return _empty_finding(run, model, Note("failed", {"error": said}), failed=True)


def _finding_of_model(run: MethodRun, fit: FitOfRows, model: str) -> Finding:
    """What a method says of a model, or why it says nothing: no failure stops the other models."""
    if why := run.why_nothing([model]):
        return _empty_finding(run, model, why)
    try:
        return _finding(run, fit, scored(run.items, [model]), model)
    except Exception as error:
        return _failed_finding(run, model, error)


def _finding_on_scores(run: MethodRun, model: str) -> Finding:
    """What a method that conditions on a model's scores says of it."""
    whole = scored(run.items, [model])

    @cache
    def fitted() -> Fit:
        items = run.items.take(whole)
        return run.fit(replace(items, scores={model: items.scores[model]}))

    return _finding_of_model(
        run, lambda rows: _fit_of_rows(fitted(), np.searchsorted(whole, rows)), model
    )


def _fit_of_rows(fitted: Fit, rows: np.ndarray) -> Fit:
    return replace(fitted, labels=fitted.labels.take(rows))


def fits_of_rows(run: MethodRun, made: dict[bytes, Fit]) -> FitOfRows:
    """The fits of a method whose labels are the same for all models; those `made` are by rows.

    A prediction that gold corrects must be made alike for items with gold and without. A model may
    have scored some items because they have gold labels. Such a method therefore sees only scores
    that all its items have, and is fitted anew to the items that a model scored. Other methods are
    fitted once.
    """
    anew = METHODS[run.method].has_role(CORRECTED) and is_quick([run.method])
    everyone = np.arange(len(run.items))

    def fit(rows: np.ndarray) -> Fit:
        if not anew and len(rows) < len(everyone):
            return _fit_of_rows(fit(everyone), rows)
        key = rows.tobytes()
        if key not in made:
            made[key] = run.fit(run.complete_items(rows) if anew else run.items)
        return made[key]

    return fit


def findings_of_models(run: MethodRun, fit: FitOfRows) -> list[Finding]:
    """What a method whose labels are the same for all models says of items and of each model."""
    everyone = np.arange(len(run.items))
    models = run.items.predictors if fit(everyone).labels.of_items else []
    alone = _finding(run, fit, everyone, NO_PREDICTOR)
    if run.method == baseline() and run.study.annotations is not None:
        alone = replace(alone, annotators=_rates_by_gold(run, run.study.annotations))
    return [alone, *(_finding_of_model(run, fit, model) for model in models)]


def _rates_by_gold(run: MethodRun, annotations: Annotations) -> list[Estimate]:
    """Each annotator's rates by gold labels; none where these are known to err."""
    if known_errors(run.items) is not None:
        return []
    view, settings = run.view(np.arange(len(run.items)), NO_PREDICTOR), run.settings
    return of_gold(view, annotations, settings.about, settings.interval_level)


def _finding_on_annotators(run: MethodRun) -> Finding:
    """Fit a method of annotators to their labels; it says nothing of models."""
    annotations, level = annotations_of(run.study, run.stratum), run.settings.interval_level
    fitted, request = run.fit(annotations), run.request()
    view = View(replace(run.items, labels=annotations), NO_PREDICTOR)
    questions = run.questions(NO_PREDICTOR)
    sample = sample_of(fitted, view, questions, request)
    rng = request.streams.make(OWN, NO_PREDICTOR)
    annotators = evaluate_annotations(fitted, annotations, ANNOTATOR_METRICS, rng, level, 0)
    rows = pd.Index(annotations.item.astype(str)).get_indexer(run.items.item.astype(str))
    known = fitted.labels.probabilities(view, run.rng(OWN))
    probability = np.where(rows >= 0, known[rows], np.nan)
    return Finding(
        run.stratum.name, NO_PREDICTOR, run.method, questions.named, sample,
        annotators=annotators, diagnostics=fitted.diagnostics,
        probability=run.spread_over_study(np.arange(len(run.items)), probability),
    )  # fmt: skip


def _run_method(run: MethodRun, model: str) -> list[Finding]:
    start, method = time.perf_counter(), METHODS[run.method]
    try:
        if method.of_annotators:
            findings = [_finding_on_annotators(run)]
        elif method.needs_scores:
            findings = [_finding_on_scores(run, model)]
        else:
            findings = findings_of_models(run, fits_of_rows(run, {}))
    except Exception as error:  # whatever it is, the other methods have their say
        alone = method.needs_scores or method.of_annotators
        models = [model] if alone else [NO_PREDICTOR, *run.items.predictors]
        findings = [_failed_finding(run, one, error) for one in models]
    seconds = (time.perf_counter() - start) / len(findings)
    return [replace(one, seconds=seconds) for one in findings]


def run_job(job: Job, planned: JobPlan, stan: StanModels) -> list[Finding]:
    """What each method of a job of a study says, or why it says nothing."""
    study, stratum = planned.study, planned.strata[job.stratum]
    items = items_of(study, stratum)
    runs = [MethodRun(study, planned.settings, stratum, one, items, stan) for one in job.methods]
    return [finding for each in runs for finding in _run_method(each, job.model)]
