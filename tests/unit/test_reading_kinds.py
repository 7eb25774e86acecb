"""Files that say less than they seem: each kind is read as it was meant, or refused with the mend.

A study of 60 items, three annotators and 30 gold labels is written in the way that a tool or a
person writes it. Then either the study is the same, or the message says what to do.
"""

import gzip
import io
import json
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest

from crowdgold.reading.joins import by_form
from crowdgold.reading.study import read_study
from crowdgold.types.errors import InputError
from crowdgold.types.notes import Note, texts

N, GOLD = 60, 30
ITEMS = [f"i{k:03d}" for k in range(N)]
TRUTH = np.random.default_rng(4).random(N) < 0.4
VOTES = [
    (item, f"a{who}", int(truth != (np.random.default_rng([k, who]).random() < 0.2)))
    for k, (item, truth) in enumerate(zip(ITEMS, TRUTH, strict=True))
    for who in range(3)
]


def votes_text(separator=",", words=("0", "1"), names=str):
    lines = [separator.join(("item", "annotator", "label"))]
    lines += [separator.join((names(one), who, words[label])) for one, who, label in VOTES]
    return "\n".join(lines) + "\n"


def gold_text(names=str, words=("0", "1")):
    rows = [f"{names(ITEMS[k])},{words[int(TRUTH[k])]}" for k in range(0, N, N // GOLD)]
    return "item,gold\n" + "\n".join(rows) + "\n"


def written(folder, **files):
    """Files of these names, with a point for the underscore, and contents; their paths."""
    paths = []
    for name, content in files.items():
        path = folder / name.replace("_", ".")
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        paths.append(path)
    return paths


def same(study):
    """Whether it is the study that was written."""
    items = study.items
    votes = pd.DataFrame(VOTES, columns=["item", "annotator", "label"]).groupby("item")["label"]
    return (
        items.item.tolist() == ITEMS
        and items.votes_positive.tolist() == votes.sum().tolist()
        and items.votes_total.tolist() == [3] * N
        and int((items.gold >= 0).sum()) == GOLD
        and (items.gold[items.gold >= 0] == TRUTH[items.gold >= 0]).all()
    )


def zipped(*texts):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for number, text in enumerate(texts):
            archive.writestr(f"{number}.csv", text)
    return packed.getvalue()


def with_text(separator, quote="'"):
    """Votes with a text, in two of which a quotation mark begins or ends a text, far apart."""
    head, *rows = votes_text(separator).splitlines()
    texts = ["fine"] * len(rows)
    texts[10], texts[100] = f"{quote}so it began", f"so it ended{quote}"
    lines = [separator.join((row, text)) for row, text in zip(rows, texts, strict=True)]
    return "\n".join([separator.join((head, "text")), *lines]) + "\n"


READ = {  # others are in `bad_inputs.controls`
    "an ending in capitals": {"V_CSV": votes_text()},
    "packed by gzip": {"v_csv_gz": gzip.compress(votes_text().encode())},
    "packed by zip": {"v_csv_zip": zipped(votes_text())},
    "UTF-16 with its mark": {"v_csv": votes_text().encode("utf-16")},
    "tabs in a .csv": {"v_csv": votes_text("\t")},
    "a first line that says the separator": {"v_csv": "sep=;\n" + votes_text(";")},
    "a comma in a header with semicolons": {
        "v_csv": votes_text(";").replace("label\n", "label;remark, if any\n", 1).replace(
            "\n", ";\n").replace("if any;\n", "if any\n", 1)
    },
    "an index without a name": {
        "v_csv": "," + "\n".join(
            f"{k - 1},{row}" if k else row for k, row in enumerate(votes_text().splitlines()))
    },
    "quotes that are characters": {"v_tsv": with_text("\t", '"')},
}  # fmt: skip


@pytest.mark.parametrize("kind", READ)
def test_votes_in_this_clothing_are_the_same_votes(kind, tmp_path):
    paths = written(tmp_path, **READ[kind], gold_csv=gold_text())
    assert same(read_study(paths))


def test_an_index_of_a_saved_frame_is_a_column(tmp_path):
    frame = pd.DataFrame(VOTES, columns=["item", "annotator", "label"])
    (gold,) = written(tmp_path, gold_csv=gold_text())
    for index in (["item"], ["item", "annotator"]):
        frame.set_index(index).to_parquet(tmp_path / "v.parquet")
        assert same(read_study([tmp_path / "v.parquet", gold]))


def test_a_running_index_among_scores_is_no_model(tmp_path):
    rows = "".join(f"{k},{item},{k % 7}\n" for k, item in enumerate(ITEMS))
    for name in ("", "Unnamed: 0", "index"):
        paths = written(tmp_path, v_csv=votes_text(), s_csv=f"{name},item,gpt\n{rows}")
        assert read_study(paths).items.predictors == ["gpt"]


def test_standard_input_is_read_by_what_it_holds(tmp_path, monkeypatch):
    (gold,) = written(tmp_path, gold_csv=gold_text())
    lines = "\n".join(
        json.dumps({"item": one, "annotator": who, "label": label}) for one, who, label in VOTES
    )
    for content in (votes_text(), votes_text("\t"), lines, f"[{','.join(lines.splitlines())}]"):
        for name in ("-", "/dev/stdin"):
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content.encode())))
            assert same(read_study([name, gold]))
    with pytest.raises(InputError, match="standard input is named twice"):
        read_study(["-", "-"])


