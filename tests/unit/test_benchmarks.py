"""The benchmarks: their bars, what they ask of methods, and the peers that they time."""

import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
import clara_sweeps
import model_scaling
from crowdgold.models.clara.model import empirical_prior
from crowdgold.models.majority import majority_shares
from own_study import STUDIES, over_the_bar


def test_both_loops_of_claras_peers_make_the_same_sweeps():
    """Label by label, from the same uniforms; the start, and one sweep less, are others."""
    drawn = clara_sweeps.draw_annotations(150, 3, False)
    prior = empirical_prior(drawn)
    loops = (clara_sweeps.published_sweeps, clara_sweeps.plain_loop_sweeps)
    one, other = (loop(drawn, prior, 12) for loop in loops)
    np.testing.assert_array_equal(one, other)
    assert (majority_shares(drawn).argmax(axis=1) != other).any()
    assert clara_sweeps.plain_loop_sweeps(drawn, prior, 11) != other


def test_each_bar_of_evaluate_that_is_not_kept_is_said():
    """60 s and 5 MB of report for 10,000 items; 300 s and 4 GB for a million."""
    small, large = (STUDIES[name].bar for name in ("small", "large"))
    assert over_the_bar(59, 3000, 4.9, small) == "kept"
    assert over_the_bar(61, 3000, 5.5, small) == "61 s, at most 60; 5.5 MB of report, at most 5"
    assert over_the_bar(299, 4100, 1, large) == "4100 MB of memory, at most 4000"


def test_maven_has_a_nested_fit_for_each_draw_that_others_are_asked_for(monkeypatch):
    """The warm-up run at a small n is the only one here."""
    asked = {}
    fitted = SimpleNamespace(
        seconds={"inference": 1.0}, diagnostics=SimpleNamespace(passed=True, ess_bulk=9)
    )

    def fit(method, items, rng, settings, stan):
        asked[method] = settings
        return fitted

    monkeypatch.setattr(model_scaling, "fit", fit)
    monkeypatch.setattr(model_scaling, "evaluate", lambda *_, **__: None)
    monkeypatch.setattr(model_scaling.StanModels, "compiled", lambda *_: None)
    chosen = SimpleNamespace(chains=3, warmup=20, draws=7, longest=1, models=None, toolchain=None)
    for name in ("DS+S", "MAVEN"):
        model_scaling.timer(name, chosen)
    sampler = asked["DS+S"]["sampler"]
    assert asked["MAVEN"]["imputations"] == sampler["chains"] * sampler["draws"] == 21
    assert asked["MAVEN"]["cut"] == "nested"
