"""`--expert-error` on the command line, in a study file and in Python, and what is told of it."""

import contextlib
import functools
import io
import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import crowdgold as cg
from crowdgold.cli import main
from crowdgold.evaluation.assumed_errors import ASSUMED
from crowdgold.simulate.expert_opinions import RARER, Erring, draw_opinions
from crowdgold.types.annotations import largest_errors
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD
from unit.made_items import draw_items, write_items

TABLE = draw_items(21, n=1200, n_gold=240, phi=0.3, predictors={"A": {"mu": 1.5, "delta": 0.5}})
ASKED = ("--no-models", "--metrics", "prevalence", "AUC")
ENDS = ["estimate", "lower", "upper"]


@pytest.fixture(scope="module", autouse=True)
def folder(tmp_path_factory):
    """Votes with scores, opinions of three experts, and of one."""
    with contextlib.chdir(tmp_path_factory.mktemp("votes")):
        write_items(replace(TABLE, gold=np.full(len(TABLE), NO_GOLD, dtype=np.int8)), "votes.csv")
        rows, rng = np.flatnonzero(TABLE.gold != NO_GOLD), np.random.default_rng(22)
        labels = draw_opinions(TABLE.truth[rows], Erring(0.06, 0.06), RARER, rng)
        parts = [
            pd.DataFrame({"item": TABLE.item[rows], "expert": f"E{k + 1}", "label": own})[own >= 0]
            for k, own in enumerate(labels.T)
        ]
        pd.concat(parts).to_csv("experts.csv", index=False)
        parts[0].drop(columns="expert").to_csv("gold.csv", index=False)
        pd.concat([parts[0], parts[1].head(2)]).to_csv("few_gold.csv", index=False)
        yield
    evaluated.cache_clear()


