"""Items that belong together: the variance by clusters, degrees of freedom, folds, resamples."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from crowdgold.experiment.data_tables import row_of, table_of
from crowdgold.inference.design import Clustered, drawn_from, sample_of_population
from crowdgold.inference.estimate import Questions, View
from crowdgold.inference.labels import Fit, FixedLabels, MeanPrediction, draw_times, evaluate
from crowdgold.inference.rectified import rectify
from crowdgold.methods.registry import fit
from crowdgold.metrics.binary import parse_metric
from crowdgold.metrics.metric import RankedItems
from crowdgold.models.logistic import cross_fit, features
from crowdgold.simulate import simulate
from crowdgold.simulate.design import CLUSTERS, SIMPLE, draw_clusters, draw_gold
from crowdgold.types.errors import InputError
from crowdgold.types.gold_draw import GoldDraw, check_draw, whole_clusters
from crowdgold.types.items import NO_GOLD, items_from_frame
from crowdgold.types.notes import Note
from unit.reference import make_items
from unit.test_designed_gold import drawn, estimates

IRT = {
    "votes_total": 3, "phi": 0.3, "mu_s": 3.0, "sigma_s": 2.0, "mu_d": 0.5, "sigma_d": 2.0,
    "offset": -1.0, "n_voters": 100, "n_gold": 0, "cluster_size": 5, "cluster_correlation": 0.5,
    "predictors": {"A": {"mu": 1.5, "delta": 1.0}, "B": {"mu": 0.75, "delta": 1.0}},
}  # fmt: skip


def table(n=1000, seed=0, **changed):
    """Items in clusters of 5 that are alike, with their truth; no gold."""
    return simulate("irt", IRT | {"n": n} | changed, np.random.default_rng([71, seed])).table


def uneven(items, seed=0):
    """The same items in clusters of 1 to 8."""
    size = np.random.default_rng(seed).integers(1, 9, len(items))
    return replace(items, cluster=np.repeat(np.arange(len(items)), size)[: len(items)])


def whole():
    """60 of 200 clusters have gold labels of all their items."""
    return draw_gold(table(), CLUSTERS, 300, np.random.default_rng(3))


def of_gold(items):
    """Which items have a gold label, their labels and their clusters."""
    gold = items.gold != NO_GOLD
    return gold, items.gold[gold].astype(float), items.cluster[gold]


def sandwich(residuals, cluster):
    """Variance of a sum of residuals by clusters: (G - 1) / G sum_c (sum_i r_i / (1 - s_c))^2, s_c
    the cluster's share of the items; of a mean this is the jackknife's by clusters.
    """
    sums, number = [], len(np.unique(cluster))
    for one in np.unique(cluster):
        own = cluster == one
        sums.append(residuals[own].sum() / (1 - own.mean()))
    return (number - 1) / number * np.square(sums).sum()


def mean_if_flipped(y):
    """What each label adds to their mean were it the other one, by deleting a trace t = 1 / (2 (n +
    1)) of it; an entry of share w moves the mean by w of what all of it would.
    """
    size, trace = len(y), 0.5 / (len(y) + 1)
    mean = ((1 - trace) * y + trace * (1 - y)).mean()

    def adds(label, share):
        without = (size * mean - share * label) / (size - share)
        return (size - 1) * (mean - without) / share

    return adds(1 - y, trace) - adds(y, 1 - trace).mean()


def imagined(own, other):
    """What one more label of either class adds to the variance of a sum, by hand."""
    number = len(own)
    squares = ((own - own.mean()) ** 2 + (other - own.mean()) ** 2).sum()
    return (number / (number + 1)) ** 2 * squares / 2 / number


def going_together(own, cluster):
    """How many times as much a label counts as in a sample of items: squares of clusters' sums over
    those of items, from 1 to a cluster's size, with one more whose items go together.
    """
    names = np.unique(cluster)
    squares = sum(own[cluster == one].sum() ** 2 for one in names) / (own**2).sum()
    size = len(own) / len(names)
    return (len(names) * min(max(squares, 1), size) + size) / (len(names) + 1)


def imagined_in_clusters(own, other, cluster):
    return imagined(own, other) * going_together(own, cluster)


@pytest.mark.parametrize("method", ["GT", "votes-R", "logistic-R"])
@pytest.mark.parametrize("design", ["simple", "strata", "poisson"])
@pytest.mark.parametrize("target", ["items", "population"])
@pytest.mark.parametrize("guessed", [True, False])
def test_clusters_of_one_item_change_nothing(design, target, method, guessed, request):
    """Points, errors and ends of every metric, with and without what is imagined and expected."""
    if not guessed:
        request.getfixturevalue("nothing_imagined")
        request.getfixturevalue("nothing_expected")
    items = drawn(design)
    single = replace(items, cluster=np.random.default_rng(0).permutation(400))
    both = (estimates(one, method, target) for one in (items, single))
    for plain, same in zip(*both, strict=True):
        values = [(e.estimate, e.standard_error, e.lower, e.upper) for e in (plain, same)]
        np.testing.assert_allclose(*values, rtol=1e-9, atol=1e-12, err_msg=plain.metric)


@pytest.mark.usefixtures("nothing_imagined")
@pytest.mark.parametrize("design", [SIMPLE, CLUSTERS])
def test_the_prevalence_of_gold_alone_is_the_textbooks_cluster_sample(design):
    """To rounding, but where items drawn one by one have by chance fewer pairs than expected."""
    items = draw_gold(uneven(table()), design, 300, np.random.default_rng(3))
    gold, y, cluster = of_gold(items)
    expected = sandwich((y - y.mean()) / len(y), cluster)
    without = [y[cluster != one].mean() - y.mean() for one in np.unique(cluster)]
    assert expected == pytest.approx((1 - 1 / len(without)) * np.square(without).sum())
    (found,) = estimates(items, "GT", "population", ["prevalence"])
    assert found.estimate == pytest.approx(y.mean(), abs=1e-12)
    few = whole_clusters(items.cluster, gold, None).ratio > 1
    assert found.standard_error == pytest.approx(np.sqrt(expected), rel=0.03 if few else 1e-9)
    assert few == (design == SIMPLE)


def test_whole_clusters_of_a_finite_table_leave_the_share_that_was_not_drawn():
    """(1 - f) of the sandwich and of what one more cluster adds."""
    items = whole()
    _, y, cluster = of_gold(items)
    own, other = (y - y.mean()) / len(y), mean_if_flipped(y) / len(y)
    expected = 0.7 * (sandwich(own, cluster) + imagined_in_clusters(own, other, cluster))
    (found,) = estimates(items, "GT", "items", ["prevalence"])
    assert found.standard_error == pytest.approx(np.sqrt(expected), rel=1e-9)


def test_a_ratio_is_linearised_as_the_textbook_does():
    """Precision at .5: residuals x (y - R) / sum(x) by cluster, the jackknife's within 3 %."""
    items = draw_gold(uneven(table(2000)), CLUSTERS, 600, np.random.default_rng(3))
    gold, y, cluster = of_gold(items)
    x = (items.scores["A"][gold] >= 0.5).astype(float)
    ratio = (x * y).sum() / x.sum()
    expected = sandwich(x * (y - ratio) / x.sum(), cluster)
    (found,) = estimates(items, "GT", "population", ["precision:A@0.5"])
    assert found.estimate == pytest.approx(ratio, abs=1e-12)
    assert found.standard_error == pytest.approx(np.sqrt(expected), rel=0.03)


