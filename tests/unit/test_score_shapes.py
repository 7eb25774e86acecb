"""Shapes of scores against quadrature and formulae of their own; no random numbers.

The reference writes the calibration curve as it is printed (Kull et al., 2017) and integrates with
scipy's adaptive quadrature.
"""

from itertools import combinations, pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats
from scipy.optimize import brentq
from scipy.special import betainc, betaln, expit, logit

from crowdgold.experiment import configuration
from crowdgold.papers.maven.experiments import ITEMS, compute_score_curves, curve_distances
from crowdgold.simulate.score_shapes import read_shape
from crowdgold.types.errors import InputError
from crowdgold.types.parameters import Parameters

EXPERIMENTS = Path(__file__).parents[2] / "config/experiments/maven.yaml"
CONFIGURED = configuration.load(EXPERIMENTS)["experiments"]["maven_fig7"]["parameters"]["shapes"]


def mixture(*rows):
    return [dict(zip(("weight", "alpha", "beta"), row, strict=True)) for row in rows]


SHAPES = {
    **CONFIGURED,
    "narrow and broad": {"a": 19, "b": 0.05, "mixture": mixture((0.5, 0.3, 0.3), (0.5, 1e3, 1e3))},
    "steep": {"a": 19, "b": 19, "mixture": mixture((1, 1000, 1000))},
    "far from even": {"a": 5, "b": 0.05, "mixture": mixture((1, 0.3, 700))},
}
SCORES = np.concatenate(
    [10.0 ** -np.arange(2, 12), np.linspace(0.02, 0.98, 49), 1 - 10.0 ** -np.arange(2, 9)]
)


def shape_of(name, phi=0.3):
    return read_shape(Parameters("test", {"shape": name, "shapes": SHAPES}), phi)


def printed_curve(values, m, x):
    k = values["b"] * np.log(1 - m) - values["a"] * np.log(m)
    return 1 / (1 + 1 / (np.exp(k) * x ** values["a"] / (1 - x) ** values["b"]))


def mixture_density_of_logit(values, t):
    """Density of t = logit(x); s and 1 - s are both exact far from the middle."""
    s, rest = expit(t), expit(-t)
    rows = [(one["weight"], one["alpha"], one["beta"]) for one in values["mixture"]]
    return sum(w * np.exp(a * np.log(s) + b * np.log(rest) - betaln(a, b)) for w, a, b in rows)


def integral(shape, label, low, high, **how):
    """Integrate a class's density between two scores by adaptive quadrature."""
    return integrate.quad(
        lambda x: float(shape.density(label, x)), low, high, epsabs=1e-13, limit=500, **how
    )[0]


@pytest.mark.parametrize("name", SHAPES)
def test_bayes_rule_gives_back_the_calibration_curve(name):
    """c = phi f_1 / (phi f_1 + (1 - phi) f_0), as printed, to 1e-9; it rises, and is 1/2 at m."""
    shape = shape_of(name)
    x = np.linspace(0.01, 0.99, 99)
    positive, negative = 0.3 * shape.density(1, x), 0.7 * shape.density(0, x)
    expected = printed_curve(SHAPES[name], shape.m, x)
    np.testing.assert_allclose(shape.calibration(x), expected, rtol=1e-9, atol=1e-300)
    seen = positive + negative > 1e-250
    found = positive[seen] / (positive + negative)[seen]
    np.testing.assert_allclose(found, expected[seen], rtol=1e-9, atol=1e-300)
    assert np.all(np.diff(shape.calibration(x)) >= 0)
    assert abs(shape.calibration(np.array(shape.m)) - 0.5) < 1e-9


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("phi", [0.02, 0.3])
def test_the_classes_mix_to_the_betas_that_the_scores_are_drawn_from(name, phi):
    """phi F_1 + (1 - phi) F_0 is scipy's mixture of beta distributions, to 1e-11."""
    shape = shape_of(name, phi)
    below = phi * shape.distribution(1, SCORES) + (1 - phi) * shape.distribution(0, SCORES)
    rows = SHAPES[name]["mixture"]
    expected = sum(r["weight"] * betainc(r["alpha"], r["beta"], SCORES) for r in rows)
    np.testing.assert_allclose(below, expected, atol=1e-11, rtol=0)


