"""Whether the gold items look like a random sample of all items: one joint permutation test.

Every estimator takes it for granted. What is known of each item before its gold label are features:
the share of positive votes, how split the votes are (share (1 - share)), their number, and for each
model the item's rank by score and how far the rank is from the middle. With Z the features, centred
and whitened over all items (Z'Z = N I), the statistic is

    T = |sum of Z over the gold items|^2

the squared Mahalanobis distance of the gold items' mean from that of all, up to a factor. It is
held against T of equally many items drawn at random, so that the level holds whatever the features.
Gold that is chosen by something else than votes and scores is not found.

Gold is often drawn at random within strata, each at a rate of its own. That is tested likewise:
features are centred within strata, and as many items drawn from each as have a gold label. Where
the table says with which chances gold was drawn, that is what is tested: within its strata, or by
items drawn anew one by one, their sum less the one that their chances give. Where gold comes by
whole clusters of items that belong together, clusters stand in the place of items, with the means
of their items' features.
"""

from dataclasses import dataclass

import numpy as np

from crowdgold.data import NO_GOLD, Items
from crowdgold.data.clusters import together
from crowdgold.data.gold_draw import NO_STRATUM
from crowdgold.kernels import kernel
from crowdgold.methods.doubts import CHOSEN as CHOSEN
from crowdgold.own.check.drawn_units import OF_CLUSTERS, Units, item_features
from crowdgold.own.check.drawn_units import OF_ITEMS as OF_ITEMS

PERMUTATIONS = 1999
MOST_GOLD, MOST_OTHERS = 5_000, 20_000
"""Items that the test takes at most; with more, some of either kind drawn at random, among which
gold is a random sample wherever it is one of all."""
NEAR = (CHOSEN / 2, CHOSEN * 2)
"""p-values near the limit, where an error of 0.002 could decide: found again more surely."""
DOUBTFUL = 0.05
"""p-value up to which a random sample would be as unlike the others only now and then."""
MORE_PERMUTATIONS, MORE_NUMBERS = 66_666, 200_000_000
"""As many of these, or, with much gold, as draw so many items together."""
MOST_NUMBERS = 1_000_000
"""Random numbers of one block of permutations."""
OF_STRATA = "a random sample within the strata that gold was drawn from"
BY_CHANCE = "drawn with the chances that the table gives"
MOSTLY = 0.5
"""How far gold comes by whole clusters (`data.clusters`) from which on clusters are tested."""


def likeness_in_words(p: float) -> str:
    """What the test's p-value says of gold as a random sample, in a few words."""
    if p < CHOSEN:
        return "it does not look like one"
    if p < DOUBTFUL:
        return f"possibly: {100 * p:.2g} % of random samples are as uneven"
    return "nothing speaks against it"


@dataclass(frozen=True)
class Shift:
    """How gold items differ from the others in a feature.

    Attributes:
        feature: what it is, in words.
        gold, others: its mean over the gold items, and over the others.
        z: difference in standard errors of a random sample.
    """

    feature: str
    gold: float
    others: float
    z: float


@dataclass(frozen=True)
class GoldSample:
    """What the test found.

    Attributes:
        p: share of random samples that lie as far from the mean; small where gold was chosen.
        shifts: each feature, that which differs most first.
        note: why there is no test, empty where there is one; p is NaN then.
        of: what it is a sample of, and how, in words.
    """

    p: float
    shifts: tuple[Shift, ...] = ()
    note: str = ""
    of: str = OF_ITEMS

    @property
    def chosen(self) -> bool:
        """Say whether gold is to be doubted."""
        return self.p < CHOSEN


def _whitened(features: np.ndarray) -> np.ndarray:
    """Centre and whiten features (N, F); what others determine falls out: (N, rank)."""
    centred = features - features.mean(axis=0)
    scaled = centred / centred.std(axis=0)
    left, singular, _ = np.linalg.svd(scaled, full_matrices=False)
    return left[:, singular > 1e-9 * singular[0]] * np.sqrt(len(features))


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


