"""What the STABLEVAL paper says of its synthetic study, held against ours; and what we add."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.documents.markdown import markdown_table, with_error
from crowdgold.documents.stableval_interval_claims import interval_claims
from crowdgold.documents.stableval_synthetic_tables import (
    CONFIGURATION,
    STABILITY,
    STUDY,
    TABLES,
    cell_table,
    cells_of,
    summary_of,
)
from crowdgold.documents.verdicts import (
    CLEAR,
    FAILS,
    HOLDS,
    NOT_CONTRADICTED,
    Claim,
    Judgement,
    Tables,
    claim_rows,
    contradicted,
    verdict_of,
)
from crowdgold.evaluation.ranking_recovery import recovery
from crowdgold.evaluation.summaries import standard_error

OWN = STUDY["own"]
ADVERSARIAL = ("adv_00", "adv_10", "adv_20", "adv_30", "adv_40")


def _differences(table: pd.DataFrame, quantity: str, first: str, second: str) -> pd.DataFrame:
    """Give the mean difference of two methods, replicates paired: one row a configuration."""
    values = recovery(table, [CONFIGURATION]).pivot_table(
        index=[CONFIGURATION, "replicate"], columns="method", values=quantity, sort=False
    )
    pairs = (values[first] - values[second]).groupby(level=0, sort=False)
    return pd.DataFrame({"mean": pairs.mean(), "se": pairs.std() / np.sqrt(pairs.size())})


def lower_mse(first: str, second: str) -> Callable[[Tables], Judgement]:
    """Judge that a method's MSE is below another's in every configuration."""

    def judge(tables: Tables) -> Judgement:
        found = _differences(tables[OWN], "mse", first, second)
        below = found["mean"] < -CLEAR * found["se"]
        above = found["mean"] > CLEAR * found["se"]
        return Judgement(
            f"MSE of {first} clearly below {second}'s in {int(below.sum())} of {len(found)} "
            f"configurations, clearly above in {int(above.sum())}",
            verdict_of(below, above),
            f"above: {', '.join(map(str, found.index[above]))}" if above.any() else "",
        )

    return judge


def _accuracy_at_least(least: float) -> Callable[[Tables], Judgement]:
    """Judge that ranking accuracy is at least so much in the adversarial configurations."""

    def judge(tables: Tables) -> Judgement:
        found = recovery(tables[OWN], [CONFIGURATION])
        rows = found[found[CONFIGURATION].isin(ADVERSARIAL)]
        groups = rows.groupby([CONFIGURATION, "method"], sort=False)["ranking_accuracy"]
        means = groups.agg(mean="mean", se=lambda own: standard_error(own.to_numpy()))
        lowest = means.loc[means["mean"].idxmin()]
        below = means["mean"] < least - CLEAR * means["se"]
        return Judgement(
            f"lowest {with_error(100 * lowest['mean'], 100 * lowest['se'])} % "
            f"({', '.join(means['mean'].idxmin())})",
            FAILS if below.any() else NOT_CONTRADICTED,
        )

    return judge


def _gap_widens(tables: Tables) -> Judgement:
    """Judge that the majority vote's MSE falls behind as adversarial annotators become more."""
    found = _differences(tables[OWN], "mse", "MV", "PEC")
    first, last = found.loc[ADVERSARIAL[0]], found.loc[ADVERSARIAL[-1]]
    change = last["mean"] - first["mean"]
    error = float(np.hypot(first["se"], last["se"]))
    return Judgement(
        "MSE of MV less PEC's, x 1000: "
        + ", ".join(
            f"{name} {with_error(1000 * row['mean'], 1000 * row['se'])}"
            for name, row in found.loc[list(ADVERSARIAL)].iterrows()
        ),
        verdict_of([bool(change > CLEAR * error)], [bool(change < -CLEAR * error)]),
    )


def _recomputed_table_5(printed: Mapping[str, Any]) -> Callable[[Tables], Judgement]:
    """Show table 5's column of DS beside the one that the published labels give."""

    def judge(tables: Tables) -> Judgement:
        cells = [one for one in cells_of("table_5", tables, printed) if one.method == "DS"]
        table = tables[STABILITY["published"]]
        rows = table[(table["metric"] == "stability:labels") & (table["method"] == "DS")]
        errors = rows.groupby(CONFIGURATION, sort=False)["estimate"].agg(
            lambda own: standard_error(own.to_numpy())
        )
        ours = [f"{one.published:.3f} ± {errors[one.configuration]:.3f}" for one in cells]
        off = abs(cells[0].published - cells[0].printed) > CLEAR * errors[cells[0].configuration]
        return Judgement(
            f"DS, by labels per item: {', '.join(ours)}",
            FAILS if off else NOT_CONTRADICTED,
            "the printed column of DS is that of PEC, in the published file's standard errors too",
        )

    return judge


