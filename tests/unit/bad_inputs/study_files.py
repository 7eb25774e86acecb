"""Study files (YAML) that cannot be used, and options of theirs that no command line would take."""

from collections.abc import Iterator, Mapping

from unit.bad_inputs.case import Case, Content
from unit.bad_inputs.good import FILES, STUDY

FILES_KEY = f"files: [{', '.join(FILES)}]\n"
BOMB = "a: &a [x, x]\n" + "".join(
    f"{name}: &{name} [*{before}, *{before}, *{before}, *{before}]\n"
    for before, name in zip("abcdefghijk", "bcdefghijkl", strict=True)
)
WHOLE: Mapping[str, tuple[Content, str]] = {
    "empty": ("", "expected KEY: VALUE"),
    "a comment alone": ("# to do\n", "expected KEY: VALUE"),
    "a list": ("- votes.csv\n", "expected KEY: VALUE"),
    "a text": ("votes.csv\n", "expected KEY: VALUE"),
    "null": ("null\n", "expected KEY: VALUE"),
    "two documents": (FILES_KEY + "---\nlevel: 0.9\n", "no YAML"),
    "a bracket that does not end": ("files: [votes.csv\n", "no YAML"),
    "a quotation mark that does not end": ('files: "votes.csv\n', "no YAML"),
    "tabs before a key": (FILES_KEY + "columns:\n\tworker: annotator\n", "line 3: no YAML"),
    "a key without a colon": (FILES_KEY + "level 0.9\n", "no YAML"),
    "a value on two levels": ("files: votes.csv\n  level: 0.9\n", "no YAML"),
    "an alias of nothing": ("files: *votes\n", "line 1: no YAML"),
    "an anchor twice that grows without end": (BOMB, "no key 'a'"),
    "an alias of itself": ("files: &a [*a]\n", "line 1"),
    "a list that holds itself below a key": ("columns: &a {b: *a}\n", "line 1"),
    "nested without end": ("files: " + "[" * 3000, "no YAML"),
    "nested maps without end": ("columns: " + "{a: " * 3000, "no YAML"),
    "a tag that makes an object": ("files: !!python/object/apply:os.system [ls]\n", r"\bls\b"),
    "NUL bytes": (b"files: votes.csv\0\n", "no YAML|special characters"),
    "bytes alone": (bytes(range(128, 256)), "save it as UTF-8"),
    "UTF-16": (FILES_KEY.encode("utf-16"), "save it as UTF-8"),
    "Latin-1": ("positive: ä\n".encode("latin-1"), "save it as UTF-8"),
    "more bytes than options take": (b"#" * 1_000_001, "more than 1,000,000 bytes"),
    "JSON cut short": ('{"files": ["votes.csv"', "no YAML"),
    "a directive that is none": ("%YAML 9.9\n---\nfiles: votes.csv\n", "no YAML"),
    "a control character": ("files: votes\x07.csv\n", "no YAML|special characters"),
    "a list for a key": ("[a, b]: c\n", "no key"),
    "a map for a key": ("{a: b}: c\n", "no key"),
    "an empty key": (": votes.csv\n", "no YAML"),
    "a merge of keys": ("base: &b {level: 0.9}\n<<: *b\n", "no key 'base'"),
}
KEYS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "files": {
        "not given": ("level: 0.9\n", "no key 'files'"),
        "nothing": ("files:\n", "no key 'files'"),
        "an empty list": ("files: []\n", "no key 'files'"),
        "a map": ("files: {votes: votes.csv}\n", "line 1, files: expected"),
        "lists within": ("files: [[votes.csv]]\n", "line 1, files: expected"),
        "a map within": ("files: [{votes: votes.csv}]\n", "line 1, files: expected"),
        "twice": ("files: votes.csv\nfiles: gold.csv\n", "line 2: 'files' is there twice"),
        "one that is not there": ("files: [none.csv]\n", "none.csv: no such file"),
        "one of no format": ("files: [votes.doc]\n", "votes.doc: no such file"),
        "a folder": ("files: [.]\n", "folder"),
        "an empty name": ("files: ['']\n", "folder"),
        "a study file": ("files: [study.yaml]\n", "study.yaml: expected"),
        "a NUL byte in a name": ('files: ["vo\\0tes.csv"]\n', "no such file|vo"),
        "half a surrogate in a name": ('files: ["\\ud800.csv"]\n', "no such file|d800|surrogate"),
        "a name that is too long": (f"files: [{'x' * 300}.csv]\n", "xxx"),
        "a number": ("files: 3\n", "3: no such file"),
        "an address": ("files: ['https://example.org/votes.csv']\n", "votes.csv"),
    },
    "KEY": {
        "misspelt": ("posive: R\n", "line 2: no key 'posive'; did you mean 'positive'"),
        "in capitals": ("Level: 0.9\n", "line 2: no key 'Level'"),
        "with its dashes": ("--level: 0.9\n", "line 2: no key '--level'"),
        "a number": ("3: 0.9\n", "line 2: no key '3'"),
        "help": ("help: true\n", "line 2: no key 'help'"),
        "of the program itself": ("run: x\n", "line 2: no key 'run'"),
        "of the parser": ("study_file: x\n", "line 2: no key 'study_file'"),
        "by its two names": ("column: {a: item}\ncolumns: {b: item}\n", "there twice"),
    },
    "columns": {
        "a text": ("columns: worker\n", "line 2, columns: found 'worker'"),
        "a list of texts": ("columns: [worker]\n", "line 2, columns: found 'worker'"),
        "a map within": ("columns: {a: {b: c}}\n", "line 2, columns: expected"),
        "a key twice": ("columns: {a: item, a: label}\n", "line 2, columns: expected"),
        "a list for a key": ("columns: {[a]: item}\n", "line 2, columns: expected"),
        "a column that there is not": ("columns: {x: item}\n", "no column 'x'"),
        "a name of ours that there is not": (
            "columns: {item: itm}\n", "no column 'itm'; did you mean 'item'"
        ),
        "an empty name": ("columns: {'': item}\n", "line 2, columns: found '=item'"),
        "an empty one of ours": ("columns: {item: ''}\n", "line 2, columns: found"),
    },
    "positive": {
        "a map": ("positive: {a: b}\n", "line 2, positive: expected"),
        "not in the data": ("positive: spam\n", "--positive spam: no label"),
        "of several none in the data": ("positive: [Q, X]\n", "--positive Q: no label"),
    },
    "repeated": {
        "unknown": ("repeated: frst\n", "line 2, repeated: .*did you mean 'first'"),
        "in capitals": ("repeated: FIRST\n", "line 2, repeated: no choice 'FIRST'"),
        "of the library alone": ("repeated: keep\n", "line 2, repeated: no choice"),
        "several": ("repeated: [first, last]\n", "line 2, repeated: found 2 values"),
    },
    "seed": {
        "a word": ("seed: one\n", "line 2, seed: found 'one', expected a whole"),
        "a fraction": ("seed: 1.5\n", "line 2, seed: found '1.5'"),
        "negative": ("seed: -1\n", "seed: found -1"),
        "several": ("seed: [1, 2]\n", "line 2, seed: found 2 values"),
        "a map": ("seed: {a: 1}\n", "line 2, seed: expected a value"),
        "true": ("seed: true\n", "line 2, seed: found 'true'"),
        "more digits than are read": (f"seed: {'1' * 5000}\n", "line 2, seed: found"),
    },
}  # fmt: skip
OF_EVALUATE: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "level": {
        "a word": ("level: high\n", "line 2, level: found 'high', expected a number"),
        "zero": ("level: 0\n", "level: found 0"),
        "a percentage": ("level: 95\n", "level: found 95"),
        "not a number": ("level: .nan\n", "line 2, level: found '.nan'"),
        "nan as texts have it": ("level: nan\n", "level: found nan"),
        "a list": ("level: [0.9, 0.95]\n", "line 2, level: found 2 values"),
    },
    "about": {
        "unknown": ("about: item\n", "line 2, about: no choice 'item'; did you mean 'items'"),
        "several": ("about: [items, population]\n", "line 2, about: found 2 values"),
    },
    "report": {
        "a word": ("report: maybe\n", "line 2, report: found 'maybe', expected true or false"),
        "a number": ("report: 1\n", "line 2, report: found '1'"),
        "a list": ("report: [true, false]\n", "line 2, report: found 2 values"),
    },
    "no-models": {"a word": ("no-models: x\n", "line 2, no-models: found 'x'")},
    "json": {"a word": ("json: x\n", "line 2, json: found 'x'")},
    "cores": {
        "zero": ("cores: 0\n", "cores: found 0"),
        "a word": ("cores: all\n", "line 2, cores: found 'all'"),
    },
    "methods": {
        "unknown": ("methods: [GTT]\n", "no method 'GTT'; did you mean 'GT'"),
        "lists within": ("methods: [[GT]]\n", "line 2, methods: expected"),
        "a map": ("methods: {GT: true}\n", "line 2, methods: expected"),
        "separated by blanks": ("methods: GT MAVEN\n", "no method 'GT MAVEN'"),
    },
    "metrics": {
        "unknown": ("metrics: AUK\n", "no metric 'AUK'; did you mean 'AUC'"),
        "a map": ("metrics: {AUC: 1}\n", "line 2, metrics: expected"),
    },
    "thresholds": {
        "a word": ("thresholds: high\n", "threshold: found 'high'"),
        "of an unknown model": ("thresholds: {huge: 0.5}\n", "no model 'huge'"),
        "a word for a model": ("thresholds: {large: high}\n", "threshold: found 'large=high'"),
        "a map within": ("thresholds: {large: {a: 1}}\n", "line 2, thresholds: expected"),
        "a model twice": ("thresholds: {large: 1, large: 2}\n", "line 2, thresholds: expected"),
    },
    "out": {
        "a list": ("out: [a, b]\n", "line 2, out: found 2 values"),
        "in a folder that is not there": ("out: none/mine\n", "none: no such folder"),
        "a NUL byte in a name": ('out: "mi\\0ne"\n', "mi"),
        "half a surrogate in a name": ('out: "\\ud800"\n', "out|d800|surrogate"),
    },
}  # fmt: skip


