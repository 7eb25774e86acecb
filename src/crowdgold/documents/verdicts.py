"""Claims of a paper in words and figures, and the verdicts on them.

A comparison counts for or against a claim only where it is clear by `CLEAR` of its standard errors.
A claim holds where every comparison is clearly for it, and fails where none is and one is clearly
against it. That two things are alike cannot be shown so, only contradicted.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

HOLDS, PARTLY, FAILS = "holds", "holds in part", "does not hold"
NOT_CLEAR, NOT_CONTRADICTED = "not clear", "not contradicted"
NOT_JUDGED = "not judged"
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


def verdict_of(holds: pd.Series | list[bool], contradicted: pd.Series | list[bool]) -> str:
    """The verdict on a claim of many comparisons, clearly for it or clearly against it."""
    if np.all(holds):
        return HOLDS
    if np.any(holds):
        return PARTLY
    return FAILS if np.any(contradicted) else NOT_CLEAR


def contradicted(clear: pd.Series) -> str:
    """The verdict on likeness: differences that are clear contradict it."""
    return FAILS if clear.all() else PARTLY if clear.any() else NOT_CONTRADICTED


def above_one(ratios: pd.DataFrame, name: str, side: int = 1) -> pd.Series:
    """Say which ratios are clearly above 1, or below it (side -1)."""
    return side * (ratios[f"{name}_ratio"] - 1) > CLEAR * ratios[f"{name}_ratio_se"]


def below_one(ratios: pd.DataFrame, name: str) -> pd.Series:
    """Say which ratios are clearly below 1."""
    return above_one(ratios, name, -1)


def claim_rows(claims: Iterable[Claim], tables: Tables) -> list[list[str]]:
    """A line for each claim: where, printed, ours, verdict, reason."""
    rows = []
    for claim in claims:
        missing = [name for name in claim.needs if name not in tables]
        found = (
            Judgement(f"not made here: {', '.join(missing)}", NOT_JUDGED)
            if missing
            else claim.judge(tables)
        )
        rows.append([claim.place, claim.printed, found.ours, found.verdict, found.reason])
    return rows
