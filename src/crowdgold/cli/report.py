"""`crowdgold report`: the report of an evaluation, one HTML file and a PDF of its figures."""

import argparse
import json
from pathlib import Path

from crowdgold.cli.terminal import add_force, progress, say_kept, tell
from crowdgold.types.errors import InputError

ABOUT = """\
Write the report of an evaluation into its folder: report.html, one file that needs nothing else,
and figures.pdf, a figure a page. First the answer: a sentence a metric, with its interval and how
many gold labels alone would be as precise. Then figures, the data check, diagnostics, assumptions,
a posterior predictive check, and what would change the answer."""
EXAMPLE = """\
example:
  $ crowdgold report mine
  mine/report.html
  mine/figures.pdf

  `mine` was written by: crowdgold evaluate votes.csv gold.csv scores.csv --out mine

exit codes: 0, done; 2, a folder that cannot be used, with what is wrong and how to mend it."""


def add_options(command: argparse.ArgumentParser) -> None:
    """Add the options of the command."""
    command.add_argument("folder", metavar="FOLDER", type=Path, help="from `crowdgold evaluate`")
    command.add_argument("--json", action="store_true", help="name the files in one JSON object")
    add_force(command)


def run(asked: argparse.Namespace) -> int:
    """Write the report, and name its files."""
    from crowdgold.presentation.page import write_study_report  # here: it takes a second

    if not asked.folder.is_dir():
        what = "not a folder" if asked.folder.exists() else "no such folder"
        raise InputError(f"{asked.folder}: {what}; expected one from `crowdgold evaluate`")
    with progress(lambda: "Drawing figures"):
        written = write_study_report(asked.folder, asked.force, say_kept)
    if asked.json:
        tell(json.dumps({path.stem: str(path) for path in written}))
        return 0
    for path in written:
        tell(str(path))
    return 0
