"""What an export of a tool is, and what the files of several tools have in common.

What graders said of a model's answers, as rows of a study.

An item is an answer. A grader who says yes or no of answers is an annotator: 1 is right, 0 is not.
A few other values of an annotator, as partial credit, are passed over. A grader whose values are
other numbers is no annotator; they are scores, in a column `score_GRADER`. A grader that failed
gives no vote. What a person said is a gold label. The rest (texts beside such labels, lists) is
passed over. All of that is said.
"""

import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.types.columns import counted, list_guessed
from crowdgold.types.errors import InputError

Records = Sequence[Mapping[str, Any]]
Found = tuple[pd.DataFrame, int | np.ndarray, list[str]]
"""A table, what messages call its first row or each row, and what to say of it."""
Numbered = tuple[int, dict[str, Any]]
"""A row, and the number of the task, line or sample that it is of."""
NAMES = ("item", "item_id")
"""What a user's own data call an item; they come before a tool's number for it."""
OF_A_LABEL = ("annotator", "expert", "label")
"""Columns of a label, which the data of a task may have for something else."""


@dataclass(frozen=True)
class Export:
    """A kind of file that a tool writes.

    Attributes:
        name: of the tool.
        is_it: whether records are of it.
        read: makes a table of the records of a file: a row a label, with columns of a study.
        is_object: whether a JSON file of it can be one object, and not a list.
        number: the entry without which two records in the same words may be two things; empty
            where they are always one.
        instead: ending of files of the tool that are not read -> what to give in their place.
    """

    name: str
    is_it: Callable[[Records], bool]
    read: Callable[[Records, Path], Found]
    is_object: bool = False
    number: str = ""
    instead: Mapping[str, str] = field(default_factory=dict)


def plain(values: Mapping[str, Any]) -> dict[str, Any]:
    """The entries that can stand in a cell."""
    return {k: v for k, v in values.items() if not isinstance(v, dict | list)}


def table(rows: Sequence[Numbered]) -> tuple[pd.DataFrame, np.ndarray]:
    """A table of rows, and what they are called: the number of their task, line or sample."""
    numbers = np.array([number for number, _ in rows], dtype=np.int64)
    return pd.DataFrame([row for _, row in rows], dtype=object), numbers


def first_of_each(records: Records, number: str) -> list[int]:
    """The places of records, without those that are there again in the same words.

    Args:
        number: the entry without which they are two things; empty where they are always one.
    """
    places: dict[str, int] = {}
    for place, one in enumerate(records):
        one_of_its_own = bool(number) and not one.get(number)
        places.setdefault(str(place) if one_of_its_own else json.dumps(one, default=str), place)
    return list(places.values())


def as_object(value: Any) -> dict[str, Any]:
    """An object that an export has, empty where it has none."""
    return value if isinstance(value, dict) else {}


def as_list(value: Any, where: str) -> list[Any]:
    """A list that an export has, empty where it has none.

    Raises:
        InputError: where something else stands there.
    """
    if value is None:
        return []
    if not isinstance(value, list):
        raise InputError(f"{where}: found {str(value)[:40]!r}, expected a list")
    return value


def objects(value: Any, where: str) -> list[dict[str, Any]]:
    """The objects in a list that an export has.

    Raises:
        InputError: where something else stands there.
    """
    found = as_list(value, where)
    for one in found:
        if not isinstance(one, dict):
            raise InputError(f"{where}: found {str(one)[:40]!r}, expected an object")
    return found


def one_question(questions: Sequence[str], path: Path, what: str) -> None:
    """Raise an `InputError` where labels are answers to several questions.

    Args:
        what: what to keep of one question, in the tool's words.
    """
    if len(questions) > 1:
        raise InputError(
            f"{path}: labels of {len(questions)} questions ({', '.join(sorted(questions))}); "
            f"expected one. Export each by itself, or keep the {what} of one"
        )


def key_of_items(own: Sequence[Mapping[str, Any]]) -> str | None:
    """The entry by which a user's own data name items; None where some have none."""
    return next((name for name in NAMES if own and all(name in one for one in own)), None)


