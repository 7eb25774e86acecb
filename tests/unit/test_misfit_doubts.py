"""Misfits: how many there are, how many chance makes, and which of them are grave."""

import json

import numpy as np
import pandas as pd
import pytest

from crowdgold.commands.evaluation_table import describe
from crowdgold.documents.own_study.doubts import GRAVE, MINOR, find_doubts
from crowdgold.documents.own_study.folder import read_study_folder
from crowdgold.documents.own_study.tables import strata_table
from crowdgold.evaluation.annotator_check import holm
from crowdgold.evaluation.misfit import flag_misfit, misfit_p
from unit.made_study import make_study


def test_p_values_by_hand():
    """Two standard errors are p = 0.0455, which is where the flag begins."""
    rows = [("MAVEN-R", 0.5, 0.1), ("DS", 0.7, 9.0), ("MAVEN", 0.5, 9.0), ("GT", np.nan, np.nan)]
    table = pd.DataFrame(rows, columns=["method", "estimate", "standard_error"])
    table = table.assign(experiment="", replicate=0, metric="AUC")
    found = misfit_p(table, [])
    assert found.iloc[1] == pytest.approx(0.0455, abs=1e-4)
    assert found.iloc[2] == 1
    assert found.iloc[[0, 3]].isna().all()
    exact = table.assign(standard_error=[0.0, 1.0, 1.0, 1.0])
    assert misfit_p(exact, []).tolist()[1:3] == [0.0, 1.0]
    assert flag_misfit(exact, []).tolist()[1:3] == [1.0, 0.0]


def test_holm_by_hand():
    """Of three p-values the smallest is held against 0.05 / 3, the next against 0.05 / 2, ..."""
    assert (holm(np.array([0.02, 0.3, 0.4])) > 0.05).all()
    assert (holm(np.array([0.4, 0.016, 0.024])) <= 0.05).sum() == 2
    assert (holm(np.array([0.01, 0.02, 0.03])) <= 0.05).all()
    assert len(holm(np.array([]))) == 0


@pytest.mark.parametrize(("p", "weight"), [(0.0009, GRAVE), (0.03, MINOR)])
def test_a_misfit_under_a_headline_is_grave_where_chance_does_not_make_it(tmp_path, p, weight):
    """DS leads with its one flagged estimate, of 21 that are held against MAVEN-R: 0.05 / 21 is
    0.0024."""
    make_study(tmp_path)
    table = pd.read_csv(tmp_path / "estimates.csv", keep_default_na=False)
    own = (table["method"] == "DS") & (table["metric"] == "prevalence")
    assert (table["method"] == "DS").sum() == 21
    table.loc[own, "misfit_p"] = str(p)
    table.to_csv(tmp_path / "estimates.csv", index=False)
    summary = json.loads((tmp_path / "study.json").read_text())
    (head,) = [one for one in summary["headlines"] if one["metric"] == "prevalence"]
    head.update(method="DS", misfit=True)
    (tmp_path / "study.json").write_text(json.dumps(summary))
    (doubt,) = [one for one in find_doubts(read_study_folder(tmp_path)) if "Misfit" in one.title]
    assert doubt.weight == weight
    assert "1 of the 21 estimates" in doubt.text
    assert ("chance alone can do that" in doubt.text) == (weight == MINOR)


def test_the_terminal_says_how_many_of_how_many(tmp_path):
    summary = json.loads((make_study(tmp_path) / "study.json").read_text())
    for one in summary["strata"]:
        one["about"] = "Intervals are about something."
    assert "!" not in describe(summary)
    for one in summary["headlines"][:3]:
        one["beside"]["misfit"] = True
    said = " ".join(describe(summary).split())
    assert f"3 of {len(summary['headlines'])}, at most one in twenty by chance; where" in said
    summary["strata"][0]["gold_random"] = False
    assert "by chance; and gold does not look like a random sample" in " ".join(
        describe(summary).split()
    )


def test_a_stratum_says_what_is_wrong_with_it(tmp_path):
    make_study(tmp_path, strata=("site=a", "site=b", "site=c"), metrics=("AUC",))
    summary = json.loads((tmp_path / "study.json").read_text())
    summary["strata"][1].update(gold_random=False)
    summary["strata"][2].update(gold=199)
    summary["strata"][3].update(gold=0, gold_random=False)
    heads = {name: [one for one in summary["headlines"] if one["stratum"] == name]
             for name in ("site=a", "site=b", "site=c")}  # fmt: skip
    heads["site=a"][0]["beside"]["misfit"] = True
    heads["site=a"][1]["note"] = "instead of MAVEN-R: the fit failed its gate (R-hat 1.2)"
    heads["site=b"][0].update(method=None, estimate=None, lower=None, upper=None, beside=None,
                              passed_over=["GT: no interval"])  # fmt: skip
    (tmp_path / "study.json").write_text(json.dumps(summary))
    table = strata_table(read_study_folder(tmp_path))
    assert table.header[-1] == "remarks"
    remarks = {name: [row[-1] for row in table.rows if row[0] == name] for name in heads}
    assert remarks["site=a"][:3] == [
        "gold not random; misfit",
        "gold not random; instead of MAVEN-R: the fit failed its gate (R-hat 1.2)",
        "gold not random",
    ]
    assert remarks["site=b"][:2] == [
        "fewer than 200 gold labels; GT: no interval", "fewer than 200 gold labels",
    ]  # fmt: skip
    assert set(remarks["site=c"]) == {"no gold labels"}