def test_over_all_samples_of_whole_clusters_the_variance_is_that_of_the_estimates():
    """All 126 samples of 4 of 9 clusters of 3 items: the mean variance is that of the means."""
    y = np.random.default_rng(1).permutation(np.repeat([1, 0], [11, 16])).reshape(9, 3)
    y = np.sort(y.ravel()).reshape(9, 3)[:, np.argsort([1, 0, 2])]  # alike within clusters
    truth, cluster = y.ravel(), np.repeat(np.arange(9), 3)
    items = make_items(np.ones(27, dtype=int), 2, NO_GOLD, {"A": np.arange(27.0)}, truth=truth)
    found = []
    for chosen in combinations(range(9), 4):
        rows = np.flatnonzero(np.isin(cluster, chosen))
        one = replace(items.with_gold(np.isin(cluster, chosen)), cluster=cluster)
        _, design = drawn_from(View(one, "A"), rows)
        mean = truth[rows].mean()
        deviations = design.deviations((truth[rows] - mean)[:, None])
        squared = design.left * (deviations**2).sum() / (len(deviations) - 1) / design.size
        found.append((mean, squared))
    means, squared = np.array(found).T
    assert squared.mean() == pytest.approx(means.var(), rel=1e-9)


def test_the_correction_of_a_prediction_counts_by_clusters(request):
    """About these items, f = .3: (1 - f) of the sandwich of y - lambda g and of what one more label
    adds. About the population, but for that label, f of the sandwich of y too."""
    items = whole()
    gold, y, cluster = of_gold(items)
    share = items.votes_positive / items.votes_total
    found = rectify(share, View(items, "A"), Questions((parse_metric("prevalence"),)), "items")
    weight = found.weight
    guessed = weight * (share[gold] - share[gold].mean())
    left, other = (y - y.mean() - guessed) / 300, (mean_if_flipped(y) - guessed) / 300
    # Without what the prediction expects, which counts where it is more.
    found = replace(found, expected=np.zeros_like(found.expected))
    expected = 0.7 * (sandwich(left, cluster) + imagined_in_clusters(left, other, cluster))
    assert found.error(weight)[0] == pytest.approx(np.sqrt(expected), rel=1e-9)
    request.getfixturevalue("nothing_imagined")
    expected = 0.7 * sandwich(left, cluster) + 0.3 * sandwich((y - y.mean()) / 300, cluster)
    found = replace(found, target="population")
    assert found.error(weight)[0] == pytest.approx(np.sqrt(expected), rel=1e-9)


