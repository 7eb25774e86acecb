"""What an evaluation found, for the terminal: at most 80 columns wide.

The answers stand in one table a stratum; the models' second opinions in another, which follows when
the models have been sampled.
"""

import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from crowdgold.data.shown import WIDTH
from crowdgold.inference.samples import ONLY_GOLD
from crowdgold.methods.registry import METHODS
from crowdgold.own.evaluation.headline import is_corrected, is_gold_alone

METRIC, MODEL, NUMBER, INTERVAL, METHOD, AS_GOLD = 20, 14, 6, 17, 14, 7
HUMANS = "humans"
SHOWN = 3
"""Methods that failed, or answers by another method, that are named."""
CORRECTED, ALONE = "gold-corrected", "gold alone"
"""What stands for a method whose prediction gold labels correct, and for gold labels alone."""
AS_GOLD_WORDS = '"as gold": so many gold labels alone would give as narrow an interval.'
MARK = "!"
Summary = Mapping[str, Any]


def _cut(text: str, width: int) -> str:
    """Shorten a text to less than a width."""
    return text if len(text) < width else f"{text[: width - 2]}…"


def model_of(one: Mapping[str, Any]) -> str:
    """The model, or the two models, that an answer is of."""
    if one["against"] in ("", HUMANS):
        return str(one["model"])
    return f"{one['model']} - {one['against']}"


