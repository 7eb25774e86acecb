"""What the CLARA paper claims of labelling policies (figures 5 and 9), judged from ours."""

import numpy as np
import pandas as pd

from crowdgold.documents.markdown import with_error
from crowdgold.documents.verdicts import (
    CLEAR,
    FAILS,
    HOLDS,
    NOT_CLEAR,
    Judgement,
    Tables,
    contradicted,
    verdict_of,
)
from crowdgold.evaluation.summaries import BAND_SIGMA
from crowdgold.studies.clara.pages.prevalence_claims import Judge
from crowdgold.studies.clara.policy_curves import SETTING, SHARE, at_share, policy_curves

CLARA, RANDOM, TIE_BREAKING = "CLARA", "random stratified", "tie-breaking"


def reaches(value: float, error: float, goal: float, rounding: float) -> str:
    """The verdict on a value that should be a goal or more, printed with its rounding."""
    if value - CLEAR * error >= goal - rounding / 2:
        return HOLDS
    return FAILS if value + CLEAR * error < goal - rounding / 2 else NOT_CLEAR


def accurate_at(name: str, share: float, accuracy: float, rounding: float) -> Judge:
    """Judge that CLARA's final labels reach an accuracy with a share of the labels."""

    def judge(tables: Tables) -> Judgement:
        curves = policy_curves(tables[name])
        value, error = at_share(curves, CLARA, share, "accuracy")
        if not np.isfinite(value):
            return Judgement(f"CLARA never uses {share:.0%} of the labels", NOT_CLEAR)
        return Judgement(
            f"accuracy {with_error(value, error)} with {share:.0%} of the labels",
            reaches(value, error, accuracy, rounding),
        )

    return judge


def more_accurate_than_random(name: str) -> Judge:
    """Judge that CLARA is more accurate than the random stratified policy with as many labels."""

    def judge(tables: Tables) -> Judgement:
        curves = policy_curves(tables[name])
        gains, limits, places = [], [], []
        for row in curves[curves["policy"] == RANDOM].to_dict("records"):
            value, error = at_share(curves, CLARA, row[SHARE], "accuracy")
            if np.isfinite(value):
                gains.append(value - row["accuracy"])
                limits.append(CLEAR * float(np.hypot(error, row["accuracy_se"])))
                places.append(row[SHARE])
        if not gains:
            return Judgement("no share of labels that both use", NOT_CLEAR)
        gain, clear = np.array(gains), np.array(limits)
        return Judgement(
            f"accuracy CLARA less random stratified {gain.min():+.3f} to {gain.max():+.3f}, from "
            f"{min(places):.0%} to {max(places):.0%} of the labels; clearly more in "
            f"{(gain > clear).sum()} of {len(gain)} places",
            verdict_of(list(gain > clear), list(gain < -clear)),
        )

    return judge


def prevalence_whatever_the_share(name: str) -> Judge:
    """Judge that CLARA's prevalence is right at every share of labels: contradicted, or not."""

    def judge(tables: Tables) -> Judgement:
        curves = policy_curves(tables[name])
        rows = curves[curves["policy"] == CLARA]
        off, error = rows["prevalence_error"], rows["prevalence_error_se"]
        clear = off.abs() > BAND_SIGMA * error
        worst = rows.iloc[int(np.argmax(off.abs()))]
        return Judgement(
            f"largest error {with_error(worst['prevalence_error'], worst['prevalence_error_se'])} "
            f"with {worst[SHARE]:.0%} of the labels",
            contradicted(clear),
            f"clear at {clear.sum()} of {len(rows)} thresholds" if clear.any() else "",
        )

    return judge


def random_is_biased(name: str) -> Judge:
    """Judge that the random policy's prevalence is biased, and the more so with fewer labels."""

    def judge(tables: Tables) -> Judgement:
        curves = policy_curves(tables[name])
        rows = curves[curves["policy"] == RANDOM].sort_values(SHARE)
        size, error = rows["prevalence_error"].abs(), rows["prevalence_error_se"]
        few, many = rows.index[0], rows.index[-1]
        more = size[few] - size[many]
        clear = CLEAR * float(np.hypot(error[few], error[many]))
        parts = [
            f"{with_error(rows['prevalence_error'][at], error[at])} with {rows[SHARE][at]:.0%}"
            for at in (few, many)
        ]
        return Judgement(
            f"error {' and '.join(parts)} of the labels",
            verdict_of(
                [bool((size > CLEAR * error).all()), more > clear],
                [bool((size <= CLEAR * error).all()), more < -clear],
            ),
        )

    return judge


def labels_left_by_tie_breaking(name: str, unused: float, rounding: float) -> Judge:
    """Judge that tie-breaking leaves about a share of the labels unused."""

    def judge(tables: Tables) -> Judgement:
        curves = policy_curves(tables[name])
        row = curves[curves["policy"] == TIE_BREAKING].iloc[0]
        left, error = 1 - row[SHARE], row[f"{SHARE}_se"]
        away = abs(left - unused) > CLEAR * error + rounding / 2
        return Judgement(
            f"{with_error(left, error)} of the labels are left", contradicted(pd.Series([away]))
        )

    return judge


def saves_with_little_loss(name: str, saved: float, loss: float, rounding: float) -> Judge:
    """Judge that CLARA saves a share of the labels at about a loss of accuracy."""

    def judge(tables: Tables) -> Judgement:
        curves = policy_curves(tables[name])
        value, error = at_share(curves, CLARA, 1 - saved, "accuracy")
        good = curves[(curves["policy"] == CLARA) & (curves["accuracy"] >= 1 - loss - rounding / 2)]
        best = good.sort_values(SHARE).head(1)
        if not np.isfinite(value):
            return Judgement(f"CLARA never uses {1 - saved:.0%} of the labels", NOT_CLEAR)
        text = "; no threshold loses as little"
        if len(best):
            text = (
                f"; the cheapest threshold that loses as little, {best[SETTING].iloc[0]:.2f}, "
                f"saves {1 - best[SHARE].iloc[0]:.0%}"
            )
        return Judgement(
            f"loss {with_error(1 - value, error)} where {saved:.0%} are saved{text}",
            reaches(value, error, 1 - loss, rounding),
        )

    return judge
