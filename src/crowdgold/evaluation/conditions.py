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
from itertools import combinations
from typing import Any

from crowdgold.checking.without_gold import gold_in_words
from crowdgold.evaluation.folder import Evaluation
from crowdgold.evaluation.jobs import ALL
from crowdgold.evaluation.questions import HUMANS, Settings, questions_of
from crowdgold.evaluation.rows import difference_name
from crowdgold.metrics.binary import LABEL_METRICS
from crowdgold.metrics.metric import DELTA
from crowdgold.types.choices import ESTIMATED, POSSIBLY, SURELY
from crowdgold.types.columns import list_names
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_PREDICTOR, Items
from crowdgold.types.parameters import did_you_mean

OPERATORS: Mapping[str, Callable[[float, float], bool]] = {
    "<=": operator.le, ">=": operator.ge, "<": operator.lt, ">": operator.gt,
}  # fmt: skip
FORM = re.compile(r"\s*(.+?)\s*(<=|>=|<|>)\s*(\S+)\s*")
EXAMPLE = '"AUC < 0.9", "AUC:MODEL < 0.9" or "delta_AUC <= 0"'
NAMED = 8  # answers that a message names


def _plain(who: str) -> str:
    """The name of a model, or of two, without white space around dashes."""
    return re.sub(r"\s*-\s*", "-", who.strip())


@dataclass(frozen=True)
class Key:
    """Which of a study's answers is meant."""

    model: str  # empty of labels alone
    against: str  # of a comparison, the other model
    metric: str  # as tables have it, with its threshold
    turned: bool = False  # whether the difference is meant the other way round

    @property
    def who(self) -> str:
        """The model, or the two with a dash between them."""
        if self.against in ("", HUMANS):
            return self.model
        both = (self.against, self.model) if self.turned else (self.model, self.against)
        return " - ".join(both)

    def __str__(self) -> str:
        name, at_sign, threshold = self.metric.partition("@")
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


def answers_asked(settings: Settings, items: Items) -> Iterator[Key]:
    """The answers that a study will have: of labels, of each model, of each two."""
    models = items.predictors or [NO_PREDICTOR]
    asked = {model: questions_of(settings, items, model).asked for model in models}
    yield from (Key("", "", one.text) for one in asked[models[0]] if one.name in LABEL_METRICS)
    of_models = {
        model: [one for one in own if one.name not in LABEL_METRICS] for model, own in asked.items()
    }
    for model, own in of_models.items():
        yield from (Key(model, HUMANS if one.name.startswith(DELTA) else "", one.text)
                    for one in own)  # fmt: skip
    for first, second in combinations(models, 2):
        for one, other in zip(of_models[first], of_models[second], strict=False):
            yield Key(first, second, difference_name(one.text, other.text))


def _matches(key: Key, who: str, threshold: str) -> Iterator[Key]:
    """The answer, or the same with the models swapped, where it is of these and the threshold."""
    _, _, at = key.metric.partition("@")
    try:
        same = not threshold or at == threshold or float(at) == float(threshold)
    except ValueError:
        same = False
    ways = [key] if key.against in ("", HUMANS) else [key, replace(key, turned=True)]
    if same:
        yield from (one for one in ways[: None if who else 1] if who in ("", _plain(one.who)))


def find_answer(text: str, settings: Settings, items: Items) -> Key:
    """The answer that a name means: METRIC, METRIC:MODEL, delta_METRIC:MODEL-OTHER, or @THRESHOLD.

    Raises an `InputError` where a study has no such answer, or several.
    """
    known = list(answers_asked(settings, items))
    rest, _, threshold = text.strip().partition("@")
    threshold, _, late = threshold.partition(":")
    name, _, early = rest.partition(":")
    named = [key for key in known if key.metric.partition("@")[0] == name.strip()]
    if not named:
        names = list(dict.fromkeys(key.metric.partition("@")[0] for key in known))
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


def _row(key: Key, summary: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The row of `headlines` in study.json, of all items, that a key means; None if none is."""
    wanted = (ALL, key.model, key.against, key.metric)
    columns = ("stratum", "model", "against", "metric")
    rows = summary["headlines"]
    return next((row for row in rows if tuple(row[name] for name in columns) == wanted), None)


def _why_none(key: Key, summary: Mapping[str, Any]) -> str:
    """Why there is no answer: which gold labels would give one, or what the first method lacks."""
    row = _row(key, summary)
    if row is None or not row.get("range"):
        return "" if row is None or row["method"] else next(iter(row["passed_over"]), "")
    if row["range"]["lower"] is not None:
        return ""
    return f"without gold labels {row['range']['why']}; {gold_in_words(row['range']['gold'])}"


def answer_to(key: Key, summary: Mapping[str, Any]) -> dict[str, Any] | None:
    """The answer of all items, turned round where that is meant; None where there is none.

    Without gold labels it is the range, without an estimate.
    """
    row = _row(key, summary)
    if row is not None and row.get("range"):
        ends = {name: row["range"][name] for name in ("lower", "upper")}
        # No difference of models has a range, so that none has to be turned.
        return None if ends["lower"] is None else {**row, **ends, "estimate": None, "method": None}
    if row is None or row["method"] is None:
        return None
    turned = {"model": key.against, "against": key.model, "estimate": -row["estimate"],
              "lower": -row["upper"], "upper": -row["lower"]}  # fmt: skip
    return {**row, **(turned if key.turned else {})}


def _outcome(condition: Condition, summary: Mapping[str, Any], rule: str) -> dict[str, Any]:
    """Whether a condition holds, and fails the command by a rule, as study.json has it.

    `rule` is `SURELY`, `POSSIBLY` or `ESTIMATED`: where the condition has to hold for a failure.
    """
    answer = answer_to(condition.key, summary)
    about = {
        "condition": condition.text, "answer": str(condition.key), "fail_on": rule,
        "why": _why_none(condition.key, summary),
    }  # fmt: skip
    numbers = ("method", "estimate", "lower", "upper")
    if answer is None:
        return {**about, "holds": None, "failed": None, **dict.fromkeys(numbers)}
    ends = [condition.holds(answer[end]) for end in ("lower", "upper")]
    holds = SURELY if all(ends) else POSSIBLY if any(ends) else "no"
    failed: bool | None = all(ends) if rule == SURELY else any(ends)
    if rule == ESTIMATED and answer["estimate"] is not None:
        failed = condition.holds(answer["estimate"])
    elif rule == ESTIMATED and holds == POSSIBLY:
        failed, about["why"] = (
            None,
            ("without gold labels there is a range and no estimate, and both sides are in it"),
        )
    return {**about, "holds": holds, "failed": failed, **{name: answer[name] for name in numbers}}


def with_conditions(
    evaluation: Evaluation, conditions: Sequence[Condition], rule: str
) -> Evaluation:
    """An evaluation whose summary has `conditions`: whether each holds, and fails by a rule."""
    decided = [_outcome(one, evaluation.summary, rule) for one in conditions]
    return replace(evaluation, summary={**evaluation.summary, "conditions": decided})
