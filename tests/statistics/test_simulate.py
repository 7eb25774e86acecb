"""The generators against theory, and against brute force.

Monte Carlo comparisons are judged in standard errors of the number compared: at most 5, which a
right generator exceeds with probability 6e-7 a comparison. All seeds are fixed.
"""

from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
from scipy import integrate, stats
from scipy.special import expit, logit

from crowdgold import metrics
from crowdgold.experiment.registries import entries
from crowdgold.simulate import irt, maven, resample, simulate
from crowdgold.types.errors import InputError
from crowdgold.types.items import ITEMS, NO_GOLD

MAVEN = {
    "n": 200_000,
    "phi": 0.3,
    "a0": 0.15,
    "a1": 0.7,
    "d0": 1.5,
    "d1": 4.0,
    "votes_total": 3,
    "gold_fraction": 0.1,
    "predictors": {"A": {"mu": 1.5, "delta": 1.0}, "B": {"mu": 0.5, "delta": 3.0}},
}
IRT = {
    "n": 200_000,
    "phi": 0.2,
    "mu_s": 3.0,
    "sigma_s": 2.0,
    "mu_d": 0.5,
    "sigma_d": 2.0,
    "offset": -1.0,
    "votes_total": 3,
    "gold_fraction": 0.1,
    "predictors": {"A": {"mu": 1.5, "delta": 1.0}, "B": {"mu": 0.75, "delta": 3.0}},
}
STAND_IN = {
    "n_pool": 90_000,
    "n_labelled": 2_000,
    "n": 4_000,
    "phi": 0.2,
    "TPR_H": 0.7,
    "TNR_H": 0.85,
    "excess_agreement": 0.1,
    "votes_total": 3,
    "gold_fraction": 0.1,
    "predictors": {"A": {"mu": 1.5, "delta": 1.0}, "B": {"mu": 0.75, "delta": 3.0}},
}
COPULA = {
    **{name: value for name, value in MAVEN.items() if name != "predictors"},
    "rho": 0.5,
    "shape": {"a": 1.0, "b": 2.0, "mixture": [{"weight": 1.0, "alpha": 2.0, "beta": 3.0}]},
}
_JOINT = {
    "n": 200_000, "phi": 0.3, "mu0": -0.5, "mu1": 1.0, "sigma": 0.8, "votes_total": 3,
    "gold_fraction": 0.1,
}  # fmt: skip
DAWID_SKENE_SCORES = {**_JOINT, "a0": 0.15, "a1": 0.7}
HUMAN_AI = {**_JOINT, "human0": -1.0, "human1": 0.4, "rho": 0.6}
SHARED_DIFFICULTY = {
    "n": 200_000,
    "phi": 0.3,
    "right_positive": 0.6,
    "right_negative": 0.8,
    "votes_total": 3,
    "gold_fraction": 0.1,
    "predictors": {"A": {"mu": 1.5}, "B": {"mu": 0.5}},
}
PANEL = {
    "n": 100_000,
    "phi": 0.3,
    "judges": {name: {"tpr": 0.8, "tnr": 0.9} for name in ("ann", "bob", "eve", "kim")},
    "votes_total": 3,
    "gold_fraction": 0.1,
    "predictors": {"A": {"mu": 1.5}, "B": {"mu": 0.5}},
}
IN_BAND = {"share": 0.3, "at": -0.5, "delta": 2.0, "spread": 0.4}
PARAMETERS = {
    "maven": MAVEN,
    "tied": MAVEN,
    "band": MAVEN | {"band_label": 1} | {f"band_{name}": one for name, one in IN_BAND.items()},
    "irt": IRT,
    "stand_in": STAND_IN,
    "copula": COPULA,
    "dawid_skene_scores": DAWID_SKENE_SCORES,
    "human_ai": HUMAN_AI,
    "shared_difficulty": SHARED_DIFFICULTY,
    "panel": PANEL,
}


def test_every_generator_of_items_is_here():
    """Those of annotations are in test_simulated_reviewers.py."""
    assert set(PARAMETERS) == {
        name for name, one in entries("simulator").items() if one.gives == ITEMS
    }


def draw(name, seed=1, **changes):
    return simulate(name, PARAMETERS[name] | changes, np.random.default_rng(seed))


