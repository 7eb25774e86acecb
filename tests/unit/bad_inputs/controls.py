"""Good inputs like the bad ones, which have to be taken: `says` is of standard output."""

import hashlib
import json
from collections.abc import Iterator, Mapping

from unit.bad_inputs.case import Case, Content
from unit.bad_inputs.folders import RECORD, evaluated, sealed
from unit.bad_inputs.good import (
    COUNTS,
    GOLD,
    LINES,
    MODEL,
    ROWS,
    SCORES,
    STUDY,
    VALIDATION,
    VOTES,
    WIDE,
    parquet,
    records,
    workbook,
)  # fmt: skip
from unit.bad_inputs.study_files import FILES_KEY


def _rows(text: str) -> list[tuple[str, ...]]:
    return [tuple(line.split(",")) for line in text.splitlines()]


VOTE_FILES: Mapping[str, Content] = {
    "votes.csv": VOTES, "votes.tsv": VOTES.replace(",", "\t"), "votes.jsonl": records(VOTES),
    "votes.ndjson": records(VOTES), "votes.xlsx": workbook(*_rows(VOTES)),
    "votes.parquet": parquet(
        dict(zip(_rows(VOTES)[0], map(list, zip(*_rows(VOTES)[1:], strict=True)), strict=True))
    ),
    "counts.csv": COUNTS, "wide.csv": WIDE,
}  # fmt: skip
TEXTS: Mapping[str, Content] = {
    "a byte order mark": b"\xef\xbb\xbf" + VOTES.encode(),
    "line ends of Windows": VOTES.replace("\n", "\r\n"),
    "semicolons": VOTES.replace(",", ";"),
    "empty lines": "\n\n" + VOTES.replace("\n", "\n\n"),
    "white space around": VOTES.replace(",", " , "),
    "quotation marks": VOTES.replace("R1", '"R, 1"'),
    "names beyond ASCII": VOTES.replace("R1", "Zoë 李"),
    "words for labels": VOTES.replace(",0\n", ",No\n").replace(",1\n", ",yes\n"),
    "labels with a point": VOTES.replace(",0\n", ",0.0\n").replace(",1\n", ",1.0\n"),
    "no label in a row": VOTES + "i9,R1,\n",
    "no annotators": VOTES.replace("R1,", "").replace("R2,", "").replace("R3,", "").replace(
        "annotator,", ""),
    "a column that is not known": VOTES.replace("label\n", "label,seconds\n").replace(
        "0\n", "0,3\n").replace("1\n", "1,4\n"),
}  # fmt: skip


def _controls() -> Iterator[Case]:
    for name, content in VOTE_FILES.items():
        files = {name: content, "gold.csv": GOLD, "scores.csv": SCORES}
        yield Case("check", "FILES", name, list(files), files, "items 8")
    for what, content in TEXTS.items():
        files = {"votes.csv": content, "gold.csv": GOLD, "scores.csv": SCORES}
        yield Case("check", "votes.csv", what, list(files), files, "items 8")
    study = {**STUDY, "study.yaml": FILES_KEY + "positive: '1'\nlevel: 0.9\nout: mine\n"}
    yield Case("check", "study.yaml", "good", ["study.yaml"], study, "items 8")
    line, files = LINES["evaluate"]
    yield Case("evaluate", "the line", "good", [*line, "--metrics", "prevalence"], files,
               "all: 8 items")  # fmt: skip
    yield Case("evaluate", "study.yaml", "good", ["study.yaml", "--no-models"], study, "8 items")
    yield Case("sample", "the line", "good", ["votes.csv", "scores.csv", "--n=2", "--out=next.csv"],
               STUDY, "Batch 1: 2 items")  # fmt: skip
    yield Case("plan", "the line", "good", [*LINES["plan"][0], "--votes=1"], {}, "Interval of")
    yield Case("plan", "--metric", "of scores", [*LINES["plan"][0], "--votes=1", "--metric=F1@1"],
               {}, "Interval of F1@1")  # fmt: skip
    yield Case("correct-rate", "the line", "good", LINES["correct-rate"][0], {}, "rate 0.7000")
    yield Case("correct-rate", "--level", "nearly one", [*LINES["correct-rate"][0],
               "--level=0.999"], {}, "99.9 %")  # fmt: skip
    short = ["--warmup=20", "--draws=40", "--lag=1"]
    yield Case("fit-labelling", "the line", "good", [*LINES["fit-labelling"][0], *short],
               {"votes.csv": VOTES}, "prevalence of 0")  # fmt: skip
    line, files = LINES["confidence"]
    yield Case("confidence", "the line", "good", line, files, "b,2,1,")
    yield Case("confidence", "--header", "good", [*line, "--header=item,annotator,label"],
               {**files, "rows.csv": ROWS.partition("\n")[2]}, "b,2,1,")  # fmt: skip
    yield Case("confidence", "--bad-rows", "skip", [*line, "--bad-rows=skip"],
               {**files, "rows.csv": ROWS + "c,R1\nc,R1,1\n"}, "c,1,1,")  # fmt: skip
    shared = json.dumps({**MODEL, "confusion": "shared", "matrices": {}})
    yield Case("confidence", "model.json", "shared", line, {**files, "model.json": shared}, "b,2,")
    line, files = LINES["labelling-threshold"]
    yield Case("labelling-threshold", "the line", "good", line, files, "labels an item")
    yield Case("labelling-threshold", "--against", "majority", [*line, "--against=majority"],
               {**files, "validation.csv": VALIDATION.replace(",truth", ",seen")},
               "labels an item")  # fmt: skip
    yield Case("report", "FOLDER", "good", ["mine"], {"mine": evaluated(lambda folder: None)},
               "mine/report.html")  # fmt: skip
    svg = "<svg/>"
    held = hashlib.sha256(svg.encode()).hexdigest()
    record = sealed({**RECORD, "files": {"f.svg": held}})
    yield Case("trace", "a figure", "good", ["f.svg"], {"f.svg": svg, "f.json": record}, "figure f")


CASES = [*_controls()]
