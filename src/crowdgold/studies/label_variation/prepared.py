"""A prepared dataset of judged texts as arrays: texts, annotations, and what is trained on."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from crowdgold.data.errors import InputError
from crowdgold.data.judged_texts import DEV, TABLE_4, TEST, TRAIN, JudgedTexts
from crowdgold.data.parameters import unknown
from crowdgold.studies.label_variation.encoders import Texts
from crowdgold.studies.label_variation.judgements import Judged

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
        frame: its prepared table (`crowdgold.data.judged_texts`).
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
