"""What a check of a study found, in words: at most 80 columns wide."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from crowdgold.checking.agreement import Agreement
from crowdgold.checking.gold_sample import OF_CLUSTERS, OF_ITEMS, likeness_in_words
from crowdgold.checking.next_labels import sample_command
from crowdgold.checking.without_gold import allowed_in_short
from crowdgold.methods.needs import FEW_LABELS, NOT_USABLE, USABLE, VERDICTS, WEAK
from crowdgold.methods.registry import METHODS
from crowdgold.types.columns import counted, list_names
from crowdgold.types.display import WIDTH, first_lines
from crowdgold.types.notes import FIRST_GOLD, Note, with_codes

if TYPE_CHECKING:
    from crowdgold.checking.study import DataCheck

MOST_LINES = 25  # on a screen
NAMED = 5  # models, or annotators, that are named
NAME_WIDTH = 14  # of methods, before their verdict
ALL = "lines: --verbose"  # how to see what is left out
SUPPORT = "answer", "model", "how sure", "no answer", "other methods", "to do"  # never left out


def _wrapped(head: str, texts: Sequence[str], indent: int = 14) -> list[str]:
    """The lines of a head with texts beside it; each text begins a line."""
    lines, start, after = list[str](), head.ljust(indent), " " * indent
    for text in texts:
        lines += textwrap.wrap(text, WIDTH, initial_indent=start, subsequent_indent=after)
        start = after
    return lines


def _lines(by_head: Mapping[str, list[str]]) -> list[str]:
    return [line for head, texts in by_head.items() for line in _wrapped(head, texts)]


def _alpha(found: Agreement, what: str, short: bool = False) -> str:
    if not found.items:
        return f"none to measure: no item has two {what}"
    if not np.isfinite(found.alpha):
        return f"none to measure: all {what} are the same"
    text = f"Krippendorff's alpha {found.alpha:.3f}"
    if np.isfinite(found.lower) and not short:
        text += f", {100 * found.level:g} % interval {found.lower:.3f} to {found.upper:.3f}"
    of = "" if short else f"{found.items:,} items with two or more; "
    return f"{text} ({of}1: all agree, 0: as if at random)"


def _gold(check: "DataCheck", majority: bool = True) -> Iterator[str]:
    number = check.gold_positive + check.gold_negative
    if not number:
        yield "none"
        return
    yield (
        f"{counted(number, 'item')} ({100 * number / check.items:.3g} %): "
        f"{check.gold_positive:,} positive, "
        f"{check.gold_negative:,} negative"
    )
    named = zip(check.majority_right, ("positives", "negatives"), strict=True)
    right = [f"{100 * share:.1f} % of the {name}" for share, name in named if np.isfinite(share)]
    if right and majority:
        yield f"the majority of the votes is right on {' and '.join(right)} (ties count half)"
    sample, within = check.gold_sample, check.gold_within_strata
    likely = f"{likeness_in_words(sample.p, sample.of)} (p = {sample.p:.2g})"
    yield f"{sample.wording.question} {f'no test: {sample.note}' if sample.note else likely}"
    if within is not None and not within.note:
        asked = f"within strata: {within.wording.question}"
        if within.of in (OF_ITEMS, OF_CLUSTERS):
            asked = "a random sample within strata?"
        yield f"{asked} {likeness_in_words(within.p, within.of)} (p = {within.p:.2g})"


VOTES = "votes", "agreement", "annotators"


def about(check: "DataCheck") -> dict[str, list[str]]:
    """What the check found, texts by their head."""
    least, middle, most = check.votes_per_item
    each = f"{least} an item" if least == most else f"{least} to {most} an item, median {middle:g}"
    annotators, known = "not known", check.annotators
    if known is not None:
        fewest, median, highest = np.quantile(known.labels, [0, 0.5, 1])
        odd = (
            (known.few, f"with fewer than {FEW_LABELS}"),
            (known.adversarial, "against the others"),
            (known.constant, "always of one label"),
        )
        told = [f"{int(which.sum())} {what}" for which, what in odd if which.any()]
        annotators = (
            f"{len(known.labels):,}, with {fewest:,.0f} to {highest:,.0f} labels (median "
            f"{median:,.0f}){'; ' * bool(told)}{', '.join(told)}"
        )
    of_votes = ["none"] * 3
    if check.votes:
        counts = f"{check.votes:,}, {each}; {100 * check.positive_votes:.1f} % positive"
        of_votes = [counts, _alpha(check.agreement, "votes"), annotators]
    found = {
        "items": [f"{check.items:,}"],
        **{head: [one] for head, one in zip(VOTES, of_votes, strict=True)},
        "gold": list(_gold(check)),
        "judges": [*check.judges.sentences, *check.judges.each_two],
    }
    experts = list(check.expert_errors.sentences)
    if check.expert_agreement is not None:
        given = ", ".join(f"{name} {labels:,}" for name, labels in check.expert_labels.items())
        experts += [given, _alpha(check.expert_agreement, "expert labels")]
    if experts:
        found["experts"] = experts
    found["scores"] = [
        f"{name}: {one.lowest:.4g} to {one.highest:.4g}, {one.distinct:,} different, "
        f"{100 * one.tied:.2g} % of the pairs tied"
        + f"; {counted(one.without, 'item')} without"
        * bool(one.without)
        for name, one in check.scores.items()
    ] or ["none"]
    if check.clusters is not None:
        numbers = f"{check.clusters.numbers}; {check.clusters.with_gold:,} have gold labels"
        found["clusters"] = [numbers, check.clusters.sentence]
    if check.strata:
        found["strata"] = [
            f"{name}: {len(sizes):,}, with {min(sizes.values()):,} to {max(sizes.values()):,} items"
            if len(sizes) > NOTES
            else f"{name}: "
            + ", ".join(f"{one or '(none)'} {size:,}" for one, size in sizes.items())
            for name, sizes in check.strata.items()
        ]
    return found


NOTES = 8  # on how files were read, at once: each can say that data were left out


def _shortened(texts: Sequence[str], shown: int = 1) -> list[str]:
    """The first texts, and how many more there are where these are several."""
    left = len(texts) - shown
    return [*texts[:shown], f"{left:,} more: --verbose"] if left > 1 else list(texts)


def _about_in_short(check: "DataCheck") -> dict[str, list[str]]:
    """What the data are, in a line each; judges and scores where there are few."""
    whole = about(check)
    found = {head: texts[:1] for head, texts in whole.items() if head not in ("judges", "scores")}
    found["gold"] = list(_gold(check, majority=False))
    if check.votes:
        found["agreement"] = [_alpha(check.agreement, "votes", short=True)]
    found["judges"] = whole["judges"][:1]
    found["scores"] = [list_names(check.scores, NAMED) or "none"]
    found |= {head: whole[head] for head in ("clusters", "strata") if head in whole}
    if "experts" in whole:
        found["experts"] = _shortened(whole["experts"])
    return {head: texts for head, texts in found.items() if texts}


def _sure(half: float, per_cent: bool) -> str:
    return f"{100 * half:.2g} points" if per_cent else f"{half:.2g}"


def _support(check: "DataCheck", most: int | None = NAMED) -> dict[str, list[str]]:
    """The answer, how sure it is (`most` numbers, or all), what else can be had, and what to do."""
    usable, weak, none = (
        [one for one in check.verdicts if one.verdict == verdict] for verdict in VERDICTS
    )
    found: dict[str, list[str]] = {}
    by_name = {one.method: one for one in check.verdicts}
    number, foretold, first = check.gold_positive + check.gold_negative, check.foretold, list[str]()
    if check.judges.ranges is not None:
        found["answer"] = [f"ranges that votes allow: {allowed_in_short(check.judges.ranges)}"]
    if foretold is not None:
        first = [*foretold.methods[:1], *filter(None, [foretold.model])]
        if foretold.methods:
            offer, doubted = METHODS[first[0]].offer, by_name[first[0]]
            use = offer.good_for(check.votes) if offer else ""
            care = f"; with care: {doubted.why}" if doubted.verdict == WEAK else ""
            alone = f"; {foretold.alone} of {len(foretold.sure)} numbers from gold labels alone"
            found["answer"] = [f"{first[0]}: {use}{alone * bool(foretold.alone)}{care}"]
        elif foretold.ranges and not found:
            found["answer"] = ["ranges that votes allow: gold labels are too few for an answer"]
        if foretold.model:
            why = by_name[foretold.model].why
            found["model"] = [f"{foretold.model}, which nothing checks: {why}"]
        if sure := [f"{what} {_sure(*how)}" for what, how in foretold.sure.items()]:
            found["how sure"] = [f"up or down: {list_names(sure, most or len(sure))}"]
        lacks = [f"{list_names(names, NAMED)}: {why}" for why, names in foretold.unanswered.items()]
        found["no answer"] = lacks if most is None else _shortened(lacks)
    counts = (usable, USABLE), (weak, f"{WEAK} (use with care)"), (none, NOT_USABLE)
    left = [(sum(one.method not in first for one in some), what) for some, what in counts]
    found["other methods"] = [", ".join(f"{others} {what}" for others, what in left if others)]
    if number and check.gold_sample.chosen:
        found["to do"] = check.gold_sample.to_do
    elif not number and not usable:
        found["to do"] = [FIRST_GOLD]
    elif foretold is not None and foretold.methods and by_name[first[0]].mend:
        found["to do"] = [by_name[first[0]].mend]
    return {head: texts for head, texts in found.items() if texts}


def in_short(check: "DataCheck") -> dict[str, list[str]]:
    """What the data are and what they support, as the command says it."""
    return {**_about_in_short(check), **_support(check)}


def _has_numbers(check: "DataCheck") -> bool:
    """Whether `crowdgold evaluate` gives an answer, a range, or a model's number."""
    foretold = check.foretold
    known = foretold is None or foretold.methods or foretold.model or foretold.ranges
    return check.supported and bool(known)


