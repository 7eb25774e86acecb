"""The answer of a study: one method's estimate for each metric, by a rule laid down before.

Where there are gold labels, the answer comes from a method that they correct, the first in the
order of answers (`methods.method`). Their intervals rest on no model, so that no
diagnostics of a chain decide about them. A model's estimate stands beside the answer, with a flag
where the gold labels contradict it. It is the answer itself only without gold labels, where a range
stands before it, or where the gold items are surely no random sample, or surely do not
fit the chances that are given for them; of a metric of scores only if it uses the scores.

There is no answer where the interval of the method chosen says next to nothing (`is_too_wide`), or
where gold labels say too little for it to have one. No other method is chosen
for being narrower by chance: its interval would contain the truth less often than it says.

A model's number without gold labels rests on what the model assumes. The range beside it assumes
less (`inference.without_gold`), and is what conditions are judged by. A metric whose range is not
known gets the gold labels that would give it an interval, from the share of the items that its
smallest denominator holds at either end of the prevalence's range.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.checking.gold_sample import OF_ITEMS, WORDINGS, GoldSample
from crowdgold.checking.study import DataCheck
from crowdgold.checking.without_gold import (
    Allowed,
    allowed,
    assumed_in_words,
    has_ranges,
    left_out_in_words,
)
from crowdgold.evaluation.conditions import answers_asked
from crowdgold.evaluation.jobs import ALL, JobPlan, items_of, stream
from crowdgold.evaluation.questions import plain_metric
from crowdgold.evaluation.rows import KEYS
from crowdgold.inference.samples import ONLY_GOLD
from crowdgold.inference.without_gold import UNKNOWN, WIDE, WIDEST, Range, gold_wanted
from crowdgold.methods.method import CORRECTED, MODEL
from crowdgold.methods.needs import EXPERTS_ERRORS
from crowdgold.methods.registry import METHODS, baseline, with_role
from crowdgold.metrics.binary import LABEL_METRICS, METRICS
from crowdgold.metrics.ranked import RankedItems
from crowdgold.types.items import NO_GOLD, NO_PREDICTOR, Items

NUMBERS = ("estimate", "lower", "upper", "standard_error", "effective_gold")
NO_GOLD_REASON = (
    "no gold labels: votes and scores allow a range and no more; the number of a model rests on "
    "what it assumes, and nothing checks it"
)
RESTS_ON_MODEL = (
    "the numbers rest on a model of votes and scores, where there is one, and gold labels cannot "
    "check it"
)
CHOSEN_REASON = f"{WORDINGS[OF_ITEMS].surely}: {RESTS_ON_MODEL}"
NOT_KNOWN = "votes and scores alone give it no range"
SINGLE = "too few items have two votes"
OF_OTHERS = "the range leaves out judges who vote against the others, and this is of all votes"
LITTLE = "the interval has more than half of the values that the metric can take, and says little"
NO_MODEL = "no model was fitted that could answer (--no-models leaves them out)"
ONLY_MODELS_REASON = (
    "only models were asked for: the numbers rest on them, and gold labels do not correct them"
)


def why_set_aside(sample: GoldSample) -> str:
    """Why nothing rests on gold labels; empty where something can."""
    return f"{sample.wording.surely}: {RESTS_ON_MODEL}" if sample.surely_chosen else ""


def is_model(method: str) -> bool:
    """Whether a method rests on a model of votes."""
    return METHODS[method].has_role(MODEL)


def is_corrected(method: str) -> bool:
    """Whether gold labels correct what a method says of votes and scores."""
    return method in with_role(CORRECTED) and method != baseline()


def knows_errors(method: str) -> bool:
    """Whether a method corrects the errors of experts, and does not take gold for the truth."""
    return EXPERTS_ERRORS in METHODS[method].needs


def is_gold_alone(row: Mapping[str, Any]) -> bool:
    """Whether a number rests on gold labels alone, as asked, or since a prediction adds nothing."""
    return row["method"] == baseline() or str(row.get("note") or "").startswith(ONLY_GOLD)


def is_gold_corrected(row: Mapping[str, Any]) -> bool:
    """Whether gold labels corrected this number, by the method that the rules have first."""
    return is_corrected(str(row["method"])) and not row["passed_over"] and not is_gold_alone(row)


def method_in_words(row: Mapping[str, Any]) -> str:
    """By what a number was found, in words, with the method's name."""
    if is_gold_alone(row):
        return "gold labels alone"
    method = str(row["method"])
    return f"corrected by gold ({method})" if is_gold_corrected(row) else method


