"""The answer of a study in plain words: a sentence for each metric, with its numbers."""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from crowdgold.checking.without_gold import ends_in_words, gold_in_words
from crowdgold.evaluation.answer import (
    ALONE,
    ALONE_OF_ERRING,
    CORRECTED,
    NO_METHOD,
    Answer,
    AsGold,
    Quantity,
    Value,
    VotesRange,
)
from crowdgold.evaluation.conditions import Key
from crowdgold.evaluation.questions import is_of_population
from crowdgold.evaluation.rows import NEEDED_ALONE
from crowdgold.methods.method import ANSWERS, in_order
from crowdgold.methods.registry import METHODS
from crowdgold.types.columns import list_names
from crowdgold.types.display import visible


class Numbers:
    """An estimate with its interval: numbers, per cent, or points of a difference of these."""

    def __init__(self, of: Quantity, value: Value) -> None:
        self.plain = not of.words.in_per_cent
        self.unit = "" if self.plain else " points" if of.is_difference else " %"
        self.scale = 1.0 if self.plain else 100.0
        self.estimate, self.lower, self.upper = value.estimate, value.lower, value.upper
        self.digits = least = 3 if self.plain else 1
        if self.lower is not None and self.upper is not None and self.upper > self.lower:
            # Two digits of the interval's width, at most 6 decimals.
            width = self.scale * (self.upper - self.lower)
            self.digits = max(least, min(6, 1 - math.floor(math.log10(width))))

    def bare(self, value: float) -> str:
        """Write a value to the digits of the interval, without its unit."""
        text = f"{self.scale * value:.{self.digits}f}"
        return text.lstrip("-") if float(text) == 0 else text.replace("-", "−")

    def size(self, value: float) -> str:
        """Write the size of a difference: of shares, in percentage points."""
        return self.bare(abs(value)) + ("" if self.plain else " percentage points")

    @property
    def point(self) -> str:
        """The estimate."""
        return "none" if self.estimate is None else self.bare(self.estimate) + self.unit

    @property
    def ends(self) -> str:
        """The ends of the interval."""
        if self.lower is None or self.upper is None:
            return "none"
        unit = self.unit if self.unit == " %" else ""
        return f"{self.bare(self.lower)}{unit} to {self.bare(self.upper)}{self.unit}"

    def interval(self, level: float) -> str:
        """The interval with its level."""
        return "no interval" if self.ends == "none" else f"{percent(level)} interval {self.ends}"


def percent(share: float) -> str:
    """A level as text: `95 %`."""
    return f"{100 * share:g} %"


def rounded(count: float) -> str:
    """Write a count to two digits, or all of those below 100."""
    if count < 99.5:
        return f"{count:.0f}"
    power = 10 ** (math.floor(math.log10(count)) - 1)
    return f"{round(count / power) * power:,}"


def as_gold_words(number: AsGold | None, title: str = "") -> str:
    """How many gold labels alone would say as much, with the interval, by its title, if known."""
    if number is None:
        return ""
    ends = number.interval
    if number.is_unbounded:
        return ends
    return f"{number.shown:,.0f} ({title}{ends})" if ends else rounded(number.number)


def listed(texts: Sequence[str], most: int = 12) -> str:
    """A list; beyond the first ones, how many there are."""
    more = f"; and {len(texts) - most} more" if len(texts) > most else ""
    return "; ".join(texts[:most]) + more


OF_ITEMS = "Its intervals are about the items at hand, not new ones."
OF_POPULATION = "Its intervals are about the population that the items were drawn from."


def assumptions_of(methods: Sequence[str], about: str) -> list[tuple[str, str]]:
    """The assumptions of methods and what their intervals are about, in the order of answers."""
    found = dict.fromkeys(
        in_order(methods, ANSWERS), "No description; see the documentation of the method."
    )
    for name in found:
        if name in METHODS and (offer := METHODS[name].offer):
            of = OF_POPULATION if is_of_population(name, about) else OF_ITEMS
            found[name] = f"{offer.assumes} {of}"
    return list(found.items())


NO_VALUE = Value("", None, None, None)
LEAST = 2  # decimals; more where the interval is narrower than the last of them


def badge(key: Key, answer: Value | None) -> str:
    """An answer, or its range, in a line that fits a badge: AUC large 0.93 (0.90 to 0.96)."""
    name = visible(" ".join(filter(None, [key.of.metric, key.who])))
    if answer is None or answer.lower is None or answer.upper is None:
        return f"{name} no answer"
    if answer.estimate is None:
        return f"{name} {ends_in_words(answer.lower, answer.upper)} without gold"
    width = answer.upper - answer.lower
    digits = max(LEAST, -math.floor(math.log10(width))) if width > 0 else LEAST
    numbers = (answer.estimate, answer.lower, answer.upper)
    value, lower, upper = (f"{one:.{digits}f}" for one in numbers)
    return f"{name} {value} ({lower} to {upper})"


