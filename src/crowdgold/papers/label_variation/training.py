"""Training by any method (HLV, section 4): linear heads on an encoder, which may be trained too;
and a run of the study (5.1): a method trained and evaluated on a dataset. Needs PyTorch.

- cross-entropy: - sum_k T_ik log Q_ik; of several classes, that of each and its complement.
- JSD: mean_i JSD(P_i, Q_i) in bits; of several classes, mean_ik of [P, 1 - P] and [Q, 1 - Q].
- Soft accuracy: 1 - mean_i sum_k min(P_ik, Q_ik).
- Soft micro F1: 1 - 2 sum_ik min(P_ik, Q_ik) / sum_ik (P_ik + Q_ik).
- Soft macro F1: 1 - mean_k 2 sum_i min(P_ik, Q_ik) / sum_i (P_ik + Q_ik).
- LA-min, LA-max: mean_i of the least (most) cross-entropy of the item's annotations.

P are the people's shares, T is the target: P, the majority vote, or one annotation. Q is the
softmax of the logits, or, where an item may have several classes, their sigmoid. The sums over i
are those of a batch; over a whole set each of the three metrics is 1 less its loss
(`crowdgold.metrics.soft`). B is rows, J annotations, A annotators, K classes.

Where the dataset is cross-validated, the predictions of all folds are scored together. A search
tries learning rates and batch sizes at random on the development items of the first split, and
takes those with the best geometric mean of the metrics.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from crowdgold.papers.label_variation.encoders import Prepared, Split
from crowdgold.papers.label_variation.judgements import (
    Judged,
    Score,
    TrainingSet,
    geometric_mean,
    score,
    training_set,
)

TINY = 1e-30
"""Below this a probability adds nothing to an entropy, whose slope at 0 is infinite."""


def log_probabilities(logits: Tensor, multilabel: bool) -> Tensor:
    """The log of Q, (..., K), or, of several classes, that and its complement's, (..., K, 2)."""
    if multilabel:
        return torch.stack([functional.logsigmoid(logits), functional.logsigmoid(-logits)], dim=-1)
    return functional.log_softmax(logits, dim=-1)


def probabilities(logits: Tensor, multilabel: bool) -> Tensor:
    """Q: (..., K)."""
    return torch.sigmoid(logits) if multilabel else torch.softmax(logits, dim=-1)


def _with_complement(shares: Tensor, multilabel: bool) -> Tensor:
    return torch.stack([shares, 1 - shares], dim=-1) if multilabel else shares


def cross_entropy(logits: Tensor, target: Tensor, multilabel: bool) -> Tensor:
    """The cross-entropy of each row: (...,) from logits and targets (..., K)."""
    terms = _with_complement(target, multilabel) * log_probabilities(logits, multilabel)
    return -(terms.sum(dim=(-1, -2)) if multilabel else terms.sum(dim=-1))


def likelihood_loss(logits: Tensor, target: Tensor, weight: Tensor, multilabel: bool) -> Tensor:
    """The mean over rows of their weighted cross-entropy."""
    return (weight * cross_entropy(logits, target, multilabel)).mean()


def multitask_loss(
    logits: Tensor, soft: Tensor, majority: Tensor, weight: Tensor, multilabel: bool
) -> Tensor:
    """The loss of SLMV from logits (B, 2, K): SL's for the first head, MV's for the second."""
    first = likelihood_loss(logits[:, 0], soft, weight, multilabel)
    return first + likelihood_loss(logits[:, 1], majority, weight, multilabel)


def _entropy(shares: Tensor) -> Tensor:
    """The entropy of the last axis, in nats."""
    return torch.special.entr(shares.clamp_min(TINY)).sum(dim=-1)


def jsd_loss(logits: Tensor, target: Tensor, multilabel: bool) -> Tensor:
    """The mean Jensen-Shannon divergence in bits."""
    log_predicted = log_probabilities(logits, multilabel)
    predicted = log_predicted.exp()
    true = _with_complement(target, multilabel)
    of_predicted = -(predicted * log_predicted).sum(dim=-1)
    found = _entropy((true + predicted) / 2) - (_entropy(true) + of_predicted) / 2
    return found.mean() / torch.log(torch.tensor(2.0, dtype=logits.dtype, device=logits.device))


