"""Models that gold labels contradict: in how much, how often chance does it, and what is said."""

import json

import numpy as np
import pandas as pd
import pytest

from crowdgold.checking.agreement import holm
from crowdgold.methods.doubts import MEASURED_GOLD
from crowdgold.methods.misfit import ABOVE, BELOW, flag_misfit, held_against, misfit_p
from crowdgold.presentation.doubts import GRAVE, MINOR, find_doubts
from crowdgold.presentation.folder import read_study_folder
from crowdgold.presentation.page import strata_table
from crowdgold.presentation.text import describe, describe_models
from crowdgold.types.display import WIDTH
from unit.made_study import make_study


def estimates(*rows, columns=("standard_error",), metric="AUC"):
    table = pd.DataFrame(rows, columns=["method", "estimate", *columns])
    table = table.assign(experiment="", replicate=0, metric=metric)
    return table if "standard_error" in table else table.assign(standard_error=np.nan)


def summary_of(study):
    return json.loads((study / "study.json").read_text())


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
    summary = summary_of(tmp_path)
    (head,) = [one for one in summary["headlines"] if one["metric"] == "prevalence"]
    if leads:
        head.update(method="DS", misfit=True)
    (tmp_path / "study.json").write_text(json.dumps(summary))
    (doubt,) = [one for one in find_doubts(read_study_folder(tmp_path)) if "DS" in one.title]
    assert doubt.title == "The gold labels contradict DS"
    assert doubt.weight == (GRAVE if leads else MINOR)
    assert "1 of the 21 estimates" in doubt.text
    assert "those of logistic-R, which the gold labels correct" in doubt.text
    assert ("The answer rests on it" in doubt.text) == leads
    assert ("chance alone can do that" in doubt.text) == (p == 0.03)


def test_the_terminal_says_how_many_of_how_many(tmp_path):
    """Under the second opinions, with the method whose numbers are the answers; not under these."""
    summary = summary_of(make_study(tmp_path))
    heads, described = summary["headlines"], {"all": summary}
    assert " !" not in describe_models(summary, described)
    for one in heads[:3]:
        one["beside"]["misfit"] = True
    assert "!" not in describe(summary)
    said = describe_models(summary, described)
    assert sum(line.endswith(" !") for line in said.splitlines()) == 3
    assert max(map(len, said.splitlines())) <= WIDTH
    assert f"3 of {len(heads)}, at most one in twenty by chance; where" in " ".join(said.split())
    summary["strata"][0]["gold_random"] = False
    assert "rely on neither" in " ".join(describe_models(summary, described).split())


def test_second_opinions_say_what_is_new_and_nothing_where_there_are_none(tmp_path):
    """Chains that had not converged are said once; without models there is no second table."""
    summary = summary_of(make_study(tmp_path))
    before = {**summary, "fits": []}
    assert "had not converged" not in describe(before)
    said = describe_models(summary, {"all": before})
    assert "MAVEN of small: its chains had not converged (R-hat 1.2)" in said
    assert "had not converged" not in describe_models(summary, {"all": summary})
    for one in summary["headlines"]:
        one["beside"] = None
    assert describe_models(summary, {"all": summary}) == ""


def test_a_stratum_says_what_is_wrong_with_it(tmp_path):
    make_study(tmp_path, strata=("site=a", "site=b", "site=c"), metrics=("AUC",))
    summary = summary_of(tmp_path)
    summary["strata"][1].update(gold_random=False)
    summary["strata"][2].update(gold=MEASURED_GOLD - 1)
    summary["strata"][3].update(gold=0, gold_random=False)
    names = ("site=a", "site=b", "site=c")
    site_a, site_b, _ = (
        [one for one in summary["headlines"] if one["stratum"] == name] for name in names
    )
    site_a[0]["beside"]["misfit"] = True
    site_a[1]["note"] = "instead of logistic-R: no interval"
    site_b[0].update(dict.fromkeys(("method", "estimate", "lower", "upper", "beside")))
    site_b[0]["passed_over"] = ["GT: no interval"]
    (tmp_path / "study.json").write_text(json.dumps(summary))
    table = strata_table(read_study_folder(tmp_path))
    assert table.header[-1] == "remarks"
    remarks = {name: [row[-1] for row in table.rows if row[0] == name] for name in names}
    doubted, few = "gold not random", "fewer than 20 gold labels"
    assert remarks["site=a"][:3] == [
        f"{doubted}; MAVEN-C: contradicted by the gold labels",
        f"{doubted}; instead of logistic-R: no interval", doubted,
    ]  # fmt: skip
    assert remarks["site=b"][:2] == [f"{few}; GT: no interval", few]
    assert set(remarks["site=c"]) == {"no gold labels"}