def _two_stabilities(printed: Mapping[str, Any]) -> Callable[[Tables], Judgement]:
    """Judge whether table 5 is of subsets of annotators, as section 4.1 defines it."""
    rows = {name: own[-1] for name, own in printed["table_5"]["rows"].items()}

    def judge(tables: Tables) -> Judgement:
        table = tables[STABILITY["own"]]
        groups = table[table["method"] == "PEC"].groupby(["metric", CONFIGURATION], sort=False)
        found = groups["estimate"].agg(mean="mean", se=lambda own: standard_error(own.to_numpy()))
        away, parts = {}, []
        for metric, words in (("stability", "annotators"), ("stability:labels", "labels")):
            own = found.loc[metric]
            printed_here = pd.Series(rows).reindex(own.index)
            # The printed mean has an error of its own, about ours at its number of repetitions.
            away[metric] = (own["mean"] - printed_here).abs() / (np.sqrt(2) * own["se"])
            texts = [with_error(*values) for values in own[["mean", "se"]].to_numpy()]
            parts.append(f"by {words} {', '.join(texts)}")
        return Judgement(
            f"PEC, by labels per item: {'; '.join(parts)}",
            contradicted(away["stability"] > CLEAR),
            "the printed numbers are those of 3 of an item's labels (2 of 3), 10 draws"
            if (away["stability:labels"] <= CLEAR).all()
            else "",
        )

    return judge


def _swapped_caption(printed: Mapping[str, Any]) -> Callable[[Tables], Judgement]:
    """Judge which qualities have the MSE that figure 8's caption gives to .85 to .20."""

    def judge(tables: Tables) -> Judgement:
        found = recovery(tables[OWN], [CONFIGURATION])
        means = found.groupby([CONFIGURATION, "method"])["mse"].mean()
        said = printed["captions"]["figure_8"]["mse"]["gaps_tight"]["DS"]
        narrow, wide = means["gaps_tight", "DS"], means["gaps_wide", "DS"]
        swapped = abs(narrow - said) < abs(wide - said)
        return Judgement(
            f"MSE of DS {narrow:.5f} for qualities .75 to .50, {wide:.5f} for .85 to .20; the "
            f"caption gives {said} to the latter",
            FAILS if swapped else HOLDS,
            "its two lists are swapped; table 4 and our figure are not" if swapped else "",
        )

    return judge


def synthetic_claims(printed: Mapping[str, Any]) -> tuple[Claim, ...]:
    """Give the claims in the order of the paper.

    Args:
        printed: what the paper prints (config/printed/stableval_synthetic.yaml).
    """
    study, stability = (OWN,), STABILITY
    return (
        Claim(
            "Section 6.1.1",
            "DS has the lowest MSE across all settings: below PEC",
            study,
            lower_mse("DS", "PEC"),
        ),
        Claim("Section 6.1.1", "... and below MV", study, lower_mse("DS", "MV")),
        Claim(
            "Section 6.1.1",
            "PEC consistently outperforms MV in MSE",
            study,
            lower_mse("PEC", "MV"),
        ),
        Claim("Section 6.1.2", "gaps widen with adversarial annotators", study, _gap_widens),
        Claim(
            "Section 6.1.2",
            "under adversarial annotators all methods' ranking accuracy is above 98.8 %",
            study,
            _accuracy_at_least(0.988),
        ),
        Claim(
            "Table 5",
            "stability of DS .989 .991 .992 .992",
            (stability["published"],),
            _recomputed_table_5(printed),
        ),
        Claim(
            "Sections 4.1 and 5.3, table 5",
            "stability is tau-b under subsampling of annotators",
            (stability["own"],),
            _two_stabilities(printed),
        ),
        Claim(
            "Fig. 8, caption",
            "tight: .85 to .20; wide: .75 to .50",
            study,
            _swapped_caption(printed),
        ),
        *interval_claims(),
    )


def synthetic_section(tables: Tables, printed: Mapping[str, Any]) -> str:
    """Write the section of the synthetic study: what is said of it, and tables 4 to 7.

    Args:
        tables: results tables (of replicates) by the name of their experiment.
        printed: what the paper prints (config/printed/stableval_synthetic.yaml).
    """
    number, seeds = (
        str(tables[name]["replicate"].nunique()) if name in tables else "no"
        for name in (OWN, STUDY["published"])
    )
    parts = [
        "## The synthetic study\n",
        f"{number} replicates of our own draws from the generator recovered from the published "
        f"labels (the paper: {printed['repetitions']}), and the published labels themselves "
        f"({seeds} of their seeds), with the settings of the EM that the published scores were "
        "made with. A difference counts where it is clear by two standard errors, replicates "
        "paired. Labels of the study share their item's difficulty; they are independent where "
        "each has its own. Intervals are of 95 %, in a smaller study (100 items an agent), their "
        "coverage with the error over replicates.\n",
        markdown_table(
            ["where", "printed", "ours", "verdict", "reason"],
            claim_rows(synthetic_claims(printed), tables),
        )
        + "\n",
        "In the tables below the printed number stands first; where the published labels give "
        "other digits, these stand beside it in bold. Own draws: mean ± standard error, and in "
        "brackets the distance in joint standard errors.\n",
    ]
    for name in TABLES:
        cells = cells_of(name, tables, printed)
        summary = summary_of(cells, printed[name]["digits"])
        parts += [
            f"### {printed[name]['source']}\n",
            f"{summary}\n",
            cell_table(name, cells, printed) + "\n",
        ]
    return "\n".join(parts)
