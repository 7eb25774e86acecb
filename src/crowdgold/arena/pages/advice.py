"""What docs/which-method.md says: the answer, and a table of the methods for what a study has."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
import pandas as pd

from crowdgold.arena.choice import Choice, borrow, choose
from crowdgold.arena.features import StudyFeatures
from crowdgold.arena.situations import ERRING, GOLD, HAD, Situation
from crowdgold.arena.table import SHORT, geometric_mean
from crowdgold.documents.markdown import markdown_table
from crowdgold.methods.registry import answering, answering_experts
from crowdgold.metrics.binary import LABEL_METRICS

ANSWER = answering()
"""What `crowdgold evaluate` answers with where there are gold labels."""
OF_EXPERTS = answering_experts()
"""What it answers with where second opinions tell how often experts err."""

Choices = Mapping[tuple[tuple[str, ...], str], Choice | None]
"""(what a situation has, metric) -> what to use."""


def with_experts(worlds: Mapping[str, StudyFeatures], alone: bool = False) -> list[str]:
    """The worlds whose gold labels are those of experts who err.

    Args:
        alone: only those whose experts err each by themselves.
    """
    return [name for name, one in worlds.items() if one.experts and not (alone and one.together)]


def answer(cells: pd.DataFrame, baseline: str, experts: Collection[str] = ()) -> str:
    """What is said of the answer of `crowdgold evaluate`, over settings whose gold is true.

    Args:
        cells: of the arena, with the column `verdict` (`arena.table.judged`).
        baseline: the method whose width is 1.
        experts: the worlds whose experts err.
    """
    own = cells[~cells["world"].isin(list(experts))]
    width = own[own["method"] == ANSWER]["width_ratio"].dropna().to_numpy(dtype=float)
    if not len(width):
        return f"`{ANSWER}` was not among the methods here."
    return (
        f"{_covered(own, ANSWER)} On average they were {geometric_mean(width):.2f} times as wide "
        f"as those of gold labels alone (`{baseline}`)."
    )


def answer_of_experts(cells: pd.DataFrame, experts: Collection[str]) -> str:
    """What is said of both answers where experts err; empty where there is no such setting."""
    own = cells[cells["world"].isin(list(experts)) & (cells["intervals"] > 0)]
    if not {ANSWER, OF_EXPERTS} <= set(own["method"]):
        return ""
    covered = own[own["method"] == ANSWER]
    share = float((covered["coverage"] * covered["intervals"]).sum() / covered["intervals"].sum())
    return (
        f"{_covered(own, OF_EXPERTS)} Those of `{ANSWER}`, which takes these labels for the truth, "
        f"contained it in {100 * share:.0f} %."
    )


def _covered(cells: pd.DataFrame, method: str) -> str:
    """How often a method's intervals contained the truth, and where they were too short."""
    own = cells[(cells["method"] == method) & (cells["intervals"] > 0)]
    covered = float((own["coverage"] * own["intervals"]).sum() / own["intervals"].sum())
    short = int((own["verdict"] == SHORT).sum())
    return (
        f"Its intervals contained the truth in {100 * covered:.0f} % of cases. In {short} of "
        f"{len(own)} pairs of a setting and a metric were they shorter than chance allows."
    )


def confirmed_without_gold(choices: Choices, borrowed: Choices) -> bool:
    """Whether any choice is confirmed for those who have no gold labels."""
    own = [one for (has, _), one in choices.items() if GOLD not in has]
    lent = [one for (has, _), one in borrowed.items() if GOLD not in has]
    return any(one is not None and one.stands for one in [*own, *lent])


def percent(share: float, error: float = np.nan) -> str:
    """Write a share in per cent, with its standard error where it has one."""
    beside = f" ± {100 * error:.1f}" if np.isfinite(error) else ""
    return f"{100 * share:.1f}{beside} %"


def had(situation: Situation) -> str:
    """Name what a situation has, and what it has not."""
    have = [name for name in HAD if name in situation.has]
    lack = [name for name in HAD if name not in situation.has and name != ERRING]
    parts = ["Votes", *have]
    text = ", ".join(parts[:-1]) + " and " + parts[-1] if len(parts) > 1 else "Votes alone"
    text = text.replace("annotators", "known annotators").replace(ERRING, "second opinions on them")
    return text + (f"; no {' and no '.join(lack)}" if have and lack else "")


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
    """What is confirmed for those who have less, and here too, where nothing else is."""
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


def _glance(situation: Situation, choices: Choices, borrowed: Choices, metric: str) -> str:
    if (situation.has, metric) not in choices:
        return ""
    choice = choices[situation.has, metric]
    if choice is None or not choice.stands:
        instead = borrowed.get((situation.has, metric))
        if instead is None:
            passes = choice is not None and choice.best.holds
            return "none is confirmed" if passes else "none passes"
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
    return markdown_table(["you have", "settings", *metrics], rows)
