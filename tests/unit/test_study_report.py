"""The report on a study: what it says, what it escapes, and which folders it refuses."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from crowdgold.cli import main
from crowdgold.evaluation.headline import CHOSEN_REASON, NO_GOLD_REASON, ONLY_MODELS_REASON
from crowdgold.presentation.answers import (
    Answers,
    Numbers,
    leads,
    rounded,
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
    MOST,
    draw_study_curves,
    draw_study_estimates,
    draw_study_votes,
    draw_study_wins,
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
from crowdgold.presentation.text import describe
from crowdgold.types.errors import InputError
from unit.made_study import HOSTILE, make_study

VOID = {"meta", "br", "img", "link", "use", "path"}
LARGEST = 5_000_000


class Balanced(HTMLParser):
    """Notes tags that are not closed in order, identifiers, and addresses."""

    def __init__(self):
        super().__init__()
        self.open, self.names, self.addresses, self.wrong = [], [], [], []

    def handle_starttag(self, tag, attributes):
        found = dict(attributes)
        self.names += [found["id"]] if "id" in found else []
        self.addresses += [found[key] for key in ("href", "src", "xlink:href") if key in found]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag in VOID:
            return
        if not self.open or self.open.pop() != tag:
            self.wrong.append(tag)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A study with names that are as bad as they can be, reported on."""
    folder = make_study(
        tmp_path_factory.mktemp("study"), models=(HOSTILE, "模型"), annotator=HOSTILE,
        strata=(f"part={HOSTILE}",), metrics=("AUC",),
    )  # fmt: skip
    write_study_report(folder)
    return folder


def changed(study, **summary):
    """Write some keys of study.json anew."""
    path = study / "study.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | summary))
    return read_study_folder(study)


def test_the_page_stands_alone_and_is_well_formed(folder):
    page = (folder / "report.html").read_text(encoding="utf-8")
    found = Balanced()
    found.feed(page)
    assert found.wrong == []
    assert found.open == []
    assert len(found.names) == len(set(found.names))
    assert all(address.startswith("#") for address in found.addresses)
    assert {address[1:] for address in found.addresses} <= set(found.names)
    assert len(page.encode()) < LARGEST
    assert 'name="viewport" content="width=device-width, initial-scale=1"' in page
    assert "@media print" in page
    assert "Evaluated on 2026-03-01.</p>" in page
    assert ":focus-visible { outline: 3px" in page
    assert "prefers-color-scheme: dark" in page
    figures = re.findall(r"<figure id=.*?</figure>", page, re.DOTALL)
    assert len(figures) > 10
    for figure in figures:
        title, description = re.search(r'aria-labelledby="(\S+) (\S+)"', figure).groups()
        assert re.search(rf'<title id="{title}">[^<]+</title>', figure)
        assert re.search(rf'<desc id="{description}">[^<]{{20,}}</desc>', figure)


def test_hostile_names_are_shown_and_never_run(folder):
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "<script" not in page.lower()
    assert "&lt;script&gt;alert(&#39;x&#39;)&lt;/script&gt;&#34;&#39;&amp;$a$" in page
    assert page.count("模型") > 5
    assert "model 2 is 模型" in page


def test_figures_have_a_page_each_and_equal_folders_give_equal_bytes(folder, tmp_path):
    study = read_study_folder(folder)
    groups = study_figures(study)
    pdf = (folder / "figures.pdf").read_bytes()
    assert len(re.findall(rb"/Type /Page\b", pdf)) == sum(len(one.figures) for one in groups)
    assert b"CreationDate" not in pdf
    assert study_page(study, groups) == (folder / "report.html").read_text(encoding="utf-8")
    assert not list(folder.glob(".*"))


