"""The Annotations table: what it holds, and what it says of rows that cannot be used."""

import numpy as np
import pandas as pd
import pytest

from crowdgold.models.clara.model import CONFUSION, empirical_prior, find_label_patterns
from crowdgold.models.majority import majority_shares
from crowdgold.reading.tables import read_annotations
from crowdgold.types.annotations import annotations_from_frame
from crowdgold.types.errors import InputError

LABELS = pd.DataFrame(
    [(row[0], f"R{row[1]}", row[2]) for row in
     ["11a", "12b", "22a", "23a", "24c", "33a", "31b", "35c", "41b", "53a", "51b", "55c", "52a"]],
    columns=["item", "annotator", "label"],
)  # fmt: skip
SCORES = pd.DataFrame(
    [("1", 0.4, 0.5, 0.1), ("2", 0.8, 0.05, 0.15), ("4", 0.2, 0.6, 0.2)],
    columns=["item", "a", "b", "c"],
)
"""CLARA, table 2: labels by reviewer, and the classifier's scores."""
JUDGED = pd.DataFrame(
    [("q1", "B", "R2", "1"), ("q2", "B", "R1", "0"), ("q1", "A", "R1", "0"),
     ("q1", "B", "R1", "0"), ("q2", "A", "R2", "1")],
    columns=["item", "agent", "annotator", "label"],
)  # fmt: skip
"""Two prompts, answered by two agents."""


def rows_of(frame):
    return frame[["item", "annotator", "label"]].to_numpy().tolist()


@pytest.fixture
def table_2():
    return annotations_from_frame(LABELS, scores=SCORES)


def test_table_2_of_the_paper(table_2):
    assert table_2.category.tolist() == ["a", "b", "c"]
    assert table_2.labels_of_item.tolist() == [2, 3, 3, 1, 4]
    assert table_2.votes().tolist() == [[1, 1, 0], [2, 0, 1], [1, 1, 1], [0, 1, 0], [2, 1, 1]]
    (scores,) = table_2.scores.values()
    assert np.isnan(scores).all(axis=1).tolist() == [False, False, True, False, True]
    assert scores[1].tolist() == [0.8, 0.05, 0.15]
    assert rows_of(table_2.to_frame()) == rows_of(LABELS)


def test_rows_may_come_in_any_order_and_labels_of_an_item_keep_theirs():
    mixed = LABELS.iloc[[5, 0, 8, 3, 1, 2, 9, 4, 6, 7, 10, 11]].reset_index(drop=True)
    found = annotations_from_frame(mixed)
    assert (np.diff(found.item_of) >= 0).all()
    own = found.to_frame()
    for item, rows in mixed.groupby("item", sort=False):
        assert own[own["item"] == item]["label"].tolist() == rows["label"].tolist()


def test_an_item_with_scores_alone_is_kept_and_a_category_without_a_label():
    scores = pd.concat([SCORES, pd.DataFrame({"item": ["6"], "a": [1], "b": [0], "c": [0]})])
    found = annotations_from_frame(LABELS, scores=scores)
    assert (found.item[-1], found.labels_of_item[-1]) == ("6", 0)
    found = annotations_from_frame(LABELS.assign(label="yes"), categories=["no", "yes"])
    assert set(found.label) == {1}


def test_the_prior_takes_the_majority_for_the_truth_and_ties_are_shared(table_2):
    """By hand: theta_0 from the shares and a third of a pseudo label a category."""
    third = 1 / 3
    shares = np.array([[0.5, 0.5, 0], [1, 0, 0], [third] * 3, [0, 1, 0], [1, 0, 0]])
    np.testing.assert_allclose(majority_shares(table_2), shares)
    prior = empirical_prior(table_2, alpha=2.0, gamma=3.0)
    np.testing.assert_allclose(prior.theta, 2 * (shares.sum(axis=0) + third) / (5 + 1))
    given_a = np.array([0.5 + 2 + third + 2, 0.5 + third + 1, 1 + third + 1]) + third
    np.testing.assert_allclose(prior.psi[0], 3 * given_a / given_a.sum())
    np.testing.assert_allclose(prior.psi.sum(axis=1), 3)
    for bad in ({"alpha": 0.0}, {"gamma": -1.0}, {"alpha": float("nan")}):
        with pytest.raises(InputError, match="expected a positive number"):
            empirical_prior(table_2, **bad)


def first_row(frame, **values):
    """The table with such values in its first row."""
    frame = frame.astype(object)
    frame.loc[0, list(values)] = list(values.values())
    return frame


