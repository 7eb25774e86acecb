"""What the paper claims of training methods (HLV, section 5.2), counted on our settings."""

from collections.abc import Callable, Mapping, Sequence
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
from crowdgold.studies.label_variation.pages.shares import (
    in_words,
    judged_share,
    named_settings,
    printed_settings,
)
from crowdgold.studies.label_variation.ranks import (
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


def _of_simple(table: pd.DataFrame, what: str) -> pd.DataFrame:
    """A column of `compare_with_baseline` by setting, a column for each of `SIMPLE`."""
    found = compare_with_baseline(table).set_index(SETTING)
    return pd.DataFrame({name: found.loc[found["method"] == name, what] for name in SIMPLE})


def beat_baseline(methods: Sequence[str], printed: pd.Series) -> Judge:
    """Count the settings in which all of these methods, of ReL and SL, beat MV substantially."""

    def judge(tables: Tables) -> Judgement:
        found = _of_simple(tables[RUNS], "beats")[list(methods)]
        return judged_share(found.all(axis=1), printed)

    return judge


def among_the_best(printed: pd.Series) -> Judge:
    """Count the settings in which ReL or SL is among the best."""

    def judge(tables: Tables) -> Judgement:
        found = _of_simple(tables[RUNS], "among_best").any(axis=1)
        best = _of_simple(tables[RUNS], "best")[SIMPLE[0]][~found].value_counts()
        names = ", ".join(f"{name} {count}" for name, count in best.items())
        return judged_share(found, printed, f"; elsewhere the best: {names}" if names else "")

    return judge


def on_par_with_objective(printed: pd.Series) -> Judge:
    """Count the settings in which ReL and SL are both on par with the method trained for it."""

    def judge(tables: Tables) -> Judgement:
        found = against_objective(tables[RUNS], SIMPLE)
        counts = [f"{name} {int(found[name].sum())}" for name in SIMPLE]
        either = f"either {int(found.any(axis=1).sum())}"
        more = f"; alone: {', '.join([*counts, either])}"
        return judged_share(found.all(axis=1), printed, more)

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
        away = named_settings(pd.MultiIndex.from_frame(own.loc[~below, SETTING]))
        return Judgement(text, verdict, f"not: {away}" if verdict == PARTLY else "")

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
    """The claims of section 5.2.

    Args:
        printed: `section_5_2` of config/printed/label_variation.yaml.
    """
    needs, place = (RUNS,), "Section 5.2"
    bad = printed["degenerate"]
    return (
        *_share_claims(printed),
        Claim(place, f"LA-min is worse than MV on {', '.join(printed['la_min_below'])}", needs,
              least_annotation_is_worse(printed["la_min_below"])),
        Claim(place, "JSD and SMF1 do well, but lag behind ReL and SL", needs,
              metric_methods_follow),
        Claim(place, "SL outperforms ReL on ArMIS", needs, soft_labels_better_on_armis),
        Claim(place, f"{bad['method']} degenerates on {bad['dataset']}: the same prediction for "
              "all items, entropy correlation undefined", needs, degenerates(bad)),
    )  # fmt: skip


def _share_claims(printed: Mapping[str, Any]) -> tuple[Claim, ...]:
    """The claims on shares of settings, by the reading that the footnotes support."""
    alone = {name: printed_settings(printed, "beats_baseline", name) for name in SIMPLE}
    both = alone["ReL"] & alone["SL"]
    best = printed_settings(printed, "among_best", "ReL or SL")
    on_par = printed_settings(printed, "on_par", "ReL and SL")
    needs, text = (RUNS,), "Section 5.2"
    return (
        *(
            Claim(f"{text}, footnote 15", f"{name} substantially outperforms MV in "
                  f"{in_words(found)}", needs, beat_baseline([name], found))
            for name, found in alone.items()
        ),
        Claim("Footnote 15", "ReL and SL both do so in the same setting: counted from the "
              f"exceptions, in {in_words(both)}", needs, beat_baseline(SIMPLE, both)),
        Claim(f"{text}, footnote 17", f"ReL or SL is among the best in {in_words(best)}", needs,
              among_the_best(best)),
        Claim(f"{text}, footnote 18", "ReL and SL are both on par with the method trained for the "
              f"metric, by PO-JSD and soft micro F1, in {in_words(on_par)}", needs,
              on_par_with_objective(on_par)),
    )  # fmt: skip
