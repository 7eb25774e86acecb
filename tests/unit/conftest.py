"""Fixtures that several files share: datasets, and estimates without what is guessed."""

import functools
import os

import numpy as np
import pytest

from crowdgold.datasets import DATASETS
from crowdgold.datasets.fetching import availability, fetch
from crowdgold.inference import rectified
from crowdgold.inference.design import KnownChances, SimpleRandom


@pytest.fixture(scope="module")
def prepared(tmp_path_factory):
    """The files of a dataset and its prepared table; skips where CROWDGOLD_DATA has no files."""
    if not os.environ.get("CROWDGOLD_DATA"):
        pytest.skip("CROWDGOLD_DATA names no folder with the datasets")

    @functools.cache
    def make(name):
        available, why = availability(name)
        if not available:
            pytest.skip(why)
        folder = fetch(name, tmp_path_factory.mktemp(name), log=[].append)
        return folder, DATASETS[name].prepare(folder)

    return make


@pytest.fixture
def nothing_imagined(monkeypatch):
    """No label is imagined among the gold labels, so that textbooks' variances are met."""
    for design in (SimpleRandom, KnownChances):
        monkeypatch.setattr(design, "one_more", lambda self, own, *_, **__: np.zeros(own.shape[1]))


@pytest.fixture
def nothing_expected(monkeypatch):
    """V is what gold items show, also where their weights are uneven."""
    expected_of = rectified.expected_of
    monkeypatch.setattr(rectified, "expected_of", lambda *args: 0 * expected_of(*args))
