"""Coverage of MAVEN's intervals on data of its own process, in small.

`make validate` does the same with more replicates and for the metrics. The score parameters are
judged here given the vote parameters, with the pairwise likelihood, known to be too sure, as the
control.
"""

import numpy as np
import pandas as pd
import pytest

from crowdgold.experiment.summaries import summarise
from crowdgold.inference.labels import evaluate
from crowdgold.methods.registry import fit
from crowdgold.metrics.binary import true_value
from crowdgold.models.binned_ranks import BinnedRanks
from crowdgold.models.exact_cut import sample_exact_cut
from crowdgold.models.score_model import ScoreData
from crowdgold.models.vote_sets import VoteParameters, find_vote_sets, win_counts
from unit.reference import Theta, algorithm_1

THETA = Theta(0.3, (0.2, 0.6), (1.5, 1.5), 1.0, 1.0)
METRICS = ["prevalence", "TNR_H", "TPR_H"]
REPLICATES = 60
SETTINGS = {"sampler": {"chains": 2, "warmup": 250, "draws": 150}, "imputations": 120}


def estimates_of(method, stan):
    """Estimate every replicate; the truth is that of its own items."""
    rows = []
    for replicate in range(REPLICATES):
        items = algorithm_1(THETA, 600, 3, 150, np.random.default_rng([17, replicate]))
        rng = np.random.default_rng([18, replicate])
        fitted = fit(method, items, rng, SETTINGS, stan)
        estimates = evaluate(fitted, items, METRICS, rng, resamples=300, target="items")
        rows += [
            {"experiment": "coverage", "method": method, "metric": e.metric,
             "replicate": replicate, "truth": true_value(e.metric, items), "estimate": e.estimate,
             "lower": e.lower, "upper": e.upper,
             "diagnostics_passed": fitted.diagnostics.passed}
            for e in estimates
        ]  # fmt: skip
    return pd.DataFrame(rows)


def coverage(results):
    return summarise(results, []).set_index("metric")


@pytest.mark.slow
def test_vote_side_intervals_of_maven_cover(stan):
    """60 replicates of 600 items, 150 of them gold: each coverage in the two-sided binomial band at
    3.5 deviations, which a calibrated method leaves once in 2,000 comparisons. The band reaches
    up to 1, so only too narrow intervals can be found out here: a metric that covers 0.70 is missed
    with probability 0.03, one that covers 0.80 with 0.45.

    The control: MAVEN's own intervals at half their width, which cover 0.67 if they are normal. The
    mean over the three metrics is below the band with probability above 0.99.
    """
    results = estimates_of("MAVEN", stan)
    found = coverage(results)
    assert found["replicates"].tolist() == [REPLICATES] * 3
    assert np.all((found["band_low"] <= found["coverage"]) & (found["coverage"] <= 1))
    half = (results["upper"] - results["lower"]) / 4
    narrow = results.assign(lower=results["estimate"] - half, upper=results["estimate"] + half)
    assert coverage(narrow)["coverage"].mean() < found["band_low"].iloc[0]


def test_majority_votes_do_not_cover(stan):
    """The control: the bootstrap of the majority vote knows nothing of the votes' own errors.

    Below the same band. Its prevalence is left out: false positives and false negatives nearly
    cancel here.
    """
    found = coverage(estimates_of("MV", stan)).loc[["TNR_H", "TPR_H"]]
    assert np.all(found["coverage"] < found["band_low"])


SCORES = 36
"""Replicates of the coverage of the score parameters."""


def parameter_coverage():
    """Draw (mu, delta) by both score likelihoods at the true vote parameters."""
    rows = []
    for replicate in range(SCORES):
        items = algorithm_1(THETA, 1000, 3, 150, np.random.default_rng([19, replicate]))
        sets, ranking = find_vote_sets(items), items.ranking("A")
        draws = VoteParameters(
            np.full(120, THETA.phi), np.tile(THETA.a, (120, 1)), np.tile(THETA.d, (120, 1))
        )
        wins = win_counts(sets.member, ranking, len(sets))
        for method, data in (
            ("calibrated", BinnedRanks.of(sets.member, ranking, len(sets))),
            ("pairwise", ScoreData(wins, sets.count.astype(float), sets.pattern)),
        ):
            found = sample_exact_cut(data, sets, draws, np.random.default_rng([20, replicate]))
            for metric, values in (("mu", found.mu), ("delta", found.delta)):
                low, high = np.quantile(values, [0.025, 0.975])
                rows.append(
                    {"experiment": "scores", "method": method, "metric": metric,
                     "replicate": replicate, "truth": getattr(THETA, metric),
                     "estimate": np.median(values), "lower": low, "upper": high,
                     "diagnostics_passed": found.failures == 0}
                )  # fmt: skip
    return summarise(pd.DataFrame(rows), []).set_index(["method", "metric"])


def test_the_calibrated_likelihood_covers_and_the_pairwise_one_does_not():
    """mu and delta given the true vote parameters, 36 replicates of 1,000 items, 150 of them gold.

    The calibrated intervals are in the binomial band at 3.5 deviations, [0.78, 1], which honest
    ones leave once in 2,000 comparisons, and their pooled coverage is above 0.85 (72 intervals;
    honest ones are below it once in 1,000). The pairwise ones, which cover 0.5 to 0.7, must be
    below the pooled bound; no fit fails.
    """
    found = parameter_coverage()
    assert found["gate_failures"].sum() == 0
    honest, printed = found.loc["calibrated"], found.loc["pairwise"]
    assert np.all(honest["coverage"] >= honest["band_low"])
    assert honest["coverage"].mean() > 0.85
    assert printed["coverage"].mean() < 0.85
    assert np.all(printed["width"] < honest["width"])
