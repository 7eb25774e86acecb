"""Which method to use: for what a study has, the narrowest of those whose intervals hold.

Widths are compared in the worlds of a situation (`arena_situations`). Whether a method holds is
judged in all worlds in which it has intervals, with gold or without as the study is, and with gold
that is as true (in all of these, where it uses none): what fails where annotators are not known is
not made better by a study that knows them. It holds on a metric where its intervals are too short
in no world, beyond the binomial band of that world's replicates, and not in all worlds together,
beyond `TOGETHER` deviations: to be advised takes more than not to be blamed.

Of those that hold, what has intervals in more of the situation's worlds comes first. Of these the
one that is narrowest over the worlds that they share is chosen; where others are not wider by more
than `TIED` standard errors of the difference, the one that covers most often.

What is chosen for how it did looks better than it is. So each choice is also made without a world
and those of its kind, and judged in that world. A choice stands where these intervals, of `FEWEST`
worlds at least, are not too short together. Where none stands, what stands for a study that has
less is judged in the worlds of the one that has more, and will do if it stands there.

What a study looks like from outside: what anyone can count.

These are items, votes on each, gold labels, how often votes are right, how well scores separate,
whether annotators are known.

What a study may have, the worlds of the arena that speak to it, and the methods it can use.

A situation is what a study has: gold labels, scores of a model, known annotators. Its worlds have
at least that; where it has no gold the worlds have none either, since methods use what gold there
is. Where gold labels are those of experts who err, with second opinions, the situation is another
one, and says nothing of gold that is true. Worlds whose experts err together are evidence for
nothing: no opinion shows it, and no method can be right. Methods that need more are no candidates.

Worlds of one kind come from the same generator with the same parameters, or the same dataset, and
differ in their gold labels alone: what was chosen with one of them was not chosen without another.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from itertools import combinations
from types import MappingProxyType

import numpy as np
import pandas as pd

from crowdgold.experiment.summaries import coverage_band, share_error
from crowdgold.methods import needs
from crowdgold.methods.registry import METHODS
from crowdgold.metrics.binary import parse_metric
from crowdgold.metrics.ranked import LabelMass, RankedItems
from crowdgold.papers.arena.table import NARROWEST, SHORT, geometric_mean
from crowdgold.types.items import NO_GOLD, Items

COUNTS = ("items", "votes_per_item", "gold")
RATES = ("base_rate", "tpr", "tnr", "auc")
FEWEST_FEATURES = 5
"""Labelled items of a class from which on its rate is a feature."""


@dataclass(frozen=True)
class StudyFeatures:
    """What a study looks like.

    Attributes:
        items: their number.
        votes_per_item: mean.
        gold: gold labels.
        scores: whether there are scores of a model.
        annotators: whether it is known who gave each vote.
        base_rate: share of positives among the labelled items; NaN where too few are labelled.
        tpr, tnr: share of right votes on labelled positives and negatives; NaN likewise.
        auc: of the first model on the labelled items; NaN likewise, and without scores.
        experts: whether gold labels are those of experts who err, with second opinions.
        together: whether these err together, so that their opinions cannot tell how often.
    """

    items: float
    votes_per_item: float
    gold: float
    scores: bool
    annotators: bool
    base_rate: float = float("nan")
    tpr: float = float("nan")
    tnr: float = float("nan")
    auc: float = float("nan")
    experts: bool = False
    together: bool = False


def _rates(items: Items, labels: np.ndarray) -> dict[str, float]:
    """Measure rates on the items that are labelled."""
    known = np.flatnonzero(labels != NO_GOLD)
    positives = int((labels[known] == 1).sum())
    if min(positives, len(known) - positives) < FEWEST_FEATURES:
        return {}
    found = {
        name: _value(metric, replace(items.take(known), scores={}), labels[known])
        for name, metric in (("base_rate", "prevalence"), ("tpr", "TPR_H"), ("tnr", "TNR_H"))
    }
    if items.predictors:
        scored = known[np.isfinite(items.scores[items.predictors[0]][known])]
        if len(np.unique(labels[scored])) == 2:
            found["auc"] = _value("AUC", items.take(scored), labels[scored])
    return found


def _value(metric: str, items: Items, labels: np.ndarray) -> float:
    """The value of a metric of items whose labels are known."""
    parsed = parse_metric(metric)
    ranked = RankedItems.of(items, parsed.predictors(items)[0])
    return parsed.value([LabelMass.of_labels(labels)], [ranked])


def features_of(items: Items) -> StudyFeatures:
    """What a study looks like; its rates are those of the true labels, where they are known.

    Args:
        items: votes, gold labels and scores.
    """
    labels = items.gold if items.truth is None else items.truth
    return StudyFeatures(
        items=len(items),
        votes_per_item=float(items.votes_total.mean()),
        gold=int((items.gold != NO_GOLD).sum()),
        scores=bool(items.predictors),
        annotators=items.labels is not None,
        experts=items.opinions is not None,
        together=False,
        **_rates(items, np.asarray(labels)),
    )


def mean_features(of_replicates: list[StudyFeatures]) -> StudyFeatures:
    """Average the features of the replicates of a world."""
    values = [asdict(one) for one in of_replicates]
    means = {name: float(np.mean([one[name] for one in values])) for name in (*COUNTS, *RATES)}
    first = of_replicates[0]
    return StudyFeatures(
        **means,
        scores=first.scores,
        annotators=first.annotators,
        experts=first.experts,
        together=first.together,
    )


GOLD, ERRING, SCORES, ANNOTATORS = HAD = (
    needs.GOLD.name, needs.EXPERTS_ERRORS.name, needs.SCORES.name, needs.ANNOTATORS.name,
)  # fmt: skip
"""What a situation may have; the second where second opinions tell how often experts err."""
OF_GOLD = frozenset({GOLD, ERRING})
"""What a situation has in common with all of its evidence."""
EACH_ITS_OWN: Mapping[str, str] = MappingProxyType({})


@dataclass(frozen=True)
class Situation:
    """What a study has, and the worlds that speak to it.

    Attributes:
        has: some of `HAD`.
        worlds: names of those that have at least that.
        evidence: names of all with gold labels that are as true as the study's, or of all without.
        others: names of the rest.
        kinds: world -> its kind; one that is not there is a kind of its own.
    """

    has: tuple[str, ...]
    worlds: tuple[str, ...]
    evidence: tuple[str, ...]
    others: tuple[str, ...] = ()
    kinds: Mapping[str, str] = field(default_factory=dict)

    def _kind(self, world: str) -> str:
        return self.kinds.get(world, world)

    def without(self, world: str) -> "Situation":
        """The same situation as if there were no world of that kind."""
        worlds, evidence, others = (
            tuple(name for name in names if self._kind(name) != self._kind(world))
            for names in (self.worlds, self.evidence, self.others)
        )
        return replace(self, worlds=worlds, evidence=evidence, others=others)

    def only(self, worlds: Collection[str]) -> "Situation":
        """The same situation as if there were no other worlds than these, evidence or not."""
        kept = tuple(name for name in self.worlds if name in worlds)
        return replace(self, worlds=kept, evidence=kept, others=())

    def evidence_of(self, method: str) -> tuple[str, ...]:
        """The worlds that tell how a method does in this situation."""
        known = METHODS.get(method)
        return self.evidence if known is None or known.uses_gold else self.evidence + self.others


def _features(world: StudyFeatures) -> set[str]:
    held = (world.gold > 0, world.experts, world.scores, world.annotators)
    return {name for name, there in zip(HAD, held, strict=True) if there}


def situations(
    worlds: Mapping[str, StudyFeatures], kinds: Mapping[str, str] = EACH_ITS_OWN
) -> list[Situation]:
    """What studies may have, the most first, where some world speaks to it; without gold last.

    Args:
        worlds: name -> what it looks like.
        kinds: name -> kind.
    """
    found = []
    looks = {name: _features(world) for name, world in worlds.items() if not world.together}
    for size in range(len(HAD), -1, -1):
        for has in combinations(HAD, size):
            alike = {
                name: held for name, held in looks.items() if held & OF_GOLD == set(has) & OF_GOLD
            }
            own = tuple(name for name, held in alike.items() if set(has) <= held)
            if own:
                others = tuple(name for name in worlds if name not in alike)
                found.append(Situation(has, own, tuple(alike), others, kinds))
    return sorted(found, key=lambda one: (GOLD not in one.has, ERRING in one.has))


def needs_of(method: str) -> tuple[str, ...]:
    """What a method needs of a table of items, as it declares."""
    known = METHODS[method].needs if method in METHODS else ()
    return tuple(one.name for one in known if one.of_items)


def candidates(has: Sequence[str], methods: Sequence[str]) -> list[str]:
    """The methods that need no more than a study has, and nothing that none has."""
    enough = {*has, needs.SEVERAL.name}
    return [name for name in methods if name in METHODS and set(needs_of(name)) <= enough]


TOGETHER = 2.0
"""Deviations below the level at which the intervals of all worlds together are too short."""
TIED = 2.0
"""Standard errors of the difference of two widths up to which neither is narrower."""
FEWEST = 3
"""Worlds in which a choice is to be judged that was made without them."""

Ratios = Mapping[str, tuple[float, float]]
"""World -> width over the baseline's there, and its standard error."""