def test_the_command_names_its_files_and_refuses_other_folders(folder, tmp_path, capsys):
    study = make_study(tmp_path / "plain", models=(), metrics=())
    assert main(["report", str(study)]) == 0
    assert capsys.readouterr().out.split() == [f"{study}/report.html", f"{study}/figures.pdf"]
    capsys.readouterr()
    assert main(["report", str(study), "--json"]) == 0
    named = json.loads(capsys.readouterr().out)
    assert named == {"report": str(study / "report.html"), "figures": str(study / "figures.pdf")}
    assert main(["report", str(tmp_path / "none")]) == 2
    assert "no such folder; expected one from `crowdgold evaluate`" in capsys.readouterr().err
    assert main(["report", str(study / "report.html")]) == 2
    assert "report.html: not a folder; expected one from" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("study.json", None, "no file study.json"),
        ("estimates.csv", None, "no file estimates.csv"),
        ("study.json", "{", "found what is not JSON"),
        ("study.json", "[]", "found a list, expected an object"),
        ("study.json", "{}", "no key 'settings'"),
        ("check.json", "{}", "no key 'items'"),
        ("estimates.csv", "model,metric\na,AUC\n", "no column 'stratum'"),
        ("curves.csv", "", "no table"),
        (
            "curves.csv",
            "stratum,model,method,curve,at,estimate,lower,upper\nall,a,GT,PR,0.1,many,0,1\n",
            "row 2, column 'estimate': found 'many', expected a number",
        ),
    ],
)
def test_folders_that_cannot_be_used_keep_the_report_that_they_have(
    tmp_path, name, text, why, capsys
):
    study = make_study(tmp_path, models=("a",), metrics=("AUC",))
    (study / "report.html").write_text("before")
    (study / name).unlink() if text is None else (study / name).write_text(text)
    assert main(["report", str(study), "--force"]) == 2
    assert why in capsys.readouterr().err
    assert (study / "report.html").read_text() == "before"
    assert not (study / "figures.pdf").exists()


def test_a_file_that_was_lost_is_named_on_the_page(tmp_path):
    study = make_study(tmp_path, models=("a",), metrics=("AUC",))
    summary = json.loads((study / "study.json").read_text())
    for files, said in ((["estimates.csv"], False), (["estimates.csv", "lost.csv"], True)):
        (study / "study.json").write_text(json.dumps({**summary, "written": files}))
        page, _ = write_study_report(study)
        assert ("lost.csv is no longer in the folder" in page.read_text()) == said


def test_entries_that_lack_a_key_are_named(tmp_path):
    make_study(tmp_path, models=("a",), metrics=("AUC",))
    with pytest.raises(InputError, match=r"study\.json: headlines\[0\]: no key 'stratum'"):
        changed(tmp_path, headlines=[{}])


BY_GOLD = {"estimate": 0.21, "lower": 0.15, "upper": 0.28}


def headline(
    metric="prevalence", model="", against="", estimate=0.2, lower=0.18, upper=0.22, **more
):
    return {
        "metric": metric, "model": model, "against": against, "estimate": estimate, "lower": lower,
        "upper": upper, "method": "logistic-R", "effective_gold": 640.0, "misfit": None,
        "beside": None, "passed_over": [], "note": "",
    } | more  # fmt: skip


@pytest.mark.parametrize(
    ("row", "sentence", "interval"),
    [
        (headline(), "20.0 % of the items are positive.", "95 % interval 18.0 % to 22.0 %"),
        (
            headline(estimate=0.2, lower=0.1998, upper=0.2003),
            "20.000 % of the items are positive.",
            "95 % interval 19.980 % to 20.030 %",
        ),
        (
            headline("AUC", "m", estimate=0.861),
            "m has an AUC of 0.861: the chance that it ranks a positive item above a negative one.",
            "95 % interval 0.180 to 0.220",
        ),
        (
            headline("delta_TPR", "m", "humans", -0.05, -0.08, -0.02),
            "At a single voter's false positive rate, m finds 5.0 percentage points less of the "
            "positive items than the voter.",
            "95 % interval −8.0 to −2.0 points",
        ),
        (
            headline("delta_TPR", "m", "humans", 0.01, -0.02, 0.04),
            "At a single voter's false positive rate, m finds 1.0 percentage points more of the "
            "positive items than the voter; the difference may be zero.",
            "95 % interval −2.0 to 4.0 points",
        ),
        (
            headline("delta_precision@0.5|0.7", "m", "k", -0.03, -0.05, -0.01),
            "k is ahead of m by 3.0 percentage points in precision, k flagging from 0.7, m from "
            "0.5.",
            "95 % interval 1.0 to 5.0 points",
        ),
        (
            headline("delta_AUC", "m", "k", 0.03, -0.01, 0.07),
            "m is ahead of k by 0.030 in AUC; it could be the other way round.",
            "95 % interval −0.010 to 0.070",
        ),
        (
            headline("recall@0.5", "m", estimate=0.6),
            "m flags 60.0 % of the positive items, from 0.5.",
            "95 % interval 18.0 % to 22.0 %",
        ),
        (headline(method=None, estimate=None), "No answer from these data.", ""),
    ],
)
def test_answers_are_sentences_with_their_interval(row, sentence, interval):
    answer = write_answer(row, 300, 0.95, BY_GOLD)
    assert (answer.sentence, answer.interval) == (sentence, interval)


