"""Coverage of rectified intervals, in small; `make validate` does it with MAVEN and more worlds.

The prediction is the share of positive votes, which is biased in both worlds: nothing but the
correction by the gold labels can make its intervals cover.
"""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from crowdgold.experiment.summaries import summarise
from crowdgold.inference.design import SimpleRandom
from crowdgold.inference.estimate import Questions, View
from crowdgold.inference.labels import evaluate
from crowdgold.inference.rectified import of_labels
from crowdgold.methods.registry import fit
from crowdgold.metrics import influence
from crowdgold.metrics.binary import parse_metric, true_value
from crowdgold.simulate import simulate
from unit.reference import Theta, algorithm_1, make_items

METRICS = [
    "prevalence", "TNR_H", "TPR_H", "AUC", "delta_TPR", "delta_AUC", "accuracy@1", "precision@1",
    "recall@1", "precision_at_recall@0.5",
]  # fmt: skip
REPLICATES = 150
WORLDS = {
    "maven": {
        "phi": 0.3, "a0": 0.2, "a1": 0.6, "d0": 1.5, "d1": 1.5,
        "predictors": {"A": {"mu": 1.0, "delta": 1.0}, "B": {"mu": 0.5, "delta": 2.0}},
    },
    "irt": {
        "phi": 0.2, "mu_s": 3.0, "sigma_s": 2.0, "mu_d": 0.5, "sigma_d": 2.0, "offset": -1.0,
        "n_voters": 100,
        "predictors": {"A": {"mu": 1.5, "delta": 1.0}, "B": {"mu": 0.75, "delta": 3.0}},
    },
}  # fmt: skip


def estimates(world, methods, metrics, replicates=REPLICATES):
    """Estimate every replicate of 1,000 items, 200 of them gold."""
    rows = []
    for replicate in range(replicates):
        parameters = {"n": 1000, "n_gold": 200, "votes_total": 3, **WORLDS[world]}
        items = simulate(world, parameters, np.random.default_rng([31, replicate])).table
        for method in methods:
            rng = np.random.default_rng([32, replicate])
            fitted = fit(method, items, rng)
            rows += [
                {"experiment": world, "method": method, "metric": e.metric, "replicate": replicate,
                 "truth": true_value(e.metric, items), "estimate": e.estimate, "lower": e.lower,
                 "upper": e.upper, "standard_error": e.standard_error,
                 "diagnostics_passed": True}
                for e in evaluate(fitted, items, metrics, rng, target="items")
            ]  # fmt: skip
    return summarise(pd.DataFrame(rows), []).set_index("metric")


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
def test_every_metric_covers_with_200_gold_items(world):
    """150 replicates: each coverage in the two-sided binomial band at 3.5 deviations, which 20
    calibrated coverages leave once in 100 runs. A metric that covers 0.80 is found out with
    probability 0.98."""
    found = estimates(world, ["votes-R"], METRICS)
    assert found["intervals"].tolist() == [REPLICATES] * len(METRICS)
    inside = (found["band_low"] <= found["coverage"]) & (found["coverage"] <= found["band_high"])
    assert inside.all(), found.loc[~inside, "coverage"]


@pytest.mark.parametrize("world", WORLDS)
def test_the_same_votes_without_the_correction_do_not_cover(world):
    """The control: the majority vote's intervals are below the same band."""
    metrics = ["TNR_H", "TPR_H", "AUC"]
    found = estimates(world, ["MV"], metrics)
    assert np.all(found["coverage"] < found["band_low"])


