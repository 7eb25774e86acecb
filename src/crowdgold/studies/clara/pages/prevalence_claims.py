"""What the CLARA paper claims of the prevalence (figures 2, 7, 11 and 12), judged from ours."""

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from crowdgold.documents.markdown import with_error
from crowdgold.documents.verdicts import (
    CLEAR,
    FAILS,
    HOLDS,
    NOT_CLEAR,
    NOT_CONTRADICTED,
    NOT_JUDGED,
    PARTLY,
    Judgement,
    Tables,
    above_one,
    below_one,
    contradicted,
    verdict_of,
)
from crowdgold.evaluation.ratios import compare
from crowdgold.evaluation.summaries import BAND_SIGMA, summarise

Judge = Callable[[Tables], Judgement]

GRID = ("tpr", "prevalence")
"""What varies in figure 2."""
NEAR_ZERO = 0.1
"""Coverage that counts as close to zero; the paper prints no number."""


def places(rows: pd.DataFrame, axes: Sequence[str]) -> str:
    """Name settings: `tpr 0.8 prevalence 0.2, ...`."""
    settings = rows[list(axes)].drop_duplicates().to_dict("records")
    return ", ".join(" ".join(f"{axis} {row[axis]:g}" for axis in axes) for row in settings)


def of_prevalence(table: pd.DataFrame, method: str) -> pd.DataFrame:
    """A method's estimates of the prevalence."""
    return table[(table["metric"] == "prevalence") & (table["method"] == method)]


def pooled_over_settings(rows: pd.DataFrame, kept: Sequence[str] = ()) -> pd.DataFrame:
    """Summarise a method's estimates over replicates and settings, which are all independent.

    Args:
        rows: one for each setting and replicate.
        kept: columns whose values are not pooled.
    """
    return summarise(rows.assign(replicate=np.arange(len(rows))), list(kept))


def smaller_error_mostly(name: str, axes: Sequence[str], method: str, baseline: str) -> Judge:
    """Judge that a method's error of the prevalence is below another's in most settings."""

    def judge(tables: Tables) -> Judgement:
        table = tables[name]
        ratio = compare(table[table["metric"] == "prevalence"], axes, method, baseline)
        below, above = below_one(ratio, "error"), above_one(ratio, "error")
        most = len(ratio) / 2
        part = PARTLY if below.any() else NOT_CLEAR
        low, high = ratio["error_ratio"].min(), ratio["error_ratio"].max()
        return Judgement(
            f"error {method} / {baseline} {low:.2f} to {high:.2f}; clearly smaller in "
            f"{below.sum()} of {len(ratio)} settings, clearly larger in {above.sum()}",
            HOLDS if below.sum() > most else FAILS if above.sum() >= most else part,
            f"larger at {places(ratio[above], axes)}" if above.any() else "",
        )

    return judge


def bias_is_small(name: str, method: str) -> Judge:
    """Judge that a method is unbiased but at the smallest prevalence: contradicted, or not.

    The largest of many biases is held against `BAND_SIGMA` of its standard errors.
    """

    def judge(tables: Tables) -> Judgement:
        summary = summarise(of_prevalence(tables[name], method), GRID)
        smallest = summary["prevalence"] == summary["prevalence"].min()
        rows = summary[~smallest]
        if rows.empty:
            return Judgement("one prevalence only", NOT_CLEAR)
        clear = rows["bias"].abs() > BAND_SIGMA * rows["bias_se"]
        at = rows["bias"].abs().idxmax()
        worst = with_error(rows["bias"][at], rows["bias_se"][at])
        at_smallest = "; ".join(
            f"tpr {row['tpr']:g} {with_error(row['bias'], row['bias_se'])}"
            for row in summary[smallest].to_dict("records")
        )
        return Judgement(
            f"largest bias of {method} {worst} at {places(rows.loc[[at]], GRID)}; at prevalence "
            f"{summary['prevalence'].min():g}: {at_smallest}",
            contradicted(clear),
            f"clear at {places(rows[clear], GRID)}" if clear.any() else "",
        )

    return judge


def bias_is_u_shaped(name: str, method: str) -> Judge:
    """Judge that the size of a method's bias has a U-shape at the lowest TPR."""

    def judge(tables: Tables) -> Judgement:
        summary = summarise(of_prevalence(tables[name], method), GRID)
        rows = summary[summary["tpr"] == summary["tpr"].min()].sort_values("prevalence")
        size, error = rows["bias"].abs().to_numpy(), rows["bias_se"].to_numpy()
        if len(size) < 3:
            return Judgement("fewer than three prevalences", NOT_CLEAR)
        least = 1 + int(np.argmin(size[1:-1]))
        rise = size[[0, -1]] - size[least]
        clear = CLEAR * np.hypot(error[[0, -1]], error[least])
        parts = zip(rows["prevalence"], size, error, strict=True)
        return Judgement(
            f"size of the bias of {method} at tpr {rows['tpr'].iloc[0]:g}, by prevalence: "
            + ", ".join(f"{at:g}: {with_error(value, se)}" for at, value, se in parts),
            verdict_of(list(rise > clear), list(rise < -clear)),
        )

    return judge


