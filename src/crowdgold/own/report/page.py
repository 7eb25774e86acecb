"""The report on a user's own study: one HTML file that stands alone, and a PDF of its figures.

The page is made from the folder that `crowdgold evaluate` writes and nothing else; equal folders
give equal bytes. All text goes through the template, which escapes it; only the figures, whose own
texts are escaped where they are made, are put in as they are.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from crowdgold import __version__
from crowdgold.data import InputError
from crowdgold.data.checks import counted
from crowdgold.data.outputs import Output, first_bytes, unfinished
from crowdgold.own import report as own_study
from crowdgold.own.evaluation.folder import CHECK, FIGURES, PAGE, STUDY, TABLES
from crowdgold.own.evaluation.questions import what_intervals_are_about
from crowdgold.own.report.answers import MOST_PAIRS, leads, write_answers
from crowdgold.own.report.check import write_check
from crowdgold.own.report.doubts import find_doubts, verdict_of
from crowdgold.own.report.errors_figure import error_figures
from crowdgold.own.report.figures import curve_figures, estimate_figures, key_of_names
from crowdgold.own.report.folder import StudyFolder, read_study_folder
from crowdgold.own.report.inline_figures import StudyFigure, inline_svg, pdf_pages
from crowdgold.own.report.tables import (
    annotators_table,
    answers_table,
    estimates_table,
    fits_table,
    not_run_table,
    parameters_table,
    settings_rows,
    strata_table,
)
from crowdgold.own.report.votes_figure import predictive_words, vote_figures, win_figures
from crowdgold.own.report.words import assumptions_of, percent

TEMPLATES = Path(own_study.__file__).parent / "templates"
COMMAND = "crowdgold report"
"""It stands in what is written, as the page's generator and the PDF's creator."""
Kept = Callable[[Path, Path | None], object]
"""Told of a file, and of the name under which what stood in its place is kept, if anything is."""


@dataclass(frozen=True)
class FigureGroup:
    """Figures that stand together.

    Attributes:
        name: an identifier.
        heading: what they show.
        figures: in the order of the page.
    """

    name: str
    heading: str
    figures: Sequence[StudyFigure]


def study_figures(study: StudyFolder) -> list[FigureGroup]:
    """Draw the figures of a study; groups without any are left out."""
    groups = [
        FigureGroup("estimates", "Every method", list(estimate_figures(study, compares=False))),
        FigureGroup(
            "differences", "Models against each other", list(estimate_figures(study, compares=True))
        ),
        FigureGroup("curves", "Curves", list(curve_figures(study))),
        FigureGroup("wrong-gold", "Were gold labels wrong", list(error_figures(study))),
        FigureGroup("votes", "Votes by gold class", list(vote_figures(study))),
        FigureGroup("wins", "Wins", list(win_figures(study))),
    ]
    return [group for group in groups if group.figures]


def _title(study: StudyFolder) -> str:
    """What was evaluated: the files, where the folder names them."""
    names = ", ".join(Path(one).name for one in study.summary.get("files", []))
    return f"Evaluation of {names}" if names else "Evaluation report"


def _subtitle(study: StudyFolder) -> str:
    counts = study.counts
    parts = [
        counted(counts["items"], "item"),
        counted(counts["votes"], "vote"),
        f"{counted(counts['gold'], 'gold label')} ({counts['gold_positive']:,} positive, "
        f"{counts['gold_negative']:,} negative)",
    ]
    made = study.summary.get("date")
    said = ", ".join([*parts, counted(len(study.models), "model")])
    return f"{said}. Evaluated on {made}." if made else said


def study_page(study: StudyFolder, groups: Sequence[FigureGroup]) -> str:
    """Write the page of a study.

    Args:
        groups: its figures, as of `study_figures`.
    """
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    doubts, answers = find_doubts(study), write_answers(study)
    compared = len(study.models) * (len(study.models) - 1) // 2
    methods = list(dict.fromkeys(study.of_all("estimates")["method"]))
    return environment.get_template("study_report.html").render(
        version=__version__,
        generator=COMMAND,
        level=percent(study.level),
        subtitle=_subtitle(study),
        about=what_intervals_are_about(study.about, study.counts["items"]),
        title=_title(study),
        answers=answers,
        leads=leads(answers),
        answers_table=answers_table(answers),
        reasons=list(dict.fromkeys(filter(None, (h["reason"] for h in study.summary["headlines"]
                                                 if h["stratum"] == study.whole)))),
        ranges_if=study.counts.get("ranges_if", ""),
        pairs_left=max(0, compared - MOST_PAIRS),
        strata=strata_table(study),
        groups=groups,
        inline_svg=inline_svg,
        drawn_names=key_of_names(study),
        check=write_check(study),
        notes=study.notes,
        doubts=doubts,
        verdict=verdict_of(doubts),
        fits=fits_table(study),
        not_run=not_run_table(study),
        assumptions=assumptions_of(methods, study.about),
        predictive=predictive_words(study),
        estimates=estimates_table(study),
        annotators=annotators_table(study),
        parameters=parameters_table(study),
        settings=list(settings_rows(study)),
    )  # fmt: skip


def write_page(page: str, path: Path) -> Path:
    """Write a page; `InputError` where another file stands there, or it cannot be written."""
    Output(path, "path", COMMAND, _is_page).check([])
    _write(page.encode("utf-8", "replace"), path)
    return path


def _write(content: bytes, path: Path) -> None:
    """Write a file to a temporary name beside it, then rename.

    Raises:
        InputError: where it cannot be written.
    """
    try:
        with unfinished(path) as own:
            own.write_bytes(content)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}") from error


def _is_page(path: Path) -> bool:
    return f'<meta name="generator" content="{COMMAND}">'.encode() in first_bytes(path)


def _is_pdf(path: Path) -> bool:
    return f"/Creator ({COMMAND})".encode() in path.read_bytes()


def write_study_report(
    folder: Path, force: bool = False, kept: Kept = lambda path, name: None
) -> tuple[Path, Path]:
    """Write report.html and figures.pdf into the folder of an evaluation.

    Args:
        folder: of the evaluation.
        force: whether files of these names that are no report give way; they are kept.
        kept: told of each file, and where what stood there is kept.

    Returns:
        the two files. Both are made before the first is written.

    Raises:
        InputError: naming what is missing in the folder or cannot be read, or a file that cannot be
            written.
    """
    outputs = [
        Output(folder / name, "folder", COMMAND, is_own, force)
        for name, is_own in ((PAGE, _is_page), (FIGURES, _is_pdf))
    ]
    for output in outputs:
        output.check([folder / name for name in (STUDY, CHECK, *(f"{one}.csv" for one in TABLES))])
    study = read_study_folder(folder)
    groups = study_figures(study)
    page = study_page(study, groups).encode("utf-8", "replace")
    pdf = pdf_pages([one for group in groups for one in group.figures], COMMAND)
    for content, output in zip((page, pdf), outputs, strict=True):
        kept(output.path, output.make_way())
        _write(content, output.path)
    return folder / PAGE, folder / FIGURES
