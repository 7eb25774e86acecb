"""Gold of `crowdgold sample`, of which files say alone how it was drawn, held against all items."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

from crowdgold.checking.gold_sample import (
    BY_CHANCE,
    OF_FIRST,
    OF_ITEMS,
    OF_SENT,
    OF_STRATA,
    Units,
    assess_gold_sample,
    of_weighed,
)
from crowdgold.methods.needs import CHOSEN
from crowdgold.metrics.binary import parse_metric
from crowdgold.planning.batch import next_batch
from crowdgold.reading.study import read_study
from crowdgold.simulate import simulate
from crowdgold.types.gold_draw import COLUMNS, GoldDraw, read_gold_draw
from crowdgold.types.items import NO_GOLD
from crowdgold.types.notes import texts

WORLD = {
    "n": 1000, "n_gold": 0, "votes_total": 3, "phi": 0.15, "a0": 0.1, "a1": 0.8, "d0": 1.5,
    "d1": 1.5, "predictors": {"A": {"mu": 1.0, "delta": 1.0}},
}  # fmt: skip
ASKED = [parse_metric("AUC"), parse_metric("TNR_H")]
EACH = 120
"""Items that are sent to experts in a batch."""
STUDIES = 200
LEVELS = (0.01, 0.05)


def study(seed):
    """Items without gold labels, of which one in fifty has no score."""
    rng = np.random.default_rng([21, seed])
    items = simulate("maven", WORLD, rng).table
    scores = np.where(rng.random(len(items)) < 0.02, np.nan, items.scores["A"])
    return replace(items, scores={"A": scores})


def read(items, files):
    """The items with the gold labels of files, drawn as these say; of several, the one with a
    label.
    """
    table = pd.concat(files).sort_values("gold", kind="stable", na_position="first")
    own = table.drop_duplicates("item", keep="last").set_index("item").reindex(items.item)
    columns = {name: own[name].astype("string") for name in COLUMNS if name in own}
    columns = {name: one.reset_index(drop=True) for name, one in columns.items()}
    gold = own["gold"].fillna(-1).to_numpy(dtype=np.int8)
    return replace(items, gold=gold, draw=read_gold_draw(columns, gold, items.item))


def sent(items, seed, skipped=0.0):
    """The next file, labelled; a share of split votes is skipped, but one of a stratum of these
    alone.
    """
    batch = next_batch(items, ASKED, EACH, seed)
    frame = batch.to_frame(items)
    positive, total = items.votes_positive[batch.rows], items.votes_total[batch.rows]
    split = (positive > 0) & (positive < total)
    left = split & (np.random.default_rng([22, seed]).random(EACH) < skipped)
    whole = pd.Series(left).groupby(frame["gold_stratum"]).transform("all")
    first = whole & ~frame["gold_stratum"].duplicated()
    truth = pd.Series(items.truth[batch.rows], dtype="Int8")
    return frame.assign(gold=truth.where(~left | first))


def in_two_batches(seed, skipped=0.0):
    """Gold labels of two batches, the second guided by the first."""
    items, files = study(seed), []
    for _ in range(2):
        files.append(sent(items, seed, skipped))
        items = read(items, files)
    return items


def doubts(studies):
    return np.array([assess_gold_sample(one, np.random.default_rng(1), 199).p for one in studies])


def no_more_than_by_chance(found):
    """Of 200 studies at most as many as the binomial exceeds once in 1,000 times."""
    return all((found < level).sum() <= binom.ppf(0.999, STUDIES, level) for level in LEVELS)


@pytest.fixture(scope="module")
def guided():
    return [in_two_batches(seed) for seed in range(STUDIES)]


def test_gold_of_guided_batches_is_doubted_at_most_as_often_as_the_level_says(guided):
    assert assess_gold_sample(guided[0], np.random.default_rng(1)).of == OF_STRATA
    found = doubts(guided)
    assert np.isfinite(found).all()
    assert no_more_than_by_chance(found)


def test_what_few_items_differ_in_makes_no_doubt(guided):
    """One item in fifty has no score, and of the gold items of many studies each has one."""
    found = []
    for items in guided:
        features = {
            "with a score": np.isfinite(items.scores["A"]), "positive votes": items.votes_positive
        }  # fmt: skip
        found.append([
            of_weighed(Units({name: one.astype(float)}, items.gold != NO_GOLD, items.draw, None),
                       OF_STRATA).p for name, one in features.items()
        ])  # fmt: skip
    rare, common = np.array(found).T
    assert np.isfinite(common).all()
    assert no_more_than_by_chance(rare)


def test_split_votes_that_experts_skipped_are_seen():
    """The control: doubted at .01 in at least 13 of 20 studies (of 17 found)."""
    found = doubts([in_two_batches(seed, skipped=1.0) for seed in range(20)])
    assert (found < CHOSEN).sum() >= 13


def part_of(seed, kept, first):
    """A batch, or a second one after a whole one, of which the rows `kept` came back."""
    items, files = study(seed), []
    if first:
        files.append(sent(items, seed))
        items = read(items, files)
    file = sent(items, seed)
    share = pd.Series(items.votes_positive / items.votes_total, index=items.item)
    one = ~file["gold_stratum"].duplicated()
    has = kept(file, share.reindex(file["item"]).to_numpy(), np.random.default_rng([25, seed]))
    files.append(file.assign(gold=file["gold"].where(has | one)))
    return read(items, files)


def half_way(file, share, rng):
    return np.arange(len(file)) < len(file) / 2


def most_of_some_strata(file, share, rng):
    return rng.random(len(file)) < np.where(file["gold_stratum"] > 3, 0.4, 0.9)


def few_split_votes(file, share, rng):
    return ~((share > 0) & (share < 1) & (rng.random(len(file)) < 0.6))


@pytest.mark.parametrize(("kept", "first"), [(half_way, False), (most_of_some_strata, True)])
def test_labels_that_came_back_by_chance_are_doubted_as_often_as_the_level_says(kept, first):
    studies = [part_of(seed, kept, first) for seed in range(STUDIES)]
    assert all(one.draw.sent is not None for one in studies)
    assert no_more_than_by_chance(doubts(studies))


def test_items_that_came_back_empty_are_held_against_the_labelled_ones_of_their_batch():
    """Doubted at .01 in at least 15 of 20 studies; without what was sent, in at most 10."""
    studies = [part_of(seed, few_split_votes, True) for seed in range(20)]
    assert (doubts(studies) < CHOSEN).sum() >= 15
    alone = [replace(one, draw=replace(one.draw, sent=None)) for one in studies]
    assert (doubts(alone) < CHOSEN).sum() <= 10
    found = [assess_gold_sample(one, np.random.default_rng(1)) for one in studies]
    one = min(found, key=lambda one: one.p)
    assert one.of == OF_SENT
    assert "not like those that they left" in one.doubt.text


def test_items_on_which_experts_are_tied_are_not_those_that_they_left(tmp_path):
    """All split votes are tied among two experts, and one item is left: the two are told apart."""
    items = study(3)
    file = sent(items, 3)
    share = pd.Series(items.votes_positive / items.votes_total, index=items.item)
    later = file["gold_stratum"].duplicated().to_numpy()
    split = share.reindex(file["item"]).between(0.01, 0.99).to_numpy() & later
    left = np.flatnonzero(~split & later)[-1]
    first = file.assign(gold=file["gold"].mask(np.arange(len(file)) == left))
    labels = first[["item", "gold"]].dropna()
    second = labels.assign(gold=labels["gold"].where(~split[labels.index], 1 - labels["gold"]))
    both = pd.concat([labels.assign(expert="a"), second.assign(expert="b")])
    frame = items.to_frame().drop(columns=["truth", "oracle", "tie_break", "gold"])
    names = ["gold_batch", "gold_stratum", "gold_stratum_size"]
    frame.merge(first[["item", *names]], on="item", how="left").to_csv(
        tmp_path / "study.csv", index=False
    )
    both.rename(columns={"gold": "label"}).to_csv(tmp_path / "experts.csv", index=False)
    found = read_study([tmp_path / "study.csv", tmp_path / "experts.csv"])
    tied = int(split.sum())
    assert tied > 10
    said = texts(found.notes)
    assert f"1 of {EACH} items that were sent to experts came back without a label" in said
    assert f"; {tied} items on which they are tied have no gold label where" in said
    of_sent = found.items.draw.sent >= 0
    assert of_sent.sum() == EACH - tied


@pytest.mark.parametrize("chosen", [False, True])
def test_a_first_batch_that_was_chosen_is_seen_after_another_was_drawn(chosen):
    """All of ten studies, surely, of the highest scores; none of a random one (chance of more:
    .01).
    """
    found = []
    for seed in range(10):
        items = study(seed)
        score = np.nan_to_num(items.scores["A"], nan=-np.inf)
        key = score if chosen else np.random.default_rng([23, seed]).random(len(items))
        rows = np.argsort(-key)[:60]
        first = pd.DataFrame({"item": items.item[rows], "gold": items.truth[rows]})
        gold = np.full(len(items), -1, dtype=np.int8)
        gold[rows] = items.truth[rows]
        files = [first, sent(replace(items, gold=gold), seed)]
        found.append(assess_gold_sample(read(items, files), np.random.default_rng(seed)))
    assert all(one.surely_chosen == chosen for one in found)
    if chosen:
        assert {one.of for one in found} == {OF_FIRST}
        assert "first batch of gold labels do not look like" in found[0].doubt.text
        assert found[0].shifts[0].feature == "rank by score of A"


def by_themselves(seed, times=1.0, known=True):
    """Items drawn each by itself, with chances that are said to be so many times as high."""
    items, rng = study(seed), np.random.default_rng([24, seed])
    chance = 0.1 + 0.2 * items.votes_positive / items.votes_total
    drawn = rng.random(len(items)) < chance
    told = np.where(drawn | known, times * chance, np.nan)
    gold = np.where(drawn, items.truth, -1).astype(np.int8)
    return replace(items, gold=gold, draw=GoldDraw(told))


@pytest.mark.parametrize("known", [True, False], ids=["of all", "of gold items alone"])
def test_chances_whose_sum_is_not_the_number_of_gold_items_are_doubted(known):
    """About 80 gold items, and chances 1.6 times too high: doubted at .01 in at least 12 of 20
    studies (five deviations); the right ones at .1 in at most 8 (once in 1,000 times)."""
    assert (doubts([by_themselves(seed, 1.6, known) for seed in range(20)]) < CHOSEN).sum() >= 12
    right = [by_themselves(seed, 1.0, known) for seed in range(20)]
    assert (doubts(right) < 0.1).sum() <= binom.ppf(0.999, 20, 0.1)
    assert assess_gold_sample(right[0], np.random.default_rng(1)).of == BY_CHANCE


def test_a_first_batch_alone_is_a_random_sample_of_the_items():
    items = study(1)
    rows = np.random.default_rng(2).permutation(len(items))[:60]
    told = {"gold_batch": 1, "gold_stratum": 1, "gold_stratum_size": len(items)}
    file = pd.DataFrame({"item": items.item[rows], "gold": items.truth[rows], **told})
    one = read(items, [file])
    alone = assess_gold_sample(replace(one, draw=None), np.random.default_rng(3))
    found = assess_gold_sample(one, np.random.default_rng(3))
    assert (found.of, found.p) == (OF_ITEMS, alone.p)
