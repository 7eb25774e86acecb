"""What a headline rests on: the rules of choice, one test of gold, and a stratum's verdicts."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from crowdgold.checking.gold_sample import GoldSample
from crowdgold.checking.study import check_data
from crowdgold.cli import main
from crowdgold.evaluation.conditions import Condition, Key, answer_to, with_conditions
from crowdgold.evaluation.folder import Evaluation
from crowdgold.evaluation.headline import (
    CHOSEN_REASON,
    LITTLE,
    NO_GOLD_REASON,
    NO_MODEL,
    ONLY_MODELS_REASON,
    headlines,
)
from crowdgold.evaluation.questions import Settings
from crowdgold.evaluation.study import evaluate_study
from crowdgold.inference.samples import ONLY_GOLD
from crowdgold.methods.doubts import NOT_USABLE, SURELY_CHOSEN
from crowdgold.methods.method import CORRECTED, MODEL
from crowdgold.methods.registry import with_role
from crowdgold.models.stan import StanModels
from crowdgold.presentation.answers import badge
from crowdgold.reading.study import Study
from crowdgold.types.choices import POSSIBLY
from crowdgold.types.items import NO_GOLD
from unit.test_evaluate_study import simulated

ASKED = Settings(methods=("GT",), metrics=("prevalence",))


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
    assert check.gold_sample.p < SURELY_CHOSEN
    against = {one.method: one.verdict for one in check.verdicts}
    assert against["GT"] == NOT_USABLE
    found = evaluate_study(study, ASKED, StanModels(), check=check)
    heads = {one["stratum"]: one for one in found.summary["headlines"]}
    assert heads["all"]["method"] is None
    assert heads["all"]["reason"] == CHOSEN_REASON
    for name in ("site=here", "site=there"):
        assert (heads[name]["method"], heads[name]["passed_over"]) == ("GT", [])


def test_the_strata_share_the_level_of_one_test(study, monkeypatch):
    """All items are one question, and the two strata together another."""
    asked = []

    def assess(items, rng, **more):
        asked.append(more.get("tests", 1))
        return GoldSample(0.5)

    monkeypatch.setattr("crowdgold.evaluation.study.assess_gold_sample", assess)
    evaluate_study(study, ASKED, StanModels(), check=None)
    assert asked == [1, 2, 2]


@pytest.mark.parametrize("p", [0.5, 0.0095, 0.0005])
def test_a_study_and_its_check_say_the_same_of_gold(p):
    """One p-value, whatever a second draw of the permutations would have given."""
    study = Study(simulated(500, 250))
    check = check_data(study, np.random.default_rng(1))
    check = replace(check, gold_sample=replace(check.gold_sample, p=p))
    (stratum,) = evaluate_study(study, ASKED, StanModels(), check=check).summary["strata"]
    assert stratum["gold_random"] == (not check.gold_sample.chosen) == (p >= 0.01)


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


OF_MODELS = ("MAVEN-C", "judges", "DS", "CLARA", "MAVEN")
COMMON = {"estimate": 0.3, "lower": 0.2, "standard_error": 0.02, "effective_gold": 100.0}


def rows_of(methods, metric="prevalence", failed=(), contradicted=(), **changes):
    """Rows of a metric by some methods; by some of them without an interval, say."""
    model = "" if metric in ("prevalence", "TPR_H") else "m"
    rows = []
    for place, method in enumerate(methods):
        misfit = float(method in contradicted) if method in OF_MODELS else np.nan
        rows.append(
            {"stratum": "all", "model": model, "against": "", "metric": metric, "method": method,
             **COMMON, "upper": 0.4 + place / 100, "misfit": misfit,
             "diagnostics_passed": method not in failed, "message": "R-hat 1.2", "note": ""}
            | changes.get(method.replace("-", "_"), {})
        )  # fmt: skip
    return pd.DataFrame(rows)


def choice(table, gold=100, chosen=False, unusable=()):
    """The answer of the only metric of a table."""
    against = {"all": dict.fromkeys(unusable, "too few")}
    (one,) = headlines(table, {"all": gold}, {"all": CHOSEN_REASON if chosen else ""}, against)
    return one


ALL = ("GT", "MAVEN-C", "DS", "votes-R", "CLARA", "MAVEN-R", "logistic-R", "MAVEN")


def test_with_gold_the_answer_is_corrected_by_it_in_one_order():
    """However little gold there is; each method only where the one before it was not asked for, or
    has no value."""
    assert with_role(CORRECTED)[:5] == ("logistic-E", "GT-E", "logistic-R", "votes-R", "GT")
    for gold in (1, 20, 200, 5000):
        left = list(ALL)
        for method in ("logistic-R", "votes-R", "GT", "MAVEN-R"):
            one = choice(rows_of(left), gold)
            assert (one["method"], one["reason"]) == (method, "")
            without = {method.replace("-", "_"): {"estimate": np.nan, "note": "it failed"}}
            other = choice(rows_of(left, **without), gold)
            assert other["passed_over"][0] == f"{method}: it failed"
            assert other["method"] != method
            left.remove(method)


@pytest.mark.parametrize("first", ["logistic-R", "votes-R", "GT", "MAVEN-R"])
def test_no_other_method_steps_in_where_gold_says_too_little_for_an_interval(first):
    """Nor one that gold corrects, nor a model; a method that cannot be used is passed over."""
    asked = [*with_role(CORRECTED)[with_role(CORRECTED).index(first) :], *OF_MODELS]
    none = {first.replace("-", "_"): {"lower": np.nan, "upper": np.nan, "note": "no interval: 2"}}
    one = choice(rows_of(asked, **none))
    assert (one["method"], one["estimate"], one["beside"]) == (None, None, None)
    assert one["passed_over"] == [f"{first}: no interval: 2"]
    assert choice(rows_of(asked, **none), unusable=[first])["method"] == asked[1]


def test_an_interval_that_says_next_to_nothing_is_no_answer_and_no_other_method_steps_in():
    """Of a metric from 0 to 1 above .9 wide; a difference may be twice as wide."""
    for metric, least in (("prevalence", 0.05), ("AUC", 0.05), ("delta_AUC", -0.85)):
        wide = {"lower": least, "upper": 0.96}
        one = choice(rows_of(ALL, metric, logistic_R=wide))
        assert (one["method"], one["estimate"], one["beside"]) == (None, None, None)
        assert one["passed_over"] == [
            f"logistic-R: its interval, {least:.3f} to 0.960, says next to nothing; numbers in "
            "estimates.csv"
        ]
        narrower = choice(rows_of(ALL, metric, logistic_R={**wide, "upper": 0.94}))
        assert (narrower["method"], narrower["upper"]) == ("logistic-R", 0.94)


def test_an_answer_that_says_little_has_a_remark():
    """More than half of the metric's range, where gold labels are: else the range tells."""
    for metric, width in (("prevalence", 0.5), ("AUC", 0.5), ("delta_AUC", 1.0)):
        for more in (-0.01, 0.01):
            ends = {"lower": 0.3 - width / 2, "upper": 0.3 + width / 2 + more}
            one = choice(rows_of(ALL, metric, logistic_R=ends))
            assert one["note"] == (LITTLE if more > 0 else "")
            assert one["lower"] == ends["lower"]
    wide = {"lower": 0.1, "upper": 0.8}
    assert choice(rows_of(["MAVEN-C"], MAVEN_C=wide), gold=0)["note"] == ""
    only = choice(rows_of(["GT"], GT=wide | {"note": ONLY_GOLD}))
    assert only["note"] == f"{ONLY_GOLD}; {LITTLE}"