def assert_mean(values, expected):
    """Assert that the mean of independent values is within 5 standard errors of the expected."""
    standard_error = np.std(values, ddof=1) / np.sqrt(len(values))
    assert abs(np.mean(values) - expected) < 5 * standard_error


def assert_oracle_is_the_frequency(items):
    """Assert P(Y | V) against the share of positives among the items with the same votes.

    The share of m items has standard error sqrt(p (1 - p) / m); cells below 100 items are left out.
    """
    cells = pd.DataFrame(
        {"c": items.votes_total, "v": items.votes_positive, "y": items.truth, "p": items.oracle}
    ).groupby(["c", "v"])
    checked = 0
    for _, cell in cells:
        p, m = cell.p.iloc[0], len(cell)
        assert np.all(cell.p == p)
        if m >= 100:
            assert abs(cell.y.mean() - p) < 5 * np.sqrt(p * (1 - p) / m)
            checked += 1
    assert checked >= 4


@pytest.fixture(scope="module")
def maven_items():
    return draw("maven").table


@pytest.mark.parametrize("y", [0, 1])
def test_maven_votes_are_beta_binomial(maven_items, y):
    """Mean and variance of V given Y: c a and c a (1 - a) (1 + (c - 1) / (d + 1))."""
    a, d, c = MAVEN[f"a{y}"], MAVEN[f"d{y}"], 3
    votes = maven_items.votes_positive[maven_items.truth == y]
    assert_mean(votes, c * a)
    assert_mean((votes - c * a) ** 2, c * a * (1 - a) * (1 + (c - 1) / (d + 1)))


@pytest.mark.parametrize("y", [0, 1])
def test_maven_scores_have_the_models_moments(maven_items, y):
    """X given Y: mean mu Y + delta a, variance 1 + delta^2 var P; covariances by way of P alone."""
    a, d = MAVEN[f"a{y}"], MAVEN[f"d{y}"]
    variance = a * (1 - a) / (d + 1)
    rows = maven_items.truth == y
    centred = {}
    for name, predictor in MAVEN["predictors"].items():
        mean = predictor["mu"] * y + predictor["delta"] * a
        centred[name] = maven_items.scores[name][rows] - mean
        assert_mean(centred[name], 0)
        assert_mean(centred[name] ** 2, 1 + predictor["delta"] ** 2 * variance)
        covariance = 3 * predictor["delta"] * variance
        assert_mean(centred[name] * (maven_items.votes_positive[rows] - 3 * a), covariance)
    assert_mean(centred["A"] * centred["B"], 1.0 * 3.0 * variance)


def test_maven_base_rate(maven_items):
    assert_mean(maven_items.truth, MAVEN["phi"])


def test_maven_oracle_is_the_ratio_of_beta_binomials():
    """Against scipy's beta-binomial, to 1e-12, and bounded where the shapes are extreme."""
    votes, total = np.array([0, 1, 2, 3, 0, 5]), np.array([3, 3, 3, 3, 1, 5])
    likelihood = {
        y: stats.betabinom.pmf(votes, total, MAVEN[f"a{y}"] * d, (1 - MAVEN[f"a{y}"]) * d)
        for y, d in ((0, MAVEN["d0"]), (1, MAVEN["d1"]))
    }
    expected = 0.3 * likelihood[1] / (0.3 * likelihood[1] + 0.7 * likelihood[0])
    found = maven.probability_given_votes(MAVEN, votes, total)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    for d0, d1 in ((1e-8, 1e8), (1e8, 1e-8)):
        extreme = maven.probability_given_votes(MAVEN | {"d0": d0, "d1": d1}, votes, total)
        assert np.all((extreme >= 0) & (extreme <= 1))


@pytest.mark.parametrize(
    "name", [name for name in PARAMETERS if name not in ("stand_in", "shared_difficulty", "panel")]
)
def test_oracle_is_the_frequency_of_positives_among_items_with_the_same_votes(name):
    assert_oracle_is_the_frequency(draw(name, votes_total={1: 0.3, 3: 0.5, 6: 0.2}).table)


