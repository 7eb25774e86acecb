"""Gold items that were drawn with known chances: what they count, and how surely that is known."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from crowdgold.experiment.data_tables import row_of, table_of
from crowdgold.inference.design import KnownChances, SimpleRandom, drawn_from
from crowdgold.inference.estimate import Questions, View
from crowdgold.inference.labels import Fit, MeanPrediction, evaluate
from crowdgold.inference.power_tuned_mean import designed_mean
from crowdgold.inference.rectified import DRAWN, drawn_labels, rectify
from crowdgold.methods.registry import fit
from crowdgold.metrics.binary import parse_metric
from crowdgold.models.logistic import cross_fit, features
from crowdgold.simulate import simulate
from crowdgold.simulate.design import POISSON, STRATA, allocate, draw_gold, strata_of
from crowdgold.types.errors import InputError
from crowdgold.types.gold_draw import GoldDraw, read_gold_draw
from crowdgold.types.items import NO_GOLD, items_from_frame
from crowdgold.types.notes import Note
from unit.reference import make_items

METRICS = [
    "prevalence", "TNR_H", "TPR_H", "AUC", "delta_TPR", "delta_AUC", "accuracy@0.5",
    "precision@0.5", "recall@0.5", "F1@0.5", "precision_at_recall@0.5",
]  # fmt: skip


def table(n, seed=0):
    """Items that know their truth, with two models' scores; no gold."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.3).astype(int)
    scores = {name: rng.normal(y, 1) for name in "AB"}
    return make_items(rng.binomial(3, 0.2 + 0.4 * y), 3, NO_GOLD, scores, truth=y)


def drawn(design, n=400, n_gold=80, seed=0):
    return draw_gold(table(n, seed), design, n_gold, np.random.default_rng([seed, 1]))


def estimates(items, method="votes-R", target="items", metrics=METRICS):
    rng = np.random.default_rng(1)
    return evaluate(fit(method, items, rng), items, metrics, rng, target=target)


def of_one_stratum(items):
    """A simple random sample of a fifth, said to be one stratum."""
    draw = GoldDraw(np.full(400, 0.2), np.zeros(400, dtype=int), np.array([80]))
    return replace(items, draw=draw)


@pytest.mark.parametrize("method", ["GT", "votes-R"])
@pytest.mark.parametrize("target", ["items", "population"])
@pytest.mark.parametrize("guessed", [True, False])
def test_one_stratum_is_a_simple_random_sample(method, target, guessed, request):
    """With and without what is imagined and expected; logistic-R's folds are the same too."""
    if not guessed:
        request.getfixturevalue("nothing_imagined")
        request.getfixturevalue("nothing_expected")
    items = drawn("simple")
    assert items.draw is None
    both = (estimates(one, method, target) for one in (items, of_one_stratum(items)))
    for plain, same in zip(*both, strict=True):
        values = [(e.estimate, e.lower, e.upper, e.standard_error) for e in (plain, same)]
        np.testing.assert_allclose(*values, rtol=1e-9, atol=1e-12, err_msg=plain.metric)


def test_points_of_the_curves_of_one_stratum_are_those_of_a_simple_random_sample():
    items, questions, found = drawn("simple"), Questions((), curves=True), []
    for one in (items, of_one_stratum(items)):
        sample = rectify(
            items.votes_positive / items.votes_total, View(one, "A"), questions, "items"
        )
        points = sample.estimates(questions.named, 0.95)
        found.append([(e.estimate, e.lower, e.upper) for e in points])
    np.testing.assert_allclose(*found, rtol=1e-9, atol=1e-12)