def _chance_p(
    white: np.ndarray, gold: np.ndarray, chance: np.ndarray, rng: np.random.Generator, draws: int
) -> float:
    """The p-value of the gold items having been drawn one by one with these chances (N,)."""
    expected = chance @ white
    found, beyond = float(((white[gold].sum(axis=0) - expected) ** 2).sum()), 0
    block = max(1, MOST_NUMBERS // len(white))
    for start in range(0, draws, block):
        size = min(block, draws - start)
        sums = (rng.random((size, len(white))) < chance).astype(float) @ white - expected
        beyond += int(((sums**2).sum(axis=1) >= found * (1 - 1e-9)).sum())
    return (1 + beyond) / (1 + draws)


def _one_by_one(units: Units, rng: np.random.Generator, draws: int) -> GoldSample:
    """Test whether gold was drawn with the chances that the table gives, each unit by itself."""
    assert units.draw is not None
    gold, chance = units.gold, units.draw.chance
    if np.isnan(chance).any():
        why = "the chances of items without a gold label are not given"
        return GoldSample(np.nan, note=why, of=BY_CHANCE)
    if len(gold) > MOST_GOLD + MOST_OTHERS:
        return GoldSample(np.nan, note="there are too many items", of=BY_CHANCE)
    white = _whitened(np.stack(list(units.features.values()), axis=1))
    p = _chance_p(white, gold, chance, rng, draws)
    return GoldSample(p, _shifts(units.features, gold), of=BY_CHANCE)


def _shifts(features: dict[str, np.ndarray], gold: np.ndarray) -> tuple[Shift, ...]:
    """Compare the gold items with the others, feature by feature."""
    n, m = len(gold), int(gold.sum())
    shifts = []
    for name, values in features.items():
        here, there = float(values[gold].mean()), float(values[~gold].mean())
        error = float(values.std(ddof=1)) * np.sqrt(n / (m * (n - m)))
        shifts.append(Shift(name, here, there, (here - there) / error))
    return tuple(sorted(shifts, key=lambda shift: -abs(shift.z)))


def _centred(table: np.ndarray, stratum: np.ndarray) -> np.ndarray:
    """Take the mean of its stratum from each feature; what does not vary then is 0 throughout."""
    centred = table - table.mean(axis=0)
    for one in np.unique(stratum):
        centred[stratum == one] -= centred[stratum == one].mean(axis=0)
    return np.where(np.ptp(centred, axis=0) > 1e-9 * np.ptp(table, axis=0), centred, 0.0)


def assess_gold_sample(
    items: Items,
    rng: np.random.Generator,
    permutations: int = PERMUTATIONS,
    stratum: np.ndarray | None = None,
) -> GoldSample:
    """Test whether the gold items are a random sample of the items, or of those of each stratum.

    Args:
        items: votes, scores and gold labels.
        rng: source of the random samples.
        permutations: random samples that the gold items are held against.
        stratum: (n,) number of each item's stratum, where gold is to be random within strata.
    """
    gold = items.gold != NO_GOLD
    if not gold.any():
        return GoldSample(np.nan, note="there is no gold label")
    if gold.all():
        return GoldSample(np.nan, note="every item has a gold label")
    if items.draw is not None and items.draw.estimated:
        return GoldSample(np.nan, note="its chances are estimated from votes and scores")
    units = Units(item_features(items), gold, items.draw, stratum)
    if items.cluster is not None and together(items.cluster, gold, items.draw).share > MOSTLY:
        units = units.by_cluster(items.cluster)
    if not units.features:
        return GoldSample(np.nan, note="all items have the same votes, and there are no scores")
    if units.gold.all():
        return GoldSample(np.nan, note="every cluster has a gold label", of=OF_CLUSTERS)
    if units.draw is not None and units.draw.stratum is None:
        return _one_by_one(units, rng, permutations)
    return _of_strata(units, rng, permutations)


def _of_strata(units: Units, rng: np.random.Generator, permutations: int) -> GoldSample:
    """Test whether gold is a random sample of all units, or of those of each stratum."""
    gold, features, stratum, draw, of = (
        units.gold, units.features, units.stratum, units.draw, units.of,
    )  # fmt: skip
    if draw is not None and draw.stratum is not None:
        if (draw.stratum == NO_STRATUM).any():
            return GoldSample(np.nan, note="some items have no gold_stratum", of=OF_STRATA)
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
        table = _centred(table, stratum[rows])
    table = table[:, np.ptp(table, axis=0) > 0]
    if not table.shape[1]:
        return GoldSample(np.nan, note="the items that the test takes do not differ", of=of)
    within = None if stratum is None else stratum[rows]
    white = _whitened(table)
    p = permutation_p(white, gold[rows], rng, permutations, within)
    if permutations >= PERMUTATIONS and NEAR[0] < p < NEAR[1]:
        more = max(permutations, min(MORE_PERMUTATIONS, MORE_NUMBERS // int(gold.sum())))
        p = permutation_p(white, gold[rows], rng, more, within)
    return GoldSample(p, _shifts(features, gold), of=of)