VOTES_ALONE = "votes and scores alone"
ERRING_WORDS = "gold labels alone, corrected for expert error"
MOST_NAMED = 3  # answers, methods or fits that a remark names
MOST_UNSURE = 6  # models that a sentence at the head of the report names
MOST_PAIRS = 12  # pairs of models whose comparison is written out; all are in estimates.csv


@dataclass(frozen=True)
class AnswerText:
    """The texts on one metric's answer."""

    title: str  # what it is about
    sentence: str  # the answer; empty where there is none
    remarks: Sequence[str]  # what else to know of it
    cells: Sequence[str]  # for a table, as `CELLS`
    flagged: bool = False  # whether gold labels contradict the answer itself
    ahead: bool = False  # whether a model is ahead of another beyond doubt


CELLS = VALUE, BY, AS_GOLD, ALONE_SAYS, VOTES, MODEL_SAYS = (
    "value and interval", "by", NEEDED_ALONE, "gold labels alone", "votes alone", "a model says",
)  # fmt: skip


@dataclass(frozen=True)
class AnswerGroup:
    """The answers on a model, on a pair of models, or on the items and voters."""

    heading: str
    answers: Sequence[AnswerText]


def _leader_first(answer: Answer) -> Answer:
    """Turn a comparison round where the second model is ahead: a sentence begins with it."""
    value = answer.value
    behind = value is not None and value.estimate is not None and value.estimate < 0
    return answer.turned if answer.of.is_comparison and behind else answer


def _sentence(of: Quantity, value: Value, numbers: Numbers) -> str:
    """What is said of a value, or of who is ahead: of another model, or of a single voter."""
    words, sure, ahead = of.words, value.excludes_zero, value.estimate or 0.0
    said = {"metric": of.plain, "model": of.model, "at": of.at, "value": numbers.point}
    if of.is_comparison and not ahead:
        return f"{of.model} and {of.against} are level in {words.compared}."
    if of.is_comparison:
        first, _, second = of.at.partition("|")
        where = f", {of.model} flagging from {first}, {of.against} from {second}"
        if not second:
            where = f", flagging from {first}" if first else ""
        by = f"{numbers.size(ahead)} in {words.compared}{where}"
        doubt = "" if sure else "; it could be the other way round"
        return f"{of.model} is ahead of {of.against} by {by}{doubt}."
    if of.against_voters:
        more = {"value": numbers.size(ahead), "more": "more" if ahead >= 0 else "less"}
        doubt = "" if sure else "; the difference may be zero"
        return f"{words.sentence.format(**{**said, **more})}{doubt}."
    return words.sentence.format(**said)


def method_in_words(answer: Answer) -> str:
    """By what the number of an answer was found, with the method's name; empty without one."""
    if answer.value is None:
        return ""
    method = answer.value.method
    if answer.way == ALONE:
        return "gold labels alone"
    if answer.way == ALONE_OF_ERRING:
        return f"{ERRING_WORDS} ({method})"
    return f"corrected by gold ({method})" if answer.way == CORRECTED else method


def _beside(of: Quantity, value: Value | None) -> str:
    """A number with its interval, for a cell; empty where there is none."""
    if value is None or value.estimate is None:
        return ""
    numbers = Numbers(of, value)
    return f"{numbers.point} ({numbers.ends})"


def _cells(answer: Answer) -> list[str]:
    of, value, beside, allowed = answer.of, answer.value, answer.beside, answer.allowed
    votes = ""
    if answer.votes_alone is not None:
        votes = Numbers(of, replace(value or NO_VALUE, estimate=answer.votes_alone)).point
    model = "" if beside is None else f"{beside.method}: {_beside(of, beside)}"
    model += "; contradicted by the gold labels" if beside and beside.contradicted else ""
    if allowed is not None:
        ends = Numbers(of, Value("", None, *(allowed.ends or (None, None)))).ends
        says = f"{value.method}: {_beside(of, value)}" if value else model
        first = [f"a range, {ends}", VOTES_ALONE] if allowed.ends else ["no range", ""]
        return [*first, "", "", votes, says]
    if value is None:
        return ["no answer", "", "", _beside(of, answer.alone), votes, model]
    alone = answer.alone
    by_gold = "" if alone is None or alone.method == value.method else _beside(of, alone)
    as_gold = as_gold_words(value.as_gold)
    return [_beside(of, value), method_in_words(answer), as_gold, by_gold, votes, model]


