"""The generator of judgements, the methods on it, and the published simulation with its slips.

Monte Carlo comparisons are judged in standard errors of the number compared: at most 5. Seeds are
fixed.
"""

import numpy as np
import pytest

from crowdgold.experiment.summaries import coverage_band
from crowdgold.inference.agents import evaluate_annotations
from crowdgold.inference.labels import power_tuned_rate
from crowdgold.methods.judge_error import Groups, judgement_counts
from crowdgold.methods.registry import fit
from crowdgold.models.judge_error import JudgementCounts, correct_rate
from crowdgold.papers.judge_error.simulation import (
    CORRECTED,
    NAIVE,
    Truth,
    compute_judge_error_simulation,
    simulate_estimates,
)
from crowdgold.simulate import simulate
from crowdgold.types.errors import InputError

POST = {"n": 1000, "prevalence": 0.7, "tpr": 0.9, "tnr": 0.95}
BY_CLASS = POST | {"design": "by_class", "gold_positives": 200, "gold_negatives": 200}
TRUTH = Truth(0.7, 0.9, 0.95, 1000, 200, 200)


def draw(parameters, seed=1):
    return simulate("judge_error", parameters, np.random.default_rng(seed))


def test_both_rates_have_one_name():
    """The same numbers are drawn by either name; a slip names its mend."""
    given = {"n": 50, "prevalence": 0.3, "design": "random", "n_gold": 10}
    two, one = draw(given | {"tpr": 0.8, "tnr": 0.9}), draw(given | {"quality": "0.8-0.9"})
    assert one.parameters == two.parameters
    assert (one.table.label == two.table.label).all()
    with pytest.raises(InputError, match=r"'tpr': found 0.8, expected only one of tpr and quality"):
        draw(given | {"tpr": 0.8, "quality": "0.8-0.9"})
    with pytest.raises(InputError, match=r"'quality': found '0.8', expected TPR and TNR as text"):
        draw(given | {"quality": "0.8"})


def assert_share(found, expected, size):
    assert abs(found - expected) < 5 * np.sqrt(expected * (1 - expected) / size)


@pytest.mark.parametrize(
    ("design", "within", "gold_rate"),
    [
        ({"design": "random", "n_gold": 20_000}, True, 0.3),
        ({"design": "separate", "n_gold": 20_000}, False, 0.3),
        ({"design": "separate", "n_gold": 20_000, "gold_prevalence": 0.6}, False, 0.6),
        ({"design": "by_class", "gold_positives": 8_000, "gold_negatives": 12_000}, False, 0.4),
    ],
)
def test_judgements_and_gold_labels_have_their_rates(design, within, gold_rate):
    found = draw({"n": 60_000, "prevalence": 0.3, "tpr": 0.8, "tnr": 0.9, **design})
    counts = judgement_counts(found.table, Groups(), np.random.default_rng(2))
    counts.check()
    assert counts.judged == 60_000
    assert counts.within == within
    assert_share(counts.positive / 60_000, 0.3 * 0.8 + 0.7 * 0.1, 60_000)
    assert_share(counts.gold_positives / 20_000, gold_rate, 20_000)
    assert_share(counts.true_positives / counts.gold_positives, 0.8, counts.gold_positives)
    assert_share(counts.true_negatives / counts.gold_negatives, 0.9, counts.gold_negatives)
    assert found.parameters == {"prevalence": 0.3, "TPR:judges": 0.8, "TNR:judges": 0.9}


def test_several_judges_label_each_item():
    table = draw(POST | {"design": "random", "n_gold": 100, "n_labels": 3}).table
    assert list(table.annotator) == ["J1", "J2", "J3", "expert"]
    assert sorted(set(table.labels_of_item)) == [3, 4]
    gold = table.group[table.group_of] == "gold"
    assert gold.sum() == 100
    assert (table.label[gold] == table.truth[table.item_of[gold]]).all()


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"tnr": 0.1}, "'tnr': found 0.1, expected more than 1 - tpr, which is 0.1"),
        ({"tpr": 1.2}, "'tpr': found 1.2, expected a number from 0 to 1"),
        ({"n_gold": 5}, "no parameter 'n_gold'"),
        ({"design": "randomly"}, "'randomly'; did you mean 'random'"),
        ({"design": "random", "gold_positives": 1}, "no parameter 'gold_positives'"),
    ],
)
def test_impossible_parameters_are_named(changes, why):
    with pytest.raises(InputError, match=why):
        draw(BY_CLASS | changes)


