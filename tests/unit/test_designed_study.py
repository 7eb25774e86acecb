"""A user's study whose gold was drawn with known chances: what commands make of it and refuse."""

import json
from dataclasses import replace

import numpy as np
import pytest

from crowdgold.checking.gold_sample import (
    BY_CHANCE,
    OF_CLUSTERS,
    OF_ITEMS,
    OF_STRATA,
    WORDINGS,
    GoldSample,
    assess_gold_sample,
)
from crowdgold.checking.study import enough_labels, find_open_strata
from crowdgold.cli import main
from crowdgold.evaluation.choosing import why_set_aside
from crowdgold.evaluation.fitting import Finding
from crowdgold.evaluation.run_key import read_findings, write_findings
from crowdgold.inference.estimate import Questions, View
from crowdgold.inference.labels import evaluate
from crowdgold.inference.rectified import rectify
from crowdgold.methods.needs import CHOSEN, SURELY_CHOSEN
from crowdgold.methods.registry import fit
from crowdgold.metrics.binary import parse_metric
from crowdgold.presentation.doubts import find_doubts, write_check
from crowdgold.presentation.folder import read_study_folder
from crowdgold.reading.study import read_study
from crowdgold.simulate import simulate
from crowdgold.simulate.design import AUDIT, CLUSTERS, GOLD_DESIGNS, POISSON, STRATA, draw_gold
from crowdgold.types.gold_draw import GoldDraw
from crowdgold.types.notes import GRAVE, codes
from unit.made_study import ASKED, numbers_are_of_the_engine, refused_in_one_line, write_items

WORLD = {
    "n": 1200, "n_gold": 200, "votes_total": 3, "phi": 0.15, "a0": 0.1, "a1": 0.8, "d0": 1.5,
    "d1": 1.5, "predictors": {"A": {"mu": 1.0, "delta": 1.0}, "B": {"mu": 0.5, "delta": 2.0}},
}  # fmt: skip


def items_of(design, seed=0):
    table = simulate("maven", WORLD, np.random.default_rng([7, seed])).table
    if design == CLUSTERS:
        table = replace(table, cluster=np.arange(1200) // 5)
    return draw_gold(table, design, 200, np.random.default_rng([8, seed]))


@pytest.mark.parametrize("design", [STRATA, POISSON])
def test_the_command_gives_the_numbers_of_the_engine(design, tmp_path, capsys):
    path = write_items(items_of(design), tmp_path / "study.csv")
    _, said = numbers_are_of_the_engine(path, tmp_path, capsys, "items")
    assert "the table says with which chances gold items were drawn" in said


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"gold_probability": 1.5}, "without a number above 0 and at most 1"),
        ({"gold_probability": 0}, "a probability of 0"),
        ({"gold_probability": 0.9}, "the probabilities sum to 1080, and 200 items have"),
        ({"gold_stratum": [*map(str, range(1200))]}, "no gold label in 1,000 strata"),
        ({"gold_stratum": ""}, "with a gold label, without a stratum"),
    ],
)
def test_chances_that_cannot_be_are_refused_in_one_line(columns, message, tmp_path, capsys):
    path = write_items(items_of("simple"), tmp_path / "study.csv", **columns)
    refused_in_one_line(path, tmp_path, capsys, message, *columns)


@pytest.mark.parametrize("design", GOLD_DESIGNS)
def test_gold_that_was_drawn_as_the_table_says_is_not_doubted(design):
    """40 studies: p below .1 in at most 11, which a level of .1 exceeds once in 1,000 tests."""
    found = [
        assess_gold_sample(items_of(design, seed), np.random.default_rng(seed), 199)
        for seed in range(40)
    ]
    of = {STRATA: OF_STRATA, AUDIT: OF_STRATA, POISSON: BY_CHANCE, CLUSTERS: OF_CLUSTERS}
    assert {one.of for one in found} == {of.get(design, OF_ITEMS)}
    assert sum(one.p < 0.1 for one in found) <= 11


@pytest.mark.parametrize("design", [STRATA, POISSON])
def test_chances_that_are_not_those_of_the_sample_are_seen(design):
    """Gold without its chances, or with other items', is doubted in most of five studies."""
    found = []
    for seed in range(5):
        items, rng = items_of(design, seed), np.random.default_rng(seed)
        wrong = items.draw.take(rng.permutation(len(items)))
        found.append(
            [assess_gold_sample(replace(items, draw=draw), rng, 1999).p for draw in (None, wrong)]
        )
    assert np.median(found, axis=0).max() < CHOSEN