@pytest.mark.parametrize(
    ("more", "as_gold"),
    [
        ({}, "As precise as about 640 gold labels alone would be. You have 300."),
        ({"effective_gold": 290.0}, "As precise as your 300 gold labels alone: votes and scores"),
        ({"effective_gold": 90.0}, "Less precise than your 300 gold labels alone: as about 90"),
        ({"method": "GT", "effective_gold": 300.0}, "From the 300 gold labels alone."),
        ({"effective_gold": None}, ""),
        (
            {"effective_gold_lower": 300.0, "effective_gold_upper": 1400.0},
            "As precise as about 600 (95 % interval 300 to 1,400) gold labels alone would be.",
        ),
        (
            {"effective_gold_lower": 400.0, "effective_gold_upper": None},
            "As precise as at least 400 gold labels alone would be. You have 300.",
        ),
    ],
)
def test_how_many_gold_labels_would_say_as_much_is_said(more, as_gold):
    assert write_answer(headline(**more), 300, 0.95, BY_GOLD).as_gold.startswith(as_gold)
    assert write_answer(headline(**more), 0, 0.95, BY_GOLD).as_gold == ""
    assert write_answer(headline(**more), 300, 0.95, None).as_gold == ""


def test_what_gold_labels_alone_say_stands_on_the_card_and_in_the_table():
    """Turned round where the second model is ahead; nothing where gold alone is the answer."""
    assert write_answer(headline(), 300, 0.95, BY_GOLD).alone.startswith("Gold labels alone: 2")
    assert write_answer(headline(method="GT"), 300, 0.95, BY_GOLD).alone == ""
    assert write_answer(headline(), 300, 0.95, None).alone == ""
    behind = headline("delta_AUC", "m", "k", -0.03, -0.05, -0.01)
    turned = write_answer(behind, 300, 0.95, {"estimate": -0.02, "lower": -0.06, "upper": 0.02})
    assert turned.alone == "Gold labels alone: 0.020 (−0.020 to 0.060)."
    group = Answers("k against m", [turned])
    table = answers_table([group])
    assert table.rows[0][2:] == [
        "0.030",
        "0.010 to 0.050",
        turned.line[2],
        "0.020 (−0.020 to 0.060)",
    ]
    assert leads([group]) == ["k is ahead of m by 0.030 in AUC."]
    unsure = write_answer(headline("delta_AUC", "m", "k", 0.03, -0.01, 0.07), 300, 0.95, None)
    assert leads([Answers("m against k", [unsure])]) == []


def test_a_card_is_red_where_its_own_number_is_contradicted_and_not_the_second_opinion():
    beside = {"method": "MAVEN-C", "estimate": 0.3, "lower": 0.28, "upper": 0.32, "misfit": True}
    answer = write_answer(headline(beside=beside), 300, 0.95, BY_GOLD)
    assert not answer.flagged
    said = "For comparison, by the model MAVEN-C: 30.0 % (28.0 % to 32.0 %)"
    assert f"{said}, which the gold labels contradict" in answer.details
    assert answer.details[0] == "Corrected by gold (logistic-R)"
    by = {
        method: write_answer(headline(method=method), 300, 0.95, BY_GOLD).details[0]
        for method in ("GT", "MAVEN-C", "votes-R")
    }
    assert by == {
        "GT": "Gold labels alone", "MAVEN-C": "By MAVEN-C", "votes-R": "Corrected by gold (votes-R)"
    }  # fmt: skip
    right = write_answer(headline(beside={**beside, "misfit": False}), 300, 0.95, BY_GOLD)
    assert said in right.details
    assert write_answer(headline(method="DS", misfit=True), 300, 0.95, BY_GOLD).flagged


