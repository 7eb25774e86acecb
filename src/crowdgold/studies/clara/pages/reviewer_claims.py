"""What the CLARA paper claims of reviewers' quality (figures 3, 4 and 8), judged from ours."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.documents.markdown import with_error
from crowdgold.documents.verdicts import (
    CLEAR,
    NOT_CLEAR,
    Judgement,
    Tables,
    above_one,
    below_one,
    contradicted,
    verdict_of,
)
from crowdgold.evaluation.ratios import compare
from crowdgold.evaluation.summaries import standard_error
from crowdgold.studies.clara.pages.prevalence_claims import Judge, places
from crowdgold.studies.clara.tie_breaking import items_of_class

AROUND = 0.1
"""How far from a printed number of items, as a share of it, is still around it."""
EACH = ("TPR:each", "TNR:each")
AUDITED = ("precision", "recall")
AUDITS = ("auditor_precision", "reviewer_precision")
"""What varies in figure 4."""


def recovery(table: pd.DataFrame, printed: Mapping[str, Any]) -> pd.DataFrame:
    """CLARA's mean absolute error of reviewers' TPR and TNR in each setting.

    Args:
        table: results with a row for each reviewer, setting, metric and replicate.
        printed: `figure_3` of config/printed/clara.yaml.

    Returns:
        rows with `metric`, `n_reviewers`, `prevalence`, the expected `items` of the class that a
        reviewer labelled, `error` and `error_se`, over replicates or, where there is one only, over
        its reviewers.
    """
    quality, rows = float(printed["quality"]), []
    chosen = table[table["metric"].isin(EACH) & (table["method"] == "CLARA")]
    keys = ["metric", "n_reviewers", "prevalence"]
    for _, group in chosen.groupby(keys, sort=False):
        metric, reviewers, prevalence = (group[key].iloc[0] for key in keys)
        off = (group["estimate"] - group["truth"]).abs().dropna()
        means = off.groupby(group["replicate"]).mean()
        n = float(group["n"].iloc[0]) if "n" in group else float(printed["items"])
        share = prevalence if metric == EACH[0] else 1 - prevalence
        rows.append(
            {
                "metric": str(metric).partition(":")[0],
                "n_reviewers": reviewers,
                "prevalence": prevalence,
                "items": items_of_class(n, share, quality, reviewers),
                "error": float(means.mean()),
                "error_se": standard_error((means if len(means) > 1 else off).to_numpy()),
            }
        )
    return pd.DataFrame(rows)


def recovered_below(name: str, printed: Mapping[str, Any], bound: Mapping[str, float]) -> Judge:
    """Judge that errors of TPR and TNR are below a bound from about so many items of a class on.

    Args:
        name: the table.
        printed: `figure_3` of config/printed/clara.yaml.
        bound: its items and error.
    """

    def judge(tables: Tables) -> Judgement:
        rows = recovery(tables[name], printed)
        rows = rows[rows["items"] >= (1 - AROUND) * bound["items"]]
        if rows.empty:
            return Judgement(f"no setting with {bound['items']:g} items of a class", NOT_CLEAR)
        clear = CLEAR * rows["error_se"]
        worst = rows.sort_values("error").iloc[-1]
        above = rows["error"] - clear > bound["error"]
        return Judgement(
            f"largest of {len(rows)} settings: {worst['metric']} "
            f"{with_error(worst['error'], worst['error_se'])} with {worst['items']:.0f} items, "
            f"prevalence {worst['prevalence']:g}",
            verdict_of(rows["error"] + clear < bound["error"], above),
            f"{above.sum()} clearly above {bound['error']:g}" if above.any() else "",
        )

    return judge


def recovered_as_printed(name: str, printed: Mapping[str, Any]) -> Judge:
    """Judge the errors of TPR and TNR at around 100 items of a class against those printed.

    Half of the last printed digit is rounding.

    Args:
        name: the table.
        printed: `figure_3` of config/printed/clara.yaml.
    """
    at = printed["at_100"]
    items = float(printed["around"]["items"])
    goal = pd.Series({"TPR": at["TPR"], "TNR": at["TNR"]})

    def judge(tables: Tables) -> Judgement:
        rows = recovery(tables[name], printed)
        near = (rows["items"] / items - 1).abs() <= AROUND
        rows = rows[near & (rows["prevalence"] == at["prevalence"])].set_index("metric")
        if not set(goal.index) <= set(rows.index):
            return Judgement(f"no setting with around {items:g} items of each class", NOT_CLEAR)
        rows = rows.loc[goal.index]
        away = rows["error"] - goal
        clear = away.abs() > CLEAR * rows["error_se"] + at["rounding"] / 2
        parts = zip(rows.index, rows["error"], rows["error_se"], strict=True)
        return Judgement(
            ", ".join(f"{metric} {with_error(value, error)}" for metric, value, error in parts),
            contradicted(clear),
            "; ".join(f"{metric} {away[metric]:+.4f} from it" for metric in rows.index[clear]),
        )

    return judge


def errors_fall_with_items(name: str, printed: Mapping[str, Any]) -> Judge:
    """Judge that errors of TPR and TNR fall as reviewers label more items."""

    def judge(tables: Tables) -> Judgement:
        fallen, clear, parts = [], [], []
        rows = recovery(tables[name], printed).sort_values("items")
        for (metric, prevalence), own in rows.groupby(["metric", "prevalence"], sort=False):
            error, se = own["error"].to_numpy(), own["error_se"].to_numpy()
            fallen += list(error[:-1] - error[1:])
            clear += list(CLEAR * np.hypot(se[:-1], se[1:]))
            if prevalence == rows["prevalence"].min():
                parts.append(f"{metric} " + ", ".join(f"{value:.4f}" for value in error))
        if not fallen:
            return Judgement("one number of reviewers only", NOT_CLEAR)
        fall, limit = np.array(fallen), np.array(clear)
        return Judgement(
            f"at prevalence {rows['prevalence'].min():g}, with more items: {'; '.join(parts)}",
            verdict_of(list(fall > limit), list(fall < -limit)),
        )

    return judge


def _audited(table: pd.DataFrame) -> pd.DataFrame:
    """The rows of precision and recall, of any group, by these names."""
    named = table.assign(metric=table["metric"].str.partition(":")[0])
    return named[named["metric"].isin(AUDITED)]


def audits_better_than_majority(name: str) -> Judge:
    """Judge that CLARA's errors of precision and recall are below the majority vote's, always."""

    def judge(tables: Tables) -> Judgement:
        ratio = compare(_audited(tables[name]), AUDITS, "CLARA", "MV")
        below, above = below_one(ratio, "error"), above_one(ratio, "error")
        by_metric = "; ".join(
            f"{metric} {rows['error_ratio'].min():.2f} to {rows['error_ratio'].max():.2f}"
            for metric, rows in ratio.groupby("metric", sort=False)
        )
        return Judgement(
            f"error CLARA / MV: {by_metric}; clearly smaller in {below.sum()} of {len(ratio)}",
            verdict_of(below, above),
            f"larger at {places(ratio[above], AUDITS)}" if above.any() else "",
        )

    return judge


def gains_are_largest_with_bad_auditors(name: str) -> Judge:
    """Judge that CLARA gains the most over majority votes where auditors' precision is lowest."""

    def judge(tables: Tables) -> Judgement:
        rows = _audited(tables[name])
        off = rows.assign(error=(rows["estimate"] - rows["truth"]).abs())
        keys = ["metric", *AUDITS, "replicate"]
        error = off.pivot_table(index=keys, columns="method", values="error")
        gain = (error["MV"] - error["CLARA"]).dropna().groupby(["metric", *AUDITS])
        each = pd.DataFrame({"gain": gain.mean(), "se": gain.std() / np.sqrt(gain.size())})
        found = each.groupby(level=["metric", AUDITS[0]]).agg(
            gain=("gain", "mean"), se=("se", lambda se: np.sqrt((se**2).sum()) / len(se))
        )
        texts, more, limit = [], [], []
        for metric, own in found.groupby(level="metric"):
            own = own.droplevel("metric").sort_index()
            worst, best = own.iloc[0], own.iloc[-1]
            more.append(worst["gain"] - best["gain"])
            limit.append(CLEAR * float(np.hypot(worst["se"], best["se"])))
            parts = [f"{at:g}: {with_error(r['gain'], r['se'])}" for at, r in own.iterrows()]
            texts.append(f"{metric} {', '.join(parts)}")
        rise, clear = np.array(more), np.array(limit)
        return Judgement(
            f"error MV less CLARA by auditors' precision: {'; '.join(texts)}",
            verdict_of(list(rise > clear), list(rise < -clear)),
        )

    return judge


def daily_audits_better(name: str) -> Judge:
    """Judge that over the days CLARA's errors of precision and recall are below majority votes'."""

    def judge(tables: Tables) -> Judgement:
        rows = _audited(tables[name])
        # Days are independent: each is a replicate of one setting.
        days = rows.assign(replicate=rows["day"].astype(str) + " " + rows["replicate"].astype(str))
        ratio = compare(days, [], "CLARA", "MV")
        parts = [
            f"{row['metric']} {with_error(row['error_ratio'], row['error_ratio_se'])}"
            for row in ratio.to_dict("records")
        ]
        size = (rows["estimate"] - rows["truth"]).abs()
        mean = size[rows["method"] == "CLARA"].mean()
        return Judgement(
            f"error CLARA / MV over the days: {', '.join(parts)}; CLARA's mean error {mean:.4f}",
            verdict_of(below_one(ratio, "error"), above_one(ratio, "error")),
        )

    return judge
