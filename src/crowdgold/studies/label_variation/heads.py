"""Linear heads on features of items, as many as a method needs. Needs PyTorch."""

import torch
from torch import Tensor, nn

from crowdgold.studies.label_variation.methods import find_method

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