WORDS = {
    "true": 1.0, "yes": 1.0, "pass": 1.0, "passed": 1.0, "correct": 1.0,
    "false": 0.0, "no": 0.0, "fail": 0.0, "failed": 0.0, "incorrect": 0.0,
}  # fmt: skip
"""Words of graders for yes and no."""
NEARLY_ALL = 0.9
"""A grader of whom this share of the values is yes or no is an annotator."""
LONG = 200
"""Characters from which on a question is given as its hash."""


@dataclass(frozen=True)
class Verdict:
    """What a grader, or a person, said of an answer.

    Attributes:
        number: what messages call the record that it stands in.
        item: the answer.
        by: the grader's name, or the person's.
        value: yes or no, a number, or a word; nothing where the grader failed or was skipped.
        score: a number beside a yes or no.
        human: whether it is a person's.
        answer: what else is known of the answer, as columns (see `answer_columns`).
    """

    number: int
    item: str
    by: str
    value: Any
    score: Any = None
    human: bool = False
    answer: Mapping[str, Any] = field(default_factory=dict)


def numbered(names: Iterable[str], word: str = "") -> list[str]:
    """Names of which none is there twice: the second `x` is `x 2`, or `x WORD 2`."""
    seen, found, before = Counter[str](), list[str](), f" {word}" if word else ""
    for name in names:
        seen[name] += 1
        found.append(f"{name}{before} {seen[name]}" if seen[name] > 1 else name)
    return found


def written_out(value: Any) -> str:
    """A text as it stands, or anything else as JSON; empty where there is nothing."""
    if isinstance(value, str):
        return value
    if not _said(value) or (isinstance(value, dict | list) and not value):
        return ""
    return json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)


def answer_columns(question: Any = None, **known: Any) -> dict[str, Any]:
    """What is known of an answer, as columns, by which answers in several files are told apart.

    Args:
        question: what the model was asked; a long one is given as its hash.
        known: `model`, `model_answer`, `target`, `task`, and what else a tool knows.
    """
    text = written_out(question)
    if len(text) > LONG:
        encoded = text.encode("utf-8", "surrogatepass")
        text = hashlib.sha1(encoded, usedforsecurity=False).hexdigest()
    return {**known, "question": text or None}


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
    if isinstance(value, float):
        return not math.isnan(value)
    return not (value is None or (isinstance(value, str) and not value))


def _is_yes_or_no(value: Any) -> bool:
    return _number(value) in (0, 1)


def _are_numbers(values: Sequence[Any]) -> bool:
    numbers = map(_number, values)
    return all(one is not None and math.isfinite(one) for one in numbers)


LABELS, SCORES, TEXTS, OTHER = "labels", "scores", "texts", "other"


