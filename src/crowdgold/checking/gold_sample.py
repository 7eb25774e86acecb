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

What gold was drawn of, items or whole clusters of them, and what is known of it before.

What is found of gold as a random sample of the items, in numbers and words.

Where the table gives the chances that gold was drawn with, gold need not be a random sample of the
items. What is said then is whether it fits these chances.

Whether gold items, each weighed by its chance, are like all items: no strata of others needed.

Of m gold items with weights w_i of mean 1 and features z_i, whitened and centred over all N items,

    D = 1/m sum of w_i z_i over the gold items

has mean about 0 over samples, and the design knows its covariance V (`inference.design`). It is
estimated from the gold items, among which a feature that few items have may not vary at all. So a
part of it is replaced by what V would be were weights and features unrelated: V_0 = v_0 I, where
v_0 is the variance of a feature of variance 1 had each item been drawn by itself. With F features

    D' W^-1 D / F        W = (1 - s) V + s V_0

is taken for an F with F and the design's degrees of freedom. A feature in which few items differ
from all others, of which few or none are among the gold items, has no variance there that could be
relied on, and is left out (`COMMON`). Where items were drawn each by itself,
the sum of 1 / chance over the gold items must come near N as well.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from scipy import special

from crowdgold.inference.design import KnownChances
from crowdgold.methods.doubts import CHOSEN, CHOSEN_MEND, DRAW_ANEW, SURELY_CHOSEN
from crowdgold.system.kernels import kernel
from crowdgold.types.clusters import together
from crowdgold.types.gold_draw import NO_STRATUM, GoldDraw
from crowdgold.types.items import NO_GOLD, Items

OF_ITEMS = "a random sample of the items"
OF_CLUSTERS = "a random sample of the clusters"


def mid_ranks(values: np.ndarray) -> np.ndarray:
    """The place of each value among all, from 1; equal ones share their mean place: (n,)."""
    _, place, times = np.unique(values, return_inverse=True, return_counts=True)
    ranks: np.ndarray = (np.cumsum(times) - (times - 1) / 2)[place]
    return ranks


def _of_ranks(items: Items, models: Iterable[str]) -> Iterator[tuple[str, np.ndarray]]:
    """What the ranking of each of some models says of items that all have its score."""
    for name in models:
        rank = (mid_ranks(items.scores[name]) - 0.5) / len(items)
        yield f"rank by score of {name}", rank
        yield f"distance of that rank from the middle, {name}", np.abs(rank - 0.5)


def item_features(items: Items) -> Iterator[tuple[np.ndarray, dict[str, np.ndarray]]]:
    """What is known of items before their gold label: rows (m,), and words -> (m,) that vary.

    First all items, with their votes and the scores of the models that scored each. Then, for the
    other models, the items that they scored: that an item has no score says nothing of how gold was
    drawn. Models that scored the same items stand together.
    """
    share = items.votes_positive / items.votes_total
    votes = {
        "share of positive votes": share,
        "split of the votes": share * (1 - share),
        "number of votes": items.votes_total.astype(float),
    }
    everyone = np.ones(len(items), dtype=bool)
    models: dict[bytes, list[str]] = {everyone.tobytes(): []}
    for name, scores in items.scores.items():
        models.setdefault(np.isfinite(scores).tobytes(), []).append(name)
    for scored, names in models.items():
        rows = np.flatnonzero(np.frombuffer(scored, dtype=bool))
        features = (votes if len(rows) == len(items) else {}) | dict(
            _of_ranks(items.take(rows), names)
        )
        yield rows, {name: one for name, one in features.items() if len(one) and np.ptp(one) > 0}


