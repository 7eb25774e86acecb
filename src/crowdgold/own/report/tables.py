"""The tables of a study's report: all estimates, strata, fits, annotators, parameters."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crowdgold.data.checks import counted
from crowdgold.own.check.verdicts import MEASURED_GOLD
from crowdgold.own.evaluation.as_gold import MEANING, SURE
from crowdgold.own.report.answers import VOTES_ALONE, Answers
from crowdgold.own.report.doubts import quantity
from crowdgold.own.report.folder import StudyFolder, records_of
from crowdgold.own.report.words import Numbers, as_gold_words, percent

CONTRADICTED = "contradicted by the gold labels"
MOST_ROWS = 400
"""Of one table of the page; the files hold all."""
ANNOTATORS = 60


@dataclass(frozen=True)
class Table:
    """A table of texts.

    Attributes:
        caption: what it is; says where the rest is, where rows are left out.
        header: names of the columns.
        rows: the cells; the first of each row is its heading.
    """

    caption: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]


def answers_table(groups: Sequence[Answers]) -> Table:
    """All answers, a line each."""
    rows = [
        [
            one.title,
            group.heading.removeprefix("The "),
            *one.line,
            one.alone.partition(": ")[2].rstrip("."),
        ]
        for group in groups
        for one in group.answers
    ]
    header = ("what", "of", "value", "interval", "method", "gold labels alone")
    return Table("The answers, a line each; the cards below say them in words.", header, rows)


def _cut(caption: str, file: str, header: Sequence[str], rows: list[list[str]], most: int) -> Table:
    if len(rows) > most:
        caption += f" The first {most} of {len(rows):,} rows; {file} has all."
    return Table(caption, header, rows[:most])


def _cells(row: Mapping[str, Any]) -> list[str]:
    """Estimate and interval."""
    numbers = Numbers(row)
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
        rows.append([quantity(row), row["method"], *_cells(row), as_gold_words(row),
                     "; ".join(filter(None, remarks))])  # fmt: skip
    level = percent(study.level)
    header = ["quantity", "method", "estimate", f"{level} interval", "as gold", "remarks"]
    caption = f"Every method. As gold: {MEANING}; in brackets, the {SURE} interval of that number."
    return _cut(caption, "estimates.csv", header, rows, MOST_ROWS)


def _stratum_remarks(stratum: Mapping[str, Any], head: Mapping[str, Any]) -> Iterator[str]:
    """Say what a reader must know of a stratum's answer: its gold, its model, its fit."""
    if stratum["gold"] and stratum.get("gold_random") is False:
        yield "gold not random"
    if stratum["gold"] < MEASURED_GOLD:
        yield f"fewer than {MEASURED_GOLD} gold labels" if stratum["gold"] else "no gold labels"
    if head["misfit"]:
        yield CONTRADICTED
    elif (head["beside"] or {}).get("misfit"):
        yield f"{head['beside']['method']}: {CONTRADICTED}"
    # A note says which method had no interval, or no value, before this one was chosen.
    yield str(head["note"] or "")
    if head["method"] is None:
        yield "; ".join(map(str, head["passed_over"]))


def _shown(row: Mapping[str, Any]) -> list[str]:
    """Estimate, interval and method of an answer; its range where there are no gold labels."""
    if row.get("range"):
        return ["", Numbers({**row, **row["range"]}).ends, VOTES_ALONE]
    return [*_cells(row), row["method"] or "none"]


def strata_table(study: StudyFolder) -> Table | None:
    """The answers in each stratum; None where there are no strata."""
    sizes = {one["name"]: one for one in study.summary["strata"][1:]}
    if not sizes:
        return None
    rows = []
    for row in study.summary["headlines"]:
        one = sizes.get(row["stratum"])
        if one is None:
            continue
        size = f"{one['items']:,} items, {one['gold']:,} gold"
        remarks = "; ".join(filter(None, _stratum_remarks(one, row)))
        rows.append([row["stratum"], size, quantity(row), *_shown(row), remarks])
    header = ["stratum", "size", "quantity", "estimate", f"{percent(study.level)} interval",
              "method", "remarks"]  # fmt: skip
    return _cut("The answers in each stratum.", "study.json", header, rows, MOST_ROWS)


def fits_table(study: StudyFolder) -> Table:
    """The diagnostics of each fit."""
    rows = []
    for one in study.summary["fits"]:
        rhat = "" if one.get("rhat") is None else f"{one['rhat']:.3f}"
        words = "; ".join(map(str, [*one["problems"], *one.get("notes", [])]))
        passed = "yes" if one["diagnostics_passed"] else "no"
        of = ", ".join(filter(None, [one["model"], one["stratum"]]))
        seconds = f"{one.get('seconds', 0):.1f}"
        rows.append([one["method"], of, passed, rhat, str(one.get("divergences", "")), seconds,
                     words])  # fmt: skip
    header = ["method", "of", "converged", "R-hat", "divergences", "seconds", "remarks"]
    return _cut("Fits.", "study.json", header, rows, MOST_ROWS)


def not_run_table(study: StudyFolder) -> Table | None:
    """The methods that were not run, or failed, and why."""
    rows = [
        [one["method"], ", ".join(filter(None, [one.get("model", ""), one["stratum"]])),
         "failed" if one.get("failed") else "not run", str(one["reason"])]
        for one in study.summary["not_run"]
    ]  # fmt: skip
    if not rows:
        return None
    header = ["method", "of", "", "why"]
    return _cut("Methods that say nothing.", "study.json", header, rows, MOST_ROWS)


def annotators_table(study: StudyFolder) -> Table | None:
    """Each annotator's rates, a row each; None where they are not known."""
    table = study.of_all("annotators")
    if table.empty:
        return None
    metrics = list(dict.fromkeys(table["metric"]))
    rows = []
    for name in dict.fromkeys(table["annotator"]):
        own = table[table["annotator"] == name]
        found = {row["metric"]: {**row, "against": ""} for row in records_of(own)}
        cells = []
        for metric in metrics:
            estimate, interval = _cells(found[metric]) if metric in found else ("", "")
            cells.append(f"{estimate} ({interval})" if interval else estimate)
        rows.append([str(name), *cells])
    caption = f"{counted(len(rows), 'annotator')} by {table['method'].iloc[0]}."
    return _cut(caption, "annotators.csv", ["annotator", *metrics], rows, ANNOTATORS)


def parameters_table(study: StudyFolder) -> Table | None:
    """The parameters of the fitted models; None where there are none."""
    rows = [
        [f"{row['method']}", row["model"], row["parameter"], f"{row['median']:.4g}",
         f"{row['lower']:.4g} to {row['upper']:.4g}"]
        for row in records_of(study.of_all("parameters"))
    ]  # fmt: skip
    if not rows:
        return None
    header = ["method", "model", "parameter", "median", f"{percent(study.level)} interval"]
    return _cut("Parameters of the models.", "parameters.csv", header, rows, MOST_ROWS)


def settings_rows(study: StudyFolder) -> Iterator[tuple[str, str]]:
    """The settings that the numbers rest on."""
    for name, value in study.summary["settings"].items():
        if isinstance(value, Mapping):
            text = "; ".join(f"{key or 'all'}: {_listed(one)}" for key, one in value.items())
        else:
            text = _listed(value)
        if text:
            yield name, text
    if study.summary.get("seconds") is not None:
        yield "seconds of work", f"{study.summary['seconds']:.1f}"


def _listed(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