@pytest.mark.usefixtures("nothing_expected")
def test_weights_of_items_multiply_those_of_their_chances():
    items = drawn(STRATA)
    weights = np.random.default_rng(2).random(400) + 0.5
    rng, rows = np.random.default_rng(1), np.flatnonzero(items.gold != NO_GOLD)
    fitted = fit("GT", items, rng)
    (found,) = evaluate(fitted, items, ["prevalence"], rng, weights=weights / weights.mean())
    both = weights[rows] / items.draw.chance[rows]
    assert found.estimate == pytest.approx((both * items.gold[rows]).sum() / both.sum(), abs=1e-12)
    # The papers' percentile bootstrap is about the same number; it knows of no expected spread.
    (drawn_again,) = evaluate(fitted, items, ["prevalence"], rng, resamples=200)
    (plain,) = evaluate(fitted, items, ["prevalence"], rng)
    assert drawn_again.estimate == plain.estimate
    assert drawn_again.lower < plain.estimate < drawn_again.upper
    ratio = (drawn_again.upper - drawn_again.lower) / (plain.upper - plain.lower)
    assert 0.8 < ratio < 1.25


def test_equal_chances_one_by_one_are_nearly_a_simple_random_sample():
    items = drawn("simple")
    one = replace(items, draw=GoldDraw(np.full(400, 0.2)))
    for plain, same in zip(estimates(items), estimates(one), strict=True):
        values = [(e.estimate, e.lower, e.upper) for e in (plain, same)]
        np.testing.assert_allclose(*values, rtol=1e-2, err_msg=plain.metric)


def by_hand(values, draw, n):
    """Variance of sum(w v) / sum(w) - its stratum means, by the textbook: (over samples, added)."""
    weights = 1 / draw.chance
    mean = (weights * values).sum() / weights.sum()
    away = weights * (values - mean) / weights.sum()
    total = 0.0
    for h in np.unique(draw.stratum):
        own = away[draw.stratum == h]
        chance = draw.chance[draw.stratum == h][0]
        total += (1 - chance) * len(own) * own.var(ddof=1)
    size = len(values)
    spread = (weights * (values - mean) ** 2).sum() / weights.sum() * size / (size - 1)
    return mean, total, spread / n


def imagined_by_hand(values, draw):
    """What one more label adds to the variance of sum(w v) / sum(w), in the stratum of the most: by
    an item of n_h it moves the sum by its share under either label, held against their mean, over
    n_h + 1.
    """
    weights, most = 1 / draw.chance, 0.0
    mean = (weights * values).sum() / weights.sum()
    for h in np.unique(draw.stratum):
        rows = draw.stratum == h
        own, other = (weights[rows] * (one[rows] - mean) / weights.sum()
                      for one in (values, 1 - values))  # fmt: skip
        size = len(own)
        squares = ((own - own.mean()) ** 2 + (other - own.mean()) ** 2).sum()
        left = 1 - draw.chance[rows][0]
        most = max(most, left * (size / (size + 1)) ** 2 * squares / (2 * size))
    return most


def expected_by_hand(items):
    """The variance of a stratified mean were labels drawn from one chance for all items."""
    gold = items.gold[items.gold != NO_GOLD]
    share = np.full(len(items), (gold.sum() + 0.5) / (len(gold) + 1))
    total = 0.0
    for labels in drawn_labels(items, share, DRAWN):
        for h in np.unique(items.draw.stratum):
            rows = items.draw.stratum == h
            odds = 1 / items.draw.chance[rows][0] - 1
            total += odds * ((labels[rows] - labels[rows].mean()) ** 2).sum()
    return total / DRAWN / len(items) ** 2


def rectified_prevalence(items):
    """The regression's prediction, the weight that the engine gives it, and the estimate."""
    questions, share = Questions((parse_metric("prevalence"),)), cross_fit(features(items), items)
    found = rectify(share, View(items, "A"), questions, "items")
    (estimate,) = found.estimates(questions.named, 0.95)
    return share, float(found.chosen_weight()[0]), estimate


