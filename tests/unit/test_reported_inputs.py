"""Inputs as people reported them, where the folder of data has them: read as meant, or refused.

Each folder has the files and what is expected of them; the kinds that they stand for are in
test_reading_kinds.py, which needs no folder.
"""

import os
import re
from pathlib import Path

import pytest

from crowdgold.reading.study import read_study
from crowdgold.types.errors import InputError

FOLDER = Path(os.environ.get("CROWDGOLD_DATA", "/nowhere")) / "reported"
READ = {
    "01": (["votes.tsv", "gold.csv"], {}, 240, 720, 80),
    "03": (["votes.csv", "gold.csv", "scores.csv"], {}, 240, 720, 80),
    "12": (["votes.csv", "gold.csv"], {}, 240, 720, 80),
    "13": (["votes.csv", "gold.csv"], {}, 240, 720, 80),
    "201": (["na.csv"], {}, 80, 320, 33),
    "23": (["VOTES.CSV", "gold.csv"], {}, 240, 720, 80),
    "31": (["run.json", "gold.csv"], {}, 120, 200, 40),
    "33": (["run.json"], {}, 120, 240, 0),
    "39": (["a.json"], {}, 60, 119, 0),
    "53": (["judged.csv"], {}, 100, 300, 0),
    "54": (["judged.csv", "gold.csv"], {}, 100, 300, 50),
    "56": (["judged.csv"], {"positive": "correct"}, 90, 270, 0),
    "59": (["votes.csv", "gold.csv", "ragas.csv"], {}, 60, 180, 30),
    "70": (["v.csv", "g.csv"], {}, 240, 720, 80),
    "71": (["votes.csv", "gold.csv", "scores.csv"], {}, 240, 720, 80),
}
"""Folder -> files, options, items, votes, gold labels."""
REFUSED = {
    "05": (["votes.csv", "gold.csv"], {}, "'15' for '0015'"),
    "08": (["votes.csv", "gold.csv"], {"positive": "AP"}, "'NA' in 504 cells, which could be"),
    "11": (["votes.csv", "gold.csv"], {"positive": "spam"}, "found the names of the columns"),
    "111": (["a.jsonl", "b.jsonl"], {}, "model differs in 50 of them"),
    "112": (["a.json", "b.json"], {}, "model differs in 50 of them"),
    "114": (["gsm8k.json", "arc.json"], {}, "task differs in 50 of them"),
    "122": (["votes.csv", "gold.csv"], {}, "'img1.JPG' for 'img1.jpg'"),
    "202": (["gp.csv"], {}, "'a004'"),
    "203": (["utf16.xlsx"], {}, "is not UTF-8, as the XML of a workbook is"),
    "21": (["votes.csv"], {}, "row 104: 4 cells"),
    "35": (["samples_a.jsonl", "samples_b.jsonl"], {}, "task differs in 40 of them"),
    "36": (["samples_a.jsonl", "samples_b.jsonl"], {"repeated": "first"}, "task differs in 40"),
    "62": (
        ["human.jsonl"],
        {"columns": {"winner": "label"}, "positive": "model_a"},
        "Say by --item item,",
    ),
}
"""Folder -> files, options, and what the message says."""

pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="CROWDGOLD_DATA has no `reported`")


def folder(number):
    (found,) = (one for one in FOLDER.iterdir() if one.name.startswith(f"{number}-"))
    return found


@pytest.mark.parametrize("number", READ)
def test_it_is_read_as_it_was_meant(number):
    files, options, items, votes, gold = READ[number]
    study = read_study([folder(number) / one for one in files], **options)
    found = len(study.items), int(study.items.votes_total.sum()), int((study.items.gold >= 0).sum())
    assert found == (items, votes, gold)


def test_models_and_voters_are_those_of_the_files():
    def read(number):
        return read_study([folder(number) / one for one in READ[number][0]])

    assert read("03").items.predictors == ["bert", "gpt"]
    assert set(read("59").items.predictors) == {"answer_relevancy", "faithfulness"}
    assert set(read("201").strata["region"]) == {"EU", "NA"}
    items = read("54").items
    share = items.votes_positive / items.votes_total
    assert share[items.gold == 1].mean() > 0.75
    assert share[items.gold == 0].mean() < 0.25


@pytest.mark.parametrize("number", REFUSED)
def test_it_is_refused_with_the_mend(number):
    files, options, message = REFUSED[number]
    with pytest.raises(InputError, match=re.escape(message)):
        read_study([folder(number) / one for one in files], **options)
