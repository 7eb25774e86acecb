"""The page of STABLEVAL's printed cells: how cells are compared, and what the page says."""

from pathlib import Path

import pandas as pd
import pytest

from crowdgold.claims.claims import read_claims
from crowdgold.claims.verdicts import FAILS, HOLDS, NO_VERDICT, NOT_DECIDED
from crowdgold.papers.stableval.pages import (
    ABSENT,
    DIFFERS,
    SAME,
    SOURCES,
    compare_cells,
    written_like,
)
from crowdgold.plots.figure_jobs import draw
from unit.judged_tables import judged_results
from unit.made_pages import PAGES, page_from

PRINTED = pd.read_csv(Path(__file__).parents[2] / "config/printed/stableval.csv", dtype=str)
CLAIMS = read_claims(PAGES["reproduction_stableval"]["claims"], {"draws": 400}, "text")


@pytest.mark.parametrize(
    ("printed", "values", "text"),
    [
        ("0.847", [0.84651], "0.847"), ("0.562", [0.5625], "0.562"), ("6,710", [6710], "6,710"),
        ("2547", [2547.0], "2547"), ("16.6%", [0.16562], "16.6%"), ("+0.056", [0.0561], "+0.056"),
        ("+0.056", [-0.0561], "-0.056"), ("+0.000", [-0.0004], "+0.000"),
        ("-0.015", [-0.0151], "-0.015"), ("0.847 (1)", [0.846, 2], "0.846 (2)"),
        ("79 (8.23%)", [79, 79 / 960], "79 (8.23%)"), ("0 / 6", [1, 6], "1 / 6"),
    ],
)  # fmt: skip
def test_a_number_is_written_as_the_printed_one_is(printed, values, text):
    assert written_like(printed, values) == text
    with pytest.raises(ValueError, match="numbers; expected"):
        written_like(printed, [*values, 1])


def test_cells_are_same_different_or_not_made():
    frame = pd.DataFrame(
        [("1", "a", "x", "0.5"), ("1", "b", "x", "0.5"), ("2", "a", "x", "0.5")],
        columns=["table", "row", "column", "printed"],
    )
    cells = compare_cells(frame, {1: {("a", "x"): (0.52,), ("b", "x"): (0.6,)}})
    assert [cell.verdict for cell in cells] == [SAME, DIFFERS, ABSENT]
    page = page_from("reproduction_stableval", {"draws": 400}, tables={}, cells=PRINTED, times=None)
    assert "0 of 397 are the same" in page


@pytest.fixture
def tables():
    names = {experiment for experiment, _ in SOURCES.values()}
    names |= {name for claim in CLAIMS for name in claim.needs}
    found = {name: judged_results() for name in names}
    moved = pd.concat(
        [judged_results(["PEC"]).assign(mapping=name) for name in ("baseline", "tie_win")]
    )
    return {**found, "stableval_mappings": moved}


def verdict(where, text, tables):
    chosen = [claim for claim in CLAIMS if claim.place == where and text in claim.printed]
    (found,) = [claim.judged(tables) for claim in chosen]
    return found.verdict


def test_claims_follow_the_numbers(tables):
    first, own = "(table 9)", "own definition"
    assert verdict("Section 6.2.1", first, tables) == HOLDS
    assert verdict("Section 6.2.1", own, tables) == HOLDS
    # What the authors did has no verdict; how far scores still move is shown.
    (convergence,) = [claim for claim in CLAIMS if claim.place == "Section 5.2"]
    assert verdict("Section 5.2", "", tables) == NO_VERDICT
    moved = tables["stableval_mslr_converged"].copy()
    chosen = moved["metric"].eq("score:each") & moved["method"].eq("PEC") & moved["agent"].eq("B")
    moved.loc[chosen, "estimate"] += 0.006
    later = {**tables, "stableval_mslr_converged": moved}
    assert "0.006" in convergence.judged(later).values
    assert "0.006" not in convergence.judged(tables).values
    other = {**tables, "stableval_mt_bench": judged_results(spread=(0.1, 0.2, 0.3))}
    assert verdict("Section 6.2.1", first, other) == FAILS
    other["stableval_stability"] = judged_results(tau=(0.99, 0.95, 0.9))
    assert verdict("Section 6.2.1", own, other) == FAILS
    other["stableval_stability"] = judged_results(tau=(0.95, 0.95, 0.955))
    assert verdict("Section 6.2.1", own, other) == NOT_DECIDED


def test_a_figure_without_its_metric_is_refused(tables, tmp_path):
    lacking = tables["stableval_mslr"]
    lacking = lacking[lacking["metric"] != "score:each"]
    with pytest.raises(ValueError, match="no 'score:each' of 'MV'"):
        draw("agent_scores", lacking, {}, tmp_path / "f")
