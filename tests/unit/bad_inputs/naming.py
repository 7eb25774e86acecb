"""Names of columns, labels and models that options say, and texts that cannot be written."""

import json
import re
from collections.abc import Iterator, Mapping

from unit.bad_inputs.case import UNSUPPORTED, Case, Content
from unit.bad_inputs.formats import STUDIO
from unit.bad_inputs.good import COUNTS, FILES, GOLD, LINES, SCORES, STUDY, VOTES, records

READERS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "check": (FILES, "votes.csv"),
    "evaluate": ((*FILES, "--out", "mine", "--no-models"), "votes.csv"),
    "plan": (("--width=0.1", "--model=large", "--pilot", *FILES), "votes.csv"),
    "fit-labelling": (("votes.csv", "-o", "fitted.json"), "votes.csv"),
    "confidence": (tuple(LINES["confidence"][0]), "rows.csv"),
    "labelling-threshold": (tuple(LINES["labelling-threshold"][0]), "validation.csv"),
}
"""Command that reads labels -> its line, and the file with the labels."""
COLUMNS = {
    "without a sign": ("worker", "THEIRS=OURS"),
    "nothing": ("", "THEIRS=OURS"),
    "nothing before the sign": ("=item", "THEIRS=OURS"),
    "nothing behind the sign": ("item=", "THEIRS=OURS"),
    "a sign alone": ("=", "THEIRS=OURS"),
    "a column that there is not": ("worker=annotator", "worker|annotator"),
    "two columns of one name": ("item=label", "'(label|item)'"),
}
OF_STUDIES = {
    "a name of ours that there is not": ("label=lable", "'label'"),
    "a slip in theirs": ("labels=label", "did you mean 'label'"),
    "of a file that there is not": ("other.csv:label=label", "no column 'other.csv:label'"),
    "a column that its file has not": ("gold.csv:label=label", "no column 'gold.csv:label'"),
    "the column of the items passed over": ("item=ignore", "'item' is missing|item"),
    "a prefix without a name": ("label=score_", "score_"),
}
"""The same, of commands on a study alone."""


def _columns() -> Iterator[Case]:
    for command, (line, _) in READERS.items():
        files = LINES[command][1] or STUDY
        kinds = COLUMNS | (OF_STUDIES if command in ("check", "evaluate", "fit-labelling") else {})
        for what, (value, says) in kinds.items():
            if command == "confidence" and what == "a column that there is not":
                continue  # of a stream it may come from another file
            yield Case(command, "--column", what, [*line, f"--column={value}"], files, says)


def _positives() -> Iterator[Case]:
    for command in ("check", "plan", "fit-labelling"):
        line, _ = READERS[command]
        files = LINES[command][1] or STUDY
        for what, value in {
            "not in the data": "spam", "nothing": "", "one good and nothing": "1,",
            "a comma alone": ",",
        }.items():  # fmt: skip
            yield Case(command, "--positive", what, [*line, f"--positive={value}"], files,
                       "--positive")  # fmt: skip
    yield Case("check", "--positive", "where votes are counts", ["votes.csv", "--positive=1"],
               {"votes.csv": COUNTS}, "votes are counts")  # fmt: skip


def _labelling() -> Iterator[Case]:
    def case(where: str, what: str, says: str, *more: str, text: str = VOTES) -> Case:
        line = ["votes.csv", "-o", "fitted.json", *more]
        return Case("fit-labelling", where, what, line, {"votes.csv": text}, says)

    for what, value in {
        "one": "0", "nothing": "", "the same twice": "0,0", "an empty one": "0,", "commas": ",,",
    }.items():  # fmt: skip
        yield case("--categories", what, "categories", f"--categories={value}")
    yield case("--categories", "without one of the data", "'label', row", "--categories=0,2")
    yield case("--categories", "other words", "'label', row", "--categories=no,yes")
    both = ["--categories=a,b", "--positive=1"]
    yield case("--categories", "beside --positive", "categories", *both)
    yield case("--confusion", "groups, which the file has not", "group", "--confusion=group")
    same, says = VOTES.replace(",0\n", ",1\n"), "nothing says who gave which label"
    yield case("labels", "all the same", "every label is '1'", text=same)
    yield case("votes", "counts by item", says, text=COUNTS)
    yield case("votes", "without annotators", says, text="item,label\na,1\na,0\nb,1\n")
    group = re.sub(r"(?m)(?<=[01])$", ",g", VOTES).replace("label\n", "label,group\n")
    group = re.sub(r"(i3,R2,.,)g", r"\1", group)
    yield case("a row of labels", "no group", "'group', row 9", "--confusion=group", text=group)


SURROGATE = "\\ud800"
"""Half a character in JSON: no text of UTF-8 can hold it."""