def test_how_far_gold_comes_by_whole_clusters():
    items = table(4000)
    by = [draw_gold(items, one, 400, np.random.default_rng(1)).gold >= 0
          for one in (CLUSTERS, SIMPLE)]  # fmt: skip
    two = np.zeros(4000, dtype=bool)
    two[[5 * one + k for one in range(0, 800, 4) for k in (0, 1)]] = True
    every, single, some = (whole_clusters(items.cluster, gold, None).share for gold in (*by, two))
    assert every == 1
    assert single < 0.3
    assert 0.1 < some < 0.9


@pytest.mark.usefixtures("nothing_imagined")
def test_one_gold_item_of_each_cluster_says_nothing_of_likeness_and_takes_the_worst():
    """About the population: S / n (1 + f (m - 1)), as if all items of a cluster were the same."""
    items = table()
    first = np.flatnonzero(np.arange(1000) % 5 == 0)[:150]
    items = items.with_gold(np.isin(np.arange(1000), first))
    y = items.gold[first].astype(float)
    (found,) = estimates(items, "GT", "population", ["prevalence"])
    expected = y.var(ddof=1) / 150 * (1 + 0.15 * 4)
    assert found.standard_error == pytest.approx(np.sqrt(expected), rel=1e-9)


@pytest.mark.parametrize("design", [SIMPLE, CLUSTERS])
def test_labels_that_are_taken_for_the_truth_are_a_cluster_sample_of_the_population(design):
    """The sandwich of all labels, and what one more label adds."""
    items = draw_gold(table(), design, 100, np.random.default_rng(3))
    labels = items.truth.astype(np.int8)
    (found,) = evaluate(
        Fit("MV", FixedLabels(labels)), items, ["prevalence"], np.random.default_rng(1)
    )
    own, other = (labels - labels.mean()) / 1000, mean_if_flipped(labels.astype(float)) / 1000
    expected = sandwich(own, items.cluster) + imagined_in_clusters(own, other, items.cluster)
    assert found.standard_error == pytest.approx(np.sqrt(expected), rel=1e-9)
    assert isinstance(sample_of_population(View(items, "A")), Clustered)


