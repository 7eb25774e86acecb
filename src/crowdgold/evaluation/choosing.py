"""The answers of a study, chosen from all estimates by a rule laid down before.

Where there are gold labels, the answer comes from a method that they correct, the first in the
order of answers (`methods.method`). Their intervals rest on no model, so that no diagnostics of a
chain decide about them. A model's estimate stands beside the answer, with a flag where the gold
labels contradict it. It is the answer itself only without gold labels, where a range stands before
it, or where the gold items are surely no random sample, or surely do not fit the chances that are
given for them; of a metric of scores only if it uses the scores.

There is no answer where the interval of the method chosen says next to nothing (`is_too_wide`), or
where gold labels say too little for it to have one. No other method is chosen for being narrower by
chance: its interval would contain the truth less often than it says.

A model's number without gold labels rests on what the model assumes. The range beside it assumes
less (`inference.without_gold`), and is what conditions are judged by. A metric whose range is not
known gets the gold labels that would give it an interval, from the share of the items that its
smallest denominator holds at either end of the prevalence's range.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.checking.gold_sample import GoldSample
from crowdgold.checking.judges import Apart
from crowdgold.checking.scores import scored
from crowdgold.checking.study import DataCheck
from crowdgold.checking.without_gold import (
    Allowed,
    allowed,
    has_ranges,
    ranges_if,
)
from crowdgold.evaluation.answer import (
    Answer,
    Passed,
    Quantity,
    Value,
    VotesRange,
    knows_errors,
    of_stratum,
    value_of,
)
from crowdgold.evaluation.jobs import ALL, JobPlan, items_of, stream
from crowdgold.evaluation.questions import HUMANS, Settings, plain_metric, questions_of
from crowdgold.evaluation.rows import KEYS, Sizes, difference_name, notes_of
from crowdgold.inference.without_gold import UNKNOWN, WIDE, WIDEST, Range, gold_wanted
from crowdgold.methods.method import CORRECTED, MODEL
from crowdgold.methods.registry import METHODS, baseline, with_role
from crowdgold.metrics.binary import LABEL_METRICS, METRICS, parse_metric
from crowdgold.metrics.metric import DELTA, LabelMass, RankedItems
from crowdgold.types.items import FEWEST_GOLD, NO_PREDICTOR, Items
from crowdgold.types.items import NO_GOLD as UNLABELLED
from crowdgold.types.notes import GRAVE, Note

NO_GOLD = Note("no_gold", weight=GRAVE)
PARTS_APART = 0.005  # that two values differ by more than their difference is
SINGLE = Note("single_gold", weight=GRAVE)
TOO_FEW = Note("too_few_gold", weight=GRAVE)
ONLY_MODELS = Note("only_models", weight=GRAVE)
NO_MODEL = Passed("", (Note("no_model"),))


def is_model(method: str) -> bool:
    """Whether a method rests on a model of votes."""
    return METHODS[method].has_role(MODEL)


def order_of_choice(
    n_gold: int, set_aside: Note | None, methods: Sequence[str]
) -> tuple[tuple[str, ...], Note | None]:
    """The methods that can give the answer, the first choice first, and the reason for this order.

    There is no reason where gold labels correct the answer. `set_aside` tells why nothing rests on
    gold labels; None where something can. `methods` are those with estimates.
    """
    models = with_role(MODEL)
    if n_gold < FEWEST_GOLD:
        return models, SINGLE if n_gold else NO_GOLD
    if set_aside is not None:
        return models, set_aside
    if not set(methods) & set(with_role(CORRECTED)) and set(methods) & set(models):
        return models, ONLY_MODELS
    # Where experts' errors are known no number that takes gold for the truth stands beside others.
    of_errors = tuple(one for one in with_role(CORRECTED) if one in methods and knows_errors(one))
    return of_errors or with_role(CORRECTED), None


def first_choice(n_gold: int, set_aside: Note | None, methods: Sequence[str]) -> str | None:
    """The method that is to give the answer; None without gold labels, where a range does."""
    order, _ = order_of_choice(n_gold, set_aside, methods)
    found = next((name for name in order if name in methods), None)
    return found if n_gold >= FEWEST_GOLD else None


def not_chosen(method: str, of_errors: bool) -> Note:
    """Why a method that is not in the order of choice, which can be `of_errors`, is no answer."""
    if is_model(method):
        return Note("model_beside_gold")
    if of_errors:
        return Note("takes_gold_for_true")
    return Note("not_from_this_gold" if METHODS[method].has_role(CORRECTED) else "not_by_itself")


def why_set_aside(sample: GoldSample) -> Note | None:
    """Why nothing rests on gold labels; None where something can."""
    if not sample.surely_chosen:
        return None
    values = {"surely": sample.wording.surely, "sample": sample.of, "p": sample.p}
    return Note("gold_surely_chosen", values, GRAVE)


def _share_of_range(metric: str, lower: float, upper: float) -> float:
    plain, _ = plain_metric(metric)
    of_one = metric.partition("@")[0] == plain
    known = METRICS[plain]
    low, high = known.range if of_one else known.range_of_differences
    return (upper - lower) / (high - low)


def is_too_wide(metric: str, lower: float, upper: float) -> bool:
    """Whether an interval is no answer: it has more of the metric's range than `WIDEST`."""
    return _share_of_range(metric, lower, upper) > WIDEST


