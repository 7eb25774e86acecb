"""Labels for `crowdgold fit-labelling`: what `check` accepts, and labels of more than two kinds."""

import json

import pytest

from crowdgold.cli import main
from crowdgold.reading.door import Reading
from crowdgold.reading.study import read_labels, read_study
from crowdgold.types.errors import InputError
from crowdgold.types.notes import Note
from unit.test_own_study import FORMS, LONG, REFUSED, written


def rows_of(annotations):
    frame = annotations.to_frame()
    return set(zip(frame["item"], frame["annotator"], frame["label"], strict=True))


WHO = [one for one in FORMS if not one.startswith("counts") and "without" not in one]


@pytest.mark.parametrize("form", WHO)
def test_every_form_that_says_who_labelled_gives_the_same_labels(form, tmp_path):
    """Those of `read_study`, but in the files' own words."""
    paths = written(tmp_path, **FORMS[form])
    found, notes = read_labels(paths)
    study = read_study(paths)
    yes = {"1", "True", "yes", "Yes"}
    read = {(item, who, "1" if label in yes else "0") for item, who, label in rows_of(found)}
    assert read == rows_of(study.annotations)
    assert {one.text for one in study.notes} == {one.text for one in notes}


@pytest.mark.parametrize("form", sorted(set(FORMS) - set(WHO)))
def test_files_that_do_not_say_who_labelled_are_refused(form, tmp_path):
    with pytest.raises(InputError, match="nothing says who gave which label; expected the columns"):
        read_labels(written(tmp_path, **FORMS[form]))


def test_labels_of_three_kinds_stay_and_gold_and_scores_are_passed_over(tmp_path):
    votes = "item,annotator,label\na,R1,PG\na,R2,pg\nb,R1,R\nb,R2,PG\nc,R1,X\n"
    scores, gold = "item,score\na,1\nb,2\n", "item,expert,label\na,E,R\n"
    paths = written(tmp_path, votes_csv=votes, gold_csv=gold, scores_csv=scores)
    found, notes = read_labels(paths)
    assert found.category.tolist() == ["PG", "R", "X"]
    assert found.item.tolist() == ["a", "b", "c"]
    assert found.annotator.tolist() == ["R1", "R2"]
    said = f"{paths[0]}: labels read as others that differ in case alone: 'pg' as 'PG'"
    assert said in [note.text for note in notes]
    found, _ = read_labels(paths, categories=["PG", "R", "X", "G", "pg"])
    assert found.category.tolist() == ["PG", "R", "X", "G", "pg"]
    found, notes = read_labels(paths, Reading(positive=["R", "X"]))
    assert found.category.tolist() == ["0", "1"]
    positive = {(item, who) for item, who, label in rows_of(found) if label == "1"}
    assert positive == {("b", "R1"), ("c", "R1")}
    assert Note("labels_0_and_1") in notes


@pytest.mark.parametrize("case", ["no item", "nobody", "no identifier", "too many cells", "spans"])
def test_what_cannot_be_used_is_refused_as_elsewhere(case, tmp_path):
    files, _, message = REFUSED[case]
    with pytest.raises(InputError, match=message):
        read_labels(written(tmp_path, **files))


def test_the_command_takes_what_check_takes(tmp_path, capsys):
    """Wide votes of guessed columns in one file, scores in another; the group of a long one."""
    wide = "post,ann,bob\n" + "".join(f"p{k},{'yes' if k % 3 else 'no'},no\n" for k in range(9))
    scores = "post,score\n" + "".join(f"p{k},{k}\n" for k in range(9))
    votes, others, grouped = map(str, written(
        tmp_path, votes_csv=wide, scores_csv=scores,
        grouped_csv=LONG.replace("label\n", "label,group\n").replace("1\n", "1,g\n")
        .replace("0\n", "0,h\n"),
    ))  # fmt: skip
    out = tmp_path / "model.json"
    short = ["-o", str(out), "--chains", "2", "--warmup", "5", "--draws", "20"]
    assert main(["check", votes, others]) != 2
    assert main(["fit-labelling", votes, others, *short]) == 0
    said = capsys.readouterr().err
    assert "column 'post' read as item, since all files have it" in " ".join(said.split())
    made = json.loads(out.read_text())["made"]
    assert (made["from"], made["labels"]) == ("votes.csv, scores.csv", 18)
    assert main(["fit-labelling", grouped, "--confusion", "group", *short]) == 0
