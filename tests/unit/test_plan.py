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


def test_expensive_votes_are_not_advised(capsys):
    assert main([*GUESSES, "--width", "0.1", "--vote-price", "50"]) == 0
    assert "Cheapest: gold labels alone" in capsys.readouterr().out


def test_a_width_out_of_reach_ends_with_1(capsys):
    assert main([*GUESSES, "--width", "0.001", "--items", "1000"]) == 1
    said = capsys.readouterr()
    assert "No study of 1000 items" in said.out
    assert "No study reaches the width" in said.err


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "expected --pilot FILES, or guesses: --prevalence, --tpr, --tnr not given"),
        (["--prevalence", "0.1", "--tpr", "0.8"], "guesses: --tnr not given"),
        ([*GUESSES[1:], "--model", "large"], "expected with --pilot"),
        (["--pilot", "nowhere.csv"], "nowhere.csv"),
    ],
)
def test_guesses_or_a_pilot_are_asked_for(given, message, capsys):
    assert main(["plan", *given, "--width", "0.1"]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--width", "0.1", "--prevalence", "1e-6"], "prevalence: found 1e-06"),
        (["--width", "0.1", "--tpr", "1.2"], "--tpr: found 1.2"),
        (["--width", "0.1", "--tnr", "0.1"], "voters who guess"),
        (["--width", "0.1", "--votes", "0"], "--votes: found '0'"),
        (["--width", "0.1", "--votes", "few"], "--votes: found 'few'"),
        (["--width", "0.1", "--gold-price", "0"], "--gold-price: found 0"),
        (["--width", "nan"], "--width: found nan"),
        (["--width", "0.1", "--gold", "50"], "expected --width, or --items and --gold"),
        ([], "expected --width, or --items and --gold"),
        (["--items", "100", "--gold", "200"], "--gold: found 200"),
        (["--items", "100", "--gold", "2"], "--gold: found 2"),
        (["--width", "0.1", "--items", "2"], "--items: found 2"),
        (["--width", "0.1", "--metric", "AUCC"], "no metric 'AUCC'"),
        (["--width", "0.1", "--metric", "mu"], "metric mu: gold labels"),
        (["--width", "0.1", "--metric", "precision@99"], "--metric precision@99"),
    ],
)
def test_what_cannot_be_used_is_refused(options, message, capsys):
    assert main([*GUESSES, *options]) == 2
    assert message in capsys.readouterr().err
