"""ChaosNLI's labels and model predictions, scored with every metric (HLV, table B.1).

The true judgements are the shares of the 100 labels. Models are fine-tuned on one label an item, as
the paper's baseline MV is, but on the whole of SNLI or MNLI. Beside them stand predictions that
need no model, the last three drawn from an item's own labels and held against those left:

    majority        all of the probability on the most frequent of the 100 labels
    prevalences     the classes' shares over all items, the same for each
    five labels     the shares of 5 of the labels
    majority of 5   all of the probability on their majority, ties at random
    fifty labels    the shares of 50 of the labels, held against those of the others
"""

import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import pandas as pd

from crowdgold.declared import Settings
from crowdgold.documents.markdown import markdown_table
from crowdgold.experiments.check import Check
from crowdgold.metrics.judgements import UndefinedMetricWarning
from crowdgold.metrics.soft import MULTICLASS, class_wise, one_hot

CLASSES = ("e", "n", "c")
CLASS_WISE = {"soft precision": "precision", "soft recall": "recall", "soft F1": "f1"}
"""Metrics of a class -> fields of `metrics.soft.ClassWise`."""
DRAWN = {"five labels": 5, "majority of 5": 5, "fifty labels": 50}


@dataclass(frozen=True, kw_only=True)
class SoftMetricScoresParameters(Settings):
    """ChaosNLI's labels and model predictions scored with every metric."""

    subset: Annotated[Literal["snli", "mnli_m"], "The items."]


class Prediction(NamedTuple):
    """A predictor, its training seed (0 where there is none), and P and Q, (N, K) each."""

    predictor: str
    seed: int
    true: np.ndarray
    predicted: np.ndarray


def model_names(dataset: pd.DataFrame) -> list[tuple[str, int]]:
    """(model, seed) of the predictions of a prepared ChaosNLI table."""
    columns = [str(name) for name in dataset.columns if str(name).endswith(f":{CLASSES[0]}")]
    return [(name.split(":")[0], int(name.split(":")[1])) for name in columns]


def _of_models(dataset: pd.DataFrame, shares: np.ndarray) -> Iterator[Prediction]:
    for model, seed in model_names(dataset):
        columns = [f"{model}:{seed}:{name}" for name in CLASSES]
        predicted = dataset[columns].to_numpy(dtype=float)
        known = np.isfinite(predicted).all(axis=1)
        if known.any():
            # Sources print ten digits; those of a row add to 1 but for rounding.
            rows = predicted[known] / predicted[known].sum(axis=1, keepdims=True)
            yield Prediction(model, seed, shares[known], rows)


def draw_labels(counts: np.ndarray, size: int, rng: np.random.Generator) -> np.ndarray:
    """Draw some of each item's labels without replacement: (N, K) counts from counts (N, K)."""
    drawn, left = np.zeros_like(counts), np.full(len(counts), size)
    for k in range(counts.shape[1]):
        others = counts[:, k + 1 :].sum(axis=1)
        drawn[:, k] = rng.hypergeometric(counts[:, k], others, left)
        left = left - drawn[:, k]
    return drawn


def _of_labels(counts: np.ndarray, rng: np.random.Generator) -> Iterator[Prediction]:
    total = counts.sum(axis=1, keepdims=True)
    shares = counts / total
    yield Prediction("majority", 0, shares, one_hot(shares))
    yield Prediction("prevalences", 0, shares, np.broadcast_to(shares.mean(axis=0), shares.shape))
    for name, size in DRAWN.items():
        drawn = draw_labels(counts, size, rng)
        left = (counts - drawn) / (total - size)
        ties = rng.random(drawn.shape) / 2
        chosen = one_hot(drawn + ties) if name == "majority of 5" else drawn / size
        yield Prediction(name, 0, left, chosen)


def check_soft_metric_scores(
    parameters: Mapping[str, Any], rng: np.random.Generator, dataset: pd.DataFrame
) -> pd.DataFrame:
    """Score all predictions of a subset of ChaosNLI.

    Args:
        parameters: `subset`, snli or mnli_m.
        rng: draws labels that stand for predictions.
        dataset: the prepared table of ChaosNLI.

    Returns:
        a row for each predictor, seed and metric: `value`, the number of `examples`, and `note`,
        why a value is undefined. Metrics of a class have a row for each `label`; of others the
        label is empty.
    """
    own = dataset[dataset["subset"] == parameters["subset"]]
    counts = own[[f"count_{name}" for name in CLASSES]].to_numpy(dtype=np.int64)
    shares = counts / counts.sum(axis=1, keepdims=True)
    rows = []
    for one in (*_of_models(own, shares), *_of_labels(counts, rng)):
        about = {"predictor": one.predictor, "seed": one.seed, "examples": len(one.true)}
        rows += [about | row for row in _scores(one)]
    return pd.DataFrame(rows)


def _scores(one: Prediction) -> Iterator[dict[str, Any]]:
    """Metric, label, value and note of each score of a prediction."""
    for metric, function in MULTICLASS.items():
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UndefinedMetricWarning)
            value = function(one.true, one.predicted)
        note = "; ".join(str(warning.message) for warning in caught)
        yield {"metric": metric, "label": "", "value": value, "note": note}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UndefinedMetricWarning)
        found = class_wise(one.true, one.predicted)
    note = "; ".join(str(warning.message) for warning in caught)
    for metric, field in CLASS_WISE.items():
        for label, value in zip(CLASSES, getattr(found, field), strict=True):
            yield {"metric": metric, "label": label, "value": float(value), "note": note}


CHECK = Check(
    "soft_metric_scores",
    check_soft_metric_scores,
    SoftMetricScoresParameters,
    dataset=lambda parameters: "chaosnli",
)


LABELS = {"e": "entailment", "n": "neutral", "c": "contradiction"}


def _cell(values: pd.Series) -> str:
    if not np.isfinite(values).any():
        return "undefined"
    mean = f"{values.mean():.3f}"
    return mean if len(values) == 1 else f"{mean} ± {values.std():.3f}"


def score_table(rows: pd.DataFrame, printed: Mapping[str, float] | None = None) -> str:
    """Lay out scores on a subset: a line a predictor, a column for each metric and class.

    Args:
        rows: those of the subset, over all classes or by class.
        printed: the paper's own MV, which then stands last, beside numbers of seeds and examples.
    """
    columns = list(dict.fromkeys(zip(rows["metric"], rows["label"], strict=True)))
    lines = []
    for predictor, own in rows.groupby("predictor", sort=False):
        by = own.groupby(["metric", "label"])["value"]
        sizes = [f"{own['seed'].nunique()}", f"{own['examples'].iloc[0]:,.0f}"]
        cells = [_cell(by.get_group(key)) for key in columns]
        lines.append([str(predictor), *(sizes if printed else []), *cells])
    heads = [f"{metric}, {LABELS[label]}" if label else metric for metric, label in columns]
    if printed is None:
        return markdown_table(["predictor", *heads], lines)
    known = [f"{printed[name]:.3f}" if name in printed else "" for name in heads]
    last = ["printed: MV, RoBERTa", "3", "", *known]
    return markdown_table(["predictor", "seeds", "examples", *heads], [*lines, last])