@pytest.mark.parametrize("word", ["NA", "nan", "None", "null"])
def test_a_stratum_or_cluster_may_have_any_name(word, tmp_path):
    rows = "".join(f"{item},{word if k % 2 else 'EU'}\n" for k, item in enumerate(ITEMS))
    for column in ("stratum", "cluster"):
        paths = written(tmp_path, v_csv=votes_text(), s_csv=f"item,{column}\n{rows}")
        study = read_study(paths)
        found = study.strata["stratum"] if column == "stratum" else study.items.cluster
        assert len(set(found)) == 2
        assert "" not in set(found)


def test_a_word_for_a_hole_that_could_be_a_label_is_as_the_user_says(tmp_path):
    words = ("NA", "AP")
    paths = written(tmp_path, v_csv=votes_text(words=words), g_csv=gold_text(words=words))
    assert same(read_study(paths, positive="AP", missing=["nothing"]))
    assert set(read_study(paths, positive="AP", missing=["NA"]).items.votes_positive) > {1}
    # Where both labels are known it is a hole, and the cells are counted.
    holes = votes_text().replace("i007,a1,0", "i007,a1,NA").replace("i007,a1,1", "i007,a1,NA")
    study = read_study(written(tmp_path, v_csv=holes, g_csv=gold_text()))
    assert study.items.votes_total[7] == 2
    assert Note("taken_for_empty", {"number": 1, "word": "NA"}) in study.notes


@pytest.mark.parametrize("word", ["-", "?", "todo", "n/a", "99"])
def test_a_mark_among_gold_labels_that_could_stand_for_none_is_asked_for(word, tmp_path):
    """All items stand in the file of gold labels, and half of them have a mark for a label."""
    words = ("ham", "spam")
    gold = [words[int(TRUTH[k])] if k % 2 else word for k in range(N)]
    text = "item,gold\n" + "".join(f"{ITEMS[k]},{gold[k]}\n" for k in range(N))
    paths = written(tmp_path, v_csv=votes_text(words=words), g_csv=text)
    with pytest.raises(InputError, match="could be a negative label, or stand for none"):
        read_study(paths, positive="spam")
    found = read_study(paths, positive="spam", missing=[word]).items.gold
    assert int((found >= 0).sum()) == N // 2
    assert (read_study(paths, positive="spam", missing=["nothing"]).items.gold >= 0).all()


