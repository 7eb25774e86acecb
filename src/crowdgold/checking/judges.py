"""What judges' votes are worth, and which judge agrees best, in numbers and in words.

Whether a judge may stand in for an annotator tells the alternative annotator test (Calderon,
Reichart and Dror, 2025, The alternative annotator test for LLM-as-a-judge). Each of three or more
annotators j is left out in turn. On each item i that j labelled, with a share of the other
annotators' labels that agree with the judge, s_i, and with annotator j, h_i:

    d_i = [h_i >= s_i] - [s_i >= h_i]                              a tie counts for both
    H0: E d_i >= epsilon,   t = (mean d - epsilon) / (sd(d) / sqrt(n_j)),   one-sided

epsilon: what the judge's lower price is worth. The p-values of all annotators are corrected by
Benjamini and Yekutieli, whose tests may depend on each other. The winning rate omega is the share
of the annotators whose test rejects; the judge may replace one where omega is at least .5. The
t-test needs some 30 items. Where gold items were drawn with known chances, or belong together,
mean d weighs them, and its standard error and degrees of freedom are those of the design
(`inference.design`).

The items are those that all annotators tested have labelled. Where a second opinion was asked for
because of what the first said, such items are the ones on which annotators differ, and d is not
that of items at random. So no test is made where labels that are on all items alike tell which
items have the others: where a label, or whether two of them agree, goes together with being
complete (Fisher's exact test, corrected for their number).

Whether annotators differ so much that one rate of all votes, TPR_H or TNR_H, hides it, is tested
too. The null hypothesis is that the annotators of an item are exchangeable, however hard items are
and whoever labels which. Of annotator a, O_a right labels on gold items of a class are held against
E_a, what is expected if the right labels of each item are dealt out anew among those who labelled
it, and V_a, the variance of that:

    T = sum over annotators of (|O_a - E_a| / sqrt(V_a))^3

The third power finds one poor annotator among many nearly as often as the largest term alone, and
many who differ as often as squares. Items with one label are dealt out together: they say something
only if it was chance who got which. p is exact: the share of random deals with a T at least as
large. Deals end once `ENOUGH` of them are, which leaves p valid (Besag and Clifford, 1991). The
p-values of the two classes are corrected by Holm's method. Where items belong together one of each
cluster is taken, at random, since an annotator may err on all of a cluster alike.

Of 1,200 studies of 12 equal annotators 1.1 % had a p of `DIFFER` or less for some class. One
judge of .6 among four of .9 was found in 100 of 100 with 300 gold items, and one among 19 of .9 in
77 of 100 with 45 gold items of a class each.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from scipy.special import stdtr

from crowdgold.checking import without_gold
from crowdgold.checking.agreement import Kappa, between_judges, fleiss, kappa_gap, kappas_with_gold
from crowdgold.checking.without_gold import Allowed, allowed, has_ranges
from crowdgold.inference.annotator_rates import positions_of
from crowdgold.inference.design import Design, SimpleRandom, drawn_from
from crowdgold.inference.estimate import View
from crowdgold.inference.expert_errors import ExpertErrors, known_errors
from crowdgold.inference.interval import holm
from crowdgold.inference.rectified import spread_of
from crowdgold.inference.shared_errors import (
    Corrected,
    Ends,
    SharedErrors,
    most_alike,
    of_judges,
    of_votes,
)
from crowdgold.inference.without_gold import Ranges
from crowdgold.methods.needs import MOST_JUDGES
from crowdgold.metrics.reviewers import RATES
from crowdgold.reading.study import Study
from crowdgold.system.kernels import kernel
from crowdgold.types.annotations import MISSING, labels_by_judge
from crowdgold.types.display import Shown, ShownFacts
from crowdgold.types.errors import InputError
from crowdgold.types.gold_draw import kish
from crowdgold.types.items import NO_GOLD, NO_PREDICTOR, Items
from crowdgold.types.parameters import LEVEL

FEWEST_ITEMS = 30
FEWEST_ANNOTATORS = 3
EPSILON = 0.2  # for experts, as the paper advises; .15 for skilled annotators, .1 for crowd workers
RATE = 0.05  # false discoveries allowed among the annotators' tests
WINS = 0.5  # winning rate from which on the judge may replace an annotator
FOLLOWS = "second opinions follow the first: which items all annotators labelled depends on labels"


@dataclass(frozen=True, eq=False)
class Replacement:
    """The alternative annotator test of one judge against h annotators."""

    # Mean share of items on which the judge is as close to the others as the annotator left out.
    advantage: float
    p: np.ndarray  # (h,) p-values, corrected; NaN of annotators who are not tested
    winning_rate: float  # share of the annotators tested over whom the judge wins
    passes: bool  # whether that is at least `WINS`


def _p_value(difference: np.ndarray, epsilon: float, design: Design) -> float:
    """One-sided p-value of a mean below epsilon, from items that were drawn by a design."""
    weights = np.ones(len(difference)) if design.weights is None else design.weights
    mean = np.average(difference, weights=weights)
    deviations, spread = spread_of(design, (weights * (difference - mean))[:, None])
    distance = float(mean) - epsilon
    if spread[0] == 0:
        return 0.0 if distance < 0 else 1.0
    freedom = design.freedom(deviations, np.array([max(kish(weights), 2.0)]))
    return float(stdtr(freedom, distance / spread)[0])


def _depends_on_labels(labels: np.ndarray) -> bool:
    """Whether labels (n, h) tell which items all annotators labelled."""
    from scipy.stats import fisher_exact  # half a second that the answer need not wait

    known = labels != MISSING
    whole, p = known.all(axis=1), []
    for one in range(labels.shape[1]):
        said = [(known[:, one], labels[:, one] == 1)]
        for other in range(one):
            agree = labels[:, one] == labels[:, other]
            said.append((known[:, one] & known[:, other], agree))
        for told, yes in said:
            if not whole[told].all():
                table = np.zeros((2, 2), dtype=int)
                np.add.at(table, (whole[told].astype(int), yes[told].astype(int)), 1)
                p.append(float(fisher_exact(table)[1]))
    return bool(p) and min(p) * len(p) < RATE


def _tested(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions of the most annotators who labelled enough of the same items, and of the items."""
    number, why = (labels != MISSING).sum(axis=0), ""
    most_first = np.argsort(-number, kind="stable")
    for size in range(len(number), FEWEST_ANNOTATORS - 1, -1):
        chosen = np.sort(most_first[:size])
        rows = np.flatnonzero((labels[:, chosen] != MISSING).all(axis=1))
        if _depends_on_labels(labels[:, chosen]):
            why = FOLLOWS
        elif len(rows) >= FEWEST_ITEMS:
            return chosen, rows
    few = int((number >= FEWEST_ITEMS).sum())
    raise InputError(
        why
        or f"found {few} annotators with {FEWEST_ITEMS} labels that can be held against the judge, "
        f"expected {FEWEST_ANNOTATORS} or more, with as many on the same items"
    )


