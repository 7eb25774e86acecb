"""PEC with intervals that hold more than the choice of responses (beyond STABLEVAL, section 3.5).

`PEC-two-way`: refits to resamples of responses and annotators (`models.resampled_labels`). A label
that was drawn twice is further evidence to the fit, and no label of others in its place, so that
the refits' scores lie away from PEC's, on the side of the majority votes; their spread is what
other responses and annotators would change. The draws are moved to have PEC's scores as their mean.

`PEC-posterior`: draws of levels, class priors and confusion matrices (`models.agent_levels`).
"""

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from crowdgold.data import Annotations, InputError
from crowdgold.inference.annotated_labels import AgentDraws, LevelPosterior
from crowdgold.inference.labels import Fit
from crowdgold.methods.confusion_em import check_em, diagnostics_of
from crowdgold.models.agent_levels import LevelSettings, sample_levels
from crowdgold.models.confusion_em import PRESETS, fit_confusion_em
from crowdgold.models.resampled_labels import labels_drawn, resample_annotators, resample_items

RESAMPLES = 100


def shares_by_agent(probability: np.ndarray, annotations: Annotations) -> np.ndarray:
    """The mean probabilities of each agent's responses with labels: (S, K); NaN for none.

    Args:
        probability: (I, K) of each level of each response.
        annotations: says whose it is.
    """
    counted = (annotations.labels_of_item > 0) & (annotations.agent_of >= 0)
    size = len(annotations.agent)
    total, whose = np.zeros((size, probability.shape[1])), annotations.agent_of[counted]
    np.add.at(total, whose, probability[counted])
    number = np.bincount(whose, minlength=size)[:, None]
    return np.divide(total, number, out=np.full(total.shape, np.nan), where=number > 0)


def fit_two_way(
    annotations: Annotations,
    rng: np.random.Generator,
    em: str = "published",
    resamples: int = RESAMPLES,
) -> Fit:
    """Fit PEC, and again to resamples of responses and annotators.

    Args:
        annotations: the labels; each item is a response of an agent.
        rng: source of the resamples.
        em: one of `models.confusion_em.PRESETS`.
        resamples: refits.

    Raises:
        InputError: where there is no such preset, there are no labels or agents, or there are fewer
            than two resamples.
    """
    check_em(em, "PEC-two-way")
    if resamples < 2:
        raise InputError(f"PEC-two-way: resamples: found {resamples}, expected at least 2")
    start = time.perf_counter()
    found = fit_confusion_em(annotations, PRESETS[em])
    shares = []
    for _ in range(resamples):
        items, times = resample_items(annotations, rng), resample_annotators(annotations, rng)
        table = labels_drawn(annotations, items, times)
        shares.append(shares_by_agent(fit_confusion_em(table, PRESETS[em]).posterior, table))
    drawn = np.stack(shares)
    known = np.isfinite(drawn)
    mean = np.where(known, drawn, 0).sum(axis=0) / np.maximum(known.sum(axis=0), 1)
    centred = drawn + shares_by_agent(found.posterior, annotations) - mean
    draws = AgentDraws(centred, centred)
    posterior = LevelPosterior(found.posterior, False, found.confusion, draws)
    seconds = {"inference": time.perf_counter() - start}
    return Fit("PEC-two-way", posterior, diagnostics_of(found), seconds)


def fit_posterior(
    annotations: Annotations, rng: np.random.Generator, settings: Mapping[str, Any]
) -> Fit:
    """Sample the posterior of the levels.

    Args:
        annotations: the labels; each item is a response of an agent.
        rng: source of all draws.
        settings: fields of `LevelSettings`.

    Raises:
        InputError: where a setting is impossible, or there are no labels or agents.
    """
    start = time.perf_counter()
    found = sample_levels(annotations, LevelSettings(**settings), rng)
    count = found.count.reshape(-1, *found.count.shape[2:])
    number = count.sum(axis=-1, keepdims=True)
    shares = np.divide(count, number, out=np.full(count.shape, np.nan), where=number > 0)
    # Of a prior that all share every agent has the same expectation.
    expected = np.broadcast_to(found.prior, found.count.shape).reshape(count.shape)
    draws = AgentDraws(shares, expected)
    posterior = LevelPosterior(found.probability, False, found.confusion, draws)
    seconds = {"inference": time.perf_counter() - start}
    return Fit("PEC-posterior", posterior, found.diagnostics, seconds)
