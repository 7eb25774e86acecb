"""CLARA's figures: what stands in which panel, and tables that cannot be drawn."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from crowdgold.experiment.registries import entries
from crowdgold.experiment.summaries import summarise
from crowdgold.papers.clara.claims import at_share
from crowdgold.papers.clara.experiments import compute_sigmoid_scores, mean_density, scores_auc
from crowdgold.planning.labelling import items_of_class, labels_an_item
from unit.clara_tables import audit_day_results, policy_results, prevalence_results, tables_of_clara

FIGURES = entries("plot")


@pytest.fixture(scope="module")
def tables():
    return tables_of_clara()


def test_the_band_of_coverage_is_that_of_the_fewest_intervals():
    few = prevalence_results(size=5)
    both = pd.concat([few[few["tpr"] == 0.8], prevalence_results(size=40).query("tpr == 0.9")])
    table = summarise(both, ["tpr", "prevalence"])
    figure, shown = FIGURES["clara_prevalence"](table, {"by": ["tpr"]})
    (band,) = figure.axes[2].patches
    assert band.get_y() == shown["band_low"].min()
    assert shown["band_low"].nunique() == 2


def test_recovery_stands_against_the_items_of_the_class(tables):
    """At prevalence 0.1 and 100 reviewers: 50,000 x 0.1 x 2.18 / 100 positives a reviewer."""
    assert labels_an_item(0.9) == pytest.approx(2.18)
    assert items_of_class(50_000, 0.9, 0.9, 1000) == pytest.approx(98.1)
    table, options = tables["clara_recovery"]
    shown = FIGURES["clara_recovery"](table, options)[1]
    row = shown.set_index(["metric", "prevalence", "n_reviewers"]).loc[("TPR:each", 0.1, 100)]
    assert row["items_of_class"] == pytest.approx(109)
    smaller = FIGURES["clara_recovery"](table.assign(n=500), options)[1]
    np.testing.assert_allclose(smaller["items_of_class"], shown["items_of_class"] / 100)


def test_estimates_by_day_are_of_one_replicate_and_errors_are_means_over_all(tables):
    table, options = tables["clara_days"]
    both = pd.concat([table, table.assign(replicate=1, estimate=0.5)], ignore_index=True)
    assert (FIGURES["clara_days"](both, options)[1]["replicate"] == 0).all()
    first = audit_day_results()
    both = pd.concat([first, first.assign(replicate=1, estimate=first["truth"])])
    shown = FIGURES["clara_days"](both, {"show": "errors"})[1]
    keys = ["day", "method", "metric"]
    off = (first["estimate"] - first["truth"]).abs().groupby([first[key] for key in keys]).sum()
    for column in ("error", "error_se"):
        found = shown.set_index(keys)[column]
        np.testing.assert_allclose(found, off.loc[found.index] / 2)


def test_densities_are_those_of_simulated_scores():
    """10,000 scores: Kolmogorov's distance is below 0.02 at p = .0007; twice the sd is above it."""
    rng = np.random.default_rng(8)
    edges = np.linspace(0, 1, 51)
    for mean in (-4.0, 1.0):
        density = mean_density(mean, 2.0, edges)
        assert (density * np.diff(edges)).sum() == pytest.approx(1)
        below = np.concatenate([[0], np.cumsum(density * np.diff(edges))])
        for sd, close in ((2.0, True), (4.0, False)):
            share = np.searchsorted(np.sort(expit(rng.normal(mean, sd, 10_000))), edges) / 10_000
            assert (np.abs(share - below).max() < 0.02) == close
    assert scores_auc(1.0, 2.0) == pytest.approx(0.760, abs=0.001)
    draws = rng.normal(1, 2, 4000) - rng.normal(-1, 2, 4000)
    assert np.mean(draws > 0) == pytest.approx(scores_auc(1.0, 2.0), abs=5 * np.sqrt(0.18 / 4000))


def test_the_exact_distribution_of_scores_draws_nothing():
    rng = np.random.default_rng(9)
    state = rng.bit_generator.state
    assert len(compute_sigmoid_scores({"separation": 4, "sd": 2, "bins": 10}, rng)) == 20
    assert rng.bit_generator.state == state


