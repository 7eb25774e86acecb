"""`crowdgold correct-rate`: what it prints, as text and JSON, and what it refuses."""

import json

import pytest

from crowdgold.cli import main
from crowdgold.cli.correct_rate import EXAMPLE
from crowdgold.models.judge_error import JudgementCounts, correct_rate

POST = ["correct-rate", "645/1000", "--positives", "180/200", "--negatives", "190/200"]


def test_the_example_of_the_help_is_what_comes_out(capsys):
    assert main(POST) == 0
    out, error = capsys.readouterr()
    assert error == ""
    for line in out.splitlines():
        assert f"  {line}\n" in EXAMPLE


def test_json_has_what_the_function_gives(capsys):
    assert main([*POST, "--json", "--within", "--level", "0.9", "--interval", "paper"]) == 0
    found = json.loads(capsys.readouterr().out)
    counts = JudgementCounts(645, 1000, 180, 20, 190, 10, within=True)
    expected = correct_rate(counts, 0.9, "paper")
    for name in ("estimate", "lower", "upper", "standard_error", "tpr", "tnr", "judged_rate"):
        assert found[name] == pytest.approx(getattr(expected, name))
    assert (found["level"], found["interval"], found["within"]) == (0.9, "paper", True)


def test_an_estimate_outside_is_moved_and_a_note_says_so(capsys):
    beyond = ["correct-rate", "40/1000", *POST[2:]]
    assert main(beyond) == 0
    out, error = capsys.readouterr()
    assert "corrected rate    0.0000   95 % interval 0.0000 to 0.0" in out
    assert "Note: the formula gives -0.01176, which is outside 0 to 1" in error
    assert main([*beyond, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["estimate"], found["lower"]) == (0, 0)
    assert found["raw"] == pytest.approx((0.04 - 0.05) / 0.85)
    assert "which is outside" in found["note"]
