"""A study file: the options of a command, written once; `evaluate` writes one that repeats it."""

import json
import os
import shutil
from pathlib import Path

import pandas as pd
import pytest
import yaml

from crowdgold.cli import main, parser
from crowdgold.cli.study_file import keys_of, parse
from unit.test_evaluate_command import ASKED, EXAMPLE

NAMES = ("votes.csv", "gold.csv", "scores.csv")


@pytest.fixture
def folder(tmp_path):
    """The example's files in a folder of their own, with a study file beside them."""
    made = tmp_path / "data"
    made.mkdir()
    for name in NAMES:
        shutil.copy(EXAMPLE / name, made / name)
    return made


def study(folder, text, name="study.yaml"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def asked(*arguments):
    return vars(parse(parser(), arguments))


FULL = """\
files: [votes.csv, gold.csv, scores.csv]
columns: {worker: annotator, "votes.csv:say": label}
positive: [yes, R]
repeated: last
methods: [GT]
metrics: [AUC, prevalence]
thresholds: {large: [0.7, 0.8], small: 0.5}
level: 0.9
seed: 7
report: no
out: ../mine
"""


def test_a_study_file_says_what_the_command_line_says(folder):
    path = study(folder, FULL)
    files = [str(folder / name) for name in NAMES]
    said = asked(
        "evaluate", *files, "--column", "worker=annotator", "--column", "votes.csv:say=label",
        "--positive", "yes", "--positive", "R", "--repeated", "last", "--methods", "GT",
        "--metrics", "AUC", "prevalence", "--threshold", "large=0.7", "--threshold", "large=0.8",
        "--threshold", "small=0.5", "--level", "0.9", "--seed", "7",
        "--out", str(folder / "../mine"),
    )  # fmt: skip
    found = asked("evaluate", path)
    assert found.pop("study_file").path == folder / "study.yaml"
    del said["study_file"], said["declared"], found["declared"]
    assert found == said
    # Each command takes what it has an option for: level and threshold are none of `check`.
    names = [folder / name for name in NAMES]
    for arguments, values in (
        (["check", path], {"positive": ["yes", "R"], "seed": 7, "json": False, "files": names}),
        (["plan", "--pilot", path, "--width", "0.1"], {"pilot": names, "level": 0.9}),
        (["fit-labelling", path, "-o", "model.json"], {"repeated": "last", "chains": 4}),
    ):
        found = asked(*arguments)
        assert {name: found[name] for name in values} == values


def test_the_command_line_wins_over_the_file(folder):
    path = study(folder, FULL)
    found = asked(
        "evaluate", path, "--positive", "X", "--column", "rater=annotator", "--level", "0.5",
        "--out", "here", "--threshold", "3", "--report",
    )  # fmt: skip
    values = {
        "positive": ["X"], "column": [("rater", "annotator")], "level": 0.5, "out": Path("here"),
        "threshold": ["3"], "report": True, "seed": 7,
    }  # fmt: skip
    assert {name: found[name] for name in values} == values


def test_the_keys_are_the_options_of_the_commands():
    """Every option of `evaluate` but help, by each long name; `columns` as in config.yaml."""
    (commands,) = [one for one in parser()._actions if one.dest == "command"]
    known = keys_of(commands.choices["evaluate"])
    options = {name for one in commands.choices["evaluate"]._actions for name in one.option_strings}
    assert {f"--{name}" for name in known} - {"--files"} == options - {"-h", "--help"}
    assert {"columns", "thresholds"} <= set(known)


@pytest.mark.parametrize(
    ("value", "labels"),
    [("yes", ["yes"]), ("null", []), ("'null'", ["null"]), ("1.0", ["1.0"])],
)
def test_words_that_yaml_takes_for_truth_are_labels(folder, value, labels):
    """`yes` is a label, and null and an empty value say nothing."""
    assert asked("check", study(folder, f"files: a.csv\npositive: {value}\n"))["positive"] == labels


def content(out):
    """What an evaluation found: its tables, and its answers."""
    tables = {one.name: one.read_bytes() for one in sorted(out.glob("*.csv"))}
    return tables, json.loads((out / "study.json").read_text())["answers"]


def test_evaluate_writes_a_study_file_that_repeats_it(folder, tmp_path, monkeypatch, capsys):
    """Under other names of columns and labels, from another folder, into its own and a new one."""
    votes = pd.read_csv(folder / "votes.csv")
    votes["label"] = votes["label"].map({0: "fine", 1: "spam"})
    votes = votes.rename(columns={"annotator": "who"})
    votes.loc[votes.index[::5], "label"] = votes["label"].replace({"spam": "scam"})
    votes.to_csv(folder / "votes.csv", index=False)
    monkeypatch.chdir(folder)
    out = tmp_path / "mine"
    options = ["--methods", "GT", "--metrics", "prevalence", "accuracy", "--cores", "1", "--seed",
               "3", "--threshold", "large=0.3", "--positive", "spam", "--positive", "scam",
               "--column", "who=annotator"]  # fmt: skip
    assert main(["evaluate", *NAMES, "--out", "../mine", *options]) == 0
    written = yaml.safe_load((out / "study.yaml").read_text())
    expected = {
        "files": [f"../data/{name}" for name in NAMES], "out": ".", "positive": ["spam", "scam"],
        "columns": {"who": "annotator"},
    }  # fmt: skip
    assert {name: written[name] for name in expected} == expected
    assert not {"cores", "json", "report"} & set(written)
    first, text = content(out), (out / "study.yaml").read_bytes()
    monkeypatch.chdir(tmp_path)
    assert main(["evaluate", "mine/study.yaml", "--out", "other"]) == 0
    assert content(tmp_path / "other") == first
    assert yaml.safe_load((tmp_path / "other/study.yaml").read_text()) == written
    monkeypatch.chdir(out)
    (out / "study.yaml").write_bytes(b"# mine\n" + text)
    assert main(["evaluate", "study.yaml"]) == 0
    assert content(out) == first
    assert (out / "study.yaml").read_bytes() == b"# mine\n" + text
    capsys.readouterr()
    monkeypatch.chdir(tmp_path)
    assert main(["evaluate", "mine/study.yaml", "--seed", "4"]) == 2
    said = capsys.readouterr().err
    assert "lies in mine, which is to be replaced, and --seed says otherwise; give another" in said
    assert content(out) == first
    assert main(["check", "mine/study.yaml"]) == 0


def test_an_evaluation_that_fails_writes_no_study_file(folder, tmp_path):
    path = study(folder, f"files: [{', '.join(NAMES)}]\nout: ../mine\npositive: none\n")
    assert main(["evaluate", path, *ASKED]) == 2
    assert sorted(os.listdir(tmp_path)) == ["data"]
