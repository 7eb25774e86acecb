"""Options of `crowdgold evaluate` for continuous integration: conditions on answers, a badge."""

import argparse
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from crowdgold.data import InputError, Items
from crowdgold.data.shown import WIDTH
from crowdgold.own.check.without_gold import ends_in_words
from crowdgold.own.fail_on import RULES, SURELY

if TYPE_CHECKING:
    from crowdgold.own.evaluation import Evaluation, Settings
    from crowdgold.own.evaluation.conditions import Condition, Key

FAILED, UNSUPPORTED = 3, 1
"""Exit codes: a condition holds; there is no answer, or none by the method that was to give it."""


def add_fail_if(own: argparse.ArgumentParser) -> None:
    """Add what a run in continuous integration asks for."""
    own.add_argument(
        "--fail-if", action="append", default=[], metavar="CONDITION",
        help='end with exit code 3 where it holds of an answer: "AUC < 0.9", "AUC:large < 0.9", '
        '"delta_AUC:large-small <= 0"; can be repeated',
    )  # fmt: skip
    own.add_argument(
        "--fail-on", choices=RULES, default=SURELY,
        help="when a condition counts: it holds in the whole interval, of the estimate, or "
        "somewhere in the interval (default: %(default)s)",
    )  # fmt: skip
    own.add_argument(
        "--badge", metavar="METRIC",
        help="write one answer in a line and nothing else: AUC:large gives "
        '"AUC large 0.93 (0.90 to 0.96)"',
    )  # fmt: skip


@dataclass(frozen=True)
class Wanted:
    """What is asked of the answers.

    Attributes:
        conditions: of `--fail-if`.
        rule: of `--fail-on`.
        badge: the answer that is to be written in a line; None where none is.
    """

    conditions: "list[Condition]"
    rule: str
    badge: "Key | None"


def read_wanted(asked: argparse.Namespace, settings: "Settings", items: Items) -> Wanted:
    """What a command line asks of the answers; `InputError` where a study has no such answer."""
    from crowdgold.own.evaluation.conditions import find_answer, read_condition

    conditions = [read_condition(text, settings, items) for text in asked.fail_if]
    if asked.badge is None:
        return Wanted(conditions, asked.fail_on, None)
    try:
        return Wanted(conditions, asked.fail_on, find_answer(asked.badge, settings, items))
    except InputError as error:
        raise InputError(f"--badge {error}") from None


def in_a_line(wanted: Wanted, summary: Mapping[str, Any]) -> str:
    """The answer that is asked for by `--badge`."""
    from crowdgold.own.evaluation.conditions import answer_to
    from crowdgold.own.report.badge import badge

    assert wanted.badge is not None
    return badge(wanted.badge, answer_to(wanted.badge, summary))


def decided(found: "Evaluation", wanted: Wanted) -> "Evaluation":
    """The evaluation, whose summary says what came of the conditions where there are any."""
    from crowdgold.own.evaluation.conditions import with_conditions

    if not wanted.conditions:
        return found
    return with_conditions(found, wanted.conditions, wanted.rule)


HOLDS = {
    "surely": "holds in the whole interval", "possibly": "may hold, which is not sure",
    "no": "holds nowhere in the interval",
}  # fmt: skip


def _line(one: Mapping[str, Any]) -> str:
    """What came of a condition, and the answer that it is about."""
    if one["failed"] is None:
        why = one["why"] or f"{one['answer']} has none in these data"
        return f"No answer: {one['condition']}: {why}"
    said = "FAILED" if one["failed"] else "Passed"
    if one["estimate"] is None:
        ends = ends_in_words(one["lower"], one["upper"])
        numbers = f"without gold labels a range, {ends}"
    else:
        numbers = f"{one['estimate']:.3f}, {one['lower']:.3f} to {one['upper']:.3f}"
    return f"{said}: {one['condition']}: {HOLDS[one['holds']]} ({numbers})"


def in_words(summary: Mapping[str, Any]) -> Iterator[str]:
    """What came of each condition."""
    for one in summary.get("conditions", []):
        yield textwrap.fill(_line(one), WIDTH, subsequent_indent="  ", break_on_hyphens=False)


def failures(summary: Mapping[str, Any]) -> Iterator[str]:
    """Each method that was to give the answer and failed, in words."""
    answering = {one["name"]: one["answering"] for one in summary["strata"]}
    for one in summary["not_run"]:
        if one["failed"] and one["method"] == answering[one["stratum"]]:
            of = " of ".join(filter(None, ["", one["model"]]))
            yield f"{one['method']}{of}, which was to give the answer, failed: {one['reason']}"


def exit_code(summary: Mapping[str, Any]) -> int:
    """The exit code of an evaluation.

    It is 0 where no condition failed, all were answered, and no method failed that was to give the
    answer.
    """
    came = [one["failed"] for one in summary.get("conditions", [])]
    if True in came:
        return FAILED
    return UNSUPPORTED if None in came or any(failures(summary)) else 0
