"""Names of files and folders: what is read is not there, what is written has no place."""

import json
from collections.abc import Iterator, Mapping

from unit.bad_inputs.case import (
    TOO_LONG,
    UNREADABLE,
    UNWRITABLE,
    Case,
    Content,
    a_folder,
    a_pipe,
    a_socket,
    an_empty_folder,
    link_to,
)
from unit.bad_inputs.good import FILES, GOLD, LINES, MODEL, ROWS, SCORES, STUDY, VALIDATION, VOTES

NAME = "NAME"
"""Stands in a command line for the name of the file that is wrong."""
MODEL_JSON = json.dumps(MODEL)
GOOD_NAMES: Mapping[str, Content] = {
    "model.json": MODEL_JSON, "rows.csv": ROWS, "validation.csv": VALIDATION, **STUDY,
}  # fmt: skip
READ: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("check", "votes", ".csv", (NAME, "gold.csv", "scores.csv")),
    ("check", "gold", ".csv", ("votes.csv", NAME, "scores.csv")),
    ("check", "a workbook", ".xlsx", (NAME,)),
    ("check", "a Parquet file", ".parquet", (NAME,)),
    ("check", "JSON lines", ".jsonl", (NAME,)),
    ("check", "JSON", ".json", (NAME,)),
    ("check", "a study file", ".yaml", (NAME,)),
    ("evaluate", "scores", ".csv", ("votes.csv", "gold.csv", NAME, "--out", "mine")),
    ("evaluate", "a study file", ".yml", (NAME, "--out", "mine")),
    ("plan", "the pilot", ".csv", ("--pilot", NAME, "gold.csv", "--width=0.1")),
    ("plan", "a study file", ".yaml", ("--pilot", NAME, "--width=0.1")),
    ("fit-labelling", "labels", ".csv", (NAME, "-o", "fitted.json")),
    ("confidence", "the model", ".json", (NAME, "rows.csv")),
    ("confidence", "the rows", ".csv", ("model.json", NAME)),
    ("labelling-threshold", "the model", ".json", (NAME, "validation.csv", "--accuracy=0.5")),
    ("labelling-threshold", "the items", ".csv", ("model.json", NAME, "--accuracy=0.5")),
    ("trace", "a figure", ".svg", (NAME,)),
    ("trace", "a table", ".parquet", (NAME,)),
    ("report", "FOLDER", "", (NAME,)),
)
"""Command, what is read, the ending of its name, the command line."""
KINDS: Mapping[str, tuple[str, Content | None]] = {
    "not there": ("gone", None),
    "a folder": ("folder", a_folder),
    "a link to nothing": ("link", link_to("nowhere")),
    "a link to itself": ("ring", link_to("ring{ending}")),
    "unreadable": ("secret", UNREADABLE),
    "a name that is too long": (TOO_LONG, None),
    "below a file": ("votes.csv/below", None),
    "below a folder that is not there": ("none/below", None),
    "a device": ("device", link_to("/dev/null")),
    "a pipe": ("pipe", a_pipe),
    "a socket": ("socket", a_socket),
    "a pattern that no shell has filled in": ("*", None),
}


def _read() -> Iterator[Case]:
    for command, where, ending, line in READ:
        for what, (stem, content) in KINDS.items():
            if what == "a pipe" and where == "the rows":
                continue  # a stream that is read as it comes
            if command == "report" and what in ("a folder", "unreadable"):
                continue  # what a folder holds is another question
            name = stem + ending
            files = dict(GOOD_NAMES)
            if what == "a link to itself":
                files[name] = link_to(name)
            elif content is not None:
                files[name] = content
            arguments = [name if part == NAME else part for part in line]
            says = r"xxx|too long" if stem == TOO_LONG else name.replace("*", r"\*")
            yield Case(command, where, what, arguments, files, says)


