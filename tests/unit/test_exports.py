"""Files of labelling tools and evaluation harnesses: whose they are, what is read, what is refused.

The files in tests/data/exports were written by the tools (see the README there).
"""

import contextlib
import json
from pathlib import Path

import numpy as np
import pytest

from crowdgold.commands import main
from crowdgold.data import NO_GOLD, InputError
from crowdgold.data.door import open_file
from crowdgold.data.own import read_study
from crowdgold.data.own.exports import EXPORTS, frame_of_records, records_of_json
from crowdgold.data.own.sheets import read_sheet
from crowdgold.data.tables import read_json_lines

FOLDER = Path(__file__).parents[1] / "data/exports"
FILES = sorted(path for path in FOLDER.iterdir() if path.suffix != ".md")
MOST_BYTES = 4096
OF = {"label_studio": "Label Studio", "argilla": "Argilla", "deepeval": "DeepEval",
      "doccano": "doccano", "inspect": "Inspect", "lm_eval": "lm-eval", "mlflow": "MLflow",
      "openai_evals": "OpenAI evals", "prodigy": "Prodigy", "promptfoo": "promptfoo"}  # fmt: skip
"""How the name of a file begins -> the tool."""
WRONG = (None, 3, True, "x", [], {}, [3], [{}], [[]], {"x": {}}, float("nan"), 10**400)
"""What stands in the place of a part of a file."""


def tool_of(path):
    return next(tool for start, tool in OF.items() if path.name.startswith(start))


def records_of(path):
    read = records_of_json if path.suffix == ".json" else read_json_lines
    return read(open_file(path))


def cells(path, person="annotator"):
    """(item, who) -> label."""
    frame = read_sheet(path, []).frame
    if person not in frame:
        return {}
    rows = frame[frame[person].notna()].rename(columns={"id": "item"})
    return dict(zip(zip(rows["item"], rows[person], strict=True), rows["label"], strict=True))


def scores(path):
    """name -> the items' scores."""
    frame = read_sheet(path, []).frame
    columns = [name for name in frame if name.startswith("score_")]
    return {
        name: {item: float(one) for item, one in zip(frame["item"], frame[name], strict=True)
               if isinstance(one, str)}
        for name in columns
    }  # fmt: skip


def notes_of(path):
    notes = []
    read_sheet(path, notes)
    return "\n".join(notes)


def written(folder, name, content):
    path = folder / name
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def test_each_tool_has_a_file_of_which_the_readme_says_how_it_was_made():
    assert {tool_of(path) for path in FILES} == {one.name for one in EXPORTS}
    readme = (FOLDER / "README.md").read_text(encoding="utf-8")
    assert [path.name for path in FILES if path.name not in readme] == []
    assert [path.name for path in FILES if path.stat().st_size > MOST_BYTES] == []


@pytest.mark.parametrize("path", [p for p in FILES if p.suffix != ".csv"], ids=lambda p: p.name)
def test_a_file_is_of_one_tool(path):
    found = [one.name for one in EXPORTS if one.is_it(records_of(path))]
    assert found == [tool_of(path)]
    assert notes_of(path).startswith(f"{path.name}: ")
    assert tool_of(path) in notes_of(path).splitlines()[0]


