"""Data tables of annotations: what is written is read back without loss, byte for byte the same."""

from dataclasses import fields, replace

import numpy as np
import pandas as pd
import pytest

from crowdgold.experiment.data_tables import (
    COLUMNS,
    VOTE,
    DataTable,
    Replicate,
    row_of,
    table_of,
    write_replicates,
)
from crowdgold.simulate import simulate
from crowdgold.simulate.expert_opinions import RARER, Erring, with_opinions
from crowdgold.types.annotations import Annotations, annotations_from_frame
from crowdgold.types.items import ANNOTATIONS, ITEMS, Items, kind_of
from unit.reference import make_items

CLARA = {"n": 40, "prevalence": 0.3, "n_reviewers": 4, "tpr": 0.8, "tnr": 0.9}
SCORES = {"negative_mean": -1, "positive_mean": 1, "sd": 2}


def assert_same(one, other):
    for field in (each for each in fields(one) if each.init):
        before, after = getattr(one, field.name), getattr(other, field.name)
        if field.name == "scores":
            assert list(before) == list(after)
            for name in before:
                np.testing.assert_array_equal(before[name], after[name])
        else:
            np.testing.assert_array_equal(before, after)
            assert before is None or before.dtype == after.dtype, field.name


def again(row):
    return table_of({name: row[name][0] for name in row.column_names})


def draw(seed=1, **changes):
    return simulate("clara", CLARA | changes, np.random.default_rng(seed))


def mixed():
    """Three categories, one never given; two groups; scores of two classifiers, some missing; an
    item without labels; annotators whose first labels are not in the order of their names."""
    frame = pd.DataFrame(
        [("b", "z", "no", "g"), ("a", "y", "yes", "h"), ("b", "x", "yes", "h"),
         ("c", "z", "no", "g")],
        columns=["item", "annotator", "label", "group"],
    )  # fmt: skip
    scores = pd.DataFrame(
        [("d", "s", 0.2, 0.3, 0.5), ("a", "s", 0.3, 0.3, 0.4), ("a", "t", 0.0, 1.0, 0.0)],
        columns=["item", "classifier", "maybe", "no", "yes"],
    )
    return annotations_from_frame(frame, ["yes", "maybe", "no"], scores=scores)


@pytest.mark.parametrize(
    "make",
    [
        lambda: draw().table,
        lambda: draw(scores=SCORES).table,
        lambda: draw(design="all", n_labels=2).table,
        mixed,
        lambda: replace(mixed(), truth=np.array([0, 2, 1, 0])),
    ],
    ids=["tie_break", "scores", "all", "mixed", "mixed_with_truth"],
)
def test_rows_give_the_table_back(make):
    """Writable; the control: names of annotators in another order are another table."""
    table = make()
    found = again(row_of(table))
    assert kind_of(table) == ANNOTATIONS
    assert_same(table, found)
    assert all(one.flags.writeable for one in (found.item, found.label, *found.scores.values()))
    with pytest.raises(AssertionError):
        assert_same(table, again(row_of(replace(table, annotator=table.annotator[::-1]))))


@pytest.mark.parametrize(("kind", "of"), [(ITEMS, Items), (ANNOTATIONS, Annotations)])
def test_no_field_of_a_table_is_without_a_column(kind, of):
    columns = {"labels" if name.startswith(VOTE) else name for name in COLUMNS[kind]}
    # How gold was drawn is an object of several columns.
    columns = {"draw" if name.startswith("draw_") else name for name in columns}
    assert columns == {field.name for field in fields(of) if field.init}


def test_settings_with_and_without_scores_share_a_file(tmp_path):
    given = [("none", 0, {}), ("some", 0, {"scores": SCORES}), ("none", 1, {})]
    drawn = [(*key, draw(seed, **changes)) for seed, (*key, changes) in enumerate(given)]
    paths = [tmp_path / "one.parquet", tmp_path / "again.parquet"]
    for path in paths:
        rows = [(s, n, Replicate(one.table, one.reference, one.parameters)) for s, n, one in drawn]
        write_replicates(path, rows, {"code_version": "x"})
    assert paths[0].read_bytes() == paths[1].read_bytes()
    read = DataTable(paths[0])
    for setting, number, one in drawn:
        found = read.replicate(setting, number)
        assert_same(one.table, found.table)
        assert found.reference is found.table
        assert found.parameters == one.parameters
        assert found.parameters["TPR:R4"] == 0.8
    # The file is plain to others: a row a table, which unfolds into one a label.
    rows = pd.read_parquet(paths[0]).query("setting == 'some'")
    columns = ["item_of", "annotator_of", "label"]
    labels = rows[columns].explode(columns)
    assert len(labels) == len(drawn[1][2].table)
    names = rows["annotator"].iloc[0][labels["annotator_of"].astype(int)]
    assert set(names) == {"R1", "R2", "R3", "R4"}


def maven(n):
    values = {"n": n, "phi": 0.4, "a0": 0.2, "a1": 0.7, "d0": 1.5, "d1": 1.5, "votes_total": 3,
              "gold_fraction": 0.5, "predictors": {"A": {"mu": 1.0, "delta": 1.0}}}  # fmt: skip
    return simulate("maven", values, np.random.default_rng(1))


@pytest.mark.parametrize("make", [lambda n: draw(n, n=n), maven], ids=["annotations", "items"])
def test_another_reference_is_kept_apart(make, tmp_path):
    one, other, path = make(60), make(40), tmp_path / "table.parquet"
    write_replicates(path, [("a", 0, Replicate(one.table, other.table, one.parameters))], {})
    found = DataTable(path).replicate("a", 0)
    assert_same(found.table, one.table)
    assert_same(found.reference, other.table)
    assert found.parameters == one.parameters
    assert [file.name for file in tmp_path.iterdir()] == ["table.parquet"]
    with pytest.raises(ValueError, match="setting b, replicate 0"):
        DataTable(path).replicate("b", 0)


def test_items_stay_items_and_experts_opinions_are_kept():
    items = make_items([0, 1, 3], 3, [-1, 0, 1], truth=[1, 0, 1])
    several = with_opinions(items, Erring(0.3, 0.3), RARER, np.random.default_rng(3))
    plain, found = (again(row_of(one)) for one in (items, several))
    assert kind_of(items) == kind_of(plain) == kind_of(found) == ITEMS
    assert plain.opinions is None
    np.testing.assert_array_equal(found.opinions.labels, several.opinions.labels)
    assert found.opinions.labels.dtype == several.opinions.labels.dtype
    assert (found.opinions.error, found.opinions.draw) == (None, None)