def votes_alone(of: Quantity, items: Items, weights: np.ndarray | None) -> float | None:
    """A quantity where the majority of an item's votes is taken for its label; half of a tie.

    None of what is about the voters themselves, and where there is no value.
    """
    metric = METRICS[of.plain]
    if metric.needs_votes or not items.votes_total.any():
        return None
    models = [name for name in (of.model, of.against) if name not in (NO_PREDICTOR, HUMANS)]
    rows = scored(items, models)
    own = items if len(rows) == len(items) else items.take(rows)
    share = 0.5 + np.sign(2 * own.votes_positive - own.votes_total) / 2
    mass = LabelMass.of_probability(share, None if weights is None else weights[rows])
    first, _, second = of.at.partition("|")
    found = []
    for model, at in zip(models or [NO_PREDICTOR], (first, second or first), strict=False):
        asked = parse_metric(f"{of.plain}@{at}" if at else of.plain)
        found.append(float(asked.value([mass], [RankedItems.of(own, model)])))
    value = found[0] - found[1] if of.is_comparison else found[0]
    return value if np.isfinite(value) else None


def notes_on_annotators(answer: Answer, apart: Sequence[Apart]) -> tuple[Note, ...]:
    """A note where an answer about all voters hides that they differ."""
    return tuple(
        Note("annotators_apart", {
            "lowest": one.lowest.annotator, "low": one.lowest.rate,
            "highest": one.highest.annotator, "high": one.highest.rate,
        })
        for one in apart
        if answer.stratum == ALL and answer.of.metric == f"{one.metric}_H" and one.differ
    )  # fmt: skip


def _why_no_answer(row: Mapping[str, Any], contradicts: bool) -> tuple[Note, ...]:
    """Why a row cannot be the answer; nothing where it can.

    `contradicts` says whether gold labels that contradict a model rule it out.
    """
    method = METHODS[row["method"]]
    if is_model(row["method"]):
        # A model that fits items without scores too has a setting for how these follow the votes.
        uses = method.needs_scores or any(
            one.name == "delta_scale" for one in method.settings.declared()
        )
        if plain_metric(row["metric"])[0] not in LABEL_METRICS and not uses:
            return (Note("without_scores"),)
        if not row["diagnostics_passed"]:
            return (Note("not_converged", {"message": row["message"]}),)
        if contradicts and row["misfit"] == 1:
            return (Note("contradicted"),)
    if not np.isfinite(row["estimate"]):
        return notes_of(row) or (Note("no_number"),)
    if np.isfinite(row["lower"] + row["upper"]):
        return ()
    return notes_of(row) or (Note("no_interval"),)


