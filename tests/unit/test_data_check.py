"""What data can support: agreement, the gold sample, annotators, verdicts, and the command."""

import itertools
import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, rankdata

from crowdgold.checking.agreement import agreement, alpha_of_patterns, check_annotators, holm
from crowdgold.checking.gold_sample import (
    MOST_GOLD,
    MOST_OTHERS,
    _drawn_sums,
    assess_gold_sample,
    likeness_in_words,
    mid_ranks,
    permutation_p,
)
from crowdgold.checking.study import check_data, warn_of_opposites
from crowdgold.checking.verdicts import verdicts_of
from crowdgold.cli import main
from crowdgold.evaluation.headline import order_of_choice
from crowdgold.methods.doubts import Facts
from crowdgold.methods.registry import offered
from crowdgold.reading.study import read_study
from crowdgold.types.annotations import annotations_from_frame
from crowdgold.types.items import NO_GOLD, Items
from crowdgold.types.parameters import LEVEL
from unit.reference import make_items

KRIPPENDORFF_2011 = """
1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 .
"""
"""Section C of Krippendorff (2011): four observers, twelve units, nominal alpha 0.743."""


def counts_of(text):
    """Labels of each category by unit."""
    table = np.array([row.split() for row in text.strip().splitlines()])
    categories = sorted(set(table.ravel()) - {"."})
    return np.stack([(table == category).sum(axis=0) for category in categories], axis=1)


def alpha_by_pairs(units):
    """Alpha from every pair of labels, as it is defined."""
    units = [unit for unit in units if len(unit) > 1]
    n = sum(map(len, units))
    observed = sum(
        sum(a != b for a, b in itertools.permutations(unit, 2)) / (len(unit) - 1) for unit in units
    )
    everything = list(itertools.chain(*units))
    expected = sum(a != b for a, b in itertools.permutations(everything, 2)) / (n - 1)
    return 1 - observed / expected


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        (KRIPPENDORFF_2011, 0.743),
        ("0 1 0 0 0 0 0 0 1 0\n1 1 1 0 0 1 0 0 0 0", 0.095),  # its section A
    ],
)
def test_alpha_is_that_of_the_published_examples(text, printed):
    found = agreement(counts_of(text), np.random.default_rng(1), resamples=2)
    assert round(found.alpha, 3) == printed


def test_alpha_is_that_of_every_pair_of_labels():
    rng = np.random.default_rng(2)
    for _ in range(20):
        units = [list(rng.integers(0, 3, rng.integers(0, 5))) for _ in range(12)]
        counts = np.array([[unit.count(k) for k in range(3)] for unit in units])
        found = agreement(counts, rng, resamples=2)
        assert found.alpha == pytest.approx(alpha_by_pairs(units), abs=1e-12)
        assert found.items == sum(len(unit) > 1 for unit in units)


def test_the_interval_of_alpha_is_that_of_resampled_items():
    """Standard deviations of 1,000 resamples each: their ratio has an error of 1/sqrt(1000)."""
    rng = np.random.default_rng(3)
    positive = rng.binomial(3, rng.choice([0.2, 0.8], 150))
    counts = np.stack([3 - positive, positive], axis=1)
    found = agreement(counts, rng)
    naive = [
        float(alpha_of_patterns(counts[rows].astype(float), np.ones(150)))
        for rows in rng.integers(0, 150, (1000, 150))
    ]
    width = np.quantile(naive, 0.975) - np.quantile(naive, 0.025)
    # A quantile at 2.5 % of 1,000 draws has an error of 2.7/sqrt(1000) sd; four of them enter.
    error = 2 * 2.7 / np.sqrt(1000) * np.std(naive)
    assert abs(found.upper - found.lower - width) < 4 * error
    assert found.lower < found.alpha < found.upper


@pytest.mark.parametrize(("counts", "items"), [([[1, 0], [0, 1]], 0), ([[2, 0], [3, 0]], 2)])
def test_alpha_of_what_has_none_is_no_number(counts, items):
    found = agreement(np.array(counts), np.random.default_rng(4))
    assert np.isnan([found.alpha, found.lower, found.upper]).all()
    assert found.items == items