def _kind(values: Sequence[Any]) -> str:
    """What a grader's values are."""
    if sum(map(_is_yes_or_no, values)) / len(values) >= NEARLY_ALL:
        return LABELS
    if _are_numbers(values):
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
        self.silent = Counter(
            one.by for one in verdicts if not (_said(one.value) or _said(one.score))
        )
        self.kinds = {who: _kind(own) for who, own in self.values.items() if own}
        self.words = LABELS not in self.kinds.values()
        if self.words:  # they are labels where nobody says yes or no
            self.kinds = {
                who: LABELS if kind == TEXTS else kind for who, kind in self.kinds.items()
            }
        self.scored = self.of_kind(SCORES)
        self.scored += [
            by
            for by, own in beside.items()
            if _are_numbers(own) and not all(map(_is_yes_or_no, own))
        ]

    def of_kind(self, kind: str, human: bool = False) -> list[str]:
        """The graders, or persons, whose values are of a kind."""
        return [by for (person, by), own in self.kinds.items() if own == kind and person == human]

    def label(self, verdict: Verdict) -> Any:
        """The label that a verdict gives: 1 or 0 of yes or no, or a word; None where it is none."""
        if not _said(verdict.value) or self.kinds[verdict.human, verdict.by] != LABELS:
            return None
        if _is_yes_or_no(verdict.value):
            return int(_number(verdict.value) or 0)
        return verdict.value if self.words else None

    def score(self, verdict: Verdict) -> float | None:
        """The score that a verdict gives, if it gives one."""
        if verdict.human or verdict.by not in self.scored:
            return None
        is_number = self.kinds.get((False, verdict.by)) == SCORES
        found = verdict.value if is_number else verdict.score
        return _number(found) if _said(found) else None

    def passed_over(self) -> Iterator[str]:
        """Whose values are not used, with the first value."""
        for (human, by), own in self.values.items():
            kind = self.kinds.get((human, by))
            if kind in (TEXTS, OTHER) or (human and kind == SCORES):
                yield f"{by} (as {_shown(own[0])})"

    def failed(self) -> Iterator[str]:
        """Who gave no verdict, and how often."""
        yield from (f"{by} ({times:,})" for by, times in self.silent.items())

    def neither(self) -> Iterator[str]:
        """The values of an annotator that are neither yes nor no, with the first of them."""
        for who, own in self.values.items():
            rest = [one for one in own if not _is_yes_or_no(one)]
            if rest and self.kinds[who] == LABELS and not self.words:
                yield f"{len(rest):,} of {len(own):,} of {who[1]} (as {_shown(rest[0])})"

    def notes(self) -> Iterator[str]:
        """What was read as what."""
        if labels := self.of_kind(LABELS):
            yield f"{list_guessed(labels)} read as annotators of the answers (1 is right, 0 is not)"
        if people := self.of_kind(LABELS, human=True):
            yield f"{list_guessed(people)} read as experts (gold, if of answers drawn at random)"
        if self.scored:
            yield f"numbers of {list_guessed(self.scored)} read as scores"
        if rest := list(self.neither()):
            yield f"values of annotators passed over, neither yes nor no: {list_guessed(rest)}"
        if rest := list(self.passed_over()):
            yield f"passed over, neither yes or no nor a number: {list_guessed(rest)}"
        if rest := list(self.failed()):
            yield f"no vote where a grader failed or gave no value: {list_guessed(rest)}"


def table_of_verdicts(
    verdicts: Sequence[Verdict], path: Path, what: str, expected: str, answers: int = 0
) -> Found:
    """The rows of a study that verdicts on answers make.

    Args:
        path: the file.
        what: it is, and how its items are named: the first note.
        expected: what it should have held, for a message.
        answers: how many the file has, graded or not.

    Raises:
        InputError: where it holds neither labels nor scores.
    """
    graders = _Graders(verdicts)
    rows: dict[tuple[Any, ...], Numbered] = {}
    scored: dict[str, Numbered] = {}
    for one in verdicts:
        known = {name: cell for name, cell in one.answer.items() if cell is not None}
        if (label := graders.label(one)) is not None:
            person = "expert" if one.human else "annotator"
            row = {"item": one.item, person: one.by, "label": label}
            # A person who grades an answer twice, alike, says one thing.
            key = tuple(row.items()) if one.human else (len(rows),)
            rows.setdefault(key, (one.number, {**row, **known}))
        if (score := graders.score(one)) is not None:
            _, row = scored.setdefault(one.item, (one.number, {"item": one.item, **known}))
            row.setdefault(f"score_{one.by}", score)
    if not rows and not scored:
        rest = [*graders.passed_over(), *(f"{one} without a value" for one in graders.failed())]
        found = f"found {list_guessed(rest)}; " if rest else ""
        raise InputError(
            f"{path}: {what}, and nothing of it can be used: {found}expected {expected}"
        )
    notes = [what, *graders.notes()]
    if (without := answers - len({one.item for one in verdicts})) > 0:
        notes.append(f"{counted(without, 'answer')} without a grade passed over")
    return *table([*rows.values(), *scored.values()]), notes


def answers_in_words(number: int, models: Sequence[str]) -> str:
    """How many answers there are, and whose."""
    of = f" of {list_guessed(sorted(set(models)))}" if models else ""
    return f"{counted(number, 'answer')}{of}"