def test_badge_and_conditions_follow_where_an_interval_is_no_answer():
    table = rows_of(ALL, "AUC", logistic_R={"lower": 0.03, "upper": 1.0})
    summary = {"headlines": headlines(table, {"all": 100}, {"all": ""}, {})}
    key = Key("m", "", "AUC")
    assert badge(key, answer_to(key, summary)) == "AUC m no answer"
    found = with_conditions(
        Evaluation({}, summary), [Condition("AUC < 0.01", key, "<", 0.01)], POSSIBLY
    )
    (one,) = found.summary["conditions"]
    assert (one["failed"], one["holds"], one["estimate"]) == (None, None, None)
    assert one["why"].startswith("logistic-R: its interval, 0.030 to 1.000")


def test_where_experts_errors_are_known_none_that_takes_gold_for_the_truth_answers():
    """However much narrower its interval is; before they are known it does."""
    none = {"estimate": np.nan, "note": "it failed"}
    asked = [*ALL, "logistic-E", "GT-E"]
    assert choice(rows_of(asked))["method"] == "logistic-E"
    assert choice(rows_of(asked, logistic_E=none))["method"] == "GT-E"
    nobody = choice(rows_of(asked, logistic_E=none, GT_E=none))
    assert nobody["method"] is None
    assert "logistic-R: it takes gold labels for the truth" in "; ".join(nobody["passed_over"])
    assert choice(rows_of(ALL))["method"] == "logistic-R"


