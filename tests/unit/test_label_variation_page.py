"""Ranks and comparisons of training methods, and the page and figures made of them."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from crowdgold.documents.label_variation_claims import RUNS, label_variation_claims
from crowdgold.documents.label_variation_reproduction import label_variation_page, table_3, table_b1
from crowdgold.documents.verdicts import FAILS, HOLDS, PARTLY
from crowdgold.evaluation.label_variation_ranks import (
    against_objective,
    compare_with_baseline,
    differences,
    mean_ranks,
    over_runs,
)
from crowdgold.experiments.configuration import load
from crowdgold.plotting import FIGURES
from unit.label_variation_tables import DATASETS, GAIN, METRICS, STEP, table_of_runs

PRINTED = load(Path(__file__).resolve().parents[2] / "config/printed/label_variation.yaml")


def test_differences_are_of_a_run_to_the_mean_of_mv():
    found = differences(table_of_runs())
    own = found[(found["method"] == "SL") & (found["metric"] == "PO-JSD")]
    np.testing.assert_allclose(
        own["difference"].to_numpy().reshape(3, 3), [[0.04 - STEP, 0.04, 0.04 + STEP]] * 3
    )


def test_ranks_are_means_over_settings_and_undefined_is_last():
    table = table_of_runs()
    ranks = mean_ranks(table)
    assert list(ranks.index[:4]) == ["ReL", "SL", "JSD", "SMF1"]
    assert ranks.index[-1] == "LA-min"
    assert ranks["ReL"] == 1
    # Where SmF1 is undefined it is last of 14, behind LA-min; elsewhere it shares the middle.
    middle = {14: np.mean(range(5, 14)), 10: np.mean(range(5, 10))}
    expected = (middle[14] * 11 + 14 + middle[10] * 6) / 18
    assert ranks["SmF1"] == pytest.approx(expected)


def test_substantially_is_by_two_standard_errors_of_the_difference():
    """Runs are STEP apart, so that the error of a difference is STEP sqrt(2 / 3)."""
    limit = 2 * STEP * np.sqrt(2 / 3)
    table = table_of_runs()
    for gain, beats in ((limit * 1.01, True), (limit * 0.99, False)):
        moved = table.assign(
            value=table["value"].where(table["method"] != "AL", 0.6 + gain + STEP * (
                table["replicate"] - 1))
        )  # fmt: skip
        found = compare_with_baseline(moved)
        assert (found.loc[found["method"] == "AL", "beats"] == beats).all()
    found = compare_with_baseline(table)
    assert found.loc[found["method"] == "LA-min", "below"].all()
    assert not found.loc[found["method"] == "MV", ["beats", "below"]].any(axis=None)
    best = set(found.loc[found["among_best"], "method"])
    assert best == {"ReL"}, "0.01 is more than two errors"


def test_an_undefined_value_beats_nothing():
    found = compare_with_baseline(table_of_runs())
    gone = found[found["mean"].isna()]
    assert gone["method"].tolist() == ["SmF1"]
    assert not gone[["beats", "below", "among_best"]].any(axis=None)
    summary = over_runs(table_of_runs())
    assert summary["runs"].eq(3).all()


def test_a_method_is_held_against_the_one_trained_for_the_metric():
    """JSD by PO-JSD and SmF1 by soft micro F1, not SMF1: two settings a dataset."""
    table = table_of_runs()
    found = against_objective(table, ("ReL", "SL"))
    assert len(found) == 2 * len(DATASETS)
    assert found["on_par"].all()
    assert not against_objective(table, ("LA-min",))["on_par"].any()


def verdicts(table):
    claims = label_variation_claims(PRINTED["section_5_2"])
    return {claim.printed: claim.judge({RUNS: table}) for claim in claims}


def test_claims_follow_the_table():
    found = list(verdicts(table_of_runs()).values())
    assert [one.verdict for one in found] == [HOLDS, HOLDS, HOLDS, HOLDS, HOLDS, FAILS, HOLDS]
    assert found[0].ours == "18 of 18 (100%); alone: ReL 18, SL 18"
    assert "undefined in 3 runs" in found[-1].ours
    worse = table_of_runs()
    worse["value"] -= worse["method"].map({"ReL": 0.2, "SL": 0.2}).fillna(0)
    worse["value"] += worse["method"].map({"LA-min": 0.1}).fillna(0)
    found = list(verdicts(worse.fillna({"value": 0.1})).values())
    assert [one.verdict for one in found] == [FAILS] * 7
    half = table_of_runs()
    half.loc[(half["dataset"] == "ArMIS") & (half["method"] == "ReL"), "value"] -= 0.1
    found = list(verdicts(half).values())
    assert found[0].verdict == PARTLY
    assert found[0].ours.startswith("12 of 18 (67%)")
    assert "ArMIS micro F1" in found[0].reason
    assert found[5].verdict == HOLDS


def test_the_printed_counts_are_those_of_the_text():
    said = PRINTED["section_5_2"]
    assert round(100 * said["both_beat_baseline"]["count"] / 78, 1) == 87.2
    assert round(100 * said["among_best"]["count"] / 78, 1) == 89.7
    assert round(100 * said["on_par_with_objective"]["count"] / 26, 1) == 88.5
    assert all(len(row["mean"]) == len(METRICS) for row in PRINTED["table_b1"]["rows"])


def test_table_b1_stands_beside_the_printed_one():
    text = table_b1(table_of_runs(), PRINTED["table_b1"])
    lines = text.splitlines()
    assert "| HS-Brexit | **ours: all-MiniLM-L6-v2, frozen** | 0.600 ± 0.004 |" in lines[2]
    assert "|  | printed: TwHIN-BERT | 0.903 ± 0.009 | 0.581 ± 0.093 | 0.470 ± 0.119 |" in lines[3]
    assert len(lines) == 2 + 3 + 2 + 1 + 2


def test_the_page_names_the_encoders_and_shows_what_is_degenerate():
    page = label_variation_page([table_of_runs()], PRINTED)
    assert "all-MiniLM-L6-v2, frozen; TF-IDF" in page
    assert "| SmF1 | +0.000 ± 0.003 | +0.000 ± 0.003 | undefined |" in page
    assert "nan" not in page
    assert "| HS-Brexit | all-MiniLM-L6-v2, frozen | 100 | 12.5% | 6 | 14 | 3 | 0.003 |" in page
    assert "| ChaosNLI (SNLI) | all-MiniLM-L6-v2, frozen | 100 | 12.5% | not known |" in page
    assert "MFRC was not had" in page
    assert "by mean rank ReL (1.0), SL (2.0), JSD (3.0) come first" in page
    assert "ReL in 18 of 18 and SL in 18 of 18 settings" in page
    # Student's t above 2, of 4 and of 2 degrees of freedom: 0.0581 and 0.0918.
    assert "by chance in 6% to 9% of settings" in page
    assert "| AE | 0.200 | 0.200 | - |" in page
    assert "| HS-Brexit | 6 | 784 | 0.640 | 0.600 | 0.010 | 0.200 |" in page
    assert "| Ambiguous labelling (AL) | ✗ | ✗ | ✓ |" in table_3()
    tuned = table_of_runs().assign(encoder="RoBERTa, fine-tuned")
    tuned = tuned.assign(value=tuned["value"].mask(tuned["method"] == "SL", 0.9))
    both = label_variation_page([table_of_runs(), tuned], PRINTED)
    assert "\nArMIS, TF-IDF:\n" in both
    assert "| SL | +0.040 ± 0.003 |" in both
    assert "| SL | +0.300 ± 0.002 |" in both
    one_run = label_variation_page([table_of_runs(runs=1)], PRINTED)
    assert "| 0.596 |" in one_run
    assert "With one run there are none." in one_run


def test_the_figure_draws_runs_means_and_what_is_undefined():
    table = table_of_runs()
    figure, shown = FIGURES["label_variation"](table, {"shown": ["HS-Brexit", "ArMIS", "MFRC"]})
    assert len(figure.axes) == 2 * len(METRICS)
    first = figure.axes[0]
    assert [text.get_text() for text in first.get_yticklabels()] == list(mean_ranks(table).index)
    assert first.get_ylabel() == "HS-Brexit\nall-MiniLM-L6-v2, frozen"
    places = {round(float(x), 9) for line in first.get_lines() for x in line.get_xdata()}
    expected = shown[(shown["dataset"] == "HS-Brexit") & (shown["metric"] == "micro F1")]
    assert {round(x, 9) for x in expected["difference"]} <= places
    texts = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert texts == ["undefined"]
    assert set(shown["dataset"]) == {"HS-Brexit", "ArMIS"}
    with pytest.raises(ValueError, match="no rows of MFRC"):
        FIGURES["label_variation"](table, {"shown": ["MFRC"]})
    with pytest.raises(ValueError, match=r"lacks \['note'\]"):
        FIGURES["label_variation"](table.drop(columns="note"), {"shown": ["ArMIS"]})


def test_gains_of_the_made_table_are_of_known_methods():
    assert set(GAIN) <= set(pd.unique(table_of_runs()["method"]))