def test_the_variance_is_that_of_the_estimates():
    """In both designs, over 4,000 tables of counts: the spread of the estimates against their mean
    standard error, within 5 of the deviation's errors, 1 / sqrt(2 R), and 2 % for the delta method.
    """
    rng, size = np.random.default_rng(3), 4000
    cells = np.array([0.4 * 0.85, 0.4 * 0.15, 0.6 * 0.9, 0.6 * 0.1])
    gold, rest = rng.multinomial(300, cells, size), rng.multinomial(500, cells, size)
    whole = gold + rest
    within = JudgementCounts(whole[:, 0] + whole[:, 3], np.full(size, 800), *gold.T, within=True)
    apart = JudgementCounts(rest[:, 0] + rest[:, 3], np.full(size, 500), *gold.T)
    for counts in (within, apart):
        found = correct_rate(counts, outside="keep")
        ratio = found.estimate.std() / np.sqrt((found.standard_error**2).mean())
        assert abs(ratio - 1) < 5 / np.sqrt(2 * size) + 0.02
    # Control: the printed variance, of gold on other items, is too large where they are the same.
    wrong = correct_rate(JudgementCounts(**{**vars(within), "within": False}), outside="keep")
    ratio = correct_rate(within, outside="keep").estimate.std() / wrong.standard_error.mean()
    assert ratio < 1 - 5 / np.sqrt(2 * size) - 0.02


def test_methods_cover_on_the_same_data():
    """200 replicates with gold labels drawn at random: coverage within its binomial band at 3.5
    deviations; the majority vote, which takes judgements for the truth, is the control below it."""
    methods = ["MV", "Rogan-Gladen", "Rogan-Gladen-adjusted", "Rogan-Gladen-Bayes", "PPI++"]
    settings = {"MV": {"judges": "judges"}}
    covered, width = np.zeros(len(methods)), np.zeros(len(methods))
    for replicate in range(200):
        drawn = draw(POST | {"design": "random", "n_gold": 150}, seed=replicate)
        rng = np.random.default_rng([replicate, 1])
        for place, method in enumerate(methods):
            fitted = fit(method, drawn.table, rng, settings.get(method, {}))
            (one,) = evaluate_annotations(fitted, drawn.table, ["prevalence"], rng, 0.95, 200)
            covered[place] += one.lower <= 0.7 <= one.upper
            width[place] += one.upper - one.lower
    low, high = coverage_band(200, 0.95)
    assert covered[0] / 200 < low
    assert (low <= covered[1:] / 200).all()
    assert (covered[1:] / 200 <= high).all()
    # What gold says of p itself is used by the posterior and by PPI++, not by Rogan and Gladen.
    assert width[3] < width[1]
    assert width[4] < width[1]


def test_gold_on_another_set_is_refused_by_those_who_cannot_use_it():
    table = draw(BY_CLASS).table
    for method in ("PPI++", "MAVEN-votes"):
        with pytest.raises(InputError, match="needs gold labels of items drawn at random"):
            fit(method, table, np.random.default_rng(1))
    with pytest.raises(InputError, match="there are none"):
        power_tuned_rate(JudgementCounts(5, 10, 0, 0, 0, 0, within=True), 0.95)


def test_tables_without_the_groups_are_refused():
    table = simulate(
        "clara",
        {"n": 20, "prevalence": 0.5, "n_reviewers": 3, "tpr": 0.9, "tnr": 0.9},
        np.random.default_rng(1),
    ).table
    with pytest.raises(InputError, match="judges: no group 'judges'; the table has ''"):
        fit("Rogan-Gladen", table, np.random.default_rng(1))


