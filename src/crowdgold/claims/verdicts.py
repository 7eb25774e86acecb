"""Claims of a paper, and the three verdicts on them.

A claim holds or does not hold where our results decide it, by its margin (`predicates`). Otherwise
it is not decided, and more replicates would decide it; or it cannot be decided, where the data for
that cannot be had. It has no verdict where our values could not be others.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from crowdgold.claims.cells import Tables, markdown_table

HOLDS, FAILS, NOT_DECIDED = "holds", "does not hold", "not decided"
NOT_JUDGED = "not judged"  # said where the results are not there: it is no verdict
NO_VERDICT = "no verdict"  # said where our values could not be others
UNDECIDABLE = "cannot be decided"
"""Said of what is not decided, where the data that would decide are not public."""
NO_CAUSE = "no cause is known"
SLIP = "a slip: "
"""How the cause of a claim begins that the paper's own tables or published data contradict."""
CLEAR = 2.0
"""Standard errors that make a difference clear, where a page tells of one without judging it."""


@dataclass(frozen=True)
class Judgement:
    """What our results say of a claim: our values in words, the verdict, and the reason."""

    ours: str  # our values, in words
    verdict: str  # one of `COUNTED`
    reason: str = ""  # what decides it, where something is to be said
    replicates: str = ""  # how many decided it, and how many would
    wanted: str = ""  # what ours must be for the claim to hold: the margin in words
    needed: float = math.nan  # replicates that would decide it; NaN where decided, or not known
    cause: str = ""  # why it does not hold, where it does not
    aside: str = ""  # what is told with a main claim's words


@dataclass(frozen=True)
class Claim:
    """A claim of the paper: where it stands, what is printed there, and how it is judged."""

    place: str
    printed: str
    needs: tuple[str, ...]  # the results tables that it is judged from
    judge: Callable[[Tables], Judgement]
    beside: tuple[str, ...] = ()  # further tables, for comparison, where they are there
    main: bool = False  # of the paper's main claims

    def judged(self, tables: Tables) -> Judgement:
        """The judgement; of the verdict `NOT_JUDGED` where tables are missing."""
        missing = [name for name in self.needs if name not in tables]
        if missing:
            return Judgement(f"not made here: {', '.join(missing)}", NOT_JUDGED)
        return self.judge(tables)


def verdict_of(holds: bool, fails: bool) -> str:
    """The verdict on what is decided for, against, or not at all."""
    return HOLDS if holds else FAILS if fails else NOT_DECIDED


HEADER = ["where", "claim", "ours", "must be", "verdict", "replicates", "reason"]
"""The columns of a table of claims."""


COUNTED = {  # what is said of one claim of a verdict, and of several
    HOLDS: ("holds", "hold"),
    FAILS: ("does not hold", "do not hold"),
    NOT_DECIDED: ("is not decided", "are not decided"),
    UNDECIDABLE: ("cannot be decided", "cannot be decided"),
    NO_VERDICT: ("has no verdict", "have no verdict"),
    NOT_JUDGED: ("is not judged, for want of data", "are not judged, for want of data"),
}
CLEARLY = "clearly not: "  # how a reason begins that names the values on the wrong side
WHY = "*Why not:*"  # how the reason of a claim that does not hold begins, its cause first
NONE = "- none"  # a list of claims where there are none
FURTHER = "Further:"  # what stands between the main claims that hold and the others
OURS = "ours"  # how the place of a claim begins that is not the paper's


def is_ours(where: str) -> bool:
    """Whether a claim that stands there is not the paper's."""
    return where.startswith(OURS)


def _count_sentence(what: str, verdicts: Sequence[str]) -> str:
    """How many claims have each verdict, in a sentence; empty where there are no claims."""
    if not verdicts:
        return ""
    found = Counter(verdicts)
    *first, last = (
        f"{found[one]} {said[found[one] > 1]}" for one, said in COUNTED.items() if found[one]
    )
    return f"Of {len(verdicts)} {what} {', '.join(first)}{' and ' * bool(first)}{last}."


@dataclass(frozen=True)
class JudgedClaims:
    """Claims as a page tells them, each with the judgement on it."""

    judged: Sequence[tuple[Claim, Judgement]]

    @property
    def rows(self) -> list[list[str]]:
        """A line for each claim, of the columns of `HEADER`."""
        return [
            [claim.place, claim.printed, judgement.ours, judgement.wanted, judgement.verdict,
             judgement.replicates, judgement.reason]
            for claim, judgement in self.judged
        ]  # fmt: skip

    @property
    def table(self) -> str:
        """Every claim with what we get, as a table."""
        return markdown_table(HEADER, self.rows)

    @property
    def counted(self) -> str:
        """How many claims have each verdict, in a sentence."""
        papers = [judgement.verdict for claim, judgement in self.judged if not is_ours(claim.place)]
        ours = [judgement.verdict for claim, judgement in self.judged if is_ours(claim.place)]
        sentences = [_count_sentence("claims", papers), _count_sentence("claims of our own", ours)]
        return " ".join(filter(None, sentences))

    def with_verdict(self, verdict: str) -> str:
        """The claims of a verdict as a list: where each stands, its words, and why it fails.

        Of those that hold the main ones come first.
        """
        lists: dict[bool, list[str]] = {True: [], False: []}
        for claim, judgement in self.judged:
            if judgement.verdict == verdict:
                why = f" {WHY} {judgement.cause}." if judgement.cause else ""
                aside = f" ({judgement.aside})" if judgement.aside and verdict == HOLDS else ""
                line = f"- **{claim.place}**: {claim.printed.strip()}{aside}.{why}"
                lists[claim.main and verdict == HOLDS].append(line)
        main, others = ("\n".join(lines) for lines in lists.values())
        return f"\n\n{FURTHER}\n\n".join(filter(None, [main, others])) or NONE
