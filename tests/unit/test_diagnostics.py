"""R-hat and effective sample sizes, as ArviZ 0.23 had them; one folder for caches."""

from dataclasses import astuple

import numpy as np
import pytest

from crowdgold.datasets.fetching import find_source
from crowdgold.datasets.source import cached
from crowdgold.models.stan_fit import diagnose
from crowdgold.system.assets import cache_folder
from crowdgold.system.toolchain import default_folder, models_folder

WAVE = np.sin(np.arange(2000.0) ** 1.3).reshape(4, 500)
CHAINS = {"well mixed": WAVE, "slow": np.cumsum(WAVE, axis=1), "tied": np.round(3 * WAVE)}
KNOWN = {
    "well mixed": (1.00329336355852, 1862.262200978253, 1860.784818771444),
    "slow": (1.5045065919450136, 12.440307566756585, 13.76212344347927),
    "tied": (1.0029107369083328, 1711.2350763357701, 1930.2326190370009),
}


@pytest.mark.parametrize("name", CHAINS)
def test_numbers_are_those_of_arviz(name):
    found = diagnose({name: CHAINS[name]}, 0, 0)
    assert astuple(found)[:3] == pytest.approx(KNOWN[name], rel=1e-10)


def test_the_worst_of_the_parameters_counts():
    assert diagnose(CHAINS, 0, 0) == diagnose({"slow": CHAINS["slow"]}, 0, 0)


@pytest.mark.parametrize("home", ["", "elsewhere"])
def test_every_cache_is_in_one_folder(tmp_path, monkeypatch, home):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / home) if home else "")
    folder = tmp_path / (home or ".cache") / "crowdgold"
    assert cache_folder() == folder
    assert models_folder() == folder / "models"
    assert default_folder().parent == folder
    file = find_source("chaosnli").files[0]
    assert cached("chaosnli", file) == folder / "chaosnli" / file.name
