"""Few gold labels in a denominator: no interval from gold, whichever method is the next."""

import json

import numpy as np
import pandas as pd
import pytest
from crowdgold.evaluation.own_study.samples import Draws
from crowdgold.evaluation.rectified import FEWEST

from crowdgold.commands import main
from crowdgold.commands.evaluation_table import describe
from crowdgold.data import NO_GOLD
from crowdgold.data.own import Study
from crowdgold.evaluation.own_study import Settings, evaluate_study
from crowdgold.evaluation.own_study.headline import headlines
from crowdgold.models.stan import StanModels
from unit.test_evaluate_study import as_file, simulated

FLAGGED = 4


def flagging(items, model, most):
    """Set scores so that 0.5 flags so many gold items, and all of them are positive."""
    scores = np.where(items.truth == 1, 0.4, 0.3) + np.linspace(0, 0.05, len(items))
    gold = np.flatnonzero(items.gold == 1)[:most]
    scores[gold] = 0.9
    items.scores[model][:] = scores


@pytest.fixture(scope="module")
def items():
    """300 gold items, of which one model flags 4 and the other 40."""
    made = simulated(600, 300)
    flagging(made, "large", FLAGGED)
    flagging(made, "small", 40)
    return made


@pytest.fixture(scope="module")
def found(items):
    settings = Settings(methods=("GT",), metrics=("prevalence", "precision"), resamples=200)
    return evaluate_study(Study(items), settings, StanModels())


def test_gold_alone_gives_no_interval_of_four_items(found):
    """All four are positive, so that resamples of them are all alike: an interval of width 0."""
    rows = found.tables["estimates"].set_index(["model", "against"])
    large, small = rows.loc["large", ""], rows.loc["small", ""]
    assert large["metric"] == "precision@0.5"
    assert large["estimate"] == 1
    assert np.isnan([large["lower"], large["upper"], large["standard_error"]]).all()
    assert large["note"] == "no interval: it rests on 4 gold items, expected at least 10"
    assert np.isfinite([small["lower"], small["upper"]]).all()
    # Of a difference, the smaller count.
    assert rows.loc["large", "small"]["note"] == large["note"]
    whole = rows[rows["metric"] == "prevalence"]
    assert np.isfinite(whole["lower"]).all()


def test_the_headline_says_why(found):
    heads = {(one["metric"], one["model"]): one for one in found.summary["headlines"]}
    one = heads["precision@0.5", "large"]
    assert (one["method"], one["lower"]) == (None, None)
    assert one["passed_over"] == ["GT: no interval: it rests on 4 gold items, expected at least 10"]
    assert "it rests on 4 gold items" in " ".join(describe(found.summary).split())
    assert heads["precision@0.5", "small"]["method"] == "GT"


def test_a_model_answers_where_gold_cannot(found):
    """Its note names what it stands for; in the table of the terminal too."""
    table = found.tables["estimates"]
    own = table[(table["metric"] == "precision@0.5") & (table["model"] == "large")]
    by_model = own.assign(method="MAVEN-C", lower=0.7, upper=0.9, note="", effective_gold=90.0)
    rectified = own.assign(method="MAVEN-R")
    (one,) = headlines(pd.concat([own, rectified, by_model]), {"all": 300}, {"all": False}, {})
    assert (one["method"], one["lower"]) == ("MAVEN-C", 0.7)
    why = "instead of MAVEN-R: no interval: it rests on 4 gold items, expected at least 10"
    assert one["note"] == why
    said = describe({**found.summary, "headlines": [one, {**one, "metric": "F1@0.5"}]})
    assert f"precision@0.5 large, F1@0.5 large: by MAVEN-C {why}" in " ".join(said.split())


def test_the_smaller_count_is_that_of_a_difference():
    values = np.random.default_rng(1).random((20, 2))
    counts = np.array([FEWEST, 50]), np.array([FEWEST - 1, 50])
    one, other = (Draws(values, values[0], count) for count in counts)
    apart = one.minus(other).select([1, 0]).estimates(["b", "a"], [(-1.0, 1.0)] * 2, 0.9)
    assert [np.isfinite(each.lower) for each in apart] == [True, False]
    assert all(np.isfinite(each.lower) for each in one.estimates(["a", "b"], [(0.0, 1.0)] * 2, 0.9))
    # Imputed labels are not counted.
    assert one.minus(Draws(values)).counted is None


def test_a_threshold_that_is_given_twice_is_one(items, tmp_path):
    """Also where two are alike in the ten digits that metrics are named by."""
    path, out = as_file(items, tmp_path), tmp_path / "out"
    given = ["0.5", "0.5", "0.50000000000001", "0.2", "large=0.4", "large=0.4", "small=-0.0",
             "small=0"]  # fmt: skip
    asked = [part for text in given for part in ("--threshold", text)]
    assert main(["evaluate", path, "--out", str(out), "--methods", "GT", "--metrics", "recall",
                 "--cores", "1", *asked]) == 0  # fmt: skip
    rows = pd.read_csv(out / "estimates.csv", keep_default_na=False)
    assert rows["metric"].tolist() == ["recall@0", "recall@0.4", "delta_recall@0.4|0"]
    assert json.loads((out / "study.json").read_text())["thresholds"]["large"] == [0.4]
    assert (items.gold != NO_GOLD).sum() == 300
