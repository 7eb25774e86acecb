"""The answer of a study: one method's estimate for each metric, by a rule laid down before.

Where there are gold labels, the answer comes from a method that they correct, the first in the
order of answers (`methods.method`). Their intervals rest on no model, so that no
diagnostics of a chain decide about them. A model's estimate stands beside the answer, with a flag
where the gold labels contradict it. It is the answer itself only without gold labels, where a range
stands before it (`ranges`), or where the gold items are surely no random sample, or surely do not
fit the chances that are given for them; of a metric of scores only if it uses the scores.

There is no answer where the interval of the method chosen says next to nothing (`is_too_wide`), or
where gold labels say too little for it to have one (`_has_no_interval`). No other method is chosen
for being narrower by chance: its interval would contain the truth less often than it says.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.checking.gold_sample import OF_ITEMS, TOLD, GoldSample
from crowdgold.evaluation.questions import plain_metric
from crowdgold.evaluation.rows import KEYS
from crowdgold.inference.samples import ONLY_GOLD
from crowdgold.inference.without_gold import WIDE, WIDEST
from crowdgold.methods.method import CORRECTED, MODEL
from crowdgold.methods.needs import EXPERTS_ERRORS
from crowdgold.methods.registry import METHODS, baseline, with_role
from crowdgold.metrics.binary import LABEL_METRICS, METRICS

NUMBERS = ("estimate", "lower", "upper", "standard_error", "effective_gold")
NO_GOLD_REASON = (
    "no gold labels: votes and scores allow a range and no more; the number of a model rests on "
    "what it assumes, and nothing checks it"
)
RESTS_ON_MODEL = (
    "the numbers rest on a model of votes and scores, where there is one, and gold labels cannot "
    "check it"
)
CHOSEN_REASON = f"{TOLD[OF_ITEMS].surely}: {RESTS_ON_MODEL}"
LITTLE = "the interval has more than half of the values that the metric can take, and says little"
"""Said of an answer with gold labels that is wider than `WIDE`."""
NO_MODEL = "no model was fitted that could answer (--no-models leaves them out)"
ONLY_MODELS_REASON = (
    "only models were asked for: the numbers rest on them, and gold labels do not correct them"
)


def why_set_aside(sample: GoldSample) -> str:
    """Why nothing rests on gold labels; empty where something can."""
    return f"{sample.told.surely}: {RESTS_ON_MODEL}" if sample.surely_chosen else ""


def is_model(method: str) -> bool:
    """Whether a method rests on a model of votes."""
    return METHODS[method].has_role(MODEL)


def is_corrected(method: str) -> bool:
    """Whether gold labels correct what a method says of votes and scores."""
    return method in with_role(CORRECTED) and method != baseline()


def knows_errors(method: str) -> bool:
    """Whether a method corrects the errors of experts, and does not take gold for the truth."""
    return EXPERTS_ERRORS in METHODS[method].needs


def is_gold_alone(one: Mapping[str, Any]) -> bool:
    """Whether a number rests on gold labels alone, as asked, or since a prediction adds nothing."""
    return one["method"] == baseline() or str(one.get("note") or "").startswith(ONLY_GOLD)


def is_gold_corrected(one: Mapping[str, Any]) -> bool:
    """Whether gold labels corrected this number, by the method that the rules have first."""
    return is_corrected(str(one["method"])) and not one["passed_over"] and not is_gold_alone(one)


def named(one: Mapping[str, Any]) -> str:
    """What a reader is told of how a number was found: in words, with the method's name."""
    if is_gold_alone(one):
        return "gold labels alone"
    method = str(one["method"])
    return f"corrected by gold ({method})" if is_gold_corrected(one) else method


def order_of_choice(
    n_gold: int, set_aside: str, methods: Sequence[str]
) -> tuple[tuple[str, ...], str]:
    """The methods in the order in which they are chosen, and why in this one.

    Args:
        n_gold: gold labels.
        set_aside: why nothing rests on these; empty where something can.
        methods: that say something.
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
    """The method that is to give the answer; None without gold labels, where a range does.

    Args:
        n_gold, set_aside, methods: as of `order_of_choice`.
    """
    order, _ = order_of_choice(n_gold, set_aside, methods)
    return next((name for name in order if name in methods), None) if n_gold else None


def _ignores_scores(method: str, metric: str) -> bool:
    """Whether a metric is of scores and a model does not use them."""
    of_labels = plain_metric(metric)[0] in LABEL_METRICS
    known = METHODS[method]
    # A model that fits items without scores too has a setting for how these follow the votes.
    uses = known.needs_scores or any(one.name == "delta_scale" for one in known.settings.declared())
    return is_model(method) and not of_labels and not uses


def _share_of_range(metric: str, lower: float, upper: float) -> float:
    """The part that an interval has of the values that a metric can take."""
    plain, _ = plain_metric(metric)
    low, high = METRICS[plain].range
    sides = 1 if metric.partition("@")[0] == plain else 2  # a difference has twice the range
    return (upper - lower) / (sides * (high - low))


def is_too_wide(metric: str, lower: float, upper: float) -> bool:
    """Whether an interval is no answer: it has more of the metric's range than `WIDEST`."""
    return _share_of_range(metric, lower, upper) > WIDEST


