"""The arena: its cells and the figure."""

import numpy as np
import pandas as pd
import pytest

from crowdgold.experiment.registries import entries
from crowdgold.experiment.summaries import coverage_band
from crowdgold.methods.needs import NEEDS, NO_SCORES, Has, lacks_package
from crowdgold.methods.registry import METHODS
from crowdgold.papers.arena import table as arena
from crowdgold.papers.arena.plots import COVERS, OTHER, UNSURE, colour_of_coverage, word_of
from crowdgold.papers.arena.table import (
    INSIDE,
    METRIC_OF_SCORES,
    arena_cells,
    by_fewest_short,
    judged,
)
from unit.made_arena import LABELS, SIZE, TWO_WORLDS, cell, cells, row, summary


def test_every_method_has_a_cell_for_every_metric_of_every_world():
    """Ratios by hand; a metric that a world lacks has cells that say why, for all methods."""
    table = cells()
    assert len(table) == 2 * 4 * 2
    assert list(table.columns) == [*arena.COLUMNS, "verdict"]
    assert cell(table, "first", "MAVEN-R", "prevalence")["width_ratio"] == pytest.approx(0.5)
    ratio_error = 0.75 * np.hypot(0.01, 0.01)
    assert cell(table, "first", "MAVEN-R", "AUC")["width_ratio_se"] == pytest.approx(ratio_error)
    assert cell(table, "first", "GT", "AUC")["width_ratio"] == 1
    assert cell(table, "first", "GT", "AUC")["width_ratio_se"] == 0
    for method in ("GT", "MV", "MAVEN-R", "CLARA"):
        lacking = cell(table, "second", method, "AUC")
        limits = METHODS[method].cannot_estimate("AUC")
        needed = NO_SCORES if method == "MAVEN-R" else arena.METRIC_OF_SCORES
        assert lacking["reason"] == (limits or needed)
        assert bool(limits) == (method == "CLARA")
        assert lacking["verdict"] == arena.NONE


def test_widths_are_compared_on_the_same_replicates_alone():
    """Without an interval in some replicates there is no ratio; for none, where GT lacks some."""
    some = {"intervals": SIZE - 1}
    both = [row("one", "GT", "AUC"), row("one", "MV", "AUC")]
    ours = arena_cells(summary(both[0], both[1] | some), "GT", [], {})
    assert np.isfinite(ours["width_ratio"]).tolist() == [True, False]
    theirs = arena_cells(summary(both[0] | some, both[1]), "GT", [], {})
    assert theirs["width_ratio"].isna().all()
    assert arena_cells(summary(*both), "GT", [], {})["width_ratio"].tolist() == [1, 1]


def test_a_cell_has_an_interval_or_a_reason():
    table = cells()
    assert ((table["intervals"] > 0) == (table["reason"] == "")).all()
    found = {(one.method, one.metric, one.world) for one in table.itertuples() if one.reason}
    assert found == {
        ("CLARA", "prevalence", "first"), ("CLARA", "AUC", "first"),
        ("MAVEN-R", "prevalence", "second"),
        *((method, "AUC", "second") for method in ("GT", "MV", "MAVEN-R", "CLARA")),
    }  # fmt: skip
    silent = row("one", "CLARA", "AUC", note="x") | {"note": ""}
    bare = arena_cells(summary(silent), "GT", [], {})
    assert bare["reason"].tolist() == ["it estimates prevalence, TPR_H, TNR_H only"]


def test_thresholds_belong_to_worlds_and_shapes_are_worlds():
    rows = [row("one", "GT", "accuracy@0.5", shape=shape) for shape in ("bimodal", "u_shaped")]
    rows = summary(*rows, row("two", "GT", "accuracy@1"))
    table = arena_cells(rows, "GT", ["shape"], LABELS)
    assert set(table["metric"]) == {"accuracy"}
    assert table["world"].tolist() == ["first, bimodal", "first, u shaped", "second"]


def test_verdicts_follow_the_band_and_methods_that_hold_stand_first():
    worlds = {"a": 0.1, "b": 0.95, "c": 1.0}
    rows = summary(*(row(name, "GT", "AUC", covered) for name, covered in worlds.items()))
    found = judged(arena_cells(rows, "GT", [], {}))["verdict"]
    assert found.tolist() == [arena.SHORT, INSIDE, INSIDE]
    assert by_fewest_short(cells())[-1] == "MV"
    silent = pd.concat([cells(), cells().assign(method="none", intervals=0)])
    assert by_fewest_short(silent)[-1] == "none"


def test_a_figure_of_a_metric_that_no_world_has_is_refused():
    options = {"metrics": ["prevalence", "AUC"], "labels": LABELS, "by": ["shape"]}
    assert len(entries("plot")["arena"](TWO_WORLDS, options)[1]) == 16
    with pytest.raises(ValueError, match="no world has 'recall'"):
        entries("plot")["arena"](TWO_WORLDS, {**options, "metrics": ["recall"]})


def test_every_need_has_a_word_in_the_cells_of_the_figure():
    """Tables that have nothing, or gold alone, lack all else; an unknown reason is told as such."""
    nothing, gold = Has(), Has(gold_positive=5, gold_negative=5)
    reasons = [one.lacks(nothing) or one.lacks(gold) for one in NEEDS]
    reasons += [lacks_package("no_such_package"), METRIC_OF_SCORES]
    reasons += [one.cannot_estimate("none") for one in METHODS.values() if one.estimates]
    assert all(reasons)
    assert OTHER not in {word_of(reason) for reason in reasons}
    assert word_of("the moon is full") == OTHER


def test_low_coverage_of_few_replicates_is_not_coloured_as_coverage():
    """Six of ten are inside the band of ten replicates, and no sign of 95 %."""
    assert coverage_band(10, 0.95)[0] <= 0.6
    cell = {"verdict": INSIDE, "level": 0.95}
    colours = [colour_of_coverage({**cell, "coverage": share}) for share in (1.0, 0.9, 0.8, 0.6)]
    assert colours == [COVERS, COVERS, UNSURE, UNSURE]