def _without_gold(answer: Answer, allowed: VotesRange, level: float) -> tuple[str, list[str]]:
    """A range where there are no gold labels, and a model's number if what it assumes is true."""
    of, value = answer.of, answer.value
    remarks = [answer.remarks] if answer.remarks else []
    if value is not None and value.estimate is not None:
        numbers = Numbers(of, value)
        model = f"{value.method} says {numbers.point} ({numbers.interval(level)})"
        remarks.insert(0, f"{model}, if what it assumes is true; nothing checks it")
    if allowed.gold:
        remarks.insert(0, f"{gold_in_words(allowed.gold)}.")
    if allowed.ends is None:
        why = allowed.why.text if allowed.why else ""
        return f"{answer.of.in_words}: no range without gold labels, {why}.", remarks
    ends = Numbers(of, Value("", None, *allowed.ends)).ends
    said = {"metric": of.plain, "model": of.model, "at": of.at, "value": ends}
    return of.words.sentence.format(**said), remarks


def write_answer(answer: Answer, level: float) -> AnswerText:
    """What is said of an answer; its cells are of the first model less the second."""
    cells = _cells(answer)
    answer = _leader_first(answer)
    of, value = answer.of, answer.value
    if answer.allowed is not None:
        return AnswerText(of.title, *_without_gold(answer, answer.allowed, level), cells)
    if value is None or value.estimate is None:
        return AnswerText(of.title, "", [], cells)
    less = of.against_voters and value.estimate < 0  # which the sentence says
    numbers = Numbers(of, value.negated if less else value)
    sentence = _sentence(of, value, numbers).removesuffix(".")
    return AnswerText(
        of.title, f"{sentence} ({numbers.interval(level)}).",
        [answer.remarks] if answer.remarks else [], cells, bool(value.contradicted),
        of.is_comparison and value.excludes_zero,
    )  # fmt: skip


def write_answers(answers: Sequence[Answer], level: float) -> list[AnswerGroup]:
    """The answers: on the items and voters, on each model, on pairs of models."""
    groups: dict[tuple[str, str], list[AnswerText]] = {}
    for answer in answers:
        whose = (answer.of.model, answer.of.against if answer.of.is_comparison else "")
        if whose not in groups and sum(bool(other) for _, other in groups) >= MOST_PAIRS:
            continue
        groups.setdefault(whose, []).append(write_answer(answer, level))
    of_votes = any(one.of.metric == "TPR_H" for one in answers)
    items = "The items and their voters" if of_votes else "The items"
    headings = (
        f"{model} − {other}" if other else f"The model {model}" if model else items
        for model, other in groups
    )  # fmt: skip
    return [AnswerGroup(*one) for one in zip(headings, groups.values(), strict=True)]


def names_of(answers: Iterable[Answer]) -> str:
    """What some answers are of: the first ones, and how many more there are."""
    names = [one.of.name for one in answers]
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    return f"{', '.join(names[:MOST_NAMED])}{more}"


def unanswered(answers: Sequence[Answer]) -> Iterator[str]:
    """Which metrics have no answer, and why: each reason once, with all its methods."""
    by_why: dict[str, list[Answer]] = {}
    for one in (one for one in answers if one.value is None):
        why = "; ".join(one.reasons) or NO_METHOD
        what = "no model's number" if one.allowed else "no answer"
        by_why.setdefault(f"{what}: {why}", []).append(one)
    yield from (f"{names_of(some)}: {why}" for why, some in by_why.items())


def _best(answers: Sequence[Answer]) -> Iterator[str]:
    """Which model the differences of a metric put first, and which they do not tell from it."""
    both = [*answers, *(one.turned for one in answers)]
    for model in dict.fromkeys(one.of.model for one in both):
        own = [one for one in both if one.of.model == model]
        ahead = [one.value.estimate for one in own if one.value and one.value.estimate is not None]
        if ahead and min(ahead) >= 0:
            unsure = [one.of.against for one in own
                      if one.value is None or not one.value.excludes_zero]  # fmt: skip
            others = (
                list_names(unsure, MOST_UNSURE) if len(unsure) < len(own) else "any other model"
            )
            # Of equal values none is the highest alone.
            level = [one.of.against for one in own if one.value and one.value.estimate == 0]
            first, has = " and ".join([model, *level]), "have" if level else "has"
            told = f"cannot tell {others} from {model}"
            told = told if unsure else "tell it from every other model"
            ats = {at for one in own for at in one.of.at.split("|")}
            at = f" at {ats.pop()}" if len(ats) == 1 and "" not in ats else ""
            yield f"{first} {has} the highest {own[0].of.words.compared}{at}; the data {told}."
            return


def leads(answers: Sequence[Answer], level: float) -> list[str]:
    """Which model is best: of two, where one surely is; of more, a sentence for each metric."""
    pairs: dict[tuple[str, str], list[Answer]] = {}
    for one in answers:
        if one.of.is_comparison:
            pairs.setdefault((one.of.model, one.of.against), []).append(one)
    if len(pairs) > 1:
        # Of each pair the same questions, in the same order, though thresholds are each model's.
        by_metric = zip(*pairs.values(), strict=False)
        return [sentence for some in by_metric for sentence in _best(some)]
    written = [write_answer(one, level) for own in pairs.values() for one in own]
    return [one.sentence for one in written if one.ahead][:1]