@dataclass(frozen=True)
class Record:
    """What a method does on a metric.

    Attributes:
        method, metric: names.
        worlds: the evidence, those in which it has intervals.
        inside: how many of the situation's worlds it has intervals in.
        intervals: in all of the evidence.
        coverage, coverage_se: of all these intervals, with its Monte Carlo error.
        band_low: the lower end of the binomial band of all these intervals.
        short: worlds in which it covers less often than the band of that world allows.
        ratios: the situation's worlds that have a width over the baseline's.
        error: mean over the situation's worlds of the mean absolute error.
        gate_failed: share of the fits of the evidence that failed a gate of diagnostics.
    """

    method: str
    metric: str
    worlds: tuple[str, ...]
    inside: int
    intervals: int
    coverage: float
    coverage_se: float
    band_low: float
    short: tuple[str, ...]
    ratios: Ratios
    error: float
    gate_failed: float

    @property
    def holds(self) -> bool:
        """Say whether its intervals are too short nowhere, and not in all worlds together."""
        return not self.short and self.coverage >= self.band_low

    @property
    def width(self) -> float:
        """The geometric mean of the width over the baseline's; NaN where none is known."""
        return mean_ratio(list(self.ratios.values()))[0]

    @property
    def width_se(self) -> float:
        """The standard error of `width`."""
        return mean_ratio(list(self.ratios.values()))[1]