def test_tied_scores_are_those_of_maven_cut_raised_to_the_least_or_the_votes():
    """The other scores and the votes stay as they are."""
    same = draw("maven", n=500).table
    rated = draw("tied", n=500, cuts=[1.0, -0.5], least=0.0).table
    for name, score in same.scores.items():
        expected = (score >= -0.5).astype(float) + (score >= 1.0)
        assert np.array_equal(rated.scores[name], expected)
    raised = draw("tied", n=500, least=0.5, of_votes=True).table
    assert np.array_equal(raised.scores["A"], same.votes_positive / same.votes_total)
    assert np.array_equal(raised.scores["B"], np.maximum(same.scores["B"], 0.5))
    assert np.array_equal(raised.votes_positive, same.votes_positive)


@pytest.mark.parametrize("label", [0, 1])
def test_scores_in_the_band_are_those_of_a_share_of_one_label(label):
    """The others are those of `maven`; each predictor has its own items in the band. Of their
    scores the mean and the variance, whose relative error is below sqrt(2 / m)."""
    same, found = draw("maven").table, draw("band", band_label=label).table
    inside = {name: found.scores[name] != score for name, score in same.scores.items()}
    assert np.array_equal(found.truth, same.truth)
    assert_mean((inside["A"] & inside["B"])[found.truth == label], IN_BAND["share"] ** 2)
    a, d = MAVEN[f"a{label}"], MAVEN[f"d{label}"]
    variance = IN_BAND["spread"] ** 2 + IN_BAND["delta"] ** 2 * a * (1 - a) / (d + 1)
    for name, moved in inside.items():
        assert np.all(found.truth[moved] == label)
        assert_mean(moved[found.truth == label], IN_BAND["share"])
        scores = found.scores[name][moved]
        assert_mean(scores, IN_BAND["at"] + IN_BAND["delta"] * a)
        assert scores.var() == pytest.approx(variance, rel=5 * np.sqrt(2 / len(scores)))


@pytest.mark.parametrize("name", ["dawid_skene_scores", "human_ai"])
@pytest.mark.parametrize("y", [0, 1])
def test_scores_of_the_joint_models_are_normal_in_each_class(name, y):
    """Kolmogorov-Smirnov of some 100,000 scores against the normal of their class, p > 1e-6."""
    items = draw(name).table
    p = PARAMETERS[name]
    own = items.scores["A"][items.truth == y]
    assert stats.kstest(own, stats.norm(p[f"mu{y}"], p["sigma"]).cdf).pvalue > 1e-6


def test_votes_and_scores_of_dawid_skene_go_together_through_the_label_alone():
    """Within a class votes are binomial and uncorrelated with the scores, by 5 standard errors."""
    items = draw("dawid_skene_scores").table
    for y in (0, 1):
        own = items.truth == y
        votes, n = items.votes_positive[own], own.sum()
        share = np.bincount(votes, minlength=4) / n
        expected = stats.binom.pmf(range(4), 3, DAWID_SKENE_SCORES[f"a{y}"])
        assert np.all(np.abs(share - expected) <= 5 * np.sqrt(expected * (1 - expected) / n))
        assert abs(np.corrcoef(votes, items.scores["A"][own])[0, 1]) <= 5 / np.sqrt(n)


@pytest.mark.parametrize("y", [0, 1])
def test_a_vote_of_human_ai_is_positive_when_a_normal_is(y):
    """One vote and the score, against the bivariate normal: the probability of a positive vote is
    Phi(human / sqrt 2), and its covariance with the standard score rho phi(human / sqrt 2) / sqrt
    2, within 5 standard errors."""
    items = draw("human_ai", votes_total=1).table
    p, own = HUMAN_AI, items.truth == y
    votes = items.votes_positive[own].astype(float)
    z = (items.scores["A"][own] - p[f"mu{y}"]) / p["sigma"]
    at, n = p[f"human{y}"] / np.sqrt(2), own.sum()
    mean = stats.norm.cdf(at)
    assert abs(votes.mean() - mean) <= 5 * np.sqrt(mean * (1 - mean) / n)
    product = (votes - mean) * z
    expected = p["rho"] * stats.norm.pdf(at) / np.sqrt(2)
    assert abs(product.mean() - expected) <= 5 * product.std() / np.sqrt(n)


def irt_model(n_voters, sigma_d=2.0):
    return irt.Model(0.2, 3.0, 2.0, 0.5, sigma_d, -1.0, n_voters)


