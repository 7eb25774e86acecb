"""Whether gold looks like what every estimator takes it for: a random sample of the items.

Of each item the share of positive votes, their split (share (1 - share)) and number are known
before its gold label where there are votes, and for each model the item's rank by score and the
rank's distance from the middle. With Z these features, centred and whitened over all N items
(Z'Z = N I), the statistic is

    T = |sum of Z over the gold items|^2

the squared Mahalanobis distance of the gold items' mean from that of all, up to a factor. It is
held against T of equally many items drawn at random, so that the level holds whatever the features:
within strata, where gold is drawn so, or with the chances that the table gives, their sum less the
one that these chances give; so is then their number. Where the table gives chances of gold items
alone, as files of `crowdgold sample` do, no items can be drawn anew, and the gold items' mean, each
weighed by its chance, is held against that of all. Of m gold items with weights w_i of mean 1,

    D = 1/m sum of w_i z_i over the gold items

has mean about 0 over samples, and the design knows its covariance V (`inference.design`). It is
estimated from the gold items, among which a feature that few items have may not vary at all. So a
part of it is replaced by what V would be were weights and features unrelated: V_0 = v_0 I, where
v_0 is the variance of a feature of variance 1 had each item been drawn by itself. With F features

    D' W^-1 D / F        W = (1 - s) V + s V_0

is taken for an F with F and the design's degrees of freedom. Where items were drawn each by itself,
the sum of 1 / chance over the gold items must come near N as well.

Of several tests the smallest p counts, times their number: the level is that of all together. Where
gold comes by whole clusters of items, they stand in the place of items, with the means of their
items' features. Gold that is chosen by something else than votes and scores is not found.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from scipy import special

from crowdgold.inference.design import KnownChances
from crowdgold.methods.needs import CHOSEN, CHOSEN_MEND, DRAW_ANEW, SURELY_CHOSEN
from crowdgold.system.kernels import kernel
from crowdgold.types.gold_draw import NO_STRATUM, GoldDraw, whole_clusters
from crowdgold.types.items import NO_GOLD, Items
from crowdgold.types.notes import Note

OF_ITEMS, OF_CLUSTERS, OF_FIRST, OF_STRATA, BY_CHANCE, OF_SENT = (
    "items", "clusters", "first batch", "strata", "chances", "sent items",
)  # fmt: skip
"""What gold is to be a random sample of, or how it was drawn; their words are in `WORDINGS`."""


def mid_ranks(values: np.ndarray) -> np.ndarray:
    """The place of each value among all, from 1; equal ones share their mean place: (n,)."""
    _, place, times = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(times) - (times - 1) / 2)[place])


def item_features(items: Items) -> Iterator[tuple[np.ndarray, dict[str, np.ndarray]]]:
    """What is known of items before their gold label: rows (m,), and words -> (m,) that vary.

    First all items, with their votes and the scores of the models that scored each. Then, for the
    other models, the items that they scored: that an item has no score says nothing of how gold was
    drawn. Models that scored the same items stand together; without votes there is nothing else.
    """
    share = items.vote_share  # without votes it does not vary, as their number does not
    of_votes = {
        "share of positive votes": share,
        "split of the votes": share * (1 - share),
        "number of votes": items.votes_total.astype(float),
    }
    models: dict[bytes, list[str]] = {}
    if items.has_votes or not items.scores:
        models[np.ones(len(items), dtype=bool).tobytes()] = []
    for name, scores in items.scores.items():
        models.setdefault(np.isfinite(scores).tobytes(), []).append(name)
    for scored, names in models.items():
        rows = np.flatnonzero(np.frombuffer(scored, dtype=bool))
        features = dict(of_votes) if len(rows) == len(items) else {}
        for name in names:
            rank = (mid_ranks(items.scores[name][rows]) - 0.5) / len(rows)
            features[f"rank by score of {name}"] = rank
            middle = f"distance of the rank by score of {name} from the middle"
            features[middle] = np.abs(rank - 0.5)
        yield rows, _varying(features)


def _varying(features: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    return {name: values for name, values in features.items() if len(values) and np.ptp(values) > 0}


@dataclass(frozen=True)
class Units:
    """What was drawn, n items or clusters, with all that the test needs of them."""

    features: dict[str, np.ndarray]  # words -> (n,); those that vary
    gold: np.ndarray  # (n,) whether it has a gold label
    draw: GoldDraw | None  # the chances with which it was drawn; None where all have the same
    stratum: np.ndarray | None  # (n,) number, where gold is to be random within strata
    of: str = OF_ITEMS  # what gold is to be a sample of, a key of `WORDINGS`

    @property
    def table(self) -> np.ndarray:
        """The features as columns: (n, F)."""
        return np.stack(list(self.features.values()), axis=1)

    def by_cluster(self, cluster: np.ndarray) -> "Units":
        """The clusters (n,) that they are of."""
        _, first, code, size = np.unique(
            cluster, return_index=True, return_inverse=True, return_counts=True
        )
        means = {name: np.bincount(code, own) / size for name, own in self.features.items()}
        return Units(
            _varying({**means, "number of items": size.astype(float)}),
            np.bincount(code, self.gold) > 0,
            None if self.draw is None else self.draw.take(first),
            None if self.stratum is None else self.stratum[first],
            OF_CLUSTERS,
        )


def whitened(features: np.ndarray) -> np.ndarray:
    """Features (N, F) centred and whitened; those that others determine fall out: (N, rank)."""
    centred = features - features.mean(axis=0)
    scaled = centred / centred.std(axis=0)
    left, singular, _ = np.linalg.svd(scaled, full_matrices=False)
    return left[:, singular > 1e-9 * singular[0]] * np.sqrt(len(features))


def centred(table: np.ndarray, stratum: np.ndarray) -> np.ndarray:
    """Features (N, F) less their stratum's mean; those that vary in no stratum are 0 throughout."""
    centred = table - table.mean(axis=0)
    for one in np.unique(stratum):
        centred[stratum == one] -= centred[stratum == one].mean(axis=0)
    return np.where(np.ptp(centred, axis=0) > 1e-9 * np.ptp(table, axis=0), centred, 0.0)


