"""The captions of MAVEN's figures say where the run differs from the paper's."""

import re

import pytest

from crowdgold.experiment.published import scale_note

from .conftest import ROOT
from .conftest import caption as rendered
from .test_configuration import BASE, OVERLAYS, SCALES

PICTURE = re.compile(r"!\[[^]]*\]\(gallery/(\w+)\.svg\)\n\n(.*?)(?:\n\n|\n\{%|\Z)", re.S)
SCALED = OVERLAYS["paper"]["experiments"]


def caption(figure, config):
    """The text of a caption on one line."""
    return " ".join(rendered(figure, config, scale_note(config, figure)).split())


@pytest.mark.parametrize("figure", ["fig1", "fig4", "fig7", "table3", "autoeval"])
def test_captions_hold_the_chains_against_the_papers(figure):
    for config, ours in (
        (BASE, "2 chains, 300 and 500"),
        (SCALES["paper"], "4 chains, 500 and 500"),
    ):
        words = caption(f"maven_{figure}", config).partition("Differences from the paper")[2]
        words = words.partition("When the picture")[0]
        assert "10 chains with 1,000 iterations of warm-up and 50 kept" in words
        assert ours in words


def test_captions_say_how_fits_start_and_draw_and_why_autoeval_has_no_exact_cut():
    for figure, words in (
        ("fig4", "starts from a random draw of a pilot fit"),
        ("fig5", "as the others are asked for draws (500)"),
        ("autoeval", "no series of the exact cut"),
    ):
        assert words in caption(f"maven_{figure}", BASE), figure


def test_the_caption_of_every_figure_says_its_scale():
    """By the same line in each, so that nothing stays behind when one is published anew."""
    for figure in BASE["figures"]:
        text = (ROOT / f"workflow/report/{figure}.rst").read_text()
        assert f'snakemake.params.scales["{figure}"]' in text, figure
    published = {**BASE, "scale": "published", "published": {"maven_fig4": "default"}}
    words = f"Default scale: {BASE['experiments']['maven_fig4']['replicates']} replicates."
    assert words in caption("maven_fig4", published)
    published["published"] = {"maven_fig4": "paper"}
    assert "Default scale" not in caption("maven_fig4", published)


def test_the_caption_of_every_picture_says_its_scale():
    """Where the papers' scale is another; it is not of the recommended interval."""
    wrong, seen = [], 0
    for path in (ROOT / "docs/templates").glob("*.jinja"):
        for figure, words in PICTURE.findall(path.read_text()):
            if set(BASE["figures"].get(figure, {}).get("experiments", ())) & set(SCALED):
                seen += 1
                ends = f"{{{{ scale_of.{figure} }}}}*"
                wrong += [] if words.startswith("*") and words.endswith(ends) else [figure]
    assert wrong == []
    assert seen > 10
