"""What would change the answer of a study: where its methods, its model and its gold disagree."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from scipy.special import bdtr

from crowdgold.data.checks import counted
from crowdgold.evaluation.misfit import held_against
from crowdgold.inference.rectified import POPULATION
from crowdgold.inference.samples import FEWEST
from crowdgold.methods import METHODS
from crowdgold.methods.method import CORRECTED
from crowdgold.methods.registry import answering
from crowdgold.own.check.annotator_check import holm
from crowdgold.own.check.drawn_units import OF_ITEMS
from crowdgold.own.check.gold_likeness import GoldSample
from crowdgold.own.check.verdicts import MEASURED_GOLD
from crowdgold.own.evaluation.headline import ONLY_MODELS_REASON
from crowdgold.own.evaluation.questions import plain_metric
from crowdgold.own.report.answers import headlines_of_all
from crowdgold.own.report.check import told_of
from crowdgold.own.report.folder import StudyFolder, records_of
from crowdgold.own.report.words import (
    Numbers,
    is_comparison,
    is_difference,
    listed,
    metric_of,
    percent,
    words_of,
)

GRAVE, MINOR = "grave", "minor"
SURELY = 0.99
"""Probability with which a model that is right misses no more counts than are called too many."""
MOST_TIMES = 100
BY_CHANCE = 0.05
"""How often a model that is right may be gravely doubted for any of its estimates (Holm)."""


@dataclass(frozen=True)
class Doubt:
    """Something that would change the answer.

    Attributes:
        weight: GRAVE or MINOR.
        title: what it is.
        text: what it means, and what to do.
    """

    weight: str
    title: str
    text: str


def quantity(row: Mapping[str, Any]) -> str:
    """Name what a row estimates: `recall at 0.5 of large`."""
    metric, (_, at) = metric_of(row), plain_metric(str(row["metric"]))
    name = words_of(metric).symbol
    if at:
        name += f" at {at.replace('|', ' and ')}"
    if is_comparison(row):
        return f"{name}, {row['model']} against {row['against']}"
    return f"{name} of {row['model']}" if row["model"] else name


def _gold_sample(study: StudyFolder) -> Iterator[Doubt]:
    """Say where gold does not look like a random sample, or hardly."""
    test = (study.check or {}).get("gold_sample") or {}
    p, of = test.get("p"), told_of(test)
    if p is None and study.counts.get("gold_random") is not False:
        return
    # A folder without its check still says whether gold was doubted.
    sample, how = GoldSample(p or 0.0, of=of), "" if p is None else f" (p = {p:.2g})"
    if not sample.chosen:
        return
    surely, told = sample.surely_chosen, sample.told
    if of != OF_ITEMS:
        title = told.misfit if surely else f"possibly {told.misfit}"
        text = f"Votes and scores speak against it{how}. {sample.mend}."
        yield Doubt(GRAVE if surely else MINOR, title[:1].upper() + title[1:], text)
        return
    title = f"Gold {'does not look like' if surely else 'may not be'} a random sample"
    yield Doubt(
        GRAVE if surely else MINOR, title,
        f"Votes and scores of the gold items differ from those of the others{how}. Every "
        "method takes gold items to be drawn at random; if they were chosen by votes, scores or "
        f"difficulty, the numbers can be wrong by any amount. {sample.mend}.",
    )  # fmt: skip


def _gold(study: StudyFolder) -> Iterator[Doubt]:
    """Say where there is too little gold."""
    counts = study.counts
    n_gold = int(counts["gold"])
    if n_gold == 0:
        yield Doubt(
            GRAVE, "No gold labels",
            "Nothing checks the model of the votes against the truth. It takes voters to be right "
            "more often than not. Have an expert label items drawn at random: "
            f"{MEASURED_GOLD} are enough for a first answer, 100 for a useful one.",
        )  # fmt: skip
        return
    fewer = min(int(counts["gold_positive"]), int(counts["gold_negative"]))
    if fewer < FEWEST:
        yield Doubt(
            GRAVE, "Too few gold labels of a class",
            f"There are {counts['gold_positive']:,} positive and {counts['gold_negative']:,} "
            f"negative ones; a metric that rests on fewer than {FEWEST} of them has no interval. "
            "Label more random items.",
        )  # fmt: skip
    elif n_gold < MEASURED_GOLD:
        yield Doubt(
            MINOR, f"{counted(n_gold, 'gold label')}, fewer than {MEASURED_GOLD}",
            f"How often the intervals are right was measured with {MEASURED_GOLD} gold labels or "
            "more. Label more random items.",
        )  # fmt: skip


def _only_models(study: StudyFolder) -> Iterator[Doubt]:
    """Say where no answer was asked for that gold labels correct."""
    if any(row["reason"] == ONLY_MODELS_REASON for row in headlines_of_all(study)):
        yield Doubt(
            GRAVE, "Only models were asked for",
            "Each model is right where its assumptions are, and no estimate that gold labels "
            f"correct was asked for. Add {answering()} to the methods.",
        )  # fmt: skip


def _misfits(study: StudyFolder) -> Iterator[Doubt]:
    """Say which model-based estimates the gold labels contradict."""
    rows = study.of_all("estimates")
    corrected = held_against(set(rows["method"]))
    flagged = rows[rows["misfit"] == 1]
    for method in dict.fromkeys(flagged["method"]):
        own = flagged[flagged["method"] == method]
        held = int(rows.loc[rows["method"] == method, "misfit"].notna().sum())
        metrics = listed([quantity(row) for row in records_of(own)])
        chosen = [row for row in headlines_of_all(study) if row["method"] == method]
        keys = set(own[["model", "against", "metric"]].itertuples(index=False, name=None))
        leads = [row for row in chosen if (row["model"], row["against"], row["metric"]) in keys]
        p = rows.loc[rows["method"] == method, "misfit_p"].dropna().to_numpy(float)
        rest = "The answer rests on it." if leads else "The answer does not rest on it: use that."
        if not (holm(p) <= BY_CHANCE).any():
            rest += " With so many estimates compared, chance alone can do that."
        yield Doubt(
            GRAVE if leads else MINOR, f"The gold labels contradict {method}",
            f"Its estimates of {metrics} are more than two standard errors from those of "
            f"{corrected}, which the gold labels correct: {len(own)} of the {held} estimates that "
            f"were compared, where a model that is right has at most one in twenty by chance. "
            f"{rest}",
        )  # fmt: skip


def _disagreements(study: StudyFolder) -> Iterator[Doubt]:
    """Say which methods have an interval that does not meet the answer's."""
    rows, apart = study.of_all("estimates"), dict[str, list[str]]()
    for head in headlines_of_all(study):
        if head["lower"] is None:
            continue
        same = rows[
            (rows["model"] == head["model"])
            & (rows["against"] == head["against"])
            & (rows["metric"] == head["metric"])
            & ((rows["lower"] > head["upper"]) | (rows["upper"] < head["lower"]))
        ]
        for row in records_of(same):
            apart.setdefault(row["method"], []).append(f"{quantity(row)} ({Numbers(row).ends})")
    for method, metrics in apart.items():
        yield Doubt(
            MINOR, f"{method} disagrees",
            f"Its {percent(study.level)} interval does not overlap the answer's for "
            f"{listed(metrics)}. The assumptions of one of the two are wrong: see them below.",
        )  # fmt: skip


