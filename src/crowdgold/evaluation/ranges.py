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
from crowdgold.evaluation.jobs import ALL, Planned, items_of, stream
from crowdgold.evaluation.questions import plain_metric
from crowdgold.evaluation.rows import KEYS
from crowdgold.inference.without_gold import UNKNOWN, Range, gold_wanted
from crowdgold.metrics.binary import METRICS
from crowdgold.metrics.ranked import RankedItems
from crowdgold.types.items import NO_GOLD, NO_PREDICTOR, Items

NOT_KNOWN = "votes and scores alone give it no range"
SINGLE = "too few items have two votes"
OF_OTHERS = "the range leaves out judges who vote against the others, and this is of all votes"


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


def range_of(
    row: Mapping[str, Any], items: Items, found: Allowed | None, level: float
) -> dict[str, Any]:
    """The range of a metric as JSON has it: its ends, null for none; gold labels; and why.

    So many gold labels would give an interval of that level.
    """
    between = UNKNOWN if found is None else found.ranges.between
    nothing = {"lower": None, "upper": None, "gold": _gold_for(row, items, between, level)}
    if found is None:
        return {**nothing, "why": SINGLE}
    ranges, metric = found.ranges, row["metric"]
    named = {"prevalence": ranges.prevalence, "TPR_H": ranges.tpr, "TNR_H": ranges.tnr}
    known: Range | None = named.get(metric)
    if metric == "AUC" and not row["against"]:
        known = ranges.auc.get(row["model"])
    if known is None:
        return {**nothing, "why": NOT_KNOWN}
    if found.contrary and metric in ("TPR_H", "TNR_H"):
        return {**nothing, "why": OF_OTHERS}
    ends = {name: None if known.why else getattr(known, name) for name in ("lower", "upper")}
    return {**ends, "gold": known.gold, "why": known.why}


def with_ranges(
    rows: Sequence[dict[str, Any]], planned: Planned, check: DataCheck | None
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The headlines with a `range` each, None where there is gold; and what the ranges assume.

    Without gold labels every metric that was asked for has one, also where no model estimates it:
    such are at the end of a stratum's.
    """
    study, settings = planned.study, planned.settings
    told: list[dict[str, Any]] = []
    assumed: dict[str, str] = {}
    level = settings.interval_level
    for name, stratum in planned.strata.items():
        items, own = items_of(study, stratum), [row for row in rows if row["stratum"] == name]
        if (items.gold != NO_GOLD).any():
            told += [{**row, "range": None} for row in own]
            continue
        found = None  # where no two votes are of an item
        if has_ranges(items) and name == ALL and check and check.judges.ranges is not None:
            found = Allowed(check.judges.ranges, check.judges.contrary)
        elif has_ranges(items):
            weights = None if study.weights is None else study.weights[stratum.rows]
            rng = stream(settings, stratum, "gold").spawn(1)[0]
            found = allowed(items, items.labels, rng, level, weights)
        there = {tuple(row[key] for key in KEYS) for row in own}
        empty = no_answer([] if own else [NO_MODEL]) | {"reason": NO_GOLD_REASON}
        for key in answers_asked(settings, items):
            named = (name, key.model, key.against, key.metric)
            if named not in there:
                own.append(dict(zip(KEYS, named, strict=True)) | empty)
        told += [{**row, "range": range_of(row, items, found, level)} for row in own]
        assumed[name] = ""
        if found is not None:
            out = left_out_in_words(found)
            leave = f" They leave out {out}." if out else ""
            assumed[name] = f"Ranges hold {assumed_in_words(found.ranges)}.{leave}"
    return told, assumed
