"""Files of labelling tools and evaluation harnesses: whose they are, what is read, what is refused.

The files in tests/data/exports were written by the tools (see the README there).
"""

import contextlib
import json
from pathlib import Path

import numpy as np
import pytest

from crowdgold.reading.door import open_file
from crowdgold.reading.sheets import EXPORTS, frame_of_records, read_sheet, records_of_json
from crowdgold.reading.study import read_study
from crowdgold.reading.tables import read_json_lines
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD

FOLDER = Path(__file__).parents[1] / "data/exports"
FILES = sorted(path for path in FOLDER.iterdir() if path.suffix != ".md")
OF_JSON = pytest.mark.parametrize(
    "path", [path for path in FILES if path.suffix != ".csv"], ids=lambda path: path.name
)
OF = {"label_studio": "Label Studio", "argilla": "Argilla", "deepeval": "DeepEval",
      "doccano": "doccano", "inspect": "Inspect", "lm_eval": "lm-eval", "mlflow": "MLflow",
      "openai_evals": "OpenAI evals", "prodigy": "Prodigy", "promptfoo": "promptfoo"}  # fmt: skip
"""How the name of a file begins -> the tool."""
WRONG = (None, 3, True, "x", [], {}, [3], [{}], [[]], {"x": {}}, float("nan"), 10**400)
"""What stands in the place of a part of a file."""


def records_of(path):
    read = records_of_json if path.suffix == ".json" else read_json_lines
    return read(open_file(path))


def frame_of(path):
    return read_sheet(path, []).frame


def cells(path, person="annotator"):
    """(item, who) -> label."""
    frame = frame_of(path)
    if person not in frame:
        return {}
    rows = frame[frame[person].notna()].rename(columns={"id": "item"})
    return dict(zip(zip(rows["item"], rows[person], strict=True), rows["label"], strict=True))


def notes_of(path):
    notes = []
    read_sheet(path, notes)
    return "\n".join(note.text for note in notes)


def written(folder, name, content):
    """A file of JSON, or of its entries as lines."""
    lines = content if name.endswith(".jsonl") else [content]
    path = folder / name
    path.write_text("".join(f"{json.dumps(one)}\n" for one in lines), encoding="utf-8")
    return path


def test_each_tool_has_a_file():
    tools = {tool for start, tool in OF.items() if list(FOLDER.glob(f"{start}*"))}
    assert tools == {one.name for one in EXPORTS}


@OF_JSON
def test_a_file_is_of_one_tool(path):
    (tool,) = (one.name for one in EXPORTS if one.recognises(records_of(path)))
    assert tool == next(tool for start, tool in OF.items() if path.name.startswith(start))
    assert tool in notes_of(path).splitlines()[0]


