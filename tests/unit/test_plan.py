"""`crowdgold plan`: what it advises. What it refuses is in `bad_inputs`."""

import json

import pytest

from crowdgold.cli import main

GUESSES = ["plan", "--prevalence", "0.3", "--tpr", "0.8", "--tnr", "0.9", "--votes", "3"]


@pytest.mark.parametrize(
    ("options", "code", "advice"),
    [
        ("--width 0.06 --gold-price 4", 0, "% less than gold labels alone"),
        ("--width 0.1 --vote-price 50", 0, "Cheapest: gold labels alone"),
        ("--width 0.001 --items 1000", 1, "No study of 1000 items"),
        ("--items 2000000 --gold 100 --metric TPR_H", 0, "More crowd votes will not help"),
    ],
)
def test_the_cheapest_study_is_advised_and_a_width_out_of_reach_ends_with_1(
    options, code, advice, capsys
):
    assert main([*GUESSES, *options.split()]) == code
    said = capsys.readouterr().out
    assert advice in " ".join(said.split())
    assert max(map(len, said.splitlines())) <= 80


def test_votes_that_are_cheap_make_a_study_cheaper(capsys):
    assert main([*GUESSES, "--width", "0.06", "--gold-price", "4", "--json"]) == 0
    alone, three = json.loads(capsys.readouterr().out)["options"]
    assert alone["design"]["n"] == alone["design"]["n_gold"]
    assert three["design"]["cost"] < alone["design"]["cost"]
    assert three["design"]["width"] <= 0.06
