"""Fixtures that tests of datasets share."""

import functools
import os

import pytest

from crowdgold.datasets import DATASETS
from crowdgold.datasets.fetching import availability, fetch


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