def test_policies_are_drawn_at_their_means_with_errors_over_replicates_or_items(tables):
    table, options = tables["clara_policy"]
    figure, shown = FIGURES["clara_policy"](table, options | {"panels": ["accuracy"]})
    at = {"policy": "CLARA", "threshold_or_share": 0.75}
    own, row = (frame[(frame[list(at)] == pd.Series(at)).all(axis=1)] for frame in (table, shown))
    assert row["accuracy"].item() == pytest.approx(own["accuracy"].mean())
    off = (own["prevalence_estimate"] - 0.1).mean()
    assert row["prevalence_error"].item() == pytest.approx(off)
    assert "without Snorkel (make snorkel)" in figure.get_supxlabel()
    named = policy_results(replicates=1).replace({"policy": {"random stratified": "Snorkel"}})
    figure, shown = FIGURES["clara_policy"](named, {"panels": ["accuracy"]})
    assert "without" not in figure.get_supxlabel()
    assert "1 replicate; bands are one standard error over its items" in figure.get_supxlabel()
    binomial = np.sqrt(shown["accuracy"] * (1 - shown["accuracy"]) / 2000)
    np.testing.assert_allclose(shown["accuracy_se"], binomial, rtol=0.02)
    assert shown["prevalence_error_se"].isna().all()


def test_a_policy_is_read_between_its_settings_within_a_replicate():
    table = policy_results()
    shares = pd.Series(1 / 3 + 0.25 * 4 / 3, index=table["replicate"].unique())
    own = table[(table["policy"] == "CLARA") & (table["threshold_or_share"] == 0.75)]
    found = at_share(table, "CLARA", shares, "accuracy")
    np.testing.assert_allclose(found, own.set_index("replicate")["accuracy"])
    assert at_share(table, "CLARA", shares * 0 + 0.1, "accuracy").isna().all()
    assert at_share(table, "Snorkel", shares, "accuracy").empty
    # One threshold leaves much in one replicate and nothing in the other.
    # The lines of the two are 0.8 + 0.2 share and 0.5 + 0.4 share, 0.8 at one half in the mean. The
    # curve of their means, at shares 0.3, 0.6 and 1, is at 0.83 there.
    one, other = (0.2, 0.2, 1.0), (0.4, 1.0, 1.0)
    table = pd.DataFrame({
        "policy": "CLARA", "replicate": [0, 0, 0, 1, 1, 1], "share_of_labels": [*one, *other],
        "accuracy": [0.8 + 0.2 * x for x in one] + [0.5 + 0.4 * x for x in other],
    })  # fmt: skip
    found = at_share(table, "CLARA", pd.Series([0.5, 0.5]), "accuracy")
    np.testing.assert_allclose(found, [0.9, 0.7])


@pytest.mark.parametrize(
    ("plot", "dropped", "options", "message"),
    [
        ("clara_prevalence", ["prevalence"], {}, "no column 'prevalence'"),
        ("clara_prevalence", [], {"by": ["fpr"]}, r"no columns \['fpr'\]"),
        ("clara_prevalence", [], {"metric": "TPR"}, "metric 'TPR'"),
        ("clara_prevalence", [], {"methods": ["Snorkel"]}, r"methods \['Snorkel'\]"),
        ("clara_recovery", ["error_sd"], {}, "error_sd"),
        ("clara_recovery", [], {"method": "MV"}, "no TNR:each and no TPR:each of 'MV'"),
        ("clara_audits", ["auditor_precision"], {}, "auditor_precision"),
        ("clara_days", ["day"], {}, "no column 'day'"),
        ("clara_days", [], {"show": "errors"}, r"metrics \['precision', 'recall'\]"),
        ("clara_days", [], {"show": "bias"}, "show: found 'bias'"),
        ("clara_scores", ["density"], {}, r"no columns \['density'\]"),
        ("clara_scores", "class", {}, "no scores of"),
        ("clara_policy", ["accuracy"], {}, r"no columns \['accuracy'\]"),
        ("clara_policy", [], {"panels": ["cost"]}, r"panels: found \['cost'\]"),
    ],
)  # fmt: skip
def test_a_figure_is_not_made_from_a_table_that_is_not_its_own(
    plot, dropped, options, message, tables
):
    table, known = tables[plot]
    if dropped == "class":
        table, dropped = table[table["class"] == "negative"], []
    with pytest.raises(ValueError, match=message):
        FIGURES[plot](table.drop(columns=dropped), known | options)
