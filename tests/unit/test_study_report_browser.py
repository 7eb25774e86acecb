"""The report in a browser, on a telephone, a screen and paper. Needs Chromium."""

import re

import pytest

from crowdgold.presentation.page import write_study_report
from unit.chromium import PROGRAM, Chromium
from unit.made_study import HOSTILE, make_study

pytestmark = pytest.mark.skipif(
    not PROGRAM, reason="no chromium here to look at the report with (Debian: apt install chromium)"
)

TELEPHONE, SCREEN = 390, 1280
WIDTHS = (390, 400, 1280)
PAPER = (680, 1009)
"""Width and height of A4 within the margins, in pixels."""
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
FIGURES = """
[...document.querySelectorAll('figure svg')].map(svg => {
  const box = svg.getBoundingClientRect();
  const style = getComputedStyle(svg);
  return {width: box.width, height: box.height, right: box.right, parts: svg.querySelectorAll(
    'path, use').length, hidden: style.visibility !== 'visible' || style.display === 'none',
    whole: svg.closest('figure').getBoundingClientRect().height};
})
"""
CONTRAST = """
(selector => {
  const light = text => text.match(/[0-9.]+/g).slice(0, 3).map(v => v / 255).map(
    v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4).reduce(
    (sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
  const one = document.querySelector(selector);
  let behind = one;
  while (getComputedStyle(behind).backgroundColor === 'rgba(0, 0, 0, 0)')
    behind = behind.parentElement;
  const both = [getComputedStyle(one).color, getComputedStyle(behind).backgroundColor].map(light);
  return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
})"""
TEXTS = (
    "body", ".details", ".verdict", ".lead", ".sentence", "figcaption", "caption", "td.weak",
    "nav a",
)  # fmt: skip
READABLE = 4.5
"""Contrast of text that WCAG asks for."""


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = make_study(
        tmp_path_factory.mktemp("study"), models=(HOSTILE, "x" * 90), annotator=HOSTILE,
        metrics=("AUC",), strata=(f"stratum={'w' * 80}",),
    )  # fmt: skip
    return write_study_report(folder)[0]


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    browser = Chromium(tmp_path_factory.mktemp("profile"))
    yield browser
    browser.close()


@pytest.mark.parametrize("width", [TELEPHONE, SCREEN])
def test_it_loads_without_an_error_and_fits_with_all_figures_visible(browser, page, width):
    browser.open(page, width)
    assert browser.errors() == []
    assert browser.requests() == [page.resolve().as_uri()]
    assert not [name for name, _ in browser.events if name == "Page.javascriptDialogOpening"]
    assert browser.value("document.querySelectorAll('script').length") == 0
    assert browser.value("innerWidth") == width
    assert browser.value(OVERFLOW) == 0
    figures = browser.value(FIGURES)
    assert len(figures) > 10
    for one in figures:
        assert not one["hidden"]
        assert one["width"] > 250
        assert one["height"] > 60
        assert one["right"] <= width
        assert one["parts"] > 20
    assert HOSTILE in browser.value("document.body.innerText")


def test_what_would_be_wrong_is_found(browser, page):
    browser.open(page, TELEPHONE)
    browser.value("document.body.insertAdjacentHTML('beforeend', '<div id=wide></div>')")
    browser.value("document.getElementById('wide').style.cssText = 'width:500px;height:1px'")
    assert browser.value(OVERFLOW) > 0
    browser.value("console.error('x')")
    assert len(browser.errors()) == 1
    assert browser.value(f"{CONTRAST}('#wide')") > READABLE
    browser.value("document.getElementById('wide').style.color = '#eee'")
    assert browser.value(f"{CONTRAST}('#wide')") < READABLE


@pytest.fixture(scope="module")
def page_of_six(tmp_path_factory):
    models = tuple(f"model {name} of June" for name in "abcdef")
    return write_study_report(make_study(tmp_path_factory.mktemp("six"), models=models))[0]


BEYOND = """
[...document.querySelectorAll('.scroll, .scroll *')].map(
  one => Math.max(one.scrollWidth - one.clientWidth * (getComputedStyle(one).display !== 'inline'),
    one.getBoundingClientRect().right - one.closest('.scroll').getBoundingClientRect().right))
"""


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("which", ["page", "page_of_six"])
def test_no_table_is_wider_than_its_frame(browser, which, width, request):
    """Nor are its cells and its caption, whatever the names: nothing has to be pushed aside."""
    browser.open(request.getfixturevalue(which), width)
    tables = "document.querySelectorAll('table').length"
    assert browser.value(tables) == browser.value(tables.replace("table", ".scroll table")) > 5
    assert max(browser.value(BEYOND)) <= 0
    assert browser.value(OVERFLOW) == 0
    browser.value("document.querySelector('caption').style.whiteSpace = 'nowrap'")
    assert max(browser.value(BEYOND)) > 50


@pytest.mark.parametrize(("width", "shown"), [(400, "block"), (1280, "table-cell")])
def test_on_a_telephone_a_cell_stands_below_the_last_and_says_its_column(
    browser, page_of_six, width, shown
):
    browser.open(page_of_six, width)
    cell = "document.querySelector('#answer > .scroll td')"
    assert browser.value(f"getComputedStyle({cell}).display") == shown
    head = browser.value(f"getComputedStyle({cell}, '::before').content")
    assert ("of" in head) == (shown == "block")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_light_and_dark(browser, page, scheme):
    browser.open(page, SCREEN, scheme=scheme)
    contrasts = {text: browser.value(f"{CONTRAST}('{text}')") for text in TEXTS}
    assert min(contrasts.values()) >= READABLE, contrasts
    dark = browser.value("getComputedStyle(document.body).backgroundColor") != "rgb(255, 255, 255)"
    assert dark == (scheme == "dark")


def test_it_prints_with_no_figure_cut(browser, page):
    browser.open(page, PAPER[0])
    figures = len(browser.value(FIGURES))
    printed = browser.printed()
    assert printed.startswith(b"%PDF")
    assert len(re.findall(rb"/Type\s*/Page\b", printed)) >= figures / 6
    browser.ask("Emulation.setEmulatedMedia", media="print")
    avoided = (
        "[...document.querySelectorAll('figure')].map(one => getComputedStyle(one).breakInside)"
    )
    assert set(browser.value(avoided)) == {"avoid"}
    assert max(one["whole"] for one in browser.value(FIGURES)) < PAPER[1]
    assert browser.value(OVERFLOW) == 0


@pytest.mark.parametrize("width", [TELEPHONE, SCREEN])
def test_a_figure_fills_the_window_and_goes_back_by_links(browser, page, width):
    """Links alone, so that a keyboard is enough; nothing is scripted."""
    browser.open(page, width)
    before = browser.value("document.querySelector('figure').getBoundingClientRect().width")
    browser.value("document.querySelector('figure .larger').click()")
    figure = "document.querySelector('figure').getBoundingClientRect()"
    box = f"(box => [box.x, box.y, box.width])({figure})"
    x, y, after = browser.value(box)
    assert (x, y) == (0, 0)
    assert width - 20 <= after <= width
    assert after > before
    assert browser.value("document.querySelector('figure .smaller').offsetWidth") > 0
    browser.value("document.querySelector('figure .smaller').click()")
    assert browser.value(box)[2] == before
