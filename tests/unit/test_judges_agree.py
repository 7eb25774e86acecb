"""Kappa, and the alternative annotator test, against other libraries and numbers by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import false_discovery_control, ttest_1samp
from statsmodels.stats.inter_rater import cohens_kappa, fleiss_kappa

from crowdgold.checking.agreement import (
    agreement,
    between_judges,
    cohen,
    fleiss,
    kappa_gap,
    kappas_with_gold,
    times_drawn,
)
from crowdgold.checking.judges import BY_CHANCES, may_replace
from crowdgold.notebook import check, read
from crowdgold.types.annotations import MISSING
from crowdgold.types.errors import InputError
from unit.made_files import write_votes


def panel(rng: np.random.Generator, right: list[float], n: int = 400) -> tuple:
    """Truth (n,) and labels (n, m) of judges who are right with the chances given."""
    truth = (rng.random(n) < 0.4).astype(int)
    return truth, truth[:, None] ^ (rng.random((n, len(right))) >= right)


def panel_of_two(rng: np.random.Generator, n: int) -> tuple:
    """Truth and labels of two judges: the second errs on fewer items, mostly the first's."""
    truth = (rng.random(n) < 0.4).astype(int)
    hard, own = rng.random(n), rng.random(n)
    wrong = np.column_stack([hard < 0.25, np.where(own < 0.1, own < 0.015, hard < 0.15)])
    return truth, truth[:, None] ^ wrong


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(2601)


def table_of(labels: np.ndarray, kinds: int) -> np.ndarray:
    table = np.zeros((kinds, kinds))
    np.add.at(table, (labels[:, 0], labels[:, 1]), 1)
    return table


def test_kappas_are_those_of_statsmodels(rng):
    """The interval within 10 %: a thousand resamples leave an end uncertain by 4 % of the width."""
    labels = rng.integers(0, 3, (200, 2))
    labels[:80, 1] = labels[:80, 0]
    expected = cohens_kappa(table_of(labels, 3)).kappa
    found = cohen(labels[:, 0], labels[:, 1], rng)
    assert found.value == pytest.approx(expected, abs=1e-12)
    assert found.lower < expected < found.upper
    assert found.items == 200
    _, labels = panel(rng, [0.9, 0.8], 1000)
    known, found = cohens_kappa(table_of(labels, 2)), cohen(labels[:, 0], labels[:, 1], rng)
    assert found.upper - found.lower == pytest.approx(known.kappa_upp - known.kappa_low, rel=0.1)
    counts = rng.multinomial(7, [0.5, 0.3, 0.2], size=60)
    assert fleiss(counts, rng).value == pytest.approx(fleiss_kappa(counts), abs=1e-12)


def test_fleiss_is_near_alpha_and_alone_items_are_left_out(rng):
    _, labels = panel(rng, [0.9, 0.8, 0.7])
    counts = np.stack([(labels == 0).sum(axis=1), (labels == 1).sum(axis=1)], axis=1)
    found = fleiss(np.vstack([counts, [[1, 0]] * 50]), rng)
    assert found.items == 400
    assert found.value == pytest.approx(agreement(counts, rng).alpha, abs=2e-3)


def test_missing_labels_count_for_nothing_and_what_is_not_defined_is_nan(rng):
    _, labels = panel(rng, [0.9, 0.8])
    part = np.where((np.arange(400)[:, None] >= 100) & [False, True], MISSING, labels)
    found = between_judges(part, rng)[0, 1]
    assert found.items == 100
    assert found.value == cohen(labels[:100, 0], labels[:100, 1], rng).value
    same = np.zeros(20, dtype=int)
    assert np.isnan(cohen(same, same, rng).value)
    assert cohen(same, np.full(20, MISSING), rng).items == 0
    assert fleiss(np.array([[1, 0]]), rng).items == 0


def test_agreement_with_gold_orders_judges(rng):
    truth, labels = panel(rng, [0.95, 0.7, 0.5])
    gold = np.where(np.arange(400) < 150, truth, -1)
    good, fair, none = kappas_with_gold(labels, gold, rng)
    assert good.items == 150
    assert good.value > fair.value > none.upper - 0.3
    assert none.lower < 0 < none.upper


