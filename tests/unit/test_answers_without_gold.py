"""Answers without gold labels: a range first, the same everywhere, and conditions judged by it."""

import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import crowdgold as cg
from crowdgold.checking.without_gold import has_ranges
from crowdgold.cli import main
from crowdgold.evaluation.answer import Quantity, Value, VotesRange, answer_of
from crowdgold.evaluation.choosing import range_of
from crowdgold.evaluation.conditions import outcomes, read_condition
from crowdgold.evaluation.questions import Settings
from crowdgold.presentation.answers import CELLS, VOTES_ALONE, write_answer
from crowdgold.types.errors import InputError
from crowdgold.types.notes import Note
from unit.made_files import write_votes

ITEMS, JUDGES = 600, 5
METRICS = ["prevalence", "TPR_H", "AUC", "accuracy"]


def write_files(folder, gold=0, against=0):
    """Votes of judges right in .85, of whom some vote against the others; two models' scores."""
    rng = np.random.default_rng(2612)
    truth = (rng.random(ITEMS) < 0.45).astype(int)
    labels = truth[:, None] ^ (rng.random((ITEMS, JUDGES)) >= 0.85)
    labels[:, JUDGES - against :] ^= 1
    votes, *known = write_votes(folder, labels, truth[:gold] if gold else None)
    scores = 1 / (1 + np.exp(-(3 * truth - 1.5 + rng.standard_normal((2, ITEMS)))))
    table = pd.DataFrame({"item": range(ITEMS), "score_a": scores[0], "score_b": scores[1]})
    table.to_csv(folder / "scores.csv", index=False)
    return [str(one) for one in (votes, folder / "scores.csv", *known)]


def evaluate(folder, *more, files=None, metrics=METRICS):
    given = files or write_files(folder)
    asked = ["--methods", "CLARA", "--metrics", *metrics, "--cores", "1", "--out"]
    return main(["evaluate", *given, *asked, str(folder / "mine"), *more])


def summary_of(folder):
    return json.loads((folder / "mine" / "study.json").read_text())


def row_of(summary, metric, model=""):
    (row,) = (
        one for one in summary["answers"] if (one["metric"], one["model"]) == (metric, model)
        and not one["against"]
    )  # fmt: skip
    return row


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory):
    """A folder evaluated without gold, by CLARA; with what the terminal said."""
    folder = tmp_path_factory.mktemp("evaluated")
    study = cg.read(*write_files(folder))
    found = cg.evaluate(study, methods=["CLARA"], metrics=METRICS)
    found.write(folder / "mine")
    return folder, found, study


def test_check_terminal_json_report_and_python_have_the_same_range(evaluated):
    folder, found, study = evaluated
    row = row_of(summary_of(folder), "prevalence")
    lower, upper = ends = row["range"]["lower"], row["range"]["upper"]
    known = cg.check(study).judges.ranges.prevalence
    assert ends == pytest.approx((known.lower, known.upper), abs=1e-9)
    assert found["prevalence"].interval == pytest.approx(ends)
    assert re.search(rf"prevalence +{lower:.2f} to {upper:.2f}", found.text)
    told, said = write_answer(answer_of(row), 0.95), f"{100 * lower:.1f} % to {100 * upper:.1f} %"
    assert told.sentence.startswith(said)
    assert any("CLARA says" in one and "nothing checks it" in one for one in told.remarks)
    cells = dict(zip(CELLS, told.cells, strict=True))
    assert (cells["value and interval"], cells["by"]) == (f"a range, {said}", VOTES_ALONE)
    assert cells["a model says"].startswith(f"CLARA: {100 * row['estimate']:.1f} % (")


def test_what_has_no_range_names_the_gold_labels_that_would_do(evaluated):
    """Accuracy rests on all items: 97 labels give a half-width of .1 at .5. A difference of
    two AUC rests on the smaller class, at either end of the prevalence's range."""
    folder, found, _ = evaluated
    rows = summary_of(folder)
    row = row_of(rows, "accuracy@0.5", "a")
    known = {name: one for name, one in row["range"].items() if name != "why"}
    assert known == {"lower": None, "upper": None, "gold": 97}
    with pytest.raises(InputError, match="97 gold labels"):
        _ = found["accuracy", "a"].interval
    told = write_answer(answer_of(row), 0.95)
    assert "no range without gold labels" in told.sentence
    assert any(one.startswith("97 gold labels") for one in told.remarks)
    assert told.cells[:3] == ["no range", "", ""]
    (difference,) = (one for one in rows["answers"] if one["metric"] == "delta_AUC")
    ends = row_of(rows, "prevalence")["range"]
    least = min(ends["lower"], 1 - ends["upper"])
    assert difference["range"]["gold"] == pytest.approx(96.04 / least, rel=0.02)


