"""Few gold labels in a denominator: no interval from gold, and no other method in its place."""

import json
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from crowdgold.cli import main
from crowdgold.evaluation.answer import Passed, Quantity
from crowdgold.evaluation.questions import Settings
from crowdgold.evaluation.study import evaluate_study
from crowdgold.inference.estimate import FEWEST
from crowdgold.models.stan import StanModels
from crowdgold.presentation.text import describe
from crowdgold.reading.study import Study
from crowdgold.types.items import NO_GOLD
from crowdgold.types.notes import Note, texts
from unit.made_study import answers_in
from unit.test_evaluate_study import as_file, simulated

FLAGGED = FEWEST - 1


def rests(code, number):
    return Note(code, {"number": number, "units": "gold items"})


WHY = (Note("vague"), rests("rests_on_few", FLAGGED))


def flagging(items, model, most):
    """Set scores so that 0.5 flags so many gold items and as many others, all of them positive."""
    scores = np.where(items.truth == 1, 0.4, 0.3) + np.linspace(0, 0.05, len(items))
    for known in (True, False):
        some = (items.truth == 1) & ((items.gold != NO_GOLD) == known)
        scores[np.flatnonzero(some)[:most]] = 0.9
    items.scores[model][:] = scores


@pytest.fixture(scope="module")
def items():
    """300 gold items, of which one model flags two and the other 40."""
    made = simulated(600, 300)
    flagging(made, "large", FLAGGED)
    flagging(made, "small", 40)
    return made


def evaluated(items, *metrics, methods=("GT",)):
    settings = Settings(methods=methods, metrics=metrics)
    return evaluate_study(Study(items), settings, StanModels())


@pytest.fixture(scope="module")
def found(items):
    return evaluated(items, "prevalence", "precision")


def test_gold_alone_gives_no_interval_of_two_items(found):
    """Both are positive, so that they contribute the same: the exact bound says nearly nothing."""
    rows = found.tables["estimates"].set_index(["model", "against"])
    large, small = rows.loc["large", ""], rows.loc["small", ""]
    assert large["metric"] == "precision@0.5"
    assert large["estimate"] == 1
    assert np.isnan([large["lower"], large["upper"], large["standard_error"]]).all()
    assert (large["codes"], large["note"]) == ("vague rests_on_few", texts(WHY))
    assert np.isfinite([small["lower"], small["upper"]]).all()
    # Of a difference, the smaller count.
    assert WHY[1].text in rows.loc["large", "small"]["note"]
    whole = rows[rows["metric"] == "prevalence"]
    assert np.isfinite(whole["lower"]).all()


def test_three_items_that_are_alike_have_nearly_the_exact_bound(items):
    """1 - (alpha / 2)^(1 / 3), within a tenth of the range by the interval of one more label."""
    three = replace(items, scores={name: values.copy() for name, values in items.scores.items()})
    flagging(three, "large", FEWEST)
    rows = evaluated(three, "precision").tables["estimates"].set_index(["model", "against"])
    one = rows.loc["large", ""]
    assert (one["estimate"], one["upper"], one["note"]) == (1, 1, "")
    assert one["lower"] == pytest.approx(0.025 ** (1 / 3), abs=0.1)


@pytest.mark.parametrize("method", ["GT", "votes-R", "logistic-R"])
@pytest.mark.parametrize("positive", [1, 2, 3, 4])
def test_a_rate_and_an_area_have_a_bound_or_a_reason_below_three_items(method, positive):
    """Of the class that they rest on; what rests on all gold items has an interval throughout."""
    items = simulated(600, 300)
    gold = np.where(items.gold == 0, 0, NO_GOLD).astype(np.int8)
    gold[np.flatnonzero(items.gold == 1)[:positive]] = 1
    found = evaluated(replace(items, gold=gold), "prevalence", "TPR_H", "AUC", methods=(method,))
    rows = found.tables["estimates"]
    assert np.isfinite(rows["estimate"]).all()
    few = rows["metric"] != "prevalence"
    assert few.sum() == 4
    has = np.isfinite(rows[["lower", "upper"]]).all(axis=1)
    assert has[~few].all()
    for row, printed in zip(rows[few].to_dict("records"), has[few], strict=True):
        if positive >= FEWEST:
            assert printed
            assert row["codes"] in ("", "gold_alone")
        elif printed:
            assert rests("exact_bound", positive).text in row["note"]
        else:
            assert row["note"] == texts((WHY[0], rests("rests_on_few", positive)))


