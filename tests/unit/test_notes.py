"""Notes are codes: their words stand in one catalogue, no decision looks at them, and what `check`
foretells of a study is what `evaluate` answers.
"""

import ast
import contextlib
import importlib.util
import io
import json
import re
from pathlib import Path
from string import Formatter

import pytest

from crowdgold.cli import main
from crowdgold.methods.needs import NEEDS, Facts, Has, gravest
from crowdgold.methods.registry import METHODS
from crowdgold.reading.study import read_study
from crowdgold.types.errors import InputError
from crowdgold.types.notes import (
    CATALOGUE,
    FATAL,
    GRAVE,
    GUESSED,
    MINOR,
    TOLD,
    Note,
    codes,
    note_of,
    texts,
)

ROOT = Path(__file__).resolve().parents[2]
SRC = ROOT / "src/crowdgold"
ROOMS = ("checking", "evaluation", "presentation", "cli", "planning", "methods",
         "papers/arena")  # fmt: skip
SPEAK = [path for room in ROOMS for path in sorted((SRC / room).glob("*.py"))]
KEYS_OF_ANSWERS = {"beside", "passed_over", "effective_gold_lower", "gold_alone", "votes_alone"}


def _golden():
    spec = importlib.util.spec_from_file_location("golden", ROOT / "tests/golden.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_note_is_said_by_the_catalogue_and_written_with_its_code():
    note = Note("too_wide", {"lower": 0.1234, "upper": 0.9876}, GRAVE)
    assert note.text.startswith("its interval, 0.123 to 0.988, says next to nothing")
    assert note_of(json.loads(json.dumps(note.as_json()))) == note
    one, several = (Note("rests_on_few", {"number": n, "units": "gold items"}) for n in (1, 2))
    assert texts([one, several]) == "it rests on 1 gold item; it rests on 2 gold items"
    inner = Note("chance_can", {"rest": Note("answer_rests_on_it")})
    assert inner.text.startswith(Note("answer_rests_on_it").text)
    assert codes([one, Note("no_votes")]) == "rests_on_few no_votes"


def _calls(tree):
    """Each note that code makes: its code, and the names of the values that are written out."""
    for call in ast.walk(tree):
        if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "Note" and call.args:
            code = call.args[0]
            found = [code.body, code.orelse] if isinstance(code, ast.IfExp) else [code]
            yield from (one.value for one in found if isinstance(one, ast.Constant))


def test_every_note_that_code_makes_has_its_words_and_every_sentence_is_used():
    made = {code for path in SRC.rglob("*.py") for code in _calls(ast.parse(path.read_text()))}
    assert made == set(CATALOGUE)
    for words in CATALOGUE.values():
        assert words.text.strip() == words.text
        for text in words:
            list(Formatter().parse(text))


def test_no_sentence_is_a_place_for_a_whole_one():
    bare = {code for code, words in CATALOGUE.items()
            if not any(text.strip() for text, *_ in Formatter().parse(words.text))}  # fmt: skip
    assert bare == set()


def test_what_is_said_of_files_is_a_note_that_a_json_file_holds(tmp_path, monkeypatch):
    """Of studies of many kinds, and of what tools write."""
    monkeypatch.chdir(tmp_path)
    notes = []
    for make in STUDIES.values():
        files = [one for one in make(tmp_path) if Path(one).is_file()]
        with contextlib.suppress(InputError):  # of one whose positive label has to be named
            notes += read_study(files, unlabelled=True).notes
    assert all(note_of(json.loads(json.dumps(note.as_json()))) == note for note in notes)
    assert {note.weight for note in notes} == {GUESSED, TOLD}
    found = {note.code for note in notes}
    assert found > {"drawn_by_strata", "gold_of_experts", "weights_read", "clusters_compared"}


def test_what_a_method_lacks_and_what_speaks_against_it_is_a_note_with_a_remedy():
    """Of every need, and every doubt of a table on which all of them arise."""
    bad = Facts(
        items=10, several=0.0, positive_votes=0.01, alpha=0.0, alpha_upper=-0.1, gold_p=1e-6,
        gold_share=0.5, tpr=0.2, tnr=0.2, median_labels=1.0, adversarial=2, gold_positive=1,
        gold_negative=1, most_votes=1, annotators=2, experts_err=0.1, errors_shared=0.5,
    )  # fmt: skip
    lacks = [one.lacks(Has()) for one in NEEDS if one.name != "experts' errors"]
    doubts = [one for method in METHODS.values() if method.offer
              for doubt in method.offer.doubts for one in doubt(bad)]  # fmt: skip
    assert {one.weight for one in lacks} == {FATAL}
    assert {one.weight for one in doubts} == {FATAL, MINOR}
    assert all(one.text and one.mend for one in [*lacks, *doubts])
    assert {one.code for one in doubts} >= {"gold_chosen", "errors_together", "too_short"}
    assert [one.code for one in gravest([*doubts, *lacks])] == [
        one.code for one in gravest([one for one in (*doubts, *lacks) if one.weight == FATAL])
    ]


def _texts_of_notes(node):
    """Whether an expression is the words of a note, or of several."""
    if isinstance(node, ast.Call):
        return getattr(node.func, "id", "") == "texts"
    return getattr(node, "attr", "") in ("text", "title", "remarks", "note")


def decisions_on_words(code):
    """Lines in which a decision looks at the words of a note, or at a long text."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Compare):
            sides = [node.left, *node.comparators]
            long = any(isinstance(one, ast.Constant) and isinstance(one.value, str)
                       and len(one.value.split()) > 2 for one in sides)  # fmt: skip
            if long or any(map(_texts_of_notes, sides)):
                yield node.lineno
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            asks = node.func.attr in ("startswith", "endswith", "find", "index", "count")
            if asks and _texts_of_notes(node.func.value):
                yield node.lineno


@pytest.mark.parametrize("path", SPEAK, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_no_decision_looks_at_the_words_of_a_note(path):
    assert list(decisions_on_words(path.read_text())) == []


def test_such_decisions_are_found():
    for line in (
        "if note.text.startswith('from the'): pass", "wide = LITTLE in one.note",
        "if 'passed over once more' in told: pass", "same = answer.remarks == before",
    ):  # fmt: skip
        assert list(decisions_on_words(line)) == [1]
    assert list(decisions_on_words("if note.code == 'wide' and name == 'all': pass")) == []


def test_keys_of_an_answer_stand_in_its_class_alone():
    """And in the shapes by which a folder is read; columns of tables are others."""
    quoted = re.compile(r"\[\"(" + "|".join(KEYS_OF_ANSWERS) + r")\"\]")
    found = {path.stem for path in SPEAK if quoted.search(path.read_text())}
    assert found == {"answer"}


GOLDEN = _golden()
FIRST = GOLDEN._study(1)
SOUTH = {"stratum.csv": "item,stratum\n" + "".join(
    f"i{k},{'north' if k < 200 else 'south'}\n" for k in range(240))}  # fmt: skip
STUDIES = dict(GOLDEN.studies()) | {
    "one gold label": lambda out: GOLDEN._write(out, FIRST, range(1)),
    "two gold labels": lambda out: GOLDEN._write(out, FIRST, range(2)),
    "a stratum with one": lambda out: GOLDEN._write(out, FIRST, range(201), SOUTH),
}


def _run(*line):
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([*map(str, line)])
    return code, out.getvalue()


@pytest.mark.parametrize("name", STUDIES)
def test_check_foretells_what_evaluate_answers(name, tmp_path, monkeypatch):
    """The methods that answer, half of each interval, and what has no answer and why."""
    monkeypatch.chdir(tmp_path)
    files = STUDIES[name](tmp_path)
    code, told = _run("check", *files, "--json")
    ended, answered = _run("evaluate", *files, "--no-models", "--out", "out", "--json")
    if code:
        assert ended == code
        return
    foretold = json.loads(told)["foretold"]
    if not answered:  # only a model says something
        assert ended
        assert foretold["model"]
        return
    answers = json.loads(answered)["answers"]
    ranges = [one["range"] and one["range"]["lower"] is not None for one in answers]
    assert ended == int(not any(ranges) and not any(one["method"] for one in answers))
    answers = [one for one in answers if one["stratum"] == "all"]
    known = [one for one in answers if one["method"] and not one["range"]]
    assert set(foretold["methods"]) == {one["method"] for one in known}
    halves = sorted((one["upper"] - one["lower"]) / 2 for one in known)
    assert sorted(half for half, _ in foretold["sure"].values()) == pytest.approx(halves)
    lack = [one for one in answers if not one["method"] and not one["range"]]
    if not foretold["model"]:
        assert sum(map(len, foretold["unanswered"].values())) == len(lack)


def test_a_stratum_in_which_nothing_can_be_run_says_why_of_each_metric(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = STUDIES["a stratum with one"](tmp_path)
    _, told = _run("evaluate", *files, "--no-models", "--out", "out", "--json")
    answers = json.loads(told)["answers"]
    of = {name: [one["metric"] for one in answers if one["stratum"] == name]
          for name in ("stratum=north", "stratum=south")}  # fmt: skip
    assert sorted(of["stratum=south"]) == sorted(of["stratum=north"])
    south = [one for one in answers if one["stratum"] == "stratum=south"]
    assert {one["method"] for one in south} == {None}
    assert all(one["passed_over"] for one in south)


def test_check_takes_what_a_study_file_asks_for(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    files = STUDIES["plain"](tmp_path)
    asked = ["--methods", "GT", "--level", "0.8", "--metrics", "AUC"]
    _, told = _run("evaluate", *files, *asked, "--out", "out", "--json")
    (answer,) = json.loads(told)["answers"]
    _, told = _run("check", "out/study.yaml", "--json")
    foretold = json.loads(told)["foretold"]
    ((half, _),) = foretold["sure"].values()
    assert (foretold["methods"], half) == (["GT"], (answer["upper"] - answer["lower"]) / 2)


def test_where_experts_err_no_number_that_takes_gold_for_the_truth_stands_beside(
    tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    for name, alone in (("experts who err", False), ("plain", True)):
        files = STUDIES[name](tmp_path)
        _, told = _run("evaluate", *files, "--no-models", "--out", name, "--json")
        found = [one["gold_alone"] for one in json.loads(told)["answers"]]
        assert all(one is not None for one in found) == alone
        assert any(one is not None for one in found) == alone
