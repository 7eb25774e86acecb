"""Wawa: a majority weighted by each annotator's agreement with the plain one."""

import numpy as np
import pandas as pd
import pytest

from crowdgold.inference.labels import evaluate
from crowdgold.methods.registry import fit
from crowdgold.methods.wawa import weighted_majority
from crowdgold.models.majority import NO_LABEL
from crowdgold.simulate import simulate
from crowdgold.types.annotations import annotations_from_frame
from crowdgold.types.errors import InputError
from unit.reference import make_items


def table(rows):
    return annotations_from_frame(pd.DataFrame(rows, columns=["item", "annotator", "label"]))


def test_skills_and_labels_by_hand():
    """Majorities 0 and 1, and a tie on c. Skills: w 2.5 / 3, x 1.5 / 2, y 1 / 2, z 0 / 1.

    The tied item goes to w, who agrees more often than x.
    """
    labels = table(
        [("a", "w", "0"), ("a", "y", "0"), ("a", "z", "1"),
         ("b", "w", "1"), ("b", "x", "1"), ("b", "y", "0"),
         ("c", "w", "1"), ("c", "x", "0")]
    )  # fmt: skip
    found, skill = weighted_majority(labels)
    known = dict(zip(labels.annotator, skill, strict=True))
    assert known == pytest.approx({"w": 2.5 / 3, "x": 1.5 / 2, "y": 1 / 2, "z": 0})
    assert found.tolist() == [0, 1, 1]


def test_an_item_without_labels_has_none():
    labels = table([("a", "w", "0"), ("b", "w", "1"), ("b", "x", "1")])
    one = labels.of_items(np.array([0, 1]))
    emptied = type(one)(**{**vars(one), "item": np.append(one.item, "none")})
    assert weighted_majority(emptied)[0].tolist() == [0, 1, NO_LABEL]


def test_ties_go_to_the_better_annotators_which_a_plain_majority_leaves_to_chance():
    """Two annotators are right 95 times of 100, two toss a coin: where the pairs differ,
    a fourth of the items, MV errs on half. The difference is far above five standard errors.
    """
    given = {"n": 4000, "prevalence": 0.5, "design": "all", "n_reviewers": 4, "n_labels": 4,
             "rater_types": [0.95, 0.95, 0.5, 0.5]}  # fmt: skip
    labels = simulate("clara", given, np.random.default_rng(1)).table
    weighted, plain = (
        np.mean(fit(name, labels, np.random.default_rng(2)).labels.labels != labels.truth)
        for name in ("Wawa", "MV")
    )
    assert weighted < plain - 5 * np.sqrt(2 * 0.25 / 4000)


def test_it_fits_the_labels_behind_votes_and_refuses_votes_of_nobody():
    drawn = simulate(
        "irt",
        {"n": 300, "phi": 0.4, "mu_s": 2, "sigma_s": 1, "mu_d": 0, "sigma_d": 1, "offset": 0,
         "n_voters": 5, "votes_total": 3, "n_gold": 10, "annotators": True,
         "predictors": {"A": {"mu": 1, "delta": 1}}},
        np.random.default_rng(3),
    ).table  # fmt: skip
    found = fit("Wawa", drawn, np.random.default_rng(4))
    (one,) = evaluate(found, drawn, ["AUC"], np.random.default_rng(5))
    assert one.lower < one.estimate < one.upper
    with pytest.raises(InputError, match="Wawa needs to know who gave each vote"):
        fit("Wawa", make_items([1, 2], 3, -1), np.random.default_rng(0))
