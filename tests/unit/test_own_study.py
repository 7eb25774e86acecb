"""A user's own study: every form of file, what is guessed and said, and what is refused."""

import json

import numpy as np
import pandas as pd
import pytest

from crowdgold.reading.study import read_study
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD
from crowdgold.types.notes import Note, texts

LONG = """item,annotator,label
a,R1,1
a,R2,0
a,R3,1
b,R1,0
b,R2,0
c,R3,1
"""
VOTES = {"a": (2, 3), "b": (0, 2), "c": (1, 1)}


def written(folder, **files):
    """Write files given as NAME_ENDING=text; give their paths."""
    paths = []
    for name, text in files.items():
        path = folder / ".".join(name.rsplit("_", 1))
        path.write_text(text, encoding="utf-8")
        paths.append(path)
    return paths


def votes_of(study):
    items = study.items
    counts = zip(items.votes_positive.tolist(), items.votes_total.tolist(), strict=True)
    return dict(zip(items.item.tolist(), counts, strict=True))


def gold_of(study):
    items = study.items
    return {
        item: int(gold)
        for item, gold in zip(items.item, items.gold, strict=True)
        if gold != NO_GOLD
    }


def lines(records):
    return "\n".join(json.dumps(record) for record in records)


FORMS = {
    "long": {"votes_csv": LONG},
    "long with tabs": {"votes_tsv": LONG.replace(",", "\t")},
    "long with semicolons": {"votes_csv": LONG.replace(",", ";")},
    "long with a byte order mark": {"votes_csv": "\ufeff" + LONG},
    "long with other names": {"votes_csv": LONG.replace("annotator", "Worker ID")},
    "long with words": {"votes_csv": LONG.replace(",1\n", ",Yes\n").replace(",0\n", ",no\n")},
    "long without annotators": {"votes_csv": "item,label\na,1\na,0\na,1\nb,0\nb,0\nc,1\n"},
    "JSON lines": {
        "votes_jsonl": lines(
            {"item": row[0], "annotator": row[2:4], "label": row[5] == "1"}
            for row in LONG.splitlines()[1:]
        )
    },
    "counts": {"votes_csv": "item,votes_positive,votes_total\na,2,3\nb,0,2\nc,1,1\n"},
    "counts of both": {"votes_csv": "id,votes_yes,votes_no\na,2,1\nb,0,2\nc,1,\n"},
    "a column an annotator": {"votes_csv": "item,ann,bob,eve\na,1,0,1\nb,0,0,\nc,,NA,1\n"},
    "named columns": {"votes_csv": "item,rater_1,rater_2,rater_3\na,1,0,1\nb,0,0,\nc,,,1\n"},
    "two files of votes": {"one_csv": LONG[:48], "two_csv": LONG[:21] + LONG[48:]},
    "doccano, a file an annotator": {
        "ann_jsonl": lines([{"id": "a", "label": ["yes"]}, {"id": "b", "label": ["no"]}]),
        "bob_jsonl": lines([{"id": "a", "label": ["no"]}, {"id": "b", "label": ["no"]}]),
        "eve_jsonl": lines(
            [{"id": "a", "label": ["yes"]}, {"id": "c", "label": ["yes"]}, {"id": "b", "label": []}]
        ),
    },
}  # fmt: skip


def test_decimal_commas_are_read_where_semicolons_separate(tmp_path):
    """By columns: a text with a comma stays, and so does a column with another text in it."""
    files = written(
        tmp_path,
        votes_csv=LONG,
        scores_csv="item;gpt;other\na;0,25;-1\nb;-1,5;2,5\nc;3;\n",
        note_csv="item;note\na;1,2\nb;x, y\nc;0,5\n",
    )
    study = read_study(files)
    assert study.items.scores["gpt"].tolist() == [0.25, -1.5, 3]
    assert study.items.scores["other"][:2].tolist() == [-1, 2.5]
    said = [note.text for note in study.notes if note.code == "decimal_commas"]
    assert said == ["scores.csv: decimal commas in gpt, other"]


