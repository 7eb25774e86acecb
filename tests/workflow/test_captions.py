"""The captions of MAVEN's figures say where the run differs from the paper's."""

import re
from types import SimpleNamespace

import jinja2
import pytest

from crowdgold.experiment import configuration
from crowdgold.experiment.published import scale_note

from .conftest import ROOT
from .test_configuration import BASE

PICTURE = re.compile(r"!\[[^]]*\]\(gallery/(\w+)\.svg\)\n\n(.*?)(?:\n\n|\n\{%|\Z)", re.S)
SCALED = configuration.load(ROOT / "config/paper.yaml")["experiments"]
PAPER = configuration.overlay(BASE, configuration.load(ROOT / "config/paper.yaml"))


def caption(figure, config):
    """The text of a caption on one line."""
    text = (ROOT / f"workflow/report/{figure}.rst").read_text()
    template = jinja2.Environment(undefined=jinja2.StrictUndefined).from_string(text)
    params = SimpleNamespace(scales={figure: scale_note(config, figure)})
    job = SimpleNamespace(config=config, params=params)
    return " ".join(template.render(snakemake=job).split())


@pytest.mark.parametrize("figure", ["fig1", "fig4", "fig7", "table3", "autoeval"])
def test_captions_hold_the_chains_against_the_papers(figure):
    for config, ours in ((BASE, "2 chains, 300 and 500"), (PAPER, "4 chains, 500 and 500")):
        words = caption(f"maven_{figure}", config).partition("Differences from the paper")[2]
        words = words.partition("When the picture")[0]
        assert "10 chains with 1,000 iterations of warm-up and 50 kept" in words
        assert ours in words


def test_captions_say_how_nested_fits_start_and_why_autoeval_has_no_exact_cut():
    assert "starts from a random draw of a pilot fit" in caption("maven_fig4", BASE)
    assert "no series of the exact cut" in caption("maven_autoeval", BASE)


def test_the_caption_of_run_times_counts_the_draws_of_all_chains():
    assert "as the others are asked for draws (500)" in caption("maven_fig5", BASE)


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


@pytest.mark.parametrize("path", sorted((ROOT / "docs/templates").glob("*.jinja")), ids=str)
def test_the_caption_of_every_picture_says_its_scale(path):
    """Where the papers' scale is another; it is not of the recommended interval."""
    for figure, words in PICTURE.findall(path.read_text()):
        block = BASE["figures"].get(figure, {})
        if set(block.get("experiments", ())) & set(SCALED):
            assert words.startswith("*"), f"{figure} has no caption"
            assert words.endswith(f"{{{{ scale_of.{figure} }}}}*"), figure
