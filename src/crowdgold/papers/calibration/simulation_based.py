"""Simulation-based calibration: do samplers draw from the posterior they claim to draw from?

Parameters are drawn from the model's own prior (MAVEN, sections 3.2.1, 3.2.2 and appendix C), data
from the model, and the sampler is run on the data. If it is right, the rank of each parameter, and
of the log-likelihood of the data, among the posterior draws is uniform (Talts et al., 2018; Modrák
et al., 2023). Samplers with planted bugs, which must be rejected, show that the test can see one.
Scores stay on the scale that they are drawn on; under the model of named judges each item has a
vote of each of `votes_total` judges.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Annotated, Any, TypeVar

import numpy as np
import pandas as pd
from scipy.special import ndtr
from scipy.stats import binom, norm

from crowdgold.experiment.computation import Computation
from crowdgold.models.exact_cut import sample_exact_cut
from crowdgold.models.human_ai import EPSILON, HumanAiDraws, HumanAiProgram
from crowdgold.models.joint_model import (
    JointDraws,
    JointProgram,
    ScoreMixtureDraws,
    ScoreMixtureProgram,
    fit_votes_and_scores,
    log_likelihood,
)
from crowdgold.models.judge_votes import JudgeDraws, draw_prior, find_rows, fit_judges
from crowdgold.models.nested_cut import score_data
from crowdgold.models.priors import PAPER_PRIOR
from crowdgold.models.score_model import ConditionedScoreModel, ScoreData, nodes_for, win_deviation
from crowdgold.models.score_points import each_score
from crowdgold.models.stan import SamplerSettings, StanModels, stan_seed
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.models.vote_sets import VoteParameters, VoteSets, find_vote_sets, fit_votes
from crowdgold.simulate.design import draw_labelled
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD, Items
from crowdgold.types.parameters import AtLeast, Json, Settings, unknown

SCORE_VOTES = VoteParameters(np.array([0.3]), np.array([[0.2, 0.6]]), np.array([[1.5, 1.5]]))
"""The vote draw that the score model is conditioned on here."""
DRAWS = 100
"""Draws of the exact cut; they are independent."""


@dataclass(frozen=True)
class Trial:
    """What a sampler is run with: the sizes of the data, random numbers, and settings of Stan."""

    parameters: Mapping[str, Any]  # n, n_gold and votes_total of the data
    rng: np.random.Generator  # of parameters, data and draws
    stan: StanModels
    sampler: SamplerSettings


Drawn = TypeVar("Drawn")
Quantities = dict[str, np.ndarray]


@dataclass(frozen=True)
class Simulated:
    """True values and posterior draws (D,) by quantity, and the diagnostics of the fit."""

    truth: dict[str, float]
    draws: Quantities
    diagnostics: Diagnostics

    @classmethod
    def of(
        cls, truth: Drawn, draws: Drawn, quantities: Callable[[Drawn], Quantities],
        diagnostics: Diagnostics,
    ) -> "Simulated":  # fmt: skip
        """The `quantities` of the true parameters, which are a single draw, and of the draws."""
        true = {name: float(value[0]) for name, value in quantities(truth).items()}
        return cls(true, quantities(draws), diagnostics)


def draw_vote_prior(rng: np.random.Generator, correlated: bool) -> VoteParameters:
    """Draw the vote model's parameters from their prior; Dawid-Skene's without correlation."""
    a = np.sort(rng.random(2))
    d = 1 / rng.uniform(0.01, 0.99, 2) - 1 if correlated else np.full(2, np.inf)
    return VoteParameters(rng.random(1), a[None], d[None])


def draw_labels(phi: float, trial: Trial) -> tuple[np.ndarray, np.ndarray]:
    """Draw true labels (n,) and the gold labels among them, -1 where no expert looks."""
    n, n_gold = (int(trial.parameters[name]) for name in ("n", "n_gold"))
    truth = (trial.rng.random(n) < phi).astype(np.int8)
    labelled = draw_labelled(n, n_gold, trial.rng)
    return truth, np.where(labelled, truth, NO_GOLD).astype(np.int8)


def items_of(chance: np.ndarray, gold: np.ndarray, trial: Trial) -> Items:
    """Draw votes at each item's chance (n,) of a positive one; items have no scores."""
    n, rng = len(chance), trial.rng
    total = np.full(n, int(trial.parameters["votes_total"]))
    return Items(np.arange(n), rng.binomial(total, chance), total, gold, {}, rng.random(n))


