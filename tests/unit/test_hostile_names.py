"""Names that could be formulas, markup, mathematics or paths: shown as they are, and never run."""

import json
import re
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest

from crowdgold.cli import main
from crowdgold.reading.outputs import neutralised, restored, write_spreadsheet
from crowdgold.reading.study import read_study
from crowdgold.reading.tables import read_items, write_items
from crowdgold.types.notes import texts

FORMULAS = [
    "=1+1", "+cmd", "-2+3", "@SUM(A1)", "\tx", "\r=x", "\n=x", "=a\r=b", "\uff1dx",
    '=HYPERLINK("http://x","y")',
]  # fmt: skip
HARMLESS = ["", "a=b", "-0.5", "+3", "-1e-5", "-.5", "a'=", "'", "'a", " =x", "–x"]


def as_text(table, tmp_path):
    write_spreadsheet(table, tmp_path / "t.csv")
    return pd.read_csv(tmp_path / "t.csv", dtype=str, keep_default_na=False)


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_is_marked_as_text_and_read_back(tmp_path, text):
    table = pd.DataFrame({"item": [text, "plain", f"'{text}", f"''{text}"], text: [1, 2, 3, 4]})
    found = as_text(table, tmp_path)
    assert found["item"].tolist() == [f"'{text}", "plain", f"''{text}", f"'''{text}"]
    assert found.columns.tolist() == ["item", f"'{text}"]
    again, changed = restored(found)
    assert again["item"].tolist() == table["item"].tolist()
    assert again.columns.tolist() == table.columns.tolist()
    assert changed == ["item"]


def test_numbers_and_harmless_texts_stay(tmp_path):
    table = pd.DataFrame(
        {
            "text": [*HARMLESS, None],
            "number": np.linspace(-0.5, 2, len(HARMLESS) + 1),
            "mixed": pd.Series([-0.5, "-x", *range(len(HARMLESS) - 1)], dtype=object),
        }
    )
    assert neutralised(table)["text"].tolist()[:-1] == HARMLESS
    pd.testing.assert_series_equal(neutralised(table)["number"], table["number"])
    assert neutralised(table)["mixed"].tolist()[:2] == [-0.5, "'-x"]
    found = as_text(table, tmp_path)
    assert found["number"].iloc[0] == "-0.5"
    assert found["text"].tolist() == [*HARMLESS, ""]
    assert restored(found)[0]["text"].tolist() == [*HARMLESS, ""]


def test_a_column_in_which_a_formula_stands_bare_is_left_as_it_is():
    table = pd.DataFrame({"item": ["=x", "'=x"]})
    again, changed = restored(table)
    assert again["item"].tolist() == ["=x", "'=x"]
    assert changed == []


def test_items_are_written_and_read_again_with_their_names(tmp_path):
    frame = pd.DataFrame(
        {"item": FORMULAS[:4], "votes_positive": [0, 1, 2, 3], "votes_total": 3,
         "score_=m": [-0.5, 0.25, 0.5, 1.0]}
    )  # fmt: skip
    frame.to_csv(tmp_path / "own.csv", index=False)
    items = read_items(tmp_path / "own.csv")
    write_items(items, tmp_path / "again.csv")
    assert "\n'=1+1," in (tmp_path / "again.csv").read_text()
    again = read_items(tmp_path / "again.csv")
    assert again.item.tolist() == items.item.tolist() == FORMULAS[:4]
    assert again.predictors == items.predictors
    np.testing.assert_array_equal(again.scores["=m"], items.scores["=m"])


MARKUP = "</title></svg>--><script>alert(1)</script>"
MODELS = ("$x^$", f'=m{MARKUP}"><img src=x onerror=alert(2)>')
ANNOTATORS = ("=a()", "@<script>alert(3)</script>", "$_")
STRATA = ("=cmd|' /C calc'!A0", "<b>&amp;")


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """A study of 60 items whose names are hostile, evaluated by cheap methods, and its report."""
    folder = tmp_path_factory.mktemp("hostile")
    rng = np.random.default_rng(3)
    n = 60
    item = [f"=i({k})" if k % 2 else f"<i onclick='x{k}'>" for k in range(n)]
    truth = rng.random(n) < 0.4
    scores = {f"score_{name}": np.round(rng.normal(truth), 3) for name in MODELS}
    name = "=study $(touch ran) `touch ran`.csv"
    votes = pd.DataFrame(
        [{"item": one, "annotator": who, "label": int(real ^ (rng.random() < 0.2))}
         for one, real in zip(item, truth, strict=True) for who in ANNOTATORS]
    )  # fmt: skip
    gold = pd.DataFrame({"item": item, "gold": truth.astype(int)}).sample(30, random_state=1)
    strata = np.array(STRATA)[np.arange(n) % 2]
    votes.to_csv(folder / name, index=False)
    gold.to_csv(folder / "gold.csv", index=False)
    pd.DataFrame({"item": item, "stratum": strata, **scores}).to_csv(
        folder / "scores.csv", index=False
    )
    files = [str(folder / one) for one in (name, "gold.csv", "scores.csv")]
    methods = ["--methods", "GT", "CLARA", "--metrics", "prevalence", "AUC"]
    assert main(["evaluate", *files, "--out", str(folder / "=out"), "--cores", "1", *methods]) == 0
    assert main(["report", str(folder / "=out")]) == 0
    return folder / "=out", item