@pytest.mark.parametrize("wrong", [0.01, 0.05])
def test_kappas_interval_covers_where_judges_hardly_differ(rng, wrong):
    """Judges who err on 1 % of items, or 5 %, 50 items, 300 studies: 274 or more intervals hold the
    truth (chance of fewer at .95 is .003), and all have a width. The control, resamples of the
    items, cannot hold it where the two agree throughout: at 1 %, in more than 60."""
    _, many = panel(rng, [1 - wrong] * 2, 400_000)
    true, hits, control = cohen(many[:, 0], many[:, 1], rng).value, 0, 0
    for _ in range(300):
        _, labels = panel(rng, [1 - wrong] * 2, 50)
        found = cohen(labels[:, 0], labels[:, 1], rng)
        assert found.lower < found.upper
        hits += found.lower <= true <= found.upper
        agree = (labels[:, 0] == labels[:, 1]).all()
        control += not agree  # all resamples of items on which two judges agree have kappa 1
    assert hits >= 274
    assert control < 240 or wrong > 0.01


def test_judges_on_the_same_items_are_compared_item_by_item(rng):
    """Judges who err on the same items, right in .85 and .75, 100 gold items, 100 studies.

    The interval of the difference holds the truth in .95: 89 or more of 100, chance of fewer .005.
    It tells in more than 10 studies who is better where the two judges' own intervals overlap. The
    control, as many errors on other items, tells more seldom.
    """
    hits, clear, overlap, apart = 0, 0, 0, 0
    gold, table = panel_of_two(np.random.default_rng(1), 200_000)
    true = kappa_gap(table[:, ::-1], gold).value
    for _ in range(100):
        gold, table = panel_of_two(rng, 100)
        one = kappa_gap(table[:, ::-1], gold)
        hits += one.lower <= true <= one.upper
        clear += one.lower > 0
        worse, better = kappas_with_gold(table, gold, rng)
        overlap += one.lower > 0 and better.lower < worse.upper
        other = np.column_stack([table[:, 0], gold ^ rng.permutation(table[:, 1] ^ gold)])
        apart += kappa_gap(other[:, ::-1], gold).lower > 0
    assert hits >= 89
    assert clear > apart + 10
    assert overlap > 10


def test_a_good_judge_may_replace_an_annotator_and_a_poor_one_may_not(rng):
    _, labels = panel(rng, [0.8, 0.8, 0.8, 0.9, 0.55])
    good, poor = (may_replace(labels[:, j], labels[:, :3]) for j in (3, 4))
    assert (good.passes, good.winning_rate) == (True, 1)
    assert (poor.passes, poor.winning_rate) == (False, 0)
    assert good.advantage > poor.advantage


def test_the_statistic_by_hand():
    """30 items: the judge loses on 6, is level on 24: mean d .2, against epsilon .3."""
    loses = np.arange(30) < 6
    found = may_replace(np.where(loses, 0, 1), np.ones((30, 3), dtype=int), epsilon=0.3)
    alone = ttest_1samp(loses.astype(float), 0.3, alternative="less").pvalue
    assert found.p == pytest.approx(false_discovery_control([alone] * 3, method="by"))
    assert found.advantage == pytest.approx(24 / 30)


def test_a_judge_at_the_margin_passes_seldom(rng):
    """At d = epsilon a test rejects with chance .05; corrected, of 200 at most 5 + 3 sd pass."""
    passed = 0
    for _ in range(200):
        judge = np.where(rng.random(100) < 0.2, 0, 1)
        passed += may_replace(judge, np.ones((100, 3), dtype=int)).passes
    assert passed <= 200 * 0.05 + 3 * np.sqrt(200 * 0.05 * 0.95)


