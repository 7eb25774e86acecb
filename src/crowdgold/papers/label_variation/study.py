"""A method trained and evaluated on a dataset: one run of the paper's study (HLV, section 5.1).

Where the dataset is cross-validated, the predictions of all folds are scored together. A search
tries learning rates and batch sizes at random on the development items of the first split, and
takes those with the best geometric mean of the metrics. Needs PyTorch.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import numpy as np
from torch import nn

from crowdgold.papers.label_variation.encoders import Prepared, Split
from crowdgold.papers.label_variation.judgements import Score, geometric_mean, score
from crowdgold.papers.label_variation.training import Optimisation, train

EncoderOf = Callable[[Split], nn.Module]
"""The encoder of a split: a new one each time where it learns from training texts."""


class Run(NamedTuple):
    """What a run gives.

    `share_error` is the largest difference, over classes, of a class's mean prediction from its
    mean share in what people chose, of the items tested; `train_share_error` the same of the items
    trained on, those of all splits together. At its maximum a likelihood of the people's shares has
    none, as its derivative by the constant term is zero; what there is says that training stopped
    before it was there.
    """

    scores: dict[str, Score]
    how: Optimisation
    predicted: np.ndarray  # (N, K) Q of the items tested
    share_error: float
    train_share_error: float


def search(
    method: str, data: Prepared, encoder_of: EncoderOf, how: Optimisation, rng: np.random.Generator
) -> Optimisation:
    """Choose learning rate and batch size on the development items of the first split; `how` itself
    where nothing is tried.
    """
    split, best, at_best = data.splits()[0], -1.0, how
    true, judged = data.judged.shares()[split.development], data.judged.of_items(split.fitting)
    low, high = np.log(how.learning_rates)
    for _ in range(how.trials):
        rate, size = float(np.exp(rng.uniform(low, high))), int(rng.choice(how.batch_sizes))
        one = replace(how, learning_rate=rate, batch_size=size)
        model = train(method, judged, encoder_of(split), one, rng, split.fitting)
        predicted = model.predict(split.development)
        mean = geometric_mean(score(true, predicted, data.judged.multilabel))
        if mean > best:
            best, at_best = mean, one
    return at_best


def run(
    method: str, data: Prepared, encoder_of: EncoderOf, how: Optimisation, rng: np.random.Generator
) -> Run:
    """Train by a method, with a search where one is asked for, and score the test predictions."""
    chosen, splits = search(method, data, encoder_of, how, rng), data.splits()
    tested, trained = [], []
    for split in splits:
        judged = data.judged.of_items(split.training)
        model = train(method, judged, encoder_of(split), chosen, rng, split.training)
        tested.append(model.predict(split.test))
        trained.append(model.predict(split.training))
    shares = data.judged.shares()
    predicted, true = np.concatenate(tested), shares[np.concatenate([one.test for one in splits])]
    of_trained = shares[np.concatenate([one.training for one in splits])].mean(axis=0)
    return Run(
        score(true, predicted, data.judged.multilabel),
        chosen,
        predicted,
        float(np.abs(predicted.mean(axis=0) - true.mean(axis=0)).max()),
        float(np.abs(np.concatenate(trained).mean(axis=0) - of_trained).max()),
    )