DRAWN_AFTER_MEND = (
    "Set all gold labels aside, since later batches were drawn from what the first left over, and "
    f"{DRAW_ANEW}"
)
LEFT_OUT = "Have an expert label what was left out"
GIVEN_MEND = (
    "If experts left items out, if others were labelled too, or if the chances are of other items, "
    f"the numbers are wrong. {LEFT_OUT}, or correct the chances. Else set this gold aside and "
    f"{DRAW_ANEW}, or take its chances out of the table and have `crowdgold sample --poststratify` "
    "estimate them"
)
CLUSTERS_MEND = (
    "If experts left clusters out, or if others were labelled too, the numbers are wrong. "
    f"{LEFT_OUT}, give the chances that clusters were drawn with, or draw clusters anew"
)


@dataclass(frozen=True)
class Wording:
    """The words of the test of gold as a sample of some kind."""

    question: str  # whether it is one
    no: str  # the answer where it surely is none
    drawn: str  # "random samples" and such, of which a share p are as uneven
    misfit: str  # what is wrong with it, a clause
    surely: str  # the same where nothing can rest on gold
    mend: str  # what can be done, sentences without the last stop


def _at_random(what: str, mend: str, whose: str = "") -> Wording:
    """The words for gold, or a part of it (`whose`), that is to be a random sample of something."""
    of_part = f" (gold{whose})" if whose else ""
    return Wording(
        f"a random sample of the {what}{of_part}?", "it does not look like one", "random samples",
        f"gold{whose} does not look like a random sample of the {what}",
        f"the gold items{whose} are surely no random sample of the {what}", mend,
    )  # fmt: skip


