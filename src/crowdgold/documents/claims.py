"""What the MAVEN paper claims in words and figures, judged from our results with their errors.

A judgement is made of numbers only: a ratio counts as below 1 where it is so by two of its standard
errors, and as different from a printed number where the difference is above two joint errors.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from crowdgold.documents.markdown import with_error
from crowdgold.evaluation import average_over_settings, compare

HOLDS, PARTLY, FAILS = "holds", "holds in part", "does not hold"
CLEAR = 2.0
"""Standard errors that make a difference clear."""

Tables = Mapping[str, pd.DataFrame]


@dataclass(frozen=True)
class Judgement:
    """What we get, whether the claim holds, and why where it does not."""

    ours: str
    verdict: str
    reason: str = ""


@dataclass(frozen=True)
class Claim:
    """A claim of the paper.

    Attributes:
        place: where it stands.
        printed: what is printed there.
        needs: the results tables that it is judged from.
        judge: tables -> judgement.
    """

    place: str
    printed: str
    needs: tuple[str, ...]
    judge: Callable[[Tables], Judgement]


def _share(holds: pd.Series) -> str:
    """Give the verdict on a claim that is made of many comparisons."""
    if holds.all():
        return HOLDS
    return PARTLY if holds.any() else FAILS


def _range(values: pd.Series) -> str:
    return f"{values.min():.2f} to {values.max():.2f}"


def _ratios(table: pd.DataFrame, axis: str, method: str, baseline: str = "GT") -> pd.DataFrame:
    return compare(table, [axis], method, baseline)


def _error(table: pd.DataFrame, axis: str) -> pd.DataFrame:
    """Give the mean absolute error of each method and metric in each setting, with its error."""
    frame = table.assign(error=(table["estimate"] - table["truth"]).abs())
    grouped = frame.groupby([axis, "method", "metric"], sort=False)["error"]
    return grouped.agg(["mean", "sem"]).reset_index()


def widths_below_gold(table_name: str, axis: str) -> Callable[[Tables], Judgement]:
    """Judge that MAVEN's intervals are substantially narrower than those of gold labels alone."""

    def judge(tables: Tables) -> Judgement:
        ratio = _ratios(tables[table_name], axis, "MAVEN")
        narrower = ratio["width_ratio"] + CLEAR * ratio["width_ratio_se"] < 1
        by_metric = "; ".join(
            f"{metric} {_range(rows['width_ratio'])}"
            for metric, rows in ratio.groupby("metric", sort=False)
        )
        return Judgement(f"width MAVEN / GT: {by_metric}", _share(narrower))

    return judge


def error_tracks_gold(table_name: str, axis: str) -> Callable[[Tables], Judgement]:
    """Judge that MAVEN's error is no larger than that of gold labels alone."""

    def judge(tables: Tables) -> Judgement:
        ratio = _ratios(tables[table_name], axis, "MAVEN")
        no_larger = ratio["error_ratio"] - CLEAR * ratio["error_ratio_se"] <= 1
        parts = [
            f"{metric} {_range(rows['error_ratio'])}"
            for metric, rows in ratio.groupby("metric", sort=False)
        ]
        larger = ratio[~no_larger]
        places = zip(larger["metric"], larger[axis], strict=True)
        where = ", ".join(f"{metric} at {value:g}" for metric, value in places)
        return Judgement(
            f"error MAVEN / GT: {'; '.join(parts)}",
            _share(no_larger),
            f"clearly larger: {where}" if where else "",
        )

    return judge


def biased_beside_gold(table_name: str, axis: str, method: str) -> Callable[[Tables], Judgement]:
    """Judge that a method's error is far above that of gold labels, at the most gold."""

    def judge(tables: Tables) -> Judgement:
        table = tables[table_name]
        most = table[table[axis] == table[axis].max()]
        ratio = _ratios(most, axis, method)
        larger = ratio["error_ratio"] - CLEAR * ratio["error_ratio_se"] > 1
        parts = [
            f"{row['metric']} {with_error(row['error_ratio'], row['error_ratio_se'])}"
            for _, row in ratio.iterrows()
        ]
        at = f"{axis} = {table[axis].max():g}"
        return Judgement(f"error {method} / GT at {at}: {'; '.join(parts)}", _share(larger))

    return judge


def smaller_error(
    table_name: str, axis: str, better: tuple[str, ...], worse: str, metrics: tuple[str, ...]
) -> Callable[[Tables], Judgement]:
    """Judge that some methods have smaller mean errors than another, over all settings."""

    def judge(tables: Tables) -> Judgement:
        error = _error(tables[table_name], axis)
        average = error.groupby(["method", "metric"])["mean"].mean()
        rows = []
        for method in better:
            for metric in metrics:
                mean = {name: float(average[name, metric]) for name in (method, worse)}
                rows.append((f"{metric} {method} {mean[method]:.3f}, {worse} {mean[worse]:.3f}",
                             mean[method] < mean[worse]))  # fmt: skip
        return Judgement("mean error: " + "; ".join(text for text, _ in rows),
                         _share(pd.Series([holds for _, holds in rows])))  # fmt: skip

    return judge