def test_a_model_is_ahead_of_no_other_without_gold(evaluated):
    """Whatever a model of the votes says of their difference."""
    folder, *_ = evaluated
    answer = replace(
        answer_of(row_of(summary_of(folder), "AUC", "a")),
        of=Quantity("delta_AUC", "a", "b"), value=Value("MAVEN", 0.2, 0.1, 0.3),
    )  # fmt: skip
    assert not write_answer(answer, 0.95).ahead
    assert write_answer(replace(answer, allowed=None), 0.95).ahead


CONDITIONS = [
    ("prevalence < 0.99", "surely", True, ""),
    ("prevalence > 0.3", "surely", False, ""),
    ("prevalence > 0.3", "possibly", True, ""),
    ("prevalence > 0.3", "estimate", None, "no estimate"),
    ("prevalence > 0.99", "estimate", False, ""),
    ("accuracy:a < 0.5", "surely", None, "97 gold labels"),
    ("delta_AUC:b-a < 0", "possibly", None, "gold labels"),
]


def test_conditions_are_judged_by_the_range(evaluated):
    """The model's interval lies above .3 as a whole, the range on both sides of it."""
    _, found, study = evaluated
    answer = found["prevalence"].only
    assert answer.allowed.lower < 0.3 < answer.value.lower
    for text, rule, failed, why in CONDITIONS:
        condition = read_condition(text, Settings(metrics=tuple(METRICS)), study.items)
        (one,) = outcomes(found.evaluation, [condition], rule)
        assert one.failed is failed
        assert why in one.why


def test_the_command_ends_by_the_range_and_has_it_for_a_badge(tmp_path, capsys):
    asked = ["--fail-if", "prevalence > 0.3", "--fail-on", "possibly", "--badge", "prevalence"]
    assert evaluate(tmp_path, *asked) == 3
    row = row_of(summary_of(tmp_path), "prevalence")["range"]
    said = f"prevalence {row['lower']:.2f} to {row['upper']:.2f} without gold"
    assert capsys.readouterr().out.strip() == said


def test_rates_of_all_votes_have_no_range_where_judges_are_left_out_of_it(tmp_path):
    assert evaluate(tmp_path, files=write_files(tmp_path, against=1)) == 0
    found = summary_of(tmp_path)
    assert "They leave out judge4" in found["strata"][0]["ranges_if"]
    assert row_of(found, "TPR_H")["range"]["lower"] is None
    assert row_of(found, "prevalence")["range"]["lower"] is not None


def test_with_gold_there_is_no_range(tmp_path):
    study = cg.read(*write_files(tmp_path, gold=100))
    found = cg.evaluate(study, methods=["logistic-R"], metrics=["prevalence"])
    assert [one.allowed for one in found.answers] == [None]
    assert "range" not in found.answers.table
    only = found["prevalence"].only.value
    assert found["prevalence"].interval == (only.lower, only.upper)


def test_a_stratum_without_gold_has_a_range_beside_one_that_has_gold(tmp_path):
    """The first 300 items are of region a, and all gold labels lie in it."""
    votes, scores, gold = write_files(tmp_path, gold=100)
    region = np.where(np.arange(ITEMS) < ITEMS // 2, "a", "b")
    pd.read_csv(scores).assign(stratum_region=region).to_csv(scores, index=False)
    study = cg.read(votes, scores, gold)
    found = cg.evaluate(study, methods=["logistic-R"], metrics=["prevalence", "AUC"])
    assert {one.stratum for one in found.answers if one.allowed is not None} == {"region=b"}
    lower, upper = found["prevalence", "", "region=b"].interval
    assert 0 < lower < 0.45 < upper < 1
    assert found["prevalence", "", "region=a"].only.allowed is None
    assert "region=b: 300 items" in found.text
    found.report(tmp_path / "page.html")
    said = f"{100 * lower:.1f} % to {100 * upper:.1f} %"
    assert said in (tmp_path / "page.html").read_text()


def test_single_votes_have_no_range_and_say_so(tmp_path):
    votes, *_ = write_files(tmp_path)
    pd.read_csv(votes).drop_duplicates("item").to_csv(tmp_path / "one.csv", index=False)
    items = cg.read(tmp_path / "one.csv").items
    assert not has_ranges(items)
    of, why = Quantity("prevalence"), Note("range_of_single_votes")
    assert range_of(of, items, None, 0.95) == VotesRange(None, None, 97, why)
    assert range_of(of, items, None, 0.8).gold == 42
