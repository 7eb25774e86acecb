"""What graders said of a model's answers, as rows of a study.

An item is an answer. A grader who says yes or no of answers is an annotator: 1 is right, 0 is not.
One whose values are other numbers is no annotator; they are scores, in a column `score_GRADER`.
What a person said is a gold label. The rest (texts beside such labels, lists) is passed over, which
is said.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from crowdgold.data.checks import counted, list_guessed
from crowdgold.data.errors import InputError
from crowdgold.data.own.exports.export import Found, Numbered, table

WORDS = {
    "true": 1.0, "yes": 1.0, "pass": 1.0, "passed": 1.0, "correct": 1.0,
    "false": 0.0, "no": 0.0, "fail": 0.0, "failed": 0.0, "incorrect": 0.0,
}  # fmt: skip
"""Words of graders for yes and no."""


@dataclass(frozen=True)
class Verdict:
    """What a grader, or a person, said of an answer.

    Attributes:
        number: what messages call the record that it stands in.
        item: the answer.
        by: the grader's name, or the person's.
        value: yes or no, a number, or a word; nothing where there was no verdict.
        score: a number beside a yes or no.
        human: whether it is a person's.
        answer: what else is known of the answer, as columns: `model`, `model_answer`, `target`.
    """

    number: int
    item: str
    by: str
    value: Any
    score: Any = None
    human: bool = False
    answer: Mapping[str, Any] = field(default_factory=dict)


def numbered(names: Sequence[str]) -> list[str]:
    """Names of which none is there twice: the second `x` is `x 2`."""
    return [
        f"{name} {names[: place + 1].count(name)}" if name in names[:place] else name
        for place, name in enumerate(names)
    ]


def _number(value: Any) -> float | None:
    """A verdict as a number; none of a list, or of a word that is neither yes nor no."""
    if isinstance(value, str):
        word = value.strip().casefold()
        if word in WORDS:
            return WORDS[word]
        try:
            value = float(word)
        except ValueError:
            return None
    if not isinstance(value, bool | int | float):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf


def _said(value: Any) -> bool:
    """Whether there is a verdict; not a number is none."""
    return not (value is None or value == "" or (isinstance(value, float) and math.isnan(value)))


LABELS, SCORES, TEXTS, OTHER = "labels", "scores", "texts", "other"


def _kind(values: Sequence[Any]) -> str:
    """What a grader's values are."""
    numbers = [_number(one) for one in values]
    if all(one in (0, 1) for one in numbers):
        return LABELS
    if all(one is not None and math.isfinite(one) for one in numbers):
        return SCORES
    return TEXTS if all(isinstance(one, str) for one in values) else OTHER


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}…"


class _Graders:
    """The graders of a file by what their values are."""

    def __init__(self, verdicts: Sequence[Verdict]) -> None:
        self.values: dict[tuple[bool, str], list[Any]] = {}
        beside: dict[str, list[Any]] = {}
        for one in verdicts:
            own = self.values.setdefault((one.human, one.by), [])
            own.extend([one.value] if _said(one.value) else [])
            if not one.human and _said(one.score):
                beside.setdefault(one.by, []).append(one.score)
        self.kinds = {who: _kind(own) for who, own in self.values.items() if own}
        if LABELS not in self.kinds.values():  # words are labels where nobody says yes or no
            self.kinds = {
                who: LABELS if kind == TEXTS else kind for who, kind in self.kinds.items()
            }
        numbers = self.of_kind(SCORES)
        self.scored = [*numbers, *(by for by, own in beside.items() if _kind(own) == SCORES)]

    def of_kind(self, kind: str, human: bool = False) -> list[str]:
        """The graders, or persons, whose values are of a kind."""
        return [by for (person, by), own in self.kinds.items() if own == kind and person == human]

    def score(self, verdict: Verdict) -> float | None:
        """The score that a verdict gives, if it gives one."""
        if verdict.human or verdict.by not in self.scored:
            return None
        is_number = self.kinds.get((False, verdict.by)) == SCORES
        found = verdict.value if is_number else verdict.score
        return _number(found) if _said(found) else None

    def passed_over(self) -> Iterator[str]:
        """What is not used, with the first value."""
        for (human, by), own in self.values.items():
            kind = self.kinds.get((human, by), OTHER)
            if not own:
                yield f"{by} (without a value)"
            elif kind in (TEXTS, OTHER) or (human and kind == SCORES):
                yield f"{by} (as {_shown(own[0])})"

    def notes(self) -> Iterator[str]:
        """What was read as what."""
        if labels := self.of_kind(LABELS):
            yield f"{list_guessed(labels)} read as annotators of the answers (1 is right, 0 is not)"
        if people := self.of_kind(LABELS, human=True):
            yield f"{list_guessed(people)} read as experts (gold, if of answers drawn at random)"
        if self.scored:
            yield f"numbers of {list_guessed(self.scored)} read as scores"
        if rest := list(self.passed_over()):
            yield f"passed over, neither yes or no nor a number: {list_guessed(rest)}"


def _cell(value: Any) -> Any:
    """A label: 1 or 0 of yes or no, any other word as it stands."""
    number = _number(value)
    return value if number is None else int(number)


def table_of_verdicts(verdicts: Sequence[Verdict], path: Path, what: str, expected: str) -> Found:
    """The rows of a study that verdicts on answers make.

    Args:
        path: the file.
        what: it is, and how its items are named: the first note.
        expected: what it should have held, for a message.

    Raises:
        InputError: where it holds neither labels nor scores.
    """
    graders = _Graders(verdicts)
    rows: dict[tuple[Any, ...], Numbered] = {}
    scored: dict[str, Numbered] = {}
    for one in verdicts:
        if _said(one.value) and graders.kinds[one.human, one.by] == LABELS:
            person = "expert" if one.human else "annotator"
            row = {"item": one.item, person: one.by, "label": _cell(one.value)}
            # A person who grades an answer twice, alike, says one thing.
            key = tuple(row.items()) if one.human else (len(rows),)
            known = {name: cell for name, cell in one.answer.items() if cell is not None}
            rows.setdefault(key, (one.number, {**row, **known}))
        score = graders.score(one)
        if score is not None:
            _, row = scored.setdefault(one.item, (one.number, {"item": one.item}))
            row.setdefault(f"score_{one.by}", score)
    if not rows and not scored:
        rest = list(graders.passed_over())
        found = f"found {list_guessed(rest)}; " if rest else ""
        raise InputError(
            f"{path}: {what}, and nothing of it can be used: {found}expected {expected}"
        )
    return *table([*rows.values(), *scored.values()]), [what, *graders.notes()]


def answers_in_words(number: int, models: Sequence[str]) -> str:
    """How many answers there are, and whose."""
    of = f" of {list_guessed(sorted(set(models)))}" if models else ""
    return f"{counted(number, 'answer')}{of}"