@pytest.mark.parametrize("target", ["items", "population"])
@pytest.mark.parametrize("seen", [False, True])
def test_the_prevalence_of_gold_alone_by_the_textbook(target, seen, request):
    """The variance that gold shows, like as many items as it has degrees of freedom, the one that
    one chance for all items makes expected like 20, and one more label. The jackknife's
    contributions are those of the textbook times W / (W - w_i), within 5 % here.
    """
    if seen:
        request.getfixturevalue("nothing_expected")
    items = drawn(STRATA, 600, 200)
    rows = np.flatnonzero(items.gold != NO_GOLD)
    gold, draw = items.gold[rows].astype(float), items.draw.take(rows)
    mean, sampled, added = by_hand(gold, draw, 600)
    (found,) = estimates(items, "GT", target, ["prevalence"])
    assert found.estimate == pytest.approx(mean, abs=1e-12)
    if not seen:
        design, weights = KnownChances.of(draw, 600), 1 / draw.chance
        own = design.deviations((weights * (gold - mean))[:, None])
        of_equal_weight = np.array([weights.sum() ** 2 / (weights**2).sum()])
        number = min(design.freedom(own, of_equal_weight)[0], design.as_found(own)[0])
        assert expected_by_hand(items) > sampled
        sampled = (number * sampled + 20 * expected_by_hand(items)) / (number + 20)
    expected = sampled + imagined_by_hand(gold, draw) + added * (target == "population")
    assert found.standard_error == pytest.approx(np.sqrt(expected), rel=0.05)


@pytest.mark.parametrize("design", [STRATA, POISSON])
def test_means_are_those_of_ppi_py(design):
    """AutoEval's weighted point, its lambda too; the rectified prevalence at the engine's."""
    import ppi_py

    items = drawn(design)
    rows = np.flatnonzero(items.gold != NO_GOLD)
    share, weights = items.votes_positive / items.votes_total, items.draw.weights(rows)

    def peer(share, **lam):
        data = items.gold[rows].astype(float), share[rows], share
        found = float(np.squeeze(ppi_py.ppi_mean_pointestimate(*data, w=weights, **lam)))
        return pytest.approx(found, abs=1e-12)

    fitted = Fit("AutoEval", MeanPrediction({"A": share}))
    (found,) = evaluate(fitted, items, ["prevalence"], np.random.default_rng(1))
    assert found.estimate == peer(share)
    share, lam, found = rectified_prevalence(items)
    assert 0 < lam <= 1
    assert found.estimate == peer(share, lam=lam)


def test_means_of_strata_are_those_of_glide():
    """By glide's stratified and active estimators. The stratified one compares gold with the
    others, not with all, so it gets lambda (1 - f_h) times the prediction; the control gets all of
    it.
    """
    glide = pytest.importorskip(
        "glide.estimators", reason="make peers installs it, from Python 3.12 on"
    )
    items = drawn(STRATA)
    known, stratum, chance = items.gold != NO_GOLD, items.draw.stratum, items.draw.chance
    gold, size = np.where(known, items.gold.astype(float), np.nan), np.bincount(stratum)
    (alone,) = estimates(items, "GT", metrics=["prevalence"])
    of_strata = glide.StratifiedClassicalMeanEstimator()
    found = of_strata.estimate(gold, stratum, stratum_weights=size / size.sum())
    assert found.confidence_interval.mean == pytest.approx(alone.estimate, abs=1e-12)
    share, lam, own = rectified_prevalence(items)
    stratified, active = glide.StratifiedPPIMeanEstimator(), glide.ASIMeanEstimator()
    others = stratified.estimate(gold, lam * (1 - chance) * share, stratum, power_tuning=False)
    by_chance = active.estimate(gold, lam * share, chance, power_tuning=False)
    for peer in (others, by_chance):
        assert peer.confidence_interval.mean == pytest.approx(own.estimate, abs=1e-12)
    plain = stratified.estimate(gold, share, stratum, power_tuning=False)
    assert plain.confidence_interval.mean != pytest.approx(own.estimate, abs=1e-6)


def test_an_error_of_weighted_means_is_that_of_the_same_contributions():
    """AutoEval's error at its lambda and the engine's variance of the same residuals."""
    items = drawn(STRATA)
    rows = np.flatnonzero(items.gold != NO_GOLD)
    _, design = drawn_from(View(items, "A"), rows)
    gold = items.gold[rows].astype(float)
    *_, error = designed_mean(gold, np.zeros(len(rows)), np.zeros(400), design, 0.95)
    _, sampled, added = by_hand(gold, items.draw.take(rows), 400)
    assert error == pytest.approx(np.sqrt(sampled + added), rel=1e-9)


