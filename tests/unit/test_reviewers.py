"""Metrics of annotators: by hand, against resampling item by item, and pooled over matrices."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from crowdgold.experiment.summaries import summarise
from crowdgold.inference.agents import evaluate_annotations
from crowdgold.inference.labels import ConfusionPosterior, Fit, FixedLabels
from crowdgold.methods.registry import fit
from crowdgold.metrics.reviewers import parse_reviewer_metric, rate_of, rate_of_counts, true_values
from crowdgold.models.clara.gibbs import swapped_share
from crowdgold.models.majority import NO_LABEL
from crowdgold.simulate import simulate
from crowdgold.types.annotations import annotations_from_frame
from crowdgold.types.errors import InputError
from crowdgold.types.notes import Note
from unit.reference import make_items

AUDIT = {
    "n": 400, "prevalence": 0.4, "design": "audit", "n_reviewers": 3, "n_auditors": 3,
    "reviewer_precision": 0.7, "auditor_precision": 0.9,
}  # fmt: skip
SMALL = {"chains": 2, "warmup": 50, "draws": 100, "lag": 2}


def rng(seed=1):
    return np.random.default_rng(seed)


def audit(**changes):
    return simulate("clara", AUDIT | changes, rng(3))


ITEMS = make_items([0, 1, 3], 3, [-1, 0, 1])


def table_of(rows):
    """Make annotations of (item, annotator, group, label)."""
    frame = pd.DataFrame(rows, columns=["item", "annotator", "group", "label"])
    return annotations_from_frame(frame, ["0", "1"])


HAND = table_of(
    [
        ("i", "r", "reviewers", "1"), ("i", "a", "auditors", "1"), ("i", "b", "auditors", "1"),
        ("j", "r", "reviewers", "0"), ("j", "a", "auditors", "1"), ("j", "b", "auditors", "1"),
        ("k", "s", "reviewers", "1"), ("k", "a", "auditors", "0"), ("k", "b", "auditors", "0"),
        ("l", "s", "reviewers", "0"), ("l", "a", "auditors", "0"),
        ("m", "s", "reviewers", "1"),
    ]
)  # fmt: skip


def estimates(fitted, table, metrics, level=0.9, resamples=2000):
    found = evaluate_annotations(fitted, table, metrics, rng(5), level, resamples)
    return {(one.metric, one.annotator): one for one in found}


def test_the_majority_of_the_judges_stands_for_the_truth():
    """Auditors: i and j positive, k and l negative; m has no label of theirs. s saw no positive."""
    fitted = fit("MV", HAND, rng(), {"judges": "auditors"})
    assert fitted.labels.labels.tolist() == [1, 1, 0, 0, NO_LABEL]
    metrics = ["prevalence", "TPR:reviewers", "TNR:reviewers", "precision:reviewers", "TPR:each"]
    found = estimates(fitted, HAND, metrics)
    assert [found[name, ""].estimate for name in metrics[:4]] == [0.5] * 4
    each = [found["TPR:each", who].estimate for who in "ras"]
    assert each == pytest.approx([0.5, 1.0, np.nan], nan_ok=True)
    everybody = fit("MV", HAND, rng())
    assert everybody.labels.labels[[0, 4]].tolist() == [1, 1]
    with pytest.raises(InputError, match=r"judges: found 'auditor', expected a group.*'auditors'"):
        fit("MV", HAND, rng(), {"judges": "auditor"})


@pytest.mark.parametrize("metric", ["prevalence", "TPR:reviewers", "TNR", "precision:auditors"])
def test_intervals_are_those_of_items_drawn_anew(metric):
    """Within 5 errors of both ends of B = 4,000, sqrt(q (1 - q) / B) / f each, f the density."""
    table = audit().table
    fitted = fit("MV", table, rng(), {"judges": "auditors"})
    labels = fitted.labels.labels
    found = estimates(fitted, table, [metric], resamples=4000)[metric, ""]
    parsed, drawn = parse_reviewer_metric(metric), rng(7)
    inside = {"reviewers": [0], "auditors": [1], "": [0, 1]}[parsed.of]
    own = np.isin(table.group_of, inside)
    values = []
    for _ in range(4000):
        times = np.bincount(drawn.integers(0, len(labels), len(labels)), minlength=len(labels))
        if metric == "prevalence":
            values.append(float((labels * times).sum() / times.sum()))
            continue
        item, label = table.item_of[own], table.label[own]
        counts = np.zeros((2, 2))
        np.add.at(counts, (labels[item], label), times[item])
        values.append(float(rate_of_counts(parsed.name, counts)))
    density = norm.pdf(norm.ppf(0.95)) / np.std(values)
    error = np.sqrt(0.05 * 0.95 * 2 / 4000) / density
    for end, share in ((found.lower, 0.05), (found.upper, 0.95)):
        assert abs(end - np.quantile(values, share)) < 5 * error
    assert abs(found.lower - np.mean(values)) > 5 * error


def test_items_that_an_annotator_skips_are_resampled_as_well():
    """x labelled 3 of the judge's 12 items, 2 rightly, and 40 others. A resample has none of the 3
    with chance (9/12)^12 = .032, to 5 deviations of 100,000 draws, none of the 2 with .112: the
    lower end of 90 % is 0. Of the 3 alone these were 0 and 1/27; of all 52, .046 and .13.
    """
    rows = [(f"{i:02}", "judge", "judges", "1") for i in range(12)]
    rows += [("02", "x", "others", "1"), ("05", "x", "others", "0"), ("11", "x", "others", "1")]
    table = table_of([*rows, *((f"{i}", "x", "others", "1") for i in range(20, 60))])
    fitted = fit("MV", table, rng(), {"judges": "judges"})
    found = estimates(fitted, table, ["TPR:x"], resamples=100_000)["TPR:x", ""]
    chance = (9 / 12) ** 12
    assert abs(found.undefined - chance) < 5 * np.sqrt(chance * (1 - chance) / 100_000)
    assert found.estimate == pytest.approx(2 / 3)
    assert (found.lower, found.upper) == (0, 1)


def test_rates_of_several_annotators_are_means_over_their_labels():
    """Three annotators' matrices pooled in a loop; precision joins the prevalence of each draw."""
    table = audit().table
    annotators, draws = len(table.annotator), 60
    matrices = rng(8).dirichlet([1, 1], (draws, annotators, 2))
    theta = rng(9).dirichlet([2, 3], draws)
    unknown = np.zeros((len(table.item), 2))
    posterior = ConfusionPosterior(theta[:7], theta, matrices, table.annotator_of, unknown)
    metrics = ["prevalence", "TPR", "TNR:auditors", "precision:R1", "TPR:each"]
    found = estimates(Fit("M", posterior), table, metrics)
    everyone = matrices[:, table.annotator_of, 1, 1].mean(axis=1)
    auditors = table.annotator_of[table.group_of == 1]
    first = matrices[:, list(table.annotator).index("R1")]
    called = theta[:, 1] * first[:, 1, 1]
    precision = called / (called + theta[:, 0] * first[:, 0, 1])
    expected = {
        "prevalence": theta[:7, 1], "TPR": everyone, "TNR:auditors": matrices[:, auditors, 0, 0],
        "precision:R1": precision,
    }  # fmt: skip
    for metric, values in expected.items():
        assert found[metric, ""].estimate == pytest.approx(values.mean()), metric
    upper = np.interp(0.95 * 61, range(1, 61), np.sort(everyone))
    assert found["TPR", ""].upper == pytest.approx(upper)
    each = [found["TPR:each", name].estimate for name in table.annotator]
    assert each == pytest.approx(matrices[:, :, 1, 1].mean(axis=0))


