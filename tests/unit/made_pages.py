"""The pages of docs/ from their own templates, with the files that a test gives them."""

from collections import defaultdict
from pathlib import Path

from crowdgold.claims.pages import make_page
from crowdgold.experiment.configuration import load

ROOT = Path(__file__).resolve().parents[2]
PAGES = load(ROOT / "config/pages.yaml")


def page_from(name, options=None, **files):
    """The page NAME; what the paper prints is that of the repository where none is given."""
    template = (ROOT / f"docs/templates/{name}.md.jinja").read_text(encoding="utf-8")
    for key, path in PAGES[name].get("files", {}).items():
        if key not in files and str(path).endswith(".yaml"):
            files[key] = load(ROOT / path)
    # Every scale is the papers' where a test does not say.
    given = {"scale_of": defaultdict(str), **(options or {})}
    return make_page(template, PAGES[name], files, given)[0]
