"""Conditions on answers, as `AUC:large < 0.9`: what they are about, and whether they hold.

An answer is an interval; without gold labels it is the range that votes and scores allow, and the
model's number decides nothing. A condition holds surely where it holds at both ends of the interval
or range, and possibly where it holds at one. Which answer a condition is about is found before an
evaluation, so that no model is sampled for a name that is wrong.
"""

import operator
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from crowdgold.checking.without_gold import gold_in_words
from crowdgold.evaluation.answer import Answer, Quantity, Value, of_stratum
from crowdgold.evaluation.choosing import quantities_asked
from crowdgold.evaluation.folder import Evaluation
from crowdgold.evaluation.jobs import ALL
from crowdgold.evaluation.questions import Settings
from crowdgold.types.columns import list_names
from crowdgold.types.errors import InputError
from crowdgold.types.items import Items
from crowdgold.types.parameters import ESTIMATED, POSSIBLY, SURELY, did_you_mean

OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    "<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt,
}  # fmt: skip
NOT = "no"  # it holds nowhere in the interval
FORM = re.compile(r"\s*(.+?)\s*(<=|>=|<|>)\s*(\S+)\s*")
EXAMPLE = '"AUC < 0.9", "AUC:MODEL < 0.9" or "delta_AUC <= 0"'
NAMED = 8  # answers that a message names


def _plain(who: str) -> str:
    """The name of a model, or of two, without white space around dashes."""
    return re.sub(r"\s*-\s*", "-", who.strip())


@dataclass(frozen=True)
class Key:
    """Which of a study's answers is meant."""

    of: Quantity
    turned: bool = False  # whether the difference is meant the other way round

    @property
    def who(self) -> str:
        """The model, or the two with a dash between them."""
        return (self.of.turned if self.turned else self.of).who

    def __str__(self) -> str:
        name, at_sign, threshold = self.of.metric.partition("@")
        return f"{name}{':' * bool(self.who)}{_plain(self.who)}{at_sign}{threshold}"


@dataclass(frozen=True)
class Condition:
    """What is asked of an answer."""

    text: str  # as it was written
    key: Key
    sign: str  # one of `OPERATORS`
    bound: float

    def holds(self, value: float) -> bool:
        """Whether a value fulfils it."""
        return OPERATORS[self.sign](value, self.bound)


def _matches(key: Key, who: str, threshold: str) -> Iterator[Key]:
    """The answer, or the same with the models swapped, where it is of these and the threshold."""
    at = key.of.at
    try:
        same = not threshold or at == threshold or float(at) == float(threshold)
    except ValueError:
        same = False
    ways = [key, replace(key, turned=True)] if key.of.is_comparison else [key]
    if same:
        yield from (one for one in ways[: None if who else 1] if who in ("", _plain(one.who)))


def find_answer(text: str, settings: Settings, items: Items) -> Key:
    """The answer that a name means: METRIC, METRIC:MODEL, delta_METRIC:MODEL-OTHER, or @THRESHOLD.

    Raises an `InputError` where a study has no such answer, or several.
    """
    known = list(map(Key, quantities_asked(settings, items)))
    rest, _, threshold = text.strip().partition("@")
    threshold, _, late = threshold.partition(":")
    name, _, early = rest.partition(":")
    named = [key for key in known if key.of.metric.partition("@")[0] == name.strip()]
    if not named:
        names = list(dict.fromkeys(key.of.metric.partition("@")[0] for key in known))
        meant = did_you_mean(name.strip(), names, always=True)
        raise InputError(f"{text!r}: no answer of this name; {meant} ({list_names(names)})")
    who = _plain(early or late)
    found = [one for key in named for one in _matches(key, who, threshold.strip())]
    if len(found) != 1:
        said = "it can be any of" if found else "there is no such answer; expected one of"
        raise InputError(f"{text!r}: {said} {list_names(found or named, NAMED)}")
    return found[0]