def experts_of(rng: np.random.Generator, asked: bool, n: int = 300) -> tuple:
    """Truth, labels of three experts: of all items, or as `sample --second` asks for them; and of a
    judge with TNR .5."""
    truth = rng.random(n) < 0.2
    right = np.where(truth, 0.95, 0.93)[:, None]
    experts = np.where(rng.random((n, 3)) < right, truth[:, None], ~truth[:, None]).astype(int)
    if asked:
        second = (experts[:, 0] == 1) | (rng.random(n) < 0.1)
        third = second & (experts[:, 0] != experts[:, 1])
        experts[~second, 1] = experts[~third, 2] = MISSING
    eager = np.where(rng.random(n) < np.where(truth, 0.95, 0.5), truth, ~truth).astype(int)
    return truth, experts, eager


def test_no_judge_is_tested_where_second_opinions_follow_the_first(rng, tmp_path):
    """A judge with TNR .5 passes in none of 40 studies in which three experts label all items. The
    labels that are asked for would let it pass nearly always: all 40 are refused, and for that."""
    for _ in range(40):
        _, experts, eager = experts_of(rng, asked=False)
        assert not may_replace(eager, experts).passes
        truth, experts, eager = experts_of(rng, asked=True)
        with pytest.raises(InputError, match="second opinions follow the first"):
            may_replace(eager, experts)
    gold = pd.DataFrame(experts, columns=["gold_1", "gold_2", "gold_3"]).astype("Int8")
    gold = gold.mask(gold == MISSING)
    votes = np.column_stack([eager, truth])
    found = check(read(*write_votes(tmp_path, votes, gold))).judges
    assert not found.replaces
    said = "alternative annotator test: none, since second opinions follow"
    assert said in " ".join(found.sentences)


def test_items_that_all_experts_labelled_by_chance_are_tested(rng):
    """Labels of half of the items by all, of the others by one: refused for chance in 5 % of
    studies at most (16 of 200: chance of more .02), else the test is that of the half. One more
    expert who settles what the others differ on is left out."""
    refused = 0
    for study in range(200):
        truth, experts, _ = experts_of(rng, asked=False)
        judge = truth ^ (rng.random(300) < 0.05)
        half = rng.permutation(300) < 150
        part = np.where(half[:, None] | (np.arange(3) == 0), experts, MISSING)
        try:
            found = may_replace(judge.astype(int), part)
        except InputError:
            refused += 1
            continue
        alone = may_replace(judge[half].astype(int), experts[half])
        np.testing.assert_allclose(found.p, alone.p)
        if study < 10:
            differ = experts.min(axis=1) < experts.max(axis=1)
            more = np.column_stack([experts, np.where(differ, truth, MISSING)])
            settled = may_replace(judge.astype(int), more).p
            np.testing.assert_allclose(settled[:3], may_replace(judge.astype(int), experts).p)
            assert np.isnan(settled[3])
    assert refused <= 16


def test_too_few_annotators_or_items_are_refused(rng):
    truth, experts, _ = experts_of(rng, asked=False)
    experts[29:, 2] = MISSING
    _, labels = panel(rng, [0.8] * 4, 20)
    for judge, others, said in (
        (truth.astype(int), experts, "found 2 annotators with 30 labels"),
        (labels[:, 0], labels[:, 1:3], "found 2 annotators, expected 3"),
        (labels[:, 0], labels[:, 1:], "found 0 annotators with 30 labels"),
    ):
        with pytest.raises(InputError, match=said):
            may_replace(judge, others)


