"""The Annotations table: what it holds, and what it says of rows that cannot be used."""

import numpy as np
import pandas as pd
import pytest

from crowdgold.models.clara.prior import empirical_prior
from crowdgold.models.label_patterns import CONFUSION, find_label_patterns
from crowdgold.models.majority import majority_shares
from crowdgold.reading.tables import read_annotations
from crowdgold.types.annotations import annotations_from_frame
from crowdgold.types.errors import InputError

TABLE_2 = {
    "1": ([("R1", "a"), ("R2", "b")], (0.4, 0.5, 0.1)),
    "2": ([("R2", "a"), ("R3", "a"), ("R4", "c")], (0.8, 0.05, 0.15)),
    "3": ([("R3", "a"), ("R1", "b"), ("R5", "c")], None),
    "4": ([("R1", "b")], (0.2, 0.6, 0.2)),
    "5": ([("R3", "a"), ("R1", "b"), ("R5", "c"), ("R2", "a")], None),
}
"""CLARA, table 2: item -> labels by reviewer, and the classifier's scores."""


def labels_of_table_2():
    rows = [(item, *one) for item, (labels, _) in TABLE_2.items() for one in labels]
    return pd.DataFrame(rows, columns=["item", "annotator", "label"])


def scores_of_table_2():
    rows = [(item, *scores) for item, (_, scores) in TABLE_2.items() if scores]
    return pd.DataFrame(rows, columns=["item", "a", "b", "c"])


def rows_of(frame):
    return frame[["item", "annotator", "label"]].to_numpy().tolist()


@pytest.fixture
def table_2():
    return annotations_from_frame(labels_of_table_2(), scores=scores_of_table_2())


def test_table_2_of_the_paper(table_2):
    assert table_2.category.tolist() == ["a", "b", "c"]
    assert table_2.labels_of_item.tolist() == [2, 3, 3, 1, 4]
    assert table_2.votes().tolist() == [[1, 1, 0], [2, 0, 1], [1, 1, 1], [0, 1, 0], [2, 1, 1]]
    (scores,) = table_2.scores.values()
    assert np.isnan(scores).all(axis=1).tolist() == [False, False, True, False, True]
    assert scores[1].tolist() == [0.8, 0.05, 0.15]
    assert rows_of(table_2.to_frame()) == rows_of(labels_of_table_2())


def test_rows_may_come_in_any_order_and_labels_of_an_item_keep_theirs():
    frame = labels_of_table_2()
    mixed = frame.iloc[[5, 0, 8, 3, 1, 2, 9, 4, 6, 7, 10, 11]].reset_index(drop=True)
    found = annotations_from_frame(mixed)
    assert (np.diff(found.item_of) >= 0).all()
    for item, rows in mixed.groupby("item", sort=False):
        own = found.to_frame()
        assert own[own["item"] == item]["label"].tolist() == rows["label"].tolist()


def test_an_item_with_scores_alone_is_kept():
    scores = pd.concat(
        [scores_of_table_2(), pd.DataFrame({"item": ["6"], "a": [1], "b": [0], "c": [0]})]
    )
    found = annotations_from_frame(labels_of_table_2(), scores=scores)
    assert found.item.tolist()[-1] == "6"
    assert found.labels_of_item[-1] == 0


def test_the_majority_of_tied_labels_is_shared(table_2):
    shares = majority_shares(table_2)
    third = 1 / 3
    expected = [[0.5, 0.5, 0], [1, 0, 0], [third] * 3, [0, 1, 0], [1, 0, 0]]
    np.testing.assert_allclose(shares, expected)


