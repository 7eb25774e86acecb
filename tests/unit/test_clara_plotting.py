"""CLARA's figures: what stands in which panel, and tables that cannot be drawn."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from crowdgold.experiment.registries import entries
from crowdgold.experiment.summaries import summarise
from crowdgold.papers.clara.claims import at_share, policy_curves
from crowdgold.papers.clara.experiments import check_sigmoid_scores, mean_density, separable
from crowdgold.planning.labelling import items_of_class, labels_an_item
from crowdgold.plots.style import split_series, style_of
from unit.clara_tables import (
    audit_day_results,
    policy_results,
    prevalence_results,
    scores_results,
    tables_of_clara,
)

FIGURES = entries("plot")


@pytest.fixture(scope="module")
def tables():
    return tables_of_clara()


def lines_of(panel):
    """Label of each errorbar line of a panel -> its points."""
    return {
        container.get_label(): list(
            zip(container[0].get_xdata(), container[0].get_ydata(), strict=True)
        )
        for container in panel.containers
    }


def test_each_panel_of_the_prevalence_shows_a_line_a_method_and_tpr(tables):
    table, options = tables["clara_prevalence"]
    figure, shown = FIGURES["clara_prevalence"](table, options)
    assert len(figure.axes) == 3
    assert [panel.get_xlabel() for panel in figure.axes] == ["True prevalence"] * 3
    titles = [panel.get_title() for panel in figure.axes]
    assert titles == [
        "Mean absolute error",
        "Length of the 95% interval",
        "Coverage of the 95% interval",
    ]
    for panel, value in zip(figure.axes, ("error", "width", "coverage"), strict=True):
        found = lines_of(panel)
        assert set(found) == {f"{m}, TPR {t}" for m in ("MV", "CLARA") for t in (0.8, 0.9)}
        own = shown[(shown["method"] == "CLARA") & (shown["tpr"] == 0.9)].sort_values("prevalence")
        x, y = zip(*found["CLARA, TPR 0.9"], strict=True)
        assert list(y) == list(own[value])
        assert np.abs(np.array(x) - own["prevalence"].to_numpy()).max() < 0.015 * 0.4
    assert len(shown) == len(table)
    assert "12 replicates" in figure.get_supxlabel()
    assert "0 of 96 fits" in figure.get_supxlabel()


def test_the_band_of_coverage_is_that_of_the_fewest_intervals():
    few = prevalence_results(size=5)
    both = pd.concat([few[few["tpr"] == 0.8], prevalence_results(size=40).query("tpr == 0.9")])
    table = summarise(both, ["tpr", "prevalence"])
    figure, shown = FIGURES["clara_prevalence"](table, {"by": ["tpr"]})
    (band,) = figure.axes[2].patches
    assert band.get_y() == shown["band_low"].min()
    assert shown["band_low"].nunique() == 2


def test_colour_and_marker_are_the_method_s_and_the_line_is_the_value_s(tables):
    lines = split_series(tables["clara_prevalence"][0], ["tpr"], {"tpr": "TPR"})
    assert [line.label for line in lines] == [
        "MV, TPR 0.8", "MV, TPR 0.9", "CLARA, TPR 0.8", "CLARA, TPR 0.9"
    ]  # fmt: skip
    assert [line.look[:2] for line in lines] == [
        style_of(name)[:2] for name in ("MV", "MV", "CLARA", "CLARA")
    ]
    assert [line.look.line for line in lines] == ["-", "--", "-", "--"]
    assert [line.fill for line in lines] == ["full", "none", "full", "none"]
    assert sum(len(line.rows) for line in lines) == len(tables["clara_prevalence"][0])


def test_series_of_a_setting_of_one_method_and_of_separations():
    base = summarise(prevalence_results(), ["tpr", "prevalence"])
    axis = "method_settings.CLARA.gamma"
    table = pd.concat([base.assign(**{axis: value}) for value in (1, 10)], ignore_index=True)
    table = table[table["tpr"] == 0.8]
    figure, shown = FIGURES["clara_prevalence"](table, {"by": [axis]})
    assert set(lines_of(figure.axes[0])) == {"MV", "CLARA, gamma 1", "CLARA, gamma 10"}
    assert len(shown) == len(table) * 3 // 4
    table = summarise(scores_results(), ["separation", "prevalence"])
    figure, _ = FIGURES["clara_prevalence"](table, {"by": ["separation"]})
    assert set(lines_of(figure.axes[0])) == {
        "CLARA, no scores", "CLARA, scores from ∓1", "CLARA, scores from ∓4"
    }  # fmt: skip


def test_recovery_stands_against_the_items_of_the_class(tables):
    """At prevalence 0.1 and 100 reviewers: 50,000 x 0.1 x 2.18 / 100 positives a reviewer."""
    table, options = tables["clara_recovery"]
    figure, shown = FIGURES["clara_recovery"](table, options)
    assert labels_an_item(0.9) == pytest.approx(2.18)
    row = shown[
        (shown["metric"] == "TPR:each")
        & (shown["prevalence"] == 0.1)
        & (shown["n_reviewers"] == 100)
    ].iloc[0]
    assert row["items_of_class"] == pytest.approx(109)
    assert items_of_class(50_000, 0.9, 0.9, 1000) == pytest.approx(98.1)
    assert [panel.get_title() for panel in figure.axes[:2]] == ["TPR", "TNR"]
    assert figure.axes[2].get_xlabel() == "positive items labelled by each reviewer"
    assert figure.axes[3].get_xlabel() == "negative items labelled by each reviewer"
    assert (row["items_of_class"], row["error"]) in lines_of(figure.axes[0])["prevalence 0.1"]
    assert (row["items_of_class"], row["error_sd"]) in lines_of(figure.axes[2])["prevalence 0.1"]
    stars = [line for line in figure.axes[0].get_lines() if line.get_label() == "printed"]
    assert [(line.get_xdata()[0], line.get_ydata()[0]) for line in stars] == [(100, 0.045)]
    smaller = FIGURES["clara_recovery"](table.assign(n=500), options)[1]
    np.testing.assert_allclose(smaller["items_of_class"], shown["items_of_class"] / 100)


def test_audits_have_a_panel_a_metric_and_a_line_for_each_precision_of_the_auditors(tables):
    table, options = tables["clara_audits"]
    figure, shown = FIGURES["clara_audits"](table, options)
    assert [panel.get_title() for panel in figure.axes] == ["Precision", "Recall"]
    assert figure.axes[0].get_ylabel() == "Mean absolute error"
    for panel in figure.axes:
        assert len(panel.containers) == 2 * 3
        assert len({container[0].get_linestyle() for container in panel.containers}) == 3
    own = shown[(shown["metric"] == "recall:reviewers") & (shown["method"] == "MV")]
    drawn = {
        (x, y)
        for container in figure.axes[1].containers
        for x, y in zip(container[0].get_xdata(), container[0].get_ydata(), strict=True)
    }
    assert set(zip(own["reviewer_precision"], own["error"], strict=True)) <= drawn
    (legend,) = figure.legends
    texts = [text.get_text() for text in legend.get_texts()]
    assert texts == ["MV", "CLARA", "auditors' 0.7", "auditors' 0.8", "auditors' 0.9"]


def test_days_have_a_column_an_experiment_with_the_truth_beside_the_estimates(tables):
    table, options = tables["clara_days"]
    figure, shown = FIGURES["clara_days"](table, options)
    assert [panel.get_title() for panel in figure.axes[:2]] == ["Metric A", "Metric B"]
    assert [panel.get_xlabel() for panel in figure.axes] == ["", "", "", "", "Day", "Day"]
    assert [panel.get_ylabel() for panel in figure.axes[::2]] == ["Prevalence", "TPR", "TNR"]
    for panel, least in zip(figure.axes[3::2], (0.7, 0.95), strict=True):
        truth = [line for line in panel.get_lines() if line.get_color() == "#000000"]
        assert {float(line.get_ydata().min()) for line in truth} == {least}
    assert "Simulated stand-in" in figure.get_supxlabel()
    assert "30 days" in figure.get_supxlabel()
    second = table.assign(replicate=1, estimate=0.5)
    both = pd.concat([table, second], ignore_index=True)
    assert (FIGURES["clara_days"](both, options)[1]["replicate"] == 0).all()
    assert len(shown) == len(table)


def test_errors_by_day_are_means_over_replicates():
    first = audit_day_results()
    both = pd.concat([first, first.assign(replicate=1, estimate=first["truth"])])
    figure, shown = FIGURES["clara_days"](both, {"show": "errors"})
    assert [panel.get_title() for panel in figure.axes] == ["Precision", "Recall"]
    assert figure.axes[0].get_ylabel() == "Absolute error"
    row = shown[(shown["day"] == 3) & (shown["method"] == "MV") & (shown["name"] == "recall")].iloc[
        0
    ]
    own = first[(first["day"] == 3) & (first["method"] == "MV")]
    off = abs(own["estimate"] - own["truth"]).iloc[1]
    assert row["error"] == pytest.approx(off / 2)
    assert row["error_se"] == pytest.approx(off / 2)
    assert (3, row["error"]) in lines_of(figure.axes[1])["MV"]


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
    assert separable(1.0, 2.0) == pytest.approx(0.760, abs=0.001)
    draws = rng.normal(1, 2, 4000) - rng.normal(-1, 2, 4000)
    assert np.mean(draws > 0) == pytest.approx(separable(1.0, 2.0), abs=5 * np.sqrt(0.18 / 4000))


def test_the_figure_of_scores_has_the_wide_separation_first(tables):
    figure, shown = FIGURES["clara_scores"](*tables["clara_scores"])
    assert [panel.get_title()[:15] for panel in figure.axes] == [
        "means -4 and 4:",
        "means -1 and 1:",
    ]
    assert figure.axes[0].get_xlabel() == "Classifier's score"
    assert len(shown) == 2 * 2 * 20
    assert set(shown["class"]) == {"negative", "positive"}
    table = tables["clara_scores"][0]
    with pytest.raises(ValueError, match="no scores of"):
        FIGURES["clara_scores"](table[table["class"] == "negative"], {})
    rng = np.random.default_rng(9)
    state = rng.bit_generator.state
    table = check_sigmoid_scores({"separation": 4, "sd": 2, "bins": 10}, rng)
    assert rng.bit_generator.state == state
    assert len(table) == 20


def test_policies_are_drawn_at_their_means(tables):
    table, options = tables["clara_policy"]
    figure, shown = FIGURES["clara_policy"](table, options)
    assert len(figure.axes) == 2
    assert figure.axes[0].get_xlabel() == "Share of all labels that are used"
    own = table[(table["policy"] == "CLARA") & (table["threshold_or_share"] == 0.75)]
    row = shown[(shown["policy"] == "CLARA") & (shown["threshold_or_share"] == 0.75)].iloc[0]
    assert row["accuracy"] == pytest.approx(own["accuracy"].mean())
    assert row["prevalence_error"] == pytest.approx((own["prevalence_estimate"] - 0.1).mean())
    assert row["replicates"] == 8
    drawn = {line.get_label(): line for line in figure.axes[0].get_lines()}
    assert set(drawn) == {"random stratified", "tie-breaking", "CLARA", "printed"}
    assert row["accuracy"] in drawn["CLARA"].get_ydata()
    assert len(drawn["tie-breaking"].get_xdata()) == 1
    one, _ = FIGURES["clara_policy"](table, options | {"panels": ["accuracy"], "stand_in": True})
    assert len(one.axes) == 1
    assert one.get_supxlabel() == (
        "Simulated stand-in; 8 replicates; bands are one standard error; 0 of 8 fits had "
        "Markov chains that had not converged; without Snorkel (make snorkel)"
    )
    named = table.assign(policy=table["policy"].replace("random stratified", "Snorkel"))
    whole, _ = FIGURES["clara_policy"](named, {"panels": ["accuracy"]})
    assert "without" not in whole.get_supxlabel()


def test_of_one_replicate_the_error_of_the_accuracy_is_that_over_items():
    curves = policy_curves(policy_results(replicates=1))
    binomial = np.sqrt(curves["accuracy"] * (1 - curves["accuracy"]) / 2000)
    np.testing.assert_allclose(curves["accuracy_se"], binomial, rtol=0.02)
    assert curves["prevalence_error_se"].isna().all()
    figure, _ = FIGURES["clara_policy"](policy_results(replicates=1), {"panels": ["accuracy"]})
    assert "1 replicate; bands are one standard error over its items" in figure.get_supxlabel()


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
        ("clara_policy", ["accuracy"], {}, r"no columns \['accuracy'\]"),
        ("clara_policy", [], {"panels": ["cost"]}, r"panels: found \['cost'\]"),
    ],
)  # fmt: skip
def test_a_figure_is_not_made_from_a_table_that_is_not_its_own(
    plot, dropped, options, message, tables
):
    table, known = tables[plot]
    with pytest.raises(ValueError, match=message):
        FIGURES[plot](table.drop(columns=dropped), known | options)
