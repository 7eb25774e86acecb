"""How many gold labels alone would say as much: its interval, and what is said of it."""

from pathlib import Path

import numpy as np
import pytest

import crowdgold
import crowdgold as cg
from crowdgold.evaluation.answer import AsGold, value_of
from crowdgold.evaluation.rows import as_gold_ends
from crowdgold.inference.estimate import Draws, Questions, View
from crowdgold.inference.rectified import of_labels
from crowdgold.metrics.binary import parse_metric
from crowdgold.presentation.answers import as_gold_words
from crowdgold.presentation.text import AS_GOLD_WORDS, footnotes
from unit.reference import make_items

EXAMPLE = Path(crowdgold.__file__).parent / "example"
FILES = ("votes", "gold", "scores")

QUESTIONS = Questions((parse_metric("prevalence"),))
NAMED = QUESTIONS.named


def of_ratio(number, low, high, gold=250.0, items=3000.0):
    """The ends of one number, of a ratio of variances between two values."""
    one = (np.array([number]), np.array([[low], [high]]), np.array([gold]), np.array([items]))
    return as_gold_ends(*one)[:, 0].tolist()


def ratio_of(number, gold=250, items=3000):
    """The ratio of variances that makes so many labels of the gold labels, by hand."""
    return (1 / number - 1 / items) / (1 / gold - 1 / items)


@pytest.mark.parametrize(
    ("number", "lower", "upper", "told"),
    [
        (340, 250, 726, ("300", "250 to 700")),  # steps of 100; no less than the labels at hand
        (341, 328, 366, ("341", "328 to 366")),  # steps of 10 would be more than a quarter
        (341, 304, 393, ("340", "300 to 390")),
        (260, 250, 300, ("260", "250 to 300")),
        (1040, 700, 1420, ("1,000", "700 to 1,400")),
        (270, 250, 726, ("300", "250 to 700")),
    ],
)
def test_a_number_is_rounded_to_what_is_known_of_it(number, lower, upper, told):
    one = AsGold(number, *of_ratio(number, ratio_of(upper), ratio_of(lower)))
    assert (f"{one.shown:,.0f}", one.interval) == told
    assert as_gold_words(one) == f"{told[0]} ({told[1]})"
    assert not one.is_unbounded


def test_the_interval_holds_the_number_and_is_never_below_the_labels_at_hand():
    """The number is one of widths, and may be outside of the interval of the variances."""
    for number in (200.0, 253.0, 300.0, 900.0):
        lower, upper = of_ratio(number, ratio_of(600), 1.0)
        assert lower == min(number, 250)
        assert upper >= number - 50
        assert min(number, 250) <= AsGold(number, lower, upper).shown <= upper


def test_a_number_without_bound_is_at_least_the_lower_end():
    """No number of labels beats those of all items."""
    lower, upper = of_ratio(900.0, 0.0, ratio_of(412))
    assert (lower, np.isnan(upper)) == (400, True)
    one = AsGold(900.0, lower)
    assert (one.shown, one.is_unbounded) == (400, True)
    assert as_gold_words(one) == one.interval == "at least 400"


def test_a_number_without_an_interval_is_as_it_was():
    assert np.isnan(of_ratio(300.0, np.nan, np.nan)).all()
    assert np.isnan(of_ratio(250.0, 0.1, 0.5, items=250.0)).all()
    one = AsGold(1234.5)
    assert (one.shown, one.interval, one.is_unbounded) == (1234.5, "", False)
    assert (as_gold_words(one), as_gold_words(None)) == ("1,200", "")


def rectified(own, guessed):
    """A sample of a mean with these deviations, whose prediction is used."""
    gold = (np.arange(len(own)) % 2).astype(int)
    items = make_items(gold, np.ones(len(own), int), gold, {}, truth=gold)
    found = of_labels(gold, View(items, ""), QUESTIONS, "population")

    class Used(type(found)):
        def chosen_weight(self):
            return np.array([1.0])

    deviations = {"labelled": own[:, None], "predicted": guessed[:, None]}
    return Used(**{**vars(found), **deviations})


def test_the_ratio_of_variances_by_hand():
    """By loops: the correlation without each item in turn, on its own scale."""
    rng = np.random.default_rng(4)
    own, noise = rng.normal(size=(2, 40))
    guessed = own + noise
    found = rectified(own, guessed).saved(NAMED, 0.95)[:, 0]

    def on_scale(kept):
        a, b = own[kept], guessed[kept]
        return np.arctanh(a @ b / np.sqrt((a @ a) * (b @ b)))

    without = np.array([on_scale(np.arange(40) != place) for place in range(40)])
    moved = without - without.mean()
    freedom = (moved**2).sum() ** 2 / (moved**4).sum()
    draws = np.random.default_rng(5).standard_t(freedom, 400_000)
    reach = np.quantile(draws, 0.975) * np.sqrt(39 / 40 * (moved**2).sum())
    centre = on_scale(np.arange(40) >= 0)
    expected = [1 - np.tanh(max(centre + side * reach, 0)) ** 2 for side in (1, -1)]
    assert found == pytest.approx(expected, abs=0.01)
    assert 0 < found[0] < 0.5 < found[1] <= 1


def test_what_shows_nothing_has_no_interval_or_one_without_bound():
    own = np.random.default_rng(6).normal(size=40)
    assert rectified(own, own).saved(NAMED, 0.95)[:, 0].tolist() == [0, 1]
    assert Draws(np.zeros((5, 2))).saved(NAMED, 0.95) is None
    gold = np.array([0, 1] * 20)
    items = make_items(gold, np.ones(40, int), gold, {}, truth=gold)
    alone = of_labels(gold, View(items, ""), QUESTIONS, "population")
    assert np.isnan(alone.saved(NAMED, 0.95)).all()


@pytest.mark.parametrize("none", [np.nan, None])
def test_a_value_has_what_its_row_has(none):
    def held(*numbers):
        names = ("effective_gold", "effective_gold_lower", "effective_gold_upper")
        return value_of({"method": "GT", **dict(zip(names, numbers, strict=True))}).as_gold

    assert held(300.0, none, none) == AsGold(300.0)
    assert held(600.0, 400.0, none) == AsGold(600.0, 400.0)
    assert held(600.0, 400.0, 800.0) == AsGold(600.0, 400.0, 800.0)
    assert held(none, none, none) is None


def test_every_view_of_the_example_says_what_is_known():
    """The column, its remark, the answer in Python and the table of all estimates."""
    result = cg.evaluate(
        cg.read(*(EXAMPLE / f"{name}.csv" for name in FILES)), models=False, metrics=["prevalence"]
    )
    number = result["prevalence"].only.value.as_gold
    lower, upper = number.lower, number.upper
    assert 300 <= lower < number.number < upper < 3000
    (row,) = result.answers.table.to_dict("records")
    assert (row["as_gold"], row["as_gold_interval"]) == (number.shown, (lower, upper))
    (row,) = result.evaluation.as_json()["answers"]
    assert (row["effective_gold_lower"], row["effective_gold_upper"]) == (lower, upper)
    assert f"{number.shown:,.0f}" in result.text
    notes = list(footnotes(result.evaluation, "all"))
    at = notes.index(AS_GOLD_WORDS)
    assert notes[at + 1] == f"95 % intervals of these numbers: prevalence {number.interval}."
    by_method = result.table.set_index("method")
    assert by_method.loc["logistic-R", "effective_gold_upper"] == upper
    assert np.isnan(by_method.loc["GT", "effective_gold_lower"])
