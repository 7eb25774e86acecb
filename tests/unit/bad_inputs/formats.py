"""Files that are not what their ending says, or are damaged, in every format that is read."""

import gzip
import json
from collections.abc import Iterator

from unit.bad_inputs.case import Case, Content
from unit.bad_inputs.good import COUNTS, GOLD, MODEL, SCORES, VOTES, cut, parquet, records, workbook

MODEL_TEXT = json.dumps(MODEL)
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(256))
HTML = "<!DOCTYPE html><html><body>Please log in</body></html>"
FRAME = {"item": ["a", "a", "b"], "annotator": ["R1", "R2", "R1"], "label": [0, 1, 1]}
SHEET = workbook(tuple(FRAME), *zip(*FRAME.values(), strict=True))
TABLE = parquet(FRAME)
ANSWER = {"completed_by": 7, "result": [{"from_name": "q", "value": {"choices": ["yes"]}}]}
STUDIO = [{"id": 1, "data": {"text": "one"}, "annotations": [ANSWER]}]


def studio(**changes: object) -> str:
    """An export of Label Studio whose one annotation has other values."""
    return json.dumps([{**STUDIO[0], "annotations": [{**ANSWER, **changes}]}])


def result(**changes: object) -> str:
    """The same, whose one answer has other values."""
    return studio(result=[{"from_name": "q", **changes}])


