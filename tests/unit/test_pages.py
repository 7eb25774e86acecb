"""Pages of the documentation: numbers and verdicts come from the tables and follow them."""

import numpy as np
import pandas as pd
import pytest

from crowdgold.documents.cluster import cluster_page
from crowdgold.documents.markdown import with_error
from crowdgold.evaluation.summaries import check_coverage
from crowdgold.studies.calibration.pages.coverage import choice_section, coverage_page
from crowdgold.studies.calibration.pages.model_coverage import (
    calibration_section,
    own_models_section,
)
from crowdgold.studies.clara.pages.coverage import clara_section
from crowdgold.studies.maven.pages.bias_causes import bias_section, conclusion
from crowdgold.studies.maven.pages.comparison import comparison_page
from crowdgold.studies.maven.pages.scaling import scaling_page
from crowdgold.studies.maven.pages.shared_labels import shared_labels_section


@pytest.mark.parametrize(
    ("value", "error", "text"),
    [
        (0.12345, 0.0123, "0.123 ± 0.012"),
        (1.5, 0.2, "1.50 ± 0.20"),
        (123.4, 25.0, "123 ± 25"),
        (0.5, 0.0, "0.5"),
        (0.0296424, 1e-8, "0.029642"),
        (0.5, float("nan"), "0.5"),
    ],
)
def test_errors_are_written_to_their_second_digit(value, error, text):
    assert with_error(value, error) == text


def coverage_table(auc: float) -> pd.DataFrame:
    common = {
        "coverage_se": 0.01, "band_low": 0.9, "band_high": 0.99, "replicates": 300, "undefined": 0,
        "level": 0.95,
    }  # fmt: skip
    return pd.DataFrame(
        [
            {"method": "MV", "metric": "AUC", "coverage": 0.0, "gate_failures": 0, **common},
            {"method": "MAVEN", "metric": "AUC", "coverage": auc, "gate_failures": 4, **common},
            {"method": "MAVEN", "metric": "TNR_H", "coverage": 0.95, "gate_failures": 4, **common},
        ]
    )


def test_the_coverage_page_names_what_falls_outside_the_band():
    short, good = (
        coverage_page(coverage_table(0.7), "a\nb"),
        coverage_page(coverage_table(0.95), ""),
    )
    assert "MAVEN below the band: AUC." in short
    assert "too narrow" in short
    assert "- a\n- b\n" in short
    assert "4 of 600 fits had Markov chains that had not converged" in short
    assert "MAVEN below the band: nothing." in good
    assert "too narrow" not in good


def test_the_part_on_clara_compares_the_two_intervals():
    rows = [
        {"experiment": "c", "method": method, "metric": metric, "coverage": coverage,
         "coverage_se": 0.02, "width": width, "replicates": 200, "undefined": 0,
         "gate_failures": failed, "level": 0.95}
        for method, coverage, width, failed in (
            ("MV", 0.5, 0.1, 0), ("CLARA", 0.94, 0.2, 3), ("CLARA-printed", 0.75, 0.13, 3)
        )
        for metric in ("prevalence", "TPR")
    ]  # fmt: skip
    text = clara_section(pd.DataFrame(rows), "a\nb\n")
    assert "0.65 times as wide" in text
    assert "covers 0.750 ± 0.020 against 0.940 ± 0.020" in text
    assert "| MV | 0.500 ± 0.020 | 0.500 ± 0.020 |" in text
    assert "200 replicates. 6 of 600 fits had Markov chains that had not converged" in text
    assert "- a\n- b\n" in text


