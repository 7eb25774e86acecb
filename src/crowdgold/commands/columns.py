"""Columns of what an evaluation found, and the ranges that stand first where there is no gold."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from crowdgold.data.shown import WIDTH
from crowdgold.inference.without_gold import WANTED, WIDE
from crowdgold.own.check.without_gold import in_short
from crowdgold.own.evaluation.questions import HUMANS

METRIC, MODEL, NUMBER, INTERVAL, METHOD, AS_GOLD = 20, 14, 6, 17, 14, 7
GOLD_NEEDED = (
    f'"gold needed": gold labels, drawn at random, for an interval at most {WANTED:g} wide. '
    f"Where it is all items, label 100 first and look again. A dash: the range is under {WIDE:g} "
    "wide, so that none is worked out."
)


def cut(text: str, width: int) -> str:
    """Shorten a text to less than a width."""
    return text if len(text) < width else f"{text[: width - 2]}…"


def model_of(one: Mapping[str, Any]) -> str:
    """The model, or the two models, that an answer is of."""
    if one["against"] in ("", HUMANS):
        return str(one["model"])
    return f"{one['model']} - {one['against']}"


def count(value: float | None) -> str:
    """A number of labels; a dash for none."""
    if value is None:
        return "-"
    return f"{value:,.0f}" if value < 1e6 else f"{value:.0e}"


def named(one: Mapping[str, Any]) -> str:
    """The metric and the model of an answer."""
    return cut(one["metric"], METRIC).ljust(METRIC) + cut(model_of(one), MODEL).ljust(MODEL)


def wrapped(notes: Iterator[str]) -> list[str]:
    """Notes as indented lines."""
    return [
        line
        for note in filter(None, notes)
        for line in textwrap.wrap(
            note, WIDTH, initial_indent="  ", subsequent_indent="    ", break_on_hyphens=False
        )
    ]


def range_lines(stratum: Mapping[str, Any], answers: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """The ranges that stand before a model's numbers where there are no gold labels."""
    own = [one for one in answers if one.get("range")]
    if not own:
        return
    interval = "range".ljust(NUMBER + 2 + INTERVAL)
    yield f"{'metric'.ljust(METRIC)}{'model'.ljust(MODEL)}{interval}{'gold needed'.rjust(METHOD)}"
    for one in own:
        told = in_short(one["range"]).ljust(NUMBER + 2 + INTERVAL)
        yield f"{named(one)}{told}{count(one['range']['gold'] or None).rjust(METHOD)}"
    yield from wrapped(iter([stratum["ranges_if"], GOLD_NEEDED]))
