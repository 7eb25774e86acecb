"""Labelling policies: what they take and decide, against exact expectations and by hand."""

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from crowdgold.models.clara.labelling import (
    LabellingModel,
    LabelStream,
    asks_for_another,
    probabilities_so_far,
)
from crowdgold.planning import labelling
from crowdgold.types.errors import InputError
from unit.labelled_by_three import PREVALENCE, RATES, annotated, three_reviewers, true_model

ITEMS = 20_000


def by_hand():
    """Five items with labels in this order: 0 0 1, 1 1 1, 0 1 1, 1 0, 0."""
    given = {"a": "001", "b": "111", "c": "011", "d": "10", "e": "0"}
    rows = [(item, f"R{k}", one) for item, labels in given.items() for k, one in enumerate(labels)]
    return annotated(pd.DataFrame(rows, columns=["item", "annotator", "label"]))


def test_random_stratified_and_tie_breaking_by_hand():
    """Strata: a, c, e and b, d. A third takes one of three and one of two, all is tie-breaking; a
    tie that nobody breaks goes to the label that was given first."""
    annotations = by_hand()
    place = np.array([1 / 6, 0.25, 0.5, 0.75, 5 / 6])
    for done, used, final in (
        (labelling.random_stratified(annotations, 0, place), [1, 1, 1, 1, 1], [0, 1, 0, 1, 0]),
        (labelling.random_stratified(annotations, 1 / 3, place), [2, 2, 1, 1, 1], [0, 1, 0, 1, 0]),
        (labelling.random_stratified(annotations, 1, place), [2, 2, 3, 2, 1], [0, 1, 1, 1, 0]),
        (labelling.tie_breaking(annotations), [2, 2, 3, 2, 1], [0, 1, 1, 1, 0]),
    ):
        assert (done.used.tolist(), done.final.tolist()) == (used, final)
        np.testing.assert_allclose(done.prevalence, [1 - np.mean(final), np.mean(final)])
    assert labelling.majority_label(annotations).tolist() == [0, 1, 1, 1, 0]


def test_strata_give_the_same_share_of_items_and_larger_shares_hold_smaller_ones():
    rng = np.random.default_rng(1)
    annotations = annotated(three_reviewers(1003, rng))
    place = labelling.place_in_stratum(annotations, rng)
    first = annotations.label[np.cumsum(annotations.labels_of_item) - annotations.labels_of_item]
    for share in (0.0, 0.1, 0.37, 1.0):
        for stratum in (0, 1):
            taken, size = (place[first == stratum] < share).sum(), (first == stratum).sum()
            assert abs(taken - share * size) <= 0.5
    other = labelling.place_in_stratum(annotations, rng)
    assert (place != other).mean() > 0.9


def outcomes():
    """All (probability, truth, ((annotator, label), ...)) of three labels in a random order."""
    for order in itertools.permutations(RATES):
        for truth, *labels in itertools.product((0, 1), repeat=4):
            chance = (PREVALENCE if truth else 1 - PREVALENCE) / 6
            for name, label in zip(order, labels, strict=True):
                chance *= RATES[name] if label == truth else 1 - RATES[name]
            yield chance, truth, tuple(zip(order, labels, strict=True))


def expected(outcome):
    """Share of labels, accuracy and prevalence: the mean of `outcome` over all labellings."""
    return sum(chance * np.array(outcome(truth, labels)) for chance, truth, labels in outcomes())


def expected_of_clara(threshold):
    """By a stream that asks for labels."""

    def outcome(truth, labels):
        stream = LabelStream(true_model())
        for name, label in labels:
            found = stream.add("item", name, str(label))
            if not asks_for_another(found.confidence, found.labels, threshold):
                break
        positive = found.confidence if found.label == "1" else 1 - found.confidence
        return found.labels / 3, found.label == str(truth), positive

    return expected(outcome)