FORMS = {
    "leading zeros": ("0012", "12"), "case": ("A.JPG", "a.jpg"), "an ending": ("a12.png", "a12"),
    "a folder": ("images/a12.png", "a12.png"), "a float": ("12", "12.0"),
    "an exponent": ("12000", "1.2E4"), "a date": ("1-2", "2024-02-01"),
    "a month": ("3-4", "3-Apr"),
    "two encodings": ("caf\u00e9", "cafe\u0301"),
    "bytes read wrongly": ("caf\u00e9", "caf\u00c3\u00a9"),
    "many digits": ("1234567890123456789", "1234567890123456800"),
    "many digits in few": ("1234567890123456789", "1.23457E+18"), "spaces": ("a  b", "a b"),
}  # fmt: skip


@pytest.mark.parametrize("kind", FORMS)
def test_names_that_differ_in_their_form_only_are_seen(kind):
    name, other = FORMS[kind]
    assert by_form([other], [name, "something", "999"]) == [(other, name)]
    assert by_form([name], [other, "something", "999"]) == [(name, other)] or "E+" in other


def test_other_names_are_others():
    """The control: numbers, dates and words that are not the same thing."""
    lost, known = ["13", "a13", "1-3", "x.y", "100"], ["12", "a12", "1-2", "x.z", "10", "1000"]
    assert by_form(lost, known) == []
    assert by_form(["3-4"], ["4-3"]) == []
    assert by_form(["1.23457E+18"], ["1234567890123456789", "42"])
    assert by_form(["1.23458E+18"], ["1234567890123456789", "42"]) == []


@pytest.mark.parametrize("column", ["gold", "score", "stratum"])
def test_names_in_another_form_are_dropped_where_the_user_says_so(column, tmp_path):
    """That they are refused else is in `bad_inputs.reading`."""
    rows = "".join(f"{item if k % 4 else item.upper()},{k % 2}\n" for k, item in enumerate(ITEMS))
    paths = written(tmp_path, v_csv=votes_text(), other_csv=f"item,{column}\n{rows}")
    notes = read_study(paths, unmatched="drop").notes
    assert "dropped: 'I000'" in texts(notes)


def test_gold_of_other_items_is_refused_from_a_tenth_on(tmp_path):
    def lost(number):
        extra = "".join(f"x{k},1\n" for k in range(number))
        return read_study(written(tmp_path, v_csv=votes_text(), g_csv=gold_text() + extra))

    assert "3 items with a gold label but without votes" in texts(lost(3).notes)
    with pytest.raises(InputError, match="4 of 34 items with a gold label have no votes: 'x0'"):
        lost(4)


def test_what_is_left_of_the_gold_is_judged(tmp_path):
    """All that match nothing are positive, of the others two fifths."""
    extra = "".join(f"x{k},1\n" for k in range(12))
    paths = written(tmp_path, v_csv=votes_text(), g_csv=gold_text() + extra)
    notes = read_study(paths, unmatched="drop").notes
    assert "gold_left_uneven" in [note.code for note in notes]
    few = gold_text() + "x0,1\nx1,0\n"
    notes = read_study(written(tmp_path, v_csv=votes_text(), g_csv=few), unmatched="drop").notes
    assert "gold_left_uneven" not in [note.code for note in notes]


@pytest.mark.parametrize("column", ["model", "task", "question"])
def test_two_files_that_name_other_things_alike_are_not_joined(column, tmp_path):
    def judged(who, what):
        rows = [
            f"{item},{who},{k % 2},{what}{' on ' + item if column == 'question' else ''}"
            for k, item in enumerate(ITEMS)
        ]
        return f"item,annotator,label,{column}\n" + "\n".join(rows) + "\n"

    paths = written(tmp_path, a_csv=judged("J1", "one"), b_csv=judged("J2", "other"))
    with pytest.raises(InputError, match=f"but {column} differs in 60"):
        read_study(paths, unmatched="drop")  # which is about names that match nothing
    assert len(read_study(paths, item=["item", column]).items) == 2 * N
    assert len(read_study(paths, columns={column: "ignore"}).items) == N
    alike = written(tmp_path, a_csv=judged("J1", "one"), b_csv=judged("J2", "one"))
    assert len(read_study(alike).items) == N


