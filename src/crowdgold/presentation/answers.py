"""The answer of a study in plain words: a sentence for each metric, with its numbers."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crowdgold.checking.without_gold import ends_in_words, gold_in_words
from crowdgold.evaluation.conditions import Key
from crowdgold.evaluation.headline import is_gold_alone, method_in_words
from crowdgold.evaluation.questions import HUMANS, is_of_population, plain_metric
from crowdgold.evaluation.rows import SURE, as_gold, as_gold_interval_words, is_unbounded
from crowdgold.methods.method import ANSWERS, in_order
from crowdgold.methods.registry import METHODS, baseline
from crowdgold.metrics.binary import METRICS
from crowdgold.metrics.metric import Words
from crowdgold.presentation.folder import StudyFolder, records_of


def words_of(metric: str) -> Words:
    """How a metric is written; one that is not known stands for itself."""
    unknown = Words(metric, metric, metric, "{metric}: {value}.", metric, metric)
    return METRICS[metric].words if metric in METRICS else unknown


def metric_of(row: Mapping[str, Any]) -> str:
    """The metric of which a row is a value or, for two models, a difference."""
    return plain_metric(str(row["metric"]))[0]


def is_comparison(row: Mapping[str, Any]) -> bool:
    """Whether a row compares two models."""
    return row["against"] not in ("", HUMANS)


def is_difference(row: Mapping[str, Any]) -> bool:
    """Whether a row is a difference, between models or to the voters."""
    return is_comparison(row) or against_voters(metric_of(row))


def against_voters(metric: str) -> bool:
    """Whether a metric is itself a difference, to a single voter."""
    return metric in METRICS and METRICS[metric].against_voters


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


def as_gold_words(row: Mapping[str, Any], title: str = "") -> str:
    """How many gold labels alone would say as much, with the interval, by its title, if known."""
    number, ends = as_gold(row), as_gold_interval_words(row)
    if number is None:
        return ""
    if is_unbounded(row):
        return ends
    return f"{number:,.0f} ({title}{ends})" if ends else rounded(number)


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


LEAST = 2  # decimals; more where the interval is narrower than the last of them


def badge(key: Key, answer: Mapping[str, Any] | None) -> str:
    """An answer, or its range, in a line that fits a badge: AUC large 0.93 (0.90 to 0.96)."""
    name = " ".join(filter(None, [key.metric, key.who]))
    if answer is None:
        return f"{name} no answer"
    if answer["estimate"] is None:
        return f"{name} {ends_in_words(answer['lower'], answer['upper'])} without gold"
    width = answer["upper"] - answer["lower"]
    digits = max(LEAST, -math.floor(math.log10(width))) if width > 0 else LEAST
    value, lower, upper = (f"{answer[one]:.{digits}f}" for one in ("estimate", "lower", "upper"))
    return f"{name} {value} ({lower} to {upper})"


RANGE_WORDS = "A range that votes and scores allow, without gold labels"
VOTES_ALONE = "votes and scores alone"
MOST_PAIRS = 12  # pairs of models whose comparison is written out; all are in estimates.csv
GAINED = 1.05  # least ratio of the number as gold to the gold labels that is called a gain


@dataclass(frozen=True)
class AnswerText:
    """The texts on one metric's answer."""

    title: str  # what it is about
    sentence: str  # the answer, without its interval
    interval: str
    as_gold: str  # how many gold labels alone would be as precise; empty where that is not known
    alone: str  # what gold labels alone say; empty where that is the answer, or not known
    details: Sequence[str]  # method, and the model's estimate beside it
    flagged: bool  # whether gold labels contradict the answer itself
    line: tuple[str, str, str] = ("", "", "")  # value, ends of the interval and method, for a table
    ahead: bool = False  # whether a model is ahead of another beyond doubt


@dataclass(frozen=True)
class AnswerGroup:
    """The answers on a model, on a pair of models, or on the items and voters."""

    heading: str
    answers: Sequence[AnswerText]