@pytest.mark.parametrize("design", [STRATA, POISSON])
def test_one_thing_is_said_of_gold_that_does_not_fit_its_chances(design, tmp_path, capsys):
    """By check, evaluate, its folder and the report: not that it is no random sample."""
    items = items_of(design)
    shuffled = np.random.default_rng(1).permutation(len(items))
    given = {name: np.asarray(one)[shuffled] for name, one in items.draw.to_columns().items()}
    if design == POISSON:  # so that their sum is still about the number of gold items
        given = {"gold_probability": np.sort(items.draw.chance)[np.argsort(shuffled)]}
    path, out = write_items(items, tmp_path / "study.csv", **given), tmp_path / "out"
    assert main(["check", path]) == 0
    told = capsys.readouterr()
    said = " ".join((told.out + told.err).split())
    for one in (
        "the table says with which chances gold items were drawn",
        "does gold fit the chances that the table gives? it does not (p = 0.0005)",
        "gold does not fit the chances that the table gives for it (p = 0.0005)",
        "evaluate sets this gold aside", "once its chances are out of the table",
    ):  # fmt: skip
        assert one in said
    assert main(["check", path, "--verbose"]) == 0
    assert "random sample" not in said + capsys.readouterr().out
    # Gold that surely does not fit leaves ranges and no answer without models.
    assert main(["evaluate", path, "--out", str(out), *ASKED, "--about", "items"]) == 0
    capsys.readouterr()
    study = read_study_folder(out)
    for one in study.answers:
        assert one.value is None
        assert (one.reason.code, one.reason.weight) == ("gold_surely_chosen", GRAVE)
        assert one.reason.values["sample"] == (OF_STRATA if design == STRATA else BY_CHANCE)
    assert "gold does not fit the chances" in find_doubts(study)[0].title.lower()
    facts = dict(write_check(study).facts)
    assert "does gold fit the chances that the table gives? it does not" in facts["gold"]


@pytest.mark.parametrize("p", [0.005, 0.0005])
@pytest.mark.parametrize("of", WORDINGS)
def test_what_evaluate_does_with_doubted_gold_is_said_with_what_to_do(of, p):
    sample = GoldSample(p, of=of)
    first, then = sample.to_do
    assert ("sets this gold aside" if p < SURELY_CHOSEN else "still corrects") in first
    assert "an expert label 50 items that `crowdgold sample` draws" in then
    assert ("chances are out" in then) == (of not in (OF_ITEMS, OF_CLUSTERS))
    assert bool(why_set_aside(sample)) == (p < SURELY_CHOSEN)


@pytest.mark.parametrize("design", GOLD_DESIGNS)
def test_a_finished_job_is_kept_with_its_design(design, tmp_path):
    """What is read again gives the same estimates to the bit."""
    items, questions = items_of(design), Questions((parse_metric("AUC"), parse_metric("TNR_H")))
    share = items.votes_positive / items.votes_total
    sample = rectify(share, View(items, "A"), questions, "population")
    both = sample.minus(rectify(share, View(items, "B"), questions, "population"))
    write_findings(
        [Finding("all", "A", "votes-R", questions.named, sample, both)], tmp_path / "kept"
    )
    (found,) = read_findings(tmp_path / "kept")
    assert found.sample.estimates(questions.named, 0.95) == sample.estimates(questions.named, 0.95)
    named = questions.named.differences()
    assert found.common.estimates(named, 0.95) == both.estimates(named, 0.95)


def test_a_segment_of_a_study_keeps_the_chances_of_all(tmp_path, capsys):
    segment = np.where(np.arange(1200) % 3 == 0, "a", "b")
    path = write_items(items_of(STRATA), tmp_path / "study.csv", stratum=segment)
    out = ("--out", str(tmp_path / "out"), "--metrics", "prevalence")
    assert main(["evaluate", path, *out, *ASKED, "--about", "items"]) == 0
    answers = json.loads(capsys.readouterr().out)["answers"]
    items = read_study([path]).items
    of_item = dict(zip(items_of(STRATA).item.astype(str), segment, strict=True))
    part = items.take(np.array([of_item[one] == "a" for one in items.item]))
    rng = np.random.default_rng(1)
    (expected,) = evaluate(fit("logistic-R", part, rng), part, ["prevalence"], rng, target="items")
    (found,) = [one for one in answers if one["stratum"] == "stratum=a"]
    assert found["estimate"] == pytest.approx(expected.estimate)
    assert found["standard_error"] == pytest.approx(expected.standard_error)


