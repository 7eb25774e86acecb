"""MAVEN (section 3) and what is made of its fit: the vote model, and score models under the cut.

Votes and gold labels say how good the voters are; the ranking by scores never changes that (the
cut). Each predictor's score model is conditioned on the same draws of the vote model. `MAVEN-C`,
`MAVEN-CS` and `MAVEN-bent` have the calibrated score likelihood; `MAVEN-R` and `AutoEval+MAVEN` let
gold labels correct MAVEN's posterior means.
"""

import copy
import pickle
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from numpy.random import SeedSequence

from crowdgold.inference.labels import (
    Fit,
    ImputesGold,
    LabelPosterior,
    LabelPrediction,
    LabelProbability,
    MeanPrediction,
)
from crowdgold.methods.method import (
    CORRECTED,
    MODEL,
    OF_MEANS,
    PLANNED,
    REFERENCE,
    Fitter,
    Method,
    Offer,
    Run,
    Style,
)
from crowdgold.methods.needs import GOLD, OF_GOLD, OF_MODELS, SCORES, VOTES, WITH_GOLD
from crowdgold.models.priors import MuPrior, PhiPrior, ScorePrior
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.types.items import NO_GOLD, Items, Ranking
from crowdgold.types.notes import Note
from crowdgold.types.parameters import Above, AtLeast, refuse

if TYPE_CHECKING:
    from crowdgold.models.binned_ranks import BinnedRanks
    from crowdgold.models.exact_cut import ScoreDraws
    from crowdgold.models.score_model import ScoreData
    from crowdgold.models.tied_wins import TiedWins
    from crowdgold.models.vote_sets import VoteParameters, VoteSets

TOO_SHORT = Note("too_short")


@dataclass(frozen=True)
class MavenSettings(ImputesGold):
    """Settings of MAVEN."""

    cut: Annotated[
        Literal["exact", "nested"],
        "How (mu, delta) are drawn given a draw of the vote model. `exact` takes them from an "
        "adaptive grid; `nested` from a short Markov chain, as the paper does, unless one score is "
        "that of more than one item in 200.",
    ] = "exact"
    nested_iterations: Annotated[
        int, AtLeast(1), "Length of each nested chain, of which the last draw is kept."
    ] = 10
    score_likelihood: Annotated[
        Literal["pairwise", "calibrated"],
        "What the ranking says of the score model. `pairwise` is the paper's likelihood of win "
        "counts, whose intervals are too narrow; `calibrated` is that of the binned ranking, which "
        "counts nothing twice.",
    ] = "pairwise"
    positive_sd: Annotated[
        bool,
        "True gives the utilities of positives a standard deviation of their own; it needs the "
        "calibrated likelihood.",
    ] = False
    bent: Annotated[
        bool,
        "True lets the log odds of a positive label rise or fall with a slope of their own at each "
        "place of the ranking; it needs the calibrated likelihood.",
    ] = False
    mu_prior: MuPrior = field(default_factory=MuPrior)
    delta_scale: Annotated[
        float, Above(0),
        "Scale of the prior of delta, how far the scores follow the votes beyond the label: the "
        "Laplace distribution around 0. The paper has 10. A small one says that votes and scores "
        "err independently.",
    ] = 10.0  # fmt: skip
    phi_prior: PhiPrior = field(default_factory=PhiPrior)

    def agree(self) -> None:
        """Refuse a standard deviation, or a bend, that the likelihood or the cut does not have."""
        for name in ("positive_sd", "bent"):
            if getattr(self, name) and self.score_likelihood != "calibrated":
                refuse(f"{name} needs score_likelihood 'calibrated'")
        if self.bent and (self.positive_sd or self.cut == "nested"):
            refuse("bent needs cut 'exact', and no positive_sd")

    @property
    def score_prior(self) -> ScorePrior:
        """The prior of (mu, delta)."""
        return ScorePrior(self.mu_prior.shape, self.mu_prior.scale, self.delta_scale)


def summarise_ranking(
    ranking: Ranking, sets: "VoteSets", settings: MavenSettings
) -> "ScoreData | TiedWins | BinnedRanks":
    """What the score likelihood needs of a predictor's ranking."""
    from crowdgold.models.binned_ranks import BinnedRanks
    from crowdgold.models.tied_wins import count_wins

    prior = settings.score_prior
    if settings.score_likelihood == "calibrated":
        return BinnedRanks.of(sets.member, ranking, len(sets), settings.positive_sd, prior)
    return count_wins(sets, ranking, prior)