def read_condition(text: str, settings: Settings, items: Items) -> Condition:
    """The condition that a text states; an `InputError` where it is none, or about no answer."""
    form = FORM.fullmatch(text)
    try:
        if form is None or not abs(bound := float(form[3])) < float("inf"):
            raise ValueError("no condition")
    except ValueError:
        raise InputError(
            f"--fail-if: found {text!r}, expected a metric, one of {' '.join(OPERATORS)}, and a "
            f"number, as {EXAMPLE}"
        ) from None
    try:
        return Condition(text.strip(), find_answer(form[1], settings, items), form[2], bound)
    except InputError as error:
        raise InputError(f"--fail-if {error}") from None


def _found(key: Key, evaluation: Evaluation) -> Answer | None:
    """The answer of all items that a key means; None if there is none."""
    of_all = of_stratum(evaluation.answers, ALL)
    return next((one for one in of_all if one.of == key.of), None)


def _why_none(key: Key, evaluation: Evaluation) -> str:
    """Why there is no answer: which gold labels would give one, or what the first method lacks."""
    answer = _found(key, evaluation)
    if answer is None or answer.is_known:
        return ""
    if answer.allowed is None:
        return next((one.text for one in answer.passed_over), "")
    why = answer.allowed.why
    lacks = f"without gold labels {why.text}; " if why else ""
    return f"{lacks}{gold_in_words(answer.allowed.gold)}"


def answer_to(key: Key, evaluation: Evaluation) -> Value | None:
    """The answer of all items, turned round where that is meant; None where there is none.

    Without gold labels it is the range, by no method and without an estimate.
    """
    answer = _found(key, evaluation)
    if answer is None or not answer.is_known:
        return None
    if answer.allowed is not None:
        # No difference of models has a range, so that none has to be turned.
        return Value("", None, answer.allowed.lower, answer.allowed.upper)
    return answer.turned.value if key.turned else answer.value


@dataclass(frozen=True)
class Outcome:
    """Whether a condition holds, and fails the command."""

    condition: str  # as it was written
    answer: str  # which answer it is about
    fail_on: str  # the rule: where it has to hold for a failure
    holds: str | None  # `SURELY`, `POSSIBLY` or `NOT`; None where there is no answer
    failed: bool | None  # None where that cannot be told
    why: str = ""  # why there is no answer, or why it cannot be told
    value: Value | None = None

    def as_json(self) -> dict[str, Any]:
        """As study.json has it."""
        numbers = ("method", "estimate", "lower", "upper")
        value = {name: self.value and (getattr(self.value, name) or None) for name in numbers}
        if self.value is not None:
            value |= {name: getattr(self.value, name) for name in numbers[1:]}
        return {**{name: held for name, held in vars(self).items() if name != "value"}, **value}


def _outcome(condition: Condition, evaluation: Evaluation, rule: str) -> Outcome:
    """Whether a condition holds, by a rule: `SURELY`, `POSSIBLY` or `ESTIMATED`."""
    value = answer_to(condition.key, evaluation)
    why = _why_none(condition.key, evaluation)
    about = (condition.text, str(condition.key), rule)
    if value is None or value.lower is None or value.upper is None:
        return Outcome(*about, None, None, why)
    ends = [condition.holds(end) for end in (value.lower, value.upper)]
    holds = SURELY if all(ends) else POSSIBLY if any(ends) else NOT
    failed: bool | None = all(ends) if rule == SURELY else any(ends)
    if rule == ESTIMATED and value.estimate is not None:
        failed = condition.holds(value.estimate)
    elif rule == ESTIMATED and holds == POSSIBLY:
        failed = None
        why = "without gold labels there is a range and no estimate, and both sides are in it"
    return Outcome(*about, holds, failed, why, value)


def outcomes(
    evaluation: Evaluation, conditions: Sequence[Condition], rule: str
) -> tuple[Outcome, ...]:
    """Whether each of some conditions holds, and fails the command by a rule."""
    return tuple(_outcome(one, evaluation, rule) for one in conditions)