_OF_CHANCES = Wording(
    "does gold fit the chances that the table gives?", "it does not", "samples drawn with them",
    "gold does not fit the chances that the table gives for it",
    "gold surely does not fit the chances that the table gives for it", GIVEN_MEND,
)  # fmt: skip
WORDINGS: Mapping[str, Wording] = {
    OF_ITEMS: _at_random("items", CHOSEN_MEND),
    OF_FIRST: _at_random("items", DRAWN_AFTER_MEND, " of the first batch"),
    OF_CLUSTERS: _at_random("clusters", CLUSTERS_MEND),
    OF_STRATA: _OF_CHANCES,
    BY_CHANCE: _OF_CHANCES,
    OF_SENT: Wording(
        "are the items of the last batch that came back without a label like the others?",
        "they are not", "random choices",
        "the items of the last batch that experts labelled are not like those that they left",
        "the items of the last batch that experts labelled are surely not like those that they "
        "left",
        f"The numbers are about items like the labelled ones. {LEFT_OUT}. Else set this gold aside "
        f"and {DRAW_ANEW}",
    ),
}  # fmt: skip


def _as_uneven(p: float, of: str) -> str:
    share = f"{100 * float(f'{p:.2g}'):.2g}" if p < 0.995 else "100"  # not 1e+02
    return f"{share} % of {WORDINGS[of].drawn} are as uneven"


def likeness_in_words(p: float, of: str = OF_ITEMS) -> str:
    """What the test's p-value says of gold as a sample of some kind, in a few words."""
    if p < SURELY_CHOSEN:
        return WORDINGS[of].no
    return f"{'possibly not' if p < CHOSEN else 'it may be'}: {_as_uneven(p, of)}"


@dataclass(frozen=True)
class Shift:
    """How gold items differ from the others in a feature."""

    feature: str  # in words
    gold: float  # its mean over the gold items
    others: float  # over the others; where gold items are weighed, over all items
    z: float  # difference in standard errors of a random sample


@dataclass(frozen=True)
class GoldSample:
    """What the test found."""

    p: float  # share of random samples that lie as far from the mean; small where gold was chosen
    shifts: tuple[Shift, ...] = ()  # each feature, that which differs most first
    note: str = ""  # why there is no test, empty where there is one; p is NaN then
    of: str = OF_ITEMS  # what it is to be a sample of, a key of `WORDINGS`

    @property
    def chosen(self) -> bool:
        """Whether gold is to be doubted."""
        return self.p < CHOSEN

    @property
    def surely_chosen(self) -> bool:
        """Whether nothing can rest on gold."""
        return self.p < SURELY_CHOSEN

    @property
    def wording(self) -> Wording:
        """The words for gold as the kind of sample that it is to be."""
        return WORDINGS[self.of]

    @property
    def mend(self) -> str:
        """What can be done about gold that is to be doubted, without the last stop."""
        mend = self.wording.mend
        if self.surely_chosen:
            return mend
        keep = f"{_as_uneven(self.p, self.of)}: if these labels were drawn so, keep them"
        return f"{keep}. Else {mend[0].lower()}{mend[1:]}"

    @property
    def to_do(self) -> list[str]:
        """What `crowdgold evaluate` does with gold that is to be doubted, and what to do."""
        given = self.of not in (OF_ITEMS, OF_CLUSTERS)
        weigh = ", once its chances are out of the table" if given else ""
        left = "have an expert label what was left without a label; or " * (self.of == OF_SENT)
        do = (
            f"{left}set this gold aside and {DRAW_ANEW}; or have `crowdgold sample --poststratify` "
            f"weigh it{weigh}"
        )
        aside = "evaluate sets this gold aside: its numbers rest on models of votes and scores, "
        if self.surely_chosen:
            return [f"{aside}which nothing checks", do]
        kept = "evaluate still corrects by this gold; its numbers may be wrong"
        return [kept, f"if it was not drawn so, {do}"]

    @property
    def doubt(self) -> Note:
        """Why gold is to be doubted, and what can be done."""
        values = {"misfit": self.wording.misfit, "p": self.p, "mend": self.mend}
        if self.of not in (OF_ITEMS, OF_FIRST):
            return Note("gold_misfit", values)
        return Note("gold_uneven" if self.of == OF_ITEMS else "first_batch_uneven",
                    {**vars(self.shifts[0]), **values})  # fmt: skip


