"""How-to pages and tutorials: their templates, filled anew, give what they say."""

import re
import shlex
import sys
from pathlib import Path

import pytest

from crowdgold.claims.how_to import SNAKEMAKE, fill_template, link_clone, write_files
from crowdgold.cli import main
from crowdgold.simulate.examples import ANNOTATORS, draw_studies

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("how-to", "tutorials")
TEMPLATES = {
    f"{folder}/{path.stem}": path
    for folder in FOLDERS
    for path in sorted(ROOT.glob(f"docs/{folder}/templates/*.md"))
}
FITTED = ("how-to/no-gold", "how-to/several-models")
"""Their numbers are draws, which are others on another machine: they are made by the rule alone."""


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("studies")
    write_files(draw_studies(), folder)
    link_clone(ROOT, folder)
    return folder


CHECKS = sorted(
    {
        command.replace("\\\n", " ")
        for path in TEMPLATES.values()
        for command in re.findall(r"^crowdgold check (?:.*\\\n)*.*", path.read_text(), re.MULTILINE)
        if "--verbose" not in command
    }
)
"""The commands that say on one screen what files can answer."""


@pytest.mark.parametrize("command", CHECKS)
def test_a_check_is_one_screen(command, files, monkeypatch, capsys):
    """Of all files of the pages; two commands name files that a reader has, not we."""
    monkeypatch.chdir(files)
    arguments = shlex.split(command)[1:]
    named = [one for one in arguments if re.fullmatch(r"\w+\.(csv|json|yaml)", one)]
    if not all((files / one).exists() for one in named):
        assert named in (["study.yaml"], ["answers.json"])
        return
    assert main(arguments) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) <= 25
    assert max(map(len, lines)) <= 80
    assert "nan" not in " ".join(lines)
    assert re.search(r"^(answer|to do) ", "\n".join(lines), re.MULTILINE)
    assert not [line for line in lines if line.startswith("...")]


def texts(name):
    """A template, and the page that was made of it."""
    page = ROOT / f"docs/{name}.md"
    return TEMPLATES[name].read_text(encoding="utf-8"), page.read_text(encoding="utf-8")


def test_every_page_has_a_template():
    pages = {f"{one}/{path.stem}" for one in FOLDERS for path in ROOT.glob(f"docs/{one}/*.md")}
    assert pages == set(TEMPLATES)
    assert set(FITTED) < pages


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow) if SNAKEMAKE in path.read_text() else name
        for name, path in TEMPLATES.items()
        if name not in FITTED
    ],
)
def test_a_page_says_what_is_printed(name, files):
    template, page = texts(name)
    assert fill_template(template, files, main) == page


def test_a_tutorial_runs_the_command_that_it_has_worked_out():
    _, page = texts("tutorials/judged-rate")
    (command,) = re.findall(r"^# '(crowdgold .*)'$", page, re.MULTILINE)
    assert f"```sh\n{command}\n```" in page


@pytest.mark.parametrize("name", FITTED)
def test_a_page_of_fits_says_what_its_template_says(name):
    """Its own words stand there in order; what is printed between them is not looked at."""
    template, page = texts(name)
    words = [part for part in re.split(r"```(?:data|output)[^`]*```", template) if part.strip()]
    places = [page.find(part.strip()) for part in words]
    assert -1 not in places
    assert places == sorted(places)
    assert page.count("```") == template.count("```")


def test_a_template_that_names_what_is_not_printed_is_refused(files):
    template = "```sh\ncrowdgold check counts.csv --column yes=votes_positive"
    template += " --column raters=votes_total\n```\n\n```output\nnonsense\n```\n"
    with pytest.raises(ValueError, match="nothing that is printed begins with 'nonsense'"):
        fill_template(template, files, main)


def test_a_command_of_the_workflow_that_fails_is_refused(files):
    template = f"```sh run\n{SNAKEMAKE} --cores 1 -- nothing\n```\n"
    with pytest.raises(ValueError, match="nothing"):
        fill_template(template, files, main)


def test_what_a_first_use_compiles_is_no_part_of_a_page(tmp_path):
    def run(arguments):
        print("crowdgold: compiling vote.stan (about half a minute)", file=sys.stderr)
        print("Note: a column", file=sys.stderr)
        print(arguments[0])

    page = fill_template("```sh run\ncrowdgold check\n```\n\n```output\n```\n", tmp_path, run)
    assert "Note: a column\ncheck" in page
    assert "compiling" not in page


def test_what_comes_of_blocks(tmp_path):
    """A file is written, each line of a value is a comment, a fence keeps its language alone."""
    template = "```yaml a.yaml\na: 1\n```\n\n```python\nopen('a.yaml').read()\n# output\n```\n"
    page = fill_template(template, tmp_path, main)
    assert page == template.replace(" a.yaml\n", "\n", 1).replace("# output", r"# 'a: 1\n'")
    two = "```python\nclass Two:\n    __repr__ = lambda self: 'one\\ntwo'\n\nTwo()\n# output\n```\n"
    assert "# one\n# two\n" in fill_template(two, tmp_path, main)


def test_the_studies_hold_what_the_pages_are_about():
    tables = draw_studies()
    assert tables["votes"]["worker"].nunique() == ANNOTATORS
    assert set(tables["unequal"]["votes_total"]) == {2, 5}
    assert tables["experts"].groupby("item")["label"].nunique().max() == 2
