"""How narrow intervals that gold labels correct can be, for any prediction of the labels.

No prediction of a label does better than P(Y = 1 | votes, scores). With i_Y what an item adds to a
metric by its label, and i_g by that probability, the standard error from n_E of n items relative to
that of gold alone is, for large samples (`inference.rectified`, lambda = 1),

    sqrt([(1 - f) var(i_Y - i_g) + f var(i_Y)] / var(i_Y))        f = n_E / n

The probability is learnt from many labelled items of the simulator (`models.logistic`).
What it misses makes the ratio too large, not too small.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.experiment import settings
from crowdgold.experiment.population import SIZES, TRUTH_OF, asks_for_population
from crowdgold.inference.estimate import Questions, View
from crowdgold.inference.rectified import centred_influence
from crowdgold.methods.needs import MOST_JUDGES
from crowdgold.metrics.binary import parse_metric
from crowdgold.models.logistic import best_prediction
from crowdgold.simulate import simulate
from crowdgold.types.errors import InputError
from crowdgold.types.items import Items

LEAST = ["experiment", "n_gold", "metric", "least_ratio"]
ITEMS_LEARNT = 200_000
"""Labelled items that the probability is learnt from, and variances are taken over."""


def least_ratios(items: Items, metrics: Sequence[str], fraction: float) -> dict[str, float]:
    """Metric -> the least ratio of standard errors, from many items whose labels are all known.

    `fraction` is the share of the items that have gold labels in a study.
    """
    if items.truth is None:
        raise InputError("the least width needs items whose true labels are known")
    prediction = best_prediction(items, items.truth)
    ratios = {}
    for metric in map(parse_metric, metrics):
        question = Questions((metric.of_one,))
        views = [View(items, name) for name in metric.predictors(items)]
        sides = (
            [centred_influence(question, view, given) for view in views]
            for given in (items.truth, prediction)
        )
        labels, guess = (own[0] - own[1] if metric.is_difference else own[0] for own in sides)
        whole, left = labels.var(), (labels - guess).var()
        ratios[metric.text] = float(np.sqrt((1 - fraction) * left / whole + fraction))
    return ratios


def least_widths(
    experiments: Iterable[tuple[str, Mapping[str, Any]]], seed: int, n_gold: int
) -> pd.DataFrame:
    """The least ratio of each experiment (name, block) and metric, with a number of gold labels.

    Left out are experiments of a dataset, whose few thousand items are too few to learn the
    probability, and those of few named judges, where a prediction can use who voted.
    """
    rows = []
    for name, block in experiments:
        parameters = block["parameters"]
        if "simulator" not in block or not asks_for_population(parameters):
            continue
        process = {key: value for key, value in parameters.items() if key not in (*SIZES, TRUTH_OF)}
        rng = settings.generator(seed, name, "least", 0, "population")
        study = {**process, "n": ITEMS_LEARNT, "n_gold": 0}
        drawn = simulate(block["simulator"], study, rng).reference
        if not isinstance(drawn, Items):
            raise InputError(f"{name}: {block['simulator']} gives labels of annotators")
        if drawn.labels is not None and len(drawn.labels.annotator) <= MOST_JUDGES:
            continue  # who voted says more than how many did
        ratios = least_ratios(drawn, block["metrics"], n_gold / parameters["n"])
        rows += [(name, n_gold, metric, ratio) for metric, ratio in ratios.items()]
    return pd.DataFrame(rows, columns=LEAST)