@pytest.mark.parametrize("form", FORMS)
def test_every_form_of_votes_gives_the_same_items(form, tmp_path):
    study = read_study(written(tmp_path, **FORMS[form]))
    assert votes_of(study) == VOTES
    assert list(study.items.item) == ["a", "b", "c"]
    assert (study.annotations is None) == (form.startswith("counts") or "without" in form)
    if study.annotations is not None:
        assert study.annotations.item.tolist() == study.items.item.tolist()
        assert study.annotations.votes()[:, 1].tolist() == study.items.votes_positive.tolist()
        assert len(study.annotations.annotator) == 3


def test_parquet_with_numbers_for_identifiers_joins_text(tmp_path):
    frame = pd.DataFrame({"item": [1.0, 2.0], "votes_positive": [1, 0], "votes_total": [2, 2]})
    frame.to_parquet(tmp_path / "votes.parquet")
    [scores] = written(tmp_path, scores_csv="item,m\n1,0.25\n2,0.5\n")
    study = read_study([tmp_path / "votes.parquet", scores])
    assert study.items.item.tolist() == ["1", "2"]
    assert study.items.scores["m"].tolist() == [0.25, 0.5]


def test_all_in_one_long_file(tmp_path):
    text = (
        "item,annotator,label,gold,score,stratum,stratum_age,weight\n"
        "a,R1,1,1,0.9,x,old,2\na,R2,1,,0.9,x,old,2\nb,R1,0,0,0.1,y,,1\n"
    )
    study = read_study(written(tmp_path, all_csv=text))
    assert gold_of(study) == {"a": 1, "b": 0}
    assert study.items.scores["score"].tolist() == [0.9, 0.1]
    assert {name: list(values) for name, values in study.strata.items()} == {
        "stratum": ["x", "y"],
        "age": ["old", ""],
    }
    assert study.weights.tolist() == [2, 1]


@pytest.mark.parametrize(
    "scores",
    [
        "item,small,large\na,1,0.5\nb,2,0.25\nc,3,0.75\n",
        "item,score_small,large_score\na,1,0.5\nb,2,0.25\nc,3,0.75\n",
        "item,model,score\na,small,1\nb,small,2\nc,small,3\na,large,.5\nb,large,.25\nc,large,.75\n",
    ],
)
def test_scores_of_several_models(scores, tmp_path):
    study = read_study(written(tmp_path, votes_csv=LONG, scores_csv=scores))
    found = {name: values.tolist() for name, values in study.items.scores.items()}
    assert found == {"small": [1, 2, 3], "large": [0.5, 0.25, 0.75]}


def test_experts_who_disagree(tmp_path):
    gold = "item,expert,label\na,E1,1\na,E2,0\nb,E1,0\nc,E1,1\nc,E2,0\nc,E3,1\n"
    study = read_study(written(tmp_path, votes_csv=LONG, gold_csv=gold))
    assert gold_of(study) == {"b": 0, "c": 1}
    by_expert = {name: labels.tolist() for name, labels in study.gold_by_expert.items()}
    assert by_expert == {"E1": [1, 0, 1], "E2": [0, -1, 0], "E3": [-1, -1, 1]}
    assert "1 item on which they are tied" in texts(study.notes)


def test_a_column_an_expert_and_a_file_named_gold(tmp_path):
    wide = "item,expert_A,expert_B\na,1,1\nb,0,\n"
    study = read_study(written(tmp_path, votes_csv=LONG, gold_csv=wide))
    assert list(study.gold_by_expert) == ["A", "B"]
    study = read_study(written(tmp_path, votes_csv=LONG, gold_csv=LONG.replace("R", "E")))
    assert votes_of(study) == VOTES
    assert list(study.gold_by_expert) == ["E1", "E2", "E3"]
    assert Note("as_experts", {"file": "gold.csv"}) in study.notes