def test_strata_with_one_gold_item_are_joined_with_the_next():
    """Gold items 1, 4, 1, 1, 3, 1 of six strata of 100; one that is all gold stays by itself."""
    drawn_of = np.array([1, 4, 1, 1, 3, 1])
    stratum = np.repeat(np.arange(6), drawn_of)
    draw = GoldDraw(np.repeat(drawn_of / 100, drawn_of), stratum, drawn_of)
    design = KnownChances.of(draw, 600)
    assert design.drawn.tolist() == [5, 2, 4]
    assert design.group.tolist() == [0] * 5 + [1] * 2 + [2] * 4
    whole = GoldDraw(np.where(stratum == 2, 1.0, draw.chance), stratum, drawn_of)
    design = KnownChances.of(whole, 600)
    assert design.drawn.tolist() == [5, 5, 1]
    assert design.group[stratum == 2].tolist() == [2]
    values = np.zeros((11, 1))
    values[stratum == 2] = 7.0
    assert np.abs(design.deviations(values)).max() == 0


def test_degrees_of_freedom_are_satterthwaites():
    """Strata of 5, 10 and 40 gold items with variances of their own; and one stratum alone."""
    rng = np.random.default_rng(3)
    drawn_of = np.array([5, 10, 40])
    stratum = np.repeat(np.arange(3), drawn_of)
    draw = GoldDraw(np.repeat([0.5, 0.1, 0.02], drawn_of), stratum, drawn_of)
    design = KnownChances.of(draw, 2110)
    deviations = design.deviations(rng.normal(size=(55, 2)) * np.array([3, 2, 1])[stratum][:, None])
    parts = np.stack([(deviations[stratum == h] ** 2).sum(axis=0) for h in range(3)])
    expected = parts.sum(axis=0) ** 2 / (parts**2 / (drawn_of - 1)[:, None]).sum(axis=0)
    assert np.all(expected < 54)
    many, few = np.full(2, 1000.0), np.array([4.0, 2.5])
    np.testing.assert_allclose(design.freedom(deviations, many), np.sqrt(999 * expected))
    np.testing.assert_allclose(design.freedom(deviations, few), np.sqrt((few - 1) * expected))
    by_itself = KnownChances.of(GoldDraw(draw.chance), 2110)
    kurtosis = 55 * (deviations**4).sum(axis=0) / (deviations**2).sum(axis=0) ** 2
    np.testing.assert_allclose(by_itself.as_found(deviations), 2 * 55 / (kurtosis - 1))
    weights = 1 / draw.chance
    kish = weights.sum() ** 2 / (weights**2).sum()
    for one, number in ((by_itself, kish), (SimpleRandom(55), 55)):
        expected = np.sqrt((number - 1) * (few - 1))
        np.testing.assert_allclose(one.freedom(deviations, few), expected)


def test_the_rescaled_bootstrap_has_the_variance_of_the_design():
    """Rao and Wu's 4,000 resamples of a weighted mean: within 5 standard errors (1.1 % each)."""
    items = drawn(STRATA, 4000, 200)
    rows = np.flatnonzero(items.gold != NO_GOLD)
    known, design = drawn_from(View(items, "A"), rows)
    gold, rng = items.gold[rows].astype(float), np.random.default_rng(4)
    sizes = np.bincount(design.group, design.times(rng))
    np.testing.assert_allclose(sizes, design.drawn)  # n_h - 1 items, each n_h / (n_h - 1) times
    means = []
    for _ in range(4000):
        times = design.times(rng) * known.weights
        means.append((times * gold).sum() / times.sum())
    draw = items.draw.take(rows)
    _, expected, _ = by_hand(gold, GoldDraw(draw.chance * 1e-9, draw.stratum, draw.drawn), 4000)
    assert np.std(means) == pytest.approx(np.sqrt(expected), rel=0.056)