READ = """\
argilla.json
annotator user 1: r1 yes, r2 no
annotator user 2: r1 yes, r2 no
annotator user 3: r1 no, r3 yes

argilla_flat.json
annotator user 1: r1 yes, r2 no
annotator user 2: r1 yes
annotator user 3: r1 no, r3 yes

deepeval.json
annotator Correctness [GEval]: sky 1, sum 1, capital 0
annotator Exact Match: sky 1, sum 0, capital 0, month 1
score_Correctness [GEval]: sky 0.9, sum 0.6, capital 0.2

deepeval_result.json
annotator Correctness [GEval]: test_case_0 1, test_case_1 1, test_case_2 0
annotator Exact Match: test_case_0 1, test_case_1 0, test_case_2 0, test_case_3 1
score_Correctness [GEval]: test_case_0 0.9, test_case_1 0.6, test_case_2 0.2

doccano.jsonl
annotator 1: a yes, b no
annotator 2: a no, b no

inspect.json
annotator includes: capital 0, month 0, sky 1, sum 0
annotator judge: capital 0, month 0, sky 1, sum 1
expert bob: capital 0, month 0, sky 1
score_tone: capital 0.125, sky 0.75, sum 0.5

label_studio.json
annotator 1: a yes, b no, c yes
annotator 2: a yes, b no
annotator 3: a no

lm_eval.jsonl
annotator exact_match (strict-match): 0 0, 1 0, 2 0, 3 1
annotator exact_match (flexible-extract): 0 1, 1 1, 2 0, 3 1
score_bleu (strict-match): 0 0.3, 1 0.4, 2 0.5, 3 0.6
score_bleu (flexible-extract): 0 0.35, 1 0.45, 2 0.55, 3 0.65

mlflow_genai.csv
annotator has_answer: tr-3c09bfe4 1, tr-2a4a4ea2 0, tr-964310ed 0
annotator right: tr-3c09bfe4 1, tr-2a4a4ea2 1, tr-964310ed 0
score_tone: tr-3c09bfe4 0.55, tr-2a4a4ea2 0.2, tr-964310ed 0.3

mlflow_table.json
score_shortness: q1 0.645, q2 0.833, q3 0.769, q4 0.741

mlflow_traces.json
annotator right: tr-a59a4914 0, tr-a9d1a9f5 1, tr-26ef6ae9 1
expert ann: tr-a9d1a9f5 0, tr-26ef6ae9 1

openai_evals.jsonl
annotator match: sky 0, sum 0, capital 0, month 1
annotator score: sky 1, sum 1, capital 0, month 1
score_length: sky 11, sum 4, capital 6, month 7

prodigy.jsonl
annotator mail-ann: 1101 1, -1102 0
annotator mail-bob: 1101 0
expert checked-eve: 1101 1

prodigy_choice.jsonl
annotator mail-ann: 1101 spam, -1102 ham
annotator mail-bob: 1101 ham

promptfoo.json
annotator contains: 0 large 1, 0 small 1, 1 small 0, 1 large 1
annotator short: 0 large 0, 0 small 1
expert human: 0 small 1, 1 small 1
score_short: 0 large 0.385, 0 small 0.741
"""
"""Files, and who says what in them."""


def shown(path):
    """Who said what of which items, and scores: a line for each."""
    found = {}
    for row in frame_of(path).rename(columns={"id": "item"}).to_dict("records"):
        item = row["item"].removeprefix("trivia.dev.")[:11]
        for name, cell in row.items():
            if name in ("annotator", "expert") and isinstance(cell, str):
                found.setdefault(f"{name} {cell}", []).append(f"{item} {row['label']}")
            if name.startswith("score_") and isinstance(cell, str):
                found.setdefault(name, []).append(f"{item} {float(cell):.3g}")
    user = "00000000-0000-0000-0000-00000000000"
    lines = [f"{who}: {', '.join(cells)}" for who, cells in found.items()]
    return "\n".join([path.name, *(line.replace(user, "user ") for line in lines)])


@pytest.mark.parametrize("block", READ.strip().split("\n\n"), ids=lambda one: one.split("\n")[0])
def test_labels_gold_and_scores_are_those_of_the_tool(block):
    """In MLflow the table of values has no sources; in traces, what a person said is gold."""
    assert shown(FOLDER / block.partition("\n")[0]) == block


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


def metric(name="judge", **values):
    return {"name": name, **values}


def inspect_log(*values, samples=(), **run):
    """A log of a scorer `judge`, whose samples are 1, 2, ..."""
    own = [
        {"id": number, "epoch": 1, "scores": {"judge": {"value": value}}, **more}
        for number, (value, more) in enumerate(
            zip(values, [*samples, *[{}] * len(values)], strict=False), 1
        )
    ]
    return {"eval": run, "plan": {}, "samples": own}


def promptfoo_result(test, passed, **more):
    grade = {"pass": passed, "score": int(passed), "assertion": {"type": "llm-rubric"}}
    return {"testIdx": test, "promptIdx": 0, "promptId": "p", "provider": {"id": "m"},
            "gradingResult": {**grade, "componentResults": [{**grade, **more.pop("grade", {})}]},
            **more}  # fmt: skip


def event(number, kind, **data):
    return {"run_id": "r", "event_id": number, "sample_id": f"s{number}", "type": kind,
            "data": data}  # fmt: skip


def lm_eval_sample(number, value, **more):
    return {"doc_id": number, "doc": {"q": f"q{number}"}, "resps": [["x"]],
            "filtered_resps": ["x"], "metrics": ["acc"], "acc": value, **more}  # fmt: skip


