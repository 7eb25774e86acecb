"""What a pilot study says of its voters and scores: a guess for each draw of a fitted posterior.

MAVEN-C is fitted to the pilot, and without scores the vote model alone. Each draw is one `Guess`
that the pilot leaves possible, so that what is computed from all of them, the width of a planned
interval above all, comes with the pilot's own uncertainty.
"""

from dataclasses import dataclass

import numpy as np

from crowdgold.data import NO_GOLD, InputError, Items
from crowdgold.data.own import Study
from crowdgold.methods.maven import CALIBRATED
from crowdgold.methods.maven_fit import fit_maven
from crowdgold.methods.method import Run
from crowdgold.models.stan import SamplerSettings, StanModels, spread_draws
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.models.vote_fit import fit_votes
from crowdgold.models.vote_sets import find_vote_sets
from crowdgold.own.check.cluster_effect import cluster_effect
from crowdgold.own.check.gold_sample import assess_gold_sample
from crowdgold.own.plan.expected_information import RAREST, Guess

DRAWS = 40
"""Posterior draws; the ends of 90 % of them are then the second from either side."""


@dataclass(frozen=True)
class Pilot:
    """What a pilot leaves possible.

    Attributes:
        guesses: a posterior draw each.
        scores: (m,) the model's scores in the pilot, the scale of thresholds; None where there are
            none.
        diagnostics: of the fit.
    """

    guesses: tuple[Guess, ...]
    scores: np.ndarray | None
    diagnostics: Diagnostics


def choose_model(items: Items, model: str | None) -> str | None:
    """The model that is planned for; None where the pilot has no scores.

    Raises:
        InputError: where there are several and none is named, or another is.
    """
    have = ", ".join(items.predictors) or "none"
    if model is not None and model not in items.predictors:
        raise InputError(f"--model: no model {model!r}; the pilot has {have}")
    if model is None and len(items.predictors) > 1:
        raise InputError(f"--model: the pilot has several ({have}); say which one is planned for")
    return model or next(iter(items.predictors), None)


def fit_pilot(
    items: Items, rng: np.random.Generator, stan: StanModels, model: str | None, draws: int = DRAWS
) -> Pilot:
    """Fit a pilot.

    Args:
        items: its votes, gold labels and scores.
        rng: source of the draws.
        stan: the compiled vote model.
        model: the one whose scores are used; None for votes alone.
        draws: guesses that are wanted.

    Raises:
        InputError: where a class is too rare to plan for.
    """
    sampler = SamplerSettings()
    if model is None:
        fit = fit_votes("vote", find_vote_sets(items), rng, stan, sampler)
        vote = fit.parameters.select(spread_draws(len(fit.parameters), draws))
        phi, a, d, diagnostics = vote.phi, vote.a, vote.d, fit.diagnostics
        mu = delta = np.zeros(draws)
    else:
        run = Run(stan, sampler, draws)
        fitted = fit_maven(items, rng, CALIBRATED.read({}), run, (model,))
        found, diagnostics = fitted.labels.parameters, fitted.diagnostics  # type: ignore[union-attr]
        phi, mu, delta = found["phi"], found[f"mu:{model}"], found[f"delta:{model}"]
        a, d = (np.stack([found[f"{name}{y}"] for y in (0, 1)], axis=1) for name in "ad")
    rare = float(np.minimum(phi, 1 - phi).min())
    if rare < RAREST:
        raise InputError(
            f"the pilot leaves it possible that {100 * rare:.2g} % of the items are of one class; "
            f"from {100 * RAREST:g} % on studies can be planned. Label more items, or plan for "
            "items among which it is more frequent"
        )
    agree = 1 / (d + 1)
    columns = (phi, a[:, 1], 1 - a[:, 0], agree[:, 1], agree[:, 0], mu, delta)
    guesses = tuple(Guess(*map(float, row)) for row in zip(*columns, strict=True))
    return Pilot(guesses, None if model is None else items.scores[model], diagnostics)


PLANNED_APART = "widths are planned as if no items belonged together. These do, so that"
"""Of clusters, where all items are simulated."""


def of_clusters(items: Items, why: str = PLANNED_APART) -> list[str]:
    """What is said where items belong together.

    Args:
        items: of the pilot, or of the study itself.
        why: why intervals may be wider, the beginning of a sentence.
    """
    found = cluster_effect(items)
    return [] if found is None else [f"{why} intervals may be wider than planned: {found.sentence}"]


def check_pilot(study: Study, pilot: Pilot, rng: np.random.Generator) -> list[str]:
    """Say what speaks against planning from a pilot.

    Args:
        study: the pilot's files.
        pilot: as fitted.
        rng: source of the random samples that its gold items are held against.
    """
    found = [f"the pilot's fit: {text}" for text in pilot.diagnostics.problems]
    found += pilot.diagnostics.notes
    gold = study.items.gold
    for label, which in ((1, "positive"), (0, "negative")):
        if (gold != NO_GOLD).any() and not (gold == label).any():
            found.append(f"the pilot has no {which} gold label: little is known of such items")
    sample = assess_gold_sample(study.items, rng)
    if sample.chosen:
        found.append(
            f"in the pilot {sample.told.misfit} (p = {sample.p:.2g}); what was learnt from it may "
            "not hold of others"
        )
    if study.items.draw is not None:
        found.append("the chances with which the pilot's gold was drawn are passed over")
    if study.weights is not None or study.strata:
        found.append("weights and strata of the pilot are passed over: all items count the same")
    found += of_clusters(study.items)
    return found
