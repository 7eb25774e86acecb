"""What the report reads of study.json and check.json, and of which kind each value is."""

from dataclasses import fields
from typing import Any

from crowdgold.data.json_shapes import (
    COUNT,
    FLAG,
    LEVEL,
    NUMBER,
    PLAIN,
    SHARE,
    TEXT,
    Shape,
    Unfit,
    keys,
    list_of,
    named,
    optional,
)
from crowdgold.inference.rectified import TARGETS
from crowdgold.own.check.annotator_check import AnnotatorCheck
from crowdgold.own.evaluation.as_gold import ENDS

ANNOTATORS = tuple(one.name for one in fields(AnnotatorCheck))
VALUE = optional(NUMBER)


def _with_ends(shape: Shape) -> Shape:
    """An object with a `lower` and an `upper` end of an interval: two numbers in order, or none."""

    def check(value: Any, where: str) -> None:
        shape(value, where)
        lower, upper = value["lower"], value["upper"]
        if (lower is None) != (upper is None) or (lower is not None and lower > upper):
            raise Unfit(
                f"{where}: found an interval from lower = {lower} to upper = {upper}, expected two "
                "numbers in order, or none"
            )

    return check


def _of_one_length(shape: Shape) -> Shape:
    """An object of lists that are equally long."""

    def check(value: Any, where: str) -> None:
        shape(value, where)
        long = {name: len(value[name]) for name in ANNOTATORS}
        for name in ANNOTATORS:
            if long[name] != long[ANNOTATORS[0]]:
                raise Unfit(
                    f"{where}.{name}: found {long[name]} entries, expected "
                    f"{long[ANNOTATORS[0]]}, as many as in {ANNOTATORS[0]}"
                )

    return check


def _about(value: Any, where: str) -> None:
    TEXT(value, where)
    if value not in TARGETS:
        raise Unfit(f"{where}: found {value!r}, expected {' or '.join(TARGETS)}")


_NUMBERS = {"estimate": VALUE, "lower": VALUE, "upper": VALUE}
_KEY = {"stratum": TEXT, "model": TEXT, "against": TEXT, "metric": TEXT}
_STRATUM = keys(
    {"name": TEXT, "items": COUNT, "votes": COUNT, "gold": COUNT, "gold_positive": COUNT,
     "gold_negative": COUNT},
    {"gold_random": optional(FLAG), "ranges_if": TEXT},
)  # fmt: skip
_BESIDE = _with_ends(keys({"method": TEXT, **_NUMBERS, "misfit": optional(FLAG)}))
_RANGE = _with_ends(keys({"lower": VALUE, "upper": VALUE, "gold": COUNT, "why": TEXT}))
_HEADLINE = _with_ends(
    keys({
        **_KEY, "method": optional(TEXT), **_NUMBERS, "effective_gold": VALUE,
        "misfit": optional(FLAG), "beside": optional(_BESIDE), "passed_over": list_of(TEXT),
        "note": optional(TEXT), "reason": optional(TEXT),
    }, {"range": optional(_RANGE), "gold": COUNT, **dict.fromkeys(ENDS, VALUE)})
)  # fmt: skip
_FIT = keys(
    {"stratum": TEXT, "method": TEXT, "model": TEXT, "diagnostics_passed": FLAG,
     "problems": list_of(TEXT)},
    {"notes": list_of(TEXT), "rhat": VALUE, "divergences": VALUE, "seconds": NUMBER},
)  # fmt: skip
_NOT_RUN = keys(
    {"stratum": TEXT, "method": TEXT, "reason": TEXT},
    {"model": optional(TEXT), "failed": optional(FLAG)},
)
SUMMARY = keys(
    {
        "settings": keys({"level": LEVEL}, {"about": _about}),
        "models": list_of(TEXT),
        "strata": list_of(_STRATUM),
        "headlines": list_of(_HEADLINE),
        "fits": list_of(_FIT),
        "not_run": list_of(_NOT_RUN),
    },
    {"date": TEXT, "notes": list_of(TEXT), "seconds": VALUE, "written": list_of(TEXT)},
)
"""Of study.json."""

_AGREEMENT = _with_ends(
    keys({"alpha": VALUE, "lower": VALUE, "upper": VALUE, "level": LEVEL}, {"items": COUNT})
)
_COUNTS = list_of(COUNT)
_ANNOTATORS = _of_one_length(
    keys({
        "annotator": list_of(PLAIN), "labels": _COUNTS, "compared": _COUNTS, "agreed": _COUNTS,
        "chance": list_of(VALUE), "p_adversarial": list_of(NUMBER), "p_constant": list_of(NUMBER),
    })
)  # fmt: skip
_SCORES = keys(
    {"lowest": NUMBER, "highest": NUMBER, "distinct": COUNT, "tied": SHARE},
    {"without": optional(COUNT)},
)
_VERDICT = keys({"method": TEXT, "verdict": TEXT, "why": TEXT}, {"mend": TEXT})
CHECKED = keys(
    {
        "items": COUNT,
        "votes": COUNT,
        "votes_per_item": list_of(NUMBER, 3),
        "positive_votes": SHARE,
        "agreement": _AGREEMENT,
        "annotators": optional(_ANNOTATORS),
        "gold_positive": COUNT,
        "gold_negative": COUNT,
        "gold_sample": keys({}, {"p": optional(SHARE), "note": optional(TEXT), "of": TEXT}),
        "majority_right": list_of(optional(SHARE), 2),
        "scores": named(_SCORES),
        "verdicts": list_of(_VERDICT),
        "warnings": list_of(TEXT),
    },
    {"expert_agreement": optional(_AGREEMENT), "expert_labels": named(COUNT)},
)
"""Of check.json."""