def feedback(number, beside=(), **own):
    return {"trace_id": f"t{number}", "assessments": [{
        "assessment_name": "judge", "source": {"source_type": "LLM_JUDGE"}, "feedback": own,
        **dict(beside)}]}  # fmt: skip


def promptfoo_file(results):
    return {"evalId": "e", "results": {"results": results}}


FAILED = {"error_code": "TIMEOUT", "error_message": "timed out"}
NO_VOTE = {
    "DeepEval, error": ("a.json", {"testCases": [
        {"metricsData": [metric(success=True, score=0.9)]},
        {"metricsData": [metric(success=False, score=None, error="no valid JSON")]},
    ]}, ["1"], "judge (1)"),
    "DeepEval, metric left out": ("a.json", {"testCases": [
        {"metricsData": [metric(success=True)]}, {"metricsData": []},
    ]}, ["1"], "1 answer without a grade passed over"),
    "promptfoo, provider or grading failed": ("a.json", promptfoo_file([
        promptfoo_result(0, True), promptfoo_result(1, False, failureReason=2, error="timed out"),
    ]), ["1"], "llm-rubric (1)"),
    "promptfoo, grader failed": ("a.json", promptfoo_file([
        promptfoo_result(0, True, failureReason=0),
        promptfoo_result(1, False, failureReason=1, grade={"metadata": {"graderError": True}}),
    ]), ["1"], "llm-rubric (1)"),
    "promptfoo, assertion failed": ("a.json", promptfoo_file([
        promptfoo_result(0, True, failureReason=0),
        promptfoo_result(1, False, failureReason=1, error="no such words"),
    ]), ["1", "0"], "llm-rubric read as annotators"),
    "Inspect, sample failed": (
        "a.json", inspect_log("C", "I", samples=[{}, {"error": {"message": "timed out"}}]),
        ["1"], "judge (1)"),
    "Inspect, no score": (
        "a.json", inspect_log("C", "I", samples=[{}, {"error": {"message": "x"}, "scores": None}]),
        ["1"], "1 answer without a grade passed over"),
    "Inspect, nothing that can be graded": (
        "a.json", inspect_log("C", "N"), ["1", "0"], "judge read as annotators"),
    "Inspect, unscored": ("a.json", inspect_log("C", "I", float("nan")), ["1", "0"], "judge (1)"),
    "Inspect, no grade in the grader's words": (
        "a.json", inspect_log("C", "I", samples=[{}, {"scores": {"judge": {
            "value": "I", "explanation": "Grade not found in model output: I am not sure"}}}]),
        ["1"], "judge (1)"),
    "MLflow, error in the feedback": (
        "a.json", [feedback(1, value="yes"), feedback(2, value="no", error=FAILED)],
        ["1"], "judge (1)"),
    "MLflow, error beside it": (
        "a.json", [feedback(1, value="yes"), feedback(2, {"error": FAILED}, value="no")],
        ["1"], "judge (1)"),
    "MLflow, empty cell": (
        "a.json", {"columns": ["judge/v1/score"], "data": [[1], [0], [None]]},
        ["1", "0"], "judge (1)"),
    "OpenAI evals, error": (
        "a.jsonl", [event(1, "match", correct=True), event(2, "error", type="E", message="x")],
        ["1"], "1 answer without a grade passed over"),
    "OpenAI evals, no choice": (
        "a.jsonl", [event(1, "metrics", choice="Y", score=1.0),
                    event(2, "metrics", choice="__invalid__", score=0.0)],
        ["1"], "choice (1), score (1)"),
    "lm-eval, no value": (
        "a.jsonl", [lm_eval_sample(0, 1.0), lm_eval_sample(1, float("nan"))], ["1"], "acc (1)"),
    "Label Studio, skipped": ("a.json", [
        {"id": 1, "data": {}, "annotations": [
            {"completed_by": who, "was_cancelled": who == 2,
             "result": [{"from_name": "q", "value": {"choices": ["no"]}}]} for who in (1, 2)]},
    ], ["no"], "1 annotation cancelled or without a choice, passed over"),
    "Argilla, discarded and draft": ("a.json", [
        {"id": "1", "_server_id": None, "responses": {"q": [
            {"value": "yes", "user_id": "a", "status": "submitted"},
            {"value": "no", "user_id": "b", "status": "discarded"},
            {"value": "no", "user_id": "c", "status": "draft"},
            {"value": "no", "user_id": "d", "status": "pending"},
            {"value": "yes", "user_id": "e"}]}},
    ], ["yes", "yes"], "3 responses not submitted, passed over"),
    "Prodigy, ignored": ("a.jsonl", [
        {"_input_hash": 1, "_task_hash": 1, "label": "SPAM", "answer": "reject"},
        {"_input_hash": 2, "_task_hash": 2, "label": "SPAM", "answer": "ignore"},
    ], ["0"], "1 line ignored or without such a label, passed over"),
    "doccano, no label": (
        "a.jsonl", [{"id": 1, "label": ["no"]}, {"id": 2, "label": []}], ["no"], "2 texts"),
}  # fmt: skip
"""What happened -> a file, the labels in it, and what is said."""


