"""Coverage where gold was chosen by votes and scores, with chances that are estimated from these.

The control takes the same gold for a simple random sample.
"""

from dataclasses import replace

import numpy as np
import pytest
from test_designed_coverage import IRT, MAVEN, MODELS

from crowdgold.inference.labels import evaluate
from crowdgold.methods.registry import fit
from crowdgold.metrics.binary import true_value
from crowdgold.planning.estimated_chances import chances_in_words, estimated_chances
from crowdgold.simulate import simulate
from crowdgold.types.gold_draw import GoldDraw

METRICS = ["prevalence", "TPR_H", "TNR_H", "AUC", "precision@1", "recall@1", "accuracy@1"]
PEOPLE = {**IRT, "voters_seed": 1}
WORLDS = {
    "maven, 30 %": ("maven", {"phi": 0.3, "votes_total": 3, **MAVEN}),
    "maven, 15 %": ("maven", {"phi": 0.15, "votes_total": 5, **MAVEN}),
    "irt, 30 %": ("irt", {"phi": 0.3, "votes_total": 3, **PEOPLE}),
    "irt, 50 %": ("irt", {"phi": 0.5, "votes_total": 5, **PEOPLE}),
    "irt, 15 %": ("irt", {"phi": 0.15, "votes_total": 3, **PEOPLE}),
    "irt, unequal votes": ("irt", {"phi": 0.3, "votes_total": [1, 3, 5], **PEOPLE}),
}
REPLICATES = 20


def chosen(items, how, number, rng):
    """The items with so many gold labels, more often of many positive votes or a high score."""
    share = items.votes_positive / items.votes_total
    rank = np.argsort(np.argsort(items.scores["A"])) / len(items)
    liked = {
        "votes": 0.2 + share,
        "score": 0.2 + 1.5 * rank**2,
        "both": (0.2 + share) * (0.3 + 1.5 * rank**2),
        "upper fifth": np.where(rank >= 0.8, 1.0, 0.05),
        "upper 30 %": np.where(rank >= 0.7, 1.0, 0.2),
    }[how]
    labelled = np.zeros(len(items), dtype=bool)
    labelled[np.argsort(rng.exponential(size=len(items)) / liked)[:number]] = True
    return items.with_gold(labelled)


def covered(world, how, number):
    """Shares of intervals that hold the truth: with estimated chances, and without."""
    generator, parameters = WORLDS[world]
    values = {"n": 2000, "n_gold": 0, "predictors": MODELS, **parameters}
    many = simulate(generator, {**values, "n": 300_000}, np.random.default_rng(99)).table
    truth = [true_value(metric, many) for metric in METRICS]
    held = np.zeros(2)
    for seed in range(REPLICATES):
        table = simulate(generator, values, np.random.default_rng([61, seed])).table
        plain = chosen(table, how, number, np.random.default_rng([62, seed]))
        weighed = replace(plain, draw=GoldDraw(estimated_chances(plain)))
        for place, items in enumerate((weighed, plain)):
            fitted = fit("logistic-R", items, np.random.default_rng(1))
            found = evaluate(fitted, items, METRICS, np.random.default_rng(1))
            pairs = zip(found, truth, strict=True)
            # What has no interval has the whole range.
            held[place] += sum(not (value < one.lower or value > one.upper) for one, value in pairs)
    return held / REPLICATES / len(METRICS)


@pytest.mark.slow
@pytest.mark.parametrize("how", ["votes", "score", "both"])
@pytest.mark.parametrize("number", [50, 200])
def test_intervals_cover_where_gold_was_chosen_by_votes_and_scores(how, number):
    """Six worlds, 20 studies each: of 840 intervals at least .93 cover, and at most .984. With some
    200 independent ones, that is two deviations of .0147 above .955. Control, gold taken for a
    random sample: .02 less, and less than .90 with 200 labels that were chosen by votes. What has
    no interval counts as covered."""
    weighed, plain = np.mean([covered(world, how, number) for world in WORLDS], axis=0)
    assert 0.93 <= weighed <= 0.984
    assert plain < weighed - 0.02
    assert plain < 0.90 or number == 50 or how == "score"


@pytest.mark.slow
@pytest.mark.parametrize("how", ["upper fifth", "upper 30 %"])
def test_a_threshold_of_a_score_is_told_of_or_covered(how):
    """Two worlds, 60 studies each with 200 labels. Chances are wrong there: no metric is promised
    to be covered, and the words say so in at least .8 of the studies (.9 and more, less two and a
    half binomial deviations). Where they do not, seven intervals cover together in at least .8."""
    told, held, quiet = 0, 0, 0
    for world in ("maven, 30 %", "irt, 30 %"):
        generator, parameters = WORLDS[world]
        values = {"n": 2000, "n_gold": 0, "predictors": MODELS, **parameters}
        many = simulate(generator, {**values, "n": 300_000}, np.random.default_rng(99)).table
        truth = [true_value(metric, many) for metric in METRICS]
        for seed in range(60):
            table = simulate(generator, values, np.random.default_rng([63, seed])).table
            items = chosen(table, how, 200, np.random.default_rng([64, seed]))
            chance = estimated_chances(items)
            if "chosen by a threshold" in chances_in_words(items, chance):
                told += 1
                continue
            items, quiet = replace(items, draw=GoldDraw(chance)), quiet + len(METRICS)
            fitted = fit("logistic-R", items, np.random.default_rng(1))
            found = evaluate(fitted, items, METRICS, np.random.default_rng(1))
            held += sum(e.lower <= one <= e.upper for e, one in zip(found, truth, strict=True))
    assert told >= 0.8 * 120
    assert held >= 0.8 * quiet
