"""The report on a user's own study: one HTML file that stands alone, and a PDF of its figures.

The page is made from the folder that `crowdgold evaluate` writes and nothing else; equal folders
give equal bytes. All text goes through the template, which escapes it; only the figures, whose own
texts are escaped where they are made, are put in as they are.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from crowdgold import __version__
from crowdgold.evaluation.answer import Answer, Quantity, Value, quantity_of, value_of
from crowdgold.evaluation.folder import CHECK, FIGURES, PAGE, STUDY, TABLES
from crowdgold.evaluation.questions import what_intervals_are_about
from crowdgold.evaluation.rows import MEANING, NEEDED_ALONE, SURE
from crowdgold.methods.needs import MEASURED_GOLD
from crowdgold.presentation import answers
from crowdgold.presentation.doubts import find_doubts, verdict_of, write_check
from crowdgold.presentation.figures import (
    StudyFigure,
    answer_figures,
    curve_figures,
    error_figures,
    estimate_figures,
    inline_svg,
    key_of_names,
    pdf_pages,
    predictive_words,
    vote_figures,
    win_figures,
)
from crowdgold.presentation.folder import StudyFolder, read_study_folder, records_of
from crowdgold.reading.outputs import Output, first_bytes
from crowdgold.system.temporary import unfinished
from crowdgold.types.columns import counted
from crowdgold.types.errors import InputError

ANSWER_FIGURES = "answers"  # the group that stands before the words
CONTRADICTED = "contradicted by the gold labels"
MOST_ROWS, ANNOTATORS = 400, 60  # of one table of the page; the files hold all


@dataclass(frozen=True)
class Table:
    """A table of texts."""

    caption: str  # what it is; says where the rest is, where rows are left out
    header: Sequence[str]  # names of the columns
    rows: Sequence[Sequence[str]]  # the cells; the first of each row is its heading


def answers_table(groups: Sequence[answers.AnswerGroup]) -> Table:
    """All answers, a line each, with what others say; columns that are empty are left out, and
    what the numbers are by where it is the same of all.
    """
    rows = [[one.title, group.heading, *one.cells] for group in groups for one in group.answers]
    header = ("what", "of", *answers.CELLS)
    columns = dict(zip(header, zip(*rows, strict=True), strict=False))
    by = {*columns.get(answers.BY, ())} - {""}
    left_out = answers.BY if len(by) == 1 else ""
    full = [name for name, cells in columns.items() if any(cells) and name != left_out]
    meanings = {
        answers.AS_GOLD: MEANING,
        answers.VOTES: "the value where the majority of an item's votes is taken for its label",
    }
    told = [f"Method of all: {', '.join(by)}"] if left_out else []
    told += [f"{name[0].upper()}{name[1:]}: {means}" for name, means in meanings.items()
             if name in full]  # fmt: skip
    caption = ". ".join(["The answers, a line each", *told, ""]).strip()
    return Table(caption, full, [*zip(*(columns[name] for name in full), strict=True)])


def _shortened_table(
    caption: str, file: str, header: Sequence[str], rows: list[list[str]], most: int
) -> Table:
    if len(rows) > most:
        caption += f" The first {most} of {len(rows):,} rows; {file} has all."
    return Table(caption, header, rows[:most])


def _cells(of: Quantity, value: Value) -> list[str]:
    numbers = answers.Numbers(of, value)
    return [numbers.point, "" if numbers.estimate is None else numbers.ends]


def estimates_table(study: StudyFolder) -> Table:
    """Every method's estimates of all items."""
    rows = []
    for row in records_of(study.of_all("estimates")):
        remarks = [
            CONTRADICTED if row["misfit"] == 1 else "",
            "" if row["diagnostics_passed"] else f"chains not converged: {row['message']}",
            row["note"],
        ]
        of, value = quantity_of(row), value_of(row)
        rows.append([of.in_words, value.method, *_cells(of, value),
                     answers.as_gold_words(value.as_gold),
                     "; ".join(filter(None, remarks))])  # fmt: skip
    level = answers.percent(study.level)
    header = ["quantity", "method", "estimate", f"{level} interval", NEEDED_ALONE, "remarks"]
    caption = (
        f"Every method. {NEEDED_ALONE[0].upper()}{NEEDED_ALONE[1:]}: {MEANING}; in brackets, the "
        f"{SURE} interval of that number."
    )
    return _shortened_table(caption, "estimates.csv", header, rows, MOST_ROWS)


