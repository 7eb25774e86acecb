"""The answers of an evaluation as a table for the terminal, at most 80 columns wide."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

WIDTH = 80
METRIC, MODEL, NUMBER, INTERVAL, METHOD, WORTH = 20, 14, 6, 17, 14, 7
HUMANS = "humans"
SHOWN = 3
"""Methods that failed, or answers by another method, that are named."""
GATE = "failed its gate"
"""In the reason of a fit that did; the table names it once."""


def _cut(text: str, width: int) -> str:
    """Shorten a text to less than a width."""
    return text if len(text) < width else f"{text[: width - 2]}…"


def _model(one: Mapping[str, Any]) -> str:
    if one["against"] in ("", HUMANS):
        return str(one["model"])
    return f"{one['model']} - {one['against']}"


def _worth(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value < 1e6 else f"{value:.0e}"


def _line(one: Mapping[str, Any]) -> str:
    """Write one answer."""
    metric = _cut(one["metric"], METRIC).ljust(METRIC)
    model = _cut(_model(one), MODEL).ljust(MODEL)
    if one["method"] is None:
        return f"{metric}{model}no answer"
    beside = one["beside"]
    flag = "!" if one["misfit"] or (beside and beside["misfit"]) else ""
    interval = f"{one['lower']:.3f} to {one['upper']:.3f}"
    return (
        f"{metric}{model}{one['estimate']:{NUMBER}.3f}  {interval.ljust(INTERVAL)}"
        f"{(one['method'] + flag).ljust(METHOD)}{_worth(one['effective_gold']).rjust(WORTH)}"
    )


def _head(level: float) -> str:
    interval = f"{100 * level:g} % interval"
    return (
        f"{'metric'.ljust(METRIC)}{'model'.ljust(MODEL)}{'value'.rjust(NUMBER)}  "
        f"{interval.ljust(INTERVAL)}{'by'.ljust(METHOD)}{'worth'.rjust(WORTH)}"
    )


def _fallbacks(answers: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Say which answers are by another method than the rules would have, and why."""
    named: dict[tuple[str, str], list[str]] = {}
    for one in answers:
        if one["method"] is not None and one["passed_over"] and GATE not in one["passed_over"][0]:
            metric = f"{one['metric']} {_model(one)}".strip()
            named.setdefault((one["method"], one["passed_over"][0]), []).append(metric)
    for (method, why), metrics in named.items():
        more = f" and {len(metrics) - SHOWN} more" if len(metrics) > SHOWN else ""
        yield f"{', '.join(metrics[:SHOWN])}{more}: by {method} instead of {why}"


def _misfits(
    summary: Mapping[str, Any], stratum: str, answers: Sequence[Mapping[str, Any]]
) -> Iterator[str]:
    """Say how many of the models' estimates gold contradicts, and how many chance would."""
    named = [estimate for one in answers for estimate in (one, one["beside"]) if estimate]
    held = [one["misfit"] for one in named if one["misfit"] is not None]
    if not any(held):
        return
    (random,) = (one["gold_random"] for one in summary["strata"] if one["name"] == stratum)
    if random:
        fit = "where it is more, its model does not fit these data: rely on MAVEN-R (estimates.csv)"
    else:
        fit = "and gold does not look like a random sample: rely on neither"
    yield (
        f"! the model's estimate is more than two standard errors from MAVEN-R's: {sum(held)} of "
        f"{len(held)}, at most one in twenty by chance; {fit}"
    )


def _footnotes(summary: Mapping[str, Any], stratum: str) -> Iterator[str]:
    """Say what a reader must know of a stratum's answers."""
    answers = [one for one in summary["headlines"] if one["stratum"] == stratum]
    (about,) = (one["about"] for one in summary["strata"] if one["name"] == stratum)
    yield about
    yield from dict.fromkeys(one["reason"] for one in answers if one["reason"])
    yield from _misfits(summary, stratum, answers)
    yield from _fallbacks(answers)
    for one in answers:
        if one["method"] is None:
            why = "; ".join(one["passed_over"]) or "no method estimates it"
            yield f"{one['metric']} {_model(one)}: no answer: {why}"
    failed = [one for one in summary["fits"] if one["stratum"] == stratum
              and not one["diagnostics_passed"]]  # fmt: skip
    for one in failed[:SHOWN]:
        of = f" of {one['model']}" if one["model"] else ""
        yield f"{one['method']}{of} failed its gate: {'; '.join(one['problems'])}"
    for one in summary["not_run"]:
        if one["stratum"] == stratum:
            of = f" of {one['model']}" if one["model"] else ""
            yield f"{one['method']}{of} {'failed' if one['failed'] else 'not run'}: {one['reason']}"


def describe(summary: Mapping[str, Any]) -> str:
    """Write the answers, stratum by stratum.

    Args:
        summary: as of `Evaluation`.
    """
    lines: list[str] = []
    for stratum in summary["strata"]:
        name = stratum["name"]
        lines += [
            f"{name}: {stratum['items']:,} items, {stratum['votes']:,} votes, {stratum['gold']:,} "
            f"with gold ({stratum['gold_positive']:,} positive)",
            _head(summary["settings"]["level"]),
        ]
        lines += [_line(one) for one in summary["headlines"] if one["stratum"] == name]
        for note in _footnotes(summary, name):
            lines += textwrap.wrap(note, WIDTH, initial_indent="  ", subsequent_indent="    ")
        lines.append("")
    return "\n".join(lines[:-1])
