"""What docs/which-method.md advises: a table at a glance, and a sentence for each metric.

Every sentence is made from the cells of the arena, with the numbers that it rests on.
"""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from crowdgold.arena.choice import FEWEST, Choice, LeftOut, Record, borrow, choose
from crowdgold.arena.situations import HAD, Situation
from crowdgold.documents.markdown import markdown_table
from crowdgold.metrics.binary import LABEL_METRICS

NAMED = 3
"""Worlds that are named; of more their number is said."""
NARROWER = 3
"""Methods that are named beside the one advised, for being narrower and not holding."""

Choices = Mapping[tuple[tuple[str, ...], str], Choice | None]
"""(what a situation has, metric) -> what to use."""


def percent(share: float, error: float = np.nan) -> str:
    """Write a share in per cent, with its standard error where it has one."""
    beside = f" ± {100 * error:.1f}" if np.isfinite(error) else ""
    return f"{100 * share:.1f}{beside} %"


def had(situation: Situation) -> str:
    """Name what a situation has, and what it has not."""
    have = [name for name in HAD if name in situation.has]
    lack = [name for name in HAD if name not in situation.has]
    parts = ["Votes", *have]
    text = ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else "Votes alone"
    text = text.replace("annotators", "known annotators")
    return text + (f"; no {' and no '.join(lack)}" if have and lack else "")


def _worlds(count: int) -> str:
    return f"{count} world{'' if count == 1 else 's'}"


def _evidence(one: Record, baseline: str) -> str:
    """Write what a method does on a metric, as a part of a sentence."""
    said = (
        f"{percent(one.coverage, one.coverage_se)} of {one.intervals} intervals hold the truth, "
        f"in {_worlds(len(one.worlds))}"
    )
    if one.gate_failed:
        said += f" ({100 * one.gate_failed:.0f} % of the fits failed a gate)"
    if np.isfinite(one.width):
        error = f" ± {100 * one.width_se:.0f}" if np.isfinite(one.width_se) else ""
        return f"{said}; here they are {100 * one.width:.0f}{error} % as wide as `{baseline}`'s"
    return f"{said}; mean error here {one.error:.3f}"


def _short_in(one: Record) -> str:
    if len(one.short) > NAMED:
        return f"too short in {len(one.short)} of {len(one.worlds)} worlds"
    if one.short:
        return f"too short in {'; '.join(one.short)}"
    return f"too short in all together, below {percent(one.band_low)}"


def _tested(found: LeftOut | None) -> str:
    """Write how choices do in worlds that they were made without."""
    if found is None:
        return "there is no other world to test the choice in"
    picks = ", ".join(f"`{name}` {times}" for name, times in found.picks.items())
    named = f" ({picks})" if len(found.picks) > 1 else ""
    return (
        f"chosen without a world and judged in it, for {_worlds(found.worlds)} in turn{named}, "
        f"{percent(found.coverage, found.coverage_se)} of {found.intervals} hold it"
    )


def _fails(choice: Choice, baseline: str) -> str:
    """Write why nothing is advised of the candidates of a situation."""
    best = choice.best
    if not best.holds:
        nearest = max(choice.records, key=lambda one: one.coverage)
        return (
            f"no method holds. The nearest is `{nearest.method}`: "
            f"{_evidence(nearest, baseline)}; it is {_short_in(nearest)}."
        )
    tested = choice.tested
    few = tested is None or tested.worlds < FEWEST
    why = (
        f"{FEWEST} worlds to test it in are the fewest" if few
        else "what is chosen in this way does not stand the test"
    )  # fmt: skip
    return (
        f"none can be advised. `{best.method}` holds ({_evidence(best, baseline)}), but {why}: "
        f"{_tested(tested)}."
    )