@pytest.mark.parametrize(
    ("frame", "options", "said"),
    [
        (first_row(LABELS, label=""), {}, r"column 'label', row 0: found '', expected a value"),
        (first_row(LABELS, annotator="R2"), {}, r"column 'annotator', rows 0, 1: found 'R2 on 1'"),
        (first_row(LABELS, item=None), {}, r"column 'item', row 0"),
        (LABELS, {"categories": ["a", "b"]}, r"column 'label', rows 4, 7, 11: found 'c', expected"),
        (LABELS.assign(label="yes"), {}, "every label is 'yes'"),
        (LABELS, {"repeated": "newest"}, "expected one of refuse, first, last"),
        (LABELS, {"scores": first_row(SCORES, a=0.5)}, r"row 0: found 1.1, expected .* add to 1"),
        (LABELS, {"scores": first_row(SCORES, b="?")}, r"column 'b', row 0: found '\?', expected"),
        (LABELS, {"scores": first_row(SCORES, item="2")}, r"'item', rows 0, 1: found '2', expecte"),
        (JUDGED.assign(item=["a", "a_b", "a", "c", "d"], agent=["b_c", "c", "x", "x", "x"]), {},
         "'a_b_c' is the name of two responses"),
        (JUDGED.assign(agent=["B", "", "A", "B", "A"]), {}, "'agent', row 1: found '', expected a"),
        (pd.concat([JUDGED, JUDGED], ignore_index=True), {},
         r"--repeated last \(in Python by repeated='first' or 'last', or all by 'keep'"),
        (JUDGED, {"credit": {"1": 1.0}}, "credit: found 1; expected a number for each of 0, 1"),
        (JUDGED, {"credit": {"1": 1.0, "0": "x"}}, "credit: 0: found 'x', expected a number"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_listed_by_row_and_column(frame, options, said):
    with pytest.raises(InputError, match=said):
        annotations_from_frame(frame, **options)


@pytest.mark.parametrize(("rule", "kept"), [("first", "a"), ("last", "b"), ("keep", "a")])
def test_a_repeated_label_is_kept_by_the_rule(rule, kept):
    frame = LABELS.copy()
    frame.loc[1, "annotator"] = "R1"
    found = annotations_from_frame(frame, repeated=rule)
    assert found.to_frame()["label"].tolist()[0] == kept
    assert len(found) == len(frame) - (rule != "keep")


def test_a_file_with_other_names_is_read(tmp_path):
    path = tmp_path / "labels.csv"
    LABELS.rename(columns={"annotator": "worker"}).to_csv(path, index=False)
    found = read_annotations(path, columns={"worker": "annotator"})
    assert rows_of(found.to_frame()) == rows_of(LABELS)


@pytest.mark.parametrize("confusion", CONFUSION)
def test_patterns_hold_the_counts_of_every_item(confusion):
    """Random labels of three groups against counting in a dictionary, item by item."""
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(
        {"item": rng.integers(0, 60, 200).astype(str), "annotator": np.arange(200).astype(str),
         "label": rng.choice(["x", "y", "z"], 200), "group": rng.choice(["g", "h", "i"], 200)}
    )  # fmt: skip
    if confusion == "annotator":
        frame["annotator"] = rng.integers(0, 4, 200).astype(str)
        frame = frame.drop_duplicates(["item", "annotator"])
    found = annotations_from_frame(frame)
    patterns, kinds = find_label_patterns(found, confusion), {}
    assert patterns.count.sum() == len(found.item)
    matrix = {"annotator": found.annotator_of, "group": found.group_of,
              "shared": np.zeros(len(found), int)}[confusion]  # fmt: skip
    for i in range(len(found.item)):
        own, p = found.item_of == i, patterns.pattern_of[i]
        content = sorted(zip(matrix[own].tolist(), found.label[own].tolist(), strict=True))
        cells = slice(patterns.start[p], patterns.start[p + 1])
        parts = (part[cells] for part in (patterns.matrix, patterns.label, patterns.times))
        held = [(m, r) for m, r, times in zip(*parts, strict=True) for _ in range(times)]
        assert held == content
        kinds.setdefault(tuple(content), set()).add(p)
    assert all(len(one) == 1 for one in kinds.values())
    assert len(kinds) == len(patterns)
    alone = find_label_patterns(found, confusion, exchangeable=False)
    assert alone.pattern_of.tolist() == list(range(len(found.item)))
    with pytest.raises(InputError, match="expected one of annotator, group, shared"):
        find_label_patterns(found, "each")


def test_a_response_is_an_item_of_an_agent():
    table = annotations_from_frame(JUDGED)
    assert table.annotator.tolist() == ["R2", "R1"]
    for found in (table, annotations_from_frame(table.to_frame())):
        assert found.item.tolist() == ["q1_B", "q2_B", "q1_A", "q2_A"]
        assert found.agent.tolist() == ["B", "A"]
        assert found.agent_of.tolist() == [0, 0, 1, 1]
        assert rows_of(found.to_frame()) == rows_of(table.to_frame())


def test_names_of_responses_stay_where_they_need_no_agent():
    """Where each item is of one agent, or no agent is named."""
    table = annotations_from_frame(JUDGED.assign(item=["a", "b", "c", "a", "d"]))
    assert table.item.tolist() == ["a", "b", "c", "d"]
    assert table.agent_of.tolist() == [0, 0, 1, 1]
    table = annotations_from_frame(JUDGED.drop(columns="agent"), repeated="first")
    assert len(table.agent) == len(table.agent_of) == 0
    assert "agent" not in table.to_frame()


def test_credits_and_labels_of_some_annotators():
    table = annotations_from_frame(JUDGED, credit={"1": 1.0, "0": 0.25})
    assert table.credit.tolist() == [0.25, 1.0]
    some = table.of_annotators(np.array([False, True]))
    assert some.item.tolist() == table.item.tolist()
    assert some.labels_of_item.tolist() == [1, 1, 1, 0]
    assert set(some.annotator_of) == {1}