def test_what_cannot_be_estimated_says_why():
    table = draw(POST | {"design": "random", "n_gold": 1}).table
    fitted = fit("Rogan-Gladen", table, np.random.default_rng(1))
    first, second = evaluate_annotations(
        fitted, table, ["prevalence", "TPR:judges"], np.random.default_rng(1), 0.95, 10
    )
    assert np.isnan(first.estimate)
    assert [note.code for note in first.notes] == ["no_rate"]
    assert [note.code for note in second.notes] == ["estimates_others"]


def test_the_exact_simulation_is_what_theory_says():
    """Naive: mean 0.645 and MSE 0.055^2 + 0.645 0.355 / n; the errors are those of 40,000 draws."""
    size = 40_000
    found = simulate_estimates(TRUTH, "exact", size, None, np.random.default_rng(7))
    naive, _ = found[NAIVE]
    spread = 0.645 * 0.355 / 1000
    assert abs(naive.mean() - 0.645) < 5 * np.sqrt(spread / size)
    squares = (naive - 0.7) ** 2
    assert abs(squares.mean() - 0.055**2 - spread) < 5 * squares.std() / np.sqrt(size)
    estimate, error = found[CORRECTED]
    inside = np.abs(estimate - 0.7) < 1.96 * error
    low, high = coverage_band(size, 0.95)
    assert low <= inside.mean() <= high + 0.002  # the delta method's own error


def test_a_shared_draw_shifts_the_naive_mean_and_hides_its_noise():
    """With 11 false positives in every simulation the mean is 0.63 + 0.011: the printed 0.641, and
    the printed MSE, 0.0037. The variance loses that of the false positives."""
    size = 40_000
    naive, _ = simulate_estimates(TRUTH, "published", size, 11, np.random.default_rng(8))[NAIVE]
    expected = 0.63 * 0.37 / 1000
    assert abs(naive.mean() - 0.641) < 5 * np.sqrt(expected / size)
    assert abs(naive.var() / expected - 1) < 5 * np.sqrt(2 / size)
    assert round(float(((naive - 0.7) ** 2).mean()), 4) == 0.0037
    means = [
        simulate_estimates(TRUTH, "shared_draw", 400, None, np.random.default_rng(seed))[NAIVE][0]
        for seed in range(40)
    ]
    # From run to run the mean moves by sqrt(300 0.05 0.95) / 1000 and not by its Monte Carlo error.
    assert np.std([one.mean() for one in means]) > 3 * np.sqrt(spread_of_mean(400))


def spread_of_mean(size):
    return 0.645 * 0.355 / 1000 / size


def test_the_true_quality_hardly_changes_the_variance():
    rng = [np.random.default_rng(9) for _ in range(2)]
    (one, error), (other, slipped) = (
        simulate_estimates(TRUTH, variant, 5000, None, own)[CORRECTED]
        for variant, own in zip(("exact", "true_quality"), rng, strict=True)
    )
    assert (one == other).all()
    assert (error != slipped).any()
    assert np.abs(slipped / error - 1).max() < 0.05


def test_the_check_gives_a_summary_and_a_histogram():
    given = TRUTH._asdict() | {"variant": "exact", "simulations": 2000}
    table = compute_judge_error_simulation(given, np.random.default_rng(1))
    bins = table[table["quantity"] == "bin"]
    assert bins.groupby("estimator")["value"].sum().to_numpy() == pytest.approx([1, 1])
    kept = table[table["quantity"] != "bin"]
    assert set(kept["quantity"]) == {"mean", "sd", "mse", "coverage", "reach"}
    for estimator, rows in bins.groupby("estimator"):
        mean = kept[(kept["estimator"] == estimator) & (kept["quantity"] == "mean")]["value"].item()
        assert abs((rows["low"] * rows["value"]).sum() + 0.0025 - mean) < 0.0026
