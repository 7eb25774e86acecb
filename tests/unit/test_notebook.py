"""The façade of a notebook: the numbers of the commands, and objects that fit on a screen."""

import json
import re
from contextlib import redirect_stdout
from io import StringIO

import numpy as np
import pandas as pd
import pytest

import crowdgold as cg
from crowdgold.cli import main
from crowdgold.evaluation.answer import answer_of
from crowdgold.inference.labels import as_dataset
from crowdgold.presentation.page import write_page
from crowdgold.reading.study import Study
from crowdgold.types.display import MOST_LINES
from crowdgold.types.errors import InputError
from crowdgold.types.items import items_from_frame
from crowdgold.types.notes import Note
from unit.made_files import EXAMPLE

FILES = [EXAMPLE / f"{name}.csv" for name in ("votes", "gold", "scores")]
GUESSES = {"prevalence": 0.2, "tpr": 0.75, "tnr": 0.9, "metric": "prevalence", "width": 0.06,
           "votes": "1,3"}  # fmt: skip
QUICK = {"chains": 2, "warmup": 20, "draws": 50, "lag": 1}


@pytest.fixture(scope="module")
def study():
    return cg.read(*FILES)


@pytest.fixture(scope="module")
def result(study):
    return cg.evaluate(study, thresholds=["large=0.7"], seed=5, models=False, cores=1)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """What the command writes, and what it prints."""
    out = tmp_path_factory.mktemp("command") / "mine"
    asked = ["evaluate", *map(str, FILES), "--out", str(out), "--threshold", "large=0.7",
             "--seed", "5", "--no-models"]  # fmt: skip
    with redirect_stdout(StringIO()) as printed:
        assert main(asked) == 0
    (out.parent / "printed").write_text(printed.getvalue())
    return out


def test_what_is_offered_is_there():
    assert all(callable(getattr(cg, name)) for name in cg.__all__)
    with pytest.raises(AttributeError, match="no attribute 'evaluat'"):
        cg.evaluat  # noqa: B018


def test_tables_and_what_is_printed_are_those_of_the_command(result, folder, tmp_path):
    assert (folder.parent / "printed").read_text() == f"{result.text}\n"
    result.write(tmp_path / "mine")
    for name in ("estimates", "curves", "items", "annotators"):
        ours, its = (one / f"{name}.csv" for one in (tmp_path / "mine", folder))
        assert ours.read_bytes() == its.read_bytes()
    pd.testing.assert_frame_equal(result.table, pd.read_parquet(folder / "estimates.parquet"))


def test_answers_are_those_of_the_command(result, folder):
    told = json.loads((folder / "study.json").read_text())["answers"]
    assert [*result.answers] == [*map(answer_of, told)]
    auc = next(one for one in told if (one["metric"], one["model"]) == ("AUC", "large"))
    assert result["AUC", "large"].interval == (auc["lower"], auc["upper"])
    assert result["AUC", "large", "all"].estimate == auc["estimate"]
    assert [one.of.model for one in result["AUC"]] == ["large", "small"]
    assert result["delta_AUC"].only.of.who == "large - small"
    assert {one.of.metric for one in result["recall"]} == {"recall@0.7", "recall@0.5"}


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("AUX", "no metric 'AUX'"),
        (("AUC", "larg"), "did you mean 'large'"),
        (("AUC", "large", "en"), "no stratum 'en'"),
    ],
)
def test_a_key_that_names_nothing_is_refused(result, key, said):
    with pytest.raises(InputError, match=said):
        result[key]


def test_the_interval_of_several_is_refused(result):
    with pytest.raises(InputError, match="found 2 answers"):
        result["AUC"].interval  # noqa: B018


def test_the_report_is_that_of_the_command(result, tmp_path):
    page = result.report(tmp_path / "report.html")
    result.write(tmp_path / "mine")
    assert main(["report", str(tmp_path / "mine")]) == 0
    assert page.read_bytes() == (tmp_path / "mine/report.html").read_bytes()
    assert write_page("again", page) == page
    with pytest.raises(InputError, match="was not written by"):
        write_page("again", page)


def test_a_metric_is_drawn(result):
    assert "Ranking (AUC)" in result.plot()._repr_html_()
    assert result.plot("delta_AUC").title.endswith("difference")
    with pytest.raises(InputError, match="did you mean 'prevalence'"):
        result.plot("prevalense")


