"""What the paper claims of training methods (HLV, section 5.2), counted on our settings."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.documents.verdicts import (
    FAILS,
    HOLDS,
    NOT_CLEAR,
    PARTLY,
    Claim,
    Judgement,
    Tables,
)
from crowdgold.evaluation.label_variation_ranks import (
    BASELINE,
    SETTING,
    against_objective,
    compare_with_baseline,
    mean_ranks,
)

Judge = Callable[[Tables], Judgement]

RUNS = "label_variation"
"""The joined table of all experiments of the study."""
SIMPLE = ("ReL", "SL")
NEAR = 0.15
"""A share as near as this to the printed one counts as the same finding; settings are few."""


def _share(found: np.ndarray | pd.Series, printed: Mapping[str, int]) -> tuple[str, str]:
    """Say how many of our settings; and hold the share against the printed one."""
    count, settings = int(np.sum(found)), len(found)
    share, expected = count / settings, printed["count"] / printed["settings"]
    verdict = HOLDS if share > expected - NEAR else PARTLY if share > 0.5 else FAILS
    return f"{count} of {settings} ({share:.0%})", verdict


def _named(rows: pd.DataFrame, most: int = 12) -> str:
    names = [f"{row['dataset']} {row['metric']}" for row in rows.to_dict("records")]
    shown = ", ".join(names[:most])
    return shown + (f" and {len(names) - most} more" if len(names) > most else "")


def both_beat_baseline(printed: Mapping[str, int]) -> Judge:
    """Count the settings in which ReL and SL both beat MV substantially."""

    def judge(tables: Tables) -> Judgement:
        found = compare_with_baseline(tables[RUNS])
        own = found[found["method"].isin(SIMPLE)]
        both = own.groupby(SETTING, sort=False)["beats"].all()
        text, verdict = _share(both, printed)
        each = own.groupby("method")["beats"].sum().to_dict()
        parts = ", ".join(f"{name} {each[name]}" for name in SIMPLE)
        without = both[~both].reset_index()
        return Judgement(
            f"{text}; alone: {parts}", verdict, f"not: {_named(without)}" if len(without) else ""
        )

    return judge


def among_the_best(printed: Mapping[str, int]) -> Judge:
    """Count the settings in which ReL or SL is among the best."""

    def judge(tables: Tables) -> Judgement:
        found = compare_with_baseline(tables[RUNS])
        own = found[found["method"].isin(SIMPLE)].groupby(SETTING, sort=False)
        any_best = own["among_best"].any()
        text, verdict = _share(any_best, printed)
        without = any_best[~any_best].reset_index()
        best = own["best"].first()[~any_best].value_counts()
        names = ", ".join(f"{name} {count}" for name, count in best.items())
        why = f"not: {_named(without)}; best there: {names}" if len(without) else ""
        return Judgement(text, verdict, why)

    return judge


def on_par_with_objective(printed: Mapping[str, int]) -> Judge:
    """Count the settings in which the method that is trained for the metric is not above both."""

    def judge(tables: Tables) -> Judgement:
        found = against_objective(tables[RUNS], SIMPLE)
        text, verdict = _share(found["on_par"], printed)
        without = found[~found["on_par"]]
        return Judgement(text, verdict, f"not: {_named(without)}" if len(without) else "")

    return judge


def least_annotation_is_worse(datasets: list[str]) -> Judge:
    """Count the metrics by which LA-min is substantially below MV on some datasets."""

    def judge(tables: Tables) -> Judgement:
        found = compare_with_baseline(tables[RUNS])
        own = found[(found["method"] == "LA-min") & found["dataset"].isin(datasets)]
        if own.empty:
            return Judgement("none of these datasets", NOT_CLEAR)
        text = "; ".join(
            f"{name}: {int(rows['below'].sum())} of {len(rows)} metrics"
            for name, rows in own.groupby("dataset", sort=False)
        )
        below = own["below"]
        verdict = HOLDS if below.all() else PARTLY if below.any() else FAILS
        return Judgement(text, verdict, f"not: {_named(own[~below])}" if verdict == PARTLY else "")

    return judge


def degenerates(printed: Mapping[str, str]) -> Judge:
    """Say in which settings a method's entropy correlation is undefined."""

    def judge(tables: Tables) -> Judgement:
        table = tables[RUNS]
        own = table[(table["method"] == printed["method"]) & table["value"].isna()]
        places = own.groupby("dataset", sort=False)["replicate"].nunique()
        f1 = table[(table["dataset"] == printed["dataset"]) & (table["metric"] == "soft macro F1")]
        means = f1.groupby("method")["value"].mean()
        text = f"soft macro F1 {means.get(printed['method'], np.nan):.3f}, MV {means[BASELINE]:.3f}"
        if printed["dataset"] in places:
            runs = int(places[printed["dataset"]])
            return Judgement(f"undefined in {runs} runs; {text}", HOLDS)
        elsewhere = f"undefined on {', '.join(places.index)}; " if len(places) else ""
        off = f1.groupby("method")["share_error"].mean()
        named = [name for name in (printed["method"], "SMF1", BASELINE) if name in off]
        shown = ", ".join(f"{name} {off[name]:.3f}" for name in named)
        why = f"predictions differ, but class shares are lost: off by {shown}"
        return Judgement(f"{elsewhere}defined in all runs there; {text}", FAILS, why)

    return judge