SPAM = {("r1", 1): "yes", ("r1", 2): "yes", ("r1", 3): "no", ("r2", 1): "no", ("r3", 3): "yes"}
USER = "00000000-0000-0000-0000-00000000000{}"
LABELS = {
    "argilla.json": {(item, USER.format(who)): label
                     for (item, who), label in {**SPAM, ("r2", 2): "no"}.items()},
    "argilla_flat.json": {(item, USER.format(who)): label for (item, who), label in SPAM.items()},
    "deepeval.json": {
        ("sky", "Correctness [GEval]"): "1", ("sky", "Exact Match"): "1",
        ("sum", "Correctness [GEval]"): "1", ("sum", "Exact Match"): "0",
        ("capital", "Correctness [GEval]"): "0", ("capital", "Exact Match"): "0",
        ("month", "Exact Match"): "1",
    },
    "doccano.jsonl": {("a", "1"): "yes", ("a", "2"): "no", ("b", "1"): "no", ("b", "2"): "no"},
    "inspect.json": {
        ("sky", "includes"): "1", ("sum", "includes"): "0", ("capital", "includes"): "0",
        ("month", "includes"): "0", ("sky", "judge"): "1", ("sum", "judge"): "1",
        ("capital", "judge"): "0", ("month", "judge"): "0",
    },
    "label_studio.json": {("a", "1"): "yes", ("a", "2"): "yes", ("a", "3"): "no",
                          ("b", "1"): "no", ("b", "2"): "no", ("c", "1"): "yes"},
    "lm_eval.jsonl": {
        (str(item), f"exact_match ({name})"): label
        for name, labels in {"strict-match": "0001", "flexible-extract": "1101"}.items()
        for item, label in enumerate(labels)
    },
    "openai_evals.jsonl": {
        (f"trivia.dev.{item}", by): label
        for by, labels in {"match": "0001", "score": "1101"}.items()
        for item, label in zip(("sky", "sum", "capital", "month"), labels, strict=True)
    },
    "prodigy.jsonl": {("1101", "mail-ann"): "1", ("1101", "mail-bob"): "0",
                      ("-1102", "mail-ann"): "0"},
    "prodigy_choice.jsonl": {("1101", "mail-ann"): "spam", ("1101", "mail-bob"): "ham",
                             ("-1102", "mail-ann"): "ham"},
    "promptfoo.json": {
        ("0 large", "contains"): "1", ("0 large", "short"): "0", ("0 small", "contains"): "1",
        ("0 small", "short"): "1", ("1 small", "contains"): "0", ("1 large", "contains"): "1",
    },
    "mlflow_table.json": {},
}  # fmt: skip
"""File -> (item, annotator) -> label; those of MLflow's traces are below."""
GOLD = {
    "inspect.json": {("sky", "bob"): "1", ("capital", "bob"): "0", ("month", "bob"): "0"},
    "prodigy.jsonl": {("1101", "checked-eve"): "1"},
    "promptfoo.json": {("0 small", "human"): "1", ("1 small", "human"): "1"},
}
SCORES = {
    "deepeval.json": {"score_Correctness [GEval]": {"sky": 0.9, "sum": 0.6, "capital": 0.2}},
    "inspect.json": {"score_tone": {"sky": 0.75, "sum": 0.5, "capital": 0.125}},
    "lm_eval.jsonl": {
        "score_bleu (strict-match)": {"0": 0.3, "1": 0.4, "2": 0.5, "3": 0.6},
        "score_bleu (flexible-extract)": {"0": 0.35, "1": 0.45, "2": 0.55, "3": 0.65},
    },
    "mlflow_table.json": {"score_shortness": {"q1": 0.645, "q2": 0.833, "q3": 0.769, "q4": 0.741}},
    "openai_evals.jsonl": {
        "score_length": {f"trivia.dev.{item}": length for item, length in
                         {"sky": 11, "sum": 4, "capital": 6, "month": 7}.items()}
    },
    "promptfoo.json": {"score_short": {"0 large": 20 / 52, "0 small": 20 / 27}},
}  # fmt: skip


@pytest.mark.parametrize("name", LABELS)
def test_labels_gold_and_scores_are_those_of_the_tool(name):
    path = FOLDER / name
    assert cells(path) == LABELS[name]
    assert cells(path, "expert") == GOLD.get(name, {})
    found = scores(path)
    assert list(found) == list(SCORES.get(name, {}))
    for score, values in SCORES.get(name, {}).items():
        assert found[score] == pytest.approx(values)


def test_a_result_of_deepeval_is_read_as_its_test_run():
    both = [cells(FOLDER / name) for name in ("deepeval.json", "deepeval_result.json")]
    assert list(both[0].values()) == list(both[1].values())
    assert next(iter(both[1]))[0] == "test_case_0"


def test_judges_and_people_in_mlflow():
    """The table of values has no sources; in traces, what a person said is gold."""
    table = cells(FOLDER / "mlflow_genai.csv")
    assert [by for _, by in table] == ["has_answer", "right"] * 3
    assert list(table.values()) == ["1", "1", "0", "1", "0", "0"]
    traces = FOLDER / "mlflow_traces.json"
    assert list(cells(traces).values()) == ["0", "1", "1"]
    assert [(by, label) for (_, by), label in cells(traces, "expert").items()] == [
        ("ann", "0"), ("ann", "1"),
    ]  # fmt: skip