@pytest.mark.parametrize("name", SHAPES)
def test_densities_integrate_to_one_and_to_the_distribution_functions(name):
    """Adaptive quadrature of the density between scores, plus the two tails, to 1e-10."""
    shape = shape_of(name)
    edges = np.concatenate([[1e-6, 1e-3], np.linspace(0.02, 0.98, 25), [0.999, 1 - 1e-6]])
    for label in (0, 1):
        pieces = [integral(shape, label, *ends) for ends in pairwise(edges)]
        ends = shape.distribution(label, edges)
        np.testing.assert_allclose(pieces, np.diff(ends), atol=1e-11)
        tails = ends[0] + 1 - ends[-1]
        assert abs(sum(pieces) + tails - 1) < 1e-10


@pytest.mark.parametrize("phi", [0.001, 0.3, 0.9])
@pytest.mark.parametrize("name", CONFIGURED)
def test_m_is_where_the_scores_imply_the_base_rate(name, phi):
    """int g c = phi by adaptive quadrature to 1e-10; with m off by 1 %, it is not."""
    values, m = SHAPES[name], shape_of(name, phi).m

    def implied(m):
        def integrand(t):
            odds = values["a"] * np.log(expit(t) / m) - values["b"] * np.log(expit(-t) / (1 - m))
            return mixture_density_of_logit(values, t) * expit(odds)

        pieces = np.arange(-140.0, 120.0, 4)
        return sum(integrate.quad(integrand, at, at + 4, epsabs=1e-14)[0] for at in pieces)

    assert abs(implied(m) - phi) < 1e-10
    assert abs(implied(m * 0.99) - phi) > 1e-6


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("label", [0, 1])
def test_quantiles_invert_the_distribution_from_either_end(name, label):
    """F(F^-1(p)) = p to 1e-12 below, above and far in the tails; a score rounds at 1 - 1e-16."""
    shape = shape_of(name)
    p = np.concatenate([10.0 ** -np.arange(3, 12), np.linspace(0.01, 0.99, 99)])
    below = shape.quantile(label, p)
    inside = below < 1 - 1e-9
    np.testing.assert_allclose(shape.distribution(label, below)[inside], p[inside], atol=1e-12)
    above = shape.quantile(label, p, above=True)
    inside = above < 1 - 1e-3
    np.testing.assert_allclose(1 - shape.distribution(label, above)[inside], p[inside], atol=1e-12)
    assert np.all(np.diff(below[9:]) > 0)
    assert np.all(np.diff(above[9:]) < 0)
    np.testing.assert_allclose(below[9:], above[9:][::-1], rtol=1e-8)


def test_a_mixture_of_two_mirrored_betas_gives_these_back():
    """g = phi Beta(3, 2) + (1 - phi) Beta(2, 3) has log odds logit x + constant: a = b = 1."""
    phi = 0.4
    values = {"a": 1, "b": 1, "mixture": mixture((phi, 3, 2), (1 - phi, 2, 3))}
    shape = read_shape(Parameters("test", {"shape": values}), phi)
    x = np.linspace(0.01, 0.99, 99)
    for label, known in ((1, stats.beta(3, 2)), (0, stats.beta(2, 3))):
        np.testing.assert_allclose(shape.density(label, x), known.pdf(x), rtol=1e-10)
        np.testing.assert_allclose(shape.distribution(label, x), known.cdf(x), rtol=1e-10)
        np.testing.assert_allclose(shape.quantile(label, x), known.ppf(x), rtol=1e-10)
    threshold = stats.beta(3, 2).isf(0.7)
    flagged = 0.6 * stats.beta(2, 3).sf(threshold)
    np.testing.assert_allclose(shape.precision_at_recall(0.7), 0.28 / (0.28 + flagged), rtol=1e-10)


