"""What data can support: agreement, the gold sample, annotators, verdicts, and the command."""

import itertools
import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom, rankdata

import crowdgold as cg
from crowdgold.checking.agreement import agreement, alpha_of_patterns, check_annotators, holm
from crowdgold.checking.gold_sample import (
    MOST_GOLD,
    MOST_OTHERS,
    assess_gold_sample,
    likeness_in_words,
    mid_ranks,
    permutation_p,
)
from crowdgold.checking.study import check_data, verdicts_of, warn_of_opposites
from crowdgold.cli import main
from crowdgold.evaluation.choosing import order_of_choice
from crowdgold.methods.needs import Facts
from crowdgold.methods.registry import offered
from crowdgold.reading.study import read_study
from crowdgold.types.annotations import annotations_from_frame
from crowdgold.types.items import NO_GOLD, Items
from crowdgold.types.parameters import LEVEL
from unit.made_files import write_votes
from unit.reference import make_items

KRIPPENDORFF_2011 = """
1 2 3 3 2 1 4 1 2 . . .
1 2 3 3 2 2 4 1 2 5 . 3
. 3 3 3 2 3 4 2 2 5 1 .
1 2 3 3 2 4 4 1 2 5 1 .
"""
"""Section C of Krippendorff (2011): four observers, twelve units, nominal alpha 0.743."""


@pytest.fixture
def rng():
    return np.random.default_rng(5)


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        (KRIPPENDORFF_2011, 0.743),
        ("0 1 0 0 0 0 0 0 1 0\n1 1 1 0 0 1 0 0 0 0", 0.095),  # its section A
    ],
)
def test_alpha_is_that_of_the_published_examples(text, printed, rng):
    table = np.array([row.split() for row in text.strip().splitlines()])
    categories = sorted(set(table.ravel()) - {"."})
    counts = np.stack([(table == one).sum(axis=0) for one in categories], axis=1)
    assert round(agreement(counts, rng, resamples=2).alpha, 3) == printed


def test_alpha_is_that_of_every_pair_of_labels():
    def disagreement(labels):
        return sum(a != b for a, b in itertools.permutations(labels, 2)) / (len(labels) - 1)

    rng = np.random.default_rng(2)
    for _ in range(20):
        units = [list(rng.integers(0, 3, rng.integers(0, 5))) for _ in range(12)]
        counts = np.array([[unit.count(k) for k in range(3)] for unit in units])
        found = agreement(counts, rng, resamples=2)
        paired = [unit for unit in units if len(unit) > 1]
        expected = disagreement(list(itertools.chain(*paired)))
        assert found.alpha == pytest.approx(
            1 - sum(map(disagreement, paired)) / expected, abs=1e-12
        )
        assert found.items == len(paired)


def test_the_interval_of_alpha_is_that_of_resampled_items():
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
def test_alpha_of_what_has_none_is_no_number(counts, items, rng):
    found = agreement(np.array(counts), rng)
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


def test_gold_at_random_is_doubted_as_often_as_the_level_says(rng):
    """400 studies; 99 permutations give the level 0.05 exactly."""
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


def test_the_p_value_is_the_share_of_all_samples_within_strata_too():
    """Three gold items of eight; one of three and three of four, each part centred, where other
    strata give another p."""
    rng = np.random.default_rng(7)
    white = np.array([[1.0], [0.5], [-1.0], [0.0], [2.0], [-1.5], [-0.5], [-0.5]])
    parts = np.array([[1.0], [0.5], [-1.5], [2.0], [-1.0], [0.25], [-1.25]])
    of_all = [white[list(rows)].sum() for rows in itertools.combinations(range(8), 3)]
    of_parts = [
        parts[first].item() + parts[list(rows)].sum()
        for first in range(3)
        for rows in itertools.combinations(range(3, 7), 3)
    ]
    some = np.array([True, False, False, True, False, True, True])
    for given, gold, stratum, sums in (
        (white, np.arange(8) < 3, None, of_all),
        (parts, some, np.array([0, 0, 0, 1, 1, 1, 1]), of_parts),
    ):
        exact = np.mean(np.array(sums) ** 2 >= given[gold].sum() ** 2 - 1e-12)
        found = permutation_p(given, gold, rng, 4000, stratum)
        assert abs(found - exact) < 4 * np.sqrt(exact * (1 - exact) / 4000)
    swapped = permutation_p(parts, some, rng, 4000, np.array([0, 1, 1, 0, 0, 1, 1]))
    assert abs(swapped - exact) > 0.05