def table(rng, n=120, choose=None, m=30):
    """Items with ties among votes and scores; gold by `choose`, (n,) keys, or at random."""
    total = rng.integers(2, 5, n)
    scores = np.round(rng.normal(size=n), 1)
    positive = rng.binomial(total, 1 / (1 + np.exp(-scores)))
    gold = np.full(n, NO_GOLD, dtype=np.int8)
    key = rng.random(n) if choose is None else choose(positive / total, total, scores, rng)
    gold[np.argsort(key)[-m:]] = 1
    item = np.arange(n).astype(str).astype(object)
    return Items(item, positive, total, gold, {"m": scores}, rng.random(n))


def test_gold_at_random_is_doubted_as_often_as_the_level_says():
    """400 studies; 99 permutations give the level 0.05 exactly."""
    rng = np.random.default_rng(5)
    small = sum(assess_gold_sample(table(rng), rng, 99).p <= 0.05 for _ in range(400))
    assert binom.ppf(0.0005, 400, 0.05) <= small <= binom.ppf(0.9995, 400, 0.05)


@pytest.mark.parametrize(
    "choose",
    [
        lambda share, total, scores, rng: scores + rng.normal(size=len(scores)),
        lambda share, total, scores, rng: -np.abs(scores) + 0.3 * rng.normal(size=len(scores)),
        lambda share, total, scores, rng: -np.abs(share - 0.5) + 0.1 * rng.random(len(share)),
        lambda share, total, scores, rng: total + rng.normal(size=len(share)),
    ],
    ids=["high scores", "scores in the middle", "split votes", "many votes"],
)
def test_chosen_gold_is_found(choose):
    """At the level 0.01 in at least 17 of 20 studies; at random in 3 at most (p = 0.001)."""
    rng = np.random.default_rng(6)
    found = [assess_gold_sample(table(rng, choose=choose), rng, 199).p < 0.01 for _ in range(20)]
    assert sum(found) >= 17


def test_the_p_value_is_the_share_of_all_samples():
    rng = np.random.default_rng(7)
    white = np.array([[1.0], [0.5], [-1.0], [0.0], [2.0], [-1.5], [-0.5], [-0.5]])
    subsets = [white[list(rows)].sum() ** 2 for rows in itertools.combinations(range(8), 3)]
    exact = np.mean(np.array(subsets) >= white[:3].sum() ** 2 - 1e-12)
    found = permutation_p(white, np.arange(8) < 3, rng, 4000)
    assert abs(found - exact) < 4 * np.sqrt(exact * (1 - exact) / 4000)


@pytest.mark.parametrize("size", [2, 3, 4])
def test_samples_are_drawn_alike_often(size):
    """Two, three or four of six items, which their sum names: each of C(6, size) samples is drawn
    within 5 standard errors of its share of 30,000."""
    draws, values = 30_000, 2.0 ** np.arange(6)
    white = (values - values.mean())[:, None]
    found = _drawn_sums(white, size, np.random.default_rng(20), draws)[:, 0]
    sums, times = np.unique(found.round(6), return_counts=True)
    expected = sorted(white[list(one)].sum() for one in itertools.combinations(range(6), size))
    np.testing.assert_allclose(sums, expected, atol=1e-6)
    share = 1 / len(expected)
    assert np.abs(times / draws - share).max() < 5 * np.sqrt(share * (1 - share) / draws)


def test_equal_scores_share_their_mean_rank():
    """As scipy's ranks, to the last digit."""
    values = np.random.default_rng(21).integers(0, 50, 300) / 7
    assert (mid_ranks(values) == rankdata(values)).all()


