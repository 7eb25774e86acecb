"""Scores of some of the items: what is said of each model, of two, and what cannot be had."""

import json
import warnings
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest

import crowdgold
from crowdgold.checking.gold_sample import assess_gold_sample
from crowdgold.cli import main
from crowdgold.evaluation import fitting
from crowdgold.evaluation.answer import answer_of
from crowdgold.evaluation.questions import Settings
from crowdgold.evaluation.study import evaluate_study
from crowdgold.methods.registry import METHODS, answering
from crowdgold.models.stan import StanModels
from crowdgold.reading.study import Study, read_study
from crowdgold.types.errors import InputError
from crowdgold.types.items import items_from_frame

ITEMS, GOLD = 240, 80
NO_GOLD_SCORED = (
    f"none of the {GOLD} gold items has a score of A; have A score the {GOLD} gold items"
)
NONE_IN_COMMON = f"no item has a score of both A and B; have both score the {GOLD} gold items"
EVERY, EVEN = np.ones(ITEMS, dtype=bool), np.arange(ITEMS) % 2 == 0


def drawn():
    """Which items have a gold label: a random sample."""
    gold = np.zeros(ITEMS, dtype=bool)
    gold[np.random.default_rng(3).choice(ITEMS, GOLD, replace=False)] = True
    return gold


IS_GOLD = drawn()
FIRST = np.flatnonzero(IS_GOLD)
PATTERNS = {
    "gold only": {"A": IS_GOLD},
    "others only": {"A": ~IS_GOLD},
    "others only, and all": {"A": ~IS_GOLD, "B": EVERY},
    "disjoint": {"A": EVEN, "B": ~EVEN},
    "overlapping": {
        "A": np.arange(ITEMS) < 160, "B": np.arange(ITEMS) >= 80, "C": np.arange(ITEMS) % 5 > 1,
    },
    "disjoint, and all": {"A": EVEN, "B": ~EVEN, "C": EVERY},
    "one": {"A": np.isin(np.arange(ITEMS), FIRST[:1])},
    "one without gold": {"A": np.isin(np.arange(ITEMS), np.flatnonzero(~IS_GOLD)[:1])},
    "two": {"A": np.isin(np.arange(ITEMS), FIRST[:2]), "B": EVERY},
    "three with gold": {"A": ~IS_GOLD | np.isin(np.arange(ITEMS), FIRST[:3]), "B": EVERY},
    "nearly all": {"A": np.arange(ITEMS) > 1, "B": np.arange(ITEMS) < ITEMS - 2},
}  # fmt: skip
"""Which items each model scored."""
REPORTED = ("others only, and all", "overlapping")


def table(masks, seed=5, prevalence=0.35):
    """Votes, gold labels and scores, invented; the gold items are always the same."""
    rng = np.random.default_rng(seed)
    truth = rng.random(ITEMS) < prevalence
    found = pd.DataFrame(
        {
            "item": [f"i{k:03d}" for k in range(ITEMS)],
            "votes_positive": rng.binomial(5, np.where(truth, 0.75, 0.2)),
            "votes_total": 5,
            "gold": np.where(IS_GOLD, truth, np.nan),
        }
    )
    for name in "ABC":
        scores = 1 / (1 + np.exp(-1.4 * (2 * truth - 1) - rng.normal(size=ITEMS)))
        if name in masks:
            found[f"score_{name}"] = np.where(masks[name], scores.round(6), np.nan)
    return found


def study(masks, **how):
    return Study(items_from_frame(table(masks, **how), np.random.default_rng(1), unscored=True))


def evaluated(masks, methods=("logistic-R", "GT"), metrics=("prevalence", "TPR_H", "AUC"), **how):
    return evaluate_study(study(masks, **how), Settings(methods, metrics), StanModels())


def heads(found):
    return {(one["metric"], one["model"], one["against"]): one for one in found["answers"]}


def passed(one):
    """The methods passed over, and why, in words."""
    return [other.text for other in answer_of(one).passed_over]


def numbers(one):
    return one["estimate"], one["lower"], one["upper"]


@pytest.fixture(autouse=True)
def no_warnings():
    """A library's warning is an error here: none may reach a user."""
    with warnings.catch_warnings(), np.errstate(all="warn"):
        warnings.simplefilter("error", RuntimeWarning)
        yield


