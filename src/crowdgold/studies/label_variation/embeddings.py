"""Features of a frozen, pretrained encoder, kept on disk by encoder and checksum of the texts."""

import hashlib
import json
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from zipfile import BadZipFile

import numpy as np

from crowdgold.data.files import unfinished
from crowdgold.studies.label_variation.encoders import Encoder, Texts, find_encoder

Log = Callable[[str], None]


def checksum(encoder: Encoder, texts: Texts) -> str:
    """The sha256 of all that the features depend on: encoder, its version, and the texts."""
    version = metadata.version(encoder.source) if encoder.packaged else ""
    about = [encoder.name, encoder.source, version, encoder.pooling, encoder.normalise]
    about += [encoder.most_tokens, list(texts.first), list(texts.second)]
    return hashlib.sha256(json.dumps(about, ensure_ascii=False).encode()).hexdigest()


def _kept(path: Path, expected: str) -> np.ndarray | None:
    """Read features that are kept; None where there are none, or of other texts."""
    try:
        with np.load(path, allow_pickle=False) as kept:
            if str(kept["checksum"]) == expected:
                return np.asarray(kept["features"])
    except (OSError, ValueError, KeyError, BadZipFile, EOFError):
        return None
    return None


def embeddings(
    name: str, texts: Texts, path: Path, threads: int = 1, log: Log = print
) -> np.ndarray:
    """The features of texts by a frozen pretrained encoder, from disk where they are there.

    Args:
        name: of the encoder.
        path: the file that keeps them; it is written, or written anew where it holds others.
        log: takes a line on what is done.

    Raises:
        InputError: where the encoder is unknown, or its weights cannot be had.
    """
    encoder = find_encoder(name)
    expected = checksum(encoder, texts)
    if (found := _kept(path, expected)) is not None:
        return found
    from crowdgold.studies.label_variation import transformer_encoder  # here: PyTorch is optional

    log(f"{encoder.title}: reading {len(texts):,} texts (once; kept in {path})")
    tokenizer, model = transformer_encoder.load(encoder)
    with transformer_encoder.threads(threads):
        found = transformer_encoder.embed(tokenizer, model, encoder, texts)
    path.parent.mkdir(parents=True, exist_ok=True)
    with unfinished(path) as own, own.open("wb") as file:
        np.savez(file, features=found, checksum=np.array(expected))
    return found