@pytest.mark.parametrize("c", [1, 2, 3, 6])
def test_irt_oracle_is_the_sum_over_all_sets_of_voters_and_all_their_votes(c):
    """Six voters: every set of c and every vote pattern, adaptive quadrature; to 1e-9."""
    model, skills = irt_model(6), np.array([-2.0, 0.5, 1.0, 2.5, 4.0, 7.0])

    def likelihood(y, v):
        def at(difficulty):
            total = 0.0
            for voters in combinations(range(6), c):
                p = expit(model.offset + (skills[list(voters)] - difficulty) * (2 * y - 1))
                for pattern in product((0, 1), repeat=c):
                    if sum(pattern) == v:
                        total += np.prod(np.where(pattern, p, 1 - p))
            return total * stats.norm.pdf(difficulty, model.mu_d, model.sigma_d)

        return integrate.quad(at, -20, 21, epsabs=0, epsrel=1e-10, limit=200)[0]

    for v in sorted({0, 1, c}):
        negative, positive = 0.8 * likelihood(0, v), 0.2 * likelihood(1, v)
        found = irt.probability_given_votes(model, skills, np.array([v]), np.array([c]))
        np.testing.assert_allclose(found, positive / (negative + positive), rtol=1e-9)


@pytest.mark.parametrize(("sigma_d", "tolerance"), [(0.5, 1e-12), (2.0, 1e-10), (5.0, 1e-6)])
def test_the_nodes_over_the_difficulty_are_enough(sigma_d, tolerance, monkeypatch):
    """Six times as many nodes change no P(Y | V) of 3 or 10 votes by more than the tolerance."""
    skills = np.random.default_rng(3).normal(3, 2, 100)
    for c in (3, 10):
        votes, total = np.arange(c + 1), np.full(c + 1, c)
        model = irt_model(100, sigma_d)
        usual = irt.probability_given_votes(model, skills, votes, total)
        with monkeypatch.context() as patched:
            patched.setattr(irt, "NODES", 6 * irt.NODES)
            finer = irt.probability_given_votes(model, skills, votes, total)
        assert np.abs(usual - finer).max() < tolerance


def test_vote_distribution_is_a_distribution_for_every_number_of_votes():
    chance = np.random.default_rng(0).random((300, 4))
    distribution = irt.vote_distribution(chance, 150)
    np.testing.assert_allclose(distribution.sum(axis=1), 1, rtol=1e-10)
    mean = np.arange(151) @ distribution
    np.testing.assert_allclose(mean, np.outer(np.arange(151), chance.mean(axis=0)), rtol=1e-10)


def test_every_set_of_voters_is_equally_likely_and_holds_each_voter_once():
    """Chi-squared over the 10 pairs and the 5 quadruples of 5 voters; p above 1e-6."""
    total = np.tile([2, 4], 50_000)
    voters = irt.draw_voters(total, 5, np.random.default_rng(2))
    for c in (2, 4):
        chosen = voters[total == c]
        assert np.all(chosen[:, c:] == -1)
        chosen = np.sort(chosen[:, :c], axis=1)
        sets, counts = np.unique(chosen, axis=0, return_counts=True)
        assert sets.tolist() == [list(s) for s in combinations(range(5), c)]
        assert stats.chisquare(counts).pvalue > 1e-6


def test_all_voters_can_vote_on_every_item():
    items = draw("irt", n=50, n_voters=4, votes_total=4).table
    assert items.votes_total.tolist() == [4] * 50


@pytest.mark.parametrize("y", [0, 1])
def test_irt_votes_follow_skill_and_difficulty(y):
    """E P_ij given Y over S - D ~ Normal(mu_s - mu_d, sd^2 = sigma_s^2 + sigma_d^2).

    Replicates are the unit (120 of them), because voters are shared by the items of one.
    """
    nodes = stats.norm.ppf((np.arange(20_000) + 0.5) / 20_000)
    gap = (3.0 - 0.5) + np.hypot(2.0, 2.0) * nodes
    expected = expit(-1.0 + gap * (2 * y - 1)).mean()
    shares = []
    for seed in range(120):
        items = draw("irt", seed, n=400).table
        shares.append(items.votes_positive[items.truth == y].mean() / 3)
    assert_mean(shares, expected)


