"""EM for confusion matrices, against the same steps in plain NumPy and against enumeration."""

import itertools

import numpy as np
import pytest

from crowdgold.models.confusion_em import PRESETS, EmSettings, fit_confusion_em
from crowdgold.models.majority import NO_LABEL, majority_labels, majority_shares
from crowdgold.types.annotations import Annotations
from crowdgold.types.errors import InputError


def annotations(item_of, annotator_of, label, items, annotators, levels):
    names = (
        np.array([f"{prefix}{number}" for number in range(size)], dtype=object)
        for prefix, size in (("i", items), ("R", annotators), ("group", 1), ("", levels))
    )
    order, none = np.argsort(item_of, kind="stable"), np.zeros(len(item_of), dtype=np.int64)
    item_of, annotator_of, label = (np.asarray(x)[order] for x in (item_of, annotator_of, label))
    return Annotations(*names, item_of, annotator_of, none, label)


def drawn(seed, items=60, levels=3, accuracy=0.7):
    """Ragged labels, some annotators several times on an item, the last item without a label."""
    rng = np.random.default_rng(seed)
    count = rng.integers(1, 8, items)
    count[-1] = 0
    item_of = np.repeat(np.arange(items), count)
    level = rng.integers(levels, size=items)[item_of]
    right = rng.random(len(item_of)) < accuracy
    label = np.where(right, level, rng.integers(levels, size=len(item_of)))
    return annotations(item_of, rng.integers(6, size=len(item_of)), label, items, 6, levels)


def em_in_numpy(table, settings):
    """The EM of the module's docstring, one item after the other, with no step shared."""
    I, A, K = len(table.item), len(table.annotator), len(table.category)
    own = [np.flatnonzero(table.item_of == item) for item in range(I)]
    labelled = [item for item in range(I) if len(own[item])]
    mu = np.full(K, 1 / K)
    if settings.start == "majority":
        mu = np.bincount(table.votes()[labelled].argmax(axis=1), minlength=K) / len(labelled)
    off = (1 - settings.diagonal) / (K - 1)
    pi = np.tile(np.where(np.eye(K) == 1, settings.diagonal, off), (A, 1, 1))
    trace, moved = [], np.inf
    while len(trace) < settings.steps and not moved < settings.tolerance:
        gamma, log_posterior = np.zeros((I, K)), 0.0
        for item in labelled:
            log = np.log(mu + settings.floor)
            for row in own[item]:
                rates = pi[table.annotator_of[row], :, table.label[row]]
                log = log + np.log(rates + settings.floor)
            top = log.max()
            gamma[item] = np.exp(log - top)
            log_posterior += top + np.log(gamma[item].sum())
            gamma[item] /= gamma[item].sum()
        for alpha, rates in ((settings.alpha_mu, mu), (settings.alpha_pi, pi)):
            log_posterior += (alpha - 1) * np.log(rates).sum() if alpha > 1 else 0.0
        trace.append(log_posterior)
        mu = gamma.sum(axis=0) + settings.alpha_mu - 1
        mu = mu / mu.sum()
        before, pi = pi, np.full((A, K, K), settings.alpha_pi - 1)
        for row, item in enumerate(table.item_of):
            pi[table.annotator_of[row], :, table.label[row]] += gamma[item]
        pi = pi / pi.sum(axis=2, keepdims=True)
        moved = np.abs(pi - before).max()
    gamma[[item for item in range(I) if not len(own[item])]] = mu
    return gamma, mu, pi, np.array(trace)


@pytest.mark.parametrize(
    "settings",
    [
        EmSettings(steps=25, tolerance=0.0),
        EmSettings(steps=25, tolerance=0.0, alpha_mu=2.5, alpha_pi=1.7, diagonal=0.6, floor=1e-4),
        EmSettings(steps=9, tolerance=0.0, start="uniform", alpha_pi=1.0),
        EmSettings(steps=200, tolerance=1e-4),
    ],
)
@pytest.mark.parametrize("levels", [2, 3, 5])
def test_steps_are_those_of_plain_numpy(settings, levels):
    table = drawn(levels, levels=levels)
    found = fit_confusion_em(table, settings)
    gamma, mu, pi, trace = em_in_numpy(table, settings)
    assert found.steps == len(trace)
    assert np.abs(found.posterior - gamma).max() < 1e-12
    assert np.abs(found.prior - mu).max() < 1e-12
    assert np.abs(found.confusion - pi).max() < 1e-12
    assert np.allclose(found.log_posterior, trace, rtol=1e-13)


def test_many_labels_on_an_item_neither_underflow_nor_change_the_posterior():
    """Items above 29 labels add logarithms; 600 labels of an even mix are a product of 1e-300."""
    item_of = np.repeat([0, 1, 2], [600, 35, 3])
    rng = np.random.default_rng(5)
    table = annotations(item_of, rng.integers(4, size=638), rng.integers(3, size=638), 3, 4, 3)
    settings = EmSettings(steps=12, tolerance=0.0, alpha_pi=1.0)
    gamma, _, _, trace = em_in_numpy(table, settings)
    found = fit_confusion_em(table, settings)
    assert np.isfinite(found.posterior).all()
    assert np.abs(found.posterior - gamma).max() < 1e-10
    assert np.allclose(found.log_posterior, trace, rtol=1e-12)


