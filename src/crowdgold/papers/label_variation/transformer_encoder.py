"""Pretrained transformers as encoders, frozen or fine-tuned. Needs PyTorch and transformers.

One class for all of them: tokens in, the hidden states of the last layer pooled into the features
of a text. A model that is fine-tuned is one of the trainer's encoders (`training.train`): its
parameters require gradients, all of them or those of low-rank updates (LoRA, with peft).
"""

import importlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from crowdgold.papers.label_variation.encoders import Encoder, Texts, compare
from crowdgold.types.errors import InputError


@contextmanager
def threads(number: int) -> Iterator[None]:
    """Let PyTorch use so many threads for a while."""
    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def weights_of(encoder: Encoder) -> str:
    """What a model is loaded from: the folder in its package, or its name on the hub; an InputError
    where the package, or the model in it, is not there.
    """
    if not encoder.packaged:
        return encoder.source
    try:
        package = importlib.import_module(encoder.source)
    except ImportError as error:
        raise InputError(
            f"encoder {encoder.name}: the package {encoder.source} is not installed "
            "(`make hlv-packages` does it)"
        ) from error
    folders = sorted(
        {path.parent for path in Path(str(package.__file__)).parent.rglob("config.json")}
    )
    with_model = [folder for folder in folders if any(folder.glob("*.safetensors"))]
    if not with_model:
        raise InputError(f"encoder {encoder.name}: no model in the package {encoder.source}")
    return str(with_model[0])


def load(encoder: Encoder) -> tuple[Any, nn.Module]:
    """An encoder's tokenizer and model; an InputError where its weights cannot be had."""
    from transformers import AutoModel, AutoTokenizer  # here: loading it takes seconds

    source = weights_of(encoder)
    try:
        # Nothing is asked of the model hub for a model that a package brings.
        at_hand = {"local_files_only": encoder.packaged}
        tokenizer = AutoTokenizer.from_pretrained(source, **at_hand)
        return tokenizer, AutoModel.from_pretrained(source, **at_hand)
    except (OSError, ValueError) as error:
        raise InputError(
            f"encoder {encoder.name}: {source} cannot be loaded: {error}. It needs its weights in "
            "the cache of the model hub, or a network to fetch them"
        ) from error


class TransformerEncoder(nn.Module):
    """Items' texts, tokenized, under a transformer: positions (B,) -> features (B, `width`).

    A pair is read at once. The model gives `last_hidden_state`; where it is not `trained`, its
    parameters need no gradient.
    """

    def __init__(
        self, tokenizer: Any, model: nn.Module, encoder: Encoder, texts: Texts, trained: bool
    ) -> None:
        super().__init__()
        self.encoder, self.texts, self.tokenizer = encoder, texts, tokenizer
        if tokenizer.pad_token is None:
            tokenizer.pad_token = tokenizer.eos_token
        self.width = int(model.config.hidden_size)  # type: ignore[union-attr, arg-type]
        model.requires_grad_(trained)
        # Of length 1 features are too small for a head that learns at an encoder's rate.
        self.normalise = encoder.normalise and not trained
        self.model = with_low_rank_updates(model) if trained and encoder.lora else model

    def forward(self, item: Tensor) -> Tensor:
        """The features of items."""
        at = item.tolist()
        first = [self.texts.first[i] for i in at]
        second = [self.texts.second[i] for i in at] if self.texts.second else None
        tokens = self.tokenizer(
            first,
            second,
            padding=True,
            truncation=True,
            max_length=self.encoder.most_tokens,
            padding_side="right",
            return_tensors="pt",
        ).to(item.device)
        # Weights may come in half precision; heads are in single.
        hidden = self.model(**tokens).last_hidden_state.float()
        found = pool(hidden, tokens["attention_mask"], self.encoder.pooling)
        return nn.functional.normalize(found, dim=-1) if self.normalise else found


def pool(hidden: Tensor, mask: Tensor, how: str) -> Tensor:
    """The features of texts (B, D) from those of their tokens (B, T, D), those that fill up last:
    their `mean`, the `first`, or the `last` (of models that read from left to right). `mask` (B, T)
    is 1 for tokens of the text.
    """
    if how == "first":
        return hidden[:, 0]
    if how == "last":
        last = mask.sum(dim=1) - 1
        return hidden[torch.arange(len(hidden), device=hidden.device), last]
    if how == "mean":
        weight = mask[..., None].to(hidden.dtype)
        return (hidden * weight).sum(dim=1) / weight.sum(dim=1)
    raise InputError(f"pooling {how!r}; expected first, last or mean")


def with_low_rank_updates(model: nn.Module) -> nn.Module:
    """A model of which low-rank updates alone are trained, by peft's defaults."""
    from peft import LoraConfig, get_peft_model

    with torch.random.fork_rng():
        torch.manual_seed(0)
        adapted: nn.Module = get_peft_model(model, LoraConfig())
    return adapted


def find_device(wanted: str) -> str:
    """The device for an encoder that is trained: `auto` is a GPU where there is one. An InputError
    where a GPU is wanted, and PyTorch sees none.
    """
    seen = torch.cuda.is_available()
    if wanted == "cuda" and not seen:
        raise InputError(f"device {wanted}: PyTorch sees no GPU; auto takes the CPU then")
    return "cuda" if seen and wanted != "cpu" else "cpu"


def embed(tokenizer: Any, model: nn.Module, encoder: Encoder, texts: Texts) -> np.ndarray:
    """The features of texts, (N, D), or of pairs, (N, 4 D), by a frozen model."""
    if texts.second:
        alone = [Texts(list(one)) for one in (texts.first, texts.second)]
        return compare(*(embed(tokenizer, model, encoder, one) for one in alone))
    frozen = TransformerEncoder(tokenizer, model, encoder, texts, trained=False).eval()
    features = np.empty((len(texts), frozen.width), dtype=np.float32)
    # Texts of a like length need no filling up.
    order = np.argsort([len(text) for text in texts.first], kind="stable")
    with torch.no_grad():
        for at in (order[start : start + 64] for start in range(0, len(order), 64)):
            features[at] = frozen(torch.as_tensor(at)).numpy()
    return features