@pytest.mark.parametrize("positive", [["R", "X"], "R,X", ["x, r"], ["R", "R,X"]])
def test_any_of_several_positive_labels_is_positive(positive, tmp_path):
    """A gold file that holds but one of them is read by the same rule; so is one with neither."""
    votes = "item,annotator,label\na,A1,R\na,A2,X\na,A3,G\nb,A1,G\nb,A2,x\nc,A1,PG\n"
    paths = written(tmp_path, votes_csv=votes, gold_csv="item,label\na,X\nb,G\n")
    study = read_study(paths, positive=positive)
    assert votes_of(study) == {"a": (2, 3), "b": (1, 2), "c": (0, 1)}
    assert gold_of(study) == {"a": 1, "b": 0}
    assert "are positive, all others negative: 'g', 'pg'" in texts(study.notes)
    paths = written(tmp_path, votes_csv=votes, gold_csv="item,label\na,G\nb,PG\n")
    assert gold_of(read_study(paths, positive=positive)) == {"a": 0, "b": 0}
    wide = written(tmp_path, wide_csv="item,ann,bob\na,R,G\nb,X,X\nc,PG,G\n")
    assert votes_of(read_study(wide, positive=positive)) == {"a": (1, 2), "b": (2, 2), "c": (0, 2)}


def test_an_item_without_a_score_counts_for_what_needs_none(tmp_path):
    """It is NaN where a file has no row of it, no text in the cell, or a word for nothing."""
    scores = "item,gpt,llama\na,0.5,NA\nb,,0.25\n"
    study = read_study(
        written(tmp_path, votes_csv=LONG, scores_csv=scores, gold_csv="item,gold\na,1\nc,0\n")
    )
    items = study.items
    assert votes_of(study) == VOTES
    assert gold_of(study) == {"a": 1, "c": 0}
    np.testing.assert_array_equal(items.scores["gpt"], [0.5, np.nan, np.nan])
    np.testing.assert_array_equal(items.scores["llama"], [np.nan, 0.25, np.nan])
    assert items.with_score("gpt").item.tolist() == ["a"]
    said = "2 items of 3 with votes but without a score of gpt, which count for what needs none"
    assert f"{said}: 'b', 'c'" in [note.text for note in study.notes]
    with pytest.raises(InputError, match="2 items without a score of 'gpt' cannot be ranked"):
        items.order("gpt")
    assert items.with_score("gpt").order("gpt").tolist() == [0]
    full = read_study(written(tmp_path, votes_csv=LONG, scores_csv="item,m\na,1\nb,2\nc,3\n")).items
    assert full.with_score("m") is full


def answered(who, label, **more):
    """An annotation of Label Studio."""
    result = [{"from_name": "q", "value": {"choices": [label]}}]
    return {"completed_by": who, "result": result, **more}


