"""DS: Dawid and Skene (1979). Of votes, one confusion matrix for all voters (MAVEN, appendix C.1);
of labels that say who gave them, one for each annotator by EM (STABLEVAL, section 3).
"""

import time
from dataclasses import dataclass, field
from typing import Annotated, Literal

import numpy as np

from crowdgold.inference.labels import Fit, LabelPosterior, LevelPosterior
from crowdgold.methods.method import MODEL, OF_ITEMS, OF_LABELS, Method, Offer, Run, Style
from crowdgold.methods.needs import OF_INDEPENDENT, VOTES
from crowdgold.models.confusion_em import fit_preset
from crowdgold.models.priors import PhiPrior
from crowdgold.types.annotations import Annotations
from crowdgold.types.items import Items
from crowdgold.types.parameters import Settings

EM = Literal["converged", "published", "published_synthetic"]
"""How an EM starts, smooths and stops (`models.confusion_em.PRESETS`)."""
ABOUT_EM = (
    "How the EM starts, smooths and stops, where labels say who gave them. Where not given, it "
    "runs until it has `converged`. `published` is as for STABLEVAL's real data, 100 steps; "
    "`published_synthetic` as for its synthetic study."
)


@dataclass(frozen=True)
class DawidSkene(Settings):
    """Settings of DS."""

    phi_prior: Annotated[PhiPrior, OF_ITEMS] = field(default_factory=PhiPrior)
    em: Annotated[EM | None, OF_LABELS, ABOUT_EM] = None


def fit_votes_alike(items: Items, rng: np.random.Generator, settings: DawidSkene, run: Run) -> Fit:
    """Posterior of one confusion matrix of all voters, imputing from P(Y | V) under each draw."""
    from crowdgold.models.stan import spread_draws
    from crowdgold.models.vote_sets import find_vote_sets, fit_votes

    start = time.perf_counter()
    sets = find_vote_sets(items)
    fit = fit_votes("dawid_skene", sets, rng, run.stan, run.sampler, settings.phi_prior)
    parameters = fit.parameters.select(spread_draws(len(fit.parameters), run.imputations))
    by_set = parameters.label_probability(sets)
    posterior = LabelPosterior(
        len(parameters),
        lambda draw, predictor, rng: by_set[draw][sets.member],
        {"phi": parameters.phi, "a0": parameters.a[:, 0], "a1": parameters.a[:, 1]},
    )
    seconds = {"inference": time.perf_counter() - start}
    return Fit("DS", posterior, fit.diagnostics, seconds)


def fit_annotators(
    annotations: Annotations, rng: np.random.Generator, settings: DawidSkene, run: Run
) -> Fit:
    """Confusion matrices by EM; each item counts as of its most probable level."""
    found, seconds = fit_preset(annotations, settings.em or "converged")
    posterior = LevelPosterior(found.posterior, True, found.confusion)
    return Fit("DS", posterior, found.diagnostics, {"inference": seconds})


METHOD = Method(
    name="DS", title="Dawid-Skene",
    about=(
        "Dawid-Skene: of votes, one confusion matrix for all voters; of labels that say who gave "
        "them, a matrix for each annotator by EM, an item counting as of its most probable "
        "category."
    ),
    of_items=fit_votes_alike, of_labels=fit_annotators, settings=DawidSkene, needs=(VOTES,),
    stan_models=lambda settings: () if settings.em else ("dawid_skene",),
    style=Style("#5599BB", "v", "--"),
    offer=Offer(
        use="a model of the votes, for rates and the votes' errors",
        assumes=(
            "Dawid and Skene: a vote is right with a probability that depends on the item's true "
            "class alone, so that no item is harder than another. Where items differ, it is too "
            "sure of their labels and its intervals are too short."
        ),
        roles=(MODEL,), doubts=OF_INDEPENDENT, stream=10, work=1,
    ),
)  # fmt: skip
