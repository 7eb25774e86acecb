"""Parts of pages in cases that the published results, of which `make docs` makes the pages anew
(tests/workflow/test_published_docs.py), do not have."""

import numpy as np
import pandas as pd
import pytest

from crowdgold.claims.cells import with_error
from crowdgold.claims.printed_items import ToldError, numbers
from crowdgold.experiment.summaries import check_coverage, coverage_band
from crowdgold.papers.calibration import page as coverage
from crowdgold.papers.maven import pages as bias_causes
from unit.made_pages import page_from


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (0.12345, 0.0123, "0.123 ± 0.012"), (1.5, 0.2, "1.50 ± 0.20"), (123.4, 25.0, "123 ± 25"),
        (0.5, 0.0, "0.5"), (0.0296424, 1e-8, "0.029642"), (0.5, float("nan"), "0.5"),
    ],
)  # fmt: skip
def test_errors_are_written_to_their_second_digit(value, error, text):
    assert with_error(value, error) == text


def coverage_table(auc: float) -> pd.DataFrame:
    table = pd.DataFrame(
        [("MV", "AUC", 0.0, 0), ("MAVEN", "AUC", auc, 4), ("MAVEN", "TNR_H", 0.95, 4)],
        columns=["method", "metric", "coverage", "gate_failures"],
    )
    return table.assign(
        coverage_se=0.01, band_low=0.9, band_high=0.99, replicates=300, undefined=0, level=0.95
    )


def settings_rows(maven: float, calibrated: float) -> pd.DataFrame:
    """Two settings of 100 replicates each: GT covers .95, the others as given."""
    rows = [
        {"experiment": "e", "n": n, "method": method, "metric": metric, "coverage": coverage,
         "width": width, "replicates": 100, "level": 0.95, "bias": -0.02, "bias_se": 0.004,
         "gate_failures": 7}
        for n in (1000, 10_000) for metric in ("AUC", "delta_TPR", "TNR_H")
        for method, coverage, width in (
            ("GT", 0.95, 1.0), ("MAVEN", maven, 0.5), ("MAVEN-C", calibrated, 0.75)
        )
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_the_caption_says_what_each_grey_is():
    """One for each number of replicates, from the binomial band's lower end."""
    one = settings_rows(0.7, 0.94)
    low = {size: f"{coverage_band(size, 0.95)[0]:.2f}" for size in (25, 100)}
    assert f"from {low[100]} up with 100 replicates." in coverage.greys(one)
    fewer = one[one["n"] == 1000].assign(replicates=25, n=50)
    both = pd.concat([one, fewer], ignore_index=True)
    assert f"from {low[25]} up with 25 and from {low[100]} up with 100;" in coverage.greys(both)
    assert low[25] < low[100]


def test_a_verdict_holds_coverage_against_the_band_of_its_row_and_setting():
    """A control that covers is a failure."""
    table = coverage_table(0.7)
    verdicts = check_coverage(table, {"MAVEN": ["TNR_H", "AUC"]}, {"MV": ["AUC"]})
    assert [holds for _, holds in verdicts] == [True, False, True]
    assert "MAVEN, AUC: coverage 0.700 is below the band" in verdicts[1][0]
    assert check_coverage(table, {}, {"MAVEN": ["TNR_H"]})[0][1] is False
    both = pd.concat([coverage_table(0.95).assign(n=10), table.assign(n=20)])
    verdicts = check_coverage(both, {"MAVEN": ["AUC"]}, {})
    assert [holds for _, holds in verdicts] == [True, False]
    assert verdicts[1][0].startswith("MAVEN, AUC, n = 20: coverage 0.700 is below")


def test_where_nothing_takes_the_bias_away_it_is_said():
    found = bias_causes.conclusion({"x": bias_rows("x", -0.05, -0.05)})
    assert "- nothing.\n\nWhat does not:" in found


def bias_rows(world, bias, told, replicates=30):
    """Errors of precision: those of MAVEN-C, and with the votes known, on average as given; those
    of AUC are -.05 in all versions."""
    rng = np.random.default_rng(5)
    shared = rng.normal(0, 0.01, replicates)
    means = {"MAVEN-C": bias, "MAVEN-C, prior of mu at 5": bias, "MAVEN-C, votes known": told}
    return pd.DataFrame(
        [
            {"experiment": world, "world": world, "replicate": k, "version": version,
             "metric": metric, "estimate": 0.6 + mean + shared[k] - shared.mean(), "truth": 0.6,
             "diagnostics_passed": True}
            for version, own in means.items() for k in range(replicates)
            for metric, mean in (("precision@1", own), ("AUC", -0.05))
        ]
    )  # fmt: skip


def test_the_versions_that_cover_are_named_or_that_none_does():
    both = coverage.nearest_to_level(settings_rows(0.95, 0.94))
    assert both.endswith("by `MAVEN` in 0.950 and by `MAVEN-C` in 0.940")
    neither = coverage.nearest_to_level(settings_rows(0.7, 0.8))
    assert "No version's intervals contain" in neither
    assert "`MAVEN-C` come nearest (0.800)" in neither


def test_what_a_page_tells_of_another_has_to_stand_there():
    page = "## Pooled\n\n| method | coverage |\n| --- | --- |\n| DS | 0.9 ± 0.1 |\n| MV | none |\n"
    assert numbers(page, "Pooled", "coverage", method="DS") == [0.9]
    with pytest.raises(ToldError, match="Pooled, coverage, method MV: found"):
        numbers(page, "Pooled", "coverage", method="MV")


def test_a_published_block_that_differed_once_is_one_that_differs():
    """Block b was made again twice; blocks of another scale than the papers' do not count."""
    verified = pd.DataFrame(
        {"block": ["a", "b", "c", "b", "d", "e"], "scale": [*["paper"] * 5, "default"],
         "same": [True, False, True, True, True, False],
         "compared": ["bit by bit", "bit by bit", "close", "bit by bit", "to 5 digits", "close"],
         "drawn_from": [30, 30, 30, 1200, 1200, 1200]}
    )  # fmt: skip
    costs = pd.DataFrame(
        [{"paper": "MAVEN", "experiment": "one", "target": "figures", "jobs": 1200,
          "core_hours": 2.0, "tables_mb": 500, "largest_job_minutes": 12.0, "memory_mb": 300,
          "scratch_mb": 2.0}]
    )  # fmt: skip
    taken = costs[["paper", "target", "experiment", "core_hours"]].assign(scale="paper")
    given = {"costs": costs, "taken": taken, "figures": {}}
    assert (
        "made 4 of 1,200 published blocks again, chosen at random. 3 came out the same, "
        "2 of them in every digit that is published, and the others, first made elsewhere, "
        "within their Monte Carlo error."
    ) in page_from("cluster", verified=verified, **given)
    assert "make verify" not in page_from("cluster", verified=verified.iloc[-1:], **given)