def test_a_check_is_that_of_the_command(study, capsys):
    capsys.readouterr()
    assert main(["check", *map(str, FILES), "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    verdicts = cg.check(study).verdicts
    assert [(one.method, one.verdict, one.why) for one in verdicts] == [
        (one["method"], one["verdict"], one["why"]) for one in said["verdicts"]
    ]


def test_a_plan_is_that_of_the_command(capsys):
    found = cg.plan(**GUESSES)
    options = [text for name, value in GUESSES.items() for text in (f"--{name}", str(value))]
    assert main(["plan", *options]) == 0
    assert capsys.readouterr().out == f"{found}\n"
    for several in ([1, 3], (1, 3)):
        assert cg.plan(**{**GUESSES, "votes": several}).text == found.text
    assert cg.plan(**{**GUESSES, "votes": 3}).text == cg.plan(**{**GUESSES, "votes": "3"}).text


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"prevalence": "x"}, "prevalence: found 'x', expected a number"),
        ({"width": "a"}, "width: found 'a', expected a number"),
        ({"items": 10.5}, "items: found 10.5, expected a whole number"),
        ({"votes": 0}, "votes: found '0', expected whole numbers"),
        ({"votes": {"1": 1}}, "votes: found {'1': 1}, expected a text"),
        ({"more": "yes"}, "more: found 'yes', expected True or False"),
        ({"command": "evaluate"}, "no option 'command'"),
        ({"widht": 0.1}, "no option 'widht'; did you mean 'width'"),
        ({"prevalence": None}, "expected pilot FILES, or guesses: prevalence not given"),
        ({"vote_correlation": 2}, "vote_correlation: found 2"),
    ],
    ids=str,
)
def test_an_option_that_cannot_be_used_is_refused_as_python_names_it(options, said):
    with pytest.raises(InputError, match=f"^{re.escape(said)}"):
        cg.plan(**{**GUESSES, **options})


def test_a_single_method_or_metric_is_its_name(study):
    found = cg.evaluate(study, methods="GT", metrics="prevalence", thresholds="large=0.7", cores=1)
    assert set(found.table["method"]) == {"GT"}
    assert {one.of.metric for one in found.answers} == {"prevalence"}


def test_draws_are_by_chain(study):
    found = cg.fit("CLARA", study, seed=3, settings=QUICK)
    confusion = found.draws["confusion"]
    assert confusion.dims[:2] == ("chain", "draw")
    assert confusion.sizes["chain"] == 2
    first = found.labels.confusion[: confusion.sizes["draw"]]
    np.testing.assert_array_equal(confusion.sel(chain=0), first)
    assert not cg.fit("logistic-R", study).draws


def test_a_parameter_of_predictors_is_one_variable():
    draws = np.arange(6.0)
    found = as_dataset({"phi": draws, "mu:A": draws, "mu:B": 2 * draws}, 2)
    np.testing.assert_array_equal(found["phi"], [[0, 1, 2], [3, 4, 5]])
    np.testing.assert_array_equal(found["mu"].sel(predictor="B", chain=1), [6, 8, 10])
    assert as_dataset({"phi": draws}, 4)["phi"].sizes == {"chain": 1, "draw": 6}


def test_a_method_of_annotators_says_that_it_needs_them(study):
    counted = items_from_frame(study.items.to_frame(), np.random.default_rng(1), "x.csv")
    for one in (counted, Study(counted)):
        with pytest.raises(InputError, match="CLARA needs to know who gave each vote"):
            cg.fit("CLARA", one)


def test_every_object_fits_on_a_screen(study, result):
    hostile = "<script>\x1b[2J"
    names = [hostile, *(f"model {place}" for place in range(300))]
    table = pd.DataFrame(
        {"item": range(50), "votes_positive": 1, "votes_total": 2, "gold": np.arange(50) % 2}
        | {f"score_{name}": np.linspace(0, 1, 50) for name in names}
    )
    wide = items_from_frame(table, np.random.default_rng(1), "wide.csv")
    fitted = cg.fit("logistic-R", study)
    many = tuple(Note("as_gold", {"file": f"{n} of {hostile}"}) for n in range(300))
    notes = Study(wide, notes=many)
    for one in (wide, notes, study, study.items, study.annotations, cg.check(study), fitted):
        lines = repr(one).splitlines()
        assert len(lines) <= MOST_LINES + 1
        assert max(map(len, lines)) <= 80
        assert one._repr_html_().count("<tr>") == len(one.facts())
    assert len(repr(result).splitlines()) <= MOST_LINES + 1
    check = cg.check(study)
    assert len(repr(check).splitlines()) <= 25
    assert "logistic-R" in repr(check)
    for one in (result.evaluation, check.judges, result.plot()):
        lines = repr(one).splitlines()
        assert len(lines) <= 25
        assert max(map(len, lines)) <= 80
    assert "<td>large</td>" in result._repr_html_()
    for shown in (repr(notes), notes._repr_html_()):
        assert "\x1b" not in shown
    assert "<script>" not in notes._repr_html_()
