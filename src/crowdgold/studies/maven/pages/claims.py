"""What the MAVEN paper claims in words and figures, judged from our results with their errors."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.documents.markdown import with_error
from crowdgold.documents.verdicts import (
    CLEAR,
    FAILS,
    NOT_CONTRADICTED,
    PARTLY,
    Judgement,
    Tables,
    above_one,
    below_one,
    verdict_of,
)
from crowdgold.evaluation.ratios import average_over_settings, compare
from crowdgold.evaluation.summaries import BAND_SIGMA
from crowdgold.studies.maven.labelling_savings import Study, study_labelling


def _range(values: pd.Series) -> str:
    return f"{values.min():.2f} to {values.max():.2f}"


PRIVATE = (
    "the paper prints neither how good the votes of the private task are nor what its scores say "
    "beyond them"
)


def _but_for(names: pd.Series, clear: pd.Series, ratio: pd.Series) -> str:
    """Name the comparisons that are not clear, with their ratio; empty where all are."""
    left = [
        f"{name} ({value:.2f})"
        for name, value, holds in zip(names, ratio, clear, strict=True)
        if not holds
    ]
    return f"not clear by two errors: {', '.join(left)}" if left else ""


def _places(ratio: pd.DataFrame, axis: str) -> pd.Series:
    """Name each comparison: metric at a value of the axis."""
    return ratio["metric"] + " at " + ratio[axis].map("{:g}".format)


def widths_below_gold(table_name: str, axis: str) -> Callable[[Tables], Judgement]:
    """Judge that MAVEN's intervals are substantially narrower than those of gold labels alone."""

    def judge(tables: Tables) -> Judgement:
        ratio = compare(tables[table_name], [axis], "MAVEN", "GT")
        by_metric = "; ".join(
            f"{metric} {_range(rows['width_ratio'])}"
            for metric, rows in ratio.groupby("metric", sort=False)
        )
        return Judgement(
            f"width MAVEN / GT: {by_metric}",
            verdict_of(below_one(ratio, "width"), above_one(ratio, "width")),
            _but_for(_places(ratio, axis), below_one(ratio, "width"), ratio["width_ratio"]),
        )

    return judge


def error_tracks_gold(table_name: str, axis: str) -> Callable[[Tables], Judgement]:
    """Judge that MAVEN's error is that of gold labels alone or smaller: contradicted, or not."""

    def judge(tables: Tables) -> Judgement:
        ratio = compare(tables[table_name], [axis], "MAVEN", "GT")
        mean = average_over_settings(ratio, axis)
        parts = [
            f"{row['metric']} {with_error(row['error_ratio'], row['error_ratio_se'])}"
            for row in mean.to_dict("records")
        ]
        above = above_one(ratio, "error")
        larger = ratio[above]
        places = zip(larger["metric"], larger[axis], strict=True)
        where = ", ".join(f"{metric} at {value:g}" for metric, value in places)
        return Judgement(
            f"error MAVEN / GT, mean over {axis}: {'; '.join(parts)}",
            FAILS if above.all() else PARTLY if above.any() else NOT_CONTRADICTED,
            f"clearly larger: {where}" if where else "",
        )

    return judge


def biased_beside_gold(table_name: str, axis: str, method: str) -> Callable[[Tables], Judgement]:
    """Judge that a method's error is far above that of gold labels, at the most gold."""

    def judge(tables: Tables) -> Judgement:
        table = tables[table_name]
        most = table[table[axis] == table[axis].max()]
        ratio = compare(most, [axis], method, "GT")
        parts = [
            f"{row['metric']} {with_error(row['error_ratio'], row['error_ratio_se'])}"
            for _, row in ratio.iterrows()
        ]
        at = f"{axis} = {table[axis].max():g}"
        return Judgement(
            f"error {method} / GT at {at}: {'; '.join(parts)}",
            verdict_of(above_one(ratio, "error"), below_one(ratio, "error")),
            _but_for(ratio["metric"], above_one(ratio, "error"), ratio["error_ratio"]),
        )

    return judge


def smaller_error(
    table_name: str, axis: str, better: tuple[str, ...], worse: str, metrics: tuple[str, ...]
) -> Callable[[Tables], Judgement]:
    """Judge that some methods have smaller errors than another, in the mean over the settings."""

    def judge(tables: Tables) -> Judgement:
        ratios = pd.concat(
            average_over_settings(compare(tables[table_name], [axis], method, worse), axis)
            for method in better
        )
        ratios = ratios[ratios["metric"].isin(metrics)]
        values = zip(ratios["error_ratio"], ratios["error_ratio_se"], strict=True)
        names = ratios["metric"] + " " + ratios["method"]
        parts = [f"{name} {with_error(*value)}" for name, value in zip(names, values, strict=True)]
        return Judgement(
            f"error / {worse}: {'; '.join(parts)}",
            verdict_of(below_one(ratios, "error"), above_one(ratios, "error")),
        )

    return judge


