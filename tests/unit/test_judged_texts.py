"""Datasets of judged texts: how their files are read, and that they are what table 4 says.

What is printed is checked where the files can be had: point CROWDGOLD_DATA at a folder with them.
"""

import json
from dataclasses import replace

import numpy as np
import pytest

from crowdgold.datasets import DATASETS, chaosnli, lewidi, mfrc
from crowdgold.datasets.dataset import ARMIS, TABLE_4, folds
from crowdgold.datasets.dataset import JUDGED_COLUMNS as COLUMNS
from crowdgold.datasets.pinned import SOURCES
from crowdgold.types.errors import InputError


@pytest.mark.parametrize("name", ["hs_brexit", "md_agreement", "armis", "chaosnli_texts"])
def test_the_datasets_are_those_of_table_4(prepared, name):
    """Counts are asserted on loading; the shares and disagreements are those measured before."""
    frame = prepared(name)[1]
    assert list(frame.columns)[: len(COLUMNS)] == COLUMNS
    measured = {
        "hs_brexit": (0.097, 0.31), "md_agreement": (0.313, 0.58), "armis": (0.413, 0.35),
        "chaosnli_texts": (None, None),
    }[name]  # fmt: skip
    number = frame.groupby("item")["label"].nunique()
    if measured[0] is not None:
        assert (number > 1).mean() == pytest.approx(measured[1], abs=0.005)
        share = (frame["label"] == "1").groupby(frame["item"]).mean()
        # The source breaks ties at random: HS-Brexit has 6 votes.
        assert (share > 0.5).mean() - 0.005 <= measured[0] <= (share >= 0.5).mean() + 0.005
    assert not (frame["text"].str.strip() == "").any()
    assert frame.drop_duplicates("item")["part"].value_counts().min() > 100


def test_annotations_of_a_dataset_can_be_fitted_as_others(prepared):
    found = DATASETS["armis"].draw_task(prepared("armis")[1], {}, np.random.default_rng(0))
    assert len(found) == 943 * 3
    assert len(found.annotator) == 3
    with pytest.raises(InputError, match="nobody's name"):
        DATASETS["chaosnli_texts"].draw_task(None, {}, np.random.default_rng(0))


def test_the_folds_are_even_and_always_the_same():
    found = folds(1_514)
    assert np.bincount(found).tolist() == [152] * 4 + [151] * 6
    assert (found == folds(1_514)).all()


def item(labels="0,1,1", people="a,b,c", text="x"):
    return {"text": text, "annotations": labels, "annotators": people, "other_info": {}}


def write_armis(folder, **parts):
    for part in lewidi.PARTS:
        content = parts.get(part, {"1": item()})
        text = content if isinstance(content, str) else json.dumps(content)
        (folder / f"ArMIS_{part}.json").write_text(text, encoding="utf-8")


@pytest.fixture
def tiny(monkeypatch):
    """Small files have counts of their own."""
    parts = {"train": 1, "dev": 1, "test": 1}
    own = replace(ARMIS, thousands=0, parts=parts)
    monkeypatch.setitem(TABLE_4, "armis", own)
    return monkeypatch


def test_lewidi_files_give_a_row_an_annotation(tmp_path, tiny):
    write_armis(tmp_path, test={"7": item("1,1,0", "b,a,c", "y")})
    frame = lewidi.prepare_armis(tmp_path)
    assert len(frame) == 9
    assert frame.iloc[6].tolist() == ["test_7", "test", "y", "", "b", "1", 1]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[", r"ArMIS_dev.json: expected a JSON object of items"),
        ({"3": {"text": "x"}}, r"ArMIS_dev.json, item 3: expected text, annotations"),
        ({"3": item("0,1")}, r"item 3: found annotations '0,1' by 3 annotators, expected 0 or 1"),
        ({"3": item("0,1,2")}, r"item 3: found annotations '0,1,2'"),
        ({"3": item(), "4": item()}, r"dataset armis: items of dev: found 2, expected 1"),
        ({"3": item("0,1", "a,b")}, r"annotations an item: found 2.7, expected 3.0"),
        ({"3": item("0,1,1", "a,b,d")}, r"annotators: found 4, expected 3"),
    ],
)
def test_a_file_that_is_not_as_it_should_be_is_named(tmp_path, tiny, content, message):
    write_armis(tmp_path, dev=content)
    with pytest.raises(InputError, match=message):
        lewidi.prepare_armis(tmp_path)