@pytest.mark.parametrize("what", NO_VOTE)
def test_where_a_grader_failed_or_a_person_skipped_there_is_no_vote(what, tmp_path):
    name, content, labels, said = NO_VOTE[what]
    path = written(tmp_path, name, content)
    frame = frame_of(path)
    assert frame["label"][frame["annotator"].notna()].dropna().tolist() == labels
    assert said in notes_of(path)
    assert what.partition(",")[0] in notes_of(path)


MANUAL = promptfoo_result(0, False, failureReason=2)
MANUAL["gradingResult"]["componentResults"].append({"pass": True, "assertion": {"type": "human"}})
NAMELESS = {"columns": ["judge/v1/score"], "data": [[1], [1]]}
ONE_RESULT = promptfoo_result(0, True)
TWO_FILTERS = [(doc, taken) for taken in "xy" for doc in range(2)]
READ_AS = {
    "an epoch is an answer of its own": ("a.json", inspect_log(
        "C", "I", samples=[{"id": "sky", "epoch": 1}, {"id": "sky", "epoch": 2}]),
        {"item": ["sky epoch 1", "sky epoch 2"], "cluster": ["sky", "sky"]}),
    "another response to a document of lm-eval is a run": ("a.jsonl", [
        lm_eval_sample(doc, 1.0, resps=[[f"{run}"]]) for run in range(2) for doc in range(2)],
        {"item": ["0", "1", "0 run 2", "1 run 2"], "cluster": ["0", "1", "0", "1"],
         "annotator": ["acc"] * 4}),
    "tests of promptfoo without variables are not runs": (
        "a.json", promptfoo_file([promptfoo_result(test, True) for test in range(3)]),
        {"item": ["0", "1", "2"], "cluster": None}),
    **{f"a filter of lm-eval that has no name, {named}, is a grader": ("a.jsonl", [
        lm_eval_sample(doc, float(taken == "x"), filtered_resps=[taken], **named)
        for doc, taken in TWO_FILTERS],
        {"item": ["0", "1", "0", "1"], "label": ["1", "1", "0", "0"],
         "annotator": ["acc", "acc", *[f"acc ({named.get('filter') or 'filter'} 2)"] * 2]})
       for named in ({}, {"filter": None}, {"filter": "none"})},
    "more than a few partial grades make scores": ("a.json", inspect_log(*"CICICICI", "P"),
        {"annotator": None, "score_judge": ["1", "0"] * 4 + ["0.5"]}),
    "where words are labels, one that is a number stays as it is": (
        "a.json", inspect_log("good", "bad", "0.5"), {"label": ["good", "bad", "0.5"]}),
    "a grader that failed gives no score": ("a.json", {"testCases": [
        {"metricsData": [metric(success=True, score=0.7)]},
        {"metricsData": [metric(success=False, score=0.2, error="timed out")]}]},
        {"item": ["case 1", "case 1"], "score_judge": [None, "0.7"]}),
    "a manual rating counts where the grader failed": ("a.json", promptfoo_file([MANUAL]),
        {"item": ["0"], "expert": ["human"], "label": ["1"], "annotator": None}),
    "alike answers of MLflow without a number count each": (
        "a.json", NAMELESS, {"label": ["1", "1"]}),
    "alike results of promptfoo without a number count each": (
        "a.jsonl", [ONE_RESULT] * 2, {"label": ["1", "1"]}),
    "alike results of promptfoo with a number count once": (
        "a.jsonl", [{**ONE_RESULT, "id": "r1"}] * 2, {"label": ["1"]}),
}  # fmt: skip
"""What is so -> a file, and the cells of columns; None of one that there is not."""


