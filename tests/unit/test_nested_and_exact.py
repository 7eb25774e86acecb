"""The page that holds nested fits against the exact cut, on tables whose answer is known."""

import pandas as pd
import pytest

from crowdgold.studies.maven.nested_lengths import EXACT_AGAIN
from crowdgold.studies.maven.pages.nested_and_exact import (
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


def lengths(at_ten):
    """Three studies: two exact cuts are 0.05 apart, nested fits `at_ten`, long ones 0.06."""
    return pd.DataFrame(
        {AXIS: 5, "quantity": "delta", "replicate": replicate, "length": length,
         "distance": distance + 0.001 * replicate, "shift": 0.3}
        for replicate in range(3)
        for length, distance in ((EXACT_AGAIN, 0.05), (10, at_ten), (1000, 0.06))
    )  # fmt: skip


@pytest.mark.parametrize(
    ("at_ten", "same", "apart"), [(0.05, True, False), (0.15, False, False), (0.3, False, True)]
)
def test_ten_iterations_are_judged_by_an_interval(at_ten, same, apart):
    """At .15 the difference is at the margin of .1, within its interval: neither is known."""
    table = lengths(at_ten)
    table.loc[table["length"] == 10, "distance"] += [0.02, 0.0, -0.02]
    (found,) = comparisons({"few": table}, {"few": AXIS})
    assert (found.same, found.parted) == (same, apart)
    assert found.more == pytest.approx(at_ten - 0.05)
    assert found.reach == pytest.approx(0.02 / 3**0.5 * 4.302653, rel=1e-5)
    if apart:
        assert str(found) == (
            "n gold 5, delta: 0.25 ± 0.05 further at b = 10; 0.06 from the exact cut at b = 1000"
        )


def test_one_study_decides_nothing():
    """Control of the interval: the same mean difference, of one study."""
    table = lengths(0.05)
    (found,) = comparisons({"few": table[table["replicate"] == 0]}, {"few": AXIS})
    assert not found.same
    assert not found.parted


def test_ratios_beyond_chance_are_counted():
    told = beyond_chance(ratios(results(2.0), TIMES, "n_gold"))
    assert told.startswith("0 of 1 ratios of error and 1 of 1 ratios of width differ from 1")
    assert "truth in 100 % of cases and those of the exact cut in 75 %" in told


def test_modes_and_tails_are_shown():
    table = lengths(0.3).assign(modes=2, exact_modes=1, far=0.04, exact_far=0.002)
    *_, row = shapes(table, AXIS, "gold labels").splitlines()
    assert [part.strip() for part in row.strip("|").split("|")] == [
        "5", "delta", "2.0", "1.0", "0.040", "0.002",
    ]  # fmt: skip


def test_the_table_has_a_column_a_length():
    header, _, row = by_length(lengths(0.3), AXIS, "gold labels").splitlines()
    assert [part.strip() for part in header.strip("|").split("|")][2:5] == [
        "b = 10", "b = 1000", "exact, again",
    ]  # fmt: skip
    assert [part.strip() for part in row.strip("|").split("|")][2:5] == ["0.301", "0.061", "0.051"]


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
    table = lengths(0.3).assign(modes=2, exact_modes=1, far=0.04, exact_far=0.002)
    few = {**tables, "nested_lengths_few_gold": table}
    page = page_from("nested-and-exact", options, tables=few, times=times)
    assert "In 1 of 1 comparisons ten iterations are too few" in page
    assert "| 5 | delta | 2.0 | 1.0 |" in page
    assert "| 5 | delta | 0.301 |" in page
