"""The answer of a study: a sentence for each metric, and how many gold labels would say as much."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from crowdgold.methods.registry import baseline
from crowdgold.own.check.without_gold import gold_in_words
from crowdgold.own.evaluation.as_gold import SURE, interval_in_words, is_unbounded
from crowdgold.own.evaluation.headline import is_gold_alone, named
from crowdgold.own.evaluation.questions import plain_metric
from crowdgold.own.report.folder import StudyFolder
from crowdgold.own.report.words import (
    Numbers,
    against_voters,
    as_gold_words,
    is_comparison,
    metric_of,
    rounded,
    words_of,
)

RANGE_WORDS = "A range that votes and scores allow, without gold labels"
VOTES_ALONE = "votes and scores alone"
MOST_PAIRS = 12
"""Pairs of models whose comparison is written out; all are in estimates.csv."""
GAINED = 1.05
"""An interval as narrow as that of so many times the gold labels is called a gain."""


@dataclass(frozen=True)
class Answer:
    """What is said of one metric.

    Attributes:
        title: what it is about.
        sentence: the answer, without its interval.
        interval: its interval.
        as_gold: how many gold labels alone would be as precise; empty where that is not known.
        alone: what gold labels alone say; empty where that is the answer, or not known.
        details: method, and the model's estimate beside it.
        flagged: whether gold labels contradict the answer itself.
        line: value, ends of the interval, and method, for a table.
        ahead: whether a model is ahead of another beyond doubt.
    """

    title: str
    sentence: str
    interval: str
    as_gold: str
    alone: str
    details: Sequence[str]
    flagged: bool
    line: tuple[str, str, str] = ("", "", "")
    ahead: bool = False


@dataclass(frozen=True)
class Answers:
    """Answers about one thing."""

    heading: str
    answers: Sequence[Answer]


def _sure(numbers: Numbers) -> bool:
    """Say whether an interval is on one side of 0."""
    lower, upper = numbers.lower, numbers.upper
    return lower is not None and upper is not None and (lower > 0 or upper < 0)


def _against_voters(row: Mapping[str, Any], numbers: Numbers) -> str:
    """Say how a model compares with a single voter."""
    ahead = float(row["estimate"])
    more = "more" if ahead >= 0 else "less"
    said = {"model": row["model"], "value": numbers.size(ahead), "more": more}
    says = words_of(metric_of(row)).sentence.format(**said)
    return f"{says}." if _sure(numbers) else f"{says}; the difference may be zero."


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


def _compared(row: Mapping[str, Any], numbers: Numbers, metric: str, at: str) -> str:
    """Say how far a model is ahead of another."""
    first, _, second = at.partition("|")
    where = f", {row['model']} flagging from {first}, {row['against']} from {second}"
    if not second:
        where = f", flagging from {first}" if first else ""
    what = words_of(metric).compared
    by = numbers.size(float(row["estimate"]))
    sentence = f"{row['model']} is ahead of {row['against']} by {by} in {what}{where}"
    return f"{sentence}." if _sure(numbers) else f"{sentence}; it could be the other way round."


def _as_gold(row: Mapping[str, Any], n_gold: int, gold_interval: bool) -> str:
    """Say how many gold labels alone would have given an interval as narrow."""
    if n_gold == 0 or not gold_interval:
        return ""
    if is_gold_alone(row):
        return f"From the {n_gold:,} gold labels alone."
    effective, ends = row["effective_gold"], interval_in_words(row)
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


def _details(row: Mapping[str, Any]) -> Iterator[str]:
    said = named(row)
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


def _nothing(row: Mapping[str, Any], title: str) -> Answer:
    why = [*row.get("passed_over", []), *filter(None, [row.get("note")])]
    reasons = tuple(map(str, why)) or ("No method could estimate it.",)
    return Answer(title, "No answer from these data.", "", "", "", reasons, False)


def _without_gold(row: Mapping[str, Any], title: str, level: float) -> Answer:
    """A range where there are no gold labels, with a model's number if what it assumes is true."""
    found, metric, (_, at) = row["range"], metric_of(row), plain_metric(str(row["metric"]))
    details = list(_if_true(row, level))
    if found["lower"] is None:
        told = f"No range without gold labels: {found['why']}."
        needed = f"{gold_in_words(found['gold'])}."
        return Answer(title, told, "", needed, "", details, False, ("no range", "", ""))
    numbers = Numbers({**row, "lower": found["lower"], "upper": found["upper"]})
    said = {"metric": metric, "model": row["model"], "at": at, "value": numbers.ends}
    sentence = words_of(metric).sentence.format(**said)
    needed = f"{gold_in_words(found['gold'])}." if found["gold"] else ""
    line = ("a range", numbers.ends, VOTES_ALONE)
    return Answer(title, sentence, RANGE_WORDS, needed, "", details, False, line)