SHRUNK = 0.3  # share s of the covariance that does not rest on the features of the gold items
FEWEST = 3  # gold items that a covariance takes
COMMON = 10
"""Gold items that differ from the most frequent value of a feature, or would in a random sample of
as many: with 5, a feature of 2 % of the items made a doubt at .01 in .08 of random samples."""
TESTS = 2  # where two tests are made of one question, the smaller p counts so many times


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


def _common(values: np.ndarray, gold: np.ndarray) -> bool:
    """Whether gold items say how much a feature (N,) varies."""
    _, value, times = np.unique(values, return_inverse=True, return_counts=True)
    differs = value != times.argmax()
    return bool(max(differs.mean() * gold.sum(), differs[gold].sum()) >= COMMON)


def of_weighed(units: Units, of: str) -> GoldSample:
    """The test of gold items, drawn with known chances, against all items; `of` is its kind."""
    assert units.draw is not None
    if units.of == OF_CLUSTERS:
        why = "how clusters without a gold label could be drawn is not given"
        return GoldSample(np.nan, note=why, of=of)
    if units.gold.sum() < FEWEST:
        return GoldSample(np.nan, note=f"fewer than {FEWEST} gold labels", of=of)
    features = table = units.table
    common = np.array([_common(values, units.gold) for values in table.T])
    if units.stratum is not None:
        table = centred(table, units.stratum)
    varies = common & (np.ptp(table, axis=0) > 0)
    if not varies.any():
        return GoldSample(np.nan, note="too few items differ", of=of)
    mean, shrunk, freedom = _mean_and_covariance(whitened(table[:, varies]), units.gold, units.draw)
    if not np.diag(shrunk).all():
        return GoldSample(np.nan, note="no gold item was drawn by chance", of=of)
    statistic = float(mean @ np.linalg.solve(shrunk, mean)) / len(mean)
    p = float(special.fdtrc(len(mean), freedom, statistic))
    if units.draw.stratum is None:
        chance, size = units.draw.chance[units.gold], len(units.gold)
        number = float((1 / chance).sum())
        variance = float(((1 - chance) / chance**2).sum()) * size / number
        p_n = float(special.erfc(abs(number - size) / np.sqrt(2 * variance))) if variance else 1.0
        p = min(1.0, TESTS * min(p, p_n))
    middle, spread = features.mean(axis=0), features.std(axis=0)
    mean, shrunk, _ = _mean_and_covariance((features - middle) / spread, units.gold, units.draw)
    numbers = middle + spread * mean, middle, mean / np.sqrt(np.diag(shrunk))
    shifts = zip(units.features, *numbers, strict=True)
    return GoldSample(p, _most_first(Shift(name, *map(float, own)) for name, *own in shifts), of=of)


def _most_first(shifts: Iterable[Shift]) -> tuple[Shift, ...]:
    return tuple(sorted(shifts, key=lambda shift: -abs(shift.z)))


PERMUTATIONS = 1999
FEW_BEYOND = 5
"""Of the permutations: where so few lie beyond what was found, or p is near the limits, an error of
p could decide. It is found again by more of them, but for a p that is surely small enough."""
MORE_PERMUTATIONS, MORE_NUMBERS = 66_666, 200_000_000  # of these; of the items that they draw
MOST_GOLD, MOST_OTHERS = 5_000, 20_000
"""Items that the test takes at most; with more, some of either kind drawn at random, among which
gold is a random sample wherever it is one of all."""
MOST_NUMBERS = 200_000  # random numbers of one block of permutations
EMPTY = 0.05  # share without a label from which on it matters; fewer can shift no share by more
MOSTLY = 0.5  # share of gold by whole clusters (`types.gold_draw`) from which on these are tested


