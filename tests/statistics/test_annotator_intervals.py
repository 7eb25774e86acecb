"""Each annotator's TPR and TNR from gold labels: coverage; and the test of annotators who differ.

Annotators label items of both classes at random. In studies for the intervals an item's labels are
independent given its class; for the test of equal annotators items are hard or easy.
"""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from scipy.special import ndtri

from crowdgold.checking.judges import DIFFER, annotators_apart
from crowdgold.experiment.summaries import coverage_band
from crowdgold.inference.annotator_rates import of_gold
from crowdgold.inference.estimate import View
from crowdgold.reading.study import Study
from crowdgold.types.items import NO_GOLD, NO_PREDICTOR, Items, labels_of_items

STUDIES, SENSITIVITY = 60, np.linspace(0.6, 0.99, 20)
OF_TEST, EQUAL = 600, np.full(12, 0.9)


def draw(rng, skill, n, gold, each, easy=None, halves=False):
    """A study of `n` items with `each` labels, right by the annotator's `skill`, (A,) or (A, 2) by
    class, times how `easy` the item is, and gold labels of `gold` of them. With `halves` one half
    of the annotators has the easier items, and the other half the others."""
    skill = np.stack([skill, skill], axis=1) if np.ndim(skill) == 1 else skill
    truth = (rng.random(n) < 0.5).astype(int)
    easy, of_half = np.ones(n) if easy is None else easy, len(skill) // (1 + halves)
    who = rng.permuted(np.tile(np.arange(of_half), (n, 1)), axis=1)[:, :each]
    who = who + halves * of_half * (easy > np.median(easy))[:, None]
    right = rng.random((n, each)) < skill[who, truth[:, None]] * easy[:, None]
    label = np.where(right, truth[:, None], 1 - truth[:, None])
    item = np.array([f"i{k}" for k in range(n)], dtype=object)
    names = np.array([f"a{k:02d}" for k in range(len(skill))])[who.ravel()]
    voters = labels_of_items(item, np.repeat(np.arange(n), each), names, label.ravel())
    known = np.full(n, NO_GOLD)
    known[:gold] = truth[:gold]
    items = Items(item, label.sum(axis=1), np.full(n, each), known, {}, rng.random(n))
    return Study(items, voters)


@cache
def rates():
    """(studies, 20, 2) estimates with their ends, of TPR and TNR; and gold items of each."""
    skill = np.stack([SENSITIVITY[::-1], SENSITIVITY], axis=1)
    rows = []
    for seed in range(STUDIES):
        study = draw(np.random.default_rng([41, seed]), skill, 1200, 360, 5)
        view = View(study.items, NO_PREDICTOR)
        found = of_gold(view, study.annotations, "population", 0.95)
        rows.append([[one.estimate, one.lower, one.upper, one.gold] for one in found])
    return np.array(rows).reshape(STUDIES, 20, 2, 4), skill[:, ::-1]


def covered(lower, upper, truth):
    return (lower <= truth) & (truth <= upper)


def test_intervals_of_annotators_hold_their_rates():
    """95 % intervals of 20 annotators with sensitivities and specificities of .6 to .99, by 30 to
    60 gold items of each class, in 60 studies. Pooled they cover no less than the binomial band
    of 2,400 at .95 allows, .933 to .966 (3.9 standard deviations), and those of the eight rates
    above .9 no less than that of 480, .91; at most .99, as they are never far too wide. The control
    that fails: estimate +- 1.96 standard errors at rates of .99, which cover less than .6."""
    found, truth = rates()
    estimate, lower, upper, gold = np.moveaxis(found, -1, 0)
    few, many = np.quantile(gold, [0.01, 0.99])
    assert 28 <= few < many <= 62
    inside = covered(lower, upper, truth)
    low, _ = coverage_band(inside.size, 0.95)
    assert low <= inside.mean() <= 0.99
    high = np.broadcast_to(truth > 0.9, inside.shape)
    assert coverage_band(int(high.sum()), 0.95)[0] <= inside[high].mean() <= 0.99
    reach = float(ndtri(0.975)) * np.sqrt(estimate * (1 - estimate) / gold)
    wald = covered(estimate - reach, estimate + reach, truth)[np.broadcast_to(
        truth == SENSITIVITY[-1], inside.shape)]  # fmt: skip
    assert wald.mean() < 0.6 < coverage_band(len(wald), 0.95)[0]


def found_apart(skill, seed, studies, each, hard=True, n=300, halves=False):
    """How often the test says that annotators differ in a rate."""
    said = []
    for place in range(studies):
        rng = np.random.default_rng([seed, place])
        easy = rng.beta(6, 1, n) if hard else None
        study = draw(rng, skill, n, n, each, easy, halves)
        said.append(any(one.differ for one in annotators_apart(study, rng)))
    return float(np.mean(said))


@pytest.mark.parametrize(("each", "halves"), [(1, False), (3, False), (3, True)])
def test_equal_annotators_rarely_differ(each, halves):
    """12 equal annotators on items that are hard and easy, 600 studies each of one label an item,
    of three, and of three where six annotators have the hard items: differ in .01 of studies at
    most, in the binomial band of 600 up to .027."""
    share = found_apart(EQUAL, 42 + each, OF_TEST, each, halves=halves)
    assert share <= coverage_band(OF_TEST, DIFFER)[1]


def test_annotators_who_err_on_a_whole_cluster_do_not_differ_for_it():
    """12 annotators who are wrong on all items of a tenth of the clusters, and right elsewhere, 200
    studies of 60 clusters of 10 items: up to .04 in the binomial band. The control that fails:
    the same items as if they did not belong together."""
    said = {True: 0, False: 0}
    for place in range(200):
        rng = np.random.default_rng([61, place])
        study = draw(rng, np.ones(12), 600, 600, 3)
        voters, cluster = study.annotations, np.arange(600) // 10
        wrong = (rng.random((60, 12)) < 0.1)[cluster[voters.item_of], voters.annotator_of]
        voters = replace(voters, label=voters.label ^ wrong)
        for known in said:
            items = replace(study.items, cluster=cluster if known else None)
            apart = annotators_apart(Study(items, voters), rng)
            said[known] += any(one.differ for one in apart)
    high = 200 * coverage_band(200, DIFFER)[1]
    assert said[True] <= high < said[False]


def test_one_poor_judge_is_found():
    """One of .6 among four of .9, and 300 gold items that all label, in 99 of 100 studies or more;
    among 19 of .9, with 45 gold items of a class each, in most (.77 here; .38 with 22)."""
    assert found_apart(np.array([0.9, 0.9, 0.9, 0.9, 0.6]), 51, 100, 5, hard=False) >= 0.99
    assert found_apart(np.r_[np.full(19, 0.9), 0.6], 52, 100, 3, hard=False, n=600) >= 0.6