def test_the_prior_takes_the_majority_for_the_truth(table_2):
    """By hand: theta_0 from the shares above and a third of a pseudo label a category."""
    prior = empirical_prior(table_2, alpha=2.0, gamma=3.0)
    shares = np.array([0.5 + 1 + 1 / 3 + 1, 0.5 + 1 / 3 + 1, 1 / 3])
    np.testing.assert_allclose(prior.theta, 2 * (shares + 1 / 3) / (5 + 1))
    given_a = np.array([0.5 + 2 + 1 / 3 + 2, 0.5 + 1 / 3 + 1, 1 + 1 / 3 + 1]) + 1 / 3
    np.testing.assert_allclose(prior.psi[0], 3 * given_a / given_a.sum())
    np.testing.assert_allclose(prior.psi.sum(axis=1), 3)
    for bad in ({"alpha": 0.0}, {"gamma": -1.0}, {"alpha": float("nan")}):
        with pytest.raises(InputError, match="expected a positive number"):
            empirical_prior(table_2, **bad)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"label": [""]}, r"column 'label', row 0: found '', expected a value"),
        ({"annotator": ["R2"]}, r"column 'annotator', rows 0, 1: found 'R2 on 1', expected each"),
        ({"item": [None]}, r"column 'item', row 0"),
    ],
)
def test_rows_that_cannot_be_used_are_listed(change, said):
    frame = labels_of_table_2()
    for column, values in change.items():
        frame.loc[0, column] = values[0]
    with pytest.raises(InputError, match=said):
        annotations_from_frame(frame)


def test_unknown_labels_are_listed():
    with pytest.raises(InputError, match=r"column 'label', rows 4, 7, 11: found 'c', expected one"):
        annotations_from_frame(labels_of_table_2(), categories=["a", "b"])


def test_one_label_alone_needs_the_others_to_be_named():
    frame = labels_of_table_2().assign(label="yes")
    with pytest.raises(InputError, match="every label is 'yes'"):
        annotations_from_frame(frame)
    found = annotations_from_frame(frame, categories=["no", "yes"])
    assert set(found.label) == {1}


@pytest.mark.parametrize(("rule", "kept"), [("first", "a"), ("last", "b")])
def test_a_repeated_label_is_kept_by_the_rule(rule, kept):
    frame = labels_of_table_2()
    frame.loc[1, "annotator"] = "R1"
    found = annotations_from_frame(frame, repeated=rule)
    assert found.to_frame()["label"].tolist()[0] == kept
    assert len(found) == len(frame) - 1
    with pytest.raises(InputError, match="expected one of refuse, first, last"):
        annotations_from_frame(frame, repeated="newest")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"a": 0.5}, r"row 0: found 1.1, expected scores that add to 1"),
        ({"b": "?"}, r"column 'b', row 0: found '\?', expected a probability"),
        ({"item": "2"}, r"column 'item', rows 0, 1: found '2', expected each item once"),
    ],
)
def test_score_vectors_are_checked(change, said):
    scores = scores_of_table_2().astype(object)
    for column, value in change.items():
        scores.loc[0, column] = value
    with pytest.raises(InputError, match=said):
        annotations_from_frame(labels_of_table_2(), scores=scores)


def test_a_file_with_other_names_is_read(tmp_path):
    path = tmp_path / "labels.csv"
    labels_of_table_2().rename(columns={"annotator": "worker"}).to_csv(path, index=False)
    found = read_annotations(path, columns={"worker": "annotator"})
    assert rows_of(found.to_frame()) == rows_of(labels_of_table_2())
    with pytest.raises(InputError, match=r"labels\.csv: .*'annotator' is missing"):
        read_annotations(path)
    with pytest.raises(InputError, match="no such file"):
        read_annotations(tmp_path / "none.csv")


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
    patterns = find_label_patterns(found, confusion)
    assert patterns.count.sum() == len(found.item)
    matrix = {"annotator": found.annotator_of, "group": found.group_of,
              "shared": np.zeros(len(found), int)}[confusion]  # fmt: skip
    kinds = {}
    for i in range(len(found.item)):
        own = found.item_of == i
        content = sorted(zip(matrix[own].tolist(), found.label[own].tolist(), strict=True))
        p = patterns.pattern_of[i]
        cells = slice(patterns.start[p], patterns.start[p + 1])
        held = [
            (m, r)
            for m, r, times in zip(
                patterns.matrix[cells], patterns.label[cells], patterns.times[cells], strict=True
            )
            for _ in range(times)
        ]
        assert held == content
        kinds.setdefault(tuple(content), set()).add(p)
    assert all(len(one) == 1 for one in kinds.values())
    assert len(kinds) == len(patterns)
    alone = find_label_patterns(found, confusion, exchangeable=False)
    assert alone.pattern_of.tolist() == list(range(len(found.item)))
    with pytest.raises(InputError, match="expected one of annotator, group, shared"):
        find_label_patterns(found, "each")


