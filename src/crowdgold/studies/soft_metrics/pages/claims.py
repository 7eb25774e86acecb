"""What the paper on human label variation claims of metrics, judged from ours."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.documents.verdicts import (
    FAILS,
    HOLDS,
    NOT_CLEAR,
    NOT_CONTRADICTED,
    PARTLY,
    Claim,
    Judgement,
    Tables,
)

Judge = Callable[[Tables], Judgement]

CURVE, CORRELATIONS, SCORES, STUDY = (
    "soft_metric_curve", "soft_metric_correlations", "soft_metric_scores", "metric_study",
)  # fmt: skip
SETTING = ["classes", "alpha", "beta"]


def table_2(tables: Tables, printed: Mapping[str, Any]) -> pd.DataFrame:
    """Our rows with the paper's number beside them: `printed`, `z` and whether `inside`.

    `z` is how many standard errors of a correlation of so many pairs the printed number is away
    from the expected one, less half a unit of rounding; `inside` says whether it is in the band.
    """
    table, rows = tables[CORRELATIONS], printed["rows"]
    pairs = list(dict.fromkeys(table["pair"]))
    known = pd.DataFrame(
        [
            {**{name: float(one[name]) for name in SETTING}, "pair": pair, "printed": value}
            for one in rows
            for pair, value in zip(pairs, one["values"], strict=True)
        ]
    )
    joined = table.astype(dict.fromkeys(SETTING, float)).merge(known, on=[*SETTING, "pair"])
    half = float(printed["rounding"]) / 2
    nearest = joined["expected"].clip(joined["printed"] - half, joined["printed"] + half)
    away = np.arctanh(nearest) - np.arctanh(joined["expected"])
    inside = (nearest >= joined["low"]) & (nearest <= joined["high"])
    return joined.assign(z=away * np.sqrt(float(printed["matrices"]) - 3), inside=inside)


def inside_the_band(printed: Mapping[str, Any]) -> Judge:
    """Judge that all printed correlations are what a draw of so many matrices can give."""

    def judge(tables: Tables) -> Judgement:
        rows = table_2(tables, printed)
        inside = int(rows["inside"].sum())
        worst = rows.iloc[int(rows["z"].abs().argmax())]
        usual = int((rows["z"].abs() < 1.96).sum())
        ours = (
            f"{inside} of {len(rows)} within the band; {usual} within the 95 % one; farthest "
            f"{worst['pair']} at K {worst['classes']:g}, alpha {worst['alpha']:g}, beta "
            f"{worst['beta']:g}: printed {worst['printed']:.2f}, expected {worst['expected']:.3f}"
        )
        return Judgement(ours, NOT_CONTRADICTED if inside == len(rows) else FAILS)

    return judge


def _expected(tables: Tables, pair: str) -> pd.Series:
    rows = tables[CORRELATIONS]
    return rows.loc[rows["pair"] == pair, "expected"]


def always_above(pair: str, least: float) -> Judge:
    """Judge that a pair's expected correlation is above a number in every setting."""

    def judge(tables: Tables) -> Judgement:
        found = _expected(tables, pair)
        right = found > least
        verdict = HOLDS if right.all() else PARTLY if right.any() else FAILS
        return Judgement(f"expected from {found.min():.3f} to {found.max():.3f}", verdict)

    return judge


def _sparse_and_dense(rows: pd.DataFrame, sparse: pd.Series, classes: float) -> str:
    """Say what a correlation is where both sides are sparse, and at most elsewhere."""
    is_sparse = sparse[rows.index]
    both, other = rows.loc[is_sparse, "expected"].max(), rows.loc[~is_sparse, "expected"].max()
    return f"K {classes:g}: {both:.3f} where both are sparse, at most {other:.3f} elsewhere"


def weaker_with_classes_or_density(pair: str) -> Judge:
    """Judge that a correlation falls with many classes, and where either side is dense."""

    def judge(tables: Tables) -> Judgement:
        table = tables[CORRELATIONS]
        rows = table[table["pair"] == pair].astype(dict.fromkeys(SETTING, float))
        sparse = (rows["alpha"] == rows["alpha"].min()) & (rows["beta"] == rows["beta"].min())
        sizes = sorted(rows["classes"].unique())
        right: list[bool] = []
        for _, mix in rows.groupby(["alpha", "beta"]):
            ordered = mix.sort_values("classes")["expected"].to_numpy()
            right += (np.diff(ordered) < 0).tolist()
        for size in sizes:
            own = rows["classes"] == size
            most = rows.loc[own & sparse, "expected"].max()
            right += (rows.loc[own & ~sparse, "expected"] < most).tolist()
        if not right:
            return Judgement("one setting only", NOT_CLEAR)
        ours = "; ".join(_sparse_and_dense(rows[rows["classes"] == k], sparse, k) for k in sizes)
        return Judgement(ours, HOLDS if all(right) else PARTLY if any(right) else FAILS)

    return judge


def entropy_is_an_outlier(printed: Mapping[str, Any]) -> Judge:
    """Judge that the entropy correlation hardly correlates with others, and what is noise."""

    def judge(tables: Tables) -> Judgement:
        rows = table_2(tables, printed)
        rows = rows[rows["pair"].str.contains("E")]
        most = rows.iloc[int(rows["expected"].abs().argmax())]
        loudest = rows.iloc[int(rows["printed"].abs().argmax())]
        ours = (
            f"expected at most {most['expected']:.3f} ({most['pair']} at K {most['classes']:g}); "
            f"the printed {loudest['printed']:.2f} is {loudest['expected']:.3f} with no end of "
            f"matrices, and its band is {loudest['low']:.2f} to {loudest['high']:.2f}"
        )
        return Judgement(ours, HOLDS if abs(most["expected"]) < 0.2 else FAILS)

    return judge