def test_what_people_changed_is_no_gold_label(tmp_path):
    """They change what is wrong: gold from there would say that a grader never is right."""
    said = notes_of(FOLDER / "inspect.json")
    assert "1 score that people changed as the scorer gave it; no gold labels" in said
    records = records_of(FOLDER / "mlflow_traces.json")
    for one in records[1]["assessments"]:
        one |= {"valid": False} if "right" in one["assessment_name"] else {"overrides": "a-1"}
    path = written(tmp_path, "traces.json", records)
    assert list(cells(path).values()) == ["0", "1", "1"]
    assert list(cells(path, "expert").values()) == ["1"]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("inspect.json", "4 answers of mockllm/model, items named by id"),
        ("inspect.json", "includes, judge read as annotators of the answers (1 is right"),
        ("inspect.json", "bob read as experts (gold, if of answers drawn at random)"),
        ("inspect.json", "passed over, neither yes or no nor a number: words (as ['a', 'b'])"),
        ("lm_eval.jsonl", "perplexity (strict-match) (as [-3.5, 2])"),
        ("openai_evals.jsonl", "passed over, neither yes or no nor a number: choice (as 'Y')"),
        ("mlflow_genai.csv", "expected_response (as 'blue')"),
        ("deepeval.json", "numbers of Correctness [GEval] read as scores"),
        ("argilla.json", "2 suggestions passed over"),
        ("prodigy.jsonl", "SPAM read as the label (accept is 1, reject is 0)"),
        ("prodigy.jsonl", "1 line ignored or without such a label, passed over"),
        ("promptfoo.json", "4 answers of large, small, items named by testIdx and provider"),
    ],
)
def test_notes_say_what_was_read_as_what(name, said):
    assert said in notes_of(FOLDER / name)


def test_messages_name_the_line_of_a_table_and_the_sample_of_a_log():
    assert read_sheet(FOLDER / "mlflow_genai.csv", []).rows.tolist() == [2, 2, 3, 3, 4, 4, 2, 3, 4]
    assert read_sheet(FOLDER / "inspect.json", []).rows[:3].tolist() == [1, 1, 1]


def test_items_of_a_user_are_named_as_the_user_names_them(tmp_path):
    """By `item` of the data that a tool carries along, where all have it."""
    log = records_of(FOLDER / "inspect.json")[0]
    for place, one in enumerate(log["samples"]):
        one["metadata"] = {"item_id": place}
    assert {item for item, _ in cells(written(tmp_path, "a.json", log))} == set("0123")
    del log["samples"][0]["metadata"]["item_id"]
    assert ("sky", "judge") in cells(written(tmp_path, "b.json", log))


def test_epochs_are_answers_of_their_own_and_belong_together(tmp_path):
    log = records_of(FOLDER / "inspect.json")[0]
    log["samples"][0] |= {"epoch": 2, "id": "sky"}
    frame = read_sheet(written(tmp_path, "log.json", log), []).frame
    assert {"sky epoch 1", "sky epoch 2"} < set(frame["item"])
    assert set(frame["cluster"][frame["item"].str.startswith("sky")].dropna()) == {"sky"}


def test_a_partial_grade_makes_a_score(tmp_path):
    log = records_of(FOLDER / "inspect.json")[0]
    log["samples"][0]["scores"]["includes"]["value"] = "P"
    path = written(tmp_path, "log.json", log)
    assert {by for _, by in cells(path)} == {"judge"}
    assert sorted(scores(path)["score_includes"].values()) == [0, 0, 0.5, 1]


def test_a_log_can_be_read_as_labels_of_its_model(tmp_path):
    """The model's answers are then the labels, and the targets gold."""
    columns = {"annotator": "ignore", "label": "ignore",
               "model": "annotator", "model_answer": "label", "target": "gold"}  # fmt: skip
    log = records_of(FOLDER / "inspect.json")[0]
    for place, one in enumerate(log["samples"]):
        one["scores"] = {"match": {"value": "C"}}
        one |= {"target": "yes", "output": {"completion": ("no", "yes")[place % 2]}}
    study = read_study([written(tmp_path, "log.json", log)], columns)
    assert sorted(study.items.votes_positive.tolist()) == [0, 0, 1, 1]
    assert study.items.gold.tolist() == [1, 1, 1, 1]
    assert study.annotations.annotator.tolist() == ["mockllm/model"]


