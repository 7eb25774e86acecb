"""Coverage of intervals about a population of clusters of items that are alike, in small.

Gold is drawn by whole clusters, one by one, or in two batches of single items, the second guided by
the labels of the first. The predictions are logistic-R's, and one that is wrong on purpose. The
control is the same study without its column `cluster`, whose intervals must be too short.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import binom, norm
from test_designed_coverage import DEVIATIONS, IRT, MODELS, only_what_gold_shows, wrong

from crowdgold.inference.design import Clustered
from crowdgold.inference.labels import evaluate
from crowdgold.methods.registry import fit
from crowdgold.metrics.binary import parse_metric, true_value
from crowdgold.planning.batch import next_batch, with_labels
from crowdgold.simulate import simulate
from crowdgold.simulate.design import CLUSTERS, SIMPLE, draw_gold
from crowdgold.types.items import NO_GOLD
from unit.reference import make_items

METRICS = [
    "prevalence", "TNR_H", "TPR_H", "AUC", "accuracy@1", "precision@1", "recall@1", "delta_TPR",
    "delta_AUC",
]  # fmt: skip
BATCHES = "batches"
WORLDS = {
    "answers to a prompt, all of them labelled": (CLUSTERS, 300, 10, 0.5),
    "posts of an author, labelled one by one": (SIMPLE, 300, 50, 0.3),
    "answers to a prompt, in batches": (BATCHES, 300, 10, 0.5),
    "posts of an author, in batches": (BATCHES, 300, 50, 0.5),
}
"""How gold is drawn, how much of it, items of a cluster and how far they are alike."""
REPLICATES = 150


def replicate_of(world, seed, n=2000):
    """A table of a world that knows its truth, without gold."""
    _, _, size, correlation = WORLDS[world]
    values = {
        "n": n, "n_gold": 0, "votes_total": 3, "phi": 0.3, "predictors": MODELS, **IRT,
        "voters_seed": 1, "cluster_size": size, "cluster_correlation": correlation,
    }  # fmt: skip
    return simulate("irt", values, np.random.default_rng([55, seed])).table


def drawn(items, design, n_gold, seed):
    """The items with gold labels."""
    if design != BATCHES:
        return draw_gold(items, design, n_gold, np.random.default_rng(seed))
    asked = [parse_metric(one) for one in METRICS[:4]]
    for number in (n_gold // 3, n_gold - n_gold // 3):
        items = with_labels(items, next_batch(items, asked, number, seed[-1]))
    return items


def covered(world, with_clusters=True, replicates=REPLICATES):
    """How often intervals hold the truth: (predictions, metrics), and of how many."""
    population = replicate_of(world, 1_000_000, 1_000_000)
    truth = [true_value(metric, population) for metric in METRICS]
    held, known = np.zeros((2, len(METRICS))), np.zeros((2, len(METRICS)))
    for seed in range(replicates):
        design, n_gold, *_ = WORLDS[world]
        items = drawn(replicate_of(world, seed), design, n_gold, [56, seed])
        if not with_clusters:
            items = replace(items, cluster=None)
        rng = np.random.default_rng(1)
        for place, fitted in enumerate((fit("logistic-R", items, rng), wrong(items))):
            found = evaluate(fitted, items, METRICS, rng)
            held[place] += [e.lower <= one <= e.upper for e, one in zip(found, truth, strict=True)]
            known[place] += [np.isfinite(e.lower) for e in found]
    return held, known


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
def test_every_metric_covers_whatever_the_prediction(world):
    """150 replicates: each of 18 coverages is at least .90 less 3.5 binomial deviations, as near
    as so few can tell, and of all together at least .93 and at most .98."""
    held, known = covered(world)
    assert known.min() > 0.9 * REPLICATES
    least = binom.ppf(norm.sf(DEVIATIONS), known.astype(int), 0.90)
    assert np.all(held >= least), np.round(held / known, 3)
    assert 0.93 <= held.sum() / known.sum() <= 0.98


@pytest.mark.parametrize("world", WORLDS)
def test_items_that_are_alike_and_are_not_said_to_be_do_not_cover(world):
    """The control, 60 replicates: prevalence, TPR_H and TNR_H with a prediction cover less than .9
    together, where 180 intervals of coverage .95 do so once in 500 times."""
    held, known = covered(world, with_clusters=False, replicates=60)
    assert held[0, :3].sum() / known[0, :3].sum() < 0.9


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("target", ["population", "items"])
def test_the_error_is_the_spread_of_the_estimates(world, target, monkeypatch):
    """300 studies: the mean squared error of prevalence and TNR_H from gold, and corrected, is the
    mean squared standard error that gold shows, within 3.5 standard errors of a variance (30 %).
    What is expected and the imagined label, that come on top, are left out."""
    only_what_gold_shows(monkeypatch)
    metrics, found = ["prevalence", "TNR_H"], []
    population = replicate_of(world, 1_000_000, 1_000_000)
    truth = [true_value(metric, population) for metric in metrics]
    design, n_gold, *_ = WORLDS[world]
    for seed in range(300):
        base, rng = replicate_of(world, seed, 1000), np.random.default_rng(1)
        items = drawn(base, design, n_gold, [57, seed])
        if target == "items":
            truth = [true_value(metric, base) for metric in metrics]
        estimates = [
            evaluate(fit(method, items, rng), items, metrics, rng, target=target)
            for method in ("GT", "logistic-R")
        ]
        found.append(
            [
                [((e.estimate - one) ** 2, e.standard_error**2) for e, one in
                 zip(own, truth, strict=True)]
                for own in estimates
            ]
        )  # fmt: skip
    squared, expected = np.moveaxis(np.array(found).mean(axis=0), -1, 0)
    np.testing.assert_allclose(expected / squared, 1, atol=0.3)


SIZED = ["prevalence", "TPR_H", "TNR_H", "accuracy@0.5", "precision@0.5", "recall@0.5"]


def of_all_sizes(clusters, rng, drawn=None):
    """Items of clusters of 5 to 200 items, most of them small: what a cluster's items share decides
    their labels, their scores and how judges err."""
    sizes = np.minimum(np.ceil(4 * rng.pareto(1.3, clusters) + 1), 200).astype(int)
    cluster = np.repeat(np.arange(clusters), sizes)
    easy, hard = rng.standard_normal((2, clusters))[:, cluster]
    truth = (rng.random(len(cluster)) < expit(1.2 * (easy - 1))).astype(int)
    scores = expit(4 * (truth - 0.5) + 1.4 * hard + 2 * rng.standard_normal(len(cluster)))
    votes = rng.binomial(3, expit(np.where(truth == 1, 1.3, -1.8) + 0.7 * hard))
    items = replace(make_items(votes, 3, NO_GOLD, scores, truth=truth), cluster=cluster)
    return items if drawn is None else items.with_gold(cluster < drawn)


def test_whole_clusters_of_very_unequal_sizes_cover(monkeypatch):
    """30 of 110 clusters, 150 studies, six metrics and two methods. Intervals of one study go
    together, so that the error of the share that holds the truth is that of the studies' shares,
    some .009: at least .91 do, two errors below .93. Control, on the same studies: without what a
    large cluster pulls to itself fewer do, by .02 at least and by 3.5 errors of the difference."""
    population = of_all_sizes(40_000, np.random.default_rng(9))
    truth = [true_value(metric, population) for metric in SIZED]

    def share_held():
        held = []
        for seed in range(150):
            own = []
            items = of_all_sizes(110, np.random.default_rng([59, seed]), drawn=30)
            for method in ("GT", "logistic-R"):
                rng = np.random.default_rng(1)
                found = evaluate(fit(method, items, rng), items, SIZED, rng)
                own += [e.lower <= one <= e.upper for e, one in zip(found, truth, strict=True)]
            held.append(np.mean(own))
        return np.array(held)

    with_pull = share_held()
    monkeypatch.setattr(Clustered, "_pull", property(lambda self: np.ones(self.clusters.size)))
    assert with_pull.mean() >= 0.91
    fewer = with_pull - share_held()
    assert fewer.mean() > max(0.02, DEVIATIONS * fewer.std(ddof=1) / np.sqrt(len(fewer)))