ANY = {
    "empty": b"", "white space alone": b" \n\n \n", "a picture": PNG, "NUL bytes alone": bytes(64),
    "compressed by gzip": gzip.compress(VOTES.encode()),
}  # fmt: skip
"""What is a table in no format."""
TEXTS: dict[str, dict[str, Content]] = {
    ".csv": {
        "a header alone": "item,annotator,label\n",
        "a header and empty rows": "item,annotator,label\n,,\n , ,\n",
        "UTF-16 without its mark": VOTES.encode("utf-16-le"),
        "UTF-32 without its mark": VOTES.encode("utf-32-le"),
        "Latin-1": VOTES.replace("R1", "Zoë").encode("latin-1"),
        "a NUL byte in the header": VOTES.replace("label", "la\0bel"),
        "no header": VOTES.partition("\n")[2],
        "a name twice": VOTES.replace("annotator,label", "item,label"),
        "a name twice but for white space": VOTES.replace("annotator,", "item ,"),
        "a title above the header": "Study of March\n" + VOTES,
        "a comment above the header": "# made in March\n" + VOTES,
        "a quotation mark that does not end": VOTES.replace("i1,R2", 'i1,"R2'),
        "a row with a cell too many": VOTES.replace("i3,R2,1", "i3,R2,1,1").replace(
            "i3,R2,0", "i3,R2,0,0"
        ),
        "the header again, in the middle": VOTES.replace("\ni3", "\nitem,annotator,label\ni3", 1),
        "all rows with a cell too many": VOTES.replace("\ni", "\nx,i"),
        "cells between semicolons, header between commas": VOTES.replace(",", ";").replace(
            "item;annotator;label", "item,annotator,label"
        ),
        "a web page": HTML,
        "JSON": records(VOTES),
        "one column": "item\na\nb\n",
    },
    ".tsv": {
        "a header alone": "item\tannotator\tlabel\n",
        "UTF-16 without its mark": VOTES.replace(",", "\t").encode("utf-16-le"),
        "Latin-1": VOTES.replace(",", "\t").replace("R1", "Zoë").encode("latin-1"),
        "a name twice": VOTES.replace("annotator", "item").replace(",", "\t"),
        "blanks between cells": VOTES.replace(",", " "),
        "a web page": HTML,
    },
    ".jsonl": {
        "cut short": records(VOTES)[:-20],
        "a table of CSV": VOTES,
        "a list on each line": '["a", "R1", 1]\n',
        "a log of OpenAI evals without a verdict": '{"run_id": "r", "event_id": 1, "type": "raw",'
        ' "sample_id": "s", "data": {}}\n',
        "samples of lm-eval with lists for metrics": '{"doc_id": 0, "doc": {}, "metrics": ["m"],'
        ' "filtered_resps": [], "m": [1]}\n',
        "annotations of Prodigy of spans": '{"text": "a", "_task_hash": 1, "answer": "accept",'
        ' "spans": [{"label": "PER"}]}\n',
        "two choices in Prodigy": '{"text": "a", "_task_hash": 1, "answer": "accept",'
        ' "options": [], "accept": ["a", "b"]}\n',
        "a number on a line": records(VOTES) + "3\n",
        "a text on a line": records(VOTES) + '"end"\n',
        "null on a line": records(VOTES) + "null\n",
        "a comma after each line": records(VOTES).replace("}\n", "},\n"),
        "UTF-16 without its mark": records(VOTES).encode("utf-16-le"),
        "Latin-1": records(VOTES).replace("R1", "Zoë").encode("latin-1"),
        "nested without end": "[" * 100_000,
        "objects without keys": "{}\n{}\n",
        "a web page": HTML,
        "an annotation without a user": '{"id": 1, "annotations": [{"label": "yes"}]}\n',
        "spans for labels": '{"id": 1, "label": [[0, 3, "PER"]]}\n',
        "an object for a label": '{"id": 1, "annotations": [{"user": 1, "label": {"a": 1}}]}\n',
        "an object for an item": '{"item": {"id": 1}, "annotator": "R1", "label": 1}\n'
        '{"item": {"id": 2}, "annotator": "R1", "label": 0}\n',
        "a list for an item": '{"item": [1], "annotator": "R1", "label": 1}\n'
        '{"item": [2], "annotator": "R1", "label": 0}\n',
        "an object for a score": '{"item": 1, "votes_positive": 1, "votes_total": 2, "score": {}}\n'
        '{"item": 2, "votes_positive": 1, "votes_total": 2, "score": 1}\n',
    },
    ".json": {
        "cut short": json.dumps(STUDIO)[:-9],
        "an object": json.dumps(STUDIO[0]),
        "a number": "3",
        "null": "null",
        "an empty list": "[]",
        "a list of numbers": "[1, 2]",
        "a list of lists": '[["a", "R1", 1]]',
        "JSON lines": records(VOTES),
        "UTF-16 without its mark": json.dumps(STUDIO).encode("utf-16-le"),
        "Latin-1": '[{"item": "Zoë"}]'.encode("latin-1"),
        "nested without end": "[" * 100_000,
        "a web page": HTML,
        "a log of Inspect without samples": '{"eval": {}, "plan": {}}',
        "a log of Inspect whose samples are a number": '{"eval": {}, "samples": 3}',
        "results of promptfoo without a grade": '{"evalId": "e", "results": {"results": [{}]}}',
        "test cases of DeepEval without a metric": '{"testCases": [{"name": "a"}]}',
        "metrics of DeepEval that are texts": '{"testCases": [{"metricsData": ["good"]}]}',
        "a table of MLflow without rows": '{"columns": ["a/v1/score"], "data": []}',
        "records of Argilla without responses": '[{"_server_id": null, "responses": {}}]',
        "responses of Argilla without a user": '[{"_server_id": null, "responses": {"q": '
        '[{"value": "yes"}]}}]',
        "a task without annotations": '[{"id": 1, "data": {"text": "a"}, "annotations": []}]',
        "annotations that are no list": '[{"id": 1, "data": {}, "annotations": 3}]',
        "an annotation that is a text": '[{"id": 1, "data": {}, "annotations": ["yes"]}]',
        "nobody completed it": studio(completed_by=None),
        "completed by a list": studio(completed_by=[1]),
        "a result that is no list": studio(result={"a": 1}),
        "a cancelled annotation alone": studio(was_cancelled=True),
        "two choices in an answer": result(value={"choices": ["yes", "no"]}),
        "no choice in an answer": result(value={"choices": []}),
        "a text span for an answer": result(value={"start": 1, "end": 3, "labels": ["PER"]}),
        "a list for a choice": result(value={"choices": [["yes"]]}),
        "an object for a choice": result(value={"choices": [{"a": 1}]}),
        "predictions that are no list": json.dumps([{**STUDIO[0], "predictions": 1}]),
    },
    ".parquet": {
        "cut short": cut(TABLE),
        "a table of CSV": VOTES,
        "a workbook": SHEET,
        "no rows": parquet({"item": [], "annotator": [], "label": []}),
        "no columns": parquet({}),
        "lists for items": parquet({**FRAME, "item": [["a"], ["a"], ["b"]]}),
        "dates for labels": parquet({**FRAME, "label": ["2026-01-01", "2026-01-02", "2026-01-03"]}),
        "bytes for items": parquet({**FRAME, "item": [b"\xff\xfe", b"\xfe", b"a"]}),
        "halves for labels": parquet({**FRAME, "label": [0.5, 1.0, 0.0]}),
        "infinite labels": parquet({**FRAME, "label": [float("inf"), 1.0, 0.0]}),
        "nothing but holes": parquet({name: [None, None] for name in FRAME}),
    },
    ".xlsx": {
        "cut short": cut(SHEET),
        "a table of CSV": VOTES,
        "no rows": workbook(),
        "a header alone": workbook(tuple(FRAME)),
        "a cell beyond the header": workbook(tuple(FRAME), ("a", "R1", 1, "seen")),
        "a formula without a value": workbook(tuple(FRAME), ("a", "R1", "=1+0"), ("b", "R1", 0)),
        "a name twice": workbook(("item", "item", "label"), ("a", "b", 1)),
        "a name that is a number": workbook(("item", 3, 4), ("a", 7, 8)),
        "no name": workbook((None, None, "label"), ("a", "R1", 1)),
        "an error of the spreadsheet": workbook(
            tuple(FRAME), ("a", "R1", "#DIV/0!"), ("b", "R1", 0)
        ),
        "dates for labels": workbook(tuple(FRAME), ("a", "R1", "2026-01-01"), ("b", "R1", 0)),
        "a zip file of something else": b"PK\x05\x06" + bytes(18),
    },
}  # fmt: skip
ENDINGS: dict[str, bytes | str] = {
    "no ending": VOTES, ".txt": VOTES, ".txt.gz": gzip.compress(VOTES.encode()),
    ".jsonlines": VOTES,
    ".xls": b"\xd0\xcf", ".ods": b"PK", ".pkl": b"\x80", ".eval": b"PK", ".feather": b"ARROW1",
    ".sqlite": b"SQLite",
}  # fmt: skip
"""Endings that say no format."""