@pytest.mark.parametrize("what", READ_AS)
def test_a_file_of_a_harness_is_read_as(what, tmp_path):
    name, content, columns = READ_AS[what]
    frame = frame_of(written(tmp_path, name, content)).astype(object)
    assert {
        name: frame[name].where(frame[name].notna(), None).tolist() if name in frame else None
        for name in columns
    } == columns


@pytest.mark.parametrize(
    ("partial", "yes_or_no"), [("P", "CI"), (0.25, (1, 0)), ("unclear", "CI"), ([1], "CI")]
)
def test_a_few_partial_grades_leave_an_annotator(partial, yes_or_no, tmp_path):
    """From nine tenths of yes and no on."""
    values = [yes_or_no[place % 2] for place in range(9)]
    path = written(tmp_path, "a.json", inspect_log(*values, partial))
    assert list(cells(path).values()) == [str((place + 1) % 2) for place in range(9)]
    assert "score_judge" not in frame_of(path)
    shown = repr(0.5 if partial == "P" else partial)
    assert (
        f"values of annotators passed over, neither yes nor no: 1 of 10 of judge (as {shown})"
        in notes_of(path)
    )


@pytest.mark.parametrize("tests", [[0, 1, 0, 1, 0, 1], [0, 2, 1, 3, 4, 5]])
def test_runs_of_promptfoo_are_answers_of_their_own_and_belong_together(tests, tmp_path):
    """Whether its version numbers the runs of a test alike or not."""
    results = [
        promptfoo_result(test, True, vars={"q": f"q{place % 2}", "_conversation": [place]})
        for place, test in enumerate(tests)
    ]
    frame = frame_of(written(tmp_path, "a.json", promptfoo_file(results)))
    assert frame["item"].nunique() == 6
    assert frame["cluster"].value_counts().tolist() == [3, 3]
    assert frame.groupby("cluster")["question"].nunique().tolist() == [1, 1]
    if tests[0] == tests[2]:
        assert frame["item"].tolist() == ["0", "1", "0 run 2", "1 run 2", "0 run 3", "1 run 3"]


def test_documents_of_two_tasks_of_lm_eval_in_one_file_are_refused(tmp_path):
    samples = [lm_eval_sample(0, 1.0), lm_eval_sample(0, 1.0, doc={"q": "of another task"})]
    with pytest.raises(InputError, match=r"line 2: doc_id 0 is another document .* by itself"):
        frame_of(written(tmp_path, "a.jsonl", samples))


@pytest.mark.parametrize(
    "name",
    ["argilla.json", "argilla_flat.json", "doccano.jsonl", "label_studio.json", "lm_eval.jsonl",
     "mlflow_traces.json", "openai_evals.jsonl", "prodigy.jsonl", "prodigy_choice.jsonl"],
)  # fmt: skip
def test_a_record_that_is_there_again_counts_once(name, tmp_path):
    records = records_of(FOLDER / name)
    once = frame_of(FOLDER / name)
    folder = tmp_path / "twice"
    folder.mkdir()
    path = written(folder, name, [*records, *records])
    assert frame_of(path).equals(once)
    assert f"{len(records)} records there again in the same words, counted once" in notes_of(path)
    path = written(folder, name, [records[0], *records])
    assert read_sheet(path, []).rows.max() == read_sheet(FOLDER / name, []).rows.max() + 1


