"""What a headline rests on: the rules of choice, one test of gold, and a stratum's verdicts."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from crowdgold.commands import main
from crowdgold.data import NO_GOLD
from crowdgold.data.own import Study
from crowdgold.evaluation.data_check import check_data
from crowdgold.evaluation.data_verdicts import NOT_USABLE
from crowdgold.evaluation.own_study import Settings, evaluate_study
from crowdgold.evaluation.own_study.headline import headlines
from crowdgold.models.stan import StanModels
from unit.test_evaluate_study import simulated

ASKED = Settings(methods=("GT",), metrics=("prevalence",), resamples=50)


@pytest.fixture(scope="module")
def study():
    """Gold drawn at random in each of two strata, far more often where votes are positive."""
    items, rng = simulated(4_000, 0), np.random.default_rng(4)
    positive = items.votes_positive > 1
    gold = np.full(len(items), NO_GOLD, dtype=np.int8)
    for part, size in ((positive, 600), (~positive, 200)):
        shown = rng.choice(np.flatnonzero(part), size, replace=False)
        gold[shown] = items.truth[shown]
    items = replace(items, gold=gold)
    return Study(items, strata={"site": np.where(positive, "here", "there").astype(object)})


def test_gold_at_unequal_rates_speaks_against_all_items_and_not_against_a_stratum(study):
    """Of all items gold is no random sample; within strata it is, and their verdicts say so."""
    check = check_data(study, np.random.default_rng(1))
    against = {one.method: one.verdict for one in check.verdicts}
    assert against["GT"] == NOT_USABLE
    found = evaluate_study(study, ASKED, StanModels(), check=check)
    heads = {one["stratum"]: one for one in found.summary["headlines"]}
    assert heads["all"]["method"] is None
    assert "random sample" in heads["all"]["passed_over"][0]
    for name in ("site=here", "site=there"):
        assert (heads[name]["method"], heads[name]["passed_over"]) == ("GT", [])


@pytest.mark.parametrize("p", [0.5, 0.0095, 0.0005])
def test_a_study_and_its_check_say_the_same_of_gold(p):
    """One p-value, whatever a second draw of the permutations would have given."""
    items = simulated(500, 250)
    check = check_data(Study(items), np.random.default_rng(1))
    check = replace(check, gold_sample=replace(check.gold_sample, p=p))
    found = evaluate_study(Study(items), ASKED, StanModels(), check=check)
    assert (
        found.summary["strata"][0]["gold_random"] == (not check.gold_sample.chosen) == (p >= 0.01)
    )


@pytest.mark.parametrize("method", ["AutoEval", "GT+MV"])
def test_a_method_that_is_asked_for_alone_is_written(method, tmp_path, capsys):
    """With its numbers in estimates.csv; counting votes is no answer, and the table says so."""
    path = tmp_path / "study.csv"
    frame = simulated(700, 150).to_frame().drop(columns=["truth", "oracle", "tie_break"])
    frame.to_csv(path, index=False)
    out = tmp_path / "out"
    asked = ["--methods", method, "--metrics", "prevalence", "--out", str(out), "--json"]
    assert main(["evaluate", str(path), *asked]) == 0
    (head,) = json.loads(capsys.readouterr().out)["headlines"]
    assert head["method"] == (None if method == "GT+MV" else method)
    assert ("no answer by itself" in " ".join(head["passed_over"])) == (method == "GT+MV")
    assert method in (out / "estimates.csv").read_text()


def choices(gold, chosen=False, passed=True, unusable=()):
    """The headline of a metric that three methods estimate."""
    rows = [
        {"stratum": "all", "model": "", "against": "", "metric": "prevalence", "method": method,
         "estimate": 0.3, "lower": 0.2, "upper": upper, "standard_error": 0.02,
         "effective_gold": 100.0, "misfit": misfit,
         "diagnostics_passed": passed or method != "MAVEN-R",
         "message": "R-hat 1.2", "note": ""}
        for method, upper, misfit in (
            ("GT", 0.5, np.nan), ("MAVEN-C", 0.35, 1.0), ("MAVEN-R", 0.4, np.nan))
    ]  # fmt: skip
    (one,) = headlines(
        pd.DataFrame(rows),
        {"all": gold},
        {"all": chosen},
        {"all": dict.fromkeys(unusable, "too few")},
    )
    return one


def test_the_headline_is_chosen_by_the_rules():
    enough = choices(200)
    assert (enough["method"], enough["reason"]) == ("MAVEN-R", "")
    assert (enough["beside"]["method"], enough["beside"]["misfit"]) == ("MAVEN-C", True)
    few = choices(199)
    assert few["method"] == "MAVEN-C"
    assert "199 gold items, below 200" in few["reason"]
    assert "random sample" in choices(500, chosen=True)["reason"]
    assert "no gold labels" in choices(0)["reason"]
    failed = choices(300, passed=False)
    assert failed["method"] == "GT"
    assert failed["passed_over"] == ["MAVEN-R: the fit failed its gate (R-hat 1.2)"]
    assert choices(100, unusable=["MAVEN-C"])["method"] == "GT"
    assert choices(100, unusable=["MAVEN-C", "GT"])["method"] == "MAVEN-R"
    nobody = choices(100, unusable=["MAVEN-C", "GT", "MAVEN-R"])
    assert (nobody["method"], nobody["estimate"]) == (None, None)