def test_swapped_labels_are_counted_and_warned_of():
    """Two of four draws have TPR + TNR < 1 on average over four labels, three of one matrix."""
    right, wrong = [[0.9, 0.1], [0.2, 0.8]], [[0.1, 0.9], [0.8, 0.2]]
    draws = np.array([[right, right], [wrong, right], [right, wrong], [wrong, wrong]])
    assert swapped_share(draws, np.array([0, 0, 0, 1])) == 0.5
    beware = Note("labels_at_random")
    posterior = ConfusionPosterior(
        np.full((4, 2), 0.5), np.full((4, 2), 0.5), draws, np.zeros(len(HAND), int),
        np.zeros((5, 2)), 0.5, beware,
    )  # fmt: skip
    found = estimates(Fit("M", posterior), HAND, ["prevalence", "TPR", "swapped"])
    assert {one.note for one in found.values()} == {beware.text}
    assert found["swapped", ""].estimate == 0.5


def test_clara_warns_where_the_second_mode_has_weight():
    """Labels that say next to nothing, and labels that say all."""
    panel = {"n": 60, "prevalence": 0.5, "n_reviewers": 3}
    blind, clear = (
        simulate("clara", panel | {"tpr": q, "tnr": q}, rng(2)).table for q in (0.55, 0.98)
    )
    for method, table, warned in (
        ("CLARA", blind, True), ("CLARA", clear, False), ("CLARA-ordered", blind, False)
    ):  # fmt: skip
        fitted = fit(method, table, rng(), {"confusion": "shared", **SMALL})
        found = estimates(fitted, table, ["prevalence", "swapped"])
        note, swapped = found["prevalence", ""].note, found["swapped", ""].estimate
        assert ("labels swapped (TPR + TNR < 1)" in note) == (swapped > 0.05) == warned
        assert warned or (note, swapped) == ("", 0)


def test_the_published_fit_has_its_own_prior_and_no_weights_of_priors():
    """One chain's means, of group matrices; gamma is no setting of it."""
    table, settings = audit().table, {"confusion": "group", "warmup": 50, "draws": 80, "lag": 2}
    found = fit("CLARA-published", table, rng(4), settings)
    assert found.labels.confusion.shape == (80, 2, 2, 2)
    assert found.labels.warning is None
    assert estimates(found, table, ["prevalence"])["prevalence", ""].estimate == pytest.approx(
        found.labels.prevalence[:, 1].mean()
    )
    with pytest.raises(InputError, match="gamma"):
        fit("CLARA-published", table, rng(4), {"gamma": 1})


