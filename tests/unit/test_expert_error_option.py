"""`--expert-error` on the command line, in a study file and in Python, and what is told of it."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import crowdgold as cg
from crowdgold.cli import main
from crowdgold.evaluation.assumed_errors import ASSUMED
from crowdgold.simulate import simulate
from crowdgold.simulate.expert_opinions import RARER, Erring, draw_opinions
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD
from crowdgold.types.opinions import largest_errors

WORLD = {
    "n": 1200, "n_gold": 240, "votes_total": 3, "phi": 0.3, "a0": 0.1, "a1": 0.8, "d0": 1.5,
    "d1": 1.5, "predictors": {"A": {"mu": 1.5, "delta": 0.5}},
}  # fmt: skip
TABLE = simulate("maven", WORLD, np.random.default_rng(21)).table
ASKED = ("--no-models", "--metrics", "prevalence", "AUC")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Votes with scores, opinions of three experts, and of one."""
    monkeypatch.chdir(tmp_path)
    frame = TABLE.to_frame().drop(columns=["truth", "oracle", "tie_break", "gold"])
    frame.to_csv("votes.csv", index=False)
    rows = np.flatnonzero(TABLE.gold != NO_GOLD)
    labels = draw_opinions(TABLE.truth[rows], Erring(0.06, 0.06), RARER, np.random.default_rng(22))
    parts = [
        pd.DataFrame({"item": TABLE.item[rows], "expert": f"E{k + 1}", "label": own})[own >= 0]
        for k, own in enumerate(labels.T)
    ]
    pd.concat(parts).to_csv("experts.csv", index=False)
    parts[0].drop(columns="expert").to_csv("gold.csv", index=False)
    few = pd.concat([parts[0], parts[1].head(2)])
    few.to_csv("few_gold.csv", index=False)
    return tmp_path


def evaluated(*options):
    assert main(["evaluate", *map(str, options), *ASKED, "--out", "out", "--force"]) == 0
    return json.loads(Path("out/study.json").read_text()), pd.read_csv("out/estimates.csv")


def by_method(table):
    own = table[table["metric"] == "AUC"].set_index("method")
    return {name: tuple(own.loc[name, ["estimate", "lower", "upper"]]) for name in own.index}


def curve_of(metric):
    table = pd.read_csv("out/expert_errors.csv")
    return table[table["metric"] == metric].set_index("expert_error")


def test_the_answer_is_corrected_and_the_rows_that_take_gold_for_true_stand_beside(folder):
    summary, table = evaluated("votes.csv", "experts.csv")
    assert {one["method"] for one in summary["headlines"]} == {"logistic-E"}
    assert {"logistic-E", "GT-E", "logistic-R", "GT"} <= set(table["method"])
    assert any("an expert has sensitivity" in note for note in summary["notes"])
    plain, other = evaluated("votes.csv", "experts.csv", "--expert-error", "none")
    assert {one["method"] for one in plain["headlines"]} == {"logistic-R"}
    assert by_method(other)["logistic-R"] == by_method(table)["logistic-R"]
    assert plain["strata"][0]["if_wrong"] == summary["strata"][0]["if_wrong"] == ""


def test_a_given_error_needs_no_second_opinion_and_is_the_same_in_a_file_and_in_python(folder):
    summary, table = evaluated("votes.csv", "gold.csv", "--expert-error", "0.02:0.1")
    assert {one["method"] for one in summary["headlines"]} == {"logistic-E"}
    assert "expert-error: 0.02:0.1" in Path("out/study.yaml").read_text()
    again = folder / "again.yaml"
    again.write_text(Path("out/study.yaml").read_text().replace("../", ""))
    assert main(["evaluate", "again.yaml", "--out", "again"]) == 0
    assert by_method(pd.read_csv("again/estimates.csv")) == by_method(table)
    study = cg.read("votes.csv", "gold.csv")
    found = cg.evaluate(study, metrics=["prevalence", "AUC"], models=False, expert_error="0.02:0.1")
    answer = found.table[found.table["metric"] == "AUC"].set_index("method")
    assert answer.loc["logistic-E", "estimate"] == pytest.approx(
        by_method(table)["logistic-E"][0], rel=1e-9
    )
    assert cg.check(study, expert_error=0.05).expert_errors.sensitivity == pytest.approx(0.95)