def _chains(study: StudyFolder) -> Iterator[Doubt]:
    failed = [
        one for one in study.summary["fits"]
        if one["stratum"] == study.whole and not one["diagnostics_passed"]
    ]  # fmt: skip
    for one in failed:
        of = f" on {one['model']}" if one["model"] else ""
        yield Doubt(
            MINOR, f"The chains of {one['method']}{of} had not converged",
            f"{'; '.join(one['problems']) or 'no reason given'}. Its numbers are shown. "
            + ("The gold labels correct the answer, so its interval is right all the same."
               if METHODS[one["method"]].has_role(CORRECTED) else
               "The answer does not rest on it."),
        )  # fmt: skip


@dataclass(frozen=True)
class Misses:
    """Observations outside the intervals of data that were drawn from a fit.

    Attributes:
        method, model, check: whose fit, and what was checked, `votes` or `wins`.
        outside, checked: how many, and of how many.
        many: whether these are more than a model that is right would miss.
    """

    method: str
    model: str
    check: str
    outside: int
    checked: int
    many: bool


def count_misses(rows: pd.DataFrame, level: float) -> tuple[int, bool]:
    """Count observations outside their intervals; say whether they are too many for chance."""
    outside = int(((rows["observed"] < rows["lower"]) | (rows["observed"] > rows["upper"])).sum())
    fewer = bdtr(outside - 1, len(rows), 1 - level) if outside else 0.0
    return outside, bool(fewer >= SURELY)


