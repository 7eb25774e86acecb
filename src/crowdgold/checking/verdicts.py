"""What each method can make of a study: usable, weak or not usable, why, and how to mend it.

What a method needs, and what can speak against it, is declared in its file (`crowdgold.methods`).
"""

from dataclasses import dataclass

from crowdgold.methods.doubts import NOT_USABLE, VERDICTS, Facts, Finding, gold_for_true
from crowdgold.methods.needs import EXPERTS_ERRORS, lacking
from crowdgold.methods.registry import METHODS, offered


@dataclass(frozen=True)
class Verdict:
    """What a method can make of the data."""

    method: str  # its short name
    verdict: str  # one of `VERDICTS`
    why: str
    mend: str  # what would make it better; empty where nothing is needed


def verdicts_of(facts: Facts, of_scores: Facts) -> tuple[Verdict, ...]:
    """The verdict on each method that a study is offered, in the order of answers.

    Methods that need a score rest on the facts `of_scores`, of the items that have one.
    """
    found = []
    for name in offered():
        method = METHODS[name]
        known = of_scores if method.needs_scores else facts
        findings = [
            Finding(NOT_USABLE, why, need.mend_of(known))
            for need, why in lacking(method.needs, known)
        ]
        if not findings and method.offer:
            findings = [one for doubt in method.offer.doubts for one in doubt(known)]
            if method.uses_gold and EXPERTS_ERRORS not in method.needs:
                findings += gold_for_true(known)
        worst = max((VERDICTS.index(one.verdict) for one in findings), default=0)
        # What only weakens is of no interest where something forbids.
        told = [one for one in findings if VERDICTS.index(one.verdict) == worst]
        use = method.offer.use if method.offer else ""
        why = "; ".join(dict.fromkeys(one.why for one in told)) or use
        mend = "; ".join(dict.fromkeys(one.mend for one in told))
        found.append(Verdict(name, VERDICTS[worst], why, mend))
    return tuple(found)