@dataclass(frozen=True)
class Units:
    """What was drawn: items, or clusters.

    Attributes:
        features: words -> (n,); those that vary.
        gold: (n,) whether it has a gold label.
        draw: the chances with which it was drawn; None where all have the same.
        stratum: (n,) number of each one's stratum, where gold is to be random within strata.
        of: what gold is to be, in words.
    """

    features: dict[str, np.ndarray]
    gold: np.ndarray
    draw: GoldDraw | None
    stratum: np.ndarray | None
    of: str = OF_ITEMS

    def by_cluster(self, cluster: np.ndarray) -> "Units":
        """The clusters (n,) that they are of."""
        _, first, code, size = np.unique(
            cluster, return_index=True, return_inverse=True, return_counts=True
        )
        means = {name: np.bincount(code, one) / size for name, one in self.features.items()}
        means["number of items"] = size.astype(float)
        return Units(
            {name: one for name, one in means.items() if np.ptp(one) > 0},
            np.bincount(code, self.gold) > 0,
            None if self.draw is None else self.draw.take(first),
            None if self.stratum is None else self.stratum[first],
            OF_CLUSTERS,
        )


def whitened(features: np.ndarray) -> np.ndarray:
    """Centre and whiten features (N, F); what others determine falls out: (N, rank)."""
    centred = features - features.mean(axis=0)
    scaled = centred / centred.std(axis=0)
    left, singular, _ = np.linalg.svd(scaled, full_matrices=False)
    return left[:, singular > 1e-9 * singular[0]] * np.sqrt(len(features))


def centred(table: np.ndarray, stratum: np.ndarray) -> np.ndarray:
    """Take the mean of its stratum from each feature; what does not vary then is 0 throughout."""
    centred = table - table.mean(axis=0)
    for one in np.unique(stratum):
        centred[stratum == one] -= centred[stratum == one].mean(axis=0)
    return np.where(np.ptp(centred, axis=0) > 1e-9 * np.ptp(table, axis=0), centred, 0.0)


OF_STRATA = "a random sample within the strata that gold was drawn from"
BY_CHANCE = "drawn with the chances that the table gives"
OF_FIRST = "a random sample of the items (gold of the first batch)"
OF_SENT = "a random sample of the items that were sent to experts"
DRAWN_AFTER_MEND = (
    "Set all gold labels aside, since later batches were drawn from what the first left over, and "
    f"{DRAW_ANEW}"
)
"""What can be done about a first batch that was chosen without known chances."""
LEFT_OUT = "Have an expert label what was left out"
GIVEN_MEND = (
    "If experts left items out, if others were labelled too, or if the chances are of other items, "
    f"the numbers are wrong. {LEFT_OUT}, or correct the chances. Else set this gold aside and "
    f"{DRAW_ANEW}, or take its chances out of the table and have `crowdgold sample --poststratify` "
    "estimate them"
)
"""What can be done about gold that does not fit the chances that are given for it."""
CLUSTERS_MEND = (
    "If experts left clusters out, or if others were labelled too, the numbers are wrong. "
    f"{LEFT_OUT}, give the chances that clusters were drawn with, or draw clusters anew"
)
"""What can be done about clusters that were chosen without known chances."""


@dataclass(frozen=True)
class Told:
    """What is said of gold as a sample of some kind.

    Attributes:
        question: whether it is one.
        no: the answer where it surely is none.
        drawn: what samples are as uneven now and then.
        misfit: what is wrong with it, a clause.
        surely: the same where nothing can rest on gold.
        mend: what can be done, sentences without the last stop.
    """

    question: str
    no: str
    drawn: str
    misfit: str
    surely: str
    mend: str


def _at_random(of: str, mend: str, whose: str = "") -> Told:
    """What is said of gold, or of a part of it, that is to be a random sample."""
    plain = of.partition(" (")[0]
    return Told(
        f"{of}?", "it does not look like one", "random samples",
        f"gold{whose} does not look like {plain}",
        f"the gold items{whose} are surely no {plain.removeprefix('a ')}", mend,
    )  # fmt: skip