def test_within_strata_the_p_value_is_the_share_of_all_samples_of_each():
    """One gold item of three, and three of four, each centred; the other way it is another p."""
    rng = np.random.default_rng(17)
    white = np.array([[1.0], [0.5], [-1.5], [2.0], [-1.0], [0.25], [-1.25]])
    gold = np.array([True, False, False, True, False, True, True])
    stratum = np.array([0, 0, 0, 1, 1, 1, 1])
    sums = [
        white[first] + white[list(rows)].sum()
        for first in range(3)
        for rows in itertools.combinations(range(3, 7), 3)
    ]
    exact = np.mean(np.ravel(sums) ** 2 >= white[gold].sum() ** 2 - 1e-12)
    found = permutation_p(white, gold, rng, 4000, stratum)
    assert abs(found - exact) < 4 * np.sqrt(exact * (1 - exact) / 4000)
    swapped = permutation_p(white, gold, rng, 4000, np.array([0, 1, 1, 0, 0, 1, 1]))
    assert abs(swapped - exact) > 0.05


def test_gold_drawn_at_another_rate_from_each_stratum_is_random_within_them():
    """Several times the rate where votes are many; within strata p is above 0.01 in 96 of 100
    studies or more (p = 0.003), and where scores choose within them below it in 17 of 20."""
    rng = np.random.default_rng(18)

    def drawn(choose):
        items = table(rng, 240, choose, 60)
        return items, (items.votes_total > 2).astype(int)

    by_rate = [
        drawn(lambda share, total, scores, rng: rng.random(240) ** (1 / (1 + 5 * (total > 2))))
        for _ in range(100)
    ]
    within = [assess_gold_sample(one, rng, 199, cells).p for one, cells in by_rate]
    assert np.mean(np.array(within) < 0.01) <= 0.04
    assert np.mean([assess_gold_sample(one, rng, 199).p < 0.01 for one, _ in by_rate]) > 0.5
    by_score = [
        drawn(lambda share, total, scores, rng: scores + rng.normal(size=240)) for _ in range(20)
    ]
    assert sum(assess_gold_sample(one, rng, 199, cells).p < 0.01 for one, cells in by_score) >= 17


def test_a_large_study_is_tested_on_some_of_its_items():
    rng = np.random.default_rng(8)
    n, m = 2 * (MOST_GOLD + MOST_OTHERS), 2 * MOST_GOLD
    chosen = table(rng, n, lambda share, total, scores, rng: scores + 5 * rng.normal(size=n), m)
    assert assess_gold_sample(chosen, rng, 19).p == 0.05
    assert assess_gold_sample(table(rng, n, m=m), rng, 19).p > 0.05


def test_there_is_no_test_where_there_is_nothing_to_compare():
    rng = np.random.default_rng(9)
    for m, words in ((120, "every item"), (0, "no gold")):
        items = table(rng, m=m) if m else table(rng).take(np.arange(3))
        if not m:
            items.gold[:] = NO_GOLD
        found = assess_gold_sample(items, rng)
        assert np.isnan(found.p)
        assert words in found.note


def labels(rng, items, accuracy):
    """Three labels an item by random annotators; `accuracy` is a rate, 0 to 1, or a constant."""
    truth = rng.random(items) < 0.4
    rows = []
    for item in range(items):
        for who in rng.choice(len(accuracy), 3, replace=False):
            how = accuracy[who]
            label = how if isinstance(how, str) else str(int(truth[item] == (rng.random() < how)))
            rows.append((f"i{item}", f"R{who}", label))
    frame = pd.DataFrame(rows, columns=["item", "annotator", "label"])
    return annotations_from_frame(frame, ("0", "1")), frame


def test_labels_are_held_against_the_majority_of_the_others():
    annotations, frame = labels(np.random.default_rng(10), 60, [0.8] * 5)
    found = check_annotators(annotations)
    for place, who in enumerate(found.annotator):
        pairs = []
        for _, rows in frame.groupby("item"):
            own = rows[rows["annotator"] == who]["label"].tolist()
            others = rows[rows["annotator"] != who]["label"].tolist()
            if own and others.count("1") * 2 != len(others):
                pairs.append((own[0] == "1", others.count("1") * 2 > len(others)))
        own, most = np.array(pairs).T
        assert found.compared[place] == len(pairs)
        assert found.agreed[place] == (own == most).sum()
        chance = own.mean() * most.mean() + (1 - own.mean()) * (1 - most.mean())
        assert found.chance[place] == pytest.approx(chance)


