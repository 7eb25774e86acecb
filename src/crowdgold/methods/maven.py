"""MAVEN (section 3): vote model, score model under the Bayesian cut, and label probabilities.

Votes and gold labels say how good the voters are; the ranking by scores never changes that (the
cut). Each predictor's score model is conditioned on the same draws of the vote model.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from crowdgold.data import NO_GOLD, Items
from crowdgold.inference.labels import Fit, LabelPosterior, LabelProbability
from crowdgold.methods.dawid_skene import spread_draws
from crowdgold.models.binned_ranks import BinnedRanks
from crowdgold.models.diagnostics import Diagnostics
from crowdgold.models.exact_cut import ScoreDraws, sample_exact_cut
from crowdgold.models.exact_cut_sd import sample_exact_cut_sd
from crowdgold.models.nested_cut import sample_nested_cut
from crowdgold.models.priors import PhiPrior, ScorePrior
from crowdgold.models.score_likelihood import TRUSTED_DELTA
from crowdgold.models.score_model import ScoreData
from crowdgold.models.stan import SamplerSettings, StanModels
from crowdgold.models.utility import UtilityTables
from crowdgold.models.vote_fit import VoteFit, fit_votes
from crowdgold.models.vote_model import VoteParameters
from crowdgold.models.vote_sets import VoteSets, find_vote_sets, win_counts


@dataclass(frozen=True)
class MavenSettings:
    """Settings of MAVEN, as in the configuration's `methods: MAVEN`.

    Attributes:
        cut: "exact" (adaptive grid) or "nested" (short Stan fits, as the paper does it).
        nested_iterations: iterations b of each nested fit.
        score_likelihood: "pairwise", the likelihood of the win counts as printed, or "calibrated",
            that of the binned ranking, which counts nothing twice.
        positive_sd: whether positives have a standard deviation of their own (calibrated only).
        mu_prior: `shape` and `scale` of the inverse gamma prior of mu; 1 where one is not given.
        delta_scale: scale of the Laplace prior of delta.
        phi_prior: `alpha` and `beta` of the beta prior of phi; 1 where one is not given.
        threads: nested fits run side by side.
    """

    cut: str = "exact"
    nested_iterations: int = 10
    score_likelihood: str = "pairwise"
    positive_sd: bool = False
    mu_prior: Mapping[str, Any] = field(default_factory=dict)
    delta_scale: float = 10.0
    phi_prior: Mapping[str, Any] = field(default_factory=dict)
    threads: int = 1

    def __post_init__(self) -> None:
        if self.cut not in ("exact", "nested"):
            raise ValueError(f"MAVEN: cut {self.cut!r}; expected 'exact' or 'nested'")
        if self.score_likelihood not in ("pairwise", "calibrated"):
            raise ValueError(
                f"MAVEN: score_likelihood {self.score_likelihood!r}; "
                "expected 'pairwise' or 'calibrated'"
            )
        if self.positive_sd and self.score_likelihood != "calibrated":
            raise ValueError("MAVEN: positive_sd needs score_likelihood 'calibrated'")
        self.score_prior()
        self.base_rate_prior()

    def score_prior(self) -> ScorePrior:
        """The prior of (mu, delta); `InputError` where a number is out of its range."""
        return ScorePrior.of(self.mu_prior, self.delta_scale)

    def base_rate_prior(self) -> PhiPrior:
        """The prior of phi; `InputError` where a number is out of its range."""
        return PhiPrior.of(self.phi_prior)


def _summarise(
    items: Items, sets: VoteSets, predictor: str, settings: MavenSettings
) -> ScoreData | BinnedRanks:
    """Keep of a predictor's ranking what the score likelihood needs."""
    order, prior = items.order(predictor), settings.score_prior()
    if settings.score_likelihood == "calibrated":
        return BinnedRanks.of(sets.member, order, len(sets), settings.positive_sd, prior)
    wins = win_counts(sets.member, order, len(sets))
    return ScoreData(wins.astype(float), sets.count.astype(float), sets.pattern, prior)


def _score_model(
    data: ScoreData | BinnedRanks,
    sets: VoteSets,
    vote: VoteParameters,
    rng: np.random.Generator,
    stan: StanModels,
    sampler: SamplerSettings,
    settings: MavenSettings,
) -> tuple[ScoreDraws, Diagnostics]:
    if settings.cut == "exact":
        if isinstance(data, BinnedRanks) and data.free_sd:
            return sample_exact_cut_sd(data, sets, vote, rng), Diagnostics()
        return sample_exact_cut(data, sets, vote, rng), Diagnostics()
    return sample_nested_cut(
        data, sets, vote, rng, stan, sampler, settings.nested_iterations, settings.threads
    )


