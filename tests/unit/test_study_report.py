"""The report on a study: what it says, what it escapes, and which folders it refuses."""

import json
import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

from crowdgold.checking.gold_sample import GoldSample
from crowdgold.cli import main
from crowdgold.evaluation.answer import (
    ALONE,
    ALONE_OF_ERRING,
    BY_METHOD,
    CORRECTED,
    Answer,
    AsGold,
    Passed,
    Quantity,
    Value,
    VotesRange,
    value_of,
)
from crowdgold.evaluation.choosing import NO_GOLD, ONLY_MODELS, why_set_aside
from crowdgold.models.stan_fit import Diagnostics
from crowdgold.presentation.answers import (
    CELLS,
    VALUE,
    AnswerGroup,
    Numbers,
    leads,
    rounded,
    unanswered,
    write_answer,
    write_answers,
)
from crowdgold.presentation.doubts import (
    GRAVE,
    MINOR,
    count_misses,
    find_doubts,
    verdict_of,
    write_check,
)
from crowdgold.presentation.figures import (
    WITHOUT_GOLD,
    answer_figures,
    draw_study_answers,
    draw_study_estimates,
    drawn_names,
    votes_of,
)
from crowdgold.presentation.folder import read_study_folder
from crowdgold.presentation.page import (
    answers_table,
    estimates_table,
    study_figures,
    study_page,
    write_study_report,
)
from crowdgold.presentation.text import describe, footnotes
from crowdgold.reading.outputs import plain
from crowdgold.types.notes import Note
from unit.made_study import HOSTILE, changed, evaluation_in, make_study