def maven_helps_autoeval(tables: Tables) -> Judgement:
    """Judge that AutoEval of accuracy is less biased and narrower with MAVEN's probabilities.

    Each is a ratio averaged over the numbers of gold labels, as the paper averages over its runs.
    """
    table = tables["maven_autoeval"]
    accuracy = table[table["metric"].str.startswith("accuracy@")]
    ratio = _ratios(accuracy, "n_gold", "AutoEval+MAVEN", "AutoEval")
    mean = average_over_settings(ratio, "n_gold").iloc[0]
    parts = {
        what: (mean[f"{what}_ratio"], mean[f"{what}_ratio_se"], printed)
        for what, printed in (("error", 0.87), ("width", 0.64))
    }
    smaller = pd.Series([value + CLEAR * error < 1 for value, error, _ in parts.values()])
    away = [
        f"{what} {(value - printed) / error:+.1f} errors from {printed}"
        for what, (value, error, printed) in parts.items()
    ]
    return Judgement(
        "AutoEval+MAVEN / AutoEval: "
        + "; ".join(f"{what} {with_error(*known[:2])}" for what, known in parts.items()),
        _share(smaller),
        "; ".join(away),
    )


def oracle_cannot_judge_scores(tables: Tables) -> Judgement:
    """Judge that a perfect model of votes measures voters but not the predictor."""
    table = tables["maven_fig4"]
    ratio = _ratios(table, "gold_fraction", "ORACLE")
    voters = ratio[ratio["metric"] == "TNR_H"]
    auc = ratio[(ratio["metric"] == "AUC")].sort_values("gold_fraction").iloc[-1]
    right = (voters["error_ratio"] < 1).all()
    wrong = auc["error_ratio"] - CLEAR * auc["error_ratio_se"] > 1
    return Judgement(
        f"error ORACLE / GT: TNR_H {_range(voters['error_ratio'])}; AUC at the most gold "
        f"{with_error(auc['error_ratio'], auc['error_ratio_se'])}",
        HOLDS if right and wrong else PARTLY if right or wrong else FAILS,
    )


def only_maven_has_the_curve(tables: Tables) -> Judgement:
    """Judge that MAVEN alone is near the true precision-recall curves."""
    distance = tables["maven_distances"]
    rows = []
    for shape, own in distance.groupby("shape", sort=False):
        known = own.set_index("method")["distance"]
        error = own.set_index("method")["distance_se"]
        names = [name for name in ("MAVEN", "DS+S", "H-AI") if name in known]
        text = ", ".join(f"{name} {with_error(known[name], error[name])}" for name in names)
        rows.append((f"{shape}: {text}", known["MAVEN"] == known[names].min()))
    return Judgement(
        "distance to the true curve, " + "; ".join(text for text, _ in rows),
        _share(pd.Series([holds for _, holds in rows])),
    )


def run_time_is_flat(tables: Tables) -> Judgement:
    """Judge that MAVEN's inference is near constant in n and the fastest at the largest n."""
    table = tables["model_scaling"]
    power = table.groupby("method", sort=False)["exponent"].first()
    printed = [name for name in ("DS", "DS+S", "H-AI", "MAVEN", "MAVEN, nested") if name in power]
    text = ", ".join(f"{name} {power[name]:.2f}" for name in printed)
    slow = [name for name in ("DS+S", "H-AI") if name in power]
    flat = abs(power["MAVEN"]) < 0.2 and all(power[name] > 0.5 for name in slow)
    largest = table[table["n"] == table[table["method"] == "H-AI"]["n"].max()]
    seconds = largest.set_index("method")["inference"]
    first = all(seconds["MAVEN"] < seconds[name] for name in slow)
    return Judgement(
        f"power of n: {text}; at n = {int(largest['n'].iloc[0]):,} MAVEN {seconds['MAVEN']:.1f} s, "
        + ", ".join(f"{name} {seconds[name]:.1f} s" for name in slow),
        HOLDS if flat and first else PARTLY if flat or first else FAILS,
    )


def ranks_stand_for_scores(tables: Tables) -> Judgement:
    """Judge that ranks give the log odds of raw scores at n = 1,000, and nearly at 100."""
    table = tables["maven_fig6"]
    keys = ["n", "percentile", "votes_positive"]
    sides = [table[table["source"] == name].set_index(keys) for name in ("rank", "score")]
    both = sides[0].join(sides[1], lsuffix="_rank", rsuffix="_score", how="inner").reset_index()
    both = both[both["datasets_score"] >= 40]
    spread = (both["upper_score"] - both["lower_score"]) / 3.92 / np.sqrt(both["datasets_score"])
    difference = (both["mean_rank"] - both["mean_score"]).abs()
    worst = difference.groupby(both["n"]).max()
    text = ", ".join(f"n = {n:,}: {value:.3f}" for n, value in worst.items())
    large = both["n"] >= 1000
    close = bool((difference[large] < CLEAR * 2 * spread[large] + 0.05).all())
    return Judgement(f"largest difference of mean log odds, {text}", HOLDS if close else PARTLY)