def test_an_item_may_be_named_by_several_columns(tmp_path):
    """Items that are numbered anew in each of two tasks, judged by three judges."""
    rows = [f"t{k // 30},{k % 30},J{who},{(k + who) % 2}\n" for k in range(N) for who in range(3)]
    own = written(tmp_path, v_csv="task,doc_id,judge,verdict\n" + "".join(rows))
    study = read_study(own)
    assert len(study.items) == N
    assert "columns task, doc_id together read as item" in texts(study.notes)
    assert len(read_study(own, item=("task", "doc_id")).items) == N
    with pytest.raises(InputError, match="Say by --item item,prompt that these name an item"):
        read_study(written(tmp_path, v_csv=own[0].read_text().replace("task", "prompt", 1)))


def judged_answers(verdicts=("wrong", "right")):
    """A log of judges: the model's answer, yes or no, stands beside each judge's verdict."""
    rows = [
        {"id": k, "answer": "yes" if k % 3 else "no", "judge": f"J{who}",
         "verdict": verdicts[int(np.random.default_rng([k, who]).random() < 0.6)]}
        for k in range(N) for who in range(3)
    ]  # fmt: skip
    return pd.DataFrame(rows).to_csv(index=False)


def test_a_models_answer_is_no_verdict(tmp_path):
    study = read_study(written(tmp_path, v_csv=judged_answers()), positive="right")
    assert "'verdict' read as label" in texts(study.notes)
    assert (study.items.votes_positive % 3 != 0).sum() > 0
    alone = judged_answers().replace("verdict", "seconds")
    assert len(read_study(written(tmp_path, v_csv=alone), columns={"answer": "label"}).items) == N


def test_an_author_is_no_annotator_and_a_reference_no_gold(tmp_path):
    rows = [
        {"item": item, "user": f"u{k % 9}", "label": (k + j) % 2, "reference": f"It is {item}."}
        for k, item in enumerate(ITEMS) for j in range(2)
    ]  # fmt: skip
    study = read_study(written(tmp_path, v_csv=pd.DataFrame(rows).to_csv(index=False)))
    assert study.annotations is None
    assert study.items.votes_total.tolist() == [2] * N
    assert not study.gold_by_expert


REFUSED = {  # others are in `bad_inputs.formats`
    "a second header with a mark": (
        {"v_csv": votes_text() + "\ufeff" + votes_text()}, "row 182: found the names of the columns"
    ),
    "another encoding": (
        {"v_csv": votes_text(names=lambda one: one + "é").encode("cp1252")},
        r"line 2 has a byte \(0xe9\) that is not UTF-8; save it as UTF-8, or name its encoding",
    ),
    "too many cells after blank lines": (
        {"v_csv": "item,annotator,label\n\n\n\n" + votes_text().partition("\n")[2] + "x,a0,1,1\n"},
        "row 185: 4 cells, more than the 3",
    ),
    "two tables in one zip file": (
        {"v_zip": zipped(votes_text(), votes_text())}, r"2 files within \(0.csv, 1.csv\)"
    ),
    "a damaged gzip file": ({"v_csv_gz": b"item"}, "cannot be unpacked"),
}  # fmt: skip


@pytest.mark.parametrize("kind", REFUSED)
def test_what_cannot_be_read_as_it_was_meant_is_refused(kind, tmp_path):
    files, message = REFUSED[kind]
    with pytest.raises(InputError, match=message):
        read_study(written(tmp_path, **files))