JUDGED = pd.DataFrame(
    [
        ("q1", "B", "R2", "1"),
        ("q2", "B", "R1", "0"),
        ("q1", "A", "R1", "0"),
        ("q1", "B", "R1", "0"),
        ("q2", "A", "R2", "1"),
    ],
    columns=["item", "agent", "annotator", "label"],
)
"""Two prompts, answered by two agents."""


def test_a_response_is_an_item_of_an_agent():
    table = annotations_from_frame(JUDGED)
    assert table.item.tolist() == ["q1_B", "q2_B", "q1_A", "q2_A"]
    assert table.agent.tolist() == ["B", "A"]
    assert table.agent_of.tolist() == [0, 0, 1, 1]
    assert table.annotator.tolist() == ["R2", "R1"]
    again = annotations_from_frame(table.to_frame())
    assert again.item.tolist() == table.item.tolist()
    assert again.agent_of.tolist() == table.agent_of.tolist()
    assert rows_of(again.to_frame()) == rows_of(table.to_frame())


def test_items_of_one_agent_each_keep_their_names():
    table = annotations_from_frame(JUDGED.assign(item=["a", "b", "c", "a", "d"]))
    assert table.item.tolist() == ["a", "b", "c", "d"]
    assert table.agent_of.tolist() == [0, 0, 1, 1]


def test_a_table_without_agents_has_none():
    table = annotations_from_frame(JUDGED.drop(columns="agent"), repeated="first")
    assert len(table.agent) == len(table.agent_of) == 0
    assert "agent" not in table.to_frame()


def test_names_of_responses_that_cannot_be_told_apart():
    rows = [("a", "b_c", "R", "0"), ("a_b", "c", "R", "1"), ("a", "x", "R", "1")]
    with pytest.raises(InputError, match="'a_b_c' is the name of two responses"):
        annotations_from_frame(pd.DataFrame(rows, columns=JUDGED.columns))


def test_an_empty_agent_is_named_by_its_row():
    frame = JUDGED.assign(agent=["B", "", "A", "B", "A"])
    with pytest.raises(InputError, match="'agent', row 1: found '', expected a value"):
        annotations_from_frame(frame)


def test_repeated_labels_can_all_be_kept():
    twice = pd.concat([JUDGED, JUDGED], ignore_index=True)
    table = annotations_from_frame(twice, repeated="keep")
    assert table.labels_of_item.tolist() == [4, 2, 2, 2]
    with pytest.raises(
        InputError,
        match=r"--repeated last \(in Python by repeated='first' or 'last', or all by 'keep'",
    ):
        annotations_from_frame(twice)


def test_credits_of_categories():
    table = annotations_from_frame(JUDGED, credit={"1": 1.0, "0": 0.25})
    assert table.credit.tolist() == [0.25, 1.0]
    with pytest.raises(InputError, match="credit: found 1; expected a number for each of 0, 1"):
        annotations_from_frame(JUDGED, credit={"1": 1.0})
    with pytest.raises(InputError, match="credit: 0: found 'x', expected a number"):
        annotations_from_frame(JUDGED, credit={"1": 1.0, "0": "x"})


def test_labels_of_some_annotators_keep_all_positions():
    table = annotations_from_frame(JUDGED)
    some = table.of_annotators(np.array([False, True]))
    assert some.item.tolist() == table.item.tolist()
    assert some.labels_of_item.tolist() == [1, 1, 1, 0]
    assert set(some.annotator_of) == {1}