def fit_maven(
    items: Items, rng: np.random.Generator, settings: MavenSettings, run: Run,
    predictors: Sequence[str] | None = None, vote_items: Items | None = None,
) -> Fit:  # fmt: skip
    """MAVEN's posterior of the labels. Fits to one predictor each, from generators of one state,
    share the vote model's draws, and are together what a fit to all `predictors` is. `vote_items`:
    another table that the vote model is fitted to, such as the same items with more gold labels.
    """
    from crowdgold.models.bent_ranks import sample_bent_cut
    from crowdgold.models.binned_ranks import BinnedRanks
    from crowdgold.models.exact_cut import sample_exact_cut, sample_exact_cut_sd
    from crowdgold.models.nested_cut import sample_nested_cut
    from crowdgold.models.score_model import TRUSTED_DELTA
    from crowdgold.models.stan import spread_draws
    from crowdgold.models.vote_sets import find_vote_sets, fit_votes

    clock = time.perf_counter
    start = clock()
    sets = find_vote_sets(items)
    wanted = items.predictors if predictors is None else list(predictors)
    rankings = {name: items.ranking(name) for name in wanted}
    summaries = {name: summarise_ranking(one, sets, settings) for name, one in rankings.items()}
    counted = clock()
    vote_rng, *score_rngs = rng.spawn(1 + len(items.predictors))
    vote_sets = sets if vote_items is None else find_vote_sets(vote_items)
    fit = fit_votes("vote", vote_sets, vote_rng, run.stan, run.sampler, settings.phi_prior)
    vote = fit.parameters.select(spread_draws(len(fit.parameters), run.imputations))
    sampled = clock()
    scores: dict[str, ScoreDraws] = {}
    failures, notes = list(fit.diagnostics.failures), list(fit.diagnostics.notes)
    for predictor, score_rng in zip(items.predictors, score_rngs, strict=True):
        if predictor not in rankings:
            continue
        data, pilot = summaries[predictor], Diagnostics()
        if settings.cut == "nested":
            draws, pilot = sample_nested_cut(
                data, sets, vote, score_rng, run.stan, run.sampler, settings.nested_iterations,
                run.threads,
            )  # fmt: skip
        elif isinstance(data, BinnedRanks) and settings.bent:
            draws = sample_bent_cut(data, sets, vote, score_rng)
        elif isinstance(data, BinnedRanks) and data.free_sd:
            draws = sample_exact_cut_sd(data, sets, vote, score_rng)
        else:
            draws = sample_exact_cut(data, sets, vote, score_rng)
        scores[predictor] = draws
        if draws.failures:
            failures.append(
                f"score model of {predictor}: {draws.failures} of {len(draws.mu)} draws did not "
                f"settle or have |delta| above {TRUSTED_DELTA:g}"
            )
        failures += [f"pilot of {predictor}: {text}" for text in pilot.problems]
        notes += [f"score model of {predictor}: {text}" for text in pilot.notes]
    seconds = {
        "summary": counted - start,
        # The fit's own time: it may be one that another method's was as well.
        "vote model": fit.elapsed,
        "score model": clock() - sampled,
        "inference": fit.elapsed + clock() - sampled,
    }
    diagnostics = replace(fit.diagnostics, failures=tuple(failures), notes=tuple(notes))
    posterior = settings.imputed(_posterior(items, sets, vote, scores, rankings))
    return Fit("", posterior, diagnostics, seconds)


def _posterior(
    items: Items, sets: "VoteSets", vote: "VoteParameters", scores: "Mapping[str, ScoreDraws]",
    rankings: "Mapping[str, Ranking]",
) -> LabelPosterior:  # fmt: skip
    from crowdgold.models.utility import UtilityTables, known_of_labels

    pattern = sets.pattern[sets.member]
    tables = {
        name: UtilityTables(vote, found.mu, found.delta, sets, found.sd, found.bend)
        for name, found in scores.items()
    }

    def probability_given(gold: np.ndarray) -> LabelProbability:
        known = known_of_labels(pattern, gold)

        def probability(draw: int, predictor: str, rng: np.random.Generator) -> np.ndarray:
            table = tables[predictor].of_draw(draw)
            return table.sample_probabilities(known, rankings[predictor], rng)

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


def fit_once(items: Items, rng: np.random.Generator, settings: MavenSettings, run: Run) -> Fit:
    """`fit_maven`, once for methods of one job that make something of the same fit."""
    table = (items.votes_positive, items.votes_total, items.gold, items.scores)
    source = (rng.bit_generator.state, rng.bit_generator.seed_seq)
    key = pickle.dumps((table, source, run.sampler, run.imputations, settings))
    own_rng = copy.deepcopy(rng)
    fitted, spent = run.stan.latest(
        f"MAVEN, {settings.score_likelihood}",
        key,
        lambda: (fit_maven(items, own_rng, settings, run), own_rng),
    )
    # What is drawn afterwards, such as imputed labels, never repeats the numbers of the fit,
    # whether it was made or given again: the generator goes to where its copy stands. How many
    # were spawned from it its state does not say.
    rng.bit_generator.state = spent.bit_generator.state
    sources = [one.bit_generator.seed_seq for one in (rng, spent)]
    before, after = (one.n_children_spawned for one in sources if isinstance(one, SeedSequence))
    if after > before:
        rng.spawn(after - before)
    return fitted