def maven_helps_autoeval(printed: Mapping[str, float]) -> Callable[[Tables], Judgement]:
    """Judge that AutoEval of accuracy is less biased and narrower with MAVEN's probabilities.

    Each is a ratio averaged over the numbers of gold labels, as the paper averages over its runs.

    Args:
        printed: `autoeval` of config/printed/maven.yaml.
    """
    ratios = {
        "error": 1 - printed["less_absolute_bias"],
        "width": 1 - printed["narrower_intervals"],
    }

    def judge(tables: Tables) -> Judgement:
        table = tables["maven_autoeval"]
        accuracy = table[table["metric"].str.startswith("accuracy@")]
        found = compare(accuracy, ["n_gold"], "AutoEval+MAVEN", "AutoEval")
        mean = average_over_settings(found, "n_gold")
        (row,) = mean.to_dict("records")
        known = {what: (row[f"{what}_ratio"], row[f"{what}_ratio_se"]) for what in ratios}
        away = [
            f"{what} {(known[what][0] - value) / known[what][1]:+.1f} errors from {value:.2f}"
            for what, value in ratios.items()
        ]
        return Judgement(
            "AutoEval+MAVEN / AutoEval: "
            + "; ".join(f"{what} {with_error(*values)}" for what, values in known.items()),
            verdict_of(
                [bool(below_one(mean, what).all()) for what in ratios],
                [bool(above_one(mean, what).all()) for what in ratios],
            ),
            "; ".join(away) + f"; {PRIVATE}, and the gain follows from both",
        )

    return judge


def oracle_cannot_judge_scores(tables: Tables) -> Judgement:
    """Judge that a perfect model of votes measures voters but not the predictor."""
    ratio = compare(tables["maven_fig4"], ["gold_fraction"], "ORACLE", "GT")
    voters = ratio[ratio["metric"] == "TNR_H"]
    auc = ratio[ratio["metric"] == "AUC"].sort_values("gold_fraction").iloc[-1:]
    row = auc.iloc[0]
    return Judgement(
        f"error ORACLE / GT: TNR_H {_range(voters['error_ratio'])}; AUC at the most gold "
        f"{with_error(row['error_ratio'], row['error_ratio_se'])}",
        verdict_of(
            [bool(below_one(voters, "error").all()), bool(above_one(auc, "error").all())],
            [bool(above_one(voters, "error").any()), bool(below_one(auc, "error").all())],
        ),
    )


def only_maven_has_the_curve(tables: Tables) -> Judgement:
    """Judge that MAVEN is nearer to the true precision-recall curves than DS+S and H-AI."""
    texts, holds, contradicted, nearer = [], [], [], []
    for shape, own in tables["maven_distances"].groupby("shape", sort=False):
        known = {
            row["method"]: (row["distance"], row["distance_se"]) for row in own.to_dict("records")
        }
        others = [name for name in ("DS+S", "H-AI") if name in known]
        text = ", ".join(f"{name} {with_error(*known[name])}" for name in ("MAVEN", *others))
        texts.append(f"{shape}: {text}")
        for name in others:
            gain = known[name][0] - known["MAVEN"][0]
            clear = CLEAR * float(np.hypot(known[name][1], known["MAVEN"][1]))
            holds.append(gain > clear)
            contradicted.append(gain < -clear)
            if not holds[-1]:
                how = "clearly nearer" if contradicted[-1] else "not clear"
                nearer.append(f"{name} on {shape} ({how})")
    why = (
        f"but for {', '.join(nearer)}: DS+S takes the logits of each class for normal, which is "
        "near the truth of some shapes and far from that of others"
        if nearer
        else ""
    )
    return Judgement(
        "distance to the true curve, " + "; ".join(texts), verdict_of(holds, contradicted), why
    )


SEEN_IN_FIG_5 = ("DS", "DS+S", "H-AI", "MAVEN", "MAVEN, nested")
SLOW = ("DS+S", "H-AI")
"""Methods whose likelihood has a term for each item's scores."""