_OF_CHANCES = Told(
    "does gold fit the chances that the table gives?", "it does not", "samples drawn with them",
    "gold does not fit the chances that the table gives for it",
    "gold surely does not fit the chances that the table gives for it", GIVEN_MEND,
)  # fmt: skip
TOLD: Mapping[str, Told] = MappingProxyType(
    {
        OF_ITEMS: _at_random(OF_ITEMS, CHOSEN_MEND),
        OF_FIRST: _at_random(OF_FIRST, DRAWN_AFTER_MEND, " of the first batch"),
        OF_CLUSTERS: _at_random(OF_CLUSTERS, CLUSTERS_MEND),
        OF_STRATA: _OF_CHANCES,
        BY_CHANCE: _OF_CHANCES,
        OF_SENT: Told(
            "are the items of the last batch that came back without a label like the others?",
            "they are not", "random choices",
            "the items of the last batch that experts labelled are not like those that they left",
            "the items of the last batch that experts labelled are surely not like those that "
            "they left",
            f"The numbers are about items like the labelled ones. {LEFT_OUT}. Else set this gold "
            f"aside and {DRAW_ANEW}",
        ),
    }
)  # fmt: skip
"""By what gold is to be."""


def _as_uneven(p: float, of: str) -> str:
    share = f"{100 * p:.2g}" if p < 0.995 else "100"  # not 1e+02
    return f"{share} % of {TOLD[of].drawn} are as uneven"


def likeness_in_words(p: float, of: str = OF_ITEMS) -> str:
    """What the test's p-value says of gold as a sample of some kind, in a few words."""
    if p < SURELY_CHOSEN:
        return TOLD[of].no
    return f"{'possibly not' if p < CHOSEN else 'it may be'}: {_as_uneven(p, of)}"


