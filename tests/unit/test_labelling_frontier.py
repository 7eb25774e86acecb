"""The check of labelling policies: its rows, its gate, and what it refuses."""

import numpy as np
import pytest

from crowdgold.papers.clara.experiments import COLUMNS, compute_labelling_frontier, take_items
from crowdgold.simulate import simulate
from crowdgold.types.errors import InputError

REVIEWERS = {
    "prevalence": 0.3, "design": "all", "n_reviewers": 5, "n_labels": 3,
    "rater_types": [0.8, 0.85, 0.95],
}  # fmt: skip
SHORT = {
    "n": 2000, "n_train": 1500, "warmup": 500, "draws": 2000, "lag": 1
}  # fmt: skip
STAND_IN = {
    "prevalence": 0.1, "design": "tie_break", "n_reviewers": 10, "tpr": 0.85, "tnr": 0.95,
    "quality_sd": 0.05, "against": "majority",
}  # fmt: skip


def run(parameters, seed=1):
    return compute_labelling_frontier(parameters, np.random.default_rng(seed))


def test_items_are_parted_with_their_labels():
    table = simulate("clara", {"n": 50, **REVIEWERS}, np.random.default_rng(1)).table
    parts = take_items(table, 0, 20), take_items(table, 20, 50)
    for part, first in zip(parts, (0, 20), strict=True):
        own = table.to_frame()
        own = own[own["item"].astype(int).between(first, first + len(part.item) - 1)]
        assert part.to_frame().to_numpy().tolist() == own.to_numpy().tolist()
        assert part.truth.tolist() == table.truth[first : first + len(part.item)].tolist()
        assert part.annotator.tolist() == table.annotator.tolist()


@pytest.fixture(scope="module")
def rows():
    return run({**REVIEWERS, **SHORT})


def test_the_rows_are_those_of_figure_5(rows):
    """The prevalence is within 5 of its errors: posterior 0.017 and validation 0.010 added."""
    assert tuple(rows.columns) == COLUMNS
    assert rows["policy"].value_counts().to_dict() == {
        "tie-breaking": 1, "random stratified": 11, "CLARA": 51
    }  # fmt: skip
    clara = rows[rows["policy"] == "CLARA"]
    assert clara["threshold_or_share"].tolist() == pytest.approx(np.arange(50, 101) / 100)
    assert clara["share_of_labels"].iloc[[0, -1]].tolist() == pytest.approx([1 / 3, 1])
    assert rows["prevalence_truth"].nunique() == 1
    assert abs(rows["prevalence_truth"][0] - 0.3) < 5 * np.sqrt(0.3 * 0.7 / 2000)
    off = clara["prevalence_estimate"] - clara["prevalence_truth"]
    assert off.abs().max() < 5 * np.hypot(0.017, 0.010)


def test_with_as_many_labels_clara_is_more_accurate(rows):
    """Than random reviews with at most half of the labels, by 3 errors of a difference; and no less
    than tie-breaking with as many labels, but for 3 errors. They are binomial, for 2,000 items.
    """
    (tie,) = rows.loc[rows["policy"] == "tie-breaking", "accuracy"]
    (spent,) = rows.loc[rows["policy"] == "tie-breaking", "share_of_labels"]
    half, most = (
        rows[rows["share_of_labels"] <= share].groupby("policy")["accuracy"].max()
        for share in (0.5, spent)
    )
    error = np.sqrt(2 * tie * (1 - tie) / 2000)
    assert half["CLARA"] > half["random stratified"] + 3 * error
    assert most["CLARA"] > tie - 3 * error


def test_against_the_majority_tie_breaking_is_always_right():
    small = {"n": 300, "n_train": 600, "warmup": 50, "draws": 20, "lag": 1}
    rows = run({**STAND_IN, **small, "threshold_step": 0.25, "share_step": 0.5})
    by_policy = rows.set_index(["policy", "threshold_or_share"])
    assert (by_policy.xs("tie-breaking")["accuracy"] == 1).all()
    assert (by_policy.xs("tie-breaking")["share_of_labels"] == 1).all()
    assert by_policy.loc[("random stratified", 1.0), "accuracy"] == 1
    assert by_policy.loc[("CLARA", 1.0), "share_of_labels"] == 1
    assert len(rows) == 1 + 3 + 3


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"n_trane": 5}, "no parameter 'n_trane'; did you mean 'n_train'"),
        ({"against": "gold"}, "no against 'gold'"),
        ({"draws": 0}, "parameter 'draws': found 0"), ({"tpr": 0.5}, "parameter 'tpr'"),
    ],
)  # fmt: skip
def test_slips_are_named(changes, said):
    with pytest.raises(InputError, match=said):
        run({**REVIEWERS, **SHORT, **changes})