def _choose(
    answer: Answer, rows: Mapping[str, Mapping[str, Any]], order: Sequence[str],
    unusable: Mapping[str, tuple[Note, ...]],
) -> Answer:  # fmt: skip
    """The answer of one metric, from its rows by method."""
    passed: list[Passed] = []
    for method in (name for name in order if name in rows):
        row = rows[method]
        why = unusable.get(method) or _why_no_answer(row, answer.reason == ONLY_MODELS)
        if why:
            passed.append(Passed(method, why))
            no_ends = np.isfinite(row["estimate"]) and not np.isfinite(row["lower"] + row["upper"])
            if method not in unusable and not is_model(method) and no_ends:
                break  # gold labels are too few to say how sure it is
            continue
        share = _share_of_range(row["metric"], row["lower"], row["upper"])
        if share > WIDEST:
            ends = {"lower": float(row["lower"]), "upper": float(row["upper"])}
            passed.append(Passed(method, (Note("too_wide", ends),)))
            break
        # Without gold labels the range tells that the number says little.
        little = share > WIDE and answer.reason not in (NO_GOLD, SINGLE)
        others = (name for name in with_role(MODEL) if name in rows and name != method)
        beside = next((name for name in others if not _why_no_answer(rows[name], False)), None)
        return replace(
            answer, value=value_of(row), beside=value_of(rows[beside]) if beside else None,
            notes=notes_of(row) + (Note("wide"),) * little, passed_over=tuple(passed),
        )  # fmt: skip
    else:
        of_errors = any(map(knows_errors, set(order) & set(rows)))
        left = [method for method in rows if method not in order]
        passed += [Passed(method, (not_chosen(method, of_errors),)) for method in left]
        if order == with_role(MODEL) and not set(order) & set(rows):
            passed.append(NO_MODEL)
    return replace(answer, passed_over=tuple(passed))


def _gold_alone(answer: Answer, rows: Mapping[str, Mapping[str, Any]]) -> Value | None:
    """What gold labels alone say; nothing where experts err, and they take gold for the truth."""
    errs = answer.value is not None and knows_errors(answer.value.method)
    if errs or baseline() not in rows:
        return None
    alone = value_of(rows[baseline()])
    return alone if alone.has_interval else None


def answers_of(
    table: pd.DataFrame, sizes: Sizes, n_gold: Mapping[str, int],
    set_aside: Mapping[str, Note | None], unusable: Mapping[str, Mapping[str, tuple[Note, ...]]],
) -> list[Answer]:  # fmt: skip
    """The answer of each stratum, model, comparison and metric, in the order of a table.

    `n_gold`, and why gold is `set_aside`, are by stratum; `unusable` is stratum -> method -> why
    its numbers are no answer there.
    """
    found = []
    asked = table.groupby("stratum")["method"].unique()
    for key, group in table.groupby(list(KEYS), sort=False):
        stratum, model, against, metric = map(str, key)
        rows: dict[str, Any] = {row["method"]: row for row in group.to_dict("records")}
        aside = set_aside[stratum]
        order, reason = order_of_choice(n_gold[stratum], aside, list(asked[stratum]))
        empty = Answer(stratum, Quantity(metric, model, against), reason=reason,
                       gold=sizes[stratum, model, against][0])  # fmt: skip
        answer = _choose(empty, rows, order, unusable.get(stratum, {}))
        if aside:
            # Gold that is no random sample contradicts nothing, and is no measure.
            value, beside = (
                one and replace(one, contradicted=None, as_gold=None)
                for one in (answer.value, answer.beside)
            )
            answer = replace(answer, value=value, beside=beside)
        elif (alone := _gold_alone(answer, rows)) is not None:
            answer = replace(answer, alone=alone)
        found.append(answer)
    return _with_parts(found)


def _with_parts(answers: Sequence[Answer]) -> list[Answer]:
    """The answers, with a note on each comparison whose two values do not differ by it, since one
    of the three rests on gold labels alone.
    """
    values = {(one.stratum, one.of): one for one in answers}

    def of_part(one: Answer, model: str, at: str) -> Answer | None:
        metric = f"{one.of.plain}@{at}" if at else one.of.plain
        against = HUMANS if one.of.against_voters else ""
        return values.get((one.stratum, Quantity(metric, model, against)))

    found = []
    for one in answers:
        first, _, second = one.of.at.partition("|")
        sides = (of_part(one, one.of.model, first), of_part(one, one.of.against, second or first))
        three = [answer for answer in (one, *sides) if answer and answer.value]
        if one.of.is_comparison and len(three) == 3:
            whole, here, there = (answer.value.estimate or 0.0 for answer in three if answer.value)
            mixed = len({answer.has("gold_alone") for answer in three}) > 1
            if mixed and abs(here - there - whole) > PARTS_APART:
                one = replace(one, notes=(*one.notes, Note("parts_apart", {"apart": here - there})))
        found.append(one)
    return found