@pytest.mark.parametrize(
    ("method", "table", "settings", "message"),
    [
        ("CLARA", ITEMS, {}, "CLARA needs to know who gave each vote"),
        ("PEC-two-way", ITEMS, {}, "PEC-two-way takes a table of annotations; found one of"),
        ("GT", HAND, {}, "GT takes a table of items; found one of annotations"),
        ("MV", ITEMS, {"judges": "auditors"}, "judges is of Annotations"),
        ("CLARA", HAND, {"gama": 3}, "did you mean 'gamma'"),
        ("CLARA", HAND, {"sampler": "gibbs", "draws": 5}, "sampler: found 'gibbs', .* blocked"),
        ("CLARA", HAND, {"gamma": -1}, "gamma: found -1"),
    ],
    ids=lambda one: one if isinstance(one, str) else "",
)
def test_tables_and_settings_that_a_method_does_not_take_are_named(
    method, table, settings, message
):
    with pytest.raises(InputError, match=message):
        fit(method, table, rng(), settings)


def test_rates_by_hand():
    """Prevalence 1/4, TPR 4/5, TNR 9/10: of 40 items 8 are called rightly and 3 wrongly."""
    values, counts = (np.array(0.25), np.array(0.8), np.array(0.9)), np.array([[27, 3], [2, 8]])
    for name, expected in (("TPR", 0.8), ("TNR", 0.9), ("precision", 8 / 11), ("recall", 0.8)):
        assert float(rate_of(name, *values)) == pytest.approx(expected)
        assert float(rate_of_counts(name, counts)) == pytest.approx(expected)
    assert np.isnan(rate_of_counts("precision", np.array([[3, 0], [2, 0]])))
    assert np.isnan(rate_of("precision", np.array(0.0), np.array(0.5), np.array(1.0)))


def test_true_values_are_the_generators():
    drawn = audit()
    known = (drawn.table, drawn.parameters)
    for metric, expected in (("precision:reviewers", 0.7), ("recall:auditors", 0.9),
                             ("prevalence", 0.4), ("swapped", 0.0)):  # fmt: skip
        assert true_values(metric, *known) == {"": pytest.approx(expected)}, metric
    each = true_values("TPR:each", *known)
    assert set(each) == set(drawn.table.annotator)
    assert set(each.values()) == {0.7, 0.9}
    with pytest.raises(InputError, match=r"true value of 'TPR' is not known, for lack of 'TPR'"):
        true_values("TPR", *known)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("AUC", "no metric 'AUC' of annotations"),
        ("prevalence:R1", "should have the form prevalence"),
        ("TPR:", "should have the form TPR or TPR:GROUP"),
    ],
)
def test_names_of_metrics_are_checked(name, message):
    with pytest.raises(InputError, match=message):
        parse_reviewer_metric(name)


def test_tables_that_have_no_such_rates_are_refused():
    fitted = Fit("M", FixedLabels(np.zeros(5, int)))
    with pytest.raises(InputError, match=r"no group or annotator 'bob'; groups: 'reviewers', 'aud"):
        estimates(fitted, HAND, ["TPR:bob"])
    frame = pd.DataFrame({"item": ["i", "j"], "annotator": "r", "label": ["a", "b"]})
    with pytest.raises(InputError, match="two categories; the table has 3"):
        estimates(fitted, annotations_from_frame(frame, ["a", "b", "c"]), ["TPR"])


def test_annotators_of_a_replicate_are_a_cluster():
    """By hand: errors .1 and -.1, then .2 and .4, of annotators with truth .5."""
    table = pd.DataFrame(
        {
            "experiment": "e", "method": "M", "metric": "TPR:each", "n": 1,
            "replicate": [0, 0, 1, 1], "annotator": ["a", "b", "a", "b"], "truth": 0.5,
            "estimate": [0.6, 0.4, 0.7, 0.9], "lower": 0.3, "upper": [0.7, 0.7, 0.7, 0.4],
            "diagnostics_passed": [True, True, False, False],
        }
    )  # fmt: skip
    row = summarise(table, ["n"]).iloc[0]
    assert row[["replicates", "undefined", "gate_failures", "intervals"]].tolist() == [2, 0, 1, 4]
    assert row["bias"] == pytest.approx((0 + 0.3) / 2)
    assert row["error"] == pytest.approx((0.1 + 0.3) / 2)
    assert row["error_se"] == pytest.approx(np.std([0.1, 0.3], ddof=1) / np.sqrt(2))
    assert row["error_sd"] == pytest.approx((np.sqrt(0.02) + np.sqrt(0.02)) / 2)
    assert row["coverage"] == pytest.approx((1 + 0.5) / 2)
    assert row["coverage_se"] == pytest.approx(0.25)
    assert np.isnan(row["band_low"])
    alone = summarise(table[table["annotator"] == "a"], ["n"]).iloc[0]
    assert np.isnan(alone["error_sd"])
    assert not np.isnan(alone["band_low"])
