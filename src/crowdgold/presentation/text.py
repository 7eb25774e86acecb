"""What an evaluation found, for the terminal: at most 80 columns wide.

The answers stand in one table a stratum, after ranges where there is no gold; the models' numbers
in another, which follows when the models have been sampled.
"""

import shutil
import textwrap
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from crowdgold.checking.without_gold import ends_in_words
from crowdgold.evaluation.answer import (
    ALONE_OF_ERRING,
    BY_METHOD,
    CORRECTED,
    NO_METHOD,
    Answer,
    Quantity,
    Value,
    of_stratum,
)
from crowdgold.evaluation.folder import Evaluation, StratumCounts, Summary
from crowdgold.evaluation.rows import MEANING, NEEDED_ALONE, SURE
from crowdgold.inference.without_gold import WANTED, WIDE
from crowdgold.methods.needs import MEASURED_GOLD
from crowdgold.methods.registry import METHODS
from crowdgold.presentation.answers import (
    ERRING_WORDS,
    MOST_NAMED,
    names_of,
    unanswered,
)
from crowdgold.types.columns import counted, list_names
from crowdgold.types.display import WIDTH, visible
from crowdgold.types.notes import Note

METRIC, MODEL, NUMBER, INTERVAL, METHOD, AS_GOLD = 20, 14, 6, 17, 14, 7  # widths of columns
GOLD_NEEDED = (
    f'"gold needed": gold labels, drawn at random, for an interval at most {WANTED:g} wide. '
    f"Where it is all items, label 100 first and look again. A dash: the range is under {WIDE:g} "
    "wide, so that none is worked out."
)
MOST_STRATA = 6  # whose answers are printed in full; of more there is a line each
MOST_TABLES, MOST_ROWS = 3, 20  # of strata in short
AS_GOLD_WORDS = f'"{NEEDED_ALONE}": {MEANING}. It is an estimate, and rounded accordingly.'
AS_GOLD_NAMED = 12  # numbers in that column whose intervals are named; all are in estimates.csv
FOOTNOTES = ("annotators_apart", "parts_apart")  # of a number, said beside it
MARK = "!"  # after a method whose number the gold labels contradict


def _cut(text: str, width: int) -> str:
    """A text shortened to less than a width, and filled up to it."""
    return (text if len(text) < width else f"{text[: width - 2]}…").ljust(width)


@dataclass(frozen=True)
class _Columns:
    """How wide the first columns are, and how models are called where their names do not fit."""

    metric: int
    model: int
    called: Mapping[str, str]  # model -> its name in the table

    @classmethod
    def of(cls, answers: Sequence[Answer]) -> "_Columns":
        """Those in which all names fit: of a wide terminal, else with short names for models."""
        metric = max([METRIC, *(len(one.of.metric) + 1 for one in answers)])
        widest = 1 + max((len(one.of.who) for one in answers), default=0)
        room = MODEL + shutil.get_terminal_size((WIDTH, 1)).columns - WIDTH
        models = dict.fromkeys(one.of.model for one in answers if one.of.model)
        models |= dict.fromkeys(one.of.against for one in answers if one.of.is_comparison)
        if widest <= max(MODEL, room):
            return cls(metric, max(MODEL, widest), {name: name for name in models})
        letter = "m"
        while any(name.startswith(letter) and name[len(letter) :].isdigit() for name in models):
            letter += "m"
        return cls(metric, MODEL, {name: f"{letter}{k}" for k, name in enumerate(models, 1)})

    def short(self, of: Quantity) -> Quantity:
        """The same by the names that models have in the table."""
        model, against = (self.called.get(name, name) for name in (of.model, of.against))
        return replace(of, model=model, against=against)

    def key(self, of: Quantity) -> str:
        """The cells of what a row is of, filled up to their widths."""
        return _cut(of.metric, self.metric) + _cut(visible(self.short(of).who), self.model)

    @property
    def head(self) -> str:
        """The names of the columns."""
        return f"{'metric'.ljust(self.metric)}{'model'.ljust(self.model)}"

    @property
    def legend(self) -> list[str]:
        """Which models the short names are of; nothing where all stand as they are."""
        short = [f"{own}={name}" for name, own in self.called.items() if own != name]
        return textwrap.wrap("; ".join(short), WIDTH, break_on_hyphens=False)


def _count(value: float | None) -> str:
    if value is None:
        return "-"
    return f"{value:,.0f}" if value < 1e6 else f"{value:.0e}"


def _wrapped(notes: Iterable[str]) -> list[str]:
    return [
        line
        for note in filter(None, notes)
        for line in textwrap.wrap(
            note, WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
        )
    ]