def soft_micro_f1_loss(logits: Tensor, target: Tensor, multilabel: bool) -> Tensor:
    """1 less soft micro F1, which is 1 less soft accuracy where rows have one class."""
    predicted = probabilities(logits, multilabel)
    common = torch.minimum(predicted, target).sum()
    if not multilabel:
        return 1 - common / len(target)
    return 1 - 2 * common / (predicted + target).sum()


def soft_macro_f1_loss(logits: Tensor, target: Tensor, multilabel: bool) -> Tensor:
    """1 less soft macro F1; a class that is neither given nor predicted counts as 0."""
    predicted = probabilities(logits, multilabel)
    common = torch.minimum(predicted, target).sum(dim=0)
    whole = (predicted + target).sum(dim=0)
    return 1 - (2 * common / whole.clamp_min(TINY)).mean()


def aggregated_loss(
    logits: Tensor, chosen: Tensor, present: Tensor, largest: bool, multilabel: bool
) -> Tensor:
    """The mean over items of the least, or the largest, cross-entropy of their annotations.

    `chosen` (B, J, K) is what each annotation chose, `present` (B, J) whether there is one; each
    item has at least one.
    """
    each = cross_entropy(logits[:, None].expand_as(chosen), chosen, multilabel)
    if largest:
        return each.masked_fill(~present, -torch.inf).amax(dim=1).mean()
    return each.masked_fill(~present, torch.inf).amin(dim=1).mean()


def ensemble_loss(logits: Tensor, chosen: Tensor, count: Tensor, multilabel: bool) -> Tensor:
    """The loss of AE and AEh: the mean cross-entropy of annotations by their annotators' heads.

    `logits` (B, J, K) are of the head of each annotation's annotator, `count` (B, J) is 1 where
    there is an annotation, else 0.
    """
    return (count * cross_entropy(logits, chosen, multilabel)).sum() / count.sum()


def vote_of_predictions(predicted: Tensor, multilabel: bool) -> Tensor:
    """AEh's prediction, the shares of the heads' likeliest labels: (..., K) from (..., A, K).

    Of equally likely classes a head votes for the first; where items may have several, for those
    above one half.
    """
    if multilabel:
        return (predicted > 0.5).to(predicted.dtype).mean(dim=-2)
    votes = functional.one_hot(predicted.argmax(dim=-1), predicted.shape[-1])
    return votes.to(predicted.dtype).mean(dim=-2)


class LinearHeads(nn.Module):
    """H linear maps of features (B, D) to logits of K classes."""

    def __init__(self, heads: int, width: int, classes: int, generator: torch.Generator) -> None:
        super().__init__()
        weight = torch.empty(heads, classes, width).uniform_(-1, 1, generator=generator)
        self.weight = nn.Parameter(weight / width**0.5)
        self.bias = nn.Parameter(torch.zeros(heads, classes))

    def forward(self, features: Tensor) -> Tensor:
        """The logits of all heads: (B, H, K)."""
        heads, classes, width = self.weight.shape
        flat = self.weight.reshape(heads * classes, width)
        found = nn.functional.linear(features, flat, self.bias.reshape(-1))
        return found.reshape(-1, heads, classes)

    def of_annotators(self, features: Tensor, annotator: Tensor) -> Tensor:
        """The logits of chosen heads: (B, J, K) for heads (B, J).

        With hundreds of annotators and a few annotations an item, this is most of what AE saves.
        """
        chosen = self.weight[annotator]
        return torch.einsum("bd,bjkd->bjk", features, chosen) + self.bias[annotator]


@dataclass(frozen=True)
class Optimisation:
    """How a model is trained: by Adam with a learning rate that falls linearly to 0 over all steps,
    after a warm-up where one is asked for; batches in a new random order each epoch.
    """

    epochs: int
    batch_size: int
    learning_rate: float  # at the start
    warmup: float = 0.0  # share of the steps over which the rate first rises from 0
    each: bool = False  # ReL has a row for each of several equal annotations
    trials: int = 0  # of a random search, within these bounds of the rate and among these sizes
    learning_rates: tuple[float, float] = (1e-4, 1e-1)
    batch_sizes: tuple[int, ...] = (8, 16, 32, 64, 128)


