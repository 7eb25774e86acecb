"""What an evaluation found, for the terminal: at most 80 columns wide.

The answers stand in one table a stratum, after ranges where there is no gold; the models' numbers
in another, which follows when the models have been sampled.
"""

import textwrap
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from crowdgold.checking.without_gold import in_short
from crowdgold.evaluation.headline import LITTLE, is_corrected, is_gold_alone, is_gold_corrected
from crowdgold.evaluation.questions import HUMANS
from crowdgold.evaluation.rows import MEANING, SURE, as_gold, as_gold_interval_words, is_unbounded
from crowdgold.inference.samples import ONLY_GOLD
from crowdgold.inference.without_gold import WANTED, WIDE
from crowdgold.methods.registry import METHODS
from crowdgold.types.columns import counted
from crowdgold.types.display import WIDTH

METRIC, MODEL, NUMBER, INTERVAL, METHOD, AS_GOLD = 20, 14, 6, 17, 14, 7  # widths of columns
GOLD_NEEDED = (
    f'"gold needed": gold labels, drawn at random, for an interval at most {WANTED:g} wide. '
    f"Where it is all items, label 100 first and look again. A dash: the range is under {WIDE:g} "
    "wide, so that none is worked out."
)
MOST_NAMED = 3  # methods that failed, or answers by another method, that are named
CORRECTED, ALONE = "gold-corrected", "gold alone"  # for the method of an answer, if it is so
AS_GOLD_WORDS = f'"as gold": {MEANING}.'
AS_GOLD_NAMED = 12  # numbers in that column whose intervals are named; all are in estimates.csv
MARK = "!"  # after a method whose number the gold labels contradict
Summary = Mapping[str, Any]


def _cut(text: str, width: int) -> str:
    """A text shortened to less than a width, and filled up to it."""
    return (text if len(text) < width else f"{text[: width - 2]}…").ljust(width)


def model_of(one: Mapping[str, Any]) -> str:
    """The model, or the two models, that an answer is of."""
    if one["against"] in ("", HUMANS):
        return str(one["model"])
    return f"{one['model']} - {one['against']}"