def pair(uid="u", counts=(60, 30, 10), **more):
    return {"uid": uid, "label_count": list(counts),
            "example": {"premise": "p", "hypothesis": "h"}, **more}  # fmt: skip


def test_chaosnli_keeps_equal_labels_as_their_number(tmp_path, monkeypatch):
    monkeypatch.setattr(chaosnli, "SUBSETS", {"snli": 2})
    path = tmp_path / "chaosNLI_snli.jsonl"
    path.write_text("".join(json.dumps(one) + "\n" for one in (pair(), pair("v", (0, 100, 0)))))
    frame = chaosnli.read_subset(path, "snli")
    assert frame["item"].tolist() == ["snli_u"] * 3 + ["snli_v"]
    assert frame[["label", "count"]].to_numpy().tolist() == [
        ["e", 60], ["n", 30], ["c", 10], ["n", 100],
    ]  # fmt: skip
    path.write_text(json.dumps(pair()) + "\n" + json.dumps(pair(counts=(1, 2))) + "\n")
    with pytest.raises(InputError, match="line 2: expected uid, label_count of three classes"):
        chaosnli.read_subset(path, "snli")
    path.write_text("")
    with pytest.raises(InputError, match="found 0 items, expected 2"):
        chaosnli.read_subset(path, "snli")


MORAL = ("Care", "Equality", "Proportionality", "Loyalty", "Authority", "Purity",
         "Thin Morality", "Non-Moral")  # fmt: skip


def write_mfrc(folder, *rows):
    header = "text,subreddit,bucket,annotator,annotation,confidence"
    (folder / mfrc.FILE).write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")


def test_mfrc_joins_the_annotations_of_a_text(tmp_path, monkeypatch):
    write_mfrc(
        tmp_path,
        '"a, b",r,x,annotator00,"Equality,Care",Confident',
        "c,r,x,annotator00,Purity,Confident",
        '"a, b",r,x,annotator01,Non-Moral,Confident',
        'd,r,x,annotator01,"Proportionality,Loyalty,Authority,Thin Morality",Confident',
    )
    frame = mfrc.read_annotations_of(tmp_path / mfrc.FILE)
    assert frame["item"].tolist() == ["text_0", "text_0", "text_1", "text_2"]
    assert frame["label"].tolist()[:3] == ["Care,Equality", "Non-Moral", "Purity"]
    assert mfrc.classes_of(frame) == tuple(sorted(MORAL))
    assert frame.groupby("item")["part"].nunique().max() == 1
    with pytest.raises(InputError, match="dataset mfrc: items, in thousands: found 0, expected 18"):
        mfrc.prepare(tmp_path)
    monkeypatch.setattr(mfrc, "MFRC", replace(mfrc.MFRC, thousands=0, per_item=1.3))
    assert len(mfrc.prepare(tmp_path)) == 4


def test_a_table_of_mfrc_that_cannot_be_used_is_named(tmp_path):
    write_mfrc(tmp_path, "a,r,x,,Care,Confident")
    with pytest.raises(InputError, match=r"column 'annotator', row 2: found '', expected a value"):
        mfrc.prepare(tmp_path)
    write_mfrc(tmp_path, "a,r,x,p,Care,Confident")
    with pytest.raises(InputError, match="classes: found Care, expected 8"):
        mfrc.prepare(tmp_path)
    (tmp_path / mfrc.FILE).write_text("text,annotator\na,b\n")
    with pytest.raises(InputError, match="column 'annotation' is missing; found text, annotator"):
        mfrc.prepare(tmp_path)


def test_abusive_texts_are_cautioned_and_share_a_folder():
    for name in ("hs_brexit", "md_agreement", "armis", "mfrc"):
        assert "abusive" in SOURCES[name].cautions
    assert {SOURCES[name].folder for name in ("hs_brexit", "armis")} == {"lewidi2023"}
    assert SOURCES["mfrc"].on_request
