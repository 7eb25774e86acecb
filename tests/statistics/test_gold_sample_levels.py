"""The test of the gold sample: how often it doubts gold that was drawn at random, and gold that was
chosen."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from crowdgold.checking.gold_sample import assess_gold_sample
from crowdgold.methods.needs import CHOSEN, SURELY_CHOSEN
from crowdgold.simulate import simulate
from crowdgold.simulate.design import CLUSTERS, POISSON, SIMPLE, STRATA, draw_gold
from crowdgold.simulate.resample import as_items
from crowdgold.types.gold_draw import GoldDraw
from crowdgold.types.items import NO_GOLD

MAVEN = {"a0": 0.2, "a1": 0.6, "d0": 1.5, "d1": 1.5}
IRT = {"mu_s": 3, "sigma_s": 2, "mu_d": 0.5, "sigma_d": 2, "offset": -1, "n_voters": 100}
MODELS = {name: {"mu": mu, "delta": 1} for name, mu in (("A", 1.5), ("B", 1), ("C", 0.5))}
ONE, TWO = {"A": MODELS["A"]}, {name: MODELS[name] for name in "AB"}
CLARA = {"n_reviewers": 5, "tnr": 0.9, "tpr": 0.8, "prevalence": 0.3, "design": "tie_break"}
SHAPE = {"shapes": {"single_mode": {"a": 3, "b": 2}}}
WORLDS = {
    "three votes": ("maven", {**MAVEN, "n": 600, "phi": 0.3, "votes_total": 3, "predictors": TWO}),
    "5 % positive": ("maven", {**MAVEN, "n": 900, "phi": 0.05, "votes_total": {3: 0.7, 5: 0.3},
                               "predictors": MODELS}),
    "few items": ("maven", {**MAVEN, "n": 200, "phi": 0.2, "votes_total": [1, 3, 5],
                            "predictors": ONE}),
    "voters with skills": ("irt", {**IRT, "n": 600, "phi": 0.2, "votes_total": 5,
                                   "predictors": ONE}),
    "one vote": ("irt", {**IRT, "n": 500, "phi": 0.3, "votes_total": 1, "predictors": TWO}),
    "many votes": ("irt", {**IRT, "n": 400, "phi": 0.3, "votes_total": {3: 0.9, 40: 0.1},
                           "predictors": ONE}),
    "tied scores": ("irt", {**IRT, "n": 600, "phi": 0.2, "votes_total": 3, "predictors": MODELS}),
    "missing scores": ("irt", {**IRT, "n": 600, "phi": 0.2, "votes_total": 3, "predictors": TWO}),
    "clusters": ("irt", {**IRT, "n": 600, "phi": 0.3, "votes_total": 3, "predictors": ONE,
                         "cluster_size": 5, "cluster_correlation": 0.6}),
    "no score": ("clara", {**CLARA, "n": 500}),
}  # fmt: skip
DESIGNS = {"missing scores": (SIMPLE,), "clusters": (CLUSTERS,)}
ALONE = "poisson, of gold items alone"
"""Each item by itself, where files say the chances of gold items alone."""
DRAWS, EACH, PARTS = 100, 10, 10
"""Draws of a world, those of one table, and the strata that are tested of one study."""


def table(world, seed):
    """The items of a world without gold labels."""
    generator, parameters = WORLDS[world]
    rng = np.random.default_rng([31, seed])
    if generator == "clara":
        return as_items(simulate(generator, parameters, rng), {"n_gold": 0}, rng).table
    items = simulate(generator, {"n_gold": 0, **parameters}, rng).table
    if world == "tied scores":
        return replace(items, scores={name: one.round() for name, one in items.scores.items()})
    if world == "missing scores":
        known = rng.random(len(items)) < 0.7
        return replace(
            items, scores={name: np.where(known, x, np.nan) for name, x in items.scores.items()}
        )
    return items


def drawn(items, design, rng):
    """The items with the gold labels of a twelfth, a sixth or half of them."""
    if design == ALONE:
        found = drawn(items, POISSON, rng)
        return replace(
            found, draw=GoldDraw(np.where(found.gold == NO_GOLD, np.nan, found.draw.chance))
        )
    return draw_gold(items, design, int(len(items) / rng.choice([12, 6, 2])), rng)


def p_values(world):
    """Those of random draws from a world, by each design in turn."""
    designs, found = DESIGNS.get(world, (SIMPLE, STRATA, POISSON, ALONE)), []
    for place in range(DRAWS):
        if place % EACH == 0:
            items = table(world, place)
        rng = np.random.default_rng([32, place, len(world)])
        gold = drawn(items, designs[place % len(designs)], rng)
        found.append(assess_gold_sample(gold, rng).p)
    return found


def most(draws, level):
    """As many as the binomial of a level exceeds once in 1,000 times."""
    return binom.ppf(0.999, draws, level)


def test_random_gold_is_doubted_as_often_as_the_level_says():
    """1,000 draws from ten worlds. A warning comes in at most .01 of them, gold is set aside in at
    most .001, and p is below .05 in at most .05, each within the binomial band that is left once
    in 1,000 times: at most 20, 5 and 72. So warnings are below .05, and sure ones below .02. Where
    strata know all that votes say there is no test, in one world without scores."""
    found = np.array([p_values(world) for world in WORLDS])
    assert found.shape == (10, DRAWS)
    assert np.isfinite(found[:-1]).all()
    assert np.isfinite(found[-1]).mean() > 0.5
    for level in (SURELY_CHOSEN, CHOSEN, 0.05):
        assert (found < level).sum() <= most(found.size, level), level


def study(seed, choose=False):
    """Ten strata of 60 items with 12 gold labels each; of the first, those with most votes."""
    rng = np.random.default_rng([33, seed])
    items = table("three votes", seed)
    part = np.arange(600) % PARTS
    key = rng.random(600)
    if choose:
        key = np.where(part == 0, -items.votes_positive + 0.1 * key, key)
    labelled = np.zeros(600, dtype=bool)
    for one in range(PARTS):
        rows = np.flatnonzero(part == one)
        labelled[rows[np.argsort(key[rows])[:12]]] = True
    gold = items.with_gold(labelled)
    return [gold.take(np.flatnonzero(part == one)) for one in range(PARTS)], rng


def least(studies, rng, **more):
    return min(assess_gold_sample(one, rng, **more).p for one in studies)


def test_the_strata_of_a_study_are_doubted_together_as_often_as_the_level_says():
    """200 studies of ten strata each, all tested: a warning in at most 8, where .01 are expected.
    Control: with the whole level for each stratum it comes in more, of 19 expected."""
    together = np.array([least(*study(seed), tests=PARTS) for seed in range(200)])
    assert (together < CHOSEN).sum() <= most(200, CHOSEN)
    apart = np.array([least(*study(seed), permutations=999) for seed in range(200)])
    assert (apart < CHOSEN).sum() > most(200, CHOSEN)


def test_a_stratum_whose_gold_was_chosen_is_surely_doubted_among_ten():
    """In at least 18 of 20 studies, so that permutations are as many as ten tests need."""
    found = [least(*study(seed, choose=True), tests=PARTS) for seed in range(20)]
    assert (np.array(found) < SURELY_CHOSEN).sum() >= 18


@pytest.mark.parametrize("world", ["three votes", "no score", "one vote"])
def test_gold_that_was_chosen_by_votes_is_doubted(world):
    """The control: items with a positive vote are three times as likely, in 20 studies each;
    doubted in at least 18."""
    found = []
    for seed in range(20):
        items, rng = table(world, seed), np.random.default_rng([34, seed])
        liked = 1 + 2 * (items.votes_positive > 0)
        labelled = np.zeros(len(items), dtype=bool)
        labelled[np.argsort(rng.exponential(size=len(items)) / liked)[: len(items) // 4]] = True
        found.append(assess_gold_sample(items.with_gold(labelled), rng).p)
    assert (np.array(found) < CHOSEN).sum() >= 18