def metric_methods_follow(tables: Tables) -> Judgement:
    """Judge that JSD and SMF1 rank behind ReL and SL, and before MV."""
    rank = mean_ranks(tables[RUNS])
    text = ", ".join(f"{name} {rank[name]:.1f}" for name in (*SIMPLE, "JSD", "SMF1", BASELINE))
    right = [
        max(rank[name] for name in SIMPLE) < rank[other] < rank[BASELINE]
        for other in ("JSD", "SMF1")
    ]
    return Judgement(
        f"mean ranks: {text}", HOLDS if all(right) else PARTLY if any(right) else FAILS
    )


def soft_labels_better_on_armis(tables: Tables) -> Judgement:
    """Judge that SL outperforms ReL on ArMIS, by most metrics."""
    found = compare_with_baseline(tables[RUNS])
    own = found[found["dataset"] == "ArMIS"]
    if own.empty:
        return Judgement("not made here", NOT_CLEAR)
    first, second = (own[own["method"] == name].set_index("metric") for name in ("SL", "ReL"))
    gain = first["mean"] - second["mean"]
    clear = np.abs(gain) > 2 * np.hypot(first["se"], second["se"])
    above, below = int((clear & (gain > 0)).sum()), int((clear & (gain < 0)).sum())
    verdict = HOLDS if above > len(gain) / 2 else NOT_CLEAR if above >= below else FAILS
    return Judgement(
        f"SL clearly above by {above} metrics, below by {below} of {len(gain)}", verdict
    )


def label_variation_claims(printed: Mapping[str, Any]) -> tuple[Claim, ...]:
    """Give the claims of section 5.2.

    Args:
        printed: `section_5_2` of config/printed/label_variation.yaml.
    """

    def said(key: str) -> str:
        one = printed[key]
        return (
            f"{one['count']} of {one['settings']} settings ({one['count'] / one['settings']:.1%})"
        )

    needs, place = (RUNS,), "Section 5.2"
    bad = printed["degenerate"]
    return (
        Claim(place, f"ReL and SL both substantially outperform MV in {said('both_beat_baseline')}",
              needs, both_beat_baseline(printed["both_beat_baseline"])),
        Claim(place, f"ReL or SL is among the best in {said('among_best')}", needs,
              among_the_best(printed["among_best"])),
        Claim(place, "ReL or SL is on par with the method trained for the metric, by PO-JSD and "
              f"soft micro F1, in {said('on_par_with_objective')}", needs,
              on_par_with_objective(printed["on_par_with_objective"])),
        Claim(place, f"LA-min is worse than MV on {', '.join(printed['la_min_below'])}", needs,
              least_annotation_is_worse(printed["la_min_below"])),
        Claim(place, "JSD and SMF1 do well, but lag behind ReL and SL", needs,
              metric_methods_follow),
        Claim(place, "SL outperforms ReL on ArMIS", needs, soft_labels_better_on_armis),
        Claim(place, f"{bad['method']} degenerates on {bad['dataset']}: the same prediction for "
              "all items, entropy correlation undefined", needs, degenerates(bad)),
    )  # fmt: skip
