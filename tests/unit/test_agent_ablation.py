"""Figures, tables and claims of STABLEVAL's synthetic study from tables with planted numbers."""

import numpy as np
import pandas as pd
import pytest

from crowdgold.claims.claims import read_claims
from crowdgold.claims.verdicts import FAILS, HOLDS, NOT_DECIDED
from crowdgold.experiment.configuration import load
from crowdgold.papers.stableval.pages import (
    as_printed,
    lean_of,
    summary_of,
    synthetic_cells,
    synthetic_table,
)
from crowdgold.plots.figure_jobs import draw
from unit.judged_tables import agent_scores
from unit.made_pages import PAGES
from workflow.conftest import ROOT

PRINTED = load(ROOT / "config/printed/stableval_synthetic.yaml")
OWN, PUBLISHED = "stableval_synthetic", "stableval_synthetic_published"


def claim(words, printed=PRINTED, place=""):
    """The claim of the synthetic study with these words."""
    known = read_claims(PAGES["reproduction_stableval"]["claims"], printed, "synthetic")
    (found,) = [one for one in known if words in one.printed and place in one.place]
    return found


def as_the_paper(off=None):
    """The printed MSE of table 4, but for one cell where `off` is given."""
    rows = {
        name: dict(zip(PRINTED["methods"], np.array(row) / 1000, strict=True))
        for name, row in PRINTED["table_4"]["rows"].items()
    }
    if off:
        rows["labels_3"]["PEC"] = off
    return rows


def test_cells_are_held_against_what_is_printed_and_one_that_differs_is_counted():
    tables = {
        OWN: agent_scores(OWN, as_the_paper()),
        PUBLISHED: agent_scores(PUBLISHED, as_the_paper()),
    }
    cells = synthetic_cells("table_4", tables, PRINTED)
    assert len(cells) == 72
    assert all(as_printed(cell, 2) for cell in cells)
    text = summary_of(cells, 2)
    assert "72 of 72 cells have the printed digits" in text
    assert "0 of 72 cells are more than 3.5" in text
    # Each MSE of ours is larger by .1, which is 100 in the table's unit.
    larger = agent_scores(OWN, {name: {method: value + 0.1 for method, value in row.items()}
                                for name, row in as_the_paper().items()})  # fmt: skip
    told = lean_of("table_4", {**tables, OWN: larger}, PRINTED["table_4"])
    assert " ours less theirs is 100.00 ± " in told
    tables = {
        OWN: agent_scores(OWN, as_the_paper(off=0.02)),
        PUBLISHED: agent_scores(PUBLISHED, as_the_paper(off=0.0058)),
    }
    text = summary_of(synthetic_cells("table_4", tables, PRINTED), 2)
    assert "71 of 72 cells have the printed digits" in text
    assert "1 of 72 cells are more than 3.5" in text


def test_a_claim_about_mse_holds_where_it_is_clear_everywhere():
    table = {OWN: agent_scores(OWN, as_the_paper(), replicates=12)}
    assert claim("below PEC").judge(table).verdict == HOLDS
    found = claim("outperforms MV").judge(table)
    assert found.verdict == FAILS
    assert "labels_3" in found.reason
    assert "table 4 itself" in found.reason
    swapped = {OWN: table[OWN].replace({"method": {"PEC": "DS", "DS": "PEC"}})}
    assert claim("below PEC").judge(swapped).verdict == FAILS


@pytest.mark.parametrize(("inside", "verdict"), [(384, HOLDS), (376, NOT_DECIDED), (200, FAILS)])
def test_coverage_fails_where_it_is_clearly_short(inside, verdict):
    """Of 400 intervals 96 % of them, 94 %, which is too near two points less, and half of them."""
    covered = np.arange(400) < inside
    table = pd.DataFrame(
        {
            "experiment": "e", "quality": "wide", "method_settings.PEC-posterior.prior": "agent",
            "method": "PEC", "metric": "score:each", "replicate": range(400), "truth": 0.5,
            "estimate": 0.5, "lower": np.where(covered, 0.4, 0.6), "upper": 0.7,
            "diagnostics_passed": True,
        }
    )  # fmt: skip
    covers = claim("cover the score of these answers", place="Section 3.5")
    assert covers.judge({"stableval_own_world": table}).verdict == verdict