def _diagnostics(
    vote: VoteFit, pilots: dict[str, Diagnostics], scores: dict[str, ScoreDraws]
) -> Diagnostics:
    failures = list(vote.diagnostics.failures)
    for predictor, draws in scores.items():
        if draws.failures:
            failures.append(
                f"score model of {predictor}: {draws.failures} of {len(draws.mu)} draws did not "
                f"settle or have |delta| above {TRUSTED_DELTA:g}"
            )
        failures += [f"pilot of {predictor}: {text}" for text in pilots[predictor].problems]
    return Diagnostics(**{**vars(vote.diagnostics), "failures": tuple(failures)})


def fit_maven(
    items: Items,
    rng: np.random.Generator,
    stan: StanModels,
    sampler: SamplerSettings,
    draws: int,
    settings: MavenSettings,
    predictors: Sequence[str] | None = None,
    vote_items: Items | None = None,
) -> Fit:
    """Fit MAVEN to the predictors of a table.

    Fits of the same table to one predictor each, from generators of one state, share the vote
    model's draws, and are together what a fit to all of them is.

    Args:
        items: the table; the vote model's draws depend on its votes and gold only.
        rng: source of all draws.
        stan: the compiled models.
        sampler: settings of the vote model's chains.
        draws: parameter draws, one imputed data set each.
        settings: of the cut and the score likelihood.
        predictors: those whose score model is wanted; all of the table where not given.
        vote_items: another table that the vote model is fitted to, such as the same items with more
            gold labels; `items` where not given.
    """
    clock = time.perf_counter
    start = clock()
    sets = find_vote_sets(items)
    wanted = items.predictors if predictors is None else list(predictors)
    rankings = {name: _summarise(items, sets, name, settings) for name in wanted}
    counted = clock()
    vote_rng, *score_rngs = rng.spawn(1 + len(items.predictors))
    vote_sets = sets if vote_items is None else find_vote_sets(vote_items)
    fit = fit_votes("vote", vote_sets, vote_rng, stan, sampler, settings.base_rate_prior())
    vote = fit.parameters.select(spread_draws(len(fit.parameters), draws))
    sampled = clock()
    scores: dict[str, ScoreDraws] = {}
    pilots: dict[str, Diagnostics] = {}
    for predictor, score_rng in zip(items.predictors, score_rngs, strict=True):
        if predictor not in rankings:
            continue
        scores[predictor], pilots[predictor] = _score_model(
            rankings[predictor], sets, vote, score_rng, stan, sampler, settings
        )
    seconds = {
        "summary": counted - start,
        # The fit's own time: it may be one that another method's was as well.
        "vote model": fit.elapsed,
        "score model": clock() - sampled,
        "inference": fit.elapsed + clock() - sampled,
    }
    posterior = _posterior(items, sets, vote, scores)
    return Fit("MAVEN", posterior, _diagnostics(fit, pilots, scores), seconds)


def _posterior(
    items: Items, sets: VoteSets, vote: VoteParameters, scores: dict[str, ScoreDraws]
) -> LabelPosterior:
    pattern = sets.pattern[sets.member]
    tables = {
        name: UtilityTables(vote, found.mu, found.delta, sets, found.sd)
        for name, found in scores.items()
    }

    def probability_given(gold: np.ndarray) -> LabelProbability:
        def probability(draw: int, predictor: str, rng: np.random.Generator) -> np.ndarray:
            table = tables[predictor].of_draw(draw)
            return table.sample_probabilities(pattern, gold, items.order(predictor), rng)

        return probability

    parameters = {
        "phi": vote.phi,
        **{f"a{y}": vote.a[:, y] for y in (0, 1)},
        **{f"d{y}": vote.d[:, y] for y in (0, 1)},
        **{f"mu:{name}": draws.mu for name, draws in scores.items()},
        **{f"delta:{name}": draws.delta for name, draws in scores.items()},
        **{f"sd:{name}": draws.sd for name, draws in scores.items() if draws.sd is not None},
    }
    return LabelPosterior(
        len(vote),
        probability_given(items.gold),
        parameters,
        # The tables are by vote pattern, which knows no gold label.
        without_own_gold=probability_given(np.full_like(items.gold, NO_GOLD)),
    )