def test_power_tuned_means_count_by_clusters():
    """AutoEval with a prediction that says nothing: the sandwich of the gold labels."""
    items = whole()
    fitted = Fit("AutoEval", MeanPrediction({"A": np.full(1000, 0.5)}))
    (found,) = evaluate(fitted, items, ["prevalence"], np.random.default_rng(1))
    _, y, cluster = of_gold(items)
    expected = sandwich((y - y.mean()) / 300, cluster)
    assert found.estimate == pytest.approx(y.mean(), abs=1e-12)
    assert found.standard_error == pytest.approx(np.sqrt(expected), rel=1e-9)


def test_degrees_of_freedom_are_those_of_clusters():
    """60 gold items in 12 clusters of 5; positives in 4 of them."""
    items = draw_gold(table(), CLUSTERS, 60, np.random.default_rng(3))
    rows = np.flatnonzero(items.gold != NO_GOLD)
    known, design = drawn_from(View(items, "A"), rows)
    deviations = design.deviations(np.random.default_rng(1).normal(size=(60, 2)))
    np.testing.assert_allclose(design.freedom(deviations, np.array([4.0, 12.0])), [33**0.5, 11])
    # Those of the spread are of what the 12 clusters add.
    sums = deviations[-12:]
    kurtosis = 12 * (sums**4).sum(axis=0) / (sums**2).sum(axis=0) ** 2
    expected = np.minimum(2 * 12 / (kurtosis - 1), 11)
    np.testing.assert_allclose(design.as_found(deviations), expected)
    ranked = known.ranking()
    first = np.unique(items.cluster[rows])[:4]
    labels = np.isin(items.cluster[rows], first).astype(int)
    counted = Questions((parse_metric("TPR_H"), parse_metric("TNR_H"))).counted
    assert counted(labels, ranked).tolist() == [4, 8]
    # Of unequal size they count for fewer: (5 + 1)^2 / (25 + 1).
    labels = labels * (items.cluster[rows] == first[0])
    labels[np.flatnonzero(items.cluster[rows] == first[1])[0]] = 1
    kish = counted(labels, ranked, np.ones(60))[0]
    assert kish == pytest.approx(36 / 26)


def test_points_of_curves_count_clusters():
    """20 clusters of 5 of one label ranked together: 2 at the lowest recalls, 10 at most."""
    labels, cluster = np.repeat(np.arange(20) % 2, 5), np.repeat(np.arange(20), 5)
    known = make_items(np.ones(100, dtype=int), 2, labels, {"A": -np.arange(100.0)})
    counted, found = Questions((), curves=True).counted, []
    for one in (known, replace(known, cluster=cluster)):
        ranked = RankedItems.of(one, "A")
        found.append(counted(labels, ranked))
        np.testing.assert_allclose(counted(labels, ranked, np.ones(100)), found[-1], atol=1)
    items, clusters = found
    assert (clusters.min(), clusters.max(), items.max()) == (2, 10, 50)
    assert items.min() > 5


def test_a_metric_of_two_clusters_has_no_interval():
    items = table().with_gold(np.arange(1000) < 10)
    (found,) = estimates(items, "GT", "population", ["prevalence"])
    assert np.isnan(found.lower)
    few = {"number": 2, "units": "clusters of gold items"}
    assert found.notes == (Note("vague"), Note("rests_on_few", few))


