"""The table of pages names what there is: templates, experiments, figures, modules, claims."""

import importlib.util
import re
from types import SimpleNamespace

import pytest

from crowdgold.claims.claims import claims_file, read_claims
from crowdgold.claims.pages import Pages
from crowdgold.experiment.configuration import load
from crowdgold.experiment.wiring import Drawn, Jobs

from .conftest import ROOT
from .test_configuration import BASE

SECTION, CALL, JOINED = r'claims\((?:"(\w+)")?', r"claims\(([^)]*)\)", r"(\w+)="
"""How a template asks for claims: of a section, or with tables that it joins."""
CONFIG = {**BASE, "published": {}}
PAGES = Pages(Drawn(Jobs(CONFIG, ROOT), print, lambda dataset: ""), ROOT / "config/pages.yaml")


@pytest.mark.parametrize("name", list(PAGES))
def test_what_a_page_names_is_there(name):
    asked, page = SimpleNamespace(page=name), PAGES.pages[name]
    assert (ROOT / f"docs/templates/{name}.md.jinja").is_file()
    assert (ROOT / f"docs/{name}.md").is_file()
    keys = "tables available files config modules claims told pictures"
    assert set(page) <= set(keys.split())
    named = [*page.get("tables", []), *page.get("available", [])]
    known = {"stableval_posteriors", "stableval_bootstrap", *BASE["experiments"]}
    assert {one for one in named if "/" not in one} <= known
    PAGES.options(asked)
    for found in PAGES.files(asked).values():
        for path in [found] if isinstance(found, str) else found:
            assert (ROOT / path).is_file() or path.startswith(("<results>/", "results/"))
    for module in PAGES.modules(asked):
        assert importlib.util.find_spec(module)


def test_no_template_is_left_over():
    found = (ROOT / "docs/templates").glob("*.jinja")
    assert {path.name.removesuffix(".md.jinja") for path in found} == set(PAGES)


@pytest.mark.parametrize("name", [name for name in PAGES if "claims" in PAGES.pages[name]])
def test_claims_can_be_read_and_need_tables_of_their_page(name):
    asked, page = SimpleNamespace(page=name), PAGES.pages[name]
    # Claims of our own studies are about bars, not about printed numbers.
    file = page.get("files", {}).get("printed")
    printed = {**(load(ROOT / file) if file else {}), **PAGES.options(asked)}
    # A row is read by itself.
    assert "see above" not in claims_file(page["claims"]).read_text(encoding="utf-8")
    text = (ROOT / f"docs/templates/{name}.md.jinja").read_text()
    # A table that the template joins has the name that it gives it.
    joined = [name for call in re.findall(CALL, text) for name in re.findall(JOINED, call)]
    named = [*page.get("tables", []), *page.get("available", []), *joined]
    tables = {path.rpartition("/")[2].partition(".")[0] for path in named}
    sections = re.findall(SECTION, text)
    assert sections
    for section in sections:
        claims = read_claims(page["claims"], printed, section)
        assert claims
        for claim in claims:
            assert set(claim.needs) <= tables, claim.printed