def run(*words, code=0):
    """What the command prints, without its line ends."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        assert main([*map(str, words)]) == code
    return " ".join(out.getvalue().split())


@functools.cache
def evaluated(gold, *options, code=0):
    words = "evaluate", "votes.csv", gold, *options, *ASKED, "--out", "out", "--force"
    printed = run(*words, code=code)
    study = json.loads(Path("out/study.json").read_text())
    methods = {one["method"] for one in study["answers"]}
    curves = pd.read_csv("out/expert_errors.csv").set_index("expert_error")
    return SimpleNamespace(
        printed=printed, notes=study["notes"], wrong=study["strata"][0]["if_wrong"],
        methods=methods, auc=by_method("out"), curves=dict(iter(curves.groupby("metric"))),
        items=pd.read_csv("out/items.csv"), file=Path("out/study.yaml").read_text(),
    )  # fmt: skip


def by_method(folder):
    """(estimate, lower, upper) of the AUC."""
    table = pd.read_csv(f"{folder}/estimates.csv")
    own = table[table["metric"] == "AUC"].set_index("method")[ENDS]
    return {name: tuple(row) for name, row in own.iterrows()}


def test_the_answer_is_corrected_and_the_rows_that_take_gold_for_true_stand_beside():
    found, plain = evaluated("experts.csv"), evaluated("experts.csv", "--expert-error", "none")
    assert (found.methods, plain.methods) == ({"logistic-E"}, {"logistic-R"})
    assert {"logistic-E", "GT-E", "logistic-R", "GT"} <= set(found.auc)
    assert any("an expert has sensitivity" in note for note in found.notes)
    assert plain.auc["logistic-R"] == found.auc["logistic-R"]
    assert plain.wrong == found.wrong == ""


def test_a_given_error_needs_no_second_opinion_and_is_the_same_in_a_file_and_in_python():
    found = evaluated("gold.csv", "--expert-error", "0.02:0.1")
    assert found.methods == {"logistic-E"}
    assert "expert-error: 0.02:0.1" in found.file
    Path("again.yaml").write_text(found.file.replace("../", ""))
    run("evaluate", "again.yaml", "--out", "again")
    assert by_method("again") == found.auc
    study = cg.read("votes.csv", "gold.csv")
    metrics = ["prevalence", "AUC"]
    table = cg.evaluate(study, metrics=metrics, models=False, expert_error="0.02:0.1").table
    answer = table[table["metric"] == "AUC"].set_index("method").loc["logistic-E", "estimate"]
    assert answer == pytest.approx(found.auc["logistic-E"][0], rel=1e-9)
    assert cg.check(study, expert_error=0.05).expert_errors.sensitivity == pytest.approx(0.95)


@pytest.mark.parametrize("options", [("gold.csv", "--expert-error", "0.05"), ("experts.csv",)])
def test_methods_that_take_gold_for_the_truth_say_so_where_experts_are_known_to_err(options):
    """The control: `logistic-E` is among those asked for, or experts are said not to err."""

    def told(*more):
        found = evaluated(*options, *more)
        assert found.wrong in found.printed
        return found.wrong

    wanted = "GT, logistic-R take gold labels for the truth, whatever is known of the experts'"
    assert told("--methods", "GT", "logistic-R").startswith(wanted)
    assert told("--methods", "logistic-R").startswith("logistic-R takes gold labels")
    assert told("--methods", "logistic-R", "logistic-E") == told() == ""
    assert told("--methods", "logistic-R", "--expert-error", "none") == ""


def test_the_mean_of_experts_needs_no_errors():
    found = evaluated("few_gold.csv", "--expert-error", "mean")
    assert found.methods == {"logistic-E"}
    assert any("the share of experts who call it so" in note for note in found.notes)
    assert not found.curves  # experts who only differ are never wrong
    known = cg.check(cg.read("votes.csv", "gold.csv"), expert_error="mean").expert_errors
    assert np.isnan([known.sensitivity, known.specificity]).all()
    assert not known.unknown


def test_too_few_second_opinions_are_told_with_the_answer_against_an_assumed_error():
    found = evaluated("few_gold.csv")
    assert found.methods == {"logistic-R"}
    note = next(one for one in found.notes if "not known" in one)
    assert "second opinions on 2 gold items do not tell" in note
    assert "Were 5 % of them wrong" in found.wrong
    at_none = found.curves["AUC"]["estimate"][0]
    assert at_none == pytest.approx(found.auc["logistic-R"][0], abs=1e-3)
    told = run("check", "votes.csv", "few_gold.csv", "--verbose")
    assert "how often experts err is not known" in told
    assert "crowdgold sample --second" in told


@pytest.mark.parametrize("gold", ["gold.csv", "experts.csv", "few_gold.csv"])
def test_the_curve_is_there_wherever_there_is_gold_and_ends_where_labels_contradict_it(gold):
    """Of 240 gold labels some 80 are positive, so that an error of .2 is allowed; of the same
    number of items of which a tenth are, no more than the upper end of that share."""
    own = evaluated(gold).curves["prevalence"]
    assert list(own.index) == list(ASSUMED)
    assert (np.diff(own["estimate"]) < 0).all()
    table = pd.read_csv(gold)
    table["label"] = table["label"].where(table["item"].rank(method="dense") % 3 == 0, 0)
    table.to_csv(f"rare_{gold}", index=False)
    found = evaluated(f"rare_{gold}")
    most = largest_errors(found.items["gold"].dropna().to_numpy(int))[1]
    assert 0.05 < most < 0.2
    assert list(found.curves["prevalence"].index) == [one for one in ASSUMED if one <= most]


def test_gold_of_one_expert_says_what_errors_would_make_of_the_answer():
    """The curve is the answer with that error given, and the printed answer says it."""
    found = evaluated("gold.csv")
    curve = [tuple(row) for row in found.curves["AUC"].loc[[0.03, 0.05], ENDS].to_numpy()]
    estimate, lower, upper = (f"{one:.3f}" for one in curve[1])
    wanted = (
        f"Were 5 % of them wrong, AUC of A would be {estimate} ({lower} to {upper}) by logistic-E"
    )
    assert wanted in found.printed
    assert wanted in found.wrong
    given = evaluated("gold.csv", "--expert-error", "0.03").auc["logistic-E"]
    assert curve[0] == pytest.approx(given, rel=1e-6)
    assert "of them wrong" not in evaluated("gold.csv", "--expert-error", "none").printed


@pytest.mark.parametrize("command", ["check", "evaluate"])
@pytest.mark.parametrize("text", ["half", "0.7", "0.08:0.03", "0.1,0.2,0.3", "-0.1"])
def test_an_error_that_cannot_be_ends_with_a_message_and_no_folder(command, text):
    out = ["--out", "none"] if command == "evaluate" else []
    told = run(command, "votes.csv", "gold.csv", *out, f"--expert-error={text}", code=2)
    assert f"expert-error: found {text!r}, expected a share below 0.5" in told
    assert not Path("none").exists()


def test_without_gold_labels_nothing_is_said_of_who_gave_them():
    """There is no label that could be taken for the truth, and an error was given."""
    words = ["votes.csv", "--expert-error", "0.05"]
    told = run("check", *words, "--verbose")
    told += run("evaluate", *words, "--out", "no_gold", "--no-models")
    assert "how often experts err is not known" not in told
    assert "taken for the truth" not in told


def test_an_error_that_the_gold_labels_contradict_ends_with_the_largest_that_they_allow():
    given = ("votes.csv", "gold.csv", "--expert-error", "0.45")
    told = run("evaluate", *given, *ASKED, "--out", "none", code=2)
    assert "experts who err on 45 % of the negative items" in told
    assert not Path("none").exists()
    assert "these labels allow an error of" in run("check", *given, code=2)
    with pytest.raises(InputError, match="these labels allow an error of"):
        cg.evaluate(cg.read("votes.csv", "gold.csv"), models=False, expert_error=0.45)


def test_nothing_is_told_of_wrong_labels_where_gold_was_surely_chosen():
    """All items with positive votes alone have gold; control: gold at random."""
    votes = pd.read_csv("votes.csv")
    gold = pd.DataFrame({"item": votes["item"], "label": TABLE.truth})
    chosen = votes["votes_positive"] == votes["votes_total"]
    for name, rows in (("chosen", chosen), ("random", np.arange(len(votes)) % 7 == 0)):
        gold[rows].to_csv(f"{name}.csv", index=False)
        found = evaluated(f"{name}.csv")
        assert bool(found.wrong) == ("Were 5 %" in found.printed) == (name == "random")
