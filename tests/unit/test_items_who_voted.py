"""Items that know who gave each vote: reduced from labels, drawn, kept in files, and fitted."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from crowdgold.datasets import product_pairs
from crowdgold.experiment.data_tables import row_of, table_of
from crowdgold.inference.labels import Fit, ProbableLabels, evaluate
from crowdgold.methods.registry import METHODS, fit
from crowdgold.simulate import simulate
from crowdgold.simulate.generator import Replicate
from crowdgold.simulate.resample import as_items
from crowdgold.types.errors import InputError
from crowdgold.types.items import NO_GOLD
from unit.labelled_by_three import annotated, three_reviewers
from unit.reference import make_items


def rng(seed=0):
    return np.random.default_rng(seed)


def read_back(items):
    row = row_of(items)
    return table_of({name: row[name][0] for name in row.column_names})


def unlabelled_truth():
    """Annotations whose truth is not known."""
    return annotated(three_reviewers(12, rng()).drop(columns="truth"))


CLARA = {
    "n": 60, "prevalence": 0.4, "n_reviewers": 5, "tpr": 0.8, "tnr": 0.9, "design": "tie_break",
}  # fmt: skip
IRT = {
    "n": 40, "phi": 0.3, "mu_s": 1.0, "sigma_s": 1.0, "mu_d": 0.0, "sigma_d": 1.0, "offset": 0.0,
    "n_voters": 6, "votes_total": [1, 3], "n_gold": 10, "predictors": {"A": {"mu": 1, "delta": 1}},
}  # fmt: skip


def reduced(n_gold=20):
    return as_items(simulate("clara", CLARA, rng()), {"n_gold": n_gold}, rng()).table


def estimated(fitted, items, metrics=("prevalence", "TPR_H", "TNR_H")):
    return evaluate(fitted, items, list(metrics), rng())


def same_votes(items):
    """The labels behind the votes add up to them."""
    labels = items.labels
    votes = labels.votes()
    assert np.array_equal(votes[:, 1], items.votes_positive)
    assert np.array_equal(votes.sum(axis=1), items.votes_total)
    assert labels.item.tolist() == items.item.tolist()
    return labels


def test_labels_are_reduced_to_votes_truth_and_gold():
    drawn = simulate("clara", {**CLARA, "scores": {"sd": 1}, "separation": "1"}, rng())
    items, table = as_items(drawn, {"n_gold": 25}, rng(1)).table, drawn.table
    labels, known = same_votes(items), items.gold != NO_GOLD
    assert items.truth.tolist() == table.truth.tolist()
    assert known.sum() == 25
    assert np.array_equal(items.gold[known], items.truth[known])
    assert np.array_equal(items.scores["score"], table.scores["score"][:, 1])
    given = table.annotator[table.annotator_of].tolist()
    assert labels.annotator[labels.annotator_of].tolist() == given
    assert labels.label.tolist() == table.label.tolist()


def test_several_categories_become_two():
    drawn = simulate("stableval", {"items_per_agent": 30, "quality": [0.5]}, rng())
    for positive in ([2], [1, 2]):
        asked = {"positive": [str(one) for one in positive], "n_gold": 0}
        found = as_items(drawn, asked, rng()).table
        assert np.array_equal(found.truth, np.isin(drawn.table.truth, positive))
        assert np.array_equal(found.votes_positive, drawn.table.votes()[:, positive].sum(axis=1))


def test_an_item_without_a_label_is_left_out():
    drawn = simulate("clara", CLARA, rng())
    kept = drawn.table.of_labels(drawn.table.item_of > 2)
    items = as_items(Replicate(kept, kept), {"n_gold": 5}, rng()).table
    assert items.item.tolist() == drawn.table.item[3:].tolist()
    assert items.truth.tolist() == drawn.table.truth[3:].tolist()
    same_votes(items)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"n_gold": 99}, "n_gold"),
        ({}, "neither"),
        ({"n_gold": 5, "positive": ["3"]}, "found '3'"),
        ({"n_gold": 5, "positive": ["0", "1"]}, "all of 0, 1"),
        ({"gold": 5}, "no parameter 'gold'"),
    ],
)
def test_a_reduction_that_cannot_be_is_refused(values, message):
    with pytest.raises(InputError, match=message):
        as_items(simulate("clara", CLARA, rng()), values, rng())
    without = unlabelled_truth()
    with pytest.raises(InputError, match="true categories are not known"):
        as_items(Replicate(without, without), {"n_gold": 1}, rng())


def test_voters_of_algorithm_2_are_known_where_asked_for():
    """Asking changes nothing else: the same random numbers are drawn."""
    plain = simulate("irt", IRT, rng(3)).table
    asked = simulate("irt", {**IRT, "annotators": True}, rng(3)).table
    assert plain.labels is None
    pd.testing.assert_frame_equal(plain.to_frame(), asked.to_frame())
    labels = same_votes(asked)
    pairs = list(zip(labels.item_of, labels.annotator_of, strict=True))
    assert len(set(pairs)) == len(pairs)
    with pytest.raises(InputError, match="true or false"):
        simulate("irt", {**IRT, "annotators": 1}, rng())


def test_workers_of_product_pairs_are_known_where_asked_for():
    answers = pd.DataFrame({
        "question": ["1_2_1", "1_2_1", "3_4_0", "3_4_0", "1_2_1", "3_4_0"],
        "worker": [*"wvwuuv"], "answer": [1, 0, 0, 0, 1, 1],
    })  # fmt: skip
    truth = pd.DataFrame({"question": ["3_4_0", "1_2_1"], "truth": [0, 1]})
    names = pd.Series({1: "red pen", 2: "red pen blue", 3: "a cup", 4: "cup"})
    frame = product_pairs.build(answers, truth, names)
    assert product_pairs.draw_task(frame, {}, rng()).labels is None
    labels = same_votes(product_pairs.draw_task(frame, {"annotators": True}, rng()))
    given = labels.annotator[labels.annotator_of].tolist()
    assert given == ["W0", "W2", "W1", "W0", "W1", "W2"]
    assert labels.label.tolist() == [0, 0, 1, 1, 0, 1]


def test_items_taken_keep_their_labels_and_so_does_a_file():
    items = simulate("irt", {**IRT, "annotators": True}, rng(3)).table
    names, item_of = items.labels.annotator[items.labels.annotator_of], items.labels.item_of
    chosen = np.array([7, 2, 30])
    for rows in (chosen, np.isin(np.arange(len(items)), chosen)):
        taken = items.take(rows)
        same_votes(taken)
        positions = np.flatnonzero(rows) if rows.dtype == bool else rows
        expected = np.concatenate([names[item_of == one] for one in positions])
        assert taken.labels.annotator[taken.labels.annotator_of].tolist() == expected.tolist()
    again = read_back(items)
    for name in ("item_of", "annotator_of", "label", "annotator"):
        assert np.array_equal(getattr(again.labels, name), getattr(items.labels, name))
    assert read_back(replace(items, labels=None)).labels is None


CLARA_QUICK = {"chains": 2, "warmup": 20, "draws": 50, "lag": 1}


def test_methods_of_annotators_take_items_that_know_them():
    """CLARA on Items is CLARA on the labels, draw by draw."""
    items = reduced()
    fitted = fit("CLARA", items, rng(), CLARA_QUICK)
    own, labels = fitted.labels, fit("CLARA", items.labels, rng(), CLARA_QUICK).labels
    assert np.array_equal(own.prevalence, labels.prevalence)
    prevalence, tpr, tnr = estimated(fitted, items)
    assert prevalence.estimate == pytest.approx(own.prevalence[:, 1].mean())
    assert tpr.estimate == pytest.approx(own.confusion[:, own.matrix_of, 1, 1].mean())
    assert all(one.lower < one.estimate < one.upper for one in (prevalence, tpr, tnr))


def test_methods_that_use_no_gold_are_the_same_without_it():
    """Fitted with and without gold, from the same seed; GT+MV is the control."""
    scores = {"negative_mean": -1, "positive_mean": 1, "sd": 1}
    drawn = simulate("clara", {**CLARA, "scores": scores}, rng())
    items = as_items(drawn, {"n_gold": 25}, rng(1)).table
    bare = replace(items, gold=np.full(len(items), NO_GOLD, dtype=np.int8))
    blind = [name for name, one in METHODS.items() if "items" in one.tables and not one.uses_gold]
    assert {"MV", "PEC", "CLARA", "CLARA+S"} <= set(blind)
    for name in blind:
        if not METHODS[name].package:
            own = {"warmup": 5, "draws": 10} if name.startswith("CLARA") else {}
            own |= {"chains": 2} if own and name != "CLARA-published" else {}
            one, other = (
                [(each.estimate, each.lower) for each in estimated(
                    fit(name, table, rng(2), own), table, ["prevalence", "TPR_H"])]
                for table in (items, bare)
            )  # fmt: skip
            assert one == other, name
    assert METHODS["GT+MV"].uses_gold
    assert METHODS["GT+MV"].lacks(bare)


def test_scores_of_any_scale_enter_clara():
    """A score and the probability whose log odds it is are the same to CLARA+S."""
    table = reduced()
    raw = rng(5).normal(3 * table.truth - 1.0)
    by_scale = [
        fit("CLARA+S", replace(table, scores={"A": one}), rng(), CLARA_QUICK).labels.probability
        for one in (raw, 1 / (1 + np.exp(-raw)))
    ]
    np.testing.assert_allclose(by_scale[0], by_scale[1], atol=1e-9)
    alone = fit("CLARA", table, rng(), CLARA_QUICK).labels.probability
    assert np.abs(alone - by_scale[0]).max() > 0.05


def test_an_item_counts_by_its_probabilities():
    """PEC's prevalence is the mean probability, and TPR_H the share of the votes' mass."""
    items = reduced()
    fitted = fit("PEC", items, rng())
    share = fitted.labels.probability[:, 1]
    prevalence, rate, _ = estimated(fitted, items)
    assert prevalence.estimate == pytest.approx(share.mean())
    right, all_votes = share @ items.votes_positive, share @ items.votes_total
    assert rate.estimate == pytest.approx(right / all_votes)
    given = np.stack([1 - share, share], axis=1)
    probable = Fit("Snorkel", ProbableLabels(given.argmax(axis=1), given))
    assert estimated(probable, items)[0].estimate == pytest.approx(share.mean())


def test_rogan_gladen_of_items_is_that_of_their_majority():
    """20 items, 8 positive majorities; gold: 3 of 4 positives and 5 of 6 negatives are right."""
    votes = [3] * 3 + [0] + [0] * 5 + [3] + [3] * 4 + [0] * 6
    items = make_items(votes, 3, [1] * 4 + [0] * 6 + [NO_GOLD] * 10)
    prevalence, other, _ = estimated(fit("Rogan-Gladen", items, rng()), items)
    tpr, tnr = 3 / 4, 5 / 6
    assert prevalence.estimate == pytest.approx((8 / 20 + tnr - 1) / (tpr + tnr - 1))
    assert np.isnan(other.estimate)
    assert other.note == "it estimates prevalence only"
    with pytest.raises(InputError, match="judges is of Annotations"):
        fit("Rogan-Gladen", items, rng(), {"judges": "judges"})


def test_metrics_of_votes_need_no_scores():
    items = make_items([0, 1, 2, 3, 3, 0], 3, [0, 0, 1, 1, NO_GOLD, NO_GOLD])
    bare = replace(items, scores={})
    for method in ("GT", "MV", "GT+MV"):
        with_scores, without = (
            [each.estimate for each in estimated(fit(method, one, rng()), one)]
            for one in (items, bare)
        )
        assert with_scores == without
    with pytest.raises(InputError, match="has no scores"):
        estimated(fit("GT", bare, rng()), bare, ["AUC"])


def test_what_a_table_lacks_for_a_method_follows_from_its_needs():
    items = replace(make_items([0, 1, 2, 3], 3, [1, 1, NO_GOLD, NO_GOLD]), scores={})
    reasons = {
        "CLARA": "who gave each vote", "PEC": "who gave each vote", "CLARA+S": "scores",
        "MAVEN": "scores", "AutoEval": "scores", "ORACLE": "P(Y | V)", "GT": "", "MV": "", "DS": "",
        "Rogan-Gladen": "gold labels of both classes; found 2 gold labels, of one class",
    }  # fmt: skip
    for method, reason in reasons.items():
        lacks = METHODS[method].lacks(items)
        assert reason in (lacks.text if lacks else "")
        assert bool(lacks) == bool(reason), method
    one_vote = {"n": 40, "prevalence": 0.5, "quality": "0.8-0.9", "design": "random", "n_gold": 0}
    single = as_items(simulate("judge_error", one_vote, rng()), {"n_gold": 20}, rng()).table
    assert METHODS["CLARA"].lacks(single).code == "no_several"
    assert METHODS["Rogan-Gladen"].lacks(single) is None
    assert METHODS["CLARA"].lacks(unlabelled_truth()) is None
    assert METHODS["GT"].lacks(unlabelled_truth()).text == "it takes a table of items"