@pytest.mark.parametrize("options", [("gold.csv", "--expert-error", "0.05"), ("experts.csv",)])
def test_methods_that_take_gold_for_the_truth_say_so_where_experts_are_known_to_err(
    folder, capsys, options
):
    """The control: `logistic-E` is among those asked for, or experts are said not to err."""

    def told(*more):
        summary, _ = evaluated("votes.csv", *options, *more)
        printed = " ".join(capsys.readouterr().out.split())
        said = summary["strata"][0]["if_wrong"]
        assert said in printed
        return said

    wanted = (
        "GT, logistic-R take gold labels for the truth, whatever is known of the experts' errors: "
        "logistic-E corrects them."
    )
    assert told("--methods", "GT", "logistic-R") == wanted
    assert told("--methods", "logistic-R").startswith("logistic-R takes gold labels")
    assert told("--methods", "logistic-R", "logistic-E") == told() == ""
    assert told("--methods", "logistic-R", "--expert-error", "none") == ""


def test_the_mean_of_experts_needs_no_errors(folder):
    summary, _ = evaluated("votes.csv", "few_gold.csv", "--expert-error", "mean")
    assert {one["method"] for one in summary["headlines"]} == {"logistic-E"}
    assert any("the share of experts who call it so" in note for note in summary["notes"])
    known = cg.check(cg.read("votes.csv", "gold.csv"), expert_error="mean").expert_errors
    assert np.isnan([known.sensitivity, known.specificity]).all()
    assert not known.unknown
    assert pd.read_csv("out/expert_errors.csv").empty  # experts who only differ are never wrong


