"""Verdicts by the figure or table of a paper that a claim is about, for a page that lists them all.

`verdicts_of` takes the claims of a study, judged from tables, to a row for each claim and exhibit:

    exhibit     `Fig. 4`, `Table 3`, or the section where a claim is about neither
    where       the place as the claim has it: `Fig. 4, stand-in`
    printed, ours, verdict, replicates, reason

`counted` says it in a cell: `2 hold, 1 not decided`.
"""

import re
from collections.abc import Iterable

import pandas as pd

from crowdgold.documents.verdicts import (
    FAILS,
    HEADER,
    HOLDS,
    NOT_DECIDED,
    NOT_JUDGED,
    Claim,
    Tables,
    claim_rows,
)

NAMED = re.compile(r"\b(Fig|Table)(?:ure)?s?\.?\s+((?:\d+[a-z]?(?:\s*(?:,|and|to)\s*)?)+)", re.I)
WORDS = {HOLDS: "hold", FAILS: "do not hold", NOT_DECIDED: "not decided", NOT_JUDGED: "not made"}
"""How many claims of a verdict are told of."""


def exhibits_of(place: str) -> list[str]:
    """The figures and tables that a place names, each by its number; the place itself if none.

    `Figs. 3 and 7` names two, `Figs. 5 to 7` three, `Table 3a` is part of table 3.
    """
    found = []
    for kind, numbers in NAMED.findall(place):
        listed = re.sub(r"(\d+)[a-z]?\s*to\s*(\d+)", _spelled_out, numbers)
        name = "Fig." if kind.lower() == "fig" else "Table"
        found += [f"{name} {number}" for number in re.findall(r"\d+", listed)]
    return list(dict.fromkeys(found)) or [place]


def _spelled_out(match: re.Match[str]) -> str:
    return " ".join(map(str, range(int(match[1]), int(match[2]) + 1)))


def verdicts_of(claims: Iterable[Claim], tables: Tables) -> pd.DataFrame:
    """The verdicts on claims, a row for each exhibit that a claim names.

    Args:
        claims: of `claims.read_claims`.
        tables: experiment -> table of replicates; a claim that lacks one is `not judged`.
    """
    rows = [
        [exhibit, *row] for row in claim_rows(claims, tables) for exhibit in exhibits_of(row[0])
    ]
    return pd.DataFrame(rows, columns=["exhibit", *HEADER])


def counted(verdicts: pd.DataFrame, exhibit: str) -> str:
    """How many claims about an exhibit hold, do not, are not decided or not made; empty of none."""
    found = verdicts.loc[verdicts["exhibit"] == exhibit, "verdict"].value_counts()
    return ", ".join(f"{found[one]} {words}" for one, words in WORDS.items() if one in found)