def settings_table(maven: float, calibrated: float) -> pd.DataFrame:
    """Two settings of 100 replicates each: GT covers .95, the others as given."""
    rows = [
        {"experiment": "e", "n": n, "method": method, "metric": metric, "coverage": coverage,
         "width_ratio": width, "replicates": 100, "level": 0.95, "bias": -0.02, "bias_se": 0.004,
         "gate_failures": 7}
        for n in (1000, 10_000) for metric in ("AUC", "delta_TPR", "TNR_H")
        for method, coverage, width in (
            ("GT", 0.95, 1.0), ("MAVEN", maven, 0.5), ("MAVEN-C", calibrated, 0.75)
        )
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_the_rule_and_what_covers_are_said():
    """The rule is that of the answer; the versions in the band of the pooled coverage are named,
    and where none is, it says so."""
    honest = choice_section(settings_table(0.7, 0.94))
    assert "wherever there are gold labels, drawn at random, they correct it" in honest
    assert "of its versions `MAVEN-C` covers AUC" in honest
    assert "Pooled over 2 settings" in honest
    assert "| MAVEN-C | AUC | 0.940 ± 0.017 | 0.94 | 0.75 |" in honest
    assert "of its versions `MAVEN, MAVEN-C` covers" in choice_section(settings_table(0.95, 0.94))
    neither = choice_section(settings_table(0.7, 0.8))
    assert "No version covers" in neither
    assert "`MAVEN-C` comes nearest (0.800)" in neither
    page = coverage_page(coverage_table(0.7), "a", settings_table(0.7, 0.94))
    cell = "0.50, -0.0200 ± 0.0040"
    assert (
        f"| e, n = 1000 | MAVEN | **0.700**, {cell} | **0.700**, {cell} |  |  | 7 of 100 |" in page
    )
    assert "| e, n = 10000 | MAVEN-C | 0.940, 0.75," in page
    assert page.index("Do the intervals cover?") < page.index("Which version to use")


def test_scores_of_other_shapes_are_a_part_of_their_own():
    """They do not count in the choice of a version; the sentence follows from the numbers."""
    rows = [
        {"experiment": "f", "shape": shape, "method": method, "metric": metric,
         "coverage": coverage, "width_ratio": 0.5, "replicates": 40, "level": 0.95}
        for shape, narrow, wide in (("u", 0.6, 0.9), ("v", 0.94, 0.8))
        for method, coverage in (("GT", 0.95), ("MAVEN-C", narrow), ("MAVEN-CS", wide))
        for metric in ("AUC", "TNR_H")
    ]  # fmt: skip
    both = pd.concat([settings_table(0.7, 0.94), pd.DataFrame(rows)])
    page = coverage_page(coverage_table(0.7), "a", both)
    assert choice_section(settings_table(0.7, 0.94)) in page
    # Over AUC alone: that of TNR_H the scores hardly touch.
    assert "u 0.900 against 0.600, 1.00 times as wide; v 0.800 against 0.940" in page
    assert f"standard error of at least {(0.05 * 0.95 / 40) ** 0.5:.3f}" in page
    assert "| u | AUC | 0.95, 0.50 | 0.60, 0.50 | 0.90, 0.50 |" in page
    assert "| u | TNR_H" not in page


def test_a_verdict_holds_coverage_against_its_band():
    """Inside and below are judged by each row's own band; a control that covers is a failure."""
    table = coverage_table(0.7)
    verdicts = check_coverage(table, {"MAVEN": ["TNR_H", "AUC"]}, {"MV": ["AUC"]})
    assert [holds for _, holds in verdicts] == [True, False, True]
    assert "MAVEN, AUC: coverage 0.700 is below the band" in verdicts[1][0]
    assert check_coverage(table, {}, {"MAVEN": ["TNR_H"]})[0][1] is False


def test_each_setting_is_held_against_the_band():
    table = pd.concat([coverage_table(0.95).assign(n=10), coverage_table(0.7).assign(n=20)])
    verdicts = check_coverage(table, {"MAVEN": ["AUC"]}, {})
    assert [holds for _, holds in verdicts] == [True, False]
    assert verdicts[1][0].startswith("MAVEN, AUC, n = 20: coverage 0.700 is below")


def test_the_part_on_own_models_has_a_line_a_truth_and_method():
    rows = [
        {"experiment": experiment, "method": method, "metric": metric, "coverage": coverage,
         "replicates": 100, "undefined": 0, "level": 0.95, "gate_failures": 3}
        for experiment, method, coverage in (
            ("one", "DS", 0.95), ("one", "H-AI", 0.4), ("other", "DS", 0.9), ("other", "H-AI", 1.0)
        )
        for metric in ("prevalence", "AUC")
    ]  # fmt: skip
    text = own_models_section(
        pd.DataFrame(rows), {"one": "DS's", "other": "H-AI's"}, ["a\n", "b\n"]
    )
    assert "| DS's | H-AI | **0.40** | **0.40** | 3 |" in text
    assert "| H-AI's | DS | 0.90 | 0.90 | 3 |" in text
    assert "12 of 400 fits had Markov chains that had not converged" in text
    assert "- a\n- b\n" in text


def test_the_part_on_calibration_counts_failed_fits():
    rows = [
        {"experiment": "c", "model": model, "replicate": k, "quantity": quantity,
         "diagnostics_passed": k > 1}
        for model in ("vote", "score") for k in range(5) for quantity in ("phi", "log_likelihood")
    ]  # fmt: skip
    text = calibration_section(pd.DataFrame(rows), ["vote: uniform\n"])
    assert "| vote | 5 | 2 |" in text
    assert "- vote: uniform" in text


def bias_rows(world, bias, told, replicates=30):
    """Errors of precision: those of MAVEN-C, and with the votes known, on average as given; those
    of AUC are -.05 in all versions."""
    rng = np.random.default_rng(5)
    shared = rng.normal(0, 0.01, replicates)
    means = {"MAVEN-C": bias, "MAVEN-C, prior of mu at 5": bias, "MAVEN-C, votes known": told}
    return pd.DataFrame(
        [
            {"world": world, "replicate": k, "version": version, "metric": metric,
             "estimate": 0.6 + mean + shared[k] - shared.mean(), "truth": 0.6,
             "diagnostics_passed": True}
            for version, own in means.items() for k in range(replicates)
            for metric, mean in (("precision@1", own), ("AUC", -0.05))
        ]
    )  # fmt: skip


def test_the_cause_of_bias_is_what_takes_it_away():
    """Only a clear change against the bias counts; one that makes it worse does not."""
    tables = {"w": bias_rows("w", -0.05, 0.0), "x": bias_rows("x", -0.05, -0.06)}
    text = bias_section(tables)
    assert "whichever way the draw is off (removed in `MAVEN-C, votes known`: 1 of 4)" in text
    assert "Not so: the paper's prior of mu" in text
    assert "| w | MAVEN-C | -0.0500 ± " in text
    assert "nothing. Not so:" in conclusion({"x": bias_rows("x", -0.05, -0.05)})


def test_the_part_on_two_models_compares_widths_by_replicate():
    """Widths .08 to .1 in every replicate: a ratio of .8; one of four does not cover."""
    rows = [
        {"score_likelihood": "pairwise", "labels": way, "replicate": k, "truth": 0.1,
         "estimate": 0.12, "lower": 0.12 - half, "upper": 0.12 + half, "diagnostics_passed": k > 0}
        for k in range(4)
        for way, half in (("coupled", 0.04 if k else 0.01), ("independent", 0.05 if k else 0.0125))
    ]  # fmt: skip
    text = shared_labels_section(pd.DataFrame(rows))
    assert "| pairwise | coupled | 0.8000" in text
    assert "0.75 ± " in text
    assert "1 of 4 fits had Markov chains that had not converged" in text


def test_the_comparison_page_has_a_line_a_setting_and_a_column_a_metric():
    rows = [
        {
            "gold_fraction": fraction, "metric": metric, "replicates": 20,
            "error_ratio": 0.8, "error_ratio_se": 0.1, "width_ratio": 0.6, "width_ratio_se": 0.02,
        }
        for fraction in (0.01, 0.1)
        for metric in ("AUC", "TNR_H")
    ]  # fmt: skip
    page = comparison_page({"Predictor A": pd.DataFrame(rows)}, "gold_fraction")
    assert "| gold_fraction | AUC | TNR_H |" in page
    assert "| 0.01 | 0.80 ± 0.10 | 0.80 ± 0.10 |" in page
    assert "| 0.1 | 0.600 ± 0.020 | 0.600 ± 0.020 |" in page
    assert "| 0.1 | 0.632 ± 0.021 | 0.632 ± 0.021 |" in page  # 0.6 / sqrt(1 - 0.1)


def test_the_scaling_page_prints_every_n():
    row = dict.fromkeys(
        ["summary", "vote model", "score model", "inference", "imputation", "total", "peak MB"], 1.0
    ) | {"nested score model": 40.0}
    table = pd.DataFrame([{"n": 1000, **row}, {"n": 1_000_000, **row}])
    joint = pd.DataFrame(
        {"method": ["DS+S", "H-AI, compressed"], "n": 10_000, "inference": [44.0, 90.0],
         "passed": [True, False]}
    )  # fmt: skip
    study = pd.DataFrame(
        [
            {"study": "small", "stage": "crowdgold evaluate", "cpu": 30, "wall": 20, "peak MB": 900,
             "report MB": 0.9, "bar": "kept"},
            {"study": "small", "stage": "reading", "cpu": 1, "wall": 1, "peak MB": 100},
        ]
    )  # fmt: skip
    em = pd.DataFrame(
        {"row": ["EM", "crowd-kit DawidSkene"], "items": 100_000, "seconds": [0.2, 7.0],
         "MB above": [12.0, 158.0], "times ours": [np.nan, 35.0], "difference": [np.nan, 1e-10]}
    )  # fmt: skip
    page = scaling_page(table.assign(inference_exponent=0.01), joint, study, em)
    assert "| EM | 100,000 | 0.2 | 12 |  |  |" in page
    assert "| crowd-kit DawidSkene | 100,000 | 7 | 158 | 35 | 1e-10 |" in page
    assert "| H-AI, compressed | 90.0 | 180 | failed |" in page
    assert "| small | 20 | 30 | 900 | 0.9 | kept |" in page
    assert "reading" not in page
    assert "| 1,000,000 | 1.00 |" in page
    assert "power 0.01" in page
    assert "40 to 40 times as long" in page


def test_the_cluster_page_adds_up_by_paper_and_target():
    row = {
        "paper": "MAVEN", "experiment": "one", "target": "figures", "jobs": 1200,
        "core_hours": 2.0, "largest_job_minutes": 12.0, "memory_mb": 300, "tables_mb": 500,
        "scratch_mb": 2.0,
    }  # fmt: skip
    other = {**row, "experiment": "two", "memory_mb": 900, "largest_job_minutes": 50.0}
    page = cluster_page(pd.DataFrame([row, other, {**other, "paper": "CLARA", "scratch_mb": 7.0}]))
    assert "| MAVEN | make figures | 2 | 2,400 | 4.0 | 900 | 1.00 |" in page
    assert "| **all** |  | 3 | 3,600 | 6.0 | 900 | 1.50 |" in page
    assert "one of `two`: about 50 minutes" in page
    assert "up to 7 MB" in page
