"""Annotators of two camps: against the rates that the process has."""

import numpy as np
import pytest

from crowdgold.metrics.reviewers import true_values
from crowdgold.simulate import simulate
from crowdgold.types.errors import InputError

GIVEN = {
    "n": 20_000, "prevalence": 0.3, "n_annotators": 10, "n_labels": 4, "minority": 0.3,
    "disputed": 0.2, "right": 0.9,
}  # fmt: skip


def drawn(seed=1, **changes):
    return simulate("two_camps", {**GIVEN, **changes}, np.random.default_rng(seed))


def right_of(table):
    return table.label == table.truth[table.item_of]


def test_each_annotators_rates_are_those_of_the_camp():
    """8,000 labels an annotator; five standard errors."""
    replicate = drawn()
    table, rates = replicate.table, replicate.parameters
    assert len(table) == 4 * 20_000
    for place, name in enumerate(table.annotator):
        mine = table.annotator_of == place
        expected = 0.2 * 0.1 + 0.8 * 0.9 if int(name[1:]) <= 3 else 0.9
        assert rates[f"TPR:{name}"] == rates[f"TNR:{name}"] == pytest.approx(expected)
        error = np.sqrt(expected * (1 - expected) / mine.sum())
        assert abs(right_of(table)[mine].mean() - expected) < 5 * error
    assert true_values("TPR:each", table, rates)["R01"] == pytest.approx(0.74)


def test_the_smaller_camp_errs_together_and_the_larger_apart():
    """Two labels of an item, both of one camp: that both are wrong has the chance of two errors
    that know nothing of one another in the larger camp, and another in the smaller. 5 errors.
    """
    table = drawn(n=40_000, n_labels=2).table
    wrong = ~right_of(table).reshape(-1, 2)
    small = (table.annotator_of < 3).reshape(-1, 2)
    for camp, expected in (
        (small.all(axis=1), 0.2 * 0.81 + 0.8 * 0.01),
        ((~small).all(axis=1), 0.01),
    ):
        found = wrong[camp].all(axis=1)
        assert abs(found.mean() - expected) < 5 * np.sqrt(expected / camp.sum())


def test_without_disputes_and_without_a_minority_all_are_alike():
    for changes in ({"disputed": 0}, {"minority": 0}):
        rates = set(drawn(n=50, **changes).parameters.values())
        assert rates == {0.3, 0.9}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"n_annotators": 3}, "'n_annotators': found 3, expected a whole number at least 4"),
        ({"right": 0.5}, "'right': found 0.5, expected a number above 0.5"),
        ({"minority": 0.5}, "'minority': found 0.5, expected a number that is 0 or more and"),
        ({"disputed": -0.1}, "found -0.1, expected a number that is 0 or more and below 1"),
        ({"camps": 2}, "no parameter 'camps'"),
    ],
)
def test_what_cannot_be_drawn_is_refused(changes, message):
    with pytest.raises(InputError, match=message):
        drawn(**changes)
