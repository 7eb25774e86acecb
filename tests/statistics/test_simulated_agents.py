"""STABLEVAL's generator against theory: levels, types, annotators, labels and their dependence.

Monte Carlo comparisons are judged in standard errors of the number compared: at most 5, which a
right generator exceeds with probability 6e-7 a comparison. All seeds are fixed.
"""

import numpy as np
import pytest
from scipy import stats

from crowdgold.simulate import simulate
from crowdgold.simulate.stableval import CONFIGURATIONS, CONFUSION, QUALITIES, level_chances
from crowdgold.types.errors import InputError

EASY, HARD = stats.beta(2, 12), stats.beta(6, 3)


def draw(seed=1, **parameters):
    return simulate("stableval", parameters, np.random.default_rng(seed))


def assert_shares(counts, expected):
    """Assert that the shares (..., K) of counts are each within 5 standard errors."""
    total = counts.sum(axis=-1, keepdims=True)
    error = np.sqrt(expected * (1 - expected) / total)
    assert np.all(np.abs(counts / total - expected) <= 5 * error)


def pool(**numbers):
    return {"annotators": numbers, "items_per_agent": 10_000, "quality": [0.6, 0.2]}


def confusion_counts(table):
    cell = table.truth[table.item_of] * 3 + table.label
    return np.bincount(cell, minlength=9).reshape(3, 3)


def agreement(table):
    """The share of pairs of labels of an item that are equal, in each item of level 0."""
    label = table.label.reshape(len(table.item), -1)[table.truth == 0]
    return (label[:, 0] == label[:, 1]).astype(float)


def test_there_are_24_configurations():
    assert len(CONFIGURATIONS) == 24
    assert all(sum(one["annotators"].values()) == 30 for one in CONFIGURATIONS.values()
               if "annotators" in one)  # fmt: skip
    assert draw(configuration="labels_7").table.labels_of_item.tolist() == [7] * 3_000
    # What is given stands over the configuration's value.
    assert draw(configuration="labels_7", n_labels=3).table.labels_of_item.max() == 3


def test_levels_follow_the_quality_of_agents():
    replicate = draw(items_per_agent=20_000, n_labels=1)
    table, chance = replicate.table, level_chances(np.array(QUALITIES["wide"]))
    counts = np.bincount(table.agent_of * 3 + table.truth).reshape(6, 3)
    assert_shares(counts, chance)
    scores = counts @ table.credit / 20_000
    for agent, score, row in zip(table.agent, scores, chance, strict=True):
        assert replicate.parameters[f"score:{agent}"] == pytest.approx(score)
        assert replicate.parameters[f"expected_score:{agent}"] == pytest.approx(row[1] / 2 + row[2])


@pytest.mark.parametrize("kind", CONFUSION)
@pytest.mark.parametrize("difficulty", ["shared", "own"])
def test_labels_follow_the_type_and_the_difficulty(kind, difficulty):
    """E y = (1 - E d) C[z] + E d / 3; one label an item, so that labels are independent."""
    table = draw(**pool(**{kind: 3}), n_labels=1, hard_items=0.2, difficulty=difficulty).table
    hardness = 0.8 * EASY.mean() + 0.2 * HARD.mean()
    expected = (1 - hardness) * np.array(CONFUSION[kind]) + hardness / 3
    assert_shares(confusion_counts(table), expected)


def test_difficulty_is_what_ties_the_labels_of_an_item():
    """Chance that two labels of a level 0 agree: sum_k E[p_k^2] where they share d, sum_k (E p_k)^2
    where each has its own. The control: neither is the other's, nor that of copied labels."""
    row = np.array(CONFUSION["normal"][0]) - 1 / 3
    mean, square = (
        sum(w * one.expect(lambda d, k=k: (1 - d) ** k) for w, one in ((0.8, EASY), (0.2, HARD)))
        for k in (1, 2)
    )
    expected = {"shared": 1 / 3 + square * (row**2).sum(), "own": 1 / 3 + mean**2 * (row**2).sum()}
    five = {**pool(normal=5), "items_per_agent": 30_000, "n_labels": 2}
    found = {name: agreement(draw(**five, difficulty=name).table) for name in expected}
    for name, own in found.items():
        error = own.std() / np.sqrt(len(own))
        assert abs(own.mean() - expected[name]) < 5 * error
        other = expected["own" if name == "shared" else "shared"]
        assert abs(own.mean() - other) > 5 * error
    copied = agreement(draw(**five, difficulty="own", copying=0.5).table)
    error = copied.std() / np.sqrt(len(copied))
    assert abs(copied.mean() - (0.5 + 0.5 * expected["own"])) < 5 * error


def test_annotators_are_distinct_and_types_are_shuffled():
    """Each of three places goes to each of four annotators alike (chi-squared p > 1e-6), and one
    adversarial annotator in four is each of them in turn over the seeds."""
    table = draw(**pool(normal=4), n_labels=3).table
    who = table.annotator_of.reshape(-1, 3)
    assert all(len(set(row)) == 3 for row in who[:500].tolist())
    for place in who.T:
        assert stats.chisquare(np.bincount(place, minlength=4)).pvalue > 1e-6
    wrong = []
    for seed in range(12):
        table = draw(
            seed, annotators={"normal": 3, "adversarial": 1}, quality=[1], n_labels=4
        ).table
        right = np.bincount(table.annotator_of, table.label == table.truth[table.item_of])
        wrong.append(int(right.argmin()))
    assert len(set(wrong)) > 1, "all alike with probability 4^-11"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"configuration": "labels_4"}, "no configuration 'labels_4'; did you mean 'labels_"),
        ({"quality": "widest"}, "did you mean 'wide'"),
        ({"quality": [0.5, 1.5]}, "parameter 'quality'.*a list of numbers from 0 to 1"),
        ({"annotators": {"strct": 3}}, "did you mean 'strict'"),
        ({"annotators": {"strict": 0}}, "expected at least one annotator"),
        ({"n_labels": 31}, "parameter 'n_labels': found 31.*at most 30"),
        ({"copying": 2}, "parameter 'copying': found 2, expected a number from 0 to 1"),
        ({"difficulty": "none"}, "no difficulty 'none'"),
        ({"hard_item": 0.1}, "no parameter 'hard_item'; did you mean 'hard_items'"),
    ],
)
def test_a_wrong_parameter_is_named(parameters, message):
    with pytest.raises(InputError, match=message):
        draw(**parameters)