def _votes() -> Iterator[Case]:
    for ending, kinds in TEXTS.items():
        for what, content in {**ANY, **kinds}.items():
            name = f"votes{ending}"
            yield Case("check", f"a {ending} file", what, [name], {name: content}, "votes")
    for ending, content in ENDINGS.items():
        name = "votes" if ending == "no ending" else f"votes{ending}"
        yield Case("check", "the ending", ending, [name], {name: content}, rf"{name}: expected a")
        files, says = {"model.json": MODEL_TEXT, name: content}, rf"{name}: expected a"
        line = [*files, "--accuracy=0.5"]
        yield Case("labelling-threshold", "the ending of FILE", ending, line, files, says)


def _beside() -> Iterator[Case]:
    """The same of a gold file or a file of scores beside good votes."""
    for of, good in (("gold", GOLD), ("scores", SCORES)):
        kinds: dict[str, Content] = {
            **ANY, "UTF-16 without its mark": good.encode("utf-16-le"),
            "a header alone": good.partition("\n")[0],
            "no header": good.partition("\n")[2],
            "Latin-1": good.replace("i1", "ï1").encode("latin-1"), "a web page": HTML,
            "a name twice": good.replace("\n", ",1\n").replace("item,", "item,item,", 1),
            "a quotation mark that does not end": good.replace("i2,", 'i2,"'),
        }  # fmt: skip
        for what, content in kinds.items():
            files = {"votes.csv": VOTES, f"{of}.csv": content}
            yield Case("check", f"the {of} file", what, tuple(files), files, of)


def _validation() -> Iterator[Case]:
    for what, content in {
        **ANY, "UTF-16 without its mark": VOTES.encode("utf-16-le"),
        "a header alone": "item,annotator,label,truth\n",
        "a web page": HTML, "counts": COUNTS, "JSON": records(VOTES),
    }.items():  # fmt: skip
        files = {"model.json": MODEL_TEXT, "rows.csv": content}
        line = [*files, "--accuracy=0.5"]
        yield Case("labelling-threshold", "FILE", what, line, files, r"rows\.csv")
        if what not in ("white space alone", "a header alone"):
            yield Case("confidence", "FILE", what, [*files], files, r"rows\.csv")


CASES = [*_votes(), *_beside(), *_validation()]
