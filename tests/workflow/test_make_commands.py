"""The commands that the pages print: what `make` hands to Snakemake is what is meant."""

import re
import shlex
import shutil
import subprocess

import pytest
from snakemake.cli import get_argument_parser

from .conftest import ROOT, Checkout

READY = "-o", ".venv/.made-from-requirements", "-o", ".venv/.made-for-hlv"
TARGETS = (
    "figures",
    "smoke",
    "validate",
    "arena",
    "answer",
    "docs",
    "publish",
    "report",
    "hlv",
    "benchmark",
)
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def printed_commands() -> list[str]:
    """Every `make TARGET ...` of a workflow's target in the pages, without what follows it."""
    pattern = re.compile(rf"(make (?:{'|'.join(TARGETS)})\b[^`#;|>&\n]*)")
    found = {line.strip() for page in PAGES for line in pattern.findall(page.read_text())}
    # Words of a sentence, which follow a target, are none of the command's.
    commands = {re.match(r"make \w+(?: (?:[A-Z]+=(?:'[^']*'|\S+)))*", line)[0] for line in found}
    return sorted(commands)


def handed_over(command: str, folder=ROOT):
    """What Snakemake makes of its command line."""
    words = ["make", "-n", *READY, *shlex.split(command)[1:]]
    said = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=True).stdout
    line = next(line for line in said.splitlines() if "bin/snakemake " in line)
    return get_argument_parser().parse_args(shlex.split(line)[1:])


def test_there_are_commands():
    commands = printed_commands()
    assert "make figures PROFILE=slurm SCALE=paper" in commands
    assert "make smoke PROFILE=slurm" in commands


@pytest.mark.parametrize("command", printed_commands())
def test_a_printed_command_asks_for_its_target(command):
    """A list of values, as those of --config or --until, does not swallow the target."""
    asked = handed_over(command)
    target = command.split()[1]
    others = {"smoke": "figures", "report": "figures", "benchmark": "benchmarks"}
    assert set(asked.targets) == {others.get(target, target)}
    own = {"smoke": "smoke", "docs": "published"}
    scale = own.get(target) or dict(re.findall(r"(SCALE)=(\w+)", command)).get("SCALE")
    assert asked.config == ([f"scale={scale}"] if scale else None)


@pytest.mark.parametrize("said", ["SCALE=paper", "OPTIONS='--config scale=paper'"])
def test_the_last_line_names_the_folder_of_the_scale(said):
    command = ["make", "-n", *READY, *shlex.split(f"figures {said}")]
    lines = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert "The figures are in results/paper/figures/" in lines


def test_an_unknown_scale_is_named(tmp_path):
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copytree(ROOT / "profiles", tmp_path / "profiles")
    done = subprocess.run(
        ["make", *READY, "figures", "SCALE=papers"], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "no scale papers" in done.stdout


def test_what_is_fetched_beforehand_on_a_login_node_estimates_nothing(tmp_path):
    """The line of docs/cluster.md for nodes without a network."""
    page = (ROOT / "docs/cluster.md").read_text()
    line = re.search(r"`(make figures [^`]*--until[^`]*)`", page)[1]
    asked = handed_over(line)
    checkout = Checkout.make(tmp_path / "checkout", experiments=None)
    jobs = checkout.jobs("--config", *asked.config, "--until", *asked.until, "--", *asked.targets)
    assert {"toolchain", "compile_model", "compile_vote_model"} <= set(jobs)
    assert set(jobs) <= {"toolchain", "compile_model", "compile_vote_model", "dataset", "total"}


def test_pages_of_docs_are_made_of_their_templates_alone(tmp_path):
    """A template in a folder of the pages' own was once sought as a page, with a template of its
    own, without an end."""
    checkout = Checkout.make(tmp_path / "checkout", experiments=None)
    shutil.copytree(ROOT / "docs/how-to/templates", checkout.folder / "docs/how-to/templates")
    pages = sorted(path.name for path in (ROOT / "docs/how-to").glob("*.md"))
    jobs = checkout.jobs("--", *(f"docs/how-to/{name}" for name in pages))
    assert jobs["document_how_to"] == len(pages)
