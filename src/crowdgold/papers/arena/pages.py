"""What the pages on methods show of the cells of the arena, and how far to trust it.

What docs/which-method.md says: the answer, and a table of the methods for what a study has.

What docs/which-method-evidence.md says of each choice: a table for what a study has.

Every cell is made from the cells of the arena, with the numbers that it rests on. A method passes
where its intervals are too short in no setting, and not in all together (`Record.holds`). A choice
is confirmed where those that are made without a setting contain the truth there (`Choice.stands`).
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import binom

from crowdgold.claims.cells import markdown_table
from crowdgold.datasets import DATASETS
from crowdgold.experiment.summaries import coverage_band, gate_sentence, share_error, with_chains
from crowdgold.methods.registry import METHODS, answering, answering_experts
from crowdgold.metrics.binary import LABEL_METRICS
from crowdgold.papers.arena.choice import (
    ERRING,
    FEWEST,
    GOLD,
    HAD,
    TIED,
    TOGETHER,
    Choice,
    LeftOut,
    Record,
    Situation,
    StudyFeatures,
    borrow,
    choose,
    needs_of,
    situations,
)
from crowdgold.papers.arena.table import NONE, SHORT, geometric_mean, reasons_table

__all__ = ["situations"]
"""What the page calls by this module's name and others make."""

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
        cells: of the arena, with the column `verdict` (`papers.arena.table.judged`).
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


NAMED = 3
"""Settings that are named; of more their number is said."""
NARROWER = 3
"""Methods that are named beside a choice, for being narrower and too short."""
HEADER = ["metric", "use", "contain the truth", "width", "the choice, tested", "remarks"]


def _settings(count: int) -> str:
    return f"{count} setting{'' if count == 1 else 's'}"


def _covered_evidence(one: Record) -> str:
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
    return [metric, use, _covered_evidence(best), _width(best), tested, told]


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


def _cell(text: str) -> str:
    """Write a text as a cell of a Markdown table."""
    return text.replace("|", "\\|")


def _list(names: Sequence[str]) -> str:
    names = [f"`{name}`" for name in names]
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _fits(rows: pd.DataFrame) -> pd.Series:
    """Count the fits of cells, and those that failed a gate: a fit has a row for every metric."""
    counts = rows.groupby(["world", "method"])[["replicates", "gate_failures"]].max().sum()
    return counts.astype(int)


def _method_row(method: str, rows: pd.DataFrame, seconds: float) -> list[str]:
    there = rows[rows["intervals"] > 0]
    needs = _cell(", ".join(needs_of(method)))
    if there.empty:
        return [f"`{method}`", needs, "none", *[""] * 6]
    worst = there.iloc[int(there["coverage"].argmin())]
    ratios, fits = there["width_ratio"].dropna(), _fits(there)
    return [
        f"`{method}`",
        needs or "votes",
        f"{int((there['verdict'] != SHORT).sum())} of {len(there)}",
        f"{there['coverage'].mean():.2f}",
        f"{worst['coverage']:.2f} ({worst['metric']}, {worst['world']})",
        f"{there['bias'].abs().mean():.3f}",
        f"{geometric_mean(ratios.to_numpy(dtype=float)):.2f}" if len(ratios) else "",
        f"{fits['gate_failures'] / fits['replicates']:.0%}",
        "" if np.isnan(seconds) else f"{seconds:.2g}",
    ]


def methods_table(cells: pd.DataFrame, baseline: str, times: pd.DataFrame) -> str:
    """The table of every method over all settings and metrics.

    Args:
        cells: of the arena, with the column `verdict` (`table.judged`).
        baseline: the method whose width is 1.
        times: the seconds of every fit.
    """
    seconds = {str(name): own.median() for name, own in times.groupby("method")["seconds"]}
    head = ["method", "needs", "not too short", "coverage", "worst", "bias", f"width / {baseline}",
            "not converged", "seconds"]  # fmt: skip
    return markdown_table(
        head,
        [
            _method_row(name, cells[cells["method"] == name], seconds.get(name, np.nan))
            for name in dict.fromkeys(cells["method"])
        ],
    )


def _where(listed: str, worlds: Collection[str]) -> str:
    """Name the worlds of a reason, by those that are not among them where these are fewer."""
    named = set(listed.split("; "))
    others = [one for one in worlds if one not in named]
    if len(others) >= len(named):
        return listed
    return f"all but {'; '.join(others)}" if others else "all"


def reasons(cells: pd.DataFrame, worlds: Collection[str]) -> str:
    """The table of why methods gave nothing, and where."""
    rows = [
        [
            _list(row["methods"].split(", ")),
            _cell(row["reason"]),
            row["metrics"],
            _where(row["worlds"], worlds),
        ]
        for row in reasons_table(cells[cells["verdict"] == NONE]).to_dict("records")
    ]
    return markdown_table(["methods", "why", "metrics", "settings"], rows)


def worlds_table(worlds: Mapping[str, StudyFeatures]) -> str:
    """The table of what each world looks like."""
    rows = [
        [
            name,
            f"{one.items:,.0f}",
            f"{one.votes_per_item:.1f}",
            f"{one.gold:.0f}",
            *(f"{value:.2f}" if np.isfinite(value) else "" for value in (one.base_rate, one.tpr,
                                                                       one.tnr, one.auc)),
            "known" if one.annotators else "",
            "err" if one.experts else "",
        ]
        for name, one in worlds.items()
    ]  # fmt: skip
    head = ["setting", "items", "votes each", "gold", "base rate", "TPR_H", "TNR_H", "AUC"]
    return markdown_table([*head, "annotators", "experts"], rows)


