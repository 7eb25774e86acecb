"""What an answer rests on: the rules of choice, one test of gold, and a stratum's verdicts."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from crowdgold.checking.gold_sample import GoldSample
from crowdgold.checking.study import check_data
from crowdgold.cli import main
from crowdgold.evaluation import choosing as rules
from crowdgold.evaluation.answer import Passed
from crowdgold.evaluation.choosing import NO_MODEL, why_set_aside
from crowdgold.evaluation.conditions import Condition, Key, answer_to, outcomes
from crowdgold.evaluation.folder import Evaluation
from crowdgold.evaluation.questions import Settings
from crowdgold.evaluation.study import evaluate_study
from crowdgold.methods.method import CORRECTED, MODEL
from crowdgold.methods.needs import NOT_USABLE, SURELY_CHOSEN
from crowdgold.methods.registry import with_role
from crowdgold.models.stan import StanModels
from crowdgold.presentation.answers import badge
from crowdgold.reading.study import Study
from crowdgold.types.items import NO_GOLD
from crowdgold.types.notes import Note, codes
from crowdgold.types.parameters import POSSIBLY
from unit.made_study import answers_in
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
    whole, *parts = found.answers
    assert (whole.stratum, whole.value) == ("all", None)
    assert whole.reason == why_set_aside(check.gold_sample)
    assert [one.stratum for one in parts] == ["site=here", "site=there"]
    assert {(one.value.method, one.passed_over) for one in parts} == {("GT", ())}


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
    (stratum,) = evaluate_study(study, ASKED, StanModels(), check=check).summary.strata
    assert stratum.gold_random == (not check.gold_sample.chosen) == (p >= 0.01)


@pytest.mark.parametrize("method", ["AutoEval", "GT+MV"])
def test_a_method_that_is_asked_for_alone_is_written(method, tmp_path, capsys):
    """With its numbers in estimates.csv; counting votes is no answer, and the table says so."""
    path = tmp_path / "study.csv"
    frame = simulated(700, 150).to_frame().drop(columns=["truth", "oracle", "tie_break"])
    frame.to_csv(path, index=False)
    out = tmp_path / "out"
    asked = ["--methods", method, "--metrics", "prevalence", "--out", str(out), "--json"]
    assert main(["evaluate", str(path), *asked]) == 0
    (answer,) = json.loads(capsys.readouterr().out)["answers"]
    assert answer["method"] == (None if method == "GT+MV" else method)
    why = [note["code"] for one in answer["passed_over"] for note in one["why"]]
    assert why == ["not_by_itself"] * (method == "GT+MV")
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
             "diagnostics_passed": method not in failed, "message": "R-hat 1.2", "notes": ()}
            | changes.get(method.replace("-", "_"), {})
        )  # fmt: skip
    return pd.DataFrame(rows)


CHOSEN = why_set_aside(GoldSample(1e-9))
FAILED = {"estimate": np.nan, "notes": (Note("failed", {"error": "why"}),)}


def choice(table, gold=100, aside=None, unusable=()):
    """The answer of the only metric of a table."""
    (one,) = answers_in(table, gold, aside, unusable)
    return one


def by(answer):
    """The method that gives an answer, and the reason that it is not corrected by gold."""
    return answer.value and answer.value.method, answer.reason


def passed(answer):
    """The methods that were passed over, with codes."""
    return [(one.method, codes(one.why)) for one in answer.passed_over]


ALL = ("GT", "MAVEN-C", "DS", "votes-R", "CLARA", "MAVEN-R", "logistic-R", "MAVEN")


def test_with_gold_the_answer_is_corrected_by_it_in_one_order():
    """However little gold there is; each method only where the one before it was not asked for, or
    has no value."""
    assert with_role(CORRECTED)[:5] == ("logistic-E", "GT-E", "logistic-R", "votes-R", "GT")
    for gold in (2, 20, 200, 5000):
        left = list(ALL)
        for method in ("logistic-R", "votes-R", "GT", "MAVEN-R"):
            one = choice(rows_of(left), gold)
            assert by(one) == (method, None)
            other = choice(rows_of(left, **{method.replace("-", "_"): FAILED}), gold)
            assert other.passed_over[0] == Passed(method, FAILED["notes"])
            assert by(other)[0] != method
            left.remove(method)


@pytest.mark.parametrize("first", ["logistic-R", "votes-R", "GT", "MAVEN-R"])
def test_no_other_method_steps_in_where_gold_says_too_little_for_an_interval(first):
    """Nor one that gold corrects, nor a model; a method that cannot be used is passed over."""
    asked = [*with_role(CORRECTED)[with_role(CORRECTED).index(first) :], *OF_MODELS]
    why = (Note("vague"),)
    none = {first.replace("-", "_"): {"lower": np.nan, "upper": np.nan, "notes": why}}
    one = choice(rows_of(asked, **none))
    assert (one.value, one.beside, one.passed_over) == (None, None, (Passed(first, why),))
    assert by(choice(rows_of(asked, **none), unusable=[first])) == (asked[1], None)


def test_an_interval_that_says_next_to_nothing_is_no_answer_and_no_other_method_steps_in():
    """Of a metric from 0 to 1 above .9 wide; a difference may be twice as wide."""
    for metric, least in (("prevalence", 0.05), ("AUC", 0.05), ("delta_AUC", -0.85)):
        wide = {"lower": least, "upper": 0.96}
        one = choice(rows_of(ALL, metric, logistic_R=wide))
        why = (Note("too_wide", wide),)
        assert (one.value, one.beside) == (None, None)
        assert one.passed_over == (Passed("logistic-R", why),)
        narrower = choice(rows_of(ALL, metric, logistic_R={**wide, "upper": 0.94})).value
        assert (narrower.method, narrower.upper) == ("logistic-R", 0.94)


def test_an_answer_that_says_little_has_a_remark():
    """More than half of the metric's range, where gold labels are: else the range tells."""
    for metric, width in (("prevalence", 0.5), ("AUC", 0.5), ("delta_AUC", 1.0)):
        for more in (-0.01, 0.01):
            ends = {"lower": 0.3 - width / 2, "upper": 0.3 + width / 2 + more}
            one = choice(rows_of(ALL, metric, logistic_R=ends))
            assert codes(one.notes) == ("wide" if more > 0 else "")
            assert one.value.lower == ends["lower"]
    wide = {"lower": 0.1, "upper": 0.8}
    assert choice(rows_of(["MAVEN-C"], MAVEN_C=wide), gold=0).notes == ()
    only = choice(rows_of(["GT"], GT=wide | {"notes": (Note("gold_alone"),)}))
    assert codes(only.notes) == "gold_alone wide"