class FrozenFeatures(nn.Module):
    """Features (N, D) that were computed before; a row's are looked up by its item."""

    def __init__(self, features: np.ndarray) -> None:
        super().__init__()
        self.values: Tensor
        self.register_buffer("values", torch.as_tensor(features, dtype=torch.float32))
        self.width = int(features.shape[1])

    def forward(self, item: Tensor) -> Tensor:
        """The features of items (B,): (B, D)."""
        return self.values[item]


def _loss(
    method: str, rows: TrainingSet, heads: LinearHeads, multilabel: bool, device: str
) -> Callable[[Tensor, Tensor], Tensor]:
    """The method's loss of the features (B, D) of some rows, and their places (B,)."""

    def tensor(values: np.ndarray, kind: torch.dtype = torch.float32) -> Tensor:
        return torch.as_tensor(values, dtype=kind, device=device)

    if method in ("AE", "AEh", "LA-min", "LA-max"):
        assert rows.annotations is not None
        chosen, number = tensor(rows.annotations.chosen), tensor(rows.annotations.number)
        annotator = tensor(rows.annotations.annotator, torch.long)
        if method in ("AE", "AEh"):
            return lambda features, at: ensemble_loss(
                heads.of_annotators(features, annotator[at]), chosen[at], number[at], multilabel
            )
        return lambda features, at: aggregated_loss(
            heads(features)[:, 0], chosen[at], number[at] > 0, method == "LA-max", multilabel
        )
    target, weight = tensor(rows.target), tensor(rows.weight)
    if method == "SLMV":
        assert rows.second is not None
        second = tensor(rows.second)
        return lambda features, at: multitask_loss(
            heads(features), target[at], second[at], weight[at], multilabel
        )
    # Methods whose loss is 1 less a metric; the other losses are cross-entropies.
    metric = {"JSD": jsd_loss, "SmF1": soft_micro_f1_loss, "SMF1": soft_macro_f1_loss}.get(method)
    if metric:
        return lambda features, at: metric(heads(features)[:, 0], target[at], multilabel)
    return lambda features, at: likelihood_loss(
        heads(features)[:, 0], target[at], weight[at], multilabel
    )


@dataclass(frozen=True, eq=False)
class Trained:
    """A trained model: heads on top of an encoder, positions of items -> features."""

    method: str
    multilabel: bool
    encoder: nn.Module
    heads: LinearHeads

    def predict(self, items: np.ndarray) -> np.ndarray:
        """Q, (n, K), of items by their positions in the encoder's texts: of AE the mean over all
        heads, of AEh the shares of their likeliest labels, of SLMV the soft head's.
        """
        parts = []
        self.encoder.eval()
        with torch.no_grad():
            at = torch.as_tensor(np.asarray(items), dtype=torch.long)
            # Items of a fine-tuned encoder, or of hundreds of heads, need memory.
            for part in at.to(self.heads.weight.device).split(256):
                logits = self.heads(self.encoder(part)).double()
                predicted = probabilities(logits, self.multilabel)
                if self.method == "AE":
                    parts.append(predicted.mean(dim=-2))
                elif self.method == "AEh":
                    parts.append(vote_of_predictions(predicted, self.multilabel))
                else:
                    parts.append(predicted[:, 0])
        return np.asarray(torch.cat(parts).cpu().numpy())


def torch_generator(rng: np.random.Generator) -> torch.Generator:
    """Make a generator of PyTorch, on the CPU, seeded by NumPy's."""
    return torch.Generator().manual_seed(int(rng.integers(2**62)))


def _rate(step: int, steps: int, warmup: float) -> float:
    """The share of the learning rate at a step: up over the warm-up, then down to 0."""
    rising = int(warmup * steps)
    if step < rising:
        return (step + 1) / rising
    return (steps - step) / max(steps - rising, 1)


