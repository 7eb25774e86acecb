"""Nested fits held against the exact cut, on draws and tables whose answer is known."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from scipy.stats import norm

from crowdgold.models.exact_cut import ScoreDraws
from crowdgold.papers.maven import pages
from crowdgold.papers.maven.experiments import EXACT_AGAIN, compare
from crowdgold.papers.maven.pages import SHIFT, SPREAD, comparisons, ratios
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
    (longest,) = comparisons({"few": lengths(at_ten, shift)}, {"few": AXIS}, 1000)
    assert longest.same


def test_one_study_decides_nothing_and_the_claim_has_the_margins_of_the_page():
    """Control of the interval: the same means, of one study."""
    table = lengths(0.5)
    (found,) = comparisons({"few": table[table["replicate"] == 0]}, {"few": AXIS})
    assert (found.same, found.parted) == (False, False)
    path = Path(pages.__file__).with_name("claims.yaml")
    first, second, *_ = yaml.safe_load(path.read_text())[0]["each"]
    assert (first["margin"], second["margin"]) == (SPREAD, SHIFT)


def normal_draws(centre, deviation):
    """99,999 draws: the quantiles of a normal, so that nothing is left to chance."""
    at = centre + deviation * norm.ppf(np.arange(1, 100_000) / 100_000)
    return ScoreDraws(np.exp(at), 3 * at, 0)


@pytest.mark.parametrize(("shift", "ratio"), [(0.0, 1.0), (0.5, 1.0), (0.0, 2.0)])
def test_shifts_and_spreads_are_in_deviations_of_the_exact_cut(shift, ratio):
    """The distance of N(s, 1) from N(0, 1) is 2 Phi(s / 2) - 1; of equal draws it is 0."""
    exact, found = normal_draws(0.3, 0.2), normal_draws(0.3 + 0.2 * shift, 0.2 * ratio)
    for row in compare(found, exact):
        assert row["shift"] == pytest.approx(shift, abs=1e-3)
        assert row["spread"] == pytest.approx(ratio, abs=1e-3)
        expected = pytest.approx(2 * norm.cdf(shift / 2) - 1, abs=1e-3)
        assert row["distance"] == expected if ratio == 1 else row["distance"] > 0.1


def page_of(few=None):
    named = {"n_gold": "gold_fraction"}
    tables = {"maven_fig4": results(2.0).rename(columns=named)}
    tables |= {} if few is None else {"nested_lengths_few_gold": few}
    options = {"gallery": ()}
    return page_from("nested-and-exact", options, tables=tables, times=TIMES.rename(columns=named))


def test_the_page_answers_by_what_was_measured():
    page = page_of()
    assert "**This was not measured here.**" in page
    assert "0 of 1 ratios of error and 1 of 1 ratios of width differ from 1" in page
    page = page_of(lengths(0.6))
    assert "In 1 of 1 comparisons ten iterations are too few" in page
    assert "In 1 of 1 comparisons the interval of the spread leaves out 1" in page
    assert "With 1000 iterations none of these is left" in page
    assert "| 5 | delta | 2.0 | 1.0 | 1.0 |" in page
    assert "| 5 | delta | 0.600 | 1.000 |" in page
    short = lengths(0.6)
    assert "of these is left" not in page_of(short[short["length"] <= 10])
    page = page_of(lengths(1.0))
    assert "**Yes, in all 1 comparisons**" in page
    assert "leaves out 1" not in page