def real_data(real: pd.DataFrame, cells: pd.DataFrame) -> str:
    """The table of where every dataset's gold is from, and whether it is among the worlds.

    Args:
        real: each `experiment` of a `dataset`; those without cells had no files.
        cells: of the arena.
    """
    asked = dict(zip(real["dataset"], real["experiment"], strict=True))
    drawn = set(cells["experiment"])
    rows = []
    for name, dataset in DATASETS.items():
        if dataset.no_gold:
            found = f"no: {dataset.no_gold}"
        elif name not in asked:
            found = "no"
        elif asked[name] in drawn:
            found = "yes"
        else:
            found = "not on this page: its files were not at hand ([datasets](datasets.md))"
        rows.append([f"`{name}`", dataset.title, dataset.gold, found])
    return markdown_table(["dataset", "what", "gold labels", "a setting"], rows)


def counts(cells: pd.DataFrame) -> dict[str, Any]:
    """How many methods and replicates there are, the level, and the fits that failed, in words."""
    methods = list(dict.fromkeys(cells["method"]))
    there = cells[cells["intervals"] > 0]
    level = float(there["level"].iloc[0])
    fewest, most = int(there["replicates"].min()), int(there["replicates"].max())
    times = f"{most}" if fewest == most else f"{fewest} to {most}"
    silent = [name for name in methods if name not in set(there["method"])]
    without = f" ({_list(silent)} without a result)" if silent else ""
    fits = _fits(with_chains(there))
    return {
        "methods": len(methods),
        "without": without,
        "times": times,
        "level": f"{level:.0%}",
        "gates": gate_sentence(fits["gate_failures"], fits["replicates"]),
    }


FOUND = (0.9, 0.8, 0.7)
"""True coverages whose chance of being found out is said."""


def _least(size: int, low: float) -> int:
    """The fewest of some intervals that are not too few, by a band's lower end."""
    return int(np.ceil(low * size - 1e-9))


def _blamed(size: int, level: float, low: float) -> str:
    """Say how seldom a method whose coverage is the level is blamed."""
    chance = float(binom.cdf(_least(size, low) - 1, size, level))
    return f"once in {1 / chance:,.0f} times" if chance else "never"


def _chances(size: int, low: float) -> str:
    """Say how often true coverages below the level are found, by a band's lower end."""
    least = _least(size, low)
    chances = (100 * float(binom.cdf(least - 1, size, coverage)) for coverage in FOUND)
    pairs = zip(FOUND, chances, strict=True)
    return ", ".join(f"{coverage:.0%} in {chance:.0f} % of cases" for coverage, chance in pairs)


def how_far(cells: pd.DataFrame, worlds: int) -> list[str]:
    """Say how low a coverage must truly be for a method to be found out."""
    there = cells[cells["intervals"] > 0]
    one = there.iloc[int(there["intervals"].argmax())]
    size, level, low = int(one["intervals"]), float(one["level"]), float(one["band_low"])
    together = coverage_band(worlds * size, level, TOGETHER)[0]
    return [
        f"**Each setting.** A method has {size} intervals of a metric there, so that a coverage of "
        f"{level:.0%} has a Monte Carlo error of {100 * share_error(level, size):.0f} points. "
        f"Below {low:.0%} they are called too short. By chance alone that happens "
        f"{_blamed(size, level, low)}. It finds a true coverage of {_chances(size, low)}.",
        f"**All settings together.** Of {worlds} settings, less than {together:.1%} is too short "
        f"({TOGETHER:.0f} standard deviations below the level). On one metric that blames a "
        f"method that is right {_blamed(worlds * size, level, together)}. It finds a true coverage "
        f"of {_chances(worlds * size, together)}.",
        "**A method passes** where it is too short in neither way. The settings that count are "
        "those with gold labels that are as true as yours, or those without gold labels; all, if "
        "it uses none. To pass is no proof: nothing was found against it.",
        "**The choice.** Of those that pass, one with intervals in more settings comes first, then "
        f"the narrowest. Where widths differ by no more than {TIED:.0f} standard errors, the one "
        "that contains the truth more often is chosen.",
        "**The test.** What is chosen for how it did looks better than it is. So each choice is "
        "made once more without a setting and judged in it, for all settings in turn. Settings "
        "that differ in their gold labels alone are left out together. The choice is *confirmed* "
        f"where these intervals, of {FEWEST} settings or more, are not too short together.",
    ]


def what_about(worlds: Mapping[str, StudyFeatures], baseline: str, methods: Collection[str]) -> str:
    """Say what intervals are about, and what that makes of the widths.

    Args:
        methods: of the arena.
    """
    kept = [np.sqrt(1 - one.gold / one.items) for one in worlds.values() if one.gold]
    whole = [
        name for name in methods if (offer := METHODS[name].offer) and offer.population_only
    ]  # fmt: skip
    return (
        "**Population and items.** The truth is that of the items at hand. Some intervals are "
        "about the population that these are drawn from, and so are wider: those that resample "
        f"votes, and those of {_list([baseline, *whole])}. For the items, those of "
        f"`{baseline}` could be {min(kept):.2f} to {max(kept):.2f} times as wide as they are."
    )
