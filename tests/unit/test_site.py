"""The documentation as a site (`make site`): what is on it, and how it looks in a browser.

It needs the packages of the extra docs; what looks at it needs Chromium too.
"""

import fcntl
import functools
import http.server
import importlib.util
import os
import re
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from crowdgold import __all__ as facade
from crowdgold.cli import COMMANDS
from unit.chromium import PROGRAM, Chromium

pytestmark = pytest.mark.skipif(
    not importlib.util.find_spec("furo"), reason="no Sphinx here to make the site with (make site)"
)
needs_chromium = pytest.mark.skipif(
    not PROGRAM, reason="no chromium here to look at the site with (Debian: apt install chromium)"
)

ROOT = Path(__file__).resolve().parents[2]
TELEPHONE, SCREEN = 390, 1280
OVERFLOW = """
Math.max(...[document.documentElement, document.querySelector('.content')].map(
  one => one.scrollWidth - one.clientWidth))
"""
"""On a telephone the theme lets the text scroll by itself, in the place of the page."""
BROKEN = "[...document.images].filter(one => one.complete && !one.naturalWidth).map(one => one.src)"
FOUND = "[...document.querySelectorAll('#search-results li > a')].map(one => one.href)"
NONE = "document.querySelector('#search-results .search-summary')?.innerText.includes('did not')"


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    """The site as `make site` makes it, by the worker that needs it first; warnings are errors."""
    shared = tmp_path_factory.getbasetemp()
    shared = shared.parent if "PYTEST_XDIST_WORKER" in os.environ else shared
    command = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", "docs/site", "."]
    with (shared / "site.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (shared / "site").is_dir():
            made = [*command, shared / "site.partial"]
            done = subprocess.run(made, cwd=ROOT, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            (shared / "site.partial").rename(shared / "site")
    return shared / "site"


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    browser = Chromium(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


@pytest.fixture(scope="module")
def address(site):
    """Where the site is served: a browser gives scripts of a file no other file."""
    handler = functools.partial(Quiet, directory=site)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *said):
        """Say nothing of requests."""


def pages(site):
    """All but the one that leads to the first."""
    return [path for path in sorted(site.rglob("*.html")) if path != site / "index.html"]


def anchors(path):
    return set(re.findall(r' id="([^"]+)"', path.read_text(encoding="utf-8")))


def test_every_page_is_there_and_no_template(site):
    made = {str(path.relative_to(site).with_suffix("")) for path in pages(site)}
    sources = {*ROOT.glob("docs/*.md"), *ROOT.glob("docs/how-to/*.md")}
    sources |= {*ROOT.glob("docs/tutorials/*.md"), *ROOT.glob("docs/site/**/*.rst")}
    wanted = {str(path.relative_to(ROOT).with_suffix("")) for path in sources}
    wanted |= {"README", "CHANGELOG", "config/README", "search"}
    assert wanted <= made
    assert not [name for name in made if "template" in name]
    assert (site / "index.html").is_file()


def test_every_picture_of_the_gallery_is_there_with_its_caption(site):
    names = {path.stem for path in ROOT.glob("docs/gallery/*.svg")}
    galleries = list((site / "docs/site/gallery").glob("*.html"))
    assert {name.replace("_", "-") for name in names} <= set.union(*map(anchors, galleries))
    assert names <= {path.stem for path in (site / "_images").iterdir()}
    text = "".join(path.read_text(encoding="utf-8") for path in galleries)
    assert "{{" not in text
    assert "same data for every method" in re.sub(r"\s+", " ", text)


def test_commands_and_functions_are_listed_by_name(site):
    commands = anchors(site / "docs/site/commands.html")
    assert {f"crowdgold-{name}" for name in COMMANDS} <= commands
    assert "crowdgold-evaluate---no-models" in commands
    study = anchors(site / "docs/site/python/study.html")
    assert {f"crowdgold.{name}" for name in facade} <= study
    assert "crowdgold.presentation.result.Result.plot" in study


def test_a_link_to_a_picture_leads_to_it_in_the_gallery(site):
    text = (site / "docs/figures.html").read_text(encoding="utf-8")
    assert 'href="site/gallery/maven.html#maven-fig4"' in text
    assert "gallery/maven_fig4.svg" not in text


@needs_chromium
@pytest.mark.slow
def test_no_page_scrolls_sideways_on_a_telephone(browser, site):
    """Nor does one lack a picture, fetch anything from elsewhere, or fail."""
    for path in pages(site):
        browser.open(path, TELEPHONE)
        assert browser.value(OVERFLOW) == 0, path
        assert browser.value(BROKEN) == [], path
        assert browser.errors() == [], path
        own = ("data:", site.resolve().as_uri())
        assert [one for one in browser.requests() if not one.startswith(own)] == [], path


@needs_chromium
def test_what_would_be_too_wide_is_found(browser, site):
    browser.open(site / "README.html", TELEPHONE)
    wide = "<div style='width: 500px; height: 1px'></div>"
    browser.value(f'document.querySelector("article").insertAdjacentHTML("beforeend", "{wide}")')
    assert browser.value(OVERFLOW) > 0
    browser.value("document.body.insertAdjacentHTML('beforeend', '<img src=nothing.svg>')")
    for _ in range(50):
        if broken := browser.value(BROKEN):
            break
        time.sleep(0.1)
    assert len(broken) == 1


@needs_chromium
@pytest.mark.parametrize("width", [TELEPHONE, SCREEN])
def test_a_figure_opens_large_and_closes(browser, site, width):
    """Larger than on the page, and as wide as the window or 60rem; Escape and a click close it."""
    browser.open(site / "docs/site/gallery/maven.html", width)
    box = "getBoundingClientRect().width"
    before = browser.value(f"document.querySelector('article a > img').{box}")
    browser.value("document.querySelector('article a > img').click()")
    after = browser.value(f"document.querySelector('dialog[open] img').{box}")
    assert after > 1.2 * before
    assert after >= max(width - 20, 900)
    browser.value("document.querySelector('dialog button').click()")
    assert browser.value("document.querySelector('dialog[open]')") is None
    link = browser.value("document.querySelector('article a:has(> img)').getAttribute('href')")
    assert (site / "docs/site/gallery" / link).is_file()


def searched(browser, address, term):
    """The pages that a search leads to, once it has ended."""
    browser.open(f"{address}/search.html?q={term}", SCREEN)
    for _ in range(100):
        if (found := browser.value(FOUND)) or browser.value(NONE):
            return found
        time.sleep(0.1)
    raise AssertionError(f"the search for {term} has not ended")


@needs_chromium
def test_search_finds_a_page_and_nothing_where_nothing_is(browser, address):
    found = searched(browser, address, "Reiczigel")
    assert any("/docs/how-to/correct-a-rate.html" in one for one in found)
    found = searched(browser, address, "labels_by_judge")
    assert any("/docs/site/python/study.html#crowdgold." in one for one in found)
    assert searched(browser, address, "zyzzyva") == []