def may_replace(
    judge: np.ndarray, annotators: np.ndarray, epsilon: float = EPSILON, rate: float = RATE,
    items: Items | None = None,
) -> Replacement:  # fmt: skip
    """The alternative annotator test of a judge's labels (n,) against those of annotators (n, h).

    `MISSING` stands where there is no label. `epsilon` is how much less often than the annotator
    the judge may win, and `rate` that of false discoveries. `items` say how gold was drawn; None
    for a simple random sample. An `InputError` where there are too few annotators, or items that
    all of them and the judge labelled, or these were chosen by what annotators said.
    """
    size = annotators.shape[1]
    if size < FEWEST_ANNOTATORS:
        raise InputError(
            f"the alternative annotator test: found {size} annotators, expected "
            f"{FEWEST_ANNOTATORS} or more whose labels the judge is held against"
        )
    known = judge != MISSING
    if items is not None:
        known &= items.gold != NO_GOLD
    open_to = np.flatnonzero(known)
    chosen, own = _tested(annotators[open_to])
    rows = open_to[own]
    design: Design = SimpleRandom(len(rows))
    if items is not None:
        design = drawn_from(View(items, NO_PREDICTOR), rows)[1]
    labels, of_all = annotators[np.ix_(rows, chosen)], np.full(size, np.nan)
    p, wins = np.empty(len(chosen)), np.empty(len(chosen))
    for left in range(len(chosen)):
        others = np.delete(labels, left, axis=1)
        of_judge = (others == judge[rows, None]).mean(axis=1)
        of_left = (others == labels[:, [left]]).mean(axis=1)
        wins[left] = float(np.average(of_judge >= of_left, weights=design.weights))
        p[left] = _p_value((of_left >= of_judge) * 1.0 - (of_judge >= of_left), epsilon, design)
    from scipy.stats import false_discovery_control  # half a second that the answer need not wait

    of_all[chosen] = false_discovery_control(p, method="by")
    won = float((of_all[chosen] <= rate).mean())
    return Replacement(float(wins.mean()), of_all, won, won >= WINS)