def expected_of_strata(wanted):
    def outcome(truth, labels):
        (_, first), (_, second), (_, third) = labels
        extra, final = (1, first) if first == second else (2, third)
        accuracy = (1 - wanted) * (first == truth) + wanted * (final == truth)
        return (1 + wanted * extra) / 3, accuracy, (1 - wanted) * first + wanted * final

    return expected(outcome)


def measured(thresholds, shares, rates=RATES):
    rng = np.random.default_rng(2)
    annotations = annotated(three_reviewers(ITEMS, rng, rates))
    table = labelling.compare_policies(
        true_model(), annotations, annotations.truth, thresholds, shares, rng
    )
    columns = ["share_of_labels", "accuracy", "prevalence_estimate"]
    by_policy = table.set_index("threshold_or_share").groupby("policy")
    return {policy: rows[columns] for policy, rows in by_policy}


def test_policies_cost_and_decide_what_is_expected():
    """Figure 5's reviewers at their true rates, 20,000 items: within 5 binomial errors, which
    bound those of any mean of values in [0, 1]. Other reviewers, the control, leave the bounds."""
    thresholds, shares = (0.5, 0.8, 0.9, 0.95, 1.0), (0.0, 0.3, 1.0)
    found, other = measured(thresholds, shares), measured(thresholds, shares, {**RATES, "R3": 0.7})
    for policy, settings, expect in (
        ("CLARA", thresholds, expected_of_clara),
        ("random stratified", shares, expected_of_strata),
    ):
        wanted = np.array([expect(value) for value in settings])
        allowed = 5 * np.sqrt((wanted * (1 - wanted)).clip(0) / ITEMS) + 1 / ITEMS
        assert (np.abs(found[policy].loc[list(settings)] - wanted) <= allowed).all(axis=None)
        assert (np.abs(other[policy].loc[list(settings)] - wanted) > allowed).any(axis=None)
    # The stratified policy at a share of 1 is tie-breaking.
    np.testing.assert_array_equal(found["tie-breaking"], found["random stratified"].tail(1))


def test_half_of_the_labels_give_95_per_cent():
    """Figure 5a at the true rates, exactly: CLARA's .95 at half of the labels, and what random
    reviews give for as many. Its prevalence is exact at every threshold (figure 5b): the
    probability is a martingale, and stopping does not bias it; the random one is not."""
    grid = np.array([expected_of_clara(value) for value in np.arange(0.5, 1.001, 0.01)])
    half = grid[grid[:, 0] <= 0.5, 1].max()
    assert half == pytest.approx(0.95, abs=0.01)
    assert 1 / 3 <= grid[:, 0].min() <= grid[:, 0].max() <= 1 + 1e-12
    assert grid[:, 2] == pytest.approx(PREVALENCE, abs=1e-12)
    strata = np.array([expected_of_strata(share) for share in np.linspace(0, 1, 21)])
    assert strata[strata[:, 0] <= 0.5, 1].max() < half - 0.05
    assert (strata[:, 2] > 1.2 * PREVALENCE).all()


def test_a_higher_threshold_never_takes_fewer_labels():
    annotations = annotated(three_reviewers(500, np.random.default_rng(3)))
    so_far = probabilities_so_far(true_model(), annotations)
    used = [labelling.until_confident(so_far, value).used for value in labelling.threshold_grid(2)]
    assert (np.diff(used, axis=0) >= 0).all()
    assert (used[0] == 1).all()
    assert (used[-1] == 3).all()
    np.testing.assert_allclose(labelling.threshold_grid(2), np.arange(50, 101) / 100, rtol=1e-12)
    assert labelling.threshold_grid(3)[0] >= 1 / 3
    assert labelling.threshold_grid(3, 0.05)[-1] == 1


def exhaustive(model, annotations, thresholds):
    """(threshold, mean labels, accuracy) by asking for the labels of each item one at a time."""
    rows, given = [], annotations.to_frame().groupby("item", sort=False)
    by_item = [own.to_numpy().tolist() for _, own in given]
    for threshold in thresholds:
        stream, done = LabelStream(model), []
        for own, truth in zip(by_item, annotations.truth, strict=True):
            for one in own:
                found = stream.add(*one)
                if not asks_for_another(found.confidence, found.labels, threshold):
                    break
            done.append((found.labels, found.label == str(truth)))
        rows.append((threshold, *np.mean(done, axis=0)))
    return rows