def test_too_few_second_opinions_are_told_with_the_answer_against_an_assumed_error(folder, capsys):
    summary, table = evaluated("votes.csv", "few_gold.csv")
    assert {one["method"] for one in summary["headlines"]} == {"logistic-R"}
    note = next(one for one in summary["notes"] if "not known" in one)
    assert "second opinions on 2 gold items do not tell" in note
    assert "Were 5 % of them wrong" in summary["strata"][0]["if_wrong"]
    own = curve_of("AUC")
    assert own["estimate"][0] == pytest.approx(by_method(table)["logistic-R"][0], abs=1e-3)
    capsys.readouterr()
    assert main(["check", "votes.csv", "few_gold.csv", "--verbose"]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "how often experts err is not known" in told
    assert "crowdgold sample --second" in told


@pytest.mark.parametrize("gold", ["gold.csv", "experts.csv", "few_gold.csv"])
def test_the_curve_is_there_wherever_there_is_gold_and_ends_where_labels_contradict_it(
    folder, gold
):
    """Of 240 gold labels some 80 are positive, so that an error of .2 is allowed; of the same
    number of items of which a tenth are, no more than the upper end of that share."""
    evaluated("votes.csv", gold)
    own = curve_of("prevalence")
    assert list(own.index) == list(ASSUMED)
    assert (np.diff(own["estimate"]) < 0).all()
    table = pd.read_csv(gold)
    table["label"] = table["label"].where(table["item"].rank(method="dense") % 3 == 0, 0)
    table.to_csv("rare.csv", index=False)
    evaluated("votes.csv", "rare.csv")
    items = pd.read_csv("out/items.csv")["gold"].dropna()
    most = largest_errors(items.to_numpy(int))[1]
    assert 0.05 < most < 0.2
    assert list(curve_of("prevalence").index) == [one for one in ASSUMED if one <= most]


def test_gold_of_one_expert_says_in_the_printed_answer_what_errors_would_make_of_it(folder, capsys):
    summary, _ = evaluated("votes.csv", "gold.csv")
    told = " ".join(capsys.readouterr().out.split())
    own = curve_of("AUC").loc[0.05]
    wanted = (
        f"Were 5 % of them wrong, AUC of A would be {own['estimate']:.3f} ({own['lower']:.3f} to "
        f"{own['upper']:.3f}) by logistic-E"
    )
    assert wanted in told
    assert wanted in summary["strata"][0]["if_wrong"]
    evaluated("votes.csv", "gold.csv", "--expert-error", "none")
    assert "of them wrong" not in capsys.readouterr().out


def test_the_curve_of_one_opinion_is_the_answer_with_that_error_given(folder):
    evaluated("votes.csv", "gold.csv")
    assumed = curve_of("AUC").loc[0.03]
    _, table = evaluated("votes.csv", "gold.csv", "--expert-error", "0.03")
    assert tuple(assumed[["estimate", "lower", "upper"]]) == pytest.approx(
        by_method(table)["logistic-E"], rel=1e-6
    )


@pytest.mark.parametrize("command", ["check", "evaluate"])
@pytest.mark.parametrize("text", ["half", "0.7", "0.08:0.03", "0.1,0.2,0.3", "-0.1"])
def test_an_error_that_cannot_be_ends_with_a_message_and_no_folder(folder, capsys, command, text):
    out = ["--out", "out"] if command == "evaluate" else []
    assert main([command, "votes.csv", "gold.csv", *out, f"--expert-error={text}"]) == 2
    said = capsys.readouterr().err
    assert f"expert-error: found {text!r}, expected a share below 0.5" in said
    assert not (folder / "out").exists()


@pytest.mark.usefixtures("folder")
def test_without_gold_labels_nothing_is_said_of_who_gave_them(capsys):
    """There is no label that could be taken for the truth, and an error was given."""
    words = ["votes.csv", "--expert-error", "0.05"]
    assert main(["check", *words, "--verbose"]) == 0
    assert main(["evaluate", *words, "--out", "none", "--no-models"]) == 0
    told = " ".join("".join(capsys.readouterr()).split())
    assert "how often experts err is not known" not in told
    assert "taken for the truth" not in told


def test_an_error_that_the_gold_labels_contradict_ends_with_the_largest_that_they_allow(
    folder, capsys
):
    given = ("votes.csv", "gold.csv", "--expert-error", "0.45")
    assert main(["evaluate", *given, *ASKED, "--out", "out"]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "experts who err on 45 % of the negative items" in said
    assert not (folder / "out").exists()
    assert main(["check", *given, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert "these labels allow an error of" in found["expert_errors"]["unknown"]
    verdict = {one["method"]: one["verdict"] for one in found["verdicts"]}
    assert verdict["logistic-E"] == "not usable"
    with pytest.raises(InputError, match="these labels allow an error of"):
        cg.evaluate(cg.read("votes.csv", "gold.csv"), models=False, expert_error=0.45)


def test_nothing_is_told_of_wrong_labels_where_gold_was_surely_chosen(folder, capsys):
    """All items with positive votes alone have gold; control: gold at random."""
    votes = pd.read_csv("votes.csv")
    chosen = votes["votes_positive"] == votes["votes_total"]
    gold = pd.DataFrame({"item": votes["item"], "label": TABLE.truth})
    for name, rows in (("chosen", chosen), ("random", np.arange(len(votes)) % 7 == 0)):
        gold[rows].to_csv(f"{name}.csv", index=False)
        study, _ = evaluated("votes.csv", f"{name}.csv")
        told = " ".join("".join(capsys.readouterr()).split())
        assert bool(study["strata"][0]["if_wrong"]) == ("Were 5 %" in told) == (name == "random")