DIFFER = 0.01  # of p, from which on annotators differ
FEWEST_GOLD = 10  # gold items of the class that an annotator labelled, who is compared
DEALS, ENOUGH = 1999, 20  # most deals; and as large ones after which there are no more
ROUNDING = 1e-9  # share of T below which two are alike


@dataclass(frozen=True)
class Rate:
    """A rate of an annotator from gold labels."""

    annotator: str
    rate: float  # by the weights of items, as in annotators.csv
    gold: int  # gold items of the class


@dataclass(frozen=True)
class Apart:
    """How far annotators are apart in a rate."""

    metric: str  # TPR or TNR
    p: float  # of their being equal, corrected for both rates
    lowest: Rate
    highest: Rate
    annotators: int  # that were compared: those with `FEWEST_GOLD` gold items of the class

    @property
    def differ(self) -> bool:
        """Whether chance alone would rarely put equal annotators as far apart."""
        return self.p <= DIFFER


@kernel()
def _dealt(right: np.ndarray, start: np.ndarray, uniform: np.ndarray) -> np.ndarray:
    """The labels (L,) in a random order within each group, of which `start` (G + 1,) are the ends;
    `uniform`: (L,) random numbers.
    """
    found = right.copy()
    for group in range(len(start) - 1):
        first = start[group]
        for place in range(start[group + 1] - 1, first, -1):
            other = first + int(uniform[place] * (place - first + 1))
            found[place], found[other] = found[other], found[place]
    return found


def _p_of_equals(
    right: np.ndarray, annotator: np.ndarray, item: np.ndarray, rng: np.random.Generator
) -> float:
    """Exact p of equal annotators, from labels that are right or not, (L,) each; 1 where labels
    cannot tell.
    """
    _, of_item, labels = np.unique(item, return_inverse=True, return_counts=True)
    group = np.where(labels[of_item] > 1, of_item + 1, 0)
    size, hits = np.bincount(group), np.bincount(group, right)
    mixed = ((hits > 0) & (hits < size))[group]
    order = np.flatnonzero(mixed)[np.argsort(group[mixed], kind="stable")]
    if len(order) == 0:
        return 1.0
    right, annotator, group = right[order].astype(float), annotator[order], group[order]
    start = np.append(np.flatnonzero(np.diff(group, prepend=-1)), len(group))
    share = (hits / np.maximum(size, 1))[group]
    expected = np.bincount(annotator, share)
    # Of an annotator's k labels in a group of m the right ones are hypergeometric.
    pair = group * (annotator.max() + 1) + annotator
    _, of_pair, own = np.unique(pair, return_index=True, return_counts=True)
    of_group = size[group[of_pair]]
    spread = own * (share * (1 - share))[of_pair] * (of_group - own) / (of_group - 1)
    variance = np.bincount(annotator[of_pair], spread, len(expected))
    told = variance > 0

    def distance(one: np.ndarray) -> float:
        apart = (np.bincount(annotator, one, len(expected)) - expected)[told]
        return float(((apart**2 / variance[told]) ** 1.5).sum())

    found, larger, deals = distance(right) * (1 - ROUNDING), 0, 0
    while larger < ENOUGH and deals < DEALS:
        larger += distance(_dealt(right, start, rng.random(len(right)))) >= found
        deals += 1
    return larger / deals if larger == ENOUGH else (larger + 1) / (deals + 1)