def advice(choice: Choice | None, baseline: str, instead: Choice | None = None) -> str:
    """Write which method to use in a situation, for a metric.

    Args:
        choice: of `arena_choice.choose`.
        baseline: the method whose width is 1.
        instead: what stands in a situation that has less (`arena_choice.borrow`).
    """
    if choice is None:
        return "no method here has intervals."
    if not choice.stands:
        said = _fails(choice, baseline)
        if instead is None or instead.less is None:
            return said
        named = had(instead.less)
        return (
            f"`{instead.best.method}`, as for those who have less ({named[0].lower()}{named[1:]}): "
            f"{_evidence(instead.best, baseline)}; {_tested(instead.tested)}. Chosen in the "
            f"worlds here, {said}"
        )
    best = choice.best
    said = f"`{best.method}`: {_evidence(best, baseline)}; {_tested(choice.tested)}."
    others = [one for one in choice.records if not one.holds]
    known = np.isfinite(best.width)
    if blamed := [one for one in others if one.width < best.width] if known else others:
        shown = sorted(blamed, key=lambda one: one.coverage)[:NARROWER]
        parts = [f"`{one.method}` ({percent(one.coverage)}; {_short_in(one)})" for one in shown]
        lead = "Narrower, and not to be believed" if known else "Not to be relied on"
        said += f" {lead}: {'; '.join(parts)}."
    return said


def metrics_of(situation: Situation, cells: pd.DataFrame) -> list[str]:
    """The metrics that a situation can ask for: of scores only where it has scores."""
    found = dict.fromkeys(cells["metric"])
    return [one for one in found if one in LABEL_METRICS or "scores" in situation.has]


def all_choices(situations: Sequence[Situation], cells: pd.DataFrame) -> Choices:
    """Choose for every situation and each metric that it can ask for."""
    return {
        (one.has, metric): choose(cells, one, metric)
        for one in situations
        for metric in metrics_of(one, cells)
    }


def borrowed_choices(
    situations: Sequence[Situation], cells: pd.DataFrame, choices: Choices
) -> dict[tuple[tuple[str, ...], str], Choice]:
    """What stands for those who have less, and here too, where nothing else stands."""
    found: dict[tuple[tuple[str, ...], str], Choice] = {}
    by_has = {one.has: one for one in situations}
    for (has, metric), choice in choices.items():
        if choice is not None and choice.stands:
            continue
        for less in situations:
            other = choices.get((less.has, metric))
            fewer = set(less.has) < set(has) and less.evidence == by_has[has].evidence
            if not fewer or other is None or not other.stands:
                continue
            here = borrow(cells, by_has[has], less, other)
            if here is not None and here.stands:
                found[has, metric] = here
                break
    return found


def situation_lines(
    situation: Situation, choices: Choices, borrowed: Choices, baseline: str
) -> list[str]:
    """What to use for each metric, of those who have what the situation has."""
    return [
        f"**{metric}**: {advice(choice, baseline, borrowed.get((has, metric)))}"
        for (has, metric), choice in choices.items()
        if has == situation.has
    ]


def _glance(situation: Situation, choices: Choices, borrowed: Choices, metric: str) -> str:
    if (situation.has, metric) not in choices:
        return ""
    choice = choices[situation.has, metric]
    if choice is None or not choice.stands:
        instead = borrowed.get((situation.has, metric))
        if instead is None:
            return "none stands" if choice is not None and choice.best.holds else "none holds"
        choice = instead
    assert choice.tested is not None
    width = f", {100 * choice.best.width:.0f}" if np.isfinite(choice.best.width) else ""
    return f"`{choice.best.method}` ({100 * choice.tested.coverage:.0f}{width})"


def at_a_glance(situations: Sequence[Situation], choices: Choices, borrowed: Choices) -> str:
    """Make the table of what to use: a row for what a study has, a column a metric."""
    metrics = list(dict.fromkeys(metric for _, metric in choices))
    rows = [
        [
            had(one),
            str(len(one.worlds)),
            *(_glance(one, choices, borrowed, metric) for metric in metrics),
        ]
        for one in situations
    ]
    return markdown_table(["you have", "worlds", *metrics], rows)


def in_some_worlds(
    situations: Sequence[Situation], choices: Choices, borrowed: Choices, worlds: Sequence[str]
) -> str:
    """Make the table of how what is advised did in some worlds, chosen without each of them."""
    rows = []
    for (has, metric), choice in choices.items():
        used = choice if choice is not None and choice.stands else borrowed.get((has, metric))
        found = used.tested.only(worlds) if used is not None and used.tested is not None else None
        if found is not None:
            situation = next(one for one in situations if one.has == has)
            picks = ", ".join(f"`{name}`" for name in found.picks)
            rows.append(
                [had(situation), metric, picks, f"{found.covered} of {found.intervals}",
                 "; ".join(found.judged)]
            )  # fmt: skip
    return markdown_table(["you have", "metric", "chosen", "hold the truth", "worlds"], rows)
