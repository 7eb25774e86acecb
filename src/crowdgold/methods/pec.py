"""PEC (STABLEVAL, section 3): posterior expected credit, and intervals that hold more.

PEC reads the same fit by EM as DS, and counts an item by its posterior probabilities. Beyond the
paper (section 3.5):

`PEC-two-way`: refits to resamples of responses and annotators (`models.confusion_em`). A label
that was drawn twice is further evidence to the fit, and no label of others in its place, so that
the refits' scores lie away from PEC's, on the side of the majority votes; their spread is what
other responses and annotators would change. The draws are moved to have PEC's scores as their mean.

`PEC-posterior`: draws of levels, class priors and confusion matrices (`models.agent_levels`).
"""

import time
from dataclasses import dataclass
from typing import Annotated

import numpy as np

from crowdgold.inference.labels import AgentDraws, Fit, LevelPosterior
from crowdgold.methods.dawid_skene import ABOUT_EM, EM
from crowdgold.methods.method import Method, Run, Style, of_labels_behind
from crowdgold.methods.needs import AGENTS, ANNOTATORS, SEVERAL
from crowdgold.metrics.agents import agent_means
from crowdgold.models.agent_levels import LevelSettings, sample_levels
from crowdgold.models.confusion_em import (
    PRESETS,
    fit_confusion_em,
    fit_preset,
    labels_drawn,
    resample_annotators,
    resample_items,
)
from crowdgold.types.annotations import Annotations
from crowdgold.types.parameters import AtLeast, Settings


@dataclass(frozen=True)
class Credit(Settings):
    """Settings of PEC."""

    em: Annotated[EM, ABOUT_EM] = "converged"


@dataclass(frozen=True)
class TwoWay(Settings):
    """Settings of PEC-two-way."""

    em: Annotated[EM, ABOUT_EM] = "published"
    resamples: Annotated[int, AtLeast(2), "Refits; 100 where not given."] = 100


def fit_credit(
    annotations: Annotations, rng: np.random.Generator, settings: Credit, run: Run
) -> Fit:
    """Confusion matrices by EM; each item counts by its posterior probabilities."""
    found, seconds = fit_preset(annotations, settings.em)
    posterior = LevelPosterior(found.posterior, False, found.confusion)
    return Fit("PEC", posterior, found.diagnostics, {"inference": seconds})


def shares_by_agent(probability: np.ndarray, annotations: Annotations) -> np.ndarray:
    """The mean probabilities (I, K) of each agent's responses with labels: (S, K); NaN for none."""
    return np.stack([agent_means(column, annotations) for column in probability.T], axis=1)


def fit_two_way(
    annotations: Annotations, rng: np.random.Generator, settings: TwoWay, run: Run
) -> Fit:
    """PEC, and fits to resamples of responses, each an agent's, and of annotators."""
    start, em = time.perf_counter(), PRESETS[settings.em]
    found = fit_confusion_em(annotations, em)
    shares = []
    for _ in range(settings.resamples):
        items, times = resample_items(annotations, rng), resample_annotators(annotations, rng)
        table = labels_drawn(annotations, items, times)
        shares.append(shares_by_agent(fit_confusion_em(table, em).posterior, table))
    drawn = np.stack(shares)
    known = np.isfinite(drawn)
    mean = np.where(known, drawn, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    centred = drawn + shares_by_agent(found.posterior, annotations) - mean
    draws = AgentDraws(centred, centred)
    posterior = LevelPosterior(found.posterior, False, found.confusion, draws)
    seconds = {"inference": time.perf_counter() - start}
    return Fit("PEC-two-way", posterior, found.diagnostics, seconds)


def fit_posterior(
    annotations: Annotations, rng: np.random.Generator, settings: LevelSettings, run: Run
) -> Fit:
    """Draws of the levels of responses, each an agent's."""
    start = time.perf_counter()
    found = sample_levels(annotations, settings, rng)
    count = found.count.reshape(-1, *found.count.shape[2:])
    number = count.sum(axis=-1, keepdims=True)
    shares = np.divide(count, number, out=np.full(count.shape, np.nan), where=number > 0)
    # Of a prior that all share every agent has the same expectation.
    expected = np.broadcast_to(found.prior, found.count.shape).reshape(count.shape)
    draws = AgentDraws(shares, expected)
    posterior = LevelPosterior(found.probability, False, found.confusion, draws)
    seconds = {"inference": time.perf_counter() - start}
    return Fit("PEC-posterior", posterior, found.diagnostics, seconds)


EXPECTED_CREDIT = Method(
    name="PEC", title="posterior expected credit (STABLEVAL)",
    about=(
        "STABLEVAL's posterior expected credit: as Dawid-Skene with a matrix for each annotator, "
        "an item counting by its posterior probabilities."
    ),
    of_items=of_labels_behind(fit_credit), of_labels=fit_credit, settings=Credit,
    needs=(ANNOTATORS, SEVERAL), uses_gold=False, style=Style("#992266", "D"),
)  # fmt: skip
TWO_WAY = Method(
    name="PEC-two-way", title="PEC with a bootstrap over responses and annotators",
    about="PEC with intervals from a bootstrap over responses and annotators, each refitted.",
    of_labels=fit_two_way, settings=TwoWay, needs=(AGENTS,), style=Style("#CC7755", "s", "--"),
)  # fmt: skip
POSTERIOR = Method(
    name="PEC-posterior", title="PEC from the full posterior, a class prior for each agent",
    about=(
        "PEC from the full posterior of levels, class priors and confusion matrices, by Gibbs "
        "sampling."
    ),
    of_labels=fit_posterior, settings=LevelSettings, needs=(AGENTS,),
    style=Style("#225522", "*", "-."),
)  # fmt: skip