def as_json(check: "DataCheck") -> dict[str, Any]:
    """A check as check.json has it: its values, and `about` that says them in words."""
    return {
        **vars(check), "verdicts": [one.as_json() for one in check.verdicts],
        **with_codes("warnings", check.warnings), "about": about(check),
    }  # fmt: skip


def describe(
    check: "DataCheck", notes: Sequence[Note] = (), files: str = "FILES", error: str = ""
) -> str:
    """What was found for a reader, on one screen; notes are of how the study was read.

    `files` are the words of a command line that read it so, and `error` those that say how often
    experts err.
    """
    follow = [f"crowdgold evaluate {files}{error} --out mine gives the numbers"] * _has_numbers(
        check
    )
    more = check.next_labels
    if not more.no_plan:
        follow.append(
            f"crowdgold plan --more --pilot {files} says what width more gold labels give"
        )
    elif not more.no_batch:
        follow.append(f"{sample_command(more.left, files)} says which items an expert should label")
    follow.append("the same with --verbose names every method, and says why")
    support = _lines({**_support(check), "next": follow})
    room, facts = MOST_LINES - 1 - len(support), _lines(_about_in_short(check))
    # As many notes as leave room for all that was counted.
    read = [one.text for one in notes]
    shown = [[*_lines({"read": _shortened(read, n)}), *facts] for n in range(NOTES, 0, -1)]
    data = next((lines for lines in shown if len(lines) <= room), shown[-1])
    return "\n".join([first_lines(data, room, ALL, NAME_WIDTH), *support])


def describe_all(check: "DataCheck", notes: Sequence[Note] = ()) -> str:
    """The same with everything that was counted, and the reasons of each verdict, usable first."""
    read = [one.text for one in notes]
    lines = [*_lines({"read": read, **about(check), **_support(check, None)}), ""]
    alike: dict[tuple[int, str, str], list[str]] = {}
    for one in check.verdicts:
        key = (VERDICTS.index(one.verdict), one.why, one.mend)
        alike.setdefault(key, []).append(one.method)
    for (verdict, why, mend), methods in sorted(alike.items(), key=lambda one: one[0][0]):
        texts = [why, *([f"-> {mend}"] if mend else [])]
        named = list_names(methods)
        if len(named) >= NAME_WIDTH:
            lines.append(named)
            named = ""
        lines += _wrapped(f"{named:<{NAME_WIDTH}}{VERDICTS[verdict]}", texts, 26)
    return "\n".join(lines)
