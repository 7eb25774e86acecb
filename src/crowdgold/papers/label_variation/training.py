"""Training heads, and where it is asked for the encoder under them, by any method. Needs PyTorch.

Adam with a learning rate that falls linearly to 0 over all steps, after a warm-up where one is
asked for; batches in a new random order each epoch; every random number from generators that are
passed in. Frozen features are computed once, so that a step is a few small matrix products.

Heads on items' features, and the losses that train them (HLV, section 4). Needs PyTorch.

- cross-entropy: - sum_k T_ik log Q_ik; of several classes, that of each and its complement.
- JSD: mean_i JSD(P_i, Q_i) in bits; of several classes, mean_ik of [P, 1 - P] and [Q, 1 - Q].
- Soft accuracy: 1 - mean_i sum_k min(P_ik, Q_ik).
- Soft micro F1: 1 - 2 sum_ik min(P_ik, Q_ik) / sum_ik (P_ik + Q_ik).
- Soft macro F1: 1 - mean_k 2 sum_i min(P_ik, Q_ik) / sum_i (P_ik + Q_ik).
- LA-min, LA-max: mean_i of the least (most) cross-entropy of the item's annotations.

P are the people's shares, T is the target: P, the majority vote, or one annotation. Q is the
softmax of the logits, or, where an item may have several classes, their sigmoid. The sums over i
are those of a batch; over a whole set each of the three metrics is 1 less its loss
(`crowdgold.metrics.soft`, `.soft_multilabel`).
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from crowdgold.papers.label_variation.judgements import Judged, find_method
from crowdgold.papers.label_variation.training_sets import TrainingSet, training_set
from crowdgold.types.errors import InputError

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
    """The loss of SLMV: that of SL for the first head, of MV for the second.

    Args:
        logits: (B, 2, K).
        soft, majority: (B, K) targets of the two.
        weight: (B,) of rows.
        multilabel: whether rows may have several classes.
    """
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

    Args:
        logits: (B, K).
        chosen: (B, J, K) what each annotation chose.
        present: (B, J) whether there is one; each item has at least one.
        largest: LA-max, else LA-min.
        multilabel: whether an annotation may choose several classes.
    """
    each = cross_entropy(logits[:, None].expand_as(chosen), chosen, multilabel)
    if largest:
        return each.masked_fill(~present, -torch.inf).amax(dim=1).mean()
    return each.masked_fill(~present, torch.inf).amin(dim=1).mean()


def ensemble_loss(logits: Tensor, chosen: Tensor, count: Tensor, multilabel: bool) -> Tensor:
    """The loss of AE and AEh: the mean cross-entropy of annotations by their annotators'
    heads.

    Args:
        logits: (B, J, K) of the head of each annotation's annotator.
        chosen: (B, J, K) what each annotation chose.
        count: (B, J) 1 where there is an annotation, else 0.
        multilabel: whether an annotation may choose several classes.
    """
    return (count * cross_entropy(logits, chosen, multilabel)).sum() / count.sum()


def mean_prediction(predicted: Tensor) -> Tensor:
    """AE's prediction, the mean over the annotators' heads: (..., K) from (..., A, K)."""
    return predicted.mean(dim=-2)


def vote_of_predictions(predicted: Tensor, multilabel: bool) -> Tensor:
    """AEh's prediction, the shares of the heads' likeliest labels: (..., K) from (..., A, K).

    Of equally likely classes a head votes for the first; where items may have several, for those
    above one half.
    """
    if multilabel:
        return (predicted > 0.5).to(predicted.dtype).mean(dim=-2)
    votes = functional.one_hot(predicted.argmax(dim=-1), predicted.shape[-1])
    return votes.to(predicted.dtype).mean(dim=-2)


MULTITASK = 2
"""Heads of SLMV."""


def heads_of(method: str, annotators: int) -> int:
    """How many heads a method trains: one for each annotator, two for SLMV, else one."""
    if find_method(method).name in ("AE", "AEh"):
        return annotators
    return MULTITASK if method == "SLMV" else 1


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


PREDICTED_AT_ONCE = 256
"""Items; those of a fine-tuned encoder, or of hundreds of heads, need memory."""


@dataclass(frozen=True)
class Optimisation:
    """How a model is trained.

    Attributes:
        epochs: passes over the rows.
        batch_size: rows of a step.
        learning_rate: Adam's, at the start.
        warmup: share of the steps over which the rate first rises from 0.
        each: whether ReL has a row for each of several equal annotations.
    """

    epochs: int
    batch_size: int
    learning_rate: float
    warmup: float = 0.0
    each: bool = False

    def __post_init__(self) -> None:
        for name, value in (("epochs", self.epochs), ("batch_size", self.batch_size)):
            if value < 1:
                raise InputError(f"{name}: found {value}, expected 1 or more")
        if not 0 < self.learning_rate < float("inf"):
            raise InputError(f"learning_rate: found {self.learning_rate}, expected above 0")
        if not 0 <= self.warmup < 1:
            raise InputError(f"warmup: found {self.warmup}, expected from 0 to below 1")


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


