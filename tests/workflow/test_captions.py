"""Captions say the scale of a run that is not the papers'."""

import re

from crowdgold.experiment.publication import scale_note

from .conftest import ROOT
from .conftest import caption as rendered
from .test_configuration import BASE, OVERLAYS

PICTURE = re.compile(r"!\[[^]]*\]\(gallery/(\w+)\.svg\)\n\n(.*?)(?:\n\n|\n\{%|\Z)", re.S)
SCALED = OVERLAYS["paper"]["experiments"]


def caption(figure, config):
    """The text of a caption on one line."""
    return " ".join(rendered(figure, config, scale_note(config, figure)).split())


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