@pytest.mark.usefixtures("nothing_expected")
def test_some_of_the_items_alone_keep_the_chances_of_all():
    """A fifth of the items: the textbook's error of a domain, and one more label of those there."""
    items = drawn(STRATA, 2000, 400)
    inside = np.flatnonzero(np.random.default_rng(5).random(2000) < 0.2)
    part = items.take(inside)
    (found,) = estimates(part, "GT", "items", ["prevalence"])
    rows = np.flatnonzero(items.gold != NO_GOLD)
    draw, y = items.draw.take(rows), items.gold[rows].astype(float)
    here = np.isin(rows, inside)
    weights = here / draw.chance
    mean = (weights * y).sum() / weights.sum()
    away, total = weights * (y - mean) / weights.sum(), 0.0
    for h in np.unique(draw.stratum):
        own = draw.stratum == h
        total += (1 - draw.chance[own][0]) * own.sum() * away[own].var(ddof=1)
    total += imagined_by_hand(y[here], draw.take(np.flatnonzero(here)))
    assert found.estimate == pytest.approx(mean, abs=1e-12)
    assert found.standard_error == pytest.approx(np.sqrt(total), rel=0.05)


@pytest.mark.parametrize("kept", [0, 1])
def test_items_of_one_stratum_have_an_interval_whichever_it_is(kept):
    """Two strata that are alike, and a segment that is one of them."""
    stratum, truth = np.repeat([0, 1], 100), np.arange(200) % 2
    items = make_items(np.ones(200, dtype=int), 3, NO_GOLD, np.arange(200.0), truth=truth)
    draw = GoldDraw(np.full(200, 0.2), stratum, np.array([20, 20]))
    part = items.with_gold(np.arange(200) % 100 < 20, draw).take(stratum == kept)
    (found,) = estimates(part, "GT", metrics=["prevalence"])
    # (1 - .2) of what ten of each class show, and one more.
    expected = 0.8 / 20 * (0.25 * 20 / 19 + 0.25 / 20 * (20 / 21) ** 2)
    assert found.standard_error == pytest.approx(np.sqrt(expected), rel=1e-3)
    assert found.lower < 0.5 < found.upper


def test_folds_of_the_regression_are_dealt_within_strata_and_items_count_by_their_chances():
    items = drawn(STRATA)
    columns = features(items)
    evenly, plain = (
        cross_fit(columns, replace(items, draw=one)) for one in (GoldDraw(np.full(400, 0.1)), None)
    )
    assert np.abs(cross_fit(columns, items) - plain).max() > 0.01
    np.testing.assert_allclose(evenly, plain, atol=1e-12)


@pytest.mark.parametrize("design", ["simple", STRATA, POISSON])
def test_experiments_and_tables_keep_how_gold_was_drawn(design):
    """A generator draws gold by `gold_design`; a row gives it back to the bit, a table does too."""
    parameters = {
        "n": 300, "n_gold": 60, "votes_total": 3, "phi": 0.3, "a0": 0.2, "a1": 0.7, "d0": 1.5,
        "d1": 1.5, "predictors": {"A": {"mu": 1.0, "delta": 1.0}}, "gold_design": design,
    }  # fmt: skip
    items = simulate("maven", parameters, np.random.default_rng(1)).table
    row = row_of(items)
    again = table_of({name: row[name][0] for name in row.column_names})
    frame = items_from_frame(items.to_frame(), np.random.default_rng(0))
    assert frame.predictors == items.predictors
    if design == "simple":
        assert items.draw is again.draw is frame.draw is None
        return
    np.testing.assert_array_equal(again.draw.chance, items.draw.chance)
    np.testing.assert_allclose(frame.draw.chance, items.draw.chance)
    for one in (items, frame):
        assert (one.draw.stratum is None) == (design == POISSON)
    if design == STRATA:
        np.testing.assert_array_equal(again.draw.stratum, items.draw.stratum)
        np.testing.assert_array_equal(again.draw.drawn, items.draw.drawn)
    with pytest.raises(InputError, match="gold_design"):
        simulate("maven", parameters | {"gold_design": "other"}, np.random.default_rng(1))


def columns_of(**given):
    return {f"gold_{name}": pd.Series(values, dtype="string") for name, values in given.items()}