def order_of_choice(
    n_gold: int, set_aside: str, methods: Sequence[str]
) -> tuple[tuple[str, ...], str]:
    """The methods that can give the answer, the first choice first, and the reason for this order.

    The reason is empty where gold labels correct the answer. `set_aside` tells why nothing rests on
    gold labels; empty where something can. `methods` are those with estimates.
    """
    if n_gold == 0:
        return with_role(MODEL), NO_GOLD_REASON
    if set_aside:
        return with_role(MODEL), set_aside
    if not set(methods) & set(with_role(CORRECTED)):
        return with_role(MODEL), ONLY_MODELS_REASON
    # Where experts' errors are known no number that takes gold for the truth stands beside others.
    of_errors = tuple(one for one in with_role(CORRECTED) if one in methods and knows_errors(one))
    return of_errors or with_role(CORRECTED), ""


def first_choice(n_gold: int, set_aside: str, methods: Sequence[str]) -> str | None:
    """The method that is to give the answer; None without gold labels, where a range does."""
    order, _ = order_of_choice(n_gold, set_aside, methods)
    return next((name for name in order if name in methods), None) if n_gold else None


def _share_of_range(metric: str, lower: float, upper: float) -> float:
    plain, _ = plain_metric(metric)
    low, high = METRICS[plain].range
    sides = 1 if metric.partition("@")[0] == plain else 2  # a difference has twice the range
    return (upper - lower) / (sides * (high - low))


def is_too_wide(metric: str, lower: float, upper: float) -> bool:
    """Whether an interval is no answer: it has more of the metric's range than `WIDEST`."""
    return _share_of_range(metric, lower, upper) > WIDEST


def _why_no_answer(row: Mapping[str, Any], contradicts: bool) -> str:
    """Why a row cannot be the answer; empty where it can.

    `contradicts` says whether gold labels that contradict a model rule it out.
    """
    method = METHODS[row["method"]]
    if is_model(row["method"]):
        # A model that fits items without scores too has a setting for how these follow the votes.
        uses = method.needs_scores or any(
            one.name == "delta_scale" for one in method.settings.declared()
        )
        if plain_metric(row["metric"])[0] not in LABEL_METRICS and not uses:
            return "it does not use the scores"
        if not row["diagnostics_passed"]:
            return f"its chains had not converged ({row['message']})"
        if contradicts and row["misfit"] == 1:
            return "the gold labels contradict it"
    if not np.isfinite(row["estimate"]):
        return row["note"] or "no value"
    return "" if np.isfinite(row["lower"] + row["upper"]) else row["note"] or "no interval"


