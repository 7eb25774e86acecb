"""What can be said of each metric without gold labels: a range, or how many gold labels would do.

A model's number without gold labels rests on what the model assumes. The range beside it assumes
less (`inference.without_gold`), and is what conditions are judged by. A metric whose range is not
known gets the gold labels that would give it an interval, from the share of the items that its
smallest denominator holds at either end of the prevalence's range.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from crowdgold.checking.study import DataCheck
from crowdgold.checking.without_gold import (
    Allowed,
    allowed,
    assumed_in_words,
    has_ranges,
    left_out_in_words,
)
from crowdgold.evaluation.conditions import answers_asked
from crowdgold.evaluation.headline import NO_GOLD_REASON, NO_MODEL, no_answer
from crowdgold.evaluation.jobs import ALL, Stratum, items_of, stream
from crowdgold.evaluation.questions import Settings, plain_metric
from crowdgold.evaluation.rows import KEYS
from crowdgold.inference.without_gold import UNKNOWN, Range, Ranges, gold_wanted
from crowdgold.metrics.binary import METRICS
from crowdgold.metrics.ranked import RankedItems
from crowdgold.reading.study import Study
from crowdgold.types.items import NO_GOLD, NO_PREDICTOR, Items

NOT_KNOWN = "votes and scores alone give it no range"
SINGLE = "too few items have two votes"
OF_OTHERS = "the range leaves out judges who vote against the others, and this is of all votes"


def _allowed_in(
    items: Items, stratum: Stratum, settings: Settings, check: DataCheck | None,
    weights: np.ndarray | None,
) -> Allowed | None:  # fmt: skip
    """What the votes of a stratum allow; None where it has gold labels, or no two votes.

    Args:
        items: of the stratum.
        check: of the whole study, whose ranges are those of all items.
        weights: of all items of the study.
    """
    if not has_ranges(items):
        return None
    if stratum.name == ALL and check is not None and check.judges.ranges is not None:
        return Allowed(check.judges.ranges, check.judges.contrary)
    own = None if weights is None else weights[stratum.rows]
    rng = stream(settings, stratum, "gold").spawn(1)[0]
    return allowed(items, items.labels, rng, settings.interval_level, own)


def _gold_for(
    row: Mapping[str, Any], items: Items, between: tuple[float, float], level: float
) -> int:
    """Gold labels that would give a metric without a range an interval."""
    name, at = plain_metric(row["metric"])
    metric = METRICS[name]
    shares = []
    for model in {row["model"], row["against"]} & {NO_PREDICTOR, *items.predictors}:
        if metric.needs_scores and model == NO_PREDICTOR:
            continue
        own = items if model == NO_PREDICTOR else items.with_score(model)
        ranked, place = RankedItems.of(own, model), np.arange(len(own) + 1)
        for share in between:
            labels = np.diff(np.floor(place * share)).astype(int)
            threshold = float(at.partition("|")[0] or 0)
            shares.append(metric.rests_on(labels, ranked, threshold, None) / max(len(own), 1))
    return gold_wanted(min(shares, default=1.0), len(items), level)


def _known(row: Mapping[str, Any], found: Ranges) -> Range | None:
    """The range of a metric; None where it is not known."""
    if row["metric"] == "AUC" and not row["against"]:
        return found.auc.get(row["model"])
    named = {"prevalence": found.prevalence, "TPR_H": found.tpr, "TNR_H": found.tnr}
    return named.get(row["metric"])


def range_of(
    row: Mapping[str, Any], items: Items, found: Allowed | None, level: float
) -> dict[str, Any]:
    """The range of a metric as JSON has it: its ends, null for none; gold labels; and why.

    Args:
        level: of the interval that so many gold labels would give.
    """
    between = UNKNOWN if found is None else found.ranges.between
    nothing = {"lower": None, "upper": None, "gold": _gold_for(row, items, between, level)}
    if found is None:
        return {**nothing, "why": SINGLE}
    known = _known(row, found.ranges)
    if known is None:
        return {**nothing, "why": NOT_KNOWN}
    if found.contrary and row["metric"] in ("TPR_H", "TNR_H"):
        return {**nothing, "why": OF_OTHERS}
    ends = {name: None if known.why else getattr(known, name) for name in ("lower", "upper")}
    return {**ends, "gold": known.gold, "why": known.why}


def _assumed(found: Allowed | None) -> str:
    """What the ranges assume, a sentence; empty where there are none."""
    if found is None:
        return ""
    out = left_out_in_words(found)
    return (
        f"Ranges hold {assumed_in_words(found.ranges)}.{f' They leave out {out}.' if out else ''}"
    )


def _every(
    rows: Sequence[dict[str, Any]], stratum: str, items: Items, settings: Settings
) -> list[dict[str, Any]]:
    """The headlines of a stratum, those of metrics that no model estimates at the end."""
    found = [row for row in rows if row["stratum"] == stratum]
    there = {tuple(row[name] for name in KEYS) for row in found}
    passed_over = [] if found else [NO_MODEL]
    for key in answers_asked(settings, items):
        named = (stratum, key.model, key.against, key.metric)
        if named not in there:
            empty = no_answer(passed_over) | {"reason": NO_GOLD_REASON}
            found.append(dict(zip(KEYS, named, strict=True)) | empty)
    return found


def with_ranges(
    rows: Sequence[dict[str, Any]],
    study: Study,
    strata: Mapping[str, Stratum],
    settings: Settings,
    check: DataCheck | None,
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The headlines with a `range` each, None where there is gold; and what the ranges assume.

    Without gold labels every metric that was asked for has one, also where no model estimates it.

    Args:
        rows: as of `headline.headlines`.
        check: of the study; None where there is none.
    """
    told: list[dict[str, Any]] = []
    assumed: dict[str, str] = {}
    for name, stratum in strata.items():
        items = items_of(study, stratum)
        if (items.gold != NO_GOLD).any():
            told += [{**row, "range": None} for row in rows if row["stratum"] == name]
            continue
        found = _allowed_in(items, stratum, settings, check, study.weights)
        told += [
            {**row, "range": range_of(row, items, found, settings.interval_level)}
            for row in _every(rows, name, items, settings)
        ]
        assumed[name] = _assumed(found)
    return told, assumed