@pytest.mark.parametrize(("name", "recall"), [("bimodal", 0.8), ("u_shaped", 0.4)])
def test_the_precision_recall_curve_is_that_of_brute_force(name, recall):
    """The threshold by root finding on adaptive quadrature, to 2e-6: what lies above 1 - 1e-12."""
    shape = shape_of(name)

    def above(label, x):
        return integral(shape, label, x, 1 - 1e-12, points=[0.99, 0.999999])

    threshold = brentq(lambda x: above(1, x) - recall, 0.01, 0.98, xtol=1e-10)
    expected = 0.3 * recall / (0.3 * recall + 0.7 * above(0, threshold))
    assert abs(shape.precision_at_recall(recall) - expected) < 2e-6
    assert abs(shape.precision_at_recall(1.0) - 0.3) < 1e-12


def test_the_four_shapes_differ_visibly_and_one_is_that_of_figure_3():
    """Negatives with two modes, positives with one and a heavy tail; distances between shapes."""
    x, shape = np.linspace(0.005, 0.995, 199), shape_of("bimodal")
    density = shape.density(0, x)
    seen = np.where(density > 0.2, density, 0)
    assert ((seen[1:-1] > seen[:-2]) & (seen[1:-1] > seen[2:])).sum() == 2
    # In a normal the 0.99 quantile is 3.4 times as far from the median as a quartile.
    low, middle, far = logit(shape.quantile(1, np.array([0.25, 0.5, 0.99])))
    assert (far - middle) / (middle - low) > 10
    found = [[shape_of(name).distribution(label, x) for label in (0, 1)] for name in CONFIGURED]
    for first, second in combinations(found, 2):
        assert np.abs(np.subtract(first, second)).max() > 0.2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"shape": "bimodel"}, "no shape 'bimodel'; did you mean 'bimodal'"),
        ({"shape": 3}, "'shape': found 3, expected a name in 'shapes', or"),
        ({"shape": {"a": 1, "b": 1}}, "parameter 'mixture' is missing; expected"),
        ({"shape": {"a": 0, "b": 1}}, "'a': found 0, expected a number above 0 and below 20"),
        ({"shape": {"a": 1, "b": 30}}, "'b': found 30"),
        ({"shape": {"m": 0.5}}, "no parameter 'm'"),
        ({"shape": {"a": 1, "b": 1, "mixture": []}}, r"'mixture': found \[\]"),
        ({"shape": {"a": 1, "b": 1, "mixture": [[1, 2, 3]]}}, "expected .{weight: number, alpha: "),
        ({"shape": {"a": 1, "b": 1, "mixture": mixture((0.5, 2, 3))}}, "weights .* sum to 1"),
        ({"shape": {"a": 1, "b": 1, "mixture": mixture((1, 0.2, 3))}}, "'alpha': found 0.2,"),
        ({"shape": {"a": 1, "b": 1, "mixture": mixture((1, float("nan"), 3))}}, "nan"),
        ({"shape": {"a": 1, "b": 1, "mixture": mixture((-1, 2, 3), (2, 2, 3))}}, "'weight': found"),
        ({}, "'shape' is missing"),
    ],
)  # fmt: skip
def test_an_impossible_shape_is_named_with_what_was_found_and_expected(change, message):
    with pytest.raises(InputError, match=message):
        read_shape(Parameters("test", {"shapes": SHAPES} | change), 0.3)


