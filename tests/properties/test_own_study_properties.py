"""Files with something wrong in them end in a study or in a message, never in another error."""

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from crowdgold.checking.study import check_data
from crowdgold.checking.text import describe
from crowdgold.reading.outputs import plain
from crowdgold.reading.study import Study, read_study
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD

LONG = "item,annotator,label\n" + "".join(
    f"i{item},R{who},{(item * who) % 2}\n" for item in range(6) for who in range(3)
)
ANSWERS = [
    {"completed_by": who, "ground_truth": who == 0,
     "result": [{"from_name": "q", "value": {"choices": [("no", "yes")[who % 2]]}}]}
    for who in range(3)
]  # fmt: skip
TASKS = [
    {"id": k, "data": {"item": f"i{k}", "score": k / 7}, "annotations": ANSWERS} for k in range(3)
]
GOOD = (
    {
        "votes.csv": LONG,
        "gold.csv": "item,expert,label\ni0,E1,1\ni1,E1,0\ni1,E2,0\ni4,E1,1\n",
        "scores.csv": "item,gpt,llama\n" + "".join(f"i{n},{n / 7},{n}\n" for n in range(6)),
    },
    {
        "all.csv": "item,votes_positive,votes_total,gold,score,stratum,weight\n"
        + "".join(f"i{n},{n % 4},3,{'' if n % 2 else n // 2 % 2},{n},x,1\n" for n in range(8))
    },
    {"wide.tsv": "item\tann\tbob\teve\n" + "".join(f"i{n}\t1\t{n % 2}\t\n" for n in range(5))},
    {"export.json": json.dumps(TASKS)},
    {
        "ann.jsonl": "\n".join(
            json.dumps({"id": n, "label": [("no", "yes")[n % 2]]}) for n in range(4)
        )
    },
)
"""Files that are read as they are."""

CELLS = st.one_of(
    st.sampled_from(
        ["", " ", "NaN", "nan", "inf", "-1", "1e999", "9" * 400, "0.5", "2", '"', "''", "\x00", "é",
         "i0", "R1", "null", "None", "True", "[]", "{}", "\n", ",", ";", "1,2", "﻿", "𝟙", "١"]
    ),
    st.text(max_size=4),
)  # fmt: skip
NAMES = st.sampled_from(
    ["item", "label", "score", "gold", "votes_total", "vote_1", "x", "", "model", "expert",
     "score_", "gold_E", "annotator", "weight", "votes_negative", "group"]
)  # fmt: skip
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "latin-1", "utf-32")


def change_cell(text, draw, separator):
    rows = [line.split(separator) for line in text.split("\n")]
    row = draw(st.integers(0, len(rows) - 1))
    column = draw(st.integers(0, len(rows[row]) - 1))
    rows[row][column] = draw(CELLS)
    return "\n".join(separator.join(cells) for cells in rows)


def swap_cells(text, draw, separator):
    rows = [line.split(separator) for line in text.split("\n")]
    places = [(r, c) for r, row in enumerate(rows) for c in range(len(row))]
    (r, c), (s, d) = draw(st.sampled_from(places)), draw(st.sampled_from(places))
    rows[r][c], rows[s][d] = rows[s][d], rows[r][c]
    return "\n".join(separator.join(cells) for cells in rows)


def rename_column(text, draw, separator):
    head, _, rest = text.partition("\n")
    names = head.split(separator)
    names[draw(st.integers(0, len(names) - 1))] = draw(NAMES)
    return f"{separator.join(names)}\n{rest}"


def drop_column(text, draw, separator):
    rows = [line.split(separator) for line in text.split("\n")]
    column = draw(st.integers(0, 6))
    return "\n".join(separator.join(row[:column] + row[column + 1 :]) for row in rows)


def repeat_row(text, draw, separator):
    rows = text.split("\n")
    row = draw(st.sampled_from(rows))
    rows.insert(draw(st.integers(0, len(rows))), row)
    return "\n".join(rows)


def cut(text, draw, separator):
    return text[: draw(st.integers(0, len(text)))]


def insert(text, draw, separator):
    place = draw(st.integers(0, len(text)))
    return text[:place] + draw(CELLS) + text[place:]


MUTATIONS = (change_cell, swap_cells, rename_column, drop_column, repeat_row, cut, insert)


@st.composite
def mutated(draw):
    """Good files, one of them changed one to three times, then written in some encoding."""
    files = dict(draw(st.sampled_from(GOOD)))
    name = draw(st.sampled_from(sorted(files)))
    separator = draw(st.sampled_from([",", "\t", ":"] if name.endswith("json") else [",", "\t"]))
    for mutation in draw(st.lists(st.sampled_from(MUTATIONS), min_size=1, max_size=3)):
        files[name] = mutation(files[name], draw, separator)
    bytes_of = {one: text.encode("utf-8", "replace") for one, text in files.items()}
    encoding = draw(st.sampled_from(ENCODINGS * 2 + ("utf-8",) * 10))
    bytes_of[name] = files[name].encode(encoding, "replace")
    return bytes_of, draw(st.sampled_from([None, None, "1", "yes", "x"]))


def check(study: Study) -> None:
    """A study that was read holds what it says it does."""
    items, n = study.items, len(study.items)
    assert n > 0
    assert np.all((items.votes_positive >= 0) & (items.votes_positive <= items.votes_total))
    assert np.all(items.votes_total >= 1)
    assert np.isin(items.gold, (0, 1, NO_GOLD)).all()
    assert all(np.isfinite(scores).any() and len(scores) == n for scores in items.scores.values())
    assert not any(np.isinf(scores).any() for scores in items.scores.values())
    assert all(len(values) == n for values in study.strata.values())
    assert study.weights is None or np.all(np.isfinite(study.weights) & (study.weights > 0))
    if study.annotations is not None:
        assert study.annotations.item.tolist() == items.item.tolist()
        assert study.annotations.labels_of_item.tolist() == items.votes_total.tolist()


def outcome(folder, files, positive):
    for name, content in files.items():
        (folder / name).write_bytes(content)
    try:
        study = read_study([folder / name for name in files], positive=positive)
    except InputError as error:
        study, message = None, str(error)
    if study is None:
        assert message.strip()
        return None
    check(study)
    found = check_data(study, np.random.default_rng(1), resamples=5, permutations=5)
    assert describe(found, study.notes)
    assert json.dumps(plain(found), allow_nan=False)
    return study


@pytest.mark.parametrize("files", GOOD, ids=lambda files: next(iter(files)))
def test_the_files_are_good_before_they_are_changed(files, tmp_path):
    assert outcome(tmp_path, {name: text.encode() for name, text in files.items()}, None)


@settings(
    max_examples=500, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(mutated())
def test_changed_files_end_in_a_study_or_a_message(tmp_path, changed):
    """`outcome` holds either to account; a study that is read has items."""
    study = outcome(tmp_path, *changed)
    assert study is None or len(study.items) > 0