def misses_of(study: StudyFolder) -> Iterator[Misses]:
    """Count the misses of each fit and check."""
    rows = study.of_all("predictive")
    keys = rows[["method", "model", "check"]].astype(str)
    for method, model, check in dict.fromkeys(keys.itertuples(index=False, name=None)):
        wanted = {"method": method, "model": model, "check": check}
        own = rows[(keys == pd.Series(wanted)).all(axis=1)]
        outside, many = count_misses(own, study.level)
        yield Misses(method, model, check, outside, len(own), many)


def _predictive(study: StudyFolder) -> Iterator[Doubt]:
    what = {
        "votes": ("the votes", "prevalence, TPR_H and TNR_H"),
        "wins": ("the ranking", "everything said of the model's scores"),
    }
    for one in misses_of(study):
        name, touched = what.get(one.check, (one.check, "its numbers"))
        if one.many:
            yield Doubt(
                MINOR, f"{one.method} with {one.model} does not reproduce {name}",
                f"{one.outside} of {one.checked} observations are outside the "
                f"{percent(study.level)} intervals of data drawn from the fit. This weakens "
                f"{touched} by this model. An answer that gold labels correct does not rest on it.",
            )  # fmt: skip


def _undecided(study: StudyFolder) -> Iterator[Doubt]:
    """Say how much larger a study would tell apart what this one does not."""
    found = []
    for row in headlines_of_all(study):
        if not is_difference(row) or row["lower"] is None or not row["lower"] <= 0 <= row["upper"]:
            continue
        half = (row["upper"] - row["lower"]) / 2
        times = max(1.0, (half / abs(row["estimate"])) ** 2) if row["estimate"] else math.inf
        size = f"about {times:.1f} times" if times < MOST_TIMES else f"over {MOST_TIMES} times"
        found.append(f"{quantity(row)} ({size})")
    if found:
        yield Doubt(
            MINOR, "Differences that these data do not decide",
            "Their intervals hold 0. If they are as large as estimated, they would be seen in a "
            f"study larger (items, votes and gold alike) by: {listed(found)}. "
            "`crowdgold plan` finds the cheapest.",
        )  # fmt: skip


def find_doubts(study: StudyFolder) -> list[Doubt]:
    """What would change the answer, the gravest first."""
    sources = (
        _gold_sample, _gold, _only_models, _misfits, _chains, _predictive, _disagreements,
        _undecided,
    )  # fmt: skip
    found = [doubt for source in sources for doubt in source(study)]
    if study.summary.get("weighted"):
        whose = "the population that the weighted items stand for"
        if study.about != POPULATION:
            whose = "these items, each counted by its weight,"
        found.append(
            Doubt(MINOR, "Weights", f"Items are weighted: the numbers are of {whose} and no better "
                  "than the weights.")
        )  # fmt: skip
    return sorted(found, key=lambda one: one.weight != GRAVE)


def verdict_of(doubts: Sequence[Doubt]) -> str:
    """Sum the doubts up in a sentence."""
    grave = sum(one.weight == GRAVE for one in doubts)
    if grave:
        return f"{counted(grave, 'grave doubt')}: read below why these numbers may be wrong."
    if doubts:
        return (
            "We found no grave reason to distrust these numbers; smaller ones are below "
            f"({len(doubts)})."
        )
    return "We found no reason to distrust these numbers."
