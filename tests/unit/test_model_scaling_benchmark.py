"""The benchmark of figure 5 asks all methods for as many draws."""

import sys
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))

import model_scaling


def test_maven_has_a_nested_fit_for_each_draw_that_others_are_asked_for(monkeypatch):
    """The warm-up run at a small n is the only one here."""
    asked = {}
    fitted = SimpleNamespace(seconds={"inference": 1.0}, diagnostics=SimpleNamespace(passed=True))

    def fit(method, items, rng, settings, stan):
        asked[method] = settings
        return fitted

    monkeypatch.setattr(model_scaling, "fit", fit)
    monkeypatch.setattr(model_scaling, "evaluate", lambda *_, **__: None)
    monkeypatch.setattr(model_scaling.StanModels, "compiled", lambda *_: None)
    chosen = SimpleNamespace(chains=3, warmup=20, draws=7, models=None, toolchain=None)
    for name in ("DS+S", "MAVEN"):
        model_scaling.timer(name, chosen)
    sampler = asked["DS+S"]["sampler"]
    assert asked["MAVEN"]["imputations"] == sampler["chains"] * sampler["draws"] == 21
    assert asked["MAVEN"]["cut"] == "nested"
