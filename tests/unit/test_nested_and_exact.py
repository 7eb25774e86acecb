"""The page that holds nested fits against the exact cut, on tables whose answer is known."""

from pathlib import Path

import pandas as pd
import pytest
import yaml

from crowdgold.papers.maven import pages
from crowdgold.papers.maven.experiments import EXACT_AGAIN
from crowdgold.papers.maven.pages import (
    SHIFT,
    SPREAD,
    beyond_chance,
    by_length,
    comparisons,
    ratio_table,
    ratios,
    shapes,
)
from unit.made_pages import page_from

AXIS = "study.n_gold"


def results(width):
    """Four replicates: both methods err by as much; nested intervals are `width` times as wide."""
    rows = [
        {"experiment": "e", "n_gold": 10, "metric": "AUC", "method": method, "replicate": replicate,
         "truth": 0.8, "estimate": 0.8 + error, "lower": 0.8 + error - half,
         "upper": 0.8 + error + half}
        for replicate, error in enumerate((0.01, -0.02, 0.03, -0.08))
        for method, half in (("MAVEN", 0.05 * width), ("MAVEN-exact", 0.05))
    ]  # fmt: skip
    return pd.DataFrame(rows)


TIMES = pd.DataFrame(
    {"experiment": experiment, "n_gold": 10, "method": method, "seconds": seconds}
    for experiment, method, seconds in (
        ("e", "MAVEN", 5.0), ("e", "MAVEN", 7.0), ("e", "MAVEN-exact", 0.5), ("f", "MAVEN", 90.0),
    )
)  # fmt: skip
"""Of two experiments, as results/times/ has them."""


@pytest.mark.parametrize("width", [1.0, 2.0])
def test_ratios_are_of_nested_over_exact(width):
    (row,) = ratios(results(width), TIMES, "n_gold").to_dict("records")
    assert row["error_ratio"] == pytest.approx(1)
    assert row["width_ratio"] == pytest.approx(width)
    assert row["coverage_exact"] == 0.75
    assert row["coverage_nested"] == (0.75 if width == 1 else 1.0)
    assert (row["seconds_nested"], row["seconds_exact"]) == (6.0, 0.5)


def test_a_row_of_the_table_has_both_ways():
    _, _, row = ratio_table(ratios(results(2.0), TIMES, "n_gold"), "n_gold", "gold").splitlines()
    cells = [part.strip() for part in row.strip("|").split("|")]
    assert cells[:2] == ["10", "AUC"]
    assert cells[3] == "2"
    assert cells[4:] == ["1.00", "0.75", "6.0", "0.5"]


def lengths(at_ten, shift=0.0):
    """Three studies: nested fits of ten iterations spread `at_ten` times as wide as the exact cut,
    give or take .02, and lie `shift` deviations off; long ones and a second exact cut do not.
    """
    return pd.DataFrame(
        {AXIS: 5, "quantity": "delta", "replicate": replicate, "length": length,
         "distance": 0.3 if length == 10 else 0.06, "modes": 2 if length == 10 else 1,
         "exact_modes": 1, "far": 0.04 + 0.001 * replicate, "exact_far": 0.002,
         "spread": spread + 0.02 * (replicate - 1), "shift": off + 0.02 * (replicate - 1)}
        for replicate in range(3)
        for length, spread, off in ((EXACT_AGAIN, 1, 0), (10, at_ten, shift), (1000, 1, 0))
    )  # fmt: skip


@pytest.mark.parametrize(
    ("at_ten", "shift", "same", "apart", "differs"),
    [
        (1.0, 0.0, True, False, False), (0.9, 0.0, True, False, True),
        (0.8, 0.0, False, False, True), (0.6, 0.0, False, True, True),
        (1.0, 0.25, False, False, False), (1.0, -0.4, False, True, False),
    ],
)  # fmt: skip
def test_ten_iterations_are_judged_by_intervals(at_ten, shift, same, apart, differs):
    """At the margins, .2 and .25, the interval lies on both sides: neither is known."""
    (found,) = comparisons({"few": lengths(at_ten, shift)}, {"few": AXIS})
    assert (found.same, found.parted, found.differs) == (same, apart, differs)
    reach = pytest.approx(0.02 / 3**0.5 * 4.302653, rel=1e-5)
    assert (found.spread, found.shift) == (
        (pytest.approx(at_ten), reach), (pytest.approx(shift), reach),
    )  # fmt: skip
    if at_ten == 0.6:
        told = "n gold 5, delta: spread 0.60 ± 0.05 of the exact cut's, shift 0.00 ± 0.05"
        assert str(found) == told
    (longest,) = comparisons({"few": lengths(at_ten, shift)}, {"few": AXIS}, 1000)
    assert longest.same