def test_adversaries_constants_and_newcomers_are_told_apart():
    annotations, frame = labels(np.random.default_rng(11), 400, [0.9] * 8 + [0.1, "1"])
    new = pd.DataFrame({"item": ["i0", "i1"], "annotator": "new", "label": "1"})
    annotations = annotations_from_frame(pd.concat([frame, new]), ("0", "1"))
    found = check_annotators(annotations)
    assert found.annotator[found.adversarial].tolist() == ["R8"]
    assert found.annotator[found.constant].tolist() == ["R9"]
    assert found.annotator[found.few].tolist() == ["new"]


def test_annotators_who_do_not_look_are_seldom_called_adversaries():
    """150 tables of ten who label at random; a false finding in at most `LEVEL` of them."""
    rng = np.random.default_rng(12)
    item, who = np.divmod(np.arange(300), 3)
    frame = pd.DataFrame({"item": item, "annotator": (item + who) % 10, "label": item % 2})
    annotations = annotations_from_frame(frame, ("0", "1"))
    wrong = 0
    for _ in range(150):
        given = (rng.random(300) < 0.3).astype(np.int64)
        found = check_annotators(replace(annotations, label=given))
        wrong += bool(found.adversarial.any() or found.constant.any())
    assert wrong <= binom.ppf(0.9995, 150, LEVEL)


def test_holm_is_the_closed_test_of_bonferroni():
    """Holm's p-value is the largest Bonferroni p-value of a set that holds the hypothesis."""
    rng = np.random.default_rng(13)
    for _ in range(20):
        p = rng.random(5) ** 2
        closed = [
            max(
                min(1.0, len(some) * p[list(some)].min())
                for size in range(1, 6)
                for some in itertools.combinations(range(5), size)
                if one in some
            )
            for one in range(5)
        ]
        np.testing.assert_allclose(holm(p), closed, rtol=1e-12)


GOOD = Facts(
    items=2000, scores=1, most_votes=3, several=1.0, positive_votes=0.4, alpha=0.5,
    alpha_upper=0.6, gold_positive=120, gold_negative=180, gold_p=0.5, gold_share=0.4, tpr=0.99,
    tnr=0.99, annotators=20, median_labels=300.0, adversarial=0, errors_unknown="",
)  # fmt: skip
GOLD_BASED = (
    "logistic-E", "GT-E", "logistic-R", "votes-R", "GT", "MAVEN-R", "AutoEval", "Rogan-Gladen",
)  # fmt: skip
OF_FEW = ("judges", "judges-R")
"""Methods of 3 to 15 annotators; `GOOD` has more."""
CASES = [
    ({}, {"MAVEN": "weak"}),
    (
        {"gold_positive": 0, "gold_negative": 0, "gold_p": np.nan, "tpr": np.nan, "tnr": np.nan},
        dict.fromkeys((*GOLD_BASED, "GT+MV"), "not usable")
        | dict.fromkeys(("DS", "MAVEN", "MAVEN-C"), "weak"),
    ),
    ({"scores": 0}, dict.fromkeys(("MAVEN", "MAVEN-C", "MAVEN-R", "AutoEval"), "not usable")),
    ({"annotators": None}, {"CLARA": "not usable", "MAVEN": "weak"}),
    ({"gold_p": 0.005}, dict.fromkeys((*GOLD_BASED, "DS", "MAVEN", "MAVEN-C"), "weak")),
    (
        {"gold_p": 0.0005},
        dict.fromkeys(GOLD_BASED, "not usable") | dict.fromkeys(("DS", "MAVEN", "MAVEN-C"), "weak"),
    ),
    ({"gold_positive": 10, "gold_negative": 10}, {"MAVEN": "weak"}),
    (
        {"gold_positive": 9, "gold_negative": 10},
        dict.fromkeys(GOLD_BASED, "weak") | {"MAVEN": "weak"},
    ),
    ({"gold_positive": 3}, {"MAVEN": "weak"}),
    ({"gold_positive": 2}, dict.fromkeys(GOLD_BASED, "weak") | {"MAVEN": "weak"}),
    (
        {"gold_positive": 0},
        dict.fromkeys(GOLD_BASED, "weak") | {"MAVEN": "weak", "Rogan-Gladen": "not usable"},
    ),
    (
        {"gold_positive": 1, "gold_negative": 0},
        dict.fromkeys((*GOLD_BASED, "GT+MV"), "not usable") | {"MAVEN": "weak"},
    ),
    ({"tpr": 0.3, "tnr": 0.6}, {"Rogan-Gladen": "not usable", "GT+MV": "weak", "MAVEN": "weak"}),
    ({"tpr": 0.5, "tnr": 0.6}, {"Rogan-Gladen": "weak", "GT+MV": "weak", "MAVEN": "weak"}),
    (
        {"most_votes": 1, "several": 0.0, "alpha": np.nan, "alpha_upper": np.nan},
        {"DS": "weak", "MAVEN": "weak", "MAVEN-C": "weak", "CLARA": "not usable"},
    ),
    (
        {"most_votes": 2, "gold_positive": 0, "gold_negative": 0, "gold_p": np.nan},
        dict.fromkeys((*GOLD_BASED, "GT+MV", "DS", "MAVEN", "MAVEN-C"), "not usable")
        | {"CLARA": "weak"},
    ),
    ({"positive_votes": 0.02}, {"CLARA": "weak", "MAVEN": "weak"}),
    ({"adversarial": 12}, {"CLARA": "weak", "MAVEN": "weak"}),
    ({"median_labels": 4.0}, {"CLARA": "weak", "MAVEN": "weak"}),
    (
        {"alpha_upper": -0.01},
        {"CLARA": "not usable", "DS": "weak", "MAVEN": "weak", "MAVEN-C": "weak"},
    ),
    (
        {"errors_unknown": "experts agree hardly more than at random"},
        {"logistic-E": "not usable", "GT-E": "not usable", "MAVEN": "weak"},
    ),
    ({"items": 60}, dict.fromkeys(("DS", "MAVEN", "MAVEN-C", "CLARA"), "weak")),
    ({"annotators": 5}, {"MAVEN": "weak"}),
    (
        {"annotators": 5, "gold_p": 0.0005},
        dict.fromkeys((*GOLD_BASED, "judges-R"), "not usable")
        | dict.fromkeys(("judges", "DS", "MAVEN", "MAVEN-C"), "weak"),
    ),
]