def test_maven_rectified_is_narrower_than_gold_alone(stan):
    """Six replicates of 1,500 items, 150 of them gold: the widths of the vote-side metrics fall by
    a fifth or more, and no mean width is above that of gold alone.

    Both rest on the same gold items, so that their widths move together; at most their places in
    the range differ, by which 4 % are allowed.
    """
    theta = Theta(0.3, (0.2, 0.6), (1.5, 1.5), 1.0, 1.0)
    settings = {"sampler": {"chains": 2, "warmup": 250, "draws": 100}}
    metrics = [name for name in METRICS if name != "delta_AUC"]
    width = {"GT": [], "MAVEN-R": []}
    for replicate in range(6):
        items = algorithm_1(theta, 1500, 3, 150, np.random.default_rng([33, replicate]))
        for method, found in width.items():
            rng = np.random.default_rng([34, replicate])
            fitted = fit(method, items, rng, settings if method == "MAVEN-R" else {}, stan)
            found.append(
                [e.upper - e.lower for e in evaluate(fitted, items, metrics, rng, target="items")]
            )
    ratio = dict(zip(metrics, np.mean(width["MAVEN-R"], 0) / np.mean(width["GT"], 0), strict=True))
    assert max(ratio.values()) < 1.04
    assert max(ratio["prevalence"], ratio["TNR_H"], ratio["TPR_H"]) < 0.8


def test_the_difference_of_two_auc_near_one_covers():
    """80 gold labels, 16 positives on average, models of AUC .995 and .967 whose scores correlate
    .3; 600 samples. Coverage is at least .95 less 3.5 binomial deviations, .919; without the two
    models' own intervals and one more label, the control, below: misses are on one side."""
    rng, questions = np.random.default_rng(35), Questions((parse_metric("AUC"),))
    truth = norm.cdf(3.6 / np.sqrt(2)) - norm.cdf(2.6 / np.sqrt(2))
    held = {True: 0, False: 0}
    named = questions.named.differences()
    for _ in range(600):
        y = (rng.random(80) < 0.2).astype(int)
        shared, own = rng.normal(size=80), rng.normal(size=(2, 80))
        noise = np.sqrt(0.3) * shared + np.sqrt(0.7) * own
        scores = {"A": 3.6 * y + noise[0], "B": 2.6 * y + noise[1]}
        items = make_items(y, np.ones(80, int), y, scores, truth=y)
        one, other = (of_labels(y, View(items, name), questions, "population") for name in "AB")
        difference = one.minus(other)
        for with_parts, kept in ((True, difference), (False, replace(difference, parts=()))):
            with pytest.MonkeyPatch.context() as patch:
                if not with_parts:
                    patch.setattr(SimpleRandom, "one_more", lambda self, own, *_, **__: 0 * own[0])
                (found,) = kept.estimates(named, 0.95)
            held[with_parts] += found.lower <= truth <= found.upper
    least = 0.95 - 3.5 * np.sqrt(0.95 * 0.05 / 600)
    assert held[True] / 600 >= least
    assert held[False] / 600 < least


def test_f1_of_a_rare_class_covers_and_has_an_answer():
    """500 gold labels, 1 % positives, a model that flags 17 % of the items and 70 % of the
    positives; 600 samples. Every sample has an answer, and coverage is at least .95 less 3.5
    binomial deviations, .919. The control, by the positives or flagged items where those are fewer:
    samples without an answer, and misses above the interval."""
    asked = parse_metric("F1@0.5")

    def fewer(labels, ranked, at, weights=None):
        both = (influence.positives, influence.flagged)
        return min(one(labels, ranked, at, weights) for one in both)

    old = replace(asked, metric=replace(asked.known, rests_on=fewer))
    truth, held = 2 * 0.007 / (0.17 + 0.01), {}
    for name, one in (("new", asked), ("old", old)):
        questions, held[name] = Questions((one,)), []
        for sample in range(600):
            rng = np.random.default_rng([36, sample])
            y = (rng.random(500) < 0.01).astype(int)
            flagged = rng.random(500) < np.where(y == 1, 0.7, 0.163 / 0.99)
            items = make_items(y, np.ones(500, int), y, {"A": flagged.astype(float)}, truth=y)
            known = of_labels(y, View(items, "A"), questions, "population")
            (found,) = known.estimates(questions.named, 0.95)
            held[name].append(bool(found.lower <= truth <= found.upper))
    least = 0.95 - 3.5 * np.sqrt(0.95 * 0.05 / 600)
    assert np.mean(held["new"]) >= least
    assert np.mean(held["old"]) < least
