"""Claims of a paper, and the three verdicts on them.

A claim holds or does not hold where our results decide it, by its margin (`decisions`); else it is
not decided, which asks for more replicates.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from crowdgold.documents.cells import Tables

HOLDS, FAILS, NOT_DECIDED = "holds", "does not hold", "not decided"
NOT_JUDGED = "not judged"
"""Said where the results are not there: it is no verdict."""
NO_CAUSE = "no cause is known"
CLEAR = 2.0
"""Standard errors that make a difference clear, where a page tells of one without judging it."""


@dataclass(frozen=True)
class Judgement:
    """What we get, whether the claim holds, and by what.

    Attributes:
        ours: what we get.
        verdict: one of the three.
        reason: what decides it, where something is to be said.
        replicates: how many decided it, and how many would.
    """

    ours: str
    verdict: str
    reason: str = ""
    replicates: str = ""


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

    def judged(self, tables: Tables) -> Judgement:
        """The judgement, or that it is not judged because tables are missing."""
        missing = [name for name in self.needs if name not in tables]
        if missing:
            return Judgement(f"not made here: {', '.join(missing)}", NOT_JUDGED)
        return self.judge(tables)


def verdict_of(holds: bool, fails: bool) -> str:
    """The verdict on what is decided for, against, or not at all."""
    return HOLDS if holds else FAILS if fails else NOT_DECIDED


HEADER = ["where", "printed", "ours", "verdict", "replicates", "reason"]
"""The columns of a table of claims."""


def claim_rows(claims: Iterable[Claim], tables: Tables) -> list[list[str]]:
    """A line for each claim, of the columns of `HEADER`."""
    rows = []
    for claim in claims:
        found = claim.judged(tables)
        told = [found.ours, found.verdict, found.replicates, found.reason]
        rows.append([claim.place, claim.printed, *told])
    return rows