@pytest.mark.parametrize(("changes", "expected"), CASES)
def test_verdicts_with_their_reasons(changes, expected):
    """What a case does not name is usable, of the methods that any case names."""
    facts = Facts(**{**vars(GOOD), **changes})
    if facts.annotators != 5:
        expected = {**dict.fromkeys(OF_FEW, "not usable"), **expected}
    verdicts = verdicts_of(facts, facts)
    found = {one.method: one.verdict for one in verdicts}
    assert list(found) == list(offered())
    known = {name for _, named in CASES for name in named} & found.keys()
    assert {name: found[name] for name in known} == {
        name: expected.get(name, "usable") for name in known
    }
    assert all(one.why and (one.verdict == "usable") == (not one.mend) for one in verdicts)


@pytest.fixture
def study(tmp_path):
    """A good study in three files."""
    rng = np.random.default_rng(14)
    _, frame = labels(rng, 500, [0.9] * 6 + [0.1])
    frame.to_csv(tmp_path / "votes.csv", index=False)
    scores = rng.normal(size=500)
    item = [f"i{k}" for k in range(500)]
    pd.DataFrame({"item": item, "gpt": scores}).to_csv(tmp_path / "scores.csv", index=False)
    gold = pd.DataFrame({"item": item, "label": rng.integers(0, 2, 500)}).sample(
        250, random_state=15
    )
    gold.to_csv(tmp_path / "gold.csv", index=False)
    return [str(tmp_path / name) for name in ("votes.csv", "scores.csv", "gold.csv")]