def _halves() -> Iterator[Case]:
    """Half a character in each place of a JSON file that is written again."""
    lines = records(VOTES)
    places = {
        "an item": ('"i1"', f'"i{SURROGATE}"'), "an annotator": ('"R1"', f'"R{SURROGATE}"'),
        "a label": ('"label":1', f'"label":"{SURROGATE}"'),
        "a column": ('"annotator"', f'"{SURROGATE}"'),
    }  # fmt: skip
    for what, (old, new) in places.items():
        assert old in lines
        files: Mapping[str, Content] = {"votes.jsonl": lines.replace(old, new)}
        yield Case("check", "half a character in JSON", what, ["votes.jsonl"], files,
                   r"votes\.jsonl.*(surrogate|half a character)")  # fmt: skip
    model = {"votes.csv": VOTES, "scores.jsonl": records(SCORES).replace("large", SURROGATE)}
    yield Case("check", "half a character in JSON", "a model's name", list(model), model,
               r"scores\.jsonl.*(surrogate|half a character)")  # fmt: skip
    text = json.dumps([{**STUDIO[0], "data": {"item": "X"}}]).replace('"X"', f'"{SURROGATE}"')
    yield Case("check", "half a character in JSON", "an export", ["votes.json"],
               {"votes.json": text}, r"votes\.json.*(surrogate|half a character)")  # fmt: skip
    files = dict(LINES["confidence"][1])
    files["model.json"] = str(files["model.json"]).replace('"R1"', f'"R{SURROGATE}"')
    yield Case("confidence", "model.json", "half a character in a name", ["model.json", "rows.csv"],
               files, "model.json.*(surrogate|half a character)")  # fmt: skip


def _characters() -> Iterator[Case]:
    """NUL bytes, which are in no text that was typed."""
    for what, text in {
        "an item": VOTES.replace("i3,", "i\0,"), "an annotator": VOTES.replace("R2", "R\0"),
        "a label": VOTES.replace(",1\n", ",1\0\n"),
    }.items():  # fmt: skip
        yield Case("check", "a NUL byte", what, ["votes.csv"], {"votes.csv": text},
                   r"votes\.csv.*NUL")  # fmt: skip
    yield Case("check", "a NUL byte", "a gold label", ["votes.csv", "gold.csv"],
               {"votes.csv": VOTES, "gold.csv": GOLD.replace("i1,0", "i1,\0")},
               r"gold\.csv.*NUL")  # fmt: skip
    yield Case("check", "a NUL byte", "a text in JSON", ["votes.jsonl"],
               {"votes.jsonl": records(VOTES).replace('"i1"', '"i\\u0000"')},
               r"votes\.jsonl.*NUL")  # fmt: skip


def _names() -> Iterator[Case]:
    """Models and experts whose names are those of others."""
    humans = {**STUDY, "scores.csv": SCORES.replace("large", "humans")}
    yield Case("evaluate", "a model's name", "that of the voters", LINES["evaluate"][0], humans,
               "model 'humans'")  # fmt: skip
    for what, models in (
        ("that of the difference of others", ("A", "B", "A - B")),
        ("which gives two differences one name", ("A", "C", "A - B", "B - C")),
    ):
        heads = "".join(f",score_{name}" for name in models)
        rows = "".join(f"i{k}{f',0.{k}' * len(models)}\n" for k in range(1, 9))
        files = {**STUDY, "scores.csv": f"item{heads}\n{rows}"}
        yield Case("evaluate", "a model's name", what, LINES["evaluate"][0], files,
                   "model 'A - B'.*--column 'score_A - B=score_NAME'")  # fmt: skip
    for prefix in ("score", "gold"):
        text = f"item,{prefix},{prefix}_{prefix}\ni1,0,1\ni2,1,0\ni3,0,1\n"
        files = {"votes.csv": VOTES, "more.csv": text}
        what, says = "one with its own name behind it", f"more.csv.*'{prefix}_{prefix}'"
        yield Case("check", f"two columns {prefix}", what, list(files), files, says)


def _unsupported() -> Iterator[Case]:
    """Files that are read, and support nothing of what is asked: exit code 1, with the reason."""
    line = ["--out", "mine", "--no-models"]
    for what, names, more, says in (
        ("no gold, where gold is asked for", ["votes.csv", "scores.csv"], ["--methods", "GT"],
         "GT: it needs gold labels; there are 0"),
        ("no scores, where a metric of scores is asked for", ["votes.csv", "gold.csv"],
         ["--metrics", "AUC"], "scores"),
    ):  # fmt: skip
        yield Case("evaluate", "the data", what, [*names, *line, *more], STUDY, says, UNSUPPORTED)
    single = {"votes.csv": "item,annotator,label\na,R1,1\nb,R2,0\n"}
    yield Case("evaluate", "the data", "one vote an item and no gold", ["votes.csv", *line],
               single, "support no method", UNSUPPORTED)  # fmt: skip
    negative = {**STUDY, "gold.csv": GOLD.replace(",1\n", ",0\n")}
    yield Case("evaluate", "the data", "gold labels all negative",
               [*FILES, *line, "--metrics", "AUC"], negative, "gold", UNSUPPORTED)  # fmt: skip
    yield Case("check", "the data", "one vote an item and no gold", ["votes.csv"], single,
               "support no estimator", UNSUPPORTED)  # fmt: skip


CASES = [
    *_columns(), *_positives(), *_labelling(), *_halves(), *_characters(), *_names(),
    *_unsupported(),
]  # fmt: skip