def _count(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value < 1e6 else f"{value:.0e}"


def _named(one: Mapping[str, Any]) -> str:
    return _cut(one["metric"], METRIC).ljust(METRIC) + _cut(model_of(one), MODEL).ljust(MODEL)


def _by(one: Mapping[str, Any]) -> str:
    """What a number comes from, in at most 14 letters: words, or the name of a model."""
    if is_gold_alone(one):
        return ALONE
    return CORRECTED if is_corrected(one["method"]) else str(one["method"])


def _numbers(one: Mapping[str, Any]) -> str:
    """An estimate with its interval, and the method, marked where gold labels contradict it."""
    interval = f"{one['lower']:.3f} to {one['upper']:.3f}"
    by = _by(one) + (f" {MARK}" if one["misfit"] else "")
    return f"{one['estimate']:{NUMBER}.3f}  {interval.ljust(INTERVAL)}{by.ljust(METHOD)}"


def _line(one: Mapping[str, Any]) -> str:
    """One answer."""
    if one["method"] is None:
        return f"{_named(one)}no answer"
    return f"{_named(one)}{_numbers(one)}{_count(one['effective_gold']).rjust(AS_GOLD)}"


def _head(level: float, last: str) -> str:
    interval = f"{100 * level:g} % interval"
    return (
        f"{'metric'.ljust(METRIC)}{'model'.ljust(MODEL)}{'value'.rjust(NUMBER)}  "
        f"{interval.ljust(INTERVAL)}{'by'.ljust(METHOD)}{last.rjust(AS_GOLD)}"
    ).rstrip()


def _answers(summary: Summary, stratum: str) -> list[Mapping[str, Any]]:
    return [one for one in summary["headlines"] if one["stratum"] == stratum]


def _corrected(answers: Sequence[Mapping[str, Any]]) -> str:
    """Which methods gold labels correct, where any answer is of one."""
    methods = dict.fromkeys(
        one["method"]
        for one in answers
        if one["method"] and is_corrected(one["method"]) and not is_gold_alone(one)
    )
    if not methods:
        return ""
    return f'"{CORRECTED}": gold labels correct what votes and scores say ({", ".join(methods)}).'


def _fallbacks(answers: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Say which answers are by another method than the rules would have, and why."""
    named: dict[tuple[str, str], list[str]] = {}
    for one in answers:
        if one["method"] is not None and one["passed_over"]:
            metric = f"{one['metric']} {model_of(one)}".strip()
            named.setdefault((one["method"], one["passed_over"][0]), []).append(metric)
    for (method, why), metrics in named.items():
        yield f"{_some(metrics)}: by {method} instead of {why}"


def _some(metrics: Sequence[str]) -> str:
    """Some of the names, and how many more there are."""
    more = f" and {len(metrics) - SHOWN} more" if len(metrics) > SHOWN else ""
    return f"{', '.join(metrics[:SHOWN])}{more}"


def _from_gold_alone(answers: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Say which answers the prediction has no part in."""
    alone = [
        f"{one['metric']} {model_of(one)}".strip()
        for one in answers
        if one["method"] and is_corrected(one["method"]) and is_gold_alone(one)
    ]
    if alone:
        yield f"{_some(alone)}: {ONLY_GOLD}"


def _contradicted(summary: Summary, stratum: str, opinions: Sequence[Mapping[str, Any]]) -> str:
    """How many of the models' estimates gold labels contradict, and how many chance would."""
    known = [one["misfit"] for one in opinions if one["misfit"] is not None]
    if not any(known):
        return ""
    (random,) = (one["gold_random"] for one in summary["strata"] if one["name"] == stratum)
    method = summary["held_against"]
    if random:
        rest = f"where it is more, the model does not fit these data: rely on {method}"
    else:
        rest = "and gold does not look like a random sample: rely on neither"
    return (
        f"{MARK} more than two standard errors from the estimate of {method}, which the gold "
        f"labels correct: {sum(known)} of {len(known)}, at most one in twenty by chance; {rest}"
    )


def _unanswered(answers: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Say which metrics have no answer, and why: each reason once, with all its methods."""
    named: dict[str, list[str]] = {}
    for one in answers:
        if one["method"] is None:
            methods: dict[str, list[str]] = {}
            for said in one["passed_over"]:
                method, colon, why = said.partition(": ")
                methods.setdefault(why if colon else method, []).extend([method] * bool(colon))
            reasons = [f"{', '.join(of)}: {why}" if of else why for why, of in methods.items()]
            metric = f"{one['metric']} {model_of(one)}".strip()
            named.setdefault("; ".join(reasons) or "no method estimates it", []).append(metric)
    for why, metrics in named.items():
        yield f"{_some(metrics)}: no answer: {why}"


def _is_special(one: Summary) -> bool:
    """Whether what was not run is a method that few studies can have."""
    needs = METHODS[one["method"]].needs if one["method"] in METHODS else ()
    return not one["failed"] and any(need.rarely_met for need in needs)


def _of_fits(summary: Summary, stratum: str) -> Iterator[str]:
    """Which chains had not converged, and which methods were not run, or failed, and why."""
    failed = [
        one for one in summary["fits"]
        if one["stratum"] == stratum and not one["diagnostics_passed"]
    ]  # fmt: skip
    for one in failed[:SHOWN]:
        of = f" of {one['model']}" if one["model"] else ""
        yield f"{one['method']}{of}: its chains had not converged ({'; '.join(one['problems'])})"
    if len(failed) > SHOWN:
        yield f"the chains of {len(failed) - SHOWN} more fits had not converged (study.json)"
    reasons: dict[tuple[bool, str], list[str]] = {}
    asked_alone = not summary["fits"]
    for one in summary["not_run"]:
        if one["stratum"] == stratum and (asked_alone or not _is_special(one)):
            of = f" of {one['model']}" if one["model"] else ""
            reasons.setdefault((one["failed"], one["reason"]), []).append(f"{one['method']}{of}")
    for (broke, why), methods in reasons.items():
        yield f"{', '.join(methods)} {'failed' if broke else 'not run'}: {why}"


def footnotes(summary: Summary, stratum: str) -> Iterator[str]:
    """What a reader must know of a stratum's answers."""
    answers = _answers(summary, stratum)
    (about,) = (one["about"] for one in summary["strata"] if one["name"] == stratum)
    yield about
    yield _corrected(answers)
    if any(one["effective_gold"] is not None for one in answers):
        yield AS_GOLD_WORDS
    yield _contradicted(summary, stratum, [one for one in answers if one["method"] is not None])
    yield from _from_gold_alone(answers)
    yield from _fallbacks(answers)
    yield from _unanswered(answers)
    yield from _of_fits(summary, stratum)


def _wrapped(notes: Iterator[str]) -> list[str]:
    return [
        line
        for note in filter(None, notes)
        for line in textwrap.wrap(
            note, WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
        )
    ]


def describe(summary: Summary, strata: Collection[str] | None = None) -> str:
    """The answers, stratum by stratum; what a reader must know before them stands first.

    Args:
        summary: as of `Evaluation`.
        strata: those that are described; None for all.
    """
    blocks = []
    for stratum in summary["strata"]:
        name = stratum["name"]
        if strata is not None and name not in strata:
            continue
        answers = _answers(summary, name)
        lines = []
        for reason in dict.fromkeys(one["reason"] for one in answers if one["reason"]):
            text = f"{reason[:1].upper()}{reason[1:]}."
            lines += textwrap.wrap(text, WIDTH, break_on_hyphens=False)
        lines += [
            f"{name}: {stratum['items']:,} items, {stratum['votes']:,} votes, {stratum['gold']:,} "
            f"with gold ({stratum['gold_positive']:,} positive)",
            _head(summary["settings"]["level"], "as gold"),
            *map(_line, answers),
            *_wrapped(footnotes(summary, name)),
        ]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def changed(summary: Summary, before: Summary) -> list[str]:
    """The strata whose answers are others than before."""

    def answers(of: Summary, name: str) -> list[tuple[Any, ...]]:
        return [(one["metric"], one["method"], one["estimate"]) for one in _answers(of, name)]

    names = [one["name"] for one in summary["strata"]]
    return [name for name in names if answers(summary, name) != answers(before, name)]


def answered_strata(summary: Summary) -> list[str]:
    """The strata that have some answer."""
    found = (one["stratum"] for one in summary["headlines"] if one["method"] is not None)
    return list(dict.fromkeys(found))


def describe_models(summary: Summary, described: Mapping[str, Summary]) -> str:
    """The models' estimates beside the answers; empty where there are none.

    Args:
        summary: as of `Evaluation`.
        described: stratum -> what its answers were described from, whose remarks are not repeated.
    """
    blocks = []
    for stratum in summary["strata"]:
        name = stratum["name"]
        opinions = [{**one, **one["beside"]} for one in _answers(summary, name) if one["beside"]]
        said = set(_of_fits(described[name], name))
        notes = [_contradicted(summary, name, opinions)]
        notes += [note for note in _of_fits(summary, name) if note not in said]
        lines = [f"{_named(one)}{_numbers(one)}".rstrip() for one in opinions]
        if lines:
            inside = f", {name}" if len(summary["strata"]) > 1 else ""
            title = f"Second opinions (models){inside}"
            lines = [title, _head(summary["settings"]["level"], ""), *lines]
        if lines or any(notes):
            blocks.append("\n".join([*lines, *_wrapped(iter(notes))]))
    return "\n\n".join(blocks)