def test_ties_of_experts_are_warned_of(study, tmp_path):
    """Of 250 items both experts label, they differ on 30; with 3 there is no warning."""
    gold = pd.read_csv(study[2])
    for tied, expected in ((30, 1), (3, 0)):
        other = gold.assign(label=np.where(np.arange(250) < tied, 1 - gold.label, gold.label))
        both = pd.concat([gold.assign(expert="A"), other.assign(expert="B")])
        both.to_csv(tmp_path / "experts.csv", index=False)
        read = read_study([*study[:2], tmp_path / "experts.csv"])
        taken = read.with_expert_error("none")
        found = check_data(taken, np.random.default_rng(1), 100, 199)
        assert found.experts_tied == tied
        assert sum("since they are tied: 12 %" in one for one in found.warnings) == expected
        # Where experts' errors are known the answer counts those items.
        known = check_data(read, np.random.default_rng(1), 100, 199)
        assert not any("since they are tied" in one for one in known.warnings)


@pytest.mark.parametrize(
    ("places", "skew", "warned"), [(3, 1, 0), (3, 4, 0), (2, 1, 0), (1, 1, 1), (3, 60, 1)]
)
def test_scores_of_three_decimals_are_no_warning(places, skew, warned, study, tmp_path):
    """One decimal is, a tenth of the pairs are tied then; so are scores that are mostly 0."""
    scores = pd.read_csv(study[1])
    uniform = np.random.default_rng(16).random(len(scores))
    scores["gpt"] = (uniform**skew).round(places)
    scores.to_csv(tmp_path / "rounded.csv", index=False)
    read = read_study([study[0], tmp_path / "rounded.csv"])
    found = check_data(read, np.random.default_rng(1), 10, 19)
    assert sum("have equal scores of gpt" in one for one in found.warnings) == warned
    pairs = [a == b for a, b in itertools.combinations(read.items.scores["gpt"], 2)]
    assert found.scores["gpt"].tied == pytest.approx(np.mean(pairs), abs=1e-12)


def test_items_without_a_score_count_for_what_needs_none(study, tmp_path):
    """259 of 500 items have a score, and 9 of them gold labels, of which GT has 250."""
    scores, gold = pd.read_csv(study[1]), pd.read_csv(study[2])
    labelled = scores["item"].isin(gold["item"])
    few = [*scores.index[labelled][:9], *scores.index[~labelled]]
    scores.loc[sorted(few)].to_csv(tmp_path / "few.csv", index=False)
    read = read_study([study[0], tmp_path / "few.csv", study[2]])
    found = check_data(read, np.random.default_rng(1), 10, 199)
    assert (found.items, found.scores["gpt"].without) == (500, 241)
    assert found.gold_positive + found.gold_negative == 250
    whys = {one.method: one.why for one in found.verdicts}
    assert "9 gold labels; how often intervals are right was measured with 20" in whys["MAVEN-R"]
    for method in ("logistic-R", "votes-R", "GT"):
        assert "measured with 20" not in whys[method]
    assert not found.gold_sample.chosen
    assert main(["check", study[0], str(tmp_path / "few.csv"), study[2]]) == 0


def test_gold_is_held_against_the_ranks_of_items_with_a_score(study):
    """Scores that are missing at random make no doubt of gold that is random; gold of half of the
    items, those with the higher scores where there is one, is doubted by the scores alone."""
    read = read_study(study)
    rng = np.random.default_rng(17)
    items = read.items
    missing = np.where(rng.random(len(items)) < 0.3, np.nan, items.scores["gpt"])
    items = replace(items, scores={"gpt": missing})
    assert not assess_gold_sample(items, rng, 999).chosen
    top = np.where(np.isnan(missing), rng.random(len(items)) < 0.5, missing > np.nanmedian(missing))
    labels = np.where(top, np.arange(len(items)) % 2, NO_GOLD).astype(np.int8)
    assert assess_gold_sample(replace(items, gold=labels), rng, 999).p < 0.01


def test_the_command_says_what_the_data_support(study, capsys):
    assert main(["check", *study]) == 0
    out, error = capsys.readouterr()
    assert all(len(line) <= 80 for line in out.splitlines())
    assert len(out.splitlines()) <= 25
    assert re.search(r"^answer +logistic-R: votes and scores", out, re.MULTILINE)
    assert re.search(r"^how sure +gold labels alone say the prevalence to about \d", out, re.M)
    assert "it may be: " in out
    told = [likeness_in_words(p).split(": ")[0] for p in (0.5, 0.012, 0.009, 0.0009)]
    assert told == ["it may be"] * 2 + ["possibly not", "it does not look like one"]
    assert "columns read as the scores of models: gpt" in out
    assert "1 annotator labelling against the majority of the others (swapped?):" in error
    assert main(["check", *study]) == 0
    assert capsys.readouterr().out == out
    assert main(["check", *study, "--verbose"]) == 0
    whole = capsys.readouterr().out
    assert "MAVEN-R       usable" in whole
    assert len(whole.splitlines()) > len(out.splitlines())


