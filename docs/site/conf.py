"""The documentation as a site, by Sphinx (`make site`).

Its source is the repository itself: README.md is the front page, other pages and files are found
where they link to each other. The pages of this folder are templates, filled by `fill`.
"""

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from docutils import nodes
from jinja2 import Environment, StrictUndefined
from sphinx import addnodes
from sphinx.application import Sphinx

import crowdgold
from crowdgold.experiment.configuration import at_scale, overlay
from crowdgold.experiment.publication import laid_over, scale_note
from crowdgold.experiment.wiring import Drawn, Jobs

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

project, release, language = "crowdgold", crowdgold.__version__, "en"
root_doc = "README"
include_patterns = ["*.md", "config/*.md", "docs/*.md", "docs/how-to/*.md", "docs/tutorials/*.md",
                    "docs/site/**.rst"]  # fmt: skip
# Where nothing of these is, so that nobody looks there.
exclude_patterns = [".*", "results", "site", "src", "tests", "stan", "benchmarks", "scripts"]
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx_argparse_cli"]
myst_heading_anchors = 4
default_role = "code"
highlight_language = "none"
smartquotes_action = "D"
autodoc_member_order = "bysource"
# Several names can share a description.
napoleon_use_param = False
napoleon_custom_sections = [("Attributes", "params_style")]
maximum_signature_line_length = 80

html_theme = "furo"
html_title = f"crowdgold {release}"
html_static_path = ["static"]
html_css_files, html_js_files = ["site.css"], [("larger.js", {"defer": ""})]
html_extra_path = ["index.html"]
html_copy_source = html_use_index = html_domain_indices = False

JINJA = Environment(  # noqa: S701 (reStructuredText of our own)
    trim_blocks=True, lstrip_blocks=True, undefined=StrictUndefined
)
"""As Snakemake's, for its report."""


@cache
def drawn_as_published() -> Drawn:
    """The figures of the configuration that the gallery was made with."""
    config = at_scale(ROOT, "published")
    config = overlay(config, laid_over(config, ROOT / "config"))
    return Drawn(Jobs(config, ROOT), print, lambda dataset: "")


def figures(paper: str) -> Iterator[str]:
    """A section for each figure of a paper: its title, picture and caption, as in the report."""
    drawn = drawn_as_published()
    for name, block in drawn.config["figures"].items():
        if block["paper"] == paper and (ROOT / f"docs/gallery/{name}.svg").is_file():
            params = {"figures": {name: block}, "scales": {name: scale_note(drawn.config, name)}}
            job = SimpleNamespace(config=drawn.config, params=params)
            caption = ROOT / "workflow/rules" / drawn.caption(name)
            text = JINJA.from_string(caption.read_text(encoding="utf-8")).render(snakemake=job)
            _, title, text = re.split(r"\*\*(.+?)\*\*", text, maxsplit=1, flags=re.DOTALL)
            title = " ".join(title.split()).rstrip(".")
            yield f".. _{name}:\n\n{title}\n{'-' * len(title)}\n\n"
            yield f".. image:: /docs/gallery/{name}.svg\n   :alt: {title}\n\n{text.strip()}\n\n"


def fill(app: Sphinx, page: str, source: list[str]) -> None:
    """Add the contents to the front page, and fill the templates of this folder."""
    if page == root_doc:
        source[0] += (HERE / "contents.md").read_text(encoding="utf-8")
    elif page.startswith("docs/site/"):
        source[0] = JINJA.from_string(source[0]).render(figures=lambda of: "".join(figures(of)))


def paragraphs(text: str) -> Iterator[nodes.Element]:
    """The paragraphs of a help text; with an indented line they are left as they are."""
    for part in re.split(r"\n\n(?! )", text):
        if re.search(r"^ ", part, re.MULTILINE):
            yield nodes.literal_block("", part, language="none")
        else:
            words = enumerate(part.split("`"))
            parts = [nodes.literal("", one) if odd % 2 else nodes.Text(one) for odd, one in words]
            yield nodes.paragraph("", "", *parts)


def mend(app: Sphinx, page: nodes.document) -> None:
    """Have figures open large, links to a figure lead into the gallery, and help texts flow."""
    for image in page.findall(nodes.image):
        image.setdefault("width", "100%")
    for link in list(page.findall(addnodes.download_reference)):
        place = Path(link["reftarget"])
        if place.match("gallery/*.svg"):
            to = {"refdomain": "std", "reftype": "ref", "reftarget": place.stem}
            link.replace_self(
                addnodes.pending_xref("", *link.children, **to, refexplicit=True, refwarn=True)
            )
    for block in list(page.findall(nodes.literal_block)):
        is_help = "sphinx-argparse-cli-wrap" in block["classes"]
        if is_help and not block.astext().startswith("crowdgold "):  # its usage does
            block.replace_self(list(paragraphs(block.astext())))


def whole(app: Sphinx, kind: str, name: str, thing: object, options: Any, lines: list[str]) -> None:
    """Keep napoleon from taking what stands before a colon for a property's type."""
    if kind in ("attribute", "data", "property"):
        lines.insert(0, "")


def short(
    app: Sphinx, kind: str, name: str, thing: object, options: Any, given: str | None, result: Any
) -> tuple[str, Any] | None:
    """A signature without addresses in memory, factories and names of modules."""
    if given and "<" in given:
        given = re.sub(r"<[^<>]*(<[^<>]*>)?[^<>]*>", "...", given)
        return re.sub(r"~?\b(?:[a-z_]\w*\.)+", "", given), result
    return None


def setup(app: Sphinx) -> dict[str, Any]:
    """Connect what is done here; links before Sphinx looks which files are to be downloaded."""
    app.connect("source-read", fill)
    app.connect("doctree-read", mend, priority=100)
    app.connect("autodoc-process-docstring", whole, priority=100)
    app.connect("autodoc-process-signature", short)
    return {"parallel_read_safe": True}
