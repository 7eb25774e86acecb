"""Simulated labels for CLARA's tests, and its posterior by enumeration and on a grid."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.special import gammaln, logsumexp
from scipy.stats import beta

from crowdgold.models.clara.model import find_label_patterns
from crowdgold.types.annotations import annotations_from_frame


def draw_labels(size, theta, tpr, tnr, rng, annotators=3):
    """Two labels an item, and a third where they differ (section 4.1)."""
    truth = rng.random(size) < theta
    who = np.argsort(rng.random((size, annotators)), axis=1)[:, :3]
    chance = np.where(truth, tpr, 1 - tnr)
    label = (rng.random((size, 3)) < chance[:, None]).astype(int)
    asked = np.ones((size, 3), dtype=bool)
    asked[:, 2] = label[:, 0] != label[:, 1]
    item, place = np.nonzero(asked)
    frame = pd.DataFrame(
        {"item": item.astype(str), "annotator": who[item, place].astype(str),
         "label": label[item, place].astype(str)}
    )  # fmt: skip
    found = annotations_from_frame(frame, categories=["0", "1"])
    return replace(found, truth=truth.astype(int))


def with_scores(annotations, separation, rng, sd=2.0):
    """Add section 7.3's scores: normal around +- separation by the truth, through a sigmoid."""
    raw = rng.normal(np.where(annotations.truth == 1, separation, -separation), sd)
    score = 1 / (1 + np.exp(-raw))
    return replace(annotations, scores={"model": np.stack([1 - score, score], axis=1)})


def log_dirichlet_multinomial(prior, count):
    """Of counts (..., K)."""
    total = gammaln(prior.sum()) - gammaln(prior.sum() + count.sum(axis=-1))
    return total + (gammaln(prior + count) - gammaln(prior)).sum(axis=-1)


def enumerated(annotations, prior, confusion):
    """P(y_i = k | labels), (I, K), by a sum over all K^I assignments; theta, psi integrated."""
    patterns = find_label_patterns(annotations, confusion, exchangeable=False)
    I, K = len(annotations.item), len(annotations.category)
    tally = np.zeros((patterns.matrices, I, K))
    item = np.repeat(np.arange(I), np.diff(patterns.start))
    np.add.at(tally, (patterns.matrix, item, patterns.label), patterns.times)
    y = np.array(list(itertools.product(range(K), repeat=I)))
    inside = np.stack([y == k for k in range(K)], axis=2).astype(float)
    log = log_dirichlet_multinomial(prior.theta, inside.sum(axis=1))
    for m in range(patterns.matrices):
        for k in range(K):
            log += log_dirichlet_multinomial(prior.psi[k], inside[:, :, k] @ tally[m])
    return np.tensordot(np.exp(log - logsumexp(log)), inside, axes=1)


def grid_posterior(annotations, prior, ordered, size=90):
    """Means and deviations of theta, TPR and TNR of a shared binary matrix, on a grid.

    `swapped` is P(TPR + TNR < 1); cells on the border count half.
    """
    patterns = find_label_patterns(annotations, "shared")
    middle = (np.arange(size) + 0.5) / size
    theta, tpr, tnr = np.meshgrid(middle, middle, middle, indexing="ij")
    log = beta.logpdf(theta, prior.theta[1], prior.theta[0])
    log += beta.logpdf(tpr, prior.psi[1, 1], prior.psi[1, 0])
    log += beta.logpdf(tnr, prior.psi[0, 0], prior.psi[0, 1])
    for p, count in enumerate(patterns.count):
        given = np.zeros(2)
        for cell in range(patterns.start[p], patterns.start[p + 1]):
            given[patterns.label[cell]] += patterns.times[cell]
        one = theta * tpr ** given[1] * (1 - tpr) ** given[0]
        log += count * np.log(one + (1 - theta) * (1 - tnr) ** given[1] * tnr ** given[0])
    if ordered:
        log = np.where(tpr + tnr > 1, log, -np.inf)
    weight = np.exp(log - logsumexp(log))
    moments = {}
    for name, value in (("theta", theta), ("tpr", tpr), ("tnr", tnr)):
        mean = float((weight * value).sum())
        moments[name] = mean, float(np.sqrt((weight * (value - mean) ** 2).sum()))
    above = np.sign(np.round(tpr + tnr - 1, 9))
    moments["swapped"] = float((weight * (1 - above)).sum() / 2), 0.0
    return moments


def counted_posterior(annotations, prior, points=400):
    """Mean theta and P(TPR + TNR < 1) of a shared binary matrix, whatever the prior's shapes.

    Exact but for the second's quadrature: a sum over how many items of each pattern of labels are
    positive, theta and the matrix integrated out. Given these numbers TPR and TNR are independent
    betas, and the chance is a mean of TNR's distribution function over `points` quantiles of TPR.
    A grid of theta, TPR and TNR is wrong where shapes below 1 have a pole at 0 or 1.
    """
    patterns = find_label_patterns(annotations, "shared")
    tally = np.zeros((len(patterns), 2))
    rows = np.repeat(np.arange(len(patterns)), np.diff(patterns.start))
    np.add.at(tally, (rows, patterns.label), patterns.times)
    sizes = [np.arange(count + 1) for count in patterns.count]
    positive = np.stack(np.meshgrid(*sizes, indexing="ij"), axis=-1).reshape(-1, len(patterns))
    ways = gammaln(patterns.count + 1).sum() - gammaln(positive + 1).sum(axis=1)
    ways = ways - gammaln(patterns.count - positive + 1).sum(axis=1)
    items = np.stack([patterns.count.sum() - positive.sum(axis=1), positive.sum(axis=1)], axis=1)
    on_positive = positive @ tally
    on_negative = patterns.count @ tally - on_positive
    log = ways + log_dirichlet_multinomial(prior.theta, items)
    log += log_dirichlet_multinomial(prior.psi[1], on_positive)
    log += log_dirichlet_multinomial(prior.psi[0], on_negative)
    weight = np.exp(log - logsumexp(log))
    theta = (prior.theta[1] + items[:, 1]) / (prior.theta.sum() + items.sum(axis=1))
    # Numbers of labels recur: each pair is integrated once, and those of no weight not at all.
    kept = weight > 1e-9
    shapes = np.concatenate([on_positive + prior.psi[1], on_negative + prior.psi[0]], axis=1)[kept]
    shapes, which = np.unique(shapes, axis=0, return_inverse=True)
    total = np.bincount(which.ravel(), weight[kept])
    tpr = beta.ppf((np.arange(points) + 0.5) / points, shapes[:, 1:2], shapes[:, :1])
    below = beta.cdf(1 - tpr, shapes[:, 2:3], shapes[:, 3:]).mean(axis=1)
    return {"theta": float(weight @ theta), "swapped": float(total @ below)}


def error_of(chains):
    """Monte Carlo standard error of a mean over independent chains' batch means, 40 of each."""
    batches = chains.reshape(len(chains) * 40, -1).mean(axis=1)
    return batches.std(ddof=1) / np.sqrt(len(batches))
