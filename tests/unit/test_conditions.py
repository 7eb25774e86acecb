"""Conditions on answers (`--fail-if`), what decides them, and an answer in a line (`--badge`)."""

import json
import re
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from crowdgold.cli import main
from crowdgold.cli.evaluate import exit_code
from crowdgold.evaluation.answer import Answer, Passed, Quantity, Value, VotesRange
from crowdgold.evaluation.choosing import quantities_asked
from crowdgold.evaluation.conditions import Key, answer_to, find_answer, outcomes, read_condition
from crowdgold.evaluation.folder import Evaluation
from crowdgold.evaluation.questions import Settings, read_thresholds
from crowdgold.presentation.answers import badge
from crowdgold.types.errors import InputError
from crowdgold.types.items import Items
from crowdgold.types.notes import Note
from crowdgold.types.parameters import RULES
from unit.made_files import first_items
from unit.made_study import evaluation_in


def items(*models):
    rng = np.random.default_rng(3)
    scores = {name: rng.random(6) for name in models}
    votes = np.array([1, 0, 2, 3, 0, 1])
    return Items(np.arange(6).astype(str), votes, np.full(6, 3), np.full(6, -1), scores,
                 tie_break=np.arange(6.0))  # fmt: skip


def evaluation(answers):
    """What exit codes read of an evaluation in which no method failed."""
    return SimpleNamespace(summary=SimpleNamespace(not_run=[]), answers=answers)


ANSWERS = (
    Answer("all", Quantity("AUC", "large"), Value("GT", 0.9, 0.85, 0.93)),
    Answer("all", Quantity("AUC", "small"), Value("GT", 0.8, 0.75, 0.84)),
    Answer("all", Quantity("delta_AUC", "large", "small"), Value("GT", 0.1, 0.02, 0.16)),
)


def decide(text, rule="surely"):
    condition = read_condition(text, Settings(), items("large", "small"))
    inside = Value("GT", 0.9, 0.1, 0.1)  # of a stratum, which no condition is about
    others = (replace(one, stratum="age = old", value=inside) for one in ANSWERS)
    (found,) = outcomes(Evaluation({}, {}, (*others, *ANSWERS)), [condition], rule)
    return found


@pytest.mark.parametrize(
    ("text", "holds", "at_estimate"),
    [
        ("AUC:large < 0.95", "surely", True),
        ("AUC:large < 0.93", "possibly", True),
        ("AUC:large <= 0.93", "surely", True),
        ("AUC:large < 0.88", "possibly", False),
        ("AUC:large < 0.85", "no", False),
        ("AUC:large<=0.85", "possibly", False),
        ("AUC:large > 0.85", "possibly", True),
        ("AUC:large >= 0.85", "surely", True),
        ("AUC:small > .9", "no", False),
        ("delta_AUC <= 0", "no", False),
        ("delta_AUC:large-small > 0", "surely", True),
        ("delta_AUC:small - large < 0", "surely", True),
        ("delta_AUC:small-large <= -1e-1", "possibly", True),
    ],
)
def test_a_condition_is_decided_on_the_interval(text, holds, at_estimate):
    """By default where it holds at both ends; by the other rules at the estimate, or at one end."""
    found = [decide(text, rule) for rule in RULES]
    assert {one.holds for one in found} == {holds}
    assert {one.fail_on: one.failed for one in found} == {
        "surely": holds == "surely", "estimate": at_estimate, "possibly": holds != "no",
    }  # fmt: skip
    assert decide(text).failed == (holds == "surely")


def test_an_answer_turned_round_has_its_ends_turned():
    found = decide("delta_AUC:small-large < 0")
    assert found.answer == "delta_AUC:small-large"
    assert found.value == Value("GT", -0.1, -0.16, -0.02)


def test_what_has_no_answer_is_neither_passed_nor_failed():
    found = decide("prevalence > 0.5")
    assert found.failed is found.value is found.as_json()["lower"] is None
    ran = evaluation(ANSWERS)
    assert exit_code(ran, [found]) == 1
    assert exit_code(ran, [found, decide("AUC:small < 0.9")]) == 3
    assert exit_code(ran, [decide("AUC:large < 0.9")]) == exit_code(ran, []) == 0


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"value": None}, 1), ({}, 0), ({"allowed": VotesRange(None, None, 90), "value": None}, 1),
        ({"allowed": VotesRange(0.8, 0.9, 90), "value": None}, 0),
        ({"allowed": VotesRange(None, None, 90)}, 0),
        ({"value": None, "passed_over": (Passed("MV", (Note("not_by_itself"),)),)}, 0),
        ({"value": None, "passed_over": (Passed("GT", (Note("vague"),)),)}, 1),
    ],
)  # fmt: skip
def test_an_evaluation_in_which_no_metric_has_an_answer_ends_with_1(given, code):
    """Without gold labels a range is one, or what a model says. Who asked for a method that is
    never an answer has its numbers."""
    nothing = replace(ANSWERS[0], value=None)
    ran = evaluation((nothing, replace(ANSWERS[1], **given)))
    assert exit_code(ran, []) == code


def key(*of, turned=False):
    return Key(Quantity(*of), turned)