def _range_lines(
    stratum: StratumCounts, answers: Sequence[Answer], columns: _Columns
) -> Iterator[str]:
    ranges = [(one, one.allowed) for one in answers if one.allowed is not None]
    if not ranges:
        return
    width = NUMBER + 2 + INTERVAL
    yield columns.head + "range".ljust(width) + "gold needed".rjust(METHOD)
    for one, allowed in ranges:
        ends = ends_in_words(*allowed.ends) if allowed.ends else "no range"
        needed = _count(allowed.gold or None).rjust(METHOD)
        yield f"{columns.key(one.of)}{ends.ljust(width)}{needed}"
    yield from _wrapped([stratum.ranges_if.text if stratum.ranges_if else "", GOLD_NEEDED])


def _number_cells(value: Value, by: str) -> str:
    """An estimate with its interval, and the method, marked where gold labels contradict it."""
    # Without the sign of a zero.
    number, *ends = (
        f"{0.0 if one is None else round(one, 3) + 0.0:.3f}"
        for one in (value.estimate, value.lower, value.upper)
    )
    by += f" {MARK}" if value.contradicted else ""
    return f"{number:>{NUMBER}}  {' to '.join(ends).ljust(INTERVAL)}{by.ljust(METHOD)}"


def _head(columns: _Columns, level: float, last: str) -> str:
    interval = f"{100 * level:g} % interval"
    return (
        f"{columns.head}{'value'.rjust(NUMBER)}  {interval.ljust(INTERVAL)}by"
        f"{last.rjust(METHOD + AS_GOLD - len('by'))}"
    ).rstrip()


def _contradicted(summary: Summary, stratum: str, opinions: Sequence[Value]) -> str:
    """How many of the models' estimates gold labels contradict, and how many chance would."""
    flags = [one.contradicted for one in opinions if one.contradicted is not None]
    if not any(flags):
        return ""
    method = summary.held_against
    if summary.of_stratum(stratum).gold_random:
        rest = f"where it is more, the model does not fit these data: rely on {method}"
    else:
        rest = "and gold is to be doubted too: rely on neither"
    return (
        f"{MARK} more than two standard errors from the estimate of {method}, which the gold "
        f"labels correct: {sum(flags)} of {len(flags)}, at most one in twenty by chance; {rest}"
    )


def _fit_notes(summary: Summary, stratum: str) -> Iterator[str]:
    """Which chains had not converged, and which methods were not run, or failed, and why."""
    failed = [
        one for one in summary.fits if one.stratum == stratum and not one.diagnostics.passed
    ]  # fmt: skip
    for one in failed[:MOST_NAMED]:
        of = f" of {one.model}" if one.model else ""
        problems = "; ".join(one.diagnostics.problems)
        yield f"{one.method}{of}: its chains had not converged ({problems})"
    if len(failed) > MOST_NAMED:
        yield f"the chains of {len(failed) - MOST_NAMED} more fits had not converged (study.json)"
    reasons: dict[tuple[bool, str], list[str]] = {}
    for lack in (one for one in summary.not_run if one.stratum == stratum):
        needs = METHODS[lack.method].needs if lack.method in METHODS else ()
        # A method that few studies can have is told of where it was asked for alone, or failed.
        if not summary.fits or lack.failed or not any(need.rarely_met for need in needs):
            of = f" of {lack.model}" if lack.model else ""
            reasons.setdefault((lack.failed, lack.reason), []).append(f"{lack.method}{of}")
    for (broke, why), methods in reasons.items():
        yield f"{', '.join(methods)} {'failed' if broke else 'not run'}: {why}"


