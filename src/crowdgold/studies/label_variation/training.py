"""Training heads, and where it is asked for the encoder under them, by any method. Needs PyTorch.

Adam with a learning rate that falls linearly to 0 over all steps, after a warm-up where one is
asked for; batches in a new random order each epoch; every random number from generators that are
passed in. Frozen features are computed once, so that a step is a few small matrix products.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from crowdgold.data.errors import InputError
from crowdgold.studies.label_variation import losses
from crowdgold.studies.label_variation.judgements import Judged
from crowdgold.studies.label_variation.losses import LinearHeads, heads_of
from crowdgold.studies.label_variation.training_sets import TrainingSet, training_set

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
            return losses.ensemble_loss(
                logits, _of(self.chosen, at), _of(self.number, at), self.multilabel
            )
        logits, target = heads(features), _of(self.target, at)
        if self.method == "SLMV":
            second, weight = _of(self.second, at), _of(self.weight, at)
            return losses.multitask_loss(logits, target, second, weight, self.multilabel)
        logits = logits[:, 0]
        if self.method in METRIC_LOSSES:
            return METRIC_LOSSES[self.method](logits, target, self.multilabel)
        if self.method in ("LA-min", "LA-max"):
            chosen, present = _of(self.chosen, at), _of(self.number, at) > 0
            largest = self.method == "LA-max"
            return losses.aggregated_loss(logits, chosen, present, largest, self.multilabel)
        return losses.likelihood_loss(logits, target, _of(self.weight, at), self.multilabel)


METRIC_LOSSES = {
    "JSD": losses.jsd_loss,
    "SmF1": losses.soft_micro_f1_loss,
    "SMF1": losses.soft_macro_f1_loss,
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
                predicted = losses.probabilities(logits, self.multilabel)
                found.append(self._joined(predicted))
        return np.asarray(torch.cat(found).cpu().numpy())

    def _joined(self, predicted: Tensor) -> Tensor:
        if self.method == "AE":
            return losses.mean_prediction(predicted)
        if self.method == "AEh":
            return losses.vote_of_predictions(predicted, self.multilabel)
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