def test_items_of_a_cluster_are_in_one_fold():
    """Another label of an item moves no prediction of its siblings, but without the column."""
    items = draw_gold(table(), CLUSTERS, 200, np.random.default_rng(3))
    columns, rows = features(items), np.flatnonzero(items.gold != NO_GOLD)
    siblings = rows[items.cluster[rows] == items.cluster[rows[0]]]
    others = items.gold.copy()
    others[siblings[0]] = 1 - others[siblings[0]]
    for cluster, moves in ((items.cluster, False), (None, True)):
        one, two = (cross_fit(columns, replace(items, gold=gold, cluster=cluster))
                    for gold in (items.gold, others))  # fmt: skip
        assert (np.abs(one - two)[siblings[1:]].max() > 1e-6) == moves
        assert np.abs(one - two)[rows].max() > 1e-6
    gold = np.where(np.isin(np.arange(1000), siblings), items.gold, NO_GOLD)
    with pytest.raises(InputError, match="2 of different clusters; the table has 1"):
        cross_fit(columns, replace(items, gold=gold))


def test_resamples_are_of_whole_clusters():
    items = draw_gold(uneven(table()), CLUSTERS, 200, np.random.default_rng(3))
    rng = np.random.default_rng(1)
    times = draw_times(1000, rng, items.cluster)
    rows = np.flatnonzero(items.gold != NO_GOLD)
    _, design = drawn_from(View(items, "A"), rows)
    for values, cluster in ((times, items.cluster), (design.times(rng), items.cluster[rows])):
        per = [np.ptp(values[cluster == one]) for one in np.unique(cluster)]
        assert max(per) == 0
        assert len(np.unique(values)) > 2


def test_the_percentile_bootstrap_is_by_clusters():
    """Its width is that of the sandwich, within 20 % of 400 resamples; by items it is much less."""
    items, rng, widths = whole(), np.random.default_rng(1), []
    for one in (items, replace(items, cluster=None)):
        (found,) = evaluate(fit("GT", one, rng), one, ["prevalence"], rng, resamples=400)
        widths.append(found.upper - found.lower)
    (plain,) = estimates(items, "GT", "population", ["prevalence"])
    assert widths[0] == pytest.approx(plain.upper - plain.lower, rel=0.2)
    assert widths[1] < 0.8 * widths[0]