SPAM = "item,annotator,label\na,R1,spam\na,R2,Ham\nb,R1,eggs\nb,R2,ham\n"
TWICE = {"v_csv": "item,annotator,label\na,R1,1\na,R1,0\nb,R1,0\n"}
READ = {
    "ground truth of Label Studio is gold": (
        {"export_json": json.dumps([
            {"id": 1, "data": {}, "annotations": [
                answered(1, "no"), answered(9, "yes", ground_truth=True)]},
            {"id": 2, "data": {}, "annotations": [
                answered(1, "yes"), answered(2, "no", was_cancelled=True)]},
        ])},
        {}, {"1": (0, 1), "2": (1, 1)}, {"1": 1}, "1 annotation cancelled",
    ),
    "one label against the rest": (
        {"votes_csv": SPAM, "gold_csv": "item,label\na,spam\nb,ham\n"}, {"positive": "Spam"},
        {"a": (1, 2), "b": (0, 2)}, {"a": 1, "b": 0}, "all others negative: 'eggs', 'ham'",
    ),
    "a label with a comma is one label": (
        {"votes_csv": 'item,annotator,label\na,A1,"R,X"\na,A2,R\nb,A1,X\n'}, {"positive": "R,X"},
        {"a": (1, 2), "b": (0, 1)}, {}, "",
    ),
    "gold in numbers beside votes in words": (
        {"votes_csv": SPAM, "gold_csv": "item,label\na,1\nb,0\n"}, {"positive": "spam"},
        {"a": (1, 2), "b": (0, 2)}, {"a": 1, "b": 0}, "",
    ),
    "gold of one class, in words": (
        {"votes_csv": SPAM, "gold_csv": "item,label\nb,ham\n"}, {"positive": "spam"},
        {"a": (1, 2), "b": (0, 2)}, {"b": 0}, "",
    ),
    "gold of one class": (
        {"all_csv": "item,votes_positive,votes_total,gold\na,2,3,1\nb,0,2,\n"}, {},
        {"a": (2, 3), "b": (0, 2)}, {"a": 1}, "",
    ),
    "a score of an item without votes": (
        {"votes_csv": LONG, "scores_csv": "item,score\na,1\nb,2\nz,3\n"}, {"unmatched": "drop"},
        VOTES, {}, "1 item with a score without votes, dropped: 'z'",
    ),
    "gold of an item without votes": (
        {"votes_csv": LONG, "gold_csv": "item,label\na,1\ny,0\nc,0\n"}, {"unmatched": "drop"},
        VOTES, {"a": 1, "c": 0}, "1 item with a gold label but without votes, dropped: 'y'",
    ),
    **{
        f"an item without votes, {place}": (
            {"v_csv": text}, {}, {"a": (1, 1), "c": (0, 1)}, {}, "1 item without votes dropped",
        )
        for place, text in enumerate([
            "item,annotator,label\na,R1,1\nb,R1,\nc,R1,0\n",
            "item,vote_1,vote_2\na,1,\nb,,NA\nc,0,\n",
            "item,votes_positive,votes_total\na,1,1\nb,,\nc,0,1\n",
            "item,votes_positive,votes_total\na,1,1\nb,0,0\nc,0,1\n",
        ])
    },
    "names are said for one file or for all": (
        {"votes_csv": "thing,who,what\na,R1,1\nb,R1,0\n",
         "other_csv": "thing,who,what\na,E1,1\nb,E1,0\n"},
        {"columns": {"thing": "item", "what": "label", "votes.csv:who": "annotator",
                     "other.csv:who": "expert"}},
        {"a": (1, 1), "b": (0, 1)}, {"a": 1, "b": 0}, "",
    ),
    # Though one file has a column that would be guessed where it stood alone: `id` of its rows.
    "a column that all files share is the item": (
        {"votes_csv": "id,Post,annotator,label\n1,a,R1,1\n2,a,R2,0\n3,b,R1,0\n",
         "gold_csv": "post,label\na,1\nb,0\n", "scores_csv": "post,score\na,0.5\nb,0.25\n"},
        {}, {"a": (1, 2), "b": (0, 1)}, {"a": 1, "b": 0},
        "votes.csv: column 'Post' read as item, since all files have it",
    ),
    "a name that says so by itself goes before others that all share": (
        {"votes_csv": "task,Post,uid,annotator,label\n1,x,a,R1,1\n2,x,a,R2,0\n3,x,b,R1,0\n",
         "gold_csv": "uid,label,post\na,1,x\nb,0,x\n",
         "scores_csv": "post,uid,score\nx,a,0.5\nx,b,0.25\n"},
        {}, {"a": (1, 2), "b": (0, 1)}, {"a": 1, "b": 0}, "votes.csv: column 'uid' read as item",
    ),
    # What they share is then no name of an item: here a remark.
    "files that each name their items need share no column": (
        {"votes_csv": "task,remark,annotator,label\na,x,R1,1\nb,y,R1,0\n",
         "gold_csv": "item_id,remark,label\na,x,1\nb,x,0\n"},
        {}, {"a": (1, 1), "b": (0, 1)}, {"a": 1, "b": 0}, "",
    ),
    "the first label of several": (
        TWICE, {"repeated": "first"}, {"a": (1, 1), "b": (0, 1)}, {}, "",
    ),
    "all labels of several": (TWICE, {"repeated": "keep"}, {"a": (1, 2), "b": (0, 1)}, {}, ""),
}  # fmt: skip


