"""The commands that the pages print: what `make` hands to Snakemake is what is meant."""

import re
import shlex
import shutil

import pytest
from snakemake.cli import get_argument_parser

from .conftest import ROOT, Checkout, ended, run

READY = "-o", ".venv/.made-from-requirements", "-o", ".venv/.made-for-hlv"
TARGETS = "figures|smoke|validate|arena|answer|docs|publish|report|hlv|benchmark"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def printed_commands() -> list[str]:
    """Every `make TARGET ...` of a workflow's target in the pages, without what follows it."""
    pattern = re.compile(rf"(make (?:{TARGETS})\b[^`#;|>&\n]*)")
    found = {line.strip() for page in PAGES for line in pattern.findall(page.read_text())}
    # Words of a sentence, which follow a target, are none of the command's.
    commands = {re.match(r"make \w+(?: (?:[A-Z]+=(?:'[^']*'|\S+)))*", line)[0] for line in found}
    return sorted(commands)


def made(command: str) -> str:
    """What `make` would do for a command."""
    return run("make", "-n", *READY, *shlex.split(command)[1:], cwd=ROOT)


def handed_over(command: str):
    """What Snakemake makes of its command line."""
    said = made(command)
    line = next(line for line in said.splitlines() if "bin/snakemake " in line)
    return get_argument_parser().parse_args(shlex.split(line)[1:])


def test_a_printed_command_asks_for_its_target():
    """A list of values, as those of --config or --until, does not swallow the target."""
    commands = printed_commands()
    assert {"make figures PROFILE=slurm SCALE=paper", "make smoke PROFILE=slurm"} <= set(commands)
    others = {"smoke": "figures", "report": "figures", "benchmark": "benchmarks"}
    for command in commands:
        asked, target = handed_over(command), command.split()[1]
        assert set(asked.targets) == {others.get(target, target)}, command
        named = dict(re.findall(r"(SCALE)=(\w+)", command)).get("SCALE")
        scale = {"smoke": "smoke", "docs": "published"}.get(target) or named
        assert asked.config == ([f"scale={scale}"] if scale else None), command


@pytest.mark.parametrize("said", ["SCALE=paper", "OPTIONS='--config scale=paper'"])
def test_the_last_line_names_the_folder_of_the_scale(said):
    assert "The figures are in results/paper/figures/" in made(f"make figures {said}")


@pytest.mark.parametrize(
    ("asked", "said"),
    [("SCALE=papers", ["no scale papers"]), ("PROFILE=slrum", ["no profile slrum", "default"])],
)
def test_an_unknown_scale_or_profile_is_named(tmp_path, asked, said):
    shutil.copy(ROOT / "Makefile", tmp_path)
    shutil.copytree(ROOT / "profiles", tmp_path / "profiles")
    done = ended("make", "--no-print-directory", *READY, "figures", asked, cwd=tmp_path)
    assert done.returncode == 2
    assert all(words in done.stdout for words in said)


def test_what_is_fetched_beforehand_on_a_login_node_estimates_nothing(tmp_path):
    """The line of docs/cluster.md for nodes without a network."""
    page = (ROOT / "docs/cluster.md").read_text()
    line = re.search(r"`(make figures [^`]*--until[^`]*)`", page)[1]
    asked = handed_over(line)
    checkout = Checkout.make(tmp_path / "checkout", experiments=None)
    jobs = checkout.jobs("--config", *asked.config, "--until", *asked.until, "--", *asked.targets)
    assert set(jobs) - {"dataset"} == {"toolchain", "compile_model", "compile_vote_model"}
    # A template in a folder of the pages' own was once sought as a page, without an end.
    shutil.copytree(ROOT / "docs/how-to/templates", checkout.folder / "docs/how-to/templates")
    pages = sorted(path.name for path in (ROOT / "docs/how-to").glob("*.md"))
    jobs = checkout.jobs("--", *(f"docs/how-to/{name}" for name in pages))
    assert jobs["document_how_to"] == len(pages)