def test_irt_scores_follow_the_truth_and_the_voters_mean_chance():
    """X - mu Y - delta V / c has mean 0 for each c, and is independent over items given skills."""
    items = draw("irt", votes_total={2: 0.5, 5: 0.5}).table
    for name, predictor in IRT["predictors"].items():
        votes = predictor["delta"] * items.votes_positive / items.votes_total
        rest = items.scores[name] - predictor["mu"] * items.truth - votes
        for y, c in product((0, 1), (2, 5)):
            assert_mean(rest[(items.truth == y) & (items.votes_total == c)], 0)
    without_votes = draw("irt", predictors={"A": {"mu": 2, "delta": 0}}).table
    noise = without_votes.scores["A"] - 2 * without_votes.truth
    assert_mean(noise, 0)
    assert_mean(noise**2, 1)
    assert_mean(without_votes.truth, IRT["phi"])


@pytest.mark.parametrize(
    ("votes_total", "expected"),
    [({3: 0.8, 5: 0.2}, {3: 0.8, 5: 0.2}), ({"1": 1.0}, {1: 1}), ([1, 2, 2], {1: 1 / 3, 2: 2 / 3})],
)
def test_votes_total_can_differ_by_item(votes_total, expected):
    """Shares of items with c votes, within 5 binomial standard errors."""
    items = draw("maven", votes_total=votes_total, n=20_000).table
    assert set(np.unique(items.votes_total)) == set(expected)
    for votes, share in expected.items():
        found = (items.votes_total == votes).mean()
        assert abs(found - share) <= 5 * np.sqrt(share * (1 - share) / 20_000)


@pytest.mark.parametrize("name", PARAMETERS)
def test_gold_labels_are_a_simple_random_sample(name):
    """Counts of each of 20 items among 5 gold labels in 500 replicates; chi-squared p > 1e-6."""
    counts = np.zeros(20)
    for seed in range(500):
        few = {"irt": {"n_voters": 5}, "stand_in": {"n_pool": 400, "n_labelled": 200}}.get(name, {})
        items = draw(name, seed, n=20, gold_fraction=0.25, **few).table
        labelled = items.gold != NO_GOLD
        assert labelled.sum() == 5
        assert np.array_equal(items.gold[labelled], items.truth[labelled])
        counts += labelled
    assert stats.chisquare(counts).pvalue > 1e-6


@pytest.mark.parametrize("name", PARAMETERS)
def test_the_seed_decides_everything_and_global_random_state_is_not_touched(name):
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    first, again, other = (draw(name, seed, n=30).table.to_frame() for seed in (1, 1, 2))
    pd.testing.assert_frame_equal(first, again)
    assert not first.equals(other)
    assert np.array_equal(before, np.random.get_state()[1])  # noqa: NPY002


