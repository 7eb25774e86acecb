"""Files of labelling models that are damaged or say what cannot be, and streams of labels."""

import json
from collections.abc import Iterator, Mapping

from unit.bad_inputs.case import UNSUPPORTED, Case, Content
from unit.bad_inputs.good import MODEL, ROWS, VALIDATION, model_with

TEXT = json.dumps(MODEL)
WHOLE: Mapping[str, tuple[Content, str]] = {
    "empty": ("", "not JSON"),
    "cut short": (TEXT[: len(TEXT) // 2], "not JSON"),
    "two of them": (TEXT + TEXT, "not JSON"),
    "a list": (f"[{TEXT}]", "key 'format'"),
    "a number": ("3", "key 'format'"),
    "null": ("null", "key 'format'"),
    "an empty object": ("{}", "key 'format'"),
    "nested without end": ("[" * 100_000, "not JSON"),
    "UTF-16": (TEXT.encode("utf-16"), "not UTF-8"),
    "Latin-1": (TEXT.replace("R1", "Zoë").encode("latin-1"), "not UTF-8|not JSON|R1"),
    "a picture": (b"\x89PNG\r\n\x1a\n", "not UTF-8"),
    "NUL bytes": (bytes(64), "not JSON"),
    "a key twice": (TEXT[:-1] + ', "version": 1}', "'version' stands there twice"),
    "an annotator twice": (TEXT.replace('"R2"', '"R1"'), "'R1' stands there twice"),
    "single quotation marks": (TEXT.replace('"', "'"), "not JSON"),
    "a comma too many": (TEXT[:-1] + ",}", "not JSON"),
}
EVEN = [[0.5, 0.5], [0.5, 0.5]]
DISTRIBUTION = {
    "a text": "high", "a number": 0.5, "nothing": None, "an object": {"0": 0.7, "1": 0.3},
    "one number": [1.0], "three numbers": [0.2, 0.3, 0.5], "texts": ["0.7", "0.3"],
    "truth values": [True, False], "a zero": [1.0, 0.0], "negative": [1.2, -0.2],
    "a sum above 1": [0.7, 0.7], "a sum below 1": [0.3, 0.3], "not a number": [float("nan"), 0.3],
    "infinite": [float("inf"), 0.3], "a list within": [[0.7], 0.3], "nothing within": [None, 0.3],
    "a number that no float holds": [10**400, 0.3],
}  # fmt: skip
"""What is no distribution over two categories."""
KEYS: Mapping[str, Mapping[str, object]] = {
    "format": {"of something else": "sklearn", "a number": 1, "missing": ..., "nothing": None},
    "version": {"newer": 2, "a text": "1", "missing": ..., "a fraction": 1.5, "a list": [1]},
    "about": {"missing": ...},
    "made": {"missing": ..., "a text": "by hand", "a list": [], "nothing": None},
    "categories": {
        "missing": ..., "one": ["0"], "none": [], "the same twice": ["0", "0"], "numbers": [0, 1],
        "a text": "01", "an empty one": ["0", ""], "white space around": ["0", " 1"],
        "three, where all else is of two": ["0", "1", "2"], "lists": [["0"], ["1"]],
        "an object": {"0": 1, "1": 2},
    },
    "prevalence": {"missing": ..., **DISTRIBUTION},
    "confusion": {"missing": ..., "unknown": "rater", "a list": ["annotator"], "nothing": None,
                  "shared, beside matrices": "shared"},
    "fallback": {
        "missing": ..., "one row": [[0.5, 0.5]], "a text": "even", "numbers": [0.5, 0.5],
        "three rows": [*EVEN, [0.5, 0.5]], "nothing": None,
    },
    "matrices": {
        "missing": ..., "a list": [EVEN], "none of any annotator": {}, "nothing": None,
        "a name of white space": {" ": EVEN}, "an empty name": {"": EVEN},
        "a name with white space around": {" R1": EVEN}, "one that is a number": {"R1": 0.5},
        "one that is nothing": {"R1": None}, "one of one row": {"R1": [[0.5, 0.5]]},
        "one of texts": {"R1": ["a", "b"]},
    },
    "more": {"an unknown one": 1},
}  # fmt: skip

OTHERS = ("three, where all else is of two", "shared, beside matrices")
"""Kinds that are told of another key, which does not go with this one."""


def _models() -> Iterator[Case]:
    for what, (content, says) in WHOLE.items():
        files = {"model.json": content, "rows.csv": ROWS}
        yield _model("confidence", "model.json", what, files, f"model.json.*({says})")
        files = {"model.json": content, "rows.csv": VALIDATION}
        yield _model("labelling-threshold", "model.json", what, files, f"model.json.*({says})")
    for key, kinds in KEYS.items():
        for what, value in kinds.items():
            files = {"model.json": model_with(**{key: value}), "rows.csv": ROWS}
            says = "key '(prevalence|matrices)'" if what in OTHERS else f"key '{key}'"
            yield _model("confidence", f"model.json, {key}", what, files, says)
    for what, row in DISTRIBUTION.items():
        for key, value in {"fallback": [row, EVEN[0]], "matrices": {"R1": [EVEN[0], row]}}.items():
            files = {"model.json": model_with(**{key: value}), "rows.csv": ROWS}
            where, says = f"model.json, a row of {key}", f"'{key}'.* row of"
            yield _model("confidence", where, what, files, says)


def _model(command: str, where: str, what: str, files: Mapping[str, Content], says: str) -> Case:
    more = ["--accuracy=0.5"] if command == "labelling-threshold" else []
    return Case(command, where, what, ["model.json", "rows.csv", *more], files, says)


STREAM: Mapping[str, tuple[Content, str]] = {
    "a cell too few": (ROWS + "c,R1\n", "row 6: found 2 fields, expected 3"),
    "a cell too many": (ROWS + "c,R1,1,1\n", "row 6: found 4 fields"),
    "no item": (ROWS + ",R1,1\n", "row 6: column 'item'"),
    "no annotator": (ROWS + "c,,1\n", "row 6: column 'annotator'"),
    "no label": (ROWS + "c,R1,\n", "row 6: column 'label'"),
    "white space for a label": (ROWS + "c,R1,  \n", "row 6: column 'label'"),
    "a label that the model has not": (ROWS + "c,R1,2\n", "row 6: column 'label': found '2'"),
    "a label with a point": (ROWS + "c,R1,1.0\n", "row 6: column 'label': found '1.0'"),
    "an annotator again": (ROWS + "a,R1,1\n", "row 6: .*found 'R1' on item 'a' again"),
    "a quotation mark that does not end": (ROWS + 'c,"R1,1\n', "row 6: .*no row of CSV"),
    "a quotation mark within": (ROWS + 'c,"R"1,1\n', "row 6: .*no row of CSV"),
    "bytes that are no text": (ROWS.encode() + b"c,R\xff,1\n", "row 6: .*not UTF-8"),
    "a NUL byte": (ROWS + "c,R\0,1\n", "row 6"),
    "semicolons": (ROWS + "c;R1;1\n", "row 6: found 1 fields"),
    "a line break within": (ROWS + 'c,"R\n1",1\n', "row 6: .*no row of CSV"),
    "the header again": (ROWS + "item,annotator,label\n", "row 6: column 'label': found 'label'"),
}
"""A last row of a stream that cannot be used."""
HEADERS: Mapping[str, tuple[Content, str]] = {
    "a name twice": ("item,item,annotator,label\n", "column 'item': found 2"),
    "in capitals": ("Item,Annotator,Label\n", "column 'item': found 0"),
    "not UTF-8": (b"item,annotator,l\xe4bel\n", "row 1: .*not UTF-8"),
    "a quotation mark that does not end": ('item,"annotator,label\n', "row 1: .*no row of CSV"),
    "the first row of data": ("a,R1,0\n", "column 'item': found 0"),
}


def _streams() -> Iterator[Case]:
    def case(where: str, what: str, text: Content, says: str, *more: str) -> Case:
        files = {"model.json": TEXT, "rows.csv": text}
        return Case("confidence", where, what, ["model.json", "rows.csv", *more], files, says)

    for what, (text, says) in STREAM.items():
        yield case("a row", what, text, says)
    for what, (text, says) in HEADERS.items():
        yield case("the header", what, text, says)
    rows = ROWS.partition("\n")[2]
    for what, value in {
        "of two names": "item,label", "a name twice": "item,item,annotator,label",
        "other names": "a,b,c", "an empty name": "item,,label",
        "semicolons": "item;annotator;label",
    }.items():  # fmt: skip
        yield case("--header", what, rows, "column '(item|annotator)'", f"--header={value}")
    says, given = "row 1: found 3 fields, expected 4", "--header=item,annotator,label"
    yield case("--header", "of more names than cells", rows, says, f"{given},time")
    says = "row 1: column 'label': found 'label'"
    yield case("--header", "beside a header line", ROWS, says, given)
    group = json.dumps({**MODEL, "confusion": "group"})
    for command, says in (("confidence", "'group'"), ("labelling-threshold", "'group' is missing")):
        files = {"model.json": group, "rows.csv": VALIDATION}
        yield _model(command, "the column group", "missing, of a model of groups", files, says)


TABLE: Mapping[str, tuple[str, str]] = {
    "a label that the model has not": (VALIDATION + "z,R1,2,1\n", "'label', row 14"),
    "a label with a point": (VALIDATION + "z,R1,1.0,1\n", "'label', row 14"),
    "a truth that the model has not": (VALIDATION + "z,R1,1,2\n", "'truth', row 14"),
    "no truth": (VALIDATION + "z,R1,1,\n", "'truth', row 14"),
    "two truths of an item": (VALIDATION + "i0,R3,1,1\n", "'truth', row 14"),
    "no item": (VALIDATION + ",R1,1,1\n", "'item', row 14"),
    "no annotator": (VALIDATION + "z,,1,1\n", "'annotator', row 14"),
    "no label": (VALIDATION + "z,R1,,1\n", "'label', row 14"),
    "an annotator again": (VALIDATION + "i0,R1,1,0\n", "'annotator', rows 2, 14"),
    "a cell too many": (VALIDATION + "z,R1,1,1,1\n", "line 14|row 14"),
    "a cell too few": (VALIDATION + "z,R1,1\n", "row 14"),
}


def _tables() -> Iterator[Case]:
    for what, (text, says) in TABLE.items():
        files = {"model.json": TEXT, "rows.csv": text}
        yield _model("labelling-threshold", "a row", what, files, says)
    command, files = "labelling-threshold", {"model.json": TEXT, "rows.csv": ROWS}
    yield _model(command, "the column truth", "missing", files, "'truth' is missing")
    files = {"model.json": TEXT, "rows.csv": VALIDATION}
    for where, what, more, *says in (
        ("--accuracy", "beside --budget", ["--accuracy=0.5", "--budget=2"], "not allowed with"),
        ("--accuracy", "neither it nor --budget", [], "--accuracy --budget"),
        ("--accuracy", "that nothing reaches", ["--accuracy=1"], "accuracy", UNSUPPORTED),
        ("--budget", "below one label an item", ["--budget=0.001"], "budget: found 0.001"),
    ):
        yield Case(command, where, what, [*files, *more], files, *says)


CASES = [*_models(), *_streams(), *_tables()]