def footnotes(
    evaluation: Evaluation, stratum: str, short: Callable[[Quantity], Quantity] = lambda of: of
) -> Iterator[str]:
    """What a reader must know of a stratum's answers, whose models have their `short` names."""
    summary = evaluation.summary
    answers = [replace(one, of=short(one.of)) for one in of_stratum(evaluation.answers, stratum)]
    given = [(one, one.value) for one in answers if one.value is not None]
    whole = summary.of_stratum(stratum)
    yield whole.about
    if 0 < whole.gold < MEASURED_GOLD:
        few = Note("few_gold", {"gold": whole.gold, "measured": MEASURED_GOLD})
        yield f"{few.title}. {few.text}"
    for method in dict.fromkeys(value.method for one, value in given if one.allowed):
        if offer := METHODS[method].offer:
            yield f"{method} assumes: {offer.assumes}"
    if corrected := dict.fromkeys(value.method for one, value in given if one.way == CORRECTED):
        what = "gold labels correct a prediction of every label"
        yield f'"{CORRECTED}": {what} ({", ".join(corrected)}).'
    if erring := dict.fromkeys(value.method for one, value in given if one.way == ALONE_OF_ERRING):
        yield f'"{ALONE_OF_ERRING}": {ERRING_WORDS} ({", ".join(erring)}).'
    numbers = [(one, value.as_gold) for one, value in given if value.as_gold]
    if numbers:
        yield AS_GOLD_WORDS
    ends = [f"{one.of.name} {number.interval}" for one, number in numbers if number.interval]
    if ends and whole is summary.whole:
        more = "; and others in estimates.csv" if len(ends) > AS_GOLD_NAMED else ""
        yield f"{SURE} intervals of these numbers: {'; '.join(ends[:AS_GOLD_NAMED])}{more}."
    yield _contradicted(summary, stratum, [value for _, value in given])
    if whole.if_wrong:
        yield whole.if_wrong.text
    apart = [one for one, value in given if one.votes_alone is not None and not one.allowed
             and value.has_interval and not value.holds(one.votes_alone)]  # fmt: skip
    if apart:
        named = [f"{one.of.name} {one.votes_alone:.3f}" for one in apart[:AS_GOLD_NAMED]]
        more = f" and {len(apart) - AS_GOLD_NAMED} more" * (len(apart) > AS_GOLD_NAMED)
        yield (
            "Had the majority of the votes been taken for the truth, "
            f"{counted(len(apart), 'number')} would lie outside the interval: "
            f"{', '.join(named)}{more}."
        )
    beside: dict[str, list[Answer]] = {}
    for one in answers:
        for note in (note for note in one.notes if note.code in FOOTNOTES):
            beside.setdefault(note.text, []).append(one)
    yield from (f"{names_of(some)}: {text}" for text, some in beside.items())
    if wide := [one for one in answers if one.has("wide")]:
        fewer = min(whole.gold_positive, whole.gold_negative)
        rarer = f"{counted(fewer, 'gold label')} of the rarer class"
        yield f"{names_of(wide)}: {Note('wide').text}; {rarer}"
    if alone := [one for one, _ in given if one.has("gold_alone")]:
        yield f"{names_of(alone)}: {Note('gold_alone').text}"
    by_why: dict[tuple[str, str], list[Answer]] = {}
    for one, value in given:
        if one.passed_over:
            by_why.setdefault((value.method, one.passed_over[0].text), []).append(one)
    for (method, why), some in by_why.items():
        yield f"{names_of(some)}: by {method} instead of {why}"
    yield from unanswered(answers)
    yield from _fit_notes(summary, stratum)


def _answer_lines(
    evaluation: Evaluation, answers: Sequence[Answer], columns: _Columns
) -> Iterator[str]:
    """The answers in a table; without gold labels the model's numbers alone, under a title."""
    without = any(one.allowed for one in answers)
    own = [one for one in answers if one.value is not None] if without else answers
    if without:
        yield ""
        says = "What a model says, if what it assumes is true"
        yield says if own else "No model gives a number."
    if own:
        level = evaluation.summary.settings.level
        yield _head(columns, level, "" if without else NEEDED_ALONE)
    for one in own:
        if one.value is None:
            yield f"{columns.key(one.of)}no answer"
            continue
        by = one.value.method if one.way == BY_METHOD else one.way
        number = one.value.as_gold
        shown = "-" if number is None else "≥" * number.is_unbounded + _count(number.shown)
        last = "" if without else shown.rjust(AS_GOLD)
        yield f"{columns.key(one.of)}{_number_cells(one.value, by)}{last}".rstrip()


def _in_full(evaluation: Evaluation, strata: Sequence[StratumCounts]) -> str:
    """The answers of some strata in tables; what is said of all of them is said once."""
    columns, blocks = _Columns.of(evaluation.answers), list[str]()
    own = {one.name: of_stratum(evaluation.answers, one.name) for one in strata}
    reasons = {name: list(dict.fromkeys(one.reason.text for one in answers if one.reason))
               for name, answers in own.items()}  # fmt: skip
    notes = {name: [*filter(None, footnotes(evaluation, name, columns.short))]
             for name in own}  # fmt: skip
    several = len(own) > 1
    shared = [note for note in notes[strata[0].name] if all(note in one for one in notes.values())]
    same = len({*map(tuple, reasons.values())}) == 1
    for stratum in strata:
        name = stratum.name
        lines = []
        for reason in reasons[name] if not (same and blocks) else []:
            text = f"{reason[:1].upper()}{reason[1:]}."
            lines += textwrap.wrap(text, WIDTH, break_on_hyphens=False)
        votes = f"{stratum.votes:,} votes, " if stratum.votes else ""
        lines += [
            f"{name}: {stratum.items:,} items, {votes}{stratum.gold:,} "
            f"with gold ({stratum.gold_positive:,} positive)",
            *(columns.legend if not blocks else []),
            *_range_lines(stratum, own[name], columns),
            *_answer_lines(evaluation, own[name], columns),
            *_wrapped([note for note in notes[name] if not (several and note in shared)]),
        ]
        blocks.append("\n".join(lines))
    if several and shared:
        blocks.append("\n".join(["Of each of these tables:", *_wrapped(shared)]))
    return "\n\n".join(blocks)


