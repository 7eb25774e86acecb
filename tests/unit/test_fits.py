"""Fits behind a table: counted once each, whatever the columns that say their setting."""

import numpy as np
import pandas as pd
import pytest

from crowdgold.experiment import summaries as fits_of
from crowdgold.models.confusion_em import EmSettings, fit_confusion_em
from crowdgold.types.annotations import Annotations


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
    """Six fits by chains, of which 2 fail; metrics of a fit are not fits of their own, and GT draws
    no chains."""
    results = made_results()
    assert fits_of.setting_keys(results) == ["paper", "experiment", "predictors.A.mu", "shape"]
    assert fits_of.count_gate_failures(results) == (2, 6)
    assert fits_of.count_gate_failures(results[results["method"] == "GT"]) == (0, 0)
    said = fits_of.gate_note(results)
    assert said.startswith("2 of 6 fits had Markov chains that had not converged (R-hat above 1.01")
    assert said.endswith("after 8 times the draws, and are included")
    assert "times the draws" not in fits_of.gate_note(results, longest=1)
    rare = pd.concat([results, results.assign(method="DS", diagnostics_passed=True)])
    assert fits_of.gate_note(rare).endswith("and are included; most often those of MAVEN, 33%")
    passed = results[results["method"] == "GT"]
    assert fits_of.gate_note(passed) == "none of these fits has several Markov chains"


@pytest.mark.parametrize("undefined", [(), ("delta_TPR",), ("delta_TPR", "AUC")], ids=str)
def test_a_summary_counts_as_its_results_do(undefined):
    """Metrics that are undefined where the fit failed, even all of them, hide neither fit nor
    failure."""
    summary = fits_of.summarise(made_results(undefined), ["predictors.A.mu", "shape"])
    assert fits_of.count_gate_failures(summary) == (2, 6)


def test_fits_are_counted_by_method_that_samples():
    """Of two tables, one of them with other settings; GT draws no chains."""
    other = made_results().assign(experiment="f", diagnostics_passed=True)
    found = fits_of.fits_by_method([made_results(), other])
    assert found.to_dict("records") == [{"method": "MAVEN", "fits": 12, "passed": 10}]


def em_message(steps):
    """What the diagnostics of an EM say that stops after so many steps, on labels that differ."""
    names = (np.array([f"{one}{number}" for number in range(size)], dtype=object)
             for one, size in (("i", 60), ("R", 3), ("agent", 1), ("", 2)))  # fmt: skip
    item, label = np.repeat(np.arange(60), 3), np.random.default_rng(3).integers(0, 2, 180)
    whose = np.zeros(60, dtype=np.int64)
    table = Annotations(*names, item, np.tile(np.arange(3), 60), whose, label)
    found = fit_confusion_em(table, EmSettings(steps=steps, tolerance=0.0)).diagnostics
    return found.passed, found.message


def judged(message_of):
    """Rows of MV, DS and PEC in two replicates, with the diagnostics of each method."""
    return pd.DataFrame(
        {"paper": "P", "experiment": "judged", "method": method, "metric": metric,
         "replicate": replicate, "estimate": 0.5, "lower": 0.4, "upper": 0.6, "truth": 0.5,
         "seed": replicate, "diagnostics_passed": passed, "diagnostics_message": message}
        for method, (passed, message) in message_of.items()
        for metric in ("score:each", "rank:each")
        for replicate in range(2)
    )  # fmt: skip


def test_a_fit_by_em_is_not_said_to_have_markov_chains():
    """Its own diagnostics say how it stopped; MV fits nothing and is none of them."""
    stopped, still = em_message(7), em_message(5000)
    assert (stopped[0], still[0]) == (False, True)
    fits = judged({"MV": (True, ""), "DS": stopped, "PEC": stopped})
    assert fits_of.gate_note(fits) == (
        "4 of 4 fits by EM had not converged when they stopped, after 7 steps, and are included"
    )
    mixed = judged({"MV": (True, ""), "DS": stopped, "PEC": em_message(9)})
    assert "stopped and are included" in fits_of.gate_note(mixed)
    through = judged({"MV": (True, ""), "DS": still, "PEC": still})
    assert fits_of.gate_note(through) == "0 of 4 fits by EM had not converged when they stopped"


def test_what_failed_a_gate_is_counted_whatever_its_method():
    """GT draws no chains as a rule: where a fit of it failed, all of its fits are told."""
    results = made_results()
    wrong = (results["method"] == "GT") & (results["replicate"] == 0)
    assert fits_of.count_gate_failures(results.assign(diagnostics_passed=~wrong)) == (2, 12)
    stopped = judged({"MV": (True, ""), "PEC": em_message(7)})
    assert fits_of.count_gate_failures(stopped) == (0, 0)


def test_a_caption_tells_fits_by_em_and_by_chains_apart():
    """DS of votes and PEC-posterior draw chains; a table of both says both, and a summary too."""
    stopped, chains = em_message(7), (False, "R-hat 1.023 (limit 1.01)")
    fits = judged({"GT": (True, ""), "PEC": stopped, "PEC-posterior": chains, "DS": (True, "")})
    by_em = "2 of 2 fits by EM had not converged when they stopped"
    by_chains = (
        "and are included; 2 of 4 other fits had Markov chains that had not converged (R-hat above "
        "1.01, or another check), and are included; most often those of PEC-posterior, 100%"
    )
    assert fits_of.gate_note(fits, longest=1) == f"{by_em}, after 7 steps, {by_chains}"
    summary = fits_of.summarise(fits[fits["metric"] == "score:each"], [])
    assert fits_of.gate_note(summary, longest=1) == f"{by_em} {by_chains}"
    passing = fits_of.gate_note(judged({"PEC": em_message(5000), "PEC-posterior": (True, "")}))
    assert passing.endswith("; 0 of 2 other fits had Markov chains that had not converged")