ITEM, GOLD = np.array(list("abcdef"), dtype=object), np.array([1, 0, 1, 0, -1, -1])


def test_strata_are_counted_or_have_their_sizes():
    counted = read_gold_draw(columns_of(stratum=[*"xxyyxx"]), GOLD, ITEM)
    np.testing.assert_allclose(counted.chance, [0.5, 0.5, 1, 1, 0.5, 0.5])
    said = columns_of(stratum=[*"xxyy", "", ""], stratum_size=[4, 4, 2, 2, "", ""])
    sized = read_gold_draw(said, GOLD, ITEM)
    np.testing.assert_allclose(sized.chance, [0.5, 0.5, 1, 1, np.nan, np.nan])
    numbers = read_gold_draw(columns_of(stratum=["10", "9", "10", "9", "9", "9"]), GOLD, ITEM)
    assert numbers.stratum.tolist() == [1, 0, 1, 0, 0, 0]
    assert read_gold_draw(columns_of(stratum=[*"xxyyxx"]), np.full(6, -1), ITEM) is None


P = [0.5, 0.5, 0.6, 0.6, 0.5, 0.5]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"probability": [0.5, 1.5, *P[2:]]}, r"1 item \('b'\) without a number above 0"),
        ({"probability": [0.5, "", *P[2:]]}, r"'b'.*expected one for each item with a gold label"),
        ({"probability": [0.5, "half", *P[2:]]}, "'b'"),
        ({"probability": [0.5, -0.1, *P[2:]]}, "'b'"),
        ({"probability": [0.5, 0, *P[2:]]}, r"'b'\) with a gold label and a probability of 0"),
        ({"probability": [0.5, 1e-320, *P[2:]]}, r"'b'\) with a probability so small"),
        ({"probability": [*P[:4], 0, 0.5]}, r"'e'\) with a probability of 0, for which"),
        ({"probability": [1e-6, *P[1:]]}, r"'a' \(drawn with a chance of 1e-06\) carries 100 %"),
        ({"probability": [0.001] * 6}, "sum to 0.006, and 4 items have a gold label"),
        ({"stratum": [*"xxyyzz"]}, r"no gold label in 1 stratum \(z\)"),
        ({"stratum": [*"xxy", "", "x", "x"]}, r"'d'\) with a gold label, without a stratum"),
        ({"stratum": [*"xxyyx", ""]}, r"'f'\) without a stratum; .* a column 'gold_stratum_size'"),
        ({"stratum": [*"xxyyxx"], "stratum_size": [4, 4, 2, 3, 4, 4]}, "'d'.*another size"),
        ({"stratum": [*"xxyyxx"], "stratum_size": [4, 4, 0, 0, 4, 4]}, "'c', 'd'.*whole number"),
        ({"stratum": [*"xxyyxx"], "stratum_size": [9, 9, 2, 2, 9, 9]}, "have 11 items and the"),
        ({"stratum_size": [4] * 6}, "'gold_stratum_size' without a column 'gold_stratum'"),
        ({"stratum": [*"xxyyxx"], "probability": P}, "are both there"),
    ],
)  # fmt: skip
def test_columns_that_cannot_be_those_of_a_sample_are_refused_in_one_line(columns, message):
    with pytest.raises(InputError, match=message) as problem:
        read_gold_draw(columns_of(**columns), GOLD, ITEM)
    assert "\n" not in str(problem.value)


def test_the_sampler_leaves_no_stratum_out_and_draws_no_item_twice():
    items = table(500)
    stratum = strata_of(items)
    drawn_of, sizes = allocate(items, stratum, 60), np.bincount(stratum)
    assert drawn_of.sum() == 60
    assert np.all((drawn_of >= 2) & (drawn_of <= sizes))
    assert allocate(items, stratum, 500).tolist() == sizes.tolist()
    with pytest.raises(InputError, match="n_gold 3"):
        allocate(items, stratum, 3)


def rectified_of(design):
    """What gold of a design makes of a regression, of three metrics."""
    items = drawn(design, n=1500, n_gold=150)
    share = cross_fit(features(items), items)
    questions = Questions(tuple(map(parse_metric, ("prevalence", "TPR_H", "AUC"))))
    return rectify(share, View(items, "A"), questions, "items")