@pytest.fixture
def given(tmp_path):
    """`evaluate` of what models scored in a pattern, by what samples nothing."""

    def write(masks):
        table(masks).to_csv(tmp_path / "study.csv", index=False)
        files = [str(tmp_path / "study.csv"), "--out", str(tmp_path / "out")]
        return ["evaluate", *files, "--no-models", "--cores", "1"]

    return write


@pytest.mark.parametrize(
    "pattern", sorted(PATTERNS.keys() - {"others only", "disjoint", "nearly all"})
)
def test_every_pattern_is_answered(pattern, given, tmp_path, capsys):
    """Check, evaluate and report end well; label metrics stand; each number is one, or has a
    reason."""
    masks, out = PATTERNS[pattern], tmp_path / "out"
    asked = given(masks)
    assert main(["check", asked[1]]) == 0
    assert main(asked) == 0
    if pattern in REPORTED:
        assert main(["report", str(out)]) == 0
    said = capsys.readouterr()
    assert "failed" not in said.out + said.err
    assert "Warning: " not in said.err.replace("Warning: A", "")
    assert "nan" not in said.out
    summary = json.loads((out / "study.json").read_text())
    assert not any(one["failed"] for one in summary["not_run"])
    assert summary["strata"][0]["gold_random"]
    for metric in ("prevalence", "TPR_H", "TNR_H"):
        assert heads(summary)[metric, "", ""]["method"] == answering()
    for one in summary["answers"]:
        if one["method"] is None:
            assert one["passed_over"]
        else:
            assert all(np.isfinite(numbers(one)))
    if pattern == "others only, and all":
        checked = crowdgold.check(crowdgold.read(asked[1]))
        assert f"A: no number: {NO_GOLD_SCORED}" in [one.text for one in checked.warnings]
    wanted = len(masks) * 6 + len(masks) * (len(masks) - 1) // 2 * 6 + 3
    assert len(summary["answers"]) == wanted
    notes = " ".join(summary["notes"])
    for name, mask in masks.items():
        with_gold = f"{(mask & IS_GOLD).sum()} of {GOLD} gold items: its numbers are about items"
        told = f"{name} scored {mask.sum()} of {ITEMS} items, {with_gold}"
        assert (told in notes) == (not mask.all())
    for first, second in pairwise(masks):
        both = (masks[first] & masks[second]).sum()
        assert f"{first} and {second} {both} of {ITEMS} items" in notes


@pytest.mark.parametrize("pattern", ["gold only", "others only", "disjoint"])
def test_what_needs_no_score_is_as_without_scores(pattern):
    """A model's scores may be of some items because these have gold labels, so that a prediction
    that sees them does not speak alike of the two; the gold labels cannot correct it then."""
    found, without = (heads(evaluated(masks).as_json()) for masks in (PATTERNS[pattern], {}))
    for metric in ("prevalence", "TPR_H"):
        assert numbers(found[metric, "", ""]) == numbers(without[metric, "", ""])


def test_the_truth_is_covered_where_a_model_ran_on_gold_and_few_others():
    """A score counts as in the middle of the ranking where it is missing, so that the prediction
    would be another for gold items than for others; 1 of 12 intervals of the prevalence held it."""
    masks = {"A": IS_GOLD | (np.arange(ITEMS) % 8 == 0), "B": EVERY}
    held = 0
    for seed in range(12):
        one = heads(evaluated(masks, seed=seed, prevalence=0.2).as_json())["prevalence", "", ""]
        held += one["lower"] <= 0.2 <= one["upper"]
    assert held >= 10


def test_a_few_missing_scores_take_none_from_the_prediction():
    whole, nearly = (
        heads(evaluated(masks).as_json())
        for masks in ({"A": EVERY, "B": EVERY}, PATTERNS["nearly all"])
    )
    one, other = whole["prevalence", "", ""], nearly["prevalence", "", ""]
    assert other["upper"] - other["lower"] == pytest.approx(one["upper"] - one["lower"], rel=0.05)