@kernel()
def _add_drawn(
    white: np.ndarray, order: np.ndarray, uniform: np.ndarray, sums: np.ndarray
) -> None:  # pragma: no cover - compiled
    """Add to each row of `sums` the features of items drawn at random, by a row of random numbers.

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
    white: np.ndarray, gold: np.ndarray, rng: np.random.Generator, permutations: int,
    stratum: np.ndarray | None = None,
) -> float:  # fmt: skip
    """The p-value of the gold items (N,) being a random sample, by whitened features (N, F)."""
    found = float((white[gold].sum(axis=0) ** 2).sum())
    places = [gold >= 0] if stratum is None else [stratum == one for one in np.unique(stratum)]
    sums = sum(
        _drawn_sums(white[place], int(gold[place].sum()), rng, permutations) for place in places
    )
    values = (np.asarray(sums) ** 2).sum(axis=1)
    # Ties with what was found, but for rounding, count as being as far.
    beyond = int((values >= found * (1 - 1e-9)).sum())
    return (1 + beyond) / (1 + permutations)


def _precise_p(p_by: Callable[[int], float], few: int, numbers: int, tests: int) -> float:
    """A p-value by `few` permutations, or by more where its error could decide."""
    p = p_by(few)
    near = SURELY_CHOSEN / tests <= p <= max(2 * CHOSEN / tests, FEW_BEYOND / few)
    if few < PERMUTATIONS or not near:
        return p
    return p_by(max(few, min(MORE_PERMUTATIONS * tests, MORE_NUMBERS // numbers)))


def _one_by_one(units: Units, rng: np.random.Generator, draws: int, tests: int) -> GoldSample:
    """Test whether gold was drawn with the chances that the table gives, each unit by itself."""
    assert units.draw is not None
    gold, chance = units.gold, units.draw.chance
    if len(gold) > MOST_GOLD + MOST_OTHERS:
        return GoldSample(np.nan, note="there are too many items", of=BY_CHANCE)
    counted = np.column_stack([whitened(units.table), np.ones(len(gold))])
    expected, block = chance @ counted, max(1, MOST_NUMBERS // len(gold))

    def squares(sums: np.ndarray) -> np.ndarray:
        """How far sums (r, F + 1) of features, and the number, the last, are off: (r, 2)."""
        return np.stack([(sums[:, :-1] ** 2).sum(axis=1), sums[:, -1] ** 2], axis=1)

    found = squares(counted[gold].sum(axis=0)[None] - expected)

    def p_by(number: int) -> float:
        number, beyond = TESTS * number, np.zeros(TESTS)
        for start in range(0, number, block):
            size = min(block, number - start)
            sums = (rng.random((size, len(gold))) < chance).astype(float) @ counted - expected
            beyond += (squares(sums) >= found * (1 - 1e-9)).sum(axis=0)
        return min(1.0, TESTS * float((1 + beyond.min()) / (1 + number)))

    p = _precise_p(p_by, draws, TESTS * len(gold), tests)
    return GoldSample(p, _shifts(units.features, gold), of=BY_CHANCE)


def _last_sent(units: Units) -> Units | None:
    """The units sent to experts in the last batch; None where nothing can be tested."""
    draw = units.draw
    if draw is None or draw.sent is None or draw.batch is None or units.of == OF_CLUSTERS:
        return None
    batch = np.where(draw.sent == NO_STRATUM, -1, draw.batch[draw.sent])
    rows = np.flatnonzero(batch == draw.batch.max())
    gold, stratum = units.gold[rows], draw.sent[rows]
    features = _varying({name: values[rows] for name, values in units.features.items()})
    if not (features and gold.any() and (~gold).mean() >= EMPTY):
        return None
    if units.stratum is not None:
        stratum = stratum + len(draw.batch) * units.stratum[rows]
    return Units(features, gold, None, stratum)


def _by_weight(units: Units, rng: np.random.Generator, permutations: int, tests: int) -> GoldSample:
    """Test gold whose own chances alone are known; its first and last batch by themselves."""
    draw = units.draw
    assert draw is not None
    at_random, only = {}, False
    if draw.stratum is not None and draw.batch is not None and (draw.batch == 0).sum() <= 1:
        first = units.gold & (draw.stratum == int(np.flatnonzero(draw.batch == 0)[0]))
        only = bool((first == units.gold).all())
        if first.any():
            at_random[units.of if only else OF_FIRST] = replace(units, gold=first, draw=None)
    if (sent := _last_sent(units)) is not None:
        at_random[OF_SENT] = sent
    number = len(at_random) + (not only)
    found = [
        replace(_of_strata(part, rng, number * permutations, tests * number), of=kind)
        for kind, part in at_random.items()
    ]
    if not only:
        found.append(of_weighed(units, BY_CHANCE if draw.stratum is None else OF_STRATA))
    whole = found[0 if only else -1]
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
    """How gold items differ from the others in each feature, the largest difference first."""
    scale, shifts = np.sqrt(len(gold) / (gold.sum() * (~gold).sum())), []
    for name, values in features.items():
        here, there = float(values[gold].mean()), float(values[~gold].mean())
        error = float(values.std(ddof=1)) * scale
        shifts.append(Shift(name, here, there, (here - there) / error))
    return _most_first(shifts)


def assess_gold_sample(
    items: Items, rng: np.random.Generator, permutations: int = PERMUTATIONS,
    stratum: np.ndarray | None = None, tests: int = 1,
) -> GoldSample:  # fmt: skip
    """Whether the gold items are a random sample of the items, or of those of each stratum (n,).

    Where several such `tests` are made of one study, one for each of its parts, p counts so often.
    """
    parts, each = list(item_features(items)), []
    permutations = max(permutations, min(len(parts) * permutations, MORE_PERMUTATIONS))
    for rows, features in parts:
        own, within = items.take(rows), None if stratum is None else stratum[rows]
        each.append(_assess(own, features, rng, permutations, within, tests * len(parts)))
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
    if items.cluster is not None and whole_clusters(items.cluster, gold, items.draw).share > MOSTLY:
        units = units.by_cluster(items.cluster)
    if not units.features:
        votes = "all items have the same votes" if items.has_votes else "there are no votes"
        return GoldSample(np.nan, note=f"{votes}, and the scores do not differ")
    if units.gold.all():
        return GoldSample(np.nan, note="every cluster has a gold label", of=OF_CLUSTERS)
    if (draw := units.draw) is not None:
        alone = draw.stratum is None
        known = np.isfinite(draw.chance) if alone else draw.stratum != NO_STRATUM
        if not np.all(known):  # the table does not say of each item how it could be drawn
            return _by_weight(units, rng, permutations, tests)
        if alone:
            return _one_by_one(units, rng, permutations, tests)
    return _of_strata(units, rng, permutations, tests)


def _of_strata(units: Units, rng: np.random.Generator, permutations: int, tests: int) -> GoldSample:
    """Test whether gold is a random sample of all units, or of those of each stratum."""
    gold, stratum, draw, of = units.gold, units.stratum, units.draw, units.of
    if draw is not None and draw.stratum is not None:
        of, whole = OF_STRATA, 0 if stratum is None else stratum
        stratum = draw.stratum + (int(draw.stratum.max()) + 1) * whole
    kinds = (np.flatnonzero(gold), MOST_GOLD), (np.flatnonzero(~gold), MOST_OTHERS)
    rows = np.concatenate(
        [own if len(own) <= most else rng.choice(own, most, replace=False) for own, most in kinds]
    )
    table, within = units.table[rows], None
    if stratum is not None:
        within = stratum[rows]
        table = centred(table, within)
    table = table[:, np.ptp(table, axis=0) > 0]
    if not table.shape[1]:
        return GoldSample(np.nan, note="the items that the test takes do not differ", of=of)
    white = whitened(table)

    def p_by(number: int) -> float:
        return permutation_p(white, gold[rows], rng, number, within)

    p = _precise_p(p_by, permutations, int(gold[rows].sum()), tests)
    return GoldSample(p, _shifts(units.features, gold), of=of)