@pytest.mark.parametrize("name", [name for name in PARAMETERS if name != "panel"])
def test_a_replicate_carries_its_truth_and_parameters(name):
    """What a panel knows of itself is held against its votes in tests/unit/test_panel.py."""
    replicate = draw(name, n=30)
    if name == "stand_in":
        assert not set(replicate.reference.item) & set(replicate.table.item)
    else:
        assert replicate.reference is replicate.table
    parameters = PARAMETERS[name]
    for key, value in replicate.parameters.items():
        kind, _, predictor = key.partition(":")
        source = parameters["predictors"][predictor] if predictor else parameters
        assert value == source[kind]
    vote = {"phi"}
    if name not in ("irt", "stand_in", "human_ai", "shared_difficulty"):
        vote |= {"a0", "a1"} | (set() if name == "dawid_skene_scores" else {"d0", "d1"})
    own_scores = name in ("band", "copula", "dawid_skene_scores", "human_ai", "shared_difficulty")
    score = set() if own_scores else {"mu:A", "delta:A", "mu:B", "delta:B"}
    assert set(replicate.parameters) == vote | score


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("maven", {"phi": 1.0}, "maven: parameter 'phi': found 1.0, expected a number above 0 and"),
        ("maven", {"phi": "0.2"}, "'phi': found '0.2', expected a number above 0 and below 1"),
        ("maven", {"phi": float("nan")}, "'phi': found nan"),
        ("maven", {"a0": 0.8}, "'a0': found 0.8, expected at most a1, which is 0.7"),
        ("maven", {"d1": 0}, "'d1': found 0, expected a number above 0"),
        ("maven", {"n": 1}, "'n': found 1, expected a whole number at least 2"),
        ("maven", {"n": 10.5}, "'n': found 10.5, expected a whole number"),
        ("maven", {"votes_total": 0}, "'votes_total': found 0, expected a whole number of votes"),
        ("maven", {"votes_total": {3: 0.5}}, "'votes_total': found {3: 0.5}, expected .* sum to 1"),
        ("maven", {"votes_total": []}, r"'votes_total': found \[\]"),
        ("maven", {"gold_fraction": 1.5}, "'gold_fraction': found 1.5, expected a number from 0"),
        ("maven", {"n_gold": 3}, "found both of the parameters 'gold_fraction' and 'n_gold'"),
        ("maven", {"predictors": {}}, "'predictors': found {}, expected at least one"),
        ("maven", {"predictors": {"A": {"mu": 1}}}, "predictor 'A': parameter 'delta' is missing"),
        ("maven", {"predictors": {"A": 1}}, "predictor 'A': found 1, expected {mu: number"),
        ("maven", {"votes": 3}, "no parameter 'votes'"),
        ("maven", {"vote_total": 3}, "no parameter 'vote_total'; did you mean 'votes_total'"),
        ("irt", {"sigma_s": -1}, "irt: parameter 'sigma_s': found -1, expected a number above 0"),
        ("irt", {"n_voters": 2}, "'n_voters': found 2, expected a whole number at least 3"),
        ("irt", {"a0": 0.1}, "no parameter 'a0'"),
        ("irt", {"voters_seed": -1}, "'voters_seed': found -1, expected a whole number at least 0"),
        ("shared_difficulty", {"copying": 1.5}, "'copying': found 1.5, expected a number from 0"),
        ("shared_difficulty", {"ease": -1}, "'ease': found -1, expected a number that is 0 or"),
        ("shared_difficulty", {"predictors": {"A": {}}}, "predictor 'A': parameter 'mu' is miss"),
        ("shared_difficulty", {"predictors": {"A": 1}}, "predictor 'A': found 1, expected {mu:"),
        ("shared_difficulty", {"predictors": {}}, "'predictors': found {}, expected at least one"),
        ("copula", {"noise": 0}, "'noise': found 0, expected a number above 0"),
    ],
)
def test_an_impossible_parameter_is_named_with_what_was_found_and_expected(name, changes, message):
    with pytest.raises(InputError, match=message):
        draw(name, **changes)


@pytest.mark.parametrize("name", PARAMETERS)
def test_every_missing_parameter_is_named(name):
    for missing in PARAMETERS[name]:
        rest = {key: value for key, value in PARAMETERS[name].items() if key != missing}
        with pytest.raises(InputError, match=missing):
            simulate(name, rest, np.random.default_rng(0))


def test_too_many_gold_labels_are_refused():
    rest = {key: value for key, value in MAVEN.items() if key != "gold_fraction"}
    with pytest.raises(InputError, match=r"'n_gold': found 11, expected .* at most 10"):
        simulate("maven", rest | {"n": 10, "n_gold": 11}, np.random.default_rng(0))


def test_an_unknown_generator_is_named_with_the_nearest():
    with pytest.raises(InputError, match="no generator 'mavens'; did you mean 'maven'"):
        simulate("mavens", MAVEN, np.random.default_rng(0))


def test_resampling_parts_a_task_into_a_replicate_and_its_reference():
    task = draw("maven", n=500).table
    replicate = resample(task, 200, 30, np.random.default_rng(4))
    items, reference = replicate.table, replicate.reference
    assert (len(items), len(reference)) == (200, 300)
    assert set(items.item) | set(reference.item) == set(task.item)
    labelled = items.gold != NO_GOLD
    assert labelled.sum() == 30
    assert np.array_equal(items.gold[labelled], items.truth[labelled])
    rows = pd.Index(task.item).get_indexer(items.item)
    assert np.array_equal(items.scores["A"], task.scores["A"][rows])
    assert np.array_equal(items.votes_positive, task.votes_positive[rows])
    assert replicate.parameters == {}


def test_the_truth_of_a_replicate_can_be_its_own():
    task = draw("maven", n=500).table
    left_over, own = (
        resample(task, 200, 30, np.random.default_rng(4), truth_of)
        for truth_of in ("left_over", "items")
    )
    assert own.reference is own.table
    assert np.array_equal(own.table.item, left_over.table.item)
    assert np.array_equal(own.table.gold, left_over.table.gold)
    with pytest.raises(InputError, match="no truth_of 'item'; did you mean 'items'"):
        resample(task, 200, 30, np.random.default_rng(4), "item")