def test_a_model_is_what_its_own_items_say():
    """Of the items that it scored alone, whatever else there is."""
    found = heads(evaluated(PATTERNS["disjoint"]).as_json())
    items = study({"A": EVEN}).items
    alone = evaluate_study(
        Study(items.take(EVEN)), Settings(("logistic-R", "GT"), ("AUC",)), StanModels()
    )
    assert numbers(found["AUC", "A", ""]) == numbers(heads(alone.as_json())["AUC", "A", ""])
    gold = int((EVEN & IS_GOLD).sum())
    assert found["AUC", "A", ""]["gold"] == gold
    rows = evaluated(PATTERNS["disjoint"]).tables["estimates"]
    by_gold = rows[(rows["method"] == "GT") & (rows["model"] == "A") & (rows["against"] == "")]
    assert by_gold["effective_gold"].tolist() == [gold]


@pytest.mark.parametrize(
    ("pattern", "nothing", "why", "something"),
    [
        ("others only, and all", ["A", "AB"], NO_GOLD_SCORED, ["B"]),
        ("disjoint, and all", ["AB"], NONE_IN_COMMON, ["A", "B", "AC", "BC"]),
    ],
)
def test_what_cannot_be_had_of_models_is_said_and_the_rest_stands(pattern, nothing, why, something):
    """Two models without an item in common each have their say, with a third that scored all."""
    found = heads(evaluated(PATTERNS[pattern]).as_json())

    def of(models):
        return found["delta_AUC" if models[1:] else "AUC", models[0], models[1:]]

    for models in nothing:
        assert passed(of(models)) == [f"logistic-R: {why}", f"GT: {why}"]
    assert all(of(models)["method"] in (answering(), "GT") for models in something)


def test_one_gold_item_with_a_score_is_too_few():
    one = heads(evaluated(PATTERNS["one"]).as_json())["AUC", "A", ""]
    assert passed(one)[0] == (
        "logistic-R: 1 of the 80 gold items has a score of A, expected at least 2; have A score "
        "the 80 gold items"
    )


def test_a_difference_is_that_of_the_items_that_both_scored():
    masks = PATTERNS["overlapping"]
    both = masks["A"] & masks["B"]
    found = heads(evaluated(masks).as_json())["delta_AUC", "A", "B"]
    items = study(dict.fromkeys("AB", EVERY)).items.take(both)
    alone = evaluate_study(Study(items), Settings(("logistic-R", "GT"), ("AUC",)), StanModels())
    assert numbers(found) == numbers(heads(alone.as_json())["delta_AUC", "A", "B"])


def test_that_a_score_is_missing_says_nothing_of_how_gold_was_drawn():
    """Gold of the items with the higher scores, where there is one, is doubted all the same."""
    rng = np.random.default_rng(11)
    for pattern in ("gold only", "others only", "three with gold"):
        assert not assess_gold_sample(study(PATTERNS[pattern]).items, rng).chosen
    frame = table({"A": EVEN})
    high = (frame["score_A"] > frame["score_A"].median()).to_numpy()
    frame["gold"] = np.where(high | (~EVEN & IS_GOLD), 0.0, np.nan)
    frame.loc[frame.index[IS_GOLD & (frame["gold"] == 0)], "gold"] = 1.0
    found = assess_gold_sample(items_from_frame(frame, rng, unscored=True), rng)
    assert found.surely_chosen
    assert found.shifts[0].feature == "rank by score of A"


def test_gold_and_a_few_others_scored_are_no_doubt():
    """Of all gold items and few others the ranks vary more than those of as many items drawn among
    all: they are held against each other, among the items with a score."""
    doubted = 0
    for seed in range(40):
        rng = np.random.default_rng(1000 + seed)
        masks = {"A": IS_GOLD | (rng.random(ITEMS) < 0.1)}
        doubted += assess_gold_sample(study(masks, seed=seed).items, rng, 199).p < 0.05
    assert doubted <= 6


@pytest.fixture
def broken(monkeypatch):
    """The method of the answer fails."""

    def fail(*given):
        raise ZeroDivisionError("division by zero")

    monkeypatch.setitem(METHODS, answering(), replace(METHODS[answering()], of_items=fail))


