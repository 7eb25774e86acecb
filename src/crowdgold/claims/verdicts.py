"""Claims of a paper, the verdicts on them, and whose fault it is where one does not hold.

A claim holds or does not hold where our results decide it, by its margin (`predicates`). Otherwise
it is not decided, and more replicates would decide it; or it cannot be decided, where the data for
that cannot be had. It has no verdict where our values could not be others. A claim that does not
hold is of one of `KINDS`.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass

import pandas as pd

from crowdgold.claims.cells import Tables, markdown_table

HOLDS, FAILS, NOT_DECIDED = "holds", "does not hold", "not decided"
NOT_JUDGED = "not judged"  # said where the results are not there: it is no verdict
NO_VERDICT = "no verdict"  # said where our values could not be others
UNDECIDABLE = "cannot be decided"
"""Said of what is not decided, where the data that would decide are not public."""
SUBSTANCE, SLIP, STAND_IN, SETTING, UNKNOWN = KINDS = (
    "substance", "slip", "stand-in", "setting", "unknown",
)  # fmt: skip
"""Whose fault it is that a claim does not hold.

The statement is wrong; its text or code slipped; the data are a stand-in, which shows neither; a
setting decides that nobody published; no cause is known."""
NO_CAUSE = "no cause is known"
CLEAR = 2.0
"""Standard errors that make a difference clear, where a page tells of one without judging it."""


@dataclass(frozen=True)
class Judgement:
    """What our results say of a claim: our values in words, the verdict, and the reason."""

    values: str  # our values, in words
    verdict: str  # one of `COUNTED`
    reason: str = ""  # what decides it, where something is to be said
    replicates: str = ""  # how many decided it, and how many would
    wanted: str = ""  # what ours must be for the claim to hold: the margin in words
    needed: float = math.nan  # replicates that would decide it; NaN where decided, or not known
    kind: str = ""  # one of `KINDS` where it does not hold, and empty elsewhere
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
    ours: bool = False  # our own, and not the paper's
    stand_in: bool = False  # about data simulated from what the paper prints of private ones
    kind: str = ""  # one of `KINDS`, whose fault it is where it does not hold; none of our own

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
HEADINGS = {  # above the claims of a kind, and after their number
    SUBSTANCE: ("The statement is wrong", "is wrong in substance", "are wrong in substance"),
    SLIP: ("A slip of text or code", "is a slip of text or code", "are slips of text or code"),
    STAND_IN: (
        "On a stand-in, which shows neither that the paper is wrong nor that it is right",
        "is about a stand-in", "are about stand-ins",
    ),
    SETTING: (
        "It depends on a setting that nobody published",
        "depends on an unpublished setting", "depend on unpublished settings",
    ),
    UNKNOWN: ("No cause is known", "has no known cause", "have no known cause"),
}  # fmt: skip
CLEARLY = "clearly not: "  # how a reason begins that names the values on the wrong side
WHY = "*Why not:*"  # what stands before the cause of a claim that does not hold
NONE = "- none"  # a list of claims where there are none


def in_words(names: Iterable[str], words: Mapping[str, Sequence[str]]) -> str:
    """How many there are of each name, such as "3 hold and 1 does not hold".

    The last two words of a name are for one and for several.
    """
    counts = Counter(names)
    said = [f"{counts[one]} {words[one][-1 - (counts[one] == 1)]}" for one in words if counts[one]]
    return " and ".join(filter(None, [", ".join(said[:-1]), *said[-1:]]))


@dataclass(frozen=True)
class JudgedClaims:
    """Claims as a page tells them, each with the judgement on it."""

    judged: Sequence[tuple[Claim, Judgement]]

    @property
    def frame(self) -> pd.DataFrame:
        """A row for each claim, with the fields of `Claim` and `Judgement` that pages tell."""
        fields = ("place", "printed", "main", "ours", "stand_in")
        return pd.DataFrame(
            [
                {name: getattr(claim, name) for name in fields} | asdict(judgement)
                for claim, judgement in self.judged
            ]
        )

    @property
    def table(self) -> str:
        """Every claim with what we get, as a table."""
        rows = [
            [claim.place, claim.printed, judgement.values, judgement.wanted, judgement.verdict,
             judgement.replicates, judgement.reason]
            for claim, judgement in self.judged
        ]  # fmt: skip
        return markdown_table(HEADER, rows)

    @property
    def counted(self) -> str:
        """How many claims have each verdict, in a sentence, and what those are that do not hold."""
        sentences = []
        for what, ours in (("claims", False), ("claims of our own", True)):
            found = [judgement for claim, judgement in self.judged if claim.ours == ours]
            if found:
                said = in_words([one.verdict for one in found], COUNTED)
                kinds = in_words([one.kind for one in found if one.kind], HEADINGS)
                failing = f" Of those that do not hold {kinds}." if kinds and not ours else ""
                sentences.append(f"Of {len(found)} {what} {said}.{failing}")
        return " ".join(sentences)

    def with_verdict(self, verdict: str) -> str:
        """The claims of a verdict as a list: where each stands, its words, and why it fails.

        Of those that hold the main ones come first; those that do not hold stand by their kind.
        """
        lists: dict[str, list[str]] = {"": []}
        for claim, judgement in self.judged:
            if judgement.verdict == verdict:
                why = f" {WHY} {judgement.cause}." if judgement.cause else ""
                aside = f" ({judgement.aside})" if judgement.aside and verdict == HOLDS else ""
                further = "Further" if verdict == HOLDS and not claim.main else ""
                heading = HEADINGS[judgement.kind][0] if judgement.kind else further
                line = f"- **{claim.place}**: {claim.printed}{aside}.{why}"
                lists.setdefault(heading, []).append(line)
        if not lists[""] and verdict == HOLDS:  # without main claims the others come first
            lists[""] = lists.pop("Further", [])
        order = ["", "Further", *(heading for heading, *_ in HEADINGS.values())]
        parts: list[str] = []
        for heading in order:
            if lists.get(heading):
                parts += [f"{heading}:"] * bool(heading) + ["\n".join(lists[heading])]
        return "\n\n".join(parts) or NONE
