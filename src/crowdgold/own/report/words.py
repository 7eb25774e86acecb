"""Numbers and metrics of a user's own study in plain words."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from crowdgold.methods import METHODS
from crowdgold.methods.order import ANSWERS, in_order
from crowdgold.metrics import METRICS, Words
from crowdgold.own.evaluation import as_gold
from crowdgold.own.evaluation.questions import HUMANS, is_of_population, plain_metric


def words_of(metric: str) -> Words:
    """How a metric is written; one that is not known stands for itself."""
    if metric in METRICS:
        return METRICS[metric].words
    return Words(metric, metric, metric, "{metric}: {value}.", metric, metric)


def metric_of(row: Mapping[str, Any]) -> str:
    """The metric of which a row is a value or, for two models, a difference."""
    return plain_metric(str(row["metric"]))[0]


def is_comparison(row: Mapping[str, Any]) -> bool:
    """Say whether a row compares two models."""
    return row["against"] not in ("", HUMANS)


def is_difference(row: Mapping[str, Any]) -> bool:
    """Say whether a row is a difference, between models or to the voters."""
    return is_comparison(row) or against_voters(metric_of(row))


def against_voters(metric: str) -> bool:
    """Say whether a metric is itself a difference, to a single voter."""
    return metric in METRICS and METRICS[metric].against_voters


def _digits(width: float | None, least: int) -> int:
    """The decimals that show an interval to two digits of its width, `least` or more."""
    if width is None or not width > 0:
        return least
    return max(least, min(6, 1 - math.floor(math.log10(width))))


class Numbers:
    """An estimate with its interval: numbers, per cent, or points of a difference of these."""

    def __init__(self, row: Mapping[str, Any]) -> None:
        metric = metric_of(row)
        self.plain = not words_of(metric).in_per_cent
        self.unit = "" if self.plain else " points" if is_difference(row) else " %"
        self.scale = 1.0 if self.plain else 100.0
        self.estimate, self.lower, self.upper = (
            None if row[name] is None or math.isnan(row[name]) else float(row[name])
            for name in ("estimate", "lower", "upper")
        )
        width = (
            None if self.lower is None or self.upper is None
            else self.scale * (self.upper - self.lower)
        )  # fmt: skip
        self.digits = _digits(width, 3 if self.plain else 1)

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
        if self.lower is None or self.upper is None:
            return "no interval"
        return f"{percent(level)} interval {self.ends}"


def percent(share: float) -> str:
    """Write a level."""
    return f"{100 * share:g} %"


def rounded(count: float) -> str:
    """Write a count to two digits, or all of those below 100."""
    if count < 99.5:
        return f"{count:.0f}"
    power = 10 ** (math.floor(math.log10(count)) - 1)
    return f"{round(count / power) * power:,}"


def as_gold_words(row: Mapping[str, Any], title: str = "") -> str:
    """How many gold labels alone would say as much, with the interval where there is one.

    Args:
        row: an estimate, or a headline.
        title: of the interval.
    """
    number, ends = as_gold.known(row), as_gold.interval_in_words(row)
    if number is None:
        return ""
    if as_gold.is_unbounded(row):
        return ends
    return f"{number:,.0f} ({title}{ends})" if ends else rounded(number)


def listed(texts: Sequence[str], most: int = 12) -> str:
    """Write a list; beyond the first ones, how many there are."""
    more = f"; and {len(texts) - most} more" if len(texts) > most else ""
    return "; ".join(texts[:most]) + more


UNKNOWN = "No description; see the documentation of the method."
OF_ITEMS = "Its intervals are about the items at hand, not new ones."
OF_POPULATION = "Its intervals are about the population that the items were drawn from."


def _assumption(name: str, about: str) -> str:
    offer = METHODS[name].offer if name in METHODS else None
    if offer is None:
        return UNKNOWN
    return f"{offer.assumes} {OF_POPULATION if is_of_population(name, about) else OF_ITEMS}"


def assumptions_of(methods: Sequence[str], about: str) -> list[tuple[str, str]]:
    """The assumptions of methods and what their intervals are about, in the order of answers.

    Args:
        about: the setting that says what intervals are about.
    """
    return [(name, _assumption(name, about)) for name in in_order(methods, ANSWERS)]