@pytest.mark.parametrize("size", [2, 3, 4])
def test_samples_are_drawn_alike_often(size):
    """Of seven items. No sample has a sum as far from 0 as the one whose members have the feature,
    so that p is its share: within 5 standard errors, for each of C(7, size), of 30,000 draws."""
    rng, draws, found = np.random.default_rng(20), 30_000, []
    for chosen in itertools.combinations(range(7), size):
        gold = np.isin(np.arange(7), chosen)
        found.append(permutation_p((gold - gold.mean())[:, None], gold, rng, draws))
    share = 1 / len(found)
    assert np.abs(np.array(found) - share).max() < 5 * np.sqrt(share * (1 - share) / draws)


def test_equal_scores_share_their_mean_rank():
    values = np.random.default_rng(21).integers(0, 50, 300) / 7
    assert (mid_ranks(values) == rankdata(values)).all()


def test_gold_drawn_at_another_rate_from_each_stratum_is_random_within_them():
    """Several times the rate where votes are many; within strata p is above 0.01 in 96 of 100
    studies or more (p = 0.003), and where scores choose within them below it in 17 of 20."""
    rng = np.random.default_rng(18)

    def drawn(choose, studies):
        made = [table(rng, 240, choose, 60) for _ in range(studies)]
        return made, [
            assess_gold_sample(one, rng, 199, (one.votes_total > 2).astype(int)).p < 0.01
            for one in made
        ]

    made, within = drawn(
        lambda share, total, *_: rng.random(240) ** (1 / (1 + 5 * (total > 2))), 100
    )
    assert np.mean(within) <= 0.04
    assert np.mean([assess_gold_sample(one, rng, 199).p < 0.01 for one in made]) > 0.5
    assert sum(drawn(lambda share, total, scores, _: scores + rng.normal(size=240), 20)[1]) >= 17


def test_a_large_study_is_tested_on_some_of_its_items():
    rng = np.random.default_rng(8)
    n, m = 2 * (MOST_GOLD + MOST_OTHERS), 2 * MOST_GOLD
    chosen = table(rng, n, lambda share, total, scores, rng: scores + 5 * rng.normal(size=n), m)
    assert assess_gold_sample(chosen, rng, 19).p == 0.05
    assert assess_gold_sample(table(rng, n, m=m), rng, 19).p > 0.05


def test_likeness_is_said_by_the_p_value():
    told = [likeness_in_words(p).split(": ")[0] for p in (0.5, 0.012, 0.009, 0.0009)]
    assert told == ["it may be", "it may be", "possibly not", "it does not look like one"]


