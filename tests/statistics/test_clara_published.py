"""CLARA's published sampler against the distribution of its own sweeps, of four items summed over.

Equation 1 as printed is written here from the equation: the matrix of a sweep over all assignments
of true labels is the mean, over all orders of the items, of products of single updates. Where a
matrix gives one label an item its distribution is the posterior.
"""

import itertools

import numpy as np
import pandas as pd
import pytest
from clara_reference import draw_labels, enumerated, error_of, with_scores

from crowdgold.models.clara.gibbs import ClaraSettings, sample_clara
from crowdgold.models.clara.published import (
    PublishedSettings,
    estimate_normals,
    published_prior,
    sample_published,
    score_parts,
    weigh_scores,
)
from crowdgold.types.annotations import annotations_from_frame

LABELS = {2: ["001", "011", "111", "000"], 3: ["001", "122", "111", "020"]}
"""Of three annotators on each of four items, by the number of categories."""
DRAWS = 1_000_000


def four_items(size):
    rows = [
        (str(item), str(annotator), label)
        for item, labels in enumerate(LABELS[size])
        for annotator, label in enumerate(labels)
    ]
    frame = pd.DataFrame(rows, columns=["item", "annotator", "label"])
    return annotations_from_frame(frame, categories=[str(k) for k in range(size)])


def chance_of(y, item, labels, matrices, prior):
    """Equation 1: P(y_item = k | the other items' true labels y), every count without the item."""
    size, found = len(prior.theta), []
    others = [other for other in range(len(labels)) if other != item]
    for k in range(size):
        weight = prior.theta[k] + sum(y[other] == k for other in others)
        for matrix, label in zip(matrices, labels[item], strict=True):
            given = [
                labels[other][place]
                for other in others if y[other] == k
                for place in range(len(matrices)) if matrices[place] == matrix
            ]  # fmt: skip
            above = prior.psi[k, label] + given.count(label)
            weight *= above / (prior.psi[k].sum() + len(given))
        found.append(weight)
    return np.array(found) / sum(found)


def sweeps(size, confusion, prior):
    """All assignments (S, 4), and how a sweep takes one to another (S, S)."""
    labels = [[int(label) for label in item] for item in LABELS[size]]
    matrices = [0, 0, 0] if confusion == "shared" else [0, 1, 2]
    states = list(itertools.product(range(size), repeat=4))
    place = {state: s for s, state in enumerate(states)}
    updates = []
    for item in range(4):
        update = np.zeros((len(states), len(states)))
        for s, state in enumerate(states):
            for k, chance in enumerate(chance_of(state, item, labels, matrices, prior)):
                update[s, place[(*state[:item], k, *state[item + 1 :])]] += chance
        updates.append(update)
    orders = list(itertools.permutations(range(4)))
    sweep = sum(np.linalg.multi_dot([updates[item] for item in order]) for order in orders)
    return np.array(states), sweep / len(orders)


def stationary(sweep):
    """The distribution that a sweep keeps, and the largest autocorrelation time of a sum of it."""
    values, vectors = np.linalg.eig(sweep.T)
    order = np.argsort(-values.real)
    kept = vectors[:, order[0]].real
    second = values[order[1]].real
    return kept / kept.sum(), (1 + second) / (1 - second)


@pytest.mark.parametrize("size", [2, 3])
@pytest.mark.parametrize("confusion", ["annotator", "shared"])
def test_true_labels_and_prevalence_are_those_of_its_sweeps(size, confusion):
    """Within 5 errors, of the slowest autocorrelation time of the sweeps' matrix; the mean of the
    prevalence likewise, by its deviation over the assignments.

    Matrices of annotators: the sweeps keep the posterior, which an enumeration of the collapsed
    joint gives. A shared one: what they keep is up to .090 off it with two categories, and .325
    with three; the control is that the sampler is beyond the band of the posterior. So many draws
    also tell the mean over all orders from one order, which is up to .004 off it.
    """
    annotations = four_items(size)
    prior = published_prior(annotations)
    states, sweep = sweeps(size, confusion, prior)
    chance, time = stationary(sweep)
    inside = states[:, :, None] == np.arange(size)
    exact = np.tensordot(chance, inside.astype(float), axes=1)
    found = sample_published(
        annotations, prior, PublishedSettings(confusion, 500, DRAWS, 1), np.random.default_rng(4)
    )
    error = np.sqrt(exact * (1 - exact) * time / DRAWS)
    assert (np.abs(found.probability - exact) < 5 * error).all()
    means = (prior.theta + inside.sum(axis=1)) / (1 + 4)
    theta = chance @ means
    spread = np.sqrt(chance @ (means - theta) ** 2 * time / DRAWS)
    assert (np.abs(found.theta[0].mean(axis=0) - theta) < 5 * spread).all()
    posterior = enumerated(annotations, prior, confusion)
    if confusion == "annotator":
        np.testing.assert_allclose(exact, posterior, atol=1e-9)
    else:
        off = np.abs(exact - posterior)
        assert off.max() == pytest.approx({2: 0.090, 3: 0.325}[size], abs=5e-4)
        assert (np.abs(found.probability - posterior) > 5 * error).any()


