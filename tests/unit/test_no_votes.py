"""Studies of gold labels and scores without votes: what is answered, and what is told."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import crowdgold
from crowdgold.checking.gold_sample import item_features
from crowdgold.cli import main
from crowdgold.inference.labels import evaluate
from crowdgold.methods.needs import lacks_package
from crowdgold.methods.registry import METHODS, fit
from crowdgold.metrics.binary import METRICS
from crowdgold.models.logistic import features
from crowdgold.reading.study import read_study
from crowdgold.types.errors import InputError
from crowdgold.types.items import items_from_frame
from crowdgold.types.notes import Note

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")
SIZE, GOLD = 401, 80  # items; gold labels
OF_VOTES = ("TPR_H", "TNR_H", "delta_TPR")


@pytest.fixture
def files(tmp_path, monkeypatch):
    """gold.csv and scores.csv of two models, one of which has no score of the first 20 items."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(4)
    label = rng.random(SIZE) < 0.4
    scores = {f"score_{name}": rng.normal(size=SIZE) + label for name in "AB"}
    scores["score_B"][:20] = np.nan
    frame = pd.DataFrame({"item": [f"i{one}" for one in range(SIZE)], **scores})
    frame.to_csv("scores.csv", index=False)
    gold = frame.assign(gold=label.astype(int)).sample(GOLD, random_state=1)
    gold[["item", "gold"]].to_csv("gold.csv", index=False)
    return ["gold.csv", "scores.csv"]


def test_items_have_votes_or_none(files):
    items = read_study(files).items
    assert not items.has_votes
    assert np.isnan(items.vote_share).all()
    assert items.facts()["votes"] == "none"
    again = items_from_frame(items.to_frame(), np.random.default_rng(0), unscored=True)
    assert not again.has_votes
    some = items.to_frame().assign(votes_total=[1] + [0] * (SIZE - 1))
    with pytest.raises(InputError, match=r"found 0, expected a whole number from 1"):
        items_from_frame(some, np.random.default_rng(0), unscored=True)


@pytest.mark.parametrize(("positive", "total"), [(1, 3), (2, 3), (0, 1)])
def test_no_votes_tell_as_much_as_the_same_votes_of_all_items(files, positive, total):
    """The log odds of equal votes do not vary, so that their feature is 0 of each item, as it is
    without votes: bit for bit. Their deviation is 1e-16 by rounding, and no feature of 1 comes of
    it.
    """
    items = read_study(files).items
    same = replace(items, votes_positive=np.full(SIZE, positive), votes_total=np.full(SIZE, total))
    assert np.array_equal(features(items), features(same))
    assert not features(items)[:, 1].any()
    metrics, found = ("prevalence", "AUC:A", "recall:A@0.5"), []
    for table in (items, same):
        rng = np.random.default_rng(0)
        estimates = evaluate(fit("logistic-R", table, rng), table, metrics, rng)
        found.append([(one.estimate, one.lower, one.upper) for one in estimates])
    assert found[0] == found[1]


def test_ranks_alone_test_the_gold_sample(files):
    words = [word for _, named in item_features(read_study(files).items) for word in named]
    assert len(words) == 4
    assert not [word for word in words if "vote" in word]


def test_each_method_answers_or_says_what_it_needs(files):
    """Those that need votes are refused, by the same words; the others can be fitted."""
    items = read_study(files).items
    for name, method in METHODS.items():
        if "items" not in method.tables:
            continue
        if not lacks_package(method.package):
            assert (method.lacks(items) == Note("no_votes")) == method.needs_votes
        if method.needs_votes:
            with pytest.raises(InputError, match="needs votes; there are none"):
                fit(name, items, np.random.default_rng(0))
    left = {name for name, one in METHODS.items() if "items" in one.tables and not one.needs_votes}
    assert left == {
        "logistic-R", "logistic-E", "GT", "GT-E", "score-R", "AutoEval", "ORACLE",
    }  # fmt: skip