def _cases() -> Iterator[Case]:
    for what, (content, says) in WHOLE.items():
        files = {**STUDY, "study.yaml": content}
        yield Case("check", "study.yaml", what, ["study.yaml"], files, says)
    for key, kinds in KEYS.items():
        for what, (text, says) in kinds.items():
            files = {**STUDY, "study.yaml": FILES_KEY * (key != "files") + text}
            yield Case("check", f"study.yaml, {key}", what, ["study.yaml"], files, says)
    for key, kinds in OF_EVALUATE.items():
        for what, (text, says) in kinds.items():
            files = {**STUDY, "study.yaml": FILES_KEY + text}
            line = ["study.yaml", *([] if key == "out" else ["--out", "mine"]), "--no-models"]
            if key == "no-models":
                line.remove("--no-models")
            yield Case("evaluate", f"study.yaml, {key}", what, line, files, says)
    for command, where, what, line, text, says in OTHERS:
        files = {**STUDY, "study.yaml": FILES_KEY + text}
        yield Case(command, where, what, line, files, says)


OTHERS = (
    ("evaluate", "study.yaml, out", "not given", ["study.yaml"], "", "no key 'out'"),
    ("fit-labelling", "study.yaml, output", "not given", ["study.yaml"], "", "no key 'output'"),
    ("fit-labelling", "study.yaml, chains", "a word", ["study.yaml", "-o", "m.json"],
     "chains: four\n", "line 2, chains"),
    ("fit-labelling", "study.yaml, confusion", "unknown", ["study.yaml", "-o", "m.json"],
     "confusion: each\n", "line 2, confusion"),
    ("plan", "study.yaml, width", "a word", ["--pilot", "study.yaml"], "width: small\n",
     "line 2, width"),
    ("plan", "study.yaml, pilot", "beside files", ["--pilot", "study.yaml", "--width=1"],
     "pilot: votes.csv\n", "there twice"),
    ("confidence", "study.yaml", "where none is taken", ["study.yaml", "votes.csv"], "",
     "study.yaml"),
    ("report", "study.yaml", "where none is taken", ["study.yaml"], "", "study.yaml"),
)  # fmt: skip
CASES = [
    *_cases(),
    Case("sample", "--n", "more than there are", ["votes.csv", "--n=900", "--out=next.csv"], STUDY,
         "900"),
]  # fmt: skip
