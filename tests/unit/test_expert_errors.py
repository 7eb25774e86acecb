"""Experts who err: the model of their opinions against enumeration, and what enters estimates."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit

from crowdgold.inference.expert_errors import (
    EQUAL,
    FREE,
    RIGHT,
    WRONG,
    Histories,
    expert_errors,
    judged,
    why_unknown,
)
from crowdgold.inference.expert_errors import fit as fit_histories
from crowdgold.inference.labels import evaluate
from crowdgold.methods.registry import fit
from crowdgold.simulate import simulate
from crowdgold.simulate.expert_opinions import RANDOM, RARER, Erring, draw_opinions, with_opinions
from crowdgold.types.annotations import Opinions, read_expert_error
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD, Items, items_from_frame

S, T, SHARE = 0.85, 0.93, 0.3
SECOND = {0: 0.25, 1: 1.0}
"""Chance of a second opinion by the first; a third follows where the two differ."""
STUDY = {
    "n": 1500, "n_gold": 200, "phi": 0.3, "votes_total": 3, "a0": 0.1, "a1": 0.8, "d0": 1.5,
    "d1": 1.5, "predictors": {"A": {"mu": 1.5, "delta": 0.5}, "B": {"mu": 1.0, "delta": 0.5}},
}  # fmt: skip


def all_histories():
    """(opinions, protocol's chance) of every history, by enumeration."""
    for first in (0, 1):
        if SECOND[first] < 1:
            yield (first, -1, -1), 1 - SECOND[first]
        for second in (0, 1):
            if second == first:
                yield (first, second, -1), SECOND[first]
            else:
                for third in (0, 1):
                    yield (first, second, third), SECOND[first]


def chance_of(history, y, s=S, t=T):
    """P(opinions | Y = y), opinion by opinion."""
    wrong = 1 - (s if y else t)
    said = [one for one in history if one >= 0]
    return np.prod([wrong if one != y else 1 - wrong for one in said])


def expected_table(size):
    """Opinions (m, 3), and how many items have each history: as many as are expected."""
    labels, count = [], []
    for history, protocol in all_histories():
        whole = SHARE * chance_of(history, 1) + (1 - SHARE) * chance_of(history, 0)
        labels.append(history)
        count.append(size * protocol * whole)
    return np.array(labels), np.array(count)


def histories_of(labels):
    return Histories.of(labels, np.zeros(len(labels), dtype=int))


def expected_items(size=200_000):
    """Opinions of so many items, in expected proportions, so that rounding is one in a thousand."""
    labels, count = expected_table(size)
    return np.repeat(labels, np.round(count).astype(int), axis=0)


HISTORIES = histories_of(expected_items())
ENDS = list(zip(HISTORIES.positive.tolist(), HISTORIES.number.tolist(), strict=True))


def end_of(history):
    """Positive opinions, and how many there are."""
    return history.count(1), 3 - history.count(-1)


@pytest.mark.parametrize("share", [0.1, SHARE, 0.7])
def test_a_corrected_value_has_the_truth_as_its_mean_whatever_share_it_is_made_for(share):
    """By enumeration of all histories; counts are rounded, which moves c_kr by less than 1e-3."""
    z = dict(zip(ENDS, HISTORIES.corrected(S, T, share), strict=True))
    for y in (0, 1):
        mean = sum(chance * chance_of(one, y) * z[end_of(one)] for one, chance in all_histories())
        assert mean == pytest.approx(y, abs=2e-3)


@pytest.mark.parametrize("share", [0.05, 0.2, 0.6])
def test_a_mean_of_experts_is_without_bias_where_who_is_asked_depends_on_what_was_said(share):
    """By enumeration, for items that any share of experts calls positive; k / r has a bias."""
    ends, found, plain = dict(zip(ENDS, HISTORIES.mean, strict=True)), 0.0, 0.0
    for one, protocol in all_histories():
        k, r = end_of(one)
        chance = protocol * share**k * (1 - share) ** (r - k)
        found, plain = found + chance * ends[k, r], plain + chance * k / r
    assert found == pytest.approx(share, abs=2e-3)
    assert abs(plain - share) > 5e-3


def test_one_opinion_is_corrected_by_the_known_formula():
    histories = histories_of(np.array([[1], [0], [0], [1], [0]]))
    z = dict(zip(histories.positive.tolist(), histories.corrected(0.9, 0.8, 0.4), strict=True))
    assert z == pytest.approx({1: (1 - 0.2) / 0.7, 0: (0 - 0.2) / 0.7})


def test_no_other_value_with_that_mean_varies_less():
    """Any change of Z over histories that keeps both means adds variance."""
    of_class = HISTORIES.chance * np.stack(HISTORIES.likelihoods(S, T))
    z = HISTORIES.corrected(S, T, SHARE)
    whole, rng = SHARE * of_class[0] + (1 - SHARE) * of_class[1], np.random.default_rng(1)
    for _ in range(20):
        change = rng.normal(size=len(z))
        change -= of_class.T @ np.linalg.solve(of_class @ of_class.T, of_class @ change)
        assert (whole * (z + 0.1 * change) ** 2).sum() > (whole * z**2).sum()


def test_the_chance_of_an_end_is_the_protocols():
    wanted = {}
    for one, protocol in all_histories():
        wanted[end_of(one)] = wanted.get(end_of(one), 0) + protocol
    assert dict(zip(ENDS, HISTORIES.chance, strict=True)) == pytest.approx(wanted, abs=2e-3)


def summed_over_labels(parameters, labels, count):
    """Minus the log posterior of log odds of share, s, t: a sum over each item's latent label."""
    share, s, t = expit(parameters)
    total = RIGHT * np.log(s * t) + WRONG * np.log((1 - s) * (1 - t))
    for history, times in zip(labels.tolist(), count, strict=True):
        both = share * chance_of(history, 1, s, t) + (1 - share) * chance_of(history, 0, s, t)
        total += times * np.log(both)
    return -total


def test_em_finds_the_highest_posterior_which_a_search_over_latent_labels_finds():
    rng = np.random.default_rng(2)
    truth = (rng.random(300) < 0.3).astype(int)
    drawn = draw_opinions(truth, Erring(0.15, 0.08), RANDOM, rng)
    found = fit_histories(histories_of(drawn))
    args = np.unique(drawn, axis=0, return_counts=True)
    best = minimize(summed_over_labels, logit([0.3, 0.9, 0.9]), args=args, tol=1e-10)
    assert [found.shares[0], found.s, found.t] == pytest.approx(expit(best.x), abs=1e-4)


def judged_items(labels):
    """Items with these opinions, half of them with a majority of positive votes."""
    size = len(labels)
    votes = np.arange(size) % 2 * 3
    return Items(
        np.arange(size).astype(str), votes, np.full(size, 3), labels[:, 0].astype(np.int8), {},
        np.arange(size) / size, opinions=Opinions.of(labels),
    )  # fmt: skip


def test_what_an_item_adds_is_how_the_estimate_moves_with_its_weight():
    """A fit where one kind weighs more, of items in expected proportions, but for rounding."""
    errors = expert_errors(judged_items(expected_items(2000)))
    assert errors.source == FREE
    histories, step, moves, added = errors.histories, 0.5, [], []
    before = fit_histories(histories)
    for kind in np.unique(errors.kind):
        count = histories.count.copy()
        count[0, kind] += step
        more = fit_histories(replace(histories, count=count))
        moves.append(np.subtract(logit([more.s, more.t]), logit([before.s, before.t])) / step)
        added.append(errors.contributions[errors.kind == kind][0])
    largest = np.abs(moves).max(axis=0)
    # Centred: the prior's own pull is left out of what items add.
    assert np.abs(np.array(moves) - added).max() == pytest.approx(0, abs=0.08 * largest.max())
    assert (np.abs(added).max(axis=0) > 0.5 * largest).all()


@pytest.mark.parametrize(
    ("error", "slope"),
    # By the error on positive items; then by one that is the same of both labels.
    [("0.05:0.15,0.1", (0.3 - 0.1) / 0.8**2), ("0.05:0.15", (2 * 0.3 - 1) / 0.8**2)],
)
def test_derivatives_are_those_of_the_corrected_mean(error, slope):
    """Of (p - (1 - t)) / (s + t - 1); over a step of .04 its bend adds under one in a hundred."""
    labels = np.array([[1]] * 30 + [[0]] * 70)
    errors = expert_errors(judged_items(labels).with_expert_error(error))
    (found,) = errors.derivatives(lambda z: np.array([z.mean()]))
    assert found[0] == pytest.approx(slope, rel=1e-2)
    assert errors.spread == pytest.approx([0.1 / 3.919928])


def test_sources_are_taken_in_their_order():
    rng = np.random.default_rng(4)
    truth = (rng.random(400) < 0.3).astype(int)
    labels = draw_opinions(truth, Erring(0.1, 0.1), RANDOM, rng)
    votes = np.where(rng.random(400) < np.where(truth == 1, 0.8, 0.1), 3, 0)
    items = replace(judged_items(labels), votes_positive=votes)
    assert expert_errors(items).source == FREE
    labels[:, 2] = -1
    items = replace(items, opinions=Opinions.of(labels))
    assert "most votes are positive" in expert_errors(items).source
    found = expert_errors(replace(items, votes_positive=np.zeros(400, dtype=int)))
    assert found.source == EQUAL
    assert found.sensitivity == found.specificity
    assert expert_errors(items.with_expert_error(0.04)).sensitivity == pytest.approx(0.96)


@pytest.mark.parametrize("doubles", [0, 1, 2])
def test_too_few_second_opinions_do_not_tell_nor_do_experts_at_random(doubles):
    labels = np.full((100, 2), -1)
    labels[:, 0] = np.arange(100) % 4 == 0
    labels[:doubles, 1] = labels[:doubles, 0]
    why = why_unknown(judged_items(labels))
    assert "opinion" in why or "one expert's label" in why
    assert why_unknown(judged_items(np.random.default_rng(5).integers(0, 2, (300, 3))))


def both_answers(first, second, rng):
    """Pairs of answers by two (method, items)."""
    metrics = ["prevalence", "AUC:A", "delta_AUC"]
    answers = [evaluate(fit(*one, rng), one[1], metrics, rng) for one in (first, second)]
    return zip(*answers, strict=True)


@pytest.mark.parametrize("methods", [("logistic-E", "logistic-R"), ("GT-E", "GT")])
def test_the_estimate_is_that_of_right_labels_where_experts_never_err(methods):
    rng = np.random.default_rng(6)
    items = simulate("maven", STUDY, rng).table
    tables = items.with_expert_error("0"), items
    for one, other in both_answers(*zip(methods, tables, strict=True), rng):
        found, wanted = ((each.estimate, each.lower, each.upper) for each in (one, other))
        assert found == pytest.approx(wanted, abs=1e-4)


def test_an_interval_of_a_given_error_makes_intervals_wider_and_moves_no_estimate():
    rng = np.random.default_rng(7)
    items = simulate("maven", STUDY, rng).table
    methods = (("logistic-E", items.with_expert_error(one)) for one in ("0.05", "0.02:0.08"))
    for one, other in both_answers(*methods, rng):
        assert one.estimate == pytest.approx(other.estimate, abs=1e-12)
        assert other.standard_error > 1.001 * one.standard_error


def test_items_on_which_experts_are_tied_are_judged_and_have_no_gold_label():
    labels = np.array([[1, 0], [1, 1], [0, 0], [0, -1]] * 20)
    items = judged_items(labels)
    gold = np.where(labels[:, 1] < 0, 0, np.where(labels.sum(axis=1) == 1, NO_GOLD, labels[:, 0]))
    items = replace(items, gold=gold.astype(np.int8))
    found = judged(items, expert_errors(items).verdict)
    assert (items.gold == NO_GOLD).sum() == 20
    assert (found.gold != NO_GOLD).all()


def test_opinions_keep_their_rows_and_survive_a_table():
    rng = np.random.default_rng(8)
    items = with_opinions(simulate("maven", STUDY, rng).table, Erring(0.1, 0.1), RARER, rng)
    rows = np.array([5, 3, 900])
    assert (items.take(rows).opinions.labels == items.opinions.labels[rows]).all()
    again = items_from_frame(items.to_frame(), rng)
    assert (again.opinions.labels == items.opinions.labels).all()


@pytest.mark.parametrize(
    "text", ["", "half", "0.5", "-0.1", "0.08:0.03", "0.1,0.2,0.3", "nan", "1e-1:0.2:0.3", "0.1,"]
)
def test_an_error_that_cannot_be_is_refused(text):
    with pytest.raises(InputError, match=r"expert-error: found .* expected a share below 0.5"):
        read_expert_error(text)


def test_errors_are_read_as_they_are_written():
    assert read_expert_error("0.05").error == (0.05, 0.05)
    apart = read_expert_error("0.1, 0.03")
    assert (apart.error, apart.same) == ((0.1, 0.03), False)
    between = read_expert_error("0.03:0.08")
    assert between.error == pytest.approx((0.055, 0.055))
    assert between.spread[0] == pytest.approx(0.05 / 3.92, rel=1e-3)
    assert read_expert_error("estimate") is None


@pytest.mark.parametrize(
    ("count", "error", "said"),
    [
        (32, "0.3", ["32 of 200 first labels are positive", "30 % of the negative items",
                     "allow an error of 0.218 at most"]),
        (32, "0.219", [""]), (32, "0.218", []), (32, "0.4,0.1", []),
        (32, "0.1,0.3", ["30 % of the negative items"]),
        (168, "0.3", ["32 of 200 first labels are negative"]),
        (32, "0.2:0.4", [""]),  # .3 - .16 is above the root of .058^2 + .1^2
        (32, "0.15:0.45", []),  # and below that of .058^2 + .15^2
    ],
)  # fmt: skip
def test_an_error_that_the_labels_contradict_is_refused_with_the_largest_that_they_allow(
    count, error, said
):
    """The exact upper end of 32 of 200 is .2183, .058 upwards; an interval of width w reaches w /
    2.
    """
    labels = (np.arange(200) < count).astype(int)[:, None]
    why = why_unknown(judged_items(labels).with_expert_error(error))
    assert bool(why) is bool(said)
    assert all(part in why for part in said)


def test_labels_of_negative_items_alone_seldom_contradict_the_error_that_made_them():
    """An exact bound: in at most 2.5 of 100 studies; 4 errors of Monte Carlo above that."""
    given, rng = read_expert_error("0.1"), np.random.default_rng(12)
    labels = (rng.random((2000, 200)) < 0.1).astype(int)
    refused = [bool(given.contradicted_by(one)) for one in labels]
    assert np.mean(refused) <= 0.025 + 4 * np.sqrt(0.025 * 0.975 / 2000)
    assert any(refused)