def annotators_apart(study: Study, rng: np.random.Generator) -> tuple[Apart, ...]:
    """How far annotators are apart in TPR and in TNR, where two or more can be compared.

    None where annotators are not known, or gold labels are known to err.
    """
    items, voters = study.items, study.annotations
    gold = np.flatnonzero(items.gold != NO_GOLD)
    if voters is None or len(gold) == 0 or known_errors(items) is not None:
        return ()
    weights = drawn_from(View(items, NO_PREDICTOR, study.weights), gold)[0].weights
    weight = np.zeros(len(items))
    weight[gold] = 1.0 if weights is None else weights
    taken = np.isin(np.arange(len(items)), gold)
    if items.cluster is not None:
        mixed = rng.permutation(gold)
        taken[:] = False
        taken[mixed[np.unique(items.cluster[mixed], return_index=True)[1]]] = True
    row = positions_of(voters, items.item)
    found = []
    for metric, label in zip(RATES[:2], (1, 0), strict=True):
        own = np.flatnonzero((row >= 0) & (items.gold[row] == label))
        who, right = voters.annotator_of[own], voters.label[own] == label
        number = len(voters.annotator)
        pairs = np.unique(who * len(items) + row[own]) // len(items)
        labelled = np.bincount(pairs, minlength=number)
        compared = np.flatnonzero(labelled >= FEWEST_GOLD)
        if len(compared) < 2:
            continue
        mass = weight[row[own]]
        of_right, of_all = np.bincount(who, mass * right, number), np.bincount(who, mass, number)
        rate = of_right[compared] / of_all[compared]
        lowest, highest = (
            Rate(str(voters.annotator[compared[k]]), float(rate[k]), int(labelled[compared[k]]))
            for k in (int(rate.argmin()), int(rate.argmax()))
        )
        tested = np.isin(who, compared) & taken[row[own]]
        p = _p_of_equals(right[tested], who[tested], row[own][tested], rng)
        found.append(Apart(metric, p, lowest, highest, len(compared)))
    corrected = holm(np.array([one.p for one in found]))
    return tuple(replace(one, p=float(p)) for one, p in zip(found, corrected, strict=True))


BY_CHANCES = "gold items count here by their chances, in values and in intervals"
CORRECTED = "gold labels are corrected here for how often experts err"
NO_INTERVALS = f"{CORRECTED}; no intervals, since gold items count unequally besides"
TAKEN_FOR_TRUE = (
    "gold labels are taken for true here; wrong ones would look like errors that judges share"
)


