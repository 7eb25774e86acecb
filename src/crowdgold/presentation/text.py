"""What an evaluation found, for the terminal: at most 80 columns wide.

The answers stand in one table a stratum; the models' numbers in another, which follows when
the models have been sampled.

Columns of what an evaluation found, and the ranges that stand first where there is no gold.
"""

import textwrap
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from crowdgold.checking.without_gold import in_short
from crowdgold.evaluation.headline import LITTLE, is_corrected, is_gold_alone, is_gold_corrected
from crowdgold.evaluation.questions import HUMANS
from crowdgold.evaluation.rows import MEANING, SURE, interval_in_words, is_unbounded, known
from crowdgold.inference.samples import ONLY_GOLD
from crowdgold.inference.without_gold import WANTED, WIDE
from crowdgold.methods.registry import METHODS
from crowdgold.types.columns import counted
from crowdgold.types.display import WIDTH

METRIC, MODEL, NUMBER, INTERVAL, METHOD, AS_GOLD = 20, 14, 6, 17, 14, 7
GOLD_NEEDED = (
    f'"gold needed": gold labels, drawn at random, for an interval at most {WANTED:g} wide. '
    f"Where it is all items, label 100 first and look again. A dash: the range is under {WIDE:g} "
    "wide, so that none is worked out."
)


def cut(text: str, width: int) -> str:
    """Shorten a text to less than a width."""
    return text if len(text) < width else f"{text[: width - 2]}…"


def model_of(one: Mapping[str, Any]) -> str:
    """The model, or the two models, that an answer is of."""
    if one["against"] in ("", HUMANS):
        return str(one["model"])
    return f"{one['model']} - {one['against']}"


def count(value: float | None) -> str:
    """A number of labels; a dash for none."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value < 1e6 else f"{value:.0e}"


def named(one: Mapping[str, Any]) -> str:
    """The metric and the model of an answer."""
    return cut(one["metric"], METRIC).ljust(METRIC) + cut(model_of(one), MODEL).ljust(MODEL)


def wrapped(notes: Iterator[str]) -> list[str]:
    """Notes as indented lines."""
    return [
        line
        for note in filter(None, notes)
        for line in textwrap.wrap(
            note, WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
        )
    ]


def range_lines(stratum: Mapping[str, Any], answers: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The ranges that stand before a model's numbers where there are no gold labels."""
    own = [one for one in answers if one.get("range")]
    if not own:
        return
    interval = "range".ljust(NUMBER + 2 + INTERVAL)
    yield f"{'metric'.ljust(METRIC)}{'model'.ljust(MODEL)}{interval}{'gold needed'.rjust(METHOD)}"
    for one in own:
        told = in_short(one["range"]).ljust(NUMBER + 2 + INTERVAL)
        yield f"{named(one)}{told}{count(one['range']['gold'] or None).rjust(METHOD)}"
    yield from wrapped(iter([stratum["ranges_if"], GOLD_NEEDED]))


SHOWN = 3
"""Methods that failed, or answers by another method, that are named."""
CORRECTED, ALONE = "gold-corrected", "gold alone"
"""What stands for the method of the answer, where gold labels correct its prediction, and for gold
labels alone. Any other method stands under its own name."""
AS_GOLD_WORDS = f'"as gold": {MEANING}.'
AS_GOLD_NAMED = 12
"""Numbers in that column whose intervals are named; all are in estimates.csv."""
MARK = "!"
MODELS_SAY = "What a model says, if what it assumes is true"
NO_MODEL_SAYS = "No model gives a number."
Summary = Mapping[str, Any]


def _by(one: Mapping[str, Any]) -> str:
    """What a number comes from, in at most 14 letters: words, or the name of a model."""
    if is_gold_alone(one):
        return ALONE
    return CORRECTED if is_gold_corrected(one) else str(one["method"])


def _numbers(one: Mapping[str, Any]) -> str:
    """An estimate with its interval, and the method, marked where gold labels contradict it."""
    interval = f"{one['lower']:.3f} to {one['upper']:.3f}"
    by = _by(one) + (f" {MARK}" if one["misfit"] else "")
    return f"{one['estimate']:{NUMBER}.3f}  {interval.ljust(INTERVAL)}{by.ljust(METHOD)}"


def _line(one: Mapping[str, Any]) -> str:
    """One answer."""
    if one["method"] is None:
        return f"{named(one)}no answer"
    number = ("≥" if is_unbounded(one) else "") + count(known(one))
    return f"{named(one)}{_numbers(one)}{number.rjust(AS_GOLD)}"


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
        one["method"] for one in answers if one["method"] and is_gold_corrected(one)
    )
    if not methods:
        return ""
    return f'"{CORRECTED}": gold labels correct what votes and scores say ({", ".join(methods)}).'