def test_the_check_tabulates_the_curves_and_refuses_slips():
    given = {"phi": 0.3, "shape": "skewed", "shapes": SHAPES, "points": 50}
    table = compute_score_curves(given, None)
    shape = shape_of("skewed")
    assert table.groupby("curve").size().tolist() == [50] * 4
    for curve, expected in {
        "calibration": shape.calibration,
        "density_0": lambda x: shape.density(0, x),
        "density_1": lambda x: shape.density(1, x),
        "precision": shape.precision_at_recall,
    }.items():
        rows = table[table["curve"] == curve]
        np.testing.assert_allclose(rows["value"], expected(rows["at"].to_numpy()), rtol=1e-12)
    assert set(table["m"]) == {shape.m}
    with pytest.raises(InputError, match="no parameter 'shapez'"):
        compute_score_curves({"phi": 0.3, "shapez": "skewed"}, None)


def results(estimates, recalls=(0.2, 0.5, 0.9), shape="s", method="MAVEN"):
    """Rows of one method: estimates (replicates, recalls), with intervals of half-width 0.1."""
    return pd.DataFrame(
        {"shape": shape, "method": method, "replicate": k, "metric": f"precision_at_recall@{r}",
         "truth": 0.5, "estimate": value, "lower": value - 0.1, "upper": value + 0.1}
        for k, row in enumerate(estimates)
        for r, value in zip(recalls, row, strict=True)
    )  # fmt: skip


def exact(value, shape="s"):
    at = np.arange(1, 11) / 10
    return pd.DataFrame({"shape": shape, "curve": "precision", "at": at, "value": value(at)})


def distances(*tables):
    found = curve_distances(pd.concat(tables), exact(lambda at: 0.9 - at), ["shape"])
    return found.set_index("method")


def test_distances_are_integrals_over_the_recalls_averaged_over_replicates():
    """Two replicates off by .05 and .55 at recalls from .2 to .9: .21 with standard error .175."""
    other = results([[0.5, 0.5, 0.5]], method="GT")
    table = results([[0.75, 0.45, 0.05], [1.25, 0.95, 0.55]])
    found = distances(table, other, other.assign(metric="AUC"))
    own = found.loc["MAVEN", ["distance", "distance_se", "width", "coverage"]].astype(float)
    assert own.tolist() == pytest.approx([0.7 * 0.3, 0.7 * 0.25, 0.7 * 0.2, 0.5])
    assert found.loc["GT", "replicates"] == 1
    assert np.isnan(found.loc["GT", "distance_se"])
    # The items' own curve, 0.5 everywhere: trapezia with 0.2, 0.1 and 0.5 at their corners.
    items = 0.3 * (0.2 + 0.1) / 2 + 0.4 * (0.1 + 0.5) / 2
    assert found.loc[ITEMS, ["distance", "replicates"]].tolist() == pytest.approx([items, 2])


def test_distances_from_the_items_own_curve_are_held_against_those_of_gold_labels_alone():
    """Off the items' 0.5 by 0.1 and 0.3, gold alone by 0.2 and 0.2: 1 times as far, and as pairs
    the ratio's error is that of 0.5 and 1.5. A replicate without gold alone has no part in it."""
    gold = results([[0.3] * 3, [0.7] * 3], method="GT")
    found = distances(results([[0.6] * 3, [0.8] * 3, [0.5] * 3]), gold)
    own = found.loc["MAVEN", ["from_items", "of_gold", "of_gold_se"]].astype(float)
    assert own.tolist() == pytest.approx([0.7 * 0.4 / 3, 1, 0.5])
    assert found.loc["GT", ["of_gold", "of_gold_se"]].tolist() == pytest.approx([1, 0])
    assert found.loc[ITEMS, "from_items"] == 0
    assert distances(results([[0.6] * 3]))["of_gold"].isna().all()


def test_curves_without_a_value_are_counted_and_a_setting_without_its_exact_curve_is_an_error():
    table = results([[0.8, np.nan, 0.1], [0.8, 0.5, 0.1]])
    assert distances(table).loc["MAVEN", ["replicates", "undefined"]].tolist() == [1, 1]
    with pytest.raises(ValueError, match=r"no exact curve for {'shape': 's'}"):
        curve_distances(table, exact(np.sqrt, "other"), ["shape"])
