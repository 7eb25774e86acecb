"""What the STABLEVAL paper says of its synthetic study, held against ours; and what we add."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from crowdgold.documents.markdown import markdown_table, with_error
from crowdgold.documents.verdicts import (
    CLEAR,
    FAILS,
    HOLDS,
    NOT_CONTRADICTED,
    Claim,
    Judgement,
    Tables,
    claim_rows,
    verdict_of,
)
from crowdgold.evaluation.summaries import standard_error
from crowdgold.studies.stableval.pages.interval_claims import interval_claims, interval_tables
from crowdgold.studies.stableval.pages.stability_claims import stability_claims
from crowdgold.studies.stableval.pages.synthetic_tables import (
    CONFIGURATION,
    STABILITY,
    STUDY,
    TABLES,
    cell_table,
    cells_of,
    summary_of,
)
from crowdgold.studies.stableval.ranking_recovery import recovery

OWN = STUDY["own"]
ADVERSARIAL = ("adv_00", "adv_10", "adv_20", "adv_30", "adv_40")


def _differences(table: pd.DataFrame, quantity: str, first: str, second: str) -> pd.DataFrame:
    """The mean difference of two methods, replicates paired: one row a configuration."""
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


def _said(printed: Mapping[str, Any], figure: str) -> list[tuple[str, str, float]]:
    """The MSE that a caption gives: configuration, method, value."""
    block = printed["captions"][figure]["mse"]
    return [(name, method, value) for name, row in block.items() for method, value in row.items()]


def _caption_text(printed: Mapping[str, Any], figure: str) -> str:
    numbers = (f"{method} {value:.5f} ({name})" for name, method, value in _said(printed, figure))
    return f"MSE of {', '.join(numbers)}"


def _caption(printed: Mapping[str, Any], figure: str) -> Callable[[Tables], Judgement]:
    """Judge which numbers of a caption are those of the published labels, to its five decimals."""

    def judge(tables: Tables) -> Judgement:
        found = recovery(tables[STUDY["published"]], [CONFIGURATION])
        means = found.groupby([CONFIGURATION, "method"])["mse"].mean()
        said = _said(printed, figure)
        ours = [float(means[name, method]) for name, method, _ in said]
        same = [f"{one:.5f}" == f"{cell[2]:.5f}" for one, cell in zip(ours, said, strict=True)]
        return Judgement(
            ", ".join(
                f"{method} {one:.5f}" for one, (_, method, _) in zip(ours, said, strict=True)
            ),
            verdict_of(same, [not one for one in same]),
            "" if all(same) else "table 4 has other numbers, and these are ours",
        )

    return judge


def synthetic_claims(printed: Mapping[str, Any]) -> tuple[Claim, ...]:
    """The claims in the order of the paper.

    Args:
        printed: what the paper prints (config/printed/stableval_synthetic.yaml).
    """
    study = (OWN,)
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
        *stability_claims(printed),
        Claim(
            "Fig. 8, caption",
            "tight: .85 to .20; wide: .75 to .50",
            study,
            _swapped_caption(printed),
        ),
        *(
            Claim(
                f"Fig. {number}, caption",
                _caption_text(printed, f"figure_{number}"),
                (STUDY["published"],),
                _caption(printed, f"figure_{number}"),
            )
            for number in (10, 12)
        ),
        *interval_claims(),
    )


def _seconds(times: pd.DataFrame | None) -> str:
    """What the fits to the published labels took, in a sentence; DS and PEC share theirs."""
    if times is None or times.empty:
        return ""
    spent = times[times["method"].isin(("MV", "PEC"))]
    fits = int((spent["method"] == "PEC").sum())
    return (
        f" The {fits:,} fits to the published labels took {spent['seconds'].sum():.0f} s of one "
        "core, DS and PEC by one fit."
    )


def synthetic_section(
    tables: Tables, printed: Mapping[str, Any], times: pd.DataFrame | None = None
) -> str:
    """Write the section of the synthetic study: what is said of it, and tables 4 to 7.

    Args:
        tables: results tables (of replicates) by the name of their experiment.
        printed: what the paper prints (config/printed/stableval_synthetic.yaml).
        times: of the fits to the published labels; none where they were not at hand.
    """
    number, seeds, draws, of_seeds = (
        str(tables[name]["replicate"].nunique()) if name in tables else "no"
        for name in (OWN, STUDY["published"], STABILITY["own"], STABILITY["published"])
    )
    parts = [
        "## The synthetic study\n",
        f"{number} replicates of our own draws from the generator recovered from the published "
        f"labels (the paper: {printed['repetitions']}), and the published labels themselves "
        f"({seeds} of their seeds), table 5 from {draws} and {of_seeds}, with the settings of the "
        "EM that the published scores were made with. A difference counts where it is clear by "
        "two standard errors, replicates paired. Labels of the study share their item's "
        "difficulty; they are independent where each has its own. Intervals are of 95 %, in a "
        "smaller study (100 items an agent) whose fits run until they have converged; their "
        "coverage stands in the tables that follow the claims. Its error is over replicates, and "
        "that of a difference to the control, whose data are others, the root of the sum of both "
        f"squares.{_seconds(times)}\n",
        markdown_table(
            ["where", "printed", "ours", "verdict", "reason"],
            claim_rows(synthetic_claims(printed), tables),
        )
        + "\n",
        *interval_tables(tables),
        "### Tables 4 to 7\n",
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
