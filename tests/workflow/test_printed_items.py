"""The list of the papers' figures and tables: none is left out, and what each names is there."""

import re

import pandas as pd
import pytest

from crowdgold.claims import printed_items as printed
from crowdgold.experiment.configuration import load

from .conftest import ROOT
from .test_configuration import BASE

LIST = load(ROOT / "src/crowdgold/papers/printed_items.yaml")
PAGES = load(ROOT / "config/pages.yaml")
ITEMS = [(paper, item) for paper, items in LIST["papers"].items() for item in items]
LAST = {
    "MAVEN": {"Figure": 7, "Table": 3}, "CLARA": {"Figure": 12, "Table": 2},
    "STABLEVAL": {"Figure": 17, "Table": 29}, "Judge error": {},
    "HLV": {"Figure": 5, "Table": 6, "Table B.": 1, "Figure C.": 2},
}  # fmt: skip
"""The last number of each series that a paper prints."""
NO_NUMBERS = {"a drawing", "words"}


def series(items):
    """The numbers of each series, in their order; of a table of two parts, once."""
    found = {}
    for item in items:
        if parts := re.fullmatch(r"((?:Figure|Table) (?:[A-Z]\.)?)(\d+)([a-z]?)", item["number"]):
            name, number, part = parts.groups()
            own = found.setdefault(name.strip(), [])
            if part in ("", "a"):
                own.append(int(number))
            else:  # b stands after a
                assert own[-1] == int(number)
    return found


@pytest.mark.parametrize("paper", LAST)
def test_every_published_number_is_there_once_and_in_order(paper):
    found = series(LIST["papers"][paper])
    assert found == {name: list(range(1, last + 1)) for name, last in LAST[paper].items()}


@pytest.mark.parametrize(("paper", "item"), ITEMS)
def test_a_row_names_what_there_is_or_says_why_there_is_nothing(paper, item):
    if "nothing" in item:
        assert item["nothing"] in NO_NUMBERS
        assert set(item) == {"number", "shows", "nothing"}
        return
    assert set(item) <= {"number", "shows", "figures", "blocks", "page", "claims", "needs"}
    assert item.get("figures") or item.get("page")
    assert {BASE["figures"][one]["paper"] for one in item.get("figures", [])} <= {paper}
    every = {key: value for key, value in item.items() if key != "blocks"}
    known = {*BASE["experiments"], *BASE["benchmarks"]} & {*printed.blocks_of(every, BASE)}
    assert set(printed.blocks_of(item, BASE)) <= known
    assert set(printed.pages_of(item)) <= set(PAGES["papers-figures"]["told"]) & set(PAGES)
    assert ("needs" in item) == ((paper, item["number"]) == ("MAVEN", "Table 3b"))


def test_every_figure_of_these_papers_is_in_a_row_or_is_our_own():
    listed = {paper: set() for paper in LIST["papers"]}
    for paper, item in ITEMS:
        listed[paper] |= set(item.get("figures", []))
    for paper, names in listed.items():
        own = LIST["beyond"].get(paper, [])
        assert not names & set(own)
        there = {name for name, figure in BASE["figures"].items() if figure["paper"] == paper}
        assert names | set(own) == there


@pytest.mark.parametrize(
    ("where", "kind", "numbers"),
    [
        ("Fig. 1, on product pairs", "Figure", "1"), ("Figs. 3 and 7", "Figure", "3 7"),
        ("Figs. 5 to 7, captions", "Figure", "5 6 7"), ("Fig. 7a, stand-in", "Figure", "7a"),
        ("Sections 4.1 and 5.3, table 5", "Table", "5"), ("Table B.1", "Table", "B.1"),
        ("Section 6.1.2", "", ""), ("ours", "", ""),
    ],
)  # fmt: skip
def test_places_name_their_figures_and_tables(where, kind, numbers):
    named = {(kind, number) for number in numbers.split()}
    assert printed.numbers_named(where) == named


def verdicts(*rows):
    """Claims of a page, the paper's: place and verdict of each."""
    return pd.DataFrame(rows, columns=["place", "verdict"]).assign(ours=False)


CLAIMS = verdicts(
    ("Fig. 1", "holds"), ("Figs. 1 and 2", "does not hold"), ("Fig. 11", "holds"),
    ("Section 6", "not judged"), ("Section 7, fig. 12", "holds"),
    ("Section 7, fig. 13", "does not hold"),
)  # fmt: skip
PAGE = """# A page

## Table 1: sizes

2 of 3 cells as printed.

| row | ours | verdict |
| --- | --- | --- |
| a | 1 | same |
| b | 2 | same |
| c | 3 | differs: a slip |
| the baseline | 1 |  |

## Table 10 (rates)

On the published labels 3 of 4 cells have the printed digits; of ours none.

| row | ours |
| --- | --- |
| a | 1 |

## Table 3b, elsewhere

Not made here: its files have to be fetched first.
"""