def draw_items(vote: VoteParameters, trial: Trial) -> Items:
    """Draw items, without scores, from the vote model or Dawid-Skene at one draw."""
    truth, gold = draw_labels(vote.phi[0], trial)
    a, d = vote.a[0][truth], vote.d[0][truth]
    chance = a if np.isinf(d).all() else trial.rng.beta(a * d, (1 - a) * d)
    return items_of(chance, gold, trial)


def _vote_quantities(sets: VoteSets) -> Callable[[VoteParameters], Quantities]:
    def quantities(parameters: VoteParameters) -> Quantities:
        known = {"phi": parameters.phi, "a0": parameters.a[:, 0], "a1": parameters.a[:, 1]}
        if not np.isinf(parameters.d).all():
            known |= {f"lambda{y}": 1 / (1 + parameters.d[:, y]) for y in (0, 1)}
        return {**known, "log_likelihood": parameters.log_likelihood(sets)}

    return quantities


def run_votes(trial: Trial, model: str = "vote", truth: VoteParameters | None = None) -> Simulated:
    """Run the vote model (section 3.2.1) or Dawid-Skene (appendix C.1)."""
    truth = truth or draw_vote_prior(trial.rng, correlated=model == "vote")
    sets = find_vote_sets(draw_items(truth, trial))
    fit = fit_votes(model, sets, trial.rng, trial.stan, trial.sampler)
    return Simulated.of(truth, fit.parameters, _vote_quantities(sets), fit.diagnostics)


def run_prior_mismatched(trial: Trial) -> Simulated:
    """Plant a bug: rare positives, phi ~ Beta(1, 9), where the model has a uniform prior."""
    drawn = draw_vote_prior(trial.rng, correlated=True)
    truth = replace(drawn, phi=trial.rng.beta(1, 9, 1))
    return run_votes(replace(trial, parameters={**trial.parameters, "n_gold": 0}), truth=truth)


def run_rates_swapped(trial: Trial) -> Simulated:
    """Plant a bug: the sampler reports sensitivity for specificity, and specificity for it."""
    right = run_votes(trial)
    swapped = {**right.draws, "a0": 1 - right.draws["a1"], "a1": 1 - right.draws["a0"]}
    return replace(right, draws=swapped)


def run_likelihood_dropped(trial: Trial) -> Simulated:
    """Plant a bug: draws of the prior. Only the log-likelihood of the data can tell."""
    truth = draw_vote_prior(trial.rng, correlated=True)
    sets = find_vote_sets(draw_items(truth, trial))
    prior = [draw_vote_prior(trial.rng, correlated=True) for _ in range(DRAWS)]
    columns = zip(*((one.phi, one.a, one.d) for one in prior), strict=True)
    draws = VoteParameters(*map(np.concatenate, columns))
    return Simulated.of(truth, draws, _vote_quantities(sets), Diagnostics())


def _run_scores(
    trial: Trial, sample: Callable[[ConditionedScoreModel, float], tuple[Quantities, Diagnostics]]
) -> Simulated:
    """Draw (mu, delta) from their prior and win counts from the printed normal likelihood, and
    `sample` the draws of both, given the model and the true delta.
    """
    rng = trial.rng
    sets = find_vote_sets(draw_items(SCORE_VOTES, trial))
    mu, delta = 1 / rng.standard_exponential(), rng.laplace(0, PAPER_PRIOR.delta_scale)
    count = sets.count.astype(float)
    empty = ScoreData(np.zeros((len(sets), len(sets))), count, sets.pattern)
    rates = ConditionedScoreModel.at(empty, sets, SCORE_VOTES, 0).win_rates(mu, delta)
    wins = np.zeros_like(rates)
    for k, other in zip(*np.tril_indices(len(sets), -1), strict=True):
        comparisons = count[k] * count[other]
        deviation = win_deviation(rates[k, other], count[k], count[other])
        wins[k, other] = rng.normal(comparisons * rates[k, other], deviation)
        wins[other, k] = comparisons - wins[k, other]
    model = ConditionedScoreModel.at(ScoreData(wins, count, sets.pattern), sets, SCORE_VOTES, 0)
    draws, diagnostics = sample(model, delta)

    def quantities(both: Quantities) -> Quantities:
        pairs = zip(both["mu"], both["delta"], strict=True)
        known = [model.log_likelihood(m[None, None], d[None])[0, 0] for m, d in pairs]
        return {**both, "log_likelihood": np.array(known)}

    truth = {"mu": np.array([mu]), "delta": np.array([delta])}
    return Simulated.of(truth, draws, quantities, diagnostics)


