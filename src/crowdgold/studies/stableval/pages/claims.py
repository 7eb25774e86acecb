"""What the text of STABLEVAL claims of the real data, judged from ours."""

from collections.abc import Callable

import numpy as np

from crowdgold.documents.markdown import with_error
from crowdgold.documents.verdicts import (
    CLEAR,
    FAILS,
    HOLDS,
    NOT_CLEAR,
    PARTLY,
    Claim,
    Judgement,
    Tables,
)
from crowdgold.studies.stableval import agent_tables
from crowdgold.studies.stableval.pages.cells import DATASETS, MAPPINGS
from crowdgold.studies.stableval.pages.slips import CONVERGED, both_runs

STABILITY = "stableval_stability"


def _spread_order(experiment: str, order: tuple[str, ...]) -> Callable[[Tables], Judgement]:
    """Judge that methods come in this order by rank spread, the most stable first."""

    def judge(tables: Tables) -> Judgement:
        frame = agent_tables.stability(tables[experiment])
        spread = frame["rank_sd"][list(order)]
        text = ", ".join(f"{method} {value:.3f}" for method, value in spread.items())
        holds = bool((np.diff(spread) > 0).all())
        return Judgement(f"rank spread: {text}", HOLDS if holds else FAILS)

    return judge


def _tau_order(experiment: str, best: str) -> Callable[[Tables], Judgement]:
    """Judge that a method has the largest expected tau-b."""

    def judge(tables: Tables) -> Judgement:
        frame = agent_tables.stability(tables[experiment])
        tau, error = frame["stability"], frame["stability_se"]
        text = ", ".join(f"{name} {with_error(tau[name], error[name])}" for name in frame.index)
        others = [name for name in frame.index if name != best]
        apart = np.hypot(error[others].to_numpy(), float(error[best]))
        lead = (float(tau[best]) - tau[others].to_numpy()) / apart
        if (lead > CLEAR).all():
            return Judgement(text, HOLDS)
        verdict = FAILS if (lead < -CLEAR).any() else NOT_CLEAR
        return Judgement(text, verdict, "the definition of section 4.1, on more draws")

    return judge


def _mapping_ranks(tables: Tables) -> Judgement:
    """Judge that the first two agents change places under one mapping and no others do."""
    _, ranked = agent_tables.mappings(tables[MAPPINGS])
    moved = ranked.ne(ranked["baseline"], axis=0)
    names = [f"{column}: {', '.join(moved.index[moved[column]])}" for column in moved
             if moved[column].any()]  # fmt: skip
    only = list(moved.columns[moved.any()]) == ["tie_win"]
    two = set(moved.index[moved["tie_win"]]) == {"gpt-4", "gpt-3.5-turbo"}
    return Judgement("; ".join(names) or "none", HOLDS if only and two else PARTLY)


def _labels(tables: Tables) -> Judgement:
    found = agent_tables.statistics(tables["stableval_mt_bench"])["value"]["labels"]
    return Judgement(f"{found:,.0f}", FAILS, "table 1 prints 6,710")


def _monitored(tables: Tables) -> Judgement:
    names = [
        title
        for title, published, _ in both_runs(tables)
        if not published.loc[published["method"] == "PEC", "diagnostics_passed"].all()
    ]
    return Judgement(
        f"not converged: {', '.join(names) or 'none'}", FAILS if names else HOLDS, "see above"
    )


NEEDED = (*DATASETS, *(CONVERGED.format(name) for name in DATASETS))

CLAIMS = (
    Claim("Section 5.1", "MT-Bench has 6,712 annotated examples", ("stableval_mt_bench",), _labels),
    Claim("Section 5.2", "convergence is verified empirically", NEEDED, _monitored),
    Claim(
        "Section 6.2.1",
        "PEC ranks most stably on MT-Bench, DS is between, MV least (table 9)",
        ("stableval_mt_bench",),
        _spread_order("stableval_mt_bench", ("PEC", "DS", "MV")),
    ),
    Claim(
        "Section 6.2.1",
        "PEC ranks most stably on MT-Bench, by the paper's own definition",
        (STABILITY,),
        _tau_order(STABILITY, "PEC"),
    ),
    Claim(
        "Section 6.2.4",
        "MV and DS vary slightly less than PEC on MSLR (table 26)",
        ("stableval_mslr",),
        _spread_order("stableval_mslr", ("MV", "PEC")),
    ),
    Claim(
        "Appendix C",
        "the sole exchange of ranks is that of gpt-4 and gpt-3.5-turbo, with ties as wins",
        (MAPPINGS,),
        _mapping_ranks,
    ),
)
"""What the text claims of the real data."""