def quantities_asked(settings: Settings, items: Items) -> Iterator[Quantity]:
    """What a study will have answers of: of labels, of each model, of each two."""
    models = items.predictors or [NO_PREDICTOR]
    asked = {model: questions_of(settings, items, model).asked for model in models}
    yield from (Quantity(one.text) for one in asked[models[0]] if one.name in LABEL_METRICS)
    of_models = {
        model: [one for one in own if one.name not in LABEL_METRICS] for model, own in asked.items()
    }
    for model, own in of_models.items():
        yield from (Quantity(one.text, model, HUMANS if one.name.startswith(DELTA) else "")
                    for one in own)  # fmt: skip
    for first, second in combinations(models, 2):
        for one, other in zip(of_models[first], of_models[second], strict=False):
            yield Quantity(difference_name(one.text, other.text), first, second)


def _gold_wanted(of: Quantity, items: Items, between: tuple[float, float], level: float) -> int:
    metric = METRICS[of.plain]
    shares = []
    for model in {of.model, of.against} & {NO_PREDICTOR, *items.predictors}:
        if metric.needs_scores and model == NO_PREDICTOR:
            continue
        own = items if model == NO_PREDICTOR else items.with_score(model)
        ranked, place = RankedItems.of(own, model), np.arange(len(own) + 1)
        for share in between:
            labels = np.diff(np.floor(place * share)).astype(int)
            threshold = float(of.at.partition("|")[0] or 0)
            shares.append(metric.rests_on(labels, ranked, threshold, None) / max(len(own), 1))
    return gold_wanted(min(shares, default=1.0), len(items), level)


def range_of(of: Quantity, items: Items, votes: Allowed | None, level: float) -> VotesRange:
    """The range of a metric that votes and scores allow, with the gold labels for an interval."""
    between = UNKNOWN if votes is None else votes.ranges.between
    nothing = VotesRange(None, None, _gold_wanted(of, items, between, level))
    if votes is None:
        return replace(nothing, why=Note("range_of_single_votes"))
    ranges = votes.ranges
    by_metric = {"prevalence": ranges.prevalence, "TPR_H": ranges.tpr, "TNR_H": ranges.tnr}
    known: Range | None = by_metric.get(of.metric)
    if of.metric == "AUC" and not of.against:
        known = ranges.auc.get(of.model)
    if known is None:
        return replace(nothing, why=Note("range_not_known"))
    if votes.contrary and of.metric in ("TPR_H", "TNR_H"):
        return replace(nothing, why=Note("range_of_others"))
    if known.why:
        return VotesRange(None, None, known.gold, known.why)
    return VotesRange(known.lower, known.upper, known.gold)


def with_ranges(
    answers: Sequence[Answer], planned: JobPlan, check: DataCheck | None
) -> tuple[list[Answer], dict[str, Note]]:
    """The answers, where there is no gold with a range each; and what the ranges assume.

    Without gold labels, and where they give no answer at all, every metric that was asked for has
    one with a range, also where no model estimates it: such answers are the last of a stratum.
    """
    study, settings = planned.study, planned.settings
    ranged: list[Answer] = []
    assumed: dict[str, Note] = {}
    level = settings.interval_level
    for name, stratum in planned.strata.items():
        items, own = items_of(study, stratum), of_stratum(answers, name)
        gold = int((items.gold != UNLABELLED).sum())
        says_nothing = bool(own) and all(one.value is None for one in own)
        if items.gold_corrects and not (says_nothing and has_ranges(items)):
            # Where nothing could be run, each metric says why.
            lacks = tuple(
                Passed(method, (why,))
                for (inside, method), why in planned.against.items()
                if inside == name
            )
            ranged += own or [Answer(name, of, gold=gold, passed_over=lacks)
                              for of in quantities_asked(settings, items)]  # fmt: skip
            continue
        votes = None  # where no two votes are of an item
        if has_ranges(items) and name == ALL and check and check.judges.ranges is not None:
            votes = Allowed(check.judges.ranges, check.judges.contrary)
        elif has_ranges(items):
            weights = None if study.weights is None else study.weights[stratum.rows]
            rng = stream(settings, stratum, "gold").spawn(1)[0]
            votes = allowed(items, items.labels, rng, level, weights)
        known, passed = {one.of for one in own}, () if own else (NO_MODEL,)
        reason = TOO_FEW if items.gold_corrects else SINGLE if gold else NO_GOLD
        own = [replace(one, reason=one.reason or reason) for one in own]
        own += [Answer(name, of, reason=reason, gold=gold, passed_over=passed)
                for of in quantities_asked(settings, items) if of not in known]  # fmt: skip
        ranged += [replace(one, allowed=range_of(one.of, items, votes, level)) for one in own]
        if votes is not None:
            assumed[name] = ranges_if(votes)
    return ranged, assumed