def run_score(trial: Trial) -> Simulated:
    """Run the score model given a vote draw (section 3.2.2), sampled by Stan."""

    def sample(model: ConditionedScoreModel, delta: float) -> tuple[Quantities, Diagnostics]:
        rng, names = trial.rng, ("mu", "delta")
        # Nodes for a wide reach around the truth; more would cost minutes and change nothing.
        data = score_data(model, nodes_for(1.3 * abs(delta) + 5))
        start = [{"mu": 1.0, "delta": float(rng.normal())} for _ in range(trial.sampler.chains)]
        fit = trial.stan.sample("score", data, stan_seed(rng), names, trial.sampler, inits=start)
        return {name: fit.flat(name) for name in names}, fit.diagnostics

    return _run_scores(trial, sample)


def run_exact_cut(trial: Trial) -> Simulated:
    """Run the score model given a vote draw, sampled by the exact cut."""

    def sample(model: ConditionedScoreModel, _: float) -> tuple[Quantities, Diagnostics]:
        vote = SCORE_VOTES.select(np.zeros(DRAWS, dtype=int))
        drawn = sample_exact_cut(model.data, model.sets, vote, trial.rng)
        failures = (f"{drawn.failures} draws did not settle",) if drawn.failures else ()
        return {"mu": drawn.mu, "delta": drawn.delta}, Diagnostics(failures=failures)

    return _run_scores(trial, sample)


def _joint_quantities(scores: np.ndarray, sets: VoteSets) -> Callable[[JointDraws], Quantities]:
    def quantities(draws: JointDraws) -> Quantities:
        known = log_likelihood(draws, each_score(scores, sets), sets)
        return {**draws.named(), "log_likelihood": known}

    return quantities


def _run_joint(
    program: JointProgram, truth: JointDraws, scores: np.ndarray, sets: VoteSets, trial: Trial
) -> Simulated:
    fit = fit_votes_and_scores(program, scores, sets, trial.rng, trial.stan, trial.sampler)
    return Simulated.of(truth, fit.draws, _joint_quantities(scores, sets), fit.diagnostics)


