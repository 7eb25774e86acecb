"""Models that gold labels contradict: in how much, how often chance does it, and what is said."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from crowdgold.checking.agreement import holm
from crowdgold.evaluation.answer import Passed, Value
from crowdgold.methods.misfit import ABOVE, BELOW, flag_misfit, held_against, misfit_p
from crowdgold.methods.needs import MEASURED_GOLD
from crowdgold.presentation.doubts import GRAVE, MINOR, find_doubts
from crowdgold.presentation.folder import read_study_folder
from crowdgold.presentation.page import strata_table
from crowdgold.presentation.text import describe, describe_models
from crowdgold.types.display import WIDTH
from crowdgold.types.notes import Note
from unit.made_study import changed, evaluation_in, make_study


def estimates(*rows, columns=("standard_error",), metric="AUC"):
    table = pd.DataFrame(rows, columns=["method", "estimate", *columns])
    table = table.assign(experiment="", replicate=0, metric=metric)
    return table if "standard_error" in table else table.assign(standard_error=np.nan)


def test_p_values_by_hand():
    """Two standard errors are p = 0.0455, which is where the flag begins."""
    table = estimates(
        ("logistic-R", 0.5, 0.1), ("DS", 0.7, 9.0), ("MAVEN", 0.5, 9.0), ("GT", np.nan, np.nan)
    )
    found = misfit_p(table, [])
    assert found[[1, 2]].tolist() == pytest.approx([0.0455, 1], abs=1e-4)
    assert found[[0, 3]].isna().all()
    exact = table.assign(standard_error=[0.0, 1.0, 1.0, 1.0])
    assert misfit_p(exact, []).tolist()[1:3] == [0.0, 1.0]
    assert flag_misfit(exact, []).tolist()[1:3] == [1.0, 0.0]


def test_an_interval_that_reaches_further_to_one_side_contradicts_less_there():
    """A recall of 1 from gold items that are all alike, [0.54, 1]: no standard error, and a model
    that says 0.996 is within the interval; one that says 0.4 is below it."""
    table = estimates(
        ("logistic-R", 1.0, 0.46 / 1.96, 0.0), ("DS", 0.996, 9, 9), ("MAVEN", 0.4, 9, 9),
        columns=(BELOW, ABOVE), metric="recall@0.5",
    )  # fmt: skip
    assert flag_misfit(table, []).tolist()[1:] == [0.0, 1.0]
    assert misfit_p(table, [])[1] > 0.95


@pytest.mark.parametrize(
    ("p", "below"),
    [([0.02, 0.3, 0.4], 0), ([0.4, 0.016, 0.024], 2), ([0.01, 0.02, 0.03], 3), ([], 0)],
)
def test_holm_by_hand(p, below):
    """Of three p-values the smallest is held against 0.05 / 3, the next against 0.05 / 2, ..."""
    found = holm(np.array(p))
    assert (len(found), (found <= 0.05).sum()) == (len(p), below)


def test_models_are_held_against_what_is_corrected_in_milliseconds():
    """logistic-R, and MAVEN-R where that was not run; without either nothing is contradicted."""
    assert held_against(["GT", "MAVEN-R", "logistic-R"]) == "logistic-R"
    assert held_against(["MAVEN-R", "DS"]) == "MAVEN-R"
    assert held_against(["GT", "votes-R"]) is None
    table = estimates(("logistic-R", 0.5, 0.1), ("MAVEN-R", 0.9, 0.001), ("DS", 0.6, 9.0))
    assert flag_misfit(table, []).tolist()[2] == 0
    assert flag_misfit(table[1:], []).tolist()[1] == 1
    assert flag_misfit(table[2:], []).isna().all()


@pytest.mark.parametrize("leads", [True, False])
@pytest.mark.parametrize("p", [0.0009, 0.03])
def test_a_contradicted_model_is_grave_where_it_is_the_answer(tmp_path, p, leads):
    """One contradicted estimate of 21: 0.05 / 21 is 0.0024."""
    make_study(tmp_path)
    table = pd.read_csv(tmp_path / "estimates.csv", keep_default_na=False)
    own = (table["method"] == "DS") & (table["metric"] == "prevalence")
    assert (table["method"] == "DS").sum() == 21
    table.loc[own, "misfit_p"] = str(p)
    table.to_csv(tmp_path / "estimates.csv", index=False)
    study = read_study_folder(tmp_path)
    if leads:
        by_model = Value("DS", 0.2, 0.18, 0.22, contradicted=True)
        study = changed(tmp_path, answers=[
            replace(one, value=by_model) if one.of.plain == "prevalence" else one
            for one in study.answers
        ])  # fmt: skip
    (doubt,) = [one for one in find_doubts(study) if "DS" in one.title]
    assert doubt.title == "The gold labels contradict DS"
    assert doubt.weight == (GRAVE if leads else MINOR)
    assert "1 of the 21 estimates" in doubt.text
    assert "those of logistic-R, which the gold labels correct" in doubt.text
    assert ("The answer rests on it" in doubt.text) == leads
    assert ("chance alone can do that" in doubt.text) == (p == 0.03)


def misfitting(answer):
    """The same with a model's number beside it that the gold labels contradict."""
    return replace(answer, beside=replace(answer.beside, contradicted=True))