def _excludes_zero(numbers: Numbers) -> bool:
    lower, upper = numbers.lower, numbers.upper
    return lower is not None and upper is not None and (lower > 0 or upper < 0)


def _leader_first(row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Turn a comparison round where the second model is ahead: a sentence begins with it."""
    if not is_comparison(row) or row["estimate"] is None or row["estimate"] >= 0:
        return row
    beside, (name, _, at) = row.get("beside"), str(row["metric"]).partition("@")
    return {
        **row, **_negated(row), "model": row["against"], "against": row["model"],
        "metric": f"{name}@{'|'.join(reversed(at.split('|')))}" if at else name,
        "beside": {**beside, **_negated(beside)} if beside else beside,
    }  # fmt: skip


def _negated(row: Mapping[str, Any]) -> dict[str, float | None]:
    turned = {"estimate": "estimate", "lower": "upper", "upper": "lower"}
    return {name: None if row[old] is None else -row[old] for name, old in turned.items()}


def _sentence(row: Mapping[str, Any], numbers: Numbers, metric: str, at: str) -> str:
    """What is said of a value, or of who is ahead: of another model, or of a single voter."""
    words, sure = words_of(metric), _excludes_zero(numbers)
    said = {"metric": metric, "model": row["model"], "at": at, "value": numbers.point}
    if is_comparison(row):
        first, _, second = at.partition("|")
        where = f", {row['model']} flagging from {first}, {row['against']} from {second}"
        if not second:
            where = f", flagging from {first}" if first else ""
        by = f"{numbers.size(float(row['estimate']))} in {words.compared}{where}"
        doubt = "" if sure else "; it could be the other way round"
        return f"{row['model']} is ahead of {row['against']} by {by}{doubt}."
    if against_voters(metric):
        ahead = float(row["estimate"])
        more = {"value": numbers.size(ahead), "more": "more" if ahead >= 0 else "less"}
        doubt = "" if sure else "; the difference may be zero"
        return f"{words.sentence.format(**{**said, **more})}{doubt}."
    return words.sentence.format(**said)


def _precision_sentence(row: Mapping[str, Any], n_gold: int, gold_interval: bool) -> str:
    """A sentence on how many gold labels alone would have given an interval as narrow."""
    if n_gold == 0 or not gold_interval:
        return ""
    if is_gold_alone(row):
        return f"From the {n_gold:,} gold labels alone."
    effective, ends = row["effective_gold"], as_gold_interval_words(row)
    if effective is None:
        return ""
    if ends or effective > GAINED * n_gold:
        about = ends if is_unbounded(row) else f"about {as_gold_words(row, f'{SURE} interval ')}"
        return f"As precise as {about} gold labels alone would be. You have {n_gold:,}."
    if effective >= n_gold / GAINED:
        return f"As precise as your {n_gold:,} gold labels alone: votes and scores add nothing."
    return (
        f"Less precise than your {n_gold:,} gold labels alone: as about {rounded(effective)} "
        "would be."
    )


def _detail_lines(row: Mapping[str, Any]) -> Iterator[str]:
    said = method_in_words(row)
    yield f"{said[:1].upper()}{said[1:]}" if said != row["method"] else f"By {said}"
    beside = row.get("beside")
    if beside and beside["estimate"] is not None:
        numbers = Numbers({**row, **beside})
        against = ", which the gold labels contradict" if beside["misfit"] else ""
        yield (
            f"For comparison, by the model {beside['method']}: {numbers.point} ({numbers.ends})"
            f"{against}"
        )
    if row.get("note"):
        yield str(row["note"])


def _without_gold(row: Mapping[str, Any], title: str, level: float) -> AnswerText:
    """A range where there are no gold labels, with a model's number if what it assumes is true."""
    allowed, metric, (_, at) = row["range"], metric_of(row), plain_metric(str(row["metric"]))
    details = [str(row["note"])] if row.get("note") else []
    if row["method"] is not None and row["estimate"] is not None:
        numbers = Numbers(row)
        model = f"{row['method']} says {numbers.point} ({numbers.interval(level)})"
        details.insert(0, f"{model}, if what it assumes is true; nothing checks it")
    needed = f"{gold_in_words(allowed['gold'])}."
    if allowed["lower"] is None:
        sentence = f"No range without gold labels: {allowed['why']}."
        return AnswerText(title, sentence, "", needed, "", details, False, ("no range", "", ""))
    numbers = Numbers({**row, "lower": allowed["lower"], "upper": allowed["upper"]})
    said = {"metric": metric, "model": row["model"], "at": at, "value": numbers.ends}
    sentence, needed = words_of(metric).sentence.format(**said), needed if allowed["gold"] else ""
    line = ("a range", numbers.ends, VOTES_ALONE)
    return AnswerText(title, sentence, RANGE_WORDS, needed, "", details, False, line)


def write_answer(
    row: Mapping[str, Any], n_gold: int, level: float, by_gold: Mapping[str, Any] | None
) -> AnswerText:
    """What is said of one of the headlines of study.json.

    `n_gold` are the stratum's gold labels, where the row does not say on how many it rests;
    `by_gold` has estimate, lower and upper of gold labels alone, None where they give none.
    """
    given, row = row, _leader_first(row)
    metric, (_, at) = metric_of(row), plain_metric(str(row["metric"]))
    title = words_of(metric).title + (f" at {at.replace('|', ' and ')}" if at else "")
    if row.get("range"):
        return _without_gold(row, title, level)
    if row["method"] is None or row["estimate"] is None:
        why = [*row.get("passed_over", []), *filter(None, [row.get("note")])]
        reasons = tuple(map(str, why)) or ("No method could estimate it.",)
        return AnswerText(title, "No answer from these data.", "", "", "", reasons, False)
    numbers, alone = Numbers(row), ""
    if by_gold is not None and row["method"] != baseline():
        of_gold = Numbers({**row, **(by_gold if row is given else _negated(by_gold))})
        alone = f"Gold labels alone: {of_gold.point} ({of_gold.ends})."
    return AnswerText(
        title, _sentence(row, numbers, metric, at), numbers.interval(level),
        _precision_sentence(row, row.get("gold", n_gold), by_gold is not None), alone,
        tuple(_detail_lines(row)), bool(row.get("misfit")),
        (numbers.point, numbers.ends, method_in_words(row)),
        is_comparison(row) and _excludes_zero(numbers),
    )  # fmt: skip


def write_answers(study: StudyFolder) -> list[AnswerGroup]:
    """The answers: on the items and voters, on each model, on pairs of models."""
    groups: dict[tuple[str, str], list[AnswerText]] = {}
    rows = study.of_all("estimates")
    rows = rows[(rows["method"] == baseline()) & rows["lower"].notna() & rows["upper"].notna()]
    by_gold = {(row["model"], row["against"], row["metric"]): row for row in records_of(rows)}
    for row in study.headlines:
        whose = (row["model"], row["against"] if is_comparison(row) else "")
        if whose not in groups and sum(bool(other) for _, other in groups) >= MOST_PAIRS:
            continue
        alone = by_gold.get((row["model"], row["against"], row["metric"]))
        answer = write_answer(row, int(study.counts["gold"]), study.level, alone)
        groups.setdefault(whose, []).append(answer)
    items = "The items and their voters" if study.counts["votes"] else "The items"
    headings = (
        f"{model} against {other}" if other else f"The model {model}" if model else items
        for model, other in groups
    )  # fmt: skip
    return [AnswerGroup(*one) for one in zip(headings, groups.values(), strict=True)]


def leads(groups: Sequence[AnswerGroup]) -> list[str]:
    """Sentences on which model is ahead of which beyond doubt: of each pair the first metric's."""
    found = [[one.sentence for one in group.answers if one.ahead] for group in groups]
    return [sentences[0] for sentences in found if sentences]