def in_strata(n_gold=(40, 10), n=1000):
    """Clusters of 5 in two strata, of which so many clusters were drawn whole."""
    items = table(n)
    stratum = (np.arange(n) >= n // 2).astype(int)
    labelled = np.zeros(n, dtype=bool)
    for one, number in enumerate(n_gold):
        clusters = np.unique(items.cluster[stratum == one])
        chosen = np.random.default_rng([5, one]).choice(clusters, number, replace=False)
        labelled |= np.isin(items.cluster, chosen)
    drawn_of = np.array(n_gold) * 5
    draw = GoldDraw((drawn_of / (n // 2))[stratum], stratum, drawn_of)
    return items.with_gold(labelled, draw), stratum


def imagined_within(y, weights, stratum, cluster, fractions):
    """What one more label adds in the stratum where it adds most."""
    mean = (weights * y).sum() / weights.sum()
    own, other = (weights * (one - mean) / weights.sum() for one in (y, 1 - y))
    most = max(
        (1 - fraction) * imagined(own[stratum == h], other[stratum == h])
        for h, fraction in enumerate(fractions)
    )
    return most * going_together(own, cluster)


@pytest.mark.usefixtures("nothing_expected")
def test_clusters_within_strata_by_the_textbook():
    """sum_h (1 - f_h) n_h / (n_h - 1) sum_c (u_c - u_h)^2, and one more label, within 2 %."""
    items, stratum = in_strata()
    rows = np.flatnonzero(items.gold != NO_GOLD)
    y, weights = items.gold[rows].astype(float), 1 / items.draw.chance[rows]
    mean = (weights * y).sum() / weights.sum()
    away, total = weights * (y - mean) / weights.sum(), 0.0
    for h, fraction in ((0, 0.4), (1, 0.1)):
        own = stratum[rows] == h
        sums = [
            away[own & (items.cluster[rows] == c)].sum()
            for c in np.unique(items.cluster[rows][own])
        ]
        total += (1 - fraction) * len(sums) * np.var(sums, ddof=1)
    total += imagined_within(y, weights, stratum[rows], items.cluster[rows], (0.4, 0.1))
    (found,) = estimates(items, "GT", "items", ["prevalence"])
    assert found.estimate == pytest.approx(mean, abs=1e-12)
    assert found.standard_error == pytest.approx(np.sqrt(total), rel=0.02)
    _, design = drawn_from(View(items, "A"), rows)
    deviations = design.deviations(np.random.default_rng(1).normal(size=(250, 1)))
    assert design.freedom(deviations, np.array([50.0]))[0] < 49


@pytest.mark.usefixtures("nothing_expected")
def test_items_drawn_within_strata_that_cross_clusters_count_one_by_one():
    """About these items their error is as without clusters, whatever pairs chance brought."""
    items = replace(drawn("strata"), cluster=np.random.default_rng(2).permutation(400) // 40)
    assert whole_clusters(items.cluster, items.gold != NO_GOLD, items.draw).share > 0
    (found,) = estimates(items, "GT", "items", ["prevalence"])
    (plain,) = estimates(replace(items, cluster=None), "GT", "items", ["prevalence"])
    assert found.standard_error == pytest.approx(plain.standard_error, rel=1e-9)


def test_whole_clusters_that_lie_in_several_strata_are_refused():
    items, _ = in_strata()
    gold, draw = items.gold != NO_GOLD, items.draw
    check_draw(items.cluster, gold, draw)
    across = replace(draw, stratum=np.arange(1000) % 2)
    with pytest.raises(InputError, match=r"500 pairs of gold items .* lie in several"):
        check_draw(items.cluster, gold, across)
    apart = GoldDraw(np.where(np.arange(1000) % 2, 0.2, 0.3))
    with pytest.raises(InputError, match="some clusters have several chances"):
        check_draw(items.cluster, gold, apart)
    single = draw_gold(items, SIMPLE, 250, np.random.default_rng(1)).gold != NO_GOLD
    check_draw(items.cluster, single, across)
    batches = replace(across, batch=np.zeros(2, dtype=int))
    check_draw(items.cluster, single, batches)
    with pytest.raises(InputError, match=r"and 'gold_batch': 500 pairs of gold items .* at most"):
        check_draw(items.cluster, gold, batches)


def test_a_generator_makes_items_alike_and_an_experiment_keeps_their_clusters():
    """50,000 clusters of 4: the correlation of the labels of a cluster is that of two normal
    numbers of correlation .5 cut at a share of .3, .318; within six standard errors, as phi is."""
    items = table(200_000, cluster_size=4)
    y = items.truth.astype(float)
    assert y.mean() == pytest.approx(0.3, abs=0.01)
    between = y.reshape(-1, 4).mean(axis=1).var() / y.var()
    assert (4 * between - 1) / 3 == pytest.approx(0.318, abs=0.02)
    with pytest.raises(InputError, match="the items have no clusters"):
        draw_gold(replace(items, cluster=None), CLUSTERS, 10, np.random.default_rng(1))
    row = row_of(items.take(np.arange(50)))
    again = table_of({name: row[name][0] for name in row.column_names})
    read = items_from_frame(items.take(np.arange(50)).to_frame(), np.random.default_rng(0))
    for one in (again, read):
        np.testing.assert_array_equal(one.cluster, items.cluster[:50])


def test_the_sampler_draws_clusters_whole_but_the_last():
    cluster = np.repeat(np.arange(40), 5)
    labelled = draw_clusters(cluster, 52, np.random.default_rng(1))
    numbers = np.bincount(cluster, labelled)
    assert sorted(numbers[numbers > 0]) == [2] + [5] * 10
