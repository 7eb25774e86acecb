"""Experts who err: the model of their opinions against enumeration, and what enters estimates."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit, logit

from crowdgold.inference.engine import evaluate
from crowdgold.inference.expert_errors import EQUAL, FREE, expert_errors, judged, why_unknown
from crowdgold.methods.registry import fit
from crowdgold.models.opinion_histories import RIGHT, WRONG, Histories
from crowdgold.models.opinion_histories import fit as fit_histories
from crowdgold.simulate import simulate
from crowdgold.simulate.expert_opinions import RANDOM, RARER, Erring, draw_opinions, with_opinions
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD, Items
from crowdgold.types.opinions import Opinions, read_expert_error

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


def expected_table(size=1000):
    """Opinions (m, 3), and how many items have each history: as many as are expected."""
    labels, count = [], []
    for history, protocol in all_histories():
        whole = SHARE * chance_of(history, 1) + (1 - SHARE) * chance_of(history, 0)
        labels.append(history)
        count.append(size * protocol * whole)
    return np.array(labels), np.array(count)


def expected_items(size=200_000):
    """Opinions of so many items, in expected proportions, so that rounding is one in a thousand."""
    labels, count = expected_table(size)
    return np.repeat(labels, np.round(count).astype(int), axis=0)


def test_a_corrected_value_has_the_truth_as_its_mean_whatever_share_it_is_made_for():
    """By enumeration of all histories; counts are rounded, which moves c_kr by less than 1e-3."""
    histories = Histories.of(expected_items(), np.zeros(len(expected_items()), dtype=int))
    place = {(k, r): j for j, (k, r) in
             enumerate(zip(histories.positive, histories.number, strict=True))}  # fmt: skip
    for share in (0.1, SHARE, 0.7):
        z = histories.corrected(S, T, share)
        for y in (0, 1):
            mean = sum(
                protocol * chance_of(one, y) * z[place[one.count(1), 3 - one.count(-1)]]
                for one, protocol in all_histories()
            )
            assert mean == pytest.approx(y, abs=2e-3)


def test_a_mean_of_experts_is_without_bias_where_who_is_asked_depends_on_what_was_said():
    """By enumeration, for items that any share of experts calls positive; k / r has a bias."""
    labels = expected_items()
    histories = Histories.of(labels, np.zeros(len(labels), dtype=int))
    ends = dict(zip(zip(histories.positive.tolist(), histories.number.tolist(), strict=True),
                    histories.mean, strict=True))  # fmt: skip
    for share in (0.05, 0.2, 0.6):
        found, plain = 0.0, 0.0
        for one, protocol in all_histories():
            k, r = one.count(1), 3 - one.count(-1)
            chance = protocol * share**k * (1 - share) ** (r - k)
            found += chance * ends[k, r]
            plain += chance * k / r
        assert found == pytest.approx(share, abs=2e-3)
        assert abs(plain - share) > 5e-3


def test_one_opinion_is_corrected_by_the_known_formula():
    labels = np.array([[1], [0], [0], [1], [0]])
    histories = Histories.of(labels, np.zeros(5, dtype=int))
    z = dict(zip(histories.positive.tolist(), histories.corrected(0.9, 0.8, 0.4), strict=True))
    assert z[1] == pytest.approx((1 - 0.2) / 0.7)
    assert z[0] == pytest.approx((0 - 0.2) / 0.7)


def test_no_other_value_with_that_mean_varies_less():
    """Any change of Z over histories that keeps both means adds variance."""
    labels = expected_items(20_000)
    histories = Histories.of(labels, np.zeros(len(labels), dtype=int))
    one, zero = histories.likelihoods(S, T)
    of_class = np.stack([histories.chance * one, histories.chance * zero])
    z = histories.corrected(S, T, SHARE)
    whole = SHARE * of_class[0] + (1 - SHARE) * of_class[1]
    rng = np.random.default_rng(1)
    for _ in range(20):
        change = rng.normal(size=len(z))
        change -= of_class.T @ np.linalg.solve(of_class @ of_class.T, of_class @ change)
        assert (whole * (z + 0.1 * change) ** 2).sum() > (whole * z**2).sum()


def test_the_chance_of_an_end_is_the_protocols():
    labels = expected_items()
    histories = Histories.of(labels, np.zeros(len(labels), dtype=int))
    wanted: dict[tuple[int, int], float] = {}
    for one, protocol in all_histories():
        key = one.count(1), 3 - one.count(-1)
        wanted[key] = wanted.get(key, 0) + protocol
    found = {(k, r): c for k, r, c in
             zip(histories.positive, histories.number, histories.chance, strict=True)}  # fmt: skip
    assert found == pytest.approx(wanted, abs=2e-3)


def summed_over_labels(parameters, labels, count, prior):
    """Minus the log posterior of log odds of share, s, t: a sum over each item's latent label."""
    share, s, t = expit(parameters)
    total = 0.0
    for history, times in zip(labels, count, strict=True):
        own = tuple(int(one) for one in history)
        both = [share * chance_of(own, 1, s, t), (1 - share) * chance_of(own, 0, s, t)]
        total += times * np.log(sum(both))
    total += prior * (RIGHT * np.log(s * t) + WRONG * np.log((1 - s) * (1 - t)))
    return -total