def test_gold_that_shows_much_less_than_the_prediction_expects_is_used_alone():
    found = rectified_of("simple")
    assert np.all(found.chosen_weight() > 0)
    expected = np.stack([found.expected[0] * 50, found.expected[1]])
    assert np.all(replace(found, expected=expected).chosen_weight() == 0)


def with_negatives(number):
    """1,000 items; so many gold labels of nine tenths, all negative, and 50 of the last tenth."""
    stratum = (np.arange(1000) >= 900).astype(int)
    truth = np.where(stratum == 1, np.arange(1000) % 2, 0)
    drawn_of = np.array([number, 50])
    labelled = np.r_[np.arange(number), 900 + np.arange(50)]
    items = make_items(np.zeros(1000, dtype=int), 3, NO_GOLD, np.arange(1000.0), truth=truth)
    draw = GoldDraw((drawn_of / [900, 100])[stratum], stratum, drawn_of)
    return items.with_gold(np.isin(np.arange(1000), labelled), draw)


def test_three_negatives_that_stand_for_nine_tenths_leave_the_prevalence_open():
    """They allow a share of 1 - .025^(1/3) = .71 positive items among these; 20 allow .17."""
    (few,), (more,) = (estimates(with_negatives(n), "GT", metrics=["prevalence"]) for n in (3, 20))
    assert few.estimate == pytest.approx(0.05)
    assert (few.notes, more.notes) == ((Note("left_open"),), ())
    assert np.isnan([few.lower, few.upper]).all()
    assert more.lower < 0.05 < more.upper


def test_degrees_of_freedom_are_the_mean_of_the_designs_and_the_spreads():
    """The geometric mean where weights are even, for an AUC at most those of its classes."""
    weight, pairs = np.array([1.0, 0.5, 0.0]), np.array([False, False, True])
    for design in (STRATA, POISSON, "simple"):
        found = rectified_of(design)
        left = found.labelled - weight * found.predicted
        count = found.counted if found.effective is None else found.effective
        own, spread = found.design.freedom(left, count), found.design.as_found(left)
        wanted = own
        if not found.design.uneven:
            wanted = np.sqrt(own * spread)
            wanted[2] = min(own[2], found.design.of_classes(count)[2])
        np.testing.assert_allclose(found._freedom(weight, pairs), wanted)
        nothing = replace(found, labelled=0 * found.labelled, predicted=0 * found.predicted)
        none = found.design.freedom(0 * left, count)
        np.testing.assert_allclose(nothing._freedom(weight, False), none)


@pytest.mark.usefixtures("nothing_imagined")
def test_what_is_expected_counts_beside_what_gold_shows():
    """Like ten gold items beside all of a simple random sample, and not where the prediction is not
    used; where weights are uneven like 20 beside as many as there are degrees of freedom, whatever
    its weight. It never makes a variance smaller, nor that of pairs by gold alone larger: a guess
    of labels says less of pairs than gold does."""
    weight = np.array([1.0, 0.5, 0.0])
    for design in (STRATA, POISSON, "simple"):
        plain = rectified_of(design)
        for times in (0.01, 100.0):
            found = replace(plain, expected=plain.expected * times)
            left = found.labelled - weight * found.predicted
            shown = (left**2).sum(axis=0) / (len(left) - 1)
            expected = ((found.expected[0] - weight * found.expected[1]) ** 2).mean(axis=0)
            expected = np.where(found.foreseen | (weight > 0), expected, 0)
            largest = np.maximum(shown, expected)
            number, pseudo = len(found.own), np.where(weight > 0, 10, 0)
            if design != "simple":
                own = found.design.freedom(left, found.effective)
                number, pseudo = np.minimum(own, found.design.as_found(left)), 20
            used = found.foreseen | (weight > 0)
            assert np.all((largest == expected)[used] == (times > 1))
            wanted = (number * shown + pseudo * largest) / (number + pseudo)
            np.testing.assert_allclose(found._variance(weight), wanted)
