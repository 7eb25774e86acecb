"""The settings of an evaluation: which are refused, and what numbers become in JSON."""

import re
from pathlib import Path

import numpy as np
import pytest

from crowdgold.evaluation.questions import METRICS, Settings, check_settings, read_thresholds
from crowdgold.experiment.schema import read_schema
from crowdgold.methods.registry import offered
from crowdgold.reading.outputs import plain
from crowdgold.types.errors import InputError


@pytest.mark.parametrize(
    ("settings", "models", "message"),
    [
        ({"metrics": ()}, "ab", "none asked for"),
        ({"metrics": ("precision@0.5",)}, "ab", "--metrics precision --threshold 0.5"),
        ({"metrics": ("recall:a@0.7",)}, "ab", "--metrics recall --threshold a=0.7"),
        ({"metrics": ("AUC@0.5",)}, "ab", "did you mean 'AUC'?"),
        ({"level": 1.0}, "ab", "level: found 1, expected a number from 0.01 to 0.99999"),
        ({"seed": -1}, "ab", "seed: found -1"),
        ({"thresholds": {"c": (1.0,)}}, "ab", "no model 'c'; the study has 'a', 'b'"),
        ({"thresholds": {"": (np.inf,)}}, "ab", "found inf, expected a number"),
        ({}, ["humans"], "in comparisons this name stands for the voters"),
    ],
)
def test_settings_that_cannot_be_used_are_refused(settings, models, message):
    with pytest.raises(InputError, match=re.escape(message)):
        check_settings(Settings(**settings), models)


def test_thresholds_are_read():
    assert read_thresholds(["0.5", 0.7, "large=2"]) == {"": (0.5, 0.7), "large": (2.0,)}
    with pytest.raises(InputError, match="found 'large=', expected a number, or MODEL=NUMBER"):
        read_thresholds(["large="])


def test_no_number_is_null():
    assert plain({"a": np.nan, "b": [np.int64(2), np.array([0.5, np.inf])]}) == {
        "a": None, "b": [2, [0.5, None]],
    }  # fmt: skip


def test_a_workflow_can_ask_for_every_method_and_metric():
    """The schema of the configuration names metrics once more, for its messages."""
    path = Path(__file__).parents[2] / "workflow/schemas/config.schema.yaml"
    known = read_schema(path)["properties"]["evaluate"]["properties"]
    assert tuple(known["methods"]["items"]["enum"]) == offered()
    assert tuple(known["metrics"]["items"]["enum"]) == METRICS