@pytest.mark.parametrize("metric", ["prevalence", "AUC"])
def test_no_diagnostics_of_chains_decide_about_what_gold_corrects(metric):
    """A model whose chains had not converged vetoes nothing; nor do those behind MAVEN-R."""
    one = choice(rows_of(ALL, metric, failed=ALL))
    assert (one["method"], one["passed_over"], one["beside"]) == ("logistic-R", [], None)
    alone = choice(rows_of(["MAVEN-R", "MAVEN", "MAVEN-C"], metric, failed=["MAVEN-R"]))
    assert (alone["method"], alone["passed_over"]) == ("MAVEN-R", [])
    assert alone["beside"]["method"] == "MAVEN-C"


@pytest.mark.parametrize("metric", ["AUC", "recall@0.5", "delta_TPR", "delta_AUC"])
@pytest.mark.parametrize("situation", ["no gold", "chosen", "only models"])
def test_models_that_ignore_the_scores_answer_nothing_that_is_of_scores(metric, situation):
    """DS and CLARA, where nothing else is there either; of labels they do. judges uses them."""
    asked = {"gold": 0 if situation == "no gold" else 100, "chosen": situation == "chosen"}
    one = choice(rows_of(["DS", "CLARA"], metric), **asked)
    assert (one["method"], one["estimate"]) == (None, None)
    assert one["passed_over"] == [f"{name}: it does not use the scores" for name in ("DS", "CLARA")]
    assert choice(rows_of(["CLARA", "DS", "MAVEN"], metric), **asked)["method"] == "MAVEN"
    both = choice(rows_of(["CLARA", "DS", "MAVEN", "judges"], metric), **asked)
    assert both["method"] == "judges"
    assert choice(rows_of(["CLARA", "DS"], "TPR_H"), **asked)["method"] == "DS"
    beside = choice(rows_of(["GT", "DS", "CLARA"], metric))["beside"]
    assert beside is None


def test_without_gold_a_model_answers_and_says_so():
    one = choice(rows_of(OF_MODELS), gold=0)
    assert (one["method"], one["reason"]) == ("MAVEN-C", NO_GOLD_REASON)
    assert with_role(MODEL) == OF_MODELS
    failed = choice(rows_of(OF_MODELS, failed=["MAVEN-C"]), gold=0)
    assert failed["method"] == "judges"
    assert failed["passed_over"] == ["MAVEN-C: its chains had not converged (R-hat 1.2)"]
    assert failed["note"] == f"instead of {failed['passed_over'][0]}"


def test_where_gold_is_surely_chosen_a_model_answers_and_says_so():
    """What gold would correct is no answer then, though nothing else be there."""
    one = choice(rows_of(ALL), chosen=True)
    assert (one["method"], one["reason"]) == ("MAVEN-C", CHOSEN_REASON)
    # Such gold contradicts nothing, and is no measure of what an interval is worth.
    flagged = choice(rows_of(ALL, contradicted=["MAVEN-C", "DS"]), chosen=True)
    assert flagged["misfit"] is flagged["effective_gold"] is flagged["beside"]["misfit"] is None
    only = choice(rows_of(["logistic-R", "GT"]), chosen=True)
    assert (only["method"], only["reason"]) == (None, CHOSEN_REASON)
    assert "from these gold items" in only["passed_over"][0]
    assert only["passed_over"][-1] == NO_MODEL


def test_models_alone_answer_where_they_alone_were_asked_for():
    """But none that gold labels contradict, and not where one that gold corrects was asked for,
    though it has no value there."""
    one = choice(rows_of(OF_MODELS, contradicted=["MAVEN-C"]))
    assert (one["method"], one["reason"]) == ("judges", ONLY_MODELS_REASON)
    assert one["passed_over"] == ["MAVEN-C: the gold labels contradict it"]
    table = pd.concat([rows_of(["logistic-R", "DS"]), rows_of(["DS", "MAVEN"], "AUC")])
    found = headlines(table, {"all": 50}, {"all": ""}, {})
    assert [(one["metric"], one["method"]) for one in found] == [
        ("prevalence", "logistic-R"), ("AUC", None),
    ]  # fmt: skip
    assert "a model, which is no answer where there are gold labels" in found[1]["passed_over"][0]


def test_what_the_data_do_not_support_is_no_answer():
    assert choice(rows_of(ALL), unusable=["logistic-R"])["method"] == "votes-R"
    nobody = choice(rows_of(["GT", "DS"]), unusable=["GT"])
    assert (nobody["method"], nobody["estimate"], nobody["lower"]) == (None, None, None)
    assert nobody["passed_over"][0] == "GT: too few"


def test_the_model_beside_an_answer_is_flagged_where_gold_contradicts_it():
    one = choice(rows_of(ALL, contradicted=["MAVEN-C"]))
    assert (one["misfit"], one["beside"]["method"], one["beside"]["misfit"]) == (
        None, "MAVEN-C", True,
    )  # fmt: skip
    assert choice(rows_of(ALL))["beside"]["misfit"] is False
