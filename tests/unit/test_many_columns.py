"""Files with very many columns: read in a time that grows with them, or refused with the limit."""

import time

import numpy as np
import pandas as pd
import pytest

from crowdgold.data import InputError
from crowdgold.data.checks import list_names, repeated
from crowdgold.data.own import read_study
from crowdgold.data.own.study import MOST_MODELS

ITEMS = 40


def wide(folder, columns):
    """Files of a study, one of which has columns more."""
    rng = np.random.default_rng(7)
    truth = rng.random(ITEMS) < 0.5
    own = {"item": [f"i{k}" for k in range(ITEMS)], "votes_positive": 3 * truth, "votes_total": 3,
           "gold": truth.astype(int)}  # fmt: skip
    path = folder / "study.csv"
    more = {name: rng.normal(truth).round(3) for name in columns}
    pd.DataFrame({**own, **more}).to_csv(path, index=False)
    return path


def test_the_time_to_read_a_file_grows_with_its_columns(tmp_path):
    """Ten times the columns take ten times as long, not a hundred times; 40 leaves room for noise.

    With the names counted anew for each name it was more than 60 times.
    """
    taken = []
    for number in (300, 3000):
        path = wide(tmp_path, [f"feature{k}" for k in range(number)])
        start = time.process_time()
        study = read_study([path])
        taken.append(time.process_time() - start)
    assert taken[1] < 40 * taken[0]
    (note,) = [one for one in study.notes if "passed over" in one]
    assert note.endswith("feature19 and 2,980 more")


def test_more_models_than_can_be_compared_are_refused_with_the_limit(tmp_path):
    names = [f"score_m{k}" for k in range(MOST_MODELS + 1)]
    assert len(read_study([wide(tmp_path, names[1:])]).items.predictors) == MOST_MODELS
    with pytest.raises(
        InputError, match=f"scores of {MOST_MODELS + 1} models.* at most {MOST_MODELS}"
    ):
        read_study([wide(tmp_path, names)])


def test_names_are_counted_and_listed_in_short():
    assert repeated(["a", "b", "a", "b", "c", "a"]) == {"a": 3, "b": 2}
    assert list_names(range(3)) == "0, 1, 2"
    assert list_names(range(1021)).endswith("18, 19 and 1,001 more")