def _numbers(row: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers as JSON knows them, null for none, and whether gold contradicts a model."""
    plain = {name: float(row[name]) if np.isfinite(row[name]) else None for name in NUMBERS}
    return {**plain, "misfit": None if pd.isna(row["misfit"]) else bool(row["misfit"])}


def _left_out(method: str, of_errors: bool) -> str:
    """Why a method that is not in the order of choice, which can be `of_errors`, is no answer."""
    if is_model(method):
        return "a model, which is no answer where there are gold labels"
    if of_errors:
        return "it takes gold labels for the truth, and experts err; numbers in estimates.csv"
    why = "from these gold items" if METHODS[method].has_role(CORRECTED) else "no answer by itself"
    return f"{why}; numbers in estimates.csv"


def _choose(
    rows: Mapping[str, Mapping[str, Any]], order: Sequence[str], reason: str,
    unusable: Mapping[str, str],
) -> dict[str, Any]:  # fmt: skip
    """The answer of one metric, from its rows by method; its keys are those of `no_answer`."""
    passed_over = []
    for method in (name for name in order if name in rows):
        row = rows[method]
        problem = unusable.get(method) or _why_no_answer(row, reason == ONLY_MODELS_REASON)
        if problem:
            passed_over.append(f"{method}: {problem}")
            no_ends = np.isfinite(row["estimate"]) and not np.isfinite(row["lower"] + row["upper"])
            if method not in unusable and not is_model(method) and no_ends:
                return no_answer(passed_over)  # gold labels are too few to say how sure it is
            continue
        share = _share_of_range(row["metric"], row["lower"], row["upper"])
        if share > WIDEST:
            ends = f"{row['lower']:.3f} to {row['upper']:.3f}"
            why = f"its interval, {ends}, says next to nothing; numbers in estimates.csv"
            return no_answer([*passed_over, f"{method}: {why}"])
        # Without gold labels the range tells that the number says little.
        remark = LITTLE if share > WIDE and reason != NO_GOLD_REASON else ""
        instead = f"instead of {passed_over[0]}" if passed_over else ""
        others = (name for name in with_role(MODEL) if name in rows and name != method)
        beside = next((name for name in others if not _why_no_answer(rows[name], False)), None)
        return {
            "method": method, **_numbers(row),
            "beside": beside and {"method": beside, **_numbers(rows[beside])},
            "passed_over": passed_over,
            "note": "; ".join(filter(None, [row["note"], remark, instead])),
        }  # fmt: skip
    of_errors = any(map(knows_errors, set(order) & set(rows)))
    left = [method for method in rows if method not in order]
    passed_over += [f"{method}: {_left_out(method, of_errors)}" for method in left]
    if order == with_role(MODEL) and not set(order) & set(rows):
        passed_over.append(NO_MODEL)
    return no_answer(passed_over)


def no_answer(passed_over: Sequence[str]) -> dict[str, Any]:
    """What stands for an answer where no method gives one, with the methods passed over."""
    return {"method": None, **dict.fromkeys(NUMBERS), "misfit": None, "beside": None,
            "passed_over": list(passed_over), "note": ""}  # fmt: skip


def headlines(
    table: pd.DataFrame, n_gold: Mapping[str, int], set_aside: Mapping[str, str],
    unusable: Mapping[str, Mapping[str, str]],
) -> list[dict[str, Any]]:  # fmt: skip
    """The answer of each stratum, model, comparison and metric, in the order of a table.

    It has the method with its numbers, the model's estimate `beside` it, which methods were
    `passed_over` and why, and the `reason` of the order of choice, empty where gold corrects the
    answer. `n_gold`, and why gold is `set_aside`, are by stratum; `unusable` is stratum -> method
    -> why its numbers are no answer there.
    """
    listed = []
    asked = table.groupby("stratum")["method"].unique()
    for key, group in table.groupby(list(KEYS), sort=False):
        key_of_row = dict(zip(KEYS, map(str, key), strict=True))
        rows: dict[str, Any] = {row["method"]: row for row in group.to_dict("records")}
        stratum = key_of_row["stratum"]
        order, reason = order_of_choice(n_gold[stratum], set_aside[stratum], list(asked[stratum]))
        chosen = _choose(rows, order, reason, unusable.get(stratum, {}))
        if set_aside[stratum]:
            # Gold that is no random sample contradicts nothing, and is no measure.
            nothing = {"misfit": None, "effective_gold": None}
            beside = chosen["beside"]
            chosen = {**chosen, **nothing, "beside": beside and {**beside, **nothing}}
        listed.append(key_of_row | chosen | {"reason": reason})
    return listed


def _gold_wanted(
    row: Mapping[str, Any], items: Items, between: tuple[float, float], level: float
) -> int:
    name, at = plain_metric(row["metric"])
    metric = METRICS[name]
    shares = []
    for model in {row["model"], row["against"]} & {NO_PREDICTOR, *items.predictors}:
        if metric.needs_scores and model == NO_PREDICTOR:
            continue
        scored = items if model == NO_PREDICTOR else items.with_score(model)
        ranked, place = RankedItems.of(scored, model), np.arange(len(scored) + 1)
        for share in between:
            labels = np.diff(np.floor(place * share)).astype(int)
            threshold = float(at.partition("|")[0] or 0)
            shares.append(metric.rests_on(labels, ranked, threshold, None) / max(len(scored), 1))
    return gold_wanted(min(shares, default=1.0), len(items), level)


def range_of(
    row: Mapping[str, Any], items: Items, allowed_ranges: Allowed | None, level: float
) -> dict[str, Any]:
    """The range of a metric as JSON has it: its ends, or null and `why` there are none.

    `gold` is how many gold labels would give an interval of the level.
    """
    between = UNKNOWN if allowed_ranges is None else allowed_ranges.ranges.between
    nothing = {"lower": None, "upper": None, "gold": _gold_wanted(row, items, between, level)}
    if allowed_ranges is None:
        return {**nothing, "why": SINGLE}
    ranges, metric = allowed_ranges.ranges, row["metric"]
    by_metric = {"prevalence": ranges.prevalence, "TPR_H": ranges.tpr, "TNR_H": ranges.tnr}
    known: Range | None = by_metric.get(metric)
    if metric == "AUC" and not row["against"]:
        known = ranges.auc.get(row["model"])
    if known is None:
        return {**nothing, "why": NOT_KNOWN}
    if allowed_ranges.contrary and metric in ("TPR_H", "TNR_H"):
        return {**nothing, "why": OF_OTHERS}
    ends = {name: None if known.why else getattr(known, name) for name in ("lower", "upper")}
    return {**ends, "gold": known.gold, "why": known.why}


def with_ranges(
    rows: Sequence[dict[str, Any]], planned: JobPlan, check: DataCheck | None
) -> tuple[list[dict[str, Any]], dict[str, str]]:
    """The headlines with a `range` each, None where there is gold; and what the ranges assume.

    Without gold labels every metric that was asked for has a headline with a range, also where no
    model estimates it: such headlines are the last of a stratum.
    """
    study, settings = planned.study, planned.settings
    ranged: list[dict[str, Any]] = []
    assumed: dict[str, str] = {}
    level = settings.interval_level
    for name, stratum in planned.strata.items():
        items = items_of(study, stratum)
        of_stratum = [row for row in rows if row["stratum"] == name]
        if (items.gold != NO_GOLD).any():
            ranged += [{**row, "range": None} for row in of_stratum]
            continue
        allowed_ranges = None  # where no two votes are of an item
        if has_ranges(items) and name == ALL and check and check.judges.ranges is not None:
            allowed_ranges = Allowed(check.judges.ranges, check.judges.contrary)
        elif has_ranges(items):
            weights = None if study.weights is None else study.weights[stratum.rows]
            rng = stream(settings, stratum, "gold").spawn(1)[0]
            allowed_ranges = allowed(items, items.labels, rng, level, weights)
        keys_of_rows = {tuple(row[column] for column in KEYS) for row in of_stratum}
        empty = no_answer([] if of_stratum else [NO_MODEL]) | {"reason": NO_GOLD_REASON}
        for asked in answers_asked(settings, items):
            key_of_row = (name, asked.model, asked.against, asked.metric)
            if key_of_row not in keys_of_rows:
                of_stratum.append(dict(zip(KEYS, key_of_row, strict=True)) | empty)
        ranged += [
            {**row, "range": range_of(row, items, allowed_ranges, level)} for row in of_stratum
        ]
        assumed[name] = ""
        if allowed_ranges is not None:
            left_out = left_out_in_words(allowed_ranges)
            leave = f" They leave out {left_out}." if left_out else ""
            assumed[name] = f"Ranges hold {assumed_in_words(allowed_ranges.ranges)}.{leave}"
    return ranged, assumed