def predicting(kind: type[LabelPrediction]) -> Fitter:
    """The fitter that gives MAVEN's posterior means as a prediction for gold labels to correct."""

    def predicted(items: Items, rng: np.random.Generator, settings: MavenSettings, run: Run) -> Fit:
        fitted = fit_once(items, rng, settings, run)
        return replace(fitted, labels=kind(fitted.labels.predictions(items, rng)))

    return predicted


def _version(name: str, title: str, fitter: Fitter = fit_once, **declared: Any) -> Method:
    def stan_models(settings: MavenSettings) -> tuple[str, ...]:
        score = {"pairwise": "score", "calibrated": "score_ordinal"}[settings.score_likelihood]
        return ("vote", score) if settings.cut == "nested" else ("vote",)

    return Method(
        **{
            "name": name, "title": title, "of_items": fitter, "settings": MavenSettings,
            "needs": (VOTES, SCORES), "stan_models": stan_models, **declared,
        }
    )  # fmt: skip


PUBLISHED = _version(
    "MAVEN", "MAVEN", about="The vote model, then the score model given each of its draws.",
    style=Style("#D55E00", "^"),
    offer=Offer(
        use="a model of votes and scores, as published",
        assumes=(
            "The same model as MAVEN-C, as it was published: its likelihood of the ranking treats "
            "pairs of vote sets as independent, so that its intervals of AUC and ΔTPR are too "
            "short even where the model is true."
        ),
        roles=(MODEL,), doubts=(*OF_MODELS, lambda facts: [TOO_SHORT]), stream=8, work=4,
        fit_of="MAVEN",
    ),
)  # fmt: skip
EXACT = _version(
    "MAVEN-exact", "MAVEN by the exact cut",
    about="MAVEN, the score model's densities drawn from directly instead of by nested fits.",
    preset={"cut": "exact"}, variant_of="MAVEN", style=Style("#442200", "X", "--"),
)  # fmt: skip
CALIBRATED = _version(
    "MAVEN-C", "MAVEN with the calibrated score likelihood",
    about="MAVEN with the calibrated score likelihood.",
    preset={"score_likelihood": "calibrated", "positive_sd": False, "bent": False},
    style=Style("#0072B2", "h"),
    offer=Offer(
        use="a model of votes and scores, with intervals for its own model",
        assumes=(
            "A model of votes and scores. Every item has its own chance of a positive vote, drawn "
            "from one beta distribution for positive items and one for negative ones; votes on an "
            "item are then independent. Scores rank the items by a normal utility that depends on "
            "the label and on that chance. Right where this is a fair picture of the data."
        ),
        roles=(MODEL, PLANNED), doubts=OF_MODELS, stream=9, work=3,
    ),
)  # fmt: skip
FREE_SD = _version(
    "MAVEN-CS", "MAVEN-C with a standard deviation of positives of its own",
    about="MAVEN-C with a standard deviation of its own for the utilities of positives.",
    preset={"score_likelihood": "calibrated", "positive_sd": True, "bent": False},
    variant_of="MAVEN-C", style=Style("#6688AA", "*", ":"),
)  # fmt: skip
BENT = _version(
    "MAVEN-bent", "MAVEN-C of predictors that need not be monotone",
    about="MAVEN-C where a higher score may be a lesser chance of a positive.",
    preset={"cut": "exact", "score_likelihood": "calibrated", "positive_sd": False, "bent": True},
    variant_of="MAVEN-C", style=Style("#994455", "P", "--"),
)  # fmt: skip
RECTIFIED = _version(
    "MAVEN-R", "MAVEN, rectified by the gold labels", predicting(LabelPrediction),
    about="MAVEN's posterior probabilities, corrected by the gold labels.",
    needs=(VOTES, GOLD, SCORES), style=Style("#882255", "d"),
    offer=Offer(
        use="corrected by the gold labels: right whatever the votes are",
        assumes=(
            "Predicts every label by MAVEN, and lets the gold labels correct the prediction. Right "
            f"whatever the votes and scores are like, {WITH_GOLD} A bad prediction makes "
            "intervals wider, not wrong."
        ),
        roles=(CORRECTED, REFERENCE), doubts=OF_GOLD, stream=7, work=4, fit_of="MAVEN",
    ),
)  # fmt: skip
AUTO_EVAL = _version(
    "AutoEval+MAVEN", "AutoEval from MAVEN's posterior probabilities", predicting(MeanPrediction),
    about="MAVEN's posterior probabilities in the place of AutoEval's raw scores.",
    needs=(VOTES, GOLD, SCORES), estimates=OF_MEANS, style=Style("#332288", "H"),
)  # fmt: skip