def _in_short(evaluation: Evaluation, strata: Sequence[StratumCounts]) -> str:
    """The answers of many strata, a line each: the prevalence, and each model's first metric."""
    whole = of_stratum(evaluation.answers, evaluation.summary.whole.name)
    first = {one.of.model: one.of for one in reversed(whole) if not one.of.is_comparison}
    blocks = []
    for of in list(first.values())[::-1][:MOST_TABLES]:
        found = {one.stratum: one for one in evaluation.answers if one.of == of}
        told = [(one, found[one.name]) for one in strata if one.name in found]
        known = [(one, answer) for one, answer in told if answer.is_known]
        head = f"{'stratum':<24}{'items':>7}{'gold':>7}{'value':>6}  {'interval':<{INTERVAL}}by"
        lines = [f"{of.in_words}, by stratum", *([head] if known else [])]
        for one, answer in known[:MOST_ROWS]:
            said = ""
            if answer.allowed and answer.allowed.ends:
                said = f"  a range, {ends_in_words(*answer.allowed.ends)}"
            elif answer.value:
                by = answer.value.method if answer.way == BY_METHOD else answer.way
                said = _number_cells(answer.value, by).rstrip()
            lines.append(f"{_cut(one.name, 24)}{one.items:>7,}{one.gold:>7,}{said}")
        if len(known) > MOST_ROWS:
            lines.append(f"{len(known) - MOST_ROWS:,} more strata are in estimates.csv")
        if lack := [answer for _, answer in told if not answer.is_known]:
            which = list_names([one.stratum for one in lack], MOST_NAMED)
            why = f"{lack[0].stratum}: {next(iter(lack[0].reasons), NO_METHOD)}"
            lines += _wrapped(
                [f"No answer in {len(lack):,} of {len(told):,} strata ({which}). {why}"]
            )
        blocks.append("\n".join(lines))
    return "\n\n".join(blocks)


def describe(evaluation: Evaluation, strata: Collection[str] | None = None) -> str:
    """The answers of some strata, or all, in tables, after the reason for the choice of methods."""
    whole, *parts = evaluation.summary.strata
    wanted = [one for one in parts if strata is None or one.name in strata]
    full = [whole] if strata is None or whole.name in strata else []
    if len(parts) <= MOST_STRATA:
        full, wanted = full + wanted, []
    blocks = [_in_full(evaluation, full)] if full else []
    blocks += [_in_short(evaluation, wanted)] if wanted else []
    return "\n\n".join(blocks)


def changed_strata(evaluation: Evaluation, before: Evaluation) -> list[str]:
    """The strata whose answers differ from those of the evaluation `before`."""

    def numbers(of: Evaluation, name: str) -> list[tuple[Any, ...]]:
        own = of_stratum(of.answers, name)
        return [(one.of, one.value and (one.value.method, one.value.estimate)) for one in own]

    names = [one.name for one in evaluation.summary.strata]
    return [name for name in names if numbers(evaluation, name) != numbers(before, name)]


def answered_strata(evaluation: Evaluation) -> list[str]:
    """The strata that have some answer."""
    return list(dict.fromkeys(one.stratum for one in evaluation.answers if one.value))


def describe_models(evaluation: Evaluation, described: Mapping[str, Evaluation]) -> str:
    """The models' estimates beside the answers; empty where there are none.

    `described` is stratum -> the evaluation that its answers were printed from: remarks that were
    made then are not repeated.
    """
    summary, blocks = evaluation.summary, []
    columns = _Columns.of(evaluation.answers)
    for name in (one.name for one in summary.strata):
        own = of_stratum(evaluation.answers, name)
        opinions = [(one, one.beside) for one in own if one.beside]
        said = set(_fit_notes(described[name].summary, name))
        notes = [_contradicted(summary, name, [beside for _, beside in opinions])]
        notes += [note for note in _fit_notes(summary, name) if note not in said]
        lines = [f"{columns.key(one.of)}{_number_cells(beside, beside.method)}".rstrip()
                 for one, beside in opinions]  # fmt: skip
        if lines:
            inside = f", {name}" if len(summary.strata) > 1 else ""
            title = f"For comparison: what models say{inside}"
            lines = [
                title,
                *columns.legend,
                _head(columns, summary.settings.level, ""),
                *lines,
            ]
        if lines or any(notes):
            blocks.append("\n".join([*lines, *_wrapped(notes)]))
    return "\n\n".join(blocks)