@pytest.mark.parametrize("files", [slice(2), slice(1)])
def test_without_gold_the_answer_is_a_range_and_then_the_model_that_evaluate_takes(
    study, files, capsys
):
    """The first in evaluate's order that is usable at all, weak or not."""
    assert main(["check", *study[files]]) == 0
    out = capsys.readouterr().out
    assert main(["check", *study[files], "--json"]) == 0
    verdicts = json.loads(capsys.readouterr().out)["verdicts"]
    unusable = [one["method"] for one in verdicts if one["verdict"] == "not usable"]
    order, _ = order_of_choice(0, "", ())
    first = next(one for one in order if one not in unusable)
    prevalence = r"prevalence (0\.\d+ to \d\.\d+|no range)"
    assert re.search(rf"^answer +ranges that votes allow: {prevalence}", out, re.MULTILINE)
    assert re.search(rf"^model +{first}, which nothing checks: ", out, re.MULTILINE)
    (others,) = re.findall(r"^other methods (.*)", out, re.MULTILINE)
    assert sum(map(int, re.findall(r"\d+", others))) == len(verdicts) - 1
    assert others.endswith(f", {len(unusable)} not usable")


def test_the_command_writes_json_without_what_json_has_not(study, capsys):
    assert main(["check", *study[:1], "--json"]) == 0
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert found["items"] == 500
    assert found["gold_sample"]["p"] is None
    assert {one["method"] for one in found["verdicts"]} == set(offered())
    assert found["supported"] is True


def test_the_command_tells_data_that_support_nothing_from_files_that_cannot_be_read(
    tmp_path, capsys
):
    path = tmp_path / "votes.csv"
    path.write_text("item,votes_positive,votes_total\na,1,1\nb,0,1\n")
    assert main(["check", str(path)]) == 1
    out, error = capsys.readouterr()
    assert re.search(rf"^other methods {len(offered())} not usable$", out, re.MULTILINE)
    assert "\nanswer" not in out
    assert "\nto do" in out
    assert "support no estimator" in error
    path.write_text("item,votes_positive,votes_total\na,2,1\n")
    assert main(["check", str(path)]) == 2
    assert "Error:" in capsys.readouterr().err
    assert main(["check", str(path), "--seed", "-1"]) == 2


def test_what_takes_gold_for_true_is_weak_where_experts_are_known_to_err():
    """At 5 %, and control: not at 0, and not of what heeds their errors or uses no gold."""
    for error, expected in ((0.05, "weak"), (0.0, "usable")):
        facts = Facts(**{**vars(GOOD), "errors_unknown": "", "experts_err": error})
        found = {one.method: one for one in verdicts_of(facts, facts)}
        assert found["GT"].verdict == found["logistic-R"].verdict == expected
        assert found["GT-E"].verdict == found["logistic-E"].verdict == "usable"
        assert ("for true" in found["GT"].why) == (error > 0)
        assert not any("for true" in found[name].why for name in ("MV", "GT-E") if name in found)


@pytest.mark.parametrize(
    ("lower", "expected"), [(0.05, "weak"), (-0.01, "usable"), (np.nan, "usable")]
)
def test_a_model_of_independent_votes_is_weak_where_judges_err_together(lower, expected):
    """Where the interval of the correlation is above 0; not what lets them err together."""
    facts = Facts(**{**vars(GOOD), "annotators": 5, "errors_shared": lower})
    found = {one.method: one for one in verdicts_of(facts, facts)}
    for name in ("DS", "CLARA"):
        assert found[name].verdict == expected
        assert ("judges err together here" in found[name].why) == (expected == "weak")
    assert found["judges"].verdict == found["logistic-R"].verdict == "usable"


