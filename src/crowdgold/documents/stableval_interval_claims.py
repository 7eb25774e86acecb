"""Whose intervals of agents' scores cover: the paper's (section 3.5), and those that we add."""

from collections.abc import Callable

import pandas as pd

from crowdgold.documents.markdown import with_error
from crowdgold.documents.verdicts import CLEAR, Claim, Judgement, Tables, contradicted
from crowdgold.evaluation.summaries import summarise


def _coverage(table: pd.DataFrame, axes: list[str]) -> pd.DataFrame:
    """Give coverage of the scores with its error, by setting and method."""
    rows = summarise(table[table["metric"] == "score:each"], axes)
    rows["text"] = [with_error(*own) for own in rows[["coverage", "coverage_se"]].to_numpy()]
    rows["short"] = rows["coverage"] < rows["level"] - CLEAR * rows["coverage_se"]
    return rows


PRIOR = "method_settings.PEC-posterior.prior"
KINDS = {
    "PEC": "over items",
    "PEC-two-way": "over items and annotators",
    "PEC-posterior": "full posterior",
}


def _covers(rows: pd.DataFrame, axes: list[str], method: str) -> Judgement:
    """Judge that a method's intervals cover in every setting."""
    own = rows[rows["method"] == method]
    places = own[axes].astype(str).agg(", ".join, axis=1)
    parts = [f"{place}: {text}" for place, text in zip(places, own["text"], strict=True)]
    return Judgement(f"coverage of the score, {'; '.join(parts)}", contradicted(own["short"]))


def covers_in_own_world(method: str, prior: str) -> Callable[[Tables], Judgement]:
    """Judge coverage where labels are independent; agents alike, and of the study's qualities."""

    def judge(tables: Tables) -> Judgement:
        table = tables["stableval_own_world"]
        return _covers(_coverage(table[table[PRIOR] == prior], ["quality"]), ["quality"], method)

    return judge


def covers_dependent_labels(method: str) -> Callable[[Tables], Judgement]:
    """Judge coverage where labels share a difficulty, or are copied; not where they are neither."""

    def judge(tables: Tables) -> Judgement:
        axes, table = ["difficulty", "copying"], tables["stableval_correlated"]
        tied = (table["difficulty"] != "own") | (table["copying"] > 0)
        return _covers(_coverage(table[tied], axes), axes, method)

    return judge


def interval_claims() -> tuple[Claim, ...]:
    """Give the claims about intervals of scores: the paper's, and of those that we add."""
    own, tied = ("stableval_own_world",), ("stableval_correlated",)
    kinds = KINDS.items()
    shared = covers_in_own_world("PEC-posterior", "shared")
    return (
        *(
            Claim(
                "Section 3.5" if method == "PEC" else "ours",
                f"intervals cover where labels are independent: {words}"
                + (", a class prior for each agent" if method == "PEC-posterior" else ""),
                own,
                covers_in_own_world(method, "agent"),
            )
            for method, words in kinds
        ),
        Claim("ours", "... full posterior, one class prior for all, as printed", own, shared),
        *(
            Claim(
                "Section 3.5" if method == "PEC" else "ours",
                f"intervals cover where labels depend on each other: {words}",
                tied,
                covers_dependent_labels(method),
            )
            for method, words in kinds
        ),
    )