def _prior_of_scores(size: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw mu, (D, 2), and sigma, (D,), of DS+S from their prior."""
    return rng.normal(size=(size, 2)), np.abs(rng.normal(size=size))


def _draw_mixture(trial: Trial) -> tuple[ScoreMixtureDraws, np.ndarray, VoteSets]:
    """Draw the parameters of DS+S, scores (n,), and vote sets."""
    rng = trial.rng
    vote = draw_vote_prior(rng, correlated=False)
    truth = ScoreMixtureDraws(vote, *_prior_of_scores(1, rng))
    label, gold = draw_labels(vote.phi[0], trial)
    scores = rng.normal(truth.mu[0, label], truth.sigma[0])
    return truth, scores, find_vote_sets(items_of(vote.a[0, label], gold, trial))


def run_dawid_skene_scores(trial: Trial) -> Simulated:
    """Run DS+S (appendix C.2)."""
    return _run_joint(ScoreMixtureProgram(), *_draw_mixture(trial), trial)


def run_scores_ignored(trial: Trial) -> Simulated:
    """Plant a bug: Dawid-Skene's draws, and draws of the prior of mu and sigma, as those of DS+S.

    Every parameter has uniform ranks: draws given a part of the data are right on average. Only the
    log-likelihood of votes and scores can tell.
    """
    truth, scores, sets = _draw_mixture(trial)
    fit = fit_votes("dawid_skene", sets, trial.rng, trial.stan, trial.sampler)
    draws = ScoreMixtureDraws(fit.parameters, *_prior_of_scores(len(fit.parameters), trial.rng))
    return Simulated.of(truth, draws, _joint_quantities(scores, sets), fit.diagnostics)


def run_human_ai(trial: Trial) -> Simulated:
    """Run H-AI (appendix C.3)."""
    rng = trial.rng
    low, gap = rng.normal(size=(2, 1)), np.abs(rng.normal(size=(2, 1)))
    human, model = np.concatenate([low, low + gap], axis=1)
    rho, sigma = rng.uniform(EPSILON - 1, 1 - EPSILON), abs(rng.normal())
    truth = HumanAiDraws(
        rng.random(1), human[None], model[None], np.array([rho]), np.array([sigma])
    )
    label, gold = draw_labels(truth.phi[0], trial)
    z = rng.normal(size=(2, len(label)))
    scores = model[label] + sigma * z[0]
    latent = human[label] + rho * z[0] + np.sqrt(1 - rho**2) * z[1]
    sets = find_vote_sets(items_of(ndtr(latent), gold, trial))
    return _run_joint(HumanAiProgram(), truth, scores, sets, trial)


def run_judges(trial: Trial, effect: float = 1) -> Simulated:
    """Run the model of named judges; votes' common item effect has `effect` times its variance.

    The prior is the same for all judges, so that ranks are of the first one's parameters.
    """
    rng = trial.rng
    truth = draw_prior(int(trial.parameters["votes_total"]), rng)
    label, gold = draw_labels(truth.phi[0], trial)
    shared = effect * truth.r[0][label][:, None]
    latent = truth.b[0][label] + np.sqrt(shared) * rng.standard_normal((len(label), 1))
    vote = rng.random(latent.shape) < ndtr(latent / np.sqrt(1 - shared))
    rows = find_rows(vote.astype(int), gold)
    fit = fit_judges(rows, rng, trial.stan, trial.sampler)

    def quantities(draws: JudgeDraws) -> Quantities:
        named = {f"b{y}": draws.b[:, y, 0] for y in (0, 1)}
        named |= {f"r{y}": draws.r[:, y] for y in (0, 1)}
        return {"phi": draws.phi, **named, "log_likelihood": draws.log_likelihood(rows)}

    return Simulated.of(truth, fit.draws, quantities, fit.diagnostics)


SIGMA = 3.5
"""A uniform set of ranks leaves its band as rarely as a normal deviate lies beyond this."""


def rank_of(value: float, draws: np.ndarray, rng: np.random.Generator) -> int:
    """The rank of a value among draws (L,), from 0 to L; ties are broken at random."""
    ties = int(np.sum(draws == value))
    return int(np.sum(draws < value)) + (int(rng.integers(0, ties + 1)) if ties else 0)


def distribution_function(ranks: np.ndarray, largest: int) -> np.ndarray:
    """The share of ranks at or below each of 0 .. L - 1: (L,)."""
    counts = np.bincount(ranks, minlength=largest + 1)
    return np.asarray(np.cumsum(counts)[:-1] / len(ranks))


@cache
def _pointwise_level(number: int, largest: int, sigma: float) -> float:
    """The pointwise tail of a simultaneous band of `number` ranks, by 40,000 simulated sets."""
    rng = np.random.default_rng(20221110)
    share = np.arange(1, largest + 1) / (largest + 1)
    smallest = []
    for _ in range(40):
        ranks = rng.integers(0, largest + 1, (1000, number))
        counts = np.stack([np.bincount(row, minlength=largest + 1) for row in ranks])
        below = np.cumsum(counts, axis=1)[:, :-1]
        tail = np.minimum(binom.cdf(below, number, share), binom.sf(below - 1, number, share))
        smallest.append(tail.min(axis=1))
    return float(np.quantile(np.concatenate(smallest), 2 * norm.sf(sigma)))


def uniform_band(number: int, largest: int, sigma: float = SIGMA) -> tuple[np.ndarray, np.ndarray]:
    """The simultaneous band of the distribution function of N uniform ranks at 0 .. L - 1: (L,) low
    and high (Säilynoja et al., 2022). It holds the whole function with the probability of a normal
    deviate within `sigma`.
    """
    share = np.arange(1, largest + 1) / (largest + 1)
    tail = _pointwise_level(number, largest, sigma)
    low = binom.ppf(tail, number, share)
    # The smallest tail that a uniform set reached with this frequency is itself inside.
    low = np.where(binom.cdf(low, number, share) < tail, low + 1, low)
    high = number - binom.ppf(tail, number, 1 - share)
    return np.asarray(low / number), np.asarray(high / number)


def leaves_band(ranks: np.ndarray, largest: int, sigma: float = SIGMA) -> bool:
    """Whether the distribution function of ranks (N,) in 0 .. L, the `largest`, leaves its band."""
    low, high = uniform_band(len(ranks), largest, sigma)
    found = distribution_function(ranks, largest)
    return bool(np.any(found < low - 1e-12) or np.any(found > high + 1e-12))


def check_uniformity(table: pd.DataFrame) -> list[tuple[str, bool]]:
    """(sentence, as it must be) for each `model` of a table of many replicates: all quantities of a
    sound model lie inside their bands, at least one of a planted bug outside.
    """
    verdicts = []
    for model, rows in table.groupby("model", sort=False):
        outside = [
            str(quantity)
            for quantity, group in rows.groupby("quantity", sort=False)
            if leaves_band(group["rank"].to_numpy(), int(group["ranks"].iloc[0]))
        ]
        planted = bool(rows["planted"].iloc[0])
        failed = int((~rows.drop_duplicates("replicate")["diagnostics_passed"]).sum())
        where = f"outside the band: {', '.join(outside)}" if outside else "inside all bands"
        sentence = (
            f"{model}{', a planted bug' if planted else ''}: {where}; "
            f"{rows['replicate'].nunique()} replicates; {failed} fits missed the diagnostics gate "
            "and are included"
        )
        verdicts.append((sentence, bool(outside) == planted))
    return verdicts


RANKS = 99
"""Posterior draws that a rank is taken among: thinned, so that they are nearly independent."""


@dataclass(frozen=True, kw_only=True)
class SimulationBasedCalibrationParameters(Settings):
    """The rank of a draw of the prior among posterior draws, for every parameter and the
    log-likelihood, given data simulated at that draw (Talts et al., 2018).
    """

    model: Annotated[
        object,
        Json({"type": "string"}),
        "The sampler under test; `likelihood_dropped`, `prior_mismatched`, `rates_swapped`, "
        "`scores_ignored` and `effect_dropped` are planted bugs.",
    ]
    n: Annotated[int, AtLeast(2), "Items of a data set."]
    n_gold: Annotated[int, AtLeast(0), "Items that have a gold label."]
    votes_total: Annotated[
        int, AtLeast(1), "Votes on each item; of `judges`, one of each of so many judges."
    ]
    chains: Annotated[int, AtLeast(2), "Chains of each fit."]
    warmup: Annotated[int, AtLeast(1), "Iterations of each chain that are thrown away."]
    draws: Annotated[int, AtLeast(50), "Iterations of each chain that are kept."]


@dataclass(frozen=True)
class Subject:
    """A sampler under test."""

    run: Callable[[Trial], Simulated]
    stan_models: tuple[str, ...]  # those that it needs
    planted: bool = False  # it has a bug, and must be rejected


SUBJECTS = {
    "vote": Subject(run_votes, ("vote",)),
    "dawid_skene": Subject(partial(run_votes, model="dawid_skene"), ("dawid_skene",)),
    "score": Subject(run_score, ("score",)),
    "exact_cut": Subject(run_exact_cut, ()),
    "dawid_skene_scores": Subject(run_dawid_skene_scores, ("dawid_skene_scores",)),
    "human_ai": Subject(run_human_ai, ("human_ai",)),
    "judges": Subject(run_judges, ("judges",)),
    "likelihood_dropped": Subject(run_likelihood_dropped, ("vote",), True),
    "prior_mismatched": Subject(run_prior_mismatched, ("vote",), True),
    "rates_swapped": Subject(run_rates_swapped, ("vote",), True),
    "scores_ignored": Subject(run_scores_ignored, ("dawid_skene",), True),
    # Votes whose density has no common item effect.
    "effect_dropped": Subject(partial(run_judges, effect=0), ("judges",), True),
}
"""The samplers by name."""


def _subject(parameters: Mapping[str, Any]) -> Subject:
    name = parameters["model"]
    if name not in SUBJECTS:
        raise InputError(unknown("model", name, SUBJECTS))
    return SUBJECTS[name]


def compute_simulation_based_calibration(
    parameters: Mapping[str, Any], rng: np.random.Generator, stan: StanModels
) -> pd.DataFrame:
    """The rank of one prior draw among its posterior draws, 0 to `ranks`, a row a quantity."""
    subject = _subject(parameters)
    known = {name: int(parameters[name]) for name in ("chains", "warmup", "draws")}
    # Ranks need no more draws: the score model's chains would take eight times their minutes.
    sampler = SamplerSettings(**known, longest=1)
    simulated = subject.run(Trial(parameters, rng, stan, sampler))
    rows = []
    for quantity, values in simulated.draws.items():
        thinned = values[np.linspace(0, len(values) - 1, RANKS).round().astype(int)]
        rows.append({
            "quantity": quantity, "rank": rank_of(simulated.truth[quantity], thinned, rng),
            "ranks": RANKS, "planted": subject.planted,
            "diagnostics_passed": simulated.diagnostics.passed,
        })  # fmt: skip
    return pd.DataFrame(rows)


COMPUTATION = Computation(
    "simulation_based_calibration",
    compute_simulation_based_calibration,
    SimulationBasedCalibrationParameters,
    stan_models=lambda parameters: _subject(parameters).stan_models,
)