def test_there_is_no_test_where_there_is_nothing_to_compare(rng):
    none = replace(table(rng), gold=np.full(120, NO_GOLD, dtype=np.int8))
    for items, words in ((table(rng, m=120), "every item"), (none, "no gold")):
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
    _, frame = labels(np.random.default_rng(11), 400, [0.9] * 8 + [0.1, "1"])
    new = pd.DataFrame({"item": ["i0", "i1"], "annotator": "new", "label": "1"})
    found = check_annotators(annotations_from_frame(pd.concat([frame, new]), ("0", "1")))
    kinds = (found.adversarial, found.constant, found.few)
    assert [found.annotator[one].tolist() for one in kinds] == [["R8"], ["R9"], ["new"]]


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
    sets = [list(some) for size in range(1, 6) for some in itertools.combinations(range(5), size)]
    for _ in range(20):
        p = rng.random(5) ** 2
        closed = [
            max(min(1.0, len(some) * p[some].min()) for some in sets if one in some)
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
GOLD_TRUE = [name for name in GOLD_BASED if name not in ("logistic-E", "GT-E")]
OF_FEW = ("judges", "judges-R")
"""Methods of 3 to 15 annotators; `GOOD` has more."""
NOT, WEAK = "not usable", "weak"
VOTE_MODELS = ("DS", "MAVEN", "MAVEN-C")
NO_LABELS = {"gold_positive": 0, "gold_negative": 0, "gold_p": np.nan}


def of(word, *names):
    return dict.fromkeys(names, word)


CASES = [
    ({}, of(WEAK, "MAVEN")),
    (
        NO_LABELS | {"tpr": np.nan, "tnr": np.nan},
        of(NOT, *GOLD_BASED, "GT+MV") | of(WEAK, *VOTE_MODELS),
    ),
    ({"scores": 0}, of(NOT, "MAVEN", "MAVEN-C", "MAVEN-R", "AutoEval")),
    ({"annotators": None}, of(NOT, "CLARA") | of(WEAK, "MAVEN")),
    ({"gold_p": 0.005}, of(WEAK, *GOLD_BASED, *VOTE_MODELS)),
    ({"gold_p": 0.0005}, of(NOT, *GOLD_BASED) | of(WEAK, *VOTE_MODELS)),
    ({"gold_positive": 10, "gold_negative": 10}, of(WEAK, "MAVEN")),
    ({"gold_positive": 9, "gold_negative": 10}, of(WEAK, *GOLD_BASED, "MAVEN")),
    ({"gold_positive": 3}, of(WEAK, "MAVEN")),
    ({"gold_positive": 2}, of(WEAK, *GOLD_BASED, "MAVEN")),
    ({"gold_positive": 0}, of(WEAK, *GOLD_BASED, "MAVEN") | of(NOT, "Rogan-Gladen")),
    ({"gold_positive": 1, "gold_negative": 0}, of(NOT, *GOLD_BASED, "GT+MV") | of(WEAK, "MAVEN")),
    ({"tpr": 0.3, "tnr": 0.6}, of(NOT, "Rogan-Gladen") | of(WEAK, "GT+MV", "MAVEN")),
    ({"tpr": 0.5, "tnr": 0.6}, of(WEAK, "Rogan-Gladen", "GT+MV", "MAVEN")),
    (
        {"most_votes": 1, "several": 0.0, "alpha": np.nan, "alpha_upper": np.nan},
        of(WEAK, *VOTE_MODELS) | of(NOT, "CLARA"),
    ),
    (
        NO_LABELS | {"most_votes": 2},
        of(NOT, *GOLD_BASED, "GT+MV", *VOTE_MODELS) | of(WEAK, "CLARA"),
    ),
    ({"positive_votes": 0.02}, of(WEAK, "CLARA", "MAVEN")),
    ({"adversarial": 12}, of(WEAK, "CLARA", "MAVEN")),
    ({"median_labels": 4.0}, of(WEAK, "CLARA", "MAVEN")),
    ({"alpha_upper": -0.01}, of(NOT, "CLARA") | of(WEAK, *VOTE_MODELS)),
    (
        {"errors_unknown": "experts agree hardly more than at random"},
        of(NOT, "logistic-E", "GT-E") | of(WEAK, "MAVEN"),
    ),
    ({"items": 60}, of(WEAK, *VOTE_MODELS, "CLARA")),
    ({"annotators": 5}, of(WEAK, "MAVEN")),
    (
        {"annotators": 5, "gold_p": 0.0005},
        of(NOT, *GOLD_BASED, "judges-R") | of(WEAK, "judges", *VOTE_MODELS),
    ),
    # What takes gold for true is weak where experts are known to err; not what heeds their errors.
    ({"experts_err": 0.05}, of(WEAK, *GOLD_TRUE, "GT+MV", *VOTE_MODELS)),
    ({"experts_err": 0.0}, of(WEAK, "MAVEN")),
    # A model of independent votes is weak where the interval of shared errors is above 0.
    ({"annotators": 5, "errors_shared": 0.05}, of(WEAK, "CLARA", "DS", "MAVEN")),
    ({"annotators": 5, "errors_shared": -0.01}, of(WEAK, "MAVEN")),
]


@pytest.mark.parametrize(("changes", "expected"), CASES)
def test_verdicts_with_their_reasons(changes, expected):
    """What a case does not name is usable, of the methods that any case names."""
    if changes.get("annotators") != 5:
        expected = {**of(NOT, *OF_FEW), **expected}
    facts = Facts(**{**vars(GOOD), **changes})
    found = {one.method: one for one in verdicts_of(facts, facts)}
    assert list(found) == list(offered())
    known = {name for _, named in CASES for name in named} & found.keys()
    assert {name: found[name].verdict for name in known} == {
        name: expected.get(name, "usable") for name in known
    }
    assert all(one.why and (one.verdict == "usable") == (not one.mend) for one in found.values())


@pytest.fixture
def study(tmp_path):
    """A good study in three files."""
    rng = np.random.default_rng(14)
    item = [f"i{k}" for k in range(500)]
    _, votes = labels(rng, 500, [0.9] * 6 + [0.1])
    scores = pd.DataFrame({"item": item, "gpt": rng.normal(size=500)})
    gold = pd.DataFrame({"item": item, "label": rng.integers(0, 2, 500)})
    frames = {"votes": votes, "scores": scores, "gold": gold.sample(250, random_state=15)}
    for name, frame in frames.items():
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    return [str(tmp_path / f"{name}.csv") for name in frames]


def checked(read, resamples=10, permutations=199):
    return check_data(read, np.random.default_rng(1), resamples, permutations)


@pytest.mark.parametrize(("tied", "expected"), [(30, 1), (3, 0)])
def test_ties_of_experts_are_warned_of(study, tmp_path, tied, expected):
    """Of 250 items that both experts label; where their errors are known the answer counts them."""
    gold = pd.read_csv(study[2])
    other = gold.assign(label=np.where(np.arange(250) < tied, 1 - gold.label, gold.label))
    both = pd.concat([gold.assign(expert="A"), other.assign(expert="B")])
    both.to_csv(tmp_path / "experts.csv", index=False)
    read = read_study([*study[:2], tmp_path / "experts.csv"])
    found = checked(read.with_expert_error("none"), 100)
    assert found.experts_tied == tied
    assert sum("since they are tied: 12 %" in one.text for one in found.warnings) == expected
    assert not any("since they are tied" in one.text for one in checked(read, 100).warnings)


@pytest.mark.parametrize(
    ("places", "skew", "warned"), [(3, 1, 0), (3, 4, 0), (2, 1, 0), (1, 1, 1), (3, 60, 1)]
)
def test_scores_of_three_decimals_are_no_warning(places, skew, warned, study, tmp_path):
    """One decimal is, a tenth of the pairs are tied then; so are scores that are mostly 0."""
    scores = pd.read_csv(study[1])
    scores["gpt"] = (np.random.default_rng(16).random(len(scores)) ** skew).round(places)
    scores.to_csv(tmp_path / "rounded.csv", index=False)
    read = read_study([study[0], tmp_path / "rounded.csv"])
    found = checked(read, permutations=19)
    assert sum("have equal scores of gpt" in one.text for one in found.warnings) == warned
    pairs = [a == b for a, b in itertools.combinations(read.items.scores["gpt"], 2)]
    assert found.scores["gpt"].tied == pytest.approx(np.mean(pairs), abs=1e-12)


def test_items_without_a_score_count_for_what_needs_none(study, tmp_path):
    """259 of 500 items have a score, and 9 of them gold labels, of which GT has 250."""
    scores, gold = pd.read_csv(study[1]), pd.read_csv(study[2])
    labelled = scores["item"].isin(gold["item"])
    few = [*scores.index[labelled][:9], *scores.index[~labelled]]
    scores.loc[sorted(few)].to_csv(tmp_path / "few.csv", index=False)
    files = [study[0], str(tmp_path / "few.csv"), study[2]]
    found = checked(read_study(files))
    assert (found.items, found.scores["gpt"].without) == (500, 241)
    assert found.gold_positive + found.gold_negative == 250
    whys = {one.method: one.why for one in found.verdicts}
    assert "9 gold labels; how often intervals are right was measured with 20" in whys["MAVEN-R"]
    for method in ("logistic-R", "votes-R", "GT"):
        assert "measured with 20" not in whys[method]
    assert not found.gold_sample.chosen
    assert main(["check", *files]) == 0


def test_gold_is_held_against_the_ranks_of_items_with_a_score(study):
    """Scores that are missing at random make no doubt of gold that is random; gold of half of the
    items, those with the higher scores where there is one, is doubted by the scores alone."""
    items, rng = read_study(study).items, np.random.default_rng(17)
    missing = np.where(rng.random(len(items)) < 0.3, np.nan, items.scores["gpt"])
    items = replace(items, scores={"gpt": missing})
    assert not assess_gold_sample(items, rng, 999).chosen
    top = np.where(np.isnan(missing), rng.random(len(items)) < 0.5, missing > np.nanmedian(missing))
    gold = np.where(top, np.arange(len(items)) % 2, NO_GOLD).astype(np.int8)
    assert assess_gold_sample(replace(items, gold=gold), rng, 999).p < 0.01


def test_the_command_says_what_the_data_support_on_a_screen(study, capsys):
    said = []
    for more in ([], [], ["--verbose"]):
        assert main(["check", *study, *more]) == 0
        out, error = capsys.readouterr()
        assert all(len(line) <= 80 for line in out.splitlines())
        assert "1 annotator labelling against the majority of the others (swapped?):" in error
        said.append(out)
    assert said[0] == said[1]
    assert len(said[0].splitlines()) <= 25 < len(said[2].splitlines())
    assert re.search(r"^answer +logistic-R: votes and scores", said[0], re.MULTILINE)


@pytest.mark.parametrize("files", [slice(2), slice(1)])
def test_without_gold_the_answer_is_a_range_and_then_the_model_that_evaluate_takes(
    study, files, capsys
):
    """The first in evaluate's order that is usable at all, weak or not; JSON has no NaN."""
    assert main(["check", *study[files]]) == 0
    out = capsys.readouterr().out
    assert main(["check", *study[files], "--json"]) == 0
    found = json.loads(capsys.readouterr().out, parse_constant=pytest.fail)
    assert (found["items"], found["gold_sample"]["p"], found["supported"]) == (500, None, True)
    verdicts = {one["method"]: one["verdict"] for one in found["verdicts"]}
    assert set(verdicts) == set(offered())
    usable = [name for name, one in verdicts.items() if one != NOT]
    first = next(one for one in order_of_choice(0, None, ())[0] if one in usable)
    prevalence = r"prevalence (0\.\d+ to \d\.\d+|no range)"
    assert re.search(rf"^answer +ranges that votes allow: {prevalence}", out, re.MULTILINE)
    assert re.search(rf"^model +{first}, which nothing checks: ", out, re.MULTILINE)
    (others,) = re.findall(r"^other methods (.*)", out, re.MULTILINE)
    assert sum(map(int, re.findall(r"\d+", others))) == len(verdicts) - 1
    assert others.endswith(f", {len(verdicts) - len(usable)} not usable")


@pytest.fixture
def judged(tmp_path):
    """Gold labels of 200 items that five judges label, who err on the same items."""
    rng = np.random.default_rng(18)
    truth, hard = rng.random(200) < 0.4, rng.normal(size=200)
    voted = np.where(truth, 1.2, -1.2)[:, None] + 1.3 * hard[:, None] + rng.normal(size=(200, 5))
    return write_votes(tmp_path, voted > 0, truth.astype(int))


def test_how_far_judges_err_together_is_a_fact_of_the_study(judged):
    found = checked(read_study(judged), 100)
    assert found.judges.shared.correlation.lower > 0.1
    verdicts = {one.method: one.verdict for one in found.verdicts}
    assert {verdicts[name] for name in ("DS", "CLARA")} == {WEAK}


def test_without_gold_labels_the_one_advice_is_to_draw_items(study, capsys):
    """Nothing of second opinions, nor of labels that are to be more."""
    frame = pd.read_csv(study[0]).groupby("item")["label"].agg(["sum", "size"]).reset_index()
    frame.columns = ["item", "votes_positive", "votes_total"]
    frame.to_csv(study[0], index=False)
    assert main(["check", *study[:2]]) == 0
    assert re.search(r"^to do +have an expert label items", capsys.readouterr().out, re.MULTILINE)
    assert main(["check", *study[:2], "--verbose"]) == 0
    whole = " ".join(capsys.readouterr().out.split())
    for words in ("second expert", "each gold item", "more items"):
        assert words not in whole


def test_the_answer_is_shown_whatever_is_left_out(judged, capsys):
    """Strata of 40 columns are more than a screen, at the command and in Python alike."""
    frame = pd.read_csv(judged[0])
    names = [f"stratum_{k:02}" for k in range(40)]
    frame[names] = np.tile(np.where(frame["item"] < 100, "a", "b")[:, None], 40)
    frame.to_csv(judged[0], index=False)
    assert main(["check", *map(str, judged)]) == 0
    for text in (capsys.readouterr().out, repr(cg.check(read_study(judged)))):
        assert len(text.splitlines()) <= 25
        for line in (
            r"^ *answer +logistic-R: votes and scores", r"^ *other methods ",
            r"^ *\.\.\. \d+ more lines: --verbose$",
        ):  # fmt: skip
            assert re.search(line, text, re.MULTILINE)


def test_votes_and_scores_the_wrong_way_round_are_warned_of():
    """By three hand-made scores; the control is right and is not warned of."""
    gold = np.r_[np.zeros(12, int), np.ones(8, int), np.full(10, -1)]
    truth = np.r_[gold[:20], np.zeros(10, int)]
    scores = {"right": truth + np.arange(30) / 50, "wrong": np.arange(30) / 50 - truth,
              "none": np.arange(30) * 7 % 11 * 1.0}  # fmt: skip
    told = list(warn_of_opposites(make_items(3 * (1 - truth), np.full(30, 3), gold, scores)))
    assert [one.text.split(" are higher")[0] for one in told] == ["votes", "scores of wrong"]
    assert not list(warn_of_opposites(make_items(3 * truth, np.full(30, 3), gold, {})))