@pytest.mark.parametrize("positive", [4, 100])
def test_an_answer_that_rests_on_few_labels_and_says_little_is_told(positive):
    """Two of four positives flagged: the interval is as wide as two thirds of all values."""
    items = simulated(1200, 600)
    true = items.truth == 1
    some = [np.flatnonzero(true & ((items.gold == 1) == known))[:positive] for known in (0, 1)]
    items = items.take(np.concatenate([np.flatnonzero(~true), *some]))
    known = np.flatnonzero(items.gold == 1)
    items.scores["large"][:] = 0.2
    items.scores["large"][known] = np.where(np.arange(positive) % 2, 0.9, 0.1)
    found = evaluated(items, "recall", "prevalence")
    wide = [one.of for one in found.answers if one.has("wide")]
    assert (Quantity("recall@0.5", "large") in wide) == bool(wide) == (positive == 4)
    told, wanted = told_of(found), f"{Note('wide').text}; 4 gold labels of the rarer class"
    assert (f"recall@0.5 large: {wanted}" in told) == (Note("wide").text in told) == bool(wide)


def told_of(found):
    return " ".join(describe(found).split())


def rows_about(found, model):
    table = found.tables["estimates"]
    return table[(table["metric"] == "precision@0.5") & (table["model"] == model)]


def test_the_answer_says_why_there_is_none_and_no_model_answers_where_gold_cannot(found):
    """Its number stands in the table of estimates; the reason of the first method is said."""
    answers = {one.of: one for one in found.answers}
    one = answers[Quantity("precision@0.5", "large")]
    assert (one.value, one.passed_over) == (None, (Passed("GT", WHY),))
    assert WHY[1].text in told_of(found)
    assert answers[Quantity("precision@0.5", "small")].value.method == "GT"
    own, why = rows_about(found, "large").assign(notes=[WHY]), Passed("logistic-R", WHY)
    by_model = own.assign(method="MAVEN-C", lower=0.7, upper=0.9, notes=[()], effective_gold=90.0)
    corrected = own.assign(method="logistic-R")
    (one,) = answers_in(pd.concat([own, corrected, by_model]), 300)
    assert (one.value, one.passed_over) == (None, (why,))
    told = told_of(replace(found, answers=(one,)))
    assert f"precision@0.5 large: no answer: {why.text}" in told


def test_an_answer_by_the_next_method_names_the_first(found):
    own, why = rows_about(found, "small").assign(notes=[()]), (Note("failed", {"error": "why"}),)
    none = own.assign(method="logistic-R", estimate=np.nan, lower=np.nan, notes=[why])
    (one,) = answers_in(pd.concat([own, none]), 300)
    assert (one.value.method, one.passed_over) == ("GT", (Passed("logistic-R", why),))
    told = told_of(replace(found, answers=(one, replace(one, of=Quantity("F1@0.5", "small")))))
    assert f"precision@0.5 small, F1@0.5 small: by GT {one.remarks}" in told
    assert one.passed_over[0].text in one.remarks


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


def test_a_single_gold_label_leaves_the_ranges_of_none(items):
    """And two that are of one class, with another reason; with 40 the ranges are gone."""
    labelled = np.random.default_rng(5).permutation(np.flatnonzero(items.gold != NO_GOLD))
    reasons = {}
    for kept in (0, 1, 2, 40):
        gold = np.full(len(items), NO_GOLD, dtype=np.int8)
        gold[labelled[:kept]] = items.gold[labelled[:kept]]
        few = evaluated(replace(items, gold=gold), "prevalence")
        (one,) = few.answers
        reasons[kept] = one.reason and one.reason.code, one.allowed
    assert (reasons[0][0], reasons[1][0]) == ("no_gold", "single_gold")
    assert reasons[1][1].ends == reasons[0][1].ends
    assert reasons[1][1].ends
    assert reasons[2][0] == "too_few_gold"
    assert reasons[2][1].ends
    assert reasons[40] == (None, None)


def test_a_difference_says_where_its_two_values_do_not_differ_by_it():
    """One of them is from gold labels alone; where all three are corrected nothing is said."""

    def row(model, against, metric, estimate, codes=()):
        return {"stratum": "all", "model": model, "against": against, "metric": metric,
                "method": "logistic-R", "estimate": estimate, "lower": estimate - 0.1,
                "upper": estimate + 0.1, "standard_error": 0.05,
                "notes": tuple(map(Note, codes)),
                "diagnostics_passed": True, "misfit": np.nan}  # fmt: skip

    def codes(alone):
        table = [row("a", "", "precision@0.5", 1.0, alone), row("b", "", "precision@0.5", 0.668),
                 row("a", "b", "delta_precision@0.5", -0.088)]  # fmt: skip
        *_, difference = answers_in(pd.DataFrame(table), 40)
        return [one.code for one in difference.notes], difference.notes

    names, notes = codes(["gold_alone"])
    assert names == ["parts_apart"]
    assert notes[0].values["apart"] == pytest.approx(0.332)
    assert codes(())[0] == []