def test_a_method_that_fails_is_said_and_its_successor_has_no_mark_of_it(
    broken, given, tmp_path, capsys
):
    """Exit code 1: who announced logistic-R and printed votes-R has not done what was asked."""
    asked = given({"A": EVERY, "B": EVEN})
    assert main([*asked, "--fail-if", "prevalence > 0.9"]) == 1
    said = capsys.readouterr()
    (line,) = (one for one in said.out.splitlines() if one.startswith("prevalence"))
    assert "votes-R" in line
    assert "gold-corrected" not in said.out
    why = "logistic-R: it failed: ZeroDivisionError: division by zero"
    assert f"by votes-R instead of {why}" in " ".join(said.out.split())
    assert "logistic-R, which was to give the answer, failed" in " ".join(said.err.split())
    summary = json.loads((tmp_path / "out/study.json").read_text())
    assert all(passed(one)[0] == why for one in summary["answers"])
    failed = [(one["method"], one["model"]) for one in summary["not_run"] if one["failed"]]
    assert failed == [("logistic-R", "")]
    assert main([*asked, "--methods", "votes-R", "GT"]) == 0
    assert "gold-corrected" in capsys.readouterr().out
    # With no other method left it is an error.
    assert main([*asked, "--methods", answering()]) == 1
    assert "ZeroDivisionError" in capsys.readouterr().err


def test_a_failure_of_one_model_leaves_the_others(monkeypatch):
    """It is said of the model, and of its differences."""
    whole = fitting.sample_of

    def fails_of_one(fit, view, *given):
        if view.predictor == "A":
            raise FloatingPointError("of A")
        return whole(fit, view, *given)

    monkeypatch.setattr(fitting, "sample_of", fails_of_one)
    found = evaluated({"A": EVERY, "B": EVERY}, ("logistic-R",)).as_json()
    failed = [(one["method"], one["model"]) for one in found["not_run"]]
    assert failed == [("logistic-R", "A")]
    for key, one in heads(found).items():
        assert (one["method"] is None) == ("A" in key)
        if one["method"] is None:
            assert passed(one) == ["logistic-R: it failed: FloatingPointError: of A"]


def test_a_condition_on_what_cannot_be_had_says_why(given, capsys):
    asked = given(PATTERNS["disjoint"])
    assert main([*asked, "--json", "--fail-if", "delta_AUC:A-B < 0"]) == 1
    said = capsys.readouterr()
    assert f"logistic-R: {NONE_IN_COMMON}" in " ".join(said.err.split())
    (condition,) = json.loads(said.out)["conditions"]
    assert condition["failed"] is None
    assert main([*asked, "--fail-if", "AUC:A < 0.5"]) == 0


def test_more_labels_are_planned_for_the_items_that_a_model_scored(tmp_path, capsys):
    path = str(tmp_path / "study.csv")
    asked = ["plan", "--more", "--width", "0.5", "--pilot", path]
    table(PATTERNS["disjoint"]).to_csv(path, index=False)
    assert main([*asked, "--metric", "AUC:A"]) == 0
    assert f"with {(EVEN & IS_GOLD).sum()} gold labels" in capsys.readouterr().out
    assert main([*asked, "--metric", "prevalence"]) == 0
    assert f"with {GOLD} gold labels" in capsys.readouterr().out
    table(PATTERNS["others only"]).to_csv(path, index=False)
    assert main([*asked, "--metric", "AUC:A"]) == 2
    assert NO_GOLD_SCORED in " ".join(capsys.readouterr().err.split())


def test_without_gold_labels_nothing_is_missing_but_items_in_common():
    frame = table(PATTERNS["disjoint"]).drop(columns="gold")
    items = items_from_frame(frame, np.random.default_rng(1), unscored=True)
    found = evaluate_study(Study(items), Settings(("DS", "GT+MV"), ("AUC",)), StanModels())
    assert found.answers[0].allowed


def test_a_column_of_scores_without_a_number_is_named(tmp_path):
    """The user is to leave it out."""
    table({"A": EVERY}).assign(score_B=np.nan).to_csv(tmp_path / "study.csv", index=False)
    with pytest.raises(InputError, match=r"score_B.*no number in any row"):
        read_study([str(tmp_path / "study.csv")])


def test_scores_that_are_alike_on_the_gold_items_are_no_failure():
    frame = table({"A": EVERY, "B": EVERY})
    frame.loc[IS_GOLD, "score_A"] = 0.7
    items = items_from_frame(frame, np.random.default_rng(1), unscored=True)
    settings = Settings(("logistic-R", "GT"), ("AUC", "precision"))
    found = evaluate_study(Study(items), settings, StanModels())
    assert not found.summary.not_run
    gold = items.gold[IS_GOLD]
    row = found.tables["estimates"].query("method == 'GT' and metric == 'precision@0.5'")
    assert row["estimate"].iloc[0] == pytest.approx((gold == 1).mean())
