"""What judges' votes are worth, and who agrees with gold, where gold was drawn unevenly in batches.

Few of the unanimous items are drawn, on which judges who err together are wrong together. Controls:
the same labels taken for a simple random sample.
"""

from dataclasses import replace

import numpy as np
import pytest

from crowdgold.checking.agreement import kappas_with_gold
from crowdgold.checking.judges import may_replace
from crowdgold.inference.shared_errors import of_judges, of_votes
from crowdgold.planning.batch import Batch, with_labels
from crowdgold.simulate import simulate
from crowdgold.types.annotations import labels_by_judge
from crowdgold.types.items import NO_GOLD

RATES = {
    "atlas": (0.86, 0.9), "birch": (0.88, 0.86), "cedar": (0.8, 0.9), "dune": (0.75, 0.88),
    "elm": (0.82, 0.84),
}  # fmt: skip
STUDY = {
    "n": 1500, "n_gold": 0, "phi": 0.3, "votes_total": 5, "predictors": {"A": {"mu": 1.5}},
    "judges": {name: {"tpr": tpr, "tnr": tnr} for name, (tpr, tnr) in RATES.items()},
}  # fmt: skip
CORRELATIONS = (0.2, 0.4)
REPLICATES = 120


def batch(items, n, parts, number, rng):
    """Items by how split their votes are: so large parts of the n labels go to those with 0, 1 and
    2 votes of the smaller side."""
    rest = np.flatnonzero(items.gold == NO_GOLD)
    cell = np.minimum(items.votes_positive, items.votes_total - items.votes_positive)[rest]
    wanted = np.round(n * np.array(parts)).astype(int)
    rows = [rng.choice(rest[cell == h], k, replace=False) for h, k in enumerate(wanted)]
    stratum = np.repeat(np.arange(3), wanted)
    return Batch(number, np.concatenate(rows), stratum, np.bincount(cell, minlength=3), ("",) * 3)


def study(correlation, seed):
    """A study with 120 gold labels in two batches, and what its votes are worth."""
    drawn = simulate("panel", {**STUDY, "correlation": correlation}, np.random.default_rng(seed))
    items, rng = drawn.table, np.random.default_rng([*seed, 1])
    items = with_labels(items, batch(items, 40, (0.35, 0.325, 0.325), 1, rng))
    items = with_labels(items, batch(items, 80, (0.15, 0.25, 0.6), 2, rng))
    return items, drawn.parameters["effective_votes"]


def covers(found, truth):
    return found.lower <= truth <= found.upper


def test_the_interval_of_effective_votes_covers_where_gold_was_drawn_unevenly():
    """240 studies: 218 to 237 cover (.908 to .988), 3 binomial deviations about .95, with judges by
    name and without. Controls, gold taken for a random sample: fewer than 24, a tenth."""
    hits = np.zeros(4)
    for correlation in CORRELATIONS:
        for seed in range(REPLICATES):
            items, truth = study(correlation, [25, int(10 * correlation), seed])
            table, counts = labels_by_judge(items.labels), (items.votes_positive, items.votes_total)
            found = (
                of_judges(table, items.gold, items=items),
                of_votes(*counts, items.gold, items=items),
                of_judges(table, items.gold),
                of_votes(*counts, items.gold),
            )
            hits += [covers(one.effective, truth) for one in found]
    assert np.all((hits[:2] >= 218) & (hits[:2] <= 237)), hits
    assert np.all(hits[2:] < 24), hits


def true_kappas(correlation):
    """Of each judge, from 300,000 items."""
    drawn = simulate(
        "panel", {**STUDY, "n": 300_000, "correlation": correlation}, np.random.default_rng(3)
    )
    table = labels_by_judge(drawn.table.labels)
    none = np.random.default_rng(1)
    return [one.value for one in kappas_with_gold(table, drawn.table.truth, none)]


def test_kappa_with_gold_covers_where_gold_was_drawn_unevenly():
    """100 studies, 5 judges: 450 to 495 of 500 intervals cover (.90 to .99), four deviations about
    .95 of 250 independent ones. Control, gold taken for a random sample: fewer than 300."""
    truth = true_kappas(0.2)
    hits = control = 0
    for seed in range(100):
        items, _ = study(0.2, [26, seed])
        table, rng = labels_by_judge(items.labels), np.random.default_rng(1)
        pairs = zip(kappas_with_gold(table, items.gold, rng, items=items), truth, strict=True)
        hits += sum(covers(*pair) for pair in pairs)
        random = replace(items, draw=None)
        pairs = zip(kappas_with_gold(table, items.gold, rng, items=random), truth, strict=True)
        control += sum(covers(*pair) for pair in pairs)
    assert 450 <= hits <= 495
    assert control < 300


def test_a_judge_at_the_margin_seldom_replaces_an_expert_where_gold_was_drawn_unevenly():
    """Mean d of all items is epsilon, and d is 1 more often on unanimous items, of which few are
    drawn. A test rejects with chance .05, and corrected ones less: of 200 studies at most 5 % and 3
    deviations pass. Control, gold taken for a random sample: more than 100."""
    passed = control = 0
    for seed in range(200):
        items, _ = study(0.2, [27, seed])
        rng = np.random.default_rng([28, seed])
        unanimous = (items.votes_positive % 5) == 0
        wrong = rng.random(len(items)) < np.where(unanimous, 0.3, 0.05)
        epsilon = 0.3 * unanimous.mean() + 0.05 * (1 - unanimous.mean())
        judge, experts = np.where(wrong, 0, 1), np.ones((len(items), 3), dtype=int)
        passed += may_replace(judge, experts, epsilon, items=items).passes
        gold = items.gold != NO_GOLD
        control += may_replace(judge[gold], experts[gold], epsilon).passes
    assert passed <= 200 * 0.05 + 3 * np.sqrt(200 * 0.05 * 0.95)
    assert control > 100


@pytest.mark.parametrize("factor", [1.0, 3.0])
def test_even_chances_change_nothing(factor):
    """Gold with the same chance for each item is a simple random sample, but for the number drawn:
    values are the same, and intervals within a tenth, the finite population's share."""
    items, _ = study(0.2, [29, 0])
    even = replace(items, draw=replace(items.draw, counts=None, by_chance=None, batch=None,
                                       stratum=None, drawn=None,
                                       chance=np.full(len(items), 0.08 * factor / 3)))  # fmt: skip
    table = labels_by_judge(items.labels)
    plain, known = of_judges(table, items.gold), of_judges(table, items.gold, items=even)
    assert known.effective.value == pytest.approx(plain.effective.value)
    widths = [one.effective.upper - one.effective.lower for one in (plain, known)]
    assert widths[1] == pytest.approx(widths[0], rel=0.1)
