"""People who choose between predictions, and metrics held against the scores that this gives."""

import importlib.util

import numpy as np
import pytest
from scipy import stats

from crowdgold.experiment.registries import entries
from crowdgold.papers.label_variation import experiments as human_ranking
from crowdgold.papers.label_variation.judgements import LEAST, Judged, choose, halves
from crowdgold.papers.label_variation.plots import line_with_band
from crowdgold.types.errors import InputError
from unit.label_variation_tables import table_of_people
from unit.test_label_variation_check import GIVEN, armis

needs_torch = pytest.mark.skipif(
    not importlib.util.find_spec("torch"), reason="PyTorch is not installed (`make hlv-packages`)"
)
OPTIONS = {**{k: v for k, v in GIVEN.items() if k != "method"}, "runs": 2, "permutations": 99}


def judged(labels, count=None):
    """Items of two classes from a list of labels each."""
    item = np.repeat(np.arange(len(labels)), [len(own) for own in labels])
    chosen = np.eye(2)[np.concatenate(labels)]
    return Judged(item, chosen, count=None if count is None else np.array(count))


def two_classes(positive):
    """Q of methods (M, N, 2) from what each gives the second class."""
    return np.stack([1 - np.array(positive), np.array(positive)], axis=2)


def test_the_halves_hold_every_annotation_once_at_random():
    whole = judged([[0, 1, 1, 1], [0, 0, 1]], count=[1, 2, 1, 3, 1, 1, 2])
    first, second = halves(whole, np.random.default_rng(1))
    assert np.bincount(first.item_of).tolist() == [4, 2]
    assert np.bincount(second.item_of).tolist() == [3, 2]
    for own in (first, second):
        assert (own.counts == 1).all()
    both = sum(
        (own.shares() * np.bincount(own.item_of)[:, None] for own in (first, second)), np.zeros(2)
    )
    np.testing.assert_allclose(both, [[1, 6], [2, 2]])
    with pytest.raises(InputError, match="item 1 has one, expected two or more"):
        halves(judged([[0, 1], [0]]), np.random.default_rng(1))
    # The only other label of four is in either half equally often: 400 draws, five errors.
    whole = judged([[1, 0, 0, 0]])
    rng = np.random.default_rng(2)
    first = np.mean([halves(whole, rng)[0].chosen[:, 1].sum() for _ in range(400)])
    assert abs(first - 0.5) < 5 * np.sqrt(0.25 / 400)


def test_whom_one_annotator_and_a_panel_prefer():
    # Two said yes and one no: of .9, .6 and .58 the last two look the same.
    wins, undecided = choose(judged([[1, 1, 0]]), two_classes([[0.9], [0.6], [0.58]]), "one")
    assert wins.tolist() == [[0, 1, 1], [2, 0, 0], [2, 0, 0]]
    assert undecided.tolist() == [[0, 0, 0], [0, 0, 3], [0, 3, 0]]
    # Two of three say yes. Each alone, most are for .99; together they are for two thirds.
    item = judged([[1, 1, 0]])
    predicted = two_classes([[2 / 3], [0.99]])
    alone, together = (choose(item, predicted, judge).wins for judge in ("one", "panel"))
    assert alone.tolist() == [[0, 2], [1, 0]]
    assert together.tolist() == [[0, 0], [1, 0]]
    with pytest.raises(InputError, match="judge 'two'; expected one or panel"):
        choose(item, predicted, "two")
    # Both gave one label nothing; they differ in the other.
    wins, undecided = choose(judged([[1, 0]]), two_classes([[1.0], [0.0]]), "panel")
    assert wins.sum() == 0
    assert undecided.tolist() == [[0, 1], [1, 0]]
    assert LEAST > 0
    # An annotation chose the first of two: .9 and .1 is better than .9 and .6.
    several = Judged(np.array([0]), np.array([[1.0, 0.0]]), multilabel=True)
    predicted = np.array([[[0.9, 0.1]], [[0.9, 0.6]]])
    for judge in ("one", "panel"):
        assert choose(several, predicted, judge).wins.tolist() == [[0, 0], [1, 0]]