@pytest.mark.parametrize(
    ("models", "text", "found"),
    [
        ("ab", "AUC", "any of AUC:a, AUC:b"),
        ("ab", "delta_TPR", "any of delta_TPR:a, delta_TPR:b, delta_TPR:a-b"),
        ("ab", "AUC:c", "no such answer; expected one of AUC:a, AUC:b"),
        ("ab", "auc:a", "no answer of this name; did you mean 'AUC'?"),
        ("a", "delta_AUC", "no answer of this name"),
        ("ab", "accuracy:a@0.6", "expected one of accuracy:a@0.5, accuracy:b@0.5"),
        ("abc", "delta_AUC", "any of delta_AUC:a-b, delta_AUC:a-c, delta_AUC:b-c"),
        ("", "AUC", "no answer of this name"),
        ("a", "AUC", key("AUC", "a")),
        ("a", "delta_TPR", key("delta_TPR", "a", "humans")),
        ("ab", "prevalence", key("prevalence")),
        ("", "prevalence", key("prevalence")),
        ("ab", "accuracy:b", key("accuracy@0.5", "b")),
        ("ab", "accuracy@0.50:b", key("accuracy@0.5", "b")),
        ("ab", " F1 : b @.5 ", key("F1@0.5", "b")),
        ("ab", "delta_TPR:a-b", key("delta_TPR", "a", "b")),
        ("ab", "delta_F1", key("delta_F1@0.5", "a", "b")),
        ("abc", "delta_AUC:c - a", key("delta_AUC", "a", "c", turned=True)),
    ],
)
def test_a_name_means_one_answer_or_is_refused(models, text, found):
    if isinstance(found, Key):
        assert find_answer(text, Settings(), items(*models)) == found
    else:
        with pytest.raises(InputError, match=re.escape(found)):
            find_answer(text, Settings(), items(*models))


def test_names_with_dashes_are_told_apart():
    study = items("gpt-4", "gpt-4-mini")
    names = ("delta_AUC:gpt-4-mini-gpt-4", "delta_AUC:gpt-4-gpt-4-mini")
    assert [find_answer(one, Settings(), study).turned for one in names] == [True, False]


@pytest.mark.parametrize(
    ("about", "numbers", "line"),
    [
        (key("AUC", "large"), (0.93219, 0.8968, 0.956), "AUC large 0.93 (0.90 to 0.96)"),
        (key("prevalence"), (0.5, 0.4999, 0.5002), "prevalence 0.5000 (0.4999 to 0.5002)"),
        (key("delta_F1@0.5", "a", "b", turned=True), (-0.1, -0.2, 0),
         "delta_F1@0.5 b - a -0.10 (-0.20 to 0.00)"),
        (key("delta_TPR", "a", "humans"), (1, 1, 1), "delta_TPR a 1.00 (1.00 to 1.00)"),
        (key("AUC", "a"), None, "AUC a no answer"),
    ],
)  # fmt: skip
def test_an_answer_in_a_line(about, numbers, line):
    assert badge(about, numbers and Value("GT", *numbers)) == line


def test_every_name_that_is_listed_is_an_answer_of_the_evaluation(few, tmp_path):
    """What is looked for before an evaluation is what is there after it, and nothing else."""
    at = ["0.3", "0.7", "small=0.4"]
    asked = [part for one in at for part in ("--threshold", one)]
    assert main([*few, "--out", str(tmp_path / "mine"), *asked]) == 0
    found = evaluation_in(tmp_path / "mine")
    settings, study = Settings(thresholds=read_thresholds(at)), items("large", "small")
    keys = list(map(Key, quantities_asked(settings, study)))
    assert {one.of for one in keys} == {one.of for one in found.answers}
    assert all(answer_to(one, found) is not None for one in keys)
    assert [find_answer(str(one), settings, study) for one in keys] == keys


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    """`evaluate` with the first 300 items of the example."""
    files = first_items(tmp_path_factory.mktemp("few"), 300)
    return ["evaluate", *files, "--methods", "GT", "--cores", "1"]


@pytest.fixture
def given(few, tmp_path):
    return [*few, "--out", str(tmp_path / "mine"), "--metrics", "prevalence", "AUC"]


SURE = ["--fail-if", "AUC:small < 0.999", "--fail-if", "prevalence > 0.99"]


def test_a_condition_that_holds_ends_with_3_and_is_said(given, tmp_path, capsys):
    """Written all the same: who looks why it failed finds the folder, whose study file asks for the
    conditions again."""
    assert main([*given, "--fail-if", "prevalence > 0.99", "--fail-if", "AUC:large < .2"]) == 0
    passed = capsys.readouterr().out
    assert passed.count("Passed: ") == 2
    assert "Passed: prevalence > 0.99: holds nowhere in the interval (0." in passed
    assert main([*given, *SURE, "--fail-on", "possibly"]) == 3
    written = (tmp_path / "mine/study.yaml").read_text()
    assert "fail-if:\n- AUC:small < 0.999\n- prevalence > 0.99\nfail-on: possibly\n" in written
    assert main(["evaluate", str(tmp_path / "mine/study.yaml")]) == 3
    assert (tmp_path / "mine/study.yaml").read_text() == written
    capsys.readouterr()
    assert main([*given, *SURE]) == 3
    said = capsys.readouterr().out
    assert "FAILED: AUC:small < 0.999: holds in the whole interval (0." in said
    assert said.startswith("all: 300 items")
    found = json.loads((tmp_path / "mine/study.json").read_text())
    assert [one["failed"] for one in found["conditions"]] == [True, False]


def test_json_and_a_badge_are_all_that_is_on_standard_output(given, capsys):
    assert main([*given, *SURE, "--json"]) == 3
    said = capsys.readouterr()
    (one, other) = json.loads(said.out)["conditions"]
    assert set(one) == {"condition", "answer", "fail_on", "why", "holds", "failed", "method",
                        "estimate", "lower", "upper"}  # fmt: skip
    assert (one["condition"], one["answer"], one["holds"]) == (
        "AUC:small < 0.999", "AUC:small", "surely",
    )  # fmt: skip
    assert other["holds"] == "no"
    assert "FAILED: AUC:small < 0.999" in said.err
    assert main([*given, *SURE, "--badge", "AUC:small"]) == 3
    (said,) = capsys.readouterr().out.splitlines()
    assert said.startswith("AUC small 0.")
