"""The tables of an evaluation: estimates with comparisons, curves, items, annotators, parameters.

Each answer has its number "as gold": how many gold labels alone would give as narrow an interval.
It is n times a ratio of squared widths, and both widths are estimated from the same n gold labels.
Its own interval is that of the ratio of variances (`inference.rectified`), made wider where it does
not hold the number itself: n gold labels of N items, with a corrected variance that is R times that
of gold alone, say as much as m of them,

    1 / m = (1 / n - 1 / N) R + 1 / N

No number of labels beats one for every item. An interval that reaches (nearly) so far has no upper
end, and the number is "at least" the lower one. Number and ends are rounded to the largest power of
ten that is no more than a quarter of the interval, but never to less than the labels at hand.

In simulated studies of 2,000 items the intervals held the number that mean squared errors give in
91 to 99.6 % of studies with 100 gold labels, by metric, and in 96.5 % of all (600 studies of each
of two worlds). With 300 gold labels it was 87 to 99 %, and 94 % (1,000 of each).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import ndtri

from crowdgold.checking.scores import scored
from crowdgold.evaluation import fitting
from crowdgold.evaluation.answer import step_of
from crowdgold.evaluation.fitting import Finding
from crowdgold.evaluation.questions import HUMANS, METRICS, Settings, is_of_population, plain_metric
from crowdgold.inference.estimate import Estimate, Named, Sample
from crowdgold.methods.method import MODEL
from crowdgold.methods.misfit import ABOVE, BELOW, flag_misfit, misfit_p
from crowdgold.methods.registry import METHODS, baseline, offered, with_role
from crowdgold.metrics.binary import GRIDS, LABEL_METRICS, parse_metric
from crowdgold.metrics.metric import DELTA
from crowdgold.types.items import NO_GOLD, NO_PREDICTOR, Items, score_column
from crowdgold.types.notes import Note, codes
from crowdgold.types.parameters import LEVEL

NEEDED_ALONE = "gold alone needs"  # the head of that column in tables
MEANING = (
    "the number of gold labels, drawn as yours were, that would give as narrow an interval without "
    "votes and scores"
)
AS_GOLD = "effective_gold"
ENDS = LOWER, UPPER = f"{AS_GOLD}_lower", f"{AS_GOLD}_upper"  # the upper one may have no bound
KEYS = ("stratum", "model", "against", "metric")  # what a row estimates; against another model
SURE = f"{100 * LEVEL:g} %"  # the level of the interval, whatever that of others
NEARLY_ALL = 0.95  # share of the items from which on an upper end is none


def as_gold_ends(
    number: np.ndarray, ratio: np.ndarray, gold: np.ndarray, items: np.ndarray
) -> np.ndarray:
    """Ends of the intervals of R numbers as gold, (2, R), rounded (`STEPS`); NaN for none.

    `ratio` (2, R) are ends of the ratio of variances, NaN where there are none; `gold` and `items`
    (R,) are n and N.
    """
    labels, of_all = np.maximum(gold, 1), np.maximum(items, 1)
    upper, lower = 1 / ((1 / labels - 1 / of_all) * ratio + 1 / of_all)
    lower, upper = np.minimum(lower, number), np.maximum(upper, number)
    step = step_of(lower, upper)
    least = np.minimum(lower, gold)
    lower = np.maximum(np.round(lower / step) * step, least)
    bounded = np.where(upper > NEARLY_ALL * items, np.nan, np.round(upper / step) * step)
    return np.where(gold < items, np.stack([lower, bounded]), np.nan)


COLUMNS = (
    *KEYS, "method", "estimate", "lower", "upper", "standard_error", AS_GOLD,
    *ENDS, "misfit", "misfit_p", "diagnostics_passed", "message", "note",
    "codes",
)  # fmt: skip


def notes_of(row: Mapping[str, Any]) -> tuple[Note, ...]:
    """The notes of a row of the table of estimates, whose file has their text and codes alone."""
    found: tuple[Note, ...] = row["notes"]
    return found


CURVES = ("stratum", "model", "method", "curve", "at", "estimate", "lower", "upper")
PARAMETERS = ("stratum", "model", "method", "parameter", "median", "lower", "upper")
Sizes = Mapping[tuple[str, str, str], tuple[int, int]]
"""(stratum, model, against) -> gold items, and all items, that the numbers rest on."""
RATIOS = "ratio_lower", "ratio_upper"  # ends of the ratio of variances to that of gold alone
Extras = Mapping[str, float]  # what stands in a row beside an estimate until the table is made
DIGITS = 10  # of numbers: the rest depends on where in memory a sum was taken


def _row(finding: Finding, one: Estimate, model: str, against: str, more: Extras) -> dict[str, Any]:
    return {
        "stratum": finding.stratum, "model": model, "against": against, "metric": one.metric,
        "method": finding.method, "estimate": one.estimate, "lower": one.lower, "upper": one.upper,
        "standard_error": one.standard_error, "diagnostics_passed": finding.diagnostics.passed,
        "message": finding.diagnostics.message, "note": one.note, "codes": codes(one.notes),
        "notes": one.notes, **more,
    }  # fmt: skip


def _sample_estimates(sample: Sample, named: Named, level: float) -> list[tuple[Estimate, Extras]]:
    """Estimates, each with its `RATIOS`, and with the reach `BELOW` and `ABOVE` of an interval
    about the items at hand, in standard errors of a normal interval.

    Whether a model contradicts the corrected estimate is judged by the reach, whatever the answers'
    intervals are about: both estimate the value of these items, not of new ones.
    """
    found = sample.estimates(named, level)
    saved = sample.saved(named, level)
    ratios = np.full((2, len(found)), np.nan) if saved is None else saved
    more = [dict(zip(RATIOS, one, strict=True)) for one in ratios.T.tolist()]
    about_items = sample.about_items()
    if about_items is not None:
        times = float(ndtri((1 + level) / 2))
        for held, one in zip(more, about_items.estimates(named, level), strict=True):
            held[BELOW] = (one.estimate - one.lower) / times
            held[ABOVE] = (one.upper - one.estimate) / times
    return list(zip(found, more, strict=True))


def _name(metric: str) -> str:
    return parse_metric(metric).name


def _own_rows(
    finding: Finding, first: bool, several: bool, level: float
) -> Iterator[dict[str, Any]]:
    """The rows of a model alone; those of labels with the first model only.

    What a method says of labels from the items with a score alone is no answer about all items.
    """
    if finding.sample is None or finding.named is None:
        return
    for one, more in _sample_estimates(finding.sample, finding.named, level):
        name = _name(one.metric)
        if METHODS[finding.method].cannot_estimate(name):
            continue
        if name not in LABEL_METRICS:
            against = HUMANS if name.startswith(DELTA) else ""
            yield _row(finding, one, finding.model, against, more)
        elif first and finding.whole:
            with_scores = several and METHODS[finding.method].needs_scores
            notes = one.notes or (Note("scores_of", {"model": finding.model}),) * with_scores
            yield _row(finding, replace(one, notes=notes), NO_PREDICTOR, "", more)


def difference_name(first: str, second: str) -> str:
    """Name the difference of a metric of two models; thresholds that differ are both named."""
    name, _, at = first.partition("@")
    other = second.partition("@")[2]
    name = name if name.startswith(DELTA) else f"{DELTA}{name}"
    return f"{name}@{at}" + (f"|{other}" if other != at else "") if at else name


def _comparison_rows(one: Finding, other: Finding, level: float) -> Iterator[dict[str, Any]]:
    here, there = one.common.get(other.model), other.common.get(one.model)
    if one.named is None or other.named is None or here is None or there is None:
        return
    places = [[k for k, text in enumerate(named.texts) if _name(text) not in LABEL_METRICS]
              for named in (one.named, other.named)]  # fmt: skip
    size = min(map(len, places))  # a model may have more thresholds than another
    first, second = places[0][:size], places[1][:size]
    names = [
        difference_name(one.named.texts[a], other.named.texts[b])
        for a, b in zip(first, second, strict=True)
    ]
    both = replace(one, diagnostics=one.diagnostics if not one.diagnostics.passed
                   else other.diagnostics)  # fmt: skip
    if isinstance(here, Note) or isinstance(there, Note):
        why = here if isinstance(here, Note) else there
        assert isinstance(why, Note)
        for name in names:
            if not METHODS[one.method].cannot_estimate(plain_metric(name)[0]):
                none = Estimate.unavailable(name, why)
                yield _row(both, none, one.model, other.model, {})
        return
    difference = here.select(first).minus(there.select(second))
    if difference is None or not size:
        return
    for found, more in _sample_estimates(
        difference, one.named.select(first, names).differences(), level
    ):
        yield _row(both, found, one.model, other.model, more)


def _as_gold(table: pd.DataFrame, sizes: Sizes, about: str) -> pd.DataFrame:
    """How many gold labels alone would give an interval as narrow as each row's, with its ends.

    Gold alone, n of N items, has w_0 about the population, and m labels w_0 sqrt(n / m). For an
    interval of width w about the population therefore m = n (w_0 / w)^2, but no more than N, which
    nothing can beat. About the items gold has w_0 sqrt(n (1 / m - 1 / N)), so that its own interval
    there is shorter than w_0 by sqrt(1 - n / N), and 1 / m = w^2 / (n w_0^2) + 1 / N: no more than
    N, and n where nothing but gold is used.
    """
    keys = list(KEYS)
    whose = table[["stratum", "model", "against"]].itertuples(index=False, name=None)
    gold, items = np.array([sizes[one] for one in whose], dtype=float).T
    alone = table.loc[table["method"] == baseline(), keys].assign(
        alone=table["upper"] - table["lower"]
    )
    joined = table[[*keys, "lower", "upper"]].merge(alone, on=keys, how="left")
    width, whole = (joined["upper"] - joined["lower"]).to_numpy(), joined["alone"].to_numpy()
    if not is_of_population(baseline(), about):
        left = 1 - gold / items
        whole = np.divide(whole, np.sqrt(left), out=np.zeros(len(joined)), where=left > 0)
    usable = (width > 0) & (whole > 0)
    ratio = np.divide(whole, width, out=np.full(len(joined), np.nan), where=usable)
    effective = gold * ratio**2
    of_population = np.array([is_of_population(name, about) for name in table["method"]])
    of_items = effective * items / (effective + items)
    number = np.where(of_population, np.minimum(effective, items), of_items)
    lower, upper = as_gold_ends(number, table[list(RATIOS)].to_numpy(float).T, gold, items)
    number = np.fmin(np.fmax(number, lower), upper)  # whose ends are rounded
    return pd.DataFrame({AS_GOLD: number, LOWER: lower, UPPER: upper}, table.index)


def _misfit(table: pd.DataFrame) -> pd.DataFrame:
    """Flag estimates of models that the rectified estimate contradicts; missing for others.

    With the flag goes how often chance alone would put a right model's estimate as far away.
    """
    keyed = table.assign(experiment="", replicate=0)
    columns = {name: of(keyed, ["stratum", "model", "against"])
             for name, of in (("misfit", flag_misfit), ("misfit_p", misfit_p))}  # fmt: skip
    of_model = table["method"].isin(with_role(MODEL)) & np.isfinite(table["estimate"])
    return pd.DataFrame(columns).where(of_model)


def _in_order(table: pd.DataFrame, strata: Sequence[str], models: Sequence[str]) -> pd.DataFrame:
    metrics = [plain_metric(metric) for metric in table["metric"]]
    order = pd.DataFrame(
        {
            "stratum": [strata.index(name) for name in table["stratum"]],
            "compared": [other not in ("", HUMANS) for other in table["against"]],
            "metric": [METRICS.index(plain) for plain, _ in metrics],
            "at": [float(at.partition("|")[0] or 0) for _, at in metrics],
            "model": [[NO_PREDICTOR, *models].index(name) for name in table["model"]],
            "against": table["against"],
            "method": [offered().index(name) for name in table["method"]],
        }
    )
    rows = order.sort_values([*map(str, order)], kind="stable").index
    return table.loc[rows].reset_index(drop=True)


def sizes_of(stratum: str, items: Items) -> Sizes:
    """What the numbers of a stratum rest on: items with a score of the model, or of both models."""
    asked = [(NO_PREDICTOR, ""), *((model, against) for model in items.predictors
             for against in ("", HUMANS)), *combinations(items.predictors, 2)]  # fmt: skip
    rows = {key: scored(items, [one for one in key if one not in ("", HUMANS)]) for key in asked}
    return {
        (stratum, *key): (int((items.gold[own] != NO_GOLD).sum()), len(own))
        for key, own in rows.items()
    }


def estimate_rows(
    findings: Sequence[Finding], strata: Sequence[str], models: Sequence[str], sizes: Sizes,
    settings: Settings,
) -> pd.DataFrame:  # fmt: skip
    """The table of estimates, from what the jobs found in any order, and the sizes of all strata.

    Its rows have `COLUMNS`, in the order of strata, models and metrics.
    """
    by_key = {(one.stratum, one.method, one.model): one for one in findings}
    rows: list[dict[str, Any]] = []
    level = settings.interval_level
    for stratum in strata:
        for method in offered():
            of_models = [by_key[key] for model in (NO_PREDICTOR, *models)
                     if (key := (stratum, method, model)) in by_key]  # fmt: skip
            for place, one in enumerate(of_models):
                rows += _own_rows(one, place == 0, len(models) > 1, level)
            for one, other in combinations(of_models, 2):
                rows += _comparison_rows(one, other, level)
    if not rows:
        return pd.DataFrame(columns=list(COLUMNS))
    kept = dict.fromkeys((*RATIOS, BELOW, ABOVE), np.nan)
    table = pd.DataFrame([kept | row for row in rows])
    table[[AS_GOLD, *ENDS]] = _as_gold(table, sizes, settings.about)
    table[["misfit", "misfit_p"]] = _misfit(table)
    table = _in_order(table[[*COLUMNS, "notes"]], strata, models)
    numbers = {str(name): [float(f"{value:.{DIGITS}g}") for value in column]
               for name, column in table.select_dtypes("float").items()}  # fmt: skip
    return table.assign(**numbers)


def _joined(parts: Sequence[tuple[Finding, pd.DataFrame]], columns: Sequence[str]) -> pd.DataFrame:
    """Parts under one another, each with what it is of."""
    if not parts:
        return pd.DataFrame(columns=list(columns))
    named = [part.assign(stratum=one.stratum, model=one.model, method=one.method)
             for one, part in parts]  # fmt: skip
    return pd.concat(named, ignore_index=True)[list(columns)]


def curve_rows(findings: Sequence[Finding]) -> pd.DataFrame:
    """The table of curves: a row for each point of each curve, with its interval."""
    points = [(curve, at) for curve, grid in GRIDS.items() for at in grid]
    where = pd.DataFrame(points, columns=["curve", "at"])
    parts = [
        (one, where.assign(**dict(zip(("estimate", "lower", "upper"), one.curves, strict=True))))
        for one in findings
        if one.curves is not None
    ]
    return _joined(parts, CURVES)


def item_rows(findings: Sequence[Finding], items: Items) -> pd.DataFrame:
    """The table of items: votes, gold, scores, and P(Y = 1) by each method and model.

    Columns of probabilities are METHOD, or METHOD:MODEL where the method uses a model's scores.
    """
    columns: dict[str, Any] = {
        "item": items.item,
        "votes_positive": items.votes_positive,
        "votes_total": items.votes_total,
        "gold": pd.Series(items.gold, dtype="Int8").mask(items.gold == NO_GOLD),
    }
    columns |= {score_column(name): values for name, values in items.scores.items()}
    for one in findings:
        if one.probability is not None:
            of_model = f":{one.model}" if METHODS[one.method].needs_scores else ""
            columns.setdefault(f"{one.method}{of_model}", np.round(one.probability, 6))
    return pd.DataFrame(columns)


def annotator_rows(findings: Sequence[Finding]) -> pd.DataFrame:
    """The table of annotators' rates; `gold`: gold items of the class, where gold alone says it."""
    kept = ["annotator", "metric", "estimate", "lower", "upper", "note", "gold"]
    rows = [
        {"stratum": one.stratum, "method": one.method}
        | {name: getattr(rate, name) for name in kept}
        for one in findings
        for rate in one.annotators
    ]
    table = pd.DataFrame(rows, columns=["stratum", "method", *kept])
    return table.assign(
        metric=table["metric"].str.removesuffix(":each"), gold=table["gold"].astype("Int64")
    )


def parameter_rows(findings: Sequence[Finding]) -> pd.DataFrame:
    """The table of model parameters: medians and intervals."""
    rows = [
        (one.stratum, one.model, one.method, *own) for one in findings for own in one.parameters
    ]
    return pd.DataFrame(rows, columns=list(PARAMETERS))


def predictive_rows(findings: Sequence[Finding]) -> pd.DataFrame:
    """The table of posterior predictive checks (`fitting.COLUMNS`)."""
    parts = [(one, one.checks) for one in findings if one.checks is not None]
    return _joined(parts, ("stratum", "model", "method", *fitting.COLUMNS))