def figure_1(printed: Mapping[str, Any]) -> Judge:
    """Judge the values that the text reads off figure 1."""

    def judge(tables: Tables) -> Judgement:
        table = tables[CURVE]
        rows = table[table["share"] == printed["share"]]
        one = rows.iloc[int((rows["predicted"] - printed["predicted"]).abs().argmin())]
        right = (
            abs(one["soft_accuracy"] - printed["soft_accuracy"]) < 1e-9,
            one["po_jsd"] > printed["po_jsd_above"],
        )
        ours = f"soft accuracy {one['soft_accuracy']:.3f}, PO-JSD {one['po_jsd']:.3f}"
        return Judgement(ours, HOLDS if all(right) else PARTLY if any(right) else FAILS)

    return judge


def theorem_1() -> Judge:
    """Judge that soft accuracy is never above PO-JSD, wherever both were computed."""

    def judge(tables: Tables) -> Judgement:
        gaps = [(tables[CURVE]["po_jsd"] - tables[CURVE]["soft_accuracy"]).to_numpy()]
        if SCORES in tables:
            wide = tables[SCORES].pivot_table(
                index=["subset", "predictor", "seed"], columns="metric", values="value"
            )
            gaps.append((wide["PO-JSD"] - wide["soft accuracy"]).to_numpy())
        gap = np.concatenate(gaps)
        ours = f"PO-JSD - soft accuracy from {gap.min():.2g} to {gap.max():.2g}, {len(gap)} times"
        return Judgement(ours, HOLDS if (gap > -1e-12).all() else FAILS)

    return judge


def found_again(printed: Mapping[str, Any]) -> Judge:
    """Say how often a study would find the printed order of two metrics, and significance."""

    def judge(tables: Tables) -> Judgement:
        table = tables[STUDY]
        near = table.loc[
            (table["correlation"] - float(printed["significant"])).abs() < 0.051
        ].sort_values("instance_sd")
        if near.empty:
            return Judgement("no metric of such a correlation", NOT_CLEAR)
        shares = ", ".join(
            f"{row['significant']:.0%} (instance effects of sd {row['instance_sd']:g})"
            for row in near.to_dict("records")
        )
        one = near.iloc[0]
        ours = (
            f"a metric whose true correlation is {one['correlation']:g} is significant in {shares} "
            f"of studies; 95 % of them find {one['lower']:.2f} to {one['upper']:.2f}, and over "
            f"{one['methods']:.0f} methods the interval is {one['fisher_low']:.2f} to "
            f"{one['fisher_high']:.2f}"
        )
        most = float(near["significant"].max())
        return Judgement(ours, HOLDS if most > 0.8 else NOT_CLEAR)

    return judge


def told_apart(printed: Mapping[str, Any]) -> Judge:
    """Say how often studies order two metrics as near to each other as the printed ones."""

    def judge(tables: Tables) -> Judgement:
        table = tables[STUDY]
        low, high = sorted(printed["compared"].values())
        rows = table[table["correlation"].between(low, high + 0.051)].dropna(subset="ranked_right")
        if rows.empty:
            return Judgement("no metrics as near to each other", NOT_CLEAR)
        shares = rows["ranked_right"]
        ours = (
            f"metrics a tenth apart come out in their order in {shares.min():.0%} to "
            f"{shares.max():.0%} of studies"
        )
        return Judgement(ours, HOLDS if shares.min() > 0.95 else NOT_CLEAR)

    return judge


def soft_metric_claims(printed: Mapping[str, Any]) -> tuple[Claim, ...]:
    """The claims in the order of the paper.

    Args:
        printed: what the paper prints (config/printed/soft_metrics.yaml).
    """
    two, one, five = printed["table_2"], printed["figure_1"], printed["table_5"]
    drawn = (CORRELATIONS,)
    stand_in = "Table 5, stand-in"
    return (
        Claim("Table 2", "48 correlations", drawn, inside_the_band(two)),
        Claim("Section 3.3", f"soft accuracy and PO-JSD: r > {two['strong']:g} throughout", drawn,
              always_above("JS", float(two["strong"]))),
        Claim("Section 3.3", "accuracy and soft accuracy: weaker with 100 classes, or where either "
              "side is dense", drawn, weaker_with_classes_or_density("AS")),
        Claim("Section 3.3", "entropy correlation is poorly correlated with all metrics", drawn,
              entropy_is_an_outlier(two)),
        Claim("Fig. 1", f"(0.2, 0.8): soft accuracy {one['soft_accuracy']:g}, PO-JSD above "
              f"{one['po_jsd_above']:g}", (CURVE,), figure_1(one)),
        Claim("Theorem 1", "soft accuracy is at most PO-JSD", (CURVE,), theorem_1()),
        Claim(stand_in, f"r = {five['significant']:g} is significant", (STUDY,), found_again(five)),
        Claim(stand_in, "soft micro F1 (.804) is better than PO-JSD (.674) for RoBERTa", (STUDY,),
              told_apart(five)),
    )  # fmt: skip