def tied(coverage, replicates=40, control=0.95):
    """Intervals of PEC-posterior in three settings; the first is the control, of 95 % coverage."""
    settings = {("own", 0.0): control, ("own", 0.2): coverage[0], ("shared", 0.0): coverage[1]}
    frames = []
    for (difficulty, copying), share in settings.items():
        covered = np.arange(replicates) < share * replicates
        frames.append(
            pd.DataFrame(
                {
                    "experiment": "e", "difficulty": difficulty, "copying": copying,
                    "method": "PEC-posterior", "metric": "score:each",
                    "replicate": range(replicates), "truth": 0.5, "estimate": 0.5,
                    "lower": np.where(covered, 0.4, 0.6), "upper": 0.7,
                    "diagnostics_passed": np.arange(replicates) > 2,
                }
            )
        )  # fmt: skip
    return {"stableval_correlated": pd.concat(frames, ignore_index=True)}


@pytest.mark.parametrize(
    ("coverage", "verdict"), [((0.5, 0.6), HOLDS), ((0.5, 0.95), NOT_DECIDED), ((0.5, 1.0), FAILS)]
)
def test_dependence_is_held_against_its_control(coverage, verdict):
    control = 0.6 if verdict == FAILS else 0.95
    found = claim("these answers away: full posterior").judge(tied(coverage, control=control))
    assert found.verdict == verdict
    assert found.values.startswith("coverage less the control's: own difficulty, 20% copied ")


def test_one_class_prior_costs_coverage_where_agents_differ():
    table = tied((0.5, 0.95))["stableval_correlated"]
    prior = np.where(table["copying"] > 0, "shared", "agent")
    table = table.assign(quality="wide", **{"method_settings.PEC-posterior.prior": prior})
    table = table[table["difficulty"] == "own"]
    both = pd.concat([table, table.assign(metric="expected_score:each")])
    prior = claim("for all, as printed")
    assert prior.judge({"stableval_own_world": both}).verdict == HOLDS
    alike = both.assign(upper=0.7, lower=0.4)
    assert prior.judge({"stableval_own_world": alike}).verdict == NOT_DECIDED


def subset_tables(labels, annotators):
    """Tau-b of 100 seeds by configuration, for tables of values by method: rows of table 5."""
    name = "stableval_synthetic_stability_published"
    wobble = np.tile([-0.01, 0.01], 50)
    rows = [
        pd.DataFrame(
            {"configuration": configuration, "method": method, "metric": metric,
             "replicate": range(100), "estimate": value + wobble}
        )
        for metric, values in (("stability:labels", labels), ("stability", annotators))
        for configuration, row in values.items()
        for method, value in zip(PRINTED["methods"], row, strict=True)
    ]  # fmt: skip
    scores = agent_scores(name, {one: dict.fromkeys(PRINTED["methods"], 0.01) for one in labels})
    return {name: pd.concat([*rows, scores], ignore_index=True).assign(experiment=name)}