def run_time_grows_least(tables: Tables) -> Judgement:
    """Judge that MAVEN's run time grows less with n than that of methods that see the scores."""
    table = tables["model_scaling"]
    power = table.groupby("method", sort=False)[["exponent", "exponent_se"]].first()
    shown = [name for name in SEEN_IN_FIG_5 if name in power.index]
    text = ", ".join(f"{name} {with_error(*power.loc[name])}" for name in shown)
    slow = power.loc[[name for name in SLOW if name in power.index]]
    maven = power.loc["MAVEN"]
    gain = slow["exponent"] - maven["exponent"]
    clear = CLEAR * np.hypot(slow["exponent_se"], maven["exponent_se"])
    return Judgement(f"power of n: {text}", verdict_of(gain > clear, gain < -clear))


def run_time_is_lowest(tables: Tables) -> Judgement:
    """Judge that MAVEN is the fastest of the methods that see the scores, at their largest n."""
    table = tables["model_scaling"]
    largest = int(table.loc[table["method"].isin(SLOW), "n"].max())
    at_largest = table[table["n"] == largest].set_index("method")["inference"]
    slow = [name for name in SLOW if name in at_largest]
    faster = [bool(at_largest["MAVEN"] < at_largest[name]) for name in slow]
    return Judgement(
        f"at n = {largest:,} "
        + ", ".join(f"{name} {at_largest[name]:.1f} s" for name in ("MAVEN", *slow)),
        verdict_of(faster, [not first for first in faster]),
        "single runs, one core",
    )


def labelling_saves(
    printed: Mapping[str, float], options: Mapping[str, Any]
) -> Callable[[Tables], Judgement]:
    """Judge what equal widths save at the paper's n, at the price that its own numbers imply.

    Args:
        printed: `labelling_efficiency` of config/printed/maven.yaml.
        options: those of the figure, which are the attributes of `labelling_savings.Study`.
    """

    def judge(tables: Tables) -> Judgement:
        asked = Study(**options)
        price = asked.costs.ratio_for(asked.n, asked.n_gold, asked.saving)
        study = replace(asked, cost_ratios=[price])
        _, rows = study_labelling(tables["labelling_efficiency"], study)
        found = rows[(rows["part"] == "saving") & (rows["where"] == "paper")]
        parts, holds = [], []
        for row in found.to_dict("records"):
            needed = with_error(row["n_gold"], row["n_gold_se"])
            saved = with_error(row["value"], row["value_se"])
            parts.append(f"interval about the {row['aim']}: {needed} gold labels, saving {saved}")
            holds.append(abs(row["value"] - printed["saving"]) <= CLEAR * row["value_se"])
        said = f"at a price of {price:.1f} votes for a gold label: {'; '.join(parts)}"
        if not parts:
            said = "not as narrow as all gold labels alone at this n"
        return Judgement(
            said,
            PARTLY if any(holds) and not all(holds) else NOT_CONTRADICTED if holds and all(holds)
            else FAILS,
            f"the price is not printed, it follows from the paper's numbers; {PRIVATE}",
        )  # fmt: skip

    return judge


CENTRAL_95 = 3.92
"""Standard deviations between the ends of a normal distribution's central 95 %."""
FEWEST = 40
"""Data sets below which a mean has no normal error."""


def ranks_stand_for_scores(tables: Tables) -> Judgement:
    """Judge that ranks give the log odds of raw scores, from n = 1,000 on.

    The largest difference of many is held against `BAND_SIGMA` of its standard errors.
    """
    table = tables["maven_fig6"]
    table = table.assign(
        mean_se=(table["upper"] - table["lower"]) / CENTRAL_95 / np.sqrt(table["datasets"])
    )
    keys = ["n", "percentile", "votes_positive"]
    sides = [table[table["source"] == name] for name in ("rank", "score")]
    both = sides[0].merge(sides[1], on=keys, suffixes=("_rank", "_score"))
    both = both[both["datasets_score"] >= FEWEST]
    difference = np.abs((both["mean_rank"] - both["mean_score"]).to_numpy())
    error = np.hypot(both["mean_se_rank"].to_numpy(), both["mean_se_score"].to_numpy())
    worst = both.assign(difference=difference).groupby("n")["difference"].max()
    text = ", ".join(f"n = {n:,}: {value:.3f}" for n, value in worst.items())
    large = (both["n"] >= 1000).to_numpy()
    clear = np.flatnonzero((difference > BAND_SIGMA * error) & large)
    if len(clear) == 0:
        return Judgement(f"largest difference of mean log odds, {text}", NOT_CONTRADICTED)
    at = int(clear[np.argmax(difference[clear])])
    return Judgement(
        f"largest difference of mean log odds, {text}",
        FAILS if len(clear) == large.sum() else PARTLY,
        f"{len(clear)} of {large.sum()} differences from n = 1,000 on are clear, the largest "
        f"{with_error(difference[at], error[at])}",
    )