def test_the_prior_is_that_of_the_public_code():
    """An item in all, by all labels and one more of each; a label in each row."""
    prior = published_prior(four_items(3))
    np.testing.assert_allclose(prior.theta, [5 / 15, 6 / 15, 4 / 15])
    np.testing.assert_allclose(prior.psi, np.full((3, 3), 0.125) + 0.625 * np.eye(3))


def test_kept_sweeps_are_at_or_past_the_warmup_and_multiples_of_the_lag():
    """Sweep s of a run that keeps all is kept by another at the same seed where it has to be."""
    annotations = draw_labels(60, 0.3, 0.8, 0.9, np.random.default_rng(5))
    prior = published_prior(annotations)
    every, some = (
        sample_published(
            annotations, prior, PublishedSettings("shared", *plan), np.random.default_rng(6)
        )
        for plan in ((0, 30, 1), (10, 5, 4))
    )
    np.testing.assert_array_equal(some.theta[0], every.theta[0, [12, 16, 20, 24, 28]])
    np.testing.assert_array_equal(some.psi[0], every.psi[0, [12, 16, 20, 24, 28]])
    means = every.theta[0, :, 1] * 61 - prior.theta[1]
    np.testing.assert_allclose(means, np.rint(means), atol=1e-9)


def test_the_published_interval_is_narrower_than_the_posterior():
    """The law of total variance, to 5 Monte Carlo errors by batches, where a matrix gives one label
    an item and both samplers have one distribution:

    Var theta = Var E(theta | y) + E Var(theta | y).
    """
    annotations = draw_labels(400, 0.3, 0.8, 0.9, np.random.default_rng(12))
    prior = published_prior(annotations)
    rng = np.random.default_rng(13)
    ours = sample_clara(annotations, prior, ClaraSettings("annotator", chains=4), rng)
    found = sample_published(
        annotations, prior, PublishedSettings("annotator", 1000, 40_000, 1), rng
    )
    theta, mean = ours.theta[..., 1], found.theta[..., 1]
    inner = mean * (1 - mean) / (1 + 1 + 400)
    outer = (mean - mean.mean()) ** 2
    whole = (theta - theta.mean()) ** 2
    error = np.hypot(error_of(whole), error_of(outer + inner))
    assert abs(whole.mean() - outer.mean() - inner.mean()) < 5 * error
    assert outer.mean() + 5 * error < whole.mean()


def test_scores_are_weighed_by_normals_of_the_items_now_in_a_class():
    """NumPy's means and variances (n - 1), of each class's own part; where fewer than two items are
    in a class its normal stays, and a missing score says nothing.
    """
    rng = np.random.default_rng(7)
    annotations = with_scores(draw_labels(40, 0.4, 0.8, 0.9, rng), 1, rng)
    annotations.scores["model"][3] = np.nan
    parts, y = score_parts(annotations), annotations.truth.astype(np.int64)
    y[3] = 1
    mean, variance = np.zeros((1, 2)), np.ones((1, 2))
    estimate_normals(parts, y, mean, variance)
    for k in range(2):
        own = np.delete(parts[0, :, k], 3)[np.delete(y, 3) == k]
        assert mean[0, k] == pytest.approx(own.mean())
        assert variance[0, k] == pytest.approx(own.var(ddof=1))
    density = np.empty((40, 2))
    weigh_scores(parts, mean, variance, density)
    away = (parts[0] - mean[0]) ** 2 / variance[0]
    plain = np.exp(-away / 2) / np.sqrt(variance[0])
    others = np.arange(40) != 3
    shares = plain[others] / plain[others].max(axis=1, keepdims=True)
    np.testing.assert_allclose(density[others], shares, rtol=1e-9)
    np.testing.assert_array_equal(density[3], 1)
    few, before = np.zeros(40, dtype=np.int64), mean.copy()
    few[0] = 1
    estimate_normals(parts, few, mean, variance)
    assert mean[0, 1] == before[0, 1]
    assert mean[0, 0] != before[0, 0]


def test_good_scores_tell_what_labels_do_not():
    """Normal scores far apart, labels at chance: every item comes out right, where it did not."""
    rng = np.random.default_rng(8)
    plain = draw_labels(200, 0.4, 0.7, 0.7, rng)
    scored = with_scores(plain, 1, rng)
    raw = rng.normal(np.where(plain.truth == 1, 0.9, 0.1), 0.02)
    scored.scores["model"][:] = np.stack([1 - raw, raw], axis=1)
    settings = PublishedSettings("shared", 200, 200, 1)
    right = [
        (
            sample_published(one, published_prior(one), settings, np.random.default_rng(9))
            .probability.argmax(axis=1) == one.truth
        ).mean()
        for one in (plain, scored)
    ]  # fmt: skip
    assert right[1] == 1
    assert right[0] < 0.9