def _if_true(row: Mapping[str, Any], level: float) -> Iterator[str]:
    """A model's number, and under what it holds."""
    if row["method"] is not None and row["estimate"] is not None:
        numbers = Numbers(row)
        yield (
            f"{row['method']} says {numbers.point} ({numbers.interval(level)}), if what it assumes "
            "is true; nothing checks it"
        )
    if row.get("note"):
        yield str(row["note"])


def _alone(row: Mapping[str, Any], by_gold: Mapping[str, Any] | None, turned: bool) -> str:
    """What gold labels alone say of a value, beside an answer that is not theirs."""
    if by_gold is None or row["method"] == baseline():
        return ""
    numbers = Numbers({**row, **(_negated(by_gold) if turned else by_gold)})
    return f"Gold labels alone: {numbers.point} ({numbers.ends})."


def write_answer(
    row: Mapping[str, Any], n_gold: int, level: float, by_gold: Mapping[str, Any] | None
) -> Answer:
    """What is said of the answer of a metric.

    Args:
        row: one of the headlines of study.json.
        n_gold: gold labels of the stratum, where the row does not say on how many it rests.
        by_gold: estimate, lower and upper of gold labels alone; None where they give none.
    """
    given = row
    row = _leader_first(row)
    metric, (_, at) = metric_of(row), plain_metric(str(row["metric"]))
    title = words_of(metric).title + (f" at {at.replace('|', ' and ')}" if at else "")
    if row.get("range"):
        return _without_gold(row, title, level)
    if row["method"] is None or row["estimate"] is None:
        return _nothing(row, title)
    numbers = Numbers(row)
    if is_comparison(row):
        sentence = _compared(row, numbers, metric, at)
    elif against_voters(metric):
        sentence = _against_voters(row, numbers)
    else:
        said = {"metric": metric, "model": row["model"], "at": at, "value": numbers.point}
        sentence = words_of(metric).sentence.format(**said)
    return Answer(
        title, sentence, numbers.interval(level),
        _as_gold(row, row.get("gold", n_gold), by_gold is not None),
        _alone(row, by_gold, row is not given), tuple(_details(row)), bool(row.get("misfit")),
        (numbers.point, numbers.ends, named(row)),
        is_comparison(row) and _sure(numbers),
    )  # fmt: skip


def _by_gold(study: StudyFolder) -> dict[tuple[str, ...], dict[str, Any]]:
    """Estimate and interval of gold labels alone, by model, against and metric."""
    rows = study.of_all("estimates")
    rows = rows[(rows["method"] == baseline()) & rows["lower"].notna() & rows["upper"].notna()]
    return {
        (row["model"], row["against"], row["metric"]): {
            name: float(row[name]) for name in ("estimate", "lower", "upper")
        }
        for row in rows.to_dict("records")
    }


def headlines_of_all(study: StudyFolder) -> list[Mapping[str, Any]]:
    """The headlines of all items."""
    return [row for row in study.summary["headlines"] if row["stratum"] == study.whole]


def write_answers(study: StudyFolder) -> list[Answers]:
    """Write the answers: on the items and voters, on each model, on pairs of models."""
    groups: dict[tuple[str, str], list[Answer]] = {}
    by_gold, n_gold = _by_gold(study), int(study.counts["gold"])
    for row in headlines_of_all(study):
        whose = (row["model"], row["against"] if is_comparison(row) else "")
        if whose not in groups and sum(bool(other) for _, other in groups) >= MOST_PAIRS:
            continue
        key = (row["model"], row["against"], row["metric"])
        answer = write_answer(row, n_gold, study.level, by_gold.get(key))
        groups.setdefault(whose, []).append(answer)
    return [Answers(_heading(*whose), answers) for whose, answers in groups.items()]


def _heading(model: str, other: str) -> str:
    if not model:
        return "The items and their voters"
    return f"{model} against {other}" if other else f"The model {model}"


def leads(groups: Sequence[Answers]) -> list[str]:
    """Which model is ahead of which beyond doubt, a sentence for each pair: the first metric's."""
    found = [[one.sentence for one in group.answers if one.ahead] for group in groups]
    return [sentences[0] for sentences in found if sentences]