@pytest.mark.parametrize("case", READ)
def test_votes_gold_and_notes_are_those_of_the_files(case, tmp_path):
    files, options, votes, gold, said = READ[case]
    study = read_study(written(tmp_path, **files), **options)
    assert (votes_of(study), gold_of(study)) == (votes, gold)
    assert said in texts(study.notes)


def test_row_numbers_of_messages_are_those_of_the_file(tmp_path):
    """Rows before them are dropped: one is empty, one has no label."""
    text = "item,annotator,label\n,,\na,R1,\na,R2,1\nb,R1,0\nb,R1,1\n"
    with pytest.raises(InputError, match=r"column 'annotator', rows 5, 6: found 'R1 on b'"):
        read_study(written(tmp_path, votes_csv=text))
    # Lines without anything count too, before the header as well.
    text = "\n\nitem,annotator,label\n\na,R1,0\n\nb,R1,0\nb,R1,1\n"
    with pytest.raises(InputError, match=r"column 'annotator', rows 7, 8: found 'R1 on b'"):
        read_study(written(tmp_path, votes_csv=text))


COUNTS = "item,votes_positive,votes_total\na,2,3\nb,0,2\n"
COUNTS_OF_MANY = "item,votes_positive,votes_total\n" + "".join(f"i{k},1,3\n" for k in range(40))
REFUSED = {
    "no files": ({}, {}, "no files"),
    "no item": ({"v_csv": "x,annotator,label\na,R1,1\n"}, {}, "column 'item' is missing; the file"),
    "no votes": ({"v_csv": "item,label\na,1\n"}, {}, "no votes: v.csv has item, label. Expected"),
    "too many cells": ({"v_csv": "item,annotator,label\na,R1,1,x\n"}, {}, "4 cells, more than"),
    "labels": (
        {"v_csv": "item,annotator,label\na,R1,x\na,R2,y\nb,R1,y\n"}, {},
        r"found the labels 'y' \(2 times, first in row 3\), 'x' \(1 time, first in row 2\)",
    ),
    "several positive labels that nobody gave": (
        {"v_csv": LONG.replace(",1\n", ",R\n").replace(",0\n", ",G\n")},
        {"positive": ["Q", "X"]},
        r"--positive Q: no label has this value; .*'R' \(3 times, first in row 2\)",
    ),
    "a positive label that is a slip, beside another": (
        {"v_csv": LONG.replace(",1\n", ",spam\n").replace(",0\n", ",ham\n") + "d,R1,scam\n"},
        {"positive": "scam,spma"}, "--positive spma: .* did you mean 'spam'.* leave it out",
    ),
    "a positive label alone that is a slip": (
        {"v_csv": LONG.replace(",1\n", ",spam\n").replace(",0\n", ",ham\n")},
        {"positive": "spm"}, "--positive spm: no label has this value; did you mean 'spam'",
    ),
    "one label, a word for none, and a positive label that nobody gave": (
        {"v_csv": "item,annotator,label\na,R1,4\nb,R1,NA\n"}, {"positive": "4,5"},
        "found '4', and 'NA'",
    ),
    "columns are listed as the file names them": (
        {"v_csv": "item,rater,rating,spare\na,R1,1,x\n"},
        {"columns": {"rater": "annotator", "rating": "ignore"}},
        r"no votes: v.csv has item, rater \(as annotator\), rating \(ignored\), spare\. Expected",
    ),
    "columns of which an item is made are listed": (
        {"v_csv": "q,m,rater\na,x,R1\n"}, {"item": ["q", "m"]},
        r"v.csv has q \(as item\), m \(as item\), rater \(as annotator\)",
    ),
    "a renamed column is listed where none names items": (
        {"v_csv": "x,rater,rating\na,R1,1\n"}, {"columns": {"rating": "label"}},
        r"the file has: x, rater \(as annotator\), rating \(as label\)",
    ),
    "a column like no other": (
        {"v_csv": LONG}, {"columns": {"qqqq": "item"}}, "no column 'qqqq'; v.csv has item, annot",
    ),
    "a column like another": (
        {"v_csv": LONG}, {"columns": {"itm": "item"}},
        "no column 'itm'; did you mean 'item'. v.csv has item, annotator, label",
    ),
    "a part of an item like another column": (
        {"v_csv": LONG}, {"item": ["itm"]},
        "no file has a column 'itm'; did you mean 'item'. v.csv has item",
    ),
    "a positive label of counts": ({"v_csv": COUNTS}, {"positive": "1"}, "votes are counts"),
    "nobody": ({"v_csv": LONG + "d,,1\n"}, {}, "column 'annotator', row 8: found .* who gave"),
    "no identifier": ({"v_csv": LONG + ",R1,1\n"}, {}, "column 'item', row 8"),
    "counts": ({"v_csv": COUNTS + "c,3,2\n"}, {}, "row 4: found '3', expected at most votes_total"),
    "halves": ({"v_csv": COUNTS + "c,0.5,2\n"}, {}, "row 4: found '0.5', expected a whole number"),
    "a rule": ({"v_csv": LONG}, {"repeated": "none"}, "repeated 'none'; expected one of"),
    "what was guessed is said": (
        {"v_csv": "item,worker,label\na,R1,1\na,R1,0\n"}, {},
        r"rows 2, 3: .* \(guessed: v.csv: column 'worker' read as annotator\)",
    ),
    "spans": ({"v_jsonl": lines([{"id": 1, "label": [[0, 3, "PER"]]}])}, {}, "line 1: a label is"),
    "a slip among scores": (
        {"v_csv": COUNTS_OF_MANY,
         "s_csv": "item,gpt\n" + "".join(f"i{k},{'x' if k == 7 else k / 40}\n" for k in range(40))},
        {},
        r"s.csv: column 'gpt', row 9: found 'x', expected a number or an empty cell, as of a "
        r"model's scores \(39 of 40 are numbers\)",
    ),
}  # fmt: skip
"""Beside the catalogue `bad_inputs`, which has the others."""