def test_em_finds_the_highest_posterior_which_a_search_over_latent_labels_finds():
    rng = np.random.default_rng(2)
    truth = (rng.random(300) < 0.3).astype(int)
    drawn = draw_opinions(truth, Erring(0.15, 0.08), RANDOM, rng)
    labels, count = np.unique(drawn, axis=0, return_counts=True)
    found = fit_histories(Histories.of(drawn, np.zeros(300, dtype=int)))
    best = minimize(
        summed_over_labels, logit([0.3, 0.9, 0.9]), args=(labels, count, 1.0), tol=1e-10
    )
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
    """Refit with one kind of items counted a little more; expected proportions of 2,000 items, so
    that the expected information is the observed one but for rounding and the prior (5 %)."""
    labels = expected_items(2000)
    items = judged_items(labels)
    errors = expert_errors(items)
    assert errors.source == FREE
    histories, step = errors.histories, 0.5
    moves, added = [], []
    for kind in range(len(histories.number)):
        count = histories.count.copy()
        own = int((errors.kind == kind).sum())
        if own == 0:
            continue
        count[0, kind] += step
        more = fit_histories(replace(histories, count=count))
        before = fit_histories(histories)
        moves.append(
            [(logit(more.s) - logit(before.s)) / step, (logit(more.t) - logit(before.t)) / step]
        )
        added.append(errors.contributions[errors.kind == kind][0])
    largest = np.abs(moves).max(axis=0)
    # Centred: the prior's own pull is left out of what items add.
    assert np.abs(np.array(moves) - np.array(added)).max(axis=0) == pytest.approx(
        [0, 0], abs=0.08 * largest.max()
    )
    assert (np.abs(added).max(axis=0) > 0.5 * largest).all()


def test_derivatives_are_those_of_the_corrected_mean():
    """One opinion: the mean is (p - (1 - t)) / (s + t - 1), whose derivative is known; over a step
    of .04 its bend adds under one in a hundred."""
    labels = np.array([[1]] * 30 + [[0]] * 70)
    items = judged_items(labels).with_expert_error("0.05:0.15,0.1")
    errors = expert_errors(items)
    (slope,) = errors.derivatives(lambda z: np.array([z.mean()]))
    s, t, p = 0.9, 0.9, 0.3
    wanted = (p - (1 - t)) / (s + t - 1) ** 2  # by the error on positive items
    assert slope[0] == pytest.approx(wanted, rel=1e-2)
    assert errors.spread == pytest.approx([0.1 / 3.919928])
    both = expert_errors(judged_items(labels).with_expert_error("0.05:0.15"))
    (slope,) = both.derivatives(lambda z: np.array([z.mean()]))
    assert slope[0] == pytest.approx((2 * p - 1) / 0.8**2, rel=1e-2)


