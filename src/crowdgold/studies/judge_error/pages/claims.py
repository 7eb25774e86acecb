"""What the judge-error post claims, judged from ours."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.documents.markdown import with_error
from crowdgold.documents.verdicts import (
    CLEAR,
    FAILS,
    HOLDS,
    NOT_CLEAR,
    NOT_CONTRADICTED,
    PARTLY,
    Claim,
    Judgement,
    Tables,
)
from crowdgold.evaluation.summaries import coverage_band, standard_error

Judge = Callable[[Tables], Judgement]

SIMULATION, PRINTED_RUN, FORMULA = (
    "judge_error_simulation", "judge_error_printed_run", "judge_error_formula",
)  # fmt: skip
NAIVE, CORRECTED = "naive", "Rogan-Gladen"


def runs(table: pd.DataFrame, variant: str, estimator: str, quantity: str) -> np.ndarray:
    """A quantity of an estimator in each run of a variant: (R,)."""
    rows = table[(table["variant"] == variant) & (table["estimator"] == estimator)]
    return rows.loc[rows["quantity"] == quantity, "value"].to_numpy(float)


def _published(tables: Tables, printed: Mapping[str, Any], estimator: str, quantity: str) -> float:
    """A quantity of the published run: with its number of false positives."""
    table = tables[PRINTED_RUN]
    own = table[table["false_positives"] == int(printed["false_positives"])]
    rows = own[(own["estimator"] == estimator) & (own["quantity"] == quantity)]
    return float(rows["value"].iloc[0])


def as_printed(
    printed: Mapping[str, Any], estimator: str, quantity: str, value: float, rounding: float
) -> Judge:
    """Judge that the simulation as described gives a printed number, to its rounding."""

    def judge(tables: Tables) -> Judgement:
        found = runs(tables[SIMULATION], "exact", estimator, quantity)
        mean, error = float(found.mean()), standard_error(found)
        near = abs(mean - value) <= rounding / 2 + CLEAR * np.nan_to_num(error)
        slip = _published(tables, printed, estimator, quantity)
        again = abs(slip - value) <= rounding / 2 + 1e-9 + CLEAR * np.nan_to_num(error)
        reason = (
            f"the code draws one number of false positives for all simulations; with "
            f"{printed['false_positives']} of them it gives {slip:.3g}, as printed"
        )
        why = "" if near else reason if again else f"the published code gives {slip:.3g}"
        return Judgement(with_error(mean, error), NOT_CONTRADICTED if near else FAILS, why)

    return judge


def misses_the_truth(printed: Mapping[str, Any]) -> Judge:
    """Judge that the naive error bars hardly ever hold the truth."""

    def judge(tables: Tables) -> Judgement:
        found = runs(tables[SIMULATION], "exact", NAIVE, "coverage")
        share = float(found.mean())
        ours = f"{share:.1%} of the error bars hold it"
        return Judgement(ours, HOLDS if share < 0.5 else FAILS)

    return judge


def covers(printed: Mapping[str, Any]) -> Judge:
    """Judge that the corrected intervals have their level, to a point of the delta method."""

    def judge(tables: Tables) -> Judgement:
        found, level = runs(tables[SIMULATION], "exact", CORRECTED, "coverage"), printed["level"]
        mean, error = float(found.mean()), standard_error(found)
        near = abs(mean - level) <= 0.005 + CLEAR * np.nan_to_num(error)
        return Judgement(f"coverage {with_error(mean, error)}", HOLDS if near else FAILS)

    return judge


def smaller_variance_does_not_compensate() -> Judge:
    """Judge that the naive estimate varies less and errs more."""

    def judge(tables: Tables) -> Judgement:
        table = tables[SIMULATION]
        sd = [runs(table, "exact", name, "sd").mean() for name in (NAIVE, CORRECTED)]
        mse = [runs(table, "exact", name, "mse").mean() for name in (NAIVE, CORRECTED)]
        right = int(sd[0] < sd[1]) + int(mse[0] > mse[1])
        return Judgement(
            f"standard deviation {sd[0]:.4f} against {sd[1]:.4f}, MSE {mse[0]:.4f} against "
            f"{mse[1]:.4f}",
            (FAILS, PARTLY, HOLDS)[right],
        )

    return judge


def shared_draw_moves_runs() -> Judge:
    """Show what the shared draw changes: runs differ by more than their Monte Carlo error."""

    def judge(tables: Tables) -> Judgement:
        table = tables[SIMULATION]
        spread = [runs(table, one, NAIVE, "mean").std(ddof=1) for one in ("exact", "shared_draw")]
        found = runs(table, "shared_draw", NAIVE, "mean")
        ends = f"{found.min():.4f} to {found.max():.4f}"
        return Judgement(
            f"naive means of runs spread by {spread[0]:.5f} without it, {spread[1]:.5f} with it "
            f"({ends})",
            HOLDS if spread[1] > 3 * spread[0] else NOT_CLEAR,
        )

    return judge


def true_quality_changes_little(level: float) -> Judge:
    """Show what the true q+ in the variance changes: next to nothing."""

    def judge(tables: Tables) -> Judgement:
        table = tables[SIMULATION]
        found = [
            float(runs(table, one, CORRECTED, "coverage").mean())
            for one in ("exact", "true_quality")
        ]
        low, high = coverage_band(10_000, level)
        small = low <= found[1] <= high
        return Judgement(
            f"coverage {found[0]:.4f} without it, {found[1]:.4f} with it",
            HOLDS if small else FAILS,
        )

    return judge


def _of_quality(tables: Tables, tpr: float | None, tnr: float | None) -> pd.DataFrame:
    table = tables[FORMULA]
    keep = (table["judged_rate"] > 0) & (table["judged_rate"] < 1)
    for name, value in (("tpr", tpr), ("tnr", tnr)):
        keep &= table[name] == 1 if value == 1 else table[name] < 1
    return table[keep]


def formula_check(tpr: float | None, tnr: float | None, side: int) -> Judge:
    """Judge one of the post's checks: p above (1), equal to (0) or below (-1) the judged rate.

    Args:
        tpr, tnr: 1 for judges without errors on that class, None for those with some.
        side: where p must be.
    """

    def judge(tables: Tables) -> Judgement:
        rows = _of_quality(tables, tpr, tnr)
        if rows.empty:
            return Judgement("no such judges in the table", NOT_CLEAR)
        gap = rows["corrected"] - rows["judged_rate"]
        right = gap.abs() < 1e-12 if side == 0 else side * gap > 0
        ours = f"p - p_J from {gap.min():.3g} to {gap.max():.3g} at {len(rows)} rates"
        return Judgement(ours, HOLDS if right.all() else FAILS)

    return judge


def variance_is_larger() -> Judge:
    """Judge that correcting adds to the variance, where judges err."""

    def judge(tables: Tables) -> Judgement:
        table = tables[FORMULA]
        rows = table[(table["tpr"] < 1) | (table["tnr"] < 1)]
        ratio = (rows["error"] / rows["naive_error"]).replace(np.inf, np.nan).dropna()
        return Judgement(
            f"standard errors {ratio.min():.2f} to {ratio.max():.2f} times the naive ones",
            HOLDS if (ratio > 1).all() else PARTLY if (ratio > 1).any() else FAILS,
        )

    return judge


def judge_error_claims(printed: Mapping[str, Any]) -> tuple[Claim, ...]:
    """The claims in the order of the post.

    Args:
        printed: what the post prints (config/printed/judge_error.yaml).
    """
    p = printed["simulation"]
    both, one, formula = (SIMULATION, PRINTED_RUN), (SIMULATION,), (FORMULA,)

    def number(text: str, estimator: str, quantity: str, value: float, rounding: float) -> Claim:
        judge = as_printed(p, estimator, quantity, value, rounding)
        return Claim("Introduction", text, both, judge)

    mse, steps = p["mse"], float(p["mse_rounding"])
    first, second = "The first formula", "The second formula"
    return (
        number(f"the naive mean is {p['naive_mean']:g}, 64 %", NAIVE, "mean", p["naive_mean"],
               float(p["rounding"])),
        number(f"its error bars reach {p['reach']:.3f}", NAIVE, "reach", p["reach"], 0.001),
        Claim("Introduction", "0.7 is not inside the error bars", one, misses_the_truth(p)),
        number(f"the naive MSE is {mse[NAIVE]:g}", NAIVE, "mse", mse[NAIVE], steps),
        number(f"the corrected MSE is {mse[CORRECTED]:g}", CORRECTED, "mse", mse[CORRECTED], steps),
        Claim("Introduction", "the smaller variance does not compensate for the bias", one,
              smaller_variance_does_not_compensate()),
        Claim("The simulation", f"corrected error bars are those of {p['level']:.0%}", one,
              covers(p)),
        Claim("Slip of the code", "one draw of false positives for all simulations moves the mean",
              one, shared_draw_moves_runs()),
        Claim("Slip of the code", "the true q+ in the variance changes little", one,
              true_quality_changes_little(float(p["level"]))),
        Claim(first, "perfect judges: p = p_J", formula, formula_check(1, 1, 0)),
        Claim(first, "q- = 1: p > p_J", formula, formula_check(None, 1, 1)),
        Claim(first, "q+ = 1: p < p_J", formula, formula_check(1, None, -1)),
        Claim(second, "the variance increases", formula, variance_is_larger()),
    )  # fmt: skip