def _stratum_remarks(stratum: Mapping[str, Any], answer: Answer) -> Iterator[str]:
    """What a reader must know of a stratum's answer: its gold, its model, its fit."""
    if stratum["gold"] and stratum.get("gold_random") is False:
        yield "gold not random"
    if stratum["gold"] < MEASURED_GOLD:
        yield f"fewer than {MEASURED_GOLD} gold labels" if stratum["gold"] else "no gold labels"
    if answer.value and answer.value.contradicted:
        yield CONTRADICTED
    elif answer.beside and answer.beside.contradicted:
        yield f"{answer.beside.method}: {CONTRADICTED}"
    yield answer.remarks
    if answer.value is None:
        yield "; ".join(one.text for one in answer.passed_over)


def strata_table(study: StudyFolder) -> Table | None:
    """The answers in each stratum, ranges without gold labels; None where there are no strata."""
    sizes = {one["name"]: one for one in study.summary["strata"][1:]}
    if not sizes:
        return None
    rows = []
    for answer in study.all_answers:
        if (one := sizes.get(answer.stratum)) is None:
            continue
        none = Value("none", None, None, None)
        value = answer.value or none
        shown = [*_cells(answer.of, value), value.method]
        if answer.allowed:
            ends = answer.allowed.ends or (None, None)
            numbers = answers.Numbers(answer.of, Value("", None, *ends))
            shown = ["", numbers.ends, answers.VOTES_ALONE]
        size = f"{one['items']:,} items, {one['gold']:,} gold"
        remarks = "; ".join(filter(None, _stratum_remarks(one, answer)))
        rows.append([answer.stratum, size, answer.of.in_words, *shown, remarks])
    header = ["stratum", "size", "quantity", "estimate", f"{answers.percent(study.level)} interval",
              "method", "remarks"]  # fmt: skip
    return _shortened_table("The answers in each stratum.", "study.json", header, rows, MOST_ROWS)


def tables_of_fits(study: StudyFolder) -> tuple[Table, Table | None]:
    """The diagnostics of each fit; and the methods that were not run, or failed, and why."""
    rows = [
        [
            one["method"], ", ".join(filter(None, [one["model"], one["stratum"]])),
            "yes" if one["diagnostics_passed"] else "no",
            "" if one.get("rhat") is None else f"{one['rhat']:.3f}",
            str(one.get("divergences", "")), f"{one.get('seconds', 0):.1f}",
            "; ".join(map(str, [*one["problems"], *one.get("notes", [])])),
        ]
        for one in study.summary["fits"]
    ]  # fmt: skip
    header = ["method", "of", "converged", "R-hat", "divergences", "seconds", "remarks"]
    fits = _shortened_table("Fits.", "study.json", header, rows, MOST_ROWS)
    rows = [
        [one["method"], ", ".join(filter(None, [one.get("model", ""), one["stratum"]])),
         "failed" if one.get("failed") else "not run", str(one["reason"])]
        for one in study.summary["not_run"]
    ]  # fmt: skip
    header = ["method", "of", "", "why"]
    not_run = _shortened_table("Methods that say nothing.", "study.json", header, rows, MOST_ROWS)
    return fits, not_run if rows else None


def annotators_table(study: StudyFolder) -> Table | None:
    """Each annotator's rates, a row each; None where they are not known."""
    table = study.of_all("annotators")
    if table.empty:
        return None
    table = table[table["method"] == table["method"].iloc[0]]
    metrics = list(dict.fromkeys(table["metric"]))
    rows = []
    for name in dict.fromkeys(table["annotator"]):
        own = table[table["annotator"] == name]
        found = {row["metric"]: value_of(row) for row in records_of(own)}
        cells = []
        for metric in metrics:
            cells_of = _cells(Quantity(metric), found[metric]) if metric in found else ("", "")
            estimate, interval = cells_of
            cells.append(f"{estimate} ({interval})" if interval else estimate)
        rows.append([str(name), *cells])
    caption = f"{counted(len(rows), 'annotator')} by {table['method'].iloc[0]}."
    return _shortened_table(caption, "annotators.csv", ["annotator", *metrics], rows, ANNOTATORS)


def parameters_table(study: StudyFolder) -> Table | None:
    """The parameters of the fitted models; None where there are none."""
    rows = [
        [f"{row['method']}", row["model"], row["parameter"], f"{row['median']:.4g}",
         f"{row['lower']:.4g} to {row['upper']:.4g}"]
        for row in records_of(study.of_all("parameters"))
    ]  # fmt: skip
    header = ["method", "model", "parameter", "median", f"{answers.percent(study.level)} interval"]
    table = _shortened_table("Parameters of the models.", "parameters.csv", header, rows, MOST_ROWS)
    return table if rows else None