def test_a_fixed_point_is_a_maximum_of_the_enumerated_posterior():
    """Tiny data: the trace is the sum over all 2^4 states, and no small move of it is better."""
    table = annotations([0, 0, 1, 1, 2, 2, 3, 3], [0, 1] * 4, [0, 0, 1, 1, 0, 1, 1, 1], 4, 2, 2)
    settings = EmSettings(alpha_mu=2.0, alpha_pi=2.0, floor=0.0, tolerance=1e-13)
    found = fit_confusion_em(table, settings)
    states = np.array(list(itertools.product(range(2), repeat=4)))

    def chances(mu, pi):
        rates = pi[table.annotator_of, states[:, table.item_of], table.label]
        return mu[states].prod(axis=1) * rates.prod(axis=1)

    def log_posterior(mu, pi):
        return np.log(chances(mu, pi).sum()) + np.log(mu).sum() + np.log(pi).sum()

    top = log_posterior(found.prior, found.confusion)
    assert found.converged
    assert found.log_posterior[-1] == pytest.approx(top, abs=1e-10)
    for move in (np.array([1e-3, -1e-3]), np.array([-1e-3, 1e-3])):
        assert log_posterior(found.prior + move, found.confusion) < top
        for matrix, row in itertools.product(range(2), repeat=2):
            moved = found.confusion.copy()
            moved[matrix, row] += move
            assert log_posterior(found.prior, moved) < top
    # The posterior of each item, by summing the states.
    chance = chances(found.prior, found.confusion)
    assert np.abs(found.posterior[:, 1] - chance @ states / chance.sum()).max() < 1e-10
    assert np.abs(found.posterior.sum(axis=1) - 1).max() < 1e-10


def test_presets_are_the_published_settings():
    """And an item without labels has the class prior, and counts for nothing."""
    assert PRESETS["published"] == EmSettings(1.0, 1.01, 1e-10, "majority", "lowest", 0.8, 100, 0.0)
    synthetic = PRESETS["published_synthetic"]
    assert (synthetic.start, synthetic.alpha_pi, synthetic.tolerance) == ("uniform", 1.0, 1e-6)
    table = drawn(4)
    found = fit_confusion_em(table, PRESETS["published"])
    assert (found.steps, found.converged) == (100, False)
    assert fit_confusion_em(table).converged
    assert np.array_equal(found.posterior[-1], found.prior)
    assert found.prior == pytest.approx(found.posterior[:-1].mean(axis=0), abs=1e-12)


@pytest.mark.parametrize(
    ("name", "value"),
    [("alpha_mu", 0.5), ("alpha_pi", np.nan), ("floor", -1.0), ("start", "majorty"),
     ("ties", "random"), ("diagonal", 0.0), ("steps", 0), ("tolerance", -1e-6)],
)  # fmt: skip
def test_a_setting_that_cannot_be_used_is_named(name, value):
    with pytest.raises(InputError, match=f"EM: {name}: found .*expected"):
        EmSettings.read({name: value}, "EM")


def test_labels_and_a_known_rule_for_ties_are_needed():
    with pytest.raises(InputError, match="no labels"):
        fit_confusion_em(annotations([], [], np.array([], dtype=int), 2, 1, 2))
    with pytest.raises(InputError, match="ties: found 'first'"):
        majority_labels(TIED, "first")


# Item 0: 2 1 tied, 2 met first; item 1: 0; item 2: no label; item 3: 1 2 0, tied, 1 met first.
TIED = annotations(
    [0, 0, 1, 1, 1, 3, 3, 3], [0, 1, 0, 1, 2, 0, 1, 2], [2, 1, 0, 0, 2, 1, 2, 0], 4, 3, 3
)


@pytest.mark.parametrize(
    ("ties", "first", "last"), [("first_met", 2, 1), ("lowest", 1, 0), ("highest", 2, 2)]
)
def test_ties_by_each_rule(ties, first, last):
    assert majority_labels(TIED, ties).tolist() == [first, 0, NO_LABEL, last]


def test_ties_at_random_are_even_and_shares_say_so():
    """400 draws of a three-way tie: each share within 4 binomial standard errors of 1/3."""
    rng = np.random.default_rng(8)
    draws = np.array([majority_labels(TIED, "random", rng) for _ in range(400)])
    assert (draws[:, 1] == 0).all()
    assert set(draws[:, 0]) == {1, 2}
    share = np.bincount(draws[:, 3], minlength=3) / 400
    assert np.abs(share - 1 / 3).max() < 4 * np.sqrt(2 / 9 / 400)
    third = 1 / 3
    assert majority_shares(TIED).tolist() == [[0, 0.5, 0.5], [1, 0, 0], [0, 0, 0], [third] * 3]
