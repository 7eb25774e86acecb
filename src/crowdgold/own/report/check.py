"""The data check of a study (`crowdgold check --json`) for a reader of its report."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from crowdgold.data.checks import counted
from crowdgold.own.check.annotator_check import AnnotatorCheck
from crowdgold.own.check.drawn_units import OF_ITEMS
from crowdgold.own.check.gold_likeness import TOLD, likeness_in_words
from crowdgold.own.report.folder import StudyFolder
from crowdgold.own.report.shapes import ANNOTATORS
from crowdgold.own.report.words import percent

NAMED = 8
"""Annotators of a kind that are named."""


@dataclass(frozen=True)
class Checked:
    """What is known of the data.

    Attributes:
        facts: what, and what is known of it.
        verdicts: method, verdict, why, and how to mend it.
        warnings: in plain words.
        there: whether a check was made; without one the facts are counts alone.
        judges: names of judges whose errors are compared.
        pairs: a judge, and the correlation of its errors with those of each of these.
    """

    facts: Sequence[tuple[str, str]]
    verdicts: Sequence[tuple[str, str, str, str]]
    warnings: Sequence[str]
    there: bool
    judges: Sequence[str] = ()
    pairs: Sequence[tuple[str, Sequence[str]]] = ()


def _alpha(found: Mapping[str, Any]) -> str:
    if found.get("alpha") is None:
        return "none to measure"
    text = f"Krippendorff's alpha {found['alpha']:.3f}"
    if found.get("lower") is not None:
        ends = f"{found['lower']:.3f} to {found['upper']:.3f}"
        text += f" ({percent(found['level'])} interval {ends})"
    return f"{text}; 1: all agree, 0: as if at random"


def _annotators(found: Mapping[str, Any] | None) -> str:
    if not found:
        return "not known"
    names = [str(name) for name in found["annotator"]]
    checked = AnnotatorCheck(**{name: np.array(found[name]) for name in ANNOTATORS})
    texts = [counted(len(names), "annotator")]
    for which, what in (
        (checked.few, "with few labels"),
        (checked.adversarial, "against the others"),
        (checked.constant, "constant"),
    ):
        chosen = [name for name, one in zip(names, which, strict=True) if one]
        if chosen:
            listed = ", ".join(chosen[:NAMED]) + (", …" if len(chosen) > NAMED else "")
            texts.append(f"{len(chosen)} {what} ({listed})")
    return "; ".join(texts)


def _gold(check: Mapping[str, Any]) -> str:
    text = f"{check['gold_positive']:,} positive, {check['gold_negative']:,} negative"
    right = [
        f"{100 * share:.1f} % of the {name}"
        for share, name in zip(check["majority_right"], ("positives", "negatives"), strict=True)
        if share is not None
    ]
    return text + (f"; the majority of votes is right on {' and '.join(right)}" if right else "")


def told_of(found: Mapping[str, Any]) -> str:
    """What gold is to be a sample of, one of `TOLD`, by the check's file."""
    of = str(found.get("of", OF_ITEMS))
    return of if of in TOLD else OF_ITEMS


def _sample(found: Mapping[str, Any]) -> str:
    if found.get("note") or found.get("p") is None:
        return f"no test: {found.get('note') or 'too little is known'}"
    return f"{likeness_in_words(found['p'], told_of(found))} (p = {found['p']:.2g})"


def _facts(check: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    least, middle, most = check["votes_per_item"]
    each = f"{least}" if least == most else f"{least} to {most}, median {middle:g}"
    yield "items", f"{check['items']:,}"
    share = 100 * check["positive_votes"]
    yield "votes", f"{check['votes']:,}; {each} an item; {share:.1f} % positive"
    yield "agreement of votes", _alpha(check["agreement"])
    yield "annotators", _annotators(check["annotators"])
    yield "gold labels", _gold(check)
    if check.get("judges", {}).get("sentences"):
        yield "judges", "; ".join(check["judges"]["sentences"])
    of = told_of(check["gold_sample"])
    yield (
        "gold a random sample?" if of == OF_ITEMS else TOLD[of].question,
        _sample(check["gold_sample"]),
    )
    if check.get("clusters"):
        yield "clusters", f"{check['clusters']['numbers']}; {check['clusters']['sentence']}"
    if check.get("expert_agreement"):
        given = check.get("expert_labels", {}).items()
        experts = ", ".join(f"{name} {labels:,}" for name, labels in given)
        yield "experts", f"{experts}; {_alpha(check['expert_agreement'])}"
    if check.get("expert_errors", {}).get("sentences"):
        yield "experts' errors", "; ".join(check["expert_errors"]["sentences"])
    for name, one in check["scores"].items():
        tied = f"{100 * one['tied']:.2g} % of the pairs of items are tied"
        ends = f"{one['lowest']:.4g} to {one['highest']:.4g}"
        lacking = f"; {one['without']:,} items without" if one.get("without") else ""
        yield f"scores of {name}", f"{ends}, {one['distinct']:,} different; {tied}{lacking}"


def _counts(study: StudyFolder) -> list[tuple[str, str]]:
    """What is known without a check."""
    counts = study.counts
    gold = f"{counts['gold_positive']:,} positive, {counts['gold_negative']:,} negative"
    return [
        ("items", f"{counts['items']:,}"),
        ("votes", f"{counts['votes']:,}"),
        ("gold labels", gold),
        ("models", ", ".join(study.models) or "none"),
    ]


def _pair(value: float | None, lower: float | None, upper: float | None) -> str:
    if value is None:
        return ""
    return f"{value:.2f}" + (f" ({lower:.2f} to {upper:.2f})" if lower is not None else "")


def _pairs(judges: Mapping[str, Any]) -> list[tuple[str, list[str]]]:
    """The correlations of each two judges' errors, below the diagonal; none of fewer than three."""
    names = [str(name) for name in judges.get("judge", ())]
    shared = judges.get("shared", {})
    parts = [shared.get(one, ()) for one in ("pairs", "pairs_lower", "pairs_upper")]
    if len(names) < 3 or any(len(part) != len(names) for part in parts):
        return []
    return [
        (name, [_pair(*(part[row][one] for part in parts)) for one in range(row)])
        for row, name in enumerate(names)
    ][1:]


def write_check(study: StudyFolder) -> Checked:
    """Write the data check of a study; its counts where no check was made."""
    check = study.check
    if check is None:
        return Checked(_counts(study), [], [], False)
    verdicts = [
        (one["method"], one["verdict"], one["why"], one.get("mend", ""))
        for one in check["verdicts"]
    ]
    warnings = [line[:1].upper() + line[1:] + "." for line in map(str, check["warnings"])]
    pairs = _pairs(check.get("judges", {}))
    judges = [str(name) for name in check["judges"]["judge"]] if pairs else []
    return Checked(list(_facts(check)), verdicts, warnings, True, judges[:-1], pairs)