def narrower(name: str, axes: Sequence[str], method: str, baseline: str) -> Judge:
    """Judge that a method's intervals of the prevalence are narrower than another's."""

    def judge(tables: Tables) -> Judgement:
        table = tables[name]
        ratio = compare(table[table["metric"] == "prevalence"], axes, method, baseline)
        below, above = below_one(ratio, "width"), above_one(ratio, "width")
        low, high = ratio["width_ratio"].min(), ratio["width_ratio"].max()
        return Judgement(
            f"length {method} / {baseline} {low:.2f} to {high:.2f}",
            verdict_of(below, above),
            f"longer at {places(ratio[above], axes)}" if above.any() else "",
        )

    return judge


def wider_at_lower_tpr(name: str, method: str) -> Judge:
    """Judge that a method's intervals are wider at the lowest TPR than at the highest."""

    def judge(tables: Tables) -> Judgement:
        summary = summarise(of_prevalence(tables[name], method), GRID).set_index("prevalence")
        ends = summary["tpr"].min(), summary["tpr"].max()
        low, high = (summary[summary["tpr"] == end] for end in ends)
        more = low["width"] - high["width"]
        clear = CLEAR * np.hypot(low["width_se"], high["width_se"])
        against = more[more < -clear].index
        parts = [f"{at:g}: {low['width'][at] / high['width'][at]:.2f}" for at in more.index]
        return Judgement(
            f"length at tpr {ends[0]:g} / at {ends[1]:g}, by prevalence: {', '.join(parts)}",
            verdict_of(more > clear, more < -clear),
            f"narrower at {', '.join(f'{at:g}' for at in against)}" if len(against) else "",
        )

    return judge


def coverage_near_zero(name: str, method: str) -> Judge:
    """Judge that a method's coverage is close to zero at the smallest prevalence."""

    def judge(tables: Tables) -> Judgement:
        summary = summarise(of_prevalence(tables[name], method), GRID)
        rows = summary[summary["prevalence"] == summary["prevalence"].min()]
        coverage, clear = rows["coverage"], CLEAR * rows["coverage_se"]
        parts = [
            f"tpr {row['tpr']:g}: {with_error(row['coverage'], row['coverage_se'])}"
            for row in rows.to_dict("records")
        ]
        return Judgement(
            f"coverage of {method} at prevalence {rows['prevalence'].iloc[0]:g}, "
            + "; ".join(parts),
            verdict_of(coverage + clear < NEAR_ZERO, coverage - clear > NEAR_ZERO),
            f"close to zero is taken as below {NEAR_ZERO:g}",
        )

    return judge


def coverage_is_nominal(name: str, method: str, level: float, least: float) -> Judge:
    """Judge that a method's intervals cover at their level, pooled from a prevalence on."""

    def judge(tables: Tables) -> Judgement:
        rows = of_prevalence(tables[name], method)
        rows = rows[rows["prevalence"] >= least]
        if rows.empty:
            return Judgement(f"not made here: {method} of {name}", NOT_JUDGED)
        pooled, each = pooled_over_settings(rows).iloc[0], summarise(rows, GRID)
        lowest = each.loc[[each["coverage"].idxmin()]]
        share, error = float(pooled["coverage"]), float(pooled["coverage_se"])
        away = (share - level) / error
        return Judgement(
            f"coverage of {method} {with_error(share, error)}, pooled; lowest "
            f" {lowest['coverage'].iloc[0]:.2f} at {places(lowest, GRID)}",
            FAILS if abs(away) > CLEAR else NOT_CONTRADICTED,
            f"{away:+.1f} errors from {level:g}" if abs(away) > CLEAR else "",
        )

    return judge


NO_SCORES = "none"


def scores_reduce(name: str, value: str, method: str = "CLARA") -> Judge:
    """Judge that scores reduce the error or the width of the prevalence, mean over prevalences.

    Args:
        name: the table, whose column `separation` is `none` where there are no scores.
        value: "error" or "width".
        method: whose estimates.
    """

    def judge(tables: Tables) -> Judgement:
        each = summarise(of_prevalence(tables[name], method), ["separation", "prevalence"])
        means = {}
        for separation, rows in each.groupby("separation", sort=False):
            error = float(np.sqrt((rows[f"{value}_se"] ** 2).sum())) / len(rows)
            means[str(separation)] = (float(rows[value].mean()), error)
        base, base_se = means[NO_SCORES]
        gains = {
            key: (base - mean, CLEAR * float(np.hypot(error, base_se)))
            for key, (mean, error) in means.items()
            if key != NO_SCORES
        }
        return Judgement(
            f"mean {value} by separation of the scores: "
            + ", ".join(f"{key}: {with_error(*found)}" for key, found in means.items()),
            verdict_of(
                [gain > clear for gain, clear in gains.values()],
                [gain < -clear for gain, clear in gains.values()],
            ),
        )

    return judge


def scores_keep_coverage(name: str, level: float, least: float, method: str = "CLARA") -> Judge:
    """Judge that intervals cover with scores as without, pooled from a prevalence on."""

    def judge(tables: Tables) -> Judgement:
        rows = of_prevalence(tables[name], method)
        pooled = pooled_over_settings(rows[rows["prevalence"] >= least], ["separation"])
        with_scores = pooled[pooled["separation"] != NO_SCORES]
        away = (with_scores["coverage"] - level) / with_scores["coverage_se"]
        parts = [
            f"{row['separation']}: {with_error(row['coverage'], row['coverage_se'])}"
            for row in pooled.to_dict("records")
        ]
        short = with_scores["separation"][away < -CLEAR]
        return Judgement(
            f"coverage by separation of the scores, pooled: {', '.join(parts)}",
            contradicted(away < -CLEAR),
            f"short at separation {', '.join(map(str, short))}" if len(short) else "",
        )

    return judge
