"""The models of votes and scores against NumPyro's, which are written for one item at a time.

NumPyro is an optional dependency (`make peers`); continuous integration installs it.
"""

import sys
from dataclasses import replace

import numpy as np
import pytest

from crowdgold.methods.registry import fit
from crowdgold.simulate import simulate
from workflow.conftest import ROOT

pytest.importorskip("numpyro", reason="make peers installs it")
sys.path.insert(0, str(ROOT / "benchmarks"))
import numpyro_models

PARAMETERS = {
    "n": 200, "phi": 0.3, "a0": 0.2, "a1": 0.6, "d0": 1.5, "d1": 1.5, "votes_total": 3,
    "gold_fraction": 0.3, "predictors": {"A": {"mu": 1.0, "delta": 1.0}},
}  # fmt: skip
SHARED = {"DS": ("phi", "a0", "a1"), "DS+S": ("phi", "a0", "a1"), "H-AI": ("phi",)}


def mean_and_error(draws, chains):
    """The mean and its Monte Carlo error from the spread of 20 batches of each chain."""
    batches = draws.reshape(chains, 20, -1).mean(axis=-1).ravel()
    return draws.mean(), batches.std(ddof=1) / np.sqrt(len(batches))


@pytest.mark.parametrize("method", SHARED)
def test_posterior_means_are_those_of_numpyro(method, stan):
    """Means agree within 5 joint Monte Carlo errors (batch means). Those on data with other labels
    for a fifth of the gold items, the control, do not all."""
    items = simulate("maven", PARAMETERS, np.random.default_rng(4)).table
    sampler = {"chains": 2, "warmup": 300, "draws": 600}
    peer = numpyro_models.run(method, items, "A", 3, *sampler.values()).get_samples()

    def distance(table):
        settings = {"sampler": sampler, "imputations": 1200}
        fitted = fit(method, table, np.random.default_rng(5), settings, stan)
        found = fitted.labels.parameters
        away = []
        for name in SHARED[method]:
            own = found[name] if name in found else found[f"{name}:A"]
            (mean, error), (other, other_error) = (
                mean_and_error(np.asarray(values), 2) for values in (own, peer[name])
            )
            away.append(abs(mean - other) / np.hypot(error, other_error))
        return max(away)

    assert distance(items) < 5
    turned = items.gold.copy()
    labelled = np.flatnonzero(turned >= 0)[::5]
    turned[labelled] = 1 - turned[labelled]
    assert distance(replace(items, gold=turned)) > 5
