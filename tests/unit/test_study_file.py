"""A study file: the options of a command, written once; `evaluate` writes one that repeats it."""

import json
import os
import shutil

import pandas as pd
import pytest
import yaml

from crowdgold.cli import main, parser
from crowdgold.cli.study_file import keys_of, parse
from crowdgold.types.errors import InputError
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
    found = asked("check", path)
    assert (found["positive"], found["seed"], found["json"]) == (["yes", "R"], 7, False)
    assert found["files"] == [folder / name for name in NAMES]
    found = asked("plan", "--pilot", path, "--width", "0.1")
    assert (found["pilot"], found["level"]) == ([folder / name for name in NAMES], 0.9)
    found = asked("fit-labelling", path, "-o", "model.json")
    assert (found["repeated"], found["chains"]) == ("last", 4)


def test_the_command_line_wins_over_the_file(folder):
    path = study(folder, FULL)
    found = asked(
        "evaluate", path, "--positive", "X", "--column", "rater=annotator", "--level", "0.5",
        "--out", "here", "--threshold", "3", "--report",
    )  # fmt: skip
    assert found["positive"] == ["X"]
    assert found["column"] == [("rater", "annotator")]
    assert (found["level"], str(found["out"]), found["threshold"]) == (0.5, "here", ["3"])
    assert (found["report"], found["seed"]) == (True, 7)


def test_the_keys_are_the_options_of_the_commands():
    """Every option of `evaluate` but help, by each long name; `columns` as in config.yaml."""
    (commands,) = [one for one in parser()._actions if one.dest == "command"]
    known = keys_of(commands.choices["evaluate"])
    options = {name for one in commands.choices["evaluate"]._actions for name in one.option_strings}
    assert {f"--{name}" for name in known} - {"--files"} == options - {"-h", "--help"}
    assert {"columns", "thresholds", "positive", "repeated", "methods", "metrics", "about"} <= set(
        known
    )


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("files: [votes.csv]\nposive: R\n", "line 2: no key 'posive'; did you mean 'positive'? Th"),
        ("files: [votes.csv]\nfiles: [gold.csv]\n", "line 2: 'files' is there twice"),
        ("column: {a: item}\ncolumns: {b: item}\n", "line 2: 'columns' is there twice (as 'colu"),
        ("- votes.csv\n", "expected KEY: VALUE on each line"),
        ("", "expected KEY: VALUE on each line"),
        ("files: [votes.csv\nlevel: 1\n", "line 2: no YAML ("),
        ("files: votes.csv\nlevel: high\n", "line 2, level: found 'high', expected a number"),
        ("files: votes.csv\nseed: [1, 2]\n", "line 2, seed: found 2 values, expected one"),
        ("files: votes.csv\nseed: {a: 1}\n", "line 2, seed: expected a value, or a list of them"),
        (
            "files: votes.csv\nabout: item\n",
            "line 2, about: no choice 'item'; did you mean 'item",
        ),
        ("files: votes.csv\nreport: maybe\n", "line 2, report: found 'maybe', expected true or fa"),
        (
            "files: votes.csv\ncolumns: worker\n",
            "line 2, columns: found 'worker', expected THEI",
        ),
        ("files: votes.csv\nmethods: [[GT]]\n", "line 2, methods: expected a value, or a list"),
        ("level: 0.9\n", "no key 'files'; expected it there or on the command line"),
        ("files: votes.csv\n", "no key 'out'; expected it there or on the command line"),
        ("files: votes.csv\nout:\n", "no key 'out'; expected it there or on the command line"),
        ("files: none.csv\nout: mine\n", "none.csv: no such file"),
    ],
)
def test_what_cannot_be_used_is_named_in_one_line(text, why, folder, capsys):
    path = study(folder, text)
    before = sorted(folder.iterdir())
    assert main(["evaluate", path]) == 2
    (said,) = capsys.readouterr().err.splitlines()
    assert why in said
    assert path in said or "none.csv" in said
    assert sorted(folder.iterdir()) == before


def test_a_study_file_stands_alone_and_has_to_be_there(folder):
    path = study(folder, FULL)
    with pytest.raises(InputError, match="a study file, which names its files; expected no other"):
        asked("check", path, str(folder / "votes.csv"))
    with pytest.raises(InputError, match=r"none\.yaml: no such file; expected a study file"):
        asked("check", "none.yaml")
    (folder / "big.yaml").write_bytes(b"#" * 1_000_001)
    with pytest.raises(InputError, match="more than 1,000,000 bytes"):
        asked("check", str(folder / "big.yaml"))
    (folder / "latin.yaml").write_bytes("positive: ä".encode("latin-1"))
    with pytest.raises(InputError, match="save it as UTF-8"):
        asked("check", str(folder / "latin.yaml"))


def test_words_that_yaml_takes_for_truth_are_labels(folder):
    """`yes` is a label, and null and an empty value say nothing."""
    assert asked("check", study(folder, "files: a.csv\npositive: yes\n"))["positive"] == ["yes"]
    assert asked("check", study(folder, "files: a.csv\npositive: null\n"))["positive"] == []
    assert asked("check", study(folder, "files: a.csv\npositive: 'null'\n"))["positive"] == ["null"]
    assert asked("check", study(folder, "files: a.csv\npositive: 1.0\n"))["positive"] == ["1.0"]


def content(out):
    """What an evaluation found: its tables, and its answers."""
    tables = {one.name: one.read_bytes() for one in sorted(out.glob("*.csv"))}
    return tables, json.loads((out / "study.json").read_text())["headlines"]


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
    assert written["files"] == [f"../data/{name}" for name in NAMES]
    assert written["out"] == "."
    assert written["positive"] == ["spam", "scam"]
    assert written["columns"] == {"who": "annotator"}
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
    assert not (tmp_path / "mine").exists()
    assert sorted(os.listdir(tmp_path)) == ["data"]