@dataclass(frozen=True, eq=False, repr=False)
class Judges(Shown):
    """What votes are worth together, and judges one by one where they are few."""

    fleiss: Kappa  # of the votes
    shared: SharedErrors  # how far their errors go together, and the effective number of votes
    judge: tuple[str, ...] = ()  # (m,) identifiers; empty where they are not known, or are many
    with_gold: tuple[Kappa, ...] = ()  # each judge's, with the gold labels
    between: dict[str, Kappa] = field(default_factory=dict)  # of each two, by "ONE and OTHER"
    replaces: dict[str, Replacement] = field(default_factory=dict)  # by judge; those tested only
    # The correlation of errors of the two judges who are most alike, by "ONE and OTHER", its
    # interval for the largest of all pairs; empty where not known.
    most_alike: dict[str, Ends] = field(default_factory=dict)
    # The best judge's kappa with gold less the second's, by "ONE less OTHER", on the gold items
    # that both label; empty where not known.
    gap: dict[str, Kappa] = field(default_factory=dict)
    apart: tuple[Apart, ...] = ()  # by gold, how far annotators differ in TPR and in TNR
    ranges: Ranges | None = None  # what can be said without gold; None where this is not needed
    contrary: tuple[str, ...] = ()  # who vote against the others, and are left out of the ranges
    no_test: str = ""  # why no alternative annotator test is made of some judge
    by_gold: str = ""  # what gold labels count for in these numbers, in words; empty without gold
    sentences: tuple[str, ...] = ()  # the same in plain words
    each_two: tuple[str, ...] = ()  # each two judges' errors, in words, of three judges or more

    def facts(self) -> ShownFacts:
        """Who they are, and what they are worth in words."""
        return {"judges": ", ".join(self.judge) or "not by name", "said": self.sentences}


def _if_needed(items: Items, errors: ExpertErrors | None = None) -> Items | None:
    """The items, or None where gold is a simple random sample of them, taken for right."""
    as_it_stands = items.draw is None and items.cluster is None and errors is None
    return None if as_it_stands else items


def _shared(items: Items, table: np.ndarray | None, errors: ExpertErrors | None) -> SharedErrors:
    """How far errors are shared, by judge where there is a table of their votes."""
    drawn = _if_needed(items, errors)
    if table is None:
        votes = items.votes_positive, items.votes_total
        return of_votes(*votes, items.gold, items=drawn, errors=errors)
    return of_judges(table, items.gold, items=drawn, errors=errors)


def _measure(study: Study, rng: np.random.Generator) -> Judges:
    """The numbers of `look_at_judges`, but for ranges and sentences."""
    items, voters = study.items, study.annotations
    errors, has_gold = known_errors(items), bool((items.gold != NO_GOLD).any())
    by_gold = TAKEN_FOR_TRUE if has_gold else ""
    if errors is not None:
        known = Corrected.among(np.ones(len(items), dtype=bool), items, errors)
        by_gold = NO_INTERVALS if known.design.uneven else CORRECTED
    counts = np.stack([items.votes_total - items.votes_positive, items.votes_positive], axis=1)
    overall = fleiss(counts, rng, items.cluster)
    if voters is None or not 1 < len(voters.annotator) <= MOST_JUDGES:
        return Judges(overall, _shared(items, None, errors), by_gold=by_gold)
    names, table = tuple(str(name) for name in voters.annotator), labels_by_judge(voters)
    shared = _shared(items, table, errors)
    closest = most_alike(shared)
    agree = kappas_with_gold(table, items.gold, rng, items, errors) if has_gold else []
    replaces, no_test = dict[str, Replacement](), ""
    if len(study.gold_by_expert) >= FEWEST_ANNOTATORS:
        experts = np.stack(list(study.gold_by_expert.values()), axis=1)
        for name, labels in zip(names, table.T, strict=True):
            try:
                replaces[name] = may_replace(labels, experts, items=_if_needed(items))
            except InputError as problem:
                no_test = no_test or str(problem)
    between = between_judges(table, rng, items.cluster)
    gaps, best = {}, _in_order(agree)[:2]
    if len(best) == 2:
        gap = kappa_gap(table[:, best], items.gold, _if_needed(items, errors), errors)
        gaps = {" less ".join(names[k] for k in best): gap} if np.isfinite(gap.lower) else {}
    return Judges(
        overall, shared, names, tuple(agree),
        {f"{names[j]} and {names[k]}": one for (j, k), one in between.items()}, replaces,
        {f"{names[closest[0]]} and {names[closest[1]]}": closest[2]} if closest else {}, gaps,
        by_gold=by_gold, no_test=no_test,
    )  # fmt: skip