def test_badge_and_conditions_follow_where_an_interval_is_no_answer():
    answer = choice(rows_of(ALL, "AUC", logistic_R={"lower": 0.03, "upper": 1.0}))
    key, found = Key(answer.of), Evaluation({}, {}, (answer,))
    assert badge(key, answer_to(key, found)) == "AUC m no answer"
    (one,) = outcomes(found, [Condition("AUC < 0.01", key, "<", 0.01)], POSSIBLY)
    assert (one.failed, one.holds, one.value) == (None, None, None)
    assert passed(answer) == [("logistic-R", "too_wide")]
    assert one.why == answer.passed_over[0].text


def test_where_experts_errors_are_known_none_that_takes_gold_for_the_truth_answers():
    """However much narrower its interval is; before they are known it does."""
    asked = [*ALL, "logistic-E", "GT-E"]
    assert by(choice(rows_of(asked))) == ("logistic-E", None)
    assert by(choice(rows_of(asked, logistic_E=FAILED))) == ("GT-E", None)
    nobody = choice(rows_of(asked, logistic_E=FAILED, GT_E=FAILED))
    assert by(nobody) == (None, None)
    assert ("logistic-R", "takes_gold_for_true") in passed(nobody)
    assert by(choice(rows_of(ALL))) == ("logistic-R", None)


@pytest.mark.parametrize("metric", ["prevalence", "AUC"])
def test_no_diagnostics_of_chains_decide_about_what_gold_corrects(metric):
    """A model whose chains had not converged vetoes nothing; nor do those behind MAVEN-R."""
    one = choice(rows_of(ALL, metric, failed=ALL))
    assert (by(one), one.passed_over, one.beside) == (("logistic-R", None), (), None)
    alone = choice(rows_of(["MAVEN-R", "MAVEN", "MAVEN-C"], metric, failed=["MAVEN-R"]))
    assert (by(alone), alone.passed_over) == (("MAVEN-R", None), ())
    assert alone.beside.method == "MAVEN-C"