@pytest.mark.parametrize(
    "plant",
    ["nothing", "beside", "answer", "no gold", "chosen gold", "only models", "chains"],
)
def test_the_first_line_the_cards_and_the_terminal_agree(tmp_path, plant):
    """The first line is red where a card or a reason is, and says so; whatever is planted."""
    reasons = {
        "no gold": NO_GOLD_REASON, "chosen gold": CHOSEN_REASON, "only models": ONLY_MODELS_REASON,
    }  # fmt: skip
    p = 1e-9 if plant == "chosen gold" else 0.4
    reason = reasons.get(plant, "")
    make_study(tmp_path, models=("a",), metrics=("AUC",), reason=reason, p=p)
    summary = json.loads((tmp_path / "study.json").read_text())
    for row in summary["headlines"]:
        if plant == "answer":
            row.update(method="DS", beside=None, misfit=True)
        if plant == "only models":
            row.update(method="MAVEN", beside=None)
        if plant == "beside":
            row["beside"]["misfit"] = True
    if plant == "no gold":
        summary["strata"][0].update(gold=0, gold_positive=0, gold_negative=0)
    if plant == "chains":
        for one in summary["fits"]:
            one.update(diagnostics_passed=False, problems=["R-hat 1.5"])
    (tmp_path / "study.json").write_text(json.dumps(summary))
    study = read_study_folder(tmp_path)
    page = study_page(study, [])
    first, *_ = re.findall(r'<p class="verdict( grave)?">(.*?)</p>', page, re.DOTALL)
    doubted = plant in ("answer", *reasons)
    assert (first[0] == " grave") == doubted
    assert ("no reason" in page or "no grave reason" in page) == (not doubted)
    assert ('<li class="flagged">' in page) == (plant == "answer")
    said = describe(summary)
    if reason:
        words = f"{reason[0].upper()}{reason[1:]}."
        assert first[1] == words
        assert " ".join(said.split()).startswith(words)
    assert ("gold-corrected !" in said or "DS !" in said) == (plant == "answer")
    assert "rely on MAVEN-R" not in said + page


def test_every_headline_is_answered(tmp_path):
    study = read_study_folder(make_study(tmp_path, metrics=("AUC", "recall@0.5")))
    groups = {group.heading: len(group.answers) for group in write_answers(study)}
    assert groups == {
        "The items and their voters": 3, "The model large": 2, "The model small": 2,
        "large against small": 2,
    }  # fmt: skip


def titles(study):
    return [one.title for one in find_doubts(study)]


def test_each_doubt_has_its_cause(tmp_path):
    make_study(tmp_path, metrics=("AUC",))
    study = read_study_folder(tmp_path)
    found = find_doubts(study)
    assert not [one for one in found if one.weight == GRAVE]
    assert {one.title for one in found} == {
        "The gold labels contradict DS", "The chains of MAVEN on small had not converged",
        "GT+MV disagrees",
    }  # fmt: skip
    assert verdict_of(found).startswith("We found no grave reason to distrust these numbers")
    assert verdict_of([]) == "We found no reason to distrust these numbers."
    make_study(tmp_path, metrics=("AUC",), p=0.0005)
    (doubt,) = [one for one in find_doubts(read_study_folder(tmp_path)) if one.weight == GRAVE]
    assert doubt.title == "Gold does not look like a random sample"
    make_study(tmp_path, metrics=("AUC",), p=0.005)
    doubt = find_doubts(read_study_folder(tmp_path))[0]
    assert (doubt.weight, doubt.title) == (MINOR, "Gold may not be a random sample")
    keep = (
        "0.5 % of random samples are as uneven: if these labels were drawn so, keep them. Else set"
    )
    assert keep in doubt.text
    counts = {"name": "all", "items": 9, "votes": 9, "gold": 9, "gold_positive": 4,
              "gold_negative": 5}  # fmt: skip
    make_study(tmp_path, metrics=("AUC",))
    assert "9 gold labels, fewer than 20" in titles(changed(tmp_path, strata=[counts]))
    few = counts | {"gold_positive": 2, "gold_negative": 7}
    assert titles(changed(tmp_path, strata=[few]))[0] == "Too few gold labels of a class"
    none = counts | {"gold": 0, "gold_positive": 0, "gold_negative": 0}
    assert titles(changed(tmp_path, strata=[none]))[0] == "No gold labels"


