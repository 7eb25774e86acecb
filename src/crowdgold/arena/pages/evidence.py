"""What docs/which-method-evidence.md says of each choice: a table for what a study has.

Every cell is made from the cells of the arena, with the numbers that it rests on. A method passes
where its intervals are too short in no setting, and not in all together (`Record.holds`). A choice
is confirmed where those that are made without a setting contain the truth there (`Choice.stands`).
"""

from collections.abc import Sequence

import numpy as np

from crowdgold.arena.choice import Choice, LeftOut, Record
from crowdgold.arena.pages.advice import Choices, had, percent
from crowdgold.arena.situations import Situation
from crowdgold.documents.markdown import markdown_table

NAMED = 3
"""Settings that are named; of more their number is said."""
NARROWER = 3
"""Methods that are named beside a choice, for being narrower and too short."""
HEADER = ["metric", "use", "contain the truth", "width", "the choice, tested", "remarks"]


def _settings(count: int) -> str:
    return f"{count} setting{'' if count == 1 else 's'}"


def _covered(one: Record) -> str:
    covered = percent(one.coverage, one.coverage_se)
    return f"{covered} of {one.intervals}, {_settings(len(one.worlds))}"


def _width(one: Record) -> str:
    """The width over the baseline's in per cent; the mean error where no width is known."""
    if not np.isfinite(one.width):
        return f"mean error {one.error:.3f}"
    error = f" ± {100 * one.width_se:.0f}" if np.isfinite(one.width_se) else ""
    return f"{100 * one.width:.0f}{error} %"


def _tested(found: LeftOut | None) -> str:
    """How choices do in settings that they were made without."""
    if found is None:
        return "no other setting"
    picks = ", ".join(f"`{name}` {times}" for name, times in found.picks.items())
    named = f" ({picks})" if len(found.picks) > 1 else ""
    covered = percent(found.coverage, found.coverage_se)
    return f"{covered} of {found.intervals}, {_settings(found.worlds)}{named}"


def _short_in(one: Record) -> str:
    if len(one.short) > NAMED:
        return f"in {len(one.short)} of {len(one.worlds)} settings"
    if one.short:
        return f"in {'; '.join(one.short)}"
    return f"in all together, below {percent(one.band_low)}"


def _not_converged(one: Record) -> str:
    return f"{100 * one.gate_failed:.0f} % of its fits had not converged" if one.gate_failed else ""


def _too_short(choice: Choice) -> str:
    """Methods that are narrower than the choice and do not pass, the worst first."""
    others = [one for one in choice.records if not one.holds]
    known = np.isfinite(choice.best.width)
    blamed = [one for one in others if one.width < choice.best.width] if known else others
    shown = sorted(blamed, key=lambda one: one.coverage)[:NARROWER]
    parts = [f"`{one.method}` ({percent(one.coverage)}; {_short_in(one)})" for one in shown]
    lead = "narrower, but too short" if known else "too short"
    return f"{lead}: {', '.join(parts)}" if parts else ""


def _row(metric: str, choice: Choice | None, instead: Choice | None) -> list[str]:
    if choice is None:
        return [metric, "none has intervals", "", "", "", ""]
    best = choice.best
    tested, use = _tested(choice.tested), f"`{best.method}`"
    remarks = [_not_converged(best), _too_short(choice)]
    if not best.holds:
        best = max(choice.records, key=lambda one: one.coverage)
        tested, use = "", f"none passes; the nearest is `{best.method}`"
        remarks = [f"too short {_short_in(best)}", _not_converged(best)]
    elif not choice.stands and instead is not None and instead.less is not None:
        own = f"in these settings alone `{best.method}` passes and is not confirmed ({tested})"
        best, tested, less = instead.best, _tested(instead.tested), had(instead.less)
        use = f"`{best.method}`, as for: {less[0].lower()}{less[1:]}"
        remarks = [own, _not_converged(best)]
    elif not choice.stands:
        use, remarks = f"none is confirmed; `{best.method}` passes", [_not_converged(best)]
    told = "; ".join(filter(None, remarks))
    return [metric, use, _covered(best), _width(best), tested, told]


def evidence_table(situation: Situation, choices: Choices, borrowed: Choices) -> str:
    """What to use for each metric, of those who have what the situation has, and why."""
    rows = [
        _row(metric, choice, borrowed.get((has, metric)))
        for (has, metric), choice in choices.items()
        if has == situation.has
    ]
    return markdown_table(HEADER, rows)


def in_some_worlds(
    situations: Sequence[Situation], choices: Choices, borrowed: Choices, worlds: Sequence[str]
) -> str:
    """How what is advised did in some settings, chosen without each of them, as a table."""
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
    return markdown_table(["you have", "metric", "chosen", "contain the truth", "settings"], rows)