def settings_rows(study: StudyFolder) -> Iterator[tuple[str, str]]:
    """The settings that the numbers rest on."""
    for name, value in study.summary["settings"].items():
        if isinstance(value, Mapping):
            text = "; ".join(f"{key or 'all'}: {_value_text(one)}" for key, one in value.items())
        else:
            text = _value_text(value)
        if text:
            yield name, text
    if study.summary.get("seconds") is not None:
        yield "seconds of work", f"{study.summary['seconds']:.1f}"


def _value_text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


TEMPLATES = Path(__file__).parent / "templates"
COMMAND = "crowdgold report"  # the page's generator, and the PDF's creator
Kept = Callable[[Path, Path | None], object]  # called with a file, and where its old one is kept


@dataclass(frozen=True)
class FigureGroup:
    """Figures that stand together, in the order of the page."""

    name: str  # an identifier
    heading: str  # what they show
    figures: Sequence[StudyFigure]


def study_figures(study: StudyFolder) -> list[FigureGroup]:
    """The figures of a study; groups without any are left out."""
    groups = [
        (ANSWER_FIGURES, "The answer", answer_figures(study)),
        ("estimates", "Every method", estimate_figures(study, compares=False)),
        ("differences", "Models against each other", estimate_figures(study, compares=True)),
        ("curves", "Curves", curve_figures(study)),
        ("wrong-gold", "Were gold labels wrong", error_figures(study)),
        ("votes", "Votes by gold class", vote_figures(study)),
        ("wins", "Wins", win_figures(study)),
    ]
    drawn = [FigureGroup(name, heading, list(figures)) for name, heading, figures in groups]
    return [group for group in drawn if group.figures]


def study_page(study: StudyFolder, groups: Sequence[FigureGroup]) -> str:
    """The page of a study, with its figures as of `study_figures`."""
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES), autoescape=True, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    doubts, answer_groups, counts = (
        find_doubts(study),
        answers.write_answers(study.answers, study.level),
        study.counts,
    )
    fits, not_run = tables_of_fits(study)
    compared = len(study.models) * (len(study.models) - 1) // 2
    methods = list(dict.fromkeys(study.of_all("estimates")["method"]))
    files = ", ".join(Path(one).name for one in study.summary.get("files", []))
    made = study.summary.get("date")
    votes = f"{counted(counts['votes'], 'vote')}, " if counts["votes"] else ""
    subtitle = (
        f"{counted(counts['items'], 'item')}, {votes}{counted(counts['gold'], 'gold label')} "
        f"({counts['gold_positive']:,} positive, {counts['gold_negative']:,} negative), "
        f"{counted(len(study.models), 'model')}"
    )
    return environment.get_template("study_report.html").render(
        version=__version__,
        generator=COMMAND,
        level=answers.percent(study.level),
        subtitle=f"{subtitle}. Evaluated on {made}." if made else subtitle,
        about=what_intervals_are_about(study.about, counts["items"]),
        title=f"Evaluation of {files}" if files else "Evaluation report",
        answers=answer_groups,
        leads=answers.leads(study.answers, study.level),
        answers_table=answers_table(answer_groups),
        unanswered=list(answers.unanswered(study.answers)),
        ranges_alone=any(one.allowed for one in study.answers),
        reasons=list(dict.fromkeys(one.reason.text for one in study.answers if one.reason)),
        ranges_if=counts.get("ranges_if", ""),
        pairs_left=max(0, compared - answers.MOST_PAIRS),
        strata=strata_table(study),
        pictures=[one for one in groups if one.name == ANSWER_FIGURES],
        groups=[one for one in groups if one.name != ANSWER_FIGURES],
        inline_svg=inline_svg,
        drawn_names=key_of_names(study),
        check=write_check(study),
        notes=study.notes,
        doubts=doubts,
        verdict=verdict_of(doubts),
        fits=fits,
        not_run=not_run,
        assumptions=answers.assumptions_of(methods, study.about),
        predictive=list(predictive_words(study)),
        estimates=estimates_table(study),
        annotators=annotators_table(study),
        parameters=parameters_table(study),
        settings=list(settings_rows(study)),
    )


def write_page(page: str, path: Path) -> Path:
    """Write a page; `InputError` where another file stands there, or it cannot be written."""
    Output(path, "path", COMMAND, _is_page).check([])
    _write(page.encode("utf-8", "replace"), path)
    return path


def _write(content: bytes, path: Path) -> None:
    """Write a file to a temporary name beside it, then rename."""
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
    """Write report.html and figures.pdf into the folder of an evaluation, once both are made.

    Files of these names that are no report give way by `force`, and are kept, as `kept` is told.
    Raises an `InputError` naming what is missing in the folder or cannot be read, or a file that
    cannot be written.
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