def test_a_check_says_what_votes_are_worth(tmp_path):
    """Three judges, one a copy, 60 gold labels: told in words, and by judge."""
    truth, labels = panel(np.random.default_rng(26), [0.9, 0.8, 0.7], 200)
    labels[:, 2] = labels[:, 1]
    found = check(read(*write_votes(tmp_path, labels, truth[:60]))).judges
    told, shared = " ".join(found.sentences), found.shared
    assert found.between["judge1 and judge2"].value == 1
    assert shared.pairs[1, 2] == pytest.approx(1)
    assert "most alike in their errors: judge1 and judge2" in told
    assert "Cohen's kappa with gold: judge0" in told
    assert [one.split(" with those of ")[0] for one in found.each_two] == [
        "errors of judge1", "errors of judge2",
    ]  # fmt: skip
    lower, upper = shared.pairs_lower[1, 0], shared.pairs_upper[1, 0]
    assert f"judge0 {shared.pairs[1, 0]:.2f} ({lower:.2f} to {upper:.2f})" in found.each_two[0]
    assert list(found.most_alike) == ["judge1 and judge2"]
    (names,) = found.gap
    assert names.startswith("judge0 less judge")
    assert f"{names}, on the same 60 items" in told
    assert not found.replaces


def test_judges_who_err_apart_are_not_called_alike(tmp_path):
    """Three judges, each wrong on items of its own."""
    truth = np.arange(90) % 2
    labels = truth[:, None] ^ (np.arange(90)[:, None] % 9 == np.array([0, 3, 6]))
    found = check(read(*write_votes(tmp_path, labels, truth))).judges
    assert found.shared.effective.value > 3
    told = " ".join(found.sentences)
    assert "no two judges are alike in their errors, the nearest to it are" in told
    assert "most alike" not in told


def test_ranges_without_gold_leave_out_a_judge_who_votes_against_the_others(tmp_path):
    """Random draws differ, which moves an end by some .01; with the judge there is no answer."""
    _, labels = panel(np.random.default_rng(27), [0.85, 0.85, 0.85, 0.85], 600)
    labels[:, 3] = 1 - labels[:, 3]
    whole, others = (
        check(read(*write_votes(tmp_path, labels[:, :judges]))).judges for judges in (4, 3)
    )
    one, other = whole.ranges.prevalence, others.ranges.prevalence
    assert (one.lower, one.upper) == pytest.approx((other.lower, other.upper), abs=0.02)
    assert (whole.contrary, others.contrary) == (("judge3",), ())


def test_a_check_says_that_gold_counts_by_its_chances(tmp_path):
    """The same labels with chances and without: other numbers, and a sentence that says so."""
    rng = np.random.default_rng(31)
    truth, labels = panel(rng, [0.9, 0.8, 0.7], 300)
    chance = np.where(labels.sum(axis=1) % 3 > 0, 0.8, 0.2)
    known = rng.random(300) < chance
    gold = pd.DataFrame({"gold": pd.Series(truth).where(known).astype("Int8")})
    plain, drawn = (
        check(read(*write_votes(tmp_path, labels, one)))
        for one in (gold, gold.assign(gold_probability=chance))
    )
    assert drawn.judges.sentences[-1] == BY_CHANCES
    assert BY_CHANCES not in plain.judges.sentences
    weight, positive = (1 / chance)[known], truth[known] == 1
    right = (labels.sum(axis=1) > 1)[known][positive]
    expected = np.average(right, weights=weight[positive])
    assert drawn.majority_right[0] == pytest.approx(expected)
    assert plain.majority_right[0] == pytest.approx(right.mean())
    of_first = (labels[:, 0] == truth)[known]
    assert drawn.judges.with_gold[0].value > plain.judges.with_gold[0].value + 0.02
    assert np.average(of_first, weights=weight) > of_first.mean()
    assert drawn.judges.shared.effective.value != plain.judges.shared.effective.value


def in_clusters(rng: np.random.Generator, number: int = 60, size: int = 5) -> tuple:
    """Clusters, labels (n, 3) and counts of labels; judges agree in a cluster throughout or not."""
    cluster = np.repeat(np.arange(number), size)
    hard = (rng.random(number) < 0.4)[cluster]
    truth = rng.random(len(cluster)) < 0.5
    wrong = (rng.random((len(cluster), 3)) < 0.5) & hard[:, None]
    labels = (truth[:, None] ^ wrong).astype(int)
    return cluster, labels, np.stack([(labels == one).sum(axis=1) for one in (0, 1)], axis=1)