@pytest.fixture(scope="module")
def validation():
    annotations = annotated(three_reviewers(150, np.random.default_rng(4)))
    thresholds = labelling.threshold_grid(2, 0.02)
    frontier = labelling.measure_frontier(true_model(), annotations, annotations.truth, thresholds)
    return frontier, exhaustive(true_model(), annotations, thresholds)


def test_the_frontier_is_that_of_asking_one_by_one(validation):
    frontier, expected = validation
    np.testing.assert_allclose(frontier[["threshold", "labels", "accuracy"]], expected, rtol=1e-12)
    assert (frontier["items"] == 150).all()
    assert (frontier["accuracy_se"] > 0).all()
    assert frontier["labels_se"].iloc[0] == 0


def test_the_cheapest_threshold_of_an_accuracy_and_the_best_of_a_budget_are_chosen(validation):
    frontier, expected = validation
    for accuracy in (0.5, 0.9, 0.93, 0.94, 0.95):
        good = [(labels, -right, value) for value, labels, right in expected if right >= accuracy]
        choice = labelling.threshold_for_accuracy(frontier, accuracy)
        labels, right, value = choice.point[["labels", "accuracy", "threshold"]]
        assert choice.reached
        assert (labels, -right, value) == pytest.approx(min(good))
    for budget in (1, 1.5, 2, 3):
        good = [(-right, labels, value) for value, labels, right in expected if labels <= budget]
        choice = labelling.threshold_for_budget(frontier, budget)
        labels, right, value = choice.point[["labels", "accuracy", "threshold"]]
        assert choice.reached
        assert (-right, labels, value) == pytest.approx(min(good))


def test_what_no_threshold_reaches_is_said_with_the_nearest_and_a_close_choice_is_unsure(
    validation,
):
    frontier, expected = validation
    choice = labelling.threshold_for_accuracy(frontier, 1.0)
    assert not choice.reached
    best = frontier["accuracy"].max()
    assert choice.point["accuracy"] == best == pytest.approx(max(right for *_, right in expected))
    assert choice.message.startswith("No threshold reaches an accuracy of 1 on these items.")
    low = labelling.threshold_for_budget(frontier[frontier["labels"] > 1.2], 1.1)
    assert not low.reached
    assert low.message.startswith("No threshold takes as few as 1.1 labels an item.")
    assert (
        "on other items it can well be below"
        in labelling.threshold_for_accuracy(frontier, best).message
    )
    assert "on other items" not in labelling.threshold_for_accuracy(frontier, best - 0.3).message


def test_ties_in_probability_go_to_the_first_category_and_classes_may_be_many():
    model = LabellingModel(
        np.array(["a", "b", "c"], dtype=object), np.full(3, 1 / 3), "shared",
        np.array([], dtype=object), np.full((1, 3, 3), 1 / 3),
    )  # fmt: skip
    frame = pd.DataFrame({"item": ["i", "i"], "annotator": ["x", "y"], "label": ["c", "b"]})
    done = labelling.until_confident(probabilities_so_far(model, annotated(frame, "abc")), 0.5)
    assert (done.used.tolist(), done.final.tolist()) == ([2], [0])
    assert LabelStream(model).add("i", "x", "c").label == "a"


def test_items_without_labels_are_refused():
    bare = annotated(three_reviewers(5, np.random.default_rng(5)))
    bare = replace(bare, item=np.append(bare.item, "more"))
    with pytest.raises(InputError, match="1 items have no label, 'more' among them"):
        labelling.tie_breaking(bare)
    with pytest.raises(InputError, match="1 items have no label"):
        labelling.until_confident(probabilities_so_far(true_model(), bare), 0.9)