LARGEST = 5_000_000


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A study with names that are as bad as they can be, reported on."""
    folder = make_study(
        tmp_path_factory.mktemp("study"), models=(HOSTILE, "模型"), annotator=HOSTILE,
        strata=(f"part={HOSTILE}",), metrics=("AUC",),
    )  # fmt: skip
    write_study_report(folder)
    return folder


@pytest.fixture
def study(tmp_path):
    """A small one: a model and a metric of it."""
    return make_study(tmp_path / "study", models=("a",), metrics=("AUC",))


def test_the_page_stands_alone_and_runs_no_name(folder):
    """Tags are closed in order, names of places are distinct, and addresses are such places."""
    page = (folder / "report.html").read_text(encoding="utf-8")
    closed = re.sub(r"<(meta [^>]*)>", r"<\1/>", page)
    found = [pair for one in ElementTree.fromstring(closed).iter() for pair in one.items()]
    names = [value for key, value in found if key == "id"]
    assert len(names) == len(set(names))
    addresses = {value for key, value in found if re.search(r"\b(href|src)$", key)}
    assert {"#answer"} < addresses <= {f"#{name}" for name in names}
    assert len(page.encode()) < LARGEST
    for part in (
        'name="viewport" content="width=device-width, initial-scale=1"', "@media print",
        "Evaluated on 2026-03-01.</p>", ":focus-visible { outline: 3px",
        "prefers-color-scheme: dark", "model 2 is 模型", '<th scope="col">gold labels alone</th>',
        "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&#34;&#39;&amp;$a$",
    ):  # fmt: skip
        assert part in page
    assert "<script" not in page.lower()
    assert page.count("模型") > 5
    figures = re.findall(r"<figure id=.*?</figure>", page, re.DOTALL)
    assert len(figures) > 10
    for figure in figures:
        title, description = re.search(r'aria-labelledby="(\S+) (\S+)"', figure).groups()
        assert re.search(rf'<title id="{title}">[^<]+</title>', figure)
        assert re.search(rf'<desc id="{description}">[^<]{{20,}}</desc>', figure)


def test_figures_have_a_page_each_and_equal_folders_give_equal_bytes(folder):
    study = read_study_folder(folder)
    groups = study_figures(study)
    pdf = (folder / "figures.pdf").read_bytes()
    assert len(re.findall(rb"/Type /Page\b", pdf)) == sum(len(one.figures) for one in groups)
    assert b"CreationDate" not in pdf
    assert study_page(study, groups) == (folder / "report.html").read_text(encoding="utf-8")
    assert not list(folder.glob(".*"))


def test_the_command_names_its_files_and_keeps_a_report_where_it_cannot_write_one(study, capsys):
    """What it refuses in a folder is in `bad_inputs`."""
    files = {"report": f"{study}/report.html", "figures": f"{study}/figures.pdf"}
    assert main(["report", str(study), "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == files
    for written, said in ((["estimates.csv"], False), (["estimates.csv", "lost.csv"], True)):
        changed(study, written=written)
        page, _ = write_study_report(study)
        assert ("lost.csv is no longer in the folder" in page.read_text()) == said
    (study / "report.html").write_text("before")
    (study / "figures.pdf").unlink()
    (study / "estimates.csv").unlink()
    assert main(["report", str(study), "--force"]) == 2
    assert (study / "report.html").read_text() == "before"
    assert not (study / "figures.pdf").exists()


LABELS = AsGold(640)
BY_GOLD = Value("GT", 0.21, 0.15, 0.28)


def answer(
    metric="prevalence", model="", against="", numbers=(0.2, 0.18, 0.22), method="logistic-R",
    as_gold=LABELS, contradicted=None, **more,
):  # fmt: skip
    value = Value(method, *numbers, as_gold=as_gold, contradicted=contradicted)
    of = Quantity(metric, model, against)
    return Answer("all", of, **{"value": value, "alone": BY_GOLD, "gold": 300} | more)


def told(*of, **more):
    """What is said of an answer."""
    return write_answer(answer(*of, **more), 0.95)


def cells(*of, **more):
    """Its cells of the table, by their column."""
    return dict(zip(CELLS, told(*of, **more).cells, strict=True))


BEHIND = ("delta_AUC", "m", "k", (-0.03, -0.05, -0.01))
UNSURE = ("delta_AUC", "m", "k", (0.03, -0.01, 0.07))


@pytest.mark.parametrize(
    ("of", "sentence", "interval"),
    [
        ((), "20.0 % of the items are positive", "18.0 % to 22.0 %"),
        (("prevalence", "", "", (0.2, 0.1998, 0.2003)), "20.000 % of the items are positive",
         "19.980 % to 20.030 %"),
        (("AUC", "m", "", (0.861, 0.84, 0.88)), "m has an AUC of 0.861: the chance that it "
         "ranks a positive item above a negative one", "0.840 to 0.880"),
        (("delta_TPR", "m", "humans", (-0.05, -0.08, -0.02)),
         "m finds 5.0 percentage points less of the positive items than the voter",
         "2.0 to 8.0 points"),
        (("delta_TPR", "m", "humans", (0.01, -0.02, 0.04)),
         "1.0 percentage points more of the positive items than the voter; the difference may be "
         "zero", "−2.0 to 4.0 points"),
        (("delta_precision@0.5|0.7", "m", "k", (-0.03, -0.05, -0.01)),
         "k is ahead of m by 3.0 percentage points in precision, k flagging from 0.7, m from 0.5",
         "1.0 to 5.0 points"),
        (UNSURE, "m is ahead of k by 0.030 in AUC; it could be the other way round",
         "−0.010 to 0.070"),
        (("recall@0.5", "m", "", (0.6, 0.5, 0.7)), "m flags 60.0 % of the positive items, from "
         "0.5", "50.0 % to 70.0 %"),
    ],
)  # fmt: skip
def test_answers_are_sentences_with_their_interval(of, sentence, interval):
    assert told(*of).sentence.endswith(f"{sentence} (95 % interval {interval}).")
    # In the table the sign is that of the first model less the second.
    signed = {
        "1.0 to 5.0 points": "−5.0 to −1.0 points",
        "2.0 to 8.0 points": "−8.0 to −2.0 points",
    }
    shown = signed.get(interval, interval)
    assert cells(*of)[VALUE].endswith(f" ({shown})")
    assert told(*of[:3], value=None).sentence == ""
    none = cells(*of[:3], value=None, alone=None)
    assert {name: cell for name, cell in none.items() if cell} == {VALUE: "no answer"}


def test_what_has_no_answer_is_said_once_with_every_reason():
    converged, wide = Note("not_converged", {"message": "R-hat 1.5"}), Note("no_interval")
    passed = Passed("MAVEN", (converged,)), Passed("DS", (wide,)), Passed("CLARA", (wide,))
    none = [answer("AUC", model, value=None, passed_over=passed) for model in "abcd"]
    first, second = unanswered([*none, answer(), answer("TPR_H", value=None)])
    assert first == (
        f"AUC a, AUC b, AUC c and 1 more: no answer: MAVEN: {converged.text}; DS, CLARA: "
        f"{wide.text}"
    )
    assert second == "TPR_H: no answer: no method estimates it"


def test_how_many_gold_labels_would_say_as_much_is_in_a_cell():
    for as_gold, cell in (
        (LABELS, "640"), (AsGold(640, 300, 1400), "600 (300 to 1,400)"),
        (AsGold(640, 400), "at least 400"), (None, ""),
    ):  # fmt: skip
        assert cells(as_gold=as_gold)["gold alone needs"] == cell


def test_what_gold_labels_and_votes_alone_say_is_in_a_cell():
    """Of the first model less the second, whichever is ahead; nothing where gold alone answers."""
    assert cells()["gold labels alone"] == "21.0 % (15.0 % to 28.0 %)"
    for one in ({"method": "GT"}, {"alone": None}):
        assert cells(**one)["gold labels alone"] == ""
    alone = {"alone": Value("GT", -0.02, -0.06, 0.02), "votes_alone": -0.05}
    turned = told(*BEHIND, **alone)
    assert list(turned.cells[:5]) == [
        "−0.030 (−0.050 to −0.010)", "corrected by gold (logistic-R)", "640",
        "−0.020 (−0.060 to 0.020)", "−0.050",
    ]  # fmt: skip
    assert cells(votes_alone=0.25)["votes alone"] == "25.0 %"


def test_of_two_models_the_first_sentence_says_which_is_surely_ahead():
    (sentence,) = leads([answer("AUC", "m"), answer(*BEHIND)], 0.95)
    assert sentence == told(*BEHIND).sentence
    assert "k is ahead of m by 0.030 in AUC" in sentence
    assert leads([answer(*UNSURE)], 0.95) == []


def test_of_several_models_a_sentence_a_metric_says_which_is_best_and_which_may_be():
    """Read from the differences, whichever way round they are; a metric without any has none."""

    def sentences(metric="delta_AUC", **changed):
        surely, unsure, lost = (0.2, 0.1, 0.3), (0.1, -0.1, 0.3), (-0.2, -0.3, -0.1)
        pairs = {"ab": lost, "ac": unsure, "ad": surely, "bc": surely, "bd": surely, "cd": surely}
        pairs |= changed
        return leads(
            [answer(metric, *pair, value=None) if numbers is None
             else answer(metric, *pair, numbers) for pair, numbers in pairs.items()], 0.95,
        )  # fmt: skip

    best = "b has the highest AUC; the data "
    assert sentences() == [f"{best}tell it from every other model."]
    unsure = (0.1, -0.1, 0.3)
    assert sentences(bc=unsure, bd=None) == [f"{best}cannot tell c, d from b."]
    assert sentences(bc=unsure, bd=unsure, ab=(-0.1, -0.3, 0.1)) == [
        f"{best}cannot tell any other model from b."
    ]
    assert sentences(**dict.fromkeys(("ab", "ac", "ad", "bc", "bd", "cd"))) == []
    assert sentences("delta_recall@0.5")[0].startswith("b has the highest recall at 0.5; ")
    assert sentences("delta_recall@0.5|0.7")[0].startswith("b has the highest recall; ")
    cycle = {"ab": (0.1, 0, 0.2), "bd": (0.1, 0, 0.2), "ad": (-0.1, -0.2, 0), "ac": unsure}
    assert sentences(**cycle) == []
    # Of two that are equal neither is the highest alone.
    equal = sentences(ab=(0.0, -0.2, 0.2), ac=unsure, bc=unsure)
    assert equal == ["a and b have the highest AUC; the data cannot tell b, c from a."]


def test_the_table_of_answers_has_a_line_each_and_no_empty_column():
    one, two = told(alone=None, as_gold=None), told("AUC", "m", as_gold=None, alone=None)
    groups = AnswerGroup("The items", [one]), AnswerGroup("The model m", [two])
    table = answers_table(groups)
    assert list(table.header) == ["what", "of", VALUE]
    by = "corrected by gold (logistic-R)"
    assert table.caption == f"The answers, a line each. Method of all: {by}."
    assert [*map(list, table.rows)] == [
        ["Prevalence", "The items", "20.0 % (18.0 % to 22.0 %)"],
        ["Ranking (AUC)", "The model m", "0.200 (0.180 to 0.220)"],
    ]
    groups[1].answers.append(told("AUC", "k", value=None, votes_alone=0.9))
    table = answers_table(groups)
    assert list(table.header[3:]) == ["gold labels alone", "votes alone"]
    assert "Votes alone: the value where" in table.caption
    beside = [list(row[3:]) for row in table.rows]
    assert beside == [["", ""], ["", ""], ["0.210 (0.150 to 0.280)", "0.900"]]
    groups[1].answers.append(told("AUC", "l", method="GT"))
    table = answers_table(groups)
    assert list(table.header[3:5]) == ["by", "gold alone needs"]
    assert [row[3] for row in table.rows] == [by, by, "", "gold labels alone"]
    assert "Method of all" not in table.caption
    assert "Gold alone needs: the number of gold labels" in table.caption


def test_an_answer_is_red_where_its_own_number_is_contradicted_and_not_the_second_opinion():
    beside = Value("MAVEN-C", 0.3, 0.28, 0.32, contradicted=True)
    assert not told(beside=beside).flagged
    said = "MAVEN-C: 30.0 % (28.0 % to 32.0 %)"
    assert cells(beside=beside)["a model says"] == f"{said}; contradicted by the gold labels"
    assert cells(beside=replace(beside, contradicted=False))["a model says"] == said
    assert told(method="DS", contradicted=True).flagged
    for method, way in (("logistic-R", CORRECTED), ("GT", ALONE), ("MAVEN-C", BY_METHOD)):
        assert answer(method=method).way == way
    assert answer(notes=(Note("gold_alone"),)).way == ALONE
    assert answer(method="GT-E").way == ALONE_OF_ERRING
    assert answer(method="logistic-E", notes=(Note("gold_alone"),)).way == ALONE_OF_ERRING
    assert cells(method="GT-E")["by"] == "gold labels alone, corrected for expert error (GT-E)"
    assert answer(passed_over=(Passed("logistic-E", ()),)).way == BY_METHOD
    assert [cells(method=one)["by"] for one in ("logistic-R", "GT", "MAVEN-C", "votes-R")] == [
        "corrected by gold (logistic-R)", "gold labels alone", "MAVEN-C",
        "corrected by gold (votes-R)",
    ]  # fmt: skip


REASONS = {
    "no gold": NO_GOLD, "chosen gold": why_set_aside(GoldSample(1e-9)), "only models": ONLY_MODELS,
}  # fmt: skip


@pytest.mark.parametrize("plant", ["nothing", "beside", "answer", *REASONS, "chains"])
def test_the_first_line_the_answers_and_the_terminal_agree(tmp_path, plant):
    """The first line is red where an answer or a reason is, and says so; whatever is planted."""
    p, reason = 1e-9 if plant == "chosen gold" else 0.4, REASONS.get(plant)
    make_study(tmp_path, models=("a",), metrics=("AUC",), reason=reason, p=p)
    found = evaluation_in(tmp_path)

    def planted(one):
        if plant == "beside":
            return replace(one, beside=replace(one.beside, contradicted=True))
        if plant not in ("answer", "only models"):
            return one
        method, wrong = ("DS", True) if plant == "answer" else ("MAVEN", None)
        return replace(
            one, beside=None, value=replace(one.value, method=method, contradicted=wrong)
        )

    if plant == "no gold":
        none = replace(found.summary.whole, gold=0, gold_positive=0, gold_negative=0)
        found = replace(found, summary=replace(found.summary, strata=(none,)))
    if plant == "chains":
        fits = [replace(one, diagnostics=Diagnostics(failures=("R-hat 1.5",)))
                for one in found.summary.fits]  # fmt: skip
        found = replace(found, summary=replace(found.summary, fits=tuple(fits)))
    found = replace(found, answers=tuple(map(planted, found.answers)))
    page = study_page(
        changed(tmp_path, **plain(found.summary.as_json()), answers=found.answers), []
    )
    said = describe(found)
    first, *_ = re.findall(r'<p class="verdict( grave)?">(.*?)</p>', page, re.DOTALL)
    doubted = plant in ("answer", *REASONS)
    assert (first[0] == " grave") == doubted
    assert ("no reason" in page or "no grave reason" in page) == (not doubted)
    assert ('<li class="flagged">' in page) == (plant == "answer")
    if reason:
        words = f"{reason.text[0].upper()}{reason.text[1:]}."
        assert first[1] == words
        assert " ".join(said.split()).startswith(words)
    assert ("gold-corrected !" in said or "DS !" in said) == (plant == "answer")
    assert "rely on MAVEN-R" not in said + page


def test_footnotes_name_models_as_the_table_does(tmp_path):
    long = "claude-medium-2025-03-01", "gpt-large-2025-09-01-preview"
    found = evaluation_in(make_study(tmp_path, models=long, metrics=("AUC",)))
    legend, said = describe(found).split("metric  ", 1)
    assert all(f"m{k}={name}" in legend for k, name in enumerate(long, 1))
    assert not any(name in said for name in long)
    told = " ".join(said.split())
    assert re.search(r"; AUC m2 [\d,]+ to [\d,]+; delta_AUC m1 - m2 [\d,]+ to [\d,]+\.", told)
    assert any(long[0] in one for one in footnotes(found, "all"))


@pytest.mark.parametrize("gold", [0, 15, 20])
def test_the_terminal_says_that_gold_labels_are_few(tmp_path, gold):
    found = evaluation_in(make_study(tmp_path, models=("a",), metrics=("AUC",)))
    first, *others = found.summary.strata
    strata = (replace(first, gold=gold, gold_positive=gold // 2), *others)
    found = replace(found, summary=replace(found.summary, strata=strata))
    said = " ".join(describe(found).split())
    assert ("15 gold labels, fewer than 20. How often the intervals are right" in said) == (
        gold == 15
    )
    assert ("fewer than 20" in said) == (gold == 15)


def test_gold_alone_that_is_corrected_for_expert_error_has_a_name_of_its_own(tmp_path):
    found = evaluation_in(make_study(tmp_path, models=("a",), metrics=("AUC",)))
    answers = [replace(one, value=replace(one.value, method="GT-E")) for one in found.answers]
    said = " ".join(describe(replace(found, answers=answers)).split())
    assert "gold-corrected" not in said
    assert said.count("gold alone (E) ") == len(answers)
    assert '"gold alone (E)": gold labels alone, corrected for expert error (GT-E).' in said


def test_every_answer_is_written_and_every_estimate_in_a_table(tmp_path):
    study = read_study_folder(make_study(tmp_path, metrics=("AUC", "recall@0.5")))
    written = write_answers(study.answers, study.level)
    groups = {group.heading: len(group.answers) for group in written}
    assert groups == {
        "The items and their voters": 3, "The model large": 2, "The model small": 2,
        "large − small": 2,
    }  # fmt: skip
    table = estimates_table(study)
    assert len(table.rows) == len(study.of_all("estimates"))
    assert table.rows[0][:2] == ["prevalence", "logistic-R"]
    assert any("chains not converged: R-hat 1.2" in row[-1] for row in table.rows)


def test_each_doubt_has_its_cause(tmp_path):
    def doubts(p=0.4, **summary):
        return find_doubts(changed(make_study(tmp_path, metrics=("AUC",), p=p), **summary))

    found = doubts()
    assert {(one.code, one.values["method"], one.weight) for one in found} == {
        ("contradicts", "DS", MINOR), ("disagrees", "GT+MV", MINOR), ("chains", "MAVEN", MINOR),
    }  # fmt: skip
    assert verdict_of(found) == Note("verdict_minor", {"number": 3})
    assert verdict_of([]) == Note("verdict_none", {"number": 0})
    chosen = doubts(0.0005)
    assert [one.code for one in chosen if one.weight == GRAVE] == ["gold_not_random"]
    assert verdict_of(chosen) == Note("verdict_grave", {"number": 1}, GRAVE)
    minor = doubts(0.005)[0]
    assert (minor.weight, minor.code) == (MINOR, "gold_not_random")
    assert (minor.values["may"], chosen[0].values["may"]) == ("may not be", "does not look like")
    assert "(p = 0.005)" in minor.text
    counts = {"name": "all", "items": 9, "votes": 9}
    for place, positive, negative, code in (
        (None, 4, 5, "few_gold"), (0, 2, 7, "few_of_a_class"), (0, 0, 0, "nothing_checks"),
    ):  # fmt: skip
        gold = {"gold": positive + negative, "gold_positive": positive, "gold_negative": negative}
        codes = [one.code for one in doubts(strata=[counts | gold])]
        assert code in (codes if place is None else codes[:1])
    unsure = answer("delta_AUC", "large", "small", (0.01, -0.01, 0.03))
    (undecided,) = [one for one in doubts(answers=[unsure]) if one.code == "undecided"]
    assert "AUC of large against small (about 4.0 times)" in undecided.text


def test_too_many_misses_are_those_that_chance_does_not_make():
    rows = pd.DataFrame({"observed": [0.0] * 100, "lower": -1.0, "upper": 1.0})
    assert count_misses(rows, 0.95) == (0, False)
    rows.loc[:11, "observed"] = 2.0  # binomial(100, 0.05): P(12 or more) is 0.004
    assert count_misses(rows, 0.95) == (12, True)
    rows.loc[11, "observed"] = 0.0  # P(11 or more) is 0.011
    assert count_misses(rows, 0.95) == (11, False)


def test_without_checks_counts_and_observed_votes_are_shown(study):
    for name in ("check.json", "predictive.csv", "curves.csv", "annotators.csv"):
        (study / name).unlink()
    read = read_study_folder(study)
    assert not write_check(read).made
    assert votes_of(read)[0].empty
    pd.DataFrame(
        {"item": ["a", "b", "c"], "votes_positive": [1, 1, 0], "votes_total": [3, 3, 1],
         "gold": [1, np.nan, np.nan]}
    ).to_csv(study / "items.csv", index=False)  # fmt: skip
    read = read_study_folder(study)
    observed, method = votes_of(read)
    assert (observed["observed"].tolist(), method) == ([1, 1, 1], "")
    groups = study_figures(read)
    assert [group.name for group in groups] == ["answers", "estimates", "votes"]
    assert "no check.json" in study_page(read, groups)


def test_the_data_check_is_told_in_its_own_words(study):
    check = json.loads((study / "check.json").read_text())
    checked = write_check(read_study_folder(study))
    assert list(checked.facts) == [(head, "; ".join(one)) for head, one in check["about"].items()]
    assert ("annotators", "3, one against the others; eve") in checked.facts
    assert checked.warnings == ["1 annotator labels against the majority of the others."]
    assert checked.verdicts[1] == ("MAVEN", "weak", "too short", "read logistic-R")
    assert (len(checked.verdicts), checked.made) == (3, True)


def test_an_na_is_a_name_like_any_other(tmp_path):
    study = read_study_folder(make_study(tmp_path, models=("NA", "nan"), metrics=("AUC",)))
    assert set(study.of_all("estimates")["model"]) == {"", "NA", "nan"}


def test_numbers_are_written_to_their_precision():
    assert (rounded(1234), rounded(64.2)) == ("1,200", "64")
    row = {"method": "GT", "estimate": np.nan, "lower": None, "upper": np.nan}
    none = Numbers(Quantity("prevalence"), value_of(row))
    assert (none.point, none.ends) == ("none", "none")
    one = answer("delta_TPR", "m", "humans", (-0.0001, -0.01, 0.01))
    assert Numbers(one.of, one.value).point == "0.0 points"


def test_names_are_drawn_where_the_font_has_them():
    long = "x" * 40
    names = drawn_names(["plain", "模型", long, long + "y", long + "z" + "x" * 20, "\u202e"])
    drawn = [names[one] for one in ("plain", "模型", "\u202e")]
    assert drawn == ["plain", "model 2", "model 6"]
    assert names[long + "y"].endswith("xy")
    assert len(set(names.values())) == 6


def test_the_estimates_are_drawn_as_they_are():
    row = {
        "group": "", "method": "GT", "estimate": 0.5, "lower": 0.4, "upper": 0.6,
        "diagnostics_passed": 1.0, "misfit": np.nan, "chosen": False,
    }  # fmt: skip
    others = {"method": "DS", "group": "$a$", "misfit": 1.0}, {"diagnostics_passed": 0.0}
    figure, drawn = draw_study_estimates(
        pd.DataFrame([row, *(row | one for one in others)]), "x", True
    )
    labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert labels == ["GT", "GT (not converged)", "DS (contradicted)"]
    assert [one["method"] for one in drawn] == ["GT", "GT", "DS"]
    assert any(np.allclose(line.get_xdata(), [0.4, 0.6]) for line in figure.axes[0].lines)
    assert figure.axes[0].texts[0].get_text() == r"\$a\$"


def lines_of(figure):
    """Per row of a figure of answers: what is drawn, by its marker, or width and colour."""
    (axes,) = figure.axes
    labels = dict(zip(axes.get_yticks(), (one.get_text() for one in axes.get_yticklabels()),
                      strict=True))  # fmt: skip
    rows = {label: {} for label in labels.values()}
    for line in axes.lines:
        (at,) = {*line.get_ydata()}
        marker = line.get_marker()
        kind = marker if marker != "None" else line.get_linewidth()
        own = rows[labels[at]]
        assert kind not in own
        own[kind] = [float(one) for one in line.get_xdata()]
    return rows


def test_the_answers_are_drawn_a_row_each_with_what_gold_and_votes_alone_say():
    """Gold alone is behind the answer, and left out where it is the answer; without gold labels
    there is a range, and no model's number."""
    allowed = VotesRange(0.1, 0.4, 97)
    figure = draw_study_answers([
        ("", "prevalence", answer(votes_alone=0.3)),
        ("AUC", "$m$", answer("AUC", "$m$", "", (0.8, 0.7, 0.9), "GT")),
        ("AUC", "k", answer("AUC", "k", alone=None, allowed=allowed, votes_alone=0.5)),
        ("AUC", "n", answer("AUC", "n", value=None, alone=Value("GT", 0.6, None, None),
                            allowed=replace(allowed, lower=None, upper=None))),
    ])  # fmt: skip
    assert lines_of(figure) == {
        "prevalence": {6: [0.15, 0.28], 1.6: [0.18, 0.22], "o": [0.2], "D": [0.3]},
        r"\$m\$": {1.6: [0.7, 0.9], "o": [0.8]}, "k": {4: [0.1, 0.4], "D": [0.5]}, "n": {},
    }  # fmt: skip
    (axes,) = figure.axes
    assert [line.get_linewidth() for line in axes.lines[:2]] == [6, 1.6]  # behind: drawn first
    assert [one.get_text() for one in axes.texts] == ["AUC"]
    assert [one.get_text() for one in figure.legends[0].get_texts()] == [
        "the answer", "gold labels alone", "a range, without gold labels",
        "votes taken for the truth",
    ]  # fmt: skip
    top, *_ = axes.get_yticks()
    lowest, highest = axes.get_ylim()
    assert highest < top < axes.texts[0].get_position()[1] < axes.get_yticks()[1] < lowest


def test_differences_are_drawn_apart_with_a_line_at_zero(tmp_path):
    read = read_study_folder(make_study(tmp_path, metrics=("AUC", "delta_TPR")))
    values, differences = answer_figures(read)
    number = sum(one.of.is_difference for one in read.answers)
    for drawn, rows in ((values, len(read.answers) - number), (differences, number)):
        (axes,) = drawn.figure.axes
        assert len(axes.get_yticks()) == rows > 0
        assert sum(line.get_marker() == "o" for line in axes.lines) == rows
    assert [list(line.get_xdata()) for line in differences.figure.axes[0].lines][-1] == [0, 0]
    assert all(list(line.get_xdata()) != [0, 0] for line in values.figure.axes[0].lines)


def test_what_is_drawn_of_a_range_is_what_its_description_says(study):
    allowed = VotesRange(0.1, 0.4, 97)
    read = changed(study, answers=[answer(allowed=allowed), answer("AUC", "a", value=None)])
    (drawn,) = answer_figures(read)
    assert drawn.description == "Values. prevalence: 10.0 % to 40.0 %."
    assert drawn.caption == WITHOUT_GOLD