def train(
    method: str, judged: Judged, encoder: nn.Module, how: Optimisation, rng: np.random.Generator,
    at: np.ndarray | None = None,
) -> Trained:  # fmt: skip
    """Train a model by a method on the annotations of the training items.

    The encoder turns positions of items (B,) into features (B, `encoder.width`); those of its
    parameters that require a gradient are trained too. `at` (N,) are positions of the training
    items in its texts; 0 to N - 1 where not given. `rng` gives the seeds of the heads' first values
    and of the order of rows. Annotations that the method does not allow are an InputError.
    """
    # An annotator without any training item has no model of their own.
    judged = judged.of_present_annotators()
    rows = training_set(method, judged, how.each)
    device = next((str(one.device) for one in encoder.parameters()), "cpu")
    generator = torch_generator(rng)
    count = {"AE": judged.annotators, "AEh": judged.annotators, "SLMV": 2}.get(method, 1)
    heads = LinearHeads(count, int(encoder.width), judged.classes, generator).to(device)
    place = torch.arange(judged.items) if at is None else torch.as_tensor(at, dtype=torch.long)
    item = place[torch.as_tensor(rows.item, dtype=torch.long)].to(device)
    loss = _loss(method, rows, heads, judged.multilabel, device)
    trained = [one for one in [*heads.parameters(), *encoder.parameters()] if one.requires_grad]
    # An encoder's dropout draws from PyTorch's own state, which is put back afterwards.
    with torch.random.fork_rng():
        torch.manual_seed(int(rng.integers(2**62)))
        fused = all(one.is_floating_point() for one in trained)
        optimiser = torch.optim.Adam(trained, lr=how.learning_rate, fused=fused)
        steps, step = how.epochs * -(-len(item) // how.batch_size), 0
        encoder.train()
        for _ in range(how.epochs):
            order = torch.randperm(len(item), generator=generator).to(device)
            for batch in order.split(how.batch_size):
                for group in optimiser.param_groups:
                    group["lr"] = how.learning_rate * _rate(step, steps, how.warmup)
                optimiser.zero_grad()
                value = loss(encoder(item[batch]), batch)
                value.backward()  # type: ignore[no-untyped-call]
                optimiser.step()
                step += 1
    return Trained(method, judged.multilabel, encoder, heads)


EncoderOf = Callable[[Split], nn.Module]
"""The encoder of a split: a new one each time where it learns from training texts."""


class Run(NamedTuple):
    """What a run of the study gives: scores and predictions of the test items, errors of shares.

    `share_error` is the largest difference, over classes, of a class's mean prediction from its
    mean share in what people chose, of the items tested; `train_share_error` the same of the items
    trained on, those of all splits together. Where a likelihood of the people's shares is at its
    maximum, that is 0, as its derivative by the constant term is; a larger one says that training
    stopped before the maximum.
    """

    scores: dict[str, Score]
    how: Optimisation
    predicted: np.ndarray  # (N, K) Q of the items tested
    share_error: float
    train_share_error: float


def search(
    method: str, data: Prepared, encoder_of: EncoderOf, how: Optimisation, rng: np.random.Generator
) -> Optimisation:
    """Choose learning rate and batch size on the development items of the first split; `how` itself
    where nothing is tried.
    """
    split, best, best_how = data.splits()[0], -1.0, how
    true, judged = data.judged.shares()[split.development], data.judged.of_items(split.fitting)
    low, high = np.log(how.learning_rates)
    for _ in range(how.trials):
        rate, size = float(np.exp(rng.uniform(low, high))), int(rng.choice(how.batch_sizes))
        tried = replace(how, learning_rate=rate, batch_size=size)
        model = train(method, judged, encoder_of(split), tried, rng, split.fitting)
        predicted = model.predict(split.development)
        mean = geometric_mean(score(true, predicted, data.judged.multilabel))
        if mean > best:
            best, best_how = mean, tried
    return best_how


def run(
    method: str, data: Prepared, encoder_of: EncoderOf, how: Optimisation, rng: np.random.Generator
) -> Run:
    """Train by a method, with a search where one is asked for, and score the test predictions."""
    chosen, splits = search(method, data, encoder_of, how, rng), data.splits()
    tested, trained = [], []
    for split in splits:
        judged = data.judged.of_items(split.training)
        model = train(method, judged, encoder_of(split), chosen, rng, split.training)
        tested.append(model.predict(split.test))
        trained.append(model.predict(split.training))
    shares = data.judged.shares()
    predicted, true = np.concatenate(tested), shares[np.concatenate([one.test for one in splits])]
    trained_shares = shares[np.concatenate([one.training for one in splits])].mean(axis=0)
    return Run(
        score(true, predicted, data.judged.multilabel),
        chosen,
        predicted,
        float(np.abs(predicted.mean(axis=0) - true.mean(axis=0)).max()),
        float(np.abs(np.concatenate(trained).mean(axis=0) - trained_shares).max()),
    )