def test_a_column_of_many_texts_or_of_nothing_is_passed_over(tmp_path):
    """A fifth of texts is no slip; of an empty column it is said that nothing is in it."""
    rows = "".join(f"i{k},{'low' if k % 5 else k},,{-k}\n" for k in range(40))
    paths = written(tmp_path, v_csv=COUNTS_OF_MANY, s_csv=f"item,notes,tiny,gpt\n{rows}")
    study = read_study(paths)
    assert study.items.predictors == ["gpt"]
    said = "s.csv: columns passed over: notes, tiny (nothing in tiny)"
    assert said in [note.text for note in study.notes]


def test_what_annotators_or_items_say_beside_is_no_score(tmp_path):
    """How sure an annotator is, and the length of a text in a file of strata."""
    paths = written(
        tmp_path,
        votes_csv="item,annotator,label,confidence\na,R1,1,0.9\na,R2,1,0.5\nb,R1,0,1\n",
        about_csv="item,stratum,length\na,x,10\nb,y,20\n",
        final_csv="item,label\na,1\nb,0\n",
    )
    study = read_study(paths)
    assert study.items.predictors == []
    assert gold_of(study) == {"a": 1, "b": 0}
    said = [note.text for note in study.notes]
    assert "final.csv: its labels are read as gold labels" in said
    assert "about.csv: columns passed over: length" in said