OF_ANSWERS = {
    "deepeval.json": {"question": "sky", "model_answer": "It is blue.", "target": "blue"},
    "inspect.json": {"question": "Capital of Norway?", "model_answer": "Paris?", "target": "Oslo",
                     "model": "mockllm/model", "task": "trivia"},
    "lm_eval.jsonl": {"model_answer": "It is blue.", "target": "blue",
                      "question": '{"answer": "blue", "question": "Which colour is the sky?"}'},
    "mlflow_traces.json": {"question": '{"question": "Capital of Norway?"}',
                           "model_answer": "Paris?"},
    "mlflow_genai.csv": {"question": "{'question': 'Which colour is the sky?'}",
                         "model_answer": "It is blue."},
    "mlflow_table.json": {"question": "Which colour is the sky?", "target": "It is blue."},
    "openai_evals.jsonl": {"question": "-", "model_answer": "It is blue.", "target": "blue",
                           "model": "tiny-model", "task": "trivia.dev.v0"},
    "promptfoo.json": {"question": '{"message": "my parcel is late"}', "model": "large",
                       "model_answer": "Sorry about your parcel! Reply to: my parcel is late"},
}  # fmt: skip
"""File -> what is known of its first answer."""


@pytest.mark.parametrize("name", OF_ANSWERS)
def test_what_is_known_of_an_answer_is_there_in_columns(name):
    """By these, answers in two files that are named alike are told apart."""
    first = frame_of(FOLDER / name).iloc[0]
    assert {column: first[column] for column in OF_ANSWERS[name]} == OF_ANSWERS[name]


def test_the_task_of_lm_eval_is_in_the_name_of_its_file(tmp_path):
    for name, task in {"samples_mmlu_anatomy_2025-01-02T03-04-05.678.jsonl": "mmlu_anatomy",
                       "samples_gsm8k.jsonl": "gsm8k", "mine.jsonl": None}.items():  # fmt: skip
        frame = frame_of(written(tmp_path, name, [lm_eval_sample(0, 1.0)]))
        assert set(frame.get("task", [None])) == {task}


def test_a_long_question_is_known_by_its_hash(tmp_path):
    long = ["a" * 201, "a" * 200 + "b"]
    path = written(tmp_path, "a.json", inspect_log("C", "I", samples=[{"input": q} for q in long]))
    found = frame_of(path)["question"]
    assert found.nunique() == 2
    assert set(found.str.len()) == {40}


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
    "Inspect, not scored": ("a.json", {"eval": {}, "samples": [{"id": 1}]}),
    "MLflow, empty columns": ("a.json", {"columns": ["a/v1/score"], "data": [[None]]}),
    "Argilla, spans": ("a.json", [{"id": "1", "_server_id": None, "responses": {
        "q": [{"value": [{"start": 1}], "user_id": "u"}]}}]),
}  # fmt: skip
"""Beside what is in `bad_inputs.formats`."""


@pytest.mark.parametrize("what", NOTHING)
def test_a_file_with_nothing_that_can_be_used_is_refused_in_a_line(what, tmp_path):
    path = written(tmp_path, *NOTHING[what])
    with pytest.raises(InputError, match=f"^{path}: .*{what.partition(',')[0]}.*expected.*$"):
        frame_of(path)


def test_labels_of_two_questions_are_refused(tmp_path):
    one = {"text": "a", "_input_hash": 1, "_task_hash": 1, "answer": "accept"}
    path = written(tmp_path, "a.jsonl", [{**one, "label": label} for label in ("SPAM", "RUDE")])
    with pytest.raises(InputError, match=r"labels of 2 questions \(RUDE, SPAM\); expected one"):
        frame_of(path)


def places(value, path=()):
    """Every place within an object or a list."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, one in list(entries):
        yield (*path, key)
        if isinstance(one, dict | list):
            yield from places(one, (*path, key))


@OF_JSON
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


def test_a_log_that_is_not_json_is_refused_with_what_to_do(tmp_path):
    path = tmp_path / "log.eval"
    path.write_bytes(b"PK\x03\x04")
    with pytest.raises(InputError, match=r"expected a log of Inspect as JSON, from `inspect"):
        frame_of(path)