def mostly_one(*labels, by_itself=False, alike=True):
    """1,200 items, 1,080 of one stratum, all negative where they are to be alike, and the rest of
    others; so many gold labels of each."""
    sizes = [1080, *[120 // (len(labels) - 1)] * (len(labels) - 1)]
    stratum, items = np.repeat(np.arange(len(labels)), sizes), items_of("simple")
    rows, rng = [], np.random.default_rng(1)
    for one, number in enumerate(labels):
        from_these = (stratum == one) & ((items.truth == 0) | (one > 0) | (not alike))
        rows += rng.choice(np.flatnonzero(from_these), number, replace=False).tolist()
    chance = (np.array(labels) / sizes)[stratum]
    draw = GoldDraw(chance) if by_itself else GoldDraw(chance, stratum, np.array(labels))
    return items.with_gold(np.isin(np.arange(1200), rows), draw)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("share", [0.2, 0.55, 0.9, 0.999])
def test_labels_are_enough_by_the_bound_of_labels_that_are_alike(share, level):
    """W (1 - a^(1/n)) <= 1/2 from n = ln a / ln(1 - 1 / 2W) on, with a = (1 - level) / 2."""
    least = np.log((1 - level) / 2) / np.log(1 - 0.5 / share) if share > 0.5 else 1
    assert enough_labels(share, level) == np.ceil(least)


@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
@pytest.mark.parametrize("by_itself", [False, True])
@pytest.mark.parametrize("alike", [False, True])
@pytest.mark.parametrize("others", [(60,), (50, 30), (1, 50)])
def test_a_stratum_is_called_open_where_the_prevalence_has_no_interval(
    others, alike, by_itself, level
):
    """With as many labels as are said to be enough there is an interval. Of labels that are alike
    there is none with two fewer. A stratum with a single label is joined with the next."""
    found_open = []
    for labels in range(2, 9):
        items = mostly_one(labels, *others, by_itself=by_itself, alike=alike)
        rng = np.random.default_rng(1)
        (alone,) = evaluate(fit("GT", items, rng), items, ["prevalence"], rng, level=level)
        found = find_open_strata(items, level)
        assert bool(found) == (codes(alone.notes[:1]) == "left_open")
        found_open += [labels] * bool(found)
        for one in found:
            assert (one.labels, one.share) == (labels, pytest.approx(0.9))
            assert labels < one.enough == enough_labels(0.9, level)
    if alike:
        enough = enough_labels(0.9, level)
        assert found_open in (list(range(2, enough - 1)), list(range(2, enough)))


def test_items_heavier_than_any_gold_item_are_said_to_have_too_few_labels():
    """30 items with a chance of 1 have gold, and 270 with one of .01 have none; with one of .6 each
    counts for less than twice as much, and gold says something of them."""
    heavy, rng = np.arange(300) >= 30, np.random.default_rng(1)
    for chance, said in ((0.01, True), (0.6, False)):
        items = items_of("simple").take(np.arange(300))
        items = items.with_gold(~heavy, GoldDraw(np.where(heavy, chance, 1.0)))
        found = find_open_strata(items, 0.95)
        assert [(one.share, one.labels, one.enough) for one in found] == [(0.9, 0, 5)] * said
        for target in ("items", "population"):
            (alone,) = evaluate(fit("GT", items, rng), items, ["prevalence"], rng, target=target)
            assert codes(alone.notes) == ("left_open" if said else "")
            assert np.isfinite(alone.lower) is not said
        if said:
            assert "more than twice as much as any gold item" in found[0].note.text


def test_too_few_labels_of_a_stratum_are_no_answer_and_check_says_how_many_more(tmp_path, capsys):
    """No other method's number stands in the place of the recommended one's."""
    asked = ("--no-models", "--metrics", "prevalence", "accuracy", "--threshold", "9", "--json")
    for labels, known in ((3, False), (5, True)):
        items = mostly_one(labels, 60)
        names = np.where(np.arange(1200) < 1080, "easy ones", "audit")
        path = write_items(items, tmp_path / "study.csv", gold_stratum=names)
        assert main(["check", path]) == 0
        told = capsys.readouterr()
        said = " ".join(told.err.split())
        for one in ("gold stratum easy ones stand for 90 % of all items and have 3 gold labels",
                    "With 5 labels it has one", "have an expert label 2 more"):  # fmt: skip
            assert (one in said) is not known
        assert ("no answer     prevalence" in told.out) is not known
        assert main(["evaluate", path, "--out", str(tmp_path / f"{labels}"), *asked]) == 0
        capsys.readouterr()
        answers = [one for one in read_study_folder(tmp_path / f"{labels}").answers
                   if one.of.metric in ("prevalence", "accuracy@9")]  # fmt: skip
        assert len(answers) == 3
        for one in answers:
            passed = [(each.method, codes(each.why)) for each in one.passed_over]
            assert passed == ([] if known else [("logistic-R", "left_open")])
            assert (one.value is not None) is known
            assert not known or (one.value.method, one.value.estimate is None) == (
                "logistic-R", False,
            )  # fmt: skip
