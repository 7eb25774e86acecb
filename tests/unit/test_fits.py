"""Fits behind a table: counted once each, whatever the columns that say their setting."""

import pandas as pd
import pytest

from crowdgold.evaluation.fits import count_gate_failures, fits_by_method, gate_note, setting_keys
from crowdgold.evaluation.summaries import summarise


def made_results(undefined: tuple[str, ...] = ("delta_TPR",)) -> pd.DataFrame:
    """Two values of a dotted axis, two methods, three replicates; MAVEN fails once at each value,
    and these metrics are undefined where it does."""
    return pd.DataFrame(
        {"paper": "MAVEN", "experiment": "e", "predictors.A.mu": mu, "shape": None,
         "method": method, "metric": metric, "replicate": replicate, "truth": 0.8,
         "estimate": float("nan") if failed and metric in undefined else 0.7,
         "lower": 0.6, "upper": 0.9, "seed": replicate,
         "diagnostics_passed": not failed, "diagnostics_message": ""}
        for mu in (0.0, 2.0) for method in ("GT", "MAVEN") for metric in ("delta_TPR", "AUC")
        for replicate in range(3)
        for failed in [method == "MAVEN" and replicate == 1]
    )  # fmt: skip


def test_each_fit_counts_once_whatever_its_setting_is_called():
    """12 fits, of which 2 fail; metrics of a fit are not fits of their own."""
    results = made_results()
    assert setting_keys(results) == ["paper", "experiment", "predictors.A.mu", "shape"]
    assert count_gate_failures(results) == (2, 12)
    assert count_gate_failures(results[results["method"] == "GT"]) == (0, 6)
    assert gate_note(results) == (
        "2 of 12 fits had Markov chains that had not converged (R-hat above 1.01, or another "
        "check) after 8 times the draws, and are included"
    )
    assert "times the draws" not in gate_note(results, longest=1)
    passed = results[results["method"] == "GT"]
    assert gate_note(passed) == "0 of 6 fits had Markov chains that had not converged"


@pytest.mark.parametrize("undefined", [(), ("delta_TPR",), ("delta_TPR", "AUC")], ids=str)
def test_a_summary_counts_as_its_results_do(undefined):
    """Metrics that are undefined where the fit failed, even all of them, hide neither fit nor
    failure."""
    summary = summarise(made_results(undefined), ["predictors.A.mu", "shape"])
    assert count_gate_failures(summary) == (2, 12)


def test_fits_are_counted_by_method_that_samples():
    """Of two tables, one of them with other settings; GT draws no chains."""
    other = made_results().assign(experiment="f", diagnostics_passed=True)
    found = fits_by_method([made_results(), other])
    assert found.to_dict("records") == [{"method": "MAVEN", "fits": 12, "passed": 10}]