def test_differences_that_are_not_decided_say_how_much_larger_a_study_must_be(tmp_path):
    make_study(tmp_path, metrics=("AUC",))
    row = headline("delta_AUC", "large", "small", 0.01, -0.01, 0.03, stratum="all", reason="")
    (doubt,) = [
        one for one in find_doubts(changed(tmp_path, headlines=[row]))
        if one.title.startswith("Differences")
    ]  # fmt: skip
    assert "AUC, large against small (about 4.0 times)" in doubt.text


def test_too_many_misses_are_those_that_chance_does_not_make():
    rows = pd.DataFrame({"observed": [0.0] * 100, "lower": -1.0, "upper": 1.0})
    assert count_misses(rows, 0.95) == (0, False)
    rows.loc[:11, "observed"] = 2.0  # binomial(100, 0.05): P(12 or more) is 0.004
    assert count_misses(rows, 0.95) == (12, True)
    rows.loc[11, "observed"] = 0.0  # P(11 or more) is 0.011
    assert count_misses(rows, 0.95) == (11, False)


def test_without_checks_counts_and_observed_votes_are_shown(tmp_path):
    make_study(tmp_path, models=("a",), metrics=("AUC",))
    for name in ("check.json", "predictive.csv", "curves.csv", "annotators.csv"):
        (tmp_path / name).unlink()
    study = read_study_folder(tmp_path)
    assert not write_check(study).there
    assert votes_of(study)[0].empty
    items = pd.DataFrame(
        {"item": ["a", "b", "c"], "votes_positive": [1, 1, 0], "votes_total": [3, 3, 1],
         "gold": [1, np.nan, np.nan]}
    )  # fmt: skip
    items.to_csv(tmp_path / "items.csv", index=False)
    observed, method = votes_of(read_study_folder(tmp_path))
    assert method == ""
    assert observed["observed"].tolist() == [1, 1, 1]
    groups = study_figures(read_study_folder(tmp_path))
    assert [group.name for group in groups] == ["estimates", "votes"]
    assert "no check.json" in study_page(read_study_folder(tmp_path), groups)


def test_the_data_check_is_told_with_its_warnings(tmp_path):
    checked = write_check(read_study_folder(make_study(tmp_path, models=("a",), metrics=("AUC",))))
    facts = dict(checked.facts)
    assert facts["votes"] == "12,000; 3 to 5, median 4 an item; 19.0 % positive"
    assert facts["annotators"].startswith("3 annotators; 1 with few labels (bob)")
    assert facts["gold a random sample?"] == (
        "it may be: 40 % of random samples are as uneven (p = 0.4)"
    )
    assert checked.warnings == ["1 annotator labels against the majority of the others."]
    assert len(checked.verdicts) == 3


def test_tables_hold_every_estimate(tmp_path):
    study = read_study_folder(make_study(tmp_path, metrics=("AUC",)))
    table = estimates_table(study)
    assert len(table.rows) == len(study.of_all("estimates"))
    assert table.rows[0][:2] == ["prevalence", "logistic-R"]
    assert any("chains not converged: R-hat 1.2" in row[-1] for row in table.rows)


def test_an_na_is_a_name_like_any_other(tmp_path):
    study = read_study_folder(make_study(tmp_path, models=("NA", "nan"), metrics=("AUC",)))
    assert set(study.of_all("estimates")["model"]) == {"", "NA", "nan"}


def test_numbers_are_written_to_their_precision():
    assert rounded(1234) == "1,200"
    assert rounded(64.2) == "64"
    none = Numbers(headline(estimate=float("nan"), lower=None, upper=float("nan")))
    assert (none.point, none.ends) == ("none", "none")
    assert Numbers(headline("delta_TPR", "m", "humans", -0.0001, -0.01, 0.01)).point == "0.0 points"