def test_sources_are_taken_in_their_order():
    rng = np.random.default_rng(4)
    truth = (rng.random(400) < 0.3).astype(int)
    labels = draw_opinions(truth, Erring(0.1, 0.1), RANDOM, rng)
    votes = np.where(rng.random(400) < np.where(truth == 1, 0.8, 0.1), 3, 0)
    items = replace(judged_items(labels), votes_positive=votes)
    assert expert_errors(items).source == FREE
    two = labels.copy()
    two[:, 2] = -1
    items = replace(items, opinions=Opinions.of(two))
    assert "most votes are positive" in expert_errors(items).source
    alike = replace(items, votes_positive=np.zeros(400, dtype=int))
    found = expert_errors(alike)
    assert found.source == EQUAL
    assert found.sensitivity == found.specificity
    given = items.with_expert_error(0.04)
    assert expert_errors(given).sensitivity == pytest.approx(0.96)


@pytest.mark.parametrize("doubles", [0, 1, 2])
def test_too_few_second_opinions_do_not_tell(doubles):
    labels = np.full((100, 2), -1)
    labels[:, 0] = np.arange(100) % 4 == 0
    labels[:doubles, 1] = labels[:doubles, 0]
    why = why_unknown(judged_items(labels))
    assert "opinion" in why or "one expert's label" in why


def test_experts_who_agree_as_if_at_random_are_not_identified():
    rng = np.random.default_rng(5)
    labels = rng.integers(0, 2, (300, 3))
    assert why_unknown(judged_items(labels))


def test_the_estimate_is_that_of_right_labels_where_experts_never_err():
    rng = np.random.default_rng(6)
    items = simulate("maven", STUDY, rng).table
    given = items.with_expert_error("0")
    for corrected, plain in (("logistic-E", "logistic-R"), ("GT-E", "GT")):
        found, wanted = (
            evaluate(fit(method, own, rng), own, ["prevalence", "AUC:A", "delta_AUC"], rng)
            for method, own in ((corrected, given), (plain, items))
        )
        for one, other in zip(found, wanted, strict=True):
            assert (one.estimate, one.lower, one.upper) == pytest.approx(
                (other.estimate, other.lower, other.upper), abs=1e-4
            )


def test_an_interval_of_a_given_error_makes_intervals_wider_and_moves_no_estimate():
    rng = np.random.default_rng(7)
    items = simulate("maven", STUDY, rng).table
    known, unsure = (items.with_expert_error(one) for one in ("0.05", "0.02:0.08"))
    metrics = ["prevalence", "AUC:A", "delta_AUC"]
    found = [evaluate(fit("logistic-E", one, rng), one, metrics, rng) for one in (known, unsure)]
    for one, other in zip(*found, strict=True):
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
    from crowdgold.types.items import items_from_frame

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


def with_positives(count, error, size=200):
    """Why labels of one expert, so many of them positive, contradict an error."""
    labels = (np.arange(size) < count).astype(int)[:, None]
    return why_unknown(judged_items(labels).with_expert_error(error))


def test_an_error_that_the_labels_contradict_is_refused_with_the_largest_that_they_allow():
    """Of 200 labels 32 are positive; the exact upper end of that share is .2183."""
    why = with_positives(32, "0.3")
    assert "32 of 200 first labels are positive" in why
    assert "30 % of the negative items" in why
    assert "allow an error of 0.218 at most" in why
    assert with_positives(32, "0.219")
    assert with_positives(32, "0.218") == with_positives(32, "0.4,0.1") == ""
    assert "30 % of the negative items" in with_positives(32, "0.1,0.3")
    assert "32 of 200 first labels are negative" in with_positives(168, "0.3")


def test_an_interval_of_errors_is_refused_where_the_labels_lie_off_it():
    """The share .16 reaches .058 upwards, an interval of width w reaches w / 2 down from .3."""
    assert with_positives(32, "0.2:0.4")  # .3 - .16 is above the root of .058^2 + .1^2
    assert with_positives(32, "0.15:0.45") == ""  # and below that of .058^2 + .15^2


def test_labels_of_negative_items_alone_seldom_contradict_the_error_that_made_them():
    """An exact bound: in at most 2.5 of 100 studies; 4 errors of Monte Carlo above that."""
    given, rng = read_expert_error("0.1"), np.random.default_rng(12)
    labels = (rng.random((2000, 200)) < 0.1).astype(int)
    refused = [bool(given.contradicted_by(one)) for one in labels]
    assert np.mean(refused) <= 0.025 + 4 * np.sqrt(0.025 * 0.975 / 2000)
    assert any(refused)