def test_a_file_of_scores_alone_stands_beside_votes(tmp_path):
    votes = tmp_path / "votes.csv"
    votes.write_text("item,annotator,label\nq1,R1,1\nq2,R1,0\nq3,R1,1\nq4,R1,0\n")
    study = read_study([votes, FOLDER / "mlflow_table.json"])
    assert study.items.scores["shortness"].tolist() == [0.645, 0.833, 0.769, 0.741]
    assert (study.items.gold == NO_GOLD).all()


NOTHING = {
    "Inspect, a header alone": ("a.json", {"version": 2, "eval": {}, "plan": {}}),
    "Inspect, not scored": ("a.json", {"eval": {}, "samples": [{"id": 1}]}),
    "lm-eval, lists alone": ("a.jsonl", {"doc_id": 0, "doc": {}, "filtered_resps": [],
                                         "metrics": ["m"], "m": [1, 2]}),
    "promptfoo, no assertion": ("a.json", {"evalId": "e", "results": {"results": [
        {"testIdx": 0, "gradingResult": None}]}}),
    "DeepEval, no metric": ("a.json", {"testCases": [{"name": "a"}]}),
    "MLflow, empty columns": ("a.json", {"columns": ["a/v1/score"], "data": [[None]]}),
    "OpenAI evals, samples alone": ("a.jsonl", {"run_id": "r", "event_id": 1, "sample_id": "s",
                                                "type": "sampling", "data": {}}),
    "Argilla, no response": ("a.json", [{"id": "1", "_server_id": None, "responses": {}}]),
    "Argilla, spans": ("a.json", [{"id": "1", "_server_id": None, "responses": {
        "q": [{"value": [{"start": 1}], "user_id": "u"}]}}]),
    "Prodigy, spans": ("a.jsonl", {"text": "a", "_task_hash": 1, "answer": "accept",
                                   "spans": [{"label": "PER"}]}),
}  # fmt: skip


@pytest.mark.parametrize("what", NOTHING)
def test_a_file_with_nothing_that_can_be_used_is_refused_in_a_line(what, tmp_path):
    name, content = NOTHING[what]
    with pytest.raises(InputError) as error:
        read_sheet(written(tmp_path, name, content), [])
    message = str(error.value)
    assert what.partition(",")[0] in message
    assert message.startswith(f"{tmp_path / name}: ")
    assert "expected" in message
    assert "\n" not in message


def test_labels_of_two_questions_are_refused(tmp_path):
    one = {"text": "a", "_input_hash": 1, "_task_hash": 1, "answer": "accept"}
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(json.dumps({**one, "label": label}) for label in ("SPAM", "RUDE")))
    with pytest.raises(InputError, match=r"labels of 2 questions \(RUDE, SPAM\); expected one"):
        read_sheet(path, [])


def test_a_log_that_is_not_json_is_refused_with_what_to_do(tmp_path):
    path = tmp_path / "log.eval"
    path.write_bytes(b"PK\x03\x04")
    with pytest.raises(InputError, match=r"expected a log of Inspect as JSON, from `inspect"):
        read_sheet(path, [])


def places(value, path=()):
    """Every place within an object or a list."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, one in list(entries):
        yield (*path, key)
        if isinstance(one, dict | list):
            yield from places(one, (*path, key))


@pytest.mark.parametrize("path", [p for p in FILES if p.suffix != ".csv"], ids=lambda p: p.name)
def test_a_damaged_file_is_read_or_refused(path):
    """Whatever stands in the place of any part of it: an `InputError`, or a table."""
    text, tried = json.dumps(records_of(path)), 0
    for place in places(json.loads(text)):
        for wrong in WRONG:
            records = json.loads(text)
            *above, last = place
            inside = records
            for key in above:
                inside = inside[key]
            inside[last] = wrong
            if not all(isinstance(one, dict) for one in records):
                continue
            tried += 1
            with contextlib.suppress(InputError):
                raw = frame_of_records(records, open_file(path))
                frame, rows = raw.frame, raw.rows
                assert np.size(rows) in (1, len(frame))
    assert tried > len(WRONG)


def test_check_says_whose_file_it_read(capsys):
    assert main(["check", str(FOLDER / "inspect.json"), "--json"]) in (0, 1)
    found = json.loads(capsys.readouterr().out)
    assert found["notes"][0].startswith("inspect.json: an eval log of Inspect: 4 answers")
