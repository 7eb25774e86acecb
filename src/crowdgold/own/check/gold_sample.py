"""Whether the gold items look like a random sample of all items: one joint permutation test.

Every estimator takes it for granted. What is known of each item before its gold label are features:
the share of positive votes, how split the votes are (share (1 - share)), their number, and for each
model the item's rank by score and how far the rank is from the middle. A model that scored some of
the items is looked at by itself, among those. With Z the features, centred and whitened over all
items (Z'Z = N I), the statistic is

    T = |sum of Z over the gold items|^2

the squared Mahalanobis distance of the gold items' mean from that of all, up to a factor. It is
held against T of equally many items drawn at random, so that the level holds whatever the features.
Gold that is chosen by something else than votes and scores is not found.

Gold is often drawn at random within strata, each at a rate of its own. That is tested likewise:
features are centred within strata, and as many items drawn from each as have a gold label. Where
the table says with which chances gold was drawn, that is what is tested: within its strata, or by
items drawn anew one by one, their sum less the one that their chances give. So is then their
number. Where it says so of gold items alone, as files of `crowdgold sample` do, no items can be
drawn anew: the gold items' mean, each weighed by its chance, is held against that of all
(`weighed_gold`), and gold of a first batch that was drawn at random against all items too. Where
many items of the last batch came back without a label, the others are held against them within
strata. (Of earlier batches such items were drawn again, and those that were not are no random part
of them.) Of several tests the smallest p counts, times their number: the level is that of all
together. So it is for the strata of a study, each of which is tested by itself. Where gold comes by
whole clusters of items that belong together, clusters stand in the place of items, with the means
of their items' features.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from crowdgold.data import NO_GOLD, GoldDraw, Items
from crowdgold.data.clusters import together
from crowdgold.data.gold_draw import NO_STRATUM
from crowdgold.kernels import kernel
from crowdgold.methods.doubts import CHOSEN, SURELY_CHOSEN
from crowdgold.own.check.drawn_units import OF_CLUSTERS, Units, centred, item_features, whitened
from crowdgold.own.check.gold_likeness import (
    BY_CHANCE,
    OF_FIRST,
    OF_SENT,
    OF_STRATA,
    GoldSample,
    Shift,
)
from crowdgold.own.check.weighed_gold import TESTS, of_weighed

PERMUTATIONS = 1999
FEW_BEYOND = 5
"""Of the permutations: where so few lie beyond what was found, or p is near the limits, an error of
p could decide. It is found again by more of them, but for a p that is surely small enough."""
MORE_PERMUTATIONS, MORE_NUMBERS = 66_666, 200_000_000
"""As many of these, or, with much gold, as draw so many items together."""
MOST_GOLD, MOST_OTHERS = 5_000, 20_000
"""Items that the test takes at most; with more, some of either kind drawn at random, among which
gold is a random sample wherever it is one of all."""
MOST_NUMBERS = 200_000
"""Random numbers of one block of permutations."""
EMPTY = 0.05
"""Share of a batch that came back without a label from which on the rest is held against it. Fewer
items can shift no share by more."""
MOSTLY = 0.5
"""How far gold comes by whole clusters (`data.clusters`) from which on clusters are tested."""


@kernel()
def _add_drawn(
    white: np.ndarray, order: np.ndarray, uniform: np.ndarray, sums: np.ndarray
) -> None:  # pragma: no cover - compiled
    """Draw items at random, once for each row of random numbers, and add them up.

    The first steps of Fisher and Yates' shuffle, one for each item of a sample. It begins from the
    order that the sample before left, since any order is as good.
    """
    for sample in range(len(uniform)):
        for place in range(uniform.shape[1]):
            other = place + int(uniform[sample, place] * (len(order) - place))
            item = order[other]
            order[other] = order[place]
            order[place] = item
            for feature in range(white.shape[1]):
                sums[sample, feature] += white[item, feature]


def _drawn_sums(
    white: np.ndarray, n_gold: int, rng: np.random.Generator, permutations: int
) -> np.ndarray:
    """The sums (permutations, F) over `n_gold` items drawn at random; all sum to 0."""
    # The smaller part tells as much, since all sums are 0.
    few = min(n_gold, len(white) - n_gold)
    sums = np.zeros((permutations, white.shape[1]))
    if not few:
        return sums
    white, order = np.ascontiguousarray(white), np.arange(len(white))
    block = max(1, MOST_NUMBERS // few)
    for start in range(0, permutations, block):
        part = sums[start : start + block]
        _add_drawn(white, order, rng.random((len(part), few)), part)
    return sums if few == n_gold else -sums


def permutation_p(
    white: np.ndarray,
    gold: np.ndarray,
    rng: np.random.Generator,
    permutations: int,
    stratum: np.ndarray | None = None,
) -> float:
    """The p-value of the gold items being a random sample, within strata where given.

    Args:
        white: (N, F) features, whitened, and centred within strata.
        gold: (N,) whether an item has a gold label.
        rng: source of the samples.
        permutations: random samples.
        stratum: (N,) number of each item's; None where all are in one.
    """
    found = float((white[gold].sum(axis=0) ** 2).sum())
    places = [gold >= 0] if stratum is None else [stratum == one for one in np.unique(stratum)]
    sums = sum(
        _drawn_sums(white[place], int(gold[place].sum()), rng, permutations) for place in places
    )
    values = (np.asarray(sums) ** 2).sum(axis=1)
    # Ties with what was found, but for rounding, count as being as far.
    beyond = int((values >= found * (1 - 1e-9)).sum())
    return (1 + beyond) / (1 + permutations)


def _surely_enough(p_by: Callable[[int], float], few: int, numbers: int, tests: int) -> float:
    """A p-value by so few permutations; by more where an error of it could decide.

    Args:
        p_by: the p-value by so many permutations.
        few: permutations; fewer than `PERMUTATIONS` are not followed by others.
        numbers: random numbers that one takes.
        tests: of one question, each of which has a part of the level.
    """
    p = p_by(few)
    near = SURELY_CHOSEN / tests <= p <= max(2 * CHOSEN / tests, FEW_BEYOND / few)
    if few < PERMUTATIONS or not near:
        return p
    return p_by(max(few, min(MORE_PERMUTATIONS * tests, MORE_NUMBERS // numbers)))


def _chance_p(
    white: np.ndarray, gold: np.ndarray, chance: np.ndarray, rng: np.random.Generator, draws: int
) -> float:
    """The p-value of the gold items, and of their number, with these chances (N,) of each."""
    counted = np.column_stack([white, np.ones(len(white))])
    expected = chance @ counted
    found, beyond = _squares(counted[gold].sum(axis=0)[None] - expected), np.zeros(TESTS)
    block, draws = max(1, MOST_NUMBERS // len(white)), TESTS * draws
    for start in range(0, draws, block):
        size = min(block, draws - start)
        sums = (rng.random((size, len(white))) < chance).astype(float) @ counted - expected
        beyond += (_squares(sums) >= found * (1 - 1e-9)).sum(axis=0)
    return min(1.0, TESTS * float((1 + beyond.min()) / (1 + draws)))


def _squares(sums: np.ndarray) -> np.ndarray:
    """How far sums (r, F + 1) of features, and the number, the last of them, are off: (r, 2)."""
    return np.stack([(sums[:, :-1] ** 2).sum(axis=1), sums[:, -1] ** 2], axis=1)


def _one_by_one(units: Units, rng: np.random.Generator, draws: int, tests: int) -> GoldSample:
    """Test whether gold was drawn with the chances that the table gives, each unit by itself."""
    assert units.draw is not None
    gold, chance = units.gold, units.draw.chance
    if len(gold) > MOST_GOLD + MOST_OTHERS:
        return GoldSample(np.nan, note="there are too many items", of=BY_CHANCE)
    white = whitened(np.stack(list(units.features.values()), axis=1))

    def p_by(number: int) -> float:
        return _chance_p(white, gold, chance, rng, number)

    p = _surely_enough(p_by, draws, TESTS * len(gold), tests)
    return GoldSample(p, _shifts(units.features, gold), of=BY_CHANCE)


def _is_known(draw: GoldDraw) -> bool:
    """Whether the table says of each item, with gold or without, how it could be drawn."""
    if draw.stratum is None:
        return bool(np.isfinite(draw.chance).all())
    return bool((draw.stratum != NO_STRATUM).all())


def _first_at_random(units: Units) -> np.ndarray:
    """Which gold items, (n,), are of a first batch that was drawn at random from all."""
    draw = units.draw
    if draw is None or draw.stratum is None or draw.batch is None or (draw.batch == 0).sum() > 1:
        return np.zeros(len(units.gold), dtype=bool)
    return units.gold & (draw.stratum == int(np.flatnonzero(draw.batch == 0)[0]))


def _last_sent(units: Units) -> Units | None:
    """What was sent to experts in the last batch, by strata; None where nearly all has a label."""
    draw = units.draw
    if draw is None or draw.sent is None or draw.batch is None or units.of == OF_CLUSTERS:
        return None
    batch = np.where(draw.sent == NO_STRATUM, -1, draw.batch[draw.sent])
    rows = np.flatnonzero(batch == draw.batch.max())
    gold, stratum = units.gold[rows], draw.sent[rows]
    features = {name: one[rows] for name, one in units.features.items()}
    features = {name: one for name, one in features.items() if len(one) and np.ptp(one) > 0}
    if not (features and gold.any() and (~gold).mean() >= EMPTY):
        return None
    if units.stratum is not None:
        stratum = stratum + len(draw.batch) * units.stratum[rows]
    return Units(features, gold, None, stratum)


def _by_weight(units: Units, rng: np.random.Generator, permutations: int, tests: int) -> GoldSample:
    """Test gold of which alone the table says how it was drawn, and two batches by themselves.

    These are a first one that was drawn at random, and what came back of the last one.
    """
    assert units.draw is not None
    first, of = _first_at_random(units), BY_CHANCE if units.draw.stratum is None else OF_STRATA
    at_random, only = {}, bool((first == units.gold).all())
    if first.any():
        at_random[units.of if only else OF_FIRST] = replace(units, gold=first, draw=None)
    if (sent := _last_sent(units)) is not None:
        at_random[OF_SENT] = sent
    number = len(at_random) + (not only)
    found = [
        replace(_of_strata(one, rng, number * permutations, tests * number), of=kind)
        for kind, one in at_random.items()
    ]
    whole = found[0] if only else of_weighed(units, of)
    found += [] if only else [whole]
    known = [one for one in found if np.isfinite(one.p)]
    if not known:
        return whole
    each = [replace(one, p=min(1.0, len(known) * one.p)) for one in known]
    # A first batch that was chosen explains the other tests, and has another remedy.
    if each[0].of == OF_FIRST and each[0].surely_chosen:
        return each[0]
    least = min(each, key=lambda one: one.p)
    speaks = least.p < CHOSEN or not np.isfinite(whole.p)
    return least if speaks else replace(whole, p=least.p)


def _shifts(features: dict[str, np.ndarray], gold: np.ndarray) -> tuple[Shift, ...]:
    """Compare the gold items with the others, feature by feature."""
    n, m = len(gold), int(gold.sum())
    shifts = []
    for name, values in features.items():
        here, there = float(values[gold].mean()), float(values[~gold].mean())
        error = float(values.std(ddof=1)) * np.sqrt(n / (m * (n - m)))
        shifts.append(Shift(name, here, there, (here - there) / error))
    return tuple(sorted(shifts, key=lambda shift: -abs(shift.z)))


def assess_gold_sample(
    items: Items,
    rng: np.random.Generator,
    permutations: int = PERMUTATIONS,
    stratum: np.ndarray | None = None,
    tests: int = 1,
) -> GoldSample:
    """Whether the gold items are a random sample of the items, or of those of each stratum.

    Args:
        items: votes, scores and gold labels.
        rng: source of the random samples.
        permutations: random samples that the gold items are held against.
        stratum: (n,) number of each item's stratum, where gold is to be random within strata.
        tests: how many such are made of one study, one for each of its parts; p counts so often.
    """
    parts = list(item_features(items))
    number = tests * len(parts)
    permutations = max(permutations, min(len(parts) * permutations, MORE_PERMUTATIONS))
    each = [
        _assess(
            items.take(rows), features, rng, permutations,
            None if stratum is None else stratum[rows], number,
        )
        for rows, features in parts
    ]  # fmt: skip
    known = [one for one in each if np.isfinite(one.p)]
    if not known:
        return each[0]
    least = min(known, key=lambda one: (one.p, -abs(one.shifts[0].z)))
    return replace(least, p=min(1.0, tests * len(known) * least.p))


def _assess(
    items: Items, features: dict[str, np.ndarray], rng: np.random.Generator, permutations: int,
    stratum: np.ndarray | None, tests: int,
) -> GoldSample:  # fmt: skip
    """Test whether the gold items are a random sample in what some features (n,) say of them."""
    gold = items.gold != NO_GOLD
    if not gold.any():
        return GoldSample(np.nan, note="there is no gold label")
    if gold.all():
        return GoldSample(np.nan, note="every item has a gold label")
    if items.draw is not None and items.draw.estimated:
        return GoldSample(np.nan, note="its chances are estimated from votes and scores")
    units = Units(features, gold, items.draw, stratum)
    if items.cluster is not None and together(items.cluster, gold, items.draw).share > MOSTLY:
        units = units.by_cluster(items.cluster)
    if not units.features:
        return GoldSample(np.nan, note="all items have the same votes, and there are no scores")
    if units.gold.all():
        return GoldSample(np.nan, note="every cluster has a gold label", of=OF_CLUSTERS)
    if units.draw is not None and not _is_known(units.draw):
        return _by_weight(units, rng, permutations, tests)
    if units.draw is not None and units.draw.stratum is None:
        return _one_by_one(units, rng, permutations, tests)
    return _of_strata(units, rng, permutations, tests)


def _of_strata(units: Units, rng: np.random.Generator, permutations: int, tests: int) -> GoldSample:
    """Test whether gold is a random sample of all units, or of those of each stratum."""
    gold, features, stratum, draw, of = (
        units.gold, units.features, units.stratum, units.draw, units.of,
    )  # fmt: skip
    if draw is not None and draw.stratum is not None:
        of, whole = OF_STRATA, 0 if stratum is None else stratum
        stratum = draw.stratum + (int(draw.stratum.max()) + 1) * whole
    drawn = [
        rows if len(rows) <= most else rng.choice(rows, most, replace=False)
        for rows, most in (
            (np.flatnonzero(gold), MOST_GOLD),
            (np.flatnonzero(~gold), MOST_OTHERS),
        )
    ]
    rows = np.concatenate(drawn)
    table = np.stack(list(features.values()), axis=1)[rows]
    if stratum is not None:
        table = centred(table, stratum[rows])
    table = table[:, np.ptp(table, axis=0) > 0]
    if not table.shape[1]:
        return GoldSample(np.nan, note="the items that the test takes do not differ", of=of)
    within = None if stratum is None else stratum[rows]
    white = whitened(table)

    def p_by(number: int) -> float:
        return permutation_p(white, gold[rows], rng, number, within)

    p = _surely_enough(p_by, permutations, int(gold[rows].sum()), tests)
    return GoldSample(p, _shifts(features, gold), of=of)
