"""`crowdgold plan`: what it says, and what it refuses."""

import json

import pytest

from crowdgold.cli import main

GUESSES = ["plan", "--prevalence", "0.3", "--tpr", "0.8", "--tnr", "0.9", "--votes", "3"]


def test_the_cheapest_study_is_found_and_said(capsys):
    wanted = ["--width", "0.06", "--vote-price", "0.05", "--gold-price", "4"]
    assert main([*GUESSES, *wanted]) == 0
    said = capsys.readouterr().out
    assert "Cheapest:" in said
    assert "less than gold labels alone" in said
    assert max(map(len, said.splitlines())) <= 80
    assert main([*GUESSES, *wanted, "--json"]) == 0
    alone, three = json.loads(capsys.readouterr().out)["options"]
    assert alone["design"]["n"] == alone["design"]["n_gold"]
    assert three["design"]["cost"] < alone["design"]["cost"]
    assert three["design"]["width"] <= 0.06


def test_the_width_of_a_given_study_and_that_votes_do_not_help(capsys):
    assert main([*GUESSES, "--items", "2000000", "--gold", "100", "--metric", "TPR_H"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "More crowd votes will not help" in said
    assert "no number of items with 3 votes each" in said


def test_expensive_votes_are_not_advised_and_a_width_out_of_reach_ends_with_1(capsys):
    assert main([*GUESSES, "--width", "0.1", "--vote-price", "50"]) == 0
    assert "Cheapest: gold labels alone" in capsys.readouterr().out
    assert main([*GUESSES, "--width", "0.001", "--items", "1000"]) == 1
    assert "No study of 1000 items" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "expected --pilot FILES, or guesses: --prevalence, --tpr, --tnr not given"),
        (["--prevalence", "0.1", "--tpr", "0.8"], "guesses: --tnr not given"),
        ([*GUESSES[1:], "--model", "large"], "expected with --pilot"),
        ([*GUESSES[1:], "--tnr", "0.1"], "voters who guess"),
        ([*GUESSES[1:], "--prevalence", "1e-6"], "prevalence: found 1e-06"),
        ([*GUESSES[1:], "--items", "2"], "--items: found 2"),
        ([*GUESSES[1:], "--metric", "mu"], "metric mu: gold labels"),
    ],
)
def test_what_cannot_be_used_is_refused(given, message, capsys):
    """Beside what is in `bad_inputs`."""
    assert main(["plan", *given, "--width", "0.1"]) == 2
    assert message in capsys.readouterr().err