def test_the_terminal_says_how_many_of_how_many(tmp_path):
    """Under the second opinions, with the method whose numbers are the answers; not under these."""
    found = evaluation_in(make_study(tmp_path))
    assert " !" not in describe_models(found, {"all": found})
    first, rest = found.answers[:3], found.answers[3:]
    found = replace(found, answers=(*map(misfitting, first), *rest))
    assert "!" not in describe(found)
    said = describe_models(found, {"all": found})
    assert sum(line.endswith(" !") for line in said.splitlines()) == 3
    assert max(map(len, said.splitlines())) <= WIDTH
    wanted = f"3 of {len(found.answers)}, at most one in twenty by chance; where"
    assert wanted in " ".join(said.split())
    doubted = replace(found.summary.whole, gold_random=False)
    found = replace(found, summary=replace(found.summary, strata=(doubted,)))
    assert "rely on neither" in " ".join(describe_models(found, {"all": found}).split())


def test_second_opinions_say_what_is_new_and_nothing_where_there_are_none(tmp_path):
    """Chains that had not converged are said once; without models there is no second table."""
    found = evaluation_in(make_study(tmp_path))
    before = replace(found, summary=replace(found.summary, fits=()))
    assert "had not converged" not in describe(before)
    said = describe_models(found, {"all": before})
    assert "MAVEN of small: its chains had not converged (R-hat 1.2)" in said
    assert "had not converged" not in describe_models(found, {"all": found})
    none = replace(found, answers=tuple(replace(one, beside=None) for one in found.answers))
    assert describe_models(none, {"all": none}) == ""


def test_a_stratum_says_what_is_wrong_with_it(tmp_path):
    names = ("site=a", "site=b", "site=c")
    found = evaluation_in(make_study(tmp_path, strata=names, metrics=("AUC",)))
    strata = [
        one | more for one, more in zip(read_study_folder(tmp_path).summary["strata"], (
            {}, {"gold_random": False}, {"gold": MEASURED_GOLD - 1},
            {"gold": 0, "gold_random": False},
        ), strict=True)
    ]  # fmt: skip
    passed = (Passed("GT", (Note("no_interval"),)),)
    put = {
        ("site=a", "prevalence"): misfitting,
        ("site=a", "TPR_H"): lambda one: replace(one, passed_over=passed),
        ("site=b", "prevalence"): lambda one: replace(
            one, value=None, beside=None, passed_over=passed
        ),
    }
    answers = [put.get((one.stratum, one.of.metric), replace)(one) for one in found.answers]
    table = strata_table(changed(tmp_path, strata=strata, answers=answers))
    assert table.header[-1] == "remarks"
    remarks = {name: [row[-1] for row in table.rows if row[0] == name] for name in names}
    doubted, few = "gold not random", "fewer than 20 gold labels"
    assert remarks["site=a"][:3] == [
        f"{doubted}; MAVEN-C: contradicted by the gold labels",
        f"{doubted}; instead of {passed[0].text}", doubted,
    ]  # fmt: skip
    assert remarks["site=b"][:2] == [f"{few}; {passed[0].text}", few]
    assert set(remarks["site=c"]) == {"no gold labels"}
