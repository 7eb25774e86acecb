"""The how-to pages: their templates, filled anew, give what they say."""

import re
from pathlib import Path

import pytest

from crowdgold.commands import main
from crowdgold.documents.how_to import make_page, write_files
from crowdgold.simulate.how_to import ANNOTATORS, draw_studies

PAGES = Path(__file__).resolve().parents[2] / "docs/how-to"
TEMPLATES = sorted((PAGES / "templates").glob("*.md"))
FITTED = ("no-gold", "several-models")
"""Their numbers are draws, which are others on another machine: they are made by the rule alone."""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studies")
    write_files(draw_studies(), folder)
    return folder


def test_every_page_has_a_template():
    assert [one.name for one in TEMPLATES] == sorted(one.name for one in PAGES.glob("*.md"))
    assert set(FITTED) < {one.stem for one in TEMPLATES}


@pytest.mark.parametrize("name", [one.stem for one in TEMPLATES if one.stem not in FITTED])
def test_a_page_says_what_is_printed(name, files):
    template = (PAGES / f"templates/{name}.md").read_text(encoding="utf-8")
    page = make_page(template, files, main)
    assert page == (PAGES / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", FITTED)
def test_a_page_of_fits_says_what_its_template_says(name):
    """Its own words stand there in order; what is printed between them is not looked at."""
    template = (PAGES / f"templates/{name}.md").read_text(encoding="utf-8")
    page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
    words = [part for part in re.split(r"```(?:data|output)[^`]*```", template) if part.strip()]
    places = [page.find(part.strip()) for part in words]
    assert -1 not in places
    assert places == sorted(places)
    assert page.count("```") == template.count("```")


def test_a_template_that_names_what_is_not_printed_is_refused(files):
    template = "```sh\ncrowdgold check counts.csv --column yes=votes_positive"
    template += " --column raters=votes_total\n```\n\n```output\nnonsense\n```\n"
    with pytest.raises(ValueError, match="nothing that is printed begins with 'nonsense'"):
        make_page(template, files, main)


def test_the_studies_hold_what_the_pages_are_about():
    tables = draw_studies()
    assert tables["votes"]["worker"].nunique() == ANNOTATORS
    assert set(tables["unequal"]["votes_total"]) == {2, 5}
    assert tables["experts"].groupby("item")["label"].nunique().max() == 2
