"""`crowdgold evaluate`: what it writes beside the numbers, and names that it cannot take."""

import json
import re
import subprocess
import sys
from types import SimpleNamespace

import pandas as pd
import pytest

from crowdgold.cli import main
from crowdgold.evaluation.answer import Answer, Quantity, Value
from crowdgold.evaluation.folder import Evaluation
from crowdgold.presentation.text import answered_strata, changed_strata
from unit.made_files import EXAMPLE, first_items  # noqa: F401 (other tests take it from here)

ASKED = ["--methods", "GT", "--metrics", "prevalence", "--cores", "1"]


def files(folder):
    return [str(folder / f"{name}.csv") for name in ("votes", "gold", "scores")]


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    """The first 240 items of the example, by who gave each vote."""
    folder = tmp_path_factory.mktemp("few")
    first_items(folder, 240)
    return folder


MODELS = ["--methods", "GT", "CLARA", "--metrics", "prevalence", "AUC", "--cores", "1"]


def test_answers_are_printed_once_and_the_models_after_them(few, tmp_path, capsys):
    """The same answers as without the models, to the last letter; then the models' numbers."""
    out = ["--out", str(tmp_path / "mine")]
    assert main(["evaluate", *files(few), *out, *MODELS, "--no-models"]) == 0
    alone = capsys.readouterr().out
    assert main(["evaluate", *files(few), *out, *MODELS]) == 0
    said = capsys.readouterr()
    first, second = said.out.split("\n\n")
    assert f"{first}\n" == alone
    assert first.startswith("all: 240 items")
    assert re.search(r"^prevalence .*\bgold alone +\d+$", first, re.MULTILINE)
    title, head, *lines = second.splitlines()
    assert title == "For comparison: what models say"
    assert head.split() == ["metric", "model", "value", "95", "%", "interval", "by"]
    assert lines[0].startswith("prevalence")
    assert "CLARA" in lines[0]
    assert not [line for line in lines[1:] if "CLARA" in line]  # it does not use the scores
    assert "The models follow, for comparison" in said.err
    assert main(["evaluate", *files(few), *out, *MODELS, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {one["method"] for one in found["answers"]} == {"GT"}


def test_without_gold_the_first_line_says_so(few, tmp_path, capsys):
    """Of the terminal and of the report: a range; a model's number follows, if it is right."""
    out = tmp_path / "mine"
    votes, _, scores = files(few)
    assert main(["evaluate", votes, scores, "--out", str(out), *MODELS, "--report"]) == 0
    said, told = capsys.readouterr()
    assert "report.html" in told
    first = " ".join(said.split())
    assert first.startswith(
        "No gold labels: votes and scores allow a range and no more; the number"
    )
    assert first.index("range gold needed") < first.index("What a model says, if what it assumes")
    assert "Second opinions" not in said
    page = (out / "report.html").read_text()
    first = page[page.index('<p class="verdict') :]
    assert first.startswith(
        '<p class="verdict grave">No gold labels: votes and scores allow a range'
    )
    rows = json.loads((out / "study.json").read_text())["answers"]
    assert [(row["metric"], row["method"]) for row in rows] == [
        ("prevalence", "CLARA"), ("AUC", None), ("AUC", None), ("delta_AUC", None),
    ]  # fmt: skip
    assert rows[0]["range"]["lower"] <= rows[0]["estimate"] <= rows[0]["range"]["upper"]


def test_where_gold_was_chosen_the_first_line_says_so_and_a_model_answers(few, tmp_path, capsys):
    """Gold on the items with the most positive votes alone: nothing is printed before the model."""
    votes, _, scores = files(few)
    shares = pd.read_csv(votes).groupby("item")["label"].mean().sort_values()
    items = shares.index[-100:]
    gold = pd.DataFrame({"item": items, "label": (shares[items] > 0.8).astype(int)})
    gold.to_csv(tmp_path / "gold.csv", index=False)
    given = [votes, str(tmp_path / "gold.csv"), scores, "--out", str(tmp_path / "mine")]
    assert main(["evaluate", *given, *MODELS]) == 0
    said = capsys.readouterr()
    assert " ".join(said.out.split()).startswith(
        "The gold items are surely no random sample of the items: the numbers rest on a model"
    )
    assert said.out.count("prevalence   ") == 1
    assert "The models follow, since gold labels give no answer here" in said.err
    heads = json.loads((tmp_path / "mine/study.json").read_text())["answers"]
    assert {one["metric"]: one["method"] for one in heads}["prevalence"] == "CLARA"
    assert {one["method"] for one in heads[1:]} == {None}
    # Without models too there is a range, as without gold labels.
    assert main(["evaluate", *given, "--no-models", "--force", "--json"]) == 0
    (head,) = (one for one in json.loads(capsys.readouterr().out)["answers"]
               if one["metric"] == "prevalence")  # fmt: skip
    assert (head["method"], head["reason"]["code"]) == (None, "gold_surely_chosen")
    assert 0 <= head["range"]["lower"] < head["range"]["upper"] <= 1


def test_the_answer_waits_for_nothing_that_it_does_not_need(few, tmp_path):
    """Packages that take long to load: statistics, figures, Stan, workbooks, pages."""
    asked = ["evaluate", *files(few), "--out", str(tmp_path / "mine"), "--no-models"]
    code = f"import sys; from crowdgold.cli import main; main({asked!r}); print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert {"pandas", "scipy.special"} <= loaded
    slow = {"scipy.stats", "scipy.optimize", "matplotlib", "cmdstanpy", "openpyxl", "jinja2",
            "sklearn", "snakemake"}  # fmt: skip
    assert not slow & loaded


def test_answers_that_models_change_are_printed_again():
    """A stratum without gold has an answer only when its model was sampled; the other is not
    repeated."""
    of, names = Quantity("prevalence"), [SimpleNamespace(name=name) for name in "ab"]
    strata = SimpleNamespace(strata=names)
    gold, model = (Value(method, 0.3, 0.2, 0.4) for method in ("GT", "DS"))
    early, late = (
        Evaluation({}, strata, (Answer("a", of, gold), Answer("b", of, value)))
        for value in (None, model)
    )
    assert answered_strata(early) == ["a"]
    assert answered_strata(late) == ["a", "b"]
    assert changed_strata(late, early) == ["b"]
    assert changed_strata(late, late) == []