ONE = {**STUDY, "study.yaml": "files: [votes.csv]\n"}
TWO = {**ONE, "study.yml": "files: votes.csv\n"}
SEVERAL = (  # files that are good one by one
    ("check", "FILES", "the votes twice", ["votes.csv", "votes.csv"], STUDY, "votes.csv"),
    *(("check", "FILES", f"the {what} twice", ["votes.csv", name, name], STUDY, name)
      for what, name in (("scores", "scores.csv"), ("gold labels", "gold.csv"))),
    *(("check", "FILES", f"{name} alone", [name], STUDY, "no votes")
      for name in ("gold.csv", "scores.csv")),
    ("check", "FILES", "a study file beside another", ["study.yaml", "votes.csv"], ONE,
     "expected no other"),
    ("check", "FILES", "two study files", ["study.yaml", "study.yml"], TWO, "expected no other"),
    ("fit-labelling", "FILES", "no votes among them", ["gold.csv", "-o", "m.json"], STUDY,
     "no votes"),
    ("confidence", "the two files", "in the other order", ["rows.csv", "model.json"], GOOD_NAMES,
     "rows.csv"),
    ("labelling-threshold", "the two files", "in the other order",
     ["validation.csv", "model.json", "--accuracy=0.5"], GOOD_NAMES, "validation.csv"),
    ("report", "FOLDER", "empty", ["mine"], {"mine": an_empty_folder}, "mine: no file"),
    ("report", "FOLDER", "of something else", ["mine"], {"mine": a_folder}, "mine: no"),
    ("report", "FOLDER", "a file of the evaluation", ["votes.csv"], STUDY, "votes.csv"),
    ("report", "FOLDER", "nothing", [""], {}, "expected|no file|found ''"),
    ("trace", "FIGURE|TABLE", "nothing", [""], {}, "expected"),
    ("check", "FILES", "nothing", [""], {}, "expected|''"),
    ("confidence", "the model", "nothing", ["", "rows.csv"], GOOD_NAMES, "found ''|''|is a"),
    ("confidence", "the rows", "nothing", ["model.json", ""], GOOD_NAMES, "''|expected"),
    ("labelling-threshold", "the items", "nothing", ["model.json", "", "--accuracy=.5"], GOOD_NAMES,
     "expected|''"),
)  # fmt: skip
OUTPUTS: tuple[tuple[str, str, str, tuple[str, ...]], ...] = (
    ("evaluate", "--out", "", (*FILES, "--no-models", "--out", NAME)),
    ("fit-labelling", "--output", ".json",
     ("votes.csv", "--warmup=2", "--draws=4", "--lag=1", "-o", NAME)),
    ("labelling-threshold", "--output", ".csv",
     ("model.json", "validation.csv", "--accuracy=0.5", "-o", NAME)),
)  # fmt: skip
PLACES: Mapping[str, tuple[str, str, Content | None]] = {
    "in a folder that is not there": ("none/new", "none", None),
    "below a file": ("votes.csv/new", "votes.csv", None),
    "where nobody may write": (UNWRITABLE, "/proc/sys", None),
    "a name that is too long": (TOO_LONG, "xxx|too long", None),
    "in a folder by a link to nothing": ("link/new", "link", link_to("nowhere")),
    "in a folder by a link to itself": ("ring/new", "ring", link_to("ring")),
}


def _written() -> Iterator[Case]:
    for command, where, ending, line in OUTPUTS:
        for what, (name, says, content) in PLACES.items():
            made = {name.partition("/")[0]: content} if content is not None else {}
            arguments = [name + ending if part == NAME else part for part in line]
            yield Case(command, where, what, arguments, {**GOOD_NAMES, **made}, says)
        if command != "evaluate":
            arguments = ["folder" if part == NAME else part for part in line]
            files = {**GOOD_NAMES, "folder": a_folder}
            yield Case(command, where, "a folder", arguments, files, "folder is a folder")
    line, files = LINES["evaluate"]
    for what, name, content, says in (
        ("a file", "mine", "kept", "mine: a file"),
        ("a folder with other things", "mine", a_folder, "kept.txt"),
        ("a link to nothing", "mine", link_to("nowhere"), "mine: a file"),
        ("a link to itself", "mine", link_to("mine"), "mine"),
    ):
        yield Case("evaluate", "--out", what, line, {**files, name: content}, says)
    inside = {f"mine/{name}": text for name, text in zip(FILES, (VOTES, GOLD, SCORES), strict=True)}
    yield Case("evaluate", "--out", "the folder of the files",
               [*inside, "--out", "mine", "--no-models"], inside, "lies in mine")  # fmt: skip
    for what, name in {"this folder": ".", "the one above": "..", "the root": "/"}.items():
        arguments = [*FILES, "--no-models", "--out", name]
        yield Case("evaluate", "--out", what, arguments, files, "lies in|--out")


CASES = [*_read(), *(Case(*one) for one in SEVERAL), *_written()]