class Batches:
    """The tensors of a training set, and the loss of some of its rows."""

    def __init__(self, method: str, rows: TrainingSet, multilabel: bool, device: str) -> None:
        self.method, self.multilabel = method, multilabel

        def tensor(values: np.ndarray | None, kind: torch.dtype = torch.float32) -> Tensor | None:
            return None if values is None else torch.as_tensor(values, dtype=kind, device=device)

        self.item = torch.as_tensor(rows.item, dtype=torch.long, device=device)
        self.target, self.weight = tensor(rows.target), tensor(rows.weight)
        self.second = tensor(rows.second)
        padded = rows.annotations
        self.chosen = tensor(padded.chosen if padded else None)
        self.number = tensor(padded.number if padded else None)
        self.annotator = tensor(padded.annotator if padded else None, torch.long)

    def loss(self, features: Tensor, heads: LinearHeads, at: Tensor) -> Tensor:
        """The method's loss of rows `at`, (B,), whose items have these features."""
        if self.method in ("AE", "AEh"):
            logits = heads.of_annotators(features, _of(self.annotator, at))
            return ensemble_loss(
                logits, _of(self.chosen, at), _of(self.number, at), self.multilabel
            )
        logits, target = heads(features), _of(self.target, at)
        if self.method == "SLMV":
            second, weight = _of(self.second, at), _of(self.weight, at)
            return multitask_loss(logits, target, second, weight, self.multilabel)
        logits = logits[:, 0]
        if self.method in METRIC_LOSSES:
            return METRIC_LOSSES[self.method](logits, target, self.multilabel)
        if self.method in ("LA-min", "LA-max"):
            chosen, present = _of(self.chosen, at), _of(self.number, at) > 0
            largest = self.method == "LA-max"
            return aggregated_loss(logits, chosen, present, largest, self.multilabel)
        return likelihood_loss(logits, target, _of(self.weight, at), self.multilabel)


METRIC_LOSSES = {
    "JSD": jsd_loss,
    "SmF1": soft_micro_f1_loss,
    "SMF1": soft_macro_f1_loss,
}
"""Methods whose loss is 1 less a metric; the other losses are cross-entropies."""


def _of(values: Tensor | None, at: Tensor) -> Tensor:
    if values is None:
        raise ValueError("this method's training set lacks what its loss needs")
    return values[at]


@dataclass(frozen=True, eq=False)
class Trained:
    """A trained model.

    Attributes:
        method: its short name.
        multilabel: whether items may have several classes.
        encoder: positions of items -> features.
        heads: on top of it.
    """

    method: str
    multilabel: bool
    encoder: nn.Module
    heads: LinearHeads

    def predict(self, items: np.ndarray) -> np.ndarray:
        """Predict the judgements of items, by their positions in the encoder's texts.

        Returns:
            Q, (n, K): of AE the mean over all heads, of AEh the shares of their likeliest labels,
            of SLMV the soft head's.
        """
        device = self.heads.weight.device
        found = []
        self.encoder.eval()
        with torch.no_grad():
            at = torch.as_tensor(np.asarray(items), dtype=torch.long, device=device)
            for part in at.split(PREDICTED_AT_ONCE):
                logits = self.heads(self.encoder(part)).double()
                predicted = probabilities(logits, self.multilabel)
                found.append(self._joined(predicted))
        return np.asarray(torch.cat(found).cpu().numpy())

    def _joined(self, predicted: Tensor) -> Tensor:
        if self.method == "AE":
            return mean_prediction(predicted)
        if self.method == "AEh":
            return vote_of_predictions(predicted, self.multilabel)
        return predicted[:, 0]


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
    method: str,
    judged: Judged,
    encoder: nn.Module,
    how: Optimisation,
    rng: np.random.Generator,
    at: np.ndarray | None = None,
) -> Trained:
    """Train a model by a method.

    Args:
        judged: annotations of the training items.
        encoder: positions of items (B,) -> features (B, `encoder.width`); those of its parameters
            that require a gradient are trained too.
        how: epochs, batch size, learning rate.
        rng: gives the seed of the heads' first values and of the order of rows.
        at: (N,) positions of the training items in the encoder's texts; 0 to N - 1 where not given.

    Raises:
        InputError: where the method is unknown, or these annotations do not allow it.
    """
    # An annotator without any training item has no model of their own.
    judged = judged.of_present_annotators()
    rows = training_set(method, judged, how.each)
    device = next((str(one.device) for one in encoder.parameters()), "cpu")
    generator = torch_generator(rng)
    count = heads_of(method, judged.annotators)
    heads = LinearHeads(count, int(encoder.width), judged.classes, generator).to(device)
    place = torch.arange(judged.items) if at is None else torch.as_tensor(at, dtype=torch.long)
    batches = Batches(method, rows, judged.multilabel, device)
    # An encoder's dropout draws from PyTorch's own state, which is put back afterwards.
    with torch.random.fork_rng():
        torch.manual_seed(int(rng.integers(2**62)))
        _optimise(batches, encoder, heads, place.to(device), how, generator)
    return Trained(method, judged.multilabel, encoder, heads)


def _optimise(
    batches: Batches,
    encoder: nn.Module,
    heads: LinearHeads,
    place: Tensor,
    how: Optimisation,
    generator: torch.Generator,
) -> None:
    """Take all steps."""
    trained = [one for one in [*heads.parameters(), *encoder.parameters()] if one.requires_grad]
    fused = all(one.is_floating_point() for one in trained)
    optimiser = torch.optim.Adam(trained, lr=how.learning_rate, fused=fused)
    rows = len(batches.item)
    steps = how.epochs * -(-rows // how.batch_size)
    step = 0
    encoder.train()
    for _ in range(how.epochs):
        order = torch.randperm(rows, generator=generator).to(batches.item.device)
        for at in order.split(how.batch_size):
            for group in optimiser.param_groups:
                group["lr"] = how.learning_rate * _rate(step, steps, how.warmup)
            optimiser.zero_grad()
            loss = batches.loss(encoder(place[batches.item[at]]), heads, at)
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            step += 1
