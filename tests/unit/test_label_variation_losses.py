"""Losses of the training methods: the paper's examples, and the metrics they are 1 less."""

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="PyTorch is not installed (`make hlv-packages`)")

from crowdgold.metrics import soft  # noqa: E402
from crowdgold.papers.label_variation import training as losses  # noqa: E402

ROWS, CLASSES, ANNOTATIONS = 7, 3, 4


def tensor(values):
    return torch.tensor(np.asarray(values), dtype=torch.float64)


def drawn(multilabel, seed=0, shape=(ROWS,)):
    """Logits, and targets that add to 1 unless a row may have several classes."""
    rng = np.random.default_rng(seed)
    logits = tensor(rng.normal(size=(*shape, CLASSES)))
    if multilabel:
        return logits, tensor(rng.random((*shape, CLASSES)))
    return logits, tensor(rng.dirichlet(np.ones(CLASSES), shape))


def annotations(multilabel, seed=1):
    """What four annotations of each row chose, and which of them there are."""
    rng = np.random.default_rng(seed)
    shape = ROWS, ANNOTATIONS
    several = rng.integers(0, 2, (*shape, CLASSES))
    chosen = several if multilabel else np.eye(CLASSES)[rng.integers(0, CLASSES, shape)]
    present = rng.random(shape) < 0.6
    present[:, 0] = True
    return tensor(chosen), torch.tensor(present)


def logits_of(*probabilities):
    return tensor(np.log(probabilities))


def test_the_papers_soft_labels():
    """Positive by 80 %: 0.8 log p(1) + 0.2 log p(0); with the majority's head + log p2(1)."""
    p = 0.7
    logits = logits_of(1 - p, p)[None]
    soft_label = tensor([[0.2, 0.8]])
    likelihood = 0.8 * np.log(p) + 0.2 * np.log(1 - p)
    assert losses.cross_entropy(logits, soft_label, False).item() == pytest.approx(-likelihood)
    p2 = 0.6
    both = torch.stack([logits[0], logits_of(1 - p2, p2)])[None]
    loss = losses.multitask_loss(both, soft_label, tensor([[0, 1]]), tensor([1.0]), False)
    assert loss.item() == pytest.approx(-(likelihood + np.log(p2)))


def test_the_papers_ensembles():
    """60 %, 30 % and 90 % positive: AEh 2/3 (AE is their mean)."""
    positive = tensor([0.6, 0.3, 0.9])
    binary = torch.stack([1 - positive, positive], dim=-1)[None]
    assert losses.vote_of_predictions(binary, False)[0, 1].item() == pytest.approx(2 / 3)
    several = positive[None, :, None]
    assert losses.vote_of_predictions(several, True).item() == pytest.approx(2 / 3)


def test_the_papers_aggregated_losses():
    """y1 and y2 of p = (0.7, 0.3): min is -log 0.7, max -log 0.3; the mean would be SL's."""
    logits = logits_of(0.7, 0.3)[None]
    chosen, present = tensor([[[1, 0], [0, 1], [0, 1]]]), torch.tensor([[True, True, False]])
    found = [
        losses.aggregated_loss(logits, chosen, present, k, False).item() for k in (False, True)
    ]
    assert found == pytest.approx([-np.log(0.7), -np.log(0.3)])
    soft_label = losses.cross_entropy(logits, tensor([[0.5, 0.5]]), False).item()
    assert soft_label == pytest.approx(np.mean(found))


@pytest.mark.parametrize("multilabel", [False, True])
def test_losses_of_metrics_are_1_less_the_metric(multilabel):
    logits, target = drawn(multilabel)
    metrics = soft.MULTILABEL if multilabel else soft.MULTICLASS
    predicted = losses.probabilities(logits, multilabel).numpy()
    for loss, name in (
        (losses.jsd_loss, "PO-JSD"),
        (losses.soft_micro_f1_loss, "soft micro F1" if multilabel else "soft accuracy"),
        (losses.soft_macro_f1_loss, "soft macro F1"),
    ):
        value = metrics[name](target.numpy(), predicted)
        assert loss(logits, target, multilabel).item() == pytest.approx(1 - value, abs=1e-12)


def test_the_divergence_is_finite_where_a_probability_is_0():
    """One-hot judgements, and a prediction whose other probability underflows."""
    logits = torch.tensor([[300.0, -300.0], [300.0, -300.0]], requires_grad=True)
    target = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    loss = losses.jsd_loss(logits, target, False)
    loss.backward()
    assert loss.item() == pytest.approx(0.5)
    assert torch.isfinite(logits.grad).all()


@pytest.mark.parametrize("multilabel", [False, True])
def test_losses_of_annotations_against_loops(multilabel):
    logits, _ = drawn(multilabel)
    chosen, present = annotations(multilabel)
    q = losses.probabilities(logits, multilabel).numpy()
    each = np.full((ROWS, ANNOTATIONS), np.nan)
    for i in range(ROWS):
        for j in range(ANNOTATIONS):
            if present[i, j]:
                c = chosen[i, j].numpy()
                terms = c * np.log(q[i]) + ((1 - c) * np.log(1 - q[i]) if multilabel else 0)
                each[i, j] = -terms.sum()
    for largest, best in ((False, np.nanmin), (True, np.nanmax)):
        found = losses.aggregated_loss(logits, chosen, present, largest, multilabel).item()
        assert found == pytest.approx(best(each, axis=1).mean())
    heads = logits[:, None].expand(ROWS, ANNOTATIONS, CLASSES)
    found = losses.ensemble_loss(heads, chosen, present.double(), multilabel).item()
    assert found == pytest.approx(np.nanmean(each))
