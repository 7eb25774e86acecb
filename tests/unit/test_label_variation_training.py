"""Training heads on features: every method learns, repeats itself, and gives shares."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed (`make hlv-packages`)")

from crowdgold.papers.label_variation.judgements import METHODS, Judged, score  # noqa: E402
from crowdgold.papers.label_variation.training import (  # noqa: E402
    FrozenFeatures,
    Optimisation,
    _rate,
    train,
)
from crowdgold.types.errors import InputError  # noqa: E402

HOW = Optimisation(epochs=10, batch_size=16, learning_rate=0.1)
ITEMS, EACH = 160, 3


def world(seed=0, multilabel=False):
    """Features of two dimensions, shares of three classes that follow them, five annotators."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(ITEMS, 2))
    logits = features @ np.array([[2.0, -1, 0], [0, 2, -2]])
    shares = np.exp(logits) / np.exp(logits).sum(axis=1, keepdims=True)
    if multilabel:
        shares = 1 / (1 + np.exp(-logits))
        chosen = (rng.random((ITEMS, EACH, 3)) < shares[:, None]).astype(float)
    else:
        draws = rng.random((ITEMS, EACH, 1))
        label = (draws > shares.cumsum(axis=1)[:, None]).sum(axis=-1).clip(max=2)
        chosen = np.eye(3)[label]
    item, who = np.repeat(np.arange(ITEMS), EACH), np.tile(np.arange(EACH), ITEMS)
    return features, shares, Judged(item, chosen.reshape(-1, 3), who, multilabel=multilabel)


def trained(method, multilabel=False, seed=1, how=HOW):
    features, shares, judged = world(multilabel=multilabel)
    model = train(method, judged, FrozenFeatures(features), how, np.random.default_rng(seed))
    return model.predict(np.arange(ITEMS)), shares


@pytest.mark.parametrize("multilabel", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_every_method_learns_more_than_the_classes_shares(method, multilabel):
    """Held against the true shares by the metric that is least generous, soft micro F1."""
    if multilabel and not METHODS[method].multilabel:
        with pytest.raises(InputError, match="may have several"):
            trained(method, multilabel)
        return
    predicted, shares = trained(method, multilabel)
    assert predicted.shape == shares.shape
    assert ((predicted >= 0) & (predicted <= 1)).all()
    if not multilabel:
        np.testing.assert_allclose(predicted.sum(axis=1), 1, atol=1e-9)
    constant = np.broadcast_to(shares.mean(axis=0), shares.shape)
    names = "soft micro F1", "micro F1"
    own, least = (score(shares, one, multilabel) for one in (predicted, constant))
    assert all(own[name].value > least[name].value + 0.03 for name in names)


def test_the_generator_alone_decides_the_model():
    first, again, other = (trained("SL", seed=seed)[0] for seed in (1, 1, 2))
    assert (first == again).all()
    assert (first != other).any()
    before = torch.random.get_rng_state()
    trained("ReL")
    assert (torch.random.get_rng_state() == before).all()


def test_soft_labels_reach_the_maximum_of_the_likelihood():
    """Of shares that are linear in the features' logits: many steps give the shares themselves."""
    features, shares, _ = world()
    exact = Judged(
        np.repeat(np.arange(ITEMS), 3),
        np.tile(np.eye(3), (ITEMS, 1)),
        count=np.maximum(np.round(shares.reshape(-1) * 10**6), 1).astype(int),
    )
    for method, epochs in (("SL", 150), ("ReL", 50)):
        how = Optimisation(epochs, batch_size=80, learning_rate=0.1)
        model = train(method, exact, FrozenFeatures(features), how, np.random.default_rng(0))
        np.testing.assert_allclose(model.predict(np.arange(ITEMS)), shares, atol=0.02)


def test_an_ensembles_heads_learn_from_their_own_annotator_alone():
    """Annotator 1 always says class 0, annotator 0 class 1: AE halves, AEh's votes are split."""
    chosen = np.tile([[0.0, 1], [1, 0]], (30, 1))
    judged = Judged(np.repeat(np.arange(30), 2), chosen, np.tile([0, 1], 30))
    encoder = FrozenFeatures(np.random.default_rng(0).normal(size=(30, 2)))
    for method in ("AE", "AEh"):
        model = train(method, judged, encoder, HOW, np.random.default_rng(0))
        np.testing.assert_allclose(model.predict(np.arange(30)), 0.5, atol=0.05)
        each = torch.softmax(model.heads(encoder.values), dim=-1)
        assert (each[:, 0, 1] > 0.7).all()
        assert (each[:, 1, 0] > 0.7).all()


@pytest.mark.parametrize(("annotators", "lost"), [(100, True), (2, False)])
def test_an_ensemble_of_people_with_few_annotations_loses_the_shares_of_classes(annotators, lost):
    """600 annotations by 100 people or by 2, a fifth positive whatever the features, of which there
    are 60. Six annotations are fitted without the constant, which six in sixty directions add up to
    hardly at all; 300 are not. Shared by all, the same annotations give their share (SL)."""
    rng = np.random.default_rng(0)
    features = rng.normal(size=(1200, 60))
    positive = (rng.permutation(600) < 120).astype(int)
    judged = Judged(np.arange(600), np.eye(2)[positive], np.arange(600) % annotators)
    how = Optimisation(epochs=20, batch_size=50, learning_rate=0.03)
    error = {}
    for method in ("AE", "SL"):
        model = train(method, judged, FrozenFeatures(features), how, np.random.default_rng(1))
        found = model.predict(np.arange(600, 1200))[:, 1].mean()
        error[method] = abs(found - 0.2)
    assert (error["AE"] > 0.1) == lost, error
    assert error["SL"] < 0.1


def test_the_learning_rate_rises_then_falls_to_0():
    rates = [_rate(step, 10, 0.2) for step in range(10)]
    assert rates[:3] == [0.5, 1, 1]
    assert np.all(np.diff(rates[2:]) < 0)
    assert rates[-1] == pytest.approx(1 / 8)
    assert _rate(0, 10, 0.0) == 1