def _fallbacks(answers: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Say which answers are by another method than the rules would have, and why."""
    by_why: dict[tuple[str, str], list[str]] = {}
    for one in answers:
        if one["method"] is not None and one["passed_over"]:
            metric = f"{one['metric']} {model_of(one)}".strip()
            by_why.setdefault((one["method"], one["passed_over"][0]), []).append(metric)
    for (method, why), metrics in by_why.items():
        yield f"{_some(metrics)}: by {method} instead of {why}"


def assumed_by_models(answers: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """What each model assumes whose numbers stand where there are no gold labels."""
    for method in dict.fromkeys(one["method"] for one in answers if one.get("range")):
        offer = METHODS[method].offer if method else None
        if offer:
            yield f"{method} assumes: {offer.assumes}"


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


def _wide(whole: Summary, answers: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Say which answers say little, and how few gold labels the rarer class has."""
    wide = [
        f"{one['metric']} {model_of(one)}".strip()
        for one in answers
        if LITTLE in (one.get("note") or "")
    ]
    if wide:
        fewer = min(whole["gold_positive"], whole["gold"] - whole["gold_positive"])
        yield f"{_some(wide)}: {LITTLE}; {counted(fewer, 'gold label')} of the rarer class"


def _known_as_gold(answers: Sequence[Mapping[str, Any]]) -> str:
    """What "as gold" means, and the intervals of these numbers."""
    found = [
        f"{one['metric']} {model_of(one)}".strip() + f" {interval_in_words(one)}"
        for one in answers
        if interval_in_words(one)
    ]
    if not found:
        return AS_GOLD_WORDS
    more = "; and others in estimates.csv" if len(found) > AS_GOLD_NAMED else ""
    return (
        f"{AS_GOLD_WORDS} It is rounded to what is known of it. Its {SURE} intervals: "
        f"{'; '.join(found[:AS_GOLD_NAMED])}{more}."
    )


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
        rest = "and gold is to be doubted too: rely on neither"
    return (
        f"{MARK} more than two standard errors from the estimate of {method}, which the gold "
        f"labels correct: {sum(known)} of {len(known)}, at most one in twenty by chance; {rest}"
    )


def _unanswered(answers: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Say which metrics have no answer, and why: each reason once, with all its methods."""
    by_why: dict[str, list[str]] = {}
    for one in answers:
        if one["method"] is None:
            methods: dict[str, list[str]] = {}
            for said in one["passed_over"]:
                method, colon, why = said.partition(": ")
                methods.setdefault(why if colon else method, []).extend([method] * bool(colon))
            reasons = [f"{', '.join(of)}: {why}" if of else why for why, of in methods.items()]
            metric = f"{one['metric']} {model_of(one)}".strip()
            why = "; ".join(reasons) or "no method estimates it"
            what = "no model's number" if one.get("range") else "no answer"
            by_why.setdefault(f"{what}: {why}", []).append(metric)
    for why, metrics in by_why.items():
        yield f"{_some(metrics)}: {why}"


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
    (whole,) = (one for one in summary["strata"] if one["name"] == stratum)
    yield whole["about"]
    yield from assumed_by_models(answers)
    yield _corrected(answers)
    if any(one["effective_gold"] is not None for one in answers):
        yield _known_as_gold(answers)
    yield _contradicted(summary, stratum, [one for one in answers if one["method"] is not None])
    yield whole.get("if_wrong", "")
    yield from _wide(whole, answers)
    yield from _from_gold_alone(answers)
    yield from _fallbacks(answers)
    yield from _unanswered(answers)
    yield from _of_fits(summary, stratum)


def _numbers_of(summary: Summary, answers: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The answers in a table; without gold labels the model's numbers alone, under a title."""
    without = any(one.get("range") for one in answers)
    own = [one for one in answers if one["method"] is not None] if without else answers
    if without:
        yield ""
        yield MODELS_SAY if own else NO_MODEL_SAYS
    if own:
        yield _head(summary["settings"]["level"], "" if without else "as gold")
        for one in own:
            yield f"{named(one)}{_numbers(one)}".rstrip() if without else _line(one)


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
            *range_lines(stratum, answers),
            *_numbers_of(summary, answers),
            *wrapped(footnotes(summary, name)),
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
        lines = [f"{named(one)}{_numbers(one)}".rstrip() for one in opinions]
        if lines:
            inside = f", {name}" if len(summary["strata"]) > 1 else ""
            title = f"For comparison: what models say{inside}"
            lines = [title, _head(summary["settings"]["level"], ""), *lines]
        if lines or any(notes):
            blocks.append("\n".join([*lines, *wrapped(iter(notes))]))
    return "\n\n".join(blocks)
