"""README and the pages around it: what they print is printed, what they link is there."""

import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from crowdgold.claims.how_to import fill_template
from crowdgold.cli import main

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
MAKE = ".venv/bin/snakemake --cores 1 --workflow-profile profiles/default -- README.md"


def links(page: Path) -> list[str]:
    """Where the links of a page lead, without those to the net."""
    found = re.findall(r"\]\(([^)\s]+)\)", page.read_text(encoding="utf-8"))
    return [one for one in found if not one.startswith("http")]


def anchors(page: Path) -> set[str]:
    """The headings of a page as links name them."""
    heads = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def test_the_readme_says_what_its_commands_print(tmp_path):
    for name in ("votes", "gold", "scores"):
        shutil.copy(ROOT / f"src/crowdgold/example/{name}.csv", tmp_path)
    template = (DOCS / "templates/README.md").read_text(encoding="utf-8")
    written = (ROOT / "README.md").read_text(encoding="utf-8")
    assert fill_template(template, tmp_path, main) == written, f"make it anew: {MAKE}"


@pytest.mark.parametrize("page", [ROOT / "README.md", ROOT / "CHANGELOG.md",
                                  *sorted(DOCS.glob("*.md")), *sorted(DOCS.glob("how-to/*.md")),
                                  *sorted(DOCS.glob("tutorials/*.md"))],
                         ids=lambda page: str(page.relative_to(ROOT)))  # fmt: skip
def test_links_lead_somewhere(page):
    """A figure has a link where the gallery has its picture, and nowhere else."""
    for link in links(page):
        place, _, heading = link.partition("#")
        target = (page.parent / place).resolve() if place else page
        assert target.exists(), link
        assert not heading or heading in anchors(target), link


def test_every_page_is_within_two_clicks_of_the_first():
    """And each question of the FAQ has a link to a page that is there."""
    pages = {*DOCS.glob("*.md"), *DOCS.glob("how-to/*.md"), *DOCS.glob("tutorials/*.md")}

    def linked(page: Path) -> set[Path]:
        return {(page.parent / one.partition("#")[0]).resolve() for one in links(page)} & pages

    one_click = linked(ROOT / "README.md")
    assert DOCS / "faq.md" in one_click
    assert pages - one_click - {two for page in one_click for two in linked(page)} == set()
    answers = re.split(r"^\*\*\d+\. ", (DOCS / "faq.md").read_text(), flags=re.MULTILINE)[1:]
    assert len(answers) == 16
    assert [one[:40] for one in answers if "](" not in one] == []


def judgements(rng: np.random.Generator) -> pd.DataFrame:
    """Six annotators' judgements of the answers of two systems."""
    rows = [
        {"item": f"i{item}", "annotator": f"R{one}", "agent": f"s{item % 2}",
         "label": rng.choice(["bad", "fair", "good"], p=[0.2, 0.3, 0.5])}
        for item in range(60) for one in range(6)
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_the_python_of_the_pages_runs(tmp_path, monkeypatch, capsys):
    """On the example study, and on small files of the forms that are named."""
    for name in ("votes", "gold", "scores"):
        shutil.copy(ROOT / f"src/crowdgold/example/{name}.csv", tmp_path)
    votes = pd.read_csv(tmp_path / "votes.csv")
    votes.head(900).to_csv(tmp_path / "labels.csv", index=False)
    judgements(np.random.default_rng(5)).to_csv(tmp_path / "judgements.csv", index=False)
    monkeypatch.chdir(tmp_path)
    known: dict[str, object] = {}
    for page in ("python.md", "templates/README.md"):
        for block in re.findall(r"```python\n(.*?)```", (DOCS / page).read_text(), re.DOTALL):
            exec(block, known)
    said = capsys.readouterr().out
    printed = re.search(r"^AUC +large +[\d.]+  ([\d.]+) to ([\d.]+) ", said, re.MULTILINE)
    interval = known["result"]["AUC", "large"].interval
    assert printed.groups() == tuple(f"{end:.3f}" for end in interval)
    assert len(re.findall(r"^TPR\S* a\d+: 0\.\d+$", said, re.MULTILINE)) == 20
    assert "stability" in {one.metric for one in known["results"]}
    assert (tmp_path / "report.html").is_file()
