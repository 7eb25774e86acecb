"""Each annotator's TPR and TNR from gold labels, the table that has them, and equal annotators."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import crowdgold
from crowdgold.checking.judges import annotators_apart
from crowdgold.cli import main
from crowdgold.evaluation.fitting import Finding
from crowdgold.evaluation.questions import Settings
from crowdgold.evaluation.rows import annotator_rows
from crowdgold.evaluation.study import evaluate_study
from crowdgold.inference.annotator_rates import of_gold
from crowdgold.inference.estimate import Estimate, View
from crowdgold.inference.interval import unseen_share
from crowdgold.inference.labels import evaluate
from crowdgold.methods.registry import fit
from crowdgold.models.stan import StanModels
from crowdgold.presentation.folder import read_study_folder
from crowdgold.presentation.page import annotators_table
from crowdgold.reading.study import Study
from crowdgold.simulate.design import POISSON, SIMPLE, STRATA, draw_gold
from crowdgold.types.items import NO_PREDICTOR, Items, labels_of_items
from crowdgold.types.notes import codes

N, NAMES = 400, ["ann", "bob", "eve", "new"]
EXAMPLE = Path(str(crowdgold.__file__)).parent / "example"


def made(design=SIMPLE, seed=5):
    """Items with their voters: ann is always right, new labels one item, and eve some items twice,
    and all in another order than the items."""
    rng = np.random.default_rng(seed)
    truth = (rng.random(N) < 0.4).astype(int)
    rows, who, label = [], [], []
    for item in range(N):
        chosen = [0, 1, 2, 2] if item % 9 == 0 else [*rng.permutation(3)[:2].tolist()]
        for one in [*chosen, *[3] * (item == 7)]:
            rows.append(item)
            who.append(NAMES[one])
            label.append(truth[item] ^ (rng.random() < (0.0, 0.2, 0.4, 0.1)[one]))
    item = np.array([f"i{k:03d}" for k in range(N)], dtype=object)
    voters = labels_of_items(item, np.array(rows), np.array(who), np.array(label))
    total = np.bincount(rows, minlength=N)
    positive = np.bincount(rows, label, N).astype(int)
    gold = np.full(N, -1)
    items = Items(item, positive, total, gold, {"m": rng.random(N)}, rng.random(N), truth=truth)
    items = draw_gold(items, design, 120, rng)
    return replace(items, cluster=np.arange(N) // 4), voters


def of_one(items, voters, place, weights):
    """The items that an annotator labelled, with no other votes, and their weights."""
    own = voters.annotator_of == place
    total = np.bincount(voters.item_of[own], minlength=N)
    positive = np.bincount(voters.item_of[own], voters.label[own], N).astype(int)
    rows = np.flatnonzero(total)
    alone = replace(
        items.take(rows), votes_total=total[rows], votes_positive=positive[rows], scores={}
    )
    return alone, weights[rows] / weights[rows].mean()


@pytest.mark.parametrize("target", ["population", "items"])
@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("design", [SIMPLE, STRATA, POISSON])
def test_an_annotator_has_the_rates_of_the_voters_of_its_items(design, clustered, target):
    """As `evaluate` of GT, for chances, strata, clusters, weights, and labels given twice."""
    items, voters = made(design)
    items = items if clustered else replace(items, cluster=None)
    weights = np.random.default_rng(1).uniform(0.5, 2, N)
    found = of_gold(View(items, NO_PREDICTOR, weights), voters, target, 0.9)
    assert [one.annotator for one in found[::2]] == NAMES
    for place in range(3):
        alone, own = of_one(items, voters, place, weights)
        expected = evaluate(
            fit("GT", alone, np.random.default_rng(1)), alone, ["TPR_H", "TNR_H"],
            np.random.default_rng(1), 0.9, target=target, weights=own,
        )  # fmt: skip
        for one, other, label in zip(found[2 * place :], expected, (1, 0), strict=False):
            for name in ("estimate", "lower", "upper", "standard_error"):
                assert getattr(one, name) == pytest.approx(getattr(other, name), nan_ok=True)
            assert one.note == other.note
            assert one.gold == (alone.gold == label).sum()
            known = alone.gold == label
            each = own * (1.0 if alone.draw is None else 1 / alone.draw.chance)
            right = alone.votes_positive if label else alone.votes_total - alone.votes_positive
            by_hand = (each * right)[known].sum() / (each * alone.votes_total)[known].sum()
            assert one.estimate == pytest.approx(by_hand)


def test_who_is_always_right_has_a_bound_and_who_has_no_gold_a_reason():
    items, voters = made()
    items = replace(items, cluster=None)
    found = of_gold(View(items, NO_PREDICTOR), voters, "population", 0.95)
    ann = found[0]
    assert ann.estimate == ann.upper == 1
    assert ann.lower <= 1 - unseen_share(np.array(ann.gold), 0.95)
    for gold in (-1, 1):  # the one item of `new` without gold, and with
        known = np.where(items.item == "i007", gold, items.gold)
        view = View(replace(items, gold=known), NO_PREDICTOR)
        of_new = of_gold(view, voters, "population", 0.95)[6:]
        assert [one.gold for one in of_new] == [gold == 1, 0]
        assert np.isnan([one.lower for one in of_new]).all()
        assert all(one.note for one in of_new)
        assert (codes(of_new[0].notes) == "no_gold_of_annotator") == (gold == -1)


def test_tables_have_the_rates_also_of_strata_and_not_where_experts_err():
    """With what other methods say, in the order of the methods; the new column is the last."""
    items, voters = made()
    strata = {"half": np.where(np.arange(N) < N // 2, "a", "b")}
    study = Study(items, voters, strata=strata)
    asked = Settings(methods=("GT", "votes-R"))
    table = evaluate_study(study, asked, StanModels()).tables["annotators"]
    assert list(table.columns[-2:]) == ["note", "gold"]
    assert set(table["method"]) == {"GT"}
    assert table.groupby("stratum").size().to_dict() == {"all": 8, "half=a": 8, "half=b": 8}
    halves = table[table["stratum"] != "all"].groupby(["annotator", "metric"])["gold"].sum()
    assert (table[table["stratum"] == "all"].set_index(["annotator", "metric"])["gold"]
            .sort_index().eq(halves.sort_index()).all())  # fmt: skip
    asked = Settings(methods=("GT", "GT-E"), expert_error="0.05")
    assert evaluate_study(study, asked, StanModels()).tables["annotators"].empty
    assert annotators_apart(study.with_expert_error("0.05"), np.random.default_rng(1)) == ()
    one = Estimate("TPR:each", 0.5, 0.4, 0.6, annotator="ann")
    both = annotator_rows([Finding("all", "", "GT", annotators=[replace(one, gold=3)]),
                           Finding("all", "", "DS", annotators=[one])])  # fmt: skip
    assert both["gold"].isna().tolist() == [False, True]


def test_the_command_writes_them_without_models_and_the_report_reads_them(tmp_path):
    files = [str(EXAMPLE / f"{one}.csv") for one in ("votes", "gold", "scores")]
    out = tmp_path / "out"
    assert main(["evaluate", *files, "--no-models", "--out", str(out)]) == 0
    shown = annotators_table(read_study_folder(out))
    assert shown.caption.endswith("annotators by GT.")
    assert shown.header[:3] == ["annotator", "TPR", "TNR"]
    assert all(" to " in row[1] for row in shown.rows)


def test_annotators_are_compared_by_their_weighted_rates():
    """Those with 10 gold items of the class; the fact is in what a check of the study says."""
    items, voters = made(STRATA)
    study = Study(items, voters)
    apart = annotators_apart(study, np.random.default_rng(1))
    assert [one.metric for one in apart] == ["TPR", "TNR"]
    rates = of_gold(View(items, NO_PREDICTOR), voters, "items", 0.95)
    for place, one in enumerate(apart):
        assert one.annotators == 3
        assert (one.lowest.annotator, one.highest.annotator) == ("eve", "ann")
        for rate, known in ((one.lowest, rates[4 + place]), (one.highest, rates[place])):
            assert rate.rate == pytest.approx(known.estimate)
            assert rate.gold == known.gold
    assert annotators_apart(replace(study, annotations=None), np.random.default_rng(1)) == ()
    assert [one.metric for one in crowdgold.check(study).judges.apart] == ["TPR", "TNR"]