@pytest.mark.parametrize("metric", ["AUC", "recall@0.5", "delta_TPR", "delta_AUC"])
@pytest.mark.parametrize("situation", ["no gold", "chosen", "only models"])
def test_models_that_ignore_the_scores_answer_nothing_that_is_of_scores(metric, situation):
    """DS and CLARA, where nothing else is there either; of labels they do. judges uses them."""
    gold, aside = 0 if situation == "no gold" else 100, CHOSEN if situation == "chosen" else None

    def chosen(methods, metric=metric):
        return choice(rows_of(methods, metric), gold, aside)

    one = chosen(["DS", "CLARA"])
    assert one.value is None
    assert passed(one) == [(name, "without_scores") for name in ("DS", "CLARA")]
    assert by(chosen(["CLARA", "DS", "MAVEN"]))[0] == "MAVEN"
    assert by(chosen(["CLARA", "DS", "MAVEN", "judges"]))[0] == "judges"
    assert by(chosen(["CLARA", "DS"], "TPR_H"))[0] == "DS"
    assert choice(rows_of(["GT", "DS", "CLARA"], metric)).beside is None


def test_without_gold_a_model_answers_and_says_so():
    one = choice(rows_of(OF_MODELS), gold=0)
    assert by(one) == ("MAVEN-C", rules.NO_GOLD)
    assert with_role(MODEL) == OF_MODELS
    failed = choice(rows_of(OF_MODELS, failed=["MAVEN-C"]), gold=0)
    assert by(failed) == ("judges", rules.NO_GOLD)
    why = (Note("not_converged", {"message": "R-hat 1.2"}),)
    assert failed.passed_over == (Passed("MAVEN-C", why),)
    assert failed.remarks == f"instead of {failed.passed_over[0].text}"


def test_where_gold_is_surely_chosen_a_model_answers_and_says_so():
    """What gold would correct is no answer then, though nothing else be there."""
    assert by(choice(rows_of(ALL), aside=CHOSEN)) == ("MAVEN-C", CHOSEN)
    # Such gold contradicts nothing, and is no measure of what an interval is worth.
    flagged = choice(rows_of(ALL, contradicted=["MAVEN-C", "DS"]), aside=CHOSEN)
    for value in (flagged.value, flagged.beside):
        assert value.contradicted is value.as_gold is None
    only = choice(rows_of(["logistic-R", "GT"]), aside=CHOSEN)
    assert by(only) == (None, CHOSEN)
    assert passed(only)[0] == ("logistic-R", "not_from_this_gold")
    assert only.passed_over[-1] == NO_MODEL


def test_models_alone_answer_where_they_alone_were_asked_for():
    """But none that gold labels contradict, and not where one that gold corrects was asked for,
    though it has no value there."""
    one = choice(rows_of(OF_MODELS, contradicted=["MAVEN-C"]))
    assert by(one) == ("judges", rules.ONLY_MODELS)
    assert passed(one) == [("MAVEN-C", "contradicted")]
    table = pd.concat([rows_of(["logistic-R", "DS"]), rows_of(["DS", "MAVEN"], "AUC")])
    prevalence, auc = answers_in(table, 50)
    assert (prevalence.of.metric, *by(prevalence)) == ("prevalence", "logistic-R", None)
    assert (auc.of.metric, *by(auc)) == ("AUC", None, None)
    assert passed(auc)[0] == ("DS", "model_beside_gold")


def test_what_the_data_do_not_support_is_no_answer():
    assert by(choice(rows_of(ALL), unusable=["logistic-R"])) == ("votes-R", None)
    nobody = choice(rows_of(["GT", "DS"]), unusable=["GT"])
    assert nobody.value is None
    assert nobody.passed_over[0] == Passed("GT", (Note("no_votes"),))


def test_the_model_beside_an_answer_is_flagged_where_gold_contradicts_it():
    one = choice(rows_of(ALL, contradicted=["MAVEN-C"]))
    beside = one.beside
    assert (one.value.contradicted, beside.method, beside.contradicted) == (None, "MAVEN-C", True)
    assert choice(rows_of(ALL)).beside.contradicted is False
