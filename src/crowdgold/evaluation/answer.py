"""The answer of a study: for each metric one number, and what stands beside it, as typed values.

Everything that speaks of an evaluation reads these records, and nothing else: the terminal, the
report, study.json, the notebook, conditions, the badge and exit codes.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from crowdgold.evaluation.questions import HUMANS, difference_of, plain_metric
from crowdgold.methods.method import CORRECTED as CORRECTED_BY_GOLD
from crowdgold.methods.needs import EXPERTS_ERRORS
from crowdgold.methods.registry import METHODS, baseline, with_role
from crowdgold.metrics.binary import METRICS
from crowdgold.metrics.metric import Words
from crowdgold.types.notes import Note, note_of, texts

STEPS = 4  # of rounding that an interval of a number as gold has at least
ALONE, ALONE_OF_ERRING, CORRECTED, BY_METHOD = WAYS = (
    "gold alone", "gold alone (E)", "gold-corrected", "method",
)  # fmt: skip
"""By what a number was found: gold alone, the same corrected for expert error, a prediction that
gold corrects, another method."""


def is_alone(method: str) -> bool:
    """Whether a method uses gold labels and nothing else."""
    known = METHODS.get(method)
    return known is not None and baseline() in (method, known.variant_of)


def is_corrected(method: str) -> bool:
    """Whether gold labels correct what a method says of votes and scores."""
    return method in with_role(CORRECTED_BY_GOLD) and not is_alone(method)


def knows_errors(method: str) -> bool:
    """Whether a method corrects the errors of experts, and does not take gold for the truth."""
    return method in METHODS and EXPERTS_ERRORS in METHODS[method].needs


def step_of(lower: np.ndarray, upper: np.ndarray) -> np.ndarray:
    """What an interval is rounded to: a power of ten, at least 1."""
    step: np.ndarray = 10.0 ** np.floor(np.log10(np.maximum((upper - lower) / STEPS, 1)))
    return step


@dataclass(frozen=True)
class Quantity:
    """What is estimated: a metric of a model, of two models, or of labels alone."""

    metric: str  # as tables have it, with its threshold
    model: str = ""  # empty of labels alone
    against: str = ""  # of a comparison, the other model; `HUMANS` against a single voter

    @property
    def plain(self) -> str:
        """The metric of which it is a value or a difference."""
        return plain_metric(self.metric)[0]

    @property
    def at(self) -> str:
        """The threshold that it is taken at, two for models that have different ones; or empty."""
        return plain_metric(self.metric)[1]

    @property
    def words(self) -> Words:
        """How the metric is written; one that is not known stands for itself."""
        name = self.plain
        unknown = Words(name, name, name, "{metric}: {value}.", name, name)
        return METRICS[name].words if name in METRICS else unknown

    @property
    def title(self) -> str:
        """What it is, at the head of something: `Recall at 0.5`."""
        return self.words.title + (f" at {self.at.replace('|', ' and ')}" if self.at else "")

    @property
    def is_comparison(self) -> bool:
        """Whether it compares two models."""
        return self.against not in ("", HUMANS)

    @property
    def against_voters(self) -> bool:
        """Whether it is a difference to a single voter."""
        return self.plain in METRICS and METRICS[self.plain].against_voters

    @property
    def is_difference(self) -> bool:
        """Whether it is a difference, between models or to the voters."""
        return self.is_comparison or self.against_voters

    @property
    def who(self) -> str:
        """The model, or the two models, that it is of."""
        return difference_of(self.model, self.against) if self.is_comparison else self.model

    @property
    def name(self) -> str:
        """The metric and whose it is, as tables have them."""
        return f"{self.metric} {self.who}".strip()

    @property
    def symbol(self) -> str:
        """The metric in short, with its threshold: `recall at 0.5`."""
        return self.words.symbol + (f" at {self.at.replace('|', ' and ')}" if self.at else "")

    @property
    def in_words(self) -> str:
        """What it is, for a sentence: `recall at 0.5 of large`."""
        name = self.symbol
        if self.is_comparison:
            return f"{name} of {self.model} against {self.against}"
        return f"{name} of {self.model}" if self.model else name

    @property
    def turned(self) -> "Quantity":
        """The same comparison the other way round."""
        name, _, at = self.metric.partition("@")
        metric = f"{name}@{'|'.join(reversed(at.split('|')))}" if at else name
        return Quantity(metric, self.against, self.model)


@dataclass(frozen=True)
class AsGold:
    """How many gold labels alone would give as narrow an interval."""

    number: float
    lower: float | None = None  # ends of its own interval; None where there is none
    upper: float | None = None  # None where only the least that it can be is known

    @property
    def is_unbounded(self) -> bool:
        """Whether only the least that it can be is known."""
        return self.lower is not None and self.upper is None

    @property
    def shown(self) -> float:
        """The number, rounded like its interval; the least it can be without a bound."""
        if self.lower is None:
            return self.number
        if self.upper is None:
            return self.lower
        step = float(step_of(np.array(self.lower), np.array(self.upper)))
        return float(np.clip(round(self.number / step) * step, self.lower, self.upper))

    @property
    def interval(self) -> str:
        """Its interval in words; empty where it has none."""
        if self.lower is None:
            return ""
        if self.upper is None:
            return f"at least {self.lower:,.0f}"
        return f"{self.lower:,.0f} to {self.upper:,.0f}"


def quantity_of(row: Mapping[str, Any]) -> Quantity:
    """What a row of a table of estimates is of."""
    return Quantity(str(row["metric"]), str(row["model"]), str(row["against"]))


NO_METHOD = "no method estimates it"  # why there is no answer, where no method was passed over
NUMBERS = (
    "estimate", "lower", "upper", "standard_error", "effective_gold", "effective_gold_lower",
    "effective_gold_upper",
)  # fmt: skip
"""Columns of a table of estimates that an answer has."""


@dataclass(frozen=True)
class Value:
    """A number by a method; None for what there is not."""

    method: str
    estimate: float | None
    lower: float | None
    upper: float | None
    standard_error: float | None = None
    as_gold: AsGold | None = None
    contradicted: bool | None = None  # by the gold labels; None where that is not known

    @property
    def ends(self) -> tuple[float, float] | None:
        """Both ends of its interval; None where it has none."""
        return None if self.lower is None or self.upper is None else (self.lower, self.upper)

    @property
    def has_interval(self) -> bool:
        """Whether it has an interval."""
        return self.ends is not None

    def holds(self, value: float) -> bool:
        """Whether its interval holds a value."""
        return self.ends is not None and self.ends[0] <= value <= self.ends[1]

    @property
    def half(self) -> float | None:
        """Half of its interval; None where it has none."""
        return None if self.ends is None else (self.ends[1] - self.ends[0]) / 2

    @property
    def excludes_zero(self) -> bool:
        """Whether its interval lies to one side of 0."""
        return self.ends is not None and (self.ends[0] > 0 or self.ends[1] < 0)

    @property
    def negated(self) -> "Value":
        """The same of the difference the other way round."""
        estimate, lower, upper = (
            None if one is None else -one for one in (self.estimate, self.upper, self.lower)
        )
        return replace(self, estimate=estimate, lower=lower, upper=upper)

    def as_json(self) -> dict[str, Any]:
        """As study.json has it."""
        gold = self.as_gold or AsGold(np.nan)
        number = None if self.as_gold is None else gold.number
        numbers = (self.estimate, self.lower, self.upper, self.standard_error, number, gold.lower,
                   gold.upper)  # fmt: skip
        named = dict(zip(NUMBERS, numbers, strict=True))
        return {"method": self.method, **named, "misfit": self.contradicted}


def value_of(row: Mapping[str, Any]) -> Value:
    """The value that a row of a table of estimates holds, or that `Value.as_json` wrote."""
    held = (row.get(name) for name in NUMBERS)
    numbers = [None if one is None or not np.isfinite(one) else float(one) for one in held]
    estimate, lower, upper, error, number, least, most = numbers
    as_gold = None if number is None else AsGold(number, least, most)
    misfit = row.get("misfit")
    known = misfit is not None and misfit == misfit  # not NaN
    contradicted = bool(misfit) if known else None
    return Value(str(row["method"]), estimate, lower, upper, error, as_gold, contradicted)


@dataclass(frozen=True)
class VotesRange:
    """What votes and scores allow without gold labels."""

    lower: float | None  # its ends; None where there is none
    upper: float | None
    gold: int  # labels that would give an interval; 0 where the range is narrow enough
    why: Note | None = None  # why there is none

    @property
    def ends(self) -> tuple[float, float] | None:
        """Both ends; None where there is none."""
        return None if self.lower is None or self.upper is None else (self.lower, self.upper)


@dataclass(frozen=True)
class Passed:
    """A method that does not give the answer, and why; without a name where it is of all."""

    method: str
    why: tuple[Note, ...]

    @property
    def text(self) -> str:
        """Both in words."""
        return f"{self.method}: {texts(self.why)}" if self.method else texts(self.why)


@dataclass(frozen=True)
class Answer:
    """The answer of a metric, in a stratum of the items."""

    stratum: str
    of: Quantity
    value: Value | None = None  # None where no method gives one; a model's beside a range
    beside: Value | None = None  # what a model says
    alone: Value | None = None  # what gold labels alone say
    votes_alone: float | None = None  # the value where the majority of votes is taken for the truth
    allowed: VotesRange | None = None  # without gold labels
    gold: int = 0  # labels that it rests on
    reason: Note | None = None  # why gold labels correct nothing; None where they do
    notes: tuple[Note, ...] = ()  # what else to know of its number
    passed_over: tuple[Passed, ...] = ()  # methods before it in the order of choice

    @property
    def way(self) -> str:
        """By what the number was found, one of `WAYS`."""
        if self.value is None:
            return BY_METHOD
        method = self.value.method
        if is_alone(method) or self.has("gold_alone"):
            return ALONE_OF_ERRING if knows_errors(method) else ALONE
        return CORRECTED if is_corrected(method) and not self.passed_over else BY_METHOD

    @property
    def is_known(self) -> bool:
        """Whether it has an interval, or without gold labels a range."""
        if self.allowed is not None:
            return self.allowed.ends is not None
        return self.value is not None

    def has(self, code: str) -> bool:
        """Whether a note with this code is among those of its number."""
        return any(note.code == code for note in self.notes)

    @property
    def remarks(self) -> str:
        """Its notes in words, and the method in whose place it stands."""
        instead = [f"instead of {one.text}" for one in self.passed_over[:1] if self.value]
        return "; ".join([*(note.text for note in self.notes), *instead])

    @property
    def reasons(self) -> list[str]:
        """Why methods before it do not give the answer: each reason once, with all its methods."""
        methods: dict[str, list[str]] = {}
        for passed in self.passed_over:
            methods.setdefault(texts(passed.why), []).extend([passed.method] * bool(passed.method))
        return [f"{', '.join(of)}: {why}" if of else why for why, of in methods.items()]

    @property
    def turned(self) -> "Answer":
        """The same comparison the other way round."""
        values = (self.value, self.beside, self.alone)
        value, beside, alone = (one and one.negated for one in values)
        votes = None if self.votes_alone is None else -self.votes_alone
        return replace(self, of=self.of.turned, value=value, beside=beside, alone=alone,
                       votes_alone=votes)  # fmt: skip

    def as_json(self) -> dict[str, Any]:
        """As study.json has it: the numbers of its value beside what it is of."""
        nothing = {"method": None, **dict.fromkeys(NUMBERS), "misfit": None}
        allowed = self.allowed and {
            **vars(self.allowed), "why": self.allowed.why and self.allowed.why.as_json()
        }  # fmt: skip
        return {
            "stratum": self.stratum, **vars(self.of),
            **(nothing if self.value is None else self.value.as_json()),
            "way": self.way if self.value else None, "gold": self.gold,
            "beside": self.beside and self.beside.as_json(),
            "gold_alone": self.alone and self.alone.as_json(),
            "votes_alone": self.votes_alone, "range": allowed,
            "reason": self.reason and self.reason.as_json(),
            "notes": [note.as_json() for note in self.notes],
            "passed_over": [
                {"method": one.method, "why": [note.as_json() for note in one.why]}
                for one in self.passed_over
            ],
        }  # fmt: skip


def answer_of(row: Mapping[str, Any]) -> Answer:
    """The answer that `Answer.as_json` wrote."""
    held = row["range"]
    return Answer(
        row["stratum"], Quantity(row["metric"], row["model"], row["against"]),
        value_of(row) if row["method"] is not None else None,
        row["beside"] and value_of(row["beside"]),
        row["gold_alone"] and value_of(row["gold_alone"]), row["votes_alone"],
        held and VotesRange(held["lower"], held["upper"], held["gold"],
                            held["why"] and note_of(held["why"])),
        row["gold"], row["reason"] and note_of(row["reason"]),
        tuple(map(note_of, row["notes"])),
        tuple(Passed(one["method"], tuple(map(note_of, one["why"]))) for one in row["passed_over"]),
    )  # fmt: skip


def of_stratum(answers: Sequence[Answer], stratum: str) -> list[Answer]:
    """Those of a stratum."""
    return [one for one in answers if one.stratum == stratum]