def _remark(row: Mapping[str, Any], reason: str) -> str:
    """`LITTLE` of an answer that says little; without gold labels the range tells that."""
    wide = _share_of_range(row["metric"], row["lower"], row["upper"]) > WIDE
    return LITTLE if wide and reason != NO_GOLD_REASON else ""


def _has_no_interval(row: Mapping[str, Any]) -> bool:
    """Whether gold labels give an estimate, and too few of them say how sure it is."""
    ends = np.isfinite([row["lower"], row["upper"]]).all()
    return bool(not is_model(row["method"]) and np.isfinite(row["estimate"]) and not ends)


def _problem(row: Mapping[str, Any], contradicts: bool) -> str:
    """Why a row cannot be the answer; empty where it can."""
    if is_model(row["method"]):
        if _ignores_scores(row["method"], row["metric"]):
            return "it does not use the scores"
        if not row["diagnostics_passed"]:
            return f"its chains had not converged ({row['message']})"
        if contradicts and row["misfit"] == 1:
            return "the gold labels contradict it"
    if not np.isfinite(row["estimate"]):
        return row["note"] or "no value"
    if not np.isfinite([row["lower"], row["upper"]]).all():
        return row["note"] or "no interval"
    return ""


def _plain(row: Mapping[str, Any], names: tuple[str, ...]) -> dict[str, Any]:
    """Numbers as JSON knows them: null for none."""
    return {name: float(row[name]) if np.isfinite(row[name]) else None for name in names}


def _flag(row: Mapping[str, Any]) -> bool | None:
    return None if pd.isna(row["misfit"]) else bool(row["misfit"])


def _beside(rows: Mapping[str, Mapping[str, Any]], chosen: str) -> dict[str, Any] | None:
    """The estimate of the first model that is not the chosen method and is usable."""
    for method in with_role(MODEL):
        if method in rows and method != chosen and not _problem(rows[method], False):
            row = rows[method]
            return {"method": method, **_plain(row, NUMBERS), "misfit": _flag(row)}
    return None


def _left_out(method: str, of_errors: bool) -> str:
    """Why a method that is not in the order of choice is no answer.

    Args:
        of_errors: whether those in it correct experts' errors.
    """
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
    """Choose among the rows of one metric, by method."""
    passed_over = []
    for method in order:
        if method not in rows:
            continue
        problem = unusable.get(method) or _problem(rows[method], reason == ONLY_MODELS_REASON)
        if problem:
            passed_over.append(f"{method}: {problem}")
            if method not in unusable and _has_no_interval(rows[method]):
                return no_answer(passed_over)
            continue
        row = rows[method]
        if is_too_wide(row["metric"], row["lower"], row["upper"]):
            ends = f"{row['lower']:.3f} to {row['upper']:.3f}"
            why = f"its interval, {ends}, says next to nothing; numbers in estimates.csv"
            return no_answer([*passed_over, f"{method}: {why}"])
        instead = f"instead of {passed_over[0]}" if passed_over else ""
        notes = [row["note"], _remark(row, reason), instead]
        return {
            "method": method, **_plain(row, NUMBERS), "misfit": _flag(row),
            "beside": _beside(rows, method), "passed_over": passed_over,
            "note": "; ".join(filter(None, notes)),
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


def _held_against_nothing(chosen: dict[str, Any]) -> dict[str, Any]:
    """An answer where gold is no random sample: it contradicts nothing, and is no measure."""
    beside = chosen["beside"]
    kept = {**chosen, "misfit": None, "effective_gold": None}
    return {**kept, "beside": beside and {**beside, "misfit": None, "effective_gold": None}}


def _groups(table: pd.DataFrame) -> Iterator[tuple[dict[str, str], dict[str, Any]]]:
    for key, group in table.groupby(list(KEYS), sort=False):
        named = dict(zip(KEYS, map(str, key), strict=True))
        yield named, {row["method"]: row for row in group.to_dict("records")}


def headlines(
    table: pd.DataFrame,
    n_gold: Mapping[str, int],
    set_aside: Mapping[str, str],
    unusable: Mapping[str, Mapping[str, str]],
) -> list[dict[str, Any]]:
    """The answer of each metric.

    Args:
        table: as of `estimate_rows`.
        n_gold: gold items of each stratum.
        set_aside: why nothing rests on these; empty where something can.
        unusable: stratum -> method -> why its numbers are no answer there.

    Returns:
        for each stratum, model, comparison and metric, in the order of the table: the method with
        its numbers, the model's estimate `beside` it, which methods were `passed_over` and why, and
        the `reason` of the order of choice, empty where gold labels correct the answer.
    """
    found = []
    asked = {
        stratum: list(dict.fromkeys(table.loc[table["stratum"] == stratum, "method"]))
        for stratum in n_gold
    }
    for named, rows in _groups(table):
        stratum = named["stratum"]
        order, reason = order_of_choice(n_gold[stratum], set_aside[stratum], asked[stratum])
        chosen = _choose(rows, order, reason, unusable.get(stratum, {}))
        if set_aside[stratum]:
            chosen = _held_against_nothing(chosen)
        found.append(named | chosen | {"reason": reason})
    return found
