"""Coverage of intervals from gold that was drawn by strata or one by one, in small.

The predictions are logistic-R's, and one that is wrong on purpose. The control is the same gold
without its chances, whose intervals must be too far off.
"""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom, norm

from crowdgold.inference import evaluate
from crowdgold.inference.labels import Fit, LabelPrediction
from crowdgold.methods import fit
from crowdgold.metrics import true_value
from crowdgold.simulate import simulate
from crowdgold.simulate.gold_sample import POISSON, STRATA, draw_gold

METRICS = [
    "prevalence", "TNR_H", "TPR_H", "AUC", "accuracy@1", "precision@1", "recall@1",
    "precision_at_recall@0.5", "delta_TPR", "delta_AUC",
]  # fmt: skip
MODELS = {"A": {"mu": 1.5, "delta": 1.0}, "B": {"mu": 1.0, "delta": 2.0}}
MAVEN = {"a0": 0.2, "a1": 0.6, "d0": 1.5, "d1": 1.5}
IRT = {"mu_s": 3.0, "sigma_s": 2.0, "mu_d": 0.5, "sigma_d": 2.0, "offset": -1.0, "n_voters": 100}
WORLDS = {
    "maven, 20 %": ("maven", {"phi": 0.2, **MAVEN}, 2000, 200),
    "irt, 20 %": ("irt", {"phi": 0.2, **IRT}, 2000, 200),
    "irt, 3 %": ("irt", {"phi": 0.03, **IRT}, 4000, 400),
}
REPLICATES = 150
DEVIATIONS = 3.5
"""Of the binomial distribution: 20 calibrated coverages leave such a band once in 100 runs."""


def table(world, replicate):
    """Items whose truth is known, and how many gold labels they are to have."""
    generator, parameters, n, n_gold = WORLDS[world]
    values = {"n": n, "n_gold": 0, "votes_total": 3, "predictors": MODELS, **parameters}
    return simulate(generator, values, np.random.default_rng([51, replicate])).table, n_gold


def wrong(items):
    """A prediction that takes items with more positive votes for less likely to be positive."""
    share = 1 - 0.8 * items.votes_positive / items.votes_total
    return Fit("wrong", LabelPrediction(dict.fromkeys(["", *items.predictors], share)))


def covered(world, design, weighed=True, replicates=REPLICATES):
    """How often intervals hold the truth: (predictions, metrics), and of how many."""
    held, known = np.zeros((2, len(METRICS))), np.zeros((2, len(METRICS)))
    for replicate in range(replicates):
        base, n_gold = table(world, replicate)
        items = draw_gold(base, design, n_gold, np.random.default_rng([52, replicate]))
        if not weighed:
            items = replace(items, draw=None)
        rng = np.random.default_rng(1)
        truth = [true_value(metric, base) for metric in METRICS]
        for place, fitted in enumerate((fit("logistic-R", items, rng), wrong(items))):
            found = evaluate(fitted, items, METRICS, rng, target="items")
            inside = [e.lower <= one <= e.upper for e, one in zip(found, truth, strict=True)]
            held[place] += inside
            known[place] += [np.isfinite(e.lower) for e in found]
    return held, known


@pytest.mark.slow
@pytest.mark.parametrize("design", [STRATA, POISSON])
@pytest.mark.parametrize("world", WORLDS)
def test_every_metric_covers_whatever_the_prediction(world, design):
    """150 replicates: each of 20 coverages is at least .90 less 3.5 binomial deviations, as near
    as so few can tell, and of all together at least .93 and at most .98."""
    held, known = covered(world, design)
    assert known.min() > 0.9 * REPLICATES
    least = binom.ppf(norm.sf(DEVIATIONS), known.astype(int), 0.90)
    assert np.all(held >= least), np.round(held / known, 3)
    assert 0.93 <= held.sum() / known.sum() <= 0.98


@pytest.mark.parametrize("world", ["maven, 20 %", "irt, 3 %"])
def test_gold_without_its_chances_does_not_cover(world):
    """The control, by strata with 60 replicates: TNR_H covers less than half, all metrics together
    less than .9."""
    held, known = covered(world, STRATA, weighed=False, replicates=60)
    assert held[1, METRICS.index("TNR_H")] < 30
    assert held[1].sum() / known[1].sum() < 0.9


@pytest.mark.parametrize("design", [STRATA, POISSON])
def test_the_error_about_the_population_is_that_of_new_items_too(design):
    """400 studies of 300 new items, 150 of them gold: the variance of the estimates of prevalence
    and TNR_H is the mean squared standard error, within 3.5 standard errors of a variance (25 %).
    About the items at hand it is at least a quarter less."""
    metrics, found = ["prevalence", "TNR_H"], []
    for replicate in range(400):
        parameters = {"n": 300, "n_gold": 0, "votes_total": 3, "phi": 0.3, "predictors": MODELS}
        rng = np.random.default_rng([53, replicate])
        items = draw_gold(simulate("maven", parameters | MAVEN, rng).table, design, 150, rng)
        fitted = fit("logistic-R", items, rng)
        found.append(
            [
                [(e.estimate, e.standard_error**2) for e in
                 evaluate(fitted, items, metrics, rng, target=target)]
                for target in ("population", "items")
            ]
        )  # fmt: skip
    values = np.array(found)
    spread = values[:, 0, :, 0].var(axis=0, ddof=1)
    population, here = values[..., 1].mean(axis=0)
    np.testing.assert_allclose(population / spread, 1, atol=0.25)
    assert np.all(here < 0.75 * population)