def test_resampling_takes_every_item_equally_often():
    """Counts of each of 20 items in 2,000 draws of 5 with 2 gold labels; chi-squared p > 1e-6."""
    task = draw("maven", n=20, seed=3).table
    counts = {"items": np.zeros(20), "gold": np.zeros(20)}
    for seed in range(2000):
        items = resample(task, 5, 2, np.random.default_rng(seed)).table
        rows = items.item.astype(int)
        counts["items"][rows] += 1
        counts["gold"][rows[items.gold != NO_GOLD]] += 1
    for count in counts.values():
        assert stats.chisquare(count).pvalue > 1e-6


@pytest.mark.parametrize(
    ("n", "n_gold", "message"),
    [
        (500, 10, "'n' is 500, but the task has 500 items; expected fewer"),
        (499, 10, "1 items left over by n = 499 are all of one class"),
        (20, 21, "'n_gold': found 21, expected a whole number at least 0 and at most 20"),
        (1, 0, "'n': found 1, expected a whole number at least 2"),
    ],
)
def test_a_task_that_is_too_small_is_refused(n, n_gold, message):
    task = draw("maven", n=500).table
    with pytest.raises(InputError, match=message):
        resample(task, n, n_gold, np.random.default_rng(0))


def test_voters_with_a_seed_of_their_own_are_the_same_in_every_replicate():
    """TPR_H of 200,000 items differs by 0.001 where voters are the same, and by some 0.05 where 5
    voters are drawn anew."""
    rates = {}
    for own in ({"voters_seed": 3}, {}):
        rates[bool(own)] = [
            metrics.true_value("TPR_H", draw("irt", seed, n_voters=5, **own).table)
            for seed in (1, 2, 3)
        ]
    assert np.ptp(rates[True]) < 0.01
    assert np.ptp(rates[False]) > 0.02


@pytest.mark.parametrize("copying", [0.0, 0.5, 1.0])
def test_voters_copy_the_first_as_often_as_is_said(copying):
    """Two votes of the same chance p differ with probability 2 p (1 - p) (1 - copying)."""
    items = draw("shared_difficulty", copying=copying, votes_total=2).table
    for y, right in ((0, 0.8), (1, 0.6)):
        own = items.votes_positive[items.truth == y]
        assert_mean(own / 2, right if y else 1 - right)
        expected = 2 * right * (1 - right) * (1 - copying)
        differ = (own == 1).astype(float)
        if copying == 1:
            assert not differ.any()
        else:
            assert_mean(differ, expected)


def test_items_that_are_hard_for_voters_are_hard_for_the_predictor():
    """Within a class, a right vote and a score on the right side go together where they share the
    ease of the item (a correlation above 0.2) and not where they do not (5 standard errors)."""
    for ease, shared in ((1.0, True), (0.0, False)):
        predictors = {"A": {"mu": 1.0, "ease": ease}}
        items = draw("shared_difficulty", ease=1.5, predictors=predictors).table
        for y in (0, 1):
            own = items.truth == y
            found = np.corrcoef(items.votes_positive[own], items.scores["A"][own])[0, 1]
            assert found > 0.2 if shared else abs(found) < 5 / np.sqrt(own.sum())


def test_the_noise_of_a_score_is_students_t_with_the_spread_of_its_class():
    """Kolmogorov-Smirnov of each class against its own t, p > 1e-6."""
    predictors = {"A": {"mu": 2.0, "spread": 0.5, "spread_positive": 1.5, "freedom": 2.5}}
    items = draw("shared_difficulty", predictors=predictors).table
    for y, spread in ((0, 0.5), (1, 1.5)):
        noise = (items.scores["A"][items.truth == y] - 2.0 * y) / spread
        assert stats.kstest(noise, stats.t(2.5).cdf).pvalue > 1e-6


def test_the_weaker_predictor_of_a_shape_is_the_other_with_noise_in_logits():
    """The difference of the logits is normal with the stated deviation, p > 1e-6."""
    items = draw("copula", n=20_000, noise=0.7).table
    moved = logit(items.scores["B"]) - logit(items.scores["A"])
    assert stats.kstest(moved / 0.7, stats.norm.cdf).pvalue > 1e-6
    assert metrics.true_value("delta_AUC", items) > 0.01