def test_an_encoding_that_is_named_is_read(tmp_path):
    text = votes_text(names=lambda one: one + "é")
    for name in ("cp1252", "utf-16-le"):
        study = read_study(written(tmp_path, v_csv=text.encode(name)), encoding=name)
        assert study.items.item[0] == "i000é"
    with pytest.raises(InputError, match="--encoding klingon: no encoding of this name"):
        read_study(written(tmp_path, v_csv=text), encoding="klingon")


def test_a_small_file_of_very_many_rows_is_refused(tmp_path):
    """A megabyte of parquet would be gigabytes of votes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    part = pa.table({"item": pa.array(["a"] * 2**20).dictionary_encode(), "label": [1] * 2**20})
    with pq.ParquetWriter(tmp_path / "v.parquet", part.schema) as file:
        for _ in range(64):
            file.write_table(part)
    with pytest.raises(InputError, match="cells, more than the 100,000,000 that are read"):
        read_study([tmp_path / "v.parquet"])


ORDINARY = {
    "text": lambda item, who, row: f"text of {item}",
    "source": lambda item, who, row: "crowd",
    "session_id": lambda item, who, row: f"s{who}{row // 20}",
    "assignment_id": lambda item, who, row: f"x{row}",
    "annotator_age": lambda item, who, row: 20 + int(who[1:]),
    "annotator_type": lambda item, who, row: "crowd",
    "confidence": lambda item, who, row: row * 7 % 5 + 1,
    "confidence_text": lambda item, who, row: ("low", "high")[row % 2],
    "rationale": lambda item, who, row: f"{item} because {row % 2}",
    "submitted_at": lambda item, who, row: f"2026-01-{row % 28 + 1:02d}",
    "label_time": lambda item, who, row: row * 7 % 100,
    "language": lambda item, who, row: ("en", "de")[int(item[1:]) % 2],
}
"""A column that a file of votes may have -> its cell in a row."""


@pytest.mark.parametrize("column", ORDINARY)
def test_an_ordinary_column_changes_nothing(column, tmp_path):
    """In the votes; in the gold file the same column says something else."""
    head, *rows = votes_text().splitlines()
    cells = [
        f"{row},{ORDINARY[column](item, who, k)}"
        for k, (row, (item, who, _)) in enumerate(zip(rows, VOTES, strict=True))
    ]
    votes = "\n".join([f"{head},{column}", *cells]) + "\n"
    gold_head, *gold = gold_text().splitlines()
    more = "\n".join([f"{gold_head},source", *(f"{row},lab" for row in gold)]) + "\n"
    paths = written(tmp_path, v_csv=votes, gold_csv=more if column == "source" else gold_text())
    assert same(read_study(paths))


def test_the_same_stratum_may_stand_in_two_files(tmp_path):
    """Equal values are one column; that others are refused is in `bad_inputs.cells`."""
    tables = []
    for text in (votes_text(), gold_text()):
        table = pd.read_csv(io.StringIO(text), dtype=str)
        tables.append(table.assign(stratum="s" + table["item"].str[-1]).to_csv(index=False))
    assert same(read_study(written(tmp_path, v_csv=tables[0], gold_csv=tables[1])))


def test_in_few_rows_one_item_may_have_as_many_votes_as_the_others(tmp_path):
    """Three votes of one item and one of each of three others are no row of sums."""
    text = "item,votes_positive,votes_total\na,3,3\nb,1,1\nc,1,1\nd,1,1\n"
    (path,) = written(tmp_path, v_csv=text)
    assert read_study([path]).items.votes_total.tolist() == [3, 1, 1, 1]


def test_several_columns_in_one_text_name_an_item(tmp_path):
    """As a list of them does; a text is split at its commas."""
    text = "q,model,annotator,label\n" + "".join(
        f"q{k},m{m},a{a},{(k + m * a) % 2}\n" for k in range(4) for m in range(2) for a in range(2)
    )
    (path,) = written(tmp_path, v_csv=text)
    one, other = (read_study([path], item=item) for item in ("q, model", ["q", "model"]))
    assert one.items.item.tolist() == other.items.item.tolist()
    assert len(one.items) == 8