@pytest.fixture
def judged(tmp_path):
    """Gold labels of 200 items that five judges label, who err on the same items."""
    rng = np.random.default_rng(18)
    truth, hard = rng.random(200) < 0.4, rng.normal(size=200)
    voted = np.where(truth, 1.2, -1.2)[:, None] + 1.3 * hard[:, None] + rng.normal(size=(200, 5))
    rows = [(k, f"j{j}", int(voted[k, j] > 0)) for k in range(200) for j in range(5)]
    frame = pd.DataFrame(rows, columns=["item", "annotator", "label"])
    frame.to_csv(tmp_path / "judges.csv", index=False)
    gold = pd.DataFrame({"item": range(200), "gold": truth.astype(int)})
    gold.to_csv(tmp_path / "gold.csv", index=False)
    return [tmp_path / "judges.csv", tmp_path / "gold.csv"]


def test_how_far_judges_err_together_is_a_fact_of_the_study(judged):
    found = check_data(read_study(judged), np.random.default_rng(1), 100, 199)
    lower = found.judges.shared.correlation.lower
    assert lower > 0.1
    whys = {one.method: one.why for one in found.verdicts}
    for name in ("DS", "CLARA"):
        assert (
            f"judges err together here (correlation of their errors {lower:.2f} or more)"
            in (whys[name])
        )


def test_without_gold_labels_the_one_advice_is_to_draw_items(study, capsys):
    """Nothing of second opinions, nor of labels that are to be more."""
    frame = pd.read_csv(study[0]).groupby("item")["label"].agg(["sum", "size"]).reset_index()
    frame.columns = ["item", "votes_positive", "votes_total"]
    frame.to_csv(study[0], index=False)
    assert main(["check", *study[:2]]) == 0
    out = capsys.readouterr().out
    told = out[out.index("to do") : out.index("next")].split()
    assert " ".join(told) == "to do have an expert label items that `crowdgold sample` draws"
    assert main(["check", *study[:2], "--verbose"]) == 0
    whole = " ".join(capsys.readouterr().out.split())
    assert (
        "logistic-E not usable it needs gold labels; there are 0, expected at least 2 ->" in whole
    )
    for words in ("second expert", "each gold item", "more items"):
        assert words not in whole


def test_the_answer_is_shown_whatever_is_left_out(judged, capsys):
    """Strata of 40 columns are more than a screen, at the command and in Python alike."""
    frame = pd.read_csv(judged[0])
    names = [f"stratum_{k:02}" for k in range(40)]
    frame[names] = np.tile(np.where(frame["item"] < 100, "a", "b")[:, None], 40)
    frame.to_csv(judged[0], index=False)
    assert main(["check", *map(str, judged)]) == 0
    out = capsys.readouterr().out
    shown = repr(check_data(read_study(judged), np.random.default_rng(1), 100, 199))
    for text in (out, shown):
        assert len(text.splitlines()) <= 25
        assert re.search(r"^ *answer +logistic-R: votes and scores", text, re.MULTILINE)
        assert re.search(r"^ *other methods ", text, re.MULTILINE)
        assert re.search(
            r"^\.\.\. \d+ more lines: crowdgold check FILES --verbose$", text, re.MULTILINE
        )


def test_votes_and_scores_the_wrong_way_round_are_warned_of():
    """By three hand-made scores; the control is right and is not warned of."""
    gold = np.r_[np.zeros(12, int), np.ones(8, int), np.full(10, -1)]
    truth = np.r_[gold[:20], np.zeros(10, int)]
    scores = {"right": truth + np.arange(30) / 50, "wrong": np.arange(30) / 50 - truth,
              "none": np.arange(30) * 7 % 11 * 1.0}  # fmt: skip
    items = make_items(3 * (1 - truth), np.full(30, 3), gold, scores)
    told = list(warn_of_opposites(items))
    assert [one.split(" are higher")[0] for one in told] == ["votes", "scores of wrong"]
    turned = make_items(3 * truth, np.full(30, 3), gold, {})
    assert list(warn_of_opposites(turned)) == []