def agreements(labels, counts, rng, cluster=None) -> np.ndarray:
    """Ends of Krippendorff's, Fleiss's and Cohen's agreement, (3, 2)."""
    found = (agreement(counts, rng, cluster=cluster), fleiss(counts, rng, cluster),
             between_judges(labels, rng, cluster)[0, 1])  # fmt: skip
    return np.array([(one.lower, one.upper) for one in found])


def test_intervals_of_agreement_hold_where_items_belong_together(rng):
    """Of 200 studies of 60 clusters: each of three intervals holds the agreement of 40,000 clusters
    in at least .95 less three binomial deviations (.90), and the control, without the clusters, in
    fewer than .85 (the variance is some three times as large)."""
    _, labels, counts = in_clusters(rng, 40_000)
    truth = np.array([agreement(counts, rng, resamples=2).alpha, fleiss(counts, rng).value,
                      cohen(labels[:, 0], labels[:, 1], rng).value])  # fmt: skip
    held = np.zeros((2, 3))
    for _ in range(200):
        cluster, labels, counts = in_clusters(rng)
        for place, known in enumerate((cluster, None)):
            lower, upper = agreements(labels, counts, rng, known).T
            held[place] += (lower <= truth) & (truth <= upper)
    assert np.all(held[0] >= 180), held
    assert np.all(held[1] < 170), held


def test_clusters_of_one_item_change_no_agreement_and_two_clusters_give_no_interval(rng):
    cluster, labels, counts = in_clusters(rng)
    own = np.random.default_rng(5).permutation(len(cluster))
    found = [agreements(labels, counts, np.random.default_rng(6), one) for one in (None, own)]
    np.testing.assert_array_equal(*found)
    cluster, labels, counts = in_clusters(rng, 2, 50)
    assert np.isnan(agreements(labels, counts, rng, cluster)).all()


def test_judges_who_agree_throughout_have_an_interval_but_not_of_clusters(rng):
    """Of 25 items the two may still differ on others. Of clusters all resamples are the same."""
    labels = (np.arange(25) < 11).astype(int)
    found = cohen(labels, labels, rng)
    assert found.value == found.upper == 1
    assert 0.6 < found.lower < 0.95
    together = cohen(labels, labels, rng, np.arange(25) // 2)
    assert together.value == 1
    assert np.isnan([together.lower, together.upper]).all()
    counts = np.stack([3 * (1 - labels), 3 * labels], axis=1)
    assert np.isnan(fleiss(counts, rng).lower)


def test_a_resample_has_whole_clusters(rng, monkeypatch):
    """Each cluster has items of its own kind, so that their numbers come in whole clusters, in
    blocks of any size."""
    monkeypatch.setattr("crowdgold.checking.agreement.MOST_NUMBERS", 25)
    cluster = np.repeat(np.arange(4), [1, 2, 3, 4])
    drawn = times_drawn(cluster, 4, cluster, rng, 50)
    assert drawn.shape == (50, 4)
    assert np.all(drawn % [1, 2, 3, 4] == 0)
    np.testing.assert_array_equal((drawn / [1, 2, 3, 4]).sum(axis=1), 4)


def test_check_compares_clusters_in_all_agreements(rng, tmp_path):
    """The intervals of votes, judges and experts are those of clusters, and wider than without."""
    cluster, labels, _ = in_clusters(rng)
    gold = pd.DataFrame({"item": range(len(cluster)), "x": labels[:, 0], "y": labels[:, 1]})
    paths = write_votes(tmp_path, labels, gold.melt("item", ["x", "y"], "expert", "label"))
    gold[["item"]].assign(cluster=cluster).to_csv(tmp_path / "clusters.csv", index=False)
    widths = []
    for used in (paths, [*paths, tmp_path / "clusters.csv"]):
        found = check(read(*used))
        own = (found.agreement, found.expert_agreement, found.judges.fleiss,
               *found.judges.between.values())  # fmt: skip
        widths.append([one.upper - one.lower for one in own])
    assert len(widths[0]) == 6
    assert np.all(np.array(widths[1]) > 1.15 * np.array(widths[0])), widths
