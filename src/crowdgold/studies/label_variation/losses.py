"""Heads on items' features, and the losses that train them (HLV, section 4). Needs PyTorch.

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

import torch
from torch import Tensor, nn
from torch.nn import functional

from crowdgold.studies.label_variation.methods import find_method

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
