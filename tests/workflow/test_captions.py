"""The captions of MAVEN's figures say where the run differs from the paper's."""

from types import SimpleNamespace

import jinja2
import pytest

from crowdgold.experiments import configuration

from .conftest import ROOT
from .test_configuration import BASE

PAPER = configuration.overlay(BASE, configuration.load(ROOT / "config/paper.yaml"))


def caption(figure, config):
    """The text of a caption on one line."""
    text = (ROOT / f"workflow/report/{figure}.rst").read_text()
    template = jinja2.Environment(undefined=jinja2.StrictUndefined).from_string(text)
    return " ".join(template.render(snakemake=SimpleNamespace(config=config)).split())


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