class Tags(HTMLParser):
    """What a browser would see of a page: tags, attributes, and the text."""

    def __init__(self):
        super().__init__()
        self.tags, self.attributes, self.text = set(), set(), []

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)

    def handle_data(self, data):
        self.text.append(data)


def test_the_report_shows_hostile_names_and_runs_none(hostile):
    folder, _ = hostile
    page = (folder / "report.html").read_text(encoding="utf-8")
    seen = Tags()
    seen.feed(page)
    assert not seen.tags & {"script", "img", "iframe", "object", "embed", "i", "b"}
    assert not any(name.startswith("on") for name in seen.attributes)
    text = "".join(seen.text)
    for name in (*MODELS, *STRATA, *ANNOTATORS):
        assert name in text
    assert "alert(1)" not in re.sub(r"&lt;script&gt;alert\(1\)", "", page)
    # Within drawings too: titles and descriptions for those who cannot see them.
    assert page.count("<svg") == page.count("</svg>") > 3
    assert (folder / "figures.pdf").stat().st_size > 1000
    assert not list(folder.parent.rglob("ran"))


def test_its_tables_hold_no_formula_and_its_readers_give_the_names_back(hostile):
    folder, item = hostile
    for path in folder.glob("*.csv"):
        table = pd.read_csv(path, dtype=str, keep_default_na=False)
        for column in table:
            number = pd.to_numeric(table[column], errors="coerce").notna()
            assert not table[column][~number].str.match(r"[=+\-@\t\r]").any(), (path, column)
    summary = json.loads((folder / "study.json").read_text())
    assert summary["models"] == list(MODELS)
    study = read_study([folder / "items.csv"], {"CLARA": "ignore"})
    assert sorted(study.items.item) == sorted(item)
    assert "items.csv, item: an apostrophe before" in texts(study.notes)


CONTROLS = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e\u2066\x7f"
"""A terminal's title, an empty screen, red by one character, text backwards."""


def obeyed(text):
    """The characters of a text that a terminal would obey."""
    return sorted({one for one in text if one in CONTROLS and not one.isprintable()})


@pytest.fixture
def controlling(tmp_path, monkeypatch):
    """Files of a study whose names, and those in them, hold control characters."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    n = 40
    truth = rng.random(n) < 0.5
    item = [f"i{k}{CONTROLS}" for k in range(n)]
    table = pd.DataFrame({
        "item": item, "votes_positive": 3 * truth, "votes_total": 3,
        "gold": truth.astype(int), f"score_m{CONTROLS}": rng.normal(truth).round(3),
        "stratum": [f"s{CONTROLS}{k % 2}" for k in range(n)],
    })  # fmt: skip
    table.to_csv(f"study{CONTROLS}.csv", index=False)
    table.assign(gold=f"no{CONTROLS}").to_csv(f"bad{CONTROLS}.csv", index=False)
    (tmp_path / "study.yaml").write_text(
        json.dumps({"files": f"study{CONTROLS}.csv", "methods": [f"m{CONTROLS}"]})
    )
    return f"study{CONTROLS}.csv"


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (["check", "{}"], 0),
        (["check", "{}", "--json"], 0),
        (["evaluate", "{}", "--out", "mine", "--no-models"], 0),
        (["check", f"bad{CONTROLS}.csv"], 2),
        (["check", f"gone{CONTROLS}.csv"], 2),
        (["evaluate", "study.yaml", "--out", "mine"], 2),
        (["trace", f"gone{CONTROLS}.svg"], 2),
        ([f"no{CONTROLS}"], 2),
    ],
)
def test_no_name_commands_the_terminal(controlling, capsys, line, code):
    try:
        found = main([part.replace("{}", controlling) for part in line])
    except SystemExit as ended:  # of the parser
        found = ended.code
    told = capsys.readouterr()
    assert found == code, told.err
    assert obeyed(told.out + told.err) == []
    assert "owned" in told.out + told.err  # the name is there, written out


def test_rows_are_as_they_are_for_a_program_and_visible_on_a_terminal(monkeypatch, capsys):
    from crowdgold.cli.terminal import Rows

    Rows().write(CONTROLS)
    assert capsys.readouterr().out == CONTROLS
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    Rows().write(CONTROLS)
    assert obeyed(capsys.readouterr().out) == []
