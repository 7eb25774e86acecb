"""Gold labels drawn by `crowdgold sample` against random ones: coverage, labels for equal width.

    python benchmarks/gold_where_it_counts.py "3 %" 300 [METRIC ...]

Two batches, 30 and 70 % of the gold labels, are drawn for all metrics together, or, with METRIC,
for each of these alone. A line a metric: how often intervals contain the truth, random and drawn;
the squared ratio of the errors, and of the widths. They are about the items at hand. `wrong` is a
prediction that takes items with more positive votes for less likely to be positive.
"""

import sys
from typing import Any

import numpy as np

from crowdgold.inference.labels import Fit, LabelPrediction, evaluate
from crowdgold.methods.registry import fit
from crowdgold.metrics.binary import parse_metric, true_value
from crowdgold.planning.batch import next_batch, with_labels
from crowdgold.simulate import simulate
from crowdgold.simulate.design import draw_labelled
from crowdgold.types.items import Items

METRICS = ["prevalence", "TPR_H", "TNR_H", "AUC", "precision@1", "recall@1"]
IRT = {"mu_s": 3.0, "sigma_s": 2.0, "mu_d": 0.5, "sigma_d": 2.0, "offset": -1.0, "n_voters": 100,
       "votes_total": 3, "n_gold": 0, "predictors": {"A": {"mu": 1.5, "delta": 1.0}}}  # fmt: skip
WORLDS = {"20 %": ({"phi": 0.2, "n": 2000}, 300), "3 %": ({"phi": 0.03, "n": 10000}, 400)}
"""Share of positive items -> the world, and gold labels."""
FIRST = 0.3


def wrong(items: Items) -> Fit:
    """A prediction that is wrong on purpose."""
    share = 1 - 0.8 * items.votes_positive / items.votes_total
    return Fit("wrong", LabelPrediction(dict.fromkeys(["", *items.predictors], share)))


def drawn(items: Items, metrics: list[str], n_gold: int, seed: int) -> Items:
    """The items with gold labels of two batches."""
    first = round(FIRST * n_gold)
    for n in (first, n_gold - first):
        items = with_labels(items, next_batch(items, [*map(parse_metric, metrics)], n, seed))
    return items


def replicate(world: str, number: int, metrics: list[str]) -> tuple[list[float], list[Any]]:
    """Truth (M,), and (prediction, sample, M, 3): estimates and the ends of their intervals."""
    parameters, n_gold = WORLDS[world]
    base = simulate("irt", IRT | parameters, np.random.default_rng([71, number])).table
    rng, found = np.random.default_rng([72, number]), []
    samples = (
        base.with_gold(draw_labelled(len(base), n_gold, rng)),
        drawn(base, metrics, n_gold, number),
    )
    for predict in (lambda items: fit("logistic-R", items, rng), wrong):
        estimates = [evaluate(predict(one), one, metrics, rng, target="items") for one in samples]
        found.append([[(e.estimate, e.lower, e.upper) for e in own] for own in estimates])
    return [true_value(one, base) for one in metrics], found


def measured(world: str, replicates: int, metrics: list[str]) -> tuple[np.ndarray, ...]:
    """Coverage (2, 2, M), and squared ratios of errors and of widths, (2, M) each."""
    every = [replicate(world, number, metrics) for number in range(replicates)]
    truth, found = (np.array(one) for one in zip(*every, strict=True))
    value, low, high = np.moveaxis(found, -1, 0)
    truth = truth[:, None, None]
    error, width = np.nanmean((value - truth) ** 2, axis=0), np.nanmean(high - low, axis=0)
    covered = ((low <= truth) & (truth <= high)).mean(axis=0)
    return covered, error[:, 1] / error[:, 0], (width[:, 1] / width[:, 0]) ** 2


if __name__ == "__main__":
    world, replicates, *alone = sys.argv[1:]
    for metrics in [[one] for one in alone] or [METRICS]:
        covered, error, width = measured(world, int(replicates), metrics)
        for place, name in enumerate(["logistic-R", "wrong"]):
            for column, metric in enumerate(metrics):
                at_random, by_design = covered[place, :, column]
                print(f"{name:12}{metric:13}coverage {at_random:.3f} {by_design:.3f}  share of "
                      f"labels {error[place, column]:.2f} {width[place, column]:.2f}")  # fmt: skip