def mean_ratio(ratios: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The geometric mean of ratios of widths, and its standard error from theirs."""
    if not ratios:
        return float("nan"), float("nan")
    values, errors = np.array(ratios, dtype=float).T
    values = np.maximum(values, NARROWEST)
    mean = geometric_mean(values)
    return mean, mean * float(np.sqrt(((errors / values) ** 2).sum())) / len(values)


def record(cells: pd.DataFrame, method: str, metric: str, situation: Situation) -> Record | None:
    """Put together what a method does on a metric; None without an interval in the situation.

    Args:
        cells: of the arena, with the column `verdict` (`papers.arena.table.judged`).
        method, metric: names.
        situation: the worlds that count.
    """
    there = cells[(cells["method"] == method) & (cells["metric"] == metric)]
    there = there[there["world"].isin(situation.evidence_of(method)) & (there["intervals"] > 0)]
    own = there[there["world"].isin(situation.worlds)]
    if own.empty:
        return None
    intervals = int(there["intervals"].sum())
    coverage = float((there["coverage"] * there["intervals"]).sum()) / intervals
    known = own.dropna(subset=["width_ratio"])
    return Record(
        method,
        metric,
        tuple(there["world"]),
        len(own),
        intervals,
        coverage,
        share_error(coverage, intervals),
        coverage_band(intervals, float(own["level"].iloc[0]), TOGETHER)[0],
        tuple(there.loc[there["verdict"] == SHORT, "world"]),
        {
            str(world): (float(ratio), float(error))
            for world, ratio, error in zip(
                known["world"], known["width_ratio"], known["width_ratio_se"], strict=True
            )
        },
        float(own["error"].mean()),
        float(there["gate_failures"].sum() / there["replicates"].sum()),
    )


def _narrowest(records: Sequence[Record]) -> Record:
    """The narrowest over the worlds that all have in common; of ties what covers most often.

    Where they share no baseline to be narrower than, the smallest error counts.
    """
    shared = set.intersection(*(set(one.ratios) for one in records))
    if not shared:
        return min(records, key=lambda one: one.error)
    widths = [mean_ratio([one.ratios[world] for world in sorted(shared)]) for one in records]
    least, error = min(widths)
    tied = [
        one
        for one, (width, own) in zip(records, widths, strict=True)
        if width - least <= TIED * float(np.hypot(error, own))
    ]
    return max(tied, key=lambda one: (one.coverage, -one.width))


def rank(records: Sequence[Record]) -> list[Record]:
    """Sort the records of a situation and a metric: the choice, what holds, in most worlds, the
    narrowest.
    """

    def place(one: Record) -> tuple[bool, int, float, float]:
        width = one.width if np.isfinite(one.width) else np.inf
        return not one.holds, -one.inside, width, one.error

    ordered = sorted(records, key=place)
    if not ordered or not ordered[0].holds:
        return ordered
    first = [one for one in ordered if one.holds and one.inside == ordered[0].inside]
    best = _narrowest(first)
    return [best, *(one for one in ordered if one is not best)]


def records_of(cells: pd.DataFrame, situation: Situation, metric: str) -> list[Record]:
    """The records of all candidates of a situation on a metric, ranked."""
    methods = candidates(situation.has, list(dict.fromkeys(cells["method"])))
    found = (record(cells, method, metric, situation) for method in methods)
    return rank([one for one in found if one is not None])


@dataclass(frozen=True)
class LeftOut:
    """How choices did in the worlds that they were made without.

    Attributes:
        judged: world -> what the choice made without it did there.
        level: of the intervals.
    """

    judged: Mapping[str, Record]
    level: float

    @property
    def worlds(self) -> int:
        """How many worlds a choice was judged in."""
        return len(self.judged)

    @property
    def picks(self) -> dict[str, int]:
        """The methods that were chosen, each with how often, the most frequent first."""
        methods = [one.method for one in self.judged.values()]
        return dict(sorted(((one, methods.count(one)) for one in dict.fromkeys(methods)),
                           key=lambda pair: -pair[1]))  # fmt: skip

    @property
    def intervals(self) -> int:
        """The number of intervals in all these worlds."""
        return sum(one.intervals for one in self.judged.values())

    @property
    def covered(self) -> int:
        """How many of them hold the truth."""
        return round(sum(one.coverage * one.intervals for one in self.judged.values()))

    @property
    def coverage(self) -> float:
        """The share of them that hold the truth."""
        return self.covered / self.intervals

    @property
    def coverage_se(self) -> float:
        """Its Monte Carlo error."""
        return share_error(self.coverage, self.intervals)

    @property
    def holds(self) -> bool:
        """Say whether they are of enough worlds, and not too short together."""
        low = coverage_band(self.intervals, self.level, TOGETHER)[0]
        return self.worlds >= FEWEST and self.coverage >= low

    def only(self, worlds: Sequence[str]) -> "LeftOut | None":
        """The same of some worlds alone; None where none of them was judged."""
        kept = {name: one for name, one in self.judged.items() if name in worlds}
        return LeftOut(kept, self.level) if kept else None


@dataclass(frozen=True)
class Choice:
    """What to use in a situation, for a metric.

    Attributes:
        records: of all candidates, ranked; the first is the choice.
        tested: how such choices did in worlds that they were made without; None where there was
            none to judge one in.
        less: what the study has for which it was chosen, where that has less than this one.
    """

    records: tuple[Record, ...]
    tested: LeftOut | None
    less: Situation | None = None

    @property
    def best(self) -> Record:
        """The first of the records."""
        return self.records[0]

    @property
    def stands(self) -> bool:
        """Say whether the choice holds, and choices made without a world held in it."""
        return self.best.holds and self.tested is not None and self.tested.holds


def left_out(cells: pd.DataFrame, situation: Situation, metric: str) -> LeftOut | None:
    """Choose without each world in turn, and judge the choice in that world alone.

    Worlds in which nothing is chosen, or in which the choice has no intervals, are passed over.

    Args:
        cells: of the arena, with the column `verdict`.
        situation: what a study has.
        metric: a name.

    Returns:
        None where no choice could be judged.
    """
    judged = {}
    for world in situation.worlds:
        ranked = records_of(cells, situation.without(world), metric)
        if ranked and ranked[0].holds:
            found = record(cells, ranked[0].method, metric, situation.only([world]))
            if found is not None:
                judged[world] = found
    return LeftOut(judged, float(cells["level"].dropna().iloc[0])) if judged else None


def choose(cells: pd.DataFrame, situation: Situation, metric: str) -> Choice | None:
    """Choose what to use in a situation, for a metric; None where no candidate has intervals."""
    records = records_of(cells, situation, metric)
    return Choice(tuple(records), left_out(cells, situation, metric)) if records else None


def borrow(
    cells: pd.DataFrame, situation: Situation, less: Situation, choice: Choice
) -> Choice | None:
    """Judge what is chosen for a study that has less in the worlds of one that has more.

    Returns:
        None where it has no intervals there, or was judged in none of them.
    """
    best = choice.best
    found = record(cells, best.method, best.metric, situation)
    tested = choice.tested.only(situation.worlds) if choice.tested is not None else None
    return Choice((found,), tested, less) if found is not None and tested is not None else None