def made_predictions(monkeypatch):
    """Method m puts a noise of size m on what two of three annotators say; AL says the same of
    all items, so that its entropies have no correlation."""
    noise = np.random.default_rng(5)

    def predictions(methods, given, data, frame, rng):
        tested = data.judged.shares()[data.splits()[0].test, 1]
        found = [
            np.clip(tested + noise.normal(0, 0.04 * m, len(tested)), 0, 1)
            if name != "AL"
            else np.full(len(tested), 0.4)
            for m, name in enumerate(methods)
        ]
        return two_classes(found)

    monkeypatch.setattr(human_ranking, "_predictions", predictions)


def test_metrics_are_held_against_the_scores_over_the_methods_that_have_a_value(monkeypatch):
    made_predictions(monkeypatch)
    rows = human_ranking.compute_human_ranking(OPTIONS, np.random.default_rng(3), armis())
    assert len(rows) == 2 * 6 * 14
    assert set(rows["judge"]) == {"one", "panel"}
    for (_, metric), own in rows.groupby(["judge", "metric"]):
        known = own[own["value"].notna()]
        undefined = set(own["method"]) - set(known["method"])
        assert undefined == ({"AL"} if metric == "entropy correlation" else set())
        assert set(own["methods"]) == {14 - len(undefined)}
        expected = stats.pearsonr(known["value"], known["score"]).statistic
        np.testing.assert_allclose(own["correlation"], expected, rtol=1e-9)
        assert own["score"].sum() == pytest.approx(1)
        assert own["p_value"].between(0.01, 1).all()


def test_scores_are_of_the_choices_of_all_runs(monkeypatch):
    """Where two runs say the opposite nobody is better for one who wants more of a label."""
    turns = iter([0, 1])

    def predictions(methods, given, data, frame, rng):
        tested = np.arange(len(data.splits()[0].test))
        rising = np.linspace(0.2, 0.8, len(methods))[:: 1 if next(turns) == 0 else -1]
        return two_classes(rising[:, None] + 0 * tested)

    monkeypatch.setattr(human_ranking, "_predictions", predictions)
    monkeypatch.setattr(human_ranking, "halves", lambda judged, rng: (judged, judged))
    rows = human_ranking.compute_human_ranking(OPTIONS, np.random.default_rng(3), armis())
    alone = rows[rows["judge"] == "one"]
    np.testing.assert_allclose(alone["score"], 1 / 14)
    assert alone["correlation"].isna().all()


@needs_torch
def test_the_methods_of_the_dataset_are_trained():
    rows = human_ranking.compute_human_ranking(
        OPTIONS | {"runs": 1, "epochs": 1}, np.random.default_rng(3), armis()
    )
    assert len(rows) == 2 * 6 * 14
    assert set(rows["encoder"]) == {"TF-IDF"}


def test_an_unknown_parameter_is_named():
    with pytest.raises(InputError, match="no parameter 'run'; did you mean 'runs'"):
        human_ranking.compute_human_ranking(
            {"run": 1, **OPTIONS}, np.random.default_rng(3), armis()
        )


def test_the_band_of_a_line_is_that_of_its_mean():
    """At the mean of x the error of the line is that of a mean, and the line goes through it."""
    x, y = np.array([0.0, 1, 2, 3, 4]), np.array([1.0, 0, 2, 3, 2])
    places, height, half = line_with_band(x, y)
    fitted = stats.linregress(x, y)
    np.testing.assert_allclose(height, fitted.intercept + fitted.slope * places)
    residual = y - fitted.intercept - fitted.slope * x
    error = np.sqrt((residual**2).sum() / 3)
    at_mean = np.interp(2, places, half)
    assert at_mean == pytest.approx(stats.t.ppf(0.975, 3) * error / np.sqrt(5), rel=1e-3)
    ends = stats.t.ppf(0.975, 3) * error * np.sqrt(1 / 5 + 4 / 10)
    assert half[[0, -1]] == pytest.approx([ends, ends])


def test_the_figure_says_which_correlations_are_undefined():
    figure, _ = entries("plot")["human_ranking"](table_of_people(), {})
    titles, own = [axes.get_title() for axes in figure.axes], "r = 0.90; -0.20"
    assert titles == [own, own, "r = undefined; undefined", own, own, own]
    with pytest.raises(ValueError, match=r"has no columns \['score'\]"):
        entries("plot")["human_ranking"](table_of_people().drop(columns="score"), {})