@dataclass(frozen=True)
class Shift:
    """How gold items differ from the others in a feature.

    Attributes:
        feature: what it is, in words.
        gold, others: its mean over the gold items, and over the others; where these are weighed,
            over all items.
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
        """Whether gold is to be doubted."""
        return self.p < CHOSEN

    @property
    def surely_chosen(self) -> bool:
        """Whether nothing can rest on gold."""
        return self.p < SURELY_CHOSEN

    @property
    def told(self) -> Told:
        """What is said of gold as the sample that it is to be."""
        return TOLD[self.of]

    @property
    def mend(self) -> str:
        """What can be done about gold that is to be doubted, without the last stop."""
        mend = self.told.mend
        if self.surely_chosen:
            return mend
        keep = f"{_as_uneven(self.p, self.of)}: if these labels were drawn so, keep them"
        return f"{keep}. Else {mend[0].lower()}{mend[1:]}"

    @property
    def to_do(self) -> list[str]:
        """What `crowdgold evaluate` does with gold that is to be doubted, and what to do."""
        does = (
            "evaluate sets this gold aside: its numbers rest on models of votes and scores, which "
            "nothing checks"
            if self.surely_chosen
            else "evaluate still corrects by this gold; its numbers may be wrong"
        )
        given = self.of not in (OF_ITEMS, OF_CLUSTERS)
        weigh = ", once its chances are out of the table" if given else ""
        do = (
            f"set this gold aside and {DRAW_ANEW}; or have `crowdgold sample --poststratify` weigh "
            f"it{weigh}"
        )
        unless = "" if self.surely_chosen else "if it was not drawn so, "
        left = "have an expert label what was left without a label; or "
        return [does, f"{unless}{left if self.of == OF_SENT else ''}{do}"]

    @property
    def doubt(self) -> str:
        """Why gold is to be doubted, and what can be done, without the last stop."""
        if self.of not in (OF_ITEMS, OF_FIRST):
            return f"{self.told.misfit} (p = {self.p:.2g}). {self.mend}"
        first, at_random = self.shifts[0], self.of == OF_ITEMS
        which = "with a gold label" if at_random else "of the first batch of gold labels"
        takes = "gold items" if at_random else "a first batch without strata"
        return (
            f"the items {which} do not look like a random sample of all items (p = "
            f"{self.p:.2g}): the {first.feature} is {first.gold:.3g} on average among them and "
            f"{first.others:.3g} among the others. Every estimator takes {takes} to be chosen at "
            "random; if they were chosen by votes, scores or difficulty, its numbers are wrong. "
            f"{self.mend}"
        )


SHRUNK = 0.3
"""Share s of the covariance that does not rest on the features of the gold items."""
FEWEST = 3
"""Gold items that a covariance takes."""
COMMON = 10
"""Gold items that differ from the most frequent value of a feature, or would in a random sample of
as many: with 5, a feature of 2 % of the items made a doubt at .01 in .08 of random samples."""
TESTS = 2
"""Where two tests are made of one question, the smaller p counts so many times."""


def _mean_and_covariance(
    values: np.ndarray, gold: np.ndarray, draw: GoldDraw
) -> tuple[np.ndarray, np.ndarray, float]:
    """D (F,), W (F, F) and the degrees of freedom, of standardised features (N, F)."""
    rows = np.flatnonzero(gold)
    design = KnownChances.of(draw.take(rows), len(gold))
    influence = design.weights[:, None] * values[rows]
    deviations = design.deviations(influence)
    alike = replace(design, by_itself=True).deviations(design.weights[:, None])
    own, of_one = (one.T @ one / (len(one) - 1) / len(rows) for one in (deviations, alike))
    freedom = design.freedom(deviations, np.full(values.shape[1], len(rows)))
    shrunk = (1 - SHRUNK) * own + SHRUNK * of_one * np.eye(len(own))
    return influence.mean(axis=0), shrunk, float(np.median(freedom))


def _p_of_number(chance: np.ndarray, size: int) -> float:
    """The p-value of items with these chances (m,) being all that were drawn of so many."""
    number = float((1 / chance).sum())
    variance = float(((1 - chance) / chance**2).sum()) * size / number
    return float(special.erfc(abs(number - size) / np.sqrt(2 * variance))) if variance else 1.0


def _common(values: np.ndarray, gold: np.ndarray) -> bool:
    """Whether gold items say how much a feature (N,) varies."""
    _, value, times = np.unique(values, return_inverse=True, return_counts=True)
    differs = value != times.argmax()
    return bool(max(differs.mean() * gold.sum(), differs[gold].sum()) >= COMMON)


def of_weighed(units: Units, of: str) -> GoldSample:
    """Whether gold items that were drawn with known chances are like all items.

    Args:
        units: what gold was drawn of, with the chances.
        of: what they are to be a sample of, in words.
    """
    assert units.draw is not None
    if units.of == OF_CLUSTERS:
        why = "how clusters without a gold label could be drawn is not given"
        return GoldSample(np.nan, note=why, of=of)
    if units.gold.sum() < FEWEST:
        return GoldSample(np.nan, note=f"fewer than {FEWEST} gold labels", of=of)
    table = np.stack(list(units.features.values()), axis=1)
    common = np.array([_common(one, units.gold) for one in table.T])
    if units.stratum is not None:
        table = centred(table, units.stratum)
    varies = common & (np.ptp(table, axis=0) > 0)
    if not varies.any():
        return GoldSample(np.nan, note="too few items differ", of=of)
    mean, shrunk, freedom = _mean_and_covariance(whitened(table[:, varies]), units.gold, units.draw)
    if not np.diag(shrunk).all():
        return GoldSample(np.nan, note="no gold item was drawn by chance", of=of)
    each = float(mean @ np.linalg.solve(shrunk, mean)) / len(mean)
    p = float(special.fdtrc(len(mean), freedom, each))
    if units.draw.stratum is None:
        number = _p_of_number(units.draw.chance[units.gold], len(units.gold))
        p = min(1.0, TESTS * min(p, number))
    return GoldSample(p, _shifts_weighed_gold(units), of=of)


def _shifts_weighed_gold(units: Units) -> tuple[Shift, ...]:
    """Compare the weighed gold items with all items, feature by feature."""
    assert units.draw is not None
    table = np.stack(list(units.features.values()), axis=1)
    middle, spread = table.mean(axis=0), table.std(axis=0)
    mean, shrunk, _ = _mean_and_covariance((table - middle) / spread, units.gold, units.draw)
    columns = (middle + spread * mean, middle, mean / np.sqrt(np.diag(shrunk)))
    found = [Shift(name, *map(float, one))
             for name, *one in zip(units.features, *columns, strict=True)]  # fmt: skip
    return tuple(sorted(found, key=lambda shift: -abs(shift.z)))


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
"""How far gold comes by whole clusters (`types.clusters`) from which on clusters are tested."""


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