def test_names_are_drawn_where_the_font_has_them():
    long = "x" * 40
    names = drawn_names(["plain", "模型", long, long + "y", long + "z" + "x" * 20, "\u202e"])
    assert names["plain"] == "plain"
    assert names["模型"] == "model 2"
    assert names[long + "y"].endswith("xy")
    assert names["\u202e"] == "model 6"
    assert len(set(names.values())) == 6


def estimates(**more):
    row = {
        "group": "", "method": "GT", "estimate": 0.5, "lower": 0.4, "upper": 0.6,
        "diagnostics_passed": 1.0, "misfit": np.nan, "chosen": False,
    }  # fmt: skip
    return pd.DataFrame([row, row | {"method": "DS"} | more])


def test_the_estimates_are_drawn_as_they_are():
    table = estimates(estimate=np.nan)
    figure, drawn = draw_study_estimates(table, {"label": "x"})
    assert drawn["method"].tolist() == ["GT"]
    axes = figure.axes[0]
    assert [text.get_text() for text in axes.get_yticklabels()] == ["GT"]
    assert any(np.allclose(line.get_xdata(), [0.4, 0.6]) for line in axes.lines)
    figure, _ = draw_study_estimates(estimates(misfit=1.0, group="$a$"), {"label": "x", "zero": 1})
    labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert labels == ["GT", "DS (contradicted)"]
    assert figure.axes[0].texts[0].get_text() == r"\$a\$"
    figure, _ = draw_study_estimates(estimates(diagnostics_passed=0.0), {"label": "x"})
    assert "DS (not converged)" in [text.get_text() for text in figure.axes[0].get_yticklabels()]


def test_figures_of_nothing_are_refused():
    with pytest.raises(ValueError, match="no method has an estimate"):
        draw_study_estimates(estimates()[:1].assign(estimate=np.nan), {"label": "x"})
    curve = pd.DataFrame({"model": list("abcde"), "at": 0.5, "estimate": 0.5, "lower": 0.4})
    with pytest.raises(ValueError, match=f"found 5 models, expected 1 to {MOST}"):
        draw_study_curves(curve.assign(upper=0.6), {"curve": "PR"})
    votes = pd.DataFrame(columns=["votes_total", "items"])
    with pytest.raises(ValueError, match="no votes"):
        draw_study_votes(votes)
    with pytest.raises(ValueError, match="no wins"):
        draw_study_wins(votes)


def test_a_file_that_cannot_be_written_is_said(tmp_path):
    study = make_study(tmp_path, models=(), metrics=())
    (study / "report.html").mkdir()
    with pytest.raises(InputError, match=r"report\.html is a folder; expected the name"):
        write_study_report(study)


def test_the_data_check_shows_how_far_each_two_judges_err_together(tmp_path):
    study = make_study(tmp_path, models=("a",), metrics=("AUC",))
    check = json.loads((tmp_path / "check.json").read_text())
    pairs = [[None, 0.5, 0.25], [0.5, None, -0.1], [0.25, -0.1, None]]
    ends = [[None, None, 0.1], [None, None, -0.3], [0.1, -0.3, None]]
    shared = {"pairs": pairs, "pairs_lower": ends, "pairs_upper": pairs}
    check["judges"] = {"judge": ["x", "y", "z"], "shared": shared, "sentences": []}
    (tmp_path / "check.json").write_text(json.dumps(check))
    checked = write_check(read_study_folder(study))
    assert checked.judges == ["x", "y"]
    assert checked.pairs == [
        ("y", ["0.50"]), ("z", ["0.25 (0.10 to 0.25)", "-0.10 (-0.30 to -0.10)"])
    ]  # fmt: skip
    read = read_study_folder(study)
    page = study_page(read, study_figures(read))
    assert "<td>0.25 (0.10 to 0.25)</td><td>-0.10 (-0.30 to -0.10)</td>" in page
    check["judges"] = {"judge": [], "shared": {"pairs": []}, "sentences": []}
    (tmp_path / "check.json").write_text(json.dumps(check))
    assert write_check(read_study_folder(study)).pairs == []