def test_the_commands_answer_without_a_word_of_votes(files, capsys):
    assert main(["check", *files, "--json"]) == 0
    check = json.loads(capsys.readouterr().out)
    assert (check["votes"], check["positive_votes"]) == (0, None)
    assert main(["check", *files]) == 0
    told = capsys.readouterr().out
    assert [line.split()[1] for line in told.splitlines()
            if line.startswith(("votes", "agreement", "annotators"))] == ["none"] * 3  # fmt: skip
    assert "logistic-R: scores, corrected by the gold labels" in told
    asked = ["evaluate", *files, "--out", "out", "--no-models", "--report", "--threshold", "0.5"]
    assert main(asked) == 0
    told = capsys.readouterr()
    assert f"all: {SIZE} items, {GOLD} with gold (" in told.out
    assert f"no votes: the items are the {SIZE} of scores.csv" in told.err
    summary = json.loads(Path("out/study.json").read_text(encoding="utf-8"))
    found = {one["metric"].partition("@")[0]: one["method"] for one in summary["answers"]}
    assert not found.keys() & set(OF_VOTES)
    assert {"prevalence", "AUC", "accuracy", "delta_AUC"} <= found.keys()
    assert set(found.values()) == {"logistic-R"}
    page = Path("out/report.html").read_text(encoding="utf-8")
    assert "0 votes" not in page
    assert "votes-negative" not in page
    # A single file is read alike.
    frame = pd.read_csv("scores.csv").merge(pd.read_csv("gold.csv"), how="left")
    frame.to_csv("one.csv", index=False)
    one, two = (crowdgold.evaluate(read_study(paths), models=False, metrics="prevalence")
                for paths in (["one.csv"], files))  # fmt: skip
    assert one["prevalence"].interval == two["prevalence"].interval


def test_gold_is_drawn_from_scores_alone(files, capsys):
    assert main(["sample", "scores.csv", "--n", "60", "--out", "batch.csv"]) == 0
    assert "rests on scores alone" in capsys.readouterr().out
    batch, truth = pd.read_csv("batch.csv"), np.random.default_rng(0)
    assert len(batch) == 60
    batch["gold"] = truth.integers(0, 2, 60)
    batch.to_csv("batch.csv", index=False)
    study = read_study(["scores.csv", "batch.csv"])
    assert crowdgold.evaluate(study, models=False)["prevalence"].only.value.method == "logistic-R"
    assert main(["sample", *files, "--poststratify", "--out", "chances.csv"]) == 0
    assert main(["sample", *files, "--n", "30", "--out", "next.csv"]) == 0
    more = ["plan", "--more", "--pilot", *files, "--metric", "prevalence", "--width", "0.15"]
    assert main([*more, "--json"]) == 0


@pytest.mark.parametrize(
    ("command", "code", "why"),
    [
        (["check", "scores.csv"], 2, "no votes and no gold labels"),
        (["evaluate", "scores.csv", "--out", "o"], 2, "no votes and no gold labels"),
        (["check", "gold.csv"], 2, "no votes: gold.csv has item, gold"),
        (["check", "gold.csv", "scores.csv", "other.csv"], 2, "no votes: gold.csv has"),
        (["check", "labels.csv", "scores.csv"], 2, "--column labels.csv:label=gold"),
        (["check", "moved.csv", "scores.csv"], 2, "gold labels and scores have no item in common"),
        (["check", "gold.csv", "scores.csv", "upper.csv"], 2, "in the form of their names only"),
        (["evaluate", "gold.csv", "scores.csv", "--out", "o", "--metrics", "TPR_H"], 1,
         "TPR_H: they are of votes, and the study has none"),
        (["evaluate", "gold.csv", "scores.csv", "--out", "o", "--methods", "MAVEN"], 1,
         Note("no_votes").text),
        (["sample", "scores.csv", "--n", "60", "--for", "TPR_H", "--out", "b.csv"], 2,
         "TPR_H: it is of votes, and the table has none"),
        (["plan", "--pilot", "gold.csv", "scores.csv", "--model", "A", "--width", "0.1"], 2,
         "the pilot has no votes"),
    ],
)  # fmt: skip
def test_what_cannot_be_had_is_refused(files, capsys, command, code, why):
    gold = pd.read_csv("gold.csv")
    gold.rename(columns={"gold": "label"}).to_csv("labels.csv", index=False)
    gold.assign(item=[f"x{one}" for one in range(GOLD)]).to_csv("moved.csv", index=False)
    gold[["item"]].assign(who="w1", said="yes").to_csv("other.csv", index=False)
    upper = pd.DataFrame({"item": [f"I{one}" for one in range(SIZE)], "score_C": range(SIZE)})
    upper.to_csv("upper.csv", index=False)
    assert main(command) == code
    told = capsys.readouterr()
    assert why in " ".join(told.err.split())
    assert "Traceback" not in told.err


def test_each_metric_of_votes_is_left_out():
    assert tuple(name for name, one in METRICS.items() if one.needs_votes) == OF_VOTES
