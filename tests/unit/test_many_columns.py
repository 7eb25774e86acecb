"""Files with very many columns: read without a square of their number, or refused."""

import numpy as np
import pandas as pd
import pytest

from crowdgold.reading.sheets import Sheet
from crowdgold.reading.study import MOST_MODELS, read_study
from crowdgold.types.errors import InputError

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


def test_names_are_listed_as_often_whatever_their_number(tmp_path, monkeypatch):
    """Not once for each name, which takes a time that grows with the square of their number."""
    listed, names = [], Sheet.columns.fget
    monkeypatch.setattr(Sheet, "columns", property(lambda sheet: listed.append(1) or names(sheet)))
    times = []
    for number in (30, 300):
        listed.clear()
        study = read_study([wide(tmp_path, [f"feature{k}" for k in range(number)])])
        times.append(len(listed))
    assert times[0] == times[1] > 0
    (note,) = [one for one in study.notes if one.code == "columns_left_out"]
    assert note.text.endswith("feature19 and 280 more")


def test_more_models_than_can_be_compared_are_refused_with_the_limit(tmp_path):
    names = [f"score_m{k}" for k in range(MOST_MODELS + 1)]
    assert len(read_study([wide(tmp_path, names[1:])]).items.predictors) == MOST_MODELS
    with pytest.raises(
        InputError, match=f"scores of {MOST_MODELS + 1} models.* at most {MOST_MODELS}"
    ):
        read_study([wide(tmp_path, names)])