def _shown(known: Kappa | Ends) -> str:
    """A value with its interval, in words."""
    value, lower, upper = known.value, known.lower, known.upper
    if np.isinf(value):
        return f"{lower:.2f} or more"
    if np.isinf(upper):
        return f"{value:.2f} ({lower:.2f} or more)"
    return f"{value:.2f}" + (f" ({lower:.2f} to {upper:.2f})" if np.isfinite(lower) else "")


def _in_order(found: Sequence[Kappa]) -> list[int]:
    """Places of judges whose kappa is known, the best first."""
    known = [place for place, one in enumerate(found) if np.isfinite(one.value)]
    return sorted(known, key=lambda place: -found[place].value)


def _each_two(found: Judges) -> Iterator[str]:
    """The correlation of errors of each two judges with its interval, a line for each judge."""
    shared = found.shared
    pairs = np.stack([shared.pairs, shared.pairs_lower, shared.pairs_upper], axis=-1)
    for later in range(1, len(pairs)):
        known = np.flatnonzero(np.isfinite(shared.pairs[later, :later])).tolist()
        told = [f"{found.judge[one]} {_shown(Ends(*pairs[later, one]))}" for one in known]
        if told:
            yield f"errors of {found.judge[later]} with those of {', '.join(told)}"


def _in_words(found: Judges) -> Iterator[str]:
    """What votes are worth and which judge agrees best, a sentence each."""
    shared = found.shared
    if np.isfinite(shared.effective.value):
        yield (
            f"an item's {shared.votes:.3g} votes are worth {_shown(shared.effective)} independent "
            f"ones: correlation of errors given the label {_shown(shared.correlation)}"
            + " (below 0 where they seldom err on the same items, or by chance)"
            * (shared.correlation.value < 0)
        )
        pairs = np.isfinite(shared.pairs).sum() // 2
        for names, one in found.most_alike.items():
            largest = pairs > 1 and np.isfinite(one.lower)
            apart = "no two judges are alike in their errors, the nearest to it are "
            told = f"{apart if one.value < 0 else 'most alike in their errors: '}{names}"
            whole = f", an interval for the largest of {pairs}" * bool(largest)
            yield f"{told}, {_shown(one)}{whole}"
    if np.isfinite(found.fleiss.value):
        yield f"Fleiss's kappa {_shown(found.fleiss)}"
    if found.ranges is not None:
        yield from without_gold.in_words(Allowed(found.ranges, found.contrary))
    best = _in_order(found.with_gold)
    if kappas := [f"{found.judge[place]} {_shown(found.with_gold[place])}" for place in best]:
        yield f"Cohen's kappa with gold: {', '.join(kappas)}"
    for names, less in found.gap.items():
        yield f"{names}, on the same {less.items:,} items: {_shown(less)}"
    if found.replaces:
        may = ", ".join(name for name, one in found.replaces.items() if one.passes) or "none"
        yield f"alternative annotator test, epsilon .2: {may} may replace an expert"
    elif found.no_test:
        yield f"alternative annotator test: none, since {found.no_test}"


def look_at_judges(study: Study, rng: np.random.Generator, level: float = LEVEL) -> Judges:
    """What a study's votes are worth, and how its judges agree; `level` is that of ranges."""
    found, items = _measure(study, rng), study.items
    if not items.gold_corrects and has_ranges(items):
        voters = study.annotations if found.judge else None
        own = allowed(items, voters, rng, level, study.weights)
        found = replace(found, ranges=own.ranges, contrary=own.contrary)
    told = list(_in_words(found))
    if found.by_gold and (found.with_gold or np.isfinite(found.shared.effective.value)):
        told.append(found.by_gold)
    if items.draw is not None and told and (items.gold != NO_GOLD).any():
        told.append(BY_CHANCES)
    pairs = _each_two(found) if len(found.judge) > 2 else ()
    apart = annotators_apart(study, rng)
    return replace(found, apart=apart, sentences=tuple(told), each_two=tuple(pairs))