def test_the_claim_has_the_margins_of_the_page():
    path = Path(pages.__file__).with_name("claims.yaml")
    first, second, *_ = yaml.safe_load(path.read_text())[0]["each"]
    assert (first["margin"], second["margin"]) == (SPREAD, SHIFT)


def test_one_study_decides_nothing():
    """Control of the interval: the same means, of one study."""
    table = lengths(0.5)
    (found,) = comparisons({"few": table[table["replicate"] == 0]}, {"few": AXIS})
    assert not found.same
    assert not found.parted


def test_ratios_beyond_chance_are_counted():
    told = beyond_chance(ratios(results(2.0), TIMES, "n_gold"))
    assert told.startswith("0 of 1 ratios of error and 1 of 1 ratios of width differ from 1")
    assert "truth in 100 % of cases and those of the exact cut in 75 %" in told


def test_tables_of_lengths_show_modes_tails_and_a_column_a_length():
    *_, row = shapes(lengths(0.3), AXIS, "gold labels").splitlines()
    assert [part.strip() for part in row.strip("|").split("|")] == [
        "5", "delta", "2.0", "1.0", "1.0", "0.04100 ± 0.00058", "0.04100 ± 0.00058", "0.002",
    ]  # fmt: skip
    header, _, row = by_length(lengths(0.7), AXIS, "gold labels").splitlines()
    assert [part.strip() for part in header.strip("|").split("|")][2:] == [
        "b = 10", "b = 1000", "exact, again",
    ]  # fmt: skip
    assert [part.strip() for part in row.strip("|").split("|")][2:] == ["0.300", "0.060", "0.060"]
    *_, row = by_length(lengths(0.7), AXIS, "gold labels", "spread").splitlines()
    assert [part.strip() for part in row.strip("|").split("|")][2:] == ["0.700", "1.000", "1.000"]


@pytest.mark.parametrize("gallery", [(), ("maven_nested_lengths",)])
def test_the_page_answers_first_and_has_its_numbers_last(gallery):
    tables = {"maven_fig4": results(2.0).rename(columns={"n_gold": "gold_fraction"})}
    options = {"gallery": gallery}
    times = TIMES.rename(columns={"n_gold": "gold_fraction"})
    page = page_from("nested-and-exact", options, tables=tables, times=times)
    assert page.index("**This was not measured here.**") < page.index("![")
    assert page.index("![") < page.index("## Numbers")
    assert ("gallery/maven_nested_lengths.svg" in page) == bool(gallery)
    assert "from 4 replicates" in page
    few = {**tables, "nested_lengths_few_gold": lengths(0.6)}
    page = page_from("nested-and-exact", options, tables=few, times=times)
    assert "In 1 of 1 comparisons ten iterations are too few" in page
    assert "In 1 of 1 comparisons the interval of the spread leaves out 1" in page
    assert "With 1000 iterations none of these is left" in page
    short = lengths(0.6)
    few["nested_lengths_few_gold"] = short[short["length"] <= 10]
    assert "of these is left" not in page_from("nested-and-exact", options, tables=few, times=times)
    assert "| 5 | delta | 2.0 | 1.0 | 1.0 |" in page
    assert "| 5 | delta | 0.600 | 1.000 |" in page
    alike = {**tables, "nested_lengths_few_gold": lengths(1.0)}
    page = page_from("nested-and-exact", options, tables=alike, times=times)
    assert "**Yes, in all 1 comparisons**" in page
    assert "leaves out 1" not in page
