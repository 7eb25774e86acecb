"""Algorithm 3 against its exact margins, its copula and its exact precision-recall curve.

Tests of distributions (Kolmogorov-Smirnov, chi-squared) ask for p above 1e-6, means for at most 5
standard errors of the replicates compared: either is exceeded by a right generator about once in a
million comparisons. All seeds are fixed. Each kind of test has a control that it must reject.
"""

import numpy as np
import pytest
from scipy import stats

from crowdgold.metrics.binary import true_value
from crowdgold.simulate import simulate
from crowdgold.simulate.score_shapes import read_shape
from crowdgold.types.errors import InputError
from crowdgold.types.parameters import Parameters

SHAPES = {
    "bimodal": {
        "a": 3,
        "b": 3,
        "mixture": [
            {"weight": 0.45, "alpha": 6, "beta": 40},
            {"weight": 0.38, "alpha": 40, "beta": 40},
            {"weight": 0.17, "alpha": 3, "beta": 1.5},
        ],
    },
    "u_shaped": {
        "a": 0.35,
        "b": 0.9,
        "mixture": [
            {"weight": 0.6, "alpha": 0.6, "beta": 2.5},
            {"weight": 0.4, "alpha": 2.5, "beta": 0.5},
        ],
    },
}
COPULA = {
    "n": 60_000,
    "n_gold": 100,
    "phi": 0.3,
    "a0": 0.2,
    "a1": 0.4,
    "d0": 1.5,
    "d1": 1.5,
    "rho": 0.5,
    "votes_total": 3,
    "shape": "bimodal",
    "shapes": SHAPES,
}
LEAST = 1e-6


def draw(seed=1, **changes):
    return simulate("copula", COPULA | changes, np.random.default_rng(seed)).table


def shape_of(name):
    return read_shape(Parameters("test", {"shape": name, "shapes": SHAPES}), COPULA["phi"])


def deviation(values, expected):
    """How far a mean of independent values is from the expected, in standard errors."""
    return abs(np.mean(values) - expected) / (np.std(values, ddof=1) / np.sqrt(len(values)))


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("label", [0, 1])
def test_the_scores_of_a_class_have_its_distribution(name, label):
    """Kolmogorov-Smirnov; rejected: the distribution of the other class."""
    items, shape = draw(shape=name), shape_of(name)
    scores = items.scores["A"][items.truth == label]
    assert np.all((scores > 0) & (scores < 1))
    p = [stats.kstest(scores, lambda x, y=y: shape.distribution(y, x)).pvalue for y in (0, 1)]
    assert p[label] > LEAST
    assert p[1 - label] < LEAST


def test_labels_follow_the_base_rate_and_the_calibration_curve():
    """Y - c(X) has mean 0 overall and in each tenth of the scores; rejected: c of another shape."""
    items = draw()
    score = items.scores["A"]
    assert deviation(items.truth, 0.3) < 5
    tenths = np.array_split(np.argsort(score), 10)
    other = []
    for rows in tenths:
        rest = items.truth[rows] - shape_of("bimodal").calibration(score[rows])
        assert deviation(rest, 0) < 5
        wrong = items.truth[rows] - shape_of("u_shaped").calibration(score[rows])
        other.append(deviation(wrong, 0))
    assert max(other) > 5


def vote_counts(items, label):
    return np.bincount(items.votes_positive[items.truth == label], minlength=4)


@pytest.mark.parametrize("label", [0, 1])
def test_the_votes_on_a_class_are_beta_binomial(label):
    """Chi-squared over 0 to 3 positive votes; rejected: a binomial of the same mean."""
    counts, a, d = vote_counts(draw(), label), COPULA[f"a{label}"], COPULA[f"d{label}"]
    votes = np.arange(4)
    p = [
        stats.chisquare(counts, counts.sum() * margin).pvalue
        for margin in (
            stats.betabinom.pmf(votes, 3, a * d, (1 - a) * d),
            stats.binom.pmf(votes, 3, a),
        )
    ]
    assert p[0] > LEAST
    assert p[1] < LEAST


@pytest.mark.parametrize("rho", [-0.6, 0.0, 0.5])
def test_scores_and_chances_of_a_vote_are_tied_by_a_gaussian_copula(rho):
    """With 1e6 votes an item P is known; the normal scores z of X and P have, in each class,

    mean z_x z_p = rho and mean (z_x^2 - 1) (z_p^2 - 1) = 2 rho^2. Betas without a pole keep the
    votes' own noise below 1e-4 of the variance of z_p. Rejected: rho + 0.05.
    """
    shape = {"a0": 0.3, "a1": 0.6, "d0": 8.0, "d1": 8.0}
    items = draw(votes_total=10**6, rho=rho, **shape)
    for label in (0, 1):
        rows = items.truth == label
        a, d = shape[f"a{label}"], shape[f"d{label}"]
        chance = items.votes_positive[rows] / 1e6
        p = stats.norm.ppf(stats.beta.cdf(chance, a * d, (1 - a) * d))
        x = stats.norm.ppf(shape_of("bimodal").distribution(label, items.scores["A"][rows]))
        assert deviation(x * p, rho) < 5
        assert deviation((x**2 - 1) * (p**2 - 1), 2 * rho**2) < 5
        assert deviation(x * p, rho + 0.05) > 5


@pytest.mark.parametrize("name", SHAPES)
def test_the_exact_precision_recall_curve_is_that_of_large_samples(name):
    """Mean of 60 samples of 5,000; a bias of order 1 / (phi n) = 7e-4 is below its standard error.

    Rejected: the curve of the other shape.
    """
    recalls = (0.3, 0.5, 0.9)
    values = []
    for seed in range(60):
        items = draw(seed, shape=name, n=5_000)
        values.append([true_value(f"precision_at_recall@{recall}", items) for recall in recalls])
    columns = np.array(values).T
    (other,) = set(SHAPES) - {name}
    exact, wrong = (shape_of(one).precision_at_recall(np.array(recalls)) for one in (name, other))
    assert all(deviation(column, one) < 5 for column, one in zip(columns, exact, strict=True))
    assert any(deviation(column, one) > 5 for column, one in zip(columns, wrong, strict=True))


def test_a_shape_can_be_given_itself_and_not_by_name():
    own = {"shape": SHAPES["bimodal"], "shapes": {}}
    by_name, itself = draw(n=200), draw(n=200, **own)
    assert np.array_equal(by_name.scores["A"], itself.scores["A"])


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"rho": 1}, "generator copula: parameter 'rho': found 1, expected a number above -1 and"),
        ({"a0": 0.5}, "'a0': found 0.5, expected at most a1, which is 0.4"),
        ({"shape": "other"}, "generator copula, shape: no shape 'other'; there are bimodal, u_sh"),
        ({"shape": "x", "shapes": {"x": {"a": 1}}}, "shape 'x': parameter 'b' is missing"),
        ({"predictors": {}}, "no parameter 'predictors'"),
    ],
)
def test_an_impossible_parameter_is_named_with_what_was_found_and_expected(changes, message):
    with pytest.raises(InputError, match=message):
        draw(n=10, **changes)