@pytest.mark.parametrize("absent", ["5", "level 5", "1O", "strongly agree", "unlikely", "x", "no"])
def test_positive_labels_that_nobody_gave_are_told_where_others_are_there(absent, tmp_path):
    """Whatever other labels there are that differ by a digit, by a word, or in few letters."""
    others = ["4", "10", "level 3", "agree", "strongly disagree", "likely", "y", "nu"]
    rows = "".join(f"{item},R{k},{text}\n" for item in "ab" for k, text in enumerate(others))
    paths = written(tmp_path, v_csv=f"item,annotator,label\n{rows}")
    both, alone = (read_study(paths, positive=one) for one in (["4", absent], "4"))
    assert Note("positive_absent", {"label": absent}) in both.notes
    np.testing.assert_array_equal(both.items.votes_positive, alone.items.votes_positive)


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_used_is_refused_with_the_way_out(case, tmp_path):
    files, options, message = REFUSED[case]
    with pytest.raises(InputError, match=message) as raised:
        read_study(written(tmp_path, **files), **options)
    assert "\n" not in str(raised.value)


ROWS = "".join(f"{item},R1,{label}\n" for item, label in zip("abcdef", "101010", strict=True))


@pytest.mark.parametrize(
    "text",
    [
        "item,gold,gold_probability\na,1,0.5\nb,0,0.25\n",
        "item,label,inclusion probability\na,1,0.5\nb,0,0.25\n",
        "item,gold,gold_probability\na,1,0.5\nb,0,0.25\nc,,0.3\nzz,,0.2\n",
    ],
)
def test_the_chances_of_gold_are_read_and_are_no_experts_labels(text, tmp_path):
    votes = f"item,annotator,label\n{ROWS}"
    study = read_study(written(tmp_path, votes_csv=votes, gold_csv=text))
    assert len(study.gold_by_expert) == 1
    assert gold_of(study) == {"a": 1, "b": 0}
    assert study.items.draw.chance[:2].tolist() == [0.5, 0.25]
    assert (
        "the table says with which chances gold items were drawn, each item by itself: the weight "
        "of a label is 0.67 to 1.3 times the average; all 2 tell as much as 2 labels"
    ) in texts(study.notes)


def test_strata_of_gold_beside_the_votes_are_counted(tmp_path):
    """The items of strata x and y; an item without votes is of no stratum."""
    votes = "item,annotator,label,gold_stratum\n" + "".join(
        f"{item},R{who},1,{stratum}\n"
        for item, stratum in zip("abcdef", "xxxxyy", strict=True)
        for who in (1, 2)
    )
    gold = "item,gold\na,1\nb,0\ne,1\nzz,1\n"
    paths = written(tmp_path, votes_csv=votes, gold_csv=gold)
    study = read_study(paths, unmatched="drop")
    assert study.items.draw.chance.tolist() == [0.5] * 6
    assert study.items.draw.drawn.tolist() == [2, 1]
    assert not study.strata
    assert "fixed numbers from each of 2 strata" in texts(study.notes)


def test_chances_of_two_files_are_refused(tmp_path):
    votes = f"item,annotator,label\n{ROWS}"
    one, two = (f"item,{name},gold_probability\na,1,0.5\n" for name in ("gold", "score"))
    with pytest.raises(InputError, match="'gold_probability' stands in another file too"):
        read_study(written(tmp_path, votes_csv=votes, one_csv=one, two_csv=two))


@pytest.mark.parametrize(
    ("prefix", "said"),
    [
        ("", "a column an annotator, guessed by their labels: {}"),
        ("rater_", "columns {} read as vote_NAME"),
    ],
)
def test_many_annotators_are_counted_and_a_few_are_named(prefix, said, tmp_path):
    """Of a few, none is left out: one that is no annotator would be overlooked."""
    for number, listed in ((8, None), (9, "{0}1, {0}2, {0}3 and 6 more")):
        names = [f"{prefix or 'r'}{k + 1}" for k in range(number)]
        rows = [",".join(["item", *names]), *(f"i{k}{',1' * number}" for k in range(3))]
        study = read_study(written(tmp_path, votes_csv="\n".join(rows)))
        notes = [note.text for note in study.notes]
        if listed is None:
            assert [name for name in names if not any(name in note for note in notes)] == []
        else:
            assert f"votes.csv: {said.format(listed.format(prefix or 'r'))}" in notes