def _count(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value < 1e6 else f"{value:.0e}"


def _key_cells(one: Mapping[str, Any]) -> str:
    """The cells of an answer's metric and model, filled up to their widths."""
    return _cut(one["metric"], METRIC) + _cut(model_of(one), MODEL)


def _listed(answers: Iterable[Mapping[str, Any]]) -> str:
    names = [_name(one) for one in answers]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"{', '.join(names[:MOST_NAMED])}{more}"


def _name(one: Mapping[str, Any]) -> str:
    return f"{one['metric']} {model_of(one)}".strip()


def _wrapped(notes: Iterable[str]) -> list[str]:
    return [
        line
        for note in filter(None, notes)
        for line in textwrap.wrap(
            note, WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
        )
    ]


def _range_lines(stratum: Summary, answers: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    own = [one for one in answers if one.get("range")]
    if not own:
        return
    width = NUMBER + 2 + INTERVAL
    head = f"{'metric'.ljust(METRIC)}{'model'.ljust(MODEL)}{'range'.ljust(width)}"
    yield head + "gold needed".rjust(METHOD)
    for one in own:
        needed = _count(one["range"]["gold"] or None)
        yield f"{_key_cells(one)}{in_short(one['range']).ljust(width)}{needed.rjust(METHOD)}"
    yield from _wrapped([stratum["ranges_if"], GOLD_NEEDED])


def _number_cells(one: Mapping[str, Any]) -> str:
    """An estimate with its interval, and the method, marked where gold labels contradict it."""
    interval = f"{one['lower']:.3f} to {one['upper']:.3f}"
    by = ALONE if is_gold_alone(one) else CORRECTED if is_gold_corrected(one) else one["method"]
    by += f" {MARK}" if one["misfit"] else ""
    return f"{one['estimate']:{NUMBER}.3f}  {interval.ljust(INTERVAL)}{by.ljust(METHOD)}"


def _head(level: float, last: str) -> str:
    interval = f"{100 * level:g} % interval"
    return (
        f"{'metric'.ljust(METRIC)}{'model'.ljust(MODEL)}{'value'.rjust(NUMBER)}  "
        f"{interval.ljust(INTERVAL)}{'by'.ljust(METHOD)}{last.rjust(AS_GOLD)}"
    ).rstrip()


def _answers(summary: Summary, stratum: str) -> list[Mapping[str, Any]]:
    return [one for one in summary["headlines"] if one["stratum"] == stratum]


def _contradicted(summary: Summary, stratum: str, opinions: Sequence[Mapping[str, Any]]) -> str:
    """How many of the models' estimates gold labels contradict, and how many chance would."""
    flags = [one["misfit"] for one in opinions if one["misfit"] is not None]
    if not any(flags):
        return ""
    (random,) = (one["gold_random"] for one in summary["strata"] if one["name"] == stratum)
    method = summary["held_against"]
    if random:
        rest = f"where it is more, the model does not fit these data: rely on {method}"
    else:
        rest = "and gold is to be doubted too: rely on neither"
    return (
        f"{MARK} more than two standard errors from the estimate of {method}, which the gold "
        f"labels correct: {sum(flags)} of {len(flags)}, at most one in twenty by chance; {rest}"
    )


def _unanswered(answers: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Which metrics have no answer, and why: each reason once, with all its methods."""
    by_why: dict[str, list[Mapping[str, Any]]] = {}
    for one in (one for one in answers if one["method"] is None):
        methods: dict[str, list[str]] = {}
        for said in one["passed_over"]:
            method, colon, why = said.partition(": ")
            methods.setdefault(why if colon else method, []).extend([method] * bool(colon))
        reasons = [f"{', '.join(of)}: {why}" if of else why for why, of in methods.items()]
        why = "; ".join(reasons) or "no method estimates it"
        what = "no model's number" if one.get("range") else "no answer"
        by_why.setdefault(f"{what}: {why}", []).append(one)
    yield from (f"{_listed(some)}: {why}" for why, some in by_why.items())


def _fit_notes(summary: Summary, stratum: str) -> Iterator[str]:
    """Which chains had not converged, and which methods were not run, or failed, and why."""
    failed = [
        one for one in summary["fits"]
        if one["stratum"] == stratum and not one["diagnostics_passed"]
    ]  # fmt: skip
    for one in failed[:MOST_NAMED]:
        of = f" of {one['model']}" if one["model"] else ""
        yield f"{one['method']}{of}: its chains had not converged ({'; '.join(one['problems'])})"
    if len(failed) > MOST_NAMED:
        yield f"the chains of {len(failed) - MOST_NAMED} more fits had not converged (study.json)"
    reasons: dict[tuple[bool, str], list[str]] = {}
    for one in (one for one in summary["not_run"] if one["stratum"] == stratum):
        needs = METHODS[one["method"]].needs if one["method"] in METHODS else ()
        # A method that few studies can have is told of where it was asked for alone, or failed.
        if not summary["fits"] or one["failed"] or not any(need.rarely_met for need in needs):
            of = f" of {one['model']}" if one["model"] else ""
            reasons.setdefault((one["failed"], one["reason"]), []).append(f"{one['method']}{of}")
    for (broke, why), methods in reasons.items():
        yield f"{', '.join(methods)} {'failed' if broke else 'not run'}: {why}"


def footnotes(summary: Summary, stratum: str) -> Iterator[str]:
    """What a reader must know of a stratum's answers."""
    answers = _answers(summary, stratum)
    given = [one for one in answers if one["method"] is not None]
    (whole,) = (one for one in summary["strata"] if one["name"] == stratum)
    yield whole["about"]
    for method in dict.fromkeys(one["method"] for one in answers if one.get("range")):
        if offer := METHODS[method].offer if method else None:
            yield f"{method} assumes: {offer.assumes}"
    if corrected := dict.fromkeys(one["method"] for one in given if is_gold_corrected(one)):
        what = f"gold labels correct what {'votes and ' * (whole['votes'] > 0)}scores say"
        yield f'"{CORRECTED}": {what} ({", ".join(corrected)}).'
    if any(one["effective_gold"] is not None for one in answers):
        ends = [f"{_name(one)} {as_gold_interval_words(one)}" for one in answers
                if as_gold_interval_words(one)]  # fmt: skip
        more = "; and others in estimates.csv" if len(ends) > AS_GOLD_NAMED else ""
        yield AS_GOLD_WORDS + (
            f" It is rounded to what is known of it. Its {SURE} intervals: "
            f"{'; '.join(ends[:AS_GOLD_NAMED])}{more}." if ends else ""
        )  # fmt: skip
    yield _contradicted(summary, stratum, given)
    yield whole.get("if_wrong", "")
    if wide := [one for one in answers if LITTLE in (one.get("note") or "")]:
        fewer = min(whole["gold_positive"], whole["gold"] - whole["gold_positive"])
        yield f"{_listed(wide)}: {LITTLE}; {counted(fewer, 'gold label')} of the rarer class"
    if alone := [one for one in given if is_corrected(one["method"]) and is_gold_alone(one)]:
        yield f"{_listed(alone)}: {ONLY_GOLD}"
    by_why: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for one in given:
        if one["passed_over"]:
            by_why.setdefault((one["method"], one["passed_over"][0]), []).append(one)
    for (method, why), some in by_why.items():
        yield f"{_listed(some)}: by {method} instead of {why}"
    yield from _unanswered(answers)
    yield from _fit_notes(summary, stratum)


def _answer_lines(summary: Summary, answers: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The answers in a table; without gold labels the model's numbers alone, under a title."""
    without = any(one.get("range") for one in answers)
    own = [one for one in answers if one["method"] is not None] if without else answers
    if without:
        yield ""
        says = "What a model says, if what it assumes is true"
        yield says if own else "No model gives a number."
    if own:
        yield _head(summary["settings"]["level"], "" if without else "as gold")
    for one in own:
        if one["method"] is None:
            yield f"{_key_cells(one)}no answer"
        elif without:
            yield f"{_key_cells(one)}{_number_cells(one)}".rstrip()
        else:
            number = ("≥" if is_unbounded(one) else "") + _count(as_gold(one))
            yield f"{_key_cells(one)}{_number_cells(one)}{number.rjust(AS_GOLD)}"


def describe(summary: Summary, strata: Collection[str] | None = None) -> str:
    """The answers of some strata, or all, in tables, after the reason for the choice of methods."""
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
        votes = f"{stratum['votes']:,} votes, " if stratum["votes"] else ""
        lines += [
            f"{name}: {stratum['items']:,} items, {votes}{stratum['gold']:,} with gold "
            f"({stratum['gold_positive']:,} positive)",
            *_range_lines(stratum, answers),
            *_answer_lines(summary, answers),
            *_wrapped(footnotes(summary, name)),
        ]
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def changed_strata(summary: Summary, before: Summary) -> list[str]:
    """The strata whose answers differ from those of the summary `before`."""

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

    `described` is stratum -> the summary that its answers were printed from: remarks that were made
    then are not repeated.
    """
    blocks = []
    for stratum in summary["strata"]:
        name = stratum["name"]
        opinions = [{**one, **one["beside"]} for one in _answers(summary, name) if one["beside"]]
        said = set(_fit_notes(described[name], name))
        notes = [_contradicted(summary, name, opinions)]
        notes += [note for note in _fit_notes(summary, name) if note not in said]
        lines = [f"{_key_cells(one)}{_number_cells(one)}".rstrip() for one in opinions]
        if lines:
            inside = f", {name}" if len(summary["strata"]) > 1 else ""
            title = f"For comparison: what models say{inside}"
            lines = [title, _head(summary["settings"]["level"], ""), *lines]
        if lines or any(notes):
            blocks.append("\n".join([*lines, *_wrapped(notes)]))
    return "\n\n".join(blocks)