def test_table_5_is_judged_cell_by_cell_and_by_both_kinds_of_subset():
    """DS less stable than PEC in every cell, or as stable; annotators' subsets away or not; and
    printed cells that come out, but for one of them.
    """
    rows = PRINTED["table_5"]["rows"]
    lower = {name: [row[0], row[1] - 0.02, row[2]] for name, row in rows.items()}
    other = {name: [value - 0.03 for value in row] for name, row in rows.items()}
    words = ("DS is as stable", "subsampling of annotators", "3 of an item")
    ds, subsets, labels = map(claim, words)
    found = ds.judge(subset_tables(lower, other))
    assert found.verdict == FAILS
    assert "it copies PEC's" in found.reason
    assert ds.judge(subset_tables(rows, other)).verdict == HOLDS
    found = subsets.judge(subset_tables(rows, other))
    assert found.verdict == FAILS
    assert "clearly not: 8 of 8" in found.reason
    assert subsets.judge(subset_tables(rows, rows)).verdict == HOLDS
    assert labels.judge(subset_tables(lower, other)).verdict == HOLDS, "DS is no cell of it"
    moved = rows | {"labels_9": [0.986, *rows["labels_9"][1:]]}
    assert labels.judge(subset_tables(moved, other)).verdict == FAILS
    text = synthetic_table("table_5", subset_tables(lower, other), PRINTED)
    assert "12 of 12 cells have the printed digits" in text
    assert "copies the column of DS from PEC's" in text
    assert "DS has 0.969, 0.971, 0.972, 0.972." in text


def test_a_dip_is_one_of_the_published_labels_beside_our_draws():
    """Scores of DS turned round at 10 % strict annotators dip; as they are they do not."""
    tables = {name: agent_scores(name, as_the_paper()) for name in (PUBLISHED, OWN)}
    said = {**PRINTED, "repetitions": tables[PUBLISHED]["replicate"].nunique()}
    dip = claim("dips at 10 %", said)
    assert dip.judge(tables).verdict == FAILS
    turned = tables[PUBLISHED].copy()
    at = (turned["configuration"] == "strict_10") & (turned["method"] == "DS")
    turned.loc[at, "estimate"] *= -1
    found = dip.judge({**tables, PUBLISHED: turned})
    assert found.verdict == HOLDS
    assert "on our own draws" in found.reason
    assert claim("above 98.8", said).judge({**tables, PUBLISHED: turned}).verdict == HOLDS
    turned.loc[turned["configuration"] == "adv_40", "estimate"] *= -1
    assert claim("above 98.8", said).judge({**tables, PUBLISHED: turned}).verdict == FAILS


def test_captions_are_held_against_the_published_labels():
    """Table 4's own numbers: those of figure 10's caption are partly others."""
    tables = {PUBLISHED: agent_scores(PUBLISHED, as_the_paper())}
    said = {**PRINTED, "repetitions": tables[PUBLISHED]["replicate"].nunique()}
    assert claim("MSE", said, "Fig. 10, caption").judge(tables).verdict == FAILS
    assert claim("MSE", PRINTED, "Fig. 10, caption").judge(tables).verdict == NOT_DECIDED
    assert "PEC 0.00571" in claim("MSE", place="Fig. 12, caption").judge(tables).values
    right = {"figure_12": {"mse": {"labels_3": {"MV": 0.00478}}}}
    said["captions"] = PRINTED["captions"] | right
    assert claim("MSE", said, "Fig. 12, caption").judge(tables).verdict == HOLDS


PANELS = [{"label": "Labels", "configurations": {"labels_3": 3, "labels_9": 9}}]


def test_a_figure_says_what_its_table_lacks(tmp_path):
    table = agent_scores(OWN, {"labels_5": {"MV": 0.1}})
    with pytest.raises(ValueError, match="no configuration 'labels_3'"):
        draw("agent_ablation", table, {"quantity": "mse", "panels": PANELS}, tmp_path / "x")
    with pytest.raises(ValueError, match="no quantity 'rmse'"):
        draw("agent_ablation", table, {"quantity": "rmse", "panels": PANELS}, tmp_path / "x")
    options = {"quantity": "mse", "digits": 2, "groups": [{"title": "", "configurations": {}}]}
    with pytest.raises(ValueError, match="none of the configurations"):
        draw("agent_ablation_table", table, options, tmp_path / "x")
    with pytest.raises(ValueError, match=r"no columns \['copying'\]"):
        draw("agent_intervals", table, {"by": ["copying"]}, tmp_path / "x")
