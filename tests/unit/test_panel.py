"""Panels of named judges: their votes against what the process says of them."""

import numpy as np
import pytest

from crowdgold.simulate import simulate
from crowdgold.types.annotations import labels_by_judge
from crowdgold.types.errors import InputError

ITEMS = 60_000
JUDGES = {
    "ann": {"tpr": 0.85, "tnr": 0.9}, "bob": {"tpr": 0.75, "tnr": 0.8},
    "eve": {"tpr": 0.3, "tnr": 0.35}, "kim": {"tpr": 0.9, "tnr": 0.7},
}  # fmt: skip
GIVEN = {
    "n": ITEMS, "n_gold": 0, "phi": 0.3, "judges": JUDGES, "votes_total": 4,
    "predictors": {"A": {"mu": 1.2, "ease": 0.6}},
}  # fmt: skip
UNLIKE = {
    "copied": {"judges": {**JUDGES, "bob": {"tpr": 0.75, "tnr": 0.8, "copies": "ann",
                                            "copying": 0.6}}},
    "both copy one": {"judges": {**JUDGES, **{name: {"tpr": 0.8, "tnr": 0.8, "copies": "ann"}
                                              for name in ("bob", "kim")}}},
    "camps": {"disputed": 0.2, "judges": {
        **JUDGES, **{name: {**JUDGES[name], "camp": True} for name in ("ann", "kim")}}},
    "hard items": {"correlation": 0.2},
}  # fmt: skip


def drawn(seed=1, **changes):
    return simulate("panel", {**GIVEN, **changes}, np.random.default_rng(seed))


def correlation(table, truth):
    """Mean covariance of two judges' votes given the label over their mean variance."""
    parts = [np.mean(truth == y) * np.cov(table[truth == y].T) for y in (0, 1)]
    total = sum(parts)
    return total[np.triu_indices(len(total), 1)].mean() / np.diagonal(total).mean()


def test_each_judge_has_the_rates_that_are_given_however_hard_items_are():
    """60,000 items, 18,000 positive; five standard errors."""
    table = drawn(correlation=0.2).table
    votes = labels_by_judge(table.labels)
    assert table.labels.annotator.tolist() == list(JUDGES)
    assert (votes.sum(axis=1) == table.votes_positive).all()
    for judge, name in enumerate(JUDGES):
        for label, rate in ((1, JUDGES[name]["tpr"]), (0, 1 - JUDGES[name]["tnr"])):
            own = votes[table.truth == label, judge]
            assert abs(own.mean() - rate) < 5 * np.sqrt(rate * (1 - rate) / len(own))


@pytest.mark.parametrize("wanted", [0.0, 0.2, 0.6])
def test_errors_have_the_correlation_that_is_asked_for(wanted):
    """The standard error of rho is .003 or less here; five of them."""
    alike = {name: {"tpr": 0.85, "tnr": 0.85} for name in JUDGES}
    replicate = drawn(judges=alike, correlation=wanted)
    found = correlation(labels_by_judge(replicate.table.labels), replicate.table.truth)
    assert abs(found - wanted) < 0.015
    assert replicate.parameters["correlation"] == pytest.approx(wanted, abs=1e-6)
    assert replicate.parameters["effective_votes"] == pytest.approx(4 / (1 + 3 * wanted))


@pytest.mark.parametrize("kind", UNLIKE)
def test_what_is_known_of_a_panel_is_what_its_votes_show(kind):
    """Rates of all votes, to five of their standard errors at most .002, and rho, to .015."""
    replicate = drawn(**UNLIKE[kind])
    table, known = replicate.table, replicate.parameters
    votes = labels_by_judge(table.labels)
    assert abs(votes[table.truth == 1].mean() - known["TPR_H"]) < 0.01
    assert abs(1 - votes[table.truth == 0].mean() - known["TNR_H"]) < 0.01
    assert abs(correlation(votes, table.truth) - known["correlation"]) < 0.015
    positive, negative = (table.scores["A"][table.truth == y] for y in (1, 0))
    above = (positive[: len(negative) // 3, None] > negative[None, :3000]).mean()
    assert abs(above - known["AUC:A"]) < 0.02


def test_copies_and_camps_err_together_and_an_ease_makes_scores_err_with_judges():
    plain = drawn().parameters["correlation"]
    assert plain == pytest.approx(0, abs=1e-12)
    for kind in ("copied", "both copy one", "camps"):
        assert abs(drawn(n=100, **UNLIKE[kind]).parameters["correlation"]) > 0.01
    for ease, low, high in ((0.0, -0.02, 0.02), (0.8, 0.05, 1.0)):
        table = drawn(correlation=0.2, predictors={"A": {"mu": 1.0, "ease": ease}}).table
        own = table.truth == 1
        shared = np.corrcoef(table.scores["A"][own], table.votes_positive[own])[0, 1]
        assert low < shared < high


def test_some_judges_of_a_panel_vote_on_each_item():
    table = drawn(n=3000, votes_total={2: 0.5, 3: 0.5}).table
    votes = labels_by_judge(table.labels)
    assert ((votes >= 0).sum(axis=1) == table.votes_total).all()
    share = (votes >= 0).mean(axis=0)
    assert np.abs(share - 2.5 / 4).max() < 5 * np.sqrt(0.25 / 3000)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"correlation": 0.9}, "'correlation': found 0.9; judges of these rates have errors"),
        ({"votes_total": 5}, "'votes_total': found 5, expected at most 4, as many as judges"),
        ({"judges": {"ann": JUDGES["ann"]}}, "'judges': found .*, expected two or more"),
        ({"judges": {**JUDGES, "bob": 3}}, "judge 'bob': found 3, expected {tpr: number"),
        ({"judges": {**JUDGES, "bob": {"tpr": 1.5, "tnr": 0.8}}}, "judge 'bob': parameter 'tpr'"),
        ({"judges": {**JUDGES, "bob": {**JUDGES["bob"], "copies": "sam"}}},
         "'copies': found 'sam', expected another judge, who copies no one"),
        ({"disputed": 1}, "'disputed': found 1"),
        ({"panel": 2}, "no parameter 'panel'"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_refused(changes, message):
    with pytest.raises(InputError, match=message):
        drawn(**{"n": 50, **changes})