@pytest.mark.parametrize(
    ("item", "found"),
    [
        ({"number": "Figure 1"}, ("holds: 1, does not hold: 1",)),
        ({"number": "Figure 2", "claims": ["Section 6"]}, ("does not hold: 1, not judged: 1",)),
        ({"number": "Figure 2", "claims": ["Fig"]}, ("does not hold: 1",)),
        ({"number": "Figure 12", "claims": ["Section 7"]}, ("holds: 1",)),
        ({"number": "Figure 3", "claims": ["Section 6"]}, (printed.NOT_MADE,)),
        ({"number": "Figure 4"}, ()),
        ({"number": "Table 1"}, ("cells: 2 same, 1 differs",)),
        ({"number": "Table 10"}, ("on the published labels 3 of 4 cells have the printed digits",)),
        ({"number": "Table 3b"}, (printed.NOT_MADE,)),
    ],
)
def test_verdicts_are_those_of_the_page(item, found):
    assert printed.verdicts_on(item, PAGE, CLAIMS) == found


def test_a_line_says_what_draws_it_from_how_much_and_what_came_out():
    config = {
        "figures": {"f": {"experiments": ["e"]}, "g": {"experiments": ["e"], "target": "hlv"}},
        "experiments": {"e": {"replicates": 7}},
    }
    item = {"number": "Figure 1", "shows": "x", "figures": ["f"], "page": "p"}
    judged = {"p": CLAIMS}
    own = printed.item_row(item, config, {"e": "paper"}, {"p": PAGE}, judged, replicates={"e": 5})
    # Replicates are those of the table, not of the configuration.
    assert {
        "drawn by": "`f`", "experiments and their replicates": "`e` (5)", "scale": "paper",
        "verdicts": "[holds: 1, does not hold: 1](p.md)",
    }.items() <= dict(zip(printed.HEADER, own, strict=True)).items()  # fmt: skip
    both = {**item, "page": ["p", "q", "empty"]}
    judged = {"p": CLAIMS, "q": verdicts(("Fig. 1", "not decided")), "empty": verdicts()}
    assert printed.item_row(both, config, {}, {"p": PAGE, "q": "", "empty": ""}, judged)[-1] == (
        "[holds: 1, does not hold: 1](p.md); [not decided: 1](q.md)"
    )
    other = {"number": "Figure 9", "shows": "x", "figures": ["g"]}
    assert printed.item_row(other, config, {"e": "default"}, {}, {})[-2:] == [
        "default, `make hlv`",
        "no claim",
    ]
    lacking = {"number": "Table 3b", "shows": "x", "page": "p", "needs": "the network"}
    made = printed.item_row(lacking, config, {"e": "paper"}, {"p": PAGE}, {"p": CLAIMS})[-2:]
    assert made == ["", "[not made: needs the network](p.md)"]


def test_a_paper_has_the_claims_of_all_its_pages_and_what_was_not_made_is_not_counted_as_made():
    made, none = {"number": "Figure 1", "page": "p"}, {"number": "Table 1", "nothing": "words"}
    claims = "[holds: 3, does not hold: 2, not judged: 1](p.md#what-holds)"
    told, judged = {"p": PAGE}, {"p": CLAIMS}
    assert printed.paper_rows({"one": [made, none]}, told, judged) == [
        ["one", "1 of 2 made", claims]
    ]
    lacking = {"number": "Table 3b", "page": "p", "needs": "the network"}
    papers = {"one": [made, lacking, none]}
    assert printed.paper_rows(papers, told, judged)[0][1] == "1 of 3 made"
    counts = {"": 1, "words": 1, "not made: needs the network": 1}
    assert printed.count_items(papers, told, judged) == counts


def test_claims_of_our_own_are_counted_apart():
    """Though one names a figure of the paper."""
    item = {"number": "Figure 1", "page": "p"}
    claims = verdicts(("Fig. 1", "holds"), ("on fig. 1", "does not hold"))
    claims["ours"] = [False, True]
    assert printed.verdicts_on(item, "", claims) == ("holds: 1",)
    (row,) = printed.paper_rows({"one": [item]}, {"p": ""}, {"p": claims})
    assert row[-1] == "[holds: 1](p.md#what-holds)"


def test_blocks_have_the_replicates_of_their_tables_or_were_not_made(tmp_path):
    pd.DataFrame({"replicate": [0, 0, 1, 2]}).to_parquet(tmp_path / "e.parquet")
    pd.DataFrame({"n": [1]}).to_parquet(tmp_path / "timed.parquet")
    scales = {"e": "paper", "timed": "default", "lost": "default"}
    found = printed.replicates_made(scales, tmp_path)
    assert found == {"e": 3}
    config = {"figures": {"f": {"experiments": ["e", "absent"], "benchmark": "timed"}},
              "experiments": {"e": {"replicates": 7}, "absent": {"replicates": 7}}}  # fmt: skip
    item = {"number": "Figure 9", "shows": "x", "figures": ["f"]}
    cells = printed.item_row(item, config, scales, {}, {}, replicates=found)
    row = dict(zip(printed.HEADER, cells, strict=True))
    assert row["experiments and their replicates"] == "`e` (3), `absent` (not made), `timed`"
    assert row["scale"] == "default, paper"
